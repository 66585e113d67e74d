"""Read and store a tournament (settings and rounds so far), and make the pairings of its next round.

The person who runs the club writes the settings into ``tournaments/NAME.toml`` in the club folder. The program writes
``tournaments/NAME.json``. This file has the rounds with sides, games and results, so that standings survive if the
games are moved to another place. Pairings depend only on these two files (:func:`next_round`).
:mod:`pbem.club.directing` creates the games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from math import ceil, log2
from pathlib import Path
from random import Random
from typing import Final, Literal

import msgspec

from pbem.club import pairing
from pbem.club.pairing import BYE, WIN, Balance, Pair, PairedGame, Pairing, Tie, TournamentRound, table
from pbem.data.files import NotToml, build, parse_toml
from pbem.data.scenarios import scenario, scenario_keys
from pbem.errors import Fault, GameError
from pbem.games.site import TOURNAMENTS
from pbem.games.storage.files import is_device, json_in, keep, read_bytes, read_toml_file
from pbem.mail.host.clocks import Rounds
from pbem.mail.host.deadlines import span
from pbem.mail.people import Roll
from pbem.util import regex

FORMAT: Final = 1
NAME: Final = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,23}")
Kind = Literal["swiss", "round robin", "knock-out"]
DUELS: Final = "all duels"
MOST_LEGS: Final = 4


class TournamentPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings file of a tournament.

    * ``people``: keys of players.toml.
    * ``scenarios``: the scenarios, one per round in this order, repeated if needed; ``all duels`` stands for every
      duel scenario.
    * ``rounds``: number of rounds of a Swiss tournament; 0 means as many as are needed to find one winner.
    * ``legs``: how many games two people play against each other, with alternating sides.
    * ``ties``: the rules that break ties in the standings, the most important first.
    * ``seed``: seed of all random choices.
    * ``seeded``: whether ``people`` are in order of strength; otherwise the order is random.
    * ``auto``: whether the host starts the next round when one is over.
    * ``time``: the longest duration of a round.
    * ``options``: the options of the games.
    * ``out``: people who have left the tournament.
    * ``public``: whether the club's site shows the tournament.
    """

    format: int
    kind: Kind
    people: tuple[str, ...]
    scenarios: tuple[str, ...] = (DUELS,)
    title: str = ""
    rounds: int = 0
    legs: int = 1
    ties: tuple[Tie, ...] = ()
    seed: str = ""
    seeded: bool = False
    auto: bool = True
    time: str = ""
    options: dict[str, str] = {}
    out: tuple[str, ...] = ()
    public: bool = False


Unfinished = Literal["", "standings", "letters"]
"""What still has to be done after a round was stored.

``""`` means nothing. ``standings`` means that games must be created and the standings written. ``letters`` means
that in addition all players must be informed by email.
"""


class StoredRounds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content of the JSON file: the rounds paired so far, and the work that is still to be done."""

    rounds: tuple[TournamentRound, ...] = ()
    format: int
    unfinished: Unfinished = ""


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament: its name, its settings, and its rounds."""

    name: str
    plan: TournamentPlan
    rounds: tuple[TournamentRound, ...] = ()
    unfinished: Unfinished = ""

    @property
    def title(self) -> str:
        """The title that players see."""
        return self.plan.title or self.name

    @property
    def ranked(self) -> list[str]:
        """The people in the order that decides ties: by strength if the settings say so, else random.

        The random order is the same every time.
        """
        people = [*self.plan.people]
        if not self.plan.seeded:
            Random(f"{self.plan.seed} order").shuffle(people)
        return people

    @property
    def length(self) -> int:
        """The total number of rounds."""
        count = len(self.plan.people)
        if self.plan.kind == "round robin":
            return count - 1 + count % 2
        return self.plan.rounds if self.plan.kind == "swiss" and self.plan.rounds else ceil(log2(count))

    @property
    def ties(self) -> tuple[Tie, ...]:
        """The rules that break ties in the standings, the most important first."""
        usual: tuple[Tie, ...] = ("direct", "berger") if self.plan.kind == "round robin" else ("buchholz", "direct")
        return self.plan.ties or (*usual, "wins")

    @property
    def is_over(self) -> bool:
        """Whether the last round of the tournament is over."""
        return len(self.rounds) >= self.length and self.rounds[-1].is_over

    @property
    def winner(self) -> str:
        """The winner's key in players.toml; empty if the tournament is not over or has no single winner."""
        if not self.is_over:
            return ""
        if self.plan.kind == "knock-out":
            return _winner(self, self.rounds[-1].pairings[0])
        rows = table(self.ranked, self.rounds, self.ties)
        return rows[0].person if [row.place for row in rows].count(1) == 1 else ""


