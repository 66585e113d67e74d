"""Conditions after IF and BREAK: what they may ask, and what they may not ask because it is secret.

NOT binds closest, then AND, then OR. Parentheses group.
"""

from __future__ import annotations

from typing import Final, NoReturn

from pbem.orders import model as om, vocabulary as words
from pbem.orders.cursor import Cursor
from pbem.orders.lexer import quoted_word

DEEPEST: Final = 30
"""Maximum nesting of parentheses and NOT in a condition."""

_TARGET: Final = om.UnitRef(how="target")
_VALUES: Final = ("RANGE", "IMPULSE", "SPEED", "FACED", "INTERNALS")
"""First words of conditions on a value, which they compare with a number."""
_BEGINNINGS: Final = (
    "RANGE", "IMPULSE", "FACED", "SPEED", "INTERNALS", "ARMED", "NOT", "a shield, like #1", "a unit",
)  # fmt: skip


def condition(cursor: Cursor, *, public: bool = False, target: bool = False) -> om.Condition:
    """Read a condition.

    Args:
        cursor: The words; it is moved past the condition.
        public: Allow public facts only, as in a break.
        target: Whether the order names a target, so that RANGE needs no unit.

    Raises:
        Misread: If the words are no condition, or ask for a secret (``hidden-fact``).
    """
    return _Conditions(cursor, public=public, target=target).any_of(0)


