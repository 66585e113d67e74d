"""ADDRESS: a player's mail goes elsewhere, once the code that was sent there has come back."""

from __future__ import annotations

import re
import zlib
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pbem.errors import GameError
from pbem.games.create import new as make
from pbem.mail.commands.seats import somebody
from pbem.mail.incoming.extract import command_in
from pbem.mail.people import MOVES, Move, read_moves, read_people
from pbem.mail.seats import games_in, seats, token_of
from pbem.mail.store import keep_fact

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, START, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, START, Hosted, answer, words

NEW = "kor@new.example"


@pytest.fixture
def begun(hosted: Hosted) -> Hosted:
    hosted.round()
    return hosted


def bare(sender: str, text: str) -> bytes:
    """A letter of somebody who has no token."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = sender, "orders@host.example", "Re: pbem"
    message["Message-ID"] = f"<{zlib.crc32((sender + text).encode())}@x.example>"
    message.set_content(text)
    return bytes(message)


def round_with(hosted: Hosted, raw: bytes) -> list[tuple[str, str]]:
    """What goes out for a letter, in its round and the next: reader and text."""
    before = len(hosted.sink.mails)
    hosted.post(raw)
    for _ in range(2):
        hosted.now += timedelta(minutes=1)
        hosted.round()
    sent = [(to, message_from_bytes(mail, policy=default)) for to, mail in hosted.sink.mails[before:]]
    return [(to, " ".join(f"{mail['Subject']} {words(mail)}".split())) for to, mail in sent]


def asked(hosted: Hosted, said: str = f"ADDRESS {NEW}") -> str:
    """A code for the player of klingon."""
    [(one, mine), (other, theirs)] = round_with(hosted, hosted.letter("klingon", said))
    assert (one, other) == ("kor@example.org", NEW)
    assert f"Open the email that we sent to {NEW}, and send back the code in it." in mine
    assert token_of(hosted.game, "klingon") not in theirs and "here as kor@example.org" in theirs
    match = re.search(r"ADDRESS CODE (\w{14})", theirs)
    assert match is not None and match[1] not in mine
    return match[1]


@pytest.mark.parametrize("back", [NEW, "kor@example.org"])
def test_mail_goes_there_when_the_code_comes_back(begun: Hosted, back: str) -> None:
    code, token = asked(begun), token_of(begun.game, "klingon")
    assert [one.addresses for one in seats(begun.game) if one.side == "klingon"] == [("kor@example.org",)]
    for sender, wrong in (("eve@evil.example", code), (back, "abcdefgh23456"), (back, "")):
        told = {to for to, _ in round_with(begun, bare(sender, f"ADDRESS CODE {wrong}"))}
        assert told <= {"umpire@host.example", *([sender] if sender == "kor@example.org" else [])}
    assert read_moves(begun.folder / "mail")[0].done is None
    there, here, report = round_with(begun, bare(back, f"\nAddress code {code.upper()}\n> old words"))
    assert (there[0], here[0], report[0]) == (NEW, "kor@example.org", NEW)
    assert f"Your emails for duel01 now go to {NEW}." in there[1]
    assert f"Emails for duel01 now go to {NEW}" in here[1] and token in report[1]
    answer(begun, "klingon")
    begun.round()
    assert begun.scripted("klingon"), "from there he no longer writes"
    done = round_with(begun, begun.letter("klingon", begun.scripted("klingon"), sender=NEW))
    assert done[0][0] == NEW and not begun.scripted("klingon")
    begun.now += timedelta(days=40)
    again = round_with(begun, bare(back, f"ADDRESS CODE {code}\n\nonce more"))
    assert [to for to, text in again if "new address" in text][:1] == [NEW], "it stays as it is, and is answered"
    assert len(read_moves(begun.folder / "mail")) == 1


@pytest.mark.parametrize("first", ["code", "orders"])
def test_what_comes_from_there_in_the_same_round_counts(begun: Hosted, first: str) -> None:
    """He confirms his new address and sends orders from it before the host looks; the mailbox has them in either
    order.
    """
    code = asked(begun)
    both = [bare(NEW, f"ADDRESS CODE {code}"), begun.letter("klingon", begun.scripted("klingon"), sender=NEW)]
    for raw in both if first == "code" else both[::-1]:
        begun.post(raw)
    begun.now += timedelta(minutes=1)
    done = begun.round().letters
    assert sorted(done) == ["command", "orders"]
    assert not begun.scripted("klingon")


def test_letters_from_an_address_whose_code_never_comes_are_put_aside(begun: Hosted) -> None:
    asked(begun)
    begun.post(begun.letter("klingon", begun.scripted("klingon"), sender=NEW))
    assert begun.round().letters == ("quarantine",)
    assert begun.scripted("klingon")


def test_who_shares_an_address_moves_alone(hosted: Hosted) -> None:
    family = "family@home.example"
    both = "".join(f'[people.{key}]\nmail = "{family}"\nwas = ["{key}@example.org"]\n' for key in ("ann", "kor"))
    (hosted.folder / "players.toml").write_text(f"format = 1\n{both}", encoding="utf-8")
    hosted.round()
    round_with(hosted, hosted.letter("klingon", f"ADDRESS {NEW}", sender=family))
    [move] = read_moves(hosted.folder / "mail")
    assert (move.old, move.person) == (family, "kor")
    round_with(hosted, bare(NEW, f"ADDRESS CODE {move.code}"))
    assert {one.side: one.addresses for one in seats(hosted.game)} == {"federation": (family,), "klingon": (NEW,)}
    (hosted.folder / "players.toml").write_text(
        f"format = 1\n{both.replace(family, 'ann@x.example', 1).replace(family, 'kor@later.example')}", encoding="utf-8"
    )
    assert {one.side: one.addresses for one in seats(hosted.game)}["klingon"] == ("kor@later.example",)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("ADDRESS", "Send ADDRESS new@example.org with your new address"),
        ("ADDRESS kor@example.org", "Your emails already go to this address."),
        ("ADDRESS Umpire@host.example", "belongs to the club"),
        ("ADDRESS orders@host.example", "belongs to the club"),
        ("ADDRESS CODE abcdefgh2345", "There is no such code"),
    ],
)
def test_what_changes_nothing(begun: Hosted, said: str, wrong: str) -> None:
    [(to, text)] = round_with(begun, begun.letter("klingon", said))
    assert to == "kor@example.org" and wrong in text and "Nothing was changed." in text
    assert read_moves(begun.folder / "mail") == ()


def test_a_club_may_leave_it_to_its_umpire_and_nobody_is_flooded(begun: Hosted) -> None:
    for number in range(5):
        sent = round_with(begun, begun.letter("klingon", f"ADDRESS kor{number}@new.example"))
        assert len(sent) == (2 if number < 3 else 1)
    assert "We have sent you 3 codes, and none came back" in sent[0][1]
    host = begun.folder / "host.toml"
    host.write_text(f"{host.read_text('utf-8')}[letters]\naddress = false\n", "utf-8")
    [(_, text)] = round_with(begun, begun.letter("klingon", f"ADDRESS {NEW}"))
    assert "only the umpire can change an address" in text


def test_a_code_is_good_for_thirty_days(begun: Hosted) -> None:
    code = asked(begun)
    begun.now += timedelta(days=31)
    round_with(begun, bare(NEW, f"ADDRESS CODE {code}"))
    assert [one.addresses for one in seats(begun.game) if one.side == "klingon"] == [("kor@example.org",)]


def test_who_moves_on_and_comes_back(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()

    def moved(*moves: tuple[str, str]) -> dict[str, str]:
        at = iter(range(9))
        found = [
            Move(old=old, new=new, code=old, cause=new, done=START + timedelta(days=next(at))) for old, new in moves
        ]
        keep_fact(tmp_path / "mail", MOVES, found)
        return read_people(tmp_path).moved

    assert moved(("a@x", "b@x"), ("b@x", "c@x")) == {"a@x": "c@x", "b@x": "c@x"}
    assert moved(("a@x", "b@x"), ("b@x", "a@x")) == {"b@x": "a@x"}
    assert read_people(tmp_path).now(("b@x", "d@x", "a@x")) == ("a@x", "d@x")
    keep_fact(tmp_path / "mail", MOVES, 1)
    with pytest.raises(GameError, match="new addresses is damaged"):
        read_people(tmp_path)


def test_whom_the_umpire_means_is_the_same_by_whatever_name(hosted: Hosted) -> None:
    text = (
        '[people.kor]\nname = "Kor the Great"\nmail = "Kor@example.org"\nwrites = ["kor@work.example"]\n'
        '[people.eve]\nname = "Eve"\nmail = "eve@example.org"\n'
        '[people.eva]\nname = "EVE"\nmail = "eva@example.org"\n'
    )
    (hosted.folder / "players.toml").write_text(f"format = 1\n{text}", encoding="utf-8")
    games = games_in(hosted.folder)
    for who in ("kor", "Kor the Great", "kor the  great", "kor@example.org", "KOR@work.example"):
        key, mail, found = somebody(hosted.folder, games, who)
        assert (key, mail, [one.side for one in found]) == ("kor", "kor@example.org", ["klingon"]), who
    key, mail, found = somebody(hosted.folder, games, "Ann@example.org")
    assert (key, mail, [one.side for one in found]) == ("", "ann@example.org", ["federation"]), "in no file"
    assert somebody(hosted.folder, games, "eva") == ("eva", "eva@example.org", []), "she plays nothing"
    for who, why in (("Eve", "more than one person"), ("mallory", "nobody"), ("", "nobody")):
        with pytest.raises(GameError, match=why):
            somebody(hosted.folder, games, who)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Address kor@new.example", ("ADDRESS", "KOR@NEW.EXAMPLE")),
        ("ADDRESS", ("ADDRESS", "")),
        ("Address change", None),
        ("Address code abcdef2", ("ADDRESS", "CODE ABCDEF2")),
        ("Address: kor@new.example from May on", None),
    ],
)
def test_which_words_are_such_a_letter(said: str, command: Any) -> None:
    assert command_in(said, "") == command_in("", said) == command


@pytest.mark.slow
def test_by_real_servers(mailworld: ModuleType, tmp_path: Path) -> None:
    """By SMTP and IMAP: STATUS, then ADDRESS and its code, then DRAW of both; each is told all of it once."""
    ann, kor = ADDRESSES.values()
    boxes = [mailworld.HOST, mailworld.UMPIRE, ann, kor, NEW.replace("kor@", "koras@")]
    there = boxes[-1]
    with mailworld.World(tmp_path / "boxes", boxes, imap=mailworld.has_imap()) as world:
        club = mailworld.Club(world, tmp_path / "host", late="hold")
        game = tmp_path / "host" / "games" / "duel"
        make("5", game, players=ADDRESSES, seed="letters")
        club.round()

        def write(sender: str, text: str, side: str = "") -> None:
            raw = bare(sender, text)
            if side:
                raw = raw.replace(b"Re: pbem", b"Re: duel TOKEN " + token_of(game, side).encode())
            world.send(sender, raw)
            for _ in range(2):
                world.now += timedelta(minutes=1)
                club.round()

        def got(reader: str, what: str) -> list[str]:
            mails = [message_from_bytes(one.raw, policy=default) for one in world.passed if one.to == reader]
            found = [f"{mail['Subject']} {words(mail)}" for mail in mails]
            return [one for one in found if what in one]

        write(kor, f"ADDRESS {there}", "klingon")
        [code] = got(there, "ADDRESS CODE")
        match = re.search(r"ADDRESS CODE (\w+)", code)
        assert match is not None and len(got(kor, "a code was sent")) == 1
        write(there, match[0])
        assert len(got(there, "a new address")) == len(got(kor, "a new address")) == 1
        write(there, "STATUS", "klingon")
        assert len(got(there, "status of the game")) == 1
        write(ann, "DRAW", "federation")
        assert len(got(there, "federation offers a draw")) == 1 and not got(kor, "offers a draw")
        write(there, "DRAW", "klingon")
        for reader in (ann, there):
            assert len(got(reader, "all who still play agreed to a draw")) == 1
