"""Process incoming emails, from their bytes to the answers in the outbox; each counts exactly once.

The order of the steps ensures this. Orders are filed, then the answers are put into the outbox, then one transaction
writes what the email changes in the database and adds it to the journal. Only then is the email marked as handled in
the mailbox. If the program stops in between, the email is fetched again. Filing the same orders twice gives one
version, and the answers get the same names as before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import Fault, GameError
from pbem.games.storage.files import write_bytes
from pbem.mail import emails
from pbem.mail.commands import EMAIL_COMMANDS
from pbem.mail.commands.seats import to_come
from pbem.mail.incoming.ledger import LET_IN, Ledger, held, notice
from pbem.mail.incoming.message import OWN_HEADER, Letter, one_line, read_letter
from pbem.mail.replies.answer import Answered, attend
from pbem.mail.replies.conversation import Due, no_deadline
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Known, Seat, games_in, host_games, names_seat, tokens_in, who, without_tokens
from pbem.mail.settings import broken_by, read_host
from pbem.mail.store import Done, EmailRecord, LetterStreak
from pbem.mail.transport.outbox import open_outbox
from pbem.mail.transport.sources import Source, read_file

MOST_EMPTY = 3
"""Maximum number of emails in a row without orders or commands, from one side, that are answered."""
MOST_SAME = 12
"""Maximum number of emails in a row with the same content, from one side, that are answered.

No person sends more.
"""
MOST_IDLE = 30
"""Maximum number of emails in a row without new orders, from one side, that are answered."""

SEATING: Final = frozenset(one.word for one in EMAIL_COMMANDS if one.moves_players)
"""Commands that may change which player has which side, or a player's address."""

Put = Callable[[Reply], Path | None]
"""Type of a function that puts an email into the outbox, unless an email with its key is there."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The result of processing one email.

    Attributes:
        entry: The email's entry in the journal, which says what was done.
        replies: The answers.
        again: Whether the email had been processed before.
        moves: Whether the email may have changed which player has which side, or a player's address.
    """

    entry: EmailRecord
    replies: tuple[Reply, ...] = ()
    again: bool = False
    moves: bool = False


class Waits(GameError):
    """Error: an email cannot be processed now, because its game is locked or cannot be written.

    The email stays in the mailbox, and so do later emails for the same game.
    """


def take_in(
    raw: bytes, games: Games, ledger: Ledger, put: Put, *, due: Due = no_deadline, left: set[str] | None = None
) -> Taken:
    """Process one email, and return the result.

    If anything unexpected goes wrong, the email is put into quarantine (stored for the umpire) and the umpire is
    notified. So other emails are not affected.

    Args:
        raw: The bytes of the email.
        games: The games it may be for.
        ledger: The journal.
        put: Puts answers into the outbox.
        due: Returns the sentence about a seat's deadline.
        left: Names of games for which an earlier email is still waiting; later emails for them must wait too.

    Raises:
        Waits: If the email must be tried again later.
    """
    letter = read_letter(raw)
    try:
        with ledger.transaction():
            before = ledger.find(letter.digest)
            if before is not None and not (before.done == "quarantine" and isinstance(who(letter, games), Known)):
                return Taken(entry=before, again=True)
            answered = _attended(letter, games, ledger, due, set() if left is None else left)
            return _settled(raw, letter, answered, games, ledger, put)
    except GameError:
        raise
    except Exception as error:
        why = f"taking it in failed: {broken_by(error)}"
        done: Done = "trouble" if _is_known(letter, games) else "quarantine"  # an email of a stranger is not urgent
        answered = Answered(done=done, aside=True, why=why, replies=notice(letter, games, why))
        with ledger.transaction():
            return _settled(raw, letter, answered, games, ledger, put)


def _is_known(letter: Letter, games: Games) -> bool:
    with suppress(Exception):
        return isinstance(who(letter, games), Known)
    return False


