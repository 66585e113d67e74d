r"""Make the text of emails from templates in ``templates/emails``, which a club may replace by its own.

``NAME.txt.j2`` is the text of an email, ``NAME.html.j2`` what the host adds to its HTML part. A template gets only
words, numbers and lists of them. So it cannot show more than its caller gives it.

The layout of a text template: its first line is the subject. An empty line ends a paragraph. A paragraph is wrapped.
A line that begins with a space or ``|`` is not changed, nor are the lines of a list. A line that ends with ``\\`` is
a paragraph without an empty line below it.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
from markupsafe import Markup

from pbem.reports.html.templates import compiled_before, templates_folder
from pbem.util import regex

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment, Template
    from jinja2.nodes import For, Node

Value: TypeAlias = "str | int | Sequence[Value] | None"
"""Type of the values of a template."""
FOLDER: Final = "emails"
_KEPT: Final = "\ufdd1"
"""A line that begins with this character is not wrapped."""
_BREAK: Final = "\ufdd2"
"""A line end within a value, so that no line of a value begins a paragraph of the template."""
_EDGE: Final = "\ufdd3"
r"""Character put around a value that begins or ends with a space, ``|`` or ``\``; removed at the end."""
_IN_VALUES: Final = {ord("\n"): _BREAK, ord(_KEPT): None, ord(_BREAK): None, ord(_EDGE): None}


class EmailText(msgspec.Struct, frozen=True):
    """The subject and the text of an email, without a line end after its last line."""

    subject: str
    text: str


def sentence(name: str, /, **values: Value) -> str:
    """Return a sentence on one line: the macro ``name`` of ``_sentences.j2``, called with these values."""
    text = str(getattr(_built_in().get_template("_sentences.j2").module, name)(**_plain(values)))
    line = " ".join(filter(None, (part.strip(" ") for part in text.split("\n"))))
    return line.replace(_EDGE, "").replace(_BREAK, "\n")


def lines(name: str) -> str:
    """Return the text of the macro ``name`` of ``_sentences.j2``, with its line breaks."""
    return str(getattr(_built_in().get_template("_sentences.j2").module, name)()).strip("\n")


class BadTemplate(ValueError):
    """Error: a club's own template cannot be used; the text says why."""


def render(name: str, club: Path | None, /, **values: Value) -> EmailText:
    """Return subject and text of the email whose template is ``name``, filled in with these values.

    The club's own template is used if there is one. If that template has errors, the built-in one is used, and
    :func:`failures` returns the reason.
    """
    given, file = _plain(values), f"{name}.txt.j2"
    if club is not None and (own := _file_of(club, file)) is not None:
        try:
            return _laid_out(_bounded(_usable(own), given))
        except Exception as error:
            _FAILED[club.absolute(), file] = _reason(error)
    return _laid_out(_built_in().get_template(file).render(given))


def html_parts(name: str, club: Path | None, /, **values: Value) -> dict[str, str]:
    """Return what the host adds to the HTML part of an email, as a dict of block name to HTML.

    The blocks are those of ``NAME.html.j2``. The club's own template is used as in :func:`render`.
    """
    given, file = {key: _checked(value) for key, value in values.items()}, f"{name}.html.j2"
    template = _for_html().get_template(file)
    if club is not None and (own := _file_of(club, file)) is not None:
        try:
            return _bounded_blocks(_usable(own), given, tuple(template.blocks))
        except Exception as error:
            _FAILED[club.absolute(), file] = _reason(error)
    return {block: "".join(made(template.new_context(given))) for block, made in template.blocks.items()}


_FAILED: Final[dict[tuple[Path, str], str]] = {}
"""For (club, file): why a club's own template failed, since :func:`failures` was last called."""


def failures(club: Path) -> list[tuple[str, str]]:
    """Return the club's own templates that could not be used since the last call, as (file name, reason)."""
    home = club.absolute()
    return [(file, _FAILED.pop((home, file))) for there, file in sorted(_FAILED) if there == home]


def _plain(values: dict[str, Value]) -> dict[str, Value]:
    return {name: _marked(_checked(value)) for name, value in values.items()}


