"""Run tournaments: create their games, inform the players, read the results, and start the next round.

A pairing is stored before its games are created. If a stored game does not exist yet, the next run creates it. So
an interrupted run continues where it stopped.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import pbem
from pbem.club import ladder, words as told
from pbem.club.pairing import PairedGame, Pairing
from pbem.club.tournament import (
    NAME,
    Tournament,
    TournamentPlan,
    due,
    names,
    new_file,
    next_round,
    planned,
    read,
    replays,
    write,
)
from pbem.errors import Fault, GameError
from pbem.games.answers import answers
from pbem.games.create import new
from pbem.games.proof.beacon import sealing_of
from pbem.games.site import LADDER, TOURNAMENTS
from pbem.games.storage.files import is_device, keep, read_bytes, read_kept, remove, write_text
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import read_rounds
from pbem.mail.host.site import known_site
from pbem.mail.people import Roll, names_in, read_people
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import host_games
from pbem.mail.settings import figures_for, game_rule, read_host
from pbem.mail.transport.outbox import MAIL, open_outbox
from pbem.util import only

if TYPE_CHECKING:
    from pbem.reports.html.site import GameLine

WAIT = 60.0
"""How many seconds to wait for the lock on the club if the host is working on it."""
LADDER_MADE = "ladder.json"
"""Name of the file that says what the page of the ladder was made from."""
Seed = Callable[[str], str]
"""A function that returns the seed of a game's dice for the game's name.

An empty text means that the game has no seed: its dice are drawn at random, as in every real game.
"""


class TournamentStep(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of :func:`direct` did for a tournament.

    Attributes:
        tournament: The tournament after the run.
        noted: Names of the games whose results were recorded.
        made: Names of the games that were created.
        began: Whether a round was started.
        ended: Whether the tournament ended.
        finished: Whether the run completed work that an earlier, interrupted run had left.
    """

    tournament: Tournament
    noted: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    began: bool = False
    ended: bool = False
    finished: bool = False

    @property
    def empty(self) -> bool:
        """Whether the run changed nothing."""
        return not (self.noted or self.made or self.began or self.ended or self.finished)


def begin(club: Path, name: str, plan: TournamentPlan) -> Tournament:
    """Write the settings file of a new tournament, and return the tournament. No game is created yet.

    Args:
        club: The folder of the club.
        name: Name of the tournament.
        plan: The settings. People may be given as keys of players.toml, names or addresses. If the plan has no seed,
            a random one is chosen.

    Raises:
        GameError: The name is taken or invalid, or a setting is wrong. Then no file is left on disk.
    """
    read_host(club)
    if not NAME.fullmatch(name) or is_device(name):
        text = f"{name!r} cannot be a tournament's name: use 1 to 24 letters, digits, _ and -, not _ or - first"
        raise GameError.saying("tournament", text)
    file = club / TOURNAMENTS / f"{name}.toml"
    if file.exists() or file.with_suffix(".json").exists():
        raise GameError.saying(
            "not-empty", "there is already a tournament of that name; it was not changed", file=str(file)
        )
    roll = read_people(club)
    keys = tuple(only([*roll.meant(one)]) or one for one in plan.people)
    text = new_file(msgspec.structs.replace(plan, people=keys, seed=plan.seed or secrets.token_hex(8)))
    plan = planned(name, text.encode(), roll, file)
    write_text(file, text, private=True)
    return Tournament(name=name, plan=plan)


def current_tournament(club: Path, name: str) -> Tournament:
    """Return a tournament with the results of its finished games added; nothing is written."""
    tournament = read(club, name, read_people(club))
    return _with_results(club, tournament, [game.name for game in _games(tournament)])[0]


def direct(club: Path, name: str, now: datetime) -> TournamentStep:
    """Record results, create missing games, and start the next round if the current one is over.

    Return what was done. ``club`` is the folder of the club and ``name`` the tournament.

    Raises:
        GameError: A file cannot be read, or a game cannot be created.
    """
    with locked(club, "host tournament", WAIT):
        people = read_people(club)
        tournament = read(club, name, people)
        return _direct(club, tournament, people, now, [game.name for game in _games(tournament)], lambda name: "")


