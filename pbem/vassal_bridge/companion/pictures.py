"""SVG drawings made into PNG pictures by resvg. The drawings hold no text, so no font is looked for."""

from __future__ import annotations

from importlib import import_module

from pbem.errors import GameError
from pbem.libraries import fetching
from pbem.reports.map.lean_png import lean
from pbem.vassal_bridge.companion.counters import Picture

MISSING = f"PNG pictures need resvg: {fetching('resvg-py')}, or pack the drawings themselves with --svg"


def can_draw() -> bool:
    """Whether resvg is here and starts; a Windows of old may lack a library it wants."""
    try:
        import_module("resvg_py")
    except ImportError:
        return False
    return True


COLOURS, ALIKE = 48, 60
"""Of the palette of a sheet: it has few colours, some of them pale and near to one another."""


def png(picture: Picture) -> bytes:
    """A drawing as a PNG picture of its own size. Raises :class:`GameError` where resvg is not installed."""
    if not can_draw():
        raise GameError.saying("no-pictures", MISSING)
    drawn = bytes(import_module("resvg_py").svg_to_bytes(svg_string=picture.svg, skip_system_fonts=True))
    return lean(drawn, COLOURS, ALIKE) if picture.sheet else drawn
