"""Letters as strokes, so that a drawn counter or hex number needs no font anywhere.

Each letter is drawn on a grid four wide and six high, as lines from point to point (``drawings.toml``).
"""

from __future__ import annotations

from pbem.vassal_bridge.companion.drawings import drawings, number

WIDTH, HEIGHT, STEP = 4.0, 6.0, 5.6
"""The grid of a letter, and the way from one letter to the next."""


def width(text: str, height: float) -> float:
    """How wide a text is that is *height* high."""
    return max(0.0, (len(text) * STEP - (STEP - WIDTH)) * height / HEIGHT)


def outline(text: str, x: float, y: float, height: float) -> str:
    """The path of a text whose top is at *y* and whose middle is at *x*. A letter that is not drawn here is left
    out.
    """
    unit = height / HEIGHT
    left = x - width(text, height) / 2
    path = []
    for place, letter in enumerate(text.upper()):
        start = left + place * STEP * unit
        for line in drawings().letters.get(letter, "").split("  "):
            points = [f"{number(start + int(at[0]) * unit)} {number(y + int(at[1]) * unit)}" for at in line.split()]
            if points:
                path.append("M" + "L".join(points))
    return "".join(path)


def lettering(text: str, x: float, y: float, height: float, colour: str, thick: float = 1.0) -> str:
    """The text as an SVG element."""
    return (
        f'<path d="{outline(text, x, y, height)}" fill="none" stroke="{colour}" stroke-width="{number(thick)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )
