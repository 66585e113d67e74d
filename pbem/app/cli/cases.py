"""case: runs rule cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli.drawing import progress
from pbem.app.cli.output import FAULTY, Json, arg, opt, refusal, say
from pbem.counts import several


def case(
    files: Annotated[list[Path], arg("FILE…", "Case files or folders of them.")],
    exact: Annotated[
        bool, opt("Hold each case to its letter: every die given, every fault expected.", "--exact")
    ] = False,
    json: Json = False,
) -> None:
    """Run rule cases; one line each, and what differed."""
    from pbem.lab.rule_cases.runner import run_files

    missing = [file for file in files if not file.exists()]
    if missing:
        raise refusal("no-such-file", "there is no such case file or folder", file=str(missing[0]))
    empty = [file for file in files if file.is_dir() and not any(file.rglob("*.toml"))]
    if empty:
        raise refusal("no-cases", "there is no case file (.toml) in this folder", file=str(empty[0]))
    with progress("running cases") as told:
        results = run_files(files, exact=exact, progress=told)
    lines = []
    for result in results:
        lines.append(f"{'ok  ' if result.passed else 'FAIL'}  {result.name}")
        lines += [f"        {difference}" for difference in result.differences]
    failed = sum(not result.passed for result in results)
    lines.append(f"{several(len(results), 'case')}, {failed or 'none'} failed.")
    say({"cases": results, "failed": failed}, "\n".join(lines), json=json)
    if failed:
        raise typer.Exit(FAULTY)
