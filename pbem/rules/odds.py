"""Exact odds: what a volley of direct fire may score, and how likely each total is (E1.0).

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
from pbem.data.files import own_figures
from pbem.rules import probes
from pbem.rules.direct_fire import DIRECT, Shot, direct_fire
from pbem.rules.shields import absorb

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
        hit = probes.hits(die + aim.modifier, aim.effective)
        return Shot(hit, probes.warhead() if hit else 0)
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
