"""Reads mangled files as the program does: ``python -m tests.fuzz.files KIND --count 1000 --seed 1``.

KIND is ``orders``, ``host``, ``players``, ``archive`` or ``save``. Kept files are mutated, and some are made of words
alone. Each must be read, or refused by one of the program's own faults, in :data:`MOST_SECONDS` of CPU for each way to
read it and with :data:`MOST_MEMORY` more memory. What does otherwise is put into ``--found FOLDER`` and told. With
atheris installed, ``--atheris`` chooses the mutations by coverage. All files are read in one process.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import random
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import process_time
from typing import Final, NamedTuple

from pbem.club import tournament
from pbem.errors import GameError
from pbem.games.answers import judge
from pbem.games.create import new
from pbem.games.proof.archive import archive, opened_archive
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.resolve import resolve_game
from pbem.games.storage.files import decode_orders, unsynced
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.vassal_files import header
from pbem.mail.people import Roll, read_people
from pbem.mail.replies.receipts import corrected
from pbem.mail.settings import INITIAL, read_host
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.export import export_game, write_save
from pbem.vassal_bridge.import_plots import orders_in_notes, tried_out
from pbem.vassal_bridge.import_positions import import_positions, open_save
from pbem.vassal_bridge.positions import companion
from pbem.vassal_bridge.propose import propose
from vassal.container.obfuscation import mask_passwords
from vassal.dump import as_json, diff_saves, dump_module, dump_save
from vassal.errors import VassalError
from vassal.log import read_log
from vassal.module.module import Module, read_module
from vassal.save import read_save, read_text
from vassal.text import commands

ROOT: Final = Path(__file__).resolve().parents[2]
MOST_SECONDS: Final = 0.5
"""CPU that one file may take in each way it is read, answer included."""
MOST_MEMORY: Final = 400
"""Megabytes by which one file may raise the most memory that the process ever held."""
SCRAPS: Final = (
    b"\n", b"\r\n", b"\t", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\xbd", b'"', b"'", b"#", b";", b",", b"=",
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"-", b"_", b".", b"/", b"\\", b"|", b"~", b"&", b"*", b"$", b"%",
    b"9" * 30, b"9" * 5000, b"-1", b"0", b"1e400", b"inf", b"nan", b"true", b"1979-05-27", b"None", b"\xc2\xa0",
)  # fmt: skip
"""What is put in: signs with a meaning, and numbers that are out of all bounds."""
TIMES: Final = (1, 1, 1, 2, 3, 40, 700, 20_000)


class Kind(NamedTuple):
    """One kind of file: files to begin with, words of its language, what reads one, and other ways to read it."""

    seeds: Callable[[], list[bytes]]
    words: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], None]
    also: tuple[Callable[[bytes, Path], None], ...] = ()


# --- orders ----------------------------------------------------------------------------------------------------------


@cache
def fleet() -> GameFolder:
    """A game of three ships a side, whose orders and energy come in one file."""
    folder = Path(tempfile.mkdtemp(prefix="pbem-fuzz-")) / "fleet"
    players = {"federation": "robot", "klingon": "bob@example.org"}
    with unsynced():
        new("12", folder, players=players, options={"reveal": "none"}, units=["Death"], seed="fuzz")
    game = opened(folder)
    return game.__enter__()


def order_seeds() -> list[bytes]:
    """Order files of the example games, for the fleet as well, and its own draft."""
    head = b"GAME fleet TURN 1 SIDE klingon REPLY 1\n"
    kept = [path.read_bytes() for path in sorted((ROOT / "turns").glob("*/0*/orders/*.orders"))]
    drafts = [path.read_bytes() for path in sorted(fleet().path.glob("01/r1/klingon/*.draft"))]
    own = [head + text.partition(b"\n")[2].replace(b"Destruction", b"War") for text in kept]
    return [*kept[:20], *own, *drafts]


def order_words() -> list[bytes]:
    """Words of the order language, and the names of ships."""
    from pbem.orders import vocabulary as words

    ships = ("War", "Fire", "Death", "Constellation", '"Fire"', "FD/1")
    return [
        word.encode() for word in (*words.KEYWORDS, *words.HEADINGS, *words.COURTESIES, *ships, "#1", "2.5", "4F", "<=")
    ]


def read_orders_file(data: bytes, folder: Path) -> None:
    """Checks an order file, and makes a corrected draft where it has faults."""
    game = fleet()
    text = decode_orders(data, "fuzzed.orders")
    request = game.state().request
    assert request is not None
    faults = judge(game, text, "fuzzed.orders").faults
    assert len(faults) < 6_000
    if faults and len(text) < 60_000:
        corrected(game, request, "klingon", text, faults)


# --- host.toml, players.toml, tournaments ----------------------------------------------------------------------------


def host_seeds() -> list[bytes]:
    """The first host.toml, whole and in parts, and settings of mail servers."""
    mail = INITIAL + '\n[inbox]\nimap = "imap.example.org"\nuser = "x"\n[outbox]\nsmtp = "smtp.example.org"\n'
    rules = "format = 1\norders = 'a@b.c'\numpire = 'd@e.f'\n[deadline]\nafter = '3 days'\nremind = ['1 day']\n"
    return [INITIAL.encode(), mail.encode(), rules.encode()]


def people_seeds() -> list[bytes]:
    """Players of a club, and a tournament of theirs."""
    people = "".join(f'[{key}]\nname = "{key.title()}"\nmail = "{key}@example.org"\n' for key in ("ann", "bob", "cy"))
    plan = 'title = "Cup"\nkind = "swiss"\nplayers = ["ann", "bob", "cy"]\nscenario = "4"\nlegs = 2\nrounds = 3\n'
    return [f"format = 1\n{people}".encode(), f"format = 1\n{plan}".encode()]


def toml_words() -> list[bytes]:
    """Keys and values of the settings, in all types."""
    keys = ("format", "orders", "inbox", "outbox", "deadline", "letters", "name", "mail", "writes", "was", "workers")
    values = ('"x"', "1", "true", "[]", "{}", "[[1]]", "1.5", "1979-05-27", '"3 days"', '""', "'''a'''", "-1", "9e99")
    lines = [f"\n{key} = {value}\n" for key in keys for value in values]
    return [line.encode() for line in (*lines, *(f"\n[{key}]\n" for key in keys), *(f"\n[[{key}]]\n" for key in keys))]


def read_host_file(data: bytes, folder: Path) -> None:
    """Reads a host.toml."""
    (folder / "host.toml").write_bytes(data)
    read_host(folder)


def read_people_file(data: bytes, folder: Path) -> None:
    """Reads a players.toml, and the same bytes as a tournament."""
    (folder / "players.toml").write_bytes(data)
    (folder / "tournaments").mkdir(exist_ok=True)
    (folder / "tournaments" / "cup.toml").write_bytes(data)
    people = Roll(format=1)
    try:
        people = read_people(folder)
    finally:
        tournament.read(folder, "cup", people)


# --- archives --------------------------------------------------------------------------------------------------------


@cache
def archived() -> bytes:
    """The archive of a game that ends with its first turn, since both sides give up."""
    folder = Path(tempfile.mkdtemp(prefix="pbem-fuzz-")) / "duel"
    with unsynced():
        new("5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="fuzz")
        with opened(folder, lock="play") as game:
            for side in ("federation", "klingon"):
                text = f"GAME duel TURN 1 SIDE {side} REPLY 1\nCONCEDE\nEND\n"
                submit(game, text, f"{side}.orders")
            resolve_game(game)
            return archive(game)


def archive_seeds() -> list[bytes]:
    """The archive, and its files one by one behind their names."""
    with zipfile.ZipFile(io.BytesIO(archived())) as whole:
        single = [f"{name}\n".encode() + whole.read(name) for name in whole.namelist()]
    return [archived(), *single]


def read_archive_file(data: bytes, folder: Path) -> None:
    """Opens an archive, or one in which a file has other bytes: ``NAME``, a line end, then the bytes."""
    file = folder / "game.pbem.zip"
    name, _, body = data.partition(b"\n")
    with zipfile.ZipFile(io.BytesIO(archived())) as whole:
        entries = {one: whole.read(one) for one in whole.namelist()}
    called = name.decode("utf-8", "replace")
    if called in entries or not data.startswith(b"PK"):
        entries[called[:1_000].replace("\0", "?") or "?"] = body
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
            for one, content in entries.items():
                out.writestr(one, content)
    else:
        file.write_bytes(data)
    with opened_archive(file) as (game, _proof):
        game.state()
    verify_archive(file)


# --- saves -----------------------------------------------------------------------------------------------------------


def save_seeds() -> list[bytes]:
    """Saves, logs and modules: as they are, and the text in them (S a save, M a build file)."""
    found: list[bytes] = []
    for path in sorted((ROOT / "tests" / "vassal" / "data").iterdir()):
        if path.suffix in (".vsav", ".vlog", ".vmod"):
            found.append(b"Z" + path.read_bytes())
        if path.suffix == ".vmod":
            with zipfile.ZipFile(path) as whole:
                found.append(b"M" + whole.read("buildFile.xml"))
        elif path.suffix in (".vsav", ".vlog"):
            found.append(b"S" + read_save(path).text.encode())
    own = on_the_table()[2]
    found += [b"Z" + own.read_bytes(), b"S" + read_text(own).encode()]
    return [*found, *(path.read_bytes() for path in sorted((ROOT / "tests/vassal/fuzz/corpus").iterdir()))]


def save_words() -> list[bytes]:
    """Words of commands and of traits."""
    said = (
        "LOG\t",
        "+/",
        "D/",
        "M/",
        "-/",
        "stack",
        "deck;",
        "rotate;",
        "label;",
        "emb2;",
        "$pieceName$",
        "\x1b",
        "null",
    )
    return [word.encode() for word in said]


@cache
def on_the_table() -> tuple[Module, Binding, Path]:
    """The companion module, which counter of it stands for which unit of the fleet, and a save of its positions."""
    state, module = fleet().state(), companion()
    binding = propose(state, module)
    file = fleet().path.parent / "positions.vsav"
    write_save(export_game(state, module, binding, notes="Turn 1").save, file)
    return module, binding, file


@cache
def around() -> dict[str, bytes]:
    """What stands in a save of the companion module beside its text."""
    with zipfile.ZipFile(on_the_table()[2]) as whole:
        return {name: whole.read(name) for name in whole.namelist() if name != "savedGame"}


def reading(job: Callable[[Path], object], kinds: bytes) -> Callable[[bytes, Path], None]:
    """What writes a save or module into a file and does ``job`` with it, if it is of these kinds."""

    def read(data: bytes, folder: Path) -> None:
        if data[:1] in b"ZSM" and data[:1] not in kinds:
            return
        path = folder / "fuzzed.vsav"
        if data[:1] == b"Z":
            path.write_bytes(data[1:])
        else:
            with zipfile.ZipFile(path, "w") as out:
                for name, content in around().items() if data[:1] == b"S" else ():
                    out.writestr(name, content)
                out.writestr("savedGame" if data[:1] == b"S" else "buildFile.xml", data[1:])
        try:
            job(path)
        except VassalError as error:
            assert str(error).strip() and "\n" not in str(error), "the sentence of a fault is one line"
            raise

    read.__qualname__ = job.__name__
    return read


def _dumped_save(path: Path) -> None:
    json.dumps(dump_save(read_save(path)))


def _dumped_on_its_maps(path: Path) -> None:
    json.dumps(dump_save(read_save(path), on_the_table()[0]))


def _text(path: Path) -> None:
    """What ``vassal text`` does, and ``vassal text --json``."""
    tree = mask_passwords(commands.parse(read_text(path), path.name))
    as_json([dataclasses.asdict(leaf.command) for leaf in commands.leaves(tree)])


def _compared(path: Path) -> None:
    """What ``vassal diff`` does, both ways."""
    one, other = read_save(path), read_save(on_the_table()[2])
    for saves in ((one, other), (other, one)):
        assert all(str(change).strip() for change in diff_saves(*saves, on_the_table()[0]))


def _located(path: Path) -> None:
    """What ``vassal locate`` does, with a name and with pixels."""
    for game_map in read_module(path).maps[:5]:
        layout = game_map.layout()
        points = [(0, 0), (-1, 9**9), (552, 392)]
        with suppress(VassalError):
            points.append(layout.pixel("0812"))
        for point in points:
            assert isinstance(layout.location(point), str)
            layout.zone(point), layout.snap(point), layout.board_at(point)


def _imported(path: Path) -> None:
    """What ``pbem import`` does."""
    module, binding, _ = on_the_table()
    import_positions(fleet().state(), open_save(path), module, binding)


def _plotted(path: Path) -> None:
    """What ``pbem import --plot`` does with one file."""
    module, binding, _ = on_the_table()
    tried_out(fleet().state(), "klingon", module, binding, path)


def _plotted_from(path: Path) -> None:
    """What ``pbem import --plot`` does with a file from before the moves and one from after them."""
    module, binding, before = on_the_table()
    tried_out(fleet().state(), "klingon", module, binding, path, before)


def _in_notes(path: Path) -> None:
    """What ``pbem import --side`` does."""
    sides = fleet().state().sides
    orders_in_notes(open_save(path).delayed_notes, "klingon", sides, header(fleet(), "klingon"), path.name)


def _dumped_module(path: Path) -> None:
    json.dumps(dump_module(read_module(path)))


KINDS: Final = {
    "orders": Kind(order_seeds, order_words, read_orders_file),
    "host": Kind(host_seeds, toml_words, read_host_file),
    "players": Kind(people_seeds, toml_words, read_people_file),
    "archive": Kind(archive_seeds, lambda: (b"game.toml\n", b"proof.json\n", b"PK\1\2", b"PK\5\6"), read_archive_file),
    "save": Kind(
        save_seeds,
        save_words,
        reading(_dumped_save, b"ZS"),
        (
            reading(_dumped_on_its_maps, b"ZS"),
            reading(read_log, b"ZS"),
            reading(_text, b"ZS"),
            reading(_compared, b"ZS"),
            reading(_imported, b"ZS"),
            reading(_plotted, b"ZS"),
            reading(_plotted_from, b"ZS"),
            reading(_in_notes, b"ZS"),
            reading(_dumped_module, b"ZM"),
            reading(_located, b"ZM"),
        ),
    ),
}


# --- made and tried --------------------------------------------------------------------------------------------------


def mangled(seeds: Sequence[bytes], words: Sequence[bytes], chance: random.Random) -> bytes:
    """A file with wounds: cut, doubled, overwritten, with words or parts of another; now and then nothing but words."""
    if chance.random() < 0.1:
        gap = chance.choice((b" ", b"\n", b"\n  ", b""))
        return seeds[0][: chance.randrange(80)] + gap.join(
            chance.choices([*words, *SCRAPS], k=chance.choice((3, 30, 300)))
        )
    whole = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 3, 6, 12))):
        place = chance.randrange(len(whole) + 1)
        length = chance.choice((0, 1, 1, 2, 5, 20, 200))
        way = chance.randrange(5)
        if way == 0:
            scrap = chance.choice(SCRAPS) * chance.choice(TIMES)
        elif way == 1:
            scrap = chance.choice(words) + chance.choice((b"", b" ", b"\n"))
            scrap *= chance.choice(TIMES)
        elif way == 2:
            other = chance.choice(seeds)
            start = chance.randrange(len(other) + 1)
            scrap = other[start : start + chance.choice((5, 50, 500))]
        elif way == 3:
            lines = bytes(whole).split(b"\n")
            scrap = (chance.choice(lines) + b"\n") * chance.choice(TIMES[:7])
        else:
            start = chance.randrange(len(whole) + 1)
            scrap = bytes(whole[start : start + chance.choice((1, 10, 100))]) * chance.choice(TIMES[:6])
        whole[place : place + length] = scrap[:400_000]
    return bytes(whole[:1_000_000])


def tried(kind: Kind, data: bytes, folder: Path) -> tuple[str, float]:
    """What one file did wrong, or an empty text; and the most CPU it took in one of the ways it is read."""
    most = 0.0
    for read in (kind.read, *kind.also):
        wrong, taken = _tried(read, data, folder)
        most = max(most, taken)
        if wrong:
            return wrong, most
    return "", most


def _tried(read: Callable[[bytes, Path], None], data: bytes, folder: Path) -> tuple[str, float]:
    before, started = _memory(), process_time()
    wrong = ""
    try:
        read(data, folder)
    except (GameError, VassalError) as refused:
        if not str(refused).strip():
            wrong = "a fault without words"
    except Exception:
        wrong = traceback.format_exc(limit=-4)
    taken = process_time() - started
    if not wrong and taken > MOST_SECONDS:
        wrong = f"{read.__qualname__}: {taken:.2f} s of CPU"
    if not wrong and _memory() - before > MOST_MEMORY:
        wrong = f"{_memory() - before:.0f} MB of memory"
    return wrong, taken


def _memory() -> float:
    """The most memory this process ever held, in MB; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


