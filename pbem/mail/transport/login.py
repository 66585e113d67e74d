"""Log in to mailboxes by OAuth, and renew these logins in time.

The person who runs the host logs in once with ``pbem host login``. Then an access token, which is valid for about an
hour, is sent to the mail server. The refresh token that renews it may change each time, so only one program at a time
renews, and it stores the new tokens before it uses them. The messages of the protocol are in
:mod:`pbem.mail.transport.oauth`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit

from pbem.errors import GameError
from pbem.mail.settings import Host, shown_path
from pbem.mail.transport import oauth, passwords
from pbem.mail.transport.oauth import (
    NO_LOGIN,
    OAUTH,
    Answer,
    CodeRequest,
    OAuth,
    OAuthLogin,
    Tokens,
    Transport,
    endpoints,
)
from pbem.mail.transport.passwords import Wanted
from pbem.mail.transport.smtp import distrust

_LIMIT: Final = 30.0
"""Maximum seconds for one request to an authorization server, including its whole answer."""
_WAIT: Final = 3 * _LIMIT
"""Maximum seconds to wait while another program renews a login."""
_YOUNG: Final = 600.0
"""Age in seconds below which an access token is not renewed after a mail server rejects it.

Otherwise a server that rejects every token, for example because it does not allow IMAP, would cause a renewal in every
round.
"""
_BROWSER_TIME: Final = 900.0
_REQUEST_TIME: Final = 3.0
_LONGEST_REQUEST: Final = 16_000
_unsaved: dict[Wanted, Tokens] = {}
"""Tokens that were renewed and could not be stored.

