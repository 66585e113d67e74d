"""Pack a report about a rule that was played wrongly (``pbem report-bug``).

The report contains a rule case and the record of the game. For a finished game, it contains everything that the
game's archive contains. For a running game, it contains only what one side has seen. It never contains names,
addresses, game tokens, the host's dice secret, or orders that were not played.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from pbem import __version__
from pbem.data.scenarios import scenario
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.log import apply, encode_records
from pbem.engine.options import Options
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.state_paths import NUMBERS, TEXTS, NoPath, moment_text, put_drone, put_other, put_ship, read_path
from pbem.engine.steps.energy import prior_speed
from pbem.errors import GameError
from pbem.games.answers import CONTINUE
from pbem.games.proof.archive import contents, packed
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import by_computer, names, players, tenures
from pbem.lab.rule_cases.format import Case, CaseTurn, CaseUnit, Rebid
from pbem.lab.rule_cases.play import UnplayableCase, dice_for, place, play
from pbem.reports.html.public import name_of, seen_records, without_addresses
from pbem.reports.text import sentences
from pbem.rules.weapons import family

LEFT_OUT = "(left out)"
"""Text that replaces a player's name in what people wrote, such as the reason of a ruling."""

SHORT = 2
"""Length of words of a name that are not removed by themselves."""

UNKNOWN_RULE = "unknown"
"""The rule of a case where the person who reports did not say which one was played wrongly."""

_README = """A rule was played wrongly: a report made by `pbem report-bug`, pbem {version}.

{game}, scenario #{scenario}, turn {turn}: {reader}.

case.toml     turn {turn} as a rule case; `pbem case case.toml` plays it{remark}
events.txt    what happened, in sentences
{record}

Say at the top of case.toml which rule it is and what it says, and correct the line below [final.…] that is wrong.

Not in this report: names and addresses of players, game tokens, the host's dice secret, orders that were not played.
"""


class BugReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report about a rule that was played wrongly.

    Attributes:
        data: The bytes of the zip file.
        files: The names of the files in it.
        turn: The turn that the rule case shows.
        side: The side whose knowledge the report holds; empty for all of a finished game.
        whole: Whether the rule case can be played with all orders for that turn that the reader knows.
    """

    data: bytes
    files: tuple[str, ...]
    turn: int
    side: str
    whole: bool


def bug_report(game: GameFolder, *, side: str = "", turn: int = 0, rule: str = "") -> BugReport:
    """Pack a report for a turn of a game, by default the last one that was played, and return it.

    Args:
        game: The game.
        side: The side that reports. A running game needs one; a finished game is shown whole without one.
        turn: The turn in which the rule was played wrongly.
        rule: The number of the rule, if it is known.

    Raises:
        GameError: The game is not over and no side is named, or the turn was not played.
    """
    over = game.state().over
    if not over and not side:
        wrong = "the game goes on, so a report holds only what one side may see: say which with --side"
        raise GameError.saying("game-goes-on", wrong, file=str(game.path))
    records = shown_records(game, side or ev.UMPIRE)
    played = sorted({r.event.turn for r in records if isinstance(r.event, ev.SegmentBegan)})
    turn = turn or (played[-1] if played else 1)
    if played and turn not in played:
        text = f"turn {turn} was not played; turns {played[0]} to {played[-1]} were"
        raise GameError.saying("no-such-turn", text, file=str(game.path))
    case, plays = case_text(game, records, turn, rule=rule)
    files = {
        "case.toml": case.encode(),
        "events.txt": "".join(f"{line}\n" for line in _sentences(records)).encode(),
    }
    archive = None if side else _archive(game)
    if archive is None:
        files["events.jsonl"] = encode_records(records)
        record = "events.jsonl  the same as data (`pbem help cases`)"
    else:
        name = f"{game.terms.name}.pbem.zip"
        files[name] = archive
        record = f"{name}   the archive of the game; `pbem verify` replays it"
    reader = f"what {side} has seen" if side else "the whole game"
    remark = "" if plays else " (without some orders; it says which)"
    readme = _README.format(
        version=__version__, game=game.terms.name, scenario=game.terms.scenario, turn=turn, reader=reader,
        record=record, remark=remark,
    )  # fmt: skip
    files = {"README.txt": readme.encode(), **files}
    return BugReport(data=packed(files), files=tuple(files), turn=turn, side=side, whole=plays)


def _archive(game: GameFolder) -> bytes | None:
    """Return the archive of a finished game without players' names; ``None`` if no archive can be made.

    For example, no archive can be made of a game that was played under other rules.
    """
    try:
        return packed(contents(game, _nameless(game)))
    except GameError:
        return None


def shown_records(game: GameFolder, side: str) -> list[Record]:
    """Return the log as one side may see it, without names and addresses of players and seals of orders."""
    shown = _nameless(game)
    found = []
    for record in without_addresses(seen_records(game.effective(), side), _entries(game)):
        event = shown(record).event
        if isinstance(event, ev.OrdersFiled):
            event = replace(event, sealed="")
        found.append(replace(record, event=event))
    return found


def _entries(game: GameFolder) -> list[str]:
    """Return all texts that name a person of the game, including former players."""
    changes = [who for one in tenures(game.path) for who in (one.before, one.player)]
    known = names(game.path)
    seats = (seat.player for seat in game.terms.sides.values())
    return [*seats, *players(game.path, game.terms).values(), *changes, *known, *known.values()]


def _nameless(game: GameFolder) -> Callable[[Record], Record]:
    """Return a function that removes the players' names and addresses from a log record.

    Names are in the first record, and may be in texts that the umpire wrote. In these texts, single words of names are
    removed as well.
    """
    entries = _entries(game)
    people = {name_of(who) for who in entries if not by_computer(who)}
    people |= {word for name in people for word in name.split() if len(word) > SHORT}
    words = sorted(filter(None, people), key=lambda name: (-len(name), name))
    pattern = re.compile(rf"(?i)(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)") if words else None

    def shown(record: Record) -> Record:
        event = record.event
        if isinstance(event, ev.GameStarted):
            sides = tuple(replace(one, player=one.player if by_computer(one.player) else "") for one in event.sides)
            return replace(record, event=replace(event, sides=sides))
        if not isinstance(event, ev.ACTS):
            return record
        record = without_addresses([record], entries)[0]
        event = record.event
        texts = {
            field: pattern.sub(LEFT_OUT, value) if pattern else value
            for field in ("reason", "why", "text")
            if isinstance(value := getattr(event, field, None), str)
        }
        return replace(record, event=replace(event, **texts))

    return shown


def _sentences(records: Sequence[Record]) -> Iterator[str]:
    moment = (-1, -1)
    for record in records:
        event = record.event
        if text := sentences.sentence(event):
            if (event.turn, event.impulse) != moment:
                moment = (event.turn, event.impulse)
                yield f"Turn {event.turn}, impulse {event.impulse}"
            rolls = "; ".join(f"{label}: {die}" for label, die, _ in sentences.dice(event))
            yield f"  {text}{f' [{rolls}]' if rolls else ''}"


_DEFAULTS: dict[str, Any] = {
    **msgspec.to_builtins(Options()), "autobreaks": [], "reveal": "none", "period": "turn",
}  # fmt: skip
"""The options of a rule case that does not name them."""

# --- the rule case ---------------------------------------------------------------------------------------------------


def case_text(game: GameFolder, records: Sequence[Record], turn: int, *, rule: str = "") -> tuple[str, bool]:
    """Return a turn of a game as the text of a rule case, and whether the case can be played.

    ``records`` is the log as the reader sees it. The case expects the result that the program computes, so it passes.
    It cannot be played with its orders if the reader does not know all orders.
    """
    start, inside = _turn_of(records, turn)
    case, notes = _situation(game, start, inside, turn, rule)
    dice = {label: die for record in inside for label, die, _ in sentences.dice(record.event)}
    for one, note in _attempts(case):
        if (found := _with_expectation(replace(one, dice=dice))) is not None:
            plays = not note
            return _written(found, [*notes, *([note] if note else [])], [] if plays else case.turn), plays
    notes.append("The program cannot set this turn up; correct what is missing.")
    return _written(replace(case, final={unit.name: {"at": unit.at} for unit in case.unit[:1]}), notes, ()), False


def _turn_of(records: Sequence[Record], turn: int) -> tuple[State, list[Record]]:
    """Return the state at the first request for orders of a turn, and the log records from there on.

    Records of later turns are left out.
    """
    state, inside = State(), list[Record]()
    for record in records:
        event = record.event
        if inside and event.turn > turn:
            break
        if inside:
            inside.append(record)
            continue
        state = apply(state, event)
        if isinstance(event, ev.Requested) and event.request.turn == turn:
            inside.append(record)
    return state, inside


def _situation(
    game: GameFolder, start: State, inside: Sequence[Record], turn: int, rule: str
) -> tuple[Case, list[str]]:
    """Return the rule case of a turn without expectations, and remarks on what a case cannot hold.

    ``start`` is the state at the start of the turn, and ``inside`` are the log records of the turn.
    """
    setting = game.scenario()
    options = msgspec.to_builtins(start.options)
    case = Case(
        rule=rule or UNKNOWN_RULE,
        title=f"turn {turn} of a game of scenario #{setting.number}",
        source="a game that was played",
        options={key: value for key, value in options.items() if value != _DEFAULTS[key]},
        grid=start.grid,  # type: ignore[arg-type]
        first_turn=turn,
        robot=tuple(sorted(name for name, side in start.sides.items() if side.robot)),
        **_frame(setting, start),
    )
    last = start
    for record in inside[1:]:
        last = apply(last, record.event)
    notes: list[str] = []
    units = []
    silent = set(start.sides) - {r.event.side for r in inside if isinstance(r.event, ev.OrdersFiled) and r.event.text}
    for unit in start.units.values():
        if unit.in_play and (found := _unit(unit, start, case, notes)) is not None:
            flown = last.units[unit.name].speed if unit.side in silent and isinstance(unit, Ship) else 0
            units.append(replace(found, state={**found.state, "speed": flown}) if flown else found)
    if start.asteroids:
        units.append(CaseUnit(ship="asteroids", hexes=start.asteroids))
    case = replace(case, unit=tuple(units))
    return replace(case, turn=(_turn(inside),)), notes


def _frame(setting: Any, start: State) -> dict[str, Any]:
    """Return the fields of a rule case that a scenario determines, such as level, impulses and map.

    For a shipped scenario, the fields include its number; for the players' own scenario, the other fields replace
    the number.
    """
    try:
        if scenario(setting.number) == setting:
            return {
                "scenario": setting.number, "level": setting.level, "impulses": setting.impulses, "map": setting.map,
            }  # fmt: skip
    except GameError:
        pass
    own = {"level": start.level, "impulses": start.impulses, "map": start.map, "chapters": setting.chapters}
    return {**own, "damage": setting.damage if setting.damage != "standard dac" else ""}


def _turn(inside: Sequence[Record]) -> CaseTurn:
    """Return the orders of a turn that the reader knows: the first of each side, and those after breaks."""
    orders: dict[str, str] = {}
    rebids: list[Rebid] = []
    stopped = ""
    for record in inside:
        event = record.event
        if isinstance(event, ev.Stopped):
            stopped = f"{event.impulse}.{event.step}"
        elif isinstance(event, ev.OrdersFiled) and event.text and event.text != CONTINUE and not event.continued:
            text = _without_header(event.text)
            if event.side in orders and stopped:
                rebids.append(Rebid(side=event.side, at=stopped, orders=text))
            else:
                orders[event.side] = orders.get(event.side, "") + text
    return CaseTurn(orders=orders, rebid=tuple(rebids))


def _without_header(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("GAME ") and line.strip() != "END"]
    return "\n".join(lines).strip("\n") + "\n"


def _unit(unit: AnyUnit, state: State, case: Case, notes: list[str]) -> CaseUnit | None:
    """Return a unit of the game as a unit of a rule case.

    Return ``None``, and add a remark to ``notes``, if a case cannot hold the unit.
    """
    common: dict[str, Any] = {"side": unit.side, "name": unit.name, "at": unit.at}
    match unit:
        case Ship():
            made = CaseUnit(
                ship=unit.ship, prior_speed=prior_speed(state, unit), immobile=unit.terms.immobile,
                untouchable=unit.terms.untouchable, **common,
            )  # fmt: skip
        case Seeker():
            kind = "plasma" if unit.torpedo else "drone"
            launched = moment_text(unit.launched, state.impulses) if unit.launched > 0 else ""
            made = CaseUnit(
                ship=kind, target=unit.target, launcher=unit.launcher, launched=launched, torpedo=unit.torpedo, **common
            )
        case Shuttle():
            made = CaseUnit(
                ship="shuttle", target=unit.target, launcher=unit.launcher, letter=unit.letter,
                prior_speed=unit.prior_speed, launched=moment_text(unit.launched, state.impulses), **common,
            )  # fmt: skip
        case Monster():
            made = CaseUnit(ship="monster", monster=unit.monster, target=unit.goal, **common)
        case Planet():
            made = CaseUnit(ship="planet", name=unit.name, hexes=unit.hexes or (unit.hex,), crew=unit.crew)
    try:
        fresh = place(made, state, case)
    except (NoPath, GameError, ValueError) as error:
        notes.append(f"Left out: {unit.name} ({error}).")
        return None
    return replace(made, state=_differences(unit, fresh, state, notes))


def _differences(unit: AnyUnit, fresh: AnyUnit, state: State, notes: list[str]) -> dict[str, Any]:
    """Return the state values in which a unit differs from a new unit, by state path of a rule case.

    Differences that a rule case cannot set are left out, with a remark in ``notes``.
    """
    found: dict[str, Any] = {}
    for path in _paths(unit):
        wanted = _value(state, unit, path)
        if wanted is None or wanted == _value(state, fresh, path):
            continue
        if path.startswith("holds "):
            found[path] = wanted
            continue
        try:
            changed = _put(fresh, path, wanted, state.impulses)
        except NoPath:
            changed = fresh
        if _value(state, changed, path) == wanted:
            fresh, found[path] = changed, wanted
        else:
            notes.append(f"Not set, because a case cannot: {path} of {unit.name} is {wanted!r}.")
    return found


def _paths(unit: AnyUnit) -> Iterable[str]:
    if isinstance(unit, Ship):
        letters = sorted({*unit.hangar, *unit.power.bombs})
        return (
            *(f"shield {number}" for number in range(1, 7)), *unit.boxes, *unit.weapons,
            *(f"fired {name}" for name in unit.weapons), "batteries", "capacitor", "since turn", "since slip",
            "parties", *(f"boarders {side}" for side in unit.people.boarders), "taken", "passengers", "captured from",
            "mutiny", "cloak", "hangar", "bay used", *(f"suicide {letter}" for letter in letters),
            *(f"probe {letter}" for letter in unit.power.probes), *(f"lowered {which}" for which in unit.lowered),
            *(f"holds {letter}" for letter in "ABCDEF"),
        )  # fmt: skip
    if isinstance(unit, Seeker):
        return ("damage", "since turn", "travelled", "warhead", "came from", "endurance")
    return [path for path in (*NUMBERS, *TEXTS, "fired") if path not in ("prior speed", "target")]


def _value(state: State, unit: AnyUnit, path: str) -> Any:
    """Return the value of a state path as a rule case would set it; ``None`` if the unit has no such path."""
    weapon = unit.weapons.get(path) if isinstance(unit, Ship) else None
    counts = weapon is not None and weapon.working and family(weapon.kind).ammunition
    counts = counts or path.startswith("probe ")
    try:
        value = read_path(state, unit, path, 0 if counts else None)
    except NoPath:
        return None
    if path == "hangar":
        return "".join(value)
    return float(value) if path == "capacitor" else value


def _put(unit: AnyUnit, path: str, value: Any, impulses: int) -> AnyUnit:
    if isinstance(unit, Ship):
        return put_ship(unit, path, value, impulses)
    return (
        put_drone(unit, path, value, impulses) if isinstance(unit, Seeker) else put_other(unit, path, value, impulses)
    )


def _attempts(case: Case) -> Iterator[tuple[Case, str]]:
    """Yield variants of a rule case with fewer and fewer orders, each with a remark on what is left out.

    Fewer orders may be needed because breaks of one side may not happen without the unknown orders of the other sides.
    """
    yield case, ""
    turn = case.turn[0]
    for count in range(len(turn.rebid) - 1, -1, -1):
        fewer = replace(turn, rebid=turn.rebid[:count])
        yield replace(case, turn=(fewer,)), "Left out: later orders, for breaks that do not happen here (see below)."
    yield replace(case, turn=(CaseTurn(),)), "Left out: all orders (see below); they are refused here."


def _with_expectation(case: Case) -> Case | None:
    """Return the case with the dice that it rolls and its result; ``None`` if it cannot be played."""
    dice = dice_for(case, exact=False)
    try:
        played = play(case, dice)
    except (UnplayableCase, LookupError, GameError, ValueError):
        return None
    if played.refused is not None:
        return None
    ships = [unit for _, unit in sorted(played.state.units.items()) if isinstance(unit, Ship)]
    final = {ship.name: _end_of(ship) for ship in ships}
    used = {label: die for label, die in case.dice.items() if label in dice.used}
    return replace(case, dice=used, final=final)


def _end_of(ship: Ship) -> dict[str, Any]:
    if not ship.in_play:
        return {"gone": str(ship.gone)}
    return {"at": ship.at, **{f"shield {number}": left for number, left in enumerate(ship.shields, start=1)}}


# --- as text ---------------------------------------------------------------------------------------------------------


def _written(case: Case, notes: Sequence[str], left_out: Sequence[CaseTurn]) -> str:
    """Return the text of a case file; ``left_out`` are orders that are written only as comments."""
    head = ["# A turn of a game, made by `pbem report-bug`. `pbem help cases` describes this file."]
    head += [f"# {' '.join(note.split())}" for note in notes]
    if case.rule == UNKNOWN_RULE:
        head.append("# Put the number of the rule here, like E1.2:")
    keys = ("rule", "title", "source", "options", "grid", "first_turn", "robot", *_frame_keys(case))
    head += [f"{key} = {_value_text(value)}" for key in keys if (value := getattr(case, key)) not in ("", (), {})]
    blocks = ["\n".join(head)]
    for unit in case.unit:
        fields = {key: value for key, value in asdict(unit).items() if value not in ("", 0, (), {})}
        blocks.append("\n".join(["[[unit]]", *(f"{key} = {_value_text(value)}" for key, value in fields.items())]))
    for turn in case.turn:
        blocks.append("\n".join(_turn_lines(turn)))
    for turn in left_out:
        blocks.append("\n".join(f"# {line}" for part in _turn_lines(turn) for line in part.splitlines()))
    if case.dice:
        blocks.append(
            "\n".join(["[dice]", *(f"{json.dumps(k, ensure_ascii=False)} = {v}" for k, v in case.dice.items())])
        )
    blocks.append("# What the program makes of it. Where the rule says otherwise, write here what the rule says.")
    for name, values in case.final.items():
        lines = [f"{json.dumps(path)} = {_value_text(value)}" for path, value in values.items()]
        blocks.append("\n".join([f"[final.{json.dumps(name, ensure_ascii=False)}]", *lines]))
    return "\n\n".join(blocks) + "\n"


def _frame_keys(case: Case) -> tuple[str, ...]:
    return ("scenario",) if case.scenario else ("level", "impulses", "map", "chapters", "damage")


def _turn_lines(turn: CaseTurn) -> list[str]:
    lines = ["[[turn]]", *(f"orders.{_value_text(side)} = {_long_text(text)}" for side, text in turn.orders.items())]
    for rebid in turn.rebid:
        at = _value_text(rebid.at)
        lines += [
            "",
            "[[turn.rebid]]",
            f"side = {_value_text(rebid.side)}",
            f"at = {at}",
            f"orders = {_long_text(rebid.orders)}",
        ]
    return lines


def _long_text(text: str) -> str:
    return f"'''\n{text}'''" if "'''" not in text else json.dumps(text, ensure_ascii=False)


def _value_text(value: Any) -> str:
    """Return a value in TOML notation."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value_text(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value_text, value)) + "]"
    return json.dumps(str(value) if isinstance(value, str) else value, ensure_ascii=False)
