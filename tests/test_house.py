"""The house rules: arrows point one way, nothing leaks from a maker's machine, start-up stays light."""

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
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from pbem.reports.text import guide

ROOT = Path(__file__).resolve().parent.parent

# The packages in one row: each imports only what stands to its left, and itself. All may import what lies below:
# errors and small helpers.
ROW = (
    "pbem.data", "pbem.rules", "pbem.orders", "pbem.engine", "pbem.ai", "pbem.reports", "pbem.vassal_bridge",
    "pbem.games", "pbem.lab", "pbem.mail", "pbem.club", "pbem.app",
)  # fmt: skip
HELPERS = {
    "pbem.errors", "pbem.util",
}  # fmt: skip
BELOW = HELPERS
LAW_MAY_LEAN_ON = {"msgspec"}


def inside(module: str, room: str) -> bool:
    """Whether a module lies in a package: pbem.engine.dice in pbem.engine."""
    return module == room or module.startswith(room + ".")


def statements(tree: ast.AST, *, typed: bool = True) -> Iterator[ast.AST]:
    """Every statement below a piece of source, those within others too; not ``typed``: none that only types need."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        if not typed and part == "body" and isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
            continue
        for node in getattr(tree, part, ()):
            yield node
            yield from statements(node, typed=typed)


@cache
def parsed(text: str) -> ast.Module:
    """What a source file says; nobody changes it."""
    return ast.parse(text)


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """All that stands in a source file."""
    return tuple(ast.walk(parsed(text)))


def source(path: Path) -> ast.Module:
    """A file as it is written."""
    return parsed(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module, module: str, package: bool, *, typed: bool = True) -> set[str]:
    """Every module a source file names in an import, wherever in the file the import stands (not ``typed``: none that
    only types need).

    ``from pbem import rules`` counts as ``pbem.rules``: which of the names are modules cannot be seen from
    here, and a name too many does no harm.
    """
    found: set[str] = set()
    for node in statements(tree, typed=typed):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = module.split(".")[: len(module.split(".")) - node.level + package]
                base = ".".join([*up, *filter(None, [node.module])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


@cache
def arrows() -> list[tuple[str, str]]:
    """(module, imported name) for every import of the two packages."""
    found = []
    files = [*ROOT.glob("pbem/**/*.py"), *ROOT.glob("vassal/**/*.py")]
    for path in sorted(files):
        parts = path.relative_to(ROOT).with_suffix("").parts
        package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if package else parts)
        names = imports(source(path), module, package)
        found += [(module, name) for name in names]
    assert len(found) > 100, "the test must have found the source"
    return sorted(found)


@cache
def needed() -> list[tuple[str, str]]:
    """The same without what only types need."""
    found = []
    for path in sorted([*ROOT.glob("pbem/**/*.py"), *ROOT.glob("vassal/**/*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        tree = source(path)
        found += [(".".join(parts), name) for name in imports(tree, ".".join(parts), False, typed=False)]
    return found


def of_project(name: str) -> bool:
    return inside(name, "pbem") or inside(name, "vassal")


def is_version(name: str) -> bool:
    return name == "pbem.__version__"  # what the game calls itself, known to everybody


def points_right(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return the imports that name a package farther to the right in the row, or that leave what lies below all."""
    wrong = []
    for module, name in found:
        if not inside(name, "pbem") or is_version(name):
            continue
        place = next((place for place, package in enumerate(ROW) if inside(module, package)), None)
        wanted = next((place for place, package in enumerate(ROW) if inside(name, package)), None)
        if any(inside(module, package) for package in BELOW):
            right = wanted is not None
        else:
            right = place is not None and wanted is not None and wanted > place
        if right:
            wrong.append(f"{module} imports {name}")
    return wrong


@pytest.mark.slow
def test_a_package_imports_only_what_stands_to_its_left() -> None:
    assert points_right(arrows()) == []
    made_up = [("pbem.rules.a", "pbem.engine.b"), ("pbem.errors", "pbem.data.c"), ("pbem.ai.d", "pbem.data.e")]
    assert len(points_right(made_up)) == 2, "the test can fail"


def test_every_package_has_its_place_in_the_row() -> None:
    found = {f"pbem.{path.name}" for path in (ROOT / "pbem").iterdir() if (path / "__init__.py").is_file()}
    assert found == set(ROW)
    assert all(importlib.util.find_spec(name) for name in ROW)


