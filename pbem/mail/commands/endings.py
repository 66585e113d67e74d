"""Handle the email commands DRAW and RESIGN, by which players end a game.

A draw takes effect when every side still in play has sent DRAW. The commands only record what each side wants, in the
game's ``mail/endings.json``. The host's next round (pass over all its games) ends the game. So an email that is
delivered twice has no further effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine.dice import ScriptedDice
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.surrender import give_up
from pbem.engine.relations import beaten, fleet, sides_left
from pbem.engine.state import Outcome, Request, State
from pbem.games.answers import answers
from pbem.games.proof.beacon import sealing_of
from pbem.games.storage.files import json_in, keep, read_bytes, remove
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Reply
from pbem.mail.settings import read_host
from pbem.orders.header import answer_line

FILE: Final = "endings.json"
AGREED: Final = "all who still play agreed to a draw"


class Endings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the sides of a game have asked for.

    Attributes:
        draw: The sides that agree to a draw.
        resign: The sides that want to resign.
    """

    draw: tuple[str, ...] = ()
    resign: tuple[str, ...] = ()


def read_endings(game: Path) -> Endings:
    """Return which sides of a game agree to a draw, and which want to resign.

    Raises:
        GameError: If the file is damaged.
    """
    file = game / "mail" / FILE
    if not file.is_file():
        return Endings()
    return json_in(read_bytes(file), Endings, "endings-damaged", "what the players agreed on is damaged", file)


def _write(game: Path, endings: Endings) -> None:
    if endings == Endings():
        remove(game / "mail" / FILE)
    else:
        keep(game / "mail" / FILE, endings, indent=True)


def forget(game: Path, side: str) -> None:
    """Delete what a side asked for by DRAW or RESIGN, because a new player takes the side over."""
    endings = read_endings(game)
    draw, resign = (tuple(one for one in sides if one != side) for sides in (endings.draw, endings.resign))
    if (rest := Endings(draw=draw, resign=resign)) != endings:
        _write(game, rest)


def left(state: State) -> tuple[str, ...]:
    """Return the sides that are played by people and have a unit in play or still to arrive."""
    has = sides_left(state)
    return tuple(side for side in sorted(state.sides) if side in has and not state.sides[side].robot)


def _leaving(state: State, resigned: Sequence[str]) -> tuple[str, ...]:
    """Return the sides that have asked to resign and are still in the game.

    The result of the game is judged for all of them together.
    """
    playing = left(state)
    return tuple(side for side in resigned if side in playing)


def _undefeated(state: State, side: str) -> bool:
    """Return whether an agreed draw counts as a draw for this side, and not as a defeat.

    The side's team, computer players included, must still be in the game. Otherwise at least one of the side's ships
    must have disengaged instead of being lost (scenario #5).
    """
    there = {state.team_of(one) for one in sides_left(state)}
    return state.team_of(side) in there or not all(beaten(state, ship) for ship in fleet(state, side))


def wanted(state: State, endings: Endings) -> tuple[str, ...]:
    """Return the sides that must still agree to a draw; a side that wants to resign need not agree."""
    return tuple(side for side in left(state) if side not in (*endings.draw, *endings.resign))


def without(game: GameFolder, *sides: str) -> tuple[Outcome, ...]:
    """Return the results of all sides if these sides resign; empty if the game would go on without them."""
    table = Resolution(game.state(), game.scenario(), ScriptedDice(), {})
    give_up(table, sides)
    return table.state.outcome if table.state.over else ()


# --- commands --------------------------------------------------------------------------------------------------------


def draw(conversation: Conversation) -> Reply:
    """Answer DRAW: record that the side agrees to a draw; DRAW OFF withdraws the agreement."""
    games, side, state = conversation.games, conversation.seat.side, conversation.game.state()
    if games.club is None:
        return conversation.answer("command", "no-host", command="DRAW")
    endings = read_endings(conversation.game.path)
    if conversation.letter.argument == "OFF":
        _write(
            conversation.game.path,
            msgspec.structs.replace(endings, draw=tuple(one for one in endings.draw if one != side)),
        )
        return conversation.answer_with_notes("command", "draw-off")
    if wrong := _no_draw(conversation, state, endings):
        return conversation.answer("fault", "draw-refused", why=wrong)
    endings = msgspec.structs.replace(endings, draw=tuple(sorted({*endings.draw, side})))
    _write(conversation.game.path, endings)
    missing = wanted(state, endings)
    if not missing:
        return conversation.answer("command", "draw-agreed")
    return conversation.answer_with_notes("command", "draw", wanted=missing)


