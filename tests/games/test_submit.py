"""Filing orders: receipts, versions, and everything a header or a form can get wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import Scenario
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.answers import Judged, answers, judge, judged_on
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.status import status
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, check, submit

Send = Callable[..., Receipt]
Orders = Callable[..., str]
Snapshot = Callable[[Path], dict[str, bytes]]


def faults_of(game: GameFolder, text: str) -> list[tuple[str, int, int]]:
    with pytest.raises(GameError) as error:
        submit(game, text, "mine.txt")
    assert all(fault.file == "mine.txt" for fault in error.value.faults)
    return [(fault.code, fault.line, fault.column) for fault in error.value.faults]


def test_a_receipt_tells_what_was_filed(game: GameFolder, send: Send, duel: Path) -> None:
    receipt = send("federation")
    filed = duel / receipt.file
    assert filed == duel / "01/orders/federation.r1.orders"
    assert receipt.sha256 == hashlib.sha256(filed.read_bytes()).hexdigest()
    assert (receipt.turn, receipt.request, receipt.version) == (1, 1, 1)
    assert "  PHOT A 2 WARP" in receipt.orders
    assert ("Constellation" in dict(receipt.balance)) and any(
        "MOVEMENT" in line for line in dict(receipt.balance)["Constellation"]
    )
    assert all(verdict in ("legal", "depends") for _, _, verdict, _ in receipt.lines)


def test_checking_files_nothing(game: GameFolder, orders: Orders, duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    assert check(game, orders("klingon", "EAF"), "k.txt").version == 0
    assert snapshot(duel) == before


def test_every_version_is_kept_and_the_last_one_counts(game: GameFolder, send: Send, duel: Path) -> None:
    first = "SHIP Constellation\nENERGY\n  SPEED 9\n"
    second = "SHIP Constellation\nENERGY\n  SPEED 10\n"
    assert [send("federation", body=first).version, send("federation", body=second).version] == [1, 2]
    assert send("federation").version == 3
    assert send("federation").again
    folder = duel / "01/orders"
    assert sorted(path.name for path in folder.iterdir()) == [
        "federation.r1.orders", "federation.r1.v1.orders", "federation.r1.v2.orders"
    ]  # fmt: skip
    assert "SPEED 9\n" in (folder / "federation.r1.v1.orders").read_text()
    assert "SPEED 12" in answers(game)[0]["federation"].text


def test_orders_found_legal_are_judged_again_where_anything_is_otherwise(
    game: GameFolder, orders: Orders, duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another text, another moment, a file of the game's own; not another name of the same file."""
    looks: list[str] = []

    def look(state: State, scenario: Scenario, text: str, file: str) -> Judged:
        looks.append(file)
        return judged_on(state, scenario, text, file)

    monkeypatch.setattr("pbem.games.answers._LEGAL", {})
    monkeypatch.setattr("pbem.games.answers.judged_on", look)
    text = orders("klingon", "EAF")
    assert judge(game, text, "a") == judge(game, text, "b") and looks == ["a"]
    assert judge(game, text + "# more\n", "c").text == judge(game, text, "d").text and looks == ["a", "c"]
    faulty = text.replace("SPEED 14", "SPEED 99")
    assert [{one.file for one in judge(game, faulty, name).faults} for name in "ef"] == [{"e"}, {"f"}]
    (duel / "ships").mkdir()
    (duel / "ships" / "mine.toml").write_text("")
    assert judge(game, text, "g") == judge(game, text, "h") and looks[2:] == [*"efgh"]
    (duel / "ships" / "mine.toml").unlink()
    now = game.state()
    game._state = replace(now, units={name: one for name, one in now.units.items() if one.side != "klingon"})
    assert judge(game, text, "i").faults and looks[-1] == "i"


