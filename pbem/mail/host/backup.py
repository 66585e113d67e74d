"""Back up and restore a club's folder, and detect a folder that is older than the work already done.

A restored or copied folder does not know which emails were handled and which turns were played since. So
:class:`CopyCheck` numbers the rounds of the host (one pass over all its games) in which something happened. It stores
the number in five places: in the folder's database and in its ``mail/host.json``, which games read, in the folder of
each game that a round reported (``mail/hosted.json``), in the mailbox (a :class:`HostMark`), and in a file of this
account (under ``$XDG_STATE_HOME/pbem``). If the folder's number is behind one of the others, the host does nothing
until the umpire confirms the folder. What the host does after that is in :mod:`pbem.mail.host.receive`.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.proof.restored import CLUB_PUT_BACK, CLUB_TOLD, PlayedSegment, hosted_games, note_host, played_in
from pbem.games.storage.files import cannot, keep, patiently, read_kept, remove, write_text
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.players import CLOCK, FOLDER
from pbem.mail.host.deadlines import written as told
from pbem.mail.incoming.ledger import held
from pbem.mail.incoming.message import OWN_HEADER
from pbem.mail.settings import FILE, game_folders, read_host
from pbem.mail.store import FILE as DATABASE, GENERATION, Generation, copy, keep_fact, read_fact
from pbem.mail.transport.outbox import MAIL
from pbem.mail.web_keys import renew_all
from pbem.util import several, typed

HEADER: Final = "X-PBEM-Mark"
Guard = Callable[[tuple[str, ...]], None]
"""Type of a function that checks the marks of hosts in a mailbox before any email is fetched.

It raises an error if no email may be fetched.
"""
_SUBJECT: Final = "pbem: the mark of this mailbox's host (leave it here)"
_WORDS: Final = """\
This mail was put here by pbem, which reads this mailbox for a club of games by
e-mail. By it two machines that run copies of the same club notice each other,
and a backup that was put back is known. It is replaced whenever something
happens. If you delete it, the next one comes by itself.
"""
_LONGEST: Final = 100


class HostMark(msgspec.Struct, frozen=True, kw_only=True):
    """A note in the mailbox that says which host worked last, and how many rounds it has done.

    All copies of a club's folder share the mailbox. So an outdated copy, or an old host that still runs after a move,
    learns from the mark that another host has continued.

    Attributes:
        host: The random name of the host.
        count: Number of the host's rounds (passes over all games) in which something happened.
        word: A random word for the last of these rounds, known to nobody else.
        where: The machine and folder in which the round ran (see :func:`here`).
        at: When the round was done.
        since: Number of the round after which the list ``played`` begins.
        played: The segments (play between two requests for orders) reported to players since then, one
            line each. ``None`` if that is not known.
    """

    host: str
    count: int
    word: str
    where: str
    at: datetime
    since: int = 0
    played: tuple[str, ...] | None = None


def here(folder: Path) -> str:
    """Return a text that identifies this machine and this folder, at most 100 characters."""
    return f"{platform.node()}:{folder.absolute()}"[:_LONGEST]


def written(mark: HostMark) -> str:
    """Return a host's mark (the note in the mailbox about its last round) as one line of ASCII (JSON)."""
    return json.dumps(msgspec.to_builtins(mark))


def read(text: str) -> HostMark | None:
    """Return the host's mark (a note in the mailbox) in a line of text.

    Return ``None`` if the line is no mark or is from an incompatible version.
    """
    try:
        return msgspec.json.decode(text, type=HostMark)
    except (ValueError, RecursionError):
        return None


def as_mail(text: str, user: str) -> bytes:
    """Return a host's mark as an email, for a mailbox that can contain only emails.

    A header identifies the mark as our own, so that it is not read as an email from a player. ``user`` is the user of
    the mailbox; ``text`` is the mark as :func:`written` returns it.
    """
    mail = EmailMessage(policy=SMTP.clone(max_line_length=990))
    mail["From"] = mail["To"] = user if "@" in user else "pbem@pbem.invalid"
    mail["Subject"] = _SUBJECT
    mail[OWN_HEADER] = "mark"
    mail[HEADER] = text
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(_WORDS)
    return bytes(mail)


