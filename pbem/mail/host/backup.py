"""A club in one file, and back from it: ``pbem host backup`` and ``pbem host restore``.

A backup is taken while no round works on the folder and no letter is taken in; each game is copied while no other
command works on it. So whatever is in it was so at one moment, as far as one game and the post can tell. It holds the
secrets of the dice and the tokens, and is for the host's own account alone.

To put one back the folder that is there is moved aside, never changed: it is the only one that knows what was done
since. The one that is put back says so (``mail/put-back.json``), and its web links are new ones. Nothing is played in
it before the umpire has said that it is the one to go on with. What comes then is told in :mod:`pbem.mail.host.backup`.

The mark a host leaves in the mailbox of its club: the one thing that two machines with copies of a folder share.

It says which host it is, how many rounds it has done in which something happened, and which of all copies did the last
of them. So a folder that was restored from a backup, and an old machine whose host runs on after a move, find that they
know less than was done (:mod:`pbem.mail.host.backup`).

What a host did, kept apart from its folder too: by that a folder is known that is older than what was done.

A backup of yesterday holds yesterday's journal: today's letters, which the mailbox holds as read, would never come
again, and turns whose sitreps were sent would be played anew. And where a club moved to another machine, a host that
still runs on the old one answers half of the letters. So every round in which something happened is counted in
the folder (``mail/host.json``); in the mailbox, which all copies of a folder share (:mod:`pbem.mail.host.backup`); and
in a file of this account (under ``$XDG_STATE_HOME/pbem``), with what was sent and which letters were taken in. A folder
that has counted less than one of these, or another round under the same number, knows less than was done.

Both also tell which segments of play were told, and a digest of the answers they were played with: of dice that players
have seen the backup's host has to know (:mod:`pbem.games.proof.restored`).

A folder that neither knows of (on a machine where this account has done no round of it, with a mailbox that holds no
mark or lies in the folder itself) may be a copy of any age: its host does nothing before its umpire says so. The folder
also keeps how far each game was told, so that a single game that was put back is found.
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
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.proof.restored import CLUB_PUT_BACK, CLUB_TOLD, PlayedSegment, played_in
from pbem.games.storage.files import cannot, keep, patiently, read_kept, remove, write_text
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.players import CLOCK, FOLDER
from pbem.games.submit import typed
from pbem.mail.host.deadlines import written as told
from pbem.mail.incoming.ledger import held
from pbem.mail.incoming.message import OWN_HEADER
from pbem.mail.settings import FILE, game_folders, read_host
from pbem.mail.web_keys import renew_all
from pbem.util import several

HEADER: Final = "X-PBEM-Mark"
Guard = Callable[[tuple[str, ...]], None]
"""Is shown the marks in a mailbox before any letter is fetched from it, and raises where none is to be."""
_SUBJECT: Final = "pbem: the mark of this mailbox's host (leave it here)"
_WORDS: Final = """\
This mail was put here by pbem, which reads this mailbox for a club of games by
e-mail. By it two machines that run copies of the same club notice each other,
and a backup that was put back is known. It is replaced whenever something
happens. If you delete it, the next one comes by itself.
"""
_LONGEST: Final = 100


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The host's name, its count, a word nobody else knows for that round, and which machine and folder did it when;
    what was played after round ``since`` and told (``None``: not known).
    """

    host: str
    count: int
    word: str
    where: str
    at: datetime
    since: int = 0
    played: tuple[str, ...] | None = None


def here(folder: Path) -> str:
    """What names this machine and this folder on it."""
    return f"{platform.node()}:{folder.absolute()}"[:_LONGEST]


def written(mark: Mark) -> str:
    """A mark as one line of ASCII."""
    return json.dumps(msgspec.to_builtins(mark))


def read(text: str) -> Mark | None:
    """The mark in a line; none where it is no mark, or one of another version."""
    try:
        return msgspec.json.decode(text, type=Mark)
    except (ValueError, RecursionError):
        return None


