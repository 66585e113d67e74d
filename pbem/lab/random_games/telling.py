"""Invariants of what each side knows: its own secrets and what is public, and nothing else (D4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pbem.data.words import WeaponState
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.fold import fold
from pbem.engine.state import AnyUnit, Seeker, Ship, Shuttle, State
from pbem.lab.random_games.games import Opening
from pbem.lab.random_games.walk import Walk

replace = msgspec.structs.replace

SECRET = (
    "allotted", "reinforcement", "general", "repairing", "unpaid", "sublight", "cloak_paid", "tractors", "powered",
    "transporters", "bombs", "move_warp", "move_impulse", "paid_speed", "battery_part",
)  # fmt: skip
"""Fields of a ship that others are never told, and that stay at their defaults for them (D4.1, J2.222)."""

KEPT = ("bombs", "battery_part", "unpaid", "repairing")
"""Those of them that who has lost a ship may remember: no new turn makes them untrue for him."""

PRIVATE = (*SECRET, "capacitor", "batteries", "weapons", "probes", "hangar")
"""All that may differ between a ship and what others know of it; of the hangar the letters may, not how many."""

DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Ship)} | {
    field.name: field.default_factory()
    for field in msgspec.structs.fields(Ship)
    if field.default_factory is not msgspec.NODEFAULT
}

OWNERS_ONLY = (
    ev.EnergyAllotted, ev.OrderTold, ev.Chose, ev.ReserveSpent, ev.RobotReadied, ev.Readied, ev.Guided, ev.TakenOver,
)  # fmt: skip
"""Events that only the side of their unit is told."""


class Knowledge:
    """What every side and everybody else (``""``) has been told in a game: begin with its opening."""

    def __init__(self, opening: Opening) -> None:
        self.start = opening.state
        self.known = {side: State() for side in (*sorted(opening.state.sides), "")}
        self.owners: dict[str, set[str]] = {}
        self._learn(opening.records)

    def _learn(self, records: Sequence[Record]) -> None:
        for side, state in self.known.items():
            seen = (ev.seen_by(record, side) for record in records)
            self.known[side] = fold((event for event in seen if event is not None), state)

    def learn(self, walk: Walk) -> None:
        """Tell everybody of a stretch; to be called before the invariants are asked."""
        self._learn(walk.stretch.records)
        for event in walk.happened:
            if isinstance(event, ev.Captured):
                self.owners.setdefault(event.unit, set()).update((event.was, event.side))

    def only_its_side_is_told(self, walk: Walk) -> Iterator[str]:
        """D4.1, H6, H7, J2.222: forms, orders, choices and bombs are told to their own side alone."""
        for state, record in walk.steps:
            if not record.only and not isinstance(record.event, TOLD_IN_PART):
                continue
            for side in self.known:
                event = ev.seen_by(record, side)
                if event is None:
                    continue
                unit = getattr(event, "unit", "")
                owner = state.units[unit].side if unit in state.units else getattr(event, "side", "")
                if owner != side:
                    yield from (f"{side or 'everybody'} is told {what}" for what in _too_much(event))

    def secrets_stay_secret(self, walk: Walk) -> Iterator[str]:
        """D4.1: what a side's own view of the log tells of others is what it was told at the start, or nothing."""
        for side, known in self.known.items():
            for unit in known.units.values():
                if unit.side == side:
                    continue
                if isinstance(unit, Ship):
                    yield from (f"{side or 'spectator'}: {breach}" for breach in self._leaks(unit, side, walk))
                elif isinstance(unit, Shuttle) and (unit.target or unit.bomb):
                    yield f"{side or 'spectator'} knows {unit.name} for a bomb"
                elif isinstance(unit, Seeker) and unit.target and known.options.targets == "secret" and unit.launcher:
                    yield f"{side or 'spectator'} knows the target of {unit.name}"
            for other, standing in known.standing.items():
                if other != side and (standing.text, standing.flown, standing.spent) != ("", {}, ()):
                    yield f"{side or 'spectator'} knows orders of {other}: {standing}"

    def _leaks(self, ship: Ship, side: str, walk: Walk) -> Iterator[str]:
        had_it = side in self.owners.get(ship.name, ())
        if had_it and ship.name in walk.captured:
            return  # he knows what it was until it was lost
        for name in SECRET:
            if getattr(ship, name) != DEFAULTS[name] and not (had_it and name in KEPT):
                yield f"{name} of {ship.name} is {getattr(ship, name)!r}"
        start = self.start.units.get(ship.name)
        if not isinstance(start, Ship) or had_it:
            return
        if ship.capacitor > start.capacitor:
            yield f"the capacitor of {ship.name} is {ship.capacitor}"
        if ship.batteries != min(start.batteries, ship.boxes.get("battery", 0)):
            yield f"the batteries of {ship.name} are {ship.batteries}"
        for name, weapon in ship.weapons.items():
            first = start.weapons[name]
            if weapon.charge not in (WeaponState.NONE, first.charge) or weapon.armed_turns not in (
                0,
                first.armed_turns,
            ):
                yield f"{name} of {ship.name} is {weapon.charge} ({weapon.armed_turns} turns)"
        for letter, box in ship.probes.items():
            if box.purpose or box.turns:
                yield f"PROBE {letter} of {ship.name} is {box.purpose} ({box.turns} turns)"

    def what_is_public_is_known(self, walk: Walk) -> Iterator[str]:
        """D4.1: SSDs, positions and speeds are public; and a side knows of its own units all there is."""
        public = {name: _public(unit) for name, unit in walk.after.units.items()}
        for side, known in self.known.items():
            for name, unit in walk.after.units.items():
                found = known.units.get(name)
                if found is None:
                    yield f"{side or 'spectator'} does not know {name}"
                elif unit.side == side and name not in walk.captured:
                    if found != unit:
                        yield f"{side} does not know its own {name}"
                elif _public(found) != public[name]:
                    yield f"{side or 'spectator'} sees {_public(found)}, it is {public[name]}"
            if known.links != walk.after.links:
                yield f"{side or 'spectator'} sees the beams {known.links}, they are {walk.after.links}"
            if (known.over, known.outcome) != (walk.after.over, walk.after.outcome):
                yield f"{side or 'spectator'} sees another end: {known.outcome}"


