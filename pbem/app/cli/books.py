"""The commands ships, scenarios, charts and rules, which show the data and rules of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import Json, arg, columns, into, listing, opt, refusal, say, styled, tell, together

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pbem.data.scenarios import Scenario, ScenarioSide
    from pbem.data.ships import ShipClass


_WHICH = "Show only this one; default: list all."
Unsure = Annotated[
    bool, opt("List the figures that are estimates or come from one source only.", "--unsure", show_default=False)
]
Form = Annotated[Path | None, into("With --unsure: write them to a file to fill in.")]
Figures = Annotated[
    Path | None,
    opt("Check and use your own figures in this folder.", "--figures", metavar="FOLDER", readable=False),
]
ShipName = Annotated[str, arg("[NAME]", _WHICH, offer=complete.ships)]
ScenarioName = Annotated[str, arg("[NAME]", _WHICH, offer=complete.scenarios)]
ChartName = Annotated[str, arg("[NAME]", _WHICH, offer=complete.charts)]
RuleName = Annotated[str, arg("[NAME]", _WHICH, offer=complete.rules)]


@contextmanager
def _with(figures: Path | None) -> Iterator[None]:
    """Use the figures in a folder instead of the shipped ones while this context is open.

    The figures are checked first. ``None`` replaces nothing.
    """
    from pbem.data.files import playing_with
    from pbem.data.house_figures import read_figures, verify_figures

    if figures is None:
        yield
        return
    if not figures.is_dir():
        raise refusal("no-such-folder", "there is no such folder of figures", file=str(figures))
    own = read_figures(figures)
    verify_figures(own)
    with playing_with(own):
        yield


def _unsure(kind: str, name: str, output: Path | None, *, json: bool) -> None:
    """Print the uncertain figures of a kind of data: estimates, and figures that have only one source.

    If ``output`` is given, write the figures to that file instead, as a form in which a user can enter the correct
    figures.
    """
    from pbem.data.files import keys, locate
    from pbem.data.house_figures import form, toml_value, unsure
    from pbem.games.storage.files import write_text

    key = name.removeprefix("#")
    if key:
        locate(kind, key)
    found = [doubt for one in keys(kind) if key in ("", one) for doubt in unsure(kind, one)]
    if output is not None:
        write_text(output, form(kind, found))
        text = f"{output}: {len(found)} figures to look up. Take the # from a line and write what the book has."
        say({"file": output, "figures": len(found)}, text, json=json)
        return
    if not found and not json:
        say([], f"No figure{f' of {key}' if key else ''} is an estimate or comes from one source only.", json=json)
        return
    rows = [(doubt.key, doubt.figure, doubt.confidence, toml_value(doubt.value)) for doubt in found]
    data = [{"key": d.key, "figure": d.figure, "value": d.value, "confidence": d.confidence} for d in found]
    _table(data, rows, "KEY", "FIGURE", "CONFIDENCE", "SHIPPED", json=json)


def _look_up(
    kind: str, name: str, show: Callable[[str, bool], None], unsure: bool, output: Path | None, figures: Path | None,
    json: bool,
) -> None:  # fmt: skip
    """Show one data file of a kind (such as a ship), all files of the kind, or uncertain figures.

    ``show`` prints one file or the list.
    """
    if output is not None and not unsure:
        raise typer.BadParameter("use -o only with --unsure", param_hint="-o")
    with _with(figures):
        _unsure(kind, name, output, json=json) if unsure else show(name, json)


def _table(data: Any, rows: Sequence[tuple[str, ...]], *heads: str, json: bool) -> None:
    """Print rows in columns, with headings on a terminal, or ``data`` as JSON."""
    tell(
        data, "\n".join(columns(rows, "")), lambda: listing(rows, heads, ("bold", "cyan")[: len(heads) - 1]), json=json
    )


def ships(
    name: ShipName = "", unsure: Unsure = False, output: Form = None, figures: Figures = None, json: Json = False
) -> None:
    """List the ship classes, or show one (a key, or the path of your own file)."""
    _look_up("ship", name, _ships, unsure, output, figures, json)


def _ships(name: str, json: bool) -> None:
    from pbem.data.ships import ship_class, ship_keys

    if name:
        kind = ship_class(name)
        tell(kind, "\n".join(_ship_lines(kind)), lambda: _ship_drawn(kind), json=json)
        return
    rows = [(kind.key, kind.race, kind.class_name, kind.name) for kind in map(ship_class, ship_keys())]
    data = [dict(zip(("key", "race", "class", "name"), row, strict=True)) for row in rows]
    _table(data, rows, "KEY", "RACE", "CLASS", "NAME", json=json)


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


def scenarios(
    name: ScenarioName = "", unsure: Unsure = False, output: Form = None, figures: Figures = None, json: Json = False
) -> None:
    """List the scenarios, or show one (a number, or the path of your own file)."""
    _look_up("scenario", name, _scenarios, unsure, output, figures, json)


def _scenarios(name: str, json: bool) -> None:
    from pbem.data.scenarios import scenario, scenario_keys

    if name:
        found = scenario(name)
        tell(found, "\n".join(_scenario_lines(found)), lambda: _scenario_drawn(found), json=json)
        return
    all_ = [scenario(key) for key in scenario_keys()]
    rows: list[tuple[str, ...]] = []
    for one in all_:
        rows.append((f"#{one.number}", one.level, one.title))
        rows += [(f"#{one.key}-{name}", "variant", title) for name, title in one.variants.items()]
    data = [{"number": one.number, "level": one.level, "title": one.title, "variants": one.variants} for one in all_]
    _table(data, rows, "NUMBER", "LEVEL", "TITLE", json=json)


def _scenario_heading(setting: Scenario) -> str:
    board = f"map {setting.map[0]} to {setting.map[1]}"
    return f"#{setting.key} {setting.title}, {setting.level}, {setting.impulses} impulses, {board}"


def _side_heading(side: ScenarioSide) -> str:
    robot = {
        "no": "",
        "may": "; may be the robot's",
        "must": "; the robot's",
        "unless": "; the robot's unless a player is named",
    }[side.robot]
    return f"{side.name}: {side.role or side.race}{robot}"


def _scenario_units(setting: Scenario, side: str) -> list[tuple[str, ...]]:
    return [
        (unit.name, unit.ship, f"{unit.hex}{unit.facing}", "optional, --with" if unit.optional else "")
        for unit in setting.units_of(side)
    ]


def _variants(setting: Scenario) -> list[tuple[str, str]]:
    return [(f"#{setting.number}-{name}", title) for name, title in setting.variants.items()]


def _scenario_lines(setting: Scenario) -> list[str]:
    lines = [_scenario_heading(setting)]
    for side in setting.sides:
        lines += [_side_heading(side), *columns(_scenario_units(setting, side.name))]
    lines += ["Variants:", *columns(_variants(setting))] if setting.variants else []
    lines += [*setting.rules, *(f"Note: {note}" for note in setting.notes)]
    lines.append(f"source: {setting.source} ({setting.confidence})")
    return lines


def _scenario_drawn(setting: Scenario) -> RenderableType:
    parts: list[RenderableType] = [styled(_scenario_heading(setting), "bold"), ""]
    for side in setting.sides:
        parts.append(styled(_side_heading(side), "bold cyan"))
        parts.append(listing(_scenario_units(setting, side.name), styles=("bold", "", "green")))
    if setting.variants:
        parts += [styled("Variants", "bold cyan"), listing(_variants(setting), styles=("bold", ""))]
    parts += ["", *setting.rules, *(f"Note: {note}" for note in setting.notes), ""]
    return together(*parts, styled(f"source: {setting.source} ({setting.confidence})", "grey66"))


def charts(
    name: ChartName = "", unsure: Unsure = False, output: Form = None, figures: Figures = None, json: Json = False
) -> None:
    """List the charts, or show one."""
    _look_up("chart", name, _charts, unsure, output, figures, json)


def _charts(name: str, json: bool) -> None:
    from pbem.data.files import keys, locate, own_figures, read_toml
    from pbem.data.house_figures import toml_text

    if name:
        raw, _ = read_toml("chart", name)
        text = "" if json else locate("chart", name).read_text(encoding="utf-8").rstrip("\n")
        if name in own_figures().tables.get("chart", {}) and not json:
            text = toml_text(raw)
        tell(raw, text, lambda: _toml(text), json=json)
        return
    titles: dict[str, Any] = {key: read_toml("chart", key)[0].get("title", "") for key in keys("chart")}
    _table(titles, list(titles.items()), "CHART", "TITLE", json=json)


def _toml(text: str) -> RenderableType:
    from rich.syntax import Syntax

    return Syntax(text, "toml", theme="ansi_dark", background_color="default", word_wrap=True)


def rules(name: RuleName = "", json: Json = False) -> None:
    """List the rule chapters, or show how the program plays a rule.

    NAME is a chapter, a rule (E4.22, robot 3) or a group of rules (E4, FD).
    """
    from pbem.app.cli.rulebook import answer

    data, text = answer(name)
    say(data, text, json=json)
