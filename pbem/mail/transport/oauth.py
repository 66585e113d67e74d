"""Build OAuth 2.0 requests for mailboxes, and read the answers of the authorization server.

All functions here are pure; :mod:`pbem.mail.transport.login` sends and stores. Two ways to log in are supported: the
device flow (RFC 8628), and the authorization code with PKCE on a loopback address (RFC 8252, RFC 7636). No text made
here contains a token, a code or a sentence of the server, because a server may repeat what it was sent.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from pbem.errors import Fault, GameError
from pbem.util import regex

PASSWORD: Final = "password"
OAUTH: Final = "oauth"
LogIn = Literal["password", "oauth"]
"""The ways to log in to a mail server: values of the key ``login`` of ``[inbox]`` and ``[smtp]``."""
NO_LOGIN: Final = "no-login"
"""The fault code that says that a person must log in."""
LOGIN_CODES: Final = (NO_LOGIN, "login-server")
"""The fault codes after which nothing that needs the login can work."""
LONGEST_ANSWER: Final = 100_000
"""Maximum number of bytes that are read of an authorization server's answer."""
DEVICE_GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
ENDED: Final = "invalid_grant"
"""The error code of an authorization server that no longer renews a login."""
_PENDING: Final = "authorization_pending"
_SLOW_DOWN: Final = "slow_down"
_DENIED: Final = ("access_denied", "authorization_declined")
_TOO_LATE: Final = ("expired_token", "code_expired")
_HERE: Final = "127.0.0.1"
_MICROSOFT: Final = "https://login.microsoftonline.com/{}/oauth2/v2.0/{}"
_OUTLOOK: Final = "https://outlook.office.com/"
_HOUR: Final = 3600.0
_EARLY: Final = 300.0
"""How many seconds before its end an access token is renewed; half its lifetime if that is less."""
_MOST_SECONDS: Final = 10_000_000.0
_SLOWEST_POLL: Final = 60.0
_ACCESS: Final = regex(r"[\x21-\x7e]{1,20000}")
_SECRET: Final = regex(r"[\x20-\x7e]{1,20000}")
_SHOWN: Final = regex(r"[\x21-\x7e]{1,500}")
_ERROR: Final = regex(r"[a-z_]{1,40}")
_DETAIL: Final = regex(r"AADSTS\d{4,8}")
_TENANT: Final = regex(r"[A-Za-z0-9][A-Za-z0-9.-]{0,200}")
_TELLING: Final = 8
"""Minimum length of text shared by a token and a server's message that cannot be a coincidence."""
_HINTS: Final = {
    "invalid_client": "client_id and client_secret of [oauth] must be those that you registered",
    "unauthorized_client": "the registration of client_id must allow this way to log in",
    "invalid_scope": "it does not know the scopes of [oauth]",
    "unsupported_grant_type": "it does not know this way to log in; set another flow in [oauth]",
    ENDED: "the code counts no longer; log in again",
}


class OAuth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section ``[oauth]`` of host.toml: the authorization server of the mailboxes.

    Attributes:
        provider: The operator of the server; for ``generic`` the settings must include the endpoints.
        client_id: The identifier under which somebody registered this program with the server.
        client_secret: The secret of that registration, if it has one.
        tenant: Microsoft: the organization, by name or number, or ``common``, ``organizations``, ``consumers``.
        flow: The way to log in; by default ``device``, for Google ``code``.
        device: The endpoint for device codes.
        authorize: The endpoint for a login in the browser.
        token: The endpoint for tokens.
        scopes: The permissions that the login asks for; by default, to read and send email.
    """

    provider: Literal["microsoft", "google", "generic"] = "generic"
    client_id: str = ""
    client_secret: str = ""
    tenant: str = "common"
    flow: Literal["", "device", "code"] = ""
    device: str = ""
    authorize: str = ""
    token: str = ""
    scopes: tuple[str, ...] = ()


class Endpoints(NamedTuple):
    """The flow (``device`` or ``code``) of a login, the URLs it uses, and its scopes."""

    flow: str
    device: str
    authorize: str
    token: str
    scopes: str

    @property
    def host(self) -> str:
        """The name of the server that issues tokens."""
        return urlsplit(self.token).hostname or ""


class Answer(NamedTuple):
    """The status and the body of an HTTP answer."""

    status: int
    body: bytes


Transport = Callable[[str, Mapping[str, str]], Answer]
"""Type of a function that sends a form to a URL and returns the answer.

