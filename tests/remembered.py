"""Pages that no test looks at are not made, and what one test has made is not made again for the next.

A report's page and the page of an order form are named instead (:func:`named`): a line with a digest of all that the
page would be made of, so that the same gives the same and another another. Text, mail, draft and save are real. Whoever
looks at pages asks for them: the fixture ``pages``, which some folders have for all their tests.

Most tests play the same few games, and what takes long of that is to write what a game shows. It is a pure function
of the log and some words (:func:`pbem.reports.render.render_report`, ``mailed``); a side's draft is one of the state,
the save that goes with mails one of the log. So their results are kept, by all that they are made of; that the same
input makes the same bytes is what the golden tests and those with other hash seeds are for. Only whoever looks the
functions up while he works gets these (``pbem/games``); tests of pages, mails and drafts call the real ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.data import files
from pbem.data.scenarios import Scenario
from pbem.engine.events import Record
from pbem.engine.state import Request, State
from pbem.games.storage import papers, publish
from pbem.games.storage.files import write_bytes
from pbem.games.storage.papers import reports_are_quick
from pbem.reports import render
from pbem.reports.draft import draft as drafts
from pbem.reports.form import form
from pbem.reports.html import page, templates
from pbem.reports.map import picture
from pbem.vassal_bridge import positions
from pbem.vassal_bridge.companion import module

MOST = 250
"""Results kept of each kind; a report weighs half a megabyte."""


_FORM, _PAGE = form.form_html, page.sitrep_html


def named(kind: str, *made_of: Any) -> str:
    """Instead of a page: its kind, and a digest of what it would be made of."""
    digest = hashlib.sha256(repr(made_of).encode("utf-8", "backslashreplace")).hexdigest()
    return f"<!doctype html><title>{kind}</title><p>{digest}\n"


def _named_form(records: Iterable[Record], *args: Any, **more: Any) -> str:
    return named("orders", msgspec.json.encode(list(records)), args, more)


def _named_page(*args: Any, **more: Any) -> str:
    return named("report", args, more)


@contextmanager
def real_pages() -> Iterator[None]:
    """Within this, pages are made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(form, "form_html", _remembered_form)
        patch.setattr(render, "sitrep_html", _PAGE)
        yield


def install(patch: pytest.MonkeyPatch) -> None:
    """Puts names in the place of pages, and functions that remember in that of those that make reports and saves."""
    patch.setattr(render, "render_report", _remembering(render.render_report))
    patch.setattr(render, "report_email", _mails(render.report_email))
    patch.setattr(form, "form_html", _named_form)
    patch.setattr(render, "sitrep_html", _named_page)
    real = positions.write_positions
    target: list[Path] = []

    @_remembering
    def save(records: list[Record], binding: Any) -> bytes:
        real(records, target[-1], binding)
        return target[-1].read_bytes()

    def write_positions(records: Iterable[Record], file: Path, binding: Any = None) -> None:
        target[:] = [file]
        write_bytes(file, save(records, binding))  # whole or refused, as the real one writes it

    patch.setattr(positions, "write_positions", write_positions)
    enclosed = _enclosed(papers.positions)
    patch.setattr(papers, "positions", enclosed)
    patch.setattr(publish, "positions", enclosed)
    patch.setattr(drafts, "draft_for", _drafts(drafts.draft_for))
    patch.setattr(module, "build_module", _module(module.build_module))


def _module(real: Callable[..., module.Built]) -> Callable[..., module.Built]:
    """The companion module, which hangs on the program and on figures of one's own alone."""

    @cache
    def built(token: object, **how: bool) -> module.Built:
        return real(**how)

    return lambda **how: built(files.own_figures().token, **how)


class _Nothing(Exception):
    """There is no save now; there may be one the next time."""


def _enclosed(real: Callable[..., bytes]) -> Callable[..., bytes]:
    """The saves that go with mails, by the log and what of the game besides they are made of."""
    asked: list[papers.ReportContext] = []

    @_remembering
    def save(records: list[Record], binding: Any, table: bool, bare: bool) -> bytes:
        if made := real(asked[-1], records):
            return made
        raise _Nothing

    def do(around: papers.ReportContext, records: Iterable[Record]) -> bytes:
        asked[:] = [around]
        try:
            made: bytes = save(records, around.binding, around.table, reports_are_quick())
        except _Nothing:
            return b""
        return made

    return do


def _drafts(real: Callable[..., str]) -> Callable[..., str]:
    """Drafts are of a state: its parts stand for the log here."""
    asked: list[State] = []

    @_remembering
    def draft(parts: list[Any], scenario: Scenario, request: Request, side: str) -> str:
        return real(asked[-1], scenario, request, side)

    def do(state: State, scenario: Scenario, request: Request, side: str) -> str:
        asked[:] = [state]
        made: str = draft([state], scenario, request, side)
        return made

    return do


def _remembering(real: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[bytes, Any] = {}

    def do(records: Iterable[Record], *args: Any, **more: Any) -> Any:
        records = list(records)
        game = files._GAME.get()
        if game is not None and any((game / own).is_dir() for own in ("ships", "scenarios")):
            return real(records, *args, **more)
        key = hashlib.sha256(msgspec.json.encode(records) + _said(*args, **more)).digest()
        if key not in known:
            made = real(records, *args, **more)
            if len(known) >= MOST:
                del known[next(iter(known))]
        else:
            made = known.pop(key)
        known[key] = made  # at the end: what was asked for last is kept longest
        return made

    return do


def _mails(real: Callable[..., bytes]) -> Callable[..., bytes]:
    """Mails are kept with what is written in them, which is the same object where it was remembered."""
    known: dict[tuple[int, bytes], tuple[Any, bytes]] = {}

    def do(made: Any, **more: Any) -> bytes:
        key = (id(made), _said(**more))
        if key not in known:
            if len(known) >= MOST:
                del known[next(iter(known))]
            known[key] = (made, real(made, **more))
        return known[key][1]

    return do


def wanted() -> bytes:
    """What a test wants of pages, pictures, templates and figures: folders that were made once are for one such."""
    return _said()


def _said(*args: Any, **more: Any) -> bytes:
    """What a thing is made of besides a log: what it is called with, figures of one's own, templates, and whether
    pictures are drawn.
    """
    besides = (
        files.own_figures().token,
        templates.templates_folder(),
        picture.can_draw(),
        picture._leanly_drawn,
        vars(render)["sitrep_html"],
    )
    said = repr((args, sorted(more.items(), key=lambda pair: pair[0]), besides))
    return said.encode("utf-8", "backslashreplace")


_remembered_form = _remembering(_FORM)
