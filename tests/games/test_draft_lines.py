"""The lines of a draft: what is left of orders, what is offered, what is idle, what can be paid."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import scenario
from pbem.data.terms import CloakState, FormKind, StepName, UnitFate
from pbem.engine.on_file import altered
from pbem.engine.state import Request, Ship, Shuttle
from pbem.errors import Fault, GameError
from pbem.games.answers import judged_on
from pbem.games.create import new
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.vassal_files import with_plots
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import _idle, draft_for, usable
from pbem.reports.draft.systems import entries, shuttles, words
from pbem.rules.movement import impulses_of
from tests.engine.world import rich


def test_one_hex_and_more() -> None:
    assert [words(1), words(2), words(12)] == ["1 hex", "2 hexes", "12 hexes"]


@pytest.mark.parametrize(
    "kept", ["PLOT 3F", "AT 16 FIRE PH 1 AT Constellation", "IMPULSE 16", "OTHER HULL FIRST"]
)  # fmt: skip
def test_whatever_is_left_of_orders_stands_in_the_draft(at_break: GameFolder, kept: str) -> None:
    """Of whichever kind the one line is."""
    head = {"A": "DO\n  ", "I": "BREAK\n  ", "O": "DAMAGE\n  ", "P": ""}[kept[0]]
    state, request = at_break.state(), at_break.state().request
    assert request is not None
    standing = replace(state.standing["klingon"], text=f"SHIP Destruction\n{head}{kept}\n", spent=(), flown={})
    state = replace(state, standing={**state.standing, "klingon": standing})
    draft = draft_for(state, at_break.scenario(), request, "klingon")
    assert kept in [line.partition("#")[0].strip() for line in draft.splitlines()]


def test_the_draft_of_a_shuttle_counts_the_hexes_it_still_flies() -> None:
    """Where play stopped behind the step in which shuttles move, not that of this impulse any more."""
    state, duel = rich(), scenario("9")
    boat = replace(state.units["FS/1"], speed=5, landed="", launched=0, target="", gone=UnitFate.IN_PLAY)
    assert state.request is not None
    request = replace(state.request, turn=state.turn, form=FormKind.SOP, through=state.impulses)
    for impulse in range(1, state.impulses + 1):
        for step, over in ((StepName.SHUTTLES, False), (StepName.SEEK, True), (StepName.END, True)):
            now = replace(state, impulse=impulse, step=step, units={**state.units, "FS/1": boat})
            (draft,) = (one for one in shuttles(now, duel, replace(request, impulse=impulse), boat.side)
                        if one.name == "FS/1")  # fmt: skip
            left = [one for one in impulses_of(5, state.impulses) if one >= impulse + over]
            assert draft.hexes == len(left), (impulse, step)


def test_nothing_of_a_system_is_offered_that_is_shot_away() -> None:
    state, offered = rich(), list[list[str]]()
    con = state.units["Con"]
    assert isinstance(con, Ship)
    for boxes in (0, 1):
        ship = replace(con, boxes={**con.boxes, "tran": boxes})
        offered.append([order for order, _ in entries(state, scenario("9"), ship) if order.startswith("TRANSPORT")])
    assert offered[0] == [] and len(offered[1]) == 1


def test_whose_weapons_no_ship_guides_is_offered_each_of_them(tmp_path: Path) -> None:
    """The drones of scenario #2, each with where it is and what it is after."""
    new("2", tmp_path / "trap", players={"drones": "a@x.example", "federation": "b@x.example"}, seed="drones")
    with opened(tmp_path / "trap") as trap:
        state = trap.state()
        assert state.request is not None
        draft = draft_for(state, trap.scenario(), replace(state.request, sides=("drones",)), "drones")
        offered = [line.split(" LEFT ") for line in draft.split("\n") if "# GUIDE" in line]
        assert [(line.strip(), about.strip()) for line, about in offered] == [
            (f'# GUIDE "{drone.name}"', f"# at {drone.at}, after Constellation") for drone in state.seekers()
        ]
        assert len(offered) == 8


