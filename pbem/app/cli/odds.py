"""The command odds: the possible scores of a volley with their probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli.output import Json, arg, opened, print_json, refusal

if TYPE_CHECKING:
    from pbem.engine.checking.never import Prospect


def odds(
    volley: Annotated[str, arg("VOLLEY|GAME", 'A volley ("4 PH-1, 2 PHOT AT RANGE 5"), or a game\'s folder.')],
    orders: Annotated[Path | None, arg("[ORDERS]", "For a game: the order file with the shots.")] = None,
    json: Json = False,
) -> None:
    """Show the exact odds of a volley.

    It shows the mean, the chance of each total, and the chances that the shield falls and that internals follow.
    """
    if orders is not None:
        _of_orders(Path(volley), orders, json=json)
        return
    if volley and Path(volley).is_dir():
        raise refusal("no-orders", "name the order file with the shots: pbem odds GAME ORDERS", file=volley)
    _of_words(volley, json=json)


def _of_words(text: str, *, json: bool) -> None:
    from pbem.orders.freehand import freehand
    from pbem.reports.view.statistics import figures, odds_lines
    from pbem.rules.direct_fire import volley

    asked = freehand(text)
    found = volley(asked.aims, asked.certain)
    stop = (asked.shield, 0, asked.reinforcement)
    if json:
        print_json({"weapons": asked.words, "odds": figures(found, *stop)})
        return
    strikes = [f"{asked.certain} points of these are torpedoes that hit without a roll"] if asked.certain else []
    typer.echo("\n".join([", ".join(asked.words), *strikes, *odds_lines(found, *stop)]))


def _of_orders(game: Path, orders: Path, *, json: bool) -> None:
    from pbem.app.cli.play import order_text
    from pbem.games.preview import odds_of

    with opened(game) as folder:
        side, found, unsaid = odds_of(folder, order_text(orders), str(orders))
        if json:
            print_json({"side": side, "shots": [_data(each) for each in found], "unsaid": unsaid})
            return
        lines = [line for each in found for line in [*_words(each), ""]]
    lines += unsaid or ([] if found else ["these orders do not fire anything"])
    typer.echo("\n".join(lines).rstrip())


def _stop(prospect: Prospect) -> tuple[int | None, int, int]:
    return (prospect.stop.boxes, prospect.stop.general, prospect.stop.specific) if prospect.stop else (None, 0, 0)


def _data(prospect: Prospect) -> dict[str, Any]:
    from pbem.reports.view.statistics import by_range, figures, tenths

    return {
        "line": prospect.line,
        "order": prospect.text,
        "unit": prospect.unit,
        "target": prospect.target,
        "weapons": prospect.weapons,
        "range": prospect.range,
        "shield": prospect.stop.number if prospect.stop else 0,
        "odds": figures(prospect.odds, *_stop(prospect)),
        "by_range": [
            {"first": first, "last": last, "mean": float(odds.mean), "expected": tenths(odds.mean)}
            for first, last, odds in by_range(prospect.by_range)
        ],
    }


def _words(prospect: Prospect) -> list[str]:
    from pbem.reports.view.statistics import by_range, odds_lines, percent, tenths

    shield = f", shield #{prospect.stop.number}" if prospect.stop else ""
    lines = [f"line {prospect.line}, {prospect.unit}: {prospect.text}"]
    lines.append(f"now: {prospect.target} at range {prospect.range}{shield}")
    lines += odds_lines(prospect.odds, *_stop(prospect))
    boxes, general, specific = _stop(prospect)
    for first, last, odds in by_range(prospect.by_range):
        reach = str(first) if first == last else f"{first} to {last}"
        down = f", down {percent(odds.breaks(boxes, general, specific))}" if boxes is not None else ""
        lines.append(f"at range {reach}: average {tenths(odds.mean)}{down}")
    return lines
