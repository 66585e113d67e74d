"""The names of the months, in English whatever the locale."""

from __future__ import annotations

from typing import Final

NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTHS: Final = tuple(name[:3] for name in NAMES)
"""As a date has them: ``Wed 5 May 2027``."""