def file_name(host: str) -> str:
    """Return the name of the file for a host's mark, for a mailbox that is a folder."""
    return f"pbem-{host[:32]}.mark"


LIST: Final = "restored.txt"
KEPT: Final = timedelta(days=30)
MARKED: Final = 150
"""Maximum number of segments (play between two requests) that a host's mark in the mailbox lists.

Each is a line of about 30 characters.
"""


class Elsewhere(GameError):
    """Error: this folder may lack work done for its club, so the host must not use it.

    Either the folder was restored from a backup, or another host is at work.
    """


class PutBack(msgspec.Struct, frozen=True, kw_only=True):
    """Note in a folder that was restored from a backup (``mail/put-back.json``).

    It is kept until the umpire confirms that the host may continue with this folder. ``at`` is when the backup was
    restored. ``moved`` says that the backup was made to move the club to another machine.
    """

    at: datetime
    moved: bool = False


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The number of rounds a host has done, and how far each game was reported (``mail/host.json``).

    Attributes:
        host: The random name of the host.
        count: Number of its rounds (passes over all games) in which something happened.
        word: The random word of the last of these rounds.
        where: The machine and folder in which that round ran (see :func:`here`).
        segments: Number of the last segment (play between two requests for orders) reported to players, by
            name of the game.
        links: The same numbers, by the commitment of the game's dice (the published hash of their secret seed). The
            commitment identifies a game even if its folder is renamed.
        noted: The last round that is known to be recorded in the account's file, too.
        settled: The last round that is known to be recorded in the database, too.
    """

    host: str
    count: int = 0
    word: str = ""
    where: str = ""
    segments: dict[str, int] = {}
    links: dict[str, int] = {}
    noted: int = 0
    settled: int = 0


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One round of the host in which something happened, as recorded in the account's file.

    Attributes:
        count: The number of the round.
        at: When it was done.
        sent: The file names of the emails sent.
        letters: The emails received, one description each.
        played: The segments (play between two requests for orders) reported to players in that round; ``None`` if an
            older version did not record them.
        moved: Whether this entry says instead that the club was packed to continue on another machine.
    """

    count: int
    at: datetime
    sent: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    played: tuple[str, ...] | None = None
    moved: bool | msgspec.UnsetType = msgspec.UNSET


def state_folder() -> Path:
    """Return the folder in which pbem stores data of this user account, outside any club."""
    home = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".local" / "state") / "pbem"


