"""The site of these pages and the API reference, by Sphinx: `sphinx-build -W docs site` writes it, search included.

Needs the extra `docs` (`pip install -e ".[docs]"`). Which pages there are, and in which order, is in paths.toml.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import vassal  # noqa: E402

for _name in vassal.__all__:
    getattr(vassal, _name)  # names are loaded at their first use, and autodoc lists only what is loaded

PATHS = tomllib.loads((HERE / "paths.toml").read_text(encoding="utf-8"))["paths"]

project = "pbem"
author = "the pbem contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
API = "api"
"""The page of the API reference, which only this site has: it is made from docstrings."""
root_doc = "README"
exclude_patterns = ["package.md"]  # the page of the package index, which is no part of the guides
html_theme = "furo"
html_title = "pbem: Star Fleet Battles by e-mail"
html_copy_source = False
html_extra_path = ["order-sheet.html"]
html_show_sphinx = False
myst_heading_anchors = 4


def contents() -> str:
    """The paths as Sphinx wants them: one list of pages for each."""
    lists = []
    for way in PATHS:
        pages = "\n".join([*(page["page"] for page in way["pages"]), *([API] if way["name"] == "developer" else [])])
        lists.append(f"\n```{{toctree}}\n:hidden:\n:caption: {way['title']}\n\n{pages}\n```\n")
    return "".join(lists)


def prepared(app: Any, name: str, source: list[str]) -> None:
    """The index gets its lists, which are not in the file: it is read elsewhere, too. What lies beside docs/ is not on
    the site: only its name stays of a link to it.
    """
    source[0] = re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", source[0])
    if name == root_doc:
        source[0] += contents()


def front_page(app: Any, error: Exception | None) -> None:
    """Servers show index.html."""
    if error is None and app.builder.format == "html":
        shutil.copyfile(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_lexer("orders", TextLexer)
    app.connect("source-read", prepared)
    app.connect("build-finished", front_page)
