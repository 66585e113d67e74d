"""The pictures of the guides, made anew: `python docs/pictures.py` writes docs/pictures/*.png.

They show the shipped duel, the course and a club's door, so they change when one of them changes. Wants playwright, a
Chromium and the extra web, as the browser tests do; nothing compares these pictures byte for byte, since fonts differ
between machines.
"""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.app.web.server import ClubServer, Evening, Served  # noqa: E402
from pbem.engine.events import SegmentBegan  # noqa: E402
from pbem.engine.log import fold_records  # noqa: E402
from pbem.games.create import new  # noqa: E402
from pbem.games.resolve import resolve_game  # noqa: E402
from pbem.games.site import set_public, write_site, write_sites  # noqa: E402
from pbem.games.storage.folder import GameFolder  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.storage.publish import publish_all  # noqa: E402
from pbem.games.submit import submit  # noqa: E402
from pbem.games.umpire.undo import played_request, undo  # noqa: E402
from pbem.mail.host.clocks import Clock, write_clock  # noqa: E402
from pbem.mail.replies.announce import (  # noqa: E402
    Above,
    first_mail,
    sitrep,
)
from pbem.mail.replies.reply import Reply  # noqa: E402
from pbem.mail.seats import LOGIN_PATH, games_in  # noqa: E402
from pbem.mail.settings import read_host  # noqa: E402
from pbem.mail.web_keys import key_of  # noqa: E402
from pbem.reports.draft.draft import draft_for  # noqa: E402
from pbem.reports.form.form import form_html  # noqa: E402
from pbem.reports.html.page import dated, sitrep_html  # noqa: E402
from pbem.reports.map.picture import lean  # noqa: E402
from pbem.reports.view.build import build_view  # noqa: E402

AnyServer = TypeVar("AnyServer", bound=Served)
Wanted = Callable[["Picture | Visit"], bool]
PICTURES = ROOT / "docs" / "pictures"
DUEL = Path("turns") / "duel01"
LARGEST = 100_000
"""Bytes of a picture."""
COLOURS, ALIKE = 128, 40
"""Of the palette: a page has more colours than a map."""
DUE = "The deadline is {}, 21:00 (Europe/Berlin)."
HIDE_MENU = "nav { position: static !important }"


class Picture(NamedTuple):
    """A picture: its name, the page and the moment it shows, how wide and high the window is, and what of the page it
    shows (``""``: what the window does).
    """

    name: str
    page: str
    moment: str = ""
    width: int = 1100
    height: int = 760
    part: str = ""
    dark: bool = False
    presses: tuple[tuple[str, str, str], ...] = ()


class Visit(NamedTuple):
    """A picture of a page that is served: of the course, of a game on the board, and of a club's player."""

    name: str
    page: str = ""
    presses: tuple[tuple[str, str, str], ...] = ()
    width: int = 1280
    height: int = 720
    dark: bool = False
    touch: bool = False
    moves: bool = False


