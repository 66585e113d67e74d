"""The kinds of conditions after IF and BREAK, such as ``RANGE Con <= 4``: one class for each kind.

A class defines the words of its kind, how it is read and written, and its description for docs/orders.md and the
order form page. What a kind means in play is in :mod:`pbem.engine.conditions.kinds`. A condition on a unit is
tested for all units that its reference may mean. :mod:`pbem.orders.condition_reader` reads conditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, NoReturn

import msgspec

from pbem.orders import vocabulary as words
from pbem.orders.cursor import Cursor
from pbem.orders.lexer import quoted_word
from pbem.orders.names import ME, Compare, UnitRef, target_text, weapons_text

KINDS: Final[list[type[SimpleCondition]]] = []
"""The classes of simple conditions, in the order of docs/orders.md, the order form page and messages."""
BEGINNINGS: Final[dict[str, type[SimpleCondition]]] = {}
"""Dict of first word to condition class, for conditions that begin with a word of their own, such as RANGE."""
AFTER_UNIT: Final[dict[str, type[SimpleCondition]]] = {}
"""Dict of word to condition class, for conditions that begin with a unit.

The word, such as WITHIN, follows the unit.
"""

_TARGET: Final = UnitRef(how="target")


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of all conditions.

    ``about`` is the name of the field that holds the unit in question; it is ``""`` if the condition has no unit.
    """

    about: ClassVar[str] = ""

    @property
    def text(self) -> str:
        """The condition as order text in normal form (uniform spelling)."""
        raise NotImplementedError


class SimpleCondition(Condition, frozen=True, kw_only=True):
    """Base class of conditions without NOT, AND and OR; defining a subclass adds a kind to the language.

    ``first`` are the words that may begin this kind of condition. ``after`` are the words that may follow a unit.
    All words are in :mod:`pbem.orders.vocabulary`. A ``private`` kind asks for facts that only the owner of a ship
    knows; a break may not ask for private facts (D4.1). ``guide`` holds rows for docs/orders.md: what the player
    writes, and when the condition is true. ``form`` holds lines for the order form page: a description for the
    player, and the order text with placeholders.
    """

    first: ClassVar[tuple[str, ...]] = ()
    after: ClassVar[tuple[str, ...]] = ()
    private: ClassVar[bool] = False
    guide: ClassVar[tuple[tuple[str, str], ...]] = ()
    form: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        KINDS.append(cls)
        BEGINNINGS.update(dict.fromkeys(cls.first, cls))
        AFTER_UNIT.update(dict.fromkeys(cls.after, cls))
        words.AFTER_SUBJECT.update(cls.after)

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> SimpleCondition:
        """Read the words after ``word`` and return the condition; ``word`` is one of ``first`` or ``after``.

        ``who`` is the unit named before a word of ``after``; without a unit, ``who`` is ME.

        Raises:
            Misread: The words are not a valid condition of this kind.
        """
        raise NotImplementedError

    @property
    def own_weapons(self) -> tuple[str, ...]:
        """The names of the weapons of the player's own ship that the condition mentions."""
        return ()


