"""The command tree: what comes in unchanged goes out unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from vassal.errors import CommandError, LossyTextError
from vassal.save import read_text
from vassal.text import commands, leaves, sequence
from vassal.text.commands import read_leaf
from vassal.text.sequence import number, plain_note, stored_note

SAVES = [
    "hexspace-afterlog-3.7.26.vsav", "hexspace-full-3.7.26.vlog", "hexspace-full-3.7.26.vsav",
    "hexspace-handwritten.vsav", "hexspace-written-by-3.2.17.vsav", "hexspace-written-by-3.6.19.vsav",
]  # fmt: skip


@pytest.mark.parametrize("name", SAVES)
def test_read_and_written_unchanged_is_the_same_text(data: Path, name: str) -> None:
    text = read_text(data / name)
    tree = commands.parse(text)
    assert commands.encode(tree) == text
    assert commands.encode(commands.replace(tree, lambda leaf: leaf)) == text
    clear = data / f"{name}.txt"
    if clear.exists():
        assert clear.read_bytes().decode("utf-8") == text


@pytest.mark.parametrize("name", SAVES)
def test_every_leaf_encodes_to_itself(data: Path, name: str) -> None:
    kinds = set()
    for leaf in commands.leaves(commands.parse(read_text(data / name))):
        assert leaf.command.encode() == leaf.text
        kinds.add(type(leaf.command))
    assert leaves.AddPiece in kinds
    assert leaves.EndSave in kinds


@given(st.text(alphabet="ab\\'\x1b", max_size=60))
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    assert commands.encode(commands.parse(text)) == text


trees: st.SearchStrategy[Any] = st.recursive(
    st.text(alphabet="ab/\\;", max_size=6), lambda below: st.lists(below, min_size=2, max_size=4), max_leaves=20
)


def grown(tree: Any) -> commands.Node:
    return commands.Leaf(tree) if isinstance(tree, str) else commands.Group(tuple(grown(below) for below in tree))


@given(trees)
def test_trees_come_back_or_are_refused(tree: Any) -> None:
    node = grown(tree)
    try:
        text = commands.encode(node)
    except LossyTextError:
        return
    again = commands.parse(text)
    assert [leaf.text for leaf in commands.leaves(again)] == [leaf.text for leaf in commands.leaves(node)]


def test_changing_one_leaf_keeps_the_oddities_of_all_others() -> None:
    odd = "begin_save\x1b'CHATa'\x1bCHATb\x1b\\\x1bCHATc\\\x1bCHATd\x1bend_save"
    tree = commands.parse(odd)
    assert commands.encode(tree) == odd
    changed = commands.replace(tree, lambda leaf: commands.Leaf("CHATX") if leaf.text == "CHATd" else leaf)
    assert "\\\x1bCHATc\\\x1bCHATX\x1bend_save" in commands.encode(changed)
    gone = commands.replace(tree, lambda leaf: None if leaf.text in ("CHATd", "begin_save") else leaf)
    assert [leaf.text for leaf in commands.leaves(gone)] == ["", "CHATa", "CHATb", "", "CHATc", "end_save"]


@pytest.mark.parametrize(
    "text",
    [
        "'" * 200_001,
        "a" + "\\" * 100_000 + "\x1bb",
        "\x1b".join("\\" * level for level in range(400)),
    ],
)
def test_deep_nesting_is_one_sentence(text: str) -> None:
    with pytest.raises(CommandError, match="nested more than 200 deep"):
        commands.parse(text, "x.vsav")


def test_texts_that_would_split_are_refused() -> None:
    with pytest.raises(LossyTextError, match="ESC"):
        commands.encode(commands.group(["CHATa\x1bb", "end_save"]))
    with pytest.raises(LossyTextError, match="backslash"):
        commands.encode(commands.group(["NOTES\ta\\", "end_save"]))


@pytest.mark.parametrize(
    "leaf",
    [
        leaves.AddPiece(None, "piece;;;a/b.png;x", "Map;1;2"),
        leaves.RemovePiece("a/b"),
        leaves.ChangePiece("1", "a/b\tc"),
        leaves.ChangePiece("1", "a", "b"),
        leaves.MovePiece("ship/1", "Map/2", 3, -4, None, None, 0, 0, "9", "pw"),
        leaves.Chat("<Bob> - hello; all"),
        leaves.Player("pw", "Bob\tA", "Side;1"),
        leaves.PlayerLeaves("pw"),
        leaves.Unmask(("a", "b")),
        leaves.BoardPicker("Tactical Map", (leaves.BoardChoice("A", 0, 0), leaves.BoardChoice("B", 1, 0, True))),
        leaves.BoardPicker("Map0", ()),
        leaves.Notes("a|b"),
        leaves.PublicNotes(""),
        leaves.PrivateNote("pw", "a|b"),
        leaves.SecretNote("T1", "pw", True, "2F R F", "11/20/2026 8:30 PM", "Bob"),
        leaves.SetupStack(),
        leaves.GlobalProperty("a;b", "c d", "Module"),
        leaves.MutableProperty("a", "1", "2", "Map"),
        leaves.Turn("TurnTracker0", "0|1;0"),
        leaves.Log("CHATx"),
        leaves.Extension("ext", "1.0"),
        leaves.BeginSave(),
        leaves.EndSave(),
        leaves.Unknown("CHECK\twhatever"),
        leaves.Unknown(""),
    ],
)
def test_every_kind_of_leaf_comes_back(leaf: leaves.AnyLeaf) -> None:
    assert read_leaf(leaf.encode()) == leaf


def test_every_kind_of_command_declares_how_it_is_read_and_written() -> None:
    """No class has functions of its own for it, and what it writes it reads again."""
    for kind in get_args(leaves.AnyLeaf):
        assert not {"encode", "decode"} & set(vars(kind)), kind
        if kind.prefix:
            assert kind.prefix.startswith(kind.begins)
            assert type(read_leaf(kind.prefix + "a/b/c/d/e\ta")) in (kind, leaves.Unknown)


words = st.text(alphabet="ab;/\\'\t ü|1", max_size=8)
typed = st.one_of(
    st.builds(leaves.AddPiece, st.none() | words.filter(lambda word: word != "null"), words, words),
    st.builds(leaves.ChangePiece, words, words, st.none() | words),
    st.builds(leaves.MovePiece, words, words, st.integers(-9, 9), st.integers(-9, 9), st.none(), words, st.just(0),
              st.just(0), words, words),
    st.builds(leaves.Player, words, words, words),
    st.builds(leaves.SecretNote, words, words, st.booleans(), words, words, words),
    st.builds(leaves.PrivateNote, words, words),
    st.builds(leaves.GlobalProperty, words, words, words),
    st.builds(leaves.MutableProperty, words, words, words, words),
    st.builds(leaves.Chat, words),
    st.builds(leaves.Log, words),
    st.builds(leaves.Unmask, st.lists(words, min_size=1, max_size=3).map(tuple)),
)  # fmt: skip


@given(typed)
def test_typed_commands_come_back_or_are_refused(command: leaves.AnyLeaf) -> None:
    try:
        text = command.encode()
    except LossyTextError:
        return
    assert read_leaf(text) == command


@given(st.text(alphabet="a/\\'1", max_size=14))
def test_a_piece_is_its_first_three_tokens_however_they_are_written(rest: str) -> None:
    piece_id, *texts = sequence.decode(rest, "/")
    read = read_leaf("+/" + rest)
    if len(texts) < 2:
        assert read == leaves.Unknown("+/" + rest)
    else:
        assert read == leaves.AddPiece(None if piece_id == "null" else piece_id, *texts[:2])


@pytest.mark.parametrize("text", ["+/1/piece", "M/1", "D/1", "TURNx", "end_saves", "+/", "SGKC\t1\ttrue"])
def test_mangled_and_foreign_commands_stay_unknown(text: str) -> None:
    assert read_leaf(text) == leaves.Unknown(text)


def test_notes_have_lines() -> None:
    assert plain_note("a|b\\|c") == "a\nb|c"
    assert stored_note("a\r\nb|c") == "a|b\\|c"
    with pytest.raises(LossyTextError):
        stored_note("a\\\nb")


@pytest.mark.parametrize("text", ["", "x", "1_0", " 1", "1.5", "9" * 10, "9" * 5000, "-"])
def test_numbers_vassal_does_not_read_are_the_default(text: str) -> None:
    assert number(text, -7) == -7
    assert (number("-12"), number("2147483647")) == (-12, 2147483647)
