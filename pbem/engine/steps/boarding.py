"""Combat of boarding parties aboard ships (D7.0), and mutiny (G6.0).

A mutiny is possible on ships whose security stations are destroyed.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.data.ships import ship_class
from pbem.data.terms import MutinyState, UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import conceded, enemy_parties
from pbem.engine.state import Seeker, Ship, Shuttle, State
from pbem.engine.steps.guidance import remove_guided
from pbem.engine.steps.tractor_links import kind_of
from pbem.rules import boarding, ties
from pbem.rules.tractors import loses_tracking


def fight(table: Resolution) -> None:
    """At the end of a turn, resolve boarding party combat and transfer captured ships (D7.0)."""
    before = table.state
    for ship in before.ships():
        if ship.people.boarders or ship.people.taken:
            _fight_aboard(table, ship)


def control_stations(ship: Ship) -> int:
    """Return the number of a ship's control stations that are not destroyed (D7.0, step 5)."""
    return boarding.control_stations(ship.boxes, ship_class(ship.ship).control_stations)


def _fight_aboard(table: Resolution, ship: Ship) -> None:
    """Resolve one round of boarding party combat on one ship.

    Our interpretation where the rules are silent: attackers from several sides fight as one force, and form their
    groups together.
    """
    decks = boarding.Decks(
        ship.people.parties, enemy_parties(table.state, ship), control_stations(ship), ship.people.taken
    )
    boarders = dict(ship.people.boarders)
    if boarding.is_fought(decks):
        leader = _foremost(boarders)
        holders_rolls = _rolls(table, ship, ship.side, decks.holders)
        raiders_rolls = _rolls(table, ship, leader, decks.raiders)
        fought = boarding.fight(decks, [die for _, die in holders_rolls], [die for _, die in raiders_rolls])
        boarders = _after_casualties(boarders, decks.raiders - fought.decks.raiders)
        decks = fought.decks
        table.tell(
            ev.BoardingFought(
                unit=ship.name,
                rolls=tuple(roll for roll, _ in (*holders_rolls, *raiders_rolls)),
                holders_dice=tuple(die for _, die in holders_rolls),
                raiders_dice=tuple(die for _, die in raiders_rolls),
                by_holders=fought.by_holders,
                by_raiders=fought.by_raiders,
                holders=decks.holders,
                boarders=boarders,
                taken=decks.taken,
                stations=decks.stations,
                rule="D7.0",
            )
        )
    if decks.captured:
        _capture(table, table.ship(ship.name), boarders)


def _rolls(table: Resolution, ship: Ship, side: str, parties: int) -> list[tuple[str, int]]:
    """Roll one die for each group of a side's boarding parties (D7.0, steps 2 and 3).

    Return a list of (label of the roll, number rolled).
    """
    return [table.roll(ship.name, f"BOARD-{side}", n) for n in range(1, len(boarding.groups(parties)) + 1)]


def _foremost(boarders: dict[str, int]) -> str:
    """Return the side with the most boarding parties aboard.

    If several sides have equally many, the first of them by name is returned. The result is empty if no boarding
    parties are aboard.
    """
    return min(boarders, key=lambda side: (-boarders[side], ties.of_names(side)), default="")


def _after_casualties(boarders: dict[str, int], lost: int) -> dict[str, int]:
    """Return a dict of side to the number of attacking parties left after casualties.

    ``lost`` is the number of parties lost. Each lost party is taken from the side that then has the most parties.
    """
    left = dict(boarders)
    for _ in range(lost):
        left[_foremost(left)] -= 1
    return {side: count for side, count in sorted(left.items()) if count > 0}


