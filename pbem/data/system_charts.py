"""The charts of shipboard systems, shuttles, monsters and terrain: how each is laid out in its file."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from pbem.data.files import Confidence, Sourced


class Cloak(Sourced, frozen=True, kw_only=True):
    """The cloaking device (G13.0).

    Range to a cloaked ship is ``multiplier`` times the true range, and ``addition`` hexes more; ``fade`` how many
    impulses it takes to fade out or in; ``miss`` the dice on which a seeking weapon misses it, ``damage`` the part of
    its points that it scores otherwise; ``silent`` impulses without weapons after uncloaking at the start of a turn.
    """

    multiplier: int
    addition: int
    fade: int
    miss: tuple[int, ...]
    damage: Fraction
    silent: int


class Tractors(Sourced, frozen=True, kw_only=True):
    """Tractor beams (G7.0).

    ``range`` in hexes; ``reuse`` impulses after which a released beam may be used in a later turn; ``towing`` what
    each freighter in tow adds to the movement cost; ``holds`` what kinds of unit may be held, ``holds_own`` which of
    them also when they are one's own.
    """

    range: int
    reuse: int
    towing: Fraction
    holds: tuple[str, ...]
    holds_own: tuple[str, ...]


class Transporters(Sourced, frozen=True, kw_only=True):
    """Transporters (G8.0): ``range`` in hexes, how many one point of energy operates, ``parties`` each can move."""

    range: int
    per_energy: int
    parties: int


class Labs(Sourced, frozen=True, kw_only=True):
    """Information about a monster for each lab: rows by die, columns by range. ``substitutes`` may stand in (G4.3)."""

    ranges: tuple[int, ...]
    information: tuple[tuple[int, ...], ...]
    substitutes: tuple[str, ...]


class Probes(Sourced, frozen=True, kw_only=True):
    """Probes (G5.0): carried by each launcher, ``range`` in hexes, energy of each turn of arming for both purposes.

    ``information`` is what one gathers, ``warhead`` what one scores as a weapon, ``crippled`` the part of the
    internal boxes whose loss makes a ship crippled.
    """

    carried: int
    range: int
    information: int
    warhead: int
    arming_information: tuple[int, ...]
    arming_weapon: tuple[int, ...]
    crippled: Fraction


class SuicideShuttle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least and most warp energy in each of so many turns, and what holding one costs (J2.22)."""

    least: int
    most: int
    turns: int
    hold: int


class Shuttles(Sourced, frozen=True, kw_only=True):
    """Administrative shuttles (J1.0, J2.0). Speeds in hexes a turn, ``interval`` in impulses for each bay (J1.5).

    ``landing`` and ``recovery`` are the speeds of a ship, as multiples of the shuttle's maximum, up to which a
    shuttle lands by itself or is hauled aboard; ``fire_range`` how far off it can be fired at (J1.35).
    """

    speed: int
    crippled_speed: int
    crippled: int
    destroyed: int
    turn_mode: int
    phaser: str
    fire_range: int
    interval: int
    landing: int
    recovery: int
    crew: int
    parties: int
    suicide_multiplier: int
    suicide: dict[str, SuicideShuttle]


class Asteroids(Sourced, frozen=True, kw_only=True):
    """Damage to a unit that enters asteroids: rows by die, columns by its speed on the 32-impulse scale.

    ``shield`` is struck, ``reverse_shield`` by a ship that moves backwards. ``fire`` are pairs: from so many asteroid
    hexes in the line of fire on, so much is added to the die.
    """

    speeds: tuple[tuple[int, int], ...]
    damage: tuple[tuple[int, ...], ...]
    scale: int
    shield: int
    reverse_shield: int
    fire: tuple[tuple[int, int], ...]


class MonsterKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One monster: speed in hexes a turn, hexes it must move ahead between turns, reach of its attack.

    ``distraction`` is the range at which a ship draws it from its goal, ``toughness`` the damage that kills it (0:
    none does), ``goal_toughness`` what the planet it attacks can bear, ``cadet`` the part of its damage Cadet ships
    take.
    """

    name: str
    speed: int
    turn_mode: int
    reach: int
    distraction: int
    toughness: int
    goal_toughness: int
    cadet: Fraction
    damage: tuple[int, ...]
    source: str
    confidence: Confidence


class Method(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the die says of a monster: ``kind``, a sentence, and the damage or further information it asks for."""

    kind: str
    text: str
    amount: int = 0


class Monsters(Sourced, frozen=True, kw_only=True):
    """How a monster dies, by die, once ``information_needed`` is gathered, and each kind of monster."""

    information_needed: int
    method: tuple[Method, ...]
    kinds: dict[str, MonsterKind]
