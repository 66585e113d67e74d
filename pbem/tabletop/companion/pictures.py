"""SVG drawings made into PNG pictures by resvg. The drawings hold no text, so no font is looked for."""

from __future__ import annotations

from importlib import import_module

from pbem.faults import GameError

MISSING = "PNG pictures need resvg: pip install resvg-py, or pack the drawings themselves with --svg"


def can_draw() -> bool:
    """Whether resvg is here and starts; a Windows of old may lack a library it wants."""
    try:
        import_module("resvg_py")
    except ImportError:
        return False
    return True


def png(svg: str) -> bytes:
    """An SVG drawing as a PNG picture of its own size. Raises :class:`GameError` where resvg is not installed."""
    if not can_draw():
        raise GameError.saying("no-pictures", MISSING)
    drawn = import_module("resvg_py").svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    return bytes(drawn)
