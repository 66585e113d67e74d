"""The whole of what comes of every rule case, for the byte: a case asserts what it is about, this holds all the rest.

    python tests/golden/cases.py                        writes cases.sha256 anew; read what changed before you keep it
    python tests/golden/cases.py tests/cases/E/x.toml   prints what is digested of a case, to compare with another day's

Of each case that is played: every record of the log (secret parts and what others see instead), the state at the end,
and what the check said of every side's orders: faults, the verdict of each line, balance, form, the course line by
line, notes. A case that only looks up is held by its answers.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine import events as ev  # noqa: E402
from pbem.engine.checking.check import CheckResult  # noqa: E402
from pbem.engine.log import encode_records, encode_state  # noqa: E402
from pbem.lab.rule_cases import run_file  # noqa: E402
from pbem.lab.rule_cases.play import CasePlay  # noqa: E402

CASES = ROOT / "tests" / "cases"
FILE = Path(__file__).with_suffix(".sha256")
LENGTH = 16
"""Characters of a digest that are kept: nobody forges them, and the file stays small."""


def name_of(path: Path) -> str:
    """A case by its file, as the tests name it."""
    return path.relative_to(CASES).with_suffix("").as_posix()


def said(checked: CheckResult) -> Iterator[str]:
    """What the check said, a line for everything."""
    yield from (f"fault {fault!r}" for fault in checked.faults)
    yield from (f"{line.verdict} {line.line} {line.text} | {line.why}" for line in checked.lines)
    for name in sorted(checked.balance):
        yield from (f"balance {name} {line!r}" for line in checked.balance[name])
    for name in sorted(checked.form):
        yield from (f"form {name} {line}" for line in checked.form[name])
    for name in sorted(checked.plots):
        yield from (f"plot {name} {step!r}" for step in checked.plots[name])
    yield from (f"note {note}" for note in checked.notes)
    yield from (f"stale {unit} {text} | {why}" for (unit, text), why in sorted(checked.stale.items()))


def whole(played: CasePlay) -> str:
    """All that came of a case, as text."""
    parts = ["\n".join(said(checked)) for checked in played.checked]
    if played.refused is not None:
        parts.append("\n".join(f"refused {played.refused.side} {fault!r}" for fault in played.refused.faults))
    parts += [encode_records(played.records).decode(), encode_state(played.state).decode()]
    return "\n---\n".join(parts)


NEVER = ("it can never", "its condition can never")
"""How the check begins what it says of an order that will do nothing."""


class Witness:
    """Keeps what was played of one case; nothing of one that only looks up."""

    def __init__(self) -> None:
        self.whole = ""
        self.told_otherwise: set[tuple[int, str]] = set()
        """Orders that acted, although the check said that they never can."""

    def __call__(self, played: CasePlay) -> None:
        self.whole = whole(played)
        told = [record.event for record in played.records if isinstance(record.event, ev.OrderTold)]
        lines = [line for checked in played.checked for line in checked.lines]
        never = {(line.line, line.text) for line in lines if line.why.startswith(NEVER)}
        self.told_otherwise = never & {(one.line, one.order) for one in told if one.result in ("acted", "broke")}

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.whole.encode()).hexdigest()[:LENGTH] if self.whole else ""


def kept() -> dict[str, str]:
    """The digests that are kept, by name of the case."""
    lines = FILE.read_text(encoding="ascii").splitlines() if FILE.exists() else []
    return {name: value for value, name in (line.split("  ") for line in lines)}


def refresh() -> Path:
    """Write all digests anew."""
    found = []
    for path in sorted(CASES.rglob("*.toml")):
        witness = Witness()
        run_file(path, exact=True, witness=witness)
        if witness.whole:
            found.append(f"{witness.digest}  {name_of(path)}\n")
    FILE.write_text("".join(found), encoding="ascii", newline="\n")
    return FILE


if __name__ == "__main__":
    if not sys.argv[1:]:
        print(refresh())
    for each in sys.argv[1:]:
        one = Witness()
        run_file(Path(each), exact=True, witness=one)
        print(one.whole)
