"""Optional chapters of the handbook that stand in folders of their own: what the program knows of one side by side.

A chapter is a package whose name is the key by which scenarios use it (``chapters = ["tractors"]``). Its modules stand
on the floors of the house and import what their room may; each is asked by the room above it:

========== =============== ===================================================================================
module     floor           what it declares, all of it optional
========== =============== ===================================================================================
``words``  ``values``      plain data: ``SPELLINGS`` of its words, ``ENTRIES`` of the energy form, ``STATES`` that a
                           condition asks of a unit (``unit FLARING``), and how the order form says them
``orders`` ``orders``      an ``Activity`` for each order word, which is a word of the language from then on
``law``    ``rules``       ``ENERGY``: what each entry costs and readies; whatever else is law
``events`` ``game``        an ``Event`` for each thing that happens
``turn``   ``turn``        ``CHECKS`` of its orders, ``PLAYS`` by step, ``STATES`` as they are asked
``offers`` ``offers``      ``acts``, ``fields`` of the energy form, hints of the draft: ``entries`` and ``orders``
``told``   ``report``      ``WORDS`` of its events, and which are ``NEWS``; ``facts`` of a ship, ``secrets`` of its own
========== =============== ===================================================================================

A room that makes a table of what chapters declare as it is read lies above them; one that asks when it needs it may be
imported by them (tests/test_house.py). What a form gives power to stands in ``Ship.powered``, the numbers and moments a
chapter keeps of a ship in ``Ship.own``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

FOLDERS: list[str] = ["pbem.chapters.tractors"]
"""The chapters, by the full names of their packages: one line each."""


def keys() -> tuple[str, ...]:
    """The names by which scenarios use them."""
    return tuple(folder.rpartition(".")[2] for folder in FOLDERS)


@cache
def floor(name: str) -> tuple[tuple[Any, ModuleType], ...]:
    """The module of this name of every chapter that has one, behind the chapter's key."""
    found = []
    for key, folder in zip(keys(), FOLDERS, strict=True):
        try:
            found.append((key, import_module(f"{folder}.{name}")))
        except ModuleNotFoundError as error:
            if error.name != f"{folder}.{name}":
                raise
    return tuple(found)


def declared(name: str, what: str) -> Iterator[tuple[Any, Any]]:
    """What the modules of a floor declare under a name, behind the chapter's key."""
    return ((key, getattr(module, what)) for key, module in floor(name) if hasattr(module, what))


def joined(name: str, what: str) -> dict[Any, Any]:
    """The same of what are dicts, in one."""
    return {word: each for _, table in declared(name, what) for word, each in table.items()}
