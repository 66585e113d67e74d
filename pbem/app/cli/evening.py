"""play: the evening game, in the browser on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli.output import opt, refusal
from pbem.libraries import fetching

FOLDER = "pbem games"
"""The folder of games, among the user's documents or else in his home."""


def play(
    folder: Annotated[
        Path | None,
        opt("Where the games lie; otherwise `pbem games` among your documents.", "--folder", metavar="FOLDER"),
    ] = None,
    port: Annotated[int, opt("The port of this machine; otherwise 8642, or any that is free.", min=0, max=65535)] = 0,
    only_print: Annotated[bool, opt("Say the address and open no browser.", "--print")] = False,
) -> None:
    """Play the cadet's course in the browser: a scenario, an opponent, report and order form on one page.

    Serves on this machine alone, until Ctrl+C.
    """
    with web_extra(f"`python3 run.py play` or `{fetching('starlette', 'uvicorn', extra='web')}` fetches it"):
        from pbem.app.web.server import Evening
    from pbem.errors import GameError
    from pbem.games.storage.files import remove

    where = (folder or _usual()).absolute()
    evening = Evening(where, port)
    typer.echo(f"The table is open: {evening.address}")
    typer.echo(f"Games lie in {where}. Ctrl+C ends the evening; games are kept as they stand.")
    leads = None if only_print else _leading_page(where, evening.port, evening.address)
    if leads is not None:
        _open_soon(leads.as_uri())
    try:
        evening.run()
    finally:
        if leads is not None:
            with suppress(GameError):
                remove(leads)


def _leading_page(folder: Path, port: int, address: str) -> Path:
    """A page that only this account can read and that leads to an address. The browser is given the page: what stands
    in its command line everybody on this machine can see, and the address has the key.
    """
    from html import escape

    from pbem.games.storage.files import make_folder, write_text

    make_folder(folder, private=True)
    page = folder / f".table-{port}.html"
    to = escape(address)
    leads = f'<meta http-equiv="refresh" content="0; url={to}"><a href="{to}">The table</a>'
    write_text(page, f'<!DOCTYPE html><meta charset="utf-8">{leads}\n', private=True)
    return page


@contextmanager
def web_extra(way_out: str) -> Iterator[None]:
    """Imports of what serves pages; where that is not there the user is told so, and the ``way_out``."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise refusal("no-web", f"the library that serves pages is missing; {way_out}") from error


def _usual() -> Path:
    home = Path.home()
    documents = home / "Documents"
    return (documents if documents.is_dir() else home) / FOLDER


def _open_soon(address: str) -> None:
    """Have the browser open it, which may take a while: the socket is bound, so what comes early waits."""
    import webbrowser
    from threading import Thread

    def show() -> None:
        with suppress(OSError, webbrowser.Error):
            webbrowser.open(address)

    Thread(target=show, daemon=True).start()
