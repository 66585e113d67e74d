"""Direct fire: the effect of a shot, the conditions for firing (E1.0), and the odds of a volley.

The effects of phasers (E2.4), disruptors (E3.0) and photon torpedoes (E4.1) are read from their charts (E1.3). The odds
are computed exactly, not by random samples. The engine's own function for one shot is called for each face of the die,
and the shots of a volley are combined by convolution. All chances are exact fractions that add up to 1. The arming of
weapons is in :mod:`pbem.rules.weapons`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from pbem.data import charts
from pbem.data.chart_types import DamageTable, HitTable, Ranged
from pbem.data.files import Sourced, own_figures
from pbem.data.terms import WeaponState
from pbem.errors import NotAllowed
from pbem.rules import science
from pbem.rules.movement import impulse_of, quarter, turn_of
from pbem.rules.shields import absorb
from pbem.rules.weapons import family, shot_cost, shots as weapon_shots
from pbem.util import several

DIRECT = ("phaser", "torpedo")
"""Families of weapons that are fired in the Fire Direct-Fire Weapons step of an impulse (E1.0)."""


class ShotResult(NamedTuple):
    """The result of a shot: whether it hit, and the points of damage it scored.

    A phaser that scores no points did not hit.
    """

    hit: bool
    points: int


def is_phaser(kind: str) -> bool:
    """Return whether this kind of weapon takes its energy from the phaser capacitor (H6.0)."""
    return charts.weapon_kinds()[kind].family == "phaser"


def is_heavy(kind: str) -> bool:
    """Return whether this kind of weapon is a heavy weapon.

    Examples of heavy weapons are photon torpedoes, disruptors, plasma torpedoes and fusion beams. Phasers and drone
    racks are not heavy weapons.
    """
    return charts.weapon_kinds()[kind].heavy


def is_direct_fire(kind: str) -> bool:
    """Return whether this kind of weapon is fired in the Fire Direct-Fire Weapons step (E1.0)."""
    return charts.weapon_kinds()[kind].family in DIRECT


def max_range(kind: str, limit: int | None = None) -> int:
    """Return the longest true range of a weapon in hexes (E3.32).

    The weapon's chart and the ship may limit the range. ``limit`` is the ship's limit; ``None`` if it has none.
    """
    return _farthest(charts.chart(charts.weapon_kinds()[kind].chart), limit)


def _farthest(chart: Sourced, limit: int | None) -> int:
    """Return the longest range in hexes on a chart, or the ship's ``limit`` if that is shorter."""
    reach = _reach(chart)
    return reach if limit is None else min(reach, limit)


def _reach(chart: Sourced) -> int:
    """Return the longest range in hexes on a chart; 0 if the chart has no ranges."""
    return chart.max_range if isinstance(chart, HitTable) else chart.reach if isinstance(chart, Ranged) else 0


def min_range(kind: str) -> int:
    """Return the shortest true range in hexes at which a weapon may fire (E3.32, E4.14)."""
    return _nearest(charts.chart(charts.weapon_kinds()[kind].chart))


def _nearest(chart: Sourced) -> int:
    """Return the shortest range in hexes on a chart; 0 if the chart sets no minimum."""
    return chart.min_range if isinstance(chart, HitTable | DamageTable) else 0


def verify_range(kind: str, range_: int, limit: int | None = None, name: str = "") -> None:
    """Check that a target is neither too close nor too far away for a weapon.

    ``range_`` is the range in hexes, ``limit`` the ship's own maximum range for the weapon, if any. ``name`` is the
    name of the weapon, for messages.

    Raises:
        NotAllowed: The target is at a forbidden range (fault code ``too-close`` or ``out-of-range``).
    """
    weapon, who = charts.weapon_kinds()[kind], f"{name}: " if name else ""
    chart = charts.chart(weapon.chart)
    nearest, farthest = _nearest(chart), _farthest(chart, limit)
    if range_ < nearest:
        text = f"{who}range {range_} is less than the minimum of {nearest}"
        raise NotAllowed("too-close", text, weapon.range_rule)
    if range_ > farthest:
        text = f"{who}range {range_} is more than the maximum of {farthest}"
        raise NotAllowed("out-of-range", text, weapon.range_rule)


