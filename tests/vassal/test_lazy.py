"""Dataclasses that are completed when they are first used are what the library would have made of them."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import pkgutil
from importlib import import_module
from typing import Any

import pytest

import vassal
from vassal.text import leaves
from vassal.text.sequence import dataclass


@dataclass(frozen=True, slots=True)
class Late:
    name: str
    places: tuple[int, ...] = ()
    hidden: dict[str, int] = dataclasses.field(default_factory=dict, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Early:
    name: str
    places: tuple[int, ...] = ()
    hidden: dict[str, int] = dataclasses.field(default_factory=dict, repr=False)


def told(kind: Any) -> list[object]:
    """What a class says of two of its objects."""
    one, other = kind("a", (1, 2)), kind(name="b")
    match one:
        case kind(name, places):
            taken = name, places
    said = [repr(one).replace(kind.__qualname__, "X"), one == kind("a", (1, 2)), one == other, one == "a", taken]
    said += [dataclasses.asdict(one), dataclasses.replace(other, places=(3,)).places, other.hidden is one.hidden]
    said += [[field.name for field in dataclasses.fields(kind)], pickle.loads(pickle.dumps(one)) == one]
    said += [kind.__slots__, kind.__match_args__, str(inspect.signature(kind)), hasattr(one, "__dict__")]
    for wrong in (lambda: kind(), lambda: setattr(one, "name", "c"), lambda: delattr(one, "name"), lambda: hash(one)):
        with pytest.raises((TypeError, dataclasses.FrozenInstanceError)) as refused:
            wrong()
        said.append((refused.type, str(refused.value).replace(kind.__qualname__, "X").partition("field")[2]))
    return said


def test_a_class_that_waits_is_what_the_library_makes() -> None:
    assert told(Late) == told(Early)
    assert hash(leaves.RemovePiece("1")) == hash(leaves.RemovePiece("1")) != hash(leaves.RemovePiece("2"))


def test_every_class_that_waits_can_be_completed() -> None:
    found = 0
    for module in pkgutil.walk_packages(vassal.__path__, "vassal."):
        if module.name.endswith("__main__"):
            continue
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and kind.__module__ == module.name and dataclasses.is_dataclass(kind):
                found += 1
                fields = dataclasses.fields(kind)
                assert list(inspect.signature(kind).parameters) == [field.name for field in fields if field.init], kind
    assert found > 50


def test_an_object_that_was_only_read_again_compares() -> None:
    """Unpickling calls no ``__init__``: whatever is asked first completes the class."""

    @dataclass(frozen=True, slots=True)
    class Unused:
        name: str

    one, other = (object.__new__(Unused) for _ in range(2))
    one.__setstate__(["a"])  # type: ignore[attr-defined]
    other.__setstate__(["a"])  # type: ignore[attr-defined]
    assert one == other
    assert repr(one).endswith("Unused(name='a')")
