"""The archive of a finished game: one zip file with everything needed to replay it, and nothing else.

It contains ``game.toml``, ``versions.json`` if several versions of pbem played the game, the orders in normal form,
the whole log, and the user's own scenario, ships and figures.
It also contains ``proof.json``, which reveals the input of the dice, and ``proof.html``, a page that checks the
dice. It contains no addresses, no game tokens, and no comments from order files. It reveals only those links of the
host's dice chain that were used.

An archive from somebody else is not trusted: every claim is checked, and only known files are unpacked.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from pbem import __version__
from pbem.data.files import FIGURES
from pbem.data.house_figures import looking_in
from pbem.engine import dice
from pbem.engine.events import OrdersFiled, Record
from pbem.errors import GameError
from pbem.games.answers import CONTINUE
from pbem.games.proof import reveal
from pbem.games.proof.replay import Replay, ReplayedSegment
from pbem.games.proof.reveal import (
    ProofFile,
    ProvenRoll,
    ProvenSegment,
    Revealed,
    SealedOrders,
    lines_of,
    running_digests,
    without_address,
    without_addresses,
)
from pbem.games.storage.files import cannot, read_bytes, write_bytes
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.players import VERSIONS_FILE, by_computer, elsewhere, played_by
from pbem.games.storage.terms import read_terms, terms_text, verify_own_figures
from pbem.orders.header import Header, header_line
from pbem.reports.html.public import name_of
from pbem.util import regex

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""Date given to every file in the zip, so that the same game gives the same bytes.

It is the earliest date that the zip format allows.
"""

_README = """This is the archive of {game}, a game of Star Fleet Battles by e-mail that is over.

proof.html    open it in a browser: it works out every die again, without any network
proof.json    what the dice were made of: links, salts, sealed orders
game.toml     what was agreed before the game began
NN/           turn NN: all orders in normal form, and the log of everything that happened

`pbem verify {game}.pbem.zip` replays the whole game by the rules, byte for byte; with `--sent FOLDER` it compares
what you were sent while the game went on. docs/proof.md of pbem describes all this for other programs.

Made by pbem {version}. The replay wants a version that plays by the same rules; the page wants none.
"""


def archive_name(game: GameFolder) -> str:
    """Return the file name of the archive of a game: ``duel01.pbem.zip``."""
    return f"{game.terms.name}.pbem.zip"


def archive(game: GameFolder) -> bytes:
    """Return the bytes of a game's archive; with the same zlib, the same game gives the same bytes.

    Raises:
        GameError: The game is not over (an archive would disclose secrets), or the replay differs from the log.
    """
    if not game.state().over:
        text = "wait until the game is over: its archive shows all orders of all sides"
        raise GameError.saying("not-over", text, file=str(game.path))
    return packed(contents(game))


def contents(game: GameFolder, shown: Callable[[Record], Record] | None = None) -> dict[str, bytes]:
    """Return the files for the archive of a finished game, as a dict of name to content.

    With the function ``shown``, the archive contains no names of players, and each log record is replaced by the
    result of ``shown``.

    Raises:
        GameError: The game is a clone, or the replay differs from the log.
    """
    from pbem.reports.html.proof_page import proof_html

    if game.terms.clone:
        text = f"this is a clone of {game.terms.clone}; a clone is not proof of anything, so it has no archive"
        raise GameError.saying("clone", text, file=str(game.path))
    as_shown = shown or without_addresses
    records = [as_shown(record) for record in game.records()]
    proof = prove(game, records)
    if shown is not None:
        proof = replace(proof, played_by={})
    files = {
        "README.txt": readme(game.terms.name, __version__),
        "proof.html": proof_html(proof, records, lines_of(records)).encode(),
        "proof.json": reveal.encode(proof),
        "game.toml": _terms(game, hide_names=shown is not None),
    }
    if (versions := game.path / VERSIONS_FILE).is_file():
        files[VERSIONS_FILE] = read_bytes(versions)
    for kind in ("scenarios", "ships", FIGURES):
        for path in sorted((game.path / kind).glob("*.toml")):
            files[f"{kind}/{path.name}"] = read_bytes(path)
    for turn, found in game.log_files().items():
        files[f"{turn_name(turn)}/events.jsonl"] = b"".join(
            line + b"\n" for line in lines_of([as_shown(one) for one in found])
        )
    files.update(order_texts(game))
    return files


