"""The energy part of the order form page (B3.0): the possible entries of every line, and their costs.

:class:`pbem.rules.energy_form.FormWorksheet` checks each choice separately. It says how much energy the choice
needs, what the choice makes ready, and why it is refused, if it is. The page's script only adds up points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pbem.data.scenarios import Scenario
from pbem.data.terms import LABELS
from pbem.engine.legal.energy_fields import Json, best_energy, fields_of, json_number, line_of, tried_on
from pbem.engine.legal.trial import OrderTester
from pbem.engine.on_file import altered
from pbem.engine.state import Ship, State
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.tractors import as_towing
from pbem.orders.model import EnergyLine
from pbem.rules.power import STANDING, ShipFacts


def energy_form(state: State, scenario: Scenario, ship: Ship) -> Json:
    """Return the energy form of a ship as data for the page, with a field for each possible entry.

    The keys are:

    * ``power``: points by source;
    * ``boxes``: battery boxes;
    * ``prior``: the speed of the turn before;
    * ``all``: the sum of the points of all sources;
    * ``labels``: titles of the form's lines, by number;
    * ``fields``: as in :mod:`pbem.engine.legal.energy_fields`;
    * ``clashes``: pairs of fields that exclude each other;
    * ``caps``: limits on the sum of the points on a line.
    """
    facts = facts_for(state, scenario, ship)
    plant = facts.plant
    fields = [field for field in fields_of(state, scenario, facts, ship) if field]
    _in_tow(state, ship, fields)
    return {
        "power": {"WARP": plant.warp, "IMPULSE": plant.impulse, "APR": plant.apr, "BATTERY": json_number(plant.stored)},
        "boxes": plant.battery_boxes,
        "prior": facts.prior_speed,
        "all": plant.total + int(plant.stored),
        "labels": {str(line): _title(label) for line, label in LABELS.items()},
        "fields": fields,
        "clashes": list(_clashes(facts, fields)),
        "caps": list(_caps(facts)),
    }


def refused_unpaid(bench: OrderTester, lines: Sequence[str], energy: Json | None) -> dict[str, Json]:
    """Return the DO lines that are refused if a standing cost is not paid (B3.0, lines 7, 8 and 11).

    Only lines that are accepted if everything is paid are tested, and only costs that the player may leave unpaid.
    The result maps each refused line to a dict: the id of the unpaid field to the reason for the refusal.
    """
    fields = energy["fields"] if energy else []
    best = best_energy(fields)
    fine = [line for line in lines if line not in bench.refusals(lines, energy=best)]
    found: dict[str, Json] = {}
    for field in fields:
        if field["id"] in STANDING:
            for line, why in bench.refusals(fine, energy=[*best, f"{field['id']} 0"]).items():
                found.setdefault(line, {})[field["id"]] = why
    return found


def _in_tow(state: State, ship: Ship, fields: list[Json]) -> None:
    """Add to each choice of speed the resulting speed if the ship keeps towing the unit it holds (G7.4).

    Fields of tractor beams that hold a unit get the mark ``holds``.
    """
    beams = tuple(link.beam for link in state.held_by(ship.name))
    if not beams:
        return
    for field in fields:
        for option in field["options"] if field["id"] == "SPEED" else ():
            speed, ask = option["hexes"], option["ask"]
            done = altered(
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


def _title(label: str) -> str:
    return label.capitalize()


# --- lines that depend on each other -------------------------------------------------------------------------------


def _clashes(facts: ShipFacts, fields: Sequence[Json]) -> Iterator[Json]:
    """Yield pairs of form fields that exclude each other, with the engine's reason."""
    ids = {field["id"] for field in fields}
    if {"TAC", "SPEED"} <= ids:
        tried = tried_on(facts, line_of("TAC", 1), line_of("SPEED", 1))
        yield from ({"a": "TAC", "b": "SPEED", "text": fault.sentence} for fault in tried.faults[:1])
    off = EnergyLine(item="SHIELDS", parts=(("", Fraction(0)),))
    for field in fields:
        if field["line"] in (12, 13) and ("series" in field or len(field["options"]) > 1):
            item, _, shield = field["id"].partition(" #")
            tried = tried_on(facts, off, line_of(item, 1, shield=int(shield or 0)))
            yield from ({"a": "SHIELDS", "b": field["id"], "text": fault.sentence} for fault in tried.faults[:1])


def _caps(facts: ShipFacts) -> Iterator[Json]:
    """Yield the limit on the sum of a form line's entries; only damage control has such a limit (D9.2)."""
    lost = [n for n in range(1, 7) if facts.full_shields[n - 1] > facts.shields[n - 1]]
    if facts.damcon and len(lost) > 1:
        text = f"the damage control rating is {facts.damcon}: no more points than that are spent on repairs (D9.2)"
        yield {"line": 15, "most": facts.damcon, "text": text}
