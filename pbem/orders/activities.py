"""The activities of a DO section: what units do in an impulse.

Each activity, such as FIRE or LAUNCH, is one class. The class declares its verb, the step of the impulse in which
it happens, how it is read, its text in normal form, and its row in docs/orders.md. What it does is in the module
of its step, in :mod:`pbem.engine.steps`.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from pbem.data.terms import StepName
from pbem.orders import vocabulary as words
from pbem.orders.cursor import Cursor
from pbem.orders.names import UnitRef, name_text, target_text, weapons_text

VERBS: dict[str, type[Activity]] = {}
"""Dict of verb to activity class, in the order in which an error message lists the verbs."""


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of an activity, i.e. of one action that the DO section of an order file tells a unit to take.

    ``verb`` is the word an activity begins with. ``verb`` is empty for a class that another class reads, such as
    :class:`LaunchShuttle`. ``step`` is the step of the impulse in which the activity is carried out. ``step`` is
    ``NONE`` for an activity that applies for the rest of the turn (H7.0). ``also`` holds other spellings of the
    verb. ``guide`` holds rows of docs/orders.md: what the player writes, and what the activity does. Defining a
    subclass with a verb adds the activity to the order language.
    """

    verb: ClassVar[str] = ""
    also: ClassVar[str] = ""
    step: ClassVar[StepName] = StepName.NONE
    guide: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.verb:
            VERBS[cls.verb] = cls
            words.reserve(cls.verb, cls.also)

    @classmethod
    def read(cls, cursor: Cursor) -> Activity:
        """Read the words after the verb and return the activity.

        Raises:
            Misread: The words are not a valid activity.
        """
        return cls()

    @property
    def text(self) -> str:
        """The activity as order text in normal form (uniform spelling)."""
        return self.verb


def read_activities(cursor: Cursor) -> tuple[Activity, ...]:
    """Read one or more activities joined by AND and return them.

    The engine later carries out either all of these activities or none.
    """
    found = [VERBS[cursor.need(*VERBS)].read(cursor)]
    while cursor.take("AND"):
        found.append(VERBS[cursor.need(*VERBS)].read(cursor))
    return tuple(found)


def target_of(does: tuple[Activity, ...]) -> bool:
    """Return whether at least one of the activities names a target.

    Only then can a condition without a unit, like ``RANGE <= 4``, refer to the target.
    """
    return any(getattr(one, "target", None) is not None for one in does)


# --- weapons and shields ----------------------------------------------------------------------------------------------


class Fire(Activity, frozen=True, kw_only=True):
    """FIRE weapons AT target: fire direct-fire weapons.

    ``weapons`` are names (``PH 1``), ``ALL``, ``ALL PH`` or ``HEAVY``. ``one_of`` fires only the first weapon of
    the list that can fire. ``reserve`` (WITH RESERVE) lets batteries pay (H7.2). ``battery`` (WITH BATTERY) makes
    batteries pay for phasers even if the phaser capacitor has enough energy (H7.3).
    """

    verb = "FIRE"
    also = "SHOOT"
    step = StepName.FIRE
    guide = (
        (
            "`FIRE DISR A,B PH 1-3 AT x`",
            "weapons as on the SSD; also `ALL`, `ALL PH`, `HEAVY`; `ONE OF PH 4,2` fires the first of these "
            "that can fire. `AT EACH` fires one weapon at each target; `AT IT` fires all weapons at the nearest one",
        ),
    )

    weapons: tuple[str, ...]
    target: UnitRef
    one_of: bool = False
    reserve: bool = False
    battery: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> Fire:
        """Read the words after FIRE and return the activity."""
        one_of = bool(cursor.take("ONE"))
        if one_of:
            cursor.need("OF")
        weapons = cursor.weapons()
        if not cursor.take("AT"):
            if cursor.word() == ",":
                cursor.at += 1
                cursor.fail("a weapon, like PH 1")
            cursor.fail("AT", "a weapon, like PH 1")
        target = cursor.unit("a target")
        battery = cursor.key() == "WITH" and cursor.key(1) == "BATTERIES"
        cursor.at += 2 * battery
        reserve = not battery and with_reserve(cursor)
        return cls(weapons=weapons, target=target, one_of=one_of, reserve=reserve, battery=battery)

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        first = "ONE OF " if self.one_of else ""
        paid = " WITH BATTERY" if self.battery else paid_text(self.reserve)
        return f"FIRE {first}{weapons_text(self.weapons)} AT {target_text(self.target)}{paid}"


