"""Ways of looking at one and the same game: turned, mirrored, or with other names. What a game is, these say of every
value of it: hexes, facings, shields, names, orders, dice.

A :class:`Likeness` takes states, scenarios, orders and events to what they are in the other game. The ways back are
likenesses too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import msgspec

from pbem.data.files import CustomFigures, read_toml
from pbem.data.ships import ship_keys
from pbem.orders.writer import name_text
from pbem.rules.hexes import EVEN, FACINGS, ODD, cube, hex_name, parse_hex

replace = msgspec.structs.replace

FAR = ("0101", "9898")
"""A map so large that what is in its middle does not come near an edge."""

MIDDLE = (49, 49)

HEXES = frozenset({"hex", "came_from", "launched_in"})
LISTS = frozenset({"hexes", "asteroids"})
TEXTS = frozenset(
    {"text", "order", "reason", "condition", "why", "meaning", "lines", "allotted", "purpose", "when", "result",
     "failed", "position", "mark", "marks"}
)  # fmt: skip
"""Fields in which orders and sentences stand."""

LABELS = frozenset({"roll", "second_roll", "rolls"})
PLAIN = frozenset({"race", "kind", "class_name", "rule", "step", "title", "chapters", "monster"})
"""Fields in which a word may stand that is some unit's or side's name, too."""

SIDEWAYS = {"L": "R", "R": "L", "SL": "SR", "SR": "SL", "LEFT": "RIGHT", "RIGHT": "LEFT", "left": "right",
            "right": "left", "LF": "RF", "RF": "LF", "LR": "RR", "RR": "LR", "LS": "RS", "RS": "LS", "LP": "RP",
            "RP": "LP", "LPR": "RPR", "RPR": "LPR"}  # fmt: skip
"""Words that change places in the mirror: codes, ways, arcs."""


@dataclass(frozen=True)
class Likeness:
    """One way of looking: ``moved`` takes a hex to its place, ``turned`` a facing; ``mirrored`` says whether left and
    right change places, and ``named`` what units and sides are called instead.
    """

    moved: Callable[[str], str] = lambda hex: hex
    turned: Mapping[str, str] = field(default_factory=lambda: {each: each for each in FACINGS})
    mirrored: bool = False
    named: Mapping[str, str] = field(default_factory=dict)
    grid: str = ""
    map: tuple[str, str] | None = None

    # --- single values ---

    def shield(self, number: int) -> int:
        return (2 - number - 1) % 6 + 1 if self.mirrored and number else number

    def code(self, code: str) -> str:
        return SIDEWAYS.get(code, code) if self.mirrored else code

    def arc(self, arc: str) -> str:
        return re.sub(r"\w+", lambda word: self.code(word[0]), arc)

    def name(self, name: str) -> str:
        return self.named.get(name, name)

    def text(self, text: str) -> str:
        """Orders or a sentence, with every name, hex, direction and shield in it."""
        return self._words.sub(self._word, text)

    @cached_property
    def _words(self) -> re.Pattern[str]:
        names = sorted(self.named, key=len, reverse=True)
        written = [*dict.fromkeys(name_text(name) for name in names if name_text(name) != name), *names]
        found = "|".join(map(re.escape, written)) or r"(?!)"
        return re.compile(
            # "3 of 5 drones", "before the monster was stopped" mean no side of that name.
            rf"(?P<name>(?<!\d )(?<!the )(?<![\w/])(?:{found})(?![\w/]))"
            r"|(?P<hex>(?<![\w/#])\d{4}(?P<facing>[A-F]?)(?!\w))"
            r"|#(?P<shield>[1-6])\b"
            r"|(?P<dir>\b(?:DIR|EDGE) )(?P<way>[A-F])\b"
            r"|(?P<hexes>(?<!\w)\d+)(?P<leg>[A-F]|SL|SR|L|R)(?!\w)"
            r"|(?P<said>\b(?:turns|the) )(?P<side>left|right)\b"
            r"|(?P<word>(?<!WARP )(?<![\w/.])(?:SL|SR|LEFT|RIGHT|LF|RF|LR|RR|LS|RS|LPR?|RPR?|L|R)(?![\w/.]))"
        )

    def _word(self, found: re.Match[str]) -> str:
        match found.lastgroup:
            case "name":
                said = found["name"]
                if said.startswith('"'):
                    return name_text(self.name(said[1:-1].replace('""', '"')))
                return self.name(said)
            case "facing" | "hex":
                facing = found["facing"]
                return self.moved(found["hex"][:4]) + (self.turned[facing] if facing else "")
            case "shield":
                return f"#{self.shield(int(found['shield']))}"
            case "way":
                return found["dir"] + self.turned[found["way"]]
            case "leg":
                course = "COURSE" in found.string[: found.start()].rpartition("\n")[2]
                leg = found["leg"]
                return found["hexes"] + (self.turned[leg] if course else self.code(leg))
            case "side":
                return found["said"] + self.code(found["side"])
        return self.code(found["word"])

    def label(self, label: str) -> str:
        """The label of a die, or of several: whose it is, for which shield, and of whom its system speaks."""
        if " + " in label:
            return " + ".join(map(self.label, label.split(" + ")))
        if self.mirrored:
            return re.sub(r"(?<= DAC)[1-6]", lambda number: str(self.shield(int(number[0]))), label)
        when, _, rest = label.partition(" ")
        for name in sorted(self.named, key=len, reverse=True):
            if rest.startswith(f"{name} "):
                system = rest[len(name) + 1 :]
                return f"{when} {self.name(name)} {self._system(system)}"
        return label

    def _system(self, system: str) -> str:
        """Of a die between two units, the other one's name: ``boundary-Destruction``, written without blanks."""
        what, dash, number = system.rpartition(" ")
        for name in sorted(self.named, key=len, reverse=True):
            bare = name.replace(" ", "")
            if what.endswith(f"-{bare}"):
                what = what.removesuffix(bare) + self.name(name).replace(" ", "")
                break
        return what + dash + number

    # --- whatever is made of them ---

    def __call__(self, value: Any, field: str = "") -> Any:
        """A state, a scenario, an event, or any part of them."""
        if isinstance(value, msgspec.Struct):
            found = {each: self(getattr(value, each), each) for each in value.__struct_fields__}
            return replace(value, **found)
        if isinstance(value, dict):
            return {self._key(key): self(each, field) for key, each in value.items()}
        if isinstance(value, tuple | list):
            return self._list(value, field)
        if isinstance(value, str):
            return self._string(value, field)
        if isinstance(value, int) and field == "shield":
            return self.shield(value)
        return value

    def _list(self, value: Any, field: str) -> Any:
        if field == "map":
            return self.map or value
        if field in LISTS:
            return type(value)(sorted(map(self.moved, value)) if field == "asteroids" else map(self.moved, value))
        found = [self(each, field) for each in value]
        if field in ("shields", "reinforcement") and len(found) == 6:
            found = [value[self.shield(number) - 1] for number in range(1, 7)]
        return type(value)(found)

    def _string(self, value: str, field: str) -> str:
        if not value or field in PLAIN:
            return value
        if field in ("code", "way"):
            return self.code(value)
        if field in HEXES:
            return self.moved(value)
        if field == "at":
            return self.moved(value[:4]) + self.turned[value[4:]]
        if field in ("facing", "turns_to"):
            return self.turned[value]
        if field == "grid":
            return self.grid or value
        if field in LABELS:
            return self.label(value)
        if field in TEXTS:
            return self.text(value)
        return self.name(value)

    def _key(self, key: Any) -> Any:
        if isinstance(key, str) and re.fullmatch(r"#[1-6]", key):
            return f"#{self.shield(int(key[1]))}"
        return self.name(key) if isinstance(key, str) else key


