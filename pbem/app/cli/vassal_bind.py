"""bind: which counter of a VASSAL module stands for which unit, found and asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli.output import Json, arg, opened, opt, say
from pbem.counts import several

if TYPE_CHECKING:
    from pbem.vassal_bridge.proposing import Answer, Survey


def bind(
    module: Annotated[Path, arg("M.vmod", "The VASSAL module, of whomever.")],
    game: Annotated[
        Path | None, arg("[GAME]", "The game it is for; without one, all games that are laid on this module.")
    ] = None,
    output: Annotated[
        Path | None, opt("Where to write instead.", "-o", "--output", metavar="FILE", show_default=False)
    ] = None,
    yes: Annotated[bool, opt("Ask nothing: take the best guess, and say so.", "--yes", "-y")] = False,
    json: Json = False,
) -> None:
    """Look at any VASSAL module, find its map, its counters and how they face, ask about what is not sure, and write
    vassal.toml into the game's folder, or M.vassal.toml beside the module for all games. pbem export reads it.
    """
    from msgspec.structs import replace

    from pbem.app.cli.drawing import progress
    from pbem.games.storage.files import read_bytes, write_text
    from pbem.games.table import BINDING, general_file
    from pbem.vassal_bridge.binding import binding_text
    from pbem.vassal_bridge.export import open_module
    from pbem.vassal_bridge.proposing import survey

    with progress("looking at the module"):
        table = open_module(module)
        if game is None:
            found, file = survey(table), general_file(module)
        else:
            with opened(game) as folder:
                found, file = survey(table, folder.state()), game / BINDING
    asks = not yes and not json and at_terminal()
    chosen = _asked(found) if asks else {}
    binding = replace(found.binding(chosen), module=module.as_posix())
    file = output or file
    text, kept = binding_text(binding), file.with_name(f"{file.name}.old")
    before = read_bytes(file).decode("utf-8", "replace") if file.is_file() else text
    if before != text:
        write_text(kept, before)
    write_text(file, text)
    data: dict[str, Any] = {
        "file": file, "module": found.module, "map": found.map, "facing": found.facing, "counters": found.counters,
        "guessed": [] if asks else [answer.key for answer in found.questions], "lacking": found.lacking,
        "remarks": found.remarks, "binding": binding,
    }  # fmt: skip
    lines = _lines(found, module, file, game, asked=asks)
    if before != text:
        lines.insert(1, f"What was in it before is kept in {kept.name}.")
    say(data, "\n".join(lines), json=json)


def at_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def _asked(found: Survey) -> dict[str, str]:
    """What somebody at a terminal chooses for each question."""
    return {answer.key: _ask(answer) for answer in found.questions}


def _ask(answer: Answer) -> str:
    typer.echo(f"\n{answer.about}: which is it?")
    for number, choice in enumerate(answer.choices, 1):
        typer.echo(f"  {number}  {choice.about}{f' ({choice.why})' if choice.why else ''}")
    can_do_without = answer.key not in ("map", "facing")
    if can_do_without:
        typer.echo("  0  none of them")
    least = 0 if can_do_without else 1
    picked = typer.prompt("Number", default=1, type=int)
    while not least <= picked <= len(answer.choices):
        typer.echo(f"A number from {least} to {len(answer.choices)}, please.")
        picked = typer.prompt("Number", default=1, type=int)
    return answer.choices[picked - 1].value if picked else ""


def _lines(found: Survey, module: Path, file: Path, game: Path | None, *, asked: bool) -> list[str]:
    """What was found, what was guessed, and what is not there."""
    from pbem.games.typed import typed

    sure = [answer for answer in found.counters if answer.choices and answer.sure]
    guessed = [answer for answer in found.questions if not asked]
    lines = [f"{file}: {found.module}, on {found.map.choices[0].about}."]
    lines.append(f"Found beyond doubt: {len(sure)} of {several(len(found.counters), 'line')}.")
    if guessed:
        lines.append("Not sure, and guessed; look at these lines, or run it without --yes at a terminal:")
        for answer in guessed:
            best, others = answer.choices[0], len(answer.choices) - 1
            more = f", or one of {others} more" if others > 1 else ", or one more" if others else ""
            lines.append(f"  {answer.about}: {best.about}{f' ({best.why})' if best.why else ''}{more}")
    if found.lacking:
        lines.append(f"The module has nothing for: {', '.join(found.lacking)}.")
    lines += [f"{remark[0].upper()}{remark[1:]}." for remark in found.remarks]
    where = typed(game.as_posix()) if game is not None else "GAME"
    lines.append(f"What that places: pbem export {where} --module {typed(module.as_posix())} --try")
    return lines
