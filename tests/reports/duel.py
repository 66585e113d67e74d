"""A duel to report on, made by hand: two ships, arming, a launch, two volleys, internals, a break of the Klingon."""

from __future__ import annotations

from typing import Any

from pbem.data.terms import FormKind, WeaponState
from pbem.engine import events as ev
from pbem.engine.on_file import altered, unit_on_file
from pbem.engine.options import Options
from pbem.engine.state import Outcome, Request, Seeker, Ship, Side, Weapon
from pbem.rules.hexes import neighbour, turn_facing

FED, KLI = "federation", "klingon"
SHIELDS = (16, 12, 10, 10, 10, 12)
IMPULSES = 16


class Log:
    """Records in the making: helm of every unit, and the present moment."""

    def __init__(self) -> None:
        self.records: list[ev.Record] = []
        self.turn = 1
        self.impulse = 0
        self.at: dict[str, tuple[str, str]] = {}

    def add(self, what: type[Any], /, *, only: str = "", shown: Any = None, step: str = "", **fields: Any) -> None:
        """One record; ``shown`` gives the fields in which the public form differs."""
        event = what(turn=self.turn, impulse=self.impulse, step=step, **fields)
        public = None if shown is None else what(turn=self.turn, impulse=self.impulse, step=step, **fields | shown)
        self.records.append(ev.Record(n=len(self.records) + 1, event=event, only=only, shown=public))

    def move(self, unit: str, code: str, step: str = "move") -> None:
        hex, facing = self.at[unit]
        came_from = hex
        steps = {"L": -1, "R": 1}.get(code, 0)
        if steps:
            facing = turn_facing(facing, steps)
            self.add(ev.Turned, unit=unit, at=hex + facing, step=step, rule="C3.1")
        way = turn_facing(facing, {"SL": -1, "SR": 1}.get(code, 0))
        hex = neighbour(hex, way, "even")
        self.at[unit] = (hex, facing)
        self.add(
            ev.Moved, unit=unit, at=hex + facing, code=code, came_from=came_from, plotted=step == "move", since_turn=2,
            since_slip=2, step=step, rule="C1.43" if step == "move" else "F2.0",
        )  # fmt: skip


def ship(name: str, side: str, race: str, class_name: str, hex: str, facing: str, **more: Any) -> Ship:
    boxes = {"warp left": 8, "warp right": 8, "impulse": 2, "apr": 2, "battery": 2, "hull": 6, "bridge": 1, "lab": 1}
    made = Ship(
        name=name, side=side, race=race, class_name=class_name, hex=hex, facing=facing, ship=f"{side}_cadet",
        shields=SHIELDS, boxes={**boxes, "shuttle": 2, "excess": 3},
    )  # fmt: skip
    return altered(made, **{"batteries": 2, **more})


FED_WEAPONS = {f"PH {n}": Weapon(kind="ph1") for n in (1, 2, 3)} | {f"PHOT {x}": Weapon(kind="photon") for x in "AB"}
KLI_WEAPONS = (
    {f"PH {n}": Weapon(kind="ph2") for n in (1, 2, 3, 4)}
    | {f"DISR {x}": Weapon(kind="disruptor") for x in "AB"}
    | {"DRONE 1": Weapon(kind="drone_rack", ammo=4)}
)
KLI_ORDERS = """GAME duel01  TURN 2  SIDE klingon  REPLY 2
SHIP Destruction
PLOT 4F L 3F SR 3F
DO
  AT 3 LAUNCH DRONE 1 AT Constellation DIR A
  AT 9 FIRE DISR A,B PH 1-2 AT Constellation IF RANGE <= 5
  IF RANGE Constellation <= 1 THEN FIRE ALL AT Constellation
BREAK
  INTERNALS
END
"""
FED_ORDERS = """GAME duel01  TURN 2  SIDE federation  REPLY 2
SHIP Constellation
PLOT 5F R 4F
DO
  AT 9 FIRE PHOT A,B PH 1 AT Destruction
  EVERY IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 2,3 AT EACH
END
"""
FED_SECRET = "DISCREET-FEDERATION-BREAK"
KLI_SECRET = "QUIET-KLINGON-FORM"