class ConditionWords:
    """The words of one condition, with methods to read the parts that several kinds of conditions share.

    Attributes:
        cursor: The words and the position of the next word to read.
        public: Whether the condition may ask for public facts only, as in a break.
        target: Whether the order names a target, so that RANGE needs no unit.
        bound: Whether an earlier part of the condition names units, to which IT and EACH refer.
    """

    def __init__(self, cursor: Cursor, *, public: bool, target: bool) -> None:
        self.cursor = cursor
        self.public = public
        self.target = target
        self.bound = False

    def unit(self, what: str = "a unit") -> UnitRef:
        """Read and return the unit that the condition is about.

        IT and EACH refer to the units of an earlier part of the condition.
        """
        place = self.cursor.at
        ref = self.cursor.unit(what)
        verify_meant(self.cursor, place, bound=self.bound, target=self.target)
        return ref

    def owner(self) -> UnitRef:
        """Read ``OF unit`` and return the unit; return ME if no ``OF`` is there."""
        return self.unit() if self.cursor.take("OF") else ME

    def of_target(self, what: str) -> UnitRef:
        """Read ``OF unit`` or just a unit and return the unit; without either, return the target of the order.

        ``what`` names the condition in the error message for an order without a target.
        """
        cursor = self.cursor
        cursor.take("OF", "TO")
        if cursor.key() == "TARGET" or not cursor.at_unit():
            token = cursor.peek()
            if token is not None and token.kind != "operator" and token.key not in ("DOWN", "HIT", "IS", "TARGET"):
                cursor.fail("a unit")
            if not self.target:
                raise cursor.misread("no-target", f"name the unit after {what}: this order has no target", back=1)
            cursor.take("TARGET")
            return _TARGET
        return self.unit()

    def shield_state(self, *states: str) -> tuple[str, Compare | None]:
        """Read the state of a shield that the condition asks for, and return it as a pair.

        The pair is one of the ``states`` in lower case and ``None``, or ``boxes`` and a comparison with a number.
        """
        self.cursor.take("IS")
        state = self.cursor.take(*states)
        return (state.lower(), None) if state else ("boxes", self.cursor.compare(also=states))

    def verify_mine(self, key: str) -> None:
        """Check that the condition is about the player's own ship, i.e. that no ``OF unit`` follows.

        ``key`` is the fact asked for, which is secret for other ships.

        Raises:
            Misread: The condition is about another unit (``hidden-fact``).
        """
        if self.cursor.key() == "OF":
            self.secret(key)

    def secret(self, key: str, *, own: bool = False) -> NoReturn:
        """Raise a fault, because the condition asks for a hidden fact. The message gives the reason for the secrecy.

        Args:
            key: The fact.
            own: Whether the fact is one about the player's own ship, which only a break may not ask for.

        Raises:
            Misread: Always (``hidden-fact``).
        """
        if own:
            reason = f"use {key} in an IF below DO: breaks can use only facts that all sides know"
        else:
            reason = f"conditions cannot use this: {words.SECRETS[key]}"
        raise self.cursor.misread("hidden-fact", reason, family="not allowed", rule="D4.1")


# --- simple conditions ------------------------------------------------------------------------------------------------


class Range(SimpleCondition, frozen=True, kw_only=True, tag="Range"):
    """Condition ``RANGE unit <= 4``: the range in hexes between the player's ship and a unit (D1.4)."""

    about = "of"
    first = ("RANGE",)
    guide = (
        (
            "`RANGE x <= 4`",
            "hexes between us (D1.4); for a planet, its nearest hex counts. In an order with a target (FIRE, LAUNCH, "
            "TRACTOR, PROBE) `RANGE <= 4` means the target, also IT or EACH",
        ),
    )
    form = (("range to a unit", "RANGE {unit} {op} {n}"),)

    of: UnitRef
    test: Compare

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Range:
        """Read the words after RANGE and return the condition."""
        return cls(of=asked.of_target("RANGE"), test=asked.cursor.compare())

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"RANGE {'' if self.of.how == 'target' else f'{target_text(self.of)} '}{self.test.text}"


class Within(SimpleCondition, frozen=True, kw_only=True, tag="Within"):
    """Condition ``SEEKER WITHIN 1``: at least one unit of the named kind is at most that many hexes away."""

    about = "who"
    after = ("WITHIN",)
    guide = (("`x WITHIN 1`", "such a unit is at that range or nearer"),)
    form = (("a unit is near", "{unit} WITHIN {n}"),)

    who: UnitRef
    hexes: int

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Within:
        """Read the words after WITHIN and return the condition."""
        hexes = asked.cursor.number("a number of hexes", most=99)
        asked.cursor.take_word("HEX", "HEXES")
        return cls(who=who, hexes=hexes)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} WITHIN {self.hexes}"


class Impulse(SimpleCondition, frozen=True, kw_only=True, tag="Impulse"):
    """Condition ``IMPULSE 8`` (equal) or ``IMPULSE >= 8``: the current impulse."""

    first = ("IMPULSE",)
    guide = (("`IMPULSE 8`, `IMPULSE >= 8`", "the current impulse"),)
    form = (("impulse", "IMPULSE {op} {n}"),)

    test: Compare

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Impulse:
        """Read the words after IMPULSE and return the condition."""
        cursor = asked.cursor
        if cursor.is_number():
            return cls(test=Compare(op="=", value=cursor.number()))
        cursor.take("IS")
        return cls(test=cursor.compare(also=("an impulse",)))

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"IMPULSE {self.test.value if self.test.op == '=' else self.test.text}"


