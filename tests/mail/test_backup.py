"""`pbem host backup` and `restore`: the whole club in one file, and back, whatever is cut off."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host
from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.storage.folder import locked
from pbem.mail.host.backup import TOP, backup, restore
from pbem.mail.host.round import Round, host_round
from pbem.mail.transport.sources import Maildir

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer, database
else:
    from post_hosted import Hosted, answer, database


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "a club")


def go(hosted: Hosted, *, restored: bool = False) -> Round:
    box, state = Maildir(hosted.folder / "Maildir"), hosted.folder.parent / "state"
    now = hosted.now
    return host_round(hosted.folder, lambda: now, source=box, carrier=hosted.sink, state=state, restored=restored)


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What lies in a folder, with the rights of each file; without locks."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): (inside(path), path.stat().st_mode) for path in found}


def inside(path: Path) -> bytes:
    """What a file holds; of the database the rows, without the web keys, which a restore renews."""
    return database(path.parent, "door").encode() if path.name == "club.db" else path.read_bytes()


def test_the_commands_bring_a_club_back_and_its_letters_count(
    hosted: Hosted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_now", lambda: hosted.now)
    monkeypatch.setattr(host, "_up", lambda: None)
    go(hosted)
    kept, file = files(hosted.folder), tmp_path / "kept.tar.gz"
    made = CliRunner().invoke(app, ["host", "backup", str(hosted.folder), "-o", str(file)])
    assert made.exit_code == 0 and (sys.platform == "win32" or file.stat().st_mode & 0o077 == 0)
    hosted.now += timedelta(hours=15)
    answer(hosted, "federation", "klingon")
    go(hosted)
    for path in (hosted.folder / "Maildir" / "cur").iterdir():
        os.utime(path, (hosted.now.timestamp(), hosted.now.timestamp()))
    logs, whole = hosted.logs(), files(hosted.folder)
    done = CliRunner().invoke(app, ["host", "restore", str(file), str(hosted.folder)])
    assert done.exit_code == 0 and hosted.logs() != logs
    (aside,) = tmp_path.glob("a club.before-*")
    assert files(aside) == whole, "what was there is as it was"
    back = files(hosted.folder)
    mine = {name for name in kept if not name.startswith("Maildir")}
    assert {name: back[name] for name in mine} == {name: kept[name] for name in mine}
    assert back.keys() - whole.keys() == {"mail/put-back.json"}, "it says that it was put back"
    assert {name for name in back if name.startswith("Maildir")} == {n for n in whole if n.startswith("Maildir")}
    line = shlex.split(done.stdout.strip().split("\n")[-1])
    assert line == ["pbem", "host", str(hosted.folder), "--once", "--restored"]
    assert go(hosted).halted
    go(hosted, restored=True)
    assert hosted.logs() == logs, "the letters that came since count"


def test_a_backup_waits_for_who_is_at_work_and_leaves_nothing_half(
    hosted: Hosted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(hosted)
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.1)
    file = tmp_path / "kept.tar.gz"
    with locked(hosted.folder, "host"), pytest.raises(GameError, match="`pbem host`"):
        backup(hosted.folder, file)
    for wrong in (hosted.folder / "in itself.tar.gz", tmp_path / "none" / "x.tar.gz"):
        with pytest.raises(GameError):
            backup(hosted.folder, wrong)
    assert not list(tmp_path.rglob("*.tar.gz*"))
    assert backup(hosted.folder, file).files > 20
    with pytest.raises(GameError, match="such a file already"):
        backup(hosted.folder, file)


@pytest.mark.parametrize("cut", range(5))
def test_a_restore_that_was_cut_off_goes_on(
    hosted: Hosted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    go(hosted)
    backup(hosted.folder, tmp_path / "kept.tar.gz")
    kept = files(hosted.folder)
    (hosted.folder / "later").write_text("since")
    left = cut

    def replace(path: Path, to: Path, real: Callable[[Path, Path], Path] = Path.replace) -> Path:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        return real(path, to)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        if cut < 4:
            with pytest.raises(KeyboardInterrupt):
                restore(tmp_path / "kept.tar.gz", hosted.folder, hosted.now)
    if hosted.folder.exists():  # in the meantime mail goes on coming in
        hosted.post(b"From: ann@example.org\r\n\r\nlast\r\n")
        kept |= {name: one for name, one in files(hosted.folder).items() if name.startswith("Maildir")}
    restore(tmp_path / "kept.tar.gz", hosted.folder, hosted.now + timedelta(minutes=1))
    back = files(hosted.folder)
    assert {"mail/put-back.json"} == back.keys() - kept.keys()
    assert {name: one for name, one in back.items() if name in kept} == kept
    assert [path.read_text() for path in tmp_path.glob("*/later")] == ["since"], "nothing that was there is lost"


@pytest.mark.parametrize(
    ("before", "since", "back"),
    [
        (None, None, None),
        (None, {"": b"one"}, {"": b"one"}),
        ({"": b"one"}, {"": b"one, two"}, {"": b"one, two"}),
        ({"": b"one"}, None, {"": b"one"}),
        ({"new/1": b"one"}, {"cur/1": b"one", "new/2": b"two"}, {"cur/1": b"one", "new/2": b"two"}),
        (None, {"new/1": b"one"}, {"new/1": b"one"}),
        ({"new/1": b"one"}, None, {"new/1": b"one"}),
    ],
    ids=["none", "an mbox begun since", "an mbox", "an mbox that is gone", "a folder", "a folder begun since",
         "a folder that is gone"],
)  # fmt: skip
def test_the_inbox_is_that_of_today_whatever_it_is(
    tmp_path: Path, before: dict[str, bytes] | None, since: dict[str, bytes] | None, back: dict[str, bytes] | None
) -> None:
    """``""`` is the inbox itself, where that is one file; where there is none now, that of the backup is better."""
    club, inbox = tmp_path / "club", tmp_path / "club" / "in" / "box"

    def lay(letters: dict[str, bytes] | None) -> None:
        if inbox.exists():
            shutil.rmtree(inbox.parent)
        for name, data in (letters or {}).items():
            (inbox / name).parent.mkdir(parents=True, exist_ok=True)
            (inbox / name).write_bytes(data)

    (club / "games").mkdir(parents=True)
    (club / "in").mkdir()
    kind = "mbox" if "" in {**(before or {}), **(since or {})} else "folder"
    settings = f'format = 1\norders = "o@host.example"\n[inbox]\nkind = "{kind}"\npath = "in/box"\n'
    (club / "host.toml").write_text(settings, encoding="utf-8")
    lay(before)
    backup(club, tmp_path / "kept.tar.gz")
    lay(since)
    restore(tmp_path / "kept.tar.gz", club, datetime(2027, 3, 1, tzinfo=UTC))
    found = sorted(inbox.rglob("*")) if inbox.is_dir() else [inbox] if inbox.is_file() else []
    letters = {path.relative_to(inbox).as_posix().strip("."): path for path in found if path.is_file()}
    assert {name: path.read_bytes() for name, path in letters.items()} == (back or {})


@pytest.mark.parametrize("name", ["club/../../out", "/out", "out", "club/link", "club/a\\b"])
def test_a_file_that_is_no_backup_changes_nothing(hosted: Hosted, tmp_path: Path, name: str) -> None:
    file = tmp_path / "strange.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo(f"{TOP}/host.toml"))
        member = tarfile.TarInfo(name)
        member.type = tarfile.SYMTYPE if name.endswith("link") else tarfile.REGTYPE
        member.linkname = "/"
        tar.addfile(member, io.BytesIO())
    before = files(tmp_path)
    with pytest.raises(GameError, match="not a backup"):
        restore(file, hosted.folder, hosted.now)
    file.write_bytes(b"no archive")
    with pytest.raises(GameError, match="cannot be read"):
        restore(file, hosted.folder, hosted.now)
    file.unlink()
    with pytest.raises(GameError, match="no such file"):
        restore(file, hosted.folder, hosted.now)
    assert files(tmp_path) == {name: one for name, one in before.items() if name != file.name}
