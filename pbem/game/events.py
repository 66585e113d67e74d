"""Everything that can happen, one type each. The log of these is the game: state, reports, replay and saves
read nothing else.

Each event says when (turn, impulse, step of the sequence of play) and by which rule. What only one side may know is a
:class:`Record` with ``only`` set to that side; what the others see instead is written beside it at the same time
(``shown``), so that no report ever has to hide anything.
"""

from __future__ import annotations

import msgspec

from pbem.game.event import Event as Event
from pbem.game.events_systems import (
    Attacked as Attacked,
    Boarded as Boarded,
    BoardingFought as BoardingFought,
    Captured as Captured,
    Collided as Collided,
    Learned as Learned,
    MethodFound as MethodFound,
    Mutinied as Mutinied,
    ProbeLaunched as ProbeLaunched,
    Released as Released,
    ShieldLowered as ShieldLowered,
    ShieldRaised as ShieldRaised,
    ShuttleLanded as ShuttleLanded,
    ShuttleLaunched as ShuttleLaunched,
    TakenOver as TakenOver,
    Towed as Towed,
    Tractored as Tractored,
    Transported as Transported,
    UnitDamaged as UnitDamaged,
)
from pbem.game.events_umpire import (
    ACTS as ACTS,
    Adjusted as Adjusted,
    Decided as Decided,
    HouseRuled as HouseRuled,
    OptionsRuled as OptionsRuled,
    Reran as Reran,
    Ruled as Ruled,
    Undone as Undone,
)
from pbem.game.options import Options
from pbem.game.state import AnyUnit, Bomb, Outcome, ProbeBox, Request, Seeker, Side, Weapon
from pbem.values.words import CloakState, Gone, StepName

# --- set-up and orders ---------------------------------------------------------------------------------------------


class GameStarted(Event, frozen=True, kw_only=True):
    """The scenario is set up; ``map`` is its first and last hex, ``asteroids`` the hexes with asteroids (P3.0).

    ``figures`` says what the figures of one's own replace that the game is played with (``ship rom_cadet_ca``),
    ``figures_hash`` is the hash of their files.
    """

    game: str
    scenario: str
    level: str
    impulses: int
    map: tuple[str, str]
    grid: str
    options: Options
    sides: tuple[Side, ...]
    asteroids: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    figures_hash: str = ""


class UnitPlaced(Event, frozen=True, kw_only=True):
    """A unit stands on the map: at the start of the scenario, or later as a reinforcement (scenario #8)."""

    unit: AnyUnit


class OrdersFiled(Event, frozen=True, kw_only=True):
    """A side's orders come into force (normal form); others see only that they did. ``sealed`` is their salted hash.

    ``continued`` orders are the ones in force before, unchanged (CONTINUE): what is flown and spent stays so.
    """

    side: str
    request: int
    form: str = ""
    sealed: str = ""
    text: str = ""
    continued: bool = False


class SegmentBegan(Event, frozen=True, kw_only=True):
    """A stretch of play with dice of its own: number, and the link of the committed chain it uses (by index).

    ``beacon`` is the value of a public beacon that went into its key, as ``ROUND:HEX``, in games that take one.
    Where play is repeated with the dice kept, ``kept`` are the earlier segments whose keys hold for the moments they
    covered (:class:`Reran`).
    """

    segment: int
    link: int
    beacon: str = ""
    kept: tuple[int, ...] = ()


class TurnBegan(Event, frozen=True, kw_only=True):
    """A new turn: reinforcement and unused energy are gone, weapons may fire again (B3.0, E1.5)."""


class Requested(Event, frozen=True, kw_only=True):
    """The engine asks for orders."""

    request: Request


class Stopped(Event, frozen=True, kw_only=True):
    """Play stops between steps; ``next_impulse`` and ``next_step`` are where it goes on."""

    next_impulse: int
    next_step: StepName


class Broke(Event, frozen=True, kw_only=True):
    """A side's break came true (secret: ``condition`` is the side's own line; others see only that the side broke)."""

    side: str
    condition: str = ""
    line: int = 0


class OrderTold(Event, frozen=True, kw_only=True):
    """What became of one order line, for its owner: ``acted``, ``did not act``, ``disarmed``, ``flown as F`` … and why.

    ``spent`` orders will not act again.
    """

    side: str
    unit: str
    line: int
    order: str
    result: str
    reason: str = ""
    spent: bool = False


class Chose(Event, frozen=True, kw_only=True):
    """What the engine chose for a side, as the order he could have given (defaults, sources, damage)."""

    side: str
    unit: str
    order: str
    reason: str = ""


# --- energy (B3.0) -------------------------------------------------------------------------------------------------


