"""help: the pages of the guides, in the terminal."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

from pbem.app.cli import complete
from pbem.app.cli.output import Json, arg, opt, print_json

WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


def help_(
    topic: Annotated[
        list[str] | None, arg("[TOPIC]...", "A page, a command (host extend) or a word.", offer=complete.topics)
    ] = None,
    no_pager: Annotated[bool, opt("Print it at once.", "--no-pager")] = False,
    json: Json = False,
) -> None:
    """Show a page of the guides, or list them all."""
    from pbem.reports.text import guide

    width = min(shutil.get_terminal_size((guide.WIDTH, 24)).columns, WIDEST) if sys.stdout.isatty() else guide.WIDTH
    if not topic:
        if json:
            print_json({"paths": guide.ways()})
            return
        text = guide.index(width)
    else:
        page = guide.find(" ".join(topic))
        text = guide.text_of(page, width)
        if json:
            print_json({"page": page.page, "about": page.about, "text": text})
            return
    if sys.stdout.isatty() and not no_pager:
        from pydoc import pager

        pager(text)
    else:
        sys.stdout.write(text)
