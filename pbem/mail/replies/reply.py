"""Define outgoing emails before they become MIME messages, and update the deadlines they mention.

The first line of an email in the outbox says which deadline its text mentions (:class:`Until`); that line is
removed when the email is sent. If the email had to wait, the deadline may have changed by then
(:mod:`pbem.mail.host.clocks`). The text is then changed to the deadline that is valid at that time. The texts
themselves are in the other modules of :mod:`pbem.mail.replies`.
"""

from __future__ import annotations

import hashlib
import re
from binascii import b2a_qp
from collections.abc import Callable, Sequence
from email import message_from_bytes
from email.policy import compat32
from html import escape
from typing import Final, Literal

import msgspec

from pbem.games.storage.folder import GameFolder
from pbem.mail.emails import wrapped
from pbem.mail.seats import Seat

HEADER: Final = b"X-PBEM-Until: "
PLAYED: Final = "This was played in the meantime."
"""Text that replaces the deadline in an email if its request for orders was already played."""


class Until(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A deadline that an email mentions, with what is needed to update it when the email is sent.

    Attributes:
        asking: The request for orders: turn, number and segment.
        standing: Whether the reader's side owes orders, has sent them or is not asked: a value of
            :data:`pbem.mail.host.deadlines.Standing`.
        words: The deadline as the email says it.
        game: The name of the game.
        side: The reader's side.
        asks: Whether the time for the request begins when this email is sent.
        meanwhile: Text of the email that is true only until the request is played.
        lead: Text directly before the deadline, to distinguish it from deadlines of other games in the same email.
        others: Deadlines of other games that the same email mentions.
    """

    asking: tuple[int, int, int]
    standing: str
    words: str
    game: str = ""
    side: str = ""
    asks: bool = False
    meanwhile: str = ""
    lead: str = ""
    others: tuple[Until, ...] = ()


def until_for(game: GameFolder, seat: Seat, standing: str, words: str, *, asks: bool = False) -> Until | None:
    """Return the current deadline for orders, for use in a :class:`Reply`; ``None`` if there is none.

    Args:
        game: The game.
        seat: The reader's side of it.
        standing: Whether that side owes orders, has sent them or is not asked.
        words: The deadline as text; ``""`` for none.
        asks: Whether the time for the request begins when the email is sent.
    """
    state = game.state()
    if not words or state.request is None:
        return None
    asking = (state.request.turn, state.request.number, state.segment)
    return Until(asking=asking, standing=standing, words=words, game=seat.game, side=seat.side, asks=asks)


Refresh = Callable[[Until, str], str]
"""Type of a function that returns the current text of a deadline.

Its second argument is the reader's address if a server has refused this email before, else ``""``.
"""


def with_until(mail: bytes, until: Until | None) -> bytes:
    """Return an email, as bytes, with a first line added that stores the deadline it mentions."""
    return HEADER + msgspec.json.encode(until) + b"\r\n" + mail if until is not None else mail


def until_of(mail: bytes) -> tuple[Until | None, bytes]:
    """Return the deadline that an email in the outbox mentions, and the email without the line for it."""
    if not mail.startswith(HEADER):
        return None, mail
    first, _, rest = mail.partition(b"\r\n")
    try:
        return msgspec.json.decode(first[len(HEADER) :], type=Until), rest
    except (ValueError, RecursionError):
        return None, rest


def as_of(mail: bytes, until: Until, words: str) -> bytes:
    """Return an email in which the text of the deadline is replaced by ``words``, the current text.

    If the request for orders was played in the meantime, the text in ``until.meanwhile`` is removed too.
    """
    changes = [(until.lead + until.words, until.lead + words)]
    if words == PLAYED and until.meanwhile:
        changes.append((until.meanwhile, ""))
    return rewritten(mail, changes)


def rewritten(mail: bytes, changes: Sequence[tuple[str, str]]) -> bytes:
    """Return an email with text replaced in its plain text, its HTML and its attached text files.

    ``changes`` are pairs (old, new), applied one after the other.
    """
    message = message_from_bytes(mail, policy=_AS_IT_IS)
    for part in message.walk():
        if part.get_content_maintype() != "text":
            continue
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        page = part.get_content_subtype() == "html"
        mended = data.decode("utf-8", "surrogateescape")
        for old, new in changes:
            mended = _mended(mended, old, new, page=page)
        changed = mended.encode("utf-8", "surrogateescape")
        if changed != data:
            inline = not part.get_filename()
            if inline or (page and part["Content-Transfer-Encoding"] == "7bit"):  # the email's own line ends are used
                changed = changed.replace(b"\r\n", b"\n")
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "quoted-printable"
            part.set_payload(b2a_qp(changed, istext=inline).decode())
    return bytes(message)


_AS_IT_IS: Final = compat32.clone(linesep="\r\n")
"""Policy of the email library that keeps headers as they are.

Newer policies parse every header, which takes longer than all other work on the email.
"""


def _mended(text: str, old: str, new: str, *, page: bool) -> str:
    said, instead = (escape(old), escape(new)) if page else (old, new)
    pattern = re.compile(r"\s+".join(map(re.escape, said.split())))
    if page or not pattern.search(text):
        return pattern.sub(lambda _: instead, text)
    lines = "\r\n" if "\r\n" in text else "\n"
    blocks = re.split(r"(\r?\n[ \t]*(?:\r?\n)+)", text)
    for place, block in enumerate(blocks):
        if pattern.search(block):
            end = block[len(block.rstrip()) :]
            mended = wrapped(" ".join(pattern.sub(lambda _: instead, block).split()))
            blocks[place] = mended.replace("\n", lines) + end
            if not mended:  # the paragraph is empty now: remove it with the empty line below it
                blocks[place : place + 2] = ["", ""]
    return "".join(blocks)


ReplyKind = Literal["receipt", "fault", "command", "notice", "sitrep", "reminder", "invitation", "word", "watch"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An email to one reader, before it is made into a MIME message.

    Attributes:
        to: A bare address, or name and address; ``""`` means the umpire of the host folder, whose address the outbox
            knows.
        subject: The subject.
        text: The plain text.
        kind: The kind of email, such as a receipt or a sitrep.
        html: The HTML part; ``""`` for none.
        in_reply_to: A Message-ID with its ``<>``.
        references: Message-IDs with their ``<>``.
        game: The name of the game, if the email is about one.
        side: The side of the reader; ``umpire`` for the umpire.
        attachments: (file name, MIME type such as ``text/plain``, content) of each file.
        pictures: (Content-ID, file name, PNG) of each picture that ``html`` shows.
        key: Identifies the email in file names and in its Message-ID. By default it is made from the content, so the
            same email always has the same key.
        until: The deadline that the text mentions.
        answers_to: The address for answers, if they do not go to the host.
    """

    to: str
    subject: str
    text: str
    kind: ReplyKind
    html: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    game: str = ""
    side: str = ""
    attachments: tuple[tuple[str, str, bytes], ...] = ()
    pictures: tuple[tuple[str, str, bytes], ...] = ()
    key: str = ""
    until: Until | None = None
    answers_to: str = ""

    def __post_init__(self) -> None:
        if not self.key:
            msgspec.structs.force_setattr(self, "key", content_key(self))


class UmpireNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A message to the umpire: a problem, reported once a day, or information, reported once.

    Attributes:
        text: What the umpire reads.
        key: Identifies the problem, or the occasion.
        trouble: Whether it is a problem.
        calm: Whether a problem needs no urgent action; this is so only for a late player.
        game: The name of the game it concerns, if any.
    """

    text: str
    key: str
    trouble: bool = True
    calm: bool = False
    game: str = ""

    @property
    def page(self) -> str:
        """The name of the guide page that explains what to do; empty if the notice reports no problem."""
        return "" if not self.trouble else "late" if self.calm else "trouble"


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """Emails and notices about a game that one step of the host's round wants to have sent.

    The game's folder records the keys of what was sent, so that nothing is sent again after sent emails are deleted.

    Attributes:
        plan: Keys to record before the emails are put into the outbox.
        replies: The emails.
        keys: Keys to record when the emails are in the outbox.
        notices: Messages to the umpire.
    """

    plan: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    keys: tuple[str, ...] = ()
    notices: tuple[UmpireNotice, ...] = ()


def letter_key(*said: object) -> str:
    """Return a key of 40 hex digits for an email, made from the given parts.

    The parts identify what the email answers or reports, and its reader. So the same email is never sent twice.
    """
    return _named(" ".join(map(str, said)).encode())


def _named(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:40]


def to_umpire(
    umpire: str, subject: str, text: str, key: str, *,
    kind: ReplyKind = "notice", game: str = "", page: str = "", answers_to: str = "",
) -> Reply:  # fmt: skip
    """Return an email to the umpire.

    Args:
        umpire: The umpire's address.
        subject: The subject.
        text: The text, without a line end at its end.
        key: Identifies the email, so that it is sent only once.
        kind: The kind of the reply.
        game: The name of the game it is about, if any.
        page: A page of the guides that says what to do; the last line of the email mentions it.
        answers_to: The address for answers; ``""`` for the host's.
    """
    if page:
        text = text.rstrip("\n") + f"\n\nMore: `pbem help {page}`."
    return Reply(
        to=umpire,
        subject=subject,
        text=f"{text}\n",
        kind=kind,
        game=game,
        side="umpire",
        key=key,
        answers_to=answers_to,
    )


def content_key(reply: Reply) -> str:
    """Return a key of 40 hex digits made from the content of an email; equal emails get equal keys."""
    parts: list[bytes] = []
    for word in (reply.to, reply.subject, reply.text, reply.kind, reply.html, reply.in_reply_to, *reply.references):
        parts.append(word.encode("utf-8", "surrogatepass"))
    parts += [reply.game.encode(), reply.side.encode("utf-8", "surrogatepass")]
    for name, mime, content in (*reply.attachments, *reply.pictures):
        parts += [name.encode("utf-8", "surrogatepass"), mime.encode("utf-8", "surrogatepass"), content]
    # Each part is preceded by its length, so that different emails never give the same bytes.
    return _named(b"".join(len(part).to_bytes(8, "big") + part for part in parts))
