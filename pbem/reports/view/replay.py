"""The frames of the replay, which show how the map changed step by step in the turn shown.

All positions come from the engine; neither this module nor the page computes any movement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

import msgspec

from pbem.engine import events as ev
from pbem.engine.state import AnyUnit, Monster, Planet, Ship, State
from pbem.engine.steps.geometry import standpoints
from pbem.reports.text import sentences
from pbem.reports.view import model
from pbem.reports.view.model import Frame, Reach
from pbem.reports.view.tables import cloak_words
from pbem.rules.hexes import distance
from pbem.rules.shields import faced_shields

MANY_PAIRS = 12
"""Number of pairs of enemies above which only the nearest enemy of each ship is listed."""

MANY_SEEKERS = 24
"""Number of seeking weapons above which their ranges are not listed one by one."""


Step: TypeAlias = tuple[int, int, str]
"""A step of the replay, as turn (0 if all steps belong to one turn), impulse and step name."""


class _Look(msgspec.Struct, frozen=True):
    """The appearance of one unit on the map: its position and everything else that the map shows of it."""

    at: str
    shields: tuple[int, ...]
    cloak: str


class Steps:
    """A collection of those steps of a turn in which the map changed, each with the state after it.

    It is filled while the events of the turn are applied, because storing every state of a large fleet's turn would
    need too much memory. If ``first`` (the number of the first turn) is given, the steps of several turns are
    collected, each with its turn number.
    """

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._step: Step = (first, 0, "")
        self._found: list[tuple[Step, State]] = []

    def comes(self, event: ev.AnyEvent, before: State) -> None:
        """Add an event to the collection; ``before`` is the state before the event."""
        now = (event.turn if self._first else 0, event.impulse, event.step)
        if now != self._step and sentences.words_for(event).place in ("activity", "move"):
            # A step is stored when the next one begins, because only then all its changes are known.
            self._found.append((self._step, before))
            self._step = now

    def through(self, state: State) -> list[tuple[Step, State]]:
        """Return all collected steps as (step, state after it) pairs.

        ``state`` is the state after the last step.
        """
        return [*self._found, (self._step, state)]


def frames(steps: Iterable[tuple[Step, State]], mine: Collection[str]) -> tuple[Frame, ...]:
    """Return the frames of the replay, one for each of the given :class:`Steps`."""
    found: list[Frame] = []
    shown = _Shown({}, ())
    ranged: tuple[object, tuple[Reach, ...]] = (None, ())
    before = State()
    for step, state in steps:
        same = state.units is before.units and state.sides is before.sides
        if not same and (stand := _range_key(state)) != ranged[0]:  # most steps move nothing, so ranges stay the same
            ranged = (stand, _reach(state, mine))
        before = state
        now = _Shown(_looks(state, shown.looks), ranged[1])
        found.append(_frame(step, shown, now, state))
        shown = now
    return tuple(found)


class _Shown(NamedTuple):
    """The content of the map after a step: the units by name, and the ranges."""

    looks: dict[str, _Look]
    reach: tuple[Reach, ...]


def _frame(key: Step, earlier: _Shown, shown: _Shown, state: State) -> Frame:
    was, now = earlier.looks, shown.looks
    blank = _Look("", (), "")
    changed = {name: (was.get(name, blank), look) for name, look in now.items() if was.get(name) is not look}
    return Frame(
        turn=key[0],
        impulse=key[1],
        step=key[2],
        at={name: new.at for name, (old, new) in changed.items() if new.at != old.at},
        shields={name: new.shields for name, (old, new) in changed.items() if new.shields != old.shields},
        cloak={name: new.cloak for name, (old, new) in changed.items() if new.cloak != old.cloak},
        gone={name: _why(state.units.get(name)) for name in was if name not in now},
        reach=None if shown.reach == earlier.reach else shown.reach,
    )


def _why(unit: AnyUnit | None) -> str:
    return (unit.gone if unit is not None else "") or "left play"


def _looks(state: State, before: Mapping[str, _Look]) -> dict[str, _Look]:
    """Return how the map shows each unit, by name; planets are left out, because they never move.

    A unit that looks the same as in ``before`` keeps the identical object.
    """
    found = {}
    for name, unit in sorted(state.units.items()):
        if not unit.in_play or isinstance(unit, Planet):
            continue
        at, was = unit.hex + unit.facing, before.get(name)
        shields, cloak = (unit.shields, ", ".join(cloak_words(unit, state))) if isinstance(unit, Ship) else ((), "")
        if was is None or was.at != at or was.shields != shields or was.cloak != cloak:
            was = _Look(at, shields, cloak)
        found[name] = was
    return found


def _range_key(state: State) -> tuple[object, ...]:
    """Return a key for everything on which ranges and facing shields depend; equal keys mean equal ranges."""
    seekers = state.seekers()
    standing = [unit for unit in state.in_play() if isinstance(unit, Ship | Monster)]
    places = Counter(unit.hex for unit in standing)
    return (
        state.grid,
        state.sides,
        [(ship.name, ship.hex, ship.facing, ship.side, ship.terms.untouchable) for ship in state.ships()],
        [(unit.name, unit.hex) for unit in state.in_play() if isinstance(unit, Monster | Planet)],
        [(unit.name, unit.track) for unit in standing if places[unit.hex] > 1],
        [(one.name, one.hex, one.target) for one in seekers] if len(seekers) <= MANY_SEEKERS else None,
    )


def _reach(state: State, mine: Collection[str]) -> tuple[Reach, ...]:
    """Return the ranges to show in the replay.

    The result contains the ranges in :func:`bearings`, and the ranges of seeking weapons to their known targets.
    """
    found: list[Reach] = [(b.unit, b.other, b.range, b.shields, b.other_shields) for b in bearings(state, mine)]
    seekers = state.seekers()
    for seeker in seekers if len(seekers) <= MANY_SEEKERS else ():
        target = state.units.get(seeker.target)
        if isinstance(target, Ship) and target.in_play:
            apart = seeker.hex != target.hex
            shields = faced_shields(target.hex, target.facing, seeker.hex, state.grid) if apart else ()
            found.append((seeker.name, target.name, distance(seeker.hex, target.hex, state.grid), (), shields))
    return tuple(found)


def bearings(state: State, mine: Collection[str]) -> tuple[model.RangeReport, ...]:
    """Return ranges and facing shields between the reader's ships and enemies, monsters and planets.

    If the reader has no ships, the result covers the pairs of all sides.
    """
    ships = [ship for ship in state.ships() if not ship.terms.untouchable]
    pairs = _hostile_pairs(state, ships, mine)
    places = [unit for unit in state.in_play() if isinstance(unit, Monster | Planet)]
    pairs += [(ship, unit) for ship in ships if ship.name in mine or not mine for unit in places]
    if len(pairs) > MANY_PAIRS:
        pairs = _nearest_only(state, pairs)
    return tuple(_bearing(state, a, b) for a, b in pairs)


def _hostile_pairs(state: State, ships: Sequence[Ship], mine: Collection[str]) -> list[tuple[Ship, AnyUnit]]:
    """Return all pairs of hostile units, the reader's ship first; all sides' pairs if it has no ships."""
    hostile = {pair for pair in product({ship.side for ship in ships}, repeat=2) if state.enemies(*pair)}
    return [
        (a, b) if a.name in mine or b.name not in mine else (b, a)
        for a, b in combinations(ships, 2)
        if (a.side, b.side) in hostile and (a.name in mine or b.name in mine or not mine)
    ]


def _nearest_only(state: State, pairs: Iterable[tuple[Ship, AnyUnit]]) -> list[tuple[Ship, AnyUnit]]:
    """Return for each ship the pair with the nearest other unit, sorted by the name of the ship."""
    nearest: dict[str, tuple[int, Ship, AnyUnit]] = {}
    for a, b in pairs:
        apart, best = distance(a.hex, b.hex, state.grid), nearest.get(a.name)
        if best is None or apart < best[0] or (apart == best[0] and b.name < best[2].name):
            nearest[a.name] = apart, a, b
    return [(a, b) for _, (_, a, b) in sorted(nearest.items())]


def _bearing(state: State, a: Ship, b: AnyUnit) -> model.RangeReport:
    """Return the range between two units and the shields with which they face each other.

    For units in one hex, the shields are those that faced each other when the two units met (D3.42).
    """
    here, there = standpoints(state, a, b)
    told = here.hex != there.hex and not (a.hex == b.hex and isinstance(b, Planet))
    return model.RangeReport(
        unit=a.name,
        other=b.name,
        range=distance(a.hex, b.hex, state.grid),
        shields=faced_shields(here.hex, here.facing, there.hex, state.grid) if told else (),
        other_shields=faced_shields(there.hex, there.facing, here.hex, state.grid)
        if told and isinstance(b, Ship)
        else (),
    )
