"""The displays along a film, put together as the script of the game page does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import asdict

from pbem.engine.events import Record
from pbem.reports.map.ssd import FilmDisplays, display, film_displays
from pbem.reports.view.build import build_replay
from pbem.reports.view.model import DisplayState, ReportView


def film_of(records: Sequence[Record], side: str) -> tuple[ReportView, FilmDisplays]:
    view, changes = build_replay(records, side)
    return view, film_displays(view, {ssd.unit: display(ssd) for ssd in view.ssds}, changes)


def states(film: FilmDisplays, frames: int) -> Iterator[dict[str, dict[str, Any]]]:
    """The whole state of each display after each frame, as the script of the page puts it together."""
    now: dict[str, dict[str, Any]] = {}
    for frame in range(frames):
        for change in film.changes:
            if change.frame != frame:
                continue
            fields = {name: value for name, value in asdict(change.now).items() if value is not None}
            was = now.get(change.unit) or asdict(DisplayState(internals=0, speed=0, gone=""))
            now = {
                **now,
                change.unit: {
                    name: {**old, **fields.get(name, {})} if isinstance(old, dict) else fields.get(name, old)
                    for name, old in was.items()
                },
            }
        yield now