def _settled(raw: bytes, letter: Letter, answered: Answered, games: Games, ledger: Ledger, put: Put) -> Taken:
    """Record the result of an email: put its answers into the outbox, and add the email to the journal."""
    entry = _entry(letter, answered, games)
    if answered.aside:
        name = ledger.put_aside(raw, letter.digest, answered.why, known=bool(answered.side))
        entry = msgspec.structs.replace(entry, file=name, subject=without_tokens(letter.subject)[:200])
    for reply in answered.replies:
        put(reply)
    ledger.add(entry)
    return Taken(entry=entry, replies=answered.replies, moves=letter.command in SEATING)


def _attended(letter: Letter, games: Games, ledger: Ledger, due: Due, left: set[str]) -> Answered:
    """Do what an email asks for, and return the result with the answers.

    If a player's email seems to come from a machine, it is put into quarantine without an answer, since two machines
    would answer each other without end. New orders are always answered.
    """
    found = who(letter, games) if letter.kind in ("orders", "command", "empty", "unread") else None
    if not isinstance(found, Known):
        try:
            return attend(letter, games, due=due)
        except GameError as error:  # the game that the umpire rules on is locked
            raise Waits(*error.faults) from error
    seat = found.seat
    row = ledger.row(seat.game, seat.side)
    if _is_unclear(letter) and row.done == "empty" and row.done_so >= MOST_EMPTY:
        why = f"it is one of many without orders from {letter.sender}; they are no longer answered"
        told_of = notice(letter, games, why)
        return Answered(done="empty", aside=True, game=seat.game, side=seat.side, why=why, replies=told_of)
    if seat.game in left:
        raise Waits(Fault(code="game-locked", text="an earlier email has to be answered first"))
    try:
        answered = attend(letter, games, due=due)
    except GameError as error:
        left.add(seat.game)
        raise Waits(*error.faults) from error
    if answered.sha256 and answered.sha256 != row.sha256:
        return answered
    if answered.done == "empty" and row.done == "empty" and row.done_so == MOST_EMPTY - 1:
        answered = _with_warning(answered)
    return _or_silent(letter, games, answered, row)


def _is_unclear(letter: Letter) -> bool:
    """Return whether an email has no orders, no command and no message to people, or could not be parsed."""
    return letter.kind == "unread" or (letter.kind == "empty" and not letter.words)


def _with_warning(answered: Answered) -> Answered:
    """Return the result for an email, with a note added to its first answer.

    The note says that the next such email gets no answer.
    """
    warned = (
        msgspec.structs.replace(one, text=f"{one.text}\n{emails.lines('last_answer')}\n")
        for one in answered.replies[:1]
    )
    return msgspec.structs.replace(answered, replies=(*warned, *answered.replies[1:]))


def _or_silent(letter: Letter, games: Games, answered: Answered, row: LetterStreak) -> Answered:
    """Return the result for a player's email, without answers if too many emails in a row were alike.

    ``row`` says how many of the side's latest emails in a row were alike. The umpire is informed.
    """
    if row.same == _said(letter) and row.said_so >= MOST_SAME:
        why = f"{letter.sender} writes the same again and again; it is no longer answered"
    elif row.idle >= MOST_IDLE:
        why = f"{letter.sender} has sent {row.idle} letters without new orders; they are no longer answered"
    else:
        return answered
    # Messages to the umpire are still passed on.
    words = (one for one in answered.replies if one.kind == "word" and one.side == "umpire" and letter.words)
    return msgspec.structs.replace(answered, aside=True, why=why, replies=(*notice(letter, games, why), *words))


