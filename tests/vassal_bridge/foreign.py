"""Modules as people build them for games like this one, made here of nothing but text: with these the finding of maps,
counters and facings is tried. None of them is anybody's.

``classes``   a counter for each class, with a label that shows its name; sheets and charts as maps; six directions
``names``     a counter for each ship, with a picture for each direction; the hexes in a zone of a big board
``sheets``    a map for each sheet, some with grids of their own; counters known by their pictures alone; 24 directions;
              a playing map without numbers
``lettered``  hexes as H12, odd columns down; 12 pictures by degrees; races as folders, classes spelled out
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from vassal.pieces.piece import join_levels
from vassal.text.sequence import encode

FACINGS = "ABCDEF"


class Trait(NamedTuple):
    """A trait's two texts."""

    type: str
    state: str = ""


class Entry(NamedTuple):
    """An entry of the palette: its folder, name, picture, traits from the outside in, and the size of its picture."""

    folder: str
    name: str
    picture: str
    traits: tuple[Trait, ...]
    size: tuple[int, int] = (48, 48)


def turns(count: int, name: str = "Facing") -> Trait:
    """A trait that turns a counter to so many directions."""
    return Trait(f"rotate;{count};;;;;;;{name}", "0")


def named(prop: str = "Label", description: str = "", text: str = "") -> Trait:
    """A label."""
    return Trait(
        f"label;;Change Label;10;0,0,0;255,255,255;b;0;c;0;t;c;$pieceName$ ($label$);Dialog;0;0;{prop};{description}",
        text,
    )


def pictures(name: str, images: Sequence[str], names: Sequence[str] = (), level: str = "1") -> Trait:
    """A layer, as it is made with one picture for each of its levels."""
    said = encode(names or [""] * len(images), ",")
    return Trait(f"emb2;;2;;;2;;;2;;;;;false;0;0;{encode(images, ',')};{encode([said], ';')};false;{name}", level)


def marks(**values: str) -> Trait:
    return Trait("mark;" + ",".join(values), ",".join(values.values()))


def prop(name: str, value: str = "") -> Trait:
    return Trait(f"PROP;{name};false,0,100,false;", value)


DELETE, CLONE, MOVED = (
    Trait("delete;Delete;68,130;"),
    Trait("clone;Clone;67,130;"),
    Trait("markmoved;m.png;0;0", "false"),
)


def hexes(dx: float = 48, dy: float = 56, x0: int = 24, y0: int = 28, numbering: str | None = "", **more: str) -> str:
    """A hex grid; ``more`` are settings of its numbers, and ``numbering`` is ``None`` for none."""
    usual = {"hOff": "1", "vOff": "1", "hLeading": "1", "vLeading": "1", "hType": "N", "vType": "N", "sep": ""}
    usual |= {"first": "H", "stagger": "false", **more}
    said = " ".join(f'{key}="{value}"' for key, value in usual.items())
    numbers = "" if numbering is None else f"<{GRID}.mapgrid.HexGridNumbering {said}/>"
    return f'<{GRID}.HexGrid dx="{dx}" dy="{dy}" x0="{x0}" y0="{y0}" snapTo="true">{numbers}</{GRID}.HexGrid>'


GRID = "VASSAL.build.module.map.boardPicker.board"


def board(name: str, width: int, height: int, inside: str = "") -> str:
    tag = "VASSAL.build.module.map.boardPicker.Board"
    return f'<{tag} name="{name}" width="{width}" height="{height}">{inside}</{tag}>'


def zone(name: str, path: str, inside: str, form: str) -> str:
    tag = f"{GRID}.mapgrid.Zone"
    return f'<{tag} name="{name}" path="{path}" locationFormat="{form}">{inside}</{tag}>'


def zoned(*inside: str) -> str:
    return f"<{GRID}.ZonedGrid>{''.join(inside)}</{GRID}.ZonedGrid>"


def a_map(name: str, *boards: str, kind: str = "Map", usual: str = "") -> str:
    picker = "VASSAL.build.module.map.BoardPicker"
    setup = f"<setup>{name}BoardPicker\t{usual}\t0\t0</setup>" if usual else ""
    tag = f"VASSAL.build.module.{kind}"
    return f'<{tag} mapName="{name}"><{picker}>{setup}{"".join(boards)}</{picker}></{tag}>'


