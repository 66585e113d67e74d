"""The SSDs as drawings: a board for each class, and the crosses that are laid over lost boxes."""

from __future__ import annotations

import math

from pbem.data.ships import ShipClass, ship_keys
from pbem.vassal_bridge.companion.counters import Picture, framed
from pbem.vassal_bridge.companion.drawings import drawn, hull_for, number, paint_for
from pbem.vassal_bridge.companion.ssd_plan import (
    BOX,
    MIDDLE,
    MOUNT,
    MOUNT_HIGH,
    ROOM,
    SMALL_TEXT,
    STEPS,
    STRIPS,
    TEXT,
    WIDE,
    Group,
    Mount,
    Plan,
    Row,
    plan_of,
)
from pbem.vassal_bridge.companion.strokes import lettering, outline, width

PAPER, CARD, HULL, LINE, INK, SOFT, BAD = "#f3f5f8", "#ffffff", "#e9eef6", "#b9c4d6", "#18202e", "#4a5568", "#b3261e"
"""The colours of displays in reports: the page, boxes, what is inside, edges, words, and what is lost."""

EDGES = {"romulan": "#2a6350"}
"""The colour of a race's boxes where that of its counters is too like the crosses."""

MOUNT_CROSS = "xm"
"""The picture that lies over a lost weapon."""


def strip_name(way: str, length: int, crosses: int) -> str:
    """The picture of so many crosses on a strip of that length. Short, since an SSD names some hundreds of them."""
    return f"x{way[0]}{length}-{crosses}"


def pictures() -> dict[str, Picture]:
    """Every picture of the SSDs by the name of its image."""
    boards = {f"ssd-{key}": board(plan_of(key)) for key in ship_keys()}
    strips = {
        strip_name(way, length, crosses): strip(way, length, crosses)
        for way, lengths in STRIPS.items()
        for length in lengths
        for crosses in range(length + 1)
    }
    return {**boards, **strips, MOUNT_CROSS: _mount_cross()}


def strip_size(way: str, length: int) -> tuple[int, int]:
    """The size of a strip; its first box begins at the upper left, or upper right where it goes to the left."""
    right, down = STEPS[way]
    return abs(right) * (length - 1) + BOX + 2, abs(down) * (length - 1) + BOX + 2


def strip(way: str, length: int, crosses: int) -> Picture:
    """Crosses over the first boxes of a row."""
    wide, high = strip_size(way, length)
    right, down = STEPS[way]
    start = -wide / 2 + 1 if right >= 0 else wide / 2 - 1 - BOX
    path = ""
    for place in range(crosses):
        x, y = start + right * place, -high / 2 + 1 + down * place
        path += _cross(x + 1, y + 1, BOX - 2, BOX - 2)
    return framed(wide, high, f'<path d="{path}" stroke="{BAD}" stroke-width="2.4" stroke-linecap="round"/>')


def _cross(x: float, y: float, wide: float, high: float) -> str:
    ways = (x, y, wide, high), (x, y + high, wide, -high)
    return "".join(f"M{number(a)} {number(b)}l{number(right)} {number(down)}" for a, b, right, down in ways)


def _mount_cross() -> Picture:
    path = _cross(-MOUNT / 2 + 3, -MOUNT_HIGH / 2 + 3, MOUNT - 6, MOUNT_HIGH - 6)
    return framed(MOUNT, MOUNT_HIGH, f'<path d="{path}" stroke="{BAD}" stroke-width="2.6" stroke-linecap="round"/>')


