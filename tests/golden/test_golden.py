"""The shipped games come out the same, byte for byte, wherever and however they are played again.

`python -m tests.refresh --only games` keeps them; the difference it makes is what to review.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from email import message_from_bytes, policy
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest

from pbem.data import files as data_files
from pbem.data.house_figures import looking_in
from pbem.engine import events as ev, log
from pbem.games.proof.verify_game import Verified, verify
from pbem.games.segments import opening
from pbem.games.storage.files import write_bytes
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import quick_reports
from pbem.games.storage.terms import read_terms
from pbem.orders.mail_text import order_text
from pbem.reports.html import page, templates
from tests import kept
from tests.golden import held

Games = Callable[[str], Path]


# --- comparing games --------------------------------------------------------------------------------------------------


def differing(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def logs(game: Path) -> dict[str, bytes]:
    return {path.relative_to(game).as_posix(): path.read_bytes() for path in game.rglob("events.jsonl")}


def verified(game: Path) -> Verified:
    with opened(game) as folder:
        return verify(folder)


# --- the same bytes ---------------------------------------------------------------------------------------------------


def test_every_file_of_the_game_is_made_again_byte_for_byte(name: str, replayed: Games) -> None:
    now = held.held(replayed(name))
    assert {path.rpartition("/")[2] for path in now.digests} >= {
        "events.jsonl", "state.json", "sitrep.txt", "sitrep.html", "mail.eml", "orders.draft",
        "orders.html", "positions.vsav",
    }  # fmt: skip
    found = held.differences(name, now)
    assert not found, found


def test_what_is_shipped_of_the_game_are_its_files(
    name: str, shipped: Games, replayed: Games, refresh: ModuleType
) -> None:
    game, made = shipped(name), replayed(name)
    wanted = {path for path in held.digests(made) if refresh.is_shown(name, path)}
    assert {path.relative_to(game).as_posix() for path in held.files_of(game)} == wanted
    for path in sorted(wanted):
        was, now = (held.lasting(folder / path).decode("utf-8", "replace") for folder in (game, made))
        found = kept.between(was, now, f"turns/{name}/{path}")
        assert not found, f"`python -m tests.refresh --only games` writes it; review the difference:\n{found}"


def test_the_game_is_over_and_verify_finds_it_sound(name: str, shipped: Games) -> None:
    with opened(shipped(name)) as game:
        assert game.state().over
        found = verify(game)
    assert not found.faults
    assert found.dice > 10


CHANGES = [
    ("04/orders/federation.r1.orders", b"SPEED 10", b"SPEED 11", "orders-changed"),
    ("02/orders/klingon.r2.orders", b"plot 11F", b"plot 10F", "orders-changed"),
    ("03/events.jsonl", b'"die":5', b'"die":4', "replay-differs"),
    ("02/events.jsonl", b'"points":8', b'"points":7', "replay-differs"),
    ("01/events.jsonl", b"LAUNCH DRONE 1", b"LAUNCH DRONE 2", "replay-differs"),
]


@pytest.mark.parametrize(("file", "old", "new", "code"), CHANGES, ids=[f"{c[0]} {c[1].decode()}" for c in CHANGES])
def test_one_changed_byte_is_noticed(
    file: str, old: bytes, new: bytes, code: str, shipped: Games, tmp_path: Path
) -> None:
    game = tmp_path / "duel01"
    shutil.copytree(shipped("duel01"), game, ignore=shutil.ignore_patterns("r?", "final"))
    path = game / file
    data = path.read_bytes()
    assert len(old) == len(new) and old in data
    path.write_bytes(data.replace(old, new, 1))
    assert code in {fault.code for fault in verified(game).record}


# --- wherever it is played --------------------------------------------------------------------------------------------


def play_elsewhere(refresh: ModuleType, into: Path, python: str, *games: str, **settings: str) -> None:
    """Play games in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "LC_", "LANG"))}
    done = subprocess.run(
        [python, str(refresh.__file__), *games, "--into", str(into)],
        env={**environment, **settings},
        cwd=into,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        pytest.param(
            "duel01", {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}, marks=pytest.mark.slow
        ),
        pytest.param(
            "duel01", {"PYTHONHASHSEED": "2", "TZ": "America/New_York", "LC_ALL": "tr_TR.UTF-8"}, marks=pytest.mark.slow
        ),
        pytest.param(
            "rescue01",
            {"PYTHONHASHSEED": "3", "TZ": "Asia/Kolkata", "LC_ALL": "de_DE.ISO-8859-1"},
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else value["TZ"],
)
def test_hash_seed_time_zone_and_locale_do_not_matter(
    game: str, settings: dict[str, str], refresh: ModuleType, tmp_path: Path
) -> None:
    play_elsewhere(refresh, tmp_path, sys.executable, game, **settings)
    assert not differing(held.kept_digests(game), held.digests(tmp_path / game))


def other_pythons() -> list[str]:
    return [path for path in os.environ.get("PBEM_PYTHONS", "").split(os.pathsep) if path]


@pytest.mark.parametrize("python", other_pythons() or [""])
def test_another_python_plays_the_same_game(python: str, refresh: ModuleType, tmp_path: Path) -> None:
    if not python:
        pytest.skip("PBEM_PYTHONS names no other interpreters that have pbem's libraries")
    play_elsewhere(refresh, tmp_path, python, *refresh.EXAMPLES)
    for path in sorted(tmp_path.iterdir()):
        assert not differing(held.kept_digests(path.name), held.digests(path))


# --- however it is named ----------------------------------------------------------------------------------------------


@pytest.fixture
def no_reports() -> Iterator[None]:
    """Play without whole reports, where a test looks at the record alone."""
    with quick_reports():
        yield


HEADING = re.compile(r"\s*(ENERGY|EAF|PLOT|MOVEMENT|DO|BREAKS?|BRK|DAMAGE|DDAP)\b", re.IGNORECASE)


def sections_reversed(text: str) -> str:
    """The same orders with the sections below SHIP in the opposite order."""
    lines = order_text(text).split("\n")
    end = next(n for n, line in enumerate(lines) if line.strip().upper() == "END")
    heads = [n for n, line in enumerate(lines[:end]) if HEADING.match(line)] or [end]
    blocks = [lines[start:stop] for start, stop in zip(heads, [*heads[1:], end], strict=True)]
    return "\n".join([*lines[: heads[0]], *(line for block in reversed(blocks) for line in block), "END", ""])


def tables_reversed(text: str, opening: str) -> str:
    """A TOML text with the tables that begin with ``opening`` in the opposite order, each at a place of theirs."""
    parts = re.split(r"(?m)^(?=\[)", text)
    places = [n for n, part in enumerate(parts) if part.startswith(opening)]
    assert len(places) > 1
    for place, part in zip(places, [parts[n] for n in reversed(places)], strict=True):
        parts[place] = part
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts)


