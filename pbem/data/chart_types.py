"""The charts of internal damage, boarding, sensors, mutiny and tactical maneuvers: how each is laid out in its file.

The charts every scenario uses: impulses, turn modes, the Cadet damage chart, arcs, races, levels and their costs.

The charts of shipboard systems, shuttles, monsters and terrain: how each is laid out in its file.

The charts of weapons: tables to hit and of damage, plasma torpedoes, and the kinds there are.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from pbem.data.files import Confidence, Sourced


class DacSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one entry of the standard chart is scored on (D4.3).

    ``boxes`` of the SSD, the first that has any left; with ``any`` the owner picks among them. ``families`` of weapons
    instead; with ``bearing`` only those that bear on where the volley came from (D4.321), with ``ranked`` every so
    many hits of a volley on a stronger type (D4.322). ``shuttle``: an occupied shuttle box too, if the owner wants
    (D4.324). ``choice`` is the category by which the owner's choices name it. ``residual`` boxes are never destroyed
    (D4.33).
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
    """Rows for 2 to 12 on two dice; ``*`` marks a result that counts once in a volley (D4.31)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    systems: dict[str, DacSystem]


class Boarding(Sourced, frozen=True, kw_only=True):
    """Casualties caused by a group of boarding parties: rows by die, columns by size of the group (D7.0).

    ``stations`` are the boxes that count as control stations.
    """

    parties: tuple[int, ...]
    casualties: tuple[tuple[int, ...], ...]
    stations: tuple[str, ...]


class Sensors(Sourced, frozen=True, kw_only=True):
    """``no_lock_on`` multiplies the true range for a ship without lock-on (D6.123); ``die`` is the highest die."""

    no_lock_on: int
    die: int


class Mutiny(Sourced, frozen=True, kw_only=True):
    """Who may mutiny, the highest die on which one occurs and the lowest on which it succeeds (G6.2).

    ``parties`` enemy boarding parties change each die by one (G6.22), and so does ``lost_control`` (G6.23).
    ``die`` is the highest die.
    """

    races: tuple[str, ...]
    occurs: int
    succeeds: int
    parties: int
    lost_control: int
    die: int


class Maneuvers(Sourced, frozen=True, kw_only=True):
    """Tactical maneuvers of a turn: how many of each kind (C5.11, C5.22), ``sublight_energy`` of impulse engines.

    The first warp maneuver is earned, and a sublight one is free to use, from impulse ``first`` on (C5.11, C5.231).
    """

    warp: int
    sublight: int
    sublight_energy: int
    first: int


# Annotations are not put off: see pbem/engine/state.py.


class TurnLength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A turn of so many impulses.

    Maximum speeds of ships and seeking weapons, and impulses in a quarter turn.
    """

    impulses: int
    ship: int
    seeker: int
    quarter: int


class Impulses(Sourced, frozen=True, kw_only=True):
    turns: tuple[TurnLength, ...]


class TurnModes(Sourced, frozen=True, kw_only=True):
    """Highest speed of turn mode 1, 2, 3 … for each class of ship.

    ``seeking`` is the mode of seeking weapons.
    """

    seeking: int
    classes: dict[str, tuple[int, ...]]


class Dac(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A damage allocation chart: names of its columns, and for each die the categories from left to right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class CadetDac(Sourced, frozen=True, kw_only=True):
    printed: Dac
    module: Dac
    categories: dict[str, tuple[str, ...]]


class Arcs(Sourced, frozen=True, kw_only=True):
    """The six arcs clockwise from dead ahead (D2.1), and what the short names combine (D2.2)."""

    six: tuple[str, ...]
    combined: dict[str, tuple[str, ...]]


class Race(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``initial`` begins the designations of small units (``KD/1``).

    ``abbreviation`` names the race in orders (``KLIN D6``).
    """

    name: str
    initial: str
    abbreviation: str


