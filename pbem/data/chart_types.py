"""The types of all charts, which define the layout of each chart's TOML file.

The classes contain only data. :mod:`pbem.data.charts` reads the files and checks them; :mod:`pbem.rules` applies the
charts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from pbem.data.files import Confidence, Sourced


class DacSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of the standard damage allocation chart (DAC): the boxes that it destroys (D4.3).

    Attributes:
        boxes: Systems of the SSD; the first system with a box left is hit.
        any: Whether the owner chooses among ``boxes``.
        families: Families of weapons that are hit instead of ``boxes``.
        bearing: Whether only weapons that bear on the direction of the volley are hit (D4.321).
        ranked: If 3, every third hit on the entry in a volley takes a weapon of a stronger type (D4.322).
        shuttle: Whether an occupied shuttle box may be hit as well, if the owner wants this (D4.324).
        choice: The category under which the owner's damage choices can name these boxes.
        residual: The number of boxes that are never destroyed (D4.33).
    """

    boxes: tuple[str, ...] = ()
    any: bool = False
    families: tuple[str, ...] = ()
    bearing: bool = False
    ranked: int = 0
    shuttle: bool = False
    choice: str = ""
    residual: int = 0


class StandardDac(Sourced, frozen=True, kw_only=True):
    """The standard damage allocation chart (DAC): one row for each sum of two dice, 2 to 12.

    ``*`` marks an entry that can be used only once in a volley (D4.31).
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    systems: dict[str, DacSystem]


class Boarding(Sourced, frozen=True, kw_only=True):
    """Casualty points scored by one group of boarding parties (D7.0): rows by die, columns by group size.

    ``stations`` are the systems whose boxes count as control stations.
    """

    parties: tuple[int, ...]
    casualties: tuple[tuple[int, ...], ...]
    stations: tuple[str, ...]


class Sensors(Sourced, frozen=True, kw_only=True):
    """The data table for lock-on: the number of faces of the die, and the penalty without a lock-on.

    ``no_lock_on`` is the factor by which the true range of a ship without lock-on is multiplied (D6.123). ``die``
    is the highest number on the die.
    """

    no_lock_on: int
    die: int


class Mutiny(Sourced, frozen=True, kw_only=True):
    """The data table for mutinies: races, and the dice rolls for which a mutiny occurs and succeeds (G6.2).

    Attributes:
        races: The races whose crews may mutiny.
        occurs: A mutiny occurs if the first die shows this number or less.
        succeeds: The mutiny succeeds if the second die shows this number or more.
        parties: The number of enemy boarding parties aboard that changes each die by one (G6.22).
        lost_control: The number by which each die changes if all control boxes are lost (G6.23).
        die: The highest number on the die.
    """

    races: tuple[str, ...]
    occurs: int
    succeeds: int
    parties: int
    lost_control: int
    die: int


class Maneuvers(Sourced, frozen=True, kw_only=True):
    """The limits on the tactical maneuvers of each kind that a ship may make in a turn (C5.11, C5.22).

    ``warp`` and ``sublight`` are the maximum numbers of maneuvers. A sublight maneuver costs ``sublight_energy``
    points of impulse power. ``first`` is the impulse in which the first warp maneuver is earned and from which a
    sublight maneuver may be used (C5.11, C5.231).
    """

    warp: int
    sublight: int
    sublight_energy: int
    first: int


# No "from __future__ import annotations" here: see pbem/engine/state.py.


class TurnLength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number of impulses in a turn, with the maximum speeds in hexes a turn.

    ``ship`` and ``seeker`` are the maximum speeds of ships and seeking weapons. ``quarter`` is a quarter of a turn
    in impulses.
    """

    impulses: int
    ship: int
    seeker: int
    quarter: int


class Impulses(Sourced, frozen=True, kw_only=True):
    """The lengths that a turn may have, each as a :class:`TurnLength`."""

    turns: tuple[TurnLength, ...]


class TurnModes(Sourced, frozen=True, kw_only=True):
    """The highest speed of turn mode 1, 2, 3 …, for each turn mode class of ship.

    A turn mode is the number of hexes that a ship must move straight ahead between turns. ``seeking`` is the turn mode
    of seeking weapons.
    """

    seeking: int
    classes: dict[str, tuple[int, ...]]


