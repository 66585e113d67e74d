"""The energy form of the order form page (B3.0): what every line may hold and what it costs, as the engine reckons it.

Each choice is put to :class:`pbem.rules.energy_form.Form` by itself; what it asks for, what it readies and why it is
refused come from there. The page only adds up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import Any

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.faults import Fault
from pbem.game.state import Ship, State
from pbem.orders.model import EnergyLine
from pbem.rules import standing
from pbem.rules.arming import takes_energy
from pbem.rules.energy_form import Form
from pbem.rules.energy_ledger import FIRST_SPENT, LAST_SPENT
from pbem.rules.energy_terms import LABELS, SOURCES, STANDING, Points, ShipFacts, as_text, hexes_for
from pbem.turn.allocation import facts_for
from pbem.turn.tractors import as_towing

Json = dict[str, Any]

NOTHING = "–"
"""How a choice shows that its line stays empty."""

SHORT = 3
"""So many choices are listed one by one, more of a kind as a series."""

OPEN_SOURCES = ("", *SOURCES)
"""What may pay for an entry, if its owner says so; ``""`` leaves it to the engine."""


def energy_form(state: State, scenario: Scenario, ship: Ship) -> Json:
    """A ship's form: its power, the lines of the form, and a field for everything that may stand on them."""
    facts = facts_for(state, scenario, ship)
    plant = facts.plant
    fields = [field for field in _fields(state, scenario, facts, ship) if field]
    _in_tow(state, ship, fields)
    return {
        "power": {"WARP": plant.warp, "IMPULSE": plant.impulse, "APR": plant.apr, "BATTERY": number(plant.stored)},
        "boxes": plant.battery_boxes,
        "prior": facts.prior_speed,
        "all": plant.total + int(plant.stored),
        "capacity": facts.capacity,
        "labels": {str(line): _title(LABELS[line]) for line in range(1, LAST_SPENT + 3)},
        "spent": [FIRST_SPENT, LAST_SPENT],
        "fields": fields,
        "clashes": list(_clashes(facts, fields)),
        "caps": list(_caps(facts)),
        "unpaid": {item: standing.consequences((item,))[0] for item in STANDING},
    }


def _in_tow(state: State, ship: Ship, fields: list[Json]) -> None:
    """Adds to each speed the one the ship makes while it keeps its hold of what it tows (G7.4)."""
    beams = tuple(link.beam for link in state.held_by(ship.name))
    if not beams:
        return
    for field in fields:
        for option in field["options"] if field["id"] == "SPEED" else ():
            speed, ask = option["hexes"], option["ask"]
            done = msgspec.structs.replace(
                ship,
                speed=speed,
                paid_speed=speed,
                move_warp=float(ask.get("WARP", 0)),
                move_impulse=int(ask.get("IMPULSE", 0)),
                tractors=beams,
            )
            option["tows"] = as_towing(state, done, new_turn=True)[0].speed
        if field["id"].removeprefix("TRACTOR ") in beams:
            field["holds"] = True


def number(points: Points | float) -> int | float:
    """Points as JSON holds them: whole where they are, else rounded to what no sum can mistake."""
    exact = Fraction(points)
    return int(exact) if exact.denominator == 1 else round(float(exact), 6)


def _title(label: str) -> str:
    return label.capitalize()


def _line(item: str, points: Points = 0, source: str = "", verb: str = "", shield: int = 0) -> EnergyLine:
    parts = ((source, Fraction(points)),) if points else ()
    return EnergyLine(item=item, parts=parts, verb=verb, shield=shield)


def _said(entry: EnergyLine) -> str:
    """The entry as orders: ``REINFORCE #1 WITH 2``, ``PHOT A HOLD``."""
    item = f"{entry.item} #{entry.shield} WITH" if entry.shield else entry.item
    parts = " + ".join(" ".join(filter(None, (as_text(points), source))) for source, points in entry.parts)
    return " ".join(filter(None, (item, parts, entry.verb)))


class _Tried:
    """One entry put to the engine by itself."""

    def __init__(self, facts: ShipFacts, *entries: EnergyLine) -> None:
        form = Form(facts, entries)
        done = form.work_out()
        entry = entries[-1] if entries else None
        # What a single entry is short of says nothing of the form it will stand on.
        self.faults: tuple[Fault, ...] = tuple(f for f in done.faults if not f.code.endswith("overspent"))
        self.done = done
        self.asks = [charge for charge in form.charges if entry is not None and charge.entry is entry]
        self.line = self.asks[0].number if self.asks else 0

    def ask(self) -> Json:
        """Points by source, ``""`` where the engine may pick."""
        found: Json = {}
        for charge in self.asks:
            for source, points in charge.asked.items():
                if points:
                    found[source] = number(found.get(source, 0) + points)
        return found


