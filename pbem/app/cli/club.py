"""The commands host tournament, host ladder and host rehearse, which work on a whole club."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from pbem.app.cli.output import FAULTY, Json, arg, listed, opt, pairs, progress, say, tell_faults

if TYPE_CHECKING:
    from pbem.club.directing import TournamentStep
    from pbem.club.tournament import Kind

Club = Annotated[Path, arg("DIR", "The host's folder.")]
KINDS = ("swiss", "round robin", "knock-out")


def tournament(
    folder: Club,
    name: Annotated[str, arg("NAME", "The tournament; default: one line for each.")] = "",
    new: Annotated[str, opt("Begin a tournament: swiss, 'round robin' or knock-out.", "--new", metavar="KIND")] = "",
    people: Annotated[str, opt("The players: keys or names of players.toml, or all.", metavar="WHO")] = "all",
    scenario: Annotated[
        list[str] | None,
        opt("A scenario for each round; default: all duels.", "--scenario", "-s", metavar="KEY"),
    ] = None,
    rounds: Annotated[int, opt("The number of rounds of a Swiss tournament.", min=0, show_default=False)] = 0,
    legs: Annotated[int, opt("The number of games of each pair, with sides exchanged.", min=1)] = 1,
    time: Annotated[str, opt("The longest time for a round, like '60 days'.", metavar="SPAN")] = "",
    title: Annotated[str, opt("The title that people see.", metavar="TEXT")] = "",
    next_: Annotated[bool, opt("Count finished games, and begin the next round.", "--next")] = False,
    json: Json = False,
) -> None:
    """Show the standings of a tournament, begin one, or continue it.

    Games are created, and players are invited and informed. A running host continues it automatically (`auto = true` in
    tournaments/NAME.toml).
    """
    from pbem.club import directing, words as told
    from pbem.club.pairing import table
    from pbem.club.tournament import FORMAT, TournamentPlan, names
    from pbem.mail.people import read_people
    from pbem.mail.settings import read_host

    read_host(folder)
    who = read_people(folder)
    if new or next_:
        if not name or (new and new not in KINDS):
            wrong = f"--new takes {listed(repr(kind) for kind in KINDS)}" if name else "say which tournament: NAME"
            raise typer.BadParameter(wrong, param_hint="--new" if name else "NAME")
        now = datetime.now(UTC)
        if new:
            keys = [*who.people] if people == "all" else [one.strip() for one in people.split(",") if one.strip()]
            plan = TournamentPlan(
                format=FORMAT, kind=cast("Kind", new), people=tuple(keys), scenarios=tuple(scenario or ["all duels"]),
                title=title, rounds=rounds, legs=legs, time=time,
            )  # fmt: skip
            directing.begin(folder, name, plan)
        step = directing.direct(folder, name, now)
        say(step, _step_text(step), json=json)
        return
    if not name:
        found = [directing.current_tournament(folder, one) for one in names(folder)]
        lines = [f"{one.name}  {told.head(one)}" for one in found] or ["This club has no tournament."]
        say({"tournaments": found}, "\n".join(lines), json=json)
        return
    one = directing.current_tournament(folder, name)
    data = {"tournament": one, "table": table(one.ranked, one.rounds, one.ties), "winner": one.winner}
    say(data, "\n".join(told.tournament(one, who)), json=json)


def _step_text(step: TournamentStep) -> str:
    one = step.tournament
    lines = [f"Counted: {', '.join(step.noted)}."] if step.noted else []
    if step.finished:
        lines.append("An earlier command was stopped. Its decisions are carried out now, and everybody is informed.")
    if step.began:
        lines.append(f"Round {len(one.rounds)} of {one.length} begins.")
    if step.made:
        lines.append(f"Games: {', '.join(step.made)}. The next round of `pbem host` invites their players.")
    if one.is_over:
        lines.append(f"{one.title} is over.")
    elif step.empty:
        lines.append("Nothing to do: games of this round are still going on.")
    return "\n".join(lines)


def ladder(folder: Club, json: Json = False) -> None:
    """Rank a club's players by their finished games, best first."""
    from pbem.club import words as told
    from pbem.club.ladder import ladder as rungs, results
    from pbem.mail.people import read_people
    from pbem.mail.settings import read_host

    ranks = read_host(folder).ranks
    ended, faults = results(folder)
    found = rungs(ended, ranks)
    who = read_people(folder)
    text = "\n".join(told.rungs(found, who)) if found else "No game between people is over yet."
    say({"ladder": found, "faults": faults}, text, json=json)
    if faults:
        if not json:
            tell_faults(faults, json=False)
        raise typer.Exit(FAULTY)


def rehearse(
    folder: Club,
    span: Annotated[list[str], arg("SPAN", "How much time to rehearse: 60 days, 8 weeks.")],
    games: Annotated[int, opt("Keep this many games going; default: today's games.", min=0)] = 0,
    late: Annotated[str, opt("The share of answers that come after the deadline.", metavar="PART")] = "10%",
    err: Annotated[str, opt("The share of emails with a mistake, or from another address.", metavar="PART")] = "5%",
    vanish: Annotated[str, opt("The share of people who stop answering.", metavar="PART")] = "2%",
    seed: Annotated[str, opt("The random seed; the same seed gives the same rehearsal.", metavar="TEXT")] = "1",
    settings: Annotated[
        list[str] | None,
        opt("Try another setting of host.toml: deadlines.late=hold.", "--set", metavar="KEY=VALUE"),
    ] = None,
    json: Json = False,
) -> None:
    """Try out the settings of a club on a copy, with simulated players and a fast clock.

    The club itself is not changed, and no email is sent.
    """
    from pbem.club import words as told
    from pbem.club.rehearsal import rehearse as play
    from pbem.club.rehearsed import Rates
    from pbem.mail.host.deadlines import span as read_span

    long = read_span(" ".join(span))
    if not long:
        raise typer.BadParameter(f"{' '.join(span)!r} is not a length of time like '60 days'", param_hint="SPAN")
    rates = Rates(late=_part(late, "--late"), err=_part(err, "--err"), vanish=_part(vanish, "--vanish"))
    others = pairs(settings or [], "--set")
    with progress("rehearsing") as bar:
        found = play(
            folder, long, datetime.now(UTC), rates=rates, seed=seed, games=games, settings=others, progress=bar
        )
    say(found, "\n".join(told.rehearsed(found)), json=json)


def _part(text: str, option: str) -> float:
    """Return a share given as text (``10%`` or ``0.1``) as a number from 0 to 1.

    ``option`` is the option that an error message names.
    """
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise typer.BadParameter(f"{text!r} is not a percentage like 10%", param_hint=option)
    return found
