"""The charts of weapons: tables to hit and of damage, plasma torpedoes, and the kinds there are."""

# Annotations are not put off: see pbem/engine/state.py.

from fractions import Fraction
from typing import Literal

import msgspec

from pbem.data.files import Confidence, Sourced


class Ranged(Sourced, frozen=True, kw_only=True):
    """A chart with range brackets (first and last hex, both included)."""

    brackets: tuple[tuple[int, int], ...]

    def column(self, range_: int) -> int | None:
        """The bracket a range falls into, ``None`` beyond the chart."""
        for number, (low, high) in enumerate(self.brackets):
            if low <= range_ <= high:
                return number
        return None

    @property
    def reach(self) -> int:
        """The longest range on the chart, in hexes."""
        return self.brackets[-1][1]


class DamageTable(Ranged, frozen=True, kw_only=True):
    """Points by die (rows, from 1) and range bracket (columns). ``energy`` is what one shot costs."""

    energy: float
    damage: tuple[tuple[int, ...], ...]
    drone_modifier: int = 0
    min_range: int = 0


class HitTable(Ranged, frozen=True, kw_only=True):
    """Highest die that hits (0: cannot) and points of a hit, by range bracket.

    ``arming`` is the energy of each consecutive turn (empty for weapons armed within the turn, which cost ``energy``),
    ``armed_with`` the source it must come from (empty: any); ``hold`` the energy to keep an armed one;
    ``drone_modifier`` is added to the die against drones (FD1.52).
    """

    hit: tuple[int, ...]
    damage: tuple[int, ...]
    min_range: int
    max_range: int
    energy: int = 0
    arming: tuple[int, ...] = ()
    armed_with: Literal["WARP", ""] = "WARP"
    hold: int = 0
    drone_modifier: int = 0


class PlasmaType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plasma torpedo: strength up to and including so many hexes travelled; energy by turn.

    ``hold`` ``None``: cannot be held. ``armed_at_start``: scenarios begin with it armed and held (FP1.23).
    """

    hexes: tuple[int, ...]
    strength: tuple[int, ...]
    arming: tuple[int, ...] = ()
    hold: int | None = None
    armed_at_start: bool = False
    confidence: Confidence = "cross-checked"


class PlasmaTube(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A launcher: directions relative to the ship (1 ahead, clockwise to 6), arc its target must be in (FP3.0)."""

    directions: tuple[int, ...]
    targets: str


class Plasma(Sourced, frozen=True, kw_only=True):
    """``phaser_points`` that take one point of strength (FP1.6), ``feedback`` as a part of the warhead (FP1.8).

    ``fixed`` and ``swivel`` launchers, swivels by the arc the SSD gives them (FP3.1, FP3.2).
    """

    types: dict[str, PlasmaType]
    phaser_points: int
    feedback: Fraction
    fixed: PlasmaTube
    swivel: dict[str, PlasmaTube]


class WeaponKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of weapon: its label on the SSD (``PH``), family, chart, the rules of its fire, range and energy, and
    whether it is a heavy weapon.

    ``arming``: by the phaser ``capacitor``, with the energy of one ``turn`` or of several ``turns``, ``rolling``
    (several turns, or a delay before the last), with ``ammunition``, or not at all (:mod:`pbem.rules.arming`).
    ``energy`` replaces the chart's energy for one shot where it differs (the phaser-G); ``shots`` how often it fires
    in a turn for that energy (E1.5). ``rank`` orders the types of a weapon by power (D4.322). ``hold_word`` is the word
    of the code with which holding is refused, where it is not the kind's own.
    """

    label: str
    family: str
    chart: str = ""
    arming: Literal["", "capacitor", "ammunition", "turn", "turns", "rolling"] = ""
    rule: str
    range_rule: str = "E1.3"
    energy_rule: str = "E1.2"
    heavy: bool = False
    energy: float | None = None
    shots: int = 1
    rank: int = 0
    hold_word: str = ""


class WeaponKinds(Sourced, frozen=True, kw_only=True):
    kinds: dict[str, WeaponKind]
