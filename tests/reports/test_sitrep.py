"""The text sitrep: its layout, its width, and what it must not say."""

from __future__ import annotations

from types import ModuleType

import pytest

from pbem.reports.text.sitrep import WIDTH, sitrep_text, table
from pbem.reports.view.build import build_view

READERS = ("federation", "klingon", "umpire", "")


@pytest.mark.parametrize("side", READERS)
@pytest.mark.parametrize("fed", ["Constellation", "U" * 200, "Sir  Lancelot-du-Lac " * 9, "É"])
def test_no_line_is_wider_than_78_columns(duels: ModuleType, side: str, fed: str) -> None:
    for records in (duels.duel(fed=fed), duels.duel(fed=fed, player="P" * 300)):
        text = sitrep_text(build_view(records, side))
        assert max(map(len, text.split("\n"))) <= WIDTH
        assert not any(line.endswith(" ") for line in text.split("\n"))
        assert text.endswith("\n") and not text.endswith("\n\n")


def test_sections_come_in_the_fields_order(duels: ModuleType) -> None:
    text = sitrep_text(build_view(duels.duel(), "klingon"))
    titles = [line.strip("- ") for line in text.split("\n") if line.startswith("--- ")]
    assert text.startswith("duel01 2.9 SITREP\n")
    assert titles == [
        "ORDERS WANTED FROM YOU", "SINCE YOUR LAST SITREP", "CURRENT POSITIONS", "MOVEMENT, TURN 2",
        "ACTIVITIES, TURN 2", "DAMAGE, TURN 2", "LUCK", "SHIPS", "YOUR ORDERS", "YOUR ENERGY AND ARMING",
        "AUTOMATIC BREAKS IN FORCE",
    ]  # fmt: skip


def test_the_movement_table_is_impulse_by_unit(duels: ModuleType) -> None:
    lines = sitrep_text(build_view(duels.duel(), "federation")).split("\n")
    head = lines.index("IMP  Constellation  Destruction  KD/1")
    assert lines[head + 1] == " at  1705E          1312B"
    assert lines[head + 4] == "  3                              1411A"
    assert lines[head + 6].split() == ["5", "1410A", "1510B"]


def test_many_units_make_several_tables(duels: ModuleType) -> None:
    from msgspec.structs import replace

    view = build_view(duels.duel(), "federation")
    many = tuple(replace(view.tracks[0], unit=f"Constellation number {n}") for n in range(12))
    text = sitrep_text(replace(view, tracks=many))
    heads = [line for line in text.split("\n") if line.startswith("IMP  C")]
    names = [name for line in heads for name in line.split("  ")[1:]]
    assert len(heads) > 1 and len({name.strip() for name in names}) == 12
    assert max(map(len, text.split("\n"))) <= WIDTH


def test_each_die_has_its_rule_and_label(duels: ModuleType) -> None:
    text = " ".join(sitrep_text(build_view(duels.duel(), "")).split())
    assert "die 2: 8 points on #1. (E4.1) [2.9.fire Constellation PHOT A 1]" in text
    assert "(die 5, column A): DISR B as weapon. (D4.22) [2.9.resolve dac 1]" in text


def test_orders_are_followed_by_what_became_of_them(duels: ModuleType) -> None:
    text = " ".join(sitrep_text(build_view(duels.duel(), "klingon")).split())
    assert "3 PLOT 4F L 3F SR 3F -> impulse 6: L (code 5 of the plot): flown as F: turn mode 2" in text


def test_secrets_stay_with_their_owner(duels: ModuleType) -> None:
    texts = {side: sitrep_text(build_view(duels.duel(), side)) for side in READERS}
    assert [side for side in READERS if duels.KLI_SECRET in texts[side]] == ["klingon", "umpire"]
    assert [side for side in READERS if duels.FED_SECRET in texts[side]] == ["federation", "umpire"]
    assert "A secret break of klingon stops play." in texts["federation"] and "INTERNALS." not in texts["federation"]


def test_the_end_is_the_first_thing_said(duels: ModuleType) -> None:
    text = sitrep_text(build_view(duels.ended(), "klingon"))
    assert text.split("\n--- ")[1].startswith("THE GAME IS OVER")
    assert "federation: victory: the enemy is destroyed." in text


def test_an_empty_game_has_a_sitrep() -> None:
    assert sitrep_text(build_view([], "")).startswith("0.0 SITREP\n")


def test_a_table_cuts_what_is_too_wide_and_wraps_its_last_column() -> None:
    lines = table(("A", "B"), [("x" * 50, "word " * 40)], widest=10)
    assert lines[1].startswith("xxxxxxxxx~  word") and max(map(len, lines)) <= WIDTH and len(lines) > 2


def test_the_line_an_answer_begins_with_is_not_broken(duels: ModuleType) -> None:
    from msgspec.structs import replace

    view = build_view(duels.duel(), "klingon")
    assert view.owed is not None
    header = f"GAME {'g' * 40} TURN 2 SIDE {'s' * 40} REPLY 2"
    text = sitrep_text(replace(view, owed=replace(view.owed, header=header)))
    assert f"\n    {header}\n" in text
