"""Odds in words and figures: the same for command, page and programs, each rounded once, from exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

from pbem.rules.odds import Odds


def tenths(value: Fraction) -> str:
    """A number to one decimal, halves away from zero: ``11.2``."""
    whole = floor(abs(value) * 10 + Fraction(1, 2))
    return f"{'-' if value < 0 and whole else ''}{whole // 10}.{whole % 10}"


def of_hundred(chance: Fraction) -> str:
    """A chance in words: ``21 of 100``; what is not certain is never rounded to certainty."""
    if chance in (0, 1):
        return "100 of 100" if chance else "0 of 100"
    near = floor(chance * 100 + Fraction(1, 2))
    return "fewer than 1 of 100" if not near else "more than 99 of 100" if near == 100 else f"{near} of 100"


def figures(odds: Odds, boxes: int | None = None, general: int = 0, specific: int = 0) -> dict[str, Any]:
    """The odds as plain data: mean, every total that is possible with its chance and that of at least so much, and,
    behind a shield of so many boxes, the chance that it goes down and the same of the internals. Chances are fractions
    rounded to a floating-point number once.
    """
    found: dict[str, Any] = {"mean": float(odds.mean), "expected": tenths(odds.mean), "totals": _totals(odds)}
    if boxes is not None:
        inside = odds.inside(boxes, general, specific)
        found["shield"] = {
            "boxes": boxes,
            "general": general,
            "specific": specific,
            "down": float(odds.breaks(boxes, general, specific)),
            "internals": {"mean": float(inside.mean), "expected": tenths(inside.mean), "totals": _totals(inside)},
        }
    return found


def _totals(odds: Odds) -> list[dict[str, float]]:
    tail = odds.tail
    return [
        {"points": points, "chance": float(odds.chance(points)), "at_least": float(tail[points])}
        for points, ways in enumerate(odds.ways)
        if ways
    ]


BAR = 30
"""Signs of the longest bar."""


def told(odds: Odds, boxes: int | None = None, general: int = 0, specific: int = 0) -> list[str]:
    """The odds as text: a sentence, one of the shield, and a row for each total that is possible, with a bar."""
    lines = [f"expected {tenths(odds.mean)} points, at most {len(odds.ways) - 1}"]
    if boxes is not None:
        inside = odds.inside(boxes, general, specific)
        behind = f" and {general + specific} of reinforcement" if general + specific else ""
        lines.append(
            f"shield of {boxes}{behind}: down in {of_hundred(odds.breaks(boxes, general, specific))}; "
            f"internals in {of_hundred(inside.at_least(1))}, {tenths(inside.mean)} to be expected"
        )
    lines.append("POINTS  EXACTLY  AT LEAST")
    most, tail = max(odds.ways), odds.tail
    for points, ways in enumerate(odds.ways):
        if ways:
            exactly, or_more = tenths(odds.chance(points) * 100), tenths(tail[points] * 100)
            lines.append(f"{points:>6}  {exactly:>6}%  {or_more:>7}%  {'#' * -(-BAR * ways // most)}")
    return lines


def by_range(found: tuple[tuple[int, Odds], ...]) -> list[tuple[int, int, Odds]]:
    """Neighbouring ranges with the same odds as one: (first, last, odds)."""
    bands: list[tuple[int, int, Odds]] = []
    for true, odds in found:
        if bands and bands[-1][1] == true - 1 and bands[-1][2] == odds:
            bands[-1] = (bands[-1][0], true, odds)
        else:
            bands.append((true, true, odds))
    return bands
