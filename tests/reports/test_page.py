"""The report page: well formed, self-contained, honest with hostile names."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import html

from pbem.engine.events import Record
from pbem.engine.step_names import TITLES
from pbem.games.storage.opening import opened
from pbem.reports.html.page import sitrep_html
from pbem.reports.mail.sitrep_mail import mail_summary
from pbem.reports.map.drawing import HALF_HEIGHT, MapCounter, Sheet, chart
from pbem.reports.view.build import build_view
from pbem.rules.hexes import neighbour

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y> {{ 7*7 }} </title> ]]> &amp;"


def page(duels: ModuleType, side: str, **names: str) -> tuple[str, Any]:
    text = sitrep_html(build_view(duels.duel(**names), side))
    return text, html.document_fromstring(text)


@pytest.mark.parametrize("side", ["federation", "klingon", "umpire", ""])
def test_ids_are_unique_and_every_link_leads_somewhere(duels: ModuleType, side: str) -> None:
    games: list[list[Record]] = [duels.duel(), duels.ended(), []]
    for records in games:
        view = build_view(records, side)
        tree = html.document_fromstring(sitrep_html(view))
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))
        links = tree.xpath("//@href")
        # At the end the page of the whole game lies beside, and the proof above.
        moments = [f"#t{turn}i{impulse}" for turn, impulse in ((1, 16), (2, 9), (2, 10))]
        beside = ["../proof.html", *(f"replay.html{there}" for there in ("", *moments))] if view.over else []
        assert links and all((link[0] == "#" and link[1:] in ids) or link in beside for link in links)


def test_moments_can_be_linked_to(duels: ModuleType) -> None:
    _, tree = page(duels, "federation")
    there = tree.get_element_by_id("t2.i9").xpath(".//span[@class='die']")
    assert [die.text_content() for die in there] == [
        f"die {row.xpath('td[2]')[0].text_content()}" for row in tree.get_element_by_id("dice").xpath(".//tbody/tr")
    ][-len(there) :]
    assert [row.text_content() for row in tree.get_element_by_id("dice").xpath(".//tbody/tr/td[last()]")][-7:] == [
        "2.9.fire Constellation PHOT A 1", "2.9.fire Constellation PHOT B 1", "2.9.fire Constellation PH 1 1",
        "2.9.fire Destruction DISR A 1", "2.9.fire Destruction DISR B 1", "2.9.resolve dac 1", "2.9.resolve dac 2",
    ]  # fmt: skip


def test_nothing_outside_the_page_is_needed_or_allowed(duels: ModuleType) -> None:
    text, tree = page(duels, "klingon")
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ") and f"style-src 'sha256-{digest}'" in policy
    scripted, script = tree.xpath("//script[not(@type)]/text()")
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in (scripted, script)]
    assert f"; script-src 'sha256-{hashes[0]}' 'sha256-{hashes[1]}'; " in policy
    assert scripted == "document.documentElement.classList.add('with-script')"
    assert not re.search(r"https?:|fetch|XMLHttp|import\(|innerHTML|eval|localStorage|cookie", script)
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert not tree.xpath("//@src") and not tree.xpath("//link") and not tree.xpath("//@style")
    assert "url(" not in style[1] and "@import" not in style[1]
    assert [script.get("type") for script in tree.xpath("//script")] == [None, "application/json", None]


def test_the_data_of_the_page_is_what_the_replay_wants_of_the_readers_view(duels: ModuleType) -> None:
    import msgspec

    _, tree = page(duels, "federation", fed=HOSTILE)
    data = json.loads(tree.get_element_by_id("game").text)
    view = build_view(duels.duel(fed=HOSTILE), "federation")
    assert data == {
        "shown": view.shown,
        "mine": HOSTILE,
        "planets": {},
        "steps": {frame.step: TITLES[frame.step] for frame in view.replay if frame.step},
        "replay": json.loads(msgspec.json.encode(view.replay)),
    }


def test_what_the_replay_tells_stands_in_the_page_once(duels: ModuleType) -> None:
    text, tree = page(duels, "klingon")
    view = build_view(duels.duel(), "klingon")
    for said in view.said:
        if said.place not in ("activity", "move") or said.kind == "turned":
            continue
        found = tree.xpath(f"//*[@id='t{said.turn}.i{said.impulse}']//*[@data-step='{said.step}']")
        assert any(said.text in part.text_content() for part in found), said
    assert len(text) < 110_000


def test_hostile_names_are_text_and_nothing_else(duels: ModuleType) -> None:
    tame, hostile = page(duels, "umpire"), page(duels, "umpire", fed=HOSTILE, player=HOSTILE)
    elements = [[element.tag for element in tree.iter()] for _, tree in (tame, hostile)]
    assert elements[0] == elements[1]
    assert "49" not in hostile[1].xpath("string(//h3[contains(., '7*7')])")
    assert HOSTILE in hostile[1].xpath("//tbody/tr/th[@scope='row']")[0].text_content()
    summary = html.document_fromstring(mail_summary(build_view(duels.duel(fed=HOSTILE, player=HOSTILE), "umpire")))
    assert not summary.xpath("//script | //img") and HOSTILE in summary.text_content()


def test_secrets_stay_with_their_owner(duels: ModuleType) -> None:
    pages = {side: page(duels, side)[0] for side in ("federation", "klingon", "umpire", "")}
    assert [side for side, text in pages.items() if duels.KLI_SECRET in text] == ["klingon", "umpire"]
    assert [side for side, text in pages.items() if duels.FED_SECRET in text] == ["federation", "umpire"]


def test_tables_and_the_map_can_be_read_aloud(duels: ModuleType) -> None:
    _, tree = page(duels, "klingon")
    assert all(header.get("scope") for header in tree.xpath("//th"))
    levels = [int(heading.tag[1]) for heading in tree.xpath("//h1|//h2|//h3")]
    assert levels[0] == 1 and all(b - a <= 1 for a, b in pairwise(levels))
    (drawn,) = tree.xpath("//svg[@class='map']")
    assert drawn.get("role") == "img"
    assert "Destruction in 1309A, speed 13" in drawn.xpath("string(.//desc)")


def test_the_map_shows_where_ships_went(duels: ModuleType) -> None:
    _, tree = page(duels, "federation")
    marks = tree.xpath("//svg[@class='map']//g[@data-unit='Constellation']//text/text()")
    assert marks == ["2", "4", "6", "8"]
    down = tree.xpath("//svg[@class='map']//g[@data-unit='Destruction']//line[@class='down']")
    assert len(down) == 1


@pytest.mark.parametrize("grid", ["even", "odd"])
def test_drawn_neighbours_lie_one_hex_apart_in_their_direction(grid: str) -> None:
    sheet = Sheet.of(("0101", "2817"), grid)
    steps = {"A": (0, -52), "B": (45, -26), "C": (45, 26), "D": (0, 52), "E": (-45, 26), "F": (-45, -26)}
    for hex in ("0505", "0608"):
        x, y = sheet.centre(hex)
        for facing, (dx, dy) in steps.items():
            assert sheet.centre(neighbour(hex, facing, grid)) == (x + dx, y + dy)


def test_all_hexes_and_counters_are_inside_the_drawing(duels: ModuleType) -> None:
    drawn = chart(build_view(duels.duel(), "umpire"))
    assert len(drawn.numbers) == 28 * 17
    assert all(HALF_HEIGHT // 4 < y < drawn.height and 0 < x < drawn.width for x, y, _ in drawn.numbers)
    assert [counter.unit.name for counter in drawn.counters] == ["Constellation", "Destruction", "KD/1"]
    assert drawn.counters[0].turn == 300 and drawn.counters[2].size == 50


def test_labels_do_not_cover_each_other_when_ships_share_a_hex(duels: ModuleType) -> None:
    from msgspec.structs import replace

    view = build_view(duels.duel(), "umpire")
    together = tuple(replace(unit, hex="1010") for unit in view.units)
    counters = chart(replace(view, units=together, tracks=())).counters
    assert len({(counter.x, counter.y) for counter in counters}) == 3
    assert len({(counter.label_x, counter.label_y) for counter in counters}) == 3


@pytest.mark.parametrize("turn", range(1, 6))
def test_names_keep_clear_of_the_numbers_on_lines_and_of_each_other(turn: int) -> None:
    """In each turn of the shipped duel: a drone flies along the line of fire on which its points stand."""
    with opened(ROOT / "turns" / "duel01") as game:
        drawn = chart(build_view(game.effective(), "umpire", turn=turn))
    numbers = [span.told_at for span in drawn.spans] + [shot.told_at for shot in drawn.shots if shot.points]
    boxes = [named(one) for one in (*drawn.counters, *drawn.wrecks)]
    assert not [(at, box) for at in numbers for box in boxes if box[0] < at[0] < box[2] and box[1] < at[1] - 5 < box[3]]
    assert not [
        (a, b) for a, b in combinations(boxes, 2) if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def named(counter: MapCounter) -> tuple[int, int, int, int]:
    """The place of a name: left, top, right, bottom."""
    wide = len(counter.unit.name) * (8 if counter.unit.small else 10)
    left = counter.label_x - {"start": 0, "middle": wide // 2, "end": wide}[counter.anchor]
    return left, counter.label_y - 14, left + wide, counter.label_y + 4


SCRIPT = """
import sys, importlib.util, hashlib
spec = importlib.util.spec_from_file_location("duel", sys.argv[1])
duel = importlib.util.module_from_spec(spec); spec.loader.exec_module(duel)
from tests.rendered import render
for side in ("federation", "klingon", "umpire", ""):
    made = render(duel.duel(), side, to="a@example.org", draft="END")
    for part in (made.text.encode(), made.html.encode(), made.mail):
        print(hashlib.sha256(part).hexdigest())
