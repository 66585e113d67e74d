"""Laboratories, which gather information about a monster (G4.0), and probes (G5.0).

A probe is used as an instrument, and in an emergency as a weapon.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import NamedTuple

from pbem.data import charts
from pbem.data.terms import Purpose
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, FACINGS, bearing


def each_lab(die: int, range: int) -> int:
    """Return the points of information that one laboratory gathers in a turn (G4.1).

    ``range`` is the effective range in hexes at the closest approach of the turn.
    """
    chart = charts.labs()
    return chart.information[die - 1][range] if range < len(chart.ranges) else 0


def working_labs(boxes: Mapping[str, int]) -> int:
    """Return the number of working laboratories of a ship at the end of a turn (G4.3).

    ``boxes`` are its undestroyed boxes by system. A ship without laboratories counts as having one laboratory if it has
    a control space left. Security stations are not control spaces.
    """
    if labs := boxes.get("lab", 0):
        return labs
    return int(any(boxes.get(box) for box in charts.labs().substitutes))


def lab_information(
    die: int, range: int, boxes: Mapping[str, int], shuttles: Iterable[int] = (), cloaked: bool = False
) -> int:
    """Return the points of information a ship gathers about a monster in a turn (G4.1).

    The number in the chart is multiplied by the number of the ship's laboratories. Each of its shuttles on the map
    counts as a laboratory at the shuttle's own closest range, with the same die roll (J2.212). The laboratories of a
    cloaked ship gather nothing (G4.4).

    Args:
        die: The die rolled.
        range: The closest approach of the ship in effective hexes.
        boxes: The undestroyed boxes by system.
        shuttles: The closest range of each of the ship's shuttles on the map.
        cloaked: Whether the ship is cloaked.
    """
    aboard = 0 if cloaked else working_labs(boxes) * each_lab(die, range)
    return aboard + sum(each_lab(die, far) for far in shuttles)


def closest(ranges: Iterable[int]) -> int | None:
    """Return the smallest of the ranges measured in a turn, or ``None`` if there are none (G4.1)."""
    return min(ranges, default=None)


class Probe(NamedTuple):
    """The arming state of a probe launcher.

    ``purpose`` is the purpose of the probe: ``""``, ``information`` or ``weapon``. ``turns`` is the number of turns in
    which the probe has received energy.
    """

    purpose: Purpose = Purpose.NONE
    turns: int = 0

    @property
    def armed(self) -> bool:
        """True if the probe has received all energy it needs."""
        return bool(self.purpose) and self.turns >= len(arming_energy(self.purpose))


EMPTY = Probe()


def arming_energy(purpose: Purpose) -> tuple[int, ...]:
    """Return the energy points for each turn of arming a probe (G5.2, G5.32).

    The energy for arming a probe as a weapon must be warp energy.

    Raises:
        ValueError: The purpose is unknown.
    """
    chart = charts.probes()
    if purpose == Purpose.INFORMATION:
        return chart.arming_information
    if purpose == Purpose.WEAPON:
        return chart.arming_weapon
    raise ValueError(f"{purpose!r} is no purpose of a probe: {Purpose.INFORMATION} or {Purpose.WEAPON}")


def arm(before: Probe, purpose: Purpose, points: int, *, working: bool = True, left: int, warp: bool = True) -> Probe:
    """Return the state of a probe launcher after this turn's entry of the energy form.

    Without energy, the arming so far is lost. A probe armed as a weapon cannot be held, so arming starts again after it
    is complete (G5.32). Arming also starts again when the purpose changes. An instrument is kept ready by one point in
    each further turn (G5.2). Our interpretation of "can be held" is: the second turn of arming becomes the first turn
    of a new cycle.

    Args:
        before: The launcher's state at the end of the previous turn.
        purpose: The purpose for which the probe is armed.
        points: The energy paid.
        working: Whether the launcher is not destroyed.
        left: The number of probes left in the launcher.
        warp: Whether the energy is warp power.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``no-ammo`` (G5.12),
            ``probe-arming`` (G5.2, G5.32) or ``probe-not-warp`` (G5.32).
    """
    if not points:
        return EMPTY
    rule = "G5.32" if purpose == Purpose.WEAPON else "G5.2"
    if not working:
        raise NotAllowed("weapon-destroyed", "the probe launcher is destroyed", "G5.12")
    if left < 1:
        raise NotAllowed("no-ammo", "the probe launcher has no probes left", "G5.12")
    turns = arming_energy(purpose)
    done = before.turns if before.purpose == purpose else 0
    if done >= len(turns):
        done = len(turns) - 1 if purpose == Purpose.INFORMATION else 0
    if points != turns[done]:
        raise NotAllowed("probe-arming", f"arming a probe takes {turns[done]} points a turn, not {points}", rule)
    if purpose == Purpose.WEAPON and not warp:
        raise NotAllowed("probe-not-warp", "use warp power: only warp power arms a probe as a weapon", "G5.32")
    return Probe(purpose, done + 1)


def verify_information(*, ready: Probe, left: int, range: int, working: bool = True) -> None:
    """Check that a probe can be launched now to gather information (G5.11, G5.2).

    Args:
        ready: The arming state of the launcher.
        left: The number of probes in the launcher.
        range: The range in hexes.
        working: Whether the launcher is not destroyed.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``no-ammo``,
            ``not-armed`` or ``out-of-range``.
    """
    _verify_launch(Purpose.INFORMATION, ready, left, range, working)


def verify_weapon(
    *, ready: Probe, left: int, range: int, ahead: bool, crippled: bool, outnumbered: bool, directed: bool,
    working: bool = True,
) -> None:  # fmt: skip
    """Check that a probe can be fired as a weapon now, which is allowed only in an emergency (G5.3).

    There is an emergency if ``crippled``, ``outnumbered`` or ``directed`` is true.

    Args:
        ready: The launcher's arming state.
        left: The number of probes left in the launcher.
        range: The range in hexes.
        ahead: Whether the target is in the row of hexes straight ahead, or in the ship's hex.
        crippled: Whether the ship is crippled.
        outnumbered: Whether the ship fights alone against two or more enemy ships.
        directed: Whether the scenario tells the players to use probes as weapons.
        working: Whether the launcher is not destroyed.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``no-ammo``,
            ``not-armed``, ``out-of-range``, ``probe-emergency`` (G5.3) or ``not-ahead`` (G5.33).
    """
    _verify_launch(Purpose.WEAPON, ready, left, range, working)
    if not (crippled or outnumbered or directed):
        raise NotAllowed(
            "probe-emergency",
            "a probe may be a weapon only if the ship is crippled or outnumbered, or if the scenario says so",
            "G5.3",
        )
    if not ahead:
        raise NotAllowed("not-ahead", "a probe can be fired only dead ahead", "G5.33")


def _verify_launch(purpose: Purpose, ready: Probe, left: int, range: int, working: bool) -> None:
    """Check the conditions of a probe launch that do not depend on its purpose.

    The conditions are about the launcher, its probes, the arming and the range in hexes.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``no-ammo``, ``not-armed``
            or ``out-of-range``.
    """
    if not working:
        raise NotAllowed("weapon-destroyed", "the probe launcher is destroyed", "G5.12")
    if left < 1:
        raise NotAllowed("no-ammo", "the probe launcher has no probes left", "G5.12")
    if ready.purpose != purpose or not ready.armed:
        raise NotAllowed("not-armed", f"no probe is armed as {_article(purpose)}", "G5.2")
    if range > (reach := charts.probes().range):
        raise NotAllowed("out-of-range", f"range {range} is too far: a probe reaches only {reach} hexes", "G5.11")


def _article(purpose: Purpose) -> str:
    """Return the purpose of a probe with its article, for a message: ``a weapon`` or ``an instrument``."""
    return "a weapon" if purpose == Purpose.WEAPON else "an instrument"


def dead_ahead(hex: str, facing: str, target_hex: str, grid: str = EVEN) -> bool:
    """Return whether a hex is in the row of hexes straight ahead of a ship (G5.33, G5.34).

    The result is also true for the ship's own hex.
    """
    if hex == target_hex:
        return True
    at = bearing(hex, target_hex, grid)
    return at.on_row and FACINGS[at.index] == facing


def hits(die: int, effective_range: int) -> bool:
    """Return whether a probe fired as a weapon hits (G5.34).

    The probe hits if the die roll is at least the effective range, and therefore always at range 0.
    """
    return die >= effective_range


def warhead() -> int:
    """Return the points of damage that a probe scores as a weapon if it hits (G5.31)."""
    return charts.probes().warhead


def probe_information() -> int:
    """Return the points of information that one probe gathers (G5.2)."""
    return charts.probes().information


NOT_INTERNAL = ("armor", "excess")


def crippled(boxes: Mapping[str, int], left: Mapping[str, int], weapons: int, weapons_left: int) -> bool:
    """Return whether a ship is crippled: at least half its internal boxes are destroyed (G5.3).

    ``boxes`` are the numbers of boxes of the undamaged ship by system, ``left`` the numbers of boxes left. ``weapons``
    and ``weapons_left`` are the corresponding numbers of weapons. Armor and special function tracks do not count. Our
    interpretation where the rules are silent: excess damage boxes do not count either, because they are printed outside
    the ship's outline.
    """
    whole = sum(count for box, count in boxes.items() if box not in NOT_INTERNAL) + weapons
    now = sum(count for box, count in left.items() if box not in NOT_INTERNAL) + weapons_left
    return whole - now >= ceil(whole * charts.probes().crippled)
