"""Dice that players were told of before a backup was put back are not rolled again as if nobody knew them."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest

from pbem.engine import dice
from pbem.engine.events import DicePassed, SegmentBegan
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.archive import packed
from pbem.games.proof.restored import FILE, played_in, remember, told_dice
from pbem.games.proof.seals import sealed_orders
from pbem.games.proof.verify_archive import own_page, verify_archive
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import reports_folder
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree
from pbem.games.umpire.rerun import rerun
from pbem.games.umpire.undo import undo
from tests.proof import by_the_page
from tests.proof.conftest import PLAYERS, Oracle, answer, play_out
from tests.proof.honest import frames
from tests.proof.test_repeated import checked

OPTIONS = {"reveal": "none", "autobreaks": "none"}


def play(game: GameFolder, oracle: Oracle, *, speed: int = 0) -> None:
    """Answer one request, and play."""
    request = game.state().request
    assert request is not None
    for side in request.sides:
        text = answer(side, request.form, request.turn, request.number, game.terms.name)
        submit(game, text.replace("SPEED 5", f"SPEED {speed}") if speed else text, side)
    while resolve_game(game, oracle)[-1].what == "sealed":
        oracle.at = oracle.at.replace(minute=(oracle.at.minute + 5) % 60, hour=oracle.at.hour + 1)


def numbers(game: GameFolder) -> list[int]:
    return [record.event.segment for record in game.records() if isinstance(record.event, SegmentBegan)]


def lost(folder: Path, oracle: Oracle, *, sure: bool = True) -> Path:
    """A game whose backup of after its first segment was put back, when three had been played; the game as it was."""
    with opened(folder) as game:
        play(game, oracle)
    shutil.copytree(folder, backup := folder.with_name("backup"))
    with opened(folder) as game:
        play(game, oracle)
        play(game, oracle)
        since = list(played_in(game.records(), 1))
    folder.rename(was := folder.with_name("was"))
    backup.rename(folder)
    with opened(folder) as game:
        remember(game, since if sure else (), sure=sure, why="a backup of this game was put back")
    return was


@pytest.mark.parametrize("beacon", ["", pytest.param("drand", marks=pytest.mark.slow)])
def test_the_same_orders_are_the_same_play_and_others_get_dice_nobody_has_seen(tmp_path: Path, beacon: str) -> None:
    folder, oracle = tmp_path / "duel01", Oracle()
    options = {**OPTIONS, "beacon": beacon} if beacon else OPTIONS
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=options)
    was = lost(folder, oracle)
    with opened(folder) as game:
        play(game, oracle)
        assert (folder / "02/events.jsonl").read_bytes() == (was / "02/events.jsonl").read_bytes()
        play(game, oracle, speed=4)
        assert numbers(game) == [1, 2, 65] and told_dice(game) is None
        [passed] = [record.event for record in game.records() if isinstance(record.event, DicePassed)]
        assert (passed.told, passed.segment) == (3, 64)
        text = (reports_folder(game) / "klingon" / "sitrep.txt").read_text("utf-8")
        assert "the links up to segment 64 are passed over" in " ".join(text.split())
        found = verify(game)
        assert found.faults == () and [one.segment for one in found.restored] == [64]


def test_where_nobody_knows_what_was_told_nothing_of_it_comes_again(tmp_path: Path) -> None:
    folder, oracle = tmp_path / "duel01", Oracle()
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=OPTIONS)
    was = lost(folder, oracle, sure=False)
    with opened(folder) as game:
        play(game, oracle)
        assert numbers(game) == [1, 65]
    with opened(was) as before, opened(folder) as game:
        assert before.dice().link(2) == dice.hashed(before.dice().link(3)) != game.dice().link(65)


def test_where_nobody_knows_what_was_told_no_dice_come_again_however_often_a_copy_is_put_back(tmp_path: Path) -> None:
    """Links may repeat then: the same copy is put back twice, and nobody knows of the first time. Keys may not."""
    folder, oracle = tmp_path / "duel01", Oracle()
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=OPTIONS)
    lost(folder, oracle, sure=False)
    shutil.copytree(folder, tmp_path / "again")
    shutil.rmtree(tmp_path / "backup", ignore_errors=True)
    (tmp_path / "again" / FILE).unlink()
    keys, told = [], []
    for home in (folder, tmp_path / "again"):
        with opened(home) as game:
            remembered = remember(game, (), sure=False, why="a backup of this game was put back")
            assert remembered is not None and remember(game, (), sure=False, why="again") is not None
            assert told_dice(game) is not None, "until it is played"
            texts = dict.fromkeys(("federation", "klingon"), "the same orders")
            state = game.state()
            play(game, oracle)
            [passed] = [record.event for record in game.records() if isinstance(record.event, DicePassed)]
            assert (passed.told, passed.segment, passed.fresh) == (0, 64, remembered.fresh)
            assert told_dice(game) is None and verify(game).faults == ()
            state = msgspec.structs.replace(state, segment=64)
            keys.append(sealed_orders(game.dice(), state, texts)[1])
            told.append(passed.fresh)
            sitrep = " ".join((reports_folder(game) / "klingon" / "sitrep.txt").read_text("utf-8").split())
            assert f"committed to by {passed.fresh}" in sitrep
    assert len(set(told)) == len(set(keys)) == 2


@pytest.mark.slow
def test_an_archive_with_new_salts_is_sound_for_all_verifiers_and_no_other_word_is(tmp_path: Path) -> None:
    folder, oracle, page = tmp_path / "duel01", Oracle(), tmp_path / "page"
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=OPTIONS)
    was = lost(folder, oracle, sure=False)
    with opened(folder) as game:
        play(game, oracle, speed=4)
        undo(game)  # the word counts for what is played then, too
    play_out(folder, oracle)
    archive = next(folder.glob("*/final/*.pbem.zip"))
    page.mkdir()
    known = frames_file(tmp_path)
    assert by_the_page.faults(archive, frames=known) == []
    assert verify_archive(archive, was).faults == () and checked(own_page(archive).decode(), page) == []
    with zipfile.ZipFile(archive) as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    word = json.loads(files["proof.json"])["fresh"][0]
    assert word.encode() not in b"".join(path.read_bytes() for path in folder.glob("*/r*/*/*.*"))
    files["proof.json"] = files["proof.json"].replace(word.encode(), b"1" * 64)
    other = tmp_path / "other.pbem.zip"
    other.write_bytes(packed(files))
    assert any("new secrets differ" in fault.text for fault in verify_archive(other).faults)
    assert any("fresh is not" in text for text in by_the_page.faults(other, frames=known))
    assert any("new words" in text for text in checked(own_page(other).decode(), page))

    # Without its word a game does not go on: its salts would be other ones.
    (folder / "secret" / "fresh.json").unlink()
    with opened(folder) as game, pytest.raises(GameError, match="one of the secrets of its dice is missing"):
        game.dice()


@pytest.mark.slow
def test_play_repeated_after_a_backup_takes_no_number_that_was_told(tmp_path: Path) -> None:
    folder, oracle = tmp_path / "duel01", Oracle()
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=OPTIONS)
    lost(folder, oracle)
    with opened(folder) as game:
        rerun(game, decree=Decree(changes=("Destruction shield 2 = 3",), reason="forgotten"), accept=True)
        assert numbers(game) == [1, 65]
        play(game, oracle)
        assert numbers(game) == [1, 65, 66] and verify(game).faults == ()
    play_out(folder, oracle)
    archive = next(folder.glob("*/final/*.pbem.zip"))
    assert by_the_page.faults(archive, frames=frames_file(tmp_path)) == [] and verify_archive(archive).faults == ()


@pytest.mark.slow
def test_an_archive_with_links_passed_over_is_sound_for_all_verifiers(tmp_path: Path) -> None:
    folder, oracle, page = tmp_path / "duel01", Oracle(), tmp_path / "page"
    new("5", folder, players=PLAYERS, seed="restored", scheme=2, options=OPTIONS)
    was = lost(folder, oracle)
    with opened(folder) as game:
        play(game, oracle, speed=4)
    play_out(folder, oracle)
    archive = next(folder.glob("*/final/*.pbem.zip"))
    page.mkdir()
    known = frames_file(tmp_path)
    letters = [path.read_bytes() for path in was.glob("*/*/klingon/sitrep.txt")]
    assert by_the_page.faults(archive, letters, frames=known) == []
    assert verify_archive(archive, was).faults == ()
    assert checked(own_page(archive).decode(), page) == []

    # A link told before that is not of this chain is found; so are links passed over further than they have to be.
    sitrep = next(path for path in was.glob("*/*/klingon/sitrep.txt") if "Segment 3:" in path.read_text("utf-8"))
    with opened(was) as before:
        link = before.dice().link(3).hex()
    forged = sitrep.read_bytes().replace(link.encode(), b"0" * 64)
    (kept := tmp_path / "kept").mkdir()
    (kept / "sitrep.txt").write_bytes(forged)
    assert [fault.code for fault in verify_archive(archive, kept).faults] == ["sent-differs"]
    assert by_the_page.faults(archive, [forged], frames=known) != []
    with zipfile.ZipFile(archive) as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    for name in files:
        files[name] = files[name].replace(b'"segment":64,"told":3', b'"segment":64,"told":65')
    other = tmp_path / "other.pbem.zip"
    other.write_bytes(packed(files))
    assert any("passes over links" in fault.text for fault in verify_archive(other).faults)
    assert any("links are passed over" in text for text in by_the_page.faults(other, frames=known))
    assert any("passed over" in text for text in checked(own_page(other).decode(), page))


def frames_file(tmp_path: Path) -> Path:
    path = tmp_path / "frames"
    path.write_text(frames(), encoding="utf-8")
    return path
