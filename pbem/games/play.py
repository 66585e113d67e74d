"""Playing on: from the answers on file to the next request, again and again until somebody owes orders."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

import msgspec

from pbem.engine.events import Record
from pbem.engine.state import Outcome, Request, State
from pbem.errors import GameError
from pbem.games.answers import Answer, answers
from pbem.games.computer_sides import captains, captains_orders
from pbem.games.errand import Done, Errand, links_for, run
from pbem.games.proof.beacon import Beacon, Sealing, draw, seal
from pbem.games.proof.kept_dice import kept_by
from pbem.games.proof.restored import as_before, pass_over
from pbem.games.proof.seals import sealed_orders
from pbem.games.segments import segment
from pbem.games.storage.files import read_bytes, sweep, write_text
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.publish import around, publish, renew, reports_folder, save_is_late
from pbem.games.storage.versions import note_version
from pbem.games.submit import submit
from pbem.games.table import POSITIONS

ALONE = 25
"""So many turns are played in one go where nobody but computer captains is asked: two of them may circle each other for
ever.
"""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a command did to a game. ``what`` is ``played``, ``rewrote``, ``waiting``, ``sealed``, ``over``,
    ``late`` for a save of the positions that could not be written yet, or ``alone`` where captains played for so long
    by themselves (:data:`ALONE`) that somebody should say whether they shall go on.

    ``turn`` and ``request`` are those answered; ``asked`` is the request in force afterwards; ``owing``
    who has not answered it; ``sealing`` what orders wait for that are sealed until a beacon speaks.
    """

    what: str
    turn: int = 0
    request: int = 0
    asked: Request | None = None
    owing: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    reports: str = ""
    sealing: Sealing | None = None
    why: str = ""


Playing = Generator[Errand, Done, list[Happening]]
"""Play of a game that hands out its errands, and is sent what came of each."""


def resolve(game: GameFolder, beacon: Beacon | None = None) -> list[Happening]:
    """Play on while everybody has answered. Waiting for orders is no error, nor is waiting for the public beacon of
    a game whose dice take one; ``beacon`` asks it.

    Raises :class:`GameError` if the folder is damaged, or a file on record is no longer legal; what was
    played before that stays played.
    """
    playing = stretches(game, beacon)
    try:
        errand = next(playing)
        while True:
            try:
                done = run(errand, alone=True)
            except Exception as error:
                errand = playing.throw(error)
            else:
                errand = playing.send(done)
    except StopIteration as end:
        happened: list[Happening] = end.value
        return happened
    finally:
        playing.close()


def stretches(game: GameFolder, beacon: Beacon | None = None) -> Playing:
    """:func:`resolve`, with somebody else to do the errands: what they need is gathered here, and what came of them is
    written here.
    """
    done = mend(game)
    began = game.state().turn
    while True:
        state = game.state()
        if state.over or state.request is None:
            return [*done, Happening(what="over", outcome=state.outcome, reports=_reports(game))]
        found, faults = answers(game)
        if faults:
            raise GameError(*faults)
        owing = tuple(side for side in state.request.sides if side not in found)
        if owing and (commanding := {side: one for side, one in captains(game).items() if side in owing}):
            if state.turn >= began + ALONE:
                return [*done, Happening(what="alone", asked=state.request, owing=owing, reports=_reports(game))]
            for side, level in sorted(commanding.items()):
                submit(game, captains_orders(game, side, level), f"{side}.orders")
            continue
        if owing:
            return [*done, Happening(what="waiting", asked=state.request, owing=owing, reports=_reports(game))]
        if game.set_right():
            done.append(Happening(what="rewrote", reports=f"{turn_name(game.last_folder())}/state.json"))
            continue
        texts = {side: answer.text for side, answer in found.items()}
        if pass_over(game, state, texts):
            continue
        value = ""
        if game.terms.dice.beacon:
            again = as_before(game, state, texts)
            sealing = seal(game, texts, beacon, again.round if again is not None else 0)
            value, why = draw(sealing, beacon)
            if not value:
                return [*done, Happening(what="sealed", asked=state.request, sealing=sealing, why=why)]
        note_version(game, state.segment + 1)
        if kept_by(game.effective(), state.segment + 1):
            play_on(game, state, state.request, found, value)
            publish(game)
        else:
            made = yield errand_for(game, state, found, value)
            _take(game, state.request, found, made.records, made.state)
            publish(game, made.save, made.files)
        done.append(
            Happening(
                what="played",
                turn=state.request.turn,
                request=state.request.number,
                asked=game.state().request,
                used=tuple(found[side].file for side in sorted(found)),
                reports=_reports(game),
            )
        )
        if save_is_late(game):
            done.append(Happening(what="late", reports=f"{_reports(game).partition('/')[0]}/{POSITIONS}"))


def errand_for(game: GameFolder, state: State, found: Mapping[str, Answer], beacon: str = "") -> Errand:
    """The next stretch of play, with everything it is made of."""
    source, before = game.dice(), game.records()
    filed, key = sealed_orders(source, state, {side: answer.text for side, answer in found.items()}, beacon)
    own = {path.relative_to(game.path).as_posix(): read_bytes(path) for path in game.own_files()}
    return Errand(
        around=around(game, state.segment + 1), log=before, state=state, filed=filed, key=key, beacon=beacon,
        links=links_for(source, before, state), own=own,
    )  # fmt: skip


def mend(game: GameFolder) -> list[Happening]:
    """Write what a command that was stopped half-way left behind: the state file and the reports follow the
    log.
    """
    sweep(game.path)
    mended, game.mended = game.mended, ()
    if game.renewed != len(game.records()):
        mended += renew(game)
    return [Happening(what="rewrote", reports=name) for name in mended]


def _reports(game: GameFolder) -> str:
    return reports_folder(game).relative_to(game.path).as_posix()


def play_on(game: GameFolder, state: State, request: Request, found: Mapping[str, Answer], beacon: str = "") -> None:
    """One segment: the orders become part of the record, the dice are made from them, and the turn is
    played.
    """
    texts = {side: answer.text for side, answer in found.items()}
    records, after = segment(game, state, texts, beacon=beacon)
    _take(game, request, found, records, after)


def _take(
    game: GameFolder, request: Request, found: Mapping[str, Answer], records: Sequence[Record], after: State
) -> None:
    """Put what was played into the record."""
    for side, answer in sorted(found.items()):
        if answer.from_form:
            write_text(game.order_file(request.turn, side, request.number), answer.sent, private=True)
    game.commit(request.turn, records, after)
