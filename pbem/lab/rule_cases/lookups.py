"""Functions that look up rules, for ``[[ask]]`` in rule cases.

They take keyword arguments and return a plain JSON value. ``ASKS`` maps each name to its function. The docstring of a
function is its description in the API reference. Arguments that a case leaves out have the default in the signature.
``grid`` is ``even`` or ``odd``. Look-ups that return a code return ``""`` if nothing forbids the action.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, Purpose, WeaponState
from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice
from pbem.engine.options import Options
from pbem.engine.play.resolution import Commander, Resolution
from pbem.engine.play.setup import new_ship
from pbem.engine.state import Ship, State
from pbem.engine.state_paths import moment_of
from pbem.engine.steps.damage import Blow, DamageLine, resolve_volleys
from pbem.errors import NotAllowed
from pbem.orders.model import DamageChoice
from pbem.rules import (
    boarding,
    direct_fire,
    drones,
    energy_form,
    hexes,
    hexes as arcs,
    internal_damage,
    monsters,
    movement,
    plasma,
    power,
    science,
    seeking,
    sensors,
    shields,
    shuttles,
    terrain,
    tractors,
    transporters,
    weapons,
)
from pbem.rules.hexes import line as line_of_fire
from pbem.rules.power import as_text

LookupAnswer = Any
LookupFunction = TypeVar("LookupFunction", bound=Callable[..., Any])
ASKS: dict[str, Callable[..., LookupAnswer]] = {}
"""Every look-up function, keyed by the name that cases use."""


def lookup(name: str) -> Callable[[LookupFunction], LookupFunction]:
    """Return a decorator that registers a function as a look-up with this name."""

    def note(function: LookupFunction) -> LookupFunction:
        ASKS[name] = function
        return function

    return note


def why_not(verify: Callable[[], None]) -> str:
    """Call ``verify``, and return the fault code if the rules forbid the action; else return ``""``."""
    try:
        verify()
    except NotAllowed as refused:
        return refused.code
    return ""


def law(name: str, function: Callable[..., Any], about: str, **called: str) -> None:
    """Register an existing function of the rules as a look-up; ``about`` is its description.

    The look-up takes the arguments of the function. ``called`` maps an argument name of the function to the name in a
    case; an argument mapped to ``""`` is not offered to cases. If the function raises an error for a forbidden action
    (``verify_…``), the look-up returns the code of the rule, or ``""`` if the action is allowed.
    """
    case_names = {theirs: ours for ours, theirs in called.items()}
    parameters = [
        each.replace(name=case_names.get(each.name, each.name), kind=each.KEYWORD_ONLY)
        for each in inspect.signature(function).parameters.values()
        if called.get(each.name) != ""
    ]

    def answer(**given: Any) -> LookupAnswer:
        arguments = {called.get(key, key): value for key, value in given.items()}
        if function.__name__.startswith("verify_"):
            return why_not(lambda: function(**arguments))
        return _plain(function(**arguments))

    answer.__doc__, answer.__signature__ = about, inspect.Signature(parameters)  # type: ignore[attr-defined]
    ASKS[name] = answer


def _plain(answer: Any) -> LookupAnswer:
    """Return an answer converted to types that TOML can write."""
    if hasattr(answer, "_asdict"):
        return {key: _plain(value) for key, value in answer._asdict().items()}
    if isinstance(answer, frozenset):
        return sorted(answer)
    return [_plain(each) for each in answer] if isinstance(answer, tuple) else answer


# --- plasma torpedoes and cloaks --------------------------------------------------------------------------

law(
    "plasma strength",
    plasma.warhead,
    "Warhead of a plasma torpedo (plasmaS ...) after so many hexes and points of phaser damage (FP1.5, FP1.6).",
    type="kind",
)
law("plasma endurance", plasma.endurance, "Hexes after which a plasma torpedo is spent (FP1.4).", type="kind")
law(
    "plasma feedback",
    plasma.feedback,
    "Feedback of a torpedo launched and striking in one hex (FP1.8).",
    warhead="points",
)


@lookup("plasma facings")
def plasma_facings(*, ship: str, weapon: str, facing: str) -> list[str]:
    """Facings in which a plasma torpedo tube of a ship with this facing can launch (FP3.1, FP3.2).

    ``weapon`` is the name of the tube, such as PLAS A.
    """
    spec = ship_class(ship).weapon(weapon)
    return list(plasma.launch_facings(facing, spec.mount, spec.arc))


@lookup("plasma targets")
def plasma_targets(*, ship: str, weapon: str) -> str:
    """The arc in which the target of a plasma torpedo tube must be at launch (FP3.1, FP3.2)."""
    spec = ship_class(ship).weapon(weapon)
    return plasma.target_arc(spec.mount, spec.arc)


@lookup("plasma after destruction")
def plasma_after_destruction(*, destroyed: int, impulses: int) -> list[int]:
    """Turn and impulse until which a tube destroyed at this impulse of turn 1 can still launch (FP1.7)."""
    last = plasma.last_moment(destroyed, impulses)
    return [(last - 1) // impulses + 1, (last - 1) % impulses + 1]


@lookup("cloaked range")
def cloaked_range(*, range: int) -> int:
    """Effective range in hexes to a fully cloaked ship, for a ship with undamaged scanners (G13.34C)."""
    return sensors.effective_range(range, hidden=True)


@lookup("cloak")
def cloak_at(*, status: str, since: int, impulse: int) -> dict[str, LookupAnswer]:
    """Effects of a cloak at one impulse, if the cloak was announced at impulse ``since`` (G13.0).

    The parts of the answer are the hexes added to the range, and three yes-or-no values: whether enemies keep their
    lock-on, whether the ship cannot use weapons, and whether it is hidden.
    """
    return sensors.veil(CloakState(status), since, impulse)._asdict()


law("seeker on cloaked", sensors.seeking_points, "Points a seeking weapon scores on a cloaked ship (G13.34C).")


# --- systems ----------------------------------------------------------------------------------------------


@lookup("towing speed")
def towing_speed(*, warp: int, impulse: int, freighters: int, move_cost: str = "1") -> int:
    """Maximum speed with this warp and impulse energy while towing this number of freighters (G7.4)."""
    return tractors.towing_speed(warp, impulse, Fraction(move_cost), freighters)


@lookup("may tractor")
def may_tractor(*, kind: str, range: int, own: bool = False) -> str:
    """Code of the rule that forbids a tractor beam to hold a unit, or empty (G7.26, G7.31C, G7.32C).

    ``kind`` is the kind of unit, and ``own`` says whether it belongs to the own side.
    """
    return why_not(lambda: tractors.verify_hold(target=kind, kind=kind, own=own, range=range))


@lookup("transporter energy")
def transporter_energy(*, transporters_used: int, fractional: bool = False) -> str:
    """Energy points to use a number of transporters, as text such as 1 or 2/5 (G8.13)."""
    return str(transporters.energy_for(transporters_used, fractional))


@lookup("information")
def information(*, die: int, range: int, labs_working: int = 1) -> int:
    """Points of information gathered by a number of labs (G4.1)."""
    return science.each_lab(die, range) * labs_working


law("probe hits", science.hits, "Whether a probe used as a weapon hits (G5.34).", range="effective_range")


@lookup("shuttle")
def shuttle(*, damage: int, speed: int = 6) -> list[LookupAnswer]:
    """Condition of a shuttle after this damage, and the speed that it then has (J1.32, J1.33).

    ``speed`` is its speed before the damage.
    """
    return [shuttles.condition(damage), shuttles.speed_after(speed, damage)]


@lookup("shuttle speed")
def shuttle_speed(*, speed: int, prior: int, damage: int = 0) -> str:
    """Code of the rule that forbids a shuttle to change its speed in this way, or empty (J1.21, J1.22)."""
    return why_not(lambda: shuttles.verify_speed(speed, prior, damage))


@lookup("suicide shuttle")
def suicide_shuttle(*, energy: list[int], level: str = "cadet") -> list[LookupAnswer]:
    """State and warhead of a suicide shuttle after arming it with this energy, one number a turn (J2.22).

    If the energy is not allowed, the answer is the code of the fault and 0.
    """
    state = shuttles.NOT_ARMED
    for points in energy:
        try:
            state = shuttles.arm(state, points, level)
        except NotAllowed as refused:
            return [refused.code, 0]
    return [state.state, shuttles.warhead(state.energy)]


# --- terrain and monsters ---------------------------------------------------------------------------------


@lookup("line")
def line(*, a: str, b: str, grid: str = "even") -> dict[str, LookupAnswer]:
    """Hexes that a line of fire crosses, and pairs of hexes along whose common edge the line runs (P2.0)."""
    found = line_of_fire(a, b, grid)
    return {"through": list(found.through), "edges": [list(pair) for pair in found.edges]}


law("planet blocks", terrain.blocked, "Whether planets stop a line of fire (P2.0).")
law("asteroid damage", terrain.asteroid_damage, "Points scored by asteroids on a unit that enters them (P3.0).")
law("asteroid modifier", terrain.fire_modifier, "What asteroids in a line of fire add to the die (P3.0).")


@lookup("monster move")
def monster_move(
    *, at: str, toward: str, die: int = 1, kind: str = "planet_killer", straight: int = 1, grid: str = "even"
) -> str:
    """Hex and facing of a monster at ``at`` (``0101C``) after its move toward a hex (scenario #11)."""
    moved = monsters.choose(monsters.choices(kind, at[:4], at[4:], straight, toward, grid), die)
    return moved.hex + moved.facing


@lookup("monster attack")
def monster_attack(*, die: int, kind: str = "planet_killer", cadet: bool = False) -> int:
    """Points of a monster's attack, halved for Cadet ships (scenario #11)."""
    return monsters.attack(kind, die, cadet)


@lookup("plasma energy")
def plasma_energy(*, type: str) -> list[int]:
    """Energy points for each turn of arming a plasma torpedo, then for holding it a turn (FP1.22, FP2.0).

    The last number is missing for a torpedo that cannot be held.
    """
    found = charts.plasma()[plasma.plasma_type(type)]
    return [*found.arming, *([] if found.hold is None else [found.hold])]


@lookup("cloak cost")
def cloak_cost(*, ship: str) -> int | None:
    """Energy points for a turn under cloak, or empty for a ship that cannot cloak (G13.32C)."""
    return ship_class(ship).cloak


@lookup("maneuver energy")
def maneuver_energy(*, maneuvers: int, move_cost: str = "1") -> str:
    """Points of warp energy for a number of tactical maneuvers (C5.22)."""
    return str(movement.warp_energy(maneuvers, Fraction(move_cost)))


@lookup("may pay for maneuvers")
def may_pay_for_maneuvers(*, warp: int = 0, sublight: int = 0, hexes: int = 0) -> str:
    """Code of the rule that forbids an energy form to pay for these tactical maneuvers, or empty.

    The rules are C5.11 and C5.22.
    """
    return why_not(lambda: movement.verify_paid(warp=warp, sublight=sublight, hexes=hexes))


# --- labs and probes --------------------------------------------------------------------------------------


@lookup("learnt")
def learnt(*, ship: str, die: int, range: int, shuttles_at: list[int] | None = None, cloaked: bool = False) -> int:
    """Points of information about a monster that an undamaged ship and its shuttles gather in a turn.

    The rules are G4.1, G4.3 and J2.212.
    """
    return science.lab_information(die, range, ship_class(ship).boxes, shuttles_at or (), cloaked)


law(
    "probe energy",
    science.arming_energy,
    "Energy of each turn of arming a probe for information or as a weapon (G5.2, G5.32).",
)


@lookup("probe yield")
def probe_yield(*, purpose: str) -> int:
    """Points of information that a probe gathers, or points of damage it scores as a weapon (G5.2, G5.31)."""
    return science.warhead() if purpose == Purpose.WEAPON else science.probe_information()


@lookup("may launch a probe")
def may_launch_a_probe(
    *,
    purpose: str,
    range: int = 1,
    turns: int = 2,
    left: int = 5,
    ahead: bool = True,
    crippled: bool = False,
    outnumbered: bool = False,
    directed: bool = False,
) -> str:
    """Code of the rule that forbids launching a probe, or empty (G5.11, G5.3, G5.33).

    ``turns`` is the number of turns for which the probe was armed.
    """
    ready = science.Probe(Purpose(purpose), turns)
    if purpose == Purpose.INFORMATION:
        return why_not(lambda: science.verify_information(ready=ready, left=left, range=range))
    return why_not(
        lambda: science.verify_weapon(
            ready=ready, left=left, range=range, ahead=ahead, crippled=crippled, outnumbered=outnumbered,
            directed=directed,
        )
    )  # fmt: skip


# --- beams and transporters -------------------------------------------------------------------------------

law("tractor energy", tractors.energy_for, "Energy for so many tractor beams (G7.15).")


@lookup("may use a beam")
def may_use_a_beam(
    *, beam: str = "A", working: int = 2, powered: int = 2, used: int = 0, released: int = 0, moment: int, impulses: int
) -> str:
    """Code of the rule that forbids attaching a tractor beam, or empty (G7.13, G7.15).

    ``moment`` and ``released`` are impulses counted from the game's first impulse; 0 means never.
    """
    return why_not(
        lambda: tractors.verify_beam(
            beam=beam, working=working, powered=powered, used=used, linked=False, released=released or None,
            moment=moment, impulses=impulses,
        )
    )  # fmt: skip


@lookup("may transport")
def may_transport(
    *, wanted: int = 1, working: int = 3, used: int = 0, powered: int = 5, range: int = 1, shield_down: bool = True
) -> str:
    """Code of the rule that forbids using this number of transporters now, or empty (G8.11 to G8.21)."""
    return why_not(
        lambda: transporters.verify_transport(
            wanted=wanted, working=working, used=used, powered=powered, range=range, own_shield_down=shield_down
        )
    )


law(
    "parties carried",
    transporters.carried,
    "Boarding parties moved by so many transporters in one action (G8.13).",
    transporters_used="transporters",
)


@lookup("may raise a shield")
def may_raise_a_shield(*, dropped: int, moment: int, impulses: int) -> str:
    """Code of the rule that forbids raising a lowered shield again, or empty (G8.22)."""
    return why_not(lambda: transporters.verify_raise(shield=1, dropped=dropped, moment=moment, impulses=impulses))


# --- shuttles ---------------------------------------------------------------------------------------------

law(
    "may shoot a shuttle",
    shuttles.verify_shot_at_shuttle,
    "Why direct fire may not be aimed at a shuttle, as a code, or empty (J1.35, P2.0).",
)


@lookup("may launch a shuttle")
def may_launch_a_shuttle(*, moment: int, last_used: int = 0, speed: int = 6, aboard: int = 1, boxes: int = 2) -> str:
    """Code of the rule that forbids launching a shuttle, or empty (J1.5).

    ``last_used`` is the moment at which the bay was last used, in impulses from the start of the game; 0 means never.
    """
    bay = shuttles.ShuttleBay(boxes, aboard, last_used or None)
    return why_not(lambda: shuttles.verify_launch(bay, moment, speed))


@lookup("may recover a shuttle")
def may_recover_a_shuttle(
    *, ship_speed: int, range: int = 1, attached: int = 1, moment: int = 2, boxes: int = 1
) -> str:
    """Code of the rule that forbids pulling a shuttle aboard by tractor beam, or empty (J1.62, J1.621)."""
    bay = shuttles.ShuttleBay(boxes, 0)
    return why_not(
        lambda: shuttles.verify_recover(bay, moment, range=range, ship_speed=ship_speed, attached=attached, damage=0)
    )


@lookup("shuttle may fire")
def shuttle_may_fire(*, moment: int, launched: int, impulses: int, fired: int = 0) -> str:
    """Code of the rule that forbids a shuttle to fire its phaser, or empty (J2.213).

    ``fired`` is the moment of its last shot, in impulses from the start of the game; 0 means never.
    """
    return why_not(
        lambda: shuttles.verify_shuttle_fire(
            name="it", fired=fired or None, launched=launched, moment=moment, impulses=impulses
        )
    )


@lookup("phaser damage")
def phaser_damage(*, type: str, range: int, die: int) -> int:
    """Points of damage of a phaser (ph1, ph2, ph3, phG) at an effective range in hexes (E2.4)."""
    if not direct_fire.is_phaser(type):
        raise ValueError(f"{type} is no phaser")
    return shot(type=type, range=range, die=die)


law("phaser energy", weapons.phaser_cost, "Energy of one shot of a phaser (E2.1).", type="kind")


@lookup("photon hits")
def photon_hits(*, range: int, die: int) -> bool:
    """Whether a photon torpedo hits with this die roll (E4.12)."""
    return direct_fire.direct_fire("photon", range, range, die).hit


@lookup("photon damage")
def photon_damage() -> int:
    """Points of damage of a photon torpedo that hits (E4.13)."""
    return shot(type="photon", range=direct_fire.min_range("photon"), die=1)


@lookup("disruptor hits")
def disruptor_hits(*, range: int, die: int) -> bool:
    """Whether a disruptor bolt hits with this die roll at an effective range (E3.3)."""
    return direct_fire.direct_fire("disruptor", range, range, die).hit


@lookup("disruptor damage")
def disruptor_damage(*, range: int) -> int:
    """Points of damage of a disruptor bolt that hits at a true range (E3.31)."""
    return shot(type="disruptor", range=range, die=1)


@lookup("shot")
def shot(
    *, type: str, range: int, die: int, effective: int | None = None, target: str = "ship", max_range: int | None = None
) -> int:
    """Points of damage of one shot at a ship or drone, with the die modifier (E1.3, E3.31, FD1.52).

    ``max_range`` is the ship's own maximum range for the weapon in hexes, if it has one (E3.32).
    """
    modifier = direct_fire.drone_modifier(type) if target == "drone" else 0
    far = range if effective is None else effective
    return direct_fire.direct_fire(type, range, far, die, modifier, max_range).points


@lookup("may fire")
def may_fire(  # noqa: PLR0913 - the keys of a look-up in a case
    *,
    type: str,
    range: int,
    charge: str = "",
    energy: float = 0.0,
    in_arc: bool = True,
    working: bool = True,
    max_range: int | None = None,
    fired: list[int] | str | None = None,
    turn: int = 1,
    impulse: int = 1,
    impulses: int = 16,
) -> str:
    """Code of the rule that forbids a weapon to fire, or empty (E1.2, E1.5).

    ``fired`` is turn and impulse of the weapon's last shot, "1.15".
    """
    last = fired if isinstance(fired, str) or fired is None else ".".join(map(str, fired))
    return why_not(
        lambda: direct_fire.verify_fire(
            kind=type,
            name=type,
            working=working,
            charge=WeaponState(charge),
            fired=moment_of(last, impulses) if last else None,
            moment=(turn - 1) * impulses + impulse,
            impulses=impulses,
            range=range,
            max_range=max_range,
            in_arc=in_arc,
            energy=energy,
        )
    )


NAME, SIDE = "SHIP", "its side"


class _Owner(Commander):
    """The owner of a damaged ship, who decides nothing but which boxes to destroy first or last."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(_choice(text) for text in choices)

    def damage_choices(self, ship: Ship) -> tuple[DamageChoice, ...]:
        return self.choices


def _choice(text: str) -> DamageChoice:
    """Return a damage choice of the owner, read from text such as ``WEAPON PH 1 FIRST`` (D4.223)."""
    category, _, rest = text.partition(" ")
    items, _, place = rest.rpartition(" ")
    return DamageChoice(category=category, items=tuple(item.strip() for item in items.split(",")), place=place, line=0)


def undamaged(ship: str) -> Ship:
    """Return a new ship of a class, given by the key of the class."""
    return new_ship(ship_class(ship), name=NAME, side=SIDE, hex="1010", facing="A")


class StruckShip(NamedTuple):
    """The undamaged ship that a volley strikes.

    ``ship`` is the key of its class, ``choices`` are the damage choices of its owner, and ``aboard`` is the number of
    shuttles in its boxes.
    """

    ship: str
    choices: Sequence[str] = ()
    aboard: int = 0


def volley(
    procedure: str,
    target: StruckShip,
    points: int,
    *,
    dice: Sequence[int] = (),
    chart: str = "printed",
    shield: int = 1,
    line: DamageLine | None = None,
    grid: str = "even",
) -> list[str]:
    """Return the boxes that internal points destroy on an undamaged ship, as the engine plays it.

    Armor boxes are included. An empty name at the end means that the ship is destroyed.

    Args:
        procedure: Damage procedure of a scenario (``cadet dac`` …).
        target: The ship.
        points: Number of internal points.
        dice: The dice in order.
        chart: The option ``dac``.
        shield: The shield through which the points come, if there is no ``line``.
        line: The direction the points come from.
        grid: ``even`` or ``odd``.
    """
    new = undamaged(target.ship)
    struck = replace(new, shields=(0,) * 6, hangar=new.hangar[: target.aboard])
    options = msgspec.convert({"dac": chart, "reinforcement": False}, Options)
    state = State(turn=1, impulse=1, grid=grid, options=options, units={NAME: struck})
    owner: dict[str, Any] = {SIDE: _Owner(target.choices)}
    table = Resolution(state, replace(scenario("1"), damage=procedure, chapters=()), ScriptedDice(dice), owner)
    resolve_volleys(table, [Blow(target=NAME, shield=shield, points=points, source="", line=line)])
    happened = [record.event for record in table.records]
    hits = [event.box for event in happened if isinstance(event, ev.InternalHit)]
    return [*hits, *("" for event in happened if isinstance(event, ev.Destroyed))]


# --- damage -----------------------------------------------------------------------------------------------


@lookup("standard hits")
def standard_hits(  # noqa: PLR0913 - the keys of a look-up in a case
    *,
    ship: str,
    dice: list[int],
    hex: str = "",
    facing: str = "A",
    source: str = "",
    shield: int = 1,
    choices: list[str] | None = None,
    aboard: int = 0,
    grid: str = "even",
) -> list[str]:
    """The boxes that a volley destroys on an undamaged ship by the standard chart (D4.2, D4.12).

    Armor comes first and takes no dice. Then each number of ``dice``, a sum of two dice, destroys a box. The volley
    comes from the hex ``source``, or through a shield. Choices are written as "WEAPON PH 1 FIRST" (D4.223, D4.321).
    """
    armor = ship_class(ship).boxes.get(internal_damage.ARMOR, 0)
    both = [die for roll in dice for die in (max(1, roll - 6), min(6, roll - 1))]
    line = DamageLine(hex, facing, source) if source else None
    target = StruckShip(ship, choices or (), aboard)
    return volley("standard dac", target, armor + len(dice), dice=both, shield=shield, line=line, grid=grid)


@lookup("armor hits")
def armor_hits(*, ship: str, points: int, lost: int = 0) -> int:
    """Number of internal points of a volley that the ship's armor takes (D4.12).

    ``lost`` is the number of armor boxes lost before.
    """
    left = ship_class(ship).boxes.get(internal_damage.ARMOR, 0) - lost
    return len(internal_damage.armor_hits(points, {internal_damage.ARMOR: left}))


@lookup("free hits")
def free_hits(*, ship: str, points: int, edition: str = "printed", choices: list[str] | None = None) -> list[str]:
    """The boxes that a volley destroys without a damage chart, as in scenarios #2 and #3 (D4.0).

    An empty name means that the ship is destroyed.
    """
    return volley("scenario 2", StruckShip(ship, choices or ()), points, chart=edition)


@lookup("volley directions")
def volley_directions(*, points: list[int], internals: int) -> list[int]:
    """The source of each internal point of a volley from several sources, as its number from 1 (D4.34).

    ``points`` are the points from each source.
    """
    parts = [
        internal_damage.VolleyShare(f"{n:03}", each, frozenset((str(n),))) for n, each in enumerate(points, start=1)
    ]
    return [int(next(iter(arcs))) for arcs in internal_damage.directions(parts, internals)]


# --- sensors ----------------------------------------------------------------------------------------------


@lookup("sensor rating")
def sensor_rating(*, ship: str, lost: int = 0) -> int:
    """The sensor rating of a ship that has lost boxes of its sensor track (D6.11, D4.33).

    ``lost`` is the number of boxes lost.
    """
    track = ship_class(ship).tracks["sensor"]
    return sensors.sensor_rating(track, len(track) - lost)


@lookup("scanner factor")
def scanner_factor(*, ship: str, lost: int = 0) -> int:
    """The scanner adjustment of a ship that has lost boxes of its scanner track (D6.21, D4.33).

    ``lost`` is the number of boxes lost.
    """
    track = ship_class(ship).tracks["scanner"]
    return sensors.scanner_factor(track, len(track) - lost)


law("locks on", sensors.locks_on, "Whether a ship locks on (D6.11, D6.1).")
law(
    "effective range",
    sensors.effective_range,
    "The effective range from the true one (D6.123, D6.21, G13.34C).",
    range="true_range",
    cloaked="hidden",
)
law(
    "lost drones",
    sensors.lost_drones,
    "The drones a ship loses in the lock-on phase, of those it guides in order of launch (D6.122, D6.132).",
    most="",
)


# --- boarding and mutiny ----------------------------------------------------------------------------------

law(
    "casualties",
    boarding.casualties,
    "Casualty points of so many boarding parties, one die for each group of ten (D7.0).",
)


@lookup("boarding combat")
def boarding_combat(
    *, holders: int, raiders: int, holders_dice: list[int], raiders_dice: list[int], stations: int, taken: int = 0
) -> dict[str, LookupAnswer]:
    """Result of a round of boarding combat (D7.0).

    It has the parties left, the control stations in enemy hands, and whether the ship is captured.
    """
    before = boarding.Decks(holders, raiders, stations, taken)
    after = boarding.fight(before, holders_dice, raiders_dice).decks
    return {
        "holders": after.holders, "raiders": after.raiders, "taken": after.taken, "captured": after.captured,
    }  # fmt: skip


@lookup("control stations")
def control_stations(*, ship: str) -> int:
    """Number of control stations of an undamaged ship (D7.0, step 5)."""
    kind = ship_class(ship)
    return boarding.control_stations(kind.boxes, kind.control_stations)


@lookup("mutiny occurs")
def mutiny_occurs(*, die: int, enemy_parties: int = 0, control_boxes: int = 1) -> bool:
    """Whether the crew of a Klingon ship without security stations mutinies (G6.2, G6.22, G6.23)."""
    return boarding.occurs(die, boarding.modifier(enemy_parties, control_boxes))


@lookup("mutiny succeeds")
def mutiny_succeeds(*, die: int, enemy_parties: int = 0, control_boxes: int = 1) -> bool:
    """Whether a mutiny that has broken out succeeds (G6.2, G6.22, G6.23)."""
    return boarding.succeeds(die, boarding.modifier(enemy_parties, control_boxes))


# --- tactical maneuvers -----------------------------------------------------------------------------------

law("tactical maneuvers", movement.earned_in, "The impulses in which warp maneuvers are earned (C5.231).")
law(
    "may turn in place",
    movement.verify_tac,
    "Why a warp or sublight maneuver may not be made, as a code, or empty (C5.0).",
)


# --- energy -----------------------------------------------------------------------------------------------


@lookup("top speed")
def top_speed(*, prior: int, level: str = "cadet") -> int:
    """Maximum speed of a ship after a prior speed, as limited by acceleration (B3.0, line 14)."""
    limits = charts.level(level)
    return movement.top_speed(prior, limits.acceleration, limits.multiple)


@lookup("exact cost")
def exact_cost(*, hexes: int = 0, move_cost: str = "1", ph3: int = 0, operated: int = 0) -> str:
    """Energy for hexes, phaser-3 shots and transporters with fractional accounting, as a fraction (B3.2)."""
    shots = ph3 * Fraction(weapons.phaser_cost("ph3"))
    return as_text(hexes * Fraction(move_cost) + shots + transporters.energy_for(operated, fractional=True))


@lookup("unpaid")
def unpaid(*, line: str) -> str:
    """Consequences of an energy form that does not pay for LIFE SUPPORT, FIRE CONTROL or SHIELDS.

    The rules are B3.0, lines 7, 8 and 11.
    """
    return " ".join(power.consequences((line,)))


@lookup("capacitor after")
def capacitor_after(*, content: float, type: str, shots: int, before: int = 0) -> float:
    """Energy points left in the phaser capacitor after a number of phaser shots (H6.1, E2.1).

    ``before`` is the number of shots that the phaser fired earlier this turn.
    """
    drawn = sum(weapons.shot_cost(type, before + number) for number in range(shots))
    if drawn > content:
        raise ValueError(f"{drawn:g} points are needed, the capacitor holds {content:g} (H6.1)")
    return content - drawn


law("shots a turn", weapons.shots, "How often a weapon may fire in a turn (E1.5, E2.23).", type="kind")


@lookup("reserve power")
def reserve_power(*, use: str, points: int = 1, stored: int = 1, rolling: bool = False) -> str:
    """Code of the rule that forbids paying for something with reserve power, or empty (H7.2).

    ``use`` is what is paid for: shield, transporters, tractor, plasma, ph1 ….
    """
    return why_not(lambda: power.verify_reserve(use, points=points, stored=stored, rolling=rolling))


law("shields after repairs", shields.after_repairs, "Shields after the repairs of a turn's end (D9.2).")


@lookup("damage control rating")
def damage_control_rating(*, ship: str, lost: int = 0) -> int:
    """The damage control rating of a ship that has lost boxes of its damage control track (D9.1, D4.33).

    ``lost`` is the number of boxes lost.
    """
    track = ship_class(ship).tracks.get("damcon", ())
    return shields.rating(track, len(track) - lost)


# other modules are imported so that their look-ups are registered, too


def ask(function: str, **given: Any) -> LookupAnswer:
    """Call the look-up named ``function`` with its arguments and return the answer.

    Raises:
        ValueError: The function, an argument or a kind of weapon is unknown.
    """
    if function not in ASKS:
        near = difflib.get_close_matches(function, ASKS, n=3) or sorted(ASKS)
        words = "did you mean" if len(near) < len(ASKS) else "there are"
        raise ValueError(f"there is no look-up {function!r}; {words} {', '.join(near)}")
    called = ASKS[function]
    known = inspect.signature(called).parameters
    wrong = [name for name in given if name not in known]
    missing = [name for name, it in known.items() if it.default is it.empty and name not in given]
    if wrong or missing:
        text = "; ".join(
            [*(f"{name!r} is none of its arguments" for name in wrong), *(f"{name!r} is missing" for name in missing)]
        )
        raise ValueError(f"{function}: {text}; it takes {', '.join(known)}")
    if isinstance(given.get("type"), str):
        given["type"] = weapon_kind(given["type"])
    return called(**given)


def weapon_kind(name: str) -> str:
    """Return the key of a kind of weapon for a name: ``ph1`` for ``ph-1``, ``phaser-1`` or ``PH 1``.

    Other names are returned unchanged.
    """
    kinds = {kind.casefold(): kind for kind in charts.weapon_kinds()}
    plain = name.casefold().replace("-", "").replace(" ", "").replace("_", "").replace("phaser", "ph")
    plain = {"phiii": "ph3", "phii": "ph2", "phi": "ph1"}.get(plain, plain)
    return kinds.get(plain, name)


# --- geometry ---------------------------------------------------------------------------------------------

law("distance", hexes.distance, "True range between two hexes (D1.4).")
law("neighbour", hexes.neighbour, "The hex next to a hex in a facing A to F (C1.2).")
law(
    "direction",
    hexes.direction_to,
    "The facing that leads from hex a into the adjacent hex b; nothing if they are not adjacent (C1.2).",
)
law("hex after", movement.enter, "Hex and facing after one step F, L, R, SL or SR (C3.1, C4.2).")
law("arcs", arcs.arcs_of, "The single arcs of a designation, in alphabetical order (D2.1, D2.2).")
law("in arc", arcs.in_arc, "Whether a weapon with this arc bears on a hex (D2.1).", target="target_hex")
law(
    "shield faced",
    shields.faced_shields,
    "The shield a line of fire from a hex crosses, or the two whose junction it meets (D3.4, D3.41).",
    source="source_hex",
)


@lookup("boundary shield")
def boundary_shield(
    *, target: str, target_speed: int, firer: str, firer_speed: int, impulse: int, impulses: int, grid: str = "even"
) -> int | None:
    """Number of the shield that a line of fire enters; at junctions by D3.41, or empty if undecided.

    Units are given as 1708C (hex and facing).
    """
    return shields.boundary_shield(
        (target[:4], target[4:], target_speed), (firer[:4], firer[4:], firer_speed), impulse, impulses, grid
    )


# --- movement ---------------------------------------------------------------------------------------------

law("moves", movement.moves, "Whether a speed moves in an impulse of a turn of 8, 16 or 32 (C1.44).")
law("impulses of", movement.impulses_of, "The impulses in which a speed moves (C1.44).")
law("hex number", movement.hex_number, "The hexes a speed has moved by the end of an impulse (C1.44).")
law("quarter turn", movement.quarter, "Impulses in a quarter turn (E1.5).")
law("maximum speed", movement.max_speed, "Maximum speed of ships, or the speed of seeking weapons (C1.42).")


@lookup("turn mode")
def turn_mode(*, speed: int, ship: str = "", letter: str = "") -> int:
    """Turn mode at a speed, for a ship (by key) or for a letter of the turn mode chart (C3.3)."""
    modes = ship_class(ship).turn_modes if ship else charts.turn_modes().classes[letter]
    return movement.turn_mode(modes, speed)


@lookup("counts after")
def counts_after(*, codes: list[str], since_turn: int = 99, since_slip: int = 99) -> list[int]:
    """Numbers of hexes that count toward turn mode and slip mode after some steps (C3.4, C4.3).

    ``since_turn`` and ``since_slip`` are the numbers before the steps.
    """
    for code in codes:
        since_turn, since_slip = movement.after_step(code, since_turn, since_slip)
    return [since_turn, since_slip]


@lookup("seeker steps")
def seeker_steps(*, at: str, target: str, straight: int = 1, grid: str = "even") -> list[str]:
    """The positions that a seeking weapon at 1109E may move to, such as 1009E: ahead, left, right (F2.0)."""
    return [hex + facing for _, hex, facing in seeking.legal_steps(at[:4], at[4:], straight, target, grid)]


@lookup("seeker step")
def seeker_step(*, at: str, target: str, straight: int = 1, grid: str = "even", way: str = "") -> str:
    """The position to which a seeking weapon moves (F2.0, special rule).

    ``way`` is LEFT, RIGHT or STRAIGHT for a weapon that its owner guides, and empty for any other.
    """
    _, hex, facing = seeking.choose_step(at[:4], at[4:], straight, target, grid, way)
    return hex + facing


law(
    "launch facings",
    drones.launch_facings,
    "The facings in which a drone may be launched at a hex (FD1.2).",
    target="target_hex",
)


@lookup("drone endurance")
def drone_endurance(*, turn: int, impulse: int, impulses: int, level: str = "cadet") -> list[int]:
    """Turn and impulse at whose end a drone is removed that was launched at this turn and impulse (FD1.4)."""
    end = drones.endurance((turn - 1) * impulses + impulse, impulses, level)
    return [movement.turn_of(end, impulses), movement.impulse_of(end, impulses)]


@lookup("drone")
def drone(*, level: str = "cadet") -> list[int]:
    """Points of a drone's warhead, and points of damage that destroy the drone (FD1.54, FD1.6)."""
    return [drones.warhead(level), drones.toughness(level)]


# --- damage and energy ------------------------------------------------------------------------------------


@lookup("absorb")
def absorb(*, points: int, boxes: int, general: int = 0, specific: int = 0) -> dict[str, int]:
    """How the points of a volley are divided (D3.21, D3.34).

    The parts of the answer are general and specific reinforcement, shield boxes, and internal points.
    """
    return shields.absorb(points, general, specific, boxes)._asdict()


@lookup("damage column")
def damage_column(*, die: int, column: str, chart: str = "printed") -> str:
    """The system category in a column of the Cadet damage chart, for a die roll (D4.21 cadet)."""
    dac = charts.cadet_dac().module if chart == "module" else charts.cadet_dac().printed
    return dac.rows[die - 1][dac.columns.index(column)]


@lookup("first hits")
def first_hits(*, ship: str, dice: list[int], chart: str = "printed") -> list[str]:
    """The boxes that a volley destroys on an undamaged ship by the default procedure (D4.22, D4.223)."""
    return volley("cadet dac", StruckShip(ship), len(dice), dice=dice, chart=chart)


@lookup("total power")
def total_power(*, ship: str) -> int:
    """Total power of an undamaged ship, line 4 of its energy form (B3.0)."""
    return energy_form.plant_of(ship_class(ship).boxes).total


@lookup("capacity")
def capacity(*, ship: str) -> float:
    """Capacity of the phaser capacitor of an undamaged ship, in energy points (H6.0)."""
    return power.capacity(undamaged(ship).weapons)


@lookup("movement cost")
def movement_cost(*, hexes: int, move_cost: str = "1") -> int:
    """Points of warp energy to move a number of hexes, rounded up (C2.12)."""
    return energy_form.warp_for(hexes, Fraction(move_cost))


law("general reinforcement", shields.general_for, "Points of general reinforcement for so much energy (D3.341).")
law("boxes repaired", shields.boxes_repaired, "Shield boxes repaired by so much energy (D9.2).")


@lookup("boxes")
def boxes(*, ship: str, system: str) -> int:
    """Number of boxes of a system on an SSD; the names of shields are shield 1 to shield 6."""
    kind = ship_class(ship)
    if system.startswith("shield "):
        return kind.shields[int(system.split()[1]) - 1]
    return kind.boxes.get(system, 0)


@lookup("start")
def start(*, scenario_number: str, unit: str) -> str:
    """Hex and facing of a unit at the start of a scenario."""
    found = scenario(scenario_number).unit(unit)
    return found.hex + found.facing
