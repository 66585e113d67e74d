"""Answers to incoming emails: a receipt, a list of faults with a corrected draft, or the result of a command.

An answer to a player contains only what their own side may know. Strangers and automatic senders get no answer, nor
does the host itself. This module does not check orders: it passes their text to :func:`pbem.games.submit.submit`,
which keeps every version. Emails that the host sends on its own are in :mod:`pbem.mail.replies.announce`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine.state import Request
from pbem.errors import Fault, GameError
from pbem.games.answers import NO_HEADER, answers, judge, no_header, normal_form, side_named
from pbem.games.storage.files import CANNOT_WRITE, read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, submit
from pbem.mail import emails, umpires
from pbem.mail.commands import seats, spectators as watching
from pbem.mail.commands.dispatch import in_words, set_wait
from pbem.mail.commands.messages import words_passed_on
from pbem.mail.commands.umpire import Ruling, offered, ruling_lines
from pbem.mail.emails import EmailText, paragraphs, shown, wrapped
from pbem.mail.host.deadlines import Standing
from pbem.mail.incoming.extract import BEGINS, NOT_TAKEN, bare_subject, begins_orders, command_hints
from pbem.mail.incoming.message import Letter
from pbem.mail.incoming.quarantine import bare, notice, to_owner
from pbem.mail.replies.receipts import (
    MARK,
    UNTIL_PLAYED,
    Corrected,
    TooLate,
    asked_for,
    asked_of_others,
    corrected,
    echo,
    is_marked,
    numbered_faults,
    too_late,
)
from pbem.mail.replies.reply import Reply, ReplyKind, Until, letter_key, until_for
from pbem.mail.seats import (
    Games,
    Known,
    Seat,
    UnknownSender,
    address_of,
    draft_for_mail,
    headed,
    subject_for,
    tokens_in,
    who,
    without_tokens,
)
from pbem.mail.settings import broken_by
from pbem.mail.store import Done
from pbem.orders.header import Header, answer_line, header_line, is_header
from pbem.orders.mail_text import order_text
from pbem.orders.messages import UMPIRE
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for
from pbem.util import regex

Due = Callable[[Seat, Standing], str]
"""Type of a function that returns the deadline of a seat (a side of a game) as a sentence, or ``""``."""
Attachments = tuple[tuple[str, str, bytes], ...]

PASSING: Final = frozenset(("game-locked", *CANNOT_WRITE))
"""Codes of temporary faults. An email that meets one stays in the inbox and is tried again later."""
_MOST_DRAFT: Final = 60_000


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The result of handling one email, with the emails to be sent because of it.

    Attributes:
        sha256: SHA-256 of the orders that were filed.
        aside: Whether the email is put aside, i.e. stored for the umpire.
        why: The reason, for the umpire.
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


def no_deadline(seat: Seat, standing: Standing) -> str:
    """Return ``""``, the deadline sentence for a game without deadlines."""
    return ""


def attend(letter: Letter, games: Games, *, due: Due = no_deadline, seat: Seat | None = None) -> Answered:
    """Do what an email asks for, and return the answers.

    Doing it again for the same email changes nothing more, and the answers get the same keys. If the game itself is
    faulty, the umpire is told, and the player reads that the umpire knows.

    Args:
        due: Returns the deadline sentence for a seat.
        seat: Whose email it is, if the umpire has said so; otherwise its token and address decide.

    Raises:
        GameError: If another command holds the lock or the disk cannot be written; try again later.
    """
    if letter.kind in ("auto", "own"):
        return Answered(done=letter.kind, why="a machine wrote it")
    if letter.kind == "bounce":
        return _bounced(letter, games)
    if letter.kind == "unread":
        return _not_read(letter, games, seat)
    if letter.command == "ADDRESS" and (moved := seats.confirmed(letter, games)) is not None:
        whose, replies = moved
        return Answered(done="command", game=whose.game, side=whose.side, replies=replies)
    watches = seat is None and letter.command in ("WATCH", "UNWATCH")
    if watches and (heard := watching.asked(letter, games)) is not None:
        return Answered(done="command", side=watching.SIDE, replies=heard)
    strange = seat is None and not all(map(games.of_token, tokens_in(letter)))  # perhaps an umpire's
    ruled = umpires.umpire_with_token(letter, games) if strange else None
    if isinstance(ruled, tuple):
        return _ruled(letter, games, *ruled)
    found = Known(seat=seat) if seat is not None else ruled or who(letter, games)
    if isinstance(found, UnknownSender):
        why = found.why
        if letter.sender and letter.sender == bare(games.umpire) and not found.stolen:
            why = (
                "it is yours, and no answer to a mail by which you may rule, which you are sent for lines that rule if "
                "the subject names the game: what you write to a player goes to his own address"
            )
        if not found.stolen and (offer := _offered(letter, games)) is not None:
            return Answered(done="quarantine", aside=True, game=offer.game, why=why, replies=(offer,))
        # Mail from our own address must not bring on mail to the umpire: that would go round. Of his own he hears once
        # a day, with all the rest.
        ours = letter.sender and letter.sender in (bare(games.orders), "" if games.club else bare(games.umpire))
        told_of = () if ours else (*notice(letter, games, why), *to_owner(letter, games, found))
        return Answered(done="quarantine", aside=True, game=found.game, why=why, replies=told_of)
    seat = found.seat
    try:
        with opened(seat.folder, lock="mail") as game:
            return Attendant(letter, games, seat, game, due).attend()
    except Exception as error:
        if isinstance(error, GameError) and any(fault.code in PASSING for fault in error.faults):
            raise
        why = f"the game {seat.game} is in trouble: {broken_by(error)}"
        said = emails.render("game-in-trouble", games.club)
        reply = _reply(letter, games, seat, "notice", said)
        told = (reply, *notice(letter, games, why))
        return Answered(done="trouble", aside=True, game=seat.game, side=seat.side, why=why, replies=told)


def _not_read(letter: Letter, games: Games, seat: Seat | None) -> Answered:
    """Handle an email of which only the headers could be read: it is put aside, i.e. stored for the umpire.

    The umpire is told, and so is the sender if they are a known player.
    """
    found = Known(seat=seat) if seat is not None else who(letter, games)
    if isinstance(found, UnknownSender):
        ours = letter.sender and letter.sender in (bare(games.orders), "" if games.club else bare(games.umpire))
        told_of = () if ours else (*notice(letter, games, letter.unread), *to_owner(letter, games, found))
        return Answered(done="quarantine", aside=True, game=found.game, why=letter.unread, replies=told_of)
    seat = found.seat
    said = emails.render("not-read", games.club, why=letter.unread)
    reply = _reply(letter, games, seat, "fault", said)
    replies = (reply, *notice(letter, games, letter.unread))
    return Answered(done="empty", aside=True, game=seat.game, side=seat.side, why=letter.unread, replies=replies)


def _offered(letter: Letter, games: Games) -> Reply | None:
    """Return the email that lets an umpire rule, for an umpire who wrote without the game's token; else ``None``.

    The umpire's email must have ruling lines and name the umpire's game. Any other email of theirs without the
    token gets no such answer; it is listed with the emails that were put aside.
    """
    if (one := umpires.named_in(letter, games)) is None or letter.sender == bare(games.orders):
        return None
    folder, umpire = one
    return offered(letter, games, folder, umpire) if ruling_lines(letter.text) else None


def _ruled(letter: Letter, games: Games, folder: Path, umpire: umpires.Umpire) -> Answered:
    """Handle an email of a game's umpire: show what its ruling lines would do, or carry them out.

    An email without ruling lines gets no answer, because a machine may have written it.
    """
    token = umpires.token_for(games.post, folder.name)
    with opened(folder, lock="mail") as game:
        reply = Ruling(letter, game, umpire, token, _key(letter, "command"), games.now).attend()
    if reply is None:
        return Answered(done="empty", game=folder.name, side=UMPIRE, why="it is the umpire's, and rules nothing")
    return Answered(done="command", game=folder.name, side=UMPIRE, replies=(reply,))


class Attendant:
    """Handles one email of a known player, with the player's game open and locked."""

    def __init__(self, letter: Letter, games: Games, seat: Seat, game: GameFolder, due: Due) -> None:
        self.letter, self.games, self.seat, self.game, self.due = letter, games, seat, game, due
        self.told: tuple[str, ...] = ()
        self.for_umpire = False
        """Whether the email contains only free text, which is passed on to the umpire."""
        self.until: Until | None = None
        self.also: list[Reply] = []

    def attend(self) -> Answered:
        """Handle the orders or the command in the email, and its messages to other people; return the result."""
        letter = self.letter
        if letter.kind == "orders" and (elsewhere := self.elsewhere(self.orders())):
            return self._refused("other-game", where=elsewhere, words=bool(letter.words or letter.asked))
        wordless = letter.kind == "empty" and bool(letter.said) and not letter.words and self.as_orders is None
        copies: tuple[Reply, ...] = ()
        if letter.words or letter.asked or wordless:
            passed = words_passed_on(letter, self.games, self.seat, self.game, self._umpire, wordless=wordless)
            self.told, self.for_umpire, copies = passed.told, passed.for_umpire, passed.copies
        answered = self._attend()
        return msgspec.structs.replace(answered, replies=(*answered.replies, *self.also, *copies))

    def _umpire(self) -> umpires.Umpire:
        """Return the umpire of this game.

        If ``post.toml`` or ``players.toml`` is faulty, this is the club's umpire; ``pbem doctor`` reports the
        fault.
        """
        games, folder = self.games, self.seat.folder
        seated = tuple(games.by_folder.get(folder, ()))
        if games.club is not None:
            # The doctor says what is wrong in post.toml; the letter is read all the same.
            with suppress(GameError):
                return umpires.umpire_of(games.club, folder, games.umpire, seated)
        return umpires.by_address(games.umpire, seated)

    def _attend(self) -> Answered:
        from pbem.mail.commands import dispatch

        if self.letter.kind == "command":
            return self._done("command", self._with_faults(dispatch.COMMANDS[self.letter.command](self)))
        if self.letter.kind == "empty" and self.letter.words:
            return self._done("word", self.answer("word", "your-message"))
        if self.as_orders is not None:
            values, attached = self._draft_values(self.as_orders)
            return self._refused("no-first-line", attached, notes=self.notes(), on_file=self._on_file(), **values)
        if self.letter.kind == "empty":
            reply = self.answer(
                "fault",
                "no-orders",
                self.draft_file(),
                passed_on=self.for_umpire,
                first_line=self.header(),
                unread=self.letter.faults,
                on_file=self._on_file(),
                meant=command_hints(self.letter.said),
            )
            return self._done("empty", reply)
        return self._orders()

    def _on_file(self) -> int:
        """Return the number of the current request if this side has orders on file for it, else 0."""
        request = self.request
        if request is None or not self.game.order_file(request.turn, self.seat.side, request.number).is_file():
            return 0
        return request.number

    def _with_faults(self, reply: Reply) -> Reply:
        """Return the answer to a command, preceded by notes on parts of the email that were not read.

        Notes that the answer contains already are left out. If the email had orders that were not filed, that note
        comes first.
        """
        bare = [f"Note: {fault}." for fault in self.letter.faults if fault.endswith(NOT_TAKEN)]
        how = [wrapped("To give orders, send them in a letter of their own that begins with this line:")]
        others = [wrapped(f"Note: {fault}.") for fault in self.letter.faults if not fault.endswith(NOT_TAKEN)]
        untold = [said for said in others if said not in reply.text]
        above = paragraphs(*bare, [*how, f"| {self.header()}"] if bare else "", untold)
        return msgspec.structs.replace(reply, text="\n".join([*above, "", reply.text]) if above else reply.text)

    # --- orders ---

    def orders(self) -> str:
        """Return the orders in the email, beginning at their header line (``GAME …``).

        If the header is missing and the subject implies it, it is added.
        """
        return orders_with_header(self.letter, self.seat.game, self.seat.side, self.request, self.header())

    def elsewhere(self, text: str) -> str:
        """Return sentences on where to send these orders if they are for another game; else ``""``."""
        (named, _), here = headed(text), self.seat.game
        if named in ("", here.casefold()):
            return ""
        mine = self.games.of_person(self.seat, self.letter.sender)
        seat = next((one for one in mine if one.game.casefold() == named), None)
        return emails.sentence(
            "other_game_meant",
            here=here,
            game=seat.game if seat is not None else "",
            address=address_of(self.games, seat) if seat is not None and self.games.tags else "",
            named=named[:40],
            line=header_line(Header(game=here)),
        )

    def judge_side(self, text: str) -> Fault | None:
        """Return a fault if the orders are for another game or side, or else ``None``.

        The fault tells the sender nothing else about those orders.
        """
        if elsewhere := self.elsewhere(text):
            return Fault(code="wrong-game", text=elsewhere, line=1)
        named = read_orders(text).orders.side
        if named and side_named(self.game.state(), named) not in ("", self.seat.side):
            said = f"these orders are for {named[:40]}; you write for {self.seat.side}"
            return Fault(code="wrong-side", text=said, line=1)
        return None

    def _orders(self) -> Answered:
        text = self.orders()
        if is_marked(text):
            return self._refused("still-a-draft", mark=MARK)
        if self.letter.barred and (older := self._sent_before(text)):
            return self._refused("not-new", older=older, on_file=self._on_file())
        wrong = self.judge_side(text)
        if wrong is not None:
            return self._refused("other-side", faults=numbered_faults([wrong], text), **self._nothing_filed())
        try:
            receipt = submit(self.game, text, "")
        except GameError as error:
            if any(fault.code in CANNOT_WRITE for fault in error.faults):
                raise
            return self._faulty(text, error.faults)
        if self.letter.command == "WAIT":
            set_wait(self.game, self.seat.side, wait=self.letter.argument != "OFF")
        return self._filed(receipt)

    def _sent_before(self, text: str) -> str:
        """Return a clause that says which earlier text the orders repeat; ``""`` if they are new.

        Orders may repeat an older version on file, or the draft that we sent. They may be a quotation that the mail
        program did not mark as one. So repeated orders are not filed unless the email contains nothing else.
        """
        request, side, name = self.request, self.seat.side, self.game.terms.name
        if request is None or not request.asks(side):
            return ""
        these = normal_form(text, side, name)
        versions = self.game.versions(request.turn, side, request.number)
        said = {normal_form(read_order_file(one.path), side, name): one.version for one in reversed(versions)}
        if these in said:
            return f"these orders are your version {said[these]}" if said[these] else ""
        draft = draft_for(self.game.state(), self.game.scenario(), request, side)
        return "these orders are the draft as it was sent to you" if these == normal_form(draft, side, name) else ""

    def _filed(self, receipt: Receipt) -> Answered:
        wish = ""
        if self.letter.command == "WAIT" and self.request is not None:
            wish = in_words(self.request, wait=self.letter.argument != "OFF")
        notes = self.notes()
        if self.until is not None:
            self.until = msgspec.structs.replace(self.until, meanwhile=UNTIL_PLAYED)
        reply = self.answer(
            "receipt",
            "receipt",
            request=receipt.request,
            turn=receipt.turn,
            form=receipt.form,
            version=receipt.version,
            again=receipt.again,
            sha256=receipt.sha256,
            notes=notes,
            wish=wish,
            until_played=UNTIL_PLAYED,
            **echo(receipt),
        )
        return self._done("orders", reply, receipt.sha256)

    def _faulty(self, text: str, faults: tuple[Fault, ...]) -> Answered:
        request = self.request
        late = too_late(self.game, self.seat.side, text)
        asked = request is not None and request.asks(self.seat.side)
        if late is not None and not (asked and late.fits):
            return self._too_late(late)
        bare = no_header(self.game.state(), self.seat.side)
        said = [msgspec.structs.replace(one, text=bare) if one.code == NO_HEADER else one for one in faults]
        values: dict[str, emails.Value] = {"too_much": False, "asked": asked or request is None}
        values |= {"corrected": [], "name": "", "mended": [], "legal": False, "left_out": False}
        attachments: Attachments = ()
        if request is not None and asked and len(text) < _MOST_DRAFT:
            draft = corrected(self.game, request, self.seat.side, text, faults)
            if draft.text:
                found, attachments = self._draft_values(draft)
                values |= found
            else:
                values["too_much"] = True
        return self._refused(
            "faults", attachments, faults=numbered_faults(said, text), **values, **self._nothing_filed()
        )

    def _too_late(self, late: TooLate) -> Answered:
        """Return the answer to orders for a request that was already played, and say what to send now.

        The orders are refused, since they cannot be orders for what the game waits for now.
        """
        request = self.request
        assert request is not None
        draft = self.draft_file()
        return self._refused(
            "too-late",
            draft,
            played=late.played,
            why=late.said,
            notes=self.notes(),
            wanted=asked_for(request) if draft else "",
            on_file=self._on_file(),
            name=draft[0][0] if draft else "",
            asked=asked_of_others(request),
        )

    def _draft_values(self, draft: Corrected) -> tuple[dict[str, emails.Value], Attachments]:
        """Return what an email says about a corrected draft, and the draft as an attachment."""
        request = self.request
        assert request is not None
        attached = draft_for_mail(self.games, self.seat, request.number, draft.text)
        values: dict[str, emails.Value] = {
            "name": attached[0],
            "mended": draft.mended[:6],
            "legal": draft.legal,
            "left_out": draft.left_out,
            "corrected": shown(draft.text.rstrip()),
        }
        return values, (attached,)

    @cached_property
    def as_orders(self) -> Corrected | None:
        """The email as a corrected draft of orders, if only the first line of orders is missing; else ``None``."""
        return as_orders(self.letter, self.game, self.seat.side)

    def _nothing_filed(self) -> dict[str, emails.Value]:
        """Return what is said above a list of faults: whether earlier orders stay on file, and the notes."""
        return {"on_file": self._on_file(), "notes": self.notes()}

    # --- what all answers are made of ---

    @property
    def request(self) -> Request | None:
        """The request for orders that the game now waits on, or ``None``."""
        return self.game.state().request

    def header(self) -> str:
        """Return the line with which this side's orders for the current request must begin (``GAME …``)."""
        request = self.request
        game = self.seat.game
        return answer_line(game, self.seat.side, request) if request else header_line(Header(game=game))

    def draft_file(self) -> Attachments:
        """Return the draft for the orders now wanted from this side as an attachment; empty if none are wanted."""
        request = self.request
        if request is None or not request.asks(self.seat.side):
            return ()
        draft = draft_for(self.game.state(), self.game.scenario(), request, self.seat.side)
        return (draft_for_mail(self.games, self.seat, request.number, draft),)

    def notes(self) -> list[str]:
        """Return the notes for the end of an answer: which parts of the email were not read, and the deadline."""
        said = self.deadline()
        faults = (fault for fault in self.letter.faults if not fault.endswith(NOT_TAKEN))
        return [*(wrapped(f"Note: {fault}.") for fault in faults), *([wrapped(said)] if said else [])]

    def deadline(self) -> str:
        """Return the sentence on the deadline for this side; ``""`` if no orders are wanted.

        It depends on whether the side owes orders, has sent them or is not asked.
        """
        request = self.request
        if request is None:
            return ""
        if self.seat.side not in request.sides:
            return self._due("not asked")
        # A file is an answer; without one it may still stand in the file of the energy form.
        on_file = self.game.order_file(request.turn, self.seat.side, request.number).is_file()
        answered = on_file or self.seat.side in answers(self.game)[0]
        return self._due("answered" if answered else "owes")

    def _due(self, standing: Standing) -> str:
        words = self.due(self.seat, standing)
        self.until = until_for(self.game, self.seat, standing, words) or self.until
        return words

    def reply(self, kind: ReplyKind, title: str, lines: list[str], attachments: Attachments = ()) -> Reply:
        """Return an answer to this email.

        It consists of ``lines``, followed by what happened to the player's messages to other people.
        """
        return self._written(kind, EmailText(title, "\n".join(lines)), attachments)

    def answer(self, kind: ReplyKind, name: str, attachments: Attachments = (), /, **values: emails.Value) -> Reply:
        """Return an answer to this email: the email ``name`` with these values.

        Below it is what happened to the player's messages to other people.
        """
        return self._written(kind, emails.render(name, self.games.club, **values), attachments)

    def _written(self, kind: ReplyKind, said: EmailText, attachments: Attachments) -> Reply:
        lines = paragraphs([said.text] if said.text else [], [wrapped(one) for one in self.told])
        turn, impulse = self.game.state().stands
        said = EmailText(said.subject, "\n".join(lines))
        found = _reply(self.letter, self.games, self.seat, kind, said, f" {turn}.{impulse}", attachments)
        return msgspec.structs.replace(found, until=self.until)

    def _done(self, done: Done, reply: Reply, sha256: str = "") -> Answered:
        return Answered(done=done, replies=(reply,), game=self.seat.game, side=self.seat.side, sha256=sha256)

    def _refused(self, name: str, attachments: Attachments = (), /, **values: emails.Value) -> Answered:
        return self._done("fault", self.answer("fault", name, attachments, **values))


