"""A host's games one by one: whose time begins anew, which it works on, what it says of them, when they rest."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.engine.state import Request
from pbem.errors import Fault, GameError
from pbem.games.storage.opening import opened
from pbem.games.storage.players import tenures
from pbem.mail.commands import seats
from pbem.mail.host import stand_in as standin
from pbem.mail.host.backup import Elsewhere
from pbem.mail.host.clocks import Clock, pause, read_clock
from pbem.mail.host.club import tell_umpires
from pbem.mail.host.idle import RESTING, Rest, Resting
from pbem.mail.host.round import host_round
from pbem.mail.host.trouble import Troubles
from pbem.mail.incoming import intake
from pbem.mail.replies.reply import Reply, UmpireNotice, until_of
from pbem.mail.seats import token_of
from pbem.mail.store import keep_fact
from pbem.mail.transport.outbox import Delivery, Later
from pbem.mail.transport.sources import Maildir
from tests.mail.replies import reply
from tests.nobody_elses import private

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, club_with
else:
    from post_hosted import Hosted, club_with


NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def test_the_last_file_of_the_form_that_is_asked_for_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The latest turn first, in it the highest request; what only continues or is of another form is passed over."""
    texts = {
        (1, 1, 0): "GAME x\nENERGY\nEND", (1, 2, 0): "GAME x\nPLOT 1F\nEND", (1, 10, 0): "GAME x\nPLOT 2F\nEND",
        (1, 11, 0): "CONTINUE", (1, 12, 3): "GAME x\nPLOT old\nEND", (2, 1, 0): "GAME x\nENERGY\nPHASERS 1\nEND",
    }  # fmt: skip
    files: dict[int, list[Any]] = {1: [], 2: []}
    for (turn, number, version), text in texts.items():
        path = tmp_path / f"{turn}.{number}.{version}"
        path.write_text(text)
        files[turn].append(SimpleNamespace(side="a", number=number, version=version, path=path))
    files[2].append(SimpleNamespace(side="b", number=9, version=0, path=tmp_path / "none"))
    judged: list[str] = []

    def judge(game: object, text: str, name: str) -> Any:
        wrong = [line for line in text.split("\n")[1:] if line in illegal]
        if name:
            judged.append(text.split("\n")[1])
            assert name == "a.orders"
        return SimpleNamespace(faults=[Fault(code="gone" if line == "PHASERS 1" else "x", text="", line=3)
                                       for line in wrong], side="a")  # fmt: skip

    monkeypatch.setattr(standin, "judge", judge)
    monkeypatch.setattr(standin, "normal_form", lambda text, side, game: text)
    monkeypatch.setattr(standin, "is_header", lambda line: line.startswith("GAME"))
    game: Any = SimpleNamespace(turns=lambda: [1, 2], order_files=lambda turn: files[turn])
    state: Any = SimpleNamespace(game="x", standing={})
    for form, illegal, found, tried in (
        (FormKind.SOP, (), "PLOT 2F\nEND", ["PLOT 2F"]),
        (FormKind.SOP, ("PLOT 2F",), "PLOT 1F\nEND", ["PLOT 2F", "PLOT 1F"]),
        (FormKind.SOP, ("PLOT 2F", "PLOT 1F"), "", ["PLOT 2F", "PLOT 1F"]),
        (FormKind.EAF, (), "ENERGY\nPHASERS 1\nEND", ["ENERGY"]),
        (FormKind.EAF, ("PHASERS 1",), "ENERGY\nEND", ["ENERGY"]),
        (FormKind.FULL, (), "", []),
    ):  # fmt: skip
        judged.clear()
        request = Request(number=1, turn=3, impulse=1, form=form, sides=("a",), through=32)
        writer = standin._Writer(game, state, request, "a")
        text = writer.last_orders()
        assert (text.partition("\n")[2], judged) == (found, tried), (form, illegal)
        assert text.partition("\n")[0] == (writer.head if found else "")


@pytest.fixture
def club(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "host")


