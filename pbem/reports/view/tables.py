"""Data for the tables of a report: orders with their results line by line, and the state of ships.

The ship tables cover positions, displays, weapons, and the energy that only the owner sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from pbem.data.ships import in_order, weapon_place
from pbem.data.terms import FormKind, MutinyState, WeaponState
from pbem.engine import events as ev
from pbem.engine.checking.never import holds_already
from pbem.engine.log import fold
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State, Weapon
from pbem.engine.steps.sensors import veil_of
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from pbem.reports.text import sentences
from pbem.reports.text.sentences import moment
from pbem.reports.view import model
from pbem.reports.view.facts import marks_of, of_ship, of_systems
from pbem.reports.view.reader_log import VisibleEvent
from pbem.rules.direct_fire import is_phaser
from pbem.rules.weapons import family
from pbem.util import regex

STOOD = "it was so when these orders began, and a break waits for what becomes true"
BROKE, WAITS, NEVER = "broke", "waits", "did not act"
"""Three results of an order: its break stopped play; it has no result yet; or it never had any effect.

A break is a condition on which play stops and a side is asked for new orders.
"""


def orders_told(later: Sequence[VisibleEvent], before: State, state: State, side: str) -> tuple[model.OrderSet, ...]:
    """Return the reader's orders in the turn shown, with the result of each line and its reason.

    The umpire gets the orders of all sides.

    Args:
        later: The events of the turn shown and later, as the reader sees them.
        before: The state at the start of the turn shown.
        state: The state now.
        side: The reader.
    """
    sets: list[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]] = []
    places: list[int] = []
    for place, item in enumerate(later):
        event = item.event
        if isinstance(event, ev.OrdersFiled) and side in (event.side, ev.UMPIRE):
            if event.continued:
                # CONTINUE keeps the orders that were in force before.
                standing = before.standing.get(event.side)
                old = next(
                    (f.text for f, _ in reversed(sets) if f.side == event.side), standing.text if standing else ""
                )
                event = replace(event, text=old or event.text)
            sets.append((event, []))
            places.append(place)
        elif isinstance(event, ev.Broke) and event.line:
            # A break that occurred is shown as the result of its order line.
            broke = ev.OrderTold(
                turn=event.turn, impulse=event.impulse, step=event.step, side=event.side, unit="",
                line=event.line, order="", result=BROKE,
            )  # fmt: skip
            _add_result(sets, broke, item.fresh)
        elif isinstance(event, ev.OrderTold):
            _add_result(sets, event, item.fresh)
    latest = {filed.side: number for number, (filed, _) in enumerate(sets) if filed.form != FormKind.EAF}
    found = []
    for number, (filed, told) in enumerate(sets):
        last = latest.get(filed.side) == number
        idle = _idle_results(filed, _lines_told(sets[: number + 1], filed.side), state) if last else []
        spent = _spent_before(sets, number)
        after = next((n for n in range(number + 1, len(sets)) if sets[n][0].side == filed.side), None)
        if after is not None and sets[after][0].continued:
            # CONTINUE kept these orders in force: later results are shown with the later set.
            spent |= frozenset(range(1, filed.text.count("\n") + 2))
        orders = _order_set(filed, [*told, *idle], spent, state, in_force=last and not state.over)
        # If they were replaced before the last report, that report already had their results.
        ended = after is not None and not later[places[after]].fresh
        orders = replace(orders, past=ended and not any(fresh for _, fresh in told))
        began = [item.event for item in later[: places[number] + 1]]
        found.append(_with_breaks_that_stood(orders, filed, partial(fold, began, before)))
    return tuple(found)


def _with_breaks_that_stood(
    orders: model.OrderSet, filed: ev.OrdersFiled, began: Callable[[], State]
) -> model.OrderSet:
    """Return the orders with an explanation at each break that was true when they came into force.

    A break is a condition on which play stops. A condition that is already true cannot become true and stops nothing.
    """
    silent = {line.line for line in orders.lines if line.silent}
    units = _units(filed) if silent else ()
    breaks = [(unit.unit, line) for unit in units for line in unit.breaks if line.line in silent]
    if not breaks:
        return orders
    state = began()
    stood = {line.line for unit, line in breaks if holds_already(state, unit, line)}
    lines = (replace(line, why=STOOD) if line.line in stood else line for line in orders.lines)
    return replace(orders, lines=tuple(lines)) if stood else orders


def _units(filed: ev.OrdersFiled) -> tuple[om.UnitOrders, ...]:
    """Return the blocks of an order text by unit; the text was accepted before, so faults are not checked."""
    return read_orders(filed.text, header=False).orders.units


def _lines_told(sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], side: str) -> set[int]:
    """Return the line numbers in a side's latest orders that have a result.

    If the latest orders are CONTINUE, results of the orders that stayed in force count too.
    """
    lines: set[int] = set()
    for filed, told in reversed([it for it in sets if it[0].side == side]):
        lines |= {event.line for event, _ in told}
        if not filed.continued:
            break
    return lines


def _idle_results(filed: ev.OrdersFiled, told: set[int], state: State) -> list[tuple[ev.OrderTold, bool]]:
    """Return a "did not act" result for each order that has no result and whose turn is over.

    The log has no such event.
    """
    asked = state.request
    begins = asked is not None and asked.impulse == 0 and asked.turn > filed.turn
    if not (state.over or begins):
        return []
    found: list[tuple[ev.OrderTold, bool]] = []
    for block in _units(filed):
        reactions = block.plot.reactions if block.plot else ()
        tacs = block.plot.tacs if block.plot else ()
        doing = [order for order in block.do if not all(isinstance(it, om.Guide) for it in order.does)]
        for line in (*reactions, *tacs, *doing):
            if line.line in told:
                continue
            gone = _gone_target(line, state)
            why = gone or _why_idle(line, state)
            result = "disarmed" if gone else "did not act"
            at = state.impulses if not state.over else state.impulse
            said = ev.OrderTold(
                turn=filed.turn, impulse=at, side=filed.side, unit=block.unit, line=line.line, order=line.text,
                result=result, reason=why, spent=True,
            )  # fmt: skip
            found.append((said, True))
    return found


def _why_idle(line: om.SourceLine, state: State) -> str:
    moment = getattr(line, "at", None)
    later = getattr(line, "last", False) or (moment is not None and moment > state.impulse)
    if state.over and later:
        return "the game was over before its moment"
    waited = getattr(line, "condition", None) is not None
    return "its condition did not come true" if waited else "there was nothing for it to act on"


def _gone_target(line: om.SourceLine, state: State) -> str:
    """Return the reason why the target of an order is out of play; empty if it is in play."""
    for activity in getattr(line, "does", ()):
        ref = getattr(activity, "target", None)
        if isinstance(ref, om.UnitRef) and ref.how == "name":
            for name, unit in state.units.items():
                if name.casefold() == ref.name.casefold() and unit.gone:
                    return f"{name}: {unit.gone}"
    return ""


def _spent_before(
    sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], number: int
) -> frozenset[int]:
    """Return the numbers of the order lines that were used up before CONTINUE kept the orders in force.

    These lines do not act again. ``number`` is the index of the order set in ``sets``.
    """
    side, spent = sets[number][0].side, set[int]()
    while number >= 0 and sets[number][0].continued:
        number = next((n for n in reversed(range(number)) if sets[n][0].side == side), -1)
        if number >= 0:
            spent |= {event.line for event, _ in sets[number][1] if event.spent}
    return frozenset(spent)


def _add_result(
    sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], told: ev.OrderTold, fresh: bool
) -> None:
    """Add a result to the latest order set of the side that it concerns.

    ``fresh`` says whether the result is news to the reader.
    """
    for filed, those in reversed(sets):
        if filed.side == told.side:
            those.append((told, fresh))
            return


def _waiting(lines: Sequence[str]) -> frozenset[int]:
    """Return the line numbers of orders that wait for a certain time or condition.

    These are all lines in the DO, BREAK and PLOT sections. ``lines`` are orders in normal form.
    """
    found: set[int] = set()
    heading = ""
    for number, text in enumerate(lines, start=1):
        if not text.startswith(" "):
            heading = text.split(" ", 1)[0]
        elif heading in ("DO", "BREAK", "PLOT", "COURSE"):
            found.add(number)
    return frozenset(found)


def _lines_of_lost_units(lines: Sequence[str], state: State) -> frozenset[int]:
    """Return the numbers of the order lines of units that can no longer carry out orders.

    Such a unit is out of play, or is a shuttle that was launched as a bomb (J2.22).
    """
    found: set[int] = set()
    gone = False
    for number, text in enumerate(lines, start=1):
        word, _, name = text.partition(" ")
        if word in ("SHIP", "SHUTTLE"):
            unit = state.units.get(name.strip().strip('"'))
            gone = unit is not None and (not unit.in_play or (isinstance(unit, Shuttle) and bool(unit.target)))
        elif gone:
            found.add(number)
    return frozenset(found)


_MOMENT = regex(r"\s*(?:AT (\d+) |TAC [LR] AT (\d+)$)")


def _is_past(text: str, filed: ev.OrdersFiled, state: State) -> bool:
    """Return whether the impulse that an order line names is over, so that the line can no longer act."""
    named = _MOMENT.match(text)
    return named is not None and (filed.turn, int(named[1] or named[2])) < (state.turn, state.impulse)


def _order_set(
    filed: ev.OrdersFiled,
    told: Sequence[tuple[ev.OrderTold, bool]],
    spent: frozenset[int],
    state: State,
    *,
    in_force: bool,
) -> model.OrderSet:
    lines = filed.text.split("\n")
    waiting = _waiting(lines) - spent if filed.form != FormKind.EAF else frozenset[int]()
    gone = _lines_of_lost_units(lines, state)
    asked = state.request
    running = in_force and (asked is None or asked.turn == filed.turn)
    by_line: dict[int, list[model.OrderResult]] = {}
    more: list[model.OrderResult] = []
    for event, fresh in told:
        this = model.OrderResult(
            turn=event.turn,
            impulse=event.impulse,
            unit=event.unit,
            result=event.result,
            reason=event.reason,
            order=event.order,
            rule=event.rule,
            fresh=fresh,
        )
        if 1 <= event.line <= len(lines) and lines[event.line - 1].strip():
            by_line.setdefault(event.line, []).append(this)
        else:
            more.append(this)
    return model.OrderSet(
        side=filed.side,
        turn=filed.turn,
        request=filed.request,
        form=filed.form,
        continued=filed.continued,
        in_force=in_force,
        lines=tuple(
            model.OrderLine(
                line=number,
                text=text.rstrip(),
                told=tuple(by_line.get(number, ())),
                silent=""
                if number not in waiting or number in by_line
                else WAITS
                if running and number not in gone and not _is_past(text, filed, state)
                else NEVER,
            )
            for number, text in enumerate(lines, start=1)
            if text.strip()
        ),
        more=tuple(more),
    )


def type_of(unit: AnyUnit) -> str:
    """Return a short description of what a unit is.

    For a ship, the description is race and class (``KLIN D6``); for a seeking weapon or a monster, it is the kind.
    """
    if isinstance(unit, Seeker):
        return unit.weapon
    if isinstance(unit, Monster):
        kind = unit.monster.replace("_", " ")
        return "monster" if kind == unit.name.casefold() else kind
    return (unit.class_name or unit.race) if isinstance(unit, Ship) else type(unit).__name__.lower()


def unit_now(unit: AnyUnit, state: State, start: AnyUnit | None, mine: bool) -> model.UnitStatus:
    """Return the present state of a unit as reports show it.

    ``start`` is the unit as first placed on the map. ``mine`` says whether the unit belongs to the reader.
    """
    found = model.UnitStatus(
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
        return replace(found, shields=shields, marks=marks, immobile=unit.terms.immobile)
    found = replace(found, marks=marks_of(unit, state))
    if isinstance(unit, Planet):
        return replace(found, immobile=True, hexes=unit.hexes)
    if isinstance(unit, Seeker):
        return replace(found, target=unit.target, last_impulse=moment(unit.endurance, state) if unit.endurance else "")
    return replace(found, target=unit.target) if isinstance(unit, Shuttle) else found


def _state_of(unit: Ship, state: State) -> tuple[str, ...]:
    """Return short remarks on capture, mutiny and tractor links of a ship, for the table of positions."""
    if unit.gone:
        return ()
    found = [f"captured from {unit.people.captured_from}"] if unit.people.captured_from else []
    found += ["in mutiny"] if unit.people.mutiny == MutinyState.STAGED else []
    found += [f"held by {link.ship}" for link in state.holders(unit.name)]
    found += [f"holds {link.target}" for link in state.held_by(unit.name)]
    return tuple(found)


def cloak_words(unit: Ship, state: State) -> tuple[str, ...]:
    """Return a description of what all sides may see of a ship's cloaking device (G13.0).

    The result is ``cloaked``, ``fading`` with the number of hexes added to the range, or empty.
    """
    if not unit.cloaking.state or unit.gone:
        return ()
    now = veil_of(state, unit)
    if now.hidden:
        return ("cloaked",)
    return (f"fading, range +{now.addition}",) if now.addition else ()


def ssd(unit: Ship, start: AnyUnit | None, before: AnyUnit | None, state: State, mine: bool) -> model.ShipDisplay:
    """Return the display of a ship now, together with its boxes at the start of the turn and of the game.

    ``before`` is the ship at the start of the turn, and ``start`` the ship as first placed.
    """
    first = start if isinstance(start, Ship) else unit
    earlier = before if isinstance(before, Ship) else first
    return model.ShipDisplay(
        unit=unit.name,
        side=unit.side,
        type=type_of(unit),
        gone=unit.gone,
        internals=unit.internals,
        shields=tuple(
            model.Boxes(name=f"#{number}", now=now, before=then, start=at_first)
            for number, (now, then, at_first) in enumerate(
                zip(unit.shields, earlier.shields, first.shields, strict=True), start=1
            )
        ),
        systems=tuple(
            model.Boxes(
                name=name,
                now=unit.boxes.get(name, 0),
                before=earlier.boxes.get(name, 0),
                start=first.boxes[name],
            )
            for name in in_order(first.boxes)
            if first.boxes[name]
        ),
        weapons=tuple(
            model.DisplayWeapon(
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
    """Return a description of what a reader may know about one weapon.

    Damage and the last shot are public. Only the owner (``mine``) sees the charge.
    """
    if not weapon.working:
        return "destroyed"
    said: list[str] = []
    if mine:
        said.append("rolling delay" if weapon.charge == WeaponState.ROLLING else weapon.charge)
        if weapon.armed_turns:
            said.append(f"{sentences.several(weapon.armed_turns, 'turn')} of arming")
        if family(weapon.kind).ammunition:
            said.append(sentences.several(weapon.ammo, "drone") if weapon.ammo else "empty")
    if weapon.fired is not None:
        said.append(f"fired {moment(weapon.fired, state)}")
    return ", ".join(part for part in said if part)


def energy(ship: Ship) -> model.Energy:
    """Return the data on a ship's energy, which only the ship's owner may see."""
    return model.Energy(
        unit=ship.name,
        lines=ship.power.lines,
        capacitor=ship.power.capacitor,
        batteries=ship.power.batteries,
        general=ship.power.general,
        reinforcement=ship.power.reinforcement,
        systems=of_systems(ship),
    )