def _reply(
    letter: Letter,
    games: Games,
    seat: Seat,
    kind: ReplyKind,
    said: EmailText,
    moment: str = "",
    attachments: Attachments = (),
) -> Reply:
    """Return an email to the sender, with a subject like ``duel01 2.9: receipt for request 3``."""
    return Reply(
        to=f"{seat.name} <{letter.sender}>" if seat.name else letter.sender,
        subject=subject_for(games, seat, f"{seat.game}{moment}: {said.subject}"),
        text=said.text.rstrip("\n") + "\n",
        in_reply_to=letter.message_id,
        references=tuple(
            dict.fromkeys((*letter.references[-10:], *([letter.message_id] if letter.message_id else [])))
        ),
        game=seat.game,
        side=seat.side,
        kind=kind,
        attachments=attachments,
        key=_key(letter, kind),
    )


def _key(letter: Letter, kind: str) -> str:
    """Return a key for the answer to an email.

    It is the same for every delivery of that email, so that it is answered only once.
    """
    return letter_key(letter.digest, kind)


# --- mail that came back ---------------------------------------------------------------------------------------------


def _bounced(letter: Letter, games: Games) -> Answered:
    """Handle a bounce: the notice of a mail system that one of our emails did not arrive.

    The umpire is told if the address is a player's. A bounce of an email to the umpire is not reported to the
    umpire, since that would go round in circles.
    """
    players = {address: seat for seat in games.seats for address in seat.addresses}
    lost = [address for address in letter.failed if address in players and address != bare(games.umpire)]
    whose = {
        address: ", ".join(f"{seat.side} in {seat.game}" for seat in games.seats if address in seat.addresses)
        for address in lost
    }
    came = ", ".join(f"{address} ({who})" for address, who in whose.items())
    why = f"mail to {came} came back: perhaps nothing reaches them" if lost else "mail came back"
    # Whoever can send mail can send a bounce: it is answered to nobody, and tells the umpire no more than this.
    ours = bool(lost) and bool(games.umpire) and letter.sender != bare(games.umpire)
    told = notice(letter, games, why) if ours else ()
    if games.club is not None and letter.failed:  # nobody is bothered because a spectator's mailbox is full
        lost += sorted({one.address for one in watching.watchers(games.club)} & {*letter.failed} - {*lost})
    return Answered(done="bounce", aside=True, why=why, replies=told, lost=tuple(lost))


