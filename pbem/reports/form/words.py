"""The order texts that the order form offers: conditions, breaks, damage choices and activities.

The page does not list orders that :mod:`pbem.engine.legal.trial` found to be illegal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pbem.data.files import own_figures
from pbem.data.scenarios import Scenario
from pbem.data.ships import ShipClass, ship_class
from pbem.engine.checking.activities import on_no_ssd
from pbem.engine.checking.outlook import is_over
from pbem.engine.legal.acts import IT, acts_of
from pbem.engine.legal.energy_fields import best_energy
from pbem.engine.legal.trial import OrderTester
from pbem.engine.state import Request, Ship, Shuttle, State
from pbem.engine.step_names import NAMES, TITLES
from pbem.engine.steps.damage import choosable_boxes
from pbem.orders import vocabulary as words
from pbem.orders.conditions import KINDS
from pbem.orders.reader import read_orders
from pbem.reports.form.energy import refused_unpaid
from pbem.rules.power import LETTERS
from pbem.util import IdentityKey

Json = dict[str, Any]

HEADINGS = ("SHIP", "SHUTTLE", "ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE", "CONTINUE", "END", "GAME", "SPEED")

CONDITIONS: tuple[tuple[str, str, bool], ...] = tuple(
    (show, text, not kind.private) for kind in KINDS for show, text in kind.form
)
"""The conditions for orders that the page offers.

