"""The layout of the source, and what source, package and repository must not hold.

Packages stand in one row and import only to the left, modules import one another in no circle, names and sizes are
limited. Commands start without heavy libraries, nothing committed names a machine, and ruff and mypy find nothing.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from pbem.reports.text import guide

ROOT = Path(__file__).resolve().parent.parent

ROW = (
    "pbem.data", "pbem.rules", "pbem.orders", "pbem.engine", "pbem.ai", "pbem.reports", "pbem.vassal_bridge",
    "pbem.games", "pbem.lab", "pbem.mail", "pbem.club", "pbem.app",
)  # fmt: skip
"""The packages: each imports only packages to its left, and itself."""
BELOW = ("pbem.errors", "pbem.util")
"""Modules that every package may import. They import no package."""
NOT_YET_REWRITTEN = ("pbem.mail", "pbem.app.web", "pbem.reports.form")
"""Packages in which circles and banned names are not looked for yet."""
RULES_MAY_IMPORT = {"msgspec"}
"""Libraries that ``pbem.rules`` may import besides the standard library."""
BANNED_FUNCTIONS = frozenset(
    ("told", "said", "of", "at", "one", "put", "meant", "kept", "heard", "found", "plain", "look")
)
"""Names of functions of a module that do not say what the function does; methods may have them."""
BANNED_CLASSES = frozenset(("Told", "Said", "Played", "Row", "Entry", "Line", "Seen", "Mark"))
MOST_MODULES_IN_A_FOLDER = 22
MOST_MODULES = 340


def inside(module: str, *packages: str) -> bool:
    """Return whether a module lies in one of the packages: pbem.engine.dice in pbem.engine."""
    return any(module == package or module.startswith(package + ".") for package in packages)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement of a piece of source, nested ones included."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, part, ()):
            yield node
            yield from statements(node)


@cache
def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a source text; callers must not change it."""
    return ast.parse(text)


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a source text."""
    return tuple(ast.walk(parsed(text)))


def imports(tree: ast.Module, module: str, package: bool) -> set[str]:
    """Return every name that a source file imports, in functions and under TYPE_CHECKING too.

    ``from pbem import rules`` counts as ``pbem.rules``, whether or not that is a module; and so does ``pbem.rules``
    after ``import pbem``.
    """
    names: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name != "pbem"}
            if any(alias.name == "pbem" for alias in node.names):
                attributes = [each for each in ast.walk(tree) if isinstance(each, ast.Attribute)]
                names |= {ast.unparse(each) for each in attributes if ast.unparse(each.value) == "pbem"}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = module.split(".")[: len(module.split(".")) - node.level + package]
                base = ".".join([*up, *filter(None, [node.module])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


@cache
def module_files() -> dict[str, Path]:
    """Return the file of every module and package of pbem and vassal, by its name."""
    files = {}
    for path in sorted([*ROOT.glob("pbem/**/*.py"), *ROOT.glob("vassal/**/*.py")]):
        files[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    assert len(files) > 200, "the test must have found the source"
    return files


@cache
def all_imports() -> list[tuple[str, str]]:
    """Return (module, imported name) for every import of pbem and vassal, without the version and path of pbem."""
    pairs = [
        (module, name)
        for module, path in module_files().items()
        for name in imports(parsed(path.read_text(encoding="utf-8")), module, path.name == "__init__.py")
        if name not in ("pbem.__version__", "pbem.__file__")
    ]
    assert len(pairs) > 1000, "the test must have found the imports"
    return sorted(pairs)


def of_project(name: str) -> bool:
    return inside(name, "pbem", "vassal")


def place_in_row(name: str) -> int:
    """Return the place of a module's package in the row; -1 for modules below the row, a high number for others."""
    if inside(name, *BELOW):
        return -1
    return next((place for place, package in enumerate(ROW) if inside(name, package)), len(ROW))


