"""Invariants of where units are, of what holds them, and of the record itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from pbem.data import charts
from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.log import decode_records, decode_state, encode_records, encode_state
from pbem.engine.state import Monster, Ship, Shuttle, State
from pbem.engine.steps.collisions import crashes
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.tractor_links import kind_of
from pbem.lab.random_games.walk import Walk, ships_of
from pbem.rules import hexes

replace = msgspec.structs.replace

ACTS = (
    ev.Moved, ev.Turned, ev.Maneuvered, ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.Damaged, ev.SeekerDamaged,
    ev.Destroyed, ev.Removed, ev.Tractored, ev.Towed, ev.ShieldLowered, ev.Transported, ev.BoardingFought, ev.Captured,
    ev.Mutinied, ev.ShuttleLaunched, ev.ShuttleLanded, ev.Boarded, ev.ProbeLaunched, ev.Learned, ev.Attacked,
    ev.UnitDamaged, ev.Collided,
)  # fmt: skip
"""What befalls or is done by a unit in play."""

MOVING = ("move", "shuttles", "seek", "tac", "impact", "cloak", "tractor")
"""The next step to play while a monster that moved on may still be followed by the ship whose beam is on it."""


def every_unit_is_in_one_place(walk: Walk) -> Iterator[str]:
    """C1.1, C1.4, G7.31C: a unit moves or is towed from its hex to the next, once an impulse; the gone do nothing, and
    all stand on the map.
    """
    moved: set[tuple[str, int, int]] = set()
    for state, event in walk.events():
        if isinstance(event, ev.Moved | ev.Towed):
            unit, now = state.units[event.unit], (event.unit, event.turn, event.impulse)
            if now in moved:
                yield f"{now} moved twice"
            moved.add(now)
            far = hexes.distance(unit.hex, event.at[:4], state.grid)
            if event.came_from != unit.hex or far != 1:
                yield f"{now} moved from {unit.hex} (it says {event.came_from}) to {event.at}"
            if isinstance(event, ev.Moved) and not isinstance(unit, Monster) and state.holders(event.unit):
                yield f"{now} moves and is held"
            if isinstance(event, ev.Moved) and isinstance(unit, Shuttle) and unit.landed and unit.target:
                yield f"{now} stood on {unit.landed}"
        if isinstance(event, ACTS) and state.units[event.unit].gone:
            yield f"{event.unit} is gone and acts: {event}"
    for name, unit in walk.after.units.items():
        if unit.name != name:
            yield f"{unit.name} is kept as {name}"
        if not unit.in_play:
            continue
        if not hexes.on_map(unit.hex, walk.after.map):
            yield f"{name} is at {unit.hex}, off the map"
        last = unit.track[-1] if unit.track else None
        # A monster may turn where it stands, which leaves no track.
        if last and (last.hex != unit.hex or (last.facing != unit.facing and not isinstance(unit, Monster))):
            yield f"{name} is at {unit.at}, and its track ends at {unit.track[-1]}"
        if crashes(unit) and unit.hex in walk.after.planets:
            yield f"{name} flies inside a planet at {unit.hex}"


def the_gone_stay_gone(walk: Walk) -> Iterator[str]:
    """D4.4: what has left the game does not come back; only a reinforcement is still to come (scenario #8)."""
    for name, was in walk.before.units.items():
        unit = walk.after.units.get(name)
        if unit is None:
            yield f"{name} has vanished"
        elif was.gone and unit.gone != was.gone and was.gone != Gone.NOT_YET:
            yield f"{name} was {was.gone} and is {unit.gone or 'in play'}"
        elif type(unit) is not type(was):
            yield f"{name} was {was} and is {unit}"


def beams_hold_what_they_may(walk: Walk) -> Iterator[str]:
    """G7.1, G7.3, G7.4: a link is of a working beam with energy, which holds one thing that it may hold, within reach;
    nothing is held by two ships.
    """
    state = walk.after
    beams: Counter[tuple[str, str]] = Counter()
    for link in state.links:
        holder, target = state.units[link.ship], state.units[link.target]
        beams[link.ship, link.beam] += 1
        if not isinstance(holder, Ship) or holder.gone or target.gone:
            yield f"{link}: one of them is gone"
            continue
        if kind_of(target) not in charts.tractors().holds:
            yield f"{link}: a beam holds a {kind_of(target)}"
        going = isinstance(target, Monster) and state.step in MOVING
        if not going and range_between(state, holder, target) > charts.tractors().range:
            yield f"{link}: they are {range_between(state, holder, target)} hexes apart"
        if {other.ship for other in state.holders(link.target)} != {link.ship}:
            yield f"{link.target} is held by {state.holders(link.target)}"
    yield from (f"{beam} holds {count} things" for beam, count in beams.items() if count > 1)
    for ship in ships_of(state):
        held = len(state.held_by(ship.name))
        # A game that is conceded ends when the forms are read: beams that got no energy have not let go yet.
        if held > ship.boxes.get("tractor", 0) or (held > len(ship.tractors) and not state.over):
            yield f"{ship.name} holds {held} with {ship.boxes.get('tractor', 0)} beams, {ship.tractors} paid"
        freighters = _towed(state, ship.name, {ship.name})
        if ship.in_play and ship.towing != len(freighters):
            yield f"{ship.name} is reckoned to tow {ship.towing}, it tows {sorted(freighters)}"


def _towed(state: State, ship: str, seen: set[str]) -> set[str]:
    """The freighters that go where a ship goes: those it holds, and what they hold."""
    held = {link.target for link in state.links if link.ship == ship and isinstance(state.units[link.target], Ship)}
    return (held - seen).union(*(_towed(state, name, seen | held) for name in held - seen))


def ships_change_hands_by_capture(walk: Walk) -> Iterator[str]:
    """D7.0: a ship's side changes by capture alone, from the side it was to one that had parties aboard."""
    for state, event in walk.events():
        if not isinstance(event, ev.Captured):
            continue
        ship = state.units[event.unit]
        assert isinstance(ship, Ship)
        if ship.side != event.was or event.side == event.was:
            yield f"{event.unit} was {ship.side}'s: {event}"
        if not any(not state.enemies(side, event.side) for side in ship.boarders):
            yield f"{event.unit} was boarded by {ship.boarders}: {event}"
    for name, was in walk.before.units.items():
        if was.side != walk.after.units[name].side and name not in walk.captured:
            yield f"{name} was {was.side}'s and is {walk.after.units[name].side}'s"


# --- the record ------------------------------------------------------------------------------------------------------


def the_state_is_the_fold_of_the_log(walk: Walk) -> Iterator[str]:
    """The log alone makes the state, and its records count on."""
    records, before = walk.stretch.records, walk.before
    numbers = [record.n for record in records]
    first = before.records + 1
    if numbers != list(range(first, first + len(numbers))):
        yield f"records {numbers[0]} to {numbers[-1]} do not count on from {first}"
    if walk.after.records != numbers[-1]:
        yield f"the state counts {walk.after.records} records, there are {numbers[-1]}"
    if replace(walk.end, records=walk.after.records) != walk.after:
        yield "the state is not the fold of the log"


def files_hold_what_was_played(walk: Walk) -> Iterator[str]:
    """Log and state come back from their files as they were."""
    records = walk.stretch.records
    if decode_records(encode_records(records)) != records:
        yield "the log does not survive its file"
    if decode_state(encode_state(walk.after)) != walk.after:
        yield "the state does not survive its file"
