"""Letters by which players end their game: DRAW and RESIGN."""

from __future__ import annotations

import shutil
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.files import keep
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.mail.commands import endings
from pbem.mail.commands.endings import Endings, read_endings
from pbem.mail.incoming.extract import command_in
from pbem.mail.replies.announce import Thread, draw_offered
from pbem.mail.seats import Games, Seat
from tests.cuts import cut_at, operations

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, subjects, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, subjects, words


@pytest.fixture
def begun(hosted: Hosted) -> Hosted:
    hosted.round()
    return hosted


def write(hosted: Hosted, side: str, text: str) -> dict[str, list[str]]:
    """A letter, and all that is sent for it: nothing of it comes twice."""
    before = {one: len(hosted.sent_to(one)) for one in ADDRESSES}
    hosted.post(hosted.letter(side, text))
    hosted.round()
    assert hosted.round().put == 0, "once"
    found = {one: hosted.sent_to(one)[count:] for one, count in before.items()}
    return {
        one: [" ".join(f"{subjects([mail])[0]} {words(mail)}".split()) for mail in mails]
        for one, mails in found.items()
    }


def outcome(hosted: Hosted) -> list[tuple[str, str, str]]:
    with opened(hosted.game) as game:
        return [(one.side, one.result, one.why) for one in game.state().outcome]


def test_a_draw_counts_when_every_side_has_sent_it(begun: Hosted) -> None:
    letters = write(begun, "klingon", "DRAW")
    [mine], [theirs] = letters["klingon"], letters["federation"]
    assert "The game ends in a draw when federation also sends DRAW." in mine and "Wed 3 Mar 2027" in mine
    assert theirs.startswith("duel01: klingon offers a draw klingon offers a draw in duel01.")
    assert not begun.over() and begun.scripted("klingon"), "no letter is an order"
    letters = write(begun, "klingon", "DRAW")
    assert (len(letters["klingon"]), letters["federation"]) == (1, []), "the others are told once a turn"
    letters = write(begun, "federation", "DRAW")
    assert "All remaining players have sent DRAW" in letters["federation"][0]
    for found in (letters["klingon"], letters["federation"][1:]):
        [report] = found
        assert "draw" in report and endings.AGREED in report
    assert outcome(begun) == [(side, "draw", f"by ruling of the umpire: {endings.AGREED}") for side in ADDRESSES]
    assert read_endings(begun.game) == Endings()
    with opened(begun.game) as game:
        assert not verify(game).faults
    letters = write(begun, "klingon", "DRAW")
    assert "The game is over. Nothing was changed." in letters["klingon"][0]


def test_a_draw_may_be_taken_back(begun: Hosted) -> None:
    write(begun, "klingon", "DRAW")
    assert "You no longer agree" in write(begun, "klingon", "DRAW OFF")["klingon"][0]
    write(begun, "federation", "DRAW")
    assert not begun.over() and read_endings(begun.game).draw == ("federation",)
    answer(begun, "klingon", "federation")
    begun.round()
    assert not begun.over()


def test_giving_up_takes_two_letters_and_the_games_name(begun: Hosted) -> None:
    for said in ("RESIGN", "RESIGN duel01", "RESIGN other YES", "RESIGN yes"):
        letters = write(begun, "klingon", said)
        assert letters["federation"] == [], said
        [mine] = letters["klingon"]
        assert "Nothing has been done yet." in mine and "| RESIGN duel01 YES" in mine
        assert "If you do, the game ends: federation: victory klingon: defeat" in mine
        assert not begun.over() and read_endings(begun.game) == Endings()
    letters = write(begun, "klingon", "Resign duel01 yes")
    assert "You have given up klingon in duel01" in letters["klingon"][0]
    [theirs] = letters["federation"]
    assert "klingon gives up" in theirs
    assert {side: result for side, result, _ in outcome(begun)}["klingon"] == "defeat"
    with opened(begun.game) as game:
        assert not verify(game).faults


@pytest.mark.parametrize("word", ["draw", "resign"])
def test_a_club_may_leave_the_end_to_its_umpire(begun: Hosted, word: str) -> None:
    host = begun.folder / "host.toml"
    host.write_text(f"{host.read_text('utf-8')}[letters]\n{word} = false\n", "utf-8")
    letters = write(begun, "klingon", {"draw": "DRAW", "resign": "RESIGN duel01 YES"}[word])
    assert "only the umpire can end a game" in letters["klingon"][0] and letters["federation"] == []
    assert read_endings(begun.game) == Endings()


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Draw!", ("DRAW", "")),
        ("draw off", ("DRAW", "OFF")),
        ("Draw the shades, please", None),
        ("Drawing", None),
        ("Resign", ("RESIGN", "")),
        ("RESIGN duel-01 yes", ("RESIGN", "DUEL-01 YES")),
        ("Resign duel01 no", None),
        ("Resign? Never, my friend", None),
    ],
)
def test_which_words_are_such_a_letter(said: str, command: Any) -> None:
    assert command_in(said, "") == command_in("", said) == command