PEOPLE = """\
format = 1
[people.ann]
name = "Ann"
mail = "ann@example.org"
[people.kor]
name = "Kor"
mail = "kor@example.org"
[people.ben]
name = "Ben"
mail = "ben@example.org"
"""
NAMES = {"ann": "Ann", "kor": "Kor", "ben": "Ben"}
SHOWN = (
    Picture("report", "report.html"),
    Picture("replay", "report.html", "#t2i5-fire", width=960, height=700),
    Picture("ships", "report.html", part="#ships"),
    Picture("orders", "report.html", part="#orders"),
    Picture("phone", "report.html", "#t2i2-launch", width=390, height=800, dark=True),
    Picture("form", "form.html", width=1060, height=620),
    Picture(
        "whatif",
        "form.html",
        width=1280,
        height=820,
        presses=(
            ("select", "#foe", "Constellation"),
            ("fill", "#foe0-codes", "2F R 2F"),
            ("click", "#foe-more", ""),
            ("fill", "#foe0b-codes", "L 3F L 2F"),
            ("click", "#foe-row9", ""),
            ("show", "#foe-aimbox", ""),
        ),
    ),
    Picture("whole", "final/replay.html", "#t2i5"),
    Picture("site", "site/index.html", "#t2i5-fire", width=1280, height=720),
    Picture("club", "shown/index.html", height=1080),
    Picture("first-mail", "first-mail.html", width=700, height=820),
    Picture("mail-phone", "mail.html", width=390, height=844, dark=True),
)
READY = ("wait", "html[data-table=ready]", "")
ENEMY = '#map .counter[data-unit="Constellation"]'
ORDERS = "SHIP Destruction\nPLOT F L 2F L 2F R 3F\n"
PLAN = (READY, ("load", "", ORDERS))
GUNS = ("DISR-A", "DISR-B", "PH-1", "PH-2", "PH-4")
STRIP = (*PLAN, ("click", ENEMY, ""), *(("click", f"label:has(#strip-FIRE-{gun})", "") for gun in GUNS))
PLANNED = "game/duel01"
FIRST, FIRST_SENT, FIRST_WON = "game/under-attack-1", "game/under-attack-2", "game/under-attack-3"
FIRST_SHOT = (
    READY,
    ("load", "", "SHIP Constellation\nPLOT 8F\n"),
    ("click", '#map .counter[data-unit="Drone C"]', ""),
    ("click", "label:has(#strip-FIRE-PH-1)", ""),
)
OFFICER = """\
SHIP Constellation
PLOT
  TOWARD NEAREST SEEKER
DO
  EVERY IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 1,2,3 AT EACH
  EVERY IF SEEKER WITHIN 4 THEN FIRE ONE OF PH 1,2,3 AT EACH
"""
"""What the first officer suggests in every turn of scenario #2."""
HIT = (READY, ("click", "#film-open", ""), ("until", "#replay-event", "is destroyed"))
AT_HOME = (
    Visit("course"),
    Visit("briefing", "course/2", height=1060),
    Visit("first-plan", FIRST, FIRST_SHOT),
    Visit("first-officer", FIRST, (READY, ("load", "", OFFICER))),
    Visit("film", FIRST_SENT, HIT, moves=True),
    Visit("won", FIRST_WON, (READY,)),
    Visit("table", PLANNED, STRIP),
    Visit("table-whatif", PLANNED, PLAN, dark=True),
    Visit("table-phone", PLANNED, STRIP, width=390, height=844, touch=True),
)
CARDS = (("click", "form button", ""), ("wait", "ul.games", ""))
AT_THE_CLUB = (
    Visit("cards", "", CARDS),
    Visit("cards-phone", "", CARDS, width=390, height=844, dark=True, touch=True),
    Visit("door", "", (*CARDS, ("click", "ul.games a[href*=duel01]", ""), *STRIP)),
)
CLUB = 'name = "The Tuesday Club"'
HOST = """\
format = 1
orders = "orders@example.org"
umpire = "umpire@example.org"
[deadlines]
within = "2 days"
grace = "12 hours"
"""


def pages(game: GameFolder, side: str, turn: int, number: int) -> tuple[str, str]:
    """The report and the order form a side got with a request."""
    records = game.effective()
    for place, record in enumerate(records):
        if isinstance(record.event, SegmentBegan):
            state = fold_records(records[:place])
            request = state.request
            if request is not None and (request.turn, request.number) == (turn, number):
                draft = draft_for(state, game.scenario(), request, side)
                view = build_view(records[:place], side)
                said = DUE.format("Fri 12 Mar 2027")
                form = form_html(records[:place], side, game.scenario(), draft)
                return dated(sitrep_html(view, draft), said), dated(form, said)
    raise SystemExit(f"the shipped duel has no request {number} of turn {turn} any more")


def mails(folder: Path, side: str, turn: int, number: int) -> tuple[str, str]:
    """The HTML parts of the first mail of a host's game and of a turn's, as a mail program shows them."""
    host = folder / "club"
    shutil.copytree(ROOT / DUEL, host / "games" / "duel01")
    (host / "host.toml").write_text(HOST, encoding="utf-8")
    games = games_in(host, umpire="umpire@example.org", orders="orders@example.org")
    seat = next(seat for seat in games.seats if seat.side == side)
    rule = read_host(host).deadlines
    with opened(seat.folder) as game:
        publish_all(game)
        first = first_mail(
            game, games, seat, game.request_folder(1, 1), rule, Above(until=DUE.format("Wed 3 Mar 2027"))
        )
        later = sitrep(
            game, games, seat, game.request_folder(turn, number), Above(until=DUE.format("Fri 12 Mar 2027")), ""
        )
    return shown(first), shown(later)


def shown_club(host: Path) -> Path:
    """A club with three games that spectators may see: both shipped ones, and one that has just begun."""
    games = host / "games"
    for name in ("duel01", "rescue01"):
        shutil.copytree(ROOT / "turns" / name, games / name)
    new("9", games / "rigel", players={"federation": "ann@example.org", "klingon": "kor@example.org"}, seed="rigel")
    for name, players in (("duel01", "Ann Kor"), ("rescue01", "Ben Kor"), ("rigel", "Ben Ann")):
        set_public(games / name, True)
        names = zip(("federation", "klingon"), players.split(), strict=True)
        with (games / name / "site.toml").open("a", encoding="utf-8") as file:
            file.write("\n".join(["[names]", *(f'{side} = "{who}"' for side, who in names), ""]))
    return host


