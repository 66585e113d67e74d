"""The pictures of docs/vassal.md, made anew: `python docs/tables.py` writes docs/pictures/ssd.png and others.

A window of the companion module as VASSAL draws it, from a save of a shipped game: each counter's picture, its layers
at their levels and its labels, put together from the module's own drawings. Wants resvg; no VASSAL.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import escape
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.engine.events import Launched  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.reports.map.picture import lean  # noqa: E402
from pbem.vassal_bridge.companion import module  # noqa: E402
from pbem.vassal_bridge.companion.counters import SvgPicture  # noqa: E402
from pbem.vassal_bridge.export import export_game  # noqa: E402
from pbem.vassal_bridge.positions import companion  # noqa: E402
from pbem.vassal_bridge.scene import public_state  # noqa: E402
from pbem.vassal_bridge.sheets import seen_from  # noqa: E402
from vassal.pieces.piece import Piece  # noqa: E402
from vassal.pieces.traits import Label, Layer, Rotator  # noqa: E402
from vassal.save import Save  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
FONTS = ROOT / "templates" / "fonts"
COLOURS, ALIKE = 64, 60
BACK = "#c9d1de"
NAMES = ("ssd", "papers")
"""The pictures of windows; those of pages are made by pictures.py."""


def drawn(piece: Piece, drawings: dict[str, SvgPicture]) -> Iterator[str]:
    """A counter as SVG around the point 0, 0: its own picture and its layers from the inside out, then its labels."""
    layers = {id(layer): layer for layer in piece.layers}
    shown = dict(zip([id(trait) for trait in piece.traits if isinstance(trait, Layer)], layers.values(), strict=True))
    parts = _image(drawings, piece.core.field(3))
    for trait in reversed(piece.traits):
        layer = shown.get(id(trait))
        if layer is not None and layer.active:
            parts += _image(drawings, layer.images[layer.level - 1], int(layer.field(14)), int(layer.field(15)))
        if isinstance(trait, Rotator):
            parts = f'<g transform="rotate({trait.degrees})">{parts}</g>'
    yield parts
    for trait in piece.traits:
        if isinstance(trait, Label) and trait.text:
            yield _label(trait, trait.shown(piece.known))


def _image(drawings: dict[str, SvgPicture], name: str, right: int = 0, down: int = 0) -> str:
    picture = drawings.get(name.rsplit(".", 1)[0])
    if picture is None:
        return ""
    x, y = right - picture.width // 2, down - picture.height // 2
    return re.sub(r"^<svg ", f'<svg x="{x}" y="{y}" ', picture.svg)


def _label(label: Label, text: str) -> str:
    size, colour, down, right, above, side = (label.field(place) for place in (3, 5, 7, 9, 10, 11))
    anchor = {"c": "middle", "r": "end", "l": "start"}[side]
    top = int(down) - (int(size) * 1.25 if above == "b" else 0)
    y = top + int(size)
    return (
        f'<text x="{right}" y="{y}" font-size="{size}" font-family="Noto Sans, DejaVu Sans" font-weight="bold"'
        f' text-anchor="{anchor}" fill="rgb({colour})">{escape(text)}</text>'
    )


def window(save: Save, name: str, box: tuple[int, int, int, int], back: str) -> bytes:
    """A part of a window as a PNG: left, top, width and height in pixels."""
    drawings = module.pictures()
    left, top, wide, high = box
    parts = [
        f'<g transform="translate({piece.x} {piece.y})">{"".join(drawn(piece.piece, drawings))}</g>'
        for piece in save.pieces
        if piece.map == name
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="{left} {top} {wide} {high}">'
        f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="{back}"/>{"".join(parts)}</svg>'
    )
    fonts = [str(file) for file in sorted(FONTS.iterdir()) if file.suffix in (".ttf", ".otf")]
    made = import_module("resvg_py").svg_to_bytes(svg_string=svg, skip_system_fonts=not fonts, font_files=fonts)
    return lean(bytes(made), COLOURS, ALIKE)


def main() -> None:
    """Writes the pictures: an SSD as the duel ended, and its ship's papers when its first drone flew."""
    with opened(ROOT / "turns" / "duel01") as game:
        records = game.effective()
    launch = next(place for place, record in enumerate(records) if isinstance(record.event, Launched))
    early = records[: launch + 1]
    ended = export_game(public_state(records), companion()).save
    flying = export_game(public_state(early), companion(), own=seen_from(early, "klingon")).save
    (PICTURES / "ssd.png").write_bytes(window(ended, "Klingon SSDs", (0, 0, 588, 393), BACK))
    (PICTURES / "papers.png").write_bytes(window(flying, "Klingon papers", (0, 0, 588, 600), BACK))


if __name__ == "__main__":
    main()
