"""One English sentence for every type of event, used by the text sitrep, the page and the email.

:data:`WORDS` maps event types to :class:`Wording`. Its ``place`` says where reports show the event:

* ``activity``: on a separate line in its impulse;
* ``move``: in the movement table, and as a short line;
* ``order``: beside the order that it belongs to;
* ``log``: only in the log, not in reports.

The module also holds small helpers for points, counts, lists and reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.data import charts
from pbem.data.terms import AUTO_BREAK, OWN_BREAK, FormKind, WeaponState, impulses_in_words
from pbem.engine import events as ev
from pbem.engine.rulings import value_words
from pbem.engine.state import Request, State
from pbem.engine.step_names import TITLES
from pbem.util import regex, several

__all__ = [
    "CODES",
    "FORMS",
    "WORDS",
    "because",
    "crew",
    "dice",
    "die_of",
    "listed",
    "number",
    "parties",
    "points",
    "rule_of",
    "sentence",
    "several",
    "shot",
    "stretch",
    "units_in",
    "words_for",
]


class Wording(NamedTuple):
    """How reports describe events of one type.

    ``place`` says where reports show the event (see the module). ``rule`` is the rule number to show if the event
    itself names no rule. ``say`` is the function that makes the sentence. ``units`` names those fields of the event
    that hold the units involved, the acting unit first.
    """

    place: str
    rule: str
    say: Callable[[Any], str]
    units: tuple[str, ...] = ("unit",)


def number(value: float) -> str:
    """Return a number of points as text, with a decimal only if needed: ``2``, ``2.5``."""
    return str(int(value)) if value == int(value) else str(round(value, 2))


def points(count: float) -> str:
    """Return a number of points in words: ``1 point``, ``6 points``."""
    return f"{number(count)} point{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return the given words joined to one phrase: ``a``, ``a and b``, ``a, b and c``."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def asked_because(reason: str) -> str:
    """Return why a side is asked for orders, as a clause: ``play stopped at a break of klingon``.

    A break is a condition on which play stops and a side is asked for new orders. ``reason`` is the short form in the
    log; a reason that is not a break is returned unchanged.
    """
    found = [_BREAK.fullmatch(part) for part in reason.split("; ")]
    if not all(found):
        return reason
    said = [
        f"at the automatic break {one['auto']}" if one["auto"] else f"at a break of {one['side']}"
        for one in found
        if one
    ]
    return f"play stopped {listed(said)}"


_BREAK: Final = regex(rf"{AUTO_BREAK}(?P<auto>.+)|(?P<side>.+){OWN_BREAK}")


def because(sentence: str, reason: str) -> str:
    """Return ``sentence: reason``, or the sentence alone if the reason is empty."""
    return f"{sentence}: {reason}" if reason else sentence


_CHOSEN_BECAUSE = {
    "the form left it open": "the energy form named no power source",
    "the last letters let go": "the beams with the last letters release first",
    "default damage procedure": "the default damage procedure applies",
}
"""For some reasons that the event log stores for a choice of the engine: the same reason as a clause."""


def reason_of_choice(reason: str) -> str:
    """Return the reason for a choice of the engine, as a clause that can follow the word "because"."""
    return _CHOSEN_BECAUSE.get(reason, reason)


def chosen(unit: str, order: str, reason: str) -> str:
    """Return a sentence, without its full stop, about an order that the engine chose for a unit."""
    return f"{unit}: the program chose {order}" + (f", because {reason_of_choice(reason)}" if reason else "")


def parties(count: int) -> str:
    """Return a number of boarding parties in words: ``1 boarding party``, ``3 boarding parties``."""
    return several(count, "boarding party", "boarding parties")


def crew(count: int) -> str:
    """Return a number of crew units in words: ``1 crew unit``, ``2 crew units``."""
    return several(count, "crew unit")


def moment(number: int, state: State) -> str:
    """Return a number of impulses since the start of the game as turn and impulse, such as ``2.9``."""
    turn, impulse = divmod(max(0, number - 1), state.impulses)
    return f"{turn + 1}.{impulse + 1}" if number > 0 else "1.0"


def shield_words(shield: int) -> str:
    """Return the name of a shield, ``shield #3``; 0 is the general reinforcement."""
    return f"shield #{shield}" if shield else "its general reinforcement"


def method_words(method: str) -> str:
    """Return a description of a way to stop a monster, as in the chart of scenario #11."""
    return next((m.text for m in charts.monsters().method if m.kind == method), method)


