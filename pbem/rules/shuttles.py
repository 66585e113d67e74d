"""Administrative shuttles (J1.0, J2.0), hits on their boxes (D4.325, J1.4), suicide shuttles (J2.22).

A shuttle is a small craft that a ship launches from its bay; a suicide shuttle carries a bomb instead of people. A
damage choice may name a shuttle box by its letter (``OTHER SHUTTLE B FIRST``). If there is no damage choice, an empty
box is hit first, then the box of the shuttle with the last letter. Shuttles that are being armed as suicide shuttles
are hit last. On the map, suicide shuttles move as seeking weapons (F2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.data import charts
from pbem.data.terms import Fuse
from pbem.errors import NotAllowed
from pbem.rules.direct_fire import verify_rate
from pbem.rules.internal_damage import OwnerChoice, wished
from pbem.rules.leave import whether
from pbem.rules.movement import quarter
from pbem.util import several

BOX = "SHUTTLE"


class BayBoxes(NamedTuple):
    """The number of undestroyed shuttle boxes of a ship, and the letters of the shuttles in them.

    The letters are sorted: the shuttle that is least useful to the owner comes first.
    """

    boxes: int
    aboard: tuple[str, ...]

    @property
    def empty(self) -> int:
        """The number of boxes without a shuttle."""
        return max(0, self.boxes - len(self.aboard))


class SystemChoice(NamedTuple):
    """A damage choice that names ``SHUTTLE`` instead of shuttle boxes with letters.

    It is made by :func:`unlettered` from an owner's choice that names shuttle boxes by letter.
    """

    category: str
    items: tuple[str, ...]
    place: str


def letter_of(item: str) -> str:
    """Return the letter in an item of a damage choice such as ``SHUTTLE B``.

    The result is ``""`` if the item does not name a shuttle box by letter.
    """
    words = item.upper().split()
    return words[1] if len(words) == 2 and words[0] == BOX else ""


def unlettered(choices: Sequence[OwnerChoice], bay: BayBoxes) -> tuple[OwnerChoice, ...]:
    """Return damage choices in which ``SHUTTLE`` replaces shuttle boxes named by letter.

    An item such as ``SHUTTLE B`` becomes ``SHUTTLE``, because :func:`pbem.rules.internal_damage.pick` needs the choices
    for the next hit in this form. An item for a box to be hit first is replaced as long as the box is left. An item for
    a box to be hit last is replaced only if all remaining boxes are to be hit last; otherwise the item is left out.
    """
    found: list[OwnerChoice] = []
    for choice in choices:
        spared = {letter_of(item) for item in choice.items} - {""}
        if not spared:
            found.append(choice)
            continue
        first = choice.place.upper() == "FIRST"
        items = [item for item in choice.items if not letter_of(item) or _counts(letter_of(item), spared, first, bay)]
        kept = tuple(dict.fromkeys(BOX if letter_of(item) else item for item in items))
        if kept:  # without items a choice would ask for the default order
            found.append(SystemChoice(choice.category, kept, choice.place))
    return tuple(found)


def _counts(letter: str, spared: set[str], first: bool, bay: BayBoxes) -> bool:
    """Return whether an item that names one shuttle box counts as ``SHUTTLE`` for the next hit.

    ``letter`` is the letter of the box. ``spared`` are the letters of all boxes in the same damage choice; ``first``
    says whether these boxes are to be hit first.
    """
    if first:
        return _has_box(letter, bay)
    return spared.issuperset(bay.aboard) and (not bay.empty or bool(spared - {*bay.aboard}))


def _has_box(letter: str, bay: BayBoxes) -> bool:
    """Return whether a shuttle's box is left, either with the shuttle in it or as one of the empty boxes."""
    return letter in bay.aboard or bay.empty > 0


def struck(category: str, choices: Sequence[OwnerChoice], bay: BayBoxes, *, occupied: bool = False) -> tuple[str, bool]:
    """Return the letter of the shuttle that a hit on a shuttle box destroys.

    The letter is ``""`` if an empty box is destroyed. The second value says whether the owner chose the box.

    Args:
        category: The category of the damage choices that apply to this hit.
        choices: The owner's damage choices.
        bay: The shuttle boxes.
        occupied: Whether the hit can only destroy a box that contains a shuttle (D4.324).
    """
    for letter in filter(None, map(letter_of, wished(choices, category, "FIRST"))):
        if letter in bay.aboard:
            return letter, True
        if bay.empty and not occupied:
            return "", True
    last = [*filter(None, map(letter_of, wished(choices, category, "LAST")))]
    boxes = [*([""] if bay.empty and not occupied else []), *bay.aboard]
    if not boxes:
        return "", False
    away = any(letter not in bay.aboard for letter in last)
    spared = [letter in last if letter else away for letter in boxes]
    return boxes[spared.index(False) if False in spared else 0], bool(last)


