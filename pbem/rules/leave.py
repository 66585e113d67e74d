"""Leave to do something, as a question: every ``can_…`` is its ``verify_…`` without the reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from pbem.errors import NotAllowed

P = ParamSpec("P")


def whether(verify: Callable[P, None]) -> Callable[P, bool]:
    """The question whether a ``verify_…`` function would let something happen, with the same arguments."""

    @wraps(verify)
    def can(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            verify(*args, **kwargs)
        except NotAllowed:
            return False
        return True

    can.__doc__ = f"Whether :func:`{verify.__name__}` lets it happen; same arguments."
    return can
