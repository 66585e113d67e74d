"""Random games on the table: exported, the counters scattered as players would, brought back: exactly what was done to
them comes back, and nothing else; and a save that is brought up to date keeps every byte that is not the game's.

    python -m tests.vassal_bridge.scatter --games 2000 --seed 1        plays 2,000 games and says what did not hold
    python -m tests.vassal_bridge.scatter --key 5-1-17                 one game alone, by its key

What a player did is kept beside the save as plain facts (which unit, where, how it faces), and compared with what
``import`` finds: neither knows of the other.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.state import Commanded, Planet, State  # noqa: E402
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches  # noqa: E402
from pbem.rules import hexes  # noqa: E402
from pbem.vassal_bridge.binding import (  # noqa: E402
    Binding,
    heading_of,
    slot_for,
)
from pbem.vassal_bridge.export import export_game, open_module  # noqa: E402
from pbem.vassal_bridge.import_plots import ways_to  # noqa: E402
from pbem.vassal_bridge.import_positions import (  # noqa: E402
    ImportedPositions,
    carries_name,
    import_positions,
)
from pbem.vassal_bridge.positions import companion  # noqa: E402
from pbem.vassal_bridge.propose import propose  # noqa: E402
from pbem.vassal_bridge.scene import MARKER_PREFIX, look_of, piece_id, public_state  # noqa: E402
from pbem.vassal_bridge.update import update_save  # noqa: E402
from tests.vassal_bridge.foreign import MADE  # noqa: E402
from vassal.module.module import Module, Slot  # noqa: E402
from vassal.pieces.piece import Look, Piece  # noqa: E402
from vassal.pieces.traits import MoveMark  # noqa: E402
from vassal.save import Save, with_tree  # noqa: E402
from vassal.text import commands, leaves  # noqa: E402
from vassal.text.leaves import BoardChoice  # noqa: E402
from vassal.write import Change, NewPiece, update  # noqa: E402

SEGMENTS = 3
"""So many stretches of each game are played, and the table is scattered after each of them."""

BESIDE = "beside"
AWAY = "away"

ODD_WORDS = ("CLOAKED", "", "my ship", "12", "here be Tholians", "$pieceName$", "Ü/;\\x")
"""What players write on counters."""


@dataclass
class Fate:
    """What a player made of a unit's counter: where it stands (a hex, beside the hexes, or away on another map), how
    it faces (no facing for one between two), and whether it is there at all.
    """

    where: str
    facing: str
    there: bool = True
    turns: bool = True


@dataclass
class Scattered:
    """A table after the player, and what he did."""

    save: Save
    fates: dict[str, Fate]
    others: int = 0
    said: list[str] = field(default_factory=list)


class _Player:
    """Somebody with a mouse."""

    def __init__(self, rng: random.Random, state: State, save: Save, module: Module, binding: Binding) -> None:
        self.rng, self.state, self.module, self.binding = rng, state, module, binding
        self.layout = module.map(binding.map).layout(save.boards.get(binding.map) or None)
        self.hexmap = binding.hexmap(self.layout)
        self.elsewhere = [one.name for one in module.maps if one.name != binding.map and one.name in save.boards]
        here = {piece.id: piece for piece in save.pieces}
        units = [unit for unit in state.in_play() if not isinstance(unit, Planet)]
        self.units = [unit for unit in units if piece_id(unit) in here]
        self.free = _free(module, save.boards.get(binding.map) or (), binding, state)
        fates = {unit.name: Fate(unit.hex, unit.facing) for unit in self.units}
        for unit in self.units:
            piece = here[piece_id(unit)].piece
            if heading_of(piece) is None:
                fates[unit.name].turns, fates[unit.name].facing = False, ""
        self.done = Scattered(save, fates)
        self.bound = {id_ for unit in units for id_ in self._kind(unit)}

    def _kind(self, unit: object) -> set[str]:
        slot = slot_for(self.binding, self.module, unit)  # type: ignore[arg-type]
        return {slot.gpid, slot.name, slot.piece.basic_name}

    def play(self) -> Scattered:
        """Some dozen acts, no counter touched by two that depend on another."""
        for unit in self.units:
            for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
                act = self.rng.choice(
                    (self.move, self.move, self.turn, self.turn, self.rename, self.there_and_back, self.odd_angle)
                )
                act(unit.name)
            end = self.rng.random()
            if end < 0.06:
                self.delete(unit.name)
            elif end < 0.12:
                self.leave(unit.name)
            elif end < 0.16:
                self.beside(unit.name)
            elif end < 0.24:
                self.clone(unit.name)
            elif end < 0.28:
                self.copied(unit.name)
            elif end < 0.34 and len(self.units) > 1:
                self.stack(unit.name)
        self.markers()
        for _ in range(self.rng.choice((0, 1, 2))):
            self.stranger()
        return self.done

    # --- acts ---------------------------------------------------------------------------------------------------

    def _set(self, name: str, change: Change) -> None:
        self.done.save = update(self.done.save, {f"pbem-{name}": change})

    def _note(self, text: str) -> None:
        self.done.said.append(text)

    def move(self, name: str) -> None:
        """Dropped somewhere in a hex; the map's grid pulls it to the middle, where it does."""
        there = self.rng.choice(self.free)
        x, y = self.hexmap.pixel(there)
        spot = x + self.rng.randrange(-5, 6), y + self.rng.randrange(-5, 6)
        self._set(name, Change(at=self.layout.snap(spot), map=self.binding.map))
        self.done.save = _moved(self.done.save, f"pbem-{name}")
        self.done.fates[name].where = there
        self._note(f"{name} to {there}")

    def there_and_back(self, name: str) -> None:
        """Tried out and put back: nothing was done, though the counter is marked as moved."""
        fate, before = self.done.fates[name], self.done.save.piece(f"pbem-{name}")
        where = fate.where
        self.move(name)
        self._set(name, Change(at=(before.x, before.y), map=before.map))
        fate.where = where
        self._note(f"{name} back")

    def stack(self, name: str) -> None:
        """Dropped on another counter."""
        other = self.rng.choice([unit.name for unit in self.units if unit.name != name])
        if f"pbem-{other}" not in {piece.id for piece in self.done.save.pieces}:
            return
        target = self.done.save.piece(f"pbem-{other}")
        self._set(name, Change(at=(target.x, target.y), map=target.map))
        self.done.fates[name].where = self.done.fates[other].where
        self._note(f"{name} on {other}")

    def turn(self, name: str) -> None:
        if not self.done.fates[name].turns:
            return
        facing = self.rng.choice(hexes.FACINGS)
        look = look_of(self.done.save.piece(f"pbem-{name}").piece, replace(self.state.units[name], facing=facing))
        self._set(name, Change(Look(degrees=look.degrees, rotator=look.rotator, layers=look.layers)))
        self.done.fates[name].facing = facing
        self._note(f"{name} faces {facing}")

    def odd_angle(self, name: str) -> None:
        """Between two hex sides, where the counter can: 12 and 24 facings, or any."""
        piece = self.done.save.piece(f"pbem-{name}").piece
        turns = heading_of(piece)
        if turns is None:
            return
        if turns.is_layer and len(turns.degrees) > 6:
            self._set(name, Change(Look(layers={turns.name: turns.degrees.index(30) + 1})))
        elif not turns.is_layer and len(piece.rotators) == 1 and piece.rotators[0].facings in (1, 12, 24):
            self._set(name, Change(Look(degrees=30, rotator=turns.name)))
        else:
            return
        self.done.fates[name].facing = ""
        self._note(f"{name} at 30 degrees")

    def rename(self, name: str) -> None:
        """Another text on its label: the counter is known by its id."""
        if not self.done.save.piece(f"pbem-{name}").piece.labels:
            return
        text = self.rng.choice((*ODD_WORDS, self.rng.choice(self.units).name))
        self._set(name, Change(Look(label=text)))
        self._note(f"{name} called {text!r}")

    def delete(self, name: str) -> None:
        self.done.save = update(self.done.save, remove=[f"pbem-{name}"])
        self.done.fates[name].there = False
        self._note(f"{name} deleted")

    def leave(self, name: str) -> None:
        """Dragged to another window, a chart or a tray."""
        if not self.elsewhere:
            return
        self._set(name, Change(at=(self.rng.randrange(9, 99), 44), map=self.rng.choice(self.elsewhere)))
        self.done.fates[name].where = AWAY
        self._note(f"{name} away")

    def beside(self, name: str) -> None:
        """Off the hexes, or on one that is none of the game's."""
        spots = [(-30, -30), (3, 3), (99_999, 5)]
        spots = [spot for spot in spots if not hexes_on(self.hexmap.location(spot), self.state)]
        self._set(name, Change(at=self.rng.choice(spots), map=self.binding.map))
        self.done.fates[name].where = BESIDE
        self._note(f"{name} beside the map")

    def clone(self, name: str, spot: tuple[int, int] | None = None) -> bool:
        """Its menu's Clone, moved aside: a second counter of that name, with an id of VASSAL's."""
        piece = self.done.save.piece(f"pbem-{name}")
        if piece.map != self.binding.map or self._could_be_another(name, piece.piece):
            return False
        slot = Slot(piece.name, piece.gpid, (), piece.piece)
        at = spot or self.hexmap.pixel(self.rng.choice(self.free))
        self.done.save = update(self.done.save, add=[NewPiece(slot, self.binding.map, at)])
        self.done.others += not piece.piece.never_stacks
        self._note(f"{name} cloned")
        return True

    def _could_be_another(self, name: str, piece: Piece) -> bool:
        """Whether a copy would rightly be taken for another unit, if that lost its counter: it no longer says whose it
        is, and is of the same kind; or it says that it is the other.
        """
        others = [unit for unit in self.state.in_play() if unit.name != name and not isinstance(unit, Planet)]
        if any(carries_name(piece, other.name) for other in others):
            return True
        alike = any(self._kind(other) & self._kind(self.state.units[name]) for other in others)
        return alike and not carries_name(piece, name)

    def copied(self, name: str) -> None:
        """Cloned, and the first one deleted: the clone is the unit's counter then, by its label."""
        piece = self.done.save.piece(f"pbem-{name}").piece
        if not piece.labels or piece.labels[0].text.casefold().split(" ")[0] != name.casefold().split(" ")[0]:
            return
        if not any(label.text in (name, f"{name} {self.state.units[name].speed}") for label in piece.labels):
            return
        there = self.rng.choice(self.free)
        if not self.clone(name, self.hexmap.pixel(there)):
            return
        self.done.others -= not piece.never_stacks
        self.done.save = update(self.done.save, remove=[f"pbem-{name}"])
        self.done.fates[name].where = there
        self._note(f"{name} replaced by its clone in {there}")

    def markers(self) -> None:
        """Points of turn, asteroids and the like are moved and deleted, too: they are no units."""
        for piece in self.done.save.pieces:
            if piece.id.startswith(MARKER_PREFIX) and self.rng.random() < 0.2:
                if self.rng.random() < 0.5:
                    self.done.save = update(self.done.save, remove=[piece.id])
                else:
                    at = self.hexmap.pixel(self.rng.choice(self.free))
                    self.done.save = update(self.done.save, {piece.id: Change(at=at)})

    def stranger(self) -> None:
        """A counter out of the palette, of a kind that no unit of the game has."""
        slots = [slot for slot in self.module.slots if slot.in_palette]
        self.rng.shuffle(slots)
        slot = next(
            (
                slot
                for slot in slots
                if not {slot.gpid, slot.name, slot.piece.basic_name} & self.bound
                and not any(carries_name(slot.piece, name) for name in self.state.units)
            ),
            None,
        )
        if slot is None:
            return
        look = Look(label=self.rng.choice(("here be Tholians", "?"))) if slot.piece.labels else Look()
        at = self.hexmap.pixel(self.rng.choice(self.free))
        self.done.save = update(self.done.save, add=[NewPiece(slot, self.binding.map, at, look)])
        self.done.others += not slot.piece.never_stacks
        self._note(f"a stranger: {slot.name}")


