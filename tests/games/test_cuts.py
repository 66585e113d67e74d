"""Every command that changes a game is cut off at each of its file operations in turn, killed or refused; the next
command finds the game as it was before, or with all of it done and told.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage import folder as act
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.decree import Decree, override, reposition
from pbem.games.umpire.rerun import clone, rerun
from pbem.games.umpire.undo import undo
from pbem.games.vassal_files import BINDING
from tests.cuts import KILLED, REFUSED, cut_at, operations, places

Send = Callable[..., Receipt]
Files = dict[str, bytes]
Work = Callable[[GameFolder], object]

AGAIN = "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n"
FEWER = """GAME duel TURN 1 SIDE federation REPLY 2
SHIP Constellation
PLOT TOWARD Destruction
DO
  IF RANGE Destruction <= 4 THEN FIRE PH 1 AT Destruction
END
"""


def files_of(folder: Path) -> Files:
    """Every file of a game but the locks."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def with_lock(folder: Path, work: Work) -> None:
    with opened(folder, lock="test") as game:
        work(game)


# --- the commands ----------------------------------------------------------------------------------------------------


def near(game: GameFolder) -> object:
    return undo(game, reason="an order was misread")


def far(game: GameFolder) -> object:
    return undo(game, turn=1, request=1, reason="we begin anew")


def shield(game: GameFolder) -> object:
    # The answer on file fires a weapon that is gone: it is laid aside.
    return override(game, Decree(changes=("Destruction DRONE 1 = destroyed",), reason="it was hit"))


def over(game: GameFolder) -> object:
    return override(game, Decree(result={"federation": "draw", "klingon": "draw"}, reason="both asked for it"))


def same(game: GameFolder) -> object:
    decree = Decree(changes=("Destruction shield 2 = 3",), reason="a volley was forgotten")
    return rerun(game, turn=1, request=1, decree=decree, accept=True)


def other(game: GameFolder) -> object:
    return rerun(game, turn=1, request=2, files=[("f2.txt", FEWER)], decree=Decree(reason="misread"), accept=True)


def moved(game: GameFolder) -> object:
    return reposition(game, {"Destruction": "1810A", "Constellation": "1815D"}, source="table.vsav")


COMMANDS: dict[str, Work] = {
    "undo": near, "far undo": far, "override": shield, "end": over, "rerun": same, "rerun with": other, "import": moved,
}  # fmt: skip


@pytest.fixture
def ready(at_break: GameFolder) -> Path:
    """The duel after the fire of turn 1, with an answer of klingon on file, and nothing that could be played."""
    submit(at_break, AGAIN, "k3.txt")
    resolve_game(at_break)
    request = at_break.state().request
    assert request is not None and request.number == 4 and len(request.sides) > 1
    side = next(side for side in request.sides if side == "klingon")
    text = f"GAME duel TURN {request.turn} SIDE {side} REPLY {request.number}\nSHIP Destruction\n"
    submit(at_break, f"{text}PLOT TOWARD Constellation\nDO\n  LAUNCH DRONE 1 AT Constellation\nEND\n", "k4.txt")
    return at_break.path


# --- the cuts --------------------------------------------------------------------------------------------------------


class Sweep:
    """A command on copies of a game: what the folder is before and after it, and what it does to files in between."""

    def __init__(self, ready: Path, work: Work, scratch: Path) -> None:
        self.ready, self.work, self.scratch = ready, work, scratch
        self.before = files_of(ready)
        whole = self.copy()
        self.done = operations(lambda: with_lock(whole, work), under=whole)
        self.next_command(whole)
        self.after = files_of(whole)
        [commit] = [n for n, done in enumerate(self.done) if done == f"replace {act.UNFINISHED}"]
        self.commit = commit
        with opened(whole) as game:
            assert verify(game).faults == ()

    def copy(self) -> Path:
        shutil.rmtree(self.scratch, ignore_errors=True)
        folder = self.scratch / "duel"
        shutil.copytree(self.ready, folder)
        return folder

    def cut(self, n: int, how: str) -> None:
        """Cut at one operation: then the next command finds all of it done, or nothing."""
        folder = self.copy()
        with cut_at(n, under=folder, how=how) as cut:
            try:
                with_lock(folder, self.work)
            except GameError:
                assert how == REFUSED
        assert cut.fell, f"{n} of {len(self.done)}"
        self.next_command(folder)
        stands = n > self.commit
        wanted, found = (self.after if stands else self.before), files_of(folder)
        where = f"{how} at {n}, {self.done[n]}"
        assert found.keys() == wanted.keys(), f"{where}: {sorted(found.keys() ^ wanted.keys())}"
        assert not [name for name in wanted if found[name] != wanted[name]], where

    @staticmethod
    def next_command(folder: Path) -> None:
        """It takes no orders for what was repeated; where nobody owes orders any more, it plays on."""
        with opened(folder, lock="test") as game:
            assert not act.unfinished(folder)
            resolve_game(game)


