"""What hosting costs: `python bench/host.py` (or `--quick`: a tenth of it) prints two tables.

A host with 100 games and 50 letters waiting, then one with 1,000 games and 500 letters: duels in their second turn, of
which every fourth has both its answers in the mail. Each game that is played has dice, courses and orders of its own,
so nothing that is kept of one (pictures, orders that were read) helps with another. Measured are a round in which
nothing is to be done, and one that takes the letters in, plays what can be played and writes the reports; each size in
a process of its own, so that its memory can be told. Mails are handed to a server that is always there and costs
nothing.

Seconds are those of the processor, whatever else the machine does meanwhile.

The second table (`--turns 40` alone) is a round that plays so many turns with 1, 2 and 4 processes: what a turn costs
the host's own process and those that play, the turns a second by the clock on the wall, and what that would be if the
machine had nothing else to do: as many as the busiest process, or all cores together, can do. `--cluster` asks a local
dask cluster besides. `--profile 20` prints where the processor's time goes in a round that plays 20 turns here.

Nothing here is a test: times depend on the machine, the ratios less so.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import os
import pstats
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.app.cli import OBJECTS  # noqa: E402 (this checkout's)

SIZES = ((100, 50), (1000, 500))  # games, letters
SEND = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
TURN, REQUEST = 2, 2
"""Where the games stand: their orders for this turn are asked for."""
SETTINGS = """\
format = 1
orders = "orders@host.example"
umpire = "umpire@host.example"
[inbox]
kind = "maildir"
path = "Maildir"
"""


class Sink:
    """A server that takes everything."""

    def __init__(self) -> None:
        self.mails = self.bytes = 0

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails += 1
        self.bytes += len(mail)


PLAYERS = {"federation": "ann@example.org", "klingon": "kor@example.org"}
SHIPS = {"federation": "Constellation", "klingon": "Destruction"}
ENERGY = {
    1: {
        "federation": "PHASERS 3; PHOT A 2 WARP; PHOT B 2 WARP; SPEED {speed}",
        "klingon": "CAP 4; DISR A 2; SPEED {speed}",
    },
    2: {
        "federation": "PHOT A 2 WARP; PHOT B 2 WARP; SPEED {speed}; REINFORCE #1 WITH 4; PHASERS 0",
        "klingon": "DISR A 2; DISR B 2; SPEED {speed}; REINFORCE #1 WITH 3; GEN 2",
    },
}
BATTLE = {
    "federation": """\
DO
  EVERY IF SEEKER WITHIN 2 THEN FIRE ONE OF PH 3,2 AT EACH
  IF RANGE Destruction <= {near} THEN FIRE PHOT A,B PH 1-3 AT Destruction
  RESERVE UP TO 2 TO #1 IF INTERNALS > 0
  RESERVE UP TO 1 TO #6 IF INTERNALS > 0
BREAK INTERNALS
DAMAGE
  WEAPON PHOT B, PH 3 FIRST; WEAPON PHOT A LAST
  OTHER LAB, SHUTTLE FIRST
""",
    "klingon": """\
DO
  AT {impulse} LAUNCH DRN 1 AT Constellation
  IF RANGE Constellation <= {near} THEN FIRE DISR A,B PH 1-4 AT Constellation
  RESERVE UP TO 2 TO #1 IF INTERNALS > 2
BREAK #1 DOWN
DAMAGE
  WEAPON DISR A, DRN 1 FIRST
  ENGINE IMP LAST
  OTHER LAB, TRAN FIRST
