"""The words of what a player is answered: his orders as understood, or what is wrong with them and how to mend it.

The orders are shown behind ``| ``: quoted in an answer they must not be taken for orders again.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

import msgspec

from pbem.desk.answers import judge
from pbem.desk.folder import GameFolder
from pbem.desk.submit import Receipt
from pbem.faults import Fault
from pbem.game.state import Request
from pbem.orders.header import answer_line, is_header
from pbem.post.left_out import NOT_A_LINE, left_out
from pbem.values.words import FormKind

WIDTH = 76
MARK = "## CORRECTED DRAFT: delete this line when these are the orders you want"
"""While this line stands in orders they are not taken: an answer that only quotes a draft is none."""
_MARK = re.compile(r"##?\s*CORRECTED DRAFT\b", re.IGNORECASE)
_ROUNDS = 6
_FORMS = {
    "EAF": "energy allocation forms (EAF)",
    "SOP": "orders (SOP)",
    "FULL": "energy and orders (EAF and SOP in one)",
}


def asked_for(request: Request) -> str:
    """What a request wants, in words."""
    return f"{_FORMS.get(request.form, request.form)} for {stretch_of(request)}"


def stretch_of(request: Request) -> str:
    """``turn 2, impulses 9 to 16, REPLY 3``: what of the game a request is about."""
    when = f"turn {request.turn}"
    if request.form != FormKind.EAF:
        when += f", impulses {max(1, request.impulse)} to {request.through}"
    return f"{when}, REPLY {request.number}"


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines a mail program leaves alone."""
    if len(indent) + len(text) <= WIDTH and text.isprintable() and text[-1:].strip():
        return indent + text  # as most are
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def paragraphs(*parts: str | Sequence[str]) -> list[str]:
    """Lines with an empty one between parts: a text is wrapped, lines stay as they are, what is empty is left out."""
    found: list[str] = []
    for part in filter(None, parts):
        found += [*([""] if found else []), *([wrapped(part)] if isinstance(part, str) else part)]
    return found


def shown(text: str) -> list[str]:
    """Orders to be looked at, not to be taken for orders again."""
    return [f"| {line}".rstrip() for line in text.rstrip("\n").split("\n")]


def echo(receipt: Receipt) -> list[str]:
    """Orders as they were understood, line by line, with the energy and the course."""
    lines = ["YOUR ORDERS, AS UNDERSTOOD", *shown(receipt.orders)]
    doubtful = [(line, text, why) for line, text, verdict, why in receipt.lines if verdict != "legal"]
    if doubtful:
        lines += ["", "WHAT DEPENDS ON HOW THE GAME GOES"]
        lines += [wrapped(f"line {line}: {text}" + (f" -- {why}" if why else ""), "  ") for line, text, why in doubtful]
    elif receipt.lines:
        lines += ["", "Every line is legal."]
    for ship, balance in receipt.balance:
        lines += ["", f"ENERGY OF {ship}", *(f"  {line}".rstrip() for line in balance)]
    for ship, course in receipt.plots:
        if course:
            lines += ["", f"COURSE OF {ship} (as far as it depends on nobody else)"]
            lines += [f"  impulse {impulse:>2}  {code:<4} {at}".rstrip() for impulse, code, at in course]
    if receipt.notes:
        lines += ["", *(wrapped(f"Note: {note}.") for note in receipt.notes)]
    return lines


def told(faults: Sequence[Fault], text: str) -> list[str]:
    """Every fault with the line it is in."""
    lines = text.split("\n")
    said = []
    for number, fault in enumerate(faults, start=1):
        rule = f" ({fault.rule})" if fault.rule and fault.rule not in fault.text else ""
        choices = f" One of: {', '.join(fault.choices[:8])}." if fault.choices and fault.family == "ambiguous" else ""
        said.append(wrapped(f"{number}. {_sentence(fault.text)}{rule}{choices} [{fault.code}]"))
        if 0 < fault.line <= len(lines):
            said.append(f"   line {fault.line}: {lines[fault.line - 1].strip()[:200]}")
    return said


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def is_marked(text: str) -> bool:
    """Whether this is a corrected draft that nobody has agreed to yet."""
    return any(_MARK.match(line.strip()) for line in text.split("\n"))


def corrected(game: GameFolder, request: Request, side: str, text: str, faults: Iterable[Fault]) -> tuple[str, bool]:
    """The orders with faulty lines made comments, the reason behind each, and whether the rest is legal now."""
    lines = text.split("\n")
    head = next((place for place, line in enumerate(lines) if is_header(line)), None)
    wanted = answer_line(game.terms.name, side, request)
    if head is None:
        lines.insert(0, wanted)
        waiting = [msgspec.structs.replace(fault, line=fault.line + 1 if fault.line else 0) for fault in faults]
        head = 0
    else:
        waiting = list(faults)
        lines[head] = wanted
    reasons: dict[int, list[str]] = {}
    was: dict[int, str] = {}
    legal = False
    for _ in range(_ROUNDS):
        before, changed = waiting, False
        sent, tried = tuple(lines), frozenset(was)
        for fault in waiting:
            place = fault.line - 1
            if place <= head or place >= len(lines) or fault.code in NOT_A_LINE:
                continue
            if not sent[place].lstrip().startswith("#"):
                out = left_out(sent, fault, tried)
                for one in out.lines:
                    if lines[one].strip() and not lines[one].lstrip().startswith("#"):
                        lines[one], changed = f"# {lines[one]}", True
                for one, short in (each for each in out.shorter if lines[each[0]] == sent[each[0]]):
                    was[one], lines[one], changed = sent[one], short, True
                place = out.shorter[0][0] if out.shorter else place
                reasons.setdefault(place, []).append(fault.text + (f"; {out.why}" if out.why else ""))
            else:
                reasons.setdefault(place, []).append(fault.text)
        judged = judge(game, "\n".join(lines), "")
        waiting = list(judged.faults)
        legal = not waiting and judged.side == side
        if legal or (not changed and waiting == before):
            break
    left = [fault.text for fault in waiting if not fault.line or fault.code in NOT_A_LINE]
    return _written(lines, head, reasons, left, was), legal


def _comment(text: str) -> list[str]:
    """A remark in lines so short that no mail program folds them: what it folds would be read as an order."""
    return textwrap.wrap(text, 70, initial_indent="## ", subsequent_indent="##   ", break_on_hyphens=False)


def _written(lines: list[str], head: int, reasons: dict[int, list[str]], left: list[str], was: dict[int, str]) -> str:
    written = [lines[head], MARK]
    for text in left:
        written += _comment(f"STILL WRONG: {text}"[:600])
    for place, line in enumerate(lines):
        if place > head and not _MARK.match(line.strip()):
            written += [f"# {was[place]}"] if place in was else []
            written.append(line)
            for text in dict.fromkeys(reasons.get(place, ())):
                written += _comment(f"^ {' '.join(text.split())}"[:600])
    while written and not written[-1].strip():
        written.pop()
    if not any(re.match(r"\s*END\b", line, re.IGNORECASE) for line in written):
        written.append("END")
    return "\n".join(written) + "\n"