class InArc(SimpleCondition, frozen=True, kw_only=True, tag="InArc"):
    """Condition ``unit IN FA``: the unit is in the named firing arc of the player's ship (D2.0)."""

    about = "who"
    after = ("IN",)
    guide = (("`x IN FA`", "it is in my arc (D2.0): FA FX RA RX LS RS LF RF L R LR RR 360, joined by `+`"),)
    form = (("a unit is in my arc", "{unit} IN {arc}"),)

    who: UnitRef
    arc: str

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> InArc:
        """Read the words after IN and return the condition."""
        asked.cursor.take("ME")
        asked.cursor.take_word("MY", "ARC")
        return cls(who=who, arc=arc(asked.cursor))

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} IN {self.arc}"


class ShieldIs(SimpleCondition, frozen=True, kw_only=True, tag="ShieldIs"):
    """Condition on a shield: ``#1 <= 4`` (boxes left), ``#1 OF unit DOWN``, ``#1 HIT`` (in the step just finished).

    The first word is the shield number. ``is_`` is ``boxes`` (then ``test`` is the comparison), ``hit`` or
    ``down``. A shield is down if it has no boxes left, or if it was lowered so that a transporter can work through
    it.
    """

    about = "who"
    guide = (
        (
            "`#1 <= 4`, `#1 HIT`, `#1 DOWN`, `#1 OF x DOWN`",
            "boxes left on a shield; hit just now; none left or lowered (`#1 <= 0`: none left). SSDs are public (D4.1)",
        ),
    )
    form = (
        ("boxes of my shield", "{shield} {op} {n}"),
        ("my shield is hit", "{shield} HIT"),
        ("my shield is down", "{shield} DOWN"),
        ("boxes of its shield", "{shield} OF {unit} {op} {n}"),
        ("its shield is down", "{shield} OF {unit} DOWN"),
    )

    number: int
    who: UnitRef
    is_: str
    test: Compare | None = None

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> ShieldIs:
        """Read a condition that begins with a shield, and return it."""
        number = asked.cursor.shield()
        who = asked.owner()
        if asked.cursor.key() == "REINFORCED":
            asked.secret("REINFORCED")
        is_, test = asked.shield_state("HIT", "DOWN")
        return cls(number=number, who=who, is_=is_, test=test)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        owner = "" if self.who == ME else f"OF {target_text(self.who)} "
        return f"#{self.number} {owner}{self.test.text if self.test else self.is_.upper()}"


class FacedShield(SimpleCondition, frozen=True, kw_only=True, tag="FacedShield"):
    """Condition ``FACED SHIELD OF unit <= 4``: boxes left on the unit's shield that the player's ship would hit.

    A lowered shield counts as 0 boxes. If the line of fire follows the boundary of two shields and the rules do not
    decide between them, the stronger shield counts. ``is_`` is ``boxes`` (then ``test`` is the comparison) or
    ``down``.
    """

    about = "of"
    first = ("FACED",)
    guide = (
        (
            "`FACED SHIELD OF x <= 4`",
            "boxes of the shield that my shot would strike (D3.41 on a junction); none if it is lowered",
        ),
    )
    form = (("boxes of the shield it turns to me", "FACED SHIELD OF {unit} {op} {n}"),)

    of: UnitRef
    is_: str
    test: Compare | None = None

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> FacedShield:
        """Read the words after FACED and return the condition."""
        asked.cursor.take("SHIELD")
        of = asked.of_target("FACED SHIELD")
        is_, test = asked.shield_state("DOWN")
        return cls(of=of, is_=is_, test=test)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        owner = "" if self.of.how == "target" else f"OF {target_text(self.of)} "
        return f"FACED SHIELD {owner}{self.test.text if self.test else self.is_.upper()}"


