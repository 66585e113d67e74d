"""What changed for every ship since the reader's last sitrep: shields, what was lost inside, what is after it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pbem.counts import several
from pbem.data.displays import weapon_place
from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.reports.text import phrases
from pbem.reports.view.view import Changed, Fact
from pbem.rules.hexes import distance
from pbem.rules.shields import faced_shields

MANY = 4
"""With more seeking weapons after one ship than this only the nearest are named."""


def changes(before: State, now: State, mine: Collection[str]) -> tuple[Changed, ...]:
    """The reader's ships, each with what changed (nothing, too), then others of which there is something to tell."""
    found = []
    for name, ship in sorted(now.units.items(), key=lambda item: (item[0] not in mine, item[0])):
        old = before.units.get(name)
        if not isinstance(ship, Ship) or (old is not None and old.gone):
            continue
        facts = tuple(_of(ship, old, now.units, now.grid))
        if facts or (name in mine and not ship.immobile):
            found.append(Changed(unit=name, side=ship.side, mine=name in mine, facts=facts))
    return tuple(found)


def _of(ship: Ship, old: AnyUnit | None, units: Mapping[str, AnyUnit], grid: str) -> Iterator[Fact]:
    if ship.gone:
        yield Fact(what="out of play", words=ship.gone)
    if isinstance(old, Ship):
        if ship.side != old.side:
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
            yield Fact(what="lost inside", words=phrases.listed(lost), rule="D4.22")
    if not ship.gone:
        yield from _after_it(ship, units, grid)


def _after_it(ship: Ship, units: Mapping[str, AnyUnit], grid: str) -> Iterator[Fact]:
    """Seeking weapons that are known to be after a ship, the nearest first."""
    after = [
        (distance(unit.hex, ship.hex, grid), unit.name, unit.hex)
        for unit in units.values()
        if isinstance(unit, Seeker) and unit.in_play and unit.target == ship.name
    ]
    for range_, name, at in sorted(after)[:MANY]:
        facing = faced_shields(ship.hex, ship.facing, at, grid) if range_ else ()
        where = f", toward {phrases.listed([f'#{number}' for number in facing])}" if facing else ""
        yield Fact(what=f"{name} is after it", words=f"range {range_}{where}")
    if len(after) > MANY:
        yield Fact(what="and", words=several(len(after) - MANY, "more seeking weapon"))