def test_what_mail_does_to_a_file_is_undone(game: GameFolder, orders: Orders) -> None:
    text = orders("federation", "EAF").replace("\n", "\r\n").replace("  SPEED", "\u00a0\u00a0SPEED")
    mailed = "Hi, here they are!\n\n" + "".join(f"> {line}\n" for line in text.splitlines()) + "-- \nAnn\n"
    assert "SPEED 12" in submit(game, mailed, "mail.txt").orders


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("GAME other TURN 1 SIDE federation REPLY 1", ("wrong-game", 1, 1)),
        ("GAME duel TURN 2 SIDE federation REPLY 1", ("wrong-turn", 1, 11)),
        ("GAME duel TURN 1 SIDE romulan REPLY 1", ("wrong-side", 1, 18)),
        ("GAME duel TURN 1 SIDE federation REPLY 7", ("wrong-request", 1, 34)),
        ("GAME duel TURN 1 SIDE federation REPLY 1 FORM SOP", ("wrong-form", 1, 42)),
        ("GAME duel TURN 1 SIDE federation", ("header-incomplete", 1, 1)),
        ("GAME duel SIDE federation REPLY 1", ("header-incomplete", 1, 1)),
        ("GAME duel TURN 1 REPLY 1", ("header-incomplete", 1, 1)),
    ],
)
def test_a_header_that_does_not_fit_is_refused_at_its_place(
    game: GameFolder, duel: Path, snapshot: Snapshot, header: str, wanted: tuple[str, int, int]
) -> None:
    before = snapshot(duel)
    assert faults_of(game, f"{header}\nSHIP Constellation\nENERGY\nEND\n") == [wanted]
    assert snapshot(duel) == before


def test_the_header_may_be_written_in_any_letter_case(game: GameFolder) -> None:
    receipt = submit(game, "game DUEL turn 1 side Federation reply 1\nship constellation\nenergy\nend\n", "f.txt")
    assert receipt.side == "federation"
    assert receipt.orders.startswith("GAME duel TURN 1 SIDE federation REPLY 1")


def test_a_side_may_be_written_as_the_field_abbreviates_it(game: GameFolder) -> None:
    assert (
        submit(game, "GAME duel TURN 1 SIDE FED REPLY 1\nSHIP Constellation\nENERGY\nEND\n", "f.txt").side
        == "federation"
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "ship-missing"),
        ("SHIP Constellation\n", "energy-missing"),
        ("SHIP Destruction\nENERGY\n", "not-your-ship"),
        ("SHIP Destruction\nENERGY\n", "not-your-ship"),
        ("SHIP Constellation\nENERGY\n  SPEED 16\n  PHOT A 2 WARP\n  PHOT B 2 WARP\n", "warp-overspent"),
        ("SHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 99\n", "capacitor-full"),
        ("CONTINUE\n", "nothing-to-continue"),
        ("SHIP Constellation\nENERGY\n  SPEEED 12\n", "unknown-word"),
    ],
)
def test_a_form_that_is_not_legal_is_not_filed(
    game: GameFolder, orders: Orders, duel: Path, snapshot: Snapshot, body: str, code: str
) -> None:
    before = snapshot(duel)
    found = faults_of(game, f"GAME duel TURN 1 SIDE federation REPLY 1\n{body}END\n")
    assert code in [one[0] for one in found]
    assert snapshot(duel) == before


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "hello there\n", "END\n"])
def test_a_file_without_orders_is_refused(game: GameFolder, text: str) -> None:
    assert faults_of(game, text)


def test_every_faulty_line_is_told(game: GameFolder) -> None:
    lines = [line for _, line, _ in faults_of(
        game, "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEEED 12\n  PHOT Z 2 WARP\n"
    )]  # fmt: skip
    assert lines == [4, 5]


def test_a_full_file_sent_for_the_energy_form_answers_the_sop_request_too(
    game: GameFolder, send: Send, duel: Path
) -> None:
    send("federation", "FULL")
    send("klingon")
    resolve_game(game)
    state = game.state()
    assert state.request is not None and state.request.form == "SOP"
    found, _ = answers(game)
    assert [(side, one.from_form) for side, one in found.items()] == [("federation", True)]
    told = {side.side: (side.answered, side.version, side.file) for side in status(game).sides}
    assert told == {"federation": (True, 0, found["federation"].file), "klingon": (False, 0, "")}
    assert "ENERGY" not in found["federation"].text and "PLOT TOWARD Destruction" in found["federation"].text
    send("klingon")
    resolve_game(game)
    assert (duel / "01/orders/federation.r2.orders").is_file()


def test_another_file_takes_the_place_of_that_second_part(game: GameFolder, send: Send) -> None:
    send("federation", "FULL")
    send("klingon")
    resolve_game(game)
    send("federation", body="SHIP Constellation\nPLOT 3F\n")
    found, _ = answers(game)
    assert "PLOT 3F" in found["federation"].text and not found["federation"].from_form


