"""Every weapon of the charts is known everywhere: what it is, and in how many turns it is armed, is asked of the weapon
data (E1.2, E3.2, E4.21, FP1.21).
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from pbem.data import charts
from pbem.data.terms import WeaponState
from pbem.engine import rulings
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import Ship, State
from pbem.engine.state_paths import NoPath
from pbem.engine.steps.energy import ready_robot
from pbem.lab.rule_cases.format import read_case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.reports.draft.draft import draft_for
from pbem.rules import weapons
from pbem.rules.direct_fire import is_direct_fire
from pbem.rules.weapons import family

ROOT = Path(__file__).resolve().parent.parent.parent
TURNS = {
    "ph1": 0, "ph2": 0, "ph3": 0, "phG": 0, "photon": 2, "disruptor": 1, "fusion": 1, "plasmaR": 3, "plasmaS": 3,
    "plasmaG": 3, "plasmaF": 3, "drone_rack": 0,
}  # fmt: skip


def game(tmp_path: Path, ship: str, level: str = "cadet") -> tuple[State, object]:
    """A game with one ship of a class, and its scenario."""
    file = tmp_path / "one.toml"
    file.write_text(
        f'rule = "E1.2"\ntitle = "one ship"\nsource = "-"\nlevel = "{level}"\n'
        f"impulses = {32 if level == 'standard' else 16}\nstop = 1\n"
        f'[[unit]]\nside = "hydran"\nship = "{ship}"\nname = "One"\nat = "1010A"\n[final.One]\ngone = ""\n',
        encoding="utf-8",
    )
    case = read_case(file)
    setting = scenario_for(case)
    return opening(case, setting), setting


def one(state: State) -> Ship:
    ship = state.units["One"]
    assert isinstance(ship, Ship)
    return ship


def test_in_how_many_turns_each_kind_is_armed() -> None:
    assert {kind: family(kind).turns for kind in TURNS} == TURNS
    for kind in charts.weapon_kinds():
        if is_direct_fire(kind):
            assert family(kind).ready(WeaponState.ARMED)
            assert family(kind).ready(WeaponState.POWERED) == (family(kind).turns < 2)
            assert (
                family(kind).ready(WeaponState.NONE)
                == family(kind).ready(WeaponState.ARMING)
                == (not family(kind).turns)
            )


def test_what_is_armed_in_one_turn_may_be_held_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A weapon of one's own with ``arming = "turns"`` whose chart gives the energy of a shot and none by turns."""
    chart = msgspec.structs.replace(charts.hit_table("photon"), arming=(), energy=3)
    monkeypatch.setattr(charts, "hit_table", lambda name: chart)
    one = weapons._Turns("photon")
    tube = weapons.Tube(name="LANC A", kind="photon")
    armed = one.arm(tube, Fraction(3), "", ("WARP",))
    assert (one.turns, armed) == (1, weapons.Arming(weapons.WeaponReadiness(WeaponState.ARMED, 1), 3, warp_only=True))
    held = one.arm(msgspec.structs.replace(tube, charge=WeaponState.ARMED, armed_turns=1), Fraction(0), "HOLD", ())
    assert held.readied == armed.readied


def test_nobody_asks_the_letters_of_a_kind() -> None:
    """``photon`` begins like a phaser."""
    for file in sorted((ROOT / "pbem").rglob("*.py")):
        assert not re.search(r"""startswith\(["'](ph|plasma)["']\)""", file.read_text(encoding="utf-8")), file


def test_no_weapon_is_named_outside_the_families_and_the_data() -> None:
    """What a kind may do is asked of its family; a look-up of a rule case may be about one weapon by name."""
    named = re.compile(rf"""["']({"|".join(kind for kind in charts.weapon_kinds() if kind != "probe")})["']""")
    files = [file for file in sorted((ROOT / "pbem").rglob("*.py")) if file.parent.name != "rule_cases"]
    files.remove(ROOT / "pbem" / "rules" / "weapons.py")
    assert [file.name for file in files if named.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(("ship", "level"), [("hyd_cadet_ca", "cadet"), ("std_hyd_rn", "standard")])
def test_a_draft_has_a_line_for_each_fusion_beam(tmp_path: Path, ship: str, level: str) -> None:
    state, setting = game(tmp_path, ship, level)
    assert state.request is not None
    text = draft_for(state, setting, state.request, "hydran")  # type: ignore[arg-type]
    beams = [name for name, weapon in one(state).weapons.items() if weapon.kind == "fusion"]
    assert beams
    for name in beams:
        assert re.search(rf"^ *#* *{name} 2\b", text, re.M), name


@pytest.mark.parametrize(
    ("ship", "level", "weapon", "value", "charge"),
    [
        ("hyd_cadet_ca", "cadet", "FUS A", "powered", "powered"),
        ("hyd_cadet_ca", "cadet", "FUS A", "armed", "powered"),
        ("hyd_cadet_ca", "cadet", "FUS A", "unarmed", ""), ("kli_cadet_d6", "cadet", "DISR A", "powered", "powered"),
        ("fed_cadet_ca", "cadet", "PHOT A", "armed", "armed"), ("fed_cadet_ca", "cadet", "PHOT A", "arming", "arming"),
        ("rom_cadet_kr", "cadet", "PLAS A", "armed", "armed"),
    ],
)  # fmt: skip
def test_what_the_umpire_may_set(tmp_path: Path, ship: str, level: str, weapon: str, value: str, charge: str) -> None:
    state, _ = game(tmp_path, ship, level)
    assert one(rulings.set_path(state, "One", weapon, value)).weapons[weapon].charge == charge


@pytest.mark.parametrize(
    ("ship", "weapon", "value"),
    [("fed_cadet_ca", "PHOT A", "powered"), ("hyd_cadet_ca", "FUS A", "arming"), ("hyd_cadet_ca", "PH 3", "powered")],
)
def test_what_he_may_not_is_said_with_what_he_may(tmp_path: Path, ship: str, weapon: str, value: str) -> None:
    state, _ = game(tmp_path, ship)
    with pytest.raises(NoPath, match="it may be destroyed, working"):
        rulings.set_path(state, "One", weapon, value)


@pytest.mark.parametrize(
    ("ship", "level", "loaded"),
    [
        ("hyd_cadet_ca", "cadet", ["FUS A", "FUS B"]), ("std_hyd_rn", "standard", ["FUS A", "FUS B", "FUS C", "FUS D"]),
        ("fed_cadet_ca", "cadet", ["PHOT A"]), ("std_fed_ca_cth", "standard", ["PHOT A", "PHOT B"]),
        ("kli_cadet_d6", "cadet", ["DISR A", "DISR B"]), ("rom_cadet_kr", "cadet", ["PLAS A"]),
        ("std_ori_cr", "standard", ["PHOT A"]),
    ],
)  # fmt: skip
def test_what_a_robot_has_loaded(tmp_path: Path, ship: str, level: str, loaded: list[str]) -> None:
    state, setting = game(tmp_path, ship, level)
    table = Resolution(msgspec.structs.replace(state, turn=1), setting, None, {})  # type: ignore[arg-type]
    ready_robot(table, one(state))
    assert [name for name, weapon in one(table.state).weapons.items() if weapon.charge] == loaded
