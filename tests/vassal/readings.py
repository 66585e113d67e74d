"""What the package reads in texts of VASSAL, and what it makes of them, kept whole in tests/vassal/kept/.

    python tests/vassal/readings.py            writes all anew; look at the diff before you keep it

Lines that begin with ``<`` are what is read, those below them what comes of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from pprint import pformat
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from typer.testing import CliRunner  # noqa: E402

from tests import kept  # noqa: E402
from vassal import cli  # noqa: E402
from vassal.container.obfuscation import mask_passwords  # noqa: E402
from vassal.dump import (  # noqa: E402
    diff_saves,
    dump_module,
    dump_save,
)
from vassal.errors import VassalError  # noqa: E402
from vassal.module.grids import (  # noqa: E402
    GridNumbering,
    HexGrid,
    Region,
    RegionGrid,
    SquareGrid,
    Zone,
    ZonedGrid,
)
from vassal.module.module import read_module  # noqa: E402
from vassal.pieces.piece import (  # noqa: E402
    Look,
    Piece,
    join_levels,
)
from vassal.save import read_save  # noqa: E402
from vassal.text.commands import Leaf, encode, parse  # noqa: E402
from vassal.text.sequence import lazy  # noqa: E402
from vassal.write import Change, NewPiece, update  # noqa: E402

HERE = Path(__file__).parent
DATA = HERE / "data"
KEPT = HERE / "kept"


def tried(what: Callable[..., Any], *given: Any) -> str:
    """A value, or the sentence with which it is refused."""
    try:
        found = what(*given)
    except VassalError as error:
        return f"{type(error).__name__}: {error}"
    return repr(found)


# --- commands --------------------------------------------------------------------------------------------------------

COMMANDS = (
    "+/12/piece;;;a.png;A/Map;1;2;3",
    "+/null/stack/Map;1;2;@@1;2",
    "+/1",
    "+/",
    "-/12",
    "-/",
    "D/12/new/old",
    "D/12/new",
    "D/12",
    "D/",
    "M/12/Map/1/2/null/Old/3/4/11/pass",
    "M/12/null/1/2/9/null/3/4/null/",
    "M/12/Map/1/2",
    "M/12",
    "M/12/Map/x/2/null/Old/3/y/null/p",
    "CHAT<A> - hello/there",
    "CHAT",
    "PLAYER\tpw\tAnn\tRed",
    "PLAYER\tpw",
    "PLAYER\t",
    "PYREMOVE\tpw",
    "UNMASK\tnull\tpw",
    "UNMASK\t",
    "NOTES\tfirst|second",
    "PNOTES\ttext",
    "PNOTE\tpw\ttext",
    "PNOTE\tpw",
    "SNOTE\tn\tpw\ttrue\ttext\tdate\thandle",
    "SNOTE\tn\tpw\tfalse\ttext",
    "SNOTE\tn",
    "SETUP_STACK\t",
    "SETUP_STACK",
    "GlobalProperty\t;a;1;Map",
    "GlobalProperty\t;a",
    "MutableProperty\ta\t1\t2\tMap",
    "MutableProperty\ta\t1",
    "TURNid\t0|1",
    "TURNid",
    "LOG\tD/1/new",
    "LOG\t",
    "EXT\tMore\t1.2",
    "EXT\tMore",
    "begin_save",
    "begin_save2",
    "end_save",
    "end_savex",
    "MapBoardPicker\tSpace\t0\t1\tStars/rev\t2\t0",
    "MapBoardPicker\tSpace\tx\t1",
    "MapBoardPicker",
    "BoardPicker",
    "nonsense",
    "",
    "+/1/a\\/b/c",
    "+/1/piece;;;a.png;A/Map;1;2;3/more",
    "D/12/a/b/c",
    "PLAYER\tpw\tAnn\tRed\tmore",
)


def command_lines() -> Iterator[str]:
    """Every kind of command, whole, short and strange."""
    for text in COMMANDS:
        command = Leaf(text).command
        yield f"< {text!r}"
        yield f"  {command!r}"
        yield f"  {tried(command.encode)}"
    tree = "begin_save\x1bPLAYER\tpw\tAnn\tRed\x1bLOG\tCHATa\\\x1bCHATb\x1bend_save"
    yield f"< {tree!r}"
    yield f"  {parse(tree)!r}"
    yield f"  {encode(parse(tree))!r}"


SECRETS = (
    "PLAYER\tpw\tAnn\tRed",
    "PLAYER\t\tAnn\tRed",
    "PYREMOVE\tpw",
    "PYREMOVE\t",
    "PNOTE\tpw\ttext",
    "SNOTE\tn\tpw\ttrue\ttext\tdate\thandle",
    "M/12/Map/1/2/null/Old/3/4/11/pw",
    "M/12/Map/1/2/null/Old/3/4/11/",
    "UNMASK\tnull\tpw\t",
    "UNMASK\tnull",
    "CHATpw",
    "D/99/pw/pw",
    "D/99/pw",
)
HIDERS = (
    ("hide;key;hidden;;player;", "pw"),
    ("hide;key;hidden;;side:Red;", "Red"),
    ("hide;key;hidden;;sides:Red;", "Red"),
    ("hide;key;hidden;;player;", "null"),
    ("obs;key;img;cmd;B;name;player;", "pw;x"),
    ("obs;key;img;cmd;B;name;side:Red;", "Red;x"),
    ("obs;key;img;cmd;B;name;player;", "null;x"),
    ("restrict;player;false", "pw"),
    ("restrict;side:Red;false", "Red"),
    ("restrict;sides:Red", "Red"),
    ("restrict;", ""),
    ("mark;hide", "pw"),
    ("label;obs;", "pw"),
    ("delete;D", "pw"),
)


def masked_lines() -> Iterator[str]:
    """What is left of passwords in whatever may hold one."""
    for text in SECRETS:
        step = "LOG\t" + text
        yield f"< {text!r}"
        yield f"  {encode(mask_passwords(Leaf(text)))!r}"
        yield f"  {encode(mask_passwords(Leaf(step)))!r}"
    for kind, state in HIDERS:
        types, states = join_levels([kind, "piece;;;a.png;A"]), join_levels([state, "Map;1;2;3"])
        added = f"+/7/{types}/{states}".replace("//", "/")
        yield f"< {added!r}"
        for text in (added, f"{added}\x1bD/7/{states}/{states}", f"{added}\x1bD/7/{states}", f"{added}\x1bLOG\tD\\/7"):
            yield f"  {encode(mask_passwords(parse(text)))!r}"


# --- traits ----------------------------------------------------------------------------------------------------------

TRAITS: tuple[tuple[str, Sequence[str | None]], ...] = (
    ("rotate;6;;;;;;;F", ("0", "1", "5", "6", "-1", "x", "", None)),
    ("rotate;1;;;;;Free", ("0", "-33.5", "-0.4", "33.6", "-359.5", "nan", "x", "", None)),
    ("rotate;0;;;;;Free;;F", ("-90.0",)),
    ("rotate;x;;;;;Free", ("-90.0",)),
    ("rotate", ("2",)),
    ("label;;10;;b;;0;0;;;;;$pieceName$ <$label$>;;;;Text;;false", ("", "NCC", " a b ", "$F_Facing$ x", None)),
    ("label;;10;;b;;0;0;;;;;$pieceName$ <$label$>;;;;Text;;true", ("", "NCC")),
    ("label;", ("", "NCC")),
    (
        "emb2;;;;;;;;;;;;;;;;a.png,b.png,c.png;+ (hit),new+,whole;;Hull",
        ("1", "2", "3", "4", "-2", "0", "-9", "x", "", "2;k"),
    ),
    ("emb2;;;;;;;;;;;;;;;;a.png,b.png;+1;;Hull;;;true;F_Facing;1", ("1", "-1")),
    ("emb2;;;;;;;;;;;;;;;;a.png,b.png;+1;;Hull;;;true;$F_Facing$;2", ("1", "-1")),
    ("emb2;;;;;;;;;;;;;;;;a.png,b.png;+1;;Hull;;;true;{a+b};2", ("1",)),
    ("emb2;;;;;;;;;;;;;;;;a.png,b.png;+1;;Hull;;;false;F_Facing;2", ("1",)),
    ("emb2;", ("1", "")),
    ("mark;a,b,", ("1,2", "1", "", "1,2,3", None)),
    ("PROP;Speed;;", ("7", "7;x", "", None)),
    ("hide;key;hidden;;player;", ("pw", "null", "", None)),
    ("hide;key;hidden;;side:Red;", ("Red",)),
    ("obs;key;img;cmd;B;covered;player;", ("pw;x", "null;x", "", None)),
    ("obs;key;img;cmd;B;;side:Red;", ("Red;x",)),
    ("immob;g;I;N", ("",)),
    ("immob;;V;R", ("",)),
    ("immob;;N;", ("",)),
    ("immob;;", ("",)),
    ("immob;gG;IV;RN", ("",)),
    ("prototype;Ship", ("",)),
    ("prototype;Ship;a=1,b,=2,c=", ("",)),
    ("markmoved;img;0;0", ("true", "false", "", None)),
    (
        "footprint;",
        ("true;Map;2;1,2;3,4", "true;Map;1;1,2;3,4;x", "false;null;0", "x;y;-1;1,2", "a;b;9;1,2;3", "", None),
    ),
    ("propertysheet;1Name~2Notes~3Hits;Sheet", ("A~b|c~2/3", "A", "", None)),
    ("propertysheet;", ("A",)),
    ("table;2;3", ("a,b,c,d,e,f,g", "a,b", "", None)),
    ("table;0;3", ("a",)),
    ("table;2;0", ("a",)),
    ("table;x;-1", ("a",)),
    ("clone;key", ("",)),
    ("unknown;a;b", ("state", None)),
)
BELOW = (("rotate;6;;;;;;;F", "2"), ("mark;Text,Name", "one,two"), ("piece;;;a.png;Ship", "Map;5;7;12;;"))
LOOKS = (
    Look(facing=1),
    Look(facing=9),
    Look(facing=-1),
    Look(degrees=60),
    Look(degrees=61),
    Look(degrees=-60),
    Look(degrees=400),
    Look(facing=0, rotator="F"),
    Look(facing=0, rotator="G"),
    Look(facing=0, degrees=0),
    Look(label=" x "),
    Look(label=""),
    Look(labels={"Text": "t"}),
    Look(labels={"Other": "t"}),
    Look(layers={"Hull": 2}),
    Look(layers={"Hull": -1}),
    Look(layers={"Hull": 0}),
    Look(layers={"Hull": 9}),
    Look(layers={"None": 1}),
    Look(properties={"Speed": "9"}),
    Look(properties={"a": "9"}),
    Look(properties={"Hits": "9"}),
    Look(rests=True),
)


def read_of(value: object) -> dict[str, Any]:
    """Everything a trait or a piece says of itself."""
    names = [
        name
        for kind in type(value).__mro__
        for name, part in vars(kind).items()
        if isinstance(part, property | lazy) and not name.startswith("_")
    ]
    return {name: tried(getattr, value, name) for name in sorted(set(names))}


def trait_lines() -> Iterator[str]:
    """Every trait in many states: what it says, what it makes of its piece, and every change of it."""
    said = {"kind", "fields", "tells", "told"}
    for kind, states in TRAITS:
        for number, state in enumerate(states):
            levels = [(kind, state or ""), *BELOW]
            piece = Piece(join_levels([one for one, _ in levels]), join_levels([two for _, two in levels]))
            if state is None:
                piece = Piece(piece.type, "")
            trait = piece.traits[0]
            yield f"< {kind!r} {state!r}"
            found = {key: value for key, value in read_of(trait).items() if number == 0 or key not in said}
            yield f"  {type(trait).__name__}: {', '.join(f'{key}={value}' for key, value in found.items())}"
            yield f"  {tried(getattr, piece, 'name')} {tried(getattr, piece, 'properties')}"
            for name in ("has_moved", "never_stacks", "map", "position", "layers"):
                yield f"  {name}: {tried(getattr, piece, name)}"
            for look in LOOKS if number in (0, 1) else ():
                told = tried(_state, look, piece)
                if "Error" not in told or number == 0:
                    yield f"    {look_words(look)}: {told}"
            for name in ("cleared", "parameters", "rested"):
                if hasattr(trait, name):
                    yield f"    {name}: {tried(getattr(trait, name))}"


def _state(look: Look, piece: Piece) -> str:
    return look.apply(piece).state


def look_words(look: Look) -> str:
    """What of a look is set."""
    blank = Look()
    return ", ".join(
        f"{key}={value!r}" for key in Look.__slots__ if (value := getattr(look, key)) != getattr(blank, key)
    )


# --- grids -----------------------------------------------------------------------------------------------------------

LETTERS = GridNumbering(
    column_letters=True,
    row_leading=0,
    column_offset=0,
    row_offset=5,
    separator="-",
    column_descends=True,
    stagger=False,
)
ROWS_FIRST = GridNumbering(column_first=False, separator=".", row_letters=True, column_leading=2, row_descends=True)
WORDED = GridNumbering(location_format="[$row$/$column$]", column_offset=-3, row_offset=-9)
TWICE = GridNumbering(location_format="$row$ $row$")
GRIDS: dict[str, Any] = {
    "hex": HexGrid(dx=48, dy=56, x0=24, y0=28, width=480, height=560),
    "hex, sides": HexGrid(dx=48, dy=56, x0=24, y0=28, edges_legal=True),
    "hex, corners": HexGrid(dx=48, dy=56, x0=20, y0=10, corners_legal=True),
    "hex, both": HexGrid(dx=47.5, dy=55.3, x0=-7, y0=28, edges_legal=True, corners_legal=True),
    "hex, sideways": HexGrid(dx=48, dy=56, x0=24, y0=28, sideways=True, width=480, height=560, numbering=LETTERS),
    "hex, free": HexGrid(dx=48, dy=56, snap_to=False, numbering=None),
    "hex, letters": HexGrid(dx=48, dy=56, x0=3, y0=5, width=480, height=560, numbering=LETTERS),
    "hex, rows first": HexGrid(dx=48, dy=56, x0=3, y0=5, width=480, height=560, numbering=ROWS_FIRST),
    "hex, sideways, rows first": HexGrid(
        dx=48, dy=56, x0=3, y0=5, width=480, height=560, sideways=True, numbering=ROWS_FIRST
    ),
    "square": SquareGrid(dx=48, dy=40, x0=24, y0=20, numbering=GridNumbering()),
    "square, edges": SquareGrid(dx=48, dy=40, edges_legal=True, diagonal_is_one=False, numbering=WORDED),
    "square, corners": SquareGrid(dx=48, dy=40, corners_legal=True, numbering=ROWS_FIRST, width=480, height=400),
    "square, both": SquareGrid(dx=48, dy=40, edges_legal=True, corners_legal=True, numbering=TWICE, snap_to=True),
    "square, free": SquareGrid(dx=48, dy=40, snap_to=False, numbering=LETTERS, width=480, height=400),
    "square, bare": SquareGrid(dx=33.3, dy=44.4),
    "regions": RegionGrid((Region("a", 10, 10), Region("b", 200, 100), Region("c", 200, 101))),
    "regions, free": RegionGrid((Region("a", 10, 10),), snap_to=False),
    "no regions": RegionGrid(()),
    "zones": ZonedGrid(
        (
            Zone("left", ((0, 0), (100, 0), (100, 300), (0, 300)), SquareGrid(numbering=GridNumbering())),
            Zone(
                "own",
                ((100, 0), (200, 0), (200, 300), (100, 300)),
                HexGrid(),
                parent_grid=True,
                location_format="$name$: $gridLocation$!",
            ),
            Zone("line", ((0, 0), (300, 300))),
            Zone("bare", ((200, 0), (300, 0), (300, 300))),
        ),
        HexGrid(dx=48, dy=56, x0=24, y0=28),
    ),
    "zones alone": ZonedGrid((Zone("bare", ((200, 0), (300, 0), (300, 300)), location_format="in $name$"),)),
}
POINTS = (*((31 * n % 331 - 13, 47 * n % 317 - 9) for n in range(28)), (24, 28), (72, 56), (100, 0), (200, 100))
PLACES = (
    "0101",
    "0305",
    "1202",
    "-101",
    "B-7",
    "-AA-3",
    "C.004",
    "[05/-2]",
    "a",
    "c",
    "left",
    "own: 0302!",
    "bare",
    "in bare",
    "nowhere",
)


def grid_lines() -> Iterator[str]:
    """Every way to divide a board, at many points."""
    for name, grid in GRIDS.items():
        yield f"< {name}"
        for point, other in zip(POINTS, POINTS[1:] + POINTS[:1], strict=True):
            parts = [
                tried(grid.name, point),
                grid.snap(point),
                grid.snap(point, force=True),
                grid.range(point, other),
            ]
            if isinstance(grid, HexGrid):
                column, row = grid.raw(point)
                parts += [(column, row), grid.centre(column, row)]
                if grid.numbering:
                    location = grid.name(point) or ""
                    parts += [tried(grid.pixel, location), tried(grid.setup_pixel, location)]
            yield f"  {point}: {', '.join(map(str, parts))}"
        for place in PLACES:
            yield f"  {place}: {tried(grid.pixel, place)}"


# --- saves and modules -----------------------------------------------------------------------------------------------

SAVES = sorted(path.name for path in DATA.glob("*.v*") if path.suffix in (".vsav", ".vlog"))


def save_lines() -> Iterator[str]:
    """The files in ``data`` as they are told, with and without the module, and how they differ."""
    space = read_module(DATA / "HexSpaceTest.vmod")
    for path in SAVES:
        save = read_save(DATA / path)
        yield f"< {path}"
        yield pformat(dump_save(save, space), width=118, compact=True, sort_dicts=False)
    yield "< alone"
    yield pformat(dump_save(read_save(DATA / "hexspace-handwritten.vsav")), width=118, compact=True, sort_dicts=False)
    for module in ("HexSpaceTest.vmod", "GridZoo.vmod"):
        yield f"< {module}"
        told = pformat(dump_module(read_module(DATA / module)), width=118, compact=True, sort_dicts=False)
        yield told
    for one, other in zip(SAVES, SAVES[1:] + SAVES[:1], strict=True):
        yield f"< {one} -> {other}"
        for found in diff_saves(read_save(DATA / one), read_save(DATA / other), space):
            yield f"  {found}"


def update_lines() -> Iterator[str]:
    """Counters moved, joined, parted, added and taken away, and the commands that say so."""
    save = read_save(DATA / "hexspace-full-3.7.26.vsav")
    space = read_module(DATA / "HexSpaceTest.vmod")
    spots: dict[str, Any] = {piece.id: piece for piece in save.pieces}
    ids = sorted(spots)
    drone = NewPiece(space.slot("Drone"), "Tactical Map", (120, 84))
    updates: list[dict[str, Any]] = (
        [{"changes": {id: Change(at=(300, 300))}} for id in ids]
        + [
            {"changes": {id: Change(at=(spots[other].x, spots[other].y), map=spots[other].map)}}
            for id, other in zip(ids, ids[1:] + ids[:1], strict=True)
        ]
        + [{"remove": [id]} for id in ids]
        + [
            {"changes": {id: Change(at=(24, 28)) for id in ids}},
            {"remove": ids},
            {"add": [drone, drone, replace(drone, at=(552, 392)), replace(drone, id="x", look=Look(label="new"))]},
            {"add": [replace(drone, map="Nowhere")]},
            {"notes": "a", "public_notes": "b", "turns": {"none": "0|1"}},
            {"turns": dict.fromkeys(save.turns, "0|7")},
            {"changes": {ids[0]: Change(map="Nowhere")}},
        ]
    )
    lines = encode(mask_passwords(save.tree)).split("\x1b")
    for one in updates:
        yield f"< {update_words(one)}"
        try:
            new = update(save, **one)
        except VassalError as error:
            yield f"  {error}"
            continue
        written = encode(mask_passwords(new.tree)).split("\x1b")
        yield from (f"  - {line!r}" for line in lines if line not in written)
        yield from (f"  + {n} {line!r}" for n, line in enumerate(written) if line not in lines)
        yield from (f"  {found}" for found in diff_saves(save, new, space))


def update_words(one: dict[str, Any]) -> str:
    """What an update is asked for, short."""
    told = []
    for key, value in one.items():
        if key == "changes":
            value = {id: (change.map, change.at) for id, change in value.items()}
        elif key == "add":
            value = [(new.slot.name, new.map, new.at, new.id) for new in value]
        told.append(f"{key}: {value}")
    return "; ".join(told)


SHELL = (
    "dump {full} --module {space}",
    "dump {full}",
    "dump {log} --log --module {space}",
    "dump {log} --json",
    "text {hand}",
    "text {hand} --json",
    "module {space}",
    "module {zoo}",
    "module {space} --json",
    "diff {full} {after} --module {space}",
    "diff {full} {after}",
    "diff {full} {after} --json",
    "diff {full} {full} --json",
    "locate {space} --map Tactical Map --hex 0812".replace("Tactical Map", "'Tactical Map'"),
    "locate {space} --map 'Tactical Map' 361 670",
    "locate {space} --map 'Tactical Map' 361 670 --json",
    "locate {space} --map 'Tactical Map' 99361 670",
    "locate {space} --map 'Tactical Map' --hex 0812 --json",
    "locate {space} --map Nowhere --hex 0812",
    "locate {space} --map 'Tactical Map'",
    "locate {space} --map 'Tactical Map' 361",
    "locate {space} --hex 0812",
    "locate {space} 1 2 --hex 0812",
)


def shell_lines() -> Iterator[str]:
    """The command ``vassal``."""
    import shlex

    files = {
        "full": "hexspace-full-3.7.26.vsav",
        "log": "hexspace-full-3.7.26.vlog",
        "hand": "hexspace-handwritten.vsav",
        "after": "hexspace-afterlog-3.7.26.vsav",
        "space": "HexSpaceTest.vmod",
        "zoo": "GridZoo.vmod",
    }
    for line in SHELL:
        arguments = [
            word.format(**{key: str(DATA / name) for key, name in files.items()}) for word in shlex.split(line)
        ]
        done = CliRunner().invoke(cli.app, arguments)
        yield f"< {line}"
        yield f"  {done.exit_code} {done.exception or ''}".rstrip()
        if done.exit_code != 2:  # how wrong usage is told is the shell library's
            yield done.output.replace(str(DATA), "DATA")


READINGS: dict[str, Callable[[], Iterator[str]]] = {
    "commands": command_lines,
    "masked": masked_lines,
    "traits": trait_lines,
    "grids": grid_lines,
    "saves": save_lines,
    "updates": update_lines,
    "shell": shell_lines,
}

if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for name, lines in READINGS.items():
        kept.keep(KEPT / f"{name}{kept.ENDING}", "\n".join(lines()) + "\n")
