"""The commands as a host types them: words on stdout, faults on stderr, exit codes 0, 1 and 2."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.games.storage.opening import opened
from pbem.mail.host.clocks import due_of, start as start_clock
from pbem.mail.host.deadlines import written

Run = Callable[..., subprocess.CompletedProcess[str]]
Snapshot = Callable[[Path], dict[str, bytes]]
FAULT = re.compile(r"^(?P<place>.+?): (?P<code>[a-z0-9-]+): (?P<sentence>.+)$")


def faults(err: str) -> list[str]:
    """The codes of the faults on stderr; every line there must be one."""
    codes = []
    for line in err.splitlines():
        match = FAULT.match(line)
        assert match, line
        codes.append(match["code"])
    return codes


def test_a_turn_from_nothing_by_the_commands(pbem: Run, answers: list[str], tmp_path: Path) -> None:
    made = pbem(
        "new", "5", "duel", "--player", "federation=ann@example.org", "--player", "klingon=bob@example.org",
        "--option", "reveal=none", "--option", "autobreaks=none",
    )  # fmt: skip
    assert (made.returncode, made.stderr) == (0, "")
    forms = pbem("forms", "duel")
    assert "SIDE federation REPLY 1" in forms.stdout and "SIDE klingon REPLY 1" in forms.stdout
    assert pbem("forms", "duel", "-o", "forms.txt").stdout == "forms.txt\n"
    assert (tmp_path / "forms.txt").read_bytes() == forms.stdout.encode("utf-8"), "no shell has touched it"
    told = pbem("report", "duel", "--text").stdout
    assert pbem("report", "duel", "-o", "sitrep.txt").stdout == "sitrep.txt\n"
    assert (tmp_path / "sitrep.txt").read_bytes() == told.encode("utf-8")
    assert pbem("check", "duel", *answers).returncode == 0
    assert "Waiting for federation and klingon" in pbem("resolve", "duel").stdout
    sent = pbem("submit", "duel", *answers)
    assert (sent.returncode, sent.stderr) == (0, "")
    assert "All orders are here" in pbem("status", "duel").stdout
    played = pbem("resolve", "duel")
    assert played.returncode == 0
    assert "Played from request 1 of turn 1 to the beginning of turn 2" in played.stdout
    sitrep = pbem("report", "duel", "--side", "klingon", "--text")
    assert sitrep.stdout == (tmp_path / "duel/02/r1/klingon/sitrep.txt").read_text(encoding="utf-8")
    page = Path(pbem("report", "duel", "--turn", "1").stdout.strip())
    assert (tmp_path / page).read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")
    assert pbem("verify", "duel").returncode == 0
    assert "Taken back to request 1 of turn 1" in pbem("undo", "duel").stdout


def test_scenario_4_against_the_robot_takes_one_mail_a_turn(pbem: Run, tmp_path: Path) -> None:
    pbem(
        "new",
        "#4",
        "dakota",
        "--player",
        "federation=ann",
        "--player",
        "klingon=robot",
        "--with",
        "Fire",
        "--seed",
        "x",
    )
    status = json.loads(pbem("status", "dakota", "--json").stdout)
    assert (status["owing"], status["request"]["form"]) == (["federation"], "FULL")
    (tmp_path / "o.txt").write_text(
        'GAME dakota TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 12\nPLOT TOWARD "SS Dakota"\n'
    )
    assert pbem("submit", "dakota", "o.txt").returncode == 0
    assert "Played from request 1" in pbem("resolve", "dakota").stdout
    assert pbem("verify", "dakota").returncode == 0


def test_every_command_speaks_json(pbem: Run, duel: Path, answers: list[str]) -> None:
    assert json.loads(pbem("check", "duel", *answers, "--json").stdout)["receipts"][1]["side"] == "klingon"
    assert json.loads(pbem("submit", "duel", *answers, "--json").stdout)["receipts"][0]["version"] == 1
    assert [one["what"] for one in json.loads(pbem("resolve", "duel", "--json").stdout)["happened"]] == [
        "played",
        "waiting",
    ]
    assert json.loads(pbem("verify", "duel", "--json").stdout)["ok"] is True
    assert set(json.loads(pbem("forms", "duel", "--json").stdout)["drafts"]) == {"federation", "klingon"}
    assert "sitrep.html" in json.loads(pbem("report", "duel", "--json").stdout)["page"]
    assert json.loads(pbem("undo", "duel", "--json").stdout)["asked"]["number"] == 1
    for book in ("ships", "scenarios", "charts", "rules"):
        assert json.loads(pbem(book, "--json").stdout)
    nowhere = pbem("status", "nowhere", "--json")
    assert nowhere.returncode == 1
    assert json.loads(nowhere.stdout)["faults"][0]["code"] == "no-game"


@pytest.mark.slow
def test_robots_play_each_other(process: Run, pbem: Run) -> None:
    """By processes of their own, pictures and all."""
    made = process("new", "5", "robots", "--player", "federation=robot", "--player", "klingon=robot", "--seed", "x")
    assert (made.returncode, made.stderr) == (0, "")
    assert "The game is over." in process("resolve", "robots").stdout
    assert pbem("undo", "robots").returncode == 0
    assert pbem("verify", "robots").returncode == 0


def test_a_folder_without_cases_is_told(pbem: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = pbem("case", "empty")
    assert done.returncode == 1
    assert done.stderr.startswith("empty: no-cases: ")


def test_the_books_show_what_is_asked_for(pbem: Run) -> None:
    assert "shields #1 to #6" in pbem("ships", "fed_cadet_ca").stdout
    assert "Destruction" in pbem("scenarios", "#5").stdout
    assert "brackets" in pbem("charts", "photon").stdout
    assert "verify_" in pbem("rules", "E1.5").stdout + pbem("rules", "fire").stdout
    for book in ("ships", "scenarios", "charts", "rules"):
        assert pbem(book, "nix").returncode == 1, "not there is a fault of the question, not of the usage"


def test_rules_tells_what_becomes_of_a_rule(pbem: Run) -> None:
    told = pbem("rules", "E4.22").stdout
    assert told.startswith("E4.22 photon torpedoes: holding an armed torpedo\n  done\n")
    assert "our reading" in told
    assert "rules.weapons" in told
    assert "E/E4.22-eject" in told
    data = json.loads(pbem("rules", "D4.21", "--json").stdout)
    assert [rule["number"] for rule in data["rules"]] == ["D4.21 cadet", "D4.21 standard"]
    assert data["rules"][0]["readings"][0]["option"] == "dac=module"
    assert data["rules"][0]["cases"][0].keys() >= {"file", "title"}
    assert "E4.14" in pbem("rules", "E4").stdout
    assert "left out: " in pbem("rules", "H7.4").stdout
    unknown = pbem("rules", "E4.29")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "there is no chapter or rule 'E4.29'; the nearest are " in unknown.stderr
    assert "E4.2" in unknown.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("resolv", "duel"),
        ("resolve",),
        ("check", "duel"),
        ("status", "duel", "--colour"),
        ("new", "5", "other", "--player", "federation"),
        ("new", "5", "other", "--player", "federation=ann", "--player", "federation=bob"),
        ("report", "duel", "--side", "romulan"),
        ("forms", "duel", "--side", "romulan"),
        ("undo", "duel", "--turn", "soon"),
    ],
)
def test_wrong_usage_is_exit_2(pbem: Run, duel: Path, arguments: tuple[str, ...]) -> None:
    done = pbem(*arguments)
    assert done.returncode == 2
    assert "Error" in done.stderr


NOISE = (bytes((n * 7919 >> 3) % 256 for n in range(2048)) * 489)[:1_000_000]
BAD_FILES = {
    "an empty file": b"",
    "a binary file": b"\x89PNG\r\n\x1a\n\0\0\0",
    "1 MB of noise": NOISE,
    "1 MB of letters": b"lorem ipsum dolor\n" * 55_000,
    "more than 1 MB": b"#" * 1_000_001,
    "one very long line": b"GAME duel TURN 1 SIDE federation REPLY 1 " * 20_000,
    "a quotation never closed": b'GAME duel TURN 1 SIDE "federation REPLY 1\nSHIP Constellation\nENERGY\n',
    "deep brackets": b"GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nDO\n IF " + b"(" * 5000 + b"\n",
}


def test_the_forms_of_both_sides_come_back_in_one_file(pbem: Run, duel: Path, tmp_path: Path) -> None:
    """`pbem forms` prints them so. A fault of one side is told at its line of the file, and keeps the other from
    nothing.
    """
    forms = pbem("forms", "duel").stdout
    (tmp_path / "all.txt").write_text(forms, encoding="utf-8")
    done = pbem("check", "duel", "all.txt")
    assert [line.split(":")[0] for line in done.stdout.splitlines() if "a legal answer" in line] == [
        "federation", "klingon",
    ]  # fmt: skip
    spoilt = forms.replace("SIDE klingon", "SIDE romulan")
    at = 1 + next(number for number, line in enumerate(spoilt.splitlines()) if "SIDE romulan" in line)
    (tmp_path / "all.txt").write_text(spoilt, encoding="utf-8")
    done = pbem("submit", "duel", "all.txt")
    assert done.returncode == 1 and done.stderr.startswith(f"all.txt:{at}:")
    assert "federation: filed" in done.stdout and "klingon" not in done.stdout


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_file_of_no_use_gets_a_fault_and_changes_nothing(
    pbem: Run, duel: Path, tmp_path: Path, snapshot: Snapshot, kind: str
) -> None:
    (tmp_path / "bad.txt").write_bytes(BAD_FILES[kind])
    before = snapshot(duel)
    done = pbem("submit", "duel", "bad.txt")
    assert (done.returncode, done.stdout) == (1, "")
    assert faults(done.stderr)
    assert all(line.startswith("bad.txt") for line in done.stderr.splitlines())
    assert len(done.stderr) < 60_000
    assert snapshot(duel) == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "duel", "missing.txt"), "no-such-file"),
        (("check", "duel", "duel"), "is-a-folder"),
        (("check", "nowhere", "ann.txt"), "no-game"),
        (("check", "ann.txt", "ann.txt"), "no-game"),
        (("status", "."), "no-game"),
        (("new", "5", "duel"), "not-empty"),
        (("new", "77", "other"), "unknown-scenario"),
        (("new", "5", "a game"), "game-name"),
        (("undo", "duel"), "nothing-played"),
        (("report", "duel", "--turn", "9"), "no-such-turn"),
        (("case", "missing.toml"), "no-such-file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    pbem: Run, duel: Path, answers: list[str], snapshot: Snapshot, tmp_path: Path, arguments: tuple[str, ...], code: str
) -> None:
    before = snapshot(tmp_path)
    done = pbem(*arguments)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and f"{code}: " in done.stderr
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("new", "encounter", "other"), "there is no scenario 'encounter'; did you mean 5 (Encounter)?"),
        (("new", "77", "other"), "there is no scenario '77'; `pbem scenarios` lists them"),
        (("scenarios", "rescue"), "did you mean 9 (Rescue at Rigel)?"),
        (("ships", "lyran"), "did you mean lyr_cadet_ca (Lyran Cadet cruiser)"),
        (("ships", "zz"), "`pbem ships` lists them"),
        (("new", "5", "other", "--player", "federation"), "must look like SIDE=WHO, like klingon=ann@example.org"),
        (("new", "5", "other", "--facing", "A"), "must look like UNIT=FACING"),
        (
            ("new", "5", "a game"),
            "no spaces; begin with a letter or digit; --name gives it a name of its own",
        ),
        (("new", "5", "other", "--name", "a game"), "begin with a letter or digit\n"),
    ],
)
def test_what_is_meant_by_a_title_a_race_or_half_a_pair_is_told(
    pbem: Run, arguments: tuple[str, ...], says: str
) -> None:
    done = pbem(*arguments)
    assert done.returncode in (1, 2) and says in " ".join(done.stderr.split()) + "\n"


def test_one_bad_file_does_not_keep_a_good_one_from_being_filed(
    pbem: Run, duel: Path, answers: list[str], tmp_path: Path
) -> None:
    (tmp_path / "ann.txt").write_text(
        "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 99\nEND\n"
    )
    done = pbem("submit", "duel", *answers)
    assert done.returncode == 1
    assert "ann.txt:4:3: " in done.stderr
    assert [path.name for path in (duel / "01/orders").iterdir()] == ["klingon.r1.orders"]


def test_a_game_folder_without_write_permission(pbem: Run, duel: Path, answers: list[str], snapshot: Snapshot) -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    folders = [duel, *(path for path in duel.rglob("*") if path.is_dir())]
    before = snapshot(duel)
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert pbem("check", "duel", *answers).returncode == 0
        done = pbem("submit", "duel", *answers)
        assert done.returncode == 1 and "no-permission: " in done.stderr
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert snapshot(duel) == before


def test_help_and_version_load_nothing_heavy(pbem: Run) -> None:
    program = (
        "import sys; sys.argv = ['pbem', '--help']\n"
        "from pbem.app.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'jinja2', 'lxml', 'parsy', 'rich', 'email', 'msgspec', 'filelock'} & set(sys.modules)\n"
        "print('loaded', sorted(heavy), file=sys.stderr)\n"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root)}
    )
    assert "resolve" in done.stdout
    assert done.stderr == "loaded []\n"
    assert pbem("--version").stdout.startswith("pbem ")


@pytest.mark.slow
def test_the_demo_plays_a_shipped_game_from_its_order_files(pbem: Run, tmp_path: Path) -> None:
    from pbem.games.create import shipped_games

    games = shipped_games()
    if not games:
        pytest.skip("no example game is shipped yet")
    done = pbem("demo", "--dir", "here", "--json")
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)
    assert (tmp_path / played["page"]).is_file()
    for log in sorted(games[0].glob("[0-9]*/events.jsonl")):
        assert (tmp_path / "here" / log.relative_to(games[0])).read_bytes() == log.read_bytes()
    assert pbem("demo", "--dir", "here").returncode == 1


MODULE = Path(__file__).resolve().parents[2] / "vassal" / "data" / "HexSpaceTest.vmod"


@pytest.mark.skipif(not MODULE.is_file(), reason="needs the test module of tests/vassal")
def test_positions_go_to_the_table_and_come_back(pbem: Run, duel: Path, answers: list[str], tmp_path: Path) -> None:
    pbem("submit", "duel", *answers)
    pbem("resolve", "duel")
    assert pbem("export", "duel", "--module", MODULE, "-o", "after.vsav").returncode == 0
    assert (duel / "vassal.toml").is_file()
    assert "Every counter is" in pbem("import", "duel", "after.vsav", "--module", MODULE).stdout
    after = {unit["name"]: unit["hex"] for unit in json.loads((duel / "01/state.json").read_text())["units"].values()}
    pbem("undo", "duel")
    log = (duel / "01/events.jsonl").read_bytes()
    shown = pbem("import", "duel", "after.vsav", "--module", MODULE)
    assert "Nothing was changed" in shown.stdout and (duel / "01/events.jsonl").read_bytes() == log
    assert "Taken over" in pbem("import", "duel", "after.vsav", "--module", MODULE, "--take").stdout
    now = {unit["name"]: unit["hex"] for unit in json.loads((duel / "01/state.json").read_text())["units"].values()}
    assert {name: now[name] for name in after} == after
    assert pbem("verify", "duel").returncode == 0


@pytest.mark.skipif(not MODULE.is_file(), reason="needs the test module of tests/vassal")
def test_what_is_no_module_or_save_is_one_sentence(pbem: Run, duel: Path, answers: list[str], tmp_path: Path) -> None:
    for arguments in (("export", "duel", "--module", "ann.txt", "-o", "t.vsav"),
                      ("export", "duel", "--module", MODULE, "-o", "nowhere/t.vsav"),
                      ("import", "duel", "ann.txt", "--module", MODULE)):  # fmt: skip
        done = pbem(*arguments)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert not (tmp_path / "t.vsav").exists()


def test_the_map_alone_is_a_drawing_of_what_a_side_sees(pbem: Run, duel: Path, tmp_path: Path) -> None:
    said = pbem("map", "duel", "-o", "map.svg", "--side", "KLINGON", "--json")
    assert json.loads(said.stdout) == {"file": "map.svg", "side": "klingon"}
    drawing = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert drawing.startswith("<svg ") and "Constellation" in drawing and "var(" not in drawing
    wrong = pbem("map", "duel", "-o", "map.gif")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    late = pbem("map", "duel", "-o", "late.svg", "--turn", "9")
    assert late.returncode == 1 and late.stderr.startswith("error: no-such-turn: ")


def test_a_picture_of_the_map_needs_resvg(duel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.app.cli.reports import map_
    from pbem.errors import GameError
    from pbem.reports.map import picture

    if picture.can_draw():
        map_(duel, tmp_path / "map.png")
        assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(picture, "can_draw", lambda: False)
    with pytest.raises(GameError, match="resvg"):
        map_(duel, tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(
    ("command", "guide", "words"),
    [
        (("play",), "tutorial.md", "uses a port other than {}."),
        (("host", "web"), "host-guide.md", "at port {}, "),
        (("host", "web"), "host-guide.md", "reverse_proxy 127.0.0.1:{}\n"),
    ],
)
def test_help_and_guides_name_the_port_that_is_taken(
    pbem: Run, command: tuple[str, ...], guide: str, words: str
) -> None:
    pytest.importorskip("uvicorn", reason="the extra web is not installed")
    from pbem.app.web import server

    port = server.PORT if command == ("play",) else server.CLUB_PORT
    assert f"default: {port}, or any free one" in " ".join(pbem(*command, "--help").stdout.split())
    assert words.format(port) in (DOCS / guide).read_text(encoding="utf-8")


def test_help_says_whole_sentences_in_sections(pbem: Run) -> None:
    """At 80 columns nothing is cut, whichever command is asked."""
    top = pbem("-h").stdout
    for section in ("Play", "Look at a game", "The umpire", "Games by mail", "VASSAL", "Look up"):
        assert f"\n{section}:\n" in top
    assert top.index("  new ") < top.index("\nThe umpire:") < top.index("  undo ")
    for words in ((), ("host",), ("mail",)):
        said = pbem(*words, "-h").stdout
        assert "..." not in said.replace("[ARGS]...", "") and "─" not in said
        assert max(map(len, said.split("\n"))) <= 80
        commands = said.partition("customize the installation.")[2] or said
        entries = re.findall(r"^  ([a-z]+) {2,}((?:.*\n)(?: {6,}.*\n)*)", commands, re.MULTILINE)
        assert len(entries) > 1
        assert all(text.rstrip().endswith(".") for _, text in entries), entries


def test_the_latest_report_is_found_without_a_browser(pbem: Run, duel: Path, tmp_path: Path) -> None:
    page = Path(pbem("open", "duel", "--side", "KLINGON", "--print").stdout.strip())
    assert (tmp_path / page).is_file() and page.parts[-2:] == ("klingon", "sitrep.html")
    told = json.loads(pbem("open", "duel", "--json").stdout)
    assert told["opened"] is False and told["side"] == "umpire"
    (tmp_path / page).unlink()
    gone = pbem("open", "duel", "--side", "klingon")
    assert gone.returncode == 1 and "no-page: klingon has no page here" in gone.stderr
    assert pbem("open", "duel", "--turn", "9").returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the browser is a shell script")
def test_a_browser_is_told_the_pages_address(duel: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    shown = tmp_path / "shown"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{shown}"\n', encoding="utf-8")
    browser.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "open", "duel", "--side", "federation"],
        cwd=tmp_path, env={**environment, "BROWSER": str(browser)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.read_text(encoding="utf-8").strip() == (tmp_path / done.stdout.strip()).as_uri()


def test_a_host_that_is_none_is_told_once(pbem: Run, tmp_path: Path) -> None:
    """It used to be tried again every minute."""
    for words in (("host", "clbu"), ("host", "run", "clbu"), ("host", "clbu", "--once")):
        done = pbem(*words)
        assert done.returncode == 1
        assert done.stderr == (
            "clbu: no-host: there is no folder and no command of that name; `pbem host -h` lists the commands\n"
        )
    (tmp_path / "empty").mkdir()
    assert "it has no host.toml" in pbem("host", "empty").stderr
    assert pbem("host", "club", "typo").returncode == 2


def test_a_club_s_game_needs_a_player_for_every_side_and_status_tells_its_deadline(pbem: Run, tmp_path: Path) -> None:
    assert pbem("host", "init", "club").returncode == 0
    one = pbem("new", "5", "club/games/duel", "--player", "federation=ann@example.org")
    assert one.returncode == 1
    assert one.stderr == (
        "error: no-player: name a player for klingon, because a hosted game writes to every side:"
        " --player klingon=ADDRESS (or klingon=robot)\n"
    )
    assert not (tmp_path / "club/games/duel").exists()
    for name in ("duel", "robot"):
        klingon = "kor@example.org" if name == "duel" else "robot"
        done = pbem(
            *("new", "5", f"club/games/{name}", "--player", "federation=ann@example.org"),
            *("--player", f"klingon={klingon}"),
        )
        assert done.returncode == 0, done.stderr
    assert pbem("new", "5", "home", "--player", "federation=ann@example.org").returncode == 0
    game = tmp_path / "club/games/duel"
    assert "Orders are due" not in pbem("status", "club/games/duel").stdout  # nothing was sent yet
    with opened(game, lock="test") as folder:
        start_clock(folder, datetime(2027, 5, 4, 12, tzinfo=UTC))
    text = (tmp_path / "club/host.toml").read_text(encoding="utf-8")
    told = pbem("status", "club/games/duel")
    found = due_of(game)
    assert found is not None, text
    assert f"Orders are due {written(found[0].due, found[1].zone)}" in told.stdout
    data = json.loads(pbem("status", "club/games/duel", "--json").stdout)
    assert datetime.fromisoformat(data["due"]) == found[0].due and data["paused"] is False
    assert pbem("pause", "club/games/duel", "--reason", "holidays").returncode == 0
    assert "The game is paused: holidays;" in pbem("status", "club/games/duel").stdout
    assert json.loads(pbem("status", "home", "--json").stdout)["due"] is None


def test_a_game_that_nobody_hosts_has_no_clock_to_stop(pbem: Run, duel: Path) -> None:
    paused = pbem("pause", "duel", "--reason", "holidays")
    assert paused.returncode == 1 and "no host runs this game" in paused.stderr
    assert not (duel / "mail").exists()
