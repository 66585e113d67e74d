"""Which games' pages a round writes anew on the club's site: those that changed, and after what changes all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.site import LISTED, TOURNAMENTS, Site
from pbem.mail.host import site as showing
from pbem.mail.store import keep_fact
from pbem.reports.html.site import GameLine

GAMES = ("alpha", "beta", "gamma")


class Club:
    """A club whose site is written by nobody, but for the list of its files: who is asked to is written down."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.target, self.url, self.name = folder / "club", folder / "www", "https://x.example", "Club"
        self.names = list(GAMES)
        self.anew: set[str] = set()
        self.full = False
        for name in GAMES:
            self.add(name)
        monkeypatch.setattr(showing, "renew_sites", self.renew_sites)

    def add(self, name: str) -> None:
        for file in ("01/events.jsonl", "site.toml"):
            (self.game(name) / file).parent.mkdir(parents=True, exist_ok=True)
            (self.game(name) / file).write_text(name, encoding="utf-8")

    def game(self, name: str) -> Path:
        return self.folder / "games" / name

    def renew_sites(
        self, *where: Path | Mapping[str, GameLine] | str, **called: str
    ) -> tuple[Site, dict[str, GameLine]]:
        folder, target, same, url = where
        assert (folder, target, url, called) == (self.folder, self.target, self.url, {"club": self.name})
        assert isinstance(same, Mapping) and all(line.folder == name for name, line in same.items())
        self.anew = set(self.names) - same.keys()
        if self.full:
            raise GameError.saying("unwritable", "no room")
        self.target.mkdir(exist_ok=True)
        (self.target / LISTED).write_text("{}", encoding="utf-8")
        lines = {
            name: GameLine(name=name, folder=name, title="", players=(), stands="", over=False) for name in self.names
        }
        return Site(index=self.target, files=0, written=0, removed=0, games=tuple(lines)), lines

    def round(self, *opened: str) -> set[str] | None:
        """The games whose pages are written anew in a round that opens these; nothing where the site is left alone."""
        self.anew = set()
        folders = [self.game(name) for name in self.names]
        done = showing.renew(
            self.folder, self.target, self.url, folders, [self.game(name) for name in opened], self.name
        )
        return None if done is None else self.anew


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Club:
    made = Club(tmp_path, monkeypatch)
    assert made.round(*GAMES) == set(GAMES)
    assert made.round() is None and made.round(*GAMES) is None, "nothing has changed"
    return made


def write(name: str) -> Callable[[Club], object]:
    def do(club: Club) -> None:
        (club.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (club.folder / name).write_text("something else", encoding="utf-8")

    return do


@pytest.mark.parametrize(
    "file",
    ["01/events.jsonl", "02/events.jsonl", "100/events.jsonl", "site.toml", "secret/tenures.json", "secret/names.json"],
)
def test_what_a_games_pages_are_made_from(club: Club, file: str) -> None:
    write(f"games/beta/{file}")(club)
    assert club.round() is None and club.round("alpha", "gamma") is None, "who does not look does not know"
    assert club.round("alpha", "beta") == {"beta"}
    assert club.round(*GAMES) is None


@pytest.mark.parametrize("file", ["mail/said.json", "01/state.json", "secret/dice.secret", "01/r1/umpire/sitrep.txt"])
def test_what_they_are_not_made_from(club: Club, file: str) -> None:
    write(f"games/beta/{file}")(club)
    assert club.round(*GAMES) is None


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        (lambda club: setattr(club, "url", "https://y.example"), set(GAMES)),
        (lambda club: setattr(club, "name", "Another"), set(GAMES)),
        (lambda club: setattr(club, "target", club.folder.parent / "elsewhere"), set(GAMES)),
        (lambda club: (club.target / LISTED).unlink(), set(GAMES)),
        (lambda club: club.names.remove("beta"), set()),
        (lambda club: (club.names.append("delta"), club.add("delta")), {"delta"}),
        (write(f"{TOURNAMENTS}/cup.html"), set()),
        (write(f"{TOURNAMENTS}/cup.txt"), None),
    ],
)  # fmt: skip
def test_what_has_the_site_written_though_no_game_was_opened(
    club: Club, change: Callable[[Club], object], anew: set[str] | None
) -> None:
    change(club)
    assert club.round() == anew
    assert club.round(*club.names) is None


def test_a_page_of_a_tournament_is_copied_when_it_came_changed_and_went(club: Club) -> None:
    page = club.folder / TOURNAMENTS / "cup.html"
    for change in (write(f"{TOURNAMENTS}/cup.html"), lambda club: page.write_text("1"), lambda club: page.unlink()):
        change(club)
        assert club.round() == set() and club.round() is None


def test_what_could_not_be_written_is_left_to_the_next_round(club: Club) -> None:
    """Games that changed, and pages of tournaments; as often as it fails, and whatever is opened then."""
    write("games/beta/site.toml")(club)
    club.full = True
    for opened in (("beta",), (), ("alpha",)):
        with pytest.raises(GameError, match="no room"):
            club.round(*opened)
        assert club.anew == {"beta"}
    club.full = False
    assert club.round("gamma") == {"beta"} and club.round(*GAMES) is None
    write(f"{TOURNAMENTS}/cup.html")(club)
    club.full = True
    for _ in range(2):
        with pytest.raises(GameError, match="no room"):
            club.round()
    club.full = False
    assert club.round() == set() and club.round() is None


def test_a_game_that_went_is_forgotten(club: Club) -> None:
    """Whatever comes under its name is another."""
    club.names.remove("beta")
    assert club.round() == set()
    club.names.append("beta")
    assert club.round() == {"beta"}


@pytest.mark.parametrize("fact", [showing.SHOWN, showing.OWED])
def test_without_what_it_remembers_it_writes_anew(club: Club, fact: str) -> None:
    keep_fact(club.folder / "mail", fact, "damaged")
    found = club.round()
    assert found == (set() if fact == showing.OWED else None)
    if found is None:
        assert club.round("beta") == set(GAMES)


def test_in_which_order_a_folder_lists_its_files_says_nothing(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cup", "ladder", "open"):
        write(f"{TOURNAMENTS}/{name}.html")(club)
        write(f"games/beta/0{len(name)}/events.jsonl")(club)
    assert club.round("beta") == {"beta"}
    glob = Path.glob
    for back in (True, False):
        monkeypatch.setattr(Path, "glob", lambda self, all, back=back: sorted(glob(self, all), reverse=back))
        assert club.round("beta") is None
