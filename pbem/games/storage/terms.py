"""The terms of a game (``game.toml``): reading and writing them, and checking options, scenario, ships and figures.

The file is written once, before the game begins; every later command reads it. The module also parses options as
the user types them, and copies a user's own scenarios, ships and figures (rule data files) into the game folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, get_args
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from pbem.data import files, house_figures as figures
from pbem.data.files import NotToml, build, own_figures, parse_toml
from pbem.data.scenarios import Scenario, scenario, variant_keys
from pbem.data.ships import ShipClass, ship_class
from pbem.engine.dice import BEACONS
from pbem.engine.options import Options
from pbem.errors import Fault, GameError
from pbem.games.storage.files import is_device, read_bytes, write_bytes
from pbem.orders.reader import read_condition
from pbem.util import regex

FORMAT = 1
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class SideTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The player of a side as ``game.toml`` names the player: a name or address, or ``robot``.

    ``team`` is set if it differs from the scenario's.
    """

    player: str = ""
    team: str = ""


class DiceTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The values to which the host commits before a game, so that fair dice can be proven later.

    They are the version of the dice scheme (``scheme``), the last link of the dice chain in hex (``commitment``),
    and the number of its links (``length``). ``salts`` is the last link of the chain from which the salts come
    (scheme 2). ``beacon`` names the public beacon whose values are mixed into the keys of the dice: ``drand``, or
    empty for none.
    """

    scheme: int
    commitment: str
    length: int
    salts: str = ""
    beacon: str = ""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The content of ``game.toml``.

    Attributes:
        format: Version of the file format.
        begun: The version of pbem that made the game; empty before 0.2.0.
        name: Name of the game.
        clone: In a copy made for experiments, the original game and the request from which the copy continues
            (:mod:`pbem.games.umpire.rerun`); otherwise empty.
        scenario: Key of the shipped scenario, or of a copy in the game folder.
        grid: ``even`` or ``odd``: the columns that are half a hex lower.
        sides: The players by side.
        ships: Ship classes that replace those of the scenario, by unit, role or side. They are keys of shipped files,
            or of copies in the game folder.
        facings: The facings at the start of ships whose owner chooses them (#11).
        units: The optional units that take part.
        options: The options of the game.
        dice: The values to which the host commits, so that fair dice can be proven.
        figures: The SHA-256 hashes of the user's own figure files, by file name; the files are copied to ``figures/``.
    """

    format: int
    begun: str = ""
    name: str
    clone: str = ""
    scenario: str
    grid: str = "even"
    sides: dict[str, SideTerms]
    ships: dict[str, str] = {}
    facings: dict[str, str] = {}
    units: tuple[str, ...] = ()
    options: Options = Options()
    dice: DiceTerms
    figures: dict[str, str] = {}


