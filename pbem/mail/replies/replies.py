"""What goes out: one letter, in words, before it is made into a mail."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from pbem.mail.replies.until import Until

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
