"""Tournaments, ladders and rehearsals as text, for the terminal, emails and the site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.club.ladder import Rung
from pbem.club.pairing import PairedGame, Pairing, StandingsRow, cross_table, halves, table
from pbem.club.tournament import Tournament, sides_of
from pbem.data.scenarios import scenario
from pbem.mail import emails
from pbem.mail.emails import EmailText
from pbem.mail.people import People
from pbem.util import several

if TYPE_CHECKING:
    from pbem.club.rehearsed import Rehearsed, Spread
    from pbem.reports.html.site import TextLine


def name(key: str, people: People) -> str:
    """Return the display name of a person, given by their key in players.toml."""
    person = people.people.get(key)
    return (person.name if person is not None else "") or key


def grid(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return the lines of a text table with aligned columns; the columns in ``right`` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if n in right else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def table_rows(one: Tournament, people: People) -> list[list[str]]:
    """Return the standings of a tournament as rows of texts; the first row is the header.

    The columns are place, name, points, games won, drawn and lost, each tie-break, and the cross table.
    """
    rows = table(one.ranked, one.rounds, one.ties)
    across = cross_table(rows, one.rounds)
    head = ["", "", "points", "+", "=", "-", *one.ties, *(str(n + 1) for n in range(len(rows)))]
    return [head, *([*_row(row, people), *line] for row, line in zip(rows, across, strict=True))]


def _row(row: StandingsRow, people: People) -> list[str]:
    counts = [str(count) for count in (row.won, row.drawn, row.lost)]
    return [str(row.place), name(row.person, people), halves(row.points), *counts, *map(halves, row.ties)]


def pairing_line(met: Pairing, people: People) -> list[str]:
    """Return the lines for a pairing: one for each game, or one for a result without a game (a bye)."""
    return ["".join(text for text, _ in parts) for parts in pairing_parts(met, people)]


def pairing_parts(met: Pairing, people: People) -> list[TextLine]:
    """Return the lines for a pairing; each line is a list of parts: players, games and other text."""
    if met.games:
        return [game_parts(game, people) for game in met.games]
    names = [(name(one, people), "player") for one in met.people]
    if len(names) == 1:
        bye = "has a bye" if not met.points else f"has a bye ({halves(met.score(met.people[0]))})"
        return [[names[0], (f" {bye}", "")]]
    scores = " - ".join(halves(met.score(one)) for one in met.people)
    return [[*_joined([[one] for one in names]), (f": {scores} without a game", "")]]


def _joined(lines: Sequence[TextLine]) -> list[tuple[str, str]]:
    """Return several lines as one line, with dashes between them."""
    return [part for n, line in enumerate(lines) for part in ([(" - ", "")] if n else []) + [*line]]


def game_parts(game: PairedGame, people: People) -> TextLine:
    """Return a game as a line of parts: ``Ann (federation) - Kor (klingon)  1 - 0  cup-1-1, Duel``.

    Each part is marked as a player, a game, or other text.
    """
    sides = sides_of(game.scenario)
    points = game.points
    score = " - ".join(halves(points.get(game.sides[side], 0)) for side in sides) if points is not None else "is played"
    why = f": {game.why}" if game.why else ""
    return [
        *_joined([[(name(game.sides[side], people), "player"), (f" ({side})", "")] for side in sides]),
        (f"  {score}  ", ""),
        (game.name, "game"),
        (f", {scenario(game.scenario).title}{why}", ""),
    ]


def head(one: Tournament) -> str:
    """Return a line about the progress of a tournament, such as its round and the games still played."""
    kind = {"swiss": "a Swiss", "round robin": "a round robin", "knock-out": "a knock-out"}[one.plan.kind]
    of = f"{one.title}: {kind} of {len(one.plan.people)}"
    if not one.rounds:
        return f"{of}, {several(one.length, 'round')}, not begun"
    if one.is_over:
        return f"{of}, over after {several(len(one.rounds), 'round')}"
    missing = sum(game.points is None for met in one.rounds[-1].pairings for game in met.games)
    still_played = f"{missing} games are still played" if missing != 1 else "one game is still played"
    return f"{of}, round {len(one.rounds)} of {one.length}: {still_played if missing else 'all games are over'}"


def tournament(one: Tournament, people: People) -> list[str]:
    """Return a tournament as lines of text: status, standings with cross table, and the current round.

    For a knock-out, all rounds are shown instead of standings.
    """
    lines = [head(one), ""]
    if one.winner:
        lines += [f"Won by {name(one.winner, people)}.", ""]
    bracket = one.plan.kind == "knock-out"  # the rounds of a knock-out show it, so there is no table
    if one.rounds and not bracket:
        lines += [*grid(table_rows(one, people), right=(0, *range(2, 6 + len(one.ties)))), ""]
    for number, each in list(enumerate(one.rounds, start=1))[0 if bracket else -1 :]:
        lines.append(f"Round {number}:")
        lines += [f"  {line}" for met in each.pairings for line in pairing_line(met, people)]
    return [line.rstrip() for line in lines]


def page(one: Tournament, people: People) -> str:
    """Return a tournament as an HTML page of the club's site, with the latest round first."""
    from pbem.reports.html.site import tournament_page

    numbered = [
        (number, [line for met in each.pairings for line in pairing_parts(met, people)])
        for number, each in enumerate(one.rounds, start=1)
    ]
    rows = table_rows(one, people) if one.rounds and one.plan.kind != "knock-out" else []
    winner = name(one.winner, people) if one.winner else ""
    return tournament_page(one.title, f"{head(one)}.", rows, winner, numbered[::-1])


