"""Write the files with which systemd, cron, Windows Task Scheduler or launchd runs a host.

Their contents depend only on the host's folder and the installed program. This module only makes texts; it does
not switch a service on.
"""

from __future__ import annotations

import plistlib
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal, get_args
from xml.sax.saxutils import escape

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import read_bytes
from pbem.mail.transport.passwords import FILE as PASSWORDS

Kind = Literal["systemd", "cron", "windows", "launchd"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
EVERY: Final = 60
"""Seconds between two rounds of a host, or before a host that ended is restarted."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A service file for the operating system.

    Attributes:
        kind: The scheduler that the file is for.
        file: The path of the file.
        data: Its contents.
        on: The shell commands that switch the service on.
        off: The shell commands that switch it off.
        note: A sentence for the user.
    """

    kind: Kind
    file: str
    data: bytes
    on: tuple[str, ...]
    off: tuple[str, ...]
    note: str


class HostProgram(msgspec.Struct, frozen=True, kw_only=True):
    """The command that runs a host, and the folders it uses.

    Attributes:
        folder: The host's folder.
        program: The command that runs pbem, as separate words.
        begin: The folder in which the command is started.
        home: The user's home folder.
        config: The folder in which systemd looks for the user's units.
    """

    folder: Path
    program: tuple[str, ...]
    begin: Path
    home: Path
    config: Path

    @property
    def name(self) -> str:
        """The name of the service: ``pbem-`` and the folder's name in plain letters."""
        return "pbem-" + (re.sub(r"[^a-z0-9]+", "-", self.folder.name.casefold()).strip("-") or "host")

    @property
    def log(self) -> Path:
        """Path of the file that receives the program's output."""
        return self.folder / "mail" / "host.log"

    def words(self, *more: str) -> tuple[str, ...]:
        """Return the command line that runs the host, with further arguments, as separate words."""
        return (*self.program, "host", str(self.folder), *more)


def service(kind: Kind, host: HostProgram) -> Service:
    """Return the service file for one operating system's scheduler.

    Raises:
        GameError: A path contains a character that a service file cannot have.
    """
    for path in (*host.program, str(host.folder), str(host.begin), str(host.home)):
        if not path.isprintable():
            text = f"rename the folder: {path!r} has a character that a service file cannot contain"
            raise GameError.saying("service", text, file=str(host.folder))
    return _MAKERS[kind](host)


def names(made: Service, host: HostProgram) -> bool:
    """Return whether this service's file exists and runs this host.

    It may run the host with another installed pbem program.

    Raises:
        GameError: The file cannot be read.
    """
    file = Path(made.file)
    if not file.is_file():
        return False
    text = read_bytes(file).decode("utf-16" if made.kind == "windows" else "utf-8", "replace")
    return str(host.folder) in text.replace("%%", "%").replace("\\%", "%")


def _unit(text: str) -> str:
    """Return a word quoted for a systemd unit file."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _path(path: Path) -> str:
    """Return a path for a systemd setting that contains only a path, so only ``%`` must be escaped."""
    return str(path).replace("%", "%%")


def _systemd(host: HostProgram) -> Service:
    lines = [
        f"# Made by `pbem host install-service`; it runs the host in {_path(host.folder)}.",
        "[Unit]",
        "Description=Star Fleet Battles by e-mail",
        "After=network-online.target",
        "",
        "[Service]",
        f"EnvironmentFile=-{_path(host.home / PASSWORDS)}",
        f"WorkingDirectory={_path(host.begin)}",
        f"ExecStart={' '.join(_unit(word) for word in host.words())}",
        "Restart=always",
        f"RestartSec={EVERY}",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return Service(
        kind="systemd",
        file=str(host.config / "systemd" / "user" / f"{host.name}.service"),
        data=("\n".join(lines) + "\n").encode(),
        on=("systemctl --user daemon-reload", f"systemctl --user enable --now {host.name}", "loginctl enable-linger"),
        off=(f"systemctl --user disable --now {host.name}",),
        note=f"`journalctl --user -u {host.name}` shows its log. Without enable-linger it ends when you log out.",
    )


def _shell(host: HostProgram, *more: str, then: str = "") -> str:
    """Return the shell command that runs the host, after reading the file with passwords if there is one.

    ``more`` are further arguments of the host, ``then`` is a prefix of the command such as ``exec``.
    """
    passwords = shlex.quote(str(host.home / PASSWORDS))
    sourced = f"set -a; if [ -f {passwords} ]; then . {passwords}; fi; set +a"
    return f"{sourced}; cd {shlex.quote(str(host.begin))} && {then}{shlex.join(host.words(*more))}"


def _cron(host: HostProgram) -> Service:
    # A percent sign ends the command in a crontab. Cron mails the output on stderr to the owner of the crontab.
    line = f"{_shell(host, '--once')} >> {shlex.quote(str(host.log))}".replace("%", "\\%")
    file = host.folder / "mail" / "service.cron"
    return Service(
        kind="cron",
        file=str(file),
        data=f"* * * * * {line}\n".encode(),
        on=(f"(crontab -l 2>/dev/null; cat {shlex.quote(str(file))}) | crontab -",),
        off=("crontab -e",),
        note="Cron mails you what is not in order, when it begins and once a day.",
    )


def _windows(host: HostProgram) -> Service:
    log = subprocess.list2cmdline([str(host.log)])
    # cmd removes the outer quotation marks and keeps the inner ones.
    run = escape(f'/c "{subprocess.list2cmdline(host.words("--once"))} >> {log} 2>&1"')
    begin = escape(str(host.begin))
    text = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Star Fleet Battles by e-mail</Description></RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <Repetition><Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition>
      <StartBoundary>2020-01-01T00:00:00</StartBoundary>
      <Enabled>true</Enabled>
    </TimeTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <Enabled>true</Enabled>
  </Settings>
  <Actions Context="Author">
    <Exec><Command>cmd</Command><Arguments>{run}</Arguments><WorkingDirectory>{begin}</WorkingDirectory></Exec>
  </Actions>
  <Principals>
    <Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>
  </Principals>
</Task>
"""
    file = host.folder / "mail" / "service.xml"
    named = subprocess.list2cmdline([str(file)])
    return Service(
        kind="windows",
        file=str(file),
        data=text.replace("\n", "\r\n").encode("utf-16"),
        on=(f"schtasks /Create /TN {host.name} /XML {named}",),
        off=(f"schtasks /Delete /TN {host.name}",),
        note="It runs while you are logged in.",
    )


def _launchd(host: HostProgram) -> Service:
    label = f"org.pbem.{host.name.removeprefix('pbem-')}"
    agent = {
        "Label": label,
        "ProgramArguments": ["/bin/sh", "-c", _shell(host, then="exec ")],
        "RunAtLoad": True,
        "KeepAlive": True,
        "ThrottleInterval": EVERY,
        "StandardOutPath": str(host.log),
        "StandardErrorPath": str(host.log),
    }
    file = host.home / "Library" / "LaunchAgents" / f"{label}.plist"
    return Service(
        kind="launchd",
        file=str(file),
        data=plistlib.dumps(agent),
        on=(f"launchctl bootstrap gui/$(id -u) {shlex.quote(str(file))}",),
        off=(f"launchctl bootout gui/$(id -u)/{label}",),
        note="It runs while you are logged in.",
    )


_MAKERS: Final[Mapping[Kind, Callable[[HostProgram], Service]]] = {
    "systemd": _systemd,
    "cron": _cron,
    "windows": _windows,
    "launchd": _launchd,
}
