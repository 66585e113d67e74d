"""Answer incoming emails: receipts, lists of faults with a corrected draft, and results of commands.

An answer to a player contains only what their own side may know. Strangers and automatic senders get no answer, nor
does the host itself. This module does not check orders: it passes their text to :func:`pbem.games.submit.submit`,
which stores every version. Emails that the host sends on its own are in :mod:`pbem.mail.replies.announce`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import Fault, GameError
from pbem.games.answers import NO_HEADER, judge, no_header, normal_form
from pbem.games.storage.files import CANNOT_WRITE, read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, submit
from pbem.mail import emails, umpires
from pbem.mail.commands import dispatch, seats, spectators as watching
from pbem.mail.commands.messages import words_passed_on
from pbem.mail.commands.umpire import Ruling, offered, ruling_lines
from pbem.mail.emails import paragraphs, shown, wrapped
from pbem.mail.incoming.extract import NOT_TAKEN, bare_subject, command_hints, explained
from pbem.mail.incoming.ledger import bare, notice, to_owner
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.conversation import Attachments, Conversation, Due, answer_to, no_deadline
from pbem.mail.replies.receipts import (
    MARK,
    Corrected,
    TooLate,
    asked_for,
    corrected,
    echo,
    is_marked,
    numbered_faults,
    too_late,
)
from pbem.mail.replies.reply import Reply, letter_key
from pbem.mail.seats import (
    Games,
    Known,
    Seat,
    UnknownSender,
    draft_for_mail,
    tokens_in,
    who,
    without_tokens,
)
from pbem.mail.settings import broken_by
from pbem.mail.store import Done
from pbem.orders.header import answer_line
from pbem.orders.messages import UMPIRE
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for
from pbem.util import regex

PASSING: Final = frozenset(("game-locked", *CANNOT_WRITE))
"""Codes of temporary faults. An email that causes one stays in the inbox and is tried again later."""
_MOST_DRAFT: Final = 60_000


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The result of handling one email, with the emails to be sent because of it.

    Attributes:
        done: What was done with the email.
        replies: The emails to be sent.
        game: The game it was for, if known.
        side: The side it was for, if known.
        sha256: SHA-256 of the orders that were filed.
        aside: Whether the email goes into quarantine, to be stored for the umpire.
        why: The reason for what was done, as text for the umpire.
        lost: For a bounce: addresses of players and spectators that our emails did not reach.
    """

    done: Done
    replies: tuple[Reply, ...] = ()
    game: str = ""
    side: str = ""
    sha256: str = ""
    aside: bool = False
    why: str = ""
    lost: tuple[str, ...] = ()


def attend(letter: Letter, games: Games, *, due: Due = no_deadline, seat: Seat | None = None) -> Answered:
    """Do what an email asks for, and return the answers.

    Doing it again for the same email changes nothing more, and the answers get the same keys. If the game itself is
    faulty, the umpire is informed, and the answer tells the player so.

    Args:
        letter: The email.
        games: The games it may be for.
        due: Returns the deadline sentence for a seat.
        seat: The player's seat, if the umpire has named the player; otherwise token and address decide.

    Raises:
        GameError: If another command holds the lock or the disk cannot be written; try again later.
    """
    if letter.kind in ("auto", "own"):
        return Answered(done=letter.kind, why="a machine wrote it")
    if letter.kind == "bounce":
        return _bounced(letter, games)
    if letter.kind == "unread":
        return _not_read(letter, games, seat)
    if (answered := _without_seat(letter, games, seat)) is not None:
        return answered
    strange = seat is None and not all(map(games.of_token, tokens_in(letter)))  # perhaps an umpire's
    ruled = umpires.umpire_with_token(letter, games) if strange else None
    if isinstance(ruled, tuple):
        return _ruled(letter, games, *ruled)
    sender = Known(seat=seat) if seat is not None else ruled or who(letter, games)
    if isinstance(sender, UnknownSender):
        return _from_stranger(letter, games, sender)
    return _from_player(letter, games, sender.seat, due)


def _without_seat(letter: Letter, games: Games, seat: Seat | None) -> Answered | None:
    """Answer an email for which the sender's side does not matter; ``None`` for any other email.

    Such an email confirms a new address, or it is WATCH or UNWATCH from a spectator. ``seat`` is the player's seat if
    the umpire has named the player.
    """
    if letter.command == "ADDRESS" and (moved := seats.confirmed(letter, games)) is not None:
        whose, replies = moved
        return Answered(done="command", game=whose.game, side=whose.side, replies=replies)
    watches = seat is None and letter.command in ("WATCH", "UNWATCH")
    if watches and (heard := watching.asked(letter, games)) is not None:
        return Answered(done="command", side=watching.SIDE, replies=heard)
    return None


def _from_stranger(letter: Letter, games: Games, sender: UnknownSender) -> Answered:
    """Handle an email that belongs to no seat: put it into quarantine and inform the umpire.

    The player to whom the address or token belongs is informed too. A seat is a side of a game that somebody plays by
    email.
    """
    why = sender.why
    if letter.sender and letter.sender == bare(games.umpire) and not sender.stolen:
        why = (
            "it is yours, but not a reply to an email that lets you rule; you get one if your lines rule and the "
            "subject names the game. To write to a player, use the player's own address"
        )
    if not sender.stolen and (offer := _offered(letter, games)) is not None:
        return Answered(done="quarantine", aside=True, game=offer.game, why=why, replies=(offer,))
    # An email from our own address must not cause an email to the umpire: that could make an endless loop. In a
    # club, the umpire's own emails are listed in the daily digest, with all others.
    ours = letter.sender and letter.sender in (bare(games.orders), "" if games.club else bare(games.umpire))
    told_of = () if ours else (*notice(letter, games, why), *to_owner(letter, games, sender))
    return Answered(done="quarantine", aside=True, game=sender.game, why=why, replies=told_of)


def _from_player(letter: Letter, games: Games, seat: Seat, due: Due) -> Answered:
    """Answer an email of the player of a seat; if the game itself is faulty, inform the umpire.

    Raises:
        GameError: If another command holds the lock or the disk cannot be written; try again later.
    """
    try:
        with opened(seat.folder, lock="mail") as game:
            return answer_player(Conversation(letter, games, seat, game, due))
    except Exception as error:
        if isinstance(error, GameError) and any(fault.code in PASSING for fault in error.faults):
            raise
        why = f"the game {seat.game} is in trouble: {broken_by(error)}"
        email = emails.render("game-in-trouble", games.club)
        reply = answer_to(letter, games, seat, "notice", email)
        answers = (reply, *notice(letter, games, why))
        return Answered(done="trouble", aside=True, game=seat.game, side=seat.side, why=why, replies=answers)


def _not_read(letter: Letter, games: Games, seat: Seat | None) -> Answered:
    """Handle an email of which only the headers could be read: it goes into quarantine for the umpire.

    The umpire is informed, and so is the sender if they are a known player. ``seat`` is the player's seat if the umpire
    has named the player.
    """
    sender = Known(seat=seat) if seat is not None else who(letter, games)
    if isinstance(sender, UnknownSender):
        ours = letter.sender and letter.sender in (bare(games.orders), "" if games.club else bare(games.umpire))
        told_of = () if ours else (*notice(letter, games, letter.unread), *to_owner(letter, games, sender))
        return Answered(done="quarantine", aside=True, game=sender.game, why=letter.unread, replies=told_of)
    seat = sender.seat
    email = emails.render("not-read", games.club, why=letter.unread)
    reply = answer_to(letter, games, seat, "fault", email)
    replies = (reply, *notice(letter, games, letter.unread))
    return Answered(done="empty", aside=True, game=seat.game, side=seat.side, why=letter.unread, replies=replies)


def _offered(letter: Letter, games: Games) -> Reply | None:
    """Return the email that lets an umpire rule, for an umpire who wrote without the game's token.

    Return ``None`` unless the umpire's email has ruling lines and names the umpire's game. Other emails from an umpire
    without the token are only listed with the emails in quarantine.
    """
    if (named := umpires.named_in(letter, games)) is None or letter.sender == bare(games.orders):
        return None
    folder, umpire = named
    return offered(letter, games, folder, umpire) if ruling_lines(letter.text) else None


