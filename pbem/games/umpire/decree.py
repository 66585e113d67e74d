"""Turn the umpire's rulings between two requests for orders into events.

A ruling is about units, options, house rules or the end of the game. Everything is checked before anything is
written; each fault is one sentence. Rulings are logged with their reason and shown in the players' next sitreps.
:func:`reposition` moves units to the positions in a VASSAL save.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pbem.data.terms import FormKind, WeaponState
from pbem.engine import events as ev, rulings
from pbem.engine.dice import ScriptedDice
from pbem.engine.events import Adjusted
from pbem.engine.play.periods import period_end
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import opening_form
from pbem.engine.play.setup import as_played
from pbem.engine.state import AnyUnit, Outcome, Planet, Request, Ship, State
from pbem.engine.state_paths import NoPath
from pbem.engine.steps.guidance import follow_ruling
from pbem.errors import Fault, GameError
from pbem.games.answers import answers, kept_names, laid_aside, name_of
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.storage.publish import publish
from pbem.games.storage.terms import read_options, verify_autobreaks
from pbem.games.umpire.limits import place_faults, verify_limits
from pbem.reports.html.public import names_an_address, players_of
from pbem.reports.text.sentences import sentence

LONGEST = 1000
"""Maximum length in characters of the text of a reason or a ruling."""


class Decree(msgspec.Struct, frozen=True, kw_only=True):
    """All that the umpire rules at one time, and the reason.

    Attributes:
        reason: Why; required for everything but a ruling in words.
        changes: Changes of units as typed, ``Constellation shield 3 = 12``.
        unit: The unit that a change is about if the change names none.
        public: Show everybody a change that otherwise only the unit's owner would see.
        options: Options to change, as typed.
        ruling: Text of a new house rule.
        to: The only side that sees ``ruling``; by default all do.
        withdraw: Number of a house rule to withdraw.
        result: The result for each side, which ends the game.
        reopen: Resume a game that a ruling ended.
        by: The side that the umpire plays, if the umpire is also a player.
    """

    reason: str = ""
    changes: tuple[str, ...] = ()
    unit: str = ""
    public: bool = False
    options: dict[str, str] = {}
    ruling: str = ""
    to: str = ""
    withdraw: int = 0
    result: dict[str, str] = {}
    reopen: bool = False
    by: str = ""

    @property
    def empty(self) -> bool:
        """Whether the decree contains no ruling at all."""
        return not (self.changes or self.options or self.ruling or self.withdraw or self.result or self.reopen)


class DecreeItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a decree in words.

    Attributes:
        text: The wording for the side ``to``.
        to: The side that gets this wording; empty for all.
        others: The wording for all other sides.
    """

    text: str
    to: str = ""
    others: str = ""


def write(table: Resolution, decree: Decree, earlier: Sequence[ev.Record]) -> list[DecreeItem]:
    """Apply a decree to the game state in ``table``, and return the items of the decree as text.

    ``earlier`` is the log so far, without records that were taken back.

    Raises:
        GameError: Something in the decree is not possible; the error lists everything. ``table`` must not be used
            after that.
    """
    decree = replace(decree, reason=_sentence(decree.reason), ruling=_sentence(decree.ruling))
    _verify(table.state, decree)
    said = {"--reason": decree.reason, "--ruling": decree.ruling, "--result": " ".join(decree.result.values())}
    verify_words(said, players_of(earlier))
    began = len(table.records)
    faults: list[Fault] = []
    if decree.reopen:
        _reopen(table, decree, earlier)
    for change in decree.changes:
        try:
            _rule(table, change, decree)
        except GameError as error:
            faults += error.faults
    for part, do in ((decree.options, _options), (decree.ruling, _house), (decree.withdraw, _withdraw)):
        try:
            if part:
                do(table, decree, earlier)
        except GameError as error:
            faults += error.faults
    if faults:
        raise GameError(*faults)
    if decree.result:
        _decide(table, decree)
    return [_told(record) for record in table.records[began:]]


def verify_words(said: Mapping[str, str], players: Sequence[str]) -> None:
    """Check that no text written by the umpire contains a player's email address.

    The texts stay in the log, and strangers may read them in the archive or on the site. ``said`` maps the command
    option that contains a text to the text.

    Raises:
        GameError: A text contains an address.
    """
    for option, text in said.items():
        if names_an_address(text, players):
            raise _refuse("address-told", "leave out the email address: strangers may read this", option)


