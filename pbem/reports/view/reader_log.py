"""The event log as one reader sees it.

This module selects the events that the reader may see, marks those that are news, and turns them into sentences. It
also sums up what happened since the last sitrep and what changed on each ship.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pbem.data.ships import weapon_place
from pbem.engine import events as ev
from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.reports.text import sentences
from pbem.reports.view import model
from pbem.reports.view.model import Changed, Fact
from pbem.rules.hexes import distance
from pbem.rules.shields import faced_shields
from pbem.util import several

MANY = 4
"""Number of seeking weapons after one ship above which only the nearest are named."""


def changes(before: State, now: State, mine: Collection[str]) -> tuple[Changed, ...]:
    """Return the changes on each ship between two states.

    The reader's ships (``mine``) come first and are listed even if nothing changed. Other ships are listed only if
    something changed.
    """
    found = []
    for name, ship in sorted(now.units.items(), key=lambda item: (item[0] not in mine, item[0])):
        old = before.units.get(name)
        if not isinstance(ship, Ship) or (old is not None and old.gone):
            continue
        facts = tuple(_of(ship, old, now.units, now.grid))
        if facts or (name in mine and not ship.terms.immobile):
            found.append(Changed(unit=name, side=ship.side, mine=name in mine, facts=facts))
    return tuple(found)


def _of(ship: Ship, old: AnyUnit | None, units: Mapping[str, AnyUnit], grid: str) -> Iterator[Fact]:
    if ship.gone:
        yield Fact(what="out of play", words=ship.gone)
    if isinstance(old, Ship):
        if not ship.belongs_to(old.side):
            yield Fact(what="captured", words=f"by {ship.side}", rule="D7.0")
        for number, (was, left) in enumerate(zip(old.shields, ship.shields, strict=False), 1):
            if left < was:
                rest = f"{left} left" if left else "down"
                yield Fact(what=f"shield #{number}", words=f"{several(was - left, 'box', 'boxes')} lost, {rest}")
            elif left > was:
                yield Fact(what=f"shield #{number}", words=f"{several(left - was, 'box', 'boxes')} mended")
        lost = [
            box if was - ship.boxes.get(box, 0) == 1 else f"{was - ship.boxes.get(box, 0)} {box}"
            for box, was in sorted(old.boxes.items())
            if was > ship.boxes.get(box, 0)
        ]
        lost += [
            name
            for name, weapon in sorted(ship.weapons.items(), key=lambda item: weapon_place(item[0]))
            if not weapon.working and name in old.weapons and old.weapons[name].working
        ]
        if lost:
            yield Fact(what="lost inside", words=sentences.listed(lost), rule="D4.22")
    if not ship.gone:
        yield from _after_it(ship, units, grid)


def _after_it(ship: Ship, units: Mapping[str, AnyUnit], grid: str) -> Iterator[Fact]:
    """Yield a fact for each seeking weapon that is known to target a ship, the nearest first."""
    after = [
        (distance(unit.hex, ship.hex, grid), unit.name, unit.hex)
        for unit in units.values()
        if isinstance(unit, Seeker) and unit.in_play and unit.target == ship.name
    ]
    for range_, name, at in sorted(after)[:MANY]:
        facing = faced_shields(ship.hex, ship.facing, at, grid) if range_ else ()
        where = f", toward {sentences.listed([f'#{number}' for number in facing])}" if facing else ""
        yield Fact(what=f"{name} is after it", words=f"range {range_}{where}")
    if len(after) > MANY:
        yield Fact(what="and", words=several(len(after) - MANY, "more seeking weapon"))


class VisibleEvent(msgspec.Struct, frozen=True):
    """One event of the log as its reader sees it.

    ``n`` is its number, ``private`` the only side that may know it (empty: all may), and ``fresh`` whether it is
    news to the reader.
    """

    n: int
    event: ev.AnyEvent
    private: str
    fresh: bool


def seen_by(records: Sequence[ev.Record], side: str, turn: int | None) -> list[VisibleEvent]:
    """Return all events that a reader may see, up to the end of ``turn``.

    Each event is in the version for this reader.

    Without ``turn``, all events up to now are returned. Events after the reader's last sitrep are marked as news;
    that sitrep came with the request before the present request. Spectators get no sitreps, so all events of the
    turn shown are news to them.
    """
    seen: list[VisibleEvent] = []
    for record in records:
        event = ev.seen_by(record, side)
        if event is not None and (turn is None or event.turn <= turn):
            # Only the plot of a move and the energy of a shot are secret, and no sentence mentions them.
            told_all = isinstance(event, ev.Moved | ev.Fired)
            private = record.only if event is record.event and not told_all else ""
            # Gaps in the numbers would reveal how many events are hidden.
            number = record.n if side == ev.UMPIRE else len(seen) + 1
            seen.append(VisibleEvent(number, event, private, False))
    if not side:
        # A spectator gets no sitreps, so the whole turn shown is news.
        shown = turn_shown(seen)
        return [msgspec.structs.replace(item, fresh=item.event.turn >= shown) for item in seen]
    asked = [place for place, item in enumerate(seen) if isinstance(item.event, ev.Requested)]
    if asked and not any(sentences.words_for(item.event).place != "log" for item in seen[asked[-1] :]):
        asked.pop()
    news_from = min(_news_after_acts(seen, asked[-1] + 1 if asked else 0), _repeated_from(seen))
    return [*seen[:news_from], *(VisibleEvent(item.n, item.event, item.private, True) for item in seen[news_from:])]


def _news_after_acts(seen: Sequence[VisibleEvent], start: int) -> int:
    """Return the index of the first event that is news, at or after ``start``.

    If the umpire acted before the request was answered, a separate sitrep reported that action, so only later play
    is news. A record that dice were skipped counts as play.
    """
    plays = ev.SegmentBegan | ev.DicePassed
    began = next((place for place in range(start, len(seen)) if isinstance(seen[place].event, plays)), start)
    return began if any(isinstance(item.event, ev.ACTS) for item in seen[start:began]) else start


def _repeated_from(seen: Sequence[VisibleEvent]) -> int:
    """Return the index of the first event of the umpire's last rerun; all repeated play is news.

    If there was no rerun, or if anything was played after the repeated part, the result is the number of events: the
    rerun adds no news.
    """
    for place in reversed(range(len(seen))):
        event = seen[place].event
        if isinstance(event, ev.Reran):
            played = [item.event.segment for item in seen[place:] if isinstance(item.event, ev.SegmentBegan)]
            return place if all(segment <= event.through for segment in played) else len(seen)
    return len(seen)


def turn_shown(seen: Sequence[VisibleEvent]) -> int:
    """Return the number of the last turn in which anything happened; the tables of a report describe it."""
    return max((s.event.turn for s in seen if sentences.words_for(s.event).place != "log"), default=0) or max(
        (s.event.turn for s in seen), default=0
    )


def event_sentence(item: VisibleEvent) -> model.EventSentence:
    """Return an event as one sentence of a report, with the data that reports need to place it."""
    event = item.event
    rule = sentences.rule_of(event)
    dice = tuple(
        model.Die(label=label, die=die, meaning=meaning, rule=rule, turn=event.turn, impulse=event.impulse)
        for label, die, meaning in sentences.dice(event)
    )
    return model.EventSentence(
        n=item.n,
        turn=event.turn,
        impulse=event.impulse,
        step=event.step,
        kind=_kind(event),
        place=sentences.words_for(event).place,
        text=sentences.sentence(event),
        rule=rule,
        units=sentences.units_in(event),
        fresh=item.fresh,
        private=item.private,
        die=dice[0] if dice else None,
        more_dice=dice[1:],
    )


def _kind(event: ev.AnyEvent) -> str:
    tag = type(event).__struct_config__.tag
    return str(tag)


NEWS = (
    ev.Broke, ev.SpeedAnnounced, ev.Launched, ev.Impact, ev.Damaged, ev.Destroyed, ev.Removed, ev.Marked, ev.Repaired,
    ev.Conceded, ev.GameEnded, *ev.ACTS, ev.ShieldLowered, ev.Transported,
    ev.BoardingFought, ev.Captured, ev.Mutinied, ev.ShuttleLaunched, ev.ShuttleLanded, ev.Boarded, ev.ProbeLaunched,
    ev.Learned, ev.MethodFound, ev.Attacked, ev.UnitDamaged, ev.Collided,
    ev.Tractored, ev.Released,
)  # fmt: skip
"""Event types that the summary at the top of a report lists one by one; it only sums up fire and movement."""
_ACTS, _OTHERS = frozenset(ev.ACTS), frozenset(NEWS) - frozenset(ev.ACTS)


def since_last_sitrep(seen: Sequence[VisibleEvent], ships: Collection[str]) -> tuple[model.EventSentence, ...]:
    """Return the sentences that summarize all news since the reader's last sitrep.

    There is one sentence for each act of the umpire, one for the movement of each ship, one for the fire at each
    target, and one for every other event. ``ships`` are the names of the ships.
    """
    fresh = [item for item in seen if item.fresh]
    # The umpire's acts come first, because the rest may not make sense without them.
    acts = [event_sentence(item) for item in fresh if type(item.event) in _ACTS]
    news = [*_towing_in_short(fresh), *_movement_in_short(fresh, ships), *_fire_and_others(fresh)]
    # A ship's movement is listed in the impulse where it ended, before other events of that impulse.
    return (*acts, *sorted(news, key=lambda said: (said.turn, said.impulse)))


def _towing_in_short(fresh: Sequence[VisibleEvent]) -> Iterator[model.EventSentence]:
    """Yield one sentence for each towed unit and each ship that towed it."""
    towed: dict[tuple[str, str], list[VisibleEvent]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Towed):
            towed.setdefault((item.event.unit, item.event.by), []).append(item)
    for (unit, by), items in sorted(towed.items()):
        last = items[-1]
        assert isinstance(last.event, ev.Towed)
        hexes = sentences.several(len(items), "hex", "hexes")
        yield replace(event_sentence(last), text=f"{by} tows {unit} {hexes}, to {last.event.at}.", die=None)


def _movement_in_short(fresh: Sequence[VisibleEvent], ships: Collection[str]) -> Iterator[model.EventSentence]:
    """Yield one sentence for each ship that moved."""
    moves: dict[str, list[VisibleEvent]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Moved) and item.event.unit in ships:
            moves.setdefault(item.event.unit, []).append(item)
    for unit, items in sorted(moves.items()):
        last = items[-1]
        assert isinstance(last.event, ev.Moved)
        hexes = sentences.several(len(items), "hex", "hexes")
        yield replace(event_sentence(last), text=f"{unit} moves {hexes}, to {last.event.at}.", die=None)


def _fire_and_others(fresh: Sequence[VisibleEvent]) -> Iterator[model.EventSentence]:
    """Yield one sentence for each volley at a target, and one for every other event that is news."""
    shots: dict[tuple[int, int, str, str], list[ev.Fired]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Fired):
            shots.setdefault(_aim(item.event), []).append(item.event)
    for item in fresh:
        event = item.event
        if isinstance(event, ev.Fired):
            volley = shots[_aim(event)]
            if event is volley[0]:
                yield _fire_in_short(item, volley)
        elif type(event) in _OTHERS and not _idle(event):
            yield event_sentence(item)


def _idle(event: ev.AnyEvent) -> bool:
    """Return whether an event changed nothing, so that it is left out of the summary.

    Examples are damage absorbed by reinforcement, and a mutiny roll without a mutiny.
    """
    match event:
        case ev.Damaged():
            return not (event.boxes or event.internals)
        case ev.Mutinied():
            return event.result == "none"
        case ev.Collided():
            return not event.points
    return False


def _aim(event: ev.Fired) -> tuple[int, int, str, str]:
    return event.turn, event.impulse, event.unit, event.target


def _fire_in_short(item: VisibleEvent, volley: Sequence[ev.Fired]) -> model.EventSentence:
    scored = sum(e.points for e in volley)
    weapons = sentences.listed([e.weapon for e in volley])
    result = sentences.points(scored) if scored else "no hit"
    text = f"{volley[0].unit} fires {weapons} at {volley[0].target}, range {volley[0].range}: {result}."
    return replace(event_sentence(item), text=text, die=None)