def circle_in(edges: Iterable[tuple[str, str]]) -> list[str]:
    """Modules that import one another in a circle, the first one found; none if there is none."""
    above: dict[str, set[str]] = {}
    for module, imported in edges:
        above.setdefault(module, set()).add(imported)
    try:
        TopologicalSorter(above).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


@pytest.mark.slow
def test_no_modules_import_one_another_in_a_circle() -> None:
    """Nor within functions: a circle that is hidden there is one all the same. What a package's ``__init__`` gathers
    does not count.
    """
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("*/**/*.py")}
    edges = [
        (module, name if name in modules else name.rpartition(".")[0])
        for module, name in needed()
        if name in modules or name.rpartition(".")[0] in modules
    ]
    assert len(edges) > 1000, "the test must have found the source"
    assert circle_in([(one, other) for one, other in edges if one != other]) == []
    assert circle_in([("a", "b"), ("b", "c"), ("c", "a")]), "the test can fail"


LATE = ("pbem.app.cli", "vassal.cli")
"""The doors: a command imports what it does and no more."""
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
    "orders are read where they are new, else what was kept is taken": ("pbem.orders", "pbem.engine.checking.check"),
    "play, where a run may find nothing to play": (
        "pbem.engine.play.resolve",
        "pbem.engine.steps.geometry",
        "pbem.ai.robot",
    ),
    "how computer captains think, whom few games have": ("pbem.ai",),
    "what only some errands of the desk and the host need": ("pbem.games", "pbem.mail", "pbem.data.files"),
    "what mends a misspelt word": ("difflib",),
    "libraries of an extra, which only their commands need": ("openskill", "networkx", "starlette", "uvicorn"),
    "servers, locks, clocks": ("mailbox", "urllib.request", "filelock", "fcntl", "zoneinfo", "multiprocessing"),
    "files that are read and written seldom": ("json", "tomllib", "tempfile", "zlib", "dataclasses", "msgspec"),
    "names of a package that are handed out when they are asked for": ("importlib", "pbem.games.in_memory"),
}
"""Why a function imports, and what: bench/imports.py measures which command starts the quicker for each of them."""


def loaded_by(module: str, tops: dict[str, set[str]]) -> set[str]:
    """Everything that is imported when a module is."""
    found, waiting = set[str](), [module]
    while waiting:
        for name in tops.get(waiting.pop(), set()) - found:
            found.add(name)
            waiting.append(name)
    return found


def sources_of(root: Path) -> dict[str, str]:
    """The text of every module of the two packages, by its name."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path.read_text("utf-8")
        for path in sorted([*root.glob("pbem/**/*.py"), *root.glob("vassal/**/*.py")])
    }


def late_imports(sources: dict[str, str]) -> Iterator[tuple[str, str, bool]]:
    """(module, what one of its functions imports, whether that was imported with the module anyway)."""
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
def test_a_function_imports_only_what_start_up_is_quicker_without() -> None:
    found = list(late_imports(sources_of(ROOT)))
    assert len(found) > 100, "the test must have found the source"
    known = [name for names in LATE_FOR.values() for name in names]
    wrong = [
        f"{module} imports {name}{' though it is there already' if there else ''}"
        for module, name, there in found
        if there or not (module.startswith(LATE) or name == "pbem" or any(inside(name, each) for each in known))
    ]
    assert not wrong
    made_up = {"a": "import b\ndef f():\n    import c\n    import d", "b": "import c", "c": "", "d": ""}
    assert list(late_imports(made_up)) == [("a", "c", True), ("a", "d", False)], "the test can fail"


def weapon_names(text: str, kinds: Iterable[str]) -> list[str]:
    """Names of kinds of weapons that stand in a source as words of their own, outside docstrings."""
    told = {id(node.value) for node in nodes(text) if isinstance(node, ast.Expr)}
    constants = [node for node in nodes(text) if isinstance(node, ast.Constant) and id(node) not in told]
    return sorted({node.value for node in constants if isinstance(node.value, str)} & {*kinds})


@pytest.mark.slow
def test_no_weapon_is_named_outside_its_family_and_the_data() -> None:
    """A kind of weapon is data; what one may do that others may not is its family's affair (a probe is a
    system too). The look-ups of rule cases ask of weapons by name.
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
def test_the_law_leans_on_the_standard_library_and_msgspec_alone() -> None:
    wrong = [
        f"{module} imports {name}"
        for module, name in arrows()
        if inside(module, "pbem.rules") and not of_project(name)
        if name.split(".")[0] not in {*sys.stdlib_module_names, *LAW_MAY_LEAN_ON}
    ]
    assert not wrong


