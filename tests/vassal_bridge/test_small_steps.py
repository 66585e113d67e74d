"""The small steps between units and counters, as whole values: names, labels, facings, stops, notes, marks."""

from __future__ import annotations

import sys

import msgspec
import pytest

from pbem.data.scenarios import scenario
from pbem.data.terms import FormKind
from pbem.engine.on_file import altered
from pbem.engine.play.setup import set_up
from pbem.engine.state import Request, Ship, State
from pbem.errors import GameError
from pbem.vassal_bridge import binding, import_plots, import_positions, update as updating
from pbem.vassal_bridge.binding import Binding, binding_keys, binding_text, facing_of, read_binding, wanted_marks
from pbem.vassal_bridge.companion.board import MISSING, can_draw, png
from pbem.vassal_bridge.companion.counters import SvgPicture
from pbem.vassal_bridge.companion.ssd import words_of
from pbem.vassal_bridge.import_plots import CounterRoute, CounterStop, plot_of
from pbem.vassal_bridge.import_positions import carries_name, is_label
from pbem.vassal_bridge.notes import END, TOP, with_sitrep
from pbem.vassal_bridge.scene import label_text
from vassal.pieces.piece import Look, Piece, join_levels

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def state() -> State:
    """Scenario #5 before its first turn."""
    return set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}).state


def ship(state: State, **changes: object) -> Ship:
    unit = state.units["Destruction"]
    assert isinstance(unit, Ship)
    return altered(unit, **changes)


def counter(*levels: tuple[str, str], name: str = "Piece") -> Piece:
    levels = (*levels, (f"piece;;;a.png;{name}", "Map;1;2"))
    return Piece(join_levels([one for one, _ in levels]), join_levels([two for _, two in levels]))


def label(name: str, text: str) -> tuple[str, str]:
    return f"label;;10;;b;;0;0;;;;;$pieceName$;;;;{name}", text


# --- what a counter says of itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Kor", True), ("kOR", True), (" Kor ", True), ("Kor 8", True), ("Kor 8 CLOAKED", True), ("Kor cloaked", True),
        ("Kor8", False), ("Kor-", False), ("Kor x", False), ("Kor 8 x", False), ("My Kor", False), ("Ko", False),
        ("", False), ("Kor\t8", False),
    ],
)  # fmt: skip
def test_what_label_is_a_units_name(text: str, fits: bool) -> None:
    assert is_label(text, "Kor") == fits


@pytest.mark.parametrize(
    ("piece", "fits"),
    [
        (counter(name="KOR"), True),
        (counter(name="Kor two"), False),
        (counter(label("A", "x"), label("B", "Kor 4")), True),
        (counter(label("A", "x"), label("B", "y")), False),
        (counter(label("A", "$part$or"), ("mark;part", "K")), True),
        (counter(label("A", "$part$or"), ("mark;part", "M")), False),
        (counter(("mark;UnitName", "kor")), True),
        (counter(("mark;UnitName,Other", "x,kor")), True),
        (counter(("mark;kor", "x")), False),
    ],
)
def test_where_a_counter_may_carry_a_name(piece: Piece, fits: bool) -> None:
    assert carries_name(piece, "Kor") == fits


@pytest.mark.parametrize(
    ("kind", "state", "facing"),
    [
        ("rotate;6;;;;;;;F", "0", "A"),
        ("rotate;6;;;;;;;F", "1", "B"),
        ("rotate;6;;;;;;;F", "5", "F"),
        ("rotate;12;;;;;;;F", "2", "B"),
        ("rotate;12;;;;;;;F", "3", ""),
        ("rotate;1;;;;;Free", "-60.0", "B"),
        ("rotate;1;;;;;Free", "-300.4", "F"),
        ("rotate;1;;;;;Free", "-359.6", "A"),
        ("rotate;1;;;;;Free", "60.0", "F"),
        ("rotate;1;;;;;Free", "-61.0", ""),
    ],
)
def test_the_facing_a_counter_shows(kind: str, state: str, facing: str) -> None:
    turned = (kind, state)
    odd = ("rotate;12;;;;;;;Odd", "1")
    assert facing_of(counter(turned)) == facing
    assert facing_of(counter(odd, turned)) == facing
    assert facing_of(counter(turned, ("rotate;6;;;;;;;Last", "3"))) == (facing or "D")
    assert facing_of(counter()) == ""


