"""What captains make of kept positions, kept in judgements.txt: what each measure says they are worth, what each
doctrine pays for and how fast it flies, what is guessed of an enemy, what fills the gaps of doctrines, and what trust
in habits makes of a choice. Tournaments are added up over
months, and all of them rest on these figures of ``doctrines.toml``: whoever changes one sees here whose begin anew.

    python -m tests.ai.judgements            prints what they make of them now
    python -m tests.ai.judgements --write    keeps it: look at the diff
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pbem.ai.energy import energy_form
from pbem.ai.evaluation import points, position_worth, with_guessed_secrets
from pbem.ai.order_writer import enemies_of, gaps_for, lines_for, quarry
from pbem.ai.search import Decider
from pbem.data.doctrines import Doctrine, doctrines, level
from pbem.data.scenarios import scenario
from pbem.data.terms import FormKind, Purpose, UnitFate, WeaponState
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.setup import set_up
from pbem.engine.state import Link, Outcome, Ship, State
from tests.engine.world import rich

KEPT = Path(__file__).with_name("judgements.txt")
ENDS = ("decisive victory", "victory", "tactical victory", "marginal victory", "draw", "defeat", "decisive defeat")


def put(state: State, name: str, **changes: Any) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


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
    yield "her enemy is destroyed", put(state, "Des", gone=UnitFate.DESTROYED)
    yield "her enemy got away", put(state, "Des", gone=UnitFate.DISENGAGED)
    yield "a torpedo more is armed", put(state, "Con", weapons={
        **con.weapons, "PHOT B": replace(con.weapons["PHOT B"], charge=WeaponState.ARMED)})  # fmt: skip
    yield "a phaser works again", put(state, "Con", weapons={
        **con.weapons, "PH 3": replace(con.weapons["PH 3"], working=True)})  # fmt: skip
    yield "a rack is lost", put(state, "Des", weapons={
        **des.weapons, "DRONE 1": replace(des.weapons["DRONE 1"], working=False)})  # fmt: skip
    yield "a drone is shot down", put(state, "KD/1", gone=UnitFate.DESTROYED)
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
            yield f"{measure.name}, {what}: {position_worth(now, scenario('5'), 'federation', even):.4f}"
        ends = []
        for result in ENDS:
            over = replace(state, over=True, outcome=(Outcome(side="klingon", result=result, why="so"),))
            ends.append(f"{result} {position_worth(over, scenario('5'), 'klingon', measure):.0f}")
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
    hidden = lines_for(put(state, foe, hex="0104"), setting, "romulan", doctrines().doctrine("hide"))
    yield f"torpedoes of who launches nothing: {', '.join(one.text for one in hidden if one.text.startswith('PLAS A'))}"


def _trust() -> Iterator[str]:
    """What plans are worth to who trusts in habits, one reply at a time."""
    state = begun("5")
    for name in [one.name for one in doctrines().levels if one.trust]:
        found = level(name)
        assert found is not None
        mind = Decider(state, scenario("5"), "klingon", found, "s")
        replies: list[Doctrine | None] = [doctrines().doctrine(habit) for habit in found.habits]
        for place, habit in enumerate(found.habits):
            row = [1000.0 * (number == place) for number in range(len(replies))]
            (trusted,) = mind.trusting([row], replies)
            yield f"{name}, against {habit} alone: " + " ".join(f"{value:.2f}" for value in trusted)


def _forms() -> Iterator[str]:
    """What a form pays for, by the speed that was announced, on a ship that is whole and on one that is hurt."""
    state, setting = begun("10"), scenario("10")
    whole = ship(state, "Constellation")
    hurt = altered(whole, shields=(30, 23, 15, 20, 15, 24), batteries=1, capacitor=3.5, weapons={
        **whole.weapons, "PHOT B": replace(whole.weapons["PHOT B"], working=False),
        "PHOT C": replace(whole.weapons["PHOT C"], charge=WeaponState.ARMING, armed_turns=1)})  # fmt: skip
    open_ = altered(whole, shields=(0, 24, 20, 20, 20, 24), boxes={**whole.boxes, "damcon": 0}, batteries=0)
    for what, one, shield in (("whole", whole, 2), ("hurt", hurt, 5), ("hurt", hurt, 1), ("open", open_, 1)):
        for doctrine in ("close", "run") if one is not whole else ("close",):
            for speed in (None, *range(0, 27, 1 if one is hurt and shield == 5 and doctrine == "close" else 9)):
                texts, _ = energy_form(state, setting, one, doctrines().doctrine(doctrine), shield=shield, speed=speed)
                yield f"form, {what}, {doctrine}, #{shield} ahead, speed {speed}: {'; '.join(texts)}"
    eleven, hunt = begun("11"), scenario("11")
    for extra in ("TRACTOR A", "TRANSPORTERS 1", "PROBE A 1", "SUICIDE A 3", "GENERAL 2"):
        close, con = doctrines().doctrine("close"), ship(eleven, "Constellation")
        texts, _ = energy_form(eleven, hunt, con, close, extra=(extra,), speed=4)
        yield f"form, {extra} first: {'; '.join(texts)}"


def _secret(unit: Ship) -> str:
    """What of a ship its enemies can only guess."""
    charged = [f"{name} {box.charge or 'empty'} {box.armed_turns}" for name, box in unit.weapons.items() if box.charge]
    stores = f"capacitor {unit.power.capacitor:g}, batteries {unit.power.batteries}, general {unit.power.general}"
    return f"{unit.name} {stores}, {', '.join(charged) or 'nothing armed'}"


def _guesses() -> Iterator[str]:
    """What is taken for the secrets of an enemy, between turns and within one, by when it fired last."""
    for key, side, other, weapons in (
        ("5", "klingon", "Constellation", ("PHOT A", "PH 1")), ("5", "federation", "Destruction", ("DISR A", "PH 1")),
        ("3", "convoy", "Destruction", ("DISR A", "PH 1")), ("6", "federation", "Eagle", ("PLAS A", "PH 1")),
    ):  # fmt: skip
        setting, first = scenario(key), begun(key)
        enemy, request = ship(first, other), first.request
        assert request is not None
        impulses = first.impulses
        sop = FormKind.SOP
        for turn, impulse, form in ((1, 0, request.form), (3, 0, request.form), (3, 0, sop), (3, 1, sop), (3, 5, sop)):
            asked = replace(request, turn=turn, impulse=impulse, form=form)
            between = impulse == 0 and form != sop
            state = replace(first, turn=turn - between, request=asked)
            shots = (None, 1, *(impulses * turns + more for turns in (1, 2) for more in (0, 1)))
            for fired in (one for one in shots if one is None or one <= (turn - 1) * impulses + impulse):
                boxes = {name: replace(enemy.weapons[name], fired=fired) for name in weapons}
                for robot in (False, True) if fired is None else (False,):
                    there = put(state, other, weapons={**enemy.weapons, **boxes}, speed=4, robot=robot, batteries=0)
                    found = with_guessed_secrets(there, setting, side)
                    who = "robot " if robot else ""
                    when = f"turn {turn} impulse {impulse} {form}, fired {fired}"
                    yield f"guess, #{key}, {when}: {who}{_secret(ship(found, other))}"
    state = begun("5")
    assert state.request is not None
    con = ship(state, "Constellation")
    shot = {**con.weapons, **{name: replace(con.weapons[name], fired=3) for name in ("PH 1", "PH 2")}}
    state = put(state, con.name, weapons=shot, speed=20)
    assert state.request is not None
    state = replace(state, turn=1, request=replace(state.request, impulse=5, form=FormKind.SOP))
    after = ship(with_guessed_secrets(state, scenario("5"), "klingon"), con.name)
    yield f"guess, #5, two phasers fired at speed 20: {_secret(after)}"
    state = put(begun("4"), "SS Dakota", capacitor=0.0)
    assert state.request is not None
    state = replace(state, turn=2, request=replace(state.request, turn=2, impulse=3, form=FormKind.SOP))
    dakota = with_guessed_secrets(state, scenario("4"), "klingon").units["SS Dakota"]
    yield f"guess, who lies still is as she is: {dakota == state.units['SS Dakota']}"


def _filled(state: State, key: str, name: str) -> str:
    one = ship(state, name)
    gaps = gaps_for(state, scenario(key), one, quarry(state, one)).of
    return "; ".join(f"{gap} {', '.join(values)}" for gap, values in gaps.items() if values and gap != "battery")


def _gaps() -> Iterator[str]:
    """What fills the gaps of doctrines, by what has become of the ship and of those around it."""
    changes: dict[str, Any]
    for key, name in (("3", "Destruction"), ("4", "Constellation"), ("5", "Destruction"), ("6", "Eagle"),
                      ("8", "Orion Raider"), ("9", "Constellation"), ("11", "Constellation")):  # fmt: skip
        yield f"gaps, #{key} {name}: {_filled(begun(key), key, name)}"
    five = begun("5")
    des = ship(five, "Destruction")
    began = (five.turn - 1) * five.impulses
    third = sum(des.boxes.values()) // 3
    variants: list[tuple[str, dict[str, Any]]] = [
        ("a shield down", {"shields": (0, *des.shields[1:])}),
        ("equal shields", {"shields": (9, 9, 9, 9, 9, 9)}),
        ("the left one stronger", {"shields": (9, 9, 9, 9, 9, 12)}),
        ("a third of the boxes", {"boxes": {**dict.fromkeys(des.boxes, 0), "hull": third}}),
        ("one more", {"boxes": {**dict.fromkeys(des.boxes, 0), "hull": third + 1}}),
        ("fired as the turn begins", {"weapons": {**des.weapons, "PH 1": replace(des.weapons["PH 1"], fired=began)}}),
        ("fired in this turn", {"weapons": {**des.weapons, "PH 1": replace(des.weapons["PH 1"], fired=began + 1)}}),
        ("a phaser disabled", {"disabled": ("PH 1",)}),
        *((f"at {hex}", {"hex": hex}) for hex in ("0105", "0502", "2708", "1416", "1409")),
    ]  # fmt: skip
    for what, changes in variants:
        yield f"gaps, #5, {what}: {_filled(put(five, 'Destruction', **changes), '5', 'Destruction')}"
    eight = put(put(begun("8"), "Orion Raider", hex="0414"), "Freighter C", hex="0415")
    others = [name for name in eight.units if name.startswith("Freighter") and name != "Freighter C"]
    alone = replace(eight, units={name: unit for name, unit in eight.units.items() if name not in others})
    boarded = put(eight, "Freighter B", boarders={"orion": 1})
    for what, state in (
        ("near", eight),
        ("one is boarded", boarded),
        ("the nearest is boarded", put(eight, "Freighter C", boarders={"orion": 1})),
        ("one has a shield down", put(eight, "Freighter D", shields=(0, *ship(eight, "Freighter D").shields[1:]))),
        ("one is held", replace(boarded, links=(Link(ship="Orion Raider", beam="A", target="Freighter A", since=0),))),
        ("two beams, one freighter", alone),
        ("few parties", put(eight, "Orion Raider", parties=2)),
        *((f"turn {turn}", replace(eight, turn=turn)) for turn in (10, 11, 12)),
    ):  # fmt: skip
        yield f"gaps, #8, {what}: {_filled(state, '8', 'Orion Raider')}"
    three = begun("3")
    for freighter, hex in (("Freighter A", "0805"), ("Freighter B", "0101")):
        yield f"gaps, #3, {freighter} at {hex}: {_filled(put(three, freighter, hex=hex), '3', 'Destruction')}"
    nine = begun("9")
    for passengers in (0, 1):
        there = put(nine, "Constellation", passengers=passengers)
        yield f"gaps, #9, {passengers} aboard: {_filled(there, '9', 'Constellation')}"
    eleven = put(begun("11"), "Planet Killer", method=4)
    con = ship(eleven, "Constellation")
    for what, changes in (
        ("probes", {}),
        ("none left", {"probes": {"A": replace(con.power.probes["A"], left=0)}}),
        ("no launcher", {"boxes": {**con.boxes, "probe": 0}}),
    ):
        yield f"gaps, #11, {what}: {_filled(put(eleven, 'Constellation', **changes), '11', 'Constellation')}"
    some = rich()
    drone = replace(some.units["KD/1"], side="monster", hex="2504")
    both = replace(eleven, units={**eleven.units, drone.name: drone})
    hidden = put(put(some, "Hood", untouchable=True), "Des", immobile=True)
    for state, name in (
        *((some, name) for name in ("Con", "Des", "Kestrel", "Bird")), (both, "Constellation"), (hidden, "Con"),
    ):  # fmt: skip
        one = ship(state, name)
        found, enemies = quarry(state, one), [each.name for each in enemies_of(state, one)]
        yield f"quarry of {name}: {found.name if found else ''} of {', '.join(enemies)}"


def _aims() -> Iterator[str]:
    """What it is worth to have done some of the task of a scenario."""
    changes: dict[str, Any]
    usual = doctrines().measure("usual")

    def value(key: str, side: str, state: State) -> str:
        return f"{points(state, scenario(key), side, usual)}"

    three = begun("3")
    for what, changes in (
        ("as it begins", {}), ("one destroyed", {"gone": UnitFate.DESTROYED}),
        ("one got away", {"gone": UnitFate.LEFT}),
        ("one hurt", {"internals": 4}), ("one farther on", {"hex": "0912"}),
    ):  # fmt: skip
        yield f"aim, #3, {what}: {value('3', 'klingon', put(three, 'Freighter A', **changes))}"
    four = begun("4")
    for what, changes in (
        ("as it begins", {}), ("nearer", {"hex": "1607"}), ("with the crew", {"marks": (scenario("4").victory.mark,)}),
        ("with the crew, farther on", {"marks": (scenario("4").victory.mark,), "hex": "2810"}),
        ("with the crew, farther back", {"marks": (scenario("4").victory.mark,), "hex": "1210"}),
    ):  # fmt: skip
        yield f"aim, #4, {what}: {value('4', 'federation', put(four, 'Constellation', **changes))}"
    ten = put(begun("10"), "Constellation", hex="1010", facing="A", shields=(30, 20, 10, 7, 5, 3))
    for hex in ("1006", "1109", "1208", "1112", "0912", "0909"):
        facing = points(put(ten, "Destruction", hex=hex), scenario("10"), "federation", doctrines().measure("odds"))
        yield f"aim, #10, who faces an enemy at {hex}: {facing}"
    eight = begun("8")
    for what, state in (
        ("as it begins", eight),
        ("a shield shot down", put(eight, "Freighter A", shields=(0, *ship(eight, "Freighter A").shields[1:]))),
        ("one held", replace(eight, links=(Link(ship="Orion Raider", beam="A", target="Freighter A", since=0),))),
        ("one held twice", replace(eight, links=tuple(
            Link(ship="Orion Raider", beam=beam, target="Freighter A", since=0) for beam in "AB"))),
        ("the defender has come", put(eight, "Defender", gone=UnitFate.IN_PLAY)),
        ("the raider is away", put(eight, "Orion Raider", gone=UnitFate.LEFT)),
    ):  # fmt: skip
        yield f"aim, #8, {what}: {value('8', 'orion', state)}"
    nine = begun("9")
    for hex in ("1408", "1409", "0208", "0216", "2708", "1404"):
        for passengers in (0, 1):
            there = put(nine, "Constellation", hex=hex, passengers=passengers)
            yield f"aim, #9, {passengers} aboard at {hex}: {value('9', 'federation', there)}"
    eleven = begun("11")
    killer = eleven.units["Planet Killer"]
    con = ship(eleven, "Constellation")
    armed = {"A": replace(con.power.probes["A"], purpose=Purpose.WEAPON, turns=2)}
    for what, state in (
        ("as it begins", eleven),
        ("something known", put(eleven, "Planet Killer", information=20)),
        ("more known than needed", put(eleven, "Planet Killer", information=900)),
        ("the planet hurt", put(eleven, "the planet", damage=7)),
        ("probes kill it", put(eleven, "Planet Killer", method=4)),
        ("one is armed", put(put(eleven, "Planet Killer", method=4), "Constellation", probes=armed)),
        ("one studies", put(put(eleven, "Planet Killer", method=4), "Constellation",
                            probes={"A": replace(armed["A"], purpose=Purpose.INFORMATION)})),
        ("a bomb is under way", replace(put(eleven, "Planet Killer", method=1), units={
            **put(eleven, "Planet Killer", method=1).units,
            "FS/1": replace(rich().units["FS/1"], side="federation", launcher=con.name, target=killer.name)})),
    ):  # fmt: skip
        yield f"aim, #11, {what}: {value('11', 'federation', state)}"


def _orders() -> Iterator[str]:
    """The orders of doctrines that differ in more than their words: those that leave the map, or launch nothing."""
    for key, side in (("5", "klingon"), ("10", "klingon"), ("3", "klingon"), ("3", "convoy"), ("6", "romulan")):
        for name in ("close", "disengage", "hide"):
            state = begun(key)
            assert state.request is not None
            for impulse in (0, 3):
                form = FormKind.SOP if impulse or key == "3" else FormKind.FULL
                asked = replace(state.request, form=form, impulse=impulse, sides=(side,))
                lines = lines_for(replace(state, request=asked), scenario(key), side, doctrines().doctrine(name))
                usual = ("EVERY IF SEEKER", "RESERVE UP TO")
                told = [f"{line.section} {line.text}" for line in lines if not line.text.startswith(usual)]
                said = "; ".join(one.strip() for one in told if one.strip())
                yield f"orders, #{key} {side}, {name}, impulse {impulse}: {said}"


def told() -> Iterator[str]:
    """A line for each judgement."""
    yield from _worths()
    yield from _speeds()
    yield from _near()
    yield from _trust()
    yield from _forms()
    yield from _guesses()
    yield from _gaps()
    yield from _aims()
    yield from _orders()


if __name__ == "__main__":
    lines = "".join(f"{line}\n" for line in told())
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(lines, encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(lines)
