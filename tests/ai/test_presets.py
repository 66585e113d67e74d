"""The presets of the energy form are legal in every turn: `pbem check` has nothing against any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ai.presets import OfferedPreset, offered_presets
from pbem.data.doctrines import energy_presets
from pbem.data.scenarios import scenario, scenario_keys
from pbem.errors import GameError
from pbem.games.computer_sides import captains_orders
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import check, submit
from pbem.reports.draft.draft import draft_for
from pbem.reports.view.build import known_state

SCENARIOS = [key for key in scenario_keys() if not scenario(key).variant]
TURNS = 4


def with_energy(draft: str, lines: dict[str, tuple[str, ...]]) -> str:
    """A draft with these lines of the energy form, by ship, in place of its own."""
    found: list[str] = []
    ship, inside = "", False
    for line in draft.splitlines():
        if line.startswith("SHIP "):
            ship = line.removeprefix("SHIP ").partition(" #")[0].strip().strip('"')
        inside = inside and line.startswith(" ")
        if not inside:
            found.append(line)
        if line == "ENERGY" and ship in lines:
            inside = True
            found += [f"  {one}" for one in lines[ship]]
    return "\n".join(found) + "\n"


def offers(game: GameFolder, side: str) -> dict[str, list[OfferedPreset]]:
    """The presets that the game page would offer to a side."""
    state = known_state(game.effective(), side, scenario=game.scenario())
    assert state.request is not None
    return offered_presets(state, game.scenario(), state.request, side)


def faults_of_presets(game: GameFolder, side: str) -> list[str]:
    """What is wrong with the presets of a side; its ships take theirs at once."""
    state, presets = game.state(), offers(game, side)
    assert state.request is not None
    draft = draft_for(state, game.scenario(), state.request, side)
    assert len(presets) == draft.splitlines().count("ENERGY")
    faults = []
    for n in range(max(map(len, presets.values()), default=0)):
        taken = {ship: ones[n % len(ones)] for ship, ones in presets.items()}
        orders = with_energy(draft, {ship: one.lines for ship, one in taken.items()})
        for ship, one in taken.items():
            assert all(f"\n  {line}\n" in orders for line in one.lines), ship
        try:
            check(game, orders, "")
        except GameError as error:
            names = {ship: one.name for ship, one in taken.items()}
            faults.append(f"{state.request.turn}.{state.request.number} {names}: {error}")
    return faults


@pytest.mark.slow
@pytest.mark.parametrize("key", SCENARIOS)
def test_every_preset_is_legal_in_every_turn_of_a_game(key: str, tmp_path: Path) -> None:
    """Ensigns play, so that weapons are fired and hit, and power is lost."""
    new(key, tmp_path / "game", players={}, seed="presets")
    faults = []
    with opened(tmp_path / "game", lock="test") as game:
        while (request := game.state().request) is not None and request.turn <= TURNS and not game.state().over:
            for side in request.sides:
                faults += faults_of_presets(game, side)
            for side in request.sides:
                submit(game, captains_orders(game, side, "ensign"), "")
            resolve_game(game)
    assert faults == []


def test_presets_differ_from_each_other_and_use_what_they_say(tmp_path: Path) -> None:
    new("5", tmp_path / "game", players={}, seed="presets")
    with opened(tmp_path / "game") as game:
        (presets,) = offers(game, "federation").values()
    lines = [preset.lines for preset in presets]
    assert len(set(lines)) == len(lines) == len(energy_presets())
    by_name = {preset.name: preset.lines for preset in presets}
    speed = {
        name: float(line.split()[1]) for name, ones in by_name.items() for line in ones if line.startswith("SPEED")
    }
    assert speed["run"] == max(speed.values()) > speed["usual"]
    assert speed["run"] > speed.get("hold", 0)
