"""Drafts of a rich situation, word by word, and what each change of it changes in them: drafts.txt has both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import unified_diff
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from pbem.data.scenarios import Scenario, Victory
from pbem.data.terms import FormKind
from pbem.engine.dice import ScriptedDice, Secret
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import Request, State
from pbem.engine.state_paths import loads
from pbem.errors import Fault, GameError
from pbem.games.segments import play_segment
from pbem.games.storage.folder import GameFolder
from pbem.games.umpire.decree import Decree, write
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.mail.host.deadlines import Late
from pbem.mail.host.stand_in import stand_in
from pbem.reports.draft.draft import draft_for, usable

replace = msgspec.structs.replace

FIELD = """
rule = "-"
title = "ships with all kinds of weapons and systems, seeking weapons, shuttles, a monster, a planet with people"
source = "-"
level = "standard"
impulses = 32
unit = [
    { side = "federation", ship = "std_fed_ca_cth", name = "Con", at = "1010A", prior_speed = 6, state = { "holds A" = "Pig", "photon A" = "arming", "photon B" = "armed", "suicide A" = "arming", "probe A" = "arming", capacitor = 2 } },
    { side = "federation", ship = "std_freighter_small", name = "Pig", at = "1011A" },
    { side = "romulan", ship = "std_rom_kr", name = "Hawk of the Night", at = "1510E", prior_speed = 6, state = { "holds A" = "FS/1" } },
    { side = "klingon", ship = "std_kli_d7", name = "Des", at = "1016A" },
    { side = "klingon", ship = "drone", name = "KF/1", at = "1009A", target = "Con", launcher = "Des" },
    { side = "romulan", ship = "plasma", name = "RP/1", at = "1412E", target = "Con", launcher = "Hawk of the Night" },
    { side = "federation", ship = "shuttle", name = "FS/1", at = "1410A", launcher = "Con", letter = "D", state = { speed = 4, crew = 1, parties = 2 } },
    { side = "federation", ship = "shuttle", name = "FS/2", at = "0817A", launcher = "Con", letter = "C", target = "Des", state = { speed = 6, bomb = 12 } },
    { side = "federation", ship = "shuttle", name = "FS/3", at = "0614A", launcher = "Con", letter = "B", state = { landed = "Rigel" } },
    { side = "monster", ship = "monster", monster = "planet_killer", name = "Killer", at = "0604D", target = "Rigel" },
    { ship = "planet", name = "Rigel", at = "0614", crew = 4 },
]
"""  # noqa: E501
ORDERS = {
    "federation": "SHIP Con\nENERGY\n SPEED 4; TRACTOR A; TRACTOR B; TRANSPORTERS 1; PHASERS 2; PHOT A 2 WARP\n"
    " SUICIDE A 2 WARP; PROBE A 1\nPLOT 2F R F\nDO\n AT 1 FIRE PH 1 AT KF/1\n EVERY FIRE PH 3 AT KF/1\n"
    " IF RANGE Des <= 3 THEN FIRE ALL PHOT AT Des\nBREAK\n IMPULSE 5\n RANGE ENEMY <= 1\nDAMAGE\n WEAPON PH 1 LAST\n"
    "SHIP Pig\nENERGY\n SPEED 0\nSHUTTLE FS/1\nSPEED 3\nPLOT F\n",
    "romulan": 'SHIP "Hawk of the Night"\nENERGY\n TRACTOR A; PHASERS 3\nDO\n EVERY FIRE ALL AT KF/2\n',
    "klingon": "SHIP Des\nENERGY\n SPEED 6; PHASERS 2; DISR A 2\nPLOT TOWARD Con\nDO\n EVERY FIRE PH 1-2 AT Con\n"
    " AT 2 LAUNCH DRONE 1 AT Con\n",
}

CHANGES = (
    "Con captured from = klingon", "Con photon A = armed", "Con photon A = unarmed", "Con photon B = unarmed",
    "Con suicide A = 1 1", "Con suicide A = 1 1 1", "Con suicide A = none", "Con hangar = none", "Con hangar = B",
    "Con probe A = 0", "Con probe A = armed weapon", "Con holds A = none", "Con speed = 20", "Con warp left = 1",
    "Con impulse = 0", "Con batteries = 0", "Con capacitor = 0", "Con tran = 0", "Con tractor = 0", "Con parties = 0",
    "Con boarders klingon = 2", "Con PH 1 = destroyed", "Con gone = destroyed", "Des gone = disengaged",
    "Des DRONE 1 = 0", "Des DISR A = powered", "Des captured from = federation", "Des parties = 1", "Killer method = 1",
    "Killer gone = destroyed", "Hawk of the Night cloak = cloaked", "Hawk of the Night holds A = none",
    "Hawk of the Night PLAS A = armed", "Hawk of the Night gone = destroyed", "Pig gone = destroyed", "Rigel crew = 0",
    "FS/1 damage = 3", "FS/1 crew = 0", "FS/1 parties = 0", "FS/1 gone = destroyed", "FS/3 landed = none",
    "FS/3 crew = 2",
)  # fmt: skip
"""Each alone, by a ruling of the umpire."""


@pytest.fixture(scope="module")
def moments() -> tuple[Scenario, State, State]:
    """The beginning of a turn and, some impulses later, a break."""
    case = msgspec.convert(loads(FIELD), Case)
    scenario = scenario_for(case)
    scenario = replace(scenario, victory=Victory(kind="rescue", side="federation", goal="Rigel", count=1))
    before = opening(case, scenario)
    _, after = play_segment(scenario, Secret(b"drafts" * 6), before, ORDERS)
    return scenario, before, after


def requests(before: State, after: State) -> Iterator[tuple[str, State, Request]]:
    """What may be asked, by name."""
    assert before.request is not None and after.request is not None
    yield "energy and orders", before, before.request
    yield "energy", before, replace(before.request, form=FormKind.EAF)
    yield "a rebid", after, after.request
    yield "a rebid to the next impulse", after, replace(after.request, through=after.request.impulse)
    yield "a new turn", replace(after, impulse=0, turn=2), replace(before.request, turn=2, number=4)
    yield "orders for a new turn", after, replace(after.request, impulse=0, form=FormKind.SOP, turn=2)


SIDES = ("federation", "klingon", "romulan")


def drafts(scenario: Scenario, state: State, request: Request, sides: tuple[str, ...] = SIDES) -> str:
    return "\n".join(draft_for(replace(state, request=request), scenario, request, side) for side in sides)


def test_drafts_are_as_they_were(
    moments: tuple[Scenario, State, State], as_kept: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, before, after = moments
    lines = []
    asked = tuple(requests(before, after))
    for name, state, request in (asked[0], asked[2]):
        lines += [f"======== {name}", drafts(scenario, state, request, ("federation", "klingon"))]
    # Which hints can be used takes long to find out: of all others every one is told.
    monkeypatch.setattr("pbem.reports.draft.draft.usable", lambda text, faults_of: text)
    whole = {
        form: drafts(scenario, state, request) for form, (_, state, request) in zip("fr", asked[::2], strict=False)
    }
    for name, state, request in asked:
        like = whole["r" if request.form == FormKind.SOP else "f"]
        lines += [f"======== {name}, every hint", *changed(like, drafts(scenario, state, request))]
    bare = replace(scenario, chapters=("energy",))
    for name, state, request in (asked[0], asked[2]):
        like = whole["r" if request.form == FormKind.SOP else "f"]
        lines += [f"======== {name}, of the chapters energy alone", *changed(like, drafts(bare, state, request))]
    for name, state, request in (asked[0], asked[2]):
        text = whole["r" if request.form == FormKind.SOP else "f"]
        for change in CHANGES:
            table = Resolution(state, scenario, ScriptedDice(), {})
            try:
                write(table, Decree(changes=(change,), reason="a case"), ())
            except GameError:
                continue  # it is so already
            lines += [f"==== {name}: {change}", *changed(text, drafts(scenario, table.state, request))]
    as_kept("drafts.txt", "\n".join(lines) + "\n")


def changed(text: str, other: str) -> list[str]:
    """The lines that differ."""
    found = list(unified_diff(text.split("\n"), other.split("\n"), n=0, lineterm=""))
    return [line for line in found[2:] if not line.startswith("@@")]


def test_orders_for_who_sent_none_are_as_they_were(
    moments: tuple[Scenario, State, State], as_kept: Callable[[str, str], None]
) -> None:
    scenario, before, after = moments
    asked = tuple(requests(before, after))
    lines = []
    at_first: tuple[Late, ...] = ("hold", "robot")
    later: tuple[Late, ...] = ("hold", "last orders", "robot")
    for (name, state, request), ways in ((asked[0], at_first), (asked[2], later)):
        here = replace(state, request=replace(request, sides=SIDES))
        if "last orders" in ways:
            here = replace(here, standing={"klingon": here.standing["klingon"]})
        stands = {"state": lambda here=here: here, "scenario": lambda: scenario, "turns": list}
        game = cast(GameFolder, SimpleNamespace(**stands, own_files=lambda: ["the scenario"]))
        for how in ways:
            for side in ("federation",) if how == "robot" else SIDES[: 1 + (how == "last orders")]:
                lines += [f"======== {name}: {how}", stand_in(game, side, how, "nobody wrote")]
    as_kept("standins.txt", "\n".join(lines) + "\n")


DRAFT = """\
SHIP A
ENERGY
  # SPEED 9                 # as last turn
  # PHASERS 1
  # PHOT A 2
