"""The commands override, rerun and clone, with which the umpire changes or copies a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.app.cli.output import Json, listed, opened, opt, pairs, refusal, say
from pbem.app.cli.play import Game, asked_for
from pbem.util import several

if TYPE_CHECKING:
    from pbem.games.umpire.decree import DecreeItem, Overruled
    from pbem.games.umpire.rerun import Repeated

Reason = Annotated[str, opt("The reason; it goes into the log and the sitreps of all who see the ruling.")]
Unit = Annotated[str, opt("The unit for changes that do not name one.", metavar="NAME")]


def override(
    game: Game,
    change: Annotated[
        list[str], typer.Argument(metavar="[CHANGE]…", help='"Constellation shield 3 = 12"; see `pbem help umpire`.')
    ] = [],  # noqa: B006 (Typer copies it)
    unit: Unit = "",
    reason: Reason = "",
    option: Annotated[list[str], opt("Change an option from now on: sideslip=no.", metavar="KEY=VALUE")] = [],  # noqa: B006
    ruling: Annotated[str, opt("Add a house rule, shown in every sitrep until withdrawn.", metavar="TEXT")] = "",
    to: Annotated[str, opt("Show the house rule to this side only.", metavar="SIDE")] = "",
    withdraw: Annotated[int, opt("Withdraw house rule N.", min=0, metavar="N")] = 0,
    result: Annotated[list[str], opt("End the game with a result for every side.", metavar="SIDE=TEXT")] = [],  # noqa: B006
    reopen: Annotated[bool, opt("Continue a game that --result ended.", "--reopen")] = False,
    public: Annotated[bool, opt("Show everybody what otherwise only the unit's owner would see.", "--public")] = False,
    attempt: Annotated[bool, opt("Show what it would do, and change nothing.", "--try")] = False,
    json: Json = False,
) -> None:
    """Make an umpire's ruling: change units, options or house rules, or end the game.

    The change is logged with its reason.
    """
    from pbem.games.umpire.decree import Decree, override as decree
    from pbem.games.umpire.rerun import copied, sitrep_differences
    from pbem.mail.umpires import plays

    wanted = Decree(
        reason=reason, changes=tuple(change), unit=unit, public=public, options=pairs(option, "--option"),
        ruling=ruling, to=to, withdraw=withdraw, result=pairs(result, "--result"), reopen=reopen, by=plays(game),
    )  # fmt: skip
    sitreps: dict[str, str] = {}
    with opened(game, lock="" if attempt else "override") as folder:
        if attempt:
            with copied(folder) as copy:
                done = decree(copy, wanted)
                sitreps = sitrep_differences(folder.records(), copy.records())
        else:
            done = decree(folder, wanted)
    lines = _overruled(done)
    if attempt:
        lines += ["", *sitreps.values(), "", "Nothing was changed: this was only a trial."]
    say({"done": done, "tried": attempt, "sitreps": sitreps}, "\n".join(lines), json=json)


def _overruled(done: Overruled) -> list[str]:
    lines = [line for item in done.told for line in _ruling_lines(item)]
    for fault in done.faults:
        lines.append(f"No longer legal: {fault}")
    lines += [f"Set aside: {name}" for name in done.laid_aside]
    if done.asked is None:
        return [*lines, "The game is over."]
    return [*lines, f"Waiting for {listed(done.asked.sides)}: {asked_for(done.asked)}."]


def _ruling_lines(item: DecreeItem) -> list[str]:
    lines = [item.text, f"  told to {item.to} alone" if item.to else "  told to all"]
    return [*lines, f"  the others read: {item.others}"] if item.others else lines


def clone(
    game: Game,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, not in a club.")],
    at: Annotated[
        str, opt("Copy the game as it was at this request; default: as it is now.", metavar="TURN.REQUEST")
    ] = "",
    name: Annotated[str, opt("The clone's name; default: the folder's name.")] = "",
    json: Json = False,
) -> None:
    """Copy a game to try something out. The copy has another name, other dice, no players and no email."""
    from pbem.games.umpire.rerun import clone as copy
    from pbem.mail.settings import host_of

    if (host := host_of(folder)) is not None:
        raise refusal(
            "clone", f"name a folder that is not in {host}: a clone cannot be a game of a club", file=str(folder)
        )
    turn, request = _request(at, "--at")
    with opened(game) as one:
        made = copy(one, folder, turn=turn, request=request, name=name)
    lines = [f"{made.game} in {folder} is a clone of {made.of}. It has dice of its own and counts for nothing."]
    if made.asked is not None:
        lines.append(f"Waiting for {listed(made.asked.sides)}: {asked_for(made.asked)}.")
    lines.append(f"It has the orders of all sides of {made.of}: show it to nobody while that game goes on.")
    say(made, "\n".join(lines), json=json)


def rerun(
    game: Game,
    since: Annotated[
        str, opt("Repeat from this request; default: the last one played.", "--from", metavar="TURN.REQUEST")
    ] = "",
    until: Annotated[str, opt("Stop at this request.", metavar="TURN.REQUEST")] = "",
    with_: Annotated[
        list[Path],
        opt("An order file to use instead of the played orders.", "--with", metavar="FILE", readable=False),
    ] = [],  # noqa: B006 (Typer copies it)
    change: Annotated[list[str], opt("A ruling to begin with, as in override.", "--override", metavar="CHANGE")] = [],  # noqa: B006
    unit: Unit = "",
    reason: Reason = "",
    accept: Annotated[bool, opt("Apply the result. Without it this is a dry run.", "--accept")] = False,
    json: Json = False,
) -> None:
    """Play part of a game again with the same dice and other orders or rulings, and show the differences."""
    from pbem.games.storage.files import read_order_file
    from pbem.games.umpire.decree import Decree
    from pbem.games.umpire.rerun import rerun as repeat
    from pbem.mail.umpires import plays

    turn, request = _request(since, "--from")
    stop = _request(until, "--until") if until else (1 << 30, 0)
    files = [(str(file), read_order_file(file)) for file in with_]
    wanted = Decree(reason=reason, changes=tuple(change), unit=unit, by=plays(game))
    with opened(game, lock="rerun" if accept else "") as folder:
        done = repeat(folder, turn=turn, request=request, until=stop, files=files, decree=wanted, accept=accept)
    say(done, "\n".join(_repeated(done)), json=json)


def _request(typed: str, option: str) -> tuple[int, int]:
    """Return turn and request number of a text such as ``1.2``.

    A turn alone means the first request of that turn. An empty text gives 0 and 0. ``option`` is the option that an
    error message names.
    """
    turn, _, number = typed.partition(".")
    if typed and not (turn.isdecimal() and (number or "1").isdecimal() and len(typed) < 20):
        raise typer.BadParameter(f"{typed!r} is not a request like 1.2 (turn 1, request 2)", param_hint=option)
    return (int(turn), int(number or 1)) if typed else (0, 0)


def _repeated(done: Repeated) -> list[str]:
    kept = listed([str(number) for number in done.kept])
    stretches = f"{done.segments} {'stretch' if done.segments == 1 else 'stretches'} of play"
    dice = f"dice of {kept} kept" if done.kept else "no dice kept"
    lines = [f"Repeated from request {done.since.number} of turn {done.since.turn}: {stretches}, {dice}."]
    if done.newer:
        lines.append("The rules have been mended since: the same orders and dice come out otherwise now.")
    for why in dict.fromkeys(one.why for one in done.unused):
        lines.append(f"Not used, {why}: {', '.join(one.file for one in done.unused if one.why == why)}")
    lines += _where_it_stops(done)
    if done.taken_back:
        count = several(done.taken_back, "stretch", "stretches")
        lines.append(f"What was played after that, {count} of play, no longer counts.")
    lines += _differences(done)
    for text in done.sitreps.values():
        lines += ["", text]
    if done.accepted:
        return [*lines, "", "The result is applied; the earlier play stays in the log."]
    if done.used:
        lines += ["", "This is what the same dice make of these orders. Accepted, new orders get new dice."]
    return [*lines, "", "Nothing was changed; apply the result with --accept and a --reason."]


def _where_it_stops(done: Repeated) -> list[str]:
    """Return lines that say at which point the repeated game stops, and which sides must give orders then."""
    if done.asked is None:
        return ["It ends the game."]
    if done.stopped_at_new:
        return [
            f"It stops where other orders are on file now: {asked_for(done.asked)}. They get new dice.",
            "`pbem resolve` plays on with them.",
        ]
    return [f"It stops where {listed(done.owing)} must answer: {asked_for(done.asked)}."]


def _differences(done: Repeated) -> list[str]:
    """Return lines with the events that differ, by impulse.

    Events of the old game are marked with ``-``, and events of the new game with ``+``.
    """
    if not done.differs:
        return ["", "Nothing changes."]
    lines = []
    for one in done.differs:
        lines += ["", f"Turn {one.turn}, impulse {one.impulse}"]
        lines += [f"  - {text}" for text in one.was]
        lines += [f"  + {text}" for text in one.now]
    return lines
