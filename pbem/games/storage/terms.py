"""game.toml: what was agreed before the game began. Written once; every later command reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from pbem.data.files import NotToml, build, own_figures, parse_toml
from pbem.engine.dice import BEACONS
from pbem.engine.options import Options
from pbem.errors import GameError
from pbem.orders.reader import read_condition
from pbem.patterns import regex

FORMAT = 1
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays a side: a name or address, or ``robot``; and its team where that is not the scenario's."""

    player: str = ""
    team: str = ""


class DiceTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The dice the host committed to: version of the scheme, end of the chain in hex, number of links.

    ``salts`` is the end of the chain the salts come from (scheme 2), ``beacon`` the public beacon whose values go
    into the keys: ``drand`` or none.
    """

    scheme: int
    commitment: str
    length: int
    salts: str = ""
    beacon: str = ""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """A game.toml. ``scenario`` and ``ships`` are keys, of shipped files or of copies in the game folder.

    ``ships`` are chosen by unit, role or side; ``units`` names the optional units that take part, ``facings``
    what ships that may face anywhere were given (#11). ``figures`` are the SHA-256 of the files of figures of one's own
    that were copied into ``figures/`` and replace shipped ones, by name. ``begun`` is the version of pbem that made the
    game, ``""`` before 0.2.0. ``clone`` says of which game, and which request of it, this is a copy to play with
    (:mod:`pbem.games.umpire.clone`).
    """

    format: int
    begun: str = ""
    name: str
    clone: str = ""
    scenario: str
    grid: str = "even"
    sides: dict[str, Seat]
    ships: dict[str, str] = {}
    facings: dict[str, str] = {}
    units: tuple[str, ...] = ()
    options: Options = Options()
    dice: DiceTerms
    figures: dict[str, str] = {}


def read_terms(data: bytes, file: str) -> Terms:
    """Reads a game.toml. Raises :class:`GameError` with everything that is wrong in it."""
    return _read(data, file, own_figures().token)


@lru_cache(maxsize=64)
def _read(data: bytes, file: str, figures: str) -> Terms:
    """The same under figures of one's own. A host opens a game for every letter to it."""
    try:
        raw = parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=file) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=file) from error
    if "format" not in raw:
        what = "this file is empty" if not data.strip() else "the line `format = 1` is missing here"
        text = f"{what}: it should say what was agreed for this game; put it back from a copy of the game's folder"
        raise GameError.saying("format", text, file=file)
    if raw["format"] != FORMAT:
        text = f"this game has format {raw['format']!r}; this version plays format {FORMAT}"
        raise GameError.saying("format", text, file=file)
    terms = build(Terms, raw, file)
    verify_name(terms.name, file)
    verify_options(terms.options, file)
    verify_beacon(terms.dice.beacon, file)
    return terms


LONGEST_SHOWN: Final = 60
"""Letters of a name that cannot be, as far as it is shown."""


def shortened(name: str) -> str:
    """A name that cannot be as it is told: of a long one its beginning."""
    return name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 1]}…"


def verify_name(name: str, file: str = "", *, of_folder: bool = False) -> None:
    """A game's name stands in headers, subjects and file names; one that is its folder's may be another. Raises
    :class:`GameError`.
    """
    if not _NAME.fullmatch(name):
        short = shortened(name)
        raise GameError.saying(
            "game-name",
            f"{short!r} cannot be a game's name: it has 1 to 40 letters (A to Z), digits, _ and -, no spaces, and"
            f" begins with a letter or digit{'; --name gives it another than its folder' if of_folder else ''}",
            file=file,
        )


def verify_beacon(beacon: str, file: str = "") -> None:
    """The public beacon of a game's dice. Raises :class:`GameError` for one that is not known here."""
    if beacon not in BEACONS:
        raise GameError.saying("option", f"beacon is drand or none, not {beacon!r}", file=file)


def verify_options(options: Options, file: str = "") -> None:
    """What the types of the options cannot say. Raises :class:`GameError`."""
    period = options.period
    whole = period.isascii() and period.isdecimal() and 0 < int(period[:4]) <= 32
    if period not in ("", "turn", "half") and not whole:
        raise GameError.saying("option", f"period is turn, half or 1 to 32 impulses, not {period!r}", file=file)
    for auto in options.autobreaks:
        try:
            read_condition(auto.when)
        except GameError as error:
            raise GameError(
                *(
                    msgspec.structs.replace(f, code="option", text=f"autobreaks, {auto.when!r}: {f.text}", file=file)
                    for f in error.faults
                )
            ) from None


def terms_text(terms: Terms) -> str:
    """A game.toml, the same for the same terms."""
    lines = [
        "# A game of Star Fleet Battles by e-mail. Do not change this file once the game has begun:",
        "# `pbem verify` replays everything from it.",
        f"format = {terms.format}",
        *([f"begun = {_text(terms.begun)}  # the version of pbem that made this game"] if terms.begun else []),
        f"name = {_text(terms.name)}",
        *([f"clone = {_text(terms.clone)}  # nothing in it counts for that game"] if terms.clone else []),
        f"scenario = {_text(terms.scenario)}",
        f"grid = {_text(terms.grid)}  # which columns lie half a hex lower",
        f"units = [{', '.join(_text(name) for name in terms.units)}]  # optional units that take part",
    ]
    for name, seat in sorted(terms.sides.items()):
        lines += ["", f"[sides.{_key(name)}]", f"player = {_text(seat.player)}"]
        lines += [f"team = {_text(seat.team)}"] if seat.team else []
    lines += _table("ships", terms.ships)
    lines += _table("facings", terms.facings)
    lines += _table("figures", terms.figures)
    lines += ["", "[options]"]
    for field in msgspec.structs.fields(Options):
        value = getattr(terms.options, field.name)
        if field.name == "autobreaks":
            items = ", ".join(f"{{ when = {_text(auto.when)}, for = {_text(auto.side)} }}" for auto in value)
            lines.append(f"autobreaks = [{items}]")
        elif isinstance(value, bool):
            lines.append(f"{field.name} = {'true' if value else 'false'}")
        else:
            lines.append(f"{field.name} = {_text(str(value))}")
    lines += [
        "",
        "[dice]",
        f"scheme = {terms.dice.scheme}",
        f"commitment = {_text(terms.dice.commitment)}",
        f"length = {terms.dice.length}",
    ]
    # What scheme 1 does not have is not written: its files stay as they always were.
    lines += [f"salts = {_text(terms.dice.salts)}"] if terms.dice.salts else []
    lines += [f"beacon = {_text(terms.dice.beacon)}"] if terms.dice.beacon else []
    return "\n".join(lines) + "\n"


def _table(name: str, entries: Mapping[str, str]) -> list[str]:
    if not entries:
        return []
    return ["", f"[{name}]", *(f"{_key(key)} = {_text(value)}" for key, value in sorted(entries.items()))]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
