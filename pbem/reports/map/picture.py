"""The map alone as an SVG or PNG file, for a forum or an email.

The drawing is that of the report page, with its style rules included. The program resvg converts it to PNG with the
fonts that come with the templates. These are needed because a server may have no fonts, and the same map must give
the same picture everywhere.

:func:`lean` reduces a PNG to a palette of few colors, which reduces its size to a quarter. It accepts only the
format that resvg writes: 8 bits of red, green, blue and alpha per pixel, not interlaced. Other pictures stay
unchanged. The alpha values are dropped, because the map fills the whole picture.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module
from itertools import accumulate
from operator import mul

from markupsafe import Markup
from msgspec import Struct, msgpack
from msgspec.structs import replace

from pbem.data.cache import cached_text
from pbem.errors import GameError
from pbem.reports.html.page import part_of_page
from pbem.reports.html.templates import environment, templates_folder
from pbem.reports.map.drawing import Chart, RangeLine, chart
from pbem.reports.view.model import ReportView, UnitStatus
from pbem.util import install_command, regex, several

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 32
"""Maximum number of colours in the palette of a reduced picture.

A map is drawn with about a dozen colours; all others come from softened edges. A full palette of 256 would make the
picture a quarter larger.
"""
ALIKE = 300
"""Distance up to which two colours count as the same.

