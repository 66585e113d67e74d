"""What is left out of kept files: logs, states and a host's notes are written without the fields that have their
defaults, so another default would change what older files mean. ``defaults.txt`` has them all, class by class.

A new field gets a line there; a line that changes, or goes, is a file that is read otherwise than it was written.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

import msgspec

import pbem.club
import pbem.engine
import pbem.games
import pbem.mail
from pbem.engine.on_file import IN_MEMORY, StateOnFile

ROOT = Path(__file__).resolve().parents[2]
GAME = (ROOT / "pbem/engine", ROOT / "pbem/engine/events")


def kept() -> Iterator[type[msgspec.Struct]]:
    """All that games are made of, and what else leaves defaults out."""
    for package in (pbem.engine, pbem.games, pbem.mail, pbem.club):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            if package is pbem.engine and path.parent not in GAME:
                continue  # what a game is made of lies in two folders of the engine
            if package is not pbem.engine and "omit_defaults=True" not in path.read_text(encoding="utf-8"):
                continue  # nothing in it, so it need not be loaded
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            module = importlib.import_module(name)
            for one in vars(module).values():
                if not isinstance(one, type) or not issubclass(one, msgspec.Struct) or one.__module__ != name:
                    continue
                if one in IN_MEMORY or one is StateOnFile:
                    continue
                if package is pbem.engine or one.__struct_config__.omit_defaults:
                    yield one


def told(default: object) -> str:
    if isinstance(default, tuple):
        return f"({', '.join(map(told, default))})"
    return repr(default.value) if isinstance(default, Enum) else repr(default)


def defaults(one: type[msgspec.Struct]) -> Iterator[str]:
    """The fields a class adds to those of the one it is made from."""
    for field in msgspec.structs.fields(one):
        if field.name not in one.__annotations__:
            continue
        if field.default is not msgspec.NODEFAULT:
            yield f"    {field.encode_name} = {told(field.default)}"
        elif field.default_factory is not msgspec.NODEFAULT:
            assert isinstance(field.default_factory, type)
            yield f"    {field.encode_name} = {field.default_factory()!r}"


def test_a_default_is_for_good(as_kept: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for one in sorted(kept(), key=lambda one: (one.__module__, one.__qualname__)):
        if found := list(defaults(one)):
            lines += [f"{one.__module__.removeprefix('pbem.')}.{one.__qualname__}", *found]
    as_kept("defaults.txt", "".join(f"{line}\n" for line in lines))
