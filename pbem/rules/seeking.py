"""Movement of seeking weapons (F2.0): drones, plasma torpedoes and suicide shuttles.

A seeking weapon is a unit that flies toward a target unit, hex by hex, until it hits the target.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from pbem.data import charts
from pbem.rules import ties
from pbem.rules.hexes import EVEN, distance, on_map
from pbem.rules.movement import TURNS, can_turn, enter

Step = tuple[str, str, str]
"""Type of one step of a seeking weapon: movement code (``F``, ``L``, ``R``), hex entered, new facing."""

Map = tuple[str, str]
"""Type of a map: its first and its last hex."""

LEFT, RIGHT, STRAIGHT = "LEFT", "RIGHT", "STRAIGHT"

WANTED = {LEFT: ("L", "F", "R"), RIGHT: ("R", "F", "L"), STRAIGHT: ("F",)}
"""For each preference of a weapon's owner, the movement codes in the order in which they are tried."""


def legal_steps(
    hex: str, facing: str, straight: int, target_hex: str, grid: str = EVEN, map: Map | None = None
) -> tuple[Step, ...]:
    """Return the steps a seeking weapon may take, in the order straight ahead, left, right (F2.0).

    A legal step brings the weapon closer to its target. If no step does this, steps that keep the distance the same are
    legal. If there are no such steps either, every step that its turn mode allows is legal. If the weapon is in its
    target's hex, it does not move, and the result is empty.

    Args:
        hex: The weapon's hex.
        facing: The weapon's facing.
        straight: The number of hexes moved since the weapon's last turn, including the hex entered by the turn; 0 after
            launch (FD1.2).
        target_hex: The hex of the weapon's target.
        grid: The grid of the map, ``even`` or ``odd``.
        map: The first and last hex of the map. Steps off the map are excluded if there are other steps.
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
    """Return the possible steps from a hex, sorted by the key function ``liking``.

    If ``turns`` is false, only the step straight ahead is possible.
    """
    codes = ("F", *TURNS) if turns else ("F",)
    return tuple((code, *enter(hex, facing, code, grid)) for code in sorted(codes, key=liking))


def no_player_step(
    hex: str, facing: str, straight: int, target_hex: str, grid: str = EVEN, map: Map | None = None
) -> Step:
    """Return the next step of a seeking weapon that is not controlled by a player (F2.0, special rule).

    The special rule is printed for scenario #2. The weapon goes straight ahead, unless a turn leads into a hex closer
    to the target than the hex ahead. We take the rule literally: if the target is directly behind the weapon, the
    weapon continues straight ahead. Our interpretation where the rules are silent: if two turns are equally good, the
    weapon turns left.

    Raises:
        ValueError: The weapon is in its target's hex.
    """
    steps = legal_steps(hex, facing, straight, target_hex, grid, map)
    if not steps:
        raise ValueError(f"a seeking weapon in its target's hex {hex} does not move (F2.1)")
    return steps[0]  # all of them are equally near to the target


def default_step(
    hex: str,
    facing: str,
    straight: int,
    target_hex: str,
    grid: str = EVEN,
    map: Map | None = None,
    closed: Collection[str] = (),
) -> Step:
    """Return the next step of a seeking weapon for which its owner gave no order (F2.0).

    The weapon goes straight ahead, unless a turn leads closer to the target; if two turns are equally good, it turns
    left. Our interpretation where the rules are silent: if the target is directly behind the weapon, so that every step
    leads away from the target, the weapon turns, because otherwise it would never come back. The weapon avoids
    ``closed`` hexes if it can; these are the hexes of a planet, where it would be destroyed (P2.0).

    Raises:
        ValueError: The weapon is in its target's hex.
    """
    legal = legal_steps(hex, facing, straight, target_hex, grid, map)
    if not legal:
        raise ValueError(f"a seeking weapon in its target's hex {hex} does not move (F2.1)")
    steps = [step for step in legal if step[1] not in closed] or [*legal]
    best = steps[0]  # all of them are equally near to the target
    astern = distance(best[1], target_hex, grid) > distance(hex, target_hex, grid)
    return next((step for step in steps if step[0] != "F"), best) if astern else best


def choose_step(  # noqa: PLR0913 - each is a plain fact
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
    """Return the next step of a seeking weapon, given its owner's preferred direction, if any (F2.0).

    ``way`` is the preference: ``LEFT`` means the leftmost legal step, ``RIGHT`` the rightmost legal step, and
    ``STRAIGHT`` the step straight ahead if it is legal, even into a ``closed`` hex. If there is no preference (``""``),
    the step is chosen by :func:`default_step`, or by :func:`no_player_step` if ``special_rule`` is true.

    Raises:
        ValueError: The weapon is in its target's hex.
    """
    if wanted := WANTED.get(way, ()):
        legal = {step[0]: step for step in legal_steps(hex, facing, straight, target_hex, grid, map)}
        if found := next((legal[code] for code in wanted if code in legal), None):
            return found
    if special_rule:
        return no_player_step(hex, facing, straight, target_hex, grid, map)
    return default_step(hex, facing, straight, target_hex, grid, map, closed)