@pytest.mark.parametrize(
    ("rule", "hours", "begun"),
    [
        ('within = "1 day"\nat = "18:00"', 1, False), ('within = "1 day"\nat = "18:00"', 7, True),
        ('within = "1 day"', 1, True),
    ],
)  # fmt: skip
def test_the_time_of_a_new_player_begins_anew_where_that_gives_him_more(
    club: Hosted, rule: str, hours: int, begun: bool
) -> None:
    settings = (club.folder / "host.toml").read_text(encoding="utf-8").partition("[deadlines]")[0]
    (club.folder / "host.toml").write_text(f"{settings}[deadlines]\n{rule}\n", encoding="utf-8")
    club.round()
    before = read_clock(club.game)
    assert before == Clock(asking=(1, 1, 0), asked=NOW, began=NOW, segments=0)
    with opened(club.game, lock="test") as game:
        for side, player, code, said in (
            ("romulan", "x@y.org", "wrong-side", "there is no side 'romulan'; the sides are federation, klingon"),
            ("klingon", "nobody", "address", "'nobody' is neither an email address nor a person in players.toml"),
        ):  # fmt: skip
            with pytest.raises(GameError) as wrong:
                seats.replace(game, side, player, NOW)
            assert [(one.code, one.text) for one in wrong.value.faults] == [(code, said)]
        later = NOW + timedelta(hours=hours)
        old = token_of(club.game, "klingon")
        assert seats.replace(game, "Klingon", "Ko <ko@x.org>", later) == "klingon"
    assert read_clock(club.game) == (msgspec.structs.replace(before, asked=later) if begun else before)
    (tenure,) = tenures(club.game)
    assert (tenure.side, tenure.before, tenure.player, tenure.at, tenure.turn) == (
        "klingon", "kor@example.org", "Ko <ko@x.org>", later, 1,
    )  # fmt: skip
    assert token_of(club.game, "klingon") not in (old, "")


