"""The reports of one moment as bytes: a pure matter of the log, the state and a few things more; no file is touched.

:mod:`pbem.games.storage.publish` gathers what they are made of and writes them; in between they may be made in another
process or on another machine (:mod:`pbem.games.errand`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.dice import Source
from pbem.engine.events import UMPIRE, Record
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.messages import Kept, words_for
from pbem.games.proof.proof import proofs_from
from pbem.games.storage.bare import Papers, bare_papers, is_bare
from pbem.games.storage.beside import beside, spare
from pbem.games.storage.players import Tenure, as_played
from pbem.games.storage.terms import Terms
from pbem.games.table import POSITIONS
from pbem.vassal_bridge.binding import Binding

FORM = "orders.html"
"""The order form page of a side that owes orders; it goes with his mail."""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What reports are made of beside log and state: who plays, what players wrote to one another, and which counters
    stand for what (``table`` is ``False`` where a faulty vassal.toml keeps the save away).
    """

    terms: Terms
    players: dict[str, str]
    tenures: list[Tenure] = []
    names: dict[str, str] = {}
    messages: list[Kept] = []
    binding: Binding | None = None
    table: bool = True


def positions(around: Around, records: Sequence[Record]) -> bytes:
    """The positions after ``records`` as a save; nothing where there can be none: a module that has no counter for a
    unit, or a vassal.toml that is faulty, keeps the save away (``pbem export`` says why).
    """
    from pbem.vassal_bridge.positions import write_positions

    if not around.table or is_bare():
        return b""
    with TemporaryDirectory(prefix="pbem-") as scratch:
        made = Path(scratch) / POSITIONS
        try:
            write_positions(records, made, around.binding)
        except GameError:
            return b""
        return made.read_bytes()


@contextmanager
def made_beside(
    around: Around, records: Sequence[Record], state: State, scenario: Scenario, *, alone: bool = True
) -> Iterator[Callable[[], bytes]]:
    """Hands out the save of the positions once it is asked for. Within this, one copy of this process draws the map of
    mails and another makes the save, for a command that is ``alone`` at work; where there is no core to spare, or
    nothing came of it, whoever asks makes them.
    """
    from pbem.reports.html.templates import environment
    from pbem.reports.map.picture import made_elsewhere, picture_made
    from pbem.reports.view.build import build_view

    def made_here() -> bytes:
        return positions(around, records)

    if not (alone and spare()):
        yield cache(made_here)
        return
    environment()  # all of them need it: it is loaded once
    reader = next((side.name for side in state.sides.values() if not side.robot), UMPIRE)
    told = as_played(around.tenures, records, state.stands[0], around.names)
    # The map takes longest. That a copy came to its end is told from there being no save by a sign before it.
    with (
        beside(lambda: picture_made(build_view(told, reader))) as picture,
        beside(lambda: _MADE + made_here()) as save,
        made_elsewhere(picture),
    ):
        yield cache(lambda: save().removeprefix(_MADE) if save() else made_here())


_MADE = b"+"


def papers(
    around: Around,
    log: Sequence[Record],
    records: Sequence[Record],
    state: State,
    scenario: Scenario,
    source: Source | None,
    save: Callable[[], bytes],
) -> Papers:
    """The reports after ``records`` (those that count of ``log``), with ``save`` in the mails, which is asked for once
    it is needed. ``source`` knows what of the dice is told now; ``None`` where the secret is not at hand.
    """
    if is_bare():
        return bare_papers(records, state)
    from pbem.reports.draft.drafts import draft_for
    from pbem.reports.form.form import form_html
    from pbem.reports.html.page import WHOLE
    from pbem.reports.html.whole_game import whole_html
    from pbem.reports.mail.mime import Attachment
    from pbem.reports.render import mailed, written
    from pbem.reports.view.build import build_whole

    readers = sorted(side.name for side in state.sides.values() if not side.robot)
    request = state.request
    proof = proofs_from(around.terms.dice, source, log, records)
    told = as_played(around.tenures, records, state.stands[0], around.names)
    owing = [reader for reader in readers if request is not None and reader in request.sides]
    drafts = {reader: draft_for(state, scenario, request, reader) for reader in owing if request is not None}
    pages = {reader: encoded(form_html(records, reader, scenario, draft)) for reader, draft in drafts.items()}
    found: Papers = {}
    reports = {}
    wholes = {}
    for reader in (*readers, UMPIRE):
        if state.over:  # in the place of the form, and no heavier
            wholes[reader] = whole_html(build_whole(told, reader, scenario=scenario), record=True)
        reports[reader] = written(
            told, reader, draft=drafts.get(reader, ""), proof=proof(reader), scenario=scenario,
            words=words_for(around.messages, reader),
        )  # fmt: skip
    # What others make meanwhile is waited for now: mails hold all the rest.
    table = save()
    enclosed = [Attachment(POSITIONS, table, "octet-stream", "application")] if table else []
    for reader, report in reports.items():
        files: dict[str, bytes | None] = {}
        draft, draft_name, forms = "", "", []
        if request is not None and reader in drafts:
            draft, form = drafts[reader], pages[reader]
            draft_name = f"{reader}.r{request.number}.orders"
            files |= {"orders.draft": encoded(draft), FORM: form}
            forms = [Attachment(FORM, form, "html")] if draft else []
        else:
            files |= {"orders.draft": None, FORM: None}
        if reader in wholes:
            forms, files[WHOLE] = [Attachment(WHOLE, wholes[reader], "html")], encoded(wholes[reader])
        address = around.players.get(reader, "")
        mail = mailed(
            report, to=address if "@" in address else "", draft=draft, draft_name=draft_name,
            enclosed=[*forms, *enclosed],
        )  # fmt: skip
        files |= {"mail.eml": mail, "sitrep.html": encoded(report.html), "sitrep.txt": encoded(report.text)}
        found[reader] = files
    return found


def encoded(text: str) -> bytes:
    """Text as it stands in a file."""
    return text.encode("utf-8", errors="replace")
