"""Orders for who sent none, where nothing was lost or nothing is left to order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.engine.dice import ScriptedDice
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import Shuttle
from pbem.games.answers import judge
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, write
from pbem.mail.host.deadlines import Late
from pbem.mail.host.stand_in import stand_in
from pbem.orders.names import name_text

WHY = "by the host"


def test_drones_that_no_ship_guides_need_no_orders(tmp_path: Path) -> None:
    """Scenario #2 with a second player who does not answer: his drones follow the special rule (F2.0)."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="standin")
    with opened(tmp_path / "duel") as game:
        for how in ("hold", "last orders", "robot"):
            submit(game, stand_in(game, "drones", how, WHY), "drones.orders")
        submit(game, "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nPLOT 8F\n", "federation.orders")
        resolve_game(game)
        assert game.state().turn == 1 and game.state().request is not None


def test_last_orders_go_on_without_the_lines_about_the_dead(tmp_path: Path) -> None:
    """A target that is gone would be refused in orders for a new turn."""
    text = """SHIP "{name}"
ENERGY
  PHASERS 1
PLOT TOWARD NEAREST SHIP
DO
  IF RANGE Destruction <= 1 THEN FIRE PH 1 AT Destruction
  {more}
"""
    options = {"reveal": "none", "autobreaks": "none"}
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("12", tmp_path / "four", players=players, options=options, ships={"War": "kli_cadet_d6"}, seed="standin")
    with opened(tmp_path / "four") as game:
        head = "GAME four TURN 1 SIDE {} REPLY 1 FORM FULL\n"
        mine = text.format(name="Constellation", more="FIRE PH 1 AT War IF RANGE <= 1").replace("Destruction", '"Fire"')
        submit(game, head.format("federation") + mine, "federation.orders")
        war = "SHIP War\nENERGY\nDO\n  AT 1 DISENGAGE\n"
        submit(game, head.format("klingon") + war + 'SHIP "Fire"\nENERGY\n', "klingon.orders")
        resolve_game(game)
        while (request := game.state().request) is not None and request.turn == 1:
            for side in request.sides:
                submit(game, f"GAME four TURN 1 SIDE {side} REPLY {request.number}\nCONTINUE\n", f"{side}.orders")
            resolve_game(game)
        again = stand_in(game, "federation", "last orders", WHY)
    assert "AT War" not in again
    assert 'FIRE PH 1 AT "Fire"' in again


def written(text: str) -> list[str]:
    """The lines of stand-in orders between their header and END."""
    why, head, *lines, end, last = text.split("\n")
    assert (why, end, last) == (f"# {WHY}", "END", "") and head.startswith("GAME ")
    return [line.strip() for line in lines if line]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameFolder]:
    """A new game of one ship against two that nobody changes."""
    folder = tmp_path_factory.mktemp("four") / "four"
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("12", folder, players=players, ships={"War": "kli_cadet_d6"}, seed="standin")
    with opened(folder) as game:
        yield game


def decreed(game: GameFolder, *changes: str) -> GameFolder:
    """The game as it would be if the umpire ruled so."""
    table = Resolution(game.state(), game.scenario(), ScriptedDice(), {})
    write(table, Decree(changes=changes, reason=WHY), game.effective())
    return game.supposing(1, table.records, table.state)


def speeds_announced(game: GameFolder, **speeds: int) -> GameFolder:
    """The game as it would be once speeds were announced."""
    state = game.state()
    assert state.request is not None
    request = replace(state.request, number=2, form="SOP", impulse=1)
    units = {name: replace(unit, speed=speeds.get(name, 8)) for name, unit in state.units.items()}
    return game.supposing(1, (), replace(state, turn=request.turn, request=request, units=units))


CRIPPLED = ("Fire warp left = 0", "Fire warp right = 0", "War warp left = 3")


@pytest.mark.parametrize("changes", [(), CRIPPLED, (*CRIPPLED, "Fire since turn = 0"), ("Fire gone = destroyed",)])
def test_each_held_ship_goes_as_fast_as_it_can_pay_for(four: GameFolder, changes: tuple[str, ...]) -> None:
    game = decreed(four, *changes) if changes else four
    text = stand_in(game, "klingon", "hold", WHY)
    assert not judge(game, text, "").faults
    lines = written(text)
    ships = [ship for ship in game.state().ships() if ship.side == "klingon" and not ship.gone]
    assert [line for line in lines if line.startswith("SHIP")] == [f"SHIP {name_text(ship.name)}" for ship in ships]
    assert lines.count("ENERGY") == len(ships) and len(lines) == 3 * len(ships)
    for place, ship in enumerate(ships):
        heading, energy, speed = lines[3 * place : 3 * place + 3]
        assert (heading, energy) == (f"SHIP {name_text(ship.name)}", "ENERGY")
        held = int(speed.removeprefix("SPEED "))
        faster = [*lines[: 3 * place + 2], f"SPEED {held + 1}", *lines[3 * place + 3 :]]
        head = text.split("\n")[1]
        assert held == ship.prior_speed or judge(game, "\n".join([head, *faster, "END\n"]), "").faults
        assert (held < ship.prior_speed) == bool(changes) or ship.name == "War"


