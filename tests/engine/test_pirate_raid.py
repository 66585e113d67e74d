"""Scenario #8, Pirate Raid: freighters on their way, a pirate among them, a defender who comes later."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import pytest

from pbem.ai.robot import commanders
from pbem.data.scenarios import scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.log import fold
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.relations import takes_orders
from pbem.engine.state import Ship, State
from pbem.engine.victory import verdict
from pbem.orders.reader import read_orders

replace = msgspec.structs.replace
PLAYABLE = ("energy", "seeking", "cloak", "lock-on", "boarding", "sideslip", "tac", "reinforcement", "reserve",
            "damage control")  # fmt: skip
EIGHT = replace(scenario("8"), chapters=PLAYABLE)
PLAYERS = {"orion": "a@example.org", "defender": "b@example.org"}
FORM = "SHIP Orion Raider\nENERGY\n  SPEED {speed}\n"
EVENTS = list[ev.AnyEvent]


class Dice:
    """Threes, but for what a test says."""

    def __init__(self, rolls: Mapping[str, int] | None = None) -> None:
        self.rolls = dict(rolls or {})

    def roll(self, label: str, sides: int = 6) -> int:
        return next((die for part, die in self.rolls.items() if part in label), 3)


class Game:
    """A game in memory: its state and every record."""

    def __init__(self, change: Callable[[State], State] | None = None) -> None:
        opening = set_up(EIGHT, "raid", players=PLAYERS)
        self.records, self.state = list(opening.records), opening.state
        if change:
            self.state = change(self.state)

    def check(self, side: str, text: str) -> CheckResult:
        request = self.state.request
        assert request is not None
        return check(self.state, EIGHT, request, side, read_orders(text, header=False).orders)

    def play(self, orders: Mapping[str, str], dice: Dice | None = None) -> ResolutionResult:
        """The orders of a turn; a rebid within it continues."""
        request = self.state.request
        assert request is not None
        turn = request.turn
        while (request := self.state.request) is not None and request.turn == turn:
            answers = {}
            for side in request.sides:
                text = orders.get(f"{side} {request.form}", orders.get(side, ""))
                if request.form == "SOP":
                    text = text.partition("ENERGY")[0] if request.impulse == 1 else "CONTINUE"
                assert not self.check(side, text).faults or text == "CONTINUE", self.check(side, text).faults
                answers[side] = Filed(text=text)
            done = resolve(self.state, EIGHT, answers, dice or Dice(), robots=commanders(EIGHT))
            self.records += done.records
            self.state = done.state
        return ResolutionResult(records=self.records, state=self.state)

    def ship(self, name: str) -> Ship:
        unit = self.state.units[name]
        assert isinstance(unit, Ship)
        return unit

    def happened(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [record.event for record in self.records if isinstance(record.event, kind)]


def with_(name: str, **changes: object) -> Callable[[State], State]:
    def changed(state: State) -> State:
        return replace(state, units={**state.units, name: altered(state.units[name], **changes)})

    return changed


def boarded(name: str = "Freighter A", parties: int = 6) -> Callable[[State], State]:
    return with_(name, boarders={"orion": parties})


def codes(checked: CheckResult) -> list[str]:
    return [fault.code for fault in checked.faults]


WIN = Dice({"BOARD-orion": 6, "BOARD-convoy": 1})


def test_the_pirate_alone_is_asked_until_the_defender_comes() -> None:
    game = Game()
    request = game.state.request
    assert request is not None and (request.sides, request.form) == (("orion",), "FULL")
    assert game.ship("Defender").gone == "not yet there"
    for _ in range(5):
        game.play({"orion": FORM.format(speed=0)})
    request = game.state.request
    assert request is not None and (request.turn, request.sides, request.form) == (6, ("defender", "orion"), "EAF")
    assert game.ship("Defender").gone == ""
    assert not game.state.over
    assert codes(game.check("defender", "SHIP Defender\nENERGY\n  SPEED 24\n")) == []


def test_freighters_go_their_way_and_fire_at_the_pirate() -> None:
    game = Game(with_("Orion Raider", hex="0310"))
    game.play({"orion": FORM.format(speed=0)})
    fired = [event for event in game.happened(ev.Fired) if isinstance(event, ev.Fired)]
    assert [(event.unit, event.impulse, event.target) for event in fired] == [
        (f"Freighter {letter}", impulse, "Orion Raider")
        for letter, impulse in zip("ABCD", (8, 16, 24, 32), strict=True)
    ]
    assert {game.ship(f"Freighter {letter}").speed for letter in "ABCD"} == {2}
    assert game.ship("Freighter A").facing == "B"


def test_a_freighter_is_captured_and_obeys_its_captor() -> None:
    game = Game(boarded())
    game.play({"orion": FORM.format(speed=0)}, WIN)
    prize = game.ship("Freighter A")
    assert (prize.side, prize.people.captured_from, prize.people.parties, prize.people.boarders) == (
        "orion",
        "convoy",
        6,
        {},
    )
    form = FORM.format(speed=0)
    assert codes(game.check("orion", form)) == []  # a prize needs no block, and no energy
    assert codes(game.check("orion", f"{form}SHIP Freighter A\nENERGY\n  SPEED 2\n")) == ["no-energy-form"]
    assert codes(game.check("orion", f"{form}SHIP Freighter A\nSPEED 3\nPLOT F\n")) == ["too-fast"]
    assert codes(game.check("orion", f"{form}SHIP Freighter A\nDO\n  FIRE PH 1 AT Freighter B\n")) == ["captured"]
    assert codes(game.check("orion", f"{form}SHIP Freighter A\nDO\n  FIRE ALL AT Freighter B\n")) == ["captured"]
    before = prize.hex
    game.play({"orion": f"{form}SHIP Freighter A\nPLOT L F LEAVE MAP\n"})
    assert game.ship("Freighter A").hex != before
    assert game.ship("Freighter A").facing == "A"
    assert not [
        e for e in game.happened(ev.Fired) if isinstance(e, ev.Fired) and e.unit == "Freighter A" and e.turn > 1
    ]


def test_a_prize_may_go_slower() -> None:
    game = Game(boarded())
    game.play({"orion": FORM.format(speed=0)}, WIN)
    before = game.ship("Freighter A").hex
    game.play({"orion": FORM.format(speed=0) + "SHIP Freighter A\nSPEED 0\n"})
    assert game.ship("Freighter A").hex == before


def test_a_prize_sails_off_the_map() -> None:
    aboard = with_("Freighter A", boarders={"orion": 6}, hex="0110", facing="F")
    game = Game(lambda state: with_("Orion Raider", hex="2801", facing="C")(aboard(state)))
    game.play({"orion": FORM.format(speed=0)}, WIN)
    assert game.ship("Freighter A").at == "0108A"  # its script kept it on the map
    game.play({"orion": FORM.format(speed=0) + "SHIP Freighter A\nPLOT L F LEAVE MAP\n"})
    assert game.ship("Freighter A").gone == "disengaged"
    assert not game.state.over
    game.play({"orion": FORM.format(speed=8) + "PLOT 8F LEAVE MAP\n"})
    assert {one.side: one.result for one in game.state.outcome} == {
        "orion": "draw", "convoy": "draw", "defender": "draw",
    }  # fmt: skip


def test_the_freighters_stay_on_the_map() -> None:
    game = Game(with_("Freighter A", hex="2816", facing="B"))
    game.play({"orion": FORM.format(speed=0)})
    assert game.ship("Freighter A").in_play


def test_neither_defender_nor_convoy_fires_at_freighters_captured_or_not() -> None:
    game = Game(
        lambda state: with_("Freighter A", side="orion", captured_from="convoy")(with_("Defender", gone="")(state))
    )
    state = game.state
    assert state.request is not None
    game.state = replace(state, request=replace(state.request, sides=("defender", "orion")))
    for target in ("Freighter A", "Freighter B"):
        checked = game.check("defender", f"SHIP Defender\nENERGY\nDO\n  FIRE PH 1 AT {target}\n")
        assert codes(checked) == ["spared" if target == "Freighter A" else "own-side"]


def test_time_runs_out_for_the_pirate() -> None:
    game = Game(lambda state: replace(boarded()(state)))
    while not game.state.over:
        assert game.state.turn <= 12
        game.play({"orion": FORM.format(speed=0), "defender": "SHIP Defender\nENERGY\n"}, WIN)
    assert game.state.turn == 12
    results = {one.side: one.result for one in game.state.outcome}
    assert results == {"orion": "defeat", "convoy": "victory", "defender": "victory"}


def test_without_a_last_turn_a_pirate_may_stay() -> None:
    """A scenario of one's own that names none: it went on for a turn, and the pirate had lost."""
    endless = replace(EIGHT, victory=replace(EIGHT.victory, last_turn=0))
    state = replace(set_up(endless, "raid", players=PLAYERS).state, turn=20)
    assert verdict(Resolution(state, endless, Dice(), {}), last=True) == []


