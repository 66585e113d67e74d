"""The drawings of the companion module's counters, and the VASSAL traits that they share.

Counters are round plates in the color of a race, with a nose that shows the facing. All counters are drawn with
facing A.

Every id that a drawing refers to (``url(#…)``) must have three letters or more. VASSAL's SVG library mistakes shorter
ids for the address of another file, and then does not fill the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pbem.vassal_bridge.companion.drawings import Paint, drawings, drawn, fmt, hull_for, lettering, paint_for
from vassal.pieces.trait import Trait
from vassal.text import sequence

SHIP, SMALL, TERRAIN, BADGE = 52, 34, 62, 13
"""Side lengths of square pictures in pixels.

In order: ships and monsters; seeking weapons, shuttles and markers; terrain that fills a hex; the mark for a
counter that has moved.
"""

SPEEDS = 32
"""The number of speeds, 0 to 31 (C1.42)."""

NIGHT = "#0d1424"


@dataclass(frozen=True)
class SvgPicture:
    """An SVG drawing and its size in pixels; ``sheet`` is true if the drawing fills its whole rectangle."""

    svg: str
    width: int
    height: int
    sheet: bool = False


def framed(size_x: int, size_y: int, inside: str, defs: str = "") -> SvgPicture:
    """Return a picture made from SVG text in which (0, 0) is the middle of the picture.

    ``size_x`` and ``size_y`` are its width and height in pixels, ``inside`` the SVG text, and ``defs`` the SVG
    definitions that it uses.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size_x}" height="{size_y}"'
        f' viewBox="{fmt(-size_x / 2)} {fmt(-size_y / 2)} {size_x} {size_y}">'
    )
    return SvgPicture(head + (f"<defs>{defs}</defs>" if defs else "") + inside + "</svg>", size_x, size_y)


def _plate(size: int, paint: Paint, *, dashed: bool = False) -> str:
    """Return a round plate as SVG, with a nose that points in the direction of facing A."""
    radius = size / 2 - 3.2
    angle = math.radians(24)
    x, y = radius * math.sin(angle), -radius * math.cos(angle)
    nose = -size / 2 + 0.8
    way = f"M{fmt(-x)} {fmt(y)}L0 {fmt(nose)}L{fmt(x)} {fmt(y)}"
    way += f"A{fmt(radius)} {fmt(radius)} 0 1 1 {fmt(-x)} {fmt(y)}Z"
    dashes = ' stroke-dasharray="3.4 1.6"' if dashed else ""
    return (
        f'<path d="{way}" fill="{NIGHT}" fill-opacity="0.88" stroke="#000" stroke-width="3" stroke-opacity="0.55"'
        ' stroke-linejoin="round"/>'
        f'<path d="{way}" fill="none" stroke="{paint.plate}" stroke-width="1.5" stroke-linejoin="round"{dashes}/>'
    )


def ship(race: str, class_name: str, *, cadet: bool = False) -> SvgPicture:
    """Return the picture of a ship class. The rim of ``cadet`` ships is a dashed line."""
    paint = paint_for(race)
    text = {"FREIGHTER": "FRT", "F-S": "F-S"}.get(class_name, class_name[:4])
    inside = _plate(SHIP, paint, dashed=cadet)
    inside += f'<g transform="translate(0 -2.2)">{drawn(hull_for(race, class_name), paint)}</g>'
    inside += lettering(text, 0, 14.6, 5.2, NIGHT, 3) + lettering(text, 0, 14.6, 5.2, "#ffffff", 1.1)
    return framed(SHIP, SHIP, inside)


DOT, TIP = 15, 9
"""Side lengths in pixels of two small pictures.

They are a counter at a quarter of its size, and the facing mark beside a counter shown as text.
"""


def dot(race: str) -> SvgPicture:
    """Return the small picture for counters of a race.

    It is a plate in the colour of the race that still shows the facing.
    """
    paint = paint_for(race)
    way = "M-3.1 -3.4L0 -7.1L3.1 -3.4A4.9 4.9 0 1 1 -3.1 -3.4Z"
    inside = f'<path d="{way}" fill="{paint.plate}" stroke="{NIGHT}" stroke-width="0.8" stroke-linejoin="round"/>'
    return framed(DOT, DOT, inside)


def tip(race: str) -> SvgPicture:
    """Return the picture of the mark that shows the facing of a counter that VASSAL shows as text only."""
    way = "M0 -4.2L3.2 3.8L0 2L-3.2 3.8Z"
    inside = f'<path d="{way}" fill="{paint_for(race).plate}" stroke="{NIGHT}" stroke-width="0.6"/>'
    return framed(TIP, TIP, inside)


