"""Attributes reckoned when they are first asked for, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["lazy"]

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