@pytest.mark.slow
def test_order_of_sides_ships_and_files_changes_no_event(
    name: str, refresh: ModuleType, shipped: Games, tmp_path: Path, no_reports: None
) -> None:
    number = refresh.EXAMPLES[name].scenario
    scenario = data_files.locate("scenario", number).read_text(encoding="utf-8")
    mirrored = tables_reversed(tables_reversed(scenario, "[[sides]]"), "[[units]]")
    assert mirrored != scenario and tomllib.loads(mirrored)["sides"] == tomllib.loads(scenario)["sides"][::-1]
    own = tmp_path / "mirror.toml"
    own.write_text(mirrored, encoding="utf-8", newline="\n")

    game = tmp_path / name
    refresh.begin(name, game, scenario=str(own))
    terms = game / "game.toml"
    terms.write_text(tables_reversed(terms.read_text(encoding="utf-8"), "[sides."), encoding="utf-8", newline="\n")
    with looking_in(game):
        read = read_terms(terms.read_bytes(), "game.toml")
        assert list(read.sides) == sorted(read.sides, reverse=True)
        write_bytes(game / "00" / "events.jsonl", log.encode_records(opening(read)))
    edited: list[bool] = []

    def turned(text: str) -> str:
        edited.append(sections_reversed(text) != order_text(text))
        return sections_reversed(text)

    for _ in refresh.answering(shipped(name), game, order=lambda sides: sides[::-1], edit=turned):
        pass
    assert sum(edited) >= 3, "the sections of some files must have changed places"
    # The one thing that may differ: the user's own scenario is known by another key.
    played = {path: data.replace(b'"mirror"', f'"{number}"'.encode()) for path, data in logs(game).items()}
    assert not differing(logs(shipped(name)), played)


# --- whatever the reports look like -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_another_report_template_between_a_break_and_its_answer_changes_no_event(
    refresh: ModuleType, shipped: Games, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "templates"
    shutil.copytree(templates.templates_folder(), changed)
    template = changed / "report.html.j2"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace("</body>", "<p>another version</p></body>"), encoding="utf-8", newline="\n")

    game = tmp_path / "duel01"
    refresh.begin("duel01", game)
    asked = []
    try:
        for request in refresh.answering(shipped("duel01"), game):
            asked.append((request.turn, request.number))
            if asked[-1] == (1, 3):  # what the first break asked for
                monkeypatch.setattr(templates, "templates_folder", lambda: changed)
                monkeypatch.setattr(page, "templates_folder", lambda: changed)
                templates.environment.cache_clear()
            if asked[-1] == (1, 5):
                break
    finally:
        monkeypatch.undo()
        templates.environment.cache_clear()
    shown = {n: (game / f"01/r{n}/klingon/sitrep.html").read_text(encoding="utf-8") for n in (3, 4)}
    assert "another version" not in shown[3] and "another version" in shown[4]
    played = (game / "01" / "events.jsonl").read_bytes()
    assert (shipped("duel01") / "01" / "events.jsonl").read_bytes().startswith(played)
    assert asked[-1] == (1, 5) and played.count(b"\n") > 50


