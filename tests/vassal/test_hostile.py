"""Files made to hurt: each ends in one clear sentence, in bounded time and memory. One test each."""

from __future__ import annotations

import struct
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from vassal.container.archive import image_size
from vassal.dump import dump_module, dump_save
from vassal.errors import ArchiveError, LocationError, ModuleError, ObfuscationError, PieceError, SaveError, VassalError
from vassal.module.module import Module, read_module
from vassal.pieces.piece import Piece
from vassal.save import Save, read_save
from vassal.write import NewPiece, update

MOST_SECONDS = 10.0
MOST_MB = 300
HEAD, TAIL = '<VASSAL.build.GameModule name="T" version="1">', "</VASSAL.build.GameModule>"


def peak() -> float:
    """The most memory this process ever held, in MB; 0 where the system doesn't tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


@pytest.fixture(autouse=True)
def bounds() -> Iterator[None]:
    """No file here may take long or much memory."""
    before, began = peak(), time.process_time()
    yield
    assert time.process_time() - began < MOST_SECONDS
    assert peak() - before < MOST_MB


def save_file(folder: Path, text: str | bytes) -> Path:
    path = folder / "bad.vsav"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("savedGame", text)
    return path


def module_file(folder: Path, build_file: str | bytes) -> Path:
    path = folder / "bad.vmod"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("buildFile.xml", build_file)
    return path


def game(*commands: str) -> str:
    return "\x1b".join(["begin_save", *commands, "end_save"])


def test_zip_bomb(tmp_path: Path) -> None:
    path = save_file(tmp_path, bytes(40_000_000))
    with pytest.raises(ArchiveError, match=r"bad\.vsav: the entry 'savedGame' claims 40000000 bytes .* no game does"):
        read_save(path)


def test_200_mb_claimed(tmp_path: Path) -> None:
    path = save_file(tmp_path, game())
    whole = path.read_bytes()
    place = whole.rindex(b"PK\x01\x02")
    path.write_bytes(whole[: place + 24] + struct.pack("<I", 200 * 1024**2) + whole[place + 28 :])
    with pytest.raises(ArchiveError, match="claim 209715200 bytes, but at most 67108864 are read"):
        read_save(path)


def test_200_mb_claimed_for_a_build_file(tmp_path: Path) -> None:
    path = module_file(tmp_path, HEAD + TAIL)
    whole = path.read_bytes()
    place = whole.rindex(b"PK\x01\x02")
    path.write_bytes(whole[: place + 24] + struct.pack("<I", 200 * 1024**2) + whole[place + 28 :])
    with pytest.raises(ArchiveError, match="claims 209715200 bytes"):
        read_module(path)


def test_entry_outside(tmp_path: Path) -> None:
    path = save_file(tmp_path, game())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("images/../../evil.png", "boo")
    with pytest.raises(ArchiveError, match=r"the entry 'images/\.\./\.\./evil\.png' points outside the archive"):
        read_save(path)


def test_entry_packed_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "bad.vsav"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("savedGame", game())
    with pytest.raises(ArchiveError, match="is packed in a way VASSAL does not read"):
        read_save(path)


def test_xxe(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("password", encoding="utf-8")
    xml = f'<!DOCTYPE d [<!ENTITY e SYSTEM "{secret.as_uri()}">]>{HEAD}&e;{TAIL}'
    with pytest.raises(VassalError, match=r"bad\.vmod: buildFile\.xml: ") as caught:
        read_module(module_file(tmp_path, xml))
    assert "password" not in str(caught.value)


def test_entity_bomb(tmp_path: Path) -> None:
    entities = '<!ENTITY a "ha">' + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 20}">' for n in range(12))
    with pytest.raises(VassalError, match=r"bad\.vmod: buildFile\.xml: "):
        read_module(module_file(tmp_path, f"<!DOCTYPE d [{entities}]>{HEAD}&m;{TAIL}"))


def test_elements_90_000_deep(tmp_path: Path) -> None:
    with pytest.raises(VassalError, match=r"buildFile\.xml: not well-formed XML"):
        read_module(module_file(tmp_path, HEAD + "<a>" * 90_000 + "</a>" * 90_000 + TAIL))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["'" * 200_001, "\x1b".join("\\" * level for level in range(3_000)), game("a" + "\\" * 100_000 + "\x1bb")],
    ids=["quotes", "deeper and deeper", "in a game"],
)
def test_commands_100_000_deep(tmp_path: Path, text: str) -> None:
    with pytest.raises(VassalError, match=r"bad\.vsav: (its commands are nested more than 200 deep|.* never ends)"):
        read_save(save_file(tmp_path, text))


def test_log_steps_30_000_deep(tmp_path: Path) -> None:
    save = read_save(save_file(tmp_path, game("LOG\t" * 30_000 + "CHATx")))
    with pytest.raises(VassalError, match="log steps are nested more than 50 deep"):
        save.played()


@pytest.mark.parametrize(("deep", "read"), [(51, True), (52, False)])
def test_so_deep_log_steps_are_read_and_no_deeper(tmp_path: Path, deep: int, read: bool) -> None:
    save = read_save(save_file(tmp_path, game("LOG\t" * deep + "CHATx")))
    with nullcontext() if read else pytest.raises(VassalError, match="nested more than 50 deep"):
        save.played()


def test_traits_1_000_deep(tmp_path: Path) -> None:
    # 100,000 levels would need a text of 5 GB, because level k takes k backslashes.
    deep = "".join("a" + "\\" * level + "\t" for level in range(1_000))
    with pytest.raises(PieceError, match=r"bad\.vsav: the piece 1: a piece has more than 500 traits"):
        read_save(save_file(tmp_path, game(f"+/1/{deep}/x")))


@pytest.mark.parametrize("digits", ["56616", "5661zz", "56 61 62", "56\n61"])
def test_odd_hex_digits(tmp_path: Path, digits: str) -> None:
    with pytest.raises(ObfuscationError, match=r"bad\.vsav: .*(odd number of|not a) hexadecimal digit"):
        read_save(save_file(tmp_path, "!VCSK" + digits))


def test_no_end_save(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match=r"bad\.vsav: the saved game never ends \(no end_save command\)"):
        read_save(save_file(tmp_path, "begin_save\x1bCHATx"))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_half_a_file(tmp_path: Path, data: Path, part: float) -> None:
    whole = (data / "hexspace-full-3.7.26.vsav").read_bytes()
    path = tmp_path / "bad.vsav"
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ArchiveError, match=r"bad\.vsav: not a readable zip archive"):
        read_save(path)


def test_a_piece_on_an_unknown_map(tmp_path: Path, space: Module) -> None:
    save = read_save(save_file(tmp_path, game("+/1/piece;;;a.png;CA/Moon;1;2;3")))
    assert dump_save(save, space)["faults"] == [
        "bad.vsav: the piece 1 ('CA') is on the map 'Moon', which the module 'Hex Space Test' does not have"
    ]


def test_labels_that_double_the_name() -> None:
    levels = range(60)
    label = "label;;;;;;;;;;;;$pieceName$$pieceName$ $label$"
    kinds = "".join(f"{label}{chr(92) * level}\t" for level in levels)
    states = "".join(f"x{chr(92) * level}\t" for level in levels)
    assert len(Piece(f"{kinds}piece;;;a.png;CA", f"{states}Map;1;2;3").name) < 100_000


def test_prototypes_that_double_their_values(tmp_path: Path) -> None:
    inside = "".join(
        f'<x.PrototypeDefinition name="P{n}">+/null/prototype;P{n + 1};v=$v$$v$\tpiece;;;;/\tx</x.PrototypeDefinition>'
        for n in range(60)
    )
    inside += '<x.PieceSlot entryName="S" gpid="1">+/null/prototype;P0;v=ha\tpiece;;;;S/\tx</x.PieceSlot>'
    module = read_module(module_file(tmp_path, HEAD + inside + TAIL))
    assert module.slots == ()
    assert any("'S' is left out: its prototypes make more than" in fault for fault in module.faults)


@pytest.mark.slow
def test_a_big_prototype_in_every_slot(tmp_path: Path) -> None:
    inside = f'<x.PrototypeDefinition name="P">+/null/mark;{"k" * 900_000}\tpiece;;;;/\tx</x.PrototypeDefinition>'
    inside += '<x.PieceSlot entryName="S" gpid="1">+/null/prototype;P\tpiece;;;;S/\tx</x.PieceSlot>' * 3_000
    module = read_module(module_file(tmp_path, HEAD + inside + TAIL))
    assert len(module.slots) < 300
    assert any("the module's prototypes make pieces of more than" in fault for fault in module.faults)


def test_a_zone_with_an_endless_name(tmp_path: Path) -> None:
    zone = f'<x.Zone name="{"z" * 2_000}"/>'
    board = f'<x.Board name="B" width="9" height="9"><x.ZonedGrid>{zone}</x.ZonedGrid></x.Board>'
    xml = f'{HEAD}<x.Map mapName="M"><x.BoardPicker>{board}</x.BoardPicker></x.Map>{TAIL}'
    with pytest.raises(ModuleError, match="a Zone has a name of 2000 characters"):
        read_module(module_file(tmp_path, xml))


def test_100_000_boards_in_use(tmp_path: Path, space: Module) -> None:
    boards = "".join(f"\tSpace\t{n % 400}\t{n // 400}" for n in range(100_000))
    save = read_save(save_file(tmp_path, game(f"Tactical MapBoardPicker{boards}")))
    assert "has 100000 boards in use, more than 1000" in dump_save(save, space)["faults"][0]


@pytest.mark.parametrize("size", ['width="1.2.3" height="4"', 'width="' + "9" * 400 + '" height="4"'])
def test_images_of_no_size(size: str) -> None:
    assert image_size(f"<svg {size}>".encode()) is None


def test_a_location_of_5000_digits(space: Module) -> None:
    with pytest.raises(LocationError, match="is not a location of this grid"):
        space.map("Tactical Map").layout().pixel("9" * 5_000)


@pytest.mark.slow
def test_stacks_that_fight_for_their_pieces(tmp_path: Path) -> None:
    pieces = [f"+/{n}/piece;;;a.png;A/Map;1;1;3" for n in range(3_000)]
    members = ";".join(str(n) for n in range(3_000))
    save = read_save(save_file(tmp_path, game(*pieces, *(f"+/s{n}/stack/Map;1;1;{members}" for n in range(40)))))
    assert [stack.id for stack in save.stacks] == ["s39"]


def test_a_stack_that_lets_go_of_a_piece(tmp_path: Path) -> None:
    pieces = [f"+/{n}/piece;;;a.png;A/Map;1;1;3" for n in range(2)]
    save = read_save(save_file(tmp_path, game(*pieces, "+/9/stack/Map;1;1;0;1", "D/9/Map;1;1;1", "-/0")))
    assert [(piece.id, piece.stack) for piece in save.pieces] == [("1", "9")]


@pytest.mark.slow
def test_many_pieces_are_added_at_once(tmp_path: Path, space: Module) -> None:
    save = read_save(save_file(tmp_path, game(f"+/{'9' * 5_000}/piece;;;a.png;A/Map;1;1;3")))
    new = update(save, add=[NewPiece(space.slot("Drone"), "Tactical Map", (n, 1)) for n in range(4_000)])
    assert len(new.pieces) == 4_001


def test_a_grid_nobody_knows_is_reported(tmp_path: Path) -> None:
    grid = '<x.HexGrid dx="50" dy="60"><x.ObliqueHexGridNumbering/></x.HexGrid>'
    board = f'<x.Board name="B" width="99" height="99">{grid}</x.Board><x.Board name="C"><x.MoonGrid/></x.Board>'
    module = read_module(
        module_file(tmp_path, f'{HEAD}<x.Map mapName="M"><x.BoardPicker>{board}</x.BoardPicker></x.Map>{TAIL}')
    )
    assert module.faults == (
        "bad.vmod: the Board 'C' has a grid of an unknown kind, MoonGrid",
        "bad.vmod: a HexGrid has a numbering of an unknown kind, ObliqueHexGridNumbering",
    )
    assert module.map("M").layout().location((1, 1)) == "offboard"
    assert dump_module(module)["faults"] == list(module.faults)


def test_the_faults_of_a_library_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(VassalError) as caught:
        read_module(module_file(tmp_path, HEAD + '<a b="\0"/>' + TAIL))
    assert "\n" not in str(caught.value)


def test_half_a_character(space: Module) -> None:
    from vassal.write import SaveWriter

    writer = SaveWriter(space)
    writer.add("Cruiser A", "Tactical Map", location="0812", label="\ud83d")
    with pytest.raises(VassalError, match="which is not a character"):
        writer.write("never-written.vsav")
    assert not Path("never-written.vsav").exists()


def test_wrong_text_leaves_nothing_behind(tmp_path: Path, data: Path) -> None:
    save: Save = read_save(data / "hexspace-handwritten.vsav")
    with pytest.raises(VassalError, match="range 0 to 255"):
        save.write(tmp_path / "x.vsav", key=300)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_extension_whose_parts_have_places_hard_to_find(tmp_path: Path) -> None:
    """Each of thousands of paths leads through thousands of components."""
    xml = HEAD.replace('name="T"', 'name="T" x="1"') + '<w.Tab entryName="T">' * 40
    module = tmp_path / "m.vmod"
    with zipfile.ZipFile(module, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("buildFile.xml", xml + '<w.Tab entryName="T"/>' * 30_000 + "</w.Tab>" * 40 + TAIL)
    path = "/".join(["w.Tab:other"] * 42)
    part = f'<VASSAL.build.module.ExtensionElement target="{path}"/>'
    with zipfile.ZipFile(tmp_path / "e.vmdx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("extensiondata", "<data/>")
        archive.writestr("buildFile.xml", f'<x.ModuleExtension module="T">{part * 19_000}</x.ModuleExtension>')
    with pytest.raises(ModuleError, match=r"e\.vmdx: (a component is to be added to|more than \d+ components)"):
        read_module(module, [tmp_path / "e.vmdx"])


def test_an_extension_of_200_mb(tmp_path: Path) -> None:
    path = tmp_path / "e.vmdx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("extensiondata", "<data/>")
        archive.writestr("buildFile.xml", bytes(100_000_000))
    with pytest.raises(ArchiveError, match=r"e\.vmdx: the entry 'buildFile\.xml' claims 100000000 bytes"):
        read_module(module_file(tmp_path, HEAD + TAIL), [path])


def test_expressions_by_the_thousand(tmp_path: Path) -> None:
    """Labels that nest, choose and put texts together as much as they can."""
    texts = ["(" * 300 + "1" + ")" * 300, "1?" * 400 + "2", '"a"' + '+"bcdefg"' * 100, "!" * 900 + "true", "-" * 990]
    label = "label;;;;;;;;;;;;$pieceName$ ($label$);;;;L"
    pieces = [f"+/{n}/{label}\tpiece;;;a.png;A/{{{texts[n % 5]}}}\tMap;1;1" for n in range(200)]
    save = read_save(save_file(tmp_path, game(*pieces)))
    assert {len(piece.name) for piece in save.pieces} == {607, 807, 605, 8, 996}
    assert any("labels that are expressions" in remark for remark in dump_save(save)["remarks"])
