"""What the table of an evening and a club's door show and take alike: a side's papers, and the check of its orders."""

from __future__ import annotations

from typing import Final

from pbem.errors import GameError
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.papers import FORM
from pbem.games.storage.publish import PROOF, reports_folder, write_form, write_whole
from pbem.games.submit import Receipt, check
from pbem.games.table import LATE, POSITIONS
from pbem.reports.draft.drafts import draft_for
from pbem.reports.html.page import WHOLE

FILES: Final = {"report": "sitrep.html", "form": FORM, WHOLE: WHOLE}
"""The papers of a side, and the files they are; beside them ``proof.html`` and ``positions.vsav`` are everybody's."""


def paper(game: GameFolder, side: str, what: str) -> bytes:
    """The report (``report``) or order form (``form``) that a side is sent, byte for byte, or the whole game
    (``replay.html``) or the proof (``proof.html``) of one that is over; or the positions for VASSAL
    (``positions.vsav``). What an earlier version did not write is made. Raises :class:`GameError` where there is none
    now.
    """
    folder, state = reports_folder(game), game.state()
    everybodys = {PROOF: folder / PROOF, POSITIONS: folder.parent / POSITIONS}
    file = everybodys.get(what) or folder / side / FILES[what]
    if not file.is_file():
        if what == "form" and state.request is not None and side in state.request.sides:
            write_form(game, side, draft_for(state, game.scenario(), state.request, side))
        elif what == WHOLE and state.over:
            file = write_whole(game, side)
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise GameError.saying("no-page", f"there is no {what} of {side} now") from None


def has_save(game: GameFolder) -> bool:
    """Whether there is a save of the positions as they are: a module may have no counter for a unit."""
    folder = reports_folder(game).parent
    return (folder / POSITIONS).is_file() and not (folder / LATE).is_file()


def checked(game: GameFolder, side: str, text: str) -> Receipt:
    """What orders would amount to; nothing is filed. Raises :class:`GameError` with every fault, and for orders of
    another side: they are no business of who plays this one.
    """
    receipt = check(game, text, "")
    if receipt.side != side:
        raise GameError.saying("wrong-side", f"these are orders of {receipt.side}, not of {side}")
    return receipt
