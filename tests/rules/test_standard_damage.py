"""The standard damage chart and damage without a chart (D4.0 graduate, scenarios #2 and #3)."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from pbem.data import charts, ships
from pbem.data.ships import ship_class
from pbem.rules import internal_damage, sensors
from pbem.rules.internal_damage import Hit, HittableWeapon, VolleyShare, strike_out


class Box(NamedTuple):
    kind: str
    working: bool = True
    charge: str = ""
    ammo: int = 0
    fired: int | None = None


class Choice(NamedTuple):
    category: str
    items: tuple[str, ...]
    place: str = "FIRST"


FRONT = internal_damage.shield_direction(1)


class Ship:
    """A ship that can be shot at: what the chart asks for."""

    def __init__(self, key: str) -> None:
        kind = ship_class(key)
        self.boxes = {**kind.boxes, **sensors.track_boxes(kind.tracks)}
        self.weapons = {spec.name: Box(spec.kind, ammo=spec.ammo) for spec in kind.weapons}
        self.arcs = {spec.name: spec.arc for spec in kind.weapons}

    def hit(
        self,
        *rolls: int,
        toward: frozenset[str] | list[frozenset[str]] = FRONT,
        choices: tuple[Choice, ...] = (),
        aboard: int = 0,
    ) -> list[Hit]:
        boxes, tally, hits = {**self.boxes}, internal_damage.NEW_VOLLEY, list[Hit]()
        weapons: dict[str, HittableWeapon] = {**self.weapons}
        for number, roll in enumerate(rolls):
            where = toward if isinstance(toward, frozenset) else toward[number]
            hit, tally = internal_damage.standard_box(
                roll, boxes, weapons, self.arcs, where, tally, choices, aboard=min(aboard, boxes.get("shuttle", 0))
            )
            hits.append(hit)
            if hit.destroys_ship:
                break
            strike_out(hit.box, boxes, weapons)
        return hits

    def lost(self, *rolls: int, **how: object) -> list[str]:
        return [hit.box for hit in self.hit(*rolls, **how)]  # type: ignore[arg-type]


def without(ship: Ship, **boxes: int) -> Ship:
    ship.boxes |= {name.replace("_", " "): count for name, count in boxes.items()}
    return ship


def test_three_twelves_and_three_nines_as_in_the_handbook() -> None:
    fed = Ship("std_fed_ca_cth")
    assert fed.lost(12, 12, 12) == ["aux", "emer", "scanner"]
    assert fed.lost(9, 9, 9) == ["warp left", "hull fore", "hull fore"]
    assert [hit.column for hit in fed.hit(9, 9)] == ["A", "B"]


def test_a_bold_entry_counts_by_its_place_on_the_chart_not_by_the_system() -> None:
    assert [hit.category for hit in Ship("std_fed_ca_cth").hit(10, 4)] == ["Phaser", "Phaser"]


def test_a_bold_entry_that_could_not_be_scored_is_not_used_up() -> None:
    """The second 12 still finds the emergency bridge free, for the first one had no auxiliary control to hit."""
    ship = without(Ship("std_fed_ca_cth"), aux=0)
    assert ship.lost(12, 12) == ["emer", "scanner"]


def test_a_new_volley_may_score_bold_entries_again() -> None:
    fed = Ship("std_fed_ca_cth")
    assert fed.lost(2) == fed.lost(2) == ["bridge"]


def test_an_interrupted_volley_goes_on_with_its_tally() -> None:
    """Point by point with the tally handed on is the same as the volley at once."""
    fed, left = Ship("std_fed_ca_cth"), Ship("std_fed_ca_cth")
    rolls, tally, boxes = (9, 12, 10, 9, 12, 4, 10, 12, 7), internal_damage.NEW_VOLLEY, list[str]()
    for roll in rolls:
        hit, tally = internal_damage.standard_box(roll, left.boxes, left.weapons, left.arcs, FRONT, tally)
        boxes.append(hit.box)
        if hit.box in left.weapons:
            del left.weapons[hit.box]
        else:
            left.boxes[hit.box] -= 1
    assert boxes == fed.lost(*rolls)


# --- phasers ----------------------------------------------------------------------------------------------


def test_a_phaser_hit_goes_to_a_phaser_that_bears_where_the_volley_came_from() -> None:
    fed = Ship("std_fed_ca_cth")
    right = internal_damage.direction("0619", "A", "0719")
    bearing = {f"PH {n}" for n in (1, 2, 5, 6)}
    hits = fed.lost(10, 4, 11, 3, toward=right)  # the last two find torpedoes and drones first
    assert set(hits[:2]) <= bearing
    assert fed.lost(10, toward=right, choices=(Choice("WEAPON", ("PH 5",)),)) == ["PH 5"]
    assert set(fed.lost(10, toward=right, choices=(Choice("WEAPON", ("PH 3", "PH 7")),))) <= bearing


def test_with_no_phaser_bearing_the_point_goes_on_to_the_next_column() -> None:
    fed = Ship("std_fed_ca_cth")
    fed.weapons = {name: box for name, box in fed.weapons.items() if name in ("PH 1", "PHOT A")}
    behind = internal_damage.shield_direction(4)
    assert fed.lost(10, toward=behind) == ["tractor"]
    assert fed.lost(10) == ["PH 1"]


def test_any_weapon_may_be_a_phaser_that_does_not_bear() -> None:
    fed = Ship("std_fed_ca_cth")
    fed.weapons = {"PH 1": fed.weapons["PH 1"]}
    fed.boxes = {"excess": 1}
    behind = internal_damage.shield_direction(4)
    assert [(hit.category, hit.box) for hit in fed.hit(8, toward=behind)] == [("AnyWeapon", "PH 1")]


def test_every_third_phaser_hit_of_a_volley_takes_a_stronger_type() -> None:
    """The owner of a Raider would rather lose phaser-3s; phaser 1 to 4 are its phaser-1s."""
    raider = Ship("std_ori_cr")
    raider.boxes = {"excess": 9}
    raider.arcs = dict.fromkeys(raider.arcs, "360")
    spare = (Choice("WEAPON", ("PH 5", "PH 6")),)
    lost = raider.lost(6, 8, 6, 8, choices=spare)
    assert lost[:2] == ["PH 5", "PH 6"]
    raider.weapons |= {f"PH {n}": Box("ph3") for n in (7, 8, 9, 10)}
    raider.arcs |= dict.fromkeys(("PH 7", "PH 8", "PH 9", "PH 10"), "360")
    spare = (Choice("WEAPON", tuple(f"PH {n}" for n in range(5, 11))),)
    lost = raider.lost(6, 8, 6, 8, 6, 8, choices=spare)
    assert [name in ("PH 1", "PH 2", "PH 3", "PH 4") for name in lost] == [False, False, True, False, False, True]


def test_the_third_hit_is_free_where_the_stronger_type_cannot_be_hit() -> None:
    raider = Ship("std_ori_cr")
    raider.weapons |= {"PH 7": Box("ph3")}
    raider.arcs |= {"PH 7": "RA"}
    raider.boxes = {"excess": 9}
    behind = internal_damage.shield_direction(4)
    assert set(raider.lost(6, 8, 6, toward=behind)) == {"PH 5", "PH 6", "PH 7"}


def test_torpedo_hits_find_photons_disruptors_and_plasma() -> None:
    boxes = {"excess": 1}
    for key, label in (("std_fed_ca_cth", "PHOT"), ("std_kli_d7", "DISR"), ("std_rom_we", "PLAS")):
        ship = Ship(key)
        ship.boxes = dict(boxes)
        assert ship.lost(11)[0].split()[0] == label


# --- hull, engines, tracks, stations ----------------------------------------------------------------------


def test_forward_and_aft_hull_do_not_stand_in_for_each_other() -> None:
    fed = without(Ship("std_fed_ca_cth"), hull_fore=0)
    assert fed.lost(6) == ["impulse"]
    assert without(Ship("std_fed_ca_cth"), hull_aft=0).lost(8) == ["apr"]


def test_a_center_hull_takes_both_and_the_gorn_s_only_when_its_ends_are_gone() -> None:
    eagle = Ship("std_rom_we")
    assert eagle.lost(6, 8) == ["hull center", "hull center"]
    gorn = without(Ship("std_gorn_ca"), hull_fore=1, hull_aft=1)
    assert gorn.lost(6, 6, 8, 8) == ["hull fore", "hull center", "hull aft", "hull center"]


def test_warp_hits_keep_to_their_engine() -> None:
    fed = without(Ship("std_fed_ca_cth"), warp_left=0)
    assert "warp right" not in fed.lost(9)
    kzinti = without(Ship("std_kzi_cs"), cargo=0, hull_fore=0, battery=0)
    assert kzinti.lost(7) == ["warp center"]


def test_any_warp_is_the_owner_s_choice() -> None:
    fed = Ship("std_fed_ca_cth")
    fed.boxes, fed.weapons = {"warp left": 3, "warp right": 2, "excess": 1}, {}
    assert fed.lost(7) == ["warp left"]
    assert fed.lost(7, choices=(Choice("ENGINE", ("WARP RIGHT",)),)) == ["warp right"]
    hit = fed.hit(7)[0]
    assert (hit.category, hit.choice) == ("AnyWarp", "ENGINE WARP LEFT FIRST")


@pytest.mark.parametrize(("roll", "track"), [(6, "sensor"), (8, "scanner"), (11, "damcon")])
def test_the_last_box_of_a_track_is_never_destroyed(roll: int, track: str) -> None:
    fed = Ship("std_fed_ca_cth")
    fed.boxes, fed.weapons = {track: 2, "excess": 5}, {}
    assert fed.lost(roll) == [track]
    fed.boxes[track] = 1
    assert fed.lost(roll) == ["excess"]


def test_flag_bridge_hits_find_the_lyran_s_flag_bridge_and_klingon_security() -> None:
    for key, box in (("std_lyr_ca", "flag"), ("std_kli_d7", "security"), ("std_fed_ca_cth", "sensor")):
        assert without(Ship(key), bridge=0).lost(2) == [box]


# --- shuttles, armor, destruction -------------------------------------------------------------------------


def test_any_weapon_takes_an_occupied_shuttle_box_only_if_the_owner_says_so() -> None:
    fed = Ship("std_fed_ca_cth")
    fed.boxes, fed.weapons = {"shuttle": 2, "excess": 1}, {"PH 1": Box("ph1")}
    wish = (Choice("WEAPON", ("SHUTTLE",)),)
    assert fed.lost(5) == ["shuttle"], "a shuttle hit stands before any weapon on that row"
    fed.arcs["PH 1"] = "RA"
    fed.boxes = {"shuttle": 2, "excess": 1}
    row = charts.standard_dac().rows[9 - 2]
    assert "Shuttle" not in row
    assert fed.lost(9, aboard=2) == ["PH 1"]
    assert fed.lost(9, aboard=2, choices=wish) == ["shuttle"]
    assert fed.lost(9, aboard=0, choices=wish) == ["PH 1"]
    assert fed.lost(9, 9, 9, aboard=2) == ["PH 1", "excess", ""]


def test_armor_takes_the_first_points_of_the_war_eagle() -> None:
    boxes = ship_class("std_rom_we").boxes
    assert len(internal_damage.armor_hits(3, boxes)) == 3
    assert [hit.box for hit in internal_damage.armor_hits(8, boxes)] == ["armor"] * 5
    assert internal_damage.armor_hits(8, {**boxes, "armor": 0}) == []
    assert internal_damage.armor_hits(8, ship_class("std_fed_ca_cth").boxes) == []


@pytest.mark.parametrize("key", [key for key in ships.ship_keys() if key.startswith("std_")])
@given(rolls=st.lists(st.integers(2, 12), min_size=1, max_size=40), toward=st.integers(1, 6))
def test_no_box_is_hit_twice_and_one_excess_hit_more_ends_a_ship(key: str, rolls: list[int], toward: int) -> None:
    ship = Ship(key)
    ship.boxes["excess"] = min(2, ship.boxes.get("excess", 0))
    hits = ship.hit(*rolls, toward=internal_damage.shield_direction(toward))
    for box in {hit.box for hit in hits if hit.box}:
        count = sum(1 for hit in hits if hit.box == box)
        assert count <= (1 if box in ship.weapons else ship.boxes[box])
    assert [hit.destroys_ship for hit in hits[:-1]] == [False] * (len(hits) - 1)
    if hits[-1].destroys_ship:
        assert sum(1 for hit in hits if hit.box == "excess") == ship.boxes["excess"]
    else:
        assert len(hits) == len(rolls)


def test_every_entry_of_the_chart_says_what_it_is_scored_on() -> None:
    chart = charts.standard_dac()
    named = {entry.rstrip("*") for row in chart.rows for entry in row}
    assert named == set(chart.systems)
    boxes = {box for system in chart.systems.values() for box in system.boxes} - set(sensors.TRACKS)
    assert boxes == set(ships.BOXES) - {"armor"}
    families = {family for system in chart.systems.values() for family in system.families}
    # A probe launcher is a box of its own (G5.12), not one of the ship's weapons.
    assert families == {kind.family for kind in charts.weapon_kinds().values()} - {"probe"}


# --- volleys from several ships ---------------------------------------------------------------------------


def test_the_heaviest_part_of_a_volley_is_resolved_first() -> None:
    left, right = frozenset({"LF"}), frozenset({"RF"})
    parts = [VolleyShare("b", 3, right), VolleyShare("a", 5, left)]
    assert internal_damage.directions(parts, 8) == (left,) * 5 + (right,) * 3
    assert internal_damage.directions(parts, 4) == (left, right, right, right), "the shield stopped the first four"
    equal = [VolleyShare("b", 2, right), VolleyShare("a", 2, left)]
    assert internal_damage.directions(equal, 4) == (left, left, right, right)
    assert internal_damage.directions(parts, 0) == ()
    with pytest.raises(ValueError, match="9 internal points"):
        internal_damage.directions(parts, 9)


def test_each_phaser_hit_of_a_volley_looks_at_its_own_direction() -> None:
    fed = Ship("std_fed_ca_cth")
    fed.weapons = {"PH 3": Box("ph1"), "PH 5": Box("ph1")}
    left, right = internal_damage.shield_direction(6), internal_damage.shield_direction(2)
    assert fed.lost(10, 4, toward=[right, left]) == ["PH 5", "PH 3"]


def test_the_arcs_before_a_shield_are_those_of_a_hex_straight_out_from_it() -> None:
    hexes = ("0806", "0907", "0908", "0808", "0708", "0707")  # around 0807, shield #1 to #6 of a ship facing A
    for shield, hex in enumerate(hexes, start=1):
        assert internal_damage.shield_direction(shield) == internal_damage.direction("0807", "A", hex)


# --- without a chart --------------------------------------------------------------------------------------

CADET = ship_class("fed_cadet_ca")
ALL = {spec.name: Box(spec.kind) for spec in CADET.weapons}


def test_a_volley_of_scenario_2_costs_one_weapon_and_the_rest_is_free() -> None:
    hits = internal_damage.free_boxes(2, CADET.boxes, ALL, (Choice("WEAPON", ("PH 2",)), Choice("ANY", ("HULL",))))
    assert [hit.box for hit in hits] == ["PH 2", "hull"]
    wish = (Choice("WEAPON", ("PHOT B",)), Choice("ANY", ("LAB", "HULL")))
    hits = internal_damage.free_boxes(6, CADET.boxes, ALL, wish)
    assert [hit.box for hit in hits][:3] == ["PHOT B", "lab", "hull"]
    assert sum(1 for hit in internal_damage.free_boxes(6, CADET.boxes, ALL) if hit.box in ALL) == 1


def test_the_other_edition_asks_for_no_weapon() -> None:
    assert [hit.box for hit in internal_damage.free_boxes(3, CADET.boxes, ALL, edition="module")] == ["excess"] * 3


def test_the_last_box_ends_the_ship_and_bridges_count_in_one_edition_only() -> None:
    total = sum(CADET.boxes.values()) + len(ALL)
    for edition, boxes in (("printed", total - CADET.boxes["bridge"]), ("module", total)):
        alive = internal_damage.free_boxes(boxes - 1, CADET.boxes, ALL, edition=edition)
        assert (len(alive), any(hit.destroys_ship for hit in alive)) == (boxes - 1, False)
        dead = internal_damage.free_boxes(boxes, CADET.boxes, ALL, edition=edition)
        assert [hit.destroys_ship for hit in dead] == [False] * boxes + [True]
        assert ("bridge" in {hit.box for hit in dead}) is (edition == "module")
        assert len(internal_damage.free_boxes(boxes + 20, CADET.boxes, ALL, edition=edition)) == boxes + 1
    with pytest.raises(ValueError, match="no edition"):
        internal_damage.free_boxes(1, CADET.boxes, ALL, edition="third")
