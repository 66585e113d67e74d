"""Every key of host.toml and post.toml is documented, and what is documented is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from pbem.faults import GameError
from pbem.post.clock import Rule
from pbem.post.imap import Account
from pbem.post.inbox import open_source
from pbem.post.settings import INITIAL, GamePost, Host, Letters, Smtp, read_host

DOCS = Path(__file__).resolve().parents[2] / "docs" / "hosting.md"


def names(kind: type[msgspec.Struct], prefix: str = "") -> set[str]:
    return {f"{prefix}{field.name}" for field in msgspec.structs.fields(kind)}


def documented() -> dict[str, str]:
    """The keys of the table, and what stands as their default."""
    text = DOCS.read_text(encoding="utf-8").partition("### Every key of host.toml")[2].partition("\n### ")[0]
    found = {}
    for row in re.findall(r"^\| (`.+?`) \|(.*?)\|", text, re.MULTILINE):
        for key in re.findall(r"`([a-z.]+)`", row[0]):
            found[key] = row[1].strip("` ")
    return found


def test_the_table_of_keys_is_what_the_reader_knows() -> None:
    known = names(Host) - {"inbox", "smtp", "deadlines", "letters"}
    known |= (
        names(Smtp, "smtp.")
        | names(Rule, "deadlines.")
        | names(Letters, "letters.")
        | names(Account, "inbox.")
        | {"inbox.kind", "inbox.path"}
    )
    assert set(documented()) == known
    assert names(GamePost) == {"format", "messages", "deadlines"}


def test_the_defaults_in_the_table_are_those_of_the_reader() -> None:
    account = Account(host="", user="")
    made = (
        (Host(format=1, orders=""), ""),
        (Smtp(), "smtp."),
        (Rule(), "deadlines."),
        (Letters(), "letters."),
        (account, "inbox."),
    )
    told, compared = documented(), 0
    for settings, prefix in made:
        for name in settings.__struct_fields__:
            key, value = prefix + name, msgspec.json.decode(msgspec.json.encode(getattr(settings, name)))
            if key not in told or key in ("format", "inbox.port"):  # the port depends on security
                continue
            if told[key] in ("", "none"):
                assert not value, key
            else:
                assert list(tomllib.loads(f"x = {told[key]}").values()) == [value], key
                compared += 1
    assert compared > 12


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
    said = "deadlines.late: is 'robott', and may be 'wait', 'hold', 'last orders', 'robot'; did you mean 'robot'?"
    assert error.value.faults[0].text == said
    for empty, what in (("", "this file is empty"), ('name = ""\n', "this file has no line `format = 1`")):
        (tmp_path / "host.toml").write_text(empty, encoding="utf-8")
        with pytest.raises(GameError, match=what):
            read_host(tmp_path)
