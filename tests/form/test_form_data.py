"""What the order form page holds: the engine's own tables, nothing that is secret, no markup of a stranger's."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.engine.log import effective, fold
from pbem.engine.state import Ship
from pbem.engine.steps.energy import reckon
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.orders.reader import read_condition, read_orders
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import form_html
from pbem.reports.form.geometry import bearing_number
from pbem.reports.form.words import CONDITIONS, PILOTS
from pbem.reports.mail.mime import _goes_as_it_is
from pbem.reports.view.reader_log import seen_by
from pbem.rules import hexes, movement
from pbem.rules.hexes import arcs_holding
from pbem.rules.movement import moves
from pbem.rules.shields import faced_shields
from tests.form.conftest import forms_of
from tests.form.script_types import FILE, script_types

SCENARIOS = tuple(str(number) for number in range(1, 13))


def data_of(html: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="form">(.*?)</script>', html, re.DOTALL)
    assert len(found) == 1
    held: dict[str, Any] = json.loads(found[0])
    return held


def choices(field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from field["options"]
    series = field.get("series", {"to": 0})
    for points in range(1, series["to"] + 1):
        yield {"text": f"{series['text']}{points}", "ask": {s: n * points for s, n in series["ask"].items()}}


@pytest.mark.parametrize(
    "scenario", [pytest.param(each, marks=() if each in ("5", "6") else pytest.mark.slow) for each in SCENARIOS]
)
def test_every_choice_of_the_energy_form_costs_what_the_engine_says(
    opening: Callable[[str], list[Any]], scenario: str
) -> None:
    for form in opening(scenario):
        with opened(form.game) as folder:
            state, terms = folder.state(), folder.scenario()
        for block in data_of(form.html)["blocks"]:
            ship = state.units[block["name"]]
            if not block["energy"]:
                continue
            assert isinstance(ship, Ship)
            standing = sum(
                sum(f["options"][0]["ask"].values()) for f in block["energy"]["fields"] if f["line"] in (7, 8, 11)
            )
            for field in block["energy"]["fields"]:
                for option in choices(field):
                    if not option["text"] or field["line"] in (7, 8, 11):
                        continue
                    orders = read_orders(f"GAME g\nSHIP x\nENERGY\n{option['text']}\nEND\n")
                    assert not orders.faults, option["text"]
                    entries = orders.orders.units[0].energy
                    assert entries is not None
                    done = reckon(state, terms, ship, entries)
                    assert {fault.code for fault in done.faults} <= {"energy-overspent", "warp-overspent"}
                    used = next(line.amount for line in done.balance if line.number == 20)
                    assert used == standing + sum(option["ask"].values()), option["text"]


@pytest.mark.parametrize(
    "scenario", ["2", "5", pytest.param("7", marks=pytest.mark.slow), pytest.param("10", marks=pytest.mark.slow)]
)
def test_the_tables_of_the_map_are_the_rules(opening: Callable[[str], list[Any]], scenario: str) -> None:
    form = opening(scenario)[0]
    with opened(form.game) as folder:
        state = folder.state()
    held = data_of(form.html)["map"]
    dice = random.Random(scenario)
    columns = range(held["first"][0], held["last"][0] + 1)
    rows = range(held["first"][1], held["last"][1] + 1)
    corners = [hexes.hex_name(c, r) for c in (columns[0], columns[-1]) for r in (rows[0], rows[-1])]
    for _ in range(1500):
        a, b = (
            dice.choice(corners) if dice.random() < 0.1 else hexes.hex_name(dice.choice(columns), dice.choice(rows))
            for _ in "ab"
        )
        facing = dice.choice(hexes.FACINGS)
        if a != b:
            way = (bearing_number(a, b, state.grid) - 4 * hexes.FACINGS.index(facing)) % 24
            assert set(held["arcs"][way]) == arcs_holding(a, facing, b, state.grid)
            assert tuple(held["shields"][way]) == faced_shields(a, facing, b, state.grid)


def test_the_types_of_the_script_are_those_of_the_structs() -> None:
    assert FILE.read_text(encoding="utf-8") == script_types()


@pytest.mark.slow
def test_turn_mode_and_slip_mode_are_those_of_the_rules(opening: Callable[[str], list[Any]]) -> None:
    for scenario in ("5", "7"):
        held = data_of(opening(scenario)[0].html)
        helm = held["blocks"][0]["helm"]
        for speed, (name, mode) in enumerate(zip(helm["tables"], helm["modes"], strict=True)):
            table = held["tables"][name]
            assert table["mode"] == mode
            for place, numbers in enumerate(table["rows"]):
                row = [table["why"][-1 - number] if number < 0 else number for number in numbers]
                turned, slipped = divmod(place, table["slips"])
                for code, after in zip(movement.CODES, row, strict=True):
                    legal = (code not in movement.TURNS or movement.can_turn(turned, mode)) and (
                        code not in movement.SLIPS or movement.can_slip(slipped)
                    )
                    assert isinstance(after, int) == legal, (speed, place, code)
                    if legal:
                        then = movement.after_step(code, turned, slipped)
                        assert divmod(after, table["slips"]) == (min(then[0], mode), min(then[1], movement.SLIP_MODE))
                    else:
                        assert "(C" in after
        count = len(held["impulses"][0])
        for speed, row in enumerate(held["impulses"]):
            assert row == "".join(str(int(moves(speed, n, count))) for n in range(1, count + 1))


def test_every_condition_and_pilot_is_a_word_of_the_language() -> None:
    filled = {
        "unit": "ENEMY SHIP", "op": "<=", "n": "4", "m": "8", "arc": "FA", "shield": "#1", "hex": "1214",
        "launched": " SEEKER", "fired": " HEAVY", "weapon": "PHOT A",
    }  # fmt: skip
    for _, text, public in CONDITIONS:
        read_condition(text.format(**filled), public=public)
    for _, text in PILOTS:
        assert not read_orders(f"GAME g\nSHIP x\nPLOT {text.format(**filled)}\nEND\n").faults


# --- secrets, strangers --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def midgame(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A duel after its energy forms, which name what nobody else may know."""
    game = tmp_path_factory.mktemp("mid") / "duel"
    new("5", game, players={}, seed="secrets")
    energy = {
        "federation": "SHIP Constellation\nENERGY\nSPEED 9\nPHASERS 2.5\nPHOT B 2 WARP\nGENERAL 3\n",
        "klingon": "SHIP Destruction\nENERGY\nSPEED 11\nPHASERS 1.5\nDISR B 2\nREINFORCE #4 WITH 3\n",
    }
    with opened(game, lock="resolve") as folder:
        for side, text in energy.items():
            submit(folder, f"GAME duel TURN 1 SIDE {side} REPLY 1\n{text}END\n", side)
        resolve_game(folder)
    return game


