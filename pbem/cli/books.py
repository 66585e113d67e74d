"""ships, scenarios, charts, rules: what the project knows of the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli import complete
from pbem.cli.drawing import listing, styled, tell, together
from pbem.cli.output import Json, columns, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pbem.data.scenarios import Scenario, ScenarioSide
    from pbem.data.ships import ShipClass


def _name(offered: Callable[[str], complete.Offered]) -> Any:
    """One of a list, or nothing for all of it."""
    help = "One of them; otherwise all are listed."
    return typer.Argument(metavar="[NAME]", help=help, show_default=False, autocompletion=offered)


ShipName = Annotated[str, _name(complete.ships)]
ScenarioName = Annotated[str, _name(complete.scenarios)]
ChartName = Annotated[str, _name(complete.charts)]
RuleName = Annotated[str, _name(complete.rules)]


def ships(name: ShipName = "", json: Json = False) -> None:
    """List the classes of ships, or show one (a key, or the path of your own file)."""
    from pbem.data.ships import ship_class, ship_keys

    if name:
        kind = ship_class(name)
        tell(kind, "\n".join(_ship_lines(kind)), lambda: _ship_drawn(kind), json=json)
        return
    kinds = [ship_class(key) for key in ship_keys()]
    rows = [(kind.key, kind.race, kind.class_name, kind.name) for kind in kinds]
    tell([{"key": k.key, "race": k.race, "class": k.class_name, "name": k.name} for k in kinds],
         "\n".join(columns(rows, "")), lambda: listing(rows, ("KEY", "RACE", "CLASS", "NAME"), ("bold", "cyan")),
         json=json)  # fmt: skip


def _ship_figures(kind: ShipClass) -> list[tuple[str, str]]:
    return [
        ("race and class", f"{kind.race} {kind.class_name}"),
        ("shields #1 to #6", " ".join(map(str, kind.shields))),
        ("energy for a hex", str(kind.move_cost)),
        ("turn modes to speed", " ".join(map(str, kind.turn_modes))),
        *((box, str(count)) for box, count in kind.boxes.items()),
    ]


def _ship_weapons(kind: ShipClass) -> list[tuple[str, str, str]]:
    return [
        (spec.name, spec.kind, f"{spec.arc}{f'  {spec.ammo} drones' if spec.ammo else ''}") for spec in kind.weapons
    ]


def _ship_lines(kind: ShipClass) -> list[str]:
    lines = [f"{kind.name} ({kind.key})", *columns(_ship_figures(kind))]
    lines += ["weapons", *columns(_ship_weapons(kind))]
    lines.append(f"source: {kind.source} ({kind.confidence})")
    return lines


def _ship_drawn(kind: ShipClass) -> RenderableType:
    return together(
        styled(f"{kind.name} ({kind.key})", "bold"),
        listing(_ship_figures(kind), styles=("grey66",)),
        listing(_ship_weapons(kind), ("WEAPON", "KIND", "ARC"), ("bold", "cyan")),
        styled(f"source: {kind.source} ({kind.confidence})", "grey66"),
    )


def scenarios(name: ScenarioName = "", json: Json = False) -> None:
    """List the scenarios, or show one (a number, or the path of your own file)."""
    from pbem.data.scenarios import scenario, scenario_keys

    if name:
        found = scenario(name)
        tell(found, "\n".join(_scenario_lines(found)), lambda: _scenario_drawn(found), json=json)
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
    tell([{"number": one.number, "level": one.level, "title": one.title, "variants": one.variants} for one in all_],
         "\n".join(columns(rows, "")), lambda: listing(rows, ("NUMBER", "LEVEL", "TITLE"), ("bold", "cyan")),
         json=json)  # fmt: skip


def _scenario_heading(found: Scenario) -> str:
    board = f"map {found.map[0]} to {found.map[1]}"
    return f"#{found.key} {found.title}, {found.level}, {found.impulses} impulses, {board}"


def _side_heading(side: ScenarioSide) -> str:
    robot = {
        "no": "",
        "may": "; may be the robot's",
        "must": "; the robot's",
        "unless": "; the robot's unless a player is named",
    }[side.robot]
    return f"{side.name}: {side.role or side.race}{robot}"


def _scenario_units(found: Scenario, side: str) -> list[tuple[str, ...]]:
    return [
        (unit.name, unit.ship, f"{unit.hex}{unit.facing}", "optional, --with" if unit.optional else "")
        for unit in found.units
        if unit.side == side
    ]


def _variants(found: Scenario) -> list[tuple[str, str]]:
    return [(f"#{found.number}-{name}", title) for name, title in found.variants.items()]


def _scenario_lines(found: Scenario) -> list[str]:
    lines = [_scenario_heading(found)]
    for side in found.sides:
        lines += [_side_heading(side), *columns(_scenario_units(found, side.name))]
    if found.variants:
        lines.append("Variants:")
        lines += columns(_variants(found))
    lines += [*found.rules, *(f"Note: {note}" for note in found.notes)]
    lines.append(f"source: {found.source} ({found.confidence})")
    return lines


def _scenario_drawn(found: Scenario) -> RenderableType:
    parts: list[RenderableType] = [styled(_scenario_heading(found), "bold"), ""]
    for side in found.sides:
        parts.append(styled(_side_heading(side), "bold cyan"))
        parts.append(listing(_scenario_units(found, side.name), styles=("bold", "", "green")))
    if found.variants:
        parts += [styled("Variants", "bold cyan"), listing(_variants(found), styles=("bold", ""))]
    parts += ["", *found.rules, *(f"Note: {note}" for note in found.notes), ""]
    return together(*parts, styled(f"source: {found.source} ({found.confidence})", "grey66"))


def charts(name: ChartName = "", json: Json = False) -> None:
    """List the charts, or show one."""
    from pbem.data.files import keys, locate, read_toml

    if name:
        raw, _ = read_toml("chart", name)
        text = "" if json else locate("chart", name).read_text(encoding="utf-8").rstrip("\n")
        tell(raw, text, lambda: _toml(text), json=json)
        return
    titles: dict[str, Any] = {key: read_toml("chart", key)[0].get("title", "") for key in keys("chart")}
    rows = list(titles.items())
    tell(titles, "\n".join(columns(rows, "")), lambda: listing(rows, ("CHART", "TITLE"), ("bold",)), json=json)


def _toml(text: str) -> RenderableType:
    from rich.syntax import Syntax

    return Syntax(text, "toml", theme="ansi_dark", background_color="default", word_wrap=True)


def rules(name: RuleName = "", json: Json = False) -> None:
    """List the chapters of rules the engine knows, or say what it makes of one of them, of a rule (E4.22, robot 3) or
    of a group of rules (E4, FD).
    """
    from pbem.cli.rulebook import answer

    data, text = answer(name)
    say(data, text, json=json)
