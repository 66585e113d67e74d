"""Modules of others: their maps, counters and facings are found, what is not sure is asked, and a game is laid on them
and comes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from pbem.engine.state import Ship, State
from pbem.errors import GameError
from pbem.lab.random_games.play import deal, opening
from pbem.rules.hexes import FACINGS, neighbour
from pbem.vassal_bridge.binding import (
    Binding,
    Heading,
    binding_text,
    could_be,
    facing_of,
    heading_of,
    level_for,
    read_binding,
)
from pbem.vassal_bridge.export import export_game, open_module, placing
from pbem.vassal_bridge.hexmap import COUNTED, NUMBERS, HexMap, places
from pbem.vassal_bridge.import_plots import ways_to
from pbem.vassal_bridge.import_positions import import_positions
from pbem.vassal_bridge.propose import (
    AREA,
    CounterNeed,
    CounterQuery,
    Palette,
    _counters,
    is_sure,
    propose,
    survey,
    vocabulary,
    words,
)
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.update import update_save
from tests.vassal_bridge import foreign
from tests.vassal_bridge.foreign import MADE, Entry, Trait, a_map, board, hexes, named, pictures, turns
from vassal.module.module import Module
from vassal.pieces.piece import Piece, join_levels

DATA = Path(__file__).parents[1] / "vassal" / "data"
Made = Callable[[str], Module]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A module of foreign.py, or one of the two that strangers could have made (tests/vassal/data)."""
    folder = tmp_path_factory.mktemp("foreign")

    @cache
    def module(name: str) -> Module:
        if name in MADE:
            return open_module(MADE[name](folder / f"{name}.vmod"))
        return open_module(DATA / f"{name}.vmod")

    return module


@cache
def game(key: str) -> State:
    return public_state(opening(deal(key)).records)


def piece(*traits: Trait, name: str = "Ship") -> Piece:
    types, states = zip(*(*traits, Trait(f"piece;;;a.png;{name}", "null;0;0;1")), strict=True)
    return Piece(join_levels(types), join_levels(states))


# --- whole modules ----------------------------------------------------------------------------------------------------

FOUND = {
    "classes": {
        "fed_cadet_ca": "Fed CA", "kli_cadet_d6": "Klingon D6", "std_kli_d7": "Klingon D7",
        "std_rom_we": "Rom War Eagle", "std_hyd_rn": "Hydran Ranger",
        "std_freighter_small": "Small Freighter", "kzinti drone": "Kzinti drone",
        "plasma": "Plasma torpedo", "shuttle": "Admin shuttle", "planet_killer": "Planet Killer", "planet": "Planet",
        "asteroids": "Asteroid",
    },
    "names": {
        "Constellation": "USS Constellation", "Destruction": "IKV Destruction", "War": "IKV War",
        "klingon drone": "Klingon missile", "federation shuttle": "Federation shuttle",
    },
    "sheets": {
        "std_fed_ca_cth": "fedCA.gif", "std_gorn_ca": "gornCA.gif", "std_kli_d7": "kliD7.png",
        "std_kli_d6": "kliD6.png",
        "std_rom_we": "romWE.png", "std_rom_kr": "romKR.png", "std_ori_cr": "oriCR.png", "drone": "drone.png",
        "plasma": "plasma.png",
    },
    "lettered": {
        "fed_cadet_ca": "heavycruiser.png", "std_kli_d7": "d7battlecruiser.png", "std_kzi_cs": "strikecruiser.png",
        "std_rom_kr": "kr.png", "std_tho_pc": "patrolcorvette.png", "planet_killer": "planetkiller.png",
    },
}  # fmt: skip
"""What is found beyond doubt, by the names of entries or pictures."""

MAPS = {
    "classes": Binding(map="Main Map"),
    "names": Binding(map="Battle", hexes="numbers", zone="Arena"),
    "sheets": Binding(map="Sector", hexes="counted", first_hex=(2, 1)),
    "lettered": Binding(map="Table", hexes="numbers"),
    "HexSpaceTest": Binding(map="Tactical Map"),
}