class Launch(Activity, frozen=True, kw_only=True):
    """LAUNCH DRONE 1 AT target DIR B: launch a seeking weapon.

    ``direction`` is a facing; if it is empty, the engine picks one. ``reserve`` (WITH RESERVE) lets batteries
    finish the arming of a plasma torpedo (H7.2).
    """

    verb = "LAUNCH"
    step = StepName.LAUNCH
    guide = (
        (
            "`LAUNCH DRONE 1 AT x DIR B`, `LAUNCH PLAS A AT x`",
            "without DIR the program chooses the facing",
        ),
    )

    weapon: str
    target: UnitRef
    direction: str = ""
    reserve: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> Activity:
        """Read the words after LAUNCH and return the activity.

        The result is a :class:`LaunchProbe` or :class:`LaunchShuttle` if the next word is PROBE, SHUTTLE or
        SUICIDE.
        """
        if cursor.take("PROBE"):
            return LaunchProbe.read(cursor)
        if cursor.key() in ("SHUTTLE", "SUICIDE"):
            return LaunchShuttle.read(cursor)
        if not cursor.weapon_kind():
            cursor.fail("a weapon, like DRONE 1", "SHUTTLE", "SUICIDE", "PROBE")
        start = cursor.at
        weapons = cursor.weapons(one=True)
        if len(weapons) != 1 or weapons[0].startswith("ALL"):
            raise cursor.misread(
                "one-launch",
                "write one weapon after each LAUNCH; join two launches with AND",
                back=cursor.at - start,
                rule="F2.3",
            )
        target, direction = _aim(cursor)
        if target is None:
            cursor.fail("AT")
        return cls(weapon=weapons[0], target=target, direction=direction, reserve=with_reserve(cursor))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"LAUNCH {self.weapon} AT {target_text(self.target)}{_dir(self.direction)}{paid_text(self.reserve)}"


class Guide(Activity, frozen=True, kw_only=True):
    """GUIDE KD/* LEFT: choose which of two equally near hexes the player's seeking weapon enters (F2.0).

    ``way`` is ``LEFT``, ``RIGHT`` or ``STRAIGHT``.
    """

    verb = "GUIDE"
    step = StepName.SEEK
    guide = (
        (
            "`GUIDE KD/* LEFT`",
            "which hex your seeking weapon enters when two are equally near (F2.0): LEFT, RIGHT, STRAIGHT; a side "
            "without ships (#2) writes DO and GUIDE above all blocks",
        ),
    )

    who: UnitRef
    way: str

    @classmethod
    def read(cls, cursor: Cursor) -> Guide:
        """Read the words after GUIDE and return the activity."""
        who = cursor.unit("a seeking weapon of mine")
        ways = ("LEFT", "RIGHT", "STRAIGHT")
        return cls(who=who, way=cursor.take_word(*ways) or cursor.fail(*ways))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"GUIDE {target_text(self.who)} {self.way}"


class Reserve(Activity, frozen=True, kw_only=True):
    """RESERVE UP TO 2 TO #1: before each volley that hits a shield, spend battery points to reinforce it (H7.2)."""

    verb = "RESERVE"
    guide = (
        (
            "`RESERVE UP TO 2 TO #1`",
            "reinforce a shield when a volley on it is known but not yet scored (H7.2); cannot be joined by AND",
        ),
    )

    points: int
    shield: int

    @classmethod
    def read(cls, cursor: Cursor) -> Reserve:
        """Read the words after RESERVE and return the activity."""
        if cursor.take("UP"):
            cursor.need("TO")
        points = cursor.number("a number of battery points", most=99)
        cursor.need("TO")
        return cls(points=points, shield=cursor.shield())

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"RESERVE UP TO {self.points} TO #{self.shield}"