class Found(NamedTuple):
    """How many files were read, what each of the bad ones did, and the most CPU that one took."""

    files: int
    wrong: list[tuple[bytes, str]]
    slowest: float


def run(name: str, count: int, seed: int, folder: Path) -> Found:
    """Reads so many mangled files of a kind."""
    kind, chance = KINDS[name], random.Random(f"{name} {seed}")
    seeds, words = kind.seeds(), kind.words()
    for one in seeds:
        tried(kind, one, folder)  # what is read once for the process is read now
    wrong: list[tuple[bytes, str]] = []
    slowest = 0.0
    for _ in range(count):
        data = mangled(seeds, words, chance)
        said, taken = tried(kind, data, folder)
        if said.endswith("of CPU"):  # another process may have been in the way
            said, taken = tried(kind, data, folder)
        slowest = max(slowest, taken)
        if said:
            wrong.append((data, said))
    return Found(count, wrong, slowest)


def by_coverage(name: str, folder: Path, arguments: Iterable[str]) -> None:
    """Lets atheris choose the mutations, until it is stopped or something is found."""
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

    kind = KINDS[name]
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, one in enumerate(kind.seeds()):
        (corpus / str(number)).write_bytes(one)

    def one_file(data: bytes) -> None:
        said, _ = tried(kind, data, folder)
        if said:
            raise AssertionError(said)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one_file)
    atheris.Fuzz()


def main() -> int:
    """Exit code 1 if a file did anything else than to be read or refused in time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, help="a folder for the files that were read wrong")
    parser.add_argument("--atheris", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.atheris:
            by_coverage(asked.kind, Path(folder), [f"-runs={asked.count}", f"-seed={asked.seed}"])
        found = run(asked.kind, asked.count, asked.seed, Path(folder))
    for number, (data, said) in enumerate(found.wrong):
        print(f"{number}: {len(data)} bytes: {said}\n")
        if asked.found:
            asked.found.mkdir(parents=True, exist_ok=True)
            (asked.found / f"{asked.kind}-{asked.seed}-{number}").write_bytes(data)
    print(
        f"{asked.kind}: {found.files} files, {len(found.wrong)} read wrong, at most {found.slowest:.2f} s of CPU each"
    )
    return int(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(main())
