"""The format of rule case files: read and check them, and compare events with what a case expects.

Every error names its place in the file. Events are compared as plain tables with every field written out.
docs/cases.md describes the keys of a case; it is generated from the docstrings of the structs here.
"""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from pbem.data.files import NotToml, build, toml_text
from pbem.data.scenarios import FARTHEST, Chapter, scenario
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.state_paths import loads
from pbem.errors import Fault, GameError
from pbem.rules import hexes

PROSE = ("reason", "why", "meaning", "condition", "order", "text", "failed")
"""Event fields that contain sentences.

For such a field, a case gives words that must occur in it, in any letter case.
"""

SECRECY = ("event", "only", "shown")
"""Keys about secrecy that an expected event may have in addition to its own fields."""


@cache
def event_types() -> dict[str, type[ev.Event]]:
    """Return all event types, keyed by the name that the log uses."""
    found = {str(kind.__struct_config__.tag): kind for kind in typing.get_args(ev.AnyEvent)}
    return dict(sorted(found.items()))


def field_names(event: str) -> tuple[str, ...]:
    """Return the names of all fields of an event type; turn, impulse and step come first."""
    return event_types()[event].__struct_encode_fields__


def written_out(value: Any) -> Any:
    """Return a value as plain data as in the log, but with all fields that have their default value."""
    if isinstance(value, msgspec.Struct):
        named = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        table = {written: written_out(getattr(value, name)) for written, name in named}
        config = value.__struct_config__
        return {config.tag_field: config.tag, **table} if config.tag_field else table
    if isinstance(value, Mapping):
        return {key: written_out(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [written_out(item) for item in value]
    return value


def event_table(record: Record) -> dict[str, Any]:
    """Return the event of a log record as a table that can be compared with an expected event.

    The key ``only`` is the one side that may know the event (empty: all sides). The key ``shown`` is what the other
    sides see of the event.
    """
    table: dict[str, Any] = written_out(record.event)
    return {**table, "only": record.only, "shown": written_out(record.shown)}


def wrong_pattern(pattern: Mapping[str, Any]) -> list[str]:
    """Return errors for an expected event that can never occur, such as an unknown event type or field.

    Without this check, an ``[[absent]]`` (an event that must not happen) with a misspelled word would always pass.
    """
    event = pattern.get("event")
    known = event_types()
    if event is None:
        fields = {name for kind in known for name in field_names(kind)} | {*SECRECY}
        errors = ["event: is missing; say which event."] if set(pattern) <= {"turn", "impulse", "step"} else []
        return errors + [
            f"{key}: is not a field of any event{_near(key, fields)}." for key in pattern if key not in fields
        ]
    if event not in known:
        return [f"event: there is no event {event!r}{_near(str(event), known)}."]
    fields = {*field_names(event), *SECRECY}
    return [f"{key}: {event} has no such field{_near(key, fields)}." for key in pattern if key not in fields]


def _near(word: str, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def matches(wanted: Any, found: Any, field: str = "") -> bool:
    """Return whether ``found`` is what a case expects.

    Tables need to agree only in the keys that the case gives; lists must agree completely.
    """
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and matches(item, found[key], key) for key, item in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(wanted) == len(found)
            and all(matches(w, f) for w, f in zip(wanted, found, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    if field in PROSE and isinstance(wanted, str) and isinstance(found, str) and wanted:
        return wanted.casefold() in found.casefold()
    return bool(wanted == found)


def unmet(expected: Sequence[Mapping[str, Any]], happened: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each expected event that did not happen in the given order.

    After each such line come lines with the most similar events that did happen.
    """
    lines: list[str] = []
    start = 0
    for number, wanted in enumerate(expected, start=1):
        place = next((n for n in range(start, len(happened)) if matches(wanted, happened[n])), None)
        if place is not None:
            start = place + 1
            continue
        earlier = next((n for n in range(start) if matches(wanted, happened[n])), None)
        late = "" if earlier is None else " (it happened, but before the expectation above it was met)"
        lines.append(f"expected {number}, did not happen{late}: {_line(wanted)}")
        lines += [f"    instead: {line}" for line in _nearest(wanted, happened)]
    return lines


def unwanted(absent: Sequence[Mapping[str, Any]], happened: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each event that happened although the case forbids it."""
    return [
        f"must not happen: {_line(wanted)}\n    but did: {_line(event)}"
        for wanted in absent
        for event in happened
        if matches(wanted, event)
    ]


def _nearest(wanted: Mapping[str, Any], happened: Sequence[dict[str, Any]]) -> Iterator[str]:
    def agreeing(event: dict[str, Any]) -> int:
        same = sum(1 for key, item in wanted.items() if key in event and matches(item, event[key], key))
        return same + (3 if event["event"] == wanted.get("event") else 0)

    scores = sorted(((agreeing(event), -number) for number, event in enumerate(happened)), reverse=True)
    for score, negative in scores[:4]:
        if score > 0:
            yield _line(happened[-negative])


def _line(table: Mapping[str, Any]) -> str:
    """Return an event as one line of text; empty values are left out, and long values are cut off."""
    shown = []
    for key, value in table.items():
        if value in ("", None, [], {}) and value is not False:
            continue
        text = str(value)
        shown.append(f"{key}={text if len(text) <= 90 else text[:87] + '...'}")
    return " ".join(shown)


SMALL_UNITS = ("drone", "plasma", "shuttle", "monster", "planet", "asteroids")
"""Values of the key ``ship`` of a unit that is not a ship, such as ``drone``."""

TERRAIN = ("planet", "asteroids")
"""Values of the key ``ship`` for units that have neither side nor facing."""

SEEKERS = ("drone", "plasma")
"""Values of the key ``ship`` for units that fly at a target."""

Value = int | float | str | bool
"""Type of a single value that a state path or an event field can be compared with.

Lists and tables are allowed in addition.
"""


class CaseUnit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[unit]]``: a unit at the start of the case.

    ``ship`` is the key of a ship, or ``drone``, ``plasma``, ``shuttle``, ``monster``, ``planet``, ``asteroids``.
    ``at`` is hex and facing, ``1616F``.

    ``prior_speed`` is the speed of the turn before (B3.0, line 14). ``state`` sets state paths that differ from an
    undamaged ship. ``immobile`` ships never move or fire; ``untouchable`` ships cannot be fired at. ``target``,
    ``launcher`` and ``launched`` are for drones, plasma torpedoes and shuttles. ``launched`` is ``"turn.impulse"``;
    the default is the end of the turn before the case begins. A torpedo has the type of its launcher's first tube,
    else S; ``torpedo`` sets another (``R``). A shuttle with a ``target`` is a suicide shuttle. Its ``bomb`` is in
    ``state``, and its ``letter`` is the box it left. ``monster`` is a key in the chart of monsters
    (``planet_killer``), and its ``target`` is the planet it attacks. A planet or asteroids are in the hex ``at`` (no
    facing), or fill ``hexes``. They have no ``side``, asteroids have no ``name`` either, and ``crew`` units may wait
    on a planet.
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
    """``[[turn.rebid]]``: new orders of a side after a break, i.e. when play stopped within the turn.

    ``at`` is the impulse after whose step play stopped, or ``"impulse.step"``. If no rebid fits a break, the side
    answers CONTINUE.
    """

    side: str
    at: int | str
    orders: str


class CaseTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[turn]]``: one block for each turn, with the complete orders of each side.

    The orders are energy form and SOP (movement and activities) together, without a header.
    """

    orders: dict[str, str] = {}
    rebid: tuple[Rebid, ...] = ()


class Strike(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[strike]]``: damage that no unit causes, scored together with the direct fire of its impulse.

    It strikes a ``shield``, or comes from a ``direction`` of the map (A to F) and strikes the shield that then faces
    that direction. Strikes at drones need neither. ``turn`` is the number of the turn; 0 is the first turn that is
    played.
    """

    unit: str
    impulse: int
    points: int
    shield: int = 0
    direction: str = ""
    turn: int = 0


class Reject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[reject]]``: a fault for which the orders of a side must be refused.

    ``line`` is the line within the orders of the side, counted from 1. ``code`` is the code of the fault. ``rule``
    is the number of its rule, or the beginning of that number. A case gives at least one of these three, and all
    that it gives must agree. ``says`` must occur in the sentence that explains the fault.
    """

    line: int = 0
    code: str = ""
    rule: str = ""
    column: int = 0
    side: str = ""
    says: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The head of a rule case file, together with everything that follows it.

    ``rule`` is the rule number (``D4.21 cadet`` where the handbook uses a number twice). ``title`` says in one line
    what the case shows, and ``source`` says where that is written. ``gap`` has the numbers of the unclear points in
    the rules whose interpretation the case shows (docs/compliance.md). ``vector`` has the numbers of the worked
    examples it contains. Both are one number or a list. ``level`` is ``cadet`` or ``standard``. ``options`` are
    options of a game. By default cases have no auto-breaks, and orders for a whole turn are given together.
    ``grid`` is ``even`` or ``odd``, after the columns that lie half a hex lower. ``impulses`` is 8, 16 or 32.
    ``map`` has the first and last hex. ``first_turn`` is the number of the first turn played. ``stop`` is the
    impulse of the last turn after which the case ends. ``chapters`` are parts of the handbook used besides those of
    the level (standard: all). ``damage`` is the damage procedure (``cadet dac``, ``scenario 2`` to ``scenario 4``).
    ``scenario`` takes the rules of a shipped scenario, which then sets ``level``, ``impulses`` and ``map``. The
    scenario's units (from turn 1) are used if the case gives none. ``extra`` names optional units of the scenario.
    ``robot`` names the sides that a robot plays.
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
        """Whether the case plays turns; otherwise it only looks up rules."""
        return bool(self.unit or self.scenario)

    def reaches(self, turn: int, impulse: int) -> bool:
        """Return whether the case plays this impulse of this turn; impulse 0 is energy allocation."""
        end = self.impulses if self.stop is None or turn < self.turns[-1] else self.stop
        return turn in self.turns and 0 <= impulse <= end

    @property
    def turns(self) -> range:
        """The numbers of the turns that are played."""
        return range(self.first_turn, self.first_turn + max(1, len(self.turn)))


def read_case(path: Path) -> Case:
    """Read a case file.

    Raises:
        GameError: The file cannot be read or has errors. The exception lists every error with its place in the file.
    """
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
"""Keys of a case that its scenario sets, if it has one."""


def _by_scenario(case: Case, raw: Mapping[str, Any]) -> tuple[Case, list[str]]:
    """Return the case with the values of its scenario, and errors where the case sets other values.

    Without these errors, the values in the case would be ignored silently. ``raw`` is the case as it is in the file.
    """
    if not case.scenario:
        return case, []
    found = scenario(case.scenario)
    given = {key: list(value) if isinstance(value := getattr(found, key), tuple) else value for key in BY_SCENARIO}
    errors = [
        f"{key}: {raw[key]!r} is not that of scenario #{found.number}, {given[key]!r}; leave it out."
        for key in BY_SCENARIO
        if key in raw and raw[key] != given[key]
    ]
    if case.first_turn != 1 and not case.unit:
        errors.append("first_turn: the units of a scenario begin with its turn 1; give [[unit]] for another.")
    return msgspec.structs.replace(case, **{key: getattr(found, key) for key in BY_SCENARIO}), errors


def _wrong(case: Case) -> list[str]:
    """Return a sentence for each error in a case."""
    errors = [f"{field}: is empty." for field in ("rule", "title", "source") if not getattr(case, field).strip()]
    if not (case.expect or case.absent or case.final or case.reject or case.ask):
        errors.append("the case asserts nothing; it needs expect, absent, final, reject or ask.")
    if not case.played and (case.expect or case.absent or case.final or case.reject or case.turn or case.strike):
        errors.append("unit: nothing can be played without units; give [[unit]] or scenario.")
    if case.first_turn < 1:
        errors.append(f"first_turn: {case.first_turn} is not 1 or more.")
    if case.stop is not None and not 1 <= case.stop <= case.impulses:
        errors.append(f"stop: {case.stop} is not an impulse from 1 to {case.impulses}.")
    return [*errors, *_wrong_units(case), *_wrong_orders(case), *_wrong_assertions(case), *_wrong_dice(case.dice)]


def _wrong_assertions(case: Case) -> list[str]:
    """Return errors in a case's assertions: expected events, look-ups of rules, and refusals of orders."""
    errors = []
    for name in ("expect", "absent"):
        for number, pattern in enumerate(getattr(case, name)):
            errors += [f"{name}[{number}].{text}" for text in wrong_pattern(pattern)]
    for number, look_up in enumerate(case.ask):
        if "function" not in look_up or "answer" not in look_up:
            errors.append(f"ask[{number}]: needs function and answer.")
    for number, refusal in enumerate(case.reject):
        if not (refusal.line or refusal.code or refusal.rule):
            errors.append(f"reject[{number}]: needs line, code or rule.")
    return errors


def _wrong_units(case: Case) -> list[str]:
    errors, names = [], set[str]()
    last = case.map[1]
    if max(last[:2], last[2:]) > FARTHEST:
        errors.append(f"map: {last} is too far, {FARTHEST}{FARTHEST} at most.")
    for number, unit in enumerate(case.unit):
        place = f"unit[{number}]"
        errors += [*_wrong_place(case, unit, place), *_wrong_unit(unit, place)]
        if unit.name in names and unit.ship != "asteroids":
            errors.append(f"{place}.name: there are two units {unit.name}.")
        names.add(unit.name)
    return errors + [
        error for number, strike in enumerate(case.strike) for error in _wrong_strike(case, number, strike)
    ]


def _wrong_unit(unit: CaseUnit, place: str) -> Iterator[str]:
    """Yield errors in a unit, except in its position; ``place`` is its place in the file, for messages."""
    if not unit.side and unit.ship not in TERRAIN:
        yield f"{place}.side: is missing."
    if not unit.name and unit.ship != "asteroids":
        yield f"{place}.name: is missing."
    if unit.side and unit.ship in TERRAIN:
        yield f"{place}.side: {unit.ship} are nobody's."
    if unit.ship in SEEKERS and not unit.target:
        yield f"{place}.target: a {unit.ship.replace('plasma', 'plasma torpedo')} needs a target."
    if unit.torpedo and unit.ship != "plasma":
        yield f"{place}.torpedo: only a unit of ship = 'plasma' is a torpedo."
    if (unit.ship == "monster") != bool(unit.monster):
        yield f"{place}.monster: the key of a monster belongs to a unit of ship = 'monster', and it needs one."


def _wrong_strike(case: Case, number: int, strike: Strike) -> Iterator[str]:
    """Yield errors in the strike with this number, counted from 0."""
    place = f"strike[{number}]"
    kinds = [unit.ship for unit in case.unit if unit.name == strike.unit]
    if case.unit and not kinds:
        yield f"{place}.unit: {strike.unit!r} must be one of the units."
    if strike.direction and (strike.shield or strike.direction not in hexes.FACINGS):
        yield f"{place}.direction: one of A to F, and no shield beside it."
    if strike.points < 1 or not 0 <= strike.shield <= 6:
        yield f"{place}: points are 1 or more, shields 1 to 6."
    yield from _wrong_moment(case, place, strike)
    if not (strike.shield or strike.direction) and {*kinds} - {*SMALL_UNITS}:
        yield f"{place}: a ship is struck on a shield, or from a direction."


def _wrong_moment(case: Case, place: str, strike: Strike) -> Iterator[str]:
    """Yield errors in the turn and impulse of a strike; ``place`` is its place in the file, for messages."""
    if strike.turn and strike.turn not in case.turns:
        yield f"{place}.turn: turn {strike.turn} is not played."
    if not 1 <= strike.impulse <= case.impulses:
        yield f"{place}.impulse: {strike.impulse} is not 1 to {case.impulses}."
    elif strike.turn in (0, *case.turns) and not case.reaches(strike.turn or case.first_turn, strike.impulse):
        yield f"{place}.impulse: the case stops after impulse {case.stop}, before {strike.impulse}."


def _wrong_place(case: Case, unit: CaseUnit, place: str) -> list[str]:
    """Return errors in the position of a unit: in ``at`` (terrain has no facing) or in ``hexes``.

    ``place`` is the place of the unit in the file, for messages.
    """
    terrain = unit.ship in TERRAIN
    if unit.hexes and not terrain:
        return [f"{place}.hexes: only a planet or asteroids fill hexes."]
    errors = []
    for hex in (*unit.hexes, *((unit.at[:4],) if unit.at or not unit.hexes else ())):
        if not (len(hex) == 4 and hex.isdecimal() and hex.isascii()):
            errors.append(f"{place}.at: {hex!r} is not a hex like 1616.")
        elif not hexes.on_map(hex, case.map):
            errors.append(f"{place}.at: {hex} is not on the map {case.map[0]} to {case.map[1]}.")
    if terrain and len(unit.at) > 4:
        errors.append(f"{place}.at: {unit.at!r} is not a hex like 1616; {unit.ship} have no facing.")
    elif not terrain and (len(unit.at) != 5 or unit.at[4] not in hexes.FACINGS):
        return [f"{place}.at: {unit.at!r} is not a hex and facing like 1616F."]
    return errors


def _wrong_orders(case: Case) -> list[str]:
    errors: list[str] = []
    if not case.unit:
        return errors
    sides = {unit.side for unit in case.unit if unit.side}
    for number, turn in enumerate(case.turn):
        for side in (*turn.orders, *(rebid.side for rebid in turn.rebid)):
            if side not in sides:
                errors.append(f"turn[{number}]: {side!r} has no units; sides are {', '.join(sorted(sides))}.")
            elif side in case.robot:
                errors.append(f"turn[{number}]: {side} is played by the robot and takes no orders.")
    return errors


def _wrong_dice(dice: dict[str, Any]) -> list[str]:
    errors = []
    for key, value in dice.items():
        rolls = value if key == "rolls" and isinstance(value, list) else [value]
        if not all(isinstance(roll, int) and not isinstance(roll, bool) for roll in rolls):
            errors.append(f"dice.{key}: rolls are whole numbers.")
    return errors
