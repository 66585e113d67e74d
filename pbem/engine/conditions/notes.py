"""Notes on one way to make a condition true: what it requires of each unit and of the impulse.

A *way* is a combination of parts that makes the condition true. :mod:`pbem.engine.checking.conditions` splits a
condition into ways. Each kind of condition then records what it requires
(:meth:`pbem.engine.conditions.kinds.ConditionMeaning.possible`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.engine.conditions.scene import named
from pbem.engine.state import AnyUnit, Request, Seeker, Ship, Shuttle, State
from pbem.orders import model as om
from pbem.orders.names import target_text
from pbem.util import only

_SMALL = ("drone", "plasma", "seeker")


class Who(msgspec.Struct, kw_only=True):
    """A unit that a way mentions, with the requirements of the way for that unit.

    A way is a combination of parts that makes a condition true.

    Attributes:
        called: How orders name the unit.
        unit: The unit itself, if only one can be meant.
        what: The type of unit that the reference means, such as ``DRONE``.
        foe: Whether the unit is certainly an enemy.
        myself: Whether it is the unit that has the order.
        destroyed: The words of the condition that require the unit to be destroyed; empty if there are none.
        in_play: The words of the condition that require the unit to be in play; empty if there are none.
        cloaked: Whether the way requires the unit to be cloaked.
        hex: The hex in which the unit must be; empty if the way requires no particular hex.
        never: The reason why a requirement for the unit can never be true; empty if each of them can be true.
        numbers: The comparisons that the unit must satisfy, by the quantity compared (RANGE, SPEED, a shield …).
    """

    called: str
    unit: AnyUnit | None = None
    what: str = ""
    foe: bool = False
    myself: bool = False
    destroyed: str = ""
    in_play: str = ""
    cloaked: bool = False
    hex: str = ""
    never: str = ""
    numbers: dict[str, list[om.Compare]] = {}

    @property
    def seeker(self) -> bool:
        """True if this unit is certainly a seeking weapon."""
        return self.what in _SMALL or isinstance(self.unit, Seeker)

    @property
    def shuttle(self) -> bool:
        """True if this unit is certainly a shuttle."""
        return self.what == "shuttle" or isinstance(self.unit, Shuttle)

    @property
    def plasma(self) -> bool:
        """True if this unit is certainly a plasma torpedo."""
        return self.what == "plasma" or (isinstance(self.unit, Seeker) and self.unit.weapon == "plasma")

    @property
    def ship(self) -> Ship | None:
        """The ship, if this unit is certainly one known ship, otherwise ``None``."""
        return self.unit if isinstance(self.unit, Ship) else None

    def compared(self, what: str, test: om.Compare) -> None:
        """Record that the unit's quantity ``what``, such as ``SPEED``, must satisfy the comparison ``test``."""
        self.numbers.setdefault(what, []).append(test)


class WayNotes:
    """The requirements of one way for every unit that it names, and for the impulse.

    A way is a combination of parts that makes a condition true.

    Attributes:
        state: The state.
        request: The request that the orders answer.
        me: The unit that has the order.
        at: The impulse of the order; ``None`` if the order names none.
        impulses: The impulses in which the order may act.
        met: The units that the way names, with their requirements.
        it: The unit that the word IT means.
        target: The unit at which the order is aimed, as soon as it is known.
        tests: The comparisons that the impulse number must satisfy.
        never: A reason why the way can never occur that has nothing to do with any unit; empty if there is none.
    """

    def __init__(self, state: State, request: Request, me: AnyUnit, at: int | None = None) -> None:
        self.state, self.request, self.me, self.at = state, request, me, at
        self.impulses: Sequence[int] = (
            range(max(1, request.impulse), request.through + 1) if at is None else range(at, at + 1)
        )
        self.met: dict[str, Who] = {}
        self.it: Who | None = None
        self.target: Who | None = None
        self.tests: list[om.Compare] = []
        self.never = ""

    def who(self, ref: om.UnitRef) -> Who:
        """Return the collected requirements for the unit that a reference means.

        The same name always means the same unit. Any other reference, such as ENEMY, may mean another unit each time it
        occurs.
        """
        if ref.how in ("it", "each"):
            if self.it is None:
                self.it = Who(called=ref.how.upper())
            return self.it
        key = called = target_text(ref)
        unit = None
        if ref.how == "name":
            found = [self.state.units[ref.name]] if ref.name in self.state.units else named(self.state, ref.name)
            unit = only(found)
            key = called = unit.name if unit is not None else ref.name.upper()
        elif ref.how == "me":
            unit, key, called = self.me, self.me.name, "ME"
        else:
            key = f"{called} {len(self.met)}"
        if key not in self.met:
            self.met[key] = Who(
                called=called, unit=unit, what=ref.what, foe=ref.how in ("enemy", "nearest"),
                myself=unit is not None and unit.name == self.me.name,
            )  # fmt: skip
        return self.met[key]
