"""Changes of the ships' displays during the replay, frame by frame.

The display of a ship shows her state after the last frame. With these changes a page can show the display in every
other frame, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from pbem.data.ships import weapon_place
from pbem.engine.state import Ship, State
from pbem.reports.view import model
from pbem.reports.view.tables import weapon_words


class ShipInFrame(NamedTuple):
    """A ship in its state after one frame of the replay, with the number of the frame."""

    frame: int
    ship: Ship


def ships_in_frames(states: Iterable[State]) -> tuple[ShipInFrame, ...]:
    """Return the ships whose display changed in each frame; ``states`` are the states after the frames."""
    found: list[ShipInFrame] = []
    latest: dict[str, Ship] = {}
    units = State().units
    for number, state in enumerate(states):
        if state.units is units:
            continue
        for name, unit in state.units.items():
            if unit is units.get(name) or not isinstance(unit, Ship):
                continue
            before = latest.get(name)
            if before is None or not _looks_same(before, unit):
                latest[name] = unit
                found.append(ShipInFrame(number, unit))
        units = state.units
    return tuple(found)


def _looks_same(before: Ship, now: Ship) -> bool:
    """Return whether the display of a ship looks the same in two states of the ship."""
    return (
        before.weapons == now.weapons
        and before.shields == now.shields
        and before.boxes == now.boxes
        and (before.internals, before.speed, before.gone) == (now.internals, now.speed, now.gone)
    )


def display_changes(
    ships: Iterable[ShipInFrame], state: State, mine: Collection[str]
) -> tuple[model.DisplayChange, ...]:
    """Return what changed on the displays, frame by frame.

    Args:
        ships: The ships whose display changed, in the order of the frames.
        state: The state after the last frame.
        mine: The names of the reader's units. The charges of other ships' weapons are left out.
    """
    return tuple(_changes(ships, state, mine))


def _changes(ships: Iterable[ShipInFrame], state: State, mine: Collection[str]) -> Iterator[model.DisplayChange]:
    latest: dict[str, model.DisplayState] = {}
    for frame, ship in ships:
        now = _shown(ship, state, ship.name in mine)
        before = latest.get(ship.name, _UNSEEN)
        if before == now:  # only secrets of the ship's owner changed
            continue
        latest[ship.name] = now
        yield model.DisplayChange(frame=frame, unit=ship.name, now=_difference(before, now))


_UNSEEN = model.DisplayState(internals=0, speed=0, gone="")
"""The state of a display before the first change."""


def _shown(ship: Ship, state: State, mine: bool) -> model.DisplayState:
    """Return everything on a ship's display that may change during play."""
    weapons = sorted(ship.weapons.items(), key=lambda item: weapon_place(item[0]))
    return model.DisplayState(
        boxes={**{f"#{number}": left for number, left in enumerate(ship.shields, start=1)}, **ship.boxes},
        working={name: weapon.working for name, weapon in weapons},
        words={name: weapon_words(weapon, state, mine) for name, weapon in weapons},
        internals=ship.internals,
        speed=ship.speed,
        gone=ship.gone,
    )


def _difference(before: model.DisplayState, now: model.DisplayState) -> model.DisplayState:
    """Return the parts of a display that differ between two states; other parts are unset."""
    return model.DisplayState(
        boxes={name: left for name, left in now.boxes.items() if before.boxes.get(name) != left},
        working={name: works for name, works in now.working.items() if before.working.get(name, True) != works},
        words={name: said for name, said in now.words.items() if before.words.get(name, "") != said},
        internals=None if before.internals == now.internals else now.internals,
        speed=None if before.speed == now.speed else now.speed,
        gone=None if before.gone == now.gone else now.gone,
    )
