"""The input fields of a ship's energy form on the order-form page, each with its choices.

The energy form is defined in rule B3.0. :class:`pbem.rules.energy_form.FormWorksheet` checks each choice alone, without
the rest of the form. The result of the check says what energy the choice needs, what it makes ready, or why it is
refused. A field is a dict that can be sent as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.terms import WEAPONS, entry_of
from pbem.engine.state import Ship, State
from pbem.engine.steps.tractor_links import beam_letters, held_by_beam
from pbem.errors import Fault
from pbem.orders.model import EnergyLine
from pbem.orders.reader import read_orders
from pbem.rules import power
from pbem.rules.energy_form import FormWorksheet, allot, standing_costs
from pbem.rules.power import SOURCES, STANDING, Points, ShipFacts, as_text, hexes_for
from pbem.rules.weapons import family
from pbem.util import several

Json = dict[str, Any]

NOTHING = "–"
"""The label of the choice that leaves a line of the form empty."""

SHORT = 3
"""The largest number of choices that a field lists one by one; longer lists are shortened to a series."""

OPEN_SOURCES = ("", *SOURCES)
"""The power sources that an entry may name; ``""`` lets the engine choose the source."""


def json_number(points: Points | float) -> int | float:
    """Return energy points as a JSON number: an integer if possible, otherwise rounded to 6 decimals."""
    exact = Fraction(points)
    return int(exact) if exact.denominator == 1 else round(float(exact), 6)


def line_of(item: str, points: Points = 0, source: str = "", verb: str = "", shield: int = 0) -> EnergyLine:
    """Return an energy-form entry that gives the points to an item of the form.

    If ``points`` is 0, the entry only names the item.
    """
    parts = ((source, Fraction(points)),) if points else ()
    return EnergyLine(item=item, parts=parts, verb=verb, shield=shield)


def _said(entry: EnergyLine) -> str:
    """Return an energy-form entry as text, the way players write it.

    Examples: ``REINFORCE #1 WITH 2``, ``PHOT A HOLD``.
    """
    item = f"{entry.item} #{entry.shield} WITH" if entry.shield else entry.item
    parts = " + ".join(" ".join(filter(None, (as_text(points), source))) for source, points in entry.parts)
    return " ".join(filter(None, (item, parts, entry.verb)))


class TriedEntries:
    """The result of checking a few entries without the rest of the energy form.

    The result is about the last entry: its cost and its effect. The entries before it only make it possible.
    """

    def __init__(self, facts: ShipFacts, entries: Sequence[EnergyLine]) -> None:
        form = FormWorksheet(facts, entries)
        form.try_out()  # a lack of power for a single entry does not matter, because the rest of the form is not known
        entry = entries[-1] if entries else None
        self.faults: tuple[Fault, ...] = form.in_order()
        self.done = form
        self.asks = [charge for charge in form.charges if entry is not None and charge.entry is entry]
        self.line = self.asks[0].number if self.asks else 0

    def ask(self) -> Json:
        """Return a dict of power source to the points that the last entry needs from this source.

        The key is ``""`` if the engine may choose the source.
        """
        found: Json = {}
        for charge in self.asks:
            for source, points in charge.asked.items():
                if points:
                    found[source] = json_number(found.get(source, 0) + points)
        return found


_TRIED: list[tuple[ShipFacts | None, dict[tuple[EnergyLine, ...], TriedEntries]]] = [(None, {})]
"""Cached results for the last ship, because several fields check the same entries."""


def tried_on(facts: ShipFacts, *entries: EnergyLine) -> TriedEntries:
    """Return the result of checking these entries alone on a ship.

    Results for the last ship are cached, because several fields check the same entries.
    """
    ship, known = _TRIED[0]
    if ship is not facts:
        known = {}
        _TRIED[0] = (facts, known)
    if entries not in known:
        known[entries] = TriedEntries(facts, entries)
    return known[entries]


def _option(facts: ShipFacts, entry: EnergyLine, shown: str = "", **more: Any) -> tuple[Json | None, str]:
    """Return the choice of a field for an entry, or the reason why the rules refuse the entry.

    The result is a pair: the choice and an empty text, or ``None`` and the reason.
    """
    tried = tried_on(facts, entry)
    if tried.faults:
        return None, tried.faults[0].sentence
    return {"text": _said(entry), "ask": tried.ask(), "show": shown or _shown(entry), **more}, ""


def _shown(entry: EnergyLine) -> str:
    total = sum((points for _, points in entry.parts), Fraction(0))
    return entry.verb.capitalize() if entry.verb else as_text(total)


def _field(id: str, label: str, none: str, options: Iterable[Json], **more: Any) -> Json:
    """Return a field of the form.

    The first choice leaves the line of the form empty; ``none`` says what happens then.
    """
    kept = [option for option in options if option]
    entry = entry_of(id)
    field = {
        "id": id,
        "line": entry.line if entry else WEAPONS,
        "label": label,
        "none": none,
        "options": [{"text": "", "ask": {}, "show": NOTHING}, *kept],
        **more,
    }
    return _as_series(field) if len(kept) > SHORT else field


def _as_series(field: Json) -> Json:
    """Return a field in short form if its choices are 1, 2, 3 … points and each point costs the same.

    In the short form the key ``series`` holds the cost of one point. Any other field is returned unchanged.
    """
    first, *_ = choices = field["options"][1:]
    head = first["text"].removesuffix("1")
    for points, option in enumerate(choices, start=1):
        ask = {source: each * points for source, each in first["ask"].items()}
        if option != {"text": f"{head}{points}", "ask": ask, "show": str(points)}:
            return field
    return field | {"options": field["options"][:1], "series": {"text": head, "ask": first["ask"], "to": len(choices)}}


def _numbers(facts: ShipFacts, item: str, most: int | float, step: Fraction, shield: int = 0) -> tuple[list[Json], str]:
    """Return choices of points in steps of ``step``, and why the next higher number is refused."""
    found: list[Json] = []
    if most > SHORT and (series := _even(facts, item, int(most), shield)):
        return series, ""
    points = step
    while points <= most:
        option, why = _option(facts, line_of(item, points, shield=shield))
        if option is None:
            return found, why
        found.append(option)
        points += step
    _, why = _option(facts, line_of(item, points, shield=shield))
    return found, why


def _even(facts: ShipFacts, item: str, most: int, shield: int) -> list[Json]:
    """Return choices of 1, 2, 3 … up to ``most`` points for reinforcement of a shield.

    This is possible for general and specific reinforcement, if 1 and ``most`` are legal and each point costs the same.
    Otherwise the result is an empty list.
    """
    ends = [_option(facts, line_of(item, points, shield=shield))[0] for points in (1, most)]
    if item not in ("GENERAL", "REINFORCE") or None in ends:
        return []
    one, all_ = ends
    assert one is not None and all_ is not None
    if all_["ask"] != {source: each * most for source, each in one["ask"].items()}:
        return []
    texts = (line_of(item, points, shield=shield) for points in range(1, most + 1))
    return [
        {"text": _said(entry), "ask": {s: each * n for s, each in one["ask"].items()}, "show": _shown(entry)}
        for n, entry in enumerate(texts, start=1)
    ]


def _sources(facts: ShipFacts, entry: EnergyLine) -> list[str]:
    """Return the power sources that the player may name in an energy-form entry.

    The result is empty if it makes no difference which source is named.
    """
    total = sum((points for _, points in entry.parts), Fraction(0))
    if not total:
        return []
    allowed = [
        source
        for source in OPEN_SOURCES
        if not (tried := tried_on(facts, line_of(entry.item, total, source, entry.verb, entry.shield))).faults
        and (not source or tried.ask() == {source: json_number(total)})
    ]
    return allowed if len(allowed) > 1 and tried_on(facts, entry).ask() == {"": json_number(total)} else []


# --- the lines of the form -----------------------------------------------------------------------------------------


def fields_of(state: State, scenario: Scenario, facts: ShipFacts, ship: Ship) -> Iterator[Json | None]:
    """Yield the fields of a ship's energy form.

    ``None`` is yielded in place of a field that the ship does not have.
    """
    yield from _standing(facts)
    yield _phasers(facts)
    for tube in facts.tubes:
        if family(tube.kind).turns and tube.working and tube.name not in ship.terms.disabled:
            yield _weapon(facts, tube.name)
    if facts.reinforcement:
        yield from _reinforcement(facts)
    yield _speed(facts)
    if scenario.uses("tac"):
        yield _tac(facts)
    yield from _repairs(facts)
    yield _recharge(facts)
    if scenario.uses("tractors"):
        yield from _tractors(state, facts, ship)
    if scenario.uses("transporters"):
        yield _transporters(facts)
    if facts.cloak is not None:
        yield single_choice_field(facts, line_of("CLOAK", facts.cloak), "Cloak", "the ship is not cloaked (G13.32)")
    if scenario.uses("probes"):
        yield from _probes(facts)
    if scenario.uses("shuttles"):
        yield from _bombs(facts)


def _tractors(state: State, facts: ShipFacts, ship: Ship) -> Iterator[Json]:
    """Yield one field for each tractor beam of the ship."""
    held = held_by_beam(state, ship)
    for letter in beam_letters(ship):
        none = f"it lets go of {held[letter]} (G7.33)" if letter in held else "the beam has no energy (G7.15)"
        yield single_choice_field(facts, line_of(f"TRACTOR {letter}"), f"Tractor {letter}", none)


def _standing(facts: ShipFacts) -> Iterator[Json]:
    """Yield the fields for lines 7, 8 and 11 of the form, which are paid unless the player writes 0."""
    costs = standing_costs(facts.level)
    for item, line in STANDING.items():
        if not costs[item]:
            continue
        paid = {"text": "", "ask": {"": costs[item]}, "show": f"{costs[item]} (paid)"}
        zero = EnergyLine(item=item, parts=(("", Fraction(0)),))
        off = {"text": f"{item} 0", "ask": {}, "show": "0", "warn": power.consequences((item,))[0]}
        assert not tried_on(facts, zero).faults
        yield {"id": item, "line": line, "label": item.capitalize(), "none": "", "options": [paid, off], "big": True}


def _phasers(facts: ShipFacts) -> Json | None:
    if not facts.capacity:
        return None
    options, why = _numbers(facts, "PHASERS", facts.capacity, Fraction(1, 2))
    for option in options:
        entry_points = Fraction(option["text"].partition(" ")[2])
        option["capacitor"] = json_number(Fraction(facts.capacitor) + entry_points)
    return _field(
        "PHASERS",
        "Phasers",
        f"the capacitor keeps its {facts.capacitor:g} of {facts.capacity:g} (H6.0)",
        options,
        about=f"capacitor {facts.capacitor:g} of {facts.capacity:g}",
        sources=_sources(facts, line_of("PHASERS", 1)) if len(options) > 1 else [],
        limit="" if options else why,
        capacitor=facts.capacitor,
    )


def _weapon(facts: ShipFacts, name: str) -> Json:
    """Return the field for a weapon (line 10 of the form), whose choices are the ways to arm it."""
    options: list[Json] = []
    most = 1 + max(facts.plant.total, 1)
    entries = [line_of(name, points) for points in range(1, min(most, 12))]
    entries += [line_of(name, verb=verb) for verb in ("HOLD", "EJECT")]
    sources: list[str] = []
    for entry in entries:
        option, _ = _option(facts, entry)
        if option is None:
            continue
        ready = tried_on(facts, entry).done.readied[name]
        total = sum((points for _, points in entry.parts), Fraction(0))
        option["charge"] = ready.charge
        words = _ready_words(ready.charge)
        option["show"] = f"{as_text(total)}: {words}" if total else f"{entry.verb.capitalize()}: {words}"
        options.append(option)
        if total and not entry.verb:
            sources = sources or _sources(facts, entry)
    nothing = tried_on(facts)
    lost = next((note for note in nothing.done.notes if note.startswith(f"{name} ")), "")
    field = _field(name, name, lost or "it cannot be fired this turn", options, sources=sources)
    field["options"][0]["charge"] = ""
    field["options"][0]["warn"] = lost
    return field


def _ready_words(charge: str) -> str:
    return {
        "": "given up",
        "arming": "arming",
        "rolling": "rolling delay",
        "armed": "armed",
        "powered": "ready this turn",
    }.get(charge, charge)


def _reinforcement(facts: ShipFacts) -> Iterator[Json]:
    most = facts.plant.total + int(facts.plant.stored)
    options, _ = _numbers(facts, "GENERAL", most, Fraction(1))
    yield _field("GENERAL", "General", "", options, sources=_sources(facts, line_of("GENERAL", 1)))
    for shield in range(1, 7):
        options, why = _numbers(facts, "REINFORCE", most, Fraction(1), shield)
        yield _field(
            f"REINFORCE #{shield}",
            f"Shield #{shield}",
            "",
            options,
            about=f"{facts.shields[shield - 1]} of {facts.full_shields[shield - 1]} boxes",
            limit="" if options else why,
        )


def _speed(facts: ShipFacts) -> Json:
    """Return the field for the speed (line 14 of the form), with one choice for each speed.

    Each choice lists the ways to pay for the speed with warp and impulse power.
    """
    options: list[Json] = []
    limit = ""
    for hexes in range(1, facts.max_speed + 1):
        option, limit = _option(facts, line_of("SPEED", hexes))
        if option is None:
            break
        option["hexes"] = hexes
        option["mixes"] = _mixes(facts, hexes)
        options.append(option)
    field = _field("SPEED", "Speed", "the ship does not move this turn", options)
    field["options"][0] |= {"hexes": 0, "show": "0"}
    field["about"] = f"speed {facts.prior_speed} last turn"
    field["limit"] = limit
    field["big"] = True
    return field


def _mixes(facts: ShipFacts, hexes: int) -> list[Json]:
    """Return the ways to pay for a speed, with and without impulse power.

    The way that the engine would choose comes first.
    """
    one = charts.levels().costs.impulse_movement
    entries = (
        EnergyLine(
            item="MOVE",
            parts=tuple((s, Fraction(p)) for s, p in (("WARP", warp), ("IMPULSE", one if impulse else 0)) if p),
        )
        for impulse in (True, False)
        for warp in (_least_warp(facts, hexes - one if impulse else hexes),)
    )
    found = []
    for entry in entries:
        tried = tried_on(facts, entry)
        if not tried.faults and tried.done.alone == hexes:
            found.append({"text": _said(entry), "ask": tried.ask()})
    chosen = tried_on(facts, line_of("SPEED", hexes)).ask()
    return sorted(found, key=lambda mix: mix["ask"] != chosen)


def _least_warp(facts: ShipFacts, hexes: int) -> Points:
    """Return the least warp power, in points, with which a ship can move this many hexes (C2.12)."""
    if facts.fractional:
        return hexes * facts.move_cost
    return next(warp for warp in range(200) if hexes_for(warp, 0, facts.move_cost) >= hexes)


def _tac(facts: ShipFacts) -> Json | None:
    chart = charts.maneuvers()
    options: list[Json] = []
    for sublight in (0, chart.sublight_energy):
        for warp in range(chart.warp + 1):
            parts = tuple(
                (source, Fraction(points)) for source, points in (("", warp), ("IMPULSE", sublight)) if points
            )
            if parts:
                option, _ = _option(facts, EnergyLine(item="TAC", parts=parts))
                if option:
                    option["show"] = option["text"].removeprefix("TAC ").lower()
                    options.append(option)
    return _field("TAC", "Tactical maneuvers", "", options) if options else None


def _repairs(facts: ShipFacts) -> Iterator[Json]:
    if not facts.damcon:
        return
    for shield in range(1, 7):
        lost = facts.full_shields[shield - 1] - facts.shields[shield - 1]
        options, _ = _numbers(facts, "REPAIR", facts.damcon, Fraction(charts.levels().costs.repair_per_box), shield)
        if lost and options:
            yield _field(
                f"REPAIR #{shield}", f"Shield #{shield}", "", options, about=f"{several(lost, 'box', 'boxes')} lost"
            )


def _recharge(facts: ShipFacts) -> Json | None:
    boxes = facts.plant.battery_boxes
    return number_field(facts, "RECHARGE", "Recharge", "", boxes) if boxes else None


def number_field(facts: ShipFacts, item: str, label: str, none: str, most: int) -> Json:
    """Return a field whose choices are 1 to ``most`` points.

    If no number of points is legal, the key ``limit`` of the field says why.
    """
    options, why = _numbers(facts, item, most, Fraction(1))
    return _field(item, label, none, options, limit="" if options else why)


def single_choice_field(facts: ShipFacts, entry: EnergyLine, label: str, none: str) -> Json:
    """Return a field with one choice besides leaving the line empty.

    If that choice is refused, the key ``limit`` of the field says why.
    """
    option, why = _option(facts, entry)
    if option is None:
        return _field(entry.item, label, none, (), limit=why)
    option["show"] = as_text(sum(Fraction(str(points)) for points in option["ask"].values()))
    return _field(entry.item, label, none, [option])


def _transporters(facts: ShipFacts) -> Json | None:
    options, why = _numbers(facts, "TRANSPORTERS", facts.box("tran") or 0, Fraction(1))
    if not options:
        return None
    for option in options:
        count = tried_on(facts, line_of("TRANSPORTERS", Fraction(option["show"]))).done.ready.transporters
        option["show"] += f": {count} work"
    return _field("TRANSPORTERS", "Transporters", "", options, limit="" if options else why)


def _probes(facts: ShipFacts) -> Iterator[Json]:
    for letter in facts.probes:
        options = []
        for points in range(1, 4):
            option, _ = _option(facts, line_of(f"PROBE {letter}", points))
            if option:
                after = tried_on(facts, line_of(f"PROBE {letter}", points)).done.ready.probes[letter]
                option["show"] = f"{points}: {after.purpose}, turn {after.turns}"
                options.append(option)
        if options:
            yield _field(f"PROBE {letter}", f"Probe {letter}", "", options)


def _bombs(facts: ShipFacts) -> Iterator[Json]:
    for letter in facts.hangar or ():
        options = []
        for points in range(1, 10):
            option, _ = _option(facts, line_of(f"SUICIDE {letter}", points))
            if option:
                after = tried_on(facts, line_of(f"SUICIDE {letter}", points)).done.ready.bombs[letter]
                option["show"] = f"{points}: {after.state}"
                option["bomb"] = after.state
                options.append(option)
        if options:
            none = "" if letter not in facts.bombs else "it is disarmed (J2.221)"
            yield _field(f"SUICIDE {letter}", f"Suicide shuttle {letter}", none, options)


# --- what may stand on the form ------------------------------------------------------------------------------------


def entries(field: Json) -> list[str]:
    """Return all entries that a player can choose in a field, as players write them."""
    series = field.get("series", {"to": 0})
    counted = [f"{series['text']}{points}" for points in range(1, series["to"] + 1)]
    mixes = [mix["text"] for option in field["options"] for mix in option.get("mixes", ())]
    return [option["text"] for option in field["options"] if option["text"]] + counted + mixes


def read_entries(texts: Sequence[str]) -> dict[str, list[EnergyLine]]:
    """Return a dict of each given text to the energy-form entries read from it.

    One text may contain several entries (``PHOT A,B 2 EACH``).

    Raises:
        ValueError: A text cannot be read.
    """
    read = read_orders("\n".join(["SHIP X", "ENERGY", *(f"  {text}" for text in texts)]), header=False)
    if read.faults:
        raise ValueError(f"a form that cannot be read: {read.faults[0]}")
    found: dict[int, list[EnergyLine]] = {}
    for line in read.orders.units[0].energy or ():
        found.setdefault(line.line, []).append(line)
    return dict(zip(texts, found.values(), strict=True))


def unpaid(facts: ShipFacts) -> tuple[EnergyLine, ...]:
    """Return entries that switch off the standing costs that a ship's power can no longer pay.

    The standing costs are shields, fire control and life support. Shields are switched off first, life support last
    (B3.0).
    """
    off: list[EnergyLine] = []
    for item in reversed(STANDING):
        if not allot(off, facts).faults:
            break
        off.append(EnergyLine(item=item, parts=(("", Fraction(0)),)))
    return tuple(off)


def payable(facts: ShipFacts, fields: Iterable[Json]) -> Iterator[str]:
    """Yield the entries of these fields for which the ship has the energy.

    Each entry is tried without the other entries, together with the standing costs that are paid every turn.
    """
    texts = [text for field in fields for text in entries(field)]
    off = unpaid(facts)
    tried = {text: [*off, *lines] for text, lines in read_entries(texts).items()}
    yield from (text for text, lines in tried.items() if not allot(lines, facts).faults)


def best_energy(fields: Iterable[Json]) -> list[str]:
    """Return, for each field that arms or powers a system, the entry that makes the system most ready.

    Together these entries may need more energy than the ship has. They are used to try out orders that should not fail
    merely because a system has no energy.
    """
    return [_best(field) for field in fields if field["line"] in (9, 10, 17, 18, 19) and entries(field)]


def _best(field: Json) -> str:
    ready = [option["text"] for option in field["options"] if option.get("charge") in ("armed", "powered")]
    return ready[0] if ready else entries(field)[-1 if field["line"] == 9 or "series" in field else 0]