_FREE: dict[tuple[object, ...], tuple[Module, list[str]]] = {}


def _free(module: Module, boards: tuple[BoardChoice, ...], binding: Binding, state: State) -> list[str]:
    """The hexes of the game's map that are on the table; looked for once, on each table that games are laid on."""
    key = (id(module), boards, binding.map, binding.hexes, binding.zone, binding.first_hex, state.map)
    if key not in _FREE:
        layout = module.map(binding.map).layout(boards or None)
        hexmap = binding.hexmap(layout)
        _FREE[key] = module, [hex_ for hex_ in _hexes(state) if hexmap.has(hex_)]
    return _FREE[key][1]


def _hexes(state: State) -> list[str]:
    """Every hex of the game's map."""
    (left, top), (right, bottom) = (hexes.parse_hex(corner) for corner in state.map)
    return [hexes.hex_name(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def hexes_on(name: str, state: State) -> bool:
    """Whether a location is a hex of the game's map."""
    return len(name) == 4 and name.isdigit() and hexes.on_map(name, state.map)


def _moved(save: Save, piece: str) -> Save:
    """VASSAL marks what was moved."""
    counter = save.piece(piece)
    traits = [t.with_moved(True) if isinstance(t, MoveMark) else t for t in counter.piece.traits]
    new = type(counter.piece).of(traits)

    def edit(leaf: commands.Leaf) -> commands.Leaf:
        command = leaf.command if leaf.text.startswith("+/") else None
        if isinstance(command, leaves.AddPiece) and command.id == piece:
            return commands.Leaf(leaves.AddPiece(piece, new.type, new.state).encode())
        return leaf

    return with_tree(save, commands.replace(save.tree, edit)) if new != counter.piece else save


THEIRS: tuple[str, ...] = (
    leaves.Player("kor's password", "Kor", "Klingon").encode(),
    leaves.PrivateNote("kor's password", "remember the drones").encode(),
    leaves.SecretNote("plan", "kor's password", True, "TAC R AT 9", "01/02/2026 3:04 PM", "Kor").encode(),
    leaves.GlobalProperty("Dice", "7", "Module").encode(),
    "OWN_CLASS\tof;the/module",
    "EXT\tFurther ships\t1.2",
)
"""What stands in a save of people, beside counters."""


def of_people(save: Save) -> Save:
    """The save as players have it."""
    extra = [commands.Leaf(text) for text in THEIRS]
    tree = commands.insert_before(save.tree, lambda leaf: leaf.text == "end_save", extra)
    return with_tree(save, tree)


# --- what must hold ---------------------------------------------------------------------------------------------------


def wrong(done: Scattered, state: State, found: ImportedPositions) -> Iterator[str]:
    """What ``import`` says, held against what was done."""
    moved = {one.unit: one.then for one in found.moved}
    faults = Counter(fault.partition(":")[0] for fault in found.faults)
    if any(one.now != state.units[one.unit].at for one in found.moved):
        yield "a move begins where its unit does not stand"
    for unit in state.in_play():
        if isinstance(unit, Planet):
            continue
        fate = done.fates.get(unit.name)
        if fate is None or not fate.there:
            said = unit.name in found.missing and unit.name not in moved and unit.name not in found.unchanged
            if not said:
                yield f"{unit.name} has no counter, and that is not said"
            continue
        if fate.where in (BESIDE, AWAY):
            if not faults[unit.name] or unit.name in moved or unit.name in found.unchanged:
                yield f"{unit.name} is {fate.where}, and that is not said"
            continue
        wanted = fate.where + (fate.facing or unit.facing)
        if bool(faults[unit.name]) != (not fate.facing):
            yield f"{unit.name}: its facing is {fate.facing or 'none'}, the faults say otherwise"
        if wanted == unit.at:
            if unit.name not in found.unchanged:
                yield f"{unit.name} is as it was, and {moved.get(unit.name, 'something else')} is said"
        elif moved.get(unit.name) != wanted:
            yield f"{unit.name} is at {wanted}, and {moved.get(unit.name, 'nothing')} is said"
    if len(found.unknown) != done.others:
        yield f"{done.others} counters are none of the game, and {list(found.unknown)} are said"
    total = len(found.moved) + len(found.unchanged) + len(found.missing)
    units = [unit for unit in state.in_play() if not isinstance(unit, Planet)]
    lost = sum(fate.there and fate.where in (BESIDE, AWAY) for fate in done.fates.values())
    if total + lost != len(units):
        yield f"of {len(units)} units {total + lost} are told"


def wrong_ways(done: Scattered, state: State, module: Module, binding: Binding) -> Iterator[str]:
    """Which units ``import --plot`` takes for moved."""
    ways = ways_to(state, done.save, module, binding)
    for name, fate in done.fates.items():
        unit = state.units[name]
        on_map = fate.there and fate.where not in (BESIDE, AWAY)
        if not isinstance(unit, Commanded):
            if name in ways:
                yield f"{name} has no orders of its own, and a way"
        elif (name in ways) != on_map:
            yield f"{name} is {'on' if on_map else 'off'} the map, and has {'a' if name in ways else 'no'} way"
        elif on_map and bool(ways[name].stops) != (fate.where + (fate.facing or unit.facing) != unit.at):
            yield f"{name}: its way is {ways[name]}"


def wrong_update(done: Scattered, state: State, module: Module, binding: Binding) -> Iterator[str]:
    """The player's save brought up to date: the game as it is, all else as it was, and once is enough."""
    before = of_people(done.save)
    after = update_save(state, before, module, binding)
    found = import_positions(state, after.save, module, binding)
    stiff = [name for name, fate in done.fates.items() if not fate.turns]
    faults = [fault for fault in found.faults if fault.partition(":")[0] not in stiff]
    if found.moved or (faults and done.fates):
        yield f"brought up to date, and {found.moved} {found.faults} is otherwise"
    left_out = {unit.name for unit in state.in_play() if not isinstance(unit, Planet)} - done.fates.keys()
    if set(found.missing) != left_out:
        yield f"brought up to date, and {found.missing} are missing"
    again = update_save(state, after.save, module, binding)
    if again.save.text != after.save.text or again.changed:
        yield f"brought up to date twice, and the second time changed {again.changed}"
    kept = theirs(before, after.save)
    there = theirs(after.save, before)
    if kept != there:
        gone = [text[:80] for text in kept if text not in there]
        new = [text[:80] for text in there if text not in kept]
        yield f"what is not ours has changed: {gone} are gone, {new} are new"
    if before.entries[1:] != after.save.entries[1:]:
        yield "another entry of the file has changed"


def theirs(save: Save, other: Save) -> list[str]:
    """The commands of a save that an update must leave as they are: all but the game's own counters (and those that
    now stand for one), the stacks that these are in, notes and the tracker.
    """
    ours = {piece.id for one in (save, other) for piece in one.pieces if piece.id.startswith("pbem-")}
    changed = {piece.id: piece.piece for piece in save.pieces}
    ours |= {piece.id for piece in other.pieces if changed.get(piece.id, piece.piece) != piece.piece}
    stacks = {stack.id for one in (save, other) for stack in one.stacks if ours & {*stack.members}}
    found = []
    for leaf in commands.leaves(save.tree):
        command = leaf.command
        if isinstance(command, leaves.AddPiece) and command.id in ours | stacks:
            continue
        if not isinstance(command, leaves.PublicNotes | leaves.Turn):
            found.append(leaf.text)
    return found


# --- many -------------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What was tried."""

    games: int = 0
    tables: int = 0
    counters: int = 0
    acts: Counter[str] = field(default_factory=Counter)
    modules: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@cache
def foreign_modules() -> list[Module]:
    """Modules that are not our own."""
    found = [open_module(ROOT / "tests" / "vassal" / "data" / "HexSpaceTest.vmod")]
    with tempfile.TemporaryDirectory() as folder:
        found += [open_module(make(Path(folder) / f"{name}.vmod")) for name, make in MADE.items()]
    return found


def try_game(key: str, tally: Tally, foreign: list[Module]) -> None:
    """One game: the table is scattered at its beginning and after each stretch."""
    tally.games += 1
    begun = opening(deal(key))
    records = list(begun.records)
    rng = random.Random(f"scatter {key}")
    moments = stretches(begun, turns=3)
    for number in range(SEGMENTS + 1):
        if number:
            stretch = next(moments, None)
            if stretch is None:
                break
            records += stretch.records
        state = public_state(records)
        module = companion() if number % 2 == 0 or not foreign else rng.choice(foreign)
        for fault in try_table(state, module, rng, tally):
            tally.faults.append(f"{key} segment {number}, {module.name}: {fault}")


def try_table(state: State, module: Module, rng: random.Random, tally: Tally) -> list[str]:
    """One table, scattered and brought back; what did not hold."""
    from pbem.errors import GameError

    try:
        binding = propose(state, module)
        laid = export_game(state, module, binding).save
    except GameError as error:
        if any(fault.code in ("no-map", "no-counter") for fault in error.faults) and module is not companion():
            tally.acts["no table"] += 1
            return []
        raise
    player = _Player(rng, state, laid, module, binding)
    tally.tables += 1
    tally.modules[module.name] += 1
    tally.counters += len(player.units)
    if len(player.free) < 2:
        return []
    try:
        done = player.play()
        found = import_positions(state, done.save, module, binding)
        faults = [
            *wrong(done, state, found),
            *wrong_ways(done, state, module, binding),
            *wrong_update(done, state, module, binding),
        ]
    except Exception:
        faults = [traceback.format_exc()]
        done = player.done
    tally.acts.update(said.split(" ")[1] for said in done.said)
    return [f"{fault}\n    {'; '.join(done.said)}" for fault in faults]


def keys(games: int, seed: int) -> Iterator[str]:
    """The keys of so many games, all scenarios in turn."""
    numbers = playable()
    return (key_for(numbers[n % len(numbers)], seed, n) for n in range(games))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--key", default="")
    asked = parser.parse_args()
    tally, began, foreign = Tally(), time.process_time(), foreign_modules()
    for key in [asked.key] if asked.key else keys(asked.games, asked.seed):
        before = len(tally.faults)
        try:
            try_game(key, tally, foreign)
        except Exception:
            tally.faults.append(f"{key}: {traceback.format_exc()}")
        for fault in tally.faults[before:]:
            print(fault, flush=True)
    seconds = time.process_time() - began
    print(f"{tally.games} games, {tally.tables} tables, {tally.counters} counters, {seconds:.0f} s of one processor")
    for counts in (tally.modules, tally.acts):
        print(", ".join(f"{name} {count}" for name, count in counts.most_common()))
    print(f"{len(tally.faults)} faults")
    return bool(tally.faults)


if __name__ == "__main__":
    sys.exit(main())
