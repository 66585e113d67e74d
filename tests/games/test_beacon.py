"""The beacon: its rounds, when their value is drawn, and what is sealed with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.proof.beacon import (
    GENESIS,
    MARGIN,
    Sealing,
    draw,
    first_round_after,
    round_time,
    sealed_lines,
    sealing_of,
    verify_value,
)
from pbem.games.proof.verify_archive import DisclosedValue, read_kept
from pbem.games.storage.opening import opened

A, B, C, D, E = ("abcde"[n] * 64 for n in range(5))


class Oracle:
    def __init__(self, now: datetime, value: str = A) -> None:
        self.moment, self.given = now, value

    def now(self) -> datetime:
        return self.moment

    def value(self, number: int) -> str:
        if not self.given:
            raise GameError.saying("beacon-silent", f"round {number} is silent")
        return self.given


def test_rounds_of_the_beacon_and_when_their_value_is_drawn() -> None:
    begin = datetime.fromtimestamp(GENESIS, UTC)
    assert [round_time(n) - begin for n in (1, 2, 11)] == [timedelta(seconds=s) for s in (0, 3, 30)]
    moments = (-100, -1, 0, 1, 2, 3, 5, 6)
    assert [first_round_after(begin + timedelta(seconds=s)) for s in moments] == [1, 1, 2, 2, 2, 3, 3, 4]
    sealing = Sealing(segment=3, turn=2, request=4, round=5, seals={"b": B, "a": A})
    assert sealing.due == begin + timedelta(seconds=12) and timedelta(minutes=2) == MARGIN
    assert draw(sealing, None) == ("", "no beacon can be asked here")
    assert draw(sealing, Oracle(sealing.due - timedelta(microseconds=1))) == ("", "the round is still to come")
    assert draw(sealing, Oracle(sealing.due)) == (f"5:{A}", "")
    assert draw(sealing, Oracle(sealing.due, "")) == ("", "round 5 is silent")
    for value in ("a" * 63, "a" * 65, "A" * 64, "g" * 64, ""):
        with pytest.raises(GameError, match="64 hex digits"):
            verify_value(value)
    lines = sealed_lines("duel", sealing)
    assert lines == [
        "Dice of duel, scheme 2", "Segment 3: request 4 of turn 2", "  awaits round 5 of the beacon",
        "  orders of a", f"              {A}", "  orders of b", f"              {B}",
    ]  # fmt: skip
    found = read_kept("\n".join(lines), "x")
    assert found is not None and found.told[1:] == (
        DisclosedValue(3, "request", "", "2.4"), DisclosedValue(3, "round", "", "5"),
        DisclosedValue(3, "orders", "a", A), DisclosedValue(3, "orders", "b", B),
    )  # fmt: skip


def test_nothing_is_sealed_without_a_request_or_without_a_beacon(duel: Path) -> None:
    """Whatever file lies there."""
    with opened(duel) as game:
        state, seals = game.state(), {"klingon": A}
        made = Sealing(segment=state.segment + 1, turn=1, request=1, round=7, seals=seals)
        (duel / "01").mkdir(exist_ok=True)
        (duel / "01" / "sealed.r1.json").write_bytes(msgspec.json.encode(made))

        def found(asked: object, beacon: str, segment: int = state.segment) -> Sealing | None:
            dice = SimpleNamespace(beacon=beacon)
            now = SimpleNamespace(request=asked, segment=segment)
            fake: Any = SimpleNamespace(state=lambda: now, path=duel, terms=SimpleNamespace(dice=dice))
            return sealing_of(fake)

        assert found(state.request, "drand") == made
        assert found(state.request, "") is None and found(None, "drand") is None and found(None, "") is None
        assert found(state.request, "drand", state.segment + 1) is None, "one of before an undo"
