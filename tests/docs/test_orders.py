"""The examples of the guides go through the same check as players' orders; and what cannot be legal in every game, is
refused for the reason the guide gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import check, submit

DOCS = Path(__file__).resolve().parents[2] / "docs"


def examples(name: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(r"^```orders\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


class Game(NamedTuple):
    """A game in which an example is checked: its scenario, whose orders they are, the energy forms sent before them
    (none: the example answers the first request), and what must be refused there: ships without a cloaking device,
    a torpedo that is not armed on the first turn, and the like.
    """

    scenario: str
    side: str
    energy: Mapping[str, str] = {}
    refused: frozenset[str] = frozenset()


def refused(*codes: str) -> frozenset[str]:
    return frozenset(codes)


DUEL = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED 8\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED 8; PHASERS 2; DISR A 2; DISR B 2\n",
}
FORCE = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED 8\n",
    "klingon": 'SHIP Death\nENERGY\n  SPEED 14\nSHIP "Fire"\nENERGY\n  TAC 1; PHASERS 4\nSHIP War\nENERGY\n  SPEED 7\n',
}
PLAYED = (
    Game("5", "klingon"),
    Game("12", "klingon", FORCE),
    Game("5", "klingon", DUEL),
    # The ship is said to be elsewhere, and there is no shuttle yet.
    Game("9", "klingon", DUEL, refused("position", "unknown-shuttle")),
    # Every entry the form has: on a first turn nothing is armed, damaged or discharged, and no such ship cloaks.
    Game("9", "federation", {}, refused("hold-not-armed", "nothing-to-eject", "repair-undamaged", "recharge-too-much",
                                        "no-cloak")),
    Game("12", "klingon", FORCE),
    Game("7", "klingon", DUEL, refused("not-used", "no-cloak")),
    Game("8", "orion", {}, refused("unknown-unit", "not-used", "energy-missing",
                                   "transporter-unpowered", "tractor-unpowered")),
    Game("9", "federation", {}, refused("not-armed")),
    Game("7", "klingon", DUEL),
    Game("5", "klingon", DUEL),
)  # fmt: skip
"""One for each example of docs/orders.md, in their order."""


def test_each_example_has_its_game() -> None:
    assert len(examples("orders.md")) == len(PLAYED)


@pytest.mark.parametrize(("number", "how"), list(enumerate(PLAYED)))
def test_an_example_of_the_language_is_checked_in_a_game(tmp_path: Path, number: int, how: Game) -> None:
    units = ("Death",) if how.scenario == "12" else ()
    sides = {"8": ("orion", "defender")}.get(how.scenario, ("federation", "klingon"))
    new(how.scenario, tmp_path / "g", players=dict.fromkeys(sides, "a"), seed="docs", name="g", units=units)
    with opened(tmp_path / "g", lock="test") as game:
        for side, form in how.energy.items():
            submit(game, f"GAME g TURN 1 SIDE {side} REPLY 1\n{form}END\n", side)
        if how.energy:
            resolve_game(game)
        request = game.state().request
        assert request is not None and how.side in request.sides
        header = f"GAME g TURN 1 SIDE {how.side} REPLY {request.number}"
        text, count = re.subn(r"^GAME .*$", header, examples("orders.md")[number], count=1, flags=re.MULTILINE)
        assert count == 1
        try:
            check(game, text, "example")
            codes = set[str]()
        except GameError as error:
            codes = {fault.code for fault in error.faults}
            told = "\n".join(map(str, error.faults))
            assert codes == how.refused, told
        assert codes == how.refused


def test_a_first_set_of_orders_is_legal_as_it_stands(tmp_path: Path) -> None:
    first, continued, conceded = examples("play-by-mail.md")
    new("5", tmp_path / "duel01", players={"klingon": "bob"}, options={"reveal": "none"})
    with opened(tmp_path / "duel01") as game:
        for orders in (first, conceded):
            receipt = check(game, orders, "guide")
            assert (receipt.side, receipt.turn, receipt.request) == ("klingon", 1, 1)
    assert continued.splitlines()[1] == "CONTINUE"
