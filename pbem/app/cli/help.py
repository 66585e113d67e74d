"""What all commands have in common: their help, in whole sentences and sections, without anything that takes time to
load; and what becomes of the letters that are typed.
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
"""Where a command stands that names no section."""


class Commands(Typer):
    """Commands whose arguments come with their letters composed, whichever system hands them over.

    What one takes is only looked at when it is asked for it: most runs want one of three dozen.
    """

    def command(self, name: str | None = None, **more: Any) -> Callable[[Any], Any]:
        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            def later() -> None:
                """Stands for the function, whose arguments take time to read."""

            later.__name__ = function.__name__
            told = {"help": getdoc(function), **more}
            made: Any = partial(_Composed, function)  # Typer calls it as it would a class
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
        """The arguments and options of the function."""
        if self._read is None:
            alone = Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
            alone.command()(self._function)
            whole = get_command(alone)
            self._read, self.callback = whole.params, whole.callback
        return self._read

    @params.setter
    def params(self, none: list[Any]) -> None:
        """What stands for the function takes nothing."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        name_page(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest: list[str] = super().parse_args(ctx, args)
        texts = {param.name for param in self.params if param.type.name in ("str", "text")}  # paths come as strings too
        ctx.params.update({name: composed(value) for name, value in ctx.params.items() if name in texts})
        return rest


def composed(typed: Any) -> Any:
    """What was typed, with its letters composed: macOS may give ö as o and two dots. Paths, and words that name a file
    (``WORD`` or ``KEY=WORD``), stay as they are: other systems know either spelling as a file of its own.
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
    except (OSError, ValueError):  # longer than a name can be, or with a sign no name has
        return False


class Sections(TyperGroup):
    """A group of commands whose help has a section for each ``rich_help_panel``, in the order in which they come up."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
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
                formatter.write_dl([(name.ljust(width), said) for name, said in rows])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The page of the group; where it has none, how pages are found."""
        name_page(ctx, formatter)


def name_page(ctx: Any, formatter: Any) -> None:
    """Write into a command's help which page of the guides tells of it; of the whole, how pages are found."""
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
    """The first sentence of a command's help, whole."""
    paragraph = " ".join(cleandoc(text).split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + "." if dot else paragraph