class EnergyAllotted(Event, frozen=True, kw_only=True):
    """A ship's energy form (secret, D4.1). Everything the form changes, as it stands afterwards.

    ``lines`` is the form in normal form; ``speed`` the hexes it pays for this turn.
    """

    unit: str
    lines: tuple[str, ...]
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float
    batteries: int
    general: int
    reinforcement: tuple[int, ...]
    repairing: dict[str, int] = {}
    unpaid: tuple[str, ...] = ()
    tactical: int = 0
    sublight: bool = False
    cloak: bool = False
    battery_part: str = ""
    move_warp: float = 0.0
    move_impulse: int = 0
    tractors: tuple[str, ...] = ()
    transporters: int = 0
    probes: dict[str, ProbeBox] = {}
    bombs: dict[str, Bomb] = {}


class SpeedAnnounced(Event, frozen=True, kw_only=True):
    """How fast a ship moves this turn (public once forms are in), and the warp maneuvers it paid for instead
    (C5.23). ``towing`` are the freighters in tow by which the speed is reckoned (G7.4); told anew when they change.
    """

    unit: str
    speed: int
    tactical: int = 0
    towing: int = 0


class RobotReadied(Event, frozen=True, kw_only=True):
    """A robot ship's turn begins: its speed, its weapons reloaded (robot rules 1, 6, 7)."""

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float


class Readied(Event, frozen=True, kw_only=True):
    """The Chief Engineer readies a ship that fills out no energy form (scenarios #1 to #3): its speed this turn, its
    weapons, its phaser energy. Secret.
    """

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float


class LockedOn(Event, frozen=True, kw_only=True):
    """Whether a ship's sensors lock on this turn (D6.11): the rating of its sensors, and the die where one is
    needed.
    """

    unit: str
    rating: int
    locked: bool
    roll: str = ""
    die: int = 0


# --- movement (C1-C5) ----------------------------------------------------------------------------------------------


class Turned(Event, frozen=True, kw_only=True):
    """A unit turns 60 degrees in its hex, just before it moves (C3.1). ``at`` is hex and new facing."""

    unit: str
    at: str


class Moved(Event, frozen=True, kw_only=True):
    """A unit enters a hex. ``code`` is F, L, R, SL or SR; ``plotted`` is true where it used up a code of the plot."""

    unit: str
    at: str
    code: str
    came_from: str
    plotted: bool = False
    since_turn: int = 0
    since_slip: int = 0


class Maneuvered(Event, frozen=True, kw_only=True):
    """A ship turns in its hex by a tactical maneuver, ``warp`` or ``sublight`` (C5.0). ``at`` is hex and new facing."""

    unit: str
    at: str
    kind: str


class Cloaked(Event, frozen=True, kw_only=True):
    """The cloaking device changes (G13.0): ``status`` is ``cloaked`` or ``uncloaked`` for the turn (Cadet),
    ``cloaking`` or ``uncloaking`` from this impulse on (graduate), or empty for a ship that has faded in.
    """

    unit: str
    status: CloakState


class Guided(Event, frozen=True, kw_only=True):
    """Which way a seeking weapon was told to go between equal hexes (F2.0); secret."""

    unit: str
    way: str


# --- weapons -------------------------------------------------------------------------------------------------------


class Launched(Event, frozen=True, kw_only=True):
    """A seeking weapon is placed on the map (F2.3). The shown form has no target where targets are secret."""

    unit: str
    weapon: str
    seeker: Seeker


class Fired(Event, frozen=True, kw_only=True):
    """One weapon fires (E1.1): true and effective range, die (``roll`` is its label), modifier, points scored.

    ``hit`` is false for a bolt or torpedo that missed. ``shield`` is the shield the line of fire crosses, 0 for
    units without.
    ``energy`` is where its energy came from: ``capacitor``, ``allotted`` or ``reserve``.
    """

    unit: str
    weapon: str
    kind: str
    target: str
    range: int
    effective: int
    roll: str
    die: int
    modifier: int = 0
    hit: bool = True
    points: int = 0
    shield: int = 0
    energy: str = ""


class Rolled(Event, frozen=True, kw_only=True):
    """A die that belongs to no other event: a robot's coin, a shield boundary."""

    unit: str
    roll: str
    die: int
    meaning: str


class Impact(Event, frozen=True, kw_only=True):
    """A seeking weapon explodes in its target's hex (F2.2)."""

    unit: str
    target: str
    shield: int
    points: int


class Struck(Event, frozen=True, kw_only=True):
    """Damage from outside the game (rule cases only)."""

    unit: str
    shield: int
    points: int