def test_energy_is_not_allotted_twice(game: GameFolder, send: Send) -> None:
    send("federation")
    send("klingon")
    resolve_game(game)
    found = faults_of(game, "GAME duel TURN 1 SIDE federation REPLY 2\nSHIP Constellation\nENERGY\n  SPEED 9\nEND\n")
    assert [code for code, _, _ in found] == ["energy-fixed"]


def test_a_draft_sent_back_unchanged_says_that_no_energy_was_allotted(game: GameFolder, send: Send) -> None:
    assert send("klingon", body="SHIP Destruction\nENERGY\n").notes == (
        "Destruction: you allocated no energy: 20 points are unused",
    )
    assert not send("klingon", body="SHIP Destruction\nENERGY\n  SPEED 1\n").notes


def test_orders_for_two_ships_in_two_files_say_which_ship_has_none_now(tmp_path: Path) -> None:
    """The second file replaces the first whole."""
    path = tmp_path / "two"
    new("12", path, players={side: f"{side}@example.org" for side in ("federation", "klingon")}, name="two")
    with opened(path, lock="submit") as game:
        ships = sorted(unit.name for unit in game.state().in_play() if unit.side == "klingon")
        head = {side: f"GAME two TURN 1 SIDE {side} REPLY 1\n" for side in ("federation", "klingon")}
        for side, names in {
            "federation": [unit.name for unit in game.state().in_play() if unit.side == "federation"],
            "klingon": ships,
        }.items():
            submit(game, head[side] + "".join(f"SHIP {name}\nENERGY\n  SPEED 4\n" for name in names) + "END\n", "f")
        resolve_game(game)
        header = f"GAME two TURN 1 SIDE klingon REPLY {game.state().request.number}\n"  # type: ignore[union-attr]
        first = submit(game, f"{header}SHIP {ships[0]}\nPLOT 2F\nEND\n", "one.txt")
        assert not any("replaces it" in note for note in first.notes)
        for _ in range(2):  # the same file again is the same version
            second = submit(game, f"{header}SHIP {ships[1]}\nPLOT 2F\nEND\n", "two.txt")
            assert (
                f"version 1 had orders for {ships[0]}, and this version, which replaces it, has none: "
                "send the orders of all your units together"
            ) in second.notes
        both = "".join(f"SHIP {name}\nPLOT 2F\n" for name in ships)
        third = submit(game, f"{header}{both}END\n", "three.txt")
        assert third.version == 3 and not any("replaces it" in note for note in third.notes)


def test_an_empty_sop_on_purpose_is_legal_and_said_to_be_empty(game: GameFolder, send: Send) -> None:
    send("federation")
    send("klingon")
    resolve_game(game)
    receipt = submit(game, "GAME duel TURN 1 SIDE federation REPLY 2\nEND\n", "f.txt")
    assert any("Constellation" in note and "straight" in note for note in receipt.notes)


def test_a_file_edited_after_it_was_filed_is_checked_again(
    game: GameFolder, send: Send, duel: Path, snapshot: Snapshot
) -> None:
    send("federation")
    path = duel / send("klingon").file
    path.write_text(path.read_text().replace("SPEED 14", "SPEED 99"), encoding="utf-8", newline="\n")
    before = snapshot(duel)
    with pytest.raises(GameError) as error:
        resolve_game(game)
    assert error.value.faults[0].file == "01/orders/klingon.r1.orders"
    assert error.value.faults[0].line == 4
    assert snapshot(duel) == before


def test_the_orders_in_the_guide_are_legal(tmp_path: Path) -> None:
    """docs/play-by-mail.md shows a first set of orders; a newcomer will copy it."""
    from pbem.games.create import new
    from pbem.games.storage.opening import opened

    guide = Path(__file__).resolve().parents[2] / "docs" / "play-by-mail.md"
    example = guide.read_text(encoding="utf-8").partition("## Write your first orders")[2].split("```")[1]
    new("5", tmp_path / "duel01", players={"klingon": "bob"}, options={"reveal": "none"})
    with opened(tmp_path / "duel01") as game:
        assert check(game, example, "guide").side == "klingon"
