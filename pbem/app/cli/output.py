"""Output of all commands: text, faults and JSON; on a terminal also colors and progress bars.

Results go to stdout. Faults go to stderr, or with JSON to stdout. If stdout is not a terminal, commands print plain
text without colors or progress bars. The package rich is imported only for drawing; it respects NO_COLOR and old
consoles.
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
    """Return the declaration of a command argument whose help shows no default.

    ``metavar`` is its name in the help. typer does not check whether a file can be read; the command does so later.
    ``offer`` is a completion function of :mod:`pbem.app.cli.complete`.
    """
    return typer.Argument(metavar=metavar, help=help, readable=False, show_default=False, autocompletion=offer)


def opt(help: str, *names: str, offer: Any = None, **more: Any) -> Any:
    """Return the declaration of a command option.

    Without ``names`` the option is named like its parameter. ``offer`` is a completion function of
    :mod:`pbem.app.cli.complete`.
    """
    return typer.Option(*names, help=help, autocompletion=offer, **more)


def into(help: str) -> Any:
    """Return the declaration of an option that names the file to write to."""
    return opt(help, "-o", "--output", metavar="FILE")


Json = Annotated[bool, opt("Print the result as JSON.", "--json")]

LogFormat = Annotated[
    str, opt("The format of the log: `text`, or `json` with one line for each event.", "--log-format", metavar="FORMAT")
]

DONE, FAULTY, USAGE = 0, 1, 2
"""Exit codes: the work is done; the orders or the game have faults; the command was used wrongly."""


def begin_log(kind: str, *, json: bool = False) -> None:
    """Begin to log in the format ``kind`` (:data:`LogFormat`).

    ``json`` says whether the command prints its result as JSON.

    Raises:
        typer.BadParameter: There is no such format, or two kinds of JSON would be mixed.
    """
    from pbem.mail.event_log import FORMATS, begin

    if kind == "json" and json:
        raise typer.BadParameter(
            "use only one of --json (prints the result) and --log-format json (prints events)", param_hint="--json"
        )
    if kind not in FORMATS:
        raise typer.BadParameter(f"{kind!r} is not a format; use text or json", param_hint="--log-format")
    begin("json" if kind == "json" else "text")


def opened(game: Path, *, lock: str = "") -> AbstractContextManager[GameFolder]:
    """Open a game's folder with :func:`pbem.games.storage.opening.opened`.

    ``lock`` names the command that locks the game. The function is imported only here, because commands must start
    quickly.
    """
    from pbem.games.storage.opening import opened as open_game

    return open_game(game, lock=lock)


@contextmanager
def opened_with_reports(game: Path) -> Iterator[GameFolder]:
    """Open a game's folder for reading, after writing the reports that are missing.

    A game that was played in the browser leaves reports to be written later.
    """
    with opened(game) as folder:
        from pbem.games.storage.publish import write_left

        with progress("writing reports"):
            write_left(folder)
        yield folder


def refusal(code: str, text: str, *, file: str = "") -> GameError:
    """Return an error for a command that cannot do its work.

    Args:
        code: The fault code.
        text: What is wrong, as a sentence.
        file: The file or folder concerned, if any.
    """
    from pbem.errors import GameError

    return GameError.saying(code, text, file=file)


def wants_json() -> bool:
    """Return whether the command line of this process has ``--json``.

    This is needed to report faults that occur before the command knows its options.
    """
    return "--json" in sys.argv[1:]


def say(data: Any, text: str, *, json: bool) -> None:
    """Print a result: ``data`` as JSON, or else ``text``."""
    if json:
        print_json(data)
    else:
        typer.echo(text)


def link(path: Path) -> str:
    """Return the ``file://`` link of a file, which most terminals open on a click."""
    return path.resolve().as_uri()


def print_json(data: Any) -> None:
    """Print JSON with sorted keys, so that equal results give equal text."""
    import msgspec

    encoded = msgspec.json.encode(data, order="deterministic", enc_hook=str)
    typer.echo(msgspec.json.format(encoded, indent=2).decode())


def tell_faults(faults: Iterable[Fault], *, json: bool | None = None, **more: Any) -> None:
    """Print faults: one per line on stderr, or as JSON on stdout.

    A line has the form ``FILE:LINE:COL: code: sentence (rule)``. A fault that is not in a file begins with ``error:``.
    ``more`` is additional data for the JSON output. If ``json`` is ``None``, the command line decides
    (:func:`wants_json`).
    """
    if wants_json() if json is None else json:
        print_json({"faults": list(faults), **more})
        return
    for fault in faults:
        choices = f" [{' | '.join(fault.choices[:8])}]" if fault.choices and fault.family == "ambiguous" else ""
        place = "" if fault.file or fault.line else "error: "
        typer.echo(" ".join(f"{place}{fault}{choices}".splitlines()), err=True)


