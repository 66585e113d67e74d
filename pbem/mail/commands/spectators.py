"""Spectators by mail: who watches a public game gets what everybody may know of each turn when it is over, once.

Whom the umpire names in players.toml (``watches``) does, and every player who sends WATCH GAME; UNWATCH ends both. What
was asked for by letter stands in ``mail/watching.json`` of the club, over players.toml. A game is watched as long as
its site.toml says that it is public, and who plays in it gets his own sitreps instead.

A spectator need not play: the mails he gets bear a token of his own, made from his address with the club's key, by
which his answer is known as his. Mail that does not reach him ends there: he gets no more, and no player's is any
different for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pbem.errors import GameError
from pbem.games.site import PublicReport, ended, public_report, site_settings
from pbem.games.storage.files import json_in, keep, read_bytes
from pbem.games.storage.folder import GameFolder
from pbem.mail import umpires
from pbem.mail.host.clocks import Said
from pbem.mail.incoming.message import Letter
from pbem.mail.people import Roll, read_people
from pbem.mail.replies.receipts import paragraphs
from pbem.mail.replies.reply import Reply, letter_key
from pbem.mail.seats import Games, Seat, tokens_in
from pbem.mail.settings import read_host

if TYPE_CHECKING:
    from pbem.mail.replies.answer import Attendant

FILE: Final = "watching.json"
ALL: Final = "all"
SIDE: Final = "spectator"
"""What stands for a side where a letter is a spectator's."""


