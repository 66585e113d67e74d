"""Computer players, and the commanders of robot and scripted ships.

Computer players write orders from what their own side may know of the game.
"""
