"""The sheets in the windows beside the map: SSDs of all ships, and private sheets of a side's ships.

Only the companion module has these windows. SSDs show what everybody may see (D4.1): boxes, weapons and crew.
Private sheets (called "Papers" in the module) show what only the owner knows (B3.0, H6.0, FD1.2). Files made for
everybody contain no private sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pbem.data.ships import weapon_place
from pbem.engine import events as ev
from pbem.engine.log import fold
from pbem.engine.state import AnyUnit, Seeker, Ship, Shuttle, State
from pbem.reports.text.sentences import moment
from pbem.reports.view.facts import of_ship
from pbem.reports.view.model import Energy
from pbem.reports.view.tables import energy, weapon_words
from pbem.vassal_bridge.binding import marked
from pbem.vassal_bridge.companion import papers
from pbem.vassal_bridge.companion.papers import boards, paper_window, places, race_of, spot, ssd_window
from pbem.vassal_bridge.companion.ssd import CROSSED, FACTS, MARK, SHIP_NAME, SsdLayout, box_counts, crossed, plan_of
from pbem.vassal_bridge.scene import MARKER_PREFIX, BoundMap, PlannedCounter
from vassal.pieces.piece import Look
from vassal.text.leaves import BoardChoice

if TYPE_CHECKING:
    from vassal.module.module import Module
    from vassal.pieces.piece import Piece

SSD_PREFIX, PAPER_PREFIX = f"{MARKER_PREFIX}ssd ", f"{MARKER_PREFIX}papers "


class SideKnowledge(NamedTuple):
    """The name of a side, and the state of the game as that side knows it."""

    side: str
    state: State


def seen_from(records: Iterable[ev.Record], side: str) -> SideKnowledge | None:
    """Return what a side knows: its name, and the game state built from the events it may see.

    Return ``None`` if ``side`` is empty.
    """
    if not side:
        return None
    return SideKnowledge(side, fold(event for record in records if (event := ev.seen_by(record, side)) is not None))


def ssd_id(name: str) -> str:
    """Return the piece id of the SSD of the ship of that name."""
    return SSD_PREFIX + name


def has_windows(module: Module) -> bool:
    """Return whether a module has windows for sheets; only the present companion module has them."""
    return any(one.name == ssd_window("federation") for one in module.maps)


def window_boards(state: State, module: Module) -> dict[str, tuple[BoardChoice, ...]]:
    """Return, by window name, the smallest board for each sheet window that suffices for the game.

    If a module lacks the board for a window, the window gets the module's usual boards.
    """
    if not has_windows(module):
        return {}
    found = {}
    for window, board in boards(state).items():
        known = module.map(window)
        has = any(one.name == board for one in known.boards)
        found[window] = (BoardChoice(board),) if has else known.usual_boards
    return found


def sheet_ids(name: str) -> tuple[str, ...]:
    """Return the piece ids of both sheets of the ship of that name."""
    return ssd_id(name), PAPER_PREFIX + name


def is_sheet(piece_id: str) -> bool:
    """Return whether a piece id is that of a sheet (an SSD or a private sheet)."""
    return piece_id.startswith((SSD_PREFIX, PAPER_PREFIX))


def is_paper(piece_id: str) -> bool:
    """Return whether a piece id is that of a private sheet."""
    return piece_id.startswith(PAPER_PREFIX)


def about_sheet(piece_id: str) -> str:
    """Return the name of a sheet for messages, such as "the SSD of Constellation"."""
    if is_paper(piece_id):
        return f"the papers of {piece_id.removeprefix(PAPER_PREFIX)}"
    return f"the SSD of {piece_id.removeprefix(SSD_PREFIX)}"


def sheets(state: State, table: BoundMap, own: SideKnowledge | None = None) -> Iterator[PlannedCounter]:
    """Yield the SSD counters of all ships in play and, with ``own``, that side's private sheets."""
    for unit in state.in_play():
        yield from sheets_of(unit, state, table)
        if own is not None:
            yield from papers_of(unit, state, table, own)


def papers_of(unit: AnyUnit, state: State, table: BoundMap, own: SideKnowledge) -> Iterator[PlannedCounter]:
    """Yield the private sheet of a unit, if the unit is a ship of the side in ``own``.

    Nothing is yielded for a race that nobody plays, because it has no window for private sheets.
    """
    known = own.state.units.get(unit.name)
    if not isinstance(known, Ship) or not known.belongs_to(own.side) or not has_windows(table.module):
        return
    race = race_of(known)
    slot, at = marked(table.module, {papers.MARK: race}), spot(places(state)[unit.name], papers.HIGH)
    if slot is None or at is None:
        return
    name, about = PAPER_PREFIX + unit.name, about_sheet(PAPER_PREFIX + unit.name)
    look = partial(_paper_look, ship=known, state=own.state)
    yield PlannedCounter(name, slot, at, look, about, paper_window(race))


