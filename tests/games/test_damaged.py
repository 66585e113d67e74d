"""What is told of a game whose files somebody changed, and of calls that cannot be: each fault whole, with its file and
line, as it stands in ``damaged.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.create import new, play_demo
from pbem.games.preview import odds_of
from pbem.games.proof.archive import archive
from pbem.games.proof.beacon import GivenValue, Sealing, round_time, seal
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.proof.verify_game import verify
from pbem.games.site import _write, site_settings, write_site
from pbem.games.storage import folder as lock
from pbem.games.storage.files import decode_orders, read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import players
from pbem.games.storage.publish import find_report
from pbem.games.storage.terms import (
    bring_figures,
    bring_scenario,
    bring_ship,
    read_options,
    verify_autobreaks,
    verify_beacon,
    verify_name,
)
from pbem.games.submit import _verify_open
from pbem.games.umpire.decree import reposition
from pbem.games.umpire.rerun import clone, rerun
from pbem.games.umpire.undo import undo
from pbem.games.vassal_files import game_binding, with_plots

DATA = Path(__file__).resolve().parents[2] / "pbem" / "data"
NOON, SECOND = datetime(2027, 3, 1, 12, 0, tzinfo=UTC), timedelta(seconds=1)
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
Keep = Callable[[str, str], None]
Change = tuple[str, bytes, bytes] | tuple[str, bytes | None]
"""A file with what stands in it and what comes in its place; or a file with all that it has then, ``None`` for none."""

LONG = b'{"' + b"x" * 90 + b'":null'
ACT = b'{"format":1,"what":"undo","after":3,"records":{},"orders":{}}'
DAMAGES: dict[str, tuple[Change, ...]] = {
    "nothing": (),
    "a record is written with more room": (("01/events.jsonl", b'"event":{', b'"event": {'),),
    "lines beyond the last record": (("01/events.jsonl", b"\n\x00", b"\n\n\n"),),
    "a record says more": (("01/events.jsonl", b'"turn":1', b'"turn":1,"why":"x"'),),
    "a record is gone": (("01/events.jsonl", b'{"n":13,', b'{"n":99,'),),
    "a record stands twice": (("01/events.jsonl", b'{"n":13,', b'{"n":12,'),),
    "a record is of another day": (("01/events.jsonl", b'"speed":12', b'"speed":11'),),
    "the log of the set-up is empty": (("00/events.jsonl", b""),),
    "the log of the turn is empty": (("01/events.jsonl", b""),),
    "the log of the turn is gone": (("01/events.jsonl", None),),
    "the log is no text": (("01/events.jsonl", b"\xff\xfe"),),
    "nothing but terms is left": (
        ("00/events.jsonl", None), ("00/state.json", None), ("01/events.jsonl", None), ("01/state.json", None),
    ),
    "a comment in the terms": (("game.toml", b'name = "duel"', b'name = "duel"  # mine'),),
    "one more option": (("game.toml", b"[dice]", b"[dice]\nlucky = true"),),
    "a long line in the terms": (("game.toml", b"[dice]", b"[dice]\nx = '" + b"y" * 80 + b"'"),),
    "a side that is none": (
        ("game.toml", b"[sides.klingon]", b"[sides.Z]\nplayer = 'x'\n\n[sides.A]\nplayer = 'x'\n\n[sides.klingon]"),
    ),
    "another format": (("game.toml", b"format = 1", b"format = 2"),),
    "terms that are no text": (("game.toml", b"\xff"),),
    "terms that are no TOML": (("game.toml", b"format = "),),
    "another commitment": (("game.toml", b'commitment = "', b'commitment = "7'),),
    "another scheme": (("game.toml", b"scheme = 1", b"scheme = 9"),),
    "the first scheme with salts": (("game.toml", b"scheme = 1", b"scheme = 1\nsalts = '77'"),),
    "the first scheme with a beacon": (("game.toml", b"scheme = 1", b"scheme = 1\nbeacon = 'drand'"),),
    "another length": (("game.toml", b"length = 4096", b"length = 4095"),),
    "no secret": (("secret/dice.secret", None),),
    "no hex in the secret": (("secret/dice.secret", b"x\n"),),
    "no letters in the secret": (("secret/dice.secret", b"\xff\n"),),
    "another secret": (("secret/dice.secret", b"00" * 32),),
    "no state files": (("00/state.json", None), ("01/state.json", None)),
    "a state file that is no state": (("01/state.json", b"{"),),
    "an older state file that is no state": (("00/state.json", b"{"),),
    "other state files": (("00/state.json", b'"cadet"', b'"standard"'), ("01/state.json", b'"cadet"', b'"standard"')),
    "a state of records to come": (("00/state.json", b'"records": ', b'"records": 9'),),
    "a present state of records to come": (("01/state.json", b'"records": ', b'"records": 9'),),
    "no order files": (("01/orders/klingon.r1.orders", None), ("01/orders/federation.r2.orders", None)),
    "orders changed": (("01/orders/klingon.r1.orders", b"SPEED 14", b"SPEED 13"),),
    "all is kept in an earlier version": (
        ("01/orders/klingon.r1.orders", None), ("01/orders/klingon.r1.v1.orders", b"="),
    ),
    "no report to the umpire": (("01/r3/umpire/sitrep.txt", None),),
    "an act that is no act": (("unfinished.json", b"{"),),
    "an act of another format": (("unfinished.json", ACT.replace(b'"format":1', b'"format":2')),),
    "an act on a file elsewhere": (("unfinished.json", ACT.replace(b'"orders":{', b'"orders":{"../x":null')),),
    "an act on a folder elsewhere": (("unfinished.json", ACT.replace(b'"records":{', b'"records":{"1":[]')),),
    "an act on a file with a long name": (("unfinished.json", ACT.replace(b'"orders":{', b'"orders":' + LONG)),),
    "an empty log of a turn that is not there": (("02/events.jsonl", b""),),
    "a folder that is no turn's": (("0002/events.jsonl", b"x"),),
    "figures the game was not begun with": (("figures/ships.toml", b"[ships.fed_cadet_ca]\nmovement_cost = 1.0\n"),),
    "players that cannot be read": (("secret/players.json", b"[]"),),
}  # fmt: skip


def test_every_damage_is_told_with_its_place(at_break: GameFolder, duel: Path, as_kept: Keep) -> None:
    """Each is done to the same game, and mended again."""
    told = ["# A game that was played to a break, with its files changed: what verify, or the opening, tells of it."]
    for title, changes in DAMAGES.items():
        told += ["", f"=== {title}", *damaged(duel, changes)]
    as_kept("damaged.txt", "\n".join(told) + "\n")


def damaged(folder: Path, changes: tuple[Change, ...]) -> list[str]:
    whole = {folder / change[0]: _read(folder / change[0]) for change in changes}
    for name, *how in changes:
        old, data = folder / name, how[-1]
        if data == b"=":  # the same under another name
            data = whole[folder / changes[0][0]]
        elif len(how) == 2 and how[0] and data is not None:
            before = old.read_bytes()
            at_end = how[0].endswith(b"\x00")
            data = before + b"\n\n" if at_end else before.replace(how[0], data, 1)
            assert data != before, name
        _put(old, data)
    try:
        return list(found_in(folder))
    finally:
        for path, data in whole.items():
            _put(path, data)
        for name in ("figures", "02", "0002"):
            if (folder / name).is_dir():
                (folder / name).rmdir()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def found_in(folder: Path) -> Iterator[str]:
    try:
        with opened(folder) as game:
            players(folder, game.terms)
            find_report(game, "klingon")
            found = verify(game)
    except GameError as error:
        yield from ("refused: " + plain(str(fault), folder.parent) for fault in error.faults)
        return
    assert found.faults == (*found.record, *found.derived) and not found.repaired
    yield f"{found.records} records, {found.segments} segments, {found.dice} dice"
    yield from (plain(str(fault), folder.parent) for fault in found.record)
    yield from ("derived: " + plain(str(fault), folder.parent) for fault in found.derived)


def plain(text: str, folder: Path) -> str:
    """Without the folder of the test and what libraries say in their own words."""
    text = text.replace(str(folder), "DIR").replace("\\", "/")
    return re.sub(r"(valid TOML|cannot be read|are damaged|cannot be read \().*", r"\1 …", text)


def refused(call: Callable[[], object]) -> list[str]:
    with pytest.raises(GameError) as error:
        call()
    return [str(fault) for fault in error.value.faults]


def test_every_refusal_names_what_it_is_about(at_break: GameFolder, duel: Path, tmp_path: Path, as_kept: Keep) -> None:
    here = tmp_path
    (here / "file").write_bytes(b"x")
    (here / "empty").mkdir()
    (here / "home").mkdir()
    (here / "home/index.html").write_bytes(b"mine")
    (here / "listed").mkdir()
    (here / "listed/site.json").write_bytes(b"{}")
    for name, data in {"two": b"format = 2\n", "no": b"format = \n", "odd": b"\xff\n"}.items():
        (here / name).mkdir()
        (here / name / "site.toml").write_bytes(data)

    def at(path: Path) -> object:
        with opened(path) as game:
            return game

    def busy(holder: bytes | None) -> object:
        with lock.locked(duel, "play"):
            _put(duel / "secret/holder.lock", holder)
            with lock.locked(duel, "status", patience=0.0):
                raise AssertionError("two at once")

    def nothing_played() -> object:
        new("5", here / "fresh", players=PLAYERS, seed="x")
        with opened(here / "fresh") as game:
            return undo(game, reason="x")

    calls: dict[str, Callable[[], object]] = {
        "open no folder": lambda: at(here / "none"),
        "open a file": lambda: at(here / "file"),
        "open a folder that is no game": lambda: at(here / "empty"),
        "a game at which another is at work": lambda: busy(b"`pbem play` (process 7)\n"),
        "a game at which somebody is at work": lambda: busy(None),
        "a game at which nobody says who is at work": lambda: busy(b"\xff"),
        "a mark of another format": lambda: site_settings(here / "two"),
        "a mark that is no TOML": lambda: site_settings(here / "no"),
        "a mark that is no text": lambda: site_settings(here / "odd"),
        "a site in its game": lambda: write_site(duel, duel / "site"),
        "a site as its game": lambda: write_site(duel, duel),
        "a site in a file": lambda: write_site(duel, here / "file"),
        "a site over a page": lambda: _write(here / "home", {"index.html": b"new"}, {}),
        "a site with a list that is none": lambda: _write(here / "listed", {}, {}),
        "figures from nowhere": lambda: bring_figures(here / "none", duel),
        "a ship from nowhere": lambda: bring_ship(str(here / "none.toml"), duel),
        "a report of a turn to come": lambda: find_report(at_break, "klingon", turn=2),
        "a repetition for no reason": lambda: rerun(at_break, turn=1, request=1, accept=True),
        "a repetition with orders to nothing": lambda: rerun(at_break, files=[("k.txt", "SPEED 3\n")]),
        "a repetition with orders to a turn": lambda: rerun(at_break, files=[("k.txt", "GAME duel TURN 1\n")]),
        "a repetition of what was not played": lambda: rerun(at_break, turn=1, request=9),
        "a repetition of what was not played, in the last turn": lambda: rerun(at_break, request=9),
        "a repetition of another turn's first request": lambda: rerun(at_break, turn=9),
        "taking back where nothing was played": nothing_played,
        "taking back what was not played": lambda: undo(at_break, turn=4, request=1, reason="x"),
        "an archive of a game that goes on": lambda: archive(at_break),
        "an archive that is none": lambda: verify_archive(here / "file"),
        "letters from nowhere": lambda: verify_archive(here / "file", here / "none"),
        "setting down what is not there": lambda: reposition(at_break, {"Bismarck": "1010A"}, source="t.vsav"),
        "setting down off the map": lambda: reposition(at_break, {"Destruction": "9999A"}, source="t.vsav"),
        "setting down at no hex": lambda: reposition(at_break, {"Destruction": "ABCDA"}, source="t.vsav"),
        "setting down a facing that is none": lambda: reposition(at_break, {"Destruction": "1010G"}, source="t.vsav"),
        "setting down without a facing": lambda: reposition(at_break, {"Destruction": "1010"}, source="t.vsav"),
        "a clone of its own name": lambda: clone(at_break, here / "x", name="DUEL"),
        "a clone over something": lambda: clone(at_break, here / "empty"),
        "a clone with a name that cannot be": lambda: clone(at_break, here / "a b"),
        "a plot of who is not asked": lambda: with_plots(at_break, "federation", {}),
        "a plot in orders that cannot be read": lambda: with_plots(at_break, "klingon", {}, "SHIP x\nFLY\n"),
        "the odds of nobody": lambda: odds_of(at_break, "GAME duel TURN 1 SIDE gorn REPLY 1\nEND\n", "k.txt"),
        "the odds of what cannot be read": lambda: odds_of(at_break, "GAME duel\nSHIP x\nFLY\nEND\n", "k.txt"),
        "an example where something is": lambda: play_demo(here / "home"),
        "an example in a file": lambda: play_demo(here / "file"),
        "a vassal.toml that is no text": lambda: game_binding(here / "odd"),
        "a beacon where the dice take none": lambda: GivenValue(at_break, lambda: NOON, "a" * 64),
        "a beacon that is none": lambda: GivenValue(at_break, lambda: NOON, "x" * 120),
        "a beacon for orders that are not sealed": lambda: GivenValue(beacons(), lambda: NOON, "a" * 96),
        "a beacon for another round": lambda: GivenValue(beacons(7), lambda: NOON, "a" * 64, 8),
        "a beacon before its round": lambda: GivenValue(beacons(7), lambda: round_time(7) - SECOND, "a" * 64, 7),
        "orders that are sealed": lambda: _verify_open(beacons(7), "k.txt"),
        "sealing without a beacon": lambda: seal(beacons(), {}, None),
        "sealing other orders": lambda: seal(beacons(7), {"klingon": "x"}, None),
        "a name of 61 letters": lambda: verify_name("x" * 61, "t.toml"),
        "a beacon of another name": lambda: verify_beacon("dice", "t.toml"),
        "a scenario's ship under another name": lambda: bring_scenario(str(here / "own.toml"), here / "empty"),
        "a scenario that is there": lambda: bring_scenario(str(here / "5.toml"), here / "empty"),
        "a scenario with a name that cannot be": lambda: bring_scenario(str(here / "Big.toml"), here / "empty"),
        "an option that is none": lambda: read_options({"luck": "yes", "reveal": "perhaps", "sideslip": "maybe"}),
        "breaks for nobody": lambda: verify_autobreaks(read_options({"autobreaks": "gorn: ANY FIRES"}), ["klingon"]),
        "an order file that is a folder": lambda: read_order_file(here / "empty", "k.txt"),
        "an order file that is not there": lambda: read_order_file(here / "none", "k.txt"),
        "an order file that is no text": lambda: decode_orders(b"PK\x03\x04\x00\x00", "k.txt"),
        "an order file with a sign of nothing": lambda: decode_orders("GAME\0".encode("utf-16"), "k.txt"),
        "a new game over another": lambda: new("5", duel, players=PLAYERS, seed="x"),
        "a new game with a team for nobody": lambda: new("5", here / "new", players=PLAYERS, teams={"x": "klingon"}),
        "a new game in a file": lambda: new("5", here / "file", players=PLAYERS, seed="x"),
    }  # fmt: skip
    plain_5 = (DATA / "scenarios/5.toml").read_text(encoding="utf-8")
    for name in ("5", "Big", "own"):
        setting = plain_5.replace('"kli_cadet_d6"', '"other.toml"') if name == "own" else plain_5
        (here / f"{name}.toml").write_text(setting, encoding="utf-8")
    ship = (DATA / "ships/cadet/kli_cadet_d6.toml").read_text(encoding="utf-8")
    (here / "other.toml").write_text(ship.replace('key = "kli_cadet_d6"', 'key = "my_d6"'), encoding="utf-8")
    (here / "odd" / "vassal.toml").write_bytes(b"\xff")
    sealed = Sealing(segment=at_break.state().segment + 1, turn=1, request=3, round=7, seals={"klingon": "7" * 64})

    def beacons(sealed_for: int = 0) -> GameFolder:
        """The same game as if its dice took a beacon, and perhaps its orders were sealed."""
        terms = msgspec.structs.replace(
            at_break.terms, dice=msgspec.structs.replace(at_break.terms.dice, beacon="drand")
        )
        file = duel / "01" / "sealed.r3.json"
        _put(file, msgspec.json.encode(sealed) if sealed_for else None)
        game = GameFolder(duel, terms, at_break.dice())
        return game

    told = ["# What cannot be, as it is told."]
    for title, call in calls.items():
        told += ["", f"=== {title}", *(plain(text, here) for text in refused(call))]
    as_kept("refused.txt", "\n".join(told) + "\n")