def _marked(mark: str, colour: str) -> str:
    return lettering(mark, 0, -7, 14, NIGHT, 4) + lettering(mark, 0, -7, 14, colour, 2)


def mask() -> SvgPicture:
    """Return the picture of a face-down counter for other players: its facing and a question mark."""
    return framed(SMALL, SMALL, _plate(SMALL, paint_for("plain")) + _marked("?", paint_for("plain").plate))


def guess() -> SvgPicture:
    """Return the picture of the marker for a hex in which a player suspects a cloaked ship."""
    colour = paint_for("romulan").plate
    ring = f'<circle r="14" fill="{NIGHT}" fill-opacity="0.7" stroke="{colour}" stroke-width="1.5"'
    return framed(SMALL, SMALL, f'{ring} stroke-dasharray="4 2.4"/>' + _marked("?", colour))


def mine() -> SvgPicture:
    """Return the picture of a mine: a ball with horns."""
    ways = [(math.cos(math.pi * place / 4), math.sin(math.pi * place / 4)) for place in range(8)]
    horns = "".join(f"M{fmt(7 * x)} {fmt(7 * y)}L{fmt(12.5 * x)} {fmt(12.5 * y)}" for x, y in ways)
    ball = f'<circle r="8" fill="#3b4456" stroke="{NIGHT}"/><circle cx="-2.4" cy="-2.6" r="2" fill="#aeb9cc"/>'
    return framed(SMALL, SMALL, f'<path d="{horns}" stroke="#aeb9cc" stroke-width="2.4" stroke-linecap="round"/>{ball}')


def drone(race: str) -> SvgPicture:
    """Return the picture of a race's drone."""
    return framed(SMALL, SMALL, _plate(SMALL, paint_for(race)) + drawn("drone", paint_for(race)))


def shuttle(race: str) -> SvgPicture:
    """Return the picture of a race's administrative shuttle."""
    return framed(SMALL, SMALL, _plate(SMALL, paint_for(race)) + drawn("shuttle", paint_for(race)))


def plasma(race: str) -> SvgPicture:
    """Return the picture of a race's plasma torpedo: a ball of fire with a tail."""
    paint = paint_for(race)
    glow = (
        '<radialGradient id="plasmaGlow" cx="0" cy="-3" r="7" gradientUnits="userSpaceOnUse"><stop offset="0"'
        f' stop-color="#ffffff"/><stop offset="0.45" stop-color="{paint.plate}"/>'
        f'<stop offset="1" stop-color="{paint.edge}"/></radialGradient>'
    )
    tail = '<path d="M-5.5 -1L-2.4 6L-1.4 4L0 11L1.4 4L2.4 6L5.5 -1Z" fill="url(#plasmaGlow)" fill-opacity="0.8"/>'
    ball = f'<circle cx="0" cy="-3" r="6.2" fill="url(#plasmaGlow)" stroke="{paint.plate}" stroke-width="0.6"/>'
    return framed(SMALL, SMALL, _plate(SMALL, paint) + tail + ball, glow)


def monster(key: str) -> SvgPicture:
    """Return the picture of a monster: a serpent for the eel and the snake, else a spiked body."""
    if key == "moray_eel":
        return _serpent("eel", "M0 -12C9 -6 9 0 0 2C-9 4 -9 10 3 15", fins=True)
    if key == "sun_snake":
        return _serpent("snake", "M0 -12C-13 -7 -12 3 -3 3C5 3 7 -3 12 1C17 6 9 15 -6 14", fins=False)
    return _spiked()


def _serpent(colours: str, way: str, *, fins: bool) -> SvgPicture:
    paint = drawings().paints[colours]
    inside = _plate(SHIP, paint)
    for colour, thick in ((paint.edge, 7.5), (paint.plate, 5.2)):
        inside += f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linecap="round"/>'
    dashes = "1 3.4" if fins else "4 3"
    inside += f'<path d="{way}" fill="none" stroke="{paint.edge}" stroke-width="1.8" stroke-dasharray="{dashes}"/>'
    head = "M0 -20C4 -18 6 -12 3.4 -8H-3.4C-6 -12 -4 -18 0 -20Z"
    inside += f'<path d="{head}" fill="{paint.plate}" stroke="{paint.edge}" stroke-width="1"/>'
    inside += (
        f'<circle cx="-2" cy="-13" r="1.1" fill="{paint.edge}"/><circle cx="2" cy="-13" r="1.1" fill="{paint.edge}"/>'
    )
    if fins:
        inside += f'<path d="M3.4 -9L8 -5L4 -5ZM-3.4 -9L-8 -5L-4 -5Z" fill="{paint.glow}"/>'
    else:
        rays = "".join(
            f"M{fmt(9 * math.sin(a))} {fmt(-12 - 9 * math.cos(a))}"
            f"L{fmt(12 * math.sin(a))} {fmt(-12 - 12 * math.cos(a))}"
            for a in (-2.0, -1.4, -0.8, 0.8, 1.4, 2.0)
        )
        inside += f'<path d="{rays}" stroke="{paint.glow}" stroke-width="1.2" stroke-linecap="round"/>'
    return framed(SHIP, SHIP, inside)


