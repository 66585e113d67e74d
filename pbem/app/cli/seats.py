"""host invite, replace, player, extend: who plays a hosted game, where mail reaches them, and how long they have."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import FAULTY, Json, arg, columns, listed, opened, opt, refusal, say
from pbem.app.cli.play import Game


def _now() -> datetime:
    return datetime.now(UTC)


def invite(game: Game, json: Json = False) -> None:
    """Write each player of a game his first mail now: who plays, his token, the first report and the form.

    The time for his first answer begins with it. It is sent by the next round of `pbem host DIR`.
    """
    from pbem.mail.host.calls import invite as write

    wrote = write(game, _now())
    text = "Everybody has been invited already."
    if wrote:
        text = f"Written to {listed(wrote)}, not sent yet: `pbem host {_typed(game)} --once` sends them."
    say({"game": game.name, "invited": wrote}, text, json=json)


def _typed(game: Path) -> str:
    """The club of a game, as somebody may type it who stands where this command was given."""
    from pbem.games.typed import typed
    from pbem.mail.settings import host_of

    club, here = host_of(game) or game, Path.cwd()
    return typed(club.relative_to(here) if club.is_relative_to(here) else club)


def replace(
    game: Game,
    side: Annotated[str, arg("SIDE", offer=complete.sides)],
    player: Annotated[str, arg("ADDRESS", "Ann <ann@example.org>")],
    json: Json = False,
) -> None:
    """Give a side another player: he gets a token of his own, and the one before him has none."""
    from pbem.mail.commands.replacing import replace as write

    with opened(game, lock="host replace") as folder:
        name = write(folder, side, player, _now())
    text = f"{name} of {game.name} is played by {player}; the next round of `pbem host` invites him."
    say({"game": game.name, "side": name, "player": player}, text, json=json)


def player(
    folder: Annotated[Path, arg("GAME|DIR", "A game, for one of its sides; a club, for somebody in all its games.")],
    who: Annotated[str, arg("SIDE|WHO", "A side; or an address, a name or a key of players.toml.")],
    mail: Annotated[str, opt("His mail goes there from now on, in all games.", metavar="ADDRESS")] = "",
    away: Annotated[
        str,
        opt(
            'He is away, in all games: "until 2027-03-09", "until Sunday", "5 days"; off when he is back.',
            metavar="DAYS",
        ),
    ] = "",
    by: Annotated[str, opt("The side is played by somebody else: Ann <ann@example.org>.", metavar="PLAYER")] = "",
    vacant: Annotated[bool, opt("Whoever plays here may take the side over, by TAKE.", "--vacant")] = False,
    stays: Annotated[bool, opt("Nobody is sought for the side any more.", "--stays")] = False,
    json: Json = False,
) -> None:
    """Give somebody a new address, or say that he is away; give a side another player, or offer it. All whom it
    concerns are told, once.
    """
    from pbem.mail.commands import replacing
    from pbem.mail.host import calls

    game = (folder / "game.toml").is_file()
    if sum((bool(mail), bool(away), bool(by), vacant, stays)) != 1 or game == bool(mail or away):
        text = "a club takes --mail or --away; a game one of --by, --vacant and --stays"
        raise refusal("wrong-usage", text, file=str(folder))
    if mail:
        move = calls.move(folder, who, mail, _now())
        say(move, f"Mail of {who} goes to {move.new}; letters from {move.old} count no more.", json=json)
        return
    if away:
        gone = calls.away(folder, who, away, _now())
        games = f" ({', '.join(gone.games)})" if gone.games else ""
        told = (
            f"is away on {gone.days}, which do not count where an answer of his is wanted" if gone.days else "is back"
        )
        say(gone, f"{who} {told}{games}. The next round of `pbem host` tells whom it concerns.", json=json)
        return
    with opened(folder, lock="host player") as one:
        side = replacing.replace(one, who, by, _now()) if by else calls.vacate(one, who, now=vacant)
    said = f"is played by {by}" if by else "is offered: the first who sends TAKE has it" if vacant else "is not offered"
    data = {"game": folder.name, "side": side, "player": by, "vacant": vacant}
    say(data, f"{side} of {folder.name} {said}. The next round of `pbem host` tells everybody.", json=json)


def extend(
    folder: Annotated[Path, arg("GAME|DIR", "A game, or a club with --player or --all.")],
    by: Annotated[str, arg("SPAN", '"2 days", "12 hours", "until Sunday", "until 2027-03-09"')],
    reason: Annotated[str, opt("Why; everybody is told it.", metavar="TEXT")],
    player: Annotated[
        str,
        opt("All games in which something is asked of him: an address, a name, a key of players.toml.", metavar="WHO"),
    ] = "",
    every: Annotated[bool, opt("All games of the club.", "--all")] = False,
    json: Json = False,
) -> None:
    """Give more time for what is asked now: from the deadline on, or from now if that is past."""
    from pbem.mail.host.calls import extend as give
    from pbem.mail.host.deadlines import written
    from pbem.mail.settings import host_of, read_host

    found = give(folder, by, _now(), reason, player=player, every=every)
    home = folder if (folder / "host.toml").is_file() else host_of(folder)
    zone = read_host(home).deadlines.zone if home is not None else "UTC"
    rows = [
        (
            one.game,
            f"due {written(one.due, zone)}"
            + (", as before: not sooner" if one.enough else ", as it was given before" if not one.new else ""),
        )
        if one.due is not None
        else (one.game, f"NOT extended: {one.trouble}")
        for one in found
    ]
    text = "\n".join(columns(rows, "")) if rows else "Nothing is asked in any such game."
    said = "The next round of `pbem host` tells everybody." if any(one.new for one in found) else ""
    say({"games": found}, f"{text}\n{said}".rstrip("\n"), json=json)
    if any(one.trouble for one in found):
        raise typer.Exit(FAULTY)