@pytest.mark.parametrize("name", FOUND)
def test_counters_are_found_by_name_picture_and_folder(made: Made, name: str) -> None:
    module = made(name)
    answers = {answer.key: answer for answer in survey(module).counters}
    for key, wanted in FOUND[name].items():
        slot = module.slot(answers[key].choices[0].value)
        core = slot.piece.core
        assert answers[key].sure, key
        assert wanted in (slot.name, getattr(core, "image", "")), key


def test_a_binding_for_another_module_says_what_to_do(made: Made) -> None:
    binding = survey(made("names")).binding()
    with pytest.raises(GameError, match="another module; run pbem bind for this one"):
        export_game(game("5-1-3"), made("classes"), binding)


def test_entries_with_one_gpid_are_named_by_their_places(made: Made, tmp_path: Path) -> None:
    """A module somebody copied entries in, so that two have one gpid: each still has a line of its own."""
    usual = made("classes")
    gpid = usual.slot("Klingon D6").gpid
    path = _with(tmp_path, f'gpid="{usual.slot("Fed CA").gpid}"', f'gpid="{gpid}"')
    module = open_module(path)
    answers = {answer.key: answer for answer in survey(module).counters}
    for key in ("fed_cadet_ca", "kli_cadet_d6"):
        chosen = answers[key].choices[0].value
        assert chosen != gpid and module.slot(chosen).name == FOUND["classes"][key]


def test_an_entry_without_a_name_of_any_kind_is_not_offered(made: Made, tmp_path: Path) -> None:
    usual = made("classes")
    slot = usual.slot("Fed CA")
    path = _with(tmp_path, f'entryName="Fed CA" gpid="{slot.gpid}"', 'entryName="" gpid=""')
    answers = {answer.key: answer for answer in survey(open_module(path)).counters}
    assert all("Fed CA" not in choice.about for answer in answers.values() for choice in answer.choices)
    assert answers["std_kli_d7"].sure


def _with(folder: Path, old: str, new: str) -> Path:
    """The module ``classes`` with something of its build file changed."""
    path = folder / "changed.vmod"
    with ZipFile(MADE["classes"](folder / "classes.vmod")) as archive:
        text = archive.read("buildFile.xml").decode()
    assert text.count(old) == 1
    with ZipFile(path, "w") as archive:
        archive.writestr("buildFile.xml", text.replace(old, new))
    return path


@pytest.mark.parametrize("name", MAPS)
def test_the_playing_map_is_found_among_sheets_and_charts(made: Made, name: str) -> None:
    found = survey(made(name)).binding()
    assert (
        Binding(map=found.map, board=found.board, hexes=found.hexes, zone=found.zone, first_hex=found.first_hex)
        == (MAPS[name])
    )


def test_of_a_zoo_of_grids_one_is_taken_and_all_are_offered(made: Made) -> None:
    found = survey(made("GridZoo"))
    assert not found.map.sure and len(found.map.choices) == 8
    assert {answer.key for answer in found.questions} == {"map"}
    assert found.binding({"map": found.map.choices[3].value}).map == found.map.choices[3].value.split("/")[0]


@pytest.mark.parametrize("name", [*MADE, "HexSpaceTest"])
@pytest.mark.parametrize(
    "key", ["5-1-3", *(pytest.param(key, marks=pytest.mark.slow) for key in ("3-1-4", "12-1-2", "1-1-5", "11-1-6"))]
)
def test_a_game_is_laid_out_and_comes_back(made: Made, name: str, key: str) -> None:
    """Every unit that has a hex there stands in it, and is found again as it was put."""
    module, state = made(name), game(key)
    for binding in (propose(state, module), survey(module).binding(), survey(module, state).binding()):
        assert read_binding(binding_text(binding), "vassal.toml") == binding
        done = export_game(state, module, binding)
        found = import_positions(state, done.save, module, binding)
        plan = placing(state, module, binding)
        assert found.moved == () and set(found.unchanged) == {one.unit for one in plan.placed} & {*found.unchanged}
        assert len(done.save.pieces) == len(plan.placed)
        more = set(plan.lacking) - set(done.left_out)  # planets without a counter of their own
        assert set(done.left_out) <= set(plan.lacking) and all(
            "the module's own map may show it" in one for one in more
        )
        again = update_save(state, done.save, module, binding)
        assert again.save.text.count("+/pbem-") == done.save.text.count("+/pbem-")
        assert set(again.left_out) == {line for line in done.left_out if not line.startswith("the planet")}


