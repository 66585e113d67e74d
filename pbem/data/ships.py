"""Ship classes, one file each: the ship as its SSD (ship system display) prints it, without any damage.

The module also groups the boxes of a ship for drawing: bridge, engines, power and so on. The reports and the VASSAL
module draw ships from these groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from pbem.data import charts
from pbem.data.files import Confidence, build, is_key, keys, locate, own_figures, read_toml, refuse

# No "from __future__ import annotations" here: see pbem/engine/state.py.


BOXES = (
    "warp left", "warp right", "warp center", "impulse", "apr", "battery",
    "hull", "hull fore", "hull center", "hull aft", "cargo", "armor",
    "bridge", "emer", "aux", "flag", "security",
    "lab", "tran", "tractor", "shuttle", "probe", "excess",
)  # fmt: skip
"""The names of all systems that may have boxes on an SSD, in the order in which they are printed."""


class WeaponSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One weapon on the SSD of a ship class.

    Attributes:
        kind: A key in the chart of weapons (``ph1``, ``photon``, ``drone_rack`` …).
        id: The weapon's number or letter on the SSD.
        arc: The firing arc (D2.0: ``FA``, ``L+LR``, ``360``).
        max_range: The longest range in hexes, if the ship limits it.
        ammo: Number of drones in a rack.
        mount: How a plasma tube is mounted (FP3.0).
    """

    kind: str
    id: str
    arc: str
    max_range: int | None = None
    ammo: int = 0
    mount: Literal["", "fixed", "swivel"] = ""
    source: str = ""

    @property
    def name(self) -> str:
        """The name of the weapon in orders and reports: ``PH 1``, ``PHOT A``, ``DISR B``, ``DRONE 1``."""
        return f"{charts.weapon_kinds()[self.kind].label} {self.id}"


class Threshold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a damage track: a number of internal damage points, and their effect on the ship.

    A ship with a damage track has no boxes for internal damage.
    """

    points: int
    effect: str


class ShipClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A ship class, with the fields of its file.

    Attributes:
        key: The key of the class, i.e. the name of its file.
        name: The full name of the class.
        race: The key of the race.
        level: The level of the rules that the ship is made for.
        source: Where the figures come from.
        confidence: How reliable the figures are.
        confidence_of: How reliable single figures are, if this differs from ``confidence``.
        class_name: The abbreviation used in orders (``CA``, ``D6``).
        shields: The number of boxes of shields #1 to #6 (D3.1).
        move_cost: Warp energy points for one hex (C2.12).
        turn_modes: The highest speed of turn mode 1, 2 … (C3.3).
        turn_mode: The letter of the chart from which ``turn_modes`` are taken.
        boxes: The number of boxes by system (:data:`BOXES`).
        weapons: The weapon boxes.
        tracks: The numbers on the sensor, scanner and damage control tracks, first box first.
        drones_per_turn: Number of drones that the whole ship may launch in a turn; ``None`` means one from each rack
            (FD4.21).
        drone_control: Number of drones that it can guide at the same time (D6.132).
        damage: ``dac`` (internal damage by a chart) or ``track`` (by the steps in ``thresholds``).
        thresholds: The steps of the damage track, if the ship has one.
        crew: The number of crew units; ``None`` if it is not known.
        boarding_parties: The number of boarding parties; ``None`` if it is not known.
        control_stations: The number of control stations; ``None`` if the number of boxes determines it.
        explosion: The strength of the ship's explosion in points; ``None`` if it is not known.
        size_class: The size class; ``None`` if it is not known.
        cloak: The cost of the cloaking device in points a turn; ``None`` if the ship has none.
        bpv: The Basic Point Value (the worth of the ship in points); ``None`` if it is not known.
        notes: Remarks.
    """

    key: str
    name: str
    race: str
    level: Literal["cadet", "standard"]
    source: str
    confidence: Confidence
    confidence_of: dict[str, Confidence] = {}
    class_name: str = msgspec.field(name="class")
    shields: tuple[int, ...]
    move_cost: Fraction = Fraction(1)
    turn_modes: tuple[int, ...] = ()
    turn_mode: str = ""
    boxes: dict[str, int] = {}
    weapons: tuple[WeaponSpec, ...] = ()
    tracks: dict[str, tuple[int, ...]] = {}
    drones_per_turn: int | None = None
    drone_control: int = 6
    damage: Literal["dac", "track"] = "dac"
    thresholds: tuple[Threshold, ...] = ()
    crew: int | None = None
    boarding_parties: int | None = None
    control_stations: int | None = None
    explosion: int | None = None
    size_class: int | None = None
    cloak: int | None = None
    bpv: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def drone_limit(self) -> int:
        """The number of drones that the ship may launch in one turn (FD1.1, FD4.21)."""
        kinds = charts.weapon_kinds()
        racks = sum(1 for weapon in self.weapons if kinds[weapon.kind].arming == "ammunition")
        return racks if self.drones_per_turn is None else self.drones_per_turn

    @property
    def damcon(self) -> int:
        """The damage control rating of the undamaged ship (D9.1); 0 if the SSD has no track."""
        return max(self.tracks.get("damcon", (0,)))

    @property
    def has_damcon(self) -> bool:
        """Whether the undamaged ship has damage control."""
        return self.damcon > 0

    def weapon(self, name: str) -> WeaponSpec:
        """Return the weapon with this name (``PH 1``).

        Raises:
            KeyError: There is no weapon with that name.
        """
        return self.named[name]

    @cached_property
    def named(self) -> dict[str, WeaponSpec]:
        """A dict of the weapons by name, in the order of the SSD."""
        return {weapon.name: weapon for weapon in self.weapons}

    def arc(self, name: str) -> str:
        """Return the firing arc of the weapon with this name."""
        return self.weapon(name).arc


