"""Extensions merged into their module, as VASSAL does when it opens the module."""

from __future__ import annotations

import json
import shutil
import zipfile
from html import escape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vassal.cli import app
from vassal.dump import dump_module
from vassal.errors import ModuleError, VassalError
from vassal.module import module as extensions
from vassal.module.module import read_module
from vassal.save import read_save, remarks
from vassal.write import SaveWriter

PALETTE = "VASSAL.build.module.PieceWindow:Pieces/VASSAL.build.widget.ListWidget:Ships"
SLOT = (
    '<VASSAL.build.widget.PieceSlot entryName="{}" gpid="a1f:{}">'
    "+/null/{}piece;;;{};{}/{}null;0;0;a1f:{}</VASSAL.build.widget.PieceSlot>"
)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x30\0\0\0\x20" + bytes(9)


def slot(name: str, number: int, traits: str = "", states: str = "", image: str = "tholian.png") -> str:
    return SLOT.format(name, number, traits, image, name, states, number)


def part(target: str, inside: str) -> str:
    tag = "VASSAL.build.module.ExtensionElement"
    return f'<{tag} target="{escape(target)}">{inside}</{tag}>'


def extension(
    path: Path, *parts: str, module: str = "Hex Space Test", ext_id: str = "a1f", more: str = "", meta: bool = True
) -> Path:
    tag = "VASSAL.build.module.ModuleExtension"
    head = f'<{tag} anyModule="false" version="1.2" module="{module}" moduleVersion="1.0" extensionId="{ext_id}" {more}'
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("buildFile.xml", f"{head}>{''.join(parts)}</{tag}>")
        archive.writestr("images/tholian.png", PNG)
        if meta:
            archive.writestr(
                "extensiondata", "<data><version>1.2</version><VassalVersion>3.7.26</VassalVersion></data>"
            )
    return path


PROTOTYPE = part(
    "VASSAL.build.module.PrototypesContainer",
    '<VASSAL.build.module.PrototypeDefinition name="Web">+/null/mark;Race\tpiece;;;;/Tholian\tnull;0;0'
    "</VASSAL.build.module.PrototypeDefinition>",
)
SHIP = part(PALETTE, slot("Tholian PC", 0, "prototype;Web\t", "\t"))
BOARD = part(
    "VASSAL.build.module.Map:Tactical Map/VASSAL.build.module.map.BoardPicker",
    '<VASSAL.build.module.map.boardPicker.Board name="Web board" image="tholian.png"/>',
)
MAP = part("", '<VASSAL.build.module.Map mapName="Base"/>')


@pytest.fixture
def module(tmp_path: Path, data: Path) -> Path:
    return Path(shutil.copy(data / "HexSpaceTest.vmod", tmp_path / "space.vmod"))


def test_one_beside_the_module_is_merged(module: Path, data: Path) -> None:
    extension(module.parent / "space_ext" / "Webs.vmdx", PROTOTYPE, SHIP, BOARD, MAP)
    (module.parent / "space_ext" / "readme.txt").write_text("not one", encoding="utf-8")
    (module.parent / "space_ext" / "inactive").mkdir()
    read, bare = read_module(module), read_module(data / "HexSpaceTest.vmod")
    assert read.faults == bare.faults
    assert [(one.name, one.version) for one in read.extensions] == [("Webs", "1.2")]
    found = read.slot("a1f:0")
    assert (found.name, found.gpid, found.path, found.in_palette) == ("Tholian PC", "a1f:0", ("Pieces", "Ships"), True)
    assert found.piece.properties["Race"] == "Tholian"
    # VASSAL numbers maps as it builds them: those of extensions come last.
    assert [one.id for one in read.maps] == ["Map0", "Map1", "Map2", "Map3"] and read.maps[-1].name == "Base"
    board = read.map("Tactical Map").board("Web board")
    assert (board.width, board.height) == (48, 32)
    assert [one.gpid for one in bare.slots] == [one.gpid for one in read.slots if one.gpid != "a1f:0"]
    assert read_module(module, extensions=[]).slots == bare.slots


def test_a_save_of_it_says_which_extensions_it_needs(module: Path) -> None:
    file = extension(module.parent / "Webs.vmdx", SHIP)
    read = read_module(module, extensions=[file])
    writer = SaveWriter(read)
    writer.add("Tholian PC", "Tactical Map", location="0812")
    writer.write(module.parent / "t.vsav")
    save = read_save(module.parent / "t.vsav")
    assert save.extensions == {"Webs": "1.2"} and save.pieces[0].gpid == "a1f:0"
    assert remarks(save, read) == ()
    assert remarks(save, read_module(module)) == ("the save was made with extensions that are not at hand: Webs",)


def test_several_come_by_their_names_and_ids_may_clash(module: Path) -> None:
    folder = module.parent / "space_ext"
    extension(folder / "b.vmdx", part(PALETTE, slot("Second", 1)))
    extension(folder / "a.vmdx", part(PALETTE, slot("First", 1)), meta=False)
    read = read_module(module)
    assert [one.name for one in read.extensions] == ["a", "b"]
    assert [one.name for one in read.slots if one.gpid == "a1f:1"] == ["First", "Second"]
    assert any("b.vmdx: it has the id 'a1f', like a.vmdx" in fault for fault in read.faults)


