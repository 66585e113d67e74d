"""The page's colours: contrast by WCAG 2.1, and sides that the colour-blind can tell apart."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from pbem.reports.html.page import part_of_page

CSS = part_of_page("report.css")
SCHEMES = ("light", "dark", "print")
SIDES = ("s0", "s1", "s2", "s3")


def colours(scheme: str) -> dict[str, str]:
    """The variables of a scheme; print takes the light ones it does not set."""
    light, dark, printed = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    chosen = light + {"light": "", "dark": dark, "print": printed}[scheme]
    return dict(re.findall(r"--(\w[\w-]*):\s*(#[0-9a-f]+);", chosen))


def linear(colour: str) -> tuple[float, float, float]:
    """Red, green, blue as light, 0 to 1."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    values = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return r, g, b


def contrast(one: str, other: str) -> float:
    """WCAG 2.1 contrast, 1 to 21."""
    lights = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


# How red-blind and green-blind eyes see linear light (Viénot, Brettel and Mollon 1999).
EYES = {
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}


def oklab(light: tuple[float, ...]) -> tuple[float, float, float]:
    """Björn Ottosson's Oklab, in which distances are as they look."""
    r, g, b = (max(0.0, value) for value in light)
    long, middle, short = (
        value ** (1 / 3)
        for value in (
            0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
            0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
            0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
        )
    )
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def apart(one: str, other: str, eyes: str) -> float:
    """How far apart two colours look to these eyes, in Oklab."""
    seen = [
        oklab(tuple(sum(weight * part for weight, part in zip(row, linear(colour), strict=True)) for row in EYES[eyes]))
        for colour in (one, other)
    ]
    return math.dist(*seen)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ground", ["card", "page", "zebra", "space"])
def test_words_can_be_read(scheme: str, ground: str) -> None:
    found = colours(scheme)
    for ink in ("ink", "soft", *SIDES, "bad", "warn", "good", "none"):
        assert contrast(found[ink], found[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_map_can_be_read(scheme: str) -> None:
    found = colours(scheme)
    assert contrast(found["hexno"], found["space"]) >= 4.5
    for shape in (*SIDES, "bad", "none"):
        for ground in ("space", "halo", "planet", "field"):
            assert contrast(found[shape], found[ground]) >= 3, (shape, ground)
    for edge in ("edge", "gone"):
        assert contrast(found[edge], found["card"]) >= 3, edge
    assert contrast(found["accent"], found["accent-soft"]) >= 4.5


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_two_sides_of_a_duel_look_different_to_all_eyes(scheme: str, eyes: str) -> None:
    found = colours(scheme)
    assert apart(found["s0"], found["s1"], eyes) >= 0.15
    for one, other in combinations(SIDES, 2):
        assert apart(found[one], found[other], eyes) >= 0.05, (one, other)


def test_sides_differ_in_more_than_colour() -> None:
    dashes = re.findall(r"\.way\.s\d \{ stroke-dasharray: ([^;]+);", CSS)
    assert len(set(dashes)) == len(SIDES) - 1