class CopyCheck:
    """Detects an old copy of a club's folder.

    It compares the folder's number of rounds (passes over all games) with the account's file and the mailbox. A segment
    is play between two requests for orders.

    Attributes:
        restored: The umpire confirmed that this folder is a backup and that the host is to continue with it.
        lost: Whether the folder is older than the work already done.
        sent: File names of emails known to have been sent since the backup.
        unknown: Whether nothing outside the folder confirms yet that it is the newest copy.
        mailbox_checked: Whether the marks in the mailbox were read.
        moved: Whether the mailbox has a mark of this host, but the folder's last round was done elsewhere.
        mailbox_is_outside: Whether the mailbox is outside the folder.
        fresh: Segments that this round reports for the first time, by name of the game.
        since: Segments played since the backup, by name of the game.
    """

    def __init__(self, folder: Path, state: Path, *, restored: bool = False) -> None:
        self.folder, self.restored = folder, restored
        self.lost, self.sent = False, frozenset[str]()
        self.moved = self.mailbox_checked = self.unknown = False
        self.mailbox_is_outside = True
        self.fresh: dict[str, list[PlayedSegment]] = {}
        self.since: dict[str, list[PlayedSegment]] = {}
        self.generation = read_fact(folder / MAIL, GENERATION, Generation)
        host = self.generation.host if self.generation is not None else secrets.token_hex(8)
        self.counted = read_kept(folder / CLUB_TOLD, Counted) or Counted(host=host)
        self.put_back = read_kept(folder / CLUB_PUT_BACK, PutBack)
        self.file = state / f"{self.counted.host}.json"
        self.deeds = read_kept(self.file, list[Deed]) or []
        self._heard = self.counted.count
        self._guessed = False
        self._links: dict[str, int] = {}
        self._told_of: dict[str, int] = {}
        self._begun = False

    @property
    def sure(self) -> bool:
        """Whether :attr:`since` is certain to list every segment (play between two requests) since the backup."""
        return self._heard >= self.counted.count and not self._guessed

    @property
    def parted(self) -> bool:
        """Whether the folder's database and its other files come from different rounds, so one is an old copy.

        A host that is interrupted between recording in files and in the database leaves the database one round behind.
        Such a difference is ignored.
        """
        files = self.counted
        generation = self.generation or Generation(host=files.host)
        stopped = (generation.host, generation.count) == (files.host, files.count - 1) and files.settled < files.count
        return not stopped and (generation.host, generation.count, generation.word) != (
            files.host,
            files.count,
            files.word,
        )

    @property
    def older(self) -> bool:
        """Whether the host treats this folder as a backup and continues from it.

        The umpire may have confirmed that. Otherwise the folder was packed to continue on this machine, and neither the
        account nor the mailbox confirms that it is the newest copy.
        """
        return self.restored or (self.unknown and self.put_back is not None and self.put_back.moved)

    def told(self, game: GameFolder) -> None:
        """Collect the segments of a game that this round reports for the first time.

        A segment is play between two requests for orders. :meth:`tell` records these segments before the reports are
        sent.
        """
        name, now = game.path.name, game.state().segment
        before = self.told_of(game)
        self._links[game.terms.dice.commitment] = max(now, before)
        if now > before:
            self.fresh[name] = list(played_in(game.records(), before))

    def told_of(self, game: GameFolder) -> int:
        """Return the number of the last segment of a game that was reported to the players.

        A segment is play between two requests for orders. If the game is a restored copy, segments reported before the
        restore count as well.
        """
        name = game.terms.dice.commitment
        if name not in self._told_of:
            # An earlier version knew games by their folders' names alone; a new game may have the name of an old one.
            seen = (game.path / FOLDER / CLOCK).is_file()
            before = self.counted.segments.get(game.path.name, 0) if seen else 0
            self._told_of[name] = self.counted.links.get(name, before)
        return self._told_of[name]

    def played_of(self, game: str, after: int) -> Iterator[PlayedSegment]:
        """Yield the segments of a game after number ``after`` that this account's file lists as reported.

        A segment is play between two requests for orders; ``game`` is the name of the game.
        """
        for deed in self.deeds:
            for name, one in map(_played, deed.played or ()):
                if name == game and one.segment > after:
                    yield one

    def check(self) -> None:
        """Check the folder against the account's file, before the mailbox is read.

        If the file lists later rounds and the umpire has confirmed the folder, note what was sent and played in them.
        Without the confirmation, list the emails of these rounds in ``mail/restored.txt`` and raise the error.

        Raises:
            Elsewhere: More was done on this machine than this folder knows, or the folder is a restored backup that the
                umpire has not confirmed.
        """
        lost = [deed for deed in self.deeds if deed.count > self.counted.count]
        self.unknown = self._is_unknown()
        # This account cannot know what was done elsewhere.
        self._guessed = not lost or any(deed.moved for deed in self.deeds)
        if lost:
            self._verify_later_rounds(lost)
            return
        if self.put_back is not None and not self.put_back.moved and not self.restored:
            text = f"this club was restored from a backup, {self._go}"
            raise Elsewhere.saying("restored", text, file=str(self.folder))
        if self.parted:
            self._go_on_with_parts()
        self._verify_games()

    def _is_unknown(self) -> bool:
        """Return whether the account's file does not confirm that this folder is the newest copy."""
        elsewhere = self.counted.where not in ("", here(self.folder))
        last, left = (self.deeds[-1].count, self.deeds[-1].moved) if self.deeds else (0, False)
        # Another account of this machine may have worked on the same folder in between.
        known = last >= (self.counted.noted or self.counted.count) or (last and not elsewhere)
        wanted = self.counted.count and (self.counted.noted or elsewhere)
        return bool(wanted and (left or not known))

    def _verify_later_rounds(self, lost: list[Deed]) -> None:
        """Handle the rounds ``lost``, which the account's file lists and this folder does not know.

        If the umpire has confirmed the folder, note what was sent and played in them. In any case list their emails in
        ``mail/restored.txt``.

        Raises:
            Elsewhere: The umpire has not confirmed the folder.
        """
        lines = ["Emails that were sent since then and that this folder does not have:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {name}" for deed in lost for name in deed.sent]
        lines += ["", "Emails that were received since then:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {letter}" for deed in lost for letter in deed.letters]
        write_text(self.folder / "mail" / LIST, "\n".join(lines) + "\n", private=True)
        if self.restored:
            self.sent = frozenset(name for deed in lost for name in deed.sent)
            for deed in lost:
                self._played_since(deed.count - 1, deed.count, deed.played)
            self._go_on_from(lost[-1].count)
            return
        mails, letters = sum(len(deed.sent) for deed in lost), sum(len(deed.letters) for deed in lost)
        text = (
            f"this folder is older than what was done here: {several(mails, 'email was', 'emails were')} sent and "
            f"{several(letters, 'email')} received since (mail/{LIST} lists them). Either this folder was restored, or "
            "a copy of it did this. If this is the folder to continue with, "
            f"run `{self._again()}`: it reads those emails again. Until then the host does nothing"
        )
        raise Elsewhere.saying("restored", text, file=str(self.folder))

    def _go_on_with_parts(self) -> None:
        """Continue although the database and the other files of the folder come from different rounds.

        The newer of the two numbers counts. This needs the umpire's confirmation of the folder.

        Raises:
            Elsewhere: The umpire has not confirmed it.
        """
        stored = self.generation.count if self.generation is not None else 0
        if not self.restored:
            which = f"mail/{DATABASE} is" if stored < self.counted.count else f"the files beside mail/{DATABASE} are"
            text = (
                f"a part of this folder was restored from a copy: {which} older than the rest (rounds {stored} and "
                f"{self.counted.count}), {self._go}"
            )
            raise Elsewhere.saying("restored", text, file=str(self.folder))
        self._go_on_from(stored)

    def _verify_games(self) -> None:
        """Check that no game was reported in a round that the files of the correspondence do not record.

        If one was, these files are from a copy, and the host continues from it if the umpire has confirmed the folder.

        Raises:
            Elsewhere: The umpire has not confirmed it.
        """
        mine = (self.counted.count, self.counted.word)
        for game, noted in hosted_games(self.folder):
            newer = noted.count > mine[0] or (noted.count == mine[0] > 0 and noted.word != mine[1])
            if noted.host != self.counted.host or not newer:
                continue
            if not self.restored:
                text = (
                    f"a part of this folder was restored from a copy: the files in {MAIL} are older than the game "
                    f"{game} (rounds {mine[0]} and {noted.count}), {self._go}"
                )
                raise Elsewhere.saying("restored", text, file=str(self.folder))
            self._go_on_from(noted.count)

    def look(self, marks: Iterable[str]) -> None:
        """Check the folder against the hosts' marks in the mailbox, before any email is fetched.

        Raises:
            Elsewhere: A mark reports a round that this folder does not know. Or neither the mailbox nor the account
                confirms that this folder is the newest copy.
        """
        self.mailbox_checked = True
        mine = [mark for text in marks if (mark := read(text)) is not None and mark.host == self.counted.host]
        for mark in sorted(mine, key=lambda mark: mark.count):
            if (mark.count, mark.word) == (self.counted.count, self.counted.word):
                self.unknown = self.unknown and not self.mailbox_is_outside
                continue
            if mark.count < self.counted.count:
                continue
            if self.restored:
                self._guessed = self._guessed and not self.mailbox_is_outside
                self._played_since(mark.since, mark.count, mark.played)
                self._go_on_from(mark.count)
                continue
            text = (
                f"this folder is behind: the mailbox shows that {mark.where} ran a round on {told(mark.at, 'UTC')}, "
                f"and this folder does not have it. Either another host is at work there, or this folder is an earlier "
                "backup. Stop the other host, if there is one. If this folder is the one to continue with, "
                f"run `{self._again()}`. Until then the host does nothing"
            )
            raise Elsewhere.saying("elsewhere", text, file=str(self.folder))
        if not self.lost:
            self.verify_known()
        # A host that still runs in the original folder is to notice this copy before the next email arrives.
        self.moved = bool(mine) and self.counted.where not in ("", here(self.folder))

    def verify_known(self) -> None:
        """Raise :class:`Elsewhere` if nothing confirms that this folder is the newest copy.

        The account's file, the mailbox or the umpire can confirm it.
        """
        if self.unknown and not self.older:
            text = (
                f"this club was last worked on at {self.counted.where or 'another place'}, and neither this account "
                f"nor the mailbox knows whether more was done since, {self._go}"
            )
            raise Elsewhere.saying("elsewhere", text, file=str(self.folder))

    @property
    def _go(self) -> str:
        return (
            f"and the host does nothing. If this is the folder to continue with, run `{self._again()}`: it reads later "
            "emails again, and plays with dice that nobody has seen"
        )

    def _again(self) -> str:
        return f"pbem host {typed(self.folder)} --once --restored"

    def _played_since(self, since: int, count: int, played: tuple[str, ...] | None) -> None:
        """Add the segments (play between two requests) that were played after round ``since`` to ``count``.

        ``played`` is ``None`` if the segments are not known.
        """
        for game, one in map(_played, played or ()):
            self.since.setdefault(game, []).append(one)
        if played is not None and since <= self._heard:
            self._heard = max(count, self._heard)

    def _go_on_from(self, count: int) -> None:
        self.lost = True
        self.counted = msgspec.structs.replace(self.counted, count=max(count, self.counted.count))

    def tell(self, at: datetime) -> None:
        """Record the segments (play between two requests) of this round, before any report on them is sent."""
        if self.fresh and not self._begun:
            self._count(at)

    def add(self, at: datetime, sent: tuple[str, ...], letters: tuple[str, ...]) -> str:
        """Record a finished round in which something happened, and return the new mark for the mailbox.

        ``sent`` are the file names of the emails sent, ``letters`` descriptions of the emails received.
        """
        if not self._begun:
            self._count(at)
        self._begun = False
        deed = msgspec.structs.replace(self.deeds[-1], at=at, sent=sent, letters=letters)
        if deed != self.deeds[-1]:
            self.deeds = [*self.deeds[:-1], deed]
            keep(self.file, self.deeds)
        since, last_played = self._lately()
        return written(
            HostMark(
                host=self.counted.host,
                count=self.counted.count,
                word=self.counted.word,
                where=self.counted.where,
                at=at,
                since=since,
                played=last_played,
            )
        )

    def _count(self, at: datetime) -> None:
        """Increment the number of rounds, first in the folder and then in the account's file.

        In the folder, a file, the database and the games have it. If the host is interrupted in between, the places
        written first have the higher number, which does no harm.
        """
        last = {name: max(one.segment for one in found) for name, found in self.fresh.items() if found}
        played = [
            f"{name} {one.segment} {one.answers} {one.round}" for name, found in self.fresh.items() for one in found
        ]
        self.fresh, self._begun = {}, True
        counted = msgspec.structs.replace(
            self.counted, count=self.counted.count + 1, word=secrets.token_hex(8), where=here(self.folder),
            segments={**self.counted.segments, **last}, links={**self.counted.links, **self._links},
        )  # fmt: skip
        keep(self.folder / CLUB_TOLD, counted)
        self.generation = Generation(host=counted.host, count=counted.count, word=counted.word)
        keep_fact(self.folder / MAIL, GENERATION, self.generation)
        for game in filter(Path.is_dir, (self.folder / "games" / name for name in last)):
            with suppress(GameError), locked(game, "host"):
                note_host(game, counted.host, counted.count, counted.word)
        self.counted = msgspec.structs.replace(counted, settled=counted.count)
        deed = Deed(count=counted.count, at=at, played=tuple(played))
        self.deeds = [*(one for one in self.deeds if at - one.at < KEPT), deed]
        try:
            keep(self.file, self.deeds)
            self.counted = msgspec.structs.replace(self.counted, noted=counted.count)
        finally:
            keep(self.folder / CLUB_TOLD, self.counted)

    def _lately(self) -> tuple[int, tuple[str, ...] | None]:
        """Return the round after which a list of played segments begins, and the list for a mark.

        The list has the latest segments, as many as fit into a mark; it is ``None`` if they are not known.
        """
        segments: tuple[str, ...] = ()
        since = self.counted.count
        for deed in (one for one in reversed(self.deeds) if not one.moved):
            if deed.count != since or deed.played is None or len(segments) + len(deed.played) > MARKED:
                break
            segments, since = (*deed.played, *segments), deed.count - 1
        return (since, segments) if since < self.counted.count else (0, None)

    def left(self, at: datetime) -> None:
        """Record in the account's file that the club was packed to continue on another machine."""
        if self.counted.count:
            keep(self.file, [*self.deeds, Deed(count=self.counted.count, at=at, moved=True)])

    def stays(self) -> None:
        """Delete from the account's file the record that the club was packed to continue on another machine."""
        if any(deed.moved for deed in self.deeds):
            keep(self.file, [deed for deed in self.deeds if not deed.moved])