def _transported(e: ev.Transported) -> str:
    what = parties(e.count) if e.what == "BP" else crew(e.count)
    used = several(e.transporters, "transporter")
    way = f"{'from' if e.way == 'FROM' else 'to'} {e.target}"
    if e.failed:
        return f"{because(f'{e.unit} cannot transport {what} {way} and has used {used} in vain', e.failed)}."
    return f"{e.unit} transports {what} {way} with {used}."


def _dice(dice: tuple[int, ...]) -> str:
    return f" ({'die' if len(dice) == 1 else 'dice'} {', '.join(map(str, dice))})" if dice else ""


def _boarding(e: ev.BoardingFought) -> str:
    aboard = listed([f"{count} of {side}" for side, count in sorted(e.boarders.items())]) or "no raiders"
    left = f"still aboard are {e.holders or 'none'} of the ship's and {aboard}"
    stations = f"; the raiders hold {e.taken} of {several(e.stations, 'control station')}" if e.stations else ""
    return (
        f"Boarding parties fight aboard {e.unit}: the ship's score {several(e.by_holders, 'casualty point')}"
        f"{_dice(e.holders_dice)}, the raiders {e.by_raiders}{_dice(e.raiders_dice)}; {left}{stations}."
    )


def _captured(e: ev.Captured) -> str:
    return f"{e.unit} is captured by {e.side} from {e.was}; {parties(e.parties)} of {e.side} aboard."


def _taken_over(e: ev.TakenOver) -> str:
    ready = [name for name, weapon in sorted(e.weapons.items()) if weapon.charge]
    found = [f"{number(e.capacitor)} in the capacitor", several(e.batteries, "charged battery", "charged batteries")]
    return f"Found aboard {e.unit}: {listed([*found, *ready])}."


MUTINIES = {
    "none": "no mutiny",
    "put down": "a mutiny breaks out and is put down",
    "staged": "a mutiny breaks out and succeeds: the ship does nothing more",
}
"""The results of a mutiny roll in words (G6.2)."""


def _mutinied(e: ev.Mutinied) -> str:
    second = f", then {e.second}" if e.second else ""
    return f"{e.unit} rolls for mutiny, die {e.die}{second}: {MUTINIES.get(e.result, e.result)}."


def _shuttle_launched(e: ev.ShuttleLaunched) -> str:
    shuttle = e.shuttle
    aboard = [parties(shuttle.parties)] if shuttle.parties else []
    aboard += [crew(shuttle.crew)] if shuttle.crew else []
    load = f" with {listed(aboard)}" if aboard else ""
    bomb = f", a suicide shuttle of {points(shuttle.bomb)} sent at {shuttle.target}" if shuttle.target else ""
    return f"{e.unit} launches shuttle {shuttle.name}{load} in {shuttle.at}{bomb}."


def _shuttle_landed(e: ev.ShuttleLanded) -> str:
    where = f" (shuttle box {e.letter})" if e.letter else ""
    how = "is pulled aboard" if e.how.startswith(("pull", "tract", "haul", "beam")) else "lands aboard"
    return f"{e.unit} {how if e.letter else 'lands on'} {e.on}{where}."


def _boarded(e: ev.Boarded) -> str:
    if e.crew < 0:
        return f"{crew(-e.crew)} leave{'s' if e.crew == -1 else ''} {e.unit} on {e.planet}."
    return f"{crew(e.crew)} go{'es' if e.crew == 1 else ''} aboard {e.unit} on {e.planet}."


def _probe(e: ev.ProbeLaunched) -> str:
    if e.purpose == "weapon":
        return f"{e.unit} fires probe {e.probe} at {e.target} as a weapon."
    found = f": {points(e.information)} of information" if e.information else ""
    return f"{e.unit} launches probe {e.probe} at {e.target}{found}."


def _learned(e: ev.Learned) -> str:
    die = f", die {e.die}" if e.die else ""
    how = f"closest effective range {e.range}, {several(e.labs, 'lab')}{die}"
    return f"{e.unit} gathers {points(e.points)} of information on {e.target} ({how}); {e.total} are known."


def _method(e: ev.MethodFound) -> str:
    needed = f" (at {e.needed})" if e.needed else ""
    return f"Enough is known of {e.unit}, die {e.die}: {method_words(e.method)}{needed}."


