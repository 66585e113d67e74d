"""Turn a ``verify_…`` function, which raises an error, into one that returns true or false."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from pbem.errors import NotAllowed

P = ParamSpec("P")


def whether(verify: Callable[P, None]) -> Callable[P, bool]:
    """Return a function that returns true if ``verify`` raises no error, otherwise false.

    The returned function takes the same arguments as ``verify``. Only the error :class:`~pbem.errors.NotAllowed` is
    caught.
    """

    @wraps(verify)
    def can(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            verify(*args, **kwargs)
        except NotAllowed:
            return False
        return True

    can.__doc__ = f"Return whether :func:`{verify.__name__}` raises no error for the same arguments."
    return can
