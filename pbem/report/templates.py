"""Where the templates of reports are: the checkout's ``templates/``, or the copy inside an installed package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.faults import GameError

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment


def templates_folder() -> Path:
    """The folder of the templates. Raises :class:`GameError` if the installation has none."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_data" / "templates", package.parent / "templates"):
        if (folder / "report.html.j2").is_file():
            return folder
    raise GameError.saying(
        "no-templates",
        "the report templates are missing from this installation; install the package again.",
    )


@cache
def environment() -> Environment:
    """Jinja2 with everything escaped and nothing undefined passed over."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(templates_folder(), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        bytecode_cache=_compiled_before(),
    )
    return made


def _compiled_before() -> BytecodeCache | None:
    """Jinja2's own store of compiled templates, in the user's temporary folder: compiling takes longer than a turn.

    Where there is no such folder that is safe (Jinja2 looks at its owner), templates are compiled each time.
    """
    from jinja2 import FileSystemBytecodeCache

    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):
        return None