def _option(facts: ShipFacts, entry: EnergyLine, shown: str = "", **more: Any) -> tuple[Json | None, str]:
    """A choice of a field, or why it may not be chosen."""
    tried = _Tried(facts, entry)
    if tried.faults:
        fault = tried.faults[0]
        return None, f"{fault.text} ({fault.rule})" if fault.rule else fault.text
    return {"text": _said(entry), "ask": tried.ask(), "show": shown or _shown(entry), **more}, ""


def _shown(entry: EnergyLine) -> str:
    total = sum((points for _, points in entry.parts), Fraction(0))
    return entry.verb.capitalize() if entry.verb else as_text(total)


def _field(id: str, line: int, label: str, none: str, options: Iterable[Json], **more: Any) -> Json:
    """A field; the first choice is that nothing stands on the form (``none`` says what that means)."""
    kept = [option for option in options if option]
    field = {
        "id": id,
        "line": line,
        "label": label,
        "none": none,
        "options": [{"text": "", "ask": {}, "show": NOTHING}, *kept],
        **more,
    }
    return _as_series(field) if len(kept) > SHORT else field


def _as_series(field: Json) -> Json:
    """A field whose choices are 1, 2, 3 … at so much each, told in short: ``series`` is what a point asks for."""
    first, *_ = choices = field["options"][1:]
    head = first["text"].removesuffix("1")
    for points, option in enumerate(choices, start=1):
        ask = {source: each * points for source, each in first["ask"].items()}
        if option != {"text": f"{head}{points}", "ask": ask, "show": str(points)}:
            return field
    return field | {"options": field["options"][:1], "series": {"text": head, "ask": first["ask"], "to": len(choices)}}


def _numbers(facts: ShipFacts, item: str, most: int | float, step: Fraction, shield: int = 0) -> tuple[list[Json], str]:
    """Choices of so many points up to the first that is refused, and why that one was."""
    found: list[Json] = []
    if most > SHORT and (series := _even(facts, item, int(most), shield)):
        return series, ""
    points = step
    while points <= most:
        option, why = _option(facts, _line(item, points, shield=shield))
        if option is None:
            return found, why
        found.append(option)
        points += step
    _, why = _option(facts, _line(item, points, shield=shield))
    return found, why


def _even(facts: ShipFacts, item: str, most: int, shield: int) -> list[Json]:
    """Choices of 1 to ``most`` points where the engine takes the first and the last and each point costs the same."""
    ends = [_option(facts, _line(item, points, shield=shield))[0] for points in (1, most)]
    if item not in ("GENERAL", "REINFORCE") or None in ends:
        return []
    one, all_ = ends
    assert one is not None and all_ is not None
    if all_["ask"] != {source: each * most for source, each in one["ask"].items()}:
        return []
    texts = (_line(item, points, shield=shield) for points in range(1, most + 1))
    return [
        {"text": _said(entry), "ask": {s: each * n for s, each in one["ask"].items()}, "show": _shown(entry)}
        for n, entry in enumerate(texts, start=1)
    ]


def _sources(facts: ShipFacts, entry: EnergyLine) -> list[str]:
    """The sources an entry may name; empty where naming one makes no difference."""
    total = sum((points for _, points in entry.parts), Fraction(0))
    if not total:
        return []
    allowed = [
        source
        for source in OPEN_SOURCES
        if not (tried := _Tried(facts, _line(entry.item, total, source, entry.verb, entry.shield))).faults
        and (not source or tried.ask() == {source: number(total)})
    ]
    return allowed if len(allowed) > 1 and _Tried(facts, entry).ask() == {"": number(total)} else []


# --- the lines of the form -----------------------------------------------------------------------------------------


def _fields(state: State, scenario: Scenario, facts: ShipFacts, ship: Ship) -> Iterator[Json | None]:
    yield from _standing(facts)
    yield _phasers(facts)
    for tube in facts.tubes:
        if takes_energy(tube.kind) and tube.working and tube.name not in ship.disabled:
            yield _weapon(facts, tube.name)
    if facts.reinforcement:
        yield from _reinforcement(facts)
    yield _speed(facts)
    if scenario.uses("tac"):
        yield _tac(facts)
    yield from _repairs(facts)
    yield _recharge(facts)
    if scenario.uses("tractors"):
        held = {link.beam: link.target for link in state.held_by(ship.name)}
        for letter in ascii_uppercase[: ship.boxes.get("tractor", 0)]:
            none = f"it lets go of {held[letter]} (G7.33)" if letter in held else "the beam has no energy (G7.15)"
            yield _one(facts, _line(f"TRACTOR {letter}"), 17, f"Tractor {letter}", none)
    if scenario.uses("transporters"):
        yield _transporters(facts)
    if facts.cloak is not None:
        yield _one(facts, _line("CLOAK", facts.cloak), 19, "Cloak", "the ship is not cloaked (G13.32)")
    if scenario.uses("probes"):
        yield from _probes(facts)
    if scenario.uses("shuttles"):
        yield from _bombs(facts)


