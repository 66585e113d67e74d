"""Build the companion module's file: pictures, palette, build file, charts, help page and scenarios.

Each build of one version gives identical bytes. Every counter has a Marker trait that says what the counter is;
:mod:`pbem.vassal_bridge.binding` finds the counter by this trait. ``ShipKey`` is the key of a ship class, ``Weapon``
and ``Race`` mark a seeking weapon, and ``Unit`` marks any other kind of unit. Chart and help pages are plain HTML
without style sheets, because VASSAL's own viewer shows them. The charts come from the data files that the game uses.
``buildFile.xml`` is made from ``build_file.xml.j2``.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec.structs import replace

from pbem import __version__
from pbem.data import charts
from pbem.data.scenarios import Scenario, Victory, scenario, scenario_keys
from pbem.data.ships import LEFT, POWER, RIGHT, ShipClass, ship_class, ship_keys
from pbem.engine.state import State
from pbem.engine.step_names import TITLES
from pbem.errors import GameError
from pbem.reports.view.mission import weapon_charts
from pbem.rules.movement import max_speed, moves
from pbem.vassal_bridge.companion import counters, papers, ssd
from pbem.vassal_bridge.companion.board import DX, DY, PLANS, board_picture, png
from pbem.vassal_bridge.companion.counters import (
    CLOAK_KEY,
    CLONE,
    DELETE,
    DOWN,
    FIXED,
    NO_STACK,
    RENAME,
    SPEED,
    TURN_LEFT,
    TURN_RIGHT,
    UP,
    LayerMenu,
    SvgPicture,
    form_width,
    layer,
    mark,
    named,
    report,
)
from pbem.vassal_bridge.companion.papers import MODERATOR, open_command, players
from pbem.vassal_bridge.companion.ssd import AFTER, BEFORE, CHARTS, COMPANION, DURING, plan_of, ssd_traits, tracker_name
from vassal.errors import VassalError
from vassal.pieces.piece import Piece
from vassal.pieces.trait import Trait
from vassal.text import sequence
from vassal.text.leaves import AddPiece, BoardChoice


def chart_pages() -> dict[str, tuple[str, bytes]]:
    """Return the chart pages by title; each value is the path in the module and the page."""
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
    """Return an HTML table with a title above it; the first cell of each row is the row's heading.

    ``rule`` is the number of the rule, shown behind the title. ``note`` is a sentence below the table.
    """
    cited = f" ({rule})" if rule else ""
    top = "".join(f"<td><b>{escape(cell)}</b></td>" for cell in head)
    rest = "".join(f"<tr><td><b>{escape(first)}</b></td>{_cells(others)}</tr>" for first, *others in rows)
    table = f'<table border="1" cellpadding="3" cellspacing="0"><tr>{top}</tr>{rest}</table>'
    return f"<h2>{escape(title)}{cited}</h2>{table}{f'<p>{escape(note)}</p>' if note else ''}"


def _cells(cells: Iterable[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _weapons() -> Iterator[str]:
    """Yield HTML tables of the effects of each kind of weapon at each range."""
    for one in weapon_charts(charts.weapon_kinds()):
        yield _table(one.title, one.rule, one.head, one.rows, one.note)


def _movement() -> Iterator[str]:
    """Yield HTML tables: the impulse charts for all speeds and for seeking weapons, and the turn modes."""
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
    """Yield, for each impulse chart, an HTML table of the speeds that move in each impulse."""
    for impulses in CHARTS:
        speeds = range(1, max(max_speed(impulses), max_speed(impulses, seeker=True)) + 1)
        rows = (
            (str(impulse), _runs([speed for speed in speeds if moves(speed, impulse, impulses)]))
            for impulse in range(1, impulses + 1)
        )
        yield _table(f"Turns of {impulses} impulses: who moves", "C1.44", ("impulse", "speeds that move"), rows)


def _runs(numbers: Sequence[int]) -> str:
    """Return numbers as text, with consecutive numbers joined: ``2, 4, 6-8``."""
    runs: list[list[int]] = []
    for one in numbers:
        if runs and runs[-1][-1] == one - 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _spans(tops: Sequence[int]) -> Iterator[str]:
    """Yield the speed range of each turn mode as text (``0-4``), given each turn mode's highest speed."""
    first = 0
    for place, top in enumerate(tops):
        last = place == len(tops) - 1
        yield f"{first}+" if last else f"{first}-{top}"
        first = top + 1