def _ruled(letter: Letter, games: Games, folder: Path, umpire: umpires.Umpire) -> Answered:
    """Handle an email of a game's umpire: show what its ruling lines would do, or carry them out.

    An email without ruling lines gets no answer, because a machine may have written it.
    """
    token = umpires.token_for(games.post, folder.name)
    with opened(folder, lock="mail") as game:
        reply = Ruling(letter, game, umpire, token, letter_key(letter.digest, "command"), games.now).attend()
    if reply is None:
        return Answered(done="empty", game=folder.name, side=UMPIRE, why="it is the umpire's, and rules nothing")
    return Answered(done="command", game=folder.name, side=UMPIRE, replies=(reply,))


def answer_player(conversation: Conversation) -> Answered:
    """Handle the orders or the command of a known player, and their messages to others; return the result."""
    letter, games, seat, game = conversation.letter, conversation.games, conversation.seat, conversation.game
    if letter.kind == "orders" and (elsewhere := conversation.other_game(conversation.orders())):
        return _done(
            "fault",
            conversation.answer("fault", "other-game", where=elsewhere, words=bool(letter.words or letter.asked)),
        )
    draft = as_orders(letter, game, seat.side)
    wordless = letter.kind == "empty" and bool(letter.said) and not letter.words and draft is None
    copies: tuple[Reply, ...] = ()
    if letter.words or letter.asked or wordless:
        passed = words_passed_on(letter, games, seat, game, lambda: umpires.umpire_in(games, seat), wordless=wordless)
        copies = passed.copies
        conversation = msgspec.structs.replace(conversation, told=passed.told, for_umpire=passed.for_umpire)
    answered = _answered(conversation, draft)
    return msgspec.structs.replace(answered, replies=(*answered.replies, *copies))


def _answered(conversation: Conversation, draft: Corrected | None) -> Answered:
    """Answer an email of a known player, and return the result.

    If the email has orders that lack only their first line, ``draft`` is a corrected draft made from them.
    """
    letter = conversation.letter
    if letter.kind == "command":
        made = dispatch.COMMANDS[letter.command](conversation)
        reply, *others = made if isinstance(made, tuple) else (made,)
        return _done("command", _with_faults(conversation, reply), *others)
    if letter.kind == "empty" and letter.words:
        return _done("word", conversation.answer("word", "your-message"))
    if draft is not None:
        values, attached = _draft_values(conversation, draft)
        on_file = conversation.on_file
        return _done(
            "fault", conversation.answer_with_notes("fault", "no-first-line", attached, on_file=on_file, **values)
        )
    if letter.kind == "empty":
        text = letter.said
        if (subject := without_tokens(bare_subject(letter.subject))).casefold().startswith("help"):
            text = f"{subject}\n{text}"
        return _done("empty", _no_orders(conversation, text))
    return _orders(conversation)


def _no_orders(conversation: Conversation, text: str = "", *, below: str = "") -> Reply:
    """Return the answer to an email without orders: what to do, with the order form and draft attached.

    Args:
        conversation: The email and its game.
        text: What the sender wrote; it may ask for a command or for a word of the glossary.
        below: A clause about the text below the first line of orders, if there is such a line but no order.
    """
    draft, entry = conversation.draft_file(), explained(text)
    form = dispatch.form_file(conversation) if draft else ()
    hints = [line for line in command_hints(text, conversation.seat.game) if not (entry and line.startswith("HELP"))]
    return conversation.answer(
        "fault",
        "no-orders",
        (*form, *draft),
        passed_on=conversation.for_umpire,
        first_line=conversation.header(),
        unread=(*([below] if below else []), *conversation.letter.faults),
        headed=bool(below),
        on_file=conversation.on_file,
        meant=hints,
        entry=entry,
        name=draft[0][0] if draft else "",
        form=form[0][0] if form else "",
    )


def _no_order_below(text: str, faults: Sequence[Fault]) -> str:
    """Return a clause about the text below the header of orders if it has no order; else ``""``.

    ``faults`` are the faults found in ``text``.
    """
    if fault_text := next((one.text for one in faults if one.code == "no-orders"), ""):
        return fault_text.rpartition(": open ")[0]
    orders = read_orders(text).orders
    nothing = not (orders.units or orders.alone) and all(one.code == "ship-missing" for one in faults)
    return "below the line GAME there is no order" if nothing else ""


