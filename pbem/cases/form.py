"""What a case file may say, read and validated: every error names its place in the file.

The keys are described in docs/cases.md, which is generated from the structs here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from pbem.cases.matching import wrong_pattern
from pbem.data.files import NotToml, build, toml_text
from pbem.data.scenarios import FARTHEST, Chapter, scenario
from pbem.faults import Fault, GameError
from pbem.game.spelling import loads
from pbem.rules import hexes

SMALL_UNITS = ("drone", "plasma", "shuttle", "monster", "planet", "asteroids")
"""What ``ship`` may say besides the key of a ship."""

TERRAIN = ("planet", "asteroids")
"""Those of them that are nobody's, and have no facing."""

SEEKERS = ("drone", "plasma")
"""Those that seek a target."""

Value = int | float | str | bool
"""What a state path or a field of an event may be compared with, besides lists and tables."""


class CaseUnit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A unit at the start. ``ship`` is the key of a ship, or ``drone``, ``plasma``, ``shuttle``,
    ``monster``, ``planet``, ``asteroids``; ``at`` hex and facing, ``1616F``.

    ``prior_speed`` is the speed of the turn before (B3.0, line 14); ``state`` sets state paths that differ from an
    undamaged ship. ``immobile`` and ``untouchable`` ships never move or fire, and cannot be fired at. ``target``,
    ``launcher`` and ``launched`` (``"turn.impulse"``, left out: at the end of the turn before the case begins)
    are for drones, plasma torpedoes and shuttles. A torpedo is of the type of its launcher's first tube, else S;
    ``torpedo`` says another (``R``). A shuttle with a ``target`` is a suicide shuttle, its ``bomb`` is in
    ``state``, its ``letter`` the box it left. ``monster`` is the key of the chart of monsters (``planet_killer``),
    its ``target`` the planet it is after. A planet or asteroids stand in the hex ``at`` (no facing), or fill
    ``hexes``; they have no ``side``, asteroids no ``name`` either, and ``crew`` units may wait on a planet.
    """

    ship: str
    side: str = ""
    name: str = ""
    at: str = ""
    prior_speed: int = 0
    state: dict[str, Value] = {}
    immobile: bool = False
    untouchable: bool = False
    target: str = ""
    launcher: str = ""
    launched: str = ""
    torpedo: str = ""
    letter: str = ""
    monster: str = ""
    hexes: tuple[str, ...] = ()
    crew: int = 0


class Rebid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[turn.rebid]]``: a side's orders after a break. ``at`` is the impulse after whose step play stopped, or
    ``"impulse.step"``. Where no rebid fits a break, the side answers CONTINUE.
    """

    side: str
    at: int | str
    orders: str


class CaseTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[turn]]``: one block a turn, with each side's whole orders (energy form and SOP), without a header."""

    orders: dict[str, str] = {}
    rebid: tuple[Rebid, ...] = ()


