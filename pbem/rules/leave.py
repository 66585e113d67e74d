"""Permission checks as questions: turns a ``verify_…`` function into a ``can_…`` function."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from pbem.errors import NotAllowed

P = ParamSpec("P")


def whether(verify: Callable[P, None]) -> Callable[P, bool]:
    """Return a function that says whether a ``verify_…`` function allows something.

    It takes the same arguments and returns true or false instead of raising :class:`~pbem.errors.NotAllowed`.
    """

    @wraps(verify)
    def can(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            verify(*args, **kwargs)
        except NotAllowed:
            return False
        return True

    can.__doc__ = f"Whether :func:`{verify.__name__}` lets it happen; same arguments."
    return can
