"""Writes keys and defaults into docs/settings.md, from the structs that read each file; the descriptions stay.

python docs/settings.py           writes the page, and says which keys lack a description
python docs/settings.py --check   says whether it is up to date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.engine.options import Options  # noqa: E402
from pbem.games.site import SiteSettings  # noqa: E402
from pbem.games.storage.terms import DiceTerms, SideTerms, Terms  # noqa: E402
from pbem.mail.host.deadlines import Rule  # noqa: E402
from pbem.mail.people import People, Person  # noqa: E402
from pbem.mail.settings import Host, Letters, Smtp  # noqa: E402
from pbem.mail.transport.imap import Account  # noqa: E402
from pbem.mail.transport.oauth import OAuth  # noqa: E402
from pbem.vassal_bridge.binding import Binding  # noqa: E402

PAGE = ROOT / "docs" / "settings.md"
Struct = type[msgspec.Struct]
TABLES: dict[str, dict[str, Struct]] = {
    "host.toml": {"": Host, "inbox.": Account, "smtp.": Smtp, "oauth.": OAuth, "deadlines.": Rule, "letters.": Letters},
    "players.toml": {"": People, "people.KEY.": Person},
    "game.toml": {"": Terms, "sides.SIDE.": SideTerms, "options.": Options, "dice.": DiceTerms},
    "site.toml": {"": SiteSettings},
    "vassal.toml": {"": Binding},
}
"""For each file the structs that read its tables, by the prefix of their keys."""
BESIDE = {"inbox.kind": "", "inbox.path": ""}
"""Keys that are in no struct: an inbox that is a folder."""
TABLES_OF_HOST = {"inbox", "smtp", "oauth", "deadlines", "letters"}
"""Tables that have no row, because they have a table of their own."""
ROW = re.compile(r"^\| `([\w.]+)` \|([^|]*)\| ?(.*?) ?\|$", re.MULTILINE)


def defaults(file: str) -> dict[str, str]:
    """Every key of a file, with its default as a cell of the table; empty for a key that is required."""
    fields = {
        prefix + field.name: _cell(field)
        for prefix, struct in TABLES[file].items()
        for field in msgspec.structs.fields(struct)
    }
    return {key: cell for key, cell in fields.items() if key not in TABLES_OF_HOST} | (
        BESIDE if file == "host.toml" else {}
    )


def _cell(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return ""
    made = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    value = msgspec.json.decode(msgspec.json.encode(made))
    if isinstance(value, dict) or value in ("", [], None):
        return "" if field.name in ("options", "dice") else "none"
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The chapters of the page: the file that each is about (or an empty text), and its text."""
    for part in re.split(r"(?m)^(?=## )", text):
        head = re.match(r"## ([\w.]+)", part)
        yield (head[1] if head and head[1] in TABLES else ""), part


def document() -> str:
    """The page with the keys and defaults of today: keys that ended are gone, new ones wait for a description."""
    return "".join(_chapter(file, part) for file, part in sections(PAGE.read_text(encoding="utf-8")))


def _chapter(file: str, part: str) -> str:
    if not file:
        return part
    known = defaults(file)

    def row(found: re.Match[str]) -> str:
        key, about = found[1], found[3]
        return f"| `{key}` | {known[key]} | {about} |".replace("|  |", "| |") if key in known else ""

    text = ROW.sub(row, part)
    said = {found[1] for found in ROW.finditer(text)}
    new = "".join(f"| `{key}` | {cell} | |\n".replace("|  |", "| |") for key, cell in known.items() if key not in said)
    return re.sub(r"\n\|---\|---\|---\|\n", lambda head: head[0] + new, text, count=1)


def undescribed() -> list[str]:
    """The keys of the page that have no description; `format` needs none."""
    text = PAGE.read_text(encoding="utf-8")
    return [found[1] for found in ROW.finditer(text) if not found[3].strip() and found[1] != "format"]


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == document() else "docs/settings.md is out of date")
    PAGE.write_text(document(), encoding="utf-8", newline="\n")
    if missing := undescribed():
        sys.exit(f"docs/settings.md lacks a description of {', '.join(missing)}")
