"""Read conditions after IF and BREAK, and refuse those that ask for secrets of the enemy.

NOT binds closest, then AND, then OR. Parentheses group. The kinds of conditions are in
:mod:`pbem.orders.conditions`.
"""

from __future__ import annotations

from typing import Final

from pbem.orders import vocabulary as words
from pbem.orders.conditions import (
    AFTER_UNIT,
    BEGINNINGS,
    KINDS,
    All,
    AnyOf,
    Armed,
    Condition,
    ConditionWords,
    Negation,
    ShieldIs,
    names_units,
)
from pbem.orders.cursor import Cursor
from pbem.orders.names import ME, UnitRef

DEEPEST: Final = 30
"""Maximum nesting depth of a condition: parentheses and NOT count one level each."""


def condition(cursor: Cursor, *, public: bool = False, target: bool = False) -> Condition:
    """Read the condition at the cursor and return it.

    Args:
        cursor: The words of the order; the cursor is moved past the condition.
        public: Whether only public facts are allowed, as in a break.
        target: Whether the order names a target, so that RANGE needs no unit.

    Raises:
        Misread: The words are not a condition, or ask for a secret (``hidden-fact``).
    """
    return _Conditions(cursor, public=public, target=target).any_of(0)


class _Conditions(ConditionWords):
    def any_of(self, depth: int) -> Condition:
        before = self.bound
        parts = [self.all_of(depth)]
        bound = self.bound
        while self.cursor.take("OR"):
            self.cursor.take("IF")
            self.bound = before
            parts.append(self.all_of(depth))
            bound = bound or self.bound
        self.bound = bound
        return parts[0] if len(parts) == 1 else AnyOf(of=tuple(parts))

    def all_of(self, depth: int) -> Condition:
        parts = [self.one(depth)]
        while self.cursor.take("AND"):
            self.cursor.take("IF")
            parts.append(self.one(depth))
        return parts[0] if len(parts) == 1 else All(of=tuple(parts))

    def one(self, depth: int) -> Condition:
        cursor = self.cursor
        if depth > DEEPEST:
            raise cursor.misread("too-deep", f"use fewer parentheses: a condition can be nested at most {DEEPEST} deep")
        if cursor.take("NOT"):
            before = self.bound
            negated = Negation(of=self.one(depth + 1))
            self.bound = before
            return negated
        if cursor.take_word("("):
            inside = self.any_of(depth + 1)
            if not cursor.take_word(")"):
                cursor.fail("AND", "OR", ")")
            return inside
        asked = self.plain()
        self.bound = self.bound or names_units(asked)
        return asked

    def plain(self) -> Condition:
        """Read and return a single condition, without NOT, AND, OR and parentheses."""
        cursor = self.cursor
        key = cursor.key()
        kind = BEGINNINGS.get(key)
        mine = key == "TARGET" or (kind is not None and kind.private)
        if key in words.SECRETS and (cursor.key(1) == "OF" or not mine):
            self.secret(key)
        if kind is not None:
            if kind.private and self.public:
                self.secret(key, own=True)
            cursor.at += 1
            return kind.read(self, key, ME)
        token = cursor.peek()
        if key == "SHIELD" or (token is not None and token.kind == "shield"):
            return ShieldIs.read(self, "", ME)
        if cursor.weapon_kind() and not (key in words.KINDS and not self.at_own_weapon()):
            return Armed.read(self, "", ME)
        if not cursor.at_unit():
            if key:
                cursor.fail(*_beginnings())
            cursor.fail("a condition")
        return self.about_unit()

    def about_unit(self) -> Condition:
        """Read and return a condition that begins with a unit: ``SEEKER WITHIN 3``, ``Con IS NOT DESTROYED``."""
        cursor = self.cursor
        who = self.unit()
        cursor.take("IS")
        negated = bool(cursor.take("NOT"))
        stated = self.stated(who)
        return Negation(of=stated) if negated else stated

    def at_own_weapon(self) -> bool:
        """Return whether DRONE or PLASMA here means the player's own weapon (DRONE 1), not a weapon in flight."""
        cursor = self.cursor
        return cursor.id_here(1) or cursor.peek(1) is None or cursor.key(1) in ("ARMED", "HOLDING", "OVERLOADED", "OF")

    def stated(self, who: UnitRef) -> Condition:
        """Read the part of a condition that follows the unit, such as ``WITHIN 3``, and return the whole condition."""
        cursor = self.cursor
        key = cursor.key()
        if key in words.SECRETS:
            self.secret(key)
        if cursor.weapon_kind() and cursor.key(1) not in AFTER_UNIT:
            self.secret("ARMED")
        cursor.need(*AFTER_UNIT)
        return AFTER_UNIT[key].read(self, key, who)


def _beginnings() -> tuple[str, ...]:
    """Return the words with which a condition may begin, for the list in an error message.

    Kinds of conditions that have several possible first words are left out.
    """
    return (*(kind.first[0] for kind in KINDS if len(kind.first) == 1), "NOT", "a shield, like #1", "a unit")