def shown(mail: Reply) -> str:
    """The HTML part with its picture inside."""
    html = mail.html
    for cid, _, png in mail.pictures:
        html = html.replace(f"cid:{cid}", f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}")
    return html


WITH_ALPHA = """async data => {
  const bitmap = await createImageBitmap(await (await fetch(data)).blob())
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext("2d").drawImage(bitmap, 0, 0)
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""))
}"""


def with_alpha(page: Any, png: bytes) -> bytes:
    """The picture with four bytes a pixel, as :func:`lean` reads them; a screenshot has three."""
    said: str = page.evaluate(WITH_ALPHA, "data:image/png;base64," + base64.b64encode(png).decode("ascii"))
    return base64.b64decode(said)


def take(browser: Any, folder: Path, picture: Picture, into: Path) -> Path:
    """Takes one picture."""
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        bypass_csp=True,
    )
    page.goto((folder / picture.page).as_uri() + picture.moment)
    page.add_style_tag(content=HIDE_MENU)
    press(page, picture.presses)
    taken = page.locator(picture.part).screenshot() if picture.part else page.screenshot()
    return kept(page, picture.name, taken, into)


def kept(page: Any, name: str, taken: bytes, into: Path) -> Path:
    """The file of a picture; its page is closed."""
    file = into / f"{name}.png"
    file.write_bytes(lean(with_alpha(page, taken), COLOURS, ALIKE))
    page.close()
    return file


def until(page: Any, button: str, words: str) -> None:
    """Presses a button of the film until its caption holds these words."""
    for _ in range(40):
        if words in page.locator("#replay-said").inner_text():
            return
        page.locator(button).click()
    raise SystemExit(f"the film does not tell {words!r} any more")


def press(page: Any, presses: tuple[tuple[str, str, str], ...], *, touch: bool = False) -> None:
    """Does what a reader does before the picture is taken: what, where, and with which value."""
    for what, where, value in presses:
        at = page.locator(where).first
        match what:
            case "click" if touch:
                at.tap()
            case "click":
                at.click()
            case "until":
                until(page, where, value)
            case "load":
                page.evaluate("text => window.orderForm.load(text)", value)
            case "fill":
                at.fill(value)
            case "select":
                at.select_option(value)
            case "show":
                at.evaluate("it => it.scrollIntoView({ block: 'center' })")
            case _:
                at.wait_for()
    page.wait_for_timeout(300)


def take_served(browser: Any, address: str, picture: Visit, into: Path) -> Path:
    """Takes a picture of what a server shows."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
        has_touch=picture.touch,
        is_mobile=picture.touch,
        reduced_motion="no-preference" if picture.moves else "reduce",
        bypass_csp=True,
    )
    page = context.new_page()
    page.goto(address)
    if picture.page:
        page.goto(f"{address.partition('?')[0]}{picture.page}")
    press(page, picture.presses, touch=picture.touch)
    file = kept(page, picture.name, page.screenshot(), into)
    context.close()
    return file


@contextmanager
def running(server: AnyServer) -> Iterator[AnyServer]:
    """A server at work in a thread."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(20)


def against_a_captain(games: Path, name: str) -> None:
    """Copy the shipped duel as if the Klingon played it against a computer player; it asks for request 2 of turn 2."""
    folder = games / name
    shutil.copytree(ROOT / DUEL, folder)
    for file in (folder / "game.toml", folder / "00" / "events.jsonl", *folder.glob("0*/state.json")):
        text = file.read_text(encoding="utf-8").replace("ann@example.org", "captain")
        file.write_text(text, encoding="utf-8", newline="\n")
    with opened(folder) as game:
        last = played_request(game.effective(), 2, 2).n
        for turn, records in game.log_files().items():
            if turn > 2:
                shutil.rmtree(folder / f"{turn:02}")
            elif turn == 2:
                log = game.log_file(turn)
                lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
                log.write_text("".join(lines[: sum(record.n <= last for record in records)]), "utf-8", newline="\n")
    for file in (folder / "02" / "orders").glob("*.orders"):
        if int(file.name.split(".r")[1][0]) >= 2:
            file.unlink()
    (folder / "02" / "state.json").unlink()
    with opened(folder) as game:
        game.write_state()


def first_game(games: Path, name: str, answers: int) -> None:
    """Begin the game of the tutorial and play this many requests of it, or all, as the first officer suggests."""
    players = {"federation": "you", "drones": "robot"}
    new("2", games / name, players=players, seed="tutorial", name=name)
    with opened(games / name, lock="pictures") as game:
        for _ in range(answers):
            if (asked := game.state().request) is None:
                return
            head = f"GAME {name} TURN {asked.turn} SIDE federation REPLY {asked.number}\n"
            submit(game, f"{head}{OFFICER}END\n", "federation")
            resolve_game(game)


