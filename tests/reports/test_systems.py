"""Reports of what a duel does not have: planets, shuttles, monsters, tractor links, boarding."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from pbem.engine import events as ev
from pbem.reports.html.page import sitrep_html
from pbem.reports.map.drawing import chart
from pbem.reports.text.sentences import SYSTEM_SENTENCES as SYSTEMS, WORDS, sentence
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view


def test_every_event_of_the_raid_is_one_sentence(raids: ModuleType) -> None:
    told = {type(record.event) for record in raids.raid()}
    assert told >= set(SYSTEMS)
    assert set(SYSTEMS) <= set(WORDS)
    for record in raids.raid():
        text = sentence(record.event)
        assert text and "\n" not in text and "  " not in text and "None" not in text


def test_what_was_transported(raids: ModuleType) -> None:
    went = ev.Transported(unit="A", target="B", count=1, what="BP", way="TO", transporters=1)
    assert sentence(went) == "A transports 1 boarding party to B with 1 transporter."
    stayed = ev.Transported(unit="A", target="B", count=2, what="CREW", way="FROM", transporters=2, failed="a shield")
    assert sentence(stayed) == "A cannot transport 2 crew units from B and has used 2 transporters in vain: a shield."


def test_a_speed_may_change_in_the_turn() -> None:
    assert sentence(ev.SpeedAnnounced(unit="A", speed=16)) == "A moves at speed 16 this turn."
    assert sentence(ev.SpeedAnnounced(unit="A", speed=11, impulse=3)) == "A moves at speed 11 from now on."


@pytest.mark.parametrize("side", ["orion", ""])
def test_a_suicide_shuttle_looks_like_any_other_to_others(raids: ModuleType, side: str) -> None:
    view = build_view(raids.raid(), side)
    for text in (sitrep_text(view), sitrep_html(view)):
        assert "FS/2" in text and "suicide" not in text.casefold() and "18 points" not in text
    mine = sitrep_text(build_view(raids.raid(), "federation"))
    assert "a suicide shuttle of 18 points sent at Planet Killer" in " ".join(mine.split())


def test_planets_are_nobodys(raids: ModuleType) -> None:
    for side in ("federation", "orion", "", "umpire"):
        view = build_view(raids.raid(), side)
        planet = next(unit for unit in view.units if unit.kind == "planet")
        assert (planet.at, planet.side, planet.mine) == ("1711", "", False)
        assert "Rigel" not in {track.unit for track in view.tracks}


def test_the_map_has_what_lies_on_it(raids: ModuleType) -> None:
    drawn = chart(build_view(raids.raid(), "federation"))
    assert [globe.name for globe in drawn.planets] == ["Rigel"]
    assert [rock.hex for rock in drawn.rocks] == ["1204", "1205", "1305", "1404", "1304"]
    assert [tie.words for tie in drawn.ties] == ["Raider holds Freighter A with tractor beam A since 1.5"]
    assert "Rigel" not in {counter.unit.name for counter in drawn.counters}
    assert not drawn.wrecks


def test_a_towed_ship_has_a_track(raids: ModuleType) -> None:
    view = build_view(raids.raid(), "orion")
    track = next(track for track in view.tracks if track.unit == "Freighter A")
    assert [point.code for point in track.points] == ["", "towed", "towed"]
    assert "Raider tows Freighter A 2 hexes, to 1011C." in {said.text for said in view.since}


def test_ships_tell_of_their_people(raids: ModuleType) -> None:
    text = " ".join(sitrep_text(build_view(raids.raid(), "federation")).split())
    assert "captured: from convoy; its weapons cannot be fired" in text
    assert "Planet Killer (monster); after: Rigel; information: 206; how to stop it: a tractor beam attached" in text
    assert "Rigel (planet); damage: 25 of 200" in text


def test_all_dice_are_told(raids: ModuleType) -> None:
    view = build_view(raids.raid(), "")
    assert len(view.dice()) == 8
    assert "[1.32.close Freighter A BP 1; 1.32.close Freighter A RAID 1]" in " ".join(sitrep_text(view).split())


def test_every_mark_of_the_page_is_defined(raids: ModuleType) -> None:
    page = sitrep_html(build_view(raids.raid(), "umpire"))
    used = set(re.findall(r'href="#(shape-\w+)"', page))
    assert {"shape-shuttle", "shape-monster", "shape-planet"} <= used
    assert all(f'id="{shape}"' in page for shape in used)