def test_among_three_who_gives_up_leaves_and_the_others_fight_on(tmp_path: Path) -> None:
    path = tmp_path / "triangle"
    people = {side: f"{side}@example.org" for side in ("federation", "klingon", "romulan")}
    new(str(Path(__file__).with_name("triangle.toml")), path, players=people, seed="three")

    def ask(**fields: tuple[str, ...]) -> bool:
        with opened(path, lock="test") as game:
            keep(path / "mail" / endings.FILE, Endings(**fields))
            return endings.settle(game)

    assert not ask(draw=("federation", "klingon"))
    assert not ask(resign=("klingon",)) and not ask(resign=("klingon",)), "filed once"
    with opened(path, lock="test") as game:
        assert [one.read_text().split("\n")[1] for one in path.glob("01/orders/*")] == ["CONCEDE"]
        for side, ship, energy in (("federation", "Constellation", "SPEED 9"), ("romulan", "Hawk", "SPEED 10")):
            submit(
                game, f"GAME triangle TURN 1 SIDE {side} REPLY 1 FORM EAF\nSHIP {ship}\nENERGY\n {energy}\nEND\n", ""
            )
        resolve_game(game)
        assert endings.left(game.state()) == ("federation", "romulan") and not game.state().over
    assert ask(draw=("federation", "romulan"), resign=("klingon",))
    with opened(path) as game:
        found = {one.side: one.result for one in game.state().outcome}
    assert found == {"federation": "draw", "klingon": "defeat", "romulan": "draw"}


@pytest.mark.parametrize("allied", [False, True])
def test_where_all_others_give_up_the_game_ends_at_once(tmp_path: Path, allied: bool) -> None:
    """Neither of them ends it alone: the third fights the other one, or the other one fights on for his team."""
    text = Path(__file__).with_name("triangle.toml").read_text(encoding="utf-8")
    text = text.replace('team = "romulan"', 'team = "klingon"') if allied else text
    (tmp_path / "three.toml").write_text(text, encoding="utf-8")
    path = tmp_path / "three"
    people = {side: f"{side}@example.org" for side in ("federation", "klingon", "romulan")}
    new(str(tmp_path / "three.toml"), path, players=people, seed="three")
    with opened(path, lock="test") as game:
        assert not endings.without(game, "klingon") and not endings.without(game, "romulan")
        keep(path / "mail" / endings.FILE, Endings(resign=("klingon", "romulan")))
        assert endings.settle(game)
        found = [(one.side, one.result, one.why) for one in game.state().outcome]
        why = "by ruling of the umpire: klingon and romulan give up"
        assert found == [("federation", "victory", why), ("klingon", "defeat", why), ("romulan", "defeat", why)]
        assert not verify(game).faults


def test_who_has_given_up_is_not_waited_for_by_those_who_agree_to_a_draw(tmp_path: Path) -> None:
    path = tmp_path / "triangle"
    people = {side: f"{side}@example.org" for side in ("federation", "klingon", "romulan")}
    new(str(Path(__file__).with_name("triangle.toml")), path, players=people, seed="three")
    with opened(path, lock="test") as game:
        keep(path / "mail" / endings.FILE, Endings(draw=("federation", "romulan"), resign=("klingon",)))
        assert endings.settle(game)
        found = {one.side: one.result for one in game.state().outcome}
    assert found == {"federation": "draw", "klingon": "defeat", "romulan": "draw"}


def test_a_draw_offered_to_who_gives_up_takes_no_victory(begun: Hosted) -> None:
    """The other had offered one before: the game is won all the same."""
    write(begun, "federation", "DRAW")
    write(begun, "klingon", "RESIGN duel01 YES")
    assert {side: result for side, result, _ in outcome(begun)} == {"federation": "victory", "klingon": "defeat"}


