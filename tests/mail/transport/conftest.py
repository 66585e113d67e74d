"""An account of its own, and the servers of :mod:`tests.mail.transport.authorization`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.mail.transport import login
from pbem.mail.transport.passwords import IMAP_PASSWORD, SMTP_PASSWORD
from tests.mail.transport.authorization import Authorization


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An account without a password, a token or a keyring."""
    for name in (IMAP_PASSWORD, SMTP_PASSWORD):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setitem(sys.modules, "keyring", None)
    yield tmp_path
    login._unsaved.clear()


@pytest.fixture
def authorization() -> Iterator[Authorization]:
    server = Authorization()
    yield server
    server.close()
