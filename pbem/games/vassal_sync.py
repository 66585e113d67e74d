"""Synchronize a player's folder of VASSAL saves with a game.

A new save or log of the player becomes movement plots in a draft of their orders. When the game has advanced, the
folder gets a new save and a replay log of each turn played. Files of the player are never overwritten, and no
orders are filed.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import keep, read_bytes, read_kept, write_text
from pbem.games.storage.folder import GameFolder
from pbem.games.vassal_files import game_binding, with_plots
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from pbem.orders.writer import plot_text
from pbem.util import typed
from pbem.vassal_bridge.export import write_save
from pbem.vassal_bridge.files import ExportedFile, replay_log_file, save_file
from pbem.vassal_bridge.import_plots import TriedOut, tried_at_home
from pbem.vassal_bridge.positions import module_for

MEMORY = "pbem.table.json"
"""Name of the file in the player's folder that records which files were read and written.

Because of this record no file is read twice, and only files written by this module are overwritten.
"""

FORM = 1
"""Format number of the VASSAL saves that this module writes; saves with a lower number are written again.

Saves of format 0 have private sheets that VASSAL cannot open.
"""


class SyncMemory(msgspec.Struct, kw_only=True):
    """Content of the :data:`MEMORY` file.

    ``moment`` is the position in the game that the latest save shows, and ``turn`` its turn. ``read`` and
    ``written`` map file names to the SHA-256 of their content.
    """

    game: str
    form: int = 0
    moment: str = ""
    turn: int = 0
    read: dict[str, str] = {}
    written: dict[str, str] = {}
    writing: dict[str, str] = {}


def keep_in_step(game: GameFolder, folder: Path, side: str) -> list[str]:
    """Bring the player's folder up to date with the game once, and return one line for each action.

    Raises:
        GameError: The folder belongs to another game. With the code ``in-use``, a program has a save open: nothing is
            lost, and the next call does the rest.
    """
    memory = _memory(game, folder)
    state = game.state()
    request = state.request
    moment = f"{state.turn}.{state.impulse} {request.turn}.{request.number}" if request else f"over {state.turn}"
    new = _new(folder, memory)  # first of all: if a save cannot be read now, nothing is changed
    try:
        due = moment != memory.moment or memory.form != FORM
        told = list(_show(game, folder, memory, state.turn, side)) if due else []
        memory.moment, memory.turn, memory.form = moment, state.turn, FORM
        return told + list(_read(game, folder, memory, side, new))
    finally:  # also after an error, record the files written so far
        keep(folder / MEMORY, memory, indent=True)


def _memory(game: GameFolder, folder: Path) -> SyncMemory:
    name = game.terms.name
    found = read_kept(folder / MEMORY, SyncMemory) or SyncMemory(game=name)
    if found.game != name:
        text = f"name another folder for {name}: this one is in use for {found.game}"
        raise GameError.saying("other-game", text, file=str(folder))
    return found


def _digest(file: Path) -> str:
    return sha256(read_bytes(file)).hexdigest()


def _tables(folder: Path, *endings: str) -> list[Path]:
    """Return the VASSAL saves and logs in a folder, the latest first."""
    found = [file for file in folder.iterdir() if file.suffix in endings and file.is_file()]
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name), reverse=True)


# --- from the game to the player's folder -----------------------------------------------------------------------------


def _show(game: GameFolder, folder: Path, memory: SyncMemory, turn: int, side: str) -> Iterator[str]:
    """Write a save of the present positions, and a replay log of each turn played since the last call."""
    module, binding = module_for(game_binding(game.path))
    name, state = game.terms.name, game.state()
    onto = next(iter(_tables(folder, ".vsav")), None)
    try:
        made = save_file(game.effective(), module, binding, onto=onto, side=side)
    except GameError as error:  # a save of another game, or no VASSAL file; a new save is made
        yield f"{onto.name if onto else name}: {error.faults[0].text}. A new save is made."
        made = save_file(game.effective(), module, binding, side=side)
    asked = f"{state.request.turn}.{state.request.number}" if state.request else "end"
    yield from _write(folder, memory, f"{name} {asked}.vsav", made)
    for played in range(max(1, memory.turn), turn + 1) if memory.moment else ():
        try:
            film = replay_log_file(game.records(), module, binding, turn=played)
        except GameError:  # a turn without movement has no replay log
            continue
        yield from _write(folder, memory, f"{name} turn {played}.vlog", film)


def _write(folder: Path, memory: SyncMemory, name: str, made: ExportedFile) -> Iterator[str]:
    """Write a file under its name, or under a numbered name if the player has changed the file there."""
    file, number = folder / name, 2
    while file.is_file() and _digest(file) not in (memory.written.get(file.name), memory.writing.get(file.name)):
        file, number = folder / f"{Path(name).stem} ({number}){Path(name).suffix}", number + 1
    with TemporaryDirectory(prefix="pbem-") as scratch:
        write_save(made.save, Path(scratch) / file.name)
        memory.writing[file.name] = _digest(Path(scratch) / file.name)
    keep(folder / MEMORY, memory, indent=True)  # before the file is written: after a crash it is recognized as ours
    write_save(made.save, file)
    memory.written[file.name] = _digest(file)
    del memory.writing[file.name]
    yield f"{file.name}: {made.what}."
    yield from made.left_out


# --- from the player's folder to the draft ----------------------------------------------------------------------------


def _new(folder: Path, memory: SyncMemory) -> dict[Path, str]:
    """Return the saves and logs that are new since the last call, the latest first, with their digests."""
    found = {file: _digest(file) for file in _tables(folder, ".vsav", ".vlog")}
    known = {(file, digest) for some in (memory.read, memory.written, memory.writing) for file, digest in some.items()}
    return {file: digest for file, digest in found.items() if (file.name, digest) not in known}


def _read(game: GameFolder, folder: Path, memory: SyncMemory, side: str, new: dict[Path, str]) -> Iterator[str]:
    """Put the plots in the latest new save or log into the draft; older new files are ignored as superseded."""
    memory.read |= {file.name: digest for file, digest in new.items()}
    for file in [*new][:1]:
        try:
            found = tried_at_home(game.state(), side, game_binding(game.path), file)
            yield from _drafted(game, folder, side, found, file)
        except GameError as error:
            yield from (f"{file.name}: {fault.sentence}" for fault in error.faults)


def _drafted(game: GameFolder, folder: Path, side: str, found: TriedOut, file: Path) -> Iterator[str]:
    for one in found.plots:
        plot = plot_text(om.Plot(codes=one.codes)) if one.codes else "not moved"
        yield f"{file.name}: {one.unit}: {plot}"
        yield from (f"  {remark}" for remark in one.remarks)
    yield from (f"  {fault.sentence}" for fault in found.faults)
    yield from (f"  no counter of {name} on the map" for name in found.unseen)
    if not found.codes or found.faults:
        if not found.plots and not found.faults:
            yield f"{file.name}: none of your counters was moved."
        return
    draft = folder / f"{game.terms.name}.{side}.orders"
    text = with_plots(game, side, found.codes, _present_draft(game, draft, side))
    write_text(draft, text)
    yield f"{draft.name} has it: look at it, then pbem submit {typed(game.path)} {typed(draft)}"


def _present_draft(game: GameFolder, draft: Path, side: str) -> str:
    """Return the text of the player's present draft if it answers the request in force and can be read, else ``""``."""
    request = game.state().request
    if not draft.is_file() or request is None:
        return ""
    text = read_bytes(draft).decode("utf-8", "replace")
    reading = read_orders(text)
    now = (reading.orders.turn, reading.orders.reply) == (request.turn, request.number)
    return text if now and reading.orders.side == side and not reading.faults else ""