def _paper_look(_: Piece, ship: Ship, state: State) -> Look:
    known = energy(ship)
    spent = [*known.lines, *_held(known), *(f"{fact.what}: {fact.words}" for fact in known.systems)]
    arms = [_armed(name, ship, state) for name in sorted(ship.weapons, key=weapon_place)]
    fields = {
        **papers.ENERGY.fitted(spent),
        **papers.WEAPONS.fitted(arms),
        **papers.FLYING.fitted(_under_way(ship, state)),
    }
    when = f"{state.game} {state.turn}.{state.impulse}"
    return Look(labels={papers.SHIP_NAME: ship.name, papers.MOMENT: when}, properties=fields)


def _held(known: Energy) -> Iterator[str]:
    """Yield a text for each kind of energy that a ship has stored, in energy points (B3.2, H6.0)."""
    if known.capacitor:
        yield f"capacitor {known.capacitor:g}"
    if known.batteries:
        yield f"batteries {known.batteries}"
    if known.general:
        yield f"general reinforcement {known.general}"
    for number, points in enumerate(known.reinforcement, start=1):
        if points:
            yield f"reinforcement of #{number}: {points}"


def _armed(name: str, ship: Ship, state: State) -> str:
    words = weapon_words(ship.weapons[name], state, mine=True)
    return f"{name}: {words}" if words else name


def _under_way(ship: Ship, state: State) -> Iterator[str]:
    """Yield lines about a ship's drones, torpedoes and shuttles, with facts only the owner knows (FD1.2)."""
    for unit in state.in_play():
        if isinstance(unit, Seeker) and unit.launcher == ship.name and unit.belongs_to(ship.side):
            kind = f"{unit.weapon} {unit.torpedo}".strip()
            last = f", until {moment(unit.endurance, state)}" if unit.endurance else ""
            yield f"{unit.name}, {kind} at {unit.target or 'nobody'}: {unit.at}, speed {unit.speed}{last}"
        if isinstance(unit, Shuttle) and unit.launcher == ship.name and unit.belongs_to(ship.side):
            yield f"{unit.name}, shuttle: {unit.at}, speed {unit.speed}"
    yield from (f"{fact.what}: {fact.words}" for fact in of_ship(ship, state, mine=True))


def sheets_of(unit: AnyUnit, state: State, table: BoundMap) -> Iterator[PlannedCounter]:
    """Yield the SSD counter of a unit if the unit is a ship and the module has a window for SSDs."""
    if isinstance(unit, Ship) and has_windows(table.module) and not isinstance(found := _ssd(unit, state, table), str):
        yield found


def sheet_lacks(unit: AnyUnit, state: State, table: BoundMap) -> str:
    """Return why a ship gets no SSD although the module has windows for SSDs; empty if it does get an SSD."""
    found = _ssd(unit, state, table) if isinstance(unit, Ship) and has_windows(table.module) else ""
    return found if isinstance(found, str) else ""


def _ssd(ship: Ship, state: State, table: BoundMap) -> PlannedCounter | str:
    """Return the SSD counter of a ship, or a sentence that says why the ship has none.

    A ship with more boxes than its class gets no SSD, because the SSD of the class would be wrong for it.
    """
    slot = marked(table.module, {MARK: ship.ship})
    if slot is None:
        return "it gets no SSD: the module has none of its class"
    plan = plan_of(ship.ship)
    at = spot(places(state)[ship.name], plan.high)
    if at is None:
        return "it gets no SSD: their window is full"
    if more := _beyond(ship, plan):
        return f"it gets no SSD: that of its class has no place for all it has of {', '.join(more)}"
    look = partial(_ssd_look, ship=ship, state=state, plan=plan)
    return PlannedCounter(ssd_id(ship.name), slot, at, look, about_sheet(ssd_id(ship.name)), ssd_window(race_of(ship)))


def _beyond(ship: Ship, plan: SsdLayout) -> list[str]:
    """Return the names of weapons and boxes that a ship has beyond those on the SSD of its class."""
    counts = box_counts(plan.ship)
    drawn = {mount.name for mount in plan.mounts}
    return [name for name in ship.weapons if name not in drawn] + [
        name for name, left in _left(ship).items() if left > counts.get(name, 0)
    ]


def _left(ship: Ship) -> dict[str, int]:
    return {**{f"shield {number}": left for number, left in enumerate(ship.shields, start=1)}, **ship.boxes}


def _ssd_look(_: Piece, ship: Ship, state: State, plan: SsdLayout) -> Look:
    left = _left(ship)
    lost = {name: count - left.get(name, 0) for name, count in box_counts(plan.ship).items()}
    lost[CROSSED] = ship.internals
    gone = frozenset(mount.name for mount in plan.mounts if not _works(ship, mount.name))
    facts = [f"{fact.what} {fact.words}" for fact in of_ship(ship, state, mine=False)]
    return Look(labels={SHIP_NAME: ship.name, FACTS: " \u00b7 ".join(facts)}, layers=crossed(plan, lost, gone))


def _works(ship: Ship, weapon: str) -> bool:
    return weapon in ship.weapons and ship.weapons[weapon].working
