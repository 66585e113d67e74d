"""How seeking weapons move (F2.0)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from pbem.data import charts
from pbem.rules import ties
from pbem.rules.hexes import EVEN, distance, on_map
from pbem.rules.movement import TURNS, can_turn, enter

Step = tuple[str, str, str]
"""Code (``F``, ``L``, ``R``), hex entered, facing then."""

Map = tuple[str, str]
"""First and last hex of the map."""

LEFT, RIGHT, STRAIGHT = "LEFT", "RIGHT", "STRAIGHT"

WANTED = {LEFT: ("L", "F", "R"), RIGHT: ("R", "F", "L"), STRAIGHT: ("F",)}
"""What an owner prefers, first what he likes best."""


def legal_steps(
    hex: str, facing: str, straight: int, target_hex: str, grid: str = EVEN, map: Map | None = None
) -> tuple[Step, ...]:
    """The steps a seeking weapon may take, those first that it prefers among equals: F, L, R (F2.0).

    Those that bring it closer to its target; if none does, those that take it no farther away; if there is
    none of these either, all its turn mode allows. ``straight`` counts the hexes moved since its last turn,
    the one entered on the turn included; 0 after launch (FD1.2). Hexes off the ``map`` (first and last hex)
    are no choice while there is another. In its target's hex it does not move: an empty tuple.
    """
    if hex == target_hex:
        return ()
    steps = _ways(hex, facing, can_turn(straight, charts.turn_modes().seeking), grid, ties.of_codes)
    if map is not None:
        steps = tuple(step for step in steps if on_map(step[1], map)) or steps
    now = distance(hex, target_hex, grid)
    ranges = [distance(step[1], target_hex, grid) for step in steps]
    nearest = min(ranges)
    if nearest > now:
        return steps
    allowed = now - 1 if nearest < now else now
    return tuple(step for step, range_ in zip(steps, ranges, strict=True) if range_ <= allowed)


@cache
def _ways(hex: str, facing: str, turns: bool, grid: str, liking: Callable[[str], int]) -> tuple[Step, ...]:
    """The steps from a hex, those first that are preferred among equals (``liking``); ``turns`` says whether there are
    others than the one ahead.
    """
    codes = ("F", *TURNS) if turns else ("F",)
    return tuple((code, *enter(hex, facing, code, grid)) for code in sorted(codes, key=liking))


def no_player_step(
    hex: str, facing: str, straight: int, target_hex: str, grid: str = EVEN, map: Map | None = None
) -> Step:
    """The step of a weapon no player controls (F2.0, special rule, printed for scenario #2).

    Ahead, unless a turn leads into a hex closer to the target than the one ahead: to the letter, so that it flies
    straight on while its target is dead astern. Reading: of two turns that are equally good it takes the left one.
    Raises ``ValueError`` in the target's hex.
    """
    steps = legal_steps(hex, facing, straight, target_hex, grid, map)
    if not steps:
        raise ValueError(f"a seeking weapon in its target's hex {hex} does not move (F2.1)")
    return steps[0]  # all of them lead equally near


def default_step(
    hex: str,
    facing: str,
    straight: int,
    target_hex: str,
    grid: str = EVEN,
    map: Map | None = None,
    closed: Collection[str] = (),
) -> Step:
    """The step of a weapon whose owner leaves it to itself (F2.0): the one he would choose.

    Ahead, unless a turn leads closer; the left one of two equal turns. Readings: it turns where every step leads away,
    its target dead astern, for going ahead it would never come back; and of the hexes it may enter it takes one that is
    not ``closed`` (a planet's, where it would be destroyed, P2.0), if there is one. Raises ``ValueError`` in the
    target's hex.
    """
    legal = legal_steps(hex, facing, straight, target_hex, grid, map)
    if not legal:
        raise ValueError(f"a seeking weapon in its target's hex {hex} does not move (F2.1)")
    steps = [step for step in legal if step[1] not in closed] or [*legal]
    best = steps[0]  # all of them lead equally near
    astern = distance(best[1], target_hex, grid) > distance(hex, target_hex, grid)
    return next((step for step in steps if step[0] != "F"), best) if astern else best


def choose_step(
    hex: str,
    facing: str,
    straight: int,
    target_hex: str,
    grid: str = EVEN,
    way: str = "",
    map: Map | None = None,
    closed: Collection[str] = (),
    *,
    special_rule: bool = False,
) -> Step:
    """The step of a weapon whose owner may prefer a way (F2.0).

    ``way`` is ``LEFT``, ``RIGHT``, ``STRAIGHT`` or ``""``: ``LEFT`` takes the leftmost legal step,
    ``RIGHT`` the rightmost, ``STRAIGHT`` the one ahead where it is legal, be it ``closed``. Without a preference it is
    :func:`default_step`, or :func:`no_player_step` where the ``special_rule`` holds. Raises ``ValueError`` in the
    target's hex.
    """
    if wanted := WANTED.get(way, ()):
        legal = {step[0]: step for step in legal_steps(hex, facing, straight, target_hex, grid, map)}
        if found := next((legal[code] for code in wanted if code in legal), None):
            return found
    if special_rule:
        return no_player_step(hex, facing, straight, target_hex, grid, map)
    return default_step(hex, facing, straight, target_hex, grid, map, closed)
