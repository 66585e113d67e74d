"""Which folders of a club are games: those directly under games/ and no others; who makes one elsewhere is told so."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.club.rehearsal import copied
from pbem.games.site import MARK
from pbem.mail.commands.spectators import _public_games
from pbem.mail.host.backup import backup
from pbem.mail.host.doctor import examine
from pbem.mail.host.overview import overview
from pbem.mail.settings import game_folders, misplaced

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted
else:
    from post_hosted import Hosted


def being_made(hosted: Hosted) -> Path:
    """The folder in which `pbem new` makes a game, just before that is put in its place."""
    folder = hosted.game.with_name(".duel02.1a2b3c4d.new")
    shutil.copytree(hosted.game, folder)
    text = (folder / "game.toml").read_text("utf-8").replace('name = "duel01"', 'name = "duel02"')
    (folder / "game.toml").write_text(text, "utf-8")
    return folder


def test_a_game_that_is_being_made_is_nobodys_game(hosted: Hosted, tmp_path: Path) -> None:
    folder = being_made(hosted)
    (folder / MARK).write_text("format = 1\npublic = true\n", "utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert hosted.round().troubles == ()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before, "no token, no clock"
    assert hosted.sink.mails and not [mail for _, mail in hosted.sink.mails if b"duel02" in mail]
    assert [one.name for one in overview(hosted.folder, hosted.now).games] == ["duel01"]
    assert not [one for one in examine(hosted.folder) if ".duel02" in one.what or "duel02" in one.said]
    assert _public_games(hosted.folder) == () and misplaced(hosted.folder) == []
    web = tmp_path / "web"
    assert CliRunner().invoke(app, ["site", str(hosted.folder), str(web)]).exit_code == 0
    assert "duel02" not in (web / "index.html").read_text("utf-8") and not (web / "duel02").exists()
    file = tmp_path / "club.tar.gz"
    backup(hosted.folder, file)
    with tarfile.open(file) as tar:
        assert not [name for name in tar.getnames() if "duel02" in name]
    copied(hosted.folder, tmp_path / "copy")
    assert [one.name for one in game_folders(tmp_path / "copy")] == ["duel01"]
    assert not (tmp_path / "copy/games" / folder.name).exists()


def test_who_forgets_the_folder_games_is_told_the_right_place(hosted: Hosted) -> None:
    players = ["--player", "federation=a@b.example", "--player", "klingon=k@b.example"]
    for wrong in (hosted.folder / "g2", hosted.folder / "games" / "sub" / "g2", hosted.game / "g2"):
        done = CliRunner().invoke(app, ["new", "5", str(wrong), *players])
        assert done.exit_code == 1 and f"make this game in {hosted.folder / 'games' / 'g2'}" in str(done.exception)
        assert not wrong.exists() and not (hosted.folder / "games" / "sub").exists()
    done = CliRunner().invoke(app, ["new", "5", str(hosted.folder / "games" / "g2"), *players])
    assert done.exit_code == 0, done.exception


def test_games_that_no_host_plays_are_told_to_its_umpire(hosted: Hosted) -> None:
    hosted.round()
    for place in ("g2", "games/2027/g3"):
        shutil.copytree(hosted.game, hosted.folder / place)
    clone = hosted.folder / "whatif"
    shutil.copytree(hosted.game, clone)
    (clone / "game.toml").write_text('clone = "duel01"\n' + (clone / "game.toml").read_text("utf-8"), "utf-8")
    wanted = {"g2": "move the folder g2 to games/g2", "g3": "move the folder games/2027/g3 to games/g3"}
    told = {one.what: one for one in examine(hosted.folder) if not one.right and one.what.startswith("game ")}
    assert set(told) == {"game g2", "game g3"}
    seen = overview(hosted.folder, hosted.now)
    assert not seen.red and [row.name for row in seen.games] == ["duel01"]
    for name, said in wanted.items():
        assert said in told[f"game {name}"].said
        assert [need for need in seen.needs if said in need.text]
