"""Build a :class:`~pbem.reports.view.model.ReportView` from log records.

The view holds what one reader may see, sorted into the tables of a report. :func:`build_view` covers the last turn
played, :func:`build_whole` covers all turns, and :func:`build_replay` builds the view for the game page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from pbem.data.charts import weapon_kinds
from pbem.data.files import files_read
from pbem.data.scenarios import Scenario
from pbem.engine import events as ev
from pbem.engine.log import apply, effective, fold
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.orders.header import answer_line
from pbem.reports.text import sentences
from pbem.reports.view import facts, model, tables
from pbem.reports.view.display_changes import ShipInFrame, display_changes, ships_in_frames
from pbem.reports.view.ending import ending
from pbem.reports.view.headline import headline
from pbem.reports.view.mission import Mission, mission_of
from pbem.reports.view.model import Proof
from pbem.reports.view.reader_log import VisibleEvent, changes, event_sentence, seen_by, since_last_sitrep, turn_shown
from pbem.reports.view.replay import Steps, bearings, frames
from pbem.reports.view.statistics import fortunes, lucks, tolls, volleys
from pbem.reports.view.tables import orders_told
from pbem.util import IdentityKey

replace = msgspec.structs.replace


def build_view(
    records: Iterable[ev.Record],
    side: str,
    *,
    turn: int | None = None,
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    replay: bool = True,
) -> model.ReportView:
    """Return a view of the game, with tables of one turn, as ``side`` may see it after ``records``.

    Records that were taken back do not count. Recent results are cached, because the page, the order form and the
    email of a side need the same view.

    Args:
        records: The event log.
        side: A side of the game, ``"umpire"``, or ``""`` for spectators.
        turn: The turn to show. The view covers the play up to the end of that turn, or up to now if the turn has not
            ended.
        proof: The values that the host discloses to prove the dice; the log does not contain them.
        scenario: The scenario, for the part about the mission; the log does not contain the scenario.
        replay: Whether to build the replay frames; text output does not need them.
    """
    # The page, the form and the email of a side need the same view, so it is cached.
    found = _gathered(IdentityKey(*records), IdentityKey(scenario), side, turn, files_read(), replay).view
    return found if proof is None else replace(found, proof=_cleaned(proof))


def known_state(
    records: Iterable[ev.Record], side: str, *, scenario: Scenario | None = None, replay: bool = True
) -> State:
    """Return the game state as ``side`` knows it after ``records``.

    It is the present state in that side's view. The function shares its cache with :func:`build_view`.
    """
    return _gathered(IdentityKey(*records), IdentityKey(scenario), side, None, files_read(), replay).state


class _Gathered(NamedTuple):
    view: model.ReportView
    state: State
    ships: tuple[ShipInFrame, ...]


@lru_cache(maxsize=2)
def _effective(log: IdentityKey) -> Sequence[ev.Record]:
    return effective(log.things)


def _reader_units(state: State, side: str) -> set[str]:
    """Return the names of the units that a reader commands; for the umpire, the units of all sides."""
    return {unit.name for unit in state.units.values() if unit.side and (side == ev.UMPIRE or unit.belongs_to(side))}


@lru_cache(maxsize=4)
def _gathered(
    log: IdentityKey, about: IdentityKey, side: str, turn: int | None, _files: object, replay: bool
) -> _Gathered:
    scenario = about.things[0]
    seen = seen_by(_effective(log), side, turn)
    shown = turn_shown(seen)
    start = {s.event.unit.name: s.event.placed for s in seen if isinstance(s.event, ev.UnitPlaced)}
    earlier = [s for s in seen if s.event.turn < shown]
    later = [s for s in seen if s.event.turn >= shown]
    before, told, state, last, steps, shots = _collected(seen, earlier, later)
    plays = side in state.sides
    request = state.request
    moment = state.stands
    mine = _reader_units(state, side)
    fired = volleys((item.event for item in seen), state.units)
    through = steps.through(state) if replay else []
    result = model.ReportView(
        game=state.game,
        scenario=state.scenario,
        level=state.level,
        impulses=state.impulses,
        map=state.map,
        grid=state.grid,
        side=side,
        turn=moment[0],
        impulse=moment[1],
        shown=shown,
        records=seen[-1].n if seen else 0,
        players=_players(state),
        owed=_owed(request, state, side) if request else None,
        over=state.over,
        outcome=_outcome(state),
        since=since_last_sitrep(seen, start),
        units=_units(state, start, mine),
        bearings=bearings(state, mine),
        tracks=_tracks(later, before, state),
        shots=tuple(shots),
        said=tuple(event_sentence(item) for item in later),
        harm=_harm(later),
        ssds=_ssds(state, before, start, mine),
        energy=_energy(state, mine),
        orders=orders_told(later, before, state, side),
        choices=_choices(later),
        breaks=_breaks(later),
        holds=_holds(state),
        quarry=facts.quarry(state),
        asteroids=state.asteroids,
        replay=frames(through, mine),
        tolls=tolls(seen, state, side, shown),
        lucks=lucks(volley for volley in fired if volley.turn >= shown),
        fortunes=fortunes(fired),
        taken_back=_segments_if_taken_back(seen, state),
        mission=_mission(scenario, seen, state, side) if scenario else None,
        changes=changes(told, state, mine) if plays else (),
        headline=headline(told, state, mine, [s.event for s in seen if s.fresh]) if plays else None,
        house=_house_rules(seen),
        figures=_figures(seen),
        autobreaks=_autobreaks(state, side),
        ending=ending(seen) if state.over else msgspec.UNSET,
    )
    return _Gathered(_cleaned(result), last, ships_in_frames(after for _, after in through))


def _outcome(state: State) -> tuple[model.SideResult, ...]:
    """Return the result of each side; empty while the game is not over."""
    return tuple(model.SideResult(side=o.side, result=o.result, why=o.why) for o in state.outcome)


def _segments_if_taken_back(seen: Iterable[VisibleEvent], state: State) -> int:
    """Return the number of segments played if any play was taken back or dice were skipped, else 0."""
    return state.segment if any(isinstance(s.event, ev.Undone | ev.Reran | ev.DicePassed) for s in seen) else 0


def _autobreaks(state: State, side: str) -> tuple[tuple[str, str], ...]:
    """Return the game's automatic breaks that concern a reader, as pairs (condition, side)."""
    return tuple((b.when, b.side) for b in state.options.autobreaks if _concerns(b.side, side))