def direct_all(club: Path, now: datetime, over: Collection[str], seed: Seed = lambda name: "") -> list[str]:
    """Run :func:`direct` for all tournaments of a club, and return the names of the games created.

    The host calls this function once in each pass over its games, while it holds the club's lock. A new round starts
    only in tournaments whose setting ``auto`` is on. A tournament that fails does not stop the others.

    Args:
        club: The folder of the club.
        now: The present time.
        over: Names of the games that are over; no other results are read.
        seed: A function that gives the seed of the dice for each new game.

    Raises:
        GameError: At least one tournament failed. The error has the faults of all that failed.
    """
    tournaments, made, faults = names(club), list[str](), list[Fault]()
    people = read_people(club) if tournaments else Roll()
    for name in tournaments:
        try:
            tournament = read(club, name, people)
            if not tournament.is_over or tournament.unfinished:
                ended = [game.name for game in _games(tournament) if game.points is None and game.name in over]
                made += _direct(club, tournament, people, now, ended, seed, goes_on=tournament.plan.auto).made
            else:
                _show(club, tournament, people, anew=False)
        except GameError as error:
            faults += error.faults
    try:
        _renew_ladder(club)
    except GameError as error:
        faults += error.faults
    if faults:
        raise GameError(*faults)
    return made


def show_all(club: Path) -> list[Fault]:
    """Write the missing web pages of public tournaments, and remove the pages of all others.

    Return a fault for each tournament that cannot be read.
    """
    faults = list[Fault]()
    for name in names(club):
        try:
            people = read_people(club)
            _show(club, read(club, name, people), people, anew=False)
        except GameError as error:
            faults += error.faults
    return faults


def _direct(
    club: Path, before: Tournament, people: Roll, now: datetime, over: Collection[str], seed: Seed, *,
    goes_on: bool = True,
) -> TournamentStep:  # fmt: skip
    late: list[str] = []
    if finished := bool(before.unfinished):
        before, late = _finish(club, before, people, seed)
    tournament, noted = _with_results(club, before, over)
    rounds = read_rounds(club).at(now)
    if due(tournament, now, rounds):
        tournament, decided = _out_of_time(club, tournament, now)
        noted += decided
    tournament = replays(tournament) if goes_on else tournament
    begins = goes_on and not tournament.is_over and (not tournament.rounds or tournament.rounds[-1].is_over)
    if begins:
        begun = next_round(tournament)
        begun = msgspec.structs.replace(begun, at=now, began=rounds.began, drift=rounds.drift)
        tournament = msgspec.structs.replace(tournament, rounds=(*tournament.rounds, begun))
    ended = tournament.is_over and not before.is_over
    replayed = len([*_games(tournament)]) > len([*_games(before)])
    if tournament != before:
        tournament = msgspec.structs.replace(
            tournament, unfinished="letters" if begins or ended or replayed else "standings"
        )
        write(club, tournament)  # the round is stored before its games are created
    tournament, made = _finish(club, tournament, people, seed)
    return TournamentStep(
        tournament=tournament, noted=tuple(noted), made=(*late, *made), began=begins, ended=ended, finished=finished
    )  # fmt: skip


def _finish(club: Path, tournament: Tournament, people: Roll, seed: Seed) -> tuple[Tournament, list[str]]:
    """Do the work that remains after a round is stored; return the tournament and the names of new games.

    The work is to create missing games, write the standings, and inform the players by email. If this function is
    interrupted, call it again; the result is the same.
    """
    missing = [game for game in _games(tournament) if game.points is None and not _folder(club, game).exists()]
    for game in missing:
        new(
            game.scenario, _folder(club, game), players=game.sides, options=tournament.plan.options,
            seed=seed(game.name), everybody=True, figures=figures_for(_folder(club, game)),
            names=names_in(people, game.sides.values()),
        )  # fmt: skip
    _show(club, tournament, people, anew=bool(tournament.unfinished))
    if tournament.unfinished == "letters":
        _tell(club, tournament, people)
    if tournament.unfinished:
        tournament = msgspec.structs.replace(tournament, unfinished="")
        write(club, tournament)
    return tournament, [game.name for game in missing]