def _spiked() -> SvgPicture:
    paint = drawings().paints["killer"]
    spikes = []
    for step in range(28):
        radius = 12.2 if step % 2 else 19.0
        angle = math.pi * step / 14
        spikes.append(f"{fmt(radius * math.sin(angle))},{fmt(-radius * math.cos(angle))}")
    glow = (
        '<radialGradient id="monsterGlow" cx="0" cy="2" r="16" gradientUnits="userSpaceOnUse"><stop offset="0"'
        f' stop-color="{paint.glow}"/><stop offset="1" stop-color="{paint.edge}"/></radialGradient>'
    )
    colour = paint.plate
    inside = _plate(SHIP, paint)
    inside += f'<polygon points="{" ".join(spikes)}" fill="url(#monsterGlow)" stroke="{colour}" stroke-width="0.9"/>'
    inside += '<path d="M-7 -10L0 1L7 -10L4.4 -8L2.4 -10.6L0 -8L-2.4 -10.6L-4.4 -8Z" fill="#ffd35c"/>'
    inside += f'<circle cx="-5" cy="4" r="2" fill="{colour}"/><circle cx="5" cy="4" r="2" fill="{colour}"/>'
    inside += f'<circle cx="0" cy="8" r="1.4" fill="{colour}"/>'
    return framed(SHIP, SHIP, inside, glow)


def fixed_picture(name: str, size: int) -> SvgPicture:
    """Return a picture that never varies, as a square: ``planet``, ``note``, ``cloak`` or ``moved``.

    ``size`` is its side length in pixels.
    """
    found = drawings().pictures[name]
    return framed(size, size, "".join(found.parts), "".join(found.defs))


def asteroids() -> SvgPicture:
    """Return the picture of a hex of asteroids."""
    rocks = ((-14, -10, 8), (10, -14, 6), (2, 4, 9), (-15, 14, 6), (17, 10, 7), (-2, 21, 4), (-3, -21, 4), (21, -3, 3))
    parts = []
    for turn, (x, y, size) in enumerate(rocks):
        points = []
        for corner in range(7):
            angle = math.pi * 2 * corner / 7 + turn
            radius = size * (0.72 + 0.28 * ((corner * 5 + turn * 3) % 4) / 3)
            points.append(f"{fmt(x + radius * math.cos(angle))},{fmt(y + radius * math.sin(angle))}")
        parts.append(
            f'<polygon points="{" ".join(points)}" fill="#8d8478" stroke="#3a352e" stroke-width="1"/>'
            f'<circle cx="{fmt(x - size * 0.2)}" cy="{fmt(y - size * 0.1)}" r="{fmt(size * 0.2)}"'
            ' fill="#5e564b"/>'
        )
    return framed(TERRAIN, TERRAIN, "".join(parts))


def point_of_turn(race: str) -> SvgPicture:
    """Return the picture of a marker for the hex in which a ship last turned (C3.1).

    Its arrow shows the new facing.
    """
    colour = paint_for(race).plate
    inside = f'<circle cx="0" cy="0" r="14" fill="{NIGHT}" fill-opacity="0.6" stroke="{colour}" stroke-width="1.2"'
    inside += ' stroke-dasharray="2.5 2.5"/>'
    for thick, paint in ((4.4, NIGHT), (2.4, colour)):
        inside += f'<path d="M-7 9C-7 1 0 2 0 -6" fill="none" stroke="{paint}" stroke-width="{thick}"/>'
    inside += f'<polygon points="0,-12.5 5,-4.5 -5,-4.5" fill="{colour}" stroke="{NIGHT}" stroke-width="0.8"/>'
    return framed(SMALL, SMALL, inside)


def speed_plate(speed: int) -> SvgPicture:
    """Return the picture of the speed marker for one speed."""
    inside = (
        '<rect x="-14" y="-11" width="28" height="22" rx="4" fill="#f3d34a" stroke="#0d1424" stroke-width="1.6"/>'
        + lettering(str(speed), 0, -6.5, 13, NIGHT, 2.4)
    )
    return framed(SMALL, SMALL, inside)


TURN_RIGHT, TURN_LEFT, RENAME, SPEED, CLOAK_KEY, UP, DOWN = (
    "93,130",
    "91,130",
    "76,130",
    "83,130",
    "75,130",
    "38,130",
    "40,130",
)
"""Keys of the counters' commands: Ctrl with a letter, a bracket or an arrow."""

