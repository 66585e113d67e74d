"""Write the parts of answers to orders: receipt, list of faults, corrected draft, note on late orders.

In these texts, lines of orders begin with ``| ``, so that a quoted answer is not read as new orders. A corrected draft
changes faulty lines to the nearest legal ones, or turns them into comments. It never drops an order or moves it to
another ship. The emails themselves are built in :mod:`pbem.mail.replies.answer`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pbem.data.terms import FormKind, impulses_in_words
from pbem.engine.state import Request
from pbem.errors import Fault, rule_for_players
from pbem.games.answers import Judged, has_sop, judge, normal_form, side_named
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import Receipt
from pbem.mail import emails
from pbem.mail.emails import shown, wrapped
from pbem.orders import vocabulary as words
from pbem.orders.blocks import SECTIONS
from pbem.orders.header import answer_line, is_header
from pbem.orders.lexer import Misread, Statement, Token, statements, tokens_of
from pbem.orders.mail_text import order_text
from pbem.orders.names import name_text
from pbem.orders.reader import read_orders
from pbem.orders.vocabulary import keyword
from pbem.reports.draft.nearest import nearest
from pbem.util import regex

_BLOCKS = ("SHIP", "SHUTTLE")
_SECTIONS = ("ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE")
_OF_THE_SHIP = ("ENERGY", "BREAK", "DAMAGE")
"""Sections of orders that always belong to a ship, even if they are written below one of her shuttles."""
_BARE = ("ENERGY", "DO", "BREAK", "DAMAGE")
"""Section headings that are kept without the rest of their line if that rest is faulty.

The lines below belong to the heading.
"""

NOT_A_LINE = ("energy-missing", "ship-missing")
"""Codes of faults that say that something is missing, so no line of the draft is removed for them."""

BLOCK = "the orders below it are left out with the heading: correct the heading and remove the # from all of them"


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Which lines of a draft must be turned into comments or shortened because of one fault.

    Attributes:
        lines: Numbers of the lines that become comments, counted from 0.
        shorter: Headings that stay in a shorter form, as (line number, new text).
        why: A clause to add to the text of the fault.
    """

    lines: tuple[int, ...] = ()
    shorter: tuple[tuple[int, str], ...] = ()
    why: str = ""


def left_out(lines: Sequence[str], fault: Fault, tried: frozenset[int] = frozenset()) -> LeftOut:
    """Return which lines of a draft must be turned into comments or shortened because of a fault.

    ``tried`` are the numbers of headings that were shortened before. If one of them is faulty again, it becomes a
    comment too.
    """
    place = fault.line - 1
    if fault.code in NOT_A_LINE:
        return LeftOut()
    run = _run(lines, place)
    first, heading = run[0], _heading(lines[run[0]])
    if fault.code == "no-unit":
        return LeftOut(lines=tuple(_until(lines, first, _BLOCKS)), why=BLOCK)
    if heading in (*_BLOCKS, *_BARE):
        short = _shorter(lines[first], heading)
        if short and first not in tried:
            return LeftOut(lines=tuple(run[1:]), shorter=((first, short),))
        ends: tuple[str, ...] = _BLOCKS if heading in _BLOCKS else (*_BLOCKS, *_SECTIONS)
        if heading == "SHUTTLE":
            ends = (*_BLOCKS, *_OF_THE_SHIP)
        return LeftOut(lines=tuple(_until(lines, first, ends)), why=BLOCK)
    return LeftOut(lines=tuple(run))


def _run(lines: Sequence[str], place: int) -> list[int]:
    """Return the numbers of all lines of the order to which the line ``place`` belongs, counted from 0.

    An order may continue over several lines.
    """
    numbers = {place}
    for first, last, own in _spans(tuple(lines)):
        if place in own:
            numbers |= set(range(first, last + 1))
    return sorted(line for line in numbers if line < len(lines))


@lru_cache(maxsize=2)
def _spans(lines: tuple[str, ...]) -> list[tuple[int, int, frozenset[int]]]:
    """Return the line numbers of each order, counted from 0: the first, the last, and those with text.

    The result is cached because it is needed for each fault of a draft.
    """
    read = [one for one in statements(order_text("\n".join(lines))) if isinstance(one, Statement)]
    of_each = [frozenset(token.line - 1 for token in one.tokens) for one in read]
    return [(min(own), max(own), own) for own in of_each if own]


