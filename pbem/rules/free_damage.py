"""Internal damage without a chart, in scenarios #2 and #3: the owner marks what he likes (D4.0).

Scenario #4 has a procedure of its own, in :mod:`pbem.rules.damage`. The printed edition of scenario #2 asks for one
weapon in each volley and spares bridge and security; so does scenario #3, which repeats its rule. The other edition
asks for nothing and spares nothing. Both take the last box for the end of the ship.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.rules import damage
from pbem.rules.damage import BRIDGE, Choice, Hit, Ssd, WeaponBox

EDITIONS = ("printed", "module")


def free_boxes(
    points: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, WeaponBox],
    choices: Sequence[Choice] = (),
    edition: str = "printed",
    since: int | None = None,
) -> list[Hit]:
    """What a volley of so many points destroys (D4.0, scenarios #2 and #3).

    ``edition`` is ``printed`` or ``module``. With the last box the ship is destroyed: one more ``Hit`` with an empty
    box says so, and it is no point of the volley. Reading: of the printed edition's volley it is the first point that
    takes a weapon, if one is left; the ammunition of drone racks is no box. The default procedure takes excess damage,
    hull, other systems, warp engines, weapons, and where they are not spared security and bridge. Raises
    ``ValueError`` for an unknown edition.
    """
    if edition not in EDITIONS:
        raise ValueError(f"{edition!r} is no edition of scenario #2: {' or '.join(EDITIONS)}")
    left, working, hits = dict(boxes), dict(weapons), list[Hit]()
    for number in range(1, points + 1):
        ssd = Ssd(left, working, since)
        first = damage.candidates("weapon", ssd) if number == 1 and edition == "printed" else []
        found = first or _anything(ssd, edition)
        if not found:
            break
        category = "weapon" if first else "any"
        box, choice = damage.pick(category, found, choices)
        hits.append(Hit(category, "", box, choice))
        damage.strike_out(box, left, working)
    if is_destroyed(left, working, edition):
        hits.append(Hit("any", "", ""))
    return hits


def is_destroyed(boxes: Mapping[str, int], weapons: Mapping[str, WeaponBox], edition: str = "printed") -> bool:
    """Whether every box is marked, excess damage included; in the printed edition all but bridge and security."""
    return not _anything(Ssd(boxes, weapons), edition)


def _anything(ssd: Ssd, edition: str) -> list[str]:
    """All boxes that can be hit, in the order in which the default procedure takes them."""
    rest = [box for box in damage.expendable(ssd) if box not in BRIDGE]
    engines = [box for box in damage.candidates("engine", ssd) if box != "impulse"]
    last = [box for box in BRIDGE if edition == "module" and ssd.boxes.get(box)]
    return [*rest, *engines, *damage.candidates("weapon", ssd), *last]