def _with_faults(conversation: Conversation, reply: Reply) -> Reply:
    """Return the answer to a command with notes added above it on parts of the email that were not read.

    Notes that the answer already contains are left out. If the email had orders that were not filed, that note
    comes first.
    """
    faults = conversation.letter.faults
    bare = [emails.sentence("note", fault=fault) for fault in faults if fault.endswith(NOT_TAKEN)]
    how = [wrapped(emails.sentence("own_letter"))]
    others = [wrapped(emails.sentence("note", fault=fault)) for fault in faults if not fault.endswith(NOT_TAKEN)]
    untold = [said for said in others if said not in reply.text]
    above = paragraphs(*bare, [*how, f"| {conversation.header()}"] if bare else "", untold)
    return msgspec.structs.replace(reply, text="\n".join([*above, "", reply.text]) if above else reply.text)


def _orders(conversation: Conversation) -> Answered:
    """File the orders in an email, or refuse them; return the answer."""
    text, letter, game = conversation.orders(), conversation.letter, conversation.game
    if is_marked(text):
        return _done("fault", conversation.answer("fault", "still-a-draft", mark=MARK))
    if letter.barred and (older := _sent_before(conversation, text)):
        return _done("fault", conversation.answer("fault", "not-new", older=older, on_file=conversation.on_file))
    if (wrong := conversation.misdirected(text)) is not None:
        faults = numbered_faults([wrong], text)
        return _done(
            "fault", conversation.answer_with_notes("fault", "other-side", faults=faults, on_file=conversation.on_file)
        )
    try:
        receipt = submit(game, text, "")
    except GameError as error:
        if any(fault.code in CANNOT_WRITE for fault in error.faults):
            raise
        return _faulty(conversation, text, error.faults)
    if letter.command == "WAIT":
        dispatch.set_wait(game, conversation.seat.side, wait=letter.argument != "OFF")
    return _filed(conversation, receipt)


def _sent_before(conversation: Conversation, text: str) -> str:
    """Return a clause that says which earlier text the orders repeat; ``""`` if they are new.

    The earlier text is an older version on file or the draft that we sent. Repeated orders from a quoted email are not
    filed, since the player probably did not send them on purpose.
    """
    request, side, game = conversation.asked, conversation.seat.side, conversation.game
    if request is None:
        return ""
    name = game.terms.name
    these = normal_form(text, side, name)
    versions = game.versions(request.turn, side, request.number)
    versions_by_text = {normal_form(read_order_file(one.path), side, name): one.version for one in reversed(versions)}
    if these in versions_by_text:
        return f"these orders are your version {versions_by_text[these]}" if versions_by_text[these] else ""
    draft = draft_for(game.state(), game.scenario(), request, side)
    return "these orders are the draft as it was sent to you" if these == normal_form(draft, side, name) else ""


def _filed(conversation: Conversation, receipt: Receipt) -> Answered:
    letter, request, until = conversation.letter, conversation.request, conversation.deadline()
    wish, until_played = "", emails.sentence("until_played")
    if letter.command == "WAIT" and request is not None:
        wish = dispatch.in_words(request, wait=letter.argument != "OFF")
    reply = conversation.answer_with_notes(
        "receipt",
        "receipt",
        (),
        msgspec.structs.replace(until, meanwhile=until_played) if until is not None else None,
        request=receipt.request,
        turn=receipt.turn,
        form=receipt.form,
        version=receipt.version,
        again=receipt.again,
        sha256=receipt.sha256,
        wish=wish,
        until_played=until_played,
        **echo(receipt),
    )
    return _done("orders", reply, sha256=receipt.sha256)


def _faulty(conversation: Conversation, text: str, faults: tuple[Fault, ...]) -> Answered:
    game, side, request = conversation.game, conversation.seat.side, conversation.asked
    late = too_late(game, side, text)
    if late is not None and not (request is not None and late.fits):
        return _too_late(conversation, late)
    if request is not None and (below := _no_order_below(text, faults)):
        return _done("fault", _no_orders(conversation, below=below))
    bare = no_header(game.state(), side)
    shown_faults = [msgspec.structs.replace(one, text=bare) if one.code == NO_HEADER else one for one in faults]
    values: dict[str, emails.Value] = {"too_much": False, "asked": request is not None or conversation.request is None}
    values |= {"corrected": [], "name": "", "mended": [], "legal": False, "left_out": False}
    attachments: Attachments = ()
    if request is not None and len(text) < _MOST_DRAFT:
        draft = corrected(game, request, side, text, faults)
        if draft.text:
            draft_values, attachments = _draft_values(conversation, draft)
            values |= draft_values
        else:
            values["too_much"] = True
    values |= {"faults": numbered_faults(shown_faults, text), "on_file": conversation.on_file}
    return _done("fault", conversation.answer_with_notes("fault", "faults", attachments, **values))


