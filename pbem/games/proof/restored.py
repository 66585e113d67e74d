"""Dice that players already know but the game folder does not, because a backup was restored.

The sitrep after a segment of play discloses its link of the dice chain. From then on anybody can compute the dice
rolls that any orders would give. After a backup is restored, a segment is therefore played with the same dice only
if all its orders are the same as before. These orders were written before anybody knew the dice, and the segment
gives the same result. At the first different orders the disclosed links are skipped
(:class:`pbem.engine.events.DicePassed`), and play continues with a link that nobody knows.

``told-dice.json`` records the disclosed dice. Without this file, only the dice in the log count as disclosed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine import dice
from pbem.engine.events import DicePassed, OrdersFiled, Record, SegmentBegan
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.proof.beacon import sealing_of
from pbem.games.proof.seals import seals_of
from pbem.games.storage.files import keep, read_kept
from pbem.games.storage.folder import GameFolder
from pbem.util import typed

FILE: Final = "told-dice.json"
CLUB_TOLD: Final = "mail/host.json"
"""Name of the file in which a club stores, for each of its games, the last segment that was reported."""
CLUB_PUT_BACK: Final = "mail/put-back.json"
"""Name of a file that marks a club as restored from a backup until its host is told to continue."""
HOSTED: Final = "mail/hosted.json"
"""Name of the file in which a game stores which host plays it, and in which of its rounds it was reported last."""
PUT_BACK: Final = "a backup of this game was put back"
"""Reason given in the log when dice links are skipped after a restore.

It names no date, because a log contains no dates.
"""
_LONG: Final = 16


class PlayedSegment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A segment that was played before a backup was restored: its number and a digest of its answers.

    ``round`` is the round of the public beacon in its dice key (0: none).
    """

    segment: int
    answers: str
    round: int = 0


class ToldDice(msgspec.Struct, frozen=True, kw_only=True):
    """A record of dice that players already know although the log does not have their segments.

    A segment is the play between two requests for orders. The dice of all segments up to ``through`` count as
    known. ``sure`` says that the dice of no later segment are known. ``played`` are the segments whose answers are
    known, and ``why`` is the reason for the record.
    """

    through: int
    sure: bool
    played: tuple[PlayedSegment, ...] = ()
    why: str = ""
    fresh: str = ""


class _ByClub(msgspec.Struct, frozen=True, kw_only=True):
    """Data that a club stores about its games: the host's name, and each game's last reported segment.

    ``links`` maps the dice commitment of a game to the number of the game's last reported segment.
    """

    host: str = ""
    links: dict[str, int] = {}


class Hosted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record of the host that played a game last.

    Attributes:
        host: The random name of the host.
        count: The number of the host's last round that reported new play of the game.
        word: The random word of that round.
    """

    host: str = ""
    count: int = 0
    word: str = ""


def hosted_by(game: Path) -> str:
    """Return the name of the host that played a game last; empty if no host has played it."""
    return (read_kept(game / HOSTED, Hosted) or Hosted()).host


def hosted_games(club: Path) -> Iterator[tuple[str, Hosted]]:
    """Yield (name, record of the host) for each game of a club that some host has played."""
    home, decoder = str(club / "games"), msgspec.json.Decoder(Hosted)
    for name in sorted(os.listdir(home)) if os.path.isdir(home) else ():  # noqa: PTH112, PTH208 (quicker than paths)
        with suppress(OSError, ValueError, RecursionError), open(f"{home}/{name}/{HOSTED}", "rb") as file:  # noqa: PTH123
            yield name, decoder.decode(file.read())


def note_host(game: Path, host: str, count: int = 0, word: str = "") -> None:
    """Store in a game's folder the host that plays the game, the host's round, and its random word.

    The caller must hold the game's lock.
    """
    keep(game / HOSTED, Hosted(host=host, count=count, word=word))


def told_dice(game: GameFolder) -> ToldDice | None:
    """Return the record of dice disclosed beyond the game's log, or ``None`` if there is none."""
    now, found = game.state().segment, read_kept(game.path / FILE, ToldDice)
    if found is not None and _is_spent(game, found):
        found = None
    through = told_by_club(game)
    if through <= now or (found is not None and (not found.sure or found.through >= through)):
        return found
    if found is None:
        return ToldDice(through=through, sure=True, why=PUT_BACK)
    return msgspec.structs.replace(found, through=through)


def is_noted(game: GameFolder, through: int) -> bool:
    """Return whether a record says that players know the dice of all segments up to ``through``."""
    found = read_kept(game.path / FILE, ToldDice)
    return found is not None and not _is_spent(game, found) and found.through >= through


def _is_spent(game: GameFolder, told: ToldDice) -> bool:
    """Return whether a :class:`ToldDice` record no longer matters.

    This is the case if play went beyond the disclosed segments, or if the game already uses new dice.
    """
    if told.sure or not told.fresh:
        return told.through <= game.state().segment
    return any(isinstance(one.event, DicePassed) and one.event.fresh == told.fresh for one in game.records())


def told_by_club(game: GameFolder) -> int:
    """Return the number of a game's last segment that the club reported; 0 if no club hosts the game."""
    known = _club_of(game)
    return known.links.get(game.terms.dice.commitment, 0) if known is not None else 0


