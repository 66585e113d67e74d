"""Arming of weapons: how each type becomes and stays ready, and how much energy its shots cost.

The rules are E2.0, E3.2, E4.2, FD1.1, FP1.2 and H6.0. The chart of weapons says in which way a weapon type is armed
(``arming``). Each way of arming is a class in this module, which takes its numbers from the weapon's own chart.
:func:`family` returns the object for a weapon type, so that no other code depends on the names of weapons.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pbem.data import charts
from pbem.data.chart_types import DamageTable, HitTable
from pbem.data.files import own_figures
from pbem.data.terms import WeaponState
from pbem.errors import NotAllowed
from pbem.rules.movement import turn_of

UNDER_WAY = (WeaponState.ARMING, WeaponState.ROLLING)
"""The states of a weapon whose arming has begun and is not complete."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


class WeaponReadiness(NamedTuple):
    """The readiness of a weapon, and the number of turns in which it has received energy.

    ``charge`` is ``""``, ``arming``, ``armed``, ``powered`` (this turn only) or ``rolling``. A weapon is ``rolling`` if
    it is a plasma torpedo that lacks one turn of arming and took its rolling delay this turn (FP1.22).
    """

    charge: WeaponState
    armed_turns: int


UNARMED = WeaponReadiness(WeaponState.NONE, 0)


class Tube(msgspec.Struct, frozen=True, kw_only=True):
    """A weapon as it is before this turn's energy form takes effect.

    Attributes:
        name: The name of the weapon.
        kind: The weapon type, such as ``photon``.
        working: Whether the weapon is not destroyed.
        charge: How ready the weapon is (:class:`~pbem.data.terms.WeaponState`).
        armed_turns: Turns of arming so far.
    """

    name: str
    kind: str
    working: bool = True
    charge: WeaponState = WeaponState.NONE
    armed_turns: int = 0


class Arming(NamedTuple):
    """The effect of an entry for a weapon on line 10 of the energy form.

    The effect consists of the new state of the weapon and the energy points that the entry costs. ``warp_only`` is true
    if the energy must be warp power.
    """

    readied: WeaponReadiness
    energy: int
    warp_only: bool = False


def arm(tube: Tube, points: Fraction, verb: str = "", sources: tuple[str, ...] = ()) -> Arming:
    """Return the effect of one entry for a weapon on line 10 of the energy form.

    Args:
        tube: The weapon.
        points: The energy points.
        verb: ``HOLD``, ``EJECT`` or ``""``.
        sources: The sources of power that the player named.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``photon-arming``,
            ``photon-not-warp``, ``hold-not-armed``, ``nothing-to-eject``, ``disruptor-amount``, ``plasma-arming`` or
            ``no-energy-needed``.
    """
    if not tube.working and (points or verb):
        raise NotAllowed("weapon-destroyed", f"{tube.name} is destroyed", "E1.2")
    return family(tube.kind).arm(tube, points, verb, sources)


def lost(tube: Tube) -> str:
    """Return a sentence about what a weapon loses if it gets no energy this turn.

    The sentence is ``""`` if the weapon loses nothing.
    """
    return family(tube.kind).lost(tube)


