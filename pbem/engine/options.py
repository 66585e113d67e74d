"""The options of a game, with their defaults: how it is run by mail, and how unclear rules are read.

Every reading is explained once in docs/compliance.md.
"""

# Annotations are not put off: see pbem/engine/state.py.

from typing import Literal

import msgspec


class AutoBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A break nobody has to ask for: the condition in the order language, and the side it asks (``all`` or a name)."""

    when: str
    side: str = msgspec.field(name="for", default="all")


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a game.

    ``period``      impulses one set of orders covers: ``"turn"``, ``"half"`` or a number; ``""`` = turn for 8
    and 16 impulses,
                    half for 32.
    ``reveal``      ``"speeds"``: energy forms first, then speeds are announced, then SOPs; ``"none"``: both in
    one mail;
                    ``""`` = speeds between humans, none against robots.
    ``targets``     ``"announced"`` (FD1.2) or ``"secret"``: whether a drone's target is told at launch.
    ``autobreaks``  breaks that stop the game for everybody, or for one side.
    ``capacitor``   phaser capacitors at the start: ``"empty"`` or ``"full"`` (no text says, H6).
    ``reinforcement`` whether lines 12 and 13 and reserve power are used at Cadet level (B3.0 leaves them to
    players who know
                    all the rules).
    ``sideslip``    whether sideslips are used (C4; the instructions introduce them late).
    ``boundary``    last resort for a line of fire along a shield boundary (D3.41): ``"stronger"`` = the
    target's stronger
                    shield, ``"die"`` = a die, odd the lower number.
    ``fractional``  whether energy is reckoned in parts of a point (B3.2).
    ``dac``         Cadet damage chart: ``"printed"``, or ``"module"`` with bridge and security as last boxes
    before excess.
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