MOST = 999
"""The highest number of boxes of one system, or of people aboard, that a report can show.

The next two constants limit the number of weapons and the length of a name in the same way.
"""

MOST_WEAPONS = 99
LONGEST_NAME = 80
TRACKS = ("sensor", "scanner", "damcon")
COUNTS = ("crew", "boarding_parties", "control_stations", "explosion", "cloak", "drones_per_turn", "drone_control")


def ship_keys() -> list[str]:
    """Return the keys of all shipped classes, sorted."""
    return list(keys("ship"))


def ship_class(key_or_path: str | Path) -> ShipClass:
    """Return a ship class by its key or by the path of a user's file.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    key = str(key_or_path)
    return _read(key, own_figures().token if is_key("ship", key) else _stamp(key_or_path))


def _stamp(key_or_path: str | Path) -> str:
    """Return a cache key for a ship's file, which changes whenever the file or the custom figures change.

    The key contains the path, time and size of the file, so that an edited file, or a file of another game, is read
    again. The key also contains the hash of the custom figures, which may change the charts.
    """
    path = locate("ship", key_or_path)
    state = path.stat()
    return f"{path.absolute()}/{state.st_mtime_ns}/{state.st_size}/{own_figures().token}"


@cache
def _read(key_or_path: str, stamp: str) -> ShipClass:
    raw, file = read_toml("ship", key_or_path)
    ship = build(ShipClass, raw, file)
    classes = charts.turn_modes().classes
    refuse(file, *_wrong(ship, classes))
    if not ship.turn_modes:
        ship = msgspec.structs.replace(ship, turn_modes=classes[ship.turn_mode])
    return ship


def _wrong(ship: ShipClass, classes: dict[str, tuple[int, ...]]) -> list[str]:
    """Return the faults of a ship class that type checking cannot find."""
    return [*_wrong_counts(ship), *_wrong_tracks(ship), *_wrong_terms(ship, classes), *_wrong_boxes(ship)]


def _wrong_counts(ship: ShipClass) -> Iterator[str]:
    if len(ship.shields) != 6:
        yield f"shields: needs the six shields #1 to #6, not {len(ship.shields)} numbers"
    yield from (f"shields[{n}]: {off}" for n, boxes in enumerate(ship.shields) if (off := _off(boxes)))
    yield from (f"{field}: {off}" for field in COUNTS if (off := _off(getattr(ship, field) or 0)))


def _wrong_tracks(ship: ShipClass) -> Iterator[str]:
    """Yield the faults of a ship's damage track (solo scenarios) and its sensor, scanner and damage control tracks."""
    for number, step in enumerate(ship.thresholds):
        if not re.fullmatch(r"destroyed|phasers destroyed|speed \d{1,2}", step.effect):
            yield f"thresholds[{number}].effect: {step.effect!r} must be destroyed, phasers destroyed or speed 3"
    for track, numbers in ship.tracks.items():
        if track not in TRACKS:
            yield f"tracks.{track}: must be one of {', '.join(TRACKS)}"
        if not numbers:
            yield f"tracks.{track}: needs a number for each box"
        yield from (f"tracks.{track}[{n}]: {off}" for n, number in enumerate(numbers) if (off := _off(number)))


