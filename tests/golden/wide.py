"""Short games of random captains in every scenario, of which only digests are kept: whatever is played, told, drafted
or offered differently shows here, wherever no rule case stands.

    python tests/golden/wide.py                 plays all and says what differs from wide.txt
    python tests/golden/wide.py --write         writes the new digests into wide.txt; say in the commit why they differ
    python tests/golden/wide.py --into FOLDER   writes what the digests are of, for ``diff -r`` with another commit's

A game is its key (:mod:`pbem.lab.random_games.play`) and so many turns. Of each stretch of play these are kept: the
orders a random captain wrote, what the check says of each of their lines, the log, and the draft of each side that is
asked; of the last stretch of a turn besides each side's sitrep, mail, the report's data and, if it is asked, the order
form; at the end the report's page and map, and the counters on the table.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.data.scenarios import Scenario  # noqa: E402
from pbem.engine.checking.check import check  # noqa: E402
from pbem.engine.events import UMPIRE, Record  # noqa: E402
from pbem.engine.log import encode_records  # noqa: E402
from pbem.engine.state import State  # noqa: E402
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from pbem.reports.draft.draft import draft_for  # noqa: E402
from pbem.reports.form.form import form_html  # noqa: E402
from pbem.reports.html.page import sitrep_html  # noqa: E402
from pbem.reports.mail.mime import Attachment  # noqa: E402
from pbem.reports.mail.sitrep_mail import mail_summary, mail_text  # noqa: E402
from pbem.reports.map.drawing import chart  # noqa: E402
from pbem.reports.text.sitrep import sitrep_text  # noqa: E402
from pbem.reports.view.build import build_view  # noqa: E402
from pbem.vassal_bridge.positions import write_positions  # noqa: E402
from tests.golden.held import clear_text, paged  # noqa: E402

FILE = Path(__file__).with_name("wide.txt")
RUN = 77
GAMES = 5
"""Games of each scenario."""
TURNS = 3


def keys() -> list[str]:
    """The games that are played."""
    return [key_for(number, RUN, game) for game in range(GAMES) for number in playable()]


def texts(key: str) -> Iterator[tuple[str, bytes]]:
    """What is kept of a game: a name as of a file, and what stands in it."""
    begun = opening(deal(key))
    setting, records = begun.setting, list(begun.records)
    yield "0.log", encode_records(records)
    for number, stretch in enumerate(stretches(begun, turns=TURNS), 1):
        request = stretch.before.request
        assert request is not None
        for side, answer in stretch.answers.items():
            yield f"{number}.{side}.orders", answer.text.encode()
            orders = read_orders(answer.text).orders
            assert orders is not None
            told_of = check(stretch.before, setting, request, side, orders)
            stale = {f"{unit}: {line}": why for (unit, line), why in told_of.stale.items()}
            yield f"{number}.{side}.check", pretty({**msgspec.structs.asdict(told_of), "stale": stale})
            yield f"{number}.{side}.draft", draft_for(stretch.before, setting, request, side).encode()
        records += stretch.records
        yield f"{number}.log", encode_records(stretch.records)
        last = stretch.after
        if last.over or last.turn != stretch.before.turn:
            yield from told(str(number), records, setting, last)
    yield from shown("end", records, setting)


def told(number: str, records: list[Record], setting: Scenario, state: State) -> Iterator[tuple[str, bytes]]:
    """What each side, the umpire and everybody is told, and what those are offered who owe orders."""
    asked = state.request.sides if state.request is not None and not state.over else ()
    for side in (*sorted(state.sides), "", UMPIRE):
        view = build_view(records, side, scenario=setting)
        who = side or "everybody"
        yield f"{number}.{who}.sitrep", sitrep_text(view).encode()
        yield f"{number}.{who}.view", pretty(view)
        if side in asked:
            yield f"{number}.{who}.form", paged(form_html(records, side, setting, "").encode())
            files = [Attachment(name, b"") for name in ("orders.html", "sitrep.html", "orders.draft", "positions.vsav")]
            yield f"{number}.{who}.mail", f"{mail_summary(view, None, files)}\n{mail_text('', files)}".encode()
        else:
            yield f"{number}.{who}.mail", mail_summary(view).encode()


def shown(number: str, records: list[Record], setting: Scenario) -> Iterator[tuple[str, bytes]]:
    """What is drawn of the game: map and report for the umpire, who sees all, and the counters on the table."""
    view = build_view(records, UMPIRE, scenario=setting)
    yield f"{number}.map", pretty(chart(view))
    yield f"{number}.page", paged(sitrep_html(view).encode())
    with tempfile.TemporaryDirectory() as folder:
        save = Path(folder) / "positions.vsav"
        write_positions(records, save)
        yield f"{number}.save", clear_text(save.read_bytes())


def pretty(value: object) -> bytes:
    """Data as JSON of many lines."""
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1)


def digests(key: str) -> str:
    """A line for each stretch: the digests of what is kept of it, by name."""
    lines: dict[str, list[str]] = {}
    for name, text in texts(key):
        number, _, rest = name.partition(".")
        lines.setdefault(number, []).append(f"{rest}={hashlib.sha256(text).hexdigest()[:8]}")
    return "".join(f"{number} {' '.join(found)}\n" for number, found in lines.items())


def kept() -> dict[str, str]:
    """The digests of each game as they were written."""
    parts = FILE.read_text(encoding="utf-8").split("\n[")[1:] if FILE.exists() else []
    return {key: rest for key, _, rest in (part.rstrip("\n").partition("]\n") for part in parts)}


def differences(key: str) -> list[str]:
    """What of a game is not as it was: its names, the first first."""
    now, was = digests(key).split(), kept().get(key, "").split()
    return [f"{new} (was {old})" for new, old in zip(now, was, strict=False) if new != old] or (
        [] if len(now) == len(was) else [f"{len(now)} digests, were {len(was)}"]
    )


def main() -> int:
    """The command of the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    gc.set_threshold(5_000_000, 20, 20)  # for the processes that follow, too
    if given.into:
        for key in keys():
            folder = given.into / key
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in texts(key):
                (folder / name).write_bytes(text)
        return 0
    if given.write:
        head = "Digests of short games of random captains: tests/golden/wide.py says of what, and writes them.\n"
        with ProcessPoolExecutor(given.processes) as pool:
            parts = [f"\n[{key}]\n{found}" for key, found in zip(keys(), pool.map(digests, keys()), strict=True)]
        FILE.write_text(head + "".join(parts), encoding="utf-8", newline="\n")
        return 0
    differ = {key: found for key in keys() if (found := differences(key))}
    for key, found in differ.items():
        print(f"{key}: {len(found)} differ, first {found[0]}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
