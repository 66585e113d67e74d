"""Computer players, and the commanders of robot and scripted ships.

Computer players write orders from a side's own view of the game.
"""
