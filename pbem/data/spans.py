"""A range of impulses in words."""


def impulses_in_words(first: int, last: int) -> str:
    """Return a range of impulses in words: ``impulses 9 to 16``, or ``impulse 16`` for a single one.

    Impulse 0, before the first, is not counted.
    """
    first = max(1, first)
    return f"impulses {first} to {last}" if last > first else f"impulse {first}"
