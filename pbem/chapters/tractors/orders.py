"""The orders: TRACTOR and RELEASE."""

from __future__ import annotations

from pbem.orders.activities import Activity, a_letter, paid_text, stops, with_reserve
from pbem.orders.cursor import Cursor
from pbem.orders.names import target_text
from pbem.orders.refs import UnitRef
from pbem.values.words import StepName


class Tractor(Activity, frozen=True, kw_only=True):
    """TRACTOR unit WITH A (G7.0); without a letter the first beam that can. ``reserve``: batteries pay (H7.2)."""

    verb = "TRACTOR"
    step = StepName.TRACTOR

    target: UnitRef
    beam: str = ""
    reserve: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> Tractor:
        unit = cursor.unit("a unit to hold")
        beam = ""
        if cursor.key() == "WITH" and cursor.key(1) != "RESERVE":
            cursor.need("WITH")
            cursor.take("TRACTOR")
            beam = a_letter(cursor, "a tractor beam, like A")
        return cls(target=unit, beam=beam, reserve=with_reserve(cursor))

    @property
    def text(self) -> str:
        return f"TRACTOR {target_text(self.target)}{f' WITH {self.beam}' if self.beam else ''}{paid_text(self.reserve)}"


class Release(Activity, frozen=True, kw_only=True):
    """RELEASE A: a tractor beam lets go; without a letter all do (G7.12)."""

    verb = "RELEASE"
    step = StepName.TRACTOR

    beam: str = ""

    @classmethod
    def read(cls, cursor: Cursor) -> Release:
        cursor.take("TRACTOR")
        return cls(beam="" if stops(cursor) else a_letter(cursor, "a tractor beam, like A"))

    @property
    def text(self) -> str:
        return f"RELEASE {self.beam}".rstrip()
