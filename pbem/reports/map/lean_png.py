"""A PNG picture with a palette: a map has few colours, and with a palette of them it weighs a quarter.

Only what the drawing program writes is understood (eight bits of red, green, blue and alpha a pixel, not interlaced);
any other picture is left as it is. Alpha is dropped: a map covers all of its picture.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from itertools import compress
from operator import mul, sub

from pbem.patterns import regex

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 32
"""The most of the palette: a map is drawn with a dozen, the others soften edges. A byte could name 256, and the picture
would be a quarter heavier.
"""
ALIKE = 300
"""Colours no further apart than this (squares of the differences of red, green and blue added) are taken for one."""
LEVEL = 8
"""Of zlib: 9 takes twice as long for three parts in a hundred less."""
COARSE = 0xF8
"""Rare colours that agree in these bits get the same place of the palette."""
_HEAD = struct.Struct(">IIBBBBB")
_RGBA = (8, 6, 0, 0, 0)
_PIXEL = 4
_BUSY = regex(rb"[^\0]+")


def lean(png: bytes, colours: int = COLOURS, alike: int = ALIKE) -> bytes:
    """The same picture, smaller; frequent colours as they are, rare ones (of softened edges) as the nearest of those.
    The palette has at most so many ``colours``, none nearer to another than ``alike`` (see :data:`ALIKE`).

    The same picture always gives the same bytes with the same zlib.
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
    # Frequent first; equals by their value, so that no order of counting matters.
    ranked = sorted((-counted[colour], _bytes(colour), colour) for colour in counted)
    kept: list[tuple[int, int, int]] = []
    for _, rgb, _ in ranked:
        # A hue of its own is worth more than one more step between two shades.
        if len(kept) < colours and all(_apart(rgb, one) > alike for one in kept):
            kept.append(rgb)
    index: dict[int, bytes] = {}
    near: dict[tuple[int, int, int], bytes] = {}
    places = {rgb: bytes((place,)) for place, rgb in enumerate(kept)}
    for _, rgb, colour in ranked:
        coarse = (rgb[0] & COARSE, rgb[1] & COARSE, rgb[2] & COARSE)
        if rgb in places:
            index[colour] = places[rgb]
        else:
            if coarse not in near:
                apart = [_apart(one, rgb) for one in kept]
                near[coarse] = bytes((apart.index(min(apart)),))
            index[colour] = near[coarse]
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


def _bytes(colour: int) -> tuple[int, int, int]:
    """Red, green and blue of a pixel, whatever the machine's order of bytes."""
    r, g, b, _ = struct.pack("=I", colour)
    return r, g, b


def _apart(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    r, g, b = one
    red, green, blue = other
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2


def _runs(whole: bytes) -> tuple[list[int], list[int]]:
    """The colours of pixels from the first to the last, and how many of each follow one another."""
    changed = (int.from_bytes(whole, "big") ^ int.from_bytes(whole[:_PIXEL] + whole[:-_PIXEL], "big")).to_bytes(
        len(whole), "big"
    )
    pixels = memoryview(whole).cast("I")
    begun = [0, *compress(range(len(pixels)), memoryview(changed).cast("I"))]
    return [pixels[at] for at in begun], list(map(sub, [*begun[1:], len(pixels)], begun))


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
    """The pixels out of filtered rows, as PNG 9.2 says."""
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
                # All bytes at once.
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
    """Each pixel and all to its left added up: sums of two, of four, of eight and so on."""
    total, reach = int.from_bytes(row, "big"), 1
    low, high = _bits(len(row))
    while reach < width:
        left = total >> (8 * _PIXEL * reach)
        total = ((total & low) + (left & low)) ^ ((total ^ left) & high)
        reach *= 2
    return total.to_bytes(len(row), "big")


@cache
def _bits(size: int) -> tuple[int, int]:
    """The lower seven bits of each of so many bytes, and the highest: bytes are added without a carry into the next."""
    return int.from_bytes(b"\x7f" * size, "big"), int.from_bytes(b"\x80" * size, "big")


def _average(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    for at, value in enumerate(row):
        left = made[at - _PIXEL] if at >= _PIXEL else 0
        made[at] = (value + (left + before[at]) // 2) & 255
    return bytes(made)


def _paeth(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    for channel in range(_PIXEL):
        values, above = row[channel::_PIXEL], before[channel::_PIXEL]
        if above.count(above[0]) == len(above) and not any(values):  # alpha: nothing shines through a map
            made[channel::_PIXEL] = above
            continue
        # Where nothing is added and nothing changes above, the last byte goes on: most of a map.
        level = int.from_bytes(above, "big") ^ int.from_bytes(b"\0" + above[:-1], "big")
        busy = (int.from_bytes(values, "big") | level).to_bytes(len(values), "big")
        a = 0
        out = bytearray()
        for found in _BUSY.finditer(busy):
            start, end = found.span()
            out += bytes((a,)) * (start - len(out))
            c = above[start - 1] if start else 0
            for value, b in zip(values[start:end], above[start:end], strict=True):
                if b == c:  # then the estimate is a
                    a = (value + a) & 255
                elif a == c:  # and here b
                    a = (value + b) & 255
                elif b > c and a > c:  # the estimate a + b - c lies beyond both: the nearer is the larger
                    a = (value + (a if a >= b else b)) & 255
                elif b < c and a < c:
                    a = (value + (a if a <= b else b)) & 255
                else:
                    p, q, s = abs(b - c), abs(a - c), abs(a + b - c - c)
                    a = (value + (a if p <= q and p <= s else b if q <= s else c)) & 255
                c = b
                out.append(a)
        made[channel::_PIXEL] = out + bytes((a,)) * (len(values) - len(out))
    return bytes(made)
