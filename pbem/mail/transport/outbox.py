"""What is to be sent, as files: ``waiting`` until a server has taken it, then ``sent``, or ``failed`` with the reason,
and at last ``given-up`` (:mod:`pbem.mail.transport.outbox`).

While it is handed over its last form, with its date, lies in ``sending``: it is written before, so that a full disk is
noticed before anything goes out. That the server took it is recorded by taking the file in ``waiting`` away, which
needs no room on any disk; what lies in ``sending`` alone belongs to ``sent``.

A mail's name and Message-ID are made from the key of its :class:`Reply`, so the same letter is the same file and the
same mail, however often it is put here or sent. It is recorded as sent the moment after the server took it: only a
machine that stops between these two sends a mail twice, and then byte for byte the same. Without a server the mails
stay in ``waiting`` and may be opened with any mail program.

Mails that could not be sent for good: to whom, why, and which of them nobody needs any more.

They lie in the outbox until the umpire has them sent again or gives them up (``pbem mail failed``). One whose reader
has another address by now is given up by the round, as soon as a report of its game has gone there after it was
written: that tells all it told. A player may ask for an older report by RESEND. Nothing is deleted here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Protocol

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import (
    cannot,
    keep,
    make_folder,
    patiently,
    read_bytes,
    read_head,
    read_kept,
    remove,
    write_bytes,
    write_text,
)
from pbem.games.submit import typed
from pbem.mail.incoming.message import OWN_HEADER
from pbem.mail.people import read_moves
from pbem.mail.replies.receipts import wrapped
from pbem.mail.replies.reply import Refresh, Reply, Until, as_of, to_umpire, until_of, with_until
from pbem.mail.seats import Games
from pbem.mail.settings import Host, broken_by
from pbem.reports.mail.mime import Attachment, address_header, composed, one_line, reader_of
from pbem.reports.mail.sitrep_mail import SUMMARY_LIMIT
from pbem.util import regex, several

NOBODY = "nobody"
"""Whom the command calls so: a mail without an address."""
_MOST = 5
"""Readers who are named one by one."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A mail that lies in ``failed``: its file, its bare ``reader``, and ``why`` no server took it. ``about`` is the
    game and side in the file's name, ``written`` when it was, in ns.
    """

    path: Path
    reader: str
    why: str
    about: str
    written: int


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A report that went out: game and side as in its name, its reader, and when, in ns."""

    about: str
    reader: str
    at: int


def by_reader(failures: Iterable[Failure]) -> dict[str, list[Failure]]:
    """The same for each reader."""
    found: dict[str, list[Failure]] = {}
    for one in failures:
        found.setdefault(one.reader, []).append(one)
    return found


def told(failures: Iterable[Failure]) -> list[tuple[str, str]]:
    """The readers mails could not be sent to, as the command is told them (all of them, where there are many), each
    with a sentence and the last reason.
    """
    groups = by_reader(failures)
    said = [
        (reader or NOBODY, f"{several(len(found), 'mail')} to {reader or NOBODY} could not be sent: {found[-1].why}")
        for reader, found in groups.items()
    ]
    if (more := len(said) - _MOST) <= 0:
        return said
    return [*said[:_MOST], ("", f"Mails to {several(more, 'more reader')} could not be sent")]


def chosen(failures: Collection[Failure], who: str) -> list[Failure]:
    """Those of a reader, or of a file's name; all of them where nobody is named."""
    wanted = who.strip().lower()
    return [one for one in failures if wanted in ("", (one.reader or NOBODY).lower(), one.path.name.lower())]


def commands(club: Path, who: str = "") -> tuple[str, str]:
    """What the umpire may do: have them sent again, or give them up."""
    line = command(club, who)
    return f"{line} --again", f"{line} --give-up"


def command(club: Path, who: str = "") -> str:
    """The command that shows them."""
    return f"pbem mail failed {typed(club)}" + (f" {typed(who)}" if who else "")


