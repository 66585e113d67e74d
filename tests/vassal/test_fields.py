"""Fields that are declared once: how each kind is read and written, and what a state keeps that is written again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from vassal.errors import LossyTextError
from vassal.pieces.containers import Core
from vassal.pieces.trait import Trait, fill
from vassal.pieces.traits import DynamicProperty, Layer, Mask
from vassal.text.fields import ALL, FIRST, FLAG, NAME, TEXT, WHOLE, Form, Kind, StateField, Tail, TypeField, whole

WORDS = st.text(alphabet="ab;\\'\t1", max_size=6)


class Gauge(Trait):
    """A trait that no version of VASSAL has."""

    form = Form(";", blank="null;5")
    scale = TypeField(1, whole(7, least=2))
    owner = StateField(0, NAME)
    level = StateField(1, WHOLE)
    lit = StateField(3, FLAG)


@pytest.mark.parametrize(
    ("state", "owner", "level", "lit", "written"),
    [
        (None, None, 5, False, "null;9"),
        ("", None, 5, False, "null;9"),
        ("Ann", "Ann", 0, False, "Ann;9"),
        (";x", None, 0, False, ";9"),
        ("a\\;b;-3;z;true;more", "a;b", -3, True, "a\\;b;9;z;true;more"),
    ],
)
def test_a_state_is_read_and_written_by_what_is_declared(
    state: str | None, owner: str | None, level: int, lit: bool, written: str
) -> None:
    gauge = Gauge("gauge;1", state)
    assert (gauge.owner, gauge.level, gauge.lit, gauge.scale) == (owner, level, lit, 2)
    assert gauge.with_fields(level=9).state == written
    assert Gauge("gauge").scale == 7
    assert Gauge("gauge", "a").with_fields(lit=True, owner=None).state == "null;;;true"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (TEXT, "a"),
        (WHOLE, -7),
        (FLAG, True),
        (FLAG, False),
        (NAME, None),
        (NAME, "Map"),
        (ALL, ("a", "")),
        (FIRST, "a"),
    ],
)
def test_each_kind_reads_what_it_wrote(kind: Kind[Any] | Tail[Any], value: object) -> None:
    tokens: list[str] = []
    kind.set(tokens, 2, value)
    assert kind.take(tokens, 2) == value
    assert tokens[:2] == ["", ""]


def test_a_text_without_quoting_is_divided_at_the_first_separators_only() -> None:
    form = Form(";", unquoted=2)
    assert (form.split("'a\\;b;c"), form.join(["'a\\", "b;c"])) == (["'a\\", "b;c"], "'a\\;b;c")


def test_what_is_not_declared_is_kept_or_cut_as_vassal_does() -> None:
    assert Core("piece;", "M;1;2;9;0;more").at("N", 3, 4).state == "N;3;4;9;0;more"
    assert Mask("obs;", "a;b;c").with_owner("x").state == "x;b;c"
    assert DynamicProperty("PROP;", "a;b").with_value("x").state == "x"
    assert Layer("emb2;" + ";" * 15 + "a,b", "1;AF").at_level(2).state == "2"


@given(st.lists(WORDS, min_size=4, max_size=5), st.integers(-9, 9))
def test_a_field_that_is_set_leaves_all_others(tokens: list[str], level: int) -> None:
    form = Gauge.form
    try:
        gauge = Gauge("gauge", form.join(tokens)).with_fields(level=level)
    except LossyTextError:
        return
    assert form.split(gauge.state) == [tokens[0], str(level), *tokens[2:]]


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("$a$", "1"), ("x$a$y", "x1y"), ("$a$$b$", "12"), ("a$b$c", "a2c"), ("$none$.", "."), ("a", "a"), ("", ""),
        ("a$b", "ab"), ("$a$b$c", "1bc"), ("$", ""),
    ],
)  # fmt: skip
def test_names_between_two_signs_are_filled_in(text: str, filled: str) -> None:
    """A last sign without another is no beginning of a name."""
    assert fill(text, {"a": "1", "b": "2", "c": "3"}) == filled
    assert fill(text, {"a": "8", "b": "9", "c": None}, {"a": "1", "b": "2"}) == filled