def _checked(value: Value) -> Value:
    """Return a value for a template; tuples become lists, other values stay unchanged.

    Raises:
        TypeError: The value is not a string, an integer, ``None`` or a list of such values.
    """
    if isinstance(value, (list, tuple)):
        return [_checked(one) for one in value]
    if value is None or isinstance(value, (str, int)):
        return value
    raise TypeError(f"an email gets plain values only, not {type(value).__name__}")


def _marked(value: Value) -> Value:
    """Return a template's value in which markers replace line ends, so that these end no paragraph."""
    if isinstance(value, str):
        plain = value if value.isprintable() else value.translate(_IN_VALUES)
        return f"{_EDGE}{plain}{_EDGE}" if plain.startswith((" ", "|")) or plain.endswith("\\") else plain
    if isinstance(value, (list, tuple)):
        return [_marked(one) for one in value]
    return value


# --- a club's own templates ------------------------------------------------------------------------------------------

OWN_FOLDER: Final = "templates/emails"
"""The folder, inside a club's folder, with the club's own templates."""
MOST_SOURCE: Final = 20_000
"""Maximum length of a club's own template, in bytes."""
_MORE: Final = 50_000
"""Maximum length of the text from a club's own template, in characters.

Four times the length of the template's values are allowed in addition.
"""
_MOST_STEPS: Final = 2_000_000
"""Maximum for a club's own template: syntax nodes in its loops times items of the longest list."""
_ALLOWED: Final = frozenset((
    "Template", "Output", "TemplateData", "Name", "Const", "If", "For", "CondExpr", "Compare", "Operand", "And", "Or",
    "Not", "Filter", "Test", "Getattr", "List", "Tuple", "Call", "Include", "Import", "FromImport", "Block",
))  # fmt: skip
"""The Jinja2 syntax that a club's own template may contain; none of it can make a text very long."""
_FILTERS: Final = frozenset((
    "sentences", "hanging", "kept", "join", "trim", "upper", "lower", "capitalize", "length", "first", "last",
))  # fmt: skip
_TESTS: Final = frozenset(("defined", "undefined", "none"))


def _file_of(club: Path, file: str) -> Path | None:
    path = club / OWN_FOLDER / file
    return path if path.is_file() else None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    line = getattr(error, "lineno", None)
    return f"{f'line {line}: ' if line else ''}{' '.join(str(error).split())[:300] or type(error).__name__}"


class OwnTemplate(msgspec.Struct, frozen=True):
    """A club's own template that was read and found usable.

    Attributes:
        template: The template.
        names: The names of the values that it uses.
        looped: How many syntax nodes are inside its loops.
    """

    template: Template
    names: frozenset[str]
    looped: int


def _usable(path: Path) -> OwnTemplate:
    """Return a club's own template, read from its file and checked.

    Raises:
        BadTemplate: It contains syntax that such a template may not contain.
        TemplateError: It has a syntax error.
    """
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int, size: int) -> OwnTemplate:
    from jinja2 import nodes
    from jinja2.meta import find_undeclared_variables

    if size > MOST_SOURCE:
        raise BadTemplate(f"the file has more than {MOST_SOURCE} bytes")
    source = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    made = _for_clubs(page=path.name.endswith(".html.j2"))
    tree = made.parse(source)
    _verify(tree)
    looped = sum(sum(1 for _ in loop.find_all(nodes.Node)) for loop in tree.find_all(nodes.For))
    return OwnTemplate(made.from_string(source), frozenset(find_undeclared_variables(tree)), looped)


def _verify(tree: Node) -> None:
    """Check that a template contains only syntax whose running time is bounded.

    Raises:
        BadTemplate: It contains other syntax.
    """
    from jinja2 import nodes

    taken = {one.target for one in tree.find_all(nodes.Import)}
    for statement in tree.find_all(nodes.FromImport):
        taken |= {name if isinstance(name, str) else name[1] for name in statement.names}
    for node in tree.find_all(nodes.Node):
        if wrong := _wrong(node, taken):
            raise BadTemplate(f"line {node.lineno}: {wrong}")


