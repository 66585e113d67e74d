"""Things counted in a sentence."""

from __future__ import annotations


def several(count: int, one: str, many: str = "") -> str:
    """``1 box``, ``3 boxes``."""
    return f"{count} {one if count == 1 else many or one + 's'}"
