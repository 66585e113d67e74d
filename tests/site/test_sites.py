"""The sites of a club's games together: which games are shown, what stays where one cannot be read, what goes; and what
is told of a turn that is over.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pbem.engine.events import Fired, Moved, OrdersFiled, Record, SegmentBegan
from pbem.engine.log import fold_records
from pbem.errors import GameError
from pbem.games import site
from pbem.games.site import TOURNAMENTS, ended, public_report, renew_sites
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.reports.html.site import Around, GameLine

SHIPPED = Path(__file__).resolve().parents[2] / "turns" / "duel01"


class Club:
    """Games of which each has one page, and the site of all of them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.target = folder / "club", folder / "site"
        self.made: list[tuple[str, str, Path | None]] = []
        self.lines: dict[str, GameLine] = {}
        monkeypatch.setattr(site, "game_files", self._files)
        monkeypatch.setattr(site, "site_line", self._line)

    def game(self, folder: str, name: str = "", *, public: bool = True) -> Path:
        path = self.folder / "games" / folder
        path.mkdir(parents=True, exist_ok=True)
        terms = (SHIPPED / "game.toml").read_text(encoding="utf-8")
        assert terms.count('name = "duel01"') == 1
        (path / "game.toml").write_text(terms.replace('"duel01"', f'"{name or folder}"'), encoding="utf-8")
        (path / "site.toml").write_text(f"format = 1\npublic = {str(public).lower()}\n", encoding="utf-8")
        return path

    def _files(self, game: GameFolder, *, url: str, around: Around, module: Path | None) -> dict[str, bytes]:
        assert around.home == "../"
        self.made.append((game.path.name, url, module))
        return {"index.html": game.path.name.encode(), "turn.html": b"turn"}

    def _line(self, game: GameFolder) -> GameLine:
        name = game.terms.name
        return GameLine(name=name, folder=name, title="a duel", players=(), stands="-", over=False)

    def write(self, *same: str, url: str = "", module: Path | None = None) -> list[str]:
        """Write the sites, where the pages of some games are as they should be; the faults that are told."""
        self.made = []
        lines = {name: self.lines[name] for name in same}
        done, self.lines = renew_sites(self.folder, self.target, lines, url, module, "The Club")
        assert done.index == self.target / "index.html"
        assert sorted(done.games) == sorted(json.loads((self.target / "site.json").read_text("utf-8"))["games"])
        return [f"{fault.code} {Path(fault.file).name}" for fault in done.faults]

    def shown(self) -> dict[str, str]:
        """The games of the site, by the folder each is of, and what stands in the index."""
        index = (self.target / "index.html").read_text(encoding="utf-8")
        found = {path.parent.name: path.read_text("utf-8") for path in self.target.glob("*/index.html")}
        listed = json.loads((self.target / "site.json").read_text(encoding="utf-8"))
        assert listed["games"] == found
        assert {name for name in found if f'href="{name}/' in index} == {line.name for line in self.lines.values()}
        assert [name for name in listed["files"] if not (self.target / name).is_file()] == []
        return found


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Club:
    made = Club(tmp_path, monkeypatch)
    for name in ("alpha", "beta", "zulu"):
        made.game(name)
    made.game("hidden", public=False)
    assert made.write() == []
    assert made.shown() == {name: name for name in ("alpha", "beta", "zulu")}
    return made


def test_pages_that_are_as_they_should_be_are_not_made_again(club: Club) -> None:
    module = club.folder / "m.vmod"
    assert club.write("alpha", "zulu", url="https://x.example/club/", module=module) == []
    assert club.made == [("beta", "https://x.example/club/beta", module)]
    before = {path: path.stat().st_mtime_ns for path in club.target.rglob("*")}
    assert club.write("alpha", "beta", "zulu") == [] and club.made == []
    assert {path: path.stat().st_mtime_ns for path in club.target.rglob("*")} == before, "nothing is written"
    assert club.shown() == {name: name for name in ("alpha", "beta", "zulu")} and set(club.lines) == set(club.shown())
    club.game("beta", public=False)
    assert club.write("alpha", "beta", "zulu") == [] and club.made == []
    assert set(club.shown()) == {"alpha", "zulu"}
    assert not (club.target / "beta").exists()
    # Another folder has the name by now: what lies there is not its.
    shutil.rmtree(club.folder / "games" / "zulu")
    club.game("next", "zulu")
    club.lines["next"] = club.lines["zulu"]
    assert club.write("alpha", "next") == [] and [name for name, *_ in club.made] == ["next"]
    assert club.shown() == {"alpha": "alpha", "zulu": "next"}


