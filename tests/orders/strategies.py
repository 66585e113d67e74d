"""Orders made up by hypothesis: every form of :mod:`pbem.orders.model` that can be written down."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from pbem.orders import model as om, vocabulary as words

names = st.one_of(
    st.sampled_from(
        [
            "Constellation",
            "KLIN D6",
            "SS Dakota",
            "KD/1",
            "Fire",
            "A",
            "SR",
            "2 Fast",
            "K'tinga",
            "Bird of Prey",
            "IT",
            "7",
            "Großer Kurfürst",
            "D6 At Sea",
            'The "Old" One',
            "a;b",
            "x#2",
            "KD/*",
            "War, Death",
            "F 2",
            "-x",
            "U.S.S. Hood",
            "Edge B",
        ]
    ),
    st.text(alphabet="abcXYZ019 /'-_*+<=>;#(),.:\"&", min_size=1, max_size=12)
    .map(lambda t: " ".join(t.split()))
    .filter(bool),
)
whats = st.sampled_from(["", "ship", "seeker", "drone", "plasma", "shuttle"])
units = st.one_of(
    st.builds(om.UnitRef, how=st.just("name"), name=names),
    st.builds(om.UnitRef, how=st.just("pattern"), name=st.sampled_from(["KD/*", "F*", "*"])),
    st.builds(om.UnitRef, how=st.sampled_from(["enemy", "any", "nearest"]), what=whats),
    st.just(om.ME),
)
those = st.one_of(st.just(om.UnitRef(how="it")), st.builds(om.UnitRef, how=st.just("each"), what=whats))
"""Who stands for somebody only behind a condition that names units."""
numbers = st.integers(0, 99)
tests = st.builds(om.Compare, op=st.sampled_from(["<=", "<", "=", ">", ">=", "!="]), value=numbers)
shields = st.integers(1, 6)
facings = st.sampled_from("ABCDEF")
arcs = st.sampled_from(["FA", "L+LR", "360", "R", "LS", "RX+LF"])
weapon_names = st.one_of(
    st.builds(lambda kind, n: f"{kind} {n}", st.sampled_from(["PH", "DRONE"]), st.integers(1, 12)),
    st.builds(lambda kind, x: f"{kind} {x}", st.sampled_from(["PHOT", "DISR", "PLAS", "FUS"]), facings),
)
weapons = st.lists(
    st.one_of(weapon_names, st.sampled_from(["ALL", "HEAVY", "ALL PH", "ALL PHOT"])), min_size=1, max_size=6
).map(tuple)
hexes = st.sampled_from(["0101", "1214", "2817"])


def _leaves(*, target: bool, public: bool) -> st.SearchStrategy[om.Condition]:
    asked = st.one_of(units, st.just(om.UnitRef(how="target"))) if target else units
    known: list[st.SearchStrategy[om.Condition]] = [
        st.builds(om.Range, of=asked, test=tests),
        st.builds(om.Within, who=units, hexes=numbers),
        st.builds(om.Impulse, test=tests),
        st.builds(om.InArc, who=units, arc=arcs),
        st.builds(om.ShieldIs, number=shields, who=units, is_=st.just("boxes"), test=tests),
        st.builds(om.ShieldIs, number=shields, who=units, is_=st.sampled_from(["hit", "down"])),
        st.builds(om.FacedShield, of=asked, is_=st.just("boxes"), test=tests),
        st.builds(om.FacedShield, of=asked, is_=st.just("down")),
        st.builds(om.Speed, of=units, test=tests),
        st.builds(om.Internals, who=units, test=tests),
        st.builds(om.Became, who=units, what=st.sampled_from(["DESTROYED", "DAMAGED", "CLOAKED", "CLOSING"])),
        st.builds(om.Launches, who=units, what=st.sampled_from(["", "SEEKER", "DRONE", "PLASMA", "SHUTTLE"])),
        st.builds(om.Fires, who=units, what=st.sampled_from(["", "HEAVY", "PH", "PHOT", "DISR"])),
        st.builds(om.Reaches, who=units, hex=hexes),
    ]
    own: list[st.SearchStrategy[om.Condition]] = [
        st.builds(om.Armed, weapons=st.lists(weapon_names, min_size=1, max_size=3).map(tuple)),
        st.builds(om.Own, what=st.sampled_from(["batteries", "capacitor"]), test=tests),
        st.builds(om.Own, what=st.just("ammo"), test=tests, weapon=weapon_names),
    ]
    return st.one_of(*known, *([] if public else own))


def conditions(*, target: bool = False, public: bool = False) -> st.SearchStrategy[om.Condition]:
    def joined(inner: st.SearchStrategy[om.Condition]) -> st.SearchStrategy[om.Condition]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(om.All, of=several), st.builds(om.AnyOf, of=several), st.builds(om.Negation, of=inner)
        )

    return st.recursive(_leaves(target=target, public=public), joined, max_leaves=4)


seen = st.builds(
    lambda who, hexes, it, near: om.All(of=(om.Within(who=who, hexes=hexes), om.Within(who=it, hexes=near))),
    st.builds(om.UnitRef, how=st.sampled_from(["enemy", "any", "nearest"]), what=whats),
    st.integers(0, 99),
    those,
    st.integers(0, 99),
)
"""Conditions behind which IT and EACH stand for somebody."""

points = st.one_of(
    st.integers(0, 40).map(Fraction),
    st.sampled_from([Fraction(1, 2), Fraction(5, 2), Fraction(1, 3), Fraction(7, 3), Fraction(9, 4)]),
)
parts = st.lists(
    st.tuples(st.sampled_from(["", "WARP", "IMPULSE", "APR", "BATTERY"]), points), min_size=1, max_size=3
).map(tuple)
letters = st.sampled_from(["A", "B", "1"])
# Phasers have a line of their own: PH 2 in the form is line 9.
line_ten = weapon_names.filter(lambda name: not name.startswith("PH "))
energy_lines = st.one_of(
    st.builds(
        om.EnergyLine,
        item=st.sampled_from(
            [
                "PHASERS",
                "MOVE",
                "RECHARGE",
                "GENERAL",
                "TRANSPORTERS",
                "CLOAK",
                "SHIELDS",
                "LIFE SUPPORT",
                "FIRE CONTROL",
            ]
        ),
        parts=parts,
    ),
    st.builds(
        om.EnergyLine,
        item=st.sampled_from(["SPEED", "TAC"]),
        parts=st.integers(0, 31).map(lambda n: (("", Fraction(n)),)),
    ),
    st.builds(om.EnergyLine, item=st.sampled_from(["REINFORCE", "REPAIR"]), shield=shields, parts=parts),
    st.builds(
        lambda item, letter, parts: om.EnergyLine(item=f"{item} {letter}", parts=parts),
        st.sampled_from(["TRACTOR", "PROBE", "SUICIDE"]),
        letters,
        parts,
    ),
    # A beam costs what it costs; what probes and shuttles are armed with is said.
    st.builds(lambda letter: om.EnergyLine(item=f"TRACTOR {letter}"), letters),
    st.builds(om.EnergyLine, item=line_ten, parts=parts, verb=st.sampled_from(["", "HOLD"])),
    st.builds(om.EnergyLine, item=line_ten, verb=st.sampled_from(["HOLD", "EJECT"])),
)

spots = st.builds(om.UnitRef, how=st.just("hex"), name=st.sampled_from(["0101", "2805"]))
edges = st.builds(om.UnitRef, how=st.just("edge"), name=facings)
pilots = st.one_of(
    st.builds(om.Pilot, how=st.sampled_from(["toward", "away"]), unit=st.one_of(units, units, spots, edges)),
    st.builds(om.Pilot, how=st.just("keep shield"), unit=spots, shield=shields),
    st.builds(om.Pilot, how=st.just("keep arc"), unit=spots, arc=arcs),
    st.builds(om.Pilot, how=st.just("keep shield"), unit=units, shield=shields),
    st.builds(om.Pilot, how=st.just("keep arc"), unit=units, arc=arcs),
    st.builds(
        lambda unit, low, more: om.Pilot(how="keep range", unit=unit, low=low, high=low + more),
        units,
        numbers.filter(lambda n: n < 50),
        st.integers(0, 9),
    ),
)
codes = st.lists(st.sampled_from(["F", "F", "L", "R", "SL", "SR"]), max_size=20).map(tuple)
maybe_impulse = st.one_of(st.none(), st.integers(1, 32))
reactions = st.one_of(
    st.builds(
        om.Reaction,
        at=maybe_impulse,
        condition=st.one_of(st.none(), conditions()),
        every=st.booleans(),
        codes=codes.filter(bool),
    ).filter(lambda r: r.at is not None or r.condition is not None or r.every),
    st.builds(om.Reaction, at=maybe_impulse, condition=conditions(), pilot=pilots),
)
by_it = st.builds(
    om.Reaction,
    at=maybe_impulse,
    condition=seen,
    pilot=st.builds(om.Pilot, how=st.sampled_from(["toward", "away"]), unit=those),
)
while_it = st.builds(om.Pilot, how=st.sampled_from(["toward", "away"]), unit=st.one_of(units, those), condition=seen)
tacs = st.builds(
    om.Tac,
    way=st.sampled_from("LR"),
    at=maybe_impulse,
    condition=st.one_of(st.none(), conditions(target=False)),
    every=st.booleans(),
)
plots = st.one_of(
    st.builds(
        om.Plot,
        codes=codes,
        pilot=st.one_of(st.none(), pilots, while_it),
        reactions=st.lists(st.one_of(reactions, by_it), max_size=2).map(tuple),
        tacs=st.lists(tacs, max_size=2).map(tuple),
        leave_map=st.booleans(),
    ),
    st.builds(om.Plot, course=st.lists(st.tuples(st.integers(1, 9), facings), min_size=1, max_size=4).map(tuple)),
)

aimed = st.one_of(
    st.builds(om.Fire, weapons=weapons, target=units, one_of=st.booleans(), reserve=st.booleans()),
    st.builds(om.Fire, weapons=weapons, target=units, battery=st.just(True)),
    st.builds(
        om.Launch,
        weapon=weapon_names,
        target=units,
        direction=st.sampled_from(["", "A", "F"]),
        reserve=st.booleans(),
    ),
    st.builds(om.LaunchShuttle, shuttle=letters, direction=st.sampled_from(["", "C"]), target=units),
    st.builds(om.LaunchProbe, probe=letters, target=units),
    st.builds(om.Tractor, target=units, beam=st.sampled_from(["", "A"]), reserve=st.booleans()),
)
others = st.one_of(
    st.builds(om.Guide, who=units, way=st.sampled_from(["LEFT", "RIGHT", "STRAIGHT"])),
    st.builds(om.Reinforce, points=st.integers(1, 99), shield=shields),
    st.builds(om.Reserve, points=numbers, shield=shields),
    st.builds(om.LowerShield, shield=shields),
    st.builds(om.LowerShield, to=units),
    st.just(om.LowerShield(general=True)),
    st.builds(
        om.Transport,
        count=numbers,
        what=st.sampled_from(["BP", "CREW"]),
        unit=units,
        way=st.sampled_from(["TO", "FROM"]),
        reserve=st.booleans(),
    ),
    st.builds(om.LaunchShuttle, shuttle=letters, direction=st.sampled_from(["", "C"])),
    st.builds(
        om.LaunchShuttle, shuttle=letters, direction=st.sampled_from(["", "C"]), count=st.just(2), what=st.just("BP")
    ),
    st.sampled_from([om.Cloak(), om.Uncloak(), om.Disengage(), om.Release(), om.Land()]),
    st.builds(om.Release, beam=letters),
    st.builds(om.Recover, shuttle=names),
    st.builds(om.Land, on=names),
)


def _orders(first: st.SearchStrategy[om.Activity], *, target: bool) -> st.SearchStrategy[om.Order]:
    return st.builds(
        lambda one, more, when, condition, every: om.Order(
            does=(one, *more), at=when[0], last=when[1], condition=condition, every=every
        ),
        first,
        st.lists(others, max_size=1),
        st.one_of(st.tuples(maybe_impulse, st.just(False)), st.just((None, True))),
        st.one_of(st.none(), conditions(target=target)),
        st.booleans(),
    )


at_it = st.builds(
    lambda weapons, one_of, target, condition, every: om.Order(
        does=(om.Fire(weapons=weapons, one_of=one_of, target=target),), condition=condition, every=every
    ),
    weapons, st.booleans(), those, seen, st.booleans(),
)  # fmt: skip
orders = st.one_of(_orders(aimed, target=True), _orders(others, target=False), at_it)
breaks = st.builds(om.Break, condition=conditions(public=True))
damage = st.one_of(
    st.builds(
        om.DamageChoice,
        category=st.just("WEAPON"),
        items=st.lists(st.one_of(weapon_names, st.sampled_from(["ALL PH", "HEAVY"])), min_size=1, max_size=3).map(
            tuple
        ),
        place=st.sampled_from(["FIRST", "LAST"]),
    ),
    st.builds(
        om.DamageChoice,
        category=st.sampled_from(["ENGINE", "OTHER", "HULL", "ANY"]),
        items=st.lists(
            st.sampled_from(["WARP LEFT", "IMPULSE", "LAB", "TRAN", "SHUTTLE", "SHUTTLE B", "BATTERY"]), max_size=3
        ).map(tuple),
        place=st.sampled_from(["FIRST", "LAST"]),
    ),
)


def _many(one: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(one, max_size=2).map(tuple)


ships = st.builds(
    om.UnitOrders,
    unit=names,
    position=st.sampled_from(["", "2215C"]),
    speed=st.one_of(st.none(), st.integers(0, 31)),
    energy=st.one_of(st.none(), _many(energy_lines)),
    plot=st.one_of(st.none(), plots),
    do=_many(orders),
    breaks=_many(breaks),
    damage=_many(damage),
)
shuttles = st.builds(
    om.UnitOrders,
    unit=names,
    shuttle=st.just(True),
    speed=st.one_of(st.none(), st.integers(0, 31)),
    plot=st.one_of(st.none(), plots),
    do=_many(orders),
)
files = st.builds(
    om.Orders,
    game=st.one_of(names, st.just("duel01")),
    turn=st.one_of(st.none(), st.integers(1, 99)),
    side=st.one_of(st.just(""), names),
    reply=st.one_of(st.none(), st.integers(1, 99)),
    form=st.sampled_from(["", *words.FORMS]),
    units=st.lists(st.one_of(ships, shuttles), max_size=3, unique_by=lambda unit: unit.unit.casefold()).map(tuple),
)
