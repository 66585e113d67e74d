"""Who pays for the energy form: what an entry takes from which engine, reactor or battery (B3.0, lines 1 to 5, 20)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.data.energy_form import SOURCE_WORDS
from pbem.rules.energy_terms import SOURCES, Entry, Plant, Points, as_text, plain

RECHARGING = 16
"""The line that batteries cannot pay for."""

Refuse = Callable[[Entry | None, str, str, str], None]
"""Notes a fault: entry, code, sentence, rule."""


class Charge:
    """Points the form spends: on which line, on what, and where they come from.

    ``asked`` are the points by source, ``""`` where the engine may pick; ``paid`` the same once it has
    picked. ``text`` is the order in normal form, with ``{sources}`` or ``{amount}`` to be filled in;
    ``picked`` says that the player left a source to the engine.
    """

    def __init__(self, number: int, label: str, asked: dict[str, Points], entry: Entry | None, text: str) -> None:
        self.number, self.label, self.entry, self.text = number, label, entry, text
        self.asked = asked
        self.paid: dict[str, Points] = {}
        self.picked = any(points and source in ("", "BATTERY") for source, points in asked.items())

    @property
    def amount(self) -> Points:
        return plain(sum(self.asked.values()))

    @property
    def sources(self) -> str:
        """``11 WARP + 1 IMPULSE``; the bare amount while nothing is paid."""
        return self._listed(dict(zip(SOURCE_WORDS, SOURCE_WORDS, strict=True)))

    @property
    def told_sources(self) -> str:
        """The same as a form shows it: ``11 warp + 1 impulse``."""
        return self._listed(SOURCE_WORDS)

    def _listed(self, words: Mapping[str, str]) -> str:
        listed = [f"{as_text(self.paid[source])} {words[source]}" for source in words if source in self.paid]
        return " + ".join(listed) or as_text(self.amount)

    @property
    def order(self) -> str:
        """As the player could have written it."""
        return self.text.format(sources=self.sources, amount=as_text(self.amount))

    def take(self, source: str, due: Points, left: dict[str, Points]) -> Points:
        """Pay as much of ``due`` as the source still has; returns what is still due."""
        taken = min(due, left[source])
        if taken:
            self.paid[source] = plain(self.paid.get(source, 0) + taken)
            left[source] = plain(left[source] - taken)
        return plain(due - taken)


def bound(charges: Sequence[Charge], source: str) -> Points:
    """Points that are to come from one source."""
    return plain(sum(charge.asked.get(source, 0) for charge in charges))


def pay(charges: Sequence[Charge], plant: Plant, refuse: Refuse) -> Points:
    """Settle every charge and note what cannot be paid. Returns the batteries discharged (line 21).

    What names its engine comes first; recharging before the rest, since it cannot come from batteries; what
    names a battery last, since batteries are discharged only by what exceeds line 4.
    """
    left: dict[str, Points] = {"APR": plant.apr, "IMPULSE": plant.impulse, "WARP": plant.warp, "BATTERY": plant.stored}
    short = False
    for source in ("WARP", "IMPULSE", "APR"):
        has = left[source]
        for charge in charges:
            if charge.take(source, charge.asked.get(source, 0), left):
                line = {"WARP": 1, "IMPULSE": 2, "APR": 3}[source]
                each = [f"{one.label} {as_text(one.asked[source])}" for one in charges if one.asked.get(source)]
                on = f": {', '.join(each)}" if len(each) > 1 else ""
                text = (
                    f"{as_text(bound(charges, source))} points of {source} power are spent, the ship has {has} "
                    f"(line {line} of the form){on}"
                )
                refuse(charge.entry, "warp-overspent" if source == "WARP" else "energy-overspent", text, "B3.0")
                short = True
                break
    rest = sorted(charges, key=lambda charge: (charge.number != RECHARGING, bool(charge.asked.get("BATTERY"))))
    for charge in rest:
        due = charge.asked.get("", 0) + charge.asked.get("BATTERY", 0)
        for source in SOURCES[:3] if charge.number == RECHARGING else SOURCES:
            due = charge.take(source, due, left)
        if due and not short:
            refuse(
                _written(charge, charges), "energy-overspent", _overspent(charges, plant, charge, due), "B3.0, line 20"
            )
            short = True
    return plain(plant.stored - left["BATTERY"])


def _written(charge: Charge, charges: Sequence[Charge]) -> Entry | None:
    """The entry a charge comes from, or, of what is paid without being written, the last entry that is."""
    entries = [each.entry for each in charges if each.entry is not None]
    return charge.entry or max(entries, key=lambda entry: (entry.line, entry.column), default=None)


def _unwritten(charges: Sequence[Charge]) -> str:
    """The charges that nobody wrote, and how to leave them unpaid."""
    names = [charge.label for charge in charges if charge.entry is None and charge.amount]
    if not names:
        return ""
    listed = ", ".join(f"{name} 0" for name in names)
    return f"; {', '.join(names)} {'are' if len(names) > 1 else 'is'} paid unless the form says otherwise: {listed}"


def _overspent(charges: Sequence[Charge], plant: Plant, charge: Charge, due: Points) -> str:
    used = sum(each.amount for each in charges)
    if used > plant.total + plant.stored:
        return (
            f"{as_text(used)} points are spent; the ship has {plant.total} and {as_text(plant.stored)} in batteries "
            f"(lines 20, 4 and 5 of the form){_unwritten(charges)}"
        )
    return f"{charge.label} lacks {as_text(due)} of {as_text(charge.amount)} points: what may pay for it is used up"
