"""The types of a page's data in TypeScript are those of the structs that the program encodes."""

from __future__ import annotations

import pytest

from tests.page_types import FILES, path_of, typescript


@pytest.mark.parametrize("name", FILES)
def test_the_types_of_pages_are_those_of_the_structs(name: str) -> None:
    assert path_of(name).read_text(encoding="utf-8") == typescript(FILES[name]), "run python -m tests.page_types"
