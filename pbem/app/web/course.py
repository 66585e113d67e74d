"""The cadet's course: the scenarios for local games, their sides, and the possible opponents."""

from __future__ import annotations

import msgspec

from pbem.data.doctrines import SkillLevel, doctrines
from pbem.data.scenarios import Scenario, ScenarioSide, scenario, scenario_keys
from pbem.data.ships import ship_class
from pbem.errors import GameError
from pbem.games.computer_sides import USUAL
from pbem.games.storage.players import captain_of
from pbem.reports.html.site import MapMark, Small, framed, middle, turned

ROBOT = "robot"
"""Player name in game.toml of a side that the robot of the rules plays."""
COMPUTER = "computer"
"""Value that the browser sends for the opponent that the handbook provides."""
YOU, FRIEND = "you", "a friend"
"""Player names in game.toml of the people at the keyboard.

All other sides are played by the robot of the rules (scenario #4) or by computer players, whose names are their
levels.
"""


class Choice(msgspec.Struct, frozen=True):
    """The ship classes from which a person can choose for one ship.

    ``classes`` are pairs of class key and name; the scenario's own class is first.
    """

    unit: str
    side: str
    classes: tuple[tuple[str, str], ...]


class Version(msgspec.Struct, frozen=True):
    """A version of a scenario (the scenario itself or a variant): its key and title."""

    key: str
    title: str