def _attacked(e: ev.Attacked) -> str:
    where = f" on {shield_words(e.shield)}" if e.shield else ""
    return f"{e.unit} attacks {e.target}{f', die {e.die}' if e.die else ''}: {points(e.points)}{where}."


def _unit_damaged(e: ev.UnitDamaged) -> str:
    return f"{e.unit} takes {points(e.points)}{f' from {e.by}' if e.by else ''}, {e.total} in all."


def _collided(e: ev.Collided) -> str:
    done = points(e.points) if e.points else "no damage"
    return f"{e.unit} flies through the asteroids in {e.hex}{f', die {e.die}' if e.die else ''}: {done}."


SYSTEM_SENTENCES: dict[type[ev.Event], Wording] = {
    ev.Tractored: Wording(
        "activity",
        "G7.3",
        lambda e: f"{e.unit} takes hold of {e.target} with tractor beam {e.beam}.",
        ("unit", "target"),
    ),
    ev.Released: Wording(
        "activity",
        "G7.33",
        lambda e: f"{because(f'Tractor beam {e.beam} of {e.unit} lets go of {e.target}', e.why)}.",
        ("unit", "target"),
    ),
    ev.Towed: Wording("move", "G7.31", lambda e: f"{e.unit} towed to {e.at} by {e.by}", ("unit", "by")),
    ev.ShieldLowered: Wording("activity", "G8.22", lambda e: f"{e.unit} lowers {shield_words(e.shield)}."),
    ev.ShieldRaised: Wording("activity", "G8.22", lambda e: f"{e.unit} has {shield_words(e.shield)} up again."),
    ev.Transported: Wording("activity", "G8.1", _transported, ("unit", "target")),
    ev.BoardingFought: Wording("activity", "D7.0", _boarding),
    ev.Captured: Wording("activity", "D7.0", _captured),
    ev.TakenOver: Wording("activity", "D7.0", _taken_over),
    ev.Mutinied: Wording("activity", "G6.2", _mutinied),
    ev.ShuttleLaunched: Wording("activity", "J1.5", _shuttle_launched, ("unit", "shuttle.name")),
    ev.ShuttleLanded: Wording("activity", "J1.6", _shuttle_landed, ("unit", "on")),
    ev.Boarded: Wording("activity", "J2.211", _boarded, ("unit", "planet")),
    ev.ProbeLaunched: Wording("activity", "G5.0", _probe, ("unit", "target")),
    ev.Learned: Wording("activity", "G4.1", _learned, ("unit", "target")),
    ev.MethodFound: Wording("activity", "", _method),
    ev.Attacked: Wording("activity", "", _attacked, ("unit", "target")),
    ev.UnitDamaged: Wording("activity", "", _unit_damaged),
    ev.Collided: Wording("activity", "P3.0", _collided),
}


Rolls: TypeAlias = tuple[str, int, str]
"""One die roll of an event: its label, the result, and what the result meant."""


def _dice_of_fight(event: ev.BoardingFought) -> list[Rolls]:
    meanings = ["the ship's boarding parties"] * len(event.holders_dice)
    meanings += ["the raiders' boarding parties"] * len(event.raiders_dice)
    rolled = (*event.holders_dice, *event.raiders_dice)
    return [
        (label, die, f"{who} fight aboard {event.unit}")
        for label, die, who in zip(event.rolls, rolled, meanings, strict=False)
    ]


def _dice_of_mutiny(event: ev.Mutinied) -> list[Rolls]:
    told = [(event.roll, event.die, f"whether there is a mutiny on {event.unit}")]
    if event.second:
        told.append((event.second_roll, event.second, f"the mutiny on {event.unit}: {event.result}"))
    return told


DICE: dict[type, Callable[[Any], list[Rolls]]] = {
    ev.BoardingFought: _dice_of_fight,
    ev.Mutinied: _dice_of_mutiny,
    ev.Learned: lambda e: [(e.roll, e.die, f"{points(e.points)} of information on {e.target}")] if e.roll else [],
    ev.MethodFound: lambda e: [(e.roll, e.die, f"{e.unit}: {method_words(e.method)}")],
    ev.Attacked: lambda e: [(e.roll, e.die, f"{e.unit} attacks {e.target}: {points(e.points)}")] if e.die else [],
    ev.Collided: lambda e: [(e.roll, e.die, f"asteroids in {e.hex}: {points(e.points)} on {e.unit}")] if e.die else [],
}
"""For event types with dice, a function that returns the die rolls of an event."""