def test_of_two_games_of_a_name_the_first_folder_is_shown_and_the_other_told_of(club: Club) -> None:
    club.game("copy", "alpha")
    for same in ((), ("alpha", "beta", "zulu")):
        assert club.write(*same) == ["same-name copy"]
        assert club.shown() == {name: name for name in ("alpha", "beta", "zulu")}
    club.game("aaa", "alpha")
    assert club.write("alpha", "beta", "zulu") == ["same-name alpha", "same-name copy"]
    assert club.shown()["alpha"] == "aaa"


@pytest.mark.parametrize("file", ["game.toml", "site.toml"])
def test_a_game_that_cannot_be_read_keeps_its_pages_and_no_other_is_kept_for_it(club: Club, file: str) -> None:
    (club.folder / "games" / "beta" / file).write_text("nothing", encoding="utf-8")
    (club.folder / "games" / "hidden" / file).write_text("nothing", encoding="utf-8")
    before = (club.target / "beta" / "turn.html").stat().st_mtime_ns
    told = club.write("alpha")
    assert [one.split()[1] for one in told] == [file] * (2 if file == "site.toml" else 1)
    assert set(club.shown()) == {"alpha", "beta", "zulu"} and set(club.lines) == {"alpha", "zulu"}
    assert (club.target / "beta" / "turn.html").stat().st_mtime_ns == before
    club.game("beta", "gamma")
    assert club.write() == ([] if file == "game.toml" else told[1:])
    assert club.shown() == {"alpha": "alpha", "gamma": "beta", "zulu": "zulu"}


def test_pages_of_tournaments_are_copied_as_they_are(club: Club) -> None:
    folder = club.folder / TOURNAMENTS
    folder.mkdir()
    for name in ("cup.html", "open.html", "notes.txt"):
        (folder / name).write_text(f"<p>{name}", encoding="utf-8")
    club.write("alpha", "beta", "zulu")
    index = (club.target / "index.html").read_text(encoding="utf-8")
    assert f"{TOURNAMENTS}/cup.html" in index and "notes" not in index
    assert sorted(path.name for path in (club.target / TOURNAMENTS).iterdir()) == ["cup.html", "open.html"]
    (folder / "cup.html").unlink()
    club.write("alpha", "beta", "zulu")
    assert [path.name for path in (club.target / TOURNAMENTS).iterdir()] == ["open.html"]


# --- a turn that is over ---------------------------------------------------------------------------------------------


def test_what_is_told_of_a_turn_changes_with_its_play_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked, filed and played since is of another turn."""
    with opened(SHIPPED) as game:
        records = game.effective()

        def after(log: list[Record]) -> tuple[int, str] | None:
            monkeypatch.setattr(game, "effective", lambda: log)
            monkeypatch.setattr(game, "state", lambda: fold_records(log))
            return ended(game)

        found = [after(records[:many]) for many in (*range(1, len(records), 5), len(records))]
        told = [one for one in dict.fromkeys(found) if one is not None]
        assert found[0] is None and [turn for turn, _ in told] == [1, 2, 3, 4, 5]
        assert len({digest for _, digest in told}) == 5 and {len(digest) for _, digest in told} == {20}
        for kind, changes in ((OrdersFiled, False), (SegmentBegan, False), (Moved, True), (Fired, True)):
            one = next(record for record in records if isinstance(record.event, kind))
            log = [record for record in records if record is not one]
            assert (after(log) != told[-1]) is changes, kind


def test_a_turn_that_is_over_is_told_to_spectators_as_on_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for begun, over in ((1, 0), (2, 1), (5, 5)):
        folder = tmp_path / f"in{begun}" / "duel01"
        folder.mkdir(parents=True)
        shutil.copy(SHIPPED / "game.toml", folder)
        for turn in range(begun + 1):
            shutil.copytree(SHIPPED / f"{turn:02}", folder / f"{turn:02}")
        with opened(folder) as game:
            told = public_report(game)
            if not over:
                assert told is None and ended(game) is None
                continue
            assert told is not None and (told.game, told.turn, told.over) == ("duel01", over, over == 5)
            assert (told.turn, told.digest) == ended(game)
            assert b"example.org" not in told.page + told.text.encode()
            if over == 1:
                assert told.text.encode() == site.game_files(game)["turn-01.txt"]
                monkeypatch.setattr("pbem.reports.html.public.without_addresses", lambda records, *more: list(records))
                with pytest.raises(GameError, match=r"the public .* would show a player's email address"):
                    public_report(game)
                with pytest.raises(GameError, match=r"turn-01\..* would show a player's email address"):
                    site.game_files(game)
                monkeypatch.undo()
