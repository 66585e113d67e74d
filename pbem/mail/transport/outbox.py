"""Store outgoing emails as files, deliver them, and keep the emails that could not be sent.

An email is in the folder ``waiting`` until a server has accepted it, and then in ``sent``. If it cannot be sent, it is
moved to ``failed``. The umpire may move it on to ``given-up``. The database of the mail folder has the attempts, the
reasons, and a list of what was sent. Before an email is sent, its final form with the date is written to ``sending``,
so that a full disk is noticed first. After the server has accepted the email, its file in ``waiting`` is deleted; this
needs no disk space. So an email with a file only in ``sending`` was sent; the next step moves it to ``sent``.

File name and Message-ID are made from the key of the :class:`Reply`. So the same reply always gets the same file
and is sent only once, however often it is put into the outbox. The one exception: if the machine stops just after
the server accepted an email, it is sent twice, byte for byte the same. Without a server the emails stay in
``waiting``; any mail program can open them.

Failed emails stay until the umpire retries them or gives them up (``pbem mail failed``). If the player has a new
address, the host gives up an old email after it has sent a later report of that game to the new address. That report
contains everything the old email did, and a player may request an older report with RESEND. Nothing is deleted in this
module.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.header import decode_header, make_header
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import Protocol

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import (
    cannot,
    make_folder,
    patiently,
    read_bytes,
    read_head,
    remove,
    sync_folder,
    write_bytes,
)
from pbem.mail import emails
from pbem.mail.emails import EmailText
from pbem.mail.event_log import note_delivery
from pbem.mail.incoming.message import OWN_HEADER
from pbem.mail.people import read_moves
from pbem.mail.replies.reply import Refresh, Reply, Until, as_of, to_umpire, until_of, with_until
from pbem.mail.seats import Games, without_tokens
from pbem.mail.settings import Host, broken_by
from pbem.mail.store import FAILURES_TOLD, SentEmail, Trial, keep_fact, opened, read_fact
from pbem.reports.mail.mime import Attachment, address_header, composed, one_line, reader_of
from pbem.reports.mail.sitrep_mail import SUMMARY_LIMIT
from pbem.util import regex, several, typed

NOBODY = "nobody"
"""The name that is shown for the reader of an email without an address."""
_MOST = 5
"""Maximum number of readers whose failed emails are listed one by one; the others are only counted."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An email that could not be sent; its file is in the folder ``failed``.

    Attributes:
        path: The file of the email.
        reader: The address it was for, without a name; empty if there is none.
        why: Why no server accepted it.
        about: The game and side it is about, as in the file name.
        written: When it was written, in nanoseconds since 1970.
    """

    path: Path
    reader: str
    why: str
    about: str
    written: int


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A report that was sent by email: what it was about, to whom it went, and when.

    ``about`` is the game and side as in the file name. ``at`` is in nanoseconds since 1970.
    """

    about: str
    reader: str
    at: int


def by_reader(failures: Iterable[Failure]) -> dict[str, list[Failure]]:
    """Return the failed emails grouped by the address they were for, as a dict."""
    by_address: dict[str, list[Failure]] = {}
    for failure in failures:
        by_address.setdefault(failure.reader, []).append(failure)
    return by_address


def failure_sentences(failures: Iterable[Failure]) -> list[tuple[str, str]]:
    """Return for each reader a sentence about their failed emails, to be shown to the umpire.

    Each item is ``(reader, sentence)``; the sentence ends with the reason of the last failure. If more than five
    readers are affected, one last item with an empty reader counts the others.
    """
    groups = by_reader(failures)
    sentences = [
        (reader or NOBODY, f"{several(len(found), 'email')} to {reader or NOBODY} could not be sent: {found[-1].why}")
        for reader, found in groups.items()
    ]
    if (more := len(sentences) - _MOST) <= 0:
        return sentences
    return [*sentences[:_MOST], ("", f"Mails to {several(more, 'more reader')} could not be sent")]


def chosen(failures: Collection[Failure], who: str) -> list[Failure]:
    """Return the failed emails that ``who`` selects; it is an address, a file name, or ``""`` for all."""
    wanted = who.strip().lower()
    return [one for one in failures if wanted in ("", (one.reader or NOBODY).lower(), one.path.name.lower())]


