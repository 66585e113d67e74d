"""Where look-ups are entered by name; the look-ups themselves stand in :mod:`asks` and its three neighbours."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from pbem.errors import NotAllowed

Answer = Any
Asked = TypeVar("Asked", bound=Callable[..., Any])
ASKS: dict[str, Callable[..., Answer]] = {}
"""Every look-up by its name in a case."""


def lookup(name: str) -> Callable[[Asked], Asked]:
    """Enter the function below under this name."""

    def note(function: Asked) -> Asked:
        ASKS[name] = function
        return function

    return note


def why_not(verify: Callable[[], None]) -> str:
    """The code with which a rule refuses; empty if it does not."""
    try:
        verify()
    except NotAllowed as refused:
        return refused.code
    return ""


def law(name: str, function: Callable[..., Any], told: str, **called: str) -> None:
    """Enter a function of the law itself as a look-up, with ``told`` as its line in the documentation.

    It takes the arguments of the function; what ``called`` names has that name in the law and its key in a case, and
    an empty one is not asked for. A function that refuses (``verify_…``) answers with the code, or empty.
    """
    meant = {theirs: ours for ours, theirs in called.items()}
    parameters = [
        each.replace(name=meant.get(each.name, each.name), kind=each.KEYWORD_ONLY)
        for each in inspect.signature(function).parameters.values()
        if called.get(each.name) != ""
    ]

    def answer(**given: Any) -> Answer:
        arguments = {called.get(key, key): value for key, value in given.items()}
        if function.__name__.startswith("verify_"):
            return why_not(lambda: function(**arguments))
        return _plain(function(**arguments))

    answer.__doc__, answer.__signature__ = told, inspect.Signature(parameters)  # type: ignore[attr-defined]
    ASKS[name] = answer


def _plain(found: Any) -> Answer:
    """An answer as TOML could write it."""
    if hasattr(found, "_asdict"):
        return {key: _plain(value) for key, value in found._asdict().items()}
    if isinstance(found, frozenset):
        return sorted(found)
    return [_plain(each) for each in found] if isinstance(found, tuple) else found
