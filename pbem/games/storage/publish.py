"""Write the reports of a game, find them again, and reduce old ones.

Each request for orders has a folder with reports for each side and the umpire, and a VASSAL save. Everything here
is derived from the log and can be made again at any time. The module also finds a report that was written, or
builds its text from the log.

Reports on answered requests can be reduced: their pages, forms and the bodies of their emails are deleted. In a
duel, the reports on one request take half a megabyte; only a twentieth of that are the text sitreps. The headers of
an email stay, because they identify the email and the log from which it was made. :func:`whole_again` restores a
reduced report.

The reports of a local game that is played in the browser are left to a later command (:func:`leave`), because nobody
needs them as files during play. A file in the game folder records that, and :func:`renew` writes the reports.

In a hosted game the umpire's page and email are left to the command that shows them (:func:`write_umpires_page`).
The umpire's text sitrep and the headers of the email are written at once: they mark the reports as complete.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pbem.engine.events import UMPIRE, Record, Requested
from pbem.engine.log import fold_records, played
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.messages import due, note_told
from pbem.games.proof.reveal import proof_for, source_of
from pbem.games.storage.files import (
    cannot,
    file_identities,
    in_the_log,
    patiently,
    read_bytes,
    remove,
    write_all,
    write_bytes,
    write_text,
)
from pbem.games.storage.folder import GameFolder, locked, turn_name
from pbem.games.storage.papers import (
    FORM,
    ReportContext,
    ReportFiles,
    ReportMaker,
    positions,
    report_files,
    reports_are_quick,
)
from pbem.games.storage.players import as_played, names, players, tenures
from pbem.games.vassal_files import LATE, POSITIONS, game_binding, lay_out
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view, build_whole
from pbem.util import regex

if TYPE_CHECKING:
    from pbem.reports.view.model import ReportView


LAST_WRITTEN = "sitrep.txt"
"""File name of the umpire's text sitrep; it is written last, so a reports folder with it is complete."""
MAIL = "mail.eml"
FILES = ("orders.draft", FORM, "replay.html", MAIL, "sitrep.html", "sitrep.txt")
UNWRITTEN = "reports.late.txt"
"""Name of a file in the game folder that says that reports are still to be written."""
ARCHIVE, PROOF = ".pbem.zip", "proof.html"
"""Names of two files beside the final reports: the suffix of the public archive, and the proof page made from it."""
_REQUEST = regex(r"r\d+")
_HEAD = 4096
"""Number of bytes to read from an email file to find its Message-ID."""


def publish(game: GameFolder, save: bytes = b"", files: ReportFiles | None = None) -> Path:
    """Write the reports of the request in force, or of the end of the game, and return their folder.

    Reports of requests that were taken back are deleted. ``files`` and ``save`` are the reports and their VASSAL
    save, if they were already made. If the game was opened with ``reports_late``, the reports are left to a later
    command.

    Raises:
        GameError: The reports cannot be written. The error says that the play itself is already in the log.
    """
    records = game.effective()
    folder = reports_folder(game)
    with in_the_log(folder):
        _delete_taken_back(game, records)
        if game.reports_late:
            leave(game)
        elif files is None:
            _write(game, folder, records, game.state())
        else:
            _write_files(game, folder, game.state(), save, files, lambda save: _made(game, records, game.state(), save))
    return folder


def leave(game: GameFolder) -> None:
    """Do not write the reports of the request in force now; note in the game folder that a later command must.

    A VASSAL save of an earlier moment of the turn is deleted. Messages between players count as delivered, because
    pages that are made meanwhile contain them.
    """
    if not is_left(game):
        said = "Reports, emails and VASSAL saves of this game are not all written yet.\n"
        write_text(game.path / UNWRITTEN, f"{said}`pbem report GAME` writes them.\n", private=True)
    with suppress(GameError):  # another program may have the file open
        remove(reports_folder(game).parent / POSITIONS)
    note_told(game.path, game.state().segment)


def is_left(game: GameFolder) -> bool:
    """Return whether reports of the game were left to a later command, and none has written them yet."""
    return (game.path / UNWRITTEN).is_file()


