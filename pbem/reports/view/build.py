"""From records to a :class:`~pbem.reports.view.model.View`: what one side may see, sorted into the tables of a
report.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from pbem.data.files import files_read
from pbem.data.scenarios import Scenario
from pbem.engine import events as ev
from pbem.engine.log import apply, effective, fold
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.orders.header import answer_line
from pbem.reports.text import sentences
from pbem.reports.view import facts, model, tables
from pbem.reports.view.ending import ending
from pbem.reports.view.headline import headline
from pbem.reports.view.mission import Mission, mission_of
from pbem.reports.view.model import Proof
from pbem.reports.view.reader_log import Seen, changes, said_of, seen_by, since_last_sitrep, turn_shown
from pbem.reports.view.replay import Steps, bearings, frames
from pbem.reports.view.statistics import fortunes, lucks, tolls, volleys
from pbem.reports.view.tables import orders_told
from pbem.util import Same

replace = msgspec.structs.replace


def build_view(
    records: Iterable[ev.Record],
    side: str,
    *,
    turn: int | None = None,
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    replay: bool = True,
) -> model.View:
    """What ``side`` (a side of the game, ``"umpire"``, or ``""`` for spectators) sees after ``records``.

    With ``turn``, as it stood when that turn ended (or now, if it has not). Records taken back do not count. ``proof``
    is what the host reveals of the dice: it cannot be read from the log; nor can what ``scenario`` says the game is
    about. Without ``replay`` it has no frames, for who tells it in words alone.
    """
    # Page, form and mail of a side ask for the same, one after the other.
    found = _gathered(Same(*records), Same(scenario), side, turn, files_read(), replay).view
    return found if proof is None else replace(found, proof=_cleaned(proof))


def known_state(
    records: Iterable[ev.Record], side: str, *, scenario: Scenario | None = None, replay: bool = True
) -> State:
    """The state as ``side`` may know it after ``records``: the one its view of now is made from, for who asks for that
    view as well.
    """
    return _gathered(Same(*records), Same(scenario), side, None, files_read(), replay).state


class _Gathered(NamedTuple):
    view: model.View
    state: State


@lru_cache(maxsize=2)
def _effective(log: Same) -> Sequence[ev.Record]:
    return effective(log.things)


@lru_cache(maxsize=4)
def _gathered(log: Same, about: Same, side: str, turn: int | None, _files: object, replay: bool) -> _Gathered:
    scenario = about.things[0]
    seen = seen_by(_effective(log), side, turn)
    shown = turn_shown(seen)
    start = {s.event.unit.name: s.event.unit for s in seen if isinstance(s.event, ev.UnitPlaced)}
    earlier = [s for s in seen if s.event.turn < shown]
    later = [s for s in seen if s.event.turn >= shown]
    before, told, state, last, steps, shots = _gone_through(seen, earlier, later)
    plays = side in state.sides
    request = state.request
    moment = state.stands
    mine = {unit.name for unit in state.units.values() if unit.side and side in (unit.side, ev.UMPIRE)}
    fired = volleys((item.event for item in seen), state.units)
    result = model.View(
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
        outcome=tuple(model.Result(side=o.side, result=o.result, why=o.why) for o in state.outcome),
        since=since_last_sitrep(seen, start),
        units=_units(state, start, mine),
        bearings=bearings(state, mine),
        tracks=_tracks(later, before, state),
        shots=tuple(shots),
        said=tuple(said_of(item) for item in later),
        harm=_harm(later),
        ssds=_ssds(state, before, start, mine),
        energy=_energy(state, mine),
        orders=orders_told(later, before, state, side),
        choices=_choices(later),
        breaks=_breaks(later),
        holds=_holds(state),
        quarry=facts.quarry(state),
        asteroids=state.asteroids,
        replay=frames(steps.through(state), mine) if replay else (),
        tolls=tolls(seen, state, side, shown),
        lucks=lucks(volley for volley in fired if volley.turn >= shown),
        fortunes=fortunes(fired),
        taken_back=state.segment if any(isinstance(s.event, ev.Undone | ev.Reran | ev.DicePassed) for s in seen) else 0,
        mission=_mission(scenario, seen, state, side) if scenario else None,
        changes=changes(told, state, mine) if plays else (),
        headline=headline(told, state, mine, [s.event for s in seen if s.fresh]) if plays else None,
        house=_house_rules(seen),
        figures=_figures(seen),
        autobreaks=tuple((b.when, b.side) for b in state.options.autobreaks if _concerns(b.side, side)),
        ending=ending(seen) if state.over else msgspec.UNSET,
    )
    return _Gathered(_cleaned(result), last)


class _Course(NamedTuple):
    """The state as the turn shown began, as it stood when the reader was told last, as it stands behind that turn and
    behind all records; the turn's steps, and the shots of it.
    """

    before: State
    told: State
    state: State
    last: State
    steps: Steps
    shots: list[model.Shot]


def _gone_through(seen: Sequence[Seen], earlier: Sequence[Seen], later: Sequence[Seen]) -> _Course:
    """All records of earlier turns and those of the turn shown, folded once."""
    told: State | None = None  # news stand behind all else
    before = State()
    for item in earlier:
        if item.fresh and told is None:
            told = before
        before = apply(before, item.event)
    state, steps, shots = before, Steps(), list[model.Shot]()
    for item in later:
        if item.fresh and told is None:
            told = state
        steps.comes(item.event, state)
        state = apply(state, item.event)
        if isinstance(item.event, ev.Fired):
            _add_shot(shots, item.event, state)
    in_order = [*earlier, *later] == seen
    if not in_order and (told is None or any(s.fresh for s in earlier)):
        told = fold(s.event for s in seen if not s.fresh)  # an earlier turn was played again
    last = state if in_order else fold(s.event for s in seen)
    return _Course(before, state if told is None else told, state, last, steps, shots)


def build_whole(records: Iterable[ev.Record], side: str, *, scenario: Scenario | None = None) -> model.View:
    """What ``side`` sees after ``records``, with all turns in the tables that a view of one turn has of that turn: the
    replay, tracks, fire, damage and what was said.
    """
    records = list(records)
    now = build_view(records, side, scenario=scenario)
    seen = seen_by(effective(records), side, None)
    turns = [item.event.turn for item in seen if item.event.turn > 0]
    first = min(turns, default=0)
    played = [item for item in seen if item.event.turn >= first]
    before = fold(item.event for item in seen if item.event.turn < first)
    state, steps, shots = before, Steps(first), list[model.Shot]()
    for item in played:
        steps.comes(item.event, state)
        state = apply(state, item.event)
        if isinstance(item.event, ev.Fired):
            _add_shot(shots, item.event, state, turn=item.event.turn)
    mine = {unit.name for unit in state.units.values() if unit.side and side in (unit.side, ev.UMPIRE)}
    whole = replace(
        now,
        replay=frames(steps.through(state), mine),
        tracks=_tracks(played, before, state),
        shots=tuple(shots),
        said=tuple(said_of(item) for item in played),
        harm=_harm(played),
    )
    return _cleaned(whole)


def _players(state: State) -> tuple[model.Player, ...]:
    return tuple(
        model.Player(side=s.name, player=s.player, team=s.team, robot=s.robot, place=place)
        for place, s in enumerate(state.sides.values())
    )


def _holds(state: State) -> tuple[model.Hold, ...]:
    """Who holds whom by tractor beam."""
    return tuple(
        model.Hold(unit=link.ship, beam=link.beam, target=link.target, since=sentences.moment(link.since, state))
        for link in state.links
    )


def _units(state: State, start: Mapping[str, AnyUnit], mine: Collection[str]) -> tuple[model.Unit, ...]:
    """What is in play, and what became of ships and monsters that are not."""
    return tuple(
        tables.unit_now(unit, state, start.get(name), name in mine)
        for name, unit in sorted(state.units.items())
        if unit.in_play or isinstance(unit, Ship | Monster)
    )


def _ssds(state: State, before: State, start: Mapping[str, AnyUnit], mine: Collection[str]) -> tuple[model.Ssd, ...]:
    return tuple(
        tables.ssd(unit, start.get(name), before.units.get(name), state, name in mine)
        for name, unit in sorted(state.units.items())
        if isinstance(unit, Ship)
    )


def _energy(state: State, mine: Collection[str]) -> tuple[model.Energy, ...]:
    """What each ship of the reader's has for his next energy form."""
    return tuple(
        tables.energy(unit)
        for name, unit in sorted(state.units.items())
        if isinstance(unit, Ship) and unit.in_play and name in mine and not unit.robot and not unit.immobile
    )


