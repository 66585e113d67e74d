"""Build all reports on one request for orders as bytes, from log, state and a few other inputs.

No file is touched. :mod:`pbem.games.storage.publish` collects the inputs and writes the results. In between,
another process or machine may build the reports (:mod:`pbem.games.resolve`).

Quick reports: within :func:`quick_reports`, each email has only one line of text and a draft without hints, and
pictures and archives are not made. Play, orders, dice and log stay the same. Simulations on copies of games use
quick reports (:mod:`pbem.club.rehearsal`).

Background process: a copy of this process makes one result on a second processor core and then ends. If the copy
fails, the caller makes the same bytes itself.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.dice import KeySource
from pbem.engine.events import UMPIRE, Record
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.messages import StoredMessage, words_for
from pbem.games.proof.reveal import proofs_from
from pbem.games.storage.files import unsynced
from pbem.games.storage.players import Tenure, as_played
from pbem.games.storage.terms import Terms
from pbem.games.vassal_files import POSITIONS
from pbem.orders.header import answer_line
from pbem.reports.view.build import build_view, build_whole
from pbem.vassal_bridge.binding import Binding

if TYPE_CHECKING:
    from pbem.reports.render import RenderedReport

ReportFiles = dict[str, dict[str, bytes | None]]
"""Type of the report files: dict of reader to a dict of file name to content, in the order of writing.

The content ``None`` marks a file to delete.
"""

_BARE: ContextVar[bool] = ContextVar("bare", default=False)


@contextmanager
def quick_reports() -> Iterator[None]:
    """Within this context, build only quick reports, and write files without waiting for the disk.

    A quick report is an email with only one line of text and a draft without hints.
    """
    token = _BARE.set(True)
    try:
        with unsynced():
            yield
    finally:
        _BARE.reset(token)


def reports_are_quick() -> bool:
    """Return whether only quick reports are built now (see :func:`quick_reports`)."""
    return _BARE.get()


def bare_draft(state: State, reader: str) -> str:
    """Return a minimal order draft: the header line that an answer to the request needs, and END."""
    assert state.request is not None
    return f"{answer_line(state.game, reader, state.request)}\nEND\n"


def bare_papers(records: Sequence[Record], state: State) -> ReportFiles:
    """Return quick reports after ``records``: the minimum that the host of a simulation needs.

    ``records`` is the log without records that were taken back. Each reader gets an email with the same identifier
    as the full email would have, and a draft if orders are due.
    """
    from pbem.reports.mail.mime import Attachment, composed
    from pbem.reports.mail.sitrep_mail import identity_of

    request, found = state.request, ReportFiles()
    number = request.number if request is not None else 0
    for reader in (*sorted(side.name for side in state.sides.values() if not side.robot), UMPIRE):
        identity = identity_of(state.game, *state.stands, number, reader, records[-1].n)
        subject, draft = f"{state.game} {state.stands[0]}.{number} SITREP", b""
        if request is not None and reader in request.sides:
            draft = bare_draft(state, reader).encode()
        mail = composed(
            identity,
            (("Subject", subject), ("Message-ID", f"<{identity}@pbem.invalid>")),
            text=f"{subject}\n",
            attachments=[Attachment(f"{reader}.r{number}.orders", draft)] if draft else [],
        )
        found[reader] = {"orders.draft": draft or None, "mail.eml": mail, "sitrep.txt": f"{subject}\n".encode()}
    return found


PIECE = 1 << 16


def spare() -> bool:
    """Return whether a copy of this process can do work on another processor core.

    A copy needs Linux, where forking is safe with the libraries used here. The process must have no other threads,
    because their locks would never be released in the copy.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


