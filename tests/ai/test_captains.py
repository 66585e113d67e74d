"""Computer captains: legal orders everywhere, the same on every machine, from nothing but what their side may know."""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

import pbem
from pbem.ai import search
from pbem.ai.energy import energy_form
from pbem.ai.evaluation import points, position_worth, with_guessed_secrets
from pbem.ai.order_writer import gaps_for, lines_for, quarry
from pbem.ai.robot import commanders
from pbem.ai.search import Decider, Decision, Equilibrium, SearchMemory, SpreadDice, decide_orders, equilibrium
from pbem.data.doctrines import Doctrine, SkillLevel, doctrines, level
from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.terms import UnitFate, WeaponState
from pbem.engine.dice import SegmentDice
from pbem.engine.legal.trial import OrdersRefused, ProgramOrders, without_refused_lines
from pbem.engine.on_file import altered
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.relations import takes_orders
from pbem.engine.state import Outcome, Ship, State
from pbem.errors import GameError
from pbem.games.answers import judged_on
from pbem.lab.selfplay import match
from pbem.lab.selfplay.match import Match, SelfPlayGame, play, verified
from pbem.orders.header import answer_line
from tests.ai import decisions

ROOT = Path(__file__).resolve().parents[2]
EVERYWHERE = list(scenario_keys())


def captain(name: str = "captain") -> SkillLevel:
    found = level(name)
    assert found is not None
    return found


def at_start(key: str, **sides: str) -> pbem.Game:
    return pbem.Game.new(key, sides, seed="captains")


SOP = (
    ("klingon", "SHIP Destruction\nENERGY\n  DISR A,B 2 EACH\n  PHASERS 4\n  SPEED 8"),
    ("federation", "SHIP Constellation\nENERGY\n  PHOT A,B 2 EACH\n  PHASERS 3\n  SPEED 12"),
)


def at_announced_speeds() -> pbem.Game:
    """#5 when its first forms are in and both sides are asked for all else."""
    game = at_start("5")
    for side, form in SOP:
        game.give(side, form)
    game.play()
    return game


def thinks(game: pbem.Game, side: str, who: str = "captain", seed: str = "s") -> Decision:
    return decide_orders(game.view(side).state, scenario("5"), side, captain(who), seed)


# --- what they order is legal ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("key", EVERYWHERE)
def test_every_doctrine_is_legal_as_a_game_begins(key: str) -> None:
    """Filled in and mended, a doctrine still says what the ship shall pay, how she flies and when she fires."""
    game, setting = at_start(key), scenario(key)
    for side in game.wanted:
        state = game.view(side).state
        assert state.request is not None
        ships = [ship for ship in state.ships() if ship.side == side and ship.obeys]
        for doctrine in doctrines().doctrines:
            lines = lines_for(state, setting, side, doctrine)
            answer = without_refused_lines(state, setting, side, answer_line(state.game, side, state.request), lines)
            assert judged_on(game.state, setting, answer.sent, "").faults == ()
            assert all(f"SHIP {ship.name}" in answer.sent.replace('"', "") for ship in ships)


