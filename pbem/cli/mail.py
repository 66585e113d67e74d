"""mail read, answer, accept: how a letter is understood, what it is answered, and letting one in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.output import Json, arg, columns, opt, print_json, say, tell_faults
from pbem.cli.sections import Commands, Sections

if TYPE_CHECKING:
    from pbem.post.intake import Taken
    from pbem.post.letters import Letter

TRY_AGAIN = 75
"""Exit code by which procmail, Postfix and their like keep a letter and hand it over once more (EX_TEMPFAIL)."""

mail = Commands(
    cls=Sections,
    help="Letters: how one is understood, and what it is answered.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@mail.command()
def read(files: Annotated[list[Path], arg("FILE…", "Letters (.eml).")], json: Json = False) -> None:
    """Show how a letter is understood: who wrote it, and the text of its orders. Changes nothing."""
    from pbem.post.letters import read_letter
    from pbem.post.mailbox import read_file

    letters = [read_letter(read_file(path)) for path in files]
    if json:
        print_json({"letters": letters})
        return
    for path, letter in zip(files, letters, strict=True):
        typer.echo(_letter_text(path, letter))


_KINDS = {
    "orders": "orders",
    "command": "a command",
    "bounce": "a mail system's notice; it is never answered",
    "auto": "written by a machine; it is never answered",
    "own": "our own mail; it is never answered",
    "empty": "no orders and no command",
}


def _letter_text(path: Path, letter: Letter) -> str:
    rows = [
        ("from", letter.sender or "(nobody, or more than one)"),
        ("to", ", ".join(letter.to)),
        ("subject", letter.subject),
        ("date", letter.date),
        ("id", letter.message_id),
        ("answers", " ".join(letter.references)),
        ("is", _KINDS[letter.kind] + (f": {letter.command} {letter.argument}".rstrip() if letter.command else "")),
        ("text", f"from {letter.source}" if letter.source else ""),
        *(("note", fault) for fault in letter.faults),
    ]
    lines = [f"{path}", *columns((name, value) for name, value in rows if value)]
    body = letter.text.strip("\n")
    return "\n".join([*lines, *(f"  | {line}".rstrip() for line in body.split("\n"))] if body else lines) + "\n"


@contextmanager
def _or_again(*, json: bool) -> Iterator[None]:
    """Where a game is being worked on the letter is to be handed over again."""
    from pbem.faults import GameError

    try:
        yield
    except GameError as error:
        if any(fault.code == "game-locked" for fault in error.faults):
            tell_faults(error.faults, json=json)
            raise typer.Exit(TRY_AGAIN) from None
        raise


Folder = Annotated[Path, arg("DIR", "A host's folder, a game, or a folder of games.")]


@mail.command()
def answer(
    folder: Folder,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The letter; without it standard input.", readable=False)
    ] = None,
    json: Json = False,
) -> None:
    """Take one letter in and put its answers into the outbox. For a pipe: `pbem mail answer DIR < letter.eml`.

    Exit code 75 means that a game is being worked on: hand the letter over again later.
    """
    from pbem.post.intake import games_of, outbox_of, take_in_all
    from pbem.post.mailbox import OneLetter

    source = OneLetter(file)
    with _or_again(json=json):
        games = games_of(folder, datetime.now(UTC))
        taken = list(take_in_all(source, games, outbox_of(folder, games)))
    if source.left:
        typer.echo("Another command is at work on this game; hand the letter over again.", err=True)
        raise typer.Exit(TRY_AGAIN)
    if not taken:
        typer.echo("There is no letter to answer.", err=True)
        raise typer.Exit(2 if sys.stdin.isatty() else 0)
    say({"taken": taken}, "\n".join(_taken_text(one) for one in taken), json=json)


@mail.command()
def accept(
    folder: Folder,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The letter; one in quarantine/ by that name.", show_default=False)
    ],
    game: Annotated[str, opt("Its game, where the letter does not say it.", metavar="NAME")] = "",
    side: Annotated[str, opt("Its side, where the letter does not say it.", metavar="SIDE")] = "",
    json: Json = False,
) -> None:
    """Let in a letter that was put aside: do what it asks for, as if its token and address were right.

    The answer goes to the player's own address. Exit code 75 means that a game is being worked on: try again.
    """
    from pbem.post.intake import accept as let_in, games_of, outbox_of

    with _or_again(json=json):
        games = games_of(folder, datetime.now(UTC))
        taken = let_in(file, games, outbox_of(folder, games), game=game, side=side)
    say({"taken": taken}, _taken_text(taken), json=json)


def _taken_text(one: Taken) -> str:
    entry = one.entry
    if one.again:
        return f"This letter was taken in before ({entry.done}); nothing was done."
    what = {
        "orders": f"Orders of {entry.side} in {entry.game}: filed.",
        "fault": f"Orders of {entry.side} in {entry.game}: not filed.",
        "command": f"A command of {entry.side} in {entry.game}.",
        "empty": f"A letter of {entry.side} in {entry.game} without orders.",
        "word": f"A word of {entry.side} in {entry.game}.",
        "trouble": f"Something is wrong here: {entry.why}.",
        "quarantine": f"Put aside, because {entry.why}.",
        "bounce": f"A mail system's notice: {entry.why}.",
        "auto": "Written by a machine; not answered.",
        "own": "Our own mail; not answered.",
    }[entry.done]
    lines = [what, *(f"  to {reply.to or 'the umpire'}: {reply.subject}" for reply in one.replies)]
    return "\n".join([*lines, f"  kept as {entry.file}"] if entry.file else lines)
