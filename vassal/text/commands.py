r"""The command text of a save as a tree, kept byte for byte, and the reader of single commands.

A text is one leaf (a command), or a group of texts joined with ESC. Inside a group each text is escaped once more.
VASSAL runs the leaves from left to right. A text that is read and encoded again unchanged stays the same, even
where VASSAL itself would have written it differently.

>>> tree = parse("begin_save\x1bCHAThello\x1bend_save")
>>> [leaf.text for leaf in leaves(tree)]
['begin_save', 'CHAThello', 'end_save']
>>> encode(tree) == "begin_save\x1bCHAThello\x1bend_save"
True

Commands that other VASSAL components wrote are kept as :class:`~vassal.text.leaves.Unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, TypeAlias, get_args

from vassal.errors import CommandError, LossyTextError
from vassal.pieces.piece import MAX_KEPT
from vassal.text import sequence
from vassal.text.leaves import PICKER, AddPiece, AnyLeaf, BoardPicker, Unknown
from vassal.text.sequence import dataclass, setter

__all__ = ["Group", "Leaf", "Node", "encode", "group", "insert_before", "leaves", "parse", "read_leaf", "replace"]


TAB = "\t"


def read_leaf(text: str) -> AnyLeaf:
    """Return the text of a command as a typed object; a text that is not understood becomes :class:`Unknown`.

    The function never fails.
    """
    if text.startswith("+/"):
        return _add(text)
    for prefix, kind in _BY_FIRST.get(text[:1], ()):
        if text.startswith(prefix):
            return kind.decode(text[len(prefix) :]) or Unknown(text)
    is_picker = text.partition(TAB)[0].endswith(PICKER)
    return (BoardPicker.decode(text) if is_picker else None) or Unknown(text)


def _add(text: str) -> AnyLeaf:
    """Return the typed form of a command that adds a piece.

    Thousands of pieces share one definition. So each definition is read and stored once, and is found again without
    a comparison. Where that is not possible, the text is read in the same way as other commands.
    """
    first, last = text.find("/", 2), text.rfind("/")
    # If id and state have no slash or quotes, the text between them is the definition, unchanged.
    if 2 < first < last <= first + MAX_KEPT and text[last - 1] != "\\" and text[first - 1] != "\\" and text[2] != "'":
        kind = _definition(text[first + 1 : last])
        if kind is not None and not text.startswith("'", last + 1):
            piece_id = text[2:first]
            return AddPiece.read(None if piece_id == "null" else piece_id, kind, text[last + 1 :])
    return AddPiece.decode(text[2:]) or Unknown(text)


@lru_cache(maxsize=8192)
def _definition(written: str) -> str | None:
    """Return the only token of a text, or ``None`` if the text has several tokens."""
    tokens = sequence.decode(written, "/")
    return intern(tokens[0]) if len(tokens) == 1 else None


_KINDS: tuple[type[AnyLeaf], ...] = get_args(AnyLeaf)
_BY_FIRST: dict[str, list[tuple[str, type[AnyLeaf]]]] = {}
"""The kinds of commands and their prefixes by the first character, so that most texts are ruled out at once."""
for _kind in _KINDS:
    if _prefix := _kind.begins or _kind.prefix:
        _BY_FIRST.setdefault(_prefix[0], []).append((_prefix, _kind))


ESC = "\x1b"

MAX_DEPTH = 200
"""Maximum depth of groups inside groups. Real games have at most five levels."""

MAX_GROWTH = 8
"""Maximum total size of all nested texts, as a multiple of the size of the whole text.

The limit is needed because each level repeats the text inside it.
"""


class _Read:
    """Base of :class:`Leaf`: holds the typed command, which is read when it is first requested."""

    __slots__ = ("command",)

    command: AnyLeaf
    """The command in typed form, :class:`~vassal.text.leaves.Unknown` for those of other components."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name != "command":
                raise AttributeError(f"a leaf has no attribute {name!r}")
            command = read_leaf(self.text)
            _put_command(self, command)
            return command


_put_command = setter(_Read, "command")


@dataclass(frozen=True, slots=True)
class Leaf(_Read):
    """One command of a command tree. ``text`` is its text in the file without the escapes of this level."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of commands that run one after the other.

    In VASSAL, the first command is the main one, to which the others were appended. ``raw`` is the exact text of
    the group if encoding ``items`` would give a different text.
    """

    items: tuple[Node, ...]
    raw: str | None = None


