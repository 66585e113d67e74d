"""How good the results of a game are for its sides, by their words: what ladders, tournaments and records count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pbem.engine.state import Outcome
from pbem.util import regex

GRADES: Final = ("marginal", "tactical", "", "decisive")
"""Words before ``victory`` and ``defeat``, the least first; the empty one is a plain victory."""
_WON, _LOST = regex(r"\b(victory|wins?|won)\b"), regex(r"\b(defeat|loses|lost|forfeits?)\b")


def worth(result: str) -> int:
    """How good a result is, to be compared with others: below 0 for a defeat, 0 for a draw."""
    text = result.casefold()
    grade = next((n for n, word in enumerate(GRADES) if word and re.search(rf"\b{word}\b", text)), GRADES.index(""))
    return grade + 1 if _WON.search(text) else -grade - 1 if _LOST.search(text) else 0


def verdicts(sides: Iterable[str], outcome: Iterable[Outcome]) -> Mapping[str, str]:
    """``won``, ``drawn`` or ``lost`` for each side, against the best of the others; of one that has no other, by its
    own words. A side nothing is said of did neither well nor badly.
    """
    worths = dict.fromkeys(sides, 0) | {one.side: worth(one.result) for one in outcome}
    found = {}
    for side, mine in worths.items():
        best = max((theirs for other, theirs in worths.items() if other != side), default=0)
        found[side] = "won" if mine > best else "lost" if mine < best else "drawn"
    return found
