"""Modules: palette, prototypes, sides, and modules that are not as they should be."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from vassal.container.archive import image_size
from vassal.errors import ModuleError
from vassal.module.boards import SetUp
from vassal.module.build_file import read_grid
from vassal.module.grids import HexGrid
from vassal.module.module import Module, read_module

HEAD = '<VASSAL.build.GameModule name="T" version="1" VassalVersion="3.7.0">'
TAIL = "</VASSAL.build.GameModule>"


def write_module(path: Path, inside: str, entry: str = "buildFile.xml", **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, HEAD + inside + TAIL)
        for name, content in files.items():
            archive.writestr(f"images/{name}.png", content)
    return path


def prototype(name: str, traits: str, state: str = "\tnull;0;0;") -> str:
    return (
        f'<VASSAL.build.module.PrototypeDefinition name="{name}">+/null/{traits}\tpiece;;;;/{state}'
        "</VASSAL.build.module.PrototypeDefinition>"
    )


def slot(name: str, traits: str, state: str, gpid: str = "1") -> str:
    return (
        f'<VASSAL.build.module.PieceWindow name="P"><VASSAL.build.widget.PieceSlot entryName="{name}" gpid="{gpid}">'
        f"+/null/{traits}/{state}</VASSAL.build.widget.PieceSlot></VASSAL.build.module.PieceWindow>"
    )


def test_the_fixture_module(space: Module) -> None:
    assert (space.name, space.version, space.vassal) == ("Hex Space Test", "1.0", "3.7.26")
    assert space.sides == ("Alpha", "Beta", "Moderator")
    assert [game_map.name for game_map in space.maps] == ["Tactical Map", "SSD Map", "Zoned Map"]
    assert space.map("Map1").name == "SSD Map"
    assert space.map("Tactical Map").boards[0].width == 1200  # the size of its image
    assert space.map("Tactical Map").set_ups == (SetUp("AtStart planet", "Space", 0, 0, "1010", ("7",)),)
    assert space.map("SSD Map").set_ups[0].is_deck
    assert space.properties == {"GameTurn": "1", "Odd;Prop": "", "MapProp": "7"}
    assert space.turn_trackers == ("Turn",)
    assert space.faults == ()
    assert [(entry.gpid, entry.name) for entry in space.palette[0].folders[0].slots] == [
        ("1", "Cruiser A"), ("2", "Cruiser B"), ("3", "Drone"), ("4", "Free"), ("5", "Planet"), ("6", "Plain"),
    ]  # fmt: skip


def test_prototypes_are_expanded_in_place(space: Module) -> None:
    piece = space.slot("Cruiser A").piece
    assert [trait.kind for trait in piece.traits][:3] == ["mark", "mark", "delete"]
    assert piece.properties["Layer"] == "Ships"
    assert "prototype" not in piece.type


def test_slots_are_found_by_gpid_name_and_path(space: Module) -> None:
    assert space.slot("3").name == "Drone"
    assert space.slot("Ships/Drone").gpid == "3"
    assert space.slot("Planet").gpid == "5"  # the palette's, not the one set up at the start
    with pytest.raises(ModuleError, match=r"HexSpaceTest\.vmod: there is no palette entry 'Gorn'"):
        space.slot("Gorn")
    with pytest.raises(ModuleError, match="there is no map 'X'; its maps: 'Tactical Map'"):
        space.map("X")


def test_two_slots_of_one_name_must_be_told_apart(tmp_path: Path) -> None:
    inside = slot("CA", "piece;;;a.png;CA", "null;0;0;1") + slot("CA", "piece;;;b.png;CA", "null;0;0;2", gpid="2")
    module = read_module(write_module(tmp_path / "m.vmod", inside))
    with pytest.raises(ModuleError, match=r"'CA' may be any of P/CA \(gpid 1\); P/CA \(gpid 2\)"):
        module.slot("CA")
    assert module.slot("2").piece.type == "piece;;;b.png;CA"


def test_of_entries_that_are_one_and_the_same_the_first_is_taken(tmp_path: Path) -> None:
    inside = "".join(slot(name, "piece;;;a.png;CA", "null;0;0;1") for name in ("CA", "A copy", "Another"))
    assert read_module(write_module(tmp_path / "m.vmod", inside)).slot("1").name == "CA"


def test_prototypes_nest_and_take_parameters(tmp_path: Path) -> None:
    inside = (
        prototype("Inner", "mark;A", "$v$\tnull;0;0;")
        + prototype("Outer", "mark;B\tprototype;Inner;v=7\\", "b\t\\\tnull;0;0;")
        + slot("S", "prototype;Outer\tpiece;;;s.png;S", "\tnull;0;0;1")
    )
    piece = read_module(write_module(tmp_path / "m.vmod", inside)).slot("S").piece
    assert piece.type == "mark;B\tmark;A\\\tpiece;;;s.png;S"
    assert piece.state == "b\t7\\\tnull;0;0;1"


GOOD = slot("Good", "piece;;;g.png;Good", "null;0;0;9", gpid="9")


def test_a_prototype_within_itself_costs_only_its_users(tmp_path: Path) -> None:
    inside = prototype("A", "prototype;B") + prototype("B", "prototype;A")
    inside += slot("S", "prototype;A\tpiece;;;;S", "\tx") + GOOD
    module = read_module(write_module(tmp_path / "m.vmod", inside))
    assert [entry.name for entry in module.slots] == ["Good"]
    assert "m.vmod: 'S' is left out: the prototype 'A' contains itself" in module.faults


@pytest.mark.parametrize("innermost", ["mark;A", "prototype;Nowhere"])
def test_prototypes_that_multiply_are_stopped(tmp_path: Path, innermost: str) -> None:
    def ten(name: str) -> str:
        return "\t".join(f"prototype;{name}" + "\\" * level for level in range(10))

    inside = "".join(prototype(f"P{i}", ten(f"P{i + 1}")) for i in range(12)) + prototype("P12", innermost)
    inside += slot("S", "prototype;P0\tpiece;;;;S", "\tx") + GOOD
    module = read_module(write_module(tmp_path / "m.vmod", inside))
    assert [entry.name for entry in module.slots] == ["Good"]
    assert "m.vmod: 'S' is left out: its prototypes make more than 500 traits" in module.faults


def test_what_is_missing_is_a_fault(tmp_path: Path) -> None:
    inside = slot("S", "prototype;Nowhere\tpiece;;;s.png;S", "\tnull;0;0;1")
    inside += '<VASSAL.build.widget.PieceSlot entryName="Q">nonsense</VASSAL.build.widget.PieceSlot>'
    inside += (
        '<VASSAL.build.module.Map mapName="M"><VASSAL.build.module.map.BoardPicker>'
        '<VASSAL.build.module.map.boardPicker.Board name="B" image="gone.png"/>'
        "</VASSAL.build.module.map.BoardPicker></VASSAL.build.module.Map>"
    )
    module = read_module(write_module(tmp_path / "m.vmod", inside))
    assert module.slot("S").piece.type == "piece;;;s.png;S"
    assert len(module.faults) == 3
    assert module.map("M").layout().location((0, 0)) == "offboard"


def test_the_old_build_file(tmp_path: Path) -> None:
    path = write_module(tmp_path / "old.vmod", slot("S", "piece;;;s.png;S", "null;0;0;1"), entry="buildFile")
    assert read_module(path).slot("S").gpid == "1"


def test_a_grid_without_size_is_refused(tmp_path: Path) -> None:
    inside = (
        '<VASSAL.build.module.Map mapName="M"><VASSAL.build.module.map.BoardPicker>'
        '<VASSAL.build.module.map.boardPicker.Board name="B" width="9" height="9">'
        '<VASSAL.build.module.map.boardPicker.board.HexGrid dx="0" dy="64"/>'
        "</VASSAL.build.module.map.boardPicker.Board>"
        "</VASSAL.build.module.map.BoardPicker></VASSAL.build.module.Map>"
    )
    with pytest.raises(ModuleError, match="HexGrid has dx="):
        read_module(write_module(tmp_path / "m.vmod", inside))


def test_a_grid_that_says_only_how_high_its_hexes_are_has_regular_ones() -> None:
    """As VASSAL reckons them: six sides of one length."""
    grid = read_grid(etree.fromstring('<HexGrid dy="64"/>'), 640, 640)
    assert isinstance(grid, HexGrid)
    assert (2 * grid.dx / 3) == pytest.approx(grid.dy / 3**0.5)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 7, 9), (7, 9)),
        (b"GIF89a" + struct.pack("<HH", 7, 9), (7, 9)),
        (b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08" + struct.pack(">HH", 9, 7), (7, 9)),
        (b"BM" + bytes(16) + struct.pack("<ii", 7, -9), (7, 9)),
        (b'<?xml version="1.0"?><svg width="7" height="9px">', (7, 9)),
        (b'<svg viewBox="0 0 7 9">', (7, 9)),
        (b"<svg>", None),
        (b"\xff\xd8\xff\xe0\0", None),
        (b"\xff\xd8" + b"\xff\xe0\0\0" * 50, None),
        (b"", None),
        (b"\x89PNG\r\n\x1a\n", None),
    ],
)
def test_image_sizes(data: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(data) == size
