"""Write the public notes of a VASSAL save: positions or the public sitrep, between two marker lines.

Text that players wrote above or below these lines in their save is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.events import Record
from pbem.engine.state import Planet, State
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view, known_state

TOP, END = "-- sitrep --", "-- end of the sitrep --"


def public_notes(state: State) -> str:
    """Return public notes with the positions of all units and all hexes of planets and asteroids."""
    rows = [
        f"{unit.name}  {' '.join(unit.hexes)}" if isinstance(unit, Planet) else f"{unit.name}  {unit.at}  {unit.speed}"
        for unit in state.in_play()
    ]
    rows += [f"asteroids  {' '.join(state.asteroids)}"] if state.asteroids else []
    return "\n".join([TOP, f"{state.game} {state.turn}.{state.impulse}", *rows, END])


def sitrep_notes(records: Sequence[Record], turn: int | None = None) -> str:
    """Return public notes with the sitrep for spectators, as of now or as of the end of ``turn``.

    The heading of the sitrep is left out, because it holds the players' addresses.
    """
    view = build_view(records, "", turn=turn, replay=False)
    lines = sitrep_text(view).splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("--- ")), 0)
    return "\n".join([TOP, f"{view.game} {view.turn}.{view.impulse}", "", *lines[first:], END])


def notes_and_state(records: Sequence[Record]) -> tuple[str, State]:
    """Return the public notes with the current sitrep, and the state that the sitrep describes."""
    return sitrep_notes(records), known_state(records, "", replay=False)


def moment_in(notes: str) -> tuple[str, int, int] | None:
    """Return game, turn and impulse of the sitrep in a save's notes, or ``None`` if there is no sitrep."""
    _, top, rest = notes.partition(TOP)
    game, _, moment = rest.strip().partition("\n")[0].rpartition(" ")
    turn, dot, impulse = moment.partition(".")
    if not (top and game and dot and _is_number(turn) and _is_number(impulse.strip())):
        return None
    return game, int(turn), int(impulse)


def _is_number(text: str) -> bool:
    """Return whether a text is a turn or impulse number of a plausible length.

    The length is limited, because the notes of a foreign save may hold any number of digits.
    """
    return text.isdecimal() and len(text) < 7


def with_sitrep(notes: str, sitrep: str) -> str:
    """Return a save's notes with ``sitrep`` in place of the old sitrep, or at the top if there is none."""
    before, top, rest = notes.partition(TOP)
    _, end, after = rest.partition(END)
    if top and end:
        return before + sitrep + after
    return f"{sitrep}\n\n{notes}" if notes.strip() else sitrep
