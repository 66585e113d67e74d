"""What lies in the palette: the counters with their traits, each with a Marker that says what it stands for.

The markers are how :mod:`pbem.vassal_bridge.binding` finds the right counter by itself: ``ShipKey`` is the key of a
class, ``Weapon`` and ``Race`` a seeking weapon, ``Unit`` any other kind.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.data import charts
from pbem.data.ships import ShipClass, ship_class, ship_keys
from pbem.vassal_bridge.companion import counters, papers, ssd_picture
from pbem.vassal_bridge.companion.counters import Picture
from pbem.vassal_bridge.companion.ssd_piece import ssd_traits
from pbem.vassal_bridge.companion.ssd_plan import plan_of
from pbem.vassal_bridge.companion.traits import (
    CLOAK_KEY,
    CLONE,
    DELETE,
    DOWN,
    FIXED,
    LEFT,
    NO_STACK,
    RENAME,
    RIGHT,
    SPEED,
    UP,
    form_width,
    layer,
    mark,
    named,
    report,
)
from pbem.vassal_bridge.companion.windows import open_command, players
from vassal.pieces.pieces import Piece
from vassal.pieces.trait import Trait
from vassal.text import sequence
from vassal.text.leaves import AddPiece

SHIELDS = tuple(f"Shield {number}" for number in range(1, 7))
"""Fields of a ship's sheet."""

SHEET = (*SHIELDS, "Internals", "Notes")
POINT_OF_TURN, PLANET, ASTEROIDS, SHUTTLE = "point of turn", "planet", "asteroids", "shuttle"
SEEKING = ("drone", "plasma")
MOST_GPIDS = 900_000
"""Numbers of palette entries are this many; they are reckoned from names, so that they stay when ships are added."""

TRAIL = Trait(
    "footprint;84,130;Movement Trail;false;false;6;255,211,92;255,211,92;100;80;20;30;2.0;;;;movement trail",
    "false;;0;false",
)
"""Drawn in the yellow of the speed: VASSAL's own black does not show on space."""

TURN = Trait(f"rotate;6;{RIGHT};{LEFT};Turn right;Turn left;;;Facing;facing;;;;true", "0")


def _name_label(height: int) -> Trait:
    """The name, on top of a counter that is so high; ``height`` 0 writes it into the picture's upper edge."""
    # Counted from the middle, since the edges of a turned counter lie elsewhere.
    where = f"c;{-height // 2};c;0;b;c" if height else f"c;{4 - counters.TERRAIN // 2};c;0;t;c"
    form = "$pieceName$ ($label$)"
    return Trait(f"label;{RENAME};Change Name;11;0,0,0;255,255,255;{where};{form};Dialog;1;0;UnitName;name;false")


STATUS_DOWN = 21
"""The lower edge of a speed, from the middle of its counter: between the names of the hexes below and beside it."""


def _status_label(size: int) -> Trait:
    """Speed and CLOAKED, at the lower right of a counter of that size: over no name, neither its own nor that of a
    counter in the next hex.
    """
    where = f"c;{STATUS_DOWN};c;{size // 2 - 12};b;l"
    return Trait(
        f"label;{SPEED};Set Speed;11;0,0,0;255,211,92;{where};$pieceName$;Dialog;1;0;Status;speed and cloak;false"
    )


def _moved(suffix: str) -> Trait:
    """Marks a counter that has moved in its upper right corner, beside name and speed."""
    x, y = counters.SHIP // 2 - counters.BADGE, -counters.SHIP // 2
    return Trait(f"markmoved;moved{suffix};{x};{y};Mark Moved;77,130;has moved;false;;;;", "false")


TURNED = report(
    '{newPieceName + " at " + location + " turns to facing " + "ABCDEF".charAt(Facing_Facing - 1)}',
    *("tells turns", RIGHT, LEFT),
)
RENAMED = report("$oldPieceName$ is now $newPieceName$", "tells new names", RENAME)
FASTER = report("$newPieceName$: speed $Status$", "tells speeds", SPEED)
CLOAKED = report("$oldPieceName$ is now $newPieceName$", "tells the cloak", CLOAK_KEY)
STEPPED = report("$oldPieceName$ is now $newPieceName$", "tells the speed marker", UP, DOWN)