@pytest.fixture
def sweep(ready: Path, tmp_path: Path) -> Callable[[str], Sweep]:
    return lambda name: Sweep(ready, COMMANDS[name], tmp_path / "cut")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["undo", "rerun"])
def test_around_its_commit_a_command_has_happened_or_not(name: str, sweep: Callable[[str], Sweep]) -> None:
    sweeping = sweep(name)
    for n in (sweeping.commit - 1, sweeping.commit, sweeping.commit + 1, len(sweeping.done) - 2):
        sweeping.cut(n, KILLED)


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_cut_at_every_file_operation(name: str, how: str, sweep: Callable[[str], Sweep]) -> None:
    sweeping = sweep(name)
    for n in places(len(sweeping.done)):
        sweeping.cut(n, how)


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_play_is_cut_at_every_file_operation_and_comes_out_the_same(ready: Path, tmp_path: Path, how: str) -> None:
    with opened(ready) as game:
        request = game.state().request
        assert request is not None
        text = f"GAME duel TURN 1 SIDE federation REPLY {request.number}\nSHIP Constellation\nPLOT 2F\nEND\n"
        submit(game, text, "f4.txt")

    def copy(number: int) -> Path:
        folder = tmp_path / str(number) / "duel"
        shutil.copytree(ready, folder)
        return folder

    whole = copy(-1)
    done = operations(lambda: with_lock(whole, resolve_game), under=whole)
    after = files_of(whole)
    for n in places(len(done)):
        folder = copy(n)
        with cut_at(n, under=folder, how=how) as cut:
            try:
                with_lock(folder, resolve_game)
            except GameError:
                assert how == REFUSED
        assert cut.fell
        with_lock(folder, resolve_game)
        assert files_of(folder) == after, f"{how} at {n}, {done[n]}"
        shutil.rmtree(folder.parent)


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
@pytest.mark.parametrize("there", [False, True])
def test_a_new_game_is_cut_at_every_file_operation(tmp_path: Path, how: str, there: bool) -> None:
    def make(number: int) -> Path:
        folder = tmp_path / str(number) / "duel"
        (folder if there else folder.parent).mkdir(parents=True)
        return folder

    def begin(folder: Path) -> None:
        new("5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="desk tests")

    whole = make(-1)
    done = operations(lambda: begin(whole), under=whole.parent)
    after = files_of(whole.parent)
    for n in places(len(done)):
        folder = make(n)
        with cut_at(n, under=folder.parent, how=how) as cut:
            try:
                begin(folder)
            except GameError:
                assert how == REFUSED
        assert cut.fell
        if (folder / "game.toml").exists():
            with_lock(folder, resolve_game)
        else:
            begin(folder)
        assert files_of(folder.parent) == after, f"{how} at {n}, {done[n]}"
        shutil.rmtree(folder.parent)


@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_an_archive_is_there_whole_or_not_at_all(ready: Path, tmp_path: Path, how: str) -> None:
    from pbem.app.cli.games import archive

    with opened(ready) as game:
        over(game)
    file = tmp_path / "out" / "duel.pbem.zip"
    done = operations(lambda: archive(ready, file), under=file.parent)
    whole = file.read_bytes()
    for n in range(len(done)):
        shutil.rmtree(file.parent)
        with cut_at(n, under=file.parent, how=how) as cut:
            try:
                archive(ready, file)
            except GameError:
                assert how == REFUSED
        assert cut.fell and (file.read_bytes() == whole if n == len(done) - 1 else not file.exists()), done[n]
        archive(ready, file)
        assert file.read_bytes() == whole


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_a_clone_is_there_whole_or_not_at_all(ready: Path, tmp_path: Path, how: str) -> None:
    """And nothing of a half one is left: it holds what every side ordered."""

    def copy(folder: Path) -> None:
        with opened(ready) as game:
            clone(game, folder, turn=1, request=1)

    def agreed(folder: Path) -> set[str]:
        with opened(folder) as game:
            game.state()
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    home, before = tmp_path / "out", files_of(ready)
    done = operations(lambda: copy(home / "whatif"), under=home)
    whole = agreed(home / "whatif")
    for n in places(len(done)):
        shutil.rmtree(home, ignore_errors=True)
        with cut_at(n, under=home, how=how) as cut:
            try:
                copy(home / "whatif")
            except GameError:
                assert how == REFUSED
        assert cut.fell
        if not (home / "whatif").exists():
            copy(home / "whatif")
        assert agreed(home / "whatif") == whole, f"{how} at {n}, {done[n]}"
        assert [path.name for path in home.iterdir() if path.suffix != ".lock"] == ["whatif"], (
            f"{how} at {n}, {done[n]}"
        )
    assert files_of(ready) == before, "the game itself is not touched"


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_a_binding_that_is_made_anew_loses_nothing(ready: Path, companion_file: Path, tmp_path: Path, how: str) -> None:
    """What somebody wrote into it is kept beside it, wherever the command was stopped."""
    from pbem.app.cli.vassal import bind

    module = Path(shutil.copy2(companion_file, tmp_path / "m.vmod"))
    mine = "# mine\n"

    def again() -> None:
        (ready / BINDING).write_text(mine, encoding="utf-8")
        (ready / f"{BINDING}.old").unlink(missing_ok=True)

    again()
    done = operations(lambda: bind(module, ready, yes=True), under=ready)
    made = (ready / BINDING).read_text("utf-8")
    assert made != mine
    for n in range(len(done)):
        again()
        with cut_at(n, under=ready, how=how) as cut:
            try:
                bind(module, ready, yes=True)
            except GameError:
                assert how == REFUSED
        assert cut.fell
        bind(module, ready, yes=True)
        assert (ready / BINDING).read_text("utf-8") == made, f"{how} at {n}, {done[n]}"
        assert (ready / f"{BINDING}.old").read_text("utf-8") == mine, f"{how} at {n}, {done[n]}"


@pytest.mark.slow
def test_nobody_orders_against_dice_he_knows(ready: Path, tmp_path: Path) -> None:
    """Cut off anywhere, a repetition leaves no request open whose dice are kept."""
    sweeping = Sweep(ready, COMMANDS["rerun"], tmp_path / "cut")
    for n in (sweeping.commit, sweeping.commit + 1, sweeping.commit + 4):
        folder = sweeping.copy()
        with cut_at(n, under=folder):
            with_lock(folder, sweeping.work)
        with opened(folder, lock="submit") as game:
            for reply in (1, 2, 3):
                with pytest.raises(GameError, match="wrong-request"):
                    submit(game, FEWER.replace("REPLY 2", f"REPLY {reply}"), "f.txt")


def test_who_only_looks_finds_the_act_done(ready: Path, tmp_path: Path) -> None:
    from pbem.games.status import status

    sweeping = Sweep(ready, COMMANDS["undo"], tmp_path / "cut")
    folder = sweeping.copy()
    with cut_at(sweeping.commit + 1, under=folder):
        with_lock(folder, sweeping.work)
    assert act.unfinished(folder)
    with opened(folder) as game:
        assert status(game).owing == ("klingon",)
    assert files_of(folder).keys() == sweeping.after.keys()


def test_an_act_that_was_tampered_with_is_named(ready: Path) -> None:
    for text in ("{", '{"format":9,"what":"undo","after":1,"records":{}}',
                 '{"format":1,"what":"undo","after":1,"records":{},"orders":{"../x.orders":null}}'):  # fmt: skip
        (ready / act.UNFINISHED).write_text(text, encoding="utf-8")
        with pytest.raises(GameError, match=r"act-damaged|format"), opened(ready, lock="test"):
            pass