def _standing(facts: ShipFacts) -> Iterator[Json]:
    """Lines 7, 8 and 11: paid unless 0 is written."""
    level = charts.level(facts.level)
    costs = {"LIFE SUPPORT": level.life_support, "FIRE CONTROL": level.fire_control, "SHIELDS": level.shields}
    for item, line in STANDING.items():
        if not costs[item]:
            continue
        paid = {"text": "", "ask": {"": costs[item]}, "show": f"{costs[item]} (paid)"}
        zero = EnergyLine(item=item, parts=(("", Fraction(0)),))
        off = {"text": f"{item} 0", "ask": {}, "show": "0", "warn": standing.consequences((item,))[0]}
        assert not _Tried(facts, zero).faults
        yield {"id": item, "line": line, "label": item.capitalize(), "none": "", "options": [paid, off], "big": True}


def _phasers(facts: ShipFacts) -> Json | None:
    if not facts.capacity:
        return None
    options, why = _numbers(facts, "PHASERS", facts.capacity, Fraction(1, 2))
    for option in options:
        entry_points = Fraction(option["text"].partition(" ")[2])
        option["capacitor"] = number(Fraction(facts.capacitor) + entry_points)
    return _field(
        "PHASERS",
        9,
        "Phasers",
        f"the capacitor keeps its {facts.capacitor:g} of {facts.capacity:g} (H6.0)",
        options,
        about=f"capacitor {facts.capacitor:g} of {facts.capacity:g}",
        sources=_sources(facts, _line("PHASERS", 1)) if len(options) > 1 else [],
        limit="" if options else why,
        capacitor=facts.capacitor,
    )


def _weapon(facts: ShipFacts, name: str) -> Json:
    """Line 10: whatever arming does with it, each different choice once."""
    options: list[Json] = []
    most = 1 + max(facts.plant.total, 1)
    entries = [_line(name, points) for points in range(1, min(most, 12))]
    entries += [_line(name, verb=verb) for verb in ("HOLD", "EJECT")]
    sources: list[str] = []
    for entry in entries:
        option, _ = _option(facts, entry)
        if option is None:
            continue
        ready = _Tried(facts, entry).done.weapons[name]
        total = sum((points for _, points in entry.parts), Fraction(0))
        option["charge"] = ready.charge
        words = _ready_words(ready.charge)
        option["show"] = f"{as_text(total)}: {words}" if total else f"{entry.verb.capitalize()}: {words}"
        options.append(option)
        if total and not entry.verb:
            sources = sources or _sources(facts, entry)
    nothing = _Tried(facts)
    lost = next((note for note in nothing.done.notes if note.startswith(f"{name} ")), "")
    field = _field(name, 10, name, lost or "it cannot be fired this turn", options, sources=sources)
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
    yield _field("GENERAL", 12, "General", "", options, sources=_sources(facts, _line("GENERAL", 1)))
    for shield in range(1, 7):
        options, why = _numbers(facts, "REINFORCE", most, Fraction(1), shield)
        yield _field(
            f"REINFORCE #{shield}",
            13,
            f"Shield #{shield}",
            "",
            options,
            about=f"{facts.shields[shield - 1]} of {facts.full_shields[shield - 1]} boxes",
            limit="" if options else why,
        )


def _speed(facts: ShipFacts) -> Json:
    """Line 14: each speed with the mix the engine finds cheapest, and the other one where there is another."""
    options: list[Json] = []
    limit = ""
    for hexes in range(1, facts.max_speed + 1):
        option, limit = _option(facts, _line("SPEED", hexes))
        if option is None:
            break
        option["hexes"] = hexes
        option["mixes"] = _mixes(facts, hexes)
        options.append(option)
    field = _field("SPEED", 14, "Speed", "the ship does not move this turn", options)
    field["options"][0] |= {"hexes": 0, "show": "0"}
    field["about"] = f"speed {facts.prior_speed} last turn"
    field["limit"] = limit
    field["big"] = True
    return field


def _mixes(facts: ShipFacts, hexes: int) -> list[Json]:
    """The ways to pay for a speed, the engine's choice first: as it is, with impulse left to spend, with none left."""
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
        tried = _Tried(facts, entry)
        if not tried.faults and tried.done.speed == hexes:
            found.append({"text": _said(entry), "ask": tried.ask()})
    chosen = _Tried(facts, _line("SPEED", hexes)).ask()
    return sorted(found, key=lambda mix: mix["ask"] != chosen)