def _wrong_terms(ship: ShipClass, classes: dict[str, tuple[int, ...]]) -> Iterator[str]:
    """Yield the faults of a ship's name, race, number of weapons, movement cost and turn mode."""
    if not ship.name.isprintable() or len(ship.name) > LONGEST_NAME:
        yield f"name: needs 1 to {LONGEST_NAME} visible characters"
    if len(ship.weapons) > MOST_WEAPONS:
        yield f"weapons: {len(ship.weapons)} are too many; the most is {MOST_WEAPONS}"
    if ship.race not in charts.races():
        yield f"race: {ship.race!r} must be one of {', '.join(charts.races())}"
    if not 0 < ship.move_cost <= MOST or ship.move_cost.denominator > MOST:
        yield f"move_cost: {ship.move_cost} must be more than 0, as a number such as 1 or 2/3"
    if not ship.turn_modes and ship.turn_mode not in classes:
        yield f"turn_mode: {ship.turn_mode!r} must be one of {', '.join(classes)}"
    if list(ship.turn_modes) != sorted(ship.turn_modes):
        yield "turn_modes: the speeds must rise"


def _wrong_boxes(ship: ShipClass) -> Iterator[str]:
    """Yield the faults of a ship's boxes and weapons."""
    for box, count in ship.boxes.items():
        if box not in BOXES:
            yield f"boxes.{box}: is not a system of an SSD"
        if off := _off(count):
            yield f"boxes.{box}: {off}"
    six, combined = charts.arcs().six, charts.arcs().combined
    names: set[str] = set()
    for number, weapon in enumerate(ship.weapons):
        if weapon.kind not in charts.weapon_kinds():
            yield f"weapons[{number}].kind: {weapon.kind!r} must be one of {', '.join(charts.weapon_kinds())}"
            continue
        if weapon.name in names:
            yield f"weapons[{number}].id: there are two weapons {weapon.name}"
        names.add(weapon.name)
        bad = [part for part in weapon.arc.split("+") if part not in six and part not in combined]
        if bad:
            yield f"weapons[{number}].arc: {bad[0]!r} must be one of {', '.join((*six, *combined))}"
        if off := _off(weapon.ammo):
            yield f"weapons[{number}].ammo: {off}"


def _off(count: int) -> str:
    """Return why a number of boxes or people is not allowed, or ``""`` if it is allowed."""
    if count < 0:
        return f"{count} is less than 0"
    return f"{count} is too large; the most is {MOST}" if count > MOST else ""


COMMAND = ("bridge", "emer", "aux", "flag", "security")
"""The names of the control systems, drawn at the bow."""

LEFT, RIGHT = "warp left", "warp right"
"""The names of the side engines."""

POWER = ("warp center", "impulse", "apr", "battery")
"""The names of the systems amidships and aft that produce or store energy."""


class Kinds(NamedTuple):
    """The names of a ship's systems, grouped by their position on an SSD (ship system display).

    Within each group, the names are in the order of an SSD.

    Attributes:
        engines: The warp engines.
        command: The bridge and other control systems.
        rest: All other systems.
        power: Other sources of power.
        tracks: The tracks, such as that of the sensors.
    """

    engines: tuple[str, ...]
    command: tuple[str, ...]
    rest: tuple[str, ...]
    power: tuple[str, ...]
    tracks: tuple[str, ...]


def in_order(boxes: Iterable[str]) -> list[str]:
    """Return these system names in the order in which an SSD prints them; unknown names come last, by name."""
    places = {name: place for place, name in enumerate(BOXES)}
    return sorted(boxes, key=lambda name: (places.get(name, len(places)), name))


def kinds(boxes: Mapping[str, int]) -> Kinds:
    """Return the names of the systems of which a ship has boxes, grouped by their position on an SSD."""
    names = [name for name in in_order(boxes) if boxes[name]]
    engines, known = (LEFT, RIGHT), (LEFT, RIGHT, *COMMAND, *POWER, *TRACKS)
    return Kinds(
        engines=tuple(name for name in names if name in engines),
        command=tuple(name for name in names if name in COMMAND),
        rest=tuple(name for name in names if name not in known),
        power=tuple(name for name in names if name in POWER),
        tracks=tuple(name for name in TRACKS if name in names),
    )


def weapon_place(name: str) -> tuple[str, int, str]:
    """Return a sort key for a weapon's name: phasers by number, heavy weapons by letter, racks by number."""
    label, _, last = name.rpartition(" ")
    return label, int(last) if last.isdecimal() else 0, last
