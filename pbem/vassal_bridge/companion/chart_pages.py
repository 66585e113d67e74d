"""The charts of the rules as pages of the module, in a window of their own: weapons, movement, damage, ships.

Plain HTML without style sheets, from the same data files that the game is played by: VASSAL shows it itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from pbem.data import charts
from pbem.data.displays import LEFT, POWER, RIGHT
from pbem.data.ships import ShipClass, ship_class, ship_keys
from pbem.reports.view.mission import weapon_charts
from pbem.rules.impulse_chart import max_speed, moves
from pbem.vassal_bridge.companion.tracker import CHARTS


def chart_pages() -> dict[str, tuple[str, bytes]]:
    """The pages by their titles: where each lies in the module, and the page."""
    made = {
        "Weapons": _weapons(),
        "Movement": _movement(),
        "Impulses": _impulses(),
        "Damage": _damage(),
        "Ships": _ships(),
    }
    return {title: (f"charts/{title.lower()}.html", _page(title, parts)) for title, parts in made.items()}


def _page(title: str, parts: Iterable[str]) -> bytes:
    page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{''.join(parts)}</body></html>"
    return page.encode()


def _table(title: str, rule: str, head: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table under its title; the first cell of each row says what the row is."""
    said = f" ({rule})" if rule else ""
    top = "".join(f"<td><b>{escape(cell)}</b></td>" for cell in head)
    rest = "".join(f"<tr><td><b>{escape(first)}</b></td>{_cells(others)}</tr>" for first, *others in rows)
    table = f'<table border="1" cellpadding="3" cellspacing="0"><tr>{top}</tr>{rest}</table>'
    return f"<h2>{escape(title)}{said}</h2>{table}{f'<p>{escape(note)}</p>' if note else ''}"


def _cells(cells: Iterable[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _weapons() -> Iterator[str]:
    """What each kind of weapon does at each range."""
    for one in weapon_charts(charts.weapon_kinds()):
        yield _table(one.title, one.rule, one.head, one.rows, one.note)


def _movement() -> Iterator[str]:
    """The impulse charts, for the speeds of ships and of what is faster, and the turn modes."""
    for impulses in CHARTS:
        count = range(1, impulses + 1)
        speeds = range(1, max(max_speed(impulses), max_speed(impulses, seeker=True)) + 1)
        rows = (
            (str(speed), *("x" if moves(speed, impulse, impulses) else "\u00b7" for impulse in count))
            for speed in speeds
        )
        yield _table(f"Turns of {impulses} impulses", "C1.44", ("speed", *map(str, count)), rows)
    modes = charts.turn_modes().classes
    most = max(len(tops) for tops in modes.values())
    rows = ((name, *_spans(tops), *[""] * (most - len(tops))) for name, tops in modes.items())
    yield _table("Turn modes: speeds", "C3.3", ("class", *(str(mode) for mode in range(1, most + 1))), rows)


def _impulses() -> Iterator[str]:
    """Who moves when: for each impulse of each chart, the speeds that move in it."""
    for impulses in CHARTS:
        speeds = range(1, max(max_speed(impulses), max_speed(impulses, seeker=True)) + 1)
        rows = (
            (str(impulse), _runs([speed for speed in speeds if moves(speed, impulse, impulses)]))
            for impulse in range(1, impulses + 1)
        )
        yield _table(f"Turns of {impulses} impulses: who moves", "C1.44", ("impulse", "speeds that move"), rows)


def _runs(numbers: Sequence[int]) -> str:
    """Numbers with those that follow one another drawn together: ``2, 4, 6-8``."""
    runs: list[list[int]] = []
    for one in numbers:
        if runs and runs[-1][-1] == one - 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _spans(tops: Sequence[int]) -> Iterator[str]:
    """The speeds of each turn mode, from the highest speed of each."""
    first = 0
    for place, top in enumerate(tops):
        last = place == len(tops) - 1
        yield f"{first}+" if last else f"{first}-{top}"
        first = top + 1


def _damage() -> Iterator[str]:
    """Both damage allocation charts."""
    cadet, standard = charts.cadet_dac(), charts.standard_dac()
    for edition in (cadet.printed, cadet.module):
        rows = ((str(die), *row) for die, row in enumerate(edition.rows, start=1))
        title = cadet.title if edition is cadet.printed else f"{cadet.title}, with bridge and security"
        yield _table(title, "D4.21", ("die", *edition.columns), rows)
    rows = ((str(dice), *row) for dice, row in enumerate(standard.rows, start=2))
    yield _table(standard.title, "D4.21", ("dice", *standard.columns), rows, "* once in a volley (D4.31).")


SHIP_HEAD = ("ship", "shields #1 to #6", "power", "energy a hex", "turn mode, or its speeds", "weapons")


def _ships() -> Iterator[str]:
    """What stands on the displays of all classes, race by race."""
    kinds = [ship_class(key) for key in ship_keys()]
    for key, race in charts.races().items():
        rows = [_ship(one) for one in kinds if one.race == key]
        if rows:
            yield _table(race.name, "", SHIP_HEAD, rows)


def _ship(ship: ShipClass) -> tuple[str, ...]:
    power = ", ".join(f"{ship.boxes[box]} {box}" for box in (LEFT, RIGHT, *POWER) if ship.boxes.get(box))
    arms = ", ".join(f"{one.name} {one.arc}".strip() for one in ship.weapons)
    mode = ship.turn_mode or " ".join(_spans(ship.turn_modes)) or "-"
    return (ship.name, " ".join(map(str, ship.shields)) or "-", power or "-", str(ship.move_cost), mode, arms or "-")
