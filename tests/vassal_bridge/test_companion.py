"""The companion module: built, read back, and games laid on it."""

from __future__ import annotations

import os
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from lxml import etree

from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.ships import ship_class, ship_keys
from pbem.engine.dice import SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Planet, Seeker, Ship, Shuttle, State
from pbem.engine.step_names import TITLES
from pbem.errors import GameError
from pbem.rules import hexes
from pbem.vassal_bridge.binding import binding_text, read_binding
from pbem.vassal_bridge.companion import board as pictures, counters
from pbem.vassal_bridge.companion.board import DX, DY, PLANS
from pbem.vassal_bridge.companion.module import (
    KEYS,
    MAP,
    build_module,
    opening,
    palette_entries,
    verify_place,
    write_module,
)
from pbem.vassal_bridge.companion.ssd import AFTER, BEFORE, CHARTS, DURING, list_level, tracker_state
from pbem.vassal_bridge.export import export_game, open_module
from pbem.vassal_bridge.import_positions import import_positions, open_save
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import point_of_turn
from tests.vassal_bridge import drawn
from vassal.errors import VassalError
from vassal.module.boards import OFFBOARD
from vassal.module.build_file import kind_of
from vassal.module.module import Module
from vassal.pieces.piece import Look
from vassal.pieces.trait import Trait
from vassal.pieces.traits import MoveMark, Trail
from vassal.save import TablePiece, read_save
from vassal.text import sequence
from vassal.text.leaves import BoardChoice
from vassal.write import Change, update

REAL = Path(__file__).parent.parent / "vassal" / "data" / "HexSpaceTest.vmod"
"""A module that VASSAL itself has loaded."""

PLAIN = {
    "PredefinedSetup": {"name", "file", "isMenu", "useFile"},
    "TabWidget": {"entryName"},
    "Zoomer": set[str](),
    "HelpFile": {"title", "fileName", "fileType", "image"},
    "CounterDetailViewer": {
        "version", "description", "delay", "hotkey", "bgColor", "fgColor", "minDisplayPieces", "zoomlevel", "showgraph",
        "graphicsZoom", "borderWidth", "showtext", "centerText", "verticalOffset", "fontSize", "summaryReportFormat",
        "counterReportFormat", "emptyHexReportForma", "display", "layerList", "propertyFilter", "showNoStack",
        "showMoveSelectde", "showNonMovable", "unrotatePieces", "showDeck", "showOverlap",
    },
    "LOS_Thread": {
        "threadName", "label", "tooltip", "iconName", "hotkey", "report", "persistence", "persistentIconName", "global",
        "snapStart", "snapEnd", "drawRange", "scale", "round", "hideCounters", "hideOpacity", "threadColor", "rangeFg",
        "rangeBg",
    },
    "GlobalMap": {"tooltip", "buttonText", "icon", "hotkey", "scale", "color"},
    "Inventory": {
        "name", "text", "tooltip", "icon", "hotkey", "groupBy", "foldersOnly", "leafFormat", "sortFormat",
        "centerOnPiece", "drawPieces", "pieceZoom", "include",
    },
    "ChartWindow": {"name", "text", "tooltip", "icon", "hotkey"},
    "HtmlChart": {"chartName", "fileName"},
    "MassKeyCommand": {
        "name", "hotkey", "singleMap", "target", "filter", "deckCount", "buttonText", "tooltip", "icon", "buttonHotkey",
        "reportSingle", "reportFormat",
    },
    "PrivateMap": {
        "side", "visible", "useBoards", "allowMultiple", "backgroundcolor", "buttonName", "changeFormat", "color",
        "createFormat", "edgeHeight", "edgeWidth", "hideKey", "hotkey", "icon", "launch", "mapName", "markMoved",
        "markUnmovedHotkey", "markUnmovedIcon", "markUnmovedReport", "markUnmovedText", "markUnmovedTooltip", "moveKey",
        "moveToFormat", "moveWithinFormat", "onlyReportChangedLocation", "showKey", "thickness",
    },
    "ToolbarMenu": {"description", "text", "tooltip", "icon", "hotkey", "menuItems"},
    "Board": {"name", "image", "reversible", "width", "height", "color"},
}  # fmt: skip
"""Elements the real module does not have, and attributes VASSAL reads of them, its own slips in spelling included."""