def test_a_page_holds_nothing_its_reader_may_not_know(midgame: Path) -> None:
    with opened(midgame) as folder:
        records, state, scenario = list(folder.effective()), folder.state(), folder.scenario()
    assert state.request is not None and state.request.form == "SOP"
    pages = {}
    for side in state.request.sides:
        mine = fold(seen.event for seen in seen_by(effective(records), side, None))
        draft = draft_for(state, scenario, state.request, side)
        # The draft, which is made of the whole state, says nothing that the side's own view does not.
        assert draft == draft_for(mine, scenario, state.request, side)
        pages[side] = form_html(records, side, scenario, draft)
    theirs = [unit for unit in data_of(pages["klingon"])["units"] if not unit["mine"]]
    assert {key for unit in theirs for key in unit} == {
        "name", "say", "hex", "facing", "speed", "still", "kind", "mine", "enemy", "shields", "hexes"
    }  # fmt: skip
    # What another side keeps for itself changes no byte of the page.
    public = [
        record
        if record.only != "federation"
        else msgspec.structs.replace(record, event=record.shown, only="", shown=None)
        for record in records
        if record.only != "federation" or record.shown is not None
    ]
    assert len(public) < len(records)
    assert (
        form_html(public, "klingon", scenario, draft_for(state, scenario, state.request, "klingon")) == pages["klingon"]
    )
    assert [block["name"] for block in data_of(pages["klingon"])["blocks"]] == ["Destruction"]


