"""Small parts of the desk at their edges: letters that were kept, what an archive answers to them, files, terms, the
beacon, and words between players.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from pbem.desk import proof_file
from pbem.desk.answers import _header_places
from pbem.desk.beacon import (
    GENESIS,
    MARGIN,
    Sealing,
    draw,
    first_round_after,
    round_time,
    sealed_lines,
    sealing_of,
    verify_value,
)
from pbem.desk.files import (
    cannot,
    decode_orders,
    in_the_log,
    is_device,
    is_held,
    make_folder,
    read_bytes,
    read_order_file,
    remove,
    write_bytes,
)
from pbem.desk.folder import GameFolder
from pbem.desk.kept import Kept, Told, kept_letters, read_kept, text_of
from pbem.desk.limits import place_faults
from pbem.desk.messages import allowed, due, note_told, pass_on, words_for
from pbem.desk.opened import opened
from pbem.desk.override import reposition
from pbem.desk.players import FILE, TENURES, replaced, tenures
from pbem.desk.proof_file import ProofFile, ProvenRoll, ProvenSegment, Revealed, SealedOrders
from pbem.desk.terms import DiceTerms, Seat, Terms, read_terms, terms_text, verify_name, verify_options
from pbem.desk.verify_archive import _archived, _committed, _compare, _passed, _proven
from pbem.faults import GameError
from pbem.game import dice
from pbem.game.events import Adjusted, Conceded, Record
from pbem.game.options import AutoBreak, Options
from pbem.orders.messages import ALL, MOST_CHARACTERS, MOST_MESSAGES, UMPIRE, Message
from pbem.values.words import FormKind, Gone, StepName

replace = msgspec.structs.replace
A, B, C, D, E = ("abcde"[n] * 64 for n in range(5))

# --- letters that were kept, and the archive -------------------------------------------------------------------------

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
    Told(0, "scheme", "", "2"), Told(0, "committed", "", A), Told(0, "salts", "", B), Told(1, "request", "", "3.2"),
    Told(1, "link", "", C), Told(1, "orders", "klingon", D), Told(1, "your salt", "klingon", E),
    Told(1, "orders", "federation", E), Told(1, "beacon", "", f"77:{B}"), Told(12, "request", "", "4.1"),
    Told(12, "round", "", "80"), Told(12, "log", "", D),
)  # fmt: skip
INVITATION = f"You play klingon in duel: scenario #5.\n\nThe dice are committed to:\n{A} (scheme 1)."


@pytest.mark.parametrize("front", ["", "> ", "> > ", "  >>  "])
def test_a_sitrep_that_was_kept_tells_all_of_its_proof(front: str) -> None:
    text = "".join(f"{front}{line}\r\n" for line in SITREP.splitlines())
    assert read_kept(text, "a.txt") == Kept(file="a.txt", game="duel", side="klingon", told=TOLD)
    twice = f"{SITREP}Dice of other, scheme 1\n{A}\nsalts {C}\n"
    found = read_kept(twice, "b.txt")
    assert found is not None and found.game == "other"
    assert found.told == (*TOLD, Told(0, "scheme", "", "1"), Told(0, "salts", "", C)), "nothing runs on into it"


def test_an_invitation_that_was_kept_and_what_is_neither() -> None:
    told = (Told(0, "scheme", "", "1"), Told(0, "committed", "", A))
    assert read_kept(f"> Hello\n{INVITATION}", "i.eml") == Kept(file="i.eml", game="duel", side="klingon", told=told)
    assert read_kept(f"{INVITATION}\n{SITREP}", "i.eml") == Kept(file="i.eml", game="duel", side="klingon", told=TOLD)
    assert read_kept("eggs and bread", "s.txt") is None and read_kept("This sitrep is for klingon.", "s.txt") is None


def test_which_files_of_a_folder_are_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.desk.kept.LARGEST", len(SITREP) + 1)
    (tmp_path / "b").mkdir()
    for name in ("b/a.TXT", "c.md", "a.txt"):
        (tmp_path / name).write_text(SITREP + "\n" * (name == "a.txt"), encoding="utf-8")
    (tmp_path / "long.txt").write_text(SITREP + "\n\n", encoding="utf-8")
    (tmp_path / "d.txt").mkdir()
    (tmp_path / "m.eml").write_text(f"From: x\n\n{INVITATION}", encoding="utf-8")
    (tmp_path / "none.eml").write_text("Content-Type: text/html\n\n<p>x", encoding="utf-8")
    assert [one.file for one in kept_letters(tmp_path)] == ["a.txt", "b/a.TXT", "m.eml"]
    assert text_of(b"Content-Type: text/html\n\n<p>x", ".eml") == "" and text_of(b"a\xff", ".txt") == "a\ufffd"


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
    letter = Kept(file="a.txt", game="duel", side="klingon", told=TOLD)
    assert [fault.text for fault in _compare([letter], archive)] == []
    segments = {one.segment: one for one in archive.segments}
    for told in TOLD:
        lies = replace(told, value="7" * len(told.value))
        (fault,) = _compare([Kept(file="b.txt", game="duel", side="klingon", told=(lies,))], archive)
        whose = f" of {told.side}" * bool(told.side) + f" of segment {told.segment}" * bool(told.segment)
        has = f"was told as {lies.value}, and the archive has {told.value}"
        assert (fault.code, fault.file, fault.text) == ("sent-differs", "b.txt", f"the {told.what}{whose} {has}")
        assert _archived(told, archive, segments.get(told.segment)) == told.value


def test_what_a_letter_told_of_a_segment_that_was_passed_over() -> None:
    """Before a backup was put back: its link must be of the chain, of its orders and dice nothing is known."""
    archive = proof(segment(1, C), segment(12, A))
    link = Told(5, "link", "", _passed(archive, 5))
    for told, codes in (
        (link, []), (replace(link, value="7" * 64), ["sent-differs"]), (Told(5, "orders", "klingon", D), []),
        (Told(5, "log", "", D), []), (Told(13, "log", "", D), ["sent-differs"]),
    ):  # fmt: skip
        found = list(_compare([Kept(file="a.txt", game="duel", side="klingon", told=(told,))], archive))
        assert [(fault.code, fault.file) for fault in found] == [(code, "a.txt") for code in codes], told
    odd = (
        Told(1, "orders", "romulan", A), Told(1, "your salt", "romulan", A), Told(0, "link", "", A),
        Told(3, "link", "", A),
        Told(1, "link", "", A),
    )  # fmt: skip
    assert [fault.text for fault in _compare([Kept(file="c", game="duel", side="", told=odd)], archive)] == [
        f"the orders of romulan of segment 1 was told as {A}, and the archive has none",
        f"the your salt of romulan of segment 1 was told as {A}, and the archive has none",
        f"the link was told as {A}, and the archive has none",
        f"the link of segment 3 was told as {A}, which is not of this chain",
        f"the link of segment 1 was told as {A}, and the archive has {C}",
    ], "a segment of before the last may have been passed over"
    late = Kept(file="d", game="duel", side="", told=(Told(13, "link", "", A), Told(1, "link", "", A)))
    assert [fault.text for fault in _compare([late], archive)] == [
        "segment 13 was told of, and the archive has no such segment"
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
        return cast(GameFolder, SimpleNamespace(terms=told))

    def wrong(found: ProofFile, **more: Any) -> list[tuple[str, str]]:
        assert all(fault.file == "proof.json" for fault in _committed(terms(**more), found))
        return [(fault.code, fault.text) for fault in _committed(terms(**more), found)]

    key = dice.log_key(salts[1], 1).hex()
    salt = {side: dice.salt(salts[1], 3, 2, side, 1).hex() for side in ("klingon", "federation")}
    orders = tuple(SealedOrders(side=side, salt=salt[side], sealed=D, text="x") for side in salt)
    good = segment(1, first, log_key=key, orders=orders)
    common = {"commitment": commitment, "salts": salts[0].hex(), "salt_link": salts[1].hex()}
    assert wrong(proof(good, **common)) == []
    for changed in (
        {"game": "x"}, {"scheme": 1}, {"length": 8}, {"commitment": A}, {"salts": A}, {"beacon": "drand"},
    ):  # fmt: skip
        assert wrong(proof(good, **{**common, **changed})) == [
            ("proof-differs", "its heading is not that of game.toml")
        ]
    assert wrong(proof(**common)) == []
    uncounted = [("proof-differs", "its segments do not count from 1 on")]
    assert wrong(proof(replace(good, segment=0), **common)) == uncounted
    assert wrong(proof(good, good, **common)) == uncounted
    for one, other in ((one, other) for one in range(11) for other in range(11) if one >= other or not 0 < other < 10):
        assert wrong(proof(segment(one, first), segment(other, second), **common)) == uncounted, (one, other)
    assert wrong(proof(replace(good, segment=2), **common)) == [
        ("dice-commitment", "the link of segment 2 is not the one committed to")
    ], "one may have been passed over, and the links say so"
    assert wrong(proof(replace(good, link=second), **common)) == [
        ("dice-commitment", "the link of segment 1 is not the one committed to")
    ]
    assert wrong(proof(good, segment(2, third), **common)) == [
        ("dice-commitment", "the link of segment 2 is not the one committed to")
    ]
    assert wrong(proof(good, **{**common, "salt_link": ""})) == [
        ("salt-commitment", "the link of the salt chain is missing")
    ]
    assert wrong(proof(good, **{**common, "salt_link": A})) == [
        ("salt-commitment", "the salt link of segment 1 is not the one committed to")
    ]
    lies = (orders[0], replace(orders[1], salt=A))
    assert wrong(proof(replace(good, orders=lies, log_key=A), **common)) == [
        ("salt-commitment", "the salt of federation in segment 1 is not the one committed to"),
        ("salt-commitment", "the log key of segment 1 is not the one committed to"),
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
        (tmp_path / "proof.json").write_bytes(proof_file.encode(found))
        replay = cast(Any, SimpleNamespace(stretches=[object()] * played))
        assert [fault.text for fault in _proven(game, found, replay)] == ([said] if said else [])
    (tmp_path / "proof.json").write_bytes(proof_file.encode(found) + b"\n")
    assert [fault.text for fault in _proven(game, found, replay)] == ["it is not written as a proof.json is"]


def test_a_proof_file_is_read_as_it_was_written_and_tells_what_it_lacks() -> None:
    made = proof(segment(1, C), segment(2, A, kept=(1,), of={"a": 1}, older=True))
    assert proof_file.decode(proof_file.encode(made), "p") == made
    for data, code in ((b"{", "proof-damaged"), (proof_file.encode(replace(made, format=2)), "format")):
        with pytest.raises(GameError) as wrong:
            proof_file.decode(data, "p")
        assert [(fault.code, fault.file) for fault in wrong.value.faults] == [(code, "p")]
    source = Revealed(made)
    assert (source.link(2).hex(), source.salt(3, 2, "federation", 1).hex(), source.log_key(1).hex()) == (A, A, A)
    with pytest.raises(GameError, match="no link for segment 3"):
        source.link(3)
    with pytest.raises(GameError, match="no salt for the orders of x in segment 1"):
        source.salt(1, 1, "x", 1)


# --- the beacon ------------------------------------------------------------------------------------------------------


class Oracle:
    def __init__(self, now: datetime, value: str = A) -> None:
        self.moment, self.given = now, value

    def now(self) -> datetime:
        return self.moment

    def value(self, number: int) -> str:
        if not self.given:
            raise GameError.saying("beacon-silent", f"round {number} is silent")
        return self.given


def test_rounds_of_the_beacon_and_when_their_value_is_drawn() -> None:
    begin = datetime.fromtimestamp(GENESIS, UTC)
    assert [round_time(n) - begin for n in (1, 2, 11)] == [timedelta(seconds=s) for s in (0, 3, 30)]
    moments = (-100, -1, 0, 1, 2, 3, 5, 6)
    assert [first_round_after(begin + timedelta(seconds=s)) for s in moments] == [1, 1, 2, 2, 2, 3, 3, 4]
    sealing = Sealing(segment=3, turn=2, request=4, round=5, seals={"b": B, "a": A})
    assert sealing.due == begin + timedelta(seconds=12) and timedelta(minutes=2) == MARGIN
    assert draw(sealing, None) == ("", "no beacon can be asked here")
    assert draw(sealing, Oracle(sealing.due - timedelta(microseconds=1))) == ("", "the round is still to come")
    assert draw(sealing, Oracle(sealing.due)) == (f"5:{A}", "")
    assert draw(sealing, Oracle(sealing.due, "")) == ("", "round 5 is silent")
    for value in ("a" * 63, "a" * 65, "A" * 64, "g" * 64, ""):
        with pytest.raises(GameError, match="64 hex digits"):
            verify_value(value)
    lines = sealed_lines("duel", sealing)
    assert lines == [
        "Dice of duel, scheme 2", "Segment 3: request 4 of turn 2", "  awaits round 5 of the beacon",
        "  orders of a", f"              {A}", "  orders of b", f"              {B}",
    ]  # fmt: skip
    found = read_kept("\n".join(lines), "x")
    assert found is not None and found.told[1:] == (
        Told(3, "request", "", "2.4"), Told(3, "round", "", "5"), Told(3, "orders", "a", A), Told(3, "orders", "b", B),
    )  # fmt: skip


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_files_and_folders_are_for_whom_they_are_for(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_bytes(tmp_path / "a/b/open", b"x")
        write_bytes(tmp_path / "s/t/secret", b"x", private=True)
        make_folder(tmp_path / "u/v")
        (tmp_path / "s/t/secret").chmod(0o644)
        write_bytes(tmp_path / "s/t/secret", b"y", private=True)
    finally:
        os.umask(before)
    modes = {p.relative_to(tmp_path).as_posix(): stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes == {
        "a": 0o755, "a/b": 0o755, "a/b/open": 0o644, "s": 0o700, "s/t": 0o700, "s/t/secret": 0o600, "u": 0o755,
        "u/v": 0o755,
    }  # fmt: skip


def test_the_longest_name_of_a_file_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_bytes(path, b"1")
    write_bytes(path, b"2")
    assert read_bytes(path) == b"2" and [p.name for p in tmp_path.iterdir()] == [path.name]
    remove(path)
    remove(path)
    assert not list(tmp_path.iterdir())


def test_what_the_system_refuses_in_plain_words(tmp_path: Path) -> None:
    file = tmp_path / "f"
    found = [
        (fault.code, fault.text.partition(":")[0].partition(",")[0], fault.file)
        for do, path, error in (
            ("read", file, FileNotFoundError(2, "x")), ("write", file, IsADirectoryError(21, "x")),
            ("read", tmp_path, PermissionError(13, "x")), ("write", tmp_path, PermissionError(13, "x")),
            ("read", file, PermissionError(13, "x")), ("read", file, OSError(5, "broken")),
            ("write", file, OSError("full")),
        )
        for fault in cannot(do, path, error).faults
    ]  # fmt: skip
    if os.name != "nt":
        assert found == [
            ("no-such-file", "there is no such file or folder", str(file)),
            ("is-a-folder", "a file is wanted here", str(file)),
            ("is-a-folder", "a file is wanted here", str(tmp_path)),
            ("no-permission", "there is no permission to write this; it is as it was", str(tmp_path)),
            ("no-permission", "there is no permission to read this; it is as it was", str(file)),
            ("unreadable", "cannot read this", str(file)), ("unwritable", "cannot write this", str(file)),
        ]  # fmt: skip


def test_an_order_file_of_so_many_bytes_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.desk.files.LARGEST_ORDER_FILE", 10)
    file = tmp_path / "f.orders"
    file.write_bytes(b"a\r\nb\rc\n678")
    assert read_order_file(file) == "a\nb\nc\n678"
    file.write_bytes(b"x" * 12)
    for path, name, code, said in (
        (file, "my name", "file-too-long", "the file has 12 bytes; 10 is the most"),
        (tmp_path, "", "is-a-folder", "a file is wanted here"),
        (tmp_path / "x", "", "no-such-file", "there is no such file"),
    ):
        with pytest.raises(GameError, match=said) as wrong:
            read_order_file(path, name)
        assert [(fault.code, fault.file) for fault in wrong.value.faults] == [(code, name or str(path))]
    with pytest.raises(GameError, match="not-text"):
        decode_orders(b"GAME\0\0\0", "x")
    names = ("con", "NUL.txt", "com1", "lpt9.a.b", "com", "console", "com10", "a.con")
    assert [name for name in names if is_device(name)] == ["con", "NUL.txt", "com1", "lpt9.a.b"]


# --- what was agreed -------------------------------------------------------------------------------------------------


def test_the_terms_of_a_game_are_read_as_they_are_written() -> None:
    terms = Terms(
        format=1, name="duel-1", scenario="5", sides={"b": Seat(player='Ann "A" <a@b>', team="red"), "a side": Seat()},
        options=Options(autobreaks=(AutoBreak(when="RANGE ENEMY <= 3", side="b"),), fractional=True, period="8"),
        dice=DiceTerms(scheme=2, commitment=A, length=100, salts=B, beacon="drand"),
        ships={"Z": "z_ship", "A": "a_ship"}, units=("x", "y"),
    )  # fmt: skip
    text = terms_text(terms)
    assert read_terms(text.encode(), "t") == terms
    assert text.split("\n")[2:] == [
        "format = 1", 'name = "duel-1"', 'scenario = "5"',
        f'grid = "{terms.grid}"  # which columns lie half a hex lower',
        'units = ["x", "y"]  # optional units that take part', "", '[sides."a side"]', 'player = ""', "", "[sides.b]",
        'player = "Ann \\"A\\" <a@b>"', 'team = "red"', "", "[ships]", 'A = "a_ship"', 'Z = "z_ship"', "", "[options]",
        *text.split("[options]\n")[1].partition("\n\n[dice]")[0].split("\n"), "", "[dice]", "scheme = 2",
        f'commitment = "{A}"', "length = 100", f'salts = "{B}"', 'beacon = "drand"', "",
    ]  # fmt: skip
    old = replace(terms, dice=DiceTerms(scheme=1, commitment=A, length=100), ships={}, begun="0.2")
    assert terms_text(old).endswith(f'[dice]\nscheme = 1\ncommitment = "{A}"\nlength = 100\n')
    assert 'begun = "0.2"  # the version of pbem that made this game' in terms_text(old).split("\n")


def test_names_and_periods_that_can_be_and_those_that_cannot() -> None:
    for name, right in (("a" * 40, True), ("a" * 41, False), ("1-_x", True), ("-x", False), ("_x", False), ("", False)):
        try:
            verify_name(name, "f")
            found = True
        except GameError as error:
            found = False
            assert [(fault.code, fault.file) for fault in error.faults] == [("game-name", "f")]
        assert found is right, name
    with pytest.raises(GameError) as wrong:
        verify_name("x " * 40)
    assert wrong.value.faults[0].text.startswith(repr(("x " * 40)[:59] + "…"))
    periods = ("", "turn", "half", "1", "32", "33", "0", "-1", "1.5", "month", "\u0663")
    allowed_ones = []
    for period in periods:
        try:
            verify_options(Options(period=period))
            allowed_ones.append(period)
        except GameError:
            pass
    assert allowed_ones == ["", "turn", "half", "1", "32"]


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("format = 1\n", "", "format", "the line `format = 1` is missing here: it should say what was agreed"),
        ("format = 1", "format = 2", "format", "this game has format 2; this version plays format 1"),
        ("[options]", "[options", "not-toml", "this file is not valid TOML"),
        ('name = "duel"', 'name = "-"', "game-name", "'-' cannot be a game's name"),
        ('period = ""', 'period = "x"', "option", "period is turn, half or 1 to 32 impulses, not 'x'"),
        ("length = 9", 'length = 9\nbeacon = "moon"', "option", "beacon is drand or none, not 'moon'"),
        ("autobreaks = []", 'autobreaks = [{ when = "x", for = "all" }]', "option", "autobreaks, 'x': "),
    ],
)
def test_what_is_wrong_with_a_game_toml(old: str, new: str, code: str, said: str) -> None:
    dice_of = DiceTerms(scheme=1, commitment=A, length=9)
    text = terms_text(
        Terms(format=1, name="duel", scenario="5", sides={"a": Seat()}, dice=dice_of, options=Options(autobreaks=()))
    )
    assert old in text
    with pytest.raises(GameError) as wrong:
        read_terms(text.replace(old, new).encode(), "game.toml")
    (fault,) = wrong.value.faults
    assert (fault.code, fault.file) == (code, "game.toml") and fault.text.startswith(said)
    for data, begins in ((b"", "this file is empty: it should say"), (b"\xff", "this file is not UTF-8 text")):
        with pytest.raises(GameError, match=begins):
            read_terms(data, "game.toml")


# --- words between players -------------------------------------------------------------------------------------------


def say(game: GameFolder, author: str, *words: tuple[str, str], letter: str = "") -> Sequence[str]:
    return pass_on(game, author, [Message(to, text) for to, text in words], letter)


def test_what_becomes_of_words_to_people(game: GameFolder) -> None:
    sitrep = "stands in the next sitrep, and the umpire reads it."
    assert say(game, "klingon", ("fed", "a"), (ALL, "b"), (UMPIRE, "c"), ("klingon", "d"), ("romulan" * 9, "e")) == (
        f"Your message to federation {sitrep}", f"Your message to all {sitrep}", "The umpire is told what you wrote.",
        "Your message to klingon is not passed on: that is you.",
        f"It is not passed on: there is no side {('romulan' * 9)[:40]!r}. Write to federation or ALL.",
    )  # fmt: skip
    (long,) = say(game, "klingon", ("fed", "x" * (MOST_CHARACTERS + 1)))
    assert long == f"Your message to federation {sitrep} Its end is cut off: it is too long."
    assert say(game, "klingon", ("fed", "a")) == (f"Your message to federation {sitrep}",), "once"
    folder = game.path / "secret" / "messages"
    assert sorted(path.name for path in folder.iterdir()) == [f"00000.klingon.0{n}.json" for n in range(1, 5)]
    more = say(game, "klingon", *((ALL, str(n)) for n in range(MOST_MESSAGES)))
    most = f"Your message to all is not passed on: {MOST_MESSAGES} are the most for one request."
    assert more == (*[f"Your message to all {sitrep}"] * (MOST_MESSAGES - 4), *[most] * 4)
    assert say(game, "federation", (ALL, "hi"), letter="L") == (f"Your message to all {sitrep}",)
    assert os.name == "nt" or {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    (folder / "00000.klingon.99.json").write_bytes(b"{")
    (folder / "note.txt").write_bytes(b"x")
    assert due(game.path, 0) == []
    first = due(game.path, 1)
    assert len(first) == MOST_MESSAGES + 1 and {one.told for one in first} == {0}
    note_told(game.path, 1)
    assert [one.told for one in due(game.path, 1)] == [1] * len(first) and due(game.path, 2) == []
    told = {
        reader: [(w.author, w.to) for w in words_for(first, reader)] for reader in ("federation", "klingon", "umpire")
    }
    assert len(told["umpire"]) == len(first) and told["klingon"] == [("federation", "all")]
    assert {to for _, to in told["federation"]} == {"federation", "all"} and ("klingon", "the umpire") in told["umpire"]


@pytest.mark.parametrize(
    ("own", "host", "rule"),
    [('messages = "none"', 'messages = "all"', "none"), ("", 'messages = "umpire"', "umpire"), ("", "", "all"),
     ('messages = "odd"', 'messages = "none"', "none"), ("[", 'messages = "umpire"', "umpire"),
     ("", "messages = 1", "all")],
)  # fmt: skip
def test_who_may_be_written_to(tmp_path: Path, own: str, host: str, rule: str) -> None:
    game = tmp_path / "games" / "x"
    game.mkdir(parents=True)
    (game / "post.toml").write_text(own, encoding="utf-8")
    (tmp_path / "host.toml").write_text(host, encoding="utf-8")
    assert allowed(game) == rule


def test_the_same_letter_tells_its_words_once_and_another_anew(
    game: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = game.state()
    kept = []
    for segment, name in ((0, "L"), (0, "M"), (0, ""), (1, "L"), (1, ""), (1, "N"), (2, "N"), (2, "")):
        monkeypatch.setattr(game, "state", lambda segment=segment: replace(state, segment=segment))
        say(game, "klingon", ("federation", "hi"), letter=name)
        kept.append(len(list((game.path / "secret" / "messages").iterdir())))
    assert kept == [1, 1, 1, 1, 2, 2, 3, 3]


def test_words_in_games_without_them_and_when_it_is_over(game: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (game.path / "post.toml").write_text('messages = "umpire"', encoding="utf-8")
    none = "is not passed on: this game has none between players."
    assert say(game, "klingon", (ALL, "a"), ("x" * 50, "b"), (UMPIRE, "c")) == (
        f"Your message to all {none}", f"Your message to {'x' * 40} {none}", "The umpire is told what you wrote.",
    )  # fmt: skip
    (game.path / "post.toml").write_text('messages = "none"', encoding="utf-8")
    assert say(game, "klingon", (UMPIRE, "d")) == (f"Your message to the umpire {none}",)
    (game.path / "post.toml").unlink()
    over = replace(game.state(), over=True)
    monkeypatch.setattr(game, "state", lambda: over)
    gone = "Your message to federation is not passed on: the game is over, and no sitrep comes any more."
    assert say(game, "klingon", ("federation", "a"), (UMPIRE, "b")) == (gone, "The umpire is told what you wrote.")


# --- counters set down elsewhere -------------------------------------------------------------------------------------


def test_units_are_set_down_in_the_order_of_their_names_or_not_at_all(game: GameFolder) -> None:
    state = game.state()
    wrong = {"Zeta": "1010A", "Constellation": "1010", "Destruction": "0000A"}
    with pytest.raises(GameError) as refused:
        reposition(game, wrong, source="t.vsav")
    assert [(fault.code, fault.text.split()[0], fault.file) for fault in refused.value.faults] == [
        ("bad-position", "Constellation", "t.vsav"), ("bad-position", "Destruction", "t.vsav"),
        ("unknown-unit", "Zeta", "t.vsav"),
    ]  # fmt: skip
    assert game.state() == state and reposition(game, {}, source="t.vsav") == 0
    before = len(game.records())
    assert reposition(game, {"Destruction": "1112B", "Constellation": "1011C"}, source="t.vsav") == 2
    found = [(record.n - before, record.event) for record in game.records()[before:]]
    why = "taken from t.vsav"
    assert found == [
        (n, Adjusted(turn=state.turn, impulse=state.impulse, step=state.step, unit=unit, at=at, why=why))
        for n, unit, at in ((1, "Constellation", "1011C"), (2, "Destruction", "1112B"))
    ]
    for at in ("1011", "1011G", "10A1B", "1011AA", "9911A", ""):
        assert [fault.code for fault in place_faults(state, "Destruction", at, "")] == ["bad-position"], at
    assert state.request is not None and state.request.form == FormKind.EAF
    ship = state.units["Destruction"]
    for unit, codes in ((ship, []), (replace(ship, gone=Gone.DESTROYED), ["unknown-unit"])):
        now = replace(state, units={**state.units, "Destruction": unit})
        assert [fault.code for fault in place_faults(now, "Destruction", "1011A", "")] == codes


def test_new_players_that_cannot_be_read_are_told_at_their_file(tmp_path: Path) -> None:
    assert replaced(tmp_path) == {} and tenures(tmp_path) == []
    (tmp_path / "secret").mkdir()
    for name in (FILE, TENURES):
        (tmp_path / "secret" / name).write_text("{", encoding="utf-8")
    with pytest.raises(GameError) as refused:
        replaced(tmp_path)
    [fault] = refused.value.faults
    assert (fault.code, fault.file) == ("players-damaged", str(tmp_path / "secret" / FILE))
    assert fault.text.startswith("the new players are damaged: ") and tenures(tmp_path) == []


@pytest.mark.parametrize("system", ["nt", "posix"])
def test_only_a_refusal_that_windows_gives_may_pass(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    other, told = FileNotFoundError(2, "gone"), PermissionError(13, "held")
    told.winerror = other.winerror = 32  # type: ignore[attr-defined, unused-ignore]
    found = [is_held(told), is_held(other)]
    monkeypatch.setattr("pbem.desk.files.os", SimpleNamespace(name=system))
    found += [is_held(PermissionError(13, "held")), is_held(FileNotFoundError(2, "gone"))]
    assert found == [True, False, system == "nt", False]


def test_what_stands_below_the_first_block_is_no_header() -> None:
    text = "Hello\n\nGAME duel TURN 1\nSIDE klingon\n\nSHIP Destruction\nREPLY 2\nGAME other\n"
    assert _header_places(text) == {"GAME": (3, 1), "TURN": (3, 11), "SIDE": (4, 1)}
    assert _header_places("GAME duel\nCONTINUE\nREPLY 2\n") == {"GAME": (1, 1)}


def test_what_follows_the_log_and_cannot_be_written_is_told_with_its_place(tmp_path: Path) -> None:
    full = cannot("write", tmp_path / "x", OSError(28, "no room"))
    with pytest.raises(GameError) as error, in_the_log(tmp_path):
        raise full
    first, late = error.value.faults
    assert first == full.faults[0] and (late.code, late.file) == ("reports-late", str(tmp_path))
    assert "is done and in the log" in late.text
    for other in (error.value, GameError.saying("no-such-game", "x")):
        with pytest.raises(GameError) as same, in_the_log(tmp_path / "again"):
            raise other
        assert same.value is other


def test_nothing_is_sealed_without_a_request_or_without_a_beacon(duel: Path) -> None:
    """Whatever file lies there."""
    with opened(duel) as game:
        state, seals = game.state(), {"klingon": A}
        made = Sealing(segment=state.segment + 1, turn=1, request=1, round=7, seals=seals)
        (duel / "01").mkdir(exist_ok=True)
        (duel / "01" / "sealed.r1.json").write_bytes(msgspec.json.encode(made))

        def found(asked: object, beacon: str, segment: int = state.segment) -> Sealing | None:
            dice = SimpleNamespace(beacon=beacon)
            now = SimpleNamespace(request=asked, segment=segment)
            fake: Any = SimpleNamespace(state=lambda: now, path=duel, terms=SimpleNamespace(dice=dice))
            return sealing_of(fake)

        assert found(state.request, "drand") == made
        assert found(state.request, "") is None and found(None, "drand") is None and found(None, "") is None
        assert found(state.request, "drand", state.segment + 1) is None, "one of before an undo"
