"""Files by which the system keeps a host at work: a systemd user unit, a line for cron, a task of the Windows Task
Scheduler and a launchd agent. They are made from the folder and the program alone; nothing is switched on here.
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
"""Seconds between two rounds, or after a host that ended before it is started anew."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A ``file`` with its ``data``, the commands that switch it ``on`` and ``off``, and a word about it."""

    kind: Kind
    file: str
    data: bytes
    on: tuple[str, ...]
    off: tuple[str, ...]
    note: str


class HostProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A host's ``folder``, the ``program`` that runs it, the folder that is begun in, and the user's own ``home``.
    ``config`` is where systemd looks for the user's units.
    """

    folder: Path
    program: tuple[str, ...]
    begin: Path
    home: Path
    config: Path

    @property
    def name(self) -> str:
        """What the service is called: the folder's name in plain letters."""
        return "pbem-" + (re.sub(r"[^a-z0-9]+", "-", self.folder.name.casefold()).strip("-") or "host")

    @property
    def log(self) -> Path:
        """Where a round's lines go."""
        return self.folder / "mail" / "host.log"

    def words(self, *more: str) -> tuple[str, ...]:
        """The command, as the words it is given."""
        return (*self.program, "host", str(self.folder), *more)


def service(kind: Kind, host: HostProgram) -> Service:
    """The file of one system. Raises :class:`GameError` where a path cannot stand in it."""
    for path in (*host.program, str(host.folder), str(host.begin), str(host.home)):
        if not path.isprintable():
            text = f"{path!r} holds a sign that no service's file can have; move the folder to a plain name"
            raise GameError.saying("service", text, file=str(host.folder))
    return _MAKERS[kind](host)


def names(made: Service, host: HostProgram) -> bool:
    """Whether such a file is there and is this host's, whichever program wrote it. Raises :class:`GameError`."""
    file = Path(made.file)
    if not file.is_file():
        return False
    text = read_bytes(file).decode("utf-16" if made.kind == "windows" else "utf-8", "replace")
    return str(host.folder) in text.replace("%%", "%").replace("\\%", "%")


def _unit(text: str) -> str:
    """A word of a unit file, as systemd.syntax has it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _path(path: Path) -> str:
    """A path that is a setting's whole value: it is not taken apart, only ``%`` means something."""
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
    """The command for a shell, with the passwords' variables where there are any."""
    known = shlex.quote(str(host.home / PASSWORDS))
    sourced = f"set -a; if [ -f {known} ]; then . {known}; fi; set +a"
    return f"{sourced}; cd {shlex.quote(str(host.begin))} && {then}{shlex.join(host.words(*more))}"


def _cron(host: HostProgram) -> Service:
    # Cron ends a command at a percent sign. What goes to stderr it mails to whoever owns the table.
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
    # cmd takes the outer quotation marks away, and leaves those within.
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