READ = {"button": 7, "submenu": 3, "restrict": 4, "globalhotkey": 5, "hideCmd": 5}
"""Traits the real module does not have, and how many fields, their own name among them, every VASSAL 3 reads of them:
versions to come have only put more behind these.
"""

needs_resvg = pytest.mark.skipif(not pictures.can_draw(), reason="PNG pictures need resvg: pip install resvg-py")


@pytest.fixture(scope="module")
def file(companion_file: Path) -> Path:
    return companion_file


@pytest.fixture(scope="module")
def module(file: Path) -> Module:
    return open_module(file)


def elements(path: Path) -> Iterator[etree._Element]:
    with zipfile.ZipFile(path) as archive:
        return iter(list(etree.fromstring(archive.read("buildFile.xml")).iter()))


def attribute_sets(path: Path) -> dict[str, set[frozenset[str]]]:
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for element in elements(path):
        found[str(element.tag)].add(frozenset(str(name) for name in element.attrib))
    return found


def test_elements_and_attributes_are_those_of_a_module_vassal_has_loaded(file: Path) -> None:
    real = attribute_sets(REAL)
    for tag, sets in attribute_sets(file).items():
        plain = PLAIN.get(tag.rpartition(".")[2])
        for attributes in sets:
            assert attributes <= plain if plain is not None else attributes in real[tag], tag


def test_parts_of_the_module_stand_where_the_real_one_has_them(file: Path) -> None:
    def nested(path: Path) -> set[tuple[str, str]]:
        return {(str(e.tag), str(child.tag)) for e in elements(path) for child in e}

    strange = {pair for pair in nested(file) - nested(REAL) if not set(PLAIN) & {p.rpartition(".")[2] for p in pair}}
    # Several levels side by side in a turn, each with steps of its own.
    known = {("ListTurnLevel", "ListTurnLevel")}
    # A zoned board is one of those the real module has; the rest is new, and stands where VASSAL's editor puts it.
    assert {tuple(part.rpartition(".")[2] for part in pair) for pair in strange} <= known
    places = {kind_of(e): kind_of(parent) for e in elements(file) if (parent := e.getparent()) is not None}
    assert (places["HelpFile"], places["CounterDetailViewer"], places["LOS_Thread"]) == ("Documentation", "Map", "Map")


def test_the_module_reads_without_faults_and_every_picture_is_there(file: Path, module: Module) -> None:
    assert module.faults == ()
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
    images = {field for slot in module.slots for field in slot.piece.type.replace("\\", "").split(";")}
    for image in {name for name in images if name.endswith(".svg")}:
        assert f"images/{image.split(',')[0]}" in names
    for slot in module.slots:
        for layer in slot.piece.layers:
            assert {f"images/{image}" for image in layer.images} <= names
    assert all(board.width and board.height for board in module.map(MAP).boards)


def test_traits_have_the_fields_of_those_that_vassal_has_written(module: Module) -> None:
    """Later versions of VASSAL append fields; a field left out or too many would be read as another one."""
    real: dict[str, set[int]] = defaultdict(set, {kind: {count} for kind, count in READ.items()})
    for slot in open_module(REAL).slots:
        for trait in slot.piece.traits:
            real[trait.kind].add(len(trait.fields))
    for slot in module.slots:
        assert slot.piece.fault == ""
        for trait in slot.piece.traits:
            assert len(trait.fields) in real[trait.kind], trait.type


def test_the_module_has_a_counter_for_every_ship(module: Module) -> None:
    keys = {slot.piece.properties.get("ShipKey"): slot for slot in module.slots}
    for key in ship_keys():
        fields = keys[key].piece.properties
        assert tuple(int(fields[f"Shield {n}"] or "") for n in range(1, 7)) == ship_class(key).shields
    assert len({slot.gpid for slot in module.slots}) == len(module.slots) == len(palette_entries(".svg"))
    assert len({slot.piece.basic_name for slot in module.slots}) == len(module.slots)


def test_names_in_the_palette_are_short_and_the_full_names_still_find_the_counter(module: Module) -> None:
    """A tab's list of names is some 200 pixels wide; a race in each name would fill it, and old files name it so."""
    for slot in module.slots:
        assert len(slot.name) <= 26 and not slot.name.startswith(slot.path[-1])
        assert module.slot(slot.piece.basic_name) == slot
        assert module.slot(f"{slot.path[-1]}/{slot.name}") == slot
    assert module.slot("Federation CA").name == "CA"
    with pytest.raises(VassalError, match="'CA' may be any of"):
        module.slot("CA")


