"""The door for programs: what its page shows is what it does, and nothing else is public."""

from __future__ import annotations

import doctest
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pbem
from pbem.data.scenarios import scenario_keys

ROOT = Path(__file__).resolve().parent.parent

PUBLIC = {
    "pbem": {"Fault", "Game", "GameError", "Offer", "Request", "View", "__version__"},
    "Game": {"new", "wanted", "offers", "give", "play", "events", "state", "view", "over", "outcome"},
    "View": {"side", "events", "state", "sitrep"},
    "Offer": {"unit", "section", "text", "target", "needs", "shuttle", "at", "when"},
}
"""All that a program may lean on; whoever adds to it writes it on the page of docs as well."""


def names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_nothing_else_is_public() -> None:
    game = pbem.Game.new("1", seed="names")
    assert set(dir(pbem)) == PUBLIC["pbem"] == {*pbem.__all__, "__version__"}
    assert names(game) == PUBLIC["Game"]
    assert names(game.view("federation")) == PUBLIC["View"]
    assert names(game.offers("federation")[0]) == PUBLIC["Offer"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = pbem.nothing


def test_the_page_tells_of_every_name() -> None:
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    untold = [name for names in PUBLIC.values() for name in names if not re.search(rf"\b{name}\b", page)]
    assert sorted({*untold} - {"__version__", "View", "shuttle", "side"}) == []


def test_what_is_shown_works_as_it_is_shown() -> None:
    page = "docs/programs.md"
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(shown, {}, page, page, 0)
    assert len(example.examples) > 3
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_page_plays_a_game_in_ten_lines() -> None:
    text = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    shown = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)[0]
    assert len([line for line in shown.split("\n") if line.startswith((">>>", "...")) and line.strip(". ")]) <= 10


def test_importing_the_package_loads_none_of_it() -> None:
    told = "import sys, pbem; print(sorted(name for name in sys.modules if name.startswith('pbem')))"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "['pbem']"


QUICK = ("2", "9")
"""Weapons without a ship; shuttles, tractor beams and transporters."""


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(key, marks=() if key in QUICK else pytest.mark.slow)
        for key in sorted({key.partition("-")[0] for key in scenario_keys()}, key=int)
    ],
)
def test_every_offer_is_taken_alone(number: str) -> None:
    """A handful of them, in each scenario: at the first requests, and with nothing ordered before."""
    rng = random.Random(number)
    game = pbem.Game.new(number, seed=number)
    for _ in range(2):
        for side in game.wanted:
            offers = game.offers(side)
            for offer in rng.sample(offers, min(12, len(offers))):
                try:
                    game.give(side, [offer])
                except pbem.GameError as refused:
                    assert offer.needs, f"{side}: {offer.text}: {refused}"
            game.give(side, [])
        game.play()


def test_a_side_is_offered_nothing_by_what_it_may_not_know() -> None:
    """Two games that differ in the other side's energy form alone offer the same."""
    offered = []
    for form in ("SPEED 4", "SPEED 4\n  DISR A 2\n  PHASERS 2"):
        game = pbem.Game.new("5", seed="secret")
        game.give("federation", [])
        game.give("klingon", f"SHIP Destruction\nENERGY\n  {form}")
        game.play()
        offered.append(game.offers("federation"))
    assert offered[0] == offered[1]


def test_orders_that_cannot_be_change_nothing() -> None:
    game = pbem.Game.new("5", {"klingon": "robot"}, seed="faults")
    with pytest.raises(pbem.GameError, match="unknown-ship") as refused:
        game.give("federation", "SHIP Nobody\nENERGY\nSHIP Else\nENERGY")
    assert {fault.line for fault in refused.value.faults} <= {1, 3}
    assert list(game.wanted) == ["federation"]
    with pytest.raises(pbem.GameError, match="not-ready"):
        game.play()
    with pytest.raises(pbem.GameError, match="not-asked"):
        game.offers("klingon")
    with pytest.raises(pbem.GameError, match="not-your-ship"):
        game.give("federation", [pbem.Offer(unit="Destruction", section="ENERGY", text="SPEED 4")])
    with pytest.raises(pbem.GameError, match="wrong-side"):
        game.view("romulan")


def test_the_same_seed_and_orders_are_the_same_game() -> None:
    games = []
    for _ in range(2):
        game = pbem.Game.new("1", seed="same")
        while game.wanted:
            for side in game.wanted:
                game.give(side, [offer for offer in game.offers(side) if offer.text.startswith("FIRE")])
            game.play()
        games.append((game.events, game.outcome))
    assert games[0] == games[1] and games[0][1]


def test_a_computer_captain_answers_by_itself_and_the_same_seed_gives_the_same_game() -> None:
    def played() -> list[object]:
        game = pbem.Game.new("5", {"klingon": "ensign"}, seed="captains in memory")
        told: list[object] = []
        for _ in range(2):
            assert set(game.wanted) == {"federation"}
            game.give("federation", [])
            told += game.play()
        return told

    first = played()
    assert first and first == played()


@pytest.mark.slow
def test_a_game_of_two_captains_asks_nobody() -> None:
    game = pbem.Game.new("3", {"klingon": "ensign", "convoy": "ensign"}, seed="nobody")
    while not game.over:
        assert not game.wanted
        game.play()
