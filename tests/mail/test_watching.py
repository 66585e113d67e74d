"""Spectators: the turns of public games by mail, once, and the club's site kept up to date by its host."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.errors import GameError
from pbem.games.site import game_files, set_public
from pbem.games.storage.opening import opened
from pbem.mail.commands.spectators import WATCHING, Watcher, Wish, token_for, watchers
from pbem.mail.host.doctor import examine
from pbem.mail.host.round import Round, host_round
from pbem.mail.host.trouble import UnreachablePlayers
from pbem.mail.settings import read_host
from pbem.mail.store import keep_fact
from pbem.mail.transport.outbox import Refused
from pbem.mail.transport.sources import Maildir

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, Sink, answer, subjects, words
else:
    from post_hosted import ADDRESSES, Hosted, Sink, answer, subjects, words

CARL = "carl@host.example"


def watched(hosted: Hosted, watches: str = '"all"', *, public: bool = True) -> None:
    people = f'format = 1\n[people.carl]\nname = "Carl"\nmail = "{CARL}"\nwatches = [{watches}]\n'
    (hosted.folder / "players.toml").write_text(people, encoding="utf-8")
    set_public(hosted.game, public)


def play(hosted: Hosted, turn: int, state: Path | None = None) -> None:
    """Until that turn is over."""
    for _ in range(8):
        with opened(hosted.game) as game:
            if game.state().over or game.state().turn > turn:
                return
        hosted.now += timedelta(hours=3)
        answer(hosted, "federation", "klingon")
        go(hosted, state) if state else hosted.round()


def go(hosted: Hosted, state: Path, *, restored: bool = False) -> Round:
    source = Maildir(hosted.folder / "Maildir")
    return host_round(
        hosted.folder, lambda: hosted.now, source=source, carrier=hosted.sink, state=state, restored=restored
    )


def from_carl(hosted: Hosted, text: str, *, token: str = "", sender: str = CARL) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = sender, "orders@host.example"
    message["Subject"] = f"Re: duel01: turn 1 TOKEN {token or token_for(hosted.folder / 'mail', CARL)}"
    message["Message-ID"] = f"<carl.{hosted.posted}@host.example>"
    message.set_content(text)
    return bytes(message)


@pytest.mark.slow
def test_a_spectator_gets_each_turn_once_and_only_what_everybody_may_know(
    hosted: Hosted, as_kept: Callable[..., None]
) -> None:
    watched(hosted)
    hosted.round()
    assert hosted.sent_to("carl") == [], "no turn is over yet"
    play(hosted, 1)
    [mail] = hosted.sent_to("carl")
    assert subjects([mail]) == ["duel01: public report of turn 1"] and mail["To"] == f"Carl <{CARL}>"
    with opened(hosted.game) as game:
        site = game_files(game)
    told = words(mail)
    as_kept(
        "examples.txt", f"To: {mail['To']}\nSubject: {subjects([mail])[0]} TOKEN aaaaaaaaaaaaaa\n\n{told}", "watched"
    )
    assert "UNWATCH duel01" in told
    # Turn 2 runs: the site says the same of turn 1 as the mail does.
    assert told.partition("\n\n")[2].partition("\n\n")[2].strip() == site["turn-01.txt"].decode().strip()
    page = next(part for part in mail.iter_attachments() if part.get_filename() == "sitrep.html")
    whole = told + str(page.get_content())
    assert not any(address in whole for address in ADDRESSES.values())
    for secret in ("PLOT", "RESERVE", "BREAK"):
        assert secret not in told.split("TURN", 1)[-1] or secret in site["turn-01.txt"].decode()
    players = len(hosted.sink.mails)
    hosted.now += timedelta(hours=1)
    hosted.round()
    assert len(hosted.sink.mails) == players, "once"
    play(hosted, 2)
    last = subjects(hosted.sent_to("carl"))
    assert len(last) == len({*last}) == 2 and hosted.over() == last[-1].endswith("the last")


@pytest.mark.slow
def test_nobody_watches_a_game_that_is_not_public_or_his_own(hosted: Hosted) -> None:
    watched(hosted, '"duel01", "duel9"', public=False)
    kor = f'[people.kor]\nname = "Kor"\nmail = "{ADDRESSES["klingon"]}"\nwatches = ["all"]\n'
    with (hosted.folder / "players.toml").open("a", encoding="utf-8") as file:
        file.write(kor)
    hosted.round()
    play(hosted, 1)
    assert hosted.sent_to("carl") == []
    said = [one.said for one in examine(hosted.folder) if one.what == "spectators"]
    assert [word in one for word, one in zip(("not public", "no such game"), said, strict=True)] == [True, True]
    set_public(hosted.game, True)
    hosted.now += timedelta(hours=1)
    hosted.round()
    assert len(hosted.sent_to("carl")) == 1, "from now on"
    assert not any("public report" in one for one in subjects(hosted.sent_to("klingon")))


@pytest.mark.slow
def test_letters_begin_and_end_it_and_a_token_alone_or_an_address_alone_does_not(hosted: Hosted) -> None:
    watched(hosted)
    hosted.round()
    play(hosted, 1)
    before = len(hosted.sent_to("carl"))
    hosted.post(from_carl(hosted, "UNWATCH duel01\n", token="abcdefghjkmnpq"))
    hosted.post(from_carl(hosted, "UNWATCH duel01\n", sender="mallory@host.example"))
    hosted.round()
    assert len(hosted.sent_to("carl")) == before and not hosted.sent_to("mallory")
    hosted.post(from_carl(hosted, "unwatch Duel01\n"))
    hosted.round()
    assert "You are no longer watching duel01. You are not watching any game now." in " ".join(
        words(hosted.sent_to("carl")[-1]).split()
    )
    hosted.post(from_carl(hosted, "UNWATCH duel01\n"))
    hosted.round()
    assert "You were not watching duel01" in words(hosted.sent_to("carl")[-1])
    hosted.post(from_carl(hosted, "WATCH ALL\n"))
    hosted.round()
    assert "You are now watching all public games" in " ".join(words(hosted.sent_to("carl")[-1]).split())
    hosted.post(from_carl(hosted, "UNWATCH\n"))
    hosted.round()
    told = len(hosted.sent_to("carl"))
    play(hosted, 2)
    assert len(hosted.sent_to("carl")) == told
    hosted.post(hosted.letter("klingon", "WATCH nothing\n"))
    hosted.round()
    assert "You can watch these games: duel01" in " ".join(words(hosted.sent_to("klingon")[-1]).split())


def test_what_is_wished_by_letter_stands_over_the_file() -> None:
    def after(*said: tuple[str, bool]) -> list[str]:
        one = Watcher(address="c@x.example", games=frozenset({"all"}))
        for game, watches in said:
            one = one.after(Wish(address="c@x.example", game=game, watches=watches, cause=game))
        return [game for game in ("a", "b") if one.watches(game)]

    assert after() == ["a", "b"]
    assert after(("a", False)) == ["b"]
    assert after(("a", False), ("a", True)) == ["a", "b"]
    assert after(("all", False)) == []
    assert after(("all", False), ("b", True)) == ["b"]
    assert after(("a", False), ("all", True)) == ["a", "b"]
    # Of a game that is not public nobody says how it is written: the letter has it as he wrote it.
    assert after(("A", False)) == ["b"]
    assert after(("A", False), ("a", True)) == ["a", "b"]


def test_who_asks_by_letter_is_the_same_man_as_one_of_whom_the_file_says_it(tmp_path: Path) -> None:
    def found(*wishes: Wish, watches: str = "") -> tuple[Watcher, ...]:
        one = (
            f'format = 1\n[people.carl]\nname = "Carl"\nmail = "Carl@host.example"\nwas = ["c@old.example"]\n{watches}'
        )
        (tmp_path / "players.toml").write_text(one, encoding="utf-8")
        (tmp_path / "mail").mkdir(exist_ok=True)
        keep_fact(tmp_path / "mail", WATCHING, wishes)
        return watchers(tmp_path)

    for game in ("all", "duel01"):
        by_file = found(watches=f'watches = ["{game}"]\n')
        # By his key, though he wrote from an address he has no more.
        for address in (CARL, "c@old.example"):
            wish = Wish(address=address, game=game, watches=True, cause="a letter", person="carl")
            assert found(wish) == by_file, (game, address)
        no_more = Wish(address=CARL, game=game, watches=False, cause="another", person="carl")
        (one,) = found(no_more)
        assert (one.address, one.name, one.person, one.watches("duel01")) == (CARL, "Carl", "carl", False)
    (stranger,) = found(Wish(address="eve@x.example", game="all", watches=True, cause="hers"))
    assert stranger == Watcher(address="eve@x.example", games=frozenset({"all"}))


@pytest.mark.slow
def test_a_spectators_dead_address_disturbs_nobody(tmp_path: Path) -> None:
    class Dead(Sink):
        def send(self, sender: str, to: str, mail: bytes) -> None:
            if to == CARL:
                raise Refused("550 no such user")
            super().send(sender, to, mail)

    hosted = Hosted(tmp_path / "host")
    hosted.sink = Dead()
    watched(hosted)
    hosted.round()
    play(hosted, 1)
    assert CARL in UnreachablePlayers(hosted.folder).known
    hosted.round()
    told = [one for one in subjects(hosted.sent_to("umpire")) if "could not be sent" in one]
    assert len(told) == 1
    play(hosted, 2)
    failed = list((hosted.folder / "mail" / "outbox" / "failed").glob("watch.*.eml"))
    assert len(failed) == 1, "no more is written to it"
    with opened(hosted.game) as game:
        assert game.state().turn > 2 or game.state().over


@pytest.mark.slow
def test_after_a_restore_a_spectator_gets_nothing_twice(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    watched(hosted)
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")
    play(hosted, 1, state)
    assert len(hosted.sent_to("carl")) == 1
    box = tmp_path / "mailbox"
    shutil.move(hosted.folder / "Maildir", box)
    shutil.rmtree(hosted.folder)
    shutil.copytree(tmp_path / "backup", hosted.folder)
    shutil.rmtree(hosted.folder / "Maildir")
    shutil.move(box, hosted.folder / "Maildir")
    hosted.now += timedelta(hours=1)
    for path in (hosted.folder / "Maildir" / "cur").iterdir():  # they came when the clock of the test says
        os.utime(path, (hosted.now.timestamp(), hosted.now.timestamp()))
    go(hosted, state, restored=True)
    with opened(hosted.game) as game:
        assert game.state().turn == 2, "played again"
    assert len(hosted.sent_to("carl")) == 1


@pytest.mark.slow
def test_the_host_writes_the_site_of_games_that_changed(hosted: Hosted, tmp_path: Path) -> None:
    settings = hosted.folder / "host.toml"
    settings.write_text(settings.read_text("utf-8").replace("[inbox]", 'site = "../web"\n[inbox]'), encoding="utf-8")
    web = tmp_path / "web"
    hosted.round()
    assert (web / "index.html").is_file() and not (web / "duel01").exists(), "not public"
    set_public(hosted.game, True)
    hosted.now += timedelta(hours=1)
    hosted.round()
    assert (web / "duel01" / "index.html").is_file()
    before = {path: path.stat().st_mtime_ns for path in web.rglob("*.html")}
    hosted.now += timedelta(hours=1)
    hosted.round()
    assert {path: path.stat().st_mtime_ns for path in web.rglob("*.html")} == before
    play(hosted, 1)
    assert (web / "duel01" / "turn-02.html").is_file()
    # Where it cannot be written the umpire is told, and the next round does it.
    shutil.rmtree(web)
    web.write_text("a file", encoding="utf-8")
    play(hosted, 2)
    assert any("site" in trouble for trouble in hosted.round().troubles)
    web.unlink()
    hosted.round()
    assert (web / "duel01" / "turn-02.html").is_file()
    set_public(hosted.game, False)
    hosted.now += timedelta(hours=1)
    hosted.round()
    assert not (web / "duel01").exists() and "duel01" not in (web / "index.html").read_text("utf-8")


def test_a_site_in_the_hosts_own_folder_is_refused(hosted: Hosted) -> None:
    settings = hosted.folder / "host.toml"
    settings.write_text(settings.read_text("utf-8").replace("[inbox]", 'site = "web"\n[inbox]'), encoding="utf-8")
    with pytest.raises(GameError, match=re.escape("put the site outside the host's folder")):
        read_host(hosted.folder)
