"""The umpire's rulings between two requests: logged with their reason, told in the players' next sitreps. Units he sets
down elsewhere, too, as a save from the table has them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pbem.engine.dice import ScriptedDice
from pbem.engine.events import Adjusted
from pbem.engine.play.resolution import Table
from pbem.engine.state import Request
from pbem.errors import Fault, GameError
from pbem.games.answers import answers
from pbem.games.aside import kept_names, laid_aside, name_of
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.storage.publish import publish
from pbem.games.umpire.decrees import Decree, Told, write
from pbem.games.umpire.limits import place_faults


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
    faults, illegal = _no_longer_legal(game.supposing(last.turn, table.records, table.state))
    aside = laid_aside(game, illegal)
    game.carry_out("override", {last.turn: table.records}, aside)
    publish(game)
    return Overruled(
        game=game.terms.name, told=tuple(told), asked=game.state().request, laid_aside=kept_names(aside), faults=faults
    )


def _no_longer_legal(game: GameFolder) -> tuple[tuple[Fault, ...], list[OrderFile]]:
    """Answers on file to the request in force that a ruling has made illegal."""
    _, faults = answers(game)
    names = {fault.file for fault in faults}
    request = game.state().request
    files = [file for file in game.order_files(request.turn) if not file.version] if request else []
    return faults, [file for file in files if name_of(file) in names]


def reposition(game: GameFolder, places: Mapping[str, str], *, source: str = "") -> int:
    """Set units down at ``places`` (hex and facing by name, ``1708C``) before the request in force is
    played.

    Returns how many records that took. Raises :class:`GameError` with every place that cannot be; then
    nothing was changed.
    """
    state = game.state()
    if state.request is None:
        raise GameError.saying("game-over", "the game is over; nothing can be moved any more", file=source)
    faults = [fault for unit, at in sorted(places.items()) for fault in place_faults(state, unit, at, source)]
    if faults:
        raise GameError(*faults)
    table = Table(state, game.scenario(), ScriptedDice(), {})
    for name, at in sorted(places.items()):
        # Only the place changes, and that is public; what a ship has armed stays its owner's.
        table.tell(Adjusted(unit=name, at=at, why=f"taken from {source}"))
    if places:
        game.carry_out("import", {state.request.turn: table.records})
        publish(game)
    return len(table.records)
