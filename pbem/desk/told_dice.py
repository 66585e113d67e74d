"""Dice that players were told of and that this folder does not know: it is a backup that was put back.

A link of the dice chain is told with the sitrep that follows its segment; from then on anybody can work out what every
order would roll. So what was played after the backup comes again only as it was: where a segment's orders are those it
was played with, all of them, they were written before anybody knew these dice, and the segment is the same one, die for
die. At the first that differ, the links that were told are passed over (:class:`DicePassed`), and play goes on with one
that nobody has seen.

What was told stands in ``told-dice.json``; without it a game knows no more than its log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from pbem.desk.beacon import sealing_of
from pbem.desk.files import keep, read_kept
from pbem.desk.folder import GameFolder
from pbem.desk.seals import seals_of
from pbem.game import dice
from pbem.game.events import DicePassed, OrdersFiled, Record, SegmentBegan
from pbem.game.state import State

FILE: Final = "told-dice.json"
_LONG: Final = 16


class Played(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A segment that was played: its number, a digest of the answers it was played with, and the round of the public
    beacon in its key (0: none).
    """

    segment: int
    answers: str
    round: int = 0


class ToldDice(msgspec.Struct, frozen=True, kw_only=True):
    """What was told beyond the log: segments up to ``through`` (``sure``: no others), those of which it is known how
    they were ``played``, and why.
    """

    through: int
    sure: bool
    played: tuple[Played, ...] = ()
    why: str = ""


def told_dice(game: GameFolder) -> ToldDice | None:
    """What was told that a game's log does not know; nothing where it knows all."""
    found = read_kept(game.path / FILE, ToldDice)
    return found if found is not None and found.through > game.state().segment else None


def remember(game: GameFolder, played: Iterable[Played], *, sure: bool, why: str) -> None:
    """Note that a game's folder is a backup, and what was ``played`` since; without ``sure`` perhaps more."""
    now, before = game.state().segment, told_dice(game)
    known = {one.segment: one for one in (before.played if before is not None else ())}
    known |= {one.segment: one for one in played if one.segment > now}
    through = max([now, before.through if before is not None else 0, *known])
    if not sure or (before is not None and not before.sure):
        sure, through = False, max(through, now + dice.UNHEARD)
    if through > now:
        told = ToldDice(through=through, sure=sure, played=tuple(known[n] for n in sorted(known)), why=why)
        keep(game.path / FILE, told, indent=True)


def played_in(records: Sequence[Record], after: int) -> Iterator[Played]:
    """The segments of a log after number ``after``, those taken back too."""
    began: SegmentBegan | None = None
    sealed: dict[str, str] = {}
    for record in records:
        event = record.event
        if isinstance(event, SegmentBegan):
            if began is not None:
                yield _played(began, sealed)
            began, sealed = (event if event.segment > after else None), {}
        elif isinstance(event, OrdersFiled):
            sealed[event.side] = event.sealed
    if began is not None:
        yield _played(began, sealed)


def _played(began: SegmentBegan, sealed: Mapping[str, str]) -> Played:
    number, _, value = began.beacon.partition(":")
    return Played(segment=began.segment, answers=_digest(sealed), round=int(number) if value else 0)


def _digest(sealed: Mapping[str, str]) -> str:
    said = "|".join(f"{side}={seal}" for side, seal in sorted(sealed.items()))
    return hashlib.sha256(said.encode()).hexdigest()[:_LONG]


def as_before(game: GameFolder, state: State, texts: Mapping[str, str]) -> Played | None:
    """How the coming segment was played before, where it was with just these answers."""
    told = told_dice(game)
    if told is None:
        return None
    seals = seals_of(game.dice(), state, texts)
    answers = _digest({side: seals[side] for side in texts})
    return next((one for one in told.played if (one.segment, one.answers) == (state.segment + 1, answers)), None)


def pass_over(game: GameFolder, state: State, texts: Mapping[str, str]) -> bool:
    """Pass over the links that were told, unless these answers are those that were played, or are sealed for a round of
    the beacon: then nobody chooses anything any more. Whether any were.
    """
    told = told_dice(game)
    if told is None or as_before(game, state, texts) is not None or sealing_of(game) is not None:
        return False
    _pass(game, told)
    return True


def pass_told(game: GameFolder) -> None:
    """Pass over the links that were told, if any: what the umpire has repeated is not what was played then."""
    if (told := told_dice(game)) is not None:
        _pass(game, told)


def _pass(game: GameFolder, told: ToldDice) -> None:
    state, known = game.state(), told.through if told.sure else 0
    asked = state.request or state.last_request
    assert asked is not None
    act = DicePassed(
        turn=state.turn, impulse=state.impulse, step=state.step, told=known, why=told.why,
        segment=dice.passed_over(state.segment, known),
    )  # fmt: skip
    game.carry_out("resolve", {asked.turn: [Record(n=len(game.records()) + 1, event=act)]})