def _no_draw(conversation: Conversation, state: State, endings: Endings) -> str:
    """Return a keyword for the reason why a side cannot agree to a draw; ``""`` if it can.

    The template ``draw-refused`` has a sentence for each keyword.
    """
    assert conversation.games.club is not None
    if state.over:
        return "over"
    if not read_host(conversation.games.club).letters.draw:
        return "closed"
    playing = left(state)
    if conversation.seat.side not in playing:
        return "out of play"
    if len({state.team_of(side) for side in playing if side not in endings.resign}) <= 1:
        return "alone"
    return ""


def resign(conversation: Conversation) -> Reply:
    """Answer RESIGN: give up a side.

    The first email only asks: the answer says what would happen. A second email confirms it.
    """
    games, seat, state = conversation.games, conversation.seat, conversation.game.state()
    if games.club is None:
        return conversation.answer("command", "no-host", command="RESIGN")
    if state.over or seat.side not in left(state):
        return conversation.answer("command", "resign-nothing", over=state.over)
    if not read_host(games.club).letters.resign:
        return conversation.answer("fault", "resign-refused")
    game, _, sure = conversation.letter.argument.partition(" ")
    endings = read_endings(conversation.game.path)
    resigned = tuple(sorted({*endings.resign, seat.side}))
    results = without(conversation.game, *_leaving(state, resigned))
    ends = [f"  {one.side}: {one.result}" for one in results]
    if game.casefold() != seat.game.casefold() or not sure:
        return conversation.answer_with_notes("command", "resign-asked", side=seat.side, game=seat.game, results=ends)
    _write(conversation.game.path, msgspec.structs.replace(endings, resign=resigned))
    return conversation.answer("command", "resigned", side=seat.side, game=seat.game, results=ends)


# --- the round -------------------------------------------------------------------------------------------------------


def settle(game: GameFolder) -> bool:
    """Carry out the draws and resignations that players have asked for; return whether the game ended.

    A draw, or a resignation that decides the game, becomes an umpire's decree in the log. If other sides fight on,
    CONCEDE is filed as the orders of the side that resigns. If orders are sealed (complete and unchangeable), nothing
    is done until they are played. The caller must hold the game's lock.
    """
    endings, state = read_endings(game.path), game.state()
    if endings == Endings():
        return False
    if state.over:
        _write(game.path, Endings())
        return False
    if state.request is None or sealing_of(game) is not None:
        return False
    draw = _draw_results(state)
    if endings.draw and set(left(state)) <= set(endings.draw):
        return _decide(game, AGREED, draw)
    resigned = _leaving(state, endings.resign)
    if resigned and (ended := without(game, *resigned)):
        result = {one.side: one.result for one in ended}
        reason = f"{' and '.join(resigned)} {'give' if len(resigned) > 1 else 'gives'} up"
        return _decide(game, reason, {one: result.get(one, "defeat") for one in state.sides})
    if endings.draw and not wanted(state, endings):
        return _decide(game, AGREED, draw | dict.fromkeys(resigned, "defeat"))
    for side in resigned:
        if state.request.asks(side):
            _file_concede(game, state.request, side)
    return False


def _draw_results(state: State) -> dict[str, str]:
    """Return the result of each side if the game ends by an agreed draw: ``draw`` or ``defeat``."""
    return {side: "draw" if _undefeated(state, side) else "defeat" for side in state.sides}


def _file_concede(game: GameFolder, request: Request, side: str) -> None:
    """File CONCEDE as the orders of a side, unless its orders on file have it already."""
    filed = answers(game)[0].get(side)
    text = f"{answer_line(game.terms.name, side, request)}\nCONCEDE\nEND\n"
    if filed is None or "CONCEDE" not in filed.text.split("\n"):
        submit(game, text, f"{side}.orders")


def _decide(game: GameFolder, reason: str, result: dict[str, str]) -> bool:
    override(game, Decree(reason=reason, result=result))
    _write(game.path, Endings())
    return True