def read_terms(data: bytes, file: str) -> Terms:
    """Return the terms in a ``game.toml`` file.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    return _read(data, file, own_figures().token)


@lru_cache(maxsize=64)
def _read(data: bytes, file: str, figures: str) -> Terms:
    """Return the terms in a ``game.toml``, from a cache, because a host opens a game for every email to it.

    ``figures`` identifies the user's own figures; it is part of the cache key, because the result depends on them.
    """
    try:
        raw = parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=file) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=file) from error
    if "format" not in raw:
        what = "this file is empty" if not data.strip() else "the line `format = 1` is missing here"
        text = f"{what}; restore it from a copy of the game's folder: it has the terms of the game"
        raise GameError.saying("format", text, file=file)
    if raw["format"] != FORMAT:
        text = f"this game has format {raw['format']!r}; this version reads format {FORMAT}"
        raise GameError.saying("format", text, file=file)
    terms = build(Terms, raw, file)
    verify_name(terms.name, file)
    verify_options(terms.options, file)
    verify_beacon(terms.dice.beacon, file)
    return terms


LONGEST_SHOWN: Final = 60
"""Maximum number of characters of an invalid name that an error message shows."""


def shortened(name: str) -> str:
    """Return an invalid name for an error message, cut off if it is too long."""
    return name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 1]}…"


def verify_name(name: str, file: str = "", *, of_folder: bool = False) -> None:
    """Check that a game's name can be used in headers, email subjects and file names.

    ``of_folder`` says that the name was taken from the folder; in this case, the error suggests ``--name``.

    Raises:
        GameError: The name is not valid.
    """
    if not _NAME.fullmatch(name):
        short = shortened(name)
        raise GameError.saying(
            "game-name",
            f"{short!r} cannot be a game's name: use 1 to 40 letters (A to Z), digits, _ and -, no spaces;"
            f" begin with a letter or digit{'; --name gives it a name of its own' if of_folder else ''}",
            file=file,
        )


def verify_beacon(beacon: str, file: str = "") -> None:
    """Check that the public beacon named for a game's dice is known.

    Raises:
        GameError: The beacon is unknown.
    """
    if beacon not in BEACONS:
        raise GameError.saying("option", f"beacon must be drand or none, not {beacon!r}", file=file)


def verify_options(options: Options, file: str = "") -> None:
    """Check option values for conditions that their Python types cannot express.

    Raises:
        GameError: A value is not valid.
    """
    period = options.period
    whole = period.isascii() and period.isdecimal() and 0 < int(period[:4]) <= 32
    if period not in ("", "turn", "half") and not whole:
        raise GameError.saying("option", f"period must be turn, half or 1 to 32 impulses, not {period!r}", file=file)
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
    """Return the text of the ``game.toml`` for these terms; equal terms give the same text."""
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
    # Values that scheme 1 does not have are left out, so that its files stay unchanged.
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


def verify_autobreaks(options: Options, sides: Sequence[str]) -> None:
    """Check that every auto-break names a side of the game.

    An auto-break is a standing condition on which play stops and a side is asked for new orders.

    Raises:
        GameError: A side is unknown.
    """
    for auto in options.autobreaks:
        if auto.side not in ("all", *sides):
            said = f"autobreaks, {auto.when!r}: {auto.side!r} must be all or one of {', '.join(sides)}"
            raise GameError.saying("option", said, file="--option")


def read_options(typed: Mapping[str, str]) -> Options:
    """Return the options of a game from ``key=value`` pairs that a user typed.

    ``autobreaks`` is ``none``, or conditions separated by ``;``, each with an optional ``SIDE:`` before it. Options
    that can be on or off also accept yes and no.

    Raises:
        GameError: An option is wrong; the error lists every fault.
    """
    raw: dict[str, object] = {}
    fields = {field.name: field for field in msgspec.structs.fields(Options)}
    for key, value in typed.items():
        field = fields.get(key)
        if key == "autobreaks":
            raw[key] = [_autobreak(part) for part in value.split(";") if part.strip() and value.casefold() != "none"]
        elif field is not None and isinstance(field.default, bool):
            word = value.casefold()
            raw[key] = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}.get(
                word, value
            )
        else:
            raw[key] = value
    wrong = [_refused(key, typed[key], fields) for key in typed if not _fits(raw[key], fields.get(key))]
    if wrong:
        raise GameError(*(Fault(code="option", text=text, file="--option") for text in wrong))
    options = build(Options, raw, "--option")
    verify_options(options, "--option")
    return options


def _fits(value: object, field: msgspec.structs.FieldInfo | None) -> bool:
    if field is None:
        return False
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _refused(key: str, value: str, fields: Mapping[str, msgspec.structs.FieldInfo]) -> str:
    field = fields.get(key)
    if field is None:
        return f"there is no option {key!r}; the options are {', '.join(fields)}, beacon"
    choices = ["yes", "no"] if isinstance(field.default, bool) else [word for word in get_args(field.type) if word]
    return f"{key} is {' or '.join(choices)}, not {value!r}"


def _autobreak(text: str) -> dict[str, str]:
    side, colon, condition = text.partition(":")
    if not colon:
        return {"when": text.strip()}
    return {"for": side.strip(), "when": condition.strip()}


_KEY = regex(r"[a-z0-9_-]{1,40}")


def scenario_of(terms: Terms) -> Scenario:
    """Return the scenario of a game, with the teams that ``game.toml`` sets.

    Raises:
        GameError: The scenario cannot be read.
    """
    found = with_ship_keys(scenario(terms.scenario))
    sides = tuple(
        replace(side, team=terms.sides[side.name].team)
        if side.name in terms.sides and terms.sides[side.name].team
        else side
        for side in found.sides
    )
    return replace(found, sides=sides)


def with_ship_keys(found: Scenario) -> Scenario:
    """Return a user's own scenario with keys of ship classes in place of the names of ship files."""
    return replace(found, units=tuple(replace(unit, ship=_stem(unit.ship)) for unit in found.units))


