"""What stands on the table in the scenes of tests/reports/scenes, kept as texts in tests/vassal_bridge/kept/.

python tests/vassal_bridge/tables.py            writes all anew; look at the diff before you keep it
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import msgspec

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.state import Commanded, State  # noqa: E402
from pbem.errors import GameError  # noqa: E402
from pbem.rules import hexes  # noqa: E402
from pbem.vassal_bridge.binding import binding_text, read_binding  # noqa: E402
from pbem.vassal_bridge.companion.module import build_module, write_module  # noqa: E402
from pbem.vassal_bridge.export import export_game, open_module  # noqa: E402
from pbem.vassal_bridge.film import make_replay_log  # noqa: E402
from pbem.vassal_bridge.import_plots import (  # noqa: E402
    CounterRoute,
    CounterStop,
    plots,
    ways_to,
)
from pbem.vassal_bridge.import_positions import ImportedPositions, import_positions  # noqa: E402
from pbem.vassal_bridge.propose import propose  # noqa: E402
from pbem.vassal_bridge.scene import public_state  # noqa: E402
from pbem.vassal_bridge.update import update_save  # noqa: E402
from tests import kept  # noqa: E402
from vassal.errors import VassalError  # noqa: E402
from vassal.module.module import Module  # noqa: E402
from vassal.pieces.piece import Look  # noqa: E402
from vassal.save import Save  # noqa: E402
from vassal.text.commands import leaves  # noqa: E402
from vassal.write import (  # noqa: E402
    Change,
    NewPiece,
    SaveWriter,
    update,
)

HERE = Path(__file__).parent
KEPT = HERE / "kept"
SCENES = ("fleet", "study", "raid", "convoy")


def _scenes() -> ModuleType:
    if "report_scenes" not in sys.modules:
        spec = importlib.util.spec_from_file_location("report_scenes", ROOT / "tests" / "reports" / "scenes.py")
        assert spec is not None and spec.loader is not None
        sys.modules["report_scenes"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["report_scenes"])
    return sys.modules["report_scenes"]


given: list[Path] = []
"""Where the companion module was built already: tests share one."""


@lru_cache(maxsize=1)
def companion() -> Module:
    """The companion module with drawings as SVG: no renderer is needed."""
    if given:
        return open_module(given[0])
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "cadet.vmod"
        write_module(build_module(svg=True), path)
        return open_module(path)


@lru_cache(maxsize=1)
def foreign() -> Module:
    """A module that knows nothing of this game."""
    return open_module(ROOT / "tests" / "vassal" / "data" / "HexSpaceTest.vmod")


def state_of(name: str) -> State:
    """A scene as everybody may see it."""
    return public_state(_scenes().scene(name).records)


def commands_of(save: Save) -> list[str]:
    """The commands of a save or log, the pieces' long definitions left out."""
    lines = []
    for leaf in leaves(save.tree):
        kind, _, rest = leaf.text.partition("/")
        if kind == "+":
            command = leaf.command
            lines.append(f"+/{command.id} {_flat(command.state)!r} {_scenes().digest(command.type)}")  # type: ignore[union-attr]
        else:
            lines.append(f"{kind}/{rest}" if rest else leaf.text)
    return [" ".join(line.replace("\x1b", " | ").split(" ")) for line in lines]


def _flat(state: str) -> str:
    """A piece's state with its levels side by side, instead of one within the other; empty ones are counted."""
    flat = re.sub(r"\\+\t", "\t", state)
    return re.sub(r"\t{4,}", lambda found: f"\t<{len(found[0]) - 1} empty>\t", flat)


def tables() -> Iterator[str]:
    """The positions as a save, for the companion module and for one that knows nothing of this game."""
    for name in SCENES:
        for module in (companion(), foreign()):
            yield f"< {name}, {module.name}"
            state = state_of(name)
            try:
                done = export_game(state, module)
            except GameError as error:
                yield f"  {error}"
                continue
            text = binding_text(done.binding)
            assert read_binding(text, "vassal.toml") == done.binding
            yield from (f"  {line}" for line in text.splitlines())
            yield from (f"  left out: {line}" for line in done.left_out)
            yield from (f"  {line!r}" for line in commands_of(done.save))


def films() -> Iterator[str]:
    """The turn as a log."""
    for name in SCENES[:2]:
        film = make_replay_log(_scenes().scene(name).records, companion(), turn=2)
        yield f"< {name}: turn {film.turn} of {film.game}"
        yield from (f"  left out: {line}" for line in film.left_out)
        for step in film.log.steps:
            yield "  step"
            yield from (f"    {type(one).__name__} {_flat(str(one))[:400]!r}" for one in step.commands)


def _found(found: ImportedPositions) -> Iterator[str]:
    for key in ImportedPositions.__struct_fields__:
        for one in getattr(found, key):
            yield f"  {key}: {one if isinstance(one, str) else ' '.join(map(str, msgspec.structs.astuple(one)))}"


