"""The archive of a finished game: what is in it, what `pbem verify` makes of it, and that a change in it is found."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.policy import default
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbem.engine import dice
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof import archive as archive_read
from pbem.games.proof.archive import archive, packed
from pbem.games.proof.verify_archive import own_page, verify_archive
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.terms import read_terms, terms_text
from pbem.games.submit import submit
from pbem.games.umpire.undo import undo
from pbem.reports.html import proof_page

KINDS = ("first", "second", "beacon")
Files = dict[str, bytes]


def files_of(path: Path) -> Files:
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def changed(tmp_path: Path, files: Files) -> Path:
    path = tmp_path / "changed.pbem.zip"
    path.write_bytes(packed(files))
    return path


def codes(path: Path, sent: Path | None = None) -> set[str]:
    return {fault.code for fault in verify_archive(path, sent).faults}


def refusal(path: Path) -> str:
    with pytest.raises(GameError) as error:
        verify_archive(path)
    return " ".join(str(fault) for fault in error.value.faults)


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_replays_byte_for_byte(kind: str, games: dict[str, Path], archives: dict[str, Path]) -> None:
    found = verify_archive(archives[kind])
    assert found.faults == ()
    with opened(games[kind]) as game:
        assert found.found.records == len(game.records())
        assert found.found.segments == game.state().segment
    assert found.rolls >= found.found.dice > 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_game_makes_the_same_archive(kind: str, games: dict[str, Path], archives: dict[str, Path]) -> None:
    with opened(games[kind]) as game:
        assert archive(game) == archives[kind].read_bytes()
    with zipfile.ZipFile(archives[kind]) as zipped:  # nor does it tell when it was packed, or where
        told = {(one.date_time, one.extra, one.comment) for one in zipped.infolist()}
    assert told == {((1980, 1, 1, 0, 0, 0), b"", b"")}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_private_is_in_it(kind: str, games: dict[str, Path], archives: dict[str, Path]) -> None:
    """No address, no token or comment of an order file, not the secret, and no link that was not used."""
    whole = b"\n".join(files_of(archives[kind]).values())
    with opened(games[kind]) as game:
        secret = game.secret()
        unused = [dice.chain_link(secret, dice.link_for(game.state().segment + ahead)) for ahead in range(1, 20)]
    comments = [
        line.partition("#")[2].strip()
        for path in games[kind].glob("*/orders/*")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"#\s*\w", line) and len(line) > 12
    ]
    assert kind == "first" or any("abc123" in comment for comment in comments)
    for private in (*comments, "example.org", "TOKEN", secret.hex(), *(link.hex() for link in unused)):
        assert private.encode() not in whole, private
    assert b'"Ann"' in whole or kind == "first", "names stay"


def test_a_game_that_goes_on_has_no_archive(tmp_path: Path) -> None:
    new("5", tmp_path / "duel", players={"federation": "ann", "klingon": "bob"})
    with opened(tmp_path / "duel") as game, pytest.raises(GameError) as error:
        archive(game)
    assert [fault.code for fault in error.value.faults] == ["not-over"]
    assert not list((tmp_path / "duel").rglob("*.zip"))


def test_what_was_taken_back_is_in_the_archive_too(games: dict[str, Path], tmp_path: Path) -> None:
    """Undo takes the archive away; play and its end make another, with both segments and both orders."""
    folder = tmp_path / "duel02"
    shutil.copytree(games["second"], folder)
    with opened(folder) as game:
        undo(game)
    assert not list(folder.rglob("*.zip")) and not list(folder.rglob("proof.html"))
    with opened(folder) as game:
        request = game.state().request
        assert request is not None
        for side in request.sides:
            ship = {"federation": "Constellation", "klingon": "Destruction"}[side]
            head = f"GAME duel02 TURN {request.turn} SIDE {side} REPLY {request.number}\nSHIP {ship}\n"
            submit(game, f"{head}ENERGY\n  SPEED 4\nPLOT 4F\nDO\n  AT 3 DISENGAGE\nEND\n", side)
        resolve_game(game)
        assert game.state().over
    path = next(folder.glob("*/final/*.pbem.zip"))
    found = verify_archive(path, folder)
    assert found.faults == () and found.found.segments == 4
    assert {"03/orders/federation.r1.v1.orders", "03/orders/federation.r1.orders"} <= files_of(path).keys()


# --- what was changed in it -------------------------------------------------------------------------------------------


def in_log(old: bytes, new: bytes) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        name = next(name for name in sorted(files) if name.endswith("events.jsonl") and re.search(old, files[name]))
        files[name] = re.sub(old, new, files[name], count=1)

    return change


def in_proof(change: Callable[[Any], None]) -> Callable[[Files], None]:
    def write(files: Files) -> None:
        proof = json.loads(files["proof.json"])
        change(proof)
        files["proof.json"] = (json.dumps(proof, ensure_ascii=False, indent=1) + "\n").encode()

    return write


def other_orders(files: Files) -> None:
    name = next(name for name in files if name.endswith("klingon.r1.orders"))
    files[name] = files[name].replace(b"SPEED", b"MOVE", 1)


def set_(path: str, value: object) -> Callable[[Any], None]:
    def change(proof: Any) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in way:
            proof = proof[part]
        proof[last] = value

    return change


OTHER = "ab" * 32
CHANGES: dict[str, tuple[Callable[[Files], object], str]] = {
    "a die in the log": (in_log(rb'"die":[1-6]', b'"die":7'), "replay-differs"),
    "points in the log": (in_log(rb'"points":[1-9]', b'"points":0'), "replay-differs"),
    "a line of the log": (in_log(b'"turn_ended"', b'"turn_begun"'), "log-damaged"),
    "a word nobody reads": (in_log(rb'"event":"moved"', b'"event":"moved","more":1'), "log-damaged"),
    "an empty line": (in_log(rb"\n", b"\n\n"), "log-damaged"),
    "an order file": (other_orders, "orders-changed"),
    "an order file too many": (lambda files: files.update({"01/orders/klingon.r7.orders": b"END\n"}), "orders-changed"),
    "an order file less": (lambda files: files.pop("02/orders/klingon.r1.orders"), "orders-missing"),
    "a space in an order file": (
        lambda files: files.update({"01/orders/klingon.r1.orders": files["01/orders/klingon.r1.orders"] + b" "}),
        "orders-changed",
    ),
    "a segment left out": (in_proof(lambda proof: proof["segments"].pop()), "proof-incomplete"),
    "no salt for a side": (in_proof(lambda proof: proof["segments"][0]["orders"].pop()), "proof-incomplete"),
    "another number": (in_proof(set_("segments.1.segment", 7)), "proof-differs"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(name: str, archives: dict[str, Path], tmp_path: Path) -> None:
    change, code = CHANGES[name]
    files = files_of(archives["second"])
    before = dict(files)
    change(files)
    assert files != before
    path = changed(tmp_path, files)
    try:
        found = codes(path)
    except GameError as error:
        found = {fault.code for fault in error.faults}
    assert code in found


def leaves(part: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value of a proof."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else None
    if items is None:
        yield way
        return
    for key, value in items:
        yield from leaves(value, (*way, key))


def kinds(proof: Any) -> list[tuple[str | int, ...]]:
    """The ways to one value of each kind; of all that stand in a row to the second."""
    found: dict[tuple[str | int, ...], tuple[str | int, ...]] = {}
    for way in leaves(proof):
        kind = (*(step if isinstance(step, str) else -1 for step in way[:-1]), way[-1])
        if kind not in found or (1 in way[:-1] and 1 not in found[kind][:-1]):
            found[kind] = way
    return [*found.values()]


def another(value: Any) -> Any:
    if isinstance(value, str):
        return f"{int(value[0], 16) ^ 1:x}{value[1:]}" if re.fullmatch(r"[0-9a-f]{64}", value) else f"{value}s"
    return value + 1


def test_the_page_of_an_earlier_version_is_still_this_game_s(
    archives: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has earlier words, and a style and script with a known hash; our words with that script are not its page."""
    words = Path(proof_page.__file__).parents[3] / "templates" / "_proof_earlier.html.j2"
    made = hashlib.sha256(words.read_text(encoding="utf-8").encode()).hexdigest()
    assert made == "385d403b8f23e96aa45dd3cd68a51e5eed488ee89a71b3fba2efd34449f08163", (
        "pages of earlier versions have the words they had"
    )
    files, parts = files_of(archives["second"]), ("body {}", "/* a script of before */")
    monkeypatch.setattr(proof_page, "_parts", lambda: parts)
    our_words = own_page(archives["second"])
    monkeypatch.setattr(proof_page, "_page", partial(proof_page._page, words=proof_page._EARLIER_WORDS))
    earlier = own_page(archives["second"])
    monkeypatch.undo()
    monkeypatch.setattr(proof_page, "_parts", lambda: ("body {}", "/* a script of now */"))
    known = (*proof_page.EARLIER, hashlib.sha256("\0".join(parts).encode()).hexdigest())
    assert codes(changed(tmp_path, files | {"proof.html": earlier})) == {"page-differs"}
    monkeypatch.setattr(proof_page, "EARLIER", known)
    assert earlier != our_words and codes(changed(tmp_path, files | {"proof.html": earlier})) == set()
    assert codes(changed(tmp_path, files | {"proof.html": our_words})) == {"page-differs"}