class Volley(Event, frozen=True, kw_only=True):
    """All damage on one shield in one step (D4.22), before reinforcement; ``sources`` by weight, heaviest first
    (D4.34).
    """

    unit: str
    shield: int
    points: int
    sources: tuple[str, ...] = ()


class ReserveSpent(Event, frozen=True, kw_only=True):
    """Battery power spent in the turn (H7.2): ``purpose`` is ``#1`` for a shield, the weapon it fired, ``tractor A`` or
    ``transporters``. Parts of a point, halves and fifths, occur with fractional accounting (B3.2). Secret.
    """

    unit: str
    points: int | float
    purpose: str


class Damaged(Event, frozen=True, kw_only=True):
    """Where a volley's points went (D3.34, D3.21): general, specific reinforcement, shield boxes, internals."""

    unit: str
    shield: int
    general: int = 0
    specific: int = 0
    boxes: int = 0
    internals: int = 0
    left: int = 0


class SeekerDamaged(Event, frozen=True, kw_only=True):
    """Points scored on a seeking weapon (FD1.54)."""

    unit: str
    points: int
    total: int


class InternalHit(Event, frozen=True, kw_only=True):
    """One internal damage point: its die and row where a chart is used, what it was scored on (``box``: ``PH
    2``, ``warp left``).

    ``number`` counts from 1 within the volley; ``category`` is the chart's word; ``result`` is ``destroyed``. Of a
    ``shuttle`` box the letter of the shuttle that was in it, where it is another than the last one's; only the owner is
    told (J2.222), others ``?`` if it was not an empty box that could have been hit instead (J1.4). ``used`` says that
    it is a box which had done its work for the turn: the letter of a beam let go, ``yes`` of a transporter (D4.223).
    """

    unit: str
    number: int
    box: str
    category: str
    roll: str = ""
    die: int = 0
    column: str = ""
    shuttle: str = ""
    used: str = ""


class Destroyed(Event, frozen=True, kw_only=True):
    """A unit is destroyed (D4.4, FD1.54)."""

    unit: str


class Removed(Event, frozen=True, kw_only=True):
    """A unit leaves the map without being destroyed: ``disengaged``, ``left the map``, ``removed`` …, and why."""

    unit: str
    how: Gone
    why: str


class Marked(Event, frozen=True, kw_only=True):
    """A scenario's own fact about a unit comes true (``crew rescued``)."""

    unit: str
    mark: str


class Repaired(Event, frozen=True, kw_only=True):
    """Shield boxes come back at the end of the turn (D9.2)."""

    unit: str
    shield: int
    boxes: int


# --- the end -------------------------------------------------------------------------------------------------------


class TurnEnded(Event, frozen=True, kw_only=True):
    """The turn is over."""


class Conceded(Event, frozen=True, kw_only=True):
    """A side gives the game up; its units leave it (CONCEDE)."""

    side: str


class GameEnded(Event, frozen=True, kw_only=True):
    """The scenario is over: what each side made of it."""

    outcome: tuple[Outcome, ...]


AnyEvent = (
    GameStarted | UnitPlaced | OrdersFiled | SegmentBegan | TurnBegan | Requested | Stopped | Broke | OrderTold | Chose
    | EnergyAllotted | SpeedAnnounced | RobotReadied | Readied | LockedOn | Turned | Moved | Maneuvered | Cloaked
    | Guided | Launched | Fired | Rolled |
    Impact | Struck
    | Volley | ReserveSpent | Damaged | SeekerDamaged | InternalHit | Destroyed | Removed | Marked | Repaired |
    TurnEnded
    | Conceded | GameEnded | Undone | Adjusted | Reran | Ruled | OptionsRuled | HouseRuled | Decided
    | Tractored | Released | Towed | ShieldLowered | ShieldRaised | Transported | BoardingFought | Captured
    | TakenOver | Mutinied
    | ShuttleLaunched | ShuttleLanded | Boarded | ProbeLaunched | Learned | MethodFound | Attacked | UnitDamaged
    | Collided
)  # fmt: skip


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the log. ``n`` counts from 1 over the whole game.

    ``only`` is the side that may know ``event`` (empty: everybody); ``shown`` is what the others see instead,
    if anything.
    """

    n: int
    event: AnyEvent
    only: str = ""
    shown: AnyEvent | None = None


UMPIRE = "umpire"
"""The reader who sees everything."""


def seen_by(record: Record, side: str) -> AnyEvent | None:
    """The form of a record that ``side`` may know, ``None`` if nothing. Spectators are the side ``""``."""
    if not record.only or side in (record.only, UMPIRE):
        return record.event
    return record.shown