def _wrong(node: Node, taken: set[str]) -> str:
    """Return why a syntax node may not be in a club's own template; ``""`` if it may.

    ``taken`` are the names that the template imports.
    """
    from jinja2 import nodes

    kind = type(node).__name__
    if kind not in _ALLOWED:
        return f"{kind} may not be used here"
    if isinstance(node, (nodes.Include, nodes.Import, nodes.FromImport)):
        return "" if _is_shared(node.template) else "only the files of the program that begin with _ may be taken in"
    if isinstance(node, nodes.Call):
        called = node.node.node if isinstance(node.node, nodes.Getattr) else node.node
        return "" if isinstance(called, nodes.Name) and called.name in taken else "only imported macros may be called"
    if isinstance(node, nodes.For):
        right = _is_plain_loop(node, taken)
        return "" if right else "a loop goes over a list of the email, without another loop or file in it"
    if isinstance(node, nodes.Filter):
        return "" if node.name in _FILTERS else f"there is no filter {node.name} here"
    if isinstance(node, nodes.Test):
        return "" if node.name in _TESTS else f"there is no test {node.name} here"
    return ""


def _is_plain_loop(node: For, taken: set[str]) -> bool:
    """Return whether a loop goes over one list, has no loop or file inside, and hides no imported name."""
    from jinja2 import nodes

    nested = any(inner is not node for inner in node.find_all((nodes.For, nodes.Include)))
    targets = {name.name for name in node.target.find_all(nodes.Name)} | {getattr(node.target, "name", "")}
    return isinstance(node.iter, nodes.Name) and not node.recursive and not nested and not targets & taken


def _is_shared(template: Node) -> bool:
    from jinja2 import nodes

    return isinstance(template, nodes.Const) and str(template.value).startswith("_")


def _bounded(own: OwnTemplate, values: dict[str, Value]) -> str:
    """Return the text that a club's own template makes from these values.

    Raises:
        BadTemplate: The template would take too long, or the text is too long or has no subject.
    """
    text = "".join(_limited(own, values, own.template.generate(values)))
    subject = text.partition("\n")[0].removeprefix("Subject:")
    if not text.startswith("Subject:") or not subject.strip():
        raise BadTemplate("the first line is not `Subject: ` and the words of the subject")
    return text


def _bounded_blocks(own: OwnTemplate, values: dict[str, Value], blocks: Sequence[str]) -> dict[str, str]:
    if missing := [block for block in blocks if block not in own.template.blocks]:
        raise BadTemplate(f"it has no block {missing[0]}")
    context = own.template.new_context(values)
    return {block: "".join(_limited(own, values, own.template.blocks[block](context))) for block in blocks}


def _limited(own: OwnTemplate, values: dict[str, Value], pieces: Iterable[str]) -> Iterator[str]:
    longest = max((len(value) for value in values.values() if isinstance(value, Sequence)), default=0)
    if own.looped * longest > _MOST_STEPS:
        raise BadTemplate("it takes too long: its loops have too much in them")
    left = _MORE + 4 * sum(map(_length, values.values()))
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise BadTemplate("the email is too long")
        yield piece


def _length(value: Value) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(_length, value))
    return len(str(value))


@cache
def _for_clubs(*, page: bool) -> Environment:
    """Return the Jinja2 environment for clubs' own templates, a sandbox; ``page`` is true for HTML parts."""
    from jinja2.sandbox import SandboxedEnvironment

    made = SandboxedEnvironment(autoescape=page, finalize=_as_html if page else _as_lines)
    environment = _with_filters(_set(made))
    environment.filters |= {"join": _joined, "sentences": lambda parts: _joined(filter(None, parts), " ")}
    environment.globals.clear()
    return environment


def _joined(items: Iterable[str], between: str = "") -> str:
    """Template filter: join words as Jinja2's ``join`` does, but refuse a result that is too long."""
    words = list(map(str, items))
    if sum(map(len, words)) + len(between) * len(words) > _MORE:
        raise BadTemplate("the email is too long")
    return between.join(words)


# --- what is known of templates --------------------------------------------------------------------------------------


