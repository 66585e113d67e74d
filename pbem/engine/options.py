"""The options of a game with their defaults.

The options say how a game is run, and how unclear rules are interpreted. docs/compliance.md explains every
interpretation of a rule.
"""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from typing import Literal

import msgspec


class AutoBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on which play stops for new orders although no player asked for it.

    ``when`` is the condition in the order language. ``side`` is the name of the side that is asked for new orders, or
    ``all``.
    """

    when: str
    side: str = msgspec.field(name="for", default="all")


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a game.

    Attributes:
        period: Impulses that one set of orders covers: ``"turn"``, ``"half"`` or a number. ``""`` means the whole
            turn in games with 8 and 16 impulses, and half a turn with 32.
        reveal: ``"speeds"``: sides send energy forms first, then speeds are announced, then sides send their orders
            (SOP). ``"none"``: energy forms and orders are sent in one email. ``""`` means ``speeds`` between humans
            and ``none`` against computer players.
        targets: ``"announced"`` (FD1.2) or ``"secret"``: whether a drone's target is reported at launch.
        autobreaks: Conditions on which play stops for new orders, for all sides or for one side.
        capacitor: Phaser capacitors at the start: ``"empty"`` or ``"full"`` (the rules do not say, H6).
        reinforcement: Whether lines 12 and 13 and reserve power are used at Cadet level. B3.0 leaves them to
            players who know all the rules.
        sideslip: Whether sideslips are used (C4; the instructions introduce them late).
        boundary: What decides last which shield a shot along a shield boundary hits (D3.41): ``"stronger"`` is the
            target's stronger shield, ``"die"`` rolls a die, odd for the lower number.
        fractional: Whether energy is counted in fractions of a point (B3.2).
        dac: Cadet damage chart: ``"printed"``, or ``"module"`` with bridge and security as the last boxes before
            excess damage.
    """

    period: str = ""
    reveal: Literal["", "speeds", "none"] = ""
    targets: Literal["announced", "secret"] = "announced"
    autobreaks: tuple[AutoBreak, ...] = (AutoBreak(when="ANY FIRES HEAVY"),)
    capacitor: Literal["empty", "full"] = "empty"
    reinforcement: bool = True
    sideslip: bool = True
    boundary: Literal["stronger", "die"] = "stronger"
    dac: Literal["printed", "module"] = "printed"
    fractional: bool = False