def test_the_weapons_of_the_page_have_the_energy_the_form_gave_them(midgame: Path) -> None:
    with opened(midgame) as folder:
        records, state, scenario = list(folder.effective()), folder.state(), folder.scenario()
        assert state.request is not None
        page = form_html(records, "klingon", scenario, draft_for(state, scenario, state.request, "klingon"))
    idle = {weapon["name"]: weapon.get("idle", "") for weapon in data_of(page)["blocks"][0]["weapons"]}
    assert idle["DISR B"] == "" and "no energy" in idle["DISR A"] and idle["PH 1"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["1", "5", pytest.param("9", marks=pytest.mark.slow)])
def test_a_form_travels_as_it_is_and_has_the_script_of_what_it_asks(
    opening: Callable[[str], list[Any]], tmp_path: Path, scenario: str
) -> None:
    """Courses without energy, both, and energy alone: no mail carries what its form does not ask."""
    game = tmp_path / "game"
    new(scenario, game, players={}, seed="asked")
    alone, both = forms_of(game)[0].html, opening(scenario)[0].html
    with opened(game) as folder:
        request = folder.state().request
        assert request is not None
        energy_alone = request.form == FormKind.EAF
    for page in (alone, both):
        assert _goes_as_it_is(page.encode())
    scripts = [page.rpartition("<script>")[2] for page in (alone, both)]
    assert ("Plot codes" in scripts[0], "Plot codes" in scripts[1]) == (not energy_alone, True)
    asked = [any(block["energy"] for block in data_of(page)["blocks"]) for page in (alone, both)]
    assert ["Fill in usual values" in script for script in scripts] == asked


def test_hostile_names_never_become_markup(hostile: list[Any]) -> None:
    for form in hostile:
        assert "<img" not in form.html and form.html.count("<script") == 2 and "&lt;/script" in form.html
        held = data_of(form.html)
        assert any("</script><script>" in unit["name"] for unit in held["units"])
        assert "</script><script>" in "\n".join(held["draft"])


@pytest.mark.slow
def test_the_same_log_makes_the_same_page(opening: Callable[[str], list[Any]]) -> None:
    form = opening("12")[1]
    with opened(form.game) as folder:
        state, scenario = folder.state(), folder.scenario()
        assert state.request is not None
        draft = draft_for(state, scenario, state.request, form.side)
        assert form_html(folder.effective(), form.side, scenario, draft) == form.html
    assert len(form.html.encode()) <= 300_000


def test_points_that_are_no_whole_ones_are_told_apart() -> None:
    from pbem.engine.legal.energy_fields import json_number

    assert (
        json_number(Fraction(4, 2)) == 2
        and json_number(Fraction(1, 2)) == 0.5
        and json_number(Fraction(2, 3)) == 0.666667
    )


@pytest.mark.parametrize(
    "scenario", [pytest.param(each, marks=() if each in ("1", "5") else pytest.mark.slow) for each in SCENARIOS]
)
def test_the_style_of_a_form_is_whole(opening: Callable[[str], list[Any]], scenario: str) -> None:
    """A bracket left open by a selector that is not needed takes all rules behind it along."""
    for form in opening(scenario):
        (style,) = re.findall("<style>(.*?)</style>", form.html, re.DOTALL)
        for selector in re.findall(r"(?:^|[{}])([^{}@]+)\{", style):
            assert selector.count("(") == selector.count(")"), selector
        assert ".chips{" in style and ".list{" in style.replace(",.list textarea", "")