class _Course(NamedTuple):
    """The data for a view that are collected in one pass through the log.

    ``before`` is the state at the start of the turn shown, and ``state`` the state after that turn. ``told`` is the
    state at the reader's last sitrep, and ``last`` the state after all records. ``steps`` are the replay steps of
    the turn shown, and ``shots`` its shots.
    """

    before: State
    told: State
    state: State
    last: State
    steps: Steps
    shots: list[model.ShotGroup]


def _collected(seen: Sequence[VisibleEvent], earlier: Sequence[VisibleEvent], later: Sequence[VisibleEvent]) -> _Course:
    """Go through the records once, and return the states, steps and shots that a view needs."""
    told: State | None = None  # the state before the first event that is news
    before = State()
    for item in earlier:
        if item.fresh and told is None:
            told = before
        before = apply(before, item.event)
    state, steps, shots = before, Steps(), list[model.ShotGroup]()
    for item in later:
        if item.fresh and told is None:
            told = state
        steps.comes(item.event, state)
        state = apply(state, item.event)
        if isinstance(item.event, ev.Fired):
            _add_shot(shots, item.event, state)
    in_order = [*earlier, *later] == seen
    if not in_order and (told is None or any(s.fresh for s in earlier)):
        told = fold(s.event for s in seen if not s.fresh)  # news began in an earlier turn, which was played again
    last = state if in_order else fold(s.event for s in seen)
    return _Course(before, state if told is None else told, state, last, steps, shots)


def build_whole(records: Iterable[ev.Record], side: str, *, scenario: Scenario | None = None) -> model.ReportView:
    """Return a view of the game as ``side`` may see it after ``records``, with tables of all turns played.

    These tables are the replay, tracks, fire, damage and sentences.
    """
    return _whole(list(records), side, scenario)[0]


def build_replay(
    records: Iterable[ev.Record], side: str, *, scenario: Scenario | None = None, whole: bool = False
) -> tuple[model.ReportView, tuple[model.DisplayChange, ...]]:
    """Return the view for ``side``'s game page, and the ship-display changes in each replay frame.

    The replay covers the last turn played. With ``whole``, and for a finished game, it covers all turns.
    """
    records = tuple(records)
    view = build_view(records, side, scenario=scenario)
    gathered = _gathered(IdentityKey(*records), IdentityKey(scenario), side, None, files_read(), True)
    ships = gathered.ships
    if whole or view.over:
        view, ships = _whole(records, side, scenario)
    changes = display_changes(ships, gathered.state, _reader_units(gathered.state, side))
    return view, tuple(_cleaned(change) for change in changes)


