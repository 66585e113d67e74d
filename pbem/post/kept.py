"""Small files in which a host keeps what it must remember from one round to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pbem.desk.files import write_bytes

T = TypeVar("T")


def read_kept(file: Path, kind: type[T]) -> T | None:
    """What a file holds; ``None`` where there is none, or a damaged one."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError):
        return None


def keep(file: Path, value: Any, *, indent: bool = False) -> None:
    """Write a file that only the host may read, in lines for people if it is to be ``indent``-ed."""
    data = msgspec.json.encode(value)
    write_bytes(file, (msgspec.json.format(data, indent=1) if indent else data) + b"\n", private=True)
