"""Turn a ``verify_…`` function, which raises an error, into a ``can_…`` function that returns true or false."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from pbem.errors import NotAllowed

P = ParamSpec("P")


def whether(verify: Callable[P, None]) -> Callable[P, bool]:
    """Return a function that returns whether ``verify`` allows something, instead of raising an error.

    The returned function takes the same arguments as ``verify``. Its result is false where ``verify`` raises
    :class:`~pbem.errors.NotAllowed`.
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
