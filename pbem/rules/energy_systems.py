"""Lines of the energy form that only the Standard game uses: tactical maneuvers and lines 17 to 19 (B3.0).

Each function works out one entry. What it costs is a dict of points by source, ``""`` where the engine may pick.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.data import charts
from pbem.data.words import Fuse, Purpose
from pbem.errors import NotAllowed
from pbem.rules import cloak, probes, suicide_shuttles, tactical, tractors, transporters
from pbem.rules.energy_terms import (
    Entry,
    Points,
    Powered as Powered,
    ShipFacts,
    Systems,
    as_text,
    letter_of,
    lettered,
    plain,
    points_of,
    said,
    total_of,
    whole,
)


def power(entry: Entry, facts: ShipFacts) -> Powered:
    """Work out an entry of :data:`SYSTEMS`. Raises :class:`NotAllowed` with the system's own codes, and ``not-whole``.

    ``no-such-box`` where the SSD has no such beam, launcher or shuttle box left.
    """
    found = SYSTEMS[entry.item.split()[0]](entry, facts)
    return found if found.text else found._replace(text=entry.item + " {sources}")


def _tac(entry: Entry, facts: ShipFacts) -> Powered:
    """``TAC 3``: warp maneuvers, by their number; ``TAC 1 IMPULSE`` a sublight one; ``TAC 3 + 1 IMPULSE`` both (C5.3).

    A warp maneuver costs as much warp power as a hex (C5.22), a sublight one its point of impulse power (C5.12).
    """
    whole(entry, "C5.0")
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


def _transporters(entry: Entry, facts: ShipFacts) -> Powered:
    """``TRANSPORTERS 1``: energy for as many as it operates (G8.13); in fifths with fractional accounting."""
    total = total_of(entry)
    if not facts.fractional:
        whole(entry, "G8.13")
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
    points = whole(entry, "G13.32")
    cloak.verify_cloak_energy(facts.cloak, points)
    return Powered(points_of(entry), Systems(cloak=bool(points)))


def _probe(entry: Entry, facts: ShipFacts) -> Powered:
    """``PROBE A 1``: a turn of arming as an instrument; twice that of warp power arms it as a weapon (G5.2, G5.32)."""
    letter, points = letter_of(entry, facts, "probe", "probe launcher", "G5.12"), whole(entry, "G5.2")
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
    letter, points = _shuttle(entry, facts), whole(entry, "J2.221")
    before = facts.bombs.get(letter, suicide_shuttles.NOT_ARMED)
    holding = before.state == Fuse.ARMED
    sources = {source for source, _ in entry.parts}
    after = suicide_shuttles.arm(before, points, suicide_level(facts.level), warp=sources <= {"", "WARP"})
    parts: dict[str, Points] = points_of(entry) if holding else {"WARP": points}
    return Powered(parts, Systems(bombs={letter: after}))


def _shuttle(entry: Entry, facts: ShipFacts) -> str:
    """The letter of a shuttle that is aboard."""
    letter = lettered(entry.item).partition(" ")[2]
    if letter not in facts.hangar:
        aboard = f"aboard: {', '.join(facts.hangar)}" if facts.hangar else "none is aboard that could be used"
        raise NotAllowed("no-shuttle", f"there is no shuttle {letter or '(no letter)'} to arm; {aboard}", "J2.221")
    return letter


def suicide_level(form: str) -> str:
    """The level by which a ship's suicide shuttles are armed, by that of its energy form: that of Cadet ships where it
    is not a standard one.
    """
    return form if form in charts.shuttles().suicide else "cadet"


SYSTEMS: dict[str, Callable[[Entry, ShipFacts], Powered]] = {
    "TAC": _tac,
    "TRANSPORTERS": _transporters,
    "CLOAK": _cloak,
    "PROBE": _probe,
    "SUICIDE": _suicide,
    "TRACTOR": tractors.power,
}
"""What works out each entry of a system, by its first word (:data:`pbem.data.energy_form.ENTRIES`)."""
