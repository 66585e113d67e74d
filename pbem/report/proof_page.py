"""The proof page of a finished game: one file that works out every die again in the reader's browser, offline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from pbem.game.events import Record
from pbem.report import words
from pbem.report.page import allowed, part_of_page, script_safe
from pbem.report.templates import environment


class Proven(Protocol):
    """What the page says of a game's proof; all else it reads in the browser."""

    @property
    def game(self) -> str: ...
    @property
    def scheme(self) -> int: ...
    @property
    def commitment(self) -> str: ...
    @property
    def salts(self) -> str: ...
    @property
    def beacon(self) -> str: ...


def proof_html(proof: Proven, records: Sequence[Record], lines: Sequence[bytes]) -> str:
    """The page. ``proof`` is what proof.json says; ``lines`` are the log's, one for each of ``records`` in their order.
    Pure: same game, same text.
    """
    from markupsafe import Markup

    told = {str(r.n): _sentence(r) for r in records if getattr(r.event, "roll", "") or getattr(r.event, "rolls", ())}
    data: dict[str, Any] = {"proof": proof, "log": [line.decode("utf-8") for line in lines], "told": told}
    style, script = f"{part_of_page('report.css')}\n{part_of_page('proof.css')}", part_of_page("proof.js")
    return (
        environment()
        .get_template("proof.html.j2")
        .render(
            proof=proof,
            style=Markup(style),
            style_hash=Markup(allowed(style)),
            script=Markup(script),
            script_hash=Markup(allowed(script)),
            figures=next((words.played_with(f) for r in records if (f := getattr(r.event, "figures", ()))), ""),
            data=Markup(script_safe(msgspec.json.encode(data, order="deterministic").decode("utf-8"))),
        )
    )


def _sentence(record: Record) -> str:
    event = record.event
    return f"{event.turn}.{event.impulse} {words.sentence(event)}"
