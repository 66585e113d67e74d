"""Messages between players: kept in the game's folder until the sitrep that tells them.

They are no part of the log: nothing of the game depends on them, dice least of all, and an archive that is given to
everybody must not open what was written to one. Each is a file of its own under ``secret/messages``, whole or not
there; it says with which stretch of play it was told, so the same sitrep tells it however often it is written anew,
and no other does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pbem.data.files import parse_toml, toml_text
from pbem.desk.answers import side_named
from pbem.desk.files import keep, read_bytes
from pbem.desk.folder import GameFolder
from pbem.game.events import UMPIRE as THE_UMPIRE
from pbem.game.state import State
from pbem.orders.messages import ALL, MOST_MESSAGES, UMPIRE, Message, cut
from pbem.values.patterns import regex

if TYPE_CHECKING:
    from pbem.report.view import Word

Allowed = Literal["all", "umpire", "none"]
"""Who may be written to: all, the umpire alone, nobody."""
KEY: Final = "messages"
"""The key of post.toml and host.toml that says so."""
_FOLDER: Final = Path("secret") / "messages"
_FILE: Final = regex(r"(\d+)\.(.+)\.(\d+)\.json")


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits for a sitrep, or was told with one. ``after`` is the number of stretches of play that were
    over when it came; ``told`` that of the sitrep that told it; ``letter`` names the letter it came in. ``loose`` words
    named no reader: they were written where no orders were found, or beside orders.
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
    """What the game's post.toml, or else the host.toml above it, says of messages."""
    for file in (game / "post.toml", game.absolute().parent.parent / "host.toml"):
        with suppress(OSError, ValueError, RecursionError):
            said = parse_toml(toml_text(file)).get(KEY)
            if said in ("all", "umpire", "none"):
                return said  # type: ignore[no-any-return]
    return "all"


def pass_on(
    game: GameFolder, author: str, messages: Iterable[Message], letter: str = "", plays: str = "", *, loose: str = ""
) -> tuple[str, ...]:
    """Keep a side's messages for the next sitrep, each once; what became of them, in sentences. For who holds the lock.
    ``plays`` is the side of an umpire who plays: he reads what is for him, for his side and for all. ``loose`` are
    words that name no reader, and are for the umpire: they take no room from messages.

    Nothing here says whether anybody has answered.
    """
    given = [(message, False) for message in messages]
    given += [(Message(UMPIRE, loose), True)] if loose else []
    if not given:  # most orders have none
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
    if rule == "none" or (rule == "umpire" and message.to != UMPIRE):
        return f"Your message to {_name(message.to)} is not passed on: this game has none between players."
    to = message.to if message.to in (ALL, UMPIRE) else side_named(state, message.to)
    if message.to not in (ALL, UMPIRE):
        if not to:
            sides = ", ".join(side for side in state.sides if side != author)
            return f"It is not passed on: there is no side {message.to[:40]!r}. Write to {sides} or ALL."
        if to == author or state.sides[to].robot:
            why = "that is you" if to == author else "it is played by the robot"
            return f"Your message to {to} is not passed on: {why}."
    if state.over and to != UMPIRE:
        return f"Your message to {_name(to)} is not passed on: the game is over, and no sitrep comes any more."
    text, short = cut(message.text)
    after = state.segment
    all_mine = [one for _, one in _kept(game.path) if one.author == author]
    mine = [one for one in all_mine if one.after == after]
    # The same letter may come again when play has gone on; the same words in another letter are news then.
    known = [*mine, *(one for one in all_mine if letter and one.letter == letter)]
    if not any((one.to, one.text) == (to, text) for one in known):
        if sum(one.loose == loose for one in mine) >= MOST_MESSAGES:
            return _TOO_OFTEN if loose else f"Your message to {_name(to)} is not passed on: {_MOST}."
        kept = Kept(author=author, to=to, text=text, after=after, letter=letter, loose=loose)
        keep(game.path / _FOLDER / f"{after:05}.{author}.{len(mine) + 1:02}.json", kept)
    cut_off = " Its end is cut off: it is too long." if short else ""
    if to == UMPIRE:
        who = f"The umpire, who plays {plays}," if plays not in ("", author) else "The umpire"
        return f"{who} is told what you wrote.{cut_off}"
    read = "" if plays else ", and the umpire reads it"
    return f"Your message to {_name(to)} stands in the next sitrep{read}.{cut_off}"


_MOST: Final = f"{MOST_MESSAGES} are the most for one request"
_TOO_OFTEN: Final = (
    "To reach the umpire, put a line MESSAGE TO UMPIRE before your words. What you wrote without it is not passed on: "
    f"{_MOST}."
)


def was_passed_on(game: GameFolder, author: str, message: Message) -> bool:
    """Whether the umpire has these words from a side that were written to him."""
    text, _ = cut(message.text)
    return any((one.author, one.to, one.text) == (author, message.to, text) for _, one in _kept(game.path))


def _name(to: str) -> str:
    return {ALL: "all", UMPIRE: "the umpire"}.get(to, to[:40])


def due(game: Path, segment: int) -> list[Kept]:
    """The messages that the sitreps after so many stretches of play tell."""
    return [one for _, one in _kept(game) if _is_due(one, segment)]


def note_told(game: Path, segment: int) -> None:
    """Write down that the sitreps after so many stretches of play tell what is due. For who holds the lock."""
    for file, one in _kept(game):
        if _is_due(one, segment) and not one.told:
            keep(file, msgspec.structs.replace(one, told=segment))


def _is_due(one: Kept, segment: int) -> bool:
    return one.after < segment and one.told in (0, segment)


def words_for(messages: Iterable[Kept], reader: str) -> tuple[Word, ...]:
    """What one reader is told of them: the umpire everything, a side what is for it or for all."""
    from pbem.report.view import Word  # who checks or files orders is told nothing

    return tuple(
        Word(author=one.author, to=_name(one.to), text=one.text)
        for one in messages
        if reader == THE_UMPIRE or one.to == reader or (one.to == ALL and one.author != reader)
    )


def _kept(game: Path) -> Iterator[tuple[Path, Kept]]:
    """All messages of a game in order; a damaged one is passed over."""
    folder = game / _FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _FILE.fullmatch(file.name):
            with suppress(ValueError, RecursionError):
                yield file, msgspec.json.decode(read_bytes(file), type=Kept)
