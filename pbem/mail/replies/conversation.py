"""Define what a function gets in order to answer a player's email (:class:`Conversation`).

The functions that answer commands and orders get a :class:`Conversation` and return a :class:`Reply`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine.state import Request
from pbem.errors import Fault
from pbem.games.answers import answers, side_named
from pbem.games.storage.files import read_bytes, write_text
from pbem.games.storage.folder import GameFolder
from pbem.mail import emails
from pbem.mail.emails import EmailText, paragraphs, wrapped
from pbem.mail.host.deadlines import Standing
from pbem.mail.incoming.extract import BEGINS, NOT_TAKEN, bare_subject, begins_orders
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.reply import Reply, ReplyKind, Until, letter_key, until_for
from pbem.mail.seats import Games, Seat, address_of, draft_for_mail, headed, subject_for, without_tokens
from pbem.orders.header import Header, answer_line, header_line, is_header
from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for
from pbem.util import regex

Due = Callable[[Seat, Standing], str]
"""Type of a function that returns the deadline of a seat (a side of a game) as a sentence, or ``""``."""
BEGUN: Final = "begun.txt"
"""Name of a file of a game: the digest of the last email that took orders back or took a side over."""
Attachments = tuple[tuple[str, str, bytes], ...]
_MOMENT: Final = regex(r"(?P<game>[A-Za-z0-9][\w-]{0,39})[\s.]+(?P<turn>\d{1,3})\.(?P<impulse>\d{1,2})\b")


def no_deadline(seat: Seat, standing: Standing) -> str:
    """Return ``""``, the deadline sentence for a game without deadlines."""
    return ""


class Conversation(msgspec.Struct, frozen=True):
    """One email of a known player, with the player's game open and locked.

    Attributes:
        letter: The email.
        games: All games of the host.
        seat: The player's side of the game.
        game: The game's folder.
        due: Returns the deadline sentence for a seat.
        told: What happened to the player's messages to other people, in sentences for the end of the answer.
        for_umpire: Whether the email contains only free text, which is passed on to the umpire.
    """

    letter: Letter
    games: Games
    seat: Seat
    game: GameFolder
    due: Due = no_deadline
    told: tuple[str, ...] = ()
    for_umpire: bool = False

    @property
    def request(self) -> Request | None:
        """The request for orders that the game now waits for; ``None`` if there is none."""
        return self.game.state().request

    @property
    def asked(self) -> Request | None:
        """The request for orders that the game now waits for, if this side must answer it; else ``None``."""
        request = self.request
        return request if request is not None and request.asks(self.seat.side) else None

    @property
    def on_file(self) -> int:
        """The number of the current request for orders if this side has orders on file for it, else 0."""
        request = self.request
        if request is None or not self.game.order_file(request.turn, self.seat.side, request.number).is_file():
            return 0
        return request.number

    def header(self) -> str:
        """Return the line with which this side's orders for the current request must begin (``GAME …``)."""
        request, game = self.request, self.seat.game
        return answer_line(game, self.seat.side, request) if request else header_line(Header(game=game))

    def orders(self) -> str:
        """Return the orders in the email, without tokens, beginning at their header line (``GAME …``).

        If they have no header, the header that the subject implies is added. For PREVIEW, the header for the current
        request is added.
        """
        text = order_text(without_tokens(self.letter.text)).strip("\n") + "\n"
        lines = text.split("\n")
        if any(is_header(line) for line in lines):
            return text
        if begins_orders(text):
            place = next(place for place, line in enumerate(lines) if BEGINS.match(line[:200]))
            text = "\n".join(lines[place:])
        implied = self.header() if self.letter.command == "PREVIEW" else self._header_in_subject()
        return f"{implied}\n{text}" if implied else text

    def _header_in_subject(self) -> str:
        """Return the header that the subject implies; ``""`` if it implies none.

        The subject is a whole header, or is like ``duel01 2.9`` and names the turn and impulse of the current request.
        """
        subject, request, game = without_tokens(bare_subject(self.letter.subject)), self.request, self.seat.game
        if is_header(subject):
            return subject
        match = _MOMENT.search(subject)
        if match is None or request is None or match["game"].casefold() != game.casefold():
            return ""
        moment = int(match["turn"]), int(match["impulse"])
        return answer_line(game, self.seat.side, request) if moment == (request.turn, request.impulse) else ""

    def other_game(self, text: str) -> str:
        """Return a sentence that says where to send these orders if they are for another game; else ``""``."""
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

    def misdirected(self, text: str) -> Fault | None:
        """Return a fault if the orders in ``text`` are for another game or side, else ``None``.

        The fault tells the sender nothing else about those orders.
        """
        if elsewhere := self.other_game(text):
            return Fault(code="wrong-game", text=elsewhere, line=1)
        named = read_orders(text).orders.side
        if named and side_named(self.game.state(), named) not in ("", self.seat.side):
            sentence = f"these orders are for {named[:40]}; you write for {self.seat.side}"
            return Fault(code="wrong-side", text=sentence, line=1)
        return None

    def draft_file(self) -> Attachments:
        """Return this side's order draft for the current request as an attachment; empty if it owes no orders."""
        request = self.asked
        if request is None:
            return ()
        draft = draft_for(self.game.state(), self.game.scenario(), request, self.seat.side)
        return (draft_for_mail(self.games, self.seat, request.number, draft),)

    def deadline(self) -> Until | None:
        """Return the deadline for this side; ``None`` if no deadline applies.

        Its words depend on whether the side owes orders, has sent them or is not asked.
        """
        request = self.request
        if request is None:
            return None
        standing: Standing = "not asked"
        if self.seat.side in request.sides:
            # An order file is an answer; else the answer may have come with the energy form.
            standing = "answered" if self.on_file or self.seat.side in answers(self.game)[0] else "owes"
        return until_for(self.game, self.seat, standing, self.due(self.seat, standing))

    def begin(self, game: GameFolder) -> None:
        """Record in a game's folder that this email begins to change it; :meth:`began` reads that record."""
        write_text(game.path / "mail" / BEGUN, self.letter.digest, private=True)

    def began(self, game: Path) -> bool:
        """Return whether this same email began to change the game before, in a run that was interrupted."""
        file = game / "mail" / BEGUN
        return file.is_file() and read_bytes(file) == self.letter.digest.encode()

    def answer(
        self, kind: ReplyKind, name: str, attachments: Attachments = (), until: Until | None = None, /,
        **values: emails.Value,
    ) -> Reply:  # fmt: skip
        """Return an answer to this email, made from the email template ``name`` with these values.

        The answer ends with sentences about what happened to the player's messages to other people.

        Args:
            kind: The kind of the reply.
            name: The name of the template.
            attachments: Files to attach.
            until: The deadline that the text mentions.
            values: The values of the template.
        """
        email = emails.render(name, self.games.club, **values)
        lines = paragraphs([email.text] if email.text else [], list(map(wrapped, self.told)))
        turn, impulse = self.game.state().stands
        email = EmailText(email.subject, "\n".join(lines))
        reply = answer_to(self.letter, self.games, self.seat, kind, email, f" {turn}.{impulse}", attachments)
        return msgspec.structs.replace(reply, until=until)

    def answer_with_notes(
        self, kind: ReplyKind, name: str, attachments: Attachments = (), until: Until | None = None, /,
        **values: emails.Value,
    ) -> Reply:  # fmt: skip
        """Return an answer like :meth:`answer`, with notes on unread parts of the email and the deadline.

        It mentions this side's deadline, or the deadline ``until`` if that is given.
        """
        until = until or self.deadline()
        faults = (fault for fault in self.letter.faults if not fault.endswith(NOT_TAKEN))
        notes = [
            *(emails.sentence("note", fault=fault) for fault in faults),
            *([until.words] if until is not None else []),
        ]
        return self.answer(kind, name, attachments, until, notes=list(map(wrapped, notes)), **values)


def answer_to(
    letter: Letter,
    games: Games,
    seat: Seat,
    kind: ReplyKind,
    email: EmailText,
    moment: str = "",
    attachments: Attachments = (),
) -> Reply:
    """Return a reply to the sender, with a subject like ``duel01 2.9: receipt for request 3``.

    Its key is the same for every delivery of the sender's email, so that it is answered only once.

    Args:
        letter: The email to answer.
        games: The games, with the settings for emails.
        seat: The player's side of the game.
        kind: The kind of the reply.
        email: Its subject and text.
        moment: A space followed by the turn and impulse, for the subject; it may be empty.
        attachments: Files to attach.
    """
    return Reply(
        to=f"{seat.name} <{letter.sender}>" if seat.name else letter.sender,
        subject=subject_for(games, seat, f"{seat.game}{moment}: {email.subject}"),
        text=email.text.rstrip("\n") + "\n",
        in_reply_to=letter.message_id,
        references=tuple(
            dict.fromkeys((*letter.references[-10:], *([letter.message_id] if letter.message_id else [])))
        ),
        game=seat.game,
        side=seat.side,
        kind=kind,
        attachments=attachments,
        key=letter_key(letter.digest, kind),
    )
