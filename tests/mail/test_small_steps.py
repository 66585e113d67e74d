"""What the umpire's commands and the host's checks do at their edges: who is late to the second, who is away once, what
a mail server is asked, a draw to which only some agree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, cast

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import scenario
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.status import _arrival, status as look
from pbem.games.storage import files
from pbem.games.storage.files import read_bytes, read_head
from pbem.games.storage.opening import opened
from pbem.mail.commands import endings
from pbem.mail.commands.dispatch import _late
from pbem.mail.commands.endings import Endings
from pbem.mail.commands.time import read_absences
from pbem.mail.emails import render
from pbem.mail.host import clocks as timetable, doctor, operate
from pbem.mail.host.clocks import Rounds, _hour
from pbem.mail.host.club import queue
from pbem.mail.host.deadlines import Rule
from pbem.mail.host.play import _draws
from pbem.mail.host.receive import continued
from pbem.mail.host.round import not_taken
from pbem.mail.host.stand_in import _nearest
from pbem.mail.host.trouble import UnreachablePlayers
from pbem.mail.host.workers import Workers
from pbem.mail.replies.reply import Outgoing, Reply, UmpireNotice
from pbem.mail.settings import read_host
from pbem.mail.transport import passwords
from pbem.mail.transport.sources import Maildir, OneLetter
from tests.engine.world import rich

if TYPE_CHECKING:
    from tests.mail.hosted import START, Hosted, club_with
else:
    from post_hosted import START, Hosted, club_with


@pytest.fixture
def begun(hosted: Hosted) -> Hosted:
    """The clock of its game runs."""
    with opened(hosted.game, lock="test") as game:
        timetable.start(game, START)
    return hosted


def test_nobody_is_late_at_the_deadline_itself(begun: Hosted) -> None:
    due = timetable.due_of(begun.game, START)
    assert due is not None
    end, second, both = due[0].due, timedelta(seconds=1), ("federation", "klingon")
    assert [_late(begun.game, both, now) for now in (None, START, end - second, end)] == [""] * 4
    assert _late(begun.game, both, end + second) == "Late since Wed 3 Mar 2027, 12:00 (UTC): federation, klingon."
    assert _late(begun.game, (), end + second) == ""
    timetable.pause(begun.game, end + second)
    assert _late(begun.game, both, end + second) == ""


def test_whoever_is_said_to_be_away_twice_is_away_once(hosted: Hosted) -> None:
    def away(who: str, said: str) -> tuple[int, tuple[str, ...]]:
        hosted.now += timedelta(minutes=1)
        gone = operate.away(hosted.folder, who, said, hosted.now)
        return len(read_absences(hosted.folder / "mail")), gone.games

    ann, kor, days = "ann@example.org", "kor@example.org", "2027-03-05 to 2027-03-07"
    assert [away(ann, days), away(ann, days), away(ann, "until 2027-03-07")] == [
        (1, ("duel01",)), (1, ("duel01",)), (2, ("duel01",))
    ]  # fmt: skip
    assert [away(kor, days)[0], away(kor, days)[0]] == [3, 3]
    assert away(ann, " OFF ") == (1, ("duel01",))
    assert {one.who for one in read_absences(hosted.folder / "mail")} == {kor}
    for said, why in (("2027-02-01 to 2027-02-28", "is past"), ("some days", "is not like")):
        with pytest.raises(GameError, match=why):
            away(ann, said)
    assert away(ann, "until 2027-03-01") == (2, ("duel01",)), "today is not past"


@pytest.mark.parametrize(("code", "right"), [(250, True), (399, True), (400, False), (550, False)])
def test_the_server_that_sends_is_asked_and_left_as_it_was(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, code: int, right: bool
) -> None:
    asked: list[str] = []

    class Carrier:
        offers = ("PLAIN", "XOAUTH2")

        def __init__(self, smtp: object, login: object) -> None:
            asked.append("opened")

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *of_an_error: object) -> None:
            asked.append("closed")

        def connect(self) -> Any:
            def mail(address: str) -> tuple[int, bytes]:
                asked.append(address)
                return code, b"said \xff"

            return SimpleNamespace(mail=mail, rset=lambda: asked.append("forget it"))

    monkeypatch.setattr(doctor, "SmtpCarrier", Carrier)
    host = read_host(hosted.folder)
    assert "no server is named" in doctor._smtp(hosted.folder, host) and not asked
    for security, how in (("none", "without encryption"), ("tls", "with TLS"), ("starttls", "with STARTTLS")):
        there = replace(host, smtp=replace(host.smtp, host="mail.example", security=security))
        asked.clear()
        found = doctor._tried("smtp", lambda there=there: doctor._smtp(hosted.folder, there))  # type: ignore[misc]
        assert asked == ["opened", "orders@host.example", "forget it", "closed"] and found.right is right
        wanted = (
            f"answers {how} and takes emails from orders@host.example; it offers PLAIN, XOAUTH2"
            if right
            else f"sends nothing from orders@host.example: {code} said \ufffd"
        )
        assert f"mail.example {wanted}" in found.said


def test_who_may_agree_to_a_draw(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    state = rich()
    host = begun.folder / "host.toml"
    playing = endings.left(state)
    first = playing[0]

    def why(side: str, *resigned: str, **changed: Any) -> str:
        desk = SimpleNamespace(games=SimpleNamespace(club=begun.folder), seat=SimpleNamespace(side=side))
        word = endings._no_draw(cast(Any, desk), replace(state, **changed), Endings(resign=resigned))
        return render("draw-refused", None, why=word).text if word else ""

    assert len(playing) > 2 and {why(side) for side in playing} == {""}
    assert why(first, over=True) == "The game is over. Nothing was changed."
    assert "nothing left in play" in why("nobody")
    assert "You have no human opponent" in why(first, *playing[1:])
    allies = {name: replace(side, team="one") for name, side in state.sides.items()}
    assert "You have no human opponent" in why(first, sides=allies)
    host.write_text(host.read_text("utf-8") + "[letters]\ndraw = false\n", encoding="utf-8")
    assert "only the umpire can end a game" in why(first)


def test_the_others_are_told_once_a_turn_who_agrees_to_a_draw(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as there is something to agree to."""
    state = replace(rich(), over=False)
    sides = endings.left(state)
    known: set[str] = set()
    monkeypatch.setattr("pbem.mail.host.play.thread", lambda club, game, seat: seat.side)
    monkeypatch.setattr(
        "pbem.mail.replies.announce.draw_offered", lambda to, side, wanted, turn: f"{to}: {side} {wanted}"
    )
    mine: Any = [SimpleNamespace(side=side) for side in sides]

    def letters(*agreed: str, **changed: Any) -> list[Any]:
        monkeypatch.setattr(endings, "read_endings", lambda path: Endings(draw=agreed))
        now = replace(state, **changed)
        game = SimpleNamespace(path=begun.game, state=lambda: now)
        found = list(_draws(club_with(), cast(Any, SimpleNamespace(game=game, seats=mine, known=known))))
        known.update(key for one in found for key in one.keys)
        return [reply for one in found for reply in one.replies]

    first, *others = sides
    offered = [f"{other}: {first} {tuple(others)}" for other in others]
    assert letters() == letters("nobody") == letters(first, over=True) == []
    assert letters(first) == offered and letters(first) == []
    assert letters(first, turn=state.turn + 1) == offered
    assert len(letters(*sides, turn=state.turn + 1)) == (len(sides) - 1) ** 2, "of the first they know"


