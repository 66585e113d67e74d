"""What reports say: one sentence for every type of event, with the rule it follows where the event names none.

One table for the text sitrep, the page and the mail. ``place`` tells where a report shows the event: ``activity``
(a line of its own in its impulse), ``move`` (in the movement grid, and told briefly), ``order`` (beside the order it
is about) or ``log`` (kept, not shown line by line).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from pbem.counts import several
from pbem.data.spans import impulses_in_words
from pbem.data.words import FormKind, WeaponState
from pbem.engine import events as ev
from pbem.engine.state import Request
from pbem.engine.step_names import TITLES
from pbem.patterns import regex
from pbem.reports.text import words_systems, words_umpire
from pbem.reports.text.phrases import Words, because, crew, listed, number, parties, points

__all__ = [
    "CODES", "FORMS", "WORDS", "because", "crew", "dice", "die_of", "listed", "number", "parties", "points", "rule_of",
    "sentence", "several", "shot", "stretch", "units_in", "words_for",
]  # fmt: skip

CODES = {
    "F": "ahead",
    "L": "left turn, then ahead",
    "R": "right turn, then ahead",
    "SL": "sideslip to the left",
    "SR": "sideslip to the right",
}
"""What the movement codes mean (C3.1, C4.1)."""

FORMS = {
    "EAF": "energy form",
    "SOP": "movement and activities",
    "FULL": "energy form, movement and activities",
}
"""What the forms a request asks for hold."""


def stretch(request: Request) -> str:
    """The part of the turn a request asks orders for: ``energy allocation of turn 2``, ``turn 2, impulses 9 to 16``."""
    if request.form == FormKind.EAF:
        return f"energy allocation of turn {request.turn}"
    impulses = impulses_in_words(request.impulse, request.through)
    energy = "energy allocation and " if request.form == FormKind.FULL and request.impulse == 0 else ""
    return f"turn {request.turn}, {energy}{impulses}"


def die_of(event: ev.Fired) -> str:
    """``3``, or ``3+2=5`` where a modifier applies."""
    return f"{event.die}{event.modifier:+d}={event.die + event.modifier}" if event.modifier else str(event.die)


def shot(event: ev.Fired) -> str:
    """What a shot came to: ``hit, 4 points on #1``, ``miss``."""
    if not event.hit:
        return "miss"
    shield = f" on #{event.shield}" if event.shield else ""
    return f"{points(event.points)}{shield}" if event.points else f"no damage{shield}"


def played_with(figures: Sequence[str]) -> str:
    """Whose figures a game is played with, where they are not those that are shipped."""
    return f"Played with figures of one's own: {', '.join(figures)}."


def _game_started(e: ev.GameStarted) -> str:
    where = f"map {e.map[0]} to {e.map[1]}"
    figures = f" {played_with(e.figures)}" if e.figures else ""
    return f"Game {e.game}: scenario {e.scenario}, {e.level} level, {e.impulses} impulses a turn, {where}.{figures}"


def _orders_filed(e: ev.OrdersFiled) -> str:
    how = "continues its orders unchanged" if e.continued else "has orders in force"
    return f"{e.side} {how} (request {e.request})."


def _segment(e: ev.SegmentBegan) -> str:
    kept = f", with the dice of {listed([str(one) for one in e.kept])} for the moments they covered" if e.kept else ""
    return f"Dice segment {e.segment} begins (link {e.link} of the chain){kept}."


def _broke(e: ev.Broke) -> str:
    return f"{e.side} breaks{f' on its line {e.line}' if e.line else ''}{f': {e.condition}' if e.condition else ''}."


def _moved(e: ev.Moved) -> str:
    return f"{e.unit} to {e.at} ({e.code})"


def _fired(e: ev.Fired) -> str:
    effective = f" (effective {e.effective})" if e.effective != e.range else ""
    return f"{e.unit} fires {e.weapon} at {e.target}, range {e.range}{effective}, die {die_of(e)}: {shot(e)}."


def _impact(e: ev.Impact) -> str:
    shield = f" on shield #{e.shield}" if e.shield else ""
    return f"{e.unit} hits {e.target}{shield} for {points(e.points)}."


def _volley(e: ev.Volley) -> str:
    sources = f" from {listed(e.sources)}" if e.sources else ""
    where = f"shield #{e.shield} of {e.unit}" if e.shield else e.unit
    return f"A volley of {points(e.points)} falls on {where}{sources}."


