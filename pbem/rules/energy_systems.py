"""Lines of the energy form that only the Standard game uses: tactical maneuvers and lines 17 to 19 (B3.0).

Each function works out one entry. What it costs is a dict of points by source, ``""`` where the engine may pick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.data import charts
from pbem.faults import NotAllowed
from pbem.rules import cloak, probes, suicide_shuttles, tactical, tractors, transporters
from pbem.rules.energy_terms import Entry, Points, ShipFacts, Systems, as_text, plain, points_of, said, total_of
from pbem.values.energy_form import ENTRIES
from pbem.values.words import Fuse, Purpose

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Powered(NamedTuple):
    """What an entry does: points by source, and the systems it readies; ``text`` is the order in normal form."""

    parts: dict[str, Points]
    ready: Systems
    text: str = ""


def power(entry: Entry, facts: ShipFacts) -> Powered:
    """Work out an entry of :data:`SYSTEMS`. Raises :class:`NotAllowed` with the system's own codes, and ``not-whole``.

    ``no-such-box`` where the SSD has no such beam, launcher or shuttle box left.
    """
    found = SYSTEMS[entry.item.split()[0]](entry, facts)
    return found if found.text else found._replace(text=entry.item + " {sources}")


def lettered(item: str) -> str:
    """``TRACTOR 2`` as ``TRACTOR B``: beams, probe launchers and shuttles may be named by number, too."""
    word, _, number = item.partition(" ")
    if word in ENTRIES and ENTRIES[word].names == "letter" and number.isdecimal() and 1 <= int(number) <= len(LETTERS):
        return f"{word} {LETTERS[int(number) - 1]}"
    return item


def _whole(entry: Entry, rule: str) -> int:
    """The points of an entry, which must be whole."""
    total = total_of(entry)
    if total.denominator != 1:
        raise NotAllowed("not-whole", f"{said(entry)}: only whole points can be spent here", rule)
    return int(total)


def _tac(entry: Entry, facts: ShipFacts) -> Powered:
    """``TAC 3``: warp maneuvers, by their number; ``TAC 1 IMPULSE`` a sublight one; ``TAC 3 + 1 IMPULSE`` both (C5.3).

    A warp maneuver costs as much warp power as a hex (C5.22), a sublight one its point of impulse power (C5.12).
    """
    _whole(entry, "C5.0")
    asked, chart = points_of(entry), charts.maneuvers()
    if bad := [source for source in ("APR", "BATTERY") if asked.get(source)]:
        raise NotAllowed("movement-source", f"{bad[0]} power makes no tactical maneuver; warp and impulse do", "C5.0")
    warp = int(asked.get("", 0) + asked.get("WARP", 0))
    sublight, rest = divmod(int(asked.get("IMPULSE", 0)), chart.sublight_energy)
    if rest:
        raise NotAllowed("tac-amount", f"a sublight maneuver costs {chart.sublight_energy} of impulse power", "C5.12")
    tactical.verify_paid(warp=warp, sublight=sublight, hexes=0)
    cost = plain(tactical.warp_energy(warp, facts.hex_cost, facts.fractional))
    parts: dict[str, Points] = {"WARP": cost, "IMPULSE": sublight * chart.sublight_energy}
    bought = [str(warp)] if warp else []
    bought += [f"{parts['IMPULSE']} IMPULSE"] if sublight else []
    return Powered(parts, Systems(tactical=warp, sublight=bool(sublight)), "TAC " + " + ".join(bought))


def _tractor(entry: Entry, facts: ShipFacts) -> Powered:
    """``TRACTOR A``: one beam for this turn (G7.15)."""
    letter, cost = _letter(entry, facts, "tractor", "tractor beam", "G7.15"), tractors.energy_for(1)
    points = _whole(entry, "G7.15") if entry.parts else cost
    if points not in (0, cost):
        raise NotAllowed("tractor-amount", f"a tractor beam takes {cost} point, not {points}", "G7.15")
    return Powered(points_of(entry) if entry.parts else {"": cost}, Systems(tractors=(letter,) if points else ()))


def _transporters(entry: Entry, facts: ShipFacts) -> Powered:
    """``TRANSPORTERS 1``: energy for as many as it operates (G8.13); in fifths with fractional accounting."""
    total = total_of(entry)
    if not facts.fractional:
        _whole(entry, "G8.13")
    elif (total * charts.transporters().per_energy).denominator != 1:
        each = as_text(transporters.energy_for(1, fractional=True))
        raise NotAllowed("not-whole", f"{said(entry)}: each takes {each} of a point", "G8.13")
    working = facts.box("tran")
    if working is None:
        working = int(total * charts.transporters().per_energy)
    most = transporters.energy_for(working, facts.fractional)
    if total > most:
        text = f"{said(entry)}: {as_text(most)} operates all {working} transporters of the ship"
        raise NotAllowed("transporters-too-much", text, "G8.13")
    works = transporters.operated(total, working, facts.fractional)
    return Powered(points_of(entry), Systems(transporters=works))


def _cloak(entry: Entry, facts: ShipFacts) -> Powered:
    """``CLOAK 6``: the whole cost of the device, or nothing (G13.32C, G13.0)."""
    points = _whole(entry, "G13.32")
    cloak.verify_cloak_energy(facts.cloak, points)
    return Powered(points_of(entry), Systems(cloak=bool(points)))


def _probe(entry: Entry, facts: ShipFacts) -> Powered:
    """``PROBE A 1``: a turn of arming as an instrument; twice that of warp power arms it as a weapon (G5.2, G5.32)."""
    letter, points = _letter(entry, facts, "probe", "probe launcher", "G5.12"), _whole(entry, "G5.2")
    before = facts.probes.get(letter, probes.EMPTY)
    weapon = points in probes.arming_energy(Purpose.WEAPON)
    purpose = Purpose.WEAPON if weapon else Purpose.INFORMATION
    sources = {source for source, _ in entry.parts}
    left = facts.probes_left.get(letter, charts.probes().carried)
    after = probes.arm(before, purpose, points, left=left, warp=sources <= {"", "WARP"})
    parts: dict[str, Points] = {"WARP": points} if weapon else points_of(entry)
    return Powered(parts, Systems(probes={letter: after}))


def _suicide(entry: Entry, facts: ShipFacts) -> Powered:
    """``SUICIDE A 3 WARP``: a turn of arming with warp power, or of holding (J2.221)."""
    letter, points = _shuttle(entry, facts), _whole(entry, "J2.221")
    before = facts.bombs.get(letter, suicide_shuttles.NOT_ARMED)
    holding = before.state == Fuse.ARMED
    sources = {source for source, _ in entry.parts}
    after = suicide_shuttles.arm(before, points, suicide_level(facts), warp=sources <= {"", "WARP"})
    parts: dict[str, Points] = points_of(entry) if holding else {"WARP": points}
    return Powered(parts, Systems(bombs={letter: after}))


def _shuttle(entry: Entry, facts: ShipFacts) -> str:
    """The letter of a shuttle that is aboard."""
    letter = lettered(entry.item).partition(" ")[2]
    if letter not in facts.hangar:
        aboard = f"aboard: {', '.join(facts.hangar)}" if facts.hangar else "none is aboard that could be used"
        raise NotAllowed("no-shuttle", f"there is no shuttle {letter or '(no letter)'} to arm; {aboard}", "J2.221")
    return letter


def suicide_level(facts: ShipFacts) -> str:
    """The level by which a ship's suicide shuttles are armed: that of Cadet ships where it is not a standard one."""
    return facts.level if facts.level in charts.shuttles().suicide else "cadet"


def _letter(entry: Entry, facts: ShipFacts, system: str, called: str, rule: str) -> str:
    """The letter of a box, checked against the boxes left."""
    word = lettered(entry.item).partition(" ")[2]
    has = facts.box(system)
    if word not in tuple(LETTERS[:has]):
        what = "has none left" if has == 0 else f"has {LETTERS[0]} to {LETTERS[(has or len(LETTERS)) - 1]}"
        raise NotAllowed("no-such-box", f"there is no {called} {word or '(no letter)'}; the ship {what}", rule)
    return word


SYSTEMS: dict[str, Callable[[Entry, ShipFacts], Powered]] = {
    "TAC": _tac,
    "TRACTOR": _tractor,
    "TRANSPORTERS": _transporters,
    "CLOAK": _cloak,
    "PROBE": _probe,
    "SUICIDE": _suicide,
}
"""What works out each entry of a system, by its first word (:data:`pbem.values.energy_form.ENTRIES`)."""
