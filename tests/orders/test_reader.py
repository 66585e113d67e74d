"""Every construct of the order language, read."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pbem.errors import GameError
from pbem.orders import model as om
from pbem.orders.reader import read_condition, read_header, read_orders
from pbem.orders.writer import write_orders

LONG = """\
GAME duel01  TURN 2  SIDE klingon  REPLY 1    # REPLY: the number of the request answered
                                              # anything after a # is a comment
SHIP Destruction                              # name, or race and class: KLIN D6
ENERGY                                        # by name or number; what is left out is not paid,
                                              # except LIFE SUPPORT, FIRE CONTROL, SHIELDS
  PHASERS 2                                   # line 9, into the capacitor
  DISR A 2; DISR B 2                          # line 10, one entry a weapon
  PHOT A 2 WARP; PHOT B HOLD; PHOT C EJECT    # where the source matters it may be said
  MOVE 11 WARP + 1 IMPULSE                    # line 14; or SPEED 12; or TAC 3
  RECHARGE 1
  GENERAL 4; REINFORCE #1 WITH 2; REPAIR #2 WITH 4; TRACTOR A; TRANSPORTERS 1; CLOAK 8; PROBE A 1
  SUICIDE A 3 WARP; SHIELDS 0
PLOT F F R 2F L 3F SR F                       # one code per hex moved
  AT 7 IF RANGE Constellation <= 3 THEN R     # a reaction replaces the next code of the plot
  TOWARD Constellation
  TAC R AT 9
  LEAVE MAP
