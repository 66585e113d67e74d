"""Find and store the passwords and tokens of the mail servers; no other module knows where they are.

Passwords come from an environment variable, else from the file ``.pbem-passwords`` in the user's home folder, else
from the system's keyring. They are never in a file of a club. A program that the system starts does not have the
variables of a shell (:func:`for_service`). Tokens are in the same file or keyring. They are never read from an
environment variable, because they change, and a running service would have an old value.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from pbem.errors import GameError
from pbem.games.storage.files import read_bytes, write_bytes
from pbem.util import install_command, regex

if sys.platform == "win32":
    import winreg

IMAP_PASSWORD: Final = "PBEM_IMAP_PASSWORD"
SMTP_PASSWORD: Final = "PBEM_SMTP_PASSWORD"
"""Name of the environment variable with the SMTP password.

In the password file, each password has the same name as its variable.
"""
FILE: Final = ".pbem-passwords"
"""Name of the optional password file in the user's home folder; its lines are like ``VARIABLE='…'``."""
KEYRING: Final = "the keyring"
_OTHERS: Final = 0o077
_LINE: Final = regex(r"(?:export[ \t]+)?(\w+)=(?:'([^']*)'|\"([^\"$`\\]*)\"|([\w@%+:,./^=-]*))[ \t]*", re.ASCII)
"""Regular expression for lines of the password file that a shell, systemd and this program read alike.

With other syntax, a ``$`` or a space would give different passwords.
"""


class Wanted(NamedTuple):
    """A password or token to find: the name of its environment variable, the server and the user."""

    variable: str
    host: str
    user: str


class Password(NamedTuple):
    """A password, and a text that says where it came from (``source``).

    If no password was found, ``text`` is empty and ``source`` says how to provide one.
    """

    text: str
    source: str


def file() -> Path | None:
    """Return the path of the password file; ``None`` for an account without a home folder."""
    try:
        return Path.home() / FILE
    except RuntimeError:
        return None


def password(variable: str, host: str, user: str) -> Password:
    """Return the password of ``user`` at ``host``: from the environment, the file, or the keyring.

    The service name in the keyring is ``pbem HOST``. ``variable`` is the name of the environment variable.
    """
    if value := os.environ.get(variable, ""):
        return Password(value, f"the variable {variable}")
    return _without_shell(Wanted(variable, host, user), f"set the variable {variable}, ")


def for_service(wanted: Wanted) -> Password:
    """Return the password that a program started by the operating system would find.

    Such a program lacks the variables of a shell; on Windows it has the variables of the account.
    """
    if value := _of_account(wanted.variable):
        return Password(value, f"the variable {wanted.variable} of your account")
    return _without_shell(wanted, "")


def whence(wanted: Wanted) -> str:
    """Return a text that says where a password comes from, for a person who tests a service's settings.

    The text also says whether a service would find another password, or none.
    """
    here, there = password(*wanted), for_service(wanted)
    if here == there or here.text == there.text:
        return there.source
    if there.text:
        return f"{here.source} in this shell; a service takes another one, that of {there.source}"
    return f"{here.source}, only in this shell: a service will not have it"


def refused(source: str, answer: str) -> str:
    """Return the message for a server that rejects user name and password.

    ``source`` is where the password came from, and ``answer`` is the server's message.
    """
    return f"the user name or the password is wrong (the password is that of {source}). It says: {answer}"


def lacking(wanted: Iterable[Wanted]) -> list[Wanted]:
    """Return the wanted passwords that a program started by the operating system would not find."""
    return [one for one in wanted if not for_service(one).text]


def how_for_service(wanted: Iterable[Wanted]) -> Iterator[str]:
    """Yield lines that explain how to provide missing passwords to a host that the system starts.

    Nothing is yielded if no password is missing and the password file is in order.
    """
    wanted = list(wanted)
    if wanted and (trouble := file_trouble()):
        yield f"Mend this: {trouble}."
    if not (missing := lacking(wanted)):
        return
    whose = " nor ".join(dict.fromkeys(f"for {one.user} at {one.host}" for one in missing))
    yield f"A service does not see the variables of this shell, and finds no password {whose}."
    if (path := file()) is not None:
        rights = "that only you may read" + ("" if sys.platform == "win32" else f" (chmod 600 {path})")
        yield f"Write into {path}, a file {rights}:"
        yield from (f"    {one.variable}='…'" for one in missing)
    yield f"or put {'it' if len(missing) == 1 else 'them'} into the keyring{_needs_keyring()}:"
    yield from dict.fromkeys(f"    {_keyring_set(one)}" for one in missing)


