"""Which shuttle box is hit, and who may know of it (D4.325, J1.4, J2.222)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice
from pbem.engine.log import fold
from pbem.engine.state import Ship, Shuttle, State
from pbem.lab.rule_cases.format import read_case
from pbem.lab.rule_cases.play import CasePlay, opening, play, scenario_for
from pbem.orders.model import DamageChoice
from pbem.rules import shuttles
from pbem.rules.shuttles import BayBoxes, struck, unlettered

DICE = {f"1.1.resolve Con DAC1{which} 1": die for which, die in (("a", 6), ("b", 1))}


def hit(tmp_path: Path, damage: str, state: str = "", more: str = "") -> tuple[CasePlay, State]:
    """A Federation cruiser whose shuttle box is hit, and the opening."""
    file = tmp_path / "hit.toml"
    file.write_text(
        'rule = "D4.325"\ntitle = "a shuttle box is hit"\nsource = "-"\nlevel = "standard"\nimpulses = 32\nstop = 8\n'
        '[[unit]]\nside = "federation"\nship = "std_fed_ca_cth"\nname = "Con"\nat = "1010A"\n'
        f'state = {{ "shield 1" = 0, "hull fore" = 0, "battery" = 0, "batteries" = 0{state} }}\n'
        '[[unit]]\nside = "klingon"\nship = "std_kli_d7"\nname = "Des"\nat = "2001A"\n'
        f'[[turn]]\norders.federation = """\nSHIP Con\nENERGY\n{more}DAMAGE\n  {damage}\n"""\n'
        '[[strike]]\nunit = "Con"\nimpulse = 1\nshield = 1\npoints = 1\n[final.Con]\ngone = ""\n',
        encoding="utf-8",
    )
    case = read_case(file)
    begun = opening(case, scenario_for(case))
    return play(case, ScriptedDice(by_label=DICE)), begun


def seen(played: CasePlay, begun: State, side: str) -> Ship:
    """The cruiser as a side knows it."""
    events = (ev.seen_by(record, side) for record in played.records)
    ship = fold((event for event in events if event is not None), begun).units["Con"]
    assert isinstance(ship, Ship)
    return ship


@pytest.mark.parametrize(
    ("damage", "state", "aboard"),
    [
        ("OTHER SHUTTLE B FIRST", "", "ACD"),
        ("OTHER SHUTTLE FIRST", ', "suicide D" = "3"', "ABD"),
        ("OTHER SHUTTLE FIRST", "", "ABC"),
        ("OTHER SHUTTLE A FIRST", ', hangar = "AB"', "B"),
        ("OTHER SHUTTLE C FIRST", ', hangar = "AB"', "AB"),
    ],
)
def test_others_know_how_many_shuttles_are_left_and_not_which(
    tmp_path: Path, damage: str, state: str, aboard: str
) -> None:
    played, begun = hit(tmp_path, damage, state)
    assert "".join(seen(played, begun, "federation").hangar) == aboard
    for side in ("klingon", ""):
        others = seen(played, begun, side)
        assert len(others.hangar) == len(aboard)
        assert others.boxes["shuttle"] == 3
    # What tells another letter than the last one is the owner's alone.
    told = [(record.event, record.only) for record in played.records]
    plain = [event.shuttle for event, only in told if isinstance(event, ev.InternalHit) and not only]
    assert plain in ([""], [])


def test_a_shuttle_others_took_for_lost_is_launched_and_counted(tmp_path: Path) -> None:
    more = "DO\n  AT 3 LAUNCH SHUTTLE D DIR A\n"
    played, begun = hit(tmp_path, "OTHER SHUTTLE B FIRST", more=more)
    assert any(isinstance(record.event, ev.ShuttleLaunched) for record in played.records)
    assert seen(played, begun, "federation").hangar == ("A", "C")
    assert len(seen(played, begun, "klingon").hangar) == 2
    assert any(isinstance(unit, Shuttle) for unit in played.state.units.values())


def test_the_owner_is_told_how_he_could_have_chosen(tmp_path: Path) -> None:
    played, _ = hit(tmp_path, "WEAPON PH 1 LAST", ', "suicide D" = "3"')
    told = [(record.event, record.only) for record in played.records]
    chose = [(event.order, only) for event, only in told if isinstance(event, ev.Chose) and event.rule == "D4.223"]
    assert chose == [("OTHER SHUTTLE C FIRST", "federation")]


def choice(text: str) -> DamageChoice:
    category, *items, place = text.replace(",", "").split()
    return DamageChoice(category=category, items=tuple(f"SHUTTLE {letter}" for letter in items), place=place)


def test_a_box_to_be_spared_spares_no_other() -> None:
    bay = BayBoxes(2, ("B", "A"))
    assert unlettered([choice("OTHER B LAST")], bay) == ()
    assert unlettered([choice("OTHER A, B LAST")], bay)[0].items == ("SHUTTLE",)
    assert unlettered([choice("OTHER B LAST")], BayBoxes(1, ("B",)))[0].items == ("SHUTTLE",)
    assert unlettered([choice("OTHER C FIRST")], bay) == ()
    assert unlettered([choice("OTHER C FIRST")], BayBoxes(3, ("B", "A")))[0].items == ("SHUTTLE",)


LETTERS = st.lists(st.sampled_from("ABCD"), unique=True, max_size=4)


@given(LETTERS, st.integers(0, 4), LETTERS, LETTERS, st.booleans())
def test_some_box_that_is_there_is_struck(
    aboard: list[str], empty: int, first: list[str], last: list[str], occupied: bool
) -> None:
    bay = BayBoxes(len(aboard) + empty, tuple(aboard))
    asked = [
        DamageChoice(category="OTHER", items=tuple(f"SHUTTLE {each}" for each in letters), place=place)
        for letters, place in ((first, "FIRST"), (last, "LAST"))
        if letters
    ]
    letter, _ = struck("other", asked, bay, occupied=occupied)
    if letter:
        assert letter in aboard
    else:
        assert (empty and not occupied) or not aboard
    named = [each for each in first if each in aboard]
    if named and (occupied or not empty):
        assert letter == named[0]
    elif not first and letter in last:
        assert {*aboard} <= {*last} and (occupied or not empty or bool({*last} - {*aboard}))
    assert shuttles.letter_of("SHUTTLE b") == "B"