def _until(lines: Sequence[str], first: int, ends: Sequence[str]) -> list[int]:
    """Return the line numbers from ``first`` up to, but not including, the next heading in ``ends``."""
    numbers = [first]
    for place in range(first + 1, len(lines)):
        if _heading(lines[place]) in (*ends, "END"):
            break
        numbers.append(place)
    return numbers


def _tokens(line: str) -> list[Token]:
    try:
        return tokens_of(line)
    except Misread:
        return []


def _heading(line: str) -> str:
    word = (line.split() or [""])[0].rstrip(":;,")
    key = words.keyword(word)
    if key not in (*_BLOCKS, *_SECTIONS, "END"):
        return ""
    tokens = _tokens(line)
    return "" if len(tokens) > 1 and tokens[1].key in words.AFTER_SUBJECT else key


def _shorter(line: str, heading: str) -> str:
    """Return a heading without the faulty rest of its line, such as SHIP and the name alone.

    Return ``""`` if the heading cannot be shortened.
    """
    tokens = _tokens(line)
    if len(tokens) < 2:
        return ""
    if heading not in _BLOCKS:
        return line[: tokens[1].column - 1].rstrip()
    cut = next((token for token in tokens[2:] if token.key in ("AT", "SPEED") or token.text == ";"), None)
    return line[: cut.column - 1].rstrip() if cut is not None else ""


MARK = "## CORRECTED DRAFT: delete this line when these are the orders you want"
"""The line that marks a corrected draft.

Orders with this line are refused, so a quoted draft files nothing.
"""
_MARK = regex(r"##?\s*CORRECTED DRAFT\b", re.IGNORECASE)
_ROUNDS = 6
_MOST_LOOKS = 120
"""Maximum number of checks made for one draft to find the nearest legal lines.

``_MENDED_LENGTH`` is the longest text, in characters, for which that is tried. Beyond either limit the remaining
faulty lines become comments: no person writes that many faults.
"""
_MENDED_LENGTH = 12_000
_MOST_WORK = 250_000
"""The amount of work, in characters checked, after which making a draft is given up.

It is a count and not a time, so that the same orders always get the same answer.
"""
_WORK_OF_A_CHECK, _WORK_OF_A_FAULT, _WORK_OF_A_LINE = 400, 500, 12
"""Work, in characters, that is added for each check, for each fault found and for each line read."""
_FORMS = {
    "EAF": "energy allocation forms (EAF)",
    "SOP": "orders (SOP)",
    "FULL": "energy and orders (EAF and SOP in one)",
}


def asked_for(request: Request) -> str:
    """Return what a request asks for, as text: ``orders (SOP) for turn 2, impulses 9 to 16, REPLY 3``."""
    return f"{_FORMS.get(request.form, request.form)} for {stretch_of(request)}"


def stretch_of(request: Request) -> str:
    """Return the part of the game that a request covers, as text: ``turn 2, impulses 9 to 16, REPLY 3``."""
    when = f"turn {request.turn}"
    if request.form != FormKind.EAF:
        when += f", {impulses_in_words(request.impulse, request.through)}"
    return f"{when}, REPLY {request.number}"


def _because(why: str) -> str:
    """Return what a receipt adds to an order that may not be carried out as written."""
    if not why:
        return ""
    return f" -- depends {why}" if why.startswith("on ") else f" -- {why}"


def echo(receipt: Receipt) -> dict[str, list[str] | list[tuple[str, list[str]]] | bool]:
    """Return the template values with which a receipt repeats a player's orders.

    They show how the program understood the orders, with each ship's energy and course.
    """
    doubtful = [(line, text, why) for line, text, verdict, why in receipt.lines if verdict != "legal"]
    courses = [
        (ship, [f"  impulse {impulse:>2}  {code:<4} {at}".rstrip() for impulse, code, at in course])
        for ship, course in receipt.plots
        if course
    ]
    return {
        "orders": shown(receipt.orders),
        "doubtful": [f"line {line}: {text}" + _because(why) for line, text, why in doubtful],
        "checked": bool(receipt.lines),
        "energy": [(ship, [f"  {line}".rstrip() for line in balance]) for ship, balance in receipt.balance],
        "courses": courses,
        "order_notes": list(receipt.notes),
    }