# --- secrets ----------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Text without regard to letter case, spacing and line ends."""
    return " ".join(text.casefold().split())


def texts(path: Path, refresh: ModuleType) -> Iterator[str]:
    """What can be read in a file of a report folder, however it is packed."""
    data = path.read_bytes()
    if path.suffix == ".eml":
        for part in message_from_bytes(data, policy=policy.default).walk():
            if not part.is_multipart():
                payload = part.get_payload(decode=True)
                assert isinstance(payload, bytes)
                if (part.get_filename() or "").endswith(".vsav"):
                    payload = held.clear_text(payload)
                if part.get_content_maintype() != "image" and part.get_filename() != "orders.html":
                    yield from readings(payload.decode("utf-8"))
        yield str(message_from_bytes(data, policy=policy.default).items())
    else:
        yield from readings(held.lasting(path).decode("utf-8") if path.suffix == ".vsav" else data.decode("utf-8"))


def readings(text: str) -> Iterator[str]:
    yield text
    yield unescape(text)
    for found in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL):
        yield json.dumps(json.loads(found), ensure_ascii=False)


def reports_of(game: Path, side: str, refresh: ModuleType) -> str:
    """All that a side was ever shown, but for its order forms: these offer everybody the same words, whatever others
    wrote (what others keep secret changes no byte of them: tests/form).
    """
    shown = [path for path in sorted(game.glob(f"*/*/{side}/*")) if path.name != "orders.html"]
    paths = [*shown, *sorted(game.glob("*/*.vsav"))]
    return "\n".join(plain(text) for path in paths for text in texts(path, refresh))


def own_words(game: Path, side: str) -> list[str]:
    """What a side wrote, and what the log keeps of its orders, energy, conditions and choices; a line each."""
    said: list[str] = []
    for path in sorted(game.glob(f"*/orders/{side}.*")):
        lines = order_text(path.read_text(encoding="utf-8")).split("\n")
        said += [piece for line in lines for piece in re.split(r"[;]|\s#\s", line)]
    with opened(game) as folder:
        units = {unit.name for unit in folder.state().units.values() if unit.side == side}
        for record in folder.records():
            event = record.event
            if isinstance(event, ev.OrdersFiled) and event.side == side:
                said += event.text.split("\n")
            elif isinstance(event, ev.EnergyAllotted) and event.unit in units:
                said += event.lines
            elif isinstance(event, ev.OrderTold | ev.Chose) and event.unit in units:
                said.append(event.order)
    return [plain(line) for line in said if plain(line)]


# What both see: speeds are announced, headers say whose orders these are, and a draft proposes this break to everybody.
PUBLIC = re.compile(r"(speed|spd) \d+|(game|ship) .*|enemy launches seeker")


def secrets_of(words: Sequence[str], reader: Sequence[str]) -> set[str]:
    """Lines of one side long enough to be known again, but for those the reader wrote himself, word for word."""
    own = " ".join(reader)
    return {word for word in words if len(word) >= 8 and not PUBLIC.fullmatch(word) and word not in own}


@pytest.mark.slow
def test_no_side_is_shown_what_the_other_wrote(replayed: Games, refresh: ModuleType) -> None:
    game = replayed("duel01")
    sides: Sequence[str] = ("federation", "klingon")
    words = {side: own_words(game, side) for side in sides}
    shown = {side: reports_of(game, side, refresh) for side in sides}
    for mine, other in (sides, sides[::-1]):
        theirs = secrets_of(words[other], words[mine])
        assert len(theirs) > 60, "there must be something to keep secret"
        assert sum(word in shown[other] for word in theirs) > 40, "its owner is shown what he ordered"
        assert sorted(word for word in theirs if word in shown[mine]) == []


@pytest.mark.slow
def test_energy_reserves_and_arming_are_told_to_their_owner_alone(replayed: Games, refresh: ModuleType) -> None:
    game = replayed("duel01")
    federation, klingon = reports_of(game, "federation", refresh), reports_of(game, "klingon", refresh)
    for told in ("constellation allocates its energy", "constellation spends 1 point of battery power", "of arming"):
        assert told in federation and told not in klingon
    assert "destruction allocates its energy" in klingon and "destruction allocates its energy" not in federation
