"""The SSD of a class as one counter: its board, layers of crosses over it, and places to click.

A click on boxes crosses off one more of them, a click on their name gives one back; the menu says the same in words,
and the chat tells it. Each group of boxes is one layer whose level is the number of lost boxes and one; where its
boxes stand in several rows, the layers of the others follow that level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.vassal_bridge.companion import traits
from pbem.vassal_bridge.companion.ssd_picture import MOUNT_CROSS, strip_name, strip_size
from pbem.vassal_bridge.companion.ssd_plan import BOX, LABEL, MOUNT, MOUNT_HIGH, TEXT, WIDE, Group, Mount, Plan, Row
from pbem.vassal_bridge.companion.strokes import width
from vassal.pieces.trait import Trait
from vassal.text import sequence

MARK = "Ssd"
"""The property by which the SSD of a class is known: the key of the class."""

SHIP_NAME, FACTS = "UnitName", "Facts"
"""The labels: whose SSD it is, and what else everybody may know of the ship."""

MENUS = ("Cross off", "Give back", "Weapons")

OFF_OR_ON = " off or on"
_GROUP = 'menuCommand.substring(0, menuCommand.length() - 3).replace(" ", "") + "_Level"'
_WEAPON = f"menuCommand.substring(0, menuCommand.length() - {len(OFF_OR_ON)})"
_GROUP_TOLD = (
    f'{{"x" + GetProperty("old" + {_GROUP}) == "x" + GetProperty({_GROUP}) ? "" : newPieceName + ": " + menuCommand}}'
)
_WEAPON_TOLD = (
    f'{{newPieceName + ": " + {_WEAPON} + ("x" + GetProperty({_WEAPON}.replace(" ", "") + "_Active") == "xtrue"'
    ' ? " is off" : " is on again")}'
)
"""What the chat says, as expressions of VASSAL's: nothing where a click has changed nothing, and of a weapon what it is
now. The name of a layer is that of the command without its blanks and its end.
"""


def layer_of(name: str) -> str:
    """What the layer of a group or a weapon is called: ``HullFore``, ``Shield1``, ``PH1``."""
    return "".join(word[:1].upper() + word[1:] for word in name.split())


def said(name: str) -> str:
    """What menus and the chat call a group: ``Hull Fore``, the name of its layer with its words apart."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def crossed(plan: Plan, lost: Mapping[str, int], gone: frozenset[str]) -> dict[str, int]:
    """The levels of an SSD's layers with so many boxes of each group ``lost``, and the weapons that are ``gone``."""
    found: dict[str, int] = {}
    for group in plan.groups:
        count = max(0, min(group.count, lost.get(group.name, 0)))
        for place, (first, row) in enumerate(_rows(group)):
            level = count if not place else max(0, min(row.count, count - first))
            found[_row_name(group, place)] = level + 1
    found.update({layer_of(mount.name): 1 if mount.name in gone else -1 for mount in plan.mounts})
    return found