def _games(tournament: Tournament) -> Iterator[PairedGame]:
    return (game for each in tournament.rounds for met in each.pairings for game in met.games)


def _folder(club: Path, game: PairedGame) -> Path:
    return club / "games" / game.name


def _show(club: Path, tournament: Tournament, people: Roll, *, anew: bool) -> None:
    """Write the standings of a tournament: a text for the email command STANDINGS, and a web page.

    An existing text is kept unless ``anew`` is true. Only a public tournament has a page; any other page is deleted.
    """
    text, page = (club / TOURNAMENTS / f"{tournament.name}.{kind}" for kind in ("txt", "html"))
    if anew or not text.is_file():
        write_text(text, "\n".join(told.tournament(tournament, people)) + "\n", private=True)
    if tournament.plan.public:
        _renew_page(page, told.page(tournament, people))
    else:
        remove(page)


def _renew_page(file: Path, page: str) -> None:
    """Write a page for the club's site, unless the file already has this content.

    A changed file makes the host write the site again, so an unchanged one must not be written.
    """
    if not file.is_file() or read_bytes(file) != page.encode("utf-8"):
        write_text(file, page, private=True)


def ladder_shown(club: Path, lines: Mapping[str, GameLine]) -> str:
    """Return the page of the ladder for a club's site; empty if there is no ladder.

    There is no ladder if no game between people is finished, or if the library for ratings is missing.

    Args:
        club: The folder of the club.
        lines: The index entries of the site's games, by folder.
    """
    try:
        host = read_host(club)
        found = ladder.ladder(ladder.results_on_site(club, lines), host.ranks)
    except GameError:
        return ""
    return told.rungs_page(found, host.name) if found else ""


def show_ladder(club: Path, lines: Mapping[str, GameLine]) -> None:
    """Write the page of the ladder for a club's site, or remove the page if there is no ladder.

    ``lines`` are the index entries of the site's games, by folder.
    """
    page, file = ladder_shown(club, lines), club / LADDER
    if page:
        _renew_page(file, page)
    else:
        remove(file)


class _LadderMade(msgspec.Struct, frozen=True, kw_only=True):
    """A fingerprint of the data from which the present page of the ladder was made."""

    made: str = ""


def _renew_ladder(club: Path) -> None:
    """Write the page of the ladder if a game on the host's site ended or changed since the last time."""
    shown = known_site(club)
    ended = {name: line for name, line in shown.lines.items() if line.over}
    if not ended and not (club / LADDER).is_file():
        return
    host, rates = read_host(club), find_spec("openskill") is not None
    marks = [(name, shown.marks.get(name, ""), line.players) for name, line in sorted(ended.items())]
    made = hashlib.sha256(repr((pbem.__version__, rates, marks, host.name, host.ranks)).encode()).hexdigest()
    file = club / MAIL / LADDER_MADE
    if (read_kept(file, _LadderMade) or _LadderMade()).made != made:
        show_ladder(club, ended)
        keep(file, _LadderMade(made=made))


# --- results ---------------------------------------------------------------------------------------------------------


def _with_results(club: Path, tournament: Tournament, wanted: Iterable[str]) -> tuple[Tournament, list[str]]:
    """Return a tournament with results read from game folders, and the names of the games that changed.

    Only the folders of the ``wanted`` games are read; games are given by name.
    """
    found = {
        game.name: result for game in _games(tournament) if game.name in {*wanted} and (result := _result(club, game))
    }
    changed = [game.name for game in _games(tournament) if found.get(game.name, game) != game]
    return (_replaced(tournament, found), changed) if changed else (tournament, [])