@pytest.mark.slow
def test_each_ship_turns_to_each_side_of_a_hex(made: Made) -> None:
    """By a trait or by pictures; and a counter with twelve pictures also stands between two sides."""

    for name in MADE:
        module, state = made(name), game("5-1-3")
        ship = next(iter(state.ships()))
        for facing in FACINGS:
            turned = replace(ship, facing=facing)
            now = replace(state, units={ship.name: turned})
            save = export_game(now, module, propose(now, module)).save
            assert facing_of(save.piece(f"pbem-{ship.name}").piece) == facing


def test_the_name_goes_where_the_counter_shows_it(made: Made) -> None:
    """Into the label for a name, or into the property that such a label shows."""
    state = game("5-1-3")
    ship = next(iter(state.ships()))
    shown = export_game(state, made("classes")).save.piece(f"pbem-{ship.name}").piece
    assert shown.properties["ShipName"] == f"{ship.name} {ship.speed}"
    assert shown.labels[0].text == "$ShipName$" and f"({ship.name} {ship.speed})" in shown.name
    labelled = export_game(state, made("lettered")).save.piece(f"pbem-{ship.name}").piece
    assert [label.text for label in labelled.labels] == [f"{ship.name} {ship.speed}", ""]


def test_a_counter_that_shows_its_name_by_a_property_is_found_by_it(made: Made) -> None:
    """Laid out by people, without our ids."""
    from vassal.write import NewPiece, update

    module, state = made("classes"), game("5-1-3")
    binding = propose(state, module)
    laid = export_game(state, module, binding).save
    ship = next(iter(state.ships()))
    own = laid.piece(f"pbem-{ship.name}")
    from vassal.pieces.piece import Look

    copy = NewPiece(module.slot(own.gpid), binding.map, (own.x, own.y), Look(properties={"ShipName": ship.name}))
    people = update(laid, remove=[piece.id for piece in laid.pieces], add=[copy])
    found = import_positions(state, people, module, binding)
    assert ship.name in {*found.unchanged, *(one.unit for one in found.moved)}


def test_which_columns_lie_lower_is_told(made: Made) -> None:
    """H12 and the like are found; that odd columns lie lower there is said, with what begins a game like that."""
    said = " ".join(survey(made("lettered")).remarks)
    assert "odd columns lie half a hex lower" in said and "pbem new --grid odd" in said
    odd = next(game(f"5-1-{n}") for n in range(40) if game(f"5-1-{n}").grid == "odd")
    assert survey(made("lettered"), odd).remarks == ()
    [place, *_] = places(made("lettered"), odd.map, odd.grid)
    assert place.faces and place.how == NUMBERS


def test_a_module_without_hexes_is_refused(tmp_path: Path) -> None:
    module = open_module(foreign.write(tmp_path / "m.vmod", "No hexes", [a_map("M", board("B", 900, 900))], []))
    with pytest.raises(GameError, match="no map of the module 'No hexes' has the hexes 0101 to 2817"):
        survey(module)
    with pytest.raises(GameError, match="no map of the module"):
        propose(game("5-1-3"), module)


def test_a_unit_the_module_has_nothing_for_is_left_out_and_named(tmp_path: Path) -> None:
    """It was refused altogether; its line in vassal.toml is what it lacks."""
    module = open_module(foreign.write(tmp_path / "m.vmod", "Bare", [a_map("M", board("B", 1400, 1010, hexes()))], []))
    state = game("5-1-3")
    done = export_game(state, module)
    assert len(done.left_out) == len([*state.in_play()])
    assert all("no counter stands for it; add a line for it to vassal.toml" in line for line in done.left_out)
    assert survey(module).lacking[:2] == ["Freighter", "Federation Cadet cruiser"]


@pytest.mark.parametrize("door", ["export", "placing", "import", "update", "ways"])
def test_a_vassal_toml_for_another_module_says_what_makes_one_for_this(made: Made, door: str) -> None:
    module, state = made("names"), game("5-1-3")
    own = propose(state, module)
    save, other = export_game(state, module, own).save, replace(own, map="Nowhere")
    with pytest.raises(GameError, match=r"no map 'Nowhere'.*another module; run pbem bind for this one"):
        match door:
            case "export":
                export_game(state, module, other)
            case "placing":
                placing(state, module, other)
            case "import":
                import_positions(state, save, module, other)
            case "update":
                update_save(state, save, module, other)
            case _:
                ways_to(state, save, module, other)


