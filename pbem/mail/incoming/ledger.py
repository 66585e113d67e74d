"""Keep the journal of incoming emails, put emails into quarantine, and write the notices about these.

The journal is in the database of the mail folder (:mod:`pbem.mail.store`); entries are only added. After the answers
to an email are in the outbox, one transaction adds the email, the keys of its answers and everything else that it
changes in the database. If the program stops before that, the email is processed again: its orders are already filed,
and its answers get the same names as before.

An email in quarantine is stored as a file for the umpire ("put aside"). A notice to a player never repeats its text,
since a stranger could write anything there. The umpire gets one digest a day, or at once if a game is in trouble,
because single notices about spam would hide what needs attention. The digest is made from the journal, and the fact
``digest`` of the database records how far the journal was reported. That is recorded before the digest is put into the
outbox. So after an interruption the host writes the same digest again, which the outbox recognizes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock, Timeout

from pbem.errors import GameError
from pbem.games.storage.files import cannot, make_folder, patiently, write_bytes
from pbem.games.storage.folder import MODE
from pbem.mail import emails
from pbem.mail.emails import wrapped
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, UnknownSender, address_of, player_addresses, subject_for, without_tokens
from pbem.mail.store import DIGEST, DigestProgress, Done, EmailRecord, LetterStreak, opened
from pbem.util import typed

QUARANTINE: Final = "quarantine"
"""Name of the folder for emails that are stored for the umpire instead of being processed."""

LET_IN: Final[tuple[Done, ...]] = ("quarantine", "trouble", "empty", "auto")
"""The results (``done`` of a journal entry) after which the umpire may still accept an email."""
MOST_ASIDE: Final = 1000
MOST_BYTES: Final = 100_000_000
"""Maximum total size in bytes of strangers' emails in quarantine.

``MOST_ASIDE`` is their maximum number. For emails of players both limits are twice as high.
"""


class Ledger:
    """The journal of incoming emails in a mail folder (``mail/`` of a host), and its quarantine folder.

    To write to it, open it with :func:`held`.
    """

    def __init__(self, post: Path) -> None:
        self.post = post
        self._aside: tuple[int, int] | None = None

    def entries(self) -> list[EmailRecord]:
        """Return the last journal entry of each email, in the order in which the emails were first processed."""
        known: dict[str, EmailRecord] = {}
        with opened(self.post) as store:
            known |= {entry.digest: entry for _, entry in store.emails()}
        return list(known.values())

    def find(self, digest: str) -> EmailRecord | None:
        """Return the last journal entry of the email with this digest; ``None`` if it was not processed yet."""
        with opened(self.post) as store:
            return store.email(digest)

    def row(self, game: str, side: str) -> LetterStreak:
        """Return the :class:`LetterStreak` of a side: how many of its latest emails in a row were alike."""
        with opened(self.post) as store:
            return store.streak(game, side)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything that one email changes in the database at once, or nothing after an error."""
        with opened(self.post) as store, store.transaction():
            yield

    def add(self, entry: EmailRecord, *, let_in: bool = False) -> None:
        """Add an entry to the journal, unless its email is recorded already.

        There are two exceptions. One is an email in quarantine that is delivered again. The other is an email that the
        umpire accepts (``let_in``).
        """
        with opened(self.post) as store, store.transaction():
            # An email in quarantine is not settled: its token may be valid when it is delivered again.
            if let_in or store.done_with(entry.digest) in ("", "quarantine"):
                store.add_email(entry)

    def put_aside(self, raw: bytes, digest: str, why: str, *, known: bool = False) -> str:
        """Store an email in quarantine, with the reason in a file beside it; return its file name.

        If the quarantine is full, do nothing and return ``""``.

        Args:
            raw: The bytes of the email.
            digest: The hash that identifies the email.
            why: The reason, for the umpire.
            known: Whether a player sent it; then the limits are twice as high.
        """
        name = f"{QUARANTINE}/{digest[:24]}.eml"
        if not (self.post / name).is_file():
            letters, size = self._aside = self._aside or self._counted_aside()
            times = 2 if known else 1
            if letters >= times * MOST_ASIDE or size + len(raw) > times * MOST_BYTES:
                return ""
            self._aside = letters + 1, size + len(raw)
        write_bytes(self.post / name, raw, private=True)
        write_bytes(
            self.post / f"{QUARANTINE}/{digest[:24]}.txt", (why + "\n").encode("utf-8", "replace"), private=True
        )
        return name

    def taken_back(self, name: str) -> None:
        """Move an email that the umpire accepted from the quarantine to the folder ``accepted/``.

        The file with the reason is moved too. ``name`` is the path of the email in the mail folder.
        """
        for path in (self.post / name, (self.post / name).with_suffix(".txt")):
            try:
                if path.is_file():
                    make_folder(self.post / "accepted", private=True)
                    patiently(path.replace, self.post / "accepted" / path.name)
            except OSError as error:
                raise cannot("write", path, error) from error

    def _counted_aside(self) -> tuple[int, int]:
        try:
            with os.scandir(self.post / QUARANTINE) as inside:
                sizes = [entry.stat().st_size for entry in inside if entry.name.endswith(".eml")]
        except FileNotFoundError:
            return 0, 0
        except OSError as error:
            raise cannot("read", self.post / QUARANTINE, error) from error
        return len(sizes), sum(sizes)


