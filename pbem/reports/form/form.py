"""The order form page: an HTML file in which players fill in their orders (C1.4, B3.0, D1.0).

Like the report, it is made from the side's own view of the log, so it contains nothing that its reader may not know.
All tables come from the rules; the page's script only adds numbers and looks up values in these tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

import msgspec
from markupsafe import Markup

from pbem.data import charts
from pbem.data.cache import cached, cached_text
from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind, StepName
from pbem.engine.checking.outlook import is_over
from pbem.engine.checking.plots import script_of
from pbem.engine.checking.weapons import FAR
from pbem.engine.events import Record
from pbem.engine.legal.acts import asks_energy, commanded, speeds
from pbem.engine.legal.energy_fields import best_energy
from pbem.engine.legal.trial import OrderTester
from pbem.engine.state import AnyUnit, Request, Ship, Shuttle, State
from pbem.engine.steps.guidance import next_name
from pbem.orders import writer
from pbem.orders.header import answer_line
from pbem.reports.form import (
    enemies as form_foes,
    energy as form_energy,
    geometry as form_map,
    weapons,
    words as form_words,
)
from pbem.reports.form.model import OrderFormData
from pbem.reports.html import compact
from pbem.reports.html.compact import COURSES, ENERGY, squeezed_css
from pbem.reports.html.page import (
    SCRIPT,
    SCRIPT_HASH,
    STYLE,
    STYLE_HASH,
    built_script,
    data_of_page,
    finished,
    named_by,
    part_of_page,
)
from pbem.reports.html.templates import environment
from pbem.reports.map.drawing import Chart, chart
from pbem.reports.view.build import build_view, known_state
from pbem.reports.view.model import ReportView
from pbem.rules import movement, shuttles
from pbem.util import regex

Json = dict[str, Any]

UNPAID_TAC = "tac-not-paid"
"""Code of the fault "a tactical maneuver without energy"."""

SCRIPTED = "scripted"
"""Code of the fault "a plot for a ship whose course is fixed by the scenario"."""


def owes(state: State, side: str) -> bool:
    """Return whether a side has to give orders now; only then is there an order form for it."""
    return state.request is not None and state.request.asks(side)


def form_html(
    records: Iterable[Record], side: str, scenario: Scenario, draft: str, *, to: str = "", subject: str = ""
) -> str:
    """Return the order form page of a side that owes orders; the same input always gives the same text.

    Args:
        records: The log.
        side: The side.
        scenario: The scenario.
        draft: The engine's draft of the orders, with which the form begins.
        to: The address for the email that the form opens: the host's address, or empty if it is unknown.
        subject: The subject of that email, which tells the host whose orders it contains. By default it is derived
            from the report's subject.
    """
    records = tuple(records)
    view = build_view(records, side, scenario=scenario)
    state = known_state(records, side, scenario=scenario)
    drawn = chart(view)
    data = form_data(state, scenario, side, drawn, draft, to=to, subject=subject or view.subject.removesuffix("SITREP"))
    asks = _asks(data)
    script = bundle_of(asks, alone=not data.foes)
    page = (
        environment()
        .get_template("orders.html.j2")
        .render(
            view=view,
            request=data.request,
            script=SCRIPT,
            script_hash=SCRIPT_HASH,
            style=STYLE,
            style_hash=STYLE_HASH,
            chart=_without_past(drawn, view),
            needs_script=True,
            draft=draft,
            data=Markup(embedded(compact.written(data, asks))),
        )
    )
    return finished(page, form_style(), built_script(script), _words_of_script(script))


@cached_text
def form_style() -> str:
    """Return the style sheet of the order form, including rules that not every form needs."""
    return squeezed_css(f"{part_of_page('report.css', without=OF_REPORTS)}\n{part_of_page('orders.css')}")


@cache
def _words_of_script(name: str) -> str:
    """Return the words in the form script ``name`` that may be CSS classes or ids."""
    return cached(f"words-of-{name}", lambda: named_by(form_style(), built_script(name)), str.encode, bytes.decode)


def bundle_of(asks: Collection[str], *, alone: bool) -> str:
    """Return the name of the script for a form that has the given optional parts (see :func:`_asks`).

    Each script contains code only for the parts that the form has, which makes emails smaller. ``alone`` is true if
    there is no enemy ship whose course the player could sketch.
    """
    if COURSES not in asks:
        return "form-energy"
    return f"form-{'full' if ENERGY in asks else 'orders'}{'-alone' if alone else ''}"


def _asks(data: OrderFormData) -> frozenset[str]:
    """Return the names of the optional parts that a form contains, such as the energy part."""
    asked = {
        ENERGY: any(block.energy for block in data.blocks),
        COURSES: data.request.form != FormKind.EAF,
    }
    return frozenset(what for what in asked if asked[what])


OF_REPORTS = (
    "who plays, and the ways around", "the ways around", "headline, numbers, news", "news", "pages of many units",
    "ways, fire, ranges", "ranges, and the map at play", "replay", "what the replay tells", "damage over the game",
    "impulses", "impulses, chips", "ships' displays", "orders, energy", "narrow reports",
)  # fmt: skip
"""Sections of the report's style sheet that no order form needs."""


