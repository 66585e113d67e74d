"""Each limit of what is read of a save or a module: up to it the file is read, beyond it refused in a sentence."""

from __future__ import annotations

import zipfile
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, strategies as st

from vassal import bounds, save as table
from vassal.container import archive
from vassal.container.obfuscation import mask_passwords
from vassal.errors import VassalError
from vassal.log import read_log
from vassal.module import module
from vassal.module.module import read_module
from vassal.pieces.piece import TAB, join_levels, split_states, split_types
from vassal.save import read_save, read_text
from vassal.text import commands, sequence


def game(*inside: str) -> str:
    return "\x1b".join(["begin_save", *inside, "end_save"])


def packed(folder: Path, **entries: str | bytes) -> Path:
    path = folder / "bad.vsav"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in entries.items():
            file.writestr(name.replace("_", "."), data)
    return path


def piece(number: int, definition: str = "piece;;;a.png;A") -> str:
    traits = definition.count(TAB)
    return f"+/{number}/{definition}/{join_levels([*[''] * traits, 'Map;1;1;3'])}"


def stack(number: int, members: int) -> str:
    return f"+/s{number}/stack/Map;1;1;" + ";".join(map(str, range(members)))


PIECES = [piece(number) for number in range(2_000)]
TEXTS = {
    "commands": (game(*[""] * (bounds.MOST_COMMANDS - 2)), "\x1b", "more than 30000 commands"),
    "steps": (game("LOG\t" * bounds.MOST_COMMANDS), "LOG\t", "more than 30000 commands"),
    "tabs": (game("CHAT" + "\t" * bounds.MOST_TABS), "\t", "more than 600000 tabs"),
    "text": (game("CHAT".ljust(bounds.MOST_TEXT - 20)), "x", "its text has 24000001 characters"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_may_have_so_much_and_no_more(name: str) -> None:
    text, one_more, said = TEXTS[name]
    assert bounds.beyond(text) == ""
    assert said in bounds.beyond(text + one_more)


def test_a_save_beyond_the_limits_is_refused_before_its_commands_are_read(tmp_path: Path) -> None:
    path = packed(tmp_path, savedGame=game(*[""] * 850_000))
    for read in (read_save, read_text, read_log):
        began = process_time()
        with pytest.raises(VassalError, match=r"^bad\.vsav: it has more than 30000 commands; no game needs so much$"):
            read(path)
        assert process_time() - began < 1


def test_as_many_commands_as_may_be_are_read(tmp_path: Path) -> None:
    assert read_save(packed(tmp_path, savedGame=game(*["LOG\tCHATx"] * (bounds.MOST_COMMANDS - 2)))).log[-1] == "CHATx"


WORK = {
    "counters": (PIECES[:41], "more than 40 counters and stacks are added or changed"),
    "changes": ([PIECES[0], *["D/0/Map;1;1;3"] * 40], "more than 40 counters and stacks are added or changed"),
    "traits": ([piece(n, f"mark;{n}\tpiece;;;a.png;A") for n in range(31)], "more than 60 traits together"),
    "members that are missing": ([stack(1, 501)], "put into stacks and taken out of them too often"),
    "stacks that take members": ([*PIECES[:30], *(stack(n, 30) for n in range(9))], "put into stacks and taken out"),
}


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a short text exceeds."""
    monkeypatch.setattr(table, "MOST_PIECES", 40)
    monkeypatch.setattr(table, "MOST_MOVED", 500)
    monkeypatch.setattr(bounds, "MOST_TRAITS", 60)
    monkeypatch.setattr(archive, "MOST_ELEMENTS", 20)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("name", WORK)
def test_work_on_the_table_is_counted(name: str, tmp_path: Path) -> None:
    inside, said = WORK[name]
    read_save(packed(tmp_path, savedGame=game(*inside[: len(inside) // 2])))
    with pytest.raises(VassalError, match=rf"^bad\.vsav: .*{said}"):
        read_save(packed(tmp_path, savedGame=game(*inside)))
    steps = game(*(f"LOG\t{command}" for command in inside))
    with pytest.raises(VassalError, match=rf"^bad\.vsav: .*{said}"):
        read_save(packed(tmp_path, savedGame=steps)).played()


@pytest.mark.usefixtures("narrow")
def test_masking_counts_definitions_too() -> None:
    with pytest.raises(VassalError, match="more than 60 traits together"):
        mask_passwords(commands.parse(game(*WORK["traits"][0])))


@pytest.mark.parametrize("move", ["-/{n}", "M/{n}/Map/1/1/{under}/Map/1/1/null/bob"])
def test_taking_a_big_stack_apart_takes_no_quadratic_time(move: str, tmp_path: Path) -> None:
    moves = [move.format(n=n, under=n + 1) for n in range(5_999, 0, -1)]
    text = game(*(piece(n) for n in range(6_000)), stack(1, 6_000), *moves)
    path, began = packed(tmp_path, savedGame=text), process_time()
    with pytest.raises(VassalError, match="put into stacks and taken out of them too often"):
        read_save(path)
    assert process_time() - began < 2.5


def test_the_list_of_entries_is_bounded(tmp_path: Path) -> None:
    path = packed(tmp_path, savedGame=game(), **{f"x{n}": b"" for n in range(bounds.MOST_ENTRIES)})
    with pytest.raises(VassalError, match=r"^bad\.vsav: 1001 entries are more than the 1000 that are read$"):
        read_save(path)
    path = packed(tmp_path, savedGame=game(), **{"x" * 50_000 + str(n): b"" for n in range(5)})
    with pytest.raises(VassalError, match="the list of its entries has more than the 200000 bytes that are read"):
        read_save(path)


def test_what_a_save_says_of_itself_is_bounded(tmp_path: Path) -> None:
    save = read_save(packed(tmp_path, savedGame=game(), savedata=b"<data>" + b"<a/>" * 60_000 + b"</data>"))
    assert save.faults == ("bad.vsav: the entry 'savedata' claims 240013 bytes, more than are read",)


@pytest.mark.usefixtures("narrow")
def test_the_elements_of_a_build_file_are_bounded(tmp_path: Path) -> None:
    read_module(packed(tmp_path, buildFile_xml=ROOT.format("<a/>" * 18)))
    with pytest.raises(VassalError, match=r"^bad\.vsav: buildFile\.xml: it has more than 20 signs <"):
        read_module(packed(tmp_path, buildFile_xml=ROOT.format("<a/>" * 19)))


SLOT = '<x.PieceSlot entryName="S" gpid="1">+/null/piece;;;;S/</x.PieceSlot>'
ROOT = "<VASSAL.build.GameModule>{}</VASSAL.build.GameModule>"
WINDOW = "<x.PieceWindow>{}</x.PieceWindow>"


def test_the_entries_of_a_palette_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PALETTE", 5)
    path = packed(tmp_path, buildFile_xml=ROOT.format(WINDOW.format(SLOT * 5)))
    assert len(read_module(path).slots) == 5
    for palette in (WINDOW.format(SLOT * 6), WINDOW.format(WINDOW.format(SLOT * 3))):
        with pytest.raises(VassalError, match=r"^bad\.vsav: its palette has more than 5 folders and entries$"):
            read_module(packed(tmp_path, buildFile_xml=ROOT.format(palette)))


def test_folders_in_folders_take_no_quadratic_time(tmp_path: Path) -> None:
    folders = ('<x.Tab entryName="T">' + "<a/>" * 200) * 240 + SLOT + "</x.Tab>" * 240
    path, began = packed(tmp_path, buildFile_xml=ROOT.format(WINDOW.format(folders))), process_time()
    assert [slot.path for slot in read_module(path).slots] == [("T",) * 240]
    assert process_time() - began < 2.5


def slow_types(text: str) -> tuple[str, ...]:
    """The levels as VASSAL reads them, each decoded anew."""
    types = []
    while TAB in text:
        first, *more = sequence.decode(text, TAB)
        if not more:
            text = first
            break
        types.append(first)
        text = more[0]
    return (*types, text)


def slow_states(text: str, levels: int) -> tuple[str | None, ...]:
    states: list[str | None] = []
    rest: str | None = text
    for _ in range(levels - 1):
        tokens = sequence.decode(rest, TAB)
        states.append(tokens[0] if tokens else None)
        rest = tokens[1] if len(tokens) > 1 else None
    return (*states, rest)


NESTED = st.lists(st.sampled_from(["\t", "\\", "'", "a", "\\\t", "\\\\\t", "'\t", "\t'", "\\\\\\\t"]), max_size=14)


@given(NESTED.map("".join), st.integers(1, 6))
def test_levels_are_what_decoding_each_anew_gives(text: str, levels: int) -> None:
    assert split_types(text) == slow_types(text)
    assert split_states(text, levels) == slow_states(text, levels)


def test_quoted_levels_take_no_quadratic_time() -> None:
    text = join_levels(["'x'", *"a" * 450, "piece;;;a.png;A"])
    began = process_time()
    for number in range(60):
        assert len(split_types(text.replace("x", str(number), 1))) == 452
        assert len(split_states(text, 452)) == 452
    assert process_time() - began < 2.5
