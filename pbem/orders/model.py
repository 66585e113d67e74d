"""What a set of orders says, once read: plain values, each with the line and column it stood at.

Nothing here knows the rules; what is legal is decided in :mod:`pbem.turn.check` and in play.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from pbem.faults import Fault, NotAllowed


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that stood on a line of the orders. ``text`` is the order in normal form (filled in by the reader)."""

    line: int = 0
    column: int = 0
    text: str = ""

    def wrong(self, code: str, text: str, rule: str = "", choices: tuple[str, ...] = ()) -> Fault:
        """A fault that points at it; with ``choices`` of names, of which it may mean any."""
        fault = NotAllowed(code, text, rule).fault(self.line, self.column)
        return msgspec.structs.replace(fault, family="ambiguous", choices=choices) if choices else fault


# --- units and conditions -----------------------------------------------------------------------------------


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


class Range(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """RANGE unit <= 4: hexes between me and the unit (D1.4). Without a unit: the target of the same order."""

    of: UnitRef
    test: Compare


class Within(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """SEEKER WITHIN 1: some such unit is at most that many hexes away."""

    who: UnitRef
    hexes: int


class Impulse(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """IMPULSE 8 (equal), IMPULSE >= 8."""

    test: Compare


class InArc(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """unit IN FA: the unit stands in my arc (D2.0)."""

    who: UnitRef
    arc: str


class ShieldIs(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """``#1 <= 4``, ``#1 OF unit DOWN``, ``#1 HIT``: boxes left, hit in the step just finished, or down.
    SSDs are public (D4.1).

    ``is_`` is ``boxes`` (with ``test``), ``hit`` or ``down``.
    """

    number: int
    who: UnitRef
    is_: str
    test: Compare | None = None


class FacedShield(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """FACED SHIELD OF unit <= 4: boxes left on the shield the unit turns to me; on a boundary, of the weaker one."""

    of: UnitRef
    is_: str
    test: Compare | None = None


class Speed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """SPEED unit >= 10: its speed this turn."""

    of: UnitRef
    test: Compare


class Internals(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """INTERNALS (any: ``> 0``), INTERNALS > 3, INTERNALS OF unit: internal points of the step just
    finished; in RESERVE, of the coming volley.
    """

    who: UnitRef
    test: Compare


class Became(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """unit DESTROYED | DAMAGED | CLOAKED | CLOSING (range to me shrank in this impulse's movement).

    ``what`` is that word (upper case).
    """

    who: UnitRef
    what: str


class Launches(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """ENEMY LAUNCHES, unit LAUNCHES SEEKER | DRONE | PLASMA | SHUTTLE, in the step just finished.

    ``what`` is ``""`` (anything) or that word (upper case).
    """

    who: UnitRef
    what: str = ""


class Fires(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """ENEMY FIRES, ENEMY FIRES HEAVY | PH | PHOT | DISR, in the step just finished.

    ``what`` is ``""`` (anything), ``HEAVY`` or the first word of a weapon's name (``PH``).
    """

    who: UnitRef
    what: str = ""


class Reaches(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """unit REACHES 1214: it stands in that hex."""

    who: UnitRef
    hex: str


class Armed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """ARMED PHOT A,B: my own weapons, all of them, could fire as far as energy goes."""

    weapons: tuple[str, ...]


class Own(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """BATTERIES >= 1, CAPACITOR >= 2, AMMO DRONE 1 >= 1: my own stores (``what`` in lower case)."""

    what: str
    test: Compare
    weapon: str = ""


class All(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """AND."""

    of: tuple[Condition, ...]


class AnyOf(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """OR."""

    of: tuple[Condition, ...]


class Negation(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """NOT."""

    of: Condition


Condition = (
    Range | Within | Impulse | InArc | ShieldIs | FacedShield | Speed | Internals | Became | Launches | Fires
    | Reaches
    | Armed | Own | All | AnyOf | Negation
)  # fmt: skip


def subject(condition: Condition) -> UnitRef | None:
    """The unit a condition is about; ``None`` where it is about none, or made of several."""
    match condition:
        case Range(of=ref) | FacedShield(of=ref) | Speed(of=ref):
            return ref
        case (
            Within(who=ref)
            | InArc(who=ref)
            | ShieldIs(who=ref)
            | Internals(who=ref)
            | Became(who=ref)
            | Launches(who=ref)
            | Fires(who=ref)
            | Reaches(who=ref)
        ):
            return ref
        case _:
            return None


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

    def at_helm(self, acted: Sequence[int]) -> Pilot | None:
        """What steers for the rest of the plot since a reaction handed the helm over: the last to act (``acted``: lines
        of orders in the order in which they acted) has it.
        """
        pilots = {reaction.line: reaction.hands_over() for reaction in self.reactions if reaction.pilot is not None}
        return next((pilots[line] for line in reversed(acted) if line in pilots), None)


# --- activities ---------------------------------------------------------------------------------------------


class Fire(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """FIRE weapons AT target. Weapons: names (``PH 1``), ``ALL``, ``ALL PH``, ``HEAVY``. ``one_of``:
    the first of the list that can.

    ``reserve``: WITH RESERVE, batteries may pay (H7.2). ``battery``: WITH BATTERY, they pay for phasers though the
    capacitor could (H7.3).
    """

    weapons: tuple[str, ...]
    target: UnitRef
    one_of: bool = False
    reserve: bool = False
    battery: bool = False


class Launch(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """LAUNCH DRONE 1 AT target DIR B (a facing, or empty: the engine picks one).

    ``reserve``: WITH RESERVE, batteries finish the arming of a plasma torpedo (H7.2).
    """

    weapon: str
    target: UnitRef
    direction: str = ""
    reserve: bool = False


class Guide(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """GUIDE KD/* LEFT: which of equal hexes my seeking weapon takes (F2.0): ``LEFT``, ``RIGHT``, ``STRAIGHT``."""

    who: UnitRef
    way: str


class Reserve(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """RESERVE UP TO 2 TO #1, asked in the reserve window of every volley on that shield (H7.2)."""

    points: int
    shield: int


class Reinforce(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """REINFORCE #1 WITH 2: batteries reinforce a shield from now until the end of the turn, whatever may strike
    (H7.1, D3.342).
    """

    shield: int
    points: int


class LowerShield(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """LOWER SHIELD #3, LOWER SHIELD TO unit (G8.22); LOWER GENERAL: the general reinforcement (G8.23)."""

    shield: int = 0
    to: UnitRef | None = None
    general: bool = False


class Transport(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """TRANSPORT 3 BP TO unit, TRANSPORT 1 CREW FROM unit (G8.0). ``reserve``: WITH RESERVE, batteries pay (H7.2)."""

    count: int
    what: str
    unit: UnitRef
    way: str = "TO"
    reserve: bool = False


class Tractor(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """TRACTOR unit WITH A (G7.0); without a letter the first beam that can. ``reserve``: batteries pay (H7.2)."""

    target: UnitRef
    beam: str = ""
    reserve: bool = False


class LaunchShuttle(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """LAUNCH SHUTTLE A DIR B; with ``target``: a suicide shuttle (J2.22).

    ``count`` of ``what`` (BP, CREW) go with it: LAUNCH SHUTTLE A DIR B WITH 2 BP (J2.211).
    """

    shuttle: str
    direction: str = ""
    target: UnitRef | None = None
    count: int = 0
    what: str = ""


class LaunchProbe(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """PROBE A AT unit (G5.0)."""

    probe: str
    target: UnitRef


class Simple(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An activity of one or two words: ``CLOAK``, ``UNCLOAK``, ``DISENGAGE``, ``RELEASE`` (a beam),
    ``RECOVER`` (a shuttle), ``LAND``.
    """

    verb: str
    what: str = ""


Activity = (
    Fire | Launch | Guide | Reserve | Reinforce | LowerShield | Transport | Tractor | LaunchShuttle | LaunchProbe
    | Simple
)  # fmt: skip


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


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file: the header, and a block for each unit. ``unchanged`` is CONTINUE,
    ``concede`` CONCEDE. Header fields left out are empty.
    """

    game: str = ""
    turn: int | None = None
    side: str = ""
    reply: int | None = None
    form: str = ""
    unchanged: bool = False
    concede: bool = False
    units: tuple[UnitOrders, ...] = ()