def board(plan: Plan) -> Picture:
    """The display of a class, no box of it lost."""
    edge = box_edge(plan.ship.race)
    high = plan.high
    parts = [
        f'<rect width="{WIDE}" height="{high}" fill="{PAPER}"/>',
        f'<rect x="0.5" y="0.5" width="{WIDE - 1}" height="{high - 1}" fill="none" stroke="{LINE}"/>',
        f'<path d="{_hull(plan)}" fill="{HULL}" stroke="{LINE}"/>',
        _title(plan),
    ]
    boxes = "".join(_boxes(row) for group in plan.groups for row in group.rows)
    parts.append(f'<path d="{boxes}" fill="{CARD}" stroke="{edge}" stroke-width="1.3"/>')
    words = "".join(outline(group.words, group.x, group.y + 2, TEXT) for group in plan.groups)
    words += "".join(outline(mount.name, mount.x + MOUNT / 2, mount.y + 4, TEXT) for mount in plan.mounts)
    small = "".join(outline(mount.arc, mount.x + MOUNT / 2, mount.y + 14.5, SMALL_TEXT) for mount in plan.mounts)
    small += "".join(outline(said, MIDDLE, y, SMALL_TEXT) for y, said in plan.lines)
    small += "".join(_numbers(group) for group in plan.groups if group.numbers)
    parts.append("".join(_mount(mount, edge) for mount in plan.mounts))
    parts.append(_stroked(words, INK, 1.05))
    parts.append(_stroked(small, SOFT, 0.9))
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{high}" viewBox="0 0 {WIDE} {high}">'
        f"{''.join(parts)}</svg>",
        *(WIDE, high),
        sheet=True,
    )


def box_edge(race: str) -> str:
    """The colour of the boxes on a race's SSDs."""
    return EDGES.get(race, paint_for(race).edge)


def _stroked(path: str, colour: str, thick: float) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{number(thick)}" stroke-linecap="round"'
        ' stroke-linejoin="round"/>'
    )


def _hull(plan: Plan) -> str:
    """The outline round everything inside: pointed ahead."""
    top, bottom = plan.hull
    left, right = MIDDLE - ROOM - 8, MIDDLE + ROOM + 8
    return f"M{left} {top + 22}l22 -22H{right - 22}l22 22V{bottom - 12}l-12 12H{left + 12}l-12 -12Z"


def _boxes(row: Row) -> str:
    """A row of boxes; those of shields at the sides lean as their column does."""
    right, down = STEPS[row.way]
    lean = math.atan2(right, down) if down else 0.0
    if not lean:
        return "".join(f"M{x} {y}h{BOX}v{BOX}h-{BOX}z" for x, y in row.boxes())
    path = []
    for x, y in row.boxes():
        corners = [
            (
                x + BOX / 2 + a * math.cos(lean) + b * math.sin(lean),
                y + BOX / 2 - a * math.sin(lean) + b * math.cos(lean),
            )
            for a, b in ((-BOX / 2, -BOX / 2), (BOX / 2, -BOX / 2), (BOX / 2, BOX / 2), (-BOX / 2, BOX / 2))
        ]
        path.append("M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "Z")
    return "".join(path)


def _mount(mount: Mount, edge: str) -> str:
    return (
        f'<rect x="{mount.x}" y="{mount.y}" width="{MOUNT}" height="{MOUNT_HIGH}" rx="3" fill="{CARD}" stroke="{edge}"'
        ' stroke-width="1.3"/>'
    )


def _numbers(group: Group) -> str:
    """The numbers in the boxes of a track."""
    spots = [spot for row in group.rows for spot in row.boxes()]
    return "".join(
        outline(str(rating), x + BOX / 2, y + 3.2, SMALL_TEXT)
        for rating, (x, y) in zip(group.numbers, spots, strict=True)
    )


def _title(plan: Plan) -> str:
    """The class with its silhouette, and what the form of its SSD says in words."""
    ship, paint = plan.ship, paint_for(plan.ship.race)
    hull = drawn(hull_for(ship.race, ship.class_name), paint)
    shown = f'<circle cx="30" cy="28" r="22" fill="#0d1424"/><g transform="translate(30 28)">{hull}</g>' + lettering(
        ship.name, 62 + width(ship.name, 10) / 2, 14, 10, INK, 1.5
    )
    facts = "   ".join(_facts(ship))
    return shown + lettering(facts, 62 + width(facts, SMALL_TEXT) / 2, 31, SMALL_TEXT, SOFT, 0.9)


def _facts(ship: ShipClass) -> list[str]:
    mode = ship.turn_mode or "/".join(map(str, ship.turn_modes))
    found = [f"movement {ship.move_cost}", f"turn mode {mode}"]
    return found + [f"{word} {count}" for word, count in _counts(ship) if count is not None]


def _counts(ship: ShipClass) -> tuple[tuple[str, int | None], ...]:
    return (
        ("crew", ship.crew),
        ("parties", ship.boarding_parties),
        ("explosion", ship.explosion),
        ("cloak", ship.cloak),
        ("BPV", ship.bpv),
    )
