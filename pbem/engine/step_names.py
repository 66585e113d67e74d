"""The names of the steps of a turn, in order, as the log contains them (B2.0).

:mod:`pbem.engine.steps.sequence` says what each step does.
"""

from pbem.data.terms import StepName

TITLES: dict[str, str] = {
    StepName.ENERGY: "Energy allocation",
    StepName.ANNOUNCE: "Speeds are announced",
    StepName.LOCK_ON: "Sensors lock on",
    StepName.MONSTERS: "Monsters move",
    StepName.MOVE: "Ships move",
    StepName.SHUTTLES: "Shuttles move",
    StepName.SEEK: "Seeking weapons move",
    StepName.TAC: "Tactical maneuvers",
    StepName.IMPACT: "Seeking weapons are resolved",
    StepName.CLOAK: "Ships cloak and uncloak",
    StepName.TRACTOR: "Tractor beams",
    StepName.LAUNCH: "Seeking weapons are launched",
    StepName.TRANSPORT: "Shields are lowered, transporters used",
    StepName.BAY: "Shuttles are recovered and launched",
    StepName.FIRE: "Direct-fire weapons are fired",
    StepName.RESOLVE: "Direct fire is resolved",
    StepName.END: "End of the impulse",
    StepName.CLOSE: "End of the turn",
}
"""Dict of each step name to its title in reports."""

NAMES = tuple(StepName)[1:]
ORDER: dict[str, int] = {name: number for number, name in enumerate(NAMES)}
