"""Writes the examples of emails in docs/play-by-mail.md, from the texts that the tests keep (tests/mail, turns/).

python docs/mails.py           writes the page
python docs/mails.py --check   says whether it is up to date

A kept email stands below its `Subject:` line, up to the next `========`. Some tests have no clock, so their texts say
"is tomorrow" of a deadline; the page shows a day instead.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "play-by-mail.md"
SHOWN = {
    r"\[home\]/secret/mail": "club/mail",
    r"\[home\]": "club",
    r"\[digest\]": "0123456789abcdef01234567",
    r"\[r1 of \w+\]": "(here stands the sitrep)",
    r"The deadline of \w+, which is \w+ here, is tomorrow\.": "The deadline is Thu 4 Mar 2027, 18:00 (UTC).",
    r"\bhost/games/": "club/games/",
    "0 letters came in and 0 mails went out": "12 letters came in and 31 mails went out",
    r"The deadline is near\.": "The deadline is Thu 4 Mar 2027, 18:00 (UTC).",
}
"""What tests put in for what differs from run to run, and what stands for it on the page."""


class Kind(NamedTuple):
    """A kind of email: its heading, the most lines shown, the kept text it is taken from, and its subject there."""

    name: str
    lines: int
    file: str
    subject: str


KINDS = (
    Kind("The invitation", 28, "tests/mail/announced.txt", "SITREP: you play federation"),
    Kind("The report", 22, "turns/duel01/02/r3/klingon/sitrep.txt", ""),
    Kind("The receipt", 18, "tests/mail/correspondence.txt", "receipt for request 1"),
    Kind("Orders with faults", 34, "tests/mail/correspondence.txt", "your orders have faults; nothing was filed"),
    Kind("The reminder", 34, "tests/mail/examples.txt", "orders are missing"),
)


def example(kind: Kind) -> str:
    """Return the email as it is shown: its subject and text.

    Raises:
        LookupError: No test keeps such an email.
    """
    text = (ROOT / kind.file).read_text(encoding="utf-8")
    if not kind.subject:
        return _short(text.splitlines(), kind.lines)
    for block in re.split(r"(?m)^(?:========|--------|########).*$|^(?=To: )", text):
        head, _, body = block.strip("\n").partition("\n\n") if "Subject: " in block else ("", "", "")
        subject = re.search(rf"(?m)^Subject: (.*{re.escape(kind.subject)}.*)$", head)
        if subject:
            return _short([f"Subject: {subject[1]}", "", *body.split("\n")], kind.lines)
    raise LookupError(f"{kind.file} keeps no email with the subject {kind.subject!r}")


def _short(lines: list[str], most: int) -> str:
    told = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    if len(told) > most:
        told = [*told[: most - 1], "…"]
    text = "\n".join(told)
    for kept, shown in SHOWN.items():
        text = re.sub(kept, shown, text)
    return text


def document() -> str:
    """Return the page with the examples of the emails below their headings."""
    page = PAGE.read_text(encoding="utf-8")
    for kind in KINDS:
        before, head, after = page.partition(f"### {kind.name}\n\n```text\n")
        if not head:
            raise LookupError(f"{PAGE.name} has no example below {kind.name!r}")
        page = f"{before}{head}{example(kind)}\n{after[after.index('```') :]}"
    return page


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == document() else "docs/play-by-mail.md is out of date")
    PAGE.write_text(document(), encoding="utf-8", newline="\n")
