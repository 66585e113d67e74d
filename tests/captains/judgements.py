"""What captains make of kept positions, kept in judgements.txt: what each measure says they are worth, what each
doctrine pays for and how fast it flies, and what trust in habits makes of a choice. Tournaments are added up over
months, and all of them rest on these figures of ``doctrines.toml``: whoever changes one sees here whose begin anew.

    python -m tests.captains.judgements            prints what they make of them now
    python -m tests.captains.judgements --write    keeps it: look at the diff
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pbem.captains.energy import energy_form
from pbem.captains.thinking import Mind
from pbem.captains.worth import points, worth
from pbem.captains.writing import lines_for
from pbem.data.doctrines import Doctrine, doctrines, level
from pbem.data.scenarios import scenario
from pbem.game.options import Options
from pbem.game.state import Outcome, Ship, State
from pbem.turn.setup import set_up
from pbem.values.words import FormKind, Gone, WeaponState
from tests.game.world import rich

KEPT = Path(__file__).with_name("judgements.txt")
ENDS = ("decisive victory", "victory", "tactical victory", "marginal victory", "draw", "defeat", "decisive defeat")


def put(state: State, name: str, **changes: Any) -> State:
    return replace(state, units={**state.units, name: replace(state.units[name], **changes)})


def ship(state: State, name: str) -> Ship:
    unit = state.units[name]
    assert isinstance(unit, Ship)
    return unit


def begun(key: str) -> State:
    return set_up(scenario(key), "kept", players={}, options=Options()).state


def _positions() -> Iterator[tuple[str, State]]:
    """A battle in which there is something of everything, and what becomes of it."""
    state = rich()
    con, des = ship(state, "Con"), ship(state, "Des")
    yield "a battle", state
    yield "her enemy is destroyed", put(state, "Des", gone=Gone.DESTROYED)
    yield "her enemy got away", put(state, "Des", gone=Gone.DISENGAGED)
    yield "a torpedo more is armed", put(state, "Con", weapons={
        **con.weapons, "PHOT B": replace(con.weapons["PHOT B"], charge=WeaponState.ARMED)})  # fmt: skip
    yield "a phaser works again", put(state, "Con", weapons={
        **con.weapons, "PH 3": replace(con.weapons["PH 3"], working=True)})  # fmt: skip
    yield "a rack is lost", put(state, "Des", weapons={
        **des.weapons, "DRONE 1": replace(des.weapons["DRONE 1"], working=False)})  # fmt: skip
    yield "no drones", replace(state, units={name: one for name, one in state.units.items() if name[2:3] != "/"})
    for column in ("1212", "1213"):
        yield f"her enemy stands at {column}", put(state, "Des", hex=column)


def _worths() -> Iterator[str]:
    for measure in doctrines().measures:
        for what, state in _positions():
            values = [points(state, scenario("5"), side, measure) for side in ("federation", "klingon", "romulan")]
            yield f"{measure.name}, {what}: " + " ".join(map(str, values))
        state = begun("5")
        for what, now in (("#5 begins", state), ("a box is lost", put(state, "Constellation", boxes={
                **ship(state, "Constellation").boxes, "hull": 1}))):  # fmt: skip
            even = replace(measure, phaser=0, heavy=0, shield=0, facing=0)
            yield f"{measure.name}, {what}: {worth(now, scenario('5'), 'federation', even):.4f}"
        ends = []
        for result in ENDS:
            over = replace(state, over=True, outcome=(Outcome(side="klingon", result=result, why="so"),))
            ends.append(f"{result} {worth(over, scenario('5'), 'klingon', measure):.0f}")
        yield f"{measure.name}, {', '.join(ends)}"


FASTEST = (5, 16, 27, 28, 31)
"""Highest speeds of scenarios: of these some doctrine's wish is a whole number of hexes, or just below one."""


def _speed(texts: list[str]) -> str:
    return next((text.removeprefix("SPEED ") for text in texts if text.startswith("SPEED ")), "-")


def _speeds() -> Iterator[str]:
    """How fast a ship flies by each doctrine, in scenarios of several highest speeds, and one without a form."""
    state, setting = begun("10"), scenario("10")
    name = next(unit.name for unit in state.ships())
    state = put(state, name, weapons={}, speed=31, prior_speed=31)
    three = begun("3")
    for doctrine in doctrines().doctrines:
        flown = [_speed(energy_form(state, replace(setting, max_speed=most), ship(state, name), doctrine)[0])
                 for most in FASTEST]  # fmt: skip
        formless = [line.text for line in lines_for(three, scenario("3"), "klingon", doctrine)]
        yield f"{doctrine.name}: speed {' '.join(flown)} of {' '.join(map(str, FASTEST))}, {_speed(formless)} in #3"


def _near() -> Iterator[str]:
    """Whether a torpedo that cannot be held is completed, by the hexes to the enemy (FP1.22)."""
    setting, found = scenario("6"), []
    state = begun("6")
    request = state.request
    assert request is not None
    eagle, close = ship(state, "Eagle"), doctrines().doctrine("close")
    tube = replace(eagle.weapons["PLAS A"], charge=WeaponState.ARMING, armed_turns=2)
    state = put(state, "Eagle", hex="0101", weapons={**eagle.weapons, "PLAS A": tube})
    state = replace(state, request=replace(request, form=FormKind.EAF, sides=("romulan",)))
    foe = next(unit.name for unit in state.ships() if unit.side != eagle.side)
    for row in range(15, 19):
        lines = lines_for(put(state, foe, hex=f"01{row}"), setting, "romulan", close)
        found.append(f"{next(line.text for line in lines if line.text.startswith('PLAS A'))} at {row - 1}")
    yield f"torpedoes: {', '.join(found)}"


def _trust() -> Iterator[str]:
    """What plans are worth to who trusts in habits, one reply at a time."""
    state = begun("5")
    for name in [one.name for one in doctrines().levels if one.trust]:
        found = level(name)
        assert found is not None
        mind = Mind(state, scenario("5"), "klingon", found, "s")
        replies: list[Doctrine | None] = [doctrines().doctrine(habit) for habit in found.habits]
        for place, habit in enumerate(found.habits):
            row = [1000.0 * (number == place) for number in range(len(replies))]
            (trusted,) = mind.trusting([row], replies)
            yield f"{name}, against {habit} alone: " + " ".join(f"{value:.2f}" for value in trusted)


def told() -> Iterator[str]:
    """A line for each judgement."""
    yield from _worths()
    yield from _speeds()
    yield from _near()
    yield from _trust()


if __name__ == "__main__":
    lines = "".join(f"{line}\n" for line in told())
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(lines, encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(lines)
