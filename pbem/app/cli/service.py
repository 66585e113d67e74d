"""host install-service: the file by which this system keeps a host at work."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pbem
from pbem.app.cli.club import Club
from pbem.app.cli.output import Json, opt, refusal, say

if TYPE_CHECKING:
    from pbem.mail.host.service import Host as Served


def install_service(
    folder: Club,
    kind: Annotated[str, opt("systemd, cron, windows or launchd; else that of this machine.", "--for")] = "",
    dry: Annotated[bool, opt("Show the file and write nothing.", "--dry-run")] = False,
    json: Json = False,
) -> None:
    """Write the file by which this system keeps the host at work, and say which command switches it on.

    Nothing is switched on by it. It does not see the variables of your shell: what passwords it lacks is told.
    """
    from pbem.games.storage.files import read_bytes, write_bytes
    from pbem.mail.host.service import KINDS, service
    from pbem.mail.settings import passwords_wanted, read_host
    from pbem.mail.transport.passwords import how_for_service, lacking

    passwords = passwords_wanted(read_host(folder))
    wanted = kind or _system()
    found = next((one for one in KINDS if one == wanted), None)
    if found is None:
        raise typer.BadParameter(f"{wanted!r} is none of {', '.join(KINDS)}", param_hint="--for")
    made = service(found, _served(folder))
    file = Path(made.file)
    shown = made.data.decode("utf-16" if made.kind == "windows" else "utf-8").replace("\r\n", "\n")
    if not dry:
        if file.exists() and read_bytes(file) != made.data:
            said = (
                "there is another one already; it was left as it is. Move it away first (--dry-run shows the new one)"
            )
            raise refusal("not-empty", said, file=str(file))
        write_bytes(file, made.data, private=True)
    lines = [f"{file} would hold:", "", shown] if dry else [f"{file} is written."]
    lines += ["This switches it on:", *(f"    {line}" for line in made.on)]
    lines += ["and this off:", *(f"    {line}" for line in made.off), made.note]
    warned = f"Here {made.kind} does not run: with --for {_system()} it is another file." * (not _runs(made.kind))
    lines += ["", warned] if warned else []
    if told := list(how_for_service(passwords)):
        lines += ["", *told]
    data = {
        "kind": made.kind, "file": file, "text": shown, "on": made.on, "off": made.off, "written": not dry,
        "lacks": [one.variable for one in lacking(passwords)], "warning": warned,
    }  # fmt: skip
    say(data, "\n".join(lines), json=json)


_BOOTED = Path("/run/systemd/system")
"""Is there where systemd runs the machine (sd_booted(3)), and not where it is only installed, as in a container."""


def _system() -> str:
    """What keeps programs at work on this machine."""
    return {"darwin": "launchd", "win32": "windows"}.get(sys.platform, "systemd" if _BOOTED.is_dir() else "cron")


def _runs(kind: str) -> bool:
    """Whether a file of this kind does anything here; cron may be anywhere but on Windows."""
    return kind == _system() or (kind == "cron" and sys.platform != "win32")


def services(folder: Path) -> list[Path]:
    """The files that are written by which the system may run this host; of another club of that name they are not."""
    from pbem.errors import GameError
    from pbem.mail.host.service import KINDS, names, service

    served = _served(folder)
    with suppress(GameError):  # no file can name such a folder
        return [Path(made.file) for kind in KINDS if names(made := service(kind, served), served)]
    return []


def _served(folder: Path) -> Served:
    """The host's folder, and the program this command was given to, as a service needs them."""
    from pbem.mail.host.service import Host as Making

    door, home = Path(sys.argv[0]), Path.home()
    installed = door.name in ("pbem", "pbem.exe") and door.is_file()
    program = (str(door.absolute()),) if installed else (sys.executable, "-m", "pbem")
    begin = home if installed else Path(pbem.__file__).parents[1]
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Making(folder=folder.absolute(), program=program, begin=begin, home=home, config=config)
