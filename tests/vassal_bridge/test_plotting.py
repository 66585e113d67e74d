"""From moved counters to plots in the order language, and what the rules forbid of them."""

from __future__ import annotations

import random

import msgspec
import pytest

from pbem.data.scenarios import scenario
from pbem.data.terms import FormKind
from pbem.engine.on_file import altered
from pbem.engine.play.setup import set_up
from pbem.engine.state import Commanded, Request, Ship, State
from pbem.engine.steps.steering import legal_codes
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from pbem.orders.writer import plot_text
from pbem.rules import movement
from pbem.vassal_bridge.companion.module import MAP
from pbem.vassal_bridge.export import export_game
from pbem.vassal_bridge.import_plots import CounterRoute, CounterStop, Plotted, plot_of, plots, ways_in_log, ways_to
from pbem.vassal_bridge.propose import propose
from vassal.log import StepLog
from vassal.module.module import Module
from vassal.pieces.piece import Look
from vassal.text import leaves
from vassal.write import Change, update

replace = msgspec.structs.replace
FACINGS = "ABCDEF"


@pytest.fixture(scope="module")
def state() -> State:
    """Scenario #5 before its first turn: Destruction (turn mode 1 up to speed 8, then 2) at 0216B."""
    return set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}).state


def under_way(state: State, speed: int, **changes: object) -> State:
    """Later in a turn, with an announced speed."""
    ship = state.units["Destruction"]
    ship = altered(ship, speed=speed, **changes)
    request = Request(number=2, turn=1, impulse=1, form=FormKind.SOP, sides=("klingon",), through=state.impulses)
    return replace(state, request=request, units={**state.units, "Destruction": ship})


def plot_to(state: State, *stops: str) -> Plotted:
    unit = state.units["Destruction"]
    assert isinstance(unit, Commanded)
    return plot_of(state, unit, CounterRoute(unit.at, tuple(CounterStop(stop[:4], tuple(stop[4:])) for stop in stops)))


def text_of(plotted: Plotted) -> str:
    return plot_text(om.Plot(codes=plotted.codes))


@pytest.mark.parametrize(
    ("to", "text"),
    [
        ("0316B", "PLOT F"),
        ("0613B", "PLOT 4F SL"),
        ("0316C", ""),  # no way of so few hexes; a longer one is found
        ("0515C", "PLOT"),
    ],
)
def test_the_shortest_way_is_taken_and_it_leads_there(state: State, to: str, text: str) -> None:
    found = plot_to(state, to)
    assert found.end == to
    assert not text or text_of(found).startswith(text)
    assert found.faults == ()
    at, facing = found.start[:4], found.start[4:]
    for code, there in found.path:
        at, facing = movement.enter(at, facing, code)
        assert at + facing == there


def test_before_the_turn_the_plot_says_what_speed_it_takes(state: State) -> None:
    found = plot_to(state, "0613B")
    assert (found.speed, found.remarks) == (5, ("this many hexes need SPEED 5",))


def test_a_turn_too_soon_is_told_with_its_hex_and_rule(state: State) -> None:
    """Turn mode 2 above speed 8 (C3.3)."""
    now = under_way(state, 12, since_turn=0)
    found = plot_to(now, "0215A")
    assert text_of(found) == "PLOT L"
    [fault] = found.faults
    assert (fault.code, fault.rule) == ("turn-mode", "C3.2")
    assert fault.text.startswith("hex 1 (L) from 0216B, speed 12: turn mode 2: the ship must move 2 hexes")


def test_two_slips_in_a_row_break_the_slip_mode(state: State) -> None:
    found = plot_to(under_way(state, 12), "0215B", "0214B")
    assert text_of(found) == "PLOT 2SL"
    assert [(fault.code, fault.rule) for fault in found.faults] == [("slip-mode", "C4.1")]


def test_of_two_ways_the_legal_one_is_taken(state: State) -> None:
    """Slip first or last: the first is forbidden, as the ship has slipped into the hex it stands in (C4.1)."""
    found = plot_to(under_way(state, 12, since_slip=0), "0315B")
    assert (text_of(found), found.faults) == ("PLOT F SL", ())


def test_sideslips_that_the_game_does_without_are_told(state: State) -> None:
    now = under_way(state, 12)
    now = replace(now, options=replace(now.options, sideslip=False))
    assert [fault.code for fault in plot_to(now, "0215B").faults] == ["no-sideslip"]


def test_more_hexes_than_the_speed_makes_are_told(state: State) -> None:
    found = plot_to(under_way(state, 4), "0613B")
    assert found.remarks == ("speed 4 makes 4 hexes in impulses 1 to 16, and this is 5 (C1.4)",)


def test_a_counter_turned_in_its_hex_or_moved_backward_is_told(state: State) -> None:
    turned = plot_to(state, "0216C")
    assert turned.codes == () and "tactical maneuver" in turned.remarks[0]
    back = plot_to(under_way(state, 6, hex="1410", facing="A"), "1411A")
    assert len(back.codes) > 1
    assert back.remarks[0].startswith("a unit only moves ahead (C3.1), so a distance of 1 takes")
    corner = plot_to(state, "0117B")
    assert corner.remarks == ("no way was found through 0117",)


