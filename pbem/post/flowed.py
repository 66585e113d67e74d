"""format=flowed (RFC 3676): paragraphs that a mail program broke into short lines, put together again.

Thunderbird and Apple Mail send so. A line that ends in a blank goes on with the next one, if that is quoted as deeply;
a line that begins with a blank, ``>`` or ``From`` has one blank put before it. With DelSp the blank at the end is the
mail program's. The line ``-- `` above a signature is never joined, and a line that begins something new in orders never
goes on with the one above: a blank that somebody left at the end of a line is no sign.
"""

from __future__ import annotations

import re
from typing import Final

SIGNATURE: Final = "-- "
_DEPTH: Final = re.compile(r">*")
_BEGINS: Final = re.compile(
    r"\s*(?:GAME[\s:]+\S|(?:SHIP|SHUTTLE|TOKEN)\s+\S|(?:ENERGY|PLOT|COURSE|MOVE|DO|BREAK|BRK|DAMAGE|DDAP)\s*(?:$|#)"
    r"|(?:PLOT|COURSE|BREAK|BRK|ENERGY)\s+\S|(?:END|CONTINUE|CONCEDE)\s*(?:[.;#].*)?$"
    r"|MESSAGE\s+TO\s+\S|END\s+MESSAGE\b|UMPIRE\b)",
    re.IGNORECASE,
)
"""A line that begins a section, a ship, a header or a message, or ends the orders."""


def joined(text: str, *, delsp: bool = False) -> str:
    """A flowed text with a line for each paragraph, as its writer saw it; quoting stays, with one blank behind it."""
    found: list[str] = []
    open_at = -1  # how deeply the line is quoted that goes on, if one does
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        quoting = _DEPTH.match(line)
        depth = quoting.end() if quoting else 0
        said = line[depth:]
        said = said.removeprefix(" ")
        goes_on = said.endswith(" ") and said != SIGNATURE
        if goes_on and delsp:
            said = said[:-1]
        if depth == open_at and said != SIGNATURE and not _BEGINS.match(said[:300]):
            found[-1] += said
        else:
            found.append(f"{'>' * depth} {said}" if depth else said)
        open_at = depth if goes_on else -1
    return "\n".join(line if line.endswith(SIGNATURE) else line.rstrip(" ") for line in found)
