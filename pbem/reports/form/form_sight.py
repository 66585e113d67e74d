"""What lies between a weapon and its target, for the order form: cloaks, a lock-on that is not there, asteroids, and
how small a drone is (D1.4, D6.123, G13.0, P3.0, FD1.52).

Each of them changes the range a shot is resolved at, or its die. The page is told which of them hold where and when,
and has a table of chances for every way in which they may meet: it knows none of these rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import groupby, product
from typing import Any, NamedTuple

import msgspec

from pbem.data import charts
from pbem.data.cache import kept
from pbem.data.files import own_figures
from pbem.data.scenarios import Scenario
from pbem.data.words import CloakState
from pbem.engine.state import AnyUnit, Request, Seeker, Ship, State
from pbem.engine.steps.cloaking import at_start_of_turn, has_cloak, veil_at
from pbem.rules import sensors
from pbem.rules.cloak import Veil
from pbem.rules.direct_fire import drone_modifier, max_range, min_range
from pbem.rules.odds import Aim, faces

Json = dict[str, Any]
replace = msgspec.structs.replace


def veils(state: State, scenario: Scenario, request: Request, ship: Ship) -> list[Json]:
    """How a ship's cloak may work until the orders end, what is likeliest first; nothing of ships that have none.

    ``say`` names it, ``paid`` is whether it hangs on energy for the device, ``at`` are stretches of impulses: the last
    of each, what the true range is multiplied by and what is added to it, and whether the ship's weapons are silent.
    """
    ways = list(_ways(state, scenario, request, ship))
    found = [{**how, "at": _stretches(state, request, it)} for it, how in ways]
    return found if len(found) > 1 or any(each[1:] != [1, 0, 0] for one in found for each in one["at"]) else []


def _ways(state: State, scenario: Scenario, request: Request, ship: Ship) -> Iterable[tuple[Ship, Json]]:
    """The ship as its cloak may be, and what the page says of that."""
    began = (request.turn - 1) * state.impulses
    first = began + max(1, request.impulse)
    if not has_cloak(scenario, ship):
        return
    if not request.impulse and (scenario.uses("cadet cloak") or ship.cloak == CloakState.CLOAKING):
        hides = ship.cloak in (CloakState.CLOAKED, CloakState.CLOAKING)
        for paid in (hides, not hides):
            status, since = at_start_of_turn(scenario, ship, paid=paid, first=first)
            say = "is under its cloak" if paid else "comes out of its cloak" if hides else "stays uncloaked"
            yield replace(ship, cloak=status, cloak_since=since), {"say": say, "paid": paid}
        return
    hidden = ship.cloak in (CloakState.CLOAKED, CloakState.CLOAKING)
    yield ship, {"say": "stays under its cloak" if hidden else "stays uncloaked"}
    if scenario.uses("cloak"):
        other = CloakState.UNCLOAKING if hidden else CloakState.CLOAKING
        say = "fades in at once" if hidden else "fades out at once"
        yield replace(ship, cloak=other, cloak_since=first), {"say": say}


def _stretches(state: State, request: Request, ship: Ship) -> list[list[int]]:
    began = (request.turn - 1) * state.impulses
    impulses = range(max(1, request.impulse), request.through + 1)
    told = [(impulse, *_seen(veil_at(ship, began + impulse, state.impulses))) for impulse in impulses]
    return [[list(same)[-1][0], *what] for what, same in groupby(told, key=lambda one: one[1:])]


def _seen(veil: Veil) -> tuple[int, int, int]:
    """What a cloak does to the range of who fires at it, and to its own ship's weapons."""

    def resolved(true: int) -> int:
        fading = 0 if veil.hidden else veil.addition
        return sensors.effective_range(true, locked=veil.lock_on, hidden=veil.hidden, fading=fading)

    return resolved(1) - resolved(0), resolved(0), int(veil.silent)


