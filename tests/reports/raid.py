"""A game to report on in which everything happens that a duel does not have: a raider takes and tows a freighter, a
cruiser sends a shuttle to a planet and a probe at a monster. Made by hand, no rules behind it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pbem.data.terms import FormKind, Fuse, Purpose
from pbem.engine import events as ev
from pbem.engine.on_file import unit_on_file
from pbem.engine.options import Options
from pbem.engine.state import Bomb, Monster, Planet, ProbeBox, Request, Shuttle, Side

FED, ORI, CON, MON = "federation", "orion", "convoy", "monster"


def duels() -> ModuleType:
    """The module of the duel, whose log and ships are used here (test folders are no packages)."""
    if "report_duel" not in sys.modules:
        spec = importlib.util.spec_from_file_location("report_duel", Path(__file__).with_name("duel.py"))
        assert spec is not None and spec.loader is not None
        sys.modules["report_duel"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["report_duel"])
    return sys.modules["report_duel"]


def raid() -> list[ev.Record]:
    """The game up to the end of its first turn."""
    made = duels()
    log = made.Log()
    log.turn = 0
    log.add(
        ev.GameStarted, game="raid01", scenario="11", level="standard", impulses=32, map=("0101", "2817"), grid="even",
        options=Options(),
        sides=(Side(name=FED, team="law", player="Ann"), Side(name=ORI, team=ORI, player="Bob"),
               Side(name=CON, team="law", robot=True), Side(name=MON, team=MON, robot=True)),
        asteroids=("1204", "1205", "1305", "1404", "1304"),
    )  # fmt: skip
    log.at = {"Constellation": ("1510", "B"), "Raider": ("0908", "C"), "Freighter A": ("1009", "C"),
              "Planet Killer": ("2006", "E")}  # fmt: skip
    fed = made.ship("Constellation", FED, "federation", "FED CA", "1510", "B", weapons=made.FED_WEAPONS,
                    hangar=("A", "B", "C"), probes={"A": ProbeBox(left=5)}, parties=10)  # fmt: skip
    raider = made.ship("Raider", ORI, "orion", "ORI CR", "0908", "C", weapons=made.KLI_WEAPONS, parties=12,
                       hangar=("A",))  # fmt: skip
    freighter = made.ship("Freighter A", CON, "civilian", "F-S", "1009", "C", robot=True, parties=2)
    for unit in (fed, raider, freighter):
        log.add(ev.UnitPlaced, unit=unit_on_file(unit))
    log.add(ev.UnitPlaced, unit=Planet(name="Rigel", side="", race="", hex="1711", facing="A", hexes=("1711",), crew=1))
    log.add(
        ev.UnitPlaced,
        unit=Monster(name="Planet Killer", side=MON, race="civilian", hex="2006", facing="E", speed=6,
                     monster="planet_killer", goal="Rigel", needed=200, information=170),
    )  # fmt: skip
    log.turn = 1
    log.add(ev.TurnBegan)
    request = Request(
        number=1, turn=1, impulse=0, form=FormKind.FULL, sides=(FED, ORI), through=32, reason="a new turn"
    )
    log.add(ev.Requested, request=request)
    _energy(log, made)
    _impulses(log)
    _end(log)
    return list(log.records)


def _energy(log: Any, made: ModuleType) -> None:
    form = {"general": 0, "reinforcement": (0,) * 6, "batteries": 2, "step": "energy"}
    log.add(
        ev.EnergyAllotted, only=FED, unit="Constellation", lines=("TRANSPORTERS 1", "PROBE A 1", "SUICIDE B 3 WARP"),
        speed=4, weapons=made.FED_WEAPONS, capacitor=3.0, transporters=3,
        probes={"A": ProbeBox(purpose=Purpose.INFORMATION, turns=2, left=5)},
        bombs={"B": Bomb(energy=(3, 3, 3), state=Fuse.ARMED)}, battery_part="2/5", **form,
    )  # fmt: skip
    log.add(
        ev.EnergyAllotted, only=ORI, unit="Raider", lines=("TRACTOR A", "TRANSPORTERS 1"), speed=6,
        weapons=made.KLI_WEAPONS, capacitor=2.0, tractors=("A",), transporters=4, **form,
    )  # fmt: skip
    for unit, speed in (("Constellation", 4), ("Raider", 6)):
        log.add(ev.SpeedAnnounced, unit=unit, speed=speed, step="announce")


def _impulses(log: Any) -> None:
    log.impulse = 4
    log.move("Raider", "F")
    log.move("Constellation", "F")
    log.impulse = 5
    log.add(ev.Tractored, unit="Raider", beam="A", target="Freighter A", step="tractor")
    log.add(ev.ShieldLowered, unit="Raider", shield=2, step="transport")
    log.add(ev.Transported, unit="Raider", target="Freighter A", count=3, what="BP", way="TO", transporters=3,
            step="transport")  # fmt: skip
    log.add(ev.Transported, unit="Constellation", target="Rigel", count=1, what="CREW", way="FROM", transporters=1,
            failed="a planet's atmosphere", step="transport")  # fmt: skip
    plain = Shuttle(name="FS/1", side=FED, race="federation", hex="1609", facing="C", launcher="Constellation",
                    launched=5, letter="A", came_from="1609", crew=0, parties=2)  # fmt: skip
    bomb = Shuttle(name="FS/2", side=FED, race="federation", hex="1609", facing="B", launcher="Constellation",
                   launched=7, letter="B", came_from="1609", target="Planet Killer", bomb=18, speed=6)  # fmt: skip
    log.at |= {"FS/1": ("1609", "C"), "FS/2": ("1609", "B")}
    log.add(ev.ShuttleLaunched, unit="Constellation", letter="A", shuttle=plain, step="bay")
    log.impulse = 8
    _towed(log)
    log.move("Planet Killer", "F", "monsters")
    log.move("FS/1", "F", "shuttles")
    shown = {"shuttle": Shuttle(**{k: getattr(bomb, k) for k in bomb.__struct_fields__ if k not in ("target", "bomb")})}
    log.add(ev.ShuttleLaunched, unit="Constellation", letter="B", shuttle=bomb, only=FED, shown=shown, step="bay")
    log.impulse = 13
    _towed(log)
    log.move("FS/1", "R", "shuttles")
    log.move("FS/2", "F", "seek")
    log.impulse = 14
    log.add(ev.Collided, unit="FS/2", hex="1709", roll="1.14.move FS/2 ASTEROIDS 1", die=4, points=2, step="seek")
    log.add(ev.UnitDamaged, unit="FS/2", points=2, total=2, by="", step="impact")
    log.add(ev.ShuttleLanded, unit="FS/1", on="Rigel", how="landed", step="shuttles", rule="P2.0")
    log.add(ev.Boarded, unit="FS/1", planet="Rigel", crew=1, step="bay")
    log.add(ev.ShieldRaised, unit="Raider", shield=2, step="end")
    log.impulse = 20
    log.add(ev.ProbeLaunched, unit="Constellation", probe="A", target="Planet Killer", purpose="information",
            information=20, step="fire")  # fmt: skip


def _towed(log: Any) -> None:
    log.move("Raider", "F")
    hex, facing = log.at["Freighter A"]
    log.at["Freighter A"] = (hex[:2] + f"{int(hex[2:]) + 1:02d}", facing)
    log.add(ev.Towed, unit="Freighter A", at=log.at["Freighter A"][0] + facing, by="Raider", came_from=hex, step="move")


def _end(log: Any) -> None:
    log.impulse = 32
    log.add(ev.ShieldLowered, unit="Constellation", shield=0, step="transport")
    log.add(
        ev.BoardingFought, unit="Freighter A", rolls=("1.32.close Freighter A BP 1", "1.32.close Freighter A RAID 1"),
        holders_dice=(2,), raiders_dice=(5,), by_holders=1, by_raiders=3, holders=0, boarders={ORI: 2}, taken=1,
        stations=1, step="close",
    )  # fmt: skip
    log.add(ev.Captured, unit="Freighter A", side=ORI, was=CON, parties=2, step="close")
    log.add(ev.TakenOver, only=ORI, unit="Freighter A", weapons={}, capacitor=1.0, batteries=1, step="close")
    log.add(ev.Mutinied, unit="Raider", roll="1.32.close Raider MUTINY 1", die=3, result="put down",
            second_roll="1.32.close Raider MUTINY 2", second=5, step="close")  # fmt: skip
    log.add(ev.Learned, unit="Constellation", target="Planet Killer", range=5, labs=4,
            roll="1.32.close C LABS 1", die=4, points=16, total=206, step="close")  # fmt: skip
    log.add(ev.MethodFound, unit="Planet Killer", roll="1.32.close PK METHOD 1", die=2, method="tractor", step="close")
    log.add(ev.Attacked, unit="Planet Killer", target="Rigel", roll="1.32.close PK ATTACK 1", die=3, points=25,
            step="close")  # fmt: skip
    log.add(ev.UnitDamaged, unit="Rigel", points=25, total=25, by="Planet Killer", step="close")
    log.add(ev.Released, unit="Raider", beam="B", target="FS/1", why="the beam is destroyed", step="close")
    log.add(ev.TurnEnded, step="close")
    log.turn, log.impulse = 2, 0
    log.add(ev.TurnBegan)
    request = Request(
        number=1, turn=2, impulse=0, form=FormKind.FULL, sides=(FED, ORI), through=32, reason="a new turn"
    )
    log.add(ev.Requested, request=request)
