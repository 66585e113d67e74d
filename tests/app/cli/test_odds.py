"""``pbem odds``: free-hand and for orders; the page of the guide is docs/computer-players.md."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[3]


def test_a_volley_free_hand_is_what_the_guide_shows(pbem: Run) -> None:
    shown = re.findall(
        r"^```text\n(.*?)^```", (ROOT / "docs/computer-players.md").read_text(encoding="utf-8"), re.DOTALL | re.M
    )
    done = pbem("odds", "4 PH-1, 2 PHOT AT RANGE 5 SHIELD 12")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(shown[0])
    data = json.loads(pbem("odds", "2 phot at range 5 and 4 ph1 at range 5 shield 12", "--json").stdout)
    assert data["odds"]["mean"] == 22.0
    assert sum(total["chance"] for total in data["odds"]["totals"]) == pytest.approx(1)
    assert f"{data['odds']['shield']['down']:.2f}" == "0.98"


def test_a_warhead_that_strikes_takes_no_die(pbem: Run) -> None:
    data = json.loads(pbem("odds", "PLAS-F AT RANGE 5", "--json").stdout)
    assert [total["chance"] for total in data["odds"]["totals"]] == [1.0]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("2 PHOT OVERLOADED AT RANGE 5", "no-such-weapon"),
        ("4 PH-1", "no-range"),
        ("PHOT AT RANGE 1", "too-close"),
        ("PHOT AT RANGE 31", "out-of-range"),
        ("0 PH-1 AT RANGE 1", "too-many"),
        ("201 PH-1 AT RANGE 1", "too-many"),
        ("PH-1 AT RANGE 5000", "bad-number"),
        ("PROBE AT RANGE 7", "out-of-range"),
        ("PLAS-S AT RANGE 40", "out-of-range"),
        ("PLAS-S AT RANGE 5 DIE +1", "not-of-torpedoes"),
        ("2 PLAS-F EFFECTIVE 10 AT RANGE 5", "not-of-torpedoes"),
        ("PH-1 AT RANGE 5 RANGE 6", "said-twice"),
        ("", "no-weapons"),
        ("SHIELD 12", "no-weapons"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_sentence(pbem: Run, asked: str, code: str) -> None:
    done = pbem("odds", asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {code}: ") and done.stderr.count("\n") == 1


def test_each_shot_of_an_order_file(pbem: Run, tmp_path: Path) -> None:
    guide = (ROOT / "docs/computer-players.md").read_text(encoding="utf-8")
    (orders,) = re.findall(r"^```orders\n(.*?)^```", guide, re.DOTALL | re.M)
    (tmp_path / "my.orders").write_text(orders, encoding="utf-8")
    assert pbem("new", "5", "duel").returncode == 0
    said = pbem("odds", "duel", "my.orders")
    assert (said.returncode, said.stderr) == (0, "")
    assert "at range 3 to 4: average 10.7, down 44 %" in said.stdout
    data = json.loads(pbem("odds", "duel", "my.orders", "--json").stdout)
    photons, phasers = data["shots"]
    assert (photons["unit"], photons["target"]) == ("Constellation", "Destruction")
    assert photons["weapons"] == ["PHOT A", "PHOT B"]
    free = json.loads(pbem("odds", f"2 PHOT AT RANGE {photons['range']} SHIELD 16", "--json").stdout)
    assert photons["odds"] == free["odds"], "the same volley by both ways"
    assert phasers["by_range"][0]["expected"] == "19.5"
    (tmp_path / "bad.orders").write_text(orders.replace("federation", "romulan"), encoding="utf-8")
    assert "wrong-side" in pbem("odds", "duel", "bad.orders").stderr
    assert "no-orders" in pbem("odds", "duel").stderr
    named = orders.replace("FIRE ALL PH", "FIRE PH 99")
    (tmp_path / "bad.orders").write_text(named, encoding="utf-8")
    assert "line 5: " in pbem("odds", "duel", "bad.orders").stdout
