"""Messages between players: stored in the game folder until the next sitrep delivers them.

Messages are not part of the log. Nothing in the game, in particular no dice roll, depends on them, and a public
archive must not disclose private messages. Each message is a separate file under ``secret/messages``, written
completely or not at all. The file records which sitrep delivered the message, by the number of segments of play
before that sitrep. If a sitrep is written again, it therefore contains the same messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pbem.data.files import parse_toml, toml_text
from pbem.engine.events import UMPIRE as THE_UMPIRE
from pbem.engine.state import State
from pbem.games.answers import side_named
from pbem.games.storage.files import keep, read_bytes
from pbem.games.storage.folder import GameFolder
from pbem.orders.messages import ALL, MOST_MESSAGES, UMPIRE, Message, cut_to_limits
from pbem.util import regex

if TYPE_CHECKING:
    from pbem.reports.view.model import PlayerMessage

Allowed = Literal["all", "umpire", "none"]
"""Permitted recipients of messages between players: everybody, only the umpire, or nobody."""
KEY: Final = "messages"
"""Name of the setting in ``post.toml`` and ``host.toml`` for the permitted recipients."""
_FOLDER: Final = Path("secret") / "messages"
_FILE: Final = regex(r"(\d+)\.(.+)\.(\d+)\.json")


class StoredMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A stored message, which waits for the next sitrep or was delivered with a sitrep.

    A segment is the play from one request for orders to the next.

    Attributes:
        format: Version of the file format.
        author: The side that wrote the message.
        to: The addressee, as in :class:`pbem.orders.messages.Message`.
        text: The text.
        after: The number of segments that had been played when the message arrived.
        told: The number of segments before the sitrep that delivered it; 0 if it is not delivered yet.
        letter: The id of the email that contained the message.
        loose: Whether it is email text outside of any message block; such text goes to the umpire.
    """

    format: int = 1
    author: str
    to: str
    text: str
    after: int
    told: int = 0
    letter: str = ""
    loose: bool = False


def allowed(game: Path) -> Allowed:
    """Return who may receive messages: ``all`` (everybody), ``umpire`` (only the umpire) or ``none``.

    The setting is in the game's ``post.toml``, else in the host's ``host.toml``. The default is ``all``.
    """
    for file in (game / "post.toml", game.absolute().parent.parent / "host.toml"):
        with suppress(OSError, ValueError, RecursionError):
            said = parse_toml(toml_text(file)).get(KEY)
            if said in ("all", "umpire", "none"):
                return said  # type: ignore[no-any-return]
    return "all"


def pass_on(
    game: GameFolder, author: str, messages: Iterable[Message], letter: str = "", plays: str = "", *, loose: str = ""
) -> tuple[str, ...]:
    """Store a side's messages for the next sitrep, each once, and return one sentence about each.

    The caller must hold the game's lock. The sentences do not reveal whether anybody has answered the request.

    Args:
        game: The opened game.
        author: The side that wrote the messages.
        messages: The messages, as read from the order file or email.
        letter: The id of the email that contained them.
        plays: The side of an umpire who is also a player. This umpire reads only messages to the umpire, to this side
            or to all.
        loose: Text of the email outside of any message block, which goes to the umpire; empty if there is none.
    """
    given = [(message, False) for message in messages]
    given += [(Message(UMPIRE, loose), True)] if loose else []
    if not given:  # most orders contain no messages
        return ()
    rule, state = allowed(game.path), game.state()
    return tuple(_pass_on(game, state, author, message, rule, letter, plays, loose=bare) for message, bare in given)