class _Conditions:
    def __init__(self, cursor: Cursor, *, public: bool, target: bool) -> None:
        self.cursor = cursor
        self.public = public
        self.target = target
        self.bound = False

    def any_of(self, depth: int) -> om.Condition:
        before = self.bound
        parts = [self.all_of(depth)]
        bound = self.bound
        while self.cursor.take("OR"):
            self.cursor.take("IF")
            self.bound = before
            parts.append(self.all_of(depth))
            bound = bound or self.bound
        self.bound = bound
        return parts[0] if len(parts) == 1 else om.AnyOf(of=tuple(parts))

    def all_of(self, depth: int) -> om.Condition:
        parts = [self.one(depth)]
        while self.cursor.take("AND"):
            self.cursor.take("IF")
            parts.append(self.one(depth))
        return parts[0] if len(parts) == 1 else om.All(of=tuple(parts))

    def one(self, depth: int) -> om.Condition:
        cursor = self.cursor
        if depth > DEEPEST:
            raise cursor.misread("too-deep", f"a condition may be nested {DEEPEST} deep and no deeper")
        if cursor.take("NOT"):
            before = self.bound
            negated = om.Negation(of=self.one(depth + 1))
            self.bound = before
            return negated
        if cursor.take_word("("):
            inside = self.any_of(depth + 1)
            if not cursor.take_word(")"):
                cursor.fail("AND", "OR", ")")
            return inside
        asked = self.plain()
        self.bound = self.bound or om.names_units(asked)
        return asked

    def unit(self, what: str = "a unit") -> om.UnitRef:
        """Read the unit the condition is about; IT and EACH refer to the units of an earlier part."""
        place = self.cursor.at
        ref = self.cursor.unit(what)
        verify_meant(self.cursor, place, bound=self.bound, target=self.target)
        return ref

    def plain(self) -> om.Condition:
        """Read a condition without NOT, AND, OR and parentheses."""
        cursor = self.cursor
        key = cursor.key()
        token = cursor.peek()
        if key in words.SECRETS and (cursor.key(1) == "OF" or key not in (*words.OWN_SECRETS, "TARGET")):
            self.secret(key)
        if key in _VALUES:
            cursor.at += 1
            return self.value(key)
        if key in ("ARMED", "BATTERIES", "CAPACITOR", "AMMO"):
            return self.own(key)
        if key == "SHIELD" or (token is not None and token.kind == "shield"):
            return self.numbered_shield()
        if cursor.weapon_kind() and not (key in words.KINDS and not self.at_own_weapon()):
            return self.weapon_armed()
        if not cursor.at_unit():
            if key:
                cursor.fail(*_BEGINNINGS)
            cursor.fail("a condition")
        return self.about_unit()

    def value(self, key: str) -> om.Condition:
        """Read the rest of a condition on a value, after its keyword (one of ``_VALUES``)."""
        cursor = self.cursor
        match key:
            case "RANGE":
                return om.Range(of=self.of_target("RANGE"), test=cursor.compare())
            case "IMPULSE":
                if cursor.is_number():
                    return om.Impulse(test=om.Compare(op="=", value=cursor.number()))
                cursor.take("IS")
                return om.Impulse(test=cursor.compare(also=("an impulse",)))
            case "SPEED":
                cursor.take("OF")
                return om.Speed(of=self.unit("a unit whose speed is asked"), test=cursor.compare())
            case "INTERNALS":
                who = self.unit() if cursor.take("OF") else om.ME
                some = (sign := cursor.peek()) is None or sign.kind != "operator"
                return om.Internals(who=who, test=om.Compare(op=">", value=0) if some else cursor.compare())
        cursor.take("SHIELD")
        is_, test = self.shield_is(("DOWN",), self.of_target("FACED SHIELD"))
        return om.FacedShield(of=self.who, is_=is_, test=test)

    def about_unit(self) -> om.Condition:
        """Read a condition that begins with a unit: ``SEEKER WITHIN 3``, ``Con IS NOT DESTROYED``."""
        cursor = self.cursor
        who = self.unit()
        cursor.take("IS")
        negated = bool(cursor.take("NOT"))
        told = self.told(who)
        return om.Negation(of=told) if negated else told

    def at_own_weapon(self) -> bool:
        """Return whether DRONE or PLASMA here means a weapon of mine (DRONE 1) and not a drone in flight."""
        cursor = self.cursor
        return cursor.id_here(1) or cursor.peek(1) is None or cursor.key(1) in ("ARMED", "HOLDING", "OVERLOADED", "OF")

    def of_target(self, what: str) -> om.UnitRef:
        """Read ``OF unit`` or a unit; if it is left out, return the target of the order."""
        cursor = self.cursor
        cursor.take("OF", "TO")
        if cursor.key() == "TARGET" or not cursor.at_unit():
            token = cursor.peek()
            if token is not None and token.kind != "operator" and token.key not in ("DOWN", "HIT", "IS", "TARGET"):
                cursor.fail("a unit")
            if not self.target:
                raise cursor.misread(
                    "no-target", f"{what} of which unit? This order has no target, so the unit must be named", back=1
                )
            cursor.take("TARGET")
            return _TARGET
        return self.unit()

    def shield_is(self, states: tuple[str, ...], who: om.UnitRef) -> tuple[str, om.Compare | None]:
        self.who = who
        cursor = self.cursor
        cursor.take("IS")
        state = cursor.take(*states)
        return (state.lower(), None) if state else ("boxes", cursor.compare(also=states))

    def numbered_shield(self) -> om.Condition:
        cursor = self.cursor
        number = cursor.shield()
        who = self.unit() if cursor.take("OF") else om.ME
        if cursor.key() == "REINFORCED":
            self.secret("REINFORCED")
        is_, test = self.shield_is(("HIT", "DOWN"), who)
        return om.ShieldIs(number=number, who=who, is_=is_, test=test)

    def own(self, key: str) -> om.Condition:
        cursor = self.cursor
        if self.public:
            self.secret(key, own=True)
        cursor.at += 1
        if key == "ARMED":
            weapons = cursor.weapons()
            self.unowned(key)
            return om.Armed(weapons=weapons)
        weapon = ""
        if key == "AMMO":
            weapons = cursor.weapons(one=True)
            if len(weapons) != 1 or weapons[0].startswith(("ALL", "HEAVY")):
                raise cursor.misread("expected", "AMMO asks about one weapon, like AMMO DRONE 1 >= 1", back=1)
            weapon = weapons[0]
        self.unowned(key)
        return om.Own(what=key.lower(), test=cursor.compare(), weapon=weapon)

    def weapon_armed(self) -> om.Condition:
        """Read ``PHOT A,B ARMED`` about my own weapons; it is secret for any other ship."""
        cursor = self.cursor
        weapons = cursor.weapons()
        self.unowned("ARMED")
        cursor.take("IS")
        if cursor.key() in ("HOLDING", "OVERLOADED"):
            self.secret(cursor.key())
        if cursor.key() == "ARMED":
            if self.public:
                self.secret("ARMED", own=True)
            cursor.at += 1
            return om.Armed(weapons=weapons)
        cursor.fail("ARMED")

    def unowned(self, key: str) -> None:
        if self.cursor.key() == "OF":
            self.secret(key)

    def told(self, who: om.UnitRef) -> om.Condition:
        cursor = self.cursor
        key = cursor.key()
        if key in words.SECRETS:
            self.secret(key)
        if cursor.weapon_kind() and cursor.key(1) not in words.OF_UNITS:
            self.secret("ARMED")
        cursor.need(*words.OF_UNITS)
        match key:
            case "WITHIN":
                hexes = cursor.number("a number of hexes", most=99)
                cursor.take_word("HEX", "HEXES")
                return om.Within(who=who, hexes=hexes)
            case "IN":
                cursor.take("ME")
                cursor.take_word("MY", "ARC")
                return om.InArc(who=who, arc=arc(cursor))
            case "LAUNCHES":
                return om.Launches(who=who, what=cursor.take("SEEKER", "DRONE", "PLASMA", "SHUTTLE"))
            case "FIRES":
                kind = cursor.take("HEAVY") or cursor.weapon_kind()
                if kind and kind != "HEAVY":
                    cursor.at += 1
                if cursor.key() in ("AT", "ON"):
                    text = "FIRES holds whoever is fired at: what you were hit by is asked with #1 HIT or ME DAMAGED"
                    raise cursor.misread("expected", text)
                return om.Fires(who=who, what=kind)
            case "REACHES":
                return om.Reaches(who=who, hex=cursor.hex())
        return om.Became(who=who, what=key)

    def secret(self, key: str, *, own: bool = False) -> NoReturn:
        """Raise a fault for a condition that asks for a hidden fact, with the reason."""
        if own:
            reason = f"a break may read public facts only, and {key} is known to you alone; an IF in DO may ask it"
        else:
            reason = f"no condition can ask this: {words.SECRETS[key]}"
        raise self.cursor.misread("hidden-fact", reason, family="not allowed", rule="D4.1")


