"""Write stand-in orders for a player who sent no orders.

The result is an order file that can be checked and filed like any other. There are four ways. ``last orders``
continues the old orders as far as they are still legal. ``hold`` keeps course and speed and holds fire. ``robot``
flies toward the nearest enemy and uses the hints in the player's own draft. ``captain`` asks a computer player. If
another way fails, ``hold`` is used. All of them use only what the player knows and none of the game's dice, so the
same game gives the same orders.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from pbem.ai.search import CONCEDE
from pbem.data.terms import FormKind
from pbem.engine.relations import unguided
from pbem.engine.state import Monster, Request, Ship, State
from pbem.engine.steps.energy import prior_speed
from pbem.engine.steps.geometry import range_between
from pbem.games.answers import CONTINUE, has_sop, judge, normal_form
from pbem.games.computer_sides import USUAL, captains_orders
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.mail.host.deadlines import Late
from pbem.orders.header import answer_to, header_line, is_header
from pbem.orders.names import name_text
from pbem.orders.reader import read_orders
from pbem.util import regex

_SPEED = regex(r"#?\s*(SPEED)\s+(\d+)")
_HINT = regex(r"\s*# (?P<order>(PHASERS|DISR|PHOT|PLAS|IF|AT)\b[^#]*[^#\s])")
ANYWHERE = ("TOWARD NEAREST SHIP", "LEAVE MAP")
"""Courses (lines for the section PLOT) to try if flying straight ahead is not legal."""
_HEADINGS = ("ENERGY", "PLOT", "DO", "BREAK", "DAMAGE")


def stand_in(game: GameFolder, side: str, how: Late, why: str) -> str:
    """Return stand-in orders for the current request; ``""`` if no legal ones were found.

    ``how`` is the way that the deadline rule names. A comment with ``why`` says who wrote the orders. A side that has
    only weapons that no ship guides needs no orders (F2.0), and gets an order file without orders.
    """
    state = game.state()
    request = state.request
    assert request is not None and request.asks(side)
    writer = _Writer(game, state, request, side)
    ways = {"last orders": writer.last_orders, "robot": writer.robot, "captain": writer.captain}
    first = ways.get(how, writer.hold)
    if text := first() or writer.hold():
        return f"# {why}\n{text}"
    # Weapons that no ship guides need no orders at all (F2.0).
    return f"# {why}\n{writer.head}\nEND\n" if unguided(state, side) else ""


class _Writer:
    """Writes stand-in orders for a side of a game that sent no orders."""

    def __init__(self, game: GameFolder, state: State, request: Request, side: str) -> None:
        self.game, self.state, self.request, self.side = game, state, request, side
        self.head = header_line(structs.replace(answer_to(state.game, side, request), form=request.form), "  ")

    def _legal(self, text: str) -> bool:
        judged = judge(self.game, text, f"{self.side}.orders")
        return not judged.faults and judged.side == self.side

    def last_orders(self) -> str:
        """Return the side's earlier orders, adapted to this request; ``""`` if none are legal.

        These are the orders now being carried out, or else the last order file of the same form.
        """
        if unchanged := self._unchanged():
            return unchanged
        for turn in sorted(self.game.turns(), reverse=True):
            files = [one for one in self.game.order_files(turn) if one.side == self.side and not one.version]
            for file in sorted(files, key=lambda one: one.number, reverse=True):
                old = normal_form(read_order_file(file.path), self.side, self.state.game)
                lines = old.split("\n")
                if is_header(lines[0]) and _covers(self.request.form, old):
                    text = self._without_the_gone("\n".join([self.head, *lines[1:]]))
                    if self._legal(text):
                        return text
        return ""

    def _without_the_gone(self, text: str) -> str:
        about = {fault.line for fault in judge(self.game, text, "").faults if fault.code == "gone"}
        return "\n".join(line for number, line in enumerate(text.split("\n"), start=1) if number not in about)

    def _unchanged(self) -> str:
        """Return an order file with CONTINUE, which lets the present orders go on.

        It is empty if that is not legal, or if the present orders are only an energy form.
        """
        standing, request = self.state.standing.get(self.side), self.request
        if standing is None or not has_sop(read_orders(standing.text, header=False).orders):
            return ""
        text = f"{self.head}\n{CONTINUE}\nEND\n"
        return text if request.form == FormKind.SOP and request.impulse > 0 and self._legal(text) else ""

    def hold(self) -> str:
        """Return orders that keep each ship's course and hold fire; ``""`` if no legal ones are found.

        The speed stays as before. If there is too little energy for that, it is the highest possible speed.
        """
        return self._joined(self._held())

    def _held(self) -> list[list[str]]:
        """Return for each unit a block of order lines that keep its course, and its speed if possible.

        If its speed is not legal, the unit is slowed down.
        """
        blocks = [block for block, _ in self._blocks()]
        if self._legal(self._joined(blocks)):
            return blocks
        for block in blocks:
            for place, line in enumerate(block):
                if speed := _SPEED.fullmatch(line.strip()):
                    self._slow_down(blocks, block, place, int(speed[2]))
        return self._kept_on_the_map(blocks)

    def _kept_on_the_map(self, blocks: list[list[str]]) -> list[list[str]]:
        """Change the course of ships that would fly straight off the map; return the blocks of order lines.

        Such a ship turns to the nearest ship, or leaves the map if only that is legal. The result is empty if
        neither is legal.
        """
        for plot in ANYWHERE:
            turned = [[*block, "PLOT", f"  {plot}"] if block[0].startswith("SHIP") else block for block in blocks]
            for place, block in enumerate(blocks):
                straight = [*turned[:place], block, *turned[place + 1 :]]
                if self._legal(self._joined(straight)):
                    turned = straight
            if self._legal(self._joined(turned)):
                return turned
        return self._all_kept_on_the_map(blocks)

    def _all_kept_on_the_map(self, blocks: list[list[str]]) -> list[list[str]]:
        """Change the courses of ships and shuttles, for the case that a shuttle too would leave the map.

        Return the blocks of order lines. A unit keeps its course if turning does not reduce the number of faults.
        """
        for plot in ANYWHERE:
            turned = [[*block, "PLOT", f"  {plot if block[0].startswith('SHIP') else ANYWHERE[0]}"] for block in blocks]
            for place, block in enumerate(blocks):
                straight = [*turned[:place], block, *turned[place + 1 :]]
                if self._faults(straight) <= self._faults(turned):
                    turned = straight
            if self._legal(self._joined(turned)):
                return turned
        return []

    def _faults(self, blocks: list[list[str]]) -> int:
        return len(judge(self.game, self._joined(blocks), "").faults)

    def _slow_down(self, blocks: list[list[str]], block: list[str], place: int, speed: int) -> None:
        """Set the speed of a ship to the highest speed at which her order lines have no fault.

        ``block`` is her block of lines among ``blocks``, ``place`` the number of its SPEED line, and ``speed`` the
        highest speed to try.
        """
        for slower in range(speed, -1, -1):
            block[place] = f"  SPEED {slower}"
            first = 2 + sum(len(one) for one in blocks[: blocks.index(block)])
            faults = judge(self.game, self._joined(blocks), "").faults
            if not any(first <= fault.line < first + len(block) for fault in faults):
                return

    def _joined(self, blocks: Iterable[list[str]]) -> str:
        lines = [line for block in blocks for line in block]
        return "\n".join([self.head, *lines, "END", ""]) if lines else ""

    def _blocks(self) -> list[tuple[list[str], list[str]]]:
        """Return two lists for each unit in the player's draft: the first lines of its orders, and the hints.

        The first lines are the heading, the ENERGY line if there is one, and the speed. Hints are orders that the draft
        suggests in comments.
        """
        from pbem.reports.draft.draft import draft_for

        blocks: list[tuple[list[str], list[str]]] = []
        shuttles = {shuttle.name: shuttle for shuttle in self.state.shuttles()}
        ships = {ship.name: ship for ship in self.state.ships()}
        for line in draft_for(self.state, self.game.scenario(), self.request, self.side).split("\n"):
            bare = line.partition("  #")[0].strip() if not line.lstrip().startswith("#") else line.strip()
            if bare.startswith(("SHIP ", "SHUTTLE ")):
                blocks.append(([bare], []))
            elif not blocks:
                pass  # lines above the first block belong to no unit
            elif bare == "ENERGY":
                blocks[-1][0].append(bare)
            elif speed := _SPEED.match(bare):
                name = blocks[-1][0][0].partition(" ")[2].strip('"')
                shuttle, ship = shuttles.get(name), ships.get(name)
                if shuttle is None:
                    # The draft leaves energy for weapons; stand-in orders keep the speed, as far as the energy allows.
                    pays = ship is not None and blocks[-1][0][-1] == "ENERGY"
                    held = prior_speed(self.state, ship) if pays and ship is not None else int(speed[2])
                    blocks[-1][0].append(f"  SPEED {held}")
                elif not shuttle.landed:  # a speed would make a shuttle on a planet take off
                    blocks[-1][0].append(f"  SPEED {min(int(speed[2]), shuttle.speed)}")
            elif hint := _HINT.fullmatch(line.partition("  #")[0] if line.lstrip().startswith("# ") else ""):
                blocks[-1][1].append(hint["order"])
            elif hint := _HINT.match(line):
                blocks[-1][1].append(hint["order"].strip())
        return blocks

    def captain(self) -> str:
        """Return the orders that a computer player of the default level would give; empty if it would concede."""
        text = captains_orders(self.game, self.side, USUAL)
        return text if self._legal(text) and CONCEDE not in text.split("\n") else ""

    def robot(self) -> str:
        """Return the orders of ``hold`` with a course toward the nearest enemy and the draft's legal hints.

        Hints are orders that the player's draft suggests in comments.
        """
        if going_on := self._unchanged():
            return going_on
        blocks = self._held()
        hints = [found for _, found in self._blocks()]
        for place, block in enumerate(blocks):
            for wish in self._wishes(block[0], hints[place]) if "SHUTTLE" not in block[0] else ():
                lines = [line for line in wish if line not in _HEADINGS or line not in block]
                if self._legal(self._joined([*blocks[:place], [*block, *lines], *blocks[place + 1 :]])):
                    block += lines
        return self._joined(blocks)

    def _wishes(self, heading: str, hints: list[str]) -> list[list[str]]:
        """Return groups of optional order lines that ``robot`` tries to add, in the order of the sections.

        ``heading`` is the unit's heading, ``hints`` are the orders that the draft suggests.
        """
        energy = [[f"  {hint}"] for hint in hints if not hint.startswith(("IF", "AT"))]
        wishes = energy if self.request.form != FormKind.SOP else []
        if self.request.form != FormKind.EAF:
            enemy = _nearest(self.state, heading.removeprefix("SHIP ").strip('"'))
            if enemy is not None:
                wishes.append(["PLOT", f"  TOWARD {name_text(enemy.name)}"])
            # No shuttle is launched, because nobody would give it orders.
            fire = [hint for hint in hints if hint.startswith(("IF", "AT")) and "LAUNCH SHUTTLE" not in hint]
            wishes += [["DO", f"  {hint}"] for hint in fire]
        return wishes


def _covers(form: FormKind, text: str) -> bool:
    """Return whether old orders are on the form (energy form, SOP or both) that the game now waits for."""
    energy, rest = "\nENERGY" in text, any(f"\n{word}" in text for word in ("PLOT", "COURSE", "DO", "BREAK"))
    fits = {FormKind.EAF: energy and not rest, FormKind.SOP: not energy, FormKind.FULL: energy and rest}
    return fits[form]


def _nearest(state: State, ship: str) -> Ship | Monster | None:
    mine = next((one for one in state.ships() if one.name == ship), None)
    if mine is None:
        return None
    units: list[Ship | Monster] = [*state.ships(), *state.monsters()]
    enemies = [one for one in units if state.enemies(mine.side, one.side) and not one.gone]
    return min(enemies, key=lambda one: (range_between(state, mine, one), one.name), default=None)