@contextmanager
def held(post: Path, patience: float = 30.0) -> Iterator[Ledger]:
    """Open the journal and lock it in this context, so that only one delivery at a time uses it.

    Programs such as procmail start one delivery for each email. ``patience`` is the longest wait in seconds.

    Raises:
        GameError: If another command holds the lock for too long.
    """
    try:
        make_folder(post, private=True)
        lock = FileLock(post / "letters.lock", mode=MODE)
        lock.acquire(timeout=patience, poll_interval=0.05)
    except Timeout:
        said = "try again: another command is receiving emails; nothing was changed"
        raise GameError.saying("game-locked", said, file=str(post)) from None
    except OSError as error:
        raise cannot("write", post, error) from error
    try:
        with opened(post):
            yield Ledger(post)
    finally:
        lock.release()


# --- notices ---


def notice(letter: Letter, games: Games, why: str) -> tuple[Reply, ...]:
    """Return the email that informs the umpire of an email in quarantine, for the reason ``why``.

    It does not repeat the text of that email; the umpire can open the file.
    """
    name = f"quarantine/{letter.digest[:24]}.eml"
    said = emails.render(
        "put-aside",
        games.club,
        why=why,
        sender=letter.sender,
        subject=without_tokens(letter.subject)[:200],
        date=letter.date[:100],
        file=kept_as(games.post, name),
        accept=accept_line(games.post, name),
    )
    key = notice_key(letter.digest)
    return (to_umpire(games.umpire, said.subject, said.text, key, page="quarantine"),)


def to_owner(letter: Letter, games: Games, stranger: UnknownSender) -> tuple[Reply, ...]:
    """Return the email that warns a player of a rejected email with their address or token.

    It is sent at most once a day, to the player's known address; the result is empty if there is nobody to warn. It
    contains nothing that the writer of the rejected email could choose, except the writer's address if the email had
    the right token. Another player's address is never shown.
    """
    seat = stranger.owner
    if seat is None or games.now is None or seat.addresses[0] in (bare(games.umpire), bare(games.orders)):
        return ()
    day = f"{games.now:%Y-%m-%d}"
    others = any(letter.sender in one.addresses for one in games.seats)  # its address is not shown
    said = emails.render(
        "put-aside-owner",
        games.club,
        game=seat.game,
        stolen=stranger.stolen,
        sender=letter.sender if stranger.stolen and not others else "",
        mine=seat.addresses,
        address=address_of(games, seat) if games.tags else "",
        games=len({one.game for one in games.of_person(seat, letter.sender)}),
    )
    return (
        Reply(
            to=seat.to,
            subject=subject_for(games, seat, said.subject),
            text=f"{said.text}\n",
            kind="notice",
            game=seat.game,
            side=seat.side,
            key=letter_key(games.orders, seat.game, seat.side, seat.addresses[0], "aside", day),
        ),
    )


