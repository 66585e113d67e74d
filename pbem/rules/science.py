"""Laboratories: information about a monster (G4.0).

Probes: instruments, and weapons in an emergency (G5.0).
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
    """Information one lab gathers at its closest approach of the turn, in effective hexes (G4.1)."""
    chart = charts.labs()
    return chart.information[die - 1][range] if range < len(chart.ranges) else 0


def working_labs(boxes: Mapping[str, int]) -> int:
    """The labs of a ship at the end of a turn; without any, one control space counts as one (G4.3).

    ``boxes`` are its undestroyed boxes by system. Security stations do not count.
    """
    if labs := boxes.get("lab", 0):
        return labs
    return int(any(boxes.get(box) for box in charts.labs().substitutes))


def lab_information(
    die: int, range: int, boxes: Mapping[str, int], shuttles: Iterable[int] = (), cloaked: bool = False
) -> int:
    """What a ship learns of a monster in a turn: the chart, times its labs (G4.1).

    ``range`` is the closest approach in effective hexes. Each of its shuttles on the map counts as a lab at its own
    closest range, by the same roll (J2.212). Cloaked ships learn nothing by their labs (G4.4).
    """
    aboard = 0 if cloaked else working_labs(boxes) * each_lab(die, range)
    return aboard + sum(each_lab(die, far) for far in shuttles)


def closest(ranges: Iterable[int]) -> int | None:
    """The closest approach of a turn, ``None`` without any (G4.1)."""
    return min(ranges, default=None)


class Probe(NamedTuple):
    """What a launcher is ready for: ``purpose`` ``""``, ``information`` or ``weapon``; turns of energy it holds."""

    purpose: Purpose = Purpose.NONE
    turns: int = 0

    @property
    def armed(self) -> bool:
        return bool(self.purpose) and self.turns >= len(arming_energy(self.purpose))


EMPTY = Probe()


def arming_energy(purpose: Purpose) -> tuple[int, ...]:
    """Energy of each turn of arming; warp energy for a weapon (G5.2, G5.32). Raises ``ValueError``."""
    chart = charts.probes()
    if purpose == Purpose.INFORMATION:
        return chart.arming_information
    if purpose == Purpose.WEAPON:
        return chart.arming_weapon
    raise ValueError(f"{purpose!r} is no purpose of a probe: {Purpose.INFORMATION} or {Purpose.WEAPON}")


def arm(before: Probe, purpose: Purpose, points: int, *, working: bool = True, left: int, warp: bool = True) -> Probe:
    """The launcher after this turn's entry of the energy form; ``left`` are its probes, ``warp`` where power is from.

    Nothing paid: what it held is lost. An instrument is kept ready by one point in each further turn: the second
    turn of arming becomes the first of a new cycle (G5.2; so it reads together with "can be held"). A weapon cannot
    be held: it starts anew (G5.32). Changing the purpose starts anew too.

    Raises :class:`NotAllowed`: ``weapon-destroyed``, ``no-ammo`` (G5.12), ``probe-arming`` (G5.2, G5.32),
    ``probe-not-warp`` (G5.32).
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
        raise NotAllowed("probe-not-warp", "a probe is armed as a weapon with warp power only", "G5.32")
    return Probe(purpose, done + 1)


def verify_information(*, ready: Probe, left: int, range: int, working: bool = True) -> None:
    """Raises :class:`NotAllowed` unless a probe can be launched to gather information now (G5.11, G5.2).

    ``range`` in hexes. Codes: ``weapon-destroyed``, ``no-ammo``, ``not-armed``, ``out-of-range``.
    """
    _verify_launch(Purpose.INFORMATION, ready, left, range, working)


def verify_weapon(
    *, ready: Probe, left: int, range: int, ahead: bool, crippled: bool, outnumbered: bool, directed: bool,
    working: bool = True,
) -> None:  # fmt: skip
    """Raises :class:`NotAllowed` unless a probe can be fired as a weapon now (G5.3).

    ``ahead`` whether the target is in the row of hexes dead ahead (or in the ship's hex); ``crippled``,
    ``outnumbered`` (two or more enemy ships against this one alone) and ``directed`` (by the scenario) are the three
    conditions, of which one must hold. Codes: those of :func:`verify_information`, ``probe-emergency`` (G5.3),
    ``not-ahead`` (G5.33).
    """
    _verify_launch(Purpose.WEAPON, ready, left, range, working)
    if not (crippled or outnumbered or directed):
        raise NotAllowed(
            "probe-emergency", "the ship is not crippled, not outnumbered, and the scenario does not direct it", "G5.3"
        )
    if not ahead:
        raise NotAllowed("not-ahead", "a probe can be fired only dead ahead", "G5.33")


def _verify_launch(purpose: Purpose, ready: Probe, left: int, range: int, working: bool) -> None:
    if not working:
        raise NotAllowed("weapon-destroyed", "the probe launcher is destroyed", "G5.12")
    if left < 1:
        raise NotAllowed("no-ammo", "the probe launcher has no probes left", "G5.12")
    if ready.purpose != purpose or not ready.armed:
        raise NotAllowed("not-armed", f"no probe is armed as {_article(purpose)}", "G5.2")
    if range > (reach := charts.probes().range):
        raise NotAllowed("out-of-range", f"{range} hexes are beyond the reach of a probe, {reach}", "G5.11")


def _article(purpose: Purpose) -> str:
    return "a weapon" if purpose == Purpose.WEAPON else "an instrument"


def dead_ahead(hex: str, facing: str, target_hex: str, grid: str = EVEN) -> bool:
    """Whether a hex lies in the row straight ahead of a ship, its own hex included (G5.33, G5.34)."""
    if hex == target_hex:
        return True
    at = bearing(hex, target_hex, grid)
    return at.on_row and FACINGS[at.index] == facing


def hits(die: int, effective_range: int) -> bool:
    """Whether a probe fired as a weapon hits: the die is not less than the range, so always at range 0 (G5.34)."""
    return die >= effective_range


def warhead() -> int:
    """Points of a hit (G5.31)."""
    return charts.probes().warhead


def probe_information() -> int:
    """Information one probe gathers (G5.2)."""
    return charts.probes().information


NOT_INTERNAL = ("armor", "excess")


def crippled(boxes: Mapping[str, int], left: Mapping[str, int], weapons: int, weapons_left: int) -> bool:
    """Whether half of a ship's internal boxes are destroyed; armor and tracks do not count (G5.3).

    ``boxes`` and ``left`` are its systems undamaged and now. Reading: excess damage boxes do not count either, for
    they stand outside the ship's outline.
    """
    whole = sum(count for box, count in boxes.items() if box not in NOT_INTERNAL) + weapons
    now = sum(count for box, count in left.items() if box not in NOT_INTERNAL) + weapons_left
    return whole - now >= ceil(whole * charts.probes().crippled)
