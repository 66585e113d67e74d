"""Facts about units other than box counts: crew, shuttles, tractor links, probes, monsters, planets."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data import charts
from pbem.data.scenarios import scenario, scenario_keys, variant_keys
from pbem.data.terms import Fuse, Purpose
from pbem.engine.state import Bomb, Monster, Planet, ProbeBox, Seeker, Ship, Shuttle, State
from pbem.reports.text import sentences
from pbem.reports.text.sentences import method_words
from pbem.reports.view.model import Fact, Quarry
from pbem.rules.science import arming_energy
from pbem.rules.shuttles import warhead
from pbem.util import several


def chapters_of(state: State) -> frozenset[str]:
    """Return the chapters of the rules that a game uses, as far as its log shows.

    For a shipped scenario, these are the chapters of the scenario; for other scenarios, the chapters of the game's
    level. Reports leave out systems that the scenario does not use.
    """
    if state.scenario in scenario_keys() or state.scenario in variant_keys():
        return frozenset(scenario(state.scenario).chapters)
    return frozenset(("boarding", "shuttles", "probes") if state.level == "standard" else ())


def of_ship(ship: Ship, state: State, mine: bool) -> tuple[Fact, ...]:
    """Return facts that all sides may know about a ship: its crew, shuttles, lowered shields and tractor links.

    The ship's own side (``mine``) sees which shuttles are aboard (J2.222); other sides see only their number.
    """
    return tuple(_of_ship(ship, state, chapters_of(state), mine))


def _of_ship(ship: Ship, state: State, chapters: frozenset[str], mine: bool) -> Iterator[Fact]:
    """Yield the public facts about a ship, in the order of the reports."""
    yield from _crew_facts(ship, chapters)
    if ship.gone:
        return
    for name, since in sorted(ship.lowered.items()):
        what = "general reinforcement" if name == "general" else f"shield {name}"
        yield Fact(what="lowered", words=f"{what}, since {sentences.moment(since, state)}", rule="G8.22")
    yield from _tractor_links(ship, state)
    if "shuttles" in chapters and ("shuttle" in ship.boxes or ship.hangar):
        aboard = (sentences.listed(ship.hangar) if mine else str(len(ship.hangar) or "")) or "none"
        yield Fact(what="shuttles aboard", words=aboard, rule="J2.0")
    if "probes" in chapters:
        for letter, box in sorted(ship.power.probes.items()):
            yield Fact(what=f"probes {letter}", words=f"{box.left} left", rule="G5.12")


def _crew_facts(ship: Ship, chapters: frozenset[str]) -> Iterator[Fact]:
    """Yield facts about capture, mutiny, boarding parties, raiders and passengers.

    Facts about a ship that left play are included.
    """
    if ship.is_prize:
        yield Fact(what="captured", words=f"from {ship.people.captured_from}; its weapons cannot be fired", rule="D7.0")
    if ship.people.mutiny:
        words = {"put down": "broke out and was put down", "staged": "succeeded: the ship does nothing more"}
        yield Fact(what="mutiny", words=words.get(ship.people.mutiny, ship.people.mutiny), rule="G6.2")
    if ship.people.boarders or "boarding" in chapters:
        yield Fact(what="boarding parties", words=str(ship.people.parties), rule="D7.0")
    for side, count in sorted(ship.people.boarders.items()):
        yield Fact(what="raiders aboard", words=f"{sentences.parties(count)} of {side}", rule="D7.0")
    if ship.people.taken:
        yield Fact(what="lost to raiders", words=several(ship.people.taken, "control station"), rule="D7.0")
    if ship.people.passengers:
        yield Fact(what="passengers", words=sentences.crew(ship.people.passengers), rule="G8.0")


def of_systems(ship: Ship) -> tuple[Fact, ...]:
    """Return facts about a ship's systems that only its owner may know.

    These facts are about tractor beams and transporters with energy, suicide shuttles, probes, and partly charged
    batteries.
    """
    found = [*_tractor_energy(ship)]
    if ship.power.transporters:
        used = f", {ship.this_turn.transported} used" if ship.this_turn.transported else ""
        found.append(Fact(what="transporters with energy", words=f"{ship.power.transporters}{used}", rule="G8.13"))
    for letter, bomb in sorted(ship.power.bombs.items()):
        found.append(Fact(what=f"suicide shuttle {letter}", words=bomb_words(bomb), rule="J2.221"))
    for letter, box in sorted(ship.power.probes.items()):
        if box.purpose:
            found.append(Fact(what=f"probe {letter}", words=probe_words(box), rule="G5.2"))
    if ship.power.battery_part:
        found.append(Fact(what="part of a battery", words=f"{ship.power.battery_part} of a point", rule="B3.2"))
    return tuple(found)


def bomb_words(bomb: Bomb) -> str:
    """Return the state of a suicide shuttle in words: ``armed, 18 points``, ``arming, 2 turns so far``."""
    if bomb.state == Fuse.ARMED:
        return f"armed, {sentences.points(warhead(bomb.energy))}"
    if bomb.state == Fuse.ARMING:
        return f"arming, {several(len(bomb.energy), 'turn')} so far"
    return f"{bomb.state} this turn" if bomb.state else "not armed"


def probe_words(box: ProbeBox) -> str:
    """Return the state of a probe in words: ``armed as a weapon``, ``arming as an instrument, 1 turn so far``."""
    purpose = "as a weapon" if box.purpose == Purpose.WEAPON else "as an instrument"
    if box.turns >= len(arming_energy(box.purpose)):
        return f"armed {purpose}"
    return f"arming {purpose}, {several(box.turns, 'turn')} so far"


def marks_of(unit: Seeker | Shuttle | Monster | Planet, state: State) -> tuple[str, ...]:
    """Return short remarks on a unit without an SSD (ship systems display), for the table of positions."""
    found: list[str] = []
    match unit:
        case Seeker():
            return (f"strength {unit.warhead}",) if unit.torpedo and not unit.gone else ()
        case Shuttle():
            found += _marks_of_shuttle(unit)
        case Monster():
            found += [f"damage {unit.damage}"] if unit.damage else []
        case Planet():
            found += [f"damage {unit.damage}"] if unit.damage else []
            found += [f"{sentences.crew(unit.crew)} on it"] if unit.crew else []
    if not unit.gone:
        found += [f"held by {link.ship}" for link in state.holders(unit.name)]
    return tuple(found)


def _marks_of_shuttle(shuttle: Shuttle) -> Iterator[str]:
    """Yield short remarks on a shuttle: its damage, where it landed, and what it carries."""
    chart = charts.shuttles()
    if shuttle.damage and not shuttle.gone:
        crippled = ", crippled" if shuttle.damage >= chart.crippled else ""
        yield f"damage {shuttle.damage} of {chart.destroyed}{crippled}"
    if shuttle.landed:
        yield f"on {shuttle.landed}"
    if shuttle.crew:
        yield sentences.crew(shuttle.crew)
    if shuttle.parties:
        yield sentences.parties(shuttle.parties)
    if shuttle.bomb:
        yield f"suicide shuttle of {sentences.points(shuttle.bomb)}"


def quarry(state: State) -> tuple[Quarry, ...]:
    """Return the state of all monsters, and of planets that are their targets or hold people (scenario #11)."""
    goals = {u.goal for u in state.units.values() if isinstance(u, Monster)}
    found = []
    for name, unit in sorted(state.units.items()):
        if isinstance(unit, Monster):
            found.append(Quarry(unit=name, side=unit.side, kind="monster", facts=tuple(_of_monster(unit))))
        elif isinstance(unit, Planet) and (unit.damage or unit.crew or name in goals):
            found.append(Quarry(unit=name, side=unit.side, kind="planet", facts=tuple(_of_planet(unit, state))))
    return tuple(found)


def _of_monster(unit: Monster) -> Iterator[Fact]:
    kind = charts.monsters().kinds[unit.monster]
    if unit.gone:
        yield Fact(what="gone", words=unit.gone)
    if unit.goal:
        yield Fact(what="after", words=unit.goal)
    known = (
        f"{sentences.points(unit.information)}, a die at {unit.needed}" if not unit.method else str(unit.information)
    )
    yield Fact(what="information", words=known, rule="G4.1")
    if unit.method:
        method = charts.monsters().method[unit.method - 1]
        yield Fact(what="how to stop it", words=method_words(method.kind))
    toughness = f" of {kind.toughness}" if kind.toughness else ""
    yield Fact(what="damage", words=f"{unit.damage}{toughness}")


def _of_planet(unit: Planet, state: State) -> Iterator[Fact]:
    hunters = [u for u in state.units.values() if isinstance(u, Monster) and u.goal == unit.name]
    toughness = max((charts.monsters().kinds[u.monster].goal_toughness for u in hunters), default=0)
    if hunters or unit.damage:
        yield Fact(what="damage", words=f"{unit.damage}{f' of {toughness}' if toughness else ''}")
    if unit.crew:
        yield Fact(what="waiting on it", words=sentences.crew(unit.crew))


def _tractor_links(ship: Ship, state: State) -> Iterator[Fact]:
    """Yield a fact for each tractor link of a ship, whether it holds a unit or is held."""
    for link in state.held_by(ship.name):
        words = f"holds {link.target} since {sentences.moment(link.since, state)}"
        yield Fact(what=f"tractor {link.beam}", words=words, rule="G7.3")
    for link in state.holders(ship.name):
        yield Fact(what="held", words=f"by {link.ship}, tractor {link.beam}", rule="G7.3")


def _tractor_energy(ship: Ship) -> Iterator[Fact]:
    """Yield a fact for each tractor beam that has energy, which only the owner may know."""
    if ship.power.tractors:
        yield Fact(what="tractor beams with energy", words=sentences.listed(ship.power.tractors), rule="G7.15")
