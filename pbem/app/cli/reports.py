"""The commands report, open, map and site, which show a game, and help, which shows the guides."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import (
    Json,
    arg,
    into,
    opened,
    opened_with_reports,
    opt,
    print_json,
    refusal,
    say,
    show_map,
    spelled,
)
from pbem.app.cli.play import Game

WIDEST = 100
"""The longest line that is printed, because longer ones are hard to read on any terminal."""


def help_(
    topic: Annotated[
        list[str] | None,
        arg("[TOPIC]...", "A page, a command (host extend) or a search word.", offer=complete.topics),
    ] = None,
    no_pager: Annotated[bool, opt("Print it without a pager.", "--no-pager")] = False,
    json: Json = False,
) -> None:
    """Show a page of the guides, what they say about a word, or a list of all pages."""
    from pbem.reports.text import guide

    width = min(shutil.get_terminal_size((guide.WIDTH, 24)).columns, WIDEST) if sys.stdout.isatty() else guide.WIDTH
    if not topic:
        if json:
            print_json({"paths": guide.ways()})
            return
        text = guide.index(width)
    else:
        page, text = guide.found_text(" ".join(topic), width)
        if json:
            print_json({"page": page.page, "about": page.about, "text": text})
            return
    if sys.stdout.isatty() and not no_pager:
        from pydoc import pager

        pager(text)
    else:
        sys.stdout.write(text)


Turn = Annotated[int | None, opt("As it was at the end of this turn.", min=1)]
Reader = Annotated[str, opt("The side whose view to show; default: the umpire's.", "--side", offer=complete.readers)]


def report(
    game: Game,
    turn: Turn = None,
    side: Reader = "umpire",
    text: Annotated[bool, opt("Print the sitrep instead of the page's place.", "--text")] = False,
    output: Annotated[Path | None, into("Write the sitrep to a file, as UTF-8.")] = None,
    json: Json = False,
) -> None:
    """Show where a report is, or print the sitrep."""
    from pbem.games.storage.files import write_text
    from pbem.games.storage.publish import find_report

    with opened_with_reports(game) as folder:
        reader = spelled(side, ["umpire", *folder.state().sides])
        found = find_report(folder, reader, turn or 0)
    if output is not None:
        write_text(output, found.text)
        say({"file": output, "side": reader}, str(output), json=json)
    elif json:
        say({"page": found.page, "text": found.text, "side": reader}, "", json=True)
    elif found.page is not None and not text:
        typer.echo(str(found.page))
    else:
        typer.echo(found.text, nl=False)


def open_(
    game: Game,
    turn: Turn = None,
    side: Reader = "umpire",
    only_print: Annotated[bool, opt("Only show where it is.", "--print")] = False,
    json: Json = False,
) -> None:
    """Open the latest report in the browser, or show where it is."""
    from pbem.games.storage.publish import find_report

    with opened_with_reports(game) as folder:
        reader = spelled(side, ["umpire", *folder.state().sides])
        page = find_report(folder, reader, turn or 0).page
    if page is None:
        text = f"{reader} has no page here; use `pbem report --text` for the sitrep or `pbem verify --repair` for pages"
        raise refusal("no-page", text, file=str(game))
    shown = False if only_print or json else _shown_in_browser(page)
    say({"page": page, "side": reader, "opened": shown}, str(page), json=json)


def _shown_in_browser(page: Path) -> bool:
    """Try to open a page in a browser, and return whether that worked."""
    import webbrowser

    try:
        return webbrowser.open(page.absolute().as_uri())
    except (OSError, webbrowser.Error):
        return False


def map_(
    game: Game,
    output: Annotated[
        Path | None, opt("The file to write (.svg or .png); default: print it as text.", "-o", "--output")
    ] = None,
    turn: Turn = None,
    side: Reader = "umpire",
    ascii_only: Annotated[bool, opt("Show facings as letters instead of arrows.", "--ascii")] = False,
    json: Json = False,
) -> None:
    """Draw only the map, as one side sees it: as an image file, or as text in the terminal."""
    from pbem.games.storage.files import write_bytes
    from pbem.games.storage.publish import view_of
    from pbem.reports.map.picture import MISSING, can_draw, map_png, map_svg

    kind = output.suffix.casefold() if output is not None else ""
    if output is not None and kind not in (".svg", ".png"):
        raise typer.BadParameter(f"{output.name!r} must be a .svg or .png file", param_hint="-o")
    if kind == ".png" and not can_draw():
        raise refusal("no-pictures", MISSING)
    with opened(game) as folder:
        reader = spelled(side, ["umpire", *folder.state().sides])
        view = view_of(folder, reader, turn or 0)
    if output is not None:
        write_bytes(output, map_png(view) if kind == ".png" else map_svg(view).encode("utf-8"))
        say({"file": output, "side": reader}, str(output), json=json)
        return
    from pbem.reports.text.map import plain_text, text_map

    if json:
        say({"map": plain_text(text_map(view, ascii_only=ascii_only)), "side": reader}, "", json=True)
        return

    show_map(lambda width, letters: text_map(view, width=width, ascii_only=letters), ascii_only=ascii_only)


def _club(host: Path) -> str:
    """Return the name of the club in a host's settings; empty if it has none or they cannot be read."""
    from pbem.errors import GameError
    from pbem.mail.settings import read_host

    try:
        return read_host(host).name
    except GameError:
        return ""


def site(
    game: Annotated[Path, arg("GAME", "The game's folder, or a host's folder.")],
    target: Annotated[Path | None, arg("DIR", "The folder to write the site to.")] = None,
    url: Annotated[str, opt("The web address of the site; with it a feed is written too.", "--url")] = "",
    module: Annotated[
        Path | None, opt("Also write the positions as a save of this VASSAL module.", "--module", metavar="M.vmod")
    ] = None,
    public: Annotated[
        bool | None, opt("Whether the host's site shows this game.", "--public/--private", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Write a game as a site for spectators: plain files for any web server.

    For a host's folder, the site has all public games.
    """
    from msgspec.structs import replace

    from pbem.errors import GameError
    from pbem.games.site import set_public, site_lines, write_site, write_sites

    several = (game / "host.toml").is_file() and not (game / "game.toml").is_file()
    if public is not None:
        if several:
            raise typer.BadParameter("works only for one game", param_hint="--public/--private")
        set_public(game, public)
    if target is None:
        if public is None:
            raise typer.BadParameter("name the folder to write the site to", param_hint="DIR")
        text = "its host's site shows this game" if public else "no host's site shows this game"
        say({"game": game, "public": public}, f"{game}: {text} the next time it is written.", json=json)
        return
    if url and not url.startswith(("https://", "http://")):
        raise typer.BadParameter(f"{url!r} is not the address of a site (https://…)", param_hint="--url")
    if several:
        from pbem.club.directing import show_all, show_ladder

        wrong = show_all(game)  # writes the page of a tournament that has just become public
        show_ladder(game, site_lines(game))
        done = write_sites(game, target, url, module, _club(game))
        done = replace(done, faults=(*wrong, *done.faults))
    else:
        done = write_site(game, target, url, module)
    what = [f"{done.files} files", f"{done.written} written", *([f"{done.removed} removed"] if done.removed else [])]
    data = {
        "index": done.index, "games": done.games, "files": done.files, "written": done.written, "removed": done.removed,
    }  # fmt: skip
    if not (json and done.faults):
        lines = [f"{done.index}: {', '.join(what)}."]
        if several and not done.games:
            lines.append("No game of this host is public; make one public with `pbem site GAME --public`.")
        say(data, "\n".join(lines), json=json)
    if done.faults:
        raise GameError(*done.faults)