# --- hexes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["names", "sheets", "lettered"])
def test_every_hex_has_a_pixel_and_every_pixel_its_hex(made: Made, name: str) -> None:
    module = made(name)
    binding = survey(module).binding()
    hexmap = binding.hexmap(module.map(binding.map).layout())
    seen = set()
    for column in range(1, 29):
        for row in range(1, 18):
            x, y = hexmap.pixel(f"{column:02}{row:02}")
            seen.add((x, y))
            for nudge in ((0, 0), (9, 0), (-9, 0), (0, 9), (0, -9)):
                assert hexmap.location((x + nudge[0], y + nudge[1])) == f"{column:02}{row:02}"
    assert len(seen) == 28 * 17


def test_places_beyond_the_hexes_have_no_hex(made: Made) -> None:
    from vassal.errors import LocationError

    module = made("names")
    hexmap = survey(module).binding().hexmap(module.map("Battle").layout())
    assert hexmap.location((20, 20)) in ("", "offboard")
    assert hexmap.location((25, 1125)) == "T0101"
    with pytest.raises(LocationError):
        hexmap.pixel("4001")


@pytest.mark.parametrize("grid", ["even", "odd"])
def test_a_grid_without_numbers_is_counted_so_that_the_right_columns_lie_lower(made: Made, grid: str) -> None:
    [place, *_] = places(made("sheets"), AREA, grid)
    assert (place.map, place.how, place.faces) == ("Sector", COUNTED, True)


def test_a_map_with_its_points_up_is_told(tmp_path: Path) -> None:
    sideways = hexes().replace("snapTo", 'sideways="true" snapTo')
    module = open_module(
        foreign.write(tmp_path / "m.vmod", "Sideways", [a_map("M", board("B", 1400, 1400, sideways))], [])
    )
    assert any("no side of them points up" in remark for remark in survey(module).remarks)


@pytest.mark.parametrize(
    ("more", "usual", "said", "grid"),
    [
        ({}, "B/rev", "lies turned half round: side A points down", "even"),
        ({"vDescend": "true"}, "B", "lies mirrored: side A points down", "odd"),
        ({"hDescend": "true"}, "B", "lies mirrored: side A points up", "odd"),
        ({"hType": "A", "hLeading": "0", "hOff": "1"}, "B", "odd columns lie half a hex lower", "odd"),
    ],
)
def test_counters_look_where_the_next_hex_lies(
    tmp_path: Path, more: dict[str, str], usual: str, said: str, grid: str
) -> None:
    """A board laid the other way round, rows or columns that count backward, letters that begin a column later: no such
    map has its points up. A counter looks to the hex ahead of it, wherever that is, and is read as it was put.
    """
    maps = [a_map("M", board("B", 1500, 1130, hexes(**more)), usual=usual)]  # type: ignore[arg-type]
    entries = [Entry("Ships", name, f"{name}.png", (turns(6), named("Name"))) for name in ("Fed CA", "Klingon D6")]
    module = open_module(foreign.write(tmp_path / "m.vmod", "M", maps, entries))
    remarks = survey(module).remarks
    assert any(said in remark for remark in remarks) and not any("no side of them" in remark for remark in remarks)
    state = next(game(f"5-1-{n}") for n in range(40) if game(f"5-1-{n}").grid == grid)
    ship = next(unit for unit in state.in_play() if isinstance(unit, Ship))
    for facing in FACINGS:
        turned = replace(ship, hex="0909", facing=facing)
        there = replace(state, units={**state.units, ship.name: turned})
        binding = propose(there, module)
        done = export_game(there, module, binding)
        piece = done.save.piece(f"pbem-{ship.name}")
        hexmap = binding.hexmap(module.map("M").layout(done.save.boards["M"]))
        x, y = hexmap.pixel(neighbour("0909", facing, state.grid))
        way = math.degrees(math.atan2(x - piece.x, piece.y - y)) % 360
        apart = (way - piece.piece.rotators[0].degrees) % 360
        assert min(apart, 360 - apart) < 3
        found = import_positions(there, done.save, module, binding)
        assert ship.name in found.unchanged