@pytest.mark.parametrize("wrong", [{3}, {0, 29}, {5, 6, 7}, set(range(30)), set()])
def test_hints_are_tried_together_and_alone_only_what_is_refused(wrong: set[int]) -> None:
    """A try is a check of all orders: with thirty hints of which one is wrong it is a few tries, not thirty."""
    hints = [f"  # DO {n}" for n in range(30)]
    tries = 0

    def faults_of(draft: str) -> list[Fault]:
        nonlocal tries
        tries += 1
        lines = draft.split("\n")
        used = [n for n in range(30) if lines[n + 1] == f"  DO {n}"]
        return [Fault(code="x", text=f"no {n}", line=n + 2) for n in used if n in wrong]

    told = usable("\n".join(["SHIP Con", *hints]), faults_of).split("\n")[1:]
    assert [line for line in told if line in hints] == [hint for n, hint in enumerate(hints) if n not in wrong]
    assert len(told) == 30 and tries <= 3 + len(wrong)


def test_plots_of_a_table_take_the_place_of_those_that_were_there(at_break: GameFolder) -> None:
    def units(text: str) -> dict[str, tuple[bool, list[str], int]]:
        found = read_orders(text)
        assert not found.faults and (found.orders.side, found.orders.turn, found.orders.reply) == ("klingon", 1, 3)
        return {
            unit.unit: (unit.shuttle, list(unit.plot.codes) if unit.plot else [], len(unit.do))
            for unit in found.orders.units
        }

    head = "GAME duel TURN 1 SIDE klingon REPLY 3\n"
    mine = f"{head}SHIP Destruction\nPLOT 1F\nDO\n  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation\nEND\n"
    assert units(with_plots(at_break, "klingon", {"Destruction": ["F", "L"]}, mine)) == {
        "Destruction": (False, ["F", "L"], 1)
    }
    both = with_plots(at_break, "klingon", {"KF/1": ["R"], "Constellation": ["F"]}, mine)
    assert units(both)["Destruction"][1:] == units(mine)["Destruction"][1:], "whose counter was not moved flies on"
    assert units(both)["KF/1"] == (True, ["R"], 0) and units(both)["Constellation"] == (False, ["F"], 0)
    for text in ("", f"{head}CONTINUE\nEND\n"):
        drafted = with_plots(at_break, "klingon", {"Destruction": ["F"]}, text)
        assert units(drafted) == {"Destruction": (False, ["F"], 1)}, "what was left of the orders in force"
    submit(at_break, mine, "k.txt")
    assert units(with_plots(at_break, "klingon", {"Destruction": ["R"]}))["Destruction"] == (False, ["R"], 1)
    with pytest.raises(GameError, match="FLY"):
        with_plots(at_break, "klingon", {}, f"{head}SHIP Destruction\nFLY\nEND\n")
    with pytest.raises(GameError, match="the game is not waiting for federation"):
        with_plots(at_break, "federation", {})


def test_a_draft_says_where_there_is_no_power_for_all_its_hints_together(game: GameFolder) -> None:
    """The empty batteries that could be charged among them."""
    state, duel = game.state(), game.scenario()
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship) and state.request is not None
    found: Counter[bool] = Counter()
    for impulse, reactors, speed in product((0, 1, 2), (0, 1, 2), (4, 12)):
        boxes = {**ship.boxes, "impulse": impulse, "apr": reactors}
        poor = altered(ship, batteries=0, boxes=boxes, speed=speed, prior_speed=speed)
        now = replace(state, units={**state.units, ship.name: poor})
        draft = draft_for(now, duel, state.request, "federation")
        assert "  # RECHARGE 1 " in draft
        short = "not enough power for all of these" in draft
        all_ = "\n".join(line.replace("# ", "", 1) if line.startswith("  # ") else line for line in draft.split("\n"))
        assert bool(judged_on(now, duel, all_, "").faults) is short, (impulse, reactors, speed)
        found[short] += 1
    assert found[True] > 2 and found[False] > 2