def _umpire(side: str) -> str:
    """Return the subject of a sentence about the umpire: ``The umpire``, with the umpire's side if any."""
    return f"The umpire, who plays {side}," if side else "The umpire"


def _undone(e: ev.Undone) -> str:
    by = f" by the umpire, who plays {e.by}" if e.by else ""
    return f"{because(f'Play was taken back{by}', e.reason)}."


def _reran(e: ev.Reran) -> str:
    segments = f"segment{'s' if len(e.kept) > 1 else ''} {listed([str(one) for one in e.kept])}"
    newer = ", by rules mended since" if e.newer else ""
    if e.kept:
        what = f"{_umpire(e.by)} had play repeated from {e.since} with the same dice (those of {segments}){newer}"
    else:
        what = f"{_umpire(e.by)} took play back to {e.since}, to be played with other orders and new dice{newer}"
    return f"{because(what, e.reason)}."


def _ruled(e: ev.Ruled) -> str:
    if not e.path:
        return f"{_umpire(e.by)} made a ruling about {e.unit}."
    now, was = (value_words(value, e.path) for value in (e.value, e.was))
    if e.path == "gone":
        what = f"{e.unit} is {now} (was {was})"
    else:
        what = f"{e.path} of {e.unit} is {now} (was {was})"
    return f"{because(f'{_umpire(e.by)} rules: {what}', e.why)}."


def _passed(e: ev.DicePassed) -> str:
    told = f"segments up to {e.told} were told" if e.told else "some were perhaps told"
    fresh = f" New salts go into all dice from here on; they are committed to by {e.fresh}." if e.fresh else ""
    return (
        f"{because('Play goes on otherwise than it went before', e.why)}. Dice of that play do not come again: "
        f"{told}, and the links up to segment {e.segment} are passed over.{fresh}"
    )


def _options(e: ev.OptionsRuled) -> str:
    changed = listed([f"{key} = {value}" for key, value in sorted(e.changed.items())])
    return f"{because(f'{_umpire(e.by)} rules: from now on {changed}', e.why)}."


def _house(e: ev.HouseRuled) -> str:
    if e.withdrawn:
        return f"{because(f'House rule {e.number} no longer stands ({e.text})', e.why)}."
    by = f" (by the umpire, who plays {e.by})" if e.by else ""
    return f"House rule {e.number}{by}: {e.text}."


def _decided(e: ev.Decided) -> str:
    if not e.outcome:
        return f"{because(f'{_umpire(e.by)} lets the game go on', e.why)}."
    results = "; ".join(f"{one.side}: {one.result}" for one in e.outcome)
    return f"{because(f'{_umpire(e.by)} ends the game; {results}', e.why)}."


UMPIRE_SENTENCES: dict[type[ev.Event], Wording] = {
    ev.Undone: Wording("activity", "", _undone),
    ev.Reran: Wording("activity", "", _reran),
    ev.DicePassed: Wording("activity", "", _passed),
    ev.Adjusted: Wording("activity", "", lambda e: f"{because(f'{_umpire(e.by)} puts {e.unit} to {e.at}', e.why)}."),
    ev.Ruled: Wording("activity", "", _ruled),
    ev.OptionsRuled: Wording("activity", "", _options),
    ev.HouseRuled: Wording("activity", "", _house),
    ev.Decided: Wording("activity", "", _decided),
}


CODES = {
    "F": "ahead",
    "L": "left turn, then ahead",
    "R": "right turn, then ahead",
    "SL": "sideslip to the left",
    "SR": "sideslip to the right",
}
"""The movement codes in words (C3.1, C4.1)."""

FORMS = {
    "EAF": "energy form",
    "SOP": "movement and activities",
    "FULL": "energy form, movement and activities",
}
"""What a request for orders asks for, in words, by the kind of request."""


def stretch(request: Request) -> str:
    """Return a text for the part of the turn for which a request asks for orders.

    Examples: ``energy allocation of turn 2``, ``turn 2, impulses 9 to 16``.
    """
    if request.form == FormKind.EAF:
        return f"energy allocation of turn {request.turn}"
    impulses = impulses_in_words(request.impulse, request.through)
    energy = "energy allocation and " if request.form == FormKind.FULL and request.impulse == 0 else ""
    return f"turn {request.turn}, {energy}{impulses}"