def _choices(later: Iterable[Seen]) -> tuple[model.Choice, ...]:
    return tuple(
        replace(msgspec.convert(item.event, model.Choice, from_attributes=True), fresh=item.fresh)
        for item in later
        if isinstance(item.event, ev.Chose)
    )


def _breaks(later: Iterable[Seen]) -> tuple[model.Broken, ...]:
    return tuple(
        model.Broken(turn=e.turn, impulse=e.impulse, side=e.side, condition=e.condition, fresh=item.fresh)
        for item in later
        if isinstance(e := item.event, ev.Broke)
    )


def _mission(scenario: Scenario, seen: Sequence[Seen], state: State, side: str) -> Mission:
    played = any(isinstance(item.event, ev.SegmentBegan) for item in seen)
    return mission_of(scenario, state, side, fresh=not played)


def _house_rules(seen: Iterable[Seen]) -> tuple[model.HouseRule, ...]:
    """Options changed by ruling, each as it was changed last, and the rulings in words that stand."""
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


def _figures(seen: Iterable[Seen]) -> str | msgspec.UnsetType:
    """The figures of one's own that the game is played with, in words."""
    return next(
        (sentences.played_with(e.figures) for s in seen if isinstance(e := s.event, ev.GameStarted) and e.figures),
        msgspec.UNSET,
    )