def test_vassal_can_draw_whatever_a_drawing_refers_to(file: Path) -> None:
    """Its SVG library takes an id of one or two letters for the address of another file and draws nothing there."""
    with zipfile.ZipFile(file) as archive:
        drawings = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".svg")}
    assert len(drawings) > 100
    named = set()
    for name, svg in drawings.items():
        ids = re.findall(r'\bid="([^"]*)"', svg)
        used = re.findall(r"url\(([^)]*)\)", svg) + re.findall(r'href="([^"]*)"', svg)
        assert all(len(one) > 2 for one in ids), name
        assert {f"#{one}" for one in ids} == set(used), name
        assert "<text" not in svg, name
        named |= set(ids)
    assert {"plasmaGlow", "monsterGlow", "planetGlow", "planetEdge"} <= named


def only(path: Path, kind: str) -> etree._Element:
    [found] = [element for element in elements(path) if kind_of(element) == kind]
    return found


def window(path: Path, name: str) -> etree._Element:
    [found] = [element for element in elements(path) if element.get("mapName") == name]
    return found


def test_the_map_is_docked_and_shown_at_once(file: Path) -> None:
    """With a launch button it stays hidden until somebody presses it."""
    table = window(file, MAP)
    assert table.get("launch") == "false"
    assert table.get("markUnmovedTooltip")
    tips = [e.get("tooltip") for e in elements(file) if kind_of(e) in ("DiceButton", "PieceWindow", "TurnTracker")]
    assert all(tips)


def test_stacked_counters_can_be_read(file: Path) -> None:
    """Each lies lower than the one below it by a line of text, so that the names make a list; the viewer shows all."""
    [stacks] = [part for part in window(file, MAP) if kind_of(part) == "StackMetrics"]
    assert int(stacks.get("unexSepY", 0)) <= -NAME_HEIGHT + 1 and int(stacks.get("unexSepX", 0)) > 0
    assert int(stacks.get("exSepX", 0)) >= counters.SHIP
    viewer = only(file, "CounterDetailViewer")
    assert (viewer.get("showgraph"), viewer.get("minDisplayPieces")) == ("true", "2")
    assert viewer.get("display") == "from all layers"
    for name in ("delay", "fontSize", "borderWidth", "verticalOffset"):
        assert viewer.get(name, "").isdigit(), name
    assert all(float(viewer.get(name, "")) > 0 for name in ("zoomlevel", "graphicsZoom"))


def test_the_range_line_counts_hexes_and_tells_them(file: Path) -> None:
    line = only(file, "LOS_Thread")
    assert (line.get("scale"), line.get("drawRange"), line.get("snapStart"), line.get("snapEnd")) == (
        *("0", "true", "true", "true"),
    )
    assert all(f"${name}$" in str(line.get("report")) for name in ("Range", "FromLocation", "ToLocation"))
    assert line.get("round") in ("Up", "Down", "Nearest whole number")
    assert line.get("persistence") in ("Ctrl-Click & Drag", "Never", "Always")
    assert line.get("global") in ("When Persisting", "Never", "Always")


NAME_HEIGHT = 14
"""A line of text of 11 points, in pixels."""


LONG_NAME, TWO_DIGITS = 88, 18
"""How wide a long name and a speed are, in pixels: ``Constellation``, ``31``."""


