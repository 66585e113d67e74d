"""What must hold whatever anybody orders: each invariant a function with the rule it comes from.

An invariant looks at one :class:`~pbem.lab.random_games.walk.Walk` through a stretch of play and tells every breach in
a sentence.
Those about a whole game remember what they saw before; :class:`Watch` holds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pbem.lab.random_games import places, scoring, stores
from pbem.lab.random_games.games import Opening, Stretch
from pbem.lab.random_games.telling import Knowledge
from pbem.lab.random_games.walk import Walk

Invariant = Callable[[Walk], Iterator[str]]

EACH_STRETCH: Sequence[Invariant] = (
    scoring.volleys_are_what_struck,
    scoring.every_point_goes_somewhere,
    scoring.shields_stop_what_they_have,
    scoring.every_internal_point_destroys_a_box,
    scoring.damage_is_counted,
    scoring.nobody_fires_who_cannot,
    stores.energy_is_never_created,
    stores.stores_fit_their_boxes,
    stores.boxes_are_those_of_the_ssd,
    stores.ammunition_is_never_negative,
    stores.people_are_conserved,
    stores.shuttles_are_aboard_or_launched,
    stores.systems_do_what_is_paid_for,
    stores.what_is_learnt_is_not_forgotten,
    places.every_unit_is_in_one_place,
    places.the_gone_stay_gone,
    places.beams_hold_what_they_may,
    places.ships_change_hands_by_capture,
    places.the_state_is_the_fold_of_the_log,
)
"""Invariants that need only the stretch."""


class Watch:
    """Invariants over a whole game: begin with its opening, then show it every stretch."""

    def __init__(self, opening: Opening) -> None:
        self.knowledge, self.guns = Knowledge(opening), scoring.Guns()

    def look(self, stretch: Stretch) -> Iterator[str]:
        """Everything that broke in this stretch, each with the name of its invariant."""
        walk = Walk(stretch)
        self.knowledge.learn(walk)
        yield from told("weapons_fire_once_a_turn", self.guns.look(walk))
        for knows in (
            self.knowledge.only_its_side_is_told,
            self.knowledge.secrets_stay_secret,
            self.knowledge.what_is_public_is_known,
        ):
            yield from told(knows.__name__, knows(walk))
        for each in EACH_STRETCH:
            yield from told(each.__name__, each(walk))


def told(invariant: str, breaches: Iterator[str]) -> Iterator[str]:
    """Breaches with the name of what they broke."""
    return (f"{invariant}: {breach}" for breach in breaches)
