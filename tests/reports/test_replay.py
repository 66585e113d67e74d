"""The replay's frames, damage over the game, displays box by box: what the report page draws besides its map."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import msgspec
import pytest
from lxml import html
from msgspec.structs import replace

from pbem.reports.html.page import sitrep_html
from pbem.reports.map.damage_chart import toll_charts
from pbem.reports.map.picture import map_style, map_svg
from pbem.reports.map.ssd import display
from pbem.reports.view.build import build_view
from pbem.reports.view.model import Boxes, ReportView, Toll

READERS = ("federation", "klingon", "umpire", "")


def last_look(view: ReportView) -> dict[str, dict[str, Any]]:
    """What the frames of a replay come to in the end."""
    now: dict[str, dict[str, Any]] = {"at": {}, "shields": {}, "gone": {}}
    for frame in view.replay:
        for name in frame.gone:
            now["at"].pop(name, None)
        for name in frame.at:
            now["gone"].pop(name, None)
        for what, values in now.items():
            values.update(getattr(frame, what))
    return now


@pytest.mark.parametrize("side", READERS)
def test_the_replay_ends_at_the_positions_of_the_table(duels: ModuleType, side: str) -> None:
    for records in (duels.duel(), duels.ended()):
        view = build_view(records, side)
        end = last_look(view)
        units = [unit for unit in view.units if unit.kind != "planet"]
        assert end["at"] == {unit.name: unit.at for unit in units if not unit.gone}
        assert {n: s for n, s in end["shields"].items() if n in end["at"]} == {
            unit.name: tuple(now for now, _ in unit.shields) for unit in units if unit.shields and not unit.gone
        }
        last = view.replay[-1].reach or next(frame.reach for frame in reversed(view.replay) if frame.reach is not None)
        for bearing in view.bearings:
            assert (bearing.unit, bearing.other, bearing.range) in [reach[:3] for reach in last]


def test_the_replay_goes_step_by_step(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "federation")
    assert [(f.impulse, f.step) for f in view.replay][:4] == [(0, ""), (0, "energy"), (0, "announce"), (2, "move")]
    assert [f.step for f in view.replay if f.impulse == 9] == ["move", "seek", "fire", "resolve"]
    start, moved = view.replay[0], view.replay[3]
    assert start.at == {"Constellation": "1705E", "Destruction": "1312B"}
    assert moved.at["Constellation"] == "1605E" and not moved.shields
    hit = next(f for f in view.replay if (f.impulse, f.step) == (9, "resolve"))
    assert hit.shields["Destruction"][0] == 0 and hit.at == {}


def test_a_game_not_begun_has_one_frame(duels: ModuleType) -> None:
    placed = [record for record in duels.duel() if record.event.turn == 0]
    (frame,) = build_view(placed, "federation").replay
    assert sorted(frame.at) == ["Constellation", "Destruction"]


def test_frames_take_little_room(duels: ModuleType) -> None:
    assert len(msgspec.json.encode(build_view(duels.duel(), "umpire").replay)) < 5000


def test_every_moment_of_the_replay_has_a_place_in_the_text(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    tree = html.document_fromstring(sitrep_html(view))
    ids = set(tree.xpath("//@id"))
    for frame in view.replay[1:]:
        assert {f"t2i{frame.impulse}", f"t2i{frame.impulse}-{frame.step}"} <= ids


def test_a_shuttle_taken_aboard_is_gone_from_the_replay(raids: ModuleType) -> None:
    view = build_view(raids.raid(), "federation")
    end = last_look(view)
    assert end["at"] == {unit.name: unit.at for unit in view.units if unit.kind != "planet" and not unit.gone}


def test_damage_over_the_game_is_given_and_taken(duels: ModuleType) -> None:
    first, second, *others = build_view(duels.duel(), "klingon").tolls
    assert (first.turn, first.given, first.shields, first.internals) == (1, 0, 5, 0)
    assert (second.turn, second.given, second.shields, second.internals) == (2, 3, 11, 2)
    assert second.taken == 13
    assert (first.side, {toll.side for toll in others}) == ("klingon", {"federation"})
    assert {toll.side for toll in build_view(duels.duel(), "").tolls} == {"federation", "klingon"}


def test_what_changed_is_told_of_the_readers_ships_first(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    mine, *others = view.changes
    assert (mine.unit, mine.mine) == ("Destruction", True) and not any(ship.mine for ship in others)
    told = {fact.what: fact.words for fact in mine.facts}
    assert told["shield #1"].endswith("lost, down") and "lost inside" in told
    tree = html.document_fromstring(sitrep_html(view))
    ids = tree.xpath("//main//section/@id")
    assert ids.index("owed") < ids.index("changes") < ids.index("news")
    for other in ("umpire", ""):
        assert build_view(duels.duel(), other).changes == ()


def test_ships_to_which_nothing_happened_are_told_of_if_they_are_the_readers(duels: ModuleType) -> None:
    placed = [record for record in duels.duel() if record.event.turn == 0]
    (ship,) = build_view(placed, "federation").changes
    assert (ship.unit, ship.facts) == ("Constellation", ())
    assert "unharmed" in sitrep_html(build_view(placed, "federation"))


def test_no_chart_where_nobody_was_hit(duels: ModuleType) -> None:
    placed = [record for record in duels.duel() if record.event.turn == 0]
    view = build_view(placed, "federation")
    assert view.tolls == () and 'id="tolls"' not in sitrep_html(view)


def test_bars_are_to_scale(duels: ModuleType) -> None:
    tolls = [
        Toll(side="a", turn=1, given=40, reinforcement=0, shields=10, internals=10),
        Toll(side="b", turn=1, given=0, reinforcement=4, shields=0, internals=0),
    ]
    a, b = toll_charts(tolls)
    heights = {bar.kind: bar.height for bar in a.columns[0].bars}
    assert heights["given"] == 84 and heights["shields"] == heights["internals"] == 21
    assert [bar.kind for bar in b.columns[0].bars] == ["reinforcement"] and b.taken == 4


def test_a_display_has_every_box_once(duels: ModuleType) -> None:
    for ssd in build_view(duels.duel(), "umpire").ssds:
        drawn = display(ssd)
        boxes = [*ssd.shields, *ssd.systems]
        rows = [tuple(map(int, row)) for row in re.findall(r"M(\d+) (\d+)h(\d+)", drawn.left)]
        kept = [(x + 1 + step, y - 4) for x, y, long in rows for step in range(0, long, 10)]
        counts = [len(kept), *(path.count("M") for path in (drawn.new, drawn.old))]
        assert counts == [
            sum(box.now for box in boxes),
            sum(max(0, box.before - box.now) for box in boxes),
            sum(box.start - max(box.before, box.now) for box in boxes),
        ]
        assert (drawn.new_cross.count("M"), drawn.old_cross.count("M")) == (counts[1], counts[2])
        lost = [part.split("h")[0] for path in (drawn.new, drawn.old) for part in path.split("M")[1:]]
        places = [*(f"{x} {y}" for x, y in kept), *lost]
        assert len(places) == len(set(places))
        assert [mount.name for mount in drawn.mounts] == [box.name for box in ssd.weapons]


def test_a_display_tells_new_damage_from_old(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "umpire")
    ssd = next(ssd for ssd in view.ssds if ssd.unit == "Destruction")
    states = {mount.name: mount.state for mount in display(ssd).mounts}
    assert states["DISR B"] == "new" and states["DISR A"] == "left"
    drawn = display(ssd)
    assert (drawn.new.count("M"), drawn.old.count("M")) == (11 + 1, 5)


def test_displays_of_all_sizes_stay_inside_their_drawing(duels: ModuleType) -> None:
    ssd = build_view(duels.duel(), "umpire").ssds[0]
    for count in (0, 1, 5, 17, 60):
        shields = tuple(Boxes(name=f"#{n}", now=count // 2, before=count, start=count) for n in range(1, 7))
        cargo = Boxes(name="cargo", now=count, before=count, start=max(1, count))
        drawn = display(replace(ssd, shields=shields, systems=(*ssd.systems, cargo), weapons=ssd.weapons * 4))
        corners = [tuple(map(int, part.split("h")[0].split())) for part in (drawn.left + drawn.new).split("M")[1:]]
        assert all(0 <= x <= drawn.width - 8 and 0 <= y <= drawn.height - 8 for x, y in corners)
        assert len(corners) == len(set(corners))
        assert all(m.x >= 0 and m.x + m.width <= drawn.width and m.y + 15 <= drawn.height for m in drawn.mounts)


def test_the_map_alone_needs_nothing_else(duels: ModuleType) -> None:
    drawing = map_svg(build_view(duels.duel(fed="<b>&\"'"), "federation"))
    tree = html.fragment_fromstring(drawing.split("\n", 1)[0] + "</svg>")
    assert tree.get("width") and drawing == map_svg(build_view(duels.duel(fed="<b>&\"'"), "federation"))
    assert "var(" not in drawing and "<b>" not in drawing and "url(" not in drawing
    from lxml import etree

    root = etree.fromstring(drawing.encode())
    used = set(root.xpath("//@href"))
    assert used and all(root.xpath(f"//*[@id='{link[1:]}']") for link in used)
    assert ".s1 .way,.way.s1{" in map_style()


def test_the_draft_stands_in_the_page(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    tree = html.document_fromstring(sitrep_html(view, "GAME duel01\n<b>END</b>\n"))
    assert tree.xpath("//section[@id='draft']//pre")[0].text == "GAME duel01\n<b>END</b>\n"
    assert not html.document_fromstring(sitrep_html(view)).xpath("//section[@id='draft']")
