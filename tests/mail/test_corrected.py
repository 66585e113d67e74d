"""The corrected draft keeps every order, and gives none to another ship, whichever line is at fault."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

import pytest

from pbem.games.answers import Judged, judge
from pbem.games.create import new
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.mail import emails
from pbem.mail.replies import receipts
from pbem.mail.replies.receipts import corrected
from pbem.orders import model as om
from pbem.orders.reader import read_orders

HEAD = "GAME fleet TURN 1 SIDE klingon REPLY 1\n"
WAR = """SHIP War
ENERGY
  SPEED 8
  DISR A 2
PLOT 3F R
DO
  LAST FIRE ALL AT Constellation
BREAK
  RANGE Constellation <= 8
  #1 DOWN
DAMAGE
  WEAPON PH 1 LAST
"""
FIRE = """SHIP "Fire"
ENERGY
  SPEED 4
  PHASERS 2
PLOT 2F
DO
  LAST FIRE PH 1 AT Constellation
"""
DEATH = "SHIP Death\nENERGY\nPLOT TOWARD Constellation\n"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameFolder]:
    """A squadron of three against a cruiser; energy and the rest come in one file."""
    folder = tmp_path_factory.mktemp("games") / "fleet"
    players = {"federation": "robot", "klingon": "bob@example.org"}
    new("12", folder, players=players, options={"reveal": "none"}, units=["Death"], seed="drafts")
    with opened(folder) as game:
        yield game


def drafted(game: GameFolder, body: str) -> tuple[str, bool, dict[str, om.UnitOrders]]:
    """The corrected draft of orders that have faults, whether it is legal, and the blocks that are left in it."""
    text = HEAD + body + "END\n"
    faults = judge(game, text, "").faults
    assert faults
    request = game.state().request
    assert request is not None
    made = corrected(game, request, "klingon", text, faults)
    draft, legal = made.text, made.legal
    said = [line.strip().lstrip("# ") for line in draft.split("\n")]
    lost = [line for line in body.split("\n") if line.strip() and line.strip().lstrip("# ") not in said]
    assert lost == [], draft
    return draft, legal, {unit.unit: unit for unit in read_orders(draft).orders.units}


def test_the_orders_are_legal_as_they_stand(fleet: GameFolder) -> None:
    assert judge(fleet, HEAD + WAR + FIRE + DEATH + "END\n", "").faults == ()


@pytest.mark.parametrize("heading", ["SHIP Feuerwehr", "SHIP Constellation", 'SHIP "Fire', "SHIP War"])
def test_a_ship_that_cannot_be_known_leaves_its_orders_out_with_it(fleet: GameFolder, heading: str) -> None:
    draft, legal, left = drafted(fleet, WAR + FIRE.replace('SHIP "Fire"', heading) + DEATH)
    whole = read_orders(HEAD + WAR + DEATH + "END\n").orders.units
    assert set(left) == {"War", "Death"}
    assert [left["War"].plot.codes, len(left["War"].do)] == [whole[0].plot.codes, 1]  # type: ignore[union-attr]
    assert "# PLOT 2F" in draft and "remove the # from all of them" in " ".join(draft.replace("##", "").split())
    assert not legal and "STILL WRONG: Fire has no block" in draft


@pytest.mark.parametrize("heading", ['SHIP "Fire" AT 1919A', 'SHIP "Fire" AT nowhere', 'SHIP "Fire" SPEED 4'])
def test_a_faulty_heading_whose_ship_is_known_is_cut_short(fleet: GameFolder, heading: str) -> None:
    draft, legal, left = drafted(fleet, WAR + FIRE.replace('SHIP "Fire"', heading) + DEATH)
    assert legal, draft
    assert [set(left), len(left["Fire"].do)] == [{"War", "Fire", "Death"}, 1]
    request = fleet.state().request
    assert request is not None
    text = HEAD + WAR + FIRE.replace('SHIP "Fire"', heading) + DEATH + "END\n"
    made = corrected(fleet, request, "klingon", text, judge(fleet, text, "").faults)
    assert made.left_out and f"# {heading}" in made.text.split("\n"), "what is cut off is told, and was not mended"
    assert made.mended == ()


@pytest.mark.parametrize(
    ("heading", "wrong"),
    [
        ("BREAK\n", "BREAK RANGE Nobody <= 8\n"),
        ("DAMAGE\n", "DAMAGE WEAPON PH 99 LAST\n"),
        ("DO\n", "DO AT 99 FIRE PH 1 AT Constellation\n"),
        ("ENERGY\n", "ENERGY REINFORCE #9 WITH 1\n"),
        ("BREAK\n", "BREAK RANGE Constellation <= 8 AND\n  FOO BAR\n"),
    ],
)
def test_a_section_keeps_its_heading(fleet: GameFolder, heading: str, wrong: str) -> None:
    draft, legal, left = drafted(fleet, WAR.replace(heading, wrong) + FIRE + DEATH)
    assert legal, draft
    war = left["War"]
    assert [len(war.energy or ()), len(war.do), len(war.breaks), len(war.damage)] == [2, 1, 2, 1], draft


def test_an_open_line_takes_no_block_with_it(fleet: GameFolder) -> None:
    war = WAR.replace("  WEAPON PH 1 LAST\n", "").replace("DAMAGE\n", "DO\n  AT 3 FIRE PH 1 AT Constellation AND\n")
    draft, legal, left = drafted(fleet, war + FIRE + DEATH)
    assert legal, draft
    assert [len(left["War"].do), len(left["Fire"].do), len(left["War"].breaks)] == [1, 1, 2]


def test_orders_above_all_blocks_stay_out_together(fleet: GameFolder) -> None:
    draft, legal, left = drafted(fleet, "PLOT 3F R\nDO\n  AT 3 FIRE PH 1 AT Constellation\n" + WAR + FIRE + DEATH)
    assert legal, draft
    assert set(left) == {"War", "Fire", "Death"}


def test_a_missing_energy_form_is_told_and_costs_nothing(fleet: GameFolder) -> None:
    draft, legal, left = drafted(fleet, WAR + "SHIP Fire\nPLOT 2F\n" + DEATH)
    assert not legal and "STILL WRONG: Fire has no ENERGY form" in draft
    assert set(left) == {"War", "Fire", "Death"}


def test_a_draft_of_which_the_first_line_alone_was_wrong_speaks_of_no_comments(fleet: GameFolder) -> None:
    text = f"GAME fleet SIDE klingon REPLY 1\n{WAR}END\n"
    request = fleet.state().request
    assert request is not None
    made = corrected(fleet, request, "klingon", text, judge(fleet, text, "").faults)
    said = emails.render(
        "no-first-line", None, notes=[], on_file=0, name="klingon.r1.orders", mended=made.mended, legal=made.legal,
        left_out=made.left_out, corrected=[made.text],
    ).text.split("klingon")[1]  # fmt: skip
    assert "It contains your orders with the right first line." in " ".join(said.split()) and "comment" not in said
    assert made.text.startswith(HEAD)


@pytest.mark.parametrize(
    ("body", "made"),
    [
        ("SHIP War\n" + "PLOT F\n" * 1000, False),
        ("SHIP War\nPLOT\n" + "  F\n" * 3000, False),
        ("SHIP War\nDO\n" + "  AT 3 FIRE PH 1 AT Constellation\n" * 4000, False),
        ("SHIP War\n" * 4000, False),
        ("SHIP War\nENERGY\n  SPEED 20\n  PHASERS 9\nPLOT F\nDO\n  AT 3 FIRE PH 1 AT Constelation\n", True),
    ],
    ids=lambda value: value[9:20] if isinstance(value, str) else "",
)
def test_a_draft_that_takes_too_much_work_is_given_up(fleet: GameFolder, body: str, made: bool) -> None:
    text = HEAD + body + "END\n"
    request = fleet.state().request
    assert request is not None
    faults = judge(fleet, text, "").faults
    started = process_time()
    draft = corrected(fleet, request, "klingon", text, faults)
    # It took 5 to 15 seconds; the work is counted, so the answer does not depend on the machine.
    assert process_time() - started < 2
    assert (draft.text != "", draft.legal) == (made, False) == (bool(draft.mended or draft.left_out), False)


def test_orders_that_need_no_heading_are_judged_once_a_mending(
    fleet: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + WAR + FIRE + DEATH.replace("PLOT TOWARD", "PLOT TO") + "END\n"
    faults, request = judge(fleet, text, "").faults, fleet.state().request
    asked: list[str] = []

    def counted(game: GameFolder, text: str, name: str) -> Judged:
        asked.append(text)
        return judge(game, text, name)

    monkeypatch.setattr(receipts, "judge", counted)
    assert request is not None and corrected(fleet, request, "klingon", text, faults).legal
    assert len(asked) == 1
