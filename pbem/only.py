"""The one thing that is meant, where it is plain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def only(found: Sequence[T]) -> T | None:
    """The one thing found; ``None`` where there are none or several, so that nobody picks one of them by chance."""
    match found:
        case [one]:
            return one
    return None