def names(club: Path) -> list[str]:
    """Return the names of a club's tournaments."""
    return sorted(path.stem for path in (club / TOURNAMENTS).glob("*.toml")) if (club / TOURNAMENTS).is_dir() else []


def read(club: Path, name: str, people: Roll) -> Tournament:
    """Read a tournament of a club from its two files.

    Raises:
        GameError: The tournament does not exist, or its files have errors. The exception lists all of them.
    """
    file = club / TOURNAMENTS / f"{name}.toml"
    if not file.is_file():
        has = f"it has {', '.join(names(club))}" if names(club) else "begin one with --new KIND"
        raise GameError.saying("no-tournament", f"this club has no tournament {name!r}; {has}", file=str(club))
    plan = planned(name, read_toml_file(file), people, file)
    record_file = file.with_suffix(".json")
    if not record_file.is_file():
        return Tournament(name=name, plan=plan)
    record = json_in(
        read_bytes(record_file), StoredRounds, "tournament-damaged", "the file of pairings is damaged", record_file
    )
    return Tournament(name=name, plan=plan, rounds=record.rounds, unfinished=record.unfinished)


def planned(name: str, data: bytes, people: Roll, file: Path) -> TournamentPlan:
    """Read the settings of a tournament from the content of its TOML file.

    Raises:
        GameError: The file has errors. The exception lists all of them.
    """
    try:
        raw = parse_toml(data.decode("utf-8"))
    except (UnicodeDecodeError, NotToml) as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=str(file)) from error
    if raw.get("format") != FORMAT:
        raise GameError.saying("format", f"this file has no line `format = {FORMAT}`", file=str(file))
    plan: TournamentPlan = build(TournamentPlan, raw, str(file))
    if wrong := [*_wrong(name, plan, people)]:
        raise GameError(*(Fault(code="tournament", text=text, file=str(file)) for text in wrong))
    return plan


def write(club: Path, tournament: Tournament) -> None:
    """Write the rounds of a tournament to its JSON file."""
    record = StoredRounds(rounds=tournament.rounds, format=FORMAT, unfinished=tournament.unfinished)
    keep(club / TOURNAMENTS / f"{tournament.name}.json", record, indent=True)


def _wrong(name: str, plan: TournamentPlan, people: Roll) -> Iterable[str]:
    """Yield a message for each error in a tournament's settings."""
    if not NAME.fullmatch(name) or is_device(name):
        yield f"{name!r} cannot be a tournament's name: use 1 to 24 letters, digits, _ and -, not _ or - first"
    yield from _wrong_people(plan, people)
    yield from _wrong_rounds(plan)
    if plan.time and not span(plan.time):
        yield f"time = {plan.time!r} is not a length of time like '60 days'"
    yield from _wrong_scenarios(plan)


def _wrong_people(plan: TournamentPlan, people: Roll) -> Iterable[str]:
    """Yield a message for each error in the lists of players and of people who have left."""
    least = 3 if plan.kind == "round robin" else 2
    if len(plan.people) < least:
        yield f"people: a {plan.kind} needs {least} at least"
    for person, count in Counter(plan.people).items():
        if count > 1:
            yield f"people: {person} is there {count} times"
        if person not in people.people:
            yield f"people: {person!r} is not a key in players.toml; {_hint(person, people.people, people)}"
    for person in plan.out:
        if person not in plan.people:
            yield f"out: {person!r} does not take part; {_hint(person, plan.people, people)}"


def _wrong_rounds(plan: TournamentPlan) -> Iterable[str]:
    """Yield a message for an invalid number of rounds or of games per pairing."""
    if not 1 <= plan.legs <= MOST_LEGS:
        yield f"legs = {plan.legs}: must be 1 to {MOST_LEGS} games of each pair"
    most = len(plan.people) - 1 + len(plan.people) % 2
    if not 0 <= plan.rounds <= most:
        yield f"rounds = {plan.rounds}: {len(plan.people)} people play 1 to {most} rounds; 0 means as many as needed"
    if plan.rounds and plan.kind != "swiss":
        yield f"rounds: leave it out; the number of people decides it for a {plan.kind}"


def _wrong_scenarios(plan: TournamentPlan) -> Iterable[str]:
    """Yield a message for each error in the list of scenarios."""
    if not plan.scenarios:
        yield "scenarios: name at least one"
    for key in plan.scenarios:
        if key != DUELS:
            try:
                sides_of(key)
            except GameError as error:
                yield f"scenarios: {error.faults[0].text}"


