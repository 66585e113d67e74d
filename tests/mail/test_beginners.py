"""What beginners write, and whether the answer says at once what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail import beginners
from tests.mail.beginners import Mistake

EVERY = list(beginners.mistakes(beginners.tokens(beginners._new_game())))


@pytest.mark.slow
@pytest.mark.parametrize("mistake", EVERY, ids=lambda mistake: mistake.name.replace(" ", "-"))
def test_the_answer_says_at_once_what_to_do(mistake: Mistake, tmp_path: Path) -> None:
    answer = beginners.answer_to(mistake, beginners.club(tmp_path / "host"))
    assert not beginners.what_is_bad(mistake, answer), f"{answer.subject}\n\n{answer.text}"