class Speed(SimpleCondition, frozen=True, kw_only=True, tag="Speed"):
    """Condition ``SPEED unit >= 10``: the speed of the unit this turn."""

    about = "of"
    first = ("SPEED",)
    guide = (("`SPEED x >= 10`", "its speed this turn"),)
    form = (("its speed", "SPEED {unit} {op} {n}"),)

    of: UnitRef
    test: Compare

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Speed:
        """Read the words after SPEED and return the condition."""
        asked.cursor.take("OF")
        return cls(of=asked.unit("a unit whose speed is asked"), test=asked.cursor.compare())

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"SPEED {target_text(self.of)} {self.test.text}"


class Internals(SimpleCondition, frozen=True, kw_only=True, tag="Internals"):
    """Condition ``INTERNALS > 3``: the number of internal damage points in the step just finished.

    Other forms are ``INTERNALS`` alone (any internal damage, ``> 0``) and ``INTERNALS OF unit``.
    """

    about = "who"
    first = ("INTERNALS",)
    guide = (
        (
            "`INTERNALS`, `INTERNALS > 3`, `INTERNALS OF x`",
            "internal points just now; for RESERVE, of the coming volley",
        ),
    )
    form = (("I take internals", "INTERNALS > {n}"), ("it takes internals", "INTERNALS OF {unit} > {n}"))

    who: UnitRef
    test: Compare

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Internals:
        """Read the words after INTERNALS and return the condition."""
        who = asked.owner()
        some = (sign := asked.cursor.peek()) is None or sign.kind != "operator"
        return cls(who=who, test=Compare(op=">", value=0) if some else asked.cursor.compare())

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        owner = "" if self.who == ME else f" OF {target_text(self.who)}"
        return f"INTERNALS{owner}{'' if self.test == Compare(op='>', value=0) else f' {self.test.text}'}"


class Became(SimpleCondition, frozen=True, kw_only=True, tag="Became"):
    """Condition ``unit DESTROYED``, ``DAMAGED``, ``CLOAKED`` or ``CLOSING`` (coming nearer to the player's ship).

    ``what`` is that word in capitals. DAMAGED means damaged in the step just finished.
    """

    about = "who"
    after = ("DESTROYED", "DAMAGED", "CLOAKED", "CLOSING")
    guide = (
        ("`x DAMAGED`", "lost a shield box or something inside just now"),
        ("`x DESTROYED`, `CLOAKED`", "it was destroyed (stays true); it is cloaked now"),
        (
            "`x CLOSING`",
            "the range fell the last time it changed this turn. False again when the range grows, or stays equal for a "
            "quarter turn in which one of us moves. For a new unit, the first range is the one at its launch",
        ),
    )
    form = (
        ("it is damaged", "{unit} DAMAGED"),
        ("it is destroyed", "{unit} DESTROYED"),
        ("it is cloaked", "{unit} CLOAKED"),
        ("it comes nearer", "{unit} CLOSING"),
    )

    who: UnitRef
    what: str

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Became:
        """Return the condition for ``word``; no further words belong to it."""
        return cls(who=who, what=word)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} {self.what}"


class Launches(SimpleCondition, frozen=True, kw_only=True, tag="Launches"):
    """Condition ``ENEMY LAUNCHES`` or ``unit LAUNCHES SEEKER``: the unit launched something in the step just finished.

    ``what`` is SEEKER, DRONE, PLASMA or SHUTTLE, or ``""`` for anything.
    """

    about = "who"
    after = ("LAUNCHES",)
    guide = (("`x LAUNCHES`, `x LAUNCHES SEEKER` (DRONE, PLASMA, SHUTTLE)", "just now"),)
    form = (("it launches", "{unit} LAUNCHES{launched}"),)

    who: UnitRef
    what: str = ""

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Launches:
        """Read the words after LAUNCHES and return the condition."""
        return cls(who=who, what=asked.cursor.take("SEEKER", "DRONE", "PLASMA", "SHUTTLE"))

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} LAUNCHES {self.what}".rstrip()