class Reinforce(Activity, frozen=True, kw_only=True):
    """REINFORCE #1 WITH 2: reinforce a shield from batteries, from now to the end of the turn (H7.1, D3.342).

    The reinforcement counts against every kind of damage to the shield. Only batteries can pay in the middle of a
    turn, so the order need not name batteries as the source.
    """

    verb = "REINFORCE"
    step = StepName.IMPACT
    guide = (
        (
            "`REINFORCE #1 WITH 2`",
            "reinforce a shield from batteries until the end of the turn (H7.1); happens after movement, before "
            "seeking weapons hit",
        ),
    )

    shield: int
    points: int

    @classmethod
    def read(cls, cursor: Cursor) -> Reinforce:
        """Read the words after REINFORCE and return the activity."""
        shield = cursor.shield()
        cursor.need("WITH")
        points = cursor.number("a number of battery points", most=99)
        cursor.take_word("POINT", "POINTS")
        cursor.take("FROM")
        cursor.take("BATTERIES", "RESERVE")
        return cls(shield=shield, points=points)

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"REINFORCE #{self.shield} WITH {self.points}"


class LowerShield(Activity, frozen=True, kw_only=True):
    """LOWER SHIELD #3: lower a shield, so that transporters can work through it.

    Other forms are LOWER SHIELD TO unit (G8.22), and LOWER GENERAL for the general reinforcement (G8.23).
    """

    verb = "LOWER"
    also = "DROP"
    step = StepName.TRANSPORT
    guide = (
        (
            "`LOWER SHIELD #3`, `LOWER SHIELD TO x`, `LOWER GENERAL`",
            "lower a shield or general reinforcement for a beam (G8.22, G8.23)",
        ),
    )

    shield: int = 0
    to: UnitRef | None = None
    general: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> LowerShield:
        """Read the words after LOWER and return the activity."""
        token = cursor.peek()
        if token is not None and token.kind == "shield":
            return cls(shield=cursor.shield())
        if cursor.key() == "SHIELD" and cursor.key(1) == "TO":
            cursor.at += 1
        if cursor.take_word("GENERAL"):
            return cls(general=True)
        if cursor.take("TO"):
            return cls(to=cursor.unit())
        if cursor.key() != "SHIELD":
            cursor.fail("SHIELD", "a shield, like #1", "TO", "GENERAL")
        return cls(shield=cursor.shield())

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        if self.general:
            return "LOWER GENERAL"
        return f"LOWER SHIELD {f'#{self.shield}' if self.to is None else f'TO {target_text(self.to)}'}"


# --- systems ----------------------------------------------------------------------------------------------------------


class Transport(Activity, frozen=True, kw_only=True):
    """TRANSPORT 3 BP TO unit, or TRANSPORT 1 CREW FROM unit: move people by transporter (G8.0).

    ``count`` is their number and ``what`` their kind: BP (boarding parties) or CREW (crew units). ``way`` is ``TO``
    or ``FROM``. ``reserve`` (WITH RESERVE) lets batteries pay (H7.2).
    """

    verb = "TRANSPORT"
    also = "BEAM"
    step = StepName.TRANSPORT
    guide = (
        (
            "`TRANSPORT 3 BP TO x`, `TRANSPORT 1 CREW FROM x`",
            "boarding parties, crew units (G8.0)",
        ),
    )

    count: int
    what: str
    unit: UnitRef
    way: str = "TO"
    reserve: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> Transport:
        """Read the words after TRANSPORT and return the activity."""
        count, what = _load(cursor)
        way = cursor.need("TO", "FROM")
        unit = cursor.unit()
        return cls(count=count, what=what, unit=unit, way=way, reserve=with_reserve(cursor))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"TRANSPORT {self.count} {self.what} {self.way} {target_text(self.unit)}{paid_text(self.reserve)}"


