"""A club with a duel under way, and the letters of people who are new to it (``beginners.toml``).

``python -m tests.mail.beginners`` shows the answer to each of them; ``--only WORD`` those whose name has the word.
"""

from __future__ import annotations

import argparse
import atexit
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pbem.games.create import new
from pbem.mail.seats import token_of
from tests import remembered

TABLE = Path(__file__).with_suffix(".toml")
PLAYERS = {"federation": "Ann <ann@example.org>", "klingon": "Kor <kor@example.org>"}
ADDRESSES = {"federation": "ann@example.org", "klingon": "kor@example.org"}
FAULT = re.compile(r"^\d+\. (?!\[)", re.MULTILINE)


class Mistake(NamedTuple):
    """A letter of a beginner, and what a good answer has.

    ``first`` are patterns of the first paragraph of the answer, in which the player reads what to do; ``says`` of the
    whole answer. ``filed``: whether the orders were filed. ``lines``: how long the answer may be, without the orders
    that it shows behind ``|``; ``faults``: how many numbered faults it may have.
    """

    name: str
    source: str
    letters: tuple[bytes, ...]
    first: tuple[str, ...]
    says: tuple[str, ...]
    never: tuple[str, ...]
    filed: bool
    lines: int
    faults: int


class Answer(NamedTuple):
    """What a player gets for his letters: the last answer, its attachments, and whether orders are on file."""

    subject: str
    text: str
    attached: tuple[str, ...]
    filed: bool

    @property
    def first(self) -> str:
        """The first paragraph, as one line."""
        return " ".join(self.text.strip().split("\n\n")[0].split())


@cache
def _new_game() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="beginners-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with remembered.real_pages():
        new("5", folder / "duel01", players=PLAYERS, options={"reveal": "none"}, seed="beginners", name="duel01")
    return folder / "duel01"


def club(folder: Path) -> Any:
    """A host with a duel of two people that waits for the first orders of both: energy and course in one."""
    hosted = import_module("tests.mail.hosted").Hosted(folder)
    shutil.rmtree(hosted.game)
    shutil.copytree(_new_game(), hosted.game)
    return hosted


def _letter(one: dict[str, Any], number: int, token: str, good: str) -> bytes:
    message = EmailMessage(policy=SMTP)
    side = one.get("side", "klingon")
    message["From"] = one.get("from", PLAYERS[side])
    message["To"] = "orders@host.example"
    message["Subject"] = f"{one.get('subject', 'Re: duel01 SITREP')} TOKEN {token}"
    message["Message-ID"] = f"<{number}.{side}@example.org>"
    message["Date"] = "Mon, 01 Mar 2027 12:00:00 +0000"
    text = one.get("text", "")
    if "change" in one:
        text = good
        for old, changed in one["change"]:
            assert old in text, (one["name"], old)
            text = text.replace(old, changed)
    if one.get("quote"):
        text = "\n".join(f"> {line}" for line in text.split("\n"))
    if one.get("file"):
        message.set_content(one.get("beside", ""))
        data = bytes.fromhex(one["bytes"]) + bytes(300) if "bytes" in one else text.encode()
        kind, _, sub = one.get("type", "application/octet-stream").partition("/")
        message.add_attachment(data, maintype=kind, subtype=sub, filename=one["file"])
    elif one.get("html"):
        message.set_content("".join(f"<div>{line or '<br>'}</div>" for line in text.split("\n")), subtype="html")
    else:
        message.set_content(text.replace("\n", "\r\n") if one.get("crlf") else text)
    return bytes(message)


def mistakes(token: dict[str, str]) -> Iterator[Mistake]:
    """Every entry of the table."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    for one in table["mistake"]:
        parts = [{**one, **part} for part in one.get("letters", [{}])]
        letters = tuple(
            _letter(part, number, token[part.get("side", "klingon")], table["good"])
            for number, part in enumerate(parts)
        )
        yield Mistake(
            name=one["name"],
            source=one["source"],
            letters=letters,
            first=tuple(one.get("first", ())),
            says=tuple(one.get("says", ())),
            never=tuple(one.get("never", ())),
            filed=one.get("filed", False),
            lines=one.get("lines", 40),
            faults=one.get("faults", 1),
        )


def tokens(folder: Path) -> dict[str, str]:
    """The token of each side of the game."""
    return {side: token_of(folder, side) for side in PLAYERS}


def answer_to(mistake: Mistake, hosted: Any) -> Answer:
    """Have these letters go through the host's intake; each is answered before the next comes."""
    for letter in mistake.letters:
        hosted.sink.mails.clear()
        hosted.post(letter)
        hosted.round()
    words = import_module("tests.mail.hosted")
    sender = re.search(rb"^From: .*?([\w.]+@[\w.]+)", mistake.letters[-1], re.MULTILINE)
    assert sender is not None
    mine = [mail for to, mail in hosted.sink.mails if to == sender[1].decode()]
    mails = [words.taken_apart(mail) for mail in mine]
    mails = [mail for mail in mails if mail["In-Reply-To"]]
    filed = any((hosted.game / "01" / "orders").glob("*.r1.orders"))
    if not mails:
        return Answer("", "", (), filed)
    mail = mails[-1]
    attached = tuple(part.get_filename() or "" for part in mail.iter_attachments())
    return Answer(words.subjects([mail])[0], words.words(mail), attached, filed)


def what_is_bad(mistake: Mistake, answer: Answer) -> list[str]:
    """What a person new to the game would miss in an answer; empty if it is good."""
    found = []
    if not answer.text:
        return ["no answer"]
    found += [f"the first paragraph lacks {one!r}" for one in mistake.first if not re.search(one, answer.first, re.I)]
    whole = " ".join(answer.text.split())
    found += [f"the answer lacks {one!r}" for one in mistake.says if not re.search(one, whole, re.I)]
    found += [f"the answer has {one!r}" for one in mistake.never if re.search(one, whole, re.I)]
    if answer.filed != mistake.filed:
        found.append("the orders were not filed" if mistake.filed else "orders were filed")
    long = sum(not line.startswith("|") for line in answer.text.strip().split("\n"))
    if long > mistake.lines:
        found.append(f"{long} lines, not {mistake.lines}")
    if (stack := len(FAULT.findall(answer.text))) > mistake.faults:
        found.append(f"{stack} faults in a row")
    return found


def main() -> None:
    """Show every answer, and what is bad about it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--short", action="store_true", help="only what is bad, not the answers")
    said = parser.parse_args()
    good, every = 0, 0
    with tempfile.TemporaryDirectory() as home:
        for number, mistake in enumerate(mistakes(tokens(_new_game()))):
            if said.only not in mistake.name:
                continue
            hosted = club(Path(home) / str(number))
            answer = answer_to(mistake, hosted)
            bad = what_is_bad(mistake, answer)
            every += 1
            good += not bad
            sys.stdout.write(f"\n######## {mistake.source} {mistake.name}: {'; '.join(bad) or 'good'}\n")
            if not said.short:
                sys.stdout.write(
                    f"Subject: {answer.subject}\nAttached: {', '.join(answer.attached)}\n\n{answer.text}\n"
                )
    sys.stdout.write(f"\n{good} of {every} are good\n")


if __name__ == "__main__":
    main()
