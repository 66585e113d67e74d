"""Games with play that was repeated or taken back: whose dice hold where, and that every segment is told."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.events import UMPIRE, SegmentBegan
from pbem.engine.log import effective
from pbem.games.proof.archive import packed
from pbem.games.proof.reveal import proof_for
from pbem.games.proof.verify_archive import own_page, verify_archive
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.umpire.undo import undo

SCRIPT = Path(__file__).resolve().parents[2] / "templates" / "built" / "proof.js"
STEPS = "energy announce lockon monsters move shuttles seek tac impact cloak tractor launch transport bay fire resolve end close".split()  # noqa: E501, SIM905
ACTS = {"undone", "reran", "adjusted", "ruled", "options_ruled", "house_ruled", "decided"}
Moment = tuple[int, int, int]


@pytest.fixture(scope="module")
def archived(repeated: Path) -> Path:
    return next(repeated.glob("*/final/*.pbem.zip"))


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def log_of(files: dict[str, bytes]) -> list[Any]:
    lines = [line for name, data in files.items() if name.endswith("events.jsonl") for line in data.splitlines()]
    return sorted((json.loads(line) for line in lines), key=lambda record: int(record["n"]))


def spans(log: list[Any]) -> dict[int, tuple[Moment, Moment]]:
    """From where until before where each segment was played, as docs/dice.md says it."""
    found: dict[int, tuple[Moment, Moment]] = {}
    now = 0
    for record in log:
        event = record["event"]
        here = (event.get("turn", 0), event.get("impulse", 0), STEPS.index(event["step"]) if event.get("step") else 0)
        if event["event"] == "segment_began":
            now = event["segment"]
            found[now] = (here, (1 << 30, 0, 0))
        elif event["event"] in ACTS:
            now = 0
        elif event["event"] == "requested" and now:
            asked = event["request"]["turn"]
            found[now] = (found[now][0], here if asked == event["turn"] else (asked, 0, 0))
    return found


def whose(segments: dict[int, Any], played: dict[int, tuple[Moment, Moment]], number: int, when: Moment) -> int:
    for kept in segments[number].get("kept", []):
        begin, end = played[kept]
        if begin <= when < end:
            return whose(segments, played, kept, when)
    return number


@pytest.mark.slow
def test_every_die_is_that_of_the_segment_that_covers_its_moment(archived: Path) -> None:
    files = files_of(archived)
    proof = json.loads(files["proof.json"])
    segments = {one["segment"]: one for one in proof["segments"]}
    played = spans(log_of(files))
    keys = {}
    for number, one in segments.items():
        seals = "".join(f"|{sent['side']}={sent['sealed']}" for sent in sorted(one["orders"], key=lambda s: s["side"]))
        said = f"pbem dice 2|{proof['game']}|{number}{seals}"
        keys[number] = hmac.new(bytes.fromhex(one["link"]), said.encode(), hashlib.sha256).digest()
    kept = 0
    for number, one in segments.items():
        for label, faces, die in one["rolls"]:
            turn, impulse, step = label.partition(" ")[0].split(".")
            holds = whose(segments, played, number, (int(turn), int(impulse), STEPS.index(step)))
            assert one.get("of", {}).get(label, number) == holds, (number, label)
            word = int.from_bytes(hmac.new(keys[holds], f"{label}|0".encode(), hashlib.sha256).digest()[:8], "big")
            assert word % faces + 1 == die
            kept += holds != number
    assert kept > 10
    depth = [one for one in segments.values() if any(segments[n].get("kept") for n in one.get("kept", []))]
    assert depth, "a repetition was repeated"


@pytest.mark.slow
def test_kept_dice_serve_no_new_orders(archived: Path) -> None:
    """Wherever dice are kept, all orders are those of the segment that answered the same request before."""
    proof = json.loads(files_of(archived)["proof.json"])
    segments = {one["segment"]: one for one in proof["segments"]}
    seen = 0
    for one in proof["segments"]:
        texts = {sent["side"]: sent["text"] for sent in one["orders"]}
        same = [
            segments[n]
            for n in one.get("kept", [])
            if (segments[n]["turn"], segments[n]["request"]) == (one["turn"], one["request"])
        ]
        if one.get("kept"):
            [before] = same
            assert texts == {sent["side"]: sent["text"] for sent in before["orders"]}
            seen += 1
    assert seen > 3


@pytest.mark.slow
def test_the_archive_replays_and_the_page_finds_it_sound(archived: Path, repeated: Path, tmp_path: Path) -> None:
    found = verify_archive(archived, repeated)
    assert found.faults == () and found.found.repeated > 3 and found.compared > 50
    assert checked(own_page(archived).decode(), tmp_path) == []


@pytest.mark.slow
def test_the_page_finds_dice_taken_from_another_segment(archived: Path, tmp_path: Path) -> None:
    page = own_page(archived).decode()
    one = next(found for found in re.finditer(r'"of":\{"([^"]+)":(\d+)', page))
    other = page[: one.start(2)] + str(int(one[2]) + 1) + page[one.end(2) :]
    assert any(one[1] in text for text in checked(other, tmp_path))


def checked(page: str, tmp_path: Path) -> list[str]:
    """What the page's script finds wrong, under node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    data = page.partition('id="data">')[2].partition("</script>")[0]
    (tmp_path / "data.json").write_text(data, encoding="utf-8")
    (tmp_path / "check.js").write_text(
        "require(process.argv[2]);\nconst { checkAll } = globalThis.proofPage;\n"
        'const data = JSON.parse(require("fs").readFileSync(process.argv[3], "utf8"));\n'
        "console.log(JSON.stringify(checkAll(data).checks.flatMap(one => one.wrong)));\n",
        encoding="utf-8",
    )
    script = tmp_path / "proof.js"
    shutil.copyfile(SCRIPT, script)
    line = [node, str(tmp_path / "check.js"), str(script), str(tmp_path / "data.json")]
    done = subprocess.run(line, capture_output=True, check=True, text=True, encoding="utf-8")
    return [str(text) for text in json.loads(done.stdout)]