def _damage() -> Iterator[str]:
    """Yield HTML tables of both damage allocation charts."""
    cadet, standard = charts.cadet_dac(), charts.standard_dac()
    for edition in (cadet.printed, cadet.module):
        rows = ((str(die), *row) for die, row in enumerate(edition.rows, start=1))
        title = cadet.title if edition is cadet.printed else f"{cadet.title}, with bridge and security"
        yield _table(title, "D4.21", ("die", *edition.columns), rows)
    rows = ((str(dice), *row) for dice, row in enumerate(standard.rows, start=2))
    yield _table(standard.title, "D4.21", ("dice", *standard.columns), rows, "* once in a volley (D4.31).")


SHIP_HEAD = ("ship", "shields #1 to #6", "power", "energy a hex", "turn mode, or its speeds", "weapons")


def _ships() -> Iterator[str]:
    """Yield HTML tables with the SSD data of all ship classes, race by race."""
    kinds = [ship_class(key) for key in ship_keys()]
    for key, race in charts.races().items():
        rows = [_ship_row(one) for one in kinds if one.race == key]
        if rows:
            yield _table(race.name, "", SHIP_HEAD, rows)


def _ship_row(ship: ShipClass) -> tuple[str, ...]:
    power = ", ".join(f"{ship.boxes[box]} {box}" for box in (LEFT, RIGHT, *POWER) if ship.boxes.get(box))
    arms = ", ".join(f"{one.name} {one.arc}".strip() for one in ship.weapons)
    mode = ship.turn_mode or " ".join(_spans(ship.turn_modes)) or "-"
    return (ship.name, " ".join(map(str, ship.shields)) or "-", power or "-", str(ship.move_cost), mode, arms or "-")


HELP_FILE = "help/companion.html"
"""The path of the help page inside the module."""

KEYS = (
    ("Ctrl+]", "Turn right", "one facing, 60 degrees clockwise; the nose of the rim shows the facing"),
    ("Ctrl+[", "Turn left", "one facing, 60 degrees counter-clockwise"),
    ("Ctrl+L", "Change Name", "the name above the counter"),
    ("Ctrl+S", "Set Speed", "the yellow label at the counter's lower right"),
    ("Ctrl+K", "Cloak", "lays the cloak over a ship, or takes it off"),
    ("Ctrl+T", "Movement Trail", "shows where the counter has been moved since the trails were cleared"),
    ("Ctrl+M", "Mark Moved", "sets the yellow mark at the upper right, or takes it off; moving a counter sets it"),
    ("Ctrl+Alt+D", "Open SSD", "the window with the display of this ship, box by box"),
    ("Ctrl+Alt+P", "SSD Sheet", "shields, internals and notes of a ship"),
    ("Ctrl+F", "Face down", "a drone, torpedo, shuttle or mine: others see a question mark and its facing"),
    ("Ctrl+Alt+N", "Secret Notes", "of such a counter: nobody else opens them while it lies face down"),
    ("Ctrl+I", "Invisible to others", "a guess of yours where a cloaked ship is"),
    ("Ctrl+Alt+E", "Energy", "the lines of a ship's papers for energy"),
    ("Ctrl+Alt+W", "Weapons", "their lines for weapons"),
    ("Ctrl+Alt+U", "Under way", "their lines for drones, torpedoes and shuttles"),
    ("Ctrl+C", "Clone", "another counter like this one"),
    ("Ctrl+D", "Delete", "takes the counter off the map"),
    ("Ctrl+Up", "Faster", "the speed marker, one up"),
    ("Ctrl+Down", "Slower", "the speed marker, one down"),
)
"""Keys that work on counters, each with the menu command and its effect."""

