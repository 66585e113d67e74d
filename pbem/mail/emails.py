"""The words of emails: each email is a template in ``templates/emails``, and a club may replace it by its own.

``NAME.txt.j2`` is the text of an email, ``NAME.html.j2`` what the host adds to its HTML part. A template gets plain
values only: words, numbers and lists of them. So it cannot show more than its caller gives it.

How a text template is laid out: its first line is the subject. An empty line ends a paragraph. A paragraph is wrapped.
A line that begins with a space or ``|`` stays as it is, and so do the lines of a list. A line that ends with ``\\`` is
a paragraph without an empty line below it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from pbem.mail.replies.receipts import wrapped
from pbem.reports.html.templates import templates_folder

if TYPE_CHECKING:
    from jinja2 import Environment

Value: TypeAlias = "str | int | Sequence[Value] | None"
"""Type of the values of a template."""
FOLDER: Final = "emails"
_KEPT: Final = "\ufdd1"
"""A line that begins with this character is not wrapped."""
_BREAK: Final = "\ufdd2"
"""A line end within a value; so a value cannot begin a paragraph."""
_IN_VALUES: Final = {ord("\n"): _BREAK, ord(_KEPT): None, ord(_BREAK): None}


class EmailText(msgspec.Struct, frozen=True):
    """The subject and the text of an email, without a line end after its last line."""

    subject: str
    text: str


def render(name: str, club: Path | None, /, **values: Value) -> EmailText:
    """Return the email ``name`` with these values."""
    return _laid_out(_built_in().get_template(f"{name}.txt.j2").render(_plain(values)))


def html_parts(name: str, club: Path | None, /, **values: Value) -> dict[str, str]:
    """Return what the host adds to the HTML part of an email: the text of each block of ``NAME.html.j2``."""
    template = _for_html().get_template(f"{name}.html.j2")
    given = {key: _checked(value) for key, value in values.items()}
    return {block: "".join(made(template.new_context(given))) for block, made in template.blocks.items()}


def _plain(values: dict[str, Value]) -> dict[str, Value]:
    return {name: _marked(_checked(value)) for name, value in values.items()}


def _checked(value: Value) -> Value:
    """Return a value of a template.

    Raises:
        TypeError: It is not a plain value.
    """
    if isinstance(value, (list, tuple)):
        return [_checked(one) for one in value]
    if value is None or isinstance(value, (str, int)):
        return value
    raise TypeError(f"an email gets plain values only, not {type(value).__name__}")


def _marked(value: Value) -> Value:
    """Return a value in which line ends are marked, so that they do not end a paragraph of the template."""
    if isinstance(value, str):
        return value if value.isprintable() else value.translate(_IN_VALUES)
    if isinstance(value, (list, tuple)):
        return [_marked(one) for one in value]
    return value


# --- how templates are read ------------------------------------------------------------------------------------------


@cache
def _built_in() -> Environment:
    from jinja2 import Environment

    return _with_filters(_set(Environment(finalize=_as_lines)))


@cache
def _for_html() -> Environment:
    from jinja2 import Environment

    return _set(Environment(autoescape=True, finalize=_as_html))


def _set(made: Environment) -> Environment:
    """Set what all templates of emails have in common: where they are, and that undefined names are errors."""
    from jinja2 import FileSystemLoader, StrictUndefined

    return made.overlay(
        loader=FileSystemLoader(templates_folder() / FOLDER, encoding="utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # nobody looks at the files of a program that runs
    )


def _with_filters(made: Environment) -> Environment:
    made.filters |= {"sentences": _sentences, "hanging": _hanging, "kept": _kept}
    return made


def _as_lines(value: object) -> object:
    """Return what a template shows of a value: of a list its items, one in a line, which stay as they are."""
    if isinstance(value, (list, tuple)):
        return _kept("\n".join(value))
    return value


def _as_html(value: object) -> object:
    from markupsafe import Markup

    return Markup(html.escape(value)) if type(value) is str else value


def _kept(text: str) -> str:
    """Filter: keep the lines of a text as they are."""
    return f"{_KEPT}{text.replace(_BREAK, chr(10))}".replace("\n", f"\n{_KEPT}") if text else ""


def _sentences(parts: Iterable[str]) -> str:
    """Filter: join sentences with a space; empty ones are left out."""
    return " ".join(filter(None, parts))


def _hanging(text: str, indent: str = "  ") -> str:
    """Filter: wrap each line of a text by itself, indented."""
    lines = text.replace(_BREAK, " ").split("\n")
    return _kept("\n".join(wrapped(line, indent) for line in lines if line))


# --- how a text is laid out ------------------------------------------------------------------------------------------


def _laid_out(text: str) -> EmailText:
    """Return the email that a template made: the first line is the subject, and paragraphs are wrapped."""
    first, _, rest = text.partition("\n")
    lines: list[str] = []
    run: list[str] = []
    gap = False

    def close() -> None:
        if run:
            lines.append(wrapped(" ".join(run).replace(_BREAK, "\n")))
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
            lines.append(line.replace(_KEPT, "").replace(_BREAK, "\n"))
        elif line.endswith("\\"):
            run.append(line[:-1].rstrip(" "))
            close()
        else:
            run.append(line.rstrip(" "))
    close()
    return EmailText(first.removeprefix("Subject:").strip(" ").replace(_BREAK, "\n"), "\n".join(lines))
