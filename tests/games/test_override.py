"""The umpire's rulings: what they change, who is told, and that the record still replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.engine.dice import ScriptedDice
from pbem.engine.events import Ruled
from pbem.engine.play.resolution import Resolution
from pbem.engine.rulings import Value, canonical, present, read_value, set_path
from pbem.engine.state import Seeker, Ship
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.status import status
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.decree import Decree, override, write
from pbem.games.umpire.undo import undo
from pbem.lab.random_games.play import deal, opening as opening_of, stretches

pytestmark = pytest.mark.usefixtures("pages")

Send = Callable[..., Receipt]
Snapshot = Callable[[Path], dict[str, bytes]]
CONTINUE = "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n"
WHY = "A volley was counted twice"


def rule(game: GameFolder, *changes: str, **more: Any) -> None:
    override(game, Decree(changes=changes, reason=WHY, **more))


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameFolder]:
    """A new duel that nobody changes."""
    folder = tmp_path_factory.mktemp("opening") / "duel"
    new("5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="desk tests")
    with opened(folder) as game:
        yield game


def decreed(game: GameFolder, decree: Decree) -> Resolution:
    """What a decree would write, in memory."""
    table = Resolution(game.state(), game.scenario(), ScriptedDice(), {})
    write(table, decree, game.effective())
    return table


def ship(game: GameFolder, name: str) -> Ship:
    found = game.state().units[name]
    assert isinstance(found, Ship)
    return found


def sitrep(game: GameFolder, side: str) -> str:
    request = game.state().request
    assert request is not None
    return (game.request_folder(request.turn, request.number) / side / "sitrep.txt").read_text(encoding="utf-8")


def flat(text: str) -> str:
    return " ".join(text.split())


# --- units -----------------------------------------------------------------------------------------------------------


def test_a_ruling_is_told_to_all_and_play_goes_on_from_it(at_break: GameFolder) -> None:
    rule(at_break, "SHIP Constellation shield #3 = 7", "destruction hull=2")
    assert ship(at_break, "Constellation").shields[2] == 7
    assert ship(at_break, "Destruction").boxes["hull"] == 2
    for side in ("federation", "klingon", "umpire"):
        told = flat(sitrep(at_break, side))
        assert f"shield 3 of Constellation is 7 (was 10): {WHY}." in told
        assert f"hull of Destruction is 2 (was 4): {WHY}." in told
    assert verify(at_break).faults == ()
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    told = sitrep(at_break, "federation")
    assert "shield 3 of Constellation is 7" in flat(told), "the next sitrep tells it too, of the turn"
    assert flat(told).count("shield 3 of Constellation is 7") == 1 and "* The umpire rules" not in told, "it is no news"
    assert verify(at_break).faults == ()


def test_what_only_the_owner_may_know_is_told_to_him_alone(at_break: GameFolder) -> None:
    rule(at_break, "Constellation photon B = armed")
    assert ship(at_break, "Constellation").weapons["PHOT B"].charge == "armed"
    record = at_break.records()[-1]
    assert (record.only, record.shown) == ("federation", Ruled(unit="Constellation", **_moment(record.event)))
    folder = at_break.path / "01/r3"
    assert f"PHOT B of Constellation is armed (was unarmed): {WHY}." in flat(sitrep(at_break, "federation"))
    assert "The umpire made a ruling about Constellation." in flat(sitrep(at_break, "klingon"))
    for file in (folder / "klingon").iterdir():
        text = file.read_text(encoding="utf-8")
        assert WHY not in text and "PHOT B of Constellation is" not in text, file
    # The owner's own page and the umpire's do hold it, so the test above looks for what is there to be found.
    assert WHY in (folder / "federation" / "sitrep.html").read_text(encoding="utf-8")


def test_a_game_that_is_ended_before_a_turn_begins_ends_at_that_turn(after_turn_1: GameFolder) -> None:
    override(after_turn_1, Decree(result={"federation": "won", "klingon": "lost"}, reason=WHY))
    mail = (after_turn_1.path / "02/final/federation/mail.eml").read_text(encoding="utf-8")
    assert "Subject: duel 2.0" in mail and status(after_turn_1).turn == 2


def _moment(event: object) -> dict[str, Any]:
    return {name: getattr(event, name) for name in ("turn", "impulse", "step")}


def test_what_is_hidden_may_be_made_public(at_break: GameFolder) -> None:
    rule(at_break, "Constellation photon B = armed", public=True)
    assert "PHOT B of Constellation is armed" in flat(sitrep(at_break, "klingon"))


@pytest.mark.parametrize(
    ("change", "only"),
    [
        ("Destruction capacitor = 1", "klingon"), ("Destruction batteries = 1", "klingon"),
        ("Destruction drone 1 = 1", "klingon"), ("Destruction suicide A = armed", "klingon"),
        ("Destruction shield 1 = 3", ""), ("Destruction disr A = destroyed", ""), ("Destruction warp left = 1", ""),
        ("Destruction speed = 7", ""), ("Destruction parties = 3", ""), ("Destruction facing = A", ""),
        ("Destruction fired PH 1 = 0.1", ""),
    ],
)  # fmt: skip
def test_energy_arming_and_ammunition_are_the_owners_and_the_display_is_everybodys(
    opening: GameFolder, change: str, only: str
) -> None:
    table = decreed(opening, Decree(changes=(change,), reason=WHY))
    assert [record.only for record in table.records] == [only]
    assert table.state != opening.state()


OF_THIS_TURN = (
    "general = 2",
    "reinforcement 1 = 2",
    "disr A = unarmed",
    "disr A = powered",
    "prior speed = 4",
    "lock on = no",
)
"""Changes of what a turn that begins sets anew."""


@pytest.mark.parametrize("change", OF_THIS_TURN[:3])
def test_what_the_energy_of_a_turn_makes_is_its_owners_too(at_break: GameFolder, change: str) -> None:
    table = decreed(at_break, Decree(changes=(f"Destruction {change}",), reason=WHY))
    assert [record.only for record in table.records] == ["klingon"]


@pytest.mark.parametrize("change", [each for each in OF_THIS_TURN if "unarmed" not in each])
def test_nothing_is_ruled_that_the_turn_about_to_begin_would_undo(opening: GameFolder, change: str) -> None:
    with pytest.raises(GameError) as refused:
        decreed(opening, Decree(changes=(f"Destruction {change}",), reason=WHY))
    [fault] = refused.value.faults
    assert fault.code == "bad-ruling"
    assert ("speed = 4" if change.startswith("prior") else "would not last") in fault.text


def test_a_lost_weapon_does_not_tell_what_it_was_armed_with(at_break: GameFolder) -> None:
    assert ship(at_break, "Destruction").weapons["DISR A"].charge == "powered"
    rule(at_break, "Destruction disr A = destroyed")
    assert "DISR A of Destruction is destroyed (was working)" in flat(sitrep(at_break, "federation"))


PATHS: dict[str, Value] = {
    "shield 3": 7, "warp left": 3, "capacitor": 1.5, "batteries": 1, "general": 2, "reinforcement 2": 3, "speed": 9,
    "prior speed": 4, "since turn": 1, "since slip": 2, "parties": 5, "taken": 1, "boarders klingon": 2,
    "passengers": 1, "lock on": False, "mutiny": "put down", "captured from": "klingon", "fired PH 1": "1.2",
    "lowered #3": "1.2", "bay used": "1.1", "PHOT A": "armed", "PHOT B": "destroyed", "PH 1": "destroyed",
    "side": "klingon", "gone": "disengaged", "suicide A": "armed", "holds A": "Destruction",
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_what_is_set_is_what_is_found(opening: GameFolder, path: str) -> None:
    state = opening.state()
    after = set_path(state, "Constellation", path, PATHS[path])
    assert present(after, after.units["Constellation"], path, PATHS[path]) == PATHS[path]
    assert after != state


@pytest.mark.parametrize(
    ("typed", "path"),
    [("Shield #3", "shield 3"), ("photon a", "PHOT A"), ("ph 1", "PH 1"), ("PHASER 2", "PH 2"), ("Warp  Left",
     "warp left"), ("fired Phot b", "fired PHOT B"), ("suicide a", "suicide A"), ("Lock On", "lock on")],
)  # fmt: skip
def test_paths_are_read_as_players_write_them(opening: GameFolder, typed: str, path: str) -> None:
    assert canonical(opening.state().units["Constellation"], typed) == path


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [("shield 1", " 12 ", 12), ("capacitor", "1.5", 1.5), ("fired PH 1", "1.5", "1.5"), ("hex", "0812", "0812"),
     ("PHOT A", "Armed", "armed"), ("lock on", "no", False), ("gone", "none", ""), ("target", '"War Eagle"',
     "War Eagle")],
)  # fmt: skip
def test_values_are_read_for_their_path(path: str, text: str, value: object) -> None:
    assert read_value(path, text) == value


def test_with_a_ship_goes_what_it_guided_and_what_was_asked_of_its_side(game: GameFolder, send: Send) -> None:
    rule(game, "Destruction gone = disengaged")
    assert status(game).owing == ("federation",)
    assert verify(game).faults == ()
    rule(game, "Destruction gone = none")
    assert status(game).owing == ("federation", "klingon")
    send("federation")
    send("klingon")
    resolve_game(game)
    assert verify(game).faults == ()


def test_drones_lose_their_guidance_with_a_ship_that_is_ruled_out_of_play(game: GameFolder, send: Send) -> None:
    send("federation")
    send("klingon")
    resolve_game(game)
    launch = "SHIP Destruction\nPLOT TOWARD Constellation\nDO\n  LAUNCH DRONE 1 AT Constellation\nBREAK\n  IMPULSE 2\n"
    send("federation")
    send("klingon", body=launch)
    resolve_game(game)
    [drone] = [unit.name for unit in game.state().units.values() if isinstance(unit, Seeker)]
    rule(game, "Destruction gone = destroyed")
    assert game.state().units[drone].gone == "removed"
    assert verify(game).faults == ()
    # What is written behind a ruling and does not follow from it is found.
    file = game.log_file(1)
    *lines, last = file.read_bytes().splitlines(keepends=True)
    assert drone.encode() in last
    file.write_bytes(b"".join(lines) + last.replace(b'"how":"removed"', b'"how":"captured"'))
    with opened(game.path) as folder:
        assert [fault.code for fault in verify(folder).record] == ["replay-differs"]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ("Constellation shield 3", "expected", "write a change like"),
        ("shield 3 = 4", "unknown-unit", "in play are Constellation, Destruction"),
        ("Constellation shield 3 = 11", "bad-ruling", "must be 10 or less"),
        ("Constellation shield 7 = 1", "bad-ruling", "shield 7"),
        ("Constellation shield 3 = -1", "bad-ruling", "whole number"),
        ("Constellation shield 3 = 10", "no-change", "is already 10"),
        ("Constellation photon Z = armed", "bad-ruling", "It has"),
        ("Constellation PH 1 = armed", "bad-ruling", "destroyed, working"),
        ("Destruction drone 1 = 99", "bad-ruling", "must be 4 or less"),
        ("Constellation batteries = 9", "bad-ruling", "must be 2 or less"),
        ("Constellation capacitor = 90", "bad-ruling", "H6.0"),
        ("Constellation speed = 99", "bad-ruling", "C1.42"),
        ("Constellation at = 9999A", "bad-position", "write a hex from"),
        ("Constellation at = 0101", "bad-position", "a facing A to F"),
        ("Constellation gone = exploded", "bad-ruling", "disengaged"),
        ("Constellation side = romulan", "bad-ruling", "the sides are"),
        ("Constellation fired PH 1 = 3", "bad-ruling", "turn and impulse"),
        ("Constellation fired PH 1 = 1.5", "bad-ruling", "the game is only at"),
        ("Constellation hangar = XY", "bad-ruling", "has no shuttle X"),
        ("Constellation holds A = Destruction", "bad-ruling", "G7.3"),
        ("Constellation boarders federation = 2", "bad-ruling", "D7.0"),
        ("Constellation captured from = orion", "bad-ruling", "the sides are"),
    ],
)
def test_what_cannot_be_ruled_is_said(opening: GameFolder, change: str, code: str, words: str) -> None:
    with pytest.raises(GameError) as error:
        decreed(opening, Decree(changes=(change, "Destruction shield 1 = 3"), reason=WHY))
    assert [fault.code for fault in error.value.faults] == [code]
    assert words in str(error.value)


def test_what_cannot_be_ruled_changes_nothing(game: GameFolder, duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    with pytest.raises(GameError) as error:
        rule(game, "Constellation shield 3 = 7", "Constellation shield 7 = 1", "Destruction foo = 1")
    assert [fault.code for fault in error.value.faults] == ["bad-ruling", "bad-ruling"]
    assert snapshot(duel) == before


@pytest.mark.parametrize(
    ("decree", "code"),
    [
        (Decree(), "nothing-decreed"),
        (Decree(changes=("Constellation shield 3 = 1",)), "no-reason"),
        (Decree(options={"sideslip": "no"}, reason="x" * 1001), "too-long"),
        (Decree(options={"sideslip": "perhaps"}, reason=WHY), "option"),
        (Decree(options={"capacitor": "full"}, reason=WHY), "option"),
        (Decree(options={"sideslip": "yes"}, reason=WHY), "no-change"),
        (Decree(options={"autobreaks": "romulan: ANY FIRES"}, reason=WHY), "option"),
        (Decree(ruling="No ramming", to="romulan"), "unknown-side"),
        (Decree(changes=("Constellation shield 3 = 1",), to="klingon", reason=WHY), "to-whom"),
        (Decree(withdraw=1, reason=WHY), "no-such-ruling"),
        (Decree(result={"klingon": "victory"}, reason=WHY), "result"),
        (Decree(result={"klingon": "victory", "federation": "defeat", "orion": "draw"}, reason=WHY), "result"),
        (Decree(reopen=True, reason=WHY), "not-over"),
    ],
)
def test_a_decree_that_makes_no_sense_is_refused(opening: GameFolder, decree: Decree, code: str) -> None:
    with pytest.raises(GameError) as error:
        decreed(opening, decree)
    assert [fault.code for fault in error.value.faults] == [code]


def test_answers_a_ruling_makes_illegal_are_laid_aside(game: GameFolder, send: Send, duel: Path) -> None:
    send("federation")
    send("klingon")
    done = override(game, Decree(changes=("Constellation photon A = destroyed",), reason=WHY))
    assert done.laid_aside == ("01/orders/federation.r1.v1.orders",)
    assert done.faults
    assert status(game).owing == ("federation",)
    assert (duel / "01/orders/klingon.r1.orders").is_file()


# --- options and house rules -----------------------------------------------------------------------------------------


def test_an_option_holds_from_now_on_and_the_request_follows_it(game: GameFolder, send: Send, duel: Path) -> None:
    send("klingon")
    done = override(game, Decree(options={"reveal": "none"}, reason="one mail a turn will do"))
    assert done.asked is not None and (done.asked.form, done.asked.through) == ("FULL", 16)
    assert "FORM EAF" not in (duel / "01/r1/klingon/orders.draft").read_text(encoding="utf-8")
    for side in ("federation", "klingon"):
        send(side, "FULL")
    resolve_game(game)
    request = game.state().request
    assert request is not None and request.impulse > 0
    assert verify(game).faults == ()
    assert "option reveal = none (since" in sitrep(game, "federation")


def test_an_option_that_is_changed_is_obeyed_by_the_check(at_break: GameFolder) -> None:
    slip = "GAME duel TURN 1 SIDE klingon REPLY 3\nSHIP Destruction\nPLOT SL F F F\nEND\n"
    submit(at_break, slip, "before.txt")
    override(at_break, Decree(options={"sideslip": "no"}, reason=WHY))
    assert status(at_break).owing == ("klingon",)
    with pytest.raises(GameError, match="C4"):
        submit(at_break, slip, "after.txt")


def test_a_house_rule_stands_in_every_sitrep_until_it_is_withdrawn(at_break: GameFolder) -> None:
    override(at_break, Decree(ruling="Nobody rams anybody."))
    override(at_break, Decree(ruling="Write sooner", to="klingon"))
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    for side in ("federation", "klingon", "umpire"):
        assert "1. Nobody rams anybody (since" in sitrep(at_break, side)
        assert ("Write sooner" in sitrep(at_break, side)) == (side != "federation")
    override(at_break, Decree(withdraw=1, reason="it went without saying"))
    told = flat(sitrep(at_break, "federation"))
    assert "--- HOUSE RULES" not in told
    assert "House rule 1 no longer stands (Nobody rams anybody): it went without saying." in told
    assert verify(at_break).faults == ()


def test_house_rules_outlast_an_undo(at_break: GameFolder) -> None:
    override(at_break, Decree(ruling="First"))
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    override(at_break, Decree(ruling="Second"))
    override(at_break, Decree(withdraw=1, reason=WHY))
    undo(at_break, turn=1, request=2)
    told = sitrep(at_break, "klingon")
    assert "2. Second" in told and "1. First" not in told
    assert verify(at_break).faults == ()


# --- the end ---------------------------------------------------------------------------------------------------------


def test_the_umpire_may_end_a_game_and_let_it_go_on(at_break: GameFolder, duel: Path) -> None:
    whole = (duel / "01/events.jsonl").read_bytes()
    done = override(at_break, Decree(result={"federation": "draw", "klingon": "draw"}, reason="both agreed"))
    assert done.asked is None and at_break.state().over
    final = (duel / "01/final/klingon/sitrep.txt").read_text(encoding="utf-8")
    assert "klingon: draw: by ruling of the umpire: both agreed." in flat(final)
    assert [one.what for one in resolve_game(at_break)] == ["over"]
    assert verify(at_break).faults == ()
    with pytest.raises(GameError, match="game-over"):
        rule(at_break, "Constellation shield 3 = 7")
    override(at_break, Decree(reopen=True, reason="they think better of it"))
    assert status(at_break).owing == ("klingon",)
    assert not at_break.state().over
    assert not (duel / "01/final").exists()
    assert (duel / "01/events.jsonl").read_bytes().startswith(whole)
    submit(at_break, CONTINUE, "k3.txt")
    before = at_break.state().records
    resolve_game(at_break)
    assert at_break.state().records > before + 1, "play goes on"
    assert verify(at_break).faults == ()


# --- play goes on from anything --------------------------------------------------------------------------------------


def test_a_ship_may_be_given_to_a_side_that_was_never_asked() -> None:
    """Scenario #8: the defender has not come yet, so it has no orders in force."""
    begun = opening_of(deal("8-26"))
    [*_, last] = stretches(begun, turns=1)
    state = last.before
    table = Resolution(state, begun.setting, ScriptedDice(), {})
    write(table, Decree(changes=("Freighter D side = defender",), reason=WHY), begun.records)
    assert "defender" not in table.state.standing
    given = msgspec.structs.replace(begun, state=table.state)
    [*_, end] = stretches(given, turns=1)
    assert end.after.turn == 1 and end.after.units["Freighter D"].side == "defender"
