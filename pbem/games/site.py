"""A static web site for spectators of a game, made from the public part of its log.

The site is a folder of plain files for any web server. The same log always gives the same files. An unchanged file
is not written again, and a file that is no longer needed is deleted. ``site.json`` lists the files that belong to
the site; other files in the folder are not touched. The index page is written last, so that every page it links to
already exists.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from html import unescape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from pbem.data.files import NotToml, build, parse_toml
from pbem.engine.events import ACTS, UMPIRE, GameStarted, OrdersFiled, Record, Requested, SegmentBegan, Stopped
from pbem.engine.log import encode_records
from pbem.engine.outcomes import verdicts
from pbem.errors import Fault, GameError
from pbem.games.storage.files import cannot, in_lines, patiently, read_bytes, read_toml_file, write_bytes, write_text
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import last_played, played_by, tenures
from pbem.util import regex

if TYPE_CHECKING:
    from pbem.reports.html.site import Around, GameLine, SiteLink
    from pbem.reports.view.model import ReportView

MARK = "site.toml"
"""Name of the file in a game folder that says whether the game is public."""
LISTED = "site.json"
"""Name of the file in a site's folder that lists the files which belong to the site."""
INDEX = "index.html"
TOURNAMENTS = "tournaments"
"""Name of the folder in a host's folder with the pages of public tournaments.

:mod:`pbem.club.directing` writes these pages.
"""

LADDER = "mail/ladder.html"
"""The page of the ladder in a host's folder; :mod:`pbem.club.directing` writes it."""

MARK_TEXT = """# What spectators may know of this game (`pbem help spectators`).
format = 1
public = {public}  # whether `pbem site HOST DIR` shows it
"""


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings in a game's ``site.toml``: whether the game is public, and display names by side."""

    format: int
    public: bool = False
    names: dict[str, str] = {}


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a site's ``site.json``: the paths of the site's files, relative to its folder.

    On a site of several games, ``games`` maps the name of each game to the name of its game folder.
    """

    format: int
    files: tuple[str, ...]
    games: dict[str, str] = {}


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The result of writing a site.

    ``index`` is the path of the index page. ``files``, ``written`` and ``removed`` are numbers of files. ``games``
    names the games shown. ``faults`` describes games that could not be shown; their earlier pages are kept.
    """

    index: Path
    files: int
    written: int
    removed: int
    games: tuple[str, ...]
    faults: tuple[Fault, ...] = ()


class PublicReport(msgspec.Struct, frozen=True, kw_only=True):
    """The public report on a completed turn: turn number, whether the game ended then, text and page.

    ``digest`` identifies the reported play. It does not depend on requests for orders and rulings made after the turn.
    """

    game: str
    turn: int
    over: bool
    digest: str
    text: str
    page: bytes


def site_settings(folder: Path) -> SiteSettings:
    """Return the settings in a game's ``site.toml``; a game without this file is not public.

    Raises:
        GameError: The file is not valid TOML, or has an unknown format or field.
    """
    file = folder / MARK
    if not file.is_file():
        return SiteSettings(format=1)
    try:
        raw = parse_toml(read_toml_file(file).decode("utf-8"))
    except (UnicodeDecodeError, NotToml) as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=str(file)) from error
    mark = build(SiteSettings, raw, str(file))
    if mark.format != 1:
        raise GameError.saying(
            "format", f"format {mark.format} is unknown; this version reads format 1", file=str(file)
        )
    return mark


def set_public(folder: Path, public: bool) -> None:
    """Make a game public or not public in its ``site.toml``, and keep the display names in it.

    Raises:
        GameError: The game or its ``site.toml`` cannot be read, or the file cannot be written.
    """
    with opened(folder):
        names = site_settings(folder).names
    # JSON strings are valid TOML strings.
    lines = [f"{_quoted(side)} = {_quoted(name)}" for side, name in sorted(names.items())]
    more = "\n".join(["", "[names]", *lines, ""]) if names else ""
    write_text(folder / MARK, MARK_TEXT.format(public="true" if public else "false") + more)


_MARKED = regex(rb'<a data-(game|player)="([^"]*)">([^<]*)</a>')
"""Pattern that finds the names of games and players in a page that :mod:`pbem.club` wrote for the site."""


