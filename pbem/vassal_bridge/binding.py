"""The binding of a game to a VASSAL module: which counter represents which unit and its facing.

The binding is proposed from names, stored in the game's vassal.toml and reviewed by people. The file is small and
meant to be edited::

    format = 1
    module = "modules/cadet.vmod"           # where the module was when last used
    map = "Tactical Map"
    board = "Small map"                     # a board of that map; if left out, the module itself chooses
    hexes = "numbers"                       # how its hexes are found (pbem.vassal_bridge.hexmap); default: by name
    zone = "Arena"                          # a zone of the board, if hexes are not found by name
    first_hex = [0, 1]                      # VASSAL's column and row of hex 0101, if hexes are counted
    facing = "Heading"                      # the trait that shows a facing, if counters have several
    first_facing = "B"                      # the facing of a layer's first picture, if the layer does not state it
    label = "ShipName"                      # the label for the name, if counters have several

    [counters]
    "Constellation" = "Ships/Cruiser A"     # a palette entry by name, path or gpid
    "klingon drone" = "Klingon drone"       # every Klingon drone without a line of its own
    "drone" = "Drone"                       # every other drone
    "shuttle" = "Admin Shuttle"

A module can mark its counters with properties (``ShipKey``, ``Weapon``, ``Unit``, ``Race``, ``Monster``), as the
companion module does. Then no name has to be guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from pbem.data.files import NotToml, parse_toml
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle
from pbem.errors import GameError
from pbem.rules.hexes import FACINGS
from pbem.vassal_bridge.hexmap import COUNTED, NAMES, HexMap
from vassal.errors import ModuleError, VassalError

if TYPE_CHECKING:
    from vassal.module.boards import GameMap, MapLayout
    from vassal.module.module import Module, Slot
    from vassal.pieces.piece import Piece
    from vassal.pieces.traits import Layer, Rotator


class Binding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of vassal.toml: the map of the module, and a palette entry for each unit name or kind.

    The docstring of :mod:`pbem.vassal_bridge.binding` shows an example.

    Attributes:
        format: Version of the file format.
        module: The path of the module when it was last used; ``import`` finds the module by it.
        map: Name of the module's map.
        board: Name of the board; empty for the board that the module itself chooses.
        hexes: How hexes are found: ``names``, ``numbers`` or ``counted`` (:mod:`pbem.vassal_bridge.hexmap`).
        zone: Name of the zone of the board whose hexes are used, if hexes are not found by name.
        first_hex: VASSAL's column and row of hex 0101, if hexes are counted.
        facing: Name of the trait that shows a facing, if counters have several such traits.
        first_facing: The facing of a layer's first picture, if the layer does not state it.
        label: Name of the label for the unit's name, if counters have several labels.
        counters: The palette entries by unit name or kind (``drone``, a ship class).
    """

    format: int = 1
    module: str = ""
    map: str
    board: str = ""
    hexes: Literal["names", "numbers", "counted"] = "names"
    zone: str = ""
    first_hex: tuple[int, int] = (0, 0)
    facing: str = ""
    first_facing: Literal["A", "B", "C", "D", "E", "F"] = "A"
    label: str = ""
    counters: dict[str, str] = {}

    def map_of(self, module: Module) -> GameMap:
        """Return the map of the VASSAL module that the game uses.

        Raises:
            ModuleError: The module has no map with that name.
        """
        try:
            return module.map(self.map)
        except VassalError as error:
            raise ModuleError(f"{error}; vassal.toml is for another module; run pbem bind for this one") from error

    def hexmap(self, layout: MapLayout) -> HexMap:
        """Return the object that finds the game's hexes on ``layout``, a map with its boards in place."""
        return HexMap(layout, self.hexes, self.zone, self.first_hex)


def read_binding(data: str, file: str) -> Binding:
    """Read a binding from the text of vassal.toml.

    ``data`` is the text, and ``file`` the file's name for error messages.

    Raises:
        GameError: The text is wrong; the error names the place in the file.
    """
    try:
        binding = msgspec.convert(parse_toml(data), Binding)
    except (NotToml, msgspec.ValidationError) as error:
        raise GameError.saying("binding", f"this file cannot be read: {error}", file=file) from error
    if binding.format != 1:
        raise GameError.saying("binding", f"format {binding.format} is unknown; this version reads format 1", file=file)
    # Another system's editor may store names in decomposed Unicode (NFD). Counters' names stay as in the module.
    return replace(binding, counters={normalize("NFC", name): slot for name, slot in binding.counters.items()})


