"""Receipts are made of what a side may know: judged on that side's own view of the game, they are the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbem.desk.answers import judge
from pbem.desk.drafts import draft_for
from pbem.desk.folder import opened
from pbem.game import events as ev
from pbem.game.events import OrdersFiled, SegmentBegan
from pbem.game.fold import fold, fold_records

ROOT = Path(__file__).resolve().parents[2]
MANGLED = (
    ("SPEED", "SPEED 31 #"),
    ("AT ", "AT 99 "),
    ("DO\n", "DO\n  AT 1 FIRE ALL AT Nobody\n  IF ARMED Destruction THEN FIRE ALL AT Destruction\n"),
    ("END", "BREAK\n  ENEMY FIRES HEAVY\n  CLOAKED Destruction\nEND"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duel01", "rescue01"])
def test_a_receipt_needs_nothing_another_side_hides(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(ROOT / "turns" / name, folder)
    compared = 0
    with opened(folder) as game:
        records = game.effective()
        scenario = game.scenario()
        begins = [place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan)]
        for place, following in zip(begins, [*begins[1:], len(records)], strict=True):
            full = fold_records(records[:place])
            assert full.request is not None
            for answer in [r.event for r in records[place:following] if isinstance(r.event, OrdersFiled)]:
                seen = [event for record in records[:place] if (event := ev.seen_by(record, answer.side)) is not None]
                own = fold(seen)
                head = f"GAME {name} TURN {full.request.turn} SIDE {answer.side} REPLY {full.request.number}\n"
                body = answer.text.partition("\n")[2] if answer.text.startswith("GAME") else f"{answer.text}\nEND\n"
                for before, after in (("", ""), *MANGLED):
                    text = head + body.replace(before, after) if before else head + body
                    game._state = full
                    with_all = judge(game, text, "")
                    game._state = own
                    assert judge(game, text, "") == with_all
                    compared += 1
                draft = draft_for(full, scenario, full.request, answer.side)
                assert draft == draft_for(own, scenario, full.request, answer.side)
    assert compared > 10
