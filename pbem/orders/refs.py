"""What every part of the orders is made of: places in the file, units as orders name them, comparisons."""

from __future__ import annotations

import msgspec

from pbem.errors import Fault, NotAllowed


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that stood on a line of the orders. ``text`` is the order in normal form (filled in by the reader)."""

    line: int = 0
    column: int = 0
    text: str = ""

    def wrong(self, code: str, text: str, rule: str = "", choices: tuple[str, ...] = ()) -> Fault:
        """A fault that points at it; with ``choices`` of names, of which it may mean any."""
        fault = NotAllowed(code, text, rule).fault(self.line, self.column)
        return msgspec.structs.replace(fault, family="ambiguous", choices=choices) if choices else fault


class UnitRef(msgspec.Struct, frozen=True, kw_only=True):
    """How orders name a unit.

    ``how`` is ``name`` (``name`` holds it as written: ``Constellation``, ``KLIN D6``, ``KD/1``),
    ``pattern`` (``KD/*``), ``enemy``, ``any`` (any unit of any side), ``nearest`` (of the enemy), ``it``
    (the nearest unit for which the condition held), ``each`` (every such unit), ``me`` (the ship the
    order belongs to) or ``target`` (the target named in the same order). ``what`` narrows it: ``""``,
    ``ship``, ``seeker``, ``drone``, ``plasma``, ``shuttle``. Bare ``SEEKER`` is an enemy seeker. What is steered
    for may be a place as well: ``hex`` (``2805``) or ``edge`` of the map (``EDGE B``).
    """

    how: str
    name: str = ""
    what: str = ""


ME = UnitRef(how="me")


class Compare(msgspec.Struct, frozen=True, kw_only=True):
    """An operator (``<= < = > >=``, ``!=``) and a whole number."""

    op: str
    value: int
