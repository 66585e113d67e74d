"""A program that is no browser: it may say whatever it likes to a server of ours."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlencode


class Asker:
    """What it says of itself stands in ``own``."""

    def __init__(self, port: int, cookie: str = "") -> None:
        self.port = port
        self.own: dict[str, str | None] = {
            "Host": f"127.0.0.1:{port}",
            "Cookie": cookie or None,
            "Origin": f"http://127.0.0.1:{port}",
        }

    def ask(
        self, path: str, form: Mapping[str, str] | None = None, *, method: str = "", **headers: str | None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer; a header ``None`` is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        said = {name: text for name, text in {**self.own, **headers}.items() if text is not None}
        connection.putrequest(method or ("GET" if form is None else "POST"), path, skip_host=True)
        body = b"" if form is None else urlencode(form).encode()
        for name, text in said.items():
            connection.putheader(name, text)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def ask_as(self, wrong: Mapping[str, str | None], path: str, form: Mapping[str, str]) -> int:
        """The status of an answer to who says something else of himself."""
        own, self.own = self.own, {**self.own, **wrong}
        try:
            return self.ask(path, form)[0]
        except (BrokenPipeError, ConnectionResetError):
            if "Host" not in wrong or wrong["Host"] is not None:
                raise
            return 400  # what is no request at all is answered and hung up on, before its body was read
        finally:
            self.own = own
