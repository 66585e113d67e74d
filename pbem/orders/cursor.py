"""A position in the words of one order, with methods that read numbers, names, units and weapons there.

The parser is written by hand instead of with a parser library for four reasons. A name of several words ends at the
next keyword. An error message can say what a player most likely meant. The nesting depth is limited. ``pbem check``
starts without loading a parser library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches
from fractions import Fraction
from typing import Final, NoReturn

from pbem.errors import FaultFamily
from pbem.orders import vocabulary as words
from pbem.orders.lexer import Misread, Token, quoted_word
from pbem.orders.names import Compare, UnitRef
from pbem.util import regex

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_POSITION: Final = regex(r"(\d{4})/?([A-Fa-f])")


class Cursor:
    """The words of one order and a position in them; its methods read words and move the position.

    A method raises :class:`Misread` if the words at the cursor are not the expected ones.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    # --- look at words ---

    def peek(self, ahead: int = 0) -> Token | None:
        """Return the word ``ahead`` places after the cursor, or ``None`` beyond the end; the cursor does not move."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def key(self, ahead: int = 0) -> str:
        """Return the keyword that the word at the cursor means, or ``""`` if that word is not a keyword.

        With ``ahead``, the word that many places after the cursor is examined instead.
        """
        place = self.at + ahead
        return self.tokens[place].key if place < len(self.tokens) else ""

    def word(self, ahead: int = 0) -> str:
        """Return the word at the cursor in capitals; ``""`` at the end of the order and for quoted names."""
        token = self.peek(ahead)
        return token.text.upper() if token and token.kind in ("word", "mark") else ""

    @property
    def ended(self) -> bool:
        """Whether all words have been read."""
        return self.at >= len(self.tokens)

    # --- take words ---

    def take(self, *keys: str) -> str:
        """If one of the given keywords is at the cursor, move past it and return it; otherwise return ``""``."""
        key = self.key()
        if key and key in keys:
            self.at += 1
            return key
        return ""

    def take_word(self, *texts: str) -> str:
        """If one of the given words is at the cursor, move past it and return it; otherwise return ``""``.

        Use this method for words that are not keywords of the language, and :meth:`take` for keywords.
        """
        word = self.word()
        if word in texts:
            self.at += 1
            return word
        return ""

    def need(self, *keys: str) -> str:
        """Move past one of the given keywords and return it.

        Raises:
            Misread: None of the keywords is at the cursor.
        """
        return self.take(*keys) or self.fail(*keys)

    def end(self, *also: str) -> None:
        """Check that no words are left in the order.

        ``also`` lists words that could have followed, for the error message.

        Raises:
            Misread: More words follow.
        """
        if not self.ended:
            self.fail(*also, "the end of the order")

    # --- faults ---

    def fail(self, *expected: str, says: str = "") -> NoReturn:
        """Raise the fault "expected …, found …", with a suggestion of the word that was most likely meant.

        ``expected`` lists the keywords or descriptions that are allowed at the cursor. ``says`` replaces a long
        list in the message.
        """
        listed = says or ", ".join(expected[:-1]) + (" or " if len(expected) > 1 else "") + expected[-1]
        token = self.peek()
        guess = likely_word(token.text, expected) if token and not token.key else ""
        hint = f"; did you mean {guess}?" if guess else self._swallowed(expected) or self._numbered(expected)
        if token is not None and token.text.startswith(_REMARKS):
            hint = "; a comment begins with #"
        if token is None:
            text = f"the order stops where {listed} is expected{hint}"
            raise self.misread("incomplete", text, choices=expected)
        # An unknown word at the start of an order, or similar to an expected word, is most likely misspelt.
        text = f"expected {listed}, found {quoted_word(token.text)}{hint}"
        if token.kind == "word" and not token.key and token.text[0].isalpha() and (guess or self.at == 0):
            raise self.misread("unknown-word", text, choices=expected)
        raise self.misread("expected", text, choices=expected)

    def _swallowed(self, expected: Sequence[str]) -> str:
        """Return a remark for the error message if the previous word seems misspelled; otherwise ``""``.

        A misspelled keyword may have been read as part of a name.
        """
        before, last = self.tokens[max(self.at - 2, 0) : self.at][-2:] if self.at > 1 else (None, None)
        if before is None or last is None or last.key or before.key or {before.kind, last.kind} != {"word"}:
            return ""
        guess = likely_word(last.text, expected)
        return f"; did you mean {guess} instead of {quoted_word(last.text)}?" if guess else ""

    def _numbered(self, expected: Sequence[str]) -> str:
        """Return the advice to put a name in quotes if the name seems to contain a number; otherwise return ``""``.

        Without quotes, a name ends before a number.
        """
        if "the end of the order" not in expected or not self.is_number():
            return ""
        first, last = self.at, self.at + 1
        while first and self._part_of_name(first - 1):
            first -= 1
        while last < len(self.tokens) and (self._part_of_name(last) or self.is_number(last - self.at)):
            last += 1
        name = " ".join(token.text for token in self.tokens[first:last])
        before = self.tokens[self.at - 1].text.upper()
        misspelt = get_close_matches(before, words.KEYWORDS, n=1, cutoff=0.8)
        named = first < self.at and len(before) > 1 and not misspelt
        return f'; put a name that contains a number in quotes: "{name}"' if named else ""

    def _part_of_name(self, place: int) -> bool:
        token = self.tokens[place]
        return token.kind == "word" and not token.key and token.text[0].isalpha()

    def misread(
        self,
        code: str,
        text: str,
        *,
        family: FaultFamily = "not understood",
        choices: tuple[str, ...] = (),
        rule: str = "",
        back: int = 0,
    ) -> Misread:
        """Return a fault for the word at the cursor, or for the word ``back`` places before it; do not raise it.

        At the end of the order, the position of the fault is just after the last word.

        Args:
            code: The fault code.
            text: The sentence for the player.
            family: The kind of fault.
            choices: The words or names that would be allowed.
            rule: The number of the rule concerned.
            back: How many places before the cursor the word is.
        """
        token = self.peek(-back)
        if token is None:
            last = self.tokens[-1]
            line, column = last.line, last.column + len(last.text) + 2 * (last.kind == "quoted")
        else:
            line, column = token.line, token.column
        return Misread(code, text, line, column, family=family, choices=choices, rule=rule)

    # --- numbers ---

    def is_number(self, ahead: int = 0) -> bool:
        """Return whether the word at the cursor, or ``ahead`` places later, is a whole number."""
        word = self.word(ahead)
        return word.isascii() and word.isdecimal()

    def number(self, what: str = "a whole number", *, most: int = 9999) -> int:
        """Read and return a whole number from 0 to ``most``.

        ``what`` describes the number in the error message if no number is at the cursor.
        """
        word = self.word()
        if re.fullmatch(r"(?a:\d+\.\d+)", word):
            raise self.misread(
                "expected", f"expected {what}, found {quoted_word(word)}; use a whole number", choices=(what,)
            )
        if not self.is_number():
            self.fail(what)
        if len(word) > 9 or int(word) > most:
            raise self.misread("bad-number", f"{quoted_word(word)} is too large for {what}; the most is {most}")
        self.at += 1
        return int(word)

    def points(self) -> Fraction | None:
        """Read energy points (``2``, ``2.5``, ``1/2`` or ``2 1/2``); return ``None`` if no number is at the cursor."""
        value = self._fraction()
        if value is not None and value.denominator == 1 and re.fullmatch(r"\d/\d", self.word()):
            value += self._fraction() or 0
        return value

    def _fraction(self) -> Fraction | None:
        word = self.word()
        if re.fullmatch(r"\d{1,4}(\.\d{1,4})?|\.\d{1,4}|\d{1,4}/[1-9]\d{0,3}", word) and word.isascii():
            self.at += 1
            return Fraction("0" + word if word[0] == "." else word)
        if word[:1].isdecimal() or (word[:1] == "-" and word[1:2].isdecimal()):
            raise self.misread("bad-number", f"{quoted_word(word)} is not a number of energy points; use 0 to 9999")
        return None

    def shield(self) -> int:
        """Read a shield, ``#1`` to ``#6``, and return its number; after the word SHIELD the ``#`` may be missing."""
        named = self.take("SHIELD")
        token = self.peek()
        if token is not None and (token.kind == "shield" or (named and self.is_number())):
            digits = token.text.lstrip("#")
            if len(digits) == 1 and digits in "123456":
                self.at += 1
                return int(digits)
            raise self.misread(
                "no-such-shield", f"{quoted_word(token.text)} is not a shield; use #1 to #6", rule="D3.1"
            )
        self.fail("a shield, like #1")

    def compare(self, *, also: tuple[str, ...] = ()) -> Compare:
        """Read a comparison like ``<= 4`` and return it.

        ``also`` lists other allowed words, for the error message if no comparison is at the cursor.
        """
        token = self.peek()
        if self.is_number():
            number = self.word()
            text = f"write <= {number} for at most {number}, or = {number} for exactly {number}"
            raise self.misread("expected", text, choices=("<=", "<", "=", ">", ">="))
        if token is None or token.kind != "operator":
            self.fail("<=", "<", "=", ">", ">=", *also)
        self.at += 1
        return Compare(op=token.text, value=self.number())

    # --- names ---

    def name(self, what: str, *, first: bool = False) -> str:
        """Read and return a name: a quoted one, or all words up to the next keyword.

        With ``first``, the name may begin with a keyword or contain numbers, as in ``SHIP Fire``.
        """
        token = self.peek()
        if token is not None and token.kind == "quoted":
            self.at += 1
            return token.text
        taken: list[str] = []
        while (token := self.peek()) is not None and token.kind == "word":
            if token.key and not (first and not taken):
                break
            if token.text.startswith(("-", "//", "/*")) or (token.text[0].isdecimal() and not (first and taken)):
                break
            taken.append(token.text)
            self.at += 1
        if not taken:
            self._fail_name(what)
        return " ".join(taken)

    def _fail_name(self, what: str) -> NoReturn:
        token = self.peek()
        if token is not None and token.key:
            raise self.misread(
                "expected",
                f"expected {what}, found the word {token.key}; put a name that is also an order word"
                f' in quotes: "{token.text}"',
                choices=(what,),
            )
        if token is not None and token.kind == "word" and token.text[0].isdecimal():
            text = f"expected {what}, found {quoted_word(token.text)}; put a name that begins with a digit in quotes"
            raise self.misread("expected", text, choices=(what,))
        self.fail(what)

    def position(self) -> str:
        """Read a hex and facing, ``2215C`` or ``2215/C``, and return it without the slash."""
        found = _POSITION.fullmatch(self.word())
        if not found:
            self.fail("a position, like 2215C")
        self.at += 1
        return found[1] + found[2].upper()

    def hex(self) -> str:
        """Read and return a hex of four digits, like ``2215``."""
        word = self.word()
        if len(word) == 4 and self.is_number():
            self.at += 1
            return word
        if _POSITION.fullmatch(word):
            raise self.misread("expected", f"expected a hex without a facing, found {quoted_word(word)}")
        self.fail("a hex of four digits, like 1214")

    def facing(self) -> str:
        """Read and return a facing, ``A`` to ``F`` (C1.2)."""
        word = self.take_word(*words.FACINGS)
        return word or self.fail("a facing A to F")

    # --- units ---

    def unit(self, what: str = "a unit") -> UnitRef:
        """Read a reference to a unit, in any form that orders allow, and return it (see :class:`UnitRef`)."""
        match self.key():
            case "ME" | "IT" | "TARGET" as key:
                self.at += 1
                return UnitRef(how=key.lower())
            case "ENEMY" | "ANY" | "EACH" | "NEAREST" as key:
                self.at += 1
                if key == "NEAREST":
                    self.take("ENEMY")
                return UnitRef(how=key.lower(), what=self.take(*words.KINDS).lower())
            case "SHIP" | "SEEKER" | "DRONE" | "PLASMA" | "SHUTTLE" as key:
                self.at += 1
                return UnitRef(how="enemy", what=key.lower())
            case "UNIT":
                self.at += 1
        token = self.peek()
        name = self.name(what)
        if token is not None and token.kind != "quoted" and "*" in name:
            return UnitRef(how="pattern", name=name)
        return UnitRef(how="name", name=name)

    def at_unit(self) -> bool:
        """Return whether the word at the cursor can begin the name or description of a unit."""
        token = self.peek()
        if token is None:
            return False
        if token.kind == "quoted" or token.key in _UNIT_WORDS:
            return True
        return token.kind == "word" and not token.key and not token.text[0].isdecimal() and token.text[0] != "-"

    # --- weapons ---

    def weapon_kind(self) -> str:
        """Return the first word of the weapon's name at the cursor (``PH`` also for ``PH1``), or ``""``."""
        return _weapon_kind(self.peek())[0]

    def weapons(self, *, one: bool = False) -> tuple[str, ...]:
        """Read weapons as the ship's SSD names them (``DISR A,B PH 1-3``) and return their names in that order.

        ``ALL``, ``ALL PH`` and ``HEAVY`` are allowed too. ``one`` means that a single weapon is expected; an error
        message then does not suggest ALL.
        """
        found = self._weapon_group(one)
        while True:
            mark = self.at
            if not (self.take_word(",", "+") or self.take("AND")):
                if not (self.weapon_kind() or self.key() in ("ALL", "HEAVY")):
                    break
            elif not (self.weapon_kind() or self.key() in ("ALL", "HEAVY")):
                self.at = mark
                break
            found += self._weapon_group(one)
        return tuple(found)

    def _all_weapons(self) -> list[str]:
        """Read the words after ALL, and return HEAVY, the kind of weapons (``ALL PH``), or ALL, in a list."""
        if self.take("HEAVY"):
            return ["HEAVY"]
        kind, rest = _weapon_kind(self.peek())
        if kind and not rest:
            self.at += 1
            return [f"ALL {kind}"]
        return ["ALL"]

    def _weapon_group(self, one: bool) -> list[str]:
        if self.take("HEAVY"):
            return ["HEAVY"]
        if self.take("ALL"):
            return self._all_weapons()
        token = self.peek()
        kind, rest = _weapon_kind(token)
        if token is None or not kind:
            self.fail("a weapon, like PH 1", "ALL", "HEAVY")
        if re.fullmatch(r"(PH|PHASER)-\d", token.text.upper()):
            number = token.text[-1]
            raise self.misread(
                "which-phaser",
                f"{token.text.upper()} can mean phaser number {number} or every phaser of type {number}:"
                f" write PH {number} or ALL PH",
                family="ambiguous",
                choices=(f"PH {number}", "ALL PH"),
            )
        self.at += 1
        if rest:
            return [f"{kind} {rest}", *self._more_ids(kind)]
        behind = "" if self.id_here() else self.take_word(*words.BEHIND_WEAPON.get(kind, ()))
        if not self.id_here():
            if words.PLURALS.intersection((token.text.upper(), behind)):
                return [f"ALL {kind}"]
            every = () if one or words.is_only_launched(kind) else (f"ALL {kind}",)
            text = f"write the number or letter of the {kind}{''.join(f', or {each}' for each in every)}"
            raise self.misread("which-weapon", text, family="ambiguous", choices=every)
        return self._ids(kind) + self._more_ids(kind)

    def id_here(self, ahead: int = 0) -> bool:
        """Return whether the word at the cursor identifies a weapon: a number or letter such as ``1`` or ``A``."""
        token = self.peek(ahead)
        if token is None or token.key:
            return False
        return bool(token.kind == "shield" or (token.kind == "word" and _ID.fullmatch(token.text)))

    def _more_ids(self, kind: str) -> list[str]:
        found: list[str] = []
        while (self.word() in (",", "+") or self._joins_ids()) and self.id_here(1):
            self.at += 1
            found += self._ids(kind)
        return found

    def _joins_ids(self) -> bool:
        """Return whether the AND at the cursor joins two weapons, as in ``PH 1 AND 2``.

        The result is false if AND joins two conditions instead, as in ``ARMED PH 1 AND B WITHIN 3`` and ``ARMED PH
        1 AND #2 HIT``.
        """
        behind = self.peek(1)
        a_shield = behind is not None and behind.kind == "shield"
        return self.key() == "AND" and not a_shield and self.key(2) not in words.AFTER_SUBJECT

    def _ids(self, kind: str) -> list[str]:
        """Read the numbers or letters of weapons and return them as a list, with ranges written out.

        The text may be ``4``, ``A``, ``1-3``, ``A-C`` or ``1 TO 3``.
        """
        token = self.peek()
        assert token is not None
        word = token.text.upper().lstrip("#")
        last = self.tokens[self.at + 2].text.upper().lstrip("#") if self.id_here(2) else ""
        if self.word(1) in _UP_TO and "-" not in word + last and word.isdecimal() == last.isdecimal() and last:
            self.at += 2
            word = f"{word}-{last}"
        first, dash, last = word.partition("-")
        ids = self._id_range(token, first, last) if dash else [str(int(word)) if word.isdecimal() else word]
        self.at += 1
        return [f"{kind} {i}" for i in ids]

    def _id_range(self, token: Token, first: str, last: str) -> list[str]:
        """Return all numbers or letters from ``first`` to ``last``; ``token`` is the word for the error message."""
        if first.isdecimal() != last.isdecimal():
            raise self.misread("bad-weapon-range", f"{quoted_word(token.text)} mixes numbers and letters")
        low, high = (int(x) if x.isdecimal() else _LETTERS.index(x) for x in (first, last))
        if low > high:
            raise self.misread("bad-weapon-range", f"{quoted_word(token.text)} must begin with the lower end")
        return [str(n) if first.isdecimal() else _LETTERS[n] for n in range(low, high + 1)]