def _played(line: str) -> tuple[str, PlayedSegment]:
    """Return the name of a game and a segment, from a line of the account's file.

    A segment is play between two requests for orders.
    """
    game, segment, answers, value = line.rsplit(" ", 3)
    return game, PlayedSegment(segment=int(segment), answers=answers, round=int(value))


TOP: Final = "club"
"""Name of the top folder inside a backup archive; it contains all files of the club."""
MOVED: Final = "mail/moved.json"
"""The file in a club's folder that says that the club was packed to continue on another machine."""


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """The result of making a backup: the archive, the number of files in it, and the paths left out.

    Symbolic links and special files are left out.
    """

    file: str
    files: int
    left_out: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """The result of restoring a backup.

    ``folder`` is the restored folder. ``aside`` is the new path of the folder that was there before, ``""`` if there
    was none. ``moved`` says that the backup was made to move the club to this place.
    """

    folder: str
    aside: str = ""
    moved: bool = False


class MovedClub(msgspec.Struct, frozen=True, kw_only=True):
    """Note in a club's folder: the club was packed into ``file`` to continue elsewhere.

    The host of a folder with this note does nothing.
    """

    at: datetime
    file: str


def moved_from(folder: Path) -> MovedClub | None:
    """Return the note that the club was moved away from this folder; ``None`` if there is none."""
    return read_kept(folder / MOVED, MovedClub)