class Family:
    """Base class for the ways in which types of weapons are armed and used.

    The base class itself is used for weapons that are never armed on line 10 of the energy form, such as an ESG or a
    probe.

    Attributes:
        turns: The number of turns of energy until the weapon is ready; 0 if it has no entry on line 10.
        single_turn: Whether the energy of one turn is enough to fire the weapon, so that reserve power may supply it
            (H7.2).
        cost: The energy points for a shot, if the weapon itself stores this energy; 0 for a phaser, which uses the
            capacitor.
        launches: Whether the weapon launches seeking weapons.
        ammunition: Whether the weapon has a supply of drones.
        choices: The states that an umpire may set, besides destroyed and working.
    """

    turns = 0
    single_turn = launches = ammunition = False
    cost = 0
    choices: tuple[str, ...] = ()

    def __init__(self, kind: str) -> None:
        self.kind, self.entry = kind, charts.weapon_kinds()[kind]

    def ready(self, charge: WeaponState) -> bool:
        """Return whether the weapon itself has the energy that it needs to fire (E1.2).

        The result is always true for weapons that store no energy, such as phasers, which use the capacitor.
        """
        return True

    def loaded(self, charge: WeaponState, ammo: int) -> bool:
        """Return whether the weapon counts as ARMED in a condition of orders."""
        return charge in (WeaponState.ARMED, WeaponState.POWERED)

    def verify_ready(self, name: str, charge: WeaponState) -> None:
        """Check that the weapon has the energy that it needs to fire (:meth:`ready`).

        Raises:
            NotAllowed: The weapon does not have the energy (fault code ``not-armed``).
        """
        if not self.ready(charge):
            raise NotAllowed("not-armed", f"{name} has no energy this turn", self.entry.energy_rule)

    def arm(self, tube: Tube, points: Fraction, verb: str, sources: tuple[str, ...]) -> Arming:
        """Return the effect of an entry on line 10 of the energy form for a working weapon.

        The function :func:`arm` of this module explains the arguments and the errors.
        """
        _no_verb(tube, verb)
        raise NotAllowed("no-energy-needed", f"{tube.name} takes no energy", "FD1.2")

    def lost(self, tube: Tube) -> str:
        """Return a sentence about what the weapon loses if it gets no energy this turn.

        The sentence is ``""`` if the weapon loses nothing.
        """
        return ""

    def at_set_up(self) -> WeaponReadiness:
        """Return the readiness of a weapon of this type at the start of a scenario."""
        return UNARMED

    def start_of_turn(self, fired: int | None, turn: int, impulses: int) -> WeaponReadiness | None:
        """Return a weapon's new state at the start of ``turn``, for a ship without an energy form.

        The Chief Engineer (i.e. the program) arms the weapons of such a ship. The result is ``None`` if the state
        does not change. ``fired`` is the time of the weapon's last shot (``None`` for never), in impulses from the
        start of the game.
        """
        return None

    def outlives(self, charge: WeaponState) -> bool:
        """Return whether a weapon whose box is destroyed may still launch the torpedo in it."""
        return False

    def to_finish(self, charge: WeaponState) -> int | None:
        """Return the points of reserve power that make the weapon ready at once (H7.2).

        The result is ``None`` if reserve power cannot make it ready.
        """
        return None

    def ruled(self, word: object) -> dict[str, Any] | None:
        """Return the fields that change when an umpire sets the state ``word``, as a dict of field to value.

        The result is ``None`` if the word has no meaning for this type of weapon.
        """
        return UNARMED._asdict() if word == "unarmed" and word in self.choices else None

    def hint(self, charge: WeaponState, armed_turns: int, ammo: int) -> tuple[str, str]:
        """Return the state of the weapon and a suggested energy-form entry, as texts for a draft of orders.

        Args:
            charge: How ready the weapon is.
            armed_turns: Turns of arming so far.
            ammo: Drones left in a rack.
        """
        return "", ""

    def ways(self, charge: WeaponState, armed_turns: int) -> tuple[str, ...]:
        """Return the possible energy-form entries for the weapon on line 10, the most useful first.

        Entries that cost no energy are left out. The entries are returned without the name of the weapon.
        """
        entry = self.hint(charge, armed_turns, 0)[1]
        return (entry,) if entry else ()

    def unready(self, charge: WeaponState, armed_turns: int, *, new_turn: bool) -> str:
        """Return the reason why the weapon cannot become ready this turn; ``""`` if it can.

        The reason is a text for a draft of orders. ``new_turn`` is true if this turn's energy form must still be
        written.
        """
        return ""


class _Capacitor(Family):
    """A phaser, which takes its energy from the phaser capacitor (H6.0)."""

    single_turn = True


class _Rack(Family):
    """A drone rack, whose drones were loaded before the game and need no energy (FD1.1)."""

    launches = ammunition = True
    choices = ("a number of drones",)

    def loaded(self, charge: WeaponState, ammo: int) -> bool:
        return ammo > 0

    def hint(self, charge: WeaponState, armed_turns: int, ammo: int) -> tuple[str, str]:
        return f"{ammo} drone{'' if ammo == 1 else 's'} left", ""


