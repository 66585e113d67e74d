"""Reading an archive that somebody sent: nothing in it is believed, and little of it is unpacked."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.data.house_figures import looking_in
from pbem.errors import GameError
from pbem.games.proof import proof_file
from pbem.games.proof.proof_file import ProofFile, Revealed
from pbem.games.storage.files import cannot, write_bytes
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.roster import verify_own_figures
from pbem.games.storage.terms import read_terms
from pbem.patterns import regex

MAX_FILE = 256 * 1024**2
MAX_ENTRIES = 20_000
MAX_ENTRY = 64 * 1024**2
MAX_SUMMED = 256 * 1024**2
# Below this an entry may claim any ratio; a log packs some twenty to one, and one of hundreds to one is a bomb.
TRUSTED_ENTRY = 8 * 1024**2
MAX_RATIO = 200

_WANTED = regex(
    r"game\.toml|proof\.json|proof\.html|README\.txt|\d\d\d?/events\.jsonl"
    r"|\d\d\d?/orders/[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.r\d{1,5}(\.v\d{1,5})?\.orders"
    r"|(scenarios|ships)/[a-z0-9_-]{1,40}\.toml"
    r"|figures/[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.toml"
)
_HEX = regex(r"[0-9a-f]{64}")


@contextmanager
def opened_archive(path: Path) -> Iterator[tuple[GameFolder, ProofFile]]:
    """An archive as a game folder to read, and its proof.json. Raises :class:`GameError` for whatever is no archive.

    What is needed of it is written into a temporary folder, under names that were looked at one by one.
    """
    files = read_archive(path)
    proof = proof_file.decode(files["proof.json"], f"{path.name}: proof.json")
    _verify_hex(proof, path.name)
    with tempfile.TemporaryDirectory(prefix="pbem-archive-") as scratch:
        folder = Path(scratch)
        for name, data in files.items():
            write_bytes(folder / name, data)
        with looking_in(folder):
            terms = read_terms(files["game.toml"], f"{path.name}: game.toml")
            verify_own_figures(terms, Path(path.name))
            yield GameFolder(folder, terms, revealed=Revealed(proof)), proof


def read_archive(path: Path) -> dict[str, bytes]:
    """The files of an archive by name. Raises :class:`GameError`."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise _refused(path, f"the file has more than {MAX_FILE} bytes")
        with zipfile.ZipFile(path) as archive:
            wanted = _checked(path, archive)
            return {info.filename: _read(path, archive, info) for info in wanted}
    except OSError as error:
        raise cannot("read", path, error) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError) as error:
        raise _refused(path, f"it is no readable zip file ({error})") from error


def _checked(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The entries, after looking at what all of them claim."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise _refused(path, f"it has {len(infos)} entries; {MAX_ENTRIES} is the most")
    if sum(info.file_size for info in infos) > MAX_SUMMED:
        raise _refused(path, f"its entries claim more than {MAX_SUMMED} bytes")
    names = [info.filename for info in infos]
    for name in names:
        if not _WANTED.fullmatch(name):
            raise _refused(path, f"{name[:80]!r} has no place in the archive of a game")
    folded = [name.casefold() for name in names]
    if len(set(folded)) != len(folded):
        raise _refused(path, "a name stands in it twice")
    missing = [name for name in ("game.toml", "proof.json", "00/events.jsonl") if name not in names]
    if missing:
        raise _refused(path, f"{missing[0]} is missing in it")
    for info in infos:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise _refused(path, f"{info.filename!r} is packed in a way no archive of a game is")
        big = info.file_size > TRUSTED_ENTRY and info.file_size > MAX_RATIO * max(info.compress_size, 1)
        if info.file_size > MAX_ENTRY or big:
            raise _refused(path, f"{info.filename!r} claims {info.file_size} bytes, more than any game has")
    return infos


def _read(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as stream:
            data = stream.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _refused(path, f"{info.filename!r} in it cannot be read ({error})") from error
    if len(data) > info.file_size:
        raise _refused(path, f"{info.filename!r} in it is longer than it claims")
    return data


def _verify_hex(proof: ProofFile, name: str) -> None:
    """Links, salts and hashes are 32 bytes each, in small hex digits."""
    values = [proof.commitment, *filter(None, (proof.salts, proof.salt_link)), *proof.fresh]
    for one in proof.segments:
        values += [one.link, one.log, one.log_key]
        values += [value for orders in one.orders for value in (orders.salt, orders.sealed)]
    wrong = next((value for value in values if not _HEX.fullmatch(value)), None)
    if wrong is not None:
        text = f"{wrong[:70]!r} is no hash: 64 small hex digits"
        raise GameError.saying("proof-damaged", text, file=f"{name}: proof.json")


def _refused(path: Path, why: str) -> GameError:
    text = (
        f"this is not the archive of a game: {why}; the archive is the file that ends in .pbem.zip, as it came by mail"
    )
    return GameError.saying("no-archive", text, file=str(path))