class Fires(SimpleCondition, frozen=True, kw_only=True, tag="Fires"):
    """Condition ``ENEMY FIRES``, or ``ENEMY FIRES HEAVY`` (PH, PHOT, DISR): a unit fired in the step just finished.

    ``what`` is ``""`` (any weapon), ``HEAVY`` or the first word of a weapon's name (``PH``).
    """

    about = "who"
    after = ("FIRES",)
    guide = (("`x FIRES`, `x FIRES HEAVY` (PH, PHOT, DISR …)", "just now"),)
    form = (("it fires", "{unit} FIRES{fired}"),)

    who: UnitRef
    what: str = ""

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Fires:
        """Read the words after FIRES and return the condition."""
        cursor = asked.cursor
        kind = cursor.take("HEAVY") or cursor.weapon_kind()
        if kind and kind != "HEAVY":
            cursor.at += 1
        if cursor.key() in ("AT", "ON"):
            text = "FIRES is true no matter who the target is; to react to being hit, use #1 HIT or ME DAMAGED"
            raise cursor.misread("expected", text)
        return cls(who=who, what=kind)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} FIRES {self.what}".rstrip()


class Reaches(SimpleCondition, frozen=True, kw_only=True, tag="Reaches"):
    """Condition ``unit REACHES 1214``: the unit is in the named hex."""

    about = "who"
    after = ("REACHES",)
    guide = (("`x REACHES 1214`", "it is in that hex"),)
    form = (("it stands in a hex", "{unit} REACHES {hex}"),)

    who: UnitRef
    hex: str

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Reaches:
        """Read the words after REACHES and return the condition."""
        return cls(who=who, hex=asked.cursor.hex())

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{target_text(self.who)} REACHES {self.hex}"


class Armed(SimpleCondition, frozen=True, kw_only=True, tag="Armed"):
    """Condition ``ARMED PHOT A,B`` or ``PHOT A,B ARMED``: all named weapons have the energy to fire.

    Only weapons of the player's own ship may be named.
    """

    first = ("ARMED",)
    private = True
    guide = (
        (
            "`ARMED PHOT A,B`",
            "my own weapons have the energy to fire; a tube that was just destroyed can still launch (FP1.7)",
        ),
    )
    form = (("my weapons are armed", "ARMED {weapon}"),)

    weapons: tuple[str, ...]

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Armed:
        """Read and return the condition ``ARMED PHOT A,B`` or ``PHOT A,B ARMED``.

        If ``word`` is ``""``, the cursor is at the weapons, and ARMED comes after them.
        """
        cursor = asked.cursor
        weapons = cursor.weapons()
        asked.verify_mine("ARMED")
        if word:
            return cls(weapons=weapons)
        cursor.take("IS")
        if cursor.key() in ("HOLDING", "OVERLOADED"):
            asked.secret(cursor.key())
        if cursor.key() != "ARMED":
            cursor.fail("ARMED")
        if asked.public:
            asked.secret("ARMED", own=True)
        cursor.at += 1
        return cls(weapons=weapons)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"ARMED {weapons_text(self.weapons)}"

    @property
    def own_weapons(self) -> tuple[str, ...]:
        """The names of the weapons that the condition asks about."""
        return self.weapons


class Own(SimpleCondition, frozen=True, kw_only=True, tag="Own"):
    """Condition on what the player's own ship has left: ``BATTERIES >= 1``, ``CAPACITOR >= 2``, ``AMMO DRONE 1 >= 1``.

    ``what`` is the first word in lower case; ``weapon`` is the weapon named after AMMO.
    """

    first = ("BATTERIES", "CAPACITOR", "AMMO")
    private = True
    guide = (("`BATTERIES >= 1`, `CAPACITOR >= 2`, `AMMO DRONE 1 >= 1`", "my own stores"),)
    form = (("my batteries", "BATTERIES {op} {n}"), ("my capacitor", "CAPACITOR {op} {n}"))

    what: str
    test: Compare
    weapon: str = ""

    @classmethod
    def read(cls, asked: ConditionWords, word: str, who: UnitRef) -> Own:
        """Read the words after BATTERIES, CAPACITOR or AMMO and return the condition."""
        cursor = asked.cursor
        weapon = ""
        if word == "AMMO":
            weapons = cursor.weapons(one=True)
            if len(weapons) != 1 or weapons[0].startswith(("ALL", "HEAVY")):
                raise cursor.misread("expected", "name one weapon after AMMO, like AMMO DRONE 1 >= 1", back=1)
            weapon = weapons[0]
        asked.verify_mine(word)
        return cls(what=word.lower(), test=cursor.compare(), weapon=weapon)

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"{self.what.upper()} {f'{self.weapon} ' if self.weapon else ''}{self.test.text}"

    @property
    def own_weapons(self) -> tuple[str, ...]:
        """The weapon named after AMMO, in a tuple; empty if no weapon is named."""
        return (self.weapon,) if self.weapon else ()