def test_the_robot_arms_each_ship_in_its_own_block(four: GameFolder) -> None:
    lines = written(stand_in(decreed(four, *CRIPPLED), "klingon", "robot", WHY))
    fire, war = lines[: lines.index("SHIP War")], lines[lines.index("SHIP War") :]
    assert fire == ['SHIP "Fire"', "ENERGY", "SPEED 1", "PHASERS 1", "DISR A 2"]
    assert (war[:2], war[3:]) == (["SHIP War", "ENERGY"], ["PHASERS 1", "DISR A 2"])


def test_the_robot_flies_each_ship_at_its_nearest_enemy_and_fires(four: GameFolder) -> None:
    """Fire plays against both: War is its friend, whoever is nearer."""
    charged, powered = (
        [f"{ship} {part}" for ship in ("Fire", "War")] for part in ("capacitor = 2", "disr A = powered")
    )
    game = decreed(speeds_announced(decreed(four, *charged)), *powered)
    lines = written(stand_in(game, "klingon", "robot", WHY))
    at = "AT Constellation"
    mine = [
        "PLOT", f"TOWARD {at[3:]}", "DO", f"IF RANGE <= 4 THEN FIRE DISR A {at}", f"AT 1 LAUNCH DRONE 1 {at}",
        *(f"IF RANGE <= 4 THEN FIRE PH {n} {at}" for n in range(1, 5)),
    ]  # fmt: skip
    assert lines == ['SHIP "Fire"', *mine, "SHIP War", *mine]
    near = decreed(four, "Fire at = 0416B", "Constellation capacitor = 2")
    assert written(stand_in(speeds_announced(near), "federation", "robot", WHY))[:4] == [
        "SHIP Constellation", "PLOT", 'TOWARD "Fire"', "DO",
    ]  # fmt: skip
    unarmed = written(stand_in(speeds_announced(four), "klingon", "robot", WHY))
    assert not [line for line in unarmed if "PH" in line or "DISR" in line or "SHUTTLE" in line]


def test_who_would_fly_off_the_map_turns_and_the_others_hold_their_course(four: GameFolder) -> None:
    turned = ["PLOT", "TOWARD NEAREST SHIP"]
    off = speeds_announced(decreed(four, "War at = 0116F"))
    assert written(stand_in(off, "klingon", "hold", WHY)) == ['SHIP "Fire"', "SHIP War", *turned]
    off = speeds_announced(decreed(four, "Fire at = 0116F"))
    assert written(stand_in(off, "klingon", "hold", WHY)) == ['SHIP "Fire"', *turned, "SHIP War"]
    assert written(stand_in(speeds_announced(four, War=0), "klingon", "hold", WHY)) == ['SHIP "Fire"', "SHIP War"]
    both = written(stand_in(off, "klingon", "robot", WHY))
    assert both[:3] == ['SHIP "Fire"', *turned] and "TOWARD Constellation" in both[both.index("SHIP War") :]


@pytest.mark.parametrize(("hex", "landed", "lines"), [
    ("1717", "", ["SPEED 4", "PLOT", "TOWARD NEAREST SHIP"]), ("1710", "", ["SPEED 4"]), ("", "the planet", []),
])  # fmt: skip
def test_a_shuttle_that_would_fly_off_the_map_turns_and_one_that_has_landed_stays(
    tmp_path: Path, hex: str, landed: str, lines: list[str]
) -> None:
    """A season's game waited for who was late: no orders were legal that left his shuttle its course."""
    new("11", tmp_path / "hunt", players={"federation": "ann@example.org"}, seed="standin")
    with opened(tmp_path / "hunt") as game:
        state = game.state()
        ship, planet = state.ships()[0], next(unit for unit in state.units.values() if unit.name == "the planet")
        boat = Shuttle(
            name="FS/1", side="federation", race="federation", hex=hex or planet.hex, facing="D", letter="A",
            launcher=ship.name, launched=0, speed=0 if landed else 4, prior_speed=0 if landed else 4, landed=landed,
        )  # fmt: skip
        units = {**state.units, "Two": replace(ship, name="Two"), boat.name: boat}
        there = game.supposing(1, (), replace(state, units=units))
        for how in ("hold", "last orders"):
            text = stand_in(there, "federation", how, WHY)
            assert not judge(there, text, "").faults
            found = written(text)
            held = [line for name in (ship.name, "Two") for line in (f"SHIP {name}", "ENERGY", "SPEED 31")]
            assert found == [*held, "SHUTTLE FS/1", *lines]


