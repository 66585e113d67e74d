"""The state of a game, as frozen values. It is nothing but the fold of the event log (:mod:`pbem.engine.log`).

Hexes are four digits, column then row (``"1708"``); facings are ``A`` to ``F`` clockwise from the top of the
map (C1.2).
Times are *moments*: impulses counted from the start of the game, ``(turn - 1) * impulses + impulse``, so that rules
like the quarter turn (E1.5) are one subtraction across a turn's end.
"""

# Annotations are not put off: msgspec would read each of them from its text, whenever a command begins.

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import msgspec

from pbem.data.terms import (
    CloakState,
    FormKind,
    Fuse,
    Gone,
    Motion,
    MutinyState,
    PulseKind,
    Purpose,
    StepName,
    WeaponState,
)
from pbem.engine.options import Options

NO_HEXES: frozenset[str] = frozenset()

FULFILLED = 99
"""A turn-mode or slip-mode count that satisfies every mode: how a ship starts a scenario (C3.43)."""


class Position(msgspec.Struct, frozen=True, array_like=True):
    """Where a unit stood from ``moment`` on."""

    moment: int
    hex: str
    facing: str


class Weapon(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One weapon box of a ship (E2.24): what it is and what it is ready for.

    ``charge`` is ``""`` (nothing), ``"arming"`` (a photon after its first turn, E4.21; a plasma counts in
    ``armed_turns``), ``"rolling"`` (a plasma torpedo that took its rolling delay this turn, FP1.22),
    ``"armed"`` (may fire), ``"powered"`` (a disruptor with its two points for this turn, E3.2).
    ``fired`` is the moment of the last shot or launch, ``None`` before the first, ``shots`` how many it fired in that
    turn (a phaser-G fires several, E2.23). ``ammo`` counts drones left in a rack
    (FD1.1), else 0. ``destroyed`` is the moment at which an armed plasma tube was destroyed: its torpedo may still be
    launched for a while (FP1.7).
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
    """Whatever stands on the map: a name, an owner, a hex and a facing.

    ``gone`` is empty while the unit is in play, else why it left: ``destroyed``, ``disengaged``, ``left the map``,
    ``conceded``,
    ``removed`` (a seeking weapon that lost its target or its endurance), ``captured``, ``landed`` (a shuttle back on
    board), ``friendly`` (a monster that was no threat), ``not yet there`` (a reinforcement).
    ``track`` holds the positions of this turn and the last of the turn before, oldest first; the last is the present.
    Units that share a hex keep theirs over the turn's end, since it tells how they met (D3.42).
    ``towed`` are the moments of this turn in which a beam took the unit along: its own movement is the rest.
    """

    name: str
    side: str
    race: str
    hex: str
    facing: str
    speed: int = 0
    gone: Gone = Gone.IN_PLAY
    track: tuple[Position, ...] = ()
    towed: tuple[int, ...] = ()

    @property
    def at(self) -> str:
        """Hex and facing in the field's form: ``1708C``."""
        return self.hex + self.facing

    @property
    def in_play(self) -> bool:
        return not self.gone

    @property
    def flown(self) -> tuple[Position, ...]:
        """The track without where beams took the unit (G7.31C)."""
        return tuple(place for place in self.track if place.moment not in self.towed) if self.towed else self.track


class ProbeBox(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A probe launcher: what it is being armed for (``information``, ``weapon`` or nothing), the turns of energy it
    holds, and the probes left in it (G5.12, G5.2).
    """

    purpose: Purpose = Purpose.NONE
    turns: int = 0
    left: int = 0


class Bomb(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A shuttle being made a suicide shuttle: the energy of each turn so far, and ``arming``, ``armed`` or
    ``unusable`` (J2.221).
    """

    energy: tuple[int, ...] = ()
    state: Fuse = Fuse.NONE


class Ship(Unit, frozen=True, kw_only=True, tag="ship"):
    """A starship and its SSD. The SSD is public (D4.1); charges, capacitor, batteries and reinforcement are not.

    ``shields`` are the boxes left on #1 to #6 (D3.1); ``boxes`` the undestroyed boxes by system (``"warp
    left"``, ``"hull"``,
    ``"battery"`` …); ``weapons`` the weapon boxes by name (``"PH 1"``, ``"PHOT A"``, ``"DISR B"``, ``"DRONE 1"``).
    ``since_turn`` and ``since_slip`` count hexes for turn mode (C3.4) and slip mode (C4.1).
    ``capacitor`` is phaser energy in points (halves occur, H6.0); ``batteries`` the charged batteries (B3.0, line 5).
    ``reinforcement`` is what is left of this turn's specific reinforcement by shield, ``general`` of the
    general one (D3.34).
    ``allotted`` is this turn's energy form in normal form, line by line, for its owner's report.
    ``robot`` ships fill out no form (scenario #4). The sides in ``spared_by`` cannot fire at the ship (scenario #8).
    ``invulnerable`` ships take no damage, ``disabled`` weapons
    cannot be used (scenario #1).

    ``lock_on`` says whether the sensors locked on this turn (D6.11), ``unpaid`` which of lines 7, 8 and 11 got
    no energy.
    ``tactical`` warp and ``sublight`` maneuvers are paid for; ``tacs`` and ``sublight_used`` are the impulses
    in which they
    were made (C5.0). ``cloak`` is the state of the device since the moment ``cloak_since``
    (:mod:`pbem.rules.sensors`), ``cloak_paid``
    whether it has energy this turn. ``exposed`` is the moment at which asteroids last damaged the ship, which costs it
    the benefits of a cloak (P3.0).

    ``tractors`` are the beams with energy this turn and ``beams_used`` those that took hold of something or let it go,
    ``released`` the moment each was last let go (G7.13). ``transporters`` have energy, ``transported`` of them were
    used this turn (G8.11). ``lowered`` says since when a shield (``"#3"``) or the general reinforcement
    (``"general"``) is lowered
    (G8.22). ``hangar`` are the shuttles aboard by letter, ``bay_used`` the moment of the last launch or recovery
    (J1.5), ``bombs`` the suicide shuttles among them, ``probes`` the launchers. ``move_warp`` and ``move_impulse`` are
    this turn's energy for movement, ``paid_speed`` the speed it makes alone, and ``towing`` the freighters in tow by
    which the present speed is reckoned (G7.4). ``battery_part`` is what another battery holds
    of a point (B3.2).

    ``parties`` are the boarding parties of its side aboard, ``boarders`` those of others by side, ``taken`` the
    control stations these hold (D7.0). ``captured_from`` is the side that lost the ship: its weapons cannot be fired.
    ``mutiny`` is ``put down`` or ``staged`` (G6.2). ``passengers`` are crew units taken aboard (scenario #9).
    ``powered`` is what of the chapters in folders of their own has energy this turn, ``own`` the numbers they
    keep of the ship by names of theirs.
    """

    ship: str
    class_name: str = ""
    prior_speed: int = 0
    since_turn: int = FULFILLED
    since_slip: int = FULFILLED
    shields: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    boxes: dict[str, int] = {}
    weapons: dict[str, Weapon] = {}
    capacitor: float = 0.0
    batteries: int = 0
    reinforcement: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    general: int = 0
    repairing: dict[str, int] = {}
    allotted: tuple[str, ...] = ()
    robot: bool = False
    immobile: bool = False
    untouchable: bool = False
    spared_by: tuple[str, ...] = ()
    invulnerable: bool = False
    disabled: tuple[str, ...] = ()
    internals: int = 0
    marks: tuple[str, ...] = ()
    lock_on: bool = True
    unpaid: tuple[str, ...] = ()
    tactical: int = 0
    sublight: bool = False
    tacs: tuple[int, ...] = ()
    sublight_used: int | None = None
    cloak: CloakState = CloakState.OFF
    cloak_since: int = 0
    cloak_paid: bool = False
    exposed: int | None = None
    tractors: tuple[str, ...] = ()
    beams_used: tuple[str, ...] = ()
    released: dict[str, int] = {}
    transporters: int = 0
    transported: int = 0
    lowered: dict[str, int] = {}
    hangar: tuple[str, ...] = ()
    bay_used: int | None = None
    bombs: dict[str, Bomb] = {}
    probes: dict[str, ProbeBox] = {}
    move_warp: float = 0.0
    move_impulse: int = 0
    paid_speed: int = 0
    towing: int = 0
    battery_part: str = ""
    parties: int = 0
    boarders: dict[str, int] = {}
    taken: int = 0
    captured_from: str = ""
    mutiny: MutinyState = MutinyState.NONE
    passengers: int = 0
    powered: dict[str, int] = {}
    own: dict[str, tuple[int, ...]] = {}

    @property
    def stored(self) -> Fraction:
        """What its batteries hold, parts of a point included (B3.0, line 5, B3.2)."""
        return self.batteries + Fraction(self.battery_part or 0)

    @property
    def obeys(self) -> bool:
        """Whether it does anything it is told: not a wreck, nor a ship in the hands of its mutineers (G6.32), unless
        boarders took it from them and sail it (D7.0, step 6).
        """
        return not self.immobile and (self.mutiny != MutinyState.STAGED or bool(self.captured_from))

    @property
    def lost_by(self) -> str:
        """The side it belongs to by rights: the one that lost a captured ship, else its own (D7.0)."""
        return self.captured_from or self.side


class Seeker(Unit, frozen=True, kw_only=True, tag="seeker"):
    """A seeking weapon on the map (F1.0); ``weapon`` says which kind (``drone``, ``plasma``), ``torpedo``
    which kind of plasma torpedo; the ``warhead`` of one is what it would score now (FP1.5).

    ``target`` is ``""`` where the reader may not know it. ``launcher`` is the ship that guides it, ``launched``
    the moment
    of launch, ``endurance`` the moment at whose end it is removed (FD1.4; 0: never), ``came_from`` the hex it
    approaches from (D3.4),
    ``travelled`` are the hexes flown, by which a plasma torpedo weakens (FP1.5), ``launched_in`` the hex it was
    launched in;
    ``motion`` is ``homing``, or ``straight`` for one that never turns (scenario #1).
    ``straight`` the hexes moved since its last turn (turn mode 1, F2.0), ``damage`` the points it has taken (FD1.54).
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
    """An administrative shuttle on the map (J1.0). It has no SSD: ``damage`` is counted (J1.32).

    ``launcher`` is the ship it came from, ``launched`` the moment, ``letter`` the box it left. ``straight`` are the
    hexes moved since its last turn (turn mode 1, J1.23), ``came_from`` the hex it was in before; ``fired`` the moment
    of its phaser's last shot (J2.213). It carries ``crew`` units or boarding ``parties`` (J2.211). ``landed`` is the
    planet it stands on (P2.0). A suicide shuttle has a ``target`` and a ``bomb`` of so many points, which its own side
    alone knows until it strikes (J2.222).
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
    """A monster (scenario #11); ``monster`` is its key in the chart, ``goal`` the planet it is after.

    ``straight`` are the hexes moved since its last turn, ``damage`` the points it has taken and ``attacked_by`` who
    scored the last of them. ``information`` is what is known of it, ``needed`` how much the next die takes, ``method``
    the die that told how to deal with it (0: not yet known).
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
    """A planet: nobody's, in one hex or several (P2.0); ``damage`` it has taken (scenario #11) and the ``crew`` units
    that wait on it (scenario #9).
    """

    hexes: tuple[str, ...] = ()
    damage: int = 0
    crew: int = 0


AnyUnit = Ship | Seeker | Shuttle | Monster | Planet

Commanded = Ship | Shuttle
"""Units that have orders of their own."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A tractor link (G7.3): the ship that holds, the letter of its beam, what it holds, and since when."""

    ship: str
    beam: str
    target: str
    since: int


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine waits for: form ``EAF``, ``SOP`` or ``FULL`` (both in one) from each of ``sides``.

    ``number`` counts within the turn and stands in the sitrep, the draft, the header (``REPLY n``) and the file name.
    ``turn`` and ``impulse`` say when the orders begin: impulse 0 is energy allocation. ``through`` is the last
    impulse the
    orders must cover. ``reason`` is public: why the game stopped.
    """

    number: int
    turn: int
    impulse: int
    form: FormKind
    sides: tuple[str, ...]
    through: int
    reason: str = ""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A side's orders in force: their normal text, how much of each plot is flown, which orders are spent.

    ``flown`` counts plot codes used by unit; ``spent`` holds the line numbers (in ``text``) of orders that have acted;
    ``acted`` holds those that did what they say and are spent, in the order in which they acted; ``request`` is the
    request they answered.
    """

    text: str
    request: int
    flown: dict[str, int] = {}
    spent: tuple[int, ...] = ()
    acted: tuple[int, ...] = ()


class Pulse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something conditions can ask about that lasts only a moment: ``what`` is ``fired``, ``launched`` or ``damaged``.

    ``weapon`` and ``kind`` are those of the shot or launch; ``shield``, ``boxes`` and ``internals`` those of
    the damage.
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
    """One side: its team (allies share one), its player and whether a robot plays it."""

    name: str
    team: str
    player: str = ""
    robot: bool = False


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How the game ended for a side: ``result`` in the scenario's words, and why."""

    side: str
    result: str
    why: str


class Muster:
    """Units in play by what they are, all by name."""

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
        """Those in each hex in which anybody is."""
        found: dict[str, list[AnyUnit]] = {}
        for unit in self.units:
            found.setdefault(unit.hex, []).append(unit)
        return found


class State(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything the game goes on from. ``step`` is the next step to play; impulse 0 is energy allocation.

    ``records`` is the number of log records folded in, so that a state file can be held against its log.
    ``segment`` counts dice segments ever begun (never reset, not even by undo). ``serials`` counts small units by
    designation (``KD``), so that no name is ever used twice. ``request`` is what the
    engine waits for now, ``last_request`` the last one made. ``recent`` holds the shots, launches and damage of
    about the last
    impulse, which conditions may ask about. ``links`` are the tractor links, ``asteroids`` the hexes with asteroids,
    ``worlds`` the names of the planets.
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
    standing: dict[str, Standing] = {}
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
        """Impulses since the start of the game; impulse 0 of turn 1 is moment 0."""
        return (self.turn - 1) * self.impulses + self.impulse

    @property
    def stands(self) -> tuple[int, int]:
        """Turn and impulse of the request in force, or at which the game ended: the umpire may end one that waits for
        orders of a turn which has not begun.
        """
        if self.request is not None:
            return self.request.turn, self.request.impulse
        last = self.last_request
        return max((self.turn, self.impulse), (last.turn, last.impulse) if last is not None else (0, 0))

    @cached_property
    def _muster(self) -> Muster:
        """Who is in play, sorted once: a state never changes."""
        units = self.units
        return Muster(tuple([unit for name in sorted(units) if not (unit := units[name]).gone]))

    def recall(self, before: "State") -> None:
        """Take over who is in play from the state before, where no unit has changed since."""
        if self.units is before.units and "_muster" in before.__dict__:
            self.__dict__["_muster"] = before._muster

    def ships(self) -> tuple[Ship, ...]:
        """Ships in play, by name."""
        return self._muster.ships

    def seekers(self) -> tuple[Seeker, ...]:
        """Seeking weapons in play, by name."""
        return self._muster.seekers

    def shuttles(self) -> tuple[Shuttle, ...]:
        """Shuttles on the map, by name."""
        return self._muster.shuttles

    def monsters(self) -> tuple[Monster, ...]:
        """Monsters in play, by name."""
        return self._muster.monsters

    @property
    def planets(self) -> frozenset[str]:
        """All hexes of planets (P2.0)."""
        if not self.worlds:
            return NO_HEXES
        found = (self.units[name] for name in self.worlds)
        return frozenset(hex for u in found if isinstance(u, Planet) and u.in_play for hex in u.hexes)

    def holders(self, name: str) -> list[Link]:
        """The tractor links that hold a unit (G7.3)."""
        return [link for link in self.links if link.target == name]

    def tug(self, name: str) -> str:
        """The ship that takes a unit along: its holder, or who has that in tow; itself where nothing holds it."""
        seen: list[str] = [name]
        while (holders := self.holders(seen[-1])) and holders[0].ship not in seen:
            seen.append(holders[0].ship)
        return seen[-1]

    def pace(self, unit: AnyUnit) -> int:
        """The hexes a turn a unit goes: as many as the ship that takes it along, if one does (G7.31C)."""
        by = self.tug(unit.name)
        return unit.speed if by == unit.name else self.units[by].speed

    def held_by(self, ship: str) -> list[Link]:
        """The tractor links of a ship, by beam."""
        return sorted((link for link in self.links if link.ship == ship), key=lambda link: link.beam)

    def in_hex(self, hex: str) -> Sequence[AnyUnit]:
        """Units in play in a hex, by name."""
        return self._muster.by_hex.get(hex, ())

    def in_play(self) -> tuple[AnyUnit, ...]:
        """Units in play, by name."""
        return self._muster.units

    def unguided(self, side: str) -> list[Seeker]:
        """The homing weapons of a side that never had a ship to guide them (scenario #2): its player does. Of a side
        whose ships are lost, be it to boarders, what still flies guides itself (FP4.0).
        """
        if any(isinstance(unit, Ship) and side in (unit.side, unit.captured_from) for unit in self.units.values()):
            return []
        return [weapon for weapon in self.seekers() if weapon.side == side and weapon.motion == Motion.HOMING]

    def takes_orders(self, side: str) -> bool:
        """Whether a side has a ship in play that can act, a manned shuttle (J1.0), or weapons to guide."""
        manned = any(boat.side == side and not boat.target for boat in self.shuttles())
        return manned or any(ship.side == side and ship.obeys for ship in self.ships()) or bool(self.unguided(side))

    def conceded(self, side: str) -> bool:
        """Whether a side has given the game up (CONCEDE)."""
        return any(unit.side == side and unit.gone == Gone.CONCEDED for unit in self.units.values())

    def team_of(self, side: str) -> str:
        found = self.sides.get(side)
        return found.team if found else side

    def enemies(self, side: str, other: str) -> bool:
        """Whether two sides are of different teams (ENEMY is every side of another team)."""
        return bool(other) and self.team_of(side) != self.team_of(other)
