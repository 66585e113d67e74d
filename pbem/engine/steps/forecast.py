"""What can be known of a plot before the turn is played: the hexes that depend on nobody else."""

from __future__ import annotations

import msgspec

from pbem.counts import several
from pbem.engine.state import Commanded, Ship, State
from pbem.engine.steps.helm import (
    PLACES,
    code_for_course,
    entered,
    keeps_room,
    legal_codes,
    pilot_code,
    stays,
    verify_code,
)
from pbem.errors import Fault
from pbem.orders import model as om
from pbem.rules import turning
from pbem.rules.impulse_chart import impulses_of, moves
from pbem.rules.sideslip import after_step

replace = msgspec.structs.replace


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The plot hex by hex. ``path`` is (impulse, code, hex and facing); ``at`` the position after each impulse
    as far as it is
    certain; ``certain_until`` the last impulse that depends on nobody else; ``notes`` for the player."""

    path: tuple[tuple[int, str, str], ...] = ()
    at: dict[int, tuple[str, str]] = {}
    certain_until: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def forecast(
    state: State,
    ship: Commanded,
    plot: om.Plot | None,
    *,
    first: int,
    through: int,
    moved: bool = False,
    tows: int | None = None,
    kept: bool = False,
) -> Forecast:
    """Fly the plot from impulse ``first`` to ``through`` at the ship's speed; reports every code the rules
    forbid there. ``moved`` says that the ships' movement of impulse ``first`` is over, ``tows`` is the first
    impulse in which the ship's own beams may change its speed (G7.4), ``kept`` that the scenario keeps its side on the
    map: nobody can then ask it to write LEAVE MAP. Of a unit that a tractor beam holds nothing is
    certain: where it will be, and when it moves again, is its holder's affair.
    """
    if holders := state.holders(ship.name):
        held = f"{ship.name} is held by {holders[0].ship}: it moves by itself only once it is let go (G7.31)"
        return Forecast(certain_until=first - 1, notes=(held,) if plot is not None else ())
    flight = _Flight(state, ship, plot or om.Plot(), first, through, moved=moved, kept=kept)
    return flight.flown_until(through if tows is None else tows)


class _Flight:
    """A plot as it is flown ahead, hex by hex, until somebody else has a say in it."""

    def __init__(
        self, state: State, ship: Commanded, plot: om.Plot, first: int, through: int, *, moved: bool, kept: bool
    ) -> None:
        self.state, self.ship, self.plot = state, ship, plot
        self.first, self.through, self.moved, self.kept = first, through, moved, kept
        self.length = plot.length
        turns = [*(reaction.at for reaction in plot.reactions), *(tac.at for tac in plot.tacs)]
        self.reacts = min((impulse or first for impulse in turns), default=through + 1)
        self.path: list[tuple[int, str, str]] = []
        self.at: dict[int, tuple[str, str]] = {}
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.certain = through
        self.asked: tuple[int, str] | None = None

    @property
    def flown(self) -> int:
        """Hexes of the plot that are flown."""
        return len(self.path)

    def flown_until(self, tows: int) -> Forecast:
        """All of it, or what is certain; ``tows`` is the last impulse in which the speed is."""
        for impulse in range(self.first, self.through + 1):
            if impulse > tows:
                self._ends(impulse, "on the speed, and with it the course, depends on what you tow (G7.4)")
                break
            if impulse >= self.reacts:
                self._ends(impulse, "on the course depends on your reactions")
                break
            if self._moves_in(impulse) and not self._flies(impulse):
                break
            self.at[impulse] = (self.ship.hex, self.ship.facing)
        else:
            if self.length > self.flown:
                unused, makes = self.length - self.flown, several(self.flown, "hex", "hexes")
                idle = "code of the plot is" if unused == 1 else f"{unused} codes of the plot are"
                self.notes.append(f"the last {idle} not used: speed {self.ship.speed} makes {makes} here")
        if self.asked is not None and not self.faults:
            # A plot that is flown to where nothing leads back from is no fault, but play stops before it goes there.
            impulse, note = self.asked
            self.path = [step for step in self.path if step[0] < impulse]
            self.at = {when: place for when, place in self.at.items() if when < impulse}
            self.certain, self.notes = impulse - 1, [note]
        return Forecast(
            path=tuple(self.path),
            at=self.at,
            certain_until=self.certain,
            notes=tuple(self.notes),
            faults=tuple(self.faults),
        )

    def _ends(self, impulse: int, why: str) -> None:
        self._stops(impulse, f"from impulse {impulse} {why}")

    def _stops(self, impulse: int, note: str) -> None:
        """Nothing is certain from this impulse on."""
        self.certain = impulse - 1
        self.notes.append(note)

    def _moves_in(self, impulse: int) -> bool:
        has_moved = self.moved and impulse == self.first
        return due(self.ship) and moves(self.ship.speed, impulse, self.state.impulses) and not has_moved

    def _flies(self, impulse: int) -> bool:
        """One hex further; whether it goes on from there."""
        code = self._code(impulse)
        if code is None or not self._may_enter(impulse, code) or not self._stays(impulse, code):
            return False
        hex_, facing = turning.enter(self.ship.hex, self.ship.facing, code, self.state.grid)
        self.ship = _stepped(self.ship, code, hex_, facing)
        self.path.append((impulse, code, self.ship.at))
        return True

    def _code(self, impulse: int) -> str | None:
        """The code for the next hex; ``None`` where the course cannot be flown, or hangs on where others are."""
        plot, ship = self.plot, self.ship
        if self.flown < self.length and plot.codes:
            return plot.codes[self.flown]
        if self.flown < self.length:
            code, arrives = code_for_course(ship, plot.course, self.flown)
            if arrives:
                return code
            text = f"hex {self.flown + 1} of the course turns more than 60 degrees from {ship.facing}"
            self.faults.append(plot.wrong("course", text, "C3.1"))
            return None
        if plot.pilot is None:
            return "F"
        if plot.pilot.unit.how in PLACES:
            place = plot.pilot.unit.name if plot.pilot.unit.how == "hex" else ""
            return pilot_code(self.state, ship, plot.pilot, place, plot.leave_map)
        self._ends(impulse, f"on the course depends on {plot.pilot.unit.name or 'the enemy'}")
        return None

    def _may_enter(self, impulse: int, code: str) -> bool:
        """Whether the rules allow the code here; where they do not, it is a fault, or the player will be asked."""
        ship = self.ship
        refused = verify_code(self.state, ship, code)
        if refused is None:
            return True
        if refused.code == CRASH and not self._may_steer_clear():
            into = entered(self.state, ship, code)[0]
            asked = f"you will be asked before impulse {impulse}: ahead of {ship.at} is the planet in {into}"
            lost = f"no legal move of impulse {impulse} keeps {ship.name} at {ship.at} out of the planet in {into}"
            self._stops(impulse, asked if legal_codes(self.state, ship) else lost)
            return False
        where = f"code {self.flown + 1} ({code}) in impulse {impulse} at {ship.at}, speed {ship.speed}: "
        self.faults.append(self.plot.wrong(refused.code, where + refused.text, refused.rule))
        return False

    def _may_steer_clear(self) -> bool:
        """Whether orders that lead into a planet are at fault: the plot says so, or the very first hex does, though
        another code would not.
        """
        return (self.flown < self.length or self.flown == 0) and bool(legal_codes(self.state, self.ship))

    def _stays(self, impulse: int, code: str) -> bool:
        """Whether the ship stays on the map, and where it can turn away from the edge and from planets."""
        state, ship = self.state, self.ship
        if not stays(state, ship, code):
            self.certain = impulse - 1
            if self.plot.leave_map:
                self.notes.append(f"leaves the map from {ship.hex} in impulse {impulse}")
            elif self.kept and not legal_codes(state, ship):
                self.notes.append(f"no legal move of impulse {impulse} keeps {ship.name} at {ship.at} on the map")
            elif self.flown < self.length or impulse == self._first_move():
                text = f"in impulse {impulse} {code} leads off the map from {ship.at}; write LEAVE MAP if you mean it"
                self.faults.append(self.plot.wrong("leaves-map", text, "C1.1"))
            else:
                self.notes.append(
                    f"you will be asked before impulse {impulse}: straight on leaves the map from {ship.hex}"
                )
            return False
        if not self.plot.leave_map and not keeps_room(state, ship, code):
            note = f"you will be asked before impulse {impulse}: {ship.at} leads straight {_where(state)}"
            if self.flown >= self.length:
                self._stops(impulse, note)
                return False
            if self.asked is None and any(keeps_room(state, ship, other) for other in legal_codes(state, ship)):
                self.asked = impulse, note
        return True

    def _first_move(self) -> int:
        """The first impulse in which the ship moves; 0 if none."""
        due_in = impulses_of(self.ship.speed, self.state.impulses)
        return next((i for i in due_in if self.first + self.moved <= i <= self.through), 0)


CRASH = "planet-hex"
"""The fault of a code that leads into a planet."""


def due(unit: Commanded) -> bool:
    """Whether a unit moves at all in this scenario."""
    return not (isinstance(unit, Ship) and unit.immobile)


def _stepped(unit: Commanded, code: str, hex_: str, facing: str) -> Commanded:
    """The unit a hex further on."""
    if isinstance(unit, Ship):
        turned, slipped = after_step(code, unit.since_turn, unit.since_slip)
        return replace(unit, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
    return replace(unit, hex=hex_, facing=facing, straight=after_step(code, unit.straight, 0)[0])


def _where(state: State) -> str:
    return "off the map or into the planet" if state.planets else "off the map"