class _OneTurn(Family):
    """A weapon that fires with energy paid for in the same turn, from any source (E3.2, E1.2).

    Such weapons are disruptors and fusion beams.
    """

    turns, single_turn = 1, True
    choices = ("powered", "unarmed")

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        chart = charts.chart(self.entry.chart)
        assert isinstance(chart, HitTable | DamageTable)
        self.cost = int(chart.energy)

    def ready(self, charge: WeaponState) -> bool:
        return charge in (WeaponState.ARMED, WeaponState.POWERED)

    def arm(self, tube: Tube, points: Fraction, verb: str, sources: tuple[str, ...]) -> Arming:
        _no_verb(tube, verb)
        if points not in (0, self.cost):
            text = f"{tube.name} takes {self.cost} points or 0, not {points}"
            raise NotAllowed(f"{self.kind}-amount", text, self.entry.energy_rule)
        return Arming(WeaponReadiness(WeaponState.POWERED if points else WeaponState.NONE, 0), int(points))

    def start_of_turn(self, fired: int | None, turn: int, impulses: int) -> WeaponReadiness | None:
        return WeaponReadiness(WeaponState.POWERED, 0)

    def ruled(self, word: object) -> dict[str, Any] | None:
        return {"charge": WeaponState.POWERED} if word in ("armed", "powered") else super().ruled(word)

    def hint(self, charge: WeaponState, armed_turns: int, ammo: int) -> tuple[str, str]:
        return "has its energy" if charge == WeaponState.POWERED else "armed" if charge else "", str(self.cost)

    def unready(self, charge: WeaponState, armed_turns: int, *, new_turn: bool) -> str:
        return "" if new_turn or self.ready(charge) else "has no energy this turn"


class _Turns(Family):
    """A weapon that is armed over several turns and may then be held: the photon torpedo (E4.0).

    The chart of the weapon gives the energy for each turn (E4.21), the cost of holding (E4.22), and whether the energy
    must be warp power (E4.23).
    """

    choices = ("armed", "arming", "unarmed")
    hold_rule = "E4.22"
    warp_rule = "E4.23"

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self._read()
        # The rule numbers of chapter E4 are only for its own weapons; any other weapon has the number in its chart.
        if type(self) is _Turns and self.entry.energy_rule.partition(".")[0] != self.hold_rule.partition(".")[0]:
            self.hold_rule = self.warp_rule = self.entry.energy_rule
        self.turns = len(self.arming)
        self.held = self.entry.hold_word or self.kind  # the word for holding in fault codes

    def _read(self) -> None:
        chart = charts.hit_table(self.entry.chart)
        self.arming, self.warp = chart.arming or (chart.energy,), chart.armed_with == "WARP"
        self.hold: int | None = chart.hold
        self.name = self.kind

    def ready(self, charge: WeaponState) -> bool:
        return charge == WeaponState.ARMED

    def verify_ready(self, name: str, charge: WeaponState) -> None:
        if not self.ready(charge):
            how = "is only half armed" if charge == WeaponState.ARMING else "is not armed"
            raise NotAllowed("not-armed", f"{name} {how}", self.entry.energy_rule)

    def arm(self, tube: Tube, points: Fraction, verb: str, sources: tuple[str, ...]) -> Arming:
        if verb:
            return self._hold_or_eject(tube, points, verb)
        if not points:
            return Arming(UNARMED, 0)
        if tube.charge == WeaponState.ARMED:
            raise NotAllowed(
                f"{self.name}-arming", f"{tube.name} is already armed; write HOLD or EJECT", self.hold_rule
            )
        return self._next(tube, points, sources)

    def _next(self, tube: Tube, points: Fraction, sources: tuple[str, ...]) -> Arming:
        """Return the effect of paying for one more turn of arming.

        Raises:
            NotAllowed: The number of points or a source of power is wrong.
        """
        done = tube.armed_turns if tube.charge in UNDER_WAY else 0
        due = self._due(done)
        if points != due:
            text = f"{tube.name} takes {due} points{' of warp power' if self.warp else ''} a turn, not {points}"
            raise NotAllowed(f"{self.name}-arming", text, self.entry.energy_rule)
        if self.warp and (bad := [source for source in sources if source != "WARP"]):
            text = f"use warp power: {bad[0]} power cannot arm {tube.name}"
            raise NotAllowed(f"{self.name}-not-warp", text, self.warp_rule)
        return Arming(self._after(done + 1), due, warp_only=self.warp)

    def _due(self, done: int) -> int:
        """Return the energy points that the next turn of arming costs, after ``done`` turns of arming."""
        return self.arming[min(done, self.turns - 1)]

    def _after(self, turns: int) -> WeaponReadiness:
        """Return the weapon's readiness after this many turns of arming."""
        return WeaponReadiness(WeaponState.ARMED if turns >= self.turns else WeaponState.ARMING, turns)

    def _hold_or_eject(self, tube: Tube, points: Fraction, verb: str) -> Arming:
        """Return the effect of a HOLD or EJECT entry for a torpedo weapon.

        Raises:
            NotAllowed: The rules forbid it, with one of these fault codes: ``nothing-to-eject``, ``hold-not-armed``, or
                a code for a wrong number of points.
        """
        if verb == "EJECT":
            if not tube.charge:
                raise NotAllowed("nothing-to-eject", f"{tube.name} holds no torpedo to eject", self.hold_rule)
            if points:
                raise NotAllowed(
                    f"{self.held}-arming",
                    f"{tube.name}: leave out the points; ejecting takes no energy",
                    self.hold_rule,
                )
            return Arming(UNARMED, 0)
        if tube.charge != WeaponState.ARMED:
            what = "is only half armed" if tube.charge else "is not armed"
            raise NotAllowed("hold-not-armed", f"{tube.name} {what} and cannot be held", self.hold_rule)
        hold = self.hold or 0
        if points not in (0, hold):
            text = f"{tube.name}: holding takes {hold} points, not {points}"
            raise NotAllowed(f"{self.held}-arming", text, self.hold_rule)
        return Arming(WeaponReadiness(WeaponState.ARMED, tube.armed_turns), hold)

    def lost(self, tube: Tube) -> str:
        if tube.charge == WeaponState.ARMED:
            return f"{tube.name} is ejected: it was not held ({self.hold_rule})"
        under_way = tube.charge in UNDER_WAY
        return f"{tube.name} is lost: its arming was not completed ({self.hold_rule})" if under_way else ""

    def start_of_turn(self, fired: int | None, turn: int, impulses: int) -> WeaponReadiness | None:
        """Return the weapon's new state at the start of ``turn``, for a ship without an energy form (E4.2).

        Arming takes the usual number of turns, counted from the start of the scenario or from the turn in which the
        weapon last fired. A photon torpedo may therefore fire in turn 2, and again two turns later. The impulse of the
        shot does not matter.
        """
        return self._after(min(self.turns, turn - (turn_of(fired, impulses) if fired is not None else 0)))

    def ruled(self, word: object) -> dict[str, Any] | None:
        if word == "armed":
            return WeaponReadiness(WeaponState.ARMED, self.turns)._asdict()
        return WeaponReadiness(WeaponState.ARMING, 1)._asdict() if word == "arming" else super().ruled(word)

    def hint(self, charge: WeaponState, armed_turns: int, ammo: int) -> tuple[str, str]:
        if charge == WeaponState.ARMED:
            return "armed", "HOLD"
        due = f"{self._due(armed_turns)}{' WARP' if self.warp else ''}"
        return f"arming, {_more(self.turns - armed_turns)}" if charge else "not armed", due

    def unready(self, charge: WeaponState, armed_turns: int, *, new_turn: bool) -> str:
        last = new_turn and charge in UNDER_WAY and armed_turns == self.turns - 1
        if charge == WeaponState.ARMED or last:
            return ""
        return self._waits(charge, armed_turns)

    def _waits(self, charge: WeaponState, armed_turns: int) -> str:
        """Return the reason why the weapon is not ready, as a text for a draft of orders.

        The text says how many turns of arming are missing.
        """
        if charge:
            return f"is arming, {_more(self.turns - armed_turns)}"
        several = "" if self.turns == 1 else "s"
        return f"is not armed; that takes {_NUMBERS[self.turns]} turn{several} ({self.entry.energy_rule})"