def test_a_path_that_does_not_fit_by_name_finds_the_first_of_its_kind(module: Path) -> None:
    """So does VASSAL, since modules rename their windows."""
    path = "VASSAL.build.module.PieceWindow:Old name/VASSAL.build.widget.ListWidget:Ships"
    read = read_module(module, [extension(module.parent / "x.vmdx", part(path, slot("Lost", 2)))])
    assert read.slot("Lost").path == ("Pieces", "Ships")


def test_what_has_no_place_ends_the_merging(module: Path) -> None:
    file = extension(
        module.parent / "space_ext" / "x.vmdx",
        part(PALETTE, slot("Before", 1)),
        part("VASSAL.build.module.Nonsense:\\/x", slot("Lost", 2)),
        part(PALETTE, slot("After", 3)),
    )
    read = read_module(module)
    assert {"Before"} == {one.name for one in read.slots} & {"Before", "Lost", "After"}
    assert read.extensions == ()
    said = "x.vmdx: a component is to be added to 'VASSAL.build.module.Nonsense:/x', which the module does not have"
    assert said in read.faults
    with pytest.raises(ModuleError, match="which the module does not have"):
        read_module(module, [file])


def test_one_of_another_module_is_refused_unless_it_is_for_any(module: Path) -> None:
    other = extension(module.parent / "space_ext" / "x.vmdx", SHIP, module="Go")
    read = read_module(module)
    assert "x.vmdx: this is an extension of the module 'Go', not of 'Hex Space Test'" in read.faults
    assert all(one.gpid != "a1f:0" for one in read.slots)
    with pytest.raises(ModuleError, match="of the module 'Go'"):
        read_module(module, [other])
    extension(other, SHIP, module="Go", more="")
    text = zipfile.ZipFile(other).read("buildFile.xml").decode().replace('anyModule="false"', 'anyModule="true"')
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("buildFile.xml", text)
        archive.writestr("extensiondata", "<data/>")
    assert read_module(module).slot("a1f:0").name == "Tholian PC"


def test_one_for_a_later_version_is_merged_and_told(module: Path) -> None:
    file = extension(module.parent / "x.vmdx", SHIP)
    text = zipfile.ZipFile(file).read("buildFile.xml").decode()
    for version, told in (("1.0.1", True), ("1", False), ("0.9", False), ("1.0", False), ("2.x", True)):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("buildFile.xml", text.replace('moduleVersion="1.0"', f'moduleVersion="{version}"'))
            archive.writestr("extensiondata", "<data/>")
        read = read_module(module, [file])
        assert read.slot("a1f:0").name == "Tholian PC"
        assert any(f"made for version {version} of the module, and this is 1.0" in one for one in read.faults) == told


def test_what_is_no_extension(module: Path, data: Path) -> None:
    for file in (data / "HexSpaceTest.vmod", data / "hexspace-full-3.7.26.vsav"):
        with pytest.raises(ModuleError, match="this is not an extension of a module"):
            read_module(module, [file])
    broken = module.parent / "space_ext" / "broken.vmdx"
    broken.parent.mkdir()
    broken.write_bytes(b"no zip")
    assert any("broken.vmdx: not a readable zip archive" in fault for fault in read_module(module).faults)


def test_bounds(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many parts, deep paths, many looks: each ends in one sentence."""
    file = module.parent / "x.vmdx"
    extension(file, *[part(PALETTE, "")] * 7)
    monkeypatch.setattr(extensions, "MAX_COMPONENTS", 6)
    with pytest.raises(ModuleError, match="adds 7 components, more than 6"):
        read_module(module, [file])
    monkeypatch.setattr(extensions, "MAX_COMPONENTS", 9)
    extension(file, part("/".join(["a"] * 60), ""))
    with pytest.raises(ModuleError, match="60 levels deep"):
        read_module(module, [file])
    extension(file, *[part(PALETTE, "")] * 7)
    monkeypatch.setattr(extensions, "MAX_LOOKS", 20)
    with pytest.raises(ModuleError, match="more than 20 components were looked at"):
        read_module(module, [file])


def test_all_build_files_together_are_bounded(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import vassal.module.module

    file = extension(module.parent / "x.vmdx", part(PALETTE, slot("Long" * 5_000, 1)))
    monkeypatch.setattr(vassal.module.module, "MAX_BUILD_FILE", 30_000)
    assert read_module(module, []).slots
    with pytest.raises(VassalError, match=r"x\.vmdx: .*claims .* bytes, more than are read"):
        read_module(module, [file])


def test_the_command(module: Path) -> None:
    file = extension(module.parent / "Webs.vmdx", SHIP, PROTOTYPE)
    run = CliRunner().invoke(app, ["module", str(module), "--extension", str(file)])
    assert "extension Webs 1.2" in run.output and "a1f:0  Tholian PC" in run.output
    run = CliRunner().invoke(app, ["module", str(module), "--extension", str(file), "--json"])
    assert json.loads(run.stdout)["extensions"] == {"Webs": "1.2"}
    assert dump_module(read_module(module))["extensions"] == {}