def test_why_a_weapon_is_idle_until_these_orders_end(game: GameFolder) -> None:
    """The first reason there is, of the ship and then of the weapon."""
    state = game.state()
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship) and state.request is not None
    drone = next(name for name in sorted(ship.weapons) if name.startswith("DRONE"))

    def why(
        form: FormKind = FormKind.SOP, *, ammo: int = 2, step: str = "move", impulse: int = 3, **changed: Any
    ) -> str:
        weapons = {**ship.weapons, drone: replace(ship.weapons[drone], ammo=ammo)}
        now = replace(state, turn=1, impulse=impulse, step=step)
        request = Request(number=2, turn=1, impulse=impulse, form=form, sides=("klingon",), through=8)
        return _idle(now, request, altered(ship, weapons=weapons, **changed), drone)

    assert why() == why(FormKind.EAF) == ""
    assert why(disabled=(drone,), captured_from="x") == "is not used in this scenario"
    assert why(captured_from="federation", ammo=0) == "is locked: the ship is captured (D7.0)"
    assert why(ammo=0) == why(FormKind.EAF, ammo=0) == "is empty"
    cloaked = "is silent under the cloak, all turn (G13.34)"
    assert why(cloak=CloakState.CLOAKED) == cloaked and why(FormKind.EAF, cloak=CloakState.CLOAKED) != cloaked
    late = [why(step=step, impulse=impulse) for impulse in (7, 8) for step in ("move", "launch", "fire")]
    assert late == ["", "", "", "", "", "launches no more this turn"]


@pytest.mark.parametrize("warp", [16, 6, 5, 4, 2])
def test_a_draft_offers_the_highest_speed_that_can_be_paid_beside_weapons_or_without_them(
    game: GameFolder, warp: int
) -> None:
    state, duel = game.state(), game.scenario()
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship) and state.request is not None
    boxes = {
        **ship.boxes,
        "warp left": warp // 2,
        "warp right": warp - warp // 2,
        "warp center": 0,
        "impulse": 1,
        "apr": 1,
    }
    poor = altered(ship, batteries=0, boxes=boxes, speed=9, prior_speed=9)
    now = replace(state, units={**state.units, ship.name: poor})
    draft = draft_for(now, duel, state.request, "federation")
    hints = [line.strip(" #").partition("#")[0].strip() for line in draft.split("\n") if line.startswith("  # ")]
    (offered,) = (int(hint.split()[1]) for hint in hints if hint.startswith("SPEED "))
    usual = [hint for hint in hints if hint.startswith(("PHASERS", "PHOT"))]
    assert len(usual) == 3
    head = "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n"

    def paid(*entries: str) -> list[int]:
        return [
            speed
            for speed in range(1, 10)
            if not judged_on(now, duel, head + "\n".join([f"SPEED {speed}", *entries]) + "\nEND\n", "").faults
        ]

    assert offered == max(paid(*usual) or paid(), default=0)
    assert ("beside phasers and weapons" in draft) == (bool(paid(*usual)) and offered < 9)


def test_a_side_is_offered_its_own_shuttles_and_none_that_is_a_weapon() -> None:
    state, duel = rich(), scenario("9")
    assert state.request is not None
    flying = replace(state.units["FS/1"], target="", gone=UnitFate.IN_PLAY, landed="", speed=4)
    there = {
        "FS/1": flying,
        "FS/5": replace(flying, name="FS/5", target="Con"),
        "FS/6": replace(flying, name="FS/6", side="klingon"),
        "FS/7": replace(flying, name="FS/7", gone=UnitFate.DESTROYED),
    }
    rest = {name: unit for name, unit in state.units.items() if not isinstance(unit, Shuttle)}
    now = replace(state, units={**rest, **there})
    request = replace(state.request, turn=state.turn, form=FormKind.SOP, through=state.impulses)
    found = {side: [one.name for one in shuttles(now, duel, request, side)] for side in state.sides}
    assert found == {side: {flying.side: ["FS/1"], "klingon": ["FS/6"]}.get(side, []) for side in state.sides}
