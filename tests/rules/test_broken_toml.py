"""TOML that the reader of TOML itself does not survive."""

from __future__ import annotations

import pytest

from pbem.data.files import NotToml, parse_toml


@pytest.mark.parametrize("text", ["x = " + "[" * 5000, "x = " + "{a=" * 5000, "x = " + "9" * 5000, "x = 2000-13-01"])
def test_whatever_is_wrong_is_one_kind_of_error(text: str) -> None:
    with pytest.raises(NotToml):
        parse_toml(text)


def test_the_mark_with_which_windows_editors_begin_a_file_is_not_read() -> None:
    assert parse_toml("\ufeffx = 1") == {"x": 1}
