"""Check each part of a host's set-up for ``pbem doctor``, and explain in plain words what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from pbem.data.house_figures import read_figures, replaced_data, verify_figures
from pbem.errors import GameError
from pbem.games.storage.files import remove, write_bytes
from pbem.games.storage.folder import locked
from pbem.games.storage.players import players
from pbem.games.storage.terms import read_terms
from pbem.mail import emails, store
from pbem.mail.commands.spectators import watched_wrongly
from pbem.mail.host import clocks as timetable
from pbem.mail.host.backup import CopyCheck
from pbem.mail.host.operate import verify_here
from pbem.mail.host.trouble import UnreachablePlayers as Lost
from pbem.mail.host.workers import Workers, in_short
from pbem.mail.incoming.ledger import QUARANTINE
from pbem.mail.incoming.message import READING_FAILED
from pbem.mail.people import FILE as PEOPLE, Roll, read_people
from pbem.mail.seats import games_in, host_games, out_of_reach
from pbem.mail.settings import (
    GAME_FILE,
    Host,
    game_folders,
    game_rule,
    misplaced,
    move_it,
    passwords_wanted,
    read_host,
    shown_path,
)
from pbem.mail.transport import passwords
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.login import login_for, logins_of, renew, users_of
from pbem.mail.transport.oauth import OAUTH, endpoints
from pbem.mail.transport.outbox import MAIL, Unreachable, bare, command, failure_sentences, open_outbox
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.mail.transport.sources import Source, lies_within
from pbem.mail.umpires import umpire_of
from pbem.util import install_command, several, typed


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check of a host's set-up.

    ``what`` is what was checked, ``right`` whether it works, and ``said`` what was found.
    """

    what: str
    right: bool
    said: str


def examine(folder: Path, state: Path | None = None, services: Iterable[Path] = ()) -> list[Finding]:
    """Check everything a host needs, and return the findings.

    Nothing is changed, except that logins are renewed. No email is received or sent.

    Args:
        folder: The host's folder.
        state: The folder in which hosts of this account record what they did.
        services: The service files with which this machine runs this host.
    """
    try:
        host = read_host(folder)
    except GameError as error:
        return [Finding(what="host.toml", right=False, said=str(fault)) for fault in error.faults]
    example = [word for word in (bare(host.orders), bare(host.umpire)) if word.endswith("@example.org")]
    said = f"it still has the address of the example: {', '.join(example)}" if example else ""
    findings = [Finding(what="host.toml", right=not example, said=said or f"orders go to {bare(host.orders)}")]
    for what, attempt in (
        ("umpire", lambda: _umpire(host)),
        ("folders", lambda: _folders(folder)),
        ("lock", lambda: _lock(folder, host.deadlines.zone)),
        ("database", lambda: store.examine(folder / MAIL)),
        ("place", lambda: _place(folder)),
        ("time zone", lambda: f"deadlines are given in {host.deadlines.zone}"),
        *((("figures", lambda: _figures(folder, host)),) if host.figures else ()),
        *((f"login {user}", partial(_login, folder, host, user)) for user in users_of(host)),
        ("outgoing mail", lambda: _smtp(folder, host)),
        ("inbox", lambda: _inbox(folder, host, state)),
        *((("cluster", lambda: _cluster(host)),) if host.cluster else ()),
    ):
        findings.append(_tried(what, attempt))
    findings += _passwords(host, services)
    findings += _misnamed(folder)
    findings += _misplaced(folder)
    findings += _games(folder, host)
    findings += _not_read(folder)
    findings.append(_tried("players", lambda: _players(folder, host)))
    findings += _watched(folder)
    for file, why in emails.broken(folder):
        findings.append(Finding(what="emails", right=False, said=f"{emails.OWN_FOLDER}/{file} cannot be used: {why}"))
    findings.append(_tried("outbox", lambda: _outbox(folder, host)))
    return findings