def commands(club: Path, who: str = "") -> tuple[str, str]:
    """Return two shell commands for the umpire: one retries failed emails, the other gives them up.

    If ``who`` is given, they concern only the emails to that address.
    """
    line = command(club, who)
    return f"{line} --again", f"{line} --give-up"


def command(club: Path, who: str = "") -> str:
    """Return the shell command that lists a club's failed emails; ``who`` limits it to one address."""
    return f"pbem mail failed {typed(club)}" + (f" {typed(who)}" if who else "")


def stale(
    failures: Collection[Failure],
    reports: Iterable[Sent],
    addresses: Mapping[str, str],
    moved: Mapping[str, str],
) -> Iterator[Failure]:
    """Yield the failed emails that nobody needs any more.

    These are emails to a player's old address, if a later report was sent to the player's new address.

    Args:
        failures: The failed emails.
        reports: The reports that were sent.
        addresses: The present address of each side, in lower case. The keys are ``game.side`` as in file names.
        moved: Old address to new address of people who changed it, in lower case.
    """
    still = {*addresses.values()}
    if all(
        report.reader.lower() in still and addresses.get(report.about) in (None, report.reader.lower())
        for report in failures
    ):
        return  # the usual case: nobody has a new address, so no report has to be read
    went: dict[tuple[str, str], int] = {}
    for report in reports:
        key = report.about, report.reader.lower()
        went[key] = max(went.get(key, 0), report.at)
    for reader, found in by_reader(failures).items():
        old = reader.lower()
        done = [report for report in found if _replaced(report, old, addresses, went)]
        yield from done
        if old in still:
            continue
        # An email about no game (such as a change of address) is replaced by any later report to the new address.
        now = {addresses[report.about] for report in done} | {_last(old, moved)}
        there = [at for (_, to), at in went.items() if to in now]
        yield from (
            report for report in found if report.about not in addresses and any(report.written <= at for at in there)
        )


def _replaced(failure: Failure, old: str, addresses: Mapping[str, str], went: Mapping[tuple[str, str], int]) -> bool:
    now = addresses.get(failure.about, old)
    return now != old and went.get((failure.about, now), 0) >= failure.written


def _last(address: str, moved: Mapping[str, str]) -> str:
    """Return the newest address of the person who had this address; ``""`` if they have not changed it."""
    seen: list[str] = []
    while (to := moved.get(seen[-1] if seen else address, "")) and to not in seen:
        seen.append(to)
    return seen[-1] if seen else ""


MAIL, FOLDER = "mail", "outbox"
"""Names of two folders: the mail folder in a host's folder, and the outbox in that mail folder."""
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240, 720, 1440))
"""How long an email waits before the next attempt: after its first refusal, its second, and so on.

The last value is used for all later refusals.
"""
PATIENCE = timedelta(days=5)
"""Time after which an email that no server accepted counts as failed."""

GIVEN_UP = "given-up"
"""The folder of the outbox for failed emails that will not be tried again."""
PACK, PACKED = ".tar.xz", "packed.txt"
"""Files in the folder of sent emails: the ending of archives of old emails, and the list of these."""

LOST = "the reason was lost"
TOLD = timedelta(days=1)
"""Minimum time between two notices to the umpire about failed emails to the same reader."""

_MIMES = regex(r"(application|audio|image|text|video)/[A-Za-z0-9.+-]+")
_IDENTITY = regex(r"<[^\s<>]+>")


class Refused(Exception):
    """Error: the server will never accept this email."""


class Later(Exception):
    """Error: the server does not accept this email now, but may accept it later."""


class Unreachable(Exception):
    """Error: no email at all can be sent now, because of the server, the login or the sender's address."""