def drone_modifier(kind: str) -> int:
    """Return the number added to the die roll when this type of weapon fires at a drone (FD1.51, FD1.52)."""
    key = charts.weapon_kinds()[kind].chart
    chart = charts.chart(key) if key else None
    return chart.drone_modifier if isinstance(chart, HitTable | DamageTable) else 0


def direct_fire(
    kind: str, range_: int, effective: int, die: int, modifier: int = 0, limit: int | None = None
) -> ShotResult:
    """Return the result of one shot, given its ranges, its die roll (1 to 6) and its die modifier.

    ``range_`` is the true range, i.e. the distance in hexes; ``effective`` is the effective range, which includes the
    additions of D1.4. The effective range decides whether the shot hits (E3.3, E4.12); the true range decides how many
    points a hit scores (E3.31, E4.13). Phasers use the effective range only. A modified roll beyond the chart misses.
    An effective range beyond the maximum of the weapon or beyond the ship's ``limit`` misses too, since the chart has
    no column for it (D6.123, E3.32).

    Raises:
        ValueError: The weapon is not a direct-fire weapon.
    """
    weapon = charts.weapon_kinds()[kind]
    if weapon.family not in DIRECT:
        raise ValueError(f"{kind} is not a direct-fire weapon (E1.0)")
    chart = charts.chart(weapon.chart)
    rolled = max(1, die + modifier)
    if limit is not None and effective > limit:
        return ShotResult(False, 0)
    if isinstance(chart, HitTable):
        here, there = chart.column(effective), chart.column(range_)
        hit = here is not None and effective <= chart.max_range and rolled <= chart.hit[here]
        return ShotResult(hit, chart.damage[there] if hit and there is not None else 0)
    assert isinstance(chart, DamageTable)
    column = chart.column(effective)
    points = 0 if column is None or rolled > len(chart.damage) else chart.damage[rolled - 1][column]
    return ShotResult(points > 0, points)


def shots_fired(fired: int | None, shots: int, moment: int, impulses: int) -> int:
    """Return how often a weapon has already fired in the turn of ``moment`` (E2.23).

    ``fired`` is the time of the weapon's last shot (``None`` for never), and ``shots`` the number of shots in the turn
    of its last shot. Times are in impulses from the start of the game.
    """
    return shots if fired is not None and turn_of(fired, impulses) == turn_of(moment, impulses) else 0


def verify_rate(
    name: str, fired: int | None, moment: int, impulses: int, rule: str = "E1.5", shots: int = 1, most: int = 1
) -> None:
    """Check that a weapon does not fire too often in a turn or too soon (E1.5, FD1.1).

    ``fired`` is the time of the last shot and ``moment`` the time of the new shot, in impulses from the start of the
    game. In the turn of the last shot the weapon fired ``shots`` times; ``most`` is the limit per turn. Our
    interpretation where the rules are silent: the phaser-G may fire more than once a turn, but must wait a quarter turn
    between its last shot in one turn and its first shot in the next turn.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``already-fired`` or ``quarter-turn``.
    """
    if fired is None:
        return
    when = impulse_of(fired, impulses)
    if turn_of(fired, impulses) == turn_of(moment, impulses):
        if shots < most:
            return
        often = f"{shots} times, last" if most > 1 else ""
        where = " ".join(filter(None, (often, f"in impulse {when} of this turn")))
        raise NotAllowed("already-fired", f"{name} was used {where}", rule)
    wait = quarter(impulses)
    if moment - fired < wait:
        raise NotAllowed(
            "quarter-turn",
            f"{name} was used in impulse {when} of last turn, {several(moment - fired, 'impulse')} ago; "
            f"{wait} must pass first",
            rule,
        )


def verify_rested(
    *, kind: str, name: str, working: bool, fired: int | None, moment: int, impulses: int, shots: int = 1
) -> None:
    """Check that a weapon works, is a direct-fire weapon and has waited long enough since its last shot.

    These conditions of :func:`verify_fire` do not depend on the target or on energy. :func:`verify_fire` explains the
    arguments.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``not-direct-fire``,
            ``already-fired`` or ``quarter-turn``.
    """
    if not working:
        raise NotAllowed("weapon-destroyed", f"{name} is destroyed", "E1.2")
    if not is_direct_fire(kind):
        raise NotAllowed("not-direct-fire", f"{name} is not a direct-fire weapon", "E1.0")
    verify_rate(name, fired, moment, impulses, shots=shots, most=weapon_shots(kind))