def verify_meant(cursor: Cursor, start: int, *, bound: bool, target: bool = False) -> None:
    """Check that IT, EACH and TARGET among the words since ``start`` refer to a unit.

    ``bound`` says that an earlier condition names units, ``target`` that the order has another target.

    Raises:
        Misread: ``nobody-meant`` for IT and EACH, ``no-target`` for TARGET.
    """
    for back in range(cursor.at - start, 0, -1):
        key = cursor.key(-back)
        if key in ("IT", "EACH") and not bound:
            text = f"{key} stands for nobody here: a condition before it must name units, like IF SEEKER WITHIN 3 THEN"
            raise cursor.misread("nobody-meant", text, back=back)
        if key == "TARGET" and not target:
            text = "TARGET is the target the same order names, and this one names none: write the unit's name"
            raise cursor.misread("no-target", text, back=back)


def arc(cursor: Cursor) -> str:
    """Read a firing arc like ``FA`` or ``L+LR`` (D2.0)."""
    found: list[str] = []
    while True:
        if (token := cursor.peek()) is None:
            cursor.fail("an arc, like FA")
        if cursor.word() not in words.ARCS:
            text = f"{quoted_word(token.text)} is no firing arc; arcs are {', '.join(words.ARCS)}"
            raise cursor.misread("no-such-arc", text, choices=words.ARCS, rule="D2.0")
        found.append(cursor.word())
        cursor.at += 1
        if not cursor.take_word("+"):
            return "+".join(found)
