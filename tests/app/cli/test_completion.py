"""What shells are told while a command line is typed: the protocol each of them speaks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Offer = Callable[..., list[str]]
Run = Callable[..., subprocess.CompletedProcess[str]]
NAMED = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
"""The shell is named on the command line: the one that runs the tests does not count."""


@pytest.fixture
def offer(pbem: Run, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """What bash is offered for the last word of a line; the words before it are complete."""

    def ask(*words: str, **settings: str) -> list[str]:
        asked = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(["pbem", *words])}
        asked["COMP_CWORD"] = str(len(words))
        with monkeypatch.context() as environment:
            for name, value in {**asked, **settings}.items():
                environment.setenv(name, value)
            done = pbem()
        assert not done.stderr, done.stderr
        return done.stdout.split("\n")[:-1]

    return ask


def test_scenarios_ships_charts_and_rules_are_offered_by_how_they_begin(offer: Offer) -> None:
    assert {"1", "10", "11", "12"} == set(offer("new", "1"))
    assert "std_fed_ca_cth" in offer("ships", "std_f") and "std_kli_d7" not in offer("ships", "std_f")
    assert offer("charts", "phot") == ["photon"]
    assert {"D4.2", "D4.22", "D4.223"} <= set(offer("rules", "D4.2"))
    assert {"9"} == set(offer("soak", "--scenario", "9"))


def test_the_sides_of_the_game_named_before_are_offered(offer: Offer, duel: Path) -> None:
    assert offer("map", "duel", "--side", "") == ["umpire", "federation", "klingon"]
    assert offer("forms", "duel", "--side", "k") == ["klingon"]
    assert offer("report", "--turn", "1", "duel", "--side", "fed") == ["federation"]
    assert offer("host", "replace", "duel", "kl") == ["klingon"]


def test_a_new_game_is_offered_its_sides_ships_and_optional_units(offer: Offer) -> None:
    levels = [f"klingon={level}" for level in ("brawler", "ensign", "captain", "commodore")]
    assert offer("new", "4", "dir", "--player", "kling") == ["klingon=", "klingon=robot", *levels]
    assert offer("lab", "4", "-c", "klingon=r") == ["klingon=random", "klingon=robot"]
    assert not [one for one in offer("lab", "9", "-c", "kl") if one == "klingon=robot"]  # the rules have none there
    assert offer("new", "9", "dir", "--ship", "Des") == ["Destruction="]
    assert offer("new", "9", "dir", "--ship", "Destruction=std_kli_d") == [
        "Destruction=std_kli_d6", "Destruction=std_kli_d7"
    ]  # fmt: skip
    assert offer("new", "12", "dir", "--with", "") == ["Death"]


def test_what_cannot_be_read_offers_nothing_and_says_nothing(offer: Offer, tmp_path: Path) -> None:
    assert offer("forms", "nowhere", "--side", "") == [""]
    assert offer("new", "99", "dir", "--player", "") == [""]
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "game.toml").write_text("format = ", encoding="utf-8")
    assert offer("forms", "broken", "--side", "") == [""]


@pytest.mark.parametrize(
    ("shell", "settings", "told"),
    [
        ("zsh", {}, '"9":"Rescue at Rigel"'),
        ("fish", {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "9\tRescue at Rigel"),
        ("powershell", {"_TYPER_COMPLETE_WORD_TO_COMPLETE": "9"}, "9:::Rescue at Rigel"),
        ("pwsh", {"_TYPER_COMPLETE_WORD_TO_COMPLETE": "9"}, "9:::Rescue at Rigel"),
    ],
)
def test_other_shells_show_what_a_word_stands_for(
    shell: str, settings: dict[str, str], told: str, offer: Offer
) -> None:
    found = offer(_PBEM_COMPLETE=f"complete_{shell}", _TYPER_COMPLETE_ARGS="pbem scenarios 9", **settings)
    assert any(told in line for line in found)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.slow
def test_bash_completes_with_the_script_that_is_installed(environment: dict[str, str], tmp_path: Path) -> None:
    here = tmp_path / "bin"
    here.mkdir()
    command = here / "pbem"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pbem "$@"\n', encoding="utf-8", newline="\n")
    command.chmod(0o755)
    asking = (
        'eval "$(pbem --show-completion bash)"\n'
        "COMP_WORDS=(pbem ships std_kli); COMP_CWORD=2\n"
        "_pbem_completion pbem std_kli ships\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", asking], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120, check=False,
        env={**environment, **NAMED, "PATH": f"{here}:{environment['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.split() == ["std_kli_d6", "std_kli_d7"], done.stderr


def test_installing_writes_the_script_where_the_shell_looks(environment: dict[str, str], tmp_path: Path) -> None:
    settings = {**NAMED, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    for shell, file in (
        ("bash", ".bash_completions/pbem.sh"),
        ("zsh", ".zfunc/_pbem"),
        ("fish", ".config/fish/completions/pbem.fish"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "pbem", "--install-completion", shell], cwd=tmp_path,
            env={**environment, **settings}, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "_PBEM_COMPLETE" in (tmp_path / file).read_text(encoding="utf-8")
