"""The umpire's rulings between two requests: logged with their reason, told in the players' next sitreps."""

from __future__ import annotations

import msgspec

from pbem.desk.answers import answers
from pbem.desk.aside import lay_aside
from pbem.desk.decrees import Decree, Told, write
from pbem.desk.files import cannot
from pbem.desk.folder import GameFolder
from pbem.desk.publish import publish, retract
from pbem.faults import Fault
from pbem.game.dice import ScriptedDice
from pbem.game.state import Request
from pbem.turn.table import Table


class Overruled(msgspec.Struct, frozen=True, kw_only=True):
    """What was decreed, the answers on file that are no longer legal and were laid aside, and the request in force."""

    game: str
    told: tuple[Told, ...]
    asked: Request | None
    laid_aside: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def override(game: GameFolder, decree: Decree) -> Overruled:
    """Make a decree part of the game: one commit, new reports. Raises :class:`GameError` with everything that cannot
    be; then nothing was changed.
    """
    state = game.state()
    table = Table(state, game.scenario(), ScriptedDice(), {})
    told = write(table, decree, game.effective())
    last = state.request or state.last_request
    assert last is not None
    if decree.reopen:
        try:
            retract(game, last)
        except OSError as error:
            raise cannot("write", game.path, error) from error
    game.commit(last.turn, table.records, table.state)
    faults, aside = _no_longer_legal(game)
    publish(game)
    return Overruled(
        game=game.terms.name, told=tuple(told), asked=game.state().request, laid_aside=aside, faults=faults
    )


def _no_longer_legal(game: GameFolder) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """Answers on file to the request in force that a ruling has made illegal become older versions."""
    _, faults = answers(game)
    names = {fault.file for fault in faults}
    request = game.state().request
    files = [file for file in game.order_files(request.turn) if not file.version] if request else []
    aside = tuple(lay_aside(game, file) for file in files if f"{file.turn:02}/orders/{file.path.name}" in names)
    return faults, aside