@pytest.mark.slow
def test_the_law_opens_no_file_asks_no_clock_and_prints_nothing() -> None:
    edges = {"open", "print", "input"}
    clocks = {"time", "datetime", "random", "secrets", "os", "subprocess", "socket"}
    wrong = [f"{module} imports {name}" for module, name in arrows() if inside(module, "pbem.rules") and name in clocks]
    for path in sorted(ROOT.glob("pbem/rules/**/*.py")):
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in edges:
                wrong.append(f"{path.name}:{node.lineno} calls {node.func.id}")
    assert not wrong


def uses(piece: Iterable[ast.AST], known: dict[str, tuple[str, str]]) -> set[tuple[str, str]]:
    """What a piece of source names of other modules, as (module, name): ``fire.turn_of`` and ``turn_of``."""
    found = set()
    for node in piece:
        if isinstance(node, ast.Name) and node.id in known:
            found.add(known[node.id])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            found.add((".".join(known[node.value.id]), node.attr))
    return found


def never_reached(sources: dict[str, str], room: str, beside: tuple[str, ...]) -> list[str]:
    """The public names of a room that nothing reaches from without, rooms ``beside`` it apart.

    What is reached reaches what it names. An attribute of a module's name counts, whatever stands before it.
    """
    defined: dict[tuple[str, str], ast.stmt] = {}
    known: dict[str, dict[str, tuple[str, str]]] = {}
    sources = {module: text for module, text in sources.items() if inside(module, room) or room in text}
    for module, text in sources.items():
        here = known[module] = dict[str, tuple[str, str]]()
        for node in nodes(text):
            if isinstance(node, ast.ImportFrom) and node.module:
                here |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        for statement in parsed(text).body if inside(module, room) else ():
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            names = [getattr(statement, "name", ""), *(getattr(target, "id", "") for target in targets)]
            for name in filter(None, names):
                defined[module, name] = statement
                here[name] = (module, name)
    waiting = [
        use
        for module, text in sources.items()
        if not any(inside(module, each) for each in (room, *beside))
        for use in uses(nodes(text), known[module])
    ]
    reached: set[tuple[str, str]] = set()
    while waiting:
        if (use := waiting.pop()) not in reached:
            reached.add(use)
            module, name = use
            if use in defined:
                waiting += uses(ast.walk(defined[use]), known[module])
            elif module in known and name in known[module]:  # handed on by a module that imports it
                waiting.append(known[module][name])
    return sorted(".".join(each) for each in defined if each not in reached and not each[1].startswith("_"))


@pytest.mark.slow
def test_the_law_that_is_asked_is_the_law_that_is_played() -> None:
    """A look-up of a rule case that answers from law of its own stays right when the engine goes wrong; so whatever the
    law offers, the engine uses.
    """
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
def test_files_are_moved_and_removed_with_patience() -> None:
    """On Windows other programs hold fresh files for a moment: only ``files.patiently`` waits for that."""
    # All of them try, and go on without.
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
            # Texts, times and structs are replaced too, but not with one thing in place.
            puts = done == "replace" and len(node.args) == 1 and not node.keywords
            if (puts or done in ("unlink", "rename", "rmdir")) and done not in allowed.get(name, ()):
                wrong.append(f"{name}:{node.lineno} calls {done}")
    assert not wrong


@pytest.mark.slow
def test_vassal_knows_nothing_of_star_fleet_battles() -> None:
    assert not [arrow for arrow in arrows() if inside(arrow[0], "vassal") and inside(arrow[1], "pbem")]


@pytest.mark.slow
def test_only_the_tabletop_knows_both_packages() -> None:
    wrong = [
        f"{module} imports {name}"
        for module, name in arrows()
        if inside(module, "pbem") and inside(name, "vassal") and not inside(module, "pbem.vassal_bridge")
    ]
    assert not wrong


@pytest.mark.slow
def test_nobody_imports_the_door() -> None:
    doors = ("pbem.app.cli", "vassal.cli")
    wrong = [
        f"{module} imports {name}"
        for module, name in arrows()
        for door in doors
        if inside(name, door) and not inside(module, door) and module != f"{door.split('.')[0]}.__main__"
    ]
    assert not wrong


# --- what is committed ----------------------------------------------------------------


def repository_files() -> Iterator[Path]:
    """Every file git knows or would take; without git, every file that is not of a tool's own folder."""
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