def write_left(game: GameFolder) -> None:
    """Take the game's lock and write the reports that an earlier command left unwritten, if any.

    The caller opened the game without a lock, for reading. If the reports cannot be written now, a later command will
    write them.
    """
    if is_left(game):
        with suppress(GameError), locked(game.path, "report"):
            renew(game)


def is_current(game: GameFolder) -> bool:
    """Return whether the reports of the request in force, or of the end of the game, are written and up to date."""
    now = _moment_now(game, game.effective())
    return is_published(now.folder) and _made_from(game, now)


def save_is_late(game: GameFolder) -> bool:
    """Return whether the VASSAL save of the present positions could not be written yet.

    In this case the emails do not contain the save either.
    """
    return (reports_folder(game).parent / LATE).is_file()


def reports_folder(game: GameFolder, state: State | None = None) -> Path:
    """Return the folder of the reports on the request in force, or of the final reports if the game is over."""
    state = state or game.state()
    if state.request is None:
        return game.final_folder(state.stands[0])
    return game.request_folder(state.request.turn, state.request.number)


def is_published(folder: Path) -> bool:
    """Return whether a folder of reports is complete, i.e. contains the report that is written last."""
    return os.path.isfile(f"{folder}/{UMPIRE}/{LAST_WRITTEN}")  # noqa: PTH113 (asked of every report ever made)


def renew(game: GameFolder) -> tuple[str, ...]:
    """Write state files and reports again if they are out of date after an interrupted command.

    Reports of requests that were taken back are deleted. If this process found all files up to date before and they
    have not changed, nothing is checked.

    Returns:
        The files and folders written, as paths relative to the game folder.
    """
    name, seen = str(game.path), _seen(game)
    if seen and _RIGHT.get(name) == seen:
        return ()
    done = []
    if game.state_is_behind():
        game.write_state()
        done.append(game.state_file(game.last_folder()))
    records = game.effective()
    if game.reports_late:
        moments = _delete_taken_back(game, records)
        if is_left(game) or _stale(game, moments):
            leave(game)
        return tuple(path.relative_to(game.path).as_posix() for path in done)
    for moment in _stale(game, _delete_taken_back(game, records)):
        _write(game, moment.folder, records[: moment.records])
        done.append(moment.folder)
    if is_left(game):
        remove(game.path / UNWRITTEN)
    _RIGHT[name] = seen  # the identities from before; the next check sees the files written now
    return tuple(path.relative_to(game.path).as_posix() for path in done)


_RIGHT: dict[str, bytes] = {}
"""Games whose files were up to date, with a hash of the identities of these files at that time."""


def _seen(game: GameFolder) -> bytes:
    """Return a hash of the identities of all files that :func:`renew` checks, or ``b""`` if a folder cannot be read."""
    names = []
    try:
        for turn in map(turn_name, game.turns()):
            inside = [name for name in sorted(os.listdir(game.path / turn)) if _is_ours(name)]  # noqa: PTH208
            names += [f"{turn}/{name}" for name in ("events.jsonl", "state.json", POSITIONS, LATE, *inside)]
            names += [f"{turn}/{name}/{UMPIRE}/{file}" for name in inside for file in (MAIL, LAST_WRITTEN)]
    except OSError:
        return b""
    return hashlib.sha256(msgspec.json.encode(file_identities(str(game.path), names))).digest()


def publish_all(game: GameFolder) -> None:
    """Write the reports on every request again, and the final reports if the game is over.

    Requests that were taken back have no reports.
    """
    records = game.effective()
    for moment in _delete_taken_back(game, records):
        _write(game, moment.folder, records[: moment.records])
    if is_left(game):
        remove(game.path / UNWRITTEN)


def made_anew(game: GameFolder, folder: Path) -> None:
    """Write the reports in ``folder`` again, unless their request was taken back."""
    records = game.effective()
    for moment in _moments(game, records):
        if moment.folder == folder:
            _write(game, folder, records[: moment.records])


class _Moment(msgspec.Struct, frozen=True):
    """A request for orders, or the end of the game, on which reports are due.

    ``folder`` is the folder of the reports. The reports cover the log records up to number ``last``, without those
    that were taken back; ``records`` is the number of records covered. ``place`` is (turn, impulse, request), which
    identifies a report.
    """

    folder: Path
    records: int
    last: int
    place: tuple[int, int, int]


