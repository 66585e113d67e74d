"""The blocks of the guides that fetch something: they are done as they stand, in an environment of their own, with the
program as it is packed from this checkout. Where no registry can be reached these tests are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pbem
import run as start
from tests.docs.blocks import ROOT, Block, blocks, lines

FETCHES = re.compile(r"pipx? |keyring ")
"""How the blocks begin that this file does; :data:`tests.docs.blocks.CANNOT` sends them here."""

pytestmark = pytest.mark.slow


class Machine:
    """A new environment with pip, pipx and uv, and a home of its own: what is set there stays there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "python" / ("Scripts" if os.name == "nt" else "bin")
        self.work = folder / "work"
        self.work.mkdir()
        found = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        self.env = found | {
            "HOME": str(folder / "home"),
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(folder / "programs"),
            "UV_TOOL_DIR": str(folder / "tools"),
            "UV_TOOL_BIN_DIR": str(folder / "programs"),
            "PATH": os.pathsep.join((str(folder / "programs"), str(self.bin), found["PATH"])),
            "PIP_FIND_LINKS": " ".join((str(folder / "dist"), found.get("PIP_FIND_LINKS", ""))).strip(),
            "PIP_NO_COMPILE": "no",  # so pip is told not to compile all it installs
            # A keyring that asks for no desktop: a file in that home.
            "PYTHON_KEYRING_BACKEND": "keyrings.alt.file.PlaintextKeyring",
        }

    def run(self, *command: str, said: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Do a command, which is to end well."""
        done = subprocess.run(
            command, cwd=cwd or self.work, env=self.env, input=said, capture_output=True, text=True, encoding="utf-8"
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done

    def does(self, line: str, said: str = "", cwd: Path | None = None) -> str:
        """Do a line of a block as a shell does."""
        return self.run("sh", "-e", "-c", line, said=said, cwd=cwd).stdout


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("machine")
    one = Machine(folder)
    subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True, env=one.env)
    pip = [str(one.bin / "python"), "-m", "pip", "install", "-q", "--retries", "0", "pipx", "uv", "keyrings.alt"]
    fetched = subprocess.run(pip, env=one.env, capture_output=True, text=True)
    if fetched.returncode:
        pytest.skip(f"no registry to be reached from here: {fetched.stderr.strip().splitlines()[-1][:200]}")
    said = subprocess.run([*pip[:3], "config", "list"], env=one.env, capture_output=True, text=True).stdout
    (folder / "dist").mkdir()
    one.env = start.uv_environment(start.pip_settings(said), one.env)  # pipx and uv ask where pip asks
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return one


def fetching(page: str) -> list[Block]:
    """The shell blocks of a page that fetch something."""
    return [one for one in blocks(page) if one.kind == "sh" and FETCHES.match(lines(one)[0])]


def test_the_program_is_installed_and_upgraded_by_either_line(machine: Machine) -> None:
    """docs/install.md, in the folder of the source."""
    (one,) = fetching("docs/install.md")
    (newer,) = (line for block in blocks("docs/install.md", "sh") for line in lines(block) if "--force" in line)
    pairs = [re.fullmatch(r"(.*?) +# or: (.*)", line) for line in (lines(one)[0], newer)]
    assert all(pairs)
    for number, remove in ((1, "pipx uninstall pbem"), (2, "uv tool uninstall pbem")):
        for pair in pairs:
            assert pair is not None
            machine.does(pair[number], cwd=ROOT)
            assert machine.does("pbem --version").split()[-1] == pbem.__version__
        machine.does(remove)


@pytest.mark.parametrize("by", ["pipx", "pip"])
def test_a_password_is_put_into_the_keyring_and_found_there(machine: Machine, by: str) -> None:
    """docs/host-guide.md, by the program as it was installed: one of pipx does not see what pip puts beside it."""
    (one,) = (one for one in fetching("docs/host-guide.md") if "keyring set" in one.text)
    first, *sets = lines(one)
    assert len(sets) == 2
    beside = re.fullmatch(r"(pipx .*?) +# or: (pip .*)", first)
    assert beside is not None
    line = beside[1 if by == "pipx" else 2]
    if by == "pipx":
        machine.does("pipx install pbem")
        python = machine.folder / "pipx" / "venvs" / "pbem" / machine.bin.name / "python"
    else:
        machine.does("pip install pbem")
        python = machine.bin / "python"

    def found(host: str, user: str) -> str:
        ask = "import sys; from pbem.mail.transport.passwords import password; "
        ask += "print(*password('NO', *sys.argv[1:]), sep='|')"
        return machine.run(str(python), "-c", ask, host, user).stdout.strip()

    if by == "pipx":
        assert line in found("imap.example.org", "nobody"), "the message says the same line"
        machine.does("pipx inject pbem keyrings.alt")  # the keyring of this test
    machine.does(line)
    for number, line in enumerate(sets):
        machine.does(line, said=f"{by}{number}\n")
        host, user = re.match(r"keyring set 'pbem (\S+)' (\S+)", line).groups()  # type: ignore[union-attr]
        assert found(host, user) == f"{by}{number}|the keyring"
    machine.does("pipx uninstall pbem" if by == "pipx" else "pip uninstall -y pbem keyring")


@pytest.mark.parametrize(
    ("page", "has"), [("docs/host-guide.md", ["distributed"]), ("docs/tournaments.md", ["openskill", "networkx"])]
)
def test_what_an_extra_needs_is_had_by_its_line(machine: Machine, page: str, has: list[str]) -> None:
    (one,) = (one for one in fetching(page) if has[0] in one.text)
    for line in lines(one):
        machine.does(line)
    machine.run(str(machine.bin / "python"), "-c", f"import {', '.join(has)}")


def test_the_libraries_for_windows_are_fetched_and_unpacked(machine: Machine) -> None:
    """tests/windows/README.md"""
    (one,) = fetching("tests/windows/README.md")
    machine.does(one.text)
    wheels = [zipfile.ZipFile(path).namelist() for path in (machine.work / "wheels").glob("*.whl")]
    there = {path.relative_to(machine.work / "libraries").as_posix() for path in machine.work.rglob("libraries/**/*")}
    assert any(name.endswith("win_amd64.pyd") for name in there)
    assert {name for names in wheels for name in names if not name.endswith("/")} <= there
