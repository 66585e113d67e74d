"""Players' answers to the request in force: check files, find valid answers, set old answers aside.

A request is the question to the sides for new orders. An order file that no longer answers the request in force is
kept as an older version, so no file is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from pbem.data.files import own_figures
from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind
from pbem.engine import log
from pbem.engine.events import Requested
from pbem.engine.relations import all_awaited
from pbem.engine.state import Request, State
from pbem.errors import Fault
from pbem.games.storage.files import cannot, patiently, read_bytes, read_order_file, sync_folder
from pbem.games.storage.folder import GameFolder, OrderFile, turn_name
from pbem.orders import model as om
from pbem.orders.header import answer_line, begins, field_columns
from pbem.orders.mail_text import order_text
from pbem.orders.names import name_text
from pbem.orders.reader import read_orders
from pbem.orders.vocabulary import ALONE
from pbem.orders.writer import write_orders
from pbem.util import only, regex

CONTINUE = "CONTINUE"
"""Text, in normal form, of an answer that leaves the orders in force unchanged."""

# Faults that may follow from a line that could not be read; they are reported only if all lines are readable.
_CONSEQUENCES = ("ship-missing", "energy-missing")


class SideAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A side's answer to the request in force: its file, the text as sent, the text in normal form.

    ``from_form`` is true for orders (SOP) that came in the same file as the energy form (EAF), i.e. before they
    were asked for.
    """

    side: str
    file: str
    sent: str
    text: str
    from_form: bool = False


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking an order file; a file with faults is not put on file.

    Attributes:
        side: The side that gave the orders.
        request: The request that they answer; ``None`` if there is none.
        faults: The faults.
        text: The orders in normal form.
        lines: For each order: its line number, text, verdict and reason.
        balance: The lines of each ship's energy form, by ship.
        plots: For each ship: the impulse, the code, and the resulting hex and facing of each move.
        notes: Remarks on the orders.
    """

    side: str
    request: Request | None
    faults: tuple[Fault, ...]
    text: str = ""
    lines: tuple[tuple[int, str, str, str], ...] = ()
    balance: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plots: tuple[tuple[str, tuple[tuple[int, str, str], ...]], ...] = ()
    notes: tuple[str, ...] = ()


def digest(text: str) -> str:
    """Return the SHA-256 hash (in hex) of an order file's text, in the form in which it would be filed."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


_LEGAL: dict[bytes, Judged] = {}
"""Cache of checks that found orders legal, by a hash of everything the check depends on."""
_MOST = 256


def judge(game: GameFolder, text: str, file: str) -> Judged:
    """Check an order file against the request in force, and return the result with all faults.

    No file is changed. Legal orders are cached, because the same text is checked when it is filed and when it is
    played.
    """
    asked = b"" if game.own_files() else _cache_key(game, text)
    if (known := _LEGAL.get(asked)) is not None:
        return known
    found = judged_on(game.state(), game.scenario(), text, file)
    if asked and not found.faults:  # a fault contains the name of the file
        if len(_LEGAL) >= _MOST:
            _LEGAL.clear()  # in one step, because several threads of a server use the cache
        _LEGAL[asked] = found
    return found


def _cache_key(game: GameFolder, text: str) -> bytes:
    """Return the cache key for checking an order file.

    The key is a hash of the game state, the terms, the order text and the user's own figures (rule data files).
    """
    orders = text.encode("utf-8", "surrogatepass")
    said = [log.encode_state(game.state()), game.terms, orders, own_figures().token]
    return hashlib.sha256(msgspec.msgpack.encode(said)).digest()


def judged_on(state: State, scenario: Scenario, text: str, file: str) -> Judged:
    """Check an order file as :func:`judge` does, but against a given game state instead of a game folder."""
    reading = read_orders(text, file=file)
    orders = reading.orders
    side = side_named(state, orders.side)
    bare = no_header(state, _side_of(state, orders), prose=not orders.units)
    faults = [replace(fault, text=bare) if fault.code == NO_HEADER else fault for fault in reading.faults]
    # Without a header there is nothing to compare with the game.
    if orders.game or orders.side:
        about = _header_faults(state, orders, side, text)
        # A header with a fault may contain a field that seems to be missing.
        heads = {line for line, _ in _header_places(text).values()}
        broken = any(fault.line in heads for fault in faults)
        faults += [fault for fault in about if not (broken and fault.code == "header-incomplete")]
    elif not faults:
        faults.append(Fault(code=NO_HEADER, text=no_header(state)))
    request = state.request
    if side and request is not None and not any(fault.code in _NO_USE for fault in faults):
        faults += form_faults(state, request, side, orders)
        return _checked(state, scenario, request, replace(orders, side=side, game=state.game), faults, file)
    return Judged(side=side, request=request, faults=_placed(faults, file))