class Wish(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody said by letter: that he ``watches`` a game (``all``: every public one), or no longer. ``address``
    is where his mail went then, ``person`` his key in players.toml.
    """

    address: str
    game: str
    watches: bool
    cause: str
    person: str = ""


class Watcher(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who watches, or once did: where his mail goes, the games (or ``all``), and those he does not want, in
    small letters: he may have named one while it was not public, when nobody said how it is written.
    """

    address: str
    name: str = ""
    person: str = ""
    games: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()

    @property
    def to(self) -> str:
        """Where his mail goes, with his name where players.toml has one."""
        return f"{self.name} <{self.address}>" if self.name else self.address

    def watches(self, game: str) -> bool:
        """Whether he watches a game, as far as that may be watched."""
        return (game in self.games or ALL in self.games) and game.casefold() not in self.but

    def after(self, wish: Wish) -> Watcher:
        """The same man after a letter."""
        games, but, one, it = self.games, self.but, frozenset((wish.game,)), frozenset((wish.game.casefold(),))
        if wish.game == ALL:
            games, but = (one if wish.watches else frozenset()), frozenset()
        elif wish.watches:
            games, but = games | one, but - it
        else:
            games, but = games - one, but | it
        return msgspec.structs.replace(self, games=games, but=but)


def read_wishes(post: Path) -> tuple[Wish, ...]:
    """What was asked for by letter. Raises :class:`GameError` where the file is damaged."""
    file = post / FILE
    if not file.is_file():
        return ()
    said = "what is known of spectators is damaged"
    return json_in(read_bytes(file), tuple[Wish, ...], "watching-damaged", said, file)


def watchers(club: Path, people: Roll | None = None) -> tuple[Watcher, ...]:
    """Everybody who watches, or once did. Raises :class:`GameError` where a file cannot be used."""
    people = read_people(club) if people is None else people
    found: dict[str, Watcher] = {}
    for key, person in people.people.items():
        if person.watches:
            games = frozenset(ALL if one.casefold() == ALL else one for one in person.watches)
            found[key] = Watcher(address=person.mail.lower(), name=person.name, person=key, games=games)
    for wish in read_wishes(club / "mail"):
        one = people.people.get(wish.person)
        if one is not None:
            key, new = wish.person, Watcher(address=one.mail.lower(), name=one.name, person=wish.person)
        else:
            key = people.now((wish.address,))[0]
            new = Watcher(address=key)
        before = found.get(key) or new
        found[key] = before.after(wish)
    return tuple(found[key] for key in sorted(found))


def token_for(post: Path, address: str) -> str:
    """The token of who watches from an address."""
    return umpires.token_for(post, f"{SIDE} {address}")


# --- letters ---------------------------------------------------------------------------------------------------------


def watch(desk: Attendant) -> Reply:
    """A player watches another game, or no longer."""
    games, seat = desk.games, desk.seat
    if games.club is None:
        return desk.reply("command", "nothing was changed", ["No host sends reports of this game to others."])
    me = Watcher(address=seat.addresses[0], name=seat.name, person=seat.person)
    found = next((one for one in watchers(games.club) if (one.address, one.person) == (me.address, me.person)), me)
    fault, title, said = _heard(games.club, games, found, desk.letter)
    return desk.reply("fault" if fault else "command", title, paragraphs(said))


def asked(letter: Letter, games: Games) -> tuple[Reply, ...] | None:
    """What is answered to WATCH or UNWATCH of a spectator, who is known by his token and his address; ``None`` for any
    other letter.
    """
    if games.club is None or letter.command not in ("WATCH", "UNWATCH") or not letter.sender:
        return None
    words = {hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest() for word in tokens_in(letter)}
    for one in watchers(games.club) if words else ():
        token = token_for(games.post, one.address)
        if hashlib.sha256(token.encode()).digest() not in words or letter.sender != one.address:
            continue
        _, title, said = _heard(games.club, games, one, letter)
        key = letter_key(letter.digest, "command")
        text = "\n".join(paragraphs(said)) + "\n"
        about = tuple(filter(None, (*letter.references[-10:], letter.message_id)))
        return (
            Reply(
                to=one.to, subject=f"pbem: {title} TOKEN {token}", text=text, in_reply_to=letter.message_id,
                references=about, side=SIDE, kind="command", key=key,
            ),
        )  # fmt: skip
    return None


def _heard(club: Path, games: Games, one: Watcher, letter: Letter) -> tuple[bool, str, str]:
    """Whether a letter could not be done, what is said of it in the subject, and in the text."""
    word = letter.argument.casefold()
    public = _public_games(club)
    known = {name.casefold(): name for name in public}
    off = letter.command == "UNWATCH"
    if off:
        mine = {name.casefold(): name for name in one.games}
        game = ALL if word in ("", ALL) else known.get(word) or mine.get(word, word)
        if game != ALL and not one.watches(game):
            return True, "you do not watch that", f"You do not watch {game}. {_told(one, public)}"
    elif not read_host(club).letters.watch:
        return True, "nothing is to be watched", "In this club the umpire says who watches. Nothing was changed."
    elif word == ALL or word in known:
        game = known.get(word, ALL)
    else:
        open_ = f"Games that may be watched: {', '.join(public) or 'none'}; WATCH GAME or WATCH ALL."
        return bool(word), "what may be watched", f"{open_} {_told(one, public)}"
    known_wishes = read_wishes(games.post)
    if all(wish.cause != letter.digest for wish in known_wishes):
        said = Wish(address=one.address, person=one.person, game=game, watches=not off, cause=letter.digest)
        keep(games.post / FILE, (*known_wishes, said), indent=True)
        one = one.after(said)
    else:  # it comes again
        one = next((w for w in watchers(club) if (w.address, w.person) == (one.address, one.person)), one)
    what = "all public games" if game == ALL else game
    if off:
        return False, f"you no longer watch {what}", f"You no longer watch {what}. {_told(one, public)}"
    how = "What everybody may know of each turn comes to you when the turn is over. UNWATCH ends it."
    return False, f"you watch {what}", f"You watch {what}. {how} {_told(one, public)}"


def _told(one: Watcher, public: Iterable[str]) -> str:
    mine = [game for game in public if one.watches(game)]
    return f"You watch {', '.join(mine)}." if mine else "You watch no game now."


def _public_games(club: Path) -> tuple[str, ...]:
    found = []
    for file in sorted((club / "games").glob("[!.]*/site.toml")):
        with suppress(GameError):  # the site's writer tells of it
            found += [file.parent.name] if site_settings(file.parent).public else []
    return tuple(found)


# --- reports ---------------------------------------------------------------------------------------------------------


class Watching:
    """Who watches the games of a club, in one round."""

    def __init__(self, club: Path, games: Games, people: Roll) -> None:
        self.games = games
        self.watchers = tuple(one for one in watchers(club, people) if one.games)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Where their mail goes."""
        return frozenset(one.address for one in self.watchers)

    def tell(self, game: GameFolder, mine: list[Seat], lost: Iterable[str], put: Callable[[Reply], object]) -> None:
        """Put the reports of the turn that was played last into the outbox, for whom they were not yet. Who begins to
        watch a game that is over gets none. ``mine`` are its players' seats, ``lost`` addresses mail does not reach.
        """
        playing = {address for seat in mine for address in seat.addresses}
        readers = [one for one in self.watchers if one.watches(game.path.name)]
        readers = [one for one in readers if one.address not in playing and one.address not in lost]
        if not readers or not site_settings(game.path).public:
            return
        said, found, told = Said(game.path), ended(game), None
        for one in readers:
            begun, key = f"watched by {one.address}", ""
            if found is not None:
                key = f"watch {game.terms.dice.commitment} {found[0]} {found[1]} {one.address}"
            late = begun not in said.known and game.state().over
            if key and not late and key not in said.known:
                told = told or public_report(game)
                assert told is not None
                put(self._report(told, one, game.path.name, key))
            said.add(*filter(None, (begun, key)))

    def _report(self, told: PublicReport, one: Watcher, game: str, key: str) -> Reply:
        lines = paragraphs(
            f"You watch {told.game}. This is what everybody may know of turn {told.turn}"
            + (", with which the game is over." if told.over else "."),
            f"An answer with the line UNWATCH {game} ends this; UNWATCH alone ends all such mail.",
        )
        title = f"{told.game}: turn {told.turn}, as everybody may know it" + ", the last" * told.over
        token = token_for(self.games.post, one.address)
        return Reply(
            to=one.to,
            subject=f"{title} TOKEN {token}",
            text="\n".join(lines) + f"\n\n{told.text}",
            kind="watch",
            game=told.game,
            side=SIDE,
            attachments=(("sitrep.html", "text/html", told.page),),
            key=key,
        )


def watched_wrongly(club: Path, games: Iterable[str], people: Roll) -> list[str]:
    """What is wrong with the ``watches`` of players.toml: games that are none, and games that are not public."""
    names, public = {*games}, {*_public_games(club)}
    said = []
    for key, person in people.people.items():
        for game in person.watches:
            if game.casefold() != ALL and game not in names:
                said.append(f"people.{key} watches {game}: there is no such game")
            elif game.casefold() != ALL and game not in public:
                said.append(f"people.{key} watches {game}, which is not public: `pbem site GAME --public` makes it so")
    return said
