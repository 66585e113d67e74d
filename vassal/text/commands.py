"""The command text of a save: a tree of leaves, kept byte for byte.

A text is one leaf, or a group of texts joined with ESC; inside a group each text is escaped once more. VASSAL
runs the leaves from left to right. What is read and encoded again unchanged gives the same text, also where
VASSAL itself would have written it differently.

>>> tree = parse("begin_save\\x1bCHAThello\\x1bend_save")
>>> [leaf.text for leaf in leaves(tree)]
['begin_save', 'CHAThello', 'end_save']
>>> encode(tree) == "begin_save\\x1bCHAThello\\x1bend_save"
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from vassal.errors import CommandError, LossyTextError
from vassal.text import sequence
from vassal.text.lazy import dataclass, setter
from vassal.text.leaf_reader import read_leaf
from vassal.text.leaves import AnyLeaf

__all__ = ["Group", "Leaf", "Node", "encode", "group", "insert_before", "leaves", "parse", "replace"]

ESC = "\x1b"

MAX_DEPTH = 200
"""Groups within groups deeper than this are refused; games seen have at most five levels."""

MAX_GROWTH = 8
"""Every level holds what is below it once more: all together may hold so many times the text."""


class _Read:
    """What is read from a command's text when it is asked for."""

    __slots__ = ("command",)

    command: AnyLeaf
    """The command in typed form; :class:`~vassal.leaves.Unknown` for those of other components."""

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
    """One command. ``text`` is what stands in the file, with this level's escapes taken away."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """Texts run one after the other; the first is the command the others were appended to.

    ``raw`` is the exact text of the group where encoding ``items`` again would give another one.
    """

    items: tuple[Node, ...]
    raw: str | None = None


Node: TypeAlias = Leaf | Group


def parse(text: str, source: str = "command text") -> Node:
    """Read a command text. Raises :class:`~vassal.errors.CommandError` when it nests deeper than any game
    does.
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
    # Nearly all are leaves, which is seen at once.
    items = tuple(
        [
            Leaf(token) if ESC not in token and token[:1] != "'" else _parse(token, source, depth + 1, left)
            for token in tokens
        ]
    )
    same = _is_plain(text, tokens) or sequence.encode(tokens, ESC, strict=False) == text
    return Group(items, None if same else text)


def _is_plain(text: str, tokens: list[str]) -> bool:
    """Whether nothing in it was escaped or quoted, and nothing would be: then it need not be made once more to know."""
    as_written = sum(map(len, tokens)) + len(tokens) - 1 == len(text)
    return as_written and not any(token.startswith(("\\", "'")) for token in tokens)


def encode(node: Node) -> str:
    """The command text of *node*.

    Raises :class:`~vassal.errors.LossyTextError` where VASSAL would read something else than what the tree
    holds.
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
    """All leaves in the order VASSAL runs them (empty ones, which do nothing, included)."""
    pending: list[Node] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Leaf):
            yield current
        else:
            pending.extend(reversed(current.items))


def group(nodes: Iterable[Node | str]) -> Group:
    """A flat group of *nodes*; a string stands for a leaf."""
    return Group(tuple(Leaf(node) if isinstance(node, str) else node for node in nodes))


def replace(node: Node, change: Callable[[Leaf], Leaf | None]) -> Node:
    """The tree with every leaf put through *change*; ``None`` removes the leaf. Untouched parts stay as they
    were.

    A removed leaf at the head of a group leaves an empty command behind, because the rest hangs on it.
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
    """The tree with *new* put in before the first leaf that *mark* chooses, or at the end where it chooses
    none.
    """
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
