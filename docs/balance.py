"""Makes the appendix of docs/computer-players.md: who wins each scenario and pair of ships among computer players.

    python docs/balance.py FOLDER [--processes N]

plays what docs/balance.toml names. The games are kept in FOLDER line by line; the same command goes on from there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from pbem.data.ships import ship_class  # noqa: E402
from pbem.lab.selfplay.match import Match, SelfPlayResult, mark_of, playable_sides, setting_of, verified  # noqa: E402
from pbem.lab.selfplay.run import run  # noqa: E402
from pbem.lab.selfplay.tally import outcome, rows, summed  # noqa: E402

PLAN, PAGE = HERE / "balance.toml", HERE / "computer-players.md"
TITLE = "## Appendix: which side wins, and how often\n"

HEAD = """\
The tables are made by `python docs/balance.py FOLDER`, by [`pbem lab`](#play-many-games-pbem-lab). An `{captain}`
commands every side, in {games} games each. The range in brackets holds the true figure in 95 of 100 such trials. A
game that is not over after {turns} turns is *called*, and nobody wins it.

The tables say how an `{captain}` does, not how good players would do. It knows one way to fight and looks no turn
ahead.
"""


def matches(plan: dict[str, Any]) -> list[tuple[dict[str, Any], list[Match]]]:
    """The tables of a plan, each with what is played for it."""
    found = []
    for table in plan["tables"]:
        games = [
            verified(
                Match(
                    scenario=one["scenario"],
                    captains=dict.fromkeys(playable_sides(setting_of(one["scenario"])), plan["captain"]),
                    ships=one.get("ships", {}),
                    turns=plan["turns"],
                )
            )
            for one in table["matches"]
        ]
        found.append((table, games))
    return found


def row_of(match: Match, games: Sequence[SelfPlayResult]) -> str:
    """A line of the table: what is played, each side's part of the games, what nobody won, the turns of a game."""
    setting, sums = setting_of(match.scenario), summed(games)
    classes = list(match.ships.values())
    pair = " against ".join(ship_class(key).name for key in classes)
    name = pair or f"#{match.scenario} {setting.title}"
    won_by = [[outcome(result) == "won" for result in game.results.values()] for game in games]
    drawn = sum(game.end != "called" and not any(won) for game, won in zip(games, won_by, strict=True))
    nobody = {"drawn": drawn, "called": sum(game.end == "called" for game in games)}
    parts = []
    for row in (row for row in rows(match, games) if row.side):
        place = list(match.captains).index(row.side)
        who = ship_class(classes[place]).name if classes else row.side
        rate = row.rate
        parts.append(f"{who} {100 * rate.part:.0f} % ({100 * rate.low:.0f} to {100 * rate.high:.0f})")
    rest = ", ".join(f"{what} {100 * count / len(games):.0f} %" for what, count in nobody.items() if count)
    return f"| {name} | {'; '.join(parts)} | {rest} | {sums.turns:.1f} | {len(games)} |"


def page(plan: dict[str, Any], played: dict[str, list[SelfPlayResult]]) -> str:
    """Return the text below the title of the appendix, from the games of each match by its mark."""
    lines = ["", HEAD.format(**plan)]
    refused = total = 0
    for table, games in matches(plan):
        lines += [f"### {table['title']}", ""]
        lines += [table["about"], ""] if "about" in table else []
        lines += ["| what is played | won | nobody | turns | games |", "|---|---|---|--:|--:|"]
        for match in games:
            found = played[mark_of(match)]
            lines.append(row_of(match, found))
            sums = summed(found)
            refused += sums.illegal + sums.resigned
            total += len(found)
        lines.append("")
    lines += [f"In these {total} games {refused or 'no'} orders were refused.", ""]
    if plan["learnt"]:
        lines += ["### What the tables show", "", *(f"* {one}" for one in plan["learnt"]), ""]
    return "\n".join(lines)


def main() -> None:
    """Play the games that are missing, and write the appendix."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--processes", type=int, default=1)
    given = asked.parse_args()
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    given.folder.mkdir(parents=True, exist_ok=True)
    played = {}
    for _, games in matches(plan):
        for match in games:
            mark = mark_of(match)
            file = given.folder / f"{mark}.jsonl"
            played[mark] = run(match, plan["games"], file=file, processes=given.processes)
            print(row_of(match, played[mark]), flush=True)
    before = PAGE.read_text(encoding="utf-8").partition(TITLE)[0]
    PAGE.write_text(before + TITLE + page(plan, played), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
