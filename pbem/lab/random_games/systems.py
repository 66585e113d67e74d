"""Random use of whatever a ship has beside its weapons: some of what is offered, dressed with moments and conditions.

What a captain does depends on what the scenario is about, so that freighters are boarded (#8), survivors fetched (#9)
and monsters studied (#11) now and then, and not only legal orders given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pbem.engine.legal.acts import IT, LEAVING, Act, acts_of, worth_holding
from pbem.engine.victory import law
from pbem.lab.random_games.vocabulary import Speaker
from pbem.orders.writer import name_text

REACH = 5
"""Hexes that transporters reach (G8.14), and from which it is worth while to send shuttles."""

RATES = {
    "Cloak": 0.7, "Tractor beams": 0.6, "Transporters": 0.6, "Shields": 0.08, "Probes": 0.8, "Reserve power": 2,
}  # fmt: skip
USUAL = 0.5
"""How often a captain does anything of a kind, and of one not named here; he leaves the battle by his temper."""

HANDFUL = 6
"""So many offers of a kind he thinks of, and as many more that have to do with what the scenario is about."""


def prey(say: Speaker) -> list[str]:
    """What a ship is after beyond its enemies: freighters that are to be taken, a planet's people, a monster."""
    return law(say.scenario).prey(say.state, say.ship)


def some_systems(say: Speaker) -> Iterator[str]:
    """Orders for the systems of a ship, of which the check takes each."""
    wanted = {*prey(say), *(unit.name for unit in worth_holding(say.state, say.ship))}
    kinds: dict[str, list[Act]] = {}
    for act in acts_of(say.state, say.scenario, say.ship):
        if act.kind != LEAVING:
            kinds.setdefault(act.kind, []).append(act)
    some = [
        act
        for acts in kinds.values()
        for act in (*say.handful([one for one in acts if one.names in wanted], HANDFUL), *say.handful(acts, HANDFUL))
    ]
    lines = {_dressed(say, act, act.names in wanted): act for act in some}
    legal = say.legal(lines)
    count = Counter(lines[line].kind for line in legal)
    for line in legal:
        kind = lines[line].kind
        if say.chance(RATES.get(kind, USUAL) * 2 / (1 + count[kind])):
            yield line


def _dressed(say: Speaker, act: Act, wanted: bool) -> str:
    """An order with reserve power, a moment, a condition, or none of them."""
    text = act.text
    if text.startswith(("TRACTOR", "TRANSPORT", "LOWER SHIELD TO")) and say.state.options.reinforcement:
        text += " WITH RESERVE" if act.kind != "Shields" and say.chance(0.4) else ""
    if IT in text.split():
        return f"EVERY IF {say.one('DRONE', 'ENEMY SHUTTLE')} WITHIN 1 THEN {text}"
    if text.startswith(("RESERVE", "GUIDE", "RECOVER")):
        return text + (say.one("", " IF INTERNALS > 0") if text.startswith("RESERVE") else "")
    if text.startswith("TRACTOR") and wanted:
        return text
    if act.names and (wanted or say.chance(0.3)):
        near = f"IF RANGE {name_text(act.names)} <= {say.rng.randint(0, REACH)} THEN " if say.chance(0.5) else ""
        return near + text
    return say.when(text, target=bool(act.names))