def write(path: Path, name: str, maps: Iterable[str], entries: Iterable[Entry]) -> Path:
    """The module as a file. Entries of one folder (``Ships/Klingon``) lie together."""
    folders: dict[str, list[str]] = {}
    for number, entry in enumerate(entries, 100):
        core = Trait(f"piece;;;{entry.picture};{entry.name}", f"null;0;0;{number}")
        types, states = zip(*(*entry.traits, core), strict=True)
        text = f"+/null/{join_levels(types)}/{join_levels(states)}".replace("//", "/")
        tag, (width, height) = "VASSAL.build.widget.PieceSlot", entry.size
        slot = f'<{tag} entryName="{escape(entry.name)}" gpid="{number}" width="{width}" height="{height}">'
        folders.setdefault(entry.folder, []).append(f"{slot}{escape(text)}</{tag}>")
    palette = "".join(_folder(folder.split("/"), "".join(slots)) for folder, slots in folders.items())
    window = f'<VASSAL.build.module.PieceWindow name="Counters">{palette}</VASSAL.build.module.PieceWindow>'
    top = f'VASSAL.build.GameModule name="{name}" version="1.0" VassalVersion="3.7.26"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("buildFile.xml", f"<{top}>{''.join(maps)}{window}</VASSAL.build.GameModule>")
    return path


def _folder(names: Sequence[str], inside: str) -> str:
    for name in reversed(names):
        inside = f'<VASSAL.build.widget.ListWidget entryName="{name}">{inside}</VASSAL.build.widget.ListWidget>'
    return inside


# --- the modules ------------------------------------------------------------------------------------------------------

WHOLE = (28 * 48 + 24, 17 * 56 + 56)
"""Pixels of a board with the hexes 0101 to 2817."""


def classes(path: Path) -> Path:
    """A counter for each class: its name is a property that a label shows."""

    def ship(race: str, name: str, picture: str) -> Entry:
        shown = named("Shown", "ship name", "$ShipName$")
        return Entry(f"Ships/{race}", name, picture, (DELETE, CLONE, MOVED, shown, prop("ShipName"), turns(6)))

    def sheet(race: str, name: str) -> Entry:
        return Entry(f"SSDs/{race}", f"{name} SSD", f"ssd_{name}.gif", (DELETE, named()), (700, 900))

    of_races = {
        "Federation": ("Fed CC", "Fed CA", "Fed DN"),
        "Klingon": ("Klingon D7K", "Klingon D7", "Klingon D6", "Klingon F5"),
        "Romulan": ("Romulan KR", "Rom War Eagle"),
        "Gorn": ("Gorn CA",),
        "Kzinti": ("Kzinti CS",),
        "Orion": ("Orion CR",),
        "Lyran": ("Lyran CA",),
        "Hydran": ("Hydran Ranger",),
        "Tholian": ("Tholian PC", "Tholian CA"),
        "ISC": ("ISC CA",),
        "Other": ("Small Freighter", "Large Freighter"),
    }
    ships = [(race, name, f"p{number}.png") for race, all_ in of_races.items() for number, name in enumerate(all_)]
    entries = [ship(*one) for one in ships] + [sheet(race, name) for race, name, _ in ships]
    for race in ("Klingon", "Kzinti"):
        entries.append(Entry(f"Ships/{race}", f"{race} drone", "dr.png", (DELETE, named("N", "name"), turns(6))))
        entries.append(Entry(f"Cards/{race}", f"{race} drone card", "dc.png", (DELETE,), (120, 200)))
    small = (DELETE, CLONE, named("N", "name"), turns(6))
    entries += [
        Entry("Other", "Plasma torpedo", "pl.png", small), Entry("Other", "Admin shuttle", "sh.png", small),
        Entry("Other", "Moray Eel", "eel.png", small), Entry("Other", "Planet Killer", "pk.png", small),
        Entry("Other", "Sun Snake", "snake.png", small), Entry("Other", "Point of Turn", "pot.png", (DELETE, turns(6))),
        Entry("Other", "Asteroid", "ast.png", (DELETE,)), Entry("Other", "Planet", "planet.png", (DELETE, named())),
    ]  # fmt: skip
    maps = [
        a_map("Charts", board("Damage chart", 900, 600), board("Impulse chart", 1400, 1000)),
        a_map("SSD Federation", board("SSD", 1400, 1010, hexes()), kind="PrivateMap"),
        a_map("Main Map", board("Small", 14 * 48 + 24, 1008, hexes()), board("Full", *WHOLE, hexes()), usual="Full"),
    ]
    return write(path, "Cruiser Duel", maps, entries)