def test_no_label_lies_over_another_counter_s_name(module: Module) -> None:
    """Labels stand from the middle of the counter: the edges of a turned one lie elsewhere. A name stands above its
    counter, and no speed lies over it, or over that of a counter in one of the six hexes around.
    """
    sizes = {entry.gpid: entry.picture.width for entry in palette_entries(".svg")}
    names, speeds = set[tuple[int, int]](), set[tuple[int, int]]()
    for slot in module.slots:
        half = {counters.SHIP: 26, counters.SMALL: 17}.get(sizes[slot.gpid], 0)
        for label in slot.piece.labels:
            vertical, down, across, right, above, _ = label.fields[6:12]
            assert (vertical, across) == ("c", "c"), slot.name
            top = int(down) - (NAME_HEIGHT if above == "b" else 0)
            if label.property_name == "Status":
                assert 0 < int(right) < half
                speeds.add((top, int(right)))
            elif half:
                assert top + NAME_HEIGHT <= -half
                wide = LONG_NAME if half == 26 else 44  # what a ship is called, and what a drone
                names.add((top, wide))
    assert len(names) == len(speeds) == 2
    around = [(0, 0), (0, DY), (0, -DY), *((x, y) for x in (DX, -DX) for y in (DY // 2, -DY // 2))]
    for top, left in speeds:
        for name_top, wide in names:
            for x, y in around:
                aside = left + TWO_DIGITS <= x - wide // 2 or x + wide // 2 <= left
                assert aside or top + NAME_HEIGHT <= y + name_top or y + name_top + NAME_HEIGHT <= top, (top, x, y)


def test_traits_of_one_kind_are_told_apart_by_their_descriptions(module: Module) -> None:
    """VASSAL's Refresh Counters takes the state of the first label whose description is the same: two without one get
    the ship's name both.
    """
    places = {"label": 17, "emb2": 30, "report": 5, "footprint": 16, "markmoved": 6, "rotate": 9, "propertysheet": 9}
    for slot in module.slots:
        seen: dict[str, list[str]] = defaultdict(list)
        for trait in slot.piece.traits:
            if trait.kind in places:
                seen[trait.kind].append(trait.field(places[trait.kind]))
        for kind, found in seen.items():
            assert all(found) and len(set(found)) == len(found), (slot.name, kind, found)


def brightness(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in colour.split(","))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_trail_and_moved_mark_can_be_seen(file: Path, module: Module) -> None:
    """The trail on space, which is nearly black; the mark on neither name nor speed."""
    ship = module.slot("Klingon D7").piece
    [trail] = ship.all(Trail)
    assert brightness(trail.field(7)) > 0.6 and brightness(trail.field(6)) > 0.6
    assert int(trail.field(9)) >= 80 and float(trail.field(12)) >= 2
    [mark] = ship.all(MoveMark)
    right, down = int(mark.field(2)), int(mark.field(3))
    assert (down, right + counters.BADGE) == (-counters.SHIP // 2, counters.SHIP // 2)
    with zipfile.ZipFile(file) as archive:
        assert f"images/{mark.field(1)}" in archive.namelist()


def test_what_is_done_to_a_counter_is_written_into_the_chat(module: Module) -> None:
    """A list of keys has each key's comma escaped, or VASSAL reads two keys it does not know. Reports stand outside of
    the traits they tell of, which act first.
    """
    wanted = {"93,130", "91,130", "76,130", "83,130", "75,130"}
    for name, keys in (("Klingon D7", wanted), ("Klingon drone", wanted - {"75,130"}), ("Speed", {"38,130", "40,130"})):
        traits = module.slot(name).piece.traits
        told: set[str] = set()
        for place, trait in enumerate(traits):
            if trait.kind == "report":
                mine = sequence.decode(trait.field(1), ",")
                assert all(re.fullmatch(r"\d+,\d+", key) for key in mine)
                inner = "\n".join(other.type for other in traits[place + 1 :] if other.kind != "report")
                assert all(key in inner for key in mine)
                assert (trait.state, trait.field(6)) == ("-1", "false")
                told |= set(mine)
        assert keys <= told, name


@pytest.mark.slow
def test_the_margin_has_no_hexes(module: Module) -> None:
    """VASSAL goes on with hexes over the whole paper: 0001, 0018, 2901 would be places where counters come to rest."""
    for board in module.map(MAP).boards:
        layout = module.map(MAP).layout((BoardChoice(board.name),))
        plan = next(plan for plan in PLANS if plan.name == board.name)
        known = {
            hexes.hex_name(column, row) for column in range(1, plan.columns + 1) for row in range(1, plan.rows + 1)
        }
        paper = [(x, y) for x in range(0, board.width, 11) for y in range(0, board.height, 11)]
        found = {layout.location(layout.snap(point)) for point in paper}
        assert found == known | {OFFBOARD}
        for stranger in ("0001", "0100", "0118", "0200", "0218", f"{plan.columns + 1:02}01"):
            with pytest.raises(VassalError):
                layout.pixel(stranger)


def test_the_help_page_names_every_command_with_its_key(file: Path, module: Module) -> None:
    with zipfile.ZipFile(file) as archive:
        page = archive.read(str(only(file, "HelpFile").get("fileName"))).decode()
    assert only(file, "HelpFile").getparent() is not None
    etree.fromstring(page)
    told = {command: key for key, command, _ in KEYS}
    assert all(command in page and f"<b>{key}</b>" in page for command, key in told.items())
    letters = {38: "Up", 40: "Down"}
    given: dict[str, str] = {}
    for slot in module.slots:
        for trait in slot.piece.traits:
            for command, key in commands_of(trait):
                code, how, *named = key.split(",")
                if named:  # of the menu and of buttons; no key does it
                    continue
                mods = {"130": "Ctrl+", "650": "Ctrl+Alt+"}[how]
                given[command] = mods + letters.get(int(code), chr(int(code)))
    assert given == told


def commands_of(trait: Trait) -> list[tuple[str, str]]:
    """Menu texts and keys of a trait."""
    places = {
        "delete": [(1, 2)], "clone": [(1, 2)], "footprint": [(2, 1)], "markmoved": [(4, 5)], "label": [(2, 1)],
        "rotate": [(4, 2), (5, 3)], "emb2": [(1, 27), (4, 28), (7, 29)], "propertysheet": [(2, 8)],
        "obs": [(3, 1)], "hide": [(2, 1)], "globalhotkey": [(1, 2)],
    }.get(trait.kind, [])  # fmt: skip
    return [(trait.field(text), trait.field(key)) for text, key in places if trait.field(text) and trait.field(key)]


def numbers(text: str) -> set[int]:
    """The numbers of a list such as ``2, 4, 6-8``."""
    ends = [part.split("-") for part in text.split(", ") if part]
    return {number for part in ends for number in range(int(part[0]), int(part[-1]) + 1)}


def test_the_charts_are_those_that_are_played(file: Path) -> None:
    """Every page is one that Swing's HTML can read, and says what the data files say."""
    charts_of = {str(e.get("chartName")): str(e.get("fileName")) for e in elements(file) if kind_of(e) == "HtmlChart"}
    assert list(charts_of) == ["Weapons", "Movement", "Impulses", "Damage", "Ships"]
    with zipfile.ZipFile(file) as archive:
        pages = {title: etree.fromstring(archive.read(name)) for title, name in charts_of.items()}

    def table(title: str, under: str) -> list[list[str]]:
        (head,) = (h2 for h2 in pages[title].iter("h2") if str(h2.text).startswith(under))
        found = head.getnext()
        assert found is not None
        return [["".join(cell.itertext()) for cell in row] for row in found]

    assert {str(e.tag) for page in pages.values() for e in page.iter()} <= {
        "html", "head", "title", "body", "h1", "h2", "p", "table", "tr", "td", "b",
    }  # fmt: skip
    for impulses in CHARTS:
        _, *rows = table("Movement", f"Turns of {impulses} ")
        assert [row[0] for row in rows] == [str(speed + 1) for speed in range(len(rows))]
        assert all(row[1:].count("x") == int(row[0]) and len(row) == impulses + 1 for row in rows)
        by_impulse = {int(row[0]): numbers(row[1]) for row in table("Impulses", f"Turns of {impulses} ")[1:]}
        for impulse in range(1, impulses + 1):
            assert by_impulse[impulse] == {int(row[0]) for row in rows if row[impulse] == "x"}
    head, *rows = table("Movement", "Turn modes")
    spans = {row[0]: row[1:] for row in rows}
    assert spans["C"][:3] == ["0-4", "5-9", "10-14"] and spans["AA"][3] == "25+" and head[1] == "1"
    cadet = table("Damage", "Cadet damage allocation chart (")
    assert cadet[1] == ["1", "hull", "engine", "other", "weapon", "excess"] and len(cadet) == 7
    assert [row[0] for row in table("Damage", "Damage allocation chart")[1:]] == [str(dice) for dice in range(2, 13)]
    titles = [str(h2.text) for h2 in pages["Weapons"].iter("h2")]
    assert len(titles) == len(set(titles)) >= 8 and any("Photon" in title for title in titles)
    ships = [row for found in pages["Ships"].iter("table") for row in list(found)[1:]]
    assert len(ships) == len(ship_keys())
    told = {"".join(row[0].itertext()): ["".join(cell.itertext()) for cell in row] for row in ships}
    for kind in map(ship_class, ship_keys()):
        assert told[kind.name][1] == (" ".join(map(str, kind.shields)) or "-")
        assert all(f"{weapon.name} {weapon.arc}" in told[kind.name][5] for weapon in kind.weapons)
        assert all(f"{kind.boxes[box]} {box}" in told[kind.name][2] for box in ("impulse", "apr") if box in kind.boxes)


def test_the_overview_and_the_list_of_counters_are_at_hand(file: Path) -> None:
    whole, listed = only(file, "GlobalMap"), only(file, "Inventory")
    parents = [kind_of(parent) for e in (whole, listed) if (parent := e.getparent()) is not None]
    assert parents == ["Map", "GameModule"] and listed.get("groupBy") == "Race"
    assert 0.1 < float(str(whole.get("scale"))) < 0.3


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_each_hex_has_its_name_at_its_middle(module: Module, plan: object) -> None:
    assert isinstance(plan, type(PLANS[0]))
    layout = module.map(MAP).layout((BoardChoice(plan.name),))
    for column in range(1, plan.columns + 1):
        for row in range(1, plan.rows + 1):
            name = hexes.hex_name(column, row)
            middle = plan.centre(column, row)
            assert layout.pixel(name) == layout.snap(middle) == middle
            assert layout.location(middle) == name
    here, there = plan.centre(1, 1), layout.pixel(hexes.neighbour("0101", "C", plan.grid))
    assert there == (here[0] + 54, here[1] + 31)


def test_each_tracker_counts_the_impulses_and_steps_of_a_turn(file: Path, module: Module) -> None:
    assert module.turn_trackers == tuple(f"{impulses} impulses" for impulses in CHARTS)
    for tracker, impulses in zip((e for e in elements(file) if kind_of(e) == "TurnTracker"), CHARTS, strict=True):
        levels = [sequence.decode(str(e.get("list")), ",") for e in tracker.iter() if kind_of(e) == "ListTurnLevel"]
        before, counted, steps, after = levels
        assert len(counted) == impulses
        assert [*before, *steps, *after] == list(TITLES.values())


@pytest.mark.parametrize("number", scenario_keys())
def test_every_scenario_binds_each_unit_to_its_own_counter(module: Module, number: str, tmp_path: Path) -> None:
    state = opening(scenario(number))
    done = export_game(state, module)
    assert done.left_out == ()
    done.save.write(tmp_path / "t.vsav")
    save = read_save(tmp_path / "t.vsav")
    assert save.faults == ()
    layout = module.map(MAP).layout(save.boards[MAP])
    there = {piece.id: piece for piece in save.pieces}
    for unit in state.in_play():
        piece = there[f"pbem-{unit.name}"]
        assert layout.location((piece.x, piece.y)) == unit.hex
        seen = piece.piece.properties
        if isinstance(unit, Ship):
            assert (seen["ShipKey"], seen["Race"], seen["Status"]) == (unit.ship, unit.race, str(unit.speed))
        elif isinstance(unit, Seeker):
            assert (seen["Weapon"], seen["Race"]) == (unit.weapon, unit.race)
        else:
            assert seen["Unit"] == type(unit).__name__.lower()
        assert seen["UnitName"] == unit.name
        if not isinstance(unit, Planet):
            assert seen["Facing_Facing"] == str("ABCDEF".index(unit.facing) + 1)
    found = import_positions(state, open_save(tmp_path / "t.vsav"), module, done.binding)
    assert (found.moved, found.missing, found.unknown, found.faults) == ((), (), (), ())
    assert read_binding(binding_text(done.binding), "vassal.toml") == done.binding


def test_the_small_map_and_lowered_odd_columns_have_boards_of_their_own(module: Module) -> None:
    assert propose(opening(scenario("5")), module).board == ""
    assert propose(opening(scenario("1")), module).board == "Map 0101-1417"
    odd = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}, grid="odd").state
    done = export_game(odd, module)
    assert done.binding.board == "Map 0101-2817 (odd columns lower)"
    assert done.save.boards[MAP] == (BoardChoice(done.binding.board),)
    found = import_positions(odd, done.save, module, done.binding)
    assert (found.moved, found.faults) == ((), ())


FEDERATION = """SHIP Constellation
ENERGY
  SPEED 12; PHOT A 2; PHASERS 3
PLOT 5F 1R 6F
"""
KLINGON = """SHIP Destruction
ENERGY
  SPEED 12; DISR A 2
PLOT 12F
DO
  AT 1 LAUNCH DRONE 1 AT Constellation
"""


@pytest.fixture(scope="module")
def played() -> State:
    """Scenario #5 after a quiet turn: two ships and a drone."""
    options = Options(reveal="none", autobreaks=(), targets="secret")
    began = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}, options=options)
    answers = {"federation": Filed(text=FEDERATION), "klingon": Filed(text=KLINGON)}
    return resolve(began.state, scenario("5"), answers, SegmentDice(b"table")).state


