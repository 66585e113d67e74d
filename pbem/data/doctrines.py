"""The doctrines (ways to fight) and skill levels of computer players, read from ``doctrines.toml``.

A doctrine is a set of orders with placeholders such as ``{enemy}``. A skill level says how far a computer player
looks ahead. :mod:`pbem.ai.order_writer` fills in the placeholders, and :mod:`pbem.ai.search` looks ahead.

The module also reads ``energy_presets.toml``: usual ways to spend a turn's energy, which the game page offers as
buttons.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from pbem.data.files import Sourced, build, refuse

HERE = Path(__file__).parent


class CommonOrders(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Orders that every computer player gives before those of its doctrine (way to fight).

    The ``launch`` orders are left out if the doctrine is ``sparing``. ``near`` is a range in hexes. If an enemy is
    within that range, a torpedo that cannot be held is completed instead of being put into rolling delay (FP1.22).
    """

    do: tuple[str, ...] = ()
    launch: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    near: int


class Doctrine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to fight: lines of the order language with placeholders such as ``{enemy}`` and ``{guns}``.

    The data file explains the placeholders.

    Attributes:
        name: The name.
        told: A description for users.
        power: What the energy form pays for first: ``arms`` or ``speed``.
        speed: The speed wanted, as a percentage of the highest speed.
        energy: Entries that the energy form pays for before everything else.
        plot: The plot line of a ship.
        reactions: The reactions of the plot.
        leave: Whether ships may leave the map.
        sparing: Whether ships launch weapons only if the doctrine says so.
        weighed: Whether the doctrine is only for computer players that look ahead.
        alone: Whether the computer player uses the doctrine without comparing it with others, in games for which it
            is meant.
        do: The orders of the DO section.
        needs: Placeholders that must have a value for the doctrine to make sense.
        kinds: The kinds of victory for which the doctrine is meant; empty means all.
        tasked: True if the doctrine is for the side that has the scenario's task, false if it is for the other
            sides, and ``None`` if it is for all sides.
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
        """Whether the doctrine is made for certain scenarios and does not require looking ahead.

        Computer players that do not look ahead use it in these scenarios.
        """
        return bool(self.kinds) and not self.weighed


USUAL = "usual"
"""The name of the :class:`Measure` for levels that do not name one."""


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The points with which a computer player values a position.

    The enemy's ships and weapons are valued with the same points.

    Attributes:
        ship: Points for a ship that survives.
        box: Points for an internal box.
        phaser: Points for a working phaser.
        heavy: Points for a working heavy weapon.
        rack: Points for a working drone rack.
        loaded: Points for an armed weapon that takes several turns to arm; half of them while it is arming.
        shield: Points for a shield box.
        down: Points lost for a shield that is down.
        seeker: Points for a seeking weapon in flight.
        facing: Extra points for each box of the shield that an enemy within ``reach`` hexes would hit.
        reach: The range in hexes for ``facing``.
        curve: If set, the sum becomes a chance to win: this many points mean odds of e (2.7) to 1.
        results: Points for each result, in the words in which scenarios state how a game ended.
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


class SkillLevel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The skill of a computer player, i.e. how far it looks ahead.

    A level with a single doctrine (way to fight) in ``plans`` does not look ahead at all.

    Attributes:
        plans: The names of the doctrines that the computer player compares.
        replies: The names of the doctrines that it expects from the enemy.
        rolls: The number of sets of dice in each round of simulations; after each round, the worse half of the plans
            is dropped.
        turns: How many turns it looks ahead.
        habits: For each reply, in how many of 100 cases enemies choose it.
        trust: In how many of 100 cases it relies on ``habits``; otherwise it expects the worst reply.
        breaks: Conditions, with placeholders, at which it wants to stop play and give new orders within a turn.
        measure: The name of the :class:`Measure` by which it values a position.
        tasks: The level that it uses instead in scenarios that are about more than fighting; empty for none.
        single_minded: Whether it ignores what the scenario is about.
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
    """The content of the file ``doctrines.toml``.

    Attributes:
        always: Orders that every computer player gives.
        doctrines: The doctrines (ways to fight).
        measures: The ways to value a position.
        levels: The levels of computer players.
    """

    always: CommonOrders
    doctrines: tuple[Doctrine, ...]
    measures: tuple[Measure, ...]
    levels: tuple[SkillLevel, ...]

    def doctrine(self, name: str) -> Doctrine:
        """Return the doctrine with this name."""
        return next(one for one in self.doctrines if one.name == name)

    def measure(self, name: str) -> Measure:
        """Return the measure with this name."""
        return next(one for one in self.measures if one.name == name)

    def level(self, name: str) -> SkillLevel:
        """Return the level with this name."""
        return next(one for one in self.levels if one.name == name)


@cache
def doctrines() -> Doctrines:
    """Return the shipped doctrines, measures and levels.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    path = HERE / "doctrines.toml"
    found = build(Doctrines, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    names = [one.name for one in found.doctrines]
    refuse(
        path.name,
        *(f"doctrines: {name!r} is there twice" for name in sorted({name for name in names if names.count(name) > 1})),
        *(
            f"levels: {level.name} names an unknown doctrine {name!r}"
            for level in found.levels
            for name in (*level.plans, *level.replies, *level.habits)
            if name not in names
        ),
        *(
            f"levels: {level.name} names an unknown measure {level.measure!r}"
            for level in found.levels
            if level.measure not in [one.name for one in found.measures]
        ),
        *(
            f"levels: {level.name} names an unknown level {level.tasks!r}"
            for level in found.levels
            if level.tasks and level.tasks not in [one.name for one in found.levels]
        ),
    )
    return found


def level(name: str) -> SkillLevel | None:
    """Return the skill level with this name, or ``None`` if there is none."""
    return next((one for one in doctrines().levels if one.name == name), None)


class EnergyPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A usual way to spend the energy of a turn.

    Attributes:
        name: Its name in the data file.
        title: Its name on a button.
        told: A short description that continues "this ship ...".
        power: What the form pays for first: arms, speed, or general reinforcement (D3.341).
        speed: The speed wanted, as a percentage of the highest speed.
        shield: The shield that gets the remaining power: the front shield or the rear shield.
        near: Whether the arming of torpedoes that cannot be held is completed, instead of being put into rolling
            delay (FP1.22).
    """

    name: str
    title: str
    told: str
    power: Literal["arms", "speed", "shields"]
    speed: int
    shield: Literal["ahead", "behind"]
    near: bool = True


class EnergyPresets(Sourced, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the data file ``energy_presets.toml``."""

    presets: tuple[EnergyPreset, ...]


@cache
def energy_presets() -> tuple[EnergyPreset, ...]:
    """Return the shipped presets (usual ways to spend a turn's energy), in the order in which they are offered.

    Raises:
        GameError: The data file has a fault.
    """
    path = HERE / "energy_presets.toml"
    return build(EnergyPresets, tomllib.loads(path.read_text(encoding="utf-8")), path.name).presets
