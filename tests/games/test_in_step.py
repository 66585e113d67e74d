"""A folder of VASSAL saves kept in step with a game (``pbem table``): what is moved becomes a plot in a draft, what was
played comes as a save brought up to date and as a film, and nothing of the player's is written over.
"""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.app.cli import vassal
from pbem.errors import Fault, GameError
from pbem.games import vassal_sync as in_step
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import check, submit
from pbem.games.vassal_sync import MEMORY, keep_in_step
from pbem.reports.draft.draft import draft_for
from tests.app.web.clubs import tried
from tests.cuts import cut_at, operations, places
from tests.vassal_bridge.earlier import MOST, keyless, with_keyless_papers
from vassal.log import read_log
from vassal.save import read_save
from vassal.write import update


@pytest.fixture
def game(tmp_path: Path) -> Path:
    new("5", tmp_path / "duel", players={}, options={"reveal": "none"}, seed="in step")
    (tmp_path / "saves").mkdir()
    return tmp_path / "duel"


def look(game: Path) -> list[str]:
    with opened(game) as here:
        return keep_in_step(here, saves(game), "klingon")


def saves(game: Path) -> Path:
    return game.parent / "saves"


def files(game: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in saves(game).iterdir() if path.name != MEMORY}


def papers(game: Path, name: str) -> list[str]:
    """The papers of ships that lie on a table."""
    return [piece.name for piece in read_save(saves(game) / name).pieces if "papers" in piece.name]


def moves(game: Path, hex: str, facing: int, name: str = "mine.vsav") -> bytes:
    """The player saves a table on which the Klingon stands elsewhere."""
    made = tried(saves(game) / "duel 1.1.vsav", "Destruction", hex, facing)
    (saves(game) / name).write_bytes(made)
    return made


def play_a_turn(game: Path) -> None:
    """Everybody sends the draft he was given."""
    with opened(game, lock="test") as here:
        state = here.state()
        assert state.request is not None
        for side in state.request.sides:
            submit(here, draft_for(state, here.scenario(), state.request, side), "x")
        resolve_game(here)


def test_what_is_moved_becomes_a_plot_in_a_draft_that_is_not_sent(game: Path) -> None:
    assert look(game) == ["duel 1.1.vsav: the positions of duel."] and look(game) == []
    assert papers(game, "duel 1.1.vsav") == ["Klingon papers (Destruction)"], "his own, and nobody else's"
    moves(game, "0415", 1)
    told = look(game)
    assert told[0] == "mine.vsav: Destruction: PLOT 2F" and told[-1].startswith("duel.klingon.orders has it")
    assert look(game) == [], "told once"
    draft = saves(game) / "duel.klingon.orders"
    with opened(game) as here:
        assert check(here, draft.read_text(encoding="utf-8"), "x").side == "klingon"
        assert not list(here.path.glob("01/orders/*"))
    # What he writes into it stays, whatever he moves next.
    draft.write_text(draft.read_text(encoding="utf-8").replace("ENERGY\n", "ENERGY\n  PHASERS 2\n"), encoding="utf-8")
    moves(game, "0515", 1)
    assert look(game)[0] == "mine.vsav: Destruction: PLOT 3F"
    text = draft.read_text(encoding="utf-8")
    assert "PHASERS 2" in text and "PLOT 3F" in text and "PLOT 2F" not in text


def test_what_cannot_be_flown_or_read_is_told_and_changes_nothing(game: Path) -> None:
    look(game)
    moves(game, "0216", 4)
    assert "only a tactical maneuver" in " ".join(look(game))
    (saves(game) / "torn.vsav").write_bytes(b"nothing that VASSAL wrote")
    (told,) = look(game)
    assert told.startswith("torn.vsav: ") and not (saves(game) / "duel.klingon.orders").exists()
    (saves(game) / "same.vsav").write_bytes(files(game)["duel 1.1.vsav"])
    assert look(game) == ["same.vsav: none of your counters was moved."]