def readme(game: str, version: str) -> bytes:
    """Return the text of ``README.txt`` in a game's archive, as this version of pbem words it.

    ``version`` is the version of pbem that the text names as the maker of the archive.
    """
    return _README.format(game=game, version=version).encode()


def packed(files: dict[str, bytes]) -> bytes:
    """Return the bytes of a zip file with these files, in the order of the dict."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packing:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0  # the default differs between systems
            packing.writestr(info, data)
    return buffer.getvalue()


def prove(game: GameFolder, shown: Sequence[Record] | None = None) -> ProofFile:
    """Replay a game to confirm its log, and return all input from which its dice were computed.

    ``shown`` are the log records as the archive has them, if they differ from the log.

    Raises:
        GameError: The replay differs from the log; the error says where.
    """
    records = game.records()
    replay = Replay(game, records, elsewhere=elsewhere(game))
    if faults := [*replay.run(), *replay.other]:
        raise GameError(*faults)
    secret = game.dice()
    digests = running_digests(records if shown is None else shown)
    terms = game.terms.dice
    last = max((one.segment for one in replay.stretches), default=0)
    salt_link = secret.salt_link(last).hex() if isinstance(secret, dice.Secret) and terms.scheme > 1 and last else ""
    return ProofFile(
        format=reveal.FORMAT,
        game=game.terms.name,
        scheme=terms.scheme,
        length=terms.length,
        commitment=terms.commitment,
        salts=terms.salts,
        salt_link=salt_link,
        beacon=terms.beacon,
        segments=tuple(_segment(one, secret, digests[one.segment]) for one in replay.stretches),
        played_by=played_by(game.path, game.terms, name_of),
        fresh=tuple(one.word for one in secret.fresh) if isinstance(secret, dice.Secret) else (),
    )


def _segment(one: ReplayedSegment, source: dice.KeySource, digest: bytes) -> ProvenSegment:
    orders = []
    for side, text in one.orders.items():
        salt = source.salt(one.turn, one.request, side, one.segment)
        orders.append(SealedOrders(side=side, salt=salt.hex(), sealed=dice.sealed(text, salt), text=text))
    key = source.log_key(one.segment)
    return ProvenSegment(
        segment=one.segment,
        turn=one.turn,
        request=one.request,
        link=source.link(one.segment).hex(),
        beacon=one.beacon,
        orders=tuple(orders),
        log_key=key.hex(),
        log=dice.keyed_log_digest(digest, key),
        last=one.last,
        rolls=tuple(ProvenRoll(label, *rolled) for label, rolled in one.rolls.items()),
        kept=one.kept,
        of=one.of,
        older=one.older,
    )


def _terms(game: GameFolder, *, hide_names: bool) -> bytes:
    def player(entry: str) -> str:
        return "" if hide_names and not by_computer(entry) else without_address(entry)

    seats = {side: replace(seat, player=player(seat.player)) for side, seat in game.terms.sides.items()}
    return terms_text(replace(game.terms, sides=seats)).encode()


def by_turn(game: GameFolder) -> Iterator[tuple[int, Record]]:
    """Yield every log record together with the turn of its folder, in the order of the log."""
    found = [(turn, record) for turn, records in game.log_files().items() for record in records]
    yield from sorted(found, key=lambda pair: pair[1].n)


def order_texts(game: GameFolder) -> dict[str, bytes]:
    """Return the orders that were played, in normal form, as a dict by file name.

    Orders that were taken back and replaced are included as earlier versions.
    """
    versions: dict[str, list[str]] = {}
    for turn, record in by_turn(game):
        event = record.event
        if isinstance(event, OrdersFiled):
            text = event.text
            if text == CONTINUE:
                head = header_line(Header(game=game.terms.name, turn=turn, side=event.side, reply=event.request))
                text = f"{head}\nCONTINUE\nEND\n"
            versions.setdefault(f"{turn_name(turn)}/orders/{event.side}.r{event.request}", []).append(text)
    files = {}
    for name, texts in sorted(versions.items()):
        for number, text in enumerate(texts[:-1], start=1):
            files[f"{name}.v{number}.orders"] = text.encode()
        files[f"{name}.orders"] = texts[-1].encode()
    return files


MAX_FILE = 256 * 1024**2
MAX_ENTRIES = 20_000
MAX_ENTRY = 64 * 1024**2
MAX_SUMMED = 256 * 1024**2
# Up to this size an entry may have any compression ratio. A log has about 20; hundreds indicate a zip bomb.
TRUSTED_ENTRY = 8 * 1024**2
MAX_RATIO = 200

_WANTED = regex(
    r"game\.toml|versions\.json|proof\.json|proof\.html|README\.txt|\d\d\d?/events\.jsonl"
    r"|\d\d\d?/orders/[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.r\d{1,5}(\.v\d{1,5})?\.orders"
    r"|(scenarios|ships)/[a-z0-9_-]{1,40}\.toml"
    r"|figures/[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.toml"
)
_HEX = regex(r"[0-9a-f]{64}")


@contextmanager
def opened_archive(path: Path) -> Iterator[tuple[GameFolder, ProofFile]]:
    """Open an archive as a read-only game folder within this context, and provide its ``proof.json`` too.

    The needed files are unpacked into a temporary folder, after the name of each was checked.

    Raises:
        GameError: The file is not a valid archive.
    """
    files = read_archive(path)
    proof = reveal.decode(files["proof.json"], f"{path.name}: proof.json")
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
    """Return the files in an archive, as a dict by name.

    Raises:
        GameError: The file is not a valid archive.
    """
    try:
        if path.stat().st_size > MAX_FILE:
            raise _refused(path, f"the file has more than {MAX_FILE} bytes")
        with zipfile.ZipFile(path) as archive:
            wanted = _checked(path, archive)
            return {info.filename: _read(path, archive, info) for info in wanted}
    except OSError as error:
        raise cannot("read", path, error) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError) as error:
        raise _refused(path, f"it is not a readable zip file ({error})") from error


def _checked(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the entries of a zip file after checking their number, names, sizes and compression."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise _refused(path, f"it has {len(infos)} entries, more than {MAX_ENTRIES}")
    if sum(info.file_size for info in infos) > MAX_SUMMED:
        raise _refused(path, f"its files are larger than {MAX_SUMMED} bytes together")
    names = [info.filename for info in infos]
    for name in names:
        if not _WANTED.fullmatch(name):
            raise _refused(path, f"{name[:80]!r} does not belong in the archive of a game")
    folded = [name.casefold() for name in names]
    if len(set(folded)) != len(folded):
        raise _refused(path, "it contains two files of the same name")
    missing = [name for name in ("game.toml", "proof.json", "00/events.jsonl") if name not in names]
    if missing:
        raise _refused(path, f"{missing[0]} is missing")
    for info in infos:
        _verify_packing(path, info)
    return infos


def _verify_packing(path: Path, info: zipfile.ZipInfo) -> None:
    """Check that an entry of the archive is packed in a known way and is not too large."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise _refused(path, f"{info.filename!r} is packed in an unknown way")
    big = info.file_size > TRUSTED_ENTRY and info.file_size > MAX_RATIO * max(info.compress_size, 1)
    if info.file_size > MAX_ENTRY or big:
        raise _refused(path, f"{info.filename!r} is too large for a file of a game: {info.file_size} bytes")


def _read(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as stream:
            data = stream.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _refused(path, f"{info.filename!r} in it cannot be read ({error})") from error
    if len(data) > info.file_size:
        raise _refused(path, f"{info.filename!r} is longer than the zip file says")
    return data


def _verify_hex(proof: ProofFile, name: str) -> None:
    """Check that every link, salt and hash in a proof consists of 64 lower-case hex digits (32 bytes)."""
    values = [proof.commitment, *filter(None, (proof.salts, proof.salt_link)), *proof.fresh]
    for one in proof.segments:
        values += [one.link, one.log, one.log_key]
        values += [value for orders in one.orders for value in (orders.salt, orders.sealed)]
    wrong = next((value for value in values if not _HEX.fullmatch(value)), None)
    if wrong is not None:
        text = f"{wrong[:70]!r} is not a hash of 64 small hex digits"
        raise GameError.saying("proof-damaged", text, file=f"{name}: proof.json")


def _refused(path: Path, why: str) -> GameError:
    text = f"this is not the archive of a game: {why}; use the file from the email that ends in .pbem.zip"
    return GameError.saying("no-archive", text, file=str(path))
