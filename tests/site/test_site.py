"""`pbem site`: what spectators may know of a game as plain files, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from lxml import etree, html

from pbem.engine.events import seen_by
from pbem.engine.log import decode_records, fold_records
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.site import set_public, write_site, write_sites
from pbem.games.storage.opening import opened
from pbem.mail.host.clocks import Clock, write_clock
from pbem.reports.html.public import name_of, seen_records

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "turns" / "duel01"
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)> <evil@example.org>"


def game_after(folder: Path, turns: int) -> Path:
    """The shipped duel as it stood after so many turns."""
    folder.mkdir(parents=True)
    shutil.copy(SHIPPED / "game.toml", folder)
    for turn in range(turns + 1):
        shutil.copytree(SHIPPED / f"{turn:02}", folder / f"{turn:02}")
    return folder


def contents(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def being_played(found: dict[str, bytes]) -> tuple[list[str], list[str]]:
    """The turns that the index says are being played, and the pages that lead to what is wanted now, or to the end."""
    index = html.fromstring(found["index.html"].decode("utf-8"))
    now = index.xpath("//h3[contains(., 'being played')]/a/@href")
    return [str(one) for one in now], sorted(name for name, data in found.items() if b'href="#owed"' in data)


def texts_of(value: object) -> Iterator[str]:
    """Every string in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_of(item)


def test_a_running_game_tells_what_is_public_and_no_more(tmp_path: Path) -> None:
    game, site = game_after(tmp_path / "duel01", 2), tmp_path / "site"
    done = write_site(game, site)
    found = contents(site)
    assert set(found) == {
        "index.html", "record.jsonl", "replay.html", "site.json",
        *(f"turn-0{turn}.{kind}" for turn in (1, 2) for kind in ("html", "txt", "json")),
    }  # fmt: skip
    assert done.files == len(found) - 1 and done.games == ("duel01",)
    with opened(game) as folder:
        private = [record for record in folder.effective() if record.only]
    assert private
    everything = "\n".join(data.decode("utf-8") for data in found.values())
    looked_for = 0
    for record in private:
        shown = set(texts_of(msgspec.to_builtins(record.shown)))
        for text in texts_of(msgspec.to_builtins(record.event)):
            for line in text.splitlines():
                # Short words stand in any page; a line of an order that names a moment or a condition stands in none.
                if text not in shown and len(line.strip()) > 24 and not line.startswith("GAME"):
                    looked_for += 1
                    assert line.strip() not in everything
    assert looked_for > 20
    assert being_played(found) == (["turn-02.html"], ["turn-02.html"])
    assert "example.org" not in everything and "@" not in found["record.jsonl"].decode()


def test_the_record_of_a_running_game_folds_to_what_spectators_see(tmp_path: Path) -> None:
    game = game_after(tmp_path / "duel01", 2)
    write_site(game, tmp_path / "site")
    records = decode_records((tmp_path / "site" / "record.jsonl").read_bytes())
    assert [record.n for record in records] == list(range(1, len(records) + 1))
    assert not any(record.only or record.shown for record in records)
    with opened(game) as folder:
        state = folder.state()
        seen = [event for record in folder.effective() if (event := seen_by(record, "")) is not None]
    assert len(records) == len(seen)
    units = fold_records(records).units
    assert {name: (unit.hex, unit.facing) for name, unit in units.items() if unit.in_play} == {
        name: (unit.hex, unit.facing) for name, unit in state.units.items() if unit.in_play
    }


def test_a_break_that_one_side_agreed_with_the_umpire_stays_secret(tmp_path: Path) -> None:
    game = tmp_path / "game"
    new(
        "5", game, players={"federation": "a", "klingon": "b"}, seed="x", name="g",
        options={"autobreaks": "klingon: RANGE Constellation <= 7; ANY FIRES HEAVY"},
    )  # fmt: skip
    with opened(game) as folder:
        log = folder.effective()
    assert "<= 7" in str(log) and "<= 7" not in str(seen_records(log, ""))
    write_site(game, tmp_path / "site")
    for name, data in contents(tmp_path / "site").items():
        assert b"= 7" not in data, name


def test_when_the_game_is_over_everything_is_open(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(SHIPPED, site)
    found = contents(site)
    assert {f"secrets-0{turn}.html" for turn in range(1, 6)} <= set(found)
    whole = decode_records(found["record-whole.jsonl"])
    with opened(SHIPPED) as folder:
        log = folder.effective()
    assert len(whole) == len(log)
    plain = msgspec.structs.replace
    told, known = fold_records(whole), fold_records(log)
    nobody = {name: plain(side, player="") for name, side in known.sides.items()}
    assert plain(told, sides=nobody) == plain(known, sides=nobody)
    assert being_played(found) == ([], ["secrets-05.html", "turn-05.html"]), "there is but the end to read of"
    page = html.fromstring(found["secrets-02.html"].decode("utf-8"))
    assert "AT 2 LAUNCH DRONE 1" in page.text_content() and "Energy and arming" in page.text_content()
    assert "tactical victory" in found["index.html"].decode("utf-8")
    assert b"example.org" not in b"".join(found.values())
    assert not any("secret/" in name or name.endswith(".secret") for name in found)


@pytest.mark.slow
def test_the_same_game_makes_the_same_files_and_a_second_run_writes_none(tmp_path: Path) -> None:
    first = write_site(SHIPPED, tmp_path / "a")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").iterdir()}
    again = write_site(SHIPPED, tmp_path / "a")
    assert (first.written, again.written, again.removed) == (first.files, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "a").iterdir()} == before
    write_site(shutil.copytree(SHIPPED, tmp_path / "copy" / "another name"), tmp_path / "b")
    one, other = contents(tmp_path / "a"), contents(tmp_path / "b")
    assert one.pop("site.json") != other.pop("site.json")  # it names the game's folder
    assert one == other


