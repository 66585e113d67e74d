"""How fast a ship may go after the speed of last turn (B3.0, line 14, C1.42)."""

from __future__ import annotations

from pbem.errors import NotAllowed


def top_speed(prior: int, acceleration: int, multiple: int = 1) -> int:
    """The fastest speed after ``prior``: so many hexes more, or so many times as fast if that is more.

    Both figures are those of the level (:class:`pbem.data.core_charts.Level`). After tactical maneuvers ``prior`` is 0
    (:func:`pbem.rules.tactical.verify_paid`).
    """
    return max(prior + acceleration, prior * multiple)


def verify_speed(speed: int, *, prior: int, acceleration: int, multiple: int = 1, max_speed: int) -> None:
    """Raises :class:`NotAllowed` unless a ship may go so fast: ``too-fast`` (C1.42), ``acceleration`` (B3.0)."""
    if speed > max_speed:
        raise NotAllowed("too-fast", f"speed {speed} is more than the maximum of {max_speed}", "C1.42")
    fastest = top_speed(prior, acceleration, multiple)
    if speed > fastest:
        doubled = f" and more than {multiple} times that" if multiple > 1 else ""
        text = f"speed {speed} is more than {acceleration} above last turn's {prior}{doubled}; {fastest} is the most"
        raise NotAllowed("acceleration", text, "B3.0, line 14")
