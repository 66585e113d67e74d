"""Ships in tables: where they stand, their displays, and what only their owners know."""

from __future__ import annotations

from msgspec.structs import replace

from pbem.data.displays import in_order, weapon_place
from pbem.data.words import MutinyState, WeaponState
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State, Weapon
from pbem.engine.steps.cloaking import veil_of
from pbem.reports.text import words
from pbem.reports.text.phrases import moment
from pbem.reports.view import view
from pbem.reports.view.facts import marks_of, of_ship, of_systems
from pbem.rules.arming import family
from pbem.rules.direct_fire import is_phaser


def type_of(unit: AnyUnit) -> str:
    """What a unit is, in short: race and class of a ship (``KLIN D6``), the kind of a seeking weapon or a monster."""
    if isinstance(unit, Seeker):
        return unit.weapon
    if isinstance(unit, Monster):
        kind = unit.monster.replace("_", " ")
        return "monster" if kind == unit.name.casefold() else kind
    return (unit.class_name or unit.race) if isinstance(unit, Ship) else type(unit).__name__.lower()


def unit_now(unit: AnyUnit, state: State, start: AnyUnit | None, mine: bool) -> view.Unit:
    """A unit as it stands now; ``start`` is how it was placed on the map."""
    found = view.Unit(
        name=unit.name,
        side=unit.side,
        seeker=isinstance(unit, Seeker),
        kind=type(unit).__name__.lower(),
        type=type_of(unit),
        hex=unit.hex,
        facing=unit.facing,
        speed=unit.speed,
        gone=unit.gone,
        mine=mine,
    )
    if isinstance(unit, Ship):
        first = start.shields if isinstance(start, Ship) else unit.shields
        shields = tuple(zip(unit.shields, first, strict=True))
        marks = (*unit.marks, *cloak_words(unit, state), *_state_of(unit, state))
        return replace(found, shields=shields, marks=marks, immobile=unit.immobile)
    found = replace(found, marks=marks_of(unit, state))
    if isinstance(unit, Planet):
        return replace(found, immobile=True, hexes=unit.hexes)
    if isinstance(unit, Seeker):
        return replace(found, target=unit.target, last_impulse=moment(unit.endurance, state) if unit.endurance else "")
    return replace(found, target=unit.target) if isinstance(unit, Shuttle) else found


def _state_of(unit: Ship, state: State) -> tuple[str, ...]:
    """Who took a ship and what holds it, for the table of positions."""
    if unit.gone:
        return ()
    found = [f"captured from {unit.captured_from}"] if unit.captured_from else []
    found += ["in mutiny"] if unit.mutiny == MutinyState.STAGED else []
    found += [f"held by {link.ship}" for link in state.holders(unit.name)]
    found += [f"holds {link.target}" for link in state.held_by(unit.name)]
    return tuple(found)


def cloak_words(unit: Ship, state: State) -> tuple[str, ...]:
    """What everybody may see of a ship's cloak: ``cloaked``, ``fading`` and by how many hexes, or nothing (G13.0)."""
    if not unit.cloak or unit.gone:
        return ()
    now = veil_of(state, unit)
    if now.hidden:
        return ("cloaked",)
    return (f"fading, range +{now.addition}",) if now.addition else ()


def ssd(unit: Ship, start: AnyUnit | None, before: AnyUnit | None, state: State, mine: bool) -> view.Ssd:
    """A ship's display now, against the start of the turn (``before``) and of the game (``start``)."""
    first = start if isinstance(start, Ship) else unit
    earlier = before if isinstance(before, Ship) else first
    return view.Ssd(
        unit=unit.name,
        side=unit.side,
        type=type_of(unit),
        gone=unit.gone,
        internals=unit.internals,
        shields=tuple(
            view.Boxes(name=f"#{number}", now=now, before=then, start=at_first)
            for number, (now, then, at_first) in enumerate(
                zip(unit.shields, earlier.shields, first.shields, strict=True), start=1
            )
        ),
        systems=tuple(
            view.Boxes(
                name=name,
                now=unit.boxes.get(name, 0),
                before=earlier.boxes.get(name, 0),
                start=first.boxes[name],
            )
            for name in in_order(first.boxes)
            if first.boxes[name]
        ),
        weapons=tuple(
            view.WeaponBox(
                name=name,
                working=weapon.working,
                lost_now=not weapon.working and _worked(earlier, name),
                arms=not is_phaser(weapon.kind),
                words=weapon_words(weapon, state, mine),
            )
            for name, weapon in sorted(unit.weapons.items(), key=lambda item: weapon_place(item[0]))
        ),
        facts=of_ship(unit, state, mine),
    )


def _worked(ship: Ship, name: str) -> bool:
    return name in ship.weapons and ship.weapons[name].working


def weapon_words(weapon: Weapon, state: State, mine: bool) -> str:
    """What a reader may know of a weapon: its damage and last shot are seen by all, its charge by its owner only."""
    if not weapon.working:
        return "destroyed"
    said: list[str] = []
    if mine:
        said.append("rolling delay" if weapon.charge == WeaponState.ROLLING else weapon.charge)
        if weapon.armed_turns:
            said.append(f"{words.several(weapon.armed_turns, 'turn')} of arming")
        if family(weapon.kind).ammunition:
            said.append(words.several(weapon.ammo, "drone") if weapon.ammo else "empty")
    if weapon.fired is not None:
        said.append(f"fired {moment(weapon.fired, state)}")
    return ", ".join(part for part in said if part)


def energy(ship: Ship) -> view.Energy:
    """What a ship's owner reads of his energy."""
    return view.Energy(
        unit=ship.name,
        lines=ship.allotted,
        capacitor=ship.capacitor,
        batteries=ship.batteries,
        general=ship.general,
        reinforcement=ship.reinforcement,
        systems=of_systems(ship),
    )
