"""Log what a host or a web server does: a record for each email, game, delivery and request.

A record has an event and ids: digest of an email, game, side, request, delivery. It never has a token, a web key, an
address, orders or dice, so a log may be stored anywhere and sent to anybody. A Message-ID is left out, because its
sender may write anything there; the email journal has it beside the digest.

:func:`begin` starts the output and sets its format. With ``json`` each record is a line of JSON. With ``text`` only
the lines for people are printed (:func:`tell`). Before :func:`begin` nothing is printed.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pbem.mail.seats import without_tokens
from pbem.mail.store import EmailRecord

if TYPE_CHECKING:
    from pbem.games.resolve import Happening  # importing it loads the engine and the drawing code

Format = Literal["text", "json"]
FORMATS: Final = ("text", "json")

_LINES: Final = logging.getLogger("pbem.lines")
_EVENTS: Final = logging.getLogger("pbem.events")


class _Json(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        said = {"time": moment, "level": record.levelname.lower(), "event": getattr(record, "event", record.name)}
        return msgspec.json.encode(said | getattr(record, "ids", {})).decode()


class _Output(logging.Handler):
    """Handler that prints records on the current ``sys.stdout``, warnings and errors on ``sys.stderr``."""

    def emit(self, record: logging.LogRecord) -> None:
        stream = sys.stderr if record.levelno >= logging.WARNING else sys.stdout
        try:
            print(self.format(record), file=stream, flush=True)
        except (OSError, ValueError):  # nobody reads the output any more; the work goes on
            self.handleError(record)


def begin(kind: Format) -> None:
    """Start printing records: only lines for people (``text``), or all records as JSON (``json``)."""
    output = _Output()
    if kind == "json":
        output.setFormatter(_Json())
    for logger, shown in ((_LINES, True), (_EVENTS, kind == "json")):
        logger.handlers[:] = [output] if shown else []
        logger.propagate = False
        logger.setLevel(logging.INFO if shown else logging.CRITICAL)


def tell(text: str, event: str, *, trouble: bool = False, at: str = "") -> None:
    """Log a line for people.

    Args:
        text: The line; tokens and web keys are removed.
        event: The name of the event in JSON records.
        trouble: Whether the line is a warning.
        at: A time that is printed before the line; a JSON record has its own time.
    """
    ids = {"text": without_tokens(text)}
    _LINES.log(logging.WARNING if trouble else logging.INFO, "%s", f"{at}{text}", extra={"event": event, "ids": ids})


def note(event: str, **ids: str | int | bool) -> None:
    """Log an event with its ids, which only JSON output shows; empty ids are left out."""
    if _EVENTS.isEnabledFor(logging.INFO):
        _EVENTS.info(event, extra={"event": event, "ids": {key: value for key, value in ids.items() if value != ""}})


def note_email(entry: EmailRecord, *, again: bool) -> None:
    """Log an email that was handled; ``again`` says whether it had been handled before."""
    note(
        "email", digest=entry.digest, done=entry.done, game=entry.game, side=entry.side, answers=len(entry.replies),
        again=again,
    )  # fmt: skip


def note_games(game: str, happened: Iterable[Happening]) -> None:
    """Log what happened in a game; ``game`` is its name."""
    for one in happened:
        note("game", game=game, what=one.what, turn=one.turn, request=one.request, reports=one.reports)


def note_delivery(file: str, outcome: str) -> None:
    """Log the outcome of a delivery attempt of an email in the outbox.

    The name of its file gives the ids: kind of email, game, side and a digest.
    """
    kind, game, side, delivery = (*file.removesuffix(".eml").split("."), "", "", "")[:4]
    note("delivery", delivery=delivery, outcome=outcome, kind=kind, game=game, side=side)