def imports_to_the_right(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the imports of a package farther to the right in the row.

    ``pbem`` itself, whose names are loaded late, is the rightmost: no package may import it.
    """
    return [
        f"{module} imports {name}"
        for module, name in pairs
        if inside(module, "pbem") and inside(name, "pbem") and place_in_row(name) > place_in_row(module)
    ]


@pytest.mark.slow
def test_a_package_imports_only_packages_to_its_left() -> None:
    assert imports_to_the_right(all_imports()) == []


def test_an_import_to_the_right_is_found() -> None:
    wrong = [("pbem.rules.a", "pbem.engine.b"), ("pbem.errors", "pbem.data.c"), ("pbem.ai.d", "pbem.Game")]
    right = [("pbem.ai.d", "pbem.data.e"), ("pbem.data.f", "pbem.util.g"), ("pbem", "pbem.games.h")]
    assert len(imports_to_the_right([*wrong, *right])) == len(wrong)
    text = "if TYPE_CHECKING:\n    import pbem.engine\ndef f():\n    from .. import ai\n    from .b import c"
    found = imports(parsed(text), "pbem.rules.a", package=False)
    assert found == {"pbem.engine", "pbem.ai", "pbem.rules.b.c"}
    assert imports(parsed("import pbem\npbem.Game.new()"), "pbem.rules.a", package=False) == {"pbem.Game"}


def test_every_package_is_in_the_row() -> None:
    home = ROOT / "pbem"
    assert {f"pbem.{path.parent.name}" for path in home.glob("*/__init__.py")} == {*ROW}
    assert {path.parent.relative_to(home).parts[0] for path in home.glob("*/**/*.py")} == {each[5:] for each in ROW}
    assert {f"pbem.{path.stem}" for path in home.glob("*.py")} == {*BELOW, "pbem.__init__", "pbem.__main__"}
    assert all(importlib.util.find_spec(name) for name in ROW)


def circle_in(edges: Iterable[tuple[str, str]]) -> list[str]:
    """Return modules that import one another in a circle, the first one found; an empty list if there is none."""
    imported: dict[str, set[str]] = {}
    for module, other in edges:
        imported.setdefault(module, set()).add(other)
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def module_of(name: str) -> str:
    """Return the module of an imported name: the name itself, or what stands before its last dot."""
    return name if name in module_files() else name.rpartition(".")[0]


@pytest.mark.slow
def test_no_modules_import_one_another_in_a_circle() -> None:
    """Imports in functions and under TYPE_CHECKING count, and so do packages with what their ``__init__`` imports."""
    edges = {(module, module_of(name)) for module, name in all_imports() if of_project(name)}
    assert len(edges) > 1000, "the test must have found the imports"
    assert {other for _, other in edges} <= {*module_files()}, "every name belongs to a module"
    left_out = [(one, other) for one, other in edges if all(inside(each, *NOT_YET_REWRITTEN) for each in (one, other))]
    assert circle_in((one, other) for one, other in edges.difference(left_out) if one != other) == []


def test_a_circle_is_found() -> None:
    assert set(circle_in([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")])) == {"a", "b", "c"}
    assert circle_in([("a", "b"), ("b", "c"), ("a", "c")]) == []


def banned_names(text: str) -> list[str]:
    """Return the functions of a module and the classes, nested ones too, whose names do not say what they are."""
    functions = [each for each in parsed(text).body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    classes = [each for each in nodes(text) if isinstance(each, ast.ClassDef)]
    return [each.name for each in functions if each.name in BANNED_FUNCTIONS] + [
        each.name for each in classes if each.name in BANNED_CLASSES
    ]


def test_no_function_or_class_has_a_banned_name() -> None:
    found = {
        module: banned_names(path.read_text(encoding="utf-8"))
        for module, path in module_files().items()
        if not inside(module, *NOT_YET_REWRITTEN)
    }
    assert {module: names for module, names in found.items() if names} == {}
    text = "def told(): ...\nclass Row:\n    def at(self): ...\n    class Line: ...\ndef retold(): ..."
    assert banned_names(text) == ["told", "Row", "Line"], "the test can fail"


def test_folders_and_the_program_have_few_modules() -> None:
    """Files that only mark a package are not counted."""
    folders = Counter(path.parent for path in module_files().values() if path.name != "__init__.py")
    wide = {folder.relative_to(ROOT).as_posix(): number for folder, number in folders.items()}
    assert {folder: number for folder, number in wide.items() if number > MOST_MODULES_IN_A_FOLDER} == {}
    assert sum(folders.values()) <= MOST_MODULES


LATE = ("pbem.app.cli", "vassal.cli")
"""The command lines: a command imports in its function what it needs."""
LATE_FOR = {
    "pages and mails, which most runs do not make": (
        "pbem.reports",
        "jinja2",
        "markupsafe",
        "email",
        "html",
        "shlex",
        "rich",
    ),
    "VASSAL files, which most runs do not read": ("vassal", "pbem.vassal_bridge", "lxml", "pbem.engine.play.setup"),
    "orders, which are read only if they are new": ("pbem.orders", "pbem.engine.checking.check"),
    "the engine, where a run may find nothing to resolve": (
        "pbem.engine.play.resolve",
        "pbem.engine.steps.geometry",
        "pbem.ai.robot",
    ),
    "computer players, which few games have": ("pbem.ai",),
    "what only some commands of a game and of the host need": ("pbem.games", "pbem.mail", "pbem.data.files"),
    "suggestions for misspelt words": ("difflib",),
    "libraries of an extra, which only their commands need": ("openskill", "networkx", "starlette", "uvicorn"),
    "servers, locks, clocks": (
        "mailbox",
        "urllib.request",
        "http.client",
        "filelock",
        "fcntl",
        "zoneinfo",
        "multiprocessing",
    ),
    "files that are seldom read and written": ("json", "tomllib", "tempfile", "zlib", "dataclasses", "msgspec"),
    "names of a package that are loaded when they are first used": ("importlib", "pbem.games.in_memory"),
}
"""Reasons for an import in a function, with the modules; bench/imports.py measures which command gains by each."""


def loaded_by(module: str, tops: dict[str, set[str]]) -> set[str]:
    """Return everything that is imported with a module."""
    found, waiting = set[str](), [module]
    while waiting:
        for name in tops.get(waiting.pop(), set()) - found:
            found.add(name)
            waiting.append(name)
    return found


def sources_of(root: Path) -> dict[str, str]:
    """Return the text of every module of pbem and vassal, by its name."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path.read_text("utf-8")
        for path in sorted([*root.glob("pbem/**/*.py"), *root.glob("vassal/**/*.py")])
    }


