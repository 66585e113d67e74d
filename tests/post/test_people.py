"""players.toml: a person, written once for all games of a club; games that name addresses go on as they did."""

from __future__ import annotations

from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.faults import GameError
from pbem.post.people import read_people
from pbem.post.who import seats, token_of

if TYPE_CHECKING:
    from tests.post.hosted import ADDRESSES, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, words

KOR = '[people.kor]\nname = "Kor"\nmail = "kor@new.example"\nwrites = ["kor@work.example"]\nwas = ["kor@example.org"]\n'


def people(hosted: Hosted, text: str) -> None:
    (hosted.folder / "players.toml").write_text(f"format = 1\n{text}", encoding="utf-8")


def test_a_new_address_is_written_once_and_the_game_goes_on_there(hosted: Hosted) -> None:
    hosted.round()
    token, before = token_of(hosted.game, "klingon"), (hosted.game / "game.toml").read_bytes()
    people(hosted, KOR)
    hosted.now = hosted.now.replace(second=1)
    hosted.round()
    [first] = [mail for to, mail in hosted.sink.mails if to == "kor@new.example"]
    assert b"To: Kor <kor@new.example>" in first and token.encode() in first, "his invitation, with the last sitrep"
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon")))  # from where he no longer writes
    hosted.round()
    assert hosted.scripted("klingon")
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon"), sender="kor@work.example"))
    hosted.round()
    assert not hosted.scripted("klingon")
    assert [to for to, _ in hosted.sink.mails][-1] == "kor@work.example", "he is answered where he wrote from"
    assert (hosted.game / "game.toml").read_bytes() == before
    sent = len(hosted.sink.mails)
    hosted.round()
    assert len(hosted.sink.mails) == sent


def test_two_at_one_address_know_whose_mail_it_is(hosted: Hosted) -> None:
    family = "family@home.example"
    for key in ("ann", "kor"):
        text = (hosted.folder / "players.toml").read_text("utf-8").partition("\n")[2] if key == "kor" else ""
        people(
            hosted, f'{text}[people.{key}]\nname = "{key.title()}"\nmail = "{family}"\nwas = ["{key}@example.org"]\n'
        )
    hosted.round()
    mails = [message_from_bytes(mail, policy=default) for to, mail in hosted.sink.mails if to == family]
    told = {(str(mail["To"]), str(mail["Subject"]).partition(" TOKEN")[0].rpartition(" ")[2]) for mail in mails}
    assert told == {(f"Kor <{family}>", "(klingon)"), (f"Ann <{family}>", "(federation)")}
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon"), sender=family))
    hosted.round()
    receipt = message_from_bytes(hosted.sink.mails[-1][1], policy=default)
    assert (receipt["To"], "(klingon) TOKEN" in receipt["Subject"]) == (f"Kor <{family}>", True)
    assert not hosted.scripted("klingon") and hosted.scripted("federation")


def test_who_is_away_by_the_club_s_file(hosted: Hosted) -> None:
    hosted.round()
    people(hosted, '[people.kor]\nmail = "kor@example.org"\naway = ["2027-03-02 to 2027-03-09"]\n')
    hosted.now = hosted.now.replace(second=1)
    hosted.round()
    for side in ADDRESSES:
        assert "klingon is away on 2027-03-02 to 2027-03-09" in " ".join(words(hosted.sent_to(side)[-1]).split())
    answer(hosted, *ADDRESSES)
    hosted.round()
    assert not any(seat.name for seat in seats(hosted.game))


def test_whom_a_game_means(tmp_path: Path) -> None:
    (tmp_path / "players.toml").write_text(
        f'format = 1\n{KOR}[people.mara]\nname = "Mara"\nmail = "kor@new.example"\n', encoding="utf-8"
    )
    found = read_people(tmp_path)
    kor, mara = found.people["kor"], found.people["mara"]
    for player, person in {
        "kor": kor, "KOR@example.org": kor, "Somebody <kor@work.example>": kor, "Mara <kor@new.example>": mara,
        "kor@new.example": None, "Nobody <kor@new.example>": None, "robot": None, "x@y.example": None,
    }.items():  # fmt: skip
        assert found.find(player) is person, player
    assert read_people(tmp_path / "none").people == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[people.Kor]\nmail = "kor@x.example"\n', "a key is of small letters"),
        ('[people.kor]\nmail = "Kor <kor@x.example>"\n', "no bare mail address"),
        ('[people.kor]\nmail = "kor@x.example"\naway = ["soon"]\n', "are no days"),
        ('[people.kor]\nmail = "kor@x.example"\nname = "K <or>"\n', "no name in a mail"),
        ('[people.kor]\nmial = "kor@x.example"\n', "mial"),
        ("[people", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_meant_is_told_and_keeps_nobody_s_letters(hosted: Hosted, text: str, said: str) -> None:
    hosted.round()
    people(hosted, text)
    with pytest.raises(GameError, match=said):
        read_people(hosted.folder)
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon")))
    with pytest.raises(GameError, match=said):
        hosted.round()
    people(hosted, "")
    hosted.round()
    assert not hosted.scripted("klingon"), "his letter waited in the inbox"
