"""The names of the steps of a turn, in order, as they stand in the log (B2.0). What they do: ``pbem.turn.sequence``."""

TITLES = {
    "energy": "Energy allocation",
    "announce": "Speeds are announced",
    "lockon": "Sensors lock on",
    "move": "Ships move",
    "seek": "Seeking weapons move",
    "tac": "Tactical maneuvers",
    "impact": "Seeking weapons are resolved",
    "cloak": "Ships cloak and uncloak",
    "launch": "Seeking weapons are launched",
    "fire": "Direct-fire weapons are fired",
    "resolve": "Direct fire is resolved",
    "end": "End of the impulse",
    "close": "End of the turn",
}
"""What reports call each step."""

NAMES = tuple(TITLES)
ORDER = {name: number for number, name in enumerate(NAMES)}
