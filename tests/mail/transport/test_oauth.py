"""The protocol of OAuth: what is sent, what answers mean, which settings are refused. Nothing uses a network."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from pbem.errors import GameError
from pbem.mail.settings import read_host
from pbem.mail.transport import oauth
from pbem.mail.transport.oauth import Answer, CodeRequest, DeviceCode, OAuth, Tokens

HOST = 'format = 1\norders = "orders@club.example"\n'
INBOX = '[inbox]\nkind = "imap"\nhost = "imap.club.example"\nuser = "orders@club.example"\nlogin = "oauth"\n'
MICROSOFT = OAuth(provider="microsoft", client_id="c", tenant="club.example")
GENERIC = OAuth(client_id="c", token="https://login.club.example/token", device="https://login.club.example/device")
NOW = 1000.0


def answer(status: int = 200, /, **fields: object) -> Answer:
    return Answer(status, json.dumps(fields).encode())


def test_where_the_known_servers_are() -> None:
    found = oauth.endpoints(MICROSOFT)
    assert found == (
        "device",
        "https://login.microsoftonline.com/club.example/oauth2/v2.0/devicecode",
        "https://login.microsoftonline.com/club.example/oauth2/v2.0/authorize",
        "https://login.microsoftonline.com/club.example/oauth2/v2.0/token",
        "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access",
    )
    assert found.host == "login.microsoftonline.com"
    found = oauth.endpoints(OAuth(provider="google", client_id="c", scopes=("a", "b")))
    assert (found.flow, found.device, found.scopes) == ("code", "", "a b")
    assert oauth.endpoints(GENERIC).flow == "device" and oauth.endpoints(OAuth(client_id="c")).flow == "code"


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://login.example/token?x=1", True), ("http://127.0.0.1:8080/token", True),
        ("https://127.0.0.1/token", True), ("http://login.example/token", False), ("http://localhost/token", False),
        ("http://127.0.0.1.example/", False), ("http://127.0.0.1@evil.example/", False), ("ftp://127.0.0.1/", False),
        ("https://ann@login.example/", False), ("https:///token", False), ("https://login.example/a b", False),
        ("https://login.example:x/", False), ("https://[::1/", False), ("file:///etc/passwd", False), ("", False),
        ("https://login.example/\n", False), ("https://login.example/#x", False),
    ],
)  # fmt: skip
def test_tokens_go_to_https_alone_except_on_this_machine(address: str, safe: bool) -> None:
    assert oauth.is_safe(address) is safe


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("", "[oauth] client_id is missing"),
        ('[oauth]\nclient_id = "c"', "[oauth] authorize is missing"),
        ('[oauth]\nclient_id = "c"\ndevice = "https://a.example/d"', "[oauth] token is missing"),
        ('[oauth]\nclient_id = "c"\nflow = "device"\ntoken = "https://a.example/t"', "[oauth] device is missing"),
        ('[oauth]\nprovider = "google"\nclient_id = "c"\nflow = "device"', "Google does not allow email that way"),
        ('[oauth]\nprovider = "microsoft"\nclient_id = "c"\ntenant = "a/b"', "tenant = 'a/b' is no name"),
        ('[oauth]\nprovider = "microsoft"\nclient_id = "c"\ntoken = "http://a.example/t"', "is no https address"),
        ('[oauth]\nprovider = "nobody"\nclient_id = "c"', "provider"),
        ('[smtp]\nlogin = "oauth"\n[oauth]\nprovider = "google"\nclient_id = "c"', '[smtp] has login = "oauth" and no'),
    ],
)
def test_settings_that_cannot_log_in_are_refused(tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "host.toml").write_text(f"{HOST}{INBOX}{lines}\n")
    with pytest.raises(GameError) as error:
        read_host(tmp_path)
    assert told in str(error.value)


@pytest.mark.parametrize(
    "lines",
    [
        'provider = "microsoft"\nclient_id = "c"\nflow = "code"',
        'provider = "google"\nclient_id = "c"\nclient_secret = "s"',
        'client_id = "c"\ndevice = "http://127.0.0.1:1/d"\ntoken = "https://a.example/t"\nscopes = ["mail"]',
    ],
)
def test_settings_that_can(tmp_path: Path, lines: str) -> None:
    (tmp_path / "host.toml").write_text(f"{HOST}{INBOX}[oauth]\n{lines}\n")
    assert read_host(tmp_path).oauth.client_id == "c"
    (tmp_path / "host.toml").write_text(HOST)
    assert read_host(tmp_path).oauth == OAuth()


def test_forms_hold_what_is_asked() -> None:
    secret = msgspec.structs.replace(GENERIC, client_secret="s", scopes=("mail",))
    code = DeviceCode("https://a.example", "U", "D", 5, 600)
    tokens = Tokens(client="c", access="A", refresh="R", at=0, renew=1, expires=2)
    grant = "urn:ietf:params:oauth:grant-type:device_code"
    assert oauth.device_form(secret) == {"client_id": "c", "client_secret": "s", "scope": "mail"}
    assert oauth.poll_form(GENERIC, code) == {"client_id": "c", "grant_type": grant, "device_code": "D"}
    assert oauth.refresh_form(GENERIC, tokens) == {
        "client_id": "c", "grant_type": "refresh_token", "refresh_token": "R"
    }  # fmt: skip
    assert oauth.code_form(GENERIC, CodeRequest("http://127.0.0.1:9", "state", "V"), "C") == {
        "client_id": "c", "grant_type": "authorization_code", "code": "C", "redirect_uri": "http://127.0.0.1:9",
        "code_verifier": "V",
    }  # fmt: skip


def test_the_challenge_is_that_of_rfc_7636() -> None:
    made = oauth.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    assert made == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_address_for_the_browser() -> None:
    request = CodeRequest("http://127.0.0.1:9", "the state", "V" * 43)
    for provider, more in (("google", {"access_type": "offline", "prompt": "consent"}), ("microsoft", {})):
        settings = msgspec.convert({"provider": provider, "client_id": "c"}, OAuth)
        asked = parse_qs(urlsplit(oauth.browser_address(settings, request, "a b@example.org")).query)
        assert {key: values[0] for key, values in asked.items()} == {
            "client_id": "c", "response_type": "code", "redirect_uri": "http://127.0.0.1:9", "state": "the state",
            "scope": oauth.endpoints(settings).scopes, "code_challenge": oauth.challenge("V" * 43),
            "code_challenge_method": "S256", "login_hint": "a b@example.org", **more,
        }  # fmt: skip
    odd = msgspec.structs.replace(GENERIC, authorize="https://a.example/x?policy=1")
    assert oauth.browser_address(odd, request, "u").startswith("https://a.example/x?policy=1&client_id=c&")


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("/?code=C&state=S", "C"), ("http://127.0.0.1:9/?state=S&code=C", "C"), ("/?code=C&state=T", ""),
        ("/?code=C", ""), ("/?state=S", ""), ("", ""), ("/?error=access_denied&state=T", ""),
        ("/?code=C&state=\xe4", ""), ("/?" + "a=1&" * 60, ""), ("http://[", ""),
    ],
)  # fmt: skip
def test_a_code_counts_with_the_right_state_alone(target: str, code: str) -> None:
    assert oauth.returned_code(target, "S") == code


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("access_denied", "it was refused in the browser"), ("server_error", "the server says server_error"),
        ("C-secret", "an error without a known name"),
    ],
)  # fmt: skip
def test_a_refusal_of_the_browser_is_one_sentence(error: str, said: str) -> None:
    with pytest.raises(GameError, match=said) as told:
        oauth.returned_code(f"/?error={error}&state=S", "S")
    assert [fault.code for fault in told.value.faults] == ["login-refused"]


def test_what_a_device_code_is() -> None:
    fields = {"device_code": "D", "user_code": "WDJB MJHT", "verification_uri": "https://a.example/enter"}
    with pytest.raises(GameError, match="pbem cannot read"):
        oauth.device_code(answer(**fields), "a.example")
    fields["user_code"] = "WDJB-MJHT"
    found = oauth.device_code(answer(**fields), "a.example")
    assert found == ("https://a.example/enter", "WDJB-MJHT", "D", 5, 900)
    found = oauth.device_code(answer(**fields, interval=0, expires_in=10**9), "a.example")
    assert (found.interval, found.lasts) == (1, 3600)
    url = {**fields, "verification_url": fields.pop("verification_uri")}
    assert oauth.device_code(answer(**url), "a.example").address == "https://a.example/enter"
    for wrong in (
        {"verification_uri": "https://a.example/\x1b[2J"}, {"user_code": "\x1b[31m"}, {"user_code": ""},
        {"device_code": 1}, {"verification_uri": ""}, {"interval": "x"}, {"device_code": "D" * 20_001},
    ):  # fmt: skip
        with pytest.raises(GameError, match="pbem cannot read"):
            oauth.device_code(answer(**{**fields, "verification_uri": "https://a.example", **wrong}), "a.example")
    with pytest.raises(GameError, match="names a page whose address does not begin with https"):
        oauth.device_code(answer(**{**fields, "verification_uri": "http://a.example"}), "a.example")
    for body in (b"", b"[]", b"[" * 100_000, b"\xff", b'{"error": 1}'):
        with pytest.raises(GameError, match="pbem cannot read"):
            oauth.device_code(Answer(200, body), "a.example")


@pytest.mark.parametrize(
    ("found", "wait"),
    [
        (answer(400, error="authorization_pending"), 7), (answer(400, error="slow_down"), 12),
        (answer(400, error="expired_token"), 0), (answer(400, error="access_denied"), 0),
        (answer(200, access_token="A"), 0), (answer(503), 14), (answer(429), 14), (Answer(500, b"<html>"), 14),
        (answer(400), 0),
    ],
)  # fmt: skip
def test_how_long_to_wait_for_the_next_poll(found: Answer, wait: float) -> None:
    assert oauth.next_wait(found, 7) == wait


def test_a_server_that_says_nothing_is_asked_more_and_more_seldom() -> None:
    assert [oauth.slower(wait) for wait in (5, 40, 60, 75)] == [10, 60, 60, 75]


def test_what_is_granted() -> None:
    found = oauth.granted(
        answer(access_token="A", refresh_token="R", expires_in=3600, token_type="bearer"), GENERIC, NOW
    )
    assert (found.access, found.refresh, found.at, found.renew, found.expires) == ("A", "R", 1000, 4300, 4600)
    assert oauth.granted(answer(access_token="A"), GENERIC, NOW, "old").refresh == "old"
    for lasts, renew, expires in ((60, 1030, 1060), ("60", 1030, 1060), (None, 4300, 4600), ("x", 4300, 4600),
                                  (-5, 1000, 1000), ("nan", 4300, 4600), (1e300, 10_000_700, 10_001_000)):  # fmt: skip
        found = oauth.granted(answer(access_token="A", refresh_token="R", expires_in=lasts), GENERIC, NOW)
        assert (found.renew, found.expires) == (renew, expires), lasts
    with pytest.raises(GameError, match="did not send a refresh token"):
        oauth.granted(answer(access_token="A"), GENERIC, NOW)
    for wrong in ({"access_token": ""}, {"access_token": "a\x01b"}, {"access_token": "a b"}, {"access_token": 1},
                  {"token_type": "mac"}, {"access_token": "a" * 20_001}):  # fmt: skip
        with pytest.raises(GameError, match=r"pbem cannot read \(status 200\)"):
            oauth.granted(answer(**{"access_token": "A", "refresh_token": "R", **wrong}), GENERIC, NOW)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (answer(400, error="invalid_client", error_description="AADSTS7000218: secret-of-mine"),
         "refuses: invalid_client (AADSTS7000218); client_id and client_secret of [oauth]"),
        (answer(400, error="invalid_scope"), "refuses: invalid_scope; it does not know the scopes"),
        (answer(400, error="access_denied"), "it was refused in the browser"),
        (answer(400, error="authorization_declined"), "it was refused in the browser"),
        (answer(400, error="expired_token"), "nobody logged in before the code expired"),
        (answer(400, error="secret-of-mine"), "refuses: an error without a known name"),
        (answer(302), "refuses: status 302"), (Answer(404, b"secret-of-mine"), "refuses: status 404"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence_without_the_words_of_the_server(found: Answer, said: str) -> None:
    with pytest.raises(GameError) as told:
        oauth.granted(found, GENERIC, NOW)
    assert said in str(told.value) and "secret-of-mine" not in str(told.value)


def test_stored_tokens_are_one_word_and_belong_to_one_client() -> None:
    tokens = Tokens(client="c", access="A'\"$", refresh="R", at=1, renew=2, expires=3, ended=True)
    word = oauth.packed(tokens)
    assert word.replace("-", "").replace("_", "").replace("=", "").isalnum()
    assert oauth.unpacked(word, "c") == tokens and oauth.unpacked(word, "d") is None
    assert oauth.unpacked(word[:-8], "c") is None and oauth.unpacked("\xe4", "c") is None
    assert "A'" not in repr(tokens) and "R" not in repr(tokens).replace("Tokens", "")


def test_how_a_token_is_shown() -> None:
    assert oauth.sasl("XOAUTH2", "a@b", "T", "imap", 993) == ("user=a@b\x01auth=Bearer T\x01\x01", "")
    assert oauth.sasl("OAUTHBEARER", "a=,@b", "T", "imap", 993) == (
        "n,a=a=3D=2C@b,\x01host=imap\x01port=993\x01auth=Bearer T\x01\x01", "\x01",
    )  # fmt: skip
    assert oauth.mechanism(["PLAIN", "OAUTHBEARER", "XOAUTH2"]) == "XOAUTH2"
    assert (oauth.mechanism(["OAUTHBEARER"]), oauth.mechanism(["PLAIN"])) == ("OAUTHBEARER", "")
    assert oauth.only_oauth(["XOAUTH2"]) and not oauth.only_oauth(["XOAUTH2", "PLAIN"]) and not oauth.only_oauth([])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("authentication failed", True), ("bad token abcdefgh", False), ("abcdefghijklmnop", False),
        ("token=ijklmnop!", False), ("dXNlcj1h", False), ("", True),
    ],
)  # fmt: skip
def test_words_of_a_server_that_repeat_a_token_are_left_out(text: str, kept: bool) -> None:
    first, _ = oauth.sasl("XOAUTH2", "a@b", "abcdefghijklmnop", "imap", 993)
    assert (oauth.discreet(text, "abcdefghijklmnop", first) == text) is kept
