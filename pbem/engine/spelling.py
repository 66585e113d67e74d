"""What people write in a case for what docs/cases.md calls otherwise: ``shield_1``, ``left warp``, ``ph1``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from pbem.data import files
from pbem.data.files import NotToml, parse_toml
from pbem.patterns import regex


@cache
def state_paths() -> dict[str, dict[str, str]]:
    """What each path says, by what it is a path of (:func:`pbem.engine.paths.paths_for`), and other ``spellings``."""
    file = Path(files.__file__).with_name("state_paths.toml")
    return files.parsed_file(file, "file of state paths", file.name)


STRINGS = regex(
    r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*'
    r'|;(?=[ \t]*(?:[\w.-]+|"[^"\n]*")[ \t]*=)'
)
"""What may hold a semicolon or is one, in the text of a case: strings, comments, and those before a key."""


def loads(text: str) -> dict[str, Any]:
    """The tables of a case file. Several keys may stand on one line with ``;`` between them, as in short notation.

    Raises :class:`~pbem.data.files.NotToml` where it is no TOML even so.
    """
    try:
        return parse_toml(text)
    except NotToml as error:
        try:
            return parse_toml(STRINGS.sub(lambda found: "\n" if found[0] == ";" else found[0], text))
        except NotToml:
            raise error from None


def path_as_meant(path: str) -> str:
    """The path that another spelling of it means: small letters, blanks for ``_`` and ``-``, one name for a thing."""
    words = " ".join(path.casefold().replace("_", " ").replace("-", " ").split())
    words = re.sub(r"^(?:shields? ?)?#? ?([1-6])$", r"shield \1", words)
    words = re.sub(r"^reinforcement #", "reinforcement ", words)
    words = re.sub(r"^((?:fired )?(?:ph|phaser|drn|drone|rack)) ?(\d+)$", r"\1 \2", words)
    words = re.sub(r"^((?:fired )?(?:phot|photon|disr|disruptor|plas|plasma)) ?([a-d])$", r"\1 \2", words)
    return state_paths()["spellings"].get(words, words)


def near(word: str, known: Iterable[str]) -> str:
    """``; did you mean …?`` where something known is spelled much like it, else nothing."""
    by_letters = {name.casefold(): name for name in sorted(known)}
    close = difflib.get_close_matches(word.casefold(), list(by_letters), n=1)
    return f"; did you mean {by_letters[close[0]]}?" if close else ""