@pytest.mark.slow
@pytest.mark.parametrize("key", EVERYWHERE)
def test_captains_play_every_scenario_and_no_order_is_refused(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two turns of every version, each side by another level. What they may order does not hang on how often they roll
    dice before they choose: all do once.
    """
    monkeypatch.setattr(match, "level", lambda name: replace(captain(name), rolls=(1,)))
    levels = ("commodore", "captain", "ensign")
    sides = [side.name for side in scenario(key).sides if side.robot != "must"]
    who = {side: levels[place] for place, side in enumerate(sides)}
    game = play(verified(Match(scenario=key, captains=who, turns=2)), 0)
    assert (game.illegal, game.resigned) == ((), ())
    assert game.requests


def test_who_finds_nothing_legal_gives_up() -> None:
    """A captain whose view has no ship of his left answers all the same."""
    game = at_start("5")
    state = game.view("federation").state
    wreck = replace(state.units["Constellation"], gone=UnitFate.DESTROYED)
    said = decide_orders(
        replace(state, units={**state.units, "Constellation": wreck}), scenario("5"), "federation", captain(), "s"
    )
    assert "END" in said.answer.sent


# --- the same everywhere, and nothing that is secret -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("who", ["captain", "commodore"])
def test_the_same_seed_gives_the_same_orders_in_another_process(who: str) -> None:
    here = thinks(at_start("5"), "klingon", who).answer.sent
    code = (
        "import pbem; from pbem.ai.search import decide_orders; from pbem.data.doctrines import level\n"
        "from pbem.data.scenarios import scenario\n"
        "game = pbem.Game.new('5', {}, seed='captains')\n"
        f"said = decide_orders(game.view('klingon').state, scenario('5'), 'klingon', level('{who}'), 's')\n"
        "print(said.answer.sent, end='')"
    )
    env = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, encoding="utf-8", check=True)
    assert there.stdout == here


@pytest.mark.slow
def test_he_varies_with_his_seed_alone() -> None:
    """Where several doctrines are about as good, the draw decides; the dice of the game have no say in it."""
    game = at_start("5")
    drawn = (thinks(game, "klingon", seed=str(seed)).doctrine for seed in range(8))
    first = next(drawn)
    assert any(other != first for other in drawn)
    other = pbem.Game.new("5", {}, seed="other dice")
    assert thinks(other, "klingon").answer.sent == thinks(game, "klingon").answer.sent


@pytest.mark.slow
@pytest.mark.parametrize("who", ["captain", "commodore"])
def test_nothing_he_does_depends_on_what_his_side_may_not_know(who: str) -> None:
    """Two worlds that differ in the other side's energy alone: at the same announced speed, the same orders."""
    worlds = []
    for secret in ("  DISR A,B 2 EACH\n  PHASERS 4", "  GENERAL 6\n  REINFORCE #2 WITH 3"):
        game = at_start("5")
        game.give("klingon", f"SHIP Destruction\nENERGY\n{secret}\n  SPEED 8")
        game.give("federation", "SHIP Constellation\nENERGY\n  PHOT A,B 2 EACH\n  PHASERS 3\n  SPEED 12")
        game.play()
        worlds.append(game)
    mine = [game.state.units["Destruction"] for game in worlds]
    assert mine[0] != mine[1]
    assert len({thinks(game, "federation", who).answer.sent for game in worlds}) == 1
    assert len({thinks(game, "klingon", who).answer.sent for game in worlds}) == 2  # his own secrets do count


@pytest.mark.slow
def test_every_level_chooses_what_it_chose() -> None:
    """Games of a level are added up over months: who makes another one better must not change it by the way."""
    assert "".join(f"{line}\n" for line in decisions.told()) == decisions.KEPT.read_text(encoding="utf-8")


# --- what he takes the enemy's secrets to be -------------------------------------------------------------------------


def fleet(state: State, name: str, **changed: object) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **changed)})


def seen(game: pbem.Game, side: str, name: str) -> Ship:
    found = with_guessed_secrets(game.view(side).state, scenario("5"), side).units[name]
    assert isinstance(found, Ship)
    return found


def test_what_is_guessed_fits_what_was_shown() -> None:
    game = at_start("5")
    assert (
        seen(game, "klingon", "Constellation").power.capacitor == 0
    )  # the option: capacitors are empty as a game begins
    for turn in (1, 2):
        for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
            game.give(side, f"SHIP {ship}\nENERGY\n  SPEED 4")
        game.play()
        armed = seen(game, "klingon", "Constellation").weapons["PHOT A"].charge
        assert armed == (WeaponState.ARMING if turn == 1 else WeaponState.ARMED)
        assert seen(game, "federation", "Destruction").weapons["DISR A"].charge == WeaponState.POWERED
        for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
            game.give(side, f"SHIP {ship}\nPLOT TOWARD NEAREST SHIP")
        game.play()
    assert seen(game, "klingon", "Constellation").power.capacitor == 3
    own = game.view("klingon").state
    assert with_guessed_secrets(own, scenario("5"), "klingon").units["Destruction"] == own.units["Destruction"]


