"""The module's help page, found in VASSAL under Help. Plain HTML without style sheets: VASSAL shows it itself."""

from __future__ import annotations

from html import escape

from pbem.vassal_bridge.companion.tracker import CHARTS, COMPANION

HELP_FILE = "help/companion.html"
"""Where the page lies in the module."""

KEYS = (
    ("Ctrl+]", "Turn right", "one facing, 60 degrees clockwise; the nose of the rim shows the facing"),
    ("Ctrl+[", "Turn left", "one facing, 60 degrees counter-clockwise"),
    ("Ctrl+L", "Change Name", "the name above the counter"),
    ("Ctrl+S", "Set Speed", "the yellow label at the counter's lower right"),
    ("Ctrl+K", "Cloak", "lays the cloak over a ship, or takes it off"),
    ("Ctrl+T", "Movement Trail", "shows where the counter has been moved since the trails were cleared"),
    ("Ctrl+M", "Mark Moved", "sets the yellow mark at the upper right, or takes it off; moving a counter sets it"),
    ("Ctrl+Alt+D", "Open SSD", "the window with the display of this ship, box by box"),
    ("Ctrl+Alt+P", "SSD Sheet", "shields, internals and notes of a ship"),
    ("Ctrl+F", "Face down", "a drone, torpedo, shuttle or mine: others see a question mark and its facing"),
    ("Ctrl+Alt+N", "Secret Notes", "of such a counter: nobody else opens them while it lies face down"),
    ("Ctrl+I", "Invisible to others", "a guess of yours where a cloaked ship is"),
    ("Ctrl+Alt+E", "Energy", "the lines of a ship's papers for energy"),
    ("Ctrl+Alt+W", "Weapons", "their lines for weapons"),
    ("Ctrl+Alt+U", "Under way", "their lines for drones, torpedoes and shuttles"),
    ("Ctrl+C", "Clone", "another counter like this one"),
    ("Ctrl+D", "Delete", "takes the counter off the map"),
    ("Ctrl+Up", "Faster", "the speed marker, one up"),
    ("Ctrl+Down", "Slower", "the speed marker, one down"),
)
"""Key, command and what it does, as the traits in the palette have them."""

_ABOUT = (
    (
        "To begin",
        "File > Load Game opens a save that the umpire has sent, and shows the map. File > Scenarios has the openings,"
        " File > Empty maps boards without counters. Choose a side if you are asked; any will do. What you move is an"
        " experiment on your own table: orders are what you send to the game.",
    ),
    (
        "On the map",
        "Hold the mouse over a hex with several counters to see them side by side; a double click spreads them out. The"
        " button Range draws a line: press where it shall begin, drag to where it shall end, and both the line and the"
        " chat tell the range in hexes (with Ctrl the line stays). Overview (Ctrl+Shift+O) shows the whole map, and a"
        " click on it what is there; Who is where lists all counters by race, and a click finds one. The margin has no"
        " hexes. The arrow in the tool bar clears the trails and the moved marks of all counters.",
    ),
    (
        "SSDs and papers",
        "A right click on a ship and Open SSD shows the window with its display; the button SSDs opens that of each"
        " race. Everybody may see them. Click on"
        " boxes and one more of them is crossed off, the outer row of a shield first; click on their name and one is"
        " given back; click on a weapon and it is off, or on again. A right click has the same in words, and the chat"
        " tells it. A save of a game has all boxes as they are in the game. More SSDs lie in the palette, under SSDs."
        " The button Papers opens the window of your own side alone: a sheet for each of your ships with lines for"
        " energy, weapons and what is under way; Ctrl+Alt+E, W and U write on them.",
    ),
    (
        "Large and small",
        "Smaller shows all counters at a quarter of their size, pressed again as names with a mark for the facing; Full"
        " size puts them back.",
    ),
    (
        "Charts",
        "The button Charts opens the charts of the rules: what weapons do at which range, which speed moves in which"
        " impulse, turn modes, both damage charts, and what stands on the displays of all ships.",
    ),
    (
        "Impulses",
        "The buttons {charts} impulses open a tracker of the sequence of play; its arrows go from step to step, and the"
        " chat keeps pace. In a save of a game its own tracker stands where the game stands.",
    ),
    (
        "Notes",
        "Public notes hold the sitrep that everybody may read; write above or below its two lines. Delayed notes can"
        " hold your orders, but VASSAL hides them from honest eyes only: send such a file to nobody but the umpire.",
    ),
)


def help_page() -> bytes:
    """The page."""
    charts = ", ".join(str(impulses) for impulses in CHARTS)
    rows = "".join(
        f"<tr><td><b>{escape(key)}</b></td><td>{command}</td><td>{what}</td></tr>" for key, command, what in KEYS
    )
    parts = [f"<h2>{title}</h2><p>{escape(text.format(charts=charts))}</p>" for title, text in _ABOUT]
    parts.insert(2, f'<h2>Keys of a counter</h2><table border="0" cellpadding="3">{rows}</table>')
    page = f"<html><head><title>{COMPANION}</title></head><body><h1>{COMPANION}</h1>{''.join(parts)}</body></html>"
    return page.encode()
