"""How long *Send* takes in a local game: `python bench/evening.py [--plan 5] [--requests 15]` prints one table.

A server as `pbem play` starts it, and a client that does what the page does: it lets the orders be checked, waits as
long as a person plans, then sends them, and loads the next page with its report and its form. Timed is the way from
the click on *Send* until report and form are there: by the clock, in time of the server's processor, and in time of
all processors. The last is what the clock would show at most on a machine that does nothing else: what computer
players decide in another process counts there as far as it falls into that time. The person plans until the other
process has nothing to do, or had the processor for so many seconds.

The person's orders are those of an ensign. Nothing here is a test: times depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.app.cli import OBJECTS  # noqa: E402
from pbem.app.web.evening import Table  # noqa: E402
from pbem.app.web.server import Evening  # noqa: E402
from pbem.games.computer_sides import captains_orders  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from tests.app.web.asking import Asker  # noqa: E402

GAMES = (
    ("1", "federation", "computer"),
    ("2", "federation", "computer"),
    ("5", "klingon", "captain"),
    ("5", "klingon", "commodore"),
    ("10", "klingon", "captain"),
    ("10", "klingon", "commodore"),
)
"""Scenario, side of the person, and opponent of each game."""


def shown(asker: Asker, page: str, side: str, *, owes: bool) -> None:
    """Load the page of a game, its report, and its form if orders are due."""
    game = page.partition("?")[0]
    for path in (page, f"{game}/{side}/report", *([f"{game}/{side}/form"] if owes else [])):
        status, _, text = asker.ask(path)
        assert status == 200, (path, status, text[:300])


def busy() -> float:
    """Seconds of the processor that other processes of this one have used so far (where there is /proc)."""
    ticks = 0
    for child in multiprocessing.active_children():
        with suppress(OSError):
            words = Path(f"/proc/{child.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            ticks += int(words[11]) + int(words[12])
    return ticks / 100


def planned(seconds: float) -> None:
    """Wait as a person plans on a machine that does nothing else."""
    began, idle, late = busy(), 0.0, time.monotonic() + 20 * seconds
    time.sleep(min(seconds, 1.5))
    before = busy()
    while busy() - began < seconds - 1 and idle < 1.0 and time.monotonic() < late:
        time.sleep(0.1)
        now = busy()
        idle, before = (idle + 0.1 if now == before else 0.0), now


Times = tuple[float, float, float]
"""Seconds by the clock, of the server's processor, and of all processors."""


def play(asker: Asker, table: Table, row: tuple[str, str, str], requests: int, plan: float) -> list[Times]:
    """Play games of one kind until so many requests were answered."""
    number, side, against = row
    found: list[Times] = []
    name = ""
    while len(found) < requests:
        if not name or table.look(name).now.over:
            page = asker.ask("/begin", {"version": number, "side": side, "against": against})[1]["location"]
            name = page.removeprefix("/game/")
            shown(asker, page, side, owes=True)
        with opened(table.path(name)) as game:
            orders = captains_orders(game, side, "ensign")
        path, form = f"/game/{name}/{side}/", {"orders": orders}
        asker.ask(f"{path}check", form, Accept="application/json")
        if plan:
            planned(plan)
        clock, processor, others = time.perf_counter(), time.process_time(), busy()
        status, _, text = asker.ask(f"{path}send", form, Accept="application/json")
        assert status == 200, text[:300]
        seen = table.look(name)
        shown(asker, json.loads(text)["next"], side, owes=bool(seen.owing))
        mine = time.process_time() - processor
        found.append((time.perf_counter() - clock, mine, mine + busy() - others))
    return found


def part(values: Sequence[float], of_hundred: int) -> float:
    """The value below which so many of a hundred lie, in milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, len(values) * of_hundred // 100)]


def main() -> None:
    """Prints the table."""
    given = argparse.ArgumentParser()
    given.add_argument("--plan", type=float, default=5.0, help="seconds for which the person plans")
    given.add_argument("--requests", type=int, default=15, help="how often orders are sent, in each row")
    given.add_argument("--each", action="store_true", help="print each time, too")
    asked = given.parse_args()
    gc.set_threshold(OBJECTS)  # as a command has it
    with tempfile.TemporaryDirectory() as name:
        evening: Any = Evening(Path(name))
        thread = threading.Thread(target=evening.run, daemon=True)
        thread.start()
        key = parse_qs(urlsplit(evening.address).query)["key"][0]
        asker = Asker(evening.port, f"pbem-{evening.port}={key}")
        table = Table(Path(name))
        print(f"{'Send, until report and form are there':<40}{'clock':>16}{'server':>16}{'all':>16}  (median, p95, ms)")
        play(asker, table, GAMES[0], 1, 0)  # templates and figures are read
        for row in GAMES:
            times = play(asker, table, row, asked.requests, 0 if row[2] == "computer" else asked.plan)
            words = f"#{row[0]} against {row[2]}, {len(times)} requests"
            kinds = list(zip(*times, strict=True))
            print(
                f"{words:<40}" + "".join(f"{part(kind, 50):>8.0f}{part(kind, 95):>8.0f}" for kind in kinds), flush=True
            )
            if asked.each:
                print("   ", *(f"{1000 * one:.0f}" for one in kinds[2]), flush=True)
        evening.stop()
        thread.join(20)


if __name__ == "__main__":
    main()