def names(path: Path) -> Path:
    """A counter for each ship, which has a picture for each direction; hexes are called ``Arena 0812``."""

    def ship(folder: str, name: str, stem: str) -> Entry:
        faces = pictures("Heading", [f"{stem}_{facing}.png" for facing in FACINGS])
        state = pictures("Damage", [f"hit{n}.png" for n in range(1, 7)], level="-1")
        return Entry(folder, name, "", (DELETE, CLONE, faces, state))

    entries = [
        *(ship("Federation/CA", f"USS {name}", "FED_CA") for name in ("Lexington", "Constellation", "Hood")),
        *(ship("Federation/CC", f"USS {name}", "FED_CC") for name in ("Kongo", "Yorktown")),
        *(ship("Klingon/D6", f"IKV {name}", "KLI_D6") for name in ("Fearless", "Destruction", "War", "Fire", "Death")),
        *(ship("Klingon/D7", f"IKV {name}", "KLI_D7") for name in ("Saber", "Thunder")),
        *(ship("Romulan/KR", f"RIS {name}", "ROM_KR") for name in ("Gladius", "Pilum")),
        *(ship("Romulan/WE", f"RIS {name}", "ROM_WE") for name in ("Eagle", "Talon")),
        *(ship("Civilian/Freighters", f"Freighter {letter}", "CIV_FS") for letter in FACINGS),
        ship("Seeking weapons", "Klingon missile", "KLI_missile"),
        ship("Seeking weapons", "Plasma", "plasma"),
        ship("Shuttles", "Federation shuttle", "FED_shuttle"),
    ]
    arena = zone("Arena", f"100,50;{100 + WHOLE[0]},50;{100 + WHOLE[0]},{50 + WHOLE[1]};100,{50 + WHOLE[1]}",
                 hexes(x0=124, y0=78), "$name$ $gridLocation$")  # fmt: skip
    tray = zone("Tray", "0,1100;1600,1100;1600,1300;0,1300", hexes(dx=40, dy=40, x0=20, y0=1120), "T$gridLocation$")
    maps = [a_map("Battle", board("Big board", 1600, 1300, zoned(arena, tray)))]
    return write(path, "Named Ships", maps, entries)


def sheets(path: Path) -> Path:
    """Sheets are maps here, and nothing but the pictures of counters says whose they are."""

    def ship(name: str, picture: str) -> Entry:
        return Entry("Counters", name, picture, (DELETE, CLONE, MOVED, named("TextLabel"), turns(24, "Rot")))

    entries = [
        ship("Battlecruiser", "kliD7.png"), ship("Battlecruiser D6", "kliD6.png"), ship("Cruiser", "fedCA.gif"),
        ship("Cruiser", "gornCA.gif"), ship("Cruiser (2)", "romWE.png"), ship("Cruiser (3)", "romKR.png"),
        ship("Freighter", "freighter.png"), ship("Raider", "oriCR.png"), ship("Cruiser (4)", "lyrCA.png"),
        ship("Strike Cruiser", "kziCS.png"), ship("Missile", "drone.png"), ship("Torp", "plasma.png"),
        ship("Shuttle", "shuttle.png"), Entry("Counters", "Hit marker", "x.png", (DELETE,)),
        Entry("SSDs", "Battlecruiser", "ssd_kliD7.png", (DELETE, turns(6)), (600, 800)),
    ]  # fmt: skip
    maps = [
        a_map("Fed CA SSD", board("CA", 1400, 1100, hexes())),
        a_map("Klingon D7 SSD", board("D7", 1400, 1100, hexes(numbering=None))),
        a_map("Impulse Chart", board("Impulses", 900, 500, hexes(dx=20, dy=23, x0=10, y0=12))),
        a_map("Sector", board("Space", WHOLE[0] + 40, WHOLE[1] + 40, hexes(x0=4, y0=8, numbering=None))),
    ]
    return write(path, "Sheets", maps, entries)


def lettered(path: Path) -> Path:
    """Hexes are called H12 here (column H, row 12), odd columns lie lower, and counters have twelve pictures."""

    def ship(race: str, name: str) -> Entry:
        stem = name.lower().replace(" ", "")
        faces = pictures("Dir", [f"{stem}{step:03d}.png" for step in range(0, 360, 30)])
        return Entry(f"Races/{race}", name, f"{stem}.png", (DELETE, CLONE, named("Name"), named("Speed"), faces))

    ships = [
        ("Federation", "Heavy Cruiser"), ("Federation", "Destroyer"), ("Klingon", "D7 Battlecruiser"),
        ("Klingon", "D6 Battlecruiser"), ("Romulan", "War Eagle"), ("Romulan", "KR"), ("Gorn", "Heavy Cruiser"),
        ("Kzinti", "Strike Cruiser"), ("Orion", "Raider Cruiser"), ("Tholian", "Patrol Corvette"),
        ("General", "Freighter"), ("General", "Drone"), ("General", "Plasma"), ("General", "Shuttle"),
        ("General", "Planet Killer"),
    ]  # fmt: skip
    # VASSAL's odd columns lie lower: with an empty column before the first one, A lies lower.
    grid = hexes(x0=-24, y0=28, hType="A", hLeading="0", vLeading="0", hOff="-1")
    maps = [a_map("Table", board("Deep space", WHOLE[0] + 24, WHOLE[1], grid))]
    return write(path, "Lettered", maps, [ship(*one) for one in ships])


MADE = {"classes": classes, "names": names, "sheets": sheets, "lettered": lettered}
