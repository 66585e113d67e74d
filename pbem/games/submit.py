"""Check and file a player's orders, and return a receipt for them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.errors import GameError
from pbem.games.answers import Judged, digest, judge
from pbem.games.messages import pass_on
from pbem.games.proof.beacon import sealing_of
from pbem.games.storage.files import read_order_file, write_text
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.orders.messages import messages_in
from pbem.orders.reader import read_orders


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt for orders that were filed, or that would be filed (:func:`check`).

    Attributes:
        game: Name of the game.
        side: The side that gave the orders.
        turn: The turn of the request that the orders answer.
        request: The number of that request.
        form: What the request asks for (:class:`~pbem.data.terms.FormKind`).
        sha256: The hash of the file as stored.
        orders: The orders in normal form.
        file: Name of the order file; empty if nothing was filed.
        version: The number of files that the side has sent for the request; 0 if nothing was filed.
        again: Whether exactly these orders were already in force.
        lines: For each order: its line number, text, verdict and reason.
        balance: The lines of each ship's energy form, by ship.
        plots: For each ship: the impulse, the code, and the resulting hex and facing of each move.
        notes: Remarks on the orders.
        messages: For each message to other players in the file, a sentence that says what was done with it.
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
    """Return the receipt that an order file would get, without filing it.

    Raises:
        GameError: The file has faults; the error lists all of them.
    """
    judged = judge(game, text, file)
    if judged.faults:
        raise GameError(*judged.faults)
    return _receipt(game, judged, text)


def submit(game: GameFolder, text: str, file: str) -> Receipt:
    """Check an order file and file it as the side's answer to a request; earlier versions are kept.

    If the same file is sent twice, it counts as one version.

    Raises:
        GameError: The file has faults; the error lists all of them. Nothing was filed in this case.
    """
    receipt = check(game, text, file)
    turn, side, number = receipt.turn, receipt.side, receipt.request
    version, again = file_as(game, turn, side, number, text)
    name = f"{turn_name(turn)}/orders/{game.order_file(turn, side, number).name}"
    told = pass_on(game, side, messages_in([line for line in text.split("\n") if not line.lstrip().startswith(">")]))
    notes = (*receipt.notes, *_replaced(game, receipt, version - 1))
    return msgspec.structs.replace(receipt, file=name, version=version, again=again, notes=notes, messages=told)


def _replaced(game: GameFolder, receipt: Receipt, before: int) -> Iterator[str]:
    """Yield a note for each unit with orders in the previous version but none in the new orders.

    The notes are needed because a player may have sent the orders of two ships in two emails.
    """
    path = game.order_file(receipt.turn, receipt.side, receipt.request, before)
    if not before or not path.is_file():
        return
    orders = read_orders(receipt.orders).orders
    if orders.unchanged or orders.alone:
        return
    have = {block.unit.casefold() for block in orders.units}
    earlier = read_orders(read_order_file(path)).orders
    lost = [block.unit for block in earlier.units if block.unit and block.unit.casefold() not in have]
    if lost:
        yield (
            f"version {before} had orders for {', '.join(lost)}, and this version, which replaces it, has none: "
            "send the orders of all your units together"
        )


def file_as(game: GameFolder, turn: int, side: str, number: int, text: str) -> tuple[int, bool]:
    """File orders as a side's answer to a request, so that they are in force; earlier orders are kept.

    Returns:
        The version number, and whether exactly these orders were already in force.
    """
    current = game.order_file(turn, side, number)
    last = max((one.version for one in game.versions(turn, side, number)), default=0)
    before = read_order_file(current) if current.is_file() else None
    if before == text:
        return last + 1, True
    _verify_open(game, current.name)
    if before is not None:
        # If the command stops between these two writes, the next attempt finds the copy and counts it once.
        kept = game.order_file(turn, side, number, last) if last else None
        if kept is None or read_order_file(kept) != before:
            last += 1
            write_text(game.order_file(turn, side, number, last), before, private=True)
    write_text(current, text, private=True)
    return last + 1, False


def _verify_open(game: GameFolder, file: str) -> None:
    """Check that orders are not sealed; sealed orders cannot change while they wait for the public beacon.

    Raises:
        GameError: The orders are sealed.
    """
    sealing = sealing_of(game)
    if sealing is not None:
        text = (
            f"all orders for this request are in and sealed for round {sealing.round} of the beacon, "
            "so they cannot be changed"
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
