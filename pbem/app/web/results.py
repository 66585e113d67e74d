"""The results of local games: stars, the best result of each scenario, and possible next games.

Everything is computed from the games in the folder; nothing is stored. "You" is the player of that name in game.toml,
or the only person at the keyboard.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from pbem.app.web.course import COMPUTER, YOU, Lesson, open_sides, seats, skill_levels, stars_against
from pbem.data.scenarios import Scenario
from pbem.engine.outcomes import worth
from pbem.engine.state import Outcome
from pbem.games.status import Status
from pbem.games.storage.players import captain_of
from pbem.reports.text import sentences


def stars(result: str, opponents: Collection[str]) -> int:
    """Return the number of stars, 0 to 3, for a result against opponents.

    Only a victory gives stars. If there were several opponents, the strongest counts (:func:`stars_against`): a victory
    against the robot of the rules is worth one star, against an ensign or a captain two, against a commodore three.

    Args:
        result: The result as a game states it, such as ``decisive victory``.
        opponents: The players of the enemy's sides: ``robot``, a level, or a person.
    """
    if worth(result) <= 0:
        return 0
    return max(map(stars_against, opponents), default=1)


def your_side(now: Status, people: Collection[str]) -> str:
    """Return the side of the person who gets the result of a game; empty if that could be several people."""
    found = [one.side for one in now.sides if one.player == YOU and one.side in people]
    if len(found) == 1:
        return found[0]
    return next(iter(people)) if len(people) == 1 else ""


def enemies(setting: Scenario, players: Mapping[str, str], side: str) -> list[str]:
    """Return the players of the sides that fight against ``side``."""
    teams = {one.name: one.team for one in setting.sides}
    return [player for name, player in players.items() if teams.get(name, name) != teams.get(side, side)]


def in_a_few_words(opponents: Iterable[str]) -> str:
    """Return opponents as text, such as ``a captain`` or ``the robot and an ensign``."""
    return sentences.listed(list(dict.fromkeys(map(_called, opponents))))


def _called(player: str) -> str:
    found = captain_of(player)
    if found is not None:
        return f"{'an' if found.name[0] in 'aeiou' else 'a'} {found.name}"
    return "the robot" if player == "robot" else player or "nobody"


class BestResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a person in a scenario: the stars, the result as text, and the opponents as text."""

    stars: int
    result: str
    against: str


def result_of(now: Status, people: Collection[str], setting: Scenario) -> BestResult | None:
    """Return a person's result in a finished game.

    The result is ``None`` if the game is not over, or if it is not clear whose result it is.
    """
    side = your_side(now, people)
    own = next((one for one in now.outcome if one.side == side), None)
    if own is None or not now.over:
        return None
    others = enemies(setting, players_of(now), side)
    return BestResult(stars=stars(own.result, others), result=own.result, against=in_a_few_words(others))


def better(one: BestResult, other: BestResult | None) -> BestResult:
    """Return the better of two results; ``one`` if ``other`` is ``None``.

    More stars win. If the stars are equal, victory beats a draw, and a draw beats a defeat.
    """
    if other is None:
        return one
    return max(other, one, key=lambda found: (found.stars, worth(found.result)))


def players_of(now: Status) -> dict[str, str]:
    """Return the player of each side of a game."""
    return {one.side: "robot" if one.robot else one.player for one in now.sides}


def lesson_of(course: Iterable[Lesson], key: str) -> Lesson | None:
    """Return the scenario of the course that has a version with this key.

    The result is ``None`` for a scenario that is not in the course.
    """
    return next((one for one in course if any(version.key == key for version in one.versions)), None)