_ABOUT = (
    (
        "To begin",
        "File > Load Game opens a save that the umpire has sent, and shows the map. File > Scenarios has the openings,"
        " File > Empty maps boards without counters. Choose a side if you are asked; any will do. What you move is an"
        " experiment on your own table: orders are what you send to the game.",
    ),
    (
        "On the map",
        "Hold the mouse over a hex with several counters to see them side by side; a double click spreads them out. The"
        " button Range draws a line: press where it shall begin, drag to where it shall end, and both the line and the"
        " chat tell the range in hexes (with Ctrl the line stays). Overview (Ctrl+Shift+O) shows the whole map, and a"
        " click on it what is there; Who is where lists all counters by race, and a click finds one. The margin has no"
        " hexes. The arrow in the tool bar clears the trails and the moved marks of all counters.",
    ),
    (
        "SSDs and papers",
        "A right click on a ship and Open SSD shows the window with its display; the button SSDs opens that of each"
        " race. Everybody may see them. Click on"
        " boxes and one more of them is crossed off, the outer row of a shield first; click on their name and one is"
        " given back; click on a weapon and it is off, or on again. A right click has the same in words, and the chat"
        " tells it. A save of a game has all boxes as they are in the game. More SSDs lie in the palette, under SSDs."
        " The button Papers opens the window of your own side alone: a sheet for each of your ships with lines for"
        " energy, weapons and what is under way; Ctrl+Alt+E, W and U write on them.",
    ),
    (
        "Large and small",
        "Smaller shows all counters at a quarter of their size, pressed again as names with a mark for the facing; Full"
        " size puts them back.",
    ),
    (
        "Charts",
        "The button Charts opens the charts of the rules: what weapons do at which range, which speed moves in which"
        " impulse, turn modes, both damage charts, and what stands on the displays of all ships.",
    ),
    (
        "Impulses",
        "The buttons {charts} impulses open a tracker of the sequence of play; its arrows go from step to step, and the"
        " chat keeps pace. In a save of a game its own tracker stands where the game stands.",
    ),
    (
        "Notes",
        "Public notes hold the sitrep that everybody may read; write above or below its two lines. Delayed notes can"
        " hold your orders, but VASSAL hides them from honest eyes only: send such a file to nobody but the umpire.",
    ),
)


def help_page() -> bytes:
    """Return the help page that VASSAL shows under Help."""
    charts = ", ".join(str(impulses) for impulses in CHARTS)
    rows = "".join(
        f"<tr><td><b>{escape(key)}</b></td><td>{command}</td><td>{what}</td></tr>" for key, command, what in KEYS
    )
    parts = [f"<h2>{title}</h2><p>{escape(text.format(charts=charts))}</p>" for title, text in _ABOUT]
    parts.insert(2, f'<h2>Keys of a counter</h2><table border="0" cellpadding="3">{rows}</table>')
    page = f"<html><head><title>{COMPANION}</title></head><body><h1>{COMPANION}</h1>{''.join(parts)}</body></html>"
    return page.encode()


SHIELDS = tuple(f"Shield {number}" for number in range(1, 7))
"""Field names for the six shields in a ship's property sheet."""

SHEET = (*SHIELDS, "Internals", "Notes")
POINT_OF_TURN, PLANET, ASTEROIDS, SHUTTLE = "point of turn", "planet", "asteroids", "shuttle"
SEEKING = ("drone", "plasma")
MOST_GPIDS = 900_000
"""The number of possible palette ids (gpids).

Ids are computed from names, so they stay the same when ships are added.
"""

TRAIL = Trait(
    "footprint;84,130;Movement Trail;false;false;6;255,211,92;255,211,92;100;80;20;30;2.0;;;;movement trail",
    "false;;0;false",
)
"""The trait for a movement trail in the yellow of the speed label; VASSAL's own black cannot be seen on space."""

TURN = Trait(f"rotate;6;{TURN_RIGHT};{TURN_LEFT};Turn right;Turn left;;;Facing;facing;;;;true", "0")


def _name_label(height: int) -> Trait:
    """Return the label for the name above a counter that is *height* pixels high.

    With a height of 0 the label is inside the upper edge of the picture.
    """
    # Measured from the middle, because a turned counter has its edges elsewhere.
    where = f"c;{-height // 2};c;0;b;c" if height else f"c;{4 - counters.TERRAIN // 2};c;0;t;c"
    form = "$pieceName$ ($label$)"
    return Trait(f"label;{RENAME};Change Name;11;0,0,0;255,255,255;{where};{form};Dialog;1;0;UnitName;name;false")


STATUS_DOWN = 21
"""Distance in pixels from the middle of a counter down to the lower edge of its speed label.

At this distance the label is between the hex numbers below and beside it.
"""