def verify_fire(  # noqa: PLR0913 - each is a plain fact
    *,
    kind: str,
    name: str,
    working: bool,
    charge: WeaponState,
    fired: int | None,
    moment: int,
    impulses: int,
    range: int,
    max_range: int | None,
    in_arc: bool,
    energy: float,
    shots: int = 1,
) -> None:
    """Check that a weapon may fire at its target now.

    Args:
        kind: The kind of weapon.
        name: The name of the weapon, for messages.
        working: Whether the weapon is not destroyed.
        charge: How ready the weapon is (:class:`~pbem.data.terms.WeaponState`).
        fired: The time of the weapon's last shot, in impulses from the start of the game; ``None`` for never.
        moment: The present time, in impulses from the start of the game.
        impulses: The number of impulses in a turn.
        range: The true range in hexes.
        max_range: The ship's own range limit for this weapon, if any.
        in_arc: Whether the target is in the weapon's firing arc.
        energy: The energy points left for phasers.
        shots: The number of shots in the turn of the weapon's last shot; it matters only for the phaser-G.

    Raises:
        NotAllowed: A requirement is not met. The fault code belongs to the first unmet requirement:
            ``weapon-destroyed`` (E1.2), ``not-direct-fire`` (E1.0), ``already-fired``, ``quarter-turn`` (E1.5),
            ``out-of-arc`` (D2.0), ``too-close``, ``out-of-range`` (E3.32, E4.14), ``not-armed`` (E3.2, E4.21, H6.1).
    """
    verify_rested(
        kind=kind, name=name, working=working, fired=fired, moment=moment, impulses=impulses, shots=shots
    )  # fmt: skip
    verify_aimed(
        kind=kind, name=name, charge=charge, shots=shots_fired(fired, shots, moment, impulses), range=range,
        max_range=max_range, in_arc=in_arc, energy=energy,
    )  # fmt: skip


def verify_aimed(
    *, kind: str, name: str, charge: WeaponState, shots: int, range: int, max_range: int | None, in_arc: bool,
    energy: float,
) -> None:  # fmt: skip
    """Check that the target is in arc and in range, and that the weapon has the energy to fire.

    The function checks the conditions of :func:`verify_fire` that :func:`verify_rested` does not check.
    :func:`verify_fire` explains the arguments, except that ``shots`` is here the number of shots already fired in this
    turn.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``out-of-arc``, ``too-close``, ``out-of-range``
            or ``not-armed``.
    """
    if not in_arc:
        raise NotAllowed("out-of-arc", f"the target is not in the firing arc of {name}", "D2.0")
    verify_range(kind, range, max_range, name)
    if is_phaser(kind):
        cost = shot_cost(kind, shots)
        if energy < cost:
            raise NotAllowed("not-armed", f"{name} needs {cost:g} of phaser energy; only {energy:g} is left", "H6.1")
    family(kind).verify_ready(name, charge)


FACES = range(1, 7)
"""The faces of the die of a shot (E1.1)."""


class AimedShot(NamedTuple):
    """The facts that, together with the die roll, determine the effect of one shot.

    Attributes:
        kind: The kind of weapon.
        range: The true range in hexes.
        effective: The effective range in hexes (D1.4).
        modifier: The number added to the die roll.
        limit: The longest range of this weapon in hexes, if its ship sets one (E3.32).
    """

    kind: str
    range: int
    effective: int
    modifier: int = 0
    limit: int | None = None


def scores(kind: str) -> bool:
    """Return whether a single die roll decides the damage of this type of weapon.

    The result is false for weapons that launch torpedoes or drones.
    """
    found = charts.weapon_kinds().get(kind)
    return found is not None and (found.family in DIRECT or found.family == "probe")


def shot(aim: AimedShot, die: int) -> ShotResult:
    """Return the result of a shot with a given die roll (E1.3, G5.34).

    Raises:
        ValueError: The damage of the weapon is not decided by a single die roll.
    """
    if charts.weapon_kinds()[aim.kind].family == "probe":
        hit = science.hits(die + aim.modifier, aim.effective)
        return ShotResult(hit, science.warhead() if hit else 0)
    return direct_fire(aim.kind, aim.range, aim.effective, die, aim.modifier, aim.limit)


