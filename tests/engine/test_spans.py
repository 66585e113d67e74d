"""How the impulses that orders cover are told."""

from __future__ import annotations

import pytest

from pbem.data.terms import FormKind, impulses_in_words
from pbem.engine.state import Request
from pbem.mail.replies.receipts import stretch_of
from pbem.orders.draft import DraftRequest, _opening
from pbem.reports.text.sentences import stretch


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [(0, 16, "impulses 1 to 16"), (9, 16, "impulses 9 to 16"), (16, 16, "impulse 16"), (0, 1, "impulse 1")],
)
def test_one_impulse_is_no_stretch_to_itself(first: int, last: int, said: str) -> None:
    assert impulses_in_words(first, last) == said
    request = Request(number=2, turn=1, impulse=first, form=FormKind.SOP, sides=("a",), through=last, reason="")
    assert stretch_of(request) == f"turn 1, {said}, REPLY 2" and stretch(request) == f"turn 1, {said}"
    asked = DraftRequest("duel", 1, "a", None, FormKind.SOP, first, last)
    assert f"turn 1, {said}. They" in next(_opening(asked, None))
