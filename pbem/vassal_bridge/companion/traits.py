"""Traits that counters of the companion module have in common, as VASSAL writes them."""

from __future__ import annotations

from collections.abc import Sequence

from vassal.pieces.trait import Trait
from vassal.text import sequence

RIGHT, LEFT, RENAME, SPEED, CLOAK_KEY, UP, DOWN = (
    "93,130",
    "91,130",
    "76,130",
    "83,130",
    "75,130",
    "38,130",
    "40,130",
)
"""Keys of the commands: Ctrl and a letter, a bracket or an arrow."""

NAMED_KEY = "63743,0"
"""What VASSAL writes instead of a key for a command that has a name of its own."""

DELETE = Trait("delete;Delete;68,130;")
CLONE = Trait("clone;Clone;67,130;")
NO_STACK = Trait("immob;;N;R;")
FIXED = Trait("immob;g;V;R;")
SHEET = Trait("immob;g;I;R;")
"""Of a sheet: it lies where it is put, and is dragged only once it is selected."""

Three = tuple[str, str, str]

FORM_WIDTH = 70
"""So many characters wide a form opens, at least."""


def form_width(words: str) -> str:
    """The last line of a form: words alone, as wide as the form shall be. VASSAL makes its fields as wide as what is
    written in them, which is nothing at first.
    """
    return "2" + words.ljust(FORM_WIDTH, "\u00a0")


def named(name: str) -> str:
    """The key of a command that has a name instead of a key."""
    return f"{NAMED_KEY},{name}"


def mark(**values: str) -> Trait:
    """Fixed properties."""
    return Trait("mark;" + sequence.encode(values, ","), sequence.encode(values.values(), ","))


def report(text: str, what: str, *keys: str) -> Trait:
    """A line in the chat once one of ``keys`` has done its work; ``what`` describes it."""
    # VASSAL reads a list of keys: the comma within each is escaped, even where there is only one.
    return Trait(sequence.encode(["report", sequence.encode(keys, ","), text, "", "", what, "false"], ";"), "-1")


def layer(
    name: str,
    images: Sequence[str],
    commands: Three,
    keys: Three,
    state: str,
    *,
    names: Sequence[str] = (),
    at: tuple[int, int] = (0, 0),
    follows: tuple[str, int] | None = None,
    reset: tuple[str, str] = ("", ""),
) -> Trait:
    """A Layer: *commands* are to show it, to go a level up and down, *keys* the strokes of these; *reset* is the
    command and the key for the first level. It lies *at* so many pixels from the middle. One that *follows* a property
    shows the first image where that has the value given with it.
    """
    show, up, down = commands
    always = "false" if show else "true"
    fields = ["emb2", show, "128", "", up, "128", "", down, "128", "", *reset, "1", "false", *map(str, at)]
    fields += [sequence.encode(images, ","), sequence.encode(names or [""] * len(images), ","), "false", name, "", ""]
    fields += ["true", follows[0], str(follows[1])] if follows else ["false", "", "1"]
    fields += ["1", always, *keys, f"layer {name}", "1.0", "", "true"]
    return Trait(sequence.encode(fields, ";"), state)