def _damaged(e: ev.Damaged) -> str:
    taken = [
        f"{points(e.general)} to general reinforcement" if e.general else "",
        f"{points(e.specific)} to reinforcement" if e.specific else "",
        several(e.boxes, "shield box", "shield boxes") if e.boxes else "",
        several(e.internals, "internal") if e.internals else "",
    ]
    shield = f" #{e.shield}" if e.shield else ""
    left = f"; {several(e.left, 'box', 'boxes')} left" if e.shield else ""
    return f"{e.unit}{shield} takes {listed([t for t in taken if t]) or 'nothing'}{left}."


def _internal_hit(e: ev.InternalHit) -> str:
    chart = f" (die {e.die}{f', column {e.column}' if e.column else ''})" if e.die else ""
    category = f" as {e.category.lower()}" if e.category and e.category.casefold() != e.box.casefold() else ""
    letter = f" {e.shuttle}" if e.shuttle.isalpha() else ""
    return f"Internal {e.number} on {e.unit}{chart}: {e.box}{letter}{category}."


CLOAKS = {
    "cloaked": "is cloaked this turn",
    "uncloaked": "comes out of its cloak",
    "cloaking": "cloaks and fades out",
    "uncloaking": "uncloaks and fades in",
    "": "has faded in",
}
"""What a change of the cloaking device means (G13.0)."""


def _launched(e: ev.Launched) -> str:
    target = f" at {e.seeker.target}" if e.seeker.target else ""
    return f"{e.unit} launches {e.seeker.name} from {e.weapon}{target}, in {e.seeker.at}."


def _stopped(e: ev.Stopped) -> str:
    step = TITLES.get(e.next_step, e.next_step).lower()
    return f"Play stops; it goes on in impulse {e.next_impulse}: {step}."


def _energy(e: ev.EnergyAllotted) -> str:
    return f"{e.unit} allots its energy, speed {e.speed}: {'; '.join(e.lines) or 'nothing is paid'}."


def _speed(e: ev.SpeedAnnounced) -> str:
    maneuvers = f", with {several(e.tactical, 'tactical maneuver', 'tactical maneuvers')}" if e.tactical else ""
    tow = f", with {several(e.towing, 'freighter')} in tow" if e.towing else ""
    # Towing, damage or a launch may change a speed in the course of the turn (G7.4, J1.33).
    return f"{e.unit} moves at speed {e.speed} {'from now on' if e.impulse else 'this turn'}{tow}{maneuvers}."


def _readied(e: ev.Readied) -> str:
    armed = [
        name for name, weapon in sorted(e.weapons.items()) if weapon.charge in (WeaponState.ARMED, WeaponState.POWERED)
    ]
    return f"{e.unit} is ready, speed {e.speed}{f'; {listed(armed)} armed' if armed else ''}."


def _locked_on(e: ev.LockedOn) -> str:
    result = "locks on" if e.locked else "fails to lock on"
    return f"{e.unit} {result}, sensors {e.rating}" + (f", die {e.die}." if e.roll else ".")


def _ended(e: ev.GameEnded) -> str:
    return " ".join(["The game is over.", *(f"{because(f'{o.side}: {o.result}', o.why)}." for o in e.outcome)])


