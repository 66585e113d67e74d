"""An order, a word that stands instead of orders, an entry of the energy form: each is declared once.

The test's own are read, told back, refused, offered, drafted, played and reported as any are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from pbem.data import terms
from pbem.data.terms import StepName
from pbem.engine import events as ev
from pbem.engine.checking.outlook import Outlook
from pbem.engine.legal import acts
from pbem.engine.order_systems import SYSTEMS, CandidateOrder, System
from pbem.engine.play import surrender
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import AnyUnit, Request, Ship, State
from pbem.engine.steps import sequence
from pbem.errors import Fault, GameError, NotAllowed
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.orders import activities, model as om, vocabulary as words
from pbem.orders.activities import Activity
from pbem.orders.cursor import Cursor
from pbem.orders.names import target_text
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.reports.draft import systems
from pbem.rules import energy_form as energy_systems
from pbem.rules.energy_form import Powered, ShipFacts, allot
from pbem.rules.power import Systems, WrittenEntry, points_of
from tests.rules.test_forms import CA

HEAD = "GAME own TURN 1 SIDE federation REPLY 1"
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}


@pytest.fixture
def salute(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SALUTE Destruction: heard by everybody who is not cloaked, and by nobody of the own side."""
    monkeypatch.setattr(words, "KEYWORDS", dict(words.KEYWORDS))

    class Salute(Activity, frozen=True, kw_only=True):
        verb = "SALUTE"
        also = "GREET"
        step = StepName.END

        target: om.UnitRef

        @classmethod
        def read(cls, cursor: Cursor) -> Salute:
            return cls(target=cursor.unit("a ship"))

        @property
        def text(self) -> str:
            return f"SALUTE {target_text(self.target)}"

    def check(outlook: Outlook, order: om.Order, activity: Activity) -> Iterator[Fault]:
        assert isinstance(activity, Salute)
        unit = outlook.state.units.get(activity.target.name)
        if unit is not None and unit.side == outlook.ship.side:
            raise NotAllowed("own-ship", f"nobody salutes his own ships, and {unit.name} is one", "X1.0")
        yield from ()

    def play(table: Resolution) -> None:
        for ship, intent in table.ordered(table.state, Salute):
            table.acted(ship, intent.order, "the salute is returned")
        end.play(table)

    def offered(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
        yield from (CandidateOrder("Courtesies", f"SALUTE {other.name}", other.name) for other in others)

    def drafted(state: State, request: Request, ship: Ship) -> Iterator[tuple[str, str]]:
        yield "SALUTE ENEMY SHIP", "politeness costs nothing"

    end = sequence.BY_NAME[StepName.END]
    monkeypatch.setitem(sequence.BY_NAME, StepName.END, msgspec.structs.replace(end, play=play))
    kind: type[Activity] = Salute
    monkeypatch.setitem(SYSTEMS, kind, System(None, "salutes", "X1.0", check, offered, drafted))
    yield
    del activities.VERBS["SALUTE"]


@pytest.fixture
def parley(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """PARLEY instead of orders: the side is for talking. Who did."""
    heard: list[str] = []
    monkeypatch.setitem(words.KEYWORDS, "PARLEY", "PARLEY")
    monkeypatch.setitem(words.ALONE, "PARLEY", ("", "wants to talk"))
    monkeypatch.setitem(surrender.PLAYED, "PARLEY", lambda table, sides: heard.extend(sides))
    return heard


@pytest.fixture
def lights(monkeypatch: pytest.MonkeyPatch) -> None:
    """LIGHTS 1 on line 19: a point of any power, no more."""

    def lit(entry: WrittenEntry, facts: ShipFacts) -> Powered:
        points = points_of(entry)
        if sum(points.values()) > 1:
            raise NotAllowed("too-bright", "LIGHTS take one point", "X2.0")
        return Powered(points, Systems())

    entry = terms.FormItem("LIGHTS", 19, "LAMPS", behind=("ON",))
    monkeypatch.setitem(terms.ENTRIES, "LIGHTS", entry)
    for spelling in (entry.word, *entry.also.split()):
        monkeypatch.setitem(words.ENERGY_ITEMS, spelling, "LIGHTS")
    monkeypatch.setitem(energy_systems.SYSTEMS, "LIGHTS", lit)


def played(folder: Path, orders: str, others: str) -> tuple[Sequence[ev.AnyEvent], str]:
    """What happens in a turn with these orders, and what the federation reads of it."""
    new("5", folder, players=PLAYERS, options={"reveal": "none", "autobreaks": "none"}, seed="own", name="own")
    with opened(folder) as game:
        before = len(game.records())
        submit(game, f"{HEAD}\n{orders}\nEND\n", "f")
        submit(game, f"{HEAD.replace('federation', 'klingon')}\n{others}\nEND\n", "k")
        resolve_game(game)
        happened = [record.event for record in game.records()[before:]]
    (sitrep,) = folder.glob("02/r1/federation/sitrep.txt")
    return happened, sitrep.read_text(encoding="utf-8")


STAYS = "SHIP Destruction\nENERGY\nSPEED 0"


def test_each_order_has_a_system_or_is_for_weapons() -> None:
    weapons = {om.Fire, om.Launch, om.Guide}
    assert {*activities.VERBS.values()} - {*SYSTEMS} == weapons
    assert {*SYSTEMS} - {*activities.VERBS.values()} == {om.LaunchShuttle}


@pytest.mark.usefixtures("salute")
def test_an_order_is_read_told_back_suggested_offered_refused_played_and_reported(tmp_path: Path) -> None:
    said = f"{HEAD}\n\nSHIP Constellation\nENERGY\n  SPEED 0\nDO\n  AT 3 SALUTE Destruction\n\nEND\n"
    assert write_orders(read_orders(said.replace("SALUTE", "greet")).orders) == said
    (fault,) = read_orders(said.replace("SALUTE", "SALUET")).faults
    assert "did you mean SALUTE?" in fault.text

    happened, sitrep = played(tmp_path / "own", said.partition("\n")[2].replace("END\n", ""), STAYS)
    (acted,) = [event for event in happened if isinstance(event, ev.OrderTold) and "SALUTE" in event.order]
    assert (acted.impulse, acted.step, acted.result) == (3, StepName.END, "acted")
    assert "AT 3 SALUTE Destruction" in sitrep and "the salute is returned" in sitrep

    with opened(tmp_path / "own") as game:
        state, scenario = game.state(), game.scenario()
        unit = state.units["Constellation"]
        assert isinstance(unit, Ship)
        assert "SALUTE Destruction" in {act.text for act in acts.acts_of(state, scenario, unit)}
        assert state.request is not None
        hints = [*systems.acts(state, scenario, state.request, unit)]
        assert ("SALUTE ENEMY SHIP", "politeness costs nothing") in hints
        wrong = f"{HEAD.replace('TURN 1', 'TURN 2')}\nSHIP Constellation\nDO\n  SALUTE Constellation\nEND\n"
        with pytest.raises(GameError, match="nobody salutes his own ships, and Constellation is one"):
            submit(game, wrong, "f")


def test_a_word_instead_of_orders_is_read_checked_and_played(parley: list[str], tmp_path: Path) -> None:
    assert write_orders(read_orders(f"{HEAD} PARLEY\n").orders) == f"{HEAD}\n\nPARLEY\n\nEND\n"
    codes = [fault.code for fault in read_orders(f"{HEAD}\nPARLEY\n{STAYS}\n").faults]
    assert codes == ["parley-and-orders"]
    played(tmp_path / "own", "PARLEY", STAYS)
    assert parley == ["federation"]


@pytest.mark.usefixtures("lights")
def test_an_entry_of_the_energy_form_is_read_told_back_paid_and_refused() -> None:
    (block,) = read_orders("SHIP A\nENERGY\n  lamps on 1 WARP\n  19 LIGHTS 2\n", header=False).orders.units
    assert [line.text for line in block.energy or ()] == ["LIGHTS 1 WARP", "LIGHTS 2"]
    (fault,) = read_orders("SHIP A\nENERGY\n  12 LIGHTS 1\n", header=False).faults
    assert fault.code == "which-line" and "line 12 of the form is GENERAL, not LIGHTS" in fault.text

    done = allot([om.EnergyLine(item="LIGHTS", parts=(("APR", Fraction(1)),))], CA)
    assert (done.faults, done.other) == ((), {"LIGHTS": 1})
    assert "LIGHTS 1 APR" in done.lines and (19, "LIGHTS", 1, "1 APR") in done.balance
    (fault,) = allot([om.EnergyLine(item="LIGHTS", parts=(("", Fraction(2)),))], CA).faults
    assert fault.sentence == "LIGHTS take one point (X2.0)"