def _club_of(game: GameFolder) -> _ByClub | None:
    home = game.path.absolute().parent
    return read_kept(home.parent / CLUB_TOLD, _ByClub) if home.name == "games" else None


def remember(
    game: GameFolder, played: Iterable[PlayedSegment], *, sure: bool, why: str, through: int = 0
) -> ToldDice | None:
    """Record that a game folder is a restored backup, and the segments played after the backup was made.

    Without ``sure``, more segments may have been played, so a margin is added to the number of the last segment. The
    result is ``None`` if no segment beyond the game's log is known or suspected.
    """
    now, before = game.state().segment, told_dice(game)
    known = {one.segment: one for one in (before.played if before is not None else ())}
    known |= {one.segment: one for one in played if one.segment > now}
    through = max([now, through, before.through if before is not None else 0, *known])
    fresh = before.fresh if before is not None else ""
    if not sure or (before is not None and not before.sure):
        sure, through, fresh = False, max(through, now + dice.UNHEARD), fresh or _draw_word(game)
    if through <= now:
        return None
    told = ToldDice(through=through, sure=sure, played=tuple(known[n] for n in sorted(known)), why=why, fresh=fresh)
    keep(game.path / FILE, told, indent=True)
    return told


def _draw_word(game: GameFolder) -> str:
    """Draw a secret word from which future salts are made, store the word, and return its hash."""
    word = secrets.token_hex(32)
    kept = read_kept(game.words_file(), list[str]) or []
    keep(game.words_file(), [*kept, word])
    return dice.committed(word)


def played_in(records: Sequence[Record], after: int) -> Iterator[PlayedSegment]:
    """Yield the segments in a log with a number above ``after``, including those that were taken back."""
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


def _played(began: SegmentBegan, sealed: Mapping[str, str]) -> PlayedSegment:
    number, _, value = began.beacon.partition(":")
    return PlayedSegment(segment=began.segment, answers=_digest(sealed), round=int(number) if value else 0)


def _digest(sealed: Mapping[str, str]) -> str:
    said = "|".join(f"{side}={seal}" for side, seal in sorted(sealed.items()))
    return hashlib.sha256(said.encode()).hexdigest()[:_LONG]


def as_before(game: GameFolder, state: State, texts: Mapping[str, str]) -> PlayedSegment | None:
    """Return the record of the next segment's play before a restore, if its answers were the same as now.

    If they were different, or the segment was not played before, the result is ``None``.
    """
    told = told_dice(game)
    if told is None:
        return None
    seals = seals_of(game.dice(), state, texts)
    answers = _digest({side: seals[side] for side in texts})
    return next((one for one in told.played if (one.segment, one.answers) == (state.segment + 1, answers)), None)


def pass_over(game: GameFolder, state: State, texts: Mapping[str, str]) -> bool:
    """Skip the disclosed links of the dice chain if needed, and return whether any were skipped.

    The links are not skipped if the same answers were played before, or if the answers are sealed for a beacon
    round. In both cases, nobody can use knowledge of the dice to choose orders.
    """
    verify_put_back(game)
    told = told_dice(game)
    if told is None or as_before(game, state, texts) is not None or sealing_of(game) is not None:
        return False
    _pass(game, told)
    return True


def pass_told(game: GameFolder) -> None:
    """Skip the disclosed links of the dice chain, if any, before the umpire reruns play.

    A rerun has other orders than the earlier play, so its dice must be unknown.
    """
    verify_put_back(game)
    if (told := told_dice(game)) is not None:
        _pass(game, told)


def verify_put_back(game: GameFolder) -> None:
    """Check that it is clear which dice of a restored or moved game players already know.

    A game of a club restored from a backup is refused until its host has run with ``--restored``. A game from
    another host is refused until this host has examined it.

    Raises:
        GameError: It is not clear. The error says what to do.
    """
    home = game.path.absolute().parent
    if home.name == "games" and (home.parent / CLUB_PUT_BACK).is_file():
        text = (
            f"run `pbem host {typed(home.parent)} --once --restored` first: this club was restored from a backup "
            "and must catch up before it plays on"
        )
        raise GameError.saying("restored", text, file=str(home.parent))
    club, before = _club_of(game), hosted_by(game.path)
    if club is not None and club.host and before not in ("", club.host):
        text = (
            f"run `pbem host {typed(home.parent)} --once` first: another host played this game last, "
            "and this one does not know which dice were published"
        )
        raise GameError.saying("other-host", text, file=str(game.path))


def _pass(game: GameFolder, told: ToldDice) -> None:
    state, known = game.state(), told.through if told.sure else 0
    fresh = "" if told.sure else told.fresh or _draw_word(game)
    asked = state.request or state.last_request
    assert asked is not None
    act = DicePassed(
        turn=state.turn, impulse=state.impulse, step=state.step, told=known, why=told.why,
        segment=dice.last_skipped_segment(state.segment, known), fresh=fresh,
    )  # fmt: skip
    game.carry_out("resolve", {asked.turn: [Record(n=len(game.records()) + 1, event=act)]})
