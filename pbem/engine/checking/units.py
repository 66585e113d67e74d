"""Checking the units that orders name: they must be there, or be small units that may yet be launched."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

import msgspec

from pbem.data.terms import Gone
from pbem.engine.play.conditions import fitting, named
from pbem.engine.state import AnyUnit, Request, Seeker, Ship, Shuttle, State
from pbem.engine.steps.launching import spec_of
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.util import only, regex

FUTURE_UNIT = regex(r"[A-Z]{1,2}/(\d+|\*)", re.IGNORECASE)
"""A small unit's designation (KD/1, KD/*), which may not exist yet."""


def check_units(
    state: State, ship: AnyUnit, refs: Sequence[om.UnitRef], line: om.Line, condition: om.Condition | None = None
) -> list[Fault]:
    """Units named in an order must exist, or be small units that may yet be launched."""
    faults = []
    for ref in [*refs, *(_refs(condition) if condition is not None else ())]:
        if ref.how not in ("name", "pattern") or FUTURE_UNIT.fullmatch(ref.name):
            continue
        found = named(state, ref.name) if ref.how == "name" else fitting(state, ref.name)[:1]
        if len(found) > 1:
            choices = tuple(unit.name for unit in found)
            faults.append(line.wrong("ambiguous-unit", f"{ref.name!r} may be {' or '.join(choices)}", choices=choices))
        elif not found:
            faults.append(_unknown(state, ship, ref.name, line))
    if condition is not None and isinstance(ship, Ship):
        faults += _not_aboard(ship, condition, line)
    return faults


def _not_aboard(ship: Ship, condition: om.Condition, line: om.Line) -> Iterator[Fault]:
    """Weapons of one's own that a condition asks about, and that the SSD has not."""
    for part in _parts(condition):
        weapons = part.weapons if isinstance(part, om.Armed) else (part.weapon,) if isinstance(part, om.Own) else ()
        for weapon in filter(None, weapons):
            try:
                spec_of(ship, weapon)
            except NotAllowed as refused:
                yield refused.fault(line.line, line.column)


def _unknown(state: State, ship: AnyUnit, name: str, line: om.Line) -> Fault:
    """A name that nothing bears, with the unit it may stand for as its only choice: one named much like it or cut
    short, or the only ship of the side or race that was written. Where nothing is like it, the other ships are named.
    """
    owner = name[4:] if name.casefold().startswith("the ") else name
    wanted = owner.casefold()
    fleet = [
        one.name
        for one in state.ships()
        if one.name != ship.name and wanted in (one.side.casefold(), one.class_name.casefold().partition(" ")[0])
    ]
    units = {one.casefold(): one for one in state.units}
    short = [one for one in units if len(wanted) > 1 and one.startswith(wanted)]
    near = short if len(short) == 1 else difflib.get_close_matches(wanted, units, n=1)
    meant = fleet or [units[one] for one in near]
    others = [one.name for one in state.ships() if one.name != ship.name]
    said = ""
    if wanted == "edge":
        meant, said = [], "; an edge of the map is written with its direction, like EDGE B"
    elif len(fleet) > 1:
        said = f"; {owner} has {', '.join(fleet[:-1])} and {fleet[-1]}: which one is meant?"
    elif meant:
        said = f"; did you mean {meant[0]}{f', the only ship of {owner}' if fleet else ''}?"
    elif "*" in name:
        said = ", and nothing in the game fits the pattern"
    elif 0 < len(others) <= _FEW:
        listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        said = f"; the other {'ship is' if len(others) == 1 else 'ships are'} {listed}"
    fault = line.wrong("unknown-unit", f"there is no unit {name!r}{said}")
    return msgspec.structs.replace(fault, choices=tuple(meant) if len(meant) == 1 else ())


_FEW = 5
"""So many ships are listed for who named none of them."""

LIKE = 0.75
"""How alike (0 to 1, as difflib measures it) a misspelt name and a ship's must be for the one to be taken for the
other.
"""


