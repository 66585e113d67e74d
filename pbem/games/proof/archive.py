"""The archive of a finished game: one file with all that is needed to replay it, and nothing else.

It holds game.toml, the orders in normal form, the whole log, the user's own scenario, ships and figures, what the dice
were made of (proof.json) and a page that checks them (proof.html). It has no address, no token, no comment above
anybody's orders, and of the host's secret only the links that were used.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from pbem import __version__
from pbem.data.files import FIGURES
from pbem.engine import dice
from pbem.engine.events import OrdersFiled, Record
from pbem.errors import GameError
from pbem.games.answers import CONTINUE
from pbem.games.proof import proof_file
from pbem.games.proof.proof import lines_of, running_digests, without_address
from pbem.games.proof.proof_file import ProofFile, ProvenRoll, ProvenSegment, SealedOrders
from pbem.games.proof.replay import Replay, Stretch
from pbem.games.storage.files import read_bytes
from pbem.games.storage.folder import turn_name
from pbem.games.storage.players import played_by
from pbem.games.storage.terms import terms_text
from pbem.orders.header import Header, header_line
from pbem.reports.html.public import name_of

if TYPE_CHECKING:
    from pbem.games.storage.folder import GameFolder

replace = msgspec.structs.replace

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The zip format knows no earlier date; a fixed one makes the same game the same file."""

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
    """The file name of a game's archive: ``duel01.pbem.zip``."""
    return f"{game.terms.name}.pbem.zip"


def archive(game: GameFolder) -> bytes:
    """The archive of a game, the same bytes for the same game (wherever zip files are packed by the same zlib).

    Raises :class:`GameError` while the game goes on, when an archive would tell what is still secret, and if the
    replay finds the record changed.
    """
    if not game.state().over:
        text = "the game is not over: an archive tells everybody's orders, so there is none before the end"
        raise GameError.saying("not-over", text, file=str(game.path))
    return packed(contents(game))


def contents(game: GameFolder) -> dict[str, bytes]:
    """The files of a finished game's archive by name."""
    from pbem.reports.html.proof_page import proof_html

    if game.terms.clone:
        text = f"this is a clone, of {game.terms.clone}: nothing in it proves anything, so it has no archive"
        raise GameError.saying("clone", text, file=str(game.path))
    records = game.records()
    proof = prove(game)
    files = {
        "README.txt": readme(game.terms.name, __version__),
        "proof.html": proof_html(proof, records, lines_of(records)).encode(),
        "proof.json": proof_file.encode(proof),
        "game.toml": _terms(game),
    }
    for kind in ("scenarios", "ships", FIGURES):
        for path in sorted((game.path / kind).glob("*.toml")):
            files[f"{kind}/{path.name}"] = read_bytes(path)
    for turn, found in game.log_files().items():
        files[f"{turn_name(turn)}/events.jsonl"] = b"".join(line + b"\n" for line in lines_of(found))
    files.update(order_texts(game))
    return files


def readme(game: str, version: str) -> bytes:
    """The archive's README.txt, as this version of pbem writes it, for another version."""
    return _README.format(game=game, version=version).encode()


def packed(files: dict[str, bytes]) -> bytes:
    """A zip of these files in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packing:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0  # the same bytes on every system
            packing.writestr(info, data)
    return buffer.getvalue()


def prove(game: GameFolder) -> ProofFile:
    """What the dice of a game were made of. Raises :class:`GameError` with what the replay finds changed."""
    records = game.records()
    replay = Replay(game, records)
    if faults := list(replay.run()):
        raise GameError(*faults)
    secret = game.dice()
    digests = running_digests(records)
    terms = game.terms.dice
    last = max((one.segment for one in replay.stretches), default=0)
    salt_link = secret.salt_link(last).hex() if isinstance(secret, dice.Secret) and terms.scheme > 1 and last else ""
    return ProofFile(
        format=proof_file.FORMAT,
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


def _segment(one: Stretch, source: dice.Source, digest: bytes) -> ProvenSegment:
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
        log=dice.told_log(digest, key),
        last=one.last,
        rolls=tuple(ProvenRoll(label, *rolled) for label, rolled in one.rolls.items()),
        kept=one.kept,
        of=one.of,
        older=one.older,
    )


def _terms(game: GameFolder) -> bytes:
    seats = {side: replace(seat, player=without_address(seat.player)) for side, seat in game.terms.sides.items()}
    return terms_text(replace(game.terms, sides=seats)).encode()


def by_turn(game: GameFolder) -> Iterator[tuple[int, Record]]:
    """Every record with the turn of its folder, in the order of the log."""
    found = [(turn, record) for turn, records in game.log_files().items() for record in records]
    yield from sorted(found, key=lambda pair: pair[1].n)


def order_texts(game: GameFolder) -> dict[str, bytes]:
    """The orders that were played, in normal form under the names they have in the folder; what was taken back and
    answered anew as earlier versions.
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
