"""What a terminal gets instead of plain words: coloured tables, the map, progress bars.

Where standard output is no terminal nothing here draws, and commands print the plain words they always printed. rich is
imported only to draw; it knows NO_COLOR and old consoles.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from pbem.app.cli.output import print_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from pbem.reports.text.map import Line

Thing = TypeVar("Thing")

STYLES = {
    "grid": "grey42", "number": "grey50", "rock": "grey66", "planet": "bold white",
    "s0": "bold bright_blue", "s1": "bold dark_orange", "s2": "bold green3", "s3": "bold medium_orchid",
    "way0": "bright_blue", "way1": "dark_orange", "way2": "green3", "way3": "medium_orchid",
}  # fmt: skip
"""Colours of the map; sides differ by letter as well."""

AFTER = 0.6
"""Seconds of work after which a bar appears; what is done sooner shows none."""


def draws() -> bool:
    """Whether somebody looks at a terminal that can do more than print."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def console() -> Console:
    """The terminal. Words are printed as they are: no markup, no emoji, no guessing what is a number."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def tell(data: Any, text: str, draw: Callable[[], RenderableType], *, json: bool) -> None:
    """A result as JSON, as words, or drawn where a terminal is looked at."""
    if json:
        print_json(data)
    elif draws():
        console().print(draw())
    else:
        typer.echo(text)


def listing(
    rows: Sequence[Sequence[RenderableType]], head: Sequence[str] = (), styles: Sequence[str] = ()
) -> RenderableType:
    """Rows in columns, with a line under the heads; ``styles`` are the columns'."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD if head else None, show_header=bool(head), pad_edge=False, header_style="bold")
    for place in range(max(map(len, rows), default=len(head))):
        style = styles[place] if place < len(styles) else ""
        made.add_column(head[place] if place < len(head) else "", style=style, overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def together(*parts: RenderableType) -> RenderableType:
    """Parts one below the other; words keep their letters whatever brackets are in them."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(part) if isinstance(part, str) else part for part in parts))


def styled(words: str, style: str) -> RenderableType:
    """Words in a style."""
    from rich.text import Text

    return Text(words, style=style)


def show_map(lines: Callable[[int, bool], list[Line]], *, ascii_only: bool) -> None:
    """Print a map as wide as the terminal allows, in colour; plain and of a fixed width where nobody looks."""
    from pbem.reports.text.map import PLAIN_WIDTH, plain

    if not draws():
        typer.echo(plain(lines(PLAIN_WIDTH, ascii_only)))
        return
    from rich.text import Text

    screen = console()
    letters = ascii_only or screen.legacy_windows or not screen.encoding.startswith("utf")
    for line in lines(screen.width, letters):
        text = Text.assemble(*((piece.text, STYLES.get(piece.style, "")) for piece in line))
        screen.print(text, no_wrap=True, crop=True, soft_wrap=False)


class Progress(Protocol):
    """Is told how much of a work is done; ``total`` 0 where nobody knows how much there is."""

    def __call__(self, done: int, total: int = 0) -> None: ...


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """A bar on standard error for work of more than a moment, gone when it is done; none where that is no terminal.

    Nothing may be printed before it ends.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total=0: None
        return
    bar = _Bar(what)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A bar that a timer opens once the work has taken a moment: rich is not imported for what is quick."""

    def __init__(self, what: str) -> None:
        self.what, self.done, self.total = what, 0, 0
        self.lock = threading.Lock()
        self.bar: Any = None
        self.task: Any = None
        self.closed = False
        self.timer = threading.Timer(AFTER, self._open)
        self.timer.daemon = True
        self.timer.start()

    def __call__(self, done: int, total: int = 0) -> None:
        with self.lock:
            self.done, self.total = done, total
            if self.bar is not None:
                self.bar.update(self.task, completed=done, total=total or None)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress as Bars, TextColumn, TimeElapsedColumn

        with self.lock:
            if self.closed:
                return
            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
            # Standard output is the commands' own: it may lead elsewhere.
            self.bar = Bars(
                *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self.task = self.bar.add_task(self.what, completed=self.done, total=self.total or None)
            self.bar.start()

    def close(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.closed = True
            if self.bar is not None:
                self.bar.stop()


def counted(things: Iterator[Thing], count: int, what: str) -> Iterator[Thing]:
    """Things as they come, with a bar that says how many of ``count`` there were."""
    with progress(what) as so_far:
        for number, thing in enumerate(things, start=1):
            so_far(number, count)
            yield thing
