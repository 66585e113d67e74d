"""Where look-ups are entered by name; the look-ups themselves stand in :mod:`asks` and its three neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.faults import NotAllowed

Answer = Any
ASKS: dict[str, Callable[..., Answer]] = {}
"""Every look-up by its name in a case."""


def lookup(name: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Enter the function below under this name."""

    def note(function: Callable[..., Answer]) -> Callable[..., Answer]:
        ASKS[name] = function
        return function

    return note


def why_not(verify: Callable[[], None]) -> str:
    """The code with which a rule refuses; empty if it does not."""
    try:
        verify()
    except NotAllowed as refused:
        return refused.code
    return ""
