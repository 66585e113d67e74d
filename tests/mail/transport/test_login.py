"""Logging in with a real authorization server on this machine, and the logins that are kept and renewed."""

from __future__ import annotations

import json
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import msgspec
import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.transport import login, oauth, passwords
from pbem.mail.transport.login import Asking, Logins, access, log_in, post, renew
from pbem.mail.transport.oauth import OAuth
from pbem.mail.transport.passwords import FILE
from tests.mail.transport.authorization import CLIENT, USER, Authorization, free_port, wait_for

COMMAND = "pbem host login club"


class Person:
    """Reads what is said, and lets time pass without waiting."""

    def __init__(self, line: str = "") -> None:
        self.heard: list[str] = []
        self.waits: list[float] = []
        self.passed, self.line = 0.0, line

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.passed += seconds

    def asking(self) -> Asking:
        return Asking(self.heard.append, None, self.sleep, lambda: self.passed)


def logins(authorization: Authorization, **more: object) -> Logins:
    return Logins(msgspec.convert(authorization.settings(**more), OAuth), COMMAND)


def said(told: pytest.ExceptionInfo[GameError]) -> str:
    (fault,) = told.value.faults
    assert "\n" not in fault.text
    return f"{fault.code}: {fault.text}"


def kept(known: Logins) -> oauth.Tokens:
    return login._known(known, USER)