def test_of_a_way_that_breaks_a_rule_no_draft_is_made(game: Path) -> None:
    broken = Fault(code="turn-mode", text="two hexes must be flown before it turns")
    found: Any = SimpleNamespace(plots=(), unseen=(), faults=(broken,), codes={"Destruction": ("F", "R")})
    with opened(game) as here:
        assert [*in_step._drafted(here, saves(game), "klingon", found, Path("mine.vsav"))] == [f"  {broken.sentence}"]
    assert not list(saves(game).glob("*.orders"))


def test_what_was_played_comes_as_a_table_of_his_and_as_a_film(game: Path) -> None:
    look(game)
    own = saves(game) / "mine.vsav"
    own.write_bytes(tried(saves(game) / "duel 1.1.vsav", "Destruction", "0415", 1))
    update(read_save(own), {}, public_notes="what I think of it").write(own)
    look(game)
    kept = files(game)
    play_a_turn(game)
    told = look(game)
    assert told[0] == "duel 2.1.vsav: mine.vsav brought to 1.16 of duel."
    assert told[1].startswith("duel turn 1.vlog: turn 1")
    now = files(game)
    assert {name: now[name] for name in kept} == kept, "nothing of his, and nothing of before, was written over"
    assert "what I think of it" in str(read_save(saves(game) / "duel 2.1.vsav").public_notes)
    assert len(read_log(saves(game) / "duel turn 1.vlog").steps) > 0
    assert look(game) == []


def test_a_table_of_an_earlier_moment_is_no_plot(game: Path) -> None:
    """From there to where the ships are now nobody flew: it said a plot that made no sense."""
    look(game)
    early = (saves(game) / "duel 1.1.vsav").read_bytes()
    play_a_turn(game)
    look(game)
    (saves(game) / "early.vsav").write_bytes(early)
    made = tried(saves(game) / "early.vsav", "Destruction", "0415", 1)
    (saves(game) / "early.vsav").write_bytes(made)
    [told] = look(game)
    assert told.startswith("early.vsav: ") and "a save of 2.0, where duel is now: this one is of 1.0" in told
    assert not list(saves(game).glob("*.orders")) and look(game) == []


def test_a_file_somebody_saved_under_our_name_stays(game: Path) -> None:
    (saves(game) / "duel 1.1.vsav").write_bytes(b"his own")
    told = look(game)
    assert files(game)["duel 1.1.vsav"] == b"his own" and "duel 1.1 (2).vsav: the positions of duel." in told
    assert told[0].startswith("duel 1.1.vsav: ") and told[0].endswith(". A new save is made.")
    assert papers(game, "duel 1.1 (2).vsav") == ["Klingon papers (Destruction)"]


def test_a_table_that_vassal_cannot_open_is_written_anew_at_once(game: Path) -> None:
    """Papers of an earlier version keep VASSAL busy for ever; the game need not go on first."""
    look(game)
    file = saves(game) / "duel 1.1.vsav"
    with_keyless_papers(read_save(file)).write(file)
    memory = json.loads((saves(game) / MEMORY).read_text(encoding="utf-8"))
    del memory["form"]
    memory["written"][file.name] = sha256(file.read_bytes()).hexdigest()
    (saves(game) / MEMORY).write_text(json.dumps(memory), encoding="utf-8")
    assert look(game) == ["duel 1.1.vsav: duel 1.1.vsav brought to 0.0 of duel."]
    assert max(len(keyless(piece.piece)) for piece in read_save(file).pieces) <= MOST
    assert look(game) == []


def test_a_folder_of_another_game_is_refused(game: Path, tmp_path: Path) -> None:
    look(game)
    new("4", tmp_path / "other", players={}, seed="other")
    with opened(tmp_path / "other") as here, pytest.raises(GameError, match="in use for duel"):
        keep_in_step(here, saves(game), "klingon")


