"""The map alone as an SVG file, for a forum or a mail: the drawing of the report page with its style inside."""

from __future__ import annotations

import re

from pbem.report.chart_map import chart
from pbem.report.page import part_of_page
from pbem.report.templates import environment
from pbem.report.view import View

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
SIDES = ("s0", "s1", "s2", "s3", "nobody")


def map_svg(view: View) -> str:
    """The map of a view as a file of its own, in the light colours. Same view, same text."""
    from markupsafe import Markup

    drawn = chart(view)
    text = environment().get_template("map.svg.j2").render(view=view, chart=drawn, alone=Markup(map_style()))
    return "\n".join(line for line in text.splitlines() if line) + "\n"


def map_style() -> str:
    """The rules of the page's style that the map needs, without variables, which drawing programs do not know."""
    css = part_of_page("report.css").split("@media (max-width", 1)[0]
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