def _hint(person: str, keys: Collection[str], people: Roll) -> str:
    """Return a suggestion for an unknown key of a person, or the list of known keys if none is similar."""
    near = [key for key in people.meant(person) if key in keys] or get_close_matches(person.casefold(), keys, n=1)
    return f"did you mean {near[0]!r}?" if len(near) == 1 else f"there are {', '.join(keys) or 'none'}"


# --- scenarios -------------------------------------------------------------------------------------------------------


def sides_of(key: str) -> Pair:
    """Return the two sides of a scenario that people can play.

    Raises:
        GameError: The number of sides that people can play is not two.
    """
    found = scenario(key.removeprefix("#"))
    sides = [side.name for side in found.sides if side.robot in ("no", "may")]
    if len(sides) != 2:
        text = f"{key!r} is not a scenario for two: people play {', '.join(sides)}"
        raise GameError.saying("not-for-two", text)
    return sides[0], sides[1]


def scenarios_of(plan: TournamentPlan) -> list[str]:
    """Return the keys of a tournament's scenarios, in the order in which rounds use them."""
    found: list[str] = []
    for key in plan.scenarios:
        if key == DUELS:
            found += [one for one in sorted(scenario_keys(), key=int) if scenario(one).victory.kind == "duel"]
        else:
            found.append(key.removeprefix("#"))
    return found


# --- pairing ---------------------------------------------------------------------------------------------------------


def next_round(tournament: Tournament) -> TournamentRound:
    """Return the next round of a tournament with its pairings and games; the last round must be over.

    The same tournament always gives the same round.
    """
    number = len(tournament.rounds) + 1
    lot = Random(f"{tournament.plan.seed} round {number}")
    if tournament.plan.kind == "round robin":
        return _round_robin(tournament, number)
    balance = balance_of(tournament)
    if tournament.plan.kind == "swiss":
        pairs = _swiss(tournament, balance, lot)
    else:
        pairs = pairing.bracket(tournament.ranked) if number == 1 else _winners_meet(tournament)
    key = _turn(scenarios_of(tournament.plan), number)
    met: list[Pairing] = []
    for n, pair in enumerate(pairs, start=1):
        if walkover := _walkover(tournament, pair):
            met.append(walkover)
            continue
        first = balance.deal(key, pair, lot)
        balance.add(key, *first)
        met.append(Pairing(people=pair, games=_games(tournament, number, n, key, first)))
    return TournamentRound(pairings=tuple(met))


def _turn(keys: Sequence[str], number: int) -> str:
    """Return the scenario for the round with this number; all its games use the same one."""
    return keys[(number - 1) % len(keys)]


def _walkover(tournament: Tournament, pair: Pair) -> Pairing | None:
    """Return a pairing that is decided without a game, because of a bye or because a person has left.

    Return ``None`` if both people can play.
    """
    present = tuple(person for person in pair if person != BYE)
    playing = [person for person in present if person not in tournament.plan.out]
    if len(playing) == 2:
        return None
    return Pairing(people=present, points=dict.fromkeys(playing, WIN * tournament.plan.legs))


def _games(tournament: Tournament, number: int, n: int, key: str, pair: Pair) -> tuple[PairedGame, ...]:
    """Return the games of a pairing; sides alternate from game to game.

    The first person of ``pair`` has the first side in the first game.
    """
    found = []
    for leg in range(tournament.plan.legs):
        suffix = "abcd"[leg] if tournament.plan.legs > 1 else ""
        first, second = pair if leg % 2 == 0 else (pair[1], pair[0])
        sides = dict(zip(sides_of(key), (first, second), strict=True))
        found.append(PairedGame(name=f"{tournament.name}-{number}-{n}{suffix}", scenario=key, sides=sides))
    return tuple(found)


def balance_of(tournament: Tournament) -> Balance:
    """Return how often each person has played each side so far in this tournament."""
    balance = Balance()
    for game in (game for each in tournament.rounds for met in each.pairings for game in met.games):
        first, second = sides_of(game.scenario)
        balance.add(game.scenario, game.sides[first], game.sides[second])
    return balance


def _round_robin(tournament: Tournament, number: int) -> TournamentRound:
    """Return the round with this number of a round robin.

    All its pairings and sides follow from the tournament's settings alone.
    """
    rounds, keys = pairing.round_robin(tournament.ranked), scenarios_of(tournament.plan)
    pairs = [
        (_turn(keys, n), pair) for n, each in enumerate(rounds, start=1) for pair in each if BYE not in pair
    ]  # fmt: skip
    dealt = {frozenset(pair): pair for pair in pairing.dealt(pairs)}
    met = []
    for n, pair in enumerate(rounds[number - 1], start=1):
        walkover = _walkover(tournament, pair)
        if walkover is None:
            games = _games(tournament, number, n, _turn(keys, number), dealt[frozenset(pair)])
            walkover = Pairing(people=pair, games=games)
        elif BYE in pair:
            walkover = msgspec.structs.replace(walkover, points={})  # in a round robin everybody has one bye
        met.append(walkover)
    return TournamentRound(pairings=tuple(met))