# --- conditions of several parts --------------------------------------------------------------------------------------


class All(Condition, frozen=True, kw_only=True, tag="All"):
    """Several conditions joined by AND."""

    of: tuple[Condition, ...]

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return " AND ".join([_grouped(part) for part in self.of])


class AnyOf(Condition, frozen=True, kw_only=True, tag="AnyOf"):
    """Several conditions joined by OR."""

    of: tuple[Condition, ...]

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return " OR ".join([_grouped(part) if isinstance(part, AnyOf) else part.text for part in self.of])


class Negation(Condition, frozen=True, kw_only=True, tag="Negation"):
    """A condition after NOT."""

    of: Condition

    @property
    def text(self) -> str:
        """The text of the condition in normal form."""
        return f"NOT {_grouped(self.of)}"


JOINED: Final[tuple[type[Condition], ...]] = (All, AnyOf, Negation)
"""The classes of conditions that consist of other conditions."""


def _grouped(part: Condition) -> str:
    """Return a part of a joined condition as text, in parentheses if the part itself is joined with AND or OR."""
    return f"({part.text})" if isinstance(part, All | AnyOf) else part.text


def subject(condition: Condition) -> UnitRef | None:
    """Return the unit that a simple condition is about.

    The result is ``None`` if the condition names no unit, or is joined from several conditions.
    """
    ref: UnitRef | None = getattr(condition, condition.about) if condition.about else None
    return ref


def parts(condition: Condition) -> Iterator[SimpleCondition]:
    """Yield the simple conditions of which a condition with AND, OR and NOT consists."""
    match condition:
        case All(of=several) | AnyOf(of=several):
            for one in several:
                yield from parts(one)
        case Negation(of=one):
            yield from parts(one)
        case SimpleCondition():
            yield condition


def names_units(condition: Condition) -> bool:
    """Return whether the words IT and EACH have a unit to refer to if they come after this condition.

    A condition with NOT gives them no unit, nor does a condition about ME or the target.
    """
    match condition:
        case All(of=parts) | AnyOf(of=parts):
            return any(names_units(part) for part in parts)
        case Negation():
            return False
        case _:
            ref = subject(condition)
            return ref is not None and ref.how not in ("me", "target")


# --- helpers for readers ----------------------------------------------------------------------------------------------


def verify_meant(cursor: Cursor, start: int, *, bound: bool, target: bool = False) -> None:
    """Check that the words IT, EACH and TARGET, from word ``start`` to the cursor, each refer to a unit.

    Args:
        cursor: The words of the order. The last word to check is the word before the cursor.
        start: Index of the first word to check.
        bound: Whether an earlier condition names units, to which IT and EACH refer.
        target: Whether the order has a target, to which TARGET refers.

    Raises:
        Misread: IT or EACH refers to no unit (``nobody-meant``), or TARGET to no target (``no-target``).
    """
    for back in range(cursor.at - start, 0, -1):
        key = cursor.key(-back)
        if key in ("IT", "EACH") and not bound:
            text = f"put a condition that names units before {key}, like IF SEEKER WITHIN 3 THEN"
            raise cursor.misread("nobody-meant", text, back=back)
        if key == "TARGET" and not target:
            text = "write the unit's name instead of TARGET: this order has no target"
            raise cursor.misread("no-target", text, back=back)


def arc(cursor: Cursor) -> str:
    """Read a firing arc like ``FA`` or ``L+LR`` and return its name (D2.0)."""
    found: list[str] = []
    while True:
        if (token := cursor.peek()) is None:
            cursor.fail("an arc, like FA")
        if cursor.word() not in words.ARCS:
            text = f"{quoted_word(token.text)} is not a firing arc; the arcs are {', '.join(words.ARCS)}"
            raise cursor.misread("no-such-arc", text, choices=words.ARCS, rule="D2.0")
        found.append(cursor.word())
        cursor.at += 1
        if not cursor.take_word("+"):
            return "+".join(found)
