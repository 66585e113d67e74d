"""What a set of orders says, once read: plain values, each with the line and column it stood at.

Nothing here knows the rules; what is legal is decided in :mod:`pbem.engine.checking.check` and in play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from pbem.orders import vocabulary as words
from pbem.orders.activities import (
    VERBS,
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
from pbem.orders.header import Header
from pbem.orders.names import ME as ME, Compare as Compare, Line as Line, UnitRef as UnitRef

for _verb in [word for word in words.KEYWORDS if word in VERBS]:
    VERBS[_verb] = VERBS.pop(_verb)  # in the order of the vocabulary, whichever module was read first

# --- conditions ---------------------------------------------------------------------------------------------


class Range(msgspec.Struct, frozen=True, kw_only=True, tag="Range"):
    """RANGE unit <= 4: hexes between me and the unit (D1.4). Without a unit: the target of the same order."""

    of: UnitRef
    test: Compare


class Within(msgspec.Struct, frozen=True, kw_only=True, tag="Within"):
    """SEEKER WITHIN 1: some such unit is at most that many hexes away."""

    who: UnitRef
    hexes: int


class Impulse(msgspec.Struct, frozen=True, kw_only=True, tag="Impulse"):
    """IMPULSE 8 (equal), IMPULSE >= 8."""

    test: Compare


class InArc(msgspec.Struct, frozen=True, kw_only=True, tag="InArc"):
    """unit IN FA: the unit stands in my arc (D2.0)."""

    who: UnitRef
    arc: str


class ShieldIs(msgspec.Struct, frozen=True, kw_only=True, tag="ShieldIs"):
    """``#1 <= 4``, ``#1 OF unit DOWN``, ``#1 HIT``: boxes left, hit in the step just finished, or down.
    SSDs are public (D4.1).

    ``is_`` is ``boxes`` (with ``test``), ``hit`` or ``down``.
    """

    number: int
    who: UnitRef
    is_: str
    test: Compare | None = None


class FacedShield(msgspec.Struct, frozen=True, kw_only=True, tag="FacedShield"):
    """FACED SHIELD OF unit <= 4: boxes that would stop a shot of mine at the unit, none of a lowered shield."""

    of: UnitRef
    is_: str
    test: Compare | None = None


class Speed(msgspec.Struct, frozen=True, kw_only=True, tag="Speed"):
    """SPEED unit >= 10: its speed this turn."""

    of: UnitRef
    test: Compare


class Internals(msgspec.Struct, frozen=True, kw_only=True, tag="Internals"):
    """INTERNALS (any: ``> 0``), INTERNALS > 3, INTERNALS OF unit: internal points of the step just
    finished; in RESERVE, of the coming volley.
    """

    who: UnitRef
    test: Compare


class Became(msgspec.Struct, frozen=True, kw_only=True, tag="Became"):
    """unit DESTROYED | DAMAGED | CLOAKED | CLOSING (the range to me fell when it last changed).

    ``what`` is that word (upper case).
    """

    who: UnitRef
    what: str


class Launches(msgspec.Struct, frozen=True, kw_only=True, tag="Launches"):
    """ENEMY LAUNCHES, unit LAUNCHES SEEKER | DRONE | PLASMA | SHUTTLE, in the step just finished.

    ``what`` is ``""`` (anything) or that word (upper case).
    """

    who: UnitRef
    what: str = ""


class Fires(msgspec.Struct, frozen=True, kw_only=True, tag="Fires"):
    """ENEMY FIRES, ENEMY FIRES HEAVY | PH | PHOT | DISR, in the step just finished.

    ``what`` is ``""`` (anything), ``HEAVY`` or the first word of a weapon's name (``PH``).
    """

    who: UnitRef
    what: str = ""


class Reaches(msgspec.Struct, frozen=True, kw_only=True, tag="Reaches"):
    """unit REACHES 1214: it stands in that hex."""

    who: UnitRef
    hex: str


class Armed(msgspec.Struct, frozen=True, kw_only=True, tag="Armed"):
    """ARMED PHOT A,B: my own weapons, all of them, could fire as far as energy goes."""

    weapons: tuple[str, ...]


class Own(msgspec.Struct, frozen=True, kw_only=True, tag="Own"):
    """BATTERIES >= 1, CAPACITOR >= 2, AMMO DRONE 1 >= 1: my own stores (``what`` in lower case)."""

    what: str
    test: Compare
    weapon: str = ""


class All(msgspec.Struct, frozen=True, kw_only=True, tag="All"):
    """AND."""

    of: tuple[Condition, ...]


class AnyOf(msgspec.Struct, frozen=True, kw_only=True, tag="AnyOf"):
    """OR."""

    of: tuple[Condition, ...]


class Negation(msgspec.Struct, frozen=True, kw_only=True, tag="Negation"):
    """NOT."""

    of: Condition


Condition = (
    Range | Within | Impulse | InArc | ShieldIs | FacedShield | Speed | Internals | Became | Launches | Fires
    | Reaches
    | Armed | Own | All | AnyOf | Negation
)  # fmt: skip


_SUBJECTS: dict[type, str] = {
    **dict.fromkeys((Range, FacedShield, Speed), "of"),
    **dict.fromkeys((Within, Became, InArc, ShieldIs, Internals, Launches, Fires, Reaches), "who"),
}


def subject(condition: Condition) -> UnitRef | None:
    """The unit a condition is about; ``None`` where it is about none, or made of several."""
    name = _SUBJECTS.get(type(condition))
    ref: UnitRef | None = getattr(condition, name) if name else None
    return ref


def parts(condition: Condition) -> Iterator[Condition]:
    """The conditions that one is made of by AND, OR and NOT; itself where it is of one piece."""
    match condition:
        case All(of=several) | AnyOf(of=several):
            for one in several:
                yield from parts(one)
        case Negation(of=one):
            yield from parts(one)
        case _:
            yield condition


def names_units(condition: Condition) -> bool:
    """Whether IT and EACH stand for somebody behind this condition: NOT and ME, and a target, leave nobody behind."""
    match condition:
        case All(of=parts) | AnyOf(of=parts):
            return any(names_units(part) for part in parts)
        case Negation():
            return False
        case _:
            ref = subject(condition)
            return ref is not None and ref.how not in ("me", "target")


# --- energy -------------------------------------------------------------------------------------------------


class EnergyLine(Line, frozen=True, kw_only=True):
    """One entry of the form. ``item`` in normal form:

    ``PHASERS``, a weapon (``PHOT A``), ``MOVE``, ``SPEED``, ``TAC``, ``RECHARGE``, ``GENERAL``, ``REINFORCE``,
    ``REPAIR``, ``TRACTOR A``, ``TRANSPORTERS``, ``CLOAK``, ``PROBE A``, ``SUICIDE A``, ``SHIELDS``, ``LIFE SUPPORT``,
    ``FIRE CONTROL``. ``parts`` are (source, points): source ``WARP``, ``IMPULSE``, ``APR``, ``BATTERY`` or ``""`` where
    the engine may pick. ``SPEED 12`` and ``TAC 3`` hold their number the same way: ``(("", 12),)``. ``verb`` is
    ``HOLD``, ``EJECT`` or ``""``; ``shield`` the shield of REINFORCE and REPAIR.
    """

    item: str
    parts: tuple[tuple[str, Fraction], ...] = ()
    verb: str = ""
    shield: int = 0


# --- movement -----------------------------------------------------------------------------------------------


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """A way to steer instead of codes, by a unit or a place. ``how``: ``toward``, ``away``,
    ``keep shield``, ``keep arc``, ``keep range`` (hexes low to high). With a ``condition`` it steers while that holds
    (asked anew before each hex; IT is the unit it holds for then) and flies straight on while it does not.
    """

    how: str
    unit: UnitRef
    shield: int = 0
    arc: str = ""
    low: int = 0
    high: int = 0
    condition: Condition | None = None


class Reaction(Line, frozen=True, kw_only=True):
    """AT 7 IF condition THEN code: replaces the next code of the plot. ``then`` is codes, or a pilot for the rest."""

    at: int | None = None
    condition: Condition | None = None
    every: bool = False
    codes: tuple[str, ...] = ()
    pilot: Pilot | None = None

    def hands_over(self) -> Pilot | None:
        """The pilot for the rest of the plot; one that steers by IT goes on asking who that is."""
        if self.pilot is None or self.pilot.unit.how not in ("it", "each"):
            return self.pilot
        return msgspec.structs.replace(self.pilot, condition=self.condition)


class Tac(Line, frozen=True, kw_only=True):
    """TAC R AT 9, IF condition THEN TAC R: a tactical maneuver (C5.0). ``every`` ones stay in force after they were
    made.
    """

    way: str
    at: int | None = None
    condition: Condition | None = None
    every: bool = False


class Plot(Line, frozen=True, kw_only=True):
    """A unit's movement: codes one per hex (``F L R SL SR``), or a course of (hexes, direction), then a
    pilot, reactions, TACs.

    ``codes`` and ``course`` exclude each other; ``leave_map`` permits flying off (LEAVE MAP).
    """

    codes: tuple[str, ...] = ()
    course: tuple[tuple[int, str], ...] = ()
    pilot: Pilot | None = None
    reactions: tuple[Reaction, ...] = ()
    tacs: tuple[Tac, ...] = ()
    leave_map: bool = False

    @property
    def length(self) -> int:
        """The hexes that are plotted, before a pilot takes over."""
        return len(self.codes) or sum([hexes for hexes, _ in self.course])

    @property
    def leads(self) -> bool:
        """Whether it takes its unit anywhere."""
        return bool(self.codes or self.course or self.pilot or self.reactions)

    def at_helm(self, acted: Sequence[int]) -> Pilot | None:
        """What steers for the rest of the plot since a reaction handed the helm over: the last to act (``acted``: lines
        of orders in the order in which they acted) has it.
        """
        if not acted or not self.reactions:
            return None
        pilots = {reaction.line: reaction.hands_over() for reaction in self.reactions if reaction.pilot is not None}
        return next((pilots[line] for line in reversed(acted) if line in pilots), None)


# --- the orders of a unit -------------------------------------------------------------------------------------


class Order(Line, frozen=True, kw_only=True):
    """One line of DO: when (``at`` an impulse, ``last`` of the period, else as soon as it can), if, and what.

    ``every`` orders stay in force after they acted. ``does`` joined by AND happens altogether or not at all.
    """

    does: tuple[Activity, ...]
    at: int | None = None
    last: bool = False
    condition: Condition | None = None
    every: bool = False


class Break(Line, frozen=True, kw_only=True):
    """Stop and ask me when this becomes true."""

    condition: Condition


class DamageChoice(Line, frozen=True, kw_only=True):
    """The owner's choice (D4.223): within ``category`` (WEAPON, ENGINE, OTHER, HULL, ANY) these boxes
    ``FIRST`` or ``LAST``; of tractor beams (``TRACTOR A``) which one lets go when a box is lost (G7.34); of shuttles
    (``SHUTTLE B``) whose box is hit (D4.325).

    ``items`` are weapons (``PH 4``, ``ALL PH``, ``HEAVY``) or boxes (``WARP LEFT``, ``IMPULSE``,
    ``LAB``, ``TRAN`` …); none stands for the default order of the category.
    """

    category: str
    items: tuple[str, ...] = ()
    place: str = "FIRST"


class UnitOrders(Line, frozen=True, kw_only=True):
    """The block of one ship or shuttle. ``energy`` is ``None`` where no form stands (an empty form is an empty tuple).

    ``position`` is where the player believes it stands (``SHIP Destruction AT 2215C``), ``""`` where he does not say. A
    shuttle's block has ``speed``, ``plot`` and ``do`` only; BREAK and DAMAGE after it belong to the ship above.
    ``unit`` is empty for what a side orders by itself: GUIDE and BREAK, above all blocks. ``speed_place`` and
    ``energy_place`` are where SPEED and ENERGY stand.
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
    speed_place: Line = Line()
    energy_place: Line = Line()


class Orders(Header, frozen=True, kw_only=True):
    """A whole file: the header, and a block for each unit. ``alone`` is the word that stands
    instead of orders (:data:`pbem.orders.vocabulary.ALONE`).
    """

    alone: str = ""
    units: tuple[UnitOrders, ...] = ()

    @property
    def unchanged(self) -> bool:
        """CONTINUE: the orders in force stay as they are."""
        return self.alone == "CONTINUE"