def late_imports(sources: dict[str, str]) -> Iterator[tuple[str, str, bool]]:
    """Yield (module, name that one of its functions imports, whether it is imported with the module anyway)."""
    tops, within = dict[str, set[str]](), dict[str, set[str]]()
    for module, text in sources.items():
        for statement in parsed(text).body:
            typed = isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)
            late = isinstance(statement, ast.FunctionDef | ast.ClassDef)
            for node in () if typed else (statement, *statements(statement)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    (within if late else tops).setdefault(module, set()).update(_modules(node, sources))
    for module, names in within.items():
        there = loaded_by(module, tops)
        yield from ((module, name, name in there) for name in sorted(names))


def _modules(node: ast.Import | ast.ImportFrom, sources: dict[str, str]) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    full = {f"{node.module}.{alias.name}" for alias in node.names} & {*sources}
    return full if len(full) == len(node.names) else {*full, node.module or ""}


@pytest.mark.slow
def test_a_function_imports_only_what_start_up_can_do_without() -> None:
    found = list(late_imports(sources_of(ROOT)))
    assert len(found) > 100, "the test must have found the source"
    known = [name for names in LATE_FOR.values() for name in names]
    wrong = [
        f"{module} imports {name}{' though it is there already' if there else ''}"
        for module, name, there in found
        if there or not (module.startswith(LATE) or name == "pbem" or inside(name, *known))
    ]
    assert not wrong
    made_up = {"a": "import b\ndef f():\n    import c\n    import d", "b": "import c", "c": "", "d": ""}
    assert list(late_imports(made_up)) == [("a", "c", True), ("a", "d", False)], "the test can fail"


def weapon_names(text: str, kinds: Iterable[str]) -> list[str]:
    """Return the kinds of weapons that are whole strings of a source text, docstrings left out."""
    docstrings = {id(node.value) for node in nodes(text) if isinstance(node, ast.Expr)}
    constants = [node for node in nodes(text) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return sorted({node.value for node in constants if isinstance(node.value, str)} & {*kinds})


@pytest.mark.slow
def test_no_weapon_is_named_outside_its_family_and_the_data() -> None:
    """A kind of weapon is data, and its family decides what it may do; a probe is a system too.

    Look-ups of rule cases name weapons.
    """
    kinds = tomllib.loads((ROOT / "pbem/data/charts/weapons.toml").read_text(encoding="utf-8"))["kinds"]
    named = {
        path.relative_to(ROOT).as_posix(): found
        for path in sorted(ROOT.glob("pbem/**/*.py"))
        if (found := weapon_names(path.read_text(encoding="utf-8"), {*kinds} - {"probe"}))
    }
    assert {path: found for path, found in named.items() if not path.startswith("pbem/lab/rule_cases/")} == {}
    assert weapon_names('"""photon"""\nif kind == "photon": ...', ["photon"]) == ["photon"], "the test can fail"


@pytest.mark.slow
def test_rules_import_only_the_standard_library_and_msgspec() -> None:
    wrong = [
        f"{module} imports {name}"
        for module, name in all_imports()
        if inside(module, "pbem.rules") and not of_project(name)
        if name.split(".")[0] not in {*sys.stdlib_module_names, *RULES_MAY_IMPORT}
    ]
    assert not wrong


@pytest.mark.slow
def test_rules_open_no_file_ask_no_clock_and_print_nothing() -> None:
    banned = {"open", "print", "input"}
    clocks = ("time", "datetime", "random", "secrets", "os", "subprocess", "socket")
    of_rules = [(module, name) for module, name in all_imports() if inside(module, "pbem.rules")]
    wrong = [f"{module} imports {name}" for module, name in of_rules if inside(name, *clocks)]
    for path in sorted(ROOT.glob("pbem/rules/**/*.py")):
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in banned:
                wrong.append(f"{path.name}:{node.lineno} calls {node.func.id}")
    assert not wrong


def uses(piece: Iterable[ast.AST], known: dict[str, tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the names of other modules used in a piece of source, as (module, name): ``fire.turn_of``, ``turn_of``."""
    found = set()
    for node in piece:
        if isinstance(node, ast.Name) and node.id in known:
            found.add(known[node.id])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            found.add((".".join(known[node.value.id]), node.attr))
    return found


def never_reached(sources: dict[str, str], package: str, ignored: tuple[str, ...]) -> list[str]:
    """Return the public names of a package that no other package uses, directly or through one that is used.

    Uses in packages of ``ignored`` do not count. An attribute of a module's name counts, whatever stands before it.
    """
    defined: dict[tuple[str, str], ast.stmt] = {}
    known: dict[str, dict[str, tuple[str, str]]] = {}
    sources = {module: text for module, text in sources.items() if inside(module, package) or package in text}
    for module, text in sources.items():
        here = known[module] = dict[str, tuple[str, str]]()
        for node in nodes(text):
            if isinstance(node, ast.ImportFrom) and node.module:
                here |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        for statement in parsed(text).body if inside(module, package) else ():
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            names = [getattr(statement, "name", ""), *(getattr(target, "id", "") for target in targets)]
            for name in filter(None, names):
                defined[module, name] = statement
                here[name] = (module, name)
    waiting = [
        use
        for module, text in sources.items()
        if not inside(module, package, *ignored)
        for use in uses(nodes(text), known[module])
    ]
    reached: set[tuple[str, str]] = set()
    while waiting:
        if (use := waiting.pop()) not in reached:
            reached.add(use)
            module, name = use
            if use in defined:
                waiting += uses(ast.walk(defined[use]), known[module])
            elif module in known and name in known[module]:  # re-exported by a module that imports it
                waiting.append(known[module][name])
    return sorted(".".join(each) for each in defined if each not in reached and not each[1].startswith("_"))


@pytest.mark.slow
def test_every_public_name_of_rules_is_used_by_the_game_itself() -> None:
    """A function that only look-ups of rule cases use would stay right when the engine goes wrong."""
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.glob("pbem/**/*.py"))
    }
    assert never_reached(sources, "pbem.rules", ("pbem.lab.rule_cases",)) == []
    made_up = {
        "pbem.rules.x": "def played(): return inner()\ndef inner(): ...\ndef asked(): ...",
        "pbem.lab.rule_cases.y": "from pbem.rules.x import asked\nasked()",
        "pbem.engine.z": "from pbem.rules import x\nx.played()",
    }
    assert never_reached(made_up, "pbem.rules", ("pbem.lab.rule_cases",)) == ["pbem.rules.x.asked"], "the test can fail"


@pytest.mark.slow
def test_files_are_moved_and_removed_only_with_retries() -> None:
    """On Windows other programs hold fresh files for a moment: only ``files.patiently`` tries again."""
    # These try once and go on without.
    allowed = {
        "pbem/games/storage/files.py": {"unlink"},
        "pbem/games/storage/folder.py": {"unlink"},
        "pbem/data/cache.py": {"replace", "unlink", "rmdir"},
    }
    wrong = []
    for path in sorted(ROOT.glob("pbem/**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in nodes(path.read_text(encoding="utf-8")):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            done = node.func.attr
            # Texts, times and structs have a replace too, but not with a single positional argument.
            moves = done == "replace" and len(node.args) == 1 and not node.keywords
            if (moves or done in ("unlink", "rename", "rmdir")) and done not in allowed.get(name, ()):
                wrong.append(f"{name}:{node.lineno} calls {done}")
    assert not wrong


@pytest.mark.slow
def test_vassal_imports_nothing_of_pbem() -> None:
    assert not [pair for pair in all_imports() if inside(pair[0], "vassal") and inside(pair[1], "pbem")]


@pytest.mark.slow
def test_only_vassal_bridge_imports_vassal() -> None:
    wrong = [
        f"{module} imports {name}"
        for module, name in all_imports()
        if inside(module, "pbem") and inside(name, "vassal") and not inside(module, "pbem.vassal_bridge")
    ]
    assert not wrong


@pytest.mark.slow
def test_only_the_main_modules_import_a_command_line() -> None:
    command_lines = ("pbem.app.cli", "vassal.cli")
    wrong = [
        f"{module} imports {name}"
        for module, name in all_imports()
        for package in command_lines
        if inside(name, package) and not inside(module, package, f"{package.split('.')[0]}.__main__")
    ]
    assert not wrong


# --- what is committed ----------------------------------------------------------------


def repository_files() -> Iterator[Path]:
    """Yield every file that git tracks or would add; without git, every file outside the folders of tools."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        yield from (ROOT / name for name in names if name and (ROOT / name).is_file())
        return
    for path in ROOT.rglob("*"):
        folders = set(path.relative_to(ROOT).parts[:-1]) - {".ci"}
        if path.is_file() and not any(name.startswith((".", "__pycache__")) for name in folders):
            yield path


# Put together from pieces, so that this file does not hold what it looks for.
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.$~}-])/(?:" + "|".join(["work", "opt", "root", "home/[a-z]+"]) + ")/",
            "pypi" + r"\.org",
            "python" + "hosted",
            r"https?://\S+/" + "simple",
            r"[A-Z]:\\" + "Users",
        ]
    )
)


