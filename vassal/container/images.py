"""The size of an image from its first bytes: a board is as big as its image."""

from __future__ import annotations

import re
import struct

__all__ = ["HEADER_BYTES", "image_size"]

HEADER_BYTES = 262_144
"""How much of an image is looked at: photographs carry their thumbnails before their size."""


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG, BMP or SVG image; ``None`` for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return width, abs(height)
    if b"<svg" in data[:4096]:
        return _svg_size(data[:65536].decode("utf-8", "replace"))
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None


def _svg_size(text: str) -> tuple[int, int] | None:
    root = re.search(r"<svg\b[^<>]*+>", text)
    if root is None:
        return None
    sides = [re.search(rf"\b{side}\s*=\s*[\"']([0-9.]+)(?:px)?[\"']", root[0]) for side in ("width", "height")]
    if sides[0] and sides[1]:
        return _pixels(sides[0][1], sides[1][1])
    box = re.search(r"\bviewBox\s*=\s*[\"']\s*[-0-9.]+[\s,]+[-0-9.]+[\s,]+([0-9.]+)[\s,]+([0-9.]+)", root[0])
    return _pixels(box[1], box[2]) if box else None


def _pixels(width: str, height: str) -> tuple[int, int] | None:
    try:
        return round(float(width)), round(float(height))
    except (ValueError, OverflowError):
        return None
