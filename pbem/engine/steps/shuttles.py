"""Shuttles on the map: their speed and their movement (J1.2). Their bays are in :mod:`pbem.engine.steps.bays`."""

from __future__ import annotations

from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Shuttle, State
from pbem.engine.steps import suicide
from pbem.engine.steps.guidance import behind, caught
from pbem.engine.steps.helm import entered
from pbem.engine.steps.movement import Course, due_to_move, fly, settle
from pbem.rules import seeking, ties
from pbem.rules.shuttles import can_fly_at, default_speed


def move(table: Table) -> None:
    """Shuttles move, slower before faster, equal speeds at once (C1.3); suicide shuttles follow their target (J2.22).

    One that hunts another shuttle of its own speed homes on the hex that one enters (F2.1), and a slower one keeps it
    where it has struck it (F2.2); all the same both move in the order of their names, which tells nothing.
    """
    due = [shuttle for shuttle in table.state.shuttles() if due_to_move(table.state, shuttle, table.impulse)]
    for speed in sorted({shuttle.speed for shuttle in due}):
        before = table.state
        group = [
            before.units[shuttle.name] for shuttle in due if shuttle.speed == speed and not caught(before, shuttle)
        ]
        courses: dict[str, Course] = {}
        heading: dict[str, str] = {}
        for shuttle in group:
            if isinstance(shuttle, Shuttle) and shuttle.in_play and not shuttle.target:
                steer = table.captain(shuttle).steer(table, shuttle, before)
                if not steer.code:  # it stays on its planet
                    for saying in steer.sayings:
                        table.say(shuttle, saying)
                    continue
                courses[shuttle.name] = course = settle(table, shuttle, steer)
                if not course.ends:
                    heading[shuttle.name] = entered(before, shuttle, course.code)[0]
        steps = _hunts(table, [one for one in group if isinstance(one, Shuttle) and one.target], before, heading)
        for shuttle in group:
            if not isinstance(shuttle, Shuttle) or not shuttle.in_play:
                continue
            if shuttle.name in steps:
                suicide.fly(table, shuttle, before, steps[shuttle.name])
            elif shuttle.name in courses:
                fly(table, shuttle, courses[shuttle.name])


def _hunts(table: Table, bombs: list[Shuttle], before: State, heading: dict[str, str]) -> dict[str, seeking.Step]:
    """The next hexes of suicide shuttles of one speed; those that stay where they are have none. A shuttle that hunts
    another is asked after it, and of two that hunt each other the first by name flies into the other's hex (F2.5).
    """
    due = {bomb.name: bomb for bomb in bombs if bomb.in_play}
    steps: dict[str, seeking.Step] = {}
    hunts = {name: bomb.target for name, bomb in due.items()}
    for name in sorted(due, key=lambda each: (behind(each, hunts), ties.of_names(each))):
        bomb = due[name]
        step = suicide.next_step(bomb, before, heading, table.captain(bomb).guides(table, bomb, before))
        if step is not None:
            steps[name] = step
            heading[name] = step[1]
    return steps


def announce(table: Table) -> None:
    """Every shuttle on the map announces its speed for the turn (J1.21); one that stays on a planet, none."""
    for shuttle in table.state.shuttles():
        speed = default_speed(shuttle.prior_speed, shuttle.damage)
        if not shuttle.target:
            wanted = table.captain(shuttle).shuttle_speed(shuttle.name, bool(shuttle.landed))
            if wanted is not None and can_fly_at(wanted, shuttle.prior_speed, shuttle.damage):
                speed = wanted
        table.tell(ev.SpeedAnnounced(unit=shuttle.name, speed=speed, rule="J1.21"))