class ClubPages(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that :mod:`pbem.club` wrote for a club's site: public tournaments, by name, and ladder.

    In these pages, links to games and players have no target yet. This module fills in the targets, because only it
    knows which pages exist.
    """

    tournaments: dict[str, bytes]
    ladder: bytes = b""

    def titles(self) -> dict[str, str]:
        """Return the titles of the tournaments, by name."""
        from pbem.reports.html.site import title_of

        return {name: title_of(page.decode("utf-8", "replace")) or name for name, page in self.tournaments.items()}

    def links(self, game: str = "") -> list[SiteLink]:
        """Return links to tournaments and ladder; for a ``game``, only its tournaments are included."""
        from pbem.reports.html.site import LADDER as ADDRESS, SiteLink

        titles = self.titles()
        named = f'<a data-game="{game}">'.encode()
        links = [
            SiteLink(titles[name], f"{TOURNAMENTS}/{name}.html")
            for name, page in self.tournaments.items()
            if not game or named in page
        ]
        return [*links, *([SiteLink("Ladder", ADDRESS)] if self.ladder else [])]

    def around(self, game: str) -> Around:
        """Return the links for the page of a game: to its tournaments, to the ladder, and to the site's folder."""
        from pbem.reports.html.site import Around

        return Around(home="../", links=tuple(self.links(game)))


def pages_from_club(host: Path) -> ClubPages:
    """Return the pages of tournaments and the ladder in a host's folder, for the host's site."""
    tournaments = {file.stem: read_bytes(file) for file in sorted((host / TOURNAMENTS).glob("*.html"))}
    ladder = host / LADDER
    return ClubPages(tournaments=tournaments, ladder=read_bytes(ladder) if ladder.is_file() else b"")


AROUND = b"<!-- around -->"
"""Placeholder in the pages of tournaments and ladder for links to all these pages."""


def club_files(pages: ClubPages, lines: Iterable[GameLine], club: str = "", mine: str = "") -> dict[str, bytes]:
    """Return the pages of a club's site, except the pages of games, as a dict of path to content.

    These are the pages of tournaments, ladder and players; the index page is last.

    Args:
        pages: The pages of tournaments and ladder.
        lines: The index entries of all games shown.
        club: The name of the club.
        mine: Link from the index to the reader's own games; empty for a site that everybody reads.
    """
    from pbem.reports.html import site

    shown = list(lines)
    games = {line.name for line in shown}
    players = site.careers(shown)
    people = {one.player for one in players}

    def linked(page: bytes, here: str, home: str = "") -> bytes:
        """Return a page with links to the site's other pages filled in; ``here`` is the page's own address."""
        others = site.links_around([link for link in pages.links() if link.address != here], home)

        def link(found: re.Match[bytes]) -> bytes:
            name = unescape(found[2].decode("utf-8", "replace"))
            if found[1] == b"game":
                address = f"{name}/{INDEX}" if name in games else ""
            else:
                address = site.player_file(name) if name in people else ""
            return b'<a href="%b%b">%b</a>' % (home.encode(), address.encode(), found[3]) if address else found[3]

        return _MARKED.sub(link, page.replace(AROUND, others.encode("utf-8")))

    written = {f"{TOURNAMENTS}/{name}.html": page for name, page in pages.tournaments.items()}
    files = {here: linked(page, here, "../") for here, page in written.items()}
    if pages.ladder:
        files[site.LADDER] = linked(pages.ladder, site.LADDER)
    for one in players:
        key = site.player_key(one.player)
        row = f"#{key}" if f'id="{key}"'.encode() in pages.ladder else ""
        ladder = f"{site.LADDER}{row}" if pages.ladder else ""
        files[site.player_file(one.player)] = site.player_page(one, shown, ladder).encode("utf-8")
    index = site.games_page(shown, pages.titles(), club, ladder=bool(pages.ladder), mine=mine)
    return {**files, INDEX: index.encode("utf-8")}


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode("utf-8")


def write_site(folder: Path, target: Path, url: str = "", module: Path | None = None) -> Site:
    """Write the site of one game into the folder ``target``.

    Args:
        folder: The game folder.
        target: The folder of the site; it must be outside the game folder.
        url: Public address of the site. It is needed only for the RSS feed; without it, no feed is written.
        module: A VASSAL module file. With it a VASSAL save of the positions is written too.

    Raises:
        GameError: The site cannot be made. Nothing was written in this case.
    """
    _verify_apart(folder, target)
    with opened(folder) as game:
        files = game_files(game, url=url, module=module)
        name = game.terms.name
    return _write(target, files, {name: folder.resolve().name})


def write_sites(host: Path, target: Path, url: str = "", module: Path | None = None, club: str = "") -> Site:
    """Write the sites of all public games of a host (``host/games/*``), and an index page for them.

    A game that cannot be read is reported in ``faults``, and its earlier pages stay.

    Raises:
        GameError: ``target`` cannot be used.
    """
    return renew_sites(host, target, {}, url, module, club)[0]


def renew_sites(
    host: Path,
    target: Path,
    same: Mapping[str, GameLine],
    url: str = "",
    module: Path | None = None,
    club: str = "",
) -> tuple[Site, dict[str, GameLine]]:
    """Write the sites of all public games as :func:`write_sites` does, and return the index entries by game folder.

    ``same`` holds the index entries of games whose pages are already up to date. Those pages are not made again if
    the game is still public.
    """
    _verify_apart(host, target)
    before = _listed(target)
    pages = pages_from_club(host)
    files: dict[str, bytes] = {}
    faults: list[Fault] = []
    games: dict[str, str] = {}
    kept: set[str] = set()
    lines: dict[str, GameLine] = {}
    for folder in sorted(path.parent for path in (host / "games").glob("[!.]*/game.toml")):
        try:
            if not site_settings(folder).public:
                continue
            line = same.get(folder.name)
            if line is not None and _is_shown(line, folder, before, pages) and line.name not in games:
                lines[folder.name], games[line.name] = line, folder.name
                kept |= {file for file in before.files if PurePosixPath(file).parts[0] == line.name}
                continue
            with opened(folder) as game:
                name = game.terms.name
                address = f"{url.rstrip('/')}/{name}" if url else ""
                if name in games:
                    text = f"rename this game: only the game {name} in {games[name]} is shown, which has the same name"
                    raise GameError.saying("same-name", text, file=str(folder))
                around = pages.around(name)
                made = game_files(game, url=address, around=around, module=module)
                lines[folder.name] = msgspec.structs.replace(site_line(game), around=around)
        except GameError as error:
            faults += error.faults
            old = {name for name, source in before.games.items() if source == folder.name}
            kept |= {file for file in before.files if PurePosixPath(file).parts[0] in old}
            continue
        games[name] = folder.name
        files |= {f"{name}/{file}": data for file, data in made.items()}
    kept -= set(files)
    games |= {name: source for name, source in before.games.items() if any(f.startswith(f"{name}/") for f in kept)}
    files |= club_files(pages, lines.values(), club)
    return _write(target, files, games, kept=kept, faults=tuple(faults)), lines


def _is_shown(line: GameLine, folder: Path, before: Listing, pages: ClubPages) -> bool:
    """Return whether the site already shows the game in this folder, with its links to tournaments and ladder."""
    return before.games.get(line.name) == folder.name and line.around == pages.around(line.name)


def game_files(
    game: GameFolder, *, url: str = "", around: Around | None = None, module: Path | None = None
) -> dict[str, bytes]:
    """Return all files of a game's site as a dict of file name to content, with the index page last.

    ``around`` has the links to other pages of a club's site, if the game is a part of one.

    Raises:
        GameError: A file would show a player's address.
    """
    from pbem.reports.html import public, site
    from pbem.reports.html.board import board_of, watched_page
    from pbem.reports.html.page import WHOLE, PageLinks, sitrep_html
    from pbem.reports.html.whole_game import whole_html
    from pbem.reports.text.sitrep import sitrep_text
    from pbem.reports.view.build import build_view, build_whole

    replace = msgspec.structs.replace
    records, seats = _public(game)
    scenario = game.scenario()
    now = build_view(records, "", scenario=scenario)
    first = min(1, now.shown)
    numbers = range(first, now.shown + 1)
    files: dict[str, bytes] = {}
    turns = []

    def views(side: str) -> Iterable[tuple[int, ReportView]]:
        for n in numbers:
            view = build_view(records, side, turn=None if n == now.shown else n, scenario=scenario)
            # For earlier turns, the request for orders after the turn is left out.
            yield n, view if n == now.shown else replace(view, owed=None, turn=n, impulse=view.impulses)

    def page(kind: str, n: int, view: ReportView, other: str, otherwise: str) -> bytes:
        around = PageLinks(
            home=INDEX,
            before=f"{kind}-{n - 1:02}.html" if n > first else "",
            after=f"{kind}-{n + 1:02}.html" if n < now.shown else "",
            other=other,
            otherwise=otherwise,
            running=n == now.shown and not now.over,
        )
        return sitrep_html(view, around=around).encode("utf-8")

    for n, view in views(""):
        name, secrets = f"turn-{n:02}", f"secrets-{n:02}.html" if now.over else ""
        files[f"{name}.html"] = page("turn", n, view, secrets, "with everything that was secret")
        files[f"{name}.txt"] = sitrep_text(view).encode("utf-8")
        files[f"{name}.json"] = site.positions(view)
        turns.append(
            site.TurnEntry(
                number=n,
                page=f"{name}.html",
                text=f"{name}.txt",
                positions=f"{name}.json",
                secrets=secrets,
                told=site.turn_in_short(view),
                damage=site.damage_in_short(view),
                running=n == now.shown and not now.over,
            )
        )
    if now.shown:
        whole = build_whole(records, "", scenario=scenario)
        files[WHOLE] = whole_html(whole, INDEX, "The game").encode("utf-8")
    record = [("record.jsonl", "every event that everybody may know, one a line")]
    files["record.jsonl"] = encode_records(public.seen_records(records, ""))
    if now.over:
        for n, view in views(UMPIRE):
            files[f"secrets-{n:02}.html"] = page("secrets", n, view, f"turn-{n:02}.html", "as everybody saw it")
        files["record-whole.jsonl"] = encode_records(records)
        record.append(("record-whole.jsonl", "the whole log: energy forms, orders and breaks of all sides too"))
    if module is not None:
        from pbem.vassal_bridge.files import save_bytes

        files["positions.vsav"] = save_bytes(records, module, game.path / "vassal.toml")
        record.append(("positions.vsav", "the positions as a VASSAL save"))
    if url:
        files["feed.xml"] = site.feed(now, turns, url).encode("utf-8")
        record.append(("feed.xml", "a feed of the turns"))
    whole_at = WHOLE if WHOLE in files else ""
    board = board_of(records, "", scenario)
    files[INDEX] = watched_page(board, scenario.title, turns, record, around or site.ALONE, whole_at).encode("utf-8")
    _verify_no_address(files, public.addresses([*seats, *public.players_of(game.records())]))
    return files


def _names(game: GameFolder) -> dict[str, str]:
    """Return the names to show spectators, for sides whose player's name differs from the log."""
    from pbem.reports.html.public import name_of

    return {**played_by(game.path, game.terms, name_of), **site_settings(game.path).names}


def _public(game: GameFolder) -> tuple[list[Record], list[str]]:
    """Return the effective log without email addresses, and all player entries in the game's files."""
    from pbem.reports.html.public import without_addresses

    names = _names(game)
    seats = [seat.player for seat in game.terms.sides.values()]
    seats += [player for one in tenures(game.path) for player in (one.before, one.player)]
    return without_addresses(game.effective(), [*seats, *names.values()], names), seats


_NO_PLAY = (GameStarted, SegmentBegan, OrdersFiled, Requested, Stopped, *ACTS)


def ended(game: GameFolder) -> tuple[int, str] | None:
    """Return the number of the last completed turn and a digest of the public events up to its end.

    The result is ``None`` if no turn is completed yet.
    """
    from pbem.reports.html.public import seen_records

    state = game.state()
    turn = state.turn if state.over else state.turn - 1
    if turn < 1:
        return None
    seen = [one.event for one in seen_records(game.effective(), "") if one.event.turn <= turn]
    said = msgspec.json.encode([turn, state.over, [one for one in seen if not isinstance(one, _NO_PLAY)]])
    return turn, hashlib.sha256(said).hexdigest()[:20]


def public_report(game: GameFolder) -> PublicReport | None:
    """Return the public report on the last completed turn, or ``None`` if no turn is completed yet.

    This is the report that the files of :func:`game_files` show to spectators.

    Raises:
        GameError: The report would show a player's address.
    """
    from pbem.reports.html import public
    from pbem.reports.html.page import sitrep_html
    from pbem.reports.text.sitrep import sitrep_text
    from pbem.reports.view.build import build_view

    found = ended(game)
    if found is None:
        return None
    turn, digest = found
    records, seats = _public(game)
    over = game.state().over
    view = build_view(records, "", turn=None if over else turn, scenario=game.scenario())
    view = view if over else msgspec.structs.replace(view, owed=None, turn=turn, impulse=view.impulses)
    text, page = sitrep_text(view), sitrep_html(view).encode("utf-8")
    files = {"the public report": page, "the public sitrep": text.encode("utf-8")}
    _verify_no_address(files, public.addresses([*seats, *public.players_of(game.records())]))
    return PublicReport(game=game.terms.name, turn=turn, over=over, digest=digest, text=text, page=page)


def public_games(host: Path) -> list[Path]:
    """Return the folders of a host's public games; games whose settings cannot be read are left out."""
    found = []
    for file in sorted((host / "games").glob("[!.]*/game.toml")):
        with suppress(GameError):
            found += [file.parent] if site_settings(file.parent).public else []
    return found


def site_lines(host: Path) -> dict[str, GameLine]:
    """Return the index entries of a host's public games by folder, without games that cannot be read."""
    lines = {}
    for folder in public_games(host):
        with suppress(GameError), opened(folder) as game:
            lines[folder.name] = site_line(game)
    return lines


def site_line(game: GameFolder) -> GameLine:
    """Return the index entry of a game, without links to other pages."""
    from pbem.reports.html import public, site
    from pbem.reports.html.site import of_view
    from pbem.reports.view.build import build_view

    state = game.state()
    view = build_view(public.without_addresses(game.effective(), (), _names(game)), "")
    return site.GameLine(
        name=view.game,
        folder=view.game,
        title=game.scenario().title,
        players=tuple((player.side, "robot" if player.robot else player.player) for player in view.players),
        stands=site.stands(view),
        over=view.over,
        replay=bool(view.shown),
        scenario=view.scenario,
        played=str(last_played(game.path) or ""),
        came_to=site.came_to(state) if view.over else "",
        verdicts=dict(verdicts(state.sides, state.outcome)) if view.over else {},
        robots=tuple(player.side for player in view.players if player.robot),
        small=of_view(view),
    )


def _verify_no_address(files: Mapping[str, bytes], addresses: Iterable[str]) -> None:
    """Check that no file for the public contains a player's email address.

    This is a second safeguard: the addresses should already have been removed.

    Raises:
        GameError: A file contains an address.
    """
    for address in addresses:
        for name, data in files.items():
            if address.encode("utf-8").lower() in data.lower():
                text = f"{name} would show a player's email address; nothing was written"
                raise GameError.saying("address-shown", text)


def _verify_apart(source: Path, target: Path) -> None:
    """Check that the site's folder is outside the game's or host's folder, which contains secrets.

    Raises:
        GameError: The site's folder is inside the other folder, or ``target`` is a file.
    """
    here, there = source.resolve(), target.resolve()
    if there == here or here in there.parents:
        text = "put the site in another folder: this one is inside the game's or host's folder, which has secrets"
        raise GameError.saying("site-place", text, file=str(target))
    if there.exists() and not there.is_dir():
        raise GameError.saying("site-place", "name a folder for the site; this is a file", file=str(target))


def _listed(target: Path) -> Listing:
    """Return the content of the ``site.json`` in a site's folder, or an empty listing if there is none.

    Raises:
        GameError: The file cannot be read.
    """
    file = target / LISTED
    if not file.is_file():
        return Listing(format=1, files=())
    try:
        listing = msgspec.json.decode(read_bytes(file), type=Listing)
    except msgspec.DecodeError as error:
        text = f"delete this file and the site's pages: the list of files cannot be read ({error})"
        raise GameError.saying("site-list", text, file=str(file)) from error
    # The list may have been edited: paths outside the folder must not be deleted.
    return msgspec.structs.replace(listing, files=tuple(name for name in listing.files if _inside(name)))


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and not {"\\", ":"} & set(name)


def _write(
    target: Path,
    files: Mapping[str, bytes],
    games: dict[str, str],
    kept: Collection[str] = (),
    faults: tuple[Fault, ...] = (),
) -> Site:
    """Write the given files of the site in their order, and delete its files that are no longer needed.

    ``kept`` names files of the site that stay unchanged.
    """
    before = _listed(target)
    written = [name for name, data in files.items() if not _holds(target / name, data)]
    for name in written:
        if name not in before.files and (target / name).exists():
            text = "name an empty folder or remove this file: `pbem site` did not make it"
            raise GameError.saying("site-place", text, file=str(target / name))
    # For now the list names old and new files, so that a run after a crash knows all files of the site.
    _list(target, before, {*before.files, *files}, {**before.games, **games})
    for name in written:
        write_bytes(target / name, files[name])
    gone = [name for name in before.files if name not in files and name not in kept]
    for name in gone:
        _remove(target, target / name)
    _list(target, _listed(target), {*files, *kept}, games)
    shown = tuple(sorted(games))
    return Site(
        index=target / INDEX, files=len(files), written=len(written), removed=len(gone), games=shown, faults=faults
    )


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def _remove(target: Path, path: Path) -> None:
    """Delete a page of the site, and the folder of its game if it is empty afterwards."""
    try:
        patiently(path.unlink, missing_ok=True)
        if path.parent != target and path.parent.is_dir() and not any(path.parent.iterdir()):
            patiently(path.parent.rmdir)
    except OSError as error:
        raise cannot("write", path, error) from error


def _list(target: Path, before: Listing, files: Iterable[str], games: dict[str, str]) -> None:
    listing = Listing(format=1, files=tuple(sorted(files)), games=games)
    if listing != before:
        write_bytes(target / LISTED, in_lines(msgspec.json.encode(listing, order="deterministic")))
