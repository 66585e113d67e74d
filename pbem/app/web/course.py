"""The cadet's course: what can be played, on which side and against whom, and a small picture of how it begins."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario, ScenarioSide, scenario, scenario_keys
from pbem.data.ships import ship_class
from pbem.reports.html.small_map import Mark, Small, framed, middle, turned

ROBOT = "robot"
"""Who plays a side by the rules' own robot."""


class Choice(msgspec.Struct, frozen=True):
    """Classes among which the player of a ship may choose: the ship's name, its side, and class by key and name; the
    first is the one of the scenario.
    """

    unit: str
    side: str
    classes: tuple[tuple[str, str], ...]


class Version(msgspec.Struct, frozen=True):
    """A version of a scenario: its key and title."""

    key: str
    title: str


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario of the course. ``against`` says of each side that can be played whom the computer plays then;
    ``new`` are the parts of the handbook no scenario before it uses; ``small`` is the picture of how it begins.
    """

    setting: Scenario
    sides: tuple[ScenarioSide, ...]
    against: dict[str, str]
    versions: tuple[Version, ...]
    new: tuple[str, ...]
    choices: tuple[Choice, ...]
    small: Small

    @property
    def pair(self) -> bool:
        """Whether two people at one keyboard can play it."""
        return len(self.sides) > 1


def open_sides(setting: Scenario) -> list[ScenarioSide]:
    """The sides somebody may play."""
    return [side for side in setting.sides if side.robot != "must"]


def course() -> list[Lesson]:
    """All shipped scenarios in their order."""
    met: set[str] = set()
    found = []
    for key in scenario_keys():
        setting = scenario(key)
        if setting.variant:
            continue
        found.append(_lesson(setting, tuple(name for name in setting.chapters if name not in met)))
        met |= set(setting.chapters)
    return found


def lesson(number: str) -> Lesson | None:
    """The scenario of a number, if it is one of the course."""
    return next((one for one in course() if one.setting.number == number), None)


def _lesson(setting: Scenario, new: tuple[str, ...]) -> Lesson:
    sides = open_sides(setting)
    versions = [Version(f"{setting.number}-{name}", title) for name, title in setting.variants.items()]
    marks = tuple(_marks(setting))
    return Lesson(
        setting=setting,
        sides=tuple(sides),
        against={side.name: _opposed(setting, side.name) for side in sides},
        versions=(Version(setting.number, setting.title), *versions),
        new=new,
        choices=tuple(_choices(setting, {side.name for side in sides})),
        small=framed(marks),
    )


def _opposed(setting: Scenario, side: str) -> str:
    """Whom the computer plays where somebody has a side, in words: ``convoy (the printed robot)``."""
    others = [one for one in setting.sides if one.name != side]
    told = [f"{one.name} ({'a computer captain' if one.robot == 'no' else 'the printed robot'})" for one in others]
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))


def _choices(setting: Scenario, played: set[str]) -> list[Choice]:
    found = []
    for unit in setting.units:
        if unit.side in played and not unit.optional and len(unit.choices) > 1:
            keys = (unit.ship, *(key for key in unit.choices if key != unit.ship))
            found.append(Choice(unit.name, unit.side, tuple((key, ship_class(key).name) for key in keys)))
    return found


def _marks(setting: Scenario) -> list[Mark]:
    place = {name: number % 4 for number, name in enumerate(sorted(side.name for side in setting.sides))}
    marks = [
        Mark(*middle(hex), 0, 0, "planet" if ground.kind == "planet" else "rock")
        for ground in setting.terrain
        for hex in ground.hexes
    ]
    for kind, units in (("ship", setting.units), ("drone", setting.seekers), ("monster", setting.monsters)):
        for unit in units:
            if not (getattr(unit, "optional", False) or getattr(unit, "arrives", 0)):
                turn = turned(unit.facing)
                marks.append(Mark(*middle(unit.hex), turn, place[unit.side], kind))
    return marks
