"""Handle emails whose orders have no header line (``GAME …``).

The subject may replace the header, or the orders may simply begin without one. If a text only looks like orders, a
draft is made of it, which the player must confirm.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.engine.state import Request
from pbem.games.answers import judge
from pbem.games.storage.folder import GameFolder
from pbem.mail.incoming.extract import BEGINS, bare_subject, begins_orders
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.receipts import Corrected, corrected
from pbem.mail.seats import without_tokens
from pbem.orders.header import answer_line, is_header
from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_orders
from pbem.util import regex

_MOMENT: Final = regex(r"(?P<game>[A-Za-z0-9][\w-]{0,39})[\s.]+(?P<turn>\d{1,3})\.(?P<impulse>\d{1,2})\b")
_END: Final = regex(r"^[^\S\n]*+END\.?[^\S\n]*+$", re.IGNORECASE | re.MULTILINE)
_SEVERAL: Final = 2
_MOST: Final = 3_000
"""Maximum length, in characters, of an email without a header in which orders are searched.

A longer email is prose.
"""


def orders_of(letter: Letter, game: str, side: str, request: Request | None, header: str) -> str:
    """Return the orders in an email, beginning at their header line, without tokens.

    If they have no header, the one that the subject implies is added. For PREVIEW it is ``header``, the line that
    answers the current request for orders.
    """
    text = order_text(without_tokens(letter.text)).strip("\n") + "\n"
    lines = text.split("\n")
    if any(is_header(line) for line in lines):
        return text
    if begins_orders(text):
        place = next(place for place, line in enumerate(lines) if BEGINS.match(line[:200]))
        text = "\n".join(lines[place:])
    said = header if letter.command == "PREVIEW" else _in_subject(letter.subject, game, side, request)
    return f"{said}\n{text}" if said else text


def _in_subject(subject: str, game: str, side: str, request: Request | None) -> str:
    """Return the header that a subject implies; ``""`` if it implies none.

    The subject is a whole header, or is like ``duel01 2.9`` and names the turn and impulse of the current request.
    """
    subject = without_tokens(bare_subject(subject))
    if is_header(subject):
        return subject
    match = _MOMENT.search(subject)
    if match is None or request is None or match["game"].casefold() != game.casefold():
        return ""
    moment = int(match["turn"]), int(match["impulse"])
    return answer_line(game, side, request) if moment == (request.turn, request.impulse) else ""


def as_orders(letter: Letter, game: GameFolder, side: str) -> Corrected | None:
    """Return a corrected draft of orders, made from an email without a header line; else ``None``.

    It is made only if at least two orders are found, and these are legal without the other lines. The result is
    also ``None`` if no orders are wanted from the side, or if the email is something else.
    """
    request = game.state().request
    if request is None or not request.asks(side):
        return None
    if letter.kind != "empty" or letter.words or len(letter.said) > _MOST:
        return None
    said = without_tokens(letter.said).rstrip()
    end = "" if _END.search(said) else "\nEND"
    text = f"{answer_line(game.terms.name, side, request)}\n{said}{end}\n"
    draft = corrected(game, request, side, text, judge(game, text, "").faults)
    units = read_orders(draft.text).orders.units if draft.legal else ()
    given = sum(len(one.energy or ()) + len(one.do) + len(one.breaks) + bool(one.plot) for one in units)
    return draft if given >= _SEVERAL else None
