"""Check the names of units in orders.

A unit named in an order must exist, or must be a drone or shuttle that may still be launched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pbem.data.terms import UnitFate
from pbem.engine.conditions.scene import fitting, named
from pbem.engine.relations import fleet
from pbem.engine.state import AnyUnit, Request, Seeker, Ship, Shuttle, State
from pbem.engine.steps.launching import spec_of
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.util import only, regex

FUTURE_UNIT = regex(r"[A-Z]{1,2}/(\d+|\*)", re.IGNORECASE)
"""Pattern of the name of a small unit such as a drone (KD/1, KD/*). The unit may not exist yet."""


def check_units(
    state: State, ship: AnyUnit, refs: Sequence[om.UnitRef], line: om.SourceLine, condition: om.Condition | None = None
) -> list[Fault]:
    """Return faults for units named in an order that do not exist and cannot still be launched."""
    faults = []
    for ref in [*refs, *(_refs(condition) if condition is not None else ())]:
        if ref.how not in ("name", "pattern") or FUTURE_UNIT.fullmatch(ref.name):
            continue
        found = named(state, ref.name) if ref.how == "name" else fitting(state, ref.name)[:1]
        if len(found) > 1:
            choices = tuple(unit.name for unit in found)
            faults.append(
                line.wrong("ambiguous-unit", f"{ref.name!r} can mean {' or '.join(choices)}", choices=choices)
            )
        elif not found:
            faults.append(_unknown(state, ship, ref.name, line))
    if condition is not None and isinstance(ship, Ship):
        faults += _not_aboard(ship, condition, line)
    return faults


def _not_aboard(ship: Ship, condition: om.Condition, line: om.SourceLine) -> Iterator[Fault]:
    """Yield a fault for each weapon that a condition asks about but that is not on the ship's SSD."""
    for part in om.parts(condition):
        for weapon in part.own_weapons:
            try:
                spec_of(ship, weapon)
            except NotAllowed as refused:
                yield refused.fault(line.line, line.column)


def _unknown(state: State, ship: AnyUnit, name: str, line: om.SourceLine) -> Fault:
    """Return the fault for an unknown unit name, with a suggestion which unit the player meant.

    The suggestion is a unit with a similar name, a unit whose name begins with the written word, or the only ship of
    the side or race that the player wrote. If there is no suggestion, the fault lists the other ships.
    """
    owner = name[4:] if name.casefold().startswith("the ") else name
    wanted = owner.casefold()
    others = [other for other in state.ships() if other.name != ship.name]
    fleet = [
        other.name
        for other in others
        if wanted in (other.side.casefold(), other.class_name.casefold().partition(" ")[0])
    ]
    meant = fleet or _similar(wanted, state.units)
    if wanted == "edge":
        meant, hint_text = [], "; write an edge of the map with its direction, like EDGE B"
    elif len(fleet) > 1:
        hint_text = f"; {owner} has {', '.join(fleet[:-1])} and {fleet[-1]}; write one of them"
    elif meant:
        hint_text = f"; did you mean {meant[0]}{f', the only ship of {owner}' if fleet else ''}?"
    elif "*" in name:
        hint_text = ", and nothing in the game fits the pattern"
    else:
        hint_text = _listed([other.name for other in others])
    fault = line.wrong("unknown-unit", f"there is no unit {name!r}{hint_text}")
    return msgspec.structs.replace(fault, choices=tuple(meant) if len(meant) == 1 else ())


def _similar(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the unit name that ``wanted`` most probably means, as a list; empty if none is similar.

    The name is the only one that begins with ``wanted``, or else the most similar one.
    """
    units = {name.casefold(): name for name in names}
    short = [name for name in units if len(wanted) > 1 and name.startswith(wanted)]
    near = short if len(short) == 1 else difflib.get_close_matches(wanted, units, n=1)
    return [units[name] for name in near]


def _listed(others: list[str]) -> str:
    """Return a text that lists the names of the other ships; empty if there are none or too many."""
    if not 0 < len(others) <= _FEW:
        return ""
    listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
    return f"; the other {'ship is' if len(others) == 1 else 'ships are'} {listed}"


_FEW = 5
"""Maximum number of other ships that the fault for an unknown name lists."""

LIKE = 0.75
"""Least similarity (0 to 1, as difflib measures it) at which a misspelled name is accepted as a ship's name."""


def correct_unit_names(orders: om.Orders, state: State, side: str) -> tuple[om.Orders, list[str]]:
    """Return the orders with misspelled ship names corrected, and a remark on each correction.

    Only the names in block headings are corrected. An unknown name is taken to mean the ship with a similar name among
    the ships with which the side began the game, or its only ship. It is never taken to mean a ship that has its own
    block in these orders, or a ship that changed sides. The same name is taken to mean the same ship throughout the
    game, whatever happens to the other ships.
    """
    ships = fleet(state, side)
    headed = {unit.name for block in orders.units if block.unit for unit in named(state, block.unit)}
    blocks: list[om.UnitOrders] = []
    remarks: list[str] = []
    for block in orders.units:
        meant = None if block.shuttle or not block.unit or named(state, block.unit) else _meant(block.unit, ships)
        if meant is None or meant.name in headed or not meant.belongs_to(side):
            blocks.append(block)
            continue
        headed.add(meant.name)
        why = "your only ship" if len(ships) == 1 else "the ship of yours named most like it"
        remarks.append(f"there is no ship {block.unit!r}; its block is taken for {meant.name}, {why}")
        blocks.append(msgspec.structs.replace(block, unit=meant.name))
    return msgspec.structs.replace(orders, units=tuple(blocks)), remarks


def _meant(word: str, fleet: Sequence[Ship]) -> Ship | None:
    """Return the ship that an unknown name is taken to mean, or ``None`` if that is not clear."""
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
    """Return ``; did you mean …?`` with the known name that is most similar to ``word``.

    The result is empty if no name is similar.
    """
    close = difflib.get_close_matches(word.lower(), [name.lower() for name in known], n=1)
    return f"; did you mean {next(n for n in known if n.lower() == close[0])}?" if close else ""


def _refs(condition: om.Condition) -> Iterator[om.UnitRef]:
    return filter(None, map(om.subject, om.parts(condition)))


def named_in(activity: om.Activity) -> list[om.UnitRef]:
    """Return the references to units that an activity contains."""
    found = (getattr(activity, field, None) for field in ("target", "unit", "to"))
    return [ref for ref in found if isinstance(ref, om.UnitRef)]


def about_the_gone(state: State, request: Request, order: om.Order) -> tuple[list[Fault], str]:
    """Return the faults of an order whose targets are out of play, and a text on what it depends on.

    At the start of a turn such an order is refused. During a turn it may be left over from earlier orders and does no
    harm; then there is no fault, and the text tells the player that the order depends on a unit that is out of play.
    """
    gone = _gone_targets(state, order)
    if request.impulse > 0:
        return [], f"on {' and '.join(f'{unit.name}, which is {how}' for unit, how in gone)}" if gone else ""
    faults = [order.wrong("gone", f"{unit.name} is {how} and cannot be a target", "E1.1") for unit, how in gone]
    return faults, ""


def _gone_targets(state: State, order: om.Order) -> list[tuple[AnyUnit, str]]:
    """Return the targets of an order that are out of play, with a text on how each of them left play."""
    found: dict[str, tuple[AnyUnit, str]] = {}
    for ref in (ref for activity in order.does for ref in named_in(activity) if ref.how == "name"):
        units = [state.units[ref.name]] if ref.name in state.units else named(state, ref.name)
        if units and not any(unit.in_play for unit in units):
            unit = units[0]
            found[unit.name] = unit, unit.gone if unit.gone == UnitFate.NOT_YET else f"gone ({unit.gone})"
    return list(found.values())


def verify_own(state: State, side: str, who: om.UnitRef) -> None:
    """Check that a GUIDE order is for a seeking weapon of the player's own side (F2.0).

    Raises:
        NotAllowed: The order names ME, an enemy, or a unit that is not a seeking weapon of this side.
    """
    if who.how == "me":
        raise NotAllowed("not-a-seeker", "ME is not a seeking weapon; only seeking weapons can be guided", "F2.0")
    if who.how in ("enemy", "nearest"):
        words = f"{who.how} {who.what}".strip().upper()
        text = f"{words} is the enemy's; guide your own, one like KD/1 or several like KD/*"
        raise NotAllowed("not-yours", text, "F2.0")
    unit = state.units.get(who.name) if who.how == "name" else None
    if unit is None:
        return
    if not unit.belongs_to(side):
        raise NotAllowed("not-yours", f"{unit.name} is not {side}'s, so {side} cannot guide it", "F2.0")
    if not (isinstance(unit, Seeker) or (isinstance(unit, Shuttle) and unit.target)):
        raise NotAllowed(
            "not-a-seeker", f"{unit.name} is not a seeking weapon; only seeking weapons can be guided", "F2.0"
        )
