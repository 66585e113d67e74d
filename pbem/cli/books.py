"""ships, scenarios, charts, rules: what the project knows of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.output import Json, columns, say

if TYPE_CHECKING:
    from pbem.data.scenarios import Scenario
    from pbem.data.ships import ShipClass

Name = Annotated[
    str, typer.Argument(metavar="[NAME]", help="One of them; otherwise all are listed.", show_default=False)
]


def ships(name: Name = "", json: Json = False) -> None:
    """List the classes of ships, or show one (a key, or the path of your own file)."""
    from pbem.data.ships import ship_class, ship_keys

    if name:
        kind = ship_class(name)
        say(kind, "\n".join(_ship_lines(kind)), json=json)
        return
    kinds = [ship_class(key) for key in ship_keys()]
    rows = [(kind.key, kind.race, kind.class_name, kind.name) for kind in kinds]
    say([{"key": k.key, "race": k.race, "class": k.class_name, "name": k.name} for k in kinds],
        "\n".join(columns(rows, "")), json=json)  # fmt: skip


def _ship_lines(kind: ShipClass) -> list[str]:
    lines = [f"{kind.name} ({kind.key})", *columns([
        ("race and class", f"{kind.race} {kind.class_name}"),
        ("shields #1 to #6", " ".join(map(str, kind.shields))),
        ("energy for a hex", str(kind.move_cost)),
        ("turn modes to speed", " ".join(map(str, kind.turn_modes))),
        *((box, str(count)) for box, count in kind.boxes.items()),
    ])]  # fmt: skip
    lines.append("weapons")
    lines += columns(
        [(spec.name, spec.kind, f"{spec.arc}{f'  {spec.ammo} drones' if spec.ammo else ''}") for spec in kind.weapons]
    )
    lines.append(f"source: {kind.source} ({kind.confidence})")
    return lines


def scenarios(name: Name = "", json: Json = False) -> None:
    """List the scenarios, or show one (a number, or the path of your own file)."""
    from pbem.data.scenarios import scenario, scenario_keys

    if name:
        found = scenario(name)
        say(found, "\n".join(_scenario_lines(found)), json=json)
        return
    all_ = [scenario(key) for key in scenario_keys()]
    rows = [
        row
        for one in all_
        for row in [
            (f"#{one.number}", one.level, one.title),
            *((f"#{one.key}-{name}", "variant", title) for name, title in one.variants.items()),
        ]
    ]
    say([{"number": one.number, "level": one.level, "title": one.title, "variants": one.variants} for one in all_],
        "\n".join(columns(rows, "")), json=json)  # fmt: skip


def _scenario_lines(found: Scenario) -> list[str]:
    lines = [
        f"#{found.key} {found.title}, {found.level}, {found.impulses} impulses, map {found.map[0]} to {found.map[1]}"
    ]
    for side in found.sides:
        robot = {
            "no": "",
            "may": "; may be the robot's",
            "must": "; the robot's",
            "unless": "; the robot's unless a player is named",
        }[side.robot]
        lines.append(f"{side.name}: {side.role or side.race}{robot}")
        lines += columns(
            [
                (
                    unit.name,
                    unit.ship,
                    f"{unit.hex}{unit.facing}",
                    "optional, --with" if unit.optional else "",
                )
                for unit in found.units
                if unit.side == side.name
            ]
        )
    if found.variants:
        lines.append("Variants:")
        lines += columns([(f"#{found.number}-{name}", title) for name, title in found.variants.items()])
    lines += [*found.rules, *(f"Note: {note}" for note in found.notes)]
    lines.append(f"source: {found.source} ({found.confidence})")
    return lines


def charts(name: Name = "", json: Json = False) -> None:
    """List the charts, or show one."""
    from pbem.data.files import keys, locate, read_toml

    if name:
        raw, _ = read_toml("chart", name)
        say(raw, "" if json else locate("chart", name).read_text(encoding="utf-8").rstrip("\n"), json=json)
        return
    titles: dict[str, Any] = {key: read_toml("chart", key)[0].get("title", "") for key in keys("chart")}
    say(titles, "\n".join(columns(list(titles.items()), "")), json=json)


def rules(name: Name = "", json: Json = False) -> None:
    """List the chapters of rules the engine knows, or say what it makes of one of them, of a rule (E4.22, robot 3) or
    of a group of rules (E4, FD).
    """
    from pbem.cli.rulebook import answer

    data, text = answer(name)
    say(data, text, json=json)
