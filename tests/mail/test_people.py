"""players.toml: a person, written once for all games of a club; games that name addresses go on as they did."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.create import shipped_games
from pbem.games.proof.archive import contents, packed
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.site import game_files
from pbem.games.storage.opening import opened
from pbem.games.storage.players import note_names, played_by
from pbem.games.storage.publish import reports_folder, view_of
from pbem.mail.commands.seats import replace
from pbem.mail.commands.time import read_absences
from pbem.mail.host.clocks import read_clock
from pbem.mail.host.doctor import examine
from pbem.mail.host.operate import invite
from pbem.mail.people import read_people
from pbem.mail.seats import seats, token_of
from pbem.mail.umpires import umpire_of
from pbem.reports.text.sitrep import sitrep_text
from tests.proof import by_the_page

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, words
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


def test_of_two_at_one_address_only_who_wrote_is_away(hosted: Hosted) -> None:
    hosted.round()
    both = "".join(
        f'[people.{key}]\nname = "{key.title()}"\nmail = "family@home.example"\nwas = ["{key}@example.org"]\n'
        for key in ("ann", "kor")
    )
    people(hosted, both)
    hosted.now = hosted.now.replace(second=1)
    hosted.round()
    hosted.post(hosted.letter("klingon", "AWAY 2027-03-02 to 2027-03-09", sender="family@home.example"))
    hosted.round()
    [told] = read_absences(hosted.folder / "mail")
    assert (told.who, told.person) == ("family@home.example", "kor")
    assert [one.side for one in read_clock(hosted.game).away] == ["klingon"]


def test_a_mistake_in_the_file_is_mailed_to_the_umpire_once_a_day(hosted: Hosted) -> None:
    hosted.round()
    outbox = hosted.folder / "mail" / "outbox"
    waits = next((outbox / "sent").glob("*.eml"))
    waits = waits.rename(outbox / "waiting" / waits.name)  # as if it had not gone yet
    people(hosted, '[people.kor]\nmail = "kor at example.org"\n')
    for hours, told in ((0, 1), (1, 1), (25, 2)):
        hosted.now += timedelta(hours=hours)
        with pytest.raises(GameError, match="not a plain email address"):
            hosted.round()
        mails = hosted.sent_to("umpire")
        assert len(mails) == told and "players.toml has a mistake" in mails[-1]["Subject"]
        assert waits.is_file(), "nothing else is sent meanwhile"
    assert "people.kor: 'kor at example.org' is not a plain email address" in " ".join(words(mails[-1]).split())


def test_who_is_the_umpire_of_a_game(hosted: Hosted) -> None:
    people(hosted, '[people.tal]\nname = "Tal"\nmail = "tal@example.org"\numpires = ["duel01"]\n')
    found = umpire_of(hosted.folder, hosted.game, "umpire@host.example")
    assert (found.to, found.addresses) == ("Tal <tal@example.org>", ("tal@example.org",))
    assert umpire_of(hosted.folder, hosted.game.with_name("other"), "u@host.example", ()).to == "u@host.example"
    (hosted.game / "post.toml").write_text('format = 1\numpire = "eve@example.org"\n', encoding="utf-8")
    assert umpire_of(hosted.folder, hosted.game, "").to == "eve@example.org"
    people(hosted, "".join(f'[people.{key}]\nmail = "{key}@x.example"\numpires = ["duel01"]\n' for key in ("a", "b")))
    with pytest.raises(GameError, match="duel01 has 2 umpires"):
        read_people(hosted.folder)


def test_who_is_away_by_the_club_s_file(hosted: Hosted) -> None:
    hosted.round()
    people(hosted, '[people.kor]\nmail = "kor@example.org"\naway = ["2027-03-02 to 2027-03-09"]\n')
    hosted.now = hosted.now.replace(second=1)
    hosted.round()
    for side in ADDRESSES:
        who = "You are" if side == "klingon" else "klingon is"
        assert f"{who} away from 2027-03-02 to 2027-03-09" in " ".join(words(hosted.sent_to(side)[-1]).split())
    answer(hosted, *ADDRESSES)
    hosted.round()
    assert not any(seat.name for seat in seats(hosted.game))


def test_whom_a_game_means(tmp_path: Path) -> None:
    (tmp_path / "players.toml").write_text(
        f'format = 1\n{KOR}[people.mara]\nname = "Mara"\nmail = "kor@new.example"\n'
        '[people.nameless]\nmail = "nameless@new.example"\n',
        encoding="utf-8",
    )
    found = read_people(tmp_path)
    kor, mara = found.people["kor"], found.people["mara"]
    for player, person in {
        "kor": kor, "KOR@example.org": kor, "Somebody <kor@work.example>": kor, "Mara <kor@new.example>": mara,
        "kor@new.example": None, "Nobody <kor@new.example>": None, "robot": None, "x@y.example": None,
        "": None,
    }.items():  # fmt: skip
        assert found.find(player) is person, player
    assert read_people(tmp_path / "none").people == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[people.Kor]\nmail = "kor@x.example"\n', "a key is of small letters"),
        ('[people.kor]\nmail = "Kor <kor@x.example>"\n', "not a plain email address"),
        ('[people.kor]\nmail = "kor@x.example"\naway = ["soon"]\n', "is not like"),
        ('[people.kor]\nmail = "kor@x.example"\nname = "K <or>"\n', "a name in an email cannot have"),
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


def test_the_doctor_knows_people_by_their_keys(hosted: Hosted) -> None:
    def told() -> dict[str, tuple[bool, str]]:
        return {one.what: (one.right, one.said) for one in examine(hosted.folder)}

    file = hosted.game / "game.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("kor@example.org", "kor"), encoding="utf-8")
    assert "there is no address for klingon" in told()["game duel01"][1]
    people(hosted, '[people.kor]\nmail = "kor@example.org"\n')
    assert told()["game duel01"][0]
    people(hosted, '[people.kor]\nmail = "kor"\n')
    assert not told()["people"][0] and "people.kor" in told()["people"][1]


def test_who_plays_is_told_by_name_and_never_by_address(tmp_path: Path) -> None:
    """Reports, site, status and proof page, a change of player too; whoever is not in the file is called as ever."""
    club = tmp_path / "club"
    (club / "games").mkdir(parents=True)
    (club / "host.toml").write_text('format = 1\norders = "orders@club.example"\n', encoding="utf-8")
    ann, ben = '[people.anna]\nname = "Anna Lee"\nmail = "ann@x.example"\n', '[people.ben]\nmail = "ben@x.example"\n'
    (club / "players.toml").write_text(f'format = 1\n{ann}{ben}name = "Ben Day"\n', encoding="utf-8")
    duel = club / "games" / "duel"
    sides = ["--player", "federation=anna lee", "--player", "klingon=Kor <kor@x.example>"]
    made = CliRunner().invoke(app, ["new", "5", str(duel), *sides, "--seed", "names"])
    assert made.exit_code == 0, made.output
    assert [seat.addresses for seat in seats(duel) if seat.side == "federation"] == [("ann@x.example",)]
    with opened(duel, lock="test") as game:
        report = (reports_folder(game) / "klingon" / "sitrep.txt").read_text("utf-8")
        assert "federation: Anna Lee\n" in report and "klingon: Kor <kor@x.example>" in report
        now = datetime(2027, 3, 5, 12, tzinfo=UTC)
        replace(game, "federation", "ben", now)
        report = (reports_folder(game) / "klingon" / "sitrep.txt").read_text("utf-8")
        assert "Ben Day since turn 1, 2027-03-05; before, Anna Lee" in " ".join(report.split())
        assert played_by(duel, game.terms)["federation"] == "Ben Day since turn 1, 2027-03-05; before, Anna Lee"
        files = game_files(game)
    assert not any(b"@x.example" in data for data in files.values())
    assert "Ben Day since turn 1, 2027-03-05; before, Anna Lee" in files["index.html"].decode()
    assert "Ben Day" in CliRunner().invoke(app, ["status", str(duel)]).output
    # Who has left the club has still played.
    (club / "players.toml").unlink()
    with opened(duel) as game:
        assert "Anna Lee" in " ".join(sitrep_text(view_of(game, "klingon")).split())


@pytest.mark.slow
def test_the_proof_page_says_who_played(tmp_path: Path) -> None:
    folder = tmp_path / "duel01"
    shutil.copytree(next(one for one in shipped_games() if one.name == "duel01"), folder)
    with opened(folder) as game:
        before = contents(game)
    with opened(folder, lock="test") as game:
        seat = game.terms.sides["klingon"].player
        note_names(folder, {seat: "Kor the Great"})
        named = contents(game)
    assert "klingon: Kor the Great" in named["proof.html"].decode()
    assert {name for name in named if named[name] != before[name]} == {"proof.html", "proof.json"}
    packed_as = tmp_path / "named.zip"
    packed_as.write_bytes(packed(named))
    assert not verify_archive(packed_as).faults and by_the_page.faults(packed_as, []) == []
    seen = json.loads(named["proof.json"])
    named["proof.json"] = named["proof.json"].replace(b"Kor the Great", b"kor@x.example")
    packed_as.write_bytes(packed(named))
    assert seen["played_by"] == {"klingon": "Kor the Great"}
    assert any("address of a player" in fault.text for fault in verify_archive(packed_as).faults)
    assert by_the_page.faults(packed_as, [])


def test_an_invitation_knows_who_was_named_since_the_game_was_made(hosted: Hosted) -> None:
    people(hosted, KOR)
    with opened(hosted.game) as game:
        assert played_by(hosted.game, game.terms) == {}
    invite(hosted.game, hosted.now)
    with opened(hosted.game) as game:
        assert played_by(hosted.game, game.terms) == {"klingon": "Kor"}


def test_a_side_is_given_to_somebody_by_his_key_or_name(hosted: Hosted) -> None:
    people(hosted, KOR)
    with opened(hosted.game, lock="test") as game, pytest.raises(GameError, match="nor a person in players"):
        replace(game, "klingon", "mara", hosted.now)
    with opened(hosted.game, lock="test") as game:
        replace(game, "klingon", "Kor", hosted.now)
    assert [seat.addresses[0] for seat in seats(hosted.game) if seat.side == "klingon"] == ["kor@new.example"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'format = 1\n[people.j\xf6rg]\nmail = "j@x.example"\n', "this file is not UTF-8 text"),
        (b'[people.kor]\nmail = "kor@x.example"\n', "add the line `format = 1`"),
        (b'format = 1\n[people.robot]\nmail = "r@x.example"\n', "people.robot: this word means "),
        (b'format = 1\n[people.a]\nmail = "a@x.example"\numpires = ["g", "g"]\n[people.b]\nmail = "b@x.example"\n'
         b'umpires = ["g"]\n', "g has 2 umpires; a game has one"),
    ],
)  # fmt: skip
def test_what_players_toml_cannot_be(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "players.toml").write_bytes(data)
    with pytest.raises(GameError, match=re.escape(said)):
        read_people(tmp_path)