def kept_as(post: Path, name: str) -> str:
    """Return the absolute path of a file in the mail folder, such as an email in quarantine."""
    return str(post.absolute() / name)


def accept_line(post: Path, name: str) -> str:
    """Return the shell command with which the umpire accepts an email in quarantine, ready to paste.

    ``name`` is the path of the email in the mail folder ``post``.
    """
    home = post.absolute().parent
    folder = home.parent if home.name == "secret" else home
    return f"pbem mail accept {typed(folder)} {name}"


def notice_key(digest: str) -> str:
    """Return the key of the umpire's notice about the email with this digest.

    If the journal lists this key among the answers to an email, the umpire's daily digest must mention that email.
    """
    return letter_key(digest, "umpire")


def bare(address: str) -> str:
    """Return the address in ``The Umpire <umpire@example.org>``, in lower case; ``""`` if there is none."""
    return next(iter(player_addresses(address)), "")


EVERY: Final = timedelta(days=1)
_MOST: Final = 30
"""Maximum number of groups in the umpire's digest.

A group is all emails with the same sender and the same reason.
"""


_SHOWN: Final = 5
"""Maximum number of emails of one group for which the digest shows the command that accepts them."""


def tell(post: Path, umpire: str, zone: str, now: datetime, put: Callable[[Reply], object]) -> None:
    """Put the umpire's digest of emails in quarantine into the outbox, if it is due.

    Args:
        post: The folder for email files.
        umpire: The umpire's address; without it no digest is written.
        zone: The time zone in which times are shown.
        now: The time.
        put: Puts a reply into the outbox.
    """
    with opened(post) as store:
        told = store.fact(DIGEST, DigestProgress) or DigestProgress()  # damaged: report all again
        end = told.telling or store.last_email()
        if end <= told.told:
            return
        entries = [one for _, one in store.emails(told.told, end) if notice_key(one.digest) in one.replies]
        if entries and not told.telling:
            urgent = any(entry.done == "trouble" for entry in entries)
            if not urgent and told.at is not None and now - told.at < EVERY:
                return
            told = msgspec.structs.replace(told, telling=end, key=f"put aside {told.told} {end}")
            store.keep(DIGEST, told)
        if entries and umpire:
            put(_digest(post, entries, umpire, zone, told))
        store.keep(DIGEST, DigestProgress(told=end, at=now if entries else told.at))


def _digest(post: Path, entries: list[EmailRecord], umpire: str, zone: str, progress: DigestProgress) -> Reply:
    groups: dict[tuple[str, str], list[EmailRecord]] = {}
    for entry in entries:
        groups.setdefault((entry.sender, entry.why), []).append(entry)
    shown = []
    for (sender, why), same in list(groups.items())[:_MOST]:
        last = same[-1]
        because = wrapped(why, "           ").replace("           ", "  because  ", 1)
        file = kept_as(post, last.file) if last.file else ""
        lines = [accept_line(post, one.file) for one in same[-_SHOWN:] if one.file and one.done in LET_IN]
        shown.append((sender, len(same), last.subject, [because], file, lines))
    said = emails.render(
        "put-aside-list",
        post.parent,
        letters=len(entries),
        since=written(progress.at, zone) if progress.at else "",
        trouble=any(entry.done == "trouble" for entry in entries),
        groups=shown,
        folder=kept_as(post, "quarantine"),
        can_accept=any(entry.file and entry.done in LET_IN for entry in entries),
        more=len(groups) - _MOST,
    )
    return to_umpire(umpire, said.subject, said.text, f"{progress.key} {entries[0].digest}", page="quarantine")