CRIPPLED, DESTROYED = "crippled", "destroyed"


# --- moving and being hit ---------------------------------------------------------------------------------


def condition(damage: int) -> str:
    """Return the condition of a shuttle with this much damage (J1.32, J1.33).

    The result is ``destroyed``, ``crippled``, or ``""`` if the damage is too small for either.
    """
    chart = charts.shuttles()
    if damage >= chart.destroyed:
        return DESTROYED
    return CRIPPLED if damage >= chart.crippled else ""


def full_speed() -> int:
    """Return the maximum speed of an undamaged shuttle, in hexes per turn (J1.21)."""
    return charts.shuttles().speed


def fastest(damage: int) -> int:
    """Return the maximum speed of a shuttle with this much damage, in hexes per turn (J1.21, J1.33)."""
    return charts.shuttles().crippled_speed if condition(damage) else full_speed()


def speed_after(speed: int, damage: int) -> int:
    """Return a shuttle's speed after it was damaged, in hexes per turn.

    ``speed`` is its speed before the damage; ``damage`` is the total of its damage points. A crippled shuttle slows
    down at once. The speed of a destroyed shuttle is 0.
    """
    return 0 if condition(damage) == DESTROYED else min(speed, fastest(damage))


def acceleration() -> int:
    """Return by how many hexes per turn a shuttle may increase its speed at the start of a turn (J1.22).

    The result is half of the maximum speed, rounded up.
    """
    return -(-full_speed() // 2)


def verify_speed(speed: int, prior: int, damage: int) -> None:
    """Check that a shuttle may fly at this speed.

    ``prior`` is the shuttle's speed in the previous turn; both speeds are in hexes per turn. ``damage`` is the total of
    its damage points. A shuttle may slow down by any amount.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``shuttle-speed`` (J1.21) or
            ``shuttle-acceleration`` (J1.22).
    """
    if not 0 <= speed <= fastest(damage):
        raise NotAllowed("shuttle-speed", f"the speed must be from 0 to {fastest(damage)}", "J1.21")
    if speed > prior + acceleration():
        most = prior + acceleration()
        raise NotAllowed(
            "shuttle-acceleration", f"after speed {prior}, the shuttle can go at most {most}, not {speed}", "J1.22"
        )


can_fly_at = whether(verify_speed)


def default_speed(prior: int, damage: int) -> int:
    """Return the speed of a shuttle whose owner announces none, i.e. its highest legal speed (J1.21)."""
    return min(fastest(damage), prior + acceleration())


def verify_shot_at_shuttle(range: int, landed: bool = False) -> None:
    """Check that direct fire at a shuttle is allowed at this range.

    Raises:
        NotAllowed: The shuttle is too far away (J1.35, fault code ``shuttle-range``), or it is on a planet (P2.0,
            fault code ``shuttle-landed``).
    """
    if landed:
        raise NotAllowed("shuttle-landed", "a shuttle on a planet cannot be hit", "P2.0")
    if range > (reach := charts.shuttles().fire_range):
        raise NotAllowed(
            "shuttle-range", f"range {range} is too far to fire at a shuttle; the most is {reach}", "J1.35"
        )


def verify_shuttle_fire(
    *, name: str, fired: int | None, launched: int, moment: int, impulses: int, suicide: bool = False
) -> None:
    """Check that a shuttle may fire its phaser now (J2.213).

    The phaser fires in all directions and needs no energy (J1.1, J1.31). ``fired`` is the time of the phaser's last
    shot (``None`` for never), ``launched`` the time of the shuttle's launch. Times are in impulses from the start of
    the game. If ``suicide`` is true, the shuttle is a suicide shuttle, which has nobody aboard to fire.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``unmanned`` (J2.22), ``just-launched``,
            ``already-fired`` or ``quarter-turn``.
    """
    if suicide:
        raise NotAllowed("unmanned", f"nobody on board {name} can fire", "J2.22")
    if moment - launched < (wait := quarter(impulses)):
        raise NotAllowed(
            "just-launched",
            f"{name} was launched {several(moment - launched, 'impulse')} ago; {wait} must pass before it fires",
            "J2.213",
        )
    verify_rate(name, fired, moment, impulses, "J2.213")


def verify_load(crew: int, parties: int) -> None:
    """Check that a shuttle can carry ``crew`` crew units and ``parties`` boarding parties (J2.211).

    A shuttle can carry one crew unit or two boarding parties, but not both.

    Raises:
        NotAllowed: There are too many people (fault code ``shuttle-full``).
    """
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
    """The shuttle bay of a ship, i.e. its shuttle boxes (J1.4).

    Attributes:
        boxes: The number of boxes left.
        aboard: The number of shuttles in the boxes.
        last_used: The time at which the bay was last used, in impulses from the start of the game; ``None`` for never.
    """

    boxes: int
    aboard: int
    last_used: int | None = None

    @property
    def empty(self) -> int:
        """The number of boxes without a shuttle."""
        return self.boxes - self.aboard


def verify_bay(bay: ShuttleBay, moment: int) -> None:
    """Check that the shuttle bay may be used now (J1.5).

    Only one launch or recovery is allowed in two consecutive impulses. ``moment`` is the present time, in impulses from
    the start of the game.

    Raises:
        NotAllowed: The bay was used in this or the previous impulse (fault code ``bay-busy``).
    """
    wait = charts.shuttles().interval
    if bay.last_used is not None and moment - bay.last_used < wait:
        ago = moment - bay.last_used
        raise NotAllowed(
            "bay-busy",
            f"the shuttle bay was used {several(ago, 'impulse')} ago; {wait} must pass before it is used again",
            "J1.5",
        )


def verify_launch(bay: ShuttleBay, moment: int, speed: int, ready: bool = True) -> None:
    """Check that a shuttle may be launched now, in any direction (J1.5).

    ``speed`` may be any speed up to the shuttle's maximum (J1.22). ``ready`` is false if the shuttle cannot be used
    this turn (J2.221).

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-shuttle``, ``shuttle-not-ready``,
            ``bay-busy`` or ``shuttle-speed``.
    """
    if bay.aboard < 1:
        raise NotAllowed("no-shuttle", "there is no shuttle on board", "J1.4")
    if not ready:
        raise NotAllowed(
            "shuttle-not-ready",
            "the shuttle is or was being armed as a suicide shuttle and cannot be used otherwise this turn",
            "J2.221",
        )
    verify_bay(bay, moment)
    if not 0 <= speed <= full_speed():
        raise NotAllowed("shuttle-speed", f"the speed must be from 0 to {full_speed()}", "J1.21")


def verify_land(
    bay: ShuttleBay, moment: int, *, same_hex: bool, ship_speed: int, damage: int, friendly: bool = True,
    manned: bool = True,
) -> None:  # fmt: skip
    """Check that a shuttle may land aboard a ship without a tractor beam (J1.61).

    Args:
        bay: The shuttle bay of the ship.
        moment: The present time, in impulses from the start of the game.
        same_hex: Whether the shuttle is in the ship's hex.
        ship_speed: The speed of the ship.
        damage: The damage points of the shuttle. They limit the shuttle's speed, and thereby the speed that the ship
            may have.
        friendly: Whether the ship belongs to a friendly side.
        manned: Whether the shuttle is manned, i.e. not a suicide shuttle.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``unmanned`` (J1.61), ``enemy-ship`` (J1.63),
            ``not-same-hex``, ``ship-too-fast``, ``no-empty-box`` or ``bay-busy``.
    """
    if not manned:
        raise NotAllowed("unmanned", "a suicide shuttle cannot land", "J1.61")
    if not friendly:
        raise NotAllowed("enemy-ship", "a shuttle cannot land on an enemy ship", "J1.63")
    if not same_hex:
        raise NotAllowed("not-same-hex", "the shuttle is not in the hex of the ship", "J1.61")
    most = fastest(damage) * charts.shuttles().landing
    if ship_speed > most:
        raise NotAllowed(
            "ship-too-fast", f"a shuttle cannot land on a ship at speed {ship_speed}; the most is {most}", "J1.61"
        )
    _verify_box(bay, moment, "J1.61")


def verify_recover(
    bay: ShuttleBay, moment: int, *, range: int, ship_speed: int, attached: int | None, damage: int,
    friendly: bool = True, manned: bool = True,
) -> None:  # fmt: skip
    """Check that a ship may now pull a shuttle aboard with the tractor beam that holds it (J1.62, J1.621).

    The beam may pull the shuttle aboard from the impulse after the impulse in which it took hold.

    Args:
        bay: The shuttle bay of the ship.
        moment: The present time, in impulses from the start of the game.
        range: The range between ship and shuttle in hexes.
        ship_speed: The speed of the ship.
        attached: The time at which the beam took hold, in impulses from the start of the game; ``None`` if no beam
            holds the shuttle.
        damage: The damage points of the shuttle. They limit the shuttle's speed, and thereby the speed that the ship
            may have.
        friendly: Whether the shuttle belongs to a friendly side.
        manned: Whether the shuttle is manned, i.e. not a suicide shuttle.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``unmanned``, ``enemy-shuttle``, ``not-held``,
            ``just-attached``, ``tractor-range``, ``ship-too-fast``, ``no-empty-box`` or ``bay-busy``.
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
        raise NotAllowed(
            "tractor-range", f"range {range} is too far: a tractor beam reaches only {reach} hexes", "J1.621"
        )
    most = fastest(damage) * charts.shuttles().recovery
    if ship_speed > most:
        raise NotAllowed(
            "ship-too-fast", f"at speed {ship_speed} a ship cannot take a shuttle aboard; the most is {most}", "J1.62"
        )
    _verify_box(bay, moment, "J1.62")


def _verify_box(bay: ShuttleBay, moment: int, rule: str) -> None:
    """Check that the bay has an empty shuttle box and may be used now.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-empty-box`` or ``bay-busy``.
    """
    if bay.empty < 1:
        raise NotAllowed("no-empty-box", f"all {bay.boxes} shuttle boxes are taken", rule)
    verify_bay(bay, moment)


def shuttles_at_start(boxes: Mapping[str, int]) -> int:
    """Return the number of shuttles aboard a ship at the start of a scenario (J2.0).

    There is one shuttle in each shuttle box.
    """
    return boxes.get("shuttle", 0)


class SuicideArming(NamedTuple):
    """The arming of a suicide shuttle: the energy points of each turn so far, and its state.

    The state ``unusable`` means that the shuttle was disarmed and cannot be used in any way this turn.
    """

    energy: tuple[int, ...] = ()
    state: Fuse = Fuse.NONE


NOT_ARMED = SuicideArming()


def arm(before: SuicideArming, points: int, level: str, warp: bool = True) -> SuicideArming:
    """Return the arming of a suicide shuttle after this turn's entry of the energy form (J2.221).

    Without energy, an armed shuttle is disarmed and unusable this turn. Our interpretation where the rules are silent:
    a shuttle whose arming is interrupted is unusable too, and its energy is lost.

    Args:
        before: The state of arming at the end of the previous turn.
        points: The energy points paid for arming or holding.
        level: ``cadet`` or ``standard``.
        warp: Whether the energy is warp power, which is required for arming but not for holding.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``suicide-arming``, ``suicide-holding`` or
            ``suicide-not-warp``.
    """
    chart = charts.shuttles().suicide[level]
    if not points:
        return SuicideArming((), Fuse.UNUSABLE) if before.energy else NOT_ARMED
    if before.state == Fuse.ARMED:
        if points != chart.hold:
            raise NotAllowed(
                "suicide-holding", f"holding an armed suicide shuttle takes {chart.hold} point, not {points}", "J2.221"
            )
        return before
    if not chart.least <= points <= chart.most:
        most = f"{chart.least}" if chart.least == chart.most else f"{chart.least} to {chart.most}"
        raise NotAllowed(
            "suicide-arming", f"arming a suicide shuttle takes {most} points a turn, not {points}", "J2.221"
        )
    if not warp:
        raise NotAllowed("suicide-not-warp", "use warp power: only warp power arms a suicide shuttle", "J2.221")
    energy = (*before.energy, points)
    return SuicideArming(energy, Fuse.ARMED if len(energy) >= chart.turns else Fuse.ARMING)


def warhead(energy: Sequence[int]) -> int:
    """Return the damage points that a suicide shuttle scores when it explodes (J2.221).

    The result is twice the energy spent on arming. Energy spent on holding does not count.
    """
    return sum(energy) * charts.shuttles().suicide_multiplier


def verify_suicide_launch(state: Fuse) -> None:
    """Check that a suicide shuttle is fully armed, so that it may be launched (J2.221).

    :func:`verify_launch` checks the other conditions, which are about the shuttle bay.

    Raises:
        NotAllowed: The shuttle is not fully armed (fault code ``not-armed``).
    """
    if state != Fuse.ARMED:
        raise NotAllowed("not-armed", "the suicide shuttle is not armed yet", "J2.221")


def verify_suicide_target(kind: str, own: bool) -> None:
    """Check that a unit is an allowed target for a suicide shuttle (J2.22).

    Enemy ships, shuttles and drones are allowed. Monsters are allowed too, because scenario #11 requires this.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``suicide-target`` or ``own-unit``.
    """
    if kind not in ("ship", "freighter", "shuttle", "suicide shuttle", "drone", "monster"):
        raise NotAllowed("suicide-target", f"a suicide shuttle cannot be sent at a {kind}", "J2.22")
    if own:
        raise NotAllowed("own-unit", "a suicide shuttle can be sent only at an enemy", "J2.22")
