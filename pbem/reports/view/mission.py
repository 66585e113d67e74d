"""The scenario as one reader sees it: mission, victory conditions, special rules, charts, glossary.

The part of the briefing that belongs to one side is shown only to that side and to the umpire.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pbem.data import charts
from pbem.data.chart_types import DamageTable, HitTable
from pbem.data.scenarios import GlossaryTerm, Grade, Scenario, words_for
from pbem.engine.events import UMPIRE
from pbem.engine.state import State
from pbem.engine.steps.plasma import is_plasma
from pbem.rules.plasma import plasma_type


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a scenario's briefing that one side gets."""

    side: str
    text: str


class WeaponChart(msgspec.Struct, frozen=True, kw_only=True):
    """The chart of a weapon as a table.

    Attributes:
        title: The title.
        rule: The rule that the chart belongs to.
        head: The headings: ranges in hexes, or for a plasma torpedo the hexes it has flown.
        rows: The rows with dice or values; each begins with its label.
        note: A remark that is printed beside the table.
    """

    title: str
    rule: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


class Mission(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a reader may know about the scenario.

    Attributes:
        number: Number of the scenario.
        title: Its title.
        fresh: Whether the reader gets the first sitrep, before anything was played.
        situation: The situation in words.
        tasks: The tasks of the sides that the reader may read.
        victory: The victory conditions, one sentence each.
        rules: The special rules.
        first: Advice on the first orders; empty for spectators.
        words: The glossary entries that the scenario needs.
        charts: The charts of the weapons in the game.
    """

    number: str
    title: str
    fresh: bool
    situation: str = ""
    tasks: tuple[Task, ...] = ()
    victory: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    first: str = ""
    words: tuple[GlossaryTerm, ...] = ()
    charts: tuple[WeaponChart, ...] = ()

    @property
    def name(self) -> str:
        """The full name of the scenario: ``scenario #4, The Dakota Incident``."""
        return f"scenario #{self.number}, {self.title}"


def mission_of(scenario: Scenario, state: State, side: str, *, fresh: bool) -> Mission:
    """Return what ``side`` may know about the scenario.

    ``side`` is a side of the game, ``"umpire"``, or ``""`` for spectators.
    """
    briefing = scenario.briefing
    told = [name for name in (each.name for each in scenario.sides) if side in (name, UMPIRE)]
    return Mission(
        number=scenario.number,
        title=scenario.title,
        fresh=fresh,
        situation=briefing.situation,
        tasks=tuple(Task(side=name, text=briefing.sides[name]) for name in told if name in briefing.sides),
        victory=tuple(filter(None, (*briefing.victory, grades(scenario)))),
        rules=scenario.rules,
        first=briefing.first if side else "",
        words=words_for(scenario.chapters),
        charts=tuple(weapon_charts(weapon.kind for ship in state.ships() for weapon in ship.weapons.values())),
    )


def grades(scenario: Scenario) -> str:
    """Return one sentence on how a result follows from the quantity that the scenario counts.

    Example: ``The result for klingon, by freighters destroyed: 3 or fewer defeat, 4 or more victory. …`` It is
    empty if the scenario counts nothing.
    """
    victory, counts = scenario.victory, scenario.briefing.counts
    if not victory.grades or not victory.side or not counts:
        return ""
    told = ", ".join(f"{_count(grade)} {grade.result}" for grade in sorted(victory.grades, key=lambda one: one.least))
    return f"The result for {victory.side}, by {counts}: {told}. An enemy has the opposite."


def _count(grade: Grade) -> str:
    endless = grade.most == Grade(result="").most
    if endless:
        return f"{grade.least} or more"
    return str(grade.least) if grade.least == grade.most else f"{grade.least} to {grade.most}"


def weapon_charts(kinds: Iterable[str]) -> list[WeaponChart]:
    """Return the charts of the given kinds of weapons, each chart once, in the order of the chart file."""
    wanted, found = set(kinds), []
    for kind, weapon in charts.weapon_kinds().items():
        if kind not in wanted or not weapon.chart:
            continue  # drone racks have no hit chart
        made = _plasma(plasma_type(kind), weapon.rule) if is_plasma(kind) else _chart(weapon.chart, weapon.rule)
        if made not in found:
            found.append(made)
    return found


def _chart(key: str, rule: str) -> WeaponChart:
    table = charts.chart(key)
    if isinstance(table, DamageTable):
        rows = tuple((str(die), *map(str, row)) for die, row in enumerate(table.damage, 1))
        head = ("die", *_ranges(table.brackets))
        return WeaponChart(title=table.title, rule=rule, head=head, rows=rows, note=_on_drones(table.drone_modifier))
    assert isinstance(table, HitTable)
    hits = ("hits with", *(f"1-{die}" if die > 1 else "1" if die else "-" for die in table.hit))
    rows = (hits, ("points", *(str(points) if points else "-" for points in table.damage)))
    return WeaponChart(
        title=table.title, rule=rule, head=("range", *_ranges(table.brackets)), rows=rows,
        note=_on_drones(table.drone_modifier),
    )  # fmt: skip


def _on_drones(modifier: int) -> str:
    return f"{modifier} is added to the die against drones (FD1.52)." if modifier else ""


def _ranges(brackets: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(str(low) if low == high else f"{low}-{high}" for low, high in brackets)


def _plasma(key: str, rule: str) -> WeaponChart:
    kind = charts.plasma()[key]
    first = (0, *(hexes + 1 for hexes in kind.hexes))
    spans = _ranges(zip(first, kind.hexes, strict=False))
    return WeaponChart(
        title=f"Plasma torpedo, type {key}", rule=rule, head=("hexes flown", *spans),
        rows=(("strength", *map(str, kind.strength)),),
    )  # fmt: skip
