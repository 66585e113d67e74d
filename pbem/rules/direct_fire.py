"""What one shot of a direct-fire weapon does, whatever the weapon: a phaser (E2.4), a disruptor (E3.0), a photon
torpedo (E4.1), by its chart (E1.3).

When a direct-fire weapon may fire (E1.0).

Exact odds: what a volley of direct fire may score, and how likely each total is (E1.0).

Nothing is sampled and no chart is read here: the law by which the engine scores a die (:func:`shot`) is asked for each
face, and the weapons of a volley are put together by convolution. All chances are fractions; those of one volley add
up to exactly 1.
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

DIRECT = ("phaser", "torpedo")
"""Families of weapons that are fired in the Fire Direct-Fire Weapons step (E1.0)."""


class Shot(NamedTuple):
    """Whether it hit (a phaser that scores no points did not), and the points scored."""

    hit: bool
    points: int


def is_phaser(kind: str) -> bool:
    """Whether the weapon draws on the phaser capacitor (H6.0)."""
    return charts.weapon_kinds()[kind].family == "phaser"


def is_heavy(kind: str) -> bool:
    """Whether it is a heavy weapon: photon, disruptor, plasma, fusion …, not a phaser or a drone rack."""
    return charts.weapon_kinds()[kind].heavy


def is_direct_fire(kind: str) -> bool:
    """Whether it is fired in the Fire Direct-Fire Weapons step (E1.0)."""
    return charts.weapon_kinds()[kind].family in DIRECT


def max_range(kind: str, limit: int | None = None) -> int:
    """The longest true range in hexes, by its chart and the limit of the ship's own weapon if there is one (E3.32)."""
    return _farthest(charts.chart(charts.weapon_kinds()[kind].chart), limit)


def _farthest(chart: Sourced, limit: int | None) -> int:
    reach = _reach(chart)
    return reach if limit is None else min(reach, limit)


def _reach(chart: Sourced) -> int:
    return chart.max_range if isinstance(chart, HitTable) else chart.reach if isinstance(chart, Ranged) else 0


def min_range(kind: str) -> int:
    """The shortest true range in hexes at which it may fire (E3.32, E4.14)."""
    return _nearest(charts.chart(charts.weapon_kinds()[kind].chart))


def _nearest(chart: Sourced) -> int:
    return chart.min_range if isinstance(chart, HitTable | DamageTable) else 0


def verify_range(kind: str, range_: int, limit: int | None = None, name: str = "") -> None:
    """Raises :class:`NotAllowed` ``too-close`` or ``out-of-range``; ``limit`` is the ship's own maximum, if any."""
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
    """What is added to the die when this kind of weapon fires at a drone (FD1.51, FD1.52)."""
    key = charts.weapon_kinds()[kind].chart
    chart = charts.chart(key) if key else None
    return chart.drone_modifier if isinstance(chart, HitTable | DamageTable) else 0


def direct_fire(kind: str, range_: int, effective: int, die: int, modifier: int = 0, limit: int | None = None) -> Shot:
    """The result of a shot: true range, effective range (D1.4), die (1 to 6), and what is added to it.

    Hits are read at the effective range (E3.3, E4.12), the points of a hit at the true one (E3.31, E4.13); phasers
    score by effective range alone. A modified die beyond the chart is a miss, and so is an effective range beyond the
    weapon's maximum or the ship's own ``limit``: no column of the chart is that weapon's there (D6.123, E3.32). Raises
    ``ValueError`` for weapons that are no direct-fire weapons.
    """
    weapon = charts.weapon_kinds()[kind]
    if weapon.family not in DIRECT:
        raise ValueError(f"{kind} is no direct-fire weapon (E1.0)")
    chart = charts.chart(weapon.chart)
    rolled = max(1, die + modifier)
    if limit is not None and effective > limit:
        return Shot(False, 0)
    if isinstance(chart, HitTable):
        here, there = chart.column(effective), chart.column(range_)
        hit = here is not None and effective <= chart.max_range and rolled <= chart.hit[here]
        return Shot(hit, chart.damage[there] if hit and there is not None else 0)
    assert isinstance(chart, DamageTable)
    column = chart.column(effective)
    points = 0 if column is None or rolled > len(chart.damage) else chart.damage[rolled - 1][column]
    return Shot(points > 0, points)


def shots_fired(fired: int | None, shots: int, moment: int, impulses: int) -> int:
    """How often a weapon has fired in the turn of ``moment``: ``shots``, if its last shot was in this turn (E2.23)."""
    return shots if fired is not None and turn_of(fired, impulses) == turn_of(moment, impulses) else 0


