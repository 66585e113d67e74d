"""Which counter of a save stands for which unit: by our id, its name in a label, its own name or a marker, or as the
only one of the kind that vassal.toml names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.state import AnyUnit, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import Binding, counter_key, kind_key
from pbem.vassal_bridge.scene import COVERED_WORD, ID_PREFIX, piece_id
from vassal.errors import VassalError
from vassal.pieces.traits import DynamicProperty, Marker

if TYPE_CHECKING:
    from vassal.module.module import Module
    from vassal.pieces.pieces import Piece
    from vassal.save import Save, TablePiece


def check_module(save: Save, module: Module, code: str) -> None:
    """A save of another module has other maps and other counters. Raises :class:`GameError` with that code."""
    if save.module.module not in ("", module.name):
        text = f"this is a save of the module {save.module.module!r}, not of {module.name!r}"
        raise GameError.saying(code, text, file=save.file)


class Matched(NamedTuple):
    """The counters found, by unit; and the units for which several could be meant, with how many."""

    found: dict[str, TablePiece]
    unclear: dict[str, int]


def match_counters(
    state: State,
    units: Iterable[AnyUnit],
    pieces: Iterable[TablePiece],
    binding: Binding,
    module: Module,
    *,
    aside: bool = False,
) -> Matched:
    """Find the counter of each unit: one with our id wherever it is, others on the game's map (or ``aside`` of it).

    What tells surely goes before what is guessed, for all units at once, and no counter that carries the name of a
    unit, of one that is gone, too, is guessed to be another.
    """
    units = list(units)
    found: dict[str, TablePiece] = {}
    unclear: dict[str, int] = {}
    pieces = list(pieces)
    by_id = {piece.id: piece for piece in pieces}
    for unit in units:
        if (piece := by_id.get(piece_id(unit))) is not None:
            found[unit.name] = piece
    strangers = [
        piece for piece in pieces if not piece.id.startswith(ID_PREFIX) and (piece.map == binding.map) != aside
    ]
    for carries in (_labelled, _called):
        _by_name(units, strangers, carries, found, unclear)
    taken = {piece.id for piece in found.values()}
    kinds: dict[str, list[AnyUnit]] = {}
    for unit in units:
        if unit.name not in found and unit.name not in unclear:
            for key in _bound_to(unit, binding, module):
                kinds.setdefault(key, []).append(unit)
    for unit in units:
        keys = [] if unit.name in found or unit.name in unclear else _bound_to(unit, binding, module)
        alike = [
            piece
            for piece in strangers
            if piece.id not in taken
            and {piece.gpid, piece.piece.basic_name} & {*keys}
            and not any(carries_name(piece.piece, name) for name in state.units if name != unit.name)
        ]
        if len(alike) == 1 and all(kinds[key] == [unit] for key in keys):
            found[unit.name] = alike[0]
    return Matched(found, unclear)


def carries_name(piece: Piece, name: str) -> bool:
    """Whether a counter says that it is the unit of that name."""
    return _labelled(piece, name) or _called(piece, name)


def is_label(text: str, name: str) -> bool:
    """Whether a label is a unit's name, alone or with a speed and CLOAKED behind it."""
    text, name = text.casefold().strip(), name.casefold()
    rest = text.removeprefix(name)
    return (
        text.startswith(name)
        and all(word.isdecimal() or word == COVERED_WORD.casefold() for word in rest.split())
        and (not rest or rest[0] == " ")
    )


def _by_name(
    units: Sequence[AnyUnit],
    strangers: Sequence[TablePiece],
    carries: Callable[[Piece, str], bool],
    found: dict[str, TablePiece],
    unclear: dict[str, int],
) -> None:
    taken = {piece.id for piece in found.values()}
    for unit in units:
        if unit.name in found or unit.name in unclear:
            continue
        alike = [piece for piece in strangers if piece.id not in taken and carries(piece.piece, unit.name)]
        if len(alike) == 1:
            found[unit.name] = alike[0]
        elif alike:
            unclear[unit.name] = len(alike)


def _labelled(piece: Piece, name: str) -> bool:
    labels = piece.labels
    known = piece.known if any("$" in label.text or label.is_expression for label in labels) else {}
    return any(is_label(text, name) for label in labels for text in {label.text, label.shown(known)})


def _called(piece: Piece, name: str) -> bool:
    """Its own name, or a marker or another property of its own that says it."""
    wanted = name.casefold()
    if wanted in (piece.basic_name.casefold(), piece.name.casefold().split(" (")[0]):
        return True
    said = [value for marker in piece.all(Marker) for value in marker.values.values()]
    said += [one.value for one in piece.all(DynamicProperty)]
    return any(is_label(value, name) for value in said)


def _bound_to(unit: AnyUnit, binding: Binding, module: Module) -> tuple[str, ...]:
    """The palette entry of the unit's line in vassal.toml: its gpid, or its name where it has none."""
    keys = (unit.name, kind_key(unit), counter_key(unit))
    line = next((binding.counters[key] for key in keys if key in binding.counters), "")
    try:
        slot = module.slot(line) if line else None
    except VassalError:
        return (line,)
    return () if slot is None else (slot.gpid or slot.name,)