def counter(pieces: tuple[TablePiece, ...], piece_id: str) -> TablePiece:
    return next(piece for piece in pieces if piece.id == piece_id)


def test_a_game_shows_its_speeds_serials_shields_and_points_of_turn(played: State, module: Module) -> None:
    ship = played.units["Constellation"]
    assert isinstance(ship, Ship)
    hit = altered(ship, shields=(7, *ship.shields[1:]), cloak="cloaked", internals=3)
    state = msgspec.structs.replace(played, units={**played.units, "Constellation": hit})
    done = export_game(state, module)
    layout = module.map(MAP).layout(done.save.boards[MAP])
    piece = counter(done.save.pieces, "pbem-Constellation").piece
    assert (piece.properties["Shield 1"], piece.properties["Internals"]) == ("7", "3")
    assert piece.properties["Status"] == f"{ship.speed} CLOAKED"
    assert piece.properties["Cloak_Active"] == "true"
    [drone] = played.seekers()
    assert counter(done.save.pieces, f"pbem-{drone.name}").piece.properties["UnitName"] == drone.name
    turned = point_of_turn(ship)
    assert turned is not None
    assert turned.facing == ship.facing
    marker = counter(done.save.pieces, "pbem-*turn Constellation")
    assert layout.location((marker.x, marker.y)) == turned.hex
    assert import_positions(state, done.save, module, done.binding).unknown == ()
    assert done.binding.counters["klingon drone"] == "Klingon drone"