def test_a_torpedo_that_was_fired_is_not_taken_for_armed() -> None:
    game = at_start("5")
    state = game.view("klingon").state
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    later = replace(state, turn=3, request=replace(state.request, turn=4) if state.request else None)
    for fired, charge in ((None, WeaponState.ARMED), (40, WeaponState.NONE), (20, WeaponState.ARMING)):
        tube = replace(ship.weapons["PHOT A"], fired=fired)
        world = replace(
            later, units={**state.units, ship.name: replace(ship, weapons={**ship.weapons, "PHOT A": tube})}
        )
        found = with_guessed_secrets(world, scenario("5"), "klingon").units[ship.name]
        assert isinstance(found, Ship)
        assert found.weapons["PHOT A"].charge == charge


# --- what a position is worth, and how he chooses --------------------------------------------------------------------


def test_a_position_is_worth_the_same_to_both_with_other_signs() -> None:
    state = at_start("5").state
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship)
    hurt = fleet(state, "Destruction", shields=(0, *ship.shields[1:]))
    worse = fleet(hurt, "Destruction", boxes={**ship.boxes, "hull": 0})
    gone = fleet(worse, "Destruction", gone=UnitFate.DESTROYED)
    for measure in doctrines().measures:
        ours, theirs = (position_worth(worse, scenario("5"), side, measure) for side in ("federation", "klingon"))
        assert ours == -theirs != 0
        values = [position_worth(one, scenario("5"), "federation", measure) for one in (state, hurt, worse, gone)]
        assert values == sorted(values) and len({*values}) == 4
        assert max(map(abs, values)) < max(measure.results.values())


def test_what_is_decided_counts_above_all_else() -> None:
    state = at_start("5").state
    ends = ("defeat", "draw", "tactical victory", "victory")
    for measure in doctrines().measures:
        found = []
        for result in ends:
            over = replace(state, over=True, outcome=(Outcome(side="klingon", result=result, why="so"),))
            found.append(position_worth(over, scenario("5"), "klingon", measure))
        assert found == sorted(found) and found[0] < -1000 and found[1] < 0 < found[2]


def test_points_may_be_the_chance_to_win() -> None:
    """A box more than the enemy of two hundred points at a curve of a hundred: odds of e² to 1, of 2000 either way."""
    measure = replace(doctrines().measure("odds"), box=200, curve=100)
    state = at_start("5").state
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship)
    boxes = {box: 1 if box == "hull" else 0 for box in ship.boxes}
    equal = fleet(fleet(state, "Destruction", boxes=boxes), "Constellation", boxes=boxes, weapons=ship.weapons)
    equal = fleet(equal, "Constellation", shields=ship.shields)
    assert position_worth(equal, scenario("5"), "klingon", measure) == 0
    better = fleet(equal, "Constellation", boxes={})
    chance = math.e**2 / (math.e**2 + 1)
    assert position_worth(better, scenario("5"), "klingon", measure) == pytest.approx(2000 * (2 * chance - 1))


def test_a_shield_counts_for_more_where_an_enemy_would_hit_it() -> None:
    measure = replace(doctrines().measure("odds"), shield=0, facing=11, reach=8)
    state = fleet(at_start("5").state, "Constellation", hex="1010", facing="A")

    def lost(shield: int, enemy: str) -> int:
        there = fleet(state, "Destruction", hex=enemy)
        ship = there.units["Constellation"]
        assert isinstance(ship, Ship)
        shields = tuple(boxes - 2 * (number == shield) for number, boxes in enumerate(ship.shields, start=1))
        hurt = fleet(there, "Constellation", shields=shields)
        return points(there, scenario("5"), "federation", measure) - points(hurt, scenario("5"), "federation", measure)

    assert [lost(shield, "1006") for shield in (1, 2, 4)] == [22, 0, 0]  # ahead, four hexes away
    assert [lost(shield, "1014") for shield in (1, 2, 4)] == [0, 0, 22]
    assert lost(1, "1002") == 22 and lost(1, "1001") == 0  # eight and nine hexes away


