"""Logs (``.vlog``): the position at the start, and the steps that follow it.

>>> log = read_log("turn3.vlog")                                           # doctest: +SKIP
>>> [str(command) for command in log.steps[0].commands]                    # doctest: +SKIP
["MovePiece(id='1795207336172', map='Tactical Map', x=600, ...)"]

A step consists of the commands that VASSAL runs when its "Step" button is pressed once. A log can be made from any
save, with steps that move pieces, change pieces or add lines of chat:

>>> replay = StepLog(save).move("1", "Tactical Map", 600, 420).say("Impulse 5")   # doctest: +SKIP
>>> replay.change("1", Look(facing=2)).write("turn3.vlog")                        # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field, replace

from vassal.container.obfuscation import DEFAULT_KEY
from vassal.errors import LossyTextError, SaveError
from vassal.pieces.piece import Look
from vassal.save import Save, TablePiece, read_save, with_tree
from vassal.text import commands, leaves
from vassal.text.commands import Node
from vassal.text.sequence import dataclass, lazy

__all__ = ["Step", "StepLog", "log_of_steps", "read_log"]


@dataclass(frozen=True, slots=True)
class Step:
    """The commands of one step of a log, in the order in which they run.

    ``read`` is the original command tree, for a step that was read from a file.
    """

    commands: tuple[leaves.AnyLeaf, ...]
    read: Node | None = field(default=None, repr=False, compare=False)

    @property
    def node(self) -> Node:
        """The command tree (nested commands) of the step in the form in which a log stores it.

        The first command is the root; the other commands are appended to it.
        """
        if self.read is not None:
            return self.read
        texts = [leaves.Log(command.encode()).encode() for command in self.commands]
        for text in texts:
            if commands.ESC in text:
                raise LossyTextError(f"the command {text[4:40]!r} holds the character ESC, which separates commands")
        return commands.Leaf(texts[0]) if len(texts) == 1 else commands.group(texts)


@dataclass(frozen=True)
class StepLog:
    """A starting position and the steps that follow it.

    It is immutable: methods that add a step return a new log.
    """

    start: Save
    steps: tuple[Step, ...] = field(default=())

    @lazy
    def table(self) -> Save:
        """The position of the game after the last step."""
        return self.save().played() if self.steps else self.start

    def step(self, *done: leaves.AnyLeaf) -> StepLog:
        """Return a new log that has one more step, made of these commands."""
        if not done:
            raise SaveError(f"{self.start.file}: a step of a log needs at least one command")
        return replace(self, steps=(*self.steps, Step(done)))

    def say(self, text: str) -> StepLog:
        """Return a new log that has one more step, a line of chat.

        Lines that VASSAL writes itself begin with ``*`` and a blank.
        """
        return self.step(leaves.Chat(text))

    def move(self, piece_id: str, map_name: str, x: int, y: int, look: Look | None = None, say: str = "") -> StepLog:
        """Return a new log that has one more step: a move of the piece *piece_id* to a pixel of the map *map_name*.

        With *look* the piece also gets a new look, and with *say* a line of chat is added. If there are other
        pieces on the spot, VASSAL puts the moved one at the bottom of their stack.
        """
        piece = self.table.piece(piece_id)
        done: list[leaves.AnyLeaf] = []
        if look is not None:
            done.append(_changed(piece, look))
        done.append(leaves.MovePiece(piece_id, map_name, x, y, None, piece.map, piece.x, piece.y, None, ""))
        if say:
            done.append(leaves.Chat(say))
        return self.step(*done)

    def change(self, piece_id: str, look: Look) -> StepLog:
        """Return a new log that has one more step, which gives a piece a new look."""
        return self.step(_changed(self.table.piece(piece_id), look))

    def save(self) -> Save:
        """Return the log as a :class:`~vassal.save.Save`, which can be written to a file.

        The commands of the starting position come first, then the steps.
        """
        tree = self.start.tree
        items = tree.items if isinstance(tree, commands.Group) else (tree,)
        tree = commands.Group((*items, *(step.node for step in self.steps)))
        commands.encode(tree)  # raises an error here, rather than while the file is written
        return with_tree(self.start, tree)

    def write(self, path: str | os.PathLike[str], key: int = DEFAULT_KEY) -> None:
        """Write the log to a file.

        Raises:
            LossyTextError: VASSAL would misread a text in it.
        """
        self.save().write(path, key)


def _changed(piece: TablePiece, look: Look) -> leaves.ChangePiece:
    old = piece.piece
    return leaves.ChangePiece(piece.id, look.apply(old).state, old.state)


def read_log(path: str | os.PathLike[str]) -> StepLog:
    """Read a log; a save counts as a log without steps.

    Undone steps are included: VASSAL shows them and then takes them back.

    Raises:
        VassalError: The file cannot be read.
    """
    save = read_save(path)
    tree = save.tree
    items = tree.items if isinstance(tree, commands.Group) else (tree,)
    kept: list[Node] = []
    steps = []
    for item in items:
        done = [leaf.command for leaf in commands.leaves(item)]
        if done and all(isinstance(command, leaves.Log) for command in done):
            texts = [command.text for command in done if isinstance(command, leaves.Log)]
            parsed = [commands.parse(text, "a log step") for text in texts]
            steps.append(Step(tuple(leaf.command for below in parsed for leaf in commands.leaves(below)), item))
        else:
            kept.append(item)
    return StepLog(with_tree(save, commands.Group(tuple(kept))), tuple(steps)) if steps else StepLog(save)


def log_of_steps(start: Save, steps: Iterable[Iterable[leaves.AnyLeaf]]) -> StepLog:
    """Return a log of *start* and *steps*; each step is an iterable of commands."""
    return StepLog(start, tuple(Step(tuple(step)) for step in steps))