@pytest.mark.parametrize(
    ("turn", "impulse", "step", "shown"),
    [
        (0, 0, "", (1, 0, 0, 0)),
        (3, 0, "announce", (3, 0, 1, 0)),
        (2, 7, "fire", (2, 1, 6, DURING.index("fire"))),
        (2, 16, "close", (2, 2, 0, 0)),
    ],
)
def test_the_tracker_shows_how_far_the_turn_is(
    played: State, module: Module, turn: int, impulse: int, step: str, shown: tuple[int, ...]
) -> None:
    state = msgspec.structs.replace(played, turn=turn, impulse=impulse, step=step)
    assert export_game(state, module).save.turns == {"TurnTracker1": tracker_state(state)}
    current, level = sequence.decode(tracker_state(state), "|")
    count, part, loop, limit, *parts = sequence.decode(level, ";")
    assert (current, loop, limit) == ("0", "false", "-1")
    read = [sequence.decode(one, ";") for one in parts]
    assert [len(one[3].split(",")) for one in read] == [len(BEFORE), 16, len(AFTER)]
    step_level = sequence.decode(read[1][4], ";")
    assert len(step_level[3].split(",")) == len(DURING)
    assert (int(count), int(part), int(read[int(part)][0]), int(step_level[0])) == shown


def test_a_level_is_written_as_vassal_writes_it() -> None:
    [written] = read_save(REAL.with_name("hexspace-full-3.7.26.vsav")).turns.values()
    turn = sequence.encode(["1", "0", "false", "-1", list_level(0, 4)], ";")
    assert written == sequence.encode(["0", turn], "|")


