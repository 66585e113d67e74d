"""What the rules answer, call by call, held against calls.txt: whole answers, and refusals with code, text and rule.

A line of that file is a call in Python, the indented lines under it are its answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, Fuse, Purpose, WeaponState
from pbem.errors import NotAllowed
from pbem.lab.rule_cases.lookups import ask, weapon_kind
from pbem.rules import (
    boarding,
    direct_fire,
    drones,
    energy_form,
    hexes,
    internal_damage,
    monsters,
    movement,
    plasma,
    power,
    science,
    seeking,
    sensors,
    shields,
    shuttles,
    terrain,
    ties,
    tractors,
    transporters,
    weapons,
)  # fmt: skip
from pbem.rules.leave import whether
from tests.rules.test_forms import SHIPS, entry

CALLS = Path(__file__).with_name("calls.txt")
MAP = ("0101", "2817")
"""The printed map."""


class Choice(NamedTuple):
    category: str
    items: tuple[str, ...]
    place: str = "FIRST"


class Box(NamedTuple):
    kind: str
    working: bool = True
    charge: str = ""
    ammo: int = 0
    fired: int | None = None


def also(verify: Callable[..., None], **usual: Any) -> Callable[..., None]:
    """A check with its usual arguments, of which a call changes some."""

    def changed(**given: Any) -> None:
        verify(**usual | given)

    return changed


NAMES: dict[str, Any] = {
    "tractors": tractors,
    "ask_track": ship_class("cadet_freighter").thresholds,
    **{module.__name__.rpartition(".")[2]: module for module in (
        movement, hexes, weapons, boarding, power, sensors, internal_damage, direct_fire, drones, energy_form,
        power, direct_fire, internal_damage, hexes, movement, science, hexes, monsters, boarding, direct_fire, weapons,
        plasma, science, shields, power, seeking, sensors, shields, shuttles, shuttles, movement, internal_damage,
        power, shuttles, movement, terrain, ties, transporters, movement,
    )},
    "whether": whether, "entry": entry, "SHIPS": SHIPS,
    "ask": ask, "weapon_kind": weapon_kind, "MAP": MAP, "Box": Box, "Choice": Choice, "Fraction": Fraction,
    "Cloak": CloakState, "Fuse": Fuse, "Purpose": Purpose, "Weapon": WeaponState,
    "fires": also(
        direct_fire.verify_fire, kind="ph1", name="PH 1", working=True, charge=WeaponState.NONE, fired=None, moment=20,
        impulses=16, range=5, max_range=None, in_arc=True, energy=1.0,
    ),
    "launches": also(
        drones.verify_launch, name="DRONE 1", working=True, ammo=1, fired=None, moment=20, impulses=16,
        launched_this_turn=1, ship_limit=2, controlled=5, control_limit=6, target_in_fa=True,
    ),
    "torpedo": also(
        plasma.verify_launch, name="PLAS A", charge=WeaponState.ARMED, moment=40, impulses=16, facing="B",
        ship_facing="B", mount="fixed", arc="FA", target_in_arc=True,
    ),
    "beam": also(
        tractors.verify_beam, beam="B", working=2, powered=2, used=1, linked=False, released=None, moment=40,
        impulses=32,
    ),
    "transports": also(
        transporters.verify_transport, wanted=2, working=5, used=1, powered=3, range=5, own_shield_down=True,
    ),
    "fires_probe": also(
        science.verify_weapon, ready=science.Probe(Purpose.WEAPON, 2), left=1, range=6, ahead=True, crippled=False,
        outnumbered=True, directed=False,
    ),
    "lands": also(
        shuttles.verify_land, bay=shuttles.ShuttleBay(2, 1, 8),
        moment=10, same_hex=True, ship_speed=6, damage=0,
    ),
    "hauls": also(
        shuttles.verify_recover, bay=shuttles.ShuttleBay(2, 1, 8),
        moment=10, range=1, ship_speed=12, attached=9, damage=0,
    ),
    "shuttle_fires": also(
        shuttles.verify_shuttle_fire, name="S1", fired=None, launched=24, moment=32, impulses=32,
    ),
    "tac": also(movement.verify_tac, impulses=32),
}  # fmt: skip


def told(call: str) -> str:
    """The answer of a call, or the refusal."""
    try:
        answer = eval(call, NAMES)
    except NotAllowed as refused:
        return f"{refused.code}: {refused.text} ({refused.rule})"
    except ValueError as wrong:
        return f"no: {wrong}"
    return "allowed" if answer is None else str(answer) if isinstance(answer, str) and answer else repr(answer)


def read() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in CALLS.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            call, answer = found[-1]
            found[-1] = call, f"{answer}\n{line[4:]}".strip("\n")
        elif line and not line.startswith("#"):
            found.append((line, ""))
    return found


def _first(call: str) -> str:
    """The first name in a call, to tell the tests apart."""
    return next(iter(re.findall(r"[\w.]+\.\w+", call)), "call")


@pytest.mark.parametrize(("call", "answer"), read(), ids=[f"{n}-{_first(call)}" for n, (call, _) in enumerate(read())])
def test_what_a_rule_answers(call: str, answer: str) -> None:
    assert told(call) == answer


if __name__ == "__main__":
    answered = []
    for line in CALLS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("    "):
            answered.append(line)
            if line and not line.startswith("#"):
                answered += [f"    {row}" for row in told(line).split("\n")]
    CALLS.write_text("".join(f"{line}\n" for line in answered), encoding="utf-8", newline="\n")