def _status_label(size: int) -> Trait:
    """Return the label for the speed, and the word CLOAKED, in the lower right corner of a counter.

    ``size`` is the side length of the counter in pixels. The round plate of the counter leaves that corner free.
    Farther down, the label would cover the number of the next hex.
    """
    where = f"c;{STATUS_DOWN};c;{size // 2 - 12};b;l"
    return Trait(
        f"label;{SPEED};Set Speed;11;0,0,0;255,211,92;{where};$pieceName$;Dialog;1;0;Status;speed and cloak;false"
    )


def _moved(suffix: str) -> Trait:
    """Return the trait that marks a moved counter in its upper right corner.

    ``suffix`` is the suffix of image files, such as ``.png``.
    """
    x, y = counters.SHIP // 2 - counters.BADGE, -counters.SHIP // 2
    return Trait(f"markmoved;moved{suffix};{x};{y};Mark Moved;77,130;has moved;false;;;;", "false")


TURNED = report(
    '{newPieceName + " at " + location + " turns to facing " + "ABCDEF".charAt(Facing_Facing - 1)}',
    *("tells turns", TURN_RIGHT, TURN_LEFT),
)
RENAMED = report("$oldPieceName$ is now $newPieceName$", "tells new names", RENAME)
FASTER = report("$newPieceName$: speed $Status$", "tells speeds", SPEED)
CLOAKED = report("$oldPieceName$ is now $newPieceName$", "tells the cloak", CLOAK_KEY)
STEPPED = report("$oldPieceName$ is now $newPieceName$", "tells the speed marker", UP, DOWN)


@dataclass(frozen=True)
class PaletteEntry:
    """An entry of the palette (the list of counters that players can place).

    It has a tab, a name, a picture and traits. The traits are in order from the outermost to the innermost, without
    the core (basic piece).
    """

    tab: str
    name: str
    image: str
    picture: SvgPicture
    traits: tuple[Trait, ...]

    @property
    def shown(self) -> str:
        """The name shown in the palette, without words that the tab already has.

        The name must be short, because the palette's list is narrow.
        """
        short = self.name.removeprefix(f"{self.tab} ").removesuffix(" papers")
        return short[:1].upper() + short[1:]

    @property
    def gpid(self) -> str:
        """The palette id (VASSAL's gpid), computed from the name."""
        return str(1 + zlib.crc32(self.name.encode()) % MOST_GPIDS)

    def text(self, suffix: str) -> str:
        """Return the entry as text for the build file.

        ``suffix`` is the suffix of image files, such as ``.png``.
        """
        # A counter that can be shown smaller has its picture in a layer, which can be another one.
        layered = any(trait.kind == "emb2" and trait.field(19) == SIZE for trait in self.traits)
        image = "" if layered else self.image + suffix
        core = Trait(f"piece;;;{image};{self.name}", f"null;0;0;{self.gpid};0")
        return _text((*self.traits, core))


def _text(traits: tuple[Trait, ...]) -> str:
    piece = Piece.of(traits)
    return AddPiece("null", piece.type, piece.state).encode()


SIZE = "Size"
"""The name of the layer that shows the counter in full size, at a quarter of it, or as text alone."""

SMALLER, FULL_SIZE = named("smaller"), named("full size")


def _sized(image: str, race: str, suffix: str) -> Trait:
    images = [f"{image}{suffix}", f"dot-{race}{suffix}", f"tip-{race}{suffix}"]
    return layer(SIZE, images, LayerMenu(("", "Smaller", ""), ("", SMALLER, ""), ("Full size", FULL_SIZE)), "1")


FACE_DOWN, INVISIBLE = "70,130", "73,130"
"""Keys that turn a counter face down or make it invisible: Ctrl+F and Ctrl+I."""


def _secret(suffix: str) -> tuple[Trait, Trait]:
    """Return the traits of a counter that can be turned face down.

    These are a mask, and notes that only the counter's own side can read.
    """
    mask = Trait(f"obs;{FACE_DOWN};mask{suffix};Face down;I;?;side:;Peek;mask;true;;", "null;")
    kinds = f"0What it is~0Target~1Notes~{form_width('While it lies face down, only your side reads this.')}"
    return mask, Trait(f"propertysheet;{kinds};Secret Notes;;0;;;;78,650;secret notes", "~~~")


