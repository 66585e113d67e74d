"""The base classes of all commands: help with sections, and Unicode normalization of arguments.

This module must load fast, so it imports nothing large.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import cleandoc, getdoc
from pathlib import Path
from typing import Any
from unicodedata import normalize

from typer import Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

REST = "More"
"""Heading in the help for commands that belong to no section."""


class Commands(Typer):
    """A Typer app that converts the text arguments of its commands to composed Unicode form (NFC).

    It does so on every system. The parameters of a command are determined only when they are needed, because a run
    needs only one of three dozen commands.
    """

    def command(self, name: str | None = None, **more: Any) -> Callable[[Any], Any]:
        """Return a decorator that registers a function as a command; its parameters are determined later."""

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            def later() -> None:
                """Act as a placeholder for the command's function until its parameters are needed.

                Reading them takes time.
                """

            later.__name__ = function.__name__
            told = {"help": getdoc(function), **more}
            made: Any = partial(_Composed, function)  # Typer calls it like a class
            super(Commands, self).command(name, cls=made, **told)(later)
            return function

        return add


class _Composed(TyperCommand):
    def __init__(self, function: Callable[..., Any], **more: Any) -> None:
        self._function = function
        self._read: list[Any] | None = None
        super().__init__(**more)

    @property
    def params(self) -> list[Any]:
        """The arguments and options of the command's function; they cannot be set."""
        if self._read is None:
            alone = Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
            alone.command()(self._function)
            whole = get_command(alone)
            self._read, self.callback = whole.params, whole.callback
        return self._read

    @params.setter
    def params(self, none: list[Any]) -> None:
        """The arguments and options of the command's function; they cannot be set."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        name_page(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest: list[str] = super().parse_args(ctx, args)
        texts = {param.name for param in self.params if param.type.name in ("str", "text")}  # paths are strings, too
        ctx.params.update({name: composed(value) for name, value in ctx.params.items() if name in texts})
        return rest


def composed(typed: Any) -> Any:
    """Return typed text in composed Unicode form (NFC), with each letter and its accents as one character.

    This is needed because macOS may pass ``ö`` as an ``o`` and two dots. Paths, and words that name an existing file
    (``WORD`` or ``KEY=WORD``), stay unchanged, because other systems treat each spelling as a different file.
    """
    if isinstance(typed, list | tuple):
        return type(typed)(composed(one) for one in typed)
    if not isinstance(typed, str) or typed.isascii():
        return typed
    key, equals, value = typed.partition("=")
    if _is_there(typed):
        return typed
    if equals and _is_there(value):
        return normalize("NFC", key) + equals + value
    return normalize("NFC", typed)


def _is_there(name: str) -> bool:
    try:
        return Path(name.strip()).exists()
    except (OSError, ValueError):  # the name is too long, or has a character that is not allowed
        return False


class Sections(TyperGroup):
    """A group of commands whose help lists them in sections.

    Commands with the same ``rich_help_panel`` form a section. Sections are in the order of their first command.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands into the help, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                section = getattr(command, "rich_help_panel", None)
                wanted = section if isinstance(section, str) else REST
                sections.setdefault(wanted, []).append((name, summary(command.help or "")))
        if len(sections) == 1:
            sections = {"Commands": next(iter(sections.values()))}
        width = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), about) for name, about in rows])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write a line into the help that names the group's guide page, or says how to find pages."""
        name_page(ctx, formatter)


def name_page(ctx: Any, formatter: Any) -> None:
    """Write a line into a command's help that names its guide page, or says how to find pages."""
    names: list[str] = []
    while ctx.parent is not None:
        names.insert(0, ctx.info_name)
        ctx = ctx.parent
    more = "`pbem help` lists the pages of the guides."
    if names:
        from pbem.reports.text.guide import page_of

        page = page_of(" ".join(names))
        more = f"More: `pbem help {page}`." if page else more
    formatter.write_paragraph()
    formatter.write_text(more)


def summary(text: str) -> str:
    """Return the first sentence of a command's help text."""
    paragraph = " ".join(cleandoc(text).split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + "." if dot else paragraph
