"""The order: FLARE Destruction."""

from __future__ import annotations

from pbem.orders.activities import Activity
from pbem.orders.cursor import Cursor
from pbem.orders.names import target_text
from pbem.orders.refs import UnitRef
from pbem.values.words import StepName


class Flare(Activity, frozen=True, kw_only=True):
    """FLARE unit: burnt at the end of the impulse."""

    verb = "FLARE"
    step = StepName.END

    target: UnitRef

    @classmethod
    def read(cls, cursor: Cursor) -> Flare:
        return cls(target=cursor.unit("a ship to dazzle"))

    @property
    def text(self) -> str:
        return f"FLARE {target_text(self.target)}"
