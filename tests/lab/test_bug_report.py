"""A report that a rule was played wrongly: what is in it, and above all what is not."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine.events import OrdersFiled
from pbem.engine.log import decode_records
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, note_names, replace_player
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.lab.rule_cases.bug_report import bug_report
from pbem.lab.rule_cases.play import run_file
from pbem.mail.seats import ensure_tokens

ROOT = Path(__file__).resolve().parents[2]
ANN, BOB, CAT = "Ann Archer <ann@example.org>", "bob@example.net", "Catherine Lee <cat@example.com>"
PEOPLE = ("Ann Archer", "Archer", "ann@example.org", "Bobby Tables", "bob@example.net", "Catherine", "cat@example.com")
PLOT = "PLOT TOWARD Destruction\nDO\n  IF RANGE Destruction <= 4 THEN FIRE ALL PH AT Destruction\n"
FEDERATION = f"SHIP Constellation\nENERGY\n  SPEED 12\n{PLOT}"
KLINGON = (
    "SHIP Destruction\nENERGY\n  SPEED 14\n  DISR A 2; DISR B 2\nPLOT TOWARD Constellation\nDO\n"
    "  IF RANGE Constellation <= 5 THEN FIRE ALL AT Constellation\n"
)


def orders(game: str, turn: int, side: str, text: str) -> str:
    return f"GAME {game} TURN {turn} SIDE {side} REPLY 1\n{text}END\n-- \nThe secret plan of {side}\n"


@pytest.fixture
def running(tmp_path: Path) -> Path:
    """A game between people, one of them replaced, with turns played and orders that wait for the other side's."""
    folder = tmp_path / "club-duel"
    new(
        "5", folder, players={"federation": ANN, "klingon": BOB}, seed="bug",
        options={"reveal": "none", "autobreaks": "none"},
    )  # fmt: skip
    ensure_tokens(folder)
    with opened(folder, lock="test") as game:
        note_names(folder, {BOB: "Bobby Tables"})
        replace_player(folder, Tenure(side="klingon", before=BOB, player=CAT))
    with opened(folder) as game:
        for turn in (1, 2):
            submit(game, orders("club-duel", turn, "federation", FEDERATION), "federation")
            submit(game, orders("club-duel", turn, "klingon", KLINGON), "klingon")
            resolve_game(game)
        told = "Ann Archer and CATHERINE LEE agreed"
        override(game, Decree(changes=("Destruction shield 4 = 5",), reason=told))
        submit(game, orders("club-duel", 3, "federation", FEDERATION.replace("SPEED 12", "SPEED 11")), "federation")
    return folder


@pytest.fixture
def finished(running: Path) -> Path:
    with opened(running) as game:
        submit(game, orders("club-duel", 3, "klingon", "CONCEDE\n"), "klingon")
        resolve_game(game)
        assert game.state().over
    return running


def secrets_of(folder: Path) -> set[str]:
    """Every name and address, and every word of a file in ``secret/`` that is long enough to be a secret."""
    files = [path for path in (folder / "secret").rglob("*") if path.suffix != ".txt" and path.is_file()]
    words = {word.strip('",:{}[]') for path in files for word in path.read_text(encoding="utf-8").split()}
    known = {word for word in words if len(word) >= 12 and not word.isalpha()}
    assert len(files) >= 4 and len(known) >= 3
    return known | set(PEOPLE) | {"secret plan"}


