"""What report pages weigh and cost: `python bench/pages.py` prints one table.

The heaviest page of the shipped duel, and pages of fleets after a turn in which everybody moves, fires and shoots at
drones (see `run.py`). The data is what a page embeds; where Chromium and playwright are found, the page is opened in it
and the time until its replay is ready told.

Nothing here is a test: times depend on the machine, sizes do not.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.run import FLEETS, fleet_turn  # noqa: E402
from pbem.desk.folder import opened  # noqa: E402
from pbem.game.events import Record, UnitPlaced  # noqa: E402
from pbem.game.state import Seeker  # noqa: E402
from pbem.report.gather import build_view  # noqa: E402
from pbem.report.page import embedded, sitrep_html  # noqa: E402


def duel() -> Sequence[Record]:
    """The shipped duel's log."""
    with opened(ROOT / "turns" / "duel01") as game:
        return game.effective()


def fleet(folder: Path, ships: int, drones: int) -> Sequence[Record]:
    """The log of a fleet's turn: the game as it was made, its drones, what was played."""
    played = fleet_turn(folder, ships, drones)()
    with opened(folder / f"fleet{ships}") as game:
        records = list(game.effective())
    seekers = [unit for _, unit in sorted(played.state.units.items()) if isinstance(unit, Seeker)]
    placed = [UnitPlaced(turn=0, unit=began(unit)) for unit in seekers]
    return [*records, *(Record(n=len(records) + n, event=event) for n, event in enumerate(placed, 1)), *played.records]


def began(seeker: Seeker) -> Seeker:
    """A drone as it stood before its first move."""
    first = seeker.track[0]
    return msgspec.structs.replace(
        seeker, hex=first.hex, facing=first.facing, track=(first,), gone="", damage=0, came_from=""
    )


def ready(browser: Any, page: Path) -> str:
    """Milliseconds until a page's replay is ready, as the browser counts them."""
    if browser is None:
        return "-"
    opened_page = browser.new_page()
    opened_page.goto(page.as_uri())
    opened_page.wait_for_function("document.documentElement.dataset.replay === 'ready'")
    took = opened_page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    opened_page.close()
    return f"{took:.0f} ms"


def main() -> None:
    """Prints the table."""
    driver: Any = None
    browser: Any = None
    try:
        from playwright.sync_api import sync_playwright

        driver = sync_playwright().start()
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
    except Exception as error:
        print(f"no browser: {type(error).__name__}", file=sys.stderr)
    print(f"{'report page, umpire':<24}{'page':>9}{'data':>9}{'replay':>9}{'made in':>10}{'open in':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = [("duel01, turn 4", duel(), 4)]
        games += [(f"{ships} ships, {drones} drones", fleet(folder, ships, drones), 1) for ships, drones in FLEETS]
        for title, records, turn in games:
            start = time.perf_counter()
            view = build_view(records, "umpire", turn=turn)
            html = sitrep_html(view)
            took = time.perf_counter() - start
            page = folder / "page.html"
            page.write_text(html, encoding="utf-8", newline="\n")
            sizes = [len(html.encode()), len(embedded(view).encode()), len(msgspec.json.encode(view.replay))]
            print(
                f"{title:<24}"
                + "".join(f"{size / 1000:>6.0f} kB" for size in sizes)
                + f"{took * 1000:>7.0f} ms{ready(browser, page):>10}",
                flush=True,
            )
    if driver is not None:
        browser.close()
        driver.stop()


if __name__ == "__main__":
    main()