class TrialCursor(Cursor):
    """A :class:`Cursor` for testing whether words are a valid order.

    It is faster than a normal cursor, because its faults have no message.
    """

    def fail(self, *expected: str, says: str = "") -> NoReturn:
        """Raise a fault without a message."""
        raise self.misread("expected", "")


def likely_word(text: str, expected: Sequence[str]) -> str:
    """Return the expected word that is most similar to a misspelled word; ``""`` if none is similar."""
    wrong, known = text.upper()[:30], [word for word in expected if word.isupper()]
    close = get_close_matches(wrong, known, n=1, cutoff=0.6)
    if not close:
        spellings = {s: k for s, k in words.KEYWORDS.items() if k in known}
        close = [spellings[s] for s in get_close_matches(wrong, list(spellings), n=1, cutoff=0.75)]
    if any(word.startswith("a weapon") for word in expected):
        spellings = words.spelled_weapons()
        like = get_close_matches(wrong, list(spellings), n=1, cutoff=0.7)
        nearer = like and (not close or _alike(wrong, like[0]) > _alike(wrong, close[0]))
        close = [spellings[like[0]]] if nearer else close
    return close[0] if close and close[0] != text.upper() else ""


def _alike(word: str, other: str) -> float:
    return SequenceMatcher(None, word, other).ratio()


