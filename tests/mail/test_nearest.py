"""A corrected draft mends what the rules leave one nearest way to mend, says so beside it, and leaves out the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.games.answers import judge
from pbem.games.create import new
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.mail.replies.answer import Answered
from pbem.mail.replies.receipts import Corrected, corrected
from pbem.reports.draft.nearest import TOO_MUCH, nearest

HEAD = "GAME duel TURN 1 SIDE federation REPLY 1\n"
BEFORE = HEAD + "SHIP Constellation\nENERGY\n"
Mend = Callable[[str], Corrected]


@pytest.fixture(scope="module")
def duel_in_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameFolder]:
    """A duel whose energy and orders come in one file."""
    folder = tmp_path_factory.mktemp("games") / "duel"
    players = {"federation": "ann@example.org", "klingon": "bob@example.org"}
    new("5", folder, players=players, options={"reveal": "none"}, seed="nearest")
    with opened(folder) as game:
        yield game


@pytest.fixture
def mend(duel_in_one: GameFolder) -> Mend:
    """The corrected draft of entries below ENERGY."""

    def draft(entries: str) -> Corrected:
        text = f"{BEFORE}{entries}\nEND\n"
        request = duel_in_one.state().request
        assert request is not None
        return corrected(duel_in_one, request, "federation", text, judge(duel_in_one, text, "").faults)

    return draft


@pytest.mark.parametrize(
    ("entries", "mended"),
    [
        ("SPEED 16\nPHOT A 2\nPHOT B 2\nPHASERS 1", ["SPEED 13"]),
        ("SPEED 40", ["SPEED 16"]),
        ("SPEED 12; PHASERS 9", ["SPEED 12; PHASERS 3"]),
        ("9 PHASERS 4", ["9 PHASERS 3"]),
        ("PHASERS 3.5", ["PHASERS 3"]),
        ("PHOT A 3", ["PHOT A 2"]),
        ("PHOT A 1 WARP", ["PHOT A 2 WARP"]),
        ("PHOT A,B 3 EACH", ["PHOT A,B 2 EACH"]),
        ("SPEED 12\nGENERAL 9\nPHASERS 3", ["PHASERS 1"]),
        ("MOVE 11 WARP + 2 IMPULSE", ["MOVE 11 WARP + 1 IMPULSE"]),
        ("PHASORS 2", ["PHASERS 2"]),
        ("SPEED 12, PHASERS 5", ["SPEED 12; PHASERS 3"]),
        ("PHASERS 1\nPLOT 4F\nDO\n  IF RANGE Klingon <= 4 FIRE PH 1 AT Klingon",
         ["IF RANGE Destruction <= 4 THEN FIRE PH 1 AT Destruction"]),
        ("SPEED 12\nPLOT 4F\nBREAK\n  RANGE Destructor <= 8", ["RANGE Destruction <= 8"]),
        ("SPEED 12\nPLOT 4F\nBREAK\n  Destruction WITHIN 200", ["Destruction WITHIN 99"]),
    ],
)  # fmt: skip
def test_the_nearest_line_stands_in_the_draft(mend: Mend, entries: str, mended: list[str]) -> None:
    draft = mend(entries)
    lines = [line.strip() for line in draft.text.split("\n")]
    assert [line for line in lines if line in mended] == mended
    assert draft.legal and "the nearest that is legal" in draft.text


@pytest.mark.parametrize(
    "entries", ["RECHARGE 1", "SHIELDS 4", "FOO 3", "TAC 2", "REPAIR #1 WITH 9", "SPEED 8; SPEED 9", "PHASERS 2.25"]
)
def test_what_has_no_nearest_is_left_out(mend: Mend, entries: str) -> None:
    draft = mend(entries)
    assert draft.legal and draft.left_out and not draft.mended
    assert f"\n# {entries}\n" in draft.text


def test_what_was_written_and_why_it_was_changed_stand_beside_the_line(mend: Mend) -> None:
    draft = mend("SPEED 20\nPHOT A 2\nPHOT B 2")
    lines = draft.text.split("\n")
    place = lines.index("SPEED 13")
    assert lines[place - 1] == "# SPEED 20" and lines[place + 1].startswith("## ^ speed 20 is more than the maximum")
    assert draft.legal and not draft.left_out and draft.mended == ("SPEED 13",)
    assert draft.text.count("points of WARP power are spent") == 1, "one reason is told once"


def test_the_letter_says_what_was_mended(send: Callable[..., Answered], duel: Path) -> None:
    wrong = f"{BEFORE}SPEED 16\nPHOT A 2\nPHOT B 2\nFOO 3\nEND\n"
    (reply,) = send("federation", "orders", wrong).replies
    said = " ".join(reply.text.split())
    assert "SPEED 13. Other wrong lines are now comments" in said
    assert "4 of your orders: SPEED 16" in said and "(line 1 of the form)" in said
    sent = (
        reply.attachments[0][2].decode().replace("## CORRECTED DRAFT: delete this line when these are the orders", "#")
    )
    assert send("federation", "orders", sent).done == "orders"
    assert "SPEED 13" in (duel / "01/orders/federation.r1.orders").read_text()


def test_every_refusal_that_is_a_figure_too_high_is_one_there_is() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/refusals.md").read_text(encoding="utf-8")
    assert all(f"| `{code}` |" in page for code in TOO_MUCH)


def test_a_place_that_is_no_line_has_none(duel_in_one: GameFolder) -> None:
    fault = judge(duel_in_one, f"{BEFORE}SPEED 40\nEND\n", "").faults[0]
    assert nearest(fault, [], lambda lines: ()) == ""
