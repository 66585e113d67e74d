"""What beginners write, and whether the answer says at once what to do."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import GameError
from pbem.mail.settings import read_host
from pbem.mail.transport.inbox import open_source
from tests.mail import beginners
from tests.mail.beginners import Mistake

EVERY = list(beginners.mistakes(beginners.tokens(beginners._new_game())))
SETTINGS = tomllib.loads(beginners.TABLE.read_text(encoding="utf-8"))["setting"]


@pytest.mark.slow
@pytest.mark.parametrize("mistake", EVERY, ids=lambda mistake: mistake.name.replace(" ", "-"))
def test_the_answer_says_at_once_what_to_do(mistake: Mistake, tmp_path: Path) -> None:
    answer = beginners.answer_to(mistake, beginners.club(tmp_path / "host"))
    assert not beginners.what_is_bad(mistake, answer), f"{answer.subject}\n\n{answer.text}"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one["name"].replace(" ", "-"))
def test_a_host_reads_where_the_slip_is_and_what_to_write(setting: dict[str, Any], tmp_path: Path) -> None:
    old, changed = setting["change"]
    text = import_module("tests.mail.hosted").SETTINGS.format(late="wait", host="", port=0)
    assert old in text
    (tmp_path / "host.toml").write_text(text.replace(old, changed), encoding="utf-8")
    with pytest.raises(GameError) as wrong:
        open_source(read_host(tmp_path).inbox, tmp_path)
    assert len(wrong.value.faults) == 1 and re.search(setting["says"], str(wrong.value))


def test_a_bad_answer_is_seen(tmp_path: Path) -> None:
    """The judge of answers notices what the table asks for."""
    good = EVERY[5]
    answer = beginners.answer_to(good, beginners.club(tmp_path / "host"))
    faults = "".join(f"{number}. Wrong.\n" for number in range(1, 12))
    late = answer._replace(text=f"Nothing was filed.\n\n{faults}{answer.text}", filed=True)
    found = beginners.what_is_bad(good, late)
    assert len(found) == 2 + len(good.first) and "12 faults in a row" in found and "orders were filed" in found
