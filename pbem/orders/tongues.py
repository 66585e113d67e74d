"""Words of the energy form in other languages: whoever thinks in his own writes ``Geschwindigkeit 8`` once, and is
shown the word that the orders have for it. Nothing is read by these words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from pbem.orders.lexer import Token
from pbem.orders.vocabulary import keyword

_WORDS: Final[dict[str, str]] = {
    "SPEED": "geschwindigkeit tempo fahrt vitesse velocidad velocita velocidade snelheid hastighet hastighed fart"
    " predkosc rychlost",
    "MOVE": "bewegung mouvement movimiento movimento beweging rorelse bevegelse ruch",
    "PHASERS": "phasern phaseur phaseurs faser fasers faseres faseri fazer fazery",
    "PHOT": "photonen photonentorpedo photonentorpedos photonentorpedoes torpedos torpille torpilles siluro siluri"
    " fotonen fotones fotoni torpeda torpedy",
    "DISR": "disruptoren disrupteur disrupteurs disruptores disruptori",
    "SHIELDS": "schilde boucliers escudos scudi schilden skoldar skjolde tarcze oslony",
    "SHIELD": "schild bouclier escudo scudo skold skjold tarcza",
    "LIFE": "lebenserhaltung lebenserhaltungssystem survie vital vitale levensondersteuning",
    "FC": "feuerleitung feuerkontrolle tir fuego fuoco fogo vuurleiding eldledning",
    "REINFORCE": "verstarkung verstaerkung verstarken verstaerken renfort renforcer refuerzo reforzar rinforzo"
    " rinforzare reforco versterking versterken forstarkning forsterkning wzmocnienie",
    "GENERAL": "allgemein allgemeine generale geral algemeen algemene allman",
    "RECHARGE": "laden aufladen nachladen recharger recargar ricarica ricaricare opladen ladda",
    "BATTERIES": "batterien batterie baterias batterijen batterier",
    "REPAIR": "reparatur reparieren schadenskontrolle reparation reparer reparacion reparar riparazione riparare"
    " herstel herstellen",
    "TRACTOR": "traktor traktorstrahl tracteur rayon trattore trekstraal",
    "TRANSPORTERS": "transporteur transporteurs teleporteur transportador transportadores teletrasporto",
    "PROBE": "sonde sonda sond",
    "CLOAK": "tarnung tarnen occultation camuflaje occultamento camuflagem",
    "SUICIDE": "kamikaze selbstmord",
    "HOLD": "halten tenir mantener mantenere",
    "OVERLOAD": "uberladen ueberladen uberladung ueberladung surcharge sobrecarga sovraccarico overbelasten",
}  # fmt: skip
"""What an entry can be named by."""
_SMALL: Final[dict[str, str]] = {
    "EACH": "je jeweils chacun chacune chaque cada ciascuno elk vardera",
    "WITH": "mit avec con met med com",
    "POINTS": "punkt punkte punkten puntos punti punten pontos poang energie energia der die das den de del di du fur"
    " fuer pour para per voor kontrolle controle controllo controlo conduite soporte supporto suporte",
}  # fmt: skip
"""What stands around that; ``POINTS`` says nothing in an entry."""


@cache
def _known() -> dict[str, str]:
    return {word: english for english, words in (*_WORDS.items(), *_SMALL.items()) for word in words.split()}


def _english(word: str) -> str:
    """The word of the orders for one of another language, however its accents are written; ``""`` for any other."""
    bare = unicodedata.normalize("NFKD", word.casefold())
    return _known().get("".join(one for one in bare if not unicodedata.combining(one)), "")


def name_of(word: str) -> str:
    """The name of an entry in the words of the orders, for that in another language; ``""`` for anything else."""
    english = _english(word)
    return english if english in _WORDS else ""


def in_english(tokens: Sequence[Token]) -> list[Token]:
    """The words with those of other languages in that of the orders."""
    return [
        token._replace(text=english, key=keyword(english))
        if token.kind == "word" and not token.key and (english := _english(token.text))
        else token
        for token in tokens
    ]