def duel(*, fed: str = "Constellation", kli: str = "Destruction", player: str = "Ann") -> list[ev.Record]:
    """The game up to the Klingon's break in impulse 9 of turn 2: request 3 of the turn is open."""
    log = Log()
    log.turn = 0
    sides = (
        Side(name=FED, team=FED, player=player),
        Side(name=KLI, team=KLI, player="Bob <bob@example.org>"),
    )
    log.add(
        ev.GameStarted, game="duel01", scenario="5", level="cadet", impulses=IMPULSES, map=("0101", "2817"),
        grid="even", options=Options(), sides=sides,
    )  # fmt: skip
    log.at = {fed: ("2401", "E"), kli: ("0516", "B")}
    for one in (
        ship(fed, FED, "federation", "FED CA", "2401", "E", prior_speed=16, weapons=FED_WEAPONS),
        ship(kli, KLI, "klingon", "KLIN D6", "0516", "B", prior_speed=16, weapons=KLI_WEAPONS),
    ):
        log.add(ev.UnitPlaced, unit=unit_on_file(one))
    log.turn = 1
    log.add(ev.TurnBegan)
    _request(log, 1, FormKind.FULL, (FED, KLI), 0, "a new turn")
    _energy(log, fed, kli, photons=WeaponState.ARMING)
    log.add(ev.SegmentBegan, segment=1, link=1)
    plan = {fed: "FFFFFFF", kli: "FFFFFFFF"}
    for impulse in range(1, IMPULSES + 1):
        log.impulse = impulse
        for unit in (fed, kli):
            if impulse % 2 == 0 and plan[unit]:
                log.move(unit, plan[unit][0])
                plan[unit] = plan[unit][1:]
    log.add(ev.Volley, step="resolve", unit=kli, shield=1, points=5, sources=(fed,))
    log.add(ev.Damaged, step="resolve", unit=kli, shield=1, boxes=5, left=11)
    log.add(ev.TurnEnded, step="close")
    log.turn, log.impulse = 2, 0
    log.add(ev.TurnBegan)
    _request(log, 1, FormKind.EAF, (FED, KLI), 0, "a new turn")
    _energy(log, fed, kli, photons=WeaponState.ARMED)
    log.impulse = 1
    _request(log, 2, FormKind.SOP, (FED, KLI), 1, "speeds are announced")
    for side, text in ((FED, FED_ORDERS), (KLI, KLI_ORDERS)):
        text = text.replace("Constellation", fed).replace("Destruction", kli)
        filed: dict[str, Any] = {"side": side, "request": 2, "form": "SOP", "sealed": "5ea1" + side, "text": text}
        log.add(ev.OrdersFiled, only=side, shown={"text": ""}, **filed)
    log.add(ev.SegmentBegan, segment=3, link=3)
    _turn_two(log, fed, kli)
    return log.records


def _request(log: Log, number: int, form: FormKind, sides: tuple[str, ...], impulse: int, reason: str) -> None:
    request = Request(
        number=number, turn=log.turn, impulse=impulse, form=form, sides=sides, through=IMPULSES, reason=reason
    )
    log.add(ev.Requested, request=request)


def _energy(log: Log, fed: str, kli: str, photons: WeaponState) -> None:
    armed = {name: Weapon(kind="photon", charge=photons) for name in ("PHOT A", "PHOT B")}
    powered = {name: Weapon(kind="disruptor", charge=WeaponState.POWERED) for name in ("DISR A", "DISR B")}
    log.add(
        ev.EnergyAllotted, only=FED, step="energy", unit=fed,
        lines=("PHASERS 3", "PHOT A 2 WARP", "PHOT B 2 WARP", "SPEED 12"),
        speed=12, weapons=FED_WEAPONS | armed, capacitor=3.0, batteries=2, general=0, reinforcement=(0,) * 6,
    )  # fmt: skip
    log.add(
        ev.EnergyAllotted, only=KLI, step="energy", unit=kli,
        lines=("PHASERS 2", "DISR A 2", "DISR B 2", "SPEED 13", KLI_SECRET),
        speed=13, weapons=KLI_WEAPONS | powered, capacitor=2.5, batteries=1, general=2,
        reinforcement=(1, 0, 0, 0, 0, 0),
    )  # fmt: skip
    log.add(
        ev.Chose, only=KLI, side=KLI, unit=kli, step="energy", order="SPEED 13: 12 WARP + 1 IMPULSE",
        reason="the form left it open", rule="B3.0",
    )  # fmt: skip
    for unit, speed in ((fed, 12), (kli, 13)):
        log.add(ev.SpeedAnnounced, unit=unit, speed=speed, step="announce")


