"""docs/dice.md is enough to write a verifier: by_the_page.py accepts honest archives of every kind, and refuses those
that somebody tampered with; and so does `pbem verify`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.archive import archive
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.storage.opening import opened
from tests.proof import by_the_page, forged, honest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "dice.md").read_text(encoding="utf-8")
QUICK = ("duel01", "rescue01", "not-played")
"""Honest archives that are made quickly."""
SAMPLE = (
    "a die's face", "a label's number", "a link in the middle", "a salt", "a hash of orders", "an order in the log",
    "a line of the log is gone, and all counted anew", "two lines in another order", "kept in the log",
    "a segment stands twice", "02/orders/klingon.r2.orders is gone", "02/orders/klingon.r9.orders is there too",
    "two rolls of one moment in another order", "a side's name in game.toml", "a line in another turn's file",
    "a sentence of the page", "a die in the page's data",
    "the page's script finds all sound, and its policy allows it",
)  # fmt: skip
"""Tamperings of the shipped duel that are tried each time; all others are slow together."""
ALL = {one.name: one for one in forged.TAMPERINGS}
Honest = Callable[[str], tuple[bytes, list[bytes]]]


@pytest.fixture(scope="module")
def honest_archive(tmp_path_factory: pytest.TempPathFactory) -> Honest:
    """An honest archive and the letters of its game, by name; each is made once."""
    made: dict[str, tuple[bytes, list[bytes]]] = {}

    def find(name: str) -> tuple[bytes, list[bytes]]:
        if name not in made:
            scratch = tmp_path_factory.mktemp(name)
            data = honest.MAKERS[name](scratch)
            letters = [path for path in sorted(scratch.rglob("*")) if path.name in ("sitrep.txt", "mail.eml")]
            made[name] = data, [path.read_bytes() for path in letters]
        return made[name]

    return find


def refused(one: forged.Tampering, honest_archive: Honest, folder: Path) -> None:
    """Both verifiers refuse it; the one that has no rules, where the page says that it can."""
    base, letters = honest_archive(one.base)
    file = folder / "forged.zip"
    file.write_bytes(forged.tampered(base, one))
    found = by_the_page.faults(file, letters)
    if one.says == forged.REPLAY:
        assert not found, f"{one.name}: no replay is needed to find this: {found}"
    else:
        assert any(one.says in text for text in found), f"{one.name}: {one.says!r} is not in {found}"
    try:
        faults = verify_archive(file).faults
    except GameError as error:
        faults = error.faults
    assert faults, f"pbem verify accepts it: {one.name}"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in honest.MAKERS]
)
def test_an_honest_archive_is_accepted_with_all_letters(honest_archive: Honest, name: str, tmp_path: Path) -> None:
    data, letters = honest_archive(name)
    (tmp_path / "honest.zip").write_bytes(data)
    assert letters
    assert by_the_page.faults(tmp_path / "honest.zip", letters) == []
    assert verify_archive(tmp_path / "honest.zip").faults == ()


def test_taken_apart_and_put_together_it_is_the_same(honest_archive: Honest) -> None:
    """Else a tampering would be found by how the forger writes, and not by what he changed."""
    made = forged.Forged(honest_archive("duel01")[0])
    before = dict(made.files)
    made.fit_digests()
    made.fit()
    assert made.files == before


@pytest.mark.parametrize("name", SAMPLE)
def test_what_somebody_tampered_with_is_refused(honest_archive: Honest, name: str, tmp_path: Path) -> None:
    assert ALL[name].base == "duel01"
    refused(ALL[name], honest_archive, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ALL if name not in SAMPLE])
def test_whatever_somebody_tampered_with_is_refused(honest_archive: Honest, name: str, tmp_path: Path) -> None:
    refused(ALL[name], honest_archive, tmp_path)


def test_there_are_more_than_a_hundred_that_no_replay_is_needed_for() -> None:
    assert len(ALL) == len(forged.TAMPERINGS), "two have the same name"
    assert sum(one.says != forged.REPLAY for one in ALL.values()) > 150


def test_letters_of_another_game_of_that_name_are_not_those_of_the_archive(
    honest_archive: Honest, tmp_path: Path
) -> None:
    """The same duel with other dice: it is sound in itself, and only what was kept tells."""
    data, letters = honest_archive("rescue01")
    (tmp_path / "rescue01.zip").write_bytes(data)
    assert letters
    other = [letter.replace(b"ad52", b"bd52") for letter in letters]
    assert other != letters
    assert by_the_page.faults(tmp_path / "rescue01.zip", other) != []


def test_a_game_that_goes_on_has_no_archive(tmp_path: Path) -> None:
    new("5", tmp_path / "game", players=honest.PLAYERS, seed="goes on", scheme=2)
    with opened(tmp_path / "game") as game, pytest.raises(GameError, match="wait until the game is over"):
        archive(game)


def test_the_verifier_is_nobody_elses_and_runs_by_itself(honest_archive: Honest, tmp_path: Path) -> None:
    source = Path(by_the_page.__file__)
    tree = ast.parse(source.read_text(encoding="utf-8"))
    names = [
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    assert names and all(name.partition(".")[0] in sys.stdlib_module_names for name in names)
    (tmp_path / "game.zip").write_bytes(honest_archive("duel01")[0])
    run = subprocess.run(
        [sys.executable, "-I", str(source), str(tmp_path / "game.zip")], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "sound\n"), run.stderr


def test_the_page_has_the_texts_the_verifier_has() -> None:
    """README.txt and the digests of proof.html's frame are on the page, or where it points to."""
    shown = by_the_page.README.format(name="NAME", version="VERSION")
    quoted = "\n".join(line.removeprefix("    ") for line in PAGE.splitlines())
    assert shown in quoted
    assert "tests/proof/page.sha256" in PAGE and "tests/proof/by_the_page.py" in PAGE


def test_the_digests_of_the_frame_are_those_of_this_version() -> None:
    """Made anew by `python -m tests.refresh`, as other files that follow from the templates are."""
    kept = by_the_page.FRAMES.read_text(encoding="utf-8")
    assert kept == honest.frames(), "the page was changed: run `python -m tests.refresh --only proof`"