""",
}
"""What both do in the turn that is measured: much as in the shipped duel."""


def orders(chance: random.Random, game: str, side: str, turn: int, number: int) -> str:
    """Some orders of a side, perhaps illegal ones: a course and ranges of its own, else as in the shipped duel."""
    head = f"GAME {game}  TURN {turn}  SIDE {side}  REPLY {number}\n"
    if number > REQUEST:
        return f"{head}CONTINUE\nEND\n"
    speed = chance.randint(8, 10) + (side == "klingon")
    head += f"SHIP {SHIPS[side]}\n"
    if number == 1:
        return f"{head}ENERGY\n  {ENERGY[turn][side].format(speed=speed)}\nEND\n"
    first, second = chance.randint(1, 4), chance.randint(1, 4)
    codes = [chance.choice(("F", "F", "L", "R", "SL", "SR")) for _ in range(2)]
    plot = f"{first}F {codes[0]} {second}F {codes[1]} F F"
    battle = BATTLE[side].format(near=chance.randint(3, 12), impulse=chance.randint(2, 9)) if turn == TURN else ""
    return f"{head}PLOT {plot}\n{battle}END\n"


def filed(game: Any, chance: random.Random, side: str) -> str:
    """Legal orders of a side for the request in force, which are on file then."""
    from pbem.errors import GameError
    from pbem.games.submit import submit

    request = game.state().request
    for _ in range(200):
        text = orders(chance, game.terms.name, side, request.turn, request.number)
        with suppress(GameError):
            submit(game, text, "")
            return text
    raise AssertionError(f"{game.terms.name}: no legal orders for {side}")


def begun(folder: Path) -> dict[str, str]:
    """A duel with dice and courses of its own, played to the request the games of the benchmark stand at.

    Returns the orders of both sides for it.
    """
    from pbem.games.create import new
    from pbem.games.resolve import resolve_game
    from pbem.games.storage.files import unsynced
    from pbem.games.storage.opening import opened
    from pbem.games.storage.papers import quick_reports
    from pbem.games.storage.publish import publish_all
    from pbem.mail.commands.dispatch import withdraw_orders

    chance = random.Random(folder.name)
    with unsynced():
        with quick_reports():  # what is made on the way is made anew below
            new("5", folder, players=PLAYERS, seed=folder.name)
            with opened(folder) as game:
                while (request := game.state().request) and (request.turn, request.number) != (TURN, REQUEST):
                    for side in request.sides:
                        filed(game, chance, side)
                    resolve_game(game)
                assert request is not None
                sides = request.sides
                found = {side: filed(game, chance, side) for side in sides}
                for side in sides:
                    withdraw_orders(game, side)
        with opened(folder) as game:
            publish_all(game)
    return found


def copied(begun: Path, folder: Path) -> None:
    """The same game under another name of the same length, in everything that is read again."""
    # Reports are only ever read or replaced: links to the same ones do, and spare six gigabytes.
    for path in begun.rglob("*"):
        target = folder / path.relative_to(begun)
        if path.is_dir():
            target.mkdir(parents=True)
        elif path.suffix in (".html", ".eml") and path.parts[-2:] != ("umpire", "mail.eml"):
            os.link(path, target)
        else:
            shutil.copyfile(path, target)
    named = ("*/events.jsonl", "*/state.json", "*/r*/umpire/mail.eml")  # its Message-ID says of which log it tells
    for path in [folder / "game.toml", *(path for pattern in named for path in folder.glob(pattern))]:
        path.write_bytes(path.read_bytes().replace(begun.name.encode(), folder.name.encode()))


def said(folder: Path) -> None:
    """As if the host had sent all this before: it has been at work for some time."""
    from pbem.games.storage.opening import opened
    from pbem.mail.host import clocks as timetable
    from pbem.mail.replies import announce
    from pbem.mail.seats import seats

    with opened(folder) as game:
        timetable.start(game, SEND)
        keys = ["first"]
        for seat in seats(folder):
            keys.append(announce.thread_key(game, seat))
            for one in announce.published(game):
                name = announce.sitrep_id(one, seat.side)
                keys += [name, announce.sitrep_key(name, seat)]
        timetable.SentNotices(folder).add(*keys)


def letter(folder: Path, side: str, number: int, text: str) -> bytes:
    """A player's answer."""
    from pbem.mail.seats import token_of

    return (
        f"From: {PLAYERS[side]}\r\nTo: orders@host.example\r\nSubject: Re: SITREP TOKEN {token_of(folder, side)}\r\n"
        f"Message-ID: <{number}@example.org>\r\n\r\n{text}"
    ).encode()


