"""A corpus of whole games, each kept as its orders alone: games/NAME.toml; digests.txt has what came of them.

    python -m tests.corpus                      plays all and says which games differ, and from which impulse on
    python -m tests.corpus NAME …               only these games; names go with every option
    python -m tests.corpus --against CHECKOUT   plays them in both, and says the first event that differs
    python -m tests.corpus --write              keeps the digests; say in the commit why they differ
    python -m tests.corpus --record NAME        writes a game, or mends one whose orders are not legal any more

CHECKOUT is a folder or a commit of git. Names of new games: see record.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import zip_longest
from pathlib import Path

from pbem.engine.log import decode_records, encode_records
from pbem.errors import GameError
from pbem.reports.text.sentences import sentence
from pbem.util import several
from tests.corpus import replay
from tests.corpus.record import record

HERE = Path(__file__).resolve().parent
FILE = HERE / "digests.txt"
END = "the log has ended"


def kept() -> dict[str, str]:
    """The digests of each game as they were written, by name."""
    lines = FILE.read_text(encoding="ascii").splitlines() if FILE.is_file() else []
    return {name: rest for name, _, rest in (line.partition(" ") for line in lines)}


def difference(path: Path, was: str) -> str:
    """Where a game is played otherwise than its digests ``was`` say, or why it cannot be played; ``""`` if neither."""
    found = replay.played(replay.read(path))
    differs = replay.place_of(replay.digest_of(found), was)
    return "; ".join(said for said in (found.broken, differs and f"differs: {differs}") if said)


def write(paths: Sequence[Path]) -> list[str]:
    """Keep the digests of these games; return a sentence for each that cannot be played to its end."""
    now, broken = kept(), []
    for path in paths:
        found = replay.played(replay.read(path))
        now[path.stem] = replay.digest_of(found)
        broken += [f"{path.stem}: {found.broken}"] if found.broken else []
    lines = [f"{path.stem} {now[path.stem]}\n" for path in replay.paths() if path.stem in now]
    FILE.write_text("".join(lines), encoding="ascii", newline="\n")
    return broken


@contextmanager
def checkout(named: str) -> Iterator[Path]:
    """The folder of another checkout; a commit is unpacked into a folder for as long as it is needed."""
    if Path(named).is_dir():
        yield Path(named).resolve()
        return
    packed = subprocess.run(["git", "archive", named, "pbem", "vassal", "templates"], cwd=HERE.parents[1],
                            check=True, capture_output=True).stdout  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
        yield Path(folder)


def against(paths: Sequence[Path], there: Path) -> Iterator[str]:
    """Play games here and in another checkout; yield the first event that differs of each game that does."""
    command = [sys.executable, str(HERE / "replay.py"), *map(str, paths)]
    env = {**os.environ, "PYTHONPATH": str(there)}
    with subprocess.Popen(command, cwd=there, env=env, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        for path in paths:
            found = replay.played(replay.read(path))
            line = other.stdout.readline()
            if not line:
                raise SystemExit(f"{there} cannot play {path.stem}")
            broken, *theirs = json.loads(line)
            said = first_difference(encode_records(found.records).decode().splitlines(), theirs)
            for where, why in (("here", found.broken), ("there", broken)):
                said += f"\n  {where} it stops: {why}" if why else ""
            if said:
                yield f"{path.stem}:{said}"


def first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """The first event in which two logs differ, in words; ``""`` if there is none."""
    for one, other in zip_longest(ours, theirs, fillvalue=""):
        if one != other:
            here, there = in_words(one), in_words(other)
            more = fields_that_differ(one, other) if here == there else ""
            return f"\n  here:  {here}\n  there: {there}{more}"
    return ""


def in_words(line: str) -> str:
    """An event of a log with its place; as it stands if this version cannot read it."""
    if not line:
        return END
    try:
        (read,) = decode_records(line.encode())
    except GameError:
        return line
    event = read.event
    return f"turn {event.turn}, impulse {event.impulse}, {event.step}: {sentence(event)}"


def fields_that_differ(one: str, other: str) -> str:
    """What two events that read alike do not have in common."""
    ours, theirs = ({"": json.loads(line)} for line in (one, other))
    found = list(unlike(ours, theirs, ""))
    return "".join(f"\n  {place}: {here!r} here, {there!r} there" for place, here, there in found[:5])


def unlike(ours: object, theirs: object, place: str) -> Iterator[tuple[str, object, object]]:
    """The places where two values of JSON differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in dict.fromkeys((*ours, *theirs)):
            yield from unlike(ours.get(key), theirs.get(key), f"{place}.{key}".strip("."))
    elif ours != theirs:
        yield place, ours, theirs


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="*")
    for option in ("--write", "--record"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--against", metavar="CHECKOUT")
    given = parser.parse_args()
    paths = [replay.GAMES / f"{name}.toml" for name in given.name]
    if given.record:
        for name in given.name:
            try:
                print(record(name))
            except (ValueError, KeyError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                return 1
        return 0
    paths = paths or replay.paths()
    if given.write:
        said = write(paths)
    elif given.against:
        with checkout(given.against) as there:
            said = list(against(paths, there))
    else:
        was = kept()
        said = [f"{path.stem}: {found}" for path in paths if (found := difference(path, was.get(path.stem, "")))]
    print("\n".join([*said, f"{several(len(paths), 'game')}; {len(said)} differ or cannot be played on"]))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
