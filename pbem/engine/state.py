"""The state of a game, as immutable structs.

There are structs for units, sides, requests for orders and the game as a whole. A state is computed from the event log
by applying every record in turn (:mod:`pbem.engine.log`).

Hexes are four digits, column then row (``"1708"``); facings are ``A`` to ``F`` clockwise from the top of the map
(C1.2). A time is stored as a *moment*: the number of impulses since the start of the game, ``(turn - 1) * impulses +
impulse``. So a rule like the quarter turn (E1.5) is one subtraction, even across the end of a turn.
"""

# No `from __future__ import annotations` here: msgspec would have to parse each annotation at every start.

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import msgspec

from pbem.data.terms import (
    CloakState,
    FormKind,
    Fuse,
    Motion,
    MutinyState,
    PulseKind,
    Purpose,
    StepName,
    UnitFate,
    WeaponState,
)
from pbem.engine.options import Options

NO_HEXES: frozenset[str] = frozenset()

FULFILLED = 99
"""A number of hexes moved that satisfies every turn mode and slip mode (C3.43).

Ships start a scenario with it.
"""


class Position(msgspec.Struct, frozen=True, array_like=True):
    """The hex and facing of a unit from a certain time on, until the next position in its track.

    ``moment`` is the time when the unit took this position, in impulses since the start of the game.
    """

    moment: int
    hex: str
    facing: str