class Carrier(Protocol):
    """Something that delivers emails, such as a connection to an SMTP server.

    Its method ``send`` raises :class:`Refused`, :class:`Later` or :class:`Unreachable` if an email was not
    accepted.
    """

    def send(self, sender: str, to: str, mail: bytes) -> None: ...


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting email that mentions a deadline and that a server has refused.

    Attributes:
        until: The deadline that the text mentions.
        reader: The address it is for, in lower case.
        since: When it was first tried.
        why: The last error.
    """

    until: Until
    reader: str
    since: datetime
    why: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one attempt to send all emails that are due.

    Attributes:
        sent: File names of the emails that were sent.
        failed: File names of the emails that failed for good.
        later: File names of the emails that were refused for now.
        waiting: How many emails still wait.
        trouble: What went wrong, for example that no server could be reached; empty if nothing did.
        reached: Whether a server could be reached; ``None`` if nothing had to be sent.
    """

    sent: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    waiting: int = 0
    trouble: str = ""
    reached: bool | None = None


def bare(address: str) -> str:
    """Return ``ann@example.org`` from ``Ann <ann@example.org>``; empty if there is no address."""
    header = address_header(address)
    if isinstance(header, str):
        return header.rpartition("<")[2].rstrip(">")
    return str(getattr(header, "addr_spec", "")) if header else ""