def file_trouble() -> str:
    """Return what is wrong with the password file; empty if it is in order or missing."""
    path = file()
    if path is None or not path.is_file():
        return ""
    if sys.platform != "win32" and path.stat().st_mode & _OTHERS:
        return f"others may read {path}: chmod 600 {path}"
    entries = (_of_file(variable) for variable in (IMAP_PASSWORD, SMTP_PASSWORD))
    return next((one.source for one in entries if one.source and not one.text), "")


def token(wanted: Wanted) -> Password:
    """Return the token that :func:`store_token` stored, from the file or the keyring.

    If there is none, ``text`` is empty, and ``source`` says what is wrong with file or keyring, or is empty too.
    """
    stored, reasons = _stored(wanted)
    why = [one for one in reasons if one != _needs_keyring().strip(" ()")]
    return stored if stored.text else Password("", "; ".join(why))


def store_token(wanted: Wanted, text: str, *, keyring: bool) -> str:
    """Store a token in the password file, or in the keyring, and return the name of the place.

    Other lines of the file are not changed, and only the owner of the file may read it afterwards.

    Raises:
        GameError: The place cannot be written.
    """
    path = file()
    if keyring:
        try:
            import_module("keyring").set_password(f"pbem {wanted.host}", wanted.user, text)
        except Exception as error:  # its back ends have errors of their own, and there may be no library
            said = f"log in without --keyring: the keyring refused the token ({type(error).__name__})"
            raise GameError.saying("no-login", said) from None
        return KEYRING
    if path is None:
        raise GameError.saying("no-login", "this account has no home folder in which a login could be kept")
    path = path.resolve()
    before = read_bytes(path) if path.is_file() else b""
    lines = before.splitlines(keepends=True)
    own = f"{wanted.variable}=".encode()
    kept = [line for line in lines if not line.startswith(own)]
    if kept and not kept[-1].endswith(b"\n"):
        kept.append(b"\n")
    write_bytes(path, b"".join((*kept, own, b"'", text.encode("ascii"), b"'\n")), private=True)
    return f"the file {path}"


def _without_shell(wanted: Wanted, first: str) -> Password:
    stored, reasons = _stored(wanted)
    if stored.text:
        return stored
    line = f"{wanted.variable}='…'"
    how = f"{first}write {line} into {file() or FILE}, or put it into the keyring: {_keyring_set(wanted)}"
    return Password("", f"{how} ({'; '.join(reasons)})" if reasons else how)


def _stored(wanted: Wanted) -> tuple[Password, list[str]]:
    """Return the password from the file or the keyring, and, if there is none, clauses on what is wrong."""
    entry = _of_file(wanted.variable)
    if entry.text:
        return entry, []
    reasons = [entry.source] if entry.source else []
    try:
        keyring = import_module("keyring")
    except ImportError:
        return Password("", ""), [*reasons, _needs_keyring().strip(" ()")]
    try:
        text = keyring.get_password(f"pbem {wanted.host}", wanted.user) or ""
    except Exception as error:  # a keyring that is locked, broken or missing raises errors of its back end
        return Password("", ""), [*reasons, f"the keyring does not answer: {' '.join(str(error).split())[:100]}"]
    return Password(text, KEYRING if text else ""), reasons


def _keyring_set(wanted: Wanted) -> str:
    return f"keyring set 'pbem {wanted.host}' {wanted.user}"


def _needs_keyring() -> str:
    """Return a hint in brackets on how to install the keyring library; empty if it is installed."""
    try:
        import_module("keyring")
    except ImportError:
        return f" (it needs: {install_command('keyring', commands=True)})"
    return ""


def _of_file(variable: str) -> Password:
    """Return the value of a variable in the password file.

    If there is none, the text is empty. If its line is invalid or the file unreadable, the source says why.
    """
    path = file()
    if path is None or not path.is_file():
        return Password("", "")
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        return Password("", f"{path} cannot be read: {error.strerror or error}")
    except UnicodeDecodeError:
        return Password("", f"{path} is no text in UTF-8")
    if (
        sys.platform == "win32"
    ):  # elsewhere a shell reads the file too, and takes these characters as part of the password
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    value, why = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if variable not in line or line.lstrip().startswith("#"):
            continue
        read = _LINE.fullmatch(line)
        if read is None:
            value, why = "", f"line {number} of {path} is not of the form {variable}='…'"
        elif read[1] == variable:
            value, why = next((part for part in read.groups()[1:] if part), ""), ""
    return Password(value, f"the file {path}") if value else Password("", why)


def _of_account(variable: str) -> str:
    """Return the value of an environment variable that Windows gives to every program of the account.

    On other systems the result is empty.
    """
    if sys.platform == "win32":
        machine = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
        for key, path in ((winreg.HKEY_CURRENT_USER, "Environment"), (winreg.HKEY_LOCAL_MACHINE, machine)):
            with suppress(OSError), winreg.OpenKey(key, path) as opened:
                return str(winreg.QueryValueEx(opened, variable)[0])
    return ""
