"""The companion module as a file: pictures, build file and the twelve scenarios, the same bytes every time."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pbem import __version__
from pbem.data import charts
from pbem.data.scenarios import Scenario, Victory, scenario, scenario_keys
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.vassal_bridge.companion import pieces
from pbem.vassal_bridge.companion.board import PLANS, board_picture
from pbem.vassal_bridge.companion.buildfile import MAP, VASSAL, build_file
from pbem.vassal_bridge.companion.chart_pages import chart_pages
from pbem.vassal_bridge.companion.guide import HELP_FILE, help_page
from pbem.vassal_bridge.companion.pictures import png
from pbem.vassal_bridge.companion.tracker import COMPANION
from pbem.vassal_bridge.companion.windows import MODERATOR, players
from vassal.errors import VassalError
from vassal.text.leaves import BoardChoice

DESCRIPTION = "Counters, maps and impulse charts for Cadet games by mail; drawn and packed by pbem"

Entries = tuple[tuple[str, bytes], ...]


class Built(NamedTuple):
    """What was built: the zip's entries, and how many palette entries, pictures and scenarios are in them."""

    entries: Entries
    slots: int
    pictures: int
    scenarios: int


def build_module(*, svg: bool = False, scenarios: bool = True) -> Built:
    """The companion module, with PNG pictures or with the SVG drawings themselves, which VASSAL shows as well.

    Raises :class:`GameError` where PNG pictures are wanted and resvg is not installed.
    """
    suffix = ".svg" if svg else ".png"
    drawn = {f"board-{place}": board_picture(plan) for place, plan in enumerate(PLANS)} | pieces.pictures()
    images = tuple(
        (f"images/{name}{suffix}", picture.svg.encode() if svg else png(picture))
        for name, picture in sorted(drawn.items())
    )
    setups: dict[str, bytes] = {}
    if scenarios:
        setups = _setups(_entries(images, {}, suffix))
    entries = _entries(images, setups, suffix)
    return Built(entries, len(pieces.entries(suffix)), len(images), len(_numbers()) if setups else 0)


def verify_place(path: Path) -> None:
    """Raises :class:`GameError` where no module can be written, before all of it is drawn."""
    folder = path.absolute().parent
    if path.is_dir():
        why = f"this is a folder, and a module is a file: write {path / 'cadet.vmod'}"
    elif not folder.is_dir():
        why = "cannot be written (there is no such folder)"
    elif not os.access(folder, os.W_OK):
        why = "cannot be written (nothing may be written into its folder)"
    else:
        return
    raise GameError.saying("module", why, file=str(path))


def write_module(built: Built, path: Path) -> None:
    """Write the module's file; one already there is replaced in one step. Raises :class:`GameError`."""
    from vassal.container.archive import write_archive

    try:
        write_archive(path, built.entries)
    except VassalError as error:
        raise GameError.saying("module", str(error).removeprefix(f"{path}: "), file=str(path)) from error


def bare_entries() -> Entries:
    """The module without pictures, enough to write saves for it: blank boards tell how large they are."""
    # Named as in the module with PNG pictures, since a save names the pictures of its counters.
    boards = tuple(
        (f"images/board-{place}.png", f'<svg width="{plan.width}" height="{plan.height}"/>'.encode())
        for place, plan in enumerate(PLANS)
    )
    return _entries(boards, {}, ".png")


def _entries(images: Entries, setups: dict[str, bytes], suffix: str) -> Entries:
    from vassal.container.archive import metadata_xml

    menus = {
        "Scenarios": {f"#{number} {scenario(number).title}": _file(number) for number in _numbers()},
        "Empty maps": {plan.name: _empty(place) for place, plan in enumerate(PLANS)},
    }
    # VASSAL offers no plain new game beside predefined ones; so the empty maps are some of these.
    found = {menu: {name: file for name, file in games.items() if file in setups} for menu, games in menus.items()}
    pages = chart_pages()
    sides = [charts.races()[race].name for race in players()]
    build = build_file(
        *(COMPANION, __version__, DESCRIPTION, [*sides, MODERATOR]),
        palette=pieces.entries(suffix),
        prototypes=pieces.prototypes(suffix),
        setups={menu: games for menu, games in found.items() if games},
        chart_files={title: file for title, (file, _) in pages.items()},
        suffix=suffix,
    )
    data = metadata_xml(__version__, VASSAL, DESCRIPTION, COMPANION)
    page = (HELP_FILE, help_page())
    return (("buildFile.xml", build), ("moduledata", data), page, *pages.values(), *images, *sorted(setups.items()))


def _numbers() -> list[str]:
    return sorted(scenario_keys(), key=lambda number: (len(number), number))


def _file(number: str) -> str:
    return f"scenario-{int(number):02d}.vsav" if number.isdecimal() else f"scenario-{number}.vsav"


def _empty(place: int) -> str:
    return f"empty-{place + 1}.vsav"


def _setups(entries: Entries) -> dict[str, bytes]:
    """The opening position of each scenario and each board without counters, as saves by the names of their files."""
    from pbem.vassal_bridge.export import export_game, open_module, write_save
    from vassal.container.archive import write_archive
    from vassal.writer import SaveWriter

    found = {}
    with TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.vmod"
        write_archive(bare, entries)
        module = open_module(bare)
        for number in _numbers():
            file = Path(folder) / _file(number)
            write_save(export_game(opening(scenario(number)), module).save, file)
            found[file.name] = file.read_bytes()
        for place, plan in enumerate(PLANS):
            file = Path(folder) / _empty(place)
            write_save(SaveWriter(module, {MAP: (BoardChoice(plan.name),)}).save(), file)
            found[file.name] = file.read_bytes()
    return found


def opening(one: Scenario) -> State:
    """The position a scenario begins with. Only the position counts here, so that the chapters and the victory of a
    scenario cannot stand in the way.
    """
    from msgspec.structs import replace

    from pbem.engine.play.setup import set_up

    bare = replace(one, chapters=(), victory=Victory(kind="none"))
    players = {side.name: "robot" if side.robot in ("must", "unless") else side.name for side in one.sides}
    return set_up(bare, f"#{one.number} {one.title}", players=players).state
