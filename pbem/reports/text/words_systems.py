"""What reports say of tractors, transporters, boarding, shuttles, probes, labs, monsters and terrain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from pbem.counts import several
from pbem.data import charts
from pbem.engine import events as ev
from pbem.reports.text.phrases import Words, because, crew, listed, number, parties, points


def shield_words(shield: int) -> str:
    """``shield #3``, or the general reinforcement for 0."""
    return f"shield #{shield}" if shield else "its general reinforcement"


def method_words(method: str) -> str:
    """How a monster is dealt with, in the words of the chart (scenario #11)."""
    return next((m.text for m in charts.monsters().method if m.kind == method), method)


def _transported(e: ev.Transported) -> str:
    what = parties(e.count) if e.what == "BP" else crew(e.count)
    used = several(e.transporters, "transporter")
    way = f"{'from' if e.way == 'FROM' else 'to'} {e.target}"
    if e.failed:
        return f"{because(f'{e.unit} cannot transport {what} {way} and has used {used} in vain', e.failed)}."
    return f"{e.unit} transports {what} {way} with {used}."


def _dice(dice: tuple[int, ...]) -> str:
    return f" ({'die' if len(dice) == 1 else 'dice'} {', '.join(map(str, dice))})" if dice else ""


def _boarding(e: ev.BoardingFought) -> str:
    aboard = listed([f"{count} of {side}" for side, count in sorted(e.boarders.items())]) or "no raiders"
    left = f"still aboard are {e.holders or 'none'} of the ship's and {aboard}"
    stations = f"; the raiders hold {e.taken} of {several(e.stations, 'control station')}" if e.stations else ""
    return (
        f"Boarding parties fight aboard {e.unit}: the ship's score {several(e.by_holders, 'casualty point')}"
        f"{_dice(e.holders_dice)}, the raiders {e.by_raiders}{_dice(e.raiders_dice)}; {left}{stations}."
    )


def _captured(e: ev.Captured) -> str:
    return f"{e.unit} is captured by {e.side} from {e.was}; {parties(e.parties)} of {e.side} aboard."


def _taken_over(e: ev.TakenOver) -> str:
    ready = [name for name, weapon in sorted(e.weapons.items()) if weapon.charge]
    found = [f"{number(e.capacitor)} in the capacitor", several(e.batteries, "charged battery", "charged batteries")]
    return f"Found aboard {e.unit}: {listed([*found, *ready])}."


MUTINIES = {
    "none": "no mutiny",
    "put down": "a mutiny breaks out and is put down",
    "staged": "a mutiny breaks out and succeeds: the ship does nothing more",
}
"""What the dice for mutiny mean (G6.2)."""


def _mutinied(e: ev.Mutinied) -> str:
    second = f", then {e.second}" if e.second else ""
    return f"{e.unit} rolls for mutiny, die {e.die}{second}: {MUTINIES.get(e.result, e.result)}."


def _shuttle_launched(e: ev.ShuttleLaunched) -> str:
    shuttle = e.shuttle
    aboard = [parties(shuttle.parties)] if shuttle.parties else []
    aboard += [crew(shuttle.crew)] if shuttle.crew else []
    load = f" with {listed(aboard)}" if aboard else ""
    bomb = f", a suicide shuttle of {points(shuttle.bomb)} sent at {shuttle.target}" if shuttle.target else ""
    return f"{e.unit} launches shuttle {shuttle.name}{load} in {shuttle.at}{bomb}."


def _shuttle_landed(e: ev.ShuttleLanded) -> str:
    where = f" (shuttle box {e.letter})" if e.letter else ""
    how = "is pulled aboard" if e.how.startswith(("pull", "tract", "haul", "beam")) else "lands aboard"
    return f"{e.unit} {how if e.letter else 'lands on'} {e.on}{where}."


def _boarded(e: ev.Boarded) -> str:
    if e.crew < 0:
        return f"{crew(-e.crew)} leave{'s' if e.crew == -1 else ''} {e.unit} on {e.planet}."
    return f"{crew(e.crew)} go{'es' if e.crew == 1 else ''} aboard {e.unit} on {e.planet}."


def _probe(e: ev.ProbeLaunched) -> str:
    if e.purpose == "weapon":
        return f"{e.unit} fires probe {e.probe} at {e.target} as a weapon."
    found = f": {points(e.information)} of information" if e.information else ""
    return f"{e.unit} launches probe {e.probe} at {e.target}{found}."


def _learned(e: ev.Learned) -> str:
    die = f", die {e.die}" if e.die else ""
    how = f"closest effective range {e.range}, {several(e.labs, 'lab')}{die}"
    return f"{e.unit} gathers {points(e.points)} of information on {e.target} ({how}); {e.total} are known."