class EmailGuide(msgspec.Struct, frozen=True, kw_only=True):
    """The comment at the beginning of a template, which describes the email.

    Attributes:
        to: Who gets the email.
        when: When it is sent.
        example: Example values for the template.
    """

    to: str
    when: str
    example: dict[str, Any] = {}


def all_names() -> list[str]:
    """Return the names of all emails: their template files without ``.txt.j2``, sorted."""
    names = (path.name.removesuffix(".txt.j2") for path in (templates_folder() / FOLDER).glob("[!_]*.txt.j2"))
    return sorted(names)


def guide(name: str) -> EmailGuide:
    """Return the description of an email from the comment at the beginning of its template."""
    text = (templates_folder() / FOLDER / f"{name}.txt.j2").read_text(encoding="utf-8")
    return msgspec.toml.decode(text.removeprefix("{#").partition("#}")[0], type=EmailGuide)


def broken(club: Path) -> list[tuple[str, str]]:
    """Return the club's own templates that cannot be used, as (file name, reason)."""
    faulty = []
    for path in sorted((club / OWN_FOLDER).glob("*")):
        try:
            _try_out(path)
        except Exception as error:
            faulty.append((path.name, _reason(error)))
    return faulty


def _try_out(path: Path) -> None:
    """Check a club's own template by filling in the example values of the built-in one.

    Raises:
        BadTemplate: It cannot be used.
        TemplateError: It has a syntax error, or an undefined name.
    """
    name, page = path.name.removesuffix(".txt.j2"), path.name.endswith(".html.j2")
    name = name.removesuffix(".html.j2")
    blocks = (templates_folder() / FOLDER / f"{name}.html.j2").is_file()
    if name not in all_names() or name + (".html.j2" if page else ".txt.j2") != path.name or (page and not blocks):
        raise BadTemplate("there is no such email")
    if not path.is_file():
        raise BadTemplate("it is no file")
    own, example = _usable(path), guide(name).example
    if unknown := sorted(own.names - example.keys()):
        raise BadTemplate(f"this email has no value {unknown[0]}; it has {', '.join(sorted(example)) or 'none'}")
    if page:
        _bounded_blocks(own, example, tuple(_for_html().get_template(path.name).blocks))
    else:
        _bounded(own, _plain(example))


# --- how templates are read ------------------------------------------------------------------------------------------


@cache
def _built_in() -> Environment:
    from jinja2 import Environment

    return _with_filters(_set(Environment(finalize=_as_lines), compiled_before(__file__, "text")))


@cache
def _for_html() -> Environment:
    from jinja2 import Environment

    return _set(Environment(autoescape=True, finalize=_as_html), compiled_before(__file__, "html"))