def test_a_small_map_is_taken_for_a_small_scenario(made: Made) -> None:
    small = next(game(f"1-1-{n}") for n in range(40) if game(f"1-1-{n}").grid == "even")
    assert small.map == ("0101", "1417")
    assert propose(small, made("classes")).board == "Small"


# --- facings ----------------------------------------------------------------------------------------------------------

COMPASS = ("N", "NE", "SE", "S", "SW", "NW")


@pytest.mark.parametrize(
    ("trait", "degrees"),
    [
        (pictures("Any", ["a.png"] * 6, [f"Facing {letter}" for letter in FACINGS]), (0, 60, 120, 180, 240, 300)),
        (pictures("Any", [f"d7{letter}.gif" for letter in "CDEFAB"]), (120, 180, 240, 300, 0, 60)),
        (pictures("Any", [f"ship-{way}.png" for way in COMPASS]), (0, 60, 120, 180, 240, 300)),
        (pictures("Any", [f"x{step}.png" for step in range(0, 360, 60)]), (0, 60, 120, 180, 240, 300)),
        (pictures("Any", [f"x{step:03}.png" for step in range(0, 360, 30)]), tuple(range(0, 360, 30))),
        (pictures("Any", [f"x{step:03}.png" for step in range(0, 360, 15)]), tuple(range(0, 360, 15))),
        (pictures("Heading", [f"ship{step}.png" for step in range(1, 7)]), (0, 60, 120, 180, 240, 300)),
        (pictures("Heading", [f"ship{step}.png" for step in range(6)]), (0, 60, 120, 180, 240, 300)),
        (pictures("Damage", [f"hit{step}.png" for step in range(1, 7)]), None),
        (pictures("Damage", [f"x{step}.png" for step in (0, 60, 120, 180, 240, 240)]), None),
        (pictures("Heading", ["a.png", "b.png", "c.png"]), None),
        (pictures("Any", ["up.png", "right.png", "down.png", "left.png", "x.png", "y.png"]), None),
    ],
)
def test_what_a_layer_says_of_directions(trait: Trait, degrees: tuple[int, ...] | None) -> None:
    found = heading_of(piece(trait))
    assert (None if found is None else found.degrees) == degrees
    assert found is None or found.sure


def test_a_layer_that_is_called_so_and_says_nothing_is_not_sure() -> None:
    dumb = pictures("Facing", ["up.png", "ur.png", "lr.png", "down.png", "ll.png", "ul.png"], level="3")
    found = heading_of(piece(dumb))
    assert found == Heading("Facing", found.about if found else "", (0, 60, 120, 180, 240, 300), False)
    assert facing_of(piece(dumb)) == "C"
    assert facing_of(piece(dumb), "Facing", "B") == "D"
    assert level_for(heading_of(piece(dumb), "Facing", "B") or found, "A") == 6
    off = pictures("Facing", ["up.png", "ur.png", "lr.png", "down.png", "ll.png", "ul.png"], level="-3")
    assert facing_of(piece(off)) == ""


def test_of_several_traits_one_is_named() -> None:
    both = piece(turns(12, "Turret"), turns(6, "Hull"), pictures("Heading", [f"x{letter}.png" for letter in FACINGS]))
    assert [one.name for one in could_be(both)] == ["Turret", "Hull", "Heading"]
    assert (heading_of(both) or could_be(both)[2]).name == "Turret"
    for name in ("Hull", "Heading", "Turret"):
        assert (heading_of(both, name) or could_be(both)[0]).name == name
    assert heading_of(piece(turns(4), turns(8))) is None
    layers = piece(*(pictures(name, [f"x{letter}.png" for letter in FACINGS]) for name in ("Turret", "Hull")))
    assert [getattr(heading_of(layers, name), "name", "") for name in ("Turret", "Hull", "")] == [
        "Turret",
        "Hull",
        "Turret",
    ]


