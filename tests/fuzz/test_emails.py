"""A few hundred hostile emails; ``python -m tests.fuzz.emails`` makes as many as are wanted."""

from __future__ import annotations

import pytest

from tests.fuzz import emails

pytestmark = pytest.mark.slow


def test_hostile_emails_are_read_and_answered_in_bounded_time() -> None:
    assert not emails.run(400, 7, 20)


def test_what_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An email that raises, one that is put aside for a mistake of ours, and one that takes too long."""
    monkeypatch.setattr(emails, "read_letter", lambda raw: 1 / 0)
    assert "ZeroDivisionError" in emails.run(1, 7, 0)[0].why
    monkeypatch.undo()
    monkeypatch.setattr("pbem.mail.incoming.message.chosen_text", lambda parts, subject: 1 / 0)
    assert "reading it failed (ZeroDivisionError" in emails.run(1, 7, 0)[0].why
    monkeypatch.undo()
    monkeypatch.setattr(emails, "READ", 0.0)
    assert "read in " in emails.run(1, 7, 0)[0].why
