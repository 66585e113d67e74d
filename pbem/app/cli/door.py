"""host web, host link: the door of a club in the web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli.evening import web_extra
from pbem.app.cli.output import Json, arg, opt, refusal, say
from pbem.libraries import fetching

Club = Annotated[Path, arg("DIR", "The host's folder.")]


def web(
    folder: Club,
    port: Annotated[int, opt("The port; otherwise 8643, or any that is free.", min=0, max=65535)] = 0,
    address: Annotated[
        str, opt("The address to listen at, where the proxy is another machine.", metavar="IP")
    ] = "127.0.0.1",
) -> None:
    """Open the club's door: players read their reports and send orders in the browser, beside the mail.

    Serves until Ctrl+C, behind a proxy that speaks TLS; `pbem help door` shows one. `pbem host DIR` runs beside it.
    """
    with web_extra(f"`{fetching('starlette', 'uvicorn', extra='web')}` fetches it"):
        from pbem.app.web.server import ClubDoor

    door = ClubDoor(folder, address, port)
    typer.echo(f"The door of {folder} is open at {address}:{door.port}. Ctrl+C closes it.")
    door.run()


def link(
    folder: Club,
    who: Annotated[str, arg("WHO", "A key of players.toml, or an address; else all.")] = "",
    new: Annotated[bool, opt("Give WHO another link: the old one opens nothing any more.", "--new")] = False,
    json: Json = False,
) -> None:
    """Say the links that lead players to their own pages; each stands in their mails, too, and is for them alone."""
    from pbem.mail.door import guests, link as link_for, renew
    from pbem.mail.incoming.intake import games_of
    from pbem.mail.settings import read_host

    address = read_host(folder).web
    if not address:
        text = 'this club has no door; a line like web = "https://sfb.example.org" in host.toml says where it is'
        raise refusal("web-address", text, file=str(folder / "host.toml"))
    games = games_of(folder)
    known = guests(games.seats)
    if (who or new) and who not in known:
        raise typer.BadParameter(f"nobody called {who!r} plays here; there are {', '.join(known)}", param_hint="WHO")
    if new:
        renew(games.post, who)
    found = {person: link_for(address, games.post, person) for person in ([who] if who else known)}
    say({"links": found}, "\n".join(f"{person}  {one}" for person, one in found.items()), json=json)
