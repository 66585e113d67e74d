"""The files a game is exported to, and what is said of each: a save, a save brought up to date, a film."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.data.files import toml_text
from pbem.game.events import Record
from pbem.tabletop.binding import Binding, read_binding
from pbem.tabletop.export import export_game, open_module, write_save
from pbem.tabletop.film import make_film
from pbem.tabletop.importing import read_file
from pbem.tabletop.notes import sitrep_notes
from pbem.tabletop.placing import Placing, placing
from pbem.tabletop.proposing import propose
from pbem.tabletop.scene import public_state
from pbem.tabletop.sheets import seen_from
from pbem.tabletop.updating import update_save
from pbem.values.counts import several

if TYPE_CHECKING:
    from vassal.module import Module
    from vassal.save import Save


class Exported(NamedTuple):
    """What is to be written, and what is said of it: ``what`` it is, line by line what ``changed``, the units
    ``left_out``, and ``data`` for programs.
    """

    save: Save
    binding: Binding
    what: str
    left_out: tuple[str, ...]
    changed: tuple[str, ...]
    data: Mapping[str, Any]


def save_file(
    records: Sequence[Record], module: Module, binding: Binding | None, *, onto: Path | None = None, side: str = ""
) -> Exported:
    """The present positions as everybody may see them, in a new save or in the one at ``onto``; with ``side``, the
    papers of its ships are in it, too.
    """
    state, notes, own = public_state(records), sitrep_notes(records), seen_from(records, side)
    if onto is None:
        new = export_game(state, module, binding, notes, own)
        return Exported(new.save, new.binding, f"the positions of {state.game}", new.left_out, (), {})
    old = update_save(state, read_file(onto), module, binding, notes, own)
    what = f"{onto.name} brought to {state.turn}.{state.impulse} of {state.game}"
    changed = old.changed or ("Nothing had changed.",)
    return Exported(old.save, old.binding, what, old.left_out, changed, {"changed": old.changed})


def placing_of(records: Sequence[Record], module: Module, binding: Binding | None) -> Placing:
    """What a save of the present positions will hold, and what it lacks."""
    state = public_state(records)
    return placing(state, module, binding or propose(state, module))


def save_bytes(records: Sequence[Record], module: Path, binding: Path) -> bytes:
    """The present positions as the content of a save for the module in a file; ``binding`` is the game's file of which
    counter stands for what, if it has one.
    """
    table = open_module(module)
    known = read_binding(toml_text(binding), str(binding)) if binding.is_file() else None
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "positions.vsav"
        write_save(save_file(records, table, known).save, file)
        return file.read_bytes()


def film_file(
    records: Sequence[Record], module: Module, binding: Binding | None, *, turn: int = 0, impulse: int = 0
) -> Exported:
    """A turn as a log."""
    film = make_film(records, module, binding, turn=turn, impulse=impulse)
    steps = len(film.log.steps)
    what = f"turn {film.turn} of {film.game} in {several(steps, 'step')}"
    return Exported(film.log.save(), film.binding, what, film.left_out, (), {"turn": film.turn, "steps": steps})