def test_no_secret_goes_to_the_table(played: State, module: Module) -> None:
    """The sheet on a counter has fields for what is public alone (D4.1, FD1.2)."""
    text = export_game(played, module).save.text
    line = next(line for line in text.split("\x1b") if line.startswith("+/pbem-KD"))
    assert "Constellation" not in line
    for secret in ("arming", "armed", "powered", "LAUNCH", "ENERGY", "SPEED"):
        assert secret not in text


def test_what_is_moved_on_the_table_is_proposed_for_the_game(played: State, module: Module, tmp_path: Path) -> None:
    done = export_game(played, module)
    layout = module.map(MAP).layout(done.save.boards[MAP])
    moved = update(done.save, {"pbem-Destruction": Change(Look(facing=4), at=layout.pixel("1012"))})
    moved.write(tmp_path / "moved.vsav")
    found = import_positions(played, open_save(tmp_path / "moved.vsav"), module, done.binding)
    assert [(one.unit, one.then) for one in found.moved] == [("Destruction", "1012E")]


def test_a_shuttle_launched_later_needs_no_line_in_the_binding(played: State, module: Module) -> None:
    binding = propose(played, module)
    shuttle = Shuttle(
        name="FS/1", side="federation", race="federation", hex="1010", facing="B", launcher="Constellation", launched=1
    )
    world = Planet(name="Twin", side="", race="", hex="0808", facing="A", hexes=("0808", "0809"))
    units = {**played.units, "FS/1": shuttle, "Twin": world}
    state = msgspec.structs.replace(played, units=units, asteroids=("0505",))
    done = export_game(state, module, msgspec.structs.replace(binding, counters={}))
    assert counter(done.save.pieces, "pbem-FS/1").piece.basic_name == "Federation shuttle"
    assert counter(done.save.pieces, "pbem-*asteroids 0505").piece.never_stacks
    assert counter(done.save.pieces, "pbem-*planet 0809").piece.basic_name == "Planet"
    assert import_positions(state, done.save, module, binding).unknown == ()