def backup(folder: Path, file: Path) -> Backup:
    """Write a club's folder into a ``.tar.gz`` file, completely or not at all.

    While the backup is made, the host cannot work and no email is received. Each game is copied under its lock,
    so each game is consistent. SQLite itself copies the database of the correspondence. The file contains the secret
    seeds of the dice and the players' tokens, so only the host's own account may read it.

    Raises:
        GameError: The folder is not a host's folder, or the host or another command is at work on it. Or the file
            exists already, is inside the folder, or cannot be written.
    """
    read_host(folder)
    if file.absolute().is_relative_to(folder.absolute()):
        text = "name a file outside this folder: inside it the next backup would contain this one"
        raise GameError.saying("backup", text, file=str(file))
    if file.exists():
        raise GameError.saying("not-empty", "there is such a file already; it was left as it is", file=str(file))
    half = file.with_name(f".{file.name}.half")
    count, left = 0, list[str]()
    try:
        with locked(folder, "host backup"), held(folder / "mail"):
            remove(half)
            with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                with tarfile.open(fileobj=out, mode="w:gz", dereference=True) as tar, TemporaryDirectory() as place:
                    for path in _all_of(folder, left):
                        count += path.is_file()
                        tar.add(path, f"{TOP}/{path.relative_to(folder).as_posix()}", recursive=False)
                    if copy(folder / MAIL, database := Path(place) / DATABASE):
                        count += 1
                        tar.add(database, f"{TOP}/{MAIL}/{DATABASE}")
                out.flush()
                os.fsync(out.fileno())
            patiently(half.replace, file)
    except OSError as error:
        raise cannot("write", file, error) from error
    finally:
        with suppress(GameError):
            remove(half)
    return Backup(file=str(file), files=count, left_out=tuple(left))