class _Rolling(_Turns):
    """A plasma torpedo, which is armed over several turns from any source (FP1.22).

    It may take a rolling delay instead of its last turn of arming.
    """

    launches = True
    hold_rule = "FP1.22"

    def _read(self) -> None:
        self.torpedo = charts.plasma()[self.kind.removeprefix(self.entry.family)]
        self.arming, self.hold, self.warp = self.torpedo.arming, self.torpedo.hold, False
        self.name = self.entry.family

    def arm(self, tube: Tube, points: Fraction, verb: str, sources: tuple[str, ...]) -> Arming:
        if verb == "HOLD" and self.hold is None:
            raise NotAllowed("hold-not-armed", f"{tube.name} cannot be held", "FP2.0")
        if points and not verb and self.hold is None and tube.charge == WeaponState.ARMED:
            # A torpedo that cannot be held is lost at the end of its turn; then the tube may arm a new one (FP2.0).
            tube = msgspec.structs.replace(tube, charge=WeaponState.NONE)
        return super().arm(tube, points, verb, sources)

    def _next(self, tube: Tube, points: Fraction, sources: tuple[str, ...]) -> Arming:
        done = tube.armed_turns if tube.charge in UNDER_WAY else 0
        if points == self.arming[done]:
            return Arming(self._after(done + 1), int(points))
        if done == self.turns - 1 and points == self.arming[done - 1]:
            return Arming(WeaponReadiness(WeaponState.ROLLING, done), int(points))
        text = f"{tube.name} takes {self.arming[done]} points this turn, not {points}"
        raise NotAllowed("plasma-arming", text, "FP1.22")

    def at_set_up(self) -> WeaponReadiness:
        """Return the readiness of a plasma torpedo when a scenario begins (FP1.23).

        Our interpretation: a type-F torpedo begins armed and held at both levels. One edition says this only for the
        full game, the other for Cadet ships too.
        """
        return self._after(self.turns) if self.torpedo.armed_at_start else UNARMED

    def start_of_turn(self, fired: int | None, turn: int, impulses: int) -> WeaponReadiness | None:
        return None

    def outlives(self, charge: WeaponState) -> bool:
        """Return whether the destroyed tube may still launch its torpedo (FP1.7).

        It may launch the torpedo if arming was complete.
        """
        return charge == WeaponState.ARMED

    def to_finish(self, charge: WeaponState) -> int | None:
        """Return the points of reserve power that complete a torpedo in rolling delay (H7.2).

        The result is ``None`` for a torpedo that is not in rolling delay. Example: a type-S torpedo that has received 2
        + 2 + 2 points needs 2 more points.
        """
        return self.arming[-1] - self.arming[-2] if charge == WeaponState.ROLLING else None

    def hint(self, charge: WeaponState, armed_turns: int, ammo: int) -> tuple[str, str]:
        if charge == WeaponState.ARMED:
            return ("armed, cannot be held", str(self.arming[0])) if self.hold is None else ("armed", "HOLD")
        done = armed_turns if charge in UNDER_WAY else 0
        left = self.turns - done
        return f"arming, {left} more turn{'' if left == 1 else 's'}" if done else "not armed", str(self.arming[done])

    def ways(self, charge: WeaponState, armed_turns: int) -> tuple[str, ...]:
        """Return the possible energy-form entries for the torpedo, the most useful first (FP1.22).

        Before the last turn of arming, one of the entries puts the torpedo into rolling delay.
        """
        found = super().ways(charge, armed_turns)
        return (*found, str(self.arming[-2])) if charge in UNDER_WAY and armed_turns == self.turns - 1 else found

    def _waits(self, charge: WeaponState, armed_turns: int) -> str:
        how = "is still arming" if charge else "is not armed"
        return f"{how}; that takes {self.turns} turns (FP1.21)"