def test_a_late_side_for_two_turns_under_each_agreement(tmp_path: Path) -> None:
    """What is written for who never answers: what he last ordered himself goes on; the robot closes and fires."""
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("5", tmp_path / "duel", players=players, seed="standin")
    robots_plot = ["SHIP Destruction", "PLOT", "TOWARD Constellation", "DO"]
    sop = ["SHIP Constellation", "PLOT TOWARD 1410", "DO", "IF RANGE <= 2 THEN FIRE PH 1 AT Destruction"]
    seen = set()
    with opened(tmp_path / "duel", lock="test") as game:

        def write(side: str, how: Late) -> list[str]:
            return written(stand_in(game, side, how, WHY))

        for _ in range(7):
            request = game.state().request
            assert request is not None
            mine = ""
            at = (request.turn, request.form, request.impulse > 1)
            seen.add(at)
            match at:
                case (1, "EAF", _):
                    for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
                        held = [f"SHIP {ship}", "ENERGY", "SPEED 16"]
                        assert write(side, "hold") == write(side, "last orders") == held
                    assert write("klingon", "robot") == [*held, "PHASERS 1", "DISR A 2", "DISR B 2"]
                case (1, "SOP", False):
                    # The energy form is in force, and orders nothing else.
                    assert write("klingon", "hold") == write("klingon", "last orders") == ["SHIP Destruction"]
                    robot = write("klingon", "robot")
                    assert robot[:4] == robots_plot and "IF RANGE <= 4 THEN FIRE DISR A AT Constellation" in robot
                    head = f"GAME duel TURN 1 SIDE federation REPLY {request.number} FORM SOP\n"
                    mine = head + "\n".join(sop) + "\n"
                case (_, "SOP", True):
                    for side in request.sides:
                        assert write(side, "last orders") == write(side, "robot") == ["CONTINUE"]
                        assert write(side, "hold") != ["CONTINUE"]
                case (2, "EAF", _):
                    assert write("klingon", "last orders")[2:] == ["SPEED 16", "PHASERS 1", "DISR A 2", "DISR B 2"]
                case (2, "SOP", False):
                    assert write("federation", "hold") == ["SHIP Constellation"]
                    assert write("federation", "last orders") == sop
                    assert write("klingon", "last orders") == [
                        "SHIP Destruction",
                        "PLOT TOWARD Constellation",
                        *robot[3:],
                    ]
                    break
            for side in request.sides:
                text = mine if mine and side == "federation" else stand_in(game, side, "robot", WHY)
                submit(game, text, f"{side}.orders")
            resolve_game(game)
    assert seen == {(1, "EAF", False), (1, "SOP", False), (1, "SOP", True), (2, "EAF", False), (2, "SOP", False)}


@pytest.mark.parametrize(
    "how", [*(pytest.param(how, marks=pytest.mark.slow) for how in ("hold", "last orders")), "robot"]
)
def test_a_whole_game_with_a_late_side_is_as_it_was(tmp_path: Path, how: Late, as_kept: Callable[..., None]) -> None:
    """One ship against two whose player went away after his first orders: what is written for him, and what came of
    it, until the third turn begins.
    """
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("12", tmp_path / "late", players=players, ships={"War": "kli_cadet_d6"}, seed="standin")
    found, mine = [], {"EAF": "SPEED 12\nPHASERS 3\nDISR A 2", "SOP": "PLOT TOWARD Constellation\nDO"}
    with opened(tmp_path / "late", lock="test") as game:
        while (request := game.state().request) is not None and request.turn < 3:
            for side in request.sides:
                text = stand_in(game, side, "robot" if side == "federation" else how, WHY)
                if side == "klingon":
                    if request.turn == 1 and request.impulse == 1:
                        energy = "ENERGY\n" if request.form == "EAF" else ""
                        fire = "" if energy else "\n  IF RANGE <= 3 THEN FIRE ALL PH AT Constellation"
                        text = f"GAME late TURN 1 SIDE {side} REPLY {request.number} FORM {request.form}\n" + "".join(
                            f'SHIP "{ship}"\n{energy}{mine[str(request.form)]}{fire}\n' for ship in ("War", "Fire")
                        )
                    found.append(text)
                submit(game, text, f"{side}.orders")
            resolve_game(game)
        told = [max(game.path.glob(f"{turn}/r*/umpire/sitrep.txt")) for turn in ("01", "02")]
        found += [path.read_text(encoding="utf-8").partition("\n--- DICE PROOF")[0] for path in told]
    as_kept("stories.txt", "".join(found).rstrip("\n") + "\n", f"stand-in-{how.replace(' ', '-')}")
