"""A chapter of the test's own: flares, which a ship pays for and burns at another, to dazzle it for a while.

Nothing of the program knows it; :mod:`tests.turn.flares_at_play` enters it by one line.
"""
