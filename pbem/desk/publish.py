"""What a game shows: a folder of reports for each request, one for each side and one for the umpire, and the counters
of the turn on the VASSAL table.

Everything here is made from the log alone and may be made again at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pbem.data.scenarios import Scenario
from pbem.desk.files import read_bytes, write_bytes, write_text
from pbem.desk.folder import GameFolder
from pbem.desk.table import POSITIONS, lay_out
from pbem.faults import GameError
from pbem.game.events import UMPIRE, Record, SegmentBegan
from pbem.game.fold import fold_records
from pbem.game.state import Request, State

LAST_WRITTEN = "sitrep.txt"
"""The umpire's text sitrep is written last: where it is, a folder of reports is whole."""
FORM = "orders.html"
"""The order form page of a side that owes orders; it goes with his mail."""
FILES = ("orders.draft", FORM, "mail.eml", "sitrep.html", "sitrep.txt")
ARCHIVE, PROOF = ".pbem.zip", "proof.html"
"""What lies beside the final reports: the archive, for everybody, and the page out of it."""


def publish(game: GameFolder) -> Path:
    """Write the reports of the request in force, or of the end of the game; returns their folder."""
    records = game.effective()
    folder = reports_folder(game)
    _write(game, folder, records, game.state())
    return folder


def reports_folder(game: GameFolder, state: State | None = None) -> Path:
    """Where the reports of the request in force lie, or the final ones."""
    state = state or game.state()
    if state.request is None:
        # A game the umpire ends may wait for orders of a turn that has not begun.
        return game.final_folder(max(state.turn, state.last_request.turn if state.last_request else 0))
    return game.request_folder(state.request.turn, state.request.number)


def is_published(folder: Path) -> bool:
    """Whether a folder of reports is whole."""
    return (folder / UMPIRE / LAST_WRITTEN).is_file()


def publish_all(game: GameFolder) -> None:
    """Write the reports of every request that counts anew, and the final ones."""
    records = game.effective()
    begins = [place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan)]
    for end in begins:
        # What was in the log when play went on: the request and whatever the umpire did after it.
        until = records[:end]
        state = fold_records(until)
        assert state.request is not None
        _write(game, game.request_folder(state.request.turn, state.request.number), until, state)
    state = fold_records(records)
    _write(game, reports_folder(game, state), records, state)


def retract(game: GameFolder, later_than: Request) -> None:
    """Remove the reports of requests after ``later_than`` and final ones: what they tell has been taken
    back.
    """
    for turn in game.turns():
        for folder in sorted((game.path / f"{turn:02}").iterdir()):
            number = folder.name.removeprefix("r")
            is_later = number.isdigit() and (turn, int(number)) > (later_than.turn, later_than.number)
            if folder.is_dir() and (is_later or folder.name == "final"):
                _remove(folder)
        if turn > later_than.turn:
            (game.path / f"{turn:02}" / POSITIONS).unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    """Take away the files this module writes, the umpire's last, and folders that are then empty."""
    for file in (*folder.glob(f"*{ARCHIVE}"), folder / PROOF):
        file.unlink(missing_ok=True)
    for reader in sorted(folder.iterdir(), key=lambda path: path.name == UMPIRE):
        if reader.is_dir():
            for name in FILES:
                (reader / name).unlink(missing_ok=True)
            if not any(reader.iterdir()):
                reader.rmdir()
    if not any(folder.iterdir()):
        folder.rmdir()


def write_form(game: GameFolder, side: str, draft: str) -> Path:
    """Write the order form page of a side that owes orders anew; returns where it is."""
    return _write_form(reports_folder(game), side, game.effective(), game.scenario(), draft)


def _write_form(folder: Path, side: str, records: Sequence[Record], scenario: Scenario, draft: str) -> Path:
    from pbem.report.form import form_html

    page = folder / side / FORM
    write_text(page, form_html(records, side, scenario, draft))
    return page


def _write(game: GameFolder, folder: Path, records: Sequence[Record], state: State) -> None:
    """Reports of one moment: the umpire's after all others, so that his tell that the folder is whole."""
    from pbem.desk.drafts import draft_for
    from pbem.desk.proof import proofs
    from pbem.report.mail import Attachment
    from pbem.report.render import render

    if state.over:
        _archive(game, folder)
    save = lay_out(game.path, folder.parent, records)
    positions = [Attachment(POSITIONS, save, "octet-stream", "application")] if save else []
    scenario = game.scenario()
    players = [side.name for side in state.sides.values() if not side.robot]
    request = state.request
    proof = proofs(game, records)
    for reader in (*sorted(players), UMPIRE):
        seat = game.terms.sides.get(reader)
        draft, draft_name = "", ""
        if request is not None and reader in request.sides:
            draft = draft_for(state, scenario, request, reader)
            draft_name = f"{reader}.r{request.number}.orders"
            write_text(folder / reader / "orders.draft", draft)
            _write_form(folder, reader, records, scenario, draft)
        else:
            for name in ("orders.draft", FORM):
                (folder / reader / name).unlink(missing_ok=True)
        address = seat.player if seat is not None and "@" in seat.player else ""
        form = folder / reader / FORM
        forms = [Attachment(FORM, read_bytes(form), "html")] if draft and form.is_file() else []
        report = render(
            records, reader, to=address, draft=draft, draft_name=draft_name,
            enclosed=[*forms, *positions], proof=proof(reader), scenario=scenario,
        )  # fmt: skip
        write_bytes(folder / reader / "mail.eml", report.mail)
        write_text(folder / reader / "sitrep.html", report.html)
        write_text(folder / reader / LAST_WRITTEN, report.text)


def _archive(game: GameFolder, folder: Path) -> None:
    """The archive of a game that is over. A game whose replay differs has none; `pbem verify` says where."""
    from pbem.desk.archive import archive_name, contents, packed

    with suppress(GameError):
        files = contents(game)
        write_bytes(folder / archive_name(game), packed(files))
        write_bytes(folder / PROOF, files[PROOF])
