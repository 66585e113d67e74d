"""Letters that were kept, what an archive answers to them, and how much a proof of a game tells."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pbem.data.terms import StepName
from pbem.engine import dice
from pbem.engine.events import Conceded, Record
from pbem.errors import GameError
from pbem.games.proof import reveal
from pbem.games.proof.reveal import ProofFile, ProvenRoll, ProvenSegment, Revealed, SealedOrders
from pbem.games.proof.verify_archive import (
    DisclosedValue,
    KeptEmail,
    _commitment_faults,
    _email_faults,
    _link_taken_back,
    _proof_faults,
    _value_in_archive,
    kept_letters,
    not_read,
    read_kept,
    text_of,
)
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import DiceTerms

A, B, C, D, E = ("abcde"[n] * 64 for n in range(5))


SITREP = f"""\
This sitrep is for klingon.
link {A}
Dice of duel, scheme 2
  committed   {A}
  salts {B}
Segment 1: request 2 of turn 3
  link {C}
  orders of klingon
     {D}
  your salt {E}
  orders of federation
  no hash here
     {E}
     {A}
  beacon, round 77
     {B}
     {B}
Segment 12: request 1 of turn 4
  {A}
  awaits round 80 of the beacon
  log {D}
"""


TOLD = (
    DisclosedValue(0, "scheme", "", "2"), DisclosedValue(0, "committed", "", A),
    DisclosedValue(0, "salts", "", B), DisclosedValue(1, "request", "", "3.2"),
    DisclosedValue(1, "link", "", C),
    DisclosedValue(1, "orders", "klingon", D), DisclosedValue(1, "your salt", "klingon", E),
    DisclosedValue(1, "orders", "federation", E),
    DisclosedValue(1, "beacon", "", f"77:{B}"), DisclosedValue(12, "request", "", "4.1"),
    DisclosedValue(12, "round", "", "80"), DisclosedValue(12, "log", "", D),
)  # fmt: skip


INVITATION = f"You play klingon in duel: scenario #5.\n\nThe dice are committed to:\n{A} (scheme 1)."


@pytest.mark.parametrize("front", ["", "> ", "> > ", "  >>  "])
def test_a_sitrep_that_was_kept_tells_all_of_its_proof(front: str) -> None:
    text = "".join(f"{front}{line}\r\n" for line in SITREP.splitlines())
    assert read_kept(text, "a.txt") == KeptEmail(file="a.txt", game="duel", side="klingon", told=TOLD)
    twice = f"{SITREP}Dice of other, scheme 1\n{A}\nsalts {C}\n"
    found = read_kept(twice, "b.txt")
    assert found is not None and found.game == "other"
    assert found.told == (*TOLD, DisclosedValue(0, "scheme", "", "1"), DisclosedValue(0, "salts", "", C)), (
        "nothing runs on into it"
    )


def test_an_invitation_that_was_kept_and_what_is_neither() -> None:
    told = (DisclosedValue(0, "scheme", "", "1"), DisclosedValue(0, "committed", "", A))
    assert read_kept(f"> Hello\n{INVITATION}", "i.eml") == KeptEmail(
        file="i.eml", game="duel", side="klingon", told=told
    )
    assert read_kept(f"{INVITATION}\n{SITREP}", "i.eml") == KeptEmail(
        file="i.eml", game="duel", side="klingon", told=TOLD
    )
    assert read_kept("eggs and bread", "s.txt") is None and read_kept("This sitrep is for klingon.", "s.txt") is None


def test_which_files_of_a_folder_are_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.games.proof.verify_archive.LARGEST", len(SITREP) + 1)
    (tmp_path / "b").mkdir()
    for name in ("b/a.TXT", "c.md", "a.txt"):
        (tmp_path / name).write_text(SITREP + "\n" * (name == "a.txt"), encoding="utf-8")
    (tmp_path / "long.txt").write_text(SITREP + "\n\n", encoding="utf-8")
    (tmp_path / "d.txt").mkdir()
    (tmp_path / "m.eml").write_text(f"From: x\n\n{INVITATION}", encoding="utf-8")
    (tmp_path / "none.eml").write_text("Content-Type: text/html\n\n<p>x", encoding="utf-8")
    assert [one.file for one in kept_letters(tmp_path)] == ["a.txt", "b/a.TXT", "m.eml"]
    assert text_of(b"Content-Type: text/html\n\n<p>x", ".eml") == "" and text_of(b"a\xff", ".txt") == "aÿ"


def test_letters_as_other_programs_keep_them(tmp_path: Path) -> None:
    """A file of Windows' editor, a mailbox in one file, one letter by itself; and what is none of these is named."""
    (tmp_path / "a.txt").write_bytes(SITREP.replace("\n", "\r\n").encode("utf-16"))
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbf" + SITREP.encode())
    mail = f"From: x\n\n{SITREP}\nFrom here on nothing is told.\n".encode()
    (tmp_path / "c.mbox").write_bytes(b"From - Mon Mar  1 12:00:00 2027\n" + mail + b"\nFrom y 2027\n" + mail)
    (tmp_path / "d.msg").write_bytes(b"\xd0\xcf")
    found = list(kept_letters(tmp_path))
    assert [one.file for one in found] == ["a.txt", "b.txt", "c.mbox, letter 1", "c.mbox, letter 2"]
    assert {one.told for one in found} == {TOLD} and not_read(tmp_path) == ["d.msg"]
    assert [one.file for one in kept_letters(tmp_path / "b.txt")] == ["b.txt"] and not not_read(tmp_path / "b.txt")