The distance is the sum of the squared differences of red, green and blue.
"""
LEVEL = 7
"""Compression level of zlib; level 8 would take twice as long and save a kilobyte."""
COARSE = 0xF8
"""Bit mask for rare colours: those that are equal in these bits get the same palette entry."""
_HEAD = struct.Struct(">IIBBBBB")
_RGBA = (8, 6, 0, 0, 0)
_PIXEL = 4
_BUSY = regex(rb"[^\0]+(?:\0{1,4}[^\0]+)*")
"""Spans of bytes that must be worked out one by one; a span goes on over a few bytes that need not."""


def lean(png: bytes, colours: int = COLOURS, alike: int = ALIKE) -> bytes:
    """Return a PNG as a smaller PNG with a palette of few colours.

    Frequent colors are kept. Rare colors (of softened edges) are replaced by the nearest color that was kept. The same
    picture always gives the same bytes with the same version of zlib.

    Args:
        png: The picture.
        colours: Maximum number of colours in the palette.
        alike: Smallest distance between palette colours (see :data:`ALIKE`).
    """
    chunks = _chunks(png)
    if not chunks or chunks[0][0] != b"IHDR":
        return png
    width, height, *kind = _HEAD.unpack(chunks[0][1])
    if tuple(kind) != _RGBA:
        return png
    data = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    pixels, lengths = _runs(bytes(_unfiltered(data, width, height)))
    counted: dict[int, int] = {}
    for colour, length in zip(pixels, lengths, strict=True):
        counted[colour] = counted.get(colour, 0) + length
    # The most frequent first, then by value, so that the order of counting does not matter.
    ranked = sorted((-counted[colour], _bytes(colour), colour) for colour in counted)
    kept: list[tuple[int, int, int]] = []
    for _, rgb, _ in ranked:
        # Colours that are too similar to a kept one are skipped, to leave room for different hues.
        if len(kept) < colours and all(_apart(rgb, one) > alike for one in kept):
            kept.append(rgb)
    index = _palette_index(((colour, rgb) for _, rgb, colour in ranked), kept)
    flat = b"".join(map(mul, map(index.__getitem__, pixels), lengths))
    rows = b"".join(b"\0" + flat[at : at + width] for at in range(0, len(flat), width))
    made = (
        (b"IHDR", _HEAD.pack(width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(map(bytes, kept))),
        (b"IDAT", zlib.compress(rows, LEVEL)),
        (b"IEND", b""),
    )
    found = SIGNATURE + b"".join(_chunk(name, body) for name, body in made)
    return found if len(found) < len(png) else png


def _palette_index(
    colours: Iterable[tuple[int, tuple[int, int, int]]], kept: Sequence[tuple[int, int, int]]
) -> dict[int, bytes]:
    """Return for each color the index of the nearest of the ``kept`` colors, as one byte.

    ``colours`` are pairs: the value of a pixel, and its red, green and blue. The most frequent color comes first.
    """
    index: dict[int, bytes] = {}
    near: dict[tuple[int, int, int], bytes] = {}
    places = {rgb: bytes((place,)) for place, rgb in enumerate(kept)}
    for colour, rgb in colours:
        coarse = (rgb[0] & COARSE, rgb[1] & COARSE, rgb[2] & COARSE)
        if rgb in places:
            index[colour] = places[rgb]
        else:
            if coarse not in near:
                apart = [_apart(one, rgb) for one in kept]
                near[coarse] = bytes((apart.index(min(apart)),))
            index[colour] = near[coarse]
    return index


def _bytes(colour: int) -> tuple[int, int, int]:
    """Return the red, green and blue of a pixel, whatever the byte order of the machine."""
    r, g, b, _ = struct.pack("=I", colour)
    return r, g, b


def _apart(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    r, g, b = one
    red, green, blue = other
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2


def _runs(whole: bytes) -> tuple[list[int], list[int]]:
    """Return the colours of all runs of equal pixels, and the lengths of these runs; alpha does not count."""
    changed = 0
    for channel in range(_PIXEL - 1):
        values = int.from_bytes(whole[channel::_PIXEL], "big")
        changed |= values ^ values >> 8  # compare each pixel with the one before it
    flags = changed.to_bytes(len(whole) // _PIXEL, "big").translate(_FLAGS)
    lengths = [len(more) + 1 for more in flags[1:].split(b"\1")]
    begun = accumulate(lengths[:-1], initial=0)
    return list(map(memoryview(whole).cast("I").__getitem__, begun)), lengths


_FLAGS = bytes((0, *[1] * 255))


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(SIGNATURE)
    while png.startswith(SIGNATURE) and at + 8 <= len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        found.append((name, png[at + 8 : at + 8 + size]))
        at += size + 12
    return found


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _unfiltered(data: bytes, width: int, height: int) -> bytearray:
    """Return the original pixels of PNG rows, by undoing the filter of each row (PNG 9.2)."""
    size = width * _PIXEL
    low, high = _bits(size)
    before = bytes(size)
    whole = bytearray()
    for start in range(0, height * (size + 1), size + 1):
        row = data[start + 1 : start + 1 + size]
        match data[start]:
            case 1:
                row = _sub(row, width)
            case 2:
                # Add all bytes at once.
                a, b = int.from_bytes(row, "big"), int.from_bytes(before, "big")
                row = (((a & low) + (b & low)) ^ ((a ^ b) & high)).to_bytes(size, "big")
            case 3:
                row = _average(row, before)
            case 4:
                row = _paeth(row, before)
        whole += row
        before = row
    return whole


def _sub(row: bytes, width: int) -> bytes:
    """Return a row with the PNG filter Sub undone: each pixel becomes the sum of itself and all before.

    The sums are computed in a few steps, each of which doubles the number of pixels that are summed.
    """
    total, reach = int.from_bytes(row, "big"), 1
    low, high = _bits(len(row))
    while reach < width:
        left = total >> (8 * _PIXEL * reach)
        total = ((total & low) + (left & low)) ^ ((total ^ left) & high)
        reach *= 2
    return total.to_bytes(len(row), "big")


@cache
def _bits(size: int) -> tuple[int, int]:
    """Return two bit masks for ``size`` bytes: the lower seven bits of each byte, and the highest bit.

    With these masks, all bytes of a large number can be added at once without a carry into the next byte.
    """
    return int.from_bytes(b"\x7f" * size, "big"), int.from_bytes(b"\x80" * size, "big")


def _average(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    for channel in range(_PIXEL):
        values, above = row[channel::_PIXEL], before[channel::_PIXEL]
        full = above[0]
        if values[0] == full - full // 2 and not any(values[1:]) and above.count(full) == len(above):
            made[channel::_PIXEL] = above  # the alpha channel, which is constant in a map
            continue
        a, out = 0, bytearray()
        add = out.append
        for value, b in zip(values, above, strict=True):
            a = (value + (a + b >> 1)) & 255
            add(a)
        made[channel::_PIXEL] = out
    return bytes(made)


def _paeth(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    # Where the row adds nothing and the row above does not change, the last byte repeats: most of a map.
    level = int.from_bytes(before, "big") ^ int.from_bytes(bytes(_PIXEL) + before[:-_PIXEL], "big")
    busy = (int.from_bytes(row, "big") | level).to_bytes(len(row), "big")
    for channel in range(_PIXEL):
        values, above = row[channel::_PIXEL], before[channel::_PIXEL]
        a, out = 0, bytearray()
        add = out.append
        for found in _BUSY.finditer(busy[channel::_PIXEL]):
            start, end = found.span()
            if gap := start - len(out):
                out += _REPEATED[a] * gap
            c = above[start - 1] if start else 0
            for value, b in zip(values[start:end], above[start:end], strict=True):
                if b == c:  # the Paeth predictor is a
                    a = (value + a) & 255
                elif a == c:  # the Paeth predictor is b
                    a = (value + b) & 255
                elif b > c and a > c:  # a + b - c exceeds both a and b, so the larger one is nearer
                    a = (value + (a if a >= b else b)) & 255
                elif b < c and a < c:
                    a = (value + (a if a <= b else b)) & 255
                else:
                    p, q, s = abs(b - c), abs(a - c), abs(a + b - c - c)
                    a = (value + (a if p <= q and p <= s else b if q <= s else c)) & 255
                c = b
                add(a)
        made[channel::_PIXEL] = out + _REPEATED[a] * (len(values) - len(out))
    return bytes(made)


_REPEATED = [bytes((value,)) for value in range(256)]


FAMILY = "DejaVu Sans"
FONT = f"{FAMILY}, Verdana, Helvetica, Arial, sans-serif"
FONT_FILES = ("fonts/DejaVuSans.ttf", "fonts/DejaVuSans-Bold.ttf")
SIDES = ("s0", "s1", "s2", "s3", "nobody")


MISSING = f"a PNG picture needs resvg: {install_command('resvg-py')}, or name a file that ends in .svg"

IN_MAIL = 560
"""Width of a large map in an email, in screen pixels."""
UNCHANGED = 620
"""Maximum width of a map that keeps its own size in an email.

