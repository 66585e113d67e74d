"""What a player tried out on his table, as movement plots: the one way from a save or log to the codes of his units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.faults import Fault, GameError
from pbem.game.state import Commanded, State
from pbem.tabletop.binding import Binding
from pbem.tabletop.importing import read_file, read_steps
from pbem.tabletop.notes import moment_in
from pbem.tabletop.plotting import Plotted, plots
from pbem.tabletop.positions import module_for
from pbem.tabletop.proposing import propose
from pbem.tabletop.ways import ways_in_log, ways_to

if TYPE_CHECKING:
    from vassal.module import Module
    from vassal.save import Save


class TriedOut(NamedTuple):
    """The plots of the units that were moved, the units of the side without a counter, and what is against it: what
    the rules forbid of the plots, or that no counter is of this game.
    """

    plots: tuple[Plotted, ...]
    unseen: tuple[str, ...]
    faults: tuple[Fault, ...]

    @property
    def codes(self) -> dict[str, tuple[str, ...]]:
        """The codes of each unit that flew."""
        return {one.unit: one.codes for one in self.plots if one.codes}


def tried_out(
    state: State, side: str, module: Module, binding: Binding, after: Path, before: Path | None = None
) -> TriedOut:
    """The plots of ``side`` (of all, if it is empty) from where counters stood in ``before``, or stand in the game, to
    where they stand in ``after``; of a log hex by hex. Raises :class:`GameError` for a file that cannot be
    read, or that is of another moment.
    """
    log = read_steps(after) if before is None else None
    if log is not None:
        _check_moment(state, log.start, after)
    if log is not None and log.steps:
        ways = ways_in_log(state, log, module, binding)
    else:
        save = log.start if log is not None else read_file(after)  # a log of no steps is a save that is read already
        ways = ways_to(state, save, module, binding, read_file(before) if before is not None else None)
    found = plots(state, ways, side=side)
    faults = [fault for one in found for fault in one.faults]
    own = [unit.name for unit in state.in_play() if isinstance(unit, Commanded) and side in ("", unit.side)]
    if own and not any(name in ways for name in own):
        text = "no counter of a ship or shuttle of this game stands on its map"
        faults.append(Fault(code="counter", text=text, file=str(after)))
    return TriedOut(found, tuple(name for name in own if name not in ways), tuple(faults))


def _check_moment(state: State, save: Save, file: Path) -> None:
    """From the positions of another moment to these no ship has flown. Raises :class:`GameError`."""
    found = moment_in(save.public_notes)
    here = (state.turn, state.impulse)
    if state.request is not None:  # as a turn begins, the sitrep is of its begin and the state of the turn before
        here = (state.request.turn, state.request.impulse)
    if found is None or found[0] != state.game or found[1:] in (here, (state.turn, state.impulse)):
        return
    text = (
        f"move your counters in a save of {here[0]}.{here[1]}, where {state.game} stands: this one is of"
        f" {found[1]}.{found[2]} (pbem export --onto brings a save up to date)"
    )
    raise GameError.saying("other-moment", text, file=str(file))


def tried_at_home(state: State, side: str, binding: Binding | None, after: Path) -> TriedOut:
    """The plots of a save or log for the module that ``binding`` names, if its file is still there, or else for the
    companion module: as the positions are written that players get. Raises :class:`~pbem.faults.GameError`.
    """
    module, known = module_for(binding)
    return tried_out(state, side, module, known or propose(state, module), after)