class Tractor(Activity, frozen=True, kw_only=True):
    """TRACTOR unit WITH A: take hold of a unit with a tractor beam (G7.0).

    Without a letter, the ship uses its first beam that can take hold. ``reserve`` (WITH RESERVE) lets batteries pay
    (H7.2).
    """

    verb = "TRACTOR"
    also = "TRAC TRACTORS"
    step = StepName.TRACTOR
    guide = (
        (
            "`TRACTOR x WITH A`, `RELEASE A`",
            "take hold, let go (G7.0)",
        ),
    )

    target: UnitRef
    beam: str = ""
    reserve: bool = False

    @classmethod
    def read(cls, cursor: Cursor) -> Tractor:
        """Read the words after TRACTOR and return the activity."""
        unit = cursor.unit("a unit to hold")
        beam = ""
        if cursor.key() == "WITH" and cursor.key(1) != "RESERVE":
            cursor.need("WITH")
            cursor.take("TRACTOR")
            beam = a_letter(cursor, "a tractor beam, like A")
        return cls(target=unit, beam=beam, reserve=with_reserve(cursor))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"TRACTOR {target_text(self.target)}{f' WITH {self.beam}' if self.beam else ''}{paid_text(self.reserve)}"


class Release(Activity, frozen=True, kw_only=True):
    """RELEASE A: release the unit that tractor beam A holds (G7.12).

    Without a letter, all tractor beams of the ship release their units.
    """

    verb = "RELEASE"
    step = StepName.TRACTOR

    beam: str = ""

    @classmethod
    def read(cls, cursor: Cursor) -> Release:
        """Read the words after RELEASE and return the activity."""
        cursor.take("TRACTOR")
        return cls(beam="" if at_activity_end(cursor) else a_letter(cursor, "a tractor beam, like A"))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"RELEASE {self.beam}".rstrip()


class Recover(Activity, frozen=True, kw_only=True):
    """RECOVER FS/1: pull a shuttle aboard; a tractor beam must already hold the shuttle (J1.62)."""

    verb = "RECOVER"
    step = StepName.BAY
    guide = (
        (
            "`LAUNCH SHUTTLE A DIR B`, `LAUNCH SUICIDE A AT x`, `RECOVER FS/1`, `LAND ON x`",
            "launch, take aboard and land shuttles (J)",
        ),
    )

    shuttle: str

    @classmethod
    def read(cls, cursor: Cursor) -> Recover:
        """Read the words after RECOVER and return the activity."""
        cursor.take("SHUTTLE")
        return cls(shuttle=cursor.name("a shuttle, like FS/1"))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"RECOVER {name_text(self.shuttle)}"


class Land(Activity, frozen=True, kw_only=True):
    """LAND ON unit, or LAND: a shuttle lands on a ship or planet in its hex (J1.61, P2.0)."""

    verb = "LAND"
    step = StepName.BAY

    on: str = ""

    @classmethod
    def read(cls, cursor: Cursor) -> Land:
        """Read the words after LAND and return the activity."""
        cursor.take("ON")
        return cls(on="" if at_activity_end(cursor) else cursor.name("a unit to land on"))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"LAND ON {name_text(self.on)}" if self.on else "LAND"


class LaunchShuttle(Activity, frozen=True, kw_only=True):
    """LAUNCH SHUTTLE A DIR B: launch a shuttle; with a ``target``, the shuttle is a suicide shuttle (J2.22).

    LAUNCH SHUTTLE A DIR B WITH 2 BP sends people along (J2.211). ``count`` is their number, and ``what`` their
    kind: BP (boarding parties) or CREW (crew units).
    """

    step = StepName.BAY

    shuttle: str
    direction: str = ""
    target: UnitRef | None = None
    count: int = 0
    what: str = ""

    @classmethod
    def read(cls, cursor: Cursor) -> LaunchShuttle:
        """Read the words after LAUNCH, which begin with SHUTTLE or SUICIDE, and return the activity."""
        bomb = cursor.need("SHUTTLE", "SUICIDE") == "SUICIDE"
        if bomb:
            cursor.take("SHUTTLE")
        shuttle = a_letter(cursor, "a shuttle, like A")
        target, direction = _aim(cursor)
        if bomb and target is None:
            cursor.fail("AT")
        count, what = _load(cursor) if target is None and cursor.take("WITH") else (0, "")
        if not direction and cursor.take("DIR"):
            direction = cursor.facing()
        return cls(shuttle=shuttle, direction=direction, target=target, count=count, what=what)

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        bomb = self.target is not None
        at = f" AT {target_text(self.target)}" if self.target is not None else ""
        load = f" WITH {self.count} {self.what}" if self.count else ""
        return f"LAUNCH {'SUICIDE' if bomb else 'SHUTTLE'} {self.shuttle}{at}{_dir(self.direction)}{load}"


