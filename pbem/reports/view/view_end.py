"""What a view holds of a game that is over: what became of the ships, what weapons did, and what decided it."""

from __future__ import annotations

import msgspec


class Gun(msgspec.Struct, frozen=True, kw_only=True):
    """What one weapon did in the game: how often it ``fired``, of these ``hit`` (scored anything), and the points its
    shots scored. ``expected`` are the points that the same shots, at their ranges, score on average, to a tenth (E1.0).

    Launched weapons count as a line of their own by kind (``drone``, ``plasma``): fired are those that were launched,
    hit those that reached their target; nothing is expected of them. Those that were under way
    when the game began stand with their side as ``unit``.
    """

    unit: str
    side: str
    weapon: str
    fired: int
    hit: int
    points: int
    expected: str = ""


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """How a ship came out of the game: ``gone`` why it left play, shield boxes left and at first, internals taken, and
    the points its weapons scored.
    """

    unit: str
    side: str
    gone: str
    shields: tuple[int, int]
    internals: int
    scored: int


class Deciding(msgspec.Struct, frozen=True, kw_only=True):
    """An impulse that decided much: who left play in it and what was scored, in words."""

    turn: int
    impulse: int
    words: str


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The game that is over: its ``fates`` (ships in the order of their sides), ``guns``, and the impulses that
    decided it, in the order of play.
    """

    fates: tuple[Fate, ...]
    guns: tuple[Gun, ...]
    deciding: tuple[Deciding, ...]