_FAMILIES: dict[str, type[Family]] = {
    "": Family,
    "capacitor": _Capacitor,
    "ammunition": _Rack,
    "turn": _OneTurn,
    "turns": _Turns,
    "rolling": _Rolling,
}


def family(kind: str) -> Family:
    """Return the :class:`Family` object for a weapon type, which says how it is armed and used.

    The object uses the charts in effect, including custom charts.
    """
    return _family(kind, own_figures().token)


@lru_cache(maxsize=256)
def _family(kind: str, token: str) -> Family:
    return _FAMILIES[charts.weapon_kinds()[kind].arming](kind)


def _no_verb(tube: Tube, verb: str) -> None:
    """Refuse HOLD and EJECT for a weapon whose energy lasts for one turn.

    Raises:
        NotAllowed: The entry contains HOLD or EJECT (fault code ``hold-not-armed``).
    """
    if verb:
        raise NotAllowed("hold-not-armed", f"{tube.name} cannot {verb.lower()}: its energy lasts only one turn", "E3.2")


def _more(turns: int) -> str:
    """Return a number of turns in words: ``two more turns``."""
    return f"{_NUMBERS[turns]} more turn{'' if turns == 1 else 's'}"


def shots(kind: str) -> int:
    """Return how often a weapon may fire in a turn: once, except for the phaser-G (E1.5, E2.23)."""
    return charts.weapon_kinds()[kind].shots


def shot_cost(kind: str, fired: int) -> float:
    """Return the energy points for the next shot of a phaser (E2.1).

    ``fired`` is the number of shots that the phaser has already fired this turn. Our interpretation where the rules are
    silent: the first shot of a phaser-G in a turn costs one point, which also pays for its other shots in the turn.
    """
    return phaser_cost(kind) if fired == 0 else 0.0


def phaser_cost(kind: str) -> float:
    """Return the energy for one phaser shot: half a point for a phaser-3, otherwise one point (E2.1).

    For a phaser-G the point pays for all its shots in a turn.

    Raises:
        ValueError: The weapon is not a phaser.
    """
    found = charts.weapon_kinds()[kind]
    if found.family != "phaser":
        raise ValueError(f"{kind} is no phaser")
    return charts.damage_table(found.chart).energy if found.energy is None else found.energy
