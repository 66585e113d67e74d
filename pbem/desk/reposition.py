"""The umpire sets units down elsewhere, as a save from the table has them; the log says so."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.desk.folder import GameFolder
from pbem.desk.publish import publish
from pbem.faults import Fault, GameError
from pbem.game.events import Adjusted, Record
from pbem.game.state import Planet, State
from pbem.rules.hexes import on_map


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


def place_faults(state: State, name: str, at: str, source: str) -> list[Fault]:
    """Why a unit cannot be set down at a hex and facing; nothing where it can."""
    unit = state.units.get(name)
    if unit is None or not unit.in_play:
        return [Fault(code="unknown-unit", text=f"{name} is not in play", file=source)]
    if isinstance(unit, Planet):
        return [Fault(code="bad-position", text=f"{name} is a planet and stays where it is", rule="P2.0", file=source)]
    if len(at) != 5 or not at[:4].isdigit() or at[4] not in "ABCDEF" or not on_map(at[:4], state.map):
        said = f"{name} cannot stand at {at!r}: a hex of the map {state.map[0]} to {state.map[1]} and a facing A to F"
        return [Fault(code="bad-position", text=said, rule="C1.2", file=source)]
    return []