def _guarded() -> Trait:
    """Return a trait by which only a face-down counter's own side can turn, rename or remove it."""
    keys = (TURN_RIGHT, TURN_LEFT, RENAME, SPEED, "68,130", "67,130", "84,130", "77,130")
    return Trait(
        sequence.encode(
            ["hideCmd", "others leave it alone", "Hide", "Obscured = true", sequence.encode(keys, ",")], ";"
        )
    )


def _use(prototype: str) -> Trait:
    return Trait(f"prototype;{prototype}")


def prototypes(suffix: str) -> dict[str, str]:
    """Return the definitions of the module's prototypes (shared lists of traits), by name.

    ``suffix`` is the suffix of image files, such as ``.png``.
    """
    menu = LayerMenu(("Cloak", "", ""), (CLOAK_KEY, "", ""))
    cloak = layer("Cloak", [f"cloak{suffix}"], menu, "-1", names=["+ (cloaked)"])
    core = Trait("piece;;;;", "null;0;0;;0")
    reports = (TURNED, RENAMED, FASTER)
    tried = (DELETE, CLONE, TRAIL, _moved(suffix))
    big, small = counters.SHIP, counters.SMALL
    return {
        "Ship": _text((*reports, CLOAKED, *tried, _name_label(big), _status_label(big), cloak, TURN, core)),
        "Monster": _text((*reports, *tried, _name_label(big), _status_label(big), TURN, core)),
        "Unit": _text((*reports, *tried, _name_label(small), _status_label(small), TURN, core)),
        "Marker": _text((NO_STACK, RENAMED, DELETE, CLONE, _name_label(small), core)),
        "Terrain": _text((FIXED, RENAMED, DELETE, _name_label(0), core)),
        PAPERS: _text((*papers.prototype(), core)),
    }


def _sheet(ship: ShipClass) -> Trait:
    kinds = "~".join(("1" if name == "Notes" else "0") + name for name in SHEET)
    kinds += f"~{form_width('The display with all boxes: Open SSD.')}"
    values = [*(str(boxes) for boxes in ship.shields), "0", "", ""]
    return Trait(f"propertysheet;{kinds};SSD Sheet;;0;;;;80,650;sheet", sequence.encode(values, "~"))


def _ship_entry(key: str, suffix: str) -> PaletteEntry:
    ship = ship_class(key)
    marks = mark(ShipKey=key, Race=ship.race, Class=ship.class_name)
    picture = counters.ship(ship.race, ship.class_name, cadet=ship.level == "cadet")
    image = f"ship-{key}"
    traits = (open_command(ship.race), _use("Ship"), _sheet(ship), marks, _sized(image, ship.race, suffix))
    return PaletteEntry(_tab(ship.race), ship.name, image, picture, traits)


def _tab(race: str) -> str:
    return charts.races()[race].name


def _of_race(race: str, suffix: str) -> Iterator[PaletteEntry]:
    name = tab = _tab(race)
    for kind, what, picture, marks in (
        ("drone", "drone", counters.drone(race), mark(Weapon="drone", Race=race)),
        ("plasma", "plasma torpedo", counters.plasma(race), mark(Weapon="plasma", Race=race)),
        ("shuttle", "shuttle", counters.shuttle(race), mark(Unit=SHUTTLE, Race=race)),
    ):
        image = f"{kind}-{race}"
        traits = (_guarded(), _use("Unit"), *_secret(suffix), marks, _sized(image, race, suffix))
        yield PaletteEntry(tab, f"{name} {what}", image, picture, traits)
    yield PaletteEntry(
        *(tab, f"{name} point of turn", f"turn-{race}", counters.point_of_turn(race)),
        traits=(TURNED, _use("Marker"), TURN, mark(Unit=POINT_OF_TURN, Race=race)),
    )