def take_in_all(
    source: Source,
    games: Games,
    put: Put,
    *,
    due: Due = no_deadline,
    left: set[str] | None = None,
    anew: Callable[[], Games] | None = None,
) -> Iterator[Taken]:
    """Process every email in a mailbox, and yield the result of each.

    An email whose game is locked or cannot be written stays in the mailbox, and so do later ones for the same game.

    A player may have to confirm a new address by sending back a code. Other emails from that address are processed
    last, because a mailbox may not be in the order in which its emails were written.

    Args:
        source: The mailbox.
        games: The games the emails may be for.
        put: Puts answers into the outbox.
        due: Returns the sentence about a seat's deadline.
        left: The set to which the names of games with waiting emails are added.
        anew: Function that reads the games again, after an email that may have changed which player has which side.
    """
    left = set() if left is None else left
    with held(games.post) as ledger:
        for key, raw in _codes_first(source.fetch(), to_come(games)):
            try:
                taken = take_in(raw, games, ledger, put, due=due, left=left)
            except Waits as error:
                if any(fault.code != "game-locked" for fault in error.faults):
                    source.miss(f"an email waits in the inbox: {error}")
                continue
            except GameError:
                raise  # the disk or the journal cannot be used, so no email can be processed now
            except Exception as error:
                source.miss(f"an email stays in the inbox, because it can neither be taken in nor put aside ({key}): "
                            f"{broken_by(error)}")  # fmt: skip
                continue
            try:
                source.done(key)
            except Exception as error:
                # This email will be fetched again, and the journal has it. Go on with the next ones.
                why = broken_by(error)
                source.miss(f"an email that was received could not be moved away: {why}")
            yield taken
            if anew is not None and taken.moves and not taken.again:
                games = anew()


