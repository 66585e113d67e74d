"""Administrative shuttles (J1.0, J2.0). Suicide shuttles have their own module: :mod:`pbem.rules.shuttles`.

Which shuttle box a hit destroys (D4.325, J1.4): the owner's choice, an empty box or one with its shuttle.

A damage choice may name a box by its letter (``OTHER SHUTTLE B FIRST``). Where nothing is said, the default procedure
takes an empty box, then the shuttle with the last letter; one that is being made a suicide shuttle goes last of all.

Suicide shuttles: arming, holding, exploding (J2.22). On the map they move as seeking weapons (F2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.data import charts
from pbem.data.terms import Fuse
from pbem.errors import NotAllowed
from pbem.rules.direct_fire import verify_rate
from pbem.rules.internal_damage import Choice, speaks_of
from pbem.rules.leave import whether
from pbem.rules.movement import quarter

BOX = "SHUTTLE"


class BayBoxes(NamedTuple):
    """The undestroyed shuttle ``boxes``, and the letters of the shuttles in them, those the owner would miss least
    first.
    """

    boxes: int
    aboard: tuple[str, ...]

    @property
    def empty(self) -> int:
        """Boxes without a shuttle."""
        return max(0, self.boxes - len(self.aboard))


class Meant(NamedTuple):
    """A choice whose lettered boxes are told as the system they are of, or left out where they are gone."""

    category: str
    items: tuple[str, ...]
    place: str


def letter_of(item: str) -> str:
    """The letter of an item that names one shuttle box (``SHUTTLE B``), else empty."""
    words = item.upper().split()
    return words[1] if len(words) == 2 and words[0] == BOX else ""


def meant(choices: Sequence[Choice], bay: BayBoxes) -> tuple[Choice, ...]:
    """The choices as :func:`pbem.rules.internal_damage.pick` understands them, for the next hit.

    A lettered box that is to go first stands for the system while that box is there; one that is to go last, only
    when all boxes that are left are to be spared.
    """
    found: list[Choice] = []
    for choice in choices:
        spared = {letter_of(item) for item in choice.items} - {""}
        if not spared:
            found.append(choice)
            continue
        first = choice.place.upper() == "FIRST"
        items = [item for item in choice.items if not letter_of(item) or _stands(letter_of(item), spared, first, bay)]
        kept = tuple(dict.fromkeys(BOX if letter_of(item) else item for item in items))
        if kept:  # without items a choice would ask for the default order
            found.append(Meant(choice.category, kept, choice.place))
    return tuple(found)


def _stands(letter: str, spared: set[str], first: bool, bay: BayBoxes) -> bool:
    if first:
        return _there(letter, bay)
    return spared.issuperset(bay.aboard) and (not bay.empty or bool(spared - {*bay.aboard}))


def _there(letter: str, bay: BayBoxes) -> bool:
    """Whether the box of a letter is there: with its shuttle, or as one of the empty ones."""
    return letter in bay.aboard or bay.empty > 0


def struck(category: str, choices: Sequence[Choice], bay: BayBoxes, *, occupied: bool = False) -> tuple[str, bool]:
    """The letter of the shuttle that a hit on a shuttle box destroys, empty for an empty box, and whether the owner
    chose it himself.

    ``category`` is that of the choices which are about this hit; ``occupied``: only a box with its shuttle can be hit
    (D4.324).
    """
    asked = [choice for choice in choices if speaks_of(choice, category)]
    named = {
        place: [letter_of(item) for choice in asked if choice.place.upper() == place for item in choice.items]
        for place in ("FIRST", "LAST")
    }
    for letter in filter(None, named["FIRST"]):
        if letter in bay.aboard:
            return letter, True
        if bay.empty and not occupied:
            return "", True
    last = [letter for letter in named["LAST"] if letter]
    boxes = [*([""] if bay.empty and not occupied else []), *bay.aboard]
    if not boxes:
        return "", False
    away = any(letter not in bay.aboard for letter in last)
    spared = [letter in last if letter else away for letter in boxes]
    return boxes[spared.index(False) if False in spared else 0], bool(last)


CRIPPLED, DESTROYED = "crippled", "destroyed"


# --- moving and being hit ---------------------------------------------------------------------------------


def condition(damage: int) -> str:
    """What so many points of damage made of a shuttle: ``""``, ``crippled`` or ``destroyed`` (J1.32, J1.33)."""
    chart = charts.shuttles()
    if damage >= chart.destroyed:
        return DESTROYED
    return CRIPPLED if damage >= chart.crippled else ""


def full_speed() -> int:
    """The maximum speed of a whole one (J1.21)."""
    return charts.shuttles().speed


def fastest(damage: int) -> int:
    """Its maximum speed with so much damage (J1.21, J1.33)."""
    return charts.shuttles().crippled_speed if condition(damage) else full_speed()


def speed_after(speed: int, damage: int) -> int:
    """Its speed once it has suffered so much damage in all: a crippled one slows at once, a destroyed one is gone."""
    return 0 if condition(damage) == DESTROYED else min(speed, fastest(damage))


def acceleration() -> int:
    """Hexes a turn it may gain at the start of a turn: half of its maximum, rounded up (J1.22)."""
    return -(-full_speed() // 2)


def verify_speed(speed: int, prior: int, damage: int) -> None:
    """Raises :class:`NotAllowed` unless it may fly this turn at a speed, after so many hexes last turn.

    ``shuttle-speed`` (J1.21), ``shuttle-acceleration`` (J1.22). It may slow down by any amount.
    """
    if not 0 <= speed <= fastest(damage):
        raise NotAllowed("shuttle-speed", f"speed {speed} is not 0 to {fastest(damage)}", "J1.21")
    if speed > prior + acceleration():
        most = prior + acceleration()
        raise NotAllowed("shuttle-acceleration", f"speed {speed} after {prior} is too fast: {most} at most", "J1.22")


can_fly_at = whether(verify_speed)


def default_speed(prior: int, damage: int) -> int:
    """Its speed when its owner announces none: the fastest it may go (J1.21)."""
    return min(fastest(damage), prior + acceleration())


def verify_shot_at_shuttle(range: int, landed: bool = False) -> None:
    """Raises :class:`NotAllowed`: ``shuttle-range`` for direct fire from too far off (J1.35), ``shuttle-landed`` while
    it stands on a planet (P2.0).
    """
    if landed:
        raise NotAllowed("shuttle-landed", "a shuttle on a planet cannot be hit", "P2.0")
    if range > (reach := charts.shuttles().fire_range):
        raise NotAllowed("shuttle-range", f"{range} hexes are too far to fire at a shuttle, {reach} at most", "J1.35")


def verify_shuttle_fire(
    *, name: str, fired: int | None, launched: int, moment: int, impulses: int, suicide: bool = False
) -> None:
    """Raises :class:`NotAllowed` unless it may fire its phaser now (J2.213).

    It bears in all directions and needs no energy (J1.1, J1.31). ``fired`` is the moment of its last shot. Codes:
    ``unmanned`` (J2.22), ``just-launched``, ``already-fired``, ``quarter-turn``.
    """
    if suicide:
        raise NotAllowed("unmanned", f"{name} has nobody on board to fire", "J2.22")
    if moment - launched < (wait := quarter(impulses)):
        raise NotAllowed(
            "just-launched", f"{name} was launched {moment - launched} impulses ago, {wait} must pass", "J2.213"
        )
    verify_rate(name, fired, moment, impulses, "J2.213")


def verify_load(crew: int, parties: int) -> None:
    """Raises :class:`NotAllowed` (``shuttle-full``) unless it can carry this: one crew unit or two parties (J2.211)."""
    chart = charts.shuttles()
    if (crew and parties) or crew > chart.crew or parties > chart.parties:
        raise NotAllowed(
            "shuttle-full",
            f"a shuttle carries {chart.crew} crew unit or {chart.parties} boarding parties, "
            f"not {crew} and {parties} together",
            "J2.211",
        )


can_carry = whether(verify_load)


# --- the bay ----------------------------------------------------------------------------------------------


class ShuttleBay(NamedTuple):
    """The shuttle boxes of a ship: how many are left, how many shuttles they hold, when one was last used (J1.4)."""

    boxes: int
    aboard: int
    last_used: int | None = None

    @property
    def empty(self) -> int:
        return self.boxes - self.aboard


def verify_bay(bay: ShuttleBay, moment: int) -> None:
    """Raises :class:`NotAllowed` (``bay-busy``): one launch or recovery in any two consecutive impulses (J1.5)."""
    wait = charts.shuttles().interval
    if bay.last_used is not None and moment - bay.last_used < wait:
        ago = moment - bay.last_used
        raise NotAllowed("bay-busy", f"the shuttle bay was used {ago} impulses ago, {wait} must pass", "J1.5")


def verify_launch(bay: ShuttleBay, moment: int, speed: int, ready: bool = True) -> None:
    """Raises :class:`NotAllowed` unless a shuttle may be launched now, in any direction (J1.5).

    ``speed`` any up to its maximum (J1.22); ``ready`` is false for one that is not usable this turn (J2.221). Codes:
    ``no-shuttle``, ``shuttle-not-ready``, ``bay-busy``, ``shuttle-speed``.
    """
    if bay.aboard < 1:
        raise NotAllowed("no-shuttle", "there is no shuttle on board", "J1.4")
    if not ready:
        raise NotAllowed("shuttle-not-ready", "that shuttle cannot be used this turn", "J2.221")
    verify_bay(bay, moment)
    if not 0 <= speed <= full_speed():
        raise NotAllowed("shuttle-speed", f"speed {speed} is not 0 to {full_speed()}", "J1.21")


def verify_land(
    bay: ShuttleBay, moment: int, *, same_hex: bool, ship_speed: int, damage: int, friendly: bool = True,
    manned: bool = True,
) -> None:  # fmt: skip
    """Raises :class:`NotAllowed` unless a shuttle may land aboard by itself (J1.61).

    Codes: ``unmanned`` (J1.61), ``enemy-ship`` (J1.63), ``not-same-hex``, ``ship-too-fast``, ``no-empty-box``,
    ``bay-busy``. The maximum of a crippled shuttle is what it can still fly.
    """
    if not manned:
        raise NotAllowed("unmanned", "a suicide shuttle cannot land", "J1.61")
    if not friendly:
        raise NotAllowed("enemy-ship", "a shuttle cannot land on an enemy ship", "J1.63")
    if not same_hex:
        raise NotAllowed("not-same-hex", "the shuttle is not in the hex of the ship", "J1.61")
    most = fastest(damage) * charts.shuttles().landing
    if ship_speed > most:
        raise NotAllowed("ship-too-fast", f"at speed {ship_speed} no shuttle can land, {most} at most", "J1.61")
    _verify_box(bay, moment, "J1.61")


def verify_recover(
    bay: ShuttleBay, moment: int, *, range: int, ship_speed: int, attached: int | None, damage: int,
    friendly: bool = True, manned: bool = True,
) -> None:  # fmt: skip
    """Raises :class:`NotAllowed` unless a tractor beam may pull a shuttle aboard now (J1.62, J1.621).

    ``attached`` is the moment the beam took hold, ``None`` without a beam; one impulse later at the earliest.
    Codes: ``unmanned``, ``enemy-shuttle``, ``not-held``, ``just-attached``, ``tractor-range``, ``ship-too-fast``,
    ``no-empty-box``, ``bay-busy``.
    """
    if not manned:
        raise NotAllowed("unmanned", "a suicide shuttle cannot be recovered", "J1.61")
    if not friendly:
        raise NotAllowed("enemy-shuttle", "an enemy shuttle cannot be pulled aboard", "J1.62")
    if attached is None:
        raise NotAllowed("not-held", "no tractor beam holds the shuttle", "J1.62")
    if moment <= attached:
        raise NotAllowed("just-attached", "the beam took hold this impulse; it pulls on the next", "J1.621")
    reach = charts.tractors().range
    if range > reach:
        raise NotAllowed("tractor-range", f"{range} hexes are beyond the reach of a tractor beam, {reach}", "J1.621")
    most = fastest(damage) * charts.shuttles().recovery
    if ship_speed > most:
        raise NotAllowed("ship-too-fast", f"at speed {ship_speed} no shuttle is hauled aboard, {most} at most", "J1.62")
    _verify_box(bay, moment, "J1.62")


def _verify_box(bay: ShuttleBay, moment: int, rule: str) -> None:
    if bay.empty < 1:
        raise NotAllowed("no-empty-box", f"all {bay.boxes} shuttle boxes are taken", rule)
    verify_bay(bay, moment)


def shuttles_at_start(boxes: Mapping[str, int]) -> int:
    """Shuttles a ship has on board at the start of a scenario: one in each shuttle box (J2.0)."""
    return boxes.get("shuttle", 0)


class Arming(NamedTuple):
    """A shuttle being made ready: energy of each turn so far; ``state`` ``""``, ``arming``, ``armed``, ``unusable``.

    An ``unusable`` shuttle was disarmed and cannot be used in any way this turn.
    """

    energy: tuple[int, ...] = ()
    state: Fuse = Fuse.NONE


NOT_ARMED = Arming()


def arm(before: Arming, points: int, level: str, warp: bool = True) -> Arming:
    """The shuttle after this turn's entry of the energy form (J2.221).

    ``points`` is the energy for it, ``level`` ``cadet`` or ``standard``; ``warp`` whether it came from the warp
    engines, which matters for arming, not for holding. Without energy an armed one is disarmed and unusable this
    turn. Reading: so is one whose arming is broken off, and its energy is lost.

    Raises :class:`NotAllowed`: ``suicide-arming``, ``suicide-holding``, ``suicide-not-warp``.
    """
    chart = charts.shuttles().suicide[level]
    if not points:
        return Arming((), Fuse.UNUSABLE) if before.energy else NOT_ARMED
    if before.state == Fuse.ARMED:
        if points != chart.hold:
            raise NotAllowed(
                "suicide-holding", f"holding a suicide shuttle takes {chart.hold} point, not {points}", "J2.221"
            )
        return before
    if not chart.least <= points <= chart.most:
        most = f"{chart.least}" if chart.least == chart.most else f"{chart.least} to {chart.most}"
        raise NotAllowed(
            "suicide-arming", f"arming a suicide shuttle takes {most} points a turn, not {points}", "J2.221"
        )
    if not warp:
        raise NotAllowed("suicide-not-warp", "a suicide shuttle is armed with warp power only", "J2.221")
    energy = (*before.energy, points)
    return Arming(energy, Fuse.ARMED if len(energy) >= chart.turns else Fuse.ARMING)


def warhead(energy: Sequence[int]) -> int:
    """Points of the explosion: twice the energy of arming, not of holding (J2.221)."""
    return sum(energy) * charts.shuttles().suicide_multiplier


def verify_suicide_launch(state: Fuse) -> None:
    """Raises :class:`NotAllowed` (``not-armed``) before the last turn of arming (J2.221).

    The bay's own conditions are those of any shuttle: :func:`pbem.rules.shuttles.verify_launch`.
    """
    if state != Fuse.ARMED:
        raise NotAllowed("not-armed", "the suicide shuttle is not armed yet", "J2.221")


def verify_suicide_target(kind: str, own: bool) -> None:
    """Raises :class:`NotAllowed` unless it may be sent at such a unit: an enemy ship, shuttle or drone (J2.22).

    Monsters as well, for scenario #11 asks for it. Codes: ``suicide-target``, ``own-unit``.
    """
    if kind not in ("ship", "freighter", "shuttle", "suicide shuttle", "drone", "monster"):
        raise NotAllowed("suicide-target", f"a suicide shuttle cannot be sent at a {kind}", "J2.22")
    if own:
        raise NotAllowed("own-unit", "a suicide shuttle is sent at enemies only", "J2.22")