def binding_text(binding: Binding) -> str:
    """Return the text of vassal.toml for a binding, its counters sorted by name."""
    lines = [
        "# Which counter of the VASSAL module stands for which unit. Edit freely; pbem export reads it again.",
        f"format = {binding.format}",
        *_line("module", binding.module),
        f"map = {json.dumps(binding.map, ensure_ascii=False)}",
        *_line("board", binding.board),
        *(_line("hexes", binding.hexes) if binding.hexes != NAMES else ()),
        *_line("zone", binding.zone),
        *([f"first_hex = {list(binding.first_hex)}"] if binding.hexes == COUNTED else []),
        *_line("facing", binding.facing),
        *(_line("first_facing", binding.first_facing) if binding.first_facing != "A" else ()),
        *_line("label", binding.label),
        "",
        "[counters]",
    ]
    lines += [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(slot, ensure_ascii=False)}"
        for name, slot in sorted(binding.counters.items())
    ]
    return "\n".join(lines) + "\n"


def _line(name: str, value: str) -> list[str]:
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}"] if value else []


def counter_key(unit: AnyUnit) -> str:
    """Return the name or kind under which vassal.toml lists the counter of a unit.

    Ships, monsters and planets are listed by name. Seeking weapons and shuttles are listed by kind, because a suicide
    shuttle must look like any other shuttle (J2.222).
    """
    if isinstance(unit, Seeker):
        return unit.weapon
    return "shuttle" if isinstance(unit, Shuttle) else unit.name


def has_counter(binding: Binding, unit: AnyUnit) -> bool:
    """Return whether a unit gets a counter.

    Every unit gets a counter, except a planet for which the binding does not name a counter.
    """
    return not isinstance(unit, Planet) or any(key in binding.counters for key in binding_keys(unit))


def kind_key(unit: AnyUnit) -> str:
    """Return race and kind of a small unit (``klingon drone``), or the name of any other unit.

    Small units are drones, torpedoes and shuttles.
    """
    if isinstance(unit, Seeker):
        return f"{unit.race} {unit.weapon}"
    return f"{unit.race} shuttle" if isinstance(unit, Shuttle) else unit.name


def binding_keys(unit: AnyUnit) -> tuple[str, ...]:
    """Return the keys in vassal.toml that apply to a unit, the most specific first.

    These are the unit's name, its race and kind (``klingon drone``), its kind (``drone``), and its class.
    """
    match unit:
        case Ship():
            kind = unit.ship
        case Monster():
            kind = unit.monster
        case _:
            kind = type(unit).__name__.lower()
    return unit.name, kind_key(unit), counter_key(unit), kind


def wanted_marks(unit: AnyUnit) -> dict[str, str]:
    """Return the properties that a unit's counter has in a module that marks its counters by properties."""
    match unit:
        case Ship():
            return {"ShipKey": unit.ship}
        case Seeker():
            return small_marks(unit.weapon, unit.race)
        case Shuttle():
            return small_marks("shuttle", unit.race)
        case Monster():
            return {"Monster": unit.monster}
        case Planet():
            return {"Unit": "planet"}


def small_marks(kind: str, race: str) -> dict[str, str]:
    """Return the properties that mark the counter of a small unit in the companion module.

    Small units are drones, torpedoes and shuttles. ``kind`` is ``shuttle`` or the weapon's kind, and ``race`` the race
    that owns the unit.
    """
    return {"Unit" if kind == "shuttle" else "Weapon": kind, "Race": race}


def marked(module: Module, marks: Mapping[str, str]) -> Slot | None:
    """Return the first palette entry whose counter has all these properties, or ``None`` if there is none."""
    for slot in module.slots:
        if not slot.in_palette or not all(name in slot.piece.type for name in marks):
            continue  # quick test first: a module may have thousands of entries
        if all(slot.piece.properties.get(name) == value for name, value in marks.items()):
            return slot
    return None


def reference(module: Module, slot: Slot) -> str:
    """Return the text that names a palette entry in vassal.toml; empty if all its names are ambiguous.

    If the module marks its counters, the text is the name of the counter or of the entry. Otherwise it is the gpid
    (VASSAL's id of the entry), or the path in the palette if another entry has the same gpid.
    """
    is_marked = {"ShipKey", "Weapon", "Unit", "Monster"} & slot.piece.properties.keys()
    for name in (slot.piece.basic_name, slot.name) if is_marked else ():
        if _called(module, name) == 1:
            return name
    return next((name for name in (slot.gpid, "/".join((*slot.path, slot.name))) if _means(module, name, slot)), "")


