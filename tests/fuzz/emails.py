"""Hostile emails by the thousand: each is read and classified, and some are answered, in bounded time.

``python -m tests.fuzz.emails --count 10000 --seed 1`` makes them of the kept emails of tests/mail/letters and of
nothing, and says which one failed or took too long; ``--guided`` has atheris look for others, where that is installed.
The same seed makes the same emails.
"""

from __future__ import annotations

import argparse
import base64
import quopri
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Final, NamedTuple, TypeVar

from pbem.games.create import new
from pbem.mail.incoming import extract as wording, message
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.replies.answer import attend
from pbem.mail.seats import Games, games_in, token_of, who
from pbem.orders import header as header_line, mail_text, messages

T = TypeVar("T")
CORPUS: Final = Path(__file__).parents[1] / "mail" / "letters"
READ: Final = 0.05
ANSWERED: Final = 0.5
"""Seconds of the processor that an email may take: to be read and classified, and to be checked and answered."""
TRIES: Final = 5
"""What took too long is measured again: the quickest time counts, as the machine has other work."""
ANN: Final = "ann@example.org"
PLAYERS: Final = {"federation": f"Ann <{ANN}>", "klingon": "bob@example.org"}
MOST: Final = 60_000
"""Characters of a generated text."""
PROGRESS: Final = 1_000


class Found(NamedTuple):
    """An email that failed: what is wrong with it, and its bytes."""

    why: str
    raw: bytes


# --- emails ----------------------------------------------------------------------------------------------------------

Rng = random.Random
LINES: Final = (
    "GAME duel TURN 1 SIDE federation REPLY 1", 'GAME "" TURN 1', "GAME  ", 'GAME "turn" TURN 1 SIDE', "GAME: x",
    "GAME duel", "TURN 1", "SHIP Constellation", 'SHIP "', "SHUTTLE 1", "ENERGY", "  SPEED 12",
    "  SPEED 99999999999999",
    "  PHASERS 2", "PLOT 12F R L SS", "PLOT " + "F " * 900, "DO", "  FIRE PH 1-4 AT Destruction",
    "BREAK", "  RANGE x < 4",
    "DAMAGE", "END", "END ORDERS", "--END--", "MESSAGE TO klingon", "MESSAGE TO", "UMPIRE: help",
    "END MESSAGE", "STATUS",
    "HELP", "HELP energy", "RESEND 3", "PREVIEW", "WAIT", "WITHDRAW", "DRAFT", "AWAY 1 to 14 July",
    "AWAY 9999-99-99",
    "EXTEND 2 days", "DRAW", "RESIGN duel", "ADDRESS CODE abcdefgh", "ADDRESS a@b.org", "TAKE x y", "WATCH ALL",
    "TOKEN abcdefgh", "RULE x = 3", "DO IT abcd", "## CORRECTED DRAFT: delete this line",
    "> quoted", ">> > GAME duel TURN 1",
    "| GAME duel TURN 1 SIDE federation REPLY 1", "| END",
    "On Mon, 1 Mar 2027 at 12:00, Ann <a@b.org> wrote:", "-- ",
    "--", "-----Original Message-----", "From: a <a@b.org>", "Sent from my phone", "Disclaimer",
    "=20", "a=3D b=", "=E2=80=9C",
    "&lt;&nbsp;", "*bold* text", "\u2022 item", "o\titem", "https://drive.google.com/x?", "#1",
    '"', "''", "(" * 50, "",
    "EVERY SHIP AT EACH", "CONTINUE", "CONCEDE", "NOTHING", "RANGE OF x <= 3 AND NOT (y)",
    "\ufeff", "\u202e", "\u00df\u0130",
)  # fmt: skip
CHARSETS: Final = (
    "utf-8", "us-ascii", "iso-8859-1", "windows-1252", "utf-7", "utf-16", "utf-32", "koi8-r",
    "iso-2022-jp", "hz", "gb18030",
    "shift_jis", "punycode", "idna", "unicode_escape", "rot13", "base64", "undefined", "x" * 300,
    "", "utf-8\xff", "cp037",
)  # fmt: skip
TYPES: Final = (
    "text/plain", "text/html", "text/x-y", "multipart/mixed", "multipart/alternative",
    "multipart/report", "multipart/digest",
    "multipart/signed", "message/rfc822", "message/delivery-status", "message/partial", "message/external-body",
    "application/octet-stream", "application/rtf", "image/png", "text", "/", "", "text/plain/x", "TEXT/PLAIN",
)  # fmt: skip
ENCODINGS: Final = (
    "7bit",
    "8bit",
    "binary",
    "base64",
    "quoted-printable",
    "x-uuencode",
    "uuencode",
    "x",
    "",
    "BASE64 ",
)
HEADERS: Final = (
    "From", "To", "Cc", "Subject", "Message-ID", "In-Reply-To", "References", "Date",
    "Return-Path", "Auto-Submitted",
    "Precedence", "X-Failed-Recipients", "X-PBEM-Token", "X-PBEM-Key", "Delivered-To",
    "Content-Disposition", "List-Id",
    "MIME-Version", "Content-ID", "Content-Description", "X-Auto-Response-Suppress", "Sender", "Reply-To",
)  # fmt: skip
BITS: Final = (
    "a@b.org", "Ann <ann@example.org>", "<", ">", "<1@x>", "<>", "(", ")", '"', "\\", ",", ";",
    ":", "@", "=?utf-8?q?a?=",
    "=?utf-8?b?/w==?=", "=?x?q?a?=", "=?", "?=", "=?punycode?q?ab9?=", "orders+tok@x.org",
    "MAILER-DAEMON@x.org", "bulk",
    "auto-replied", "TOKEN abcdefgh", "Re:", "[list]", "attachment; filename=a.txt",
    "filename*0*=utf-8''a", "\xe4\xff", "\x00",
    "Mon, 01 Mar 2027 12:00:00 +0000", "99999999999999999999", " ", "\t", "x" * 80,
)  # fmt: skip
TAGS: Final = (
    "<p>", "</p>", "<br>", "<div>", "<blockquote>", "</blockquote>", "<pre>", "<!--", "-->",
    "<script>", "<style>", "<td>",
    "<a href='", "<", ">", "&lt;", "&#0;", "&#99999999;", "&nbsp", "&", "<html><body>", "<![if",
    "<?xml", "<p" + " " * 40,
)  # fmt: skip


