"""Read a volley (shots fired together) that a player describes in free words, in order to compute its odds.

An example is ``4 PH-1, 2 PHOT AT RANGE 5 SHIELD 12``.
"""

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
"""Maximum number of weapons in one volley."""

_WEAPON = regex(r"(?:(\d{1,9})\s+)?([A-Z].*)", re.DOTALL)
_SETTING = regex(r"(?<!\s)\s*+\b(?:AT\s+)?(RANGE|EFFECTIVE|DIE|SHIELD|REINFORCEMENT)\s+([+-]?\d{1,9})(?!\S)")
_COUNTS = {"RANGE": (0, 999), "EFFECTIVE": (0, 999), "DIE": (-20, 20), "SHIELD": (0, 999), "REINFORCEMENT": (0, 999)}


class Freehand(msgspec.Struct, frozen=True, kw_only=True):
    """A volley and its target, as read from a player's free words.

    Attributes:
        aims: The shots.
        certain: Points of the warheads that are assumed to hit.
        shield: Number of boxes of the target's shield; ``None`` if the text does not say.
        reinforcement: Points that reinforce the shield.
        words: The weapons in words, by range, with the names used in free words.
    """

    aims: tuple[AimedShot, ...]
    certain: int
    shield: int | None
    reinforcement: int
    words: tuple[str, ...]


def free_hand_names() -> dict[str, str]:
    """Return a dict of the kinds of weapons by the names that free words use for them: ``PH-1``, ``PLAS-R``.

    If a label belongs to only one kind, the label alone is the name (``PHOT``).
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
    """Read a volley described in free words and return it.

    Weapons come before their range. The words EFFECTIVE and DIE belong to the weapons; SHIELD and REINFORCEMENT
    belong to the target.

    Raises:
        GameError: The text is not understood, or a weapon cannot be used in this way. The exception has one fault.
    """
    reader = _Reader()
    for part in filter(None, (piece.strip() for piece in re.split(r"[,;\n]|\bAND\b", text.upper()))):
        reader.read(part)
    return reader.volley()


class _Reader:
    """A reader that collects a volley part by part.

    ``waiting`` are the weapons that are already named but not yet added to the volley as shots. ``here`` holds the
    settings for these weapons (such as the range), and ``target`` the settings for the target.
    """

    def __init__(self) -> None:
        kinds = free_hand_names()
        self.names = {_bare(name): kind for name, kind in kinds.items()}
        self.names |= {_bare(kind): kind for kind in self.names.values()}
        self.words = {kind: name for name, kind in kinds.items()}
        self.aims: list[AimedShot] = []
        self.certain = 0
        self.described: list[str] = []
        self.target: dict[str, int] = {}
        self.waiting: list[tuple[int, str]] = []
        self.here: dict[str, int] = {}

    def read(self, part: str) -> None:
        """Read the words between two commas: weapons, settings, or both."""
        rest = part
        settings: list[tuple[str, str]] = []
        while (found := _SETTING.search(rest)) is not None:
            settings.append((found[1], found[2]))
            rest = rest[: found.start()] + rest[found.end() :]
        if rest.strip():
            self._add_weapons(rest.strip())
        for key, said in settings:
            self._add_setting(key, said)

    def _add_weapons(self, text: str) -> None:
        """Read a number of weapons of one kind and add them to the waiting weapons.

        If settings were already read for the waiting weapons, those are first added to the volley as shots.
        """
        weapon = _WEAPON.fullmatch(text)
        kind = self.names.get(_bare(weapon[2])) if weapon else None
        if weapon is None or kind is None:
            raise _wrong("no-such-weapon", f"{text!r} is not a weapon; the weapons are {', '.join(free_hand_names())}")
        if self.here:
            self._fire()
        count = int(weapon[1] or 1)
        if not 1 <= count <= MOST or sum(each for each, _ in self.waiting) + len(self.aims) + count > MOST:
            raise _wrong("too-many", f"{count} {self.words[kind]}: use 1 to {MOST} weapons at once")
        self.waiting.append((count, kind))

    def _add_setting(self, key: str, said: str) -> None:
        value, (least, most) = int(said), _COUNTS[key]
        if not least <= value <= most:
            raise _wrong("bad-number", f"{key} must be from {least} to {most}, not {said}")
        if key in self.here or key in self.target:
            raise _wrong("said-twice", f"{key} appears twice for the same weapons; keep one")
        (self.target if key in ("SHIELD", "REINFORCEMENT") else self.here)[key] = value

    def _fire(self) -> None:
        """Add the shots of the waiting weapons to the volley, with the settings that were read for these weapons."""
        here, words = self.here, self.words
        if self.waiting and "RANGE" not in here:
            raise _wrong("no-range", f"write the range after {words[self.waiting[0][1]]}, like AT RANGE 5")
        for count, kind in self.waiting:
            reach = here["RANGE"]
            if scores(kind):
                _verify_range(kind, reach, words[kind])
                shot = AimedShot(kind, reach, here.get("EFFECTIVE", reach), here.get("DIE", 0))
                self.aims.extend([shot] * count)
            else:
                self.certain += count * _warhead(kind, reach, here, words[kind])
            self.described.append(f"{count} {words[kind]} at range {reach}")
        self.waiting.clear()
        here.clear()

    def volley(self) -> Freehand:
        """Add the remaining waiting weapons to the volley as shots, and return the whole volley."""
        self._fire()
        if not self.described:
            raise _wrong("no-weapons", "name the weapons, like 4 PH-1, 2 PHOT AT RANGE 5")
        return Freehand(
            aims=tuple(self.aims), certain=self.certain, shield=self.target.get("SHIELD"),
            reinforcement=self.target.get("REINFORCEMENT", 0), words=tuple(self.described),
        )  # fmt: skip


def _verify_range(kind: str, reach: int, name: str) -> None:
    """Check that a weapon may be fired at this range (E1.3); probes have no range chart and are not checked.

    Raises:
        GameError: The range is not allowed.
    """
    if charts.weapon_kinds()[kind].family == "probe" and reach > (most := charts.probes().range):
        fault = Fault(
            code="out-of-range", text=f"range {reach} is too far: {name} reaches only {most} hexes", rule="G5.11"
        )
        raise GameError(fault)
    if not charts.weapon_kinds()[kind].chart:
        return
    try:
        verify_range(kind, reach, name=name)
    except NotAllowed as refused:
        raise GameError(refused.fault()) from None


def _warhead(kind: str, flown: int, settings: Mapping[str, int], name: str) -> int:
    """Return the points that a plasma torpedo scores after flying ``flown`` hexes.

    Raises:
        GameError: The torpedo is spent by then (FP1.4), or the text gives a die or an effective range, which
            torpedoes do not have.
    """
    if said := [word for word in ("DIE", "EFFECTIVE") if word in settings]:
        raise _wrong("not-of-torpedoes", f"leave out {' and '.join(said)}: {name} hits without a die roll")
    points = strength(kind, flown)
    if not points:
        last = charts.plasma()[plasma_type(kind)].hexes[-1]
        text = f"{name} has no strength left after {last} hexes, so it does no damage at range {flown}"
        raise GameError(Fault(code="out-of-range", text=text, rule="FP1.4"))
    return points


def _bare(name: str) -> str:
    """Return a name in capitals without blanks, hyphens and underscores, for comparing names."""
    return re.sub(r"[\s_-]", "", name.upper())


def _wrong(code: str, text: str) -> GameError:
    return GameError.saying(code, text)