def segment(number: int, link: str, **more: Any) -> ProvenSegment:
    fields: dict[str, Any] = {"turn": 3, "request": 2, "beacon": f"77:{B}", "log_key": A, "log": D, "last": 9}
    orders = (
        SealedOrders(side="klingon", salt=E, sealed=D, text="x"),
        SealedOrders(side="federation", salt=A, sealed=E, text="y")
    )  # fmt: skip
    rolls = (ProvenRoll("a", 6, 3),)
    return ProvenSegment(**{"segment": number, "link": link, "orders": orders, "rolls": rolls, **fields, **more})


def proof(*segments: ProvenSegment, **more: Any) -> ProofFile:
    fields: dict[str, Any] = {"format": 1, "game": "duel", "scheme": 2, "length": 9, "commitment": A, "salts": B}
    return ProofFile(**{**fields, "salt_link": "", "beacon": "", "segments": segments, **more})


def test_what_an_archive_has_where_a_letter_told_something() -> None:
    archive = proof(segment(1, C), segment(12, A, turn=4, request=1, beacon=f"80:{C}"))
    letter = KeptEmail(file="a.txt", game="duel", side="klingon", told=TOLD)
    assert [fault.text for fault in _email_faults([letter], archive)] == []
    segments = {one.segment: one for one in archive.segments}
    for told in TOLD:
        lies = replace(told, value="7" * len(told.value))
        (fault,) = _email_faults([KeptEmail(file="b.txt", game="duel", side="klingon", told=(lies,))], archive)
        whose = f" of {told.side}" * bool(told.side) + f" of segment {told.segment}" * bool(told.segment)
        has = f"was given as {lies.value}, but the archive has {told.value}"
        assert (fault.code, fault.file, fault.text) == ("sent-differs", "b.txt", f"the {told.what}{whose} {has}")
        assert _value_in_archive(told, archive, segments.get(told.segment)) == told.value


def test_what_a_letter_told_of_a_segment_that_was_passed_over() -> None:
    """Before a backup was put back: its link must be of the chain, of its orders and dice nothing is known."""
    archive = proof(segment(1, C), segment(12, A))
    link = DisclosedValue(5, "link", "", _link_taken_back(archive, 5))
    for told, codes in (
        (link, []), (replace(link, value="7" * 64), ["sent-differs"]), (DisclosedValue(5, "orders", "klingon", D), []),
        (DisclosedValue(5, "log", "", D), []), (DisclosedValue(13, "log", "", D), ["sent-differs"]),
    ):  # fmt: skip
        found = list(_email_faults([KeptEmail(file="a.txt", game="duel", side="klingon", told=(told,))], archive))
        assert [(fault.code, fault.file) for fault in found] == [(code, "a.txt") for code in codes], told
    odd = (
        DisclosedValue(1, "orders", "romulan", A),
        DisclosedValue(1, "your salt", "romulan", A), DisclosedValue(0, "link", "", A),
        DisclosedValue(3, "link", "", A),
        DisclosedValue(1, "link", "", A),
    )  # fmt: skip
    assert [fault.text for fault in _email_faults([KeptEmail(file="c", game="duel", side="", told=odd)], archive)] == [
        f"the orders of romulan of segment 1 was given as {A}, but the archive has none",
        f"the your salt of romulan of segment 1 was given as {A}, but the archive has none",
        f"the link was given as {A}, but the archive has none",
        f"the link of segment 3 was given as {A}, which is not part of this chain",
        f"the link of segment 1 was given as {A}, but the archive has {C}",
    ], "a segment of before the last may have been passed over"
    late = KeptEmail(
        file="d", game="duel", side="", told=(DisclosedValue(13, "link", "", A), DisclosedValue(1, "link", "", A))
    )
    assert [fault.text for fault in _email_faults([late], archive)] == [
        "this email has dice of segment 13, but the archive has no such segment"
    ], "after a segment that is not there nothing of that letter can be compared"


