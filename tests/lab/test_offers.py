"""What drafts and forms offer in random games is never refused: whatever ship, scenario, version, option and moment."""

from __future__ import annotations

import os

import pytest

from pbem.lab.random_games.play import key_for, playable
from tests.lab.offers import drafts, form_faults, forms, in_draft

SAMPLE = ("3-0-0", "5-0-0", *(pytest.param(key, marks=pytest.mark.slow) for key in ("8-0-0", "9-0-0")))
"""Games of the quick part: freighters with a course of their own, a duel, a pirate, shuttles and a planet."""

FORMS = ("3-0-0", *(pytest.param(key, marks=pytest.mark.slow) for key in ("8-0-0", "9-0-0")))
"""Games of the quick part of which two or three forms are looked at."""

ROUNDS = range(int(os.environ.get("PBEM_ROUNDS", "1")))
"""Games of each scenario in the slow part: a sample; ``PBEM_ROUNDS=20`` looks at more."""


@pytest.mark.parametrize("key", SAMPLE)
def test_no_hint_of_a_draft_is_refused(key: str) -> None:
    seen = 0
    for who, state, scenario, side in drafts(key, turns=2):
        seen += 1
        assert [who, *in_draft(state, scenario, side)] == [who]
    assert seen > 3


@pytest.mark.slow
@pytest.mark.parametrize("game", ROUNDS)
@pytest.mark.parametrize("number", playable())
def test_no_hint_of_any_draft_is_refused(number: str, game: int) -> None:
    for who, state, scenario, side in drafts(key_for(number, 11, game), turns=6):
        assert [who, *in_draft(state, scenario, side)] == [who]


@pytest.mark.parametrize("key", FORMS)
def test_a_form_offers_what_the_check_takes_and_nothing_else(key: str) -> None:
    seen = 0
    for form in forms(key, turns=1, every=2):
        seen += 1
        assert [form.who, *form_faults(form)] == [form.who]
    assert seen


@pytest.mark.slow
@pytest.mark.parametrize("game", ROUNDS)
@pytest.mark.parametrize("number", playable())
def test_any_form_offers_what_the_check_takes_and_nothing_else(number: str, game: int) -> None:
    for form in forms(key_for(number, 12, game), turns=5, every=3):
        assert [form.who, *form_faults(form)] == [form.who]
