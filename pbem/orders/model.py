"""The objects that a set of orders consists of, each with the line and column where it was read.

Nothing here knows the rules: :mod:`pbem.engine.checking.check` and the play of a turn decide what is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from pbem.orders.activities import (
    Activity as Activity,
    Cloak as Cloak,
    Disengage as Disengage,
    Fire as Fire,
    Guide as Guide,
    Land as Land,
    Launch as Launch,
    LaunchProbe as LaunchProbe,
    LaunchShuttle as LaunchShuttle,
    LowerShield as LowerShield,
    Recover as Recover,
    Reinforce as Reinforce,
    Release as Release,
    Reserve as Reserve,
    Tractor as Tractor,
    Transport as Transport,
    Uncloak as Uncloak,
)  # fmt: skip
from pbem.orders.conditions import (
    JOINED as JOINED,
    KINDS as KINDS,
    All as All,
    AnyOf as AnyOf,
    Armed as Armed,
    Became as Became,
    Condition as Condition,
    FacedShield as FacedShield,
    Fires as Fires,
    Impulse as Impulse,
    InArc as InArc,
    Internals as Internals,
    Launches as Launches,
    Negation as Negation,
    Own as Own,
    Range as Range,
    Reaches as Reaches,
    ShieldIs as ShieldIs,
    SimpleCondition as SimpleCondition,
    Speed as Speed,
    Within as Within,
    names_units as names_units,
    parts as parts,
    subject as subject,
)  # fmt: skip
from pbem.orders.header import Header
from pbem.orders.names import ME as ME, Compare as Compare, SourceLine as SourceLine, UnitRef as UnitRef

# --- energy -------------------------------------------------------------------------------------------------


class EnergyLine(SourceLine, frozen=True, kw_only=True):
    """One entry of the energy form.

    ``item`` in normal form is one of these: ``PHASERS``, a weapon (``PHOT A``), ``MOVE``, ``SPEED``, ``TAC``,
    ``RECHARGE``, ``GENERAL``, ``REINFORCE``, ``REPAIR``, ``TRACTOR A``, ``TRANSPORTERS``, ``CLOAK``, ``PROBE A``,
    ``SUICIDE A``, ``SHIELDS``, ``LIFE SUPPORT``, ``FIRE CONTROL``. ``parts`` are pairs (source, points). The source
    is ``WARP``, ``IMPULSE``, ``APR``, ``BATTERY``, or ``""`` where the engine may choose. ``SPEED 12`` and ``TAC
    3`` store their number in the same way: ``(("", 12),)``. ``verb`` is ``HOLD``, ``EJECT`` or ``""``. ``shield``
    is the number of the shield for REINFORCE and REPAIR.
    """

    item: str
    parts: tuple[tuple[str, Fraction], ...] = ()
    verb: str = ""
    shield: int = 0


# --- movement -----------------------------------------------------------------------------------------------


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """A rule by which a unit steers, such as TOWARD a unit or a place, instead of plot codes.

    ``how`` is ``toward``, ``away``, ``keep shield``, ``keep arc`` or ``keep range`` (``low`` to ``high``, in
    hexes). With a ``condition``, the unit steers by the rule only while the condition is true; otherwise it flies
    straight on. The condition is tested before each hex. IT means the unit for which the condition is true at that
    time.
    """

    how: str
    unit: UnitRef
    shield: int = 0
    arc: str = ""
    low: int = 0
    high: int = 0
    condition: Condition | None = None


class Reaction(SourceLine, frozen=True, kw_only=True):
    """``AT 7 IF condition THEN code``: a change of the plot at an impulse or on a condition.

    ``codes`` replace the next code of the plot. If the reaction has a ``pilot`` (rule to steer by) instead, the
    pilot steers for the rest of the plot.
    """

    at: int | None = None
    condition: Condition | None = None
    every: bool = False
    codes: tuple[str, ...] = ()
    pilot: Pilot | None = None

    def hands_over(self) -> Pilot | None:
        """Return the pilot (rule to steer by) that takes control of the plot by this reaction; ``None`` if it has none.

        If the pilot steers by IT, the returned pilot has the reaction's condition, which decides which unit IT is.
        """
        if self.pilot is None or self.pilot.unit.how not in ("it", "each"):
            return self.pilot
        return msgspec.structs.replace(self.pilot, condition=self.condition)


class Tac(SourceLine, frozen=True, kw_only=True):
    """``TAC R AT 9``, or ``IF condition THEN TAC R``: a tactical maneuver (C5.0).

    With ``every``, the order may act again after the maneuver.
    """

    way: str
    at: int | None = None
    condition: Condition | None = None
    every: bool = False


class Plot(SourceLine, frozen=True, kw_only=True):
    """The ordered movement of a unit: plot codes or a course, then a pilot, reactions and tactical maneuvers.

    The codes are ``F L R SL SR``, one per hex. ``course`` is a sequence of (hexes, direction); a plot has either
    ``codes`` or a ``course``. A pilot is a rule to steer by. ``leave_map`` (LEAVE MAP) permits the unit to fly off
    the map.
    """

    codes: tuple[str, ...] = ()
    course: tuple[tuple[int, str], ...] = ()
    pilot: Pilot | None = None
    reactions: tuple[Reaction, ...] = ()
    tacs: tuple[Tac, ...] = ()
    leave_map: bool = False

    @property
    def length(self) -> int:
        """The number of hexes ordered by the codes or the course, before a pilot (rule to steer by) takes control."""
        return len(self.codes) or sum([hexes for hexes, _ in self.course])

    @property
    def leads(self) -> bool:
        """Whether the plot orders any movement at all."""
        return bool(self.codes or self.course or self.pilot or self.reactions)

    def at_helm(self, acted: Sequence[int]) -> Pilot | None:
        """Return the pilot (rule to steer by) that a reaction put in control for the rest of the plot, else ``None``.

        ``acted`` are the line numbers of the orders that acted, in the order in which they acted. The last reaction
        with a pilot counts.
        """
        if not acted or not self.reactions:
            return None
        pilots = {reaction.line: reaction.hands_over() for reaction in self.reactions if reaction.pilot is not None}
        return next((pilots[line] for line in reversed(acted) if line in pilots), None)


# --- the orders of a unit -------------------------------------------------------------------------------------


class Order(SourceLine, frozen=True, kw_only=True):
    """One order of the DO section: when to act, on which condition, and what to do.

    ``at`` is an impulse; ``last`` means the last impulse of the orders. Without ``at`` and ``last``, the order acts
    as soon as it can. An order with ``every`` may act several times. The activities in ``does`` (joined by AND)
    happen together or not at all.
    """

    does: tuple[Activity, ...]
    at: int | None = None
    last: bool = False
    condition: Condition | None = None
    every: bool = False


class Break(SourceLine, frozen=True, kw_only=True):
    """A break: a condition on which play stops and the side is asked for new orders."""

    condition: Condition


class DamageChoice(SourceLine, frozen=True, kw_only=True):
    """The owner's choice that certain boxes of a ship are damaged ``FIRST`` or ``LAST`` (D4.223).

    ``category`` is WEAPON, ENGINE, OTHER, HULL or ANY. ``items`` are weapons (``PH 4``, ``ALL PH``, ``HEAVY``) or
    boxes (``WARP LEFT``, ``IMPULSE``, ``LAB``, ``TRAN`` …). Without items, the category keeps its default order.
    ``TRACTOR A`` chooses the tractor beam that is released when a tractor box is lost (G7.34). ``SHUTTLE B``
    chooses the shuttle whose box is hit (D4.325).
    """

    category: str
    items: tuple[str, ...] = ()
    place: str = "FIRST"


class UnitOrders(SourceLine, frozen=True, kw_only=True):
    """The orders in the block of one ship or shuttle.

    ``energy`` is ``None`` without an energy form; an empty form is an empty tuple. ``position`` is where the player
    believes the unit is (``SHIP Destruction AT 2215C``), or ``""``. A shuttle's block has ``speed``, ``plot`` and
    ``do`` only; BREAK and DAMAGE after a shuttle's block belong to the ship above. ``unit`` is empty for the orders
    that a side gives above all blocks: GUIDE and BREAK. ``speed_place`` and ``energy_place`` are the lines and
    columns of SPEED and ENERGY in the file.
    """

    unit: str
    shuttle: bool = False
    position: str = ""
    speed: int | None = None
    energy: tuple[EnergyLine, ...] | None = None
    plot: Plot | None = None
    do: tuple[Order, ...] = ()
    breaks: tuple[Break, ...] = ()
    damage: tuple[DamageChoice, ...] = ()
    speed_place: SourceLine = SourceLine()
    energy_place: SourceLine = SourceLine()


class Orders(Header, frozen=True, kw_only=True):
    """A whole order file: the header, and a block for each unit.

    ``alone`` is a word such as CONTINUE that replaces all orders (:data:`pbem.orders.vocabulary.ALONE`), or ``""``.
    """

    alone: str = ""
    units: tuple[UnitOrders, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether the file says CONTINUE, so that the orders in force stay as they are."""
        return self.alone == "CONTINUE"
