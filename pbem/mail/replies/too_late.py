"""Orders for a request that has been played: what became of them, and whether they could answer the one in force."""

from __future__ import annotations

from typing import NamedTuple

from pbem.data.words import FormKind
from pbem.games.answers import has_sop, normal_form, side_named
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.orders.reader import read_orders


class TooLate(NamedTuple):
    """What is told of such orders: ``said`` is a sentence, ``played`` whether these very ones were played, ``fits``
    whether they are others, of the kind that is asked for now.
    """

    said: str
    played: bool
    fits: bool


def too_late(game: GameFolder, side: str, text: str) -> TooLate | None:
    """What is told of a side's orders, where their header names a request that was played; ``None`` of any others."""
    orders, state = read_orders(text).orders, game.state()
    request, turn, number = state.request, orders.turn, orders.reply
    if request is None or turn is None or number is None or orders.game.casefold() != state.game.casefold():
        return None
    if turn < 1 or number < 1 or (turn, number) >= (request.turn, request.number):
        return None
    if side_named(state, orders.side) != side:
        return None
    which = f"request {number} of turn {turn}"
    energy = any(unit.energy is not None for unit in orders.units)
    file = game.order_file(turn, side, number)
    before = normal_form(read_order_file(file), side, state.game) if file.is_file() else ""
    if before and before == normal_form(text, side, state.game):
        return TooLate(f"these very orders were on file for {which} when it was played: nothing is lost", True, False)
    what, rest = "these orders are", ""
    if energy and not has_sop(orders):
        what = "this energy form is"
        rest = "; energy that is allotted stands until its turn ends" if turn == request.turn else ""
    said = f"{what} for {which}, which was played before this letter came{rest}"
    wanted = {FormKind.EAF: energy, FormKind.SOP: has_sop(orders) or orders.unchanged}
    return TooLate(said, False, wanted.get(FormKind(request.form), energy))