def stale(
    failures: Collection[Failure],
    reports: Iterable[Sent],
    addresses: Mapping[str, str],
    moved: Mapping[str, str],
) -> Iterator[Failure]:
    """Those nobody needs: their reader has another address, and a later report has gone there. ``addresses`` are where
    mail of each side (as in names) goes now, ``moved`` from where to where people's mail went, all in small letters.
    """
    still = {*addresses.values()}
    if all(one.reader.lower() in still and addresses.get(one.about) in (None, one.reader.lower()) for one in failures):
        return  # most often: nobody has moved, and no report has to be looked at
    went: dict[tuple[str, str], int] = {}
    for one in reports:
        key = one.about, one.reader.lower()
        went[key] = max(went.get(key, 0), one.at)
    for reader, found in by_reader(failures).items():
        old = reader.lower()
        done = [one for one in found if _replaced(one, old, addresses, went)]
        yield from done
        if old in still:
            continue
        # What is about no game (that his address is another one) needs a report at the address he has now.
        now = {addresses[one.about] for one in done} | {_last(old, moved)}
        there = [at for (_, to), at in went.items() if to in now]
        yield from (one for one in found if one.about not in addresses and any(one.written <= at for at in there))


def _replaced(one: Failure, old: str, addresses: Mapping[str, str], went: Mapping[tuple[str, str], int]) -> bool:
    now = addresses.get(one.about, old)
    return now != old and went.get((one.about, now), 0) >= one.written


def _last(address: str, moved: Mapping[str, str]) -> str:
    """Where mail to an address goes in the end; nowhere where it never moved."""
    seen: list[str] = []
    while (to := moved.get(seen[-1] if seen else address, "")) and to not in seen:
        seen.append(to)
    return seen[-1] if seen else ""


MAIL, FOLDER = "mail", "outbox"
"""The folder of the post in a host's, and the outbox in that."""
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240, 720, 1440))
"""How long a mail waits after each refusal; the last one again and again."""
PATIENCE = timedelta(days=5)
"""A mail that no server took for so long has failed."""

GIVEN_UP = "given-up"
"""The folder of the outbox with what could not be sent and nobody needs any more."""
PACK, PACKED = ".tar.xz", "packed.txt"
"""Beside the mails that were sent: those that were packed together, and the names of all of them."""

_CHOICE = (
    "The first line has all mails to this address tried again, each with the deadline that is true then; the second "
    "lays them aside:"
)
_ELSE = "If he gets another address, nothing is to be done: his last report goes there."
TOLD = timedelta(days=1)
"""So often the umpire hears of mails to the same reader that failed."""

_MIMES = regex(r"(application|audio|image|text|video)/[A-Za-z0-9.+-]+")
_IDENTITY = regex(r"<[^\s<>]+>")


class Refused(Exception):
    """The server will never take this mail."""


class Later(Exception):
    """The server does not take this mail now."""


class Unreachable(Exception):
    """No mail can be sent now: no server, no log-in, no address to send from."""


