"""When a direct-fire weapon may fire (E1.0)."""

from __future__ import annotations

from pbem.data.words import WeaponState
from pbem.errors import NotAllowed
from pbem.rules.arming import family
from pbem.rules.direct_fire import is_direct_fire, is_phaser, verify_range
from pbem.rules.impulse_chart import impulse_of, quarter, turn_of
from pbem.rules.phasers import shot_cost, shots as weapon_shots


def shots_fired(fired: int | None, shots: int, moment: int, impulses: int) -> int:
    """How often a weapon has fired in the turn of ``moment``: ``shots``, if its last shot was in this turn (E2.23)."""
    return shots if fired is not None and turn_of(fired, impulses) == turn_of(moment, impulses) else 0


def verify_rate(
    name: str, fired: int | None, moment: int, impulses: int, rule: str = "E1.5", shots: int = 1, most: int = 1
) -> None:
    """Once a turn, and not within a quarter turn of the last shot (E1.5, FD1.1).

    Both moments of the whole game. ``shots`` of a turn's ``most`` were fired in the turn of the last one. Reading: the
    phaser-G is an exception to the first limit only; between two turns it too waits a quarter turn.

    Raises :class:`NotAllowed` ``already-fired`` or ``quarter-turn``.
    """
    if fired is None:
        return
    when = impulse_of(fired, impulses)
    if turn_of(fired, impulses) == turn_of(moment, impulses):
        if shots < most:
            return
        often = f"{shots} times, last" if most > 1 else ""
        where = " ".join(filter(None, (often, f"in impulse {when} of this turn")))
        raise NotAllowed("already-fired", f"{name} was used {where}", rule)
    wait = quarter(impulses)
    if moment - fired < wait:
        raise NotAllowed(
            "quarter-turn",
            f"{name} was used in impulse {when} of last turn, {moment - fired} before this; {wait} impulses must pass",
            rule,
        )


def verify_rested(
    *, kind: str, name: str, working: bool, fired: int | None, moment: int, impulses: int, shots: int = 1
) -> None:
    """The first requirements of :func:`verify_fire`, which hang on nothing but the weapon itself: one that works and
    has rested since its last shot.
    """
    if not working:
        raise NotAllowed("weapon-destroyed", f"{name} is destroyed", "E1.2")
    if not is_direct_fire(kind):
        raise NotAllowed("not-direct-fire", f"{name} is no direct-fire weapon", "E1.0")
    verify_rate(name, fired, moment, impulses, shots=shots, most=weapon_shots(kind))


def verify_fire(
    *,
    kind: str,
    name: str,
    working: bool,
    charge: WeaponState,
    fired: int | None,
    moment: int,
    impulses: int,
    range: int,
    max_range: int | None,
    in_arc: bool,
    energy: float,
    shots: int = 1,
) -> None:
    """Raises :class:`NotAllowed` unless this weapon may fire now. The code says which requirement fails first.

    ``charge`` and ``fired`` are the weapon's (``fired`` the moment of its last shot, ``shots`` how many it fired in
    that shot's turn, which matters for the phaser-G); ``moment`` is now;
    ``range`` the true range and ``max_range`` the ship's own limit for this weapon; ``energy`` the phaser
    energy at hand. Codes: ``weapon-destroyed`` (E1.2), ``not-direct-fire`` (E1.0), ``already-fired``,
    ``quarter-turn`` (E1.5), ``out-of-arc`` (D2.0), ``too-close``, ``out-of-range`` (E3.32, E4.14),
    ``not-armed`` (E3.2, E4.21, H6.1).
    """
    verify_rested(
        kind=kind, name=name, working=working, fired=fired, moment=moment, impulses=impulses, shots=shots
    )  # fmt: skip
    verify_aimed(
        kind=kind, name=name, charge=charge, shots=shots_fired(fired, shots, moment, impulses), range=range,
        max_range=max_range, in_arc=in_arc, energy=energy,
    )  # fmt: skip


def verify_aimed(
    *, kind: str, name: str, charge: WeaponState, shots: int, range: int, max_range: int | None, in_arc: bool,
    energy: float,
) -> None:  # fmt: skip
    """The other requirements of :func:`verify_fire`, of a weapon that has rested: arc, range and energy. ``shots`` are
    those it has fired in this turn.
    """
    if not in_arc:
        raise NotAllowed("out-of-arc", f"the target is not in the firing arc of {name}", "D2.0")
    verify_range(kind, range, max_range, name)
    if is_phaser(kind):
        cost = shot_cost(kind, shots)
        if energy < cost:
            raise NotAllowed("not-armed", f"{name} needs {cost:g} of phaser energy, {energy:g} is left", "H6.1")
    family(kind).verify_ready(name, charge)
