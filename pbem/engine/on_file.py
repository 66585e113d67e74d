"""The layout of ships in files: the fields of a ship and of all its parts in one flat list.

In memory a ship has parts (:class:`pbem.engine.state.Power` and others). State files, the log and rule cases use one
flat list of fields instead; the name of a field in this list is called a *word*. Both layouts are generated from the
same structs, so each field is defined only once.
"""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo, fields, replace

from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State, Unit

WORDS = (
    "ship", "class_name", "prior_speed", "since_turn", "since_slip", "shields", "boxes", "weapons", "capacitor",
    "batteries", "reinforcement", "general", "repairing", "allotted", "robot", "immobile", "untouchable", "spared_by",
    "invulnerable", "disabled", "internals", "marks", "lock_on", "unpaid", "tactical", "sublight", "tacs",
    "sublight_used", "cloak", "cloak_since", "cloak_paid", "exposed", "tractors", "beams_used", "released",
    "transporters", "transported", "lowered", "hangar", "bay_used", "bombs", "probes", "move_warp", "move_impulse",
    "paid_speed", "towing", "battery_part", "parties", "boarders", "taken", "captured_from", "mutiny", "passengers",
    "powered", "own",
)  # fmt: skip
"""The words for a ship in a state file, in the order of the file."""

PARTS = ("power", "people", "terms", "this_turn", "cloaking")
"""The fields of a ship that contain a part of it, such as its power."""

_RENAMED = {
    "power.lines": "allotted",
    "power.speed": "paid_speed",
    "power.cloak": "cloak_paid",
    "cloaking.state": "cloak",
    "cloaking.since": "cloak_since",
}
"""Dict of the fields of parts that have another word in files, to that word."""


def default_of(field: FieldInfo) -> Any:
    """Return the default of a field of a struct; ``NODEFAULT`` if it has none."""
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def as_field(field: FieldInfo, *, required: bool = False) -> tuple[Any, ...]:
    """Return a field of one struct in the form in which :func:`msgspec.defstruct` adds it to another.

    If ``required`` is true, the new field has no default.
    """
    if required or field.required:
        return field.name, field.type
    factory = field.default_factory
    return field.name, field.type, field.default if factory is NODEFAULT else msgspec.field(default_factory=factory)


def _places() -> dict[str, tuple[str, FieldInfo]]:
    """Return a dict of each word (field name in files) to its place in memory.

    The place is a pair: the name of the part of the ship, and the name of the field in that part. The first name is
    empty for a field of the ship itself.
    """
    found = {field.name: ("", field) for field in fields(Ship) if field.name not in PARTS}
    for part, kind in zip(PARTS, (type(default_of(f)) for f in fields(Ship) if f.name in PARTS), strict=True):
        for field in fields(kind):
            found[_RENAMED.get(f"{part}.{field.name}", field.name)] = (part, field)
    return found


_PLACES = _places()
_WHERE = {word: (part, field.name) for word, (part, field) in _PLACES.items() if part}
_OF_UNIT = Unit.__struct_fields__
_PATHS = {word: f"{part}.{field.name}" if part else field.name for word, (part, field) in _PLACES.items()}
DEFAULTS = {word: default_of(_PLACES[word][1]) for word in (*_OF_UNIT, *WORDS)}
"""The default of each word; ``NODEFAULT`` for a word that files always contain."""

if TYPE_CHECKING:

    class ShipOnFile(Unit, frozen=True):
        """A ship in the layout of files: one flat list of fields."""

    class StateOnFile(State, frozen=True):
        """A state in the layout of state files, with each ship as one flat list of fields."""

else:
    ShipOnFile = msgspec.defstruct(
        "ShipOnFile",
        [(word, *as_field(_PLACES[word][1])[1:]) for word in WORDS],
        bases=(Unit,),
        module=__name__,
        frozen=True,
        kw_only=True,
        tag="ship",
    )
    ShipOnFile.__doc__ = "A ship in the shape that files have: one flat list of fields."