def test_the_trait_that_shows_the_facing_counts_before_others_that_turn() -> None:
    turret, hull, free = ("rotate;4;;;;;;;Turret", "0"), ("rotate;6;;;;;;;Hull", "1"), ("rotate;1;;;;;Free", "-240.0")
    assert facing_of(counter(turret, hull)) == facing_of(counter(hull, turret)) == "B"
    assert facing_of(counter(turret)) == "A"  # it alone turns
    assert [facing_of(counter(turret, hull, free), name) for name in ("", "Hull", "Free", "Turret")] == [*"BBEB"]


def test_what_could_show_a_facing() -> None:
    """All that turns to six directions, to a multiple of them or to any angle; the one that does so by itself first."""
    kinds = [
        ("rotate;4;;;;;;;Turret", "0"),
        ("rotate;12;;;;;;;Hull", "0"),
        ("rotate;1;;;;;Free", "0"),
        ("rotate;6;;;;;;;Last", "0"),
    ]
    assert [one.name for one in binding.could_be(counter(*kinds))] == ["Hull", "Free", "Last"]
    assert [one.name for one in binding.could_be(counter(*reversed(kinds)))] == ["Last", "Free", "Hull"]
    assert binding.could_be(counter(kinds[0])) == binding.could_be(counter()) == []


def test_what_the_rules_say_of_a_counter_that_stands_elsewhere(state: State) -> None:
    unit = ship(state, hex="1010", facing="A")
    far = "2 hexes from where it is; a unit moves one hex an impulse (C1.1)"
    assert {then: import_positions._remarks(state, unit, then) for then in (
        "1010A", "1010B", "1010D", "1009A", "1009B", "1009F", "1009C", "1009D", "1009E", "1008A", "1008D",
    )} == {
        "1010A": (), "1010B": ("turned without moving (C3.1)",), "1010D": ("turned without moving (C3.1)",),
        "1009A": (), "1009B": (), "1009F": (),
        "1009C": ("turned 120 degrees (C3.1)",), "1009D": ("turned 180 degrees (C3.1)",),
        "1009E": ("turned 120 degrees (C3.1)",),
        "1008A": (far,), "1008D": (far, "turned 180 degrees (C3.1)"),
    }  # fmt: skip


# --- labels of strangers' counters -----------------------------------------------------------------------------------


def test_of_a_strangers_labels_only_the_one_with_the_name_is_written(state: State) -> None:
    unit = ship(state)
    look = Look(labels={"A": "Destruction", "Status": "8"}, degrees=60)

    def kept(*texts: str) -> Look:
        piece = counter(*(label(name, text) for name, text in zip("ABC", texts, strict=False)))
        return updating._keeping(look, piece, unit, "")

    assert kept("Destruction 4", "x") == look  # the first is written as a new one would be
    assert kept("x", "destruction") == Look(labels={"B": "Destruction", "Status": "8"}, degrees=60)
    assert kept("", "Destruction", "Destruction") == Look(labels={"B": "Destruction", "Status": "8"}, degrees=60)
    assert kept(" ", "x") == look  # nobody has written there yet
    assert kept("x", "") == Look(labels={"Status": "8"}, degrees=60)
    bare = Look(degrees=60)
    assert updating._keeping(bare, counter(label("A", "x")), unit, "") is bare


