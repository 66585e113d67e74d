"""The charts every scenario uses: impulses, turn modes, the Cadet damage chart, arcs, races, levels and their costs."""

# Annotations are not put off: see pbem/engine/state.py.

import msgspec

from pbem.data.files import Sourced


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
