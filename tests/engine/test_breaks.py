"""A look-out that is set up anew knows what the one before it saw: whoever stops play, and after whichever step, takes
no break from anybody and gives nobody one twice.
"""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from pbem.engine import events as ev
from pbem.engine.log import apply
from pbem.engine.play import breaks
from pbem.engine.play.breaks import Lookout, WatchedBreak
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import Pulse
from pbem.engine.steps import sequence
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import dice_for, opening, scenario_for
from pbem.orders.reader import read_condition

FIGHT = """
level = "standard"
options = { autobreaks = [], reveal = "none" }
[[unit]]
side = "federation"
ship = "std_fed_ca_cth"
name = "Con"
at = "1010A"
prior_speed = 8
state = { "shield 1" = 3, "photon A" = "armed", capacitor = 6 }
[[unit]]
side = "klingon"
ship = "std_kli_d7"
name = "Des"
at = "1005D"
prior_speed = 8
state = { "shield 1" = 0, capacitor = 6 }
[[unit]]
side = "klingon"
ship = "drone"
name = "KD/1"
at = "1013A"
target = "Con"
launcher = "Des"
[[turn]]
orders.federation = '''
SHIP Con
ENERGY
  SPEED 8; PHOT A HOLD; PHASERS 1
PLOT 8F
DO
  AT 2 FIRE PH 1 AT Des
  AT 3 FIRE PH 2 AT Des
  AT 4 FIRE PHOT A AT Des
  AT 5 FIRE PH 3 AT Des
'''
orders.klingon = '''
SHIP Des
ENERGY
  SPEED 8; DISR A 2; PHASERS 1
PLOT 8F
DO
  AT 2 LAUNCH DRONE 1 AT Con DIR D
  AT 3 FIRE PH 1 AT Con
  AT 4 FIRE PH 2 AT Con
  AT 5 FIRE DISR A AT Con
'''
"""
SEEN = (
    "IMPULSE 3", "Con FIRES", "Des FIRES", "Con FIRES PHOT", "Des LAUNCHES DRONE", "#1 OF Con HIT", "#1 OF Des HIT",
    "INTERNALS OF Con", "INTERNALS OF Des", "NOT Con FIRES", "#1 OF Con DOWN",
)  # fmt: skip


def as_if_stopped(table: Resolution) -> Resolution | None:
    """The table on which play goes on, had it stopped after the step that was just played; none as a turn ends."""
    course = sequence.course(table.scenario)
    onward = course.after(table.impulse, table.step, table.state.impulses)
    if onward is None or onward[1] not in course.impulse:
        return None
    stopped = ev.Stopped(turn=table.turn, impulse=table.impulse, next_impulse=onward[0], next_step=onward[1])
    return Resolution(apply(table.state, stopped), table.scenario, table.dice, {})


def test_after_any_step_a_new_look_out_goes_on_where_the_old_one_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look of a fight, with breaks on what lasts a moment and on what lasts: it is never cut by any of them."""
    watched = [(side, read_condition(text), text) for text in SEEN for side in ("federation", "klingon")]
    looks: list[tuple[str, str]] = []
    true = set[str]()

    class Twice(Lookout):
        def __init__(self, table: Resolution, *_: object) -> None:
            super().__init__(table, {}, watched)

        def look(self, table: Resolution, pulses: tuple[Pulse, ...]) -> list[WatchedBreak]:
            super().look(table, pulses)
            if anew := as_if_stopped(table):
                known = [(watch.side, watch.text) for watch, is_ in zip(self.watches, self.last, strict=True) if is_]
                fresh = Lookout(anew, {}, watched)
                again = [(watch.side, watch.text) for watch, is_ in zip(fresh.watches, fresh.last, strict=True) if is_]
                assert again == known, (table.impulse, table.step)
                true.update(text for _, text in known)
                looks.append((str(table.impulse), table.step))
            return []

    monkeypatch.setattr(breaks, "Lookout", Twice)
    facts = {"rule": "B2.0", "title": "t", "source": "s", "impulses": 32}
    case = msgspec.convert({**tomllib.loads(FIGHT), **facts}, Case)
    setting = scenario_for(case)
    answers = {side: Filed(text=text) for side, text in case.turn[0].orders.items()}
    resolve(opening(case, setting), setting, answers, dice_for(case, exact=False))
    assert true == set(SEEN) and len(looks) > 100