def _means(module: Module, name: str, slot: Slot) -> bool:
    """Return whether ``name`` in vassal.toml refers to this palette entry, or to one identical to it."""
    try:
        found = module.slot(name) if name else None
    except VassalError:
        return False
    return found is not None and (found.gpid, found.piece) == (slot.gpid, slot.piece)


def _called(module: Module, name: str) -> int:
    """Return how many palette entries have this text as name, as gpid or as the name of their counter."""
    named = sum(name in (slot.name, slot.gpid) for slot in module.slots)
    return named + sum(name not in (slot.name, slot.gpid) for slot in module.called(name))


def slot_of(binding: Binding, module: Module, unit: AnyUnit) -> Slot | None:
    """Return the palette entry of a unit's counter, or ``None`` if there is none.

    vassal.toml is searched for the unit's own name first, then for its kind. If it has neither, the result is the
    entry that the module marks for the unit by properties.

    Raises:
        GameError: A line of vassal.toml names no palette entry.
    """
    for key in binding_keys(unit):
        if key in binding.counters:
            try:
                return module.slot(binding.counters[key])
            except VassalError as error:
                raise GameError.saying("no-counter", f"vassal.toml, {key!r}: {error}") from error
    return marked(module, wanted_marks(unit))


def slot_for(binding: Binding, module: Module, unit: AnyUnit) -> Slot:
    """Return the palette entry of a unit's counter.

    Raises:
        GameError: The unit has no counter.
    """
    found = slot_of(binding, module, unit)
    if found is None:
        text = f"vassal.toml has no counter for {unit.name}; add a line for it or its kind"
        raise GameError.saying("no-counter", text)
    return found


SIXTH = 60
"""Degrees between two facings (C1.2)."""

TURNING = {"facing", "face", "heading", "direction", "dir", "rotate", "rotation", "turn", "orientation", "course"}
"""Words that the name of a layer contains if the layer shows a facing."""

_COMPASS = {"n": 0, "nne": 30, "ne": 60, "e": 90, "se": 120, "sse": 150, "s": 180, "ssw": 210, "sw": 240, "w": 270}
_COMPASS |= {"nw": 300, "nnw": 330, "north": 0, "northeast": 60, "southeast": 120, "south": 180, "southwest": 240}
_COMPASS |= {"northwest": 300}


class Heading(NamedTuple):
    """The trait (feature of a counter) by which a counter shows its facing.

    Attributes:
        name: The name of the trait.
        about: A description of how the trait shows the facing.
        degrees: If the trait is a layer of pictures, the direction that each picture shows, in degrees clockwise from
            facing A. Empty for a trait that turns the counter itself.
        sure: False if the pictures of a layer do not say which direction they show.
    """

    name: str
    about: str
    degrees: tuple[int, ...] = ()
    sure: bool = True

    @property
    def is_layer(self) -> bool:
        """Whether a layer of pictures shows the facing (True), or the counter itself turns (False)."""
        return bool(self.degrees)


def heading_of(piece: Piece, name: str = "", first: str = "A") -> Heading | None:
    """Return the trait by which a counter shows its facing, or ``None`` if the counter cannot turn.

    With ``name``, the trait of that name is used if the counter has one. ``first`` is the facing of the first
    picture of a layer that does not say its directions.
    """
    rotators = [turns for turns in piece.rotators if turns.facings == 1 or turns.facings % 6 == 0]
    layers = [layer for layer in piece.layers if not layer.follows]
    if name:
        rotators = [turns for turns in rotators if turns.name == name] or rotators
        named = [layer for layer in layers if layer.name == name]
        if named and not any(turns.name == name for turns in rotators):
            return _by_layer(named[0], first, named=True)
    if rotators:
        return _by_turning(rotators[0])
    found = [heading for layer in layers if (heading := _by_layer(layer, first)) is not None]
    return next((heading for heading in found if heading.sure), found[0] if found else None)


def could_be(piece: Piece) -> list[Heading]:
    """Return all traits of a counter that could show the counter's facing, the most likely first."""
    best = heading_of(piece)
    if best is None:
        return []
    others: list[Heading] = [
        _by_turning(turns) for turns in piece.rotators if turns.facings == 1 or turns.facings % 6 == 0
    ]
    others += [found for layer in piece.layers if (found := _by_layer(layer, "A")) is not None and not layer.follows]
    return [best, *(other for other in others if other.name != best.name)]


