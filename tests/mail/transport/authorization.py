"""An authorization server on this machine, and mail servers that take nothing but its tokens.

The authorization server speaks HTTP as RFC 6749, RFC 7636, RFC 7662 and RFC 8628 have it, and repeats in every error
what it was sent, as some servers do. The mail servers ask it whether a token is good.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT = "pbem-of-the-club"
USER = "orders@club.example"


class Authorization:
    """The server and what it remembers.

    ``polls`` are the errors that come before the device code is granted, ``lasts`` how long access tokens are good,
    ``rotates`` whether a refresh token is good once, ``answers`` what is sent instead of the next answers of a path.
    """

    def __init__(self) -> None:
        self.polls: list[str] = []
        self.lasts: object = 3600
        self.rotates = self.refuses = False
        self.answers: dict[str, list[tuple[int, bytes]]] = {}
        self.asked: list[dict[str, str]] = []
        self.tokens: dict[str, bool] = {}
        self.refresh: set[str] = set()
        self.codes: dict[str, dict[str, str]] = {}
        self.device = {"interval": 1, "expires_in": 600}
        self.state = ""
        self.locked = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler) -> None:  # noqa: N805
                self._browser(handler)

            def do_POST(handler) -> None:  # noqa: N805
                self._post(handler)

            def log_message(handler, *words: Any) -> None:  # noqa: N805
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port: int = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def settings(self, **more: object) -> dict[str, object]:
        """What an [oauth] for this server holds."""
        places = {name: f"{self.address}/{name}" for name in ("device", "authorize", "token")}
        return {"provider": "generic", "client_id": CLIENT, "scopes": ["mail", "offline_access"], **places, **more}

    def good(self, token: str) -> bool:
        return self.tokens.get(token, False)

    def end(self) -> None:
        """No access token of before is good any more."""
        self.tokens = dict.fromkeys(self.tokens, False)

    def secrets(self) -> list[str]:
        """Everything that nobody may read anywhere."""
        sent = [
            form[key] for form in self.asked for key in ("refresh_token", "device_code", "code_verifier") if key in form
        ]
        return [*self.tokens, *self.refresh, *self.codes, *sent]

    def grants(self) -> list[str]:
        return [form.get("grant_type", "").rpartition(":")[2] for form in self.asked]

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        sent = handler.rfile.read(int(handler.headers["Content-Length"])).decode("ascii")
        form = {key: values[0] for key, values in parse_qs(sent, strict_parsing=True).items()}
        path = urlsplit(handler.path).path
        with self.locked:
            if self.answers.get(path):
                status, body = self.answers[path].pop(0)
                if path != "/introspect":
                    self.asked.append(form)
            elif path == "/introspect":
                status, body = 200, json.dumps({"active": self.good(form["token"]), "username": USER}).encode()
            else:
                self.asked.append(form)
                status, found = self._token(form) if path == "/token" else self._device(form)
                body = json.dumps(found).encode()
        handler.send_response(status)
        if status in (301, 302, 307, 308):
            handler.send_header("Location", body.decode("ascii"))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        with suppress(OSError):
            handler.wfile.write(body)

    def _error(self, error: str, form: dict[str, str]) -> tuple[int, dict[str, object]]:
        return 400, {"error": error, "error_description": f"AADSTS70000: {json.dumps(form)}"}

    def _device(self, form: dict[str, str]) -> tuple[int, dict[str, object]]:
        if form["client_id"] != CLIENT:
            return self._error("invalid_client", form)
        code = {"device_code": secrets.token_urlsafe(30), "user_code": "WDJB-MJHT"}
        self.codes[code["device_code"]] = {}
        return 200, {**code, "verification_uri": f"{self.address}/enter", **self.device}

    def _token(self, form: dict[str, str]) -> tuple[int, dict[str, object]]:
        grant = form["grant_type"].rpartition(":")[2]
        if grant == "device_code":
            if self.polls:
                return self._error(self.polls.pop(0), form)
            right = self.codes.pop(form["device_code"], None) is not None
        elif grant == "authorization_code":
            kept = self.codes.pop(form["code"], {"challenge": "", "redirect": ""})
            made = (
                base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
            )
            right = (kept["challenge"], kept["redirect"]) == (made, form["redirect_uri"])
        else:
            right = form["refresh_token"] in self.refresh and not self.refuses
        if not right or form["client_id"] != CLIENT:
            return self._error("invalid_grant", form)
        access = f"access.{secrets.token_urlsafe(600)}"
        self.tokens[access] = True
        granted = {"access_token": access, "token_type": "Bearer", "expires_in": self.lasts}
        if grant == "refresh_token" and not self.rotates:
            return 200, granted
        self.refresh.discard(form.get("refresh_token", ""))
        self.refresh.add(fresh := f"refresh.{secrets.token_urlsafe(300)}")
        return 200, {**granted, "refresh_token": fresh}

    def _browser(self, handler: BaseHTTPRequestHandler) -> None:
        """A person who logs in and agrees; ``state`` is sent back instead of the one that came."""
        asked = {key: values[0] for key, values in parse_qs(urlsplit(handler.path).query).items()}
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256", asked
        code = secrets.token_urlsafe(30)
        self.codes[code] = {"challenge": asked["code_challenge"], "redirect": asked["redirect_uri"]}
        back = urlencode({"code": code, "state": self.state or asked["state"]})
        handler.send_response(302)
        handler.send_header("Location", f"{asked['redirect_uri']}/?{back}")
        handler.end_headers()


def shown(blob: str) -> tuple[str, str]:
    """The user and the token in the first words of XOAUTH2 or OAUTHBEARER."""
    found = re.fullmatch(
        r"(?:user=([^\x01]*)|n,a=([^,]*),\x01host=[^\x01]+\x01port=\d+)\x01auth=Bearer ([^\x01]+)\x01\x01",
        base64.b64decode(blob, validate=True).decode("ascii"),
    )
    assert found is not None, blob
    return found[1] or found[2], found[3]


class Mailbox:
    """An IMAP server that takes tokens alone.

    ``ends`` says how it refuses a command once the token is no longer good: ``bye`` hangs up, other words are the
    answer. ``before`` is called with each command.
    """

    def __init__(self, authorization: Authorization, *letters: bytes) -> None:
        self.authorization, self.letters, self.ends = authorization, letters, "bye"
        self.can = b"IMAP4rev1 AUTH=XOAUTH2"
        self.before: Callable[[str], object] = str
        self.refuses = b""
        self.seen: set[int] = set()
        self.said: list[str] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.listening.close()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(line,), daemon=True).start()

    def _talk(self, line: socket.socket) -> None:
        with suppress(OSError, ValueError), line, line.makefile("rb") as heard:
            line.sendall(b"* OK ready\r\n")
            token = ""
            for told in heard:
                tag, _, rest = told.strip().partition(b" ")
                word = rest.decode("ascii")
                self.said.append(word)
                self.before(word)
                if word.startswith("AUTHENTICATE"):
                    line.sendall(b"+ \r\n")
                    token = self._enter(line, heard, tag)
                elif word in ("CAPABILITY", "LOGOUT"):
                    line.sendall(self._answer(word) + tag + b" OK done\r\n")
                elif not self.authorization.good(token) and self.ends == "bye":
                    line.sendall(b"* BYE session expired\r\n")
                    return
                elif not self.authorization.good(token):
                    line.sendall(b"%b %b\r\n" % (tag, self.ends.encode()))
                else:
                    if word.startswith("APPEND"):
                        line.sendall(b"+ go on\r\n")
                        heard.read(int(word.rpartition("{")[2][:-1]))
                        heard.readline()
                    line.sendall(self._answer(word) + tag + b" OK done\r\n")

    def _enter(self, line: socket.socket, heard: Any, tag: bytes) -> str:
        user, token = shown(heard.readline().strip().decode("ascii"))
        if user == USER and self.authorization.good(token) and not self.refuses:
            line.sendall(tag + b" OK welcome\r\n")
            return token
        line.sendall(b"+ " + base64.b64encode(b'{"status":"400","schemes":"bearer"}') + b"\r\n")
        assert heard.readline().strip() in (b"", base64.b64encode(b"\x01"))
        line.sendall(tag + b" NO [AUTHENTICATIONFAILED] " + (self.refuses or b"no: " + token.encode()[:60]) + b"\r\n")
        return ""

    def _answer(self, word: str) -> bytes:
        if word == "CAPABILITY":
            return b"* CAPABILITY " + self.can + b"\r\n"
        if word.startswith("SELECT"):
            return b"* %d EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n" % len(self.letters)
        if word == "UID SEARCH UNSEEN":
            left = [str(n).encode() for n in range(1, len(self.letters) + 1) if n not in self.seen]
            return b"* SEARCH " + b" ".join(left) + b"\r\n"
        if word.startswith("UID SEARCH"):
            return b"* SEARCH\r\n"
        number = int(word.split()[2]) if word.startswith(("UID FETCH", "UID STORE")) else 0
        if "RFC822.SIZE" in word:
            return b"* %d FETCH (UID %d RFC822.SIZE %d)\r\n" % (number, number, len(self.letters[number - 1]))
        if "BODY.PEEK[]" in word:
            raw = self.letters[number - 1]
            return b"* %d FETCH (UID %d BODY[] {%d}\r\n%b)\r\n" % (number, number, len(raw), raw)
        if "STORE" in word:
            self.seen.add(number)
        return b""


class Sending:
    """An SMTP server, aiosmtpd, that takes tokens alone.

    ``ends`` is the answer to MAIL once the token is no longer good; empty: it hangs up. If it ``drops``, it hangs up
    when it has an email, without a word.
    """

    def __init__(self, authorization: Authorization) -> None:
        from aiosmtpd.controller import Controller
        from aiosmtpd.smtp import SMTP, AuthResult

        self.authorization, self.ends = authorization, "535 5.7.3 authentication unsuccessful"
        self.before: Callable[[], object] = bool
        self.took: list[bytes] = []
        self.logins = 0
        self.drops = False

        class Handler:
            async def auth_XOAUTH2(handler, server: Any, args: list[str]) -> AuthResult:  # noqa: N802, N805
                self.logins += 1
                said = args[1] if len(args) > 1 else await server.challenge_auth("")
                user, token = shown(said if isinstance(said, str) else base64.b64encode(said).decode())
                if user == USER and self.authorization.good(token):
                    server.session.token = token
                    return AuthResult(success=True, auth_data=user)
                await server.challenge_auth('{"status":"400"}')
                await server.push(f"535 5.7.8 not taken: {token[:60]}")
                return AuthResult(success=False, handled=True)

            async def handle_MAIL(
                handler,  # noqa: N805
                server: Any, session: Any, envelope: Any, address: str, options: list[str],
            ) -> str:  # fmt: skip
                self.before()
                if not self.authorization.good(session.token):
                    if not self.ends:
                        server.transport.close()
                    return self.ends or "421 gone"
                envelope.mail_from = address
                envelope.mail_options.extend(options)
                return "250 yes"

            async def handle_RCPT(
                handler,  # noqa: N805
                server: Any, session: Any, envelope: Any, address: str, options: list[str],
            ) -> str:  # fmt: skip
                if address.startswith("nobody"):
                    return "550 no such reader"
                envelope.rcpt_tos.append(address)
                return "250 yes"

            async def handle_DATA(handler, server: Any, session: Any, envelope: Any) -> str:  # noqa: N805
                self.took.append(envelope.content)
                if self.drops:
                    server.transport.close()
                return "250 taken"

        class Server(SMTP):
            line_length_limit = 12_288  # as RFC 4954 has it for answers to AUTH

        class Longer(Controller):
            def factory(controller) -> SMTP:  # noqa: N805
                return Server(controller.handler, **controller.SMTP_kwargs)

        self.controller = Longer(
            Handler(), hostname="127.0.0.1", port=0, auth_require_tls=False, auth_required=True,
            auth_exclude_mechanism=("LOGIN", "PLAIN"),
        )  # fmt: skip
        self.controller.port = free_port()
        self.controller.start()
        self.port: int = self.controller.port

    def close(self) -> None:
        self.controller.stop()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def closing(*servers: Authorization | Mailbox | Sending) -> Iterator[None]:
    try:
        yield
    finally:
        for server in servers:
            server.close()


def wait_for(found: Callable[[], object]) -> None:
    """Wait, as long as it takes on a slow machine, until something is there."""
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