def _all_of(folder: Path, left: list[str]) -> Iterator[Path]:
    """Yield every folder and file of a club to back up; lock each game while its files are yielded.

    ``left`` collects the paths that are left out (symbolic links and special files).
    """
    games = game_folders(folder)
    yield from _under(folder, set(games), left)
    for game in games:
        with locked(game, "host backup"):
            yield game
            yield from _under(game, set(), left)


def _under(folder: Path, without: set[Path], left: list[str]) -> Iterator[Path]:
    for home, folders, files in os.walk(folder):
        here = Path(home)
        for name in list(folders):
            path = here / name
            if path in without or (name.startswith(".") and name.endswith((".new", ".tmp"))):
                folders.remove(name)  # a game that is backed up separately, or one that is only half made
            elif path.is_symlink():
                left.append(str(path))
            else:
                yield path
        for name in files:
            if name.endswith((".lock", ".tmp")):
                continue  # locks matter only to commands at work now; temporary files are incomplete
            if name.startswith(DATABASE) and here.name == MAIL:
                continue  # SQLite itself copies the database, including its write-ahead log
            if (here / name).is_file():
                yield here / name
            else:
                left.append(str(here / name))


def restore(file: Path, folder: Path, now: datetime) -> Restored:
    """Restore a club's folder from its backup.

    An existing folder is renamed, not changed, because only it knows what was done since the backup. Its inbox is
    copied into the restored folder, because new emails arrive there. Everybody's personal web link is renewed
    unless the backup was made for a move. If the command is interrupted, running it again completes it.
    ``mail/put-back.json`` records the restore. Nothing is played until the umpire confirms the restored folder.

    Raises:
        GameError: The file is not a backup, or the host is at work on the existing folder.
    """
    ready = folder.with_name(f".{folder.name}.restored")
    half = folder.with_name(f".{folder.name}.unpacking")
    aside = folder.with_name(f"{folder.name}.before-{now:%Y%m%d-%H%M%S}")
    moved = False
    try:
        if folder.exists() or not ready.exists():
            for path in (half, ready):
                if path.exists():
                    shutil.rmtree(path)
            _unpack(file, half)
            moved = moved_from(half / TOP) is not None
            remove(half / TOP / MOVED)
            keep(half / TOP / CLUB_PUT_BACK, PutBack(at=now, moved=moved), indent=True)
            if not moved:
                renew_all(half / TOP / "mail")
            if (folder / FILE).is_file():
                with locked(folder, "host restore"):
                    _keep_inbox(folder, half / TOP)
            patiently((half / TOP).replace, ready)
            patiently(half.rmdir)
        was = folder.exists()
        if was:
            patiently(folder.replace, aside)
        patiently(ready.replace, folder)
    except OSError as error:
        raise cannot("write", folder, error) from error
    return Restored(folder=str(folder), aside=str(aside) if was else "", moved=moved)