class Opponent(msgspec.Struct, frozen=True, kw_only=True):
    """A possible opponent, as the page of a scenario shows it on a card.

    Attributes:
        key: The value that the form sends: ``computer``, ``friend``, or a level.
        name: The name on the card.
        told: One line about how they play.
        strength: A short text about how hard they are to beat.
        stars: The stars for a victory against them; 0 if none are given.
    """

    key: str
    name: str
    told: str
    strength: str
    stars: int = 0


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario of the course, with the facts that its pages show.

    Attributes:
        setting: The scenario.
        sides: The sides that a person may play.
        versions: The scenario itself and its variants.
        new: Chapters of the handbook that no earlier scenario uses.
        choices: The ships whose class can be chosen.
        small: A small picture of the starting positions.
        mine: The number of the color in which the picture shows the first side.
        opponents: The possible opponents.
    """

    setting: Scenario
    sides: tuple[ScenarioSide, ...]
    versions: tuple[Version, ...]
    new: tuple[str, ...]
    choices: tuple[Choice, ...]
    small: Small
    mine: int
    opponents: tuple[Opponent, ...]

    @property
    def most_stars(self) -> int:
        """The number of stars that a person can win in the scenario."""
        return max(one.stars for one in self.opponents)


def open_sides(setting: Scenario) -> list[ScenarioSide]:
    """Return the sides of a scenario that a person may play."""
    return [side for side in setting.sides if side.robot != "must"]


def course() -> list[Lesson]:
    """Return all shipped scenarios in order, each together with its variants."""
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
    """Return the scenario with this number, or ``None`` if the course has no such scenario."""
    return next((one for one in course() if one.setting.number == number), None)


def _lesson(setting: Scenario, new: tuple[str, ...]) -> Lesson:
    sides = open_sides(setting)
    versions = [Version(f"{setting.number}-{name}", title) for name, title in setting.variants.items()]
    marks = tuple(_marks(setting))
    return Lesson(
        setting=setting,
        sides=tuple(sides),
        versions=(Version(setting.number, setting.title), *versions),
        new=new,
        choices=tuple(_choices(setting, {side.name for side in sides})),
        small=framed(marks),
        mine=_colours(setting)[sides[0].name],
        opponents=tuple(opponents(setting)),
    )


def _choices(setting: Scenario, played: set[str]) -> list[Choice]:
    found = []
    for unit in setting.units:
        if unit.side in played and not unit.optional and len(unit.choices) > 1:
            keys = (unit.ship, *(key for key in unit.choices if key != unit.ship))
            found.append(Choice(unit.name, unit.side, tuple((key, ship_class(key).name) for key in keys)))
    return found


def _colours(setting: Scenario) -> dict[str, int]:
    """Return for each side the number of its color and shape on maps."""
    return {name: number % 4 for number, name in enumerate(sorted(side.name for side in setting.sides))}


def _marks(setting: Scenario) -> list[MapMark]:
    place = _colours(setting)
    marks = [
        MapMark(*middle(hex), 0, 0, "planet" if ground.kind == "planet" else "rock")
        for ground in setting.terrain
        for hex in ground.hexes
    ]
    for kind, units in (("ship", setting.units), ("drone", setting.seekers), ("monster", setting.monsters)):
        for unit in units:
            if not (getattr(unit, "optional", False) or getattr(unit, "arrives", 0)):
                turn = turned(unit.facing)
                marks.append(MapMark(*middle(unit.hex), turn, place[unit.side], kind))
    return marks


def skill_levels() -> tuple[SkillLevel, ...]:
    """Return the levels of computer players that a person can choose, the weakest first."""
    return tuple(level for level in doctrines().levels if not level.single_minded)


def stars_against(player: str) -> int:
    """Return the number of stars for a victory against a player.

    A victory against the strongest level of computer players gives three stars, against a weaker level two. A victory
    against the robot of the rules or a friend gives one.
    """
    found, levels = captain_of(player), skill_levels()
    if found is None or found not in levels:
        return 1
    return 3 if found == levels[-1] else 2


_TOLD = {
    "ensign": ("Knows one way to fight and sticks to it.", "Fair"),
    "captain": ("Tries several plans against yours and takes the best.", "Hard"),
    "commodore": ("Plans again in the middle of a turn and knows common habits.", "Hardest"),
}
"""What each level does, and how hard it is to beat."""


def opponents(setting: Scenario) -> list[Opponent]:
    """Return the possible opponents of a person in a scenario, the easiest first."""
    free = open_sides(setting)
    found = [one for one in [_book(setting, free)] if one is not None]
    if len(free) == 1:
        return found
    for level in skill_levels():
        about, strength = _TOLD.get(level.name, (f"A computer player that {level.told}.", ""))
        name, stars = level.name.capitalize(), stars_against(level.name)
        found.append(Opponent(key=level.name, name=name, told=about, strength=strength, stars=stars))
    about = "You take turns. A curtain hides the plan of each from the other."
    found.append(Opponent(key="friend", name="A friend here", told=about, strength="Two players", stars=1))
    return found


def _book(setting: Scenario, free: list[ScenarioSide]) -> Opponent | None:
    """Return the opponent that the handbook provides, or ``None`` if it provides a robot for no side.

    ``free`` are the sides that a person may play.
    """
    robots = [side for side in setting.sides if side.robot != "no"]
    others = [one for mine in free for one in setting.sides if one is not mine]
    if not robots:
        return None
    if len(free) == 1:
        role, about = others[0].role, "What the printed rules of the scenario say."
        name = f"{role[:1].upper()}{role[1:]}"
        return Opponent(key=COMPUTER, name=name, told=about, strength="By the book", stars=1)
    if all(side in robots for side in others):
        about = "Follows the printed rules and does the same every time."
        return Opponent(key=COMPUTER, name="Robot", told=about, strength="Good to learn", stars=1)
    about = "A robot where the printed rules have one, elsewhere a captain."
    return Opponent(key=COMPUTER, name="By the book", told=about, strength="Good to learn")


def seats(setting: Scenario, side: str, against: str = "") -> dict[str, str]:
    """Return the player of each side that a person may play, by side.

    The user plays ``side``; ``against`` says who plays the other sides:

    * ``friend``: a person at the same keyboard;
    * a level: a computer player of this level;
    * ``computer`` or empty: the robot if the rules have one for the side, otherwise a computer player.

    Raises:
        GameError: A person may not play ``side``, or ``against`` is unknown.
    """
    free = open_sides(setting)
    if side not in [one.name for one in free]:
        names = ", ".join(one.name for one in free)
        raise GameError.saying("unknown-side", f"nobody plays {side[:60]!r} in {setting.title}; the sides are {names}")
    if against == "friend":
        others = {one.name: FRIEND for one in free}
    elif captain_of(against) is not None:
        others = {one.name: against for one in free}
    elif against not in ("", COMPUTER):
        names_ = ", ".join((COMPUTER, "friend", *(level.name for level in doctrines().levels)))
        raise GameError.saying("unknown-opponent", f"nobody is called {against[:60]!r}; choose one of {names_}")
    else:
        others = {one.name: ROBOT if one.robot != "no" else USUAL for one in free}
    return {**others, side: YOU}
