"""The public notes of a save: the positions, or the sitrep that everybody may read, between two lines of ours.

What players have written above and below these lines in a save of theirs stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.events import Record
from pbem.engine.state import Planet, State
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view, known_state

TOP, END = "-- sitrep --", "-- end of the sitrep --"


def public_notes(state: State) -> str:
    """The positions as everybody may read them; planets and asteroids with all their hexes."""
    rows = [
        f"{unit.name}  {' '.join(unit.hexes)}" if isinstance(unit, Planet) else f"{unit.name}  {unit.at}  {unit.speed}"
        for unit in state.in_play()
    ]
    rows += [f"asteroids  {' '.join(state.asteroids)}"] if state.asteroids else []
    return "\n".join([TOP, f"{state.game} {state.turn}.{state.impulse}", *rows, END])


def sitrep_notes(records: Sequence[Record], turn: int | None = None) -> str:
    """The spectators' sitrep (as ``turn`` ended, if given), without its heading: that holds the players' addresses."""
    view = build_view(records, "", turn=turn, replay=False)
    lines = sitrep_text(view).splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("--- ")), 0)
    return "\n".join([TOP, f"{view.game} {view.turn}.{view.impulse}", "", *lines[first:], END])


def told_and_known(records: Sequence[Record]) -> tuple[str, State]:
    """The spectators' sitrep of now, and the state it tells of: folded once for both."""
    return sitrep_notes(records), known_state(records, "", replay=False)


def moment_in(notes: str) -> tuple[str, int, int] | None:
    """The game, turn and impulse whose sitrep stands in the notes of a save; ``None`` where there is none."""
    _, top, rest = notes.partition(TOP)
    game, _, moment = rest.strip().partition("\n")[0].rpartition(" ")
    turn, dot, impulse = moment.partition(".")
    if not (top and game and dot and _is_number(turn) and _is_number(impulse.strip())):
        return None
    return game, int(turn), int(impulse)


def _is_number(text: str) -> bool:
    """Whether this is a turn or impulse as we write it. The notes of a stranger's save may hold digits without end."""
    return text.isdecimal() and len(text) < 7


def with_sitrep(notes: str, sitrep: str) -> str:
    """A save's notes with ``sitrep`` in place of the one in them, or above what is in them."""
    before, top, rest = notes.partition(TOP)
    _, end, after = rest.partition(END)
    if top and end:
        return before + sitrep + after
    return f"{sitrep}\n\n{notes}" if notes.strip() else sitrep
