"""How orders name units and weapons, and the basic types of which all orders consist.

The types are :class:`SourceLine` (a place in the file), :class:`UnitRef` (a unit as orders name it) and
:class:`Compare` (a comparison with a number).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise

import msgspec

from pbem.data.files import own_figures
from pbem.errors import Fault, NotAllowed
from pbem.orders import vocabulary as words
from pbem.orders.lexer import Misread, tokens_of


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of each part of the orders: the line and column in the file, and the text in normal form.

    The reader (:mod:`pbem.orders.reader`) fills in ``text``.
    """

    line: int = 0
    column: int = 0
    text: str = ""

    def wrong(self, code: str, text: str, rule: str = "", choices: tuple[str, ...] = ()) -> Fault:
        """Return a fault that points at this line.

        With ``choices``, the fault says that the line is ambiguous and may mean any of these names.
        """
        fault = NotAllowed(code, text, rule).fault(self.line, self.column)
        return msgspec.structs.replace(fault, family="ambiguous", choices=choices) if choices else fault


class UnitRef(msgspec.Struct, frozen=True, kw_only=True):
    """A unit, or several, in one of the ways in which orders can name them.

    ``how`` is one of these:

    * ``name``: ``name`` holds the unit's name as written (``Constellation``, ``KLIN D6``, ``KD/1``)
    * ``pattern``: ``name`` holds a pattern (``KD/*``)
    * ``enemy``, ``any`` (any unit of any side) or ``nearest`` (nearest enemy)
    * ``it``: the nearest unit for which the condition was true
    * ``each``: every unit for which the condition was true
    * ``me``: the ship that the order belongs to
    * ``target``: the target named in the same order
    * ``hex`` (``2805``) or ``edge`` (an edge of the map, ``EDGE B``): a place to steer for

    ``what`` restricts the reference to a kind of unit: ``""`` (no restriction), ``ship``, ``seeker``, ``drone``,
    ``plasma`` or ``shuttle``. SEEKER alone means an enemy seeking weapon.
    """

    how: str
    name: str = ""
    what: str = ""


ME = UnitRef(how="me")


class Compare(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison with a number: an operator (``<=``, ``<``, ``=``, ``>``, ``>=``, ``!=``) and a whole number."""

    op: str
    value: int

    @property
    def text(self) -> str:
        """The comparison as orders write it: ``<= 4``."""
        return f"{self.op} {self.value}"

    def met_by(self, value: float) -> bool:
        """Return whether the comparison is true for the given value."""
        match self.op:
            case "<=":
                return value <= self.value
            case "<":
                return value < self.value
            case ">=":
                return value >= self.value
            case ">":
                return value > self.value
            case "!=":
                return value != self.value
            case _:
                return value == self.value


def name_text(name: str) -> str:
    """Return a name as orders must write it, in quotes if the bare name could be read as something else."""
    name = " ".join(name.split())
    return name if _plain(name, own_figures().token) else '"' + name.replace('"', '""') + '"'


@lru_cache(maxsize=1024)
def _plain(name: str, token: str) -> bool:
    """Return whether a name needs no quotes in orders.

    ``token`` is only a part of the cache key. It identifies the custom figures (charts) in use, because these may
    name weapons differently.
    """
    try:
        tokens = tokens_of(name)
    except Misread:
        return False
    single = (*words.FACINGS, *words.CODES)
    return (
        bool(tokens)
        and all(t.kind == "word" and not t.key and t.text[0].isalpha() for t in tokens)
        and " ".join(t.text for t in tokens) == name
        and "*" not in name
        and not any(t.text.upper() in (*single, *words.INSTEAD) for t in tokens)
        and not any(a.text.upper() == "EDGE" and len(b.text) == 1 for a, b in pairwise(tokens))
    )


def target_text(unit: UnitRef) -> str:
    """Return a reference to a unit or place as order text.

    Examples are ``Constellation``, ``KD/*``, ``ENEMY DRONE``, ``IT``, and the places ``2805`` and ``EDGE B``.
    """
    if unit.how == "name":
        return name_text(unit.name)
    if unit.how in ("pattern", "hex"):
        return unit.name
    if unit.how == "edge":
        return f"EDGE {unit.name}"
    return f"{unit.how.upper()} {unit.what.upper()}".rstrip()


def weapons_text(weapons: Sequence[str]) -> str:
    """Return a list of weapons as one short text for orders: ``DISR A,B PH 1-3``."""
    found: list[str] = []
    for kind, group in groupby(weapons, key=_kind):
        names = list(group)
        found += [f"{kind} {_ids([name.rpartition(' ')[2] for name in names])}"] if kind else names
    # "ALL PH" means all phasers; "ALL, PH 1" are two entries, so a comma is needed.
    return " ".join(f"{part}," if part == "ALL" and n < len(found) else part for n, part in enumerate(found, start=1))


def _kind(weapon: str) -> str:
    """Return the first word of a weapon's name (``PH`` for ``PH 1``); ``""`` for ``ALL``, ``ALL PH`` and ``HEAVY``."""
    return "" if weapon.startswith(("ALL", "HEAVY")) else weapon.rpartition(" ")[0]


def _ids(ids: Sequence[str]) -> str:
    """Return the numbers or letters of weapons as a text; three or more consecutive numbers become ``1-3``."""
    runs: list[list[str]] = []
    for one in ids:
        last = runs[-1][-1] if runs else ""
        if one.isdecimal() and last.isdecimal() and int(one) == int(last) + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(run) for run in runs)