class Outbox:
    """The outbox in a folder: takes emails as files and sends them.

    Args:
        folder: The folder of the outbox.
        host: The host's settings.
        reply_to: Function that returns the address to which answers to an email go. Without it, or if it returns
            ``""``, they go to the host's address.
        needless: Function that gets the failed emails and the sent reports. It returns the failed emails that nobody
            needs any more.
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
        self.post, self.club = folder.parent, folder.parent.parent
        self._packed: frozenset[str] | None = None
        self.sent_since: frozenset[str] = frozenset()
        """File names of emails that were sent after the backup from which this folder was restored.

        They are not sent again.
        """
        self.unreached: dict[str, str] = {}
        """Address to reason, for each reader to whom an email failed for good in this run."""
        self.queued = 0
        """How many emails were put into the outbox in this run."""
        self._answered = False
        """Whether a server answered in this run."""
        self.waiting, self.sending, self.sent, self.failed, self.given_up = (
            folder / name for name in ("waiting", "sending", "sent", "failed", GIVEN_UP)
        )

    def message_id(self, key: str) -> str:
        """Return the Message-ID for the email with this key."""
        domain = bare(self.host.orders).rpartition("@")[2] or "pbem.invalid"
        return f"<{_digest(key)}@{domain}>"

    def put(self, reply: Reply) -> Path | None:
        """Store a reply as an email to be sent, and return its file.

        Return ``None`` and do nothing if an email with this key is already waiting, sent, failed or given up.
        """
        if self._is_here(reply):
            return None
        path = self.waiting / _name(reply)
        write_bytes(path, with_until(self.mail(reply), reply.until), private=True)
        self.queued += 1
        return path

    def _is_here(self, reply: Reply) -> bool:
        """Return whether the outbox already has the email of this reply, in whatever state.

        The whole file name is compared, so that years of sent emails need not be searched each time.
        """
        name = _name(reply)
        if any((folder / name).is_file() for folder in (self.waiting, self.sending, self.failed, self.given_up)):
            return True
        return self._went(name) or name in self.sent_since

    def _went(self, name: str) -> bool:
        """Return whether the email with this file name was sent, as its file or an archive shows."""
        if (self.sent / name).is_file():
            return True
        if self._packed is None:
            names = self.sent / PACKED
            self._packed = frozenset(read_bytes(names).decode().split("\n")) if names.is_file() else frozenset()
        return name in self._packed

    def mail(self, reply: Reply) -> bytes:
        """Return a reply as a complete email in bytes, without the Date header, which is added on sending."""
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
        """Return the files of the waiting emails that should be tried now, oldest first."""
        with opened(self.post) as store:
            trials = store.trials()
        waiting = self._all_waiting()
        return [path for path in waiting if (trial := trials.get(path.name)) is None or trial.next <= now]

    def trial(self, path: Path) -> Trial | None:
        """Return how often and when a waiting email was tried; ``None`` before the first attempt."""
        with opened(self.post) as store:
            return store.trial(path.name)

    def refused(self) -> list[Refusal]:
        """Return the waiting emails that mention a deadline and were refused by a server at least once."""
        refusals = []
        with opened(self.post) as store:
            trials = store.trials()
        for name, trial in trials.items():
            with suppress(GameError):
                until, mail = until_of(read_bytes(self.waiting / name))
                if until is not None:
                    refusals.append(
                        Refusal(until=until, reader=reader_of(mail).lower(), since=trial.first, why=trial.why)
                    )
        return refusals

    def failures(self) -> list[Failure]:
        """Return the emails that could not be sent, in the order in which they were written."""
        failures = []
        for path in self.failed.glob("*.eml") if self.failed.is_dir() else ():
            _, mail = until_of(read_head(path) + b"\r\n\r\n")
            written, why = path.stat().st_mtime_ns, self._why(path) or LOST
            failures.append(Failure(path=path, reader=reader_of(mail), why=why, about=_about(path), written=written))
        return sorted(failures, key=lambda one: (one.written, one.path.name))

    def again(self, failure: Failure) -> bool:
        """Move a failed email back to the waiting emails, and return whether it will be tried again.

        If the email turns out to have been sent, it is given up instead, and the result is false. The caller must
        hold the host's lock.
        """
        if self._went(failure.path.name):
            self.give_up(failure)
            return False
        self._move(
            failure.path, self.waiting
        )  # the reason stays: with it, _deliver knows that this email failed before
        return True

    def give_up(self, failure: Failure) -> None:
        """Move a failed email to the folder ``given-up``. The caller must hold the host's lock."""
        make_folder(self.given_up, private=True)
        self._move(failure.path, self.given_up)

    def _settle(self) -> None:
        """Give up the failed emails that nobody needs any more (see :func:`stale`)."""
        if self.needless is not None and (failures := self.failures()):
            for failure in list(self.needless(failures, self._reports())):
                self.give_up(failure)

    def _reports(self) -> Iterable[Sent]:
        for kind in ("sitrep", "invitation"):
            for path in self.sent.glob(f"{kind}.*.eml"):
                reader, at = reader_of(read_head(path) + b"\r\n\r\n"), path.stat().st_mtime_ns
                yield Sent(about=_about(path), reader=reader, at=at)

    def counted(self) -> tuple[int, int]:
        """Return how many emails wait, and how many have failed."""
        return len(self._all_waiting()), sum(1 for _ in self.failed.glob("*.eml")) if self.failed.is_dir() else 0

    def waiting_for(self) -> list[tuple[Path, str]]:
        """Return the waiting emails with the addresses of their readers, oldest first."""
        return [(path, reader_of(until_of(read_head(path) + b"\r\n\r\n")[1])) for path in self._all_waiting()]

    def all_waiting(self) -> list[SentEmail]:
        """Return what the log shows of the waiting emails, oldest first; ``at`` is when each was written."""
        return list(_listed(self._all_waiting()))

    def moved_to_sent(self) -> list[SentEmail]:
        """Return what the log shows of files in the folder ``sent``; ``at`` is when each email was written.

        In a club without a mail server the umpire sends the emails and moves their files there. The folder may also
        have emails that a server accepted.
        """
        return list(_listed(sorted(self.sent.glob("*.eml")))) if self.sent.is_dir() else []

    def went(self, name: str) -> None:
        """Move a waiting email to the sent emails, because it was sent before this folder was restored.

        ``name`` is its file name. The folder was restored from a backup in which the email still waits.
        """
        if (self.waiting / name).is_file():
            with opened(self.post) as store:
                store.add_sent([_sent_email(self.waiting / name)])
            self._move(self.waiting / name, self.sent)
            self._forget(self.waiting / name)

    def deliver(
        self, carrier: Carrier | None, now: datetime, *, refresh: Refresh | None = None, only: Path | None = None
    ) -> Delivery:
        """Send the emails that are due, and return what happened.

        Without a carrier the emails stay where they are; emails without an address fail in any case. An email whose
        files cannot be read or written stays for the next run and does not stop the others.

        Args:
            carrier: Delivers the emails; ``None`` if there is no server.
            now: The time.
            refresh: Function that returns the current wording of a deadline, which replaces the one in the email.
            only: The one email file to send; ``None`` for all that are due.
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
                note_delivery(path.name, what)
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
        """Try to send one email, and return the outcome and a reason.

        The outcome is ``sent``, ``failed``, ``later`` or ``""`` (not tried). The reason is empty unless no server can
        be reached; then no further email is tried.
        """
        if (self.sent / path.name).is_file():
            self._forget(path)  # a version of pbem that wrote to "sent" first was interrupted before this step
            return "", ""
        until, mail = until_of(read_bytes(path))
        reader = reader_of(mail)
        if not reader:
            self._fail(path, "there is no address to send it to")
            return "failed", ""
        if carrier is None:
            return "", ""
        if until is not None and refresh is not None:
            # An email that failed and was moved back by the umpire still has a recorded reason.
            again = self.trial(path) is not None or bool(self._why(path))
            for mentioned in (until, *until.others):
                words = refresh(mentioned, reader.lower() if again and mentioned is until else "")
                if words != mentioned.words:
                    remove(self.sending / path.name)  # what it says of the deadline is no longer true
                    mail = as_of(mail, mentioned, words)
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
            self._answered = not ours  # if no server can be reached now, earlier answers do not count
            remove(self.sending / path.name)
            failed = self._postpone(path, str(error), now, ours=ours)
            if failed:
                self.unreached[reader.lower()] = str(error)
            return "failed" if failed else "later", str(error) if ours else ""
        remove(path)
        return "sent", ""

    def _why(self, path: Path) -> str:
        """Return why an email could not be sent; empty if no failure is recorded."""
        with opened(self.post) as store:
            return store.failure(path.name)

    def _reserved(self, path: Path, mail: bytes, now: datetime) -> bytes:
        """Write an email with its date to the folder ``sending``, and return its bytes.

        This checks that there is disk space before the email is sent. If the email was perhaps sent already, the bytes
        from that attempt are returned unchanged.
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
            make_folder(folder, private=True)
            patiently(path.replace, folder / path.name)
            sync_folder(folder)
        except OSError as error:
            raise cannot("write", folder / path.name, error) from error

    def _gather(self) -> None:
        """Record the emails that were sent in the database, and move them from ``sending`` to ``sent``.

        This includes emails of an earlier run that was interrupted.
        """
        files = sorted(self.sending.glob("*.eml")) if self.sending.is_dir() else []
        gone = [path for path in files if not (self.waiting / path.name).is_file()]
        if gone:
            with opened(self.post) as store:
                store.add_sent(_sent_email(path) for path in gone)
        for path in gone:
            self._move(path, self.sent)

    def _all_waiting(self) -> list[Path]:
        dated = []
        for path in self.waiting.glob("*.eml") if self.waiting.is_dir() else ():
            with suppress(FileNotFoundError):  # the file was moved in the meantime
                dated.append((path.stat().st_mtime_ns, path.name, path))
        return [path for *_, path in sorted(dated)]

    def _postpone(self, path: Path, why: str, now: datetime, *, ours: bool) -> bool:
        """Record that an email was refused, and when to try it next; return whether it has failed for good.

        If ``ours`` is true, no server could be reached. Then the email is not to blame and never fails for good.
        """
        before = self.trial(path)
        tries, first = (before.tries + 1, before.first) if before else (1, now)
        if not ours and now - first >= PATIENCE:
            self._fail(path, f"no server took it in {PATIENCE.days} days; at last: {why}")
            return True
        wait = BACK_OFF[0] if ours else BACK_OFF[min(tries, len(BACK_OFF)) - 1]
        with opened(self.post) as store:
            store.keep_trial(path.name, Trial(tries=tries, first=first, next=now + wait, why=why))
        return False

    def _fail(self, path: Path, why: str) -> None:
        remove(self.sending / path.name)
        with opened(self.post) as store:
            store.keep_failure(path.name, why)
            self._move(path, self.failed)
            store.keep_trial(path.name, None)

    def _forget(self, path: Path) -> None:
        remove(path)
        with opened(self.post) as store:
            store.keep_trial(path.name, None)

    def _tell_of_failures(self, now: datetime) -> None:
        """Send the umpire notices about readers who did not get their emails, one a day for each reader.

        Failed emails to the umpire are left out.
        """
        if not self.host.umpire:
            return
        before = read_fact(self.post, FAILURES_TOLD, dict[str, datetime]) or {}
        informed = dict(before)
        untold: dict[str, list[Path]] = {}
        for path in sorted(self.failed.glob("*.eml")) if self.failed.is_dir() else ():
            _, mail = until_of(read_bytes(path))
            reader = reader_of(mail)
            if (
                reader != bare(self.host.umpire)
                and not self._is_here(_failure(path.name))
                and path.name not in informed
            ):
                untold.setdefault(reader, []).append(path)
        for reader, paths in untold.items():
            if reader in informed and timedelta() <= now - informed[reader] < TOLD:
                continue
            self.put(_failure(paths[0].name, self._failures(reader, paths)))
            informed |= dict.fromkeys((reader, *(path.name for path in paths)), now)
        if informed != before:
            keep_fact(self.post, FAILURES_TOLD, informed)

    def _failures(self, reader: str, paths: list[Path]) -> EmailText:
        why = self._why(paths[-1]) or LOST
        again, give_up = commands(self.club, reader or NOBODY)
        files = [f"{MAIL}/{FOLDER}/failed/{path.name}" for path in paths]
        return emails.render("not-sent", self.club, reader=reader, why=why, files=files, again=again, give_up=give_up)