def _turn_two(log: Log, fed: str, kli: str) -> None:
    plan = {fed: {2: "F", 4: "SR", 6: "R", 8: "F"}, kli: {2: "F", 5: "L", 7: "SL", 9: "F"}}
    for impulse in range(1, 10):
        log.impulse = impulse
        for unit in (fed, kli):
            if impulse in plan[unit]:
                log.move(unit, plan[unit][impulse])
        if impulse > 3:
            log.move("KD/1", {5: "R", 7: "L"}.get(impulse, "F"), "seek")
        if impulse == 3:
            _launch(log, fed, kli)
        if impulse == 6:
            log.add(
                ev.OrderTold, only=KLI, side=KLI, unit=kli, line=3, order="L (code 5 of the plot)", result="flown as F",
                reason="turn mode 2 needs 2 hexes since the last turn", rule="C3.2", step="move",
            )  # fmt: skip
    log.impulse = 9
    _fire(log, fed, kli)


def _launch(log: Log, fed: str, kli: str) -> None:
    hex, _ = log.at[kli]
    log.at["KD/1"] = (hex, "A")
    seeker = Seeker(
        name="KD/1", side=KLI, race="klingon", hex=hex, facing="A", speed=16, weapon="drone", target=fed, launcher=kli,
        launched=19, endurance=67, came_from=hex, toughness=4, warhead=12,
    )  # fmt: skip
    log.add(ev.Launched, unit=kli, weapon="DRONE 1", seeker=seeker, step="launch", rule="F2.3")
    log.add(
        ev.OrderTold, only=KLI, side=KLI, unit=kli, line=5, order=f"AT 3 LAUNCH DRONE 1 AT {fed} DIR A", result="acted",
        spent=True, step="launch",
    )  # fmt: skip


def _shot(log: Log, unit: str, weapon: str, kind: str, target: str, die: int, points: int, **more: Any) -> None:
    log.add(
        ev.Fired, step="fire", unit=unit, weapon=weapon, kind=kind, target=target, range=5, effective=5, die=die,
        roll=f"2.9.fire {unit} {weapon} 1", points=points, hit=points > 0, shield=1,
        energy="capacitor" if kind.startswith("ph1") else "allotted", **more,
    )  # fmt: skip


def _fire(log: Log, fed: str, kli: str) -> None:
    _shot(log, fed, "PHOT A", "photon", kli, 2, 8, rule="E4.1")
    _shot(log, fed, "PHOT B", "photon", kli, 5, 0, rule="E4.1")
    _shot(log, fed, "PH 1", "ph1", kli, 1, 5, rule="E2.2")
    _shot(log, kli, "DISR A", "disruptor", fed, 3, 3, rule="E3.1")
    _shot(log, kli, "DISR B", "disruptor", fed, 6, 0, rule="E3.1")
    log.add(ev.Volley, step="resolve", unit=kli, shield=1, points=13, sources=(fed,))
    log.add(ev.Volley, step="resolve", unit=fed, shield=1, points=3, sources=(kli,))
    log.add(ev.Damaged, step="resolve", unit=fed, shield=1, boxes=3, left=13)
    log.add(ev.Damaged, step="resolve", unit=kli, shield=1, general=0, specific=0, boxes=11, internals=2, left=0)
    hit: dict[str, Any] = {"step": "resolve", "unit": kli, "rule": "D4.22"}
    log.add(
        ev.InternalHit, number=1, box="DISR B", category="Weapon", roll="2.9.resolve dac 1", die=5, column="A", **hit
    )
    log.add(
        ev.InternalHit, number=2, box="warp left", category="Engine", roll="2.9.resolve dac 2", die=3, column="A", **hit
    )
    log.add(
        ev.OrderTold, only=FED, side=FED, unit=fed, line=5, order=f"AT 9 FIRE PHOT A,B PH 1 AT {kli}", result="acted",
        spent=True, step="fire",
    )  # fmt: skip
    log.add(
        ev.Broke, only=KLI, shown={"condition": "", "line": 0}, side=KLI, condition="INTERNALS", line=9, step="resolve"
    )
    log.add(ev.Broke, only=FED, side=FED, condition=FED_SECRET, line=7, step="resolve")
    log.add(ev.Stopped, next_impulse=9, next_step="end")
    log.impulse = 9
    _request(log, 3, FormKind.SOP, (KLI,), 9, "klingon broke")


def ended() -> list[ev.Record]:
    """The same game, played to its end in the next impulse."""
    records = duel()
    log = Log()
    log.records, log.turn, log.impulse = records, 2, 10
    log.add(ev.SegmentBegan, segment=4, link=4)
    log.add(ev.Destroyed, unit="Destruction", step="resolve", rule="D4.4")
    outcome = (
        Outcome(side=FED, result="victory", why="the enemy is destroyed"),
        Outcome(side=KLI, result="defeat", why=""),
    )
    log.add(ev.GameEnded, outcome=outcome, step="resolve")
    return log.records