_MAIL = regex(r'"mail":\{"to":"[^"]*",\n?"subject":"(?:[^"\\]|\\.)*"\}')
"""Pattern that finds, in the data of a form, the address and subject of the email that the form opens."""


def embedded(data: Json | OrderFormData) -> str:
    """Return data as JSON text that can be placed safely inside a script element."""
    return data_of_page(msgspec.json.encode(data))


def addressed(page: str, to: str, subject: str) -> str:
    """Return an order form page with another address and subject for the email that it opens.

    A host uses this function, because forms are made before the address is known.
    """
    mail = embedded({"to": to, "subject": subject})
    return _MAIL.sub(lambda found: f'"mail":{mail}', page, count=1)


def _without_past(drawn: Chart, view: ReportView) -> Chart:
    """Return the drawn map without last turn's courses and shots, because the form draws future courses."""
    return msgspec.structs.replace(drawn, ways=(), shots=(), wrecks=(), ghosts=(), spans=())


def form_data(
    state: State, scenario: Scenario, side: str, drawn: Chart, draft: str, *, to: str = "", subject: str = ""
) -> OrderFormData:
    """Return all data of the form page; ``state`` is the game state as ``side`` may see it."""
    request = state.request
    assert request is not None and request.asks(side)
    helm = form_map.Helm(state)
    prey = weapons.targets(state, side)
    wants_rest = request.form != FormKind.EAF
    enemies = [unit for unit in state.in_play() if state.enemies(side, unit.side)]
    blocks = [_block(state, scenario, request, helm, unit, prey, enemies) for unit in commanded(state, request, side)]
    header = answer_line(state.game, side, request)
    foes, hulls = form_foes.foes(state, scenario, request, side, helm) if wants_rest else ([], [])
    guns = [gun for one in (*blocks, *foes) for gun in one.get("weapons", one.get("guns", ()))]
    data: Json = {
        "format": 1,
        "side": side,
        "game": state.game,
        "file": f"{state.game}.{side}.t{request.turn}.r{request.number}.orders",
        "mail": {"to": to, "subject": subject.strip()},
        "request": {
            "header": header,
            "form": request.form.value,
            "turn": request.turn,
            "number": request.number,
            "first": max(1, request.impulse),
            "through": request.through,
            "continues": request.form == FormKind.SOP and request.impulse > 0 and side in state.standing,
            "over": form_words.opens(state, request),
            "speeds_known": request.impulse > 0,
        },
        "impulses": form_map.impulses(state, scenario),
        "map": form_map.geometry(state, drawn) if wants_rest else None,
        "tables": helm.tables,
        "top": scenario.max_speed,
        "far": FAR,
        "units": prey,
        "foes": foes,
        "hulls": hulls,
        "charts": form_foes.shared_charts(guns),
        "blocks": blocks,
        "words": form_words.vocabulary(),
        "draft": draft.split("\n"),
    }
    return msgspec.convert(data, OrderFormData)


