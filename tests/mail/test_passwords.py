"""Passwords come from a variable, the file of the account or the keyring, and everybody is told from which."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host
from pbem.app.cli.commands import app
from pbem.mail.transport.passwords import FILE, SMTP_PASSWORD, Wanted, file_trouble, for_service, password, whence
from pbem.util import install_command

VARIABLE = "PBEM_TEST_PASSWORD"


WANTED = Wanted(VARIABLE, "mail.example", "host")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="for a POSIX shell")
HOST = """\
format = 1
orders = "orders@club.example"
umpire = "you@club.example"
[inbox]
kind = "folder"
path = "mail/in"
[smtp]
host = "127.0.0.1"
port = 9
security = "none"
user = "ann"
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An account of its own, without any password."""
    for name in (VARIABLE, SMTP_PASSWORD):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setitem(sys.modules, "keyring", None)
    return tmp_path


def written(home: Path, text: str, mode: int = 0o600) -> Path:
    path = home / FILE
    path.write_bytes(text.encode())
    path.chmod(mode)
    return path


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "from the variable")
    found = password(VARIABLE, "mail.example", "host")
    assert found == ("from the variable", f"the variable {VARIABLE}")


def test_without_a_keyring_it_is_said_how_to_get_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = password(VARIABLE, "mail.example", "host")
    assert found.text == ""
    assert VARIABLE in found.source and "pip install keyring" in found.source and FILE in found.source
    (home / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "prefix", str(home))  # pipx keeps each program's libraries apart
    assert "pipx inject --include-apps pbem keyring" in password(VARIABLE, "mail.example", "host").source


def test_what_is_missing_is_fetched_by_what_installed_the_program(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_command("starlette", "uvicorn", extra="web") == "pip install 'pbem[web]'"
    assert install_command("resvg-py") == "pip install resvg-py"
    (home / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "prefix", str(home))
    assert install_command("starlette", "uvicorn", extra="web") == "pipx inject pbem starlette uvicorn"


@POSIX
@pytest.mark.parametrize(
    ("line", "text"),
    [
        (f"{VARIABLE}='a b$c\\'", "a b$c\\"), (f'{VARIABLE}="it\'s"', "it's"),
        (f"export {VARIABLE}=plain-1", "plain-1"),
        (f"{VARIABLE}='old'\n{VARIABLE}='new'", "new"), (f"# {VARIABLE}='x'\nOTHER='{VARIABLE}'", ""),
        (f"{VARIABLE}=a b", None), (f'{VARIABLE}="a$b"', None), (f"{VARIABLE} = 'a'", None),
        (f"{VARIABLE}='a'\r", None),
    ],
)  # fmt: skip
def test_the_file_says_what_a_shell_makes_of_it(home: Path, line: str, text: str | None) -> None:
    """What the service's shell would read otherwise is no password, and its line is named."""
    path = written(home, f"\n{line}\n")
    found = for_service(WANTED)
    if text:
        assert found == (text, f"the file {path}") == password(*WANTED)
        said = subprocess.run(["sh", "-c", f'. "$0"; printf %s "${VARIABLE}"', path], capture_output=True, text=True)
        assert said.stdout == text
    else:
        assert found.text == "" and (f"line 2 of {path} is not of the form" in found.source) is (text is None)


def test_a_variable_of_the_shell_is_told_as_such(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "word")
    assert whence(WANTED) == f"the variable {VARIABLE}, only in this shell: a service will not have it"
    path = written(home, f"{VARIABLE}='other'\n")
    assert (
        whence(WANTED) == f"the variable {VARIABLE} in this shell; a service takes another one, that of the file {path}"
    )
    written(home, f"{VARIABLE}='word'\n")
    assert whence(WANTED) == f"the file {path}"


@POSIX
def test_a_file_others_can_read_is_told(home: Path) -> None:
    assert file_trouble() == ""
    path = written(home, f"{SMTP_PASSWORD}='word'\n", 0o644)
    assert file_trouble() == f"others may read {path}: chmod 600 {path}"
    path.chmod(0o600)
    assert file_trouble() == ""
    written(home, f"{SMTP_PASSWORD}=wo rd\n")
    assert file_trouble() == f"line 1 of {path} is not of the form {SMTP_PASSWORD}='…'"


