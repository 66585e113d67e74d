"""A deadline in a mail that still waits: when the mail goes, it says what is true then.

A mail in the outbox bears on its first line which deadline its text tells (:class:`Until`); that line stays here when
the mail is sent. Where the mail had to wait the deadline is a later one by then (:mod:`pbem.mail.host.clock_faults`),
and its words are put for those that were written.

What goes out: one letter, in words, before it is made into a mail.
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
from pbem.mail.replies.receipts import wrapped
from pbem.mail.seats import Seat

HEADER: Final = b"X-PBEM-Until: "
PLAYED: Final = "This has been played since."
"""Instead of the deadline of a request that is answered."""


class Until(msgspec.Struct, frozen=True, kw_only=True):
    """The deadline a mail tells: to whom, of which request (turn, number, stretch of play), and in which ``words``.
    ``standing`` is one of :data:`pbem.mail.replies.answer.Standing`. ``asks`` where the time of the request begins with
    it.
    ``meanwhile`` is what the mail says besides that holds only as long as the request is not played.
    """

    asking: tuple[int, int, int]
    standing: str
    words: str
    game: str = ""
    side: str = ""
    asks: bool = False
    meanwhile: str = ""


def until_for(game: GameFolder, seat: Seat, standing: str, words: str, *, asks: bool = False) -> Until | None:
    """The deadline of a game's request in force, told to a player; nothing where there is none to tell."""
    state = game.state()
    if not words or state.request is None:
        return None
    asking = (state.request.turn, state.request.number, state.segment)
    return Until(asking=asking, standing=standing, words=words, game=seat.game, side=seat.side, asks=asks)


Refresh = Callable[[Until, str], str]
"""The words that are true now; the second is the reader of a mail that a server has refused before, else empty."""


def with_until(mail: bytes, until: Until | None) -> bytes:
    """A mail with the line that says which deadline it tells."""
    return HEADER + msgspec.json.encode(until) + b"\r\n" + mail if until is not None else mail


def until_of(mail: bytes) -> tuple[Until | None, bytes]:
    """The deadline a mail tells, and the mail without the line that says so."""
    if not mail.startswith(HEADER):
        return None, mail
    first, _, rest = mail.partition(b"\r\n")
    try:
        return msgspec.json.decode(first[len(HEADER) :], type=Until), rest
    except (ValueError, RecursionError):
        return None, rest


def as_of(mail: bytes, until: Until, words: str) -> bytes:
    """A mail that told a deadline as it is sent when these ``words`` are true; what it was good for is left out where
    its request has been played.
    """
    changes = [(until.words, words)]
    if words == PLAYED and until.meanwhile:
        changes.append((until.meanwhile, ""))
    return rewritten(mail, changes)


def rewritten(mail: bytes, changes: Sequence[tuple[str, str]]) -> bytes:
    """A mail that says other words wherever it said some: in its text, its page and its files; ``changes`` are both,
    one after the other.
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
            if inline or (page and part["Content-Transfer-Encoding"] == "7bit"):  # its line ends are those of the mail
                changed = changed.replace(b"\r\n", b"\n")
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "quoted-printable"
            part.set_payload(b2a_qp(changed, istext=inline).decode())
    return bytes(message)


_AS_IT_IS: Final = compat32.clone(linesep="\r\n")
"""Headers stay as they were written: the newer policies read each of them, which takes longer than all the rest."""


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
            if not mended:  # the paragraph is gone, with the empty line below it
                blocks[place : place + 2] = ["", ""]
    return "".join(blocks)


ReplyKind = Literal["receipt", "fault", "command", "notice", "sitrep", "reminder", "invitation", "word", "watch"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A letter to one reader. ``in_reply_to`` and ``references`` are message ids with their ``<>``.

    ``to`` is a bare address; ``""`` stands for the umpire of the host folder, whose address the outbox knows. ``game``
    and ``side`` say whose letter it is (``side`` is ``umpire`` for the umpire). An attachment is (file name, MIME type
    such as ``text/plain``, content); a picture that ``html`` shows is (Content-ID, file name, PNG). ``key`` names the
    letter in file names and in its Message-ID: where none is given it is made from the content, so the same letter has
    the same key, whatever the clock says. ``until`` is the deadline the text tells. An answer goes to ``answers_to``,
    where that is not the host.
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


def letter_key(*said: object) -> str:
    """The key of a letter that is named by what it answers or tells, and to whom: the same 40 hex digits whenever."""
    return _named(" ".join(map(str, said)).encode())


def _named(said: bytes) -> str:
    return hashlib.sha256(said).hexdigest()[:40]


def to_umpire(
    umpire: str, subject: str, text: str, key: str, *,
    kind: ReplyKind = "notice", game: str = "", page: str = "", answers_to: str = "",
) -> Reply:  # fmt: skip
    """A letter to the umpire; its last line names the ``page`` of the guides that tells what to do. His answer goes to
    ``answers_to``, where that is not the host.
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
    """40 hex digits that are the same for the same letter."""
    parts: list[bytes] = []
    for word in (reply.to, reply.subject, reply.text, reply.kind, reply.html, reply.in_reply_to, *reply.references):
        parts.append(word.encode("utf-8", "surrogatepass"))
    parts += [reply.game.encode(), reply.side.encode("utf-8", "surrogatepass")]
    for name, mime, content in (*reply.attachments, *reply.pictures):
        parts += [name.encode("utf-8", "surrogatepass"), mime.encode("utf-8", "surrogatepass"), content]
    # Each part with its length: no two letters run together into the same bytes.
    return _named(b"".join(len(part).to_bytes(8, "big") + part for part in parts))
