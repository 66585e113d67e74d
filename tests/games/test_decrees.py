"""What the umpire may decree and what not, and what everybody reads of it: decrees.txt has every word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from pytest import fixture

from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind
from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice
from pbem.engine.events import Record
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import Outcome, State
from pbem.engine.state_paths import loads
from pbem.errors import GameError
from pbem.games.umpire.decree import Decree, DecreeItem, standing, write
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for

replace = msgspec.structs.replace

FIELD = """
rule = "-"
title = "two ships that hold something, a freighter, a boarded ship, seeking weapons, shuttles, a monster, a planet"
source = "-"
level = "standard"
impulses = 32
unit = [
    { side = "federation", ship = "std_fed_ca_cth", name = "Con", at = "1010A", prior_speed = 6, state = { "holds A" = "pig", "photon A" = "arming", "photon B" = "armed", "suicide A" = "arming", "probe A" = "arming", capacitor = 2 } },
    { side = "federation", ship = "std_freighter_small", name = "pig", at = "1011A" },
    { side = "federation", ship = "std_freighter_small", name = "Pig Iron", at = "1012A" },
    { side = "romulan", ship = "std_rom_kr", name = "Hawk", at = "1510E", prior_speed = 6, state = { "holds A" = "FS/1" } },
    { side = "klingon", ship = "std_kli_d7", name = "Des", at = "1016A" },
    { side = "klingon", ship = "std_kli_d7", name = "Lost", at = "1017A" },
    { side = "klingon", ship = "drone", name = "KF/1", at = "1009A", target = "Con", launcher = "Des" },
    { side = "romulan", ship = "plasma", name = "RP/1", at = "1412E", target = "Con", launcher = "Hawk" },
    { side = "federation", ship = "shuttle", name = "FS/1", at = "1410A", launcher = "Con", letter = "D", state = { speed = 4 } },
    { side = "federation", ship = "shuttle", name = "FS/2", at = "0817A", launcher = "Con", letter = "C", target = "Des", state = { speed = 6, bomb = 12 } },
    { side = "federation", ship = "shuttle", name = "FS/3", at = "0614A", launcher = "Con", letter = "B", state = { landed = "Rigel" } },
    { side = "monster", ship = "monster", monster = "planet_killer", name = "Killer", at = "0604D", target = "Rigel" },
    { ship = "planet", name = "Rigel", at = "0614", crew = 4 },
]
"""  # noqa: E501

CHANGES = """\
Con shield 1 = 30 | Con shield 1 = 31 | Con shield 6 = 24 | Con shield 6 = 25 | Con shield 7 = 1 | Con shield 0 = 1
Con warp left = 15 | Con warp left = 16 | Con warp left = 14 | Con warp left = -1
Con capacitor = 6 | Con capacitor = 9 | Con capacitor = 2 | Con capacitor = 2.5 | Con capacitor = yes
Con batteries = 4 | Con batteries = 5 | Con batteries = 3.5 | Con batteries = 3
Con speed = 30 | Con speed = 31 | Con speed = 32 | KF/1 speed = 32 | KF/1 speed = 33 | Rigel speed = 1
FS/1 speed = 6 | Killer speed = 33 | Con prior speed = 31 | Con prior speed = 6
Con photon A = armed | Con photon A = unarmed | Con photon B = armed | Con PHOT B = unarmed | Con photon E = armed
Des drone A = 4 | Des drone A = 5 | Con drone A = 1 | Des DRONE A = 0 | Con suicide A = 1 | Con suicide A = 1 3
Con suicide A = 4 | Con suicide A = 0 | Con suicide A = none | Con probe A = 5 | Con probe A = 6 | Con probe B = 1
Con hangar = ABCD | Con hangar = A, B | Con hangar = A | Con hangar = AX | Con hangar = none | Des hangar = A
Con boarders klingon = 2 | Con boarders federation = 2 | Con boarders pirates = 2 | Con captured from = klingon
Con captured from = pirates | Con captured from = none | Con class = x | Con name = y | Con ship = z | Con foo = 1
Con fired PH 1 = 1.1 | Con fired PH 1 = 9.9 | Con lowered #3 = 1.1 | Con lowered #3 = 2.1 | Con bay used = 1.2
KF/1 target = Des | KF/1 target = KF/1 | KF/1 target = Rigel | KF/1 target = Lost | KF/1 target = Nobody
KF/1 target = Con | FS/2 target = FS/2 | FS/2 target = Con | FS/3 target = Des | KF/1 came from = 1010
KF/1 came from = 9999 | KF/1 came from = abc | KF/1 came from = none | FS/1 damage = 3 | FS/1 damage = 6
FS/1 damage = 5 | FS/2 crew = 1 | FS/2 parties = 1 | FS/2 crew = 0 | FS/1 crew = 2 | FS/1 landed = Rigel
FS/1 landed = Con | FS/3 landed = none | FS/3 landed = Rigel | Killer method = 1 | Killer method = 99
Killer attacked by = Con | Killer attacked by = Nobody | Killer attacked by = none | Killer damage = 10
Con holds A = pig | Con holds A = Con | Con holds A = none | Con holds B = Pig Iron | Con holds B = Des
Con holds Z = Pig Iron | Con holds B = FS/1 | Con holds B = Lost | Con holds B = Nobody | Pig holds A = Con
Rigel gone = destroyed | Rigel side = klingon | Rigel crew = 3 | Rigel at = 0614B | Con gone = destroyed
Lost gone = no | Lost speed = 1 | Lost shield 1 = 3 | Lost gone = disengaged | KF/1 gone = destroyed | Con gone = maybe
Con at = 1010B | Con at = 1010A | Con at = 1010G | Con at = 9910A | Con hex = 1011 | Con hex = 1010 | Con hex = 0000
Con facing = C | Con facing = A | Con facing = G | con FACING: d | SHIP Con facing = e | ship con, facing = F
Pig shield 1 = 2 | Pig Iron shield 1 = 2 | pig iron: shield 1 = 2 | Piglet shield 1 = 2 | Pigshield 1 = 2
Con | = 3 | Con = 3 | shield 1 = 3 | Nobody shield 1 = 3 | Con shield 1 | Con parties = 3 | Con taken = yes
Con taken = no | Con mutiny = 1.1 | Con side = klingon | Con side = pirates | Con passengers = 2 | Con cloak = none
Hawk cloak = cloaked | Hawk cloak = none | Con lock on = no | Con since turn = 3 | Con since slip = 1 | Con general = 2
Con reinforcement 1 = 3 | Con reinforcement 7 = 3 | RP/1 warhead = 5 | RP/1 travelled = 3 | KF/1 endurance = 1
KF/1 damage = 2 | FS/2 bomb = 9 | Con PH 1 = destroyed | Con PH 1 = working | Con PH 99 = destroyed
Des DRONE 1 = 4 | Des DRONE 1 = 5 | Des DRONE 1 = 3 | Des DRONE 1 = destroyed | Des DISR A = armed
Des DISR A = powered | Con reinforcement 1 = 40 | pig batteries = 1 | pig batteries = 0 | Lost gone = none
Con general = 99 | RP/1 target = Des | Con lock on = yes | Con holds A = FS/1 | Hawk holds A = none"""

WHOLE: tuple[dict[str, Any], ...] = (
    {},
    {"reason": "x"},
    {"changes": ("Con facing = C",)},
    {"changes": ("Con facing = C",), "reason": " \n "},
    {"changes": ("facing = C",), "unit": "con", "reason": "a  slip\nof mine.."},
    {"changes": ("facing = C", "Pig facing = C", "speed = 99", "foo = 1"), "unit": "Con", "reason": "a slip"},
    {"changes": ("facing = C", "facing = D"), "unit": "Con", "reason": "twice"},
    {"changes": ("facing = C",), "unit": "Nobody", "reason": "a slip"},
    {"changes": ("capacitor = 1",), "unit": "Con", "reason": "a slip", "public": True},
    {"changes": ("capacitor = 1",), "unit": "Con", "reason": "x" * 1000},
    {"changes": ("capacitor = 1",), "unit": "Con", "reason": "x" * 1001},
    {"changes": ("capacitor = 1",), "unit": "Con", "reason": "ask ann@example.org"},
    {"ruling": "All is well."},
    {"ruling": "y" * 1001},
    {"ruling": "Write to bob@example.org"},
    {"ruling": "Between us", "to": "klingon"},
    {"ruling": "Between us", "to": "Klingon", "reason": "r"},
    {"ruling": "One more", "reason": "it was asked"},
    {"reason": "r", "to": "klingon", "changes": ("Con facing = C",)},
    *(
        {"changes": (f"{path} = {less}", f"{path} = {most}", f"{path} = {most + 1}"), "unit": unit, "reason": "less"}
        for unit, path, less, most in (("Con", "warp left", 3, 15), ("Con", "probe A", 2, 5), ("Des", "DRONE 1", 1, 4))
    ),
    {"changes": ("shield 1 = 0", "shield 1 = 30", "shield 1 = 31"), "unit": "Con", "reason": "less"},
    {"options": {"reveal": "speeds", "fractional": "yes"}, "reason": "two"},
    {"result": {"federation": "d", "klingon": "d", "romulan": "d", "monster": "d"}},
    {
        "result": {"zz": "d", "federation": "d", "klingon": "d", "aa": "d", "romulan": "d", "monster": "d"},
        "reason": "r",
    },
    {"withdraw": 1},
    {"withdraw": 1, "reason": "over"},
    {"withdraw": 2, "reason": "over"},
    {"withdraw": 3, "reason": "over"},
    {"withdraw": 4, "reason": "over", "ruling": "Instead of it"},
    {"options": {"capacitor": "empty"}, "reason": "r"},
    {"options": {"nonsense": "yes"}, "reason": "r"},
    {"options": {"fractional": "maybe", "reveal": "nothing"}, "reason": "r"},
    {"options": {"fractional": "yes"}, "reason": "r"},
    {"options": {"fractional": "no"}, "reason": "r"},
    {"options": {"fractional": "yes"}},
    {"options": {"autobreaks": "pirates: RANGE ENEMY <= 3"}, "reason": "r"},
    {"options": {"autobreaks": "klingon: RANGE ENEMY <= 3; RANGE ENEMY <= 2;"}, "reason": "r"},
    {"options": {"autobreaks": "none"}, "reason": "r"},
    {"options": {"autobreaks": "all: nonsense"}, "reason": "r"},
    {"options": {"period": "8"}, "reason": "r"},
    {"options": {"reveal": "none"}, "reason": "r", "changes": ("Con facing = C",)},
    {"result": {"klingon": "victory"}, "reason": "r"},
    {"result": {"klingon": "victory", "pirates": "defeat"}, "reason": "r"},
    {"result": {"federation": "draw", "klingon": " draw. ", "romulan": "defeat", "monster": "-"}, "reason": "agreed."},
    {"result": {"federation": "draw", "klingon": "draw", "romulan": "defeat"}, "reason": "agreed"},
    {"result": {"federation": "ann@example.org", "klingon": "d", "romulan": "d", "monster": "d"}, "reason": "agreed"},
    {"reopen": True},
    {"reopen": True, "reason": "r"},
    {"reopen": True, "reason": "r", "changes": ("Con facing = C",)},
)


@fixture(scope="module")
def setting() -> tuple[Scenario, State]:
    case = msgspec.convert(loads(FIELD), Case)
    scenario = scenario_for(case)
    table = Resolution(opening(case, scenario), scenario, ScriptedDice(), {})
    write(table, Decree(changes=("Lost gone = disengaged",), reason="it is away"), ())
    return scenario, table.state


LATER = """\
Con fired PH 1 = 2.3 | Con fired PH 1 = 2.4 | Con fired PH 1 = 1.32 | Con fired PH 1 = 3.1 | Con fired PH 1 = none
Con lowered #3 = 2.3 | Con lowered #3 = 2.4 | Con bay used = 2.3 | Con bay used = 2.4 | Con batteries = 3.5
Con batteries = 4.5 | Con batteries = 3"""
"""What depends on how far play has come, and on an option: in impulse 3 of turn 2, with fractions of a point."""


def records(*events: ev.AnyEvent, only: str = "") -> tuple[Record, ...]:
    return tuple(Record(n=n, event=event, only=only) for n, event in enumerate(events, start=1))


EARLIER = (
    *records(ev.HouseRuled(number=1, text="First"), ev.HouseRuled(number=2, text="Second")),
    *records(ev.HouseRuled(number=3, text="Secret"), only="klingon"),
    *records(ev.HouseRuled(number=2, text="Second", withdrawn=True)),
)


ASKED = ({"period": "8"}, {"reveal": "speeds"}, {"fractional": "yes"}, {"period": "8", "reveal": "speeds"})
"""Options of which a request in force may ask something else."""


def said(told: Sequence[DecreeItem], table: Resolution) -> Iterator[str]:
    for one in told:
        yield f"    {one.text}" + f" [to {one.to}]" * bool(one.to) + f" [others: {one.others}]" * bool(one.others)
    for record in table.records[: len(told)]:
        if isinstance(record.event, ev.HouseRuled):
            yield f"    why: {record.event.why}"
    for record in table.records[len(told) :]:
        yield f"    then {record.event}"


def outcome(setting: tuple[Scenario, State], decree: Decree, earlier: Sequence[Record] = EARLIER) -> str:
    scenario, state = setting
    table = Resolution(state, scenario, ScriptedDice(), {})
    try:
        told = write(table, decree, earlier)
    except GameError as error:
        return "\n".join(
            f"    {one.code} [{one.file[:60]}] {one.text}" + f" ({one.rule})" * bool(one.rule) for one in error.faults
        )
    request = table.state.request
    after = [] if request == state.request else [f"    asked now: {request}"]
    return "\n".join((*said(told, table), *after))


def test_every_decree_is_as_it_was(setting: tuple[Scenario, State], as_kept: Callable[[str, str], None]) -> None:
    lines = []
    for typed in CHANGES.replace("\n", " | ").split(" | "):
        lines += [typed, outcome(setting, Decree(changes=(typed,), reason="as agreed"))]
    for given in WHOLE:
        words = str(given).replace("x" * 1000, "[1000 x]").replace("y" * 1000, "[1000 y]")
        lines += [words, outcome(setting, Decree(**given)).replace("x" * 1000, "[1000 x]")]
    scenario, state = setting
    for given in WHOLE:
        if "ruling" in given or "withdraw" in given:
            lines += [f"at first: {given}".replace("y" * 1000, ""), outcome(setting, Decree(**given), ())]
    for form in (FormKind.EAF, FormKind.SOP, FormKind.FULL):
        for impulse in (0, 5):
            assert state.request is not None
            asked = scenario, replace(state, request=replace(state.request, form=form, impulse=impulse))
            for given in ASKED:
                lines += [f"asked {form} at {impulse}: {given}", outcome(asked, Decree(options=given, reason="r"))]
    options = replace(state.options, fractional=True)
    later = scenario, replace(state, turn=2, impulse=3, options=options)
    for typed in LATER.replace("\n", " | ").split(" | "):
        lines += [f"later: {typed}", outcome(later, Decree(changes=(typed,), reason="as agreed"))]
    over = scenario, replace(state, request=None, over=True, outcome=(Outcome(side="klingon", result="draw", why="-"),))
    for ended in (ev.Decided(outcome=(), why="-"), ev.GameEnded(outcome=())):
        earlier = (*EARLIER, *records(ended))
        for given in WHOLE[-3:] + WHOLE[11:13]:
            lines += [f"after {type(ended).__name__}: {given}", outcome(over, Decree(**given), earlier)]
    as_kept("decrees.txt", "\n".join(lines) + "\n")


def test_the_house_rules_that_stand() -> None:
    found = standing(EARLIER)
    texts = {number: getattr(record.event, "text", "") for number, record in found.items()}
    assert texts == {1: "First", 3: "Secret"}
    assert standing(()) == {}


def test_whoever_rules_and_plays_is_named_in_all_that_he_rules(setting: tuple[Scenario, State]) -> None:
    """Whatever he decrees, what is told to one side and what the others read of it."""
    scenario, state = setting
    changes = ("Con capacitor = 3", "Con facing = C", "Con hex = 1110", "Con at = 1210D", "KF/1 gone = destroyed")
    result = dict.fromkeys(state.sides, "draw")
    every = Decree(
        reason="a slip", changes=changes, options={"fractional": "yes"}, ruling="No ramming", withdraw=1, result=result
    )
    for by in ("klingon", ""):
        table = Resolution(state, scenario, ScriptedDice(), {})
        write(table, replace(every, by=by), EARLIER)
        told = len(table.records)
        write(table, Decree(reason="not yet", reopen=True, by=by), table.records)
        kinds = [type(record.event).__name__ for record in table.records]
        assert kinds == [
            "Ruled", "Adjusted", "Adjusted", "Adjusted", "Ruled", "OptionsRuled", "HouseRuled", "HouseRuled", "Decided",
            "Decided",
        ]  # fmt: skip
        assert told == len(kinds) - 1 and any(record.shown is not None for record in table.records)
        for record in table.records:
            for event in (record.event, record.shown or record.event):
                assert getattr(event, "by", None) == by, record