def die_of(event: ev.Fired) -> str:
    """Return the die roll of a shot as text: ``3``, or ``3+2=5`` if a modifier applies."""
    return f"{event.die}{event.modifier:+d}={event.die + event.modifier}" if event.modifier else str(event.die)


def shot(event: ev.Fired) -> str:
    """Return the result of a shot in words: ``6 points on #1``, ``no damage``, ``miss``."""
    if not event.hit:
        return "miss"
    shield = f" on #{event.shield}" if event.shield else ""
    return f"{points(event.points)}{shield}" if event.points else f"no damage{shield}"


def played_with(figures: Sequence[str]) -> str:
    """Return a sentence that names the game's own data files.

    The sentence is empty if the game uses only the data files shipped with the program.
    """
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
    where = f" on line {e.line}" if e.line else ""
    if not e.condition:
        return f"A secret break of {e.side} stops play."
    return because(f"{e.side}'s break{where} stops play", e.condition) + "."


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
    return f"A volley of {points(e.points)}{sources} hits {where}."


def _damaged(e: ev.Damaged) -> str:
    taken = [
        f"{points(e.general)} absorbed by general reinforcement" if e.general else "",
        f"{points(e.specific)} absorbed by reinforcement" if e.specific else "",
        several(e.boxes, "shield box lost", "shield boxes lost") if e.boxes else "",
        several(e.internals, "internal") if e.internals else "",
    ]
    shield = f" #{e.shield}" if e.shield else ""
    left = f"; {several(e.left, 'box', 'boxes')} left" if e.shield else ""
    return f"{e.unit}{shield}: {', '.join(t for t in taken if t) or 'no damage'}{left}."


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
"""Each change of a cloaking device in words (G13.0)."""


def _launched(e: ev.Launched) -> str:
    target = f" at {e.seeker.target}" if e.seeker.target else ""
    return f"{e.unit} launches {e.seeker.name} from {e.weapon}{target}; {e.seeker.name} starts at {e.seeker.at}."


def _stopped(e: ev.Stopped) -> str:
    step = TITLES.get(e.next_step, e.next_step).lower()
    return f"Play stops; it goes on in impulse {e.next_impulse}: {step}."


def _energy(e: ev.EnergyAllotted) -> str:
    return f"{e.unit} allocates its energy (speed {e.speed}): {'; '.join(e.lines) or 'nothing is paid'}."


def _speed(e: ev.SpeedAnnounced) -> str:
    maneuvers = f", with {several(e.tactical, 'tactical maneuver', 'tactical maneuvers')}" if e.tactical else ""
    tow = f", with {several(e.towing, 'freighter')} in tow" if e.towing else ""
    # Towing, damage or a launch may change a speed during the turn (G7.4, J1.33).
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