# --- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_segment_is_played_and_taken_back_untold(repeated: Path) -> None:
    """Whatever was played stands in the sitreps of one of the folders that are there at some time."""
    with opened(repeated) as game:
        records = game.records()
        numbers = [r.event.segment for r in records if isinstance(r.event, SegmentBegan)]
        told: dict[int, bool] = {}
        for place in range(len(records)):
            after = records[place + 1].event if place + 1 < len(records) else None
            if after is None or isinstance(after, SegmentBegan):
                proof = proof_for(game, effective(records[: place + 1]), "klingon")
                assert proof is not None
                now = {one.segment: one.taken_back for one in proof.segments}
                told |= now
        assert sorted(told) == numbers and any(told.values())


@pytest.mark.slow
def test_play_taken_back_before_anybody_was_told_is_told(repeated: Path, tmp_path: Path) -> None:
    folder = tmp_path / "duel04"
    shutil.copytree(repeated, folder)
    with opened(folder) as game:
        segment = game.state().segment
        undo(game, reason="nobody saw it")
        request = game.state().request
        assert request is not None
        for reader in ("federation", "klingon", UMPIRE):
            text = (game.request_folder(request.turn, request.number) / reader / "sitrep.txt").read_text("utf-8")
            part = text.partition(f"Segment {segment}: ")[2]
            assert part.split("\n")[1].strip() == "played, and taken back by the umpire"
            assert f"link        {game.dice().link(segment).hex()}" in part


@pytest.mark.slow
def test_sitreps_after_play_taken_back_have_identities_of_their_own(repeated: Path, tmp_path: Path) -> None:
    folder = tmp_path / "duel04"
    shutil.copytree(repeated, folder)
    seen = set()
    for _ in range(2):
        with opened(folder) as game:
            undo(game, turn=1, request=1, reason="again")
            mail = (folder / "01/r1/klingon/mail.eml").read_bytes().partition(b"\r\n\r\n")[0]
            found = re.search(rb"Message-ID: <(\S+)@", mail)
            assert found is not None
            seen.add(found[1])
            request = game.state().request
            assert request is not None
            for side in request.sides:
                text = (folder / f"01/orders/{side}.r1.v1.orders").read_text("utf-8")
                submit(game, text, side)
            resolve_game(game)
    assert len(seen) == 2


# --- the page in the archive ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("proof.html", b"</main>", b"<p>All is well.</p></main>"),
        ("proof.html", b'"die":', b'"die": '),
        ("proof.html", b"const segments", b"const  segments"),
        ("proof.html", b"default-src 'none'", b"default-src *"),
        ("README.txt", b"open it in a browser", b"open http://example.org in a browser"),
    ],
)
def test_what_people_look_at_is_compared(name: str, old: bytes, new: bytes, archived: Path, tmp_path: Path) -> None:
    files = files_of(archived)
    if old not in files[name]:
        old, new = b'"rolls":[[', b'"rolls": [['
    files[name] = files[name].replace(old, new, 1)
    path = tmp_path / "faked.pbem.zip"
    path.write_bytes(packed(files))
    assert [(fault.code, fault.file) for fault in verify_archive(path).faults] == [("page-differs", name)]
    assert own_page(path) == files_of(archived)["proof.html"]