def prepared(host: Path, games: int, letters: int) -> None:
    """The folder of a host at work, with its letters waiting in ``later/``."""
    for name in ("new", "cur", "tmp"):
        (host / "Maildir" / name).mkdir(parents=True)
    (host / "later").mkdir()
    (host / "host.toml").write_text(SETTINGS, encoding="utf-8")
    (host / "games").mkdir()
    begun(host / "begun0")
    for number in range(games):
        folder = host / "games" / f"g{number:05}"
        played = number % 4 == 0 and number // 2 + 1 < letters
        answers = begun(folder) if played else {}
        if not played:
            copied(host / "begun0", folder)
        said(folder)
        for place, (side, text) in enumerate(answers.items()):
            (host / "later" / f"{number:06}.{place}").write_bytes(letter(folder, side, 2 * number + place, text))


class Stopwatch:
    """Seconds spent in some functions."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def on(self, owner: Any, name: str) -> None:
        inner: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **more: Any) -> Any:
            began = time.process_time()
            try:
                return inner(*arguments, **more)
            finally:
                self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - began

        setattr(owner, name, timed)


def measured(games: int, letters: int, keep: Path | None = None) -> None:
    """One host, round after round; prints what it took as JSON."""
    import resource

    from pbem.mail.host import round as rounds
    from pbem.mail.transport.sources import Maildir

    if keep is None:
        # In a process of its own, whose memory does not count here.
        folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
        subprocess.run([sys.executable, __file__, "--prepare", str(folder), str(games), str(letters)], check=True)
    else:
        folder = keep
    host = folder
    watch, sink = Stopwatch(), Sink()
    watch.on(rounds, "receive")
    watch.on(rounds, "play_all")
    watch.on(__import__("pbem.mail.transport.outbox", fromlist=["Outbox"]).Outbox, "deliver")
    now = SEND + timedelta(hours=1)

    def one() -> tuple[float, Any]:
        watch.spent.clear()
        began = time.process_time()
        done = rounds.host_round(host, lambda: now, source=Maildir(host / "Maildir"), carrier=sink)
        assert not done.troubles, done.troubles
        return time.process_time() - began, done

    found: dict[str, float] = {"games": games}
    try:
        if not (host / "host.toml").exists():
            prepared(host, games, letters)
        found["first round"], _ = one()
        idle = []
        for _ in range(3):
            took, done = one()
            assert not done.put
            idle.append(took)
        found["idle round"] = sorted(idle)[1]
        found["memory, idle (MB)"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        waiting = sorted((host / "later").iterdir())
        for path in waiting:
            path.rename(host / "Maildir" / "new" / f"{path.name}.bench")
        took, done = one()
        played = sum(one.what == "played" for _, happened in done.games for one in happened)
        assert (len(done.letters), played) == (len(waiting), len(waiting) // 2)
        found |= {
            "letters": len(waiting),
            "busy round": took,
            "letters a second": len(waiting) / watch.spent["receive"],
            "turns played": played,
            "turns a second": played / watch.spent["play_all"],
            "mails sent": sink.mails,
            "mails a second": sink.mails / watch.spent["deliver"],
            "memory (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        found["idle after it"], _ = one()
        print(json.dumps(found), flush=True)
    finally:
        if keep is None:
            shutil.rmtree(host, ignore_errors=True)


def processor(pids: list[int]) -> float:
    """Seconds of the processor that some processes have had; Linux tells."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def turns(host: Path, processes: int, cluster: bool, profile: cProfile.Profile | None = None) -> dict[str, float]:
    """One round with everything warm that plays half of the games."""
    from pbem.mail.host.round import host_round
    from pbem.mail.host.workers import Workers
    from pbem.mail.transport.sources import Maildir

    sink = Sink()
    with ExitStack() as stack:
        address = ""
        if cluster:
            distributed: Any = import_module("distributed")
            there = stack.enter_context(
                distributed.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
            )
            address = there.scheduler_address
            pids = [one.pid for one in there.workers.values()]
        workers = stack.enter_context(Workers(1 if cluster else processes, address))

        def one(number: int) -> int:
            now = SEND + timedelta(hours=number)
            done = host_round(host, lambda: now, source=Maildir(host / "Maildir"), carrier=sink, workers=workers)
            assert not done.troubles, done.troubles
            return sum(one.what == "played" for _, happened in done.games for one in happened)

        def post(paths: list[Path]) -> None:
            for path in paths:
                path.rename(host / "Maildir" / "new" / f"{path.name}.bench")

        waiting = sorted((host / "later").iterdir())
        post(waiting[:16])
        one(1)  # whatever is made once in a process is made now
        one(1)  # and games in which nothing happens rest, as they do from a host's second round on
        post(waiting[16:])
        if not cluster:
            pids = list(workers._pool._processes) if workers._pool is not None else []
        before, mine, began = processor(pids), time.process_time(), time.perf_counter()
        with profile or nullcontext():
            played = one(2)
        wall, own, theirs = time.perf_counter() - began, time.process_time() - mine, processor(pids) - before
    own, theirs = own / played, theirs / played
    cores = len(os.sched_getaffinity(0))
    return {
        "processes": processes,
        "turns": played,
        "ms of the host": 1000 * own,
        "ms of the others": 1000 * theirs,
        "turns a second": played / wall,
        "if it were quiet": min(1 / own, processes / theirs if theirs else 1 / own, cores / (own + theirs)),
    }


