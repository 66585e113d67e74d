"""Write the positions of a game as a VASSAL save for the companion module, without a module file.

A save contains whole counters, but only the name of its module. So only the module's palette and the sizes of its
boards are needed; no picture is drawn.
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

from pbem.data.cache import cached
from pbem.data.files import CustomFigures, playing_with
from pbem.engine.events import Record
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.export import export_game, open_module, write_save
from pbem.vassal_bridge.notes import notes_and_state
from vassal.container.archive import write_archive

if TYPE_CHECKING:
    from vassal.module.module import Module


@cache
def companion() -> Module:
    """Return the companion module without pictures; it is enough to write saves.

    The module uses the shipped ship data. It is built once and stored on disk (:func:`pbem.data.cache.cached`).
    """
    return cached("companion", _made, _written, _read)


def _made() -> Module:
    from pbem.vassal_bridge.companion.module import bare_entries

    with TemporaryDirectory() as folder:
        file = Path(folder) / "cadet.vmod"
        with playing_with(CustomFigures()):
            write_archive(file, bare_entries())
        return open_module(file)


def _written(module: Module) -> bytes:
    return pickle.dumps(module, protocol=5)


def _read(body: bytes) -> Module:
    found: Module = _SafeUnpickler(io.BytesIO(body)).load()
    return found


class _SafeUnpickler(pickle.Unpickler):
    """An unpickler that loads only classes of the package vassal, so that no file can run other code."""

    def find_class(self, module: str, name: str) -> type:
        if module.startswith("vassal."):
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a module")


def module_for(binding: Binding | None) -> tuple[Module, Binding | None]:
    """Return the module named in ``binding``, and the binding itself.

    If the file of the module no longer exists, return the companion module and ``None``.

    Raises:
        GameError: The file is not a module.
    """
    named = Path(binding.module) if binding is not None and binding.module else None
    return (open_module(named), binding) if named is not None and named.is_file() else (companion(), None)


def write_positions(records: Sequence[Record], file: Path, binding: Binding | None = None) -> None:
    """Write a VASSAL save of the present positions, as everybody may see them, to a file.

    The save is for the module named in ``binding`` if the file of that module still exists, else for the companion
    module.

    Raises:
        GameError: The module cannot be read, or the file cannot be written.
    """
    module, known = module_for(binding)
    notes, state = notes_and_state(records)
    made = export_game(state, module, known, notes, read=False)
    write_save(made.save, file)