def test_scenarios_are_about_more_than_fighting() -> None:
    state, setting = at_start("9").state, scenario("9")
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    aboard = fleet(state, "Constellation", passengers=1)
    usual = doctrines().measure("usual")
    assert (
        position_worth(aboard, setting, "federation", usual) > position_worth(state, setting, "federation", usual) + 300
    )
    assert position_worth(aboard, setting, "klingon", usual) < position_worth(state, setting, "klingon", usual) - 300


@pytest.mark.parametrize(
    ("table", "mixture"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3]),  # stone, paper, scissors
        ([[5, 4], [1, 0]], [1, 0]),  # the first is better whatever he does
        ([[3, -1], [-1, 1]], [1 / 3, 2 / 3]),  # by hand: 3p - (1-p) = -p + (1-p)
    ],
)
def test_the_equilibrium_cannot_be_exploited(table: list[list[float]], mixture: list[float]) -> None:
    assert equilibrium(table).rows == pytest.approx(mixture, abs=0.06)


@pytest.mark.parametrize(
    ("trust", "worths"),
    [
        (0, [[10, 70], [30, 40]]),
        (100, [[28, 28], [33, 33]]),  # seven times in ten the first reply: 7 + 21, 21 + 12
        (50, [[19, 49], [31.5, 36.5]]),
    ],
)
def test_who_trusts_expects_habits_as_often_as_the_worst(trust: int, worths: list[list[float]]) -> None:
    level = replace(captain(), habits={"close": 70, "run": 30}, trust=trust)
    mind = Decider(at_start("5").view("klingon").state, scenario("5"), "klingon", level, "s")
    replies = [doctrines().doctrine(name) for name in ("close", "run")]
    found = mind.trusting([[10, 70], [30, 40]], replies)
    assert found == [pytest.approx(row) for row in worths]
    if trust == 100:  # saber has no habit: it is as frequent as the two are on average, fifty times
        other = mind.trusting([[10, 70]], [replies[0], doctrines().doctrine("saber")])
        assert other[0][0] == pytest.approx((70 * 10 + 50 * 70) / 120)


def test_breaks_stand_in_what_he_hands_in_and_in_no_look_ahead() -> None:
    """Looks ahead play to the end of the turn; in earnest he wants to be asked again."""
    state, level = at_announced_speeds().view("klingon").state, captain("commodore")
    mind = Decider(state, scenario("5"), "klingon", level, "s")
    close = doctrines().doctrine("close")
    text = mind.mended(close).text
    assert text[text.index("BREAK") :].split("\n")[1:5] == [
        "  RANGE Constellation <= 8", "  RANGE Constellation <= 5", "  RANGE Constellation <= 3", "  ENEMY FIRES",
    ]  # fmt: skip
    assert "BREAK" not in mind.text(mind.start(), "klingon", close)
    assert "BREAK" not in Decider(state, scenario("5"), "klingon", captain(), "s").mended(close).text
    form = Decider(at_start("5").view("klingon").state, scenario("5"), "klingon", level, "s").mended(close).text
    assert "ENERGY" in form and "BREAK" not in form


def test_levels_look_as_far_as_the_page_says() -> None:
    """The page is written from what was decided, not from the file: who does not think has no figures there."""
    rows = re.findall(
        r"(?m)^\| `(\w+)` \|[^|]+\| ([\d, ]*)\| (\d*) ?\|$", (ROOT / "docs/computer-players.md").read_text("utf-8")
    )
    assert {name for name, _, _ in rows} == {one.name for one in doctrines().levels}
    for name, dice, turns in rows:
        one = captain(name)
        assert (len(one.plans) > 1) is bool(dice), name
        if dice:
            assert (one.rolls, one.turns) == (tuple(map(int, dice.split(","))), int(turns)), name


def mind_of(side: str, key: str = "5", **changes: object) -> Decider:
    return Decider(at_start(key).view(side).state, scenario(key), side, replace(captain(), **changes), "s")