def ssd_traits(plan: Plan, suffix: str) -> tuple[Trait, ...]:
    """The traits of an SSD, outermost first, without its core."""
    key = plan.ship.key
    buttons, layers, menus, keys, weapon_keys = _parts(plan, suffix)
    reports = [traits.report(_GROUP_TOLD, "tells what is crossed off by hand", *keys)]
    if weapon_keys:
        reports.append(traits.report(_WEAPON_TOLD, "tells which weapons are off", *weapon_keys))
    own = (WIDE // 2 - 14, 12 - plan.high // 2)
    below = (0, plan.high // 2 - 18)
    return (
        *reports,
        *(_submenu(title, commands) for title, commands in zip(MENUS, menus, strict=True) if commands),
        traits.SHEET,
        traits.DELETE,
        _label(traits.RENAME, "Change Name", 15, *own, "r", "$pieceName$ ($label$)", SHIP_NAME, "name"),
        _label("", "", 12, *below, "c", "$pieceName$", FACTS, "facts"),
        *buttons,
        *layers,
        traits.mark(**{MARK: key, "Race": plan.ship.race}),
    )


def _label(key: str, command: str, size: int, x: int, y: int, side: str, form: str, name: str, what: str) -> Trait:
    fields = [key, command, str(size), "", "24,32,46", "c", str(y), "c", str(x), "t", side, form, "Dialog", "1", "0"]
    return Trait(sequence.encode(["label", *fields, name, what, "false"], ";"))


def _submenu(title: str, commands: list[str]) -> Trait:
    return Trait(sequence.encode(["submenu", title, sequence.encode(commands, ",")], ";"), "")


def _rows(group: Group) -> Iterator[tuple[int, Row]]:
    """The rows of a group, each with the number of boxes lost before its first."""
    first = 0
    for row in group.rows:
        yield first, row
        first += row.count


def _row_name(group: Group, place: int) -> str:
    return layer_of(group.name) + (f".{place + 1}" if place else "")


def _parts(plan: Plan, suffix: str) -> tuple[list[Trait], list[Trait], tuple[list[str], ...], list[str], list[str]]:
    """Buttons, layers, the commands of each menu, the keys of groups and those of weapons."""
    buttons: list[Trait] = []
    layers: list[Trait] = []
    keys: list[str] = []
    weapon_keys: list[str] = []
    off: list[str] = []
    back: list[str] = []
    toggles: list[str] = []
    for group in plan.groups:
        name, called = layer_of(group.name), said(group.name)
        more, less = traits.named(f"{name} off"), traits.named(f"{name} back")
        keys += [more, less]
        off.append(f"{called} -1")
        back.append(f"{called} +1")
        layers += _layers(plan, group, suffix, more, less)
        buttons.append(_button(plan, more, group.area(), f"cross off {called}"))
        wide = round(width(group.words, TEXT)) + 6
        spot = (group.x - wide // 2, group.y - 1, wide, LABEL - 2)
        buttons.append(_button(plan, less, spot, f"give back {called}"))
    for mount in plan.mounts:
        key = traits.named(f"{layer_of(mount.name)} off")
        weapon_keys.append(key)
        toggles.append(mount.name + OFF_OR_ON)
        layers.append(_mount_layer(plan, mount, suffix, key))
        buttons.append(_button(plan, key, (mount.x, mount.y, MOUNT, MOUNT_HIGH), f"cross off {mount.name}"))
    return buttons, layers, (off, back, toggles), keys, weapon_keys


def _button(plan: Plan, key: str, spot: tuple[int, int, int, int], what: str) -> Trait:
    x, y, wide, high = spot
    place = (x - WIDE // 2, y - plan.high // 2, wide, high)
    return Trait(sequence.encode(["button", key, *map(str, place), what], ";"), "")


def _layers(plan: Plan, group: Group, suffix: str, more: str, less: str) -> Iterator[Trait]:
    own, called = layer_of(group.name), said(group.name)
    for place, (first, row) in enumerate(_rows(group)):
        images = [strip_name(row.way, row.strip, n) + suffix for n in range(row.count + 1)]
        if not place:  # its level counts the boxes of all rows
            images += images[-1:] * (group.count - row.count)
        yield traits.layer(
            _row_name(group, place),
            images,
            ("", f"{called} -1", f"{called} +1") if not place else ("", "", ""),
            ("", more, less) if not place else ("", "", ""),
            "1",
            at=_middle(plan, row),
            follows=(f"{own}_Level", first + 1) if place else None,
        )


def _middle(plan: Plan, row: Row) -> tuple[int, int]:
    """Where the middle of the crosses over a row lies, from the middle of the board."""
    wide, high = strip_size(row.way, row.strip)
    left = row.x - 1 if row.way != "inward" else row.x + BOX + 1 - wide
    return left + wide // 2 - WIDE // 2, row.y - 1 + high // 2 - plan.high // 2


def _mount_layer(plan: Plan, mount: Mount, suffix: str, key: str) -> Trait:
    at = (mount.x + MOUNT // 2 - WIDE // 2, mount.y + MOUNT_HIGH // 2 - plan.high // 2)
    commands = (mount.name + OFF_OR_ON, "", "")
    return traits.layer(layer_of(mount.name), [MOUNT_CROSS + suffix], commands, (key, "", ""), "-1", at=at)