# --- the door --------------------------------------------------------------------------

HEAVY = ("jinja2", "lxml", "rich", "parsy", "email.message", "pydantic")


def imported_by(*arguments: str) -> set[str]:
    """The modules that a real ``python -m pbem …`` imports, told by the interpreter itself."""
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


def test_the_page_of_the_package_needs_nothing_beside_it() -> None:
    """An index shows it far from the files of this project: no picture and no link leads to one of them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / project["readme"]).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)|<(?:img|a)\b[^>]*(?:src|href)=[\"']?([^\"'> ]*)", page)
    assert all(link.startswith("https://") for found in links for link in found if link)
    for name in re.findall(r"`([a-z]+/(?:[a-z]+/)?)`", page):
        assert (ROOT / name).is_dir(), name


# --- the slow part: tools and the wheel --------------------------------------------------


def tool(name: str, *arguments: str) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    command = [sys.executable, "-m", name, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stdout + done.stderr


def kept_too_long(text: str) -> list[str]:
    """The functions of a source file that keep what they answered although it hangs on more than what they are given:
    on tie-breaks, or on charts without the token of the figures (or the stamp of the file) they were read with.
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
def test_what_is_kept_hangs_on_what_is_given() -> None:
    kept = {path.name: kept_too_long(path.read_text("utf-8")) for path in ROOT.glob("pbem/**/*.py")}
    assert not {name: found for name, found in kept.items() if found}


def test_one_that_keeps_too_long_is_found() -> None:
    said = "@cache\ndef {}: return charts.arcs() if hex else {}\n"
    assert kept_too_long(said.format("near(hex)", 1)) == ["near"]
    assert kept_too_long(said.format("near(hex, token)", 1)) == []
    assert kept_too_long(said.format("near(hex, token)", "ties.of_codes(hex)")) == ["near"]


@pytest.mark.slow
def test_ruff_has_nothing_to_say() -> None:
    tool("ruff", "check", "--quiet", ".")


@pytest.mark.slow
def test_mypy_strict_has_nothing_to_say() -> None:
    # Where nothing of a run is kept, nothing is written for the next one: a tenth of its time.
    tool("mypy", *(["--cache-dir", os.devnull] if "CI" in os.environ else []))


@pytest.mark.slow
def test_the_wheel_works_far_from_the_checkout(tmp_path: Path) -> None:
    """Built, unpacked and run where no checkout is near: templates, games and pages come out of the wheel."""
    tool("hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist"))
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
        shipped = {name for name in archive.namelist() if name.startswith("pbem/_data/")}
    played = ROOT / "turns" / "duel01"
    wanted = {path for path in repository_files() if path.is_relative_to(ROOT / "templates")}
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
    assert page.stdout.startswith("You go away, or need more time\n====")
    demo = [sys.executable, "-m", "pbem", "demo"]
    done = subprocess.run(demo, env=env, cwd=tmp_path, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stderr


OPEN_TO_OTHERS = {
    "archive_read.py",  # what an archive holds, which everybody may have
    "clone.py", "create.py",  # the folder above a new game
    "demo.py", "files.py",  # as whoever calls them says
    "doctor.py",  # an empty file, to see whether it can be written
    "vassal_sync.py",  # a draft beside one's own saves
    "roster.py",  # ships and scenarios of one's own
    "site.py",  # pages for everybody
}  # fmt: skip
"""Modules that write what need not be for the account alone that holds a game."""


def test_what_is_written_of_a_game_is_for_the_account_alone_that_holds_it() -> None:
    """Letters, addresses, tokens, logs, reports: each writing (pbem/games/storage/files.py) says that it is private."""
    found = {True: set[str](), False: set[str]()}
    for path in (*(ROOT / "pbem" / "mail").rglob("*.py"), *(ROOT / "pbem" / "games").rglob("*.py")):
        for node in nodes(path.read_text(encoding="utf-8")):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("write_text", "write_bytes", "make_folder"):
                found["private=True" in {ast.unparse(word) for word in node.keywords}].add(path.name)
    assert found[False] == OPEN_TO_OTHERS and len(found[True]) > 15


def test_nobody_takes_a_sign_for_a_number_that_is_none() -> None:
    """Python calls "²" a digit, but ``int`` takes decimals alone: who asked for digits ended in a traceback."""
    for folder in ("pbem", "vassal"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(r"\.is(digit|numeric)\b", path.read_text(encoding="utf-8")), path
