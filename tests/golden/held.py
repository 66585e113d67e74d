"""What is held of the golden games, shipped ones and those of the scenarios: a digest of every file, and a story.

``files.sha256`` has a line for each file that such a game consists of. What may differ from machine to machine is not
in a digest: of a page the scripts and styles, of a mail the pixels of its map, of a VASSAL save how it is packed.
``stories.txt.gz`` has the umpire's last sitrep of each turn, for the eye. To see what another file was, write whole
games with two commits and compare: ``python tests/golden/refresh.py NAME --into FOLDER``, ``diff -r``.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from email import message_from_bytes
from email.policy import default
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests import kept  # noqa: E402
from vassal.save import read_text  # noqa: E402

FILE = Path(__file__).with_name("files.sha256")
STORIES = Path(__file__).with_name(f"stories{kept.ENDING}")
LENGTH = 16
"""Characters of a digest that are kept: nobody forges them, and the file stays small."""
NAMED = 12
"""Of a game's files that differ so many are named."""


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
    return hashlib.sha256(lasting(path)).hexdigest()[:LENGTH]


def files_of(game: Path) -> list[Path]:
    """The files that a game consists of. An archive is made from the rest, and a lock is nobody's."""
    return sorted(path for path in game.rglob("*") if path.is_file() and path.suffix not in (".zip", ".lock"))


def digests(game: Path) -> dict[str, str]:
    """The digest of each file of a game folder, by its path."""
    return {path.relative_to(game).as_posix(): digest(path) for path in files_of(game)}


def kept_digests(name: str = "") -> dict[str, str]:
    """The digests that are kept of a game by path; without a name those of all games, by game and path."""
    lines = FILE.read_text(encoding="ascii").splitlines() if FILE.is_file() else []
    found = {path: value for value, path in (line.split("  ") for line in lines)}
    return {
        path.removeprefix(f"{name}/"): value
        for path, value in found.items()
        if path.startswith(f"{name}/" * bool(name))
    }


def story(game: Path) -> str:
    """The umpire's last sitrep of each turn, which tells all of it, without the hashes of the dice proof."""
    by_turn = {path.parts[-4]: path for path in sorted(game.glob("*/r*/umpire/sitrep.txt"), key=_when)}
    reports = [*by_turn.values(), *sorted(game.glob("*/final/umpire/sitrep.txt"))]
    told = [path.read_text(encoding="utf-8").partition("\n--- DICE PROOF")[0] for path in reports]
    return "\n".join(told).rstrip("\n") + "\n"


def _when(path: Path) -> tuple[int, int]:
    """Turn and request of a report."""
    return int(path.parts[-4]), int(path.parts[-3].removeprefix("r"))


class Held(NamedTuple):
    """What is kept of a game."""

    digests: Mapping[str, str]
    story: str


def held(game: Path) -> Held:
    """What is to be kept of a game that was played."""
    return Held(digests(game), story(game))


def keep(games: Mapping[str, Held]) -> None:
    """Keep this of these games; what is kept of others stays."""
    lines = {path: value for path, value in kept_digests().items() if path.partition("/")[0] not in games}
    lines |= {f"{name}/{path}": value for name, one in games.items() for path, value in one.digests.items()}
    text = "".join(f"{lines[path]}  {path}\n" for path in sorted(lines))
    FILE.write_text(text, encoding="ascii", newline="\n")
    kept.keep_parts(STORIES, {name: one.story for name, one in games.items()}, all_of_them=False)


def differences(name: str, now: Held) -> str:
    """How a game is not as it is kept, in words: which files of which turns, and the story line by line."""
    was = kept_digests(name)
    differ = sorted(path for path in was.keys() | now.digests.keys() if was.get(path) != now.digests.get(path))
    told = kept.difference(STORIES, now.story, name)
    if not differ and not told:
        return ""
    kinds = Counter(path.rpartition("/")[2] if "/orders/" not in path else "orders" for path in differ)
    lines = [
        f"{name}: {len(differ)} files differ: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}"
    ]
    for path in differ[:NAMED]:
        lines.append(
            f"  {path}"
            + ("" if path in was and path in now.digests else " (new)" if path in now.digests else " (gone)")
        )
    lines += [f"  ... and {len(differ) - NAMED} more"] if len(differ) > NAMED else []
    lines.append(
        f"`python tests/golden/refresh.py {name} --into FOLDER` writes them all; so it does on the commit before."
    )
    lines.append("`python -m tests.refresh --only games` keeps them; review the difference:")
    return "\n".join([*lines, told or "the story is the same"])
