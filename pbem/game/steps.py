"""The names of the steps of a turn, in order, as they stand in the log (B2.0). What they do:
:mod:`pbem.turn.sequence`.
"""

NAMES = ("energy", "announce", "move", "seek", "impact", "launch", "fire", "resolve", "end", "close")
ORDER = {name: number for number, name in enumerate(NAMES)}
