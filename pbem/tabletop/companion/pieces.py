"""What lies in the palette: the counters with their traits, each with a Marker that says what it stands for.

The markers are how :mod:`pbem.tabletop.binding` finds the right counter by itself: ``ShipKey`` is the key of a class,
``Weapon`` and ``Race`` a seeking weapon, ``Unit`` any other kind.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.data import charts
from pbem.data.ships import ShipClass, ship_class, ship_keys
from pbem.tabletop.companion import counters
from pbem.tabletop.companion.counters import Picture
from vassal import sequence
from vassal.leaves import AddPiece
from vassal.pieces import Piece
from vassal.trait import Trait

SHIELDS = tuple(f"Shield {number}" for number in range(1, 7))
"""Fields of a ship's sheet."""

SHEET = (*SHIELDS, "Internals", "Notes")
POINT_OF_TURN, PLANET, ASTEROIDS, SHUTTLE = "point of turn", "planet", "asteroids", "shuttle"
SEEKING = ("drone", "plasma")
MOST_GPIDS = 900_000
"""Numbers of palette entries are this many; they are reckoned from names, so that they stay when ships are added."""

DELETE = Trait("delete;Delete;68,130;")
CLONE = Trait("clone;Clone;67,130;")
TRAIL = Trait(
    "footprint;84,130;Movement Trail;false;false;6;255,211,92;255,211,92;100;80;20;30;2.0;;;;movement trail",
    "false;;0;false",
)
"""Drawn in the yellow of the speed: VASSAL's own black does not show on space."""

RIGHT, LEFT, RENAME, SPEED, CLOAK_KEY, UP, DOWN = (
    "93,130",
    "91,130",
    "76,130",
    "83,130",
    "75,130",
    "38,130",
    "40,130",
)
"""Keys of the commands: Ctrl and a letter, a bracket or an arrow."""

TURN = Trait(f"rotate;6;{RIGHT};{LEFT};Turn right;Turn left;;;Facing;facing;;;;true", "0")
NO_STACK = Trait("immob;;N;R;")
FIXED = Trait("immob;g;V;R;")


def _name_label(height: int) -> Trait:
    """The name, on top of a counter that is so high; ``height`` 0 writes it into the picture's upper edge."""
    # Counted from the middle, since the edges of a turned counter lie elsewhere.
    where = f"c;{-height // 2};c;0;b;c" if height else f"c;{4 - counters.TERRAIN // 2};c;0;t;c"
    form = "$pieceName$ ($label$)"
    return Trait(f"label;{RENAME};Change Name;11;0,0,0;255,255,255;{where};{form};Dialog;1;0;UnitName;name;false")


def _status_label(size: int) -> Trait:
    """Speed and CLOAKED, in the lower right corner of a counter of that size, which its round plate leaves free. Lower
    it would lie over the name of the next hex.
    """
    where = f"c;{size // 2 - 5};c;{size // 2 - 10};b;l"
    return Trait(
        f"label;{SPEED};Set Speed;11;0,0,0;255,211,92;{where};$pieceName$;Dialog;1;0;Status;speed and cloak;false"
    )


def _moved(suffix: str) -> Trait:
    """Marks a counter that has moved in its upper right corner, beside name and speed."""
    x, y = counters.SHIP // 2 - counters.BADGE, -counters.SHIP // 2
    return Trait(f"markmoved;moved{suffix};{x};{y};Mark Moved;77,130;has moved;false;;;;", "false")


def _report(text: str, what: str, *keys: str) -> Trait:
    """A line in the chat once one of ``keys`` has done its work; ``what`` describes it."""
    # VASSAL reads a list of keys: the comma within each is escaped, even where there is only one.
    return Trait(sequence.encode(["report", sequence.encode(keys, ","), text, "", "", what, "false"], ";"), "-1")


TURNED = _report(
    "$newPieceName$ at $location$ turns to $Facing_Degrees$ degrees clockwise from A", "tells turns", RIGHT, LEFT
)
RENAMED = _report("$oldPieceName$ is now $newPieceName$", "tells new names", RENAME)
FASTER = _report("$newPieceName$: speed $Status$", "tells speeds", SPEED)
CLOAKED = _report("$oldPieceName$ is now $newPieceName$", "tells the cloak", CLOAK_KEY)
STEPPED = _report("$oldPieceName$ is now $newPieceName$", "tells the speed marker", UP, DOWN)


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
        """What the palette calls it: in the tab of its race the race goes without saying, and the list is narrow."""
        short = self.name.removeprefix(f"{self.tab} ")
        return short[:1].upper() + short[1:]

    @property
    def gpid(self) -> str:
        return str(1 + zlib.crc32(self.name.encode()) % MOST_GPIDS)

    def text(self, suffix: str) -> str:
        """The entry as a build file has it; *suffix* is that of the images."""
        core = Trait(f"piece;;;{self.image}{suffix};{self.name}", f"null;0;0;{self.gpid};0")
        return _text((*self.traits, core))


def _text(traits: tuple[Trait, ...]) -> str:
    piece = Piece.of(traits)
    return AddPiece("null", piece.type, piece.state).encode()