def _pass_on(
    game: GameFolder,
    state: State,
    author: str,
    message: Message,
    rule: Allowed,
    letter: str,
    plays: str,
    *,
    loose: bool,
) -> str:
    to = message.to if message.to in (ALL, UMPIRE) else side_named(state, message.to)
    if refused := _why_not(state, author, message, to, rule):
        return refused
    text, short = cut_to_limits(message.text)
    after = state.segment
    all_mine = [one for _, one in _kept(game.path) if one.author == author]
    mine = [one for one in all_mine if one.after == after]
    # The same email may arrive again after more play. The same text in another email is then a new message.
    known = [*mine, *(one for one in all_mine if letter and one.letter == letter)]
    if not any((one.to, one.text) == (to, text) for one in known):
        if sum(one.loose == loose for one in mine) >= MOST_MESSAGES:
            return _TOO_OFTEN if loose else f"Your message to {_name(to)} was not passed on: {_MOST}."
        kept = StoredMessage(author=author, to=to, text=text, after=after, letter=letter, loose=loose)
        keep(game.path / _FOLDER / f"{after:05}.{author}.{len(mine) + 1:02}.json", kept)
    cut_off = " Its end is cut off: it is too long." if short else ""
    if to == UMPIRE:
        who = f"the umpire, who plays {plays}" if plays not in ("", author) else "the umpire"
        return f"Your message has been passed on to {who}.{cut_off}"
    read = "" if plays else "; the umpire reads it, too"
    return f"Your message to {_name(to)} will be in the next sitrep{read}.{cut_off}"


_MOST: Final = f"{MOST_MESSAGES} are the most for one request"
_TOO_OFTEN: Final = (
    "To reach the umpire, put a line MESSAGE TO UMPIRE before your words. What you wrote without it was not passed on: "
    f"{_MOST}."
)


def was_passed_on(game: GameFolder, author: str, message: Message) -> bool:
    """Return whether this message from ``author`` to the umpire is already stored."""
    text, _ = cut_to_limits(message.text)
    return any((one.author, one.to, one.text) == (author, message.to, text) for _, one in _kept(game.path))


def _why_not(state: State, author: str, message: Message, to: str, rule: Allowed) -> str:
    """Return a sentence that says why a message is not passed on, or ``""`` if it can be passed on.

    ``to`` is the addressee as the game spells it; it is empty for the umpire and for a side that does not exist.
    """
    if rule == "none" or (rule == "umpire" and message.to != UMPIRE):
        return f"Your message to {_name(message.to)} was not passed on: this game has none between players."
    if message.to not in (ALL, UMPIRE):
        if not to:
            sides = ", ".join(side for side in state.sides if side != author)
            return f"It was not passed on: there is no side {message.to[:40]!r}. Write to {sides} or ALL."
        if to == author or state.sides[to].robot:
            why = "that is you" if to == author else "it is played by the robot"
            return f"Your message to {to} was not passed on: {why}."
    if state.over and to != UMPIRE:
        return f"Your message to {_name(to)} was not passed on: the game is over, and no sitrep comes any more."
    return ""


def _name(to: str) -> str:
    return {ALL: "all", UMPIRE: "the umpire"}.get(to, to[:40])


def due(game: Path, segment: int) -> list[StoredMessage]:
    """Return the messages for the sitreps that are written after ``segment`` segments of play."""
    return [one for _, one in _kept(game) if _is_due(one, segment)]


def note_told(game: Path, segment: int) -> None:
    """Mark all waiting messages as delivered by the sitreps after ``segment`` segments of play.

    The caller must hold the game's lock.
    """
    for file, one in _kept(game):
        if _is_due(one, segment) and not one.told:
            keep(file, msgspec.structs.replace(one, told=segment))


def _is_due(one: StoredMessage, segment: int) -> bool:
    return one.after < segment and one.told in (0, segment)


def words_for(messages: Iterable[StoredMessage], reader: str) -> tuple[PlayerMessage, ...]:
    """Return the messages that one reader may see, in the form that reports use.

    The umpire sees all messages; a side sees those addressed to it or to all.
    """
    # imported here because commands that check or file orders do not need it
    from pbem.reports.view.model import PlayerMessage

    return tuple(
        PlayerMessage(author=one.author, to=_name(one.to), text=one.text)
        for one in messages
        if reader == THE_UMPIRE or one.to == reader or (one.to == ALL and one.author != reader)
    )


def _kept(game: Path) -> Iterator[tuple[Path, StoredMessage]]:
    """Yield all stored messages of a game in order, with their files; damaged files are skipped."""
    folder = game / _FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _FILE.fullmatch(file.name):
            with suppress(ValueError, RecursionError):
                yield file, msgspec.json.decode(read_bytes(file), type=StoredMessage)
