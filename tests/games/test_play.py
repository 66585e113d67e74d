"""Playing on, taking back, replaying: the record is the game."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem import __version__
from pbem.app.cli.commands import app
from pbem.engine.events import Fired
from pbem.errors import GameError
from pbem.games.proof.archive import order_texts
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.status import status
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.decree import reposition
from pbem.games.umpire.undo import undo

Send = Callable[..., Receipt]
Snapshot = Callable[[Path], dict[str, bytes]]
CONTINUE = "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n"


def test_waiting_for_orders_is_no_error(game: GameFolder, send: Send, duel: Path, snapshot: Snapshot) -> None:
    send("federation")
    before = snapshot(duel)
    done = resolve_game(game)
    assert [(one.what, one.owing) for one in done] == [("waiting", ("klingon",))]
    assert done[0].reports and (duel / done[0].reports / "klingon" / "orders.draft").is_file()
    assert snapshot(duel) == before


def test_where_it_stands_says_which_version_of_the_orders_counts(game: GameFolder, send: Send) -> None:
    send("federation")
    assert [(one.side, one.asked, one.version) for one in status(game).sides] == [
        ("federation", True, 1),
        ("klingon", True, 0),
    ]


def test_what_a_command_left_half_written_is_swept_away_as_play_goes_on(game: GameFolder, duel: Path) -> None:
    left = duel / "01" / ".events.jsonl.1a2b3c4d.tmp"
    left.write_bytes(b"half")
    resolve_game(game)
    assert not left.exists()


def test_only_the_side_that_broke_is_asked(at_break: GameFolder) -> None:
    now = status(at_break)
    assert now.owing == ("klingon",)
    assert (at_break.path / "01/r3/klingon/orders.draft").is_file()
    assert not (at_break.path / "01/r3/federation/orders.draft").exists()
    with pytest.raises(GameError, match="not-asked"):
        submit(at_break, "GAME duel TURN 1 SIDE federation REPLY 3\nCONTINUE\nEND\n", "f.txt")


def test_the_draft_sent_at_a_break_can_be_sent_back_as_it_is(at_break: GameFolder) -> None:
    draft = (at_break.path / "01/r3/klingon/orders.draft").read_text(encoding="utf-8")
    assert submit(at_break, draft, "draft").version == 1


def test_a_turn_is_played_and_replays_byte_for_byte(after_turn_1: GameFolder) -> None:
    request = after_turn_1.state().request
    assert request is not None and (request.turn, request.number) == (2, 1)
    assert any(isinstance(record.event, Fired) for record in after_turn_1.records())
    found = verify(after_turn_1)
    assert found.faults == ()
    assert found.dice > 0


def test_answers_days_apart_and_a_new_process_change_nothing(
    after_turn_1: GameFolder, tmp_path: Path, duel: Path
) -> None:
    """The same orders in a game of the same seed give the same log, whoever opens the folder when."""
    from pbem.games.create import replay

    replay(duel, tmp_path / "again" / "duel")
    for turn in ("00", "01"):
        mine = (duel / turn / "events.jsonl").read_bytes()
        assert (tmp_path / "again" / "duel" / turn / "events.jsonl").read_bytes() == mine


def test_the_positions_of_a_turn_lie_in_its_folder_as_everybody_may_see_them(
    after_turn_1: GameFolder, duel: Path
) -> None:
    from vassal.save import read_save, read_text

    state = after_turn_1.state()
    save = read_save(duel / "02/positions.vsav")
    assert {piece.id for piece in save.pieces} >= {f"pbem-{unit.name}" for unit in state.in_play()}
    assert save.module.module == "Cadet Companion"
    text = read_text(duel / "02/positions.vsav")
    for secret in ("PHASERS", "capacitor", "@example.org", "YOUR ORDERS"):
        assert secret not in text


def test_a_faulty_vassal_toml_keeps_no_report_back(game: GameFolder, duel: Path) -> None:
    (duel / "vassal.toml").write_text("format = 7\nmap = 'x'\n", encoding="utf-8")
    publish(game)
    assert not (duel / "01/positions.vsav").exists()
    mail = (duel / "01/r1/klingon/mail.eml").read_text(encoding="ascii")
    assert "positions.vsav" not in mail and "sitrep.html" in mail


def test_the_order_form_goes_with_the_mail_where_there_is_one(game: GameFolder, duel: Path) -> None:
    (duel / "01/r1/klingon/orders.html").write_text("<p>Speed?</p>\n", encoding="utf-8", newline="\n")
    publish(game)
    message = message_from_bytes((duel / "01/r1/klingon/mail.eml").read_bytes(), policy=default)
    assert isinstance(message, EmailMessage)
    attached = [part.get_filename() for part in message.iter_attachments()]
    assert attached == ["sitrep.html", "klingon.r1.orders", "orders.html", "positions.vsav"]


def test_undo_keeps_the_log_and_the_orders_and_draws_new_dice(after_turn_1: GameFolder, duel: Path) -> None:
    log = (duel / "01/events.jsonl").read_bytes()
    played = [r.event for r in after_turn_1.effective() if isinstance(r.event, Fired)]
    undo(after_turn_1, turn=1, request=2, reason="a plot was misread")
    request = after_turn_1.state().request
    assert request is not None and (request.turn, request.number) == (1, 2)
    assert (duel / "01/events.jsonl").read_bytes().startswith(log)
    assert (duel / "01/orders/klingon.r2.v1.orders").is_file()
    assert not (duel / "01/orders/klingon.r2.orders").exists()
    assert not (duel / "02/r1").exists() and not (duel / "02/positions.vsav").exists()
    assert "a plot was misread" in (duel / "01/r2/federation/sitrep.txt").read_text(encoding="utf-8")
    assert verify(after_turn_1).faults == ()
    # The same orders once more: other dice, since their segment has another link of the chain.
    for side in ("federation", "klingon"):
        text = (duel / f"01/orders/{side}.r2.v1.orders").read_text(encoding="utf-8")
        submit(after_turn_1, text, side)
    resolve_game(after_turn_1)
    submit(after_turn_1, CONTINUE, "k3.txt")
    resolve_game(after_turn_1)
    again = [r.event for r in after_turn_1.effective() if isinstance(r.event, Fired)]
    assert [(e.unit, e.weapon) for e in again][:2] == [(e.unit, e.weapon) for e in played][:2]
    assert [e.die for e in again] != [e.die for e in played]
    assert verify(after_turn_1).faults == ()
    # An archive names each version of the orders as the folder does.
    named = {name for name in order_texts(after_turn_1) if ".r2." in name}
    assert named == {path.relative_to(duel).as_posix() for path in duel.glob("*/orders/*.r2.*")} and len(named) == 4


def test_a_log_is_read_by_the_numbers_of_its_records_whatever_folder_they_stand_in(
    game: GameFolder, duel: Path
) -> None:
    """Play that is taken back over a turn: the folder of the earlier turn holds the later records."""
    before = game.records()
    lines = (duel / "00/events.jsonl").read_bytes().splitlines(keepends=True)
    (duel / "00/events.jsonl").write_bytes(b"".join([lines[0], *lines[3:]]))
    (duel / "01/events.jsonl").write_bytes(b"".join(lines[1:3]))
    with opened(duel) as again:
        assert again.records() == before and [one.n for one in before] == list(range(1, len(before) + 1))
        assert again.last_folder() == 0
    (duel / "01/events.jsonl").write_bytes(lines[1])
    with opened(duel) as damaged, pytest.raises(GameError, match="record 3 of the event log is missing"):
        damaged.records()


def test_there_is_nothing_to_undo_in_a_new_game(game: GameFolder, duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    with pytest.raises(GameError, match="nothing-played"):
        undo(game)
    assert snapshot(duel) == before


def test_undo_of_a_request_that_was_not_played_says_which_were(at_break: GameFolder) -> None:
    with pytest.raises(GameError, match=r"1\.r1, 1\.r2"):
        undo(at_break, turn=1, request=3)


def test_verify_finds_a_die_that_was_changed(after_turn_1: GameFolder, duel: Path) -> None:
    path = duel / "01/events.jsonl"
    fired = next(r for r in after_turn_1.records() if isinstance(r.event, Fired))
    assert isinstance(fired.event, Fired)
    old, new = f'"die":{fired.event.die}'.encode(), f'"die":{fired.event.die % 6 + 1}'.encode()
    lines = path.read_bytes().split(b"\n")
    place = next(n for n, line in enumerate(lines) if f'"n":{fired.n},'.encode() in line)
    lines[place] = lines[place].replace(old, new)
    path.write_bytes(b"\n".join(lines))
    with opened(duel) as game:
        found = verify(game)
        assert [fault.code for fault in found.record] == ["replay-differs"]
        assert f"record {fired.n} " in found.record[0].text
        # Repair never touches a record that does not replay.
        assert verify(game, repair=True).repaired == ()


def test_verify_finds_orders_that_were_changed_or_lost(after_turn_1: GameFolder, duel: Path) -> None:
    path = duel / "01/orders/klingon.r2.orders"
    path.write_text(path.read_text().replace("<= 8", "<= 7"), encoding="utf-8", newline="\n")
    (duel / "01/orders/federation.r1.orders").unlink()
    assert [fault.code for fault in verify(after_turn_1).record] == ["orders-missing", "orders-changed"]


def test_a_state_file_cut_in_half_stops_play_and_can_be_repaired(
    at_break: GameFolder, duel: Path, snapshot: Snapshot
) -> None:
    path = duel / "01/state.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    before = snapshot(duel)
    with opened(duel) as game:
        for command in (resolve_game, status):
            with pytest.raises(GameError, match=r"verify .*--repair"):
                command(game)
    assert snapshot(duel) == before
    with opened(duel) as game:
        assert [fault.code for fault in verify(game).derived] == ["state-differs"]
        verify(game, repair=True)
    assert path.read_bytes() == whole
    with opened(duel) as game:
        assert status(game).owing == ("klingon",)


def test_what_a_stopped_command_left_behind_is_made_good(at_break: GameFolder, duel: Path, snapshot: Snapshot) -> None:
    """Stopped after the log was written: the state is the old one, the reports are missing."""
    whole = snapshot(duel)
    (duel / "01/state.json").write_bytes((duel / "00/state.json").read_bytes())
    for path in (duel / "01/r3").rglob("*"):
        if path.is_file():
            path.unlink()
    with opened(duel) as game:
        assert status(game).owing == ("klingon",)
        resolve_game(game)
    assert snapshot(duel) == whole


def test_no_turn_is_played_from_a_state_file_that_is_not_what_the_log_makes(at_break: GameFolder, duel: Path) -> None:
    """An older version wrote it, or a program with a mistake: play goes on from the log."""
    submit(at_break, CONTINUE, "k.txt")
    path = duel / "01/state.json"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"speed": 12', b'"speed": 13', 1))
    assert path.read_bytes() != whole
    told = CliRunner().invoke(app, ["verify", str(duel)])
    assert told.exit_code == 0 and told.stderr == "", "the record is sound"
    assert "The record is sound" in told.stdout and "--repair` writes them anew" in told.stdout
    assert "01/state.json: state-differs" in told.stdout
    with opened(duel) as game:
        assert [one.what for one in resolve_game(game)][:2] == ["rewrote", "played"]
        assert verify(game).faults == ()


def test_a_replay_that_differs_says_which_version_made_the_game(at_break: GameFolder, duel: Path) -> None:
    for was, now, said in (("", "", ""), (f'begun = "{__version__}"', 'begun = "0.1.9"', "what pbem 0.1.9 played")):
        terms = (duel / "game.toml").read_text(encoding="utf-8")
        (duel / "game.toml").write_text(terms.replace(was, now), encoding="utf-8", newline="\n")
        log = duel / "01/events.jsonl"
        log.write_bytes(log.read_bytes().replace(b'"speed":12', b'"speed":13', 1))
        told = CliRunner().invoke(app, ["verify", str(duel)])
        assert told.exit_code == 1 and (" played (stretch" in told.stdout) == bool(said) and said in told.stdout


def test_an_empty_game_toml_says_what_it_is(duel: Path) -> None:
    (duel / "game.toml").write_bytes(b"")
    with pytest.raises(GameError, match="this file is empty; restore it from a copy"), opened(duel):
        pass
    (duel / "game.toml").write_bytes(b'name = "duel"\n')
    with pytest.raises(GameError, match="the line `format = 1` is missing here"), opened(duel):
        pass


def test_repair_writes_every_report_anew(after_turn_1: GameFolder, duel: Path, snapshot: Snapshot) -> None:
    whole = snapshot(duel)
    (duel / "01/r2/klingon/sitrep.html").write_text("smudged", encoding="utf-8", newline="\n")
    (duel / "02/r1/umpire/sitrep.txt").unlink()
    assert [fault.code for fault in verify(after_turn_1).derived] == ["reports-missing"]
    verify(after_turn_1, repair=True)
    assert snapshot(duel) == whole


def test_a_log_with_a_hole_is_refused(after_turn_1: GameFolder, duel: Path) -> None:
    path = duel / "01/events.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:4] + lines[5:]))
    with opened(duel) as game, pytest.raises(GameError, match="log-damaged"):
        status(game)


def test_records_cut_off_at_the_end_of_the_log_are_missed(after_turn_1: GameFolder, duel: Path) -> None:
    last = max(after_turn_1.log_files())
    path = after_turn_1.log_file(last)
    whole = path.read_bytes()
    for damaged in (b"".join(line + b"\n" for line in whole.split(b"\n")[:-3]), b"", None):
        path.unlink()
        if damaged is not None:
            path.write_bytes(damaged)
        with opened(duel) as game, pytest.raises(GameError, match="log-damaged"):
            status(game)
        with opened(duel) as game:
            try:
                assert "log-damaged" in [fault.code for fault in verify(game, repair=True).record]
            except GameError as error:
                assert "log-damaged" in str(error)
        path.write_bytes(whole)
        with opened(duel) as game:
            assert verify(game).faults == ()


def test_the_wrong_secret_is_refused(game: GameFolder, send: Send, duel: Path, snapshot: Snapshot) -> None:
    send("federation")
    send("klingon")
    (duel / "secret/dice.secret").write_text("00" * 32, encoding="utf-8", newline="\n")
    before = snapshot(duel)
    with pytest.raises(GameError, match="dice-commitment"):
        resolve_game(game)
    assert snapshot(duel) == before


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda text: text.replace("format = 1", "format = 2"), "format"),
        (lambda text: text[: len(text) // 2], "not-toml"),
        (lambda text: text.replace("scheme = 1", 'scheme = "one"'), "bad-data"),
        (lambda text: text.replace("[dice]", "[dize]"), "bad-data"),
    ],
)
def test_a_damaged_game_toml_is_named(duel: Path, damage: Callable[[str], str], code: str) -> None:
    path = duel / "game.toml"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    with pytest.raises(GameError) as error, opened(duel):
        pass
    assert {fault.code for fault in error.value.faults} == {code}
    assert all(fault.file.endswith("game.toml") for fault in error.value.faults)


def test_the_umpire_may_set_units_down_elsewhere_and_the_log_says_so(at_break: GameFolder) -> None:
    assert reposition(at_break, {"Destruction": "1010C"}, source="table.vsav") == 1
    before = at_break.records()[-1]
    assert (before.only, before.shown) == ("", None)
    assert at_break.state().units["Destruction"].at == "1010C"
    assert "1010C" in (at_break.path / "01/r3/federation/sitrep.txt").read_text(encoding="utf-8")
    assert verify(at_break).faults == ()
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    assert verify(at_break).faults == ()


@pytest.mark.parametrize("at", ["9999A", "1010", "1010G", "0000A"])
def test_nobody_is_set_down_off_the_map(at_break: GameFolder, duel: Path, snapshot: Snapshot, at: str) -> None:
    before = snapshot(duel)
    with pytest.raises(GameError, match="bad-position"):
        reposition(at_break, {"Destruction": at, "Constellation": "1111A"})
    assert snapshot(duel) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("01/events.jsonl", b"\n", b"\n\n", "log-damaged"),
        ("01/events.jsonl", b'{"n":', b'{"more":1,"n":', "log-damaged"),
        ("01/events.jsonl", b'"event":{', b'"event": {', "log-damaged"),
        ("01/events.jsonl", b'"turn":1', b'"turn":1,"why":"x"', "log-damaged"),
        ("game.toml", b'name = "duel"', b'name = "duel"  # mine', "terms-changed"),
        ("game.toml", b"[dice]", b"[dice]\nlucky = true", "terms-changed"),
        ("game.toml", b"[options]", b"[extra]\nx = 1\n\n[options]", "terms-changed"),
    ],
)
def test_verify_finds_what_nobody_reads(
    at_break: GameFolder, duel: Path, file: str, old: bytes, new: bytes, code: str
) -> None:
    path = duel / file
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with opened(duel) as game:
        [fault] = verify(game).record
        assert (fault.code, fault.file) == (code, file) and fault.line


def test_a_game_toml_that_windows_ends_its_lines_in_is_no_other(at_break: GameFolder, duel: Path) -> None:
    path = duel / "game.toml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with opened(duel) as game:
        assert verify(game).record == ()


def test_verify_finds_records_that_stand_in_another_order(at_break: GameFolder, duel: Path) -> None:
    path = duel / "01/events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3], lines[4] = lines[4], lines[3]
    path.write_bytes(b"".join(lines))
    with opened(duel) as game:
        assert [(fault.code, fault.line) for fault in verify(game).record] == [("log-damaged", 4)]