def _least_warp(facts: ShipFacts, hexes: int) -> Points:
    """The least warp power that moves a ship so far (C2.12)."""
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
    return _field("TAC", 14, "Tactical maneuvers", "", options) if options else None


def _repairs(facts: ShipFacts) -> Iterator[Json]:
    if not facts.damcon:
        return
    for shield in range(1, 7):
        lost = facts.full_shields[shield - 1] - facts.shields[shield - 1]
        options, _ = _numbers(facts, "REPAIR", facts.damcon, Fraction(1), shield)
        if lost and options:
            yield _field(f"REPAIR #{shield}", 15, f"Shield #{shield}", "", options, about=f"{lost} boxes lost")


def _recharge(facts: ShipFacts) -> Json | None:
    options, why = _numbers(facts, "RECHARGE", facts.plant.battery_boxes, Fraction(1))
    if not facts.plant.battery_boxes:
        return None
    return _field("RECHARGE", 16, "Recharge", "", options, limit="" if options else why)


def _one(facts: ShipFacts, entry: EnergyLine, line: int, label: str, none: str) -> Json | None:
    option, why = _option(facts, entry)
    if option is None:
        return {"id": entry.item, "line": line, "label": label, "none": none, "options": [_nothing()], "limit": why}
    option["show"] = as_text(sum(Fraction(str(points)) for points in option["ask"].values()))
    return _field(entry.item, line, label, none, [option])


def _nothing() -> Json:
    return {"text": "", "ask": {}, "show": NOTHING}


def _transporters(facts: ShipFacts) -> Json | None:
    options, why = _numbers(facts, "TRANSPORTERS", facts.box("tran") or 0, Fraction(1))
    if not options:
        return None
    for option in options:
        count = _Tried(facts, _line("TRANSPORTERS", Fraction(option["show"]))).done.transporters
        option["show"] += f": {count} work"
    return _field("TRANSPORTERS", 18, "Transporters", "", options, limit="" if options else why)


def _probes(facts: ShipFacts) -> Iterator[Json]:
    for letter in facts.probes:
        options = []
        for points in range(1, 4):
            option, _ = _option(facts, _line(f"PROBE {letter}", points))
            if option:
                after = _Tried(facts, _line(f"PROBE {letter}", points)).done.probes[letter]
                option["show"] = f"{points}: {after.purpose}, turn {after.turns}"
                options.append(option)
        if options:
            yield _field(f"PROBE {letter}", 19, f"Probe {letter}", "", options)


def _bombs(facts: ShipFacts) -> Iterator[Json]:
    for letter in facts.hangar or ():
        options = []
        for points in range(1, 10):
            option, _ = _option(facts, _line(f"SUICIDE {letter}", points))
            if option:
                after = _Tried(facts, _line(f"SUICIDE {letter}", points)).done.bombs[letter]
                option["show"] = f"{points}: {after.state}"
                option["bomb"] = after.state
                options.append(option)
        if options:
            none = "" if letter not in facts.bombs else "it is disarmed (J2.221)"
            yield _field(f"SUICIDE {letter}", 19, f"Suicide shuttle {letter}", none, options)


# --- what one line means for another -------------------------------------------------------------------------------


def _clashes(facts: ShipFacts, fields: Sequence[Json]) -> Iterator[Json]:
    """Pairs of fields that cannot both hold something, though each may alone: in the engine's words."""
    ids = {field["id"] for field in fields}
    if {"TAC", "SPEED"} <= ids:
        tried = _Tried(facts, _line("TAC", 1), _line("SPEED", 1))
        yield from ({"a": "TAC", "b": "SPEED", "text": _words(fault)} for fault in tried.faults[:1])
    off = EnergyLine(item="SHIELDS", parts=(("", Fraction(0)),))
    for field in fields:
        if field["line"] in (12, 13) and ("series" in field or len(field["options"]) > 1):
            item, _, shield = field["id"].partition(" #")
            tried = _Tried(facts, off, _line(item, 1, shield=int(shield or 0)))
            yield from ({"a": "SHIELDS", "b": field["id"], "text": _words(fault)} for fault in tried.faults[:1])


def _caps(facts: ShipFacts) -> Iterator[Json]:
    """Lines whose entries together are limited: damage control (D9.2)."""
    lost = [n for n in range(1, 7) if facts.full_shields[n - 1] > facts.shields[n - 1]]
    if facts.damcon and len(lost) > 1:
        text = f"the damage control rating is {facts.damcon}: no more points than that are spent on repairs (D9.2)"
        yield {"line": 15, "most": facts.damcon, "text": text}


def _words(fault: Fault) -> str:
    return f"{fault.text} ({fault.rule})" if fault.rule else fault.text
