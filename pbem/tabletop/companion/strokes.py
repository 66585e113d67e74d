"""Letters as strokes, so that a drawn counter or hex number needs no font anywhere.

Each letter is drawn on a grid four wide and six high, as lines from point to point: ``04`` is the point at x 0, y 4;
a blank lifts the pen.
"""

from __future__ import annotations

WIDTH, HEIGHT, STEP = 4.0, 6.0, 5.6
"""The grid of a letter, and the way from one letter to the next."""

LETTERS = {
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "11 20 26  16 36",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 23  33 44 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 02 32 43 45 36 06",
    "6": "40 10 01 05 16 36 45 44 33 03",
    "7": "00 40 41 16",
    "8": "10 30 41 42 33 13 02 01 10  13 04 05 16 36 45 44 33",
    "9": "43 13 02 01 10 30 41 45 36 06",
    "A": "06 02 20 42 46  04 44",
    "B": "00 30 41 42 33 03  33 44 45 36 06 00",
    "C": "41 30 10 01 05 16 36 45",
    "D": "00 20 42 44 26 06 00",
    "E": "40 00 06 46  03 33",
    "F": "40 00 06  03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06  40 46  03 43",
    "I": "10 30  20 26  16 36",
    "J": "40 45 36 16 05",
    "K": "00 06  40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10  24 46",
    "R": "06 00 30 41 42 33 03  23 46",
    "S": "41 30 10 01 02 44 45 36 16 05",
    "T": "00 40  20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46  40 06",
    "Y": "00 23 40  23 26",
    "Z": "00 40 06 46",
    "-": "03 43",
    "/": "40 06",
    ".": "15 35 36 16 15",
    " ": "",
}


def width(text: str, height: float) -> float:
    """How wide a text is that is *height* high."""
    return max(0.0, (len(text) * STEP - (STEP - WIDTH)) * height / HEIGHT)


def number(value: float) -> str:
    """A coordinate as SVG writes it, with at most two places."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def outline(text: str, x: float, y: float, height: float) -> str:
    """The path of a text whose top is at *y* and whose middle is at *x*. A letter that is not drawn here is left
    out.
    """
    unit = height / HEIGHT
    left = x - width(text, height) / 2
    path = []
    for place, letter in enumerate(text.upper()):
        start = left + place * STEP * unit
        for line in LETTERS.get(letter, "").split("  "):
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