def numbered_faults(faults: Sequence[Fault], text: str) -> list[str]:
    """Return the faults as numbered, wrapped paragraphs, each followed by the faulty line of ``text``."""
    lines = text.split("\n")
    paragraphs = []
    for number, fault in enumerate(faults, start=1):
        rule = rule_for_players(fault.rule) if fault.rule and fault.rule not in fault.text else ""
        choices = fault.choices[:8] if fault.family == "ambiguous" else ()
        sentence = emails.sentence(
            "numbered_fault", number=number, text=_sentence(fault.text), rule=rule, choices=choices, code=fault.code
        )
        paragraphs.append(wrapped(sentence))
        if 0 < fault.line <= len(lines):
            line = lines[fault.line - 1].strip()[:200]
            paragraphs.append(f"   {emails.sentence('faulty_line', number=fault.line, line=line)}")
    return paragraphs


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def is_marked(text: str) -> bool:
    """Return whether a text is a corrected draft that still has the line that marks it as one."""
    return any(_MARK.match(line.strip()) for line in text.split("\n"))


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """A corrected draft: a player's faulty orders, changed so that the player can send them again.

    Attributes:
        text: The draft; ``""`` if making it took too much work.
        legal: Whether the draft is legal without further changes.
        mended: The lines that were replaced by the nearest legal lines.
        left_out: Whether some lines became comments.
    """

    text: str
    legal: bool
    mended: tuple[str, ...] = ()
    left_out: bool = False


def corrected(game: GameFolder, request: Request, side: str, text: str, faults: Iterable[Fault]) -> Corrected:
    """Return a corrected draft of a player's faulty orders.

    A faulty line is changed to the nearest legal one if there is exactly one, otherwise it becomes a comment. The
    reason is written below each changed line. The draft is empty if it takes too much work.

    Args:
        game: The game.
        request: The request for orders that the draft answers.
        side: The player's side.
        text: The faulty orders.
        faults: The faults found in them.
    """
    try:
        return _corrected(game, request, side, text, faults)
    except _TooMuchWork:
        return Corrected(text="", legal=False)


class _TooMuchWork(Exception):
    """Raised when making one draft has used up the allowed amount of work."""


def _corrected(game: GameFolder, request: Request, side: str, text: str, faults: Iterable[Fault]) -> Corrected:
    lines = text.split("\n")
    head, waiting = _with_header(lines, answer_line(game.terms.name, side, request), faults)
    looks = _MOST_LOOKS if len(text) <= _MENDED_LENGTH else 0
    added = _headings(game, request, side, lines) if any(fault.code == "no-unit" for fault in waiting) else []
    if added:
        lines[head + 1 : head + 1] = added
    draft = _Draft(lines, head, lambda lines: judge(game, "\n".join(lines), ""), looks)
    if added:
        waiting = list(draft.judged(lines).faults)
    draft.note_added(len(added))
    legal = False
    for _ in range(_ROUNDS):
        before = waiting
        changed = draft.without(waiting)
        judged = draft.judged(lines)
        waiting = list(judged.faults)
        legal = not waiting and judged.side == side
        if legal or (not changed and waiting == before):
            break
    left = [fault.text for fault in waiting if not fault.line or fault.code in NOT_A_LINE]
    return Corrected(
        text=_written(lines, head, draft.reasons, left, draft.was, draft.mended),
        legal=legal,
        mended=tuple(lines[place].strip() for place in sorted(draft.mended)),
        left_out=draft.leaves_out,
    )


def _with_header(lines: list[str], wanted: str, faults: Iterable[Fault]) -> tuple[int, list[Fault]]:
    """Put the header ``wanted`` into the lines of orders, in place of their header or above them.

    Returns:
        The number of the header's line, counted from 0, and the faults with the new numbers of their lines.
    """
    head = next((place for place, line in enumerate(lines) if is_header(line)), None)
    if head is not None:
        lines[head] = wanted
        return head, list(faults)
    lines.insert(0, wanted)
    return 0, [msgspec.structs.replace(fault, line=fault.line + 1 if fault.line else 0) for fault in faults]


_FIRST_WORD = regex(r"\s*(\w+)")


def _headings(game: GameFolder, request: Request, side: str, lines: Sequence[str]) -> list[str]:
    """Return the headings (SHIP, perhaps ENERGY) to add to orders that name no ship; empty if none fit.

    They are added only if the side has exactly one ship, since then the orders can only be hers. ENERGY is added for an
    energy form.
    """
    ships = [ship for ship in game.state().ships() if ship.side == side]
    first = {keyword(found[1]) for line in lines if (found := _FIRST_WORD.match(line))}
    if len(ships) != 1 or first & {"SHIP", "SHUTTLE"}:
        return []
    bare = request.form == FormKind.EAF and not first & {*SECTIONS}
    return [f"SHIP {name_text(ships[0].name)}", *(["ENERGY"] if bare else [])]


class _Draft:
    """Builds a corrected draft: the lines so far, and the reasons for each change.

    Line numbers are counted from 0. ``head`` is the number of the header's line. ``looks`` is how many more checks may
    be made to find the nearest legal lines. ``work`` is the work done so far, in characters checked.
    """

    def __init__(self, lines: list[str], head: int, judge: Callable[[Sequence[str]], Judged], looks: int) -> None:
        self.lines, self.head, self.judge, self.looks, self.work = lines, head, judge, looks, 0
        self.reasons: dict[int, list[str]] = {}
        self.was: dict[int, str] = {}
        self.mended: set[int] = set()
        self.told: set[tuple[int, str]] = set()
        self.leaves_out = False

    def judged(self, lines: Sequence[str]) -> Judged:
        """Check these lines as orders, and return the result with the faults.

        Raises:
            _TooMuchWork: The draft has used up its amount of work.
        """
        result = self.judge(lines)
        by_line = sum(_WORK_OF_A_LINE + len(line) for line in lines)
        self._count(_WORK_OF_A_CHECK + by_line + _WORK_OF_A_FAULT * len(result.faults))
        return result

    def note_added(self, count: int) -> None:
        """Record that ``count`` headings were added below the header, with the reason below the last one."""
        for place in range(self.head + 1, self.head + 1 + count):
            self.mended.add(place)
            self.reasons[place] = ["this line was missing"] if place == self.head + count else []

    def _count(self, work: int) -> None:
        self.work += work
        if self.work > _MOST_WORK:
            raise _TooMuchWork

    def without(self, faults: Sequence[Fault]) -> bool:
        """Correct the lines with these faults, or turn them into comments; return whether a line was changed."""
        sent, tried = tuple(self.lines), frozenset(self.was.keys() - self.mended)
        changed = False
        for fault in faults:
            place = fault.line - 1
            if place <= self.head or place >= len(self.lines) or fault.code in NOT_A_LINE:
                continue
            reason = fault.text
            if not sent[place].lstrip().startswith("#") and self.lines[place] == sent[place]:
                if line := self._nearest(fault):
                    self.was.setdefault(place, sent[place])
                    self.lines[place], changed = line, True
                    self.mended.add(place)
                else:
                    place, why, other = self._left_out(sent, fault, tried)
                    reason, changed = f"{reason}; {why}" if why else reason, changed or other
            if not (
                place in self.mended and (place, fault.code) in self.told
            ):  # a line corrected twice for the same fault gets one reason
                self.reasons.setdefault(place, []).append(reason)
            self.told.add((place, fault.code))
        return changed

    def _nearest(self, fault: Fault) -> str:
        """Return the legal line nearest to a faulty one; ``""`` if there is no single nearest one.

        It is also ``""`` if no more checks are allowed for this draft.
        """

        def judged(lines: Sequence[str]) -> Sequence[Fault]:
            self.looks -= 1
            return self.judged(lines).faults

        affordable = self.looks > 0 and self.work < _MOST_WORK // 2
        return nearest(fault, self.lines, judged) if affordable else ""

    def _left_out(self, sent: Sequence[str], fault: Fault, tried: frozenset[int]) -> tuple[int, str, bool]:
        """Turn the lines that must be removed because of a fault into comments.

        Args:
            sent: The lines before this round of corrections.
            fault: The fault.
            tried: The numbers of headings that were shortened before.

        Returns:
            The number of the line below which the reason is written, a clause to add to the reason, and whether
            any line was changed.
        """
        place, changed = fault.line - 1, False
        self._count(2 * len(sent))
        out = left_out(sent, fault, tried)
        for one in out.lines:
            if self.lines[one].strip() and not self.lines[one].lstrip().startswith("#"):
                self.mended.discard(one)
                self.lines[one], changed = f"# {self.was.pop(one, self.lines[one])}", True
                self.leaves_out = True
        for one, short in (each for each in out.shorter if self.lines[each[0]] == sent[each[0]]):
            self.was[one], self.lines[one], changed = sent[one], short, True
            self.leaves_out = True
        return out.shorter[0][0] if out.shorter else place, out.why, changed