def evening(browser: Any, folder: Path, into: Path, wanted: Wanted) -> Iterator[Path]:
    """Take the pictures of the course, as somebody sees it at first, and of games on the board."""
    with running(Evening(folder / "course")) as table:
        for picture in (one for one in AT_HOME if wanted(one) and not one.page.startswith("game/")):
            yield take_served(browser, table.address, picture, into)
    games = folder / "evening"
    against_a_captain(games, PLANNED.partition("/")[2])
    for address, answers in ((FIRST, 0), (FIRST_SENT, 1), (FIRST_WON, 20)):
        first_game(games, address.partition("/")[2], answers)
    with running(Evening(games)) as table:
        for picture in (one for one in AT_HOME if wanted(one) and one.page.startswith("game/")):
            yield take_served(browser, table.address, picture, into)


def club(browser: Any, folder: Path, into: Path, wanted: Wanted) -> Iterator[Path]:
    """The door of a club: the games of a player, and one of them in its middle."""
    house = folder / "house"
    shutil.copytree(ROOT / DUEL, house / "games" / "duel01")
    door = 'web = "https://club.example"\n[inbox]\nkind = "folder"\npath = "mail/in"\n'
    (house / "host.toml").write_text(
        HOST.replace("[deadlines]", f"{door}[deadlines]").replace("format = 1", f"format = 1\n{CLUB}"), encoding="utf-8"
    )
    (house / "players.toml").write_text(PEOPLE, encoding="utf-8")
    with opened(house / "games" / "duel01") as game:
        undo(game, turn=2, request=2)
        publish_all(game)
    for name, scenario, enemy in (("rigel", "9", "ann"), ("spring-1", "5", "ben")):
        new(scenario, house / "games" / name, players={"federation": enemy, "klingon": "kor"}, seed=name, names=NAMES)
    for folder in (house / "games").iterdir():
        set_public(folder, True)
        asked_for_two_hours(folder)
    key = key_of(house / "mail", "kor")
    with running(ClubServer(house)) as served:
        for picture in filter(wanted, AT_THE_CLUB):
            yield take_served(browser, f"http://127.0.0.1:{served.port}{LOGIN_PATH}#{key}", picture, into)


def asked_for_two_hours(folder: Path) -> None:
    """Lets a game have waited for its orders, as if a host had asked for them."""
    with opened(folder) as game:
        state = game.state()
    assert state.request is not None
    asking = (state.request.turn, state.request.number, state.segment)
    write_clock(folder, Clock(asking=asking, asked=datetime.now(UTC) - timedelta(hours=2, minutes=5)))


def main() -> int:
    """Writes the pictures and says what each weighs; 1 if one is too large."""
    from playwright.sync_api import sync_playwright

    parser = ArgumentParser(description="The pictures of the guides, made anew.")
    parser.add_argument("names", nargs="*", help="the pictures to make; all of them without a name")
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder they are written to")
    asked = parser.parse_args()
    into: Path = asked.into

    def wanted(picture: Picture | Visit) -> bool:
        return not asked.names or picture.name in asked.names

    into.mkdir(exist_ok=True)
    too_large = 0
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        if any(map(wanted, SHOWN)):
            write_pages(folder)
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        taken = (take(browser, folder, picture, into) for picture in filter(wanted, SHOWN))
        home, door = any(map(wanted, AT_HOME)), any(map(wanted, AT_THE_CLUB))
        served = (
            *((evening(browser, folder, into, wanted),) if home else ()),
            *((club(browser, folder, into, wanted),) if door else ()),
        )
        for file in chain(taken, *served):
            size = file.stat().st_size
            too_large += size > LARGEST
            print(f"{file.name}: {size / 1000:.0f} kB{' is too large' if size > LARGEST else ''}", flush=True)
        browser.close()
    return 1 if too_large else 0


def chromium() -> str | None:
    """The path of a Chromium; the shell without a window starts fastest."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def write_pages(folder: Path) -> None:
    """Writes the pages that are pictured from files."""
    with opened(ROOT / DUEL) as game:
        for name, text in zip(("report.html", "form.html"), pages(game, "klingon", 2, 3), strict=True):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for name, text in zip(("first-mail.html", "mail.html"), mails(folder, "klingon", 2, 3), strict=True):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    write_site(ROOT / DUEL, folder / "site")
    write_sites(shown_club(folder / "shown-by"), folder / "shown", club="The Tuesday Club")
    shutil.copytree(folder / "club" / "games" / "duel01" / "05" / "final" / "klingon", folder / "final")


if __name__ == "__main__":
    sys.exit(main())
