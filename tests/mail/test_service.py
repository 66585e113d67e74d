"""`pbem host install-service`: each system's file says what its own reader makes of it, with the worst of paths."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.host.service import KINDS, HostProgram, service

TASKS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def host(folder: Path, *program: str) -> HostProgram:
    return HostProgram(
        folder=folder, program=program or ("/bin/pbem",), begin=folder, home=folder, config=folder / "config"
    )


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    folder = tmp_path / "Ann's club 100% & $HOME"
    (folder / "mail").mkdir(parents=True)
    (folder / ".pbem-passwords").write_text("PBEM_SMTP_PASSWORD='a b'\n")
    # A program that says what it was given.
    speaker = folder / "speaks"
    speaker.write_text('#!/bin/sh\nprintf "%s|" "$PBEM_SMTP_PASSWORD" "$@"\n')
    speaker.chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="for a POSIX shell")
def test_cron_runs_a_round_with_the_passwords(nasty: Path) -> None:
    made = service("cron", host(nasty, str(nasty / "speaks")))
    line = made.data.decode().removeprefix("* * * * * ")
    assert line.count("\n") == 1 and "%" not in line.replace("\\%", "")
    subprocess.run(["sh", "-e", "-c", line.replace("\\%", "%")], check=True, cwd="/")  # as cron reads it
    assert (nasty / "mail" / "host.log").read_text() == f"a b|host|{nasty}|--once|"
    (nasty / ".pbem-passwords").unlink()
    subprocess.run(["sh", "-e", "-c", line.replace("\\%", "%")], check=True, cwd="/")


@pytest.mark.skipif(sys.platform == "win32", reason="for a POSIX shell")
def test_launchd_runs_on_and_on(nasty: Path) -> None:
    agent = plistlib.loads(service("launchd", host(nasty, str(nasty / "speaks"))).data)
    said = subprocess.run(agent["ProgramArguments"], check=True, cwd="/", capture_output=True, text=True).stdout
    assert (
        said == f"a b|host|{nasty}|" and agent["KeepAlive"] is True and agent["Label"] in "org.pbem.ann-s-club-100-home"
    )


def test_the_task_of_windows_is_whole(nasty: Path) -> None:
    made = service("windows", host(nasty, r"C:\Program Files\Python\python.exe", "-m", "pbem"))
    root = ElementTree.fromstring(made.data)
    run = root.findtext(f".//{TASKS}Arguments")
    log = nasty / "mail" / "host.log"
    assert run == rf'/c ""C:\Program Files\Python\python.exe" -m pbem host "{nasty}" --once >> "{log}" 2>&1"'
    assert root.findtext(f".//{TASKS}WorkingDirectory") == str(nasty) and made.data[:2] in (b"\xff\xfe", b"\xfe\xff")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_understands_its_unit(nasty: Path) -> None:
    made = service("systemd", host(nasty, "/bin/echo"))
    unit = nasty.parent / Path(made.file).name

    def complaints(text: bytes) -> list[str]:
        unit.write_bytes(text)
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(nasty)}
        line = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
        done = subprocess.run(line, capture_output=True, text=True, env=environment)
        return [said for said in (done.stdout + done.stderr).split("\n") if unit.name in said]

    if not complaints(made.data.replace(b"RestartSec=60", b"RestartSec=soon")):
        pytest.skip("this systemd-analyze says nothing of a unit that is wrong")
    assert complaints(made.data) == []


def test_a_path_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    for kind in KINDS:
        with pytest.raises(GameError, match="contains a character"):
            service(kind, host(tmp_path / "a\nb"))


def test_the_command_writes_one_file_and_leaves_anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = tmp_path / "club"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert CliRunner().invoke(app, ["host", "init", str(club)]).exit_code == 0
    line = ["host", "install-service", str(club), "--for", "systemd"]
    unit = tmp_path / "config" / "systemd" / "user" / "pbem-club.service"
    shown = CliRunner().invoke(app, [*line, "--dry-run"])
    assert "ExecStart=" in shown.stdout and not unit.exists()
    told = CliRunner().invoke(app, line)
    assert "systemctl --user enable --now pbem-club" in told.stdout and "ExecStart=" in unit.read_text()
    assert CliRunner().invoke(app, line).exit_code == 0  # the same again
    unit.write_text("mine")
    assert isinstance(CliRunner().invoke(app, line).exception, GameError) and unit.read_text() == "mine"
    assert CliRunner().invoke(app, [*line[:-1], "upstart"]).exit_code == 2