def verify_rate(
    name: str, fired: int | None, moment: int, impulses: int, rule: str = "E1.5", shots: int = 1, most: int = 1
) -> None:
    """Once a turn, and not within a quarter turn of the last shot (E1.5, FD1.1).

    Both moments of the whole game. ``shots`` of a turn's ``most`` were fired in the turn of the last one. Reading: the
    phaser-G is an exception to the first limit only; between two turns it too waits a quarter turn.

    Raises :class:`NotAllowed` ``already-fired`` or ``quarter-turn``.
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
            f"{name} was used in impulse {when} of last turn, {moment - fired} before this; {wait} impulses must pass",
            rule,
        )


def verify_rested(
    *, kind: str, name: str, working: bool, fired: int | None, moment: int, impulses: int, shots: int = 1
) -> None:
    """The first requirements of :func:`verify_fire`, which hang on nothing but the weapon itself: one that works and
    has rested since its last shot.
    """
    if not working:
        raise NotAllowed("weapon-destroyed", f"{name} is destroyed", "E1.2")
    if not is_direct_fire(kind):
        raise NotAllowed("not-direct-fire", f"{name} is no direct-fire weapon", "E1.0")
    verify_rate(name, fired, moment, impulses, shots=shots, most=weapon_shots(kind))


def verify_fire(
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
    """Raises :class:`NotAllowed` unless this weapon may fire now. The code says which requirement fails first.

    ``charge`` and ``fired`` are the weapon's (``fired`` the moment of its last shot, ``shots`` how many it fired in
    that shot's turn, which matters for the phaser-G); ``moment`` is now;
    ``range`` the true range and ``max_range`` the ship's own limit for this weapon; ``energy`` the phaser
    energy at hand. Codes: ``weapon-destroyed`` (E1.2), ``not-direct-fire`` (E1.0), ``already-fired``,
    ``quarter-turn`` (E1.5), ``out-of-arc`` (D2.0), ``too-close``, ``out-of-range`` (E3.32, E4.14),
    ``not-armed`` (E3.2, E4.21, H6.1).
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
    """The other requirements of :func:`verify_fire`, of a weapon that has rested: arc, range and energy. ``shots`` are
    those it has fired in this turn.
    """
    if not in_arc:
        raise NotAllowed("out-of-arc", f"the target is not in the firing arc of {name}", "D2.0")
    verify_range(kind, range, max_range, name)
    if is_phaser(kind):
        cost = shot_cost(kind, shots)
        if energy < cost:
            raise NotAllowed("not-armed", f"{name} needs {cost:g} of phaser energy, {energy:g} is left", "H6.1")
    family(kind).verify_ready(name, charge)


FACES = range(1, 7)
"""What the die of a shot may show (E1.1)."""


class Aim(NamedTuple):
    """All that the effect of one shot hangs on beside its die: the kind of weapon, true and effective range (D1.4),
    what is added to the die, and the longest range of this very weapon where its ship sets one (E3.32).
    """

    kind: str
    range: int
    effective: int
    modifier: int = 0
    limit: int | None = None


def scores(kind: str) -> bool:
    """Whether one die of a kind of weapon says what it scores: not of those whose torpedo or drone flies by itself."""
    found = charts.weapon_kinds().get(kind)
    return found is not None and (found.family in DIRECT or found.family == "probe")


def shot(aim: Aim, die: int) -> Shot:
    """The effect of a shot (E1.3, G5.34): the law of all weapons that take one die, ``ValueError`` for others."""
    if charts.weapon_kinds()[aim.kind].family == "probe":
        hit = science.hits(die + aim.modifier, aim.effective)
        return Shot(hit, science.warhead() if hit else 0)
    return direct_fire(aim.kind, aim.range, aim.effective, die, aim.modifier, aim.limit)


def faces(aim: Aim) -> tuple[Shot, ...]:
    """What each face of the die makes of a shot, of 1 first."""
    return _faces(aim, own_figures().token)


@lru_cache(maxsize=4096)
def _faces(aim: Aim, token: str) -> tuple[Shot, ...]:
    """``token`` tells charts with figures of one's own from those that are shipped."""
    return tuple(shot(aim, die) for die in FACES)


def expected(aims: Iterable[Aim]) -> Fraction:
    """The mean of a volley alone, in points: that of all its shots, one by one."""
    return Fraction(sum(each.points for aim in aims for each in faces(aim)), len(FACES))


class Odds(NamedTuple):
    """How likely each total of a volley is: ``ways[n]`` of ``all`` equally likely throws score n points."""

    ways: tuple[int, ...]
    all: int

    @property
    def mean(self) -> Fraction:
        """What is to be expected, in points."""
        return Fraction(sum(points * ways for points, ways in enumerate(self.ways)), self.all)

    def chance(self, points: int) -> Fraction:
        """Of scoring exactly so many points."""
        return Fraction(self.ways[points], self.all) if 0 <= points < len(self.ways) else Fraction(0)

    def at_least(self, points: int) -> Fraction:
        """Of scoring so many points or more."""
        return Fraction(sum(self.ways[max(0, points) :]), self.all)

    def breaks(self, boxes: int, general: int = 0, specific: int = 0) -> Fraction:
        """Of leaving no box of a shield that has so many, behind so much reinforcement (D3.21, D3.34). One that is down
        is down: 1.
        """
        down = (n for n, points in enumerate(self.ways) if absorb(n, general, specific, boxes).boxes >= boxes)
        return Fraction(sum(self.ways[n] for n in down), self.all)

    def inside(self, boxes: int, general: int = 0, specific: int = 0) -> Odds:
        """The odds of the internals behind a shield of so many boxes and so much reinforcement (D3.3411, D4.2)."""
        found: Counter[int] = Counter()
        for points, ways in enumerate(self.ways):
            found[absorb(points, general, specific, boxes).internals] += ways
        return Odds(tuple(found[points] for points in range(max(found) + 1)), self.all)

    @property
    def tail(self) -> tuple[Fraction, ...]:
        """The chance of at least 0, 1, 2 … points."""
        return tuple(Fraction(ways, self.all) for ways in accumulate(reversed(self.ways)))[::-1]


def volley(aims: Iterable[Aim], certain: int = 0) -> Odds:
    """The odds of a volley: shots with a die each, and ``certain`` points that need none (a warhead that strikes).

    The generating function of each shot is written into one whole number, a digit a point; multiplying those numbers is
    the convolution. A digit has room for all throws of the volley, so that none runs into the next.
    """
    return _volley(frozenset(Counter(aims).items()), certain, own_figures().token)


@lru_cache(maxsize=1024)
def _volley(found: frozenset[tuple[Aim, int]], certain: int, token: str) -> Odds:
    """``found`` is how often each shot is made; pages of all sides ask for the same volleys."""
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
