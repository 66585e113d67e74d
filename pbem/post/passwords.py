"""Where the passwords of the mail servers come from: a variable, or the system's keyring. Never a file of ours."""

from __future__ import annotations

import os
from importlib import import_module
from typing import NamedTuple


class Password(NamedTuple):
    """A password, empty where there is none, and in words where it was found or was looked for in vain."""

    text: str
    source: str


def password(variable: str, host: str, user: str) -> Password:
    """The password of ``user`` at ``host``: of the environment, or else of the keyring (service ``pbem HOST``)."""
    if found := os.environ.get(variable, ""):
        return Password(found, f"the variable {variable}")
    how = f"set the variable {variable}, or put it into the keyring: keyring set 'pbem {host}' {user}"
    try:
        keyring = import_module("keyring")
    except ImportError:
        return Password("", f"{how} (the keyring needs: pip install keyring)")
    try:
        found = keyring.get_password(f"pbem {host}", user) or ""
    except Exception as error:  # whatever its back end raises where it is locked, broken or not there
        return Password("", f"{how} (the keyring does not answer: {' '.join(str(error).split())[:100]})")
    return Password(found, "the keyring") if found else Password("", how)
