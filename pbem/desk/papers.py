"""The reports of one moment as bytes: a pure matter of the log, the state and a few things more; no file is touched.

:mod:`pbem.desk.publish` gathers what they are made of and writes them; in between they may be made in another process
or on another machine (:mod:`pbem.desk.errand`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pbem.data.scenarios import Scenario
from pbem.desk.messages import Kept, words_for
from pbem.desk.players import Tenure, as_played
from pbem.desk.proof import proofs_from
from pbem.desk.table import POSITIONS
from pbem.desk.terms import Terms
from pbem.faults import GameError
from pbem.game.dice import Source
from pbem.game.events import UMPIRE, Record
from pbem.game.state import State
from pbem.tabletop.binding import Binding

FORM = "orders.html"
"""The order form page of a side that owes orders; it goes with his mail."""

Papers = dict[str, dict[str, bytes | None]]
"""The files of each reader by name, in the order in which they are written; ``None`` is one that is not to be there."""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What reports are made of beside log and state: who plays, what players wrote to one another, and which counters
    stand for what (``table`` is ``False`` where a faulty vassal.toml keeps the save away).
    """

    terms: Terms
    players: dict[str, str]
    tenures: list[Tenure] = []
    messages: list[Kept] = []
    binding: Binding | None = None
    table: bool = True


def positions(around: Around, records: Sequence[Record]) -> bytes:
    """The positions after ``records`` as a save; nothing where there can be none: a module that has no counter for a
    unit, or a vassal.toml that is faulty, keeps the save away (``pbem export`` says why).
    """
    from pbem.tabletop.positions import write_positions

    if not around.table:
        return b""
    with TemporaryDirectory(prefix="pbem-") as scratch:
        made = Path(scratch) / POSITIONS
        try:
            write_positions(records, made, around.binding)
        except GameError:
            return b""
        return made.read_bytes()


def papers(
    around: Around,
    log: Sequence[Record],
    records: Sequence[Record],
    state: State,
    scenario: Scenario,
    source: Source | None,
    save: bytes,
) -> Papers:
    """The reports after ``records`` (those that count of ``log``), with ``save`` in the mails. ``source`` knows what of
    the dice is told now; ``None`` where the secret is not at hand.
    """
    from pbem.desk.drafts import draft_for
    from pbem.report.form import form_html
    from pbem.report.mail import Attachment
    from pbem.report.render import render

    enclosed = [Attachment(POSITIONS, save, "octet-stream", "application")] if save else []
    readers = sorted(side.name for side in state.sides.values() if not side.robot)
    request = state.request
    proof = proofs_from(around.terms.dice, source, log, records)
    told = as_played(around.tenures, records, state.stands[0])
    found: Papers = {}
    for reader in (*readers, UMPIRE):
        files: dict[str, bytes | None] = {}
        draft, draft_name, forms = "", "", []
        if request is not None and reader in request.sides:
            draft = draft_for(state, scenario, request, reader)
            draft_name = f"{reader}.r{request.number}.orders"
            form = encoded(form_html(records, reader, scenario, draft))
            files |= {"orders.draft": encoded(draft), FORM: form}
            forms = [Attachment(FORM, form, "html")] if draft else []
        else:
            files |= {"orders.draft": None, FORM: None}
        address = around.players.get(reader, "")
        report = render(
            told, reader, to=address if "@" in address else "", draft=draft, draft_name=draft_name,
            enclosed=[*forms, *enclosed], proof=proof(reader), scenario=scenario,
            words=words_for(around.messages, reader),
        )  # fmt: skip
        files |= {"mail.eml": report.mail, "sitrep.html": encoded(report.html), "sitrep.txt": encoded(report.text)}
        found[reader] = files
    return found


def encoded(text: str) -> bytes:
    """Text as it stands in a file."""
    return text.encode("utf-8", errors="replace")