def texts_in(data: bytes, name: str = "") -> Iterator[tuple[str, str]]:
    """Every file of a zip file and of the zip files in it, with its name; times and comments of members as well."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        yield name, packed.comment.decode()
        for info in packed.infolist():
            inner = packed.read(info)
            yield f"{name}/{info.filename}", f"{info.filename} {info.comment!r} {info.extra!r}"
            if info.filename.endswith(".zip"):
                yield from texts_in(inner, f"{name}/{info.filename}")
            else:
                yield f"{name}/{info.filename}", inner.decode("utf-8")


def found_in(data: bytes, secrets: set[str]) -> list[tuple[str, str]]:
    texts = [(name, text.casefold()) for name, text in texts_in(data)]
    assert len(texts) > 6
    return [(name, word) for name, text in texts for word in secrets if word.casefold() in text]


def in_pack(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return packed.read(name).decode("utf-8")


def test_a_report_of_a_running_game_holds_no_secret(running: Path) -> None:
    secrets = secrets_of(running)
    for side, other in (("federation", "klingon"), ("klingon", "federation")):
        with opened(running) as game:
            report = bug_report(game, side=side)
        assert found_in(report.data, secrets) == []
        events = in_pack(report.data, "events.jsonl").encode()
        filed = [r.event for r in decode_records(events) if isinstance(r.event, OrdersFiled)]
        assert {one.side for one in filed if one.text} == {side}, "the orders of the other side are not in it"
        assert not any(one.sealed for one in filed)
        assert all("SPEED 11" not in text for _, text in texts_in(report.data)), "orders that wait are not in it"
        assert f'orders."{other}"' not in in_pack(report.data, "case.toml")
        assert "(left out)" in events.decode(), "the reason of the ruling is in it, without the names"


def test_a_running_game_is_not_shown_whole(running: Path) -> None:
    ran = CliRunner().invoke(app, ["report-bug", str(running), "--to", str(running.parent / "x.zip")])
    assert ran.exit_code == 1 and "game-goes-on" in str(ran.exception)
    assert not (running.parent / "x.zip").exists()


@pytest.mark.parametrize("side", ["", "klingon"])
def test_a_report_of_a_finished_game_holds_no_secret(finished: Path, side: str) -> None:
    secrets = secrets_of(finished)
    with opened(finished) as game:
        report = bug_report(game, side=side)
    assert found_in(report.data, secrets) == []
    assert ("club-duel.pbem.zip" in report.files) == (not side)


def test_the_archive_in_a_report_is_verified_like_any_other(finished: Path, tmp_path: Path) -> None:
    with opened(finished) as game:
        report = bug_report(game)
    with zipfile.ZipFile(io.BytesIO(report.data)) as packed:
        packed.extract("club-duel.pbem.zip", tmp_path)
    ran = CliRunner().invoke(app, ["verify", str(tmp_path / "club-duel.pbem.zip")])
    assert ran.exit_code == 0 and "byte for byte" in ran.stdout, ran.output


@pytest.mark.parametrize("turn", [1, 2])
def test_the_rule_case_plays_the_turn_as_it_was_played(finished: Path, tmp_path: Path, turn: int) -> None:
    with opened(finished) as game:
        report = bug_report(game, turn=turn, rule="E1.2")
        after = game.state_after(turn)
    file = tmp_path / "case.toml"
    file.write_text(in_pack(report.data, "case.toml"), encoding="utf-8")
    (result,) = run_file(file)
    assert result.passed and report.whole and result.name.startswith("E1.2: "), result
    text = file.read_text(encoding="utf-8")
    for ship in ("Constellation", "Destruction"):
        assert f'[final."{ship}"]\n"at" = "{after.units[ship].at}"\n' in text
    wrong = text.replace(f'"at" = "{after.units["Destruction"].at}"\n"shield', '"at" = "0101A"\n"shield')
    file.write_text(wrong, encoding="utf-8")
    assert not run_file(file)[0].passed, "the case holds what came of the turn"


def test_the_rule_case_of_one_side_runs(running: Path, tmp_path: Path) -> None:
    for side in ("federation", "klingon"):
        for turn in (1, 2):
            with opened(running) as game:
                report = bug_report(game, side=side, turn=turn)
            file = tmp_path / "case.toml"
            file.write_text(in_pack(report.data, "case.toml"), encoding="utf-8")
            assert run_file(file)[0].passed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duel01", "rescue01"])
def test_every_turn_of_a_shipped_game_becomes_a_case_that_passes(name: str, tmp_path: Path) -> None:
    with opened(ROOT / "turns" / name) as game:
        for side in ("", *game.terms.sides):
            for turn in filter(None, game.turns()):
                report = bug_report(game, side=side, turn=turn)
                file = tmp_path / "case.toml"
                file.write_text(in_pack(report.data, "case.toml"), encoding="utf-8")
                (result,) = run_file(file)
                assert result.passed, (side, turn, result.differences)
                assert report.whole or side, (side, turn)


def test_the_command_says_what_is_in_the_file_and_where_it_is(finished: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pbem", "report-bug", str(finished), "--to", "wrong shot.zip"], cwd=tmp_path,
        capture_output=True, text=True, encoding="utf-8", env={"PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "wrong shot.zip").resolve().as_uri() in ran.stdout
    assert "case.toml" in ran.stdout and "no names, addresses, game tokens" in ran.stdout
