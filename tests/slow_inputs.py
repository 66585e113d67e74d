"""Inputs on which a regular expression could take more than linear time, made from the pattern itself.

For each repetition in a pattern: what leads to it, then what it repeats, many times, then something that cannot follow.
A pattern that tries all ways to share out such a text takes quadratic time or worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from re import _constants as ops, _parser as parser  # type: ignore[attr-defined]
from time import process_time
from typing import Any, Final

COMMON: Final = " \t\na0-_.,:;*=<>\"'/\\(){}[]@#|é"
"""Characters that are tried wherever a class allows them."""
KILLERS: Final = ("", "\0", "\n\0", "x\0")
"""What is put behind a repetition; the character NUL is in nearly no pattern."""
MANY: Final = 100
"""A repetition that may be longer is taken for one without bounds."""
SIZES: Final = (12, 18, 24, 32, 40, 48, 60, 80, 110, 150, 200, 400, 12_000)
"""Characters of inputs: on the longest, quadratic time is at least 14 ms, and linear time a few."""
SECONDS: Final = 0.02
"""So much CPU for a short input is taken for more than linear."""
SECONDS_LONGEST: Final = 0.009
"""With so much CPU for the longest input, a quarter of the input is timed too."""


def slow_input(pattern: re.Pattern[Any], methods: Sequence[str]) -> str:
    """Returns an input on which one of the pattern's methods takes more than linear time, or an empty string."""
    for method in methods:
        for prefix, pump, suffix in dict.fromkeys(attacks(pattern)):
            if _is_slow(pattern, method, prefix, pump, suffix):
                return f"{method}: {prefix!r} + {pump!r} * n + {suffix!r}"
    return ""


def _is_slow(pattern: re.Pattern[Any], method: str, prefix: str, pump: str, suffix: str) -> bool:
    for size in SIZES:  # in steps, since a pattern may take exponential time
        text: Any = prefix + pump * max(size // len(pump), 1) + suffix
        if isinstance(pattern.pattern, bytes):
            text = text.encode("latin-1", "replace")
        limit = SECONDS if size <= SIZES[-2] else SECONDS_LONGEST
        if _seconds(pattern, method, text) < limit:
            continue
        if min(_seconds(pattern, method, text) for _ in "123") < limit:
            continue
        part: Any = prefix + pump * max(size // len(pump) // 4, 1) + suffix
        if isinstance(text, bytes):
            part = part.encode("latin-1", "replace")
        # A quarter of the text takes a quarter of the time, or a sixteenth. Another program may disturb one measure.
        if size <= SIZES[-2] or all(
            min(_seconds(pattern, method, text) for _ in "123")
            > 7 * min(_seconds(pattern, method, part) for _ in "123")
            for _ in "123"
        ):
            return True
    return False


def _seconds(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    call = getattr(pattern, method)
    started = process_time()
    if method == "sub":
        call("" if isinstance(text, str) else b"", text)
    elif method == "finditer":
        for _ in call(text):
            pass
    else:
        call(text)
    return process_time() - started


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Yields for each repetition of the pattern: what leads to it, what is repeated, what follows."""
    tree = parser.parse(
        pattern.pattern, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    words = re.findall(r"[a-z]{2,}", str(pattern.pattern), re.IGNORECASE)[:12]
    for prefix, pump in _pumps(tree, [""], pattern.flags):
        for killer in KILLERS:
            yield prefix, pump, killer
        if prefix:
            yield "", prefix, "\0"
            yield "", prefix + pump, "\0"
            yield "", prefix + pump * 20, "\0"
            yield "", f"{prefix} ", "\0"
        for word in words:
            yield prefix + pump * 20, f"{word} ", "\0"
    for one in _samples(tree, pattern.flags):
        for end in range(1, min(len(one), 40) + 1):
            yield "", one[:end], "\0"
            yield "", f"{one[:end]} ", "\0"
    for word in (*words, *COMMON):
        yield "", word, "\0"
        yield "", f"{word} ", "\0"


def _pumps(tree: Any, before: list[str], flags: int) -> Iterator[tuple[str, str]]:
    """Yields (prefix, pump) for the repetitions of a parsed pattern, behind each of the texts in ``before``."""
    for op, value in tree:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            _, most, inner = value
            if most > MANY:
                for prefix in before[:4]:
                    for pump in _fillers(inner, flags):
                        yield prefix, pump
            yield from _pumps(inner, before, flags)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, before, flags)
        elif op is ops.SUBPATTERN:
            yield from _pumps(value[3], before, flags)
        elif op is ops.ATOMIC_GROUP:
            yield from _pumps(value, before, flags)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _pumps(value[1], before, flags)
        after = _samples([(op, value)], flags)
        before = list(dict.fromkeys(prefix + one for prefix in before for one in after))[:12]


def _fillers(inner: Any, flags: int) -> list[str]:
    """What a repetition may repeat: every common character that its class holds, or samples of its group."""
    if len(inner) == 1 and inner[0][0] in (ops.IN, ops.ANY, ops.NOT_LITERAL, ops.CATEGORY, ops.LITERAL):
        return _members(inner[0], flags)[:12]
    return [one for one in _samples(inner, flags) if one][:6]


def _members(node: Any, flags: int) -> list[str]:
    op, value = node
    if op is ops.LITERAL:
        return [chr(value)]
    literal = [chr(one) for kind, one in value if kind is ops.LITERAL] if op is ops.IN else []
    ranges = [chr(one[0]) for kind, one in value if kind is ops.RANGE] if op is ops.IN else []
    return [one for one in dict.fromkeys([*COMMON, *literal, *ranges]) if _holds(node, one, flags)]


def _holds(node: Any, char: str, flags: int) -> bool:
    op, value = node
    if op is ops.ANY:
        return char != "\n" or bool(flags & re.DOTALL)
    if op is ops.NOT_LITERAL:
        return bool(char != chr(value))
    found, negated = False, False
    for kind, one in value if op is ops.IN else [(op, value)]:
        if kind is ops.NEGATE:
            negated = True
        elif kind is ops.LITERAL:
            found |= char == chr(one)
        elif kind is ops.RANGE:
            found |= one[0] <= ord(char) <= one[1]
        elif kind is ops.CATEGORY:
            found |= _in_category(one, char)
    return found is not negated


def _in_category(category: Any, char: str) -> bool:
    name = str(category).rsplit("_", 1)[-1]
    held = {"DIGIT": char.isdecimal(), "SPACE": char.isspace(), "WORD": char.isalnum() or char == "_"}[name]
    return held is not ("_NOT_" in str(category))


def _samples(tree: Any, flags: int) -> list[str]:
    """Some of the texts that a parsed pattern matches, the short ones first."""
    found = [""]
    for op, value in tree:
        found = list(dict.fromkeys(one + more for one in found for more in _of_node(op, value, flags)))[:10]
    return found


def _of_node(op: Any, value: Any, flags: int) -> list[str]:
    if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN, ops.CATEGORY):
        members = _members((op, value), flags)
        return [*[one for one in members if one.isalnum()][:1], *members[:2]][:2] or ["a"]
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, inner = value
        one = _samples(inner, flags)
        times = [least] if least else ([0, 1] if most else [0])
        return [sample * min(count, 80) for count in times for sample in one[:3]]
    if op is ops.BRANCH:
        return [sample for branch in value[1] for sample in _samples(branch, flags)[:2]][:10]
    if op is ops.SUBPATTERN:
        return _samples(value[3], flags)
    if op is ops.ATOMIC_GROUP:
        return _samples(value, flags)
    if op is ops.GROUPREF:
        return ["a", ""]
    return [""]