def test_a_start_that_is_not_the_games_is_told(state: State) -> None:
    unit = state.units["Destruction"]
    assert isinstance(unit, Ship)
    found = plot_of(state, unit, CounterRoute("0316B", (CounterStop("0415", ("B",)),)))
    assert found.remarks[0] == "it begins at 0316B, but in the game it is at 0216B"


def test_a_log_that_turns_before_or_after_it_moves_reads_the_same(state: State) -> None:
    before = plot_to(under_way(state, 6), "0316BC", "0416C")
    after = plot_to(under_way(state, 6), "0316B", "0416BC")
    assert text_of(before) == text_of(after) == "PLOT F R"


def moved(state: State, module: Module, codes: str, *, turn_first: bool) -> tuple[StepLog, str]:
    """A log in which Destruction flies these codes, and where it ends."""
    log = StepLog(export_game(state, module).save)
    layout = module.map(MAP).layout(log.start.boards[MAP])
    hex_, facing = state.units["Destruction"].hex, state.units["Destruction"].facing
    for code in codes.split():
        hex_, turned = movement.enter(hex_, facing, code)
        look = None if turned == facing else Look(facing=FACINGS.index(turned))
        if turn_first:
            log = log.move("pbem-Destruction", MAP, *layout.pixel(hex_), look)
        else:
            log = log.move("pbem-Destruction", MAP, *layout.pixel(hex_))
            log = log.change("pbem-Destruction", look) if look else log
        facing = turned
    return log, hex_ + facing


@pytest.mark.parametrize("codes", ["F F R F F SL F", "F SR F R F F SL L", "L F F F SR F"])
def test_a_players_own_log_gives_the_plot_he_flew(state: State, cadet: Module, codes: str) -> None:
    log, end = moved(state, cadet, codes, turn_first=True)
    log = log.say("shall I?").change("pbem-Constellation", Look(labels={"Status": "9"}))
    binding = propose(state, cadet)
    [found] = plots(state, ways_in_log(state, log, cadet, binding), side="klingon")
    assert (" ".join(found.codes), found.end, found.faults) == (codes, end, ())
    assert plots(state, ways_in_log(state, log, cadet, binding), side="federation") == ()
    back = read_orders(plot_text(om.Plot(codes=found.codes)).join(("SHIP Destruction\n", "\nEND\n")), header=False)
    assert back.orders.units[0].plot is not None and back.orders.units[0].plot.codes == found.codes


def test_what_was_taken_back_in_a_log_is_no_part_of_the_plot(state: State, cadet: Module) -> None:
    log, _ = moved(state, cadet, "F F", turn_first=True)
    layout = cadet.map(MAP).layout(log.start.boards[MAP])
    piece = log.table.piece("pbem-Destruction")
    spot = layout.pixel("0316")
    undone = leaves.MovePiece(piece.id, MAP, *spot, None, MAP, piece.x, piece.y, None, "")
    log = log.step(leaves.Unknown("UNDO\ttrue"), undone, leaves.Unknown("UNDO\tfalse"))
    log = log.move(piece.id, MAP, *layout.pixel("0416"), Look(facing=2))
    [found] = plots(state, ways_in_log(state, log, cadet, propose(state, cadet)))
    assert found.codes == ("F", "R")


def test_two_saves_give_the_plot_between_them(state: State, cadet: Module) -> None:
    before = export_game(state, cadet).save
    layout = cadet.map(MAP).layout(before.boards[MAP])
    after = update(before, {"pbem-Destruction": Change(Look(facing=1), at=layout.pixel("0613"))})
    binding = propose(state, cadet)
    for first in (before, None):
        [found] = plots(state, ways_to(state, after, cadet, binding, first))
        assert (found.unit, found.start, " ".join(found.codes)) == ("Destruction", "0216B", "F F F F SL")
    [onward] = plots(state, ways_to(state, before, cadet, binding, after), side="klingon")
    assert onward.start == "0613B" and "in the game it is at 0216B" in onward.remarks[0]


def test_any_legal_course_of_random_codes_is_found_again_from_its_hexes(state: State) -> None:
    """Hex by hex with the facing on arrival there is but one way, and it breaks no rule."""
    for number in range(40):
        rng = random.Random(f"course {number}")
        now = under_way(state, rng.choice([4, 9, 14]), hex="1410", facing=rng.choice(FACINGS))
        ship = now.units["Destruction"]
        assert isinstance(ship, Ship)
        codes, stops, here = [], [], ship
        for _ in range(rng.randint(1, 9)):
            legal = legal_codes(now, here)
            if not legal:
                break
            code = rng.choice(legal)
            hex_, facing = movement.enter(here.hex, here.facing, code, now.grid)
            here = replace(
                here,
                hex=hex_,
                facing=facing,
                since_turn=1 if code in movement.TURNS else here.since_turn + 1,
                since_slip=0 if code in movement.SLIPS else here.since_slip + 1,
            )
            codes.append(code)
            stops.append(CounterStop(hex_, (facing,)))
        found = plot_of(now, ship, CounterRoute(ship.at, tuple(stops)))
        assert (list(found.codes), found.faults) == (codes, ())


def test_a_counter_moved_to_and_fro_is_not_followed_for_ever(state: State) -> None:
    found = plot_to(state, *["0316B", "0216B"] * 5_000)
    assert found.remarks[-1] == "it was moved 10000 hexes, farther than any unit moves in a turn (C1.42)"
    assert plot_to(state, *["0316B", "0216B"] * 30).codes == ()
