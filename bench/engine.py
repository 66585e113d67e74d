"""What the engine alone costs: `python bench/engine.py` (or `--quick`: fewer runs) prints one table, with words of
their names only some rows of it (`python bench/engine.py fleet`).

Everything is in memory and in this process: no files, no start of a program, no report. Times are those of the
processor, and of all runs of a row the least counts, since other programs only ever add to it.

Where the time of a row goes says `python bench/where.py duel` (`drill`, `volley`, `fleet`).

Nothing here is a test: times depend on the machine, the ratios less so.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pbem.engine.play.resolve import ResolutionResult

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIDES = ("federation", "klingon")
FLEETS = ((10, 50), (20, 100), (40, 200))  # ships, drones
SECONDS = 1.0
"""How long a row is tried, at least."""

DUEL_ORDERS = {
    "federation": ("Constellation", "Destruction", "  PHASERS 2\n  MOVE 15 WARP\n", "TOWARD Destruction"),
    "klingon": ("Destruction", "Constellation", "  PHASERS 2\n  MOVE 15 WARP\n", "TOWARD Constellation"),
}
DRILL_ORDERS = """SHIP Constellation
PLOT FFFFFFRR
DO
  EVERY IF SEEKER WITHIN 4 THEN FIRE ONE OF PH 1-3 AT EACH
END
"""


class Row(NamedTuple):
    """A row of the table: its name, what is measured, how often at a time, and what stands behind its figure."""

    name: str
    play: Callable[[], object]
    loops: int
    told: str = ""


# --- turns of scenarios -----------------------------------------------------------------


def turn_of(
    scenario: str, texts: dict[str, str], options: dict[str, str], *, read: bool = False
) -> Callable[[], ResolutionResult]:
    """Sets up the first turn of a scenario; calling it plays the turn. With ``read`` the orders are read from their
    text every time, else they were read before.
    """
    from pbem.ai.robot import commanders
    from pbem.data.scenarios import scenario as scenario_of
    from pbem.engine.dice import SegmentDice
    from pbem.engine.play import resolve as engine
    from pbem.engine.play.setup import set_up
    from pbem.games.storage.terms import read_options

    setting = scenario_of(scenario)
    state = set_up(setting, "bench", players={side: side for side in texts}, options=read_options(options)).state
    filed = {side: engine.Filed(text=normal(text)) for side, text in texts.items()}
    robots, dice, turn = commanders(setting), SegmentDice(b"bench"), state.request and state.request.turn

    def play() -> ResolutionResult:
        if read:
            engine._read.cache_clear()
        played = engine.resolve(state, setting, filed, dice, robots=robots)
        if played.state.request is None or played.state.request.turn == turn:
            raise SystemExit(f"bench: the turn stopped early: {played.state.request or 'the game is over'}")
        return played

    return play


def normal(text: str) -> str:
    """Orders in normal form. Stops with what is wrong with them."""
    from pbem.orders.reader import read_orders
    from pbem.orders.writer import write_orders

    reading = read_orders(text, header=False)
    if reading.faults:
        raise SystemExit(f"bench: {reading.faults[0]}")
    return write_orders(reading.orders)


def counted(played: ResolutionResult) -> str:
    """How much happened in a turn."""
    from pbem.engine import events as ev

    happened = [record.event for record in played.records]
    moves, shots = (sum(isinstance(event, kind) for event in happened) for kind in (ev.Moved, ev.Fired))
    return f"{len(happened)} records, {moves} moves, {shots} shots"


def duel(*, read: bool) -> Callable[[], ResolutionResult]:
    """A turn of the duel: both close in and fire every phaser."""
    texts = {
        side: (
            f"SHIP {ship}\nENERGY\n{energy}PLOT {course}\nDO\n"
            f"  IF RANGE {enemy} <= 8 THEN FIRE ALL PH AT {enemy}\nEND\n"
        )
        for side, (ship, enemy, energy, course) in DUEL_ORDERS.items()
    }
    return turn_of("5", texts, {"reveal": "none", "period": "turn"}, read=read)


def drill() -> tuple[Callable[[], ResolutionResult], Callable[[], object]]:
    """Turn 1 of scenario #1, and the same with the lines of its log."""
    from pbem.engine.log import encode_records

    play = turn_of("1", {"federation": DRILL_ORDERS}, {})
    return play, lambda: encode_records(play().records)


# --- a volley ---------------------------------------------------------------------------