def is_blind(request: Request, ship: Ship) -> bool:
    """Whether it is known that a ship has no lock-on in these impulses (D6.123)."""
    return request.impulse > 0 and not ship.lock_on


class Through(NamedTuple):
    """What shots are seen through: the true range times ``factor`` and ``plus`` hexes; ``added`` to the die."""

    factor: int
    plus: int
    added: int


PLAIN = Through(1, 0, 0)


def chances(kind: str, scanner: int, limit: int | None, through: Through = PLAIN) -> list[list[int]]:
    """For each true range: how many faces of the die hit, and the points of all faces, lock-on and scanners reckoned
    in. Whole numbers, which the page adds up and divides by six once: it tells what ``pbem odds`` tells.
    """
    return [[*row] for row in _chances(kind, scanner, limit, through, own_figures().token)]


@cache
def _chances(kind: str, scanner: int, limit: int | None, through: Through, token: str) -> list[list[int]]:
    """``token`` tells charts with figures of one's own from those that are shipped; of these the table is kept."""
    if token:
        return _reckoned(kind, scanner, limit, through)
    encode, decode = msgspec.msgpack.encode, msgspec.msgpack.decode
    name = f"chances-{kind}-{scanner}-{limit}{'' if through == PLAIN else '-' + named(through).replace(' ', '-')}"
    return kept(name, lambda: _reckoned(kind, scanner, limit, through), encode, decode)


def _reckoned(kind: str, scanner: int, limit: int | None, through: Through) -> list[list[int]]:
    rows: list[list[int]] = []
    for range_ in range(max_range(kind, limit) + 1):
        if range_ < min_range(kind):
            rows.append([0, 0])
            continue
        far = range_ * through.factor + through.plus
        seen = sensors.effective_range(far, locked=True, scanner=scanner, hidden=False, fading=0)
        shots = faces(Aim(kind, range_, seen, through.added, limit))
        rows.append([sum(shot.hit for shot in shots), sum(shot.points for shot in shots)])
    return rows


def named(through: Through) -> str:
    """By what the page looks for a table."""
    return f"{through.factor} {through.plus} {through.added}"


class Sight(NamedTuple):
    """All that may lie between one side's weapons and their targets: factors and additions to the true range, what is
    added to the die by asteroids, and whether drones are shot at that are hard to hit (FD1.52).
    """

    ranges: tuple[tuple[int, int], ...] = ((1, 0),)
    added: tuple[int, ...] = (0,)
    small: bool = False

    def of(self, kind: str, scanner: int, limit: int | None) -> Json:
        """A weapon's chances: ``table`` where nothing lies between, ``tables`` for each way in which something may, by
        its name, and what is added to its die at drones (``small``).
        """
        small = drone_modifier(kind) if self.small else 0
        ways = {Through(*seen, more + less) for seen, more, less in product(self.ranges, self.added, {0, small})}
        found: Json = {"table": chances(kind, scanner, limit)}
        if small:
            found["small"] = small
        if ways != {PLAIN}:
            found["tables"] = {named(way): chances(kind, scanner, limit, way) for way in sorted(ways - {PLAIN})}
        return found


def sight(
    state: State, scenario: Scenario, request: Request, firers: Iterable[Ship], targets: Iterable[AnyUnit]
) -> Sight:
    """What may lie between these ships and these targets."""
    targets = list(targets)
    hiding = [veil for ship in targets if isinstance(ship, Ship) for veil in veils(state, scenario, request, ship)]
    ranges = {(1, 0), *((each[1], each[2]) for veil in hiding for each in veil["at"])}
    if any(is_blind(request, ship) for ship in firers):
        ranges |= {(max(factor, charts.sensors().no_lock_on), plus) for factor, plus in ranges}
    drones = any(isinstance(unit, Seeker) and unit.weapon == "drone" for unit in targets)
    fire = charts.asteroids().fire if state.asteroids else []
    return Sight(tuple(sorted(ranges)), (0, *sorted({each[1] for each in fire})), drones and scenario.drone_penalty)