class Dac(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One edition of the Cadet damage allocation chart (DAC).

    ``columns`` are the column names. ``rows`` has one row for each die, with the categories of boxes from left to
    right.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class CadetDac(Sourced, frozen=True, kw_only=True):
    """Both editions of the Cadet damage chart, and the systems that belong to each of its categories."""

    printed: Dac
    module: Dac
    categories: dict[str, tuple[str, ...]]


class Arcs(Sourced, frozen=True, kw_only=True):
    """The six single arcs clockwise from dead ahead (D2.1), and the arcs combined from them (D2.2)."""

    six: tuple[str, ...]
    combined: dict[str, tuple[str, ...]]


class Race(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A race: its name and its abbreviations.

    ``initial`` begins the designations of small units (``KD/1``). ``abbreviation`` names the race in orders (``KLIN
    D6``).
    """

    name: str
    initial: str
    abbreviation: str


class Races(Sourced, frozen=True, kw_only=True):
    """All races, by key."""

    races: dict[str, Race]


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data table for one level of the game (Cadet or standard): energy costs, drones, acceleration.

    Attributes:
        life_support: Energy points for life support in a turn (line 7 of the energy form).
        fire_control: Energy points for fire control in a turn (line 8).
        shields: Energy points for shields in a turn (line 11).
        drone_warhead: Points of damage that a drone scores.
        drone_toughness: Points of damage that destroy a drone.
        drone_endurance: Number of turns that a drone flies before it is removed.
        acceleration: The maximum increase of a ship's speed from one turn to the next, in hexes a turn (line 14).
        multiple: A ship's speed may instead increase to this multiple of its last speed, if that is more (line 14).
        graduate: Whether lines 17 to 19 of the form and tactical maneuvers are used.
    """

    life_support: int
    fire_control: int
    shields: int
    drone_warhead: int
    drone_toughness: int
    drone_endurance: int
    acceleration: int
    multiple: int
    graduate: bool


class Costs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Energy costs that are the same at every level.

    Attributes:
        impulse_movement: Points of impulse power that may move a ship in a turn.
        general_per_point: Energy for one point of general reinforcement.
        repair_per_box: Energy to repair one shield box.
        tractor: Energy for one tractor beam in a turn.
    """

    impulse_movement: int
    general_per_point: int
    repair_per_box: int
    tractor: int


class Levels(Sourced, frozen=True, kw_only=True):
    """The levels of the game by name, and the costs that all levels share."""

    levels: dict[str, Level]
    costs: Costs


class CloakChart(Sourced, frozen=True, kw_only=True):
    """The data table for the cloaking device (G13.0).

    Attributes:
        multiplier: The factor by which the true range to a cloaked ship is multiplied.
        addition: The number of hexes added to the multiplied range.
        fade: The number of impulses that a ship takes to fade out or in.
        miss: The numbers on the die with which a seeking weapon misses a cloaked ship.
        damage: The fraction of its damage points that a seeking weapon scores on a cloaked ship if it does not miss.
        silent: The number of impulses without weapons after a ship uncloaks at the start of a turn.
    """

    multiplier: int
    addition: int
    fade: int
    miss: tuple[int, ...]
    damage: Fraction
    silent: int


class Tractors(Sourced, frozen=True, kw_only=True):
    """The data table for tractor beams (G7.0).

    Attributes:
        range: The reach of a beam in hexes.
        reuse: Impulses that must pass after a beam was released before it may be used in a later turn.
        towing: The number that each freighter in tow adds to the movement cost.
        holds: The kinds of unit that a beam may hold.
        holds_own: The kinds of unit that a beam may hold even if the unit belongs to the beam's own side.
    """

    range: int
    reuse: int
    towing: Fraction
    holds: tuple[str, ...]
    holds_own: tuple[str, ...]


class Transporters(Sourced, frozen=True, kw_only=True):
    """The data table for transporters (G8.0).

    Attributes:
        range: The reach of a transporter in hexes.
        per_energy: The number of transporters that one point of energy operates.
        parties: The number of boarding parties that each transporter can move in one action.
    """

    range: int
    per_energy: int
    parties: int


class Labs(Sourced, frozen=True, kw_only=True):
    """The points of information that a laboratory gathers about a monster: rows by die, columns by range.

    If the ship has no laboratory, one box of the systems ``substitutes`` counts as a laboratory (G4.3).
    """

    ranges: tuple[int, ...]
    information: tuple[tuple[int, ...], ...]
    substitutes: tuple[str, ...]


class Probes(Sourced, frozen=True, kw_only=True):
    """The data table for probes (G5.0).

    Attributes:
        carried: Number of probes in each launcher at the start.
        range: The reach of a probe in hexes.
        information: Points of information that one probe gathers.
        warhead: Points of damage that one probe scores as a weapon.
        arming_information: Energy points in each turn of arming as an instrument.
        arming_weapon: Energy points in each turn of arming as a weapon.
        crippled: The fraction of its internal boxes that a ship must have lost to be crippled.
    """

    carried: int
    range: int
    information: int
    warhead: int
    arming_information: tuple[int, ...]
    arming_weapon: tuple[int, ...]
    crippled: Fraction


class SuicideShuttle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The energy that arms a suicide shuttle at one level (J2.22).

    Arming takes ``turns`` turns, with at least ``least`` and at most ``most`` points of warp energy in each turn.
    ``hold`` is the energy in points a turn that keeps the shuttle armed.
    """

    least: int
    most: int
    turns: int
    hold: int


class Shuttles(Sourced, frozen=True, kw_only=True):
    """The data table for administrative and suicide shuttles (J1.0, J2.0).

    Speeds are in hexes a turn.

    Attributes:
        crippled: Points of damage that cripple a shuttle.
        destroyed: Points of damage that destroy a shuttle.
        phaser: The kind of the shuttle's phaser.
        fire_range: The longest range in hexes at which a weapon may fire at a shuttle (J1.35).
        interval: Minimum number of impulses between two uses of a shuttle bay (J1.5).
        landing: The highest speed of a ship on which a shuttle can land, as a multiple of the shuttle's maximum
            speed.
        recovery: The highest speed of a ship that pulls a shuttle aboard by tractor beam, as a multiple of the
            shuttle's maximum speed.
        crew: Number of crew units that a shuttle can carry.
        parties: Number of boarding parties that a shuttle can carry.
        suicide_multiplier: Points of explosion strength for each point of arming energy.
        suicide: The energy of arming a suicide shuttle, by level.
    """

    speed: int
    crippled_speed: int
    crippled: int
    destroyed: int
    turn_mode: int
    phaser: str
    fire_range: int
    interval: int
    landing: int
    recovery: int
    crew: int
    parties: int
    suicide_multiplier: int
    suicide: dict[str, SuicideShuttle]


class Asteroids(Sourced, frozen=True, kw_only=True):
    """Damage to a unit that enters an asteroid hex: rows by die, columns by speed.

    Attributes:
        scale: The number of impulses in a turn for which ``speeds`` are given (32).
        shield: The number of the shield that is hit.
        reverse_shield: The shield that is hit if the ship moves backwards.
        fire: Pairs of (minimum number of asteroid hexes in the line of fire, number then added to the die).
    """

    speeds: tuple[tuple[int, int], ...]
    damage: tuple[tuple[int, ...], ...]
    scale: int
    shield: int
    reverse_shield: int
    fire: tuple[tuple[int, int], ...]


class MonsterKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of monster.

    Attributes:
        speed: Hexes that the monster moves in a turn.
        turn_mode: Hexes that the monster must move straight ahead between turns of 60 degrees.
        reach: The range of the monster's attack in hexes.
        distraction: The range in hexes at which a ship distracts the monster from its goal.
        toughness: The points of damage that kill the monster; 0 if damage cannot kill it.
        goal_toughness: The points of damage that destroy the planet that the monster attacks.
        cadet: The fraction of the monster's damage that Cadet ships suffer.
        damage: The points of the monster's attack for each number on the die.
    """

    name: str
    speed: int
    turn_mode: int
    reach: int
    distraction: int
    toughness: int
    goal_toughness: int
    cadet: Fraction
    damage: tuple[int, ...]
    source: str
    confidence: Confidence


class Method(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way in which a monster can be stopped; a die roll determines which way works.

    ``kind`` names the way, ``text`` describes the way in a sentence. ``amount`` is the number of damage points, or
    additional information points, needed.
    """

    kind: str
    text: str
    amount: int = 0


class Monsters(Sourced, frozen=True, kw_only=True):
    """The kinds of monster, and the ways to stop a monster, one for each number on the die.

    The die is rolled once ``information_needed`` points of information are gathered.
    """

    information_needed: int
    method: tuple[Method, ...]
    kinds: dict[str, MonsterKind]


# No "from __future__ import annotations" here: see pbem/engine/state.py.


class Ranged(Sourced, frozen=True, kw_only=True):
    """Base class of charts with range brackets, each given by its first and last range, both inclusive."""

    brackets: tuple[tuple[int, int], ...]

    def column(self, range_: int) -> int | None:
        """Return the index of the bracket that contains a range in hexes, or ``None`` if there is none."""
        for number, (low, high) in enumerate(self.brackets):
            if low <= range_ <= high:
                return number
        return None

    @property
    def reach(self) -> int:
        """The longest range on the chart, in hexes."""
        return self.brackets[-1][1]


class DamageTable(Ranged, frozen=True, kw_only=True):
    """The chart of a weapon that needs no roll to hit: damage by die (rows) and range bracket (columns).

    The first row is for the die roll 1. ``energy`` is the energy cost of one shot.
    """

    energy: float
    damage: tuple[tuple[int, ...], ...]
    drone_modifier: int = 0
    min_range: int = 0


class HitTable(Ranged, frozen=True, kw_only=True):
    """The chart of a weapon that either hits or misses, by range bracket.

    Attributes:
        hit: For each bracket, the highest die roll that hits; 0 if no roll hits.
        damage: For each bracket, the damage points of a hit.
        energy: The energy cost in points of a weapon that is armed within the turn.
        arming: Energy points for each consecutive turn of arming; empty for weapons armed within the turn.
        armed_with: The source from which this energy must come; ``""`` for any source.
        hold: Energy points a turn that keep an armed weapon armed.
        drone_modifier: The number added to the die when the weapon fires at a drone (FD1.52).
    """

    hit: tuple[int, ...]
    damage: tuple[int, ...]
    min_range: int
    max_range: int
    energy: int = 0
    arming: tuple[int, ...] = ()
    armed_with: Literal["WARP", ""] = "WARP"
    hold: int = 0
    drone_modifier: int = 0


class PlasmaType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One type of plasma torpedo: its strength by distance flown, and its arming energy by turn.

    The strength is ``strength[n]`` up to and including ``hexes[n]`` hexes. ``hold`` is the energy in points a turn
    that keeps the torpedo armed; it is ``None`` if the torpedo cannot be held. With ``armed_at_start``, scenarios
    begin with the torpedo armed and held (FP1.23).
    """

    hexes: tuple[int, ...]
    strength: tuple[int, ...]
    arming: tuple[int, ...] = ()
    hold: int | None = None
    armed_at_start: bool = False
    confidence: Confidence = "cross-checked"


class PlasmaTube(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plasma launcher: the directions in which it can launch, and the arc of its targets (FP3.0).

    Directions are relative to the ship: 1 is ahead, counted clockwise to 6.
    """

    directions: tuple[int, ...]
    targets: str


class Plasma(Sourced, frozen=True, kw_only=True):
    """The whole chart of plasma torpedoes: types and launchers.

    Attributes:
        phaser_points: The points of phaser damage that reduce a torpedo's strength by one point (FP1.6).
        feedback: Feedback damage to the launching ship, as a fraction of the warhead (FP1.8).
        fixed: The fixed launcher (FP3.1).
        swivel: Swivel launchers, by the arc on the SSD (FP3.2).
    """

    types: dict[str, PlasmaType]
    phaser_points: int
    feedback: Fraction
    fixed: PlasmaTube
    swivel: dict[str, PlasmaTube]


class WeaponKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of weapon: its label on the SSD, its family and chart, and the numbers of its rules.

    Attributes:
        label: The label on the SSD (``PH``).
        arming: How the weapon gets its energy: from the phaser ``capacitor``, in one ``turn``, over several
            ``turns``, ``rolling`` (over several turns, with a possible delay before the last), ``ammunition``, or
            ``""`` for not at all (:mod:`pbem.rules.weapons`).
        rule: The number of the rule for its fire.
        range_rule: The number of the rule for its range.
        energy_rule: The number of the rule for its energy.
        heavy: Whether it is a heavy weapon.
        energy: The energy cost of one shot in points, if it differs from the chart (the phaser-G).
        shots: How often the weapon may fire in a turn (E1.5).
        rank: A number that orders the types of a weapon by power (D4.322).
        hold_word: The first word of the fault code for refused holding, if it is not the key of the kind.
        beam: A letter for the style in which the game page's replay draws the weapon's fire; ``o`` is a plain line.
    """

    label: str
    family: str
    chart: str = ""
    arming: Literal["", "capacitor", "ammunition", "turn", "turns", "rolling"] = ""
    rule: str
    range_rule: str = "E1.3"
    energy_rule: str = "E1.2"
    heavy: bool = False
    energy: float | None = None
    shots: int = 1
    rank: int = 0
    hold_word: str = ""
    beam: str = "o"


class WeaponKinds(Sourced, frozen=True, kw_only=True):
    """The chart of weapons: all kinds, by key."""

    kinds: dict[str, WeaponKind]