It raises :class:`GameError` with the code ``login-server`` if there is no answer.
"""


class OAuthLogin(NamedTuple):
    """How to get access tokens for one mailbox.

    Attributes:
        access: Returns an access token. Its argument is an access token that the mail server did not accept, or empty.
        renew: Renews the login if it would expire soon.
        command: The command with which a person logs in.
    """

    access: Callable[[str], str]
    renew: Callable[[], object]
    command: str


def _nobody(stale: str = "") -> str:
    raise GameError.saying("no-login", "log in to this mailbox first: nobody is logged in")


NOBODY: Final = OAuthLogin(_nobody, _nobody, "pbem host login DIR")
"""Used for a mailbox that needs no login by OAuth; getting a token from it raises an error."""


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of a login. Times are in seconds since 1970.

    Attributes:
        client: The client_id that logged in.
        access: The access token, which is sent to a mail server.
        refresh: The refresh token, which renews the login.
        at: When the tokens were issued.
        renew: When the access token must be renewed.
        expires: When the access token expires.
        ended: Whether the server refused to renew the login.
    """

    client: str
    access: str
    refresh: str
    at: float
    renew: float
    expires: float
    ended: bool = False

    def __repr__(self) -> str:
        """Return a text that contains no tokens, for logs and tracebacks."""
        return f"Tokens(expires={self.expires:.0f}, ended={self.ended})"


class DeviceCode(NamedTuple):
    """The answer to a request for a device code (RFC 8628).

    Attributes:
        address: The URL at which a person enters the user code.
        user_code: The code that the person enters.
        device_code: The code with which the program asks whether the person has done so.
        interval: Seconds between two such questions.
        lasts: Seconds until the codes expire.
    """

    address: str
    user_code: str
    device_code: str
    interval: float
    lasts: float


class CodeRequest(NamedTuple):
    """A login in the browser that is under way.

    Attributes:
        redirect: The URL to which the browser returns.
        state: A random word that the browser brings back.
        verifier: The secret that only this program knows (PKCE).
    """

    redirect: str
    state: str
    verifier: str


class _Device(msgspec.Struct):
    """A device authorization response (RFC 8628, 3.2)."""

    device_code: str
    user_code: str
    verification_uri: str = ""
    verification_url: str = ""
    expires_in: float = 900.0
    interval: float = 5.0


class _Grant(msgspec.Struct):
    """A token response (RFC 6749, 5.1 and 5.2)."""

    access_token: str = ""
    refresh_token: str = ""
    token_type: str = "bearer"
    expires_in: float | str | None = None
    error: str = ""
    error_description: str = ""