def test_terrain_stays_and_a_point_of_turn_does_not(state: State) -> None:
    ids = ("pbem-*asteroids 0101", "pbem-*planet 0101", "pbem-*turn Kor", "pbem-Destruction", "pbem-nobody", "7")
    assert [updating._is_terrain(piece, state) for piece in ids] == [True, True, False, False, False, False]


def test_what_the_label_of_a_unit_says(state: State) -> None:
    assert label_text(ship(state, speed=12)) == "Destruction 12"
    assert label_text(ship(state, speed=0)) == "Destruction 0"


# --- vassal.toml -----------------------------------------------------------------------------------------------------


def test_the_file_of_counters_reads_as_it_was_written() -> None:
    full = Binding(module="m/ü.vmod", map='The "Map"', board="B", counters={"b": "2", "a": "1"})
    assert binding_text(full) == (
        "# Which counter of the VASSAL module stands for which unit. Edit freely; pbem export reads it again.\n"
        'format = 1\nmodule = "m/ü.vmod"\nmap = "The \\"Map\\""\nboard = "B"\n\n[counters]\n"a" = "1"\n"b" = "2"\n'
    )
    assert read_binding(binding_text(full), "vassal.toml") == full
    short = read_binding('map = "M"\n', "vassal.toml")
    assert (short, short.format, short.module, short.board, short.counters) == (Binding(map="M"), 1, "", "", {})
    assert binding_text(short).splitlines()[1:] == ["format = 1", 'map = "M"', "", "[counters]"]
    apart = read_binding('map = "M"\n[counters]\n"Ku\u0308" = "u\u0308"\n', "vassal.toml").counters
    assert apart == {"K\u00fc": "u\u0308"}
    for number in (0, 2):
        with pytest.raises(GameError, match=rf"format {number} is unknown; this version reads format 1"):
            read_binding(f'format = {number}\nmap = "M"\n', "vassal.toml")


def test_the_lines_and_marks_that_hold_for_a_unit(state: State) -> None:
    unit = ship(state)
    assert binding_keys(unit) == ("Destruction", "Destruction", "Destruction", unit.ship)
    assert wanted_marks(unit) == {"ShipKey": unit.ship}
    assert binding.small_marks("shuttle", "klingon") == {"Unit": "shuttle", "Race": "klingon"}
    assert binding.small_marks("drone", "klingon") == {"Weapon": "drone", "Race": "klingon"}


# --- the way of a counter --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "where", "taking_back", "after"),
    [
        ([("0101", "A")], "0102A", False, [("0101", "A"), ("0102", "A")]),
        ([("0101", "A")], "0101A", False, [("0101", "A")]),
        ([("0101", "A")], "0101B", False, [("0101", "AB")]),
        ([("0101", "AB")], "0101A", False, [("0101", "ABA")]),
        ([("0101", "A")], "", False, [("0101", "A")]),
        ([("0101", "A")], "0102", False, [("0101", "A")]),
        ([("0101", "A"), ("0102", "A")], "0101A", False, [("0101", "A"), ("0102", "A"), ("0101", "A")]),
        ([("0101", "A"), ("0102", "A")], "0101A", True, [("0101", "A")]),
        ([("0101", "A"), ("0102", "A")], "0101B", True, [("0101", "AB")]),
        ([("0101", "A"), ("0102", "A"), ("0103", "A")], "0101A", True,
         [("0101", "A"), ("0102", "A"), ("0103", "A"), ("0101", "A")]),
        ([("0101", "A")], "0102A", True, [("0101", "A"), ("0102", "A")]),
        ([("0101", "A")], "0101B", True, [("0101", "AB")]),
    ],
)  # fmt: skip
def test_where_a_counter_was_seen(
    before: list[tuple[str, str]], where: str, taking_back: bool, after: list[tuple[str, str]]
) -> None:
    stops = [CounterStop(hex_, tuple(facings)) for hex_, facings in before]
    import_plots._see(stops, where, taking_back=taking_back)
    assert stops == [CounterStop(hex_, tuple(facings)) for hex_, facings in after]