def _times(rng: Rng) -> int:
    """How often something is repeated: mostly a few times, seldom thousands of times."""
    return rng.choices((0, 1, 2, 5, 20, 90, 400, 3000), (20, 40, 20, 10, 4, 3, 2, 1))[0]


def text(rng: Rng) -> str:
    """Lines of orders, commands, quotations and nonsense."""
    lines: list[str] = []
    for _ in range(rng.randrange(1, 25)):
        line = rng.choice(LINES)
        kind = rng.randrange(12)
        if kind == 0:
            line = line * min(_times(rng), MOST // (len(line) + 1))
        elif kind == 1:
            line = rng.choice((" ", "\t", "> ", "| ", "-", "*", "=", "_", "\u00a0", "\r", "(")) * _times(rng) + line
        elif kind == 2 and line:
            place = rng.randrange(len(line))
            line = line[:place] + chr(rng.randrange(1, 0x2FF)) + line[place + 1 :]
        elif kind == 3:
            line = f"{line} {rng.choice(LINES)}"
        elif kind == 4:
            line = line.lower()
        lines += [line] * (_times(rng) if rng.random() < 0.05 else 1)
    return rng.choice(("\n", "\r\n", "\r\n", "\r")).join(lines)[:MOST]


def page(rng: Rng) -> str:
    """Something like HTML."""
    pieces = [rng.choice((rng.choice(TAGS), rng.choice(LINES) + "\n")) for _ in range(rng.randrange(60))]
    return ("".join(pieces) + rng.choice(TAGS) * _times(rng))[:MOST]


def _encoded(rng: Rng, data: bytes, encoding: str) -> bytes:
    name = encoding.strip().lower()
    if rng.random() < 0.2:  # not what is said
        return data
    if name == "base64":
        return base64.encodebytes(data)
    if name == "quoted-printable":
        return quopri.encodestring(data)
    return data


def header(rng: Rng) -> bytes:
    """A header of bits that mean something."""
    value = "".join(rng.choice(BITS) for _ in range(rng.randrange(1, 8)))
    if rng.random() < 0.1:
        value = rng.choice(BITS) * _times(rng)
    if rng.random() < 0.1:
        value = value.replace(" ", "\r\n ")
    return f"{rng.choice(HEADERS)}: {value}".encode("utf-8" if rng.random() < 0.5 else "latin-1", "replace") + b"\r\n"


def part(rng: Rng, depth: int = 0) -> bytes:
    """A part of an email with its headers, or a multipart of such."""
    kind = rng.choice(TYPES)
    boundary = rng.choice(("b", "b", "bb", "=_x", "", "-", "b" * 200, f"n{depth}", "a b", "'"))
    charset = rng.choice(CHARSETS)
    encoding = rng.choice(ENCODINGS)
    parameters = [f"charset={charset}"] * (rng.random() < 0.6)
    parameters += [f'boundary="{boundary}"'] * (kind.startswith("multipart") and rng.random() < 0.9)
    parameters += [
        rng.choice(("format=flowed", "delsp=yes", "name=a.orders", 'name="a', "report-type=x", "a" * 90, ";"))
    ]
    head = f"Content-Type: {'; '.join([kind, *parameters])}\r\n" if rng.random() < 0.9 else ""
    head += f"Content-Transfer-Encoding: {encoding}\r\n" if rng.random() < 0.5 else ""
    if rng.random() < 0.3:
        name = rng.choice(("a.txt", "a.orders", "a.html", "a.rtf", "\u00e4.txt", "a" * 400, "a.vsav", ""))
        head += f'Content-Disposition: attachment; filename="{name}"\r\n'
    if kind.startswith(("multipart", "message")) and depth < 60 and rng.random() < 0.9:
        marks = "--" + boundary + "\r\n"
        inner = [part(rng, depth + 1) for _ in range(rng.choice((0, 1, 1, 2, 3)) if depth < 8 else 1)]
        if kind.startswith("message"):
            body = b"".join([header(rng), *inner])
        else:
            body = b"".join(marks.encode() + one + b"\r\n" for one in inner)
            body += f"--{boundary}--\r\n".encode() * (rng.random() < 0.7)
        if rng.random() < 0.03:
            body *= min(_times(rng), 1 + MOST // (len(body) + 1))
    else:
        said = page(rng) if "html" in kind else text(rng)
        try:
            data = said.encode(charset or "utf-8", "replace")
        except (LookupError, ValueError, AttributeError, TypeError):
            data = said.encode("utf-8", "replace")
        body = _encoded(rng, data, encoding)
    return head.encode("latin-1", "replace") + b"".join(header(rng) for _ in range(rng.randrange(2))) + b"\r\n" + body


def built(rng: Rng) -> bytes:
    """An email that is made anew."""
    head = b"".join(header(rng) for _ in range(_times(rng) if rng.random() < 0.05 else rng.randrange(9)))
    return b"From: ann@example.org\r\n" * (rng.random() < 0.8) + head + part(rng)


def mutated(rng: Rng, corpus: list[bytes]) -> bytes:
    """One of the kept emails with some of its bytes changed, moved, repeated or of another one."""
    raw = bytearray(rng.choice(corpus))
    for _ in range(rng.choice((1, 1, 2, 4, 9))):
        place = rng.randrange(len(raw) + 1)
        end = min(len(raw), place + rng.choice((1, 1, 4, 30, 200)))
        kind = rng.randrange(8)
        if kind == 0:
            raw[place:end] = bytes(rng.randrange(256) for _ in range(end - place))
        elif kind == 1:
            del raw[place:end]
        elif kind == 2:
            raw[place:place] = bytes(raw[place:end]) * min(_times(rng), MOST // (end - place + 1))
        elif kind == 3:
            other = rng.choice(corpus)
            cut = rng.randrange(len(other) + 1)
            raw[place:end] = other[cut : cut + rng.choice((10, 100, 2000))]
        elif kind == 4:
            raw[place:place] = rng.choice(LINES).encode("utf-8", "replace") + b"\n"
        elif kind == 5:
            raw[place:place] = rng.choice((b" ", b"\t", b">", b"\n", b"\r", b"-", b"=", b"\0", b"\xff")) * _times(rng)
        elif kind == 6:
            raw[place:place] = header(rng)
        else:
            raw[place:place] = rng.choice(TAGS + BITS).encode("utf-8", "replace")
    return bytes(raw[: 4 * MOST])


def kept() -> list[bytes]:
    """The emails that the tests keep."""
    return [path.read_bytes() for path in sorted(CORPUS.glob("*.eml"))]


def emails(count: int, seed: int) -> Iterator[bytes]:
    """So many emails: half of them kept ones that are changed, half made anew."""
    corpus = kept()
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        yield mutated(rng, corpus) if number % 2 else built(rng)


# --- what is asked of each -------------------------------------------------------------------------------------------


class Bench:
    """A game by mail to which the emails come."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        new("5", folder / "begun", players=PLAYERS, seed="fuzz")
        self.slowest = {"read": 0.0, "answered": 0.0}
        self.games: Games = self._anew()

    def _anew(self) -> Games:
        shutil.rmtree(self.folder / "duel", ignore_errors=True)
        shutil.copytree(self.folder / "begun", self.folder / "duel")
        toml = self.folder / "duel" / "game.toml"
        toml.write_text(toml.read_text(encoding="utf-8"), encoding="utf-8")
        self.token = token_of(self.folder / "duel", "federation")
        return games_in(self.folder / "duel", umpire="umpire@host.example", orders="orders@host.example")

    def read(self, raw: bytes) -> tuple[Letter, list[Found]]:
        """Read and classify an email; what is wrong with that."""

        def do() -> Letter:
            letter = read_letter(raw)
            who(letter, self.games)
            return letter

        letter, took = self._timed("read", READ, do)
        found = []
        if "failed" in letter.unread:
            found.append(Found(letter.unread, raw))
        if took > READ:
            found.append(Found(f"read in {took * 1000:.0f} ms", raw))
        return letter, found

    def answer(self, raw: bytes) -> list[Found]:
        """Have an email answered as one of a player's; what is wrong with that."""
        own = f"From: {ANN}\r\nSubject: Re: TOKEN {self.token}\r\n".encode() + raw
        letter = read_letter(own, person=True)
        answered, took = self._timed("answered", ANSWERED, lambda: attend(letter, self.games))
        found = []
        if answered.done == "trouble":
            found.append(Found(answered.why, own))
        if took > ANSWERED:
            found.append(Found(f"answered in {took * 1000:.0f} ms", own))
        if answered.done == "command":  # what one changed is not for the next
            self.games = self._anew()
        return found

    def _timed(self, what: str, most: float, do: Callable[[], T]) -> tuple[T, float]:
        took = 9e9
        for _ in range(TRIES):
            began = time.process_time()
            made = do()
            took = min(took, time.process_time() - began)
            if took <= most:
                break
        self.slowest[what] = max(self.slowest[what], took)
        return made, took


def tried(bench: Bench, raw: bytes, *, answer: bool) -> list[Found]:
    """Everything that is wrong with how one email is handled."""
    try:
        _, found = bench.read(raw)
        return found + (bench.answer(raw) if answer else [])
    except Exception as error:
        return [Found(f"raised {type(error).__name__}: {error}"[:300], raw)]


# --- the command -----------------------------------------------------------------------------------------------------


def run(count: int, seed: int, every: int, into: Path | None = None) -> list[Found]:
    """Try so many emails, and have every so many-th answered; prints what it found."""
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        bench = Bench(Path(folder))
        for number, raw in enumerate(emails(count, seed)):
            if number and number % PROGRESS == 0:
                print(f"{number} emails of seed {seed} are done", flush=True)
            for one in tried(bench, raw, answer=bool(every) and number % every == 0):
                found.append(one)
                print(f"seed {seed}, email {number}: {one.why}", flush=True)
                if into is not None:
                    into.mkdir(parents=True, exist_ok=True)
                    (into / f"{seed}-{number}.eml").write_bytes(one.raw)
        slow = ", ".join(f"{what} in {took * 1000:.0f} ms" for what, took in bench.slowest.items())
    print(f"{count} emails of seed {seed}, {len(found)} found; the slowest: {slow}", flush=True)
    return found


def guided(arguments: list[str]) -> None:
    """Have atheris look for emails that run through code which no other ran through; it goes on until it is stopped."""
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, raw in enumerate(kept()):
        (corpus / f"{number:03}").write_bytes(raw)
    bench = Bench(folder)

    def one(data: bytes) -> None:
        found = tried(bench, data, answer=False)
        if found:
            raise AssertionError(found[0].why)

    for module in (mail_text, header_line, message, message, mail_text, messages, wording):
        for function in vars(module).values():  # all functions of the process would take minutes
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                atheris.instrument_func(function)
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="how many emails (2000)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--every", type=int, default=20, help="every so many-th is answered too (20; 0: none)")
    parser.add_argument("--into", type=Path, help="a folder for the emails that failed")
    parser.add_argument("--guided", nargs=argparse.REMAINDER, help="with atheris; what follows is for libFuzzer")
    wanted = parser.parse_args()
    if wanted.guided is not None:
        guided(wanted.guided)
    elif run(wanted.count, wanted.seed, wanted.every, wanted.into):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