def spelled(orders: om.Orders, state: State, side: str) -> tuple[om.Orders, list[str]]:
    """The orders with misspelt names of ships in the headings of blocks put right, and what is said of each.

    A name that nothing in the game bears is taken for the one ship a side began with, or for the one of its ships that
    is named much like it. A ship that has a block of its own in these orders is never meant, nor is one that changed
    sides; and what once was taken for a ship stays so, whatever becomes of the others.
    """
    fleet = [
        unit
        for unit in state.units.values()
        if isinstance(unit, Ship) and (unit.captured_from or unit.side) == side and not unit.immobile
    ]
    headed = {unit.name for block in orders.units if block.unit for unit in named(state, block.unit)}
    blocks: list[om.UnitOrders] = []
    said: list[str] = []
    for block in orders.units:
        meant = None if block.shuttle or not block.unit or named(state, block.unit) else _meant(block.unit, fleet)
        if meant is None or meant.name in headed or meant.side != side:
            blocks.append(block)
            continue
        headed.add(meant.name)
        why = "your only ship" if len(fleet) == 1 else "the ship of yours named most like it"
        said.append(f"there is no ship {block.unit!r}; its block is taken for {meant.name}, {why}")
        blocks.append(msgspec.structs.replace(block, unit=meant.name))
    return msgspec.structs.replace(orders, units=tuple(blocks)), said


def _meant(word: str, fleet: Sequence[Ship]) -> Ship | None:
    """The ship a name that none bears is taken for; ``None`` where that is not plain."""
    if (single := only(fleet)) is not None:
        return single
    wanted = " ".join(word.casefold().split())
    close = [
        ship
        for ship in fleet
        if any(
            difflib.SequenceMatcher(None, wanted, name.casefold()).ratio() >= LIKE
            for name in (ship.name, ship.class_name)
        )
    ]
    return only(close)


def hint(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word.lower(), [name.lower() for name in known], n=1)
    return f"; did you mean {next(n for n in known if n.lower() == close[0])}?" if close else ""


def _refs(condition: om.Condition) -> Iterator[om.UnitRef]:
    return filter(None, map(om.subject, _parts(condition)))


def _parts(condition: om.Condition) -> Iterator[om.Condition]:
    """The conditions that AND, OR and NOT are made of."""
    match condition:
        case om.All(of=parts) | om.AnyOf(of=parts):
            for part in parts:
                yield from _parts(part)
        case om.Negation(of=part):
            yield from _parts(part)
        case _:
            yield condition


def named_in(activity: om.Activity) -> list[om.UnitRef]:
    """The units an activity names."""
    found = (getattr(activity, field, None) for field in ("target", "unit", "to"))
    return [ref for ref in found if isinstance(ref, om.UnitRef)]


def about_the_gone(state: State, request: Request, order: om.Order) -> tuple[list[Fault], str]:
    """What is said of an order whose target is out of play: it is refused where orders for a new turn are written; in
    a rebid it may stand there from before, does no harm, and depends on what is no more.
    """
    gone = _gone_targets(state, order)
    if request.impulse > 0:
        return [], f"on {' and '.join(f'{unit.name}, which is {how}' for unit, how in gone)}" if gone else ""
    faults = [order.wrong("gone", f"{unit.name} is {how}: nothing can be done to it", "E1.1") for unit, how in gone]
    return faults, ""


def _gone_targets(state: State, order: om.Order) -> list[tuple[AnyUnit, str]]:
    """The units an order names as its targets that are out of play, each with how it went."""
    found: dict[str, tuple[AnyUnit, str]] = {}
    for ref in (ref for activity in order.does for ref in named_in(activity) if ref.how == "name"):
        units = [state.units[ref.name]] if ref.name in state.units else named(state, ref.name)
        if units and not any(unit.in_play for unit in units):
            unit = units[0]
            found[unit.name] = unit, unit.gone if unit.gone == Gone.NOT_YET else f"gone ({unit.gone})"
    return list(found.values())


def verify_own(state: State, side: str, who: om.UnitRef) -> None:
    """Nobody guides another side's weapons, or anything that is none (F2.0)."""
    if who.how == "me":
        raise NotAllowed("not-a-seeker", "ME is no seeking weapon; only these are guided", "F2.0")
    if who.how in ("enemy", "nearest"):
        said = f"{who.how} {who.what}".strip().upper()
        text = f"{said} is of the enemy, and you guide your own: name one, like KD/1, or many, like KD/*"
        raise NotAllowed("not-yours", text, "F2.0")
    unit = state.units.get(who.name) if who.how == "name" else None
    if unit is None:
        return
    if unit.side != side:
        raise NotAllowed("not-yours", f"{unit.name} is not {side}'s, so {side} cannot guide it", "F2.0")
    if not (isinstance(unit, Seeker) or (isinstance(unit, Shuttle) and unit.target)):
        raise NotAllowed("not-a-seeker", f"{unit.name} is no seeking weapon; only these are guided", "F2.0")