def is_safe(address: str) -> bool:
    """Return whether tokens may be sent to a URL: https, or http to 127.0.0.1."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 (raises if it is none)
    except ValueError:
        return False
    if not _SHOWN.fullmatch(address) or parts.username or parts.fragment or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == _HERE)


def endpoints(oauth: OAuth) -> Endpoints:
    """Return the flow, the URLs and the scopes of a login with these settings."""
    defaults = {
        "microsoft": (
            "device", _MICROSOFT.format(oauth.tenant, "devicecode"), _MICROSOFT.format(oauth.tenant, "authorize"),
            _MICROSOFT.format(oauth.tenant, "token"),
            f"{_OUTLOOK}IMAP.AccessAsUser.All {_OUTLOOK}SMTP.Send offline_access",
        ),
        "google": (
            "code", "", "https://accounts.google.com/o/oauth2/v2/auth", "https://oauth2.googleapis.com/token",
            "https://mail.google.com/",
        ),
        "generic": ("device" if oauth.device else "code", "", "", "", ""),
    }[oauth.provider]  # fmt: skip
    flow, device, authorize, token, scopes = defaults
    return Endpoints(
        oauth.flow or flow,
        oauth.device or device,
        oauth.authorize or authorize,
        oauth.token or token,
        " ".join(oauth.scopes) or scopes,
    )


def oauth_faults(oauth: OAuth, file: str, *, used: bool) -> list[Fault]:
    """Return the faults in an ``[oauth]`` section of the file ``file``.

    ``used`` says whether another section has ``login = "oauth"``.
    """
    where, found = endpoints(oauth), list[str]()
    if used and not oauth.client_id:
        found.append("client_id is missing; `pbem help oauth` says how to register one")
    if not _TENANT.fullmatch(oauth.tenant):
        found.append(f"tenant = {oauth.tenant!r} is no name of an organization")
    if oauth.provider == "google" and where.flow == "device":
        found.append('flow = "device": Google does not allow email that way; leave the line out')
    for key, address in (("device", where.device), ("authorize", where.authorize), ("token", where.token)):
        if address and not is_safe(address):
            found.append(f"{key} = {address!r} is no https address (http only for {_HERE})")
    asked = ("authorize", where.authorize) if where.flow == "code" else ("device", where.device)
    found += [
        f"{key} is missing: an address of the server" for key, address in (asked, ("token", where.token)) if not address
    ]
    return [Fault(code="oauth", text=f"[oauth] {text}", file=file) for text in found]


def _client(oauth: OAuth) -> dict[str, str]:
    return {"client_id": oauth.client_id, **({"client_secret": oauth.client_secret} if oauth.client_secret else {})}


# --- the device flow ---


def device_form(oauth: OAuth) -> dict[str, str]:
    """Return the form that requests a device code."""
    return {**_client(oauth), "scope": endpoints(oauth).scopes}


def device_code(answer: Answer, host: str) -> DeviceCode:
    """Return the device code in an answer of the server ``host``.

    Raises:
        GameError: The server refuses, or its answer cannot be read.
    """
    if failure(answer):
        raise refusal(answer, host)
    try:
        device = msgspec.json.decode(answer.body, type=_Device)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise _nonsense(answer, host) from None
    page = device.verification_uri or device.verification_url
    if not all(map(_SHOWN.fullmatch, (page, device.user_code))) or not _SECRET.fullmatch(device.device_code):
        raise _nonsense(answer, host)
    if not is_safe(page):
        raise GameError.saying(
            "login-server", f"the login server {host} names a page whose address does not begin with https"
        )
    interval = min(max(device.interval, 1.0), _SLOWEST_POLL)
    return DeviceCode(page, device.user_code, device.device_code, interval, min(max(device.expires_in, 1.0), _HOUR))


def poll_form(oauth: OAuth, code: DeviceCode) -> dict[str, str]:
    """Return the form that asks whether the device code was entered."""
    return {**_client(oauth), "grant_type": DEVICE_GRANT, "device_code": code.device_code}


def next_wait(answer: Answer, wait: float) -> float:
    """Return how many seconds to wait before the next poll; 0 if the answer is final (RFC 8628, 3.5).

    ``wait`` is the wait before this poll.
    """
    error = failure(answer)
    if error == _PENDING:
        return wait
    if error == _SLOW_DOWN:
        return wait + 5
    return slower(wait) if answer.status == 429 or answer.status >= 500 else 0


def slower(wait: float) -> float:
    """Return how many seconds to wait after a poll without an answer: twice as long, within a limit."""
    return max(wait, min(wait * 2, _SLOWEST_POLL))


# --- the authorization code ---


def challenge(verifier: str) -> str:
    """Return the PKCE code challenge (method S256) for a verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).decode("ascii").rstrip("=")