def _failure(name: str, email: EmailText | None = None) -> Reply:
    subject, text = (email.subject, email.text) if email is not None else ("", "")
    return to_umpire("", subject, text, f"failed {name}")


def open_outbox(folder: Path, host: Host, games: Games) -> Outbox:
    """Return the outbox of a host's folder.

    With the setting ``tags``, each player answers to a separate address that contains their token.
    """

    def reply_to(reply: Reply) -> str:
        token = games.token_of_side.get((reply.game, reply.side), "")
        return games.address(token) if games.tags and token else ""

    def needless(failures: Collection[Failure], reports: Iterable[Sent]) -> Iterable[Failure]:
        addresses = {file_words(seat.game, seat.side): seat.addresses[0] for seat in games.seats if seat.addresses}
        moved = {one.old: one.new for one in read_moves(folder / MAIL) if one.done}
        return stale(failures, reports, addresses, moved)

    return Outbox(folder / MAIL / FOLDER, host, reply_to, needless)


def _name(reply: Reply) -> str:
    """Return the file name for a reply: kind, game, side and a hash of the key.

    The first three are for people who open the folder.
    """
    return f"{file_words(reply.kind, reply.game, reply.side)}.{_digest(reply.key)}.eml"


def file_words(*words: str) -> str:
    """Return words joined as part of an email's file name, such as ``game.side``.

    Characters that are not letters, digits, ``_`` or ``-`` become ``_``.
    """
    return ".".join(re.sub(r"[^A-Za-z0-9_-]", "_", word)[:40] for word in words)


