"""Orders in delayed notes: a side's own, and nobody else's."""

from __future__ import annotations

from pbem.orders import model as om
from pbem.vassal_bridge.import_plots import FoundNotes, orders_in_notes
from vassal.save import DelayedNote

SIDES = ("federation", "klingon")
HEADER = om.Orders(game="duel", turn=2, side="klingon", reply=1, form="SOP")
PLOT = "SHIP Destruction\nPLOT 4F R 2F\n"


def note(text: str, *, side: str = "Klingon", name: str = "turn 2", hidden: bool = True) -> DelayedNote:
    return DelayedNote(name, "Kor", hidden, text, "", side)


def found(*notes: DelayedNote) -> FoundNotes:
    return orders_in_notes(notes, "klingon", SIDES, HEADER, "kor.vsav")


def test_a_note_without_a_header_gets_that_of_the_request() -> None:
    [one] = found(note(PLOT)).orders
    assert (one.note, one.hidden, one.faults) == ("turn 2", True, ())
    assert one.orders == (
        "GAME duel TURN 2 SIDE klingon REPLY 1 FORM SOP\n\nSHIP Destruction\nPLOT 4F R 2F\n\nEND\n"
    )  # fmt: skip


def test_a_header_of_its_own_is_kept() -> None:
    [one] = found(note(f"GAME duel TURN 2 SIDE klingon REPLY 7\n{PLOT}", hidden=False)).orders
    assert "REPLY 7" in one.text and not one.hidden


def test_notes_of_other_sides_are_not_read() -> None:
    """VASSAL writes everybody's notes into every file; hiding them is no more than a courtesy."""
    theirs = note("SHIP Constellation\nPLOT 4F\n", side="Federation")
    lie = note(f"GAME duel TURN 2 SIDE klingon REPLY 1\n{PLOT}", side="federation")
    looked = found(theirs, lie)
    assert looked == FoundNotes(not_mine=2)
    assert "Constellation" not in str(looked)


def test_where_the_roster_knows_no_such_side_the_notes_own_header_decides() -> None:
    headed = f"GAME duel TURN 2 SIDE klingon REPLY 1\n{PLOT}"
    looked = found(note(headed, side="Player 1"), note(PLOT, side="Player 1"), note(PLOT, side=""))
    assert len(looked.orders) == 1 and looked.not_mine == 2


def test_a_note_that_is_no_order_is_only_named() -> None:
    looked = found(note("Bring cake on Friday", name="cake"))
    assert (looked.orders, looked.others) == ((), ("cake",))


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    [one] = found(note("SHIP Destruction\nPLOT 4F X9\n")).orders
    [fault] = one.faults
    assert (fault.file, fault.line, fault.column) == ("kor.vsav, note 'turn 2'", 2, 9)
