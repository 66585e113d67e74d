"""Events of the ships' systems: tractors, transporters, boarding, shuttles, probes, labs, and of monsters and terrain.

They are part of the one log: read them as ``pbem.game.events``.
"""

from __future__ import annotations

from pbem.game.event import Event
from pbem.game.state import Bomb, ProbeBox, Shuttle, Weapon
from pbem.values.words import Purpose


class Tractored(Event, frozen=True, kw_only=True):
    """A tractor beam takes hold of something (G7.3)."""

    unit: str
    beam: str
    target: str


class Released(Event, frozen=True, kw_only=True):
    """A tractor link ends, and why: let go, not paid for, its beam destroyed, broken by a second beam (G7.33, G7.4)."""

    unit: str
    beam: str
    target: str
    why: str


class Towed(Event, frozen=True, kw_only=True):
    """A held unit keeps a parallel course with the ship that holds it (G7.31C). ``at`` is hex and facing."""

    unit: str
    at: str
    by: str
    came_from: str


class ShieldLowered(Event, frozen=True, kw_only=True):
    """A shield is lowered of one's own will, or (``shield`` 0) the general reinforcement (G8.22, G8.23)."""

    unit: str
    shield: int


class ShieldRaised(Event, frozen=True, kw_only=True):
    """A lowered shield is up again, a quarter turn later (G8.22); 0 is the general reinforcement."""

    unit: str
    shield: int


class Transported(Event, frozen=True, kw_only=True):
    """A ship uses ``transporters`` to move ``count`` of ``what`` (``BP``, ``CREW``) to or from ``target`` (G8.1).

    ``failed`` says why nothing was moved: the transporters count as used all the same (G8.21, G8.23).
    """

    unit: str
    target: str
    count: int
    what: str
    way: str
    transporters: int
    failed: str = ""


class BoardingFought(Event, frozen=True, kw_only=True):
    """A round of boarding party combat aboard a ship (D7.0): the dice of both sides by group, the casualty points, and
    what is left. ``taken`` of ``stations`` control stations are the raiders'.
    """

    unit: str
    rolls: tuple[str, ...]
    holders_dice: tuple[int, ...]
    raiders_dice: tuple[int, ...]
    by_holders: int
    by_raiders: int
    holders: int
    boarders: dict[str, int]
    taken: int
    stations: int


class Captured(Event, frozen=True, kw_only=True):
    """A ship is captured (D7.0): ``side`` commands it from now on, with ``parties`` aboard. ``boarders`` are parties
    of the loser's that still fight there.
    """

    unit: str
    side: str
    was: str
    parties: int
    boarders: dict[str, int] = {}


class TakenOver(Event, frozen=True, kw_only=True):
    """What a captor finds aboard a ship he has taken (D7.0): what of it was its owner's secret (D4.1). He alone knows.

    ``unpaid`` to ``bombs`` are as on the energy form (:class:`pbem.game.events.EnergyAllotted`); ``hangar`` are the
    letters of the shuttles aboard, if there are any.
    """

    unit: str
    weapons: dict[str, Weapon]
    capacitor: float
    batteries: int
    battery_part: str = ""
    repairing: dict[str, int] = {}
    unpaid: tuple[str, ...] = ()
    probes: dict[str, ProbeBox] = {}
    bombs: dict[str, Bomb] = {}
    hangar: tuple[str, ...] | None = None


class Mutinied(Event, frozen=True, kw_only=True):
    """A die for mutiny on a ship whose security stations are gone (G6.2): ``result`` is ``none``, ``put down`` or
    ``staged``; ``second`` is the die that decides once it has broken out.
    """

    unit: str
    roll: str
    die: int
    result: str
    second_roll: str = ""
    second: int = 0


class ShuttleLaunched(Event, frozen=True, kw_only=True):
    """A shuttle leaves its bay (J1.5). Whether it is a suicide shuttle is not shown (J2.222)."""

    unit: str
    letter: str
    shuttle: Shuttle


class ShuttleLanded(Event, frozen=True, kw_only=True):
    """A shuttle lands on a planet, lands aboard a ship or is pulled aboard by a beam (P2.0, J1.61, J1.62).

    ``letter`` is the box it takes aboard; people it carries go aboard with it.
    """

    unit: str
    on: str
    how: str
    letter: str = ""


class Boarded(Event, frozen=True, kw_only=True):
    """People go aboard a shuttle on a planet, or leave it (J2.211): crew units, positive for going aboard."""

    unit: str
    planet: str
    crew: int


class ProbeLaunched(Event, frozen=True, kw_only=True):
    """A probe is launched (G5.0): ``purpose`` is ``information`` or ``weapon``."""

    unit: str
    probe: str
    target: str
    purpose: Purpose
    information: int = 0


class Learned(Event, frozen=True, kw_only=True):
    """What a ship's labs and shuttles find out about a monster in a turn (G4.1): closest effective range, labs, die."""

    unit: str
    target: str
    range: int
    labs: int
    roll: str
    die: int
    points: int
    total: int


class MethodFound(Event, frozen=True, kw_only=True):
    """Enough is known: the die tells how the monster can be dealt with (scenario #11)."""

    unit: str
    roll: str
    die: int
    method: str
    needed: int = 0


class Attacked(Event, frozen=True, kw_only=True):
    """A monster attacks a ship, or the planet it is after (scenario #11)."""

    unit: str
    target: str
    roll: str
    die: int
    points: int
    shield: int = 0


class UnitDamaged(Event, frozen=True, kw_only=True):
    """Points scored on a unit without an SSD that is no seeking weapon: a shuttle (J1.32), a monster, a planet."""

    unit: str
    points: int
    total: int
    by: str = ""


class Collided(Event, frozen=True, kw_only=True):
    """A unit enters a hex of asteroids: the die, and the points it suffers (P3.0)."""

    unit: str
    hex: str
    roll: str
    die: int
    points: int