Each has words for the list, its order text with blanks to fill in, and whether a break may use it too. A break is a
condition on which play stops and the side is asked for new orders.
"""

GROUPS = ("ENEMY", "ENEMY SHIP", "NEAREST ENEMY SHIP", "SEEKER", "DRONE", "PLASMA", "SHUTTLE", "ANY", "ME")
"""Groups of units by kind that a condition may name; each group is tested before it is offered."""

PILOTS = (
    ("towards", "TOWARD {unit}"),
    ("away from", "AWAY FROM {unit}"),
    ("keep a shield to", "KEEP {shield} TO {unit}"),
    ("keep it in my arc:", "KEEP {unit} IN {arc}"),
    ("keep it at range", "KEEP {unit} AT RANGE {n} TO {m}"),
)
"""Ways to steer relative to another unit for the rest of the plot (C1.3)."""


def vocabulary() -> Json:
    """Return the words that the page needs to write and read orders; they are the same for every form."""
    return {
        "conditions": [{"show": show, "text": text, "public": public} for show, text, public in CONDITIONS],
        "pilots": [{"show": show, "text": text} for show, text in PILOTS],
        "operators": list(dict.fromkeys(words.OPERATORS.values())),
        "arcs": list(words.ARCS),
        "launched": ["", *(f" {what}" for what in ("SEEKER", "DRONE", "PLASMA", "SHUTTLE"))],
        "fired": ["", " HEAVY", *(f" {kind}" for kind in words.weapons())],
        "codes": words.CODES,
        "headings": {alias: key for alias, key in words.KEYWORDS.items() if key in HEADINGS},
        "energy": words.ENERGY_ITEMS,
        "weapons": words.spelled_weapons(),
        "lines": {str(line): item for line, item in words.ENERGY_LINES.items()},
        "places": ["FIRST", "LAST"],
    }


def acts(bench: OrderTester, energy: Json | None) -> list[Json]:
    """Return the activities that the form can offer a unit, in groups, except the use of weapons.

    Each activity is a dict. Reasons are the engine's sentences; a reason is empty if the order is not refused:

    * ``group`` and ``text``: the kind and the order;
    * ``it``: whether the order names IT, the unit of its condition;
    * ``needs``: why it is refused if the form pays nothing for it;
    * ``by``: fields of the form; an entry in any one of them pays for it;
    * ``spoiled``: why it is refused if the form pays for it;
    * ``unpaid``: why it is refused if a standing cost is not paid, by the field of that cost (B3.0);
    * ``drained``: why it is refused with 0, 1, 2 … points left in the batteries (H7.1).
    """
    tried = _tried_acts(bench)
    asked = {text: line for _, text, line in tried}
    texts = list(asked.values())
    with_energy = bench.refusals(texts, energy=best_energy(energy["fields"] if energy else ()))
    without = bench.refusals(texts) if energy else with_energy
    ids = [field["id"] for field in energy["fields"]] if energy else []
    drained = _drained(bench, [text for text in texts if text not in without], energy) if "GENERAL" in ids else {}
    unpaid = refused_unpaid(bench, texts, energy)
    return [
        {
            "group": group,
            "text": text,
            "it": _of_it(text),
            "needs": without.get(asked[text], ""),
            "by": _paid_by(text, ids),
            "spoiled": with_energy.get(asked[text], ""),
            "unpaid": unpaid.get(asked[text], {}),
            "drained": drained.get(asked[text], []),
        }
        for group, text, _ in tried
        if asked[text] not in with_energy or asked[text] not in without
    ]


def _drained(bench: OrderTester, texts: Sequence[str], energy: Json | None) -> dict[str, list[str]]:
    """Return, for each order line, the reasons for refusing it with 0, 1, 2 … points left in the batteries (H7.1).

    The list of a line ends where the points suffice.
    """
    found: dict[str, list[str]] = {}
    asked: Sequence[str] = texts if energy else ()
    for left in range(energy["boxes"] if energy else 0):
        if not asked or not energy:
            break
        refused = bench.refusals(asked, energy=[f"GENERAL {energy['all'] - left}"])
        for text, why in refused.items():
            found.setdefault(text, []).append(why)
        asked = list(refused)
    return found


def questions(bench: OrderTester, prey: Sequence[Json]) -> dict[str, list[str]]:
    """Return all order lines that :func:`acts` and :func:`groups` will test, by section."""
    found = {"DO": [line for _, _, line in _tried_acts(bench)]}
    if isinstance(bench.unit, Ship):
        found["BREAK"] = list(_tried_groups(bench, prey))
    return found


OF_ANY = "IF ENEMY WITHIN 1"
"""A condition that names a unit, put before an order under test so that IT in the order has a meaning."""


def _tried_acts(bench: OrderTester) -> list[tuple[str, str, str]]:
    """Return each activity as (kind, text, order line with which it is tested).

    IT means the unit of a condition, so an order with IT is tested with a condition in front.
    """
    found = [(act.kind, act.text) for act in acts_of(bench.state, bench.scenario, bench.unit)]
    return [(kind, text, f"{OF_ANY} THEN {text}" if _of_it(text) else text) for kind, text in found]


def _of_it(text: str) -> bool:
    return f" {IT} " in f"{text} "


def _paid_by(text: str, ids: Sequence[str]) -> list[str]:
    """Return the ids of those fields of the energy form that can pay for an activity; one entry suffices."""
    verb, *more = text.split()
    if "TRANSPORT" in text.split():
        return ["TRANSPORTERS"]
    if verb in ("PROBE", "CLOAK"):
        return [f"{verb} {more[0]}" if verb == "PROBE" else verb]
    # A shuttle carries a bomb or a crew: energy for the bomb excludes the crew (J2.221).
    if more[:1] in (["SUICIDE"], ["SHUTTLE"]):
        return [f"SUICIDE {more[1]}"]
    return [id for id in ids if verb == "TRACTOR" and id.partition(" ")[0] == "TRACTOR"]


def groups(bench: OrderTester, prey: Sequence[Json]) -> list[str]:
    """Return the units that conditions may name: first single units by name, then groups by kind."""
    tried = _tried_groups(bench, prey)
    if isinstance(bench.unit, Shuttle):
        return list(tried.values())
    refused = bench.refusals(list(tried), section="BREAK")
    return [name for text, name in tried.items() if text not in refused]


def _tried_groups(bench: OrderTester, prey: Sequence[Json]) -> dict[str, str]:
    """Return the names of units and groups as a dict by the order line with which each is tested."""
    named = [each["say"] for each in prey if each["name"] != bench.unit.name]
    return {f"{name} WITHIN 1": name for name in (*named, *GROUPS)}


def damage_boxes(state: State, scenario: Scenario, ship: Ship) -> Json:
    """Return, by category, the boxes that the owner may choose to have damaged first or last (D4.223)."""
    found = choosable_boxes(state, scenario, ship)
    away = {f"SHUTTLE {letter}" for letter in LETTERS if letter not in ship.hangar or len(ship.hangar) < 2}
    asked = tuple((name, *(box for box in boxes if box not in away)) for name, boxes in found.items())
    kept = _written(IdentityKey(ship_class(ship.ship)), asked, own_figures().token)
    return {category: list(boxes) for category, boxes in kept.items()}


@lru_cache(maxsize=128)
def _written(of: IdentityKey, found: tuple[tuple[str, ...], ...], figures: str) -> dict[str, list[str]]:
    """Return the boxes that a DAMAGE line can name for a ship class, by category; results are cached."""
    kind: ShipClass = of.things[0]
    kept = {
        category: [box for box in boxes if _is_taken(kind, f"{category} {box} FIRST")] for category, *boxes in found
    }
    return {category: boxes for category, boxes in kept.items() if boxes}


def _is_taken(kind: ShipClass, line: str) -> bool:
    """Return whether a DAMAGE line has no faults and names only boxes of the ship class."""
    read = read_orders(f"SHIP X\nDAMAGE\n  {line}", header=False)
    return not read.faults and not any(on_no_ssd(kind, choice) for unit in read.orders.units for choice in unit.damage)


def opens(state: State, request: Request) -> Json:
    """Return those steps of the orders' first impulse that were already played, with their titles (B2.0)."""
    return {step: TITLES[step] for step in NAMES if is_over(state, request, step)}
