"""SSDs and papers: drawn, clicked on as VASSAL clicks, and kept in step with a game by saves, updates and films."""

from __future__ import annotations

import colorsys
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from lxml import etree

from pbem.data import charts
from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.ships import ship_class, ship_keys
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.state import Ship
from pbem.reports.view.build import build_view
from pbem.vassal_bridge.companion.module import opening
from pbem.vassal_bridge.companion.papers import ACROSS, DOWN, board_for, spot
from pbem.vassal_bridge.companion.ssd import BAD, BOX, MOUNT, MOUNT_HIGH, WIDE, BoxGroup, box_edge, plan_of, strip_size
from pbem.vassal_bridge.export import export_game, placing
from pbem.vassal_bridge.film import make_replay_log
from pbem.vassal_bridge.import_positions import import_positions
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.sheets import is_paper, is_sheet, seen_from
from pbem.vassal_bridge.update import update_save
from tests.vassal_bridge.earlier import MOST, keyless, with_keyless_papers
from tests.vassal_bridge.test_companion import commands_of
from vassal.module.build_file import kind_of
from vassal.module.module import Module
from vassal.pieces.piece import Look, Piece
from vassal.pieces.trait import Trait
from vassal.pieces.traits import PropertySheet
from vassal.save import Save, read_save, with_tree
from vassal.text import commands, leaves, sequence
from vassal.write import Change, NewPiece, update

Shipped = Callable[[str], list[Record]]
KEYS = list(ship_keys())
SLOW = pytest.mark.slow


def ssd_slot(module: Module, key: str) -> Piece:
    [slot] = [slot for slot in module.slots if slot.piece.properties.get("Ssd") == key]
    return slot.piece


def key_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split())


# --- the boards -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_every_box_of_a_class_stands_on_its_ssd_and_no_two_lie_on_one_another(key: str) -> None:
    ship, plan = ship_class(key), plan_of(key)
    counts = {group.name: group.count for group in plan.groups}
    wanted = {f"shield {number}": boxes for number, boxes in enumerate(ship.shields, start=1) if boxes}
    wanted |= {name: boxes for name, boxes in ship.boxes.items() if boxes}
    wanted |= {name: len(track) for name, track in ship.tracks.items()}
    if ship.damage == "track":
        wanted["internals"] = max(step.points for step in ship.thresholds)
    assert counts == wanted
    assert {mount.name: mount.arc for mount in plan.mounts} == {weapon.name: weapon.arc for weapon in ship.weapons}
    taken = [(x, y, BOX, BOX) for group in plan.groups for row in group.rows for x, y in row.boxes()]
    taken += [(mount.x, mount.y, MOUNT, MOUNT_HIGH) for mount in plan.mounts]
    for place, (x, y, wide, high) in enumerate(taken):
        assert x >= 0 and x + wide <= WIDE and y >= 0 and y + high <= plan.high
        for a, b, broad, tall in taken[place + 1 :]:
            assert x + wide <= a or a + broad <= x or y + high <= b or b + tall <= y, (x, y, a, b)
    track = {group.name: group.numbers for group in plan.groups if group.numbers}
    assert track == dict(ship.tracks)


@pytest.mark.parametrize("key", KEYS)
def test_crosses_lie_on_their_boxes_and_no_layer_makes_the_counter_larger(key: str, cadet: Module) -> None:
    """VASSAL draws a layer's picture around its offset, half of each size rounded down, and counts what reaches beyond
    the counter to its shape."""
    plan, piece = plan_of(key), ssd_slot(cadet, key)
    layers = {layer.name: layer for layer in piece.layers}
    for group in plan.groups:
        for place, row in enumerate(group.rows):
            layer = layers[key_name(group.name) + (f".{place + 1}" if place else "")]
            wide, high = strip_size(row.way, row.strip)
            left = WIDE // 2 + int(layer.field(14)) - wide // 2
            top = plan.high // 2 + int(layer.field(15)) - high // 2
            first = left + wide - BOX - 1 if row.way == "inward" else left + 1
            assert (first, top + 1) == (row.x, row.y)
            assert left >= 0 and left + wide <= WIDE and top >= 0 and top + high <= plan.high
    assert all(all(layer.images) for layer in piece.layers)  # a level without a picture has a shape of its own