def as_mail(text: str, user: str) -> bytes:
    """A mark as a mail, for a mailbox that holds mails only; it is known as our own if it is read as a letter."""
    mail = EmailMessage(policy=SMTP.clone(max_line_length=990))
    mail["From"] = mail["To"] = user if "@" in user else "pbem@pbem.invalid"
    mail["Subject"] = _SUBJECT
    mail[OWN_HEADER] = "mark"
    mail[HEADER] = text
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(_WORDS)
    return bytes(mail)


def file_name(host: str) -> str:
    """The file a host's mark lies in, in a mailbox that is a folder."""
    return f"pbem-{host[:32]}.mark"


LIST: Final = "restored.txt"
KEPT: Final = timedelta(days=30)
MARKED: Final = 150
"""So many stretches of play are told by the mark in the mailbox, each a line of some 30 letters."""


class Elsewhere(GameError):
    """This folder knows less than was done for its club: it was restored, or another host is at work."""


class PutBack(msgspec.Struct, frozen=True, kw_only=True):
    """Lies in a club that was put back from a backup ``at`` some moment, until its host was told to go on with it.
    ``moved``: the backup was made to go on elsewhere.
    """

    at: datetime
    moved: bool = False


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A host's own name, how many rounds it has done in which something happened, and the word of the last of them;
    how many segments of each game were told, by name, and the last of them in ``links``, by the commitment of the
    game's dice. ``noted`` is the last count that is known to stand in the account's file, too.
    """

    host: str
    count: int = 0
    word: str = ""
    where: str = ""
    segments: dict[str, int] = {}
    links: dict[str, int] = {}
    noted: int = 0


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One of those rounds: its number, when it was, the mails that went out and the letters that came in; the stretches
    of play that were told then (``None``: by a version that did not note them). ``moved``: the club was packed then, to
    go on elsewhere.
    """

    count: int
    at: datetime
    sent: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    played: tuple[str, ...] | None = None
    moved: bool | msgspec.UnsetType = msgspec.UNSET


def state_folder() -> Path:
    """Where this account keeps what programs remember."""
    home = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".local" / "state") / "pbem"


