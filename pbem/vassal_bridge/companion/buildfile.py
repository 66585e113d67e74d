"""buildFile.xml, the module's table of contents, from ``build_file.xml.j2``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from pbem.data import charts
from pbem.engine.step_names import TITLES
from pbem.vassal_bridge.companion import windows
from pbem.vassal_bridge.companion.board import DX, DY, PLANS
from pbem.vassal_bridge.companion.guide import HELP_FILE
from pbem.vassal_bridge.companion.pieces import FULL_SIZE, MOST_GPIDS, SMALLER, Entry
from pbem.vassal_bridge.companion.tracker import AFTER, BEFORE, CHARTS, DURING, tracker_name
from vassal.text import sequence

VASSAL = "3.7.26"
"""The version of VASSAL this module is written for."""

MAP = "Space"
STACKED, SPREAD = (10, -13), (54, -14)
"""How far right and (negative) down each counter of a stack lies of the one below it, and in a stack spread by a double
click: VASSAL's own 2 and 4 pixels up hide the names, these leave them free.
"""


def build_file(
    name: str,
    version: str,
    description: str,
    sides: Iterable[str],
    palette: Iterable[Entry],
    prototypes: dict[str, str],
    setups: dict[str, dict[str, str]],
    chart_files: dict[str, str],
    suffix: str,
) -> bytes:
    """The build file; *setups* has menus of predefined setups by title and file, *chart_files* the charts' pages by
    title, *suffix* is that of the images.
    """
    from jinja2 import Environment, StrictUndefined
    from lxml import etree

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters.update(
        listed=lambda names: sequence.encode(names, ","),
        set_up=lambda window, board: sequence.encode([f"{window}BoardPicker", board, "0", "0"], "\t"),
        tracker_name=tracker_name,
    )
    template = environment.from_string(Path(__file__).with_name("build_file.xml.j2").read_text(encoding="utf-8"))
    text = template.render(
        name=name,
        version=version,
        vassal=VASSAL,
        description=description,
        help_file=HELP_FILE,
        next_gpid=MOST_GPIDS + 1,
        sides=sides,
        prototypes=prototypes,
        map=MAP,
        plans=PLANS,
        ssd_windows={windows.ssd_window(race): windows.show_key(race) for race in charts.races()},
        paper_windows={windows.paper_window(race): windows.owners(race) for race in windows.players()},
        sizes=[
            ("Smaller", SMALLER, "All counters a step smaller: a quarter of their size, then text alone"),
            ("Full size", FULL_SIZE, "All counters as large as they are drawn"),
        ],
        ssd_board=windows.SSD_BOARD,
        paper_board=windows.PAPER_BOARD,
        board_sizes=windows.board_sizes,
        sheet_colour=windows.SPACE_COLOUR,
        dx=DX,
        dy=DY,
        stacked=STACKED,
        spread=SPREAD,
        charts=CHARTS,
        before=[TITLES[step] for step in BEFORE],
        during=[TITLES[step] for step in DURING],
        after=[TITLES[step] for step in AFTER],
        counted=lambda impulses: [f"Impulse {number}" for number in range(1, impulses + 1)],
        palette=[(tab, list(entries)) for tab, entries in groupby(palette, lambda entry: entry.tab)],
        setups=setups,
        chart_files=chart_files,
        suffix=suffix,
    )
    root = etree.fromstring(text, etree.XMLParser(remove_blank_text=True, resolve_entities=False, no_network=True))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=False)
