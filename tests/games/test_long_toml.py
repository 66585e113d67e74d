"""A TOML file that somebody else made: no more of it is read than it takes to refuse it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from pbem.club import tournament
from pbem.club.rehearsal import with_settings
from pbem.data.files import MOST_TOML, MOST_TOML_BYTES, parsed_file
from pbem.errors import GameError
from pbem.games.messages import allowed
from pbem.games.site import site_settings
from pbem.games.storage.files import read_toml_file
from pbem.games.storage.opening import opened
from pbem.games.vassal_files import game_binding
from pbem.lab.rule_cases.format import read_case
from pbem.mail.people import Roll, read_people
from pbem.mail.settings import read_host


def refused(read: Callable[[], object]) -> GameError:
    began = process_time()
    with pytest.raises(GameError) as caught:
        read()
    assert process_time() - began < 0.3
    return caught.value


def open_game(folder: Path) -> None:
    with opened(folder):
        pass


READERS: dict[str, Callable[[Path], object]] = {
    "host.toml": read_host,
    "players.toml": read_people,
    "tournaments/cup.toml": lambda folder: tournament.read(folder, "cup", Roll()),
    "site.toml": site_settings,
    "game.toml": open_game,
    "vassal.toml": game_binding,
    "copy.toml": lambda folder: with_settings(folder / "copy.toml", {}),
    "case.toml": lambda folder: read_case(folder / "case.toml"),
    "ship.toml": lambda folder: parsed_file(folder / "ship.toml", "ship file", "ship.toml"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_toml_file_without_end_is_refused_at_once(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    with file.open("wb") as long:
        long.truncate(400_000_000)
    error = refused(lambda: READERS[name](tmp_path))
    assert {fault.code for fault in error.faults} <= {"file-too-long", "not-toml"}
    assert "more" in str(error)


def test_messages_are_allowed_where_the_file_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "post.toml").write_text('messages = "none"\n')
    assert allowed(tmp_path) == "none"
    (tmp_path / "post.toml").write_text('messages = "none"\n' + "#" * MOST_TOML)
    assert allowed(tmp_path) == "all"


def test_a_file_of_as_many_bytes_as_may_be_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"#" * MOST_TOML_BYTES)
    assert len(read_toml_file(tmp_path / "a.toml")) == MOST_TOML_BYTES
    (tmp_path / "a.toml").write_bytes(b"#" * (MOST_TOML_BYTES + 1))
    text = f"{tmp_path / 'a.toml'}: file-too-long: shorten this TOML file: it has more than 4000000 bytes"
    assert str(refused(lambda: read_toml_file(tmp_path / "a.toml"))) == text