def volley() -> Callable[[], object]:
    """Range and shield of a line of fire, three phasers by their chart, and eight points by the standard damage
    chart: what the rules say of it, without a state.
    """
    from pbem.data.ships import ship_class
    from pbem.engine.play.setup import new_ship
    from pbem.rules import hexes, internal_damage, shields
    from pbem.rules.direct_fire import direct_fire
    from pbem.rules.internal_damage import HittableWeapon, strike_out

    target = new_ship(ship_class("std_kli_d7"), name="D7", side="klingon", hex="1510", facing="E")
    arcs = {spec.name: spec.arc for spec in ship_class(target.ship).weapons}
    shots, rolls = (("ph1", 2), ("ph1", 5), ("ph2", 3)), (7, 5, 9, 8, 4, 7, 10, 6)

    def play() -> object:
        reach = hexes.distance("1213", target.hex)
        shield = shields.faced_shields(target.hex, target.facing, "1213")
        points = sum(direct_fire(kind, reach, reach, die).points for kind, die in shots)
        toward = internal_damage.direction(target.hex, target.facing, "1213")
        boxes, weapons = dict(target.boxes), dict[str, HittableWeapon](target.weapons)
        tally, hits = internal_damage.NEW_VOLLEY, []
        for roll in rolls:
            hit, tally = internal_damage.standard_box(roll, boxes, weapons, arcs, toward, tally, (), 1)
            hits.append(hit)
            strike_out(hit.box, boxes, weapons)
        return shield, points, hits

    return play


# --- fleets -----------------------------------------------------------------------------


def fleet_file(folder: Path, ships: int) -> Path:
    """A scenario of two lines of cruisers ten rows apart that fly down the map side by side."""
    lines = [
        'number = "fleet"\ntitle = "Fleet"\nlevel = "cadet"\nimpulses = 16\nmap = ["0101", "9898"]',
        'source = "benchmark"\nconfidence = "designed"\n[victory]\nkind = "duel"',
    ]
    for side in SIDES:
        lines.append(f'[[sides]]\nname = "{side}"\nteam = "{side}"\nrace = "{side}"')
    for n in range(ships):
        ship, side, row = (("fed_cadet_ca", SIDES[0], 40), ("kli_cadet_d6", SIDES[1], 50))[n % 2]
        lines.append(
            f'[[units]]\nship = "{ship}"\nname = "{name(n)}"\nside = "{side}"\nhex = "{2 * n + 4:02}{row}"\n'
            'facing = "D"\nprior_speed = 15'
        )
    path = folder / f"fleet{ships}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def name(n: int) -> str:
    """The name of ship ``n``; its neighbour is of the other side."""
    return f"Cruiser-{n:02}"


def fleet_orders(side: int, ships: int, lines: int = 0) -> str:
    """Orders of one side: everybody flies on, fires once and shoots at what comes near.

    With ``lines`` the first ship of the side has so many equal lines for drones at any range.
    """
    blocks = [
        f"SHIP {name(n)}\nENERGY\n  PHASERS 2\n  MOVE 15 WARP\nPLOT 15F\n"
        f"DO\n  AT 8 FIRE PH 1 AT {name(n ^ 1)}\n"
        "  EVERY IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 2,3 AT EACH"
        + "\n  EVERY IF SEEKER WITHIN 40 THEN FIRE ONE OF PH 2,3 AT EACH"
        * (lines if n == side else 0)
        for n in range(side, ships, 2)
    ]
    return "\n".join([*blocks, "END", ""])


def fleet_start(folder: Path, ships: int) -> ResolutionResult:
    """A new game of a fleet, which asks for its first orders."""
    from pbem.data.scenarios import scenario
    from pbem.engine.options import Options
    from pbem.engine.play.setup import set_up

    options = Options(period="turn", reveal="none", autobreaks=())
    players = {side: side for side in SIDES}
    return set_up(scenario(fleet_file(folder, ships)), "bench", players=players, options=options)


