"""The umpire sets units down elsewhere, as a save from the table has them; the log says so."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.desk.folder import GameFolder
from pbem.desk.places import place_faults
from pbem.desk.publish import publish
from pbem.faults import GameError
from pbem.game.events import Adjusted, Record


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
    records = []
    for number, (name, at) in enumerate(sorted(places.items()), start=1):
        # Only the place changes, and that is public; what a ship has armed stays its owner's.
        event = Adjusted(
            turn=state.turn, impulse=state.impulse, step=state.step, unit=name, at=at, why=f"taken from {source}"
        )
        records.append(Record(n=len(game.records()) + number, event=event))
    if records:
        game.carry_out("import", {state.request.turn: records})
        publish(game)
    return len(records)