def _space(suffix: str) -> Iterator[PaletteEntry]:
    for key, kind in sorted(charts.monsters().kinds.items()):
        image, marks = f"monster-{key}", mark(Unit="monster", Monster=key)
        traits = (_use("Monster"), marks, _sized(image, "plain", suffix))
        yield PaletteEntry("Space", kind.name, image, counters.monster(key), traits)
    yield PaletteEntry(
        "Space",
        "Planet",
        "planet",
        counters.fixed_picture("planet", counters.TERRAIN),
        (_use("Terrain"), mark(Unit=PLANET)),
    )
    yield PaletteEntry("Space", "Asteroids", "asteroids", counters.asteroids(), (_use("Terrain"), mark(Unit=ASTEROIDS)))


SSDS = "SSDs"
"""The name of the palette tab with the SSDs."""


def _ssd(key: str, suffix: str) -> PaletteEntry:
    plan = plan_of(key)
    name, of_class = plan.ship.name, plan.ship.class_name
    race, cadet, _ = name.partition(" Cadet ")
    if cadet:
        name = f"{race}{cadet}{of_class}"
    elif name.endswith(f" {of_class}"):
        name = f"{race.partition(' ')[0]} {of_class}"
    return PaletteEntry(SSDS, f"{name} SSD", f"ssd-{key}", ssd.board(plan), ssd_traits(plan, suffix))


PAPERS = "Papers"
"""Name of the palette tab, the prototype and the picture of private sheets."""


def _paper(race: str) -> PaletteEntry:
    marks = mark(**{papers.MARK: race, "Race": race})
    name = f"{_tab(race)} papers"
    return PaletteEntry(PAPERS, name, "papers", papers.picture(), (papers.restricted(race), _use(PAPERS), marks))


def speed_images() -> dict[str, SvgPicture]:
    """Return the pictures of the speed marker, by image name."""
    return {f"speed-{speed:02d}": counters.speed_plate(speed) for speed in range(counters.SPEEDS)}


def _markers(suffix: str) -> Iterator[PaletteEntry]:
    plates = [name + suffix for name in speed_images()]
    names = [f"+ {speed}" for speed in range(counters.SPEEDS)]
    turning = layer("Speed", plates, LayerMenu(("", "Faster", "Slower"), ("", UP, DOWN)), "1", names=names)
    speed = (STEPPED, _use("Marker"), turning, mark(Unit="speed"))
    yield PaletteEntry("Markers", "Speed", "speed-00", counters.speed_plate(0), speed)
    yield PaletteEntry(
        "Markers", "Note", "note", counters.fixed_picture("note", counters.SMALL), (_use("Marker"), mark(Unit="note"))
    )
    yield PaletteEntry(
        "Markers", "Mine", "mine", counters.mine(), (_guarded(), _use("Marker"), *_secret(suffix), mark(Unit="mine"))
    )
    unseen = Trait(f"hide;{INVISIBLE};Invisible to others;;side:;0.3;invisible;false", "null")
    yield PaletteEntry("Markers", "Guess", "guess", counters.guess(), (unseen, _use("Marker"), mark(Unit="guess")))


def palette_entries(suffix: str) -> tuple[PaletteEntry, ...]:
    """Return all palette entries: ships and small units race by race, then space, markers and sheets.

    ``suffix`` is the suffix of image files, such as ``.png``.
    """
    ships = [_ship_entry(key, suffix) for key in ship_keys()]
    found: list[PaletteEntry] = []
    for race in charts.races():
        found += [ship for ship in ships if ship.tab == _tab(race)]
        found += _of_race(race, suffix)
    sheets = [_ssd(key, suffix) for key in ship_keys()] + [_paper(race) for race in players()]
    return (*found, *_space(suffix), *_markers(suffix), *sheets)


def pictures() -> dict[str, SvgPicture]:
    """Return every picture that a counter needs, by image name."""
    laid_on = {
        "cloak": counters.fixed_picture("cloak", counters.SHIP),
        "moved": counters.fixed_picture("moved", counters.BADGE),
    }
    laid_on["mask"] = counters.mask()
    for race in (*charts.races(), "plain"):
        laid_on |= {f"dot-{race}": counters.dot(race), f"tip-{race}": counters.tip(race)}
    return {**{one.image: one.picture for one in palette_entries("")}, **speed_images(), **laid_on, **ssd.pictures()}


VASSAL = "3.7.26"
"""The version of VASSAL for which the module is made."""