def buttons_at(piece: Piece, x: int, y: int) -> list[str]:
    """The keys of the buttons that a click there presses; the point counts from the middle of the counter."""
    found = []
    for trait in piece.traits:
        if trait.kind == "button":
            left, top, wide, high = (int(trait.field(place)) for place in (2, 3, 4, 5))
            if left <= x < left + wide and top <= y < top + high:
                found.append(trait.field(1))
    return found


def reached(piece: Piece, key: str, field: int) -> list[str]:
    """The layers that a key changes, by the place of that key among their fields."""
    return [layer.name for layer in piece.layers if layer.field(field) == key]


UP, DOWN_KEY, ACTIVATE = 28, 29, 27


@pytest.mark.parametrize("key", KEYS)
def test_a_click_on_a_box_crosses_one_off_and_a_click_on_its_name_gives_one_back(key: str, cadet: Module) -> None:
    plan, piece = plan_of(key), ssd_slot(cadet, key)

    def one(x: int, y: int) -> str:
        keys = buttons_at(piece, x - WIDE // 2, y - plan.high // 2)
        assert len(keys) == 1, (x, y, keys)
        return keys[0]

    for group in plan.groups:
        for row in group.rows:
            for x, y in row.boxes():
                assert reached(piece, one(x + BOX // 2, y + BOX // 2), UP) == [key_name(group.name)]
        assert reached(piece, one(group.x, group.y + 4), DOWN_KEY) == [key_name(group.name)]
    for mount in plan.mounts:
        assert reached(piece, one(mount.x + 5, mount.y + 5), ACTIVATE) == [key_name(mount.name)]


@pytest.mark.parametrize("key", [pytest.param(key, marks=SLOW if key.startswith("std") else ()) for key in KEYS])
def test_all_rows_of_a_group_are_one_count(key: str, cadet: Module) -> None:
    """The first row has a level for every number of lost boxes; the others follow it, each from its own box on."""
    plan, piece = plan_of(key), ssd_slot(cadet, key)
    for group in plan.groups:
        for lost in range(group.count + 1):
            own = key_name(group.name)
            hit = piece.at_level(own, lost + 1)
            assert crosses(hit, group) == lost
        with pytest.raises(Exception, match="level"):
            piece.at_level(own, group.count + 2)


def crosses(piece: Piece, group: BoxGroup) -> int:
    """The crosses over a group, counted on the pictures that are shown."""
    own = key_name(group.name)
    shown = [layer for layer in piece.layers if re.fullmatch(re.escape(own) + r"(\.\d)?", layer.name)]
    assert len(shown) == len(group.rows)
    return sum(int(layer.images[layer.level - 1].rpartition("-")[2].partition(".")[0]) for layer in shown)


def test_the_menu_has_what_the_clicks_do_and_the_chat_tells_it(cadet: Module) -> None:
    piece = ssd_slot(cadet, "std_kli_d7")
    offered = {text for layer in piece.layers for text in (layer.field(1), layer.field(4), layer.field(7)) if text}
    listed = [text for trait in piece.traits if trait.kind == "submenu" for text in trait.field(2).split(",")]
    assert sorted(listed) == sorted(offered) and len(set(listed)) == len(listed)
    assert {"Hull Fore -1", "Hull Fore +1", "Shield 1 -1", "DISR A off or on"} <= offered
    groups, weapons = (trait for trait in piece.traits if trait.kind == "report")
    keys = [re.sub(r"\\,", "|", told.field(1)).split(",") for told in (groups, weapons)]
    pressed = {trait.field(1).replace(",", "|") for trait in piece.traits if trait.kind == "button"}
    assert {*keys[0], *keys[1]} == pressed and not {*keys[0]} & {*keys[1]}
    assert piece.traits[:2] == (groups, weapons)  # they report what the traits within have done


@pytest.mark.parametrize("key", KEYS)
def test_the_chat_finds_the_layer_of_a_command_by_its_name(key: str, cadet: Module) -> None:
    """Its expressions take the end off the command and the blanks out: a click that changed nothing is not told, and of
    a weapon what it is now.
    """
    for layer in ssd_slot(cadet, key).layers:
        for command, end in ((layer.field(4), " -1"), (layer.field(7), " +1"), (layer.field(1), " off or on")):
            if command:
                assert command.endswith(end) and command.removesuffix(end).replace(" ", "") == layer.name
    reports = [trait for trait in ssd_slot(cadet, key).traits if trait.kind == "report"]
    taken_off = [re.findall(r"length\(\) - (\d+)", trait.field(2)) for trait in reports]
    assert taken_off == [["3", "3"], ["10", "10"]][: len(taken_off)]


# --- the windows ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tree(companion_file: Path) -> etree._Element:
    with zipfile.ZipFile(companion_file) as archive:
        return etree.fromstring(archive.read("buildFile.xml"))


def of_kind(tree: etree._Element, kind: str) -> list[etree._Element]:
    return [element for element in tree.iter() if kind_of(element) == kind]


def test_each_race_has_a_window_for_all_and_one_for_itself(tree: etree._Element, cadet: Module) -> None:
    sides = [entry.text for roster in of_kind(tree, "PlayerRoster") for entry in roster]
    names = [race.name for race in charts.races().values()]
    maps = {str(one.get("mapName")): one for one in of_kind(tree, "Map")}
    assert list(maps) == ["Space", *(f"{name} SSDs" for name in names)]
    private = {str(one.get("mapName")): one for one in of_kind(tree, "PrivateMap")}
    assert sides == [*names[:-1], "Moderator"]  # nobody plays civilians
    for name in names[:-1]:
        window = private.pop(f"{name} papers")
        assert (window.get("side"), window.get("visible")) == (f"{name},Moderator", "false")
    assert not private
    for one in (*of_kind(tree, "Map")[1:], *of_kind(tree, "PrivateMap")):
        # A button opens them: docked, they would take the place of the map.
        assert one.get("launch") == "true" and one.get("buttonName") == one.get("mapName")
        boards = [part for part in one.iter() if kind_of(part) == "Board"]
        assert len(boards) == 5
        for board in boards:
            assert board.get("image") is None and board.get("color")  # an empty image would be looked for
            assert int(str(board.get("width"))) > WIDE and int(str(board.get("height"))) > 600
        board = max(boards, key=lambda board: int(str(board.get("height"))))
        [setup] = one.iter("setup")
        assert setup.text == f"{one.get('mapName')}BoardPicker\t{board.get('name')}\t0\t0"
    assert all(game_map.usual_boards for game_map in cadet.maps)


def test_two_menus_take_the_windows_off_the_tool_bar(tree: etree._Element) -> None:
    """A menu finds its buttons by their texts: each is told apart from every other button."""
    texts = [one.get(name) for one in tree.iter() for name in ("buttonName", "text", "buttonText") if one.get(name)]
    menus = {str(one.get("text")): str(one.get("menuItems")).split(",") for one in of_kind(tree, "ToolbarMenu")}
    assert list(menus) == ["SSDs", "Papers"]
    for items in menus.values():
        assert all(texts.count(item) == 1 for item in items)
    listed = [*menus["SSDs"], *menus["Papers"]]
    windows = [one.get("mapName") for one in (*of_kind(tree, "Map")[1:], *of_kind(tree, "PrivateMap"))]
    assert listed == windows


def test_a_window_is_as_large_as_its_game_needs(cadet: Module) -> None:
    """VASSAL makes a window as large as its board, up to the screen: a display filled a tenth of it."""
    for key in ("3", "5", "8"):
        state = opening(scenario(key))
        save = export_game(state, cadet).save
        for game_map in cadet.maps[1:]:
            layout = game_map.layout(save.boards[game_map.name])
            [placed] = layout.boards
            count = sum(piece.map == game_map.name for piece in save.pieces)
            assert placed.board.width <= WIDE * min(max(count, 1), 3) + 100
            assert all(layout.board_at((piece.x, piece.y)) for piece in save.pieces if piece.map == game_map.name)
    assert [board_for("SSDs", count) for count in (0, 1, 2, 3, 4, 6, 7, 18)] == [
        *("SSDs 1", "SSDs 1", "SSDs 2", "SSDs 3", "SSDs 6", "SSDs 6", "SSDs", "SSDs")
    ]
    most = ACROSS * DOWN
    assert [board_for("SSDs", count) for count in (most, most + 1)] == ["SSDs", "SSDs"], "no board is larger"


def test_a_window_grows_with_the_ships_that_come(cadet: Module, shipped: Shipped) -> None:
    """A sheet beside its board would be seen nowhere. A board that has room stays, whatever it is."""
    records = turn_two(shipped("duel01"))
    state = public_state(records)
    old = export_game(state, cadet).save
    assert [board.name for board in old.boards["Klingon SSDs"]] == ["SSDs 1"]
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship)
    more = msgspec.structs.replace(
        state, units={**state.units, "Havoc": msgspec.structs.replace(ship, name="Havoc", hex="0303")}
    )
    done = update_save(more, old, cadet).save
    assert [board.name for board in done.boards["Klingon SSDs"]] == ["SSDs 2"]
    assert done.text.count("Klingon SSDsBoardPicker") == 1
    assert done.boards["Federation SSDs"] == old.boards["Federation SSDs"]
    one_more = update_save(state, done, cadet).save
    assert one_more.boards == done.boards


def opened_by(piece: Piece) -> list[str]:
    """The keys of the windows that a counter's menu shows."""
    return [trait.field(3) for trait in piece.traits if trait.kind == "globalhotkey" and trait.field(1)]


def test_a_ship_s_menu_shows_the_window_of_its_ssd(tree: etree._Element, cadet: Module) -> None:
    """The entry sends the key on which VASSAL shows that window, not the one that would also hide it."""
    shown = {str(one.get("showKey")): str(one.get("mapName")) for one in of_kind(tree, "Map")[1:]}
    assert len(shown) == len(charts.races()) and all(key.startswith("63743,0,") for key in shown)
    assert not any(one.get("showKey") for one in of_kind(tree, "PrivateMap"))
    ships = [slot.piece for slot in cadet.slots if "ShipKey" in slot.piece.properties]
    assert len(ships) == len(KEYS)
    for piece in ships:
        [key] = opened_by(piece)
        assert shown[key] == f"{charts.races()[str(piece.properties['Race'])].name} SSDs"
        assert piece.traits[0].kind == "globalhotkey"  # first in the menu


@pytest.mark.parametrize("key", ["3", "5", "8"])
def test_a_ship_of_a_game_shows_the_window_in_which_its_own_ssd_lies(
    key: str, tree: etree._Element, cadet: Module
) -> None:
    """A freighter is a civilian, and its SSD lies with those of its side."""
    shown = {str(one.get("showKey")): str(one.get("mapName")) for one in of_kind(tree, "Map")[1:]}
    save = export_game(opening(scenario(key)), cadet).save
    windows = {piece.id.removeprefix("pbem-*ssd "): piece.map for piece in save.pieces if is_sheet(piece.id)}
    counters = {piece.id.removeprefix("pbem-"): piece.piece for piece in save.pieces}
    assert windows
    assert {name: [shown[one] for one in opened_by(counters[name])] for name in windows} == {
        name: [window] for name, window in windows.items()
    }


def test_the_list_of_counters_draws_no_sheet_and_tells_of_no_invisible_one(tree: etree._Element) -> None:
    """It goes through all windows, whoever may open them, and draws what lies there; and of a counter that an opponent
    has made invisible it says the hex, unless its filter asks for ``Invisible``.
    """
    [listed] = of_kind(tree, "Inventory")
    assert listed.get("include") == "CurrentMap = Space && Invisible != true"
    [options] = of_kind(tree, "GlobalOptions")
    assert options.get("inventoryForAll") == "Never"


def test_sheets_lie_side_by_side_on_their_board() -> None:
    places = [spot(place, 500) for place in range(ACROSS * DOWN)]
    assert len(set(places)) == len(places) and None not in places and spot(ACROSS * DOWN, 500) is None


def test_a_sheet_can_be_moved_once_it_is_selected(cadet: Module) -> None:
    for slot in cadet.slots:
        if {"Ssd", "Papers"} & slot.piece.properties.keys():
            [limit] = [trait for trait in slot.piece.traits if trait.kind == "immob"]
            assert (limit.field(1), limit.field(2), limit.field(3)) == ("g", "I", "R")


def test_a_form_is_wide_enough_to_write_in(cadet: Module) -> None:
    """VASSAL makes a field as wide as what is written in it: a line of words, the last so that no value stands beside
    another's name, holds the form open.
    """
    seen = 0
    for slot in cadet.slots:
        for form in slot.piece.all(PropertySheet):
            kinds = sequence.decode(form.field(1), "~")
            assert kinds[-1][0] == "2" and len(kinds[-1]) > 60 and all(kind[0] != "2" for kind in kinds[:-1])
            seen += 1
    assert seen > 60


def test_others_leave_a_counter_alone_that_lies_face_down(cadet: Module) -> None:
    """They neither turn nor rename nor remove it; its own side does."""
    for name in ("Romulan plasma torpedo", "Klingon drone", "Gorn shuttle", "Mine"):
        guard, *rest = cadet.slot(name).piece.traits
        assert (guard.kind, guard.field(2), guard.field(3)) == ("hideCmd", "Hide", "Obscured = true")
        forbidden = set(sequence.decode(guard.field(4), ","))
        own = {key for trait in rest for _, key in commands_of(trait)}
        assert own - forbidden == {"70,130", "78,650", *(key for key in own if key.startswith("63743"))}


def test_no_race_s_boxes_are_as_red_as_the_crosses() -> None:
    def hue(colour: str) -> float:
        red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        return colorsys.rgb_to_hsv(red, green, blue)[0] * 360

    crosses = hue(BAD)
    for race in charts.races():
        apart = abs(hue(box_edge(race)) - crosses)
        assert min(apart, 360 - apart) > 20, race


def test_papers_and_masks_are_for_those_whom_the_rules_name(cadet: Module) -> None:
    papers = [slot.piece for slot in cadet.slots if "Papers" in slot.piece.properties]
    for piece in papers:
        [limit] = [trait for trait in piece.traits if trait.kind == "restrict"]
        race = charts.races()[str(piece.properties["Papers"])].name
        assert (limit.field(1), limit.field(2), limit.field(3)) == (f"{race},Moderator", "false", "true")
        assert piece.traits[0] == limit  # whatever stands outside of it, others could still use
    for name in ("Romulan plasma torpedo", "Klingon drone", "Gorn shuttle", "Mine"):
        traits = cadet.slot(name).piece.traits
        kinds = [trait.kind for trait in traits]
        [mask] = [trait for trait in traits if trait.kind == "obs"]
        assert mask.field(6) == "side:" and mask.state == "null;" and mask.field(2).startswith("mask.")
        # What is secret lies within the mask; the facing of a seeking weapon and its name are seen by all.
        assert kinds.index("obs") < kinds.index("propertysheet")
        assert kinds.index("label") < kinds.index("obs")
        if "rotate" in kinds:
            assert kinds.index("rotate") < kinds.index("obs")
    [unseen] = [trait for trait in cadet.slot("Guess").piece.traits if trait.kind == "hide"]
    assert unseen.field(4) == "side:" and unseen.state == "null"
    hidden = {slot.piece.basic_name for slot in cadet.slots if any(t.kind == "hide" for t in slot.piece.traits)}
    assert hidden == {"Guess"}


def test_counters_are_shown_smaller_and_full_size_all_at_once(tree: etree._Element, cadet: Module) -> None:
    """The buttons send a key that steps down and stops, and one that resets: whatever each counter was before."""
    keys = {str(one.get("buttonText")): one.get("hotkey") for one in of_kind(tree, "MassKeyCommand")}
    for name in ("Klingon D7", "Klingon drone", "Sun Snake", "Federation shuttle", "Romulan plasma torpedo"):
        piece = cadet.slot(name).piece
        [size] = [layer for layer in piece.layers if layer.name == "Size"]
        assert len(size.images) == 3 and size.field(18) == "false"  # it does not begin anew after the last
        assert (keys["Smaller"], keys["Full size"], "1") == (size.field(28), size.field(11), size.field(12))
        assert piece.core.field(3) == ""  # the picture within would still be seen
        rotator = piece.traits.index(piece.rotators[0])
        assert rotator < piece.traits.index(size)  # a smaller picture turns, too


# --- in step with a game ----------------------------------------------------------------------------------------------


def sheets_on(save: Save) -> dict[str, Piece]:
    return {piece.id: piece.piece for piece in save.pieces if is_sheet(piece.id)}


def looks(piece: Piece) -> str:
    """All of a sheet's state but where it is."""
    return piece.state.rpartition("\t")[0]


def turn_two(records: list[Record]) -> list[Record]:
    """The game as turn 2 ended, both ships damaged."""
    return [record for record in records if record.event.turn <= 2]


def lost_in_game(records: list[Record], name: str) -> tuple[dict[str, int], set[str]]:
    """Lost boxes by group and lost weapons of a ship, as the report's display of it says."""
    [ssd] = [ssd for ssd in build_view(records, "").ssds if ssd.unit == name]
    lost = {f"shield {box.name[1:]}": box.start - box.now for box in ssd.shields}
    lost |= {box.name: box.start - box.now for box in ssd.systems}
    return lost, {weapon.name for weapon in ssd.weapons if not weapon.working}


def test_the_boxes_of_an_export_are_those_of_the_report(cadet: Module, shipped: Shipped) -> None:
    records = turn_two(shipped("duel01"))
    state = public_state(records)
    found = sheets_on(export_game(state, cadet).save)
    ships = [unit for unit in state.in_play() if isinstance(unit, Ship)]
    assert ships and set(found) == {f"pbem-*ssd {ship.name}" for ship in ships}
    for ship in ships:
        piece, plan = found[f"pbem-*ssd {ship.name}"], plan_of(ship.ship)
        lost, gone = lost_in_game(records, ship.name)
        assert sum(lost.values()) > 5
        assert {group.name: crosses(piece, group) for group in plan.groups} == lost
        off = {mount.name for mount in plan.mounts if piece.properties[f"{key_name(mount.name)}_Active"] == "true"}
        assert off == gone
        assert piece.properties["UnitName"] == ship.name


@pytest.mark.slow
def test_every_scenario_has_its_ssds_in_the_right_window(cadet: Module) -> None:
    for key in scenario_keys():
        state = opening(scenario(key))
        save = export_game(state, cadet).save
        names = {unit.name: unit for unit in state.in_play() if isinstance(unit, Ship)}
        laid = {piece.id.removeprefix("pbem-*ssd "): piece for piece in save.pieces if is_sheet(piece.id)}
        assert laid.keys() == names.keys()
        for name, piece in laid.items():
            owner = names[name].side if names[name].side in charts.races() else names[name].race
            assert piece.map == f"{charts.races()[owner].name} SSDs"
        assert len({(piece.map, piece.x, piece.y) for piece in laid.values()}) == len(laid)
        assert import_positions(state, save, cadet, export_game(state, cadet).binding).unknown == ()


@pytest.mark.slow
def test_a_film_ends_with_the_boxes_of_the_game(cadet: Module, shipped: Shipped) -> None:
    records = shipped("duel01")
    for turn in (1, 2, 3):
        upto = [record for record in records if record.event.turn <= turn]
        film = make_replay_log(upto, cadet, turn=turn)
        end = sheets_on(export_game(public_state(upto), cadet).save)
        played = sheets_on(film.log.save().played())
        looked, wanted = ({name: looks(piece) for name, piece in found.items()} for found in (played, end))
        assert looked == wanted
        assert all(piece.place == end[name].place for name, piece in played.items())


def test_an_update_crosses_off_what_the_game_has_and_leaves_a_sheet_there(cadet: Module, shipped: Shipped) -> None:
    records = turn_two(shipped("duel01"))
    early = [record for record in records if record.event.turn <= 1]
    theirs = export_game(public_state(early), cadet).save
    mine, other = (f"pbem-*ssd {name}" for name in ("Constellation", "Destruction"))
    theirs = update(theirs, {mine: Change(Look(layers={"Hull": 5}), at=(900, 700))}, remove=[other])
    done = update_save(public_state(records), theirs, cadet).save
    new = export_game(public_state(records), cadet).save
    moved = next(piece for piece in done.pieces if piece.id == mine)
    assert (moved.x, moved.y) == (900, 700)
    for name, piece in sheets_on(new).items():
        assert looks(sheets_on(done)[name]) == looks(piece)
    again = update_save(public_state(records), done, cadet)
    assert again.save.text == done.text and not any("SSD" in line for line in again.changed)


def test_a_save_of_a_module_without_windows_gets_them(cadet: Module, shipped: Shipped) -> None:
    """It says nothing of their boards, and sheets on a map without boards would be seen nowhere."""
    records = turn_two(shipped("duel01"))
    save = export_game(public_state(records), cadet).save

    def older(leaf: commands.Leaf) -> commands.Leaf | None:
        window = isinstance(leaf.command, leaves.BoardPicker) and leaf.command.map != "Space"
        return None if window or leaf.text.startswith("+/pbem-*ssd ") else leaf

    old = with_tree(save, commands.replace(save.tree, older))
    assert set(old.boards) == {"Space"}
    done = update_save(public_state(records), old, cadet).save
    used = {piece.map for piece in done.pieces}
    assert used == {"Space", "Federation SSDs", "Klingon SSDs"} == set(done.boards)
    kept = [leaf.text for leaf in commands.leaves(old.tree)]
    assert [line for line in (leaf.text for leaf in commands.leaves(done.tree)) if line in kept] == kept


def test_a_ship_with_more_than_its_class_has_no_sheet_that_is_not_true(cadet: Module, shipped: Shipped) -> None:
    state = public_state(turn_two(shipped("duel01")))
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    beyond = "it gets no SSD: that of its class has no place for all it has of "
    for other, said in (
        (ship, ""),
        (msgspec.structs.replace(ship, shields=(17, *ship.shields[1:])), f"{beyond}shield 1"),
        (
            msgspec.structs.replace(
                ship,
                boxes={**ship.boxes, "cargo": 1},
                weapons={**ship.weapons, "PH 9": next(iter(ship.weapons.values()))},
            ),
            f"{beyond}PH 9, cargo",
        ),
        (msgspec.structs.replace(ship, ship="my_own_cruiser"), "it gets no SSD: the module has none of its class"),
    ):
        changed = msgspec.structs.replace(state, units={**state.units, "Constellation": other})
        exported = export_game(changed, cadet)
        shown = {"pbem-*ssd Constellation", "pbem-*ssd Destruction"} if not said else {"pbem-*ssd Destruction"}
        assert set(sheets_on(exported.save)) == shown
        told = {one.unit: one.lacks for one in placing(changed, cadet, exported.binding).placed}
        assert told["Constellation"] == ((said,) if said else ()) and told["Destruction"] == ()
    full = msgspec.structs.replace(
        state,
        units={**{f"x{n}": msgspec.structs.replace(ship, name=f"x{n}") for n in range(ACROSS * DOWN)}, **state.units},
    )
    told = {one.unit: one.lacks for one in placing(full, cadet, export_game(state, cadet).binding).placed}
    assert told["x0"] == () and told["Constellation"] == ("it gets no SSD: their window is full",)


# --- papers -----------------------------------------------------------------------------------------------------------


def written(piece: Piece) -> Iterator[str]:
    fields = re.compile(r"(Energy|Weapons|Under way) \d+")
    return (str(value) for name, value in piece.properties.items() if fields.fullmatch(name) and value)


def test_papers_are_in_a_save_for_their_side_and_in_no_other(cadet: Module, shipped: Shipped) -> None:
    records = turn_two(shipped("duel01"))
    state = public_state(records)
    for_all = export_game(state, cadet).save
    assert not any(is_paper(piece.id) for piece in for_all.pieces)
    own = export_game(state, cadet, own=seen_from(records, "klingon")).save
    [paper] = [piece for piece in own.pieces if is_paper(piece.id)]
    assert (paper.id, paper.map) == ("pbem-*papers Destruction", "Klingon papers")
    lines = list(written(paper.piece))
    view = build_view(records, "klingon")
    [energy] = [one for one in view.energy if one.unit == "Destruction"]
    assert energy.lines and set(energy.lines) <= set(lines)
    assert f"batteries {energy.batteries}" in lines and any(line.startswith("DRONE 1: 2 drones") for line in lines)
    # What is left of the file without that sheet is what everybody gets.
    rest = [leaf.text for leaf in commands.leaves(own.tree) if not leaf.text.startswith("+/pbem-*papers ")]
    assert rest == [leaf.text for leaf in commands.leaves(for_all.tree)]


def test_no_secret_of_the_other_side_is_on_papers(cadet: Module, shipped: Shipped) -> None:
    records = turn_two(shipped("duel01"))
    [mine] = [one for one in build_view(records, "federation").energy if one.unit == "Constellation"]
    theirs = export_game(public_state(records), cadet, own=seen_from(records, "klingon")).save
    assert mine.lines and not any(line in theirs.text for line in mine.lines if len(line) > 8)


def test_papers_of_a_player_stay_unless_his_own_are_wanted(cadet: Module, shipped: Shipped) -> None:
    records = shipped("duel01")
    early = turn_two(records)
    his = export_game(public_state(early), cadet, own=seen_from(early, "klingon")).save
    his = update(his, {"pbem-*papers Destruction": Change(Look(properties={"Under way 9": "ram him"}))})
    paper = next(leaf.text for leaf in commands.leaves(his.tree) if leaf.text.startswith("+/pbem-*papers "))
    now = public_state(records)
    for_all = update_save(now, his, cadet)
    assert paper in [leaf.text for leaf in commands.leaves(for_all.save.tree)]
    his_own = update_save(now, his, cadet, own=seen_from(records, "klingon"))
    assert "the papers of Destruction is brought up to date" not in for_all.changed
    assert any("papers of Destruction" in line for line in his_own.changed)
    [after] = [piece.piece for piece in his_own.save.pieces if is_paper(piece.id)]
    assert "ram him" not in set(written(after))


def test_papers_tell_what_is_under_way(cadet: Module, shipped: Shipped) -> None:
    records = shipped("duel01")
    launch = next(n for n, one in enumerate(records) if isinstance(one.event, ev.Launched))
    upto = records[: launch + 1]
    state = public_state(upto)
    [drone] = state.seekers()
    own = export_game(state, cadet, own=seen_from(upto, drone.side)).save
    lines = [line for piece in own.pieces if is_paper(piece.id) for line in written(piece.piece)]
    assert any(line.startswith(f"{drone.name}, drone at ") and "until" in line for line in lines)


def all_of(save: Save) -> dict[str, Piece]:
    return {piece.id: piece.piece for piece in save.pieces}


def test_no_counter_has_many_labels_without_a_key(cadet: Module, shipped: Shipped) -> None:
    """VASSAL reckons these into the shape of a counter, in twice the time for each one: 35 keep it busy for days. It
    does so for the counters of the palette, of every save and of every film.
    """
    records = turn_two(shipped("duel01"))
    state, own = public_state(records), seen_from(records, "klingon")
    made = [export_game(state, cadet, own=own).save, make_replay_log(records, cadet, turn=2).log.save()]
    made.append(update_save(state, export_game(public_state(records[:40]), cadet).save, cadet, own=own).save)
    found = {slot.gpid: slot.piece for slot in cadet.slots}
    for save in made:
        found |= all_of(save)
    assert any(is_paper(name) for name in found) and cadet.slot("Klingon papers").gpid in found
    many = {name: len(keyless(piece)) for name, piece in found.items() if len(keyless(piece)) > MOST}
    assert many == {}


def test_papers_that_vassal_cannot_open_are_renewed(cadet: Module, shipped: Shipped) -> None:
    """Papers of an earlier version, and one that a player laid from the palette, whosever save it becomes."""
    records = turn_two(shipped("duel01"))
    state, own = public_state(records), seen_from(records, "klingon")
    new = export_game(state, cadet, own=own).save
    laid = NewPiece(cadet.slot("Federation papers"), "Federation papers", (300, 300), Look(label="Lexington"))
    new = update(new, {"pbem-*papers Destruction": Change(Look(properties={"Weapons 18": "mine"}))}, add=[laid])
    old = with_keyless_papers(new)
    broken = [name for name, piece in all_of(old).items() if len(keyless(piece)) > MOST]
    assert len(broken) == 2 and "pbem-*papers Destruction" in broken
    for whose in (None, own):
        done = update_save(state, old, cadet, own=whose)
        assert not any(len(keyless(piece)) > MOST for piece in all_of(done.save).values())
        assert all_of(done.save).keys() == all_of(old).keys()
        [said] = [line for line in done.changed if "VASSAL can open it again" in line]
        assert "the papers of Destruction" in said and "Federation papers" in said
        assert not any("VASSAL can open" in line for line in update_save(state, done.save, cadet, own=whose).changed)
        [paper] = [piece for piece in done.save.pieces if is_paper(piece.id)]
        assert ("mine" in written(paper.piece)) is (whose is None)
        if whose is None:  # what is written on them, and where they lie, stays
            assert all_of(done.save) == all_of(new)


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_save_with_sheets_stays_small(cadet: Module, shipped: Shipped, tmp_path: Path) -> None:
    for key in scenario_keys():
        export_game(opening(scenario(key)), cadet).save.write(tmp_path / "opening.vsav")
        assert (tmp_path / "opening.vsav").stat().st_size < 16_000
        assert not read_save(tmp_path / "opening.vsav").faults


def traits_of(piece: Piece, kind: str) -> list[Trait]:
    return [trait for trait in piece.traits if trait.kind == kind]


def test_sheets_are_refreshed_trait_by_trait(cadet: Module) -> None:
    """VASSAL's Refresh Counters pairs traits of a kind by what describes them: none is without, no two alike."""
    for slot in cadet.slots:
        for kind, field in (("button", 6), ("obs", 8), ("hide", 6), ("submenu", 1), ("propertysheet", 9), ("emb2", 30)):
            said = [trait.field(field) for trait in traits_of(slot.piece, kind)]
            assert all(said) and len(set(said)) == len(said), (slot.name, kind, said)
