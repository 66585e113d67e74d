"""Obfuscation and zip containers, honest and hostile."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from vassal.container import archive, obfuscation
from vassal.container.archive import Archive, write_archive
from vassal.container.obfuscation import obfuscate, reveal
from vassal.errors import ArchiveError, ObfuscationError, SaveError, VassalError
from vassal.module.module import read_module
from vassal.save import read_save, read_text

CLEAR = "begin_save\x1bend_save"


def write_zip(path: Path, **entries: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("__", "."), content)
    return path


@given(st.binary(max_size=200), st.integers(0, 255))
def test_any_bytes_come_back(payload: bytes, key: int) -> None:
    text = payload.decode("utf-8", "surrogateescape")
    assert reveal(obfuscate(text, key)) == text


def test_all_three_forms_are_read() -> None:
    text = "CHATü𝄞\t'x'"
    clear = text.encode("utf-8")
    key = 0xA7
    assert reveal(b"VOBS" + bytes([key]) + bytes(b ^ key for b in clear)) == text
    assert reveal(obfuscate(text, key).upper().replace(b"!VCSK", b"!VCSK")) == text
    assert reveal(clear) == text
    assert obfuscate("a", 0) == b"!VCSK0061"


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 100])
def test_a_long_text_is_read_and_written_in_portions(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """Characters of several bytes may lie in two portions."""
    text = "CHATü𝄞\t'x' of a long text"
    whole = obfuscate(text)
    monkeypatch.setattr(obfuscation, "CHUNK", chunk)
    assert obfuscate(text) == whole and reveal(whole) == text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"!VCSK565", "odd number"),
        (b"!VCSK56g1", r"byte 7 .*not a hexadecimal digit"),
        (b"!VCSK56 61 ", "odd number|not a hexadecimal"),
        (b"!VCSK56  61", "not a hexadecimal digit"),
        (b"!VCSK", "not followed by a key"),
        (b"VOBS", "not followed by a key"),
    ],
)
def test_broken_obfuscation_is_one_sentence(data: bytes, words: str) -> None:
    with pytest.raises(ObfuscationError, match=words):
        reveal(data, "x.vsav")


def test_same_entries_same_bytes(tmp_path: Path) -> None:
    entries = [("savedGame", b"x" * 1000), ("savedata", b"<data/>")]
    write_archive(tmp_path / "a.vsav", entries)
    write_archive(tmp_path / "b.vsav", entries)
    assert (tmp_path / "a.vsav").read_bytes() == (tmp_path / "b.vsav").read_bytes()
    with Archive(tmp_path / "a.vsav") as archive:
        assert [(name, archive.read(name)) for name in archive.names()] == entries
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.vsav", "b.vsav"]


def test_saved_game_alone_is_enough(tmp_path: Path) -> None:
    save = read_save(write_zip(tmp_path / "old.sav", savedGame=CLEAR.encode()))
    assert save.pieces == ()
    assert save.faults == ()


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "C:\\evil", "..\\evil"])
def test_entries_pointing_outside_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.vsav"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("savedGame", CLEAR)
        archive.writestr(name, "boo")
    with pytest.raises(ArchiveError, match="points outside"):
        read_save(path)


def test_a_zip_bomb_is_refused_unread(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bomb.vsav", savedGame=bytes(40 * 1024 * 1024))
    assert path.stat().st_size < 100_000
    with pytest.raises(ArchiveError, match="which no game does"):
        read_save(path)


def test_too_many_bytes_claimed(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "claim.vsav", savedGame=CLEAR.encode(), other=b"z" * 100)
    whole = path.read_bytes()
    claimed = (0x7FFF_FFFF).to_bytes(4, "little")
    place = whole.rindex(b"PK\x01\x02")
    path.write_bytes(whole[: place + 24] + claimed + whole[place + 28 :])
    with pytest.raises(ArchiveError, match="claim 2147483"):
        read_save(path)


def test_other_faults_of_the_container(tmp_path: Path, data: Path) -> None:
    whole = (data / "hexspace-full-3.7.26.vsav").read_bytes()
    half = tmp_path / "half.vsav"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ArchiveError, match=r"half\.vsav: not a readable zip archive.* once more"):
        read_save(half)
    broken = tmp_path / "broken.vsav"
    broken.write_bytes(whole[:200] + bytes(40) + whole[240:])
    with pytest.raises(ArchiveError, match="cannot be read"):
        read_text(broken)
    with pytest.raises(ArchiveError, match="there is no such file"):
        read_save(tmp_path / "missing.vsav")
    with pytest.raises(ArchiveError, match="this is a folder; a file is wanted"):
        read_save(tmp_path)
    (tmp_path / "empty.vsav").write_bytes(b"")
    with pytest.raises(ArchiveError, match=r"empty\.vsav: this file is empty; save or fetch it once more"):
        read_save(tmp_path / "empty.vsav")
    noise = tmp_path / "noise.vsav"
    noise.write_bytes(bytes(range(256)) * 400)
    with pytest.raises(ArchiveError, match="not a readable zip"):
        read_save(noise)
    with pytest.raises(SaveError, match="no 'savedGame' in it"):
        read_save(data / "HexSpaceTest.vmod")
    with pytest.raises(VassalError, match=r"no buildFile\.xml in it"):
        read_module(data / "hexspace-full-3.7.26.vsav")


def test_a_save_cut_in_half_never_ends(tmp_path: Path, data: Path) -> None:
    text = read_text(data / "hexspace-full-3.7.26.vsav")
    path = write_zip(tmp_path / "cut.vsav", savedGame=text[: len(text) // 2].encode("utf-8"))
    with pytest.raises(SaveError, match="no end_save command"):
        read_save(path)


XXE = b'<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]><data version="1"><name>&e;</name></data>'
LAUGHS = (
    b'<!DOCTYPE d [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 20) for i in range(12))
    + b"]><data>&m;</data>"
)


@pytest.mark.parametrize("xml", [XXE, LAUGHS, b"<data>", b"\x00\x01", b""])
def test_metadata_that_is_no_honest_xml_is_a_fault_not_an_end(tmp_path: Path, xml: bytes) -> None:
    path = write_zip(tmp_path / "x.vsav", savedGame=CLEAR.encode(), moduledata=xml)
    save = read_save(path)
    assert save.module.module == ""
    assert len(save.faults) == 1
    assert save.faults[0].startswith("x.vsav: moduledata: ")


@pytest.mark.parametrize("xml", [XXE, LAUGHS, b"<data>", b""])
def test_a_build_file_that_is_no_honest_xml_is_refused(tmp_path: Path, xml: bytes) -> None:
    path = write_zip(tmp_path / "x.vmod", buildFile__xml=xml)
    with pytest.raises(VassalError, match=r"x\.vmod: buildFile\.xml: "):
        read_module(path)


@pytest.mark.parametrize("times", [3, 1000])
def test_a_save_that_another_program_has_open_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """As Windows refuses it: for a moment, or as long as VASSAL shows the old one. Elsewhere nothing is waited for."""
    refused: list[PermissionError] = []
    file, real = tmp_path / "a.vsav", os.replace

    def replace(source: Any, target: Any) -> None:
        if len(refused) < times:
            refused.append(PermissionError(13, "Permission denied"))
            refused[-1].winerror = 32  # type: ignore[attr-defined, unused-ignore]
            raise refused[-1]
        real(source, target)

    file.write_bytes(b"old")
    monkeypatch.setattr(archive, "PAUSES", (0.0,) * len(archive.PAUSES))
    monkeypatch.setattr(os, "replace", replace)
    if times == 3:
        archive.write_archive(file, [("a", b"new")])
        assert file.read_bytes() != b"old"
    else:
        with pytest.raises(ArchiveError, match="another program, VASSAL perhaps, has it open"):
            archive.write_archive(file, [("a", b"new")])
        assert file.read_bytes() == b"old" and len(refused) == len(archive.PAUSES) + 1
    assert list(tmp_path.iterdir()) == [file]
