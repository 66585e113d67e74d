"""Open the mailbox that the ``[inbox]`` of host.toml describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pbem.data.files import PLAIN_PATHS
from pbem.errors import GameError
from pbem.mail.transport.oauth import NOBODY, OAuthLogin
from pbem.mail.transport.sources import EmlFolder, Maildir, Mbox, OneLetter, Source


def open_source(settings: Mapping[str, Any], base: Path, login: OAuthLogin = NOBODY) -> Source:
    """Return the mailbox that the section ``[inbox]`` of host.toml describes.

    The setting ``kind`` is one of:

    * ``folder``, ``maildir`` or ``mbox``, each with a ``path`` relative to ``base``;
    * ``pipe``, a single email on standard input;
    * ``imap``, with ``host`` and ``user``. Optional are ``port``, ``security`` (tls, starttls or none), ``mailbox``,
      ``done`` (a mailbox to which handled emails are moved), ``login`` (password or oauth) and ``timeout``. The
      argument ``login`` provides access tokens for OAuth.

    Raises:
        GameError: If a setting is invalid or unknown.
    """
    known = dict(settings)
    kind = str(known.pop("kind", ""))
    if kind in ("folder", "maildir", "mbox"):
        path = _place(base, known.pop("path", ""), kind)
        _nothing_else(known, kind)
        if kind == "folder":
            return EmlFolder(path)
        return Maildir(path) if kind == "maildir" else Mbox(path)
    if kind == "pipe":
        _nothing_else(known, kind)
        return OneLetter()
    if kind == "imap":
        from pbem.mail.transport.imap import imap_source

        return imap_source(known, login)
    raise _wrong(f"the kind of an inbox is folder, maildir, mbox, imap or pipe, not {kind!r}")


def _place(base: Path, path: object, kind: str) -> Path:
    """Return the ``path`` setting of an inbox as a path, relative to ``base``.

    ``~`` is the home folder of the account that runs the host.
    """
    if not isinstance(path, str) or not path:
        raise _wrong(f"an inbox of kind {kind} needs a path")
    if not path.isprintable():
        raise _wrong(f"the path {path!r} has a character that paths cannot contain: {PLAIN_PATHS}")
    try:
        return base / Path(path).expanduser()
    except RuntimeError as error:
        raise _wrong(f"the path {path!r} begins with a home that is not known here") from error


def _nothing_else(settings: Mapping[str, Any], kind: str) -> None:
    if settings:
        raise _wrong(f"an inbox of kind {kind} has no {', '.join(sorted(settings))}")


def _wrong(text: str) -> GameError:
    return GameError.saying("inbox", text, file="[inbox]")