def normal_form(text: str, side: str, game: str) -> str:
    """Return an order file in normal form, as the log stores it.

    The header in the result names game and side as the game spells them.
    """
    orders = read_orders(text).orders
    return CONTINUE if orders.unchanged else write_orders(replace(orders, side=side, game=game))


def _checked(
    state: State, scenario: Scenario, request: Request, orders: om.Orders, faults: list[Fault], file: str
) -> Judged:
    from pbem.engine.checking.check import check

    unreadable = bool(faults)
    found = check(state, scenario, request, orders.side, orders)
    known = {(fault.code, fault.line, fault.column) for fault in faults}
    for fault in found.faults:
        if (fault.code, fault.line, fault.column) not in known and not (unreadable and fault.code in _CONSEQUENCES):
            faults.append(fault)
    return Judged(
        side=orders.side,
        request=request,
        faults=_placed(faults, file),
        text=CONTINUE if orders.unchanged else write_orders(orders),
        lines=tuple(
            (note.line, note.text, note.verdict, note.why) for note in sorted(found.lines, key=lambda n: n.line)
        ),
        balance=tuple(
            (ship, tuple(_balance(*line) for line in lines)) for ship, lines in sorted(found.balance.items())
        ),
        plots=tuple(sorted(found.plots.items())),
        notes=found.notes,
    )


def _balance(number: int, label: str, amount: int, source: str) -> str:
    """Return a line of a ship's energy form as text: ``14 movement 12 (11 warp + 1 impulse)``."""
    return f"{number:>2}  {label:<30} {amount:>3}" + (f"  {source}" if source else "")


def _placed(faults: Sequence[Fault], file: str) -> tuple[Fault, ...]:
    return tuple(
        replace(fault, file=fault.file or file) for fault in sorted(faults, key=lambda f: (f.line, f.column, f.code))
    )


# --- the header ------------------------------------------------------------------------------------------------------

_SHORTEST = 3
"""Minimum length of an abbreviated side name; players commonly shorten races to FED or KLI."""

_NO_USE = ("wrong-game", "wrong-turn", "wrong-side", "wrong-request", "no-header", "header-incomplete", "nothing-asked",
           "wrong-form", "not-asked", "no-orders")  # fmt: skip


NO_HEADER = "no-header"


def _side_of(state: State, orders: om.Orders) -> str:
    """Return the side whose ships these orders name; ``""`` if no side, or several sides, fit.

    This identifies the side that wrote orders without a header.
    """
    named = {one.unit.casefold() for one in orders.units}
    return only([*{ship.side for ship in state.ships() if ship.name.casefold() in named}]) or ""


def no_header(state: State, side: str = "", *, prose: bool = False) -> str:
    """Return the text of the fault for orders without a header.

    The text contains the header that the game expects now.

    ``side`` is the side that wrote the orders; empty if it is unknown. ``prose`` is true if the text contains no
    orders at all.
    """
    request = state.request
    if request is None:
        return "the game is over, so it takes no more orders; no header was found"
    first, *others = (side,) if side else request.sides
    found = "this is not an order file: open orders.html, or fill in the draft" if prose else "no header was found"
    or_side = f" (or SIDE {', '.join(map(name_text, others))})" if others else ""
    return f"begin the orders with the line {answer_line(state.game, first, request)}{or_side}; {found}"


def side_named(state: State, name: str) -> str:
    """Return the full name of the side that a player named, or ``""`` if there is no such side.

    At least three first letters of a side's name are accepted (FED for federation) if they fit only one side.
    """
    wanted = name.casefold()
    exact = [side for side in state.sides if side.casefold() == wanted]
    like = [side for side in state.sides if len(wanted) >= _SHORTEST and side.casefold().startswith(wanted)]
    found = exact or like
    return only(found) or ""


def _header_faults(state: State, orders: om.Orders, side: str, text: str) -> list[Fault]:
    """Return a fault for each field in the header of an order file that does not fit the request in force.

    Each fault has the line and column of the field.
    """
    request = state.request
    places = _header_places(text)

    def at(field: str, fault: Fault) -> Fault:
        line, column = places.get(field, places.get("GAME", (0, 0)))
        return replace(fault, line=line, column=column)

    faults = [at(field, fault) for field, fault in _wrong_game_or_side(state, orders, side)]
    if request is None:
        faults.append(at("GAME", Fault(code="nothing-asked", text="the game is over, so it takes no more orders")))
        return faults
    faults += [at(field, fault) for field, fault in _wrong_request(request, orders)]
    if side and not state.sides[side].robot and not request.asks(side):
        how = (
            "because its ships have not arrived"
            if all_awaited(state, side)
            else "because its orders are still in force"
        )
        said = f"the game is not waiting for {side} now, {how}; it waits for {', '.join(request.sides)}"
        faults.append(at("SIDE", Fault(code="not-asked", text=said)))
    if orders.form and orders.form != request.form and not any(fault.code in _NO_USE for fault in faults):
        said = f"send FORM {request.form}: request {request.number} needs it, and this is FORM {orders.form}"
        if not (orders.form == FormKind.FULL and request.form == FormKind.EAF):
            faults.append(at("FORM", Fault(code="wrong-form", text=said)))
    return faults