def test_turns_that_were_taken_back_go_from_the_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(SHIPPED, site)
    (site / "notes.txt").write_text("mine")
    done = write_site(game_after(tmp_path / "duel01", 3), site)
    assert done.removed == 3 * 2 + 5 + 1
    assert not list(site.glob("secrets-*")) and not list(site.glob("turn-05*"))
    assert (site / "notes.txt").read_text() == "mine"
    listed = json.loads((site / "site.json").read_text())["files"]
    assert listed == sorted(set(contents(site)) - {"site.json", "notes.txt"}), "the same list for the same files"


def test_every_link_leads_to_a_file_of_the_site_from_wherever_it_lies(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(SHIPPED, site)
    pages = {path.name: html.fromstring(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}
    names = {name: set(page.xpath("//@id")) for name, page in pages.items()}
    count = 0
    for name, page in pages.items():
        for link in [*page.xpath("//@href"), *page.xpath("//@src")]:
            file, _, place = str(link).partition("#")
            assert re.fullmatch(r"[\w.-]*", file), link
            assert not file or (site / file).is_file(), link
            if place and not place.startswith("shape-"):
                assert place in names[file or name], f"{name}: {link}"
            count += bool(file)
    assert count > 50


def test_a_site_is_put_into_no_game_and_over_no_other_file(tmp_path: Path) -> None:
    game = game_after(tmp_path / "duel01", 1)
    for place in (game, game / "site"):
        with pytest.raises(GameError, match="site-place"):
            write_site(game, place)
    other = tmp_path / "home"
    other.mkdir()
    (other / "index.html").write_text("my page")
    with pytest.raises(GameError, match="site-place"):
        write_site(game, other)
    assert [path.name for path in other.iterdir()] == ["index.html"]
    assert (other / "index.html").read_text() == "my page"


def test_a_list_that_somebody_changed_takes_nothing_away_elsewhere(tmp_path: Path) -> None:
    game, site = game_after(tmp_path / "duel01", 1), tmp_path / "site"
    write_site(game, site)
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    listing = json.loads((site / "site.json").read_text())
    listing["files"] += ["../mine.txt", str(mine), "turn-09.html"]
    (site / "site.json").write_text(json.dumps(listing))
    write_site(game, site)
    assert mine.read_text() == "mine"
    (site / "site.json").write_text("{}")
    with pytest.raises(GameError, match="site-list"):
        write_site(game, site)


def test_hostile_names_never_become_markup(tmp_path: Path) -> None:
    game = tmp_path / "game"
    new("5", game, players={"federation": HOSTILE, "klingon": "robot"}, seed="x", name="hostile")
    write_site(game, tmp_path / "site", url="https://example.net/x?a=1&b=<2>/")
    for path in (tmp_path / "site").glob("*.html"):
        page = html.fromstring(path.read_text(encoding="utf-8"))
        assert not page.xpath("//img") and not page.xpath("//*[@onerror]"), path.name
        scripts = page.xpath("//script[not(@type)]")
        assert len(scripts) == (1 if path.name == "index.html" else 2)
        assert "owned" in page.text_content() and "evil@example.org" not in page.text_content()
    feed = etree.fromstring((tmp_path / "site" / "feed.xml").read_bytes())
    assert feed.findtext("channel/link") == "https://example.net/x?a=1&b=<2>/index.html"


def test_names_for_spectators(tmp_path: Path) -> None:
    assert name_of("Ann Smith <ann@example.org>") == "Ann Smith"
    assert name_of('"Ann" ann@example.org') == "Ann" and name_of("ann@example.org") == ""
    game = game_after(tmp_path / "duel01", 1)
    (game / "site.toml").write_text('format = 1\npublic = true\n[names]\nfederation = "Captain Ann"\n')
    write_site(game, tmp_path / "site")
    assert "Captain Ann" in (tmp_path / "site" / "turn-01.html").read_text(encoding="utf-8")
    set_public(game, False)
    assert "Captain Ann" in (game / "site.toml").read_text() and "public = false" in (game / "site.toml").read_text()


@pytest.mark.slow
def test_positions_lie_on_the_table_without_an_address(tmp_path: Path) -> None:
    from pbem.vassal_bridge.companion.module import build_module, write_module
    from vassal.save import read_text

    write_module(build_module(svg=True), tmp_path / "m.vmod")
    game, table = game_after(tmp_path / "duel01", 2), tmp_path / "m.vmod"
    write_site(game, tmp_path / "site", "", table)
    text = read_text(tmp_path / "site" / "positions.vsav")
    assert "Constellation" in text and "example.org" not in text
    assert write_site(game, tmp_path / "site", "", table).written == 0
    assert "positions.vsav" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host's folder with three games: one over, one running, one that nobody may know of."""
    folder = tmp_path / "club"
    shutil.copytree(SHIPPED, folder / "games" / "done")
    shutil.copytree(ROOT / "turns" / "rescue01", folder / "games" / "rescue")
    new("5", folder / "games" / "unlisted9", players={"federation": "ann@example.org", "klingon": "robot"}, seed="x")
    (folder / "host.toml").write_text("")
    return folder


def test_a_host_shows_its_public_games_alone(host: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert write_sites(host, site).games == ()
    assert "No game" in (site / "index.html").read_text(encoding="utf-8")
    for name in ("done", "rescue"):
        set_public(host / "games" / name, True)
    done = write_sites(host, site, "https://example.net/games")
    assert done.games == ("duel01", "rescue01") and not done.faults
    everything = b"".join(contents(site).values()) + "".join(contents(site)).encode()
    assert b"unlisted9" not in everything and b"example.org" not in everything
    for name in done.games:
        index = html.fromstring((site / name / "index.html").read_text(encoding="utf-8"))
        assert "../index.html" in index.xpath("//@href")
        assert f"https://example.net/games/{name}/turn-01.html" in (site / name / "feed.xml").read_text()
    # A game that is public no more goes from the site at the next writing.
    set_public(host / "games" / "done", False)
    assert write_sites(host, site).games == ("rescue01",)
    assert not (site / "duel01").exists() and "duel01" not in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_index_of_a_club_shows_games_players_and_the_clubs_name(host: Path, tmp_path: Path) -> None:
    """A picture of each game, when it was played on, its replay, and what its players have of it."""
    for name in ("done", "rescue"):
        set_public(host / "games" / name, True)
    mark = host / "games" / "done" / "site.toml"
    mark.write_text('format = 1\npublic = true\n[names]\nfederation = "Ann"\nklingon = "Kor"\n')
    write_clock(host / "games" / "done", Clock(played=datetime(2030, 3, 17, 23, 30, tzinfo=UTC)))
    write_sites(host, tmp_path / "site", club="The Tuesday Club <b>")
    page = html.fromstring((tmp_path / "site" / "index.html").read_text(encoding="utf-8"))
    assert page.xpath("//h1")[0].text == "The Tuesday Club <b>"
    cards = page.xpath("//li[contains(@class, 'card')]")
    assert [card.xpath(".//h3")[0].text_content() for card in cards] == ["duel01", "rescue01"]
    assert all(
        card.xpath(".//*[local-name()='svg']//*[local-name()='path'][contains(@class, 'ship')]") for card in cards
    )
    assert "played on 2030-03-17" in cards[0].text_content()
    links = [link for card in cards for link in card.xpath(".//@href")]
    assert links and all((tmp_path / "site" / link).is_file() for link in links)
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    head, *rows = ([cell.text_content() for cell in row.xpath("./td|./th")] for row in page.xpath("//table//tr"))
    told = {row[0]: dict(zip(head[1:], map(int, row[1:]), strict=True)) for row in rows}
    # The shipped duel: a tactical victory of the Klingon, and a draw in words for who disengaged.
    assert (told["Kor"]["Won"], told["Ann"]["Lost"]) == (1, 1)


@pytest.mark.slow
def test_a_damaged_game_keeps_its_old_pages_and_is_told_of(host: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("done", "rescue"):
        set_public(host / "games" / name, True)
    write_sites(host, site)
    before = contents(site / "duel01")
    (host / "games" / "done" / "01" / "events.jsonl").write_text("no record\n")
    done = write_sites(host, site)
    assert [fault.code for fault in done.faults] == ["log-damaged"]
    assert contents(site / "duel01") == before
    # Made private, it goes although it cannot be read.
    set_public(host / "games" / "done", False)
    assert not write_sites(host, site).faults and not (site / "duel01").exists()


def pbem(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pbem", "site", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=60)


@pytest.mark.slow
def test_the_command(host: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert pbem(host / "games" / "unlisted9", "--public").returncode == 0
    run = pbem(host, site, "--json")
    assert (run.returncode, json.loads(run.stdout)["games"]) == (0, ["unlisted9"])
    assert pbem(host / "games" / "unlisted9").returncode == 2
    assert pbem(host, site, "--url", "ftp://x").returncode == 2
    assert pbem(host, "--public").returncode == 2
    run = pbem(tmp_path / "nothing", site)
    assert run.returncode == 1 and "no-game" in run.stderr
