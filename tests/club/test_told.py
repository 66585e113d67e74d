"""Tournaments, ladders and rehearsals in words, whole."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pbem.club import words as told
from pbem.club.ladder import Rung
from pbem.club.rehearsed import Policy, RehearsalWeek, Rehearsed, Spread
from pbem.club.tournament import next_round
from pbem.mail.people import Person, Roll
from tests.club.test_pairing import ended, played, replace, tournament

NAMES = ("Ann", "Kor", "Kang", "Decker", "Mara")
WHO = Roll(people={f"p{n:02}": Person(mail=f"p{n}@example.org", name=name) for n, name in enumerate(NAMES)})


def test_what_people_are_told_of_a_tournament(as_kept: Callable[[str, str], None]) -> None:
    """The letters of two rounds and of the end, and what the command shows before the first."""
    one = tournament("swiss", 5, rounds=3, title="Spring cup", scenarios=["5", "7"])
    texts = [f"Subject: before it\n\n{told.letter(one, 'p00', WHO).text}\n"]
    rng = Random(4)
    for number in (1, 2):
        one = replace(one, rounds=(*one.rounds, next_round(one)))
        resting = next(met.people[0] for met in one.rounds[-1].pairings if len(met.people) == 1)
        for person in sorted({"p00", resting}):
            texts.append(f"Subject: Spring cup: round {number}\n\n{told.letter(one, person, WHO).text}\n")
        one = replace(one, rounds=(*one.rounds[:-1], ended(one.rounds[-1], rng)))
    one = played(one, rng)
    texts.append(f"Subject: Spring cup: the end\n\n{told.letter(one, 'p00', WHO).text}\n")
    out = replace(tournament("knock-out", 3), plan=replace(tournament("knock-out", 3).plan, out=("p01",)))
    out = replace(out, rounds=(next_round(out),))
    texts.append("Subject: who is out\n\n" + "\n".join(told.tournament(out, WHO)) + "\n")
    as_kept("told.txt", "========\n".join(texts))


def test_a_ladder_and_a_rehearsal_in_words(as_kept: Callable[[str, str], None]) -> None:
    one = Rung(
        place=1, person="p01", points=5.25, skill=28.0, doubt=7.6, games=3, won=2, drawn=1, lost=0, rank="Captain"
    )
    rungs = [one, replace(one, place=2, person="zoe", points=-1.8, won=0, rank="")]
    lines = [*told.rungs(rungs, WHO), "", *told.rungs([replace(rung, rank="") for rung in rungs], WHO), ""]
    found = Rehearsed(
        days=14, seed="1", people=5, vanished=("kor",), games=4, begun=2, over=1, stuck=("duel01",), turns=9,
        per_turn=Spread(count=9, median=2.5, worst=6.25), waited=Spread(), letters=40, late=3, erred=2, reminders=7,
        stopped=1, policies={"wait": Policy(games=3, late=2, days=9.5, worst=8.0), "hold": Policy(games=1, filed=1)},
        mails={"receipt": 38, "sitrep": 36}, umpire={"the umpire is needed: a game": 9}, troubles={"a game waits": 2},
        weeks=(
            RehearsalWeek(going=3, turns=5, late=2, waited=1.5, mails=40, umpire=4),
            RehearsalWeek(going=3, turns=4, over=1),
        ),
        events=((2, "kor stops answering"), *((5, f"g{n} begins") for n in range(61))),
        tournaments=("Spring cup: a Swiss of 5, not begun",), left_out=("beacon01",),
    )  # fmt: skip
    as_kept("figures.txt", "\n".join([*lines, *told.rehearsed(found), ""]))
