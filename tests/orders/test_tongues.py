"""Entries of the energy form in other languages: the answer shows the word of the orders, and mends the line."""

from __future__ import annotations

import pytest

from pbem.orders import suggestions, vocabulary as words
from pbem.orders.reader import read_orders

MENDED = [
    ("Geschwindigkeit 8", "SPEED 8"),
    ("Tempo: 8", "SPEED 8"),
    ("Vitesse 8", "SPEED 8"),
    ("VELOCIDAD 8", "SPEED 8"),
    ("Schilde 1", "SHIELDS 1"),
    ("Boucliers 1", "SHIELDS 1"),
    ("Lebenserhaltung 1", "LIFE SUPPORT 1"),
    ("support vital 1", "LIFE SUPPORT 1"),
    ("Feuerleitung 1", "FIRE CONTROL 1"),
    ("Conduite de tir 1", "FIRE CONTROL 1"),
    ("Photonentorpedo A 2 Warp", "PHOT A 2 WARP"),
    ("Torpedos A,B 2 EACH", "PHOT A,B 2 EACH"),
    ("Disruptoren A,B je 2", "DISR A, B 2 EACH"),
    ("Verstärkung Schild 1 mit 3", "REINFORCE #1 WITH 3"),
    ("Schild 1 verstärken mit 3", "REINFORCE #1 WITH 3"),
    ("Schild 1 versta\u0308rken mit 3 Punkten", "REINFORCE #1 WITH 3"),
    ("allgemeine Verstärkung 2", "GENERAL 2"),
    ("Batterien laden 2", "RECHARGE 2"),
    ("Schadenskontrolle #1 mit 2", "REPAIR #1 WITH 2"),
    ("Traktorstrahl A 2", "TRACTOR A 2"),
]


@pytest.mark.parametrize(("typed", "mended"), MENDED)
def test_an_entry_in_another_language_is_mended(typed: str, mended: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\nENERGY\n  {typed}\n", header=False).faults
    assert fault.fits.strip().replace(", ", ",") == mended.replace(", ", ",")
    assert not read_orders(f"SHIP Ark\nENERGY\n{fault.fits}\n", header=False).faults


@pytest.mark.parametrize("typed", ["Geschwindigkeit 8 Phaser 3", "Velocidad 8, Escudos 1", "Tarnung"])
def test_where_it_cannot_be_mended_the_word_is_told(typed: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\nENERGY\n  {typed}\n", header=False).faults
    assert not fault.fits and fault.text.endswith(" in orders")
    assert f"; {typed.split()[0]} is " in fault.text


def test_no_word_of_the_orders_is_taken_for_one_of_another_language() -> None:
    foreign = {
        word.upper() for said in (suggestions._WORDS, suggestions._SMALL) for ws in said.values() for word in ws.split()
    }
    assert not foreign & {*words.KEYWORDS, *words.ENERGY_ITEMS}
    assert all(
        suggestions.name_of(word.lower()) in ("", english)
        for english, said in suggestions._WORDS.items()
        for word in said.split()
    )
