"""Stretches of random games, played again turned, mirrored, with other names, with the state in another order, and in
two parts: the same happens.

The dice are the same for the same questions, whatever these are called in the other game. What must decide between
equals and has no reason (:mod:`pbem.rules.ties`) decides in the other game as it did in the first: everything else has
to come out alike by itself. As a command::

    python -m tests.lab.symmetries --run 3 --stretches 2000
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace as with_
from typing import Any
from unittest.mock import patch

import msgspec

from pbem.ai.robot import commanders
from pbem.data.files import playing_with
from pbem.data.scenarios import Scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.dice import Secret, SegmentDice
from pbem.engine.events import AnyEvent, Record
from pbem.engine.play import resolve as resolving
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import Planet, Seeker, Shuttle, State
from pbem.games.proof.seals import sealed_orders
from pbem.lab.random_games.play import CONTINUE, RandomSegment, deal, key_for, opening, playable, stretches
from pbem.orders.model import Break
from pbem.orders.reader import read_condition, read_orders
from pbem.orders.writer import name_text, write_orders
from pbem.rules import ties
from pbem.rules.hexes import parse_hex
from tests.lab.likeness import Likeness, left_to_right, mirrored_ships, shifted_to_the_middle, turned, upside_down

WAYS = ("turned", "mirrored", "renamed", "shuffled", "split")
TURNS = 8
"""Turns of each game from which stretches are taken."""

NEAR = 12
"""Hexes from the edge of the far map: a stretch that comes so near is not turned."""


TOSSES = ("coin", "WAY")
"""Dice that toss for left or right (robot 3, scenario #11): in the mirror they show the other one."""

PREFERENCES = {
    "of_codes": (
        ("C1.3", "straight ahead, then left, right, sideslip left, sideslip right"),
        ("F2.0", "turns left"),
        ("FD1.2", "left if two directions are equal"),
        ("FD1.2", "left before right"),
    ),
    "of_turns_about": (("C1.41", "to the right"), ("J1.5", "right before left")),
    "of_shields": (
        ("D3.41", "if both are equal, the one with the lower number"),
        ("D4.22", "the volley on the shield with the lowest number is resolved first"),
        ("G8.24", "the one with the lower number"),
    ),
    "of_hexes": (("P2.0", "the first by column, then row"),),
    "of_names": (
        ("D1.4", "the first by name"),
        ("D4.34", "if shares are equal, the first unit by name"),
        ("D6.132", "the last by name"),
        ("D7.0", "if tied, the first by name"),
        ("FD1.2", "by the names of the launching ships"),
        ("Robot 2", "the first by name"),
        ("Scenario 11", "if tied, the first by name"),
    ),
}
"""The tie-breaks that the other game takes over: the functions of :mod:`pbem.rules.ties`, and what the compliance page
says of each, by rule.
"""

LISTED = frozenset({"sides", "sources", "outcome"})
"""Lists in events that stand in the order of names."""

NAMED_BY_NUMBER = re.compile(r"(?<![\w/])([A-Z]+[DPS])/\d+(?!\d)")
SMALL = (Seeker, Shuttle)

replace = msgspec.structs.replace


# --- the other game ---------------------------------------------------------------------------------------------------


class Other:
    """A game in another likeness: ``way`` leads to it, ``back`` from it; ``first`` is what happened in the first game.

    What is launched while it is played gets its name by number, in the order of its launchers' names; which one it is
    in the first game follows from launcher, weapon and moment.
    """

    def __init__(self, way: Likeness, back: Likeness, first: Sequence[Record] = ()) -> None:
        self.way, self.back = way, back
        self.launched = dict(launches(first))
        self.table: Resolution | None = None

    def origin(self, name: str) -> str:
        """What a unit or side is called in the first game."""
        if name not in self.back.named and self.table is not None:
            self._look()
        return self.back.name(name)

    def _look(self) -> None:
        """Take note of what was launched meanwhile."""
        assert self.table is not None
        for (unit, box, turn, impulse), name in launches(self.table.records):
            before = self.launched.get((self.back.name(unit), box, turn, impulse), name)
            if name not in self.back.named:
                self.back = with_(self.back, named={**self.back.named, name: before})
                self.way = with_(self.way, named={**self.way.named, before: name})

    def roll(self, label: str, sides: int, dice: SegmentDice) -> int:
        """The die of the first game for the same question."""
        if self.table is not None:
            self._look()
        die = dice.roll(self.back.label(label), sides)
        return sides + 1 - die if self.way.mirrored and label.split(" ")[-2] in TOSSES else die

    @contextmanager
    def preferring(self) -> Iterator[None]:
        """Within this, equals are preferred as they are in the first game (:data:`PREFERENCES`)."""
        other = self

        class Watched(Resolution):
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                other.table = self

        ours = {
            "of_codes": lambda code, was=ties.of_codes: was(self.back.code(code)),
            "of_turns_about": lambda code, was=ties.of_turns_about: was(self.back.code(code)),
            "of_shields": lambda number, was=ties.of_shields: was(self.back.shield(number)),
            "of_hexes": lambda hex, was=ties.of_hexes: was(self.back.moved(hex)),
            "of_names": lambda name, was=ties.of_names: was(self.origin(name)),
        }
        with ExitStack() as stack:
            for name in PREFERENCES:
                stack.enter_context(patch.object(ties, name, ours[name]))
            stack.enter_context(patch.object(resolving, "Resolution", Watched))
            if self.way.mirrored:
                stack.enter_context(playing_with(mirrored_ships()))
            yield


def launches(records: Sequence[Record]) -> Iterator[tuple[tuple[str, str, int, int], str]]:
    """What was launched: by whom, from which box, when; and its name."""
    for record in records:
        event = record.event
        if isinstance(event, ev.Launched):
            yield (event.unit, event.weapon, event.turn, event.impulse), event.seeker.name
        elif isinstance(event, ev.ShuttleLaunched):
            yield (event.unit, event.letter, event.turn, event.impulse), event.shuttle.name


class Asked(SegmentDice):
    """Dice that are asked by the other game."""

    def __init__(self, key: bytes, other: Other) -> None:
        super().__init__(key)
        self.plain, self.other = SegmentDice(key), other

    def roll(self, label: str, sides: int = 6) -> int:
        return self.other.roll(label, sides, self.plain)


def played(stretch: RandomSegment, texts: Mapping[str, str], key: bytes, other: Other | None = None) -> list[Record]:
    """What happens in a stretch, in the first game or in another."""
    filed = {side: Filed(text=text) for side, text in texts.items()}
    robots = commanders(stretch.setting)
    if other is None:
        return resolve(stretch.before, stretch.setting, filed, SegmentDice(key), robots=robots).records
    way = other.way
    state, setting = way(stretch.before), way(stretch.setting)
    filed = {way.name(side): Filed(text=way.text(text)) for side, text in texts.items()}
    with other.preferring():
        return resolve(state, setting, filed, Asked(key, other), robots=commanders(setting)).records


def refused(stretch: RandomSegment, texts: Mapping[str, str], other: Other) -> list[str]:
    """What the check says against the orders in the other game: they were legal in the first."""
    way = other.way
    state, setting = way(stretch.before), way(stretch.setting)
    with other.preferring():
        return [
            f"refused: {fault}"
            for side, text in texts.items()
            if text != CONTINUE
            for fault in check(state, setting, state.request, way.name(side), read_orders(way.text(text)).orders).faults
        ]


# --- what is compared -------------------------------------------------------------------------------------------------


def told(records: Sequence[Record], way: Likeness | None = None) -> list[tuple[str, Any]]:
    """The log as it reads in another likeness, but for what was filed and the dice's own record."""
    found = []
    for record in records:
        if isinstance(record.event, ev.OrdersFiled | ev.SegmentBegan):
            continue
        if way is not None:
            record = replace(record, event=_seen(record.event, way), shown=_seen(record.shown, way),
                             only=way.name(record.only))  # fmt: skip
        event = record.event
        place = f"{event.turn}.{event.impulse}.{event.step}"
        found.append((place, _plain(msgspec.to_builtins(replace(record, n=0)))))
    return found


def _seen(event: AnyEvent | None, way: Likeness) -> AnyEvent | None:
    """An event in another likeness; a die that tossed for left or right lies the other way up in the mirror."""
    if way.mirrored and isinstance(event, ev.Rolled) and (what := event.roll.split(" ")[-2]) in TOSSES:
        sides = 2 if what == "coin" else 6
        event = replace(event, die=sides + 1 - event.die)
    seen: AnyEvent | None = way(event)
    return seen


def _plain(value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        return tuple(sorted((key, _plain(each, key)) for key, each in value.items()))
    if isinstance(value, list | tuple):
        found = [_plain(each) for each in value]
        return tuple(sorted(found, key=repr) if field in LISTED else found)
    # Where a sentence lists names, their order is that of names.
    return " ".join(sorted(re.findall(r"[^\s;,]+", value))) if field in ("reason", "why") else value


def difference(one: list[tuple[str, Any]], other: list[tuple[str, Any]], *, in_order: bool) -> list[str]:
    """The first step in which not the same happens, and what. Not ``in_order``: within a step the log follows names and
    the numbers of shields.
    """
    mine, theirs = _steps(one), _steps(other)
    for place in dict.fromkeys((*mine, *theirs)):
        a, b = mine.get(place, []), theirs.get(place, [])
        if a == b or (not in_order and Counter(a) == Counter(b)):
            continue
        missing, more = Counter(a) - Counter(b), Counter(b) - Counter(a)
        return [place, *(f"- {event}" for event in missing), *(f"+ {event}" for event in more)]
    return [] if [*mine] == [*theirs] else ["the steps are in another order"]


def _steps(told: list[tuple[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for place, event in told:
        found.setdefault(place, []).append(event)
    return found


# --- the three ways ---------------------------------------------------------------------------------------------------


def wrong(stretch: RandomSegment, how: str, rng: random.Random) -> list[str] | None:
    """What happens otherwise in another likeness, if anything; ``None`` where it cannot be looked at so."""
    texts = {side: answer.text for side, answer in stretch.answers.items()}
    _, key = sealed_orders(Secret(stretch.deal.secret), stretch.before, texts)
    looking = {
        "turned": _turned,
        "mirrored": _mirrored,
        "renamed": _renamed,
        "shuffled": _shuffled,
        "split": _split,
    }
    return looking[how](stretch, texts, key, rng)


def _turned(stretch: RandomSegment, texts: dict[str, str], key: bytes, rng: random.Random) -> list[str] | None:
    """By 60 to 300 degrees. No map with edges is like itself then, so both games are played in the middle of one whose
    edges are far.
    """
    names = _unchanged(stretch.before)
    middle = with_(shifted_to_the_middle(stretch.before.map), named=names)
    first = replace(stretch, before=middle(stretch.before), setting=middle(without_columns(stretch.setting)))
    texts = {side: middle.text(text) for side, text in texts.items()}
    steps, grid = rng.randint(1, 5), stretch.before.grid
    one = played(first, texts, key)
    other = Other(with_(turned(steps, grid), named=names), with_(turned(-steps, grid), named=names))
    two = played(first, texts, key, other)
    if _near_the_edge(one) or _near_the_edge(two):
        return None
    return difference(told(one, other.way), told(two), in_order=True)


def without_columns(setting: Scenario) -> Scenario:
    """The scenario with freighters that fly straight on, where they would turn in a certain column (#3, #8)."""
    units = [
        replace(unit, script=replace(unit.script, turns_at="", turns_to="")) if unit.script else unit
        for unit in setting.units
    ]
    return replace(setting, units=tuple(units))


def _near_the_edge(records: Sequence[Record]) -> bool:
    places = [parse_hex(at[:4]) for record in records if (at := getattr(record.event, "at", ""))]
    return any(not NEAR < number < 99 - NEAR for place in places for number in place)


def speaks_of_columns(setting: Scenario) -> bool:
    """Whether a scenario has exits, or freighters that turn, in certain columns of its map (#3, #4, #8)."""
    return setting != without_columns(setting) or any(side.exits for side in setting.sides)


def _mirrored(stretch: RandomSegment, texts: dict[str, str], key: bytes, rng: random.Random) -> list[str]:
    """Left to right or top to bottom, on the same map, with ships whose weapons bear to the other side; top to bottom
    alone where the scenario speaks of columns.
    """
    mirror = upside_down if speaks_of_columns(stretch.setting) or rng.random() < 0.5 else left_to_right
    way = with_(mirror(stretch.before.map, stretch.before.grid), named=_unchanged(stretch.before))
    other = Other(way, way)
    if faults := refused(stretch, texts, other):
        return faults
    two = played(stretch, texts, key, other)
    return difference(told(stretch.records, other.way), told(two), in_order=False)


def _unchanged(state: State) -> dict[str, str]:
    """Every name, so that no letter of it is taken for a direction."""
    return {name: name for name in (*state.units, *state.sides)}


def _renamed(stretch: RandomSegment, texts: dict[str, str], key: bytes, rng: random.Random) -> list[str] | None:
    """Sides, ships and small units change names among each other, and with that the alphabet's order; the ships of one
    race among themselves keep theirs where orders call by its number what is still to be launched.
    """
    way = renaming(rng, stretch.before, in_order=_names_what_is_to_come(stretch.before, texts))
    if way is None:
        return None
    other = Other(way, Likeness(named={new: old for old, new in way.named.items()}), stretch.records)
    if faults := refused(stretch, texts, other):
        return faults
    two = played(stretch, texts, key, other)
    other.origin("")
    return difference(told(stretch.records, other.way), told(two), in_order=False)


def _names_what_is_to_come(state: State, texts: Mapping[str, str]) -> bool:
    """Whether orders call by its number what is not launched yet, where that depends on who launches first: the
    numbers of a race are shared by its ships.
    """
    races = Counter(ship.race for ship in state.ships())
    said = " ".join([*texts.values(), *(standing.text for standing in state.standing.values())])
    called = {found[0] for found in NAMED_BY_NUMBER.finditer(said)}
    return max(races.values(), default=0) > 1 and bool(called - state.units.keys())


def renaming(rng: random.Random, state: State, *, in_order: bool = False) -> Likeness | None:
    """Other names: those of the game, dealt out anew among sides, among ships, among weapons of one designation. With
    ``in_order`` the ships of one race keep their order; ``None`` where the names do not allow it.
    """
    groups: dict[str, list[str]] = {"sides": sorted(state.sides)}
    for name, unit in sorted(state.units.items()):
        kind = "planet" if isinstance(unit, Planet) else ""
        if isinstance(unit, SMALL):
            kind = name.partition("/")[0] if "/" in name else "drone"
        # Names that orders write in quotes change with each other only.
        quoted = '"' if name_text(name) != name else ""
        groups.setdefault(kind + quoted, []).append(name)
    named: dict[str, str] = {}
    for names in groups.values():
        others = rng.sample(names, len(names)) if len(names) > 2 else names[::-1]
        named |= dict(zip(names, others, strict=True))
    for race in {ship.race for ship in state.ships()} if in_order else ():
        ships = sorted(ship.name for ship in state.ships() if ship.race == race)
        named |= dict(zip(ships, sorted(named[ship] for ship in ships), strict=True))
    if any((name_text(old) == old) != (name_text(new) == new) for old, new in named.items() if old in state.units):
        return None
    return Likeness(named=named)


# --- the same game ----------------------------------------------------------------------------------------------------

SETS = frozenset({"links", "worlds", "recent", "marks", "tractors", "beams_used", "disabled", "spared_by"})
"""Tuples of the state whose order means nothing."""


def shuffled(value: Any, rng: random.Random, field: str = "", *, deep: bool = True) -> Any:
    """A state whose dictionaries were filled in another order, and, where it goes ``deep``, those of its units too."""
    if isinstance(value, State) or (isinstance(value, msgspec.Struct) and deep):
        parts = {name: shuffled(getattr(value, name), rng, name, deep=deep) for name in value.__struct_fields__}
        return replace(value, **parts)
    if isinstance(value, dict):
        return {key: shuffled(value[key], rng, deep=deep) for key in rng.sample([*value], len(value))}
    if isinstance(value, tuple):
        found = [shuffled(each, rng, deep=deep) for each in value]
        return tuple(rng.sample(found, len(found)) if field in SETS else found)
    return value


def _shuffled(stretch: RandomSegment, texts: dict[str, str], key: bytes, rng: random.Random) -> list[str]:
    """Before every step all that the state holds is put into another order."""

    class Shuffling(Resolution):
        fresh = True

        def tick(self) -> None:
            super().tick()
            # What lies within a unit keeps its order from step to step.
            self.state = shuffled(self.state, rng, deep=self.fresh)
            self.fresh = False

    with patch.object(resolving, "Resolution", Shuffling):
        two = played(stretch, texts, key)
    return difference(told(stretch.records), told(two), in_order=True)


OF_THE_MAIL = (ev.OrdersFiled, ev.SegmentBegan, ev.Requested, ev.Stopped, ev.Broke, ev.OrderTold)
"""Events that tell of orders and mail, not of what befell the units."""


def _split(stretch: RandomSegment, texts: dict[str, str], key: bytes, rng: random.Random) -> list[str] | None:
    """A side breaks in the middle, and everybody goes on with CONTINUE."""
    request = stretch.before.request
    assert request is not None
    whole = [record for record in stretch.records if not isinstance(record.event, OF_THE_MAIL)]
    last = max((record.event.impulse for record in whole), default=0)
    writers = [side for side, text in sorted(texts.items()) if re.search(r"^SHIP ", text, re.MULTILINE)]
    if request.form == "EAF" or not writers or last <= max(1, request.impulse):
        return None
    side, impulse = rng.choice(writers), rng.randint(max(1, request.impulse) + 1, last)
    texts = {**texts, side: with_break(texts[side], f"IMPULSE {impulse}")}
    state, robots, parts = stretch.before, commanders(stretch.setting), list[Record]()
    for _ in range(PARTS):
        filed = {each: Filed(text=text) for each, text in texts.items()}
        done = resolve(state, stretch.setting, filed, SegmentDice(key), robots=robots)
        parts += done.records
        state = done.state
        if state.over or _place(state) == _place(stretch.after):
            break
        assert state.request is not None
        texts = {each: "CONTINUE" if state.standing.get(each) else "" for each in state.request.sides}
    befell = [record for record in parts if not isinstance(record.event, OF_THE_MAIL)]
    return difference(told(whole), told(befell), in_order=True)


PARTS = 4
"""Parts a stretch may come in: the break asks twice where its step comes after one that asks, too."""


def _place(state: State) -> tuple[int, int, str]:
    return state.turn, state.impulse, state.step


def with_break(text: str, condition: str) -> str:
    """Orders in normal form with one more line of BREAK, in the first ship's block."""
    orders = read_orders(text).orders
    place, unit = next((n, one) for n, one in enumerate(orders.units) if one.unit and not one.shuttle)
    unit = replace(unit, breaks=(*unit.breaks, Break(condition=read_condition(condition))))
    return write_orders(replace(orders, units=(*orders.units[:place], unit, *orders.units[place + 1 :])))


# --- many -------------------------------------------------------------------------------------------------------------


def looked_at(
    key: str, ways: Sequence[str] = WAYS, *, turns: int = TURNS, places: range | None = None
) -> Iterator[tuple[str, list[str] | None]]:
    """Every stretch of the game of a key, or those in ``places``, in every way: which one, and what was wrong."""
    for place, stretch in enumerate(stretches(opening(deal(key)), turns=turns)):
        if places is not None and place >= places.stop:
            return
        for how in ways if places is None or place in places else ():
            who = f"{key}, stretch {place}, {how}"
            yield who, wrong(stretch, how, random.Random(who))


def main(arguments: Sequence[str]) -> int:
    """Look at so many stretches, scenario by scenario; tell what differs, and how many there were."""
    asked = argparse.ArgumentParser(prog="python -m tests.lab.symmetries", description=main.__doc__)
    asked.add_argument("--run", type=int, default=1)
    asked.add_argument("--stretches", type=int, default=2000)
    asked.add_argument("--ways", nargs="*", default=WAYS, choices=WAYS)
    asked.add_argument("--scenarios", nargs="*", default=playable(), choices=playable())
    wanted = asked.parse_args(arguments)
    tally: Counter[tuple[str, str]] = Counter()
    game = seen = 0
    while seen < wanted.stretches:
        number = wanted.scenarios[game % len(wanted.scenarios)]
        key = key_for(number, wanted.run, game // len(wanted.scenarios))
        for who, found in looked_at(key, wanted.ways):
            seen += who.endswith(wanted.ways[0])
            tally[who.rpartition(" ")[2], "left out" if found is None else "different" if found else "the same"] += 1
            for line in [who, *(found or [])] if found else []:
                print(line, flush=True)
            if seen % 100 == 0 and who.endswith(wanted.ways[-1]):
                print(f"{seen} stretches so far", file=sys.stderr, flush=True)
        game += 1
    print(f"{seen} stretches of {game} games")
    for (how, what), count in sorted(tally.items()):
        print(f"  {how}: {count} {what}")
    return 1 if any(what == "different" for _, what in tally) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
