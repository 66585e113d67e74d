"""Files and folders that are one account's alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def private(path: Path) -> bool:
    """Whether a file or a folder is nobody else's; on Windows, where no mode says so, always."""
    return os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
