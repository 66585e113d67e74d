"""Throws mangled files at ``vassal``: `python tests/vassal/fuzz/run.py [--minutes 3] [--seed 1] [FILE …]`.

The seeds are the saves, logs and modules in ``tests/vassal/data``, and the files in ``corpus/`` beside this
program: each once broke something. Every file must be read, or refused with a :class:`~vassal.VassalError` of
one line, within ten seconds; what does otherwise is written to ``found/`` and named. With FILEs only those are
tried. With atheris installed (`pip install atheris`), `--atheris` lets it choose the mutations by coverage.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import tempfile
import time
import traceback
import zipfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data"
sys.path.insert(0, str(HERE.parents[2]))

from vassal.container.obfuscation import (  # noqa: E402
    mask_passwords,
    reveal,
)
from vassal.dump import (  # noqa: E402
    diff_saves,
    dump_module,
    dump_save,
)
from vassal.errors import VassalError  # noqa: E402
from vassal.log import read_log  # noqa: E402
from vassal.module.module import Module, read_module  # noqa: E402
from vassal.save import Save, read_save  # noqa: E402
from vassal.text import commands  # noqa: E402
from vassal.write import Change, update  # noqa: E402

SLOW = 10.0
SCRAPS = [
    b"\x1b", b"\t", b"\\", b"'", b"/", b";", b"|", b"~", b",", b"$", b"-1", b"9" * 30, b"null", b"\n", b"\xff", b"\0",
    b"LOG\t", b"+/", b"D/", b"M/", b"-/", b"stack", b"deck;", b"rotate;", b"label;", b"emb2;", b"$pieceName$", b"1e400",
    b"<", b'"', b"NaN", b"true", b"", b"\xed\xa0\xbd",
]  # fmt: skip


@cache
def space() -> Module:
    """The module the saves are looked at with."""
    return read_module(DATA / "HexSpaceTest.vmod")


@cache
def before() -> Save:
    """A save to compare with."""
    return read_save(DATA / "hexspace-full-3.7.26.vsav")


def one(kind: bytes, data: bytes, folder: Path) -> None:
    """Everything that can be done with one file; *kind* is S (text of a save), M (a build file) or Z (a zip)."""
    path = folder / "fuzzed"
    path.unlink(missing_ok=True)
    if kind == b"Z":
        path.write_bytes(data)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("savedGame" if kind == b"S" else "buildFile.xml", data)
    for job in (as_module,) if kind == b"M" else (as_save, as_log) if kind == b"S" else (as_save, as_module):
        try:
            job(path)
        except VassalError as error:
            assert str(error).strip(), "an error without words"
            assert "\n" not in str(error), f"an error of many lines: {error}"


def as_save(path: Path) -> None:
    """Reads, dumps, plays, compares, masks, updates and writes."""
    save = read_save(path)
    assert save.text == reveal(zipfile.ZipFile(path).read("savedGame")), "the text is not the same"
    json.dumps(dump_save(save, space()))
    json.dumps(dump_save(save.played(), None))
    diff_saves(before(), save, space())
    commands.encode(mask_passwords(save.tree))
    chosen = [piece.id for piece in save.pieces[:2]]
    changed = update(save, {chosen[0]: Change(at=(24, 28))} if chosen else {}, remove=chosen[1:])
    changed.write(path.with_name("written"))
    assert read_save(path.with_name("written")).text == changed.text


def as_log(path: Path) -> None:
    """Reads the steps and writes them again."""
    log = read_log(path)
    log.write(path.with_name("written"))
    assert read_log(path.with_name("written")).steps == log.steps


def as_module(path: Path) -> None:
    """Reads, dumps and asks for places."""
    module = read_module(path)
    json.dumps(dump_module(module))
    for game_map in module.maps:
        with contextlib.suppress(VassalError):
            layout = game_map.layout()
            for point in ((0, 0), (100, 100), (-5, 10**9)):
                layout.snap(point)
                name = layout.location(point)
                with contextlib.suppress(VassalError):
                    layout.pixel(name)


def seeds() -> list[bytes]:
    """The seed corpus: one letter for the kind, then the bytes."""
    found = []
    for path in sorted(DATA.iterdir()):
        if path.suffix in (".vsav", ".vlog"):
            found += [b"Z" + path.read_bytes(), b"S" + reveal(zipfile.ZipFile(path).read("savedGame")).encode("utf-8")]
        elif path.suffix == ".vmod":
            found += [b"Z" + path.read_bytes(), b"M" + zipfile.ZipFile(path).read("buildFile.xml")]
    return found + [path.read_bytes() for path in sorted((HERE / "corpus").iterdir())]


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """*data* with some wounds: cut, doubled, overwritten, or with a part of another seed in it."""
    whole = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 6, 12))):
        place = chance.randrange(1, len(whole) + 1)
        length = chance.choice((0, 1, 1, 2, 5, 20, 200))
        what = chance.randrange(4)
        if what == 0:
            scrap = chance.choice(SCRAPS)
        elif what == 1:
            scrap = chance.choice(SCRAPS) * chance.choice((2, 3, 40, 600))
        elif what == 2:
            other = chance.choice(others)
            start = chance.randrange(len(other))
            scrap = other[start : start + chance.choice((5, 50, 500))]
        else:
            start = chance.randrange(len(whole))
            scrap = bytes(whole[start : start + chance.choice((1, 10, 100))])
        whole[place : place + length] = scrap
    return bytes(whole)


def tried(data: bytes, folder: Path) -> bool:
    """Whether a file did what it must; tells and keeps it if not."""
    began = time.perf_counter()
    try:
        one(data[:1], data[1:], folder)
        if time.perf_counter() - began < SLOW:
            return True
        print(f"it took {time.perf_counter() - began:.0f} seconds")
    except Exception:
        traceback.print_exc(limit=-4)
    found = HERE / "found"
    found.mkdir(exist_ok=True)
    path = found / f"{time.time_ns()}"
    path.write_bytes(data)
    print(f"kept as {path}\n", flush=True)
    return False


def main() -> int:
    """Runs until the time is over; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--atheris", action="store_true")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.files:
            return int(sum(not tried(path.read_bytes(), folder) for path in asked.files) > 0)
        corpus = seeds()
        bad = sum(not tried(seed, folder) for seed in corpus)
        if asked.atheris:
            import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

            atheris.instrument_all()
            (folder / "corpus").mkdir()
            for index, seed in enumerate(corpus):
                (folder / "corpus" / str(index)).write_bytes(seed)
            atheris.Setup(
                [sys.argv[0], str(folder / "corpus"), f"-max_total_time={int(asked.minutes * 60)}"],
                lambda data: one(data[:1], data[1:], folder),
            )
            atheris.Fuzz()
        chance, count = random.Random(asked.seed), 0
        end = time.monotonic() + asked.minutes * 60
        while time.monotonic() < end:
            bad += not tried(mutated(chance.choice(corpus), corpus, chance), folder)
            count += 1
    print(f"{count} mangled files, {bad} found")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