class CourseCard(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario of the course, as the start page shows it on a card.

    ``best`` is the best result so far; ``None`` if the scenario has not been played to its end. ``recommended`` is
    true for the first scenario of the course that has not been won.
    """

    lesson: Lesson
    best: BestResult | None
    recommended: bool


def cards_of(course: Iterable[Lesson], best: Mapping[str, BestResult]) -> list[CourseCard]:
    """Return a card for each scenario of the course; ``best`` has the best results by scenario number."""
    found, open_yet = list[CourseCard](), True
    for lesson in course:
        own = best.get(lesson.setting.number)
        recommended = open_yet and not (own and own.stars)
        open_yet = open_yet and not recommended
        found.append(CourseCard(lesson=lesson, best=own, recommended=recommended))
    return found


class NewGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that a button starts: the text on the button, and the form fields that it sends."""

    label: str
    version: str
    side: str
    against: str
    ships: dict[str, str] = {}


class GameResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a game, for the banner above the board.

    Attributes:
        headline: ``Victory``, ``Defeat`` or ``Draw``. If two people share the keyboard, it says who won.
        verdict: ``won``, ``lost`` or ``drawn``; empty if two people share the keyboard.
        outcome: For each side that the banner names, its result and the reason for that result.
        ships: What became of the ships, in one sentence.
        stars: The stars that were won.
        most: The stars that could be won; 0 if none are given.
        offers: The games that can be started now.
        next: The number and the title of the next scenario; empty if there is none.
    """

    headline: str
    verdict: str
    outcome: tuple[Outcome, ...]
    ships: str
    stars: int
    most: int
    offers: tuple[NewGame, ...] = ()
    next: tuple[str, str] | None = None


def game_result(
    now: Status,
    people: Collection[str],
    ships: str,
    setting: Scenario,
    course: Collection[Lesson],
    chosen: Mapping[str, str],
) -> GameResult:
    """Return the result of a finished game, for the banner above the board.

    Args:
        now: The status of the game.
        people: The sides that are played at the keyboard.
        ships: What became of the ships, in one sentence.
        setting: The scenario of the game.
        course: The scenarios of the course.
        chosen: The ship classes that were chosen for the game.
    """
    own = result_of(now, people, setting)
    lessons = list(course)
    lesson = lesson_of(lessons, now.scenario)
    offers = tuple(_offers(now, your_side(now, people), setting, chosen)) if lesson is not None else ()
    after = lessons[lessons.index(lesson) + 1 :] if lesson is not None else []
    headline, verdict = ("", "") if own is None else _verdict(own.result)
    shared = len(people) > 1
    return GameResult(
        headline=_winners(now.outcome) if shared or own is None else headline,
        verdict="" if shared else verdict,
        outcome=tuple(one for one in now.outcome if shared or own is None or one.side in people),
        ships=ships,
        stars=own.stars if own is not None else 0,
        most=lesson.most_stars if lesson is not None and not shared else 0,
        offers=offers,
        next=(after[0].setting.number, after[0].setting.title) if after else None,
    )


def _verdict(result: str) -> tuple[str, str]:
    value = worth(result)
    return ("Victory", "won") if value > 0 else ("Defeat", "lost") if value < 0 else ("Draw", "drawn")


def _winners(outcome: Iterable[Outcome]) -> str:
    winners = [one.side for one in outcome if worth(one.result) > 0]
    return f"Victory of {sentences.listed(winners)}" if winners else "Nobody won"


def _offers(now: Status, side: str, setting: Scenario, chosen: Mapping[str, str]) -> Iterable[NewGame]:
    """Yield the games to offer after a game: a rematch, the other side, and a harder opponent.

    ``side`` is the side of the person, and ``chosen`` has the ship classes of the game.
    """
    free = [one.name for one in open_sides(setting)]
    against = played_against(setting, side, players_of(now))
    if not against:
        return

    def offer(label: str, side: str, against: str) -> NewGame:
        return NewGame(label=label, version=now.scenario, side=side, against=against, ships=dict(chosen))

    yield offer("Rematch", side, against)
    if len(free) == 1:
        return
    others = {player for name, player in players_of(now).items() if name in free and name != side}
    level = captain_of(min(others)) if len(others) == 1 else None  # a computer player keeps its level on the other side
    yield offer("Swap sides", free[(free.index(side) + 1) % len(free)], level.name if level else against)
    harder = harder_than(enemies(setting, players_of(now), side))
    if against != "friend" and harder:
        yield offer(f"Harder: {_called(harder)}", side, harder)


def played_against(setting: Scenario, side: str, players: Mapping[str, str]) -> str:
    """Return the value of the form field ``against`` that starts a game with these players, or ``""``.

    ``side`` is the user's side, and ``players`` has the player of each side.
    """
    free = [one.name for one in open_sides(setting)]
    if side not in free:
        return ""
    for against in (COMPUTER, "friend", *(level.name for level in skill_levels())):
        wanted = seats(setting, side, against)
        if all(wanted[name] == players.get(name) for name in free if name != side):
            return against
    return ""


def harder_than(opponents: Iterable[str]) -> str:
    """Return the next harder level of computer players; empty if there is none, or if a person played."""
    names = [level.name for level in skill_levels()]
    found = [captain_of(player) for player in opponents]
    ranks = [names.index(level.name) for level in found if level is not None and level.name in names]
    rank = max(ranks, default=-1) + 1
    return names[rank] if rank < len(names) else ""