def test_a_ship_the_module_does_not_know_gets_a_counter_of_its_race(played: State, module: Module) -> None:
    ship = played.units["Destruction"]
    assert isinstance(ship, Ship)
    own = msgspec.structs.replace(ship, ship="my_kli_c9", class_name="KLIN C9")
    binding = propose(msgspec.structs.replace(played, units={"Destruction": own}), module)
    assert module.slot(binding.counters["Destruction"]).piece.properties["Race"] == "klingon"
    assert "ShipKey" in module.slot(binding.counters["Destruction"]).piece.properties


def test_the_scenarios_in_the_module_are_saves_of_it(file: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        setups = [e for e in elements(file) if kind_of(e) == "PredefinedSetup" and e.get("file")]
        assert len(setups) == len(scenario_keys()) + len(PLANS)
        for setup in setups:
            archive.extract(str(setup.get("file")), tmp_path)
            save = read_save(tmp_path / str(setup.get("file")))
            assert bool(save.pieces) == str(setup.get("file")).startswith("scenario")
            assert not save.faults and not save.players
            assert save.module.module == "Cadet Companion"


@pytest.mark.slow
def test_the_same_module_is_built_every_time(file: Path, tmp_path: Path) -> None:
    write_module(build_module(svg=True), tmp_path / "again.vmod")
    assert (tmp_path / "again.vmod").read_bytes() == file.read_bytes()


@pytest.mark.slow
@needs_resvg
def test_pictures_are_drawn_as_png_alike_every_time_and_the_module_stays_small(tmp_path: Path) -> None:
    built = build_module()
    images = [data for name, data in built.entries if name.startswith("images/")]
    assert len(images) == built.pictures < 300
    assert all(data.startswith(b"\x89PNG") for data in images)
    assert built == build_module()
    write_module(built, tmp_path / "cadet.vmod")
    assert (tmp_path / "cadet.vmod").stat().st_size < 1_500_000


def test_where_no_module_can_be_written_is_said_before_one_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_place(tmp_path / "cadet.vmod")
    for path, why in (
        (tmp_path, "name a file, not a folder: .*cadet.vmod"),
        (tmp_path / "no" / "cadet.vmod", "there is no such folder"),
    ):
        with pytest.raises(GameError, match=why):
            verify_place(path)
    closed = tmp_path / "closed"
    closed.mkdir()
    real = os.access  # to root every folder is open
    monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and not (path == closed and mode == os.W_OK))
    verify_place(tmp_path / "cadet.vmod")
    with pytest.raises(GameError, match="its folder does not allow writing"):
        verify_place(closed / "cadet.vmod")


def test_without_resvg_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    with pytest.raises(GameError, match=r"pip install resvg-py.*--svg"):
        build_module()


def test_what_is_drawn_is_what_was_looked_at() -> None:
    kept = drawn.FILE.read_text(encoding="ascii")
    assert drawn.digests() == kept, "python -m tests.refresh --only companion writes them anew; review the drawings"
