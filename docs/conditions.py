"""Writes the table of conditions in orders.md from the kinds in pbem/orders/conditions.py.

python docs/conditions.py           writes the table
python docs/conditions.py --check   says whether it is up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "orders.md"
HEAD = "| condition | true when |\n|---|---|\n"


def document() -> str:
    """The page, with the table as the kinds of conditions describe themselves."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from pbem.orders.conditions import KINDS

    before, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    after = rest[rest.index("\n\n") + 1 :]
    rows = [f"| {written} | {f'{when} ' if when else ''}|\n" for kind in KINDS for written, when in kind.guide]
    return f"{before}{HEAD}{''.join(rows)}{after}"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == document() else "docs/orders.md is out of date")
    PAGE.write_text(document(), encoding="utf-8", newline="\n")
