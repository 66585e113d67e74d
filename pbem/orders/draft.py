"""Drafts: order files with explaining comments that a player receives, edits and sends back.

The module also removes the parts of earlier orders that are already done (:func:`trim`). The facts about a ship
come from the caller as :class:`DraftShip`; nothing in this module knows the rules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from pbem.data.terms import FormKind, impulses_in_words
from pbem.orders import model as om, vocabulary as words, writer
from pbem.orders.header import Header, header_line
from pbem.util import regex, several

_COLUMN: Final = 26
_WIDTH: Final = 72
"""Maximum number of characters of a line of the draft.

Mail programs break longer lines in an answer. The second half of a broken comment would be read as an order.
"""

NO_POWER: Final = "the ship has no power for it (B3.0)"

_WORDS: Final = regex(r'(?:"(?:[^"]|"")*"|[^\s"])+')


class DraftWeapon(msgspec.Struct, frozen=True, kw_only=True):
    """A weapon as the draft shows it to its owner.

    Attributes:
        name: Name of the weapon.
        state: A brief description of how ready the weapon is (``armed``, ``3 drones left``).
        arc: The firing arc.
        energy: A possible entry for the weapon in the energy form of this turn (``2``, ``2 WARP``, ``HOLD``); empty
            for a weapon that takes no energy.
        launches: Whether the weapon launches rather than fires.
        idle: Why the weapon can neither fire nor launch while these orders apply; empty if it can.
    """

    name: str
    state: str = ""
    arc: str = ""
    energy: str = ""
    launches: bool = False
    idle: str = ""


class DraftShip(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a ship or shuttle that a draft shows; they are secret, for its owner only.

    Attributes:
        name: Name of the unit.
        class_name: Race and class of a ship.
        position: Hex and facing.
        shuttle: Whether the unit is a shuttle.
        power: The energy points by source, such as ``("warp", 16)``.
        batteries: Points charged in the batteries, and points they can hold.
        capacitor: Points charged in the phaser capacitor, and points it can hold.
        weapons: The weapons.
        prior_speed: The speed of the turn before.
        powered: The speed that the draft suggests; ``None`` means ``prior_speed``. It is the highest speed up to
            ``prior_speed`` for which the power suffices besides the usual entries for weapons and phasers
            (:func:`usual_entries`).
        why_slower: Why ``powered`` is lower than ``prior_speed``.
        short: Whether the power is too low for everything that the draft suggests for the form.
        top_speed: The highest speed allowed now (B3.0, line 14).
        speed: The speed of this turn; ``None`` before energy is allotted.
        hexes: How many hexes the ship moves at ``speed`` until the orders end.
        maneuver: An order for the next tactical maneuver that the ship has paid for, and a comment on these maneuvers
            (C5.0); ``None`` if there is none.
        slips: Whether the ship may sideslip (C4.0).
        entries: Suggested lines of the form for other systems, each with a comment.
        acts: Suggested orders for these systems, each with a comment.
        unpaid: Items that are usually paid by default and that the power does not cover.
        cloak: The cost of the cloaking device in points a turn; ``None`` without a device (G13.32).
        cloak_orders: Whether the cloak may be ordered during the turn.
        quiet: Number of impulses at the start of the turn in which the ship may not use weapons (G13.33C).
        opens: The first impulse in which a launch is still possible.
        form: Whether the ship has an energy form.
        goal: The unit to steer for, if it is not the enemy; otherwise empty.
    """

    name: str
    class_name: str = ""
    position: str = ""
    shuttle: bool = False
    power: tuple[tuple[str, int], ...] = ()
    batteries: tuple[int, int] = (0, 0)
    capacitor: tuple[float, float] = (0, 0)
    weapons: tuple[DraftWeapon, ...] = ()
    prior_speed: int
    powered: int | None = None
    why_slower: str = "all its power"
    short: bool = False
    top_speed: int | None = None
    speed: int | None = None
    hexes: int | None = None
    maneuver: tuple[str, str] | None = None
    slips: bool = True
    entries: tuple[tuple[str, str], ...] = ()
    acts: tuple[tuple[str, str], ...] = ()
    unpaid: tuple[str, ...] = ()
    cloak: int | None = None
    cloak_orders: bool = False
    quiet: int = 0
    opens: int = 1
    form: bool = True
    goal: str = ""


