"""A binding of a game, or of all games, to a module nobody has looked at yet: the map, a counter for each unit and
kind, and what is to be asked because it is not sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.ships import ship_class, ship_keys
from pbem.engine.state import Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.plasma import is_plasma
from pbem.errors import GameError
from pbem.rules.hexes import EVEN, ODD
from pbem.vassal_bridge.binding import Binding, marked, reference, small_marks, wanted_marks
from pbem.vassal_bridge.finding import Fit, Palette, Wanted, is_sure, wanted_for, wanted_of
from pbem.vassal_bridge.heading import could_be, heading_of
from pbem.vassal_bridge.hexmap import AS_IN_THE_GAME, NAMES, HexMap, Place, layout_of, places, usual_place
from pbem.vassal_bridge.scene import name_label

if TYPE_CHECKING:
    from vassal.module.module import Module, Slot

AREA = ("0101", "2817")
"""The hexes of the printed map."""

OFFERED = 8
"""So many counters are offered where it is not sure which is meant."""

KINDS = ("drone", "plasma", "shuttle")
"""Small units that ships put on the map."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Something to choose from: what is written into vassal.toml, it in words, and why it is offered."""

    value: str
    about: str
    why: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found for a line of vassal.toml: ``key`` (``map``, ``facing`` or a line of counters), what is wanted in
    words, the choices with the best first, and whether the best is beyond doubt. Without choices the module has
    nothing for it.
    """

    key: str
    about: str
    choices: tuple[Choice, ...] = ()
    sure: bool = True


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """What a module has for a game: the map, the trait that shows a facing (where that is not clear), a counter for
    each line, and what is to be known of them. ``found`` are the bindings of the maps that can be chosen.
    """

    module: str
    map: Answer
    facing: Answer | None
    counters: tuple[Answer, ...]
    remarks: tuple[str, ...] = ()
    found: dict[str, Binding]

    @property
    def questions(self) -> list[Answer]:
        """What is not sure."""
        every = [self.map, *([self.facing] if self.facing is not None else []), *self.counters]
        return [answer for answer in every if answer.choices and not answer.sure]

    @property
    def lacking(self) -> list[str]:
        """What the module has nothing for."""
        return [answer.about for answer in self.counters if not answer.choices]

    def binding(self, chosen: Mapping[str, str] | None = None) -> Binding:
        """The binding with what was ``chosen`` by line, else the best guesses; an empty choice leaves a line out."""
        chosen = chosen or {}
        base = self.found[chosen.get("map", self.map.choices[0].value)]
        if self.facing is not None:
            base = replace(base, facing=chosen.get("facing", self.facing.choices[0].value))
        best = {answer.key: answer.choices[0].value for answer in self.counters if answer.choices}
        lines = {key: chosen.get(key, value) for key, value in best.items()}
        return replace(base, counters={key: value for key, value in lines.items() if value})


class Need(NamedTuple):
    """A line of vassal.toml that may be needed: for whom, and the properties of a module's own counter for it.

    ``own``: a line only if the module has a counter of its own for this race, or this ship; ``kind`` lines are needed
    only where races have none. ``present``: a unit in play, which takes any counter rather than none.
    """

    wanted: Wanted
    marks: Mapping[str, str]
    own: bool = False
    present: bool = False


def needs_of(state: State) -> list[Need]:
    """What a game needs: its units, ships first and by name, and the small units that may come."""
    found = []
    small: dict[tuple[str, str], bool] = {}
    for unit in sorted(state.units.values(), key=lambda unit: (not isinstance(unit, Ship), unit.name)):
        if isinstance(unit, Seeker | Shuttle):
            small[unit.race, "shuttle" if isinstance(unit, Shuttle) else unit.weapon] = True
        else:
            found.append(Need(wanted_for(unit, unit.name), wanted_marks(unit), present=not isinstance(unit, Planet)))
    for unit in state.units.values():
        for kind in _launched_by(unit) if isinstance(unit, Ship) else ():
            small.setdefault((unit.race, kind), False)
    kinds: dict[str, bool] = {}
    for (race, kind), present in small.items():
        found.append(_small(race, kind))
        kinds[kind] = kinds.get(kind, False) or present
    return [*found, *(Need(Wanted(kind, f"any other {kind}", kind), {}, present=here) for kind, here in kinds.items())]


def _small(race: str, kind: str) -> Need:
    key = f"{race} {kind}"
    return Need(Wanted(key, f"a {race} {kind}", kind, race), small_marks(kind, race), own=True)


def needs_of_all() -> list[Need]:
    """What any game may need: all classes of ships, and the ships of the scenarios where the module has a counter for
    each ship; small units of all races, monsters, planets, asteroids.
    """
    found = [Need(wanted_of(ship_class(key)), {"ShipKey": key}) for key in ship_keys()]
    names = {unit.name: unit.ship for key in scenario_keys() for unit in scenario(key).units}
    for name, key in sorted(names.items()):
        ship = wanted_of(ship_class(key))
        found.append(Need(ship._replace(key=name, about=f"{name}, {ship.about}", name=name), {}, own=True))
    found += [_small(race, kind) for race in charts.races() if race != "civilian" for kind in KINDS]
    found += [Need(Wanted(kind, f"any other {kind}", kind), {}) for kind in KINDS]
    for key, monster in sorted(charts.monsters().kinds.items()):
        found.append(Need(Wanted(key, monster.name, "monster", name=key.replace("_", " ")), {"Monster": key}))
    found += [Need(Wanted(kind, kind, kind), {"Unit": kind}) for kind in ("planet", "asteroids")]
    return found


def _launched_by(ship: Ship) -> list[str]:
    """The kinds of small units a ship may put on the map."""
    drones = any(weapon.kind.startswith("drone") for weapon in ship.weapons.values())
    tubes = any(is_plasma(weapon.kind) for weapon in ship.weapons.values())
    kinds = (("drone", drones), ("plasma", tubes), ("shuttle", bool(ship.hangar)))
    return [kind for kind, has in kinds if has]


def survey(module: Module, state: State | None = None) -> Survey:
    """Look at a module for a game, or for any. Raises :class:`GameError` where it has no map with hexes."""
    area, grid = (state.map, state.grid) if state is not None else (AREA, EVEN)
    found = places(module, area, grid)
    if not found:
        raise _no_map(module, area)
    best = found[0]
    alike = [place for place in found if place.merit[:3] == best.merit[:3]]
    known = {_place_name(place): place for place in found[:OFFERED]}
    answer = Answer(
        key="map",
        about="the map",
        choices=tuple(Choice(value=name, about=place.about) for name, place in known.items()),
        sure=len({(place.map, place.board, place.zone) for place in alike}) == 1 and (best.faces or len(known) == 1),
    )
    needs = needs_of(state) if state is not None else needs_of_all()
    counters = list(_counters(module, needs))
    lies = {need.wanted.key for need in needs if need.wanted.kind in ("planet", "asteroids")}
    slots = [module.slot(one.choices[0].value) for one in counters if one.choices and one.key not in lies]
    return Survey(
        module=module.name,
        map=answer,
        facing=_facing(slots),
        counters=tuple(counters),
        remarks=tuple(_remarks(module, best, slots, area, grid)),
        found={name: bound(place) for name, place in known.items()},
    )


def bound(place: Place) -> Binding:
    """A binding of the map alone."""
    first = place.first if place.how != NAMES else (0, 0)
    zone = place.zone if place.how != NAMES else ""
    return Binding(map=place.map, board=place.board, hexes=place.how, zone=zone, first_hex=first)  # type: ignore[arg-type]


def _place_name(place: Place) -> str:
    return "/".join(filter(None, (place.map, place.board, place.zone, "" if place.how == NAMES else place.how)))


def _counters(module: Module, needs: Sequence[Need]) -> Iterator[Answer]:
    """A counter for each line; two ships nobody knows get two counters, as far as there are some."""
    palette: Palette | None = None
    used: set[str] = set()
    races = {need.wanted.kind: 0 for need in needs}
    for one, marks, own, present in needs:
        exact = marked(module, marks) if marks else None
        if exact is not None:
            yield Answer(key=one.key, about=one.about, choices=_choices(module, [Fit(exact, 2.0, "it says so")]))
            continue
        if own:
            races[one.kind] += 1
        elif (
            one.kind in KINDS
            and not races[one.kind]
            and any(need.own for need in needs if need.wanted.kind == one.kind)
        ):
            continue  # all races have counters of their own
        palette = palette or Palette(module)
        fits = palette.fits(one)
        sure = is_sure(fits)
        if own:
            fits = [fit for fit in fits[:1] if sure and (one.kind in KINDS or fit.named)]
            if not fits:
                continue
            races[one.kind] -= 1
        if not fits and present:
            fits = palette.nearest(one)
        fits = sorted(fits, key=lambda fit: (-fit.score, _name(fit.slot) in used))
        used |= {_name(fit.slot) for fit in fits[:1]}
        choices = _choices(module, fits[:OFFERED])
        yield Answer(key=one.key, about=one.about, choices=choices, sure=sure or not choices)


def _name(slot: Slot) -> str:
    return slot.gpid or slot.name


def _choices(module: Module, fits: Sequence[Fit]) -> tuple[Choice, ...]:
    """Those that a line of vassal.toml can name."""
    return tuple(choice for fit in fits if (choice := _choice(module, fit)).value)


def _choice(module: Module, fit: Fit) -> Choice:
    turns = heading_of(fit.slot.piece)
    shape = turns.about if turns is not None else "does not turn"
    label = name_label(fit.slot.piece)
    named = "" if label is None else f", its name in the label {label.property_name!r}"
    place = "/".join((*fit.slot.path, fit.slot.name))
    return Choice(value=reference(module, fit.slot), about=f"{place}: {shape}{named}", why=fit.why)


def _facing(slots: Sequence[Slot]) -> Answer | None:
    """Which trait shows a facing, where counters have several that could, or none that says what it shows."""
    ways: dict[str, str] = {}
    doubtful = False
    for slot in slots:
        could = could_be(slot.piece)
        for heading in could:
            ways.setdefault(heading.name, heading.about)
        doubtful |= len({heading.name for heading in could}) > 1 or any(not heading.sure for heading in could[:1])
    if not doubtful:
        return None
    choices = tuple(Choice(value=name, about=f"{name!r}, which {about}") for name, about in ways.items())
    return Answer(key="facing", about="the trait that shows a facing", choices=choices, sure=False)


def _remarks(module: Module, place: Place, slots: Sequence[Slot], area: tuple[str, str], grid: str) -> Iterator[str]:
    if place.part < 1:
        part = f"{place.part:.0%} of the hexes {area[0]} to {area[1]}"
        yield f"the map {place.map!r} has {part}; what is beyond is left out"
    if not place.faces:
        yield from _lies_otherwise(
            place, bound(place).hexmap(layout_of(module.map(place.map), place.board)), area, grid
        )
    stiff = sorted({slot.name for slot in slots if heading_of(slot.piece) is None})
    if stiff:
        yield f"these counters cannot show a facing: {_some(stiff)}"
    mute = sorted({slot.name for slot in slots if not slot.piece.labels})
    if mute:
        yield f"these counters have no label for a name or a speed: {_some(mute)}"


def _lies_otherwise(place: Place, hexmap: HexMap, area: tuple[str, str], grid: str) -> Iterator[str]:
    """How the hexes of a map lie that do not lie as in the game."""
    other = ODD if grid == EVEN else EVEN
    same = hexmap.sides_in(grid, area[0])
    sides = same or hexmap.sides_in(other, area[0])
    if not sides:
        yield f"the hexes of the map {place.map!r} do not lie as in the game: no side of them points up"
        return
    if not same:
        yield (
            f"on the map {place.map!r} {other} columns lie half a hex lower, and in the game {grid} ones: ranges"
            f" are not the same; a game for it is begun with pbem new --grid {other}"
        )
    if sides != AS_IN_THE_GAME:
        way = "turned half round" if sides["B"] == "E" else "mirrored"
        yield f"the map {place.map!r} lies {way}: side A points {WAYS[sides['A']]}, and counters are turned to fit"


WAYS = {"A": "up", "D": "down"}
"""Where a side of a hex points that is straight above or below."""


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _no_map(module: Module, area: tuple[str, str]) -> GameError:
    return GameError.saying("no-map", f"no map of the module {module.name!r} knows the hexes {area[0]} to {area[1]}")


# --- without questions ------------------------------------------------------------------------------------------------


def propose(state: State, module: Module) -> Binding:
    """A binding from what the module's counters say of themselves, else from the best guesses of all. A unit that
    nothing is like gets no line; a planet is bound only where the module surely has a counter for it.
    """
    answers = _counters(module, needs_of(state))
    planets = {unit.name for unit in state.units.values() if isinstance(unit, Planet)}
    lines = {one.key: one.choices[0].value for one in answers if one.choices and (one.sure or one.key not in planets)}
    return replace(bound(_best_place(state, module)), counters=lines)


def binding_for(own: Binding | None, general: Binding | None, state: State, module: Module) -> Binding | None:
    """A game's own binding, else the one for all games on a module, with the board that is this game's."""
    return own if own is not None or general is None else fitted(general, state, module)


def fitted(binding: Binding, state: State, module: Module) -> Binding:
    """A binding for all games, for this one: on its map the board that is this game's, if another is not."""
    found = [place for place in places(module, state.map, state.grid) if place.map == binding.map]
    if not found or binding.zone:
        return binding
    best = found[0]
    now = next((place for place in found if (place.board, place.how) == (binding.board, binding.hexes)), None)
    if now is not None and now.merit[:1] == best.merit[:1] and now.merit[4] >= best.merit[4]:
        return binding
    own = bound(best)
    return replace(binding, board=own.board, hexes=own.hexes, zone=own.zone, first_hex=own.first_hex)


def _best_place(state: State, module: Module) -> Place:
    """The likeliest map. Where the boards a map chooses itself are just the game's, no others are looked at."""
    for game_map in module.maps:
        place = usual_place(game_map, state.map, state.grid)
        if place is not None:
            return place
    found = places(module, state.map, state.grid)
    if not found:
        raise _no_map(module, state.map)
    return found[0]