def test_what_players_asked_for_waits_while_orders_are_sealed_and_goes_when_it_is_over(
    begun: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed = Endings(draw=("federation", "klingon"))
    with opened(begun.game, lock="test") as game:
        assert endings.settle(game) is False
        endings._write(game.path, agreed)
        monkeypatch.setattr(endings, "sealing_of", lambda game: "sealed")
        assert endings.settle(game) is False and endings.read_endings(game.path) == agreed
        monkeypatch.setattr(endings, "sealing_of", lambda game: None)
        endings._write(game.path, replace(agreed, draw=("klingon",)))
        assert endings.settle(game) is False and not game.state().over
        endings._write(game.path, agreed)
        assert endings.settle(game) is True and game.state().over
        endings._write(game.path, agreed)
        assert endings.settle(game) is False and endings.read_endings(game.path) == Endings()


def test_whose_ship_there_is_none_of_has_nobody_near() -> None:
    state = rich()
    near = {ship.name: one.name for ship in state.ships() if (one := _nearest(state, ship.name))}
    assert near and all(state.enemies(state.units[a].side, state.units[b].side) for a, b in near.items())
    assert _nearest(state, "Nobody") is None
    alone = replace(state, units={name: unit for name, unit in state.units.items() if unit.side == "federation"})
    assert all(_nearest(alone, ship.name) is None for ship in alone.ships())


@pytest.mark.parametrize("length", [-8, -4, -3, -2, -1, 0, 1, 7, 5000])
def test_the_headers_of_a_mail_are_read_however_long_they_are(tmp_path: Path, length: int) -> None:
    """About the length that is read at first."""
    mail = tmp_path / "one.eml"
    for body in (b"\r\n\r\nbody\r\n\r\nmore", b""):
        mail.write_bytes(b"To: " + b"x" * (files._HEAD + length - 4) + body)
        assert read_head(mail) == read_bytes(mail).partition(b"\r\n\r\n")[0]
    with pytest.raises(GameError, match="no such file"):
        read_head(tmp_path / "none.eml")


def test_passwords_of_an_account_without_a_folder_or_with_one_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", nowhere)
    assert passwords.file() is None and passwords._of_file("PBEM_X") == ("", "")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    kept = tmp_path / passwords.FILE
    assert passwords._of_file("PBEM_X") == ("", "")
    kept.write_bytes(b"\xff")
    assert passwords._of_file("PBEM_X") == ("", f"{kept} is no text in UTF-8")
    text = "# PBEM_X='no'\nPBEM_XY='other'\nPBEM_X='first'\nexport PBEM_X='last'\n"
    kept.write_text(text, encoding="utf-8")
    assert passwords._of_file("PBEM_X") == ("last", f"the file {kept}")
    kept.write_text(text + "PBEM_X = last\n", encoding="utf-8")
    assert passwords._of_file("PBEM_X") == ("", f"line 5 of {kept} is not of the form PBEM_X='…'")
    real = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path == kept:
            raise PermissionError(13, "not for you")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert passwords._of_file("PBEM_X") == ("", f"{kept} cannot be read: not for you")


@pytest.mark.parametrize("last", [START - timedelta(days=3), None])
def test_how_far_back_letters_are_read_again_where_a_backup_was_put_back(hosted: Hosted, last: datetime | None) -> None:
    """Since its last round, or for a month where it does not say when that was; two days more, for servers' clocks."""
    told: list[str] = []
    counted = SimpleNamespace(count=7, word="w")
    copy_check = SimpleNamespace(lost=False, sent=frozenset({"a.eml"}), counted=counted, put_back=None)
    source, outbox = SimpleNamespace(since=None), SimpleNamespace(sent_since=None, went=told.append)
    club = club_with(
        last=last, now=lambda: START, folder=hosted.folder, folders=(), source=source, copy_check=copy_check,
        outbox=outbox,
        troubles=SimpleNamespace(tell=lambda notice: told.append(notice.text)),
        host=SimpleNamespace(web="", deadlines=Rule()), games=SimpleNamespace(post=hosted.folder / "mail"),
    )  # fmt: skip
    assert continued(club) is club and not told, "it is no backup"
    copy_check.lost = True
    for _ in range(2):
        club = continued(club)
    since = last or START - timedelta(days=30)
    assert source.since == since - timedelta(days=2) and outbox.sent_since == {"a.eml"} and club.restoring
    assert told[0] == "a.eml" and len(told) == 2
    assert told[1].startswith(
        f"Check the games: your rulings since {'Fri 26 Feb' if last else 'Sat 30 Jan'} 2027, 12:00 (UTC), and"
    )


def reply_named(key: str) -> Reply:
    return Reply(to="ann@example.org", subject="s", text="t", kind="notice", key=key)


def test_the_key_of_an_email_is_recorded_when_it_is_in_the_outbox_and_what_it_contains_before(tmp_path: Path) -> None:
    said, seen = timetable.SentNotices(tmp_path), list[tuple[str, set[str]]]()
    out = Outgoing(plan=("planned",), replies=(reply_named("a"), reply_named("b")), keys=("a", "b"))
    said.queue(out, lambda reply: seen.append((reply.key, timetable.SentNotices(tmp_path).known)))
    assert seen == [("a", {"planned"}), ("b", {"planned"})]
    assert timetable.SentNotices(tmp_path).known == said.known == {"planned", "a", "b"}


def test_an_email_that_cannot_be_made_keeps_back_none_before_it(tmp_path: Path) -> None:
    put, told = list[str](), list[str]()

    def emails() -> Iterator[Outgoing]:
        notice = UmpireNotice(text="text", key="k")
        yield Outgoing(replies=(reply_named("first"), reply_named("again")), keys=("first",), notices=(notice,))
        raise KeyError("second")

    club = club_with(
        outbox=SimpleNamespace(put=lambda reply: put.append(reply.key)),
        troubles=SimpleNamespace(tell=lambda notice: told.append(notice.key)),
    )
    with pytest.raises(KeyError):
        queue(club, timetable.SentNotices(tmp_path), emails())
    assert (put, told, timetable.SentNotices(tmp_path).known) == (["first", "again"], ["k"], {"first"})


def test_addresses_that_no_mail_reaches_are_told_in_their_order(tmp_path: Path) -> None:
    lost = UnreachablePlayers(tmp_path)
    for address in ("b@x.example", "C@x.example", "a@x.example", "z@x.example"):
        lost.lose([address], "no such user", START)
    seats: Any = [
        SimpleNamespace(game="duel", side=side, addresses=addresses)
        for side, addresses in (("klingon", ("c@x.example", "a@x.example")), ("gorn", ("b@x.example", "a@x.example")))
    ]
    told = lost.told_by_address(seats, "UTC")
    assert [address for address, _ in told] == ["a@x.example", "b@x.example", "c@x.example"]
    since = "since Mon 1 Mar 2027, 12:00 (UTC): no such user"
    assert [text for _, text in told] == [
        f"No email has reached a@x.example (klingon in duel, gorn in duel) {since}",
        f"No email has reached b@x.example (gorn in duel) {since}",
        f"No email has reached c@x.example (klingon in duel) {since}",
    ]  # fmt: skip


def test_a_cluster_that_is_not_there_is_told_once_a_round_and_in_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(workers: Workers) -> None:
        asked.append("asked")
        raise ConnectionError("nobody there " * 100)

    asked: list[str] = []
    monkeypatch.setattr(Workers, "_connect", connect)
    workers = Workers(1, "tcp://cluster.example")
    for number in (1, 2):
        workers.begin()
        assert not workers._reach(5) and not workers._reach(5)
        assert len(asked) == len(workers.said) == number
        assert "ConnectionError: nobody there" in workers.said[-1] and len(workers.said[-1]) < 500


def test_which_letters_that_are_done_are_read_again(tmp_path: Path) -> None:
    source, letter = Maildir(tmp_path), tmp_path / "1.eml"
    letter.touch()
    os.utime(letter, (START.timestamp(), START.timestamp()))
    found = []
    for since in (None, START - timedelta(seconds=1), START, START + timedelta(seconds=1)):
        source.since = since
        found.append(source.came_since(letter))
    assert found == [False, True, True, False]
    source.since = START
    assert not source.came_since(tmp_path) and not source.came_since(tmp_path / "none.eml")


@pytest.mark.parametrize("line", [b"", b"From ann Mon Mar  1 12:00:00 2027\n"])
def test_a_letter_that_is_handed_over_counts_as_left_until_it_is_done(tmp_path: Path, line: bytes) -> None:
    mail = b"From: ann@example.org\n\nFrom here on\n"
    (tmp_path / "one").write_bytes(line + mail)
    source = OneLetter(tmp_path / "one")
    assert not source.left
    ((key, raw),) = source.fetch()
    assert (raw, source.left) == (mail, True)
    source.done(key)
    assert not source.left
    (tmp_path / "one").write_bytes(b" \n")
    assert list(source.fetch()) == [] and not source.left, "nothing was handed over"


def test_a_server_that_takes_no_sitrep_now_holds_up_the_game_of_who_still_has_that_address(hosted: Hosted) -> None:
    asking, lost = (1, 1, 0), list[Any]()
    seat = SimpleNamespace(side="klingon", addresses=("kor@example.org",))
    with opened(hosted.game, lock="test") as game:
        timetable.write_clock(game.path, replace(timetable.start(game, START), asking=asking))
    by_folder = {hosted.game: [seat, SimpleNamespace(side="federation")]}
    club = club_with(
        games=SimpleNamespace(folder_of_side={("duel01", "klingon"): hosted.game}, by_folder=by_folder),
        troubles=SimpleNamespace(kept=lambda what, game: nullcontext()),
        unreachable=SimpleNamespace(lose=lambda *what: lost.append(what)),
    )

    def held(reader: str, *, side: str = "klingon", asks: bool = True, of: tuple[int, int, int] = asking) -> bool:
        lost.clear()
        until = SimpleNamespace(game="duel01", side=side, asks=asks, asking=of)
        refusal = SimpleNamespace(until=until, reader=reader, why="greylisted", since=START)
        found = not_taken(club, cast(Any, refusal))
        assert found in (None, hosted.game)
        return found is not None

    assert held("kor@example.org") and not lost
    assert not held("old@example.org") and lost == [(("old@example.org",), "greylisted", START, [seat])]
    assert not held("old@example.org", of=(1, 2, 0)) and not lost, "of another request he hears no more"
    assert not held("kor@example.org", asks=False) and not held("kor@example.org", side="gorn") and not lost


def test_an_outage_is_as_long_as_before_by_a_clock_that_was_put_back() -> None:
    for gone in (-timedelta(days=3), timedelta(days=3)):
        known = Rounds(began=START, last=START, ill=START - timedelta(hours=2), drift=5)
        found = _hour(known, START + gone, anyway=False, lost=False)
        assert found.rounds.ill == START + gone - timedelta(hours=2) and found.sure is None
    assert (
        _hour(Rounds(began=START, last=START), START - timedelta(days=3), anyway=False, lost=False).rounds.ill is None
    )


def test_on_which_turn_the_first_ships_of_a_side_come(tmp_path: Path) -> None:
    convoy = scenario("8")
    units = [replace(convoy.units[0], side="late", arrives=turn) for turn in (0, 7, 3, 5)]
    late = replace(convoy, units=(*convoy.units, *units))
    assert (_arrival(late, "late"), _arrival(late, "nobody")) == (3, 0)
    assert {unit.arrives for unit in convoy.units if unit.side == "defender"} == {_arrival(late, "defender")} != {0}
    new("8", tmp_path / "raid", players={"orion": "a@x.example", "defender": "b@x.example"}, seed="raid")
    with opened(tmp_path / "raid") as game:
        assert {side.side: side.arrives for side in look(game).sides} == {
            "orion": 0, "convoy": 0, "defender": _arrival(late, "defender")
        }  # fmt: skip


def test_settings_that_are_no_text_or_no_toml_are_told_at_their_file(hosted: Hosted) -> None:
    file = hosted.folder / "host.toml"
    for data, code in ((b"\xff", "not-utf8"), (b"[", "not-toml"), (b"", "format")):
        file.write_bytes(data)
        with pytest.raises(GameError) as error:
            read_host(hosted.folder)
        assert [(fault.code, fault.file) for fault in error.value.faults] == [(code, str(file))]
