"""What the tests of the site share: they look at pages."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""
