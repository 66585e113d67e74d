"""Counts all legal plots to a depth from published positions: a change of movement that nobody meant shows here.

    python tests/golden/perft.py             counts anew and says what differs from perft.toml
    python tests/golden/perft.py --write     writes the new counts into perft.toml; look at the diff

A plot of depth n is n codes (F, L, R, SL, SR), each legal where its hex comes: turn mode (C3), slip mode (C4), and
on the map (C1.1).
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.data.ships import ship_class  # noqa: E402
from pbem.engine.on_file import altered  # noqa: E402
from pbem.engine.options import Options  # noqa: E402
from pbem.engine.play.setup import new_ship  # noqa: E402
from pbem.engine.state import FULFILLED, Ship, State  # noqa: E402
from pbem.engine.steps.steering import entered, legal_codes  # noqa: E402
from pbem.rules.movement import after_step  # noqa: E402

FILE = Path(__file__).with_name("perft.toml")


class Position(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship somewhere, as it moves: ``counts`` are the legal plots of 1, 2, 3 … codes."""

    name: str
    ship: str
    at: str
    speed: int
    since_turn: int = FULFILLED
    since_slip: int = FULFILLED
    sideslip: bool = True
    map: tuple[str, str] = ("0101", "2817")
    grid: str = "even"
    counts: tuple[int, ...]

    def begin(self) -> tuple[State, Ship]:
        """The position as the engine knows it."""
        options = Options(sideslip=self.sideslip)
        state = State(map=self.map, grid=self.grid, impulses=32, options=options)
        ship = new_ship(ship_class(self.ship), name="Ship", side="", hex=self.at[:4], facing=self.at[4:])
        changes = {"speed": self.speed, "since_turn": self.since_turn, "since_slip": self.since_slip}
        return state, altered(ship, **changes)


def positions() -> list[Position]:
    """The published positions."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return msgspec.convert(raw["position"], list[Position])


def perft(position: Position, depth: int) -> int:
    """How many plots of ``depth`` codes are legal from a position."""
    state, begun = position.begin()

    @cache
    def count(hex_: str, facing: str, since_turn: int, since_slip: int, left: int) -> int:
        if not left:
            return 1
        ship = msgspec.structs.replace(begun, hex=hex_, facing=facing, since_turn=since_turn, since_slip=since_slip)
        found = 0
        for code in legal_codes(state, ship):
            there, faced = entered(state, ship, code)
            found += count(there, faced, *after_step(code, since_turn, since_slip), left - 1)
        return found

    return count(begun.hex, begun.facing, begun.since_turn, begun.since_slip, depth)


def counted(position: Position) -> tuple[int, ...]:
    """The counts of a position as they are now, to the depth that is published."""
    return tuple(perft(position, depth) for depth in range(1, len(position.counts) + 1))


def by_first_code(position: Position, depth: int) -> dict[str, int]:
    """The plots of ``depth`` codes by their first code: where a count differs, this says on which way."""
    state, ship = position.begin()
    found = {}
    for code in legal_codes(state, ship):
        there, faced = entered(state, ship, code)
        turn, slip = after_step(code, ship.since_turn, ship.since_slip)
        after = msgspec.structs.replace(position, at=there + faced, since_turn=turn, since_slip=slip)
        found[code] = perft(after, depth - 1)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Counts all legal plots from the published positions.")
    parser.add_argument("--write", action="store_true", help="write the new counts into perft.toml")
    wanted = parser.parse_args()
    text, differ = FILE.read_text(encoding="utf-8"), 0
    for position in positions():
        counts = counted(position)
        same = counts == position.counts
        differ += not same
        print(f"{'ok  ' if same else 'NEW '}  {position.name}: {', '.join(map(str, counts))}")
        if not same:
            print(f"      was {', '.join(map(str, position.counts))}; by code {by_first_code(position, len(counts))}")
            line = rf'(name = "{re.escape(position.name)}"\n(?:(?!\[\[)[^\n]*\n)*?counts = )\[[^\]]*\]'
            text = re.sub(line, lambda match, new=counts: f"{match[1]}[{', '.join(map(str, new))}]", text)  # type: ignore[misc]
    if wanted.write:
        FILE.write_text(text, encoding="utf-8", newline="\n")
        return 0
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
