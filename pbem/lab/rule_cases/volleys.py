"""A volley by itself, for look-ups: an undamaged ship is struck as in play, by the damage procedure of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice
from pbem.engine.options import Options
from pbem.engine.play.resolution import Captain, Table
from pbem.engine.play.setup import new_ship
from pbem.engine.state import Ship, State
from pbem.engine.steps.damage import Blow, resolve_volleys
from pbem.engine.steps.standard_internals import Line
from pbem.orders.model import DamageChoice

replace = msgspec.structs.replace

NAME, SIDE = "SHIP", "its side"


class _Owner(Captain):
    """A captain who says what he would lose first, and nothing else."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(_choice(text) for text in choices)

    def damage_choices(self, ship: Ship) -> tuple[DamageChoice, ...]:
        return self.choices


def _choice(text: str) -> DamageChoice:
    """``WEAPON PH 1 FIRST`` as a choice of the owner's (D4.223)."""
    category, _, rest = text.partition(" ")
    items, _, place = rest.rpartition(" ")
    return DamageChoice(category=category, items=tuple(item.strip() for item in items.split(",")), place=place, line=0)


def undamaged(ship: str) -> Ship:
    """A ship of a class as it enters play (by key)."""
    return new_ship(ship_class(ship), name=NAME, side=SIDE, hex="1010", facing="A")


def volley(
    procedure: str,
    ship: str,
    points: int,
    *,
    dice: Sequence[int] = (),
    chart: str = "printed",
    shield: int = 1,
    line: Line | None = None,
    choices: Sequence[str] | None = None,
    aboard: int = 0,
    grid: str = "even",
) -> list[str]:
    """The boxes so many internal points destroy, armor among them, an empty one last where the ship is lost.

    ``procedure`` is that of a scenario (``cadet dac`` …), ``chart`` the option ``dac``; ``line`` where the points came
    from, else through the ``shield``; ``aboard`` how many shuttles are in their boxes.
    """
    new = undamaged(ship)
    struck = replace(new, shields=(0,) * 6, hangar=new.hangar[:aboard])
    options = msgspec.convert({"dac": chart, "reinforcement": False}, Options)
    state = State(turn=1, impulse=1, grid=grid, options=options, units={NAME: struck})
    owner: dict[str, Any] = {SIDE: _Owner(choices or ())}
    table = Table(state, replace(scenario("1"), damage=procedure, chapters=()), ScriptedDice(dice), owner)
    resolve_volleys(table, [Blow(target=NAME, shield=shield, points=points, source="", line=line)])
    happened = [record.event for record in table.records]
    hits = [event.box for event in happened if isinstance(event, ev.InternalHit)]
    return [*hits, *("" for event in happened if isinstance(event, ev.Destroyed))]
