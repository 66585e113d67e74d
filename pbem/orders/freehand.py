"""A volley in free words, for a question about odds: ``4 PH-1, 2 PHOT AT RANGE 5 SHIELD 12``."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from pbem.data import charts
from pbem.errors import Fault, GameError, NotAllowed
from pbem.rules.direct_fire import AimedShot, scores, verify_range
from pbem.rules.plasma import plasma_type, strength
from pbem.util import regex

MOST = 200
"""Maximum number of weapons in one question."""

_WEAPON = regex(r"(?:(\d{1,9})\s+)?([A-Z].*)", re.DOTALL)
_SETTING = regex(r"(?<!\s)\s*+\b(?:AT\s+)?(RANGE|EFFECTIVE|DIE|SHIELD|REINFORCEMENT)\s+([+-]?\d{1,9})(?!\S)")
_COUNTS = {"RANGE": (0, 999), "EFFECTIVE": (0, 999), "DIE": (-20, 20), "SHIELD": (0, 999), "REINFORCEMENT": (0, 999)}


class Freehand(msgspec.Struct, frozen=True, kw_only=True):
    """A volley read from free words.

    ``aims`` are the shots, ``certain`` the warhead points that are assumed to hit. ``shield`` is the number of
    shield boxes, ``reinforcement`` the points that reinforce it. ``words`` describe the weapons by range, as they
    are named here.
    """

    aims: tuple[AimedShot, ...]
    certain: int
    shield: int | None
    reinforcement: int
    words: tuple[str, ...]


def free_hand_names() -> dict[str, str]:
    """Return the kinds of weapons by their free-hand names: ``PH-1``, ``PLAS-R``.

    If only one kind has a label, the label alone is the name (``PHOT``).
    """
    by_label: dict[str, list[str]] = {}
    for kind, known in charts.weapon_kinds().items():
        if scores(kind) or known.family == "plasma":
            by_label.setdefault(known.label, []).append(kind)
    found: dict[str, str] = {}
    for label, kinds in by_label.items():
        begin = next((at for at, signs in enumerate(zip(*kinds, strict=False)) if len({*signs}) > 1), 0)
        found |= {label if len(kinds) == 1 else f"{label}-{kind[begin:].upper()}": kind for kind in kinds}
    return found


def freehand(text: str) -> Freehand:
    """Read a volley.

    Weapons come before the range they are fired at. EFFECTIVE and DIE belong to the weapons; SHIELD and
    REINFORCEMENT belong to the target.

    Raises:
        GameError: With one fault.
    """
    names = {_bare(name): kind for name, kind in free_hand_names().items()}
    names |= {_bare(kind): kind for kind in names.values()}
    words = {kind: name for name, kind in free_hand_names().items()}
    aims: list[AimedShot] = []
    told: list[str] = []
    certain, target = 0, dict[str, int]()
    waiting: list[tuple[int, str]] = []
    here: dict[str, int] = {}

    def fire() -> None:
        nonlocal certain
        if waiting and "RANGE" not in here:
            raise _wrong("no-range", f"at which range is {words[waiting[0][1]]} fired? Write AT RANGE 5 behind it")
        for count, kind in waiting:
            reach = here["RANGE"]
            if scores(kind):
                _verify_range(kind, reach, words[kind])
                aims.extend([AimedShot(kind, reach, here.get("EFFECTIVE", reach), here.get("DIE", 0))] * count)
            else:
                certain += count * _warhead(kind, reach, here, words[kind])
            told.append(f"{count} {words[kind]} at range {reach}")
        waiting.clear()
        here.clear()

    for part in filter(None, (piece.strip() for piece in re.split(r"[,;\n]|\bAND\b", text.upper()))):
        rest = part
        settings: list[tuple[str, str]] = []
        while (found := _SETTING.search(rest)) is not None:
            settings.append((found[1], found[2]))
            rest = rest[: found.start()] + rest[found.end() :]
        if rest.strip():
            weapon = _WEAPON.fullmatch(rest.strip())
            kind = names.get(_bare(weapon[2])) if weapon else None
            if weapon is None or kind is None:
                raise _wrong(
                    "no-such-weapon", f"{rest.strip()!r} is no weapon; there are {', '.join(free_hand_names())}"
                )
            if here:
                fire()
            count = int(weapon[1] or 1)
            if not 1 <= count <= MOST or sum(each for each, _ in waiting) + len(aims) + count > MOST:
                raise _wrong("too-many", f"{count} {words[kind]}: from 1 to {MOST} weapons can be asked of at once")
            waiting.append((count, kind))
        for key, said in settings:
            value, (least, most) = int(said), _COUNTS[key]
            if not least <= value <= most:
                raise _wrong("bad-number", f"{key} {said} is not from {least} to {most}")
            if key in here or key in target:
                raise _wrong("said-twice", f"{key} is said twice of the same weapons")
            (target if key in ("SHIELD", "REINFORCEMENT") else here)[key] = value
    fire()
    if not told:
        raise _wrong("no-weapons", "no weapon is named; write 4 PH-1, 2 PHOT AT RANGE 5")
    return Freehand(
        aims=tuple(aims), certain=certain, shield=target.get("SHIELD"),
        reinforcement=target.get("REINFORCEMENT", 0), words=tuple(told),
    )  # fmt: skip


def _verify_range(kind: str, reach: int, name: str) -> None:
    """Check that the weapon may be fired at this range (E1.3); a probe has no chart and is not checked here.

    Raises:
        GameError: If the range is not allowed.
    """
    if charts.weapon_kinds()[kind].family == "probe" and reach > (most := charts.probes().range):
        fault = Fault(code="out-of-range", text=f"{name} reaches {most} hexes; range {reach} is too far", rule="G5.11")
        raise GameError(fault)
    if not charts.weapon_kinds()[kind].chart:
        return
    try:
        verify_range(kind, reach, name=name)
    except NotAllowed as refused:
        raise GameError(refused.fault()) from None


def _warhead(kind: str, flown: int, settings: Mapping[str, int], name: str) -> int:
    """The points of a torpedo that strikes after so many hexes.

    Raises :class:`GameError` where it is spent by then, and for what a torpedo does not have: a die, and a range other
    than the one it flew.
    """
    if said := [word for word in ("DIE", "EFFECTIVE") if word in settings]:
        raise _wrong("not-of-torpedoes", f"leave out {' and '.join(said)}: no die is rolled for {name}, which strikes")
    points = strength(kind, flown)
    if not points:
        last = charts.plasma()[plasma_type(kind)].hexes[-1]
        text = f"{name} is spent after {last} hexes; at range {flown} it scores nothing"
        raise GameError(Fault(code="out-of-range", text=text, rule="FP1.4"))
    return points


def _bare(name: str) -> str:
    """Return a name in capitals without blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name.upper())


def _wrong(code: str, text: str) -> GameError:
    return GameError.saying(code, text)
