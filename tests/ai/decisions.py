"""What captains of each level choose in some positions, kept in decisions.txt: their tournaments are added up over
months, so nobody who mends one level may change another by the way.

    python -m tests.ai.decisions            prints what they choose now
    python -m tests.ai.decisions --write    keeps it: look at the diff, it says whose tournaments begin anew
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.ai.search import decide_orders
from pbem.data.doctrines import level
from pbem.lab.selfplay.match import Match, SelfPlayGame, verified

KEPT = Path(__file__).with_name("decisions.txt")
LEVELS = ("brawler", "ensign", "captain", "commodore")
SCENES = {"5": (0, 3, 6, 7), "6": (3,), "9": (1,)}
"""Requests of a game of ensigns at which everybody thinks, by scenario: #5 as it begins, forms and orders of later
turns, and in the middle of one.
"""


def told(levels: Sequence[str] = LEVELS) -> Iterator[str]:
    """A line for each decision: where, who, the doctrine he follows, and a digest of his orders."""
    for key, requests in SCENES.items():
        sides = {"5": ("federation", "klingon"), "6": ("federation", "romulan"), "9": ("federation", "klingon")}[key]
        game = SelfPlayGame(verified(Match(scenario=key, captains=dict.fromkeys(sides, "ensign"), seed="decisions")), 0)
        for number in range(max(requests) + 1):
            request = game.state.request
            assert request is not None
            if number in requests:
                for side in request.sides:
                    for name in levels:
                        found = level(name)
                        assert found is not None
                        said = decide_orders(game.views[side], game.setting, side, found, "decisions")
                        mark = hashlib.sha256(said.answer.sent.encode()).hexdigest()[:12]
                        where = f"#{key} turn {request.turn} impulse {request.impulse} {request.form}"
                        yield f"{where} {side} {name}: {said.doctrine} {mark}"
            game.step()


if __name__ == "__main__":
    lines = "".join(f"{line}\n" for line in told())
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(lines, encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(lines)