def pairs(values: Iterable[str], option: str, shape: str = "KEY=VALUE") -> dict[str, str]:
    """Return arguments of the form ``KEY=VALUE`` as a dict.

    Args:
        values: The arguments.
        option: The option that they belong to, for the error message.
        shape: The form that they must have, for the error message.

    Raises:
        typer.BadParameter: An argument has another form, or a key is given twice.
    """
    found: dict[str, str] = {}
    for value in values:
        key, equals, rest = value.partition("=")
        key = key.strip()
        if not equals or not key:
            raise typer.BadParameter(f"{value!r} must look like {shape}", param_hint=option)
        if key in found:
            raise typer.BadParameter(f"give {key} only once", param_hint=option)
        found[key] = rest.strip()
    return found


def spelled(side: str, sides: Iterable[str]) -> str:
    """Return the name of a side in the spelling of the game; letter case of ``side`` is ignored.

    Raises:
        typer.BadParameter: The game has no such side.
    """
    known = {name.casefold(): name for name in sides}
    if side.casefold() not in known:
        raise typer.BadParameter(f"{side!r} must be one of {', '.join(known.values())}", param_hint="--side")
    return known[side.casefold()]


def columns(rows: Iterable[tuple[str, ...]], indent: str = "  ") -> list[str]:
    """Return the lines of a table with aligned columns. The last column is not padded."""
    table = list(rows)
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]) - 1)] if table else []
    return [
        (indent + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])).rstrip()
        for row in table
    ]


def listed(names: Iterable[str]) -> str:
    """Return names as one text: ``a, b and c``, or ``nobody`` if there are none."""
    *most, last = list(names) or ["nobody"]
    return f"{', '.join(most)} and {last}" if most else last


Thing = TypeVar("Thing")

STYLES = {
    "grid": "grey42", "number": "grey50", "rock": "grey66", "planet": "bold white",
    "s0": "bold bright_blue", "s1": "bold dark_orange", "s2": "bold green3", "s3": "bold medium_orchid",
    "way0": "bright_blue", "way1": "dark_orange", "way2": "green3", "way3": "medium_orchid",
}  # fmt: skip
"""Styles of the map on a terminal. Sides differ not only by color, but also by letter."""

AFTER = 0.6
"""Number of seconds after which a progress bar appears, so that short work shows none."""


def draws() -> bool:
    """Return whether stdout is a terminal that can show colors and progress bars."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def console() -> Console:
    """Return rich's object for the terminal, set to print text unchanged.

    So rich interprets no markup and no emoji, and highlights no numbers.
    """
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def tell(data: Any, text: str, draw: Callable[[], RenderableType], *, json: bool) -> None:
    """Print a result as JSON if ``json`` is true, in color on a terminal, and otherwise as plain text.

    ``draw`` returns the colored form; it is called only for a terminal.
    """
    if json:
        print_json(data)
    elif draws():
        console().print(draw())
    else:
        typer.echo(text)


def listing(
    rows: Sequence[Sequence[RenderableType]], head: Sequence[str] = (), styles: Sequence[str] = ()
) -> RenderableType:
    """Return rows as a table for the terminal, with a line under the headings.

    ``styles`` are the rich styles of the columns.
    """
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
    """Return a rich object that prints the parts one below the other; text is printed without markup."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(part) if isinstance(part, str) else part for part in parts))


def styled(words: str, style: str) -> RenderableType:
    """Return text in a style of rich, such as ``bold``."""
    from rich.text import Text

    return Text(words, style=style)


def show_map(lines: Callable[[int, bool], list[Line]], *, ascii_only: bool) -> None:
    """Print a map in color and as wide as the terminal, or as plain text if there is no terminal.

    ``lines`` is a function that takes a width and whether to use ASCII only, and returns the map's lines.
    """
    from pbem.reports.text.map import PLAIN_WIDTH, plain_text

    if not draws():
        typer.echo(plain_text(lines(PLAIN_WIDTH, ascii_only)))
        return
    from rich.text import Text

    screen = console()
    letters = ascii_only or screen.legacy_windows or not screen.encoding.startswith("utf")
    for line in lines(screen.width, letters):
        text = Text.assemble(*((piece.text, STYLES.get(piece.style, "")) for piece in line))
        screen.print(text, no_wrap=True, crop=True, soft_wrap=False)


class Progress(Protocol):
    """A function that shows progress; it is called with the amount of work done.

    ``total`` is 0 if the total amount of work is unknown.
    """

    def __call__(self, done: int, total: int = 0) -> None:
        """Show that ``done`` of ``total`` units of work are done."""


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Show a progress bar on stderr for work that takes a while; yield the function that updates it.

    The bar disappears when the work is done. There is none for quick work, or if stderr is not a terminal. The code in
    this context must not print anything.
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
    """A progress bar that opens only after a moment, so that rich is not imported for quick work."""

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
            # Only commands write to stdout, because it may be redirected to a file.
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
    """Yield ``things`` one by one, and show a progress bar that counts them up to ``count``.

    ``what`` is the label of the bar.
    """
    with progress(what) as so_far:
        for number, thing in enumerate(things, start=1):
            so_far(number, count)
            yield thing
