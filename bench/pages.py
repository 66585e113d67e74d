"""What report pages weigh and cost: `python bench/pages.py` prints one table.

The heaviest page of the shipped duel, and pages of fleets after a turn in which everybody moves, fires and shoots at
drones (see `run.py`). A page is made in so much of the processor's time, which what else is at work does not change,
from the log of the game. The data is what a page embeds; where Chromium and playwright are found, the page is opened
in it, and told are the time until its replay is ready, how many pictures a second its slider makes, and the time from
one picture of its film to the next.

Nothing here is a test: times depend on the machine, sizes do not.
"""

from __future__ import annotations

import gc
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.engine import FLEETS, fleet_start, fleet_turn  # noqa: E402
from pbem.app.cli import OBJECTS  # noqa: E402
from pbem.engine.events import Record, UnitPlaced  # noqa: E402
from pbem.engine.state import Seeker  # noqa: E402
from pbem.games.site import write_site  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.reports.html.page import embedded, sitrep_html  # noqa: E402
from pbem.reports.view.build import build_view  # noqa: E402


def duel() -> Sequence[Record]:
    """The shipped duel's log."""
    with opened(ROOT / "turns" / "duel01") as game:
        return game.effective()


def fleet(folder: Path, ships: int, drones: int) -> Sequence[Record]:
    """The log of a fleet's turn: the game as it was made, its drones, what was played."""
    played = fleet_turn(folder, ships, drones)()
    records = fleet_start(folder, ships).records
    seekers = [unit for _, unit in sorted(played.state.units.items()) if isinstance(unit, Seeker)]
    placed = [UnitPlaced(turn=0, unit=began(unit)) for unit in seekers]
    return [*records, *(Record(n=len(records) + n, event=event) for n, event in enumerate(placed, 1)), *played.records]


def began(seeker: Seeker) -> Seeker:
    """A drone as it stood before its first move."""
    first = seeker.track[0]
    return msgspec.structs.replace(
        seeker, hex=first.hex, facing=first.facing, track=(first,), gone="", damage=0, came_from=""
    )


SLIDE = """() => new Promise(done => {
  const slider = document.getElementById('replay-at'), most = +slider.max, draws = [];
  let k = 0, began = 0;
  const frame = now => {
    began ||= now;
    if (k > 120) return done([120000 / (now - began), Math.max(...draws)]);
    slider.value = k++ % (most + 1);
    const start = performance.now();
    slider.dispatchEvent(new Event('input'));
    draws.push(performance.now() - start);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""
"""Drags the slider on by one step in every picture the browser draws: pictures a second, and the slowest step in ms."""

FILM = """() => new Promise(done => {
  const speed = document.getElementById('replay-speed'), gaps = [];
  document.getElementById('replay-first').click();
  speed.value = [...speed.options].at(-1).value;
  document.getElementById('replay-play').click();
  let before = 0;
  const frame = now => {
    if (before) gaps.push(now - before);
    before = now;
    if (gaps.length < 240) return requestAnimationFrame(frame);
    gaps.sort((a, b) => a - b);
    done(gaps[Math.floor(0.95 * gaps.length)]);
  };
  requestAnimationFrame(frame);
})"""
"""Plays the film at its highest speed: how many milliseconds lie between two pictures, but for the longest 5 %."""


def in_browser(browser: Any, page: Path) -> tuple[float, float, float, float] | None:
    """Milliseconds until a page's replay is ready (as the browser counts them), pictures a second while its slider is
    dragged, the milliseconds its slowest step takes, and those between two pictures of the film (95th percentile).
    """
    if browser is None:
        return None
    opened_page = browser.new_page()
    opened_page.goto(page.as_uri())
    opened_page.wait_for_selector("html[data-replay=ready]", state="attached")
    took = opened_page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    rate, slowest = opened_page.evaluate(SLIDE)
    film = opened_page.evaluate(FILM)
    opened_page.close()
    return float(took), float(rate), float(slowest), float(film)


LIMITS = {2: 300, 20: 2000}
"""The most kB of the page of so many ships. A page is to be ready within 1000 ms, its slider to make 30 pictures a
second, and its film one in 20 ms.
"""


def too_much(ships: int, size: float, seen: tuple[float, float, float, float] | None) -> str:
    """What of a page is above its limit, in words."""
    found = [f"more than {LIMITS[ships]} kB"] if size > LIMITS.get(ships, size) else []
    if seen is not None and ships <= max(LIMITS):
        found += ["slow to open"] if seen[0] > 1000 else []
        found += ["slow slider"] if seen[1] < 30 else []
        found += ["slow film"] if seen[3] > 20 else []
    return ", ".join(found)


def main() -> None:
    """Prints the table; ends with 1 if a page is above a limit."""
    gc.set_threshold(OBJECTS)  # as a command has it
    driver: Any = None
    browser: Any = None
    try:
        from playwright.sync_api import sync_playwright

        driver = sync_playwright().start()
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
    except Exception as error:
        print(f"no browser: {type(error).__name__}", file=sys.stderr)
    head = ("page", "data", "replay", "made in", "open in", "slider", "slowest step", "film")
    print(f"{'report page, umpire':<24}" + "".join(f"{word:>9}" for word in head[:3]) + f"{head[3]:>10}{head[4]:>10}"
          f"{head[5]:>10}{head[6]:>14}{head[7]:>10}")  # fmt: skip
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = [(2, "duel01, turn 4", duel(), 4)]
        games += [
            (ships, f"{ships} ships, {drones} drones", fleet(folder, ships, drones), 1) for ships, drones in FLEETS
        ]
        sitrep_html(build_view(games[0][2], "umpire", turn=1))  # the templates are compiled
        for ships, title, records, turn in games:
            start = time.process_time()
            view = build_view(records, "umpire", turn=turn)
            html = sitrep_html(view)
            took = time.process_time() - start
            page = folder / "page.html"
            page.write_text(html, encoding="utf-8", newline="\n")
            sizes = [len(html.encode()), len(embedded(view).encode()), len(msgspec.json.encode(view.replay))]
            seen = in_browser(browser, page)
            times = (
                f"{seen[0]:>7.0f} ms{seen[1]:>6.0f} /s{seen[2]:>11.1f} ms{seen[3]:>7.1f} ms"
                if seen
                else f"{'-':>10}{'-':>9}{'-':>14}{'-':>10}"
            )
            over = too_much(ships, sizes[0] / 1000, seen)
            faults += bool(over)
            print(
                f"{title:<24}"
                + "".join(f"{size / 1000:>6.0f} kB" for size in sizes)
                + f"{took * 1000:>7.0f} ms{times}  {over}".rstrip(),
                flush=True,
            )
        start = time.perf_counter()
        site = write_site(ROOT / "turns" / "duel01", folder / "site")
        took = time.perf_counter() - start
        weight = sum(path.stat().st_size for path in (folder / "site").iterdir())
        print(f"{'site of duel01':<24}{weight / 1000:>6.0f} kB in {site.files} files, made in {took * 1000:.0f} ms")
    if driver is not None:
        if browser is not None:
            browser.close()
        driver.stop()
    sys.exit(1 if faults else 0)


def chromium() -> str | None:
    """A Chromium of this machine; else playwright looks for its own."""
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    return next((path for name in names if (path := shutil.which(name))), None)


if __name__ == "__main__":
    main()