MAP = "Space"
STACKED, SPREAD = (10, -13), (54, -14)
"""Offset in pixels of each counter in a stack from the one below it: to the right, and (negative) downward.

The second pair is for a stack that was spread by a double click. VASSAL's own offsets of 2 and 4 pixels up hide the
names.
"""


class ModuleFacts(NamedTuple):
    """Name, version and description of a module."""

    name: str
    version: str
    description: str


def build_file(
    about: ModuleFacts,
    sides: Iterable[str],
    palette: Iterable[PaletteEntry],
    prototypes: dict[str, str],
    setups: dict[str, dict[str, str]],
    chart_files: dict[str, str],
    suffix: str,
) -> bytes:
    """Return ``buildFile.xml``, the module's table of contents.

    Args:
        about: The module's name, version and description.
        sides: The sides that players can choose.
        palette: The palette entries.
        prototypes: Prototype definitions by name.
        setups: Menus of predefined setups: by menu, a dict of title to file.
        chart_files: Files of the chart pages by title.
        suffix: The suffix of image files.
    """
    from jinja2 import Environment, StrictUndefined
    from lxml import etree

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters.update(
        listed=lambda names: sequence.encode(names, ","),
        set_up=lambda window, board: sequence.encode([f"{window}BoardPicker", board, "0", "0"], "\t"),
        tracker_name=tracker_name,
    )
    template = environment.from_string(Path(__file__).with_name("build_file.xml.j2").read_text(encoding="utf-8"))
    text = template.render(
        name=about.name,
        version=about.version,
        vassal=VASSAL,
        description=about.description,
        help_file=HELP_FILE,
        next_gpid=MOST_GPIDS + 1,
        sides=sides,
        prototypes=prototypes,
        map=MAP,
        plans=PLANS,
        ssd_windows={papers.ssd_window(race): papers.show_key(race) for race in charts.races()},
        paper_windows={papers.paper_window(race): papers.owners(race) for race in papers.players()},
        sizes=[
            ("Smaller", SMALLER, "All counters a step smaller: a quarter of their size, then text alone"),
            ("Full size", FULL_SIZE, "All counters as large as they are drawn"),
        ],
        ssd_board=papers.SSD_BOARD,
        paper_board=papers.PAPER_BOARD,
        board_sizes=papers.board_sizes,
        sheet_colour=papers.SPACE_COLOUR,
        dx=DX,
        dy=DY,
        stacked=STACKED,
        spread=SPREAD,
        charts=CHARTS,
        before=[TITLES[step] for step in BEFORE],
        during=[TITLES[step] for step in DURING],
        after=[TITLES[step] for step in AFTER],
        counted=lambda impulses: [f"Impulse {number}" for number in range(1, impulses + 1)],
        palette=[(tab, list(entries)) for tab, entries in groupby(palette, lambda entry: entry.tab)],
        setups=setups,
        chart_files=chart_files,
        suffix=suffix,
    )
    root = etree.fromstring(text, etree.XMLParser(remove_blank_text=True, resolve_entities=False, no_network=True))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=False)


DESCRIPTION = "Counters, maps and impulse charts for Cadet games by mail; drawn and packed by pbem"

Entries = tuple[tuple[str, bytes], ...]


class Built(NamedTuple):
    """A finished module: the entries of its zip file, and its numbers of counters, pictures and scenarios."""

    entries: Entries
    slots: int
    pictures: int
    scenarios: int


def build_module(*, svg: bool = False, scenarios: bool = True) -> Built:
    """Build the companion module with PNG pictures or, if ``svg`` is set, with the SVG drawings.

    VASSAL can show both kinds of pictures.

    Raises:
        GameError: ``svg`` is not set and resvg is not installed.
    """
    suffix = ".svg" if svg else ".png"
    drawn = {f"board-{place}": board_picture(plan) for place, plan in enumerate(PLANS)} | pictures()
    images = tuple(
        (f"images/{name}{suffix}", picture.svg.encode() if svg else png(picture))
        for name, picture in sorted(drawn.items())
    )
    setups: dict[str, bytes] = {}
    if scenarios:
        setups = _setups(_entries(images, {}, suffix))
    entries = _entries(images, setups, suffix)
    return Built(entries, len(palette_entries(suffix)), len(images), len(_numbers()) if setups else 0)


