"""From moved counters to a movement plot: the codes that lead from hex to hex, and what the rules forbid of them.

A plot is worked out from where a counter stands before and after, or, from a player's own log, from every hex it was
dragged to. Nothing is taken over here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pbem.counts import several
from pbem.data.spans import impulses_in_words
from pbem.data.words import FormKind
from pbem.engine.state import Commanded, Ship, State
from pbem.engine.steps.helm import CODES, entered, since_turn, verify_code
from pbem.errors import Fault
from pbem.rules import hexes, sideslip
from pbem.rules.impulse_chart import hex_number

replace = msgspec.structs.replace

DETOUR = 7
"""So many hexes more than the range a way may take: enough to come about at the lower turn modes."""

MOST_HEXES = 64
"""A counter that was moved further is not plotted: nothing moves so far in a turn (C1.42)."""

LONGEST_MODE = 9
"""No turn mode asks for more hexes than that."""


class Stop(NamedTuple):
    """A hex a counter was seen in, and the facings it had there, the last one last."""

    hex: str
    facings: tuple[str, ...]


class Way(NamedTuple):
    """Where a counter began, hex and facing, and the hexes it was seen in from there on."""

    start: str
    stops: tuple[Stop, ...]


class Plotted(msgspec.Struct, frozen=True, kw_only=True):
    """The plot of one unit: one code for each hex from ``start`` to ``end``, at ``speed``.

    ``path`` is (code, hex and facing); ``faults`` say which hex breaks which rule, ``remarks`` what else is strange.
    """

    unit: str
    side: str
    shuttle: bool
    start: str
    end: str
    speed: int
    codes: tuple[str, ...] = ()
    path: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def plots(state: State, ways: Mapping[str, Way], *, side: str = "") -> tuple[Plotted, ...]:
    """The plots of all units (of ``side``, if given) that have orders of their own and moved, by name."""
    units = [state.units.get(name) for name in sorted(ways)]
    mine = [unit for unit in units if isinstance(unit, Commanded) and side in ("", unit.side)]
    return tuple(plot_of(state, unit, ways[unit.name]) for unit in mine if ways[unit.name].stops)


def plot_of(state: State, unit: Commanded, way: Way) -> Plotted:
    """The plot of ``unit`` along ``way``.

    Of all ways through its hexes the shortest is taken, of those the one that breaks fewest rules, and of those the
    straightest. Turn modes are reckoned at the speed that was announced; before the turn, at the speed that makes so
    many hexes.
    """
    here = replace(unit, hex=way.start[:4], facing=way.start[4:])
    *_, last = way.stops
    faced = last.facings[-1]
    near = _distance(state, here.hex, way.stops) <= MOST_HEXES
    codes = _codes(state, here, way.stops) if near else None
    if codes and _is_new(state):
        here = replace(here, speed=len(codes))
        codes = _codes(state, here, way.stops)
    path, faults = _flown(state, here, codes or ())
    end = path[-1][1] if path else here.at
    return Plotted(
        unit=unit.name,
        side=unit.side,
        shuttle=not isinstance(unit, Ship),
        start=way.start,
        end=end,
        speed=here.speed,
        codes=codes or (),
        path=path,
        remarks=tuple(_remarks(state, unit, way, here, codes, end, faced)),
        faults=faults,
    )


def _remarks(
    state: State, unit: Commanded, way: Way, here: Commanded, codes: Sequence[str] | None, end: str, faced: str
) -> Iterator[str]:
    if way.start != unit.at:
        yield f"it begins at {way.start}, and the game has it at {unit.at}"
    if all(stop.hex == here.hex for stop in way.stops):
        yield f"it turned in its hex from {here.facing} to {faced}: only a tactical maneuver (TAC) does that (C5.0)"
        return
    least = _distance(state, here.hex, way.stops)
    if least > MOST_HEXES:
        yield f"it was moved {least} hexes, and no unit comes so far in a turn (C1.42)"
        return
    if codes is None:
        yield f"no way was found through {', '.join(stop.hex for stop in way.stops)}"
        return
    if end[4:] != faced:
        yield f"it faces {faced} in the end, and a unit turns as it moves (C3.1): the plot ends at {end}"
    if len(codes) > least:
        yield f"a unit moves ahead only (C3.1): for {least} it takes {several(len(codes), 'hex', 'hexes')}"
    yield from _about_length(state, here, len(codes))


def _codes(state: State, unit: Commanded, stops: Sequence[Stop]) -> tuple[str, ...] | None:
    """The codes through all stops to the last facing, or, where that takes longer, to another one seen in the end."""
    *passed, last = stops
    codes = _shortest(state, unit, (*passed, last._replace(facings=last.facings[-1:])))
    if len(set(last.facings)) > 1:
        other = _shortest(state, unit, stops)
        if other is not None and (codes is None or len(other) < len(codes)):
            return other
    return codes


def _is_new(state: State) -> bool:
    """Whether the plot is for a turn whose speeds nobody has announced yet."""
    request = state.request
    return request is not None and request.impulse == 0 and request.form != FormKind.SOP


def _about_length(state: State, unit: Commanded, length: int) -> Iterator[str]:
    request = state.request
    if request is None or not length:
        return
    if _is_new(state):
        yield f"so many hexes take SPEED {length}"
        return
    first = max(1, request.impulse)
    flown = hex_number(unit.speed, first - 1, state.impulses)
    room = hex_number(unit.speed, request.through, state.impulses) - flown
    if length > room:
        span = impulses_in_words(first, request.through)
        yield f"speed {unit.speed} makes {several(room, 'hex', 'hexes')} in {span}, and this is {length} (C1.4)"


def _flown(
    state: State, unit: Commanded, codes: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[Fault, ...]]:
    """The way hex by hex, and every code that the rules forbid there."""
    path, faults = [], []
    for number, code in enumerate(codes, start=1):
        refused = verify_code(state, unit, code)
        if refused is not None:
            text = f"hex {number} ({code}) from {unit.at}, speed {unit.speed}: {refused.text}"
            faults.append(Fault(code=refused.code, text=text, rule=refused.rule))
        unit = _stepped(state, unit, code)
        path.append((code, unit.at))
    return tuple(path), tuple(faults)


def _stepped(state: State, unit: Commanded, code: str) -> Commanded:
    hex_, facing = entered(state, unit, code)
    slipped = unit.since_slip if isinstance(unit, Ship) else 0
    turned, slipped = sideslip.after_step(code, since_turn(unit), slipped)
    if isinstance(unit, Ship):
        return replace(unit, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
    return replace(unit, hex=hex_, facing=facing, straight=turned)


def _shortest(state: State, unit: Commanded, stops: Sequence[Stop]) -> tuple[str, ...] | None:
    """A search for the best way through all stops: hexes count most, then rules broken, then how odd the facings are at
    the stops, then turns and slips.
    """
    least = _distance(state, unit.hex, stops)
    if not least:
        return () if unit.facing in stops[-1].facings else None
    heap: list[tuple[tuple[int, int, int, int], tuple[int, ...]]] = [((least, 0, 0, 0), ())]
    reached: dict[tuple[int, ...], tuple[int, Commanded]] = {(): (0, unit)}
    done: set[tuple[object, ...]] = set()
    while heap:
        (_, broken, strange, bent), way = heappop(heap)
        passed, now = reached.pop(way)
        if passed == len(stops):
            return tuple(CODES[number] for number in way)
        slipped = now.since_slip if isinstance(now, Ship) else 0
        key = (passed, now.hex, now.facing, min(since_turn(now), LONGEST_MODE), min(slipped, sideslip.SLIP_MODE))
        if key in done:
            continue
        done.add(key)
        for number, code in enumerate(CODES):
            there = _stepped(state, now, code)
            stop = stops[passed]
            arrives = there.hex == stop.hex and (passed < len(stops) - 1 or there.facing in stop.facings)
            ahead = passed + arrives
            length = len(way) + 1 + _distance(state, there.hex, stops[ahead:])
            if length > least + DETOUR or not hexes.on_map(there.hex, state.map):
                continue
            illegal = verify_code(state, now, code) is not None
            odd = _oddness(there.facing, stop) if arrives else 0
            reached[*way, number] = (ahead, there)
            heappush(heap, ((length, broken + illegal, strange + odd, bent + (code != "F")), (*way, number)))
    return None


def _oddness(facing: str, stop: Stop) -> int:
    """How ill a facing fits what was seen at a stop: not at all if the counter came so. Most players turn a counter
    before they move it on, some after they have moved it.
    """
    if facing == stop.facings[0]:
        return 0
    return 1 if facing in stop.facings else 2


def _distance(state: State, hex_: str, stops: Sequence[Stop]) -> int:
    """How many hexes it is at least from a hex through all stops."""
    places = [hex_, *(stop.hex for stop in stops)]
    return sum(hexes.distance(one, other, state.grid) for one, other in pairwise(places))