class Weapon(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One weapon box of a ship (E2.24): its kind and its state.

    Attributes:
        kind: The kind of weapon.
        working: Whether the box is not destroyed.
        charge: ``""`` (unarmed), ``"arming"`` (a photon torpedo after its first turn of arming, E4.21; for a plasma
            torpedo see ``armed_turns``), ``"rolling"`` (a plasma torpedo that took its rolling delay this turn,
            FP1.22), ``"armed"`` (may fire), ``"powered"`` (a disruptor that has its two points for this turn, E3.2).
        armed_turns: The number of turns of arming so far.
        fired: The time of the last shot or launch, in impulses since the start of the game; ``None`` before the first.
        shots: The number of shots in the turn of the last shot (a phaser-G may fire several per turn, E2.23).
        ammo: The number of drones left in a rack (FD1.1); 0 for other weapons.
        destroyed: The time at which an armed plasma tube was destroyed; its torpedo may still be launched for a while
            (FP1.7).
    """

    kind: str
    working: bool = True
    charge: WeaponState = WeaponState.NONE
    armed_turns: int = 0
    fired: int | None = None
    shots: int = 0
    ammo: int = 0
    destroyed: int | None = None


class Unit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """Base class of everything on the map: a name, an owner, a hex and a facing.

    Attributes:
        speed: The speed in hexes per turn.
        gone: Empty while the unit is in play, otherwise why it is out of play: ``destroyed``, ``disengaged``, ``left
            the map``, ``conceded``, ``removed`` (a seeking weapon that lost its target or its endurance), ``captured``,
            ``landed`` (a shuttle that came aboard a ship), ``friendly`` (a monster that was no threat), ``not yet
            there`` (a reinforcement).
        track: The last position of the previous turn, and the positions of this turn up to the present one, oldest
            first. Units that share a hex keep older positions at the end of a turn, because these show from where the
            units met (D3.42).
        towed: The times (impulses since the start of the game) in this turn at which a tractor beam moved the unit. In
            all other moves the unit moved by itself.
    """

    name: str
    side: str
    race: str
    hex: str
    facing: str
    speed: int = 0
    gone: UnitFate = UnitFate.IN_PLAY
    track: tuple[Position, ...] = ()
    towed: tuple[int, ...] = ()

    @property
    def at(self) -> str:
        """Hex and facing of the unit as text: ``1708C``."""
        return self.hex + self.facing

    @property
    def in_play(self) -> bool:
        """True if the unit is in play."""
        return not self.gone

    @property
    def is_left(self) -> bool:
        """True if the unit is in play, or will come into play later (scenario #8)."""
        return self.gone in (UnitFate.IN_PLAY, UnitFate.NOT_YET)

    def belongs_to(self, side: str) -> bool:
        """Return whether a side controls the unit now; the captor controls a captured ship (D7.0)."""
        return self.side == side

    @property
    def flown(self) -> tuple[Position, ...]:
        """The positions of the unit in its track to which it moved by itself, not by a tractor beam (G7.31C)."""
        return tuple(place for place in self.track if place.moment not in self.towed) if self.towed else self.track


class ProbeBox(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A probe launcher of a ship (G5.12, G5.2).

    Attributes:
        purpose: What the probe is being armed for: ``information``, ``weapon`` or nothing.
        turns: The number of turns in which the launcher got energy for this probe.
        left: The probes left in the launcher.
    """

    purpose: Purpose = Purpose.NONE
    turns: int = 0
    left: int = 0


class Bomb(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A shuttle aboard a ship that is being armed as a suicide shuttle (J2.221).

    Attributes:
        energy: The energy points paid in each turn so far.
        state: ``arming``, ``armed`` or ``unusable``.
    """

    energy: tuple[int, ...] = ()
    state: Fuse = Fuse.NONE


_NO_POINTS = tuple([0] * 6)
_NO_WARP = float("0")
"""Values that are equal to the defaults of :class:`Power`, but not the same objects.

msgspec leaves out a field only if its value is the default object itself. So with these values, state files contain the
two fields from the first turn on.
"""


class Power(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A ship's energy for the turn: what its energy form paid for, and what is left (B3.0).

    All fields are secret (D4.1). The event :class:`pbem.engine.events.EnergyAllotted` has the same fields.

    Attributes:
        lines: The lines of the energy form in standard spelling, for the owner's report.
        speed: The speed, in hexes per turn, that the form pays for if the ship tows nothing.
        capacitor: The energy in the phaser capacitor, in points (may include half a point, H6.0).
        batteries: The number of charged batteries (B3.0, line 5).
        general: Points of this turn's general reinforcement that are left (D3.34).
        reinforcement: Points of this turn's specific reinforcement that are left, one number for each shield.
        repairing: Points spent on repairs, by shield (``"#1"`` to ``"#6"``).
        unpaid: The items on lines 7, 8 and 11 of the form that got no energy.
        tactical: The number of warp tactical maneuvers paid for.
        sublight: Whether a sublight maneuver is paid for.
        cloak: Whether the cloaking device has energy.
        battery_part: The fraction of a point in one partly charged battery (B3.2).
        move_warp: Warp energy for movement, in points.
        move_impulse: Impulse energy for movement, in points.
        tractors: The letters of the tractor beams with energy.
        transporters: The number of transporters with energy.
        probes: The probe launchers by letter.
        bombs: The suicide shuttles among the shuttles aboard, by letter.
        powered: The powered systems of optional chapters of the handbook; reserved for such chapters.
    """

    lines: tuple[str, ...] = ()
    speed: int = 0
    capacitor: float = 0.0
    batteries: int = 0
    general: int = 0
    reinforcement: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
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
    powered: dict[str, int] = {}

    @property
    def stored(self) -> Fraction:
        """The energy in the ship's batteries in points, including a fraction of a point (B3.0, line 5, B3.2)."""
        return self.batteries + Fraction(self.battery_part or 0)

    def at_next_turn(self) -> "Power":
        """Return the energy that is left when the next turn begins.

        The result contains the energy of capacitor, batteries, probes and suicide shuttles.
        """
        return Power(
            capacitor=self.capacitor,
            batteries=self.batteries,
            battery_part=self.battery_part,
            reinforcement=_NO_POINTS,
            move_warp=_NO_WARP,
            probes=self.probes,
            bombs=self.bombs,
        )


class PeopleAboard(msgspec.Struct, frozen=True, kw_only=True):
    """The people aboard a ship, and who commands them (D7.0, G6.0).

    Attributes:
        parties: The number of boarding parties of the ship's own side aboard.
        boarders: The numbers of boarding parties of other sides aboard, by side.
        taken: The number of control stations that boarders hold (D7.0).
        captured_from: The side that lost the ship. The weapons of a captured ship cannot be fired.
        mutiny: The result of a mutiny, ``put down`` or ``staged`` (G6.2); empty if there was none.
        passengers: Crew units taken aboard (scenario #9).
    """

    parties: int = 0
    boarders: dict[str, int] = {}
    taken: int = 0
    captured_from: str = ""
    mutiny: MutinyState = MutinyState.NONE
    passengers: int = 0


class ShipTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Special rules that a scenario sets for one ship.

    Attributes:
        robot: Whether the ship is a robot ship, which has no energy form (scenario #4).
        immobile: Whether the ship does not move and gets no orders.
        untouchable: Whether nobody can fire at the ship.
        spared_by: Sides that cannot fire at the ship (scenario #8).
        invulnerable: Whether the ship takes no damage (scenario #1).
        disabled: The weapons of the ship that cannot be used (scenario #1).
    """

    robot: bool = False
    immobile: bool = False
    untouchable: bool = False
    spared_by: tuple[str, ...] = ()
    invulnerable: bool = False
    disabled: tuple[str, ...] = ()


class ThisTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The actions of a ship in this turn; all values are reset when the next turn begins.

    When orders for the next turn are checked, a new ``ThisTurn()`` must be used, not that of the turn before.

    Attributes:
        lock_on: Whether the sensors locked on this turn (D6.11).
        tacs: The impulses in which warp maneuvers were made (C5.0).
        sublight_used: The impulse in which the sublight maneuver was made (C5.0).
        beams_used: The tractor beams that took hold of a unit or released a unit this turn.
        transported: The number of transporters used this turn (G8.11).
    """

    lock_on: bool = True
    tacs: tuple[int, ...] = ()
    sublight_used: int | None = None
    beams_used: tuple[str, ...] = ()
    transported: int = 0


class Cloaking(msgspec.Struct, frozen=True, kw_only=True):
    """The cloaking device of a ship (G13.0).

    Attributes:
        state: The present state of the device (:mod:`pbem.rules.sensors`).
        since: The time from which the device has this state, in impulses since the start of the game.
        exposed: The time at which asteroids last damaged the ship, in impulses since the start of the game. For a while
            after such damage the cloak has no benefits (P3.0).
    """

    state: CloakState = CloakState.OFF
    since: int = 0
    exposed: int | None = None


class Ship(Unit, frozen=True, kw_only=True, tag="ship"):
    """A starship and its SSD (ship system display, the printed sheet with its boxes).

    The SSD is public (D4.1); the part ``power`` is secret. Files have the fields of all parts in one flat list
    (:mod:`pbem.engine.on_file`). A moment is a time in impulses since the start of the game.

    Attributes:
        ship: The key of the ship class.
        class_name: The abbreviated race and class (``KLIN D6``).
        prior_speed: The speed in the previous turn.
        since_turn: Hexes moved since the last turn of 60 degrees, for the turn mode (C3.4).
        since_slip: Hexes moved since the last sideslip, for the slip mode (C4.1).
        shields: The boxes left on shields #1 to #6 (D3.1).
        boxes: The numbers of undestroyed boxes, by system (``"warp left"``, ``"hull"``, ``"battery"`` …).
        weapons: The weapon boxes by name (``"PH 1"``, ``"PHOT A"``, ``"DISR B"``, ``"DRONE 1"``).
        internals: The points of internal damage taken so far.
        marks: Facts about the ship that the scenario defines and that have become true, such as ``crew rescued``.
        released: The moment at which each tractor beam last released a unit (G7.13).
        lowered: The moment at which each lowered shield (``"#3"``) or the general reinforcement (``"general"``) was
            lowered (G8.22).
        hangar: The letters of the shuttles aboard.
        bay_used: The moment of the last launch or recovery of a shuttle (J1.5).
        towing: The number of freighters in tow for which the present speed was computed (G7.4).
        own: Numbers that optional chapters of the handbook store for the ship, by name; reserved for such chapters.
        power: The ship's energy, which is secret.
        people: The people aboard.
        terms: The special rules of the scenario for the ship.
        this_turn: What the ship did in this turn.
        cloaking: The state of the cloaking device.
    """

    ship: str
    class_name: str = ""
    prior_speed: int = 0
    since_turn: int = FULFILLED
    since_slip: int = FULFILLED
    shields: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    boxes: dict[str, int] = {}
    weapons: dict[str, Weapon] = {}
    internals: int = 0
    marks: tuple[str, ...] = ()
    released: dict[str, int] = {}
    lowered: dict[str, int] = {}
    hangar: tuple[str, ...] = ()
    bay_used: int | None = None
    towing: int = 0
    own: dict[str, tuple[int, ...]] = {}
    power: Power = Power()
    people: PeopleAboard = PeopleAboard()
    terms: ShipTerms = ShipTerms()
    this_turn: ThisTurn = ThisTurn()
    cloaking: Cloaking = Cloaking()

    @property
    def obeys(self) -> bool:
        """True if the ship carries out orders.

        Wrecks (ships that the scenario lets neither move nor fire) carry out no orders. Ships in mutiny do not
        either (G6.32), unless boarders captured the ship from the mutineers (D7.0, step 6).
        """
        return not self.terms.immobile and (self.people.mutiny != MutinyState.STAGED or self.is_prize)

    @property
    def is_prize(self) -> bool:
        """True if the ship is captured and belongs to its captor; then its weapons cannot be fired (D7.0)."""
        return bool(self.people.captured_from)

    def was_lost_by(self, side: str) -> bool:
        """Return whether boarders captured the ship from the given side, and it is still captured (D7.0)."""
        return self.people.captured_from == side

    @property
    def lost_by(self) -> str:
        """The side that owned the ship before it was captured (D7.0).

        For a ship that is not captured, the present owner is returned.
        """
        return self.people.captured_from or self.side


class Seeker(Unit, frozen=True, kw_only=True, tag="seeker"):
    """A seeking weapon (drone or plasma torpedo) on the map (F1.0).

    A moment is a time in impulses since the start of the game.

    Attributes:
        weapon: The type of weapon, ``drone`` or ``plasma``.
        target: The name of the target; ``""`` in a state for a reader who may not know the target.
        launcher: The ship that guides the weapon.
        launched: The moment of launch.
        endurance: The weapon is removed at the end of this moment (FD1.4); 0 means never.
        came_from: The hex from which the weapon approaches (D3.4).
        straight: Hexes moved since the last turn of 60 degrees (turn mode 1, F2.0).
        damage: The damage points that the weapon has taken (FD1.54).
        toughness: The points of damage that destroy the weapon.
        warhead: The damage points that the weapon would score if it hit now; a plasma torpedo weakens as it flies
            (FP1.5).
        travelled: The number of hexes flown, which weakens a plasma torpedo (FP1.5).
        launched_in: The hex in which the weapon was launched.
        motion: ``homing``, or ``straight`` for a weapon that never turns (scenario #1).
        torpedo: The kind of plasma torpedo; empty for drones.
    """

    weapon: str
    target: str
    launcher: str
    launched: int
    endurance: int
    came_from: str
    straight: int = 0
    damage: int = 0
    toughness: int = 0
    warhead: int = 0
    travelled: int = 0
    launched_in: str = ""
    motion: Motion = Motion.HOMING
    torpedo: str = ""


class Shuttle(Unit, frozen=True, kw_only=True, tag="shuttle"):
    """An administrative shuttle on the map (J1.0). It has no SSD; its damage is counted in points (J1.32).

    A moment is a time in impulses since the start of the game.

    Attributes:
        launcher: The ship that launched the shuttle.
        launched: The moment of launch.
        letter: The letter of the shuttle box from which the shuttle was launched.
        came_from: The hex in which the shuttle was before its last move.
        straight: Hexes moved since the last turn of 60 degrees (turn mode 1, J1.23).
        fired: The moment of the phaser's last shot (J2.213); ``None`` for never.
        crew: The crew units aboard (J2.211).
        parties: The boarding parties aboard (J2.211).
        landed: The planet on which the shuttle has landed (P2.0); empty if it is not on a planet.
        target: The target of a suicide shuttle; secret until the shuttle strikes (J2.222).
        bomb: The damage points of a suicide shuttle's bomb; secret until the shuttle strikes (J2.222).
    """

    launcher: str
    launched: int
    letter: str = ""
    came_from: str = ""
    straight: int = 0
    prior_speed: int = 0
    damage: int = 0
    fired: int | None = None
    crew: int = 0
    parties: int = 0
    landed: str = ""
    target: str = ""
    bomb: int = 0


class Monster(Unit, frozen=True, kw_only=True, tag="monster"):
    """A monster (scenario #11), i.e. a unit that no player moves.

    Attributes:
        monster: The monster's key in the chart of monsters.
        goal: The planet that the monster attacks.
        straight: Hexes moved since the monster's last turn of 60 degrees.
        damage: The points of damage the monster has taken.
        attacked_by: The unit that last damaged the monster.
        information: The information points gathered about the monster.
        needed: The information points needed for the next die roll.
        method: The result of the die roll that decides how the monster can be defeated; 0 before that roll.
    """

    monster: str
    goal: str = ""
    straight: int = 0
    damage: int = 0
    attacked_by: str = ""
    information: int = 0
    needed: int = 0
    method: int = 0


class Planet(Unit, frozen=True, kw_only=True, tag="planet"):
    """A planet, which belongs to no side, in one hex or several (P2.0).

    Attributes:
        hexes: The hexes that the planet occupies.
        damage: The damage points that the planet has taken (scenario #11).
        crew: The number of crew units that wait on the planet (scenario #9).
    """

    hexes: tuple[str, ...] = ()
    damage: int = 0
    crew: int = 0


AnyUnit = Ship | Seeker | Shuttle | Monster | Planet

Commanded = Ship | Shuttle
"""Type of the units that receive orders of their own: ships and shuttles."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A tractor link: a ship holds another unit with a tractor beam (G7.3).

    Attributes:
        ship: The ship that holds the other unit.
        beam: The letter of the ship's tractor beam.
        target: The other unit, which is held.
        since: The time when the link began, in impulses since the start of the game.
    """

    ship: str
    beam: str
    target: str
    since: int


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request to one or more sides for new orders.

    Attributes:
        number: The number of the request within its turn, from 1. It is shown in the sitrep, the draft, the header
            (``REPLY n``) and the file name.
        form: ``EAF`` (energy form), ``SOP`` (orders) or ``FULL`` (both in one).
        sides: The sides that must answer.
        turn: The turn in which the orders begin.
        impulse: The impulse with which the orders begin; 0 is energy allocation.
        through: The last impulse that the orders must cover.
        reason: The reason why play stopped; all sides may read it.
    """

    number: int
    turn: int
    impulse: int
    form: FormKind
    sides: tuple[str, ...]
    through: int
    reason: str = ""

    def asks(self, side: str) -> bool:
        """Return whether the given side must answer this request."""
        return side in self.sides


class StandingOrders(msgspec.Struct, frozen=True, kw_only=True):
    """The orders in force of one side: its last accepted order file, and which orders were carried out.

    Attributes:
        text: The orders in normal form (standard spelling).
        request: The number of the request that these orders answered.
        flown: The number of movement codes of the plot already flown, by unit.
        spent: Line numbers (in ``text``) of orders that will not act again.
        acted: Line numbers of spent orders that were carried out, in the order in which they acted.
    """

    text: str
    request: int
    flown: dict[str, int] = {}
    spent: tuple[int, ...] = ()
    acted: tuple[int, ...] = ()


class Pulse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A recent shot, launch or damage, about which conditions of orders can ask for about one impulse.

    Attributes:
        moment: The time of the pulse, in impulses since the start of the game.
        step: The step of the impulse in which the pulse happened.
        what: ``fired``, ``launched`` or ``damaged``.
        unit: The unit that fired, launched or was damaged.
        weapon: The weapon that fired or launched.
        kind: The type of that weapon, or of the launched unit.
        shield: The shield that was damaged.
        boxes: The shield boxes lost.
        internals: The points of internal damage.
    """

    moment: int
    step: StepName
    what: PulseKind
    unit: str
    weapon: str = ""
    kind: str = ""
    shield: int = 0
    boxes: int = 0
    internals: int = 0


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of the game.

    ``team`` is shared by allies, ``player`` is the player's name, and ``robot`` says whether a computer player
    plays the side.
    """

    name: str
    team: str
    player: str = ""
    robot: bool = False


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the game for one side.

    ``result`` is the result as the scenario names it (``decisive victory``), ``why`` the reason for it.
    """

    side: str
    result: str
    why: str


class UnitsInPlay:
    """The units in play, in groups: ships, seeking weapons, shuttles and monsters.

    Each group is sorted by name.
    """

    def __init__(self, units: tuple[AnyUnit, ...]) -> None:
        self.units = units
        ships: list[Ship] = []
        seekers: list[Seeker] = []
        shuttles: list[Shuttle] = []
        monsters: list[Monster] = []
        for unit in units:
            match unit:
                case Ship():
                    ships.append(unit)
                case Seeker():
                    seekers.append(unit)
                case Shuttle():
                    shuttles.append(unit)
                case Monster():
                    monsters.append(unit)
        self.ships, self.seekers = tuple(ships), tuple(seekers)
        self.shuttles, self.monsters = tuple(shuttles), tuple(monsters)

    @cached_property
    def by_hex(self) -> dict[str, list[AnyUnit]]:
        """A dict of hex to the units in it, for every hex that contains a unit."""
        found: dict[str, list[AnyUnit]] = {}
        for unit in self.units:
            found.setdefault(unit.hex, []).append(unit)
        return found


class State(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The complete state of a game.

    Attributes:
        format: Version of the format of the state file.
        game: Name of the game.
        scenario: Key of the scenario.
        level: ``cadet`` or ``standard``.
        impulses: Impulses in a turn.
        map: The first and the last hex of the map.
        grid: ``even`` or ``odd``: the columns that are half a hex lower.
        options: The options of the game.
        sides: The sides by name.
        records: The number of log records applied so far, so that a state file can be checked against its log.
        segment: The number of dice segments ever begun; never reset, not even by an undo. A segment is the play between
            two requests, and has a dice key of its own.
        turn: The present turn.
        impulse: The impulse of the next step; 0 is energy allocation.
        step: The next step to play.
        units: All units by name, including those out of play.
        serials: The number of small units named so far, by the prefix of their names (``KD``), so that no name is used
            twice.
        standing: The orders in force, by side.
        recent: The shots, launches and damage since about one impulse ago; conditions may ask about them.
        links: The tractor links.
        asteroids: The hexes with asteroids.
        worlds: The names of the planets.
        request: The open request for orders; ``None`` if no orders are needed now.
        last_request: The last request made, whether it is open or answered.
        outcome: The result of each side, if the game is over.
        over: Whether the game is over.
    """

    format: int = 1
    game: str = ""
    scenario: str = ""
    level: str = "cadet"
    impulses: int = 16
    map: tuple[str, str] = ("0101", "2817")
    grid: str = "even"
    options: Options = Options()
    sides: dict[str, Side] = {}
    records: int = 0
    segment: int = 0
    turn: int = 0
    impulse: int = 0
    step: StepName = StepName.NONE
    units: dict[str, AnyUnit] = {}
    serials: dict[str, int] = {}
    standing: dict[str, StandingOrders] = {}
    recent: tuple[Pulse, ...] = ()
    links: tuple[Link, ...] = ()
    asteroids: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    request: Request | None = None
    last_request: Request | None = None
    outcome: tuple[Outcome, ...] = ()
    over: bool = False

    @property
    def moment(self) -> int:
        """The present time in impulses since the start of the game (impulse 0 of turn 1)."""
        return (self.turn - 1) * self.impulses + self.impulse

    @property
    def stands(self) -> tuple[int, int]:
        """Turn and impulse of the open request for orders.

        If no request is open, the turn and impulse at which play stopped. In a game that is over, the turn may not have
        been played, because the umpire may end a game that waits for the orders of a new turn.
        """
        if self.request is not None:
            return self.request.turn, self.request.impulse
        last = self.last_request
        return max((self.turn, self.impulse), (last.turn, last.impulse) if last is not None else (0, 0))

    @cached_property
    def _muster(self) -> UnitsInPlay:
        """The units in play, grouped by type; computed only once, because a state never changes."""
        units = self.units
        return UnitsInPlay(tuple([unit for name in sorted(units) if not (unit := units[name]).gone]))

    def recall(self, before: "State") -> None:
        """Copy the cached groups of units from ``before``, the previous state, if no unit has changed since.

        Copying only saves time and changes no result.
        """
        if self.units is before.units and "_muster" in before.__dict__:
            self.__dict__["_muster"] = before._muster

    def ships(self) -> tuple[Ship, ...]:
        """Return the ships in play, by name."""
        return self._muster.ships

    def seekers(self) -> tuple[Seeker, ...]:
        """Return the seeking weapons in play, by name."""
        return self._muster.seekers

    def shuttles(self) -> tuple[Shuttle, ...]:
        """Return the shuttles on the map, by name."""
        return self._muster.shuttles

    def monsters(self) -> tuple[Monster, ...]:
        """Return the monsters in play, by name."""
        return self._muster.monsters

    @property
    def planets(self) -> frozenset[str]:
        """The hexes of all planets in play (P2.0)."""
        if not self.worlds:
            return NO_HEXES
        found = (self.units[name] for name in self.worlds)
        return frozenset(hex for u in found if isinstance(u, Planet) and u.in_play for hex in u.hexes)

    def holders(self, name: str) -> list[Link]:
        """Return the tractor links by which ships hold the unit ``name`` (G7.3)."""
        return [link for link in self.links if link.target == name]

    def tug(self, name: str) -> str:
        """Return the name of the ship whose movement carries a unit along by tractor beam.

        The ship holds the unit directly or through other ships, and is not held itself. If the unit is not held, its
        own name is returned.
        """
        seen: list[str] = [name]
        while (holders := self.holders(seen[-1])) and holders[0].ship not in seen:
            seen.append(holders[0].ship)
        return seen[-1]

    def pace(self, unit: AnyUnit) -> int:
        """Return the speed at which a unit actually moves, in hexes per turn.

        A unit in tow has the speed of the ship that tows it (G7.31C).
        """
        by = self.tug(unit.name)
        return unit.speed if by == unit.name else self.units[by].speed

    def held_by(self, ship: str) -> list[Link]:
        """Return the tractor links with which a ship holds other units, sorted by beam letter.

        A link connects a beam with the unit that it holds.
        """
        return sorted((link for link in self.links if link.ship == ship), key=lambda link: link.beam)

    def in_hex(self, hex: str) -> Sequence[AnyUnit]:
        """Return the units in play in a hex, sorted by name."""
        return self._muster.by_hex.get(hex, ())

    def in_play(self) -> tuple[AnyUnit, ...]:
        """Return all units in play, sorted by name."""
        return self._muster.units

    def team_of(self, side: str) -> str:
        """Return the name of a side's team; for an unknown side, the name of the side."""
        found = self.sides.get(side)
        return found.team if found else side

    def enemies(self, side: str, other: str) -> bool:
        """Return whether two sides belong to different teams.

        ENEMY in orders means every side of another team. The result is false if ``other`` is empty.
        """
        return bool(other) and self.team_of(side) != self.team_of(other)

    def result_of(self, side: str) -> str:
        """Return the result of a side in a game that is over; empty if there is no result for the side."""
        return next((outcome.result for outcome in self.outcome if outcome.side == side), "")
