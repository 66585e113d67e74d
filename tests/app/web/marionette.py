"""A Firefox of the machine, driven by its own protocol (Marionette), which every version since 2013 has.

Playwright drives a Firefox of its own only. Only what the smoke test needs is here.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
    "ui.prefersReducedMotion": 1,
}


def installed() -> str | None:
    """The Firefox of this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Firefox:
    """A headless Firefox with a profile of its own."""

    def __init__(self, program: str, profile: Path, patience: float = 60) -> None:
        profile.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.patience = patience
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            self.line = socket.create_connection(("127.0.0.1", self._port(profile)), patience)
            self.stream = self.line.makefile("rb")
            self._read()  # what it says of itself
            self.asked = 0
            self.tell("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
            self.tell("WebDriver:SetWindowRect", width=1300, height=900)
        except BaseException:
            self.close()
            raise

    def _port(self, profile: Path) -> int:
        """The port it chose, which it writes into its profile."""
        late = time.monotonic() + self.patience
        while not (file := profile / "MarionetteActivePort").is_file() or not file.read_text().strip():
            assert self.process.poll() is None, "Firefox ended"
            assert time.monotonic() < late, "Firefox does not listen"
            time.sleep(0.1)
        return int(file.read_text())

    def _read(self) -> Any:
        length = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox hung up"
            length += byte
        return json.loads(self.stream.read(int(length)))

    def tell(self, command: str, **how: Any) -> Any:
        """Does what is asked, and gives its result."""
        self.asked += 1
        message = json.dumps([0, self.asked, command, how]).encode()
        self.line.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def goto(self, address: str) -> None:
        self.tell("WebDriver:Navigate", url=address)

    def ask(self, script: str, *given: Any) -> Any:
        """What a script in the page returns."""
        return self.tell("WebDriver:ExecuteScript", script=script, args=list(given), sandbox=None)["value"]

    def until(self, script: str, *given: Any) -> None:
        """Waits until a script in the page returns what is true."""
        late = time.monotonic() + self.patience
        while not self.ask(script, *given):
            assert time.monotonic() < late, f"never true: {script}"
            time.sleep(0.05)

    def click(self, at: str | tuple[float, float]) -> None:
        """A click of the mouse on the element of a selector, or at a place of the window."""
        if isinstance(at, str):
            found = self.tell("WebDriver:FindElement", using="css selector", value=at)["value"]
            self.tell("WebDriver:ElementClick", id=next(iter(found.values())))
            return
        x, y = map(round, at)
        moves = [{"type": "pointerMove", "x": x, "y": y, "duration": 0}, {"type": "pointerDown", "button": 0}]
        moves.append({"type": "pointerUp", "button": 0})
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        self.tell("WebDriver:PerformActions", actions=[mouse])

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
