"""The proof page in a real browser: it finds a sound game sound, a changed one changed, and keeps to itself."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

HERE = Path(__file__).parent
KINDS = ("first", "second", "beacon")


def page_of(archive: Path) -> str:
    with zipfile.ZipFile(archive) as zipped:
        return zipped.read("proof.html").decode("utf-8")


class Visit:
    """A page opened from the disk, with all it said and asked for."""

    def __init__(self, browser: Any, tmp_path: Path, html: str, **how: Any) -> None:
        file = tmp_path / "proof.html"
        file.write_text(html, encoding="utf-8", newline="\n")
        self.page = browser.new_page(**how)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        self.own = file.as_uri()

    def verdict(self, word: str) -> None:
        """Waits until the page has judged so."""
        expect(self.page.locator("body")).to_have_attribute("data-verdict", word)

    def wrong(self) -> list[str]:
        found: list[str] = self.page.locator("#checks .no:not(span)").all_inner_texts()
        return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [390, 1200])
def test_a_sound_game_is_found_sound_without_any_network(
    kind: str, width: int, browser: Any, archives: dict[str, Path], tmp_path: Path
) -> None:
    how = {"viewport": {"width": width, "height": 900}, "color_scheme": "dark" if width < 500 else "light"}
    visit = Visit(browser, tmp_path, page_of(archives[kind]), **how)
    assert (visit.said, visit.asked) == ([], [visit.own])
    visit.verdict("fits")
    assert visit.wrong() == []
    checks = visit.page.locator("#checks li")
    expect(checks).to_have_count({"first": 5, "second": 6, "beacon": 7}[kind])
    assert all("(0)" not in text for text in checks.all_inner_texts()), "every check has looked at something"
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    for summary in visit.page.locator(".segment > summary").all():
        summary.click()
    expect(visit.page.locator(".segment:not([open])")).to_have_count(0)
    rolls = visit.page.locator(".rolls tbody tr")
    assert rolls.count() >= 7 and rolls.locator(".no").count() == 0
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert "Hosts who play in their own game" in visit.page.inner_text("main")
    visit.page.close()


def changed(html: str, change: Callable[[Any], None]) -> str:
    """The page with other data in it."""
    found = re.search(r'(<script type="application/json" id="data">)(.*?)(</script>)', html, re.DOTALL)
    assert found is not None
    data = json.loads(found[2])
    before = json.dumps(data)
    change(data)
    assert json.dumps(data) != before
    return html[: found.start(2)] + json.dumps(data).replace("<", "\\u003c") + html[found.end(2) :]


def line_with(data: Any, words: str, old: str, new: str) -> None:
    place = next(n for n, line in enumerate(data["log"]) if re.search(words, line))
    data["log"][place] = re.sub(old, new, data["log"][place], count=1)


OTHER = "ab" * 32
CHANGES: dict[str, tuple[Callable[[Any], None], list[str]]] = {
    "a die in the log": (lambda data: line_with(data, '"fired"', '"die":\\d', '"die":9'), ["events", "log"]),
    "a roll": (lambda data: data["proof"]["segments"][0]["rolls"][0].__setitem__(2, 9), ["rolls", "events"]),
    "a link": (lambda data: data["proof"]["segments"][1].update(link=OTHER), ["chain", "rolls"]),
    "the commitment": (lambda data: data["proof"].update(commitment=OTHER), ["chain"]),
    "a salt": (lambda data: data["proof"]["segments"][0]["orders"][0].update(salt=OTHER), ["salts", "orders"]),
    "the salt link": (lambda data: data["proof"].update(salt_link=OTHER), ["salts"]),
    "a log key": (lambda data: data["proof"]["segments"][0].update(log_key=OTHER), ["salts", "log"]),
    "orders": (lambda data: data["proof"]["segments"][1]["orders"][0].update(text="END\n"), ["orders"]),
    "orders in the log": (lambda data: line_with(data, '"orders_filed"', "SPEED", "MOVE"), ["orders", "log"]),
    "a hash in the log": (
        lambda data: line_with(data, '"orders_filed"', '"sealed":"..', '"sealed":"xx'),
        ["orders", "log"],
    ),
    "a move": (lambda data: line_with(data, '"moved"', '"at":"\\d', '"at":"9'), ["log"]),
    "a record less": (lambda data: data["log"].pop(30), ["log"]),
    "the end cut off": (lambda data: data["log"].pop(), ["log"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_game_is_found_changed(name: str, browser: Any, archives: dict[str, Path], tmp_path: Path) -> None:
    change, ids = CHANGES[name]
    visit = Visit(browser, tmp_path, changed(page_of(archives["second"]), change))
    visit.verdict("differs")
    assert visit.said == []
    data = json.loads(visit.page.inner_text("#data", timeout=0) or visit.page.evaluate("data.textContent"))
    found = {one["id"] for one in visit.page.evaluate("data => proofPage.checkAll(data).checks", data) if one["wrong"]}
    assert set(ids) <= found
    assert visit.wrong(), "and it is said where"
    visit.page.close()


def test_a_beacon_s_value_that_was_changed(browser: Any, archives: dict[str, Path], tmp_path: Path) -> None:
    def change(data: Any) -> None:
        data["proof"]["segments"][0]["beacon"] = "5:" + OTHER

    visit = Visit(browser, tmp_path, changed(page_of(archives["beacon"]), change))
    visit.verdict("differs")
    assert any("segment 1" in text for text in visit.wrong())
    visit.page.close()


def test_the_vectors_in_the_browser(browser: Any, archives: dict[str, Path], tmp_path: Path) -> None:
    visit = Visit(browser, tmp_path, page_of(archives["second"]))
    script = (HERE / "check_vectors.js").read_text(encoding="utf-8")
    vectors = json.loads((HERE / "vectors.json").read_text(encoding="utf-8"))
    wrong = visit.page.evaluate(f"vectors => {{ {script}; return checkVectors(proofPage, vectors) }}", vectors)
    assert wrong == []
    visit.page.close()


# --- what was kept ----------------------------------------------------------------------------------------------------


def test_kept_sitreps_are_compared(
    browser: Any, archives: dict[str, Path], sent: Callable[[str, str], Path], tmp_path: Path
) -> None:
    visit = Visit(browser, tmp_path, page_of(archives["beacon"]))
    files = sorted(sent("beacon", "federation").iterdir())
    forged = tmp_path / "forged.txt"
    text = next(path for path in files if path.suffix == ".txt" and "link" in path.read_text("utf-8")).read_text(
        "utf-8"
    )
    forged.write_text(re.sub(r"(link +)[0-9a-f]{64}", rf"\g<1>{OTHER}", text), encoding="utf-8")
    other = next(path for path in sorted(sent("second", "klingon").iterdir()))
    none = tmp_path / "none.txt"
    none.write_text("eggs", encoding="utf-8")
    visit.page.set_input_files("#files", [str(path) for path in (*files, forged, other, none)])
    compared = visit.page.locator("#compared li")
    expect(compared).to_have_count(len(files) + 3)
    said = compared.all_inner_texts()
    assert all(one.startswith("✓") and "all" in one for one in said[: len(files)]), said
    assert any(path.suffix == ".eml" for path in files) and any(path.suffix == ".txt" for path in files)
    assert said[-3].startswith("✗") and OTHER in said[-3]
    assert "another game" in said[-2] and "no dice proof" in said[-1]
    visit.page.fill("#pasted", "\n".join("> " + line for line in text.split("\n")))
    expect(compared.first).to_have_text(re.compile("^✓"))
    assert visit.asked == [visit.own]
    visit.page.close()