def _whole(
    records: Sequence[ev.Record], side: str, scenario: Scenario | None
) -> tuple[model.ReportView, tuple[ShipInFrame, ...]]:
    """Return a view of all turns played, and the ships whose displays changed in each frame of its replay."""
    now = build_view(records, side, scenario=scenario)
    seen = seen_by(effective(records), side, None)
    turns = [item.event.turn for item in seen if item.event.turn > 0]
    first = min(turns, default=0)
    played = [item for item in seen if item.event.turn >= first]
    before = fold(item.event for item in seen if item.event.turn < first)
    state, steps, shots = before, Steps(first), list[model.ShotGroup]()
    for item in played:
        steps.comes(item.event, state)
        state = apply(state, item.event)
        if isinstance(item.event, ev.Fired):
            _add_shot(shots, item.event, state, turn=item.event.turn)
    mine = _reader_units(state, side)
    through = steps.through(state)
    whole = replace(
        now,
        replay=frames(through, mine),
        tracks=_tracks(played, before, state),
        shots=tuple(shots),
        said=tuple(event_sentence(item) for item in played),
        harm=_harm(played),
    )
    return _cleaned(whole), ships_in_frames(after for _, after in through)


def _players(state: State) -> tuple[model.SidePlayer, ...]:
    return tuple(
        model.SidePlayer(side=s.name, player=s.player, team=s.team, robot=s.robot, place=place)
        for place, s in enumerate(state.sides.values())
    )


def _holds(state: State) -> tuple[model.TractorHold, ...]:
    """Return all tractor links in the state, for the report."""
    return tuple(
        model.TractorHold(unit=link.ship, beam=link.beam, target=link.target, since=sentences.moment(link.since, state))
        for link in state.links
    )


def _units(state: State, start: Mapping[str, AnyUnit], mine: Collection[str]) -> tuple[model.UnitStatus, ...]:
    """Return the units in play, and the ships and monsters that left play, for the report."""
    return tuple(
        tables.unit_now(unit, state, start.get(name), name in mine)
        for name, unit in sorted(state.units.items())
        if unit.in_play or isinstance(unit, Ship | Monster)
    )


def _ssds(
    state: State, before: State, start: Mapping[str, AnyUnit], mine: Collection[str]
) -> tuple[model.ShipDisplay, ...]:
    return tuple(
        tables.ssd(unit, start.get(name), before.units.get(name), state, name in mine)
        for name, unit in sorted(state.units.items())
        if isinstance(unit, Ship)
    )


def _energy(state: State, mine: Collection[str]) -> tuple[model.Energy, ...]:
    """Return the energy of each of the reader's ships that has an energy form."""
    return tuple(
        tables.energy(unit)
        for name, unit in sorted(state.units.items())
        if isinstance(unit, Ship) and unit.in_play and name in mine and not unit.terms.robot and not unit.terms.immobile
    )


def _choices(later: Iterable[VisibleEvent]) -> tuple[model.EngineChoice, ...]:
    return tuple(
        replace(msgspec.convert(item.event, model.EngineChoice, from_attributes=True), fresh=item.fresh)
        for item in later
        if isinstance(item.event, ev.Chose)
    )


def _breaks(later: Iterable[VisibleEvent]) -> tuple[model.Broken, ...]:
    return tuple(
        model.Broken(turn=e.turn, impulse=e.impulse, side=e.side, condition=e.condition, fresh=item.fresh)
        for item in later
        if isinstance(e := item.event, ev.Broke)
    )


def _mission(scenario: Scenario, seen: Sequence[VisibleEvent], state: State, side: str) -> Mission:
    played = any(isinstance(item.event, ev.SegmentBegan) for item in seen)
    return mission_of(scenario, state, side, fresh=not played)