@POSIX
def test_a_service_that_lacks_its_password_is_told_before_and_after(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The password is exported in the shell in which all is tried, and the service would have none."""
    monkeypatch.setenv(SMTP_PASSWORD, "word")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    club = home / "club"
    (club / "mail" / "in").mkdir(parents=True)
    (club / "host.toml").write_text(HOST)
    lacks = "A service does not see the variables of this shell, and finds no password for ann at 127.0.0.1.\n"
    lacks += f"Write into {home / FILE}"
    line = ["host", "install-service", str(club), "--for", "systemd"]

    def doctor() -> list[str]:
        found = CliRunner().invoke(app, ["doctor", str(club)]).stdout.split("\n")
        return [one for one in found if one.split()[1:2] == ["passwords"]]

    for more in (["--dry-run"], []):
        assert doctor() == [], "nobody has said that a service shall do it"
        assert lacks in CliRunner().invoke(app, [*line, *more]).stdout
    unit = home / "config/systemd/user/pbem-club.service"
    mine = unit.read_text()
    unit.write_text(mine.replace(str(club), "/elsewhere/club"))
    assert doctor() == [], "it is that of another club"
    unit.write_text(mine)
    (told,) = doctor()
    assert told.startswith("NO ") and SMTP_PASSWORD in told and str(home / FILE) in told
    written(home, f"{SMTP_PASSWORD}='word'\n")
    assert doctor() == [] and "does not see" not in CliRunner().invoke(app, line).stdout
    written(home, f"{SMTP_PASSWORD}='word'\n", 0o604)
    assert "others may read" in doctor()[0] and "others may read" in CliRunner().invoke(app, line).stdout


@pytest.mark.parametrize(("booted", "kind"), [(True, "systemd"), (False, "cron")])
@pytest.mark.skipif(sys.platform != "linux", reason="where systemd may be")
def test_systemd_is_chosen_where_it_runs(home: Path, monkeypatch: pytest.MonkeyPatch, booted: bool, kind: str) -> None:
    """In a container it is installed and does not run."""
    monkeypatch.setattr(host, "_BOOTED", home if booted else home / "none")
    club = home / "club"
    assert CliRunner().invoke(app, ["host", "init", str(club)]).exit_code == 0
    line = ["host", "install-service", str(club), "--dry-run"]
    said = CliRunner().invoke(app, line).stdout
    assert ("systemctl --user enable" in said) is booted and "does not run" not in said
    assert said.index("This switches it on:") < said.index("and this off:"), "as it says when it is written"
    wanted = CliRunner().invoke(app, [*line, "--for", "systemd"]).stdout
    assert (f"Here systemd does not run: with --for {kind} it is another file." in wanted) is not booted


def test_a_keyring_that_is_broken_is_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(service: str, user: str) -> str:
        raise RuntimeError("the back end is\nlocked")

    module = ModuleType("keyring")
    module.get_password = broken  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    found = password(VARIABLE, "mail.example", "host")
    assert found.text == "" and "the keyring does not answer: the back end is locked" in found.source


def test_the_real_keyring_is_asked_for_this_server_and_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    keyring = pytest.importorskip("keyring", reason="needs keyring (pip install keyring)")
    backend = pytest.importorskip("keyring.backend")

    class Kept(backend.KeyringBackend):  # type: ignore[misc, name-defined, unused-ignore]
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return "from the keyring" if (service, username) == ("pbem mail.example", "host") else None

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    before = keyring.get_keyring()
    keyring.set_keyring(Kept())
    try:
        assert password(VARIABLE, "mail.example", "host") == ("from the keyring", "the keyring")
        assert "keyring set 'pbem mail.example' eve" in password(VARIABLE, "mail.example", "eve").source
    finally:
        keyring.set_keyring(before)