def _stem(ship: str) -> str:
    return ship.replace("\\", "/").rpartition("/")[2].removesuffix(".toml")


def bring_scenario(key_or_path: str, game: Path) -> str:
    """Return the key of the scenario for a new game, after copying a user's own file into the folder ``game``.

    The ship files that it names are copied too.

    Raises:
        GameError: The scenario or one of its ships is missing or not valid.
    """
    key = key_or_path.removeprefix("#")
    if key in files.keys("scenario") or key in variant_keys():
        return key
    path = files.locate("scenario", key_or_path)
    found = scenario(path)
    key = path.stem
    _verify_key("scenario", key, path)
    for number, unit in enumerate(found.units):
        if unit.ship not in files.keys("ship"):
            own = path.parent / unit.ship.replace("\\", "/")
            if not own.is_file():
                near = files.nearest(unit.ship, files.keys("ship"), 3)
                hint = f"did you mean {', '.join(near)}?" if near else "`pbem ships` lists them"
                said = f"there is no ship {unit.ship!r} and no such file beside the scenario; {hint}"
                raise GameError.saying("unknown-ship", f"units[{number}].ship: {said}", file=str(path))
            if bring_ship(str(own), game) != _stem(unit.ship):
                raise GameError.saying(
                    "ship-key", f"the file of {unit.name} has a ship whose key is not the file's name", file=str(own)
                )
    _copy(path, game / "scenarios" / f"{key}.toml")
    return key


def bring_ship(key_or_path: str, game: Path) -> str:
    """Return the key of a ship class for a new game, after copying a user's own file into the folder ``game``."""
    if key_or_path in files.keys("ship"):
        return key_or_path
    path = files.locate("ship", key_or_path)
    kind: ShipClass = ship_class(path)
    _verify_key("ship", kind.key, path)
    _copy(path, game / "ships" / f"{kind.key}.toml")
    return kind.key


def _copy(path: Path, target: Path) -> None:
    """Copy a user's own file, with its text in Unicode normal form C.

    Names in orders are normalized in the same way, so they can match.
    """
    write_bytes(target, normalize("NFC", read_bytes(path).decode("utf-8")).encode("utf-8"))


def bring_figures(folder: Path, game: Path) -> files.CustomFigures:
    """Check a user's own figures in ``folder``, copy them into the folder ``game``, and return them.

    Figures are the data files of rules, charts and the like.

    Raises:
        GameError: The figures are wrong; the error has one sentence for each fault.
    """
    if not folder.is_dir():
        raise GameError.saying("no-such-folder", "there is no such folder of figures", file=str(folder))
    own = figures.read_figures(folder)
    figures.verify_figures(own)
    for name in own.digests:
        write_bytes(game / files.FIGURES / name, read_bytes(folder / name))
    return own


def verify_own_figures(terms: Terms, game: Path) -> None:
    """Check that the figures (rule data files) in a game's folder are those with which the game began.

    Raises:
        GameError: A file of figures is missing, changed or new.
    """
    here = files.own_figures().digests
    for name in sorted({*here, *terms.figures}):
        if here.get(name) != terms.figures.get(name):
            if name not in here:
                said = "restore these figures: the game was begun with them, but they are missing"
            elif name in terms.figures:
                said = (
                    "restore these figures: they differ from those the game was begun with (game.toml has their hash)"
                )
            else:
                said = "remove these figures: game.toml does not name them"
            raise GameError.saying("figures-changed", said, file=str(game / files.FIGURES / name))


def _verify_key(kind: str, key: str, path: Path) -> None:
    if key in files.keys(kind):
        raise GameError.saying(
            f"{kind}-key", f"{key} is already the key of a {kind} of pbem; give yours another key", file=str(path)
        )
    if is_device(key):
        said = f"{key!r} cannot be the key of a {kind}: Windows uses it for a device"
        raise GameError.saying(f"{kind}-key", said, file=str(path))
    if not _KEY.fullmatch(key):
        text = f"{key!r} cannot be the key of a {kind}: use small letters, digits, _ and - only"
        raise GameError.saying(f"{kind}-key", text, file=str(path))