def test_which_trait_is_asked_where_there_are_several(tmp_path: Path) -> None:
    two = Entry("F", "Fed CA", "a.png", (turns(6, "Hull"), turns(12, "Arcs")))
    module = open_module(
        foreign.write(tmp_path / "m.vmod", "Two", [a_map("M", board("B", 1400, 1010, hexes()))], [two])
    )
    found = survey(module)
    assert found.facing is not None and [choice.value for choice in found.facing.choices] == ["Hull", "Arcs"]
    assert found.facing in found.questions
    assert found.binding({"facing": "Arcs"}).facing == "Arcs"
    assert found.binding().facing == "Hull"


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FED_CA", "fed ca"), ("KlingonD7", "klingon d7"), ("D7Battlecruiser", "d7 battlecruiser"), ("fedca", "fed ca"),
        ("FEDCA", "fed ca"), ("D7K", "d7k"), ("fed_ca1", "fed ca"), ("gorn-ca", "gorn ca"), ("kliD7_A", "kli d7 a"),
        ("Constitution CA", "constitution ca"), ("USS Constellation (NCC-1017)", "uss constellation ncc 1017"),
        ("", ""),
    ],
)  # fmt: skip
def test_words_of_names_and_files(text: str, found: str) -> None:
    assert " ".join(words(text)) == found


def palette(tmp_path: Path, *entries: tuple[str, str, str]) -> Palette:
    """A palette of entries: folder, name and picture."""
    made = [Entry(folder, name, picture, (named(), turns(6))) for folder, name, picture in entries]
    return Palette(open_module(foreign.write(tmp_path / "p.vmod", "P", [], made)))


CA = CounterQuery("k", "", "ship", "federation", "CA")
D6 = CounterQuery("k", "", "ship", "klingon", "D6")


@pytest.mark.parametrize(
    ("name", "sure"),
    [
        ("Fed CA", True), ("Federation Heavy Cruiser", True), ("Constitution CA", False), ("Fed Constitution", True),
        ("UFP CA", True), ("Starfleet CA (NCC-1700)", True), ("FED_CA", True), ("Fed CC", False), ("Fed DN", False),
        ("CA", False), ("Fed cruiser", False), ("Fed light cruiser CL", False),
    ],
)  # fmt: skip
def test_how_a_class_may_be_called(tmp_path: Path, name: str, sure: bool) -> None:
    assert is_sure(palette(tmp_path, ("x", name, "1.png")).fits(CA)) == sure


@pytest.mark.parametrize(
    "name", ["Klingon CA", "Fed drone", "Fed CA SSD", "Fed CA destroyed", "Fed CA Point of Turn", "Rom CA"]
)
def test_what_is_no_ship_of_that_race(tmp_path: Path, name: str) -> None:
    assert palette(tmp_path, ("x", name, "1.png")).fits(CA) == []


@pytest.mark.parametrize(
    ("folder", "name", "kinds"),
    [
        ("Units", "Fed drone", ["drone"]),
        ("Drones", "Fed type 1", ["drone"]),
        ("Drones", "Fed shuttle", ["shuttle"]),  # whatever it is kept with
        ("Drones and plasma", "Fed type 1", ["drone", "plasma"]),
        ("Units", "Fed drone and shuttle", []),
    ],
)
def test_a_counter_whose_name_says_another_small_unit_is_none_of_these(
    tmp_path: Path, folder: str, name: str, kinds: list[str]
) -> None:
    small = palette(tmp_path, (folder, name, "1.png"))
    assert [
        kind for kind in ("drone", "plasma", "shuttle") if small.fits(CounterQuery("k", "", kind, "federation"))
    ] == kinds


@pytest.mark.parametrize(
    ("entries", "keys"),
    [
        (["Fed CA"], ["fed_ca"]),
        (["Fed CA Potemkin"], ["Potemkin", "fed_ca"]),
        (["Fed CA", "Fed CA Potemkin"], ["Potemkin", "fed_ca"]),
    ],
)
def test_a_ship_has_a_line_of_its_own_where_a_counter_bears_her_name(
    tmp_path: Path, entries: list[str], keys: list[str]
) -> None:
    module = open_module(
        foreign.write(
            tmp_path / "p.vmod", "P", [], [Entry("x", name, f"{name}.png", (named(), turns(6))) for name in entries]
        )
    )
    ship = CA._replace(key="fed_ca")
    needs = [CounterNeed(ship._replace(key="Potemkin", name="Potemkin"), {}, own=True), CounterNeed(ship, {})]
    assert [one.key for one in _counters(module, needs) if one.choices] == keys


