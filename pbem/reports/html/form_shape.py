"""How the data of an order form is written in its page: forms travel by mail, and most of their data is alike.

What is empty in most is left out, what comes several times over is counted or named once, and words are grouped by what
they mean. ``templates/orders/state.js`` makes of it what :func:`pbem.reports.form.form.form_data` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from typing import Any, Final

import msgspec

Json = dict[str, Any]

ENERGY, COURSES, FOES, TERRAIN = "energy", "courses", "foes", "terrain"
"""What a form may ask for: energy to be allotted; courses, with all that is done on the way. And what may be there:
enemy ships whose courses may be sketched; planets or asteroids.
"""

_EMPTY: Final[dict[str, Json]] = {
    "acts": {"it": False, "needs": "", "by": [], "spoiled": "", "unpaid": {}, "drained": []},
    "weapons": {"state": "", "battery": False, "idle": "", "needs": "", "unpaid": {}, "not": {}, "tables": {}},
}
"""What is left out of each activity and weapon of a block, if it is so."""

_WORDS_FOR: Final[dict[str, tuple[str, ...]]] = {
    ENERGY: ("energy", "lines"),
    COURSES: ("conditions", "pilots", "operators", "arcs", "launched", "fired", "codes", "places"),
}
"""Words that only a form needs which asks for this."""
_SPELLED: Final = ("headings", "energy", "weapons")
"""Words of several spellings."""


def written(data: Json, asks: Collection[str]) -> Json:
    """The data of a form that asks for so much, as its page has it."""
    unasked = {word for what, words in _WORDS_FOR.items() if what not in asks for word in words}
    words = {kind: told for kind, told in data["words"].items() if kind not in unasked}
    return {
        **data,
        "words": {kind: _spelled(told) if kind in _SPELLED else told for kind, told in words.items()},
        "charts": [_counted(msgspec.json.decode(chart)) for chart in data["charts"]],
        "tables": {name: _named_once(table) for name, table in data["tables"].items()},
        "blocks": [_block(block) for block in data["blocks"]],
    }


def _block(block: Json) -> Json:
    """A block without what is empty in most of its choices, and with what drained batteries are told said once."""
    lists = {name: [_without(one, empty) for one in block[name]] for name, empty in _EMPTY.items() if name in block}
    said = dict.fromkeys(why for act in lists.get("acts", ()) for why in act.get("drained", ()))
    place = {why: number for number, why in enumerate(said)}
    for act in lists.get("acts", ()):
        if "drained" in act:
            act["drained"] = [place[why] for why in act["drained"]]
    return {**block, **lists, **({"said": list(said)} if said else {})}


def _without(one: Json, empty: Json) -> Json:
    """A choice without what is empty in it as in most."""
    return {key: value for key, value in one.items() if key not in empty or value != empty[key]}


def _counted(rows: Iterable[list[int]]) -> list[list[int]]:
    """Rows that follow one another and are the same, once, with how many there are of them before."""
    return [[len(list(same)), *row] for row, same in groupby(rows)]


def _named_once(table: Json) -> Json:
    """The rows of a helm's table with ``-1`` for the first of the reasons, ``-2`` for the second."""
    why = list(dict.fromkeys(cell for row in table["rows"] for cell in row if isinstance(cell, str)))
    place = {reason: -1 - number for number, reason in enumerate(why)}
    return {**table, "why": why, "rows": [[place.get(cell, cell) for cell in row] for row in table["rows"]]}


def _spelled(words: Mapping[str, str]) -> dict[str, str]:
    """All spellings of a word, with a space between."""
    found: dict[str, list[str]] = {}
    for spelling, word in words.items():
        found.setdefault(word, []).append(spelling)
    return {word: " ".join(spellings) for word, spellings in found.items()}
