"""buildFile.xml, the module's table of contents.

Elements and attributes are those of a module that VASSAL 3.7.26 itself has loaded; besides them only TabWidget, Zoomer,
PredefinedSetup, HelpFile, the stack viewer and the range line, in their plainest form.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from pbem.game.steps import TITLES
from pbem.tabletop.companion.board import DX, DY, PLANS, BoardPlan
from pbem.tabletop.companion.guide import HELP_FILE
from pbem.tabletop.companion.pieces import MOST_GPIDS, Entry
from pbem.tabletop.companion.tracker import AFTER, BEFORE, CHARTS, DURING, tracker_name
from vassal import sequence

if TYPE_CHECKING:
    from lxml.etree import _Element

VASSAL = "3.7.26"
"""The version of VASSAL this module is written for."""

MAP = "Space"
STACKED, SPREAD = (10, -13), (54, -14)
"""How far right and (negative) down each counter of a stack lies of the one below it, and in a stack spread by a double
click: VASSAL's own 2 and 4 pixels up hide the names, these leave them free.
"""

M = "VASSAL.build.module."
W = "VASSAL.build.widget."


def _sub(parent: _Element, tag: str, **attributes: str) -> _Element:
    from lxml import etree

    return etree.SubElement(parent, tag, dict(sorted(attributes.items())))


def build_file(
    name: str,
    version: str,
    description: str,
    sides: Iterable[str],
    palette: Iterable[Entry],
    prototypes: dict[str, str],
    setups: dict[str, dict[str, str]],
    suffix: str,
) -> bytes:
    """The build file; *setups* has menus of predefined setups by title and file, *suffix* is that of the images."""
    from lxml import etree

    root = etree.Element(
        "VASSAL.build.GameModule",
        ModuleOther1="", ModuleOther2="", VassalVersion=VASSAL, description=description, name=name,
        nextPieceSlotId=str(MOST_GPIDS + 1), version=version,
    )  # fmt: skip
    _sub(root, M + "BasicCommandEncoder")
    documentation = _sub(root, M + "Documentation")
    _sub(documentation, M + "documentation.HelpFile", fileName=HELP_FILE, fileType="archive", title=name)
    roster = _sub(
        root, M + "PlayerRoster",
        buttonIcon="", buttonKeyStroke="", buttonText="Retire", buttonToolTip="Switch sides",
    )  # fmt: skip
    for side in sides:
        _sub(roster, "entry").text = side
    _sub(
        root, M + "GlobalOptions",
        autoReport="Always", chatterHTMLSupport="Always", hotKeysOnClosedWindows="Never", inventoryForAll="Always",
        nonOwnerUnmaskable="Use Preferences Setting", playerIdFormat="$PlayerName$",
        promptString="Opponents can unmask my pieces", sendToLocationMoveTrails="Never",
        storeLeadingZeroIntegersAsStrings="true",
    )  # fmt: skip
    _sub(root, M + "Chatter")
    _sub(root, M + "KeyNamer")
    _sub(root, M + "properties.GlobalProperties")
    container = _sub(root, M + "PrototypesContainer")
    for prototype, text in prototypes.items():
        _sub(container, M + "PrototypeDefinition", description="", name=prototype).text = text
    _map(root, suffix)
    _sub(root, M + "NotesWindow", buttonText="Notes", hotkey="", icon="/images/notes.gif", tooltip="Notes")
    for impulses in CHARTS:
        _tracker(root, impulses)
    _palette(root, palette, suffix)
    for dice in (1, 2):
        _dice(root, dice)
    for menu, games in setups.items():
        below = _sub(root, M + "PredefinedSetup", isMenu="true", name=menu, useFile="true")
        for title, file in games.items():
            _sub(below, M + "PredefinedSetup", file=file, isMenu="false", name=title, useFile="true")
    _sub(root, "VASSAL.i18n.Language")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=False)


def _map(root: _Element, suffix: str) -> None:
    moved = "$pieceName$ moves $previousLocation$ -> $location$ *"
    one = _sub(
        root, M + "Map",
        allowMultiple="false", backgroundcolor="7,11,24", buttonName=MAP, changeFormat="$message$", color="255,211,92",
        createFormat="$pieceName$ created in $location$ *", edgeHeight="0", edgeWidth="0", hideKey="", hotkey="",
        icon="/images/map.gif", launch="false", mapName=MAP, markMoved="Always", markUnmovedHotkey="",
        markUnmovedIcon="/images/unmoved.gif", markUnmovedReport="", markUnmovedText="",
        markUnmovedTooltip="Clear the trails and the moved marks of all counters",
        moveKey="", moveToFormat=moved, moveWithinFormat=moved, onlyReportChangedLocation="false", showKey="",
        thickness="2",
    )  # fmt: skip
    picker = _sub(
        one, M + "map.BoardPicker",
        addColumnText="Add column", addRowText="Add row", boardPrompt="Select board", slotHeight="125",
        slotScale="0.2", slotWidth="350", title="Choose Boards",
    )  # fmt: skip
    _sub(picker, "setup").text = sequence.encode([f"{MAP}BoardPicker", PLANS[0].name, "0", "0"], "\t")
    for place, plan in enumerate(PLANS):
        _board(picker, plan, f"board-{place}{suffix}")
    _sub(
        one, M + "map.StackMetrics",
        bottom="40,0", disabled="false", down="37,0", exSepX=str(SPREAD[0]), exSepY=str(SPREAD[1]), top="38,0",
        unexSepX=str(STACKED[0]), unexSepY=str(STACKED[1]), up="39,0",
    )  # fmt: skip
    for plain in (
        "ForwardToKeyBuffer", "Scroller", "ForwardToChatter", "MenuDisplayer", "MapCenterer", "StackExpander",
        "PieceMover", "KeyBufferer",
    ):  # fmt: skip
        _sub(one, M + "map." + plain)
    _sub(one, M + "properties.GlobalProperties")
    _sub(one, M + "map.SelectionHighlighters")
    _sub(one, M + "map.HighlightLastMoved", color="255,0,0", enabled="true", thickness="2")
    _sub(one, M + "map.Zoomer")
    _stack_viewer(one)
    _range_line(one)


def _stack_viewer(one: _Element) -> None:
    """The mouse held over a hex shows its counters side by side, with room for their names."""
    _sub(
        one, M + "map.CounterDetailViewer",
        bgColor="12,19,40", borderWidth="24", centerText="true", counterReportFormat="", delay="400",
        description="Counters of a hex", display="from all layers", emptyHexReportForma="", fgColor="255,211,92",
        fontSize="12", graphicsZoom="1.0", hotkey="32,130", layerList="", minDisplayPieces="2", propertyFilter="",
        showDeck="false", showMoveSelectde="false", showNoStack="true", showNonMovable="false", showOverlap="false",
        showgraph="true", showtext="true", summaryReportFormat="$LocationName$", unrotatePieces="false", version="3",
        verticalOffset="0", zoomlevel="0.6",
    )  # fmt: skip


def _range_line(one: _Element) -> None:
    """A line from hex to hex with its range, which the chat tells."""
    _sub(
        one, M + "map.LOS_Thread",
        drawRange="true", hideCounters="false", hideOpacity="0", hotkey="", iconName="/images/thread.gif",
        label="Range", persistence="Ctrl-Click & Drag", persistentIconName="/images/thread.gif", rangeBg="12,19,40",
        rangeFg="255,255,255", report="* $PlayerName$: range $Range$ from $FromLocation$ to $ToLocation$",
        round="Nearest whole number", scale="0", snapEnd="true", snapStart="true", threadColor="255,211,92",
        threadName="Range", tooltip="Range: press, then drag from hex to hex", **{"global": "Never"},
    )  # fmt: skip


def _board(picker: _Element, plan: BoardPlan, image: str) -> None:
    board = _sub(picker, M + "map.boardPicker.Board", image=image, name=plan.name, reversible="false")
    zoned = _sub(board, M + "map.boardPicker.board.ZonedGrid")
    zone = _sub(
        zoned, M + "map.boardPicker.board.mapgrid.Zone",
        highlightProperty="", locationFormat="$gridLocation$", name="Hexes",
        path=";".join(f"{x},{y}" for x, y in plan.rim()), useHighlight="false", useParentGrid="false",
    )  # fmt: skip
    grid = _sub(
        zone, M + "map.boardPicker.board.HexGrid",
        color="0,0,0", cornersLegal="false", dotsVisible="false", dx=f"{DX}.0", dy=f"{DY}.0", edgesLegal="false",
        sideways="false", snapTo="true", visible="false", x0=str(plan.x0), y0=str(plan.y0),
    )  # fmt: skip
    _sub(
        grid, M + "map.boardPicker.board.mapgrid.HexGridNumbering",
        color="255,255,255", first="H", fontSize="9", hDescend="false", hDrawOff="0", hLeading="1",
        hOff=str(1 - plan.first_column), hType="N", locationFormat="$gridLocation$", rotateText="0", sep="",
        stagger="false", vDescend="false", vDrawOff="0", vLeading="1", vOff="1", vType="N", visible="false",
    )  # fmt: skip


def _tracker(root: _Element, impulses: int) -> None:
    """A turn of so many impulses: what comes before the first, the impulses with their steps, and the end."""
    tracker = _sub(
        root, M + "turn.TurnTracker",
        buttonText=f"{impulses} impulses", hotkey="", icon="", length="-1", lengthStyle="Maximum",
        name=tracker_name(impulses), nexthotkey="", prevhotkey="",
        reportFormat="$oldTurn$ is done; $newTurn$ begins", tooltip=f"The sequence of play in {impulses} impulses",
        turnFormat="$level1$ $level2$ $level3$",
    )  # fmt: skip
    turn = _sub(
        tracker, M + "turn.CounterTurnLevel",
        incr="1", loop="false", loopLimit="-1", name="Turn", property=f"Turn{impulses}", start="1",
        turnFormat="Turn $value$",
    )  # fmt: skip
    _level(turn, f"Before{impulses}", "Start of the turn", [TITLES[step] for step in BEFORE])
    rest = [TITLES[step] for step in DURING]
    counted = [f"Impulse {number}" for number in range(1, impulses + 1)]
    _level(_level(turn, f"Impulse{impulses}", "Impulse", counted), f"Step{impulses}", "Step", rest)
    _level(turn, f"After{impulses}", "End of the turn", [TITLES[step] for step in AFTER])


def _level(parent: _Element, key: str, name: str, names: list[str]) -> _Element:
    return _sub(
        parent, M + "turn.ListTurnLevel",
        allow="false", config="false", list=sequence.encode(names, ","), name=name, prompt="", property=key,
        turnFormat="$value$",
    )  # fmt: skip


def _palette(root: _Element, palette: Iterable[Entry], suffix: str) -> None:
    window = _sub(
        root, M + "PieceWindow",
        defaultWidth="0", hidden="false", hotkey="", icon="/images/counter.gif", scale="1.0", text="Counters",
        tooltip="Counters to lay on the map",
    )  # fmt: skip
    tabs = _sub(window, W + "TabWidget", entryName="Counters")
    for tab, entries in groupby(palette, lambda entry: entry.tab):
        # VASSAL docks the palette at half of its width, and gives the list of names what the divider leaves.
        shown = _sub(tabs, W + "ListWidget", divider="100", entryName=tab, height="600", scale="1.0", width="600")
        for entry in entries:
            slot = _sub(
                shown, W + "PieceSlot",
                entryName=entry.shown, gpid=entry.gpid,
                height=str(entry.picture.height), width=str(entry.picture.width),
            )  # fmt: skip
            slot.text = entry.text(suffix)


def _dice(root: _Element, dice: int) -> None:
    _sub(
        root, M + "DiceButton",
        addToTotal="0", canDisable="false", disabledIcon="", hideWhenDisabled="false", hotkey="",
        icon="/images/die.gif", keepCount="1", keepDice="false", keepOption=">", lockAdd="false", lockDice="false",
        lockPlus="false", lockSides="false", nDice=str(dice), nSides="6", name=f"{dice}d6", plus="0", prompt="false",
        propertyGate="", reportFormat="** $name$ = $result$ *** <$PlayerName$>",
        reportTotal="true" if dice > 1 else "false", sortDice="false", text=f"{dice}d6",
        tooltip="Roll a die" if dice == 1 else f"Roll {dice} dice",
    )  # fmt: skip
