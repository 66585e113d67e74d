"""Receipts are made of what a side may know: judged on that side's own view of the game, they are the same."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.engine import events as ev
from pbem.engine.events import OrdersFiled, SegmentBegan
from pbem.engine.log import fold, fold_records
from pbem.games.answers import judge
from pbem.games.storage.opening import opened
from pbem.mail.host.round import host_round
from pbem.mail.transport.sources import Maildir
from pbem.reports.draft.draft import draft_for

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer

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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_whatever_the_post_keeps_is_nobody_else_s(hosted: Hosted, tmp_path: Path) -> None:
    """Letters, journals, mails on their way, tokens, wishes, messages, clocks: after a round with some of each."""
    hosted.round()
    old = os.umask(0o000)
    try:
        answer(hosted, "federation", "klingon")
        for subject in ("STATUS", "WAIT", "hm", "MESSAGE TO klingon\nhi\n"):
            hosted.post(hosted.letter("federation", subject))
        hosted.post(hosted.letter("klingon", "STATUS", token="x" * 14))
        source = Maildir(hosted.folder / "Maildir")
        host_round(hosted.folder, lambda: hosted.now, source=source, carrier=hosted.sink, state=tmp_path / "apart")
    finally:
        os.umask(old)
    kept = [path for top in (hosted.folder / "mail", hosted.game, tmp_path / "apart") for path in top.rglob("*")]
    names = {path.name for path in kept if path.is_file()}
    assert {"club.db", "tokens.json", "status.json", "clock.json", "said.txt"} <= names, names
    public = {"game.toml", "events.jsonl"}  # these two the test itself has copied
    assert [path for path in kept if path.is_file() and path.name not in public and path.stat().st_mode & 0o077] == []