@pytest.mark.slow
def test_no_file_holds_a_machine_path_or_the_address_of_a_registry() -> None:
    files = [path for path in repository_files() if path.suffix not in {".vsav", ".vlog", ".vmod", ".png", ".ttf"}]
    assert ROOT / "pyproject.toml" in files
    wrong = []
    for path in files:
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), 1):
            if found := MACHINE.search(line):
                wrong.append(f"{path.relative_to(ROOT).as_posix()}:{number} holds {found[0]}")
    assert not wrong


def test_no_lock_file_and_no_python_version_is_committed() -> None:
    assert not {path.name for path in repository_files()} & {"uv.lock", ".python-version"}


# --- start-up and packaging ---------------------------------------------------------

HEAVY = ("jinja2", "lxml", "rich", "parsy", "email.message", "pydantic")


def imported_by(*arguments: str) -> set[str]:
    """Return the modules that ``python -m pbem …`` imports in a process of its own, as the interpreter lists them."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-X", "importtime", "-m", "pbem", *arguments]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    lines = done.stderr.splitlines()
    assert done.returncode == 0, [line for line in lines if not line.startswith("import time:")]
    found = {line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:")}
    assert "typer" in found, "the measuring works"
    return found


def test_help_imports_nothing_heavy() -> None:
    found = imported_by("--help")
    assert not sorted(name for name in found if any(inside(name, heavy) for heavy in HEAVY))


def test_the_commands_of_pyproject_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in project["scripts"].values():
        module, _, name = target.partition(":")
        assert callable(getattr(importlib.import_module(module), name)), target


def test_the_page_of_the_package_needs_no_other_file() -> None:
    """A package index shows the page without the repository: pictures and links have full addresses."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / project["readme"]).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)|<(?:img|a)\b[^>]*(?:src|href)=[\"']?([^\"'> ]*)", page)
    assert all(link.startswith("https://") for found in links for link in found if link)
    for name in re.findall(r"`([a-z]+/(?:[a-z]+/)?)`", page):
        assert (ROOT / name).is_dir(), name


