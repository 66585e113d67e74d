"""What was agreed about a game: its terms, names, periods, and what is wrong with a game.toml."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pbem.engine.options import AutoBreak, Options
from pbem.errors import GameError
from pbem.games.storage.terms import DiceTerms, SideTerms, Terms, read_terms, terms_text, verify_name, verify_options

A, B, C, D, E = ("abcde"[n] * 64 for n in range(5))


def test_the_terms_of_a_game_are_read_as_they_are_written() -> None:
    terms = Terms(
        format=1, name="duel-1", scenario="5",
        sides={"b": SideTerms(player='Ann "A" <a@b>', team="red"), "a side": SideTerms()},
        options=Options(autobreaks=(AutoBreak(when="RANGE ENEMY <= 3", side="b"),), fractional=True, period="8"),
        dice=DiceTerms(scheme=2, commitment=A, length=100, salts=B, beacon="drand"),
        ships={"Z": "z_ship", "A": "a_ship"}, units=("x", "y"),
    )  # fmt: skip
    text = terms_text(terms)
    assert read_terms(text.encode(), "t") == terms
    assert text.split("\n")[2:] == [
        "format = 1", 'name = "duel-1"', 'scenario = "5"',
        f'grid = "{terms.grid}"  # which columns lie half a hex lower',
        'units = ["x", "y"]  # optional units that take part', "", '[sides."a side"]', 'player = ""', "", "[sides.b]",
        'player = "Ann \\"A\\" <a@b>"', 'team = "red"', "", "[ships]", 'A = "a_ship"', 'Z = "z_ship"', "", "[options]",
        *text.split("[options]\n")[1].partition("\n\n[dice]")[0].split("\n"), "", "[dice]", "scheme = 2",
        f'commitment = "{A}"', "length = 100", f'salts = "{B}"', 'beacon = "drand"', "",
    ]  # fmt: skip
    old = replace(terms, dice=DiceTerms(scheme=1, commitment=A, length=100), ships={}, begun="0.2")
    assert terms_text(old).endswith(f'[dice]\nscheme = 1\ncommitment = "{A}"\nlength = 100\n')
    assert 'begun = "0.2"  # the version of pbem that made this game' in terms_text(old).split("\n")


def test_names_and_periods_that_can_be_and_those_that_cannot() -> None:
    for name, right in (("a" * 40, True), ("a" * 41, False), ("1-_x", True), ("-x", False), ("_x", False), ("", False)):
        try:
            verify_name(name, "f")
            found = True
        except GameError as error:
            found = False
            assert [(fault.code, fault.file) for fault in error.faults] == [("game-name", "f")]
        assert found is right, name
    with pytest.raises(GameError) as wrong:
        verify_name("x " * 40)
    assert wrong.value.faults[0].text.startswith(repr(("x " * 40)[:59] + "…"))
    periods = ("", "turn", "half", "1", "32", "33", "0", "-1", "1.5", "month", "\u0663")
    allowed_ones = []
    for period in periods:
        try:
            verify_options(Options(period=period))
            allowed_ones.append(period)
        except GameError:
            pass
    assert allowed_ones == ["", "turn", "half", "1", "32"]


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("format = 1\n", "", "format", "the line `format = 1` is missing here; restore it from a copy"),
        ("format = 1", "format = 2", "format", "this game has format 2; this version reads format 1"),
        ("[options]", "[options", "not-toml", "this file is not valid TOML"),
        ('name = "duel"', 'name = "-"', "game-name", "'-' cannot be a game's name"),
        ('period = ""', 'period = "x"', "option", "period must be turn, half or 1 to 32 impulses, not 'x'"),
        ("length = 9", 'length = 9\nbeacon = "moon"', "option", "beacon must be drand or none, not 'moon'"),
        ("autobreaks = []", 'autobreaks = [{ when = "x", for = "all" }]', "option", "autobreaks, 'x': "),
    ],
)
def test_what_is_wrong_with_a_game_toml(old: str, new: str, code: str, said: str) -> None:
    dice_of = DiceTerms(scheme=1, commitment=A, length=9)
    text = terms_text(
        Terms(
            format=1, name="duel", scenario="5", sides={"a": SideTerms()}, dice=dice_of, options=Options(autobreaks=())
        )
    )
    assert old in text
    with pytest.raises(GameError) as wrong:
        read_terms(text.replace(old, new).encode(), "game.toml")
    (fault,) = wrong.value.faults
    assert (fault.code, fault.file) == (code, "game.toml") and fault.text.startswith(said)
    for data, begins in ((b"", "this file is empty; restore it"), (b"\xff", "this file is not UTF-8 text")):
        with pytest.raises(GameError, match=begins):
            read_terms(data, "game.toml")
