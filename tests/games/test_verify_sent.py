"""What is said of an archive as a whole, and of the letters a player kept: with every check of it made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.errors import Fault, GameError
from pbem.games.proof import verify_archive as module
from pbem.games.proof.reveal import ProofFile
from pbem.games.proof.verify_archive import verify_archive

A, B = "a" * 64, "b" * 64
PROOF = ProofFile(
    format=1, game="duel", scheme=2, length=9, commitment=A, salts=B, salt_link="", beacon="drand", segments=()
)
CHECKS = ("_commitment_faults", "as_written", "_order_files", "_unused_files", "_misplaced")
LAST = ("_proof_faults", "_for_people")


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Which check finds a fault; ``over`` is whether the game is."""
    found = dict.fromkeys((*CHECKS, *LAST, "run"), False) | {"over": True}

    def faults(name: str) -> list[Fault]:
        return [Fault(code=name, text="x")] if found[name] else []

    @contextmanager
    def archive(path: Path) -> Iterator[tuple[Any, ProofFile]]:
        yield SimpleNamespace(verify_scheme=lambda: None, records=list), PROOF

    monkeypatch.setattr(module, "opened_archive", archive)
    monkeypatch.setattr(
        module,
        "Replay",
        lambda *of, elsewhere: SimpleNamespace(run=lambda: faults("run"), kept=[], other=[], segments=3, passed=1),
    )
    monkeypatch.setattr(module, "elsewhere", lambda game: frozenset())
    monkeypatch.setattr(module, "version_spans", lambda game: ())
    monkeypatch.setattr(module, "fold_records", lambda kept: SimpleNamespace(over=found["over"]))
    for name in (*CHECKS, *LAST):
        monkeypatch.setattr(module, name, lambda *of, name=name: iter(faults(name)))
    return found


def test_every_check_of_an_archive_is_asked_and_the_last_only_where_the_others_found_nothing(
    wrong: dict[str, bool],
) -> None:
    def said() -> list[str]:
        return [fault.code for fault in verify_archive(Path("a.pbem.zip")).faults]

    assert said() == []
    for name in (*CHECKS, "run", *LAST):
        wrong[name] = True
        assert said() == [name]
        wrong[name] = False
    wrong |= {"_proof_faults": True, "_for_people": True}
    assert said() == ["_proof_faults"]
    wrong["over"] = False
    (fault,) = verify_archive(Path("a.pbem.zip")).faults
    assert (fault.code, fault.file) == ("not-over", "a.pbem.zip")
    wrong |= {"_misplaced": True, "_commitment_faults": True}
    assert said() == ["_commitment_faults", "_misplaced"]


def test_letters_of_other_games_are_not_compared_and_it_is_told_where_there_are_none(
    wrong: dict[str, bool], tmp_path: Path
) -> None:
    archive = Path("a.pbem.zip")
    with pytest.raises(GameError, match=f"{tmp_path / 'x'}: no-such-folder"):
        verify_archive(archive, tmp_path / "x")
    assert verify_archive(archive).letters == ()
    (tmp_path / "other.txt").write_text(f"Dice of other, scheme 2\ncommitted {B}\n", encoding="utf-8")
    found = verify_archive(archive, tmp_path)
    assert [(fault.code, fault.file) for fault in found.faults] == [("nothing-kept", str(tmp_path))]
    (tmp_path / "duel.txt").write_text(f"Dice of duel, scheme 2\ncommitted {A}\nsalts {B}\n", encoding="utf-8")
    found = verify_archive(archive, tmp_path)
    assert (found.faults, found.letters, found.compared) == ((), ("duel.txt",), 3)
    assert (found.game, found.scheme, found.beacon, found.found.segments, found.found.passed) == (
        "duel",
        2,
        "drand",
        3,
        1,
    )
    (tmp_path / "duel.txt").write_text(f"Dice of duel, scheme 2\ncommitted {B}\n", encoding="utf-8")
    assert [(fault.code, fault.file) for fault in verify_archive(archive, tmp_path).faults] == [
        ("sent-differs", "duel.txt")
    ]