def tell(table: Resolution, only: str, event: ev.AnyEvent, shown: ev.AnyEvent | None = None) -> None:
    """Record an event caused by the umpire.

    If ``only`` names a side, only that side sees the event, and the others see ``shown`` in its place.
    """
    if only:
        table.secret(only, event, shown)
    else:
        table.tell(event)


def _told(record: ev.Record) -> DecreeItem:
    others = sentence(record.shown) if record.shown is not None else ""
    return DecreeItem(text=sentence(record.event), to=record.only, others=others)


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _refuse(code: str, text: str, file: str = "") -> GameError:
    return GameError.saying(code, text, file=file)


def _verify(state: State, decree: Decree) -> None:
    """Check that the items of a decree fit together and are complete."""
    if decree.empty:
        raise _refuse("nothing-decreed", "give a change, an option, a ruling or a result")
    if not decree.reason and (decree.changes or decree.options or decree.withdraw or decree.result or decree.reopen):
        raise _refuse("no-reason", "give a reason; it goes into the log and the players' sitreps", "--reason")
    for option, text in (("--reason", decree.reason), ("--ruling", decree.ruling)):
        if len(text) > LONGEST:
            raise _refuse("too-long", f"shorten this to {LONGEST} characters; it has {len(text)}", option)
    if state.request is None and not decree.reopen:
        raise _refuse("game-over", "the game is over; --reopen continues a game that a ruling ended")
    if decree.to and decree.to not in state.sides:
        raise _refuse("unknown-side", f"there is no side {decree.to!r}; the sides are {', '.join(state.sides)}", "--to")
    if decree.to and not decree.ruling:
        raise _refuse("to-whom", "use --to only with --ruling; for units, the rules decide who sees what", "--to")


# --- units -----------------------------------------------------------------------------------------------------------


def _rule(table: Resolution, typed: str, decree: Decree) -> None:
    """Apply one typed change to the unit that the change names."""
    state = table.state
    unit, path, text = _read(state, typed, decree.unit)
    path = rulings.canonical(unit, path)
    value = rulings.read_value(path, text)
    if path in ("at", "hex", "facing"):
        _put_elsewhere(table, unit, path, str(value), typed, decree)
        return
    if not unit.in_play and path != "gone":
        raise _refuse(
            "out-of-play", f"{unit.name} is out of play ({unit.gone}); bring it back with a ruling first", typed
        )
    if isinstance(unit, Planet) and path in ("gone", "side"):
        raise _refuse("bad-ruling", f"{unit.name} is a planet and cannot be changed", typed)
    try:
        verify_limits(state, unit, path, value)
        was = rulings.present(state, unit, path, value)
        after = rulings.set_path(state, unit.name, path, value)
        if isinstance(unit, Ship) and (path in unit.weapons or path == "hangar"):
            # The ruling is reported in the words of the display: an armed disruptor is "powered", AB are A and B.
            value = rulings.present(after, after.units[unit.name], path, value)
    except NoPath as error:
        raise _refuse("bad-ruling", str(error), typed) from error
    if was == value and isinstance(was, bool) == isinstance(value, bool):
        words = rulings.value_words(value, path)
        raise _refuse("no-change", f"{path} of {unit.name} is already {words}", typed)
    _verify_moment(state, after.units[unit.name], path, value, typed)
    event = ev.Ruled(unit=unit.name, path=path, value=value, was=was, why=decree.reason, by=decree.by)
    hidden = rulings.is_hidden(state, unit, path, value) and not decree.public and unit.side in state.sides
    tell(table, unit.side if hidden else "", event, ev.Ruled(unit=unit.name, by=decree.by))
    follow_ruling(table, event)


def _verify_moment(state: State, unit: AnyUnit, path: str, value: rulings.Value, typed: str) -> None:
    """Check that a change of a unit between two turns would not be lost when the new turn begins.

    A new turn sets some values again (B3.0, line 14, D3.34, E3.2, D6.11), so changing these would have no effect.
    ``unit`` is the unit after the change.
    """
    if state.request is None or state.request.turn == state.turn:
        return
    if path == "prior speed":
        text = f"write {unit.name} speed = {value}: between turns this is also the speed of last turn"
        raise _refuse("bad-ruling", text, typed)
    of_this_turn = path in ("general", "lock on") or path.startswith("reinforcement")
    if isinstance(unit, Ship) and path in unit.weapons:
        of_this_turn = unit.weapons[path].charge == WeaponState.POWERED and value not in ("destroyed", "working")
    if of_this_turn:
        text = f"{path} of {unit.name} would not last: the next turn sets it again"
        raise _refuse("bad-ruling", text, typed)