TOLD_IN_PART = (*OWNERS_ONLY, ev.Fired, ev.Broke, ev.OrdersFiled, ev.Moved, ev.ShuttleLaunched)
"""Events of which there is something that only their side may know."""


def _too_much(event: ev.AnyEvent) -> Iterator[str]:
    """What of an event others are told and must not be."""
    match event:
        case ev.Fired() if event.energy:
            yield f"who paid for {event}"
        case ev.Broke() if event.condition and event.line:  # auto-breaks are public
            yield f"the break {event}"
        case ev.OrdersFiled() if event.text:
            yield f"the orders of {event.side}"
        case ev.Moved() if event.plotted:
            yield f"how far {event.unit} has plotted"
        case ev.ShuttleLaunched(shuttle=shuttle) if shuttle.target or shuttle.bomb:
            yield f"that {shuttle.name} is a bomb"
        case _ if isinstance(event, OWNERS_ONLY):
            yield f"{event}"


def _public(unit: AnyUnit) -> object:
    """What everybody knows of a unit: of a seeking weapon all but its target (FD1.2), of a shuttle all but the bomb
    (J2.222), of a ship all but what only its captain can know.
    """
    if isinstance(unit, Seeker):
        return replace(unit, target="")
    if isinstance(unit, Shuttle):
        return replace(unit, target="", bomb=0)
    if not isinstance(unit, Ship):
        return unit
    weapons = {name: (w.kind, w.working, w.fired, w.shots, w.ammo) for name, w in unit.weapons.items()}
    probes = {letter: box.left for letter, box in unit.probes.items()}
    hidden = {name: DEFAULTS[name] for name in PRIVATE if name in DEFAULTS}
    # Of a crew that did not live to the announcement of speeds the speed stays untold (B3.0, line 7).
    still = {} if unit.in_play else {"speed": 0, "prior_speed": 0, "tactical": 0, "towing": 0}
    return replace(unit, **hidden, **still), weapons, probes, len(unit.hangar)