At their own size all hexes have the same pixels, which makes the picture half as large.
"""
NARROWEST = 320
READABLE = 0.7
"""Smallest scale of a map at which hex numbers can still be read."""
MOST_NAMED = 12
"""Maximum number of units named in the text that replaces a map picture."""


def map_svg(view: ReportView, drawn: Chart | None = None) -> str:
    """Return the map of a view, or a given chart of that map, as an SVG file in light colours.

    The same view always gives the same text.
    """
    drawn = drawn or chart(view)
    text = environment().get_template("map.svg.j2").render(view=view, chart=drawn, alone=Markup(map_style()))
    return "\n".join(line for line in text.splitlines() if line) + "\n"


def can_draw() -> bool:
    """Return whether resvg is installed and can be started.

    An old Windows may lack a library that resvg needs.
    """
    try:
        import_module("resvg_py")
    except ImportError:
        return False
    return True


def map_png(view: ReportView) -> bytes:
    """Return the map of a view as a PNG picture.

    Raises:
        GameError: resvg is not installed.
    """
    return _drawn(map_svg(view), 0)


def png_in_mail(view: ReportView) -> tuple[bytes, int]:
    """Return a PNG picture of the part of the map in use, and the width in pixels at which to display it.

    The result is ``(b"", 0)`` if resvg is not installed or fails.
    """
    if not can_draw():
        return b"", 0
    svg, shown = svg_in_mail(view)
    try:
        # Drawn in its display size and with a palette; otherwise it would be the largest part of an email.
        return _leanly_drawn(svg, shown), shown
    except ValueError:  # a report without a picture is better than none
        return b"", 0


def svg_in_mail(view: ReportView) -> tuple[str, int]:
    """Return the SVG drawing for :func:`png_in_mail`, and the display width in pixels."""
    drawn = chart(view, near=True)
    shown = max(NARROWEST, drawn.width) if drawn.width <= UNCHANGED else IN_MAIL
    # Unreadably small hex numbers are left out. They would be most of the picture, and the page shows them.
    numbers = drawn.numbers if drawn.width * READABLE <= shown else ()
    return _shared(map_svg(view, replace(drawn, spans=_sorted(drawn.spans), numbers=numbers))), shown


def _sorted(spans: tuple[RangeLine, ...]) -> tuple[RangeLine, ...]:
    """Return range lines in an order that is the same for all readers.

    Each line in the result begins at the unit whose name sorts first. In a view, the lines begin at the reader's own
    ships, so their order differs between readers.
    """
    turned = (s if s.unit < s.other else RangeLine(s.other, s.unit, s.x2, s.y2, s.x1, s.y1, s.range) for s in spans)
    return tuple(sorted(turned, key=lambda span: (span.unit, span.other)))


def _shared(svg: str) -> str:
    """Return a drawing without parts that are invisible in a picture.

    All readers who see the same map then get the same picture, which is drawn only once.
    """
    return re.sub(r"<(title|desc)\b.*?</\1>| data-[a-z]+=\"[^\"]*\"", "", svg, flags=re.DOTALL)


@lru_cache(maxsize=8)
def _drawn(svg: str, width: int) -> bytes:
    """Return a drawing as a PNG that is ``width`` pixels wide (0: the width of the drawing).

    Results are cached.
    """
    if not can_draw():
        raise GameError.saying("no-pictures", MISSING)
    made = import_module("resvg_py").svg_to_bytes(
        svg_string=svg,
        width=width or None,
        skip_system_fonts=True,
        font_files=[str(templates_folder() / name) for name in FONT_FILES],
        font_family=FAMILY,
    )
    return bytes(made)


@lru_cache(maxsize=8)
def _leanly_drawn(svg: str, width: int) -> bytes:
    made = _read(_elsewhere[-1]()) if _elsewhere else None
    if made is not None and made.svg == _digest(svg) and made.width == width:
        return made.png
    return lean(_drawn(svg, width))


class _Made(Struct, frozen=True):
    """A picture for an email, with its display width and the digest of the SVG drawing it was made from."""

    svg: bytes
    width: int
    png: bytes


def picture_made(view: ReportView) -> bytes:
    """Return the picture that :func:`png_in_mail` needs, encoded so that another process can send it.

    The receiver uses it with :func:`made_elsewhere`. The result is empty if the picture cannot be drawn.
    """
    if not can_draw():
        return b""
    svg, shown = svg_in_mail(view)
    return msgpack.encode(_Made(_digest(svg), shown, lean(_drawn(svg, shown))))


_elsewhere: list[Callable[[], bytes]] = []
"""Functions that return a picture which another process draws in the meantime; the last one is used."""


@contextmanager
def made_elsewhere(made: Callable[[], bytes]) -> Iterator[None]:
    """Within this context, use a picture from another process in emails if it shows the right map.

    ``made`` is a function that returns the result of :func:`picture_made`, typically from a background process.
    """
    _elsewhere.append(made)
    try:
        yield
    finally:
        _elsewhere.pop()


def _read(made: bytes) -> _Made | None:
    return msgpack.decode(made, type=_Made) if made else None


def _digest(svg: str) -> bytes:
    return hashlib.sha256(svg.encode("utf-8", "surrogatepass")).digest()


def map_words(view: ReportView) -> str:
    """Return a description of the map in words, for readers without pictures.

    It lists units with their positions, large units first, at most :data:`MOST_NAMED` of them.
    """
    here = sorted((unit for unit in view.units if not unit.gone), key=lambda unit: (unit.small, unit.name))
    named = [_unit_words(unit) for unit in here[:MOST_NAMED]]
    more = [several(len(here) - MOST_NAMED, "more unit")] if len(here) > MOST_NAMED else []
    rocks = [f"asteroids in {several(len(view.asteroids), 'hex', 'hexes')}"] if view.asteroids else []
    told = "; ".join((*named, *more, *rocks)) or "nothing is on it"
    return f"Map at turn {view.turn}, impulse {view.impulse}: {told}."


def _unit_words(unit: UnitStatus) -> str:
    side = f" ({unit.side})" if unit.side else ""
    return f"{unit.name}{side} in {unit.at}{f' at speed {unit.speed}' if unit.kind != 'planet' else ''}"


@cached_text
def map_style() -> str:
    """Return the style rules for a map file, with the values of CSS variables inserted.

    Drawing programs do not support CSS variables.
    """
    return _map_style(part_of_page("report.css"))


@lru_cache(maxsize=4)
def _map_style(css: str) -> str:
    css = css.split("@media (max-width", 1)[0]
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", css)
    light = next(body for selector, body in rules if selector.strip() == ":root")
    colours = dict(re.findall(r"(--\w+):\s*([^;]+);", light))

    def plain(body: str) -> str:
        return re.sub(r"var\((--\w+)\)", lambda found: colours[found[1]], body)

    written = [f"text{{font-family:{FONT}}}", ".off{display:none}", plain(".space{fill:var(--space)}")]
    for selectors, body in rules:
        for selector in (one.strip() for one in selectors.split(",")):
            if not selector.startswith(".map "):
                continue
            inside = selector.removeprefix(".map ")
            if "var(--c)" not in body:
                written.append(f"{inside}{{{plain(body).strip()}}}")
                continue
            for side in SIDES:
                own = body.replace("var(--c)", f"var(--{'none' if side == 'nobody' else side})")
                written.append(f".{side} {inside},{inside}.{side}{{{plain(own).strip()}}}")
    return "\n".join(written)