def letter(one: Tournament, person: str, people: People, club: Path | None = None) -> EmailText:
    """Return the email to a player of a tournament when a round begins or the tournament is over.

    ``person`` is the player's key in players.toml.
    """
    mine = [met for met in one.rounds[-1].pairings if person in met.people] if one.rounds else []
    met = mine[0] if mine else None
    opponent = met is not None and len(met.people) > 1
    games = [
        (game.name, scenario(game.scenario).title, next(side for side, who in game.sides.items() if who == person))
        for game in (met.games if met is not None else ())
        if game.points is None
    ]
    return emails.render(
        "tournament",
        club,
        title=one.title,
        over=one.is_over,
        winner=name(one.winner, people) if one.winner else "",
        round=len(one.rounds),
        meets=met is not None and bool(met.games),
        bye=met is not None and not opponent,
        opponent=name(met.other(person), people) if met is not None and opponent else "",
        games=games,
        standings=tournament(one, people),
    )


def rehearsed(results: Rehearsed) -> list[str]:
    """Return the results of a rehearsal (a simulation of a club) as lines of text.

    The lines are a summary, a row for each week, and the list of events.
    """
    going = results.games - results.over
    gone = f"{_listed(results.vanished)} stopped answering" if results.vanished else "nobody stopped answering"
    lines = [
        f"{several(results.days, 'day')}, {several(results.games, 'game')}, {results.people} people, "
        f"seed {results.seed}; {gone}.",
        "The players and their orders are invented. The host acted as it would in the club itself.",
        "",
    ]
    letters = f"{results.letters}: {results.late} after the deadline, {results.erred} with a mistake or from elsewhere"
    sent = sum(results.mails.values())
    kinds = ", ".join(several(count, kind) for kind, count in sorted(results.mails.items(), key=lambda one: -one[1]))
    umpire = sum(results.umpire.values())
    stand = f", {len(results.stuck)} of them waiting for somebody" if results.stuck else ""
    rows = [
        ["games", f"{results.over} ended, {going} in play{stand}"],
        ["turns", f"{results.turns}; " + _days(results.per_turn, "a turn takes", or_none="no turn was completed")],
        ["received", letters],
        ["waiting", _days(results.waited, "players who had answered waited", or_none="nobody who had answered waited")],
        ["sent", f"{sent} to players, {sent / max(results.days, 1):.0f} a day: {kinds}"],
        ["umpire", f"{several(umpire, 'email')}, {7 * umpire / max(results.days, 1):.1f} a week:"],
        *(["", f"  {count} {what}"] for what, count in results.umpire.items()),
    ]
    if results.stopped:
        rows.append(
            [
                "stopped",
                f"{several(results.stopped, 'time')} too many were late at once (stop), so the host did nothing",
            ]
        )
    for how, one in results.policies.items():
        did = f"{several(one.games, 'game')}: late beyond grace {several(one.late, 'time')}"
        did += f", orders filed for them {several(one.filed, 'time')}" if one.filed else ""
        did += f", games waited {one.days:.0f} days in all, the longest {one.worst:.0f}" if one.days else ""
        rows.append([f'late = "{how}"', did])
    rows += [["tournament", line] for line in results.tournaments]
    rows += [["trouble", f"{count} {what}"] for what, count in results.troubles.items()]
    if results.left_out:
        rows.append(["left out", f"{_listed(results.left_out)}: their dice need a public beacon"])
    lines += [*grid(rows), ""]
    head = ["week", "games", "turns", "ended", "late", "filed", "days of waiting", "mails", "to the umpire"]
    weeks = [
        [str(n), *map(str, (w.going, w.turns, w.over, w.late, w.filed, w.waited, w.mails, w.umpire))]
        for n, w in enumerate(results.weeks, start=1)
    ]
    lines += [*grid([head, *weeks], right=range(len(head))), ""]
    lines += [f"day {day + 1:3}  {text}" for day, text in results.events[:EVENTS]]
    more = len(results.events) - EVENTS
    return [*lines, *([f"and {more} more, which --json has"] if more > 0 else [])]


EVENTS: Final = 60
"""Maximum number of events of a rehearsal that are shown."""


def _days(spread: Spread, what: str, *, or_none: str) -> str:
    if not spread.count:
        return or_none
    return f"{what} {spread.median:.1f} days (median), {spread.worst:.1f} at worst"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def rungs(rows_of_ladder: Sequence[Rung], people: People) -> list[str]:
    """Return a rating ladder as lines of text, with a header."""
    ranks = any(one.rank for one in rows_of_ladder)
    rows = [["", "", *(["rank"] if ranks else []), "points", "skill", "doubt", "games", "+", "=", "-"]]
    for one in rows_of_ladder:
        counts = [str(count) for count in (one.games, one.won, one.drawn, one.lost)]
        rank = [one.rank] if ranks else []
        figures = [f"{one.points:.1f}", f"{one.skill:.1f}", f"{one.doubt:.1f}"]
        rows.append([str(one.place), name(one.person, people), *rank, *figures, *counts])
    return grid(rows, right=(0, *range(2 + ranks, 9 + ranks)))


def rungs_page(rows_of_ladder: Sequence[Rung], club: str) -> str:
    """Return a rating ladder as an HTML page of the club's site; people have their names on the site."""
    from pbem.reports.html.site import LadderRow, ladder_page

    rows = [
        LadderRow(
            place=one.place, player=one.person, rank=one.rank, points=one.points, won=one.won, drawn=one.drawn,
            lost=one.lost,
        )
        for one in rows_of_ladder
    ]  # fmt: skip
    return ladder_page(rows, club)
