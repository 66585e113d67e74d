"""The published vectors: what Python, the page's script under node, and (test_page) in Chromium must all come to."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pbem.engine import dice
from pbem.games.proof.verify_archive import read_kept

HERE = Path(__file__).parent
SCRIPT = HERE.parents[1] / "templates" / "built" / "proof.js"


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "vectors.json").read_text(encoding="utf-8"))
    return found


def test_hashes(vectors: dict[str, Any]) -> None:
    for one in vectors["sha256"]:
        assert hashlib.sha256(one["text"].encode()).hexdigest() == one["digest"]
    for one in vectors["hmac"]:
        assert hmac.new(bytes.fromhex(one["key"]), one["text"].encode(), "sha256").hexdigest() == one["digest"]


def test_chains_salts_seals_and_keys(vectors: dict[str, Any]) -> None:
    for scheme in vectors["schemes"]:
        secret = dice.Secret(bytes.fromhex(scheme["secret"]), scheme["scheme"], scheme["length"])
        assert (secret.commitment, secret.salt_commitment) == (scheme["commitment"], scheme["salts"])
        for one in scheme["segments"]:
            number = one["segment"]
            assert secret.link(number).hex() == one["link"]
            assert secret.log_key(number).hex() == one["log_key"]
            if scheme["scheme"] > 1:
                assert secret.salt_link(number).hex() == one["salt_link"]
            for sent in one["orders"]:
                salt = secret.salt(one["turn"], one["request"], sent["side"], number)
                assert salt.hex() == sent["salt"]
                assert dice.sealed(sent["text"], salt) == sent["sealed"]
            seals = [(sent["side"], sent["sealed"]) for sent in reversed(one["orders"])]
            key = dice.segment_key(
                bytes.fromhex(one["link"]), scheme["game"], number, seals, scheme=scheme["scheme"], beacon=one["beacon"]
            )
            assert key.hex() == one["key"]
            link = bytes.fromhex(one["link"])
            for _ in range(number):
                link = dice.hashed(link)
            assert link.hex() == scheme["commitment"]


def test_every_part_of_a_key_changes_it(vectors: dict[str, Any]) -> None:
    first, second = (scheme["segments"][0] for scheme in vectors["schemes"])
    assert first["link"] == second["link"], "the chain of both schemes is the same"
    keys = {one["key"] for scheme in vectors["schemes"] for one in scheme["segments"]}
    assert len(keys) == sum(len(scheme["segments"]) for scheme in vectors["schemes"])


def test_rolls(vectors: dict[str, Any]) -> None:
    rolled = dice.SegmentDice(bytes.fromhex(vectors["rolls_key"]))
    assert {one["faces"] for one in vectors["rolls"]} >= {"2", "6"}
    for one in vectors["rolls"]:
        assert rolled.roll(one["label"], int(one["faces"])) == int(one["die"]), one["label"]


def test_a_word_beyond_the_limit_is_passed_over(vectors: dict[str, Any]) -> None:
    """Half of all words favour low faces of so large a die; one vector needs the second word, one the second digest."""
    key, needed = bytes.fromhex(vectors["rolls_key"]), set()
    for one in vectors["rolls"]:
        faces = int(one["faces"])
        limit = (1 << 64) // faces * faces
        words = [
            int.from_bytes(digest[at : at + 8], "big")
            for block in range(2)
            for digest in [hmac.new(key, f"{one['label']}|{block}".encode(), "sha256").digest()]
            for at in range(0, 32, 8)
        ]
        needed.add(next(place for place, word in enumerate(words) if word < limit))
    assert {0, 1} <= needed and max(needed) >= 4


def test_the_digest_of_the_log(vectors: dict[str, Any]) -> None:
    running = bytes(32)
    for line in vectors["log"]["lines"]:
        running = dice.next_log_digest(running, line.encode())
    assert running.hex() == vectors["log"]["running"]
    assert dice.keyed_log_digest(running, bytes.fromhex(vectors["log"]["key"])) == vectors["log"]["told"]


@pytest.mark.parametrize("front", ["", "> ", "> >", "   "])
def test_what_a_sitrep_told_is_read_again(vectors: dict[str, Any], front: str) -> None:
    text = "\r\n".join(front + line for line in vectors["kept"]["text"].split("\n"))
    kept = read_kept(text, "kept.txt")
    assert kept is not None and (kept.game, kept.side) == ("vectors", "federation")
    told = [[one.segment, one.what, one.side, one.value] for one in kept.told]
    assert [one for one in vectors["kept"]["told"] if one not in told] == []


def test_the_page_s_script_under_node(vectors: dict[str, Any]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    done = subprocess.run(
        [node, str(HERE / "check_vectors.js"), str(SCRIPT), str(HERE / "vectors.json")],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    assert json.loads(done.stdout) == []


def test_what_the_page_of_the_docs_shows_is_in_the_vectors(vectors: dict[str, Any]) -> None:
    text = (HERE.parents[1] / "docs" / "dice.md").read_text(encoding="utf-8").partition("## The test vectors")[2]
    known = json.dumps(vectors, ensure_ascii=False)
    shown = re.findall(r"\b[0-9a-f]{64}\b", text)
    assert len(shown) >= 15 and [one for one in shown if one not in known] == []
    for one in vectors["rolls"]:
        assert f"| `{one['label']}` | {one['faces']} | {one['die']} |" in text
    assert all(f"    {line}\n" in text for line in vectors["log"]["lines"])
