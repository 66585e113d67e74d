"""Attributes reckoned when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

__all__ = ["lazy", "reckoned"]

if TYPE_CHECKING:
    from functools import cached_property as lazy
else:

    class lazy:
        """``functools.cached_property`` without its lock.

        Python 3.11 takes the lock whenever a value is first asked for, which was a third of the time of
        reading a big save. Two threads may reckon the same value twice; it is the same value.
        """

        def __init__(self, function):
            self.function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


def reckoned(instance: Any, name: str, by: Mapping[str, Callable[[Any], Any]]) -> Any:
    """The value of a slot that is still empty, put into it: for ``__getattr__``, which nobody calls once it is full.

    What a big save holds a hundred thousand of has slots: a dictionary of its own would weigh more than what is in it.
    """
    function = by.get(name)
    if function is None:
        raise AttributeError(f"{type(instance).__name__} has no attribute {name!r}")
    value = function(instance)
    object.__setattr__(instance, name, value)
    return value