"""


@pytest.mark.slow
def test_the_same_bytes_whatever_the_surroundings() -> None:
    outputs = set()
    for seed, zone, locale in (("1", "UTC", "C"), ("77", "Asia/Tokyo", "de_DE.UTF-8")):
        surroundings = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(Path(__file__).with_name("duel.py"))],
            env=surroundings, capture_output=True, text=True, check=True,
        )  # fmt: skip
        outputs.add(run.stdout)
    assert len(outputs) == 1 and len(outputs.pop().split()) == 12


def test_reports_are_loaded_only_when_one_is_made() -> None:
    code = (
        "import sys, pbem.reports.render; print([m for m in ('jinja2', 'lxml', 'email.message') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_crowd_of_seeking_weapons_leaves_the_ships_tracks_readable(duels: ModuleType) -> None:
    from msgspec.structs import replace

    view = build_view(duels.duel(), "umpire")
    (seeker,) = (track for track in view.tracks if track.seeker)
    crowd = tuple(replace(seeker, unit=f"KD/{number}") for number in range(1, 41))
    ways = chart(replace(view, tracks=(*view.tracks[:2], *crowd))).ways
    assert [len(way.beads) for way in ways[:2]] == [4, 4]
    assert {len(way.beads) for way in ways[2:]} == {4} and len(seeker.points) == 7
    assert ways[2].beads[-1].at == seeker.points[-1].at


def test_a_unit_that_left_play_is_crossed_out_where_its_track_ends(duels: ModuleType) -> None:
    drawn = chart(build_view(duels.ended(), "umpire"))
    assert [wreck.unit.name for wreck in drawn.wrecks] == ["Destruction"]
    end = next(way for way in drawn.ways if way.unit == "Destruction").beads[-1]
    assert (drawn.wrecks[0].x, drawn.wrecks[0].y) == (end.x, end.y)


def test_of_a_large_map_only_the_part_in_use_is_drawn(duels: ModuleType) -> None:
    from msgspec.structs import replace

    view = build_view(duels.duel(), "umpire")
    drawn = chart(replace(view, map=("0101", "9999")))
    hexes = [hex for _, _, hex in drawn.numbers]
    assert drawn.part == (hexes[0], hexes[-1]) == ("0801", "2217") and chart(view).part == ("", "")
    assert {point.hex for track in view.tracks for point in track.points} <= set(hexes)
    assert all(0 < counter.x < drawn.width and 0 < counter.y < drawn.height for counter in drawn.counters)
