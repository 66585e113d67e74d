"""Plays the shipped example games anew from their order files, and writes every file they consist of.

    python tests/golden/refresh.py                  all games under turns/; look at the diff before you keep it
    python tests/golden/refresh.py duel01           one of them
    python tests/golden/refresh.py --into FOLDER    into another folder; turns/ stays as it is

The order files are what the players sent: to change a game, change them. All else in its folder is made from them.
Pages and mails are large and nearly alike: only those of :data:`KEPT` and :data:`KEPT_MAILS` stay; ``pages.sha256`` has
the digests of all: of the data in a page, and of what is read and drawn on it. What may differ from machine to machine
is not in them: scripts and styles, the pixels of a map, how a save is packed. The archive is left out: `pbem archive`
makes it from the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from email import message_from_bytes
from email.policy import default
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.state import Request  # noqa: E402
from pbem.errors import GameError  # noqa: E402
from pbem.games import create, resolve  # noqa: E402
from pbem.games.storage.files import read_order_file  # noqa: E402
from pbem.games.storage.folder import turn_name  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.submit import submit  # noqa: E402
from vassal.save import read_text  # noqa: E402

TURNS = ROOT / "turns"
KEPT = ("02/r3/klingon/", "05/final/klingon/")
"""Whose pages are shipped, and of which requests; of all others the digests stand in for them."""
KEPT_MAILS = ("02/r3/klingon/",)
"""Whose mails are: each holds its page once more."""
DIGESTS = "pages.sha256"


class Example(NamedTuple):
    """What a shipped game was begun with. Its name is the seed of its dice: anybody can make them again."""

    scenario: str
    players: Mapping[str, str]


EXAMPLES = {
    "duel01": Example("5", {"federation": "ann@example.org", "klingon": "kor@example.org"}),
    "rescue01": Example("4", {"federation": "ben@example.org", "klingon": "robot"}),
}


def begin(name: str, folder: Path, *, scenario: str = "") -> None:
    """A shipped game before its first orders, in an empty ``folder``; ``scenario`` is played instead of its own."""
    example = EXAMPLES[name]
    create.new(scenario or example.scenario, folder, players=example.players, name=name, seed=name)


def answering(
    sent: Path,
    folder: Path,
    *,
    order: Callable[[Sequence[str]], Sequence[str]] = tuple,
    edit: Callable[[str], str] = str,
) -> Iterator[Request]:
    """Play the game in ``folder`` to its end with the order files of the game folder ``sent``.

    Yields each request when its answers are filed, before it is played. ``order`` says whose file comes first, ``edit``
    changes the text of a file. Raises :class:`GameError` if a file is missing or refused.
    """
    while True:
        with opened(folder, lock="submit") as game:
            request = game.state().request
            if request is None:
                return
            for side in order(request.sides):
                for file in versions(sent, request, side):
                    submit(game, edit(read_order_file(file)), file.name)
        yield request
        with opened(folder, lock="resolve") as game:
            resolve.resolve_game(game)
            if game.state().request == request:
                text = f"turn {request.turn} waits for an answer to request {request.number}"
                raise GameError.saying("orders-missing", text, file=str(sent))


def versions(sent: Path, request: Request, side: str) -> list[Path]:
    """The files a side sent in answer to a request, the first one first."""
    name = f"{side}.r{request.number}"
    folder = sent / turn_name(request.turn) / "orders"
    earlier = sorted(folder.glob(f"{name}.v*.orders"), key=lambda path: int(path.name.split(".v")[1].split(".")[0]))
    return [*earlier, *folder.glob(f"{name}.orders")]


def play_to_the_end(name: str, sent: Path, folder: Path) -> None:
    """A shipped game from nothing to its end. Raises :class:`GameError` if the orders are too few, or too many."""
    begin(name, folder)
    for _ in answering(sent, folder):
        pass
    (folder / "secret" / "game.lock").unlink(missing_ok=True)
    for path in sorted(sent.glob("*/orders/*")):
        if not (folder / path.relative_to(sent)).is_file():
            raise GameError.saying("orders-unused", "no request asked for this file", file=str(path))


def embedded(html: bytes) -> bytes:
    """The JSON that a report page carries; what surrounds it is the template's."""
    found = re.findall(rb'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)
    if len(found) != 1:
        raise ValueError("a report page holds its data once")
    return bytes(found[0])


# A page and a save lie in the folder and in each mail that goes with them.
@lru_cache(maxsize=64)
def paged(html: bytes) -> bytes:
    """The data of a page that has such, and all that is read and drawn on it; else all of it."""
    if b'<script type="application/json"' not in html:
        return html
    read = re.sub(rb"<(style|script)\b.*?</\1>|<meta [^>]*>", b"", html, flags=re.DOTALL)
    return embedded(html) + b"\n" + b" ".join(read.split())


def mailed(mail: bytes) -> bytes:
    """What a mail says, part by part, whatever machine made it: its headers, its texts without the place of the map's
    picture, of its page the data, of its save the clear text.
    """
    message = message_from_bytes(mail, policy=default)
    said = [f"{name}: {value}".encode() for name, value in message.items() if name != "Content-Type"]
    for part in message.walk():
        if part.is_multipart() or part.get_content_maintype() == "image":
            continue
        name, data = part.get_filename() or "", part.get_payload(decode=True)
        assert isinstance(data, bytes)
        if name.endswith(".html"):
            data = paged(data)
        elif name.endswith(".vsav"):
            data = clear_text(data)
        elif part.get_content_type() == "text/html":
            data = re.sub(rb"<!-- map -->.*?<!-- /map -->", b"", data, flags=re.DOTALL)
        said += [f"{part.get_content_type()} {name}".encode(), data]
    return b"\n".join(said)


@lru_cache(maxsize=64)
def clear_text(save: bytes) -> bytes:
    """What stands in a VASSAL save, however it is packed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "positions.vsav"
        file.write_bytes(save)
        return read_text(file).encode("utf-8")


def lasting(path: Path) -> bytes:
    """What of a file is the same on every machine."""
    data = path.read_bytes()
    known: dict[str, Callable[[bytes], bytes]] = {".html": paged, ".eml": mailed, ".vsav": clear_text}
    return known[path.suffix](data) if path.suffix in known else data


def digest(path: Path) -> str:
    """SHA-256 of what of a file is the same on every machine."""
    return hashlib.sha256(lasting(path)).hexdigest()


def digests(game: Path) -> dict[str, str]:
    """The digest of every page and mail of a game folder by path, those included that are not shipped."""
    found = {}
    if (game / DIGESTS).is_file():
        for line in (game / DIGESTS).read_text(encoding="ascii").splitlines():
            value, _, name = line.partition("  ")
            found[name] = value
    for path in (*game.rglob("*.html"), *game.rglob("*.eml")):
        found[path.relative_to(game).as_posix()] = digest(path)
    return dict(sorted(found.items()))


def slim(game: Path) -> None:
    """Keep the digests of all pages and mails, and of the files only :data:`KEPT`."""
    found = digests(game)
    lines = [f"{value}  {name}\n" for name, value in found.items()]
    (game / DIGESTS).write_text("".join(lines), encoding="ascii", newline="\n")
    for name in found:
        kept = KEPT_MAILS if name.endswith(".eml") else KEPT
        if name.endswith("proof.html") or not any(one in name for one in kept):
            (game / name).unlink()
    for path in game.rglob("*.pbem.zip"):
        path.unlink()


def refresh(name: str, into: Path) -> Path:
    """Write a game's folder anew; only when it has been played to its end is the old one replaced."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / name
        play_to_the_end(name, TURNS / name, made)
        slim(made)
        kept = into / name
        shutil.rmtree(kept, ignore_errors=True)
        # copyfile: a shipped game is for everybody to read, its secret too.
        shutil.copytree(made, kept, copy_function=shutil.copyfile)
    return kept


def refresh_proof_page() -> Path:
    """The digests of what proof.html has in every game: they change with its template, style or script."""
    from tests.proof import by_the_page, honest

    by_the_page.FRAMES.write_text(honest.frames(), encoding="utf-8", newline="\n")
    return by_the_page.FRAMES


def refresh_companion() -> Path:
    """The digests of what the companion module holds: they change with its drawings and its build file."""
    from tests.vassal_bridge import drawn

    drawn.FILE.write_text(drawn.digests(), encoding="ascii", newline="\n")
    return drawn.FILE


KEPT_TEXTS = (
    "tests.reports.scenes", "tests.vassal.readings", "tests.vassal_bridge.tables", "tests.orders.test_letters",
    "tests.orders.test_told", "tests.engine.test_conditions", "tests.engine.test_verdicts", "tests.engine.test_steps",
    "tests.engine.test_sweeps",
    "tests.engine.test_fold", "tests.engine.test_rulings", "tests.rules.test_forms", "tests.rules.test_calls",
)  # fmt: skip
"""What writes the texts that are kept whole, each beside its test."""


def refresh_texts() -> None:
    """All kept texts, each by its own command."""
    for module in KEPT_TEXTS:
        subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=True)
    # Tests that hold theirs by the fixture as_kept write them where the environment says so.
    holding = [path for path in (ROOT / "tests").rglob("test_*.py") if "as_kept:" in path.read_text(encoding="utf-8")]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *map(str, holding)],
        cwd=ROOT,
        env={**os.environ, "PBEM_KEEP": "1"},
        check=True,
    )
    subprocess.run([sys.executable, "docs/mails.py"], cwd=ROOT, check=True)  # examples of mails are taken from these


def refresh_cases() -> Path:
    """The digests of the whole of what comes of every rule case."""
    from tests.golden import cases

    return cases.refresh()


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays the shipped example games anew from their order files.")
    parser.add_argument("game", nargs="*", help=f"{' or '.join(EXAMPLES)}; without it, all")
    parser.add_argument("--into", type=Path, default=TURNS, help="write here instead of turns/")
    chosen = parser.parse_args()
    for name in chosen.game:
        if name not in EXAMPLES:
            parser.error(f"there is no shipped game {name!r}; there are {' and '.join(EXAMPLES)}")
    try:
        for name in chosen.game or EXAMPLES:
            print(refresh(name, chosen.into))
        if not chosen.game and chosen.into == TURNS:
            print(refresh_proof_page())
            print(refresh_companion())
            refresh_texts()
            print(refresh_cases())
    except GameError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
