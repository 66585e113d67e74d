"""Ranges of impulses as text."""


def impulses_in_words(first: int, last: int) -> str:
    """Return a range of impulses as text: ``impulses 9 to 16``, or ``impulse 16`` for a single one.

    If ``first`` is 0 (the time before the first impulse), the range begins at 1.
    """
    first = max(1, first)
    return f"impulses {first} to {last}" if last > first else f"impulse {first}"
