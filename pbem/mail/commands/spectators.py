"""Send spectators a public report after each turn of a public game, and handle WATCH and UNWATCH.

Spectators are the people with ``watches`` in players.toml, and people who sent WATCH GAME; UNWATCH ends both.
Requests sent by email are the fact ``watching`` of the club's database and override players.toml. A game can be
watched as long as its site.toml says that it is public. Players of a game get their own sitreps instead.

A spectator need not be a player. The emails to a spectator contain a token made from the address with the club's key,
by which the spectator's answers are recognized. If email to a spectator bounces, no more is sent there; no player's
email is affected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.site import PublicReport, ended, public_report, site_settings
from pbem.games.storage.folder import GameFolder
from pbem.mail import emails, umpires
from pbem.mail.incoming.message import Letter
from pbem.mail.people import Roll, read_people
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Outgoing, Reply, letter_key
from pbem.mail.seats import Games, Seat, tokens_in
from pbem.mail.settings import read_host
from pbem.mail.store import keep_fact, list_of

WATCHING: Final = "watching"
ALL: Final = "all"
SIDE: Final = "spectator"
"""Text that is used in place of a side in emails to and from spectators."""


class Wish(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person's request, sent by email, to watch a game or to stop watching it.

    Attributes:
        address: The sender's address when they sent the request.
        game: The game, or ``all`` for every public one.
        watches: True to watch the game, false to stop.
        cause: Digest (hash) of the email with the request.
        person: The sender's key in players.toml.
    """

    address: str
    game: str
    watches: bool
    cause: str
    person: str = ""


class Watcher(msgspec.Struct, frozen=True, kw_only=True):
    """A person who watches games, or who watched some before.

    Attributes:
        address: The person's address.
        name: The name in players.toml; empty if there is none.
        person: The key in players.toml; empty if there is none.
        games: The games they watch, or ``all``.
        but: The games they do not want to watch, in lower case. Names of private and nonexistent games are accepted
            too, because a refusal would tell the sender which games exist.
    """

    address: str
    name: str = ""
    person: str = ""
    games: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()

    @property
    def to(self) -> str:
        """The person's address for the ``To`` header of an email, with the name if players.toml has one."""
        return f"{self.name} <{self.address}>" if self.name else self.address

    def watches(self, game: str) -> bool:
        """Return whether the person wants to watch a game; this does not check whether the game is public."""
        return (game in self.games or ALL in self.games) and game.casefold() not in self.but

    def after(self, wish: Wish) -> Watcher:
        """Return a copy of this person to which one more WATCH or UNWATCH request was applied."""
        games, but, one, it = self.games, self.but, frozenset((wish.game,)), frozenset((wish.game.casefold(),))
        if wish.game == ALL:
            games, but = (one if wish.watches else frozenset()), frozenset()
        elif wish.watches:
            games, but = games | one, but - it
        else:
            games, but = games - one, but | it
        return msgspec.structs.replace(self, games=games, but=but)


def read_wishes(post: Path) -> tuple[Wish, ...]:
    """Return the requests to watch games that were sent by email.

    Raises:
        GameError: If the list in the database is damaged.
    """
    return list_of(post, WATCHING, Wish)


def watchers(club: Path, people: Roll | None = None) -> tuple[Watcher, ...]:
    """Return everybody who watches or has watched games, sorted by key or address.

    ``people`` are the people of the club, if the caller has read them.

    Raises:
        GameError: If a file cannot be used.
    """
    people = read_people(club) if people is None else people
    by_person: dict[str, Watcher] = {}
    for key, person in people.people.items():
        if person.watches:
            games = frozenset(ALL if one.casefold() == ALL else one for one in person.watches)
            by_person[key] = Watcher(address=person.mail.lower(), name=person.name, person=key, games=games)
    for wish in read_wishes(club / "mail"):
        one = people.people.get(wish.person)
        if one is not None:
            key, new = wish.person, Watcher(address=one.mail.lower(), name=one.name, person=wish.person)
        else:
            key = people.now((wish.address,))[0]
            new = Watcher(address=key)
        before = by_person.get(key) or new
        by_person[key] = before.after(wish)
    return tuple(by_person[key] for key in sorted(by_person))


def token_for(post: Path, address: str) -> str:
    """Return the token of the spectator with this address; ``post`` is the club's mail folder."""
    return umpires.token_for(post, f"{SIDE} {address}")


# --- commands --------------------------------------------------------------------------------------------------------


def watch(conversation: Conversation) -> Reply:
    """Answer WATCH or UNWATCH from a player: start or stop watching a game in which they do not play."""
    games, seat = conversation.games, conversation.seat
    if games.club is None:
        return conversation.answer("command", "no-host", command="WATCH")
    me = Watcher(address=seat.addresses[0], name=seat.name, person=seat.person)
    watcher = next((one for one in watchers(games.club) if (one.address, one.person) == (me.address, me.person)), me)
    fault, values = _heard(games.club, games, watcher, conversation.letter)
    return conversation.answer("fault" if fault else "command", "watch", **values)


