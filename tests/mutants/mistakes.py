"""Small mistakes that a person could make by accident, as changes of one place in a source or data file.

Each kind looks at one node of the syntax tree and gives what could stand there instead. What is drawn is decided by
the caller's random numbers alone, so a seed names its mistakes for good (as long as the file stays the same).
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mistake:
    """``start`` to ``end`` (characters of the file) are replaced by ``text``; ``line`` is where tests must reach, and
    ``where`` the function around it, or of a figure its key; ``near`` is the text of the line with a bar where it
    begins.
    """

    path: str
    where: str
    near: str
    kind: str
    line: int
    last: int
    start: int
    end: int
    text: str
    was: str

    def applied(self, source: str) -> str:
        """The file with the mistake in it."""
        return source[: self.start] + self.text + source[self.end :]

    def told(self) -> str:
        """One line for a person."""
        old, new = (" ".join(part.split())[:90] for part in (self.was, self.text))
        return f"{self.path}:{self.line}: {self.where}: {self.kind}: {old!r} -> {new!r}"

    def lasting(self) -> str:
        """What tells this mistake from all others even after its lines were shifted by a change of the file."""
        old, new = (" ".join(part.split()) for part in (self.was, self.text))
        return f"{self.path}: {self.where}: {self.kind}: {old!r} -> {new!r} in {self.near!r}"


def _near(source: str, start: int) -> str:
    begins, ends = source.rfind("\n", 0, start) + 1, source.find("\n", start)
    return f"{source[begins:start]}¦{source[start : ends if ends >= 0 else len(source)]}".strip()


_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_WORDS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_CALLS = {"any": "all", "all": "any", "min": "max", "max": "min", "ceil": "floor", "floor": "ceil"}

Change = tuple[str, ast.AST, str]
"""Kind, the node that goes, what comes in its place."""


def _edits(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            kind = "bound" if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) else "comparison"
            yield kind, node, f"({text(left)}) {_COMPARISONS[type(op)]} ({text(right)})"
        case ast.BoolOp(op=op, values=values):
            other = " or " if isinstance(op, ast.And) else " and "
            yield "and-or", node, "(" + other.join(f"({text(value)})" for value in values) + ")"
            for gone in range(len(values)):
                rest = [value for at, value in enumerate(values) if at != gone]
                word = " and " if isinstance(op, ast.And) else " or "
                yield "part dropped", node, "(" + word.join(f"({text(value)})" for value in rest) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not dropped", node, f"({text(operand)})"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if not _is_text(left, right):
            sign = "-" if isinstance(op, ast.Add) else "+"
            yield "plus-minus", node, f"(({text(left)}) {sign} ({text(right)}))"
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            yield "rounding", node, f"(-(-({text(left)}) // ({text(right)})))"
        case ast.Constant(value=bool() as value):
            yield "yes-no", node, str(not value)
        case ast.Constant(value=int() as value):
            yield "number", node, str(value + 1)
            yield "number", node, str(value - 1)
        case ast.Call(func=func, args=args, keywords=words):
            name = func.id if isinstance(func, ast.Name) else ""
            if name in _CALLS:
                yield "opposite", func, _CALLS[name]
            if name == "sorted" and args:
                yield "sorting", node, f"list({text(args[0])})"
            if words and words[-1].arg:
                kept = [text(arg) for arg in args] + [text(word) for word in words[:-1]]
                yield "keyword left out", node, f"{text(func)}({', '.join(kept)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "branches", node, f"({text(orelse)} if {text(test)} else {text(body)})"
        case ast.If(test=test):
            yield "always", test, "True"
            yield "never", test, "False"
        case ast.Return(value=ast.AST()) | ast.Continue() | ast.Break():
            yield "early end", node, "pass"
        case ast.Expr(value=ast.Call()):
            yield "call dropped", node, "pass"
        case ast.Subscript(slice=ast.Constant(value=0) as index) | ast.Subscript(slice=ast.Constant(value=-1) as index):
            yield "first-last", index, "-1" if index.value == 0 else "0"
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) as index):
            yield "first-last", index, "0"


def _is_text(*parts: ast.expr) -> bool:
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in parts
    )


def in_source(path: Path, name: str) -> list[Mistake]:
    """Every mistake that could be made in a module, in the order of the text."""
    source = path.read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()

    def place(row: int, column: int) -> int:
        # columns of the tree count bytes
        return starts[row - 1] + len(lines[row - 1].encode()[:column].decode()) if row <= len(lines) else len(source)

    def text_of(part: ast.AST) -> str:
        assert isinstance(part, ast.expr | ast.stmt | ast.keyword)
        assert part.end_lineno and part.end_col_offset is not None
        return source[place(part.lineno, part.col_offset) : place(part.end_lineno, part.end_col_offset)]

    tree = ast.parse(source)
    around = _functions(tree)
    skipped = {id(part) for node in ast.walk(tree) for part in _unworthy(node)}
    found = []
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        for kind, target, text in _edits(node, text_of):
            assert isinstance(target, ast.expr | ast.stmt) and target.end_lineno and target.end_col_offset is not None
            start = place(target.lineno, target.col_offset)
            end = place(target.end_lineno, target.end_col_offset)
            where = around.get(id(node), "the module")
            lines_of = (target.lineno, target.end_lineno)
            mistake = Mistake(name, where, _near(source, start), kind, *lines_of, start, end, text, source[start:end])
            if mistake.was != text:
                found.append(mistake)
    return sorted(found, key=lambda one: (one.start, one.end, one.kind, one.text))


def _functions(tree: ast.Module) -> dict[int, str]:
    """Each node (by ``id``) that stands in a function or class: the innermost one's qualified name."""
    found: dict[int, str] = {}

    def look(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}" if name else child.name
            if name:
                found[id(child)] = name
            look(child, inner)

    look(tree, "")
    return found