_MOMENT: Final = regex(r"(?P<game>[A-Za-z0-9][\w-]{0,39})[\s.]+(?P<turn>\d{1,3})\.(?P<impulse>\d{1,2})\b")
_END: Final = regex(r"^[^\S\n]*+END\.?[^\S\n]*+$", re.IGNORECASE | re.MULTILINE)
_SEVERAL: Final = 2
_MOST: Final = 3_000
"""Maximum length, in characters, of an email without a header in which orders are searched.

A longer email is prose.
"""


def orders_with_header(letter: Letter, game: str, side: str, request: Request | None, header: str) -> str:
    """Return the orders in an email, beginning at their header line, without tokens.

    If they have no header, the one that the subject implies is added. For PREVIEW it is ``header``, the line that
    answers the current request for orders.
    """
    text = order_text(without_tokens(letter.text)).strip("\n") + "\n"
    lines = text.split("\n")
    if any(is_header(line) for line in lines):
        return text
    if begins_orders(text):
        place = next(place for place, line in enumerate(lines) if BEGINS.match(line[:200]))
        text = "\n".join(lines[place:])
    said = header if letter.command == "PREVIEW" else _in_subject(letter.subject, game, side, request)
    return f"{said}\n{text}" if said else text


def _in_subject(subject: str, game: str, side: str, request: Request | None) -> str:
    """Return the header that a subject implies; ``""`` if it implies none.

    The subject is a whole header, or is like ``duel01 2.9`` and names the turn and impulse of the current request.
    """
    subject = without_tokens(bare_subject(subject))
    if is_header(subject):
        return subject
    match = _MOMENT.search(subject)
    if match is None or request is None or match["game"].casefold() != game.casefold():
        return ""
    moment = int(match["turn"]), int(match["impulse"])
    return answer_line(game, side, request) if moment == (request.turn, request.impulse) else ""


def as_orders(letter: Letter, game: GameFolder, side: str) -> Corrected | None:
    """Return a corrected draft of orders, made from an email without a header line; else ``None``.

    It is made only if at least two orders are found, and these are legal without the other lines. The result is
    also ``None`` if no orders are wanted from the side, or if the email is something else.
    """
    request = game.state().request
    if request is None or not request.asks(side):
        return None
    if letter.kind != "empty" or letter.words or len(letter.said) > _MOST:
        return None
    said = without_tokens(letter.said).rstrip()
    end = "" if _END.search(said) else "\nEND"
    text = f"{answer_line(game.terms.name, side, request)}\n{said}{end}\n"
    draft = corrected(game, request, side, text, judge(game, text, "").faults)
    units = read_orders(draft.text).orders.units if draft.legal else ()
    given = sum(len(one.energy or ()) + len(one.do) + len(one.breaks) + bool(one.plot) for one in units)
    return draft if given >= _SEVERAL else None
