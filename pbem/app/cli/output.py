"""What every command prints: words for people on stdout, faults on stderr, or JSON of the same things."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pbem.errors import Fault, GameError
    from pbem.games.storage.folder import GameFolder


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