def _moments(game: GameFolder, records: Sequence[Record]) -> list[_Moment]:
    """Return all requests that were played, and the request in force or the end of the game.

    Each is returned as a :class:`_Moment`. A request that was played again is returned once, in its last form.
    """
    found: dict[Path, _Moment] = {}
    for place, asked, _ in played(records):
        # The log up to the play that answered the request, with the umpire's actions before that.
        folder = game.request_folder(asked.turn, asked.number)
        found[folder] = _Moment(folder, place, records[place - 1].n, (asked.turn, asked.impulse, asked.number))
    now = _moment_now(game, records)
    found[now.folder] = now
    return list(found.values())


def _moment_now(game: GameFolder, records: Sequence[Record]) -> _Moment:
    """Return the request in force, or the end of the game, as a :class:`_Moment`."""
    state = game.state()
    place = (*state.stands, state.request.number if state.request else 0)
    return _Moment(reports_folder(game, state), len(records), records[-1].n, place)


def _stale(game: GameFolder, moments: Iterable[_Moment]) -> list[_Moment]:
    """Return the given moments whose reports must be written again.

    A moment is a request for orders or the end of the game. Its reports must be written again if they are missing,
    were made from another log, or lack the VASSAL save of the turn.
    """
    latest = {one.place[0]: one for one in moments}
    late = [one for one in latest.values() if (one.folder.parent / LATE).is_file()]
    return [one for one in moments if one in late or not (is_published(one.folder) and _made_from(game, one))]


def _made_from(game: GameFolder, moment: _Moment) -> bool:
    """Return whether the umpire's report in a folder was made from exactly these log records.

    A log only grows, so the number of its last record identifies it. That number is in the Message-ID of the
    umpire's email.
    """
    from pbem.reports.mail.sitrep_mail import identity_of

    name = game.state().game
    turn, impulse, number = moment.place
    wanted = identity_of(name, turn, impulse, number, UMPIRE, moment.last)
    try:
        with (moment.folder / UMPIRE / MAIL).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return f"\r\nMessage-ID: <{wanted}@".encode() in b"\r\n" + head


def _delete_taken_back(game: GameFolder, records: Sequence[Record]) -> list[_Moment]:
    """Delete the reports of requests that were taken back, and return the moments that have reports.

    A moment is a request for orders that was not taken back, or the end of the game.
    """
    moments = _moments(game, records)
    try:
        for folder in _folders_taken_back(game, {moment.folder for moment in moments}):
            _remove(folder)
        asked = game.state().request
        for turn in game.turns():
            if asked is not None and turn > asked.turn:
                for name in (POSITIONS, LATE):
                    remove(game.path / turn_name(turn) / name)
    except OSError as error:
        raise cannot("write", game.path, error) from error
    return moments


def _folders_taken_back(game: GameFolder, stands: Collection[Path]) -> list[Path]:
    """Return the folders with reports on requests that were taken back.

    These are all folders of reports that are not in ``stands``.
    """
    known = set(map(str, stands))
    found = []
    for turn in game.turns():
        with os.scandir(game.path / turn_name(turn)) as inside:
            others = [Path(one.path) for one in inside if _is_ours(one.name) and one.path not in known and one.is_dir()]
        found += [folder for folder in others if any(_ours(folder))]
    return sorted(found)


def _is_ours(name: str) -> bool:
    """Return whether a folder with this name, inside a turn's folder, is a folder of reports."""
    return name == "final" or _REQUEST.fullmatch(name) is not None


def _ours(folder: Path) -> Iterator[Path]:
    """Yield the files in a reports folder that this module wrote, beginning with those that mark it complete."""
    for reader in sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.name != UMPIRE):
        for name in reversed(FILES):
            if (reader / name).is_file():
                yield reader / name
    for file in (*sorted(folder.glob(f"*{ARCHIVE}")), folder / PROOF):
        if file.is_file():
            yield file