@dataclass(frozen=True)
class Entry:
    """A palette entry: where it lies, what it looks like, and its traits without the core, outermost first."""

    tab: str
    name: str
    image: str
    picture: Picture
    traits: tuple[Trait, ...]

    @property
    def shown(self) -> str:
        """What the palette calls it: what the tab says goes without saying, and the list is narrow."""
        short = self.name.removeprefix(f"{self.tab} ").removesuffix(" papers")
        return short[:1].upper() + short[1:]

    @property
    def gpid(self) -> str:
        return str(1 + zlib.crc32(self.name.encode()) % MOST_GPIDS)

    def text(self, suffix: str) -> str:
        """The entry as a build file has it; *suffix* is that of the images."""
        # A counter that can be shown smaller has its picture in a layer, which can be another one.
        layered = any(trait.kind == "emb2" and trait.field(19) == SIZE for trait in self.traits)
        image = "" if layered else self.image + suffix
        core = Trait(f"piece;;;{image};{self.name}", f"null;0;0;{self.gpid};0")
        return _text((*self.traits, core))


def _text(traits: tuple[Trait, ...]) -> str:
    piece = Piece.of(traits)
    return AddPiece("null", piece.type, piece.state).encode()


SIZE = "Size"
"""The layer that holds the picture of a counter: as it is drawn, at a quarter of that, or its text alone."""

SMALLER, FULL_SIZE = named("smaller"), named("full size")


def _sized(image: str, race: str, suffix: str) -> Trait:
    images = [f"{image}{suffix}", f"dot-{race}{suffix}", f"tip-{race}{suffix}"]
    return layer(SIZE, images, ("", "Smaller", ""), ("", SMALLER, ""), "1", reset=("Full size", FULL_SIZE))


FACE_DOWN, INVISIBLE = "70,130", "73,130"
"""Keys: Ctrl+F and Ctrl+I."""


def _secret(suffix: str) -> tuple[Trait, Trait]:
    """A mask, and within it notes that nobody but its side reads while the counter lies face down."""
    mask = Trait(f"obs;{FACE_DOWN};mask{suffix};Face down;I;?;side:;Peek;mask;true;;", "null;")
    kinds = f"0What it is~0Target~1Notes~{form_width('While it lies face down, only your side reads this.')}"
    return mask, Trait(f"propertysheet;{kinds};Secret Notes;;0;;;;78,650;secret notes", "~~~")


def _guarded() -> Trait:
    """Nobody but its side turns, renames or removes a counter that lies face down."""
    keys = (RIGHT, LEFT, RENAME, SPEED, "68,130", "67,130", "84,130", "77,130")
    return Trait(
        sequence.encode(
            ["hideCmd", "others leave it alone", "Hide", "Obscured = true", sequence.encode(keys, ",")], ";"
        )
    )


def _use(prototype: str) -> Trait:
    return Trait(f"prototype;{prototype}")


def prototypes(suffix: str) -> dict[str, str]:
    """The prototypes by name."""
    cloak = layer("Cloak", [f"cloak{suffix}"], ("Cloak", "", ""), (CLOAK_KEY, "", ""), "-1", names=["+ (cloaked)"])
    core = Trait("piece;;;;", "null;0;0;;0")
    told = (TURNED, RENAMED, FASTER)
    tried = (DELETE, CLONE, TRAIL, _moved(suffix))
    big, small = counters.SHIP, counters.SMALL
    return {
        "Ship": _text((*told, CLOAKED, *tried, _name_label(big), _status_label(big), cloak, TURN, core)),
        "Monster": _text((*told, *tried, _name_label(big), _status_label(big), TURN, core)),
        "Unit": _text((*told, *tried, _name_label(small), _status_label(small), TURN, core)),
        "Marker": _text((NO_STACK, RENAMED, DELETE, CLONE, _name_label(small), core)),
        "Terrain": _text((FIXED, RENAMED, DELETE, _name_label(0), core)),
        PAPERS: _text((*papers.prototype(), core)),
    }


def _sheet(ship: ShipClass) -> Trait:
    kinds = "~".join(("1" if name == "Notes" else "0") + name for name in SHEET)
    kinds += f"~{form_width('The display with all boxes: Open SSD.')}"
    values = [*(str(boxes) for boxes in ship.shields), "0", "", ""]
    return Trait(f"propertysheet;{kinds};SSD Sheet;;0;;;;80,650;sheet", sequence.encode(values, "~"))


def _ship(key: str, suffix: str) -> Entry:
    ship = ship_class(key)
    marks = mark(ShipKey=key, Race=ship.race, Class=ship.class_name)
    picture = counters.ship(ship.race, ship.class_name, cadet=ship.level == "cadet")
    image = f"ship-{key}"
    traits = (open_command(ship.race), _use("Ship"), _sheet(ship), marks, _sized(image, ship.race, suffix))
    return Entry(_tab(ship.race), ship.name, image, picture, traits)


def _tab(race: str) -> str:
    return charts.races()[race].name


