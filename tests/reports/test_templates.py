"""What stands in pages is escaped as Jinja2 would escape it, only sooner."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from pbem.reports.html.templates import _with_own_escape, environment, escaped

texts = st.text(alphabet="aé&<>'\"\n\x00 ", max_size=12)


@given(st.one_of(texts, texts.map(Markup), st.integers(), st.booleans(), st.none(), st.floats(), st.lists(texts)))
def test_whatever_is_shown_is_escaped_as_the_library_does(value: object) -> None:
    assert escaped(value) == escape(value)


def test_templates_ask_ours() -> None:
    shown = environment().from_string("{{ a }}{% set b %}<{{ a }}>{% endset %}{{ b }}{{ [a, a]|join('<') }}")
    assert shown.render(a="<&'\">") == "{0}<{0}>{0}&lt;{0}".format("&lt;&amp;&#39;&#34;&gt;")
    code = environment().compile("{{ a }}", raw=True)
    assert "import escaped as escape" in code


def test_a_name_behind_a_point_is_an_attribute_and_no_entry() -> None:
    shown = environment().from_string("{{ a.real }}{{ (b or a).imag }}{{ c['real'] }}")
    assert shown.render(a=3, b=0, c={"real": 4}) == "304"
    with pytest.raises(AttributeError):
        environment().from_string("{{ c.real }}").render(c={"real": 4})


def test_a_macro_takes_what_the_library_gives_it() -> None:
    shown = environment().from_string(
        "{% macro m(a, b='<') %}{{ a }}-{{ b }};{% endmacro %}{{ m(1) }}{{ m('&', 2) }}{{ m(b=3, a=4) }}{{ m(5, b=6) }}"
        "{% macro more(a) %}{{ a }}{{ varargs | join }}{% endmacro %}{{ more(1, 2, 3) }}"
    )
    assert shown.render() == "1-&lt;;&amp;-2;4-3;5-6;123"
    some = "{% macro more(a) %}{{ a }}{{ varargs | join }}{{ kwargs | length }}{% endmacro %}"
    some += "{% macro around() %}<{{ caller() }}>{% endmacro %}{{ more(1) }};{{ more(1, b=2) }};"
    assert environment().from_string(some + "{% call around() %}in{% endcall %}").render() == "10;11;<in>"
    with pytest.raises(TypeError, match="not more than"):
        environment().from_string("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}").render()
    with pytest.raises(UndefinedError, match="was not provided"):
        environment().from_string("{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}").render()


@pytest.mark.parametrize("code", ["", "from jinja2.runtime import escape\n", "from elsewhere import x, escape, y\n"])
def test_code_that_is_written_otherwise_stays_as_it_is(code: str) -> None:
    assert _with_own_escape(code) == code