def _set(made: Environment, compiled: BytecodeCache | None = None) -> Environment:
    """Return a copy of a Jinja2 environment with the settings that all email templates share.

    The settings are the folder of templates, the handling of line ends, and that an undefined name is an error.
    ``compiled`` is the cache of compiled templates. The environment of clubs' own templates has none.
    """
    from jinja2 import FileSystemLoader, StrictUndefined

    return made.overlay(
        loader=FileSystemLoader(templates_folder() / FOLDER, encoding="utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # the files of a running program do not change
        bytecode_cache=compiled,
    )


def _with_filters(made: Environment) -> Environment:
    made.filters |= {"sentences": _sentences, "hanging": _hanging, "kept": _kept}
    return made


def _as_lines(value: object) -> object:
    """Return a value as a template shows it: a list becomes one unwrapped line for each item."""
    if isinstance(value, (list, tuple)):
        return _kept("\n".join(value))
    return value


def _as_html(value: object) -> object:
    return Markup(html.escape(value)) if type(value) is str else value


def _kept(text: str) -> str:
    """Template filter: keep the lines of a text unwrapped."""
    return f"{_KEPT}{text.replace(_BREAK, chr(10))}".replace("\n", f"\n{_KEPT}") if text else ""


def _sentences(parts: Iterable[str]) -> str:
    """Template filter: join sentences with spaces, leaving out empty ones."""
    return " ".join(filter(None, parts))


def _hanging(text: str, indent: str = "  ") -> str:
    """Template filter: wrap each line of a text separately, with an indent."""
    lines = text.replace(_BREAK, " ").replace(_EDGE, "").split("\n")
    return _kept("\n".join(wrapped(line, indent) for line in lines if line))


# --- how a text is laid out ------------------------------------------------------------------------------------------


WIDTH: Final = 76
_COPIED: Final = regex(
    r'`[^`\n]{1,300}`|"[^"\n]{1,70}"'
    r"|\b(?:TAKE \S+ \S+|(?:UN)?WATCH \S+|TOKEN \w{8,}|DO IT \w+|RESEND [\d.]+|EXTEND \d+ \w+|UNDO [\d.]+"
    r"|ADDRESS (?:CODE )?\S+|MESSAGE TO \w+|END MESSAGE|(?:DRAW|WAIT|AWAY) OFF|AWAY until \w+(?: [A-Z]\w+)?"
    r"|AWAY \d+ days?|AWAY \d+ to \d+ \w+|AWAY [\d-]{10}(?: to [\d-]{10})?|RESIGN \S+ YES)"
)
"""Regular expression for text to copy, such as a command; no line is broken inside such text."""
_TIED: Final = "\ufdd0"


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph wrapped to 76 characters, so that mail programs do not wrap it again.

    Text that readers may want to copy, such as a command, stays on one line, however long it is.
    """
    if len(indent) + len(text) <= WIDTH and text.isprintable() and text[-1:].strip():
        return indent + text  # the usual case: the text fits on one line
    tied = _COPIED.sub(lambda found: found[0].replace(" ", _TIED), text)
    if text and text.isprintable() and "  " not in text and text.strip(" ") == text:  # then only words count
        return "\n".join(_filled(tied.split(" "), indent)).replace(_TIED, " ")
    filled = textwrap.fill(
        tied, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(_TIED, " ")


def _filled(words: list[str], indent: str) -> Iterator[str]:
    """Yield lines, each with as many of these words as fit.

    The lines are the same as those of ``textwrap``, which takes three times as long.
    """
    line = indent + words[0]
    for word in words[1:]:
        if len(line) + len(word) < WIDTH:
            line = f"{line} {word}"
        else:
            yield line
            line = indent + word
    yield line


def paragraphs(*parts: str | Sequence[str]) -> list[str]:
    """Return the lines of a text made from these parts, with an empty line between the parts.

    A string is wrapped; a list of lines is not changed; an empty part is left out.
    """
    text_lines: list[str] = []
    for part in filter(None, parts):
        text_lines += [*([""] if text_lines else []), *([wrapped(part)] if isinstance(part, str) else part)]
    return text_lines


def shown(text: str) -> list[str]:
    """Return orders as lines that begin with ``| ``.

    Lines with this beginning are not read as orders. So a reply that quotes the email does not submit them again.
    """
    return [f"| {line}".rstrip() for line in text.rstrip("\n").split("\n")]


def _laid_out(text: str) -> EmailText:
    """Return the email that a template produced, with its subject (first line) and wrapped paragraphs."""
    first, _, rest = text.partition("\n")
    lines: list[str] = []
    run: list[str] = []
    gap = False

    def close() -> None:
        if run:
            lines.append(wrapped(" ".join(run).replace(_EDGE, "").replace(_BREAK, "\n")))
            run.clear()

    for line in rest.split("\n"):
        kept = line.startswith(_KEPT)
        if not kept and not line.strip(" "):
            close()
            gap = bool(lines)
            continue
        if gap:
            lines.append("")
            gap = False
        if kept or line.startswith((" ", "|")):
            close()
            lines.append(line.replace(_KEPT, "").replace(_EDGE, "").replace(_BREAK, "\n"))
        elif line.endswith("\\"):
            run.append(line[:-1].rstrip(" "))
            close()
        else:
            run.append(line.rstrip(" "))
    close()
    subject = first.removeprefix("Subject:").replace(_EDGE, "").replace(_BREAK, "\n")
    return EmailText(subject.strip(" "), "\n".join(lines))