class Carrier(Protocol):
    """What takes mails away. Raises :class:`Refused`, :class:`Later` or :class:`Unreachable`."""

    def send(self, sender: str, to: str, mail: bytes) -> None: ...


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a waiting mail so far: attempts, the first and the next one, and why the last one failed."""

    tries: int
    first: datetime
    next: datetime
    why: str


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting mail that tells a deadline and was refused: what it tells, to whom, since when, and why."""

    until: Until
    reader: str
    since: datetime
    why: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One round of sending: names of mails sent, failed for good, and refused for now; ``trouble`` where no server
    could be reached; ``reached`` is whether one was, ``None`` where nothing had to be sent.
    """

    sent: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    waiting: int = 0
    trouble: str = ""
    reached: bool | None = None


def bare(address: str) -> str:
    """``ann@example.org`` of ``Ann <ann@example.org>``; empty where there is no address."""
    found = address_header(address)
    if isinstance(found, str):
        return found.rpartition("<")[2].rstrip(">")
    return str(getattr(found, "addr_spec", "")) if found else ""


class Outbox:
    """The outbox in a folder. ``reply_to`` tells the address a reader answers to, where it is not the host's;
    ``needless`` which failed mails nobody needs any more, from these and the reports that went out.
    """

    def __init__(
        self,
        folder: Path,
        host: Host,
        reply_to: Callable[[Reply], str] | None = None,
        needless: Callable[[Collection[Failure], Iterable[Sent]], Iterable[Failure]] | None = None,
    ) -> None:
        self.host = host
        self.reply_to, self.needless = reply_to, needless
        self.club = folder.parent.parent
        self._packed: frozenset[str] | None = None
        self.sent_since: frozenset[str] = frozenset()
        """Mails that are known to have been sent by this folder before it was restored: they do not go again."""
        self.unreached: dict[str, str] = {}
        self._answered = False
        """Readers to whom a mail could not be sent for good, and why."""
        self.waiting, self.sending, self.sent, self.failed, self.given_up = (
            folder / name for name in ("waiting", "sending", "sent", "failed", GIVEN_UP)
        )

    def message_id(self, key: str) -> str:
        """The Message-ID of the letter with this key."""
        domain = bare(self.host.orders).rpartition("@")[2] or "pbem.invalid"
        return f"<{_digest(key)}@{domain}>"

    def put(self, reply: Reply) -> Path | None:
        """Keep a letter until it is sent. One whose key is known, waiting, sent or failed, is not put again."""
        if self._is_here(reply):
            return None
        path = self.waiting / _name(reply)
        write_bytes(path, with_until(self.mail(reply), reply.until), private=True)
        return path

    def _is_here(self, reply: Reply) -> bool:
        """By its whole name: what was sent in years is not to be searched for every letter."""
        name = _name(reply)
        if any((folder / name).is_file() for folder in (self.waiting, self.sending, self.failed, self.given_up)):
            return True
        return self._went(name) or name in self.sent_since

    def _went(self, name: str) -> bool:
        """Whether a mail of that name was sent."""
        if (self.sent / name).is_file():
            return True
        if self._packed is None:
            names = self.sent / PACKED
            self._packed = frozenset(read_bytes(names).decode().split("\n")) if names.is_file() else frozenset()
        return name in self._packed

    def mail(self, reply: Reply) -> bytes:
        """A letter as a mail without its Date: that is set when it is sent."""
        summary = reply.html.encode("ascii", "xmlcharrefreplace").decode("ascii")
        about = tuple(found for found in (reply.in_reply_to, *reply.references) if _IDENTITY.fullmatch(found))
        name = re.sub(r'[<>"@,;:\\]', " ", self.host.name).strip()
        answers_to = reply.answers_to or (self.reply_to(reply) if self.reply_to else "")
        return composed(
            _digest(reply.key),
            (
                ("From", address_header(f"{name} <{bare(self.host.orders)}>" if name else bare(self.host.orders))),
                ("To", address_header(reply.to or self.host.umpire)),
                ("Reply-To", address_header(answers_to or self.host.orders)),
                ("Subject", one_line(reply.subject)),
                ("Message-ID", self.message_id(reply.key)),
                (OWN_HEADER, _digest(reply.key)),
                ("In-Reply-To", reply.in_reply_to if reply.in_reply_to in about else ""),
                ("References", " ".join(dict.fromkeys((*about[1:], *about[:1])))),
                ("Auto-Submitted", "auto-replied" if reply.in_reply_to else "auto-generated"),
            ),
            text=reply.text,
            # The text is complete without the summary; some mail programs cut off what is longer.
            html_summary=summary if len(summary) <= SUMMARY_LIMIT else "",
            pictures=reply.pictures if len(summary) <= SUMMARY_LIMIT else (),
            attachments=[_attachment(*attached) for attached in reply.attachments],
        )

    def due(self, now: datetime) -> list[Path]:
        """The mails to be tried now, oldest first."""
        return [path for path in self._all_waiting() if (trial := self.trial(path)) is None or trial.next <= now]

    def trial(self, path: Path) -> Trial | None:
        """What became of a waiting mail so far."""
        return read_kept(path.with_suffix(".json"), Trial)

    def refused(self) -> list[Refusal]:
        """The mails with a deadline that were refused and still wait."""
        found = []
        for note in sorted(self.waiting.glob("*.json")) if self.waiting.is_dir() else ():
            path = note.with_suffix(".eml")
            with suppress(GameError):
                until, mail = until_of(read_bytes(path))
                if until is not None and (trial := self.trial(path)) is not None:
                    found.append(Refusal(until=until, reader=reader_of(mail).lower(), since=trial.first, why=trial.why))
        return found

    def failures(self) -> list[Failure]:
        """The mails that could not be sent, in the order in which they were written."""
        found = []
        for path in self.failed.glob("*.eml") if self.failed.is_dir() else ():
            _, mail = until_of(read_head(path) + b"\r\n\r\n")
            note, written = self._note_on(path), path.stat().st_mtime_ns
            why = read_bytes(note).decode("utf-8", "replace").strip() if note.is_file() else "the reason was lost"
            found.append(Failure(path=path, reader=reader_of(mail), why=why, about=_about(path), written=written))
        return sorted(found, key=lambda one: (one.written, one.path.name))

    def again(self, one: Failure) -> bool:
        """Have a failed mail tried again; not one that went out after all. The caller holds the host's lock."""
        if self._went(one.path.name):
            self.give_up(one)
            return False
        self._move(one.path, self.waiting)  # the note stays: what tells a deadline tells the one that is true then
        return True

    def give_up(self, one: Failure) -> None:
        """Lay a failed mail aside for good, with the reason beside it. The caller holds the host's lock."""
        make_folder(self.given_up, private=True)
        if (note := self._note_on(one.path)).is_file():
            self._move(note, self.given_up)
        self._move(one.path, self.given_up)

    def _settle(self) -> None:
        """Give up what nobody needs any more."""
        if self.needless is not None and (found := self.failures()):
            for one in list(self.needless(found, self._reports())):
                self.give_up(one)

    def _reports(self) -> Iterable[Sent]:
        for kind in ("sitrep", "invitation"):
            for path in self.sent.glob(f"{kind}.*.eml"):
                reader, at = reader_of(read_head(path) + b"\r\n\r\n"), path.stat().st_mtime_ns
                yield Sent(about=_about(path), reader=reader, at=at)

    def counted(self) -> tuple[int, int]:
        """How many mails wait, and how many have failed."""
        return len(self._all_waiting()), sum(1 for _ in self.failed.glob("*.eml")) if self.failed.is_dir() else 0

    def went(self, name: str) -> None:
        """A mail that waits here is known to have been sent: by this folder, before it was restored."""
        if (self.waiting / name).is_file():
            self._move(self.waiting / name, self.sent)
            self._forget(self.waiting / name)

    def deliver(
        self, carrier: Carrier | None, now: datetime, *, refresh: Refresh | None = None, only: Path | None = None
    ) -> Delivery:
        """Send what is due. Without a carrier the mails stay where they are; those to nobody fail in any case. A mail
        whose files cannot be read or written stays for the next time, and keeps no other waiting. ``refresh`` tells the
        deadline as it is now. ``only``: no other mail is looked at.
        """
        done: dict[str, list[str]] = {"sent": [], "failed": [], "later": []}
        troubles: list[str] = []
        unreachable, self._answered = "", False
        for path in self.due(now) if only is None else [only]:
            try:
                what, why = self._deliver(path, None if unreachable else carrier, now, refresh)
            except (GameError, OSError) as error:
                troubles.append(f"{path.name}: {broken_by(error)}")
                continue
            unreachable = unreachable or why
            if what:
                done[what].append(path.name)
        if unreachable:
            troubles.insert(0, unreachable)
        try:
            self._gather()
            if only is None:
                self._settle()
                self._tell_of_failures(now)
        except (GameError, OSError) as error:
            troubles.append(broken_by(error))
        return Delivery(
            sent=tuple(done["sent"]),
            failed=tuple(done["failed"]),
            later=tuple(done["later"]),
            waiting=len(self._all_waiting()),
            trouble="; ".join(dict.fromkeys(troubles)),
            reached=False if unreachable else self._answered or None,
        )

    def _deliver(self, path: Path, carrier: Carrier | None, now: datetime, refresh: Refresh | None) -> tuple[str, str]:
        """Try to send one mail: ``sent``, ``failed``, ``later`` or nothing; and why no server can be reached."""
        if (self.sent / path.name).is_file():
            self._forget(path)  # an older version wrote there first, and the machine stopped before this
            return "", ""
        until, mail = until_of(read_bytes(path))
        reader = reader_of(mail)
        if not reader:
            self._fail(path, "there is no address to send it to")
            return "failed", ""
        if carrier is None:
            return "", ""
        if until is not None and refresh is not None:
            # One that failed and was moved back by hand has a note there still.
            again = self.trial(path) is not None or self._note_on(path).is_file()
            words = refresh(until, reader.lower() if again else "")
            if words != until.words:
                remove(self.sending / path.name)  # what it says of the deadline is no longer true
                mail = as_of(mail, until, words)
        try:
            carrier.send(bare(self.host.orders), reader, self._reserved(path, mail, now))
            self._answered = True
        except Refused as error:
            self._answered = True
            self._fail(path, str(error))
            self.unreached[reader.lower()] = str(error)
            return "failed", ""
        except (Later, Unreachable) as error:
            ours = isinstance(error, Unreachable)
            self._answered = not ours  # where nobody can be reached that is told, whoever answered before
            remove(self.sending / path.name)
            failed = self._postpone(path, str(error), now, ours=ours)
            if failed:
                self.unreached[reader.lower()] = str(error)
            return "failed" if failed else "later", str(error) if ours else ""
        self._forget(path)
        self._move(self.sending / path.name, self.sent)
        remove(self._note_on(path))
        return "sent", ""

    def _note_on(self, path: Path) -> Path:
        return self.failed / f"{path.stem}.txt"

    def _reserved(self, path: Path, mail: bytes, now: datetime) -> bytes:
        """A mail with its date, as it goes out: on the disk before, with room for what is written when it is gone. One
        that perhaps went out already goes as it was.
        """
        kept = self.sending / path.name
        if kept.is_file():
            return read_bytes(kept)
        dated = b"Date: " + format_datetime(now.astimezone(UTC)).encode("ascii") + b"\r\n" + mail
        make_folder(self.sent, private=True)
        write_bytes(kept, dated, private=True)
        return dated

    def _move(self, path: Path, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            patiently(path.replace, folder / path.name)
        except OSError as error:
            raise cannot("write", folder / path.name, error) from error

    def _gather(self) -> None:
        """Put what was sent where it belongs: the machine stopped before, or the disk was full."""
        for path in sorted(self.sending.glob("*.eml")) if self.sending.is_dir() else ():
            if not (self.waiting / path.name).is_file():
                self._move(path, self.sent)

    def _all_waiting(self) -> list[Path]:
        found = []
        for path in self.waiting.glob("*.eml") if self.waiting.is_dir() else ():
            with suppress(FileNotFoundError):  # somebody took it away just now
                found.append((path.stat().st_mtime_ns, path.name, path))
        return [path for *_, path in sorted(found)]

    def _postpone(self, path: Path, why: str, now: datetime, *, ours: bool) -> bool:
        """Note a refusal and when to try again; whether patience has ended. While no server can be reached at all
        no mail fails: that is no fault of its reader.
        """
        before = self.trial(path)
        tries, first = (before.tries + 1, before.first) if before else (1, now)
        if not ours and now - first >= PATIENCE:
            self._fail(path, f"no server took it in {PATIENCE.days} days; at last: {why}")
            return True
        wait = BACK_OFF[0] if ours else BACK_OFF[min(tries, len(BACK_OFF)) - 1]
        trial = Trial(tries=tries, first=first, next=now + wait, why=why)
        keep(path.with_suffix(".json"), trial)
        return False

    def _fail(self, path: Path, why: str) -> None:
        remove(self.sending / path.name)
        write_text(self._note_on(path), f"{why}\n", private=True)
        self._move(path, self.failed)
        remove(path.with_suffix(".json"))

    def _forget(self, path: Path) -> None:
        remove(path)
        remove(path.with_suffix(".json"))

    def _tell_of_failures(self, now: datetime) -> None:
        """The umpire hears of each reader whom a mail did not reach, once a day, but not of himself."""
        if not self.host.umpire:
            return
        file = self.failed.with_suffix(".json")
        before = read_kept(file, dict[str, datetime]) or {}
        told = dict(before)
        untold: dict[str, list[Path]] = {}
        for path in sorted(self.failed.glob("*.eml")) if self.failed.is_dir() else ():
            _, mail = until_of(read_bytes(path))
            reader = reader_of(mail)
            if reader != bare(self.host.umpire) and not self._is_here(_failure(path.name)) and path.name not in told:
                untold.setdefault(reader, []).append(path)
        for reader, paths in untold.items():
            if reader in told and timedelta() <= now - told[reader] < TOLD:
                continue
            self.put(_failure(paths[0].name, self._failures(reader, paths)))
            told |= dict.fromkeys((reader, *(path.name for path in paths)), now)
        if told != before:
            keep(file, told)

    def _failures(self, reader: str, paths: list[Path]) -> str:
        note = self._note_on(paths[-1])
        why = read_bytes(note).decode("utf-8", "replace").strip() if note.is_file() else "the reason was lost"
        what = "A mail" if len(paths) == 1 else f"{len(paths)} mails"
        lies = "It lies" if len(paths) == 1 else "They lie"
        names = "\n".join(f"  {MAIL}/{FOLDER}/failed/{path.name}" for path in paths)
        where = f"in {MAIL}/{FOLDER}/failed/{paths[0].name}." if len(paths) == 1 else f"here:\n\n{names}\n"
        again, give_up = commands(self.club, reader or NOBODY)
        return (
            f"{what} to {reader or 'a player without an address'} could not be sent:\n\n  {why}\n\n"
            f"{lies} {where}\n{wrapped(_CHOICE)}\n\n    {again}\n    {give_up}\n\n{wrapped(_ELSE)}"
        )


def _failure(name: str, text: str = "") -> Reply:
    return to_umpire("", "A mail could not be sent", text, f"failed {name}")


def open_outbox(folder: Path, host: Host, games: Games) -> Outbox:
    """The outbox of a host; every player answers to his own address, if the host has such."""

    def reply_to(reply: Reply) -> str:
        token = games.token_of_side.get((reply.game, reply.side), "")
        return games.address(token) if games.tags and token else ""

    def needless(failures: Collection[Failure], reports: Iterable[Sent]) -> Iterable[Failure]:
        addresses = {_named(seat.game, seat.side): seat.addresses[0] for seat in games.seats if seat.addresses}
        moved = {one.old: one.new for one in read_moves(folder / MAIL) if one.done}
        return stale(failures, reports, addresses, moved)

    return Outbox(folder / MAIL / FOLDER, host, reply_to, needless)


def _name(reply: Reply) -> str:
    """A letter's file: what it is about, for who looks into the folder, and its key."""
    return f"{_named(reply.kind, reply.game, reply.side)}.{_digest(reply.key)}.eml"


def _named(*words: str) -> str:
    return ".".join(re.sub(r"[^A-Za-z0-9_-]", "_", word)[:40] for word in words)


def _about(path: Path) -> str:
    """Game and side in the name of a mail's file."""
    return ".".join(path.name.split(".")[1:3])


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _attachment(name: str, mime: str, content: bytes) -> Attachment:
    kind, _, subtype = (mime if _MIMES.fullmatch(mime) else "application/octet-stream").partition("/")
    return Attachment(one_line(name), content, subtype, kind)