This process uses them, and tries again to store them.
"""


class Logins(NamedTuple):
    """How a club logs in by OAuth: its settings, and the command with which a person logs in."""

    oauth: OAuth = OAuth()
    command: str = "pbem host login DIR"


class Asking(NamedTuple):
    """Functions with which a login talks to a person: output, input, waiting, and a clock in seconds.

    ``read_line`` is a function that reads a line that the person types. It is ``None`` if the browser runs on this
    machine.
    """

    tell: Callable[[str], object]
    read_line: Callable[[], str] | None = None
    sleep: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.monotonic


def logins_of(folder: Path, host: Host) -> Logins:
    """Return the OAuth settings and the login command of the club in this folder."""
    return Logins(host.oauth, f"pbem host login {shown_path(folder.absolute())}")


def users_of(host: Host) -> list[str]:
    """Return the mailboxes that use a login by OAuth, without duplicates."""
    inbox = str(host.inbox.get("user", "")) if host.inbox.get("login") == OAUTH else ""
    return list(dict.fromkeys(filter(None, (inbox, host.smtp.user if host.smtp.login == OAUTH else ""))))


def login_for(logins: Logins, user: str) -> OAuthLogin:
    """Return the functions that get and renew access tokens for one mailbox of a club."""
    return OAuthLogin(partial(access, logins, user), partial(renew, logins, user), logins.command)


def not_logged_in(logins: Logins, host: Host) -> list[str]:
    """Return the mailboxes that use a login by OAuth and to which nobody has logged in yet."""
    lacking = []
    for user in users_of(host):
        try:
            _known(logins, user)
        except GameError:
            lacking.append(user)
    return lacking


# --- the network ---


def post(address: str, form: Mapping[str, str]) -> Answer:
    """Send a form to a URL and return the answer.

    Redirections are not followed, and no more is read than a valid answer can have.

    Raises:
        GameError: There is no answer within the time limit, or tokens may not be sent to this URL.
    """
    host = urlsplit(address).hostname or ""
    if not oauth.is_safe(address):
        raise GameError.saying("login-server", f"the address of the login server {host} must begin with https")
    done: list[Answer | str] = []
    # A server that sends single bytes slowly never exceeds the limit of a single wait.
    thread = threading.Thread(target=lambda: done.append(_posted(address, host, form)), daemon=True)
    thread.start()
    thread.join(_LIMIT)
    answer = done[0] if done else f"it took longer than {_LIMIT:g} seconds"
    if isinstance(answer, str):
        raise GameError.saying("login-server", f"the login server {host} cannot be reached: {answer}")
    return answer


def _posted(address: str, host: str, form: Mapping[str, str]) -> Answer | str:
    """Send a form to a URL of the server ``host``; return the answer, or text with the cause of a failure."""
    from http.client import HTTPException
    from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """Handler that follows no redirection, because a redirection could send a token elsewhere."""

        def redirect_request(self, *of_the_answer: Any) -> None:
            return None

    headers = {"User-Agent": "pbem", "Accept": "application/json"}
    opener = build_opener(Stay, *([ProxyHandler({})] if host == "127.0.0.1" else []))
    try:
        with opener.open(Request(address, urlencode(form).encode("ascii"), headers), timeout=_LIMIT) as response:
            return Answer(response.status, response.read(oauth.LONGEST_ANSWER))
    except HTTPError as error:
        with error, suppress(OSError, HTTPException):
            return Answer(error.code, error.read(oauth.LONGEST_ANSWER))
        return Answer(error.code, b"")
    except (URLError, OSError, HTTPException, ValueError) as error:
        why = getattr(error, "reason", "") or error
        if isinstance(why, ssl.SSLError):
            return f"there is no safe connection: {distrust(why)}"
        return (why.strerror or type(why).__name__) if isinstance(why, OSError) else type(why).__name__


# --- to use a login ---


def access(
    logins: Logins, user: str, stale: str = "", *, send: Transport = post, now: Callable[[], float] = time.time
) -> str:
    """Return an access token of a mailbox; renew the login if the token has expired.

    Args:
        logins: The club's settings.
        user: The mailbox.
        stale: An access token that a mail server did not accept, or empty.
        send: Function that sends a form.
        now: Function that returns the time, in seconds since 1970.

    Raises:
        GameError: Nobody is logged in, or the login can no longer be renewed.
    """
    tokens = _known(logins, user)
    return (tokens if _serves(tokens, stale, now()) else _renewed(logins, user, stale, send, now)).access


def renew(logins: Logins, user: str, *, send: Transport = post, now: Callable[[], float] = time.time) -> str:
    """Renew the login of a mailbox before its access token expires; return where the login is stored.

    A server that does not answer is an error only if the access token has expired.

    Raises:
        GameError: Nobody is logged in, the server no longer renews the login, or it cannot be stored.
    """
    tokens = _known(logins, user)
    if tokens.ended:
        raise _ended(logins, user)
    if now() >= tokens.renew:
        try:
            _renewed(logins, user, "", send, now, early=True)
        except GameError as error:
            if now() >= tokens.expires or error.faults[0].code == NO_LOGIN:
                raise
    wanted = _wanted(logins, user)
    if wanted in _unsaved:
        with _alone():
            _save(wanted, _unsaved[wanted])
    return passwords.token(wanted).source


def _serves(tokens: Tokens, stale: str, at: float, *, early: bool = False) -> bool:
    """Return whether an access token can still be used at the time ``at`` (seconds since 1970).

    If ``early`` is true, the token must also remain usable for a while. ``stale`` is a token that a mail server did not
    accept.
    """
    if at >= (tokens.renew if early else tokens.expires):
        return False
    return tokens.access != stale or at - tokens.at < _YOUNG


def _renewed(
    logins: Logins, user: str, stale: str, send: Transport, now: Callable[[], float], *, early: bool = False
) -> Tokens:
    """Return usable tokens, which another program has just renewed or this function renews."""
    wanted = _wanted(logins, user)
    with _alone():
        current = _known(logins, user)
        if _serves(current, stale, now(), early=early):
            return current
        if current.ended:
            raise _ended(logins, user)
        answer = send(endpoints(logins.oauth).token, oauth.refresh_form(logins.oauth, current))
        if oauth.failure(answer) == oauth.ENDED:
            _keep(wanted, _as_ended(current))
            raise _ended(logins, user)
        tokens = oauth.granted(answer, logins.oauth, now(), current.refresh)
        _keep(wanted, tokens)
        return tokens


def _as_ended(tokens: Tokens) -> Tokens:
    return Tokens(
        client=tokens.client, access=tokens.access, refresh="", at=tokens.at, renew=tokens.renew,
        expires=tokens.expires, ended=True,
    )  # fmt: skip


def _ended(logins: Logins, user: str) -> GameError:
    host = endpoints(logins.oauth).host
    text = f"run `{logins.command}` to log in again: {host} no longer renews the login of {user}"
    return GameError.saying("no-login", text)


def _wanted(logins: Logins, user: str) -> Wanted:
    """Return the names under which the login of a mailbox is stored in the password file or keyring."""
    host = endpoints(logins.oauth).host
    number = hashlib.sha256(f"{host} {user}".encode()).hexdigest()[:8]
    name = re.sub(r"[^a-z0-9]+", "_", user.casefold())[:60].strip("_")
    return Wanted(f"PBEM_TOKEN_{name}_{number}", f"oauth {host}", user)


def _known(logins: Logins, user: str) -> Tokens:
    wanted = _wanted(logins, user)
    kept = passwords.token(wanted)
    stored = oauth.unpacked(kept.text, logins.oauth.client_id) if kept.text else None
    held = _unsaved.get(wanted)
    if held is not None and held.client == logins.oauth.client_id and (stored is None or held.at >= stored.at):
        return held
    _unsaved.pop(wanted, None)  # somebody has logged in since
    if stored is None:
        why = f" ({kept.source})" if kept.source and not kept.text else ""
        raise GameError.saying("no-login", f"run `{logins.command}` to log in as {user}: nobody is logged in{why}")
    return stored


def _keep(wanted: Wanted, tokens: Tokens) -> None:
    """Store tokens in place of the earlier ones; if that fails, keep them in the memory of this process."""
    _unsaved[wanted] = tokens
    with suppress(GameError, OSError):
        _save(wanted, tokens)


def _save(wanted: Wanted, tokens: Tokens) -> None:
    _store(wanted, tokens, keyring=passwords.token(wanted).source == passwords.KEYRING)


def _store(wanted: Wanted, tokens: Tokens, *, keyring: bool) -> str:
    """Store tokens, and return a name of the place where they are stored.

    Raises:
        GameError: The tokens cannot be stored, or cannot be read back.
    """
    word = oauth.packed(tokens)
    place = passwords.store_token(wanted, word, keyring=keyring)
    kept = passwords.token(wanted)
    if kept.text != word:
        said = f" ({kept.source})" if kept.source and not kept.text else ""
        raise GameError.saying(
            "no-login", f"the login of {wanted.user} was stored in {place} and is not found there{said}"
        )
    _unsaved.pop(wanted, None)
    return place


@contextmanager
def _alone() -> Iterator[None]:
    """Lock the logins in this context: only one program of this account renews or stores them at a time."""
    from filelock import FileLock, Timeout

    path = passwords.file()
    lock = FileLock(path.with_name(f"{path.name}.lock"), mode=0o600) if path is not None else None
    try:
        if lock is not None:
            lock.acquire(timeout=_WAIT, poll_interval=0.05)
    except Timeout:
        raise GameError.saying("login-server", "try again: another program is still renewing the login") from None
    except OSError:  # a home folder without write access needs no lock, because nothing is stored there
        lock = None
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


# --- to log in ---


def log_in(
    logins: Logins, user: str, asking: Asking, *, keyring: bool = False, send: Transport = post,
    now: Callable[[], float] = time.time,
) -> str:  # fmt: skip
    """Log in to a mailbox with the help of a person, and return where the login is stored.

    Args:
        logins: The club's settings.
        user: The mailbox.
        asking: Functions to talk with the person.
        keyring: Whether to store the login in the system's keyring instead of the password file.
        send: Function that sends a form.
        now: Function that returns the time, in seconds since 1970.

    Raises:
        GameError: The person or the server refused, nobody answered in time, or the login cannot be stored.
    """
    way = _by_device if endpoints(logins.oauth).flow == "device" else _by_browser
    answer = way(logins, user, asking, send)
    tokens = oauth.granted(answer, logins.oauth, now())
    with _alone():
        return _store(_wanted(logins, user), tokens, keyring=keyring)


def _by_device(logins: Logins, user: str, asking: Asking, send: Transport) -> Answer:
    where = endpoints(logins.oauth)
    code = oauth.device_code(send(where.device, oauth.device_form(logins.oauth)), where.host)
    asking.tell(
        f"Open {code.address} in any browser, log in as {user}, and enter this code within "
        f"{max(1, round(code.lasts / 60))} min:\n\n    {code.user_code}\n"
    )
    wait, end = code.interval, asking.clock() + code.lasts
    while True:
        asking.sleep(wait)
        if asking.clock() >= end:
            raise oauth.too_late()
        try:
            answer = send(where.token, oauth.poll_form(logins.oauth, code))
        except GameError:
            wait = oauth.slower(wait)
            continue
        again = oauth.next_wait(answer, wait)
        if not again:
            return answer
        wait = again


def _by_browser(logins: Logins, user: str, asking: Asking, send: Transport) -> Answer:
    where = endpoints(logins.oauth)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # Microsoft requires the first name, Google and RFC 8252 the second.
        name = "localhost" if logins.oauth.provider == "microsoft" else "127.0.0.1"
        redirect = f"http://{name}:{listening.getsockname()[1]}"
        request = CodeRequest(redirect, secrets.token_urlsafe(32), secrets.token_urlsafe(64))
        address = oauth.browser_address(logins.oauth, request, user)
        if asking.read_line is None:
            asking.tell(f"Open this address in a browser on this machine, and log in as {user}:\n\n    {address}\n")
            code = _code_from_browser(listening, request.state, asking.clock)
        else:
            listening.close()
            asking.tell(
                f"Open this address in any browser, and log in as {user}:\n\n    {address}\n\nThe browser ends on a "
                f"page that it cannot show. Copy that page's address ({redirect}/?…) to here:"
            )
            code = oauth.returned_code(asking.read_line().strip(), request.state)
    if not code:
        raise oauth.wrong_state()
    return send(where.token, oauth.code_form(logins.oauth, request, code))


def _code_from_browser(listening: socket.socket, state: str, clock: Callable[[], float]) -> str:
    """Wait until the browser returns to the local server ``listening``, and return the code from its URL.

    Requests with another state than ``state`` are refused.
    """
    end = clock() + _BROWSER_TIME
    while (left := end - clock()) > 0:
        listening.settimeout(left)
        try:
            line, _ = listening.accept()
        except TimeoutError:
            break
        with line, suppress(OSError):
            target = _target(line)
            try:
                code = oauth.returned_code(target, state)
            except GameError:
                _show(line, "200 OK", "The login failed. Look at the window in which pbem runs.")
                raise
            if code:
                _show(line, "200 OK", "You are logged in. Close this page.")
                return code
            _show(line, "400 Bad Request", "This page does not belong to the login that is going on.")
    raise oauth.too_late()


def _target(line: socket.socket) -> str:
    """Return the target of a GET request; empty if the request is something else, too long, or too slow."""
    end, data = time.monotonic() + _REQUEST_TIME, b""
    while b"\n" not in data and len(data) < _LONGEST_REQUEST and (left := end - time.monotonic()) > 0:
        line.settimeout(left)
        part = line.recv(_LONGEST_REQUEST)
        if not part:
            break
        data += part
    words = data.partition(b"\n")[0].decode("ascii", "replace").split()
    return words[1] if len(words) == 3 and words[0] == "GET" and words[1].startswith("/?") else ""


def _show(line: socket.socket, status: str, text: str) -> None:
    line.settimeout(_REQUEST_TIME)
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
    with suppress(OSError):
        line.sendall(head.encode("ascii") + body)
        line.shutdown(socket.SHUT_WR)
        line.recv(_LONGEST_REQUEST)  # the rest of the request; without it, closing may lose the answer