def told(rows: list[dict[str, float]]) -> None:
    for name in rows[0]:
        print(f"{name:<20}" + "".join(f"{row[name]:>12.2f}" for row in rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--one", nargs=2, type=int, metavar=("GAMES", "LETTERS"), help="one size, as JSON")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="with --one: the host's folder, kept")
    parser.add_argument("--prepare", nargs=3, metavar=("DIR", "GAMES", "LETTERS"), help="only make such a host")
    parser.add_argument("--turns", type=int, default=0, help="only the second table, with so many turns")
    parser.add_argument(
        "--profile", type=int, default=0, metavar="TURNS", help="where the time goes, with so many turns"
    )
    parser.add_argument(
        "--cluster", action="store_true", help="in the second table a dask cluster of this machine, too"
    )
    parser.add_argument("--with", dest="processes", type=int, help="with --turns: so many processes, as JSON")
    wanted = parser.parse_args()
    gc.set_threshold(OBJECTS)  # as a command has it
    if wanted.prepare:
        prepared(Path(wanted.prepare[0]), *map(int, wanted.prepare[1:]))
        return
    if wanted.processes or wanted.profile:
        count = wanted.turns or wanted.profile
        folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
        profile = cProfile.Profile(time.process_time) if wanted.profile else None
        try:
            prepared(folder, 4 * count + 32, 2 * count + 17)
            found = turns(folder, wanted.processes or 1, wanted.cluster, profile)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if profile is not None:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(90)
        print(json.dumps(found))
        return
    if wanted.turns:
        several(wanted.turns, wanted.cluster)
        return
    if wanted.one:
        measured(wanted.one[0], wanted.one[1], wanted.keep)
        return
    sizes = [(games // 10, letters // 10) for games, letters in SIZES] if wanted.quick else SIZES
    rows = []
    for games, letters in sizes:
        line = [sys.executable, __file__, "--one", str(games), str(letters)]
        rows.append(json.loads(subprocess.run(line, check=True, capture_output=True, encoding="utf-8").stdout))
    for name in rows[0]:
        values = [row[name] for row in rows]
        growth = f"x {values[1] / values[0]:.1f}" if values[0] else ""
        print(f"{name:<20}" + "".join(f"{value:>12.2f}" for value in values) + f"{growth:>10}")
    print()
    several(10 if wanted.quick else 40, wanted.cluster)


def several(count: int, cluster: bool) -> None:
    """The second table."""
    ways = [(1, False), (2, False), (4, False), *([(2, True)] if cluster else [])]
    rows = []
    for processes, there in ways:
        line = [sys.executable, __file__, "--turns", str(count), "--with", str(processes), *["--cluster"] * there]
        rows.append(json.loads(subprocess.run(line, check=True, capture_output=True, encoding="utf-8").stdout))
    told(rows)


if __name__ == "__main__":
    main()
