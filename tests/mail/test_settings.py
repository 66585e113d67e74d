"""Every key of every file that people write or read is on the page of settings, and what is there is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from pbem.engine.options import Options
from pbem.errors import GameError
from pbem.games.site import SiteSettings
from pbem.games.storage.terms import DiceTerms, SideTerms, Terms
from pbem.mail.host.deadlines import Rule
from pbem.mail.people import People, Person
from pbem.mail.settings import INITIAL, GamePost, Host, Letters, Smtp, read_host
from pbem.mail.transport.imap import Account
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.oauth import OAuth
from pbem.vassal_bridge.binding import Binding

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "host-guide.md"
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
Struct = type[msgspec.Struct]
TABLES: dict[str, dict[str, Struct]] = {
    "host.toml": {"": Host, "smtp.": Smtp, "deadlines.": Rule, "letters.": Letters, "inbox.": Account, "oauth.": OAuth},
    "players.toml": {"": People, "people.KEY.": Person},
    "game.toml": {"": Terms, "sides.SIDE.": SideTerms, "options.": Options, "dice.": DiceTerms},
    "site.toml": {"": SiteSettings},
    "vassal.toml": {"": Binding},
}
"""What reads each file: a struct for each of its tables."""
BESIDE = {"host.toml": {"inbox.kind", "inbox.path"}}
"""Keys that are in no struct: mail that is fetched from a folder."""
TOLD_BY_ITS_KEYS = {"host.toml": {"inbox", "smtp", "oauth", "deadlines", "letters"}}
"""Tables that have no row of their own."""


def documented(file: str) -> dict[str, str]:
    """The keys of a file's tables on the page, and what stands as their default."""
    section = PAGE.partition(f"\n## {file}")[2].partition("\n## ")[0]
    found: dict[str, str] = {}
    for row in re.findall(r"^\| (`.+?`) \|(.*?)\|", section, re.MULTILINE):
        for key in re.findall(r"`([a-zA-Z._]+)`", row[0]):
            assert key not in found, f"{key} stands twice"
            found[key] = row[1].strip("` ")
    return found


@pytest.mark.parametrize("file", TABLES)
def test_the_tables_of_keys_are_what_the_readers_know(file: str) -> None:
    known = {
        f"{prefix}{field.name}" for prefix, struct in TABLES[file].items() for field in msgspec.structs.fields(struct)
    }
    assert set(documented(file)) == (known | BESIDE.get(file, set())) - TOLD_BY_ITS_KEYS.get(file, set())


def test_a_game_of_its_own_may_say_what_the_page_says() -> None:
    assert {field.name for field in msgspec.structs.fields(GamePost)} == {"format", "umpire", "messages", "deadlines"}
    assert "`messages` and a `[deadlines]`" in PAGE


@pytest.mark.parametrize("file", TABLES)
def test_the_defaults_in_the_tables_are_those_of_the_readers(file: str) -> None:
    told, compared = documented(file), 0
    for prefix, struct in TABLES[file].items():
        for field in msgspec.structs.fields(struct):
            key = prefix + field.name
            if key not in told or key in ("options", "dice"):
                continue
            if field.required:
                assert told[key] == "", key
                continue
            made = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
            value = msgspec.json.decode(msgspec.json.encode(made))
            if told[key] in ("", "none"):
                assert not value, key
            else:
                assert list(tomllib.loads(f"x = {told[key]}").values()) == [value], key
            compared += 1
    assert compared


def test_the_examples_are_read(tmp_path: Path) -> None:
    (tmp_path / "host.toml").write_text(INITIAL, encoding="utf-8")
    assert read_host(tmp_path).messages == "all"
    imap = re.sub(r"(?m)^# (kind|host|user|security|port|done) = ", r"\1 = ", INITIAL)
    imap = imap.replace('kind = "folder"\npath = "mail/in"\n', "")
    (tmp_path / "host.toml").write_text(imap, encoding="utf-8")
    assert type(open_source(read_host(tmp_path).inbox, tmp_path)).__name__ == "Imap"
    block = re.search(r"```toml\n(\[inbox\].*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    (tmp_path / "host.toml").write_text(f'format = 1\norders = "orders@example.org"\n{block[1]}', encoding="utf-8")
    assert type(open_source(read_host(tmp_path).inbox, tmp_path)).__name__ == "Imap"


def test_a_word_that_is_none_of_a_few_lists_them(tmp_path: Path) -> None:
    text = INITIAL.replace('late = "wait"', 'late = "robott"')
    (tmp_path / "host.toml").write_text(text, encoding="utf-8")
    with pytest.raises(GameError) as error:
        read_host(tmp_path)
    may = "'wait', 'hold', 'last orders', 'robot', 'captain'"
    said = f"deadlines.late: is 'robott'; it must be one of {may}; did you mean 'robot'?"
    assert error.value.faults[0].text == said
    for empty, what in (("", "this file is empty"), ('name = ""\n', "this file has no line `format = 1`")):
        (tmp_path / "host.toml").write_text(empty, encoding="utf-8")
        with pytest.raises(GameError, match=what):
            read_host(tmp_path)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('web = "https://sfb.example.org/club"', "web = 'https://sfb.example.org/club' is no address like"),
        (
            'web = "sfb.example.org"',
            "web = 'sfb.example.org' is no address like https://sfb.example.org; it",
        ),
        ("workers = -1", "workers = -1: so many processes play, 1 to 256, or 0 for one a core"),
        ("workers = 257", "workers = 257: so many processes play"),
        ('cluster = "scheduler"', "cluster = 'scheduler' is no address of a dask scheduler like tls://"),
        ('keep = "long"', "keep = 'long' is no span of time like '60 days'"),
        ('[letters]\naway = "a while"', "letters.away: 'a while' is no span of time like '3 days'"),
        ('[letters]\nyearly = "often"', "letters.yearly: 'often' is no span of time like '3 days'"),
        ('[letters]\nextend = "3"', "letters.extend: '3' is no span of time like '3 days'"),
        ('site = "."', "site = '.': a site may not lie in the host's folder"),
        ('figures = "a\\u0007b"', "figures = 'a\\x07b' contains a character that no path can have"),
    ],
)
def test_settings_that_cannot_be_meant_are_told_all_at_once(tmp_path: Path, lines: str, told: str) -> None:
    """Each with a second mistake beside it: nobody mends one to be told of the next."""
    head = 'format = 1\norders = "orders@example.org"\numpire = "umpire@example.org"\n'
    (tmp_path / "host.toml").write_text(head + 'site = "../site"\n' * ("site" not in lines) + lines, encoding="utf-8")
    with pytest.raises(GameError) as error:
        read_host(tmp_path)
    assert [fault.text[: len(told)] for fault in error.value.faults] == [told]
    both = head + ('keep = "ever"\n' if "keep" not in lines else "workers = 999\n") + lines
    (tmp_path / "host.toml").write_text(both, encoding="utf-8")
    with pytest.raises(GameError) as error:
        read_host(tmp_path)
    assert len(error.value.faults) == 2 and {fault.file for fault in error.value.faults} == {
        str(tmp_path / "host.toml")
    }


@pytest.mark.parametrize(
    "lines", ["workers = 0", "workers = 256", 'keep = "60 days"', 'web = "https://a.example:8080"']
)
def test_settings_at_their_edges_are_taken(tmp_path: Path, lines: str) -> None:
    (tmp_path / "host.toml").write_text(f'format = 1\norders = "orders@example.org"\n{lines}\n', encoding="utf-8")
    assert read_host(tmp_path).orders == "orders@example.org"
