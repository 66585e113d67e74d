"""The companion module as it was last looked at: a digest of its build file, its help and each of its drawings.

`python -m tests.vassal_bridge.drawn` writes them anew; look at what it draws before you keep them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from pbem import __version__
from pbem.vassal_bridge.companion.module import build_module

FILE = Path(__file__).with_name("companion.sha256")


def digests() -> str:
    """A line for each file of the module; drawings are SVG, so that no renderer counts, and of whatever version."""
    entries = sorted(build_module(svg=True, scenarios=False).entries)
    return "".join(f"{hashlib.sha256(_timeless(name, data)).hexdigest()}  {name}\n" for name, data in entries)


def _timeless(name: str, data: bytes) -> bytes:
    return data.replace(__version__.encode(), b"VERSION") if name in ("buildFile.xml", "moduledata") else data


if __name__ == "__main__":
    FILE.write_text(digests(), encoding="ascii", newline="\n")
