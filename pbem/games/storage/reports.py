"""Finding a report that was written, or telling its text anew from the log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem.engine.events import Requested
from pbem.errors import GameError
from pbem.games.proof.proof import proof_for
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import as_played, names, tenures
from pbem.games.storage.publish import reports_folder
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view

if TYPE_CHECKING:
    from pbem.reports.view.view import View


class FoundReport(msgspec.Struct, frozen=True, kw_only=True):
    """A reader's report: its page, where one is written, and the text sitrep."""

    page: Path | None
    text: str


def find_report(game: GameFolder, side: str, turn: int = 0) -> FoundReport:
    """``side``'s latest report, or the one that was written when ``turn`` had ended. Raises
    :class:`GameError`.
    """
    view = view_of(game, side, turn)
    folder = _folder_after(game, turn) if turn else reports_folder(game)
    page = folder / side / "sitrep.html"
    return FoundReport(page=page if page.is_file() else None, text=sitrep_text(view))


def view_of(game: GameFolder, side: str, turn: int = 0) -> View:
    """What ``side`` sees now, or saw when ``turn`` had ended. Raises :class:`GameError`."""
    last = max(game.state().turn, 1)
    if turn > last:
        raise GameError.saying("no-such-turn", f"turn {turn} has not been played; the game is in turn {last}")
    records = game.effective()
    told = [record for record in records if record.event.turn <= turn] if turn else records
    records = as_played(tenures(game.path), records, turn or None, names(game.path))
    return build_view(records, side, turn=turn or None, proof=proof_for(game, told, side), scenario=game.scenario())


def _folder_after(game: GameFolder, turn: int) -> Path:
    """The reports that tell of the end of a turn: those of the next turn's first request, or the final
    ones.
    """
    for record in game.effective():
        event = record.event
        if isinstance(event, Requested) and event.request.turn > turn:
            return game.request_folder(event.request.turn, event.request.number)
    return reports_folder(game)
