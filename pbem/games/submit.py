"""Filing a player's orders, and the receipt he gets for them.

Words of a command that somebody is told to type: quoted as his shell wants it, where they must be.
"""

from __future__ import annotations

import os
from shlex import quote
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.answers import Judged, digest, judge
from pbem.games.messages import pass_on
from pbem.games.proof.beacon import sealing_of
from pbem.games.storage.files import read_order_file, write_text
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.orders.messages import messages_in
from pbem.util import regex


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was filed, or would be: ``version`` counts the files this side sent for the request, 0 where
    nothing was filed.

    ``orders`` is the echo in normal form; ``lines`` (line, order, verdict, why); ``balance`` the energy
    form of each ship line by line; ``plots`` (impulse, code, hex and facing) of each ship; ``sha256``
    that of the file as it is kept. ``messages`` say what became of the words to others in it.
    """

    game: str
    side: str
    turn: int
    request: int
    form: str
    sha256: str
    orders: str
    file: str = ""
    version: int = 0
    again: bool = False
    lines: tuple[tuple[int, str, str, str], ...] = ()
    balance: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plots: tuple[tuple[str, tuple[tuple[int, str, str], ...]], ...] = ()
    notes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


def check(game: GameFolder, text: str, file: str) -> Receipt:
    """What a file would amount to, without filing it. Raises :class:`GameError` with every fault in it."""
    judged = judge(game, text, file)
    if judged.faults:
        raise GameError(*judged.faults)
    return _receipt(game, judged, text)


def submit(game: GameFolder, text: str, file: str) -> Receipt:
    """Check a file and file it under the request it answers; earlier versions are kept.

    The same file sent twice is one version. Raises :class:`GameError` with every fault in it; then
    nothing was filed.
    """
    receipt = check(game, text, file)
    turn, side, number = receipt.turn, receipt.side, receipt.request
    version, again = file_as(game, turn, side, number, text)
    name = f"{turn_name(turn)}/orders/{game.order_file(turn, side, number).name}"
    told = pass_on(game, side, messages_in([line for line in text.split("\n") if not line.lstrip().startswith(">")]))
    return msgspec.structs.replace(receipt, file=name, version=version, again=again, messages=told)


def file_as(game: GameFolder, turn: int, side: str, number: int, text: str) -> tuple[int, bool]:
    """Put orders in force as a side's answer to a request; earlier ones are kept. Returns which version they are, and
    whether they were on file already.
    """
    current = game.order_file(turn, side, number)
    last = max((one.version for one in game.versions(turn, side, number)), default=0)
    before = read_order_file(current) if current.is_file() else None
    if before == text:
        return last + 1, True
    _verify_open(game, current.name)
    if before is not None:
        # Stopped between these two writes, the next attempt finds the copy and does not count it twice.
        kept = game.order_file(turn, side, number, last) if last else None
        if kept is None or read_order_file(kept) != before:
            last += 1
            write_text(game.order_file(turn, side, number, last), before, private=True)
    write_text(current, text, private=True)
    return last + 1, False


def _verify_open(game: GameFolder, file: str) -> None:
    """Orders that are sealed wait for the beacon as they are. Raises :class:`GameError`."""
    sealing = sealing_of(game)
    if sealing is not None:
        text = (
            f"all orders for this request are in and sealed for round {sealing.round} of the beacon: "
            "they can no longer be changed"
        )
        raise GameError.saying("orders-sealed", text, file=file)


def _receipt(game: GameFolder, judged: Judged, text: str) -> Receipt:
    request = judged.request
    assert request is not None
    return Receipt(
        game=game.terms.name,
        side=judged.side,
        turn=request.turn,
        request=request.number,
        form=request.form,
        sha256=digest(text),
        orders=judged.text,
        lines=judged.lines,
        balance=judged.balance,
        plots=judged.plots,
        notes=judged.notes,
    )


_BARE: Final = regex(r"[\w:./\\~@-]+")
"""What no shell of Windows takes for anything but itself."""


def typed(word: object, *, windows: bool = os.name == "nt") -> str:
    """A path or a name as it stands in a command. Single quotes, and backslashes that need some, are those of other
    systems: the command prompt of Windows hands them on as they are.
    """
    text = str(word)
    if not windows:
        return quote(text)
    return text if _BARE.fullmatch(text) else f'"{text}"'
