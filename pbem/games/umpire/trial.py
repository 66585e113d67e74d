"""Trying something on a copy of a game, and what came of it: differences in play and in the players' sitreps."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pbem.engine.events import ACTS, UMPIRE, OrdersFiled, Record, Requested, SegmentBegan, Stopped
from pbem.games.storage.files import cannot
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.text.words import sentence


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What happened otherwise at a moment: sentences that no longer stand, and those that stand instead."""

    turn: int
    impulse: int
    was: tuple[str, ...] = ()
    now: tuple[str, ...] = ()


@contextmanager
def copied(game: GameFolder) -> Iterator[GameFolder]:
    """A copy of the whole game to try something on; it is gone afterwards."""
    try:
        with tempfile.TemporaryDirectory(prefix="pbem-") as folder:
            copy = Path(folder) / game.path.absolute().name
            shutil.copytree(game.path, copy, ignore=shutil.ignore_patterns("*.lock", ".*.tmp", "*.vsav"))
            with opened(copy) as trial:
                yield trial
    except OSError as error:
        raise cannot("read", game.path, error) from error


_NOT_PLAY = (SegmentBegan, OrdersFiled, Requested, Stopped, *ACTS)
"""What keeps the books: it differs in every repetition."""


def differences(was: Sequence[Record], now: Sequence[Record]) -> tuple[Difference, ...]:
    """What happens otherwise in two plays of the same stretch, as the umpire sees it, moment by moment."""
    before, after = _by_moment(was), _by_moment(now)
    found = []
    for moment in sorted(before.keys() | after.keys()):
        old, new = before.get(moment, []), after.get(moment, [])
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        lost = [line for how, i, j, _, _ in steps if how != "equal" for line in old[i:j]]
        gained = [line for how, _, _, i, j in steps if how != "equal" for line in new[i:j]]
        if lost or gained:
            found.append(Difference(turn=moment[0], impulse=moment[1], was=tuple(lost), now=tuple(gained)))
    return tuple(found)


def _by_moment(records: Sequence[Record]) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for record in records:
        event = record.event
        if not isinstance(event, _NOT_PLAY):
            found.setdefault((event.turn, event.impulse), []).append(sentence(event))
    return found


def sitrep_differences(was: Sequence[Record], now: Sequence[Record], *, news: bool = True) -> dict[str, str]:
    """How the sitreps made of two logs differ, by reader, as a unified diff; readers without a difference are left
    out. ``news`` says whether what is new since the last sitrep is held against each other too.
    """
    from pbem.reports.view.build import build_view

    def text(records: Sequence[Record], reader: str) -> list[str]:
        view = build_view(records, reader)
        if not news:
            said = tuple(msgspec.structs.replace(one, fresh=False) for one in view.said)
            view = msgspec.structs.replace(view, since=(), said=said)
        return sitrep_text(view).splitlines()

    players = [player.side for player in build_view(was, UMPIRE).players if not player.robot]
    found = {}
    for reader in (*players, UMPIRE):
        old, new = text(was, reader), text(now, reader)
        lines = difflib.unified_diff(old, new, f"{reader}, as it is", f"{reader}, as it would be", lineterm="", n=1)
        if differs := "\n".join(lines):
            found[reader] = differs
    return found
