"""The pages and the ways to them: every page stands once, every command names one, every link leads somewhere, and what
is generated is up to date.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.reports.text import guide

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BESIDE = {"README", "package"}
"""The index itself, and the page of the package index."""
PACKAGES = [ROOT / "vassal", *sorted(path.parent for path in ROOT.glob("pbem/*/__init__.py"))]
FOR_DEVELOPERS = {
    ROOT / "ARCHITECTURE.md": 200, ROOT / "CONTRIBUTING.md": 150, ROOT / "templates" / "README.md": 60,
    **{package / "README.md": 40 for package in PACKAGES}, ROOT / "pbem" / "mail" / "host" / "README.md": 60,
}  # fmt: skip
"""The pages for developers, and how many lines each may have."""
READ = [ROOT / "README.md", *FOR_DEVELOPERS, *sorted(DOCS.glob("*.md"))]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands() -> Iterator[str]:
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        yield name
        for inner in getattr(command, "commands", {}):
            yield f"{name} {inner}"


def anchors(page: Path) -> set[str]:
    """The places of a page that a link can lead to, as GitHub and the site name them."""
    text = re.sub(r"(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$", "", page.read_text(encoding="utf-8"))
    heads = re.findall(r"(?m)^#+ +(.+?)\s*$", text)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", head).lower()).replace(" ", "-") for head in heads}


def test_every_page_stands_once_on_a_path() -> None:
    named = [page.page for way in guide.ways() for page in way.pages]
    assert len(named) == len(set(named))
    assert set(named) | BESIDE == {path.stem for path in DOCS.glob("*.md")}


def test_every_command_and_word_leads_to_one_page() -> None:
    led = [name.casefold() for page in guide.pages().values() for name in (*page.commands, *page.words)]
    assert not {name for name in led if led.count(name) > 1}
    words = {word.casefold() for page in guide.pages().values() for word in page.words}
    assert not words & guide.pages().keys(), "the page itself is found"


def test_every_command_has_a_page_and_its_help_names_it() -> None:
    named = {name for page in guide.pages().values() for name in page.commands}
    assert named == set(commands()), "docs/paths.toml says which page tells of a command"
    for name in commands():
        said = CliRunner().invoke(app, [*name.split(), "--help"], prog_name="pbem").output
        assert said.endswith(f"\nMore: `pbem help {guide.page_of(name)}`.\n"), said
    assert "`pbem help` lists the pages" in CliRunner().invoke(app, ["--help"], prog_name="pbem").output


@pytest.mark.parametrize("name", ["index", "glossary", "mails", "conditions", "order_sheet", "settings"])
def test_what_is_generated_is_up_to_date(name: str) -> None:
    made = script(name)
    assert made.PAGE.read_text(encoding="utf-8") == made.document(), f"run python docs/{name}.py"


def test_every_setting_is_described() -> None:
    assert script("settings").undescribed() == []


@pytest.mark.parametrize("page", READ, ids=lambda page: page.relative_to(ROOT).with_suffix("").as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$", "", page.read_text(encoding="utf-8"))
    for target, place in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)", re.sub(r"`[^`\n]*`", "", text)):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{page.name}: {target}"
        assert not place or place in anchors(there), f"{page.name}: {target}#{place}"


@pytest.mark.parametrize("page", FOR_DEVELOPERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_for_developers_is_short_and_names_what_is_there(page: Path) -> None:
    """A path is one from the top of the tree or from ``pbem/``, or the end of one below the page's folder."""
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= FOR_DEVELOPERS[page]
    code = " ".join(re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", text)))
    named = re.findall(r"(?<![\w./])(?:[\w-]+/)*[\w.-]+(?:/|\.(?:py|md|toml|txt|css|js|j2))(?![\w/])", code)
    made = {"game.toml", "host.toml", "players.toml", "vassal.toml", "secret/", "NN/orders/", "NN/rN/SIDE/", ".cache/"}
    made |= {"reports.late.txt", "mail/said.txt"}
    within = page.parent.rglob("*") if page.parent != ROOT else ()
    below = [path.relative_to(page.parent).as_posix() for path in within]
    assert len(named) > 5
    assert not [
        name
        for name in named
        if name not in made and not re.search(r"NAME|FILE", name)
        if not (ROOT / name).exists() and not (ROOT / "pbem" / name).exists()
        if not any(f"/{name}" in f"/{path}/" for path in below)
    ]


def test_the_wheel_ships_every_page() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    shipped = {src: to for src, to in build["targets"]["wheel"]["force-include"].items() if src.startswith("docs/")}
    pages = ("paths.toml", *(f"{name}.md" for name in guide.pages()))
    assert shipped == {f"docs/{name}": f"pbem/_data/docs/{name}" for name in pages}


@pytest.mark.parametrize("name", guide.pages())
def test_a_page_is_text_that_a_terminal_can_show(name: str) -> None:
    """No markup is left, nothing is wider than asked for but what stands in blocks, and no block has lost a letter."""
    text = guide.text_of(guide.pages()[name])
    source = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    title = re.match(r"# (.+)\n", source)
    assert title is not None and text.startswith(title[1].replace("`", "") + "\n=")
    lines = set(map(str.strip, text.splitlines()))
    inside: set[str] = set()
    for block in re.findall(r"(?ms)^[ \t]*```\w*\n(.*?)^[ \t]*```[ \t]*$", source):
        inside |= {line.strip() for line in block.splitlines()}
    assert inside <= lines
    prose = [line for line in text.splitlines() if line.strip() not in inside]
    assert not [line for line in prose if len(line) > guide.WIDTH]
    assert not [line for line in prose if re.search(r"\]\(|!\[|\*\*|^#+ |\ue000|<kbd>", line)]


def test_no_page_has_a_table_that_falls_apart() -> None:
    """Rows without a head are text with bars in it, on the site and in a terminal."""
    for path in READ:
        text = re.sub(r"(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$", "", path.read_text(encoding="utf-8"))
        for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
            rows = [*table.splitlines(), ""]
            assert re.fullmatch(r"\|(?::?-+:?\|)+", rows[1].replace(" ", "")), (path.name, rows[0])


def test_what_people_read_names_pages_by_the_command_that_shows_them() -> None:
    """Who installed the program has no folder ``docs``. What is for the writers of other programs names the file."""
    others = {
        "pbem/games/proof/archive.py",
        "pbem/lab/rule_cases/docs.py",
        "pbem/reports/text/guide.py",
    }
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        notes = {
            id(node.value)
            for holder in ast.walk(tree)
            if isinstance(holder, ast.Module | ast.ClassDef | ast.FunctionDef)
            and (not isinstance(holder, ast.FunctionDef) or not name.startswith("pbem/app/cli/"))
            for node in holder.body
            if isinstance(node, ast.Expr)
        }
        said = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes
        ]
        assert name in others or not [text for text in said if re.search(r"docs/[a-z-]+\.md", text)], name


