"""The stretch of a turn that orders cover, in words."""


def impulses_in_words(first: int, last: int) -> str:
    """``impulses 9 to 16``; ``impulse 16`` where there is no other. Impulse 0, before the first, is none."""
    first = max(1, first)
    return f"impulses {first} to {last}" if last > first else f"impulse {first}"
