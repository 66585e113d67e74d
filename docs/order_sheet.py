"""Writes docs/order-sheet.html, the orders on one sheet of paper, from the tables of orders.md and play-by-mail.md.

python docs/order_sheet.py           writes the sheet
python docs/order_sheet.py --check   says whether it is up to date

The tables of activities and conditions in orders.md come from the program (conditions.py), so the sheet does, too.
"""

from __future__ import annotations

import math
import re
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "order-sheet.html"
STYLE = """\
@page { size: A4; margin: 9mm }
body { font: 8.2pt/1.22 "Noto Sans", "DejaVu Sans", Arial, sans-serif; color: #000; background: #fff; margin: 0 auto;
  max-width: 192mm; columns: 2; column-gap: 6mm }
header { column-span: all; border-bottom: 1.5pt solid #000; margin-bottom: 2mm }
h1 { font-size: 14pt; margin: 0 }
h2 { font-size: 10pt; margin: 2.2mm 0 .8mm; border-bottom: .6pt solid #000; break-after: avoid }
p { margin: .6mm 0 }
table { border-collapse: collapse; width: 100% }
td { vertical-align: top; padding: .35mm 1.5mm .35mm 0; border-bottom: .3pt solid #999 }
td:first-child { width: 46% }
tr, svg, pre { break-inside: avoid }
code, pre { font: 7.6pt/1.25 "DejaVu Sans Mono", "Noto Sans Mono", monospace }
pre { margin: 1mm 0; padding: 1mm; border: .6pt solid #000 }
svg { display: block; width: 52mm; margin: 1mm auto }
.blank th { text-align: left; font-size: 7.5pt; border-bottom: .6pt solid #000 }
.blank td { height: 4.6mm; border: .3pt solid #666 }
.blank td:first-child { width: 10% } .blank td:nth-child(2) { width: 18% }
@media screen { body { padding: 8mm; max-width: 260mm; font-size: 11pt } code, pre { font-size: 10pt } }
"""
IMPULSES = 32
"""Lines of the table to fill in: the impulses of the longest turn."""
ENERGY, PLOT = "| entry | line | |", "| code | also | |"
ACTIVITIES, CONDITIONS, COMMANDS = "| activity | |", "| condition | true when |", "| command | what it does |"
EXAMPLE = """\
GAME duel01 TURN 2 SIDE klingon REPLY 1
SHIP Destruction
ENERGY
  SPEED 12; PHASERS 2
  DISR A 2; DISR B 2
PLOT 2F R 2F L 3F SR F
DO
  AT 1 LAUNCH DRONE 1 AT Constellation
  AT 9 FIRE DISR A,B PH 1-3 AT Constellation
  EVERY IF SEEKER WITHIN 1
    THEN FIRE ONE OF PH 4,2 AT EACH
BREAK
  RANGE Constellation <= 8
DAMAGE
  WEAPON DRONE 1 FIRST
END
"""


def rows(page: str, head: str) -> list[list[str]]:
    """Return the cells of each row of the table that begins with this head."""
    _, found, rest = (HERE / page).read_text(encoding="utf-8").partition(f"{head}\n")
    if not found:
        raise LookupError(f"{page} has no table {head!r}")
    table = rest[: rest.index("\n\n")].splitlines()[1:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in table]