class Strike(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[strike]]``: damage from outside, scored together with the direct fire of its impulse.

    On a ``shield``, or from a ``direction`` of the map (A to F), which strikes the shield that faces it then. Drones
    need neither. ``turn`` is the number of the turn, 0 the first one played.
    """

    unit: str
    impulse: int
    points: int
    shield: int = 0
    direction: str = ""
    turn: int = 0


class Reject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[reject]]``: orders that are refused. ``line`` counts within the orders of the side, from 1; ``code`` is the
    fault's; ``rule`` is its rule or how that begins; all are compared where given, and one of the three must be.
    ``says`` must occur in the sentence.
    """

    line: int = 0
    code: str = ""
    rule: str = ""
    column: int = 0
    side: str = ""
    says: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The head of a case file and all that follows.

    ``rule`` is the rule number (``D4.21 cadet`` where the handbook uses a number twice); ``title`` says in one line
    what the case shows, ``source`` where that is written. ``gap`` numbers the unclear points whose reading it shows
    (docs/compliance.md), ``vector`` the worked examples it holds, one number or a list. ``level`` is ``cadet`` or
    ``standard``; ``options`` are options of a game (in cases there are no auto-breaks, and orders for a whole turn
    come in one); ``grid`` is ``even`` or ``odd``, after the columns that sit half a hex lower. ``impulses`` is 8, 16
    or 32; ``map`` the first and last hex; ``first_turn`` the number of the first turn played; ``stop`` the impulse of
    the last turn after which the case is over. ``chapters`` are parts of the handbook used beside those of the level
    (standard: all). ``damage`` is the damage procedure (``cadet dac``, ``scenario 2`` to ``scenario 4``).
    ``scenario`` takes the rules of a shipped scenario, which then says ``level``, ``impulses`` and ``map`` itself, and
    its units (from turn 1) where the case gives none; ``extra`` names its
    optional units; ``robot`` the sides a robot plays.
    """

    rule: str
    title: str
    source: str
    gap: int | tuple[int, ...] = ()
    vector: int | tuple[int, ...] = ()
    level: Literal["cadet", "standard"] = "cadet"
    options: dict[str, Any] = {}
    grid: Literal["even", "odd"] = "even"
    impulses: Literal[8, 16, 32] = 16
    map: tuple[str, str] = ("0101", "2817")
    first_turn: int = 1
    stop: int | None = None
    chapters: tuple[Chapter, ...] = ()
    damage: Literal["", "cadet dac", "scenario 2", "scenario 3", "scenario 4"] = ""
    scenario: str = ""
    extra: tuple[str, ...] = ()
    robot: tuple[str, ...] = ()
    unit: tuple[CaseUnit, ...] = ()
    turn: tuple[CaseTurn, ...] = ()
    strike: tuple[Strike, ...] = ()
    dice: dict[str, Any] = {}
    expect: tuple[dict[str, Any], ...] = ()
    absent: tuple[dict[str, Any], ...] = ()
    final: dict[str, dict[str, Any]] = {}
    reject: tuple[Reject, ...] = ()
    ask: tuple[dict[str, Any], ...] = ()

    @property
    def played(self) -> bool:
        """Whether the case is played, and not only asked."""
        return bool(self.unit or self.scenario)

    def reaches(self, turn: int, impulse: int) -> bool:
        """Whether play comes to an impulse of a turn (0 is energy allocation)."""
        end = self.impulses if self.stop is None or turn < self.turns[-1] else self.stop
        return turn in self.turns and 0 <= impulse <= end

    @property
    def turns(self) -> range:
        """The numbers of the turns that are played."""
        return range(self.first_turn, self.first_turn + max(1, len(self.turn)))


def read_case(path: Path) -> Case:
    """Read a case file. Raises :class:`GameError` with every error and its place in the file."""
    name = path.name
    try:
        raw = loads(toml_text(path, "utf-8-sig"))
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise GameError.saying("unreadable", f"the case file cannot be read: {why}", file=name) from error
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "the case file is not UTF-8 text", file=name) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"the case file is not valid TOML: {error}", file=name) from error
    case, wrong = _by_scenario(build(Case, raw, name), raw)
    wrong += _wrong(case)
    if wrong:
        raise GameError(*(Fault(code="bad-case", text=text.rstrip("."), file=name) for text in wrong))
    return case


BY_SCENARIO = ("level", "impulses", "map")
"""What a scenario says for a case that is played in it."""


def _by_scenario(case: Case, raw: Mapping[str, Any]) -> tuple[Case, list[str]]:
    """The case with what its scenario says, and where it says otherwise itself: that would be dropped in silence."""
    if not case.scenario:
        return case, []
    found = scenario(case.scenario)
    given = {key: list(value) if isinstance(value := getattr(found, key), tuple) else value for key in BY_SCENARIO}
    said = [
        f"{key}: {raw[key]!r} is not that of scenario #{found.number}, {given[key]!r}; leave it out."
        for key in BY_SCENARIO
        if key in raw and raw[key] != given[key]
    ]
    if case.first_turn != 1 and not case.unit:
        said.append("first_turn: the units of a scenario begin with its turn 1; give [[unit]] for another.")
    return msgspec.structs.replace(case, **{key: getattr(found, key) for key in BY_SCENARIO}), said


def _wrong(case: Case) -> list[str]:
    said = []
    for field in ("rule", "title", "source"):
        if not getattr(case, field).strip():
            said.append(f"{field}: is empty.")
    if not (case.expect or case.absent or case.final or case.reject or case.ask):
        said.append("the case asserts nothing; it needs expect, absent, final, reject or ask.")
    if not case.played and (case.expect or case.absent or case.final or case.reject or case.turn or case.strike):
        said.append("unit: nothing can be played without units; give [[unit]] or scenario.")
    if case.first_turn < 1:
        said.append(f"first_turn: {case.first_turn} is not 1 or more.")
    if case.stop is not None and not 1 <= case.stop <= case.impulses:
        said.append(f"stop: {case.stop} is no impulse of 1 to {case.impulses}.")
    said += _wrong_units(case)
    said += _wrong_orders(case)
    for name in ("expect", "absent"):
        for number, pattern in enumerate(getattr(case, name)):
            said += [f"{name}[{number}].{text}" for text in wrong_pattern(pattern)]
    for number, look_up in enumerate(case.ask):
        if "function" not in look_up or "answer" not in look_up:
            said.append(f"ask[{number}]: needs function and answer.")
    for number, refusal in enumerate(case.reject):
        if not (refusal.line or refusal.code or refusal.rule):
            said.append(f"reject[{number}]: needs line, code or rule.")
    said += _wrong_dice(case.dice)
    return said


def _wrong_units(case: Case) -> list[str]:
    said, names = [], set[str]()
    last = case.map[1]
    if max(last[:2], last[2:]) > FARTHEST:
        said.append(f"map: {last} is too far, {FARTHEST}{FARTHEST} at most.")
    for number, unit in enumerate(case.unit):
        place = f"unit[{number}]"
        said += _wrong_place(case, unit, place)
        if not unit.side and unit.ship not in TERRAIN:
            said.append(f"{place}.side: is missing.")
        if not unit.name and unit.ship != "asteroids":
            said.append(f"{place}.name: is missing.")
        if unit.side and unit.ship in TERRAIN:
            said.append(f"{place}.side: {unit.ship} are nobody's.")
        if unit.ship in SEEKERS and not unit.target:
            said.append(f"{place}.target: a {unit.ship.replace('plasma', 'plasma torpedo')} needs a target.")
        if unit.torpedo and unit.ship != "plasma":
            said.append(f"{place}.torpedo: only a unit of ship = 'plasma' is a torpedo.")
        if (unit.ship == "monster") != bool(unit.monster):
            said.append(
                f"{place}.monster: the key of a monster belongs to a unit of ship = 'monster', and it needs one."
            )
        if unit.name in names and unit.ship != "asteroids":
            said.append(f"{place}.name: there are two units {unit.name}.")
        names.add(unit.name)
    return said + _wrong_strikes(case)


def _wrong_strikes(case: Case) -> list[str]:
    said = []
    names = {unit.name for unit in case.unit}
    ships = {unit.name for unit in case.unit if unit.ship not in SMALL_UNITS}
    for number, strike in enumerate(case.strike):
        if case.unit and strike.unit not in names:
            said.append(f"strike[{number}].unit: {strike.unit!r} is none of the units.")
        if strike.direction and (strike.shield or strike.direction not in hexes.FACINGS):
            said.append(f"strike[{number}].direction: one of A to F, and no shield beside it.")
        if strike.points < 1 or not 0 <= strike.shield <= 6:
            said.append(f"strike[{number}]: points are 1 or more, shields 1 to 6.")
        if strike.turn and strike.turn not in case.turns:
            said.append(f"strike[{number}].turn: turn {strike.turn} is not played.")
        if not 1 <= strike.impulse <= case.impulses:
            said.append(f"strike[{number}].impulse: {strike.impulse} is not 1 to {case.impulses}.")
        elif strike.turn in (0, *case.turns) and not case.reaches(strike.turn or case.first_turn, strike.impulse):
            said.append(f"strike[{number}].impulse: the case stops after impulse {case.stop}, before {strike.impulse}.")
        if not (strike.shield or strike.direction) and strike.unit in ships:
            said.append(f"strike[{number}]: a ship is struck on a shield, or from a direction.")
    return said


def _wrong_place(case: Case, unit: CaseUnit, place: str) -> list[str]:
    """What is wrong with where a unit stands: ``at``, for terrain without a facing, or ``hexes``."""
    terrain = unit.ship in TERRAIN
    if unit.hexes and not terrain:
        return [f"{place}.hexes: only a planet or asteroids fill hexes."]
    said = []
    for hex in (*unit.hexes, *((unit.at[:4],) if unit.at or not unit.hexes else ())):
        if not (len(hex) == 4 and hex.isdecimal() and hex.isascii()):
            said.append(f"{place}.at: {hex!r} is no hex like 1616.")
        elif not hexes.on_map(hex, case.map):
            said.append(f"{place}.at: {hex} is not on the map {case.map[0]} to {case.map[1]}.")
    if terrain and len(unit.at) > 4:
        said.append(f"{place}.at: {unit.at!r} is no hex like 1616; {unit.ship} have no facing.")
    elif not terrain and (len(unit.at) != 5 or unit.at[4] not in hexes.FACINGS):
        return [f"{place}.at: {unit.at!r} is no hex and facing like 1616F."]
    return said


def _wrong_orders(case: Case) -> list[str]:
    said: list[str] = []
    if not case.unit:
        return said
    sides = {unit.side for unit in case.unit if unit.side}
    for number, turn in enumerate(case.turn):
        for side in (*turn.orders, *(rebid.side for rebid in turn.rebid)):
            if side not in sides:
                said.append(f"turn[{number}]: {side!r} has no units; sides are {', '.join(sorted(sides))}.")
            elif side in case.robot:
                said.append(f"turn[{number}]: {side} is played by the robot and takes no orders.")
    return said


def _wrong_dice(dice: dict[str, Any]) -> list[str]:
    said = []
    for key, value in dice.items():
        rolls = value if key == "rolls" and isinstance(value, list) else [value]
        if not all(isinstance(roll, int) and not isinstance(roll, bool) for roll in rolls):
            said.append(f"dice.{key}: rolls are whole numbers.")
    return said