def _capture(table: Resolution, ship: Ship, boarders: dict[str, int]) -> None:
    """Transfer a captured ship to its captor (D7.0, step 6).

    The captor now learns what only the former owner knew about the ship (D4.1). Our interpretation where the rules are
    silent: if several sides of a team board a ship, the side with the most boarding parties is the captor. If an ally
    recaptures the ship for the side that lost it, the ship returns to that side, unless that side has conceded. Drones
    that the ship guides are lost as if the ship had been destroyed (D4.41), because nobody aboard can use its weapons;
    plasma torpedoes need no guidance (FP1.0). Parties of the former owner that are left continue to fight as boarders.
    """
    state, captor, loser = table.state, _foremost(boarders), ship.people.captured_from
    if loser and not state.enemies(captor, loser) and not conceded(state, loser):
        captor = loser
    friends = {side for side in boarders if not state.enemies(side, captor)}
    fighting_on = {side: count for side, count in boarders.items() if side not in friends}
    if ship.people.parties:
        fighting_on[ship.side] = fighting_on.get(ship.side, 0) + ship.people.parties
    remove_guided(table, ship.name)
    table.tell(
        ev.Captured(
            unit=ship.name,
            side=captor,
            was=ship.side,
            parties=sum(boarders[side] for side in friends),
            boarders=dict(sorted(fighting_on.items())),
            rule="D7.0",
        )
    )
    table.secret(
        captor,
        ev.TakenOver(
            unit=ship.name,
            weapons=ship.weapons,
            capacitor=ship.power.capacitor,
            batteries=ship.power.batteries,
            battery_part=ship.power.battery_part,
            repairing=ship.power.repairing,
            unpaid=ship.power.unpaid,
            probes=ship.power.probes,
            bombs=ship.power.bombs,
            hangar=ship.hangar or None,
            rule="D7.0",
        ),
    )
    _lose_tracking(table, ship.name)


def _lose_tracking(table: Resolution, holder: str) -> None:
    """Remove the captor's own seeking weapons that the captured ship holds by tractor beam (G7.52).

    The weapons are drones and suicide shuttles; they are removed because they lose their target.
    """
    state = table.state
    side = table.ship(holder).side
    for name in sorted({link.target for link in state.held_by(holder)}):
        held = state.units[name]
        own = not state.enemies(side, held.side)
        if not isinstance(held, Seeker | Shuttle) or not loses_tracking(kind_of(held), own):
            continue
        why = f"{holder} holds it, a ship of its own side"
        table.tell(ev.Removed(unit=name, how=UnitFate.REMOVED, why=why, rule="G7.52"))


SECURITY = "security"
"""The name of a security station box (G6.1)."""


def at_once(table: Resolution, before: State, struck: Iterable[str]) -> None:
    """Roll for mutiny on every ship whose last security station was destroyed in this step (G6.2).

    ``before`` is the state at the start of the step, ``struck`` are the names of the units that were hit.
    """
    if not table.scenario.uses("mutiny"):
        return
    for name in sorted(set(struck)):
        was, ship = before.units[name], table.state.units[name]
        if not isinstance(was, Ship) or not isinstance(ship, Ship) or not ship.in_play:
            continue
        if _may(ship) and boarding.rolls_at_once(was.boxes.get(SECURITY, 0), ship.boxes.get(SECURITY, 0)):
            _roll(table, ship)


def end_of_turn(table: Resolution) -> None:
    """At the end of a turn, roll for mutiny on the ships where no mutiny has started yet (G6.2)."""
    if not table.scenario.uses("mutiny"):
        return
    for ship in table.state.ships():
        built, left = ship_class(ship.ship).boxes.get(SECURITY, 0), ship.boxes.get(SECURITY, 0)
        if _may(ship) and boarding.rolls_at_turn_end(ship.race, built, left, bool(ship.people.mutiny)):
            _roll(table, ship)


def _may(ship: Ship) -> bool:
    """Return whether a mutiny is possible on a ship now.

    Our interpretation where the rules are silent: no mutiny is possible on a captured ship, because her own crew does
    not operate her any more.
    """
    built = ship_class(ship.ship).boxes.get(SECURITY, 0)
    return (
        boarding.can_mutiny(ship.race, built)
        and not ship.people.mutiny
        and not ship.is_prize
        and not ship.terms.immobile
    )


def _roll(table: Resolution, ship: Ship) -> None:
    """Roll whether a mutiny breaks out on a ship, and whether the mutiny succeeds (G6.2).

    If the mutiny succeeds, the ship stops (G6.32). Our interpretation where the rules are silent: nobody guides the
    ship's drones any more, because nobody operates its weapons. The drones are lost as in D4.41.
    """
    likelier = boarding.modifier(enemy_parties(table.state, ship), control_stations(ship))
    roll, die = table.roll(ship.name, "MUTINY")
    if not boarding.occurs(die, likelier):
        table.tell(ev.Mutinied(unit=ship.name, roll=roll, die=die, result="none", rule="G6.2"))
        return
    second_roll, second = table.roll(ship.name, "MUTINY", 2)
    result = MutinyState.STAGED if boarding.succeeds(second, likelier) else MutinyState.PUT_DOWN
    table.tell(
        ev.Mutinied(
            unit=ship.name, roll=roll, die=die, result=result, second_roll=second_roll, second=second, rule="G6.2"
        )
    )
    if result == MutinyState.STAGED:
        remove_guided(table, ship.name)
