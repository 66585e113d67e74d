"""Variants of a scenario: other versions that its text names, kept in its file as what is different.

``[variants.NAME]`` may hold any field of a scenario. Lists of named things (sides, units, seekers …) are gone through
by name: what is there is changed, what is not is added, ``without`` names what is left out. A table such as
``victory`` is changed field by field; anything else is replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pbem.data.files import keys, own_figures, read_toml
from pbem.errors import Fault, GameError

VARIANTS, WITHOUT = "variants", "without"
NAMED = ("sides", "units", "seekers", "monsters", "terrain")
"""Lists of things that have a name."""


def variant_keys() -> tuple[str, ...]:
    """The keys of all variants of shipped scenarios: the scenario's number, a hyphen, the variant's name."""
    return _variant_keys(own_figures().token)


@cache
def _variant_keys(token: str) -> tuple[str, ...]:
    return tuple(
        f"{number}-{name}" for number in keys("scenario") for name in _variants(read_toml("scenario", number)[0])
    )


def read_scenario(key_or_path: str) -> tuple[dict[str, Any], str]:
    """The content of a scenario's file, or of one of its variants, and the name errors give it. Raises
    :class:`GameError`.
    """
    number, hyphen, name = key_or_path.partition("-")
    try:
        # Where it looks like a variant it may still be a user's own, in the folder of his game.
        raw, file = read_toml("scenario", key_or_path)
        return {**raw, VARIANTS: _titles(raw)}, file
    except GameError as error:
        if not hyphen or number not in keys("scenario") or error.faults[0].code != "unknown-scenario":
            raise
        raw, file = read_toml("scenario", number)
        known = _variants(raw)
        if name not in known:
            of = f"its variants are {', '.join(known)}" if known else "it has no variants"
            text = f"scenario #{number} has no variant {name!r}; {of}"
            raise GameError(Fault(code="unknown-scenario", text=text, choices=tuple(known))) from error
    return {**varied(raw, known[name]), VARIANTS: {}, "variant": name}, file


def _variants(raw: Mapping[str, Any]) -> dict[str, Any]:
    found = raw.get(VARIANTS, {})
    return found if isinstance(found, dict) else {}


def _titles(raw: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(changes.get("title", "")) for name, changes in _variants(raw).items() if isinstance(changes, dict)
    }


def varied(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario as a variant changes it."""
    found = {key: value for key, value in raw.items() if key != VARIANTS}
    for key, value in changes.items():
        old = found.get(key)
        if key in NAMED:
            found[key] = _merged(old or [], value)
        elif key == WITHOUT:
            continue
        else:
            found[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    gone = changes.get(WITHOUT, ())
    for key in NAMED:
        if key in found:
            found[key] = [thing for thing in found[key] if thing.get("name") not in gone]
    return found


def _merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    changed = {thing.get("name"): thing for thing in new}
    found = [{**thing, **changed.pop(thing.get("name"), {})} for thing in old]
    return [*found, *changed.values()]
