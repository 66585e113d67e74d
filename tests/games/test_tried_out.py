"""Orders with the plots of a player's save: whatever is said of it names the file as he does. And an act that was
tampered with, of which the first wrong name is told.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from pbem.errors import Fault, GameError
from pbem.games import vassal_files
from pbem.games.storage import folder as act
from pbem.games.storage.folder import GameFolder
from pbem.vassal_bridge.import_plots import Plotted, TriedOut


def plotted(*codes: str, remarks: tuple[str, ...] = (), unit: str = "Destruction") -> Plotted:
    return Plotted(unit=unit, side="klingon", shuttle=False, start="", end="", speed=8, codes=codes, remarks=remarks)


def test_what_is_said_of_a_save_names_it_as_its_player_does(game: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = None
    written: list[tuple[str, dict[str, tuple[str, ...]], str]] = []

    def at_home(state: object, side: str, binding: object, file: Path) -> TriedOut:
        assert side == "klingon" and file.read_bytes() == b"PK"
        made = found(file) if callable(found) else found
        if isinstance(made, Exception):
            raise made
        assert isinstance(made, TriedOut)
        return made

    def with_plots(game: GameFolder, side: str, plots: dict[str, tuple[str, ...]], text: str) -> str:
        written.append((side, plots, text))
        return "orders"

    monkeypatch.setattr("pbem.vassal_bridge.import_plots.tried_at_home", at_home)
    monkeypatch.setattr(vassal_files, "with_plots", with_plots)

    def replotted() -> tuple[str, tuple[str, ...]]:
        return vassal_files.replotted(game, "klingon", b"PK", "mine.vsav", "text")

    def wrong() -> list[tuple[str, str, str]]:
        with pytest.raises(GameError) as error:
            replotted()
        return [(fault.code, fault.text, fault.file) for fault in error.value.faults]

    def faults(file: Path) -> tuple[Fault, ...]:
        return (
            Fault(code="x", text=f"{file} is no save", file=str(file)),
            Fault(code="y", text="two fly backwards", file=""),
        )

    as_he_calls_it = [("x", "mine.vsav is no save", "mine.vsav"), ("y", "two fly backwards", "")]
    found = lambda file: GameError(*faults(file))  # noqa: E731
    assert wrong() == as_he_calls_it
    found = lambda file: TriedOut((plotted("F"),), (), faults(file))  # noqa: E731
    assert wrong() == as_he_calls_it
    found = TriedOut((), (), ())
    assert wrong() == [("not-moved", "move your ships' or shuttles' counters first: none was moved in it", "mine.vsav")]
    found = TriedOut((plotted(remarks=("it only turned",)), plotted(unit="KF/1", remarks=("lost",))), (), ())
    assert wrong() == [("not-moved", "Destruction: it only turned; KF/1: lost", "mine.vsav")] and not written
    found = TriedOut((plotted("F", remarks=("slow",)), plotted(unit="KF/1")), ("KF/2",), ())
    said = ("Destruction: slow", "Nothing was read for KF/2: its counter is not on the map.")
    assert replotted() == ("orders", said) and written == [("klingon", {"Destruction": ("F",)}, "text")]


@pytest.mark.parametrize(
    ("records", "orders", "named"),
    [
        ({"01": (), "x1": (), "x2": ()}, {}, "x1"),
        ({}, {"01/orders/a.r1.orders": None, "a": None, "b": None}, "a"),
        ({"../01": ()}, {"b": None}, "../01"),
        ({"1": ()}, {}, "1"),
        ({"0001": ()}, {}, "0001"),
        ({}, {"01/orders/x/a.orders": None}, "01/orders/x/a.orders"),
        ({}, {"01/orders/" + "a" * 90 + ".txt": None}, ("01/orders/" + "a" * 90)[:80]),
    ],
)
def test_of_an_act_that_was_tampered_with_the_first_wrong_name_is_told(
    game: GameFolder, records: dict[str, Any], orders: dict[str, Any], named: str
) -> None:
    before = len(game.records())
    turns: Any = records
    changed = act.Transaction(format=1, what="undo", after=before, records=turns, orders=orders)
    (game.path / act.UNFINISHED).write_bytes(json.encode(changed))
    with pytest.raises(GameError) as error:
        act.finish(game.path)
    (fault,) = error.value.faults
    assert (fault.code, fault.file) == ("act-damaged", str(game.path / act.UNFINISHED))
    assert fault.text == f"{named!r} is not a file that belongs to a game" and (game.path / act.UNFINISHED).exists()