WORDS: dict[type[ev.Event], Words] = {
    ev.GameStarted: Words("log", "", _game_started),
    ev.UnitPlaced: Words("log", "", lambda e: f"{e.unit.name} ({e.unit.side}) stands in {e.unit.at}.", ("unit.name",)),
    ev.OrdersFiled: Words("log", "", _orders_filed),
    ev.SegmentBegan: Words("log", "", _segment),
    ev.TurnBegan: Words("log", "B2.0", lambda e: f"Turn {e.turn} begins."),
    ev.Requested: Words("log", "", lambda e: f"Orders asked of {listed(e.request.sides)}: {stretch(e.request)}."),
    ev.Stopped: Words("log", "", _stopped),
    ev.Broke: Words("activity", "", _broke),
    ev.OrderTold: Words("order", "", lambda e: f"{e.unit}: {because(f'{e.order}: {e.result}', e.reason)}."),
    ev.Chose: Words("order", "", lambda e: f"{e.unit}: {because(e.order, e.reason)}."),
    ev.EnergyAllotted: Words("activity", "B3.0", _energy),
    ev.SpeedAnnounced: Words("activity", "C1.43", lambda e: _speed(e)),
    ev.LockedOn: Words("activity", "D6.11", lambda e: _locked_on(e)),
    ev.Maneuvered: Words("activity", "C5.0", lambda e: f"{e.unit} turns to {e.at} by a {e.kind} tactical maneuver."),
    ev.RobotReadied: Words("activity", "", lambda e: f"{e.unit} (robot) is ready, speed {e.speed}."),
    ev.Readied: Words("activity", "", _readied),
    ev.Turned: Words("move", "C3.1", lambda e: f"{e.unit} turns to {e.at}"),
    ev.Moved: Words("move", "C1.43", _moved),
    ev.Guided: Words("activity", "F2.0", lambda e: f"{e.unit} is guided {e.way.lower()}."),
    ev.Cloaked: Words("activity", "G13.0", lambda e: f"{e.unit} {CLOAKS[e.status]}."),
    ev.Launched: Words("activity", "F2.3", _launched, ("unit", "seeker.name")),
    ev.Fired: Words("activity", "E1.1", _fired, ("unit", "target")),
    ev.Rolled: Words("activity", "", lambda e: f"{e.unit}: die {e.die}, {e.meaning}."),
    ev.Impact: Words("activity", "F2.2", _impact, ("unit", "target")),
    ev.Struck: Words("activity", "", lambda e: f"{e.unit} is struck by {points(e.points)} on shield #{e.shield}."),
    ev.Volley: Words("activity", "D4.22", _volley),
    ev.ReserveSpent: Words(
        "activity", "H7.2", lambda e: f"{e.unit} spends {points(e.points)} of battery power on {e.purpose}."
    ),
    ev.Damaged: Words("activity", "D3.21", _damaged),
    ev.SeekerDamaged: Words("activity", "FD1.54", lambda e: f"{e.unit} takes {points(e.points)}, {e.total} in all."),
    ev.InternalHit: Words("activity", "D4.22", _internal_hit),
    ev.Destroyed: Words("activity", "", lambda e: f"{e.unit} is destroyed."),
    ev.Removed: Words("activity", "", lambda e: f"{because(f'{e.unit} leaves play, {e.how}', e.why)}."),
    ev.Marked: Words("activity", "", lambda e: f"{e.unit}: {e.mark}."),
    ev.Repaired: Words(
        "activity", "D9.2", lambda e: f"{e.unit} repairs {several(e.boxes, 'box', 'boxes')} of shield #{e.shield}."
    ),
    ev.TurnEnded: Words("log", "B2.0", lambda e: f"Turn {e.turn} ends."),
    ev.Conceded: Words("activity", "", lambda e: f"{e.side} concedes and gives the game up."),
    ev.GameEnded: Words("activity", "", _ended),
    **words_systems.WORDS,
    **words_umpire.WORDS,
}


def words_for(event: ev.AnyEvent) -> Words:
    """How ``event`` is told."""
    return WORDS[type(event)]


def sentence(event: ev.AnyEvent) -> str:
    """What ``event`` says, in one sentence."""
    text: str = WORDS[type(event)].say(event)
    return text


def rule_of(event: ev.AnyEvent) -> str:
    """The rule an event follows: its own, else the one its type always follows."""
    if event.rule and not _NUMBERED(event.rule):
        return ""  # a convention of play by mail (a break), which no rule of the book numbers
    return event.rule or WORDS[type(event)].rule


_NUMBERED = regex(r"\d").search


def dice(event: ev.AnyEvent) -> list[words_systems.Rolls]:
    """The dice an event holds, each as (label, result, what it meant)."""
    told = _DICE.get(type(event))
    return [] if told is None else told(event)


_DICE: dict[type, Callable[[Any], list[words_systems.Rolls]]] = {
    ev.Fired: lambda e: [(e.roll, e.die, f"{e.weapon} at {e.target}: {shot(e)}")] if e.die else [],
    ev.InternalHit: lambda e: [(e.roll, e.die, f"internal {e.number} on {e.unit}: {e.box}")] if e.die else [],
    ev.Rolled: lambda e: [(e.roll, e.die, e.meaning)] if e.die else [],
    **words_systems.DICE,
}


def units_in(event: ev.AnyEvent) -> tuple[str, ...]:
    """The units an event is about, the acting one first."""
    if not getattr(event, "unit", ""):
        return ()
    return tuple([unit(event) for unit in _units_of(type(event))])


@cache
def _units_of(kind: type) -> tuple[Callable[[ev.AnyEvent], str], ...]:
    return tuple(attrgetter(field) for field in WORDS[kind].units)
