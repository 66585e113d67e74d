"""The commands mail read, answer, accept and failed, which process single emails and failed sends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.app.cli.help import Commands, Sections
from pbem.app.cli.output import Json, arg, columns, opt, print_json, refusal, say, tell_faults
from pbem.util import several, typed

if TYPE_CHECKING:
    from pbem.mail.incoming.intake import Taken
    from pbem.mail.incoming.message import Letter
    from pbem.mail.transport.outbox import Failure

TRY_AGAIN = 75
"""Exit code (EX_TEMPFAIL) that tells procmail, Postfix and others to deliver an email again later."""

mail = Commands(
    cls=Sections,
    help="Work on individual emails: read, answer or accept one.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@mail.command()
def read(files: Annotated[list[Path], arg("FILE…", "Letters (.eml).")], json: Json = False) -> None:
    """Show how the program understands an email: its sender, and the text of its orders. Nothing is changed."""
    from pbem.mail.incoming.message import read_letter
    from pbem.mail.transport.sources import read_file

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
    "unread": "an email that was not read",
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
        ("because", letter.unread),
        *(("note", fault) for fault in letter.faults),
    ]
    lines = [f"{path}", *columns((name, value) for name, value in rows if value)]
    body = letter.text.strip("\n")
    return "\n".join([*lines, *(f"  | {line}".rstrip() for line in body.split("\n"))] if body else lines) + "\n"


@contextmanager
def _or_again(*, json: bool) -> Iterator[None]:
    """Exit with code :data:`TRY_AGAIN` if the code in this context finds a game locked by another command."""
    from pbem.errors import GameError

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
        Path | None, typer.Argument(metavar="FILE", help="The email's file; default: standard input.", readable=False)
    ] = None,
    json: Json = False,
) -> None:
    """Process one email and put the answers into the outbox.

    For a pipe: `pbem mail answer DIR < mail.eml`. Exit code 75 means that another command is working on a game:
    deliver the email again later.
    """
    from pbem.mail.incoming.intake import games_of, outbox_of, take_in_all
    from pbem.mail.transport.sources import OneLetter

    source = OneLetter(file)
    with _or_again(json=json):
        games = games_of(folder, datetime.now(UTC))
        taken = list(take_in_all(source, games, outbox_of(folder, games)))
    if source.left:
        typer.echo("Another command is using this game; try this email again.", err=True)
        raise typer.Exit(TRY_AGAIN)
    if not taken:
        typer.echo("There is no email to answer.", err=True)
        raise typer.Exit(2 if sys.stdin.isatty() else 0)
    say({"taken": taken}, "\n".join(_taken_text(one) for one in taken), json=json)


@mail.command()
def accept(
    folder: Folder,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The email's file, or its name in quarantine/.", show_default=False)
    ],
    game: Annotated[str, opt("The game, if the email does not name it.", metavar="NAME")] = "",
    side: Annotated[str, opt("The side, if the email does not name it.", metavar="SIDE")] = "",
    json: Json = False,
) -> None:
    """Accept a quarantined email: do what it asks for, as if its token and address were right.

    The answer goes to the player's own address. Exit code 75 means that another command is working on a game. Try
    again then.
    """
    from pbem.mail.incoming.intake import accept as let_in, games_of, outbox_of

    with _or_again(json=json):
        games = games_of(folder, datetime.now(UTC))
        taken = let_in(file, games, outbox_of(folder, games), game=game, side=side)
    say({"taken": taken}, _taken_text(taken), json=json)


@mail.command()
def failed(
    folder: Annotated[Path, arg("DIR", "A host's folder.")],
    who: Annotated[str, arg("[WHO]", "The reader's address, or an email's file; default: all.")] = "",
    again: Annotated[bool, opt("Try them again in the next round.", "--again")] = False,
    give_up: Annotated[bool, opt("Give them up: move them to mail/outbox/given-up.", "--give-up")] = False,
    json: Json = False,
) -> None:
    """Show the emails that could not be sent, and why; send them again, or discard them.

    The players' reports are safe: a player who gets another address automatically gets the last report there.
    """
    from pbem.games.storage.folder import locked
    from pbem.mail.settings import read_host
    from pbem.mail.transport.outbox import FOLDER, MAIL, Outbox, by_reader, chosen, commands

    if again and give_up:
        raise typer.BadParameter("use only one of the two", param_hint="--again, --give-up")
    outbox = Outbox(folder / MAIL / FOLDER, read_host(folder))
    with locked(folder, "mail failed"):
        found = chosen(outbox.failures(), who)
        if who and not found:
            text = f"there is no failed email to {who}, and no file of that name"
            raise refusal("no-such-mail", text, file=str(outbox.failed))
        went = [one for one in found if not outbox.again(one)] if again else []
        for one in found if give_up else ():
            outbox.give_up(one)
    if not found:
        lines = ["No email has failed."]
    elif again:
        lines = _again_lines(folder, len(found) - len(went), len(went))
    elif give_up:
        lines = [f"{several(len(found), 'mail')} laid aside, in {outbox.given_up}."]
    else:
        lines = [line for reader, theirs in by_reader(found).items() for line in _failed_text(reader, theirs)]
        lines += ["To try them again, or to give them up:"]
        lines += [f"    {line}" for line in commands(folder, who)]
    done = "again" if again else "given up" if give_up else ""
    data = [{"file": one.path.name, "reader": one.reader, "why": one.why} for one in found]
    say({"failed": data, "done": done, "went": [one.path.name for one in went]}, "\n".join(lines), json=json)


def _again_lines(folder: Path, waiting: int, went: int) -> list[str]:
    """Return lines about emails to be sent again: how many wait, and how many had been sent after all."""
    lines = [f"{several(waiting, 'mail')} to be tried again by the next round: `pbem host {typed(folder)} --once`."]
    return [*lines, f"{several(went, 'mail')} had gone out after all: not sent again."] if went else lines


def _failed_text(reader: str, failures: list[Failure]) -> list[str]:
    return [f"To {reader or 'nobody'}: {failures[-1].why}", *(f"    {one.path.name}" for one in failures)]


def _taken_text(one: Taken) -> str:
    entry = one.entry
    if one.again:
        return f"This email was processed before ({entry.done}); nothing was done."
    what = {
        "orders": f"Orders of {entry.side} in {entry.game}: filed.",
        "fault": f"Orders of {entry.side} in {entry.game}: not filed.",
        "command": f"A command of {entry.side} in {entry.game}.",
        "empty": f"An email of {entry.side} in {entry.game} without orders.",
        "word": f"A word of {entry.side} in {entry.game}.",
        "trouble": f"Something is wrong here: {entry.why}.",
        "quarantine": f"Set aside, because {entry.why}.",
        "bounce": f"A mail system's notice: {entry.why}.",
        "auto": "Written by a machine; not answered.",
        "own": "Our own email; not answered.",
    }[entry.done]
    lines = [what, *(f"  to {reply.to or 'the umpire'}: {reply.subject}" for reply in one.replies)]
    return "\n".join([*lines, f"  kept as {entry.file}"] if entry.file else lines)