# --- tools and the wheel ---------------------------------------------------------------


def tool(name: str, *arguments: str) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    command = [sys.executable, "-m", name, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stdout + done.stderr


def cached_wrongly(text: str) -> list[str]:
    """Return the cached functions of a source text whose results depend on more than their arguments.

    They read tie-breaks, or charts without the token of the figures (or the stamp of the file) as an argument.
    """
    found = []
    for node in nodes(text):
        if isinstance(node, ast.FunctionDef) and any("cache" in ast.unparse(each) for each in node.decorator_list):
            given = {argument.arg for argument in node.args.args}
            looked = {ast.unparse(each.value) for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            if "ties" in looked or ("charts" in looked and not given & {"token", "stamp"}):
                found.append(node.name)
    return found


@pytest.mark.slow
def test_a_cached_result_depends_only_on_the_arguments() -> None:
    found = {path.name: cached_wrongly(path.read_text("utf-8")) for path in ROOT.glob("pbem/**/*.py")}
    assert not {name: functions for name, functions in found.items() if functions}


def test_a_cached_result_that_depends_on_more_is_found() -> None:
    text = "@cache\ndef {}: return charts.arcs() if hex else {}\n"
    assert cached_wrongly(text.format("near(hex)", 1)) == ["near"]
    assert cached_wrongly(text.format("near(hex, token)", 1)) == []
    assert cached_wrongly(text.format("near(hex, token)", "ties.of_codes(hex)")) == ["near"]


@pytest.mark.slow
def test_ruff_finds_nothing() -> None:
    """Docstrings, names, complexity and numbers of arguments are among its rules (pyproject.toml)."""
    tool("ruff", "check", "--quiet", ".")


@pytest.mark.slow
def test_mypy_strict_finds_nothing() -> None:
    # In CI the cache would not be kept, and writing it takes a tenth of the time.
    tool("mypy", *(["--cache-dir", os.devnull] if "CI" in os.environ else []))


def is_template(path: Path) -> bool:
    """Return whether the program reads a file in ``templates``: not a source of a script, nor a file of Node."""
    inside = path.relative_to(ROOT / "templates")
    top = {".j2", ".css", ".js"}
    return inside.parts[0] != "src" if len(inside.parts) > 1 else path.suffix in top


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="no Node with npm on this machine")
def test_the_scripts_of_the_pages_are_checked_and_built() -> None:
    """Types, eslint, prettier and vitest find nothing, and ``templates/built`` is what the sources give."""
    fetched = npm("ci")
    if fetched.returncode and "EUSAGE" not in fetched.stderr:  # EUSAGE: the lock file does not fit package.json
        pytest.skip("the packages of Node cannot be fetched")
    assert fetched.returncode == 0, fetched.stderr
    committed = built_scripts()
    for script in ("check", "build"):
        done = npm("run", script)
        assert done.returncode == 0, done.stdout + done.stderr
    assert built_scripts() == committed
    lock = (ROOT / "templates" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock, "an address of a registry"


def built_scripts() -> dict[str, bytes]:
    """Return the content of each file in ``templates/built``."""
    return {path.name: path.read_bytes() for path in (ROOT / "templates" / "built").iterdir()}


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run npm in the folder of the templates."""
    command = [shutil.which("npm") or "npm", "--prefix", str(ROOT / "templates"), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")


@pytest.mark.slow
def test_the_wheel_works_without_the_source_tree(tmp_path: Path) -> None:
    """Build the wheel, unpack it and run commands: templates, games and pages are read from the wheel."""
    tool("hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist"))
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
        shipped = {name for name in archive.namelist() if name.startswith("pbem/_data/")}
    played = ROOT / "turns" / "duel01"
    wanted = {path for path in repository_files() if path.is_relative_to(ROOT / "templates") and is_template(path)}
    # What the demo plays: the terms, the secret, the orders, and no more.
    wanted |= {played / "game.toml", *played.glob("secret/*"), *played.glob("*/orders/*")}
    wanted |= {ROOT / "docs" / "paths.toml", *(ROOT / "docs" / f"{name}.md" for name in guide.pages())}
    assert not [*played.glob("ships/*"), *played.glob("scenarios/*"), *played.glob("figures/*")], "ship these too"
    assert {f"pbem/_data/{path.relative_to(ROOT).as_posix()}" for path in wanted if path.suffix != ".lock"} == shipped
    env = {**os.environ, "PYTHONPATH": str(unpacked)}
    where = [sys.executable, "-c", "import pbem; print(pbem.__file__)"]
    found = subprocess.run(where, env=env, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert Path(found.stdout.strip()).is_relative_to(unpacked)
    rules = [sys.executable, "-m", "pbem", "rules", "E4.22"]
    told = subprocess.run(rules, env=env, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert "rule cases (tests/cases of the source distribution)" in told.stdout
    asked = [sys.executable, "-m", "pbem", "help", "AWAY"]
    page = subprocess.run(asked, env=env, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert page.stdout.startswith("Get more time, or go away\n----")
    demo = [sys.executable, "-m", "pbem", "demo"]
    done = subprocess.run(demo, env=env, cwd=tmp_path, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stderr


NOT_PRIVATE = {
    "pbem/mail/host/doctor.py",  # an empty file that tests whether the folder can be written
    "pbem/games/create.py", "pbem/games/umpire/rerun.py",  # the folder above a new game
    "pbem/games/proof/archive.py",  # the content of an archive, which is public
    "pbem/games/site.py",  # public pages
    "pbem/games/storage/files.py",  # as the caller says
    "pbem/games/storage/terms.py",  # ships, scenarios and figures of the host's own
    "pbem/games/vassal_sync.py",  # a draft beside the player's own saves
}  # fmt: skip
"""Modules that write files which other accounts of the machine may read."""


def test_files_of_a_game_are_private() -> None:
    """Each call that writes an email, address, token, log or report says ``private=True``."""
    private, public = set[str](), set[str]()
    for path in (*(ROOT / "pbem" / "mail").rglob("*.py"), *(ROOT / "pbem" / "games").rglob("*.py")):
        for node in nodes(path.read_text(encoding="utf-8")):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("write_text", "write_bytes", "make_folder"):
                words = {ast.unparse(word) for word in node.keywords}
                (private if "private=True" in words else public).add(path.relative_to(ROOT).as_posix())
    assert public == NOT_PRIVATE and len(private) > 15


def test_isdigit_and_isnumeric_are_not_used() -> None:
    """Python calls "²" a digit, but ``int`` takes only decimals: a check by them would end in a traceback."""
    for path in module_files().values():
        assert not re.search(r"\.is(digit|numeric)\b", path.read_text(encoding="utf-8")), path