def _unworthy(node: ast.AST) -> Iterator[ast.AST]:
    """What no test should be asked for: annotations, what only the type checker reads, how classes are made, the main
    guard, how many answers are remembered, how long a random name is, a default said aloud (``strict=False``).
    """
    if isinstance(node, ast.AnnAssign):
        yield from ast.walk(node.annotation)
    if isinstance(node, ast.arg) and node.annotation:
        yield from ast.walk(node.annotation)
    if isinstance(node, ast.FunctionDef) and node.returns:
        yield from ast.walk(node.returns)
    if isinstance(node, ast.If) and ("TYPE_CHECKING" in ast.dump(node.test) or "__main__" in ast.dump(node.test)):
        yield from ast.walk(node)
    if isinstance(node, ast.ClassDef):  # frozen, kw_only and the like
        for word in node.keywords:
            yield from ast.walk(word)
    if isinstance(node, ast.JoinedStr):  # format widths and the like
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue) and part.format_spec:
                yield from ast.walk(part.format_spec)
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func).rpartition(".")[2]
        if called in ("Field", "field"):
            yield node
        defaults = called == "zip" and "strict=False" in ast.unparse(node)
        if called in ("lru_cache", "dataclass", "token_hex") or defaults:
            yield node
            for part in (*(word.value for word in node.keywords), *(() if defaults else node.args)):
                yield from ast.walk(part)


_FIGURE = re.compile(r"(?<![\w.\"'-])\d+(?![\w.\"'-])")


def in_data(path: Path, name: str) -> list[Mistake]:
    """Every whole figure of a data file, one more or one less."""
    text = path.read_text(encoding="utf-8")
    found, start, table, key = [], 0, "", ""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        bare = line.partition("#")[0]
        if headed := re.match(r"\s*\[+([^\[\]]+)\]+\s*$", bare):
            table, key = headed[1], ""
        elif keyed := re.match(r"\s*([\w.\"-]+)\s*=", bare):
            key = keyed[1]
        if not re.match(r"\s*(source|notes?|title|confidence|reading|why|text|brief)", bare):
            for match in _FIGURE.finditer(bare):
                for step in (1, -1):
                    value = int(match[0]) + step
                    if value >= 0 and not _within_quotes(bare, match.start()):
                        at = start + match.start()
                        end = at + len(match[0])
                        where = ".".join(part for part in (table, key) if part)
                        near = _near(text, at)
                        found.append(
                            Mistake(name, where, near, "figure", number, number, at, end, str(value), match[0])
                        )
        start += len(line)
    return found


def _within_quotes(line: str, at: int) -> bool:
    return line[:at].count('"') % 2 == 1


def drawn(found: list[Mistake], many: int, dice: random.Random, root: Path) -> list[Mistake]:
    """``many`` of them in a random order, no two in one line; changes that are no Python are passed over."""
    shuffled = found[:]
    dice.shuffle(shuffled)
    chosen: dict[tuple[str, int], Mistake] = {}
    for one in shuffled:
        if len(chosen) == many:
            break
        if (one.path, one.line) not in chosen and _parses(root / one.path, one):
            chosen[one.path, one.line] = one
    return list(chosen.values())


def _parses(path: Path, mistake: Mistake) -> bool:
    if path.suffix != ".py":
        return True
    try:
        ast.parse(mistake.applied(path.read_text(encoding="utf-8")))
    except SyntaxError:
        return False
    return True
