"""All rule cases of tests/cases/, and that the runner can fail: a case that cannot is worth nothing."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from pbem.lab.rule_cases import CaseResult, run_file, run_files
from pbem.lab.rule_cases.docs import cases_page, event_log_page
from tests.golden import cases as whole

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
FILES = sorted(CASES.rglob("*.toml"))
IDS = [path.relative_to(CASES).with_suffix("").as_posix() for path in FILES]


KEPT = whole.kept()
AS_IT_WAS = "what came of it is not what is kept: see tests/golden/cases.py"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_case(path: Path) -> None:
    """A case passes, the whole of what comes of it is for the byte what is kept, and no order acts of which the check
    said that it can never.
    """
    witness = whole.Witness()
    for result in run_file(path, exact=True, witness=witness):
        assert result.passed, "\n".join([result.name, *result.differences])
    assert witness.digest == KEPT.get(whole.name_of(path), ""), AS_IT_WAS
    assert not witness.told_otherwise


MIRRORED = [
    pytest.param(path, id=name, marks=() if number % 4 == 0 else pytest.mark.slow)
    for number, (path, name) in enumerate(zip(FILES, IDS, strict=True))
]
"""The quick part plays every fourth case in the mirror; the whole run plays them all."""


@pytest.mark.parametrize("path", MIRRORED)
def test_case_in_the_mirror(path: Path) -> None:
    """Naming sides, units and strikes in the other order changes nothing."""
    witness = whole.Witness()
    for result in run_file(path, mirrored=True, exact=True, witness=witness):
        assert result.passed, "\n".join([result.name, *result.differences])
    assert witness.digest == KEPT.get(whole.name_of(path), ""), AS_IT_WAS


def test_nothing_is_kept_of_cases_that_are_gone() -> None:
    assert not KEPT.keys() - set(IDS)


def test_there_are_many_and_every_title_is_its_own() -> None:
    # What stands above the first table; the whole of each is read where it is played.
    heads = [tomllib.loads(path.read_text(encoding="utf-8").partition("\n[")[0]) for path in FILES]
    assert len(FILES) >= 140
    twice = [title for title, count in Counter(head["title"] for head in heads).items() if count > 1]
    assert not twice
    assert all(head["source"] for head in heads)


def test_files_are_named_so_that_every_system_can_hold_them() -> None:
    wrong = [name for name in IDS if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*/[A-Za-z0-9.-]+", name) or len(name) > 90]
    assert not wrong
    assert len({name.casefold() for name in IDS}) == len(IDS)


def test_the_pages_about_cases_and_the_log_are_up_to_date() -> None:
    for name, made in (("cases", cases_page()), ("event-log", event_log_page())):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert page == made, "run python -m pbem.lab.rule_cases.docs"


# --- the runner can fail ---------------------------------------------------------------------------------------------

HEAD = """\
rule = "E2.4"
title = "a phaser fires"
source = "here"
stop = 2
"""
PLAYED = (
    HEAD
    + """
[[unit]]
side = "federation"
ship = "fed_cadet_ca"
name = "Con"
at = "1010A"
state = { "capacitor" = 3 }

[[unit]]
side = "klingon"
ship = "kli_cadet_d6"
name = "Des"
at = "1007D"

[[turn]]
orders.federation = \"\"\"
SHIP Con
ENERGY
DO
  AT 2 FIRE PH 1 AT Des
\"\"\"

[dice]
rolls = [1]

[[expect]]
event = "fired"
weapon = "PH 1"
points = 6

[[expect]]
event = "damaged"
unit = "Des"
boxes = 6

[[absent]]
event = "internal_hit"

