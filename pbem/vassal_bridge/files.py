"""Export a game to a VASSAL file (new save, updated save or replay log), and report its content."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.data.files import toml_text
from pbem.engine.events import Record
from pbem.util import several
from pbem.vassal_bridge.binding import Binding, read_binding
from pbem.vassal_bridge.export import Placing, export_game, open_module, placing, write_save
from pbem.vassal_bridge.film import make_replay_log
from pbem.vassal_bridge.import_positions import read_file
from pbem.vassal_bridge.notes import sitrep_notes
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.sheets import seen_from
from pbem.vassal_bridge.update import update_save

if TYPE_CHECKING:
    from vassal.module.module import Module
    from vassal.save import Save


class ExportedFile(NamedTuple):
    """The content of a file to be written, and the data to report about it.

    ``what`` describes the file. ``changed`` has a line for each change, and ``left_out`` one for each unit left
    out. ``data`` is the report for programs that read JSON.
    """

    save: Save
    binding: Binding
    what: str
    left_out: tuple[str, ...]
    changed: tuple[str, ...]
    data: Mapping[str, Any]


def save_file(
    records: Sequence[Record], module: Module, binding: Binding | None, *, onto: Path | None = None, side: str = ""
) -> ExportedFile:
    """Return a VASSAL save of the present positions, as everybody may see them.

    Args:
        records: The game's log records.
        module: The VASSAL module.
        binding: The game's binding to the module, if there is one.
        onto: A save to update. Without it a new save is made.
        side: A side whose private sheets are included.
    """
    state, notes, own = public_state(records), sitrep_notes(records), seen_from(records, side)
    if onto is None:
        new = export_game(state, module, binding, notes, own)
        return ExportedFile(new.save, new.binding, f"the positions of {state.game}", new.left_out, (), {})
    old = update_save(state, read_file(onto), module, binding, notes, own)
    what = f"{onto.name} brought to {state.turn}.{state.impulse} of {state.game}"
    changed = old.changed or ("Nothing had changed.",)
    return ExportedFile(old.save, old.binding, what, old.left_out, changed, {"changed": old.changed})


def placing_of(records: Sequence[Record], module: Module, binding: Binding | None) -> Placing:
    """Return a list of the counters in a save of the present positions, and facts it cannot show.

    Without a binding, one is proposed from the names of the counters.
    """
    state = public_state(records)
    return placing(state, module, binding or propose(state, module))


def save_bytes(records: Sequence[Record], module: Path, binding: Path) -> bytes:
    """Return a save of the present positions as bytes.

    ``module`` is the module's file. ``binding`` is the path of the game's vassal.toml, which need not exist.
    """
    table = open_module(module)
    known = read_binding(toml_text(binding), str(binding)) if binding.is_file() else None
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "positions.vsav"
        write_save(save_file(records, table, known).save, file)
        return file.read_bytes()


def replay_log_file(
    records: Sequence[Record], module: Module, binding: Binding | None, *, turn: int = 0, impulse: int = 0
) -> ExportedFile:
    """Return the replay log of a turn as a file to write; turn 0 means the last turn played.

    The log starts at ``impulse``, by default at the start of the turn.
    """
    film = make_replay_log(records, module, binding, turn=turn, impulse=impulse)
    steps = len(film.log.steps)
    what = f"turn {film.turn} of {film.game} in {several(steps, 'step')}"
    return ExportedFile(film.log.save(), film.binding, what, film.left_out, (), {"turn": film.turn, "steps": steps})