def test_pages_are_found_by_name_command_and_word() -> None:
    topics = ("late", "Host Extend", "pbem new", "AWAY", "orders.md", "turn mode")
    found = ("host-guide", "host-guide", "host-quickstart", "play-by-mail", "orders", "glossary")
    assert tuple(guide.find(topic).page for topic in topics) == found
    with pytest.raises(GameError, match="no page is called 'glosary'; did you mean `pbem help glossary`"):
        guide.find("glosary")
    for word in ("drones", "phaser", "shuttle"):
        found_in = guide.section_for(word)
        assert found_in is not None and guide.find(word) == found_in.page and word[:-1] in found_in.source.casefold()
    with pytest.raises(GameError, match="`pbem help` lists them"):
        guide.find("xyzzy")


def test_help_prints_a_page_the_list_and_json() -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(app, ["help", *words])
        assert done.exit_code == 0, done.output
        return done.output

    assert said("host", "extend").startswith("Host guide\n=====")
    assert "host-guide" in said() and "To host\n-------" in said()
    assert json.loads(said("dice", "--json"))["page"] == "dice"
    assert len(json.loads(said("--json"))["paths"]) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_pages_and_a_pipe_does_not() -> None:
    import pty

    mine, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PAGER": "sed 's/^/paged: /'", "TERM": "xterm"}
    asked = [sys.executable, "-m", "pbem", "help", "play-by-mail"]
    shown = b""
    with subprocess.Popen(asked, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as running:
        os.close(theirs)
        with suppress(OSError):  # the other end is closed when all is said
            while piece := os.read(mine, 4096):
                shown += piece
    os.close(mine)
    assert running.returncode == 0 and b"paged: Play by mail" in shown
    piped = subprocess.run(asked, env=env, capture_output=True, encoding="utf-8", check=True)
    assert piped.stdout.startswith("Play by mail")


def test_letters_to_the_umpire_name_pages_that_there_are() -> None:
    named = {
        name
        for path in (ROOT / "pbem" / "mail").rglob("*.py")
        for line in re.findall(r'(?:page=(?=")|page for page in)(.*)', path.read_text(encoding="utf-8"))
        for name in re.findall(r'"([\w-]+)"', line)
    }
    assert len(named) > 3 and not [name for name in named if guide.page_for(name) is None]


def test_what_the_doctor_is_quoted_with_is_what_he_says() -> None:
    table = (DOCS / "host-guide.md").read_text(encoding="utf-8").partition("| it says |")[2].partition("\n\n")[0]
    source = " ".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pbem" / "mail").rglob("*.py")))
    first = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    quoted = [part.strip() for cell in first for words in re.findall(r"`([^`]+)`", cell) for part in words.split("…")]
    assert len(quoted) > 6 and not [part for part in quoted if part not in source]


@pytest.mark.slow
def test_the_site_is_made_without_a_warning(tmp_path: Path) -> None:
    """Sphinx knows every page, every place a link names, and makes what its search looks in."""
    if any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser", "furo")):
        pytest.skip('the site is made with the extra docs: pip install -e ".[docs]"')
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(tmp_path / "site")]
    done = subprocess.run([*command, "-d", str(tmp_path / "kept")], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    for name in (*guide.pages(), "api"):
        assert f'href="{name}.html"' in front
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    for place in ("pbem.Game.offers", "vassal.read_save", "pbem.lab.rule_cases.lookups.turn_mode"):
        assert f'id="{place}"' in reference
    found = (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
    assert "sideslip" in found