def _read(state: State, typed: str, unit: str) -> tuple[AnyUnit, str, str]:
    """Return the unit, the path and the value in a typed change such as ``SHIP Constellation shield 3 = 12``."""
    left, equals, text = typed.partition("=")
    left = " ".join(left.split())
    if left.upper().startswith("SHIP "):
        left = left[5:]
    named = [name for name in state.units if _begins(left, name)]
    if named:
        unit = max(named, key=len)
        left = left[len(unit) :].lstrip(" :,")
    if not equals or not left:
        raise _refuse("expected", 'write a change like "Constellation shield 3 = 12"', typed)
    found = next((one for name, one in state.units.items() if name.casefold() == unit.casefold()), None)
    if found is None:
        known = ", ".join(one.name for one in state.in_play())
        said = f"there is no unit {unit!r}" if unit else f"name a unit in {left!r}"
        raise _refuse("unknown-unit", f"{said}; the units in play are {known}", typed)
    return found, left, text


def _begins(text: str, name: str) -> bool:
    rest = text[len(name) :]
    return text.casefold().startswith(name.casefold()) and (not rest or rest[0] in " :,")


def _put_elsewhere(table: Resolution, unit: AnyUnit, path: str, value: str, typed: str, decree: Decree) -> None:
    value = value.upper()
    at = {"at": value, "hex": value + unit.facing, "facing": unit.hex + value}[path]
    if faults := place_faults(table.state, unit.name, at, typed):
        raise GameError(*faults)
    if at == unit.at:
        raise _refuse("no-change", f"{unit.name} is already at {at}", typed)
    table.tell(ev.Adjusted(unit=unit.name, at=at, why=decree.reason, by=decree.by))


# --- options and house rules -----------------------------------------------------------------------------------------


def _options(table: Resolution, decree: Decree, earlier: Sequence[ev.Record]) -> None:
    """Change options of the game from now on.

    If the new options ask the sides for something else, the request in force changes too.
    """
    state = table.state
    if "capacitor" in decree.options:
        said = "change a ship's capacitor with a ruling; the option capacitor only says how the game begins"
        raise _refuse("option", said, "--option")
    typed = read_options(decree.options)
    verify_autobreaks(typed, tuple(state.sides))
    wanted = replace(state.options, **{key: getattr(typed, key) for key in decree.options})
    options = as_played(table.scenario, wanted)
    for key in decree.options:
        if getattr(options, key) != getattr(wanted, key):
            said = f"scenario #{table.scenario.number} does not use {key}"
            raise _refuse("option", said, "--option")
        if getattr(options, key) == getattr(state.options, key):
            raise _refuse("no-change", f"{key} is already {decree.options[key]}", "--option")
    request = _asked(replace(state, options=options), table)
    changed = dict(sorted(decree.options.items()))
    table.tell(
        ev.OptionsRuled(
            changed=changed,
            options=options,
            why=decree.reason,
            request=request if request != state.request else None,
            by=decree.by,
        )
    )


def _asked(state: State, table: Resolution) -> Request:
    """Return the request for orders in force, changed so that it fits the game's new options (those of ``state``)."""
    request = state.request
    assert request is not None
    form = request.form
    if request.impulse == 0 and form in (FormKind.EAF, FormKind.FULL):
        form = opening_form(state, table.scenario)
    through = period_end(state.options, state.impulses, request.impulse)
    return replace(request, form=form, through=state.impulses if form == FormKind.EAF else through)


def standing(records: Sequence[ev.Record]) -> dict[int, ev.Record]:
    """Return the umpire's house rules in force, as a dict by number."""
    found: dict[int, ev.Record] = {}
    for record in records:
        event = record.event
        if isinstance(event, ev.HouseRuled):
            if event.withdrawn:
                found.pop(event.number, None)
            else:
                found[event.number] = record
    return found


def _house(table: Resolution, decree: Decree, earlier: Sequence[ev.Record]) -> None:
    made = [r.event.number for r in (*earlier, *table.records) if isinstance(r.event, ev.HouseRuled)]
    event = ev.HouseRuled(number=max(made, default=0) + 1, text=decree.ruling, why=decree.reason, by=decree.by)
    tell(table, decree.to, event)