NAMED_KEY = "63743,0"
"""The key code that VASSAL writes for a command that has a name instead of a key."""

DELETE = Trait("delete;Delete;68,130;")
CLONE = Trait("clone;Clone;67,130;")
NO_STACK = Trait("immob;;N;R;")
FIXED = Trait("immob;g;V;R;")
SHEET = Trait("immob;g;I;R;")
"""Trait of SSDs and private sheets. A sheet stays where it is put, and can be dragged only once it is selected."""

Three = tuple[str, str, str]

FORM_WIDTH = 70
"""Minimum width of a form when it opens, in characters."""


def form_width(words: str) -> str:
    """Return the last field of a form: a line with the text ``words``, padded to the form's width.

    VASSAL makes fields as wide as their content, which is empty at first. The padded line ensures that a form is at
    least :data:`FORM_WIDTH` characters wide.
    """
    return "2" + words.ljust(FORM_WIDTH, "\u00a0")


def named(name: str) -> str:
    """Return the text by which VASSAL stores the key of a command that has a name instead of a key."""
    return f"{NAMED_KEY},{name}"


def mark(**values: str) -> Trait:
    """Return a Marker trait, which gives a counter these fixed properties."""
    return Trait("mark;" + sequence.encode(values, ","), sequence.encode(values.values(), ","))


def report(text: str, about: str, *keys: str) -> Trait:
    """Return a trait that writes ``text`` into the chat after one of the keys in ``keys`` was used.

    ``about`` describes the trait.
    """
    # VASSAL reads a list of keys, so the comma in a key is escaped, even if there is only one key.
    return Trait(sequence.encode(["report", sequence.encode(keys, ","), text, "", "", about, "false"], ";"), "-1")


class LayerMenu(NamedTuple):
    """The menu commands of a Layer trait and their keys.

    A Layer trait shows one of several pictures, called its levels. ``commands`` has three commands: show the layer,
    go one level up, and go one level down. ``keys`` has the keys of these commands. ``reset`` is the command that
    goes to the first level, and its key.
    """

    commands: Three = ("", "", "")
    keys: Three = ("", "", "")
    reset: tuple[str, str] = ("", "")


class TextLabel(NamedTuple):
    """A line of text on a counter.

    Attributes:
        x: The horizontal distance of the text from the middle of the counter, in pixels.
        y: The vertical distance of the text's upper edge from the middle of the counter, in pixels (down is positive).
        side: Which part of the text is at ``x``: its left end ``l``, middle ``c`` or right end ``r``.
        size: The font size.
        colour: The colour as VASSAL writes it (``24,32,46``).
        bold: Whether the text is bold.
        form: The format in which VASSAL adds the text to the counter's name, in VASSAL's notation.
    """

    x: int
    y: int
    side: str
    size: int
    colour: str
    bold: bool = False
    form: str = "$pieceName$"

    def trait(self, name: str, about: str, *, key: str = "", command: str = "", text: str = "") -> Trait:
        """Return the label as a Text Label trait of VASSAL.

        Args:
            name: The property that holds the text.
            about: A description of the purpose of the trait.
            key: The key that changes the text.
            command: The menu command that changes the text.
            text: The initial text.
        """
        fields = ["label", key, command, str(self.size), "", self.colour, "c", str(self.y), "c", str(self.x), "t"]
        fields += [self.side, self.form, "Dialog", "1" if self.bold else "0", "0", name, about, "false"]
        return Trait(sequence.encode(fields, ";"), text)


def layer(
    name: str,
    images: Sequence[str],
    menu: LayerMenu,
    state: str,
    *,
    names: Sequence[str] = (),
    at: tuple[int, int] = (0, 0),
    follows: tuple[str, int] | None = None,
) -> Trait:
    """Return a Layer trait, which shows one of several images on a counter; each image is called a level.

    Args:
        name: The name of the layer.
        images: The image of each level.
        menu: The commands that show the layer and change its level.
        state: The number of the initial level, from 1; a negative number means hidden.
        names: The text that each level adds to the counter's name.
        at: The offset of the image from the middle of the counter, in pixels.
        follows: The name of a property that chooses the level, and its value for the first image.
    """
    show, up, down = menu.commands
    always = "false" if show else "true"
    fields = ["emb2", show, "128", "", up, "128", "", down, "128", "", *menu.reset, "1", "false", *map(str, at)]
    fields += [sequence.encode(images, ","), sequence.encode(names or [""] * len(images), ","), "false", name, "", ""]
    fields += ["true", follows[0], str(follows[1])] if follows else ["false", "", "1"]
    fields += ["1", always, *menu.keys, f"layer {name}", "1.0", "", "true"]
    return Trait(sequence.encode(fields, ";"), state)