class LaunchProbe(Activity, frozen=True, kw_only=True):
    """PROBE A AT unit: launch a probe at a unit (G5.0)."""

    verb = "PROBE"
    step = StepName.FIRE
    guide = (
        (
            "`PROBE A AT x`",
            "launch a probe (G5.0)",
        ),
    )

    probe: str
    target: UnitRef

    @classmethod
    def read(cls, cursor: Cursor) -> LaunchProbe:
        """Read the words after PROBE and return the activity."""
        probe = a_letter(cursor, "a probe, like A")
        cursor.need("AT")
        return cls(probe=probe, target=cursor.unit("a target"))

    @property
    def text(self) -> str:
        """The text of the activity in normal form."""
        return f"PROBE {self.probe} AT {target_text(self.target)}"


class Cloak(Activity, frozen=True, kw_only=True):
    """CLOAK: switch the cloaking device on (G13.0)."""

    verb = "CLOAK"
    step = StepName.CLOAK
    guide = (
        (
            "`CLOAK`, `UNCLOAK`, `DISENGAGE`",
            "a Cadet ship cloaks for whole turns, by the energy form alone (G13.1); DISENGAGE is for duels (#5, #6, "
            "#7, #10, #12)",
        ),
    )


class Uncloak(Activity, frozen=True, kw_only=True):
    """UNCLOAK: switch the cloaking device off (G13.0)."""

    verb = "UNCLOAK"
    also = "DECLOAK"
    step = StepName.CLOAK


class Disengage(Activity, frozen=True, kw_only=True):
    """DISENGAGE: the ship leaves the battle, where the scenario allows it."""

    verb = "DISENGAGE"
    step = StepName.END


# --- phrases of several activities ------------------------------------------------------------------------------------


def with_reserve(cursor: Cursor) -> bool:
    """Read the words ``WITH RESERVE`` if they come next, and return whether they did.

    The words let batteries pay for the activity (H7.2).
    """
    if not cursor.take("WITH"):
        return False
    cursor.need("RESERVE")
    return True


def paid_text(reserve: bool) -> str:
    """Return the text `` WITH RESERVE``, which ends an order, if ``reserve`` is true; otherwise ``""``."""
    return " WITH RESERVE" if reserve else ""


def _aim(cursor: Cursor) -> tuple[UnitRef | None, str]:
    """Read ``AT target`` and ``DIR B`` in either order, each at most once, and return target and direction."""
    target: UnitRef | None = None
    direction = ""
    while True:
        if target is None and cursor.take("AT"):
            target = cursor.unit("a target")
        elif not direction and cursor.take("DIR"):
            direction = cursor.facing()
        else:
            return target, direction


def _dir(direction: str) -> str:
    return f" DIR {direction}" if direction else ""


def _load(cursor: Cursor) -> tuple[int, str]:
    """Read what a transporter is to move, such as ``3 BP``, and return the number and the kind."""
    count = cursor.number("a number of boarding parties or crew units", most=99)
    what = cursor.take_word(*words.CARGO)
    if not what:
        cursor.fail(*dict.fromkeys(words.CARGO.values()))
    return count, words.CARGO[what]


def a_letter(cursor: Cursor, what: str) -> str:
    """Read and return the letter or number (at most 2 characters) of a shuttle, probe or tractor beam.

    ``what`` describes what was expected, for the error message if there is no letter.
    """
    word = cursor.word()
    if len(word) <= 2 and word.isascii() and word.isalnum() and not cursor.key():
        cursor.at += 1
        return word
    cursor.fail(what)


def at_activity_end(cursor: Cursor) -> bool:
    """Return whether the cursor is at the end of an activity, i.e. no more words of the activity follow."""
    return cursor.ended or cursor.key() in ("IF", "AND")