def _method(e: ev.MethodFound) -> str:
    needed = f" (at {e.needed})" if e.needed else ""
    return f"Enough is known of {e.unit}, die {e.die}: {method_words(e.method)}{needed}."


def _attacked(e: ev.Attacked) -> str:
    where = f" on {shield_words(e.shield)}" if e.shield else ""
    return f"{e.unit} attacks {e.target}{f', die {e.die}' if e.die else ''}: {points(e.points)}{where}."


def _unit_damaged(e: ev.UnitDamaged) -> str:
    return f"{e.unit} takes {points(e.points)}{f' from {e.by}' if e.by else ''}, {e.total} in all."


def _collided(e: ev.Collided) -> str:
    done = points(e.points) if e.points else "no damage"
    return f"{e.unit} flies through the asteroids in {e.hex}{f', die {e.die}' if e.die else ''}: {done}."


WORDS: dict[type[ev.Event], Words] = {
    ev.Tractored: Words(
        "activity",
        "G7.3",
        lambda e: f"{e.unit} takes hold of {e.target} with tractor beam {e.beam}.",
        ("unit", "target"),
    ),
    ev.Released: Words(
        "activity",
        "G7.33",
        lambda e: f"{because(f'Tractor beam {e.beam} of {e.unit} lets go of {e.target}', e.why)}.",
        ("unit", "target"),
    ),
    ev.Towed: Words("move", "G7.31", lambda e: f"{e.unit} towed to {e.at} by {e.by}", ("unit", "by")),
    ev.ShieldLowered: Words("activity", "G8.22", lambda e: f"{e.unit} lowers {shield_words(e.shield)}."),
    ev.ShieldRaised: Words("activity", "G8.22", lambda e: f"{e.unit} has {shield_words(e.shield)} up again."),
    ev.Transported: Words("activity", "G8.1", _transported, ("unit", "target")),
    ev.BoardingFought: Words("activity", "D7.0", _boarding),
    ev.Captured: Words("activity", "D7.0", _captured),
    ev.TakenOver: Words("activity", "D7.0", _taken_over),
    ev.Mutinied: Words("activity", "G6.2", _mutinied),
    ev.ShuttleLaunched: Words("activity", "J1.5", _shuttle_launched, ("unit", "shuttle.name")),
    ev.ShuttleLanded: Words("activity", "J1.6", _shuttle_landed, ("unit", "on")),
    ev.Boarded: Words("activity", "J2.211", _boarded, ("unit", "planet")),
    ev.ProbeLaunched: Words("activity", "G5.0", _probe, ("unit", "target")),
    ev.Learned: Words("activity", "G4.1", _learned, ("unit", "target")),
    ev.MethodFound: Words("activity", "", _method),
    ev.Attacked: Words("activity", "", _attacked, ("unit", "target")),
    ev.UnitDamaged: Words("activity", "", _unit_damaged),
    ev.Collided: Words("activity", "P3.0", _collided),
}


Rolls: TypeAlias = tuple[str, int, str]
"""A die: its label, what was rolled, what it meant."""


def _dice_of_fight(event: ev.BoardingFought) -> list[Rolls]:
    meanings = ["the ship's boarding parties"] * len(event.holders_dice)
    meanings += ["the raiders' boarding parties"] * len(event.raiders_dice)
    rolled = (*event.holders_dice, *event.raiders_dice)
    return [
        (label, die, f"{who} fight aboard {event.unit}")
        for label, die, who in zip(event.rolls, rolled, meanings, strict=False)
    ]


def _dice_of_mutiny(event: ev.Mutinied) -> list[Rolls]:
    told = [(event.roll, event.die, f"whether there is a mutiny on {event.unit}")]
    if event.second:
        told.append((event.second_roll, event.second, f"the mutiny on {event.unit}: {event.result}"))
    return told


DICE: dict[type, Callable[[Any], list[Rolls]]] = {
    ev.BoardingFought: _dice_of_fight,
    ev.Mutinied: _dice_of_mutiny,
    ev.Learned: lambda e: [(e.roll, e.die, f"{points(e.points)} of information on {e.target}")] if e.roll else [],
    ev.MethodFound: lambda e: [(e.roll, e.die, f"{e.unit}: {method_words(e.method)}")],
    ev.Attacked: lambda e: [(e.roll, e.die, f"{e.unit} attacks {e.target}: {points(e.points)}")] if e.die else [],
    ev.Collided: lambda e: [(e.roll, e.die, f"asteroids in {e.hex}: {points(e.points)} on {e.unit}")] if e.die else [],
}
"""The dice of such events, by their types."""
