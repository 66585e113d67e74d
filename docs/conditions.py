"""Writes the tables of activities and of conditions in orders.md from their classes in pbem/orders.

python docs/conditions.py           writes the tables
python docs/conditions.py --check   says whether they are up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "orders.md"
ACTIVITIES = "| activity | |\n|---|---|\n"
HEAD = "| condition | true when |\n|---|---|\n"


def document() -> str:
    """The page, with the tables as the activities and the kinds of conditions describe themselves."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from pbem.orders.activities import VERBS
    from pbem.orders.conditions import KINDS

    page = PAGE.read_text(encoding="utf-8")
    page = with_table(page, ACTIVITIES, [row for activity in VERBS.values() for row in activity.guide])
    return with_table(page, HEAD, [row for kind in KINDS for row in kind.guide])


def with_table(page: str, head: str, rows: list[tuple[str, str]]) -> str:
    """The page with these rows in the table that begins with ``head``."""
    before, _, rest = page.partition(head)
    after = rest[rest.index("\n\n") + 1 :]
    lines = [f"| {written} | {f'{said} ' if said else ''}|\n" for written, said in rows]
    return f"{before}{head}{''.join(lines)}{after}"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == document() else "docs/orders.md is out of date")
    PAGE.write_text(document(), encoding="utf-8", newline="\n")