def _house_rules(seen: Iterable[VisibleEvent]) -> tuple[model.HouseRule, ...]:
    """Return the umpire's rules in force, followed by the latest change of each option."""
    options: dict[str, model.HouseRule] = {}
    rules: dict[int, model.HouseRule] = {}
    for item in seen:
        event = item.event
        since = f"{event.turn}.{event.impulse}"
        if isinstance(event, ev.OptionsRuled):
            for key, value in event.changed.items():
                options[key] = model.HouseRule(number=0, text=f"{key} = {value}", since=since)
        elif isinstance(event, ev.HouseRuled) and event.withdrawn:
            rules.pop(event.number, None)
        elif isinstance(event, ev.HouseRuled):
            rules[event.number] = model.HouseRule(
                number=event.number, text=event.text, since=since, private=item.private
            )
    return (*(rules[number] for number in sorted(rules)), *(options[key] for key in sorted(options)))


def _figures(seen: Iterable[VisibleEvent]) -> str | msgspec.UnsetType:
    """Return a sentence that says which data files the game replaced by its own; unset if none."""
    return next(
        (sentences.played_with(e.figures) for s in seen if isinstance(e := s.event, ev.GameStarted) and e.figures),
        msgspec.UNSET,
    )


def _concerns(whose: str, side: str) -> bool:
    return whose == "all" or side in (whose, ev.UMPIRE)


def _owed(request: Request, state: State, side: str) -> model.Owed:
    header = answer_line(state.game, side, request, gap="  ") if request.asks(side) else ""
    return model.Owed(
        number=request.number,
        turn=request.turn,
        impulse=request.impulse,
        through=request.through,
        form=request.form,
        wants=sentences.FORMS.get(request.form, request.form),
        stretch=sentences.stretch(request),
        sides=tuple(sorted(request.sides)),
        reason=sentences.asked_because(request.reason),
        mine=request.asks(side),
        header=header,
    )


def _tracks(later: Sequence[VisibleEvent], before: State, state: State) -> tuple[model.Track, ...]:
    """Return the tracks of all units in the turn: ships and monsters first, then small units.

    Within both groups, the tracks are sorted by name. Small units are seeking weapons and shuttles.
    """
    tracks = []
    for name, points in _points_passed(later, before).items():
        known = state.units.get(name)
        if known is not None:
            kept = [
                point
                for point, after in zip(points, [*points[1:], None], strict=True)
                if not (point.code == "turned" and after is not None and after.impulse == point.impulse)
            ]
            small = isinstance(known, Seeker | Shuttle)
            kind = type(known).__name__.lower()
            tracks.append(model.Track(unit=name, side=known.side, seeker=small, points=tuple(kept), kind=kind))
    return tuple(sorted(tracks, key=lambda track: (track.seeker, track.unit)))


_POINT_CODES = {ev.Towed: "towed", ev.Adjusted: "umpire", ev.Turned: "turned"}
"""Codes for track points made by events other than a move, by event type.

A turn on the spot comes just before the move of the same impulse, and the move then replaces it. A turn without a
move is a tactical maneuver (C5.0).
"""


def _points_passed(later: Sequence[VisibleEvent], before: State) -> dict[str, list[model.Point]]:
    """Return the track points of each unit in the turn, including points where it turned without moving."""
    found: dict[str, list[model.Point]] = {}
    for name, unit in before.units.items():
        if unit.in_play and not isinstance(unit, Planet):
            found[name] = [_start(unit, 0)]
    for item in later:
        match item.event:
            case ev.Moved(unit=name, at=at, code=code, impulse=impulse):
                found.setdefault(name, []).append(model.Point(impulse=impulse, hex=at[:4], facing=at[4:], code=code))
            case ev.UnitPlaced(placed=unit) if unit.in_play and not isinstance(unit, Planet):
                found[unit.name] = [_start(unit, 0)]
            case ev.Launched(seeker=unit, impulse=impulse) | ev.ShuttleLaunched(shuttle=unit, impulse=impulse):
                found[unit.name] = [_start(unit, impulse, "launched")]
            case ev.Towed() | ev.Adjusted() | ev.Turned() as event:
                hex, facing, code = event.at[:4], event.at[4:], _POINT_CODES[type(event)]
                point = model.Point(impulse=event.impulse, hex=hex, facing=facing, code=code)
                found.setdefault(event.unit, []).append(point)
    return found


def _start(unit: AnyUnit, impulse: int, code: str = "") -> model.Point:
    """Return a unit's first track point: at the start of the turn, or at its appearance in ``impulse``."""
    return model.Point(impulse=impulse, hex=unit.hex, facing=unit.facing, code=code)


