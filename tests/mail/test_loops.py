"""Machines that answer machines: auto-responders, bounces and other hosts, over a real SMTP server. No loop lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.games.create import new
from pbem.mail.incoming.intake import MOST_EMPTY, MOST_SAME

if TYPE_CHECKING:
    from tests.mail.world import Club, Passed, World

pytestmark = pytest.mark.slow

ANN, KOR = "ann@example.org", "kor@example.org"
OTHER_HOST = "moderator@other.example"
PATIENCE = 40
"""Rounds after which a loop is taken for endless."""


@pytest.fixture
def world(mailworld: ModuleType, tmp_path: Path) -> Iterator[World]:
    people = [mailworld.HOST, mailworld.UMPIRE, ANN, KOR, OTHER_HOST]
    with mailworld.World(tmp_path / "boxes", people, imap=False) as world:
        yield world


@pytest.fixture
def club(mailworld: ModuleType, world: World, tmp_path: Path) -> Club:
    club: Club = mailworld.Club(world, tmp_path / "host")
    new("5", club.folder / "games" / "duel", players={"federation": ANN, "klingon": KOR}, seed="loops")
    return club


def machine(text: Callable[[EmailMessage], str], headers: dict[str, str] | None = None) -> Callable[[Passed], bytes]:
    """Something at Ann's address that answers every mail; each answer is a letter of its own."""
    count = 0

    def answer(one: Passed) -> bytes:
        nonlocal count
        count += 1
        mail = message_from_bytes(one.raw, policy=default)
        assert isinstance(mail, EmailMessage)
        letter = EmailMessage(policy=SMTP)
        letter["From"] = one.to
        letter["To"] = one.sender
        letter["Subject"] = f"Re: {mail['Subject']}"
        letter["Message-ID"] = f"<machine.{count}@example.org>"
        letter["In-Reply-To"] = str(mail["Message-ID"])
        for name, value in (headers or {}).items():
            letter[name] = value
        letter.set_content(text(mail))
        return bytes(letter)

    return answer


def answers_until_silence(world: World, club: Club, address: str = ANN) -> int:
    """How many mails the host sent to an address until nothing moves any more."""
    for _ in range(PATIENCE):
        done = club.round()
        if not world.machines() and not done.letters and not done.put:
            return sum(one.to == address for one in world.passed)
    raise AssertionError("they write to one another for ever")


FIRST = 1
"""The first mail: invitation and sitrep in one."""


@pytest.mark.parametrize(
    "headers", [{"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"X-Autoreply": "yes"}]
)
def test_who_says_that_he_is_a_machine_is_never_answered(world: World, club: Club, headers: dict[str, str]) -> None:
    world.answering[ANN] = machine(lambda mail: "I am on holiday.", headers)
    assert answers_until_silence(world, club) == FIRST


def test_who_does_not_say_so_is_answered_a_few_times(world: World, club: Club, mailworld: ModuleType) -> None:
    world.answering[ANN] = machine(lambda mail: "I am on holiday.")
    assert answers_until_silence(world, club) == FIRST + MOST_EMPTY
    answers = [message_from_bytes(one.raw, policy=default) for one in world.passed if one.to == ANN][FIRST:]
    told = ["We will not answer any more of them" in " ".join(mailworld.words(one).split()) for one in answers]
    assert told == [False, False, True], "a person is told with the last answer that it is the last"


def test_who_sends_everything_back_stops_too(world: World, club: Club, mailworld: ModuleType) -> None:
    world.answering[ANN] = machine(mailworld.words)
    assert answers_until_silence(world, club) <= FIRST + 2 * MOST_EMPTY
    world.answering[ANN] = machine(lambda mail: "".join(f"> {line}\n" for line in mailworld.words(mail).split("\n")))
    answers_until_silence(world, club)


@pytest.mark.parametrize(
    "text",
    [
        "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Enterprise\nENERGY\n  SPEED 99\nEND\n",  # faults, for ever
        "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 9\nEND\n",  # a receipt each
        "HELP",
    ],
)
def test_who_says_the_same_for_ever_is_heard_out_a_dozen_times(world: World, club: Club, text: str) -> None:
    world.answering[ANN] = machine(lambda mail: text)
    assert answers_until_silence(world, club) == FIRST + MOST_SAME


def test_a_bounce_is_told_to_the_umpire_and_answered_to_nobody(world: World, club: Club, mailworld: ModuleType) -> None:
    def bounce(one: Passed) -> bytes:
        return (
            (
                f"From: MAILER-DAEMON@mx.example\r\nTo: {one.sender}\r\nSubject: Undelivered mail\r\n"
                f"Message-ID: <{len(world.passed)}@mx.example>\r\nX-Failed-Recipients: {ANN}\r\n\r\nNo such user.\r\n"
            )
            .replace("From: MAILER-DAEMON@mx.example", "From: MAILER-DAEMON@mx.example")
            .encode()
        )

    world.answering[ANN] = bounce
    assert answers_until_silence(world, club) == FIRST
    (told,) = world.fetch(mailworld.UMPIRE)
    assert f"an email to {ANN} (federation in duel) came back" in " ".join(mailworld.words(told).split())
    assert not [one for one in world.passed if one.to.startswith("MAILER")]


def test_two_hosts_do_not_talk_to_one_another(world: World, mailworld: ModuleType, tmp_path: Path) -> None:
    clubs = []
    for name, orders, other in (("one", mailworld.HOST, OTHER_HOST), ("two", OTHER_HOST, mailworld.HOST)):
        club = mailworld.Club(world, tmp_path / name, orders=orders, umpire=other)
        new("5", club.folder / "games" / "duel", players={"federation": other, "klingon": KOR}, seed="loops")
        clubs.append(club)
    for _ in range(PATIENCE):
        if not any(done.put or done.letters for done in [club.round() for club in clubs]):
            break
    else:
        raise AssertionError("they write to one another for ever")
    assert sum(one.to == OTHER_HOST for one in world.passed) == FIRST
    assert sum(one.to == mailworld.HOST for one in world.passed) == FIRST


def test_bad_letters_are_survived_by_the_host(world: World, club: Club, mailworld: ModuleType) -> None:
    club.round()
    head = f"From: {KOR}\r\nTo: {mailworld.HOST}\r\nSubject: orders\r\n"
    for number, raw in enumerate(
        (
            head + "\r\n" + ("x" * 76 + "\r\n") * 140_000,  # ten megabytes
            head + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + "--b\r\n\r\nSHIP\r\n" * 1000 + "--b--\r\n",
            head + "".join(f'Content-Type: multipart/mixed; boundary="{n}"\r\n\r\n--{n}\r\n' for n in range(200)),
            head + "Content-Type: text/plain; charset=klingon\r\n\r\nGAME duel\r\n",
            f"From: {KOR}\r\nSubject: =?utf-8?q?x=0D=0ABcc:_eve@elsewhere.example?=\r\n\r\nHELP\r\n",
        )
    ):
        world.send(KOR, f"Message-ID: <bad.{number}@example.org>\r\n{raw}".encode())
    done = club.round()
    assert len(done.letters) == 5 and not done.troubles
    (told,) = world.fetch(mailworld.UMPIRE)
    assert "put aside" in str(told["Subject"])
    assert not any("Bcc" in one.raw.decode("utf-8", "replace").partition("\r\n\r\n")[0] for one in world.passed[:4])
    assert not club.round().letters
