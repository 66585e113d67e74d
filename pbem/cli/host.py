"""host, doctor, pause, resume: games by mail that need no hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli import complete
from pbem.cli.drawing import progress
from pbem.cli.output import FAULTY, Json, columns, listed, say, tell_faults
from pbem.cli.play import Game
from pbem.cli.sections import Sections

if TYPE_CHECKING:
    from datetime import datetime

    from pbem.post.host import Round
    from pbem.post.outbox import Carrier
    from pbem.post.settings import Host

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The host's folder.", readable=False, show_default=False)]


class _Group(Sections):
    """``pbem host DIR`` is ``pbem host run DIR``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Group,
    help="Host games by mail: `pbem host DIR` fetches, answers, plays and sends, again and again.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
)


def _now() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


@app.command("run")
def run(
    folder: Folder,
    once: Annotated[bool, typer.Option("--once", help="One round, for cron; otherwise on and on.")] = False,
    every: Annotated[int, typer.Option(min=1, metavar="SECONDS", help="Between two rounds.")] = 60,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Do what was agreed for the late, even if most players are.")
    ] = False,
    json: Json = False,
) -> None:
    """Fetch, check, answer, play, send, remind: one round with --once, else until it is stopped."""
    import time

    from pbem.faults import GameError
    from pbem.post.host import host_round
    from pbem.post.mailbox import open_source
    from pbem.post.settings import read_host

    read_host(folder)  # a folder that is none is told at once; one that is spoilt later may be mended
    while True:
        try:
            host = read_host(folder)
            with _carrier(host) as carrier, progress("one round of the mail"):
                source = open_source(host.inbox, folder) if host.inbox else None
                done = host_round(folder, _now, source=source, carrier=carrier, anyway=anyway)
            say(done, _told(done), json=json)
            for trouble in done.troubles:
                if not json:
                    typer.echo(trouble, err=True)
        except GameError as error:
            if once:
                raise
            tell_faults(error.faults, json=False)
        else:
            if once and done.troubles:
                raise typer.Exit(FAULTY)
        if once:
            return
        try:
            time.sleep(every)
        except KeyboardInterrupt:
            return


@contextmanager
def _carrier(host: Host) -> Iterator[Carrier | None]:
    from pbem.post.smtp import SmtpCarrier

    if not host.smtp.host:
        yield None
        return
    with SmtpCarrier(host.smtp) as carrier:
        yield carrier


def _told(done: Round) -> str:
    lines = [f"{len(done.letters)} letters taken in"] if done.letters else []
    for name, happened in done.games:
        for one in happened:
            if one.what == "played":
                lines.append(f"{name}: played request {one.request} of turn {one.turn}")
            elif one.what == "sealed" and one.sealing is not None:
                lines.append(f"{name}: all orders are sealed until round {one.sealing.round} of the beacon")
            elif one.what == "over":
                lines.append(f"{name}: the game is over")
    if done.put:
        lines.append(f"{done.put} mails written")
    if done.delivery.sent:
        lines.append(f"{len(done.delivery.sent)} mails sent")
    if done.delivery.waiting:
        lines.append(f"{done.delivery.waiting} mails wait in mail/outbox/waiting")
    return ". ".join(lines) + "." if lines else "Nothing to do."


@app.command("init")
def init(folder: Folder, json: Json = False) -> None:
    """Make a host's folder with a host.toml to fill in."""
    from pbem.desk.files import make_folder, write_text
    from pbem.faults import GameError
    from pbem.post.settings import FILE, INITIAL

    file = folder / FILE
    if file.exists():
        raise GameError.saying("not-empty", "there is a host.toml already; it was left as it is", file=str(file))
    write_text(file, INITIAL)
    make_folder(folder / "games")
    make_folder(folder / "mail" / "in", private=True)
    text = (
        f"{file} is written: fill it in, then `pbem doctor {folder}` tries it.\n"
        f"`pbem new SCENARIO {folder / 'games' / 'NAME'} --player SIDE=ADDRESS …` makes a game for it."
    )
    say({"file": file}, text, json=json)


@app.command("invite")
def invite(game: Game, json: Json = False) -> None:
    """Write each player of a game his first mail now: who plays, his token, the first report and the form."""
    from pbem.post.calls import invite as write

    wrote = write(game, _now())
    text = f"Written to {listed(wrote)}; `pbem host` sends them." if wrote else "Everybody has been invited already."
    say({"game": game.name, "invited": wrote}, text, json=json)


@app.command("replace")
def replace(
    game: Game,
    side: Annotated[str, typer.Argument(metavar="SIDE", show_default=False, autocompletion=complete.sides)],
    player: Annotated[str, typer.Argument(metavar="ADDRESS", help="Ann <ann@example.org>", show_default=False)],
    json: Json = False,
) -> None:
    """Give a side another player: he gets a token of his own, and the one before him has none."""
    from pbem.desk.folder import opened
    from pbem.post.calls import replace as write

    with opened(game, lock="host replace") as folder:
        name = write(folder, side, player)
    text = f"{name} of {game.name} is played by {player}; the next round of `pbem host` invites him."
    say({"game": game.name, "side": name, "player": player}, text, json=json)


def pause(
    game: Game,
    reason: Annotated[str, typer.Option(help="Why; players who ask are told.")] = "",
    json: Json = False,
) -> None:
    """Stop a hosted game's clock: letters are answered, nothing is played, nobody is late."""
    from pbem.desk.folder import opened
    from pbem.post.timetable import pause as stop

    with opened(game, lock="pause") as folder:
        clock = stop(folder.path, _now(), reason)
    say({"game": game.name, "paused": clock.paused}, f"{game.name} is paused.", json=json)


def resume(game: Game, json: Json = False) -> None:
    """Let a paused game go on; deadlines come later by as long as it stood."""
    from pbem.desk.folder import opened
    from pbem.post.timetable import resume as go_on

    with opened(game, lock="resume") as folder:
        clock = go_on(folder.path, _now())
    say({"game": game.name, "held": clock.held}, f"{game.name} goes on.", json=json)


def doctor(folder: Folder, json: Json = False) -> None:
    """Try a host's set-up (folders, lock, mail in and out, games) and say what is wrong."""
    from pbem.post.doctor import examine

    found = examine(folder)
    rows = [("ok  " if one.right else "NO  ", one.what, one.said) for one in found]
    say({"findings": found, "ok": all(one.right for one in found)}, "\n".join(columns(rows, "")), json=json)
    if not all(one.right for one in found):
        raise typer.Exit(FAULTY)