def level_for(heading: Heading, facing: str) -> int:
    """Return the number of the picture in a layer that shows a facing, from 1; 0 if no picture does."""
    wanted = FACINGS.index(facing) * SIXTH
    return heading.degrees.index(wanted) + 1 if wanted in heading.degrees else 0


def facing_of(piece: Piece, name: str = "", first: str = "A") -> str:
    """Return the facing that a counter shows, ``A`` to ``F``; empty if it has none.

    The result is also empty if the counter points between two facings. If several traits turn the counter, the first
    trait that points at a hex side is used.
    """
    heading = heading_of(piece, name, first)
    if heading is not None and heading.is_layer:
        layer = next(layer for layer in piece.layers if layer.name == heading.name)
        return _facing(heading.degrees[layer.level - 1]) if layer.active else ""
    rotators = sorted(piece.rotators, key=lambda turns: heading is not None and turns.name != heading.name)
    shown = (_facing(round(turns.degrees if turns.facings > 1 else -turns.angle) % 360) for turns in rotators)
    return next(filter(None, shown), "")


def _facing(degrees: int) -> str:
    return FACINGS[degrees // SIXTH] if degrees % SIXTH == 0 else ""


def _by_turning(turns: Rotator) -> Heading:
    free = turns.facings == 1
    return Heading(turns.name, "turns to any angle" if free else f"turns to {turns.facings} directions")


def _by_layer(layer: Layer, first: str, *, named: bool = False) -> Heading | None:
    """Return a layer as a :class:`Heading`, or ``None`` if the layer does not show directions.

    The layer must have 6, 12 or 24 pictures, and each must name a direction. If the pictures do not name directions,
    the name of the layer must mean facing; the pictures then count as being in clockwise order. ``first`` is the
    facing of the first picture; ``named`` says that the user named the layer.
    """
    count = len(layer.images)
    if count not in (6, 12, 24):
        return None
    step = 360 // count
    called_so = named or bool({*re.findall(r"[a-z]+", layer.name.casefold())} & TURNING)
    for texts in (layer.names, layer.images):
        degrees = _directions(texts, count) or (_numbered(texts, count) if called_so else None)
        if degrees is not None:
            return Heading(layer.name, f"shows {count} directions, a picture for each", degrees)
    if not called_so:
        return None
    begin = FACINGS.index(first) * SIXTH
    ordered = tuple((begin + step * level) % 360 for level in range(count))
    about = f"has {count} pictures, the first one taken for {first}"
    return Heading(layer.name, about, ordered, sure=named)


def _directions(texts: tuple[str, ...], count: int) -> tuple[int, ...] | None:
    """Return the directions that the texts name, in degrees clockwise from facing A.

    The result is ``None`` unless each text names a different direction out of ``count``.
    """
    if len(texts) != count or not all(texts):
        return None
    before, after = _same_beginning(texts), _same_beginning([text[::-1] for text in texts])
    differing = [text[before : len(text) - after] for text in texts]
    circle = [360 // count * step for step in range(count)]
    for reading in (_letter, _compass, _degrees):
        for parts in (texts, differing):
            found = [value for part in parts if (value := reading(part)) is not None]
            if sorted(found) == circle:
                return tuple(found)
    return None


def _numbered(texts: Sequence[str], count: int) -> tuple[int, ...] | None:
    """Return the directions (in degrees) of pictures whose texts are numbered in order, else ``None``."""
    numbers = [re.findall(r"\d+", text) for text in texts]
    steps = [int(found[-1]) for found in numbers if found and len(found[-1]) < 4]
    for begin in (1, 0):  # ship1 to ship6, or ship0 to ship5
        if sorted(steps) == list(range(begin, begin + count)):
            return tuple((step - begin) * 360 // count for step in steps)
    return None


def _same_beginning(texts: Sequence[str]) -> int:
    """Return how many characters all texts have in common at the beginning."""
    shortest = min(texts, key=len)
    return next((n for n in range(len(shortest)) if len({text[: n + 1] for text in texts}) > 1), len(shortest))


def _letter(text: str) -> int | None:
    found = re.findall(r"(?<![A-Za-z])([A-Fa-f])(?![A-Za-z])", text)
    return FACINGS.index(found[-1].upper()) * SIXTH if found else None


def _compass(text: str) -> int | None:
    found = [word for word in re.findall(r"[a-z]+", text.casefold()) if word in _COMPASS]
    return _COMPASS[found[-1]] if found else None


def _degrees(text: str) -> int | None:
    found = re.findall(r"\d+", text)
    return int(found[-1]) if found and len(found[-1]) < 4 else None