def inline(text: str) -> str:
    """Return Markdown of a cell as HTML: code stays, links become their words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    parts = text.split("`")
    return "".join(f"<code>{escape(part)}</code>" if n % 2 else escape(part) for n, part in enumerate(parts))


def table(page: str, head: str) -> str:
    """Return a table of a page as HTML with two columns; the cells between them go to the second."""
    made = []
    for first, *more in rows(page, head):
        line = f"({more[0]}) " if head == ENERGY and more[0] else ""
        said = " ".join(filter(None, more[1:])) if head == ENERGY else " ".join(filter(None, more))
        made.append(f"<tr><td>{inline(first)}</td><td>{line}{inline(said)}</td></tr>")
    return f"<table>{''.join(made)}</table>"


def compass() -> str:
    """Return a hex with the six directions outside and the six shields of a ship that faces A inside."""
    parts = []
    for n, letter in enumerate("ABCDEF"):
        angle = math.radians(60 * n - 90)
        for text, far, size in ((letter, 60, 12), (f"#{n + 1}", 31, 10)):
            x, y = 80 + far * math.cos(angle), 75 + far * math.sin(angle) + size / 3
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle">{text}</text>')
    corners = [(80 + 48 * math.cos(math.radians(60 * n)), 75 + 48 * math.sin(math.radians(60 * n))) for n in range(6)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    ship = '<path d="M80 62l8 22-8-5-8 5z"/>'
    return (
        '<svg viewBox="0 0 160 150" role="img" aria-label="Directions A to F and shields #1 to #6">'
        f'<polygon points="{points}" fill="none" stroke="#000" stroke-width="1.5"/>{ship}{"".join(parts)}</svg>'
    )


def arcs() -> str:
    """Return what the words for arcs mean, as the glossary of the game says it."""
    from pbem.data.scenarios import glossary

    told = [word for word in glossary().words if word.rule == "D2.0"]
    return "".join(f"<p><b>{escape(word.word)}</b>: {escape(word.means)}</p>" for word in told)


def blank() -> str:
    """Return a table to write the plan of a turn into."""
    lines = "".join(f"<tr><td>{n}</td><td></td><td></td></tr>" for n in range(1, IMPULSES + 1))
    return f'<table class="blank"><tr><th>impulse</th><th>plot</th><th>orders</th></tr>{lines}</table>'


def document() -> str:
    """Return the sheet as one HTML page."""
    if str(HERE.parent) not in sys.path:
        sys.path.insert(0, str(HERE.parent))
    parts = (
        ("Directions and shields", f"{compass()}<p>A ship that faces A. The shields turn with the ship.</p>"),
        ("A whole order file", f"<pre>{escape(EXAMPLE)}</pre><p><code>CONTINUE</code> alone keeps your old orders. "
         "<code>CONCEDE</code> alone gives up. <code># text</code> is a comment.</p>"),
        ("PLOT: one code for each hex", table("orders.md", PLOT) + "<p>Then one of: <code>TOWARD x</code>, "
         "<code>AWAY FROM x</code>, <code>KEEP #1 TO x</code>, <code>KEEP x IN FA</code>, <code>KEEP x AT RANGE 4 TO 8"
         "</code>, <code>LEAVE MAP</code>. Reaction: <code>AT 7 IF RANGE x &lt;= 3 THEN R</code>.</p>"),
        ("ENERGY (line of the form)", table("orders.md", ENERGY)),
        ("DO: AT 9 / LAST, EVERY, IF … THEN, AND", table("orders.md", ACTIVITIES)),
        ("Conditions for IF and BREAK: AND, OR, NOT", table("orders.md", CONDITIONS)),
        ("DAMAGE: WEAPON, ENGINE, OTHER, HULL, ANY", "<p><code>WEAPON PH 4 FIRST; ENGINE IMPULSE LAST</code></p>"),
        ("Arcs", arcs()),
        ("Emails: first line or subject", table("play-by-mail.md", COMMANDS)),
        ("Turn ____ , ship ______________ , speed ____", blank()),
    )  # fmt: skip
    sections = "\n".join(f"<h2>{escape(title)}</h2>\n{body}" for title, body in parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Order sheet</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        "<header><h1>Order sheet</h1><p>Print this page on both sides of one sheet (A4). Rule numbers are in brackets; "
        "x is a unit: a name, ENEMY, NEAREST, ME, IT, EACH.</p></header>\n"
        f"{sections}\n</body>\n</html>\n"
    )


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == document() else "docs/order-sheet.html is out of date")
    PAGE.write_text(document(), encoding="utf-8", newline="\n")