def test_an_abbreviation_of_one_race_alone_needs_no_race(tmp_path: Path) -> None:
    assert is_sure(palette(tmp_path, ("x", "D6 Battlecruiser", "1.png"), ("x", "D7", "2.png")).fits(D6))


def test_of_two_alike_none_is_sure_unless_they_look_alike(tmp_path: Path) -> None:
    two = palette(tmp_path, ("x", "Fed CA", "1.png"), ("x", "Federation CA", "2.png"))
    assert len(two.fits(CA)) == 2 and not is_sure(two.fits(CA))
    same = palette(tmp_path, ("x", "Fed CA", "1.png"), ("y", "Fed CA", "1.png"))
    assert is_sure(same.fits(CA))


def test_a_cadet_ship_is_rather_a_cadet_counter(tmp_path: Path) -> None:
    both = palette(tmp_path, ("x", "Fed CA", "1.png"), ("x", "Fed Cadet CA", "2.png"))
    assert both.fits(CA)[0].slot.name == "Fed CA" and is_sure(both.fits(CA))
    cadet = both.fits(CA._replace(level="cadet"))
    assert cadet[0].slot.name == "Fed Cadet CA" and is_sure(cadet)


def test_every_race_and_class_of_the_program_has_words() -> None:
    from pbem.data import charts
    from pbem.data.ships import ship_class, ship_keys

    assert {*vocabulary().races} == {*charts.races()}
    assert {ship_class(key).class_name for key in ship_keys()} <= vocabulary().classes.keys()
    races = {*charts.races()}
    for table in (vocabulary().names, vocabulary().nearest):
        assert {name.split(" ")[0] for name in table} <= races
    for table in (vocabulary().races, vocabulary().classes, vocabulary().units):
        assert all(name == name.casefold() for names in table.values() for name in names)


# --- vassal.toml ------------------------------------------------------------------------------------------------------


def test_all_settings_are_written_and_read() -> None:
    full = Binding(
        module="m.vmod", map="M", board="B", hexes="counted", zone="Z", first_hex=(2, 1), facing="Hull",
        first_facing="C", label="Name", counters={"a": "1"},
    )  # fmt: skip
    assert read_binding(binding_text(full), "vassal.toml") == full
    assert 'hexes = "counted"\nzone = "Z"\nfirst_hex = [2, 1]\nfacing = "Hull"\nfirst_facing = "C"\n' in binding_text(
        full
    )
    with pytest.raises(GameError, match="hexes"):
        read_binding('map = "M"\nhexes = "guessed"\n', "vassal.toml")


def test_a_hexmap_by_names_is_the_modules_own(made: Made) -> None:
    layout = made("HexSpaceTest").map("Tactical Map").layout()
    hexmap = HexMap(layout)
    assert (hexmap.name, hexmap.pixel("0812")) == ("Tactical Map", layout.pixel("0812"))
    assert hexmap.location((361, 670)) == layout.location((361, 670)) == "0812"


@pytest.mark.parametrize(
    ("more", "how", "faces"),
    [
        ({"sep": "."}, NUMBERS, True),
        ({"hLeading": "2", "vLeading": "2"}, NUMBERS, True),
        ({"hType": "A", "hLeading": "0", "hOff": "0"}, NUMBERS, True),
        ({"first": "V"}, NUMBERS, True),
        ({"hOff": "0", "vOff": "0"}, "names", False),
        ({"stagger": "true"}, "names", False),
        ({"hOff": "2001", "hLeading": "3"}, COUNTED, True),
    ],
)
def test_however_a_grid_is_numbered_its_hexes_are_found(
    tmp_path: Path, more: dict[str, str], how: str, faces: bool
) -> None:
    """With separators, letters, rows first, from another number on; where no number is the game's, counted. Numbers
    from 0 and a stagger have odd columns down.
    """
    grid = hexes(**more)  # type: ignore[arg-type]
    module = open_module(foreign.write(tmp_path / "m.vmod", "M", [a_map("M", board("B", 1500, 1100, grid))], []))
    [place, *_] = places(module, AREA, "even")
    assert (place.how, place.faces) == (how, faces) and place.part > 0.95
    odd = places(module, AREA, "odd")[0]
    assert odd.faces is not faces or how == COUNTED