def test_the_plans_that_are_left_keep_their_order_and_of_three_two_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    worths = {"close": 10.0, "knife": 20.0, "run": 30.0}
    mind = mind_of("federation", plans=tuple(worths), replies=("close",), rolls=(1, 1))
    monkeypatch.setattr(mind, "ahead", lambda start, plan, *others: worths[plan.name])
    plans, _, _ = mind.looked_at(mind.plans(mind.level.plans, "federation"))
    assert [one.name for one in plans] == ["knife", "run"]


def test_who_is_alone_looks_as_often_as_one_who_expects_several_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """#11: nobody replies, so the looks of three replies go to more dice."""
    mind = mind_of("federation", "11", plans=("close", "run"), replies=("close", "saber", "run"), rolls=(2,))
    looks: Counter[str] = Counter()

    def ahead(start: State, plan: Doctrine, *others: object) -> float:
        looks[plan.name] += 1
        return 0.0

    monkeypatch.setattr(mind, "ahead", ahead)
    _, replies, _ = mind.looked_at([doctrines().doctrine("close")])
    assert (replies, looks) == ([None], {"close": 6})


def test_no_more_than_two_replies_beyond_those_of_the_level_are_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    mind = mind_of("federation", replies=("close", "run"))
    monkeypatch.setattr(mind, "plans", lambda names, side: list(doctrines().doctrines[:9]))
    assert len(mind.replies(mind.start())) == 4


def test_a_look_ahead_asks_everybody_but_robots_and_stops_for_nothing() -> None:
    """#8: the convoy is a robot's, the defender is still to come."""
    mind = mind_of("orion", "8")
    convoy = mind.state.sides["convoy"]
    assert mind.state.options.autobreaks and takes_orders(mind.state, "convoy")
    mind.state = replace(mind.state, sides={**mind.state.sides, "convoy": replace(convoy, robot=True)})
    start = mind.start()
    assert start.request is not None
    assert (start.request.sides, start.options.autobreaks) == (("orion",), ())


def test_a_task_is_gone_on_with_until_something_else_comes_of_it() -> None:
    """#8: who tows goes on towing; who was on his way home without loot boards first; a fighter closes in."""
    mind = mind_of("orion", "8")
    later = {name: mind.later(mind.state, "orion", doctrines().doctrine(name)).name for name in ("tow", "home", "run")}
    assert later == {"tow": "tow", "home": "board", "run": mind.level.plans[0]}
    assert mind.later(mind.state, "orion", None).name == mind.level.plans[0]


def test_a_duel_as_it_begins_asks_for_nothing_and_a_ship_in_mutiny_fits_nothing() -> None:
    mind = mind_of("klingon")
    assert mind.fitting(mind.state, "klingon") == []
    raider = mind_of("orion", "8")
    lost = fleet(raider.state, "Orion Raider", mutiny="staged")
    assert raider.fitting(raider.state, "orion") and raider.fitting(lost, "orion") == []


def test_who_does_not_think_takes_the_first_task_and_no_other_thing_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    mind = mind_of("klingon", plans=("close",), replies=())
    for fits, taken in (((), "close"), (("outrun",), "close"), (("outrun", "fetch", "home"), "fetch")):
        fitting = [doctrines().doctrine(name) for name in fits]
        monkeypatch.setattr(mind, "fitting", lambda state, side, fitting=fitting: fitting)
        assert [one.name for one in mind.plans(mind.level.plans, "klingon")] == [taken]


def test_who_thinks_as_another_level_does_so_where_there_is_more_than_a_fight() -> None:
    for key, side, name in (
        ("5", "klingon", "commodore"), ("9", "klingon", "captain"), ("11", "federation", "captain"),
    ):  # fmt: skip
        mind = Decider(at_start(key).view(side).state, scenario(key), side, captain("commodore"), "s")
        assert mind.level.name == name, key