# --- the ways ---------------------------------------------------------------------------------------------------------


def shifted_to_the_middle(map: tuple[str, str]) -> Likeness:
    """On a map without edges near: the middle of this one in the middle of that; columns keep their height."""
    (left, top), (right, bottom) = parse_hex(map[0]), parse_hex(map[1])
    columns = (MIDDLE[0] - (left + right) // 2) // 2 * 2
    rows = MIDDLE[1] - (top + bottom) // 2

    def moved(hex: str) -> str:
        column, row = parse_hex(hex)
        return hex_name(column + columns, row + rows)

    return Likeness(moved=moved, map=FAR)


def turned(steps: int, grid: str) -> Likeness:
    """Turned by so many sixths of a circle to the right, about the middle of the far map."""
    center = cube(hex_name(*MIDDLE), grid)

    def moved(hex: str) -> str:
        x, y, z = (here - there for here, there in zip(cube(hex, grid), center, strict=True))
        for _ in range(steps % 6):
            x, y, z = -z, -x, -y
        column, slant = x + center[0], z + center[2]
        return hex_name(column, slant + (column + (column % 2 if grid == EVEN else -(column % 2))) // 2)

    return Likeness(moved=moved, turned={each: FACINGS[(n + steps) % 6] for n, each in enumerate(FACINGS)})


def upside_down(map: tuple[str, str], grid: str) -> Likeness:
    """Mirrored top to bottom: the same map, whose other columns lie half a hex lower."""
    (_, top), (_, bottom) = parse_hex(map[0]), parse_hex(map[1])

    def moved(hex: str) -> str:
        column, row = parse_hex(hex)
        return hex_name(column, top + bottom - row)

    return Likeness(
        moved=moved,
        turned=dict(zip(FACINGS, "DCBAFE", strict=True)),
        mirrored=True,
        grid=ODD if grid == EVEN else EVEN,
    )


def left_to_right(map: tuple[str, str], grid: str) -> Likeness:
    """Mirrored left to right: the same map; with an even number of columns the other ones lie half a hex lower."""
    (left, _), (right, _) = parse_hex(map[0]), parse_hex(map[1])

    def moved(hex: str) -> str:
        column, row = parse_hex(hex)
        return hex_name(left + right - column, row)

    other = ODD if grid == EVEN else EVEN
    return Likeness(
        moved=moved,
        turned=dict(zip(FACINGS, "AFEDCB", strict=True)),
        mirrored=True,
        grid=other if (left + right) % 2 else grid,
    )


@cache
def mirrored_ships() -> CustomFigures:
    """Every ship in the mirror: what bears to the left bears to the right."""
    mirror = Likeness(mirrored=True)
    tables, stated = {}, {}
    for key in ship_keys():
        raw, _ = read_toml("ship", key)
        weapons = [{**weapon, "arc": mirror.arc(str(weapon["arc"]))} for weapon in raw.get("weapons", ())]
        shields = [raw["shields"][mirror.shield(number) - 1] for number in range(1, 7)]
        tables[key] = {"weapons": weapons, "shields": shields} if weapons else {"shields": shields}
        stated["ship", key] = "mirror.toml"
    return CustomFigures(tables={"ship": tables}, stated=stated, token="mirror")