# --- unfinished orders ---------------------------------------------------------------------------------------


def trim(
    orders: om.Orders, *, flown: Mapping[str, int], spent: Iterable[int] = (), acted: Sequence[int] = (), impulse: int
) -> om.Orders:
    """Return the orders in force without the parts that are already done.

    The result is the basis of the draft for new orders, and it is what the order CONTINUE keeps in force. Orders
    for an earlier impulse (AT) are left out. From impulse 1 on, the energy form and the position are left out too.
    A reaction may have put a rule to steer by in control for the rest of the plot. The last such rule is kept.

    Args:
        orders: The orders in force.
        flown: Dict of unit to the number of plot codes that the unit has used.
        spent: Line numbers of orders that acted or had their only chance.
        acted: Line numbers of orders that acted, in the sequence in which they acted.
        impulse: The impulse at which play continues.
    """
    done = frozenset(spent)
    used = {name.casefold(): count for name, count in flown.items()}
    units = tuple(_trimmed(unit, used.get(unit.unit.casefold(), 0), done, acted, impulse) for unit in orders.units)
    return msgspec.structs.replace(orders, units=units)


def _trimmed(
    unit: om.UnitOrders, flown: int, spent: frozenset[int], acted: Sequence[int], impulse: int
) -> om.UnitOrders:
    def open_(line: om.Order | om.Reaction | om.Tac) -> bool:
        return line.line not in spent and (line.at is None or line.at >= impulse)

    return msgspec.structs.replace(
        unit,
        position="",
        speed=unit.speed if unit.shuttle or impulse < 1 else None,
        energy=unit.energy if impulse < 1 else None,
        plot=unit.plot and _rest_of(unit.plot, flown, acted, open_),
        do=tuple(filter(open_, unit.do)),
    )


def _rest_of(plot: om.Plot, flown: int, acted: Sequence[int], open_: Callable[[om.Reaction | om.Tac], bool]) -> om.Plot:
    handed_over = plot.at_helm(acted)
    rest = msgspec.structs.replace(
        plot,
        codes=() if handed_over else plot.codes[flown:],
        course=() if handed_over else _legs_after(plot.course, flown),
        pilot=handed_over or plot.pilot,
        reactions=tuple(filter(open_, plot.reactions)),
        tacs=tuple(filter(open_, plot.tacs)),
    )
    return msgspec.structs.replace(rest, text=writer.plot_text(rest))


def _legs_after(course: Sequence[tuple[int, str]], flown: int) -> tuple[tuple[int, str], ...]:
    left: list[tuple[int, str]] = []
    for hexes, direction in course:
        skipped = min(hexes, flown)
        flown -= skipped
        if hexes > skipped:
            left.append((hexes - skipped, direction))
    return tuple(left)


# --- the draft -----------------------------------------------------------------------------------------------


class DraftRequest(NamedTuple):
    """A request for orders (a question to one side), with the facts that its draft needs.

    Attributes:
        game: Name of the game.
        turn: The turn.
        side: The side.
        reply: The number of the request.
        form: ``EAF`` (energy only), ``SOP`` (everything else) or ``FULL``.
        impulse: The first impulse of the orders.
        through: The last impulse of the orders.
    """

    game: str
    turn: int
    side: str
    reply: int | None
    form: str
    impulse: int = 0
    through: int = 0

    @property
    def header(self) -> Header:
        """The header line that the player's answer to the request must have."""
        form = self.form if self.form in (FormKind.EAF, FormKind.SOP) else ""
        return Header(game=self.game, turn=self.turn, side=self.side, reply=self.reply, form=form)