def verify_place(path: Path) -> None:
    """Check that a module can be written at ``path``; this is done before drawing, which takes long.

    Raises:
        GameError: The path cannot be written.
    """
    folder = path.absolute().parent
    if path.is_dir():
        why = f"name a file, not a folder: {path / 'cadet.vmod'}"
    elif not folder.is_dir():
        why = "cannot be written (there is no such folder)"
    elif not os.access(folder, os.W_OK):
        why = "cannot be written (its folder does not allow writing)"
    else:
        return
    raise GameError.saying("module", why, file=str(path))


def write_module(built: Built, path: Path) -> None:
    """Write the module's file; an existing file is replaced in one step.

    Raises:
        GameError: The file cannot be written.
    """
    from vassal.container.archive import write_archive

    try:
        write_archive(path, built.entries)
    except VassalError as error:
        raise GameError.saying("module", str(error).removeprefix(f"{path}: "), file=str(path)) from error


def bare_entries() -> Entries:
    """Return the zip entries of the module without pictures; they are enough to write saves for it.

    Blank boards are included, because VASSAL takes the sizes of boards from their images.
    """
    # Names are those of the module with PNG pictures, because a save names the pictures of its counters.
    boards = tuple(
        (f"images/board-{place}.png", f'<svg width="{plan.width}" height="{plan.height}"/>'.encode())
        for place, plan in enumerate(PLANS)
    )
    return _entries(boards, {}, ".png")


def _entries(images: Entries, setups: dict[str, bytes], suffix: str) -> Entries:
    from vassal.container.archive import metadata_xml

    menus = {
        "Scenarios": {f"#{number} {scenario(number).title}": _file(number) for number in _numbers()},
        "Empty maps": {plan.name: _empty(place) for place, plan in enumerate(PLANS)},
    }
    # If a module has predefined setups, VASSAL offers no other new game. So empty maps are setups, too.
    found = {menu: {name: file for name, file in games.items() if file in setups} for menu, games in menus.items()}
    pages = chart_pages()
    sides = [charts.races()[race].name for race in players()]
    build = build_file(
        ModuleFacts(COMPANION, __version__, DESCRIPTION),
        sides=[*sides, MODERATOR],
        palette=palette_entries(suffix),
        prototypes=prototypes(suffix),
        setups={menu: games for menu, games in found.items() if games},
        chart_files={title: file for title, (file, _) in pages.items()},
        suffix=suffix,
    )
    data = metadata_xml(__version__, VASSAL, DESCRIPTION, COMPANION)
    page = (HELP_FILE, help_page())
    return (("buildFile.xml", build), ("moduledata", data), page, *pages.values(), *images, *sorted(setups.items()))


def _numbers() -> list[str]:
    return sorted(scenario_keys(), key=lambda number: (len(number), number))


def _file(number: str) -> str:
    return f"scenario-{int(number):02d}.vsav" if number.isdecimal() else f"scenario-{number}.vsav"


def _empty(place: int) -> str:
    return f"empty-{place + 1}.vsav"


def _setups(entries: Entries) -> dict[str, bytes]:
    """Return saves with the opening positions of each scenario and with each empty board, by file name.

    ``entries`` are the zip entries of the module.
    """
    from pbem.vassal_bridge.export import export_game, open_module, write_save
    from vassal.container.archive import write_archive
    from vassal.write import SaveWriter

    found = {}
    with TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.vmod"
        write_archive(bare, entries)
        module = open_module(bare)
        for number in _numbers():
            file = Path(folder) / _file(number)
            write_save(export_game(opening(scenario(number)), module).save, file)
            found[file.name] = file.read_bytes()
        for place, plan in enumerate(PLANS):
            file = Path(folder) / _empty(place)
            write_save(SaveWriter(module, {MAP: (BoardChoice(plan.name),)}).save(), file)
            found[file.name] = file.read_bytes()
    return found


def opening(setting: Scenario) -> State:
    """Return the state with which a scenario begins.

    Chapters and victory conditions of the scenario are left out: they are not needed and could cause errors.
    """
    from pbem.engine.play.setup import set_up

    bare = replace(setting, chapters=(), victory=Victory(kind="none"))
    players = {side.name: "robot" if side.robot in ("must", "unless") else side.name for side in setting.sides}
    return set_up(bare, f"#{setting.number} {setting.title}", players=players).state
