"""Words between players: who may be written to, what is told once, and when there are none."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.games.messages import allowed, due, note_told, pass_on, words_for
from pbem.games.storage.folder import GameFolder
from pbem.orders.messages import ALL, MOST_CHARACTERS, MOST_MESSAGES, UMPIRE, Message


def say(game: GameFolder, author: str, *words: tuple[str, str], letter: str = "") -> Sequence[str]:
    return pass_on(game, author, [Message(to, text) for to, text in words], letter)


def test_what_becomes_of_words_to_people(game: GameFolder) -> None:
    sitrep = "will be in the next sitrep; the umpire reads it, too."
    assert say(game, "klingon", ("fed", "a"), (ALL, "b"), (UMPIRE, "c"), ("klingon", "d"), ("romulan" * 9, "e")) == (
        f"Your message to federation {sitrep}", f"Your message to all {sitrep}",
        "Your message has been passed on to the umpire.",
        "Your message to klingon was not passed on: that is you.",
        f"It was not passed on: there is no side {('romulan' * 9)[:40]!r}. Write to federation or ALL.",
    )  # fmt: skip
    (long,) = say(game, "klingon", ("fed", "x" * (MOST_CHARACTERS + 1)))
    assert long == f"Your message to federation {sitrep} Its end is cut off: it is too long."
    assert say(game, "klingon", ("fed", "a")) == (f"Your message to federation {sitrep}",), "once"
    folder = game.path / "secret" / "messages"
    assert sorted(path.name for path in folder.iterdir()) == [f"00000.klingon.0{n}.json" for n in range(1, 5)]
    more = say(game, "klingon", *((ALL, str(n)) for n in range(MOST_MESSAGES)))
    most = f"Your message to all was not passed on: {MOST_MESSAGES} are the most for one request."
    assert more == (*[f"Your message to all {sitrep}"] * (MOST_MESSAGES - 4), *[most] * 4)
    assert say(game, "federation", (ALL, "hi"), letter="L") == (f"Your message to all {sitrep}",)
    assert os.name == "nt" or {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    (folder / "00000.klingon.99.json").write_bytes(b"{")
    (folder / "note.txt").write_bytes(b"x")
    assert due(game.path, 0) == []
    first = due(game.path, 1)
    assert len(first) == MOST_MESSAGES + 1 and {one.told for one in first} == {0}
    note_told(game.path, 1)
    assert [one.told for one in due(game.path, 1)] == [1] * len(first) and due(game.path, 2) == []
    told = {
        reader: [(w.author, w.to) for w in words_for(first, reader)] for reader in ("federation", "klingon", "umpire")
    }
    assert len(told["umpire"]) == len(first) and told["klingon"] == [("federation", "all")]
    assert {to for _, to in told["federation"]} == {"federation", "all"} and ("klingon", "the umpire") in told["umpire"]


@pytest.mark.parametrize(
    ("own", "host", "rule"),
    [('messages = "none"', 'messages = "all"', "none"), ("", 'messages = "umpire"', "umpire"), ("", "", "all"),
     ('messages = "odd"', 'messages = "none"', "none"), ("[", 'messages = "umpire"', "umpire"),
     ("", "messages = 1", "all")],
)  # fmt: skip
def test_who_may_be_written_to(tmp_path: Path, own: str, host: str, rule: str) -> None:
    game = tmp_path / "games" / "x"
    game.mkdir(parents=True)
    (game / "post.toml").write_text(own, encoding="utf-8")
    (tmp_path / "host.toml").write_text(host, encoding="utf-8")
    assert allowed(game) == rule


def test_the_same_letter_tells_its_words_once_and_another_anew(
    game: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = game.state()
    kept = []
    for segment, name in ((0, "L"), (0, "M"), (0, ""), (1, "L"), (1, ""), (1, "N"), (2, "N"), (2, "")):
        monkeypatch.setattr(game, "state", lambda segment=segment: replace(state, segment=segment))
        say(game, "klingon", ("federation", "hi"), letter=name)
        kept.append(len(list((game.path / "secret" / "messages").iterdir())))
    assert kept == [1, 1, 1, 1, 2, 2, 3, 3]


def test_words_in_games_without_them_and_when_it_is_over(game: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (game.path / "post.toml").write_text('messages = "umpire"', encoding="utf-8")
    none = "was not passed on: this game has none between players."
    assert say(game, "klingon", (ALL, "a"), ("x" * 50, "b"), (UMPIRE, "c")) == (
        f"Your message to all {none}", f"Your message to {'x' * 40} {none}",
        "Your message has been passed on to the umpire.",
    )  # fmt: skip
    (game.path / "post.toml").write_text('messages = "none"', encoding="utf-8")
    assert say(game, "klingon", (UMPIRE, "d")) == (f"Your message to the umpire {none}",)
    (game.path / "post.toml").unlink()
    over = replace(game.state(), over=True)
    monkeypatch.setattr(game, "state", lambda: over)
    gone = "Your message to federation was not passed on: the game is over, and no sitrep comes any more."
    assert say(game, "klingon", ("federation", "a"), (UMPIRE, "b")) == (
        gone,
        "Your message has been passed on to the umpire.",
    )