[final.Des]
"shield 1" = 10
"""
)


def outcome(tmp_path: Path, text: str) -> tuple[bool, str]:
    file = tmp_path / "one.toml"
    file.write_text(text, encoding="utf-8", newline="\n")
    [result] = run_file(file, exact=True)
    assert result.passed == (not result.differences)
    return result.passed, "\n".join(result.differences)


def test_the_example_passes(tmp_path: Path) -> None:
    assert outcome(tmp_path, PLAYED) == (True, "")


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("points = 6", "points = 7", "expected 1, did not happen"),
        ('event = "damaged"\nunit = "Des"', 'event = "damaged"\nunit = "Con"', "instead: event=damaged"),
        ('event = "internal_hit"', 'event = "damaged"', "must not happen"),
        ('"shield 1" = 10', '"shield 1" = 9', "shield 1 is 10, expected 9"),
        ("[final.Des]", "[final.Desk]", "no such unit"),
        ('"shield 1" = 10', '"shield 7" = 10', "is no state path"),
        ("rolls = [1]", "rolls = [1, 2]", "1 of the rolls were not asked for"),
        ("rolls = [1]", "rolls = []", "gives no die for '1.2.fire Con PH1 1'"),
        ("rolls = [1]", '"1.2.fire Con PH1 1" = 1\n"1.2.fire Con PH2 1" = 1', "nobody asked for"),
        ("rolls = [1]", "rolls = [7]", "no face"),
        ("AT 2 FIRE PH 1 AT Des", "AT 2 FIRE PH 9 AT Des", "no-such-weapon"),
        ('at = "1007D"', 'at = "2907D"', "is not on the map"),
        ('ship = "kli_cadet_d6"', 'ship = "kli_cadet_d66"', "did you mean kli_cadet_d6"),
        ('ship = "kli_cadet_d6"', 'ship = "plasma"', "a plasma torpedo needs a target"),
        ('ship = "kli_cadet_d6"', 'ship = "monster"', "monster: the key of a monster"),
        ("stop = 2", "stop = 17", "17 is not an impulse from 1 to 16"),
        ("stop = 2", 'stop = "2"', "stop: write 2 without quotes"),
        ("stop = 2", "stop_at = 2", "stop_at: is not a known field"),
        ('weapon = "PH 1"', 'weapons = "PH 1"', "did you mean weapon"),
        ('event = "internal_hit"', 'event = "internal_hits"', "did you mean internal_hit"),
        ('"capacitor" = 3', '"capacitors" = 3', "is no state path"),
        ('"capacitor" = 3', '"shield 1" = 17', "16 at most"),
        ("orders.federation", "orders.romulan", "has no units"),
        ("[[turn]]", "[[turn]", "not valid TOML"),
        ('rule = "E2.4"\n', "", "rule: is missing"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert right in PLAYED
    passed, differences = outcome(tmp_path, PLAYED.replace(right, wrong))
    assert not passed
    assert said in differences


def test_expectations_are_in_order(tmp_path: Path) -> None:
    first, second = PLAYED.split("[[expect]]")[1:]
    second, rest = second.split("[[absent]]")
    swapped = "[[expect]]".join([PLAYED.split("[[expect]]")[0], second, first]) + "[[absent]]" + rest
    passed, differences = outcome(tmp_path, swapped)
    assert not passed
    assert "before the expectation above" in differences


def test_a_case_that_asserts_nothing_is_an_error(tmp_path: Path) -> None:
    passed, differences = outcome(tmp_path, HEAD)
    assert not passed
    assert "asserts nothing" in differences


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('map = ["0101", "1010"]\n', "map: ['0101', '1010'] is not that of scenario #10"),
        ('level = "cadet"\n', "level: 'cadet' is not that of scenario #10, 'standard'"),
        ("impulses = 16\n", "impulses: 16 is not that of scenario #10, 32"),
        ("first_turn = 3\n", "first_turn: the units of a scenario begin with its turn 1"),
        ("stop = 33\n", "33 is not an impulse from 1 to 32"),
        ('stop = 24\nmap = ["0101", "2817"]\n', ""),
    ],
)
def test_what_a_scenario_says_is_not_dropped_in_silence(tmp_path: Path, added: str, said: str) -> None:
    head = 'rule = "C1.42"\ntitle = "t"\nsource = "s"\nscenario = "10"\n'
    passed, differences = outcome(tmp_path, f"{head}{added}\n[[expect]]\nevent = 'turn_began'\n")
    assert passed == (not said)
    assert said in differences


def test_a_strike_in_a_turn_that_is_not_played(tmp_path: Path) -> None:
    strike = '[[strike]]\nunit = "Des"\nimpulse = 3\npoints = 1\nshield = 1\nturn = 2\n'
    passed, differences = outcome(tmp_path, PLAYED.replace("[dice]", f"{strike}\n[dice]"))
    assert not passed
    assert "strike[0].turn: turn 2 is not played" in differences


@pytest.mark.parametrize(
    ("strike", "said"),
    [
        ("impulse = 3\nshield = 1", "the case stops after impulse 2, before 3"),
        ("impulse = 2", "a ship is struck on a shield, or from a direction"),
    ],
)
def test_a_strike_that_would_never_be_felt(tmp_path: Path, strike: str, said: str) -> None:
    passed, differences = outcome(
        tmp_path, PLAYED.replace("[dice]", f'[[strike]]\nunit = "Des"\npoints = 1\n{strike}\n\n[dice]')
    )
    assert not passed
    assert said in differences


def test_a_word_that_an_event_never_has(tmp_path: Path) -> None:
    for word, said in (("cloaking", ""), ("", ""), ("cloakd", "status is never 'cloakd'; it is cloaked or")):
        pattern = f'event = "cloaked"\nstatus = "{word}"'
        passed, differences = outcome(tmp_path, PLAYED.replace('event = "internal_hit"', pattern))
        assert passed == (not said) and said in differences


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("impulse = 3", "play does not come to impulse 3"),
        ("turn = 2", "turn 2 is not played"),
        ("turn = 1\nimpulse = 3", "play does not come to impulse 3"),
        ('impulse = "2"', "impulse: a whole number, without quotes"),
        ('step = "shuttle"', "there is no step 'shuttle'"),
        ('unit = "Cn"', "there is no unit 'Cn'; there are Con, Des"),
        ('target = "Dos"', "there is no unit 'Dos'"),
        ('unit = "Con"\nweapon = "PH 9"', "Con has no PH 9; it has PH 1"),
        ('only = "federal"', "there is no side 'federal'"),
        ("shield = 7", "there is no shield 7"),
        ('die = "3"', "die is never '3'; it is a whole number"),
        ("energy = 1", "energy is never 1; it is a text"),
        ('unit = "Con"\nweapon = "PH 2"\nimpulse = 2\nturn = 1\nstep = "fire"\nonly = "klingon"', ""),
        ('unit = "KD/1"\ntarget = "FS/1"', ""),
    ],
)
def test_what_could_not_happen_whatever_the_rules_were(tmp_path: Path, pattern: str, said: str) -> None:
    passed, differences = outcome(tmp_path, PLAYED.replace('event = "internal_hit"', f'event = "fired"\n{pattern}'))
    assert passed == (not said), differences
    assert f"absent 1 would always pass: {said}" in differences or not said
    [told] = run_file(tmp_path / "one.toml")  # told, and no fault of the rules
    assert told.passed
    assert "\n".join(told.differences) == differences


REJECT = '\n[[reject]]\nline = 4\ncode = "no-such-weapon"\n'
REFUSED = PLAYED.split("[dice]")[0].replace("PH 1 AT", "PH 9 AT") + REJECT


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("line = 4", "line = 5", "unexpected fault: line 4"),
        ("no-such-weapon", "already-fired", "expected a fault"),
        ("AT 2 FIRE PH 9", "AT 3 FIRE PH 2", "should have been refused"),
        ("PH 9 AT Des", "PH 9 AT Des\n  AT 3 FIRE PH 1 AT Dess", "unexpected fault: line 5"),
        ('code = "no', 'rule = "X"\ncode = "no', "expected a fault"),
        ('code = "no', 'side = "klingon"\ncode = "no', "not of klingon"),
    ],
)
def test_refusals_are_compared(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert outcome(tmp_path, REFUSED)[0]
    assert right in REFUSED
    passed, differences = outcome(tmp_path, REFUSED.replace(right, wrong))
    assert not passed
    assert said in differences


ASK = (
    HEAD.replace("stop = 2\n", "")
    + '\n[[ask]]\nfunction = "phaser damage"\ntype = "ph1"\nrange = 1\ndie = 1\nanswer = 8\n'
)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("answer = 8", "answer = 7", "is 8, expected 7"),
        ("answer = 8", "answer = true", "is 8, expected True"),
        ("phaser damage", "phasor damage", "there is no look-up"),
        ("range = 1", "distance = 1", "phaser damage:"),
        ("answer = 8\n", "", "needs function and answer"),
    ],
)
def test_look_ups_are_compared(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert outcome(tmp_path, ASK)[0]
    assert right in ASK
    passed, differences = outcome(tmp_path, ASK.replace(right, wrong))
    assert not passed
    assert said in differences


BREAK = (
    PLAYED.split("[dice]")[0].replace("AT 2 FIRE PH 1 AT Des\n", "AT 2 FIRE PH 1 AT Des\nBREAK\n  IMPULSE 1\n")
    + '\n[[turn.rebid]]\nside = "federation"\nat = 1\norders = "SHIP Con"\n\n[[absent]]\nevent = "fired"\n'
)


def test_a_rebid_answers_a_break_and_one_that_nobody_asked_for_fails(tmp_path: Path) -> None:
    assert outcome(tmp_path, BREAK) == (True, "")
    passed, differences = outcome(tmp_path, BREAK.replace("at = 1\n", "at = 2\n") + "\n[dice]\nrolls = [1]\n")
    assert not passed
    assert "no break asked for these rebids: federation at 2" in differences


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe")
    results = run_files([tmp_path / "nothing.toml", bad])
    assert [result.passed for result in results] == [False, False]
    assert "cannot be read" in results[0].differences[0]
    assert "not UTF-8" in results[1].differences[0]


@pytest.mark.slow
def test_a_folder_stands_for_its_files() -> None:
    results = run_files([CASES / "H"])
    assert len(results) == len(list((CASES / "H").glob("*.toml")))
    assert all(result.passed for result in results)


def test_keys_may_share_a_line_as_in_short_notation(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text(
        'rule = "E2.4"; title = "one; two = 3"; source = "x"  # a; b = 3\n[[ask]]\n'
        'function = "phaser damage"; type = "Phaser-1"; range = 1; "die" = 1; answer = 8\n',
        encoding="utf-8",
    )
    (result,) = run_file(file)
    assert result == CaseResult(name="E2.4: one; two = 3", passed=True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('function = "photon hit"\nanswer = true', "did you mean photon hits"),
        ('function = "photon hits"\nanswer = true', "'range' is missing; 'die' is missing; it takes range, die"),
        ('function = "phaser damage"\ntype = "ph7"\nrange = 1\ndie = 1\nanswer = 8', "'ph7' is not known here"),
    ],
)
def test_a_faulty_look_up_is_told_what_there_is(tmp_path: Path, asked: str, said: str) -> None:
    file = tmp_path / "faulty.toml"
    file.write_text(f'rule = "E2.4"\ntitle = "x"\nsource = "x"\n[[ask]]\n{asked}\n', encoding="utf-8")
    (result,) = run_file(file)
    assert said in result.differences[0]