FOUND_BY = {"link": "dice-commitment", "format": "format"} | dict.fromkeys(
    ("salt", "salt_link", "log_key", "side", "request", "turn"), "salt-commitment"
)
"""What the first fault is called that a wrong value makes; ``proof-differs`` where nothing stands here."""


@pytest.mark.slow
def test_each_value_of_the_proof_is_checked_for_itself(archives: dict[str, Path], tmp_path: Path) -> None:
    """The file is written as it should be, and is not compared with the page: what is wrong is that value."""
    whole = files_of(archives["second"])
    proof = json.loads(whole["proof.json"])
    tried = kinds(proof)
    assert len(tried) > 18
    for way in tried:
        changed_ = json.loads(whole["proof.json"])
        part = changed_
        for step in way[:-1]:
            part = part[step]
        part[way[-1]] = another(part[way[-1]])
        written = (json.dumps(changed_, ensure_ascii=False, indent=1) + "\n").encode()
        try:
            told = verify_archive(changed(tmp_path, whole | {"proof.json": written})).faults
        except GameError as error:
            told = error.faults
        assert told and told[0].code == FOUND_BY.get(str(way[-1]), "proof-differs"), way
        assert not [one for one in told if "not written like" in one.text], way


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (r'"beacon":"(\d+):', '"beacon":"1:', "replay-differs"),
        (r'"beacon":"\d+:(\w{64})"', '"beacon":"none"', "replay-differs"),
        (r',"beacon":"\d+:(\w{64})"', "", "replay-differs"),
    ],
)
def test_a_beacon_s_value_cannot_be_changed_or_left_out(
    old: str, new: str, code: str, archives: dict[str, Path], tmp_path: Path
) -> None:
    files = files_of(archives["beacon"])
    name = "02/events.jsonl"
    text = files[name].decode()
    files[name] = re.sub(old, new, text, count=1).encode()
    assert files[name].decode() != text
    assert code in codes(changed(tmp_path, files))