def _comment(text: str) -> list[str]:
    """Return a remark as comment lines of at most 70 characters for a draft.

    A mail program would fold longer lines, and the folded part would be read as an order.
    """
    return textwrap.wrap(text, 70, initial_indent="## ", subsequent_indent="##   ", break_on_hyphens=False)


def _written(
    lines: list[str],
    head: int,
    reasons: dict[int, list[str]],
    left: list[str],
    was: dict[int, str],
    mended: Collection[int] = (),
) -> str:
    written = [lines[head], MARK]
    for text in left:
        written += _comment(f"STILL WRONG: {text}"[:600])
    for place, line in enumerate(lines):
        if place > head and not _MARK.match(line.strip()):
            written += [f"# {was[place]}"] if place in was else []
            written.append(line)
            for text in dict.fromkeys(reasons.get(place, ())):
                written += _comment(f"^ {' '.join(text.split())}"[:600])
            if place in mended and place in was:
                written += _comment("^ the nearest that is legal: change it, or leave it as it is")
    while written and not written[-1].strip():
        written.pop()
    if not any(re.match(r"\s*END\b", line, re.IGNORECASE) for line in written):
        written.append("END")
    return "\n".join(written) + "\n"


class TooLate(NamedTuple):
    """The facts for an answer to orders that came too late, because their request was already played.

    Attributes:
        said: A clause that says what happened to the orders.
        played: Whether exactly these orders were on file and were played.
        fits: Whether these are new orders on the form (energy form or SOP) that the game now waits for.
    """

    said: str
    played: bool
    fits: bool


def too_late(game: GameFolder, side: str, text: str) -> TooLate | None:
    """Return the facts for an answer to orders whose header names a request that was already played.

    Return ``None`` if the orders are not for an earlier request of this game and side.
    """
    orders, state = read_orders(text).orders, game.state()
    request, turn, number = state.request, orders.turn, orders.reply
    if request is None or turn is None or number is None or orders.game.casefold() != state.game.casefold():
        return None
    if turn < 1 or number < 1 or (turn, number) >= (request.turn, request.number):
        return None
    if side_named(state, orders.side) != side:
        return None
    which = f"request {number} of turn {turn}"
    energy = any(unit.energy is not None for unit in orders.units)
    file = game.order_file(turn, side, number)
    before = normal_form(read_order_file(file), side, state.game) if file.is_file() else ""
    if before and before == normal_form(text, side, state.game):
        return TooLate(f"{which} was played with exactly these orders, so nothing is lost", True, False)
    what, rest = "these orders are", ""
    if energy and not has_sop(orders):
        what = "this energy form is"
        rest = "; the energy stays allocated until its turn ends" if turn == request.turn else ""
    sentence = f"{what} for {which}, which was played before this email came{rest}"
    wanted = {FormKind.EAF: energy, FormKind.SOP: has_sop(orders) or orders.unchanged}
    return TooLate(sentence, False, wanted.get(FormKind(request.form), energy))