def _remove(folder: Path) -> None:
    """Delete the files of this module in a reports folder, and folders that are then empty.

    The file that marks the folder complete is deleted first. An interrupted deletion therefore leaves a folder that
    counts as incomplete.
    """
    for file in list(_ours(folder)):
        remove(file)
    for reader in folder.iterdir():
        if reader.is_dir() and not any(reader.iterdir()):
            patiently(reader.rmdir)
    if not any(folder.iterdir()):
        patiently(folder.rmdir)


def write_form(game: GameFolder, side: str, draft: str) -> Path:
    """Write the order form page for a side that must give orders, and return the path of the page."""
    from pbem.reports.form.form import form_html

    page = reports_folder(game) / side / FORM
    write_text(page, form_html(game.effective(), side, game.scenario(), draft), private=True)
    return page


def write_whole(game: GameFolder, side: str) -> Path:
    """Write the page of the whole game for one reader of a finished game, and return its path."""
    from pbem.reports.html.page import WHOLE
    from pbem.reports.html.whole_game import whole_html

    page = reports_folder(game) / side / WHOLE
    told = as_played(tenures(game.path), game.effective(), game.state().stands[0], names(game.path))
    whole = whole_html(build_whole(told, side, scenario=game.scenario()), record=True)
    write_text(page, whole, private=True)
    return page


def around(game: GameFolder, segment: int) -> ReportContext:
    """Return the data that reports need besides log and state, after ``segment`` segments of play.

    Such data are players and messages, for example. A segment is the play from one request for orders to the next.
    """
    binding, table = None, True
    try:
        binding = game_binding(game.path)
    except GameError:
        table = False
    return ReportContext(
        terms=game.terms, players=players(game.path, game.terms), tenures=tenures(game.path),
        names=names(game.path),
        messages=due(game.path, segment), binding=binding, table=table, umpires_page=not game.umpire_late,
    )  # fmt: skip


def _write(game: GameFolder, folder: Path, records: Sequence[Record], state: State | None = None) -> None:
    """Build and write the reports of one request; pass ``state`` to avoid computing it from the log."""
    state = state or fold_records(records)
    save = positions(around(game, state.segment), records)
    files = _made(game, records, state, save)
    _write_files(game, folder, state, save, files, lambda save: _made(game, records, state, save))


def maker_now(game: GameFolder) -> ReportMaker:
    """Return the :class:`ReportMaker` for the request in force or the end of the game; nothing is written."""
    state = game.state()
    found = around(game, state.segment)
    return ReportMaker(found, game.records(), game.effective(), state, game.scenario(), source_of(game))


def _made(game: GameFolder, records: Sequence[Record], state: State, save: bytes) -> ReportFiles:
    found = around(game, state.segment)
    return report_files(found, game.records(), records, state, game.scenario(), source_of(game), lambda: save)


def _write_files(
    game: GameFolder, folder: Path, state: State, save: bytes, files: ReportFiles, made: Callable[[bytes], ReportFiles]
) -> None:
    """Write the given reports of one request; the umpire's come last, because they mark the folder complete.

    If the VASSAL save cannot be written now, no email may contain it. In this case ``made`` builds the reports
    again without it.
    """
    # The folder counts as incomplete until all files are written.
    remove(folder / UMPIRE / LAST_WRITTEN)
    if state.over and not reports_are_quick():
        _archive(game, folder)
    if lay_out(folder.parent, save):
        files = made(b"")
    note_told(game.path, state.segment)
    whole: dict[Path, bytes] = {}
    for reader, those in files.items():
        for name, data in those.items():
            if data is None:
                remove(folder / reader / name)
            else:
                whole[folder / reader / name] = data
    write_all(whole, private=True)


def _archive(game: GameFolder, folder: Path) -> None:
    """Write the archive of a finished game and its proof page.

    If the replay of a game differs from its log, no archive is written; ``pbem verify`` says where they differ.
    """
    from pbem.games.proof.archive import archive_name, contents, packed

    files: dict[str, bytes] = {}
    with suppress(GameError):
        files = contents(game)
    if files:
        write_bytes(folder / archive_name(game), packed(files), private=True)
        write_bytes(folder / PROOF, files[PROOF], private=True)


class FoundReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report for one reader: the path of its page, if a page was written, and the text of the sitrep."""

    page: Path | None
    text: str


def find_report(game: GameFolder, side: str, turn: int = 0) -> FoundReport:
    """Return the latest report for ``side``, or the report made at the end of ``turn`` if that is given.

    Raises:
        GameError: The turn has not been played.
    """
    view = view_of(game, side, turn)
    folder = _folder_after(game, turn) if turn else reports_folder(game)
    if side == UMPIRE:
        write_umpires_page(game, folder)
    page = folder / side / "sitrep.html"
    return FoundReport(page=page if page.is_file() else None, text=sitrep_text(view))


def view_of(game: GameFolder, side: str, turn: int = 0) -> ReportView:
    """Return the view of the game for ``side`` now, or at the end of ``turn`` if that is given.

    Raises:
        GameError: The turn has not been played.
    """
    last = max(game.state().turn, 1)
    if turn > last:
        raise GameError.saying("no-such-turn", f"turn {turn} is not played yet; the game is in turn {last}")
    records = game.effective()
    told = [record for record in records if record.event.turn <= turn] if turn else records
    records = as_played(tenures(game.path), records, turn or None, names(game.path))
    return build_view(records, side, turn=turn or None, proof=proof_for(game, told, side), scenario=game.scenario())


def _folder_after(game: GameFolder, turn: int) -> Path:
    """Return the folder with the reports on the end of a turn.

    These are the reports on the first request of the next turn, or the final reports.
    """
    for record in game.effective():
        event = record.event
        if isinstance(event, Requested) and event.request.turn > turn:
            return game.request_folder(event.request.turn, event.request.number)
    return reports_folder(game)


_END: Final = b"\r\n\r\n"
_PARTS: Final = ("sitrep.html", FORM, "orders.draft")


def slim(game: GameFolder, before: float, *, dry: bool = False) -> Iterator[int]:
    """Delete the parts of old reports that can be made again, and yield the number of bytes freed by each file.

    Only reports on earlier requests are reduced, and only those written before the time ``before`` (seconds since
    1970). With ``dry`` nothing is deleted.
    """
    now = reports_folder(game)
    for reader in sorted(game.path.glob("[0-9]*/r*/*/")):
        text = reader / LAST_WRITTEN
        if reader.parent == now or not is_published(reader.parent) or text.stat().st_mtime >= before:
            continue
        for name in _PARTS:
            if (reader / name).is_file():
                yield (reader / name).stat().st_size
                if not dry:
                    remove(reader / name)
        mail = reader / MAIL
        if mail.is_file() and not is_slim(mail):
            data = read_bytes(mail)
            head = data.partition(_END)[0] + _END
            yield len(data) - len(head)
            if not dry:
                write_bytes(mail, head, private=True)


def is_slim(mail: Path) -> bool:
    """Return whether an email file was reduced to its headers (see :func:`slim`)."""
    return mail.stat().st_size < _MOST and read_bytes(mail).endswith(_END)


_MOST: Final = 8192
"""Size in bytes that is larger than the headers of any email written here."""


def whole_again(game: GameFolder, folder: Path, reader: str) -> None:
    """Build the reports in a folder again if the one for ``reader`` was reduced by :func:`slim`."""
    mail = folder / reader / MAIL
    if mail.is_file() and is_slim(mail):
        made_anew(game, folder)


def write_umpires_page(game: GameFolder, folder: Path) -> None:
    """Write the umpire's page and email in a folder of reports if it has only the umpire's text sitrep.

    The caller opened the game without a lock, so the function takes the lock. If it cannot write now, it does nothing.
    """
    mail = folder / UMPIRE / MAIL
    if not mail.is_file() or not is_slim(mail):
        return
    with suppress(GameError), locked(game.path, "report"):
        records = game.effective()
        for moment in _moments(game, records):
            if moment.folder != folder:
                continue
            told = records[: moment.records]
            state = fold_records(told)
            files = _made(game, told, state, positions(around(game, state.segment), told))[UMPIRE]
            whole = {folder / UMPIRE / name: data for name, data in files.items() if data is not None}
            write_all(whole, private=True)