def _wrong_game_or_side(state: State, orders: om.Orders, side: str) -> Iterator[tuple[str, Fault]]:
    """Yield (field, fault) if the header names another game, or a side that owes no orders now."""
    if orders.game.casefold() != state.game.casefold():
        yield (
            "GAME",
            Fault(code="wrong-game", text=f"these orders are for game {orders.game or '?'}; this is {state.game}"),
        )
    if not orders.side:
        yield (
            "GAME",
            Fault(code="header-incomplete", text=f"write SIDE in the header: it is {' or '.join(state.sides)}"),
        )
    elif not side:
        text = f"there is no side {orders.side!r} in this game; the sides are {', '.join(state.sides)}"
        yield "SIDE", Fault(code="wrong-side", text=text)
    elif state.sides[side].robot:
        yield "SIDE", Fault(code="wrong-side", text=f"{side} is played by the robot; it takes no orders")


def _wrong_request(request: Request, orders: om.Orders) -> Iterator[tuple[str, Fault]]:
    """Yield (field, fault) if the header does not name the turn and number of the request in force."""
    if orders.turn is None:
        yield "GAME", Fault(code="header-incomplete", text=f"write TURN {request.turn} in the header: it has no TURN")
    elif orders.turn != request.turn:
        yield (
            "TURN",
            Fault(
                code="wrong-turn",
                text=f"these orders are for turn {orders.turn}, but the game is waiting for turn {request.turn}",
            ),
        )
    if orders.reply is None:
        said = f"write REPLY {request.number} in the header: it does not say which request it answers"
        yield "GAME", Fault(code="header-incomplete", text=said)
    elif orders.reply != request.number and orders.turn in (None, request.turn):
        when = "is already played" if orders.reply < request.number else "does not exist yet"
        said = f"request {orders.reply} {when}; the game is waiting for request {request.number} of turn {request.turn}"
        yield "REPLY", Fault(code="wrong-request", text=said)


_BELOW_HEADER = regex(rf"\s*(SHIP|SHUTTLE|{'|'.join(ALONE)}|END)\b", re.IGNORECASE)


_MOST_HEADER_LINES = 100
"""Number of lines at the start of a file in which the fields of a header are searched."""


def _header_places(text: str) -> dict[str, tuple[int, int]]:
    """Return the line and column of each header field in an order file, by field."""
    found: dict[str, tuple[int, int]] = {}
    looked = 0
    for number, line in enumerate(order_text(text).split("\n"), start=1):
        if _BELOW_HEADER.match(line) or looked == _MOST_HEADER_LINES:
            break
        if not found and not begins(line):
            continue
        looked += 1
        for key, column in field_columns(line).items():
            found.setdefault(key, (number, column))
    return found


# --- the form --------------------------------------------------------------------------------------------------------


def has_sop(orders: om.Orders) -> bool:
    """Return whether an order file contains orders (SOP) besides the energy form."""
    return any(
        unit.plot or unit.do or unit.breaks or unit.damage or (unit.speed is not None and not unit.shuttle)
        for unit in orders.units
    )


def rest_of(text: str, reply: int | None = None) -> str:
    """Return the orders (SOP) in a file that also contains an energy form, in normal form, or ``""``.

    ``reply`` is the request number to write into the header instead of the old one.
    """
    orders = read_orders(text).orders
    if not has_sop(orders):
        return ""
    # A block that has only an energy form contains no orders (SOP).
    units = tuple(replace(unit, energy=None) for unit in orders.units)
    return write_orders(replace(orders, units=units, reply=reply or orders.reply, form=FormKind.SOP))


def form_faults(state: State, request: Request, side: str, orders: om.Orders) -> list[Fault]:
    """Return the faults of an answer that says CONTINUE although the request does not allow CONTINUE.

    CONTINUE can only answer a request for orders (SOP), and only if the side has orders in force.
    """
    if not orders.unchanged or orders.units:
        return []
    if request.form != FormKind.SOP or request.impulse == 0:
        wanted = "a new energy form" if request.form != FormKind.SOP else "the orders of a new turn"
        said = f"send orders instead of CONTINUE: request {request.number} needs {wanted}"
        return [Fault(code="nothing-to-continue", text=said)]
    standing = state.standing.get(side)
    if standing is None:
        return [Fault(code="nothing-to-continue", text=f"{side} has no orders in force to continue")]
    return []


