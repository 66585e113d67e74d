"""What can be known of a plot before the turn is played: the hexes that depend on nobody else."""

from __future__ import annotations

import msgspec

from pbem.faults import Fault
from pbem.game.state import Commanded, Ship, State
from pbem.orders import model as om
from pbem.rules import turning
from pbem.rules.impulse_chart import impulses_of, moves
from pbem.rules.sideslip import after_step
from pbem.turn.helm import PLACES, code_for_course, entered, keeps_room, legal_codes, pilot_code, stays, verify_code

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
    speed: int,
    first: int,
    through: int,
    moved: bool = False,
    tows: int | None = None,
) -> Forecast:
    """Fly the plot from impulse ``first`` to ``through`` at ``speed`` hexes a turn; reports every code the
    rules forbid there. ``moved`` says that the ships' movement of impulse ``first`` is over, ``tows`` is the first
    impulse in which the ship's own beams may change its speed (G7.4). Of a unit that a tractor beam holds nothing is
    certain: where it will be, and when it moves again, is its holder's affair.
    """
    if holders := state.holders(ship.name):
        held = f"{ship.name} is held by {holders[0].ship}: it moves by itself only once it is let go (G7.31)"
        return Forecast(certain_until=first - 1, notes=(held,) if plot is not None else ())
    ship = replace(ship, speed=speed)
    plot = plot or om.Plot()
    length = len(plot.codes) or sum(count for count, _ in plot.course)
    turns = [*(reaction.at for reaction in plot.reactions), *(tac.at for tac in plot.tacs)]
    earliest = min((impulse or first for impulse in turns), default=through + 1)
    path: list[tuple[int, str, str]] = []
    at: dict[int, tuple[str, str]] = {}
    faults: list[Fault] = []
    notes: list[str] = []
    certain = through
    asked: tuple[int, str] | None = None
    flown = 0
    for impulse in range(first, through + 1):
        if tows is not None and impulse > tows:
            certain = impulse - 1
            notes.append(f"from impulse {impulse} on the speed, and with it the course, depends on what you tow (G7.4)")
            break
        if impulse >= earliest:
            certain = impulse - 1
            notes.append(f"from impulse {impulse} on the course depends on your reactions")
            break
        if due(ship) and moves(speed, impulse, state.impulses) and not (moved and impulse == first):
            if flown < length:
                code, arrives = (plot.codes[flown], True) if plot.codes else code_for_course(ship, plot.course, flown)
                if plot.course and not arrives:
                    faults.append(
                        plot.wrong(
                            "course",
                            f"hex {flown + 1} of the course turns more than 60 degrees from {ship.facing}",
                            "C3.1",
                        )
                    )
                    break
            elif plot.pilot is not None and plot.pilot.unit.how in PLACES:
                place = plot.pilot.unit.name if plot.pilot.unit.how == "hex" else ""
                code = pilot_code(state, ship, plot.pilot, place, plot.leave_map)
            elif plot.pilot is not None:
                certain = impulse - 1
                notes.append(f"from impulse {impulse} on the course depends on {plot.pilot.unit.name or 'the enemy'}")
                break
            else:
                code = "F"
            refused = verify_code(state, ship, code)
            if refused is not None and refused.code == CRASH and not _may_steer_clear(state, ship, plot, flown, length):
                into = entered(state, ship, code)[0]
                if legal_codes(state, ship):
                    text = f"you will be asked before impulse {impulse}: ahead of {ship.at} is the planet in {into}"
                else:
                    text = (
                        f"no legal move of impulse {impulse} keeps {ship.name} at {ship.at} out of the planet in {into}"
                    )
                notes.append(text)
                certain = impulse - 1
                break
            if refused is not None:
                where = f"code {flown + 1} ({code}) in impulse {impulse} at {ship.hex}{ship.facing}, speed {speed}: "
                faults.append(plot.wrong(refused.code, where + refused.text, refused.rule))
                break
            if not stays(state, ship, code):
                if plot.leave_map:
                    notes.append(f"leaves the map from {ship.hex} in impulse {impulse}")
                elif flown < length or impulse == _first_move(state, ship, speed, first + moved, through):
                    text = (
                        f"in impulse {impulse} {code} leads off the map from {ship.at}; write LEAVE MAP if you mean it"
                    )
                    faults.append(plot.wrong("leaves-map", text, "C1.1"))
                else:
                    notes.append(
                        f"you will be asked before impulse {impulse}: straight on leaves the map from {ship.hex}"
                    )
                certain = impulse - 1
                break
            if not plot.leave_map and not keeps_room(state, ship, code):
                note = f"you will be asked before impulse {impulse}: {ship.at} leads straight {_where(state)}"
                if flown >= length:
                    notes.append(note)
                    certain = impulse - 1
                    break
                if asked is None and any(keeps_room(state, ship, other) for other in legal_codes(state, ship)):
                    asked = impulse, note
            hex_, facing = turning.enter(ship.hex, ship.facing, code, state.grid)
            ship = _stepped(ship, code, hex_, facing)
            path.append((impulse, code, ship.at))
            flown += 1
        at[impulse] = (ship.hex, ship.facing)
    else:
        if length > flown:
            notes.append(
                f"the last {length - flown} codes of the plot are not used: speed {speed} makes {flown} hexes here"
            )
    if asked is not None and not faults:
        # A plot that is flown to where nothing leads back from is no fault, but play stops before it goes there.
        impulse, note = asked
        path = [step for step in path if step[0] < impulse]
        at = {when: place for when, place in at.items() if when < impulse}
        certain, notes = impulse - 1, [note]
    return Forecast(path=tuple(path), at=at, certain_until=certain, notes=tuple(notes), faults=tuple(faults))


CRASH = "planet-hex"
"""The fault of a code that leads into a planet."""


def _may_steer_clear(state: State, ship: Commanded, plot: om.Plot, flown: int, length: int) -> bool:
    """Whether orders that lead into a planet are at fault: the plot says so, or the very first hex does, though another
    code would not.
    """
    return (flown < length or flown == 0) and bool(legal_codes(state, ship))


def due(unit: Commanded) -> bool:
    """Whether a unit moves at all in this scenario."""
    return not (isinstance(unit, Ship) and unit.immobile)


def _stepped(unit: Commanded, code: str, hex_: str, facing: str) -> Commanded:
    """The unit a hex further on."""
    if isinstance(unit, Ship):
        turned, slipped = after_step(code, unit.since_turn, unit.since_slip)
        return replace(unit, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
    return replace(unit, hex=hex_, facing=facing, straight=after_step(code, unit.straight, 0)[0])


def _first_move(state: State, ship: Commanded, speed: int, first: int, through: int) -> int:
    return next((i for i in impulses_of(speed, state.impulses) if first <= i <= through), 0)


def _where(state: State) -> str:
    return "off the map or into the planet" if state.planets else "off the map"
