"""The names of the steps of a turn, in order, as they stand in the log (B2.0). What they do: ``pbem.turn.sequence``."""

TITLES = {
    "energy": "Energy allocation",
    "announce": "Speeds are announced",
    "lockon": "Sensors lock on",
    "monsters": "Monsters move",
    "move": "Ships move",
    "shuttles": "Shuttles move",
    "seek": "Seeking weapons move",
    "tac": "Tactical maneuvers",
    "impact": "Seeking weapons are resolved",
    "cloak": "Ships cloak and uncloak",
    "tractor": "Tractor beams",
    "launch": "Seeking weapons are launched",
    "transport": "Shields are lowered, transporters used",
    "bay": "Shuttles are recovered and launched",
    "fire": "Direct-fire weapons are fired",
    "resolve": "Direct fire is resolved",
    "end": "End of the impulse",
    "close": "End of the turn",
}
"""What reports call each step."""

NAMES = tuple(TITLES)
ORDER = {name: number for number, name in enumerate(NAMES)}