def _use(prototype: str) -> Trait:
    return Trait(f"prototype;{prototype}")


def _mark(**values: str) -> Trait:
    return Trait("mark;" + sequence.encode(values, ","), sequence.encode(values.values(), ","))


Three = tuple[str, str, str]


def layer(name: str, images: list[str], names: list[str], commands: Three, keys: Three, state: str) -> Trait:
    """A Layer; *commands* are to show it, to go a level up and down, *keys* the strokes of these."""
    show, up, down = commands
    always = "false" if show else "true"
    fields = ["emb2", show, "128", "", up, "128", "", down, "128", "", "", "", "1", "false", "0", "0"]
    fields += [sequence.encode(images, ","), sequence.encode(names, ","), "false", name, "", "", "false", "", "1", "1"]
    fields += [always, *keys, f"layer {name}", "1.0", "", "true"]
    return Trait(sequence.encode(fields, ";"), state)


def prototypes(suffix: str) -> dict[str, str]:
    """The prototypes by name."""
    cloak = layer("Cloak", [f"cloak{suffix}"], ["+ (cloaked)"], ("Cloak", "", ""), (CLOAK_KEY, "", ""), "-1")
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
    }


def _sheet(ship: ShipClass) -> Trait:
    kinds = "~".join(("1" if name == "Notes" else "0") + name for name in SHEET)
    values = [*(str(boxes) for boxes in ship.shields), "0", ""]
    return Trait(f"propertysheet;{kinds};SSD Sheet;;0;;;;80,650;sheet", sequence.encode(values, "~"))


def _ship(key: str) -> Entry:
    ship = ship_class(key)
    mark = _mark(ShipKey=key, Race=ship.race, Class=ship.class_name)
    picture = counters.ship(ship.race, ship.class_name, cadet=ship.level == "cadet")
    return Entry(_tab(ship.race), ship.name, f"ship-{key}", picture, (_use("Ship"), _sheet(ship), mark))


def _tab(race: str) -> str:
    return charts.races()[race].name


def _of_race(race: str) -> Iterator[Entry]:
    name = tab = _tab(race)
    unit = _use("Unit")
    yield Entry(tab, f"{name} drone", f"drone-{race}", counters.drone(race), (unit, _mark(Weapon="drone", Race=race)))
    yield Entry(
        *(tab, f"{name} plasma torpedo", f"plasma-{race}", counters.plasma(race)),
        traits=(unit, _mark(Weapon="plasma", Race=race)),
    )
    yield Entry(
        *(tab, f"{name} shuttle", f"shuttle-{race}", counters.shuttle(race)),
        traits=(unit, _mark(Unit=SHUTTLE, Race=race)),
    )
    yield Entry(
        *(tab, f"{name} point of turn", f"turn-{race}", counters.point_of_turn(race)),
        traits=(TURNED, _use("Marker"), TURN, _mark(Unit=POINT_OF_TURN, Race=race)),
    )


def _space() -> Iterator[Entry]:
    for key, kind in sorted(charts.monsters().kinds.items()):
        yield Entry(
            *("Space", kind.name, f"monster-{key}", counters.monster(key)),
            traits=(_use("Monster"), _mark(Unit="monster", Monster=key)),
        )
    yield Entry(
        "Space", "Planet", "planet", counters.plain("planet", counters.TERRAIN), (_use("Terrain"), _mark(Unit=PLANET))
    )
    yield Entry("Space", "Asteroids", "asteroids", counters.asteroids(), (_use("Terrain"), _mark(Unit=ASTEROIDS)))


def speed_images() -> dict[str, Picture]:
    """The plates of the speed marker by name."""
    return {f"speed-{speed:02d}": counters.speed_plate(speed) for speed in range(counters.SPEEDS)}


def _markers(suffix: str) -> Iterator[Entry]:
    plates = [name + suffix for name in speed_images()]
    names = [f"+ {speed}" for speed in range(counters.SPEEDS)]
    turning = layer("Speed", plates, names, ("", "Faster", "Slower"), ("", UP, DOWN), "1")
    speed = (STEPPED, _use("Marker"), turning, _mark(Unit="speed"))
    yield Entry("Markers", "Speed", "speed-00", counters.speed_plate(0), speed)
    yield Entry("Markers", "Note", "note", counters.plain("note", counters.SMALL), (_use("Marker"), _mark(Unit="note")))


def entries(suffix: str) -> tuple[Entry, ...]:
    """All palette entries: the races in the order of their chart, then space and markers."""
    ships = [_ship(key) for key in ship_keys()]
    found: list[Entry] = []
    for race in charts.races():
        found += [ship for ship in ships if ship.tab == _tab(race)]
        found += _of_race(race)
    return (*found, *_space(), *_markers(suffix))


def pictures() -> dict[str, Picture]:
    """Every picture a counter needs, by the name of its image."""
    laid_on = {"cloak": counters.plain("cloak", counters.SHIP), "moved": counters.plain("moved", counters.BADGE)}
    return {**{one.image: one.picture for one in entries("")}, **speed_images(), **laid_on}
