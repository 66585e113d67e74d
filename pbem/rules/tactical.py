"""Tactical maneuvers: turning on the spot, with sublight or warp power (C5.0).

A ship that makes them stays in its hex for the whole turn; each maneuver turns it by 60 degrees. The number of warp
maneuvers paid for is announced in place of a speed (C5.23).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.impulse_chart import impulses_of

WARP, SUBLIGHT = "warp", "sublight"


def warp_energy(maneuvers: int, move_cost: Fraction, fractional: bool = False) -> Fraction:
    """Warp power for so many warp maneuvers: that of as many hexes, rounded up as movement is (C5.22, C2.12)."""
    exact = maneuvers * move_cost
    return exact if fractional else Fraction(ceil(exact))


def verify_paid(*, warp: int, sublight: int, hexes: int) -> None:
    """Raises :class:`NotAllowed` unless a form may pay for so many maneuvers together with so many hexes of movement.

    Codes: ``too-many-tacs`` (C5.11, C5.22), ``tac-and-move`` (C5.21). Reading: a ship that pays for maneuvers counts as
    having made them, for it does not move: the next turn's acceleration is from speed 0 (C5.4). Its counts for turn and
    slip mode begin anew with a maneuver that is made, and are kept while none is.
    """
    chart = charts.maneuvers()
    if warp > chart.warp:
        raise NotAllowed("too-many-tacs", f"{warp} warp maneuvers are more than {chart.warp} in a turn", "C5.22")
    if sublight > chart.sublight:
        text = f"{sublight} sublight maneuvers are more than {chart.sublight} in a turn"
        raise NotAllowed("too-many-tacs", text, "C5.11")
    if hexes and (warp or sublight):
        text = (
            f"a ship that makes tactical maneuvers stays in its hex, yet movement is paid for too ({hexes}); "
            "both kinds of maneuver are written TAC 2 WARP + 1 IMPULSE"
        )
        raise NotAllowed("tac-and-move", text, "C5.21")


def earned_in(maneuvers: int, impulses: int) -> tuple[int, ...]:
    """The impulses in which warp maneuvers are earned, with so many paid for (C5.231).

    The first on the second impulse, another each time the chart then calls that speed to move, but for the last
    impulse of the turn.
    """
    first = charts.maneuvers().first
    if not maneuvers:
        return ()
    return (first, *(impulse for impulse in impulses_of(maneuvers, impulses) if first < impulse < impulses))


def in_hand(maneuvers: int, impulses: int, impulse: int, used: Sequence[int] = ()) -> bool:
    """Whether a warp maneuver is there to use in an impulse; ``used`` are the impulses of those made (C5.232).

    No more than one is ever in hand. What an impulse earns can be used in that impulse.
    """
    earned, has = earned_in(maneuvers, impulses), False
    for each in range(impulse + 1):
        has = has or each in earned
        if each < impulse and each in used:
            has = False
    return has


def verify_tac(
    kind: str,
    *,
    impulse: int,
    impulses: int,
    maneuvers: int = 0,
    used: Sequence[int] = (),
    sublight: bool = False,
    sublight_used: int | None = None,
) -> None:
    """Raises :class:`NotAllowed` unless a ship may turn by a ``warp`` or ``sublight`` maneuver in an impulse.

    ``maneuvers`` warp maneuvers paid for and the impulses in which they were ``used``; ``sublight`` whether that one
    is paid for, and the impulse in which it was used. Codes: ``tac-not-paid``, ``tac-too-early`` (C5.11, C5.231),
    ``tac-used`` (C5.11), ``tac-not-earned`` (C5.231, C5.232), ``one-tac`` (C5.3). Raises ``ValueError`` for another
    kind.
    """
    if kind not in (WARP, SUBLIGHT):
        raise ValueError(f"{kind!r} is no kind of tactical maneuver: {WARP} or {SUBLIGHT}")
    first = charts.maneuvers().first
    if not (maneuvers if kind == WARP else sublight):
        raise NotAllowed("tac-not-paid", f"the energy form pays for no {kind} maneuver", "C5.0")
    if impulse < first:
        rule = "C5.231" if kind == WARP else "C5.11"
        raise NotAllowed("tac-too-early", f"there are no tactical maneuvers before impulse {first}", rule)
    if impulse in used or impulse == sublight_used:
        raise NotAllowed("one-tac", "the ship has made a tactical maneuver in this impulse", "C5.3")
    if kind == SUBLIGHT and sublight_used is not None:
        raise NotAllowed("tac-used", f"the sublight maneuver was made in impulse {sublight_used}", "C5.11")
    if kind == WARP and not in_hand(maneuvers, impulses, impulse, used):
        later = next((each for each in earned_in(maneuvers, impulses) if each > impulse), None)
        when = f"the next is earned in impulse {later}" if later else "no other is earned this turn"
        raise NotAllowed("tac-not-earned", f"no warp maneuver is in hand; {when}", "C5.232")
