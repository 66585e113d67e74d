"""Headers and forms that fit the request in force and those that do not: headers.txt has every fault at its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import msgspec
from pytest import fixture, mark

from pbem.data.terms import FormKind, UnitFate
from pbem.engine.log import fold_records
from pbem.engine.relations import all_awaited
from pbem.engine.state import Request, Side, StandingOrders, State
from pbem.games import vassal_files
from pbem.games.answers import digest, form_faults, has_sop, judge, judged_on, normal_form, side_named
from pbem.games.segments import opening
from pbem.games.storage.folder import GameFolder
from pbem.orders.reader import read_orders

replace = msgspec.structs.replace

HEADERS = (
    "GAME duel TURN 1 SIDE federation REPLY 1",
    "game Duel turn 1 side Federation reply 1 form eaf",
    "GAME duel TURN 1 SIDE fed REPLY 1 FORM FULL",
    "GAME duel TURN 1 SIDE federation REPLY 1 FORM SOP",
    "GAME duel TURN 1 SIDE fe REPLY 1",
    "GAME duel TURN 1 SIDE romulan REPLY 1",
    "GAME duel TURN 1 SIDE klingon REPLY 1",
    "GAME other TURN 1 SIDE federation REPLY 1",
    "GAME duel TURN 1 REPLY 1",
    "SIDE federation TURN 1 REPLY 1",
    "GAME duel SIDE federation",
    "GAME duel SIDE federation REPLY 1",
    "GAME duel SIDE federation REPLY 2",
    "GAME duel SIDE federation TURN 1",
    "GAME duel TURN 2 SIDE federation REPLY 1",
    "GAME duel TURN 2 SIDE federation REPLY 2",
    "GAME duel TURN 0 SIDE federation REPLY 3",
    "GAME duel TURN 1 SIDE federation REPLY 0",
    "GAME duel TURN 1 SIDE federation REPLY 2",
    "GAME other TURN 3 SIDE romulan REPLY 4 FORM SOP",
    "GAME duel\nTURN 1\n  SIDE federation\nREPLY 2",
    "Hello Ann,\n\n  GAME duel TURN 2\nSIDE federation REPLY 1",
    "GAME duel TURN one SIDE federation REPLY 1",
    "GAME duel TURN 1 SIDE federation REPLY first",
    "GAME duel TURN SIDE federation REPLY 1",
    "GAME duel TURN 1 SIDE federation REPLY 1 FORM XYZ",
    "TURN 1 REPLY 1",
    "",
)
BODIES = {
    "energy": "SHIP Constellation\nENERGY\n  SPEED 12\nEND\n",
    "SOP": "SHIP Constellation\nPLOT 2F\nEND\n",
    "CONTINUE": "CONTINUE\nEND\n",
    "nothing": "END\n",
    "what cannot be read": "SHIP Constellation\nENERGY\n  SPEED 12\n  FOO 1\n  SPEED 99\nEND\n",
    "a strange ship": "SHIP Destruction\nENERGY\nEND\n",
}
FULL = HEADERS[0]


@fixture(scope="module")
def beginning(tmp_path_factory: Any) -> tuple[GameFolder, State]:
    from pbem.games.create import new
    from pbem.games.storage.opening import opened

    folder = tmp_path_factory.mktemp("headers") / "duel"
    new("5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="headers")
    with opened(folder) as game:
        return game, fold_records(opening(game.terms))


def states(state: State) -> Iterator[tuple[str, State]]:
    """What may be asked, by name."""
    assert state.request is not None
    yield "at the beginning", state
    sides = {
        **state.sides,
        "federation": Side(name="federation", team="a", robot=True),
        "federated": Side(name="federated", team="b"),
    }
    yield "federation is the robot's, and there is one more side", replace(state, sides=sides)
    yield "klingon is asked", replace(state, request=replace(state.request, sides=("klingon",)))
    away = {name: replace(unit, gone=UnitFate.NOT_YET) for name, unit in state.units.items()}
    asked = replace(state.request, sides=("klingon",), number=3)
    yield "klingon is asked, no ship has come", replace(state, units=away, request=asked)
    yield "it is over", replace(state, request=None, over=True)
    orders = replace(state.request, form=FormKind.SOP, impulse=5, number=2)
    standing = {"federation": StandingOrders(text="SHIP Constellation\nPLOT 3F\n", request=1)}
    yield "orders are asked", replace(state, request=orders)
    yield "orders are asked, some stand", replace(state, request=orders, standing=standing)
    yield "orders of a new turn are asked", replace(state, request=replace(orders, impulse=0), standing=standing)
    yield "both are asked", replace(state, request=replace(state.request, form=FormKind.FULL))


def judged(game: GameFolder, state: State, text: str) -> Iterator[str]:
    found = judged_on(state, game.scenario(), text, "my.orders")
    yield f"    side {found.side or '?'}" + f", of {len(found.text)} letters, {len(found.lines)} lines" * bool(
        found.text
    )
    assert found.request == state.request and all(fault.file == "my.orders" for fault in found.faults)
    for one in found.faults:
        yield f"    {one.line}:{one.column} {one.code}: {one.text}" + f" ({one.rule})" * bool(one.rule)


def test_every_header_is_judged_as_it_was(
    beginning: tuple[GameFolder, State], as_kept: Callable[[str, str], None]
) -> None:
    game, first = beginning
    lines = []
    for name, state in states(first):
        lines.append(f"==== {name}")
        for header in HEADERS if state is first or "robot" in name else (*HEADERS[:8], *HEADERS[10:15]):
            lines += [
                header.replace("\n", " | ") or "(no header)",
                *judged(game, state, f"{header}\n{BODIES['energy']}"),
            ]
        for what, body in BODIES.items():
            reply = state.request.number if state.request else 1
            lines += [f"{what}:", *judged(game, state, f"{FULL.replace('REPLY 1', f'REPLY {reply}')}\n{body}")]
    as_kept("headers.txt", "\n".join(lines) + "\n")


def test_a_legal_form_is_told_with_its_energy(beginning: tuple[GameFolder, State]) -> None:
    game, _ = beginning
    found = judge(game, f"{FULL}\nSHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\nEND\n", "")
    assert (found.side, found.faults, found.plots, found.notes) == ("federation", (), (), ())
    assert found.lines == ((4, "SPEED 12", "legal", ""), (5, "PHASERS 2", "legal", ""))
    ((ship, lines),) = found.balance
    assert ship == "Constellation" and lines[0] == " 1  WARP ENGINES                    16"
    assert lines[13] == "14  MOVEMENT                        12  11 warp + 1 impulse"
    assert found.text == f"{FULL}\n\nSHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\n\nEND\n"


@mark.parametrize(
    ("name", "side"),
    [("federation", "federation"), ("FEDERATION", "federation"), ("fed", "federation"), ("fe", ""), ("", ""),
     ("klingo", "klingon"), ("klingons", ""), ("kl", ""), ("ki", "ki"), ("rom", ""), ("romulan", "romulan"),
     ("romulan 2", "romulan 2"), ("romulan ", "romulan 2")],
)  # fmt: skip
def test_a_side_by_its_beginning(name: str, side: str) -> None:
    sides = {one: Side(name=one, team=one) for one in ("federation", "klingon", "romulan", "romulan 2", "ki")}
    assert side_named(cast(State, SimpleNamespace(sides=sides)), name) == side


@mark.parametrize(
    ("body", "more"),
    [("ENERGY\n SPEED 3", False), ("PLOT 2F", True), ("DO\n AT 3 FIRE PH 1 AT x", True), ("BREAK IMPULSE 3", True),
     ("DAMAGE\n WEAPON PH 1 LAST", True), ("", False)],
)  # fmt: skip
def test_what_is_more_than_energy(body: str, more: bool) -> None:
    assert has_sop(read_orders(f"GAME x TURN 1 SIDE y REPLY 1\nSHIP z\n{body}\nEND\n").orders) is more


def test_what_goes_on_and_what_does_not(beginning: tuple[GameFolder, State]) -> None:
    _, state = beginning
    assert normal_form("GAME x TURN 1 SIDE y REPLY 1\nCONTINUE\nEND\n", "federation", "duel") == "CONTINUE"
    text = normal_form("GAME DUEL TURN 1 SIDE fed REPLY 1\nship z\nplot 2f", "federation", "duel")
    assert text == "GAME duel TURN 1 SIDE federation REPLY 1\n\nSHIP z\nPLOT 2F\n\nEND\n"
    assert digest("ä\udcff") == digest("ä?") and len(digest("")) == 64
    assert isinstance(state.request, Request)
    both = read_orders("GAME x TURN 1 SIDE y REPLY 1\nCONTINUE\nSHIP z\nPLOT F\nEND\n").orders
    assert form_faults(state, state.request, "federation", both) == []


def test_a_side_is_awaited_while_none_of_its_ships_has_come(beginning: tuple[GameFolder, State]) -> None:
    _, state = beginning
    assert not all_awaited(state, "federation") and not all_awaited(state, "nobody")
    ship = next(unit for unit in state.units.values() if unit.side == "federation")
    coming = {**state.units, ship.name: replace(ship, gone=UnitFate.NOT_YET)}
    assert all_awaited(replace(state, units=coming), "federation") and not all_awaited(
        replace(state, units=coming), "klingon"
    )
    second = {**coming, "Second": replace(ship, name="Second", gone=UnitFate.DESTROYED)}
    assert not all_awaited(replace(state, units=second), "federation")


def test_what_is_written_for_who_is_not_asked_names_no_request(beginning: tuple[GameFolder, State]) -> None:
    game, first = beginning
    for name, state in states(first):
        seen = cast(GameFolder, SimpleNamespace(state=lambda state=state: state, terms=game.terms))
        for side in ("federation", "klingon"):
            found, asked = vassal_files.header(seen, side), state.request
            named = (asked.turn, asked.number) if asked is not None and side in asked.sides else (None, None)
            assert (found.game, found.side, found.turn, found.reply) == ("duel", side, *named), name