Node: TypeAlias = Leaf | Group


def parse(text: str, source: str = "command text") -> Node:
    """Return the tree of a command text; *source* names the text in errors.

    Raises:
        CommandError: The text is nested deeper than in any real game.
    """
    return _parse(text, source, 0, [MAX_GROWTH * len(text) + 1_000_000])


def _parse(text: str, source: str, depth: int, left: list[int]) -> Node:
    if ESC not in text and text[:1] != "'":
        return Leaf(text)
    tokens = sequence.decode(text, ESC)
    if tokens[0] == text:
        return Leaf(text)
    left[0] -= len(text)
    if depth >= MAX_DEPTH or left[0] < 0:
        raise CommandError(
            f"{source}: its commands are nested more than {MAX_DEPTH} deep, or too deep for their length"
        )
    # Nearly all tokens are leaves; a fast test recognizes them.
    items = tuple(
        [
            Leaf(token) if ESC not in token and token[:1] != "'" else _parse(token, source, depth + 1, left)
            for token in tokens
        ]
    )
    same = _is_plain(text, tokens) or sequence.encode(tokens, ESC, strict=False) == text
    return Group(items, None if same else text)


def _is_plain(text: str, tokens: list[str]) -> bool:
    """Return whether a text contains nothing that is, or must be, escaped or quoted.

    Such a text need not be encoded again for a comparison.
    """
    as_written = sum(map(len, tokens)) + len(tokens) - 1 == len(text)
    return as_written and not any(token.startswith(("\\", "'")) for token in tokens)


def encode(node: Node) -> str:
    """Return the command text of a tree.

    Raises:
        LossyTextError: VASSAL would read back something else.
    """
    if isinstance(node, Leaf):
        if ESC in node.text:
            raise LossyTextError(f"the command {node.text[:40]!r} holds the character ESC, which separates commands")
        if sequence.unquote(node.text) != node.text:
            raise LossyTextError(f"the command {node.text[:40]!r} begins and ends with an apostrophe")
        return node.text
    if node.raw is not None:
        return node.raw
    return sequence.encode([encode(item) for item in node.items], ESC)


def leaves(node: Node) -> Iterator[Leaf]:
    """Yield all leaves in the order in which VASSAL runs them, including empty ones, which do nothing."""
    pending: list[Node] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Leaf):
            yield current
        else:
            pending.extend(reversed(current.items))


def group(nodes: Iterable[Node | str]) -> Group:
    """Return a group that contains *nodes* side by side. A string is taken as the text of a command."""
    return Group(tuple(Leaf(node) if isinstance(node, str) else node for node in nodes))


def replace(node: Node, change: Callable[[Leaf], Leaf | None]) -> Node:
    """Return the tree with *change* applied to every leaf. Parts without a change stay the same objects.

    *change* returns the new leaf, or ``None`` to remove it. A removed leaf at the head of a group leaves an empty
    command, because the other commands are appended to it.
    """
    if isinstance(node, Leaf):
        changed = change(node)
        return Leaf("") if changed is None else changed
    items: list[Node] = []
    touched = False
    for index, item in enumerate(node.items):
        if isinstance(item, Leaf):
            new = change(item)
            touched = touched or new is not item
            if new is None and index == 0:
                new = Leaf("")
            if new is not None:
                items.append(new)
        else:
            below = replace(item, change)
            touched = touched or below is not item
            items.append(below)
    return Group(tuple(items)) if touched else node


def insert_before(node: Node, mark: Callable[[Leaf], bool], new: Iterable[Node]) -> Node:
    """Return the tree with *new* inserted before the first leaf for which *mark* is true, else at the end."""
    new = tuple(new)
    found = _insert(node, mark, new)
    if found is not None:
        return found
    return Group((*node.items, *new)) if isinstance(node, Group) else Group((node, *new))


def _insert(node: Node, mark: Callable[[Leaf], bool], new: tuple[Node, ...]) -> Node | None:
    if isinstance(node, Leaf):
        return Group((Leaf(""), *new, node)) if mark(node) else None
    for index, item in enumerate(node.items):
        if isinstance(item, Leaf) and mark(item):
            before = node.items[:index] or (Leaf(""),)
            return Group((*before, *new, *node.items[index:]))
        if isinstance(item, Group) and (below := _insert(item, mark, new)) is not None:
            return Group((*node.items[:index], below, *node.items[index + 1 :]))
    return None
