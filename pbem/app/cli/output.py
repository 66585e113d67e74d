"""What every command prints: words for people on stdout, faults on stderr, or JSON of the same things.

What a terminal gets instead of plain words: coloured tables, the map, progress bars.

Where standard output is no terminal nothing here draws, and commands print the plain words they always printed. rich is
imported only to draw; it knows NO_COLOR and old consoles.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from pbem.errors import Fault, GameError
    from pbem.games.storage.folder import GameFolder
    from pbem.reports.text.map import Line


def arg(metavar: str, help: str | None = None, *, offer: Any = None) -> Any:
    """An argument, of which no default is shown; whether a file can be read is seen later."""
    return typer.Argument(metavar=metavar, help=help, readable=False, show_default=False, autocompletion=offer)


def opt(help: str, *names: str, offer: Any = None, **more: Any) -> Any:
    """An option; without a name it is called as its parameter. ``offer`` is what shells are told (:mod:`complete`)."""
    return typer.Option(*names, help=help, autocompletion=offer, **more)


def into(help: str) -> Any:
    """An option that names the file something is written to."""
    return opt(help, "-o", "--output", metavar="FILE")


Json = Annotated[bool, opt("Print the result as JSON.", "--json")]

DONE, FAULTY, USAGE = 0, 1, 2
"""Exit codes: done; the orders or the game have faults; wrong usage."""


def opened(game: Path, *, lock: str = "") -> AbstractContextManager[GameFolder]:
    """A game's folder, as :mod:`pbem.games.storage.opening` opens it; nothing of that is loaded before."""
    from pbem.games.storage.opening import opened as open_game

    return open_game(game, lock=lock)


def refusal(code: str, text: str, *, file: str = "") -> GameError:
    """What is raised where a command cannot do its work: one fault."""
    from pbem.errors import GameError

    return GameError.saying(code, text, file=file)


def wants_json() -> bool:
    """Whether this command line asks for JSON; faults found before a command begins must know it too."""
    return "--json" in sys.argv[1:]


def say(data: Any, text: str, *, json: bool) -> None:
    """Print a result: its words, or the same as JSON."""
    if json:
        print_json(data)
    else:
        typer.echo(text)


def print_json(data: Any) -> None:
    """JSON with sorted keys, so that the same result is the same text."""
    import msgspec

    encoded = msgspec.json.encode(data, order="deterministic", enc_hook=str)
    typer.echo(msgspec.json.format(encoded, indent=2).decode())


def tell_faults(faults: Iterable[Fault], *, json: bool | None = None, **more: Any) -> None:
    """Print faults, one a line: ``FILE:LINE:COL: code: sentence (rule)`` on stderr, or as JSON on stdout. One that is
    in no file begins with ``error:``.
    """
    if wants_json() if json is None else json:
        print_json({"faults": list(faults), **more})
        return
    for fault in faults:
        choices = f" [{' | '.join(fault.choices[:8])}]" if fault.choices and fault.family == "ambiguous" else ""
        place = "" if fault.file or fault.line else "error: "
        typer.echo(" ".join(f"{place}{fault}{choices}".splitlines()), err=True)


def pairs(values: Iterable[str], option: str, shape: str = "KEY=VALUE") -> dict[str, str]:
    """``KEY=VALUE`` arguments as a mapping. Wrong ones are wrong usage, which is told in the words of ``shape``."""
    found: dict[str, str] = {}
    for value in values:
        key, equals, rest = value.partition("=")
        key = key.strip()
        if not equals or not key:
            raise typer.BadParameter(f"{value!r} is not of the form {shape}", param_hint=option)
        if key in found:
            raise typer.BadParameter(f"{key} is given twice", param_hint=option)
        found[key] = rest.strip()
    return found


def spelled(side: str, sides: Iterable[str]) -> str:
    """A side as the game spells it. One that is none of its sides is wrong usage."""
    known = {name.casefold(): name for name in sides}
    if side.casefold() not in known:
        raise typer.BadParameter(f"{side!r} is none of {', '.join(known.values())}", param_hint="--side")
    return known[side.casefold()]


def columns(rows: Iterable[tuple[str, ...]], indent: str = "  ") -> list[str]:
    """Rows of words in columns; the last one runs free."""
    table = list(rows)
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]) - 1)] if table else []
    return [
        (indent + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])).rstrip()
        for row in table
    ]


def listed(names: Iterable[str]) -> str:
    """``a, b and c``; ``nobody`` where there is no name."""
    *most, last = list(names) or ["nobody"]
    return f"{', '.join(most)} and {last}" if most else last


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
