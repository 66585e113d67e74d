"""The counters of a game as a save without a module at hand: for the companion module, as `pbem module` writes it.

A save holds its counters whole and of the module only its name, so what is needed of that are its palette and the
sizes of its boards; no picture is drawn.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pbem.data.cache import kept
from pbem.data.files import Own, playing_with
from pbem.engine.events import Record
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.export import export_game, open_module, write_save
from pbem.vassal_bridge.notes import told_and_known
from vassal.container.archive import write_archive

if TYPE_CHECKING:
    from vassal.module.module import Module


@cache
def companion() -> Module:
    """The companion module as far as saves need it, with the figures that are shipped; made once (:func:`kept`)."""
    return kept("companion", _made, _written, _read)


def _made() -> Module:
    from pbem.vassal_bridge.companion.module import bare_entries

    with TemporaryDirectory() as folder:
        file = Path(folder) / "cadet.vmod"
        with playing_with(Own()):
            write_archive(file, bare_entries())
        return open_module(file)


def _written(module: Module) -> bytes:
    return pickle.dumps(module, protocol=5)


def _read(body: bytes) -> Module:
    found: Module = _Reader(io.BytesIO(body)).load()
    return found


class _Reader(pickle.Unpickler):
    """Takes nothing but the classes that modules of the package vassal define; not those that they import."""

    def find_class(self, module: str, name: str) -> type:
        if module.startswith("vassal."):
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a module")


def module_for(binding: Binding | None) -> tuple[Module, Binding | None]:
    """The module that ``binding`` names, and the binding, if its file is still there; or else the companion module.
    Raises :class:`~pbem.errors.GameError` for a file that is no module.
    """
    named = Path(binding.module) if binding is not None and binding.module else None
    return (open_module(named), binding) if named is not None and named.is_file() else (companion(), None)


def write_positions(records: Sequence[Record], file: Path, binding: Binding | None = None) -> None:
    """Write the present positions as everybody may see them: for the module that ``binding`` names if its file is
    still there, else for the companion module. Raises :class:`~pbem.errors.GameError`.
    """
    module, known = module_for(binding)
    notes, state = told_and_known(records)
    made = export_game(state, module, known, notes, read=False)
    write_save(made.save, file)
