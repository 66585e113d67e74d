"""The public status of a game: the turn, the request in force, and which sides have answered."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.relations import all_awaited
from pbem.engine.state import Outcome, Request
from pbem.errors import Fault
from pbem.games.answers import answers
from pbem.games.proof.beacon import Sealing, sealing_of
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import names, players
from pbem.games.storage.publish import reports_folder


class SideStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one side.

    Attributes:
        side: The side.
        player: Its player.
        robot: Whether the robot that the rules describe plays it.
        asked: Whether the request in force asks this side for orders.
        answered: Whether the side has given these orders.
        file: Name of the order file that answers the request; empty if there is none.
        version: The number of files that the side has sent for the request.
        arrives: The turn on which its first ships arrive, if none of its ships has arrived yet (scenario #8);
            otherwise 0.
    """

    side: str
    player: str
    robot: bool
    asked: bool
    answered: bool = False
    file: str = ""
    version: int = 0
    arrives: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The public status of a game.

    Attributes:
        game: Name of the game.
        scenario: Key of the scenario.
        title: Title of the scenario.
        turn: The present turn.
        impulse: The present impulse.
        impulses: Impulses in a turn.
        request: The request for orders in force; ``None`` if there is none.
        sides: The status of each side.
        over: Whether the game is over.
        outcome: The result of each side, if the game is over.
        reports: The folder with the reports of the request in force.
        faults: The faults in order files for the request in force.
        sealing: In games whose dice use a public beacon, the beacon value that the sealed orders wait for; otherwise
            ``None``.
    """

    game: str
    scenario: str
    title: str
    turn: int
    impulse: int
    impulses: int
    request: Request | None
    sides: tuple[SideStatus, ...]
    over: bool
    outcome: tuple[Outcome, ...] = ()
    reports: str = ""
    faults: tuple[Fault, ...] = ()
    sealing: Sealing | None = None

    @property
    def owing(self) -> tuple[str, ...]:
        """The sides that still have to give orders."""
        return tuple(side.side for side in self.sides if side.asked and not side.answered)


def status(game: GameFolder) -> Status:
    """Return the public status of a game; nothing is changed."""
    state, scenario = game.state(), game.scenario()
    found, faults = answers(game)
    request = state.request
    sides = []
    who, called = players(game.path, game.terms), names(game.path)
    for name, side in state.sides.items():
        answer = found.get(name)
        version = 0
        if request is not None and answer is not None and not answer.from_form:
            version = max(one.version for one in game.versions(request.turn, name, request.number)) + 1
        sides.append(
            SideStatus(
                side=name,
                player=called.get(who.get(name, ""), who.get(name) or side.player),
                robot=side.robot,
                asked=request is not None and name in request.sides,
                answered=answer is not None,
                file=answer.file if answer else "",
                version=version,
                arrives=_arrival(scenario, name) if all_awaited(state, name) else 0,
            )
        )
    return Status(
        game=state.game,
        scenario=state.scenario,
        title=scenario.title,
        turn=state.stands[0],
        impulse=state.stands[1],
        impulses=state.impulses,
        request=request,
        sides=tuple(sides),
        over=state.over,
        outcome=state.outcome,
        reports=reports_folder(game).relative_to(game.path).as_posix(),
        faults=faults,
        sealing=sealing_of(game),
    )


def _arrival(scenario: Scenario, side: str) -> int:
    """Return the turn on which the first reinforcements of a side arrive, or 0 if none are to come."""
    return min((unit.arrives for unit in scenario.units_of(side) if unit.arrives), default=0)