def _of_race(race: str, suffix: str) -> Iterator[Entry]:
    name = tab = _tab(race)
    for kind, what, picture, marks in (
        ("drone", "drone", counters.drone(race), mark(Weapon="drone", Race=race)),
        ("plasma", "plasma torpedo", counters.plasma(race), mark(Weapon="plasma", Race=race)),
        ("shuttle", "shuttle", counters.shuttle(race), mark(Unit=SHUTTLE, Race=race)),
    ):
        image = f"{kind}-{race}"
        traits = (_guarded(), _use("Unit"), *_secret(suffix), marks, _sized(image, race, suffix))
        yield Entry(tab, f"{name} {what}", image, picture, traits)
    yield Entry(
        *(tab, f"{name} point of turn", f"turn-{race}", counters.point_of_turn(race)),
        traits=(TURNED, _use("Marker"), TURN, mark(Unit=POINT_OF_TURN, Race=race)),
    )


def _space(suffix: str) -> Iterator[Entry]:
    for key, kind in sorted(charts.monsters().kinds.items()):
        image, marks = f"monster-{key}", mark(Unit="monster", Monster=key)
        traits = (_use("Monster"), marks, _sized(image, "plain", suffix))
        yield Entry("Space", kind.name, image, counters.monster(key), traits)
    yield Entry(
        "Space", "Planet", "planet", counters.plain("planet", counters.TERRAIN), (_use("Terrain"), mark(Unit=PLANET))
    )
    yield Entry("Space", "Asteroids", "asteroids", counters.asteroids(), (_use("Terrain"), mark(Unit=ASTEROIDS)))


SSDS = "SSDs"
"""The tab in which the displays lie."""


def _ssd(key: str, suffix: str) -> Entry:
    plan = plan_of(key)
    name, of_class = plan.ship.name, plan.ship.class_name
    race, cadet, _ = name.partition(" Cadet ")
    if cadet:
        name = f"{race}{cadet}{of_class}"
    elif name.endswith(f" {of_class}"):
        name = f"{race.partition(' ')[0]} {of_class}"
    return Entry(SSDS, f"{name} SSD", f"ssd-{key}", ssd_picture.board(plan), ssd_traits(plan, suffix))


PAPERS = "Papers"
"""The tab, the prototype and the picture of papers."""


def _paper(race: str) -> Entry:
    marks = mark(**{papers.MARK: race, "Race": race})
    name = f"{_tab(race)} papers"
    return Entry(PAPERS, name, "papers", papers.picture(), (papers.restricted(race), _use(PAPERS), marks))


def speed_images() -> dict[str, Picture]:
    """The plates of the speed marker by name."""
    return {f"speed-{speed:02d}": counters.speed_plate(speed) for speed in range(counters.SPEEDS)}


def _markers(suffix: str) -> Iterator[Entry]:
    plates = [name + suffix for name in speed_images()]
    names = [f"+ {speed}" for speed in range(counters.SPEEDS)]
    turning = layer("Speed", plates, ("", "Faster", "Slower"), ("", UP, DOWN), "1", names=names)
    speed = (STEPPED, _use("Marker"), turning, mark(Unit="speed"))
    yield Entry("Markers", "Speed", "speed-00", counters.speed_plate(0), speed)
    yield Entry("Markers", "Note", "note", counters.plain("note", counters.SMALL), (_use("Marker"), mark(Unit="note")))
    yield Entry(
        "Markers", "Mine", "mine", counters.mine(), (_guarded(), _use("Marker"), *_secret(suffix), mark(Unit="mine"))
    )
    unseen = Trait(f"hide;{INVISIBLE};Invisible to others;;side:;0.3;invisible;false", "null")
    yield Entry("Markers", "Guess", "guess", counters.guess(), (unseen, _use("Marker"), mark(Unit="guess")))


def entries(suffix: str) -> tuple[Entry, ...]:
    """All palette entries: the races in the order of their chart, then space and markers."""
    ships = [_ship(key, suffix) for key in ship_keys()]
    found: list[Entry] = []
    for race in charts.races():
        found += [ship for ship in ships if ship.tab == _tab(race)]
        found += _of_race(race, suffix)
    sheets = [_ssd(key, suffix) for key in ship_keys()] + [_paper(race) for race in players()]
    return (*found, *_space(suffix), *_markers(suffix), *sheets)


def pictures() -> dict[str, Picture]:
    """Every picture a counter needs, by the name of its image."""
    laid_on = {"cloak": counters.plain("cloak", counters.SHIP), "moved": counters.plain("moved", counters.BADGE)}
    laid_on["mask"] = counters.mask()
    for race in (*charts.races(), "plain"):
        laid_on |= {f"dot-{race}": counters.dot(race), f"tip-{race}": counters.tip(race)}
    return {**{one.image: one.picture for one in entries("")}, **speed_images(), **laid_on, **ssd_picture.pictures()}