class Held:
    """Other programs have files open, as Windows refuses them: ``reading`` and ``putting`` are their names."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reading, self.putting = set[str](), set[str]()
        real_read, real_replace = Path.read_bytes, Path.replace

        def read(path: Path) -> bytes:
            self._look(path, self.reading)
            return real_read(path)

        def replace(path: Path, target: Path) -> Path:
            self._look(target, self.putting)
            return real_replace(path, target)

        monkeypatch.setattr(Path, "read_bytes", read)
        monkeypatch.setattr(Path, "replace", replace)
        monkeypatch.setattr("pbem.games.storage.files.PAUSES", (0.0,))
        monkeypatch.setattr("vassal.container.archive.PAUSES", (0.0,))

    @staticmethod
    def _look(path: Path, held: set[str]) -> None:
        if path.name in held:
            error = PermissionError(13, "Permission denied", str(path))
            error.winerror = 32  # type: ignore[attr-defined, unused-ignore]
            raise error


def refused(game: Path) -> str:
    with pytest.raises(GameError, match="another program") as told:
        look(game)
    assert [fault.code for fault in told.value.faults] == ["in-use"]
    return Path(told.value.faults[0].file).name


def test_a_table_that_another_program_has_open_is_waited_for(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken for no save of another game; and what was written before one was held stays ours."""
    look(game)
    moves(game, "0415", 1)
    held = Held(monkeypatch)
    held.reading = {"mine.vsav"}
    before = set(saves(game).iterdir())
    assert refused(game) == "mine.vsav" and set(saves(game).iterdir()) == before
    held.reading = set()
    assert look(game)[0] == "mine.vsav: Destruction: PLOT 2F"
    held.putting = {"duel turn 1.vlog"}
    play_a_turn(game)
    assert refused(game) == "duel turn 1.vlog"
    held.putting = set()
    assert [line.partition(":")[0] for line in look(game)] == ["duel 2.1.vsav", "duel turn 1.vlog"]
    assert look(game) == [] and "duel 2.1 (2).vsav" not in files(game)


def test_the_command_waits_for_a_table_that_is_open_and_says_so_once(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    look(game)
    moves(game, "0415", 1)
    held, woken = Held(monkeypatch), list[float]()
    held.reading = {"mine.vsav"}

    def sleep(seconds: float) -> None:
        if seconds != vassal.LOOKS:
            return  # the patience of a read
        woken.append(seconds)
        if len(woken) == 3:
            held.reading = set()
        if len(woken) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("pbem.app.cli.vassal.time.sleep", sleep)
    vassal.table(game, saves(game), side="klingon")
    told = capsys.readouterr().out
    assert told.count("another program seems to have open") == 1 and told.count("PLOT 2F") == 1
    held.reading = {"mine.vsav"}
    with pytest.raises(GameError, match="in-use"):
        vassal.table(game, saves(game), side="klingon", once=True)


def test_the_command_looks_until_it_is_stopped(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[float] = []

    def sleep(seconds: float) -> None:
        woken.append(seconds)
        if len(woken) == 1:
            moves(game, "0415", 1)
        if len(woken) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("pbem.app.cli.vassal.time.sleep", sleep)
    vassal.table(game, saves(game), side="klingon")
    assert len(woken) == 3 and (saves(game) / "duel.klingon.orders").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("played", [False, True])
def test_a_look_that_is_killed_anywhere_is_made_once_more_and_doubles_nothing(game: Path, played: bool) -> None:
    """The first look lays a table; one after a turn brings it up to date, with a film, and reads what was moved."""
    if played:
        look(game)
        play_a_turn(game)
    start = game.parent / "start"
    shutil.copytree(saves(game), start)

    def anew() -> None:
        shutil.rmtree(saves(game))
        shutil.copytree(start, saves(game))

    done = operations(lambda: look(game), under=saves(game))
    wanted, memory = files(game), (saves(game) / MEMORY).read_bytes()
    assert len(wanted) > len([*start.iterdir()]) - played
    for n in places(len(done)):
        anew()
        with cut_at(n, under=saves(game)) as cut:
            look(game)
        assert cut.fell
        look(game)
        found = {name: data for name, data in files(game).items() if not name.endswith(".tmp")}
        assert found == wanted, f"{n}: {done[n]}"
        assert (saves(game) / MEMORY).read_bytes() == memory, f"{n}: {done[n]}"
        assert look(game) == []
