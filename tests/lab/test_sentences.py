"""Whatever happens in random games is told in a sentence, and found where its units are looked for."""

from __future__ import annotations

import pytest

from pbem.engine import events as ev
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches
from pbem.reports.text import sentences

OF_ALL = (ev.GameEnded, ev.Broke)
"""These are told of sides."""

BY_ANOTHER = (ev.Volley,)
"""Their sentence begins with the unit that fired; they are filed under the unit that was hit."""


def untold(key: str, turns: int) -> list[str]:
    """Events without a sentence, or whose sentence names other units than those it is filed under."""
    found = []
    for stretch in stretches(opening(deal(key)), turns=turns):
        names = {*stretch.before.units, *stretch.after.units}
        for record in stretch.records:
            event = record.event
            if sentences.words_for(event).place == "log":
                continue
            text, units = sentences.sentence(event), sentences.units_in(event)
            # "Drone A" stands in "Drone A2", too: the longest name at a place is meant.
            said = sorted((text.find(name), -len(name), name) for name in names if name in text)
            first = {said[0][2]} if said and not isinstance(event, (*OF_ALL, *BY_ANOTHER)) else set[str]()
            whole = text.endswith(".") or (bool(text) and sentences.words_for(event).place == "move")
            if not whole or not {*units} <= {name for *_, name in said} or not first <= {*units}:
                found.append(f"{type(event).__name__}: {text!r} of {units}")
    return found


@pytest.mark.parametrize("key", ["11-0-0", "9-0-0"])
def test_every_event_is_told_and_filed_under_its_units(key: str) -> None:
    assert untold(key, turns=2) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", range(2))
@pytest.mark.parametrize("number", playable())
def test_every_event_of_any_game_is_told_and_filed_under_its_units(number: str, game: int) -> None:
    assert untold(key_for(number, 14, game), turns=8) == []
