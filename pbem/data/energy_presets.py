"""Usual ways to spend a turn's energy, which the game page offers as buttons; read from ``energy_presets.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from pbem.data.files import Sourced, build

HERE = Path(__file__).parent


class EnergyPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A usual way to spend the energy of a turn.

    Attributes:
        name: Its name in the data file.
        title: Its name on a button.
        told: What it does, in a few words that continue "this ship ...".
        power: What is paid for first: arms, speed, or general reinforcement (D3.341).
        speed: The speed wanted, as a percentage of the highest speed.
        shield: The shield that gets the power that is left: the one ahead or the one behind.
        near: Whether torpedoes that cannot be held are completed, instead of being put into rolling delay (FP1.22).
    """

    name: str
    title: str
    told: str
    power: Literal["arms", "speed", "shields"]
    speed: int
    shield: Literal["ahead", "behind"]
    near: bool = True


class EnergyPresets(Sourced, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the data file."""

    presets: tuple[EnergyPreset, ...]


@cache
def energy_presets() -> tuple[EnergyPreset, ...]:
    """Return the shipped presets, in the order in which they are offered.

    Raises:
        GameError: The data file has a fault.
    """
    path = HERE / "energy_presets.toml"
    return build(EnergyPresets, tomllib.loads(path.read_text(encoding="utf-8")), path.name).presets
