"""Suicide shuttles in play (J2.22): nobody knows them from manned ones until they strike."""

from __future__ import annotations

from pbem.data import ships
from pbem.data.files import CustomFigures, playing_with, read_toml
from pbem.data.terms import Fuse
from pbem.engine import events as ev
from pbem.engine.log import fold
from pbem.engine.play.resolve import ResolutionResult
from pbem.engine.state import Bomb, Ship, Shuttle, State
from tests.engine.at_rigel import checked, codes, opening, play, put, replace, shuttle, told, unit


def armed(state: State) -> State:
    bomb = {"A": Bomb(energy=(3, 3, 3), state=Fuse.ARMED), "B": Bomb()}
    return put(state, "Destruction", hex="1504", facing="D", bombs=bomb)


HELD = "SHIP Destruction\nENERGY\n  SUICIDE A 1\nDO\n"


def seen(played: ResolutionResult, side: str) -> list[ev.AnyEvent]:
    return [event for record in played.records if (event := ev.seen_by(record, side)) is not None]


def test_nobody_can_tell_it_from_a_manned_shuttle_until_it_strikes() -> None:
    """J2.222: flown along the same hexes, both tell the others the same events in the same order."""
    bomb = play(armed(opening()), until=15, klingon=HELD + "  AT 1 LAUNCH SUICIDE A AT Constellation DIR D\n")
    manned = HELD + "  AT 1 LAUNCH SHUTTLE B DIR D\nSHUTTLE KS/1\nPLOT 2F\n"
    real = play(armed(opening()), until=15, klingon=manned)

    def outside(played: ResolutionResult) -> list[ev.AnyEvent]:
        kept = [event for event in seen(played, "federation") if not isinstance(event, ev.OrdersFiled)]
        return [
            replace(event, letter="", shuttle=replace(event.shuttle, letter=""))
            if isinstance(event, ev.ShuttleLaunched)
            else event
            for event in kept
        ]

    assert len(told(bomb, ev.Moved)) == 2
    assert outside(bomb) == outside(real)
    known = fold(seen(bomb, "federation")).units["KS/1"]
    assert isinstance(known, Shuttle) and (known.target, known.bomb) == ("", 0)
    assert (unit(bomb.state, "KS/1").target, unit(bomb.state, "KS/1").bomb) == ("Constellation", 18)


def test_it_crashes_into_a_planet() -> None:
    state = put(armed(opening()), "Destruction", hex="1506", facing="D")
    played = play(state, klingon=HELD + "  AT 1 LAUNCH SUICIDE A AT Constellation DIR D\n")
    gone = told(played, ev.Destroyed)[0]
    assert isinstance(gone, ev.Destroyed)
    assert (gone.unit, gone.rule) == ("KS/1", "P2.0")
    assert not told(played, ev.Impact)


def test_it_homes_on_the_hex_a_shuttle_of_its_speed_enters() -> None:
    """F2.1: where its target flies into its own hex, it stays and strikes."""
    state = shuttle(opening(), hex="2007", facing="A", speed=6)
    state = shuttle(state, "KS/1", side="klingon", race="klingon", launcher="Destruction", target="FS/1", bomb=18)
    state = put(state, "KS/1", hex="2006", facing="D", came_from="2005")
    played = play(state, until=6)
    assert [event.unit for event in told(played, ev.Moved) if isinstance(event, ev.Moved)] == ["FS/1"]
    assert unit(played.state, "KS/1").gone == "exploded" and unit(played.state).gone == "destroyed"


def test_it_counts_among_the_drones_a_ship_guides() -> None:
    from pbem.engine.steps.sensors import guided_by

    state = shuttle(opening(), "KS/1", side="klingon", race="klingon", launcher="Destruction", target="Constellation")
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship)
    assert [one.name for one in guided_by(state, ship)] == ["KS/1"]


def test_a_plasma_torpedo_is_no_target() -> None:
    from pbem.engine.state import Seeker

    state = armed(opening())
    torpedo = Seeker(
        name="RP/1", side="federation", race="romulan", hex="1507", facing="A", speed=32, weapon="plasma",
        torpedo="plasma_s", target="Destruction", launcher="", launched=0, endurance=0, came_from="1508", warhead=20,
    )  # fmt: skip
    state = replace(state, units={**state.units, "RP/1": torpedo})
    found = checked(state, "klingon", HELD + "  AT 1 LAUNCH SUICIDE A AT RP/1\n")
    assert codes(found) == ["suicide-target"]


def test_the_limit_of_a_ship_of_ones_own_holds_for_it_as_for_drones() -> None:
    """D6.132: a ship whose SSD lets it guide one at once sends no bomb while its drone flies."""
    d7, _ = read_toml("ship", "std_kli_d7")
    own = CustomFigures(
        tables={"ship": {"std_kli_d7": {**d7, "drone_control": 1}}},
        stated={("ship", "std_kli_d7"): "d7.toml"},
        token="one at once",
    )
    both = HELD + "  AT 1 LAUNCH DRONE 1 AT Constellation DIR D\n  AT 2 LAUNCH SUICIDE A AT Constellation DIR D\n"

    def sent() -> list[str]:
        played = play(armed(opening()), until=3, klingon=both)
        return [type(event).__name__ for event in told(played, ev.Launched) + told(played, ev.ShuttleLaunched)]

    assert sent() == ["Launched", "ShuttleLaunched"]
    with playing_with(own):
        assert ships.ship_class("std_kli_d7").drone_control == 1
        assert sent() == ["Launched"]
