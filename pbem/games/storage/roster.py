"""Which scenario and which ships a game is played with; a user's own files are copied into the game
folder.
"""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import msgspec

from pbem.data import files, house_figures as figures
from pbem.data.scenarios import Scenario, scenario
from pbem.data.ships import ShipClass, ship_class
from pbem.data.variants import variant_keys
from pbem.errors import GameError
from pbem.games.storage.files import is_device, read_bytes, write_bytes
from pbem.games.storage.terms import Terms
from pbem.patterns import regex

_KEY = regex(r"[a-z0-9_-]{1,40}")
replace = msgspec.structs.replace


def scenario_of(terms: Terms) -> Scenario:
    """The scenario of a game as it is played: its teams changed where game.toml says so. Raises
    :class:`GameError`.
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
    """A user's scenario names his own ships by file; in the game folder they are known by key."""
    return replace(found, units=tuple(replace(unit, ship=_stem(unit.ship)) for unit in found.units))


def _stem(ship: str) -> str:
    return ship.replace("\\", "/").rpartition("/")[2].removesuffix(".toml")


def bring_scenario(key_or_path: str, game: Path) -> str:
    """The key of a scenario for a new game; a user's own file is copied into ``game``, and the ships it
    names by file too.
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
                said = f"there is no ship {unit.ship!r}, and no file of that name beside the scenario; {hint}"
                raise GameError.saying("unknown-ship", f"units[{number}].ship: {said}", file=str(path))
            if bring_ship(str(own), game) != _stem(unit.ship):
                raise GameError.saying(
                    "ship-key", f"the file of {unit.name} holds a ship with another key than its name", file=str(own)
                )
    _copy(path, game / "scenarios" / f"{key}.toml")
    return key


def bring_ship(key_or_path: str, game: Path) -> str:
    """The key of a class of ship for a new game; a user's own file is copied into ``game``."""
    if key_or_path in files.keys("ship"):
        return key_or_path
    path = files.locate("ship", key_or_path)
    kind: ShipClass = ship_class(path)
    _verify_key("ship", kind.key, path)
    _copy(path, game / "ships" / f"{kind.key}.toml")
    return kind.key


def _copy(path: Path, target: Path) -> None:
    """A user's own file, its letters composed: names in orders come so, whatever keyboard or file system does."""
    write_bytes(target, normalize("NFC", read_bytes(path).decode("utf-8")).encode("utf-8"))


def bring_figures(folder: Path, game: Path) -> files.Own:
    """The figures of one's own in ``folder``, checked and copied into ``game``. Raises :class:`GameError` with one
    sentence for each fault.
    """
    if not folder.is_dir():
        raise GameError.saying("no-such-folder", "there is no such folder of figures", file=str(folder))
    own = figures.read_figures(folder)
    figures.verify_figures(own)
    for name in own.digests:
        write_bytes(game / files.FIGURES / name, read_bytes(folder / name))
    return own


def verify_own_figures(terms: Terms, game: Path) -> None:
    """The figures in a game's folder are those it began with. Raises :class:`GameError`."""
    here = files.own_figures().digests
    for name in sorted({*here, *terms.figures}):
        if here.get(name) != terms.figures.get(name):
            if name not in here:
                said = "these figures are missing; the game was begun with them"
            elif name in terms.figures:
                said = "these figures are not those the game was begun with: game.toml has the hash of other ones"
            else:
                said = "the game was not begun with these figures: game.toml does not name them"
            raise GameError.saying("figures-changed", said, file=str(game / files.FIGURES / name))


def _verify_key(kind: str, key: str, path: Path) -> None:
    if key in files.keys(kind):
        raise GameError.saying(
            f"{kind}-key", f"{key} is the key of a {kind} that comes with pbem; give yours another", file=str(path)
        )
    if is_device(key):
        said = f"{key!r} cannot be the key of a {kind}: on Windows it is a device"
        raise GameError.saying(f"{kind}-key", said, file=str(path))
    if not _KEY.fullmatch(key):
        text = f"{key!r} cannot be the key of a {kind}: small letters, digits, _ and - only"
        raise GameError.saying(f"{kind}-key", text, file=str(path))