class Apart:
    """The count of a host's folder and what is kept apart from it. ``restored``: the umpire knows that this folder is
    an older one, and the one to go on with; ``lost`` is whether it is older, ``sent`` which mails are known to have
    gone out since. ``unknown`` is whether nothing apart from the folder tells yet that it is the newest, ``marked``
    whether the mailbox was asked for its marks.
    """

    def __init__(self, folder: Path, state: Path, *, restored: bool = False) -> None:
        self.folder, self.restored = folder, restored
        self.lost, self.sent = False, frozenset[str]()
        self.moved = self.marked = self.unknown = False
        self.outside = True
        self.fresh: dict[str, list[PlayedSegment]] = {}
        self.since: dict[str, list[PlayedSegment]] = {}
        self.counted = read_kept(folder / CLUB_TOLD, Counted) or Counted(host=secrets.token_hex(8))
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
        """Whether all that was played since the backup stands in ``since``, by the game's name."""
        return self._heard >= self.counted.count and not self._guessed

    @property
    def older(self) -> bool:
        """Whether the umpire said that this folder is a backup, or it was packed to go on here and nothing tells that
        nobody went on with it before.
        """
        return self.restored or (self.unknown and self.put_back is not None and self.put_back.moved)

    def told(self, game: GameFolder) -> None:
        """A game was looked at: what was played of it, and not noted yet, is told now."""
        name, now = game.path.name, game.state().segment
        before = self.told_of(game)
        self._links[game.terms.dice.commitment] = max(now, before)
        if now > before:
            self.fresh[name] = list(played_in(game.records(), before))

    def told_of(self, game: GameFolder) -> int:
        """The last segment of a game that was told, by this folder or by its copy with which it went on."""
        name = game.terms.dice.commitment
        if name not in self._told_of:
            # An earlier version knew games by their folders' names alone; a new game may have the name of an old one.
            seen = (game.path / FOLDER / CLOCK).is_file()
            before = self.counted.segments.get(game.path.name, 0) if seen else 0
            self._told_of[name] = self.counted.links.get(name, before)
        return self._told_of[name]

    def played_of(self, game: str, after: int) -> Iterator[PlayedSegment]:
        """The stretches of a game behind segment ``after`` that this account knows to have been told."""
        for deed in self.deeds:
            for name, one in map(_played, deed.played or ()):
                if name == game and one.segment > after:
                    yield one

    def check(self) -> None:
        """Raises :class:`Elsewhere` where more was done on this machine than this folder knows, and for a backup that
        was put back without a word of the umpire.
        """
        lost = [deed for deed in self.deeds if deed.count > self.counted.count]
        elsewhere = self.counted.where not in ("", here(self.folder))
        last, left = (self.deeds[-1].count, self.deeds[-1].moved) if self.deeds else (0, False)
        # Another account of this machine may work on the same folder in between.
        known = last >= (self.counted.noted or self.counted.count) or (last and not elsewhere)
        wanted = self.counted.count and (self.counted.noted or elsewhere)
        self.unknown = bool(wanted and (left or not known))
        # What went on elsewhere this account cannot know.
        self._guessed = not lost or any(deed.moved for deed in self.deeds)
        if not lost:
            if self.put_back is not None and not self.put_back.moved and not self.restored:
                text = f"this club was put back from a backup, {self._go}"
                raise Elsewhere.saying("restored", text, file=str(self.folder))
            return
        lines = ["Mails that were sent since, and are not known here:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {name}" for deed in lost for name in deed.sent]
        lines += ["", "Letters that were taken in since:"]
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
            f"this folder is older than what was done here: {several(mails, 'mail was', 'mails were')} sent and "
            f"{several(letters, 'letter')} taken in since (mail/{LIST} lists them), by this folder before it was "
            "restored, or by a copy of it. Nothing is done. Where it is the one to go on with, "
            f"`{self._again()}` reads those letters again"
        )
        raise Elsewhere.saying("restored", text, file=str(self.folder))

    def look(self, marks: Iterable[str]) -> None:
        """Raises :class:`Elsewhere` where a mark in the mailbox tells of a round that this folder does not know, and
        where neither the mailbox nor this account tells that this folder is the newest.
        """
        self.marked = True
        mine = [mark for text in marks if (mark := read(text)) is not None and mark.host == self.counted.host]
        for mark in sorted(mine, key=lambda mark: mark.count):
            if (mark.count, mark.word) == (self.counted.count, self.counted.word):
                self.unknown = self.unknown and not self.outside
                continue
            if mark.count < self.counted.count:
                continue
            if self.restored:
                self._guessed = self._guessed and not self.outside
                self._played_since(mark.since, mark.count, mark.played)
                self._go_on_from(mark.count)
                continue
            text = (
                f"this folder does not know what was done for this club last: the mailbox says that {mark.where} did a "
                f"round on {told(mark.at, 'UTC')}. Either another host is at work there, or this folder is a backup of "
                "before. Nothing is done. Stop the other one, if there is one; where this is the one to go on with, "
                f"`{self._again()}` reads again what came since"
            )
            raise Elsewhere.saying("elsewhere", text, file=str(self.folder))
        if not self.lost:
            self.verify_known()
        # Whoever still runs the folder this one was copied from is to notice it before a letter comes.
        self.moved = bool(mine) and self.counted.where not in ("", here(self.folder))

    def verify_known(self) -> None:
        """Raises :class:`Elsewhere` where nothing tells that this folder is the newest, nor does the umpire."""
        if self.unknown and not self.older:
            text = (
                f"this club was last worked on at {self.counted.where or 'another place'}, and neither this account "
                f"nor the mailbox knows whether more was done since, {self._go}"
            )
            raise Elsewhere.saying("elsewhere", text, file=str(self.folder))

    @property
    def _go(self) -> str:
        return (
            f"and nothing is done. Where it is the one to go on with, run `{self._again()}`: it reads again what came "
            "since, and plays with dice that nobody has seen"
        )

    def _again(self) -> str:
        return f"pbem host {typed(self.folder)} --once --restored"

    def _played_since(self, since: int, count: int, played: tuple[str, ...] | None) -> None:
        """Take in what was played after round ``since``, through round ``count``; ``None`` where that is not known."""
        for game, one in map(_played, played or ()):
            self.since.setdefault(game, []).append(one)
        if played is not None and since <= self._heard:
            self._heard = max(count, self._heard)

    def _go_on_from(self, count: int) -> None:
        self.lost = True
        self.counted = msgspec.structs.replace(self.counted, count=max(count, self.counted.count))

    def tell(self, at: datetime) -> None:
        """Note what was played in this round, before anybody is told of it."""
        if self.fresh and not self._begun:
            self._count(at)

    def add(self, at: datetime, sent: tuple[str, ...], letters: tuple[str, ...]) -> str:
        """Count a round in which something happened. Returns the mark for the mailbox."""
        if not self._begun:
            self._count(at)
        self._begun = False
        deed = msgspec.structs.replace(self.deeds[-1], at=at, sent=sent, letters=letters)
        if deed != self.deeds[-1]:
            self.deeds = [*self.deeds[:-1], deed]
            keep(self.file, self.deeds)
        since, last_played = self._lately()
        return written(
            Mark(
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
        """Count a round: in the folder first, as a host that is stopped in between has counted more there, and that is
        no harm.
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
        self.counted = counted
        deed = Deed(count=counted.count, at=at, played=tuple(played))
        self.deeds = [*(one for one in self.deeds if at - one.at < KEPT), deed]
        keep(self.file, self.deeds)
        self.counted = msgspec.structs.replace(counted, noted=counted.count)
        keep(self.folder / CLUB_TOLD, self.counted)

    def _lately(self) -> tuple[int, tuple[str, ...] | None]:
        """So much of what was told last as a mark holds, and after which round that was."""
        found: tuple[str, ...] = ()
        since = self.counted.count
        for deed in (one for one in reversed(self.deeds) if not one.moved):
            if deed.count != since or deed.played is None or len(found) + len(deed.played) > MARKED:
                break
            found, since = (*deed.played, *found), deed.count - 1
        return (since, found) if since < self.counted.count else (0, None)

    def left(self, at: datetime) -> None:
        """Note in this account that the club was packed to go on elsewhere."""
        if self.counted.count:
            keep(self.file, [*self.deeds, Deed(count=self.counted.count, at=at, moved=True)])

    def stays(self) -> None:
        """Forget that the club was packed to go on elsewhere."""
        if any(deed.moved for deed in self.deeds):
            keep(self.file, [deed for deed in self.deeds if not deed.moved])


def _played(line: str) -> tuple[str, PlayedSegment]:
    """The name of a game and a stretch of it, from the line that tells it."""
    game, segment, answers, value = line.rsplit(" ", 3)
    return game, PlayedSegment(segment=int(segment), answers=answers, round=int(value))


TOP: Final = "club"
"""The folder all files of a backup lie in."""
MOVED: Final = "mail/moved.json"
"""Where a club's folder says that it was packed to move."""


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A backup: its ``file``, how many files are in it, and what is not (folders that are links to elsewhere)."""

    file: str
    files: int
    left_out: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that was put back, and where the one that was there lies now (``""`` where there was none). ``moved``
    says that it was packed to go on here.
    """

    folder: str
    aside: str = ""
    moved: bool = False


class MovedClub(msgspec.Struct, frozen=True, kw_only=True):
    """A club that was packed into ``file`` to go on elsewhere: its folder here does nothing any more."""

    at: datetime
    file: str


def moved_from(folder: Path) -> MovedClub | None:
    """When a club moved away from its folder, if it did."""
    return read_kept(folder / MOVED, MovedClub)


def backup(folder: Path, file: Path) -> Backup:
    """Write a club's folder into a ``.tar.gz``, whole or not at all. Raises :class:`GameError` where it is no host's,
    where a round or a command works on it, or where the file cannot be written.
    """
    read_host(folder)
    if file.absolute().is_relative_to(folder.absolute()):
        text = "a backup within the folder would be in the next one too; name a file elsewhere"
        raise GameError.saying("backup", text, file=str(file))
    if file.exists():
        raise GameError.saying("not-empty", "there is such a file already; it was left as it is", file=str(file))
    half = file.with_name(f".{file.name}.half")
    found, left = 0, list[str]()
    try:
        with locked(folder, "host backup"), held(folder / "mail"):
            remove(half)
            with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                with tarfile.open(fileobj=out, mode="w:gz", dereference=True) as tar:
                    for path in _all_of(folder, left):
                        found += path.is_file()
                        tar.add(path, f"{TOP}/{path.relative_to(folder).as_posix()}", recursive=False)
                out.flush()
                os.fsync(out.fileno())
            patiently(half.replace, file)
    except OSError as error:
        raise cannot("write", file, error) from error
    finally:
        with suppress(GameError):
            remove(half)
    return Backup(file=str(file), files=found, left_out=tuple(left))


def _all_of(folder: Path, left: list[str]) -> Iterator[Path]:
    """Every folder and file of a club; the games one after the other, each while it is locked."""
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
                folders.remove(name)  # the second: a game or a clone that is being made, by half
            elif path.is_symlink():
                left.append(str(path))
            else:
                yield path
        for name in files:
            if name.endswith((".lock", ".tmp")):
                continue  # locks are for those who are at work now, and half-written files are nobody's
            if (here / name).is_file():
                yield here / name
            else:
                left.append(str(here / name))


def restore(file: Path, folder: Path, now: datetime) -> Restored:
    """Put a club back from its backup. A folder that is there is moved aside, but for its inbox, which stays the one
    letters come to. Stopped at any moment, the same command goes on.

    Raises :class:`GameError` where the file is no backup, or a round works on the folder that is there.
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
            strange = [one.name for one in members if not _is_ours(one)]
            if strange or f"{TOP}/{FILE}" not in tar.getnames():
                text = f"this is no backup of a club: {strange[0] if strange else f'it has no {FILE}'}"
                raise GameError.saying("backup", text, file=str(file))
            into.mkdir(mode=0o700, parents=True)
            for one in members:
                one.mode &= 0o755
            # Python before 3.11.4 has no filters and looks at none; what `_is_ours` and the mode let by needs none.
            tar.extraction_filter = getattr(tarfile, "tar_filter", None)
            tar.extractall(into, members=members)
            (into / TOP).chmod(0o700)
    except (tarfile.TarError, EOFError) as error:
        raise GameError.saying("backup", f"this backup cannot be read: {error}", file=str(file)) from error
    except FileNotFoundError as error:
        raise GameError.saying("backup", "there is no such file", file=str(file)) from error


def _is_ours(one: tarfile.TarInfo) -> bool:
    """Whether a member is a plain file or folder below the top: nothing is unpacked anywhere else."""
    parts = one.name.split("/")
    return (one.isreg() or one.isdir()) and parts[0] == TOP and ".." not in parts and "\\" not in one.name


def _keep_inbox(old: Path, new: Path) -> None:
    """Letters that came since lie in the old folder, where the inbox is within it."""
    place = read_host(old).inbox.get("path")
    if not isinstance(place, str) or Path(place).is_absolute() or ".." in Path(place).parts:
        return
    mine, theirs = old / place, new / place
    if mine.is_dir():
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(mine, theirs)
    elif mine.is_file():
        shutil.copy2(mine, theirs)