def browser_address(oauth: OAuth, request: CodeRequest, user: str) -> str:
    """Return the URL at which a person logs in with a browser.

    ``user`` is the mailbox, which the page suggests as the account.
    """
    where = endpoints(oauth)
    asked = {
        "client_id": oauth.client_id, "response_type": "code", "redirect_uri": request.redirect, "scope": where.scopes,
        "state": request.state, "code_challenge": challenge(request.verifier), "code_challenge_method": "S256",
        "login_hint": user,
    }  # fmt: skip
    if oauth.provider == "google":  # without these Google issues no refresh token
        asked |= {"access_type": "offline", "prompt": "consent"}
    mark = "&" if urlsplit(where.authorize).query else "?"
    return f"{where.authorize}{mark}{urlencode(asked)}"


def returned_code(target: str, state: str) -> str:
    """Return the code in the URL to which the browser was sent back; empty if its state is not ``state``.

    Raises:
        GameError: The person or the server refused.
    """
    try:
        given = {key: values[0] for key, values in parse_qs(urlsplit(target).query, max_num_fields=50).items()}
    except ValueError:
        return ""
    if not hmac.compare_digest(given.get("state", "").encode(), state.encode()):
        return ""
    if error := given.get("error", ""):
        raise _refused_by_person() if error in _DENIED else _login_refused(f"the server says {_word(error)}")
    return given.get("code", "")


def code_form(oauth: OAuth, request: CodeRequest, code: str) -> dict[str, str]:
    """Return the form that exchanges a code for tokens."""
    more = {"grant_type": "authorization_code", "code": code, "redirect_uri": request.redirect}
    return {**_client(oauth), **more, "code_verifier": request.verifier}


# --- tokens ---


def refresh_form(oauth: OAuth, tokens: Tokens) -> dict[str, str]:
    """Return the form that renews a login."""
    return {**_client(oauth), "grant_type": "refresh_token", "refresh_token": tokens.refresh}


def granted(answer: Answer, oauth: OAuth, now: float, before: str = "") -> Tokens:
    """Return the tokens in an answer of the authorization server.

    Args:
        answer: The answer.
        oauth: The settings.
        now: The time, in seconds since 1970.
        before: The refresh token that is kept if the answer contains no new one.

    Raises:
        GameError: The server refuses, its answer cannot be read, or the login could not be renewed later.
    """
    host = endpoints(oauth).host
    if failure(answer):
        raise refusal(answer, host)
    grant = _read(answer)
    if grant is None or not _ACCESS.fullmatch(grant.access_token) or grant.token_type.lower() != "bearer":
        raise _nonsense(answer, host)
    refresh = grant.refresh_token or before
    if not _SECRET.fullmatch(refresh):
        text = f"the login server {host} did not send a refresh token; add offline_access to scopes of [oauth]"
        raise GameError.saying("login-server", text)
    try:
        lasts = float(grant.expires_in or _HOUR)
    except ValueError:
        lasts = _HOUR
    lasts = min(max(lasts, 0.0), _MOST_SECONDS) if lasts == lasts else _HOUR
    return Tokens(
        client=oauth.client_id, access=grant.access_token, refresh=refresh, at=now,
        renew=now + lasts - min(_EARLY, lasts / 2), expires=now + lasts,
    )  # fmt: skip


def failure(answer: Answer) -> str:
    """Return the error code in an answer, like ``invalid_grant``; empty if there is none."""
    grant = _read(answer)
    if grant is not None and grant.error:
        return _word(grant.error)
    return "" if answer.status == 200 else f"status {answer.status}"


def refusal(answer: Answer, host: str) -> GameError:
    """Return the error to raise for an answer in which the server ``host`` refuses."""
    error, grant = failure(answer), _read(answer)
    if error in _DENIED:
        return _refused_by_person()
    if error in _TOO_LATE:
        return too_late()
    detail = _DETAIL.search(grant.error_description) if grant is not None else None
    text = f"the login server {host} refuses: {error}{f' ({detail[0]})' if detail else ''}"
    return GameError.saying("login-server", text + (f"; {_HINTS[error]}" if error in _HINTS else ""))


