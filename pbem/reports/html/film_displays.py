"""The data with which the game page shows the displays of ships in every frame of the film.

A display is drawn once, by :mod:`pbem.reports.map.ssd`. The script of the page crosses its boxes; it needs their
places and what changed in each frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from markupsafe import Markup

from pbem.reports.html.page import data_of_page
from pbem.reports.map.ssd import Display, DisplayBlock
from pbem.reports.view.model import DisplayChange, Frame, ReportView


class FilmShip(msgspec.Struct, frozen=True, kw_only=True):
    """A ship with a display: whether it is the reader's, the number of its side's colour, and its blocks of boxes."""

    mine: bool
    place: int
    blocks: tuple[DisplayBlock, ...]


class FilmDisplays(msgspec.Struct, frozen=True, kw_only=True):
    """The displays of all ships along the film.

    ``begins`` holds the numbers of the frames with which impulses begin. ``changes`` are in the order of the frames.
    """

    ships: dict[str, FilmShip]
    begins: tuple[int, ...]
    changes: tuple[DisplayChange, ...]


def film_displays(view: ReportView, drawn: Mapping[str, Display], changes: Iterable[DisplayChange]) -> FilmDisplays:
    """Return the displays along the film; ``drawn`` are the drawings of the displays, by the names of the ships."""
    mine = {unit.name for unit in view.units if unit.mine}
    return FilmDisplays(
        ships={
            ssd.unit: FilmShip(mine=ssd.unit in mine, place=view.place_of(ssd.side) % 4, blocks=drawn[ssd.unit].blocks)
            for ssd in view.ssds
        },
        begins=_begins(view.replay),
        changes=tuple(change for change in changes if change.unit in drawn),
    )


def _begins(frames: tuple[Frame, ...]) -> tuple[int, ...]:
    """Return the numbers of the frames that are the first of their impulses."""
    moments = [(frame.turn, frame.impulse) for frame in frames]
    return tuple(k for k, moment in enumerate(moments) if not k or moments[k - 1] != moment)


def embedded_displays(displays: FilmDisplays) -> Markup:
    """Return the displays as JSON for a script element."""
    return Markup(data_of_page(msgspec.json.encode(displays)))
