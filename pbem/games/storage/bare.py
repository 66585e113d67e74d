"""Bare papers: mails without reports, for who only wants to know what a host would do, and wants to know it soon.

Within :func:`bare` every mail is a line and a draft without hints, nothing is drawn, and no archive is packed; play,
orders, dice and the log are what they always are. Only copies of games are worked on so (:mod:`pbem.club.rehearsal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pbem.engine.events import UMPIRE, Record
from pbem.engine.state import State
from pbem.games.storage.files import unsynced
from pbem.orders.header import answer_line

Papers = dict[str, dict[str, bytes | None]]
"""The files of each reader by name, in the order in which they are written; ``None`` is one that is not to be there."""

_BARE: ContextVar[bool] = ContextVar("bare", default=False)


@contextmanager
def bare() -> Iterator[None]:
    """Within this, papers are bare, and nobody waits for the disk."""
    token = _BARE.set(True)
    try:
        with unsynced():
            yield
    finally:
        _BARE.reset(token)


def is_bare() -> bool:
    """Whether papers are bare now."""
    return _BARE.get()


def bare_draft(state: State, reader: str) -> str:
    """What is asked of a side, and nothing else."""
    assert state.request is not None
    return f"{answer_line(state.game, reader, state.request)}\nEND\n"


def bare_papers(records: Sequence[Record], state: State) -> Papers:
    """The reports after ``records`` (those that count) in so far as a host needs them to go on: a mail for each reader,
    known by the same word as the whole one would be to the desk, and what it asks.
    """
    from pbem.reports.mail.mime import Attachment, composed
    from pbem.reports.mail.sitrep_mail import identity_of

    request, found = state.request, Papers()
    number = request.number if request is not None else 0
    for reader in (*sorted(side.name for side in state.sides.values() if not side.robot), UMPIRE):
        identity = identity_of(state.game, *state.stands, number, reader, records[-1].n)
        subject, draft = f"{state.game} {state.stands[0]}.{number} SITREP", b""
        if request is not None and reader in request.sides:
            draft = bare_draft(state, reader).encode()
        mail = composed(
            identity,
            (("Subject", subject), ("Message-ID", f"<{identity}@pbem.invalid>")),
            text=f"{subject}\n",
            attachments=[Attachment(f"{reader}.r{number}.orders", draft)] if draft else [],
        )
        found[reader] = {"orders.draft": draft or None, "mail.eml": mail, "sitrep.txt": f"{subject}\n".encode()}
    return found
