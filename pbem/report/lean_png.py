"""A PNG picture with a palette: a map has few colours, and with a palette of them it weighs a quarter.

Only what the drawing program writes is understood (eight bits of red, green, blue and alpha a pixel, not interlaced);
any other picture is left as it is. Alpha is dropped: a map covers all of its picture.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from itertools import accumulate

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 32
"""The most of the palette: a map is drawn with a dozen, the others soften edges. A byte could name 256, and the picture
would be a quarter heavier.
"""
ALIKE = 300
"""Colours no further apart than this (squares of the differences of red, green and blue added) are taken for one."""
COARSE = 0xF8
"""Rare colours that agree in these bits get the same place of the palette."""
_HEAD = struct.Struct(">IIBBBBB")
_RGBA = (8, 6, 0, 0, 0)
_PIXEL = 4


def lean(png: bytes) -> bytes:
    """The same picture, smaller; frequent colours as they are, rare ones (of softened edges) as the nearest of those.

    The same picture always gives the same bytes with the same zlib.
    """
    chunks = _chunks(png)
    if not chunks or chunks[0][0] != b"IHDR":
        return png
    width, height, *kind = _HEAD.unpack(chunks[0][1])
    if tuple(kind) != _RGBA:
        return png
    data = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    pixels = memoryview(_unfiltered(data, width, height)).cast("I")
    counted = Counter(pixels)
    # Frequent first; equals by their value, so that no order of counting matters.
    ranked = sorted((-counted[colour], _bytes(colour), colour) for colour in counted)
    kept: list[tuple[int, int, int]] = []
    for _, rgb, _ in ranked:
        # A hue of its own is worth more than one more step between two shades.
        if len(kept) < COLOURS and (not kept or min(_apart(rgb, one) for one in kept) > ALIKE):
            kept.append(rgb)
    index: dict[int, int] = {}
    near: dict[tuple[int, int, int], int] = {}
    for _, rgb, colour in ranked:
        coarse = (rgb[0] & COARSE, rgb[1] & COARSE, rgb[2] & COARSE)
        if rgb in kept:
            index[colour] = kept.index(rgb)
        else:
            if coarse not in near:
                near[coarse] = min(range(len(kept)), key=lambda place: _apart(kept[place], rgb))
            index[colour] = near[coarse]
    flat = bytes(map(index.__getitem__, pixels))
    rows = b"".join(b"\0" + flat[at : at + width] for at in range(0, len(flat), width))
    made = (
        (b"IHDR", _HEAD.pack(width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(map(bytes, kept))),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    found = SIGNATURE + b"".join(_chunk(name, body) for name, body in made)
    return found if len(found) < len(png) else png


def _bytes(colour: int) -> tuple[int, int, int]:
    """Red, green and blue of a pixel, whatever the machine's order of bytes."""
    r, g, b, _ = struct.pack("=I", colour)
    return r, g, b


def _apart(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    r, g, b = (x - y for x, y in zip(one, other, strict=True))
    return r * r + g * g + b * b


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
    low, high = int.from_bytes(b"\x7f" * size, "big"), int.from_bytes(b"\x80" * size, "big")
    before = bytes(size)
    whole = bytearray()
    for start in range(0, height * (size + 1), size + 1):
        row = data[start + 1 : start + 1 + size]
        match data[start]:
            case 1:
                row = _sub(row)
            case 2:
                # All bytes at once, each without a carry into the next.
                a, b = int.from_bytes(row, "big"), int.from_bytes(before, "big")
                row = (((a & low) + (b & low)) ^ ((a ^ b) & high)).to_bytes(size, "big")
            case 3:
                row = _average(row, before)
            case 4:
                row = _paeth(row, before)
        whole += row
        before = row
    return whole


def _sub(row: bytes) -> bytes:
    made = bytearray(len(row))
    for channel in range(_PIXEL):
        made[channel::_PIXEL] = bytes(value & 255 for value in accumulate(row[channel::_PIXEL]))
    return bytes(made)


def _average(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    for at, value in enumerate(row):
        left = made[at - _PIXEL] if at >= _PIXEL else 0
        made[at] = (value + (left + before[at]) // 2) & 255
    return bytes(made)


def _paeth(row: bytes, before: bytes) -> bytes:
    made = bytearray(row)
    for channel in range(_PIXEL):
        a = c = 0
        out = []
        for value, b in zip(row[channel::_PIXEL], before[channel::_PIXEL], strict=True):
            if b == c:  # then the estimate is a
                a = (value + a) & 255
            elif a == c:  # and here b
                a = (value + b) & 255
            else:
                p, q, s = abs(b - c), abs(a - c), abs(a + b - c - c)
                a = (value + (a if p <= q and p <= s else b if q <= s else c)) & 255
            c = b
            out.append(a)
        made[channel::_PIXEL] = bytes(out)
    return bytes(made)
