"""The quoting scheme, against what VASSAL's own encoder and decoder answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from vassal.errors import LossyTextError
from vassal.text.sequence import decode, encode, is_lossless

Vectors = Callable[..., list[Any]]

tokens = st.lists(st.text(alphabet="ab\\';,\t\x1b/|~ü𝄞", max_size=8), min_size=1, max_size=6)
delimiters = st.sampled_from([";", ",", "\t", "\x1b", "/", "|", "~", "$"])


@pytest.mark.parametrize("whole", [False, True])
def test_every_vector_holds(vectors: Vectors, whole: bool) -> None:
    checked = lossy = 0
    for vector in vectors("sequence", whole):
        delimiter = vector["delim"]
        assert decode(vector["encoded"], delimiter) == vector["decoded"], vector
        if "tokens" in vector:
            checked += 1
            assert encode(vector["tokens"], delimiter, strict=False) == vector["encoded"], vector
            assert is_lossless(vector["tokens"], delimiter) == vector["lossless"]
            if not vector["lossless"]:
                lossy += 1
                with pytest.raises(LossyTextError, match="ends with a backslash"):
                    encode(vector["tokens"], delimiter)
            else:
                assert encode(vector["tokens"], delimiter) == vector["encoded"]
    assert checked > 100
    assert lossy > 50


def test_nothing_and_the_empty_text() -> None:
    assert decode(None, ";") == []
    assert decode("", ";") == [""]
    assert decode("a;", ";") == ["a", ""]
    assert encode([None, ""], ";") == ";"


@given(tokens, delimiters)
def test_what_is_not_refused_comes_back(texts: list[str], delimiter: str) -> None:
    try:
        text = encode(texts, delimiter)
    except LossyTextError:
        assert not is_lossless(texts, delimiter)
    else:
        assert decode(text, delimiter) == texts


@given(st.text(alphabet="ab\\';x", max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    assert "".join(decode(text, ";")).count("x") == text.count("x")
