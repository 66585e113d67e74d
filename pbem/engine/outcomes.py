"""Compare the results of games, which are phrases such as ``decisive victory``.

Ladders, tournaments and player records use these comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pbem.engine.state import Outcome
from pbem.util import regex

GRADES: Final = ("marginal", "tactical", "", "decisive")
"""Words before ``victory`` and ``defeat``, from the smallest to the greatest.

The empty word, i.e. a plain victory, is one of them.
"""
_WON, _LOST = regex(r"\b(victory|wins?|won)\b"), regex(r"\b(defeat|loses|lost|forfeits?)\b")


def worth(result: str) -> int:
    """Return a number for a result phrase such as ``decisive victory``, for comparing results.

    The number is above 0 for a victory, 0 for a draw and below 0 for a defeat.
    """
    text = result.casefold()
    grade = next((n for n, word in enumerate(GRADES) if word and re.search(rf"\b{word}\b", text)), GRADES.index(""))
    return grade + 1 if _WON.search(text) else -grade - 1 if _LOST.search(text) else 0


def verdicts(sides: Iterable[str], outcome: Iterable[Outcome]) -> Mapping[str, str]:
    """Return a dict of side to ``won``, ``drawn`` or ``lost``.

    The result of a side is compared with the best result of the other sides. If there is only one side, its result is
    compared with a draw. A side without a result counts as having a draw.
    """
    worths = dict.fromkeys(sides, 0) | {one.side: worth(one.result) for one in outcome}
    found = {}
    for side, mine in worths.items():
        best = max((theirs for other, theirs in worths.items() if other != side), default=0)
        found[side] = "won" if mine > best else "lost" if mine < best else "drawn"
    return found
