"""Ships: what a class of ship is before anything happened to it, one file each (the SSD).

How the boxes of a ship stand together on its display (SSD): which belong to the bridge, the engines, the power.

Whoever draws a display or lists its boxes has it from here: the report, the VASSAL module.
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

# Annotations are not put off: see pbem/engine/state.py.


BOXES = (
    "warp left", "warp right", "warp center", "impulse", "apr", "battery",
    "hull", "hull fore", "hull center", "hull aft", "cargo", "armor",
    "bridge", "emer", "aux", "flag", "security",
    "lab", "tran", "tractor", "shuttle", "probe", "excess",
)  # fmt: skip
"""The systems an SSD may have boxes of, in the order they are printed."""


class WeaponSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One weapon of a class of ship.

    ``kind`` is a key of the chart of weapons (``ph1``, ``photon``, ``drone_rack`` …), ``id`` its number or
    letter, ``arc`` its firing arc (D2.0: ``FA``, ``L+LR``, ``360``), ``max_range`` in hexes where the ship
    limits it, ``ammo`` drones in a rack, ``mount`` how a plasma tube is fitted (FP3.0).
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
        """As orders and reports call it: ``PH 1``, ``PHOT A``, ``DISR B``, ``DRONE 1``."""
        return f"{charts.weapon_kinds()[self.kind].label} {self.id}"


class Threshold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step of an abstract damage track: from so many internal points on, this happens."""

    points: int
    effect: str


class ShipClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A class of ship.

    ``class_name`` is the abbreviation used in orders (``CA``, ``D6``); ``move_cost`` warp energy for one
    hex (C2.12); ``turn_modes`` the highest speed of turn mode 1, 2 … (C3.3), ``turn_mode`` the letter of
    the chart it was taken from; ``boxes`` the systems by name (:data:`BOXES`); ``shields`` #1 to #6 (D3.1);
    ``tracks`` sensor, scanner and damcon, first box first. ``drones_per_turn`` limits launches of the whole
    ship (``None``: one for each rack, FD4.21), ``drone_control`` those it can guide at once (D6.132).
    ``damage`` is ``dac`` or ``track`` (``thresholds``).
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
        """Drones the ship may launch in one turn (FD1.1, FD4.21)."""
        kinds = charts.weapon_kinds()
        racks = sum(1 for weapon in self.weapons if kinds[weapon.kind].arming == "ammunition")
        return racks if self.drones_per_turn is None else self.drones_per_turn

    @property
    def damcon(self) -> int:
        """The damage control rating of the undamaged ship (D9.1), 0 where the SSD has no track."""
        return max(self.tracks.get("damcon", (0,)))

    @property
    def has_damcon(self) -> bool:
        return self.damcon > 0

    def weapon(self, name: str) -> WeaponSpec:
        """A weapon by its name (``PH 1``). Raises ``KeyError``."""
        return self.named[name]

    @cached_property
    def named(self) -> dict[str, WeaponSpec]:
        """The weapons by name, in the order of the SSD."""
        return {weapon.name: weapon for weapon in self.weapons}

    def arc(self, name: str) -> str:
        """The firing arc of a weapon, by name."""
        return self.weapon(name).arc


MOST = 999
"""Boxes of a kind, people aboard: no SSD that a page can show has more. The next three are bounds of the same sort."""

MOST_WEAPONS = 99
LONGEST_NAME = 80
TRACKS = ("sensor", "scanner", "damcon")
COUNTS = ("crew", "boarding_parties", "control_stations", "explosion", "cloak", "drones_per_turn", "drone_control")


def ship_keys() -> list[str]:
    """The keys of all shipped classes, sorted."""
    return list(keys("ship"))


def ship_class(key_or_path: str | Path) -> ShipClass:
    """A class of ship by key, or from a user's own file.

    Raises :class:`GameError` with every error in the file.
    """
    key = str(key_or_path)
    return _read(key, own_figures().token if is_key("ship", key) else _stamp(key_or_path))