@pytest.mark.parametrize(("prizes", "result"), [(0, "defeat"), (2, "marginal victory"), (4, "decisive victory")])
def test_the_prizes_decide(prizes: int, result: str) -> None:
    def taken(state: State) -> State:
        for letter in "ABCD"[:prizes]:
            state = with_(f"Freighter {letter}", side="orion", captured_from="convoy")(state)
        return with_("Orion Raider", hex="0101", facing="A")(state)

    game = Game(taken)
    game.play({"orion": FORM.format(speed=8) + "PLOT 8F LEAVE MAP\n"})
    assert game.state.over
    outcome = {one.side: one.result for one in game.state.outcome}
    assert outcome["orion"] == result
    assert outcome["defender"] == {"defeat": "victory"}.get(result, result.replace("victory", "defeat"))


def test_towed_off_counts_and_destroyed_does_not() -> None:
    def changed(state: State) -> State:
        away = with_("Freighter A", gone="left the map", marks=("towed off by Orion Raider",))(state)
        sunk = with_("Freighter B", gone="destroyed", side="orion", captured_from="convoy")(away)
        return with_("Orion Raider", hex="0101", facing="A")(sunk)

    game = Game(changed)
    game.play({"orion": FORM.format(speed=8) + "PLOT 8F LEAVE MAP\n"})
    assert {one.result for one in game.state.outcome} == {"draw"}
    assert game.state.outcome[0].why == "1 of 4 freighters captured or towed off: Freighter A"