DO                                            # impulse activities
  AT 1 LAUNCH DRONE 1 AT Constellation DIR B  # becomes KD/1
  GUIDE KD/* LEFT                             # F2.0: the owner's choice between equal hexes
  AT 9 FIRE DISR A,B PH 1-3 AT Constellation IF RANGE <= 4
  IF RANGE Constellation <= 2 AND FACED SHIELD OF Constellation <= 4 THEN FIRE ALL AT Constellation
  EVERY IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 4,2 AT EACH
  LAST FIRE ALL AT Constellation              # last impulse of the period
  RESERVE UP TO 2 TO #1 IF INTERNALS > 0      # in the reserve window (H7.2)
  LOWER SHIELD TO Dakota AND TRANSPORT 3 BP TO Dakota                 # all of it or nothing
  TRACTOR KD/2 WITH A; RELEASE A; CLOAK; UNCLOAK; LAUNCH SHUTTLE A DIR B; RECOVER FS/1; PROBE A AT monster; DISENGAGE
SHUTTLE FS/1                                  # shuttles have blocks of their own: SPEED, PLOT, DO
BREAK                                         # stop and ask me
  RANGE Constellation <= 8
  ENEMY LAUNCHES SEEKER; ENEMY FIRES HEAVY; #1 DOWN; INTERNALS; IMPULSE 8; UNIT KD/1 DESTROYED
DAMAGE                                        # the owner's choices (D4.223)
  WEAPON PH 4, DRONE 1 FIRST; WEAPON PH 1 LAST
  ENGINE IMPULSE LAST; OTHER LAB, TRAN FIRST; HULL; ANY
END
"""

CONSTELLATION = om.UnitRef(how="name", name="Constellation")


def ship(text: str) -> om.UnitOrders:
    reading = read_orders("SHIP Hood\n" + text, header=False)
    assert [str(fault) for fault in reading.faults] == []
    return reading.orders.units[0]


def order(text: str) -> om.Order:
    (found,) = ship("DO\n  " + text).do
    return found


def asked(text: str) -> om.Condition:
    found = order(f"IF {text} THEN CLOAK").condition
    assert found is not None
    return found


def test_the_long_example_reads_without_a_fault() -> None:
    reading = read_orders(LONG)
    assert [str(fault) for fault in reading.faults] == []
    orders = reading.orders
    assert (orders.game, orders.turn, orders.side, orders.reply, orders.form) == ("duel01", 2, "klingon", 1, "")
    destruction, shuttle = orders.units
    assert (destruction.unit, shuttle.unit, shuttle.shuttle) == ("Destruction", "FS/1", True)
    assert destruction.energy is not None and destruction.plot is not None
    assert [line.text for line in destruction.energy] == [
        "PHASERS 2", "DISR A 2", "DISR B 2", "PHOT A 2 WARP", "PHOT B HOLD", "PHOT C EJECT", "MOVE 11 WARP + 1 IMPULSE",
        "RECHARGE 1", "GENERAL 4", "REINFORCE #1 WITH 2", "REPAIR #2 WITH 4", "TRACTOR A", "TRANSPORTERS 1", "CLOAK 8",
        "PROBE A 1", "SUICIDE A 3 WARP", "SHIELDS 0",
    ]  # fmt: skip
    assert destruction.plot.codes == ("F", "F", "R", "F", "F", "L", "F", "F", "F", "SR", "F")
    assert destruction.plot.pilot == om.Pilot(how="toward", unit=CONSTELLATION)
    assert destruction.plot.leave_map
    assert [tac.at for tac in destruction.plot.tacs] == [9]
    assert len(destruction.do) == 16
    # BREAK and DAMAGE below the shuttle are the ship's: a shuttle has none.
    assert len(destruction.breaks) == 7 and len(destruction.damage) == 6
    assert shuttle.breaks == () and shuttle.damage == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "FIRE DISR A,B PH 1-3 AT Constellation",
            om.Fire(weapons=("DISR A", "DISR B", "PH 1", "PH 2", "PH 3"), target=CONSTELLATION),
        ),
        (
            "fire phaser 4,2 and photon a at constellation",
            om.Fire(weapons=("PH 4", "PH 2", "PHOT A"), target=om.UnitRef(how="name", name="constellation")),
        ),
        (
            "FIRE PH1, TORP B AT NEAREST SHIP",
            om.Fire(weapons=("PH 1", "PHOT B"), target=om.UnitRef(how="nearest", what="ship")),
        ),
        (
            "IF SEEKER WITHIN 1 THEN FIRE ALL PH AT IT WITH RESERVE",
            om.Fire(weapons=("ALL PH",), target=om.UnitRef(how="it"), reserve=True),
        ),
        ("FIRE HEAVY AT KLIN D6", om.Fire(weapons=("HEAVY",), target=om.UnitRef(how="name", name="KLIN D6"))),
        ("IF SEEKER WITHIN 1 THEN FIRE PHASERS AT EACH", om.Fire(weapons=("ALL PH",), target=om.UnitRef(how="each"))),
        (
            "FIRE ONE OF PH 4,2 AT EACH DRONE IF SEEKER WITHIN 1",
            om.Fire(weapons=("PH 4", "PH 2"), target=om.UnitRef(how="each", what="drone"), one_of=True),
        ),
        ('FIRE ALL AT "Fire"', om.Fire(weapons=("ALL",), target=om.UnitRef(how="name", name="Fire"))),
        ("LAUNCH DRONE 1 DIR B AT Constellation", om.Launch(weapon="DRONE 1", target=CONSTELLATION, direction="B")),
        ("LAUNCH SUICIDE A AT Constellation", om.LaunchShuttle(shuttle="A", target=CONSTELLATION)),
        ("GUIDE KD/* STRAIGHT", om.Guide(who=om.UnitRef(how="pattern", name="KD/*"), way="STRAIGHT")),
        ("RESERVE 2 TO #1", om.Reserve(points=2, shield=1)),
        ("LOWER SHIELD 3", om.LowerShield(shield=3)),
        (
            "TRANSPORT 1 CREW FROM SS Dakota",
            om.Transport(count=1, what="CREW", unit=om.UnitRef(how="name", name="SS Dakota"), way="FROM"),
        ),
        ("TRACTOR KD/2", om.Tractor(target=om.UnitRef(how="name", name="KD/2"))),
        ("RELEASE", om.Release()),
        ("LAND ON Hood", om.Land(on="Hood")),
    ],
)
def test_activities(text: str, expected: om.Activity) -> None:
    assert order(text).does == (expected,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RANGE Constellation <= 4", om.Range(of=CONSTELLATION, test=om.Compare(op="<=", value=4))),
        ("RANGE TO Constellation =< 4", om.Range(of=CONSTELLATION, test=om.Compare(op="<=", value=4))),
        ("IMPULSE 8", om.Impulse(test=om.Compare(op="=", value=8))),
        ("Constellation IS IN L+LR", om.InArc(who=CONSTELLATION, arc="L+LR")),
        ("#1 HIT", om.ShieldIs(number=1, who=om.ME, is_="hit")),
        (
            "#2 OF Constellation != 0",
            om.ShieldIs(number=2, who=CONSTELLATION, is_="boxes", test=om.Compare(op="!=", value=0)),
        ),
        ("FACED SHIELD OF Constellation DOWN", om.FacedShield(of=CONSTELLATION, is_="down")),
        ("SPEED Constellation >= 10", om.Speed(of=CONSTELLATION, test=om.Compare(op=">=", value=10))),
        ("INTERNALS", om.Internals(who=om.ME, test=om.Compare(op=">", value=0))),
        ("INTERNALS OF Constellation > 3", om.Internals(who=CONSTELLATION, test=om.Compare(op=">", value=3))),
        ("Constellation CLOSING", om.Became(who=CONSTELLATION, what="CLOSING")),
        ("UNIT KD/1 DESTROYED", om.Became(who=om.UnitRef(how="name", name="KD/1"), what="DESTROYED")),
        ("ENEMY LAUNCHES SEEKER", om.Launches(who=om.UnitRef(how="enemy"), what="SEEKER")),
        ("ANY FIRES HEAVY", om.Fires(who=om.UnitRef(how="any"), what="HEAVY")),
        ("Constellation FIRES PHOTONS", om.Fires(who=CONSTELLATION, what="PHOT")),
        ("ME REACHES 1214", om.Reaches(who=om.ME, hex="1214")),
        ("ARMED PHOT A,B", om.Armed(weapons=("PHOT A", "PHOT B"))),
        ("PHOT A,B ARMED", om.Armed(weapons=("PHOT A", "PHOT B"))),
        ("BATTERIES >= 1", om.Own(what="batteries", test=om.Compare(op=">=", value=1))),
        ("AMMO DRONE 1 >= 1", om.Own(what="ammo", test=om.Compare(op=">=", value=1), weapon="DRONE 1")),
        ("SEEKER WITHIN 1", om.Within(who=om.UnitRef(how="enemy", what="seeker"), hexes=1)),
    ],
)
def test_conditions(text: str, expected: om.Condition) -> None:
    assert asked(text) == expected


def test_not_binds_closest_then_and_then_or() -> None:
    eight, hit, down = asked("IMPULSE 8"), asked("#1 HIT"), asked("#1 DOWN")
    assert asked("NOT IMPULSE 8 AND #1 HIT OR #1 DOWN") == om.AnyOf(of=(om.All(of=(om.Negation(of=eight), hit)), down))
    assert asked("NOT (IMPULSE 8 AND (#1 HIT OR #1 DOWN))") == om.Negation(
        of=om.All(of=(eight, om.AnyOf(of=(hit, down))))
    )


def test_when_an_order_acts() -> None:
    assert order("AT 9 CLOAK").at == 9
    assert order("ON IMPULSE 9 IF #1 HIT THEN CLOAK").at == 9
    assert order("LAST CLOAK").last
    assert order("EVERY IF #1 HIT THEN CLOAK").every
    assert order("CLOAK IF #1 HIT") == order("IF #1 HIT THEN CLOAK")


def test_range_without_a_unit_is_the_target_of_the_order() -> None:
    target = om.UnitRef(how="target")
    for text in ("FIRE ALL AT Constellation IF RANGE <= 4", "IF RANGE <= 4 THEN FIRE ALL AT Constellation"):
        condition = order(text).condition
        assert condition == om.Range(of=target, test=om.Compare(op="<=", value=4))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("F L R SL SR", ("F", "L", "R", "SL", "SR")),
        ("FD TL TR", ("F", "L", "R")),
        ("2F R 3F", ("F", "F", "R", "F", "F", "F")),
        ("FFR2FSL", ("F", "F", "R", "F", "F", "SL")),
        ("f, slip l, slip right", ("F", "SL", "SR")),
    ],
)
def test_plot_codes(text: str, codes: tuple[str, ...]) -> None:
    plot = ship(f"PLOT {text}").plot
    assert plot is not None and plot.codes == codes
    assert ship(f"MOVE {text}").plot == plot.__class__(codes=codes, line=2, column=1, text=plot.text)


def test_a_plot_may_go_on_over_lines() -> None:
    plot = ship("PLOT\n  F F\n  R F\n  KEEP #2 TO Constellation").plot
    assert plot is not None
    assert plot.codes == ("F", "F", "R", "F")
    assert plot.pilot == om.Pilot(how="keep shield", unit=CONSTELLATION, shield=2)


@pytest.mark.parametrize(
    ("text", "pilot"),
    [
        ("TOWARDS Constellation", om.Pilot(how="toward", unit=CONSTELLATION)),
        ("AWAY FROM Constellation", om.Pilot(how="away", unit=CONSTELLATION)),
        ("KEEP Constellation IN FA", om.Pilot(how="keep arc", unit=CONSTELLATION, arc="FA")),
        ("KEEP Constellation AT RANGE 4 TO 8", om.Pilot(how="keep range", unit=CONSTELLATION, low=4, high=8)),
        ("KEEP Constellation AT RANGE 4-8", om.Pilot(how="keep range", unit=CONSTELLATION, low=4, high=8)),
    ],
)
def test_what_steers_instead_of_codes(text: str, pilot: om.Pilot) -> None:
    plot = ship(f"PLOT 2F {text}").plot
    assert plot is not None and plot.pilot == pilot and plot.codes == ("F", "F")


def test_a_course() -> None:
    plot = ship("COURSE 4A 2B 1F").plot
    assert plot is not None and plot.course == ((4, "A"), (2, "B"), (1, "F"))


def test_energy_by_name_and_by_number_is_the_same() -> None:
    by_name = ship("ENERGY PHASERS 2; SHIELDS 0; REINFORCE #1 WITH 2; SPEED 12; PHOT A 2 WARP").energy
    by_number = ship("ENERGY 9 2; 11: 0; 13. #1 2; 14 SPEED 12; 10 PHOTON A 2 WARP").energy
    assert by_name is not None and by_number is not None
    assert [line.text for line in by_name] == [line.text for line in by_number]


@pytest.mark.parametrize(
    ("text", "points"), [("2.5", "5/2"), ("1/2", "1/2"), ("2 1/2", "5/2"), ("2½", "5/2"), ("3", "3")]
)
def test_halves_of_a_point(text: str, points: str) -> None:
    energy = ship(f"ENERGY PHASERS {text}").energy
    assert energy is not None and energy[0].parts == (("", Fraction(points)),)


def test_an_entry_for_each_weapon() -> None:
    energy = ship("ENERGY\n  PHOT A,B 2 WARP EACH\n  DISR A-C HOLD").energy
    assert energy is not None
    assert [line.text for line in energy] == [
        "PHOT A 2 WARP", "PHOT B 2 WARP", "DISR A HOLD", "DISR B HOLD", "DISR C HOLD",
    ]  # fmt: skip


def test_a_shield_number_is_no_comment_and_a_comment_no_shield() -> None:
    assert ship("BREAK #3 DOWN # 3 is my weak side").breaks[0].text == "#3 DOWN"


def test_a_line_continues_the_one_above() -> None:
    indented = ship("DO\n  IF RANGE Constellation <= 2\n     THEN FIRE ALL\n     AT Constellation\n  CLOAK").do
    assert [one.text for one in indented] == ["IF RANGE Constellation <= 2 THEN FIRE ALL AT Constellation", "CLOAK"]
    assert len(ship("DO\n  CLOAK\n   UNCLOAK\n UNCLOAK").do) == 3
    wrapped = ship("DO\nIF RANGE Constellation\n<= 2 AND\n#1 DOWN\nTHEN CLOAK\nUNCLOAK").do
    assert [one.text for one in wrapped] == ["IF RANGE Constellation <= 2 AND #1 DOWN THEN CLOAK", "UNCLOAK"]


def test_an_order_of_do_needs_no_heading_and_finds_its_section() -> None:
    hood = ship("AT 9 FIRE ALL AT Constellation\nPLOT F\nAT 3 IF #1 HIT THEN R\nBREAK #1 HIT\nAT 5 CLOAK\nBREAK #2 HIT")
    assert [one.text for one in hood.do] == ["AT 9 FIRE ALL AT Constellation", "AT 5 CLOAK"]
    assert [one.text for one in hood.breaks] == ["#1 HIT", "#2 HIT"]
    assert hood.plot is not None and [one.text for one in hood.plot.reactions] == ["AT 3 IF #1 HIT THEN R"]


def test_positions_with_and_without_a_slash() -> None:
    reading = read_orders("SHIP Hood AT 2215C\nSHIP Excalibur AT 0709/d SPEED 8", header=False)
    assert reading.faults == ()
    assert [(u.position, u.speed) for u in reading.orders.units] == [("2215C", None), ("0709D", 8)]


def test_a_ship_whose_name_is_a_word_of_the_language() -> None:
    reading = read_orders('SHIP Fire\nDO\n FIRE ALL AT "Death Star" IF "Fire" DAMAGED', header=False)
    assert reading.faults == ()
    assert reading.orders.units[0].unit == "Fire"


def test_continue_alone() -> None:
    reading = read_orders("GAME duel01 TURN 2 SIDE klingon REPLY 4\nCONTINUE\n")
    assert reading.faults == () and reading.orders.unchanged and reading.orders.units == ()


@pytest.mark.parametrize("text", ["CONCEDE", "resign", "Surrender"])
def test_concede_alone(text: str) -> None:
    for orders in (f"GAME duel01 TURN 2 SIDE klingon REPLY 4\n{text}\n", f"GAME duel01 TURN 2 SIDE klingon {text}\n"):
        reading = read_orders(orders)
        assert reading.faults == () and reading.orders.alone == "CONCEDE" and not reading.orders.unchanged


def test_concede_and_continue_are_two_things() -> None:
    reading = read_orders("GAME duel01 TURN 2 SIDE klingon REPLY 4\nCONTINUE\nCONCEDE\n")
    assert [(fault.code, fault.family, fault.line) for fault in reading.faults] == [
        ("continue-and-orders", "ambiguous", 3)
    ]


def test_a_condition_alone() -> None:
    assert read_condition("ANY FIRES HEAVY") == om.Fires(who=om.UnitRef(how="any"), what="HEAVY")
    with pytest.raises(GameError, match="hidden-fact"):
        read_condition("BATTERIES >= 2")
    with pytest.raises(GameError, match="expected"):
        read_condition("ANY FIRES HEAVY FIRE")


def test_letter_case_says_nothing() -> None:
    capitals, small = read_orders(LONG), read_orders(LONG.lower())
    assert small.faults == ()
    assert [len(u.do) for u in small.orders.units] == [len(u.do) for u in capitals.orders.units]
    assert small.orders.units[0].plot is not None and capitals.orders.units[0].plot is not None
    assert small.orders.units[0].plot.codes == capitals.orders.units[0].plot.codes


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("GAME=duel01, TURN=2, SIDE=klingon, REPLY=r1\n", "GAME duel01 TURN 2 SIDE klingon REPLY 1\n"),
        ("GAME d\nSHIP Hood\nENERGY\n  MOVEMENT 11 WARP", "GAME d\nSHIP Hood\nENERGY\n  MOVE 11 WARP"),
        ("GAME d\nSHIP Hood\nENERGY\n  SPEED 1\nMOVEMENT 2F R", "GAME d\nSHIP Hood\nENERGY\n  SPEED 1\nPLOT 2F R"),
        ("GAME duel01\nSHIP Hood\nCOURSE 4A2B1F", "GAME duel01\nSHIP Hood\nCOURSE 4A 2B 1F"),
        ("GAME duel01\nSHIP 'Fire'\nPLOT F", 'GAME duel01\nSHIP "Fire"\nPLOT F'),
        ("GAME duel01\nSHIP K'tinga\nPLOT F", 'GAME duel01\nSHIP "K\'tinga"\nPLOT F'),
    ],
)  # fmt: skip
def test_other_ways_to_write_it(said: str, plain: str) -> None:
    reading, other = read_orders(said), read_orders(plain)
    assert reading.faults == other.faults == ()
    assert write_orders(reading.orders) == write_orders(other.orders)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("WHEN IMPULSE 3 THEN SHOOT ALL AT x", "IF IMPULSE 3 THEN FIRE ALL AT x"),
        ("ALWAYS WHEN #1 HIT THEN CLOAK", "EVERY IF #1 HIT THEN CLOAK"),
        ("@ 3 FIRE ALL @ x", "AT 3 FIRE ALL AT x"),
        ("ON 3 FIRE ALL AT x", "AT 3 FIRE ALL AT x"),
        ("DROP SHIELD #3", "LOWER SHIELD #3"),
        ("BEAM 3 BP TO x", "TRANSPORT 3 BP TO x"),
        ("DECLOAK", "UNCLOAK"),
        ("FIRE ALL AT CLOSEST DRONES", "FIRE ALL AT NEAREST DRONE"),
        ("FIRE PHASERS 1,2 AT x", "FIRE PH 1,2 AT x"),
        ("FIRE PHOTON A AT x", "FIRE PHOT A AT x"),
        ("FIRE TORP A AT x", "FIRE PHOT A AT x"),
        ("FIRE DISRUPTOR A AT x", "FIRE DISR A AT x"),
        ("FIRE FUSION A AT x", "FIRE FUS A AT x"),
        ("LAUNCH DRN 1 AT x", "LAUNCH DRONE 1 AT x"),
        ("LAUNCH RACK 1 AT x", "LAUNCH DRONE 1 AT x"),
        ("LAUNCH PLASMA A AT x", "LAUNCH PLAS A AT x"),
        ("FIRE HB A AT x", "FIRE HB A AT x"),
        ("FIRE ESG A AT x", "FIRE ESG A AT x"),
        ("FIRE PPD A AT x", "FIRE PPD A AT x"),
    ],
)
def test_other_words_mean_the_same(said: str, plain: str) -> None:
    assert order(said).does == order(plain).does
    assert (order(said).at, order(said).every, order(said).condition) == (
        order(plain).at, order(plain).every, order(plain).condition
    )  # fmt: skip


def test_a_transporter_may_be_named_by_number_like_a_weapon() -> None:
    """They are alike, so the number says nothing; commas between letters, though, name each beam."""
    for said, items in (
        ("OTHER TRANSPORTER 2 FIRST", ("TRAN",)),
        ("OTHER TRAN 1, LAB 3 LAST", ("TRAN", "LAB")),
        ("OTHER TRACTOR A, B, C FIRST", ("TRACTOR A", "TRACTOR B", "TRACTOR C")),
    ):
        (choice,) = ship(f"DAMAGE\n  {said}").damage
        assert choice.items == items


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("GAME g TURN 1\n  CONCEDE\n  AT\n  FIRE ALL AT\n  x\n  FIRE AT\n  y", None),
        ("SHIP a\nDO\n" + "  CLOAK\n" * 100 + "  FIRE PH 1 AT\n  x\n", ["too-many-orders"]),
        ("SHIP a\nDO\n" + "  CLOAK\n" * 100 + "  FIRE PH 1\n  AT x\n", None),
        ("SHIP a\nDO\n" + "  CLOAK\n" * 100 + "  FIRE PH 1 AT x IF RANGE\nx <= 4\n", None),
    ],
)
def test_two_lines_that_are_one_order_and_no_order_here_are_told(text: str, codes: list[str] | None) -> None:
    faults = read_orders(text, header=False).faults
    assert faults and (codes is None or [fault.code for fault in faults] == codes)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (LONG, ("duel01", "klingon")),
        ("GAME a SIDE b\nSHIP c\nGAME d SIDE e\n", ("a", "b")),  # none counts below a ship
        ("GAME a\nBREAK\nPLOT 3F\nSIDE b\n", ("a", "b")),  # these sections have no ship
        ("GAME a; TURN 2\nSIDE b\n", ("a", "b")),
        ("GAME a; GAME d; SIDE b SIDE e\n", ("a", "b")),
        ("GAME a\nEND\nSIDE b\n", ("a", "")),
        ("Dear Ann,\nI am away.\n", ("", "")),
        (f"GAME a{'; SIDE' * 60}\nSIDE b\n", ("a", "")),  # reading stops after so many faults
    ],
)
def test_the_header_alone_is_read_as_with_the_whole_text(text: str, named: tuple[str, str]) -> None:
    orders = read_orders(text).orders
    assert read_header(text) == (orders.game, orders.side) == named
