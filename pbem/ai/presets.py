"""Offer common ways to spend a turn's energy, each as a complete and legal energy form (B3.0)."""

from __future__ import annotations

import msgspec

from pbem.ai.energy import preset_form
from pbem.ai.order_writer import gaps_for, quarry
from pbem.data.doctrines import energy_presets
from pbem.data.scenarios import Scenario
from pbem.engine.legal.acts import asks_energy, commanded
from pbem.engine.state import Request, Ship, State
from pbem.engine.steps.energy import facts_for


class OfferedPreset(msgspec.Struct, frozen=True, kw_only=True):
    """A common way to spend a turn's energy, filled in for one ship.

    Attributes:
        name: The name of the preset.
        title: The text on the button that selects the preset.
        told: A short description of what the preset does.
        lines: The lines of the energy form.
    """

    name: str
    title: str
    told: str
    lines: tuple[str, ...]


def offered_presets(state: State, scenario: Scenario, request: Request, side: str) -> dict[str, list[OfferedPreset]]:
    """Return the energy presets by ship name, for every ship whose energy form is requested.

    A preset is left out if it gives the same form as an earlier one. Presets for shields are left out if the scenario
    has no reinforcement. ``state`` is the game state as the side may see it.
    """
    found: dict[str, list[OfferedPreset]] = {}
    for ship in commanded(state, request, side):
        if not (isinstance(ship, Ship) and asks_energy(scenario, request, ship)):
            continue
        ahead = int(gaps_for(state, scenario, ship, quarry(state, ship)).of["shield"][0])
        offered: dict[tuple[str, ...], OfferedPreset] = {}
        for preset in energy_presets():
            if preset.power == "shields" and not facts_for(state, scenario, ship).reinforcement:
                continue
            lines = tuple(preset_form(state, scenario, ship, preset, ahead=ahead)[0])
            filled = OfferedPreset(name=preset.name, title=preset.title, told=preset.told, lines=lines)
            offered.setdefault(lines, filled)
        found[ship.name] = list(offered.values())
    return found
