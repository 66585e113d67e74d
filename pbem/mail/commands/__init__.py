"""List the email commands of players, in a table that is used to read, answer and explain them (HELP)."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pbem.mail.host.deadlines import A_DAY, SOON, UNTIL
from pbem.util import regex

_PLAIN: Final = regex(r"|\d{1,4}|\d{1,3}\.\d{1,4}|OFF|ON|LAST", re.IGNORECASE)
_GAME: Final = regex(r"|[A-Z0-9][\w-]{0,39}", re.IGNORECASE)
_LONG: Final = r"(?:\d{1,3}|an?|one|two)\s+(?:hours?|days?|weeks?)"
_MORE: Final = (
    r"(?:\d{1,3}|an?|one|two|three|few)\s+(?:more|extra|other|further|additional)\s+(?:hours?|days?|weeks?)"
    r"|another\s+(?:\d{1,3}\s+|two\s+|three\s+|few\s+)?(?:hours?|days?|weeks?)"
)


class EmailCommand(msgspec.Struct, frozen=True, kw_only=True):
    """An email command of players.

    Attributes:
        word: The first word of the command's line.
        help: Its lines in the email that answers HELP; empty if another command's lines explain it.
        arguments: What may follow the word; if anything else follows, the line is not a command.
        meant: Regular expression for phrases with which players ask for the command without using its word.
        hint: The sentence that tells a player who used such a phrase which command to send.
        with_orders: Whether orders may be in the same email.
        moves_players: Whether the command may change which player has which side, or a player's address.
    """

    word: str
    help: str = ""
    arguments: re.Pattern[str] = _PLAIN
    meant: re.Pattern[str] | None = None
    hint: str = ""
    with_orders: bool = False
    moves_players: bool = False


EMAIL_COMMANDS: Final = (
    EmailCommand(
        word="STATUS",
        help=("  STATUS      the state of all your games here, your deadlines, and who is late"),
        meant=regex(
            r"\b(?:status|whose turn|who is (?:late|missing)|deadline|when (?:is|are) .{0,20}\bdue)\b", re.IGNORECASE
        ),
        hint="STATUS shows the state of the game and who owes orders",
    ),
    EmailCommand(
        word="DRAFT",
        help=("  DRAFT       the form to fill in, with what your ships can do now"),
        meant=regex(r"\b(?:form|draft)\b", re.IGNORECASE),
        hint="DRAFT sends the form to fill in",
    ),
    EmailCommand(
        word="PREVIEW",
        help=(
            "  PREVIEW     with orders: what they would do; nothing is filed.\n"
            "              Without: the same for your orders on file"
        ),
        with_orders=True,
    ),
    EmailCommand(
        word="WITHDRAW",
        help=("  WITHDRAW    takes back your orders for this request"),
        meant=regex(r"\b(?:(?:take|took|pull|call) .{0,40}\bback|withdraw|undo|cancel|forget my)\b", re.IGNORECASE),
        hint="WITHDRAW takes back your orders for this request",
    ),
    EmailCommand(
        word="WAIT",
        help=(
            "  WAIT        nothing is played before the deadline, even if all orders are in;\n"
            "              WAIT OFF takes this back"
        ),
        meant=regex(r"\b(?:wait)\b", re.IGNORECASE),
        hint="WAIT holds the game until the deadline",
        with_orders=True,
    ),
    EmailCommand(
        word="RESEND",
        help=(
            "  RESEND      your last report again; RESEND 3 for request 3 of this turn,\n"
            "              RESEND 2.3 for request 3 of turn 2"
        ),
        meant=regex(r"\b(?:report|sitrep|resend)\b", re.IGNORECASE),
        hint="RESEND sends your last report again",
    ),
    EmailCommand(
        word="AWAY",
        help=(
            "  AWAY 2027-07-01 to 2027-07-14\n"
            "              the days when you are away: they do not count in your deadlines, in\n"
            "              all your games. AWAY 1 to 14 July, AWAY until Sunday (or 14 July),\n"
            "              AWAY 5 days; AWAY OFF when you are back"
        ),
        arguments=regex(
            rf"|OFF|{A_DAY}.{{0,80}}|{UNTIL.pattern}|{SOON.pattern}|(?:until|till|to)\s+\d.{{0,80}}|(?:for\s+)?{_LONG}",
            re.IGNORECASE,
        ),
        meant=regex(r"\b(?:away|holidays?|vacation|travel(?:l?ing)?|no time)\b", re.IGNORECASE),
        hint="AWAY {absence} says when you are away",
    ),
    EmailCommand(
        word="EXTEND",
        help=("  EXTEND 1 day\n              more time for the current request, as far as your club allows"),
        arguments=regex(rf"|\d.{{0,40}}|(?:by\s+)?{_LONG}", re.IGNORECASE),
        meant=regex(
            r"\b(?:(?:more|additional|extra) time|extend|extension|later|no time|too busy|postpone|delay"
            rf"|{_LONG}\s+(?:more|longer|extra)|{_MORE})\b",
            re.IGNORECASE,
        ),
        hint="EXTEND {time} asks for more time",
    ),
    EmailCommand(
        word="ADDRESS",
        help=(
            "  ADDRESS new@example.org\n"
            "              your emails go to this address, in all your games; it gets a code first"
        ),
        arguments=regex(r"|CODE\s+\w{6,40}|[^\s@<>,;:\"()]{1,64}@[A-Z0-9.-]{1,200}", re.IGNORECASE),
        meant=regex(r"\b(?:(?:new|change|changed|other) .{0,20}\baddress|e-?mail address)\b", re.IGNORECASE),
        hint="ADDRESS {address} changes your address",
        moves_players=True,
    ),
    EmailCommand(
        word="DRAW",
        help=(
            "  DRAW        you agree to a draw: the game ends when every side still in play\n"
            "              has sent DRAW; DRAW OFF takes this back"
        ),
        arguments=regex(r"|OFF", re.IGNORECASE),
        meant=regex(r"\b(?:draw|truce|peace)\b", re.IGNORECASE),
        hint="DRAW offers a draw or accepts one",
    ),
    EmailCommand(
        word="RESIGN",
        help=("  RESIGN duel01\n              how to give up, and what happens then"),
        arguments=regex(r"|[A-Z0-9][\w-]{0,39}(?: YES)?", re.IGNORECASE),
        meant=regex(r"\b(?:give up|surrender|resign|concede|quit|stop playing)\b", re.IGNORECASE),
        hint="RESIGN {game} asks how to give up; nothing is done yet",
    ),
    EmailCommand(
        word="TAKE",
        help=("  TAKE duel02 klingon\n              you take over a side that the umpire offers"),
        arguments=regex(r"|[A-Z0-9][\w-]{0,39}(?: [\w-]{1,40})?", re.IGNORECASE),
        moves_players=True,
    ),
    EmailCommand(
        word="WATCH",
        help=(
            "  WATCH duel02\n"
            "              you get the public report of each turn of a public game; WATCH ALL for\n"
            "              all such games, WATCH for a list, UNWATCH duel02 to stop"
        ),
        arguments=_GAME,
    ),
    EmailCommand(
        word="UNWATCH",
        arguments=_GAME,
    ),
    EmailCommand(
        word="STANDINGS",
        help=("  STANDINGS   the tables of the tournaments here"),
    ),
    EmailCommand(
        word="HELP",
        help=("  HELP        this page; HELP and a word, such as HELP away, for a page of the guide"),
        meant=regex(r"\b(?:help|how (?:do|can|to)|what (?:is|does))\b", re.IGNORECASE),
        hint="HELP {topic} shows what the guide says about it, HELP alone what you can send",
    ),
)
"""All email commands, in the order of HELP."""