def _replaced(tournament: Tournament, changed: dict[str, PairedGame]) -> Tournament:
    replace = msgspec.structs.replace

    def of_pairing(met: Pairing) -> Pairing:
        return replace(met, games=tuple(changed.get(game.name, game) for game in met.games))

    rounds = tuple(replace(each, pairings=tuple(map(of_pairing, each.pairings))) for each in tournament.rounds)
    return replace(tournament, rounds=rounds)


def _result(club: Path, game: PairedGame) -> PairedGame | None:
    """Return a tournament game with the result from its folder; ``None`` if the folder does not exist."""
    folder = _folder(club, game)
    if not (folder / "game.toml").is_file():
        return None
    with opened(folder) as opened_game:
        state = opened_game.state()
    if not state.over:
        return msgspec.structs.replace(game, points=None, why="")
    return msgspec.structs.replace(
        game,
        points=ladder.points(game.sides, state.outcome),
        why=next((one.why for one in state.outcome if one.why), ""),
    )


def _out_of_time(club: Path, tournament: Tournament, now: datetime) -> tuple[Tournament, list[str]]:
    """End the unfinished games of a round whose time limit has passed, by a ruling for each.

    Return the tournament with the results, and the names of the games that ended.
    """
    late = [game for game in _games(tournament) if game.points is None and _folder(club, game).is_dir()]
    for game in late:
        with opened(_folder(club, game), lock="host tournament") as folder:
            paused = timetable.read_clock(folder.path).paused is not None
            if not folder.state().over and not paused and sealing_of(folder) is None:
                override(folder, _decree(club, folder, game, tournament, now))
    return _with_results(club, tournament, [game.name for game in late])


def _decree(club: Path, folder: GameFolder, game: PairedGame, tournament: Tournament, now: datetime) -> Decree:
    """Return the umpire's ruling that ends a game because the time limit of its round has passed.

    If exactly one side is late with its orders, that side loses; otherwise the game is a draw. ``folder`` is the folder
    of the game.
    """
    state, rule, rounds = folder.state(), game_rule(read_host(club), folder.path), read_rounds(club)
    times = timetable.read_clock(folder.path).times(rule, rounds.at(now))
    owing = [] if state.request is None else [side for side in state.request.sides if side not in answers(folder)[0]]
    late = [side for side in owing if side in game.sides] if times is not None and now > times.final else []
    reason = f"the time for round {len(tournament.rounds)} of {tournament.title} is over"
    if len(late) != 1:
        return Decree(reason=reason, result=dict.fromkeys(state.sides, "draw"))
    team = state.team_of(late[0])
    result = {side: "defeat" if state.team_of(side) == team else "victory" for side in state.sides}
    return Decree(reason=f"{reason}, and {late[0]} owes orders", result=result)


# --- emails ---------------------------------------------------------------------------------------------------------


def _tell(club: Path, tournament: Tournament, people: Roll) -> None:
    """Send each person of a tournament an email with their opponent and the standings.

    The email is sent once for each round, and at the end of the tournament. If a round gets replays, only the people
    who play them get another email.
    """
    host = read_host(club)
    games = host_games(club, host)
    outbox = open_outbox(club, host, games)
    what = "the end" if tournament.is_over else f"round {len(tournament.rounds)}"
    more = (
        sum(len(met.games) > tournament.plan.legs for met in tournament.rounds[-1].pairings) if tournament.rounds else 0
    )
    for key in tournament.plan.people:
        person = people.people[key]
        replayed = [
            met for met in tournament.rounds[-1].pairings if key in met.people and len(met.games) > tournament.plan.legs
        ]
        if more and not tournament.is_over and not replayed:
            continue  # this person has no replay
        message = told.letter(tournament, key, people, club)
        outbox.put(
            Reply(
                to=f"{person.name} <{person.mail}>" if person.name else person.mail,
                subject=message.subject,
                text=f"{message.text}\n",
                kind="notice",
                key=f"tournament {tournament.name} {tournament.plan.seed} {what} {len(replayed)} {key}",
            )
        )