AnyUnitOnFile = ShipOnFile | Seeker | Shuttle | Monster | Planet
"""Type of all units in the shape that files have."""

if not TYPE_CHECKING:
    StateOnFile = msgspec.defstruct(
        "StateOnFile",
        [("units", dict[str, AnyUnitOnFile], msgspec.field(default_factory=dict))],
        bases=(State,),
        module=__name__,
        frozen=True,
        kw_only=True,
    )
    StateOnFile.__doc__ = "A state in the shape of its file, with ships in one flat list of fields."

IN_MEMORY = (Ship, *(type(default_of(field)) for field in fields(Ship) if field.name in PARTS))
"""The structs that files do not contain in this shape: ships and their parts."""

_read = attrgetter(*[_PATHS[word] for word in (*_OF_UNIT, *WORDS)])
_KINDS = {field.name: type(default_of(field)) for field in fields(Ship) if field.name in PARTS}
_WORDS_OF = {
    part: [(word, field.name) for word, (inside, field) in _PLACES.items() if inside == part] for part in ("", *PARTS)
}


def unit_on_file(unit: AnyUnit) -> AnyUnitOnFile:
    """Return a unit in the layout of files; only ships have a different layout there."""
    if not isinstance(unit, Ship):
        return unit
    return ShipOnFile(**dict(zip((*_OF_UNIT, *WORDS), _read(unit), strict=True)))


def unit_from_file(unit: AnyUnitOnFile) -> AnyUnit:
    """Return a unit in the layout used in memory, from its layout in files; only ships differ."""
    if not isinstance(unit, ShipOnFile):
        return unit
    return ship_of_words({word: getattr(unit, word) for word in (*_OF_UNIT, *WORDS)})


def ship_of_words(words: dict[str, Any]) -> Ship:
    """Return the ship with the given values, which are named by the words (field names) of files.

    Fields that are not given have their default values.
    """
    parts = {
        part: kind(**{name: words[word] for word, name in _WORDS_OF[part] if word in words})
        for part, kind in _KINDS.items()
    }
    return Ship(**{word: words[word] for word, _ in _WORDS_OF[""] if word in words}, **parts)


def state_on_file(state: State) -> StateOnFile:
    """Return a state in the layout of state files, with each ship as one flat list of fields."""
    values = {name: getattr(state, name) for name in State.__struct_fields__}
    return StateOnFile(**values | {"units": {name: unit_on_file(unit) for name, unit in state.units.items()}})


def state_from_file(state: StateOnFile) -> State:
    """Return a state in the layout used in memory, from its layout in files."""
    values: dict[str, Any] = {name: getattr(state, name) for name in State.__struct_fields__}
    return State(**values | {"units": {name: unit_from_file(unit) for name, unit in values["units"].items()}})


_Unit = TypeVar("_Unit", bound=AnyUnit)


def altered(unit: _Unit, **changes: Any) -> _Unit:
    """Return a copy of a unit with some values changed.

    ``changes`` holds the new values by the words (field names) of files. The part of the ship that contains a field is
    found automatically.
    """
    if not isinstance(unit, Ship) or _WHERE.keys().isdisjoint(changes):
        return replace(unit, **changes)
    own: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for word, value in changes.items():
        part, name = _WHERE.get(word, ("", word))
        if part:
            inside.setdefault(part, {})[name] = value
        else:
            own[word] = value
    for part, values in inside.items():
        own[part] = replace(getattr(unit, part), **values)
    return replace(unit, **own)


def has_word(word: str) -> bool:
    """Return whether ships in files have a field with this name (word)."""
    return word in _PLACES


def value_of(ship: Ship, word: str) -> Any:
    """Return the value of a ship's field, given the field's name in files (word)."""
    part, field = _PLACES[word]
    return getattr(getattr(ship, part) if part else ship, field.name)
