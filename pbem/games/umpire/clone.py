"""What if: a copy of a game, from any of its requests on, to play with. Nothing in it counts for the game.

The copy has another name and dice of its own: those of the game may be no secret any more when somebody has tried what
they would roll, and the links of its chain would tell them to every reader of the copy's sitreps. So what was played
before it is taken from the log and cannot be proven here; game.toml says so (``clone``), a house rule in every report
does, and `pbem verify` refuses it. It has no players, no mail and no words of players to one another.
"""

from __future__ import annotations

import glob
import re
import secrets
import shutil
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine import dice, log
from pbem.engine.events import GameStarted, Record
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.storage.files import (
    cannot,
    make_folder,
    patiently,
    read_bytes,
    read_order_file,
    write_bytes,
    write_text,
)
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer
from pbem.games.storage.publish import publish_all
from pbem.games.storage.terms import DiceTerms, Seat, Terms, terms_text, verify_name
from pbem.games.storage.versions import FILE as VERSIONS
from pbem.games.table import BINDING
from pbem.games.umpire.decrees import Decree
from pbem.games.umpire.override import override
from pbem.games.umpire.undo import played_request, undo

_BUILDING: Final = ".tmp"
"""How the folder's name ends in which a clone is made before it is put in its place."""
_BESIDE: Final = ("scenarios", "ships", "figures")
_FILES: Final = (VERSIONS, BINDING)


class Cloned(msgspec.Struct, frozen=True, kw_only=True):
    """A clone: its name, the game and the request it was taken from, and what is asked in it."""

    game: str
    of: str
    asked: Request | None


def clone(game: GameFolder, target: Path, *, turn: int = 0, request: int = 0, name: str = "") -> Cloned:
    """Write a clone of ``game`` into the new folder ``target``, as it stands now, or as it stood when a request was
    asked that has been played since. The game itself is not touched.

    Raises :class:`GameError` where that request was not played or the folder is there.
    """
    name = name or target.absolute().name
    verify_name(name)
    if name.casefold() == game.terms.name.casefold():
        raise GameError.saying("game-name", f"a clone of {name} needs a name of its own", file=str(target))
    if target.exists():
        raise GameError.saying("not-empty", "this is there already; a clone needs a new folder", file=str(target))
    now = game.state().request
    if now is None and not (turn or request):
        text = "this game is over; name a request of it, like --at 2.1"
        raise GameError.saying("game-over", text, file=str(game.path))
    stands = now is not None and (turn, request or 1) == (now.turn, now.number)
    back = bool(turn or request) and not stands
    if back:
        played_request(game.effective(), turn, request)
    if now is not None and not back:
        turn, request = now.turn, now.number
    at = f"request {request or 1} of turn {turn}"
    whole = target.absolute()
    building = whole.parent / f".{whole.name}.{secrets.token_hex(4)}{_BUILDING}"
    try:
        make_folder(whole.parent)
        for left in whole.parent.glob(f".{glob.escape(whole.name)}.*{_BUILDING}"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)  # of a command that was stopped; all orders are in it
        building.mkdir()
        _furnish(game, building, name, at)
        with opened(building) as copy:
            copy.write_state()
            if back:
                undo(copy, turn=turn, request=request, reason=f"a clone of {game.terms.name} goes on from here")
            said = f"A clone of {game.terms.name}, at {at}: dice of its own, no players; it counts for nothing."
            override(copy, Decree(ruling=said, reason="a clone"))
            publish_all(copy)
            asked = copy.state().request
        patiently(building.replace, whole)
    except OSError as error:
        raise cannot("write", target, error) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Cloned(game=name, of=game.terms.name, asked=asked)


def _furnish(game: GameFolder, folder: Path, name: str, at: str) -> None:
    """Everything of the game that its clone has, under the clone's name."""
    old, secret = game.terms, secrets.token_bytes(32)
    made = dice.Secret(secret, dice.SCHEMES[-1])
    terms = msgspec.structs.replace(
        old,
        name=name,
        clone=f"{old.name}, {at}",
        sides={side: msgspec.structs.replace(seat, player=_player(seat)) for side, seat in old.sides.items()},
        dice=DiceTerms(
            scheme=made.scheme, commitment=made.commitment, length=made.length, salts=made.salt_commitment, beacon=""
        ),
    )
    write_bytes(folder / "secret" / "dice.secret", secret.hex().encode() + b"\n", private=True)
    write_text(folder / "game.toml", terms_text(terms), private=True)
    for turn, records in game.log_files().items():
        data = log.encode_records(_renamed(record, terms) for record in sorted(records, key=lambda one: one.n))
        write_bytes(folder / turn_name(turn) / "events.jsonl", data, private=True)
        header = re.compile(rf"(?im)^([^\S\n]*+GAME\s+){re.escape(old.name)}\b")
        for file in game.order_files(turn):
            text = header.sub(rf"\g<1>{name}", read_order_file(file.path))
            write_text(folder / turn_name(turn) / "orders" / file.path.name, text, private=True)
    for kind in _BESIDE:
        if (game.path / kind).is_dir():
            shutil.copytree(game.path / kind, folder / kind)
    for beside in _FILES:
        if (game.path / beside).is_file():
            write_bytes(folder / beside, read_bytes(game.path / beside), private=True)


def _player(seat: Seat) -> str:
    return seat.player if by_computer(seat.player) else ""


def _renamed(record: Record, terms: Terms) -> Record:
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    sides = tuple(side if side.robot else msgspec.structs.replace(side, player="") for side in event.sides)
    return msgspec.structs.replace(record, event=msgspec.structs.replace(event, game=terms.name, sides=sides))
