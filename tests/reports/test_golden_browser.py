"""Every golden game's replay in a real browser: turns of each stepped through by keys and by the slider, nothing
complains, nothing is asked for, and the map shows what the log says.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.engine.events import UMPIRE, Record
from pbem.engine.log import decode_records, encode_records
from pbem.engine.state import Ship
from pbem.games.site import write_site
from pbem.games.storage.opening import opened
from pbem.reports.html.page import sitrep_html
from pbem.reports.view.build import build_view
from pbem.reports.view.model import ReportView

pytestmark = [pytest.mark.browser, pytest.mark.slow]
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MANY = 10
"""Units on the map of which one turn is stepped through and not three."""
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><b id='q&\\`${1}'>"
SCENARIOS = tuple(f"s{number:02}" for number in range(1, 13))
WALKED_BY_STRANGERS = ("duel01", "rescue01", "s06", "s09")
"""Games whose replay is stepped through with hostile names too."""


def _golden() -> ModuleType:
    """tests/golden/scenarios.py (test folders are no packages)."""
    if "golden_scenarios" not in sys.modules:
        path = ROOT / "tests" / "golden" / "scenarios.py"
        spec = importlib.util.spec_from_file_location("golden_scenarios", path)
        assert spec is not None and spec.loader is not None
        sys.modules["golden_scenarios"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["golden_scenarios"])
    return sys.modules["golden_scenarios"]


Once = Callable[[str, Callable[[Path], None]], Path]


def log_of(name: str, once: Once) -> Sequence[Record]:
    """The log of a shipped game, or of a scenario's golden game played anew (as it is for tests/golden)."""
    golden = _golden()
    folder = ROOT / "turns" / name
    if name.startswith("s"):
        folder = once(name, lambda folder: golden.play(name, golden.GAMES / name, folder))
    with opened(folder) as game:
        return game.effective()


STEP = """count => {
  const slider = document.getElementById('replay-at'), from = document.getElementById('replay-from');
  const press = key => slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const title = () => document.getElementById('replay-title').textContent;
  const numbers = [...document.querySelectorAll('.map .no text')].map(
    t => [+t.getAttribute('x'), +t.getAttribute('y') + 15, t.textContent]);
  const near = (x, y) => numbers.find(n => Math.hypot(n[0] - x, n[1] - y) < 20)?.[2];
  const look = () => Object.fromEntries([...document.querySelectorAll('.map .counter:not(.off)')].map(g => {
    const at = new DOMMatrix(g.style.transform);
    const turn = Math.round(Math.atan2(at.b, at.a) * 180 / Math.PI + 360) % 360;
    return [g.dataset.unit, near(at.e, at.f) + 'ABCDEF'[turn / 60]];
  }));
  const ruled = (a, b) => {
    from.value = a;
    from.dispatchEvent(new Event('change'));
    const found = [...document.querySelectorAll('#map-rulers text')].find(t => t.dataset.to === b)?.textContent;
    from.value = '';
    from.dispatchEvent(new Event('change'));
    return found;
  };
  const data = JSON.parse(document.getElementById('game').textContent), steps = [];
  press('Home');
  for (let k = 0; k < count; k++) {
    if (k) press('ArrowRight');
    const reach = k % 4 ? [] : data.replay[k].reach || [];
    steps.push({ look: look(), title: title(), ranges: reach.map(r => [r[2], ruled(r[0], r[1])]) });
  }
  press('ArrowRight');
  const end = title(), wrong = [];
  for (let k = count - 1; k >= 0; k--) {
    slider.value = k;
    slider.dispatchEvent(new Event('input'));
    if (title() !== steps[k].title) wrong.push([k, title()]);
  }
  press('PageDown');
  press('End');
  return { steps, end, wrong, last: title(), link: document.getElementById('replay-link').getAttribute('href') };
}"""