@contextmanager
def in_background(make: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Within this context, run the function ``make`` in a copy of the process.

    ``make`` may open no files and print nothing. The context provides a function that waits for the result and
    returns it, or ``b""`` if the copy failed.
    """
    try:
        out, into = os.pipe()
    except OSError:
        yield bytes
        return
    try:
        copy = os.fork()
    except OSError:
        os.close(out)
        os.close(into)
        yield bytes
        return
    if not copy:
        _make(make, out, into)
    os.close(into)
    found: list[bytes] = []

    def made() -> bytes:
        if not found:
            found.append(_all_of(out))
        return found[0]

    try:
        yield made
    finally:
        os.close(out)  # a copy that still writes gets an error and ends
        with suppress(OSError):
            os.waitpid(copy, 0)


def _make(make: Callable[[], bytes], out: int, into: int) -> None:
    """Run ``make`` in the copy of the process, send its result to the original process, and exit.

    The copy must run no exit handlers and flush no buffers, because these belong to the original process.
    """
    try:
        os.close(out)  # otherwise the copy would get no error when the original stops reading
        made = make()
        told = len(made).to_bytes(8, "big") + made
        while told:
            told = told[os.write(into, told) :]
    finally:
        os._exit(0)


def _all_of(out: int) -> bytes:
    """Return the result that a copy of the process sent, or ``b""`` if it is incomplete."""
    pieces = []
    with suppress(OSError):
        while piece := os.read(out, PIECE):
            pieces.append(piece)
    told = b"".join(pieces)
    whole = int.from_bytes(told[:8], "big") == len(told) - 8
    return told[8:] if whole else b""


FORM = "orders.html"
"""File name of the order form page, which is attached to the email of a side that has to give orders."""


class ReportContext(msgspec.Struct, frozen=True, kw_only=True):
    """The data that reports need besides log and state.

    Attributes:
        terms: The content of ``game.toml``.
        players: The player of each side.
        tenures: The changes of players.
        names: Display names of players, by their entry in ``game.toml`` or in a change of player.
        messages: The messages between players.
        binding: The VASSAL counter of each unit, as ``vassal.toml`` says; ``None`` without a ``vassal.toml``.
        table: Whether a VASSAL save can be written; false if ``vassal.toml`` has a fault.
        umpires_page: Whether the umpire's page and email are made now even if the game is not over.
    """

    terms: Terms
    players: dict[str, str]
    tenures: list[Tenure] = []
    names: dict[str, str] = {}
    messages: list[StoredMessage] = []
    binding: Binding | None = None
    table: bool = True
    umpires_page: bool = True


def positions(around: ReportContext, records: Sequence[Record]) -> bytes:
    """Return the positions after ``records`` as a VASSAL save, or ``b""`` if no save is possible.

    A save is impossible if the module has no counter for some unit, or if ``vassal.toml`` is faulty (``pbem
    export`` says why).
    """
    from pbem.vassal_bridge.positions import write_positions

    if not around.table or reports_are_quick():
        return b""
    with TemporaryDirectory(prefix="pbem-") as scratch:
        made = Path(scratch) / POSITIONS
        try:
            write_positions(records, made, around.binding)
        except GameError:
            return b""
        return made.read_bytes()


@contextmanager
def made_beside(
    around: ReportContext, records: Sequence[Record], state: State, scenario: Scenario, *, alone: bool = True
) -> Iterator[Callable[[], bytes]]:
    """Within this context, provide a function that returns the VASSAL save.

    The save is made in the background if possible.

    If the command runs ``alone`` and a processor core is free, one copy of the process draws the map for the emails
    and another makes the save. Otherwise both are made only when they are needed.
    """
    from pbem.reports.html.templates import environment
    from pbem.reports.map.picture import made_elsewhere, picture_made

    def made_here() -> bytes:
        return positions(around, records)

    if not (alone and spare()):
        yield cache(made_here)
        return
    environment()  # load Jinja2 before forking, because both copies need it
    reader = next((side.name for side in state.sides.values() if not side.robot), UMPIRE)
    told = as_played(around.tenures, records, state.stands[0], around.names)
    # The map takes longest. A prefix marks a finished result, because an empty save is also a valid result.
    with (
        in_background(lambda: picture_made(build_view(told, reader))) as picture,
        in_background(lambda: _MADE + made_here()) as save,
        made_elsewhere(picture),
    ):
        yield cache(lambda: save().removeprefix(_MADE) if save() else made_here())


_MADE = b"+"


def report_files(
    around: ReportContext,
    log: Sequence[Record],
    records: Sequence[Record],
    state: State,
    scenario: Scenario,
    source: KeySource | None,
    save: Callable[[], bytes],
) -> ReportFiles:
    """Return the files of all reports after ``records``, by reader and name.

    Args:
        around: Input besides log and state.
        log: The whole log.
        records: The log without records that were taken back.
        state: The state after ``records``.
        scenario: The scenario of the game.
        source: Source of the dice information that may be disclosed now; ``None`` if the secret is not available.
        save: Function that returns the VASSAL save to attach; it is called as late as possible.
    """
    if reports_are_quick():
        return bare_papers(records, state)
    from pbem.reports.html.page import WHOLE
    from pbem.reports.mail.mime import Attachment
    from pbem.reports.render import report_email

    readers = sorted(side.name for side in state.sides.values() if not side.robot)
    request = state.request
    maker = ReportMaker(around, log, records, state, scenario, source)
    drafts = {reader: maker.draft(reader) for reader in readers if request is not None and reader in request.sides}
    pages = {reader: maker.form(reader) for reader in drafts}
    found: ReportFiles = {}
    reports = {}
    wholes = {}
    later = not (around.umpires_page or state.over)
    for reader in readers if later else (*readers, UMPIRE):
        if state.over:  # it replaces the order form and is no larger
            wholes[reader] = maker.whole(reader)
        reports[reader] = maker.report(reader)
    # From here on the results of background processes are needed, because emails contain them.
    table = save()
    enclosed = [Attachment(POSITIONS, table, "octet-stream", "application")] if table else []
    for reader, report in reports.items():
        files: dict[str, bytes | None] = {}
        draft, draft_name, forms = "", "", []
        if request is not None and reader in drafts:
            draft, form = drafts[reader], pages[reader]
            draft_name = f"{reader}.r{request.number}.orders"
            files |= {"orders.draft": encoded(draft), FORM: form}
            forms = [Attachment(FORM, form, "html")] if draft else []
        else:
            files |= {"orders.draft": None, FORM: None}
        if reader in wholes:
            forms, files[WHOLE] = [Attachment(WHOLE, wholes[reader], "html")], wholes[reader]
        address = around.players.get(reader, "")
        mail = report_email(
            report, to=address if "@" in address else "", draft=draft, draft_name=draft_name,
            enclosed=[*forms, *enclosed],
        )  # fmt: skip
        files |= {"mail.eml": mail, "sitrep.html": encoded(report.html), "sitrep.txt": encoded(report.text)}
        found[reader] = files
    if later:
        found[UMPIRE] = maker.umpire_in_short()
    return found


class ReportMaker:
    """Makes each reader's HTML pages after some log records: report, order form, whole-game page."""

    def __init__(
        self,
        around: ReportContext,
        log: Sequence[Record],
        records: Sequence[Record],
        state: State,
        scenario: Scenario,
        source: KeySource | None,
    ) -> None:
        """Store the input, which has the same meaning as in :func:`report_files`."""
        self._around, self._records, self._state, self._scenario = around, records, state, scenario
        self._proof = proofs_from(around.terms.dice, source, log, records)
        self._told = as_played(around.tenures, records, state.stands[0], around.names)
        self._drafts: dict[str, str] = {}

    def draft(self, reader: str) -> str:
        """Return the draft of the orders that a reader owes; empty if they owe none."""
        from pbem.reports.draft.draft import draft_for

        request = self._state.request
        if reader not in self._drafts:
            owes = request is not None and reader in request.sides
            self._drafts[reader] = draft_for(self._state, self._scenario, request, reader) if owes and request else ""
        return self._drafts[reader]

    def form(self, reader: str) -> bytes:
        """Return the order form of a reader who owes orders."""
        from pbem.reports.form.form import form_html

        return encoded(form_html(self._records, reader, self._scenario, self.draft(reader)))

    def report(self, reader: str) -> RenderedReport:
        """Return the report of a reader as text and page."""
        from pbem.reports.render import render_report

        return render_report(
            self._told, reader, draft=self.draft(reader), proof=self._proof(reader), scenario=self._scenario,
            words=words_for(self._around.messages, reader),
        )  # fmt: skip

    def umpire_in_short(self) -> dict[str, bytes | None]:
        """Return the umpire's files without the page: the text sitrep, and the headers of the email."""
        from pbem.reports.mail.sitrep_mail import sitrep_mail
        from pbem.reports.render import report_view
        from pbem.reports.text.sitrep import sitrep_text

        proof = self._proof(UMPIRE)
        view = report_view(
            self._told, UMPIRE, proof=proof, scenario=self._scenario, words=words_for(self._around.messages, UMPIRE)
        )
        head, end, _ = sitrep_mail(view, text="", html_summary="").partition(b"\r\n\r\n")
        text = encoded(sitrep_text(view))
        return {"orders.draft": None, FORM: None, "sitrep.html": None, "mail.eml": head + end, "sitrep.txt": text}

    def whole(self, reader: str) -> bytes:
        """Return the page of the whole game for a reader of a finished game."""
        from pbem.reports.html.whole_game import whole_html

        return encoded(whole_html(build_whole(self._told, reader, scenario=self._scenario), record=True))


def encoded(text: str) -> bytes:
    """Return text as UTF-8 bytes for a file."""
    return text.encode("utf-8", errors="replace")