_REMARKS: Final = ("//", "--", "/*")
"""Characters that begin a comment in other languages, such as ``//``; orders use ``#`` instead."""

_UP_TO: Final = ("TO", "THRU", "THROUGH", "-")
"""Words between the first and the last weapon of a range, as in ``PH 1 TO 3``."""
_ID: Final = regex(r"(?a:\d{1,2}|[A-Za-z])(?:-(?a:\d{1,2}|[A-Za-z]))?")
_JOINED: Final = regex(r"(?a:([A-Za-z]+?)-?(\d{1,2}))")
_JOINED_LETTER: Final = regex(r"(?a:(PHOT|PHOTON|DISR|DISRUPTOR|PLAS|FUS|TORP)-?([A-Za-z]))", re.IGNORECASE)
_UNIT_WORDS: Final = frozenset({"ME", "IT", "TARGET", "ENEMY", "ANY", "EACH", "NEAREST", "UNIT", *words.KINDS})


def _weapon_kind(token: Token | None) -> tuple[str, str]:
    """Split a word like ``PH1`` into the first word of a weapon's name (``PH``) and the weapon's number or letter.

    For a word like ``PH``, the second part is ``""``.
    """
    if token is None or token.kind != "word":
        return "", ""
    if token.key in words.weapons() or token.key == "PLASMA":
        return ("PLAS" if token.key == "PLASMA" else token.key), ""
    if token.key:
        return "", ""
    joined = _JOINED.fullmatch(token.text) or _JOINED_LETTER.fullmatch(token.text)
    if joined:
        kind = words.keyword(joined[1])
        if kind in words.weapons():
            return kind, joined[2].upper() if not joined[2].isdecimal() else str(int(joined[2]))
    return "", ""