def _block(
    state: State,
    scenario: Scenario,
    request: Request,
    helm: form_map.Helm,
    unit: Ship | Shuttle,
    prey: list[Json],
    enemies: list[AnyUnit],
) -> Json:
    """Return the data of the form for one ship or shuttle."""
    is_ship = isinstance(unit, Ship)
    energy = None
    if isinstance(unit, Ship) and asks_energy(scenario, request, unit):
        energy = form_energy.energy_form(state, scenario, unit)
    may = speeds(state, scenario, request, unit)
    block: Json = {
        "head": f"{'SHIP' if is_ship else 'SHUTTLE'} {writer.name_text(unit.name)}",
        "name": unit.name,
        "kind": "ship" if is_ship else "shuttle",
        "about": _about(unit),
        "hex": unit.hex,
        "facing": unit.facing,
        "speed": None if energy else unit.speed,
        "energy": energy,
        "speeds": may and {"top": may.top, "now": may.now, **({"fixed": True} if may.fixed else {})},
    }
    if request.form == FormKind.EAF:
        return block
    bench = OrderTester(state, scenario, request, unit, energy is not None)
    block["helm"] = helm.of(unit, max(scenario.max_speed, unit.speed))
    block["script"] = _script(bench)
    block["moved"] = is_over(state, request, StepName.MOVE if is_ship else StepName.SHUTTLES)
    others = [each for each in prey if each["name"] != unit.name]
    _try_together(bench, others, energy)
    if isinstance(unit, Ship):
        through = weapons.sight(state, scenario, request, [unit], enemies)
        block["weapons"] = weapons.weapons(bench, unit, others, energy, through)
        block |= _of_ship(state, scenario, request, unit)
    else:
        through = weapons.sight(state, scenario, request, [], enemies)
        block["weapons"] = weapons.shuttle_weapon(bench, unit, others, through)
    block["acts"] = form_words.acts(bench, energy)
    block["names"] = form_words.groups(bench, others)
    block["may_leave"] = not scenario.keeps_on_map(unit.side)
    if scenario.uses("tac") and isinstance(unit, Ship):
        block["tac"] = {"unpaid": bench.plot_faults(f"TAC R AT {max(1, request.impulse)}").get(UNPAID_TAC, "")}
    return block


def _of_ship(state: State, scenario: Scenario, request: Request, ship: Ship) -> Json:
    """Return those form data that exist only for ships, without the data on weapons."""
    data: Json = {}
    if hidden := weapons.veils(state, scenario, request, ship):
        data["veils"] = hidden
    if weapons.is_blind(request, ship):
        data["blind"] = charts.sensors().no_lock_on
    data["capacitor"] = ship.power.capacitor
    data["shields"] = list(ship.shields)
    data["damage"] = form_words.damage_boxes(state, scenario, ship)
    data["boat"] = _shuttle_orders(state, scenario, ship)
    return data


def _try_together(bench: OrderTester, prey: list[Json], energy: Json | None) -> None:
    """Check in one call all order lines that the parts of the form need checked, because this is faster."""
    arms, words = weapons.questions(bench.unit), form_words.questions(bench, prey)
    plain = {**words, "DO": [*arms, *words["DO"]]}
    if energy:
        bench.try_together({"DO": plain["DO"]}, best_energy(energy["fields"]))
    bench.try_together(plain)


def _shuttle_orders(state: State, scenario: Scenario, ship: Ship) -> str:
    """Return the form's initial order lines for the next shuttle that a ship can launch (J1.21, J1.61).

    The result is empty if the ship has no such shuttle.
    """
    if not (scenario.uses("shuttles") and ship.hangar):
        return ""
    name, home = next_name(state, ship), writer.name_text(ship.name)
    return f"SHUTTLE {name}\nSPEED {shuttles.full_speed()}\nPLOT TOWARD {home}\nDO\n  LAND ON {home}"


def _script(bench: OrderTester) -> Json | None:
    """Return the plot codes that the scenario allows for a ship with a fixed course.

    The result is ``None`` for ships that choose their own course. ``first`` are the codes allowed for its first hex,
    and ``later`` those for the hexes after it. ``why`` is the reason why other codes are refused.
    """
    if not isinstance(bench.unit, Ship) or script_of(bench.scenario, bench.unit) is None:
        return None
    why = bench.plot_faults("F L").get(SCRIPTED, "")
    if not why:
        return None
    first = [code for code in movement.CODES if SCRIPTED not in bench.plot_faults(code)]
    later = [code for code in movement.CODES if SCRIPTED not in bench.plot_faults(f"F {code}")]
    return {"first": first, "later": later, "why": why}


def _about(unit: Ship | Shuttle) -> str:
    return unit.class_name if isinstance(unit, Ship) else f"shuttle of {unit.launcher}"