def faces(aim: AimedShot) -> tuple[ShotResult, ...]:
    """Return a tuple of six results of a shot, one for each face of the die from 1 to 6."""
    return _faces(aim, own_figures().token)


@lru_cache(maxsize=4096)
def _faces(aim: AimedShot, token: str) -> tuple[ShotResult, ...]:
    """Compute the result of :func:`faces`; results are cached.

    ``token`` is only a part of the cache key. It identifies the custom figures (charts) in use.
    """
    return tuple(shot(aim, die) for die in FACES)


def expected(aims: Iterable[AimedShot]) -> Fraction:
    """Return the average damage points of a volley, i.e. the sum of the averages of its shots."""
    return Fraction(sum(each.points for aim in aims for each in faces(aim)), len(FACES))


class Odds(NamedTuple):
    """The exact odds of the damage that a volley scores.

    ``all`` is the number of equally likely results of the dice; ``ways[n]`` of them score n points.
    """

    ways: tuple[int, ...]
    all: int

    @property
    def mean(self) -> Fraction:
        """The average number of points that the volley scores."""
        return Fraction(sum(points * ways for points, ways in enumerate(self.ways)), self.all)

    def chance(self, points: int) -> Fraction:
        """Return the chance of scoring exactly this many points."""
        return Fraction(self.ways[points], self.all) if 0 <= points < len(self.ways) else Fraction(0)

    def at_least(self, points: int) -> Fraction:
        """Return the chance of scoring this many points or more."""
        return Fraction(sum(self.ways[max(0, points) :]), self.all)

    def breaks(self, boxes: int, general: int = 0, specific: int = 0) -> Fraction:
        """Return the chance that the volley destroys all boxes of a shield (D3.21, D3.34).

        ``boxes`` is the number of boxes left on the shield; if it is 0, the chance is 1. ``general`` and ``specific``
        are points of reinforcement.
        """
        down = (n for n, points in enumerate(self.ways) if absorb(n, general, specific, boxes).boxes >= boxes)
        return Fraction(sum(self.ways[n] for n in down), self.all)

    def inside(self, boxes: int, general: int = 0, specific: int = 0) -> Odds:
        """Return the odds of the internal damage that a volley scores (D3.3411, D4.2).

        Internal damage is the points left after reinforcement and shield have stopped their share. ``boxes`` is the
        number of boxes left on the shield. ``general`` and ``specific`` are points of reinforcement.
        """
        found: Counter[int] = Counter()
        for points, ways in enumerate(self.ways):
            found[absorb(points, general, specific, boxes).internals] += ways
        return Odds(tuple(found[points] for points in range(max(found) + 1)), self.all)

    @property
    def tail(self) -> tuple[Fraction, ...]:
        """A tuple of chances in which item n is the chance of scoring n points or more."""
        return tuple(Fraction(ways, self.all) for ways in accumulate(reversed(self.ways)))[::-1]


def volley(aims: Iterable[AimedShot], certain: int = 0) -> Odds:
    """Return the odds of a volley's damage.

    Each of ``aims`` is a shot with one die. ``certain`` is the number of points scored without a die roll, e.g. by a
    warhead that hits.

    For speed, the numbers of dice results that score 0, 1, 2 … points are stored as the digits of one large integer.
    Multiplying two such integers combines two shots. Each digit is wide enough for the total number of results, so that
    no digit overflows.
    """
    return _volley(frozenset(Counter(aims).items()), certain, own_figures().token)


@lru_cache(maxsize=1024)
def _volley(found: frozenset[tuple[AimedShot, int]], certain: int, token: str) -> Odds:
    """Compute the result of :func:`volley`; results are cached.

    The cache helps because the reports for all sides need the same volleys. ``found`` are pairs of a shot and the
    number of times that it is fired. ``token`` is only a part of the cache key.
    """
    dice = sum(times for _, times in found)
    everything = len(FACES) ** dice
    width = (everything.bit_length() + 7) // 8
    product, most = 1, certain
    for aim, times in found:
        points = [each.points for each in faces(aim)]
        product *= sum(1 << (8 * width * each) for each in points) ** times
        most += max(points) * times
    digits = (product << (8 * width * certain)).to_bytes(width * (most + 1), "little")
    ways = tuple(int.from_bytes(digits[at : at + width], "little") for at in range(0, len(digits), width))
    return Odds(ways, everything)