def _too_late(conversation: Conversation, late: TooLate) -> Answered:
    """Return the answer to orders for a request that was already played; it says what to send now.

    The orders are refused, since they do not fit what the game now waits for.
    """
    request, draft = conversation.request, conversation.draft_file()
    assert request is not None
    return _done(
        "fault",
        conversation.answer_with_notes(
            "fault",
            "too-late",
            draft,
            played=late.played,
            why=late.said,
            wanted=asked_for(request) if draft else "",
            on_file=conversation.on_file,
            name=draft[0][0] if draft else "",
            asked=emails.sentence("asked_of_others", sides=request.sides),
        ),
    )


def _draft_values(conversation: Conversation, draft: Corrected) -> tuple[dict[str, emails.Value], Attachments]:
    """Return the template values for a corrected draft, and the draft as an attachment."""
    request = conversation.request
    assert request is not None
    attached = draft_for_mail(conversation.games, conversation.seat, request.number, draft.text)
    values: dict[str, emails.Value] = {
        "name": attached[0],
        "mended": draft.mended[:6],
        "legal": draft.legal,
        "left_out": draft.left_out,
        "corrected": shown(draft.text.rstrip()),
    }
    return values, (attached,)


def _done(done: Done, reply: Reply, *others: Reply, sha256: str = "") -> Answered:
    return Answered(done=done, replies=(reply, *others), game=reply.game, side=reply.side, sha256=sha256)


# --- mail that came back ---------------------------------------------------------------------------------------------


def _bounced(letter: Letter, games: Games) -> Answered:
    """Handle a bounce: the message of a mail system that one of our emails was not delivered.

    If the address is a player's, the umpire is informed. A bounce of an email to the umpire is not reported to the
    umpire, since that could make an endless loop.
    """
    players = {address: seat for seat in games.seats for address in seat.addresses}
    lost = [address for address in letter.failed if address in players and address != bare(games.umpire)]
    whose = {
        address: ", ".join(f"{seat.side} in {seat.game}" for seat in games.seats if address in seat.addresses)
        for address in lost
    }
    came = ", ".join(f"{address} ({who})" for address, who in whose.items())
    why = f"an email to {came} came back: perhaps nothing reaches them" if lost else "an email came back"
    # Anybody can forge a bounce, so the sender gets no answer, and the umpire reads only this sentence.
    ours = bool(lost) and bool(games.umpire) and letter.sender != bare(games.umpire)
    notices = notice(letter, games, why) if ours else ()
    if games.club is not None and letter.failed:  # the umpire is not informed about spectators
        lost += sorted({one.address for one in watching.watchers(games.club)} & {*letter.failed} - {*lost})
    return Answered(done="bounce", aside=True, why=why, replies=notices, lost=tuple(lost))


_END: Final = regex(r"^[^\S\n]*+END\.?[^\S\n]*+$", re.IGNORECASE | re.MULTILINE)
_SEVERAL: Final = 2
_MOST: Final = 3_000
"""Maximum length, in characters, of an email without a header that is searched for orders.

A longer email without a header is taken for ordinary text.
"""


def as_orders(letter: Letter, game: GameFolder, side: str) -> Corrected | None:
    """Return a corrected draft made from an email that has orders but no header line; else ``None``.

    It is made only if at least two orders are found, and these are legal without the other lines. The result is
    also ``None`` if no orders are wanted from the side, or if the email is something else.
    """
    request = game.state().request
    if request is None or not request.asks(side):
        return None
    if letter.kind != "empty" or letter.words or len(letter.said) > _MOST:
        return None
    body = without_tokens(letter.said).rstrip()
    end = "" if _END.search(body) else "\nEND"
    text = f"{answer_line(game.terms.name, side, request)}\n{body}{end}\n"
    draft = corrected(game, request, side, text, judge(game, text, "").faults)
    units = read_orders(draft.text).orders.units if draft.legal else ()
    given = sum(len(one.energy or ()) + len(one.do) + len(one.breaks) + bool(one.plot) for one in units)
    return draft if given >= _SEVERAL else None
