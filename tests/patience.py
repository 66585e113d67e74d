"""Waiting for a page from outside: its own script alone may run in it, so nobody waits inside."""

from __future__ import annotations

from typing import Any

ASKED = 250
"""How often a page is asked, 20 milliseconds apart."""


def until(page: Any, question: str, given: Any = None) -> None:
    """Asks the page until its answer is true.

    Raises:
        AssertionError: it never was.
    """
    for _ in range(ASKED):
        if page.evaluate(question, given):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {question}")