def _add_shot(
    shots: list[model.ShotGroup], event: ev.Fired, state: State, turn: int | msgspec.UnsetType = msgspec.UNSET
) -> None:
    """Add a fired weapon to the shot group of the same ship, target and impulse.

    ``turn`` is given only if the shots cover several turns.
    """
    firer, target = state.units.get(event.unit), state.units.get(event.target)
    if firer is None or target is None:
        return
    for place, shot in enumerate(shots):
        if (shot.turn, shot.impulse, shot.unit, shot.target) == (turn, event.impulse, event.unit, event.target):
            weapons, arms = (*shot.weapons, event.weapon), shot.arms + _arm(event)
            shots[place] = replace(shot, weapons=weapons, arms=arms, points=shot.points + event.points)
            return
    shots.append(
        model.ShotGroup(
            impulse=event.impulse,
            step=event.step,
            unit=event.unit,
            target=event.target,
            side=firer.side,
            weapons=(event.weapon,),
            arms=_arm(event),
            points=event.points,
            from_hex=firer.hex,
            to_hex=target.hex,
            turn=turn,
        )
    )


def _arm(event: ev.Fired) -> str:
    """Return the letter of a weapon that fired, for :class:`~pbem.reports.view.model.ShotGroup`."""
    kind = weapon_kinds().get(event.kind)
    letter = kind.beam if kind is not None else "o"
    return letter.upper() if event.hit else letter


def _harm(later: Sequence[VisibleEvent]) -> tuple[model.Harm, ...]:
    """Return, for each volley, how its damage points were divided.

    An internal hit is added to the latest volley on the same ship.
    """
    found: list[model.Harm] = []
    coming: dict[tuple[str, int], ev.Volley] = {}
    for item in later:
        match item.event:
            case ev.Volley() as volley:
                coming[volley.unit, volley.shield] = volley
            case ev.Damaged() as damaged:
                volley_of = coming.pop((damaged.unit, damaged.shield), None)
                taken = damaged.general + damaged.specific + damaged.boxes + damaged.internals
                found.append(
                    model.Harm(
                        turn=damaged.turn,
                        impulse=damaged.impulse,
                        unit=damaged.unit,
                        shield=damaged.shield,
                        points=volley_of.points if volley_of else taken,
                        sources=volley_of.sources if volley_of else (),
                        reinforcement=damaged.general + damaged.specific,
                        boxes=damaged.boxes,
                        internals=damaged.internals,
                        left=damaged.left,
                        rule=sentences.rule_of(damaged),
                        fresh=item.fresh,
                    )
                )
            case ev.InternalHit(unit=unit, box=box):
                for place in reversed(range(len(found))):
                    if found[place].unit == unit:
                        found[place] = replace(found[place], scored=(*found[place].scored, box))
                        break
    return tuple(found)


def clean_text(text: str) -> str:
    """Return text on one line, without characters that could distort a report.

    Line breaks and control characters become spaces. Invisible characters, such as those that set the writing
    direction, are removed.
    """
    if text.isprintable() and text.isascii():
        return text
    kept = []
    for char in text:
        category = unicodedata.category(char)
        if category in ("Cc", "Zl", "Zp"):
            kept.append(" ")
        elif category not in ("Cf", "Cs", "Co", "Cn"):
            kept.append(char)
    return "".join(kept)


_Part = TypeVar("_Part", model.ReportView, Proof, model.DisplayChange)


def _cleaned(found: _Part) -> _Part:
    """Return a view, or the dice proof of a view, with every text in it cleaned by :func:`clean_text`.

    Usually nothing needs cleaning, and the same object is returned.
    """
    # In JSON, characters other than printable ASCII appear unchanged or after a backslash.
    try:
        text = msgspec.json.encode(found)
    except UnicodeEncodeError:  # a lone surrogate in a text
        text = b"\\"
    if text.translate(None, _PRINTABLE) or text.count(b"\\") != text.count(b'\\"'):
        return cast(_Part, _clean(found))
    return found


_PRINTABLE = bytes(range(0x20, 0x7F))


def _clean(value: Any) -> Any:
    """Return a value with every text inside it cleaned by :func:`clean_text`."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, tuple):
        return tuple(_clean(item) for item in value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: _clean(getattr(value, name)) for name in value.__struct_fields__})
    return value
