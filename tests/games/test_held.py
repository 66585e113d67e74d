"""Files that another program has open, as Windows refuses them: a virus scanner's moment is waited for, a save that
somebody looks at is told truly and made up for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage import files
from pbem.games.storage.files import patiently, remove, write_bytes
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt
from pbem.mail.transport.sources import EmlFolder
from pbem.reports.map import picture

SHARING_VIOLATION = 32
MOVES = ("replace", "rename", "unlink")
Hold = Callable[..., list[str]]
Snapshot = Callable[[Path], dict[str, bytes]]


def refusal(path: object, winerror: int | None = SHARING_VIOLATION) -> PermissionError:
    """What Windows says; elsewhere ``winerror`` has to be put there."""
    error = PermissionError(13, "Permission denied", str(path))
    if winerror is not None:
        error.winerror = winerror  # type: ignore[attr-defined, unused-ignore]
    return error


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Another program has a file open: the next ``times`` attempts to move or remove it, or to put another in its
    place, are refused. Returns what is noted of them.
    """
    monkeypatch.setattr(files, "PAUSES", (0.0,) * len(files.PAUSES))

    def held(name: str, times: int, winerror: int | None = SHARING_VIOLATION) -> list[str]:
        noted: list[str] = []

        def put(what: str) -> None:
            real = getattr(os, what)

            def do(*args: Any, **more: Any) -> Any:
                if any(Path(one).name == name for one in args) and len(noted) < times:
                    noted.append(what)
                    raise refusal(args[0], winerror)
                return real(*args, **more)

            monkeypatch.setattr(os, what, do)

        for what in MOVES:
            put(what)
        return noted

    return held


def test_what_is_held_for_a_moment_is_written_removed_and_moved(tmp_path: Path, hold: Hold) -> None:
    file = tmp_path / "state.json"
    noted = hold("state.json", 2)
    write_bytes(file, b"new")
    assert file.read_bytes() == b"new" and noted == ["replace"] * 2
    noted = hold("state.json", 2)
    remove(file)
    assert not file.exists() and noted == ["unlink"] * 2
    write_bytes(tmp_path / "in/1.eml", b"From: ann@example.org\n\n")
    noted = hold("1.eml", 2)
    EmlFolder(tmp_path / "in").done("1.eml")
    assert (tmp_path / "in/done/1.eml").is_file() and noted == ["rename"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]  # no temporary file stays


def test_a_new_game_comes_into_being_although_its_folder_is_held_for_a_moment(tmp_path: Path, hold: Hold) -> None:
    noted = hold("duel", 2)
    new("5", tmp_path / "duel", players={"federation": "ann", "klingon": "bob"})
    assert noted == ["replace"] * 2
    with opened(tmp_path / "duel") as game:
        assert game.state().request is not None


def test_patience_lasts_about_a_second_and_only_where_waiting_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    with pytest.raises(PermissionError):
        patiently(refuse_always)
    assert 0.8 <= sum(waited) <= 1.5
    waited.clear()
    for error in (FileNotFoundError(2, "No such file"), OSError(28, "No space left on device")):
        with pytest.raises(type(error)):
            patiently(raising, error)
    if os.name != "nt":
        with pytest.raises(PermissionError):
            patiently(raising, refusal("x", None))
    assert waited == []


def raising(error: OSError) -> None:
    raise error


def refuse_always() -> None:
    raise refusal("x")


def test_what_stays_held_is_told_with_who_may_hold_it(tmp_path: Path, hold: Hold) -> None:
    file = tmp_path / "state.json"
    file.write_bytes(b"old")
    hold("state.json", 1000)
    with pytest.raises(GameError, match=r"in-use: .*another program.*virus scanner.*OneDrive.*it is as it was") as told:
        write_bytes(file, b"new")
    assert "permission" not in str(told.value)
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_a_turn_is_played_while_somebody_looks_at_its_positions(
    game: GameFolder, send: Callable[..., Receipt], duel: Path, hold: Hold, snapshot: Snapshot
) -> None:
    """Told truly; no stale save in any mail; the next command makes up for it."""
    for side in ("federation", "klingon"):
        send(side)
    before = (duel / "01/positions.vsav").read_bytes()
    noted = hold("positions.vsav", 10_000)
    done = resolve_game(game)
    assert [one.what for one in done] == ["played", "late", "waiting"]
    assert done[1].reports == "01/positions.vsav" and noted
    assert (duel / "01/positions.vsav").read_bytes() == before
    mail = message_from_bytes((duel / "01/r2/klingon/mail.eml").read_bytes())
    attached = [part.get_filename() for part in mail.walk() if part.get_filename()]
    assert "orders.html" in attached and "positions.vsav" not in attached
    assert "positions.vsav" in (duel / "01/positions.late.txt").read_text(encoding="utf-8")
    noted[:] = ["let go"] * 10_000
    with opened(duel, lock="resolve") as again:
        assert again.mended == ("01/r2",)
    mail = message_from_bytes((duel / "01/r2/klingon/mail.eml").read_bytes())
    (save,) = (part for part in mail.walk() if part.get_filename() == "positions.vsav")
    assert save.get_payload(decode=True) == (duel / "01/positions.vsav").read_bytes()
    assert not (duel / "01/positions.late.txt").exists()
    whole = snapshot(duel)
    with opened(duel, lock="resolve") as again:
        assert again.mended == ()
    assert snapshot(duel) == whole


@pytest.mark.parametrize("name", ["mail.eml", "state.json"])
def test_where_what_follows_is_held_the_turn_is_said_to_be_played(
    game: GameFolder, send: Callable[..., Receipt], duel: Path, hold: Hold, name: str
) -> None:
    for side in ("federation", "klingon"):
        send(side)
    noted = hold(name, 10_000)
    with pytest.raises(GameError, match="in the log; the next command writes its reports") as told:
        resolve_game(game)
    assert [fault.code for fault in told.value.faults] == ["in-use", "reports-late"]
    noted[:] = ["let go"] * 10_000
    with opened(duel, lock="resolve") as again:
        assert "01/r2" in again.mended
        request = again.state().request
        assert request is not None and request.number == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fcntl")
def test_where_a_disk_must_be_told_itself_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS: fsync alone leaves what was written in the disk's own memory. A file system that knows no such thing is
    content with fsync.
    """
    import fcntl

    asked: list[int] = []

    def tell(handle: int, what: int) -> int:
        asked.append(what)
        if len(asked) == 2:
            raise OSError(45, "Operation not supported")
        return 0

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", tell)
    for number in range(2):
        write_bytes(tmp_path / "state.json", b"%d" % number)
    assert asked == [51, 51] and (tmp_path / "state.json").read_bytes() == b"1"


def test_a_turn_is_played_where_pictures_cannot_be_drawn(
    game: GameFolder, send: Callable[..., Receipt], duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """resvg is installed, and the system lacks a library it wants."""

    def refuse(name: str) -> object:
        raise ImportError(f"DLL load failed while importing {name}")

    monkeypatch.setattr(picture, "import_module", refuse)
    for side in ("federation", "klingon"):
        send(side)
    assert [one.what for one in resolve_game(game)] == ["played", "waiting"]
    mail = message_from_bytes((duel / "01/r2/klingon/mail.eml").read_bytes())
    assert not [part for part in mail.walk() if part.get_content_maintype() == "image"]
