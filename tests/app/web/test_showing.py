"""What a club's door shows beside the board: cards of a player's games, and the pages of public games."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from lxml import html

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")
pytest.importorskip("openskill", reason="the extra club is not installed")

from pbem.app.web.club import Club
from pbem.app.web.showing import Showing, _names, _span, _waits
from pbem.errors import GameError
from pbem.games.site import set_public
from pbem.games.status import Status, status
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail.host.clocks import read_clock
from pbem.mail.people import read_people
from pbem.reports.html.site import player_file
from tests.app.web.asking import Asker
from tests.app.web.clubs import asker, opened_door
from tests.club.linked import NOW, ends, linked_club

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


@pytest.fixture
def club(tmp_path: Path) -> Path:
    return linked_club(tmp_path)


@pytest.fixture
def door(club: Path) -> Iterator[ClubServer]:
    with opened_door(club) as one:
        yield one


def test_public_pages_at_the_door_are_those_of_the_site(door: ClubServer, club: Path) -> None:
    web, ann = club.parent / "web", asker(door, club, "ann")
    files = sorted(path.relative_to(web).as_posix() for path in web.rglob("*") if path.suffix in (".html", ".txt"))
    assert len(files) > 12
    for name in files:
        status, headers, text = ann.ask(f"/site/{name}")
        kept = (web / name).read_text(encoding="utf-8")
        if name == "index.html":
            text = text.replace('<li><a href="/">Your games</a></li>', "")
        assert (status, text) == (200, kept), name
        assert ("html" in headers["content-type"]) == name.endswith(".html")
    for name in ("", "index.html"):
        assert 'href="/">Your games' in ann.ask(f"/site/{name}")[2]
    for name in ("hush/index.html", "hush", "duel01", "duel01/", "../host.toml", "duel01/../../host.toml", "x.html"):
        assert ann.ask(f"/site/{name}")[0] == 404, name
    assert Asker(door.port).ask("/site/index.html")[0] == 403, "who does not play here sees nothing"
    assert asker(door, club, "zed").ask("/site/duel01/index.html")[0] == 200, "who plays in the club may"


def test_a_game_that_is_public_no_more_goes_at_once(door: ClubServer, club: Path) -> None:
    ann = asker(door, club, "ann")
    assert ann.ask("/site/duel01/turn-01.html")[0] == 200
    set_public(club / "games" / "duel01", False)
    assert ann.ask("/site/duel01/turn-01.html")[0] == 404
    assert "duel01" not in ann.ask("/site/")[2]
    links = html.fromstring(ann.ask("/")[2]).xpath("//*[@class='links']//@href")
    assert not [link for link in links if "duel01" in str(link)]


def test_a_page_changes_when_play_goes_on(door: ClubServer, club: Path) -> None:
    ann = asker(door, club, "ann")
    assert "The game is over" not in ann.ask("/site/duel01/index.html")[2]
    ends(club, "duel01")
    assert "The game is over" in ann.ask("/site/duel01/index.html")[2]
    assert ann.ask("/site/duel01/secrets-02.html")[0] == 200


def test_a_card_shows_the_game_its_people_and_where_it_leads(door: ClubServer, club: Path) -> None:
    page = html.fromstring(asker(door, club, "ann").ask("/")[2])
    cards = {str(card.xpath("string(.//h2)")): card for card in page.xpath("//li[contains(@class, 'gamecard')]")}
    assert len(cards) == 2
    duel = cards["duel01"]
    text = " ".join(duel.text_content().split())
    assert "#5 Encounter · you play federation" in text and "turn 3" in text
    assert "Your orders are wanted. It has waited" in text and "for you and Kor" in text
    links = [str(link) for link in duel.xpath(".//a/@href")]
    assert links[0] == "/game/duel01/federation" and "/site/duel01/index.html" in links
    assert len([link for link in links if link.startswith("/site/players/")]) == 2
    (over,) = [card for name, card in cards.items() if name.startswith("cup-1")]
    assert "/site/tournaments/cup.html" in over.xpath(".//a/@href")
    ships = duel.xpath(".//*[local-name()='path'][contains(@class, 'ship')]")
    assert sorted(str(ship.get("class")) for ship in ships) == ["ship s0", "ship s1"]
    kor = html.fromstring(asker(door, club, "kor").ask("/")[2])
    shapes = {who.xpath("string(.//li[contains(., 'duel01')]//*[@class='ship s0']/@d)")[:10] for who in (page, kor)}
    assert len(shapes) == 2, "each player's own side has the first colour"
    nav = [str(link) for link in page.xpath("//nav//a/@href")]
    assert nav == ["/site/index.html", "/site/tournaments/cup.html", "/site/ladder.html"]
    assert "example.org" not in page.text_content()


def test_the_desk_of_a_game_leads_on(door: ClubServer, club: Path) -> None:
    page = html.fromstring(asker(door, club, "ann").ask("/game/duel01/federation")[2])
    links = [str(link) for link in page.xpath("//section[@aria-label='Around this game']//a/@href")]
    assert links == ["/site/duel01/index.html", f"/site/{player_file('Ann')}", f"/site/{player_file('Kor')}"]
    private = html.fromstring(asker(door, club, "zed").ask("/game/hush/federation")[2])
    assert not private.xpath("//section[@aria-label='Around this game']")


def test_a_card_of_a_game_that_cannot_be_read_says_so(door: ClubServer, club: Path) -> None:
    (club / "games" / "duel01" / "02" / "events.jsonl").write_text("{", encoding="utf-8")
    status_, _, text = asker(door, club, "ann").ask("/")
    assert status_ == 200 and "cannot be shown now" in text
    assert asker(door, club, "ann").ask("/site/duel01/index.html")[0] == 404


def standing(folder: Path) -> Status:
    with opened(folder) as game:
        return status(game)


def test_for_whom_a_game_waits_and_how_long(club: Path) -> None:
    game = club / "games" / "duel01"
    asked = read_clock(game).asked
    assert asked == NOW

    def waits(side: str, **since: float) -> str:
        now = standing(game)
        return _waits(game, now, side, _names(now, read_people(club)), NOW + timedelta(**since))

    assert waits("federation", hours=2) == "It has waited 2 hours for you and Kor."
    assert waits("klingon", days=3) == "It has waited 3 days for you and Ann."
    assert waits("federation", seconds=20) == "It waits for you and Kor."
    assert waits("federation", hours=-1) == "It waits for you and Kor.", "a clock that was put back tells no time"
    here = Club(club)
    seat = next(one for one in here.games().seats if (one.game, one.side) == ("duel01", "federation"))
    with opened(game, lock="test") as one:
        submit(one, here.look(seat).draft, "federation")
    assert waits("federation", hours=2) == "It has waited 2 hours for Kor."
    assert waits("klingon", hours=2) == "It has waited 2 hours for you."
    (game / "mail" / "clock.json").unlink()
    assert waits("klingon", hours=2) == "It waits for you."
    ends(club, "duel01")
    assert waits("klingon", hours=2) == ""


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, ""), (0.9, ""), (1, "1 minute"), (59, "59 minutes"), (60, "1 hour"), (2879, "47 hours"), (2880, "2 days")],
)
def test_spans_in_words(minutes: float, words: str) -> None:
    assert _span(timedelta(minutes=minutes)) == words


def test_players_are_named_without_their_addresses(club: Path) -> None:
    now, people = standing(club / "games" / "duel01"), read_people(club)
    assert _names(now, people) == {"federation": "Ann", "klingon": "Kor"}
    one, two = now.sides
    replace = msgspec.structs.replace
    for player, robot, name in (
        ("Nobody Known <nobody@example.net>", False, "Nobody Known"),
        ("nobody@example.net", False, ""),
        ("captain", False, "a computer player (captain)"),
        ("", True, "the robot"),
    ):
        asked = replace(now, sides=(replace(one, player=player, robot=robot), two))
        assert _names(asked, people)["federation"] == name


def test_few_pages_are_kept(club: Path) -> None:
    showing = Showing(club)
    assert showing.file("duel01/index.html") is showing.file("duel01/index.html")
    with pytest.raises(GameError, match="no-page"):
        showing.file("duel01")