def _concerns(whose: str, side: str) -> bool:
    return whose == "all" or side in (whose, ev.UMPIRE)


def _owed(request: Request, state: State, side: str) -> model.Owed:
    header = answer_line(state.game, side, request, gap="  ") if side in request.sides else ""
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
        mine=side in request.sides,
        header=header,
    )


def _tracks(later: Sequence[Seen], before: State, state: State) -> tuple[model.Track, ...]:
    """The turn's movement, unit by unit: ships and monsters first, then seeking weapons and shuttles, by name."""
    found: dict[str, list[model.Point]] = {}
    for name, unit in before.units.items():
        if unit.in_play and not isinstance(unit, Planet):
            found[name] = [model.Point(impulse=0, hex=unit.hex, facing=unit.facing)]
    for item in later:
        match item.event:
            case ev.Moved(unit=name, at=at, code=code, impulse=impulse):
                found.setdefault(name, []).append(model.Point(impulse=impulse, hex=at[:4], facing=at[4:], code=code))
            case ev.UnitPlaced(unit=unit) if unit.in_play and not isinstance(unit, Planet):
                found[unit.name] = [model.Point(impulse=0, hex=unit.hex, facing=unit.facing)]
            case ev.Launched(seeker=unit, impulse=impulse):
                found[unit.name] = [model.Point(impulse=impulse, hex=unit.hex, facing=unit.facing, code="launched")]
            case ev.ShuttleLaunched(shuttle=unit, impulse=impulse):
                found[unit.name] = [model.Point(impulse=impulse, hex=unit.hex, facing=unit.facing, code="launched")]
            case ev.Towed(unit=name, at=at, impulse=impulse):
                found.setdefault(name, []).append(model.Point(impulse=impulse, hex=at[:4], facing=at[4:], code="towed"))
            case ev.Adjusted(unit=name, at=at, impulse=impulse):
                found.setdefault(name, []).append(
                    model.Point(impulse=impulse, hex=at[:4], facing=at[4:], code="umpire")
                )
            case ev.Turned(unit=name, at=at, impulse=impulse):
                # A turn comes just before its move, which then takes its place; alone it is a tactical maneuver (C5.0).
                found.setdefault(name, []).append(
                    model.Point(impulse=impulse, hex=at[:4], facing=at[4:], code="turned")
                )
    tracks = []
    for name, points in found.items():
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


def _add_shot(
    shots: list[model.Shot], event: ev.Fired, state: State, turn: int | msgspec.UnsetType = msgspec.UNSET
) -> None:
    """Put a weapon to the others its ship fired at the same target in the same impulse; ``turn`` is wanted where shots
    are of several.
    """
    firer, target = state.units.get(event.unit), state.units.get(event.target)
    if firer is None or target is None:
        return
    for place, shot in enumerate(shots):
        if (shot.turn, shot.impulse, shot.unit, shot.target) == (turn, event.impulse, event.unit, event.target):
            shots[place] = replace(shot, weapons=(*shot.weapons, event.weapon), points=shot.points + event.points)
            return
    shots.append(
        model.Shot(
            impulse=event.impulse,
            step=event.step,
            unit=event.unit,
            target=event.target,
            side=firer.side,
            weapons=(event.weapon,),
            points=event.points,
            from_hex=firer.hex,
            to_hex=target.hex,
            turn=turn,
        )
    )


def _harm(later: Sequence[Seen]) -> tuple[model.Harm, ...]:
    """Each volley with where its points went; internals belong to the volley last scored on their ship."""
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


def plain(text: str) -> str:
    """Text on one line: control and direction characters, which could bend a report, become spaces or go."""
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


_Part = TypeVar("_Part", model.View, Proof)


def _cleaned(found: _Part) -> _Part:
    """A view, or the proof in it, whose every text is :func:`plain`, whatever names players chose: nearly always it is
    already.
    """
    # JSON writes whatever is no printable sign of ASCII as it is or behind a backslash.
    try:
        text = msgspec.json.encode(found)
    except UnicodeEncodeError:  # half a character in somebody's name
        text = b"\\"
    if text.translate(None, _PRINTABLE) or text.count(b"\\") != text.count(b'\\"'):
        return cast(_Part, _clean(found))
    return found


_PRINTABLE = bytes(range(0x20, 0x7F))


def _clean(value: Any) -> Any:
    """A view whose every text is :func:`plain`, whatever names players chose."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, tuple):
        return tuple(_clean(item) for item in value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: _clean(getattr(value, name)) for name in value.__struct_fields__})
    return value