def _tried(what: str, attempt: Callable[[], str]) -> Finding:
    try:
        return Finding(what=what, right=True, said=attempt())
    except GameError as error:
        return Finding(what=what, right=False, said="; ".join(fault.text for fault in error.faults))
    except Unreachable as error:
        return Finding(what=what, right=False, said=str(error))
    except OSError as error:
        return Finding(what=what, right=False, said=error.strerror or str(error))


def _wrong(text: str) -> GameError:
    return GameError.saying("doctor", text)


def _umpire(host: Host) -> str:
    if not host.umpire:
        raise _wrong("name an umpire: nobody gets an email when something needs a person")
    if bare(host.umpire).casefold() == bare(host.orders).casefold():
        raise _wrong("the umpire's address is the one players write to: notices would come back as orders")
    return f"trouble is told to {bare(host.umpire)}"


def _folders(folder: Path) -> str:
    for place in (folder / "games", folder / MAIL):
        trial = place / ".doctor"
        write_bytes(trial, b"")
        remove(trial)
    return "games/ and mail/ can be written"


def _lock(folder: Path, zone: str) -> str:
    verify_here(folder, zone)
    with locked(folder, "doctor", patience=0.5):
        return "no other host is at work"


SYNCHRONISED = (
    "dropbox", "google drive", "icloud", "mobile documents", "nextcloud", "onedrive", "owncloud", "syncthing"
)  # fmt: skip
"""The beginnings, in lower case, of the names of folders that a cloud service synchronizes."""
NETWORK = frozenset(("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "9p", "fuse.sshfs", "davfs", "ncpfs"))
"""Types of file systems that are network shares."""


def _place(folder: Path) -> str:
    """Return a sentence that says that the folder's location is safe for a database.

    Raises:
        GameError: Other programs or machines may copy or lock the database while it is written.
    """
    path = folder.resolve()
    for part in path.parts:
        if part.casefold().startswith(SYNCHRONISED):
            raise _wrong(
                f"the club is in {part}, which copies files while they are written: mail/{store.FILE} may be damaged. "
                "Move the club to a folder that is not synchronised, and copy it with `pbem host backup`"
            )
    if path.drive.startswith("\\\\") or file_system(path, _mounts()) in NETWORK:
        raise _wrong(
            f"the club is on a network share, where files cannot be locked safely: mail/{store.FILE} may be damaged. "
            "Move the club to a disk of this machine"
        )
    return "the folder is on a disk of this machine, as far as its path says"


def _mounts() -> str:
    """Return the table of mounted file systems; empty if the system has no such file."""
    with suppress(OSError):
        return Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    return ""


def file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system of a path, from a table like ``/proc/mounts``; empty if unknown."""
    mounted = [(where.replace("\\040", " "), kind) for _, where, kind, *_ in map(str.split, mounts.splitlines())]
    return max((len(where), kind) for where, kind in [("", ""), *mounted] if not where or path.is_relative_to(where))[1]


def _misnamed(folder: Path) -> list[Finding]:
    """Return findings for files that the host ignores because an editor added .txt to their names."""
    wanted = [folder / PEOPLE, *(game / GAME_FILE for game in game_folders(folder))]
    return [
        Finding(what=file.name, right=False, said=f"{file.name}.txt is not read: give it the name {file.name}")
        for file in wanted
        if not file.is_file() and file.with_name(f"{file.name}.txt").is_file()
    ]


def _misplaced(folder: Path) -> list[Finding]:
    """Return findings for games that no host plays because they are not directly in ``games/``."""
    return [Finding(what=f"game {game.name}", right=False, said=move_it(folder, game)) for game in misplaced(folder)]


def _not_read(folder: Path) -> Iterator[Finding]:
    """Yield a finding if emails could not be parsed because of a bug in the program."""
    failed = list[tuple[Path, str]]()
    with suppress(OSError):
        for path in sorted((folder / MAIL / QUARANTINE).glob("*.txt")):
            why = path.read_text(encoding="utf-8", errors="replace").strip()
            failed += [(path.with_suffix(".eml"), why)] * why.startswith(READING_FAILED)
    if failed:
        file, why = failed[-1]
        said = f"`pbem mail read {typed(file)}` shows what is known of it, and whoever makes pbem wants to see it"
        count = several(len(failed), "email was", "emails were")
        yield Finding(what="emails", right=False, said=f"{count} put aside, as {why}: {said}")


def _figures(folder: Path, host: Host) -> str:
    if not (folder / host.figures).is_dir():
        raise _wrong(f"there is no folder {host.figures}: no game can be made")
    own = read_figures(folder / host.figures)
    verify_figures(own)
    return f"new games are played with figures of one's own: {', '.join(replaced_data(own)) or 'none yet'}"


def _login(folder: Path, host: Host, user: str) -> str:
    """Return a sentence that says where a mailbox login is stored; renew the login if it expires soon."""
    place = renew(logins_of(folder, host), user)
    return f"is logged in by OAuth, and {endpoints(host.oauth).host} renews it; it is kept in {place}"


def _ways(offers: Collection[str]) -> str:
    """Return a clause with the login mechanisms that a server offers; empty if none are known."""
    return f"; it offers {', '.join(offers)}" if offers else ""


def _smtp(folder: Path, host: Host) -> str:
    smtp = host.smtp
    if not smtp.host:
        return "no server is named: emails are left in mail/outbox/waiting"
    with SmtpCarrier(smtp, login_for(logins_of(folder, host), smtp.user)) as carrier:
        try:
            server = carrier.connect()
        except Unreachable as error:
            raise _wrong(f"{error}{_ways(carrier.offers)}") from error
        code, answer = server.mail(bare(host.orders))
        server.rset()
    if code >= 400:
        words = answer.decode("utf-8", "replace")
        raise _wrong(f"{smtp.host} sends nothing from {bare(host.orders)}: {code} {words}")
    how = {"none": "without encryption", "tls": "with TLS", "starttls": "with STARTTLS"}[smtp.security]
    whence = _whence(host, passwords.SMTP_PASSWORD)
    return f"{smtp.host} answers {how} and takes emails from {bare(host.orders)}{_ways(carrier.offers)}{whence}"


def _whence(host: Host, variable: str) -> str:
    """Return a clause that says where a password was found, or that OAuth is used; else ``""``.

    ``variable`` is the name of the password's environment variable.
    """
    by_oauth = host.smtp.login if variable == passwords.SMTP_PASSWORD else host.inbox.get("login")
    if by_oauth == OAUTH:
        return "; the login by OAuth is used"
    one = next((one for one in passwords_wanted(host) if one.variable == variable), None)
    return f"; the password is that of {passwords.whence(one)}" if one is not None else ""


def _passwords(host: Host, services: Iterable[Path]) -> Iterator[Finding]:
    """Yield findings about passwords that are missing if the operating system starts the host.

    A person who tests the host in a shell may have these passwords there and would not notice.
    """
    wanted = passwords_wanted(host)
    if (wanted or users_of(host)) and (said := passwords.file_trouble()):
        yield Finding(what="passwords", right=False, said=said)
    written = next(iter(services), None)
    if written is not None and (missing := passwords.lacking(wanted)):
        names = " nor ".join(one.variable for one in missing)
        said = f"{written} runs the host, and does not have {names}: {passwords.file()} is where it looks"
        yield Finding(what="passwords", right=False, said=said)


def _cluster(host: Host) -> str:
    try:
        threads = Workers(host.workers, host.cluster).look()
    except ImportError:
        raise _wrong(f"a cluster takes the library distributed: `{install_command('distributed')}`") from None
    except Exception as error:
        raise _wrong(f"{host.cluster} cannot be used: {in_short(error)}") from error
    return f"{host.cluster}: {several(threads, 'errand')} at a time"


def _inbox(folder: Path, host: Host, state: Path | None) -> str:
    copy_check = CopyCheck(folder, state) if state is not None else None
    if copy_check is not None:
        copy_check.check()
    if not host.inbox:
        raise _wrong("host.toml has no [inbox]: no email comes in")
    login = login_for(logins_of(folder, host), str(host.inbox.get("user", "")))
    source: Source = open_source(host.inbox, folder, login)
    if copy_check is not None:
        copy_check.mailbox_is_outside = not lies_within(source, folder)
        source.guard = copy_check.look
    try:
        letters = sum(1 for _ in source.fetch())
    except GameError as error:
        raise _wrong("; ".join(fault.text for fault in error.faults) + _ways(source.offers)) from error
    whence = _whence(host, passwords.IMAP_PASSWORD)
    waiting = several(letters, "email is", "emails are")
    return f"{host.inbox.get('kind')}: can be read, {waiting} waiting{_ways(source.offers)}{whence}"


def _games(folder: Path, host: Host) -> Iterator[Finding]:
    names: dict[str, str] = {}
    people = Roll()
    try:
        people = read_people(folder)
    except (GameError, OSError) as error:
        yield Finding(what="people", right=False, said=str(error))
    for path in game_folders(folder):
        try:
            terms = read_terms((path / "game.toml").read_bytes(), str(path / "game.toml"))
            rule = game_rule(host, path)
            paused = timetable.read_clock(path).paused
            who = players(path, terms)
            umpire = umpire_of(folder, path, host.umpire)
            lost = out_of_reach(people, who)
        except (GameError, OSError) as error:
            yield Finding(what=f"game {path.name}", right=False, said=str(error))
            continue
        if terms.name in names:
            text = f"games/{names[terms.name]} is called {terms.name} too: their emails could not be told apart"
            yield Finding(what=f"game {path.name}", right=False, said=text)
        elif lost:
            text = f"there is no address for {', '.join(lost)}: `pbem host replace GAME SIDE ADDRESS` gives one"
            yield Finding(what=f"game {path.name}", right=False, said=text)
        else:
            text = "paused" if paused else f"answers within {rule.within}, then {rule.late}"
            text += f"; its umpire plays {umpire.plays}" if umpire.plays else ""
            yield Finding(what=f"game {path.name}", right=True, said=text)
        names.setdefault(terms.name, path.name)
    if not names:
        yield Finding(what="games", right=True, said="there is no game yet: `pbem new` makes one under games/")


def _players(folder: Path, host: Host) -> str:
    seats = games_in(folder).seats
    if lost := Lost(folder).told(seats, host.deadlines.zone):
        how = f"`pbem host player {shown_path(folder)} WHO --mail ADDRESS` gives somebody another address"
        raise _wrong(f"{'; '.join(lost)}. {how}, `pbem host replace GAME SIDE ADDRESS` a side another player")
    there = {address for seat in seats for address in seat.addresses[:1]}
    people_count = len(read_people(folder).people)
    written = f"{several(people_count, 'person', 'people')} in players.toml, " if people_count else ""
    return f"{written}{several(len(there), 'address', 'addresses')} in games; none is known to be dead"


def _watched(folder: Path) -> Iterator[Finding]:
    with suppress(GameError, OSError):  # errors in the file itself are reported with the games
        people = read_people(folder)
        for sentence in watched_wrongly(folder, [path.name for path in game_folders(folder)], people):
            yield Finding(what="spectators", right=False, said=sentence)


def _outbox(folder: Path, host: Host) -> str:
    outbox = open_outbox(folder, host, host_games(folder, host))
    failed = outbox.failures()
    waiting = list(outbox.waiting.glob("*.eml")) if outbox.waiting.is_dir() else []
    if failed:
        sentences = "; ".join(sentence for _, sentence in failure_sentences(failed))
        raise _wrong(f"{sentences}. `{command(folder)}` shows them, has them sent again, or lays them aside")
    return f"{several(len(waiting), 'email waits', 'emails wait')} to be sent"
