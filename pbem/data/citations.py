"""Rule numbers in running text: ``B3.0, lines 7 and 8``, ``D4.21 cadet``, ``robot rules 1 to 3``, ``scenarios #2 and
#3``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.patterns import regex

_LIST = r"#?\d+(?:(?:,? and |, | to | or |-#)#?\d+)*"
_NUMBER = regex(
    rf"""(?<![A-Za-z0-9.#-])(?P<number>(?:FD|FP|[B-HJP])\d{{1,2}}\.\d{{1,4}}C?)(?![0-9])
    (?:-(?P<line>\d+))?
    (?:[ ,(]{{1,2}}(?P<level>cadet|standard|graduate|types|energy)\b(?:[ ]form)?\)?)?
    (?:,?[ ](?:lines?|steps?)[ ](?P<lines>{_LIST.replace(" ", "[ ]").replace("#", "[#]")}))?""",
    re.IGNORECASE | re.VERBOSE,
)
_ROBOT = regex(rf"\brobot(?: rules?)?,? (?P<list>{_LIST})", re.IGNORECASE)
_SCENARIO = regex(rf"\bscenarios? (?P<list>{_LIST})", re.IGNORECASE)


def cited(text: str) -> list[str]:
    """Every number a text cites, in its order, as the rulebook writes them."""
    return list(dict.fromkeys(_cited(" ".join(text.split()))))


def rule_of(text: str) -> list[str]:
    """What the ``rule`` of a case cites; there ``H6`` stands for the whole chapter, H6.0."""
    return cited(f"{text}.0" if re.fullmatch(r"[A-Z]{1,2}\d{1,2}", text) else text)


def _cited(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        number = found["number"].upper()
        level = (found["level"] or "").casefold().replace("graduate", "standard")
        lines = [found["line"]] if found["line"] else _numbers(found["lines"] or "")
        if level in ("types", "energy") and number != "E2.1":
            level = ""  # the words of a sentence
        if number == "B3.0" and lines:
            yield from (f"B3.0-{line} {level}".rstrip() for line in lines)
        else:
            yield f"{number} {level}".rstrip()
    for name, pattern in (("Robot", _ROBOT), ("Scenario", _SCENARIO)):
        for found in pattern.finditer(text):
            yield from (f"{name} {number}" for number in _numbers(found["list"]))


def _numbers(text: str) -> list[str]:
    """``7, 8 and 11`` and ``1 to 3`` as numbers."""
    numbers: list[str] = []
    for word, number in re.findall(r"(to |-)?#?(\d+)", text):
        first = int(numbers[-1]) + 1 if word and numbers else int(number)
        numbers += [str(each) for each in range(first, int(number) + 1)]
    return numbers