def _sent_email(path: Path) -> SentEmail:
    """Return the database record of a sent email, from the headers in its file."""
    head = _FOLDED.sub(b" ", read_head(path) + b"\r\n")
    subject, date = (found[1].decode("ascii", "replace") if (found := one.search(head)) else "" for one in _TOLD)
    if "=?" in subject:
        subject = str(make_header(decode_header(subject)))
    at = ""
    with suppress(ValueError):
        at = parsedate_to_datetime(date).isoformat() if date else ""
    return SentEmail(name=path.name, reader=reader_of(head), subject=without_tokens(subject), at=at)


def _listed(paths: Iterable[Path]) -> Iterator[SentEmail]:
    """Yield what the log shows of email files; an email without a date gets the time of its file.

    Files that a round of the host moves in the meantime are left out.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            email = _sent_email(path)
            at = email.at or datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat()
            yield msgspec.structs.replace(email, at=at)


_FOLDED = regex(rb"\r\n(?=[ \t])[ \t]")
_TOLD = (regex(rb"^Subject: (.*)\r$", re.MULTILINE), regex(rb"^Date: (.*)\r$", re.MULTILINE))


def _about(path: Path) -> str:
    """Return the game and side from the file name of an email."""
    return ".".join(path.name.split(".")[1:3])


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _attachment(name: str, mime: str, content: bytes) -> Attachment:
    kind, _, subtype = (mime if _MIMES.fullmatch(mime) else "application/octet-stream").partition("/")
    return Attachment(one_line(name), content, subtype, kind)