def test_the_pirate_lost_has_no_prizes() -> None:
    def changed(state: State) -> State:
        taken = with_("Freighter A", side="orion", captured_from="convoy")(state)
        return with_("Orion Raider", gone="destroyed")(taken)

    game = Game(changed)
    game.play({"orion": "SHIP Freighter A\nPLOT 2F\n"})
    assert game.state.over
    assert {one.side: one.result for one in game.state.outcome}["orion"] == "defeat"


def test_a_retaken_freighter_is_the_convoys_again() -> None:
    game = Game(
        lambda state: with_("Freighter A", side="orion", captured_from="convoy", parties=1, boarders={"defender": 6})(
            state
        )
    )
    game.play({"orion": FORM.format(speed=0)}, Dice({"BOARD-defender": 6, "BOARD-orion": 1}))
    ship = game.ship("Freighter A")
    assert (ship.side, ship.people.captured_from, ship.people.parties) == ("convoy", "", 6)


def test_the_convoy_may_have_a_player_and_goes_by_its_script_without_one() -> None:
    third = set_up(EIGHT, "raid", players={**PLAYERS, "convoy": "c@example.org"}).state
    assert not third.sides["convoy"].robot and takes_orders(third, "convoy")
    assert third.request is not None and "convoy" in third.request.sides
    two = set_up(EIGHT, "raid", players=PLAYERS).state
    assert two.sides["convoy"].robot and two.request is not None and "convoy" not in two.request.sides


def test_each_sides_view_folds() -> None:
    game = Game()
    game.state = boarded()(game.state)
    game.play({"orion": FORM.format(speed=4)}, WIN)
    game.play({"orion": FORM.format(speed=4) + "SHIP Freighter A\nPLOT 2F\n"})
    for side in ("orion", "convoy", "defender", ""):
        known = fold(event for record in game.records if (event := ev.seen_by(record, side)) is not None)
        assert known.units["Freighter A"].side == "orion"
        assert known.units["Freighter A"].at == game.ship("Freighter A").at
    told = [record for record in game.records if isinstance(record.event, ev.TakenOver)]
    assert [(record.only, record.shown) for record in told] == [("orion", None)]