WORDS: dict[type[ev.Event], Wording] = {
    ev.GameStarted: Wording("log", "", _game_started),
    ev.UnitPlaced: Wording(
        "log", "", lambda e: f"{e.unit.name} ({e.unit.side}) stands in {e.unit.at}.", ("unit.name",)
    ),
    ev.OrdersFiled: Wording("log", "", _orders_filed),
    ev.SegmentBegan: Wording("log", "", _segment),
    ev.TurnBegan: Wording("log", "B2.0", lambda e: f"Turn {e.turn} begins."),
    ev.Requested: Wording("log", "", lambda e: f"Orders asked of {listed(e.request.sides)}: {stretch(e.request)}."),
    ev.Stopped: Wording("log", "", _stopped),
    ev.Broke: Wording("activity", "", _broke),
    ev.OrderTold: Wording("order", "", lambda e: f"{e.unit}: {because(f'{e.order}: {e.result}', e.reason)}."),
    ev.Chose: Wording("order", "", lambda e: f"{chosen(e.unit, e.order, e.reason)}."),
    ev.EnergyAllotted: Wording("activity", "B3.0", _energy),
    ev.SpeedAnnounced: Wording("activity", "C1.43", lambda e: _speed(e)),
    ev.LockedOn: Wording("activity", "D6.11", lambda e: _locked_on(e)),
    ev.Maneuvered: Wording("activity", "C5.0", lambda e: f"{e.unit} turns to {e.at} by a {e.kind} tactical maneuver."),
    ev.RobotReadied: Wording("activity", "", lambda e: f"{e.unit} (robot) is ready, speed {e.speed}."),
    ev.Readied: Wording("activity", "", _readied),
    ev.Turned: Wording("move", "C3.1", lambda e: f"{e.unit} turns to {e.at}"),
    ev.Moved: Wording("move", "C1.43", _moved),
    ev.Guided: Wording("activity", "F2.0", lambda e: f"{e.unit} is guided {e.way.lower()}."),
    ev.Cloaked: Wording("activity", "G13.0", lambda e: f"{e.unit} {CLOAKS[e.status]}."),
    ev.Launched: Wording("activity", "F2.3", _launched, ("unit", "seeker.name")),
    ev.Fired: Wording("activity", "E1.1", _fired, ("unit", "target")),
    ev.Rolled: Wording("activity", "", lambda e: f"{e.unit}: die {e.die}, {e.meaning}."),
    ev.Impact: Wording("activity", "F2.2", _impact, ("unit", "target")),
    ev.Struck: Wording("activity", "", lambda e: f"{e.unit} is struck by {points(e.points)} on shield #{e.shield}."),
    ev.Volley: Wording("activity", "D4.22", _volley),
    ev.ReserveSpent: Wording(
        "activity", "H7.2", lambda e: f"{e.unit} spends {points(e.points)} of battery power on {e.purpose}."
    ),
    ev.Damaged: Wording("activity", "D3.21", _damaged),
    ev.SeekerDamaged: Wording("activity", "FD1.54", lambda e: f"{e.unit} takes {points(e.points)}, {e.total} in all."),
    ev.InternalHit: Wording("activity", "D4.22", _internal_hit),
    ev.Destroyed: Wording("activity", "", lambda e: f"{e.unit} is destroyed."),
    ev.Removed: Wording("activity", "", lambda e: f"{because(f'{e.unit} leaves play, {e.how}', e.why)}."),
    ev.Marked: Wording("activity", "", lambda e: f"{e.unit}: {e.mark}."),
    ev.Repaired: Wording(
        "activity", "D9.2", lambda e: f"{e.unit} repairs {several(e.boxes, 'box', 'boxes')} of shield #{e.shield}."
    ),
    ev.TurnEnded: Wording("log", "B2.0", lambda e: f"Turn {e.turn} ends."),
    ev.Conceded: Wording("activity", "", lambda e: f"{e.side} concedes and gives the game up."),
    ev.GameEnded: Wording("activity", "", _ended),
    **SYSTEM_SENTENCES,
    **UMPIRE_SENTENCES,
}


def words_for(event: ev.AnyEvent) -> Wording:
    """Return the :class:`Wording` for the type of ``event``."""
    return WORDS[type(event)]


def sentence(event: ev.AnyEvent) -> str:
    """Return ``event`` as one sentence."""
    text: str = WORDS[type(event)].say(event)
    return text


def rule_of(event: ev.AnyEvent) -> str:
    """Return the number of the rule that an event follows: from the event itself, else from its type.

    The result is empty for an event that follows a convention of play by email instead of a rule, such as a break. A
    break is a condition on which play stops and a side is asked for new orders.
    """
    if event.rule and not _NUMBERED(event.rule):
        return ""  # a convention of play by email, such as a break, has no rule number
    return event.rule or WORDS[type(event)].rule


_NUMBERED = regex(r"\d").search


def dice(event: ev.AnyEvent) -> list[Rolls]:
    """Return all die rolls of an event, each as (label, result, meaning)."""
    told = _DICE.get(type(event))
    return [] if told is None else told(event)


_DICE: dict[type, Callable[[Any], list[Rolls]]] = {
    ev.Fired: lambda e: [(e.roll, e.die, f"{e.weapon} at {e.target}: {shot(e)}")] if e.die else [],
    ev.InternalHit: lambda e: [(e.roll, e.die, f"internal {e.number} on {e.unit}: {e.box}")] if e.die else [],
    ev.Rolled: lambda e: [(e.roll, e.die, e.meaning)] if e.die else [],
    **DICE,
}


def units_in(event: ev.AnyEvent) -> tuple[str, ...]:
    """Return the units that an event involves, the acting unit first."""
    if not getattr(event, "unit", ""):
        return ()
    return tuple([unit(event) for unit in _units_of(type(event))])


@cache
def _units_of(kind: type) -> tuple[Callable[[ev.AnyEvent], str], ...]:
    return tuple(attrgetter(field) for field in WORDS[kind].units)