@pytest.mark.parametrize(("how", "robot", "result"), [
    ("destroyed", False, "defeat"), ("disengaged", False, "draw"), ("", True, "draw"),
])  # fmt: skip
def test_an_agreed_draw_is_one_for_who_disengaged_and_for_robots(
    tmp_path: Path, how: str, robot: bool, result: str
) -> None:
    path = tmp_path / "triangle"
    people = {
        "federation": "ann@x.example",
        "klingon": "kor@x.example",
        "romulan": "robot" if robot else "tal@x.example",
    }
    new(str(Path(__file__).with_name("triangle.toml")), path, players=people, seed="three")
    with opened(path, lock="test") as game:
        if how:
            override(game, Decree(reason="it is gone", changes=(f"Hawk gone = {how}",)))
        keep(path / "mail" / endings.FILE, Endings(draw=("federation", "klingon")))
        assert endings.settle(game)
        found = {one.side: one.result for one in game.state().outcome}
    assert found == {"federation": "draw", "klingon": "draw", "romulan": result}


def test_who_gave_up_and_is_gone_already_takes_nobody_with_him(tmp_path: Path) -> None:
    """His ship was lost before his letter was acted upon; the robot who would go with him fights on."""
    text = Path(__file__).with_name("triangle.toml").read_text(encoding="utf-8")
    (tmp_path / "allies.toml").write_text(text.replace('team = "romulan"', 'team = "klingon"'), encoding="utf-8")
    path = tmp_path / "allies"
    people = {"federation": "ann@x.example", "klingon": "kor@x.example", "romulan": "robot"}
    new(str(tmp_path / "allies.toml"), path, players=people, seed="allies")
    with opened(path, lock="test") as game:
        assert endings.without(game, "klingon")
        override(game, Decree(reason="it was lost", changes=("Destruction gone = destroyed",)))
        keep(path / "mail" / endings.FILE, Endings(resign=("klingon",)))
        assert not endings.settle(game) and not game.state().over


@pytest.mark.parametrize("agreed", [("federation",), ("klingon", "romulan")])
def test_only_who_has_not_agreed_to_a_draw_is_told_how(tmp_path: Path, agreed: tuple[str, ...]) -> None:
    sides = ("federation", "klingon", "romulan")
    for side in sides:
        seat = Seat(game="triangle", folder=tmp_path, side=side, addresses=(f"{side}@x.example",), token="t" * 14)
        to = Thread(Games(seats=(seat,), post=tmp_path), seat, "<root@x>", "c")
        letter = draw_offered(to, agreed[-1], [one for one in sides if one not in agreed], 3)
        assert ("reply with the line DRAW" in letter.text) == (side not in agreed), side


def test_what_is_written_down_and_damaged_is_told(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / endings.FILE).write_bytes(b"{")
    with pytest.raises(Exception, match="what the players agreed on is damaged"):
        read_endings(tmp_path)


@pytest.mark.slow
def test_wherever_a_round_is_cut_the_game_ends_once_and_all_are_told_once(tmp_path: Path) -> None:
    start = Hosted(tmp_path / "start")
    start.round()
    start.now += timedelta(minutes=1)
    for side in ADDRESSES:
        start.post(start.letter(side, "DRAW"))

    def copy(name: str) -> Hosted:
        found = Hosted(tmp_path / name)
        shutil.rmtree(found.folder)
        shutil.copytree(start.folder, found.folder)
        found.now, found.posted = start.now, start.posted
        return found

    def sent(hosted: Hosted) -> dict[str, tuple[str, str]]:
        """By Message-ID: after a stop a mail may go twice, and is the same."""
        mails = [(to, message_from_bytes(mail, policy=default)) for to, mail in hosted.sink.mails]
        return {str(mail["Message-ID"]): (to, str(mail["Subject"]).partition(" TOKEN")[0]) for to, mail in mails}

    whole = copy("whole")
    count = len(operations(lambda: whole.round(), under=whole.folder))
    assert whole.over()
    for place in range(0, count, 9):
        one = copy("cut")
        with cut_at(place, under=one.folder):
            one.round()
        for minutes in (0, 1, 20):
            one.now += timedelta(minutes=minutes)
            one.round()
        assert sorted(sent(one).values()) == sorted(sent(whole).values()), place
        assert outcome(one) == outcome(whole) and read_endings(one.game) == Endings(), place
        shutil.rmtree(one.folder)


def test_what_nobody_wants_any_more_is_no_file(tmp_path: Path) -> None:
    """Who comes after a player has agreed to nothing; when no side wants anything the file goes."""
    (tmp_path / "mail").mkdir()
    file = tmp_path / "mail" / endings.FILE
    endings._write(tmp_path, Endings(draw=("federation", "klingon"), resign=("klingon",)))
    endings.forget(tmp_path, "romulan")
    assert read_endings(tmp_path) == Endings(draw=("federation", "klingon"), resign=("klingon",))
    endings.forget(tmp_path, "klingon")
    assert read_endings(tmp_path) == Endings(draw=("federation",)) and file.is_file()
    endings.forget(tmp_path, "federation")
    assert read_endings(tmp_path) == Endings() and not file.exists()
