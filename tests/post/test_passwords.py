"""Passwords come from a variable or the keyring, and everybody is told from which."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from pbem.post.passwords import password

VARIABLE = "PBEM_TEST_PASSWORD"


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "from the variable")
    found = password(VARIABLE, "mail.example", "host")
    assert found == ("from the variable", f"the variable {VARIABLE}")


def test_without_a_keyring_it_is_said_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    found = password(VARIABLE, "mail.example", "host")
    assert found.text == ""
    assert VARIABLE in found.source and "pip install keyring" in found.source


def test_a_keyring_that_is_broken_is_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(service: str, user: str) -> str:
        raise RuntimeError("the back end is\nlocked")

    module = ModuleType("keyring")
    module.get_password = broken  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    found = password(VARIABLE, "mail.example", "host")
    assert found.text == "" and "the keyring does not answer: the back end is locked" in found.source


def test_the_real_keyring_is_asked_for_this_server_and_user() -> None:
    keyring = pytest.importorskip("keyring", reason="needs keyring (pip install keyring)")
    backend = pytest.importorskip("keyring.backend")

    class Kept(backend.KeyringBackend):  # type: ignore[misc, name-defined, unused-ignore]
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return "from the keyring" if (service, username) == ("pbem mail.example", "host") else None

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    before = keyring.get_keyring()
    keyring.set_keyring(Kept())
    try:
        assert password(VARIABLE, "mail.example", "host") == ("from the keyring", "the keyring")
        assert "keyring set 'pbem mail.example' eve" in password(VARIABLE, "mail.example", "eve").source
    finally:
        keyring.set_keyring(before)