def asked(letter: Letter, games: Games) -> tuple[Reply, ...] | None:
    """Return the answer to WATCH or UNWATCH from a spectator; ``None`` for any other email.

    A spectator is recognized by token and address together.
    """
    if games.club is None or letter.command not in ("WATCH", "UNWATCH") or not letter.sender:
        return None
    words = {hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest() for word in tokens_in(letter)}
    for watcher in watchers(games.club) if words else ():
        token = token_for(games.post, watcher.address)
        if hashlib.sha256(token.encode()).digest() not in words or letter.sender != watcher.address:
            continue
        email = emails.render("watch", games.club, **_heard(games.club, games, watcher, letter)[1])
        key = letter_key(letter.digest, "command")
        about = tuple(filter(None, (*letter.references[-10:], letter.message_id)))
        return (
            Reply(
                to=watcher.to, subject=f"pbem: {email.subject} TOKEN {token}", text=f"{email.text}\n",
                in_reply_to=letter.message_id,
                references=about, side=SIDE, kind="command", key=key,
            ),
        )  # fmt: skip
    return None


def _heard(club: Path, games: Games, watcher: Watcher, letter: Letter) -> tuple[bool, dict[str, emails.Value]]:
    """Carry out WATCH or UNWATCH of the spectator ``watcher``.

    Returns:
        Whether the command failed, and the template values of the answer.
    """
    word = letter.argument.casefold()
    public = _public_games(club)
    public_names = {name.casefold(): name for name in public}
    off = letter.command == "UNWATCH"
    if off:
        mine = {name.casefold(): name for name in watcher.games}
        game = ALL if word in ("", ALL) else public_names.get(word) or mine.get(word, word)
        if game != ALL and not watcher.watches(game):
            return True, _told("stranger", game, watcher, public)
    elif not read_host(club).letters.watch:
        return True, _told("closed", "", watcher, public)
    elif word == ALL or word in public_names:
        game = public_names.get(word, ALL)
    else:
        return bool(word), _told("asked", "", watcher, public)
    known_wishes = read_wishes(games.post)
    if all(wish.cause != letter.digest for wish in known_wishes):
        request = Wish(address=watcher.address, person=watcher.person, game=game, watches=not off, cause=letter.digest)
        keep_fact(games.post, WATCHING, (*known_wishes, request))
        watcher = watcher.after(request)
    else:  # the email is processed again
        watcher = next(
            (w for w in watchers(club) if (w.address, w.person) == (watcher.address, watcher.person)), watcher
        )
    what = "all public games" if game == ALL else game
    return False, _told("ended" if off else "begun", what, watcher, public)


def _told(done: str, game: str, watcher: Watcher, public: Sequence[str]) -> dict[str, emails.Value]:
    watched = [each for each in public if watcher.watches(each)]
    return {"done": done, "game": game, "open": public, "watched": watched}


def _public_games(club: Path) -> tuple[str, ...]:
    names = []
    for file in sorted((club / "games").glob("[!.]*/site.toml")):
        with suppress(GameError):  # the code that writes the site reports a faulty site.toml
            names += [file.parent.name] if site_settings(file.parent).public else []
    return tuple(names)


# --- reports ---------------------------------------------------------------------------------------------------------


class Watching:
    """The spectators of a club's games; used during one round of the host."""

    def __init__(self, club: Path, games: Games, people: Roll) -> None:
        self.games = games
        self.watchers = tuple(one for one in watchers(club, people) if one.games)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """The addresses of all spectators."""
        return frozenset(one.address for one in self.watchers)

    def reports(self, game: GameFolder, seats: list[Seat], lost: Iterable[str], known: Set[str]) -> Iterator[Outgoing]:
        """Yield a report on the last turn played, for each spectator of a game who has not got it yet.

        A spectator who begins to watch a game that is over gets no report.

        Args:
            game: The game.
            seats: The seats of the game's players, who get no such report.
            lost: Addresses that email does not reach.
            known: The keys of the emails that were sent.
        """
        playing = {address for seat in seats for address in seat.addresses}
        readers = [one for one in self.watchers if one.watches(game.path.name)]
        readers = [one for one in readers if one.address not in playing and one.address not in lost]
        if not readers or not site_settings(game.path).public:
            return
        last_turn, report = ended(game), None
        for one in readers:
            begun, key = f"watched by {one.address}", ""
            if last_turn is not None:
                key = f"watch {game.terms.dice.commitment} {last_turn[0]} {last_turn[1]} {one.address}"
            late = begun not in known and game.state().over
            replies: tuple[Reply, ...] = ()
            if key and not late and key not in known:
                report = report or public_report(game)
                assert report is not None
                replies = (self._report(report, one, game.path.name, key),)
            yield Outgoing(replies=replies, keys=(begun, *filter(None, (key,))))

    def _report(self, report: PublicReport, watcher: Watcher, game: str, key: str) -> Reply:
        email = emails.render(
            "watched-turn",
            self.games.club,
            game=report.game,
            turn=report.turn,
            over=report.over,
            folder=game,
            report=[report.text],
        )
        token = token_for(self.games.post, watcher.address)
        return Reply(
            to=watcher.to,
            subject=f"{email.subject} TOKEN {token}",
            text=email.text,
            kind="watch",
            game=report.game,
            side=SIDE,
            attachments=(("sitrep.html", "text/html", report.page),),
            key=key,
        )


def watched_wrongly(club: Path, games: Iterable[str], people: Roll) -> list[str]:
    """Return a sentence for each ``watches`` entry in players.toml that names an unknown or private game.

    ``games`` are the names of the club's games.
    """
    names, public = {*games}, {*_public_games(club)}
    sentences = []
    for key, person in people.people.items():
        for game in person.watches:
            if game.casefold() != ALL and game not in names:
                sentences.append(f"people.{key} watches {game}: there is no such game")
            elif game.casefold() != ALL and game not in public:
                sentences.append(
                    f"people.{key} watches {game}, which is not public: `pbem site GAME --public` makes it so"
                )
    return sentences