def draft(
    request: DraftRequest,
    ships: Sequence[DraftShip],
    *,
    standing: om.Orders | None = None,
    enemies: Sequence[str] = (),
    guided: Sequence[tuple[str, str]] = (),
    stale: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> str:
    """Return a complete order file for a player to edit; the unchanged file is already valid.

    Args:
        request: The request for orders that the file answers.
        ships: The ships and shuttles to write a block for.
        standing: The orders in force without the parts already done (:func:`trim`); the draft repeats them.
        enemies: Names of enemies for the examples.
        guided: Seeking weapons that no ship guides, each with a comment.
        stale: By unit and order, the reason why an order in force can no longer act in full.
    """
    form = request.form
    lines = [header_line(request.header), *_opening(request, standing)]
    old = {unit.unit.casefold(): unit for unit in (standing.units if standing else ())}
    target = writer.name_text(enemies[0]) if enemies else "NEAREST ENEMY SHIP"
    own = old.pop("", None)
    if guided:
        lines += ["", *([_folded(line) for line in writer.unit_lines(own)] if own else ["DO"])]
        lines += [_hint(f"GUIDE {writer.name_text(name)} LEFT", about) for name, about in guided]
        lines.append(prose("LEFT, RIGHT or STRAIGHT: which of two equally near hexes to take (F2.0)"))
    for ship in ships:
        opens = max(request.impulse, 1 + ship.quiet, ship.opens)
        block = _block(ship, old.pop(ship.name.casefold(), None), form, target, opens)
        lines += ["", *_with_reasons(block, ship.name, stale)]
    for unit in standing.units if standing else ():
        if unit.unit.casefold() in old and form != FormKind.EAF:
            block = map(_folded, writer.unit_lines(_for_form(unit, form)))
            lines += ["", *_with_reasons(block, unit.unit, stale)]
    return "\n".join([*lines, "", "END"]) + "\n"


def _with_reasons(lines: Iterable[str], unit: str, stale: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the lines of a block, each outdated order with a comment above it.

    The comment says why the order can no longer act in full.
    """
    reasons = {_folded(f"  {text}"): why for (name, text), why in stale.items() if name == unit}
    for line in lines:
        if line in reasons:
            yield prose(_plain(reasons[line]))
        yield line


def _opening(request: DraftRequest, standing: om.Orders | None) -> Iterator[str]:
    """Yield the comments at the top of a draft, which say what the orders are for."""
    if request.form == FormKind.EAF:
        yield prose(f"Energy for turn {request.turn}. You give other orders after speeds are announced.", indent="")
    else:
        when = impulses_in_words(request.impulse, request.through)
        yield prose(f"Orders for turn {request.turn}, {when}. They replace all earlier ones.", indent="")
    yield prose("Lines that begin with one # are hints: remove the # to use one.", indent="")
    if standing is not None:
        yield prose(
            "These are your orders so far, except those that are done. To keep them all, send CONTINUE.", indent=""
        )


def _for_form(unit: om.UnitOrders, form: str) -> om.UnitOrders:
    if form == FormKind.EAF:
        energy = None if unit.shuttle else unit.energy or ()
        return om.UnitOrders(unit=unit.unit, shuttle=unit.shuttle, speed=unit.speed, energy=energy)
    return msgspec.structs.replace(unit, energy=None) if form == FormKind.SOP else unit


def _known_of(ship: DraftShip) -> str:
    """Return the comment on a unit's heading: class, position and speed, as far as they are known."""
    place = f"at {ship.position}" if ship.position else ""
    speed = "" if ship.speed is None else f"speed {ship.speed}"
    return ", ".join(filter(None, (_plain(ship.class_name), place, speed)))


def _block(ship: DraftShip, old: om.UnitOrders | None, form: str, target: str, launch_at: int) -> Iterator[str]:
    kept = _for_form(old, form) if old else om.UnitOrders(unit=ship.name, shuttle=ship.shuttle)
    yield _hinted(writer.unit_text(kept), _known_of(ship))
    lines = [_folded(line) for line in writer.unit_lines(kept)][1:]
    if kept.speed is not None:
        yield lines.pop(0)
    elif (form == FormKind.SOP or ship.shuttle or not ship.form) and ship.top_speed is not None:
        about = "or less" if ship.shuttle else f"as last turn; {ship.top_speed} at most"
        yield _hint(f"SPEED {ship.prior_speed}", about)
    sections, said = _cut(lines), {line.strip() for line in lines}
    if form != FormKind.SOP and not ship.shuttle and ship.form:
        yield from sections.get("ENERGY", ["ENERGY", *(_hinted(f"  {item} 0", NO_POWER) for item in ship.unpaid)])
        yield from _unless(said, _energy_hints(ship))
    if form == FormKind.EAF:
        return
    yield from sections.get("PLOT", ["PLOT"])
    yield from _unless(said, _plot_hints(ship, target))
    yield from sections.get("DO", ["DO"])
    yield from _unless(said, _do_hints(ship, target, launch_at))
    if ship.shuttle:
        return
    yield from sections.get("BREAK", ["BREAK"])
    yield from _unless(said, (f"  # RANGE {target} <= 8", "  # ENEMY LAUNCHES SEEKER"))
    yield from sections.get("DAMAGE", ["DAMAGE"])
    last = "WEAPON " + (ship.weapons[0].name if ship.weapons else "PH 1") + " LAST"
    yield from _unless(said, [_hint(last, "or FIRST (D4.223)")])


def _cut(lines: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in lines:
        if not line.startswith(" "):
            heading = line.split(" ", 1)[0]
            section = found.setdefault("PLOT" if heading == "COURSE" else heading, [])
        section.append(line)
    return found


def _energy_hints(ship: DraftShip) -> Iterator[str]:
    total = sum(points for _, points in ship.power)
    sources = ", ".join(f"{points} {_plain(source)}" for source, points in ship.power)
    charged, boxes = ship.batteries
    yield prose(f"{total} points{f': {sources}' if sources else ''}; batteries {charged} of {boxes} charged (B3.0)")
    if not total and not charged:
        yield prose("there is no power, so nothing can be paid for")
        return
    if ship.short:
        yield prose("there is not enough power for all of these: choose")
    yield _speed_hint(ship)
    held, room = ship.capacitor
    if room and room <= held:
        yield prose(f"the capacitor is full: {held:g} of {room:g} (H6.2)")
    for entry, about in usual_entries(ship):
        yield _hint(entry, about)
    if ship.cloak is not None:
        yield _hint(f"CLOAK {ship.cloak}", "or nothing (G13.32)")
    if charged < boxes:
        yield _hint("RECHARGE 1", f"{boxes - charged} empty")
    for entry, about in ship.entries:
        yield _hint(entry, _plain(about))


def _speed_hint(ship: DraftShip) -> str:
    """Return the hint of the energy form for the speed, or a comment if there is no power to move."""
    limit = "" if ship.top_speed is None else f", {ship.top_speed} at most now"
    powered = ship.prior_speed if ship.powered is None else ship.powered
    about = "as last turn" if powered == ship.prior_speed else ship.why_slower
    if powered or not ship.prior_speed:
        return _hint(f"SPEED {powered}", f"{about}{limit}")
    return prose("there is no power to move")


def usual_entries(ship: DraftShip) -> Iterator[tuple[str, str]]:
    """Yield the usual energy entries for phasers and heavy weapons, each as (entry, comment).

    Nearly every player makes these entries besides the speed.
    """
    held, room = ship.capacitor
    if room > held:
        there = f"{held:g} of {room:g} there"
        fits = f"capacitor: {there}, {room - held:g} fit" if room - held > 1 else f"into the capacitor: {there}"
        yield f"PHASERS {min(1, room - held):g}", f"{fits} (H6)"
    yield from ((f"{weapon.name} {weapon.energy}", _plain(weapon.state)) for weapon in ship.weapons if weapon.energy)


def _plot_hints(ship: DraftShip, target: str) -> Iterator[str]:
    if ship.speed == 0 and not ship.shuttle:
        yield prose("the ship stays in its hex this turn")
        if ship.maneuver is not None:
            yield _hint(*ship.maneuver)
        return
    if ship.hexes is not None:
        yield prose(f"{several(ship.hexes, 'hex', 'hexes')} to plot; after the plot the ship goes straight on")
    slips = ("2F R F SL", "L R turn and move, SL SR sideslip")
    yield _hint(*(slips if ship.slips else ("2F R F L", "L R turn and move")))
    yield f"  # TOWARD {writer.name_text(ship.goal) if ship.goal else target}"


def _do_hints(ship: DraftShip, target: str, launch_at: int) -> Iterator[str]:
    reasons = {weapon.idle for weapon in ship.weapons}
    common = reasons.pop() if len(ship.weapons) > 1 and len(reasons) == 1 else ""
    if common:
        yield prose(f"none of its weapons can be used; each {_plain(common)}")
    for weapon in () if common else ship.weapons:
        if weapon.idle:
            yield prose(f"{weapon.name} {_plain(weapon.idle)}")
            continue
        known = ", ".join(_plain(text) for text in (weapon.arc, weapon.state) if text)
        if weapon.launches:
            yield _hint(f"AT {launch_at} LAUNCH {weapon.name} AT {target}", known)
        else:
            yield _hint(f"IF RANGE <= 4 THEN FIRE {weapon.name} AT {target}", known)
    if ship.cloak_orders:
        yield _hint(f"AT {launch_at} CLOAK", "or UNCLOAK (G13.0)")
    for order, about in ship.acts:
        yield _hint(order, _plain(about))


def _unless(said: Collection[str], hints: Iterable[str]) -> Iterator[str]:
    """Yield those suggested lines whose order is not already in the block, word for word.

    ``said`` are the orders of the block.
    """
    for hint in hints:
        order = hint.rpartition("\n")[2].partition("  # ")[2].partition("  # ")[0].rstrip()
        if order not in said:
            yield hint


def _hint(order: str, about: str) -> str:
    return _hinted(f"  # {order}", about)


def _hinted(order: str, about: str) -> str:
    """Return an order with an explaining comment after it, or above it if the line would be too long."""
    line = f"{order:<{_COLUMN}}  # {about}" if about else order
    return line if len(line) <= _WIDTH else f"{prose(about)}\n{order}"


def prose(text: str, indent: str = "  ") -> str:
    """Return sentences as comment lines of the draft, short enough that no mail program breaks them."""
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent=f"{indent}## ", subsequent_indent=f"{indent}## "))


def _folded(line: str) -> str:
    """Return a long order broken into several lines, with all lines but the first indented deeper.

    No line break is inside a quoted name, or before a word that would begin a block or a section.
    """
    if len(line) <= _WIDTH or not line.startswith(" "):
        return line
    rows: list[list[str]] = [[]]
    for word in _WORDS.findall(line):
        if sum(len(one) + 1 for one in rows[-1]) + len(word) + 7 > _WIDTH:
            kept = [rows[-1].pop()] if words.keyword(word.rstrip("),")) in words.HEADINGS and len(rows[-1]) > 1 else []
            rows.append(kept)
        rows[-1].append(word)
    return "  " + "\n      ".join(" ".join(row) for row in rows)


def _plain(text: str) -> str:
    """Return a text with each line break replaced by a blank, so that the text fits into a comment."""
    return " ".join(text.split())
