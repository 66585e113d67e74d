"""Libraries a part of the program needs and may lack: how they are had."""

from __future__ import annotations

import sys
from pathlib import Path


def fetching(*libraries: str, extra: str = "", commands: bool = False) -> str:
    """The command that puts libraries beside this program; by pip they may be had as an ``extra`` of its own. A program
    that was installed by pipx sees only what is put beside it there, and a library's own ``commands`` are to be named.
    """
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return f"pipx inject {'--include-apps ' * commands}pbem {' '.join(libraries)}"
    return f"pip install 'pbem[{extra}]'" if extra else f"pip install {' '.join(libraries)}"