def _codes_first(letters: Iterable[tuple[str, bytes]], to_come: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the emails of a mailbox, with those from unconfirmed new addresses (``to_come``) last.

    Emails that may contain a confirmation code keep their place.
    """
    later = []
    for key, raw in letters:
        letter = read_letter(raw) if to_come else None
        if letter is not None and letter.sender in to_come and letter.command not in SEATING:
            later.append((key, raw))
        else:
            yield key, raw
    yield from later


def _entry(letter: Letter, answered: Answered, games: Games) -> EmailRecord:
    return EmailRecord(
        digest=letter.digest,
        done=answered.done,
        message_id=letter.message_id,
        sender=letter.sender,
        game=answered.game,
        side=answered.side,
        sha256=answered.sha256,
        replies=tuple(reply.key for reply in answered.replies),
        why=answered.why,
        same=_said(letter),
        lost=answered.lost,
        at=games.now.isoformat() if games.now is not None else "",
    )


def _said(letter: Letter) -> str:
    """Return a hash of an email's content, by which repeated emails are detected.

    The subject counts only if there is nothing else. Digits are ignored outside orders, since ticket systems put a
    new number into each answer.
    """
    words = "\n".join(word.text for word in letter.words)
    text = letter.text or words or without_tokens(letter.subject)
    text = text.translate(_NO_DIGITS) if text.isascii() else "".join(char for char in text if not char.isdecimal())
    orders = letter.text if letter.kind == "orders" else text
    said = msgspec.json.encode([letter.kind, letter.command, letter.argument, orders])
    return hashlib.sha256(said).hexdigest()[:16]


_NO_DIGITS: Final = dict.fromkeys(map(ord, "0123456789"))


def accept(file: Path, games: Games, put: Put, *, game: str = "", side: str = "") -> Taken:
    """Process an email from the quarantine, after the umpire said that a certain player wrote it.

    The player is found by the token, else by the address, else by ``game`` and ``side``. The answer goes to the
    player's known address.

    Args:
        file: The file of the email.
        games: The games it may be for.
        put: Puts answers into the outbox.
        game: The name of the player's game, if the umpire gave one.
        side: The player's side, if the umpire gave one.

    Raises:
        GameError: If the player cannot be determined, the email cannot be processed, or another command is running.
    """
    aside = games.post / file
    found = file if file.is_file() or not aside.is_file() else aside
    raw = read_file(found)
    letter = read_letter(raw, person=True)
    digest = read_letter(raw).digest
    seat = _seat_of(letter, games, game, side)
    sender = letter.sender if letter.sender in seat.addresses else seat.addresses[0]
    letter = msgspec.structs.replace(letter, sender=sender, digest=digest)
    with held(games.post) as ledger:
        before = ledger.find(digest)
        if before is not None and (before.done not in LET_IN or before.sha256):
            return Taken(entry=before, again=True)
        with ledger.transaction():
            answered = attend(letter, games, seat=seat)
            entry = _entry(letter, answered, games)
            if answered.aside:
                why = answered.why or f"it is {letter.kind}"
                raise GameError.saying("letter", f"this email cannot be accepted now: {why}", file=str(found))
            for reply in answered.replies:
                put(reply)
            ledger.add(entry, let_in=True)
        if before is not None:
            ledger.taken_back(before.file)
    return Taken(entry=entry, replies=answered.replies)


def _seat_of(letter: Letter, games: Games, game: str, side: str) -> Seat:
    meant = [seat for word in tokens_in(letter) for seat in games.of_token(word)]
    theirs = [seat for seat in games.seats if letter.sender in seat.addresses]
    both = [seat for seat in theirs if seat in meant]
    for among, vouched in ((both, True), (meant, True), (theirs, True), (list(games.seats), bool(game or side))):
        named = {
            seat.token: seat
            for seat in among
            if game.casefold() in ("", seat.game.casefold()) and side.casefold() in ("", seat.side.casefold())
        }
        if among is not both and len(named) > 1 and letter.kind == "orders":
            headed = {token: seat for token, seat in named.items() if names_seat(letter.text, seat)}
            named = headed if len(headed) == 1 else named
        if len(named) == 1 and vouched:
            return next(iter(named.values()))
    sides = ", ".join(sorted(f"--game {seat.game} --side {seat.side}" for seat in (theirs or games.seats)))
    raise GameError.saying("letter", f"add one of these, because the email does not say who sent it: {sides[:2000]}")


def games_of(folder: Path, now: datetime | None = None) -> Games:
    """Return the games in a folder, with the settings of its host.toml if it has one.

    ``now`` is the time for deadlines; without it no deadlines apply.

    Raises:
        GameError: If the folder has no games or its host.toml is invalid.
    """
    if not (folder / "host.toml").is_file():
        return games_in(folder)
    return host_games(folder, read_host(folder), now)


def outbox_of(folder: Path, games: Games) -> Put:
    """Return the function that puts the answers to emails for the games in a folder into an outbox.

    It is the host's outbox, or, without a host, a folder of ``.eml`` files.
    """
    if (folder / "host.toml").is_file():
        return to_players(open_outbox(folder, read_host(folder), games).put)
    return eml_outbox(games.post / "outbox", games.orders)


def to_players(put: Put) -> Put:
    """Return a function like ``put`` that drops the umpire's notices about single emails in quarantine.

    The host reports these emails together, in a digest (:mod:`pbem.mail.incoming.ledger`).
    """

    def kept(reply: Reply) -> Path | None:
        return None if (reply.kind, reply.side) == ("notice", "umpire") else put(reply)

    return kept


def eml_outbox(folder: Path, sender: str = "") -> Put:
    """Return a function that stores emails as ``.eml`` files, to be sent by hand or by another program."""

    def put(reply: Reply) -> Path:
        path = folder / f"{reply.key}.eml"
        if not path.exists():
            write_bytes(path, eml(reply, sender), private=True)
        return path

    return put


def eml(reply: Reply, sender: str = "") -> bytes:
    """Return a reply as the bytes of a MIME email from the address ``sender``.

    The bytes do not depend on the time; the server that sends the email adds a date.
    """

    message = EmailMessage(policy=SMTP)
    for name, value in (("From", sender), ("To", reply.to)):
        if value:
            message[name] = one_line(value)
    message["Subject"] = one_line(reply.subject)
    message["Message-ID"] = f"<{reply.key}@pbem.invalid>"
    message["Auto-Submitted"] = "auto-replied" if reply.in_reply_to else "auto-generated"
    message[OWN_HEADER] = reply.key
    if reply.in_reply_to:
        message["In-Reply-To"] = one_line(reply.in_reply_to)
    if reply.references:
        message["References"] = " ".join(one_line(one) for one in reply.references)
    message.set_content(reply.text, charset="utf-8", cte="quoted-printable")
    if reply.html:
        message.add_alternative(reply.html, subtype="html", charset="utf-8", cte="quoted-printable")
    for name, mime, content in reply.attachments:
        main, _, sub = mime.partition("/")
        message.add_attachment(content, maintype=main, subtype=sub or "octet-stream", filename=one_line(name))
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"=_{reply.key}_{number}")
    return bytes(message)
