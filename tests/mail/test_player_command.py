"""`pbem host player`: a new address, a substitute, a side that others may take over; all whom it concerns are told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.games.storage.players import tenures
from pbem.mail.commands import seats as replacing
from pbem.mail.commands.seats import vacant
from pbem.mail.host import operate
from pbem.mail.people import People, Person, read_moves
from pbem.mail.seats import seats, token_of
from tests.cuts import cut_at, operations, places

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, Sink, taken_apart, words
else:
    from post_hosted import ADDRESSES, Hosted, Sink, taken_apart, words

TAL = "tal@example.org"


@pytest.fixture
def club(hosted: Hosted) -> Hosted:
    """Beside the duel one in which Tal plays against Ann."""
    other = hosted.folder / "games" / "duel02"
    shutil.copytree(hosted.game, other)
    text = (other / "game.toml").read_text("utf-8").replace('name = "duel01"', 'name = "duel02"')
    (other / "game.toml").write_text(text.replace("kor@example.org", TAL), "utf-8")
    (other / "secret" / "tokens.json").unlink(missing_ok=True)
    hosted.round()
    return hosted


def sent(hosted: Hosted, raw: bytes = b"") -> dict[str, list[str]]:
    """What goes out in the next two rounds, by reader."""
    before, found = len(hosted.sink.mails), dict[str, list[str]]()
    if raw:
        hosted.post(raw)
    for _ in range(2):
        hosted.now += timedelta(minutes=1)
        hosted.round()
    count = len(hosted.sink.mails)
    hosted.now += timedelta(minutes=1)
    assert hosted.round().put == 0 and len(hosted.sink.mails) == count, "once"
    for to, mail in hosted.sink.mails[before:]:
        message = message_from_bytes(mail, policy=default)
        found.setdefault(to, []).append(" ".join(f"{message['Subject']} {words(message)}".split()))
    return found


def player(*line: object) -> Any:
    return CliRunner().invoke(app, ["host", "player", *map(str, line)])


def test_the_first_who_sends_take_has_a_side(club: Hosted) -> None:
    assert "klingon of duel01 is offered" in player(club.game, "Klingon", "--vacant").output
    found = sent(club)
    assert set(found) == {ADDRESSES["federation"], TAL}
    assert (
        "klingon in duel01 needs a new player. We are asking the players of the club's other games"
        in found[ADDRESSES["federation"]][0]
    )
    assert "To play it, reply with the line TAKE duel01 klingon." in found[TAL][0]
    other = club.folder / "games" / "duel02"

    def tal(text: str) -> bytes:
        return club.letter("klingon", text, sender=TAL, token=token_of(other, "klingon"))

    assert "Open sides: duel01 klingon." in sent(club, tal("TAKE duel03"))[TAL][0]
    mine = club.letter("federation", "TAKE duel01 klingon")
    assert "You already play in this game." in sent(club, mine)[ADDRESSES["federation"]][0]
    found = sent(club, tal("TAKE duel01 klingon"))
    answer, first = found[TAL]
    assert "You now play klingon in duel01." in answer
    assert token_of(club.game, "klingon") in first and "duel01" in first
    assert "now plays klingon" in found[ADDRESSES["federation"]][0] and "instead of you" in found["kor@example.org"][0]
    assert "has taken over klingon in duel01 by email" in found["umpire@host.example"][0]
    assert vacant(club.game) == () and [one.addresses for one in seats(club.game)][1] == (TAL,)
    assert "You now play klingon in duel01." in sent(club, tal("TAKE duel01 klingon\n\nagain"))[TAL][0]


def test_an_offer_that_is_taken_back_and_a_substitute(club: Hosted) -> None:
    player(club.game, "klingon", "--vacant")
    assert "klingon of duel01 is not offered" in player(club.game, "klingon", "--stays").output
    assert sent(club) == {} and vacant(club.game) == ()
    player(club.game, "klingon", "--vacant")
    done = player(club.game, "klingon", "--by", "Koloth <koloth@example.org>")
    assert "klingon of duel01 is played by Koloth" in done.output and vacant(club.game) == ()
    assert set(sent(club)) == {"koloth@example.org", *ADDRESSES.values()}


def test_a_new_address_in_all_games(club: Hosted) -> None:
    done = player(club.folder, ADDRESSES["federation"], "--mail", "ann@new.example")
    assert done.exit_code == 0, done.output
    found = sent(club)
    assert "Your emails for duel01, duel02 now go to ann@new.example." in found["ann@new.example"][0]
    assert len(found["ann@new.example"]) == 3, "and the last report of both games"
    [old] = found["ann@example.org"]
    assert "as your umpire decided" in old
    (club.folder / "players.toml").write_text(
        'format = 1\n[people.tal]\nname = "Tal"\nmail = "tal@example.org"\n', encoding="utf-8"
    )
    assert player(club.folder, "Tal", "--mail", "t@new.example").exit_code == 0
    assert [one.addresses for one in seats(club.folder / "games" / "duel02")][1] == ("t@new.example",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("GAME", "klingon"), "use --mail or --away for a club"),
        (("GAME", "klingon", "--vacant", "--stays"), "use --mail or --away for a club"),
        (("CLUB", "ann", "--vacant"), "use --mail or --away for a club"),
        (("GAME", "romulan", "--vacant"), "players have federation, klingon"),
        (("CLUB", "nobody", "--mail", "x@y.example"), "'nobody' is nobody here"),
        (("CLUB", "ann@example.org", "--mail", "x"), "'x' is not a plain email address"),
        (("CLUB", "ann@example.org", "--mail", "Ann@example.org"), "already go to ann@example.org"),
    ],
)
def test_what_is_refused(club: Hosted, line: tuple[str, ...], said: str) -> None:
    where = {"GAME": club.game, "CLUB": club.folder}
    done = player(where[line[0]], *line[1:])
    assert done.exit_code == 1 and said in str(done.exception)


@pytest.mark.parametrize("in_players_toml", [True, False])
def test_a_former_address_still_says_whom_the_umpire_means(club: Hosted, in_players_toml: bool) -> None:
    if in_players_toml:
        text = 'format = 1\n[people.kor]\nmail = "kor@new.example"\nwas = ["Kor@example.org"]\n'
        (club.folder / "players.toml").write_text(text, "utf-8")
    else:
        assert player(club.folder, ADDRESSES["klingon"], "--mail", "kor@new.example").exit_code == 0
    for line in (
        ["player", str(club.folder), "kor@example.org", "--away", "3 days"],
        ["extend", str(club.folder), "2 days", "--player", "kor@example.org", "--reason", "he asked"],
        ["player", str(club.folder), "kor@example.org", "--mail", "kor@newer.example"],
        ["player", str(club.folder), "kor@example.org", "--mail", "kor@newest.example"],
    ):
        done = CliRunner().invoke(app, ["host", *line])
        assert done.exit_code == 0 and "nobody" not in done.output, (line, done.output)
    assert {seat.addresses[0] for seat in seats(club.game)} == {ADDRESSES["federation"], "kor@newest.example"}


def test_whoever_has_an_address_now_is_meant_by_it() -> None:
    tal, kor = Person(mail="kor@example.org"), Person(mail="k@x.example", name="Kor", was=("kor@example.org", TAL))
    people = People(people={"tal": tal, "kor": kor})
    assert [list(people.meant(who)) for who in ("KOR@example.org", TAL, " kor ", "k@X.example", "x", " ")] == [
        ["tal"], ["kor"], ["kor"], ["kor"], [], [],
    ]  # fmt: skip


def test_a_move_that_was_decided_and_not_told_is_told_by_the_next_round(club: Hosted) -> None:
    """The command is killed the moment it has written what is decided."""
    with cut_at(0, under=club.folder / "mail" / "outbox") as cut:
        operate.move_address(club.folder, ADDRESSES["federation"], "ann@new.example", club.now)
    assert cut.fell and told_of_move(club) == []
    assert len(sent(club)["ann@new.example"]) == 3 and len(told_of_move(club)) == 2


def told_of_move(hosted: Hosted) -> list[tuple[str, str]]:
    """Who has been told of the new address, by how each letter begins; in the outbox or sent."""
    found = []
    for path in (hosted.folder / "mail/outbox").rglob("*.eml"):
        message = message_from_bytes(path.read_bytes(), policy=default)
        if "a new address" in str(message["Subject"]):
            found.append((str(message["To"]), " ".join(words(message).split())[:22]))
    return sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["the command", "a round"])
def test_both_addresses_are_told_wherever_the_command_was_stopped(club: Hosted, tmp_path: Path, by: str) -> None:
    wanted = [(ADDRESSES["federation"], "Emails for duel01, due"), ("ann@new.example", "Your emails for duel01")]

    def move(folder: Path) -> None:
        operate.move_address(folder, ADDRESSES["federation"], "ann@new.example", club.now)

    def copy(name: str) -> Hosted:
        copied = Hosted.__new__(Hosted)
        copied.folder, copied.now, copied.sink = tmp_path / name, club.now, Sink()
        copied.true, copied.posted, copied.game = None, club.posted, tmp_path / name / "games" / "duel01"
        shutil.copytree(club.folder, copied.folder)
        return copied

    whole = copy("whole")
    done = operations(lambda: move(whole.folder), under=whole.folder)
    assert told_of_move(whole) == wanted and len(done) > 10
    for n in range(len(done)):
        one = copy(str(n))
        with cut_at(n, under=one.folder) as cut:
            move(one.folder)
        assert cut.fell
        decided = n > done.index("COMMIT mail/club.db")
        if by == "the command":
            move_again(one, move)
        else:
            one.round()
            one.round()
        assert told_of_move(one) == (wanted if decided or by == "the command" else []), f"{n}: {done[n]}"
        assert not [move for move in read_moves(one.folder / "mail") if move.untold]
        one.now += timedelta(minutes=1)
        one.round()
        reports = [to for to, mail in one.sink.mails if to == "ann@new.example" and b"SITREP" in mail]
        assert len(reports) == (2 if decided or by == "the command" else 0), "the last report of both games"


def move_again(one: Hosted, move: Callable[[Path], None]) -> None:
    """The command is repeated; where all was done already but that it said so, it is refused."""
    with suppress(GameError):
        move(one.folder)


KOLOTH = "koloth@example.org"


@pytest.mark.slow
@pytest.mark.parametrize("round_between", [False, True])
def test_a_change_of_player_that_was_stopped_is_carried_out_and_told_once(
    hosted: Hosted, tmp_path: Path, round_between: bool
) -> None:
    hosted.round()

    def replace(one: Hosted) -> None:
        with opened(one.game, lock="test") as game:
            replacing.replace(game, "klingon", f"Koloth <{KOLOTH}>", one.now)

    def copy(name: str) -> Hosted:
        copied = Hosted.__new__(Hosted)
        copied.folder, copied.now, copied.sink = tmp_path / name, hosted.now + timedelta(minutes=5), Sink()
        copied.true, copied.posted, copied.game = None, 0, tmp_path / name / "games" / "duel01"
        shutil.copytree(hosted.folder, copied.folder)
        return copied

    def told(one: Hosted) -> list[tuple[str, str]]:
        """Who was told what in the next rounds."""
        for _ in range(3):
            one.round()
        return sorted((to, str(mail["Subject"]).partition(" TOKEN")[0]) for to, mail in mails(one))

    whole = copy("whole")
    done = operations(lambda: replace(whole), under=whole.game)
    wanted = told(whole)
    assert {to for to, _ in wanted} == {KOLOTH, *ADDRESSES.values()} and len(wanted) == 3
    for n in places(len(done)):
        one = copy(str(n))
        with cut_at(n, under=one.game) as cut:
            replace(one)
        assert cut.fell
        if round_between:
            one.round()
        replace(one)
        where = f"{n} of {len(done)}: {done[n]}"
        assert told(one) == wanted, where
        assert len(tenures(one.game)) == 1 and not (one.game / "secret" / replacing.FILE).exists(), where
        assert [
            mail for to, mail in mails(one) if to == KOLOTH and token_of(one.game, "klingon") in str(mail["Subject"])
        ]


def test_who_is_stopped_while_he_replaces_a_player_is_gone_on_from_by_the_next_round(hosted: Hosted) -> None:
    hosted.round()
    hosted.now += timedelta(minutes=5)
    with cut_at(0, under=hosted.game / "secret" / "tenures.json") as cut, opened(hosted.game, lock="test") as game:
        replacing.replace(game, "klingon", f"Koloth <{KOLOTH}>", hosted.now)
    assert cut.fell and tenures(hosted.game) == []
    found = sent(hosted)
    assert set(found) == {KOLOTH, *ADDRESSES.values()} and all(len(one) == 1 for one in found.values())


def mails(hosted: Hosted) -> list[tuple[str, EmailMessage]]:
    return [(to, taken_apart(mail)) for to, mail in hosted.sink.mails]
