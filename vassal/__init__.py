"""Read and write the files of VASSAL, the engine for board games: saves, logs and modules of any game.

Example::

    import vassal

    module = vassal.read_module("HexSpaceTest.vmod")
    save = vassal.read_save("turn3.vsav")
    for piece in save.pieces:
        print(piece.name, piece.map, piece.x, piece.y, piece.piece.properties)

    # a new save from the module's palette
    writer = vassal.SaveWriter(module)
    writer.add("Cruiser A", "Tactical Map", location="0812", facing=3, label="NCC-1701")
    writer.public_notes = "Turn 1, Impulse 8"
    writer.write("turn1.vsav")

    # an existing save, with everything else in it unchanged
    pixel = module.map("Tactical Map").layout().pixel("0911")
    turned = vassal.Look(facing=2)
    vassal.update(save, {"1795207336172": vassal.Change(turned, at=pixel)}).write("turn4.vsav")

Text that this package does not understand is kept: a save that is read and written unchanged has the same clear text.
Every error is a :class:`VassalError` whose text is one sentence. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vassal.dump import Atlas, Difference, diff_saves, dump_module, dump_save
    from vassal.errors import VassalError
    from vassal.log import Step, StepLog, read_log
    from vassal.module.boards import Board, GameMap, MapLayout
    from vassal.module.module import Module, Slot, read_module
    from vassal.pieces.piece import Look, Piece
    from vassal.save import Save, TablePiece, read_save, read_text
    from vassal.text.leaves import BoardChoice
    from vassal.write import Change, NewPiece, SaveWriter, update

_NAMES = {
    "dump": "Atlas Difference diff_saves dump_module dump_save",
    "errors": "VassalError",
    "log": "Step StepLog read_log",
    "module.boards": "Board GameMap MapLayout",
    "module.module": "Module Slot read_module",
    "pieces.piece": "Look Piece",
    "save": "Save TablePiece read_save read_text",
    "text.leaves": "BoardChoice",
    "write": "Change NewPiece SaveWriter update",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
"""The module of each public name. It is imported when the name is first used."""

__all__ = [
    "Atlas",
    "Board",
    "BoardChoice",
    "Change",
    "Difference",
    "GameMap",
    "Look",
    "MapLayout",
    "Module",
    "NewPiece",
    "Piece",
    "Save",
    "SaveWriter",
    "Slot",
    "Step",
    "StepLog",
    "TablePiece",
    "VassalError",
    "diff_saves",
    "dump_module",
    "dump_save",
    "read_log",
    "read_module",
    "read_save",
    "read_text",
    "update",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
