"""The pages of ``docs/``: on which path each stands, what leads to it, and one as text for a terminal or a mail.

``docs/paths.toml`` is the one place that knows this. The index (docs/README.md), the site, ``pbem help`` and the help
of every command are made from it.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from io import StringIO
from pathlib import Path
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pbem.faults import GameError

if TYPE_CHECKING:
    from rich.markdown import Markdown

PATHS: Final = "paths.toml"
WIDTH: Final = 78
"""Columns of a page in a mail, and in what is no terminal."""
_PAGE_LINK: Final = re.compile(r"\[([^\]]+)\]\((?:\.\./)?([\w./-]+)\.md(?:#[\w-]*)?\)")
_HERE_LINK: Final = re.compile(r"\[([^\]]+)\]\(#[\w-]*\)")
_PICTURE: Final = re.compile(r"^[ \t]*(?:!\[[^\]]*\]\([^)]*\)\s*)+$\n?", re.MULTILINE)
_BLOCK: Final = re.compile(r"^([ \t]*)```.*?^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_MARK: Final = "\ue000"
"""Stands for a block while the text around it is laid out; no page has this sign."""


class Page(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page: the name of its file without ``.md``, one sentence on it, the commands whose help names it (``host
    extend``), and the words by which somebody looks for it.
    """

    page: str
    about: str
    commands: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Way(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the paths through the pages, for one kind of reader, in the order in which he wants them."""

    name: str
    title: str
    about: str
    pages: tuple[Page, ...]


class _Paths(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    paths: tuple[Way, ...]


def folder() -> Path:
    """Where the pages are: the checkout's ``docs/``, or the copy inside an installed package. Raises
    :class:`GameError` where there is neither.
    """
    package = Path(__file__).resolve().parent.parent
    for place in (package / "_data" / "docs", package.parent / "docs"):
        if (place / PATHS).is_file():
            return place
    raise GameError.saying("no-pages", "the pages are missing from this installation; install the package again.")


@cache
def ways() -> tuple[Way, ...]:
    """The paths, as ``docs/paths.toml`` has them."""
    return msgspec.toml.decode((folder() / PATHS).read_bytes(), type=_Paths).paths


def pages() -> dict[str, Page]:
    """Every page by its name, in the order of the paths."""
    return {page.page: page for way in ways() for page in way.pages}


def page_of(command: str) -> str:
    """The page that tells of a command (``new``, ``host extend``); empty where none does."""
    return next((page.page for page in pages().values() if command in page.commands), "")


def find(topic: str) -> Page:
    """The page that is called so, or to which this word or command leads. Raises :class:`GameError` with the nearest
    names where there is none.
    """
    asked = " ".join(topic.casefold().removesuffix(".md").replace("_", "-").split())
    known = pages()
    led = {name.casefold(): page for page in known.values() for name in (*page.commands, *page.words)}
    for name in (asked, asked.replace(" ", "-"), asked.removeprefix("pbem ")):
        if found := known.get(name) or led.get(name):
            return found
    near = get_close_matches(asked, [*known, *led], n=3, cutoff=0.5)
    near += [name for name in (*known, *led) if asked and asked in name and name not in near][: 3 - len(near)]
    names = " or ".join(f"`pbem help {name}`" for name in near)
    text = f"no page is called {topic!r}" + (f"; did you mean {names}?" if near else "; `pbem help` lists them")
    raise GameError.saying("no-such-page", text)


def text_of(page: Page, width: int = WIDTH, block: str = "    ") -> str:
    """A page as plain text of ``width`` columns: no pictures, and links as the command that shows them. ``block``
    begins every line of an example; in a mail ``| ``, so that no answer to it is taken for the orders it quotes.
    """
    source = (folder() / f"{page.page}.md").read_text(encoding="utf-8")
    return _plain(_for_terminals(source, page.page), width, block)


def index(width: int = WIDTH) -> str:
    """All pages by their paths, with one sentence on each."""
    said = ["`pbem help PAGE` shows a page; a command or a word of the game finds one, too: `pbem help host extend`."]
    for way in ways():
        said += ["", f"## {way.title}", "", way.about, "", "| | |", "|---|---|"]
        said += [f"| {page.page} | {page.about} |" for page in way.pages]
    return _plain("\n".join(said), width)


def _for_terminals(source: str, here: str) -> str:
    """The source of a page without what only a browser can do."""
    source = _PICTURE.sub(lambda line: re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"(Picture: \1.)", line[0]), source)
    source = _HERE_LINK.sub(r"\1", source)
    source = _PAGE_LINK.sub(lambda link: _linked(link, here), source)
    return re.sub(r"</?kbd>", "", source)


def _linked(link: re.Match[str], here: str) -> str:
    words, name = link[1], link[2].rpartition("/")[2]
    if name == here:
        return words
    if name not in pages():
        return words
    return f"`pbem help {name}`" if words == name else f"{words} (`pbem help {name}`)"


def _plain(markdown: str, width: int, block: str = "    ") -> str:
    """Markdown as text. Blocks are put back as they were written when all else is laid out: nothing in them is cut."""
    from rich.console import Console

    blocks: list[str] = []

    def lifted(found: re.Match[str]) -> str:
        blocks.append(dedent(found[0]).partition("\n")[2].rpartition("\n")[0])
        return f"{found[1]}\n{found[1]}{_MARK}{len(blocks) - 1}\n"

    out = StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None, legacy_windows=False)
    text = re.sub(r"(?<!`)`(pbem [^`\n]*)`(?!`)", r"`` `\1` ``", _BLOCK.sub(lifted, markdown))
    console.print(_readable()(text, hyperlinks=False), end="")
    said = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    said = re.sub(r"\n{3,}", "\n\n", said).strip("\n") + "\n"
    return re.sub(rf"(?m)^( *){_MARK}(\d+)$", lambda at: indent(blocks[int(at[2])], f"{at[1]}{block}"), said)


@cache
def _readable() -> type[Markdown]:
    """rich's Markdown with headings at the left and tables without frames."""
    from rich import box, markdown
    from rich.table import Table
    from rich.text import Text

    class Heading(markdown.Heading):
        def __rich_console__(self, console: Any, options: Any) -> Any:
            line = {"h1": "=", "h2": "-"}.get(self.tag)
            yield Text("")
            yield Text(self.text.plain)
            if line:
                yield Text(line * min(self.text.cell_len, options.max_width))
            yield Text("")

    class Rows(markdown.TableElement):
        def __rich_console__(self, console: Any, options: Any) -> Any:
            heads = [column.content for column in self.header.row.cells] if self.header and self.header.row else []
            named = any(head.plain for head in heads)
            frame = box.SIMPLE_HEAD if named else None
            table = Table(box=frame, show_header=named, pad_edge=False, padding=(0, 2, 0, 0))
            for place, head in enumerate(heads):
                table.add_column(head, overflow="fold", no_wrap=place == 0 and len(heads) > 1 and self._short())
            for row in self.body.rows if self.body else ():
                table.add_row(*(cell.content for cell in row.cells))
            yield table

        def _short(self) -> bool:
            rows = self.body.rows if self.body else ()
            return max((row.cells[0].content.cell_len for row in rows if row.cells), default=0) <= WIDTH // 3

    class Readable(markdown.Markdown):
        elements = {  # noqa: RUF012
            **markdown.Markdown.elements, "heading_open": Heading, "table_open": Rows,
        }  # fmt: skip

    return Readable