@pytest.mark.parametrize(
    ("rows", "draw", "plan"),
    [
        ([0.1, 0.9], 0.05, "close"),
        ([0.1, 0.9], 0.5, "run"),
        ([0.07, 0.93], 0.05, "run"),
        ([0.0, 1.0], 0.0, "run"),
        ([0.08, 0.92], 0.0, "close"),
    ],
)
def test_a_plan_is_drawn_as_often_as_the_mixture_says_and_one_that_is_rare_never(
    rows: list[float], draw: float, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = mind_of("klingon", plans=("close", "run"))
    monkeypatch.setattr(mind, "looked_at", lambda plans: (plans, [None], [[0.0], [0.0]]))
    monkeypatch.setattr(search, "equilibrium", lambda table: Equilibrium(rows, [1.0]))
    monkeypatch.setattr(random, "Random", lambda seed: SimpleNamespace(random=lambda: draw))
    assert mind.chosen().name == plan


def test_where_the_chosen_orders_are_refused_the_next_of_his_plans_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    mind = mind_of("klingon", plans=("close", "run"))
    legal = mind.mended

    def refuses(*names: str) -> None:
        def tried(plan: Doctrine) -> ProgramOrders:
            if plan.name in names:
                raise OrdersRefused("", ())
            return legal(plan)

        monkeypatch.setattr(mind, "mended", tried)

    monkeypatch.setattr(mind, "chosen", lambda: doctrines().doctrine("run"))
    for refused, drawn in (((), "run"), (("run",), "close"), (("run", "close"), "")):
        refuses(*refused)
        answer = mind.answer()
        assert mind.drawn == drawn
        assert (answer == mind.resigned) is (not drawn)


class GoesOn:
    """Play that does nothing but go on: two requests a turn. It remembers what a side answered."""

    def __init__(self, side: str, fails_at: int = -1) -> None:
        self.side, self.fails_at, self.answers = side, fails_at, list[str]()

    def text(self, state: State, side: str, name: str, write: object) -> str:
        assert state.request is not None
        return f"{name} in turn {state.request.turn}"

    def played(self, state: State, answers: Mapping[str, str], dice: SpreadDice) -> State:
        if len(self.answers) == self.fails_at:
            raise GameError.saying("bad-orders", "it cannot be played")
        self.answers.append(answers[self.side])
        assert state.request is not None
        turn = 1 + len(self.answers) // 2
        return replace(state, request=replace(state.request, turn=turn))


def test_a_look_ahead_follows_the_plan_for_a_turn_and_ends_after_those_of_the_level() -> None:
    """What is played first was worked out before; after its turn who has no task closes in."""
    mind = mind_of("klingon", turns=2)
    knife, start = doctrines().doctrine("knife"), mind.start()
    texts = {("klingon", "knife"): "worked out", ("federation", "run"): "theirs"}
    dice = mind.dice(1)[0]
    for turns, answers in (
        (1, ["worked out", "knife in turn 1"]),
        (2, ["worked out", "knife in turn 1", "close in turn 2", "close in turn 2"]),
    ):
        mind.level = replace(mind.level, turns=turns)
        mind.memory = memory = GoesOn("klingon")  # type: ignore[assignment]
        mind.ahead(start, knife, doctrines().doctrine("run"), texts, dice)
        assert memory.answers == answers


def test_orders_that_cannot_be_played_are_the_worst_and_later_only_end_the_look() -> None:
    mind = mind_of("klingon", turns=2)
    knife, start, dice = doctrines().doctrine("knife"), mind.start(), mind.dice(1)[0]
    found = []
    for fails_at in (0, 1):
        mind.memory = GoesOn("klingon", fails_at)  # type: ignore[assignment]
        found.append(mind.ahead(start, knife, None, {}, dice))
    assert found == [-5000.0, mind.worth(start)]


def test_the_weaker_half_of_the_plans_is_looked_at_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four plans two are left after the first round; what they are worth is the mean over all their looks."""
    game = at_start("5")
    worths = {"close": 10.0, "knife": 40.0, "saber": 20.0, "run": 30.0}
    level = replace(captain(), plans=tuple(worths), replies=("close",), rolls=(2, 4))
    mind = Decider(game.view("federation").state, scenario("5"), "federation", level, "s")
    looks: Counter[str] = Counter()

    def ahead(start: State, plan: Doctrine, *others: object) -> float:
        looks[plan.name] += 1
        return worths[plan.name] + looks[plan.name]

    monkeypatch.setattr(mind, "ahead", ahead)
    plans, _, table = mind.looked_at(mind.plans(level.plans, "federation"))
    assert [one.name for one in plans] == ["knife", "run"]
    assert looks == {"close": 2, "knife": 6, "saber": 2, "run": 6}
    assert table == [[43.5], [33.5]]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["5", "4"])
def test_what_looks_have_in_common_is_played_once_and_changes_nothing(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same table as if every look were played to its end alone, from fewer stretches of play."""
    view = at_start(key).view("klingon").state
    level = replace(captain(), plans=("close", "knife", "run"), replies=("close", "run"))

    def table(mind: Decider) -> list[list[float]]:
        return mind.looked_at(mind.plans(level.plans, "klingon"))[2]

    shared = Decider(view, scenario(key), "klingon", level, "s")
    found, stretches = table(shared), len(shared.memory)
    count = 0

    def alone(self: SearchMemory, state: State, texts: Mapping[str, str], dice: SpreadDice) -> State:
        nonlocal count
        count += 1
        filed = {side: Filed(text=text) for side, text in texts.items()}
        return resolve(state, self.scenario, filed, dice, robots=commanders(self.scenario)).state

    monkeypatch.setattr(SearchMemory, "played", alone)
    monkeypatch.setattr(SearchMemory, "text", lambda self, state, side, doctrine, write: write())
    assert table(Decider(view, scenario(key), "klingon", level, "s")) == found
    assert stretches < count


def test_a_stretch_without_dice_is_the_same_for_all_looks_and_one_with_dice_is_not() -> None:
    mind = Decider(at_start("5").view("klingon").state, scenario("5"), "klingon", captain(), "s")
    start, (one, other) = mind.start(), mind.dice(2)
    close = doctrines().doctrine("close")
    assert start.request is not None
    forms = {side: mind.text_ahead(start, side, close) for side in start.request.sides}
    announced = mind.memory.played(start, forms, one)
    assert mind.memory.played(start, forms, other) is announced
    assert announced.request is not None
    closing = {side: mind.text_ahead(announced, side, close) for side in announced.request.sides}
    first, second = (mind.memory.played(announced, closing, dice) for dice in (one, other))
    assert one.rolled and first is not second
    assert mind.memory.played(announced, closing, one) is first


@pytest.mark.parametrize("looks", [2, 3, 4, 6, 12])
def test_dice_of_several_looks_are_spread_evenly(looks: int) -> None:
    """Each pair of looks adds up to seven, whatever is rolled; each look alone is made of fair dice."""
    fair = SegmentDice(b"key")
    dice = [SpreadDice(fair, look, looks) for look in range(looks)]
    labels = [f"1.{number} Ship PH" for number in range(600)]
    for first, second in zip(dice[::2], dice[1::2], strict=False):
        assert {first.roll(label) + second.roll(label) for label in labels} == {7}
    for one in dice:
        counted = Counter(one.roll(label) for label in labels)
        assert sorted(counted) == [1, 2, 3, 4, 5, 6] and min(counted.values()) > 60
    if looks == 6:
        assert {frozenset(one.roll(label) for one in dice) for label in labels} == {frozenset(range(1, 7))}


def test_a_torpedo_is_rolled_until_somebody_is_near_and_then_completed() -> None:
    """FP1.22: the Romulan of #6, two turns into its arming."""
    state, setting = at_start("6").state, scenario("6")
    eagle = state.units["Eagle"]
    assert isinstance(eagle, Ship)
    tube = replace(eagle.weapons["PLAS A"], charge=WeaponState.ARMING, armed_turns=2)
    eagle = replace(eagle, weapons={**eagle.weapons, "PLAS A": tube})
    close = doctrines().doctrine("close")
    near, after = energy_form(state, setting, eagle, close, near=True)
    assert "PLAS A 4" in near
    assert after.weapons["PLAS A"].charge == WeaponState.ARMED
    far, after = energy_form(state, setting, eagle, close, near=False)
    assert "PLAS A 2" in far
    assert after.weapons["PLAS A"].charge == WeaponState.ROLLING


def test_a_torpedo_whose_tube_was_shot_away_is_launched_as_long_as_it_can_be() -> None:
    """FP1.7: a quarter of a turn, if it was armed."""
    state, setting = at_start("6").state, scenario("6")
    eagle, now = state.units["Eagle"], state.moment
    assert isinstance(eagle, Ship)
    quarter = state.impulses // 4
    for charge, destroyed, tubes in (
        (WeaponState.ARMED, now, ["PLAS A"]),
        (WeaponState.ARMED, now - quarter + 1, ["PLAS A"]),
        (WeaponState.ARMED, now - quarter, []),
        (WeaponState.NONE, now, []),
    ):
        tube = replace(eagle.weapons["PLAS A"], working=False, charge=charge, destroyed=destroyed)
        hit = replace(eagle, weapons={**eagle.weapons, "PLAS A": tube})
        assert [*gaps_for(state, setting, hit, quarry(state, hit)).filled("{tube}")] == tubes, (charge, destroyed)


@pytest.mark.slow
def test_a_romulan_ensign_launches_his_torpedo() -> None:
    """Captains paid for the rolling delay turn by turn, and none ever had a torpedo to launch."""
    game = play(verified(Match(scenario="6", captains={"federation": "ensign", "romulan": "ensign"})), 0)
    assert game.damage["romulan"].get("seekers", 0) > 0


def test_doctrines_are_filled_in_with_what_the_ship_has() -> None:
    state, setting = at_start("5").state, scenario("5")
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    armed = replace(ship, weapons={**ship.weapons, "PHOT A": replace(ship.weapons["PHOT A"], charge=WeaponState.ARMED)})
    gaps = gaps_for(state, setting, armed, quarry(state, armed))
    assert list(gaps.filled("FIRE {guns} AT {enemy}")) == ["FIRE PHOT A PH 1,2,3 AT Destruction"]
    assert list(gaps.filled("LAUNCH {rack} AT {enemy}")) == []  # a Federation cruiser has no drones
    assert list(gaps.filled("TO #{battery}")) == [f"TO #{number}" for number in range(1, 7)]


def test_a_box_counts_as_two_of_a_shield_when_the_weakest_is_looked_for() -> None:
    state, setting = at_start("5").state, scenario("5")
    con, des = state.units["Constellation"], state.units["Destruction"]
    assert isinstance(con, Ship) and isinstance(des, Ship)
    shot = replace(con, name="Able", shields=(con.shields[0] - 3, *con.shields[1:]))
    hit = replace(con, name="Baker", boxes={**con.boxes, "hull": con.boxes["hull"] - 2})
    state = replace(state, units={des.name: des, shot.name: shot, hit.name: hit})
    assert gaps_for(state, setting, des, quarry(state, des)).of["weakest"] == ("Baker",)


def test_an_ensign_does_not_think_and_a_brawler_forgets_the_scenario() -> None:
    game = SelfPlayGame(verified(Match(scenario="9", captains={"federation": "ensign", "klingon": "brawler"})), 0)
    game.step()
    assert dict(game.plans["federation"]) == {"fetch": 1}
    assert dict(game.plans["klingon"]) == {"close": 1}


def test_names_in_the_file_are_those_that_are_known() -> None:
    file = doctrines()
    gaps = {name for doctrine in file.doctrines for name in doctrine.needs}
    state = at_start("5").state
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    assert gaps <= set(gaps_for(state, scenario("5"), ship, None).of)
    assert {one.name for one in file.levels} == {"ensign", "captain", "commodore", "brawler"}
    assert isinstance(file.doctrine("close"), Doctrine)
