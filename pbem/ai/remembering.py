"""Looks ahead that go the same way for a while go it once: what one decision has played and written already."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from pbem.ai.scripted import captains
from pbem.data.scenarios import Scenario
from pbem.engine.dice import Dice
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import State

replace = msgspec.structs.replace

ALL = -1
"""Stands for every look where no die was rolled."""


class SpreadDice:
    """Dice of one of several looks ahead: whatever one of them rolls high, another rolls low, so that a few looks say
    what many would. Each of them alone is as fair as the dice it is made of. ``rolled`` counts what was asked of them.
    """

    def __init__(self, dice: Dice, look: int, looks: int) -> None:
        self.dice, self.pair, self.opposite, self.pairs = dice, look // 2, look % 2, (looks + 1) // 2
        self.look, self.rolled = look, 0

    def roll(self, label: str, sides: int = 6) -> int:
        self.rolled += 1
        face = (self.dice.roll(label, sides) - 1 + self.pair * sides // self.pairs) % sides
        return sides - face if self.opposite else face + 1


class Memory:
    """Stretches of play by where they begin, what was ordered and which dice fell; orders by state, side and doctrine.

    Plans that differ in nothing but when to fire pay for the same energy, and until somebody fires they are one.
    States are told apart by identity here, and all of them are kept as long as the memory is.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._segments: dict[tuple[int, tuple[tuple[str, str], ...], int], State] = {}
        self._texts: dict[tuple[int, str, str], str] = {}
        self._turns: dict[bytes, State] = {}
        self._kept: dict[int, State] = {}
        self._encoder = msgspec.msgpack.Encoder(order="deterministic")

    def __len__(self) -> int:
        """So many stretches were played."""
        return len(self._segments)

    def text(self, state: State, side: str, doctrine: str, write: Callable[[], str]) -> str:
        """A side's orders by a doctrine in a state this memory has, written the first time."""
        key = self._name(state), side, doctrine
        if key not in self._texts:
            self._texts[key] = write()
        return self._texts[key]

    def played(self, state: State, texts: Mapping[str, str], dice: SpreadDice) -> State:
        """The state at the next request. Raises what :func:`resolve` does."""
        answers, begins = tuple(sorted(texts.items())), self._name(state)
        for look in (dice.look, ALL):
            known = self._segments.get((begins, answers, look))
            if known is not None:
                return known
        before = dice.rolled
        filed = {side: Filed(text=text) for side, text in answers}
        after = self._same(resolve(state, self.scenario, filed, dice, robots=captains(self.scenario)).state)
        self._segments[begins, answers, dice.look if dice.rolled > before else ALL] = after
        return after

    def _name(self, state: State) -> int:
        """What a state is called here; it is kept, so that no other is ever called so."""
        return id(self._kept.setdefault(id(state), state))

    def _same(self, state: State) -> State:
        """The state itself, or one that nothing to come tells from it: as a turn begins, the orders in force of who is
        asked are those of the turn before.
        """
        request = state.request
        if request is None or request.impulse:
            return state
        standing = {side: its for side, its in state.standing.items() if side not in request.sides}
        mark = self._encoder.encode(replace(state, standing=standing, records=0))
        return self._turns.setdefault(mark, state)