def _withdraw(table: Resolution, decree: Decree, earlier: Sequence[ev.Record]) -> None:
    stand = standing(earlier)
    record = stand.get(decree.withdraw)
    if record is None:
        has = f"those in force: {', '.join(map(str, stand))}" if stand else "none is"
        raise _refuse("no-such-ruling", f"house rule {decree.withdraw} is not in force; {has}", "--withdraw")
    assert isinstance(record.event, ev.HouseRuled)
    tell(table, record.only, replace(record.event, withdrawn=True, why=decree.reason, by=decree.by))


# --- result of the game ----------------------------------------------------------------------------------------------


def _decide(table: Resolution, decree: Decree) -> None:
    sides = table.state.sides
    wrong = [side for side in decree.result if side not in sides]
    missing = [side for side in sides if not decree.result.get(side, "").strip()]
    if wrong or missing:
        what = f"there is no side {wrong[0]!r}" if wrong else f"give a result for {' and '.join(missing)}"
        raise _refuse("result", f"{what}; every side needs a result: {', '.join(sides)}", "--result")
    outcome = tuple(
        Outcome(side=side, result=_sentence(decree.result[side]), why=f"by ruling of the umpire: {decree.reason}")
        for side in sides
    )
    table.tell(ev.Decided(outcome=outcome, why=decree.reason, by=decree.by))


def _reopen(table: Resolution, decree: Decree, earlier: Sequence[ev.Record]) -> None:
    ended = [r.event for r in earlier if isinstance(r.event, ev.Decided | ev.GameEnded)]
    if not table.state.over:
        raise _refuse("not-over", "leave out --reopen: the game is not over", "--reopen")
    if not isinstance(ended[-1], ev.Decided):
        raise _refuse("not-ruled", "the rules ended this game; take play back with `pbem undo`", "--reopen")
    table.tell(ev.Decided(outcome=(), why=decree.reason, by=decree.by))


class Overruled(msgspec.Struct, frozen=True, kw_only=True):
    """The result of :func:`override`.

    Attributes:
        game: Name of the game.
        told: The items of the decree as text.
        asked: The request for orders now in force; ``None`` if there is none.
        laid_aside: The order files that are no longer legal.
        faults: Why these order files are no longer legal.
    """

    game: str
    told: tuple[DecreeItem, ...]
    asked: Request | None
    laid_aside: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def override(game: GameFolder, decree: Decree) -> Overruled:
    """Commit a decree to the game and write new reports.

    Order files in force that the decree makes illegal become older versions.

    Raises:
        GameError: Something in the decree is not possible; the error lists everything. Nothing was changed in this
            case.
    """
    state = game.state()
    table = Resolution(state, game.scenario(), ScriptedDice(), {})
    told = write(table, decree, game.effective())
    last = state.request or state.last_request
    assert last is not None
    faults, illegal = _no_longer_legal(game.supposing(last.turn, table.records, table.state))
    aside = laid_aside(game, illegal)
    game.carry_out("override", {last.turn: table.records}, aside)
    publish(game)
    return Overruled(
        game=game.terms.name, told=tuple(told), asked=game.state().request, laid_aside=kept_names(aside), faults=faults
    )


def _no_longer_legal(game: GameFolder) -> tuple[tuple[Fault, ...], list[OrderFile]]:
    """Return the order files for the request in force that a ruling has made illegal, with their faults."""
    _, faults = answers(game)
    names = {fault.file for fault in faults}
    request = game.state().request
    files = [file for file in game.order_files(request.turn) if not file.version] if request else []
    return faults, [file for file in files if name_of(file) in names]


def reposition(game: GameFolder, places: Mapping[str, str], *, source: str = "") -> int:
    """Move units to other places before the request in force is played; return the number of records written.

    ``places`` maps unit names to hex and facing (``1708C``).

    Raises:
        GameError: A place is not possible; the error lists every such place. Nothing was changed in this case.
    """
    state = game.state()
    if state.request is None:
        raise GameError.saying("game-over", "the game is over, so nothing can be moved", file=source)
    faults = [fault for unit, at in sorted(places.items()) for fault in place_faults(state, unit, at, source)]
    if faults:
        raise GameError(*faults)
    table = Resolution(state, game.scenario(), ScriptedDice(), {})
    for name, at in sorted(places.items()):
        # Only the public position changes; secrets such as armed weapons stay with the owner.
        table.tell(Adjusted(unit=name, at=at, why=f"taken from {source}"))
    if places:
        game.carry_out("import", {state.request.turn: table.records})
        publish(game)
    return len(table.records)
