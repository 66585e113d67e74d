"""Every figure of charts, ships and scenarios a second time, in another shape: what one hand mistypes, the other does
not.

``figures_twice.txt`` has of a table of numbers the sums of its rows and columns, of a damage chart where each entry
stands, of a ship its SSD on a few lines. It was held against the figures as the sources give them, which were collected
apart from the data. A figure that is changed on purpose is changed in both places.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.data import charts, files, ships

TWICE = Path(__file__).with_name("figures_twice.txt")
WORDS = {"briefing", "title", "source", "notes", "rules", "confidence", "confidence_of", "name", "text"}


def marks(kind: str, raw: dict[str, Any]) -> list[str]:
    """The figures of a file as ``figures_twice.txt`` has them."""
    return [f"{place}: {said}" for place, said in _marks(kind, raw)]


def _marks(place: str, table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    plain = []
    for key, value in table.items():
        inner = f"{place}.{key}"
        if key in WORDS:
            continue
        if isinstance(value, dict):
            yield from _marks(inner, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield inner, " / ".join(" ".join(_words(thing)) for thing in value)
        elif isinstance(value, list) and value and isinstance(value[0], list):
            yield inner, _sums(value) if isinstance(value[0][0], int) else _places(value)
        else:
            plain.append(f"{key} {_one(value)}")
    if plain:
        yield place, ", ".join(sorted(plain))


def _words(thing: dict[str, Any]) -> list[str]:
    """A weapon, a unit, a grade on half a line."""
    return [_one(value) if key in ("name", "kind", "id", "arc", "hex") else f"{key}={_one(value)}"
            for key, value in thing.items() if key not in WORDS or key == "name"]  # fmt: skip


def _one(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_one, value))
    if isinstance(value, dict):
        return "(" + " ".join(f"{key}={_one(inner)}" for key, inner in value.items()) + ")"
    return str(value)


def _sums(rows: list[list[int]]) -> str:
    columns = zip(*rows, strict=True)
    return f"rows {' '.join(str(sum(row)) for row in rows)}; columns {' '.join(str(sum(column)) for column in columns)}"


def _places(rows: list[list[str]]) -> str:
    """Where each word of a damage chart stands: row and column, from 1."""
    found: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=1):
        for column, word in enumerate(row, start=1):
            found.setdefault(word, []).append(f"{number}.{column}")
    return "; ".join(f"{word} {' '.join(at)}" for word, at in sorted(found.items()))


def typed() -> dict[str, list[str]]:
    """What was typed the second time, by file."""
    found: dict[str, list[str]] = {}
    for line in TWICE.read_text(encoding="utf-8").splitlines():
        if line.startswith("--- "):
            found[line.strip("- ")] = []
        elif line:
            found[list(found)[-1]].append(line)
    return found


EVERY = [f"{kind} {key}" for kind in files.FOLDERS for key in files.keys(kind)]


def raw(name: str) -> dict[str, Any]:
    kind, _, key = name.partition(" ")
    return files.read_toml(kind, key)[0]


def test_the_second_table_has_every_file() -> None:
    assert list(typed()) == EVERY


@pytest.mark.parametrize("name", EVERY)
def test_the_figures_are_what_was_typed_the_second_time(name: str) -> None:
    assert marks(name, raw(name)) == typed()[name]


def changed(value: object) -> Iterator[object]:
    """A data file with one figure wrong, once for each of its figures."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in WORDS:
                yield from ({**value, key: other} for other in changed(inner))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            for other in changed(inner):
                yield [*value[:place], other, *value[place + 1 :]]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    else:
        yield f"{value}x"


@pytest.mark.parametrize("name", EVERY)
def test_no_single_figure_can_be_wrong_unseen(name: str) -> None:
    right, known = raw(name), typed()[name]
    wrongs = list(changed(copy.deepcopy(right)))
    assert wrongs
    for wrong in wrongs:
        assert isinstance(wrong, dict)
        assert marks(name, wrong) != known


# --- figures that follow from a formula -------------------------------------------------------------------------------


def test_boarding_casualties_follow_their_formula() -> None:
    chart = charts.boarding()
    cells = [
        (die, parties, chart.casualties[die - 1][column])
        for die in range(1, 7)
        for column, parties in enumerate(chart.parties)
    ]
    assert len(cells) == 60
    assert [cell for die, parties, cell in cells if cell != (die * parties + 5) // 10] == []


def test_monster_information_follows_its_formula() -> None:
    chart = charts.labs()
    for die, row in enumerate(chart.information, start=1):
        assert row == tuple(max(0, 11 - die - range_) for range_ in chart.ranges)


STANDARD = {
    "fed_cadet_ca": "std_fed_ca_cth", "kli_cadet_d6": "std_kli_d6", "rom_cadet_ca": "std_rom_we",
    "rom_cadet_kr": "std_rom_kr", "gorn_cadet_ca": "std_gorn_ca", "kzi_cadet_ca": "std_kzi_cs",
    "lyr_cadet_ca": "std_lyr_ca", "hyd_cadet_ca": "std_hyd_rn", "tho_cadet_ca": "std_tho_ca",
}  # fmt: skip
OF_THEIR_OWN = {"ori_cadet_ca", "isc_cadet_ca", "cadet_freighter"}


def test_cadet_shields_are_half_the_standard_ones_rounded_up_to_an_even_number() -> None:
    cadets = {key for key in ships.ship_keys() if ships.ship_class(key).level == "cadet"}
    assert cadets == set(STANDARD) | OF_THEIR_OWN
    for cadet, standard in STANDARD.items():
        wanted = tuple(-(-boxes // 4) * 2 for boxes in ships.ship_class(standard).shields)
        assert ships.ship_class(cadet).shields == wanted, cadet
    for key in OF_THEIR_OWN - {"cadet_freighter"}:
        assert ships.ship_class(key).notes, "why the rule does not hold for it is told"
