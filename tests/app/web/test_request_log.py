"""The log of a web server: a line for each request, with the pattern of its path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pbem.app.web.server import HERE, Served, _bound
from pbem.mail import event_log

KEY = "k3y-of-somebody"


def answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse("no", status_code=403 if request.path_params["game"] == KEY else 200)


@pytest.fixture
def served() -> Iterator[tuple[Served, Thread]]:
    server = Served(Starlette(routes=[Route("/game/{game}/{side}/check", answer)]), _bound(HERE, 0, 0))
    running = Thread(target=server.run)
    running.start()
    yield server, running
    server.stop()
    running.join()
    for logger in (event_log._LINES, event_log._EVENTS):
        logger.handlers.clear()
        logger.setLevel(0)


def test_a_request_is_logged_by_its_pattern_and_no_key_is(
    served: tuple[Served, Thread], capsys: pytest.CaptureFixture[str]
) -> None:
    event_log.begin("json")
    server, running = served
    address = f"http://{HERE}:{server.port}"
    assert urlopen(f"{address}/game/duel01/klingon/check?key={KEY}").status == 200
    for path, status in ((f"/game/{KEY}/klingon/check", 403), (f"/{KEY}", 404)):
        with pytest.raises(HTTPError) as refused:
            urlopen(address + path)
        assert refused.value.code == status
    server.stop()
    running.join()
    text = capsys.readouterr().out
    lines = [json.loads(line) for line in text.splitlines()]
    found = [(line["status"], line.get("path"), line.get("game"), line.get("side")) for line in lines]
    pattern = "/game/{game}/{side}/check"
    assert found == [(200, pattern, "duel01", "klingon"), (403, pattern, None, None), (404, None, None, None)]
    assert KEY not in text and all(line["event"] == "request" and line["method"] == "GET" for line in lines)
