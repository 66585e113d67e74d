"""What a spectator is sent, and what becomes of his letters: step by step, without a game that is played."""

from __future__ import annotations

from collections.abc import Iterable
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from pbem.games.site import PublicReport, set_public
from pbem.games.storage.folder import GameFolder
from pbem.mail.commands import spectators as watching
from pbem.mail.commands.spectators import (
    WATCHING,
    Watching,
    Wish,
    asked,
    read_wishes,
    token_for,
    watched_wrongly,
    watchers,
)
from pbem.mail.host.clocks import SentNotices
from pbem.mail.incoming.intake import games_of
from pbem.mail.incoming.message import read_letter
from pbem.mail.people import read_people
from pbem.mail.replies.answer import attend
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Seat
from pbem.mail.store import keep_fact

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted
else:
    from post_hosted import Hosted

CARL, DORA = "carl@host.example", "dora@host.example"
PEOPLE = f"""\
format = 1
[people.carl]
name = "Carl"
mail = "{CARL}"
watches = ["ALL"]
[people.kor]
mail = "kor@host.example"
watches = ["duel", "other"]
[people.lost]
mail = "Lost@host.example"
watches = ["all"]
[people.elsewhere]
mail = "eve@host.example"
watches = ["other"]
"""


class Field:
    """A club with one game, of which it is said how far it was played."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.club, self.path = folder, folder / "games" / "duel"
        self.path.mkdir(parents=True)
        self.played: tuple[int, str] | None = None
        self.over = False
        (folder / "host.toml").write_text(
            'format = 1\norders = "orders@host.example"\nname = "Club"\n[inbox]\nkind = "folder"\npath = "in"\n',
            "utf-8",
        )
        (folder / "players.toml").write_text(PEOPLE, encoding="utf-8")
        self.game = cast(GameFolder, SimpleNamespace(
            path=self.path, state=lambda: SimpleNamespace(over=self.over),
            terms=SimpleNamespace(name="duel", dice=SimpleNamespace(commitment="c0ffee")),
        ))  # fmt: skip
        monkeypatch.setattr(watching, "ended", lambda game: self.played)
        monkeypatch.setattr(watching, "public_report", self._told)
        self.games = cast(Games, SimpleNamespace(post=folder / "mail", club=folder))

    def _told(self, game: GameFolder) -> PublicReport:
        assert self.played is not None
        turn, digest = self.played
        return PublicReport(
            game="duel", turn=turn, over=self.over, digest=digest, text=f"turn {turn}{digest}", page=b"<p>"
        )

    def letters(self, played: tuple[int, str] | None, *, over: bool = False) -> list[Reply]:
        """What is put into the outbox by a round that finds the game so far."""
        self.played, self.over = played, over
        player = cast(Seat, SimpleNamespace(addresses=("kor@host.example", "kor@old.example")))
        said = SentNotices(self.path)
        put: list[Reply] = []
        watching = Watching(self.club, self.games, read_people(self.club))
        for one in watching.reports(self.game, [player], ["lost@host.example"], said.known):
            said.queue(one, put.append)
        return put

    def readers(self, played: tuple[int, str] | None, *, over: bool = False) -> list[str]:
        found = self.letters(played, over=over)
        return sorted(f"{one.to.rpartition('<')[2].rstrip('>')} {one.text[-2:]}" for one in found)

    def shown(self, public: bool) -> None:
        """Whether strangers may learn of the game."""
        (self.path / "site.toml").write_text(f"format = 1\npublic = {str(public).lower()}\n", encoding="utf-8")


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Field:
    return Field(tmp_path, monkeypatch)


def begins(field: Field, address: str, game: str = "duel") -> None:
    wish = Wish(address=address, game=game, watches=True, cause=game)
    keep_fact(field.club / "mail", WATCHING, (*read_wishes(field.club / "mail"), wish))


def test_each_turn_goes_once_to_each_who_watches_and_does_not_play(field: Field) -> None:
    field.shown(True)
    found = [field.readers(None), field.readers((1, "a")), field.readers((1, "a"))]
    assert found == [[], [f"{CARL} 1a"], []]
    begins(field, DORA)
    assert field.readers((1, "a")) == [f"{DORA} 1a"], "who begins gets the turn before"
    assert field.readers((1, "b")) == [f"{CARL} 1b", f"{DORA} 1b"], "it was taken back, and played otherwise"
    begins(field, "late@host.example")
    assert field.readers((3, "c"), over=True) == [f"{CARL} 3c", f"{DORA} 3c"], "a game that is over is not begun with"
    assert field.readers((3, "c"), over=True) == []


def test_of_a_game_that_is_not_public_nobody_gets_anything(field: Field) -> None:
    assert field.letters((1, "a")) == []
    field.shown(True)
    assert len(field.letters((1, "a"))) == 1
    field.shown(False)
    assert field.letters((2, "a")) == []


def test_a_report_to_a_spectator(field: Field) -> None:
    field.shown(True)
    begins(field, DORA)
    token = {address: token_for(field.club / "mail", address) for address in (CARL, DORA)}
    for turn, over, ends in ((1, False, "."), (2, True, ", the last turn of the game.")):
        carl, dora = field.letters((turn, "a"), over=over)
        assert (carl.to, dora.to) == (f"Carl <{CARL}>", DORA)
        assert carl.key != dora.key and len({token[CARL], token[DORA]}) == 2
        assert carl.subject == f"duel: public report of turn {turn}{' (the last turn)' * over} TOKEN {token[CARL]}"
        assert (carl.kind, carl.game, carl.side) == ("watch", "duel", "spectator")
        assert carl.attachments == (("sitrep.html", "text/html", b"<p>"),)
        first, how, told = carl.text.split("\n\n")
        assert " ".join(first.split()) == f"You are watching duel. This is the public report of turn {turn}{ends}"
        assert (
            "reply with the line UNWATCH duel. UNWATCH alone stops all" in " ".join(how.split())
            and told == f"turn {turn}a"
        )


def test_what_the_list_of_people_says_wrongly_of_whom_they_watch(field: Field) -> None:
    def said(*games: str) -> list[str]:
        return watched_wrongly(field.club, games, read_people(field.club))

    none = "there is no such game"
    assert said() == [
        f"people.kor watches duel: {none}", f"people.kor watches other: {none}",
        f"people.elsewhere watches other: {none}",
    ]  # fmt: skip
    secret = "people.kor watches duel, which is not public: `pbem site GAME --public` makes it so"
    assert said("duel") == [secret, f"people.kor watches other: {none}", f"people.elsewhere watches other: {none}"]
    field.shown(True)
    assert [one for one in said("duel", "other") if "duel" in one] == []
    (field.path / "site.toml").write_text("public = maybe", encoding="utf-8")
    assert said("duel", "other")[0] == secret, "who cannot say that it is public does not say so"


# --- letters ---------------------------------------------------------------------------------------------------------


def letter(text: str, games: Games, sender: str = CARL, token: str = "") -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = sender, "orders@host.example"
    message["Subject"] = f"Re: duel01 TOKEN {token or token_for(games.post, CARL)}"
    message["Message-ID"] = f"<{text.encode().hex()}@host.example>"
    message.set_content(text)
    return bytes(message)


@pytest.fixture
def club(hosted: Hosted) -> Games:
    (hosted.folder / "players.toml").write_text(PEOPLE.replace('"duel"', '"duel01"'), encoding="utf-8")
    set_public(hosted.game, True)
    return games_of(hosted.folder, hosted.now)


def answers(games: Games, *texts: str, **how: str) -> Iterable[str]:
    """The titles of what is answered to letters in a row, with what he watches then."""
    assert games.club is not None
    for text in texts:
        found = asked(read_letter(letter(text, games, **how)), games)
        one = next(one for one in watchers(games.club) if one.address == CARL)
        now = "+".join(name for name in ("duel01", "other") if one.watches(name)) or "nothing"
        if found is None:
            yield f"no answer; {now}"
        else:
            (reply,) = found
            assert (reply.to, reply.side, reply.kind) == (f"Carl <{CARL}>", "spectator", "command")
            title, _, token = reply.subject.removeprefix("pbem: ").partition(" TOKEN ")
            assert token == token_for(games.post, CARL) and reply.in_reply_to in reply.references
            yield f"{title}; {now}"


def test_letters_of_a_spectator_one_after_the_other(club: Games) -> None:
    every, none = "duel01+other", "nothing"
    said = {
        "UNWATCH DUEL01": "you are no longer watching duel01; other",
        "UNWATCH duel01": "you were not watching this game; other",
        "WATCH duel01": f"you are watching duel01; {every}",
        "WATCH other": f"what you can watch; {every}",
        "WATCH": f"what you can watch; {every}",
        "UNWATCH other": "you are no longer watching other; duel01",
        "UNWATCH": f"you are no longer watching all public games; {none}",
        "WATCH all": f"you are watching all public games; {every}",
        "UNWATCH All": f"you are no longer watching all public games; {none}",
        "unwatch duel01": f"you were not watching this game; {none}",
        "HELP": f"no answer; {none}",
        "Hello": f"no answer; {none}",
    }
    assert dict(zip(said, answers(club, *said), strict=True)) == said
    assert club.club is not None
    again = list(answers(club, "WATCH all", "WATCH duel01"))
    assert again == [f"you are watching all public games; {none}", f"you are watching duel01; {none}"], (
        "they came before"
    )
    causes = [one.cause for one in read_wishes(club.post)]
    assert len(causes) == len(set(causes)) == 6
    (hosts := club.club / "host.toml").write_text(hosts.read_text("utf-8") + "[letters]\nwatch = false\n", "utf-8")
    assert list(answers(club, "WATCH duel01\n", "UNWATCH other\n")) == [
        f"you cannot watch games here; {none}", f"you were not watching this game; {none}"
    ]  # fmt: skip


def test_nobody_else_writes_for_him(club: Games) -> None:
    for how in ({"sender": DORA}, {"token": "abcdefghjkmnpq"}, {"token": token_for(club.post, DORA)}, {"sender": ""}):
        assert list(answers(club, "UNWATCH", **how)) == ["no answer; duel01+other"], how


def test_who_is_not_known_to_watch_keeps_no_mail_back(hosted: Hosted) -> None:
    keep_fact(hosted.folder / "mail", WATCHING, "nobody knows")
    (trouble,) = hosted.round().troubles
    assert "what is known of spectators is damaged" in trouble
    assert len(hosted.sent_to("federation")) == len(hosted.sent_to("klingon")) == 1


def test_a_report_that_cannot_be_made_is_told_the_umpire_of_its_game(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hosted.folder / "players.toml").write_text(PEOPLE.replace('"duel"', '"duel01"'), encoding="utf-8")
    set_public(hosted.game, True)

    def broken(game: GameFolder) -> PublicReport:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watching, "ended", lambda game: (1, "d"))
    monkeypatch.setattr(watching, "public_report", broken)
    (trouble,) = hosted.round().troubles
    assert trouble.startswith("duel01, as it is watched: ")
    assert [str(mail["Subject"]).split(" TOKEN")[0] for mail in hosted.sent_to("umpire")] == [
        "pbem: the umpire is needed: duel01"
    ]
    assert len(hosted.sent_to("federation")) == len(hosted.sent_to("klingon")) == 1


def test_a_player_watches_what_he_asks_for(club: Games, hosted: Hosted) -> None:
    def said(text: str, games: Games = club) -> tuple[str, str, str]:
        answered: Any = attend(read_letter(hosted.letter("federation", text)), games)
        (reply,) = answered.replies
        return answered.done, reply.kind, " ".join(reply.text.split())

    done, kind, text = said("WATCH duel01\n")
    assert (done, kind) == ("command", "command") and "You are watching duel01." in text
    assert (read_wishes(club.post)[0].address, read_wishes(club.post)[0].game) == ("ann@example.org", "duel01")
    _, kind, text = said("WATCH nothing\n")
    assert (
        kind == "fault"
        and "You can watch these games: duel01. Send WATCH and the name of a game, or WATCH ALL. "
        "You are watching duel01."
        in text
    )
    _, kind, text = said("WATCH\n")
    assert kind == "command" and "You are watching duel01." in text
    _, kind, text = said("UNWATCH\n")
    assert kind == "command" and "You are not watching any game now." in text
    _, _, text = said("WATCH duel01\n", games_of(hosted.game))
    assert "No host sends reports of this game to spectators." in text and len(read_wishes(club.post)) == 2