def test_a_counter_that_was_only_turned_was_seen_in_its_hex() -> None:
    assert import_plots._turned(CounterStop("0101", ("A", "B")), "0101A") == (CounterStop("0101", ("A", "B")),)
    assert import_plots._turned(CounterStop("0101", ("A", "B", "A")), "0101A") == ()


def test_a_counter_turned_to_and_fro_in_its_hex_is_told_by_its_last_facing(state: State) -> None:
    unit = ship(state)
    text = "it turned in its hex from B to {}: only a tactical maneuver (TAC) does that (C5.0)"
    for stops, last in (
        ((CounterStop("0216", ("C", "B")),), "B"),
        ((CounterStop("0216", ("B",)), CounterStop("0216", ("B", "D"))), "D"),
    ):
        found = plot_of(state, unit, CounterRoute("0216B", stops))
        assert (found.codes, found.path, found.faults) == ((), (), ())
        assert (found.start, found.end, found.remarks) == ("0216B", "0216B", (text.format(last),))


@pytest.mark.parametrize(
    ("impulse", "form", "remarks"),
    [
        (0, FormKind.EAF, ("this many hexes need SPEED 5",)),
        (0, FormKind.SOP, ("speed 4 makes 4 hexes in impulses 1 to 16, and this is 5 (C1.4)",)),
        (1, FormKind.SOP, ("speed 4 makes 4 hexes in impulses 1 to 16, and this is 5 (C1.4)",)),
        (1, FormKind.EAF, ("speed 4 makes 4 hexes in impulses 1 to 16, and this is 5 (C1.4)",)),
        (9, FormKind.SOP, ("speed 4 makes 2 hexes in impulses 9 to 16, and this is 5 (C1.4)",)),
    ],
)
def test_what_is_said_of_the_length_of_a_plot(
    state: State, impulse: int, form: FormKind, remarks: tuple[str, ...]
) -> None:
    """Before speeds are announced, the speed it takes; afterwards, what the speed makes in the impulses asked for."""
    request = Request(number=2, turn=1, impulse=impulse, form=form, sides=("klingon",), through=16)
    way = CounterRoute("0216B", (CounterStop("0613", ("B",)),))
    assert plot_of(replace(state, request=request), ship(state, speed=4), way).remarks == remarks
    assert plot_of(replace(state, request=None), ship(state, speed=4), way).remarks == ()


@pytest.mark.parametrize(
    ("name", "boxes", "words"),
    [("hull", 0, "hull"), ("hull", 5, "hull"), ("hull", 6, "hull 6"), ("warp left", 12, "left warp 12")],
)
def test_boxes_that_are_not_seen_at_a_glance_are_counted(name: str, boxes: int, words: str) -> None:
    assert words_of(name, boxes) == words


# --- notes and pictures ----------------------------------------------------------------------------------------------

OLD, NEW = f"{TOP}\nold\n{END}", f"{TOP}\nnew\n{END}"


@pytest.mark.parametrize(
    ("notes", "after"),
    [
        ("", NEW),
        (" \n", NEW),
        ("mine", f"{NEW}\n\nmine"),
        (OLD, NEW),
        (f"above\n{OLD}\nbelow", f"above\n{NEW}\nbelow"),
        (f"{OLD}\n{OLD}", f"{NEW}\n{OLD}"),
        (f"{TOP}\ncut off", f"{NEW}\n\n{TOP}\ncut off"),
        (f"{END} alone", f"{NEW}\n\n{END} alone"),
    ],
)
def test_the_sitrep_takes_the_place_of_the_one_before(notes: str, after: str) -> None:
    assert with_sitrep(notes, NEW) == after


def test_without_the_library_no_picture_is_drawn_and_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert can_draw() is False
    with pytest.raises(GameError) as told:
        png(SvgPicture("<svg/>", 1, 1))
    assert MISSING in str(told.value)