def _swiss(tournament: Tournament, balance: Balance, lot: Random) -> list[Pair]:
    playing = [person for person in tournament.ranked if person not in tournament.plan.out]
    rows = [row for row in table(tournament.ranked, tournament.rounds, tournament.ties) if row.person in playing]
    met = {frozenset(each.people) for one_round in tournament.rounds for each in one_round.pairings}
    rested = {person for pair in met if len(pair) == 1 for person in pair}
    scores = {row.person: row.points for row in rows}
    if len(playing) == 1:
        return [(playing[0], BYE)]
    return pairing.swiss([row.person for row in rows], scores, met, rested, balance, lot)


def _winners_meet(tournament: Tournament) -> list[Pair]:
    return pairing.winners_meet([_winner(tournament, met) for met in tournament.rounds[-1].pairings])


def _winner(tournament: Tournament, met: Pairing) -> str:
    """Return the person who advances from a knock-out pairing; after a tie, the higher-ranked person."""
    ranked = tournament.ranked
    if not met.people:
        return BYE
    playing = [person for person in met.people if person not in tournament.plan.out] or list(met.people)
    return min(playing, key=lambda person: (-met.score(person), ranked.index(person)))


def replays(tournament: Tournament) -> Tournament:
    """Return a knock-out tournament with a replay added for each drawn pairing of the last round.

    A replay is one more game in the same round, with sides exchanged. There is at most one per pairing. Any other
    tournament is returned unchanged.
    """
    if tournament.plan.kind != "knock-out" or not tournament.rounds:
        return tournament
    last = tournament.rounds[-1]
    met = tuple(_replayed(tournament, each) for each in last.pairings)
    return msgspec.structs.replace(
        tournament, rounds=(*tournament.rounds[:-1], msgspec.structs.replace(last, pairings=met))
    )  # fmt: skip


def _replayed(tournament: Tournament, met: Pairing) -> Pairing:
    games = met.games
    level = len({met.score(person) for person in met.people}) == 1
    again = len(games) > tournament.plan.legs
    if not games or not met.is_over or not level or again or {*met.people} & {*tournament.plan.out}:
        return met
    before = games[-1]
    first, second = sides_of(before.scenario)
    sides = {first: before.sides[second], second: before.sides[first]}
    name = f"{games[0].name.rstrip('abcd')}x"
    return msgspec.structs.replace(met, games=(*games, PairedGame(name=name, scenario=before.scenario, sides=sides)))


def new_file(plan: TournamentPlan) -> str:
    """Return the text of a new tournament file with these settings.

    Kind, title, people, scenarios, rounds, legs, seed and time are taken from ``plan``. All other settings get their
    default.
    """
    rows = [
        ("format", FORMAT, ""),
        ("kind", _quoted(plan.kind), "swiss, round robin or knock-out"),
        ("title", _quoted(plan.title), "what people read"),
        ("people", f"[{', '.join(map(_quoted, plan.people))}]", "keys of players.toml"),
        (
            "scenarios",
            f"[{', '.join(map(_quoted, plan.scenarios))}]",
            f'one after the other, round by round; or ["{DUELS}"]',
        ),
        ("rounds", plan.rounds, "of a Swiss; 0: as many as leave one winner at most"),
        ("legs", plan.legs, "games of two against each other, in turn of sides"),
        ("seeded", "false", "true: people stand in the order of their strength"),
        ("seed", _quoted(plan.seed), "what lots are drawn with; leave it"),
        ("auto", "true", "the host makes the next round when one is over"),
        ("time", _quoted(plan.time), "so long may a round last; then who owes orders has lost, else it is a draw"),
        ("out", "[]", "who plays no more"),
        ("public", "false", "whether `pbem site` shows it"),
    ]
    return "".join(f"{key} = {value}{f'  # {comment}' if comment else ''}\n" for key, value, comment in rows)


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()  # a JSON string is a TOML string


def due(tournament: Tournament, now: datetime, rounds: Rounds) -> bool:
    """Return whether the time limit of the current round has passed.

    Time that counts for no deadline, such as an outage of the host's email, does not count here either.
    """
    limit = span(tournament.plan.time) if tournament.plan.time else None
    last = tournament.rounds[-1] if tournament.rounds else None
    if limit is None or last is None or last.at is None:
        return False
    return now - last.at - rounds.since(last.began, last.drift) >= limit
