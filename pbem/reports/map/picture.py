"""The map alone as an SVG or PNG file, for a forum or a mail: the drawing of the report page with its style inside.

A PNG is drawn by resvg with the fonts that come with the templates, never with those of the machine: a host in a
cellar has none, and the same map is the same picture everywhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module

from markupsafe import Markup
from msgspec import Struct, msgpack
from msgspec.structs import replace

from pbem.counts import several
from pbem.data.cache import kept_text
from pbem.errors import GameError
from pbem.libraries import fetching
from pbem.reports.html.page import part_of_page
from pbem.reports.html.templates import environment, templates_folder
from pbem.reports.map.chart_map import Chart, Span, chart
from pbem.reports.map.lean_png import lean
from pbem.reports.view.view import Unit, View

FAMILY = "DejaVu Sans"
FONT = f"{FAMILY}, Verdana, Helvetica, Arial, sans-serif"
FONT_FILES = ("fonts/DejaVuSans.ttf", "fonts/DejaVuSans-Bold.ttf")
SIDES = ("s0", "s1", "s2", "s3", "nobody")


MISSING = f"a PNG picture needs resvg: {fetching('resvg-py')}, or name a file that ends in .svg"

IN_MAIL = 560
"""The widest a map is shown in a mail, in the pixels of the reader's screen."""
NARROWEST = 320
READABLE = 0.7
"""The smallest part of their size at which the numbers of hexes can be read."""
MOST_NAMED = 12
"""Units named in the words that stand for a map where no picture is shown."""


def map_svg(view: View, drawn: Chart | None = None) -> str:
    """The map of a view, or a chart of it, as a file of its own, in the light colours. Same view, same text."""
    drawn = drawn or chart(view)
    text = environment().get_template("map.svg.j2").render(view=view, chart=drawn, alone=Markup(map_style()))
    return "\n".join(line for line in text.splitlines() if line) + "\n"


def can_draw() -> bool:
    """Whether resvg is here and starts; a Windows of old may lack a library it wants."""
    try:
        import_module("resvg_py")
    except ImportError:
        return False
    return True


def map_png(view: View) -> bytes:
    """The map of a view as a PNG picture. Raises :class:`GameError` where resvg is not installed."""
    return _drawn(map_svg(view), 0)


def png_in_mail(view: View) -> tuple[bytes, int]:
    """The part of the map where anything was done as a PNG picture, and how wide it is to be shown in pixels.

    Nothing (and 0) where resvg is not installed or will not draw it.
    """
    if not can_draw():
        return b"", 0
    svg, shown = svg_in_mail(view)
    try:
        # No larger than it is shown, and with a palette: the picture would be the heaviest part of a mail.
        return _leanly_drawn(svg, shown), shown
    except ValueError:  # no report waits for its picture
        return b"", 0


def svg_in_mail(view: View) -> tuple[str, int]:
    """The drawing of :func:`png_in_mail`, and how wide it is to be shown in pixels."""
    drawn = chart(view, near=True)
    shown = min(IN_MAIL, max(NARROWEST, drawn.width))
    # Numbers too small to be read are left out: on a whole map they are most of the picture, and the page has them.
    numbers = drawn.numbers if drawn.width * READABLE <= shown else ()
    return _shared(map_svg(view, replace(drawn, spans=_sorted(drawn.spans), numbers=numbers))), shown


def _sorted(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Ranges read from the unit named first: a side's own view begins with its own ships."""
    turned = (s if s.unit < s.other else Span(s.other, s.unit, s.x2, s.y2, s.x1, s.y1, s.range) for s in spans)
    return tuple(sorted(turned, key=lambda span: (span.unit, span.other)))


def _shared(svg: str) -> str:
    """A drawing without what no picture shows, so that all who see the same map share one."""
    return re.sub(r"<(title|desc)\b.*?</\1>| data-[a-z]+=\"[^\"]*\"", "", svg, flags=re.DOTALL)


@lru_cache(maxsize=8)
def _drawn(svg: str, width: int) -> bytes:
    """A drawing as a PNG, ``width`` pixels wide, 0 for its own. Sides that see the same share one picture."""
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
    """A picture for a mail, the digest of its drawing, and how wide it is."""

    svg: bytes
    width: int
    png: bytes


def picture_made(view: View) -> bytes:
    """The picture of :func:`png_in_mail` for :func:`made_elsewhere`: nothing where it cannot be drawn."""
    if not can_draw():
        return b""
    svg, shown = svg_in_mail(view)
    return msgpack.encode(_Made(_digest(svg), shown, lean(_drawn(svg, shown))))


_elsewhere: list[Callable[[], bytes]] = []
"""Who hands out a picture that is made meanwhile."""


@contextmanager
def made_elsewhere(made: Callable[[], bytes]) -> Iterator[None]:
    """Within this, a picture that is wanted for a mail is taken from ``made`` if it is that one: whoever waits for what
    :func:`picture_made` tells hands it in here.
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


def map_words(view: View) -> str:
    """What the map shows, for those who see no pictures: every unit and where it stands, large ones first."""
    here = sorted((unit for unit in view.units if not unit.gone), key=lambda unit: (unit.small, unit.name))
    named = [_unit_words(unit) for unit in here[:MOST_NAMED]]
    more = [several(len(here) - MOST_NAMED, "more unit")] if len(here) > MOST_NAMED else []
    rocks = [f"asteroids in {several(len(view.asteroids), 'hex', 'hexes')}"] if view.asteroids else []
    told = "; ".join((*named, *more, *rocks)) or "nothing is on it"
    return f"Map at turn {view.turn}, impulse {view.impulse}: {told}."


def _unit_words(unit: Unit) -> str:
    side = f" ({unit.side})" if unit.side else ""
    return f"{unit.name}{side} in {unit.at}{f' at speed {unit.speed}' if unit.kind != 'planet' else ''}"


@kept_text
def map_style() -> str:
    """The rules of the page's style that the map needs, without variables, which drawing programs do not know."""
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
