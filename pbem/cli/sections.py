"""What ``-h`` says of commands: whole sentences, in sections, without anything that takes time to load."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from typer.core import TyperGroup

REST = "More"
"""Where a command stands that names no section."""


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


def summary(text: str) -> str:
    """The first sentence of a command's help, whole."""
    paragraph = " ".join(cleandoc(text).split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + "." if dot else paragraph