def test_a_host_works_on_no_game_that_is_not_its_own_alone(club: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it does with a game, it has locked it before: writing down when a late mail began its time, too."""
    from pbem.mail.host import club as host

    locks: list[str] = []

    @contextmanager
    def spied(path: Path, *, lock: str = "", **how: Any) -> Iterator[Any]:
        locks.append(lock)
        with opened(path, lock=lock, **how) as game:
            yield game

    monkeypatch.setattr(host, "opened", spied)

    def full(sender: str, to: str, mail: bytes) -> None:
        raise Later("452 full")

    real = club.sink.send
    monkeypatch.setattr(club.sink, "send", full)
    club.round()
    asked = len(locks)
    club.now += timedelta(hours=1)
    monkeypatch.setattr(club.sink, "send", real)
    club.round()
    assert asked and len(locks) > asked and set(locks) == {"host"}
    assert read_clock(club.game).asked == club.now


def test_what_was_sent_may_be_cleared_away_and_nothing_goes_again(club: Hosted) -> None:
    club.round()
    club.now += timedelta(days=1)
    assert club.round().put == 2, "a reminder for each"
    for _ in range(2):
        shutil.rmtree(club.folder / "mail" / "outbox" / "sent")
        keep_fact(club.folder / "mail", RESTING, {})
        assert club.round().put == 0
        (club.folder / "mail" / "outbox" / "sent").mkdir()


def test_a_host_without_a_server_leaves_mails_that_say_what_is_so(club: Hosted) -> None:
    """And one whose game was taken away goes as it was written."""
    club.round()
    pause(club.game, club.now, "tea")
    club.round()  # says so
    club.post(club.letter("federation", "STATUS\n"))
    club.post(club.letter("klingon", "STATUS\n"))
    done = host_round(club.folder, lambda: club.now, source=Maildir(club.folder / "Maildir"))
    assert (done.letters, done.put, done.delivery) == (("command", "command"), 2, Delivery(waiting=2))
    waiting = club.folder / "mail" / "outbox" / "waiting"
    mails = [message_from_bytes(until_of(path.read_bytes())[1]) for path in sorted(waiting.iterdir())]
    assert [str(mail["To"]) for mail in mails] == ["ann@example.org", "kor@example.org"]
    assert all("\r\nThe game is paused, so the deadline does not run.\r\n" in str(mail.get_payload()) for mail in mails)
    shutil.rmtree(club.game)
    before = len(club.sink.mails)
    assert club.round().troubles == ()
    for _, raw in club.sink.mails[before:]:
        assert b"The game is paused, so the deadline does not run." in raw
    assert len(club.sink.mails) == before + 2


def test_nobody_is_late_whose_letter_waits_for_a_game_that_is_worked_on(
    club: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = (club.folder / "host.toml").read_text(encoding="utf-8")
    (club.folder / "host.toml").write_text(settings.replace('"wait"', '"hold"'), encoding="utf-8")
    club.round()
    club.post(club.letter("federation", club.scripted("federation")))
    club.later(days=2, hours=11, minutes=45)
    club.round()
    club.now += timedelta(minutes=30)
    club.post(club.letter("klingon", club.scripted("klingon")))

    def busy(*of: object, **more: object) -> None:
        raise GameError.saying("game-locked", "another command is at work")

    monkeypatch.setattr(intake, "attend", busy)
    done = club.round()
    assert (done.letters, done.games, done.put, done.troubles) == ((), (), 0, ()), "his orders are here"
    monkeypatch.undo()
    done = club.round()
    assert done.letters == ("orders",) and [one.what for one in dict(done.games)["duel01"]] == ["played"]
    assert "Filed by" not in (club.game / "01" / "orders" / "klingon.r1.orders").read_text(encoding="utf-8")


def test_the_games_of_a_folder_are_known_with_what_its_host_says(club: Hosted, tmp_path: Path) -> None:
    file = club.folder / "host.toml"
    for tags in (False, True):
        file.write_text(
            file.read_text(encoding="utf-8").replace("[inbox]", "tags = true\n[inbox]", tags), encoding="utf-8"
        )
        found = intake.games_of(club.folder)
        assert (found.umpire, found.orders, found.tags, found.post) == (
            "umpire@host.example", "orders@host.example", tags, club.folder / "mail",
        )  # fmt: skip
        assert [seat.side for seat in found.seats] == ["federation", "klingon"] and not found.broken
        assert found.seats[0].token == token_of(club.game, "federation")
    file.unlink()
    found = intake.games_of(club.folder)
    assert (found.umpire, found.orders, found.tags, len(found.seats)) == ("", "", False, 2)
    put = intake.outbox_of(club.folder, found)
    answer = reply("k", to="ann@example.org")
    assert put(answer) == club.folder / "mail" / "outbox" / "k.eml" and put(answer) is not None
    assert private(club.folder / "mail" / "outbox" / "k.eml")


def test_what_goes_wrong_is_told_and_what_passes_is_only_noted(tmp_path: Path) -> None:
    letters_to_him: list[Reply] = []

    def go(at: datetime, *errors: Exception, umpire: str = "u@x.org", put: Any = letters_to_him.append) -> Troubles:
        found = Troubles(tmp_path, at)
        for error in errors:
            with found.kept("here"):
                raise error
        gathered(found, umpire, put)
        found.write(0, 0)
        return found

    def gathered(found: Troubles, umpire: str = "u@x.org", put: Any = letters_to_him.append) -> None:
        outbox = SimpleNamespace(put=put)
        tell_umpires(club_with(troubles=found, host=SimpleNamespace(umpire=umpire), outbox=outbox))

    busy = Fault(code="game-locked", text="another command is at work")
    other = Fault(code="x", text="it is damaged")
    found = go(NOW, GameError(busy), GameError(busy, other), OSError("odd"))
    texts = [f"here: {GameError(busy)}", f"here: {GameError(busy)}; {GameError(other)}", "here: odd"]
    assert found.now == texts == found.news
    assert [(one.subject, one.text) for one in letters_to_him] == [
        ("pbem: the umpire is needed", f"1. {texts[1]}\n\n2. {texts[2]}\n\nMore: `pbem help trouble`.\n")
    ]
    found = go(NOW + timedelta(hours=1), GameError(busy), OSError("odd"))
    assert (found.now, found.news, len(letters_to_him)) == ([texts[0], texts[2]], [], 1)
    found = go(NOW + timedelta(days=1), OSError("odd"))
    assert (found.now, found.news) == ([texts[2]], [texts[2]])
    assert letters_to_him[1].key == f"trouble {texts[2]} (2)"
    found.tell(UmpireNotice(text="so it is", key="k", trouble=False))
    gathered(found)
    for _ in range(2):
        found.tell(UmpireNotice(text="he is late", key="l", calm=True))
    gathered(found)
    gathered(found)
    assert [(one.subject, one.key) for one in letters_to_him[2:]] == [
        ("pbem: for the umpire", "k"), ("pbem: the umpire is needed", "l"),
    ]  # fmt: skip
    assert (found.now, found.news) == ([texts[2]], [texts[2], "he is late"])
    assert go(NOW, OSError("one"), umpire="").news == ["here: one"] and len(letters_to_him) == 4

    def full(reply: Reply) -> None:
        raise OSError(28, "No space left on device")

    found = go(NOW, OSError("two"), put=full)
    assert found.now == ["here: two", "the umpire could not be told: [Errno 28] No space left on device"]
    with pytest.raises(Elsewhere), found.kept("here"):
        raise Elsewhere.saying("elsewhere", "another host")


def test_a_game_rests_until_its_moment_and_no_longer(tmp_path: Path) -> None:
    game = tmp_path / "games" / "one"
    (game / "00").mkdir(parents=True)
    (game / "game.toml").write_text("x")
    resting = Resting(tmp_path, [game])
    resting.keep(game, Rest(mark="", until=NOW, waits=("a",)))
    resting.keep(tmp_path / "games" / "gone", Rest(mark=""))
    resting.write()
    again = Resting(tmp_path, [game])
    assert set(again.known) == {"one"} and again.known["one"] == resting.known["one"]
    assert again.find(game, NOW - timedelta(seconds=1)) == again.known["one"] and again.find(game, NOW) is None
    again.drifted(1)
    assert again.find(game, NOW - timedelta(seconds=1)) is None, "another clock"
    assert private(tmp_path / "mail" / "club.db") or sys.platform == "win32"