def test_a_host_who_tries_salts_is_found_in_scheme_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, games: dict[str, Path]
) -> None:
    """He plays with a salt of his own, everything else as it must be: only the salt chain gives him away."""
    folder = tmp_path / "duel02"
    new("5", folder, players={"federation": "ann", "klingon": "bob"}, scheme=2, options={"reveal": "none"})
    honest = dice.Secret.salt

    def tried(self: dice.Secret, turn: int, request: int, side: str, segment: int) -> bytes:
        return bytes(32) if (side, segment) == ("klingon", 1) else honest(self, turn, request, side, segment)

    monkeypatch.setattr(dice.Secret, "salt", tried)
    while True:
        with opened(folder) as game:
            request = game.state().request
            if request is None:
                break
            for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
                head = f"GAME duel02 TURN {request.turn} SIDE {side} REPLY {request.number}\nSHIP {ship}\n"
                submit(game, f"{head}ENERGY\n  SPEED 4\nPLOT 4F\nDO\n  AT 3 DISENGAGE\nEND\n", side)
            resolve_game(game)
    assert codes(next(folder.glob("*/final/*.pbem.zip"))) == {"salt-commitment"}


# --- what players kept ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["federation", "klingon"])
def test_all_that_was_sent_is_the_archive_s(
    kind: str, side: str, archives: dict[str, Path], sent: Callable[[str, str], Path]
) -> None:
    found = verify_archive(archives[kind], sent(kind, side))
    assert found.faults == ()
    assert len(found.letters) >= 3 and found.compared > 5 * len(found.letters)


NAMES = ("link", "log", "your salt", "committed", "orders of klingon")


@pytest.mark.parametrize("name", NAMES)
def test_a_letter_that_told_otherwise_is_found(
    name: str, archives: dict[str, Path], sent: Callable[[str, str], Path]
) -> None:
    folder = sent("second", "federation")
    path = next(path for path in sorted(folder.glob("*.txt")) if name in path.read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"{name}\s+([0-9a-f]{{64}})", text)
    assert found is not None
    path.write_text(text.replace(found[1], OTHER), encoding="utf-8", newline="\n")
    faults = verify_archive(archives["second"], folder).sent
    assert {(fault.code, fault.file) for fault in faults} == {("sent-differs", path.name)}
    assert {fault.file for fault in faults} == {path.name}
    assert any(OTHER in fault.text for fault in faults)


