"""Handle messages from players to other people: store them for the next sitrep, copy the umpire.

Limits and storage of messages are in :mod:`pbem.games.messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.games.answers import side_named
from pbem.games.messages import allowed, pass_on, was_passed_on
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import names, players
from pbem.mail import emails
from pbem.mail.commands.umpire import what_helps
from pbem.mail.emails import shown
from pbem.mail.incoming.message import Letter, one_line
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, Seat, without_tokens
from pbem.mail.umpires import Umpire
from pbem.orders.messages import ALL, MOST_MESSAGES, UMPIRE, Message, cut_to_limits, printable_text
from pbem.util import only


class Passed(NamedTuple):
    """What was done with a player's messages to other people.

    Attributes:
        told: Sentences that tell the sender what was done.
        for_umpire: Whether the email contains only text for the umpire.
        copies: The emails to the umpire with copies of the messages.
    """

    told: tuple[str, ...] = ()
    for_umpire: bool = False
    copies: tuple[Reply, ...] = ()


def words_passed_on(
    letter: Letter, games: Games, seat: Seat, game: GameFolder, umpire_of: Callable[[], Umpire], *, wordless: bool
) -> Passed:
    """Store the messages in a player's email for the next sitreps, and return the result.

    Text that names no recipient goes to the umpire. But if the umpire plays an opposing side, the umpire gets only text
    that is explicitly addressed to the umpire: an opponent must not read "shall I fire now?".

    Args:
        letter: The email.
        games: All games of the host.
        seat: The player's side of the game.
        game: The game.
        umpire_of: Returns the umpire of the game; called only if needed.
        wordless: Whether the email has no orders, no command and no message with a named recipient.
    """
    loose = letter.said if wordless else letter.asked
    if not (letter.words or loose):
        return Passed()
    if allowed(game.path) == "none":
        refused = letter.words or letter.asked
        return Passed((emails.sentence("no_messages"),) if refused else ())
    umpire = umpire_of()
    rival = "" if umpire.plays == seat.side else umpire.plays
    words, outcomes = _stored(letter, seat, game, umpire, "" if rival else loose)
    sentences = (*outcomes, emails.sentence("kept_back", side=rival)) if loose and rival else outcomes
    if not words or not umpire.to:
        return Passed(sentences)
    copied = _passed_to_umpire(game, seat.side, words, outcomes)
    for_umpire = wordless and bool(copied) and umpire.plays != seat.side
    return Passed(sentences, for_umpire, _copies(letter, games, seat, umpire, copied, for_umpire=for_umpire))


def _passed_to_umpire(
    game: GameFolder, side: str, words: Sequence[Message], outcomes: Sequence[str]
) -> list[tuple[Message, str]]:
    """Return a side's messages that are copied to the umpire, each with a sentence for its sender.

    A message to the umpire that was not passed on is left out.
    """
    return [
        (word, outcome)
        for word, outcome in zip(words, outcomes, strict=True)
        if word.to != UMPIRE or was_passed_on(game, side, word)
    ]


def _stored(
    letter: Letter, seat: Seat, game: GameFolder, umpire: Umpire, loose: str
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """Store the messages in a player's email, and return them with a sentence for the sender about each.

    ``loose`` is text without a recipient, for the umpire; ``""`` if there is none. It becomes the last message.
    """
    # Links and tokens are secrets, so they are removed from messages.
    named = [_by_name(word, seat, game) for word in letter.words]
    words = tuple(Message(word.to, without_tokens(word.text)) for word in named)
    unnamed = printable_text(without_tokens(loose)) if loose else ""
    outcomes = pass_on(game, seat.side, words, letter.digest, umpire.plays, loose=unnamed)
    return (*words, Message(UMPIRE, unnamed)) if unnamed else words, outcomes


def _copies(
    letter: Letter, games: Games, seat: Seat, umpire: Umpire, copied: Sequence[tuple[Message, str]], *, for_umpire: bool
) -> tuple[Reply, ...]:
    """Return the email with the umpire's copies of a player's messages; empty if the umpire gets none.

    ``copied`` are pairs of a message and the sentence for its sender. With ``for_umpire`` the email also lists commands
    that may help to answer.
    """
    if umpire.plays:  # an umpire who plays must not read other players' messages, nor learn their recipients
        copied = [one for one in copied if one[0].to in (ALL, UMPIRE, umpire.plays)]
    if not copied or umpire.plays == seat.side:
        return ()
    helps = what_helps(games.club, seat, games.now) if for_umpire and games.club is not None else []
    return (_copy(letter, seat, umpire.to, copied, helps, games.club),)


def _by_name(word: Message, seat: Seat, game: GameFolder) -> Message:
    """Return a message to a player's name, readdressed to that player's side.

    ``MESSAGE TO Ann Lee`` is read as a message to Ann whose text begins with Lee. If a player is called Ann Lee, "Lee"
    is removed from the text.
    """
    to = word.to.casefold()
    if word.to in (ALL, UMPIRE) or side_named(game.state(), word.to):
        return word
    shown_as, written = names(game.path), players(game.path, game.terms)
    called = {side: shown_as.get(one, one).partition("<")[0].strip(' "') for side, one in written.items()}
    whole = [side for side, name in called.items() if side != seat.side and name.casefold() == to]
    first = [side for side, name in called.items() if side != seat.side and name.casefold().split()[:1] == [to]]
    side = only(whole) or only(first)
    if side is None:
        return word
    surname = called[side].partition(" ")[2]
    text = word.text if whole or not surname else word.text.removeprefix(surname).lstrip(" :,\n")
    return Message(side, text or word.text)


def _copy(
    letter: Letter,
    seat: Seat,
    to: str,
    copied: Sequence[tuple[Message, str]],
    helps: Sequence[str],
    club: Path | None,
) -> Reply:
    """Return the umpire's copy of a player's messages.

    It includes what the sender was told about each message, and lists commands that may help to answer.

    Args:
        letter: The player's email.
        seat: The player's side.
        to: The umpire's address.
        copied: Pairs of a message and the sentence for its sender.
        helps: Lines with commands that may help.
        club: The club's folder.
    """
    messages = []
    for word, _ in copied[:MOST_MESSAGES]:
        whom = {ALL: "all", UMPIRE: "you"}.get(word.to, one_line(word.to)[:40])
        messages.append(([f"to {whom}:"], shown(cut_to_limits(word.text)[0])))
    email = emails.render(
        "player-writes",
        club,
        game=seat.game,
        side=seat.side,
        who=seat.name or letter.sender,
        sender=letter.sender,
        messages=messages,
        told=[one for _, one in copied],
        helps=helps,
    )
    key = letter_key(letter.digest, "word", "umpire")  # the answer to the sender has the key "word" alone
    return to_umpire(
        to, email.subject, email.text, key, kind="word", game=seat.game,
        answers_to=letter.sender,
    )  # fmt: skip
