"""Where things are: pixels of a save's maps by board, zone and location name, as its module calls them."""

from __future__ import annotations

from typing import TypeAlias

from vassal.errors import ModuleError
from vassal.module.boards import MapLayout
from vassal.module.module import Module
from vassal.save import Save

__all__ = ["Atlas", "Place"]

Place: TypeAlias = tuple[str | None, str | None, str | None]


class Atlas:
    """The maps of a module with the boards that a save chose; knows the location name of every pixel.

    Without a module every name is ``None``.
    """

    def __init__(self, save: Save, module: Module | None) -> None:
        self.faults: list[str] = []
        self.layouts: dict[str, MapLayout] = {}
        self._places: dict[tuple[str | None, int, int], Place] = {}  # counters stand on few spots
        self._decks = {(stack.map, stack.x, stack.y): stack.deck for stack in save.stacks if stack.deck is not None}
        if module is None:
            return
        if save.module.module and module.name != save.module.module:
            self.faults.append(
                f"{save.file}: it was saved with the module {save.module.module!r}, not with {module.name!r}"
            )
        for game_map in module.maps:
            choices = save.boards.get(game_map.name, save.boards.get(game_map.id))
            try:
                layout = game_map.layout(choices)
            except ModuleError as error:
                self.faults.append(f"{save.file}: {error}")
                layout = MapLayout(game_map.name)
            self.layouts[game_map.name] = self.layouts[game_map.id] = layout
        for piece in save.pieces:
            if piece.map is not None and piece.map not in self.layouts:
                self.faults.append(
                    f"{save.file}: the piece {piece.id} ({piece.name!r}) is on the map {piece.map!r}, "
                    f"which the module {module.name!r} does not have"
                )

    def place(self, map_name: str | None, x: int, y: int) -> Place:
        """Board, zone and location name of a pixel."""
        spot = map_name, x, y
        found = self._places.get(spot)
        if found is None:
            found = self._places[spot] = self._place(*spot)
        return found

    def _place(self, map_name: str | None, x: int, y: int) -> Place:
        layout = self.layouts.get(map_name) if map_name is not None else None
        if layout is None:
            return None, None, None
        placed = layout.board_at((x, y))
        deck = self._decks.get((map_name, x, y))
        location = layout.location((x, y)) if deck is None else deck
        return placed.board.name if placed else None, layout.zone((x, y)), location