def fleet_turn(folder: Path, ships: int, drones: int, lines: int = 0) -> Callable[[], ResolutionResult]:
    """Sets up one turn of a fleet, drones some twenty hexes behind every ship; calling it plays the turn."""
    import msgspec

    from pbem.data.scenarios import scenario
    from pbem.engine.dice import SegmentDice
    from pbem.engine.play.resolve import Filed, resolve
    from pbem.engine.state import Position, Seeker
    from pbem.rules import drones as law

    law_book = scenario(fleet_file(folder, ships))
    state = fleet_start(folder, ships).state
    units = dict(state.units)
    for n in range(drones):
        target, side = units[name(n % ships)], SIDES[(n + 1) % 2]
        column, row = target.hex[:2], int(target.hex[2:]) - 18 - n // ships
        drone = Seeker(
            name=f"{side[0].upper()}D/{n + 1}",
            side=side,
            race=side,
            hex=f"{column}{row:02}",
            facing=target.facing,
            speed=law.drone_speed(state.impulses),
            track=(Position(0, f"{column}{row:02}", target.facing),),
            weapon="drone",
            target=target.name,
            launcher=name(n % ships ^ 1),
            launched=0,
            endurance=law.endurance(0, state.impulses, state.level),
            came_from=f"{column}{row - 1:02}",
            toughness=law.toughness(state.level),
            warhead=law.warhead(state.level),
        )
        units[drone.name] = drone
    request = state.request
    assert request is not None, "a new game asks for orders"
    state = msgspec.structs.replace(state, units=units)
    answers = {side: Filed(text=normal(fleet_orders(n, ships, lines))) for n, side in enumerate(SIDES)}

    def play() -> ResolutionResult:
        played = resolve(state, law_book, answers, SegmentDice(b"bench"))
        if played.state.request is None or played.state.request.turn == request.turn:
            raise SystemExit(f"bench: the turn stopped early: {played.state.request or 'the game is over'}")
        return played

    return play


def odds() -> Callable[[], object]:
    """A volley of ten weapons; nothing of it is kept from one time to the next."""
    from pbem.rules import direct_fire as law

    near = [law.AimedShot("ph1", 4, 4)] * 6
    far = [law.AimedShot("photon", 5, 5)] * 2 + [law.AimedShot("disruptor", 8, 8)] * 2

    def play() -> object:
        law._volley.cache_clear()
        law._faces.cache_clear()
        return law.volley([*near, *far]).tail

    return play


# --- the table --------------------------------------------------------------------------


def least(row: Row, runs: int) -> float:
    """Seconds of processor time of a row, the least of some runs, once everything that is kept was made."""
    row.play()
    found, began, tried = float("inf"), time.process_time(), 0
    while tried < runs or time.process_time() - began < SECONDS:
        before = time.process_time()
        for _ in range(row.loops):
            row.play()
        found = min(found, (time.process_time() - before) / row.loops)
        tried += 1
    return found


def rows(folder: Path, words: str = "") -> Iterable[Row]:
    """The rows with these words in their names, each set up when it is its turn."""
    return (row for row in _rows(folder) if words.casefold() in row.name.casefold())


def _rows(folder: Path) -> Iterable[Row]:
    play = duel(read=False)
    yield Row("a turn of a duel, orders as objects", play, 5, counted(play()))
    yield Row("a turn of a duel, orders read from text", duel(read=True), 5)
    play, recorded = drill()
    yield Row("turn 1 of scenario #1, with its log", recorded, 10, counted(play()))
    yield Row("a volley by the rules alone", volley(), 500, "range, shield, 3 phasers, 8 points of damage")
    yield Row("the exact odds of a volley", odds(), 100, "6 phasers, 2 photons, 2 disruptors, at 3 ranges")
    for ships, drones in FLEETS:
        play = fleet_turn(folder, ships, drones)
        yield Row(f"fleet of {ships} ships, {drones} drones", play, 1, counted(play()))
    play = fleet_turn(folder, 20, 100, lines=98)
    yield Row("196 lines against 100 drones", play, 1, counted(play()))


def table(runs: int, folder: Path, words: str = "") -> None:
    """Prints the table of the engine alone, and how the cost of fleets grows."""
    print(f"{'engine alone, processor time':<42}{'least':>12}")
    fleets: list[float] = []
    for row in rows(folder, words):
        took = least(row, runs)
        figure = f"{took * 1000:.2f} ms" if took >= 0.001 else f"{took * 1e6:.1f} us"
        if row.name.startswith("fleet"):
            fleets.append(took)
        print(f"{row.name:<42}{figure:>12}   {row.told}".rstrip(), flush=True)
    if len(fleets) == len(FLEETS):
        print(f"{'growth from the smallest fleet to the largest':<45}{fleets[-1] / fleets[0]:>9.1f}")


def main() -> None:
    """Prints the table, or where the time of some rows goes."""
    flags = [word for word in sys.argv[1:] if word.startswith("--")]
    words = " ".join(word for word in sys.argv[1:] if word not in flags)
    with tempfile.TemporaryDirectory() as folder:
        table(3 if "--quick" in flags else 9, Path(folder), words)


if __name__ == "__main__":
    main()