def test_letters_about_a_segment_the_archive_lacks(archives: dict[str, Path], sent: Callable[[str, str], Path]) -> None:
    folder = sent("second", "federation")
    path = sorted(folder.glob("*.txt"))[-1]
    path.write_text(re.sub(r"Segment \d+:", "Segment 17:", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert any("segment 17" in fault.text for fault in verify_archive(archives["second"], folder).sent)


def test_a_folder_without_letters_of_this_game_proves_nothing(archives: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "shopping.txt").write_text("eggs", encoding="utf-8")
    assert codes(archives["second"], tmp_path) == {"nothing-kept"}
    with pytest.raises(GameError):
        verify_archive(archives["second"], tmp_path / "nowhere")


def test_two_players_letters_do_not_agree_with_a_forged_archive(
    archives: dict[str, Path], sent: Callable[[str, str], Path], tmp_path: Path
) -> None:
    """A whole other game under the same name replays soundly; what was kept gives it away."""
    folder = tmp_path / "duel02"
    new("5", folder, players={"federation": "ann", "klingon": "bob"}, scheme=2, options={"reveal": "none"})
    with opened(folder) as game:
        for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
            body = f"SHIP {ship}\nENERGY\n  SPEED 4\nPLOT 4F\nDO\n  AT 3 DISENGAGE\nEND\n"
            submit(game, f"GAME duel02 TURN 1 SIDE {side} REPLY 1\n{body}", side)
        resolve_game(game)
    path = next(folder.glob("*/final/*.pbem.zip"))
    assert codes(path) == set()
    assert "sent-differs" in codes(path, sent("second", "klingon"))


# --- hostile files ----------------------------------------------------------------------------------------------------


def hostile(path: Path, entries: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as zipped:
        for name, data in entries.items():
            zipped.writestr(zipfile.ZipInfo(name), data, method)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "../game.toml", "/etc/passwd", "C:\\x.toml", "01/orders/../../x.orders", "secret/dice.secret", "01/x.py",
        "ships/..toml", "game.toml/", "01/orders/klingon.r1.orders/x", "run.exe",
    ],
)  # fmt: skip
def test_a_name_that_has_no_place_is_refused(name: str, archives: dict[str, Path], tmp_path: Path) -> None:
    path = hostile(tmp_path / "x.zip", {**files_of(archives["second"]), name: b"x"})
    assert "does not belong in the archive" in refusal(path)


def test_no_zip_half_a_zip_and_a_zip_of_something_else(archives: dict[str, Path], tmp_path: Path) -> None:
    whole = archives["second"].read_bytes()
    for name, data in (("none", b"hello"), ("half", whole[: len(whole) // 2]), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        assert "no-archive" in refusal(tmp_path / name)
    assert "is missing" in refusal(hostile(tmp_path / "other.zip", {"README.txt": b"hello"}))
    assert "no-such-file" in refusal(tmp_path / "nothing.zip")


@pytest.mark.slow
def test_bytes_flipped_anywhere_are_refused_or_found(archives: dict[str, Path], tmp_path: Path) -> None:
    """Whatever is flipped in the packed file: a sentence or a finding, never an exception of another kind."""
    whole = archives["second"].read_bytes()
    path = tmp_path / "flipped.zip"
    for place in range(5, len(whole), len(whole) // 60):
        data = bytearray(whole)
        data[place] ^= 0x55
        path.write_bytes(bytes(data))
        try:
            verify_archive(path)
        except GameError as error:
            assert error.faults


def test_bombs_are_refused_before_they_are_read(
    archives: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(archives["second"])
    bomb = hostile(tmp_path / "bomb.zip", {**files, "04/events.jsonl": bytes(30_000_000)})
    monkeypatch.setattr(zipfile.ZipFile, "open", None)  # nothing may be unpacked
    assert "is too large for a file of a game: 30000000 bytes" in refusal(bomb)
    monkeypatch.setattr(archive_read, "MAX_SUMMED", 10_000)
    assert "its files are larger than 10000 bytes together" in refusal(archives["second"])
    monkeypatch.setattr(archive_read, "MAX_ENTRIES", 5)
    assert "entries" in refusal(archives["second"])
    monkeypatch.setattr(archive_read, "MAX_FILE", 100)
    assert "more than 100 bytes" in refusal(archives["second"])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_and_a_strange_packing_are_refused(archives: dict[str, Path], tmp_path: Path) -> None:
    files = files_of(archives["second"])
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        for name, data in [*files.items(), ("GAME.TOML".lower(), b"")]:
            zipped.writestr(zipfile.ZipInfo(name), data)
    assert "two files of the same name" in refusal(path)
    assert "is packed in an unknown way" in refusal(hostile(tmp_path / "lzma.zip", files, method=zipfile.ZIP_LZMA))


def test_hashes_that_are_none_are_refused(archives: dict[str, Path], tmp_path: Path) -> None:
    for path, value in (("segments.0.link", "zz" * 32), ("segments.0.orders.0.salt", "ab"), ("format", 9)):
        files = files_of(archives["second"])
        in_proof(set_(path, value))(files)
        assert "proof.json" in refusal(changed(tmp_path, files))
    files["proof.json"] = b"[" * 100_000
    assert "proof-damaged" in refusal(changed(tmp_path, files))


# --- by the door ------------------------------------------------------------------------------------------------------


def pbem(*args: str | Path, cwd: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "pbem", *map(str, args)]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env={"PYTHONPATH": root, "PATH": ""}
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_archive_and_verify_as_commands(
    games: dict[str, Path], sent: Callable[[str, str], Path], tmp_path: Path
) -> None:
    assert pbem("archive", games["second"], cwd=tmp_path)[0] == 0
    file = tmp_path / "duel02.pbem.zip"
    code, said = pbem("verify", file, "--sent", sent("second", "klingon"), cwd=tmp_path)
    assert code == 0 and "byte for byte" in said and "kept letters: all" in said
    code, said = pbem("verify", file, "--json", cwd=tmp_path)
    assert code == 0 and json.loads(said)["ok"] is True
    assert pbem("verify", file, "--repair", cwd=tmp_path)[0] == 2
    assert pbem("verify", games["second"], "--sent", tmp_path, cwd=tmp_path)[0] == 2
    files = files_of(file)
    in_log(rb'"die":[1-6]', b'"die":7')(files)
    code, said = pbem("verify", changed(tmp_path, files), cwd=tmp_path)
    assert code == 1 and "differs from its record" in said and "replay-differs" in said


# --- old games stay as they are ---------------------------------------------------------------------------------------


def test_a_game_of_the_first_scheme_has_the_game_toml_it_always_had(games: dict[str, Path]) -> None:
    data = (games["first"] / "game.toml").read_bytes()
    terms = read_terms(data, "game.toml")
    assert terms_text(terms).encode() == data and b"salts" not in data and b"beacon" not in data
    assert b'"beacon"' not in b"".join(path.read_bytes() for path in games["first"].glob("*/events.jsonl"))


def test_new_games_get_the_newest_scheme_and_games_with_a_seed_the_first(tmp_path: Path) -> None:
    schemes = {}
    for name, how in {"new": {}, "seeded": {"seed": "x"}}.items():
        new("5", tmp_path / name, players={"federation": "a", "klingon": "b"}, **how)  # type: ignore[arg-type]
        with opened(tmp_path / name) as game:
            schemes[name] = game.terms.dice.scheme
            assert len(game.secret()) == 32
    assert schemes == {"new": 2, "seeded": 1}


def test_the_archive_goes_with_the_last_sitrep(games: dict[str, Path], archives: dict[str, Path]) -> None:
    from pbem.mail.replies.announce import Above, published, sitrep
    from pbem.mail.seats import games_in

    host = games["second"].parent / "host"
    if not host.exists():
        shutil.copytree(games["second"], host / "games" / "duel02")
    found = games_in(host, umpire="umpire@host.example", orders="orders@host.example", tags=False)
    seat = next(seat for seat in found.seats if seat.side == "klingon")
    with opened(seat.folder) as game:
        *earlier, last = published(game)
        letters = [sitrep(game, found, seat, folder, Above(), "") for folder in (*earlier, last)]
    attached = [{name: content for name, _, content in letter.attachments} for letter in letters]
    assert attached[-1]["duel02.pbem.zip"] == archives["second"].read_bytes()
    assert not any("duel02.pbem.zip" in one for one in attached[:-1])
    assert "Open proof.html in it" in letters[-1].text and "proof.html" not in letters[0].text
    assert message_from_bytes((last / "klingon" / "mail.eml").read_bytes(), policy=default)["Subject"]
