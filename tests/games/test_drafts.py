"""The drafts players are sent: whatever they hold may be sent back."""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.errors import GameError
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import Receipt, check
from pbem.reports.draft.draft import draft_for


def hints_refused(game: GameFolder) -> list[str]:
    """Hints of the drafts for the request in force that are refused once the # is taken away, each alone."""
    state = game.state()
    request = state.request
    assert request is not None
    refused = []
    for side in request.sides:
        lines = draft_for(state, game.scenario(), request, side).split("\n")
        for number, line in enumerate(lines):
            if not re.match(r"\s*# \S", line) or line.lstrip().startswith(("# 2F", "# TOWARD")):
                continue  # these stand for the plot that may be there, not beside it
            try:
                check(game, "\n".join([*lines[:number], line.replace("# ", "", 1), *lines[number + 1 :]]), "draft")
            except GameError as error:
                refused.append(f"{line.strip()}: {error}")
    return refused


def test_hints_of_the_energy_form_can_be_used(game: GameFolder) -> None:
    assert hints_refused(game) == []


def test_hints_after_the_energy_form_name_what_has_energy(game: GameFolder, send: Callable[..., Receipt]) -> None:
    send("federation")
    send("klingon")
    resolve_game(game)
    assert hints_refused(game) == []
    state = game.state()
    assert state.request is not None
    drafts = [draft_for(state, game.scenario(), state.request, side) for side in state.request.sides]
    assert "## PHOT A is arming" in drafts[0]
    assert "# IF RANGE <= 4 THEN FIRE DISR A" in drafts[1]
    assert "## DISR B has no energy this turn" in drafts[1]


def test_hints_at_a_break_fit_what_is_left_of_the_turn(game: GameFolder, send: Callable[..., Receipt]) -> None:
    for _ in range(2):
        send("federation")
        send("klingon")
        resolve_game(game)
    state = game.state()
    assert state.request is not None and state.request.impulse > 1
    assert hints_refused(game) == []