def test_links_and_salts_are_those_committed_to() -> None:
    links = [bytes([7]) * 32]
    for _ in range(4):
        links.insert(0, dice.hashed(links[0]))
    commitment, first, second, third = (link.hex() for link in links[:4])
    salts = [dice.hashed(bytes([9]) * 32)]
    salts.append(bytes([9]) * 32)

    def terms(**more: Any) -> GameFolder:
        fields: dict[str, Any] = {"scheme": 2, "commitment": commitment, "length": 9, "salts": salts[0].hex()}
        told = SimpleNamespace(name="duel", dice=DiceTerms(**{**fields, **more}))
        return cast(GameFolder, SimpleNamespace(terms=told, records=list))

    def wrong(found: ProofFile, **more: Any) -> list[tuple[str, str]]:
        assert all(fault.file == "proof.json" for fault in _commitment_faults(terms(**more), found))
        return [(fault.code, fault.text) for fault in _commitment_faults(terms(**more), found)]

    key = dice.log_key(salts[1], 1).hex()
    salt = {side: dice.salt(salts[1], 3, 2, side, 1).hex() for side in ("klingon", "federation")}
    orders = tuple(SealedOrders(side=side, salt=salt[side], sealed=D, text="x") for side in salt)
    good = segment(1, first, log_key=key, orders=orders)
    common = {"commitment": commitment, "salts": salts[0].hex(), "salt_link": salts[1].hex()}
    assert wrong(proof(good, **common)) == []
    for changed in (
        {"game": "x"}, {"scheme": 1}, {"length": 8}, {"commitment": A}, {"salts": A}, {"beacon": "drand"},
    ):  # fmt: skip
        assert wrong(proof(good, **{**common, **changed})) == [("proof-differs", "its heading differs from game.toml")]
    assert wrong(proof(**common)) == []
    uncounted = [("proof-differs", "its segments are not numbered 1, 2, 3 and so on")]
    assert wrong(proof(replace(good, segment=0), **common)) == uncounted
    assert wrong(proof(good, good, **common)) == uncounted
    for one, other in ((one, other) for one in range(11) for other in range(11) if one >= other or not 0 < other < 10):
        assert wrong(proof(segment(one, first), segment(other, second), **common)) == uncounted, (one, other)
    assert wrong(proof(replace(good, segment=2), **common)) == [
        ("dice-commitment", "the link of segment 2 does not match the commitment")
    ], "one may have been passed over, and the links say so"
    assert wrong(proof(replace(good, link=second), **common)) == [
        ("dice-commitment", "the link of segment 1 does not match the commitment")
    ]
    assert wrong(proof(good, segment(2, third), **common)) == [
        ("dice-commitment", "the link of segment 2 does not match the commitment")
    ]
    assert wrong(proof(good, **{**common, "salt_link": ""})) == [
        ("salt-commitment", "the link of the salt chain is missing")
    ]
    assert wrong(proof(good, **{**common, "salt_link": A})) == [
        ("salt-commitment", "the salt link of segment 1 does not match the commitment")
    ]
    lies = (orders[0], replace(orders[1], salt=A))
    assert wrong(proof(replace(good, orders=lies, log_key=A), **common)) == [
        ("salt-commitment", "the salt of federation in segment 1 does not match the commitment"),
        ("salt-commitment", "the log key of segment 1 does not match the commitment"),
    ]
    old = {"commitment": commitment, "scheme": 1, "salts": ""}
    assert wrong(proof(good, segment(2, second), **old), scheme=1, salts="") == []
    assert wrong(proof(good, salt_link=A, **old), scheme=1, salts="") == [
        ("proof-differs", "it has a link of a salt chain, which scheme 1 does not have")
    ]


def test_a_proof_tells_of_as_many_segments_as_were_played(tmp_path: Path) -> None:
    log = [Record(n=1, event=Conceded(turn=1, impulse=1, step=StepName.MOVE, side="klingon"))]
    game = cast(GameFolder, SimpleNamespace(path=tmp_path, records=lambda: log))
    for told, played, said in (
        (1, 2, "it has 1 segment where 2 were played"), (2, 1, "it has 2 segments where 1 was played"),
        (0, 3, "it has 0 segments where 3 were played"), (0, 0, ""),
    ):  # fmt: skip
        found = proof(*(segment(number, C) for number in range(1, told + 1)))
        (tmp_path / "proof.json").write_bytes(reveal.encode(found))
        replay = cast(Any, SimpleNamespace(stretches=[object()] * played))
        assert [fault.text for fault in _proof_faults(game, found, replay)] == ([said] if said else [])
    (tmp_path / "proof.json").write_bytes(reveal.encode(found) + b"\n")
    assert [fault.text for fault in _proof_faults(game, found, replay)] == ["it is not written like a proof.json"]


def test_a_proof_file_is_read_as_it_was_written_and_tells_what_it_lacks() -> None:
    made = proof(segment(1, C), segment(2, A, kept=(1,), of={"a": 1}, older=True))
    assert reveal.decode(reveal.encode(made), "p") == made
    for data, code in ((b"{", "proof-damaged"), (reveal.encode(replace(made, format=2)), "format")):
        with pytest.raises(GameError) as wrong:
            reveal.decode(data, "p")
        assert [(fault.code, fault.file) for fault in wrong.value.faults] == [(code, "p")]
    source = Revealed(made)
    assert (source.link(2).hex(), source.salt(3, 2, "federation", 1).hex(), source.log_key(1).hex()) == (A, A, A)
    with pytest.raises(GameError, match="no link for segment 3"):
        source.link(3)
    with pytest.raises(GameError, match="no salt for the orders of x in segment 1"):
        source.salt(1, 1, "x", 1)