def _stamp(key_or_path: str | Path) -> str:
    """Tells two states of a user's file apart, so that an edited file is read again.

    And one game's files from another's, and charts with figures of one's own from those that are shipped.
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
    """What the types of the fields cannot say."""
    return [*_wrong_counts(ship), *_wrong_tracks(ship), *_wrong_terms(ship, classes), *_wrong_boxes(ship)]


def _wrong_counts(ship: ShipClass) -> Iterator[str]:
    if len(ship.shields) != 6:
        yield f"shields: needs the six shields #1 to #6, not {len(ship.shields)} numbers"
    yield from (f"shields[{n}]: {off}" for n, boxes in enumerate(ship.shields) if (off := _off(boxes)))
    yield from (f"{field}: {off}" for field in COUNTS if (off := _off(getattr(ship, field) or 0)))


def _wrong_tracks(ship: ShipClass) -> Iterator[str]:
    """Of ships that lose boxes of tracks (the solo scenarios)."""
    for number, step in enumerate(ship.thresholds):
        if not re.fullmatch(r"destroyed|phasers destroyed|speed \d{1,2}", step.effect):
            yield f"thresholds[{number}].effect: {step.effect!r} is none of destroyed, phasers destroyed, speed 3"
    for track, numbers in ship.tracks.items():
        if track not in TRACKS:
            yield f"tracks.{track}: is none of {', '.join(TRACKS)}"
        if not numbers:
            yield f"tracks.{track}: needs a number for each box"
        yield from (f"tracks.{track}[{n}]: {off}" for n, number in enumerate(numbers) if (off := _off(number)))


def _wrong_terms(ship: ShipClass, classes: dict[str, tuple[int, ...]]) -> Iterator[str]:
    """Its name, whose it is, and how it moves."""
    if not ship.name.isprintable() or len(ship.name) > LONGEST_NAME:
        yield f"name: needs 1 to {LONGEST_NAME} visible characters"
    if len(ship.weapons) > MOST_WEAPONS:
        yield f"weapons: {len(ship.weapons)} are too many; {MOST_WEAPONS} is the most"
    if ship.race not in charts.races():
        yield f"race: {ship.race!r} is none of {', '.join(charts.races())}"
    if not 0 < ship.move_cost <= MOST or ship.move_cost.denominator > MOST:
        yield f"move_cost: {ship.move_cost} is not more than 0, or not a number such as 1 or 2/3"
    if not ship.turn_modes and ship.turn_mode not in classes:
        yield f"turn_mode: {ship.turn_mode!r} is none of {', '.join(classes)}"
    if list(ship.turn_modes) != sorted(ship.turn_modes):
        yield "turn_modes: the speeds must rise"


def _wrong_boxes(ship: ShipClass) -> Iterator[str]:
    """Systems and weapons."""
    for box, count in ship.boxes.items():
        if box not in BOXES:
            yield f"boxes.{box}: is no system of an SSD"
        if off := _off(count):
            yield f"boxes.{box}: {off}"
    six, combined = charts.arcs().six, charts.arcs().combined
    names: set[str] = set()
    for number, weapon in enumerate(ship.weapons):
        if weapon.kind not in charts.weapon_kinds():
            yield f"weapons[{number}].kind: {weapon.kind!r} is none of {', '.join(charts.weapon_kinds())}"
            continue
        if weapon.name in names:
            yield f"weapons[{number}].id: there are two weapons {weapon.name}"
        names.add(weapon.name)
        bad = [part for part in weapon.arc.split("+") if part not in six and part not in combined]
        if bad:
            yield f"weapons[{number}].arc: {bad[0]!r} is none of {', '.join((*six, *combined))}"
        if off := _off(weapon.ammo):
            yield f"weapons[{number}].ammo: {off}"


def _off(count: int) -> str:
    """What is wrong with a number of boxes or people; empty if nothing is."""
    if count < 0:
        return f"{count} is less than 0"
    return f"{count} is too large; {MOST} is the most" if count > MOST else ""


COMMAND = ("bridge", "emer", "aux", "flag", "security")
"""Control, which stands forward."""

LEFT, RIGHT = "warp left", "warp right"
"""Engines that stand at the sides."""

POWER = ("warp center", "impulse", "apr", "battery")
"""What makes and keeps energy amidships, which stands aft."""


class Kinds(NamedTuple):
    """The boxes a ship has, by where they stand; within each in the order an SSD prints them."""

    engines: tuple[str, ...]
    command: tuple[str, ...]
    rest: tuple[str, ...]
    power: tuple[str, ...]
    tracks: tuple[str, ...]


def in_order(boxes: Iterable[str]) -> list[str]:
    """The names of boxes in the order an SSD prints them; whatever is new comes last, by name."""
    places = {name: place for place, name in enumerate(BOXES)}
    return sorted(boxes, key=lambda name: (places.get(name, len(places)), name))


def kinds(boxes: Mapping[str, int]) -> Kinds:
    """The boxes of which a ship has any."""
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
    """By which weapons are sorted: phasers by number, heavy weapons by letter, racks by number."""
    label, _, last = name.rpartition(" ")
    return label, int(last) if last.isdecimal() else 0, last