class Races(Sourced, frozen=True, kw_only=True):
    races: dict[str, Race]


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a level of the game costs a turn (lines 7, 8, 11), its drones and its limit of acceleration.

    Of drones: warhead, damage that destroys, turns. A ship may go ``acceleration`` hexes faster than the turn before,
    or so many times as fast (line 14). ``graduate``: lines 17 to 19 and tactical maneuvers are used.
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
    """Energy costs of every level: impulse points that may move a ship; energy for a general point.

    For a shield box; for a beam.
    """

    impulse_movement: int
    general_per_point: int
    repair_per_box: int
    tractor: int


class Levels(Sourced, frozen=True, kw_only=True):
    levels: dict[str, Level]
    costs: Costs


class Cloak(Sourced, frozen=True, kw_only=True):
    """The cloaking device (G13.0).

    Range to a cloaked ship is ``multiplier`` times the true range, and ``addition`` hexes more; ``fade`` how many
    impulses it takes to fade out or in; ``miss`` the dice on which a seeking weapon misses it, ``damage`` the part of
    its points that it scores otherwise; ``silent`` impulses without weapons after uncloaking at the start of a turn.
    """

    multiplier: int
    addition: int
    fade: int
    miss: tuple[int, ...]
    damage: Fraction
    silent: int


class Tractors(Sourced, frozen=True, kw_only=True):
    """Tractor beams (G7.0).

    ``range`` in hexes; ``reuse`` impulses after which a released beam may be used in a later turn; ``towing`` what
    each freighter in tow adds to the movement cost; ``holds`` what kinds of unit may be held, ``holds_own`` which of
    them also when they are one's own.
    """

    range: int
    reuse: int
    towing: Fraction
    holds: tuple[str, ...]
    holds_own: tuple[str, ...]


class Transporters(Sourced, frozen=True, kw_only=True):
    """Transporters (G8.0): ``range`` in hexes, how many one point of energy operates, ``parties`` each can move."""

    range: int
    per_energy: int
    parties: int


class Labs(Sourced, frozen=True, kw_only=True):
    """Information about a monster for each lab: rows by die, columns by range. ``substitutes`` may stand in (G4.3)."""

    ranges: tuple[int, ...]
    information: tuple[tuple[int, ...], ...]
    substitutes: tuple[str, ...]


class Probes(Sourced, frozen=True, kw_only=True):
    """Probes (G5.0): carried by each launcher, ``range`` in hexes, energy of each turn of arming for both purposes.

    ``information`` is what one gathers, ``warhead`` what one scores as a weapon, ``crippled`` the part of the
    internal boxes whose loss makes a ship crippled.
    """

    carried: int
    range: int
    information: int
    warhead: int
    arming_information: tuple[int, ...]
    arming_weapon: tuple[int, ...]
    crippled: Fraction


class SuicideShuttle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least and most warp energy in each of so many turns, and what holding one costs (J2.22)."""

    least: int
    most: int
    turns: int
    hold: int


class Shuttles(Sourced, frozen=True, kw_only=True):
    """Administrative shuttles (J1.0, J2.0). Speeds in hexes a turn, ``interval`` in impulses for each bay (J1.5).

    ``landing`` and ``recovery`` are the speeds of a ship, as multiples of the shuttle's maximum, up to which a
    shuttle lands by itself or is hauled aboard; ``fire_range`` how far off it can be fired at (J1.35).
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
    """Damage to a unit that enters asteroids: rows by die, columns by its speed on the 32-impulse scale.

    ``shield`` is struck, ``reverse_shield`` by a ship that moves backwards. ``fire`` are pairs: from so many asteroid
    hexes in the line of fire on, so much is added to the die.
    """

    speeds: tuple[tuple[int, int], ...]
    damage: tuple[tuple[int, ...], ...]
    scale: int
    shield: int
    reverse_shield: int
    fire: tuple[tuple[int, int], ...]


class MonsterKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One monster: speed in hexes a turn, hexes it must move ahead between turns, reach of its attack.

    ``distraction`` is the range at which a ship draws it from its goal, ``toughness`` the damage that kills it (0:
    none does), ``goal_toughness`` what the planet it attacks can bear, ``cadet`` the part of its damage Cadet ships
    take.
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
    """What the die says of a monster: ``kind``, a sentence, and the damage or further information it asks for."""

    kind: str
    text: str
    amount: int = 0


class Monsters(Sourced, frozen=True, kw_only=True):
    """How a monster dies, by die, once ``information_needed`` is gathered, and each kind of monster."""

    information_needed: int
    method: tuple[Method, ...]
    kinds: dict[str, MonsterKind]


# Annotations are not put off: see pbem/engine/state.py.


class Ranged(Sourced, frozen=True, kw_only=True):
    """A chart with range brackets (first and last hex, both included)."""

    brackets: tuple[tuple[int, int], ...]

    def column(self, range_: int) -> int | None:
        """The bracket a range falls into, ``None`` beyond the chart."""
        for number, (low, high) in enumerate(self.brackets):
            if low <= range_ <= high:
                return number
        return None

    @property
    def reach(self) -> int:
        """The longest range on the chart, in hexes."""
        return self.brackets[-1][1]


class DamageTable(Ranged, frozen=True, kw_only=True):
    """Points by die (rows, from 1) and range bracket (columns). ``energy`` is what one shot costs."""

    energy: float
    damage: tuple[tuple[int, ...], ...]
    drone_modifier: int = 0
    min_range: int = 0


class HitTable(Ranged, frozen=True, kw_only=True):
    """Highest die that hits (0: cannot) and points of a hit, by range bracket.

    ``arming`` is the energy of each consecutive turn (empty for weapons armed within the turn, which cost ``energy``),
    ``armed_with`` the source it must come from (empty: any); ``hold`` the energy to keep an armed one;
    ``drone_modifier`` is added to the die against drones (FD1.52).
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
    """A plasma torpedo: strength up to and including so many hexes travelled; energy by turn.

    ``hold`` ``None``: cannot be held. ``armed_at_start``: scenarios begin with it armed and held (FP1.23).
    """

    hexes: tuple[int, ...]
    strength: tuple[int, ...]
    arming: tuple[int, ...] = ()
    hold: int | None = None
    armed_at_start: bool = False
    confidence: Confidence = "cross-checked"


class PlasmaTube(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A launcher: directions relative to the ship (1 ahead, clockwise to 6), arc its target must be in (FP3.0)."""

    directions: tuple[int, ...]
    targets: str


class Plasma(Sourced, frozen=True, kw_only=True):
    """``phaser_points`` that take one point of strength (FP1.6), ``feedback`` as a part of the warhead (FP1.8).

    ``fixed`` and ``swivel`` launchers, swivels by the arc the SSD gives them (FP3.1, FP3.2).
    """

    types: dict[str, PlasmaType]
    phaser_points: int
    feedback: Fraction
    fixed: PlasmaTube
    swivel: dict[str, PlasmaTube]


class WeaponKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of weapon: its label on the SSD (``PH``), family, chart, the rules of its fire, range and energy, and
    whether it is a heavy weapon.

    ``arming``: by the phaser ``capacitor``, with the energy of one ``turn`` or of several ``turns``, ``rolling``
    (several turns, or a delay before the last), with ``ammunition``, or not at all (:mod:`pbem.rules.weapons`).
    ``energy`` replaces the chart's energy for one shot where it differs (the phaser-G); ``shots`` how often it fires
    in a turn for that energy (E1.5). ``rank`` orders the types of a weapon by power (D4.322). ``hold_word`` is the word
    of the code with which holding is refused, where it is not the kind's own.
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


class WeaponKinds(Sourced, frozen=True, kw_only=True):
    kinds: dict[str, WeaponKind]
