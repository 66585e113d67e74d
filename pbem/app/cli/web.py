"""The commands play, which runs games in the browser on this machine, and host web and host link.

``host web`` serves a club's web pages, and ``host link`` shows the links to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from pbem.app.cli.output import Json, LogFormat, arg, begin_log, opt, refusal, say
from pbem.util import install_command

FOLDER = "pbem games"
"""Name of the default folder for local games, in the user's documents folder or home folder."""


def play(
    folder: Annotated[
        Path | None,
        opt("The folder for the games; default: `pbem games` in your documents.", "--folder", metavar="FOLDER"),
    ] = None,
    port: Annotated[int, opt("The port to use; default: 8642, or any free one.", min=0, max=65535)] = 0,
    only_print: Annotated[bool, opt("Show the address, and do not open a browser.", "--print")] = False,
    log_format: LogFormat = "text",
) -> None:
    """Play in the browser, against the computer or a friend.

    Choose a scenario, plan your orders on the map, and watch the turn.

    The pages can be opened on this machine only. Ctrl+C ends the program.
    """
    with web_extra(f"`python3 run.py play` or `{install_command('starlette', 'uvicorn', extra='web')}` fetches it"):
        from pbem.app.web.server import Evening
    from pbem.errors import GameError
    from pbem.games.storage.files import remove
    from pbem.mail.event_log import note, tell

    begin_log(log_format)
    where = (folder or _usual()).absolute()
    evening = Evening(where, port)
    leads = None
    if not only_print or log_format == "json":  # a log must not have the key, so the page has the address
        leads = _leading_page(where, evening.port, evening.address)
    if log_format == "json":
        note("serving", port=evening.port, page=str(leads))
    else:
        tell(f"Open this address in your browser: {evening.address}", "serving")
        tell(f"The games are in {where}. Ctrl+C ends the program; the games are saved.", "serving")
    if leads is not None and not only_print:
        _open_soon(leads.as_uri())
    try:
        evening.run()
    finally:
        if leads is not None:
            with suppress(GameError):
                remove(leads)


def _leading_page(folder: Path, port: int, address: str) -> Path:
    """Write an HTML file that redirects to an address, readable by this user only; return its path.

    The address contains a secret key, and everybody on this machine can see the browser's command line. So the browser
    opens this file instead of the address.
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
    """Report missing libraries of the web server for imports inside this context.

    Raises:
        GameError: A library is missing. The message contains ``way_out``, which says how to install the libraries.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise refusal("no-web", f"a library for web pages is missing; {way_out}") from error


def _usual() -> Path:
    home = Path.home()
    documents = home / "Documents"
    return (documents if documents.is_dir() else home) / FOLDER


def _open_soon(address: str) -> None:
    """Open an address in the browser, in the background.

    The server's socket is already open, so a request that comes before the server starts only has to wait.
    """
    import webbrowser

    def show() -> None:
        with suppress(OSError, webbrowser.Error):
            webbrowser.open(address)

    Thread(target=show, daemon=True).start()


Club = Annotated[Path, arg("DIR", "The host's folder.")]


def web(
    folder: Club,
    port: Annotated[int, opt("The port to use; default: 8643, or any free one.", min=0, max=65535)] = 0,
    address: Annotated[
        str, opt("The address to listen at, if the proxy is another machine.", metavar="IP")
    ] = "127.0.0.1",
    log_format: LogFormat = "text",
) -> None:
    """Serve the club's web pages, where players read reports and send orders, in addition to email.

    The server runs until Ctrl+C, behind a proxy that provides TLS; `pbem help host web` shows one. Run `pbem host DIR`
    at the same time.
    """
    with web_extra(f"`{install_command('starlette', 'uvicorn', extra='web')}` fetches it"):
        from pbem.app.web.server import ClubServer

    from pbem.mail.event_log import tell

    begin_log(log_format)
    door = ClubServer(folder, address, port)
    tell(f"The web pages of {folder} are at {address}:{door.port}. Ctrl+C ends the program.", "serving")
    door.run()


def link(
    folder: Club,
    who: Annotated[str, arg("WHO", "A key of players.toml, or an address; default: all.")] = "",
    new: Annotated[bool, opt("Give WHO a new link; the old one stops working.", "--new")] = False,
    json: Json = False,
) -> None:
    """Show the links to players' own pages.

    Each link is also in the player's emails and is for that player alone.
    """
    from pbem.mail.incoming.intake import games_of
    from pbem.mail.settings import read_host
    from pbem.mail.web_keys import guests, link as link_for, renew

    address = read_host(folder).web
    if not address:
        text = 'write a line like web = "https://sfb.example.org" in host.toml: this club has no web address'
        raise refusal("web-address", text, file=str(folder / "host.toml"))
    games = games_of(folder)
    known = guests(games.seats)
    if (who or new) and who not in known:
        raise typer.BadParameter(f"no player is called {who!r}; there are {', '.join(known)}", param_hint="WHO")
    if new:
        renew(games.post, who)
    found = {person: link_for(address, games.post, person) for person in ([who] if who else known)}
    say({"links": found}, "\n".join(f"{person}  {one}" for person, one in found.items()), json=json)