def _unpack(file: Path, into: Path) -> None:
    try:
        with tarfile.open(file, "r:gz") as tar:
            members = tar.getmembers()
            strange = [member.name for member in members if not _is_ours(member)]
            if strange or f"{TOP}/{FILE}" not in tar.getnames():
                text = f"this is not a backup of a club: {strange[0] if strange else f'it has no {FILE}'}"
                raise GameError.saying("backup", text, file=str(file))
            into.mkdir(mode=0o700, parents=True)
            for member in members:
                member.mode &= 0o755
            # Python before 3.11.4 has no filters. After `_is_ours` and the change of the mode none is needed.
            tar.extraction_filter = getattr(tarfile, "tar_filter", None)
            tar.extractall(into, members=members)
            (into / TOP).chmod(0o700)
    except (tarfile.TarError, EOFError) as error:
        raise GameError.saying("backup", f"this backup cannot be read: {error}", file=str(file)) from error
    except FileNotFoundError as error:
        raise GameError.saying("backup", "there is no such file", file=str(file)) from error


def _is_ours(member: tarfile.TarInfo) -> bool:
    """Return whether an archive member is a plain file or folder below the top folder.

    Only such members are unpacked.
    """
    parts = member.name.split("/")
    return (member.isreg() or member.isdir()) and parts[0] == TOP and ".." not in parts and "\\" not in member.name


def _keep_inbox(old: Path, new: Path) -> None:
    """Copy the inbox of the old folder to the restored one, because it has the newer emails.

    This is done only if the inbox is inside the club's folder.
    """
    place = read_host(old).inbox.get("path")
    if not isinstance(place, str) or Path(place).is_absolute() or ".." in Path(place).parts:
        return
    mine, theirs = old / place, new / place
    if mine.is_dir():
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(mine, theirs)
    elif mine.is_file():
        shutil.copy2(mine, theirs)