# --- answers on file -------------------------------------------------------------------------------------------------


def answers(game: GameFolder) -> tuple[dict[str, SideAnswer], tuple[Fault, ...]]:
    """Return the valid answers to the request in force, by side, and the faults of invalid files.

    Each file on file is checked again, because it may have been edited since it was filed.
    """
    state = game.state()
    request = state.request
    found: dict[str, SideAnswer] = {}
    faults: list[Fault] = []
    for side in request.sides if request else ():
        assert request is not None
        path = game.order_file(request.turn, side, request.number)
        name = f"{turn_name(request.turn)}/orders/{path.name}"
        if not path.is_file():
            second = _second_part(game, request, side)
            if second is not None:
                found[side] = second
            continue
        sent = read_order_file(path, name)
        judged = judge(game, sent, name)
        if judged.faults:
            faults += judged.faults
        elif judged.side != side:
            said = f"move this file: it has {judged.side}'s orders, but this is the place for {side}'s"
            faults.append(Fault(code="wrong-side", text=said, file=name))
        else:
            found[side] = SideAnswer(side=side, file=name, sent=sent, text=judged.text)
    return found, tuple(faults)


def _second_part(game: GameFolder, request: Request, side: str) -> SideAnswer | None:
    """Return a side's orders (SOP) from the file with its energy form; ``None`` if the file has none.

    Such orders can be used when speeds have been announced.
    """
    asked = [r.event.request for r in game.effective() if isinstance(r.event, Requested)]
    before = asked[-2] if len(asked) > 1 else None
    text = _sop_of_form(game, before, request, side)
    if before is None or not text:
        return None
    name = f"{turn_name(request.turn)}/orders/{game.order_file(before.turn, side, before.number).name}"
    judged = judge(game, text, name)
    return None if judged.faults else SideAnswer(side=side, file=name, sent=text, text=judged.text, from_form=True)


def _sop_of_form(game: GameFolder, before: Request | None, request: Request, side: str) -> str:
    """Return the orders (SOP) from the file with a side's energy form, rewritten to answer ``request``.

    ``before`` is the request for the energy form. The result is empty if there are no such orders, or if ``request``
    is not the SOP request of the same turn.
    """
    if request.form != FormKind.SOP or before is None or (before.turn, before.form) != (request.turn, FormKind.EAF):
        return ""
    path = game.order_file(before.turn, side, before.number)
    return rest_of(read_order_file(path), reply=request.number) if path.is_file() else ""


def answered_by_form(game: GameFolder, before: Request | None, request: Request, side: str) -> bool:
    """Return whether a side's file with the energy form also answered a later request of the turn.

    If so, the side did not get the later request. ``before`` is the request for the energy form, and ``request`` the
    later request.
    """
    text = _sop_of_form(game, before, request, side)
    path = game.order_file(request.turn, side, request.number)
    return bool(text) and path.is_file() and read_order_file(path) == text


def lay_aside(game: GameFolder, file: OrderFile) -> str:
    """Set an order file in force aside: rename it as an older version, and return its new name."""
    kept = _kept_as(game, file)
    try:
        patiently(file.path.replace, game.path / kept)
        sync_folder(file.path.parent)
    except OSError as error:
        raise cannot("write", file.path, error) from error
    return kept


def laid_aside(game: GameFolder, files: Iterable[OrderFile]) -> dict[str, bytes | None]:
    """Return the file changes, for a transaction, that turn order files in force into older versions.

    The result is a dict: the path of a file in the game folder to its new content, or to ``None`` if the file is to
    be deleted.
    """
    found: dict[str, bytes | None] = {}
    for file in files:
        found[_kept_as(game, file)] = read_bytes(file.path)
        found[name_of(file)] = None
    return found


def kept_names(orders: dict[str, bytes | None]) -> tuple[str, ...]:
    """Return the new names of the older versions in a result of :func:`laid_aside`."""
    return tuple(name for name, data in orders.items() if data is not None)


def name_of(file: OrderFile) -> str:
    """Return an order file's path relative to the game folder."""
    return f"{turn_name(file.turn)}/orders/{file.path.name}"


def _kept_as(game: GameFolder, file: OrderFile) -> str:
    last = max((one.version for one in game.versions(file.turn, file.side, file.number)), default=0)
    kept = game.order_file(file.turn, file.side, file.number, last + 1)
    return f"{turn_name(file.turn)}/orders/{kept.name}"


def in_force_from(game: GameFolder, asked: Request) -> list[OrderFile]:
    """Return the order files in force that answer a given request or a later one."""
    return [
        file
        for turn in game.turns()
        for file in game.order_files(turn)
        if not file.version and (turn, file.number) >= (asked.turn, asked.number)
    ]