def test_the_device_flow_waits_as_it_is_told(authorization: Authorization, home: Path) -> None:
    authorization.polls = ["authorization_pending", "slow_down", "authorization_pending", "slow_down"]
    person = Person()
    place = log_in(logins(authorization), USER, person.asking())
    assert place == f"the file {home / FILE}"
    (text,) = person.heard
    assert (
        f"{authorization.address}/enter" in text and "\n    WDJB-MJHT\n" in text and USER in text and "10 min" in text
    )
    assert person.waits == [1, 1, 6, 6, 11]
    assert authorization.asked[0] == {"client_id": CLIENT, "scope": "mail offline_access"}
    assert authorization.good(access(logins(authorization), USER))
    assert authorization.grants() == ["", *["device_code"] * 5], "the token that is good is used as it is"
    if sys.platform != "win32":
        assert stat.S_IMODE((home / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("polls", "told"),
    [
        (["authorization_pending", "access_denied"], "login-refused: the login failed: it was refused in the browser"),
        (["expired_token"], "login-refused: the login failed: nobody logged in before the code expired"),
        (["invalid_client"], "login-server: the login server 127.0.0.1 refuses: invalid_client (AADSTS70000); client"),
        (["authorization_pending"] * 700, "nobody logged in before the code expired; run the command again"),
    ],
)  # fmt: skip
def test_a_log_in_that_fails_says_why_and_keeps_nothing(
    authorization: Authorization, home: Path, polls: list[str], told: str
) -> None:
    authorization.polls = list(polls)
    authorization.device["interval"] = 30
    person = Person()
    with pytest.raises(GameError) as error:
        log_in(logins(authorization), USER, person.asking())
    assert told in said(error) and not (home / FILE).exists()
    assert not any(secret in said(error) for secret in authorization.secrets())
    assert len(person.waits) == (20 if len(polls) > 2 else len(polls)), "it ends with the code, after 600 seconds"


def test_a_server_that_does_not_answer_a_poll_is_asked_more_seldom(authorization: Authorization) -> None:
    authorization.answers["/token"] = [(503, b"busy"), (429, b"")]
    person = Person()
    log_in(logins(authorization), USER, person.asking())
    assert person.waits == [1, 2, 4]
    gone, real = [True, True], post

    def post_later(address: str, form: Any) -> oauth.Answer:
        if "device_code" in form and gone:
            gone.pop()
            return real(f"http://127.0.0.1:{free_port()}/token", form)
        return real(address, form)

    person = Person()
    log_in(logins(authorization), USER, person.asking(), send=post_later)
    assert person.waits == [1, 2, 4]


def browse(person: Person, *opens: Callable[[str], object]) -> threading.Thread:
    """A browser in which somebody opens the address that was told."""

    def look() -> None:
        wait_for(lambda: person.heard)
        address = next(word for word in person.heard[0].split() if word.startswith("http"))
        for act in opens:
            act(address)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    return thread


def test_the_browser_brings_the_code_and_pkce_is_verified(authorization: Authorization) -> None:
    pages: list[bytes] = []

    def other_state(address: str) -> None:
        """Another page of the same browser tries to log in as somebody else."""
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        for target in ("/?code=evil&state=guessed", "/favicon.ico", "/"):
            with pytest.raises(HTTPError) as error:
                urlopen(f"{back}{target}", timeout=30)
            assert error.value.code == 400
            error.value.close()
        with socket.create_connection(("127.0.0.1", int(back.rpartition(":")[2]))) as line:
            line.sendall(b"nonsense\n")

    def agree(address: str) -> None:
        with urlopen(address, timeout=30) as page:
            pages.append(page.read())

    person = Person()
    browser = browse(person, other_state, agree)
    log_in(logins(authorization, flow="code"), USER, person.asking())
    browser.join(60)
    assert pages == [b"You are logged in. Close this page."]
    (form,) = authorization.asked
    assert len(form["code_verifier"]) >= 43 and form["redirect_uri"].startswith("http://127.0.0.1:")
    assert "code_verifier" not in person.heard[0] and form["code_verifier"] not in person.heard[0]
    assert authorization.good(access(logins(authorization), USER))


def test_a_code_without_its_verifier_is_worth_nothing(authorization: Authorization) -> None:
    """The server itself is tried: it would notice if another challenge was sent than the verifier's."""

    def other_verifier(address: str, form: Any) -> oauth.Answer:
        return post(address, {**form, "code_verifier": "x" * 43})

    person = Person()
    browse(person, lambda address: urlopen(address, timeout=30).close())
    with pytest.raises(GameError) as error:
        log_in(logins(authorization, flow="code"), USER, person.asking(), send=other_verifier)
    assert "refuses: invalid_grant" in said(error)


def test_a_browser_that_is_refused_or_never_comes_ends_the_wait(authorization: Authorization) -> None:
    def refuse(address: str) -> None:
        asked = parse_qs(urlsplit(address).query)
        urlopen(f"{asked['redirect_uri'][0]}/?error=access_denied&state={asked['state'][0]}", timeout=30).close()

    person = Person()
    browse(person, refuse)
    with pytest.raises(GameError, match="it was refused in the browser"):
        log_in(logins(authorization, flow="code"), USER, person.asking())

    def other_page(address: str) -> None:
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        with pytest.raises(HTTPError):
            urlopen(f"{back}/favicon.ico", timeout=30)

    for opens, before in ((), [0.0, 899.99]), ((other_page,), [0.0, 0.0]):
        person = Person()
        browse(person, *opens)
        late = Asking(person.heard.append, None, person.sleep, chain(before, repeat(900.5)).__next__)
        with pytest.raises(GameError, match="nobody logged in before the code expired"):
            log_in(logins(authorization, flow="code"), USER, late)


def test_the_address_can_be_pasted_where_the_browser_is_elsewhere(authorization: Authorization) -> None:
    person, lines = Person(), ["{back}/?code={code}&state={state}\n", "{back}/?code={code}&state=other\n", ""]

    def read_line() -> str:
        address = next(word for word in person.heard[-1].split() if word.startswith("http"))
        asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
        authorization.codes["C"] = {"challenge": asked["code_challenge"], "redirect": asked["redirect_uri"]}
        return lines.pop(0).format(back=asked["redirect_uri"], code="C", state=asked["state"])

    asking = Asking(person.heard.append, read_line)
    log_in(logins(authorization, flow="code"), USER, asking)
    assert authorization.good(access(logins(authorization), USER))
    for _ in range(2):
        with pytest.raises(GameError, match="this address does not belong to this login"):
            log_in(logins(authorization, flow="code"), USER, asking)


def test_microsoft_sends_the_browser_back_to_localhost() -> None:
    """Its registrations know this name; the port may be any."""
    person = Person()
    with pytest.raises(GameError):
        log_in(
            Logins(OAuth(provider="microsoft", client_id="c", flow="code"), COMMAND), USER,
            Asking(person.heard.append, lambda: ""),
        )  # fmt: skip
    assert "redirect_uri=http%3A%2F%2Flocalhost%3A" in person.heard[0]


# --- the network ---


@pytest.fixture
def served() -> Iterator[Callable[[bytes], str]]:
    """A server that says these bytes to whoever calls, one at a time while they are asked for slowly."""
    opened: list[socket.socket] = []

    def serve(words: bytes, pause: float = 0) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        opened.append(listening)

        def talk() -> None:
            with suppress(OSError):
                while True:
                    line, _ = listening.accept()
                    line.recv(65536)
                    with line, suppress(OSError):
                        for at in range(0, len(words), 1 if pause else len(words) or 1):
                            line.sendall(words[at : at + 1] if pause else words)
                            time.sleep(pause)

        threading.Thread(target=talk, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/token"

    yield serve
    for one in opened:
        one.close()


def test_what_a_server_may_say(served: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    long = served(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 3_000_000)
    assert len(post(long, {}).body) == oauth.LONGEST_ANSWER
    assert post(served(b"HTTP/1.0 400 no\r\nContent-Length: 2\r\n\r\n{}"), {}) == (400, b"{}")
    for words in (b"nonsense\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n"):
        with pytest.raises(GameError, match=r"the login server 127\.0\.0\.1 cannot be reached: \w+"):
            post(served(words), {})
    with pytest.raises(GameError, match="cannot be reached: Connection refused" if sys.platform != "win32" else ""):
        post(f"http://127.0.0.1:{free_port()}/token", {})
    monkeypatch.setattr(login, "_LIMIT", 0.5)
    began = time.monotonic()
    with pytest.raises(GameError, match=r"it took longer than 0\.5 seconds"):
        post(served(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 10_000, pause=0.05), {})
    assert time.monotonic() - began < 60


def test_no_redirection_leads_a_token_elsewhere(authorization: Authorization) -> None:
    for status in (301, 302, 307, 308):
        authorization.answers["/token"] = [(status, f"{authorization.address}/elsewhere".encode())]
        assert post(f"{authorization.address}/token", {"refresh_token": "R"}).status == status
    assert len(authorization.asked) == 4, "nobody followed"
    with pytest.raises(GameError, match=r"the login server login\.example must begin with https"):
        post("http://login.example/token", {"refresh_token": "R"})


def test_a_proxy_is_not_asked_for_this_machine(authorization: Authorization, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert post(f"{authorization.address}/device", {"client_id": CLIENT}).status == 200


# --- to use it and renew it ---


@pytest.fixture
def known(authorization: Authorization) -> Logins:
    """Somebody is logged in."""
    found = logins(authorization)
    log_in(found, USER, Person().asking())
    authorization.asked.clear()
    return found


def at(known: Logins, seconds: float) -> Callable[[], float]:
    """A clock so many seconds after the tokens were issued."""
    moment = kept(known).at + seconds
    return lambda: moment


@pytest.mark.parametrize("rotates", [False, True])
def test_a_log_in_is_renewed_before_it_expires(authorization: Authorization, known: Logins, rotates: bool) -> None:
    authorization.rotates = rotates
    first = kept(known)
    assert renew(known, USER, now=at(known, 3299)).startswith("the file ") and authorization.asked == []
    renew(known, USER, now=at(known, 3300))
    second = kept(known)
    assert authorization.grants() == ["refresh_token"] and authorization.asked[0]["refresh_token"] == first.refresh
    assert second.access != first.access and (second.refresh != first.refresh) is rotates
    renew(known, USER, now=at(known, 3300))
    assert len(authorization.asked) == 2 and authorization.asked[1]["refresh_token"] == second.refresh
    assert authorization.good(access(known, USER))


def test_a_token_is_renewed_when_it_has_expired_or_was_not_taken(authorization: Authorization, known: Logins) -> None:
    first = access(known, USER)
    assert access(known, USER, now=at(known, 3599)) == first, "what is good is used, and the round renews it"
    assert access(known, USER, first, now=at(known, 599)) == first, "it is too young: renewing does not help"
    assert authorization.asked == []
    second = access(known, USER, first, now=at(known, 600))
    assert second != first and authorization.good(second) and len(authorization.asked) == 1
    assert access(known, USER, first, now=at(known, 600)) == second, "another one has renewed it already"
    third = access(known, USER, now=at(known, 3600))
    assert third != second and len(authorization.asked) == 2


def test_a_log_in_that_is_refused_ends_once(authorization: Authorization, known: Logins) -> None:
    """As long as the access token is good it is used, so that the umpire can be told."""
    authorization.refuses = True
    first = access(known, USER)
    told = f"no-login: run `{COMMAND}` to log in again: 127.0.0.1 no longer renews the login of {USER}"
    for _ in range(3):
        with pytest.raises(GameError) as error:
            renew(known, USER, now=at(known, 3300))
        assert said(error) == told
    assert len(authorization.asked) == 1, "the server is not asked again and again"
    assert access(known, USER, now=at(known, 3500)) == first
    for stale, seconds in (("", 3600), (first, 3500)):
        with pytest.raises(GameError) as error:
            access(known, USER, stale, now=at(known, seconds))
        assert said(error) == told
    assert len(authorization.asked) == 1 and kept(known).refresh == ""
    authorization.refuses = False
    log_in(known, USER, Person().asking())
    assert renew(known, USER) and access(known, USER) != first


def test_a_log_in_that_ended_early_is_told_in_every_round(authorization: Authorization, known: Logins) -> None:
    """A mail server did not take the token, long before it would be renewed."""
    authorization.refuses = True
    first = access(known, USER)
    with pytest.raises(GameError, match="no longer renews"):
        access(known, USER, first, now=at(known, 700))
    for _ in range(2):
        with pytest.raises(GameError, match="no longer renews"):
            renew(known, USER, now=at(known, 760))
    assert len(authorization.asked) == 1


def test_a_server_that_cannot_be_reached_harms_nothing_while_the_token_is_good(
    authorization: Authorization, known: Logins
) -> None:
    authorization.answers["/token"] = [(503, b"")] * 3
    first = access(known, USER)
    assert renew(known, USER, now=at(known, 3300))
    for ask in (renew, access):
        with pytest.raises(GameError, match=r"login-server: the login server 127\.0\.0\.1 refuses: status 503"):
            ask(known, USER, now=at(known, 3600))
    assert access(known, USER, now=at(known, 3500)) == first and len(authorization.asked) == 3
    assert renew(known, USER, now=at(known, 3600)), "it answers again"
    assert access(known, USER) != first


def test_two_programs_renew_a_log_in_once(authorization: Authorization, known: Logins) -> None:
    """A refresh token that is used twice ends the login at many servers."""
    authorization.rotates = True
    later, found, failed = at(known, 3600), list[str](), list[Exception]()

    def work() -> None:
        try:
            found.append(access(known, USER, now=later))
        except GameError as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed and len(found) == 8 and len({*found}) == 1 and len(authorization.asked) == 1


def test_a_renewed_log_in_that_cannot_be_stored_is_used_and_stored_later(
    authorization: Authorization, known: Logins, monkeypatch: pytest.MonkeyPatch
) -> None:
    authorization.rotates = True
    before, real = kept(known), passwords.store_token

    def full(*of_it: object, **more: object) -> str:
        raise GameError.saying("cannot-write", "the disk is full")

    monkeypatch.setattr(passwords, "store_token", full)
    later = at(known, 3600)
    second = access(known, USER, now=later)
    assert second != before.access and access(known, USER, now=later) == second and len(authorization.asked) == 1
    with pytest.raises(GameError, match="the disk is full"):
        renew(known, USER, now=later)
    monkeypatch.setattr(passwords, "store_token", real)
    assert oauth.unpacked(passwords.token(login._wanted(known, USER)).text, CLIENT) == before
    renew(known, USER, now=later)
    assert not login._unsaved and kept(known).access == second
    monkeypatch.setattr(passwords, "store_token", full)
    authorization.end()
    third = access(known, USER, now=at(known, 3600))
    assert login._unsaved and third != second
    monkeypatch.setattr(passwords, "store_token", real)
    held = dict(login._unsaved)
    log_in(known, USER, Person().asking(), now=at(known, 1))
    login._unsaved.update(held)  # in another process, which runs the host
    fresh = access(known, USER)
    renew(known, USER)
    assert fresh != third and kept(known).access == fresh and not login._unsaved, "it does not replace a new login"


def test_nobody_is_logged_in(authorization: Authorization, known: Logins, home: Path) -> None:
    other = logins(authorization, client_id="another")
    for who, user in ((other, USER), (known, "somebody@club.example")):
        with pytest.raises(GameError) as error:
            access(who, user)
        assert said(error) == f"no-login: run `{COMMAND}` to log in as {user}: nobody is logged in"
    (home / FILE).write_bytes(b"\xff")
    with pytest.raises(GameError, match=r"nobody is logged in \(.* is no text in UTF-8\)"):
        renew(known, USER)


def test_other_lines_of_the_file_stay(authorization: Authorization, home: Path) -> None:
    path = home / FILE
    path.write_bytes(b"# mine\r\nPBEM_SMTP_PASSWORD='x'\nexport OTHER=1")
    path.chmod(0o644)
    known = logins(authorization)
    for _ in range(2):
        log_in(known, USER, Person().asking())
        lines = path.read_bytes().split(b"\n")
        assert lines[:3] == [b"# mine\r", b"PBEM_SMTP_PASSWORD='x'", b"export OTHER=1"] and len(lines) == 5
        assert lines[3].startswith(b"PBEM_TOKEN_orders_club_example_") and lines[4] == b""
        assert passwords.file_trouble() == "", "and nobody else may read it now"
    log_in(known, "ann@club.example", Person().asking())
    assert len(path.read_bytes().split(b"\n")) == 6 and access(known, USER)


class Ring(ModuleType):
    """A keyring; ``most`` characters fit, as on Windows."""

    def __init__(self, most: int = 10_000) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self.most = most

    def get_password(self, service: str, user: str) -> str | None:
        return self.kept.get((service, user))

    def set_password(self, service: str, user: str, text: str) -> None:
        if len(text) > self.most:
            raise RuntimeError(f"too long: {text}")
        self.kept[service, user] = text


def test_a_log_in_of_the_keyring_stays_there(
    authorization: Authorization, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring, known = Ring(), logins(authorization)
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert log_in(known, USER, Person().asking(), keyring=True) == "the keyring"
    before = dict(ring.kept)
    assert [*before] == [("pbem oauth 127.0.0.1", USER)] and not (home / FILE).exists()
    renew(known, USER, now=at(known, 3600))
    assert ring.kept != before and not (home / FILE).exists() and authorization.good(access(known, USER))
    for broken in (Ring(most=100), None):
        monkeypatch.setitem(sys.modules, "keyring", broken)
        with pytest.raises(GameError) as error:
            log_in(known, USER, Person().asking(), keyring=True)
        assert "the keyring does not take it" in said(error) and "log in without --keyring" in said(error)
        assert not any(secret in said(error) for secret in authorization.secrets())


# --- the command ---

HOST = """\
format = 1
orders = "orders@club.example"
umpire = "you@club.example"
[inbox]
kind = "imap"
host = "127.0.0.1"
port = 9
user = "{user}"
security = "none"
login = "oauth"
[oauth]
client_id = "{client}"
device = "{address}/device"
token = "{address}/token"
"""


@pytest.mark.slow
def test_the_command_logs_in(authorization: Authorization, home: Path) -> None:
    authorization.polls = ["authorization_pending"]
    club = home / "club"
    club.mkdir()
    (club / "host.toml").write_text(HOST.format(user=USER, client=CLIENT, address=authorization.address))
    service = ["host", "install-service", str(club), "--for", "systemd", "--dry-run"]
    lacks = f"Nobody is logged in as {USER}: `pbem host login club`."
    assert lacks in CliRunner().invoke(app, service).stdout
    done = CliRunner().invoke(app, ["host", "login", str(club)])
    assert done.exit_code == 0, done.output
    assert lacks not in CliRunner().invoke(app, service).stdout
    assert (
        "WDJB-MJHT" in done.stdout
        and f"{USER} is logged in; the login is kept in the file {home / FILE}." in done.stdout
    )
    assert not any(secret in done.output for secret in authorization.secrets())
    done = CliRunner().invoke(app, ["host", "login", str(club), "--json"])
    assert json.loads(done.stdout) == {"logins": [{"user": USER, "kept": f"the file {home / FILE}"}]}
    assert "WDJB-MJHT" in done.stderr
    authorization.polls = ["access_denied"]
    done = CliRunner().invoke(app, ["host", "login", str(club)])
    assert isinstance(done.exception, GameError) and "it was refused in the browser" in str(done.exception)


def test_the_command_says_what_is_missing(home: Path) -> None:
    (home / "host.toml").write_text('format = 1\norders = "orders@club.example"\n')
    done = CliRunner().invoke(app, ["host", "login", str(home)])
    assert 'write login = "oauth" in a section of host.toml first' in str(done.exception)