def too_late() -> GameError:
    """Return the error to raise for a login that nobody finished in time."""
    return _login_refused("nobody logged in before the code expired; run the command again")


def wrong_state() -> GameError:
    """Return the error to raise for a URL that belongs to another login."""
    return _login_refused("this address does not belong to this login; run the command again")


def _refused_by_person() -> GameError:
    return _login_refused("it was refused in the browser; run the command again and allow it there")


def _login_refused(why: str) -> GameError:
    return GameError.saying("login-refused", f"the login failed: {why}")


def _nonsense(answer: Answer, host: str) -> GameError:
    text = f"the login server {host} sent an answer that pbem cannot read (status {answer.status})"
    return GameError.saying("login-server", text)


def _read(answer: Answer) -> _Grant | None:
    try:
        return msgspec.json.decode(answer.body, type=_Grant)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _word(error: str) -> str:
    return error if _ERROR.fullmatch(error) else "an error without a known name"


def packed(tokens: Tokens) -> str:
    """Return tokens as one word of safe characters.

    A shell, systemd and the keyring store such a word unchanged.
    """
    return base64.urlsafe_b64encode(msgspec.json.encode(tokens)).decode("ascii")


def unpacked(word: str, client: str) -> Tokens | None:
    """Return the tokens that :func:`packed` wrote; ``None`` if they are damaged or of another client_id."""
    try:
        tokens = msgspec.json.decode(base64.urlsafe_b64decode(word.encode("ascii")), type=Tokens)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return tokens if tokens.client == client else None


# --- what is sent to mail servers ---


def mechanism(offers: Collection[str]) -> str:
    """Return the SASL mechanism by which to send a token to a mail server; empty if it accepts no tokens.

    ``offers`` are the mechanisms that the server offers.
    """
    return next((name for name in ("XOAUTH2", "OAUTHBEARER") if name in offers), "")


def only_oauth(offers: Collection[str]) -> bool:
    """Return whether a mail server that offers these login mechanisms accepts only OAuth tokens."""
    return bool(offers) and {*offers} <= {"XOAUTH2", "OAUTHBEARER"}


def sasl(name: str, user: str, access: str, host: str, port: int) -> tuple[str, str]:
    """Return the client's first message of a SASL mechanism, and its message after a failure.

    The second message answers the server's explanation of the failure.

    Args:
        name: The mechanism: ``XOAUTH2`` or ``OAUTHBEARER``.
        user: The user.
        access: The access token.
        host: The mail server.
        port: Its port.
    """
    if name == "OAUTHBEARER":  # RFC 7628
        user = user.replace("=", "=3D").replace(",", "=2C")
        return f"n,a={user},\x01host={host}\x01port={port}\x01auth=Bearer {access}\x01\x01", "\x01"
    return f"user={user}\x01auth=Bearer {access}\x01\x01", ""


def discreet(text: str, access: str, spoken: str = "") -> str:
    """Return a server's message, or a remark in its place if it repeats a part of a secret.

    The secrets are the token ``access`` and ``spoken``, what was sent to the server.
    """
    sent = base64.b64encode(spoken.encode()).decode("ascii")
    parts = {text[at : at + _TELLING] for at in range(len(text) - _TELLING + 1)}
    if access in text or any(part in access or part in sent for part in parts):
        return "(its words repeat the token and are left out)"
    return text


def set_up(section: str, command: str) -> str:
    """Return the sentence for a mail server that accepts no password, if no login by OAuth is configured."""
    return (
        f'this server wants OAuth and takes no password: set login = "oauth" in [{section}] of host.toml, fill in '
        f"[oauth] (`pbem help oauth`), and run `{command}`"
    )