class Watched:
    """One page of the browser, with all it says and asks for."""

    def __init__(self, browser: Any) -> None:
        self.page = browser.new_page(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(self, file: Path, text: str = "") -> None:
        if text:
            file.write_text(text, encoding="utf-8", newline="\n")
        self.said.clear()
        self.asked.clear()
        self.page.goto(file.as_uri())

    def quiet(self, file: Path) -> None:
        """Nothing was said, and nothing asked for but the page itself."""
        assert self.said == []
        assert [url.partition("#")[0] for url in self.asked] == [file.as_uri()]


@pytest.fixture(scope="module")
def watched(browser: Any) -> Iterator[Watched]:
    one = Watched(browser)
    yield one
    one.page.close()


def steps_through(watched: Watched, view: ReportView) -> None:
    """Steps a page's replay to its end and back, and compares each step with the view it was made from."""
    if len(view.replay) < 2:
        expect(watched.page.locator("#replay")).to_be_hidden()
        return
    found = watched.page.evaluate(STEP, len(view.replay))
    standing: dict[str, str] = {}
    for frame, step in zip(view.replay, found["steps"], strict=True):
        standing = {name: at for name, at in {**standing, **frame.at}.items() if name not in frame.gone}
        assert step["look"] == standing, step["title"]
        assert all(str(engine) == shown for engine, shown in step["ranges"]), step
    assert found["wrong"] == []
    assert found["end"] == found["last"] == found["steps"][-1]["title"]
    last = view.replay[-1]
    assert found["link"] == f"#t{view.shown}i{last.impulse}" + (f"-{last.step}" if last.step else "")


@pytest.mark.parametrize("name", ["duel01", "rescue01", *SCENARIOS])
def test_the_replay_of_every_golden_game_steps_to_its_end(
    watched: Watched, name: str, tmp_path: Path, once: Once
) -> None:
    records = log_of(name, once)
    file = tmp_path / "sitrep.html"
    turns = sorted({record.event.turn for record in records} - {0})
    for turn in sorted({turns[0], turns[len(turns) // 2], turns[-1]}):
        view = build_view(records, UMPIRE, turn=turn)
        if len(view.units) > MANY and turn != turns[len(turns) // 2]:
            continue
        html = sitrep_html(view, "GAME x\nEND\n")
        assert len(html.encode("utf-8")) <= 100_000 * (len(view.ssds) + 1)
        watched.open(file, html)
        steps_through(watched, view)
        watched.quiet(file)
    # The same log with a hostile ship, player and note: no markup; and the same steps, in games of every kind of unit.
    ship = min(unit.name for record in records if isinstance(unit := getattr(record.event, "placed", None), Ship))
    view = build_view(hostile(records, ship), UMPIRE, turn=turns[0])
    assert any("onerror" in unit.name for unit in view.units)
    watched.open(file, sitrep_html(view, f"SHIP {HOSTILE}\n"))
    if name in WALKED_BY_STRANGERS:
        steps_through(watched, view)
    watched.quiet(file)
    assert watched.page.title() == view.subject
    assert watched.page.evaluate("document.querySelectorAll('img, b[id], script:not([type])').length") == 2


def hostile(records: Sequence[Record], ship: str) -> list[Record]:
    """The same log where a ship, the players and every reason are called something that would be markup."""
    import json

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {changed(name): changed(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [changed(item, key) for item in value]
        if isinstance(value, str):
            if key in ("player", "reason"):
                return HOSTILE
            return HOSTILE if value == ship else value
        return value

    lines = [json.dumps(changed(json.loads(line))) for line in encode_records(records).splitlines()]
    return decode_records("\n".join(lines).encode("utf-8"))


def test_a_site_can_be_walked_in_the_browser(watched: Watched, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(ROOT / "turns" / "duel01", site)
    index = site / "index.html"
    watched.open(index)
    watched.quiet(index)
    page = watched.page
    page.click("#turn-4 >> text=4.6")
    expect(page).to_have_url(re.compile("^" + re.escape(index.as_uri() + "#t4i6")))
    expect(page.locator("#replay-title")).to_have_text(re.compile("^Turn 4, impulse 6"))
    for link, where in (
        ("#turn-4 >> text=Turn 4", "turn-04.html"),
        ("text=turn 3", "turn-03.html"), ("text=turn 4", "turn-04.html"),
        ("text=with everything that was secret", "secrets-04.html"), ("nav.around >> text=duel01", "index.html"),
    ):  # fmt: skip
        page.click(link)
        expect(page).to_have_url(re.compile(f"^{re.escape((site / where).as_uri())}(#|$)"))
    assert watched.said == []
    assert {url.partition("#")[0] for url in watched.asked} <= {path.as_uri() for path in site.glob("*.html")}