PLOT
  # 2F R                    # L R turn
  # TOWARD B
DO
  # FIRE 1
  # FIRE 2
  # FIRE 3
  ## a remark
END"""


def test_hints_that_are_refused_say_why_in_their_place() -> None:
    tried = []

    def faults_of(text: str) -> list[Fault]:
        used = {
            line.strip().partition("  #")[0].strip() for line in text.split("\n") if not line.lstrip().startswith("#")
        }
        tried.append(used & {"SPEED 9", "PHASERS 1", "PHOT A 2", "2F R", "TOWARD B", "FIRE 1", "FIRE 2", "FIRE 3"})
        found = [Fault(code="map", text="it flies off the map", line=1)]
        if {"SPEED 9", "PHOT A 2"} <= used:
            found.append(Fault(code="energy", text="too much is spent", rule="B3.0"))
        if "PHOT A 2" in used:
            found += [Fault(code="b", text="is odd", line=5), Fault(code="a", text="is broken", rule="E4.0", line=5)]
        if "2F R" in used or "TOWARD B" in used:
            found.append(
                Fault(code="slip" if "2F R" in used else "scripted", text="it is led", line=7 + ("2F R" not in used))
            )
        if "FIRE 1" in used and "SPEED 9" not in used:
            found.append(Fault(code="dark", text="no speed", line=10))
        for number in (2, 3):
            if f"FIRE {number}" in used:
                found.append(Fault(code="spent", text="it is spent", line=9 + number))
        return found

    assert usable(DRAFT, faults_of) == (
        "SHIP A\nENERGY\n  # SPEED 9                 # as last turn\n  # PHASERS 1\n  ## is broken (E4.0)\nPLOT\n"
        "  ## like 2F R: L R turn\n  ## it is led\nDO\n  # FIRE 1\n  ## it is spent\n  ## a remark\nEND"
    )
    assert {"SPEED 9", "PHASERS 1", "PHOT A 2"} in tried and {"SPEED 9", "PHASERS 1"} in tried
