"""What the umpire is told: troubles, once and again, the digest word by word, and whose letter he lets in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.mail.host.trouble import (
    AGAIN,
    UNREACHABLE,
    Heartbeat,
    Lost,
    Trouble,
    Troubles,
    UnreachablePlayers,
    read_heartbeat,
)
from pbem.mail.incoming.intake import _seat_of
from pbem.mail.incoming.ledger import Ledger, tell
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Seat
from pbem.mail.store import DIGEST, DigestProgress, EmailRecord, identity, keep_fact, read_fact
from tests.nobody_elses import private

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def test_a_trouble_is_told_at_once_each_day_and_when_the_clock_goes_back(tmp_path: Path) -> None:
    said = []
    for hours in (0, 0, 1, 23.9, 24, 25, 20, 44, 44.5):
        told = Troubles(tmp_path, NOW + timedelta(hours=hours))
        said.append((hours, told.again("net", "no net"), told.again("late", "late", calm=True)))
        told.write(2, 1)
    assert said == [
        (0, 1, 1), (0, 0, 0), (1, 0, 0), (23.9, 0, 0), (24, 2, 2), (25, 0, 0), (20, 3, 3), (44, 4, 4), (44.5, 0, 0),
    ]  # fmt: skip
    end = NOW + timedelta(hours=44.5)
    kept = {
        key: Trouble(text=text, first=NOW, seen=end, told=NOW + timedelta(hours=44), times=4, calm=key == "late")
        for key, text in (("late", "late"), ("net", "no net"))
    }
    found = read_heartbeat(tmp_path)
    assert found == Heartbeat(at=end, troubles=kept, waiting=2, failed=1) and private(tmp_path / "mail/status.json")
    assert [one.text for one in found.now()] == ["no net"] and [one.text for one in found.late()] == ["late"]


def test_a_trouble_that_was_away_begins_anew_and_is_forgotten_after_a_month(tmp_path: Path) -> None:
    def round_at(days: float, *keys: str, done: bool = True) -> Heartbeat:
        told = Troubles(tmp_path, NOW + timedelta(days=days))
        for key in keys:
            told.again(key, key)
        told.write(0, 0, done=done)
        return read_heartbeat(tmp_path)

    round_at(0, "a", "b")
    round_at(0.1, "b")
    found = round_at(0.2, "a", "b")
    assert [(one.text, one.first) for one in found.now()] == [("b", NOW), ("a", NOW + timedelta(days=0.2))]
    assert found.done is None and round_at(0.3, done=False).done == NOW + timedelta(days=0.2)
    assert round_at(0.4, done=False).done == NOW + timedelta(days=0.2) and round_at(0.5).done is None
    assert sorted(round_at(30.1).troubles) == ["a", "b"] and round_at(30.2).troubles == {}
    (tmp_path / "mail/status.json").write_bytes(b"{")
    assert read_heartbeat(tmp_path) == Heartbeat() and timedelta(days=1) == AGAIN


def aside(post: Path, *entries: EmailRecord) -> None:
    ledger = Ledger(post)
    for entry in entries:
        ledger.add(entry)


def test_the_digest_of_letters_put_aside_word_by_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.incoming.ledger.notice_key", lambda digest: f"told {digest}")
    kinds = (
        ("a", "quarantine", "eve@example.org", "quarantine/a.eml"), ("b", "quarantine", "eve@example.org", ""),
        ("c", "bounce", "", "quarantine/c.eml"), ("d", "trouble", "ann@example.org", "quarantine/d.eml"),
        *((f"e{n}", "quarantine", "joe@example.org", f"quarantine/e{n}.eml") for n in range(7)),
    )  # fmt: skip
    aside(
        tmp_path,
        *(
            EmailRecord(digest=name, done=done, sender=sender, why=f"it is {done}", replies=(f"told {name}",),  # type: ignore[arg-type]
                  subject=f"about {name}", file=file)
            for name, done, sender, file in kinds
        ),
        EmailRecord(digest="x", done="orders", sender="ann@example.org", replies=("k",)),
    )  # fmt: skip
    letters: list[Reply] = []
    tell(tmp_path, "umpire@host.example", "UTC", NOW, letters.append)
    (found,) = letters
    accept = f"pbem mail accept {tmp_path.parent} quarantine"
    assert (found.subject, found.to, found.kind) == ("pbem: 11 emails were put aside", "umpire@host.example", "notice")
    assert found.text.replace(str(tmp_path.parent), str(tmp_path.parent)) == (
        "11 emails were put aside. We do not tell the senders, except players whose\n"
        "game is stuck. If an email has a player's address or token, we tell that\n"
        "player at their own address, once a day.\n\n"
        "  from     eve@example.org (2 emails)\n  subject  about b\n  because  it is quarantine\n"
        f"  kept as  nothing: {tmp_path / 'quarantine'} is full; empty it\n"
        f"  accept   {accept}/a.eml\n\n"
        "  from     (nobody, or more than one)\n  subject  about c\n  because  it is bounce\n"
        f"  kept as  {tmp_path / 'quarantine/c.eml'}\n\n"
        "  from     ann@example.org\n  subject  about d\n  because  it is trouble\n"
        f"  kept as  {tmp_path / 'quarantine/d.eml'}\n  accept   {accept}/d.eml\n\n"
        "  from     joe@example.org (7 emails)\n  subject  about e6\n  because  it is quarantine\n"
        f"  kept as  {tmp_path / 'quarantine/e6.eml'}\n"
        + "".join(f"  accept   {accept}/e{n}.eml\n" for n in range(2, 7))
        + "\nTo accept an email, run its command above. If neither the token nor the\n"
        "address identifies the player, add --game NAME --side SIDE.\n\n"
        "More: `pbem help quarantine`.\n"
    )
    assert read_fact(tmp_path, DIGEST, DigestProgress) == DigestProgress(told=12, at=NOW)
    aside(tmp_path, EmailRecord(digest="z", done="quarantine", why="x", replies=("told z",)))
    tell(tmp_path, "umpire@host.example", "UTC", NOW + timedelta(days=1), letters.append)
    assert letters[-1].text.startswith(
        "An email was put aside since Mon 1 Mar 2027, 12:00 (UTC). We do not tell the\n"
        "senders. If an email has a player's address or token, we tell that player at\n"
        "their own address, once a day.\n"
    )


A, B, C, D = (
    Seat(game=game, folder=Path(game), side=side, addresses=(address,), token=token)
    for game, side, address, token in (
        ("one", "federation", "ann@example.org", "aaaaaaa"), ("one", "klingon", "bob@example.org", "bbbbbbb"),
        ("two", "federation", "ann@example.org", "ccccccc"), ("two", "klingon", "joe@example.org", "ddddddd"),
    )
)  # fmt: skip


GAMES = Games(seats=(A, B, C, D), post=Path("post"))


@pytest.mark.parametrize(
    ("sender", "tokens", "text", "game", "side", "seat"),
    [
        ("ann@example.org", "aaaaaaa", "", "", "", A), ("ann@example.org", "ccccccc", "", "", "", C),
        ("bob@example.org", "", "", "", "", B), ("eve@x.example", "ddddddd", "", "", "", D),
        ("ann@example.org", "ddddddd", "", "", "", D), ("ann@example.org", "", "", "", "", None),
        ("ann@example.org", "", "GAME two SIDE federation", "", "", C), ("ann@example.org", "", "", "TWO", "", C),
        ("ann@example.org", "", "", "", "klingon", None), ("eve@x.example", "", "", "", "", None),
        ("eve@x.example", "", "", "one", "Klingon", B), ("eve@x.example", "", "", "one", "", None),
        ("eve@x.example", "", "GAME one SIDE klingon", "one", "", B),
        ("eve@x.example", "", "GAME one SIDE klingon", "", "", None),
        ("eve@x.example", "aaaaaaa TOKEN ddddddd", "GAME two SIDE klingon", "", "", D),
        ("eve@x.example", "aaaaaaa TOKEN ddddddd", "", "", "", None),
        ("ann@example.org", "aaaaaaa TOKEN ccccccc", "GAME two SIDE federation", "", "", C),
        ("ann@example.org", "aaaaaaa TOKEN ccccccc", "", "one", "", A), ("bob@example.org", "", "", "two", "", None),
    ],
)  # fmt: skip
def test_whose_letter_the_umpire_lets_in(
    sender: str, tokens: str, text: str, game: str, side: str, seat: Seat | None
) -> None:
    body = f"{text} TURN 1 REPLY 1\nSHIP x\nEND\n" if text else "STATUS\n"
    found = read_letter(f"From: {sender}\nSubject: x{tokens and f' TOKEN {tokens}'}\n\n{body}".encode())
    if seat is None:
        with pytest.raises(
            GameError, match="add one of these, because the email does not say who sent it: --game "
        ) as wrong:
            _seat_of(found, GAMES, game, side)
        offered = wrong.value.faults[0].text.partition("who sent it: ")[2].split(", ")
        theirs = [one for one in GAMES.seats if sender in one.addresses] or GAMES.seats
        assert offered == sorted(f"--game {one.game} --side {one.side}" for one in theirs)
    else:
        assert _seat_of(found, GAMES, game, side) == seat


def test_addresses_that_no_mail_reaches(tmp_path: Path) -> None:
    lost = UnreachablePlayers(tmp_path)
    lost.lose(["Ann@example.org", "old@example.org", "bob@example.org"], "550 gone", NOW)
    lost.lose(["ann@example.org"], "551 later", NOW + timedelta(1))
    lost.hear("BOB@example.org")
    lost.hear("nobody@example.org")
    assert lost.told([A, B, C], "UTC") == [
        "No email has reached ann@example.org (federation in one, federation in two) since Mon 1 Mar 2027, 12:00 "
        "(UTC): 550 gone"
    ]
    lost.write([A, B])
    assert set(read_fact(tmp_path / "mail", UNREACHABLE, dict[str, Lost]) or {}) == {"ann@example.org"}
    keep_fact(tmp_path / "mail", UNREACHABLE, {})
    before, again = identity(tmp_path / "mail", UNREACHABLE), UnreachablePlayers(tmp_path)
    again.write([A])
    assert again.known == {} and identity(tmp_path / "mail", UNREACHABLE) == before