def moved() -> Iterator[str]:
    """Counters that players moved, turned, took off and doubled: what is made of them, and the ways they went."""
    for name in SCENES:
        state, module = state_of(name), companion()
        done = export_game(state, module)
        layout = module.map(done.binding.map).layout()
        units = [unit for unit in state.in_play() if f"pbem-{unit.name}" in {piece.id for piece in done.save.pieces}]
        changes: dict[str, Change] = {}
        for number, unit in enumerate(units):
            there = unit.hex
            for steps in range(number % 3):
                way = hexes.turn_facing(unit.facing or "A", (number + steps) % 3 - 1)
                there = hexes.neighbour(there, way, state.grid)
            turned = 60 * ("ABCDEF".find(unit.facing or "A") + (0, 1, 0, 5)[number % 4])
            spot = layout.pixel(there if hexes.on_map(there, state.map) else unit.hex)
            changes[f"pbem-{unit.name}"] = Change(Look(degrees=turned % 360) if unit.facing else Look(), at=spot)
        for what, save in (
            ("all moved", _tried(done.save, changes)),
            ("gone", update(done.save, remove=[f"pbem-{unit.name}" for unit in units[::2]])),
            ("beside the map", update(done.save, {f"pbem-{units[0].name}": Change(at=(3, 3))})),
        ):
            yield f"< {name}: {what}"
            yield from _found(import_positions(state, save, module, done.binding))
            ways = ways_to(state, save, module, done.binding)
            yield from (f"  way of {unit}: {way}" for unit, way in sorted(ways.items()))
            for plotted in plots(state, ways):
                yield f"  {plotted}"
            for side in list(state.sides)[:1]:
                yield f"  of {side}: {[plotted.unit for plotted in plots(state, ways, side=side)]}"


def _tried(save: Save, changes: dict[str, Change]) -> Save:
    """As many of the changes as the counters can take: a planet cannot turn."""
    for piece, change in changes.items():
        try:
            save = update(save, {piece: change})
        except VassalError:
            save = update(save, {piece: Change(at=change.at)})
    return save


STRANGERS: Sequence[tuple[str, Sequence[tuple[str, str, str]]]] = (
    (
        "labels",
        (
            ("Con", "1010", "label"),
            ("Des 8", "1411", "label"),
            ("Hawk cloaked", "1806", "label"),
            ("Lex x", "1010", "label"),
        ),
    ),
    ("twice", (("Con", "1010", "label"), ("con", "1110", "label"), ("Des", "1411", "label"))),
    ("id before label", (("Con", "1010", "label"), ("Con", "0505", "id"))),
    ("on another map", (("Con", "1010", "label"), ("Des", "1411", "aside"))),
    ("nobody", (("Nobody", "1010", "label"), ("", "0909", "label"))),
)


def strangers() -> Iterator[str]:
    """Counters that players put there themselves: which unit each is taken for."""
    state, module = state_of("fleet"), companion()
    binding = propose(state, module)
    ship = next(unit for unit in state.ships() if unit.name == "Con")
    from pbem.vassal_bridge.binding import slot_for

    for what, counters in STRANGERS:
        for bound in (binding, msgspec.structs.replace(binding, counters={})):
            writer = SaveWriter(module)
            layout = writer.layout(binding.map)
            other = next((each.name for each in module.maps if each.name != binding.map), binding.map)
            for number, (label, at, how) in enumerate(counters):
                slot = slot_for(binding, module, ship)
                where = other if how == "aside" else binding.map
                piece_id = f"pbem-{label}" if how == "id" else f"9{number}"
                writer.add(slot, where, at=layout.pixel(at), look=Look(label=label, degrees=60), piece_id=piece_id)
            yield f"< {what}{'' if bound.counters else ', nothing bound'}"
            yield from _found(import_positions(state, writer.save(), module, bound))


def updates() -> Iterator[str]:
    """A save of the turn's beginning brought up to date."""
    for name in SCENES:
        records = _scenes().scene(name).records
        state, module = state_of(name), companion()
        last = max(record.event.turn for record in records)
        for part in (3, 2):
            begun = public_state(records[: len(records) * (part - 1) // part])
            old = export_game(begun, module)
            extra = NewPiece(module.slot("Note"), old.binding.map, (200, 200), Look(label="here be Tholians"))
            save = update(old.save, add=[extra], notes="Scenario notes")
            new = update_save(state, save, module, old.binding, "what is told")
            yield f"< {name}, turn {last}, from {begun.turn}.{begun.impulse}"
            for key in new._fields:
                value = getattr(new, key)
                if isinstance(value, tuple):
                    yield from (f"  {key}: {line}" for line in value)
            before, after = commands_of(save), commands_of(new.save)
            yield from (f"  - {line!r}" for line in before if line not in after)
            yield from (f"  + {line!r}" for line in after if line not in before)


def ways() -> Iterator[str]:
    """Plots to places near by, as players move their counters there: in one go, and stop by stop."""
    for name in ("fleet", "raid"):
        state = state_of(name)
        for unit in state.in_play():
            if not isinstance(unit, Commanded):
                continue
            stops = [CounterStop(unit.hex, (unit.facing,))]
            for ahead, turn in ((0, 0), (-1, 0), (1, 1), (0, -1), (1, -1), (3, 0))[: 6 if unit.name == "Con" else 5]:
                way_to = hexes.turn_facing(unit.facing, ahead)
                there = hexes.neighbour(hexes.neighbour(unit.hex, unit.facing, state.grid), way_to, state.grid)
                stops.append(CounterStop(there, (hexes.turn_facing(unit.facing, turn),)))
            for number, stop in enumerate(stops):
                longer = (stop, stops[number - 1])
                for way in (
                    CounterRoute(unit.at, (stop,)),
                    *([CounterRoute(unit.at, longer)] if unit.name in ("Con", "KS/2") else []),
                ):
                    for plotted in plots(state, {unit.name: way}):
                        yield f"{name} {unit.name} {way.stops}:"
                        yield f"  {plotted.start} to {plotted.end} at {plotted.speed}: {' '.join(plotted.codes)}"
                        yield f"  {plotted.path}"
                        yield from (f"  {remark}" for remark in (*plotted.remarks, *map(str, plotted.faults)))


TEXTS: dict[str, Callable[[], Iterator[str]]] = {
    "tables": tables,
    "films": films,
    "moved": moved,
    "strangers": strangers,
    "updates": updates,
    "ways": ways,
}

if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for name, lines in TEXTS.items():
        kept.keep(KEPT / f"{name}{kept.ENDING}", "\n".join(lines()) + "\n")
