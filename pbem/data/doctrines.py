"""How computer captains fight: doctrines, which are orders with gaps, and the levels, which say how hard one thinks."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from pbem.data.files import Sourced, build, refuse

HERE = Path(__file__).parent


class Always(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in every captain's orders, before what his doctrine says; ``launch`` unless it is ``sparing``.

    ``near`` is the range, in hexes, at which a torpedo that cannot be held is completed instead of rolled (FP1.22).
    """

    do: tuple[str, ...] = ()
    launch: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    near: int


class Doctrine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to fight: lines in the order language with gaps (``{enemy}``, ``{guns}``; the file explains them).

    ``power`` is what the energy form pays for first, ``speed`` the part of the highest speed that is wished for, in
    hundredths, ``energy`` what else the form shall pay before all that; ``leave`` says that ships may fly off the map,
    ``sparing`` that they launch nothing by themselves. ``needs`` are gaps without which it makes no sense, ``weighed``
    says that it is for captains who think, ``alone`` that where it fits they do not think of ways to fight; ``kinds``
    are the kinds of victory it is for (empty: all) and ``tasked`` whether it is for the side whose task the scenario
    is, or for the others.
    """

    name: str
    told: str
    power: Literal["arms", "speed"] = "arms"
    speed: int = 100
    energy: tuple[str, ...] = ()
    plot: str = ""
    reactions: tuple[str, ...] = ()
    leave: bool = False
    sparing: bool = False
    weighed: bool = False
    alone: bool = False
    do: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tasked: bool | None = None

    @property
    def is_task(self) -> bool:
        """Whether a scenario asks for it, so that he who does not think takes it."""
        return bool(self.kinds) and not self.weighed


USUAL = "usual"
"""The measure of who has none of his own."""


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a position is worth, in points; an enemy's count as one's own.

    Points of a ``ship`` that lives, of a ``box`` inside, of a ``phaser``, ``heavy`` weapon or drone ``rack`` that
    works, of a weapon armed over several turns that is ``loaded`` (half, while it is being armed), of a box of a
    ``shield``, of a ``seeker`` under way; what a shield that is ``down`` costs; and what each box of the shield that an
    enemy within ``reach`` hexes would hit (``facing``) is worth besides.

    With a ``curve`` the sum becomes the chance to win: so many points more are odds of e (2.7) to 1. ``results`` are
    points for the words in which scenarios say how a game ended.
    """

    name: str
    told: str
    ship: int
    box: int
    phaser: int
    heavy: int
    rack: int
    loaded: int
    shield: int
    down: int
    seeker: int
    facing: int = 0
    reach: int = 0
    curve: int = 0
    results: dict[str, int]


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How hard a captain thinks: the doctrines he tries (``plans``) against those he expects (``replies``), with so
    many sets of dice in each round of looks ahead (``rolls``; after a round the weaker half of his plans is left out)
    and so many turns ahead. One with a single plan does not think at all; one who is ``single_minded`` forgets what the
    scenario is about, too.

    ``habits`` says how often of a hundred times enemies choose which reply, and ``trust`` in how many of a hundred he
    counts on that; in the others they choose what is worst for him. ``breaks`` are conditions, with gaps, at which he
    wants to be asked again within a turn, ``measure`` is what a position is worth to him. Where a scenario is about
    more than fighting he thinks as the level ``tasks`` does, if one is named.
    """

    name: str
    told: str
    plans: tuple[str, ...]
    replies: tuple[str, ...] = ()
    rolls: tuple[int, ...] = (1,)
    turns: int = 1
    habits: dict[str, int] = {}
    trust: int = 0
    breaks: tuple[str, ...] = ()
    measure: str = USUAL
    tasks: str = ""
    single_minded: bool = False


class Doctrines(Sourced, frozen=True, kw_only=True):
    """The whole file."""

    always: Always
    doctrines: tuple[Doctrine, ...]
    measures: tuple[Measure, ...]
    levels: tuple[Level, ...]

    def doctrine(self, name: str) -> Doctrine:
        """The doctrine of a name."""
        return next(one for one in self.doctrines if one.name == name)

    def measure(self, name: str) -> Measure:
        """The measure of a name."""
        return next(one for one in self.measures if one.name == name)

    def level(self, name: str) -> Level:
        """The level of a name."""
        return next(one for one in self.levels if one.name == name)


@cache
def doctrines() -> Doctrines:
    """The shipped doctrines and levels. Raises :class:`~pbem.errors.GameError` with everything wrong in the file."""
    path = HERE / "doctrines.toml"
    found = build(Doctrines, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    names = [one.name for one in found.doctrines]
    refuse(
        path.name,
        *(f"doctrines: {name!r} stands twice" for name in sorted({name for name in names if names.count(name) > 1})),
        *(
            f"levels: {level.name} knows no doctrine {name!r}"
            for level in found.levels
            for name in (*level.plans, *level.replies, *level.habits)
            if name not in names
        ),
        *(
            f"levels: {level.name} knows no measure {level.measure!r}"
            for level in found.levels
            if level.measure not in [one.name for one in found.measures]
        ),
        *(
            f"levels: {level.name} knows no level {level.tasks!r}"
            for level in found.levels
            if level.tasks and level.tasks not in [one.name for one in found.levels]
        ),
    )
    return found


def level(name: str) -> Level | None:
    """The level of a captain, if it is one."""
    return next((one for one in doctrines().levels if one.name == name), None)
