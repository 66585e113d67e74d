"""The email commands of players: one entry for each, from which reading, answering and HELP take what they need."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pbem.mail.host.deadlines import A_DAY, SOON, UNTIL
from pbem.util import regex

_PLAIN: Final = regex(r"|\d{1,4}|\d{1,3}\.\d{1,4}|OFF|ON|LAST", re.IGNORECASE)
_GAME: Final = regex(r"|[A-Z0-9][\w-]{0,39}", re.IGNORECASE)
_LONG: Final = r"(?:\d{1,3}|an?|one|two)\s+(?:hours?|days?|weeks?)"


class EmailCommand(msgspec.Struct, frozen=True, kw_only=True):
    """An email command of players.

    Attributes:
        word: The first word of its line.
        help: Its lines in HELP; empty if another command's lines say it.
        arguments: What may follow the word; if anything else does, the line is not a command.
        meant: Phrases in ordinary words that ask for it.
        hint: The sentence that such a player reads.
        with_orders: Whether orders may come in the same email.
        moves_players: Whether it may change which player has which side, or a player's address.
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
        help=("  STATUS      where all your games here stand, what you owe by when, who is late"),
        meant=regex(
            r"\b(?:status|whose turn|who is (?:late|missing)|deadline|when (?:is|are) .{0,20}\bdue)\b", re.IGNORECASE
        ),
        hint="STATUS tells where the game stands and who owes orders",
    ),
    EmailCommand(
        word="DRAFT",
        help=("  DRAFT       the form to fill in, with what your ships can do now"),
        meant=regex(r"\b(?:form|draft)\b", re.IGNORECASE),
        hint="DRAFT brings the form to fill in",
    ),
    EmailCommand(
        word="PREVIEW",
        help=(
            "  PREVIEW     with orders: what they would amount to; nothing is filed.\n"
            "              Without: the same for your orders on file"
        ),
        with_orders=True,
    ),
    EmailCommand(
        word="WITHDRAW",
        help=("  WITHDRAW    takes your orders for this request back"),
        meant=regex(r"\b(?:(?:take|took|pull|call) .{0,40}\bback|withdraw|undo|cancel|forget my)\b", re.IGNORECASE),
        hint="WITHDRAW takes your orders for this request back",
    ),
    EmailCommand(
        word="WAIT",
        help=(
            "  WAIT        nothing is played before the deadline, even if all orders are in;\n"
            "              WAIT OFF takes that back"
        ),
        meant=regex(r"\b(?:wait)\b", re.IGNORECASE),
        hint="WAIT keeps your game from being played before the deadline",
        with_orders=True,
    ),
    EmailCommand(
        word="RESEND",
        help=(
            "  RESEND      your last report once more; RESEND 3 that of request 3 of this\n"
            "              turn, RESEND 2.3 that of request 3 of turn 2"
        ),
        meant=regex(r"\b(?:report|sitrep|resend)\b", re.IGNORECASE),
        hint="RESEND sends your last report once more",
    ),
    EmailCommand(
        word="AWAY",
        help=(
            "  AWAY 2027-07-01 to 2027-07-14\n"
            "              when you are away: where an answer of yours is wanted these days do\n"
            "              not count, in all your games. AWAY 1 to 14 July, AWAY until Sunday\n"
            "              (or 14 July), AWAY 5 days; AWAY OFF when you are back"
        ),
        arguments=regex(
            rf"|OFF|{A_DAY}.{{0,80}}|{UNTIL.pattern}|{SOON.pattern}|(?:until|till|to)\s+\d.{{0,80}}|(?:for\s+)?{_LONG}",
            re.IGNORECASE,
        ),
        meant=regex(r"\b(?:away|holidays?|vacation|travel(?:l?ing)?|no time)\b", re.IGNORECASE),
        hint="AWAY 1 to 14 July says when you are away",
    ),
    EmailCommand(
        word="EXTEND",
        help=("  EXTEND 1 day\n              more time for what is asked of you now, as far as your club allows"),
        arguments=regex(rf"|\d.{{0,40}}|(?:by\s+)?{_LONG}", re.IGNORECASE),
        meant=regex(r"\b(?:more time|extend|extension|later|no time|too busy)\b", re.IGNORECASE),
        hint="EXTEND 1 day asks for more time",
    ),
    EmailCommand(
        word="ADDRESS",
        help=(
            "  ADDRESS new@example.org\n"
            "              your mail goes there, in all your games here; a code is sent there first"
        ),
        arguments=regex(r"|CODE\s+\w{6,40}|[^\s@<>,;:\"()]{1,64}@[A-Z0-9.-]{1,200}", re.IGNORECASE),
        meant=regex(r"\b(?:(?:new|change|changed|other) .{0,20}\baddress|e-?mail address)\b", re.IGNORECASE),
        hint="ADDRESS new@example.org has your mail sent there",
        moves_players=True,
    ),
    EmailCommand(
        word="DRAW",
        help=(
            "  DRAW        you agree to a draw: the game ends so when every side still in play\n"
            "              has sent it; DRAW OFF takes it back"
        ),
        arguments=regex(r"|OFF", re.IGNORECASE),
        meant=regex(r"\b(?:draw|truce|peace)\b", re.IGNORECASE),
        hint="DRAW offers a draw, or takes one",
    ),
    EmailCommand(
        word="RESIGN",
        help=("  RESIGN duel01\n              how you give up, and what comes of it"),
        arguments=regex(r"|[A-Z0-9][\w-]{0,39}(?: YES)?", re.IGNORECASE),
        meant=regex(r"\b(?:give up|surrender|resign|concede)\b", re.IGNORECASE),
        hint="RESIGN gives the game up",
    ),
    EmailCommand(
        word="TAKE",
        help=("  TAKE duel02 klingon\n              you take a side over that the umpire has offered"),
        arguments=regex(r"|[A-Z0-9][\w-]{0,39}(?: [\w-]{1,40})?", re.IGNORECASE),
        moves_players=True,
    ),
    EmailCommand(
        word="WATCH",
        help=(
            "  WATCH duel02\n"
            "              you are told of each turn of a public game as everybody may know it;\n"
            "              WATCH ALL of all such games, WATCH which there are, UNWATCH duel02"
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
        help=("  HELP        this page; HELP and a word, as in HELP away, a page of the guides"),
        meant=regex(r"\b(?:help|how (?:do|can|to)|what (?:is|does))\b", re.IGNORECASE),
        hint="HELP lists what you may send, HELP orders the orders",
    ),
)
"""All email commands, in the order of HELP."""
