"""What the drafts and forms of random games offer, each line put to the check as a player would send it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind
from pbem.engine.checking.check import check
from pbem.engine.log import effective, fold
from pbem.engine.state import State
from pbem.errors import Fault
from pbem.lab.random_games.play import deal, opening, stretches
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import embedded, form_data
from pbem.reports.map.drawing import chart
from pbem.reports.view.build import build_view
from pbem.reports.view.reader_log import seen_by
from pbem.rules.power import STANDING

Json = dict[str, Any]

LEFT_TO_THE_PLAYER = "leaves-map"
"""Where a ship flies straight off the map a draft cannot know where it is to turn: whoever sends it must say so."""

_HINT = re.compile(r"\s*# \S")


def faults_of(state: State, scenario: Scenario, side: str, text: str) -> Sequence[Fault]:
    """What is wrong with orders, read from their text."""
    assert state.request is not None
    read = read_orders(text)
    found = read.faults or check(state, scenario, state.request, side, read.orders).faults
    return [fault for fault in found if fault.code != LEFT_TO_THE_PLAYER]


def drafts(key: str, turns: int) -> Iterator[tuple[str, State, Scenario, str]]:
    """Every request of the game of a key and each side that is asked: in words, and for the functions below."""
    for stretch in stretches(opening(deal(key)), turns=turns):
        request = stretch.before.request
        assert request is not None
        for side in request.sides:
            yield f"{key}, turn {request.turn}.{request.number}, {side}", stretch.before, stretch.setting, side


def in_draft(state: State, scenario: Scenario, side: str) -> list[str]:
    """What is wrong with the draft of a side: what is refused of it, and weapons of which it says nothing."""
    assert state.request is not None
    draft = draft_for(state, scenario, state.request, side)
    return [*draft_faults(state, scenario, side, draft), *weapons_left_out(state, side, draft)]


def draft_faults(state: State, scenario: Scenario, side: str, draft: str) -> list[str]:
    """What is refused of a draft: as it is, and with each of its hints."""
    lines = draft.split("\n")
    found = [f"as it is: {fault}" for fault in faults_of(state, scenario, side, draft)]
    for place, block, section in _hints(lines):
        used = [place]
        wrong = _used(state, scenario, side, lines, used)
        if wrong and section not in ("ENERGY", "PLOT"):
            # Where a form is asked for, orders live on the entries it offers; whether all of them can be paid at once
            # does not matter.
            used += [each for each, its, heading in _hints(lines) if heading == "ENERGY" and its == block]
            wrong = [fault for fault in _used(state, scenario, side, lines, used) if fault.line == place + 1]
        found += [f"{lines[place].strip()}: {fault}" for fault in wrong]
    return found


def _used(state: State, scenario: Scenario, side: str, lines: list[str], places: list[int]) -> Sequence[Fault]:
    text = [line.replace("# ", "", 1) if place in places else line for place, line in enumerate(lines)]
    return faults_of(state, scenario, side, "\n".join(text))


def _hints(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """The hints of a draft: place, block and section."""
    block = section = ""
    for place, line in enumerate(lines):
        if line[:1].isalpha():
            word = line.split(" ", 1)[0]
            block, section = (line, "") if word in ("SHIP", "SHUTTLE") else (block, word.replace("COURSE", "PLOT"))
        elif _HINT.match(line):
            yield place, block, section


def weapons_left_out(state: State, side: str, draft: str) -> list[str]:
    """Working weapons of which a draft says nothing at all where it asks for fire."""
    request = state.request
    assert request is not None
    if request.form == FormKind.EAF:
        return []
    blocks = {part.split("\n", 1)[0]: part for part in draft.split("\n\n")}
    found = []
    for ship in state.ships():
        if ship.side != side or not ship.obeys:
            continue
        block = next(part for head, part in blocks.items() if re.match(rf'SHIP "?{re.escape(ship.name)}"?\b', head))
        orders = " ".join(block.partition("\nDO")[2].partition("\nBREAK")[0].replace("##", "").split())
        # What is said once, for all of them.
        if "fire control has no energy" not in orders and "none of its weapons can be used" not in orders:
            found += [f"{ship.name} {name}" for name, box in ship.weapons.items() if box.working and name not in orders]
    return found


# --- forms ---------------------------------------------------------------------------------------------------------


TOLD = 45
"""So many faults are told of a file at once, and some more."""


class Form(NamedTuple):
    """A page's data, and what its orders are put to."""

    who: str
    state: State
    scenario: Scenario
    side: str
    held: Json

    def refused(self, head: str, lines: Sequence[str], section: str = "DO", energy: Sequence[str] = ()) -> set[str]:
        """Those of the lines that are refused below the heading of a block, under these entries of its form."""
        block = next(each for each in self.held["blocks"] if each["head"] == head)
        rows = [self.held["request"]["header"], head]
        if block["energy"]:
            rows += ["ENERGY", *(f"  {entry}" for entry in energy)]
        rows.append(section)
        refused: set[str] = set()
        for start in range(0, len(lines), TOLD):
            these = lines[start : start + TOLD]
            wrong = {fault.line for fault in self.faults([*rows, *(f"  {line}" for line in these)])}
            refused |= {line for number, line in enumerate(these, start=len(rows) + 1) if number in wrong}
        return refused

    def faults(self, lines: Sequence[str]) -> list[Fault]:
        """What is wrong with a file of these lines. Left aside is what the rest of a file would have to say: want of
        power, the blocks of other ships.
        """
        found = faults_of(self.state, self.scenario, self.side, "\n".join([*lines, "END", ""]))
        return [it for it in found if it.code != "ship-missing" and not it.code.endswith("overspent")]


def forms(key: str, turns: int, every: int = 1) -> Iterator[Form]:
    """The forms of the game of a key, of every so many requests."""
    begun = opening(deal(key))
    records = list(begun.records)
    for number, stretch in enumerate(stretches(begun, turns=turns)):
        request = stretch.before.request
        assert request is not None
        for side in request.sides if number % every == 0 else ():
            draft = draft_for(stretch.before, stretch.setting, request, side)
            drawn = chart(build_view(records, side, scenario=stretch.setting))
            state = fold(seen.event for seen in seen_by(effective(records), side, None))
            held = json.loads(embedded(form_data(state, stretch.setting, side, drawn, draft)))
            who = f"{key}, turn {request.turn}.{request.number}, {side}"
            yield Form(who, stretch.before, stretch.setting, side, held)
        records += stretch.records


def form_faults(form: Form) -> Iterator[str]:
    """Whatever a form offers and the check refuses, or the other way round."""
    request = form.held["request"]
    if (
        bool(faults_of(form.state, form.scenario, form.side, f"{request['header']}\nCONTINUE\nEND\n"))
        == request["continues"]
    ):
        yield "CONTINUE"
    for block in form.held["blocks"]:
        for look in (_speeds, _entries, _weapons, _acts, _choices, _ways):
            if look in (_speeds, _entries) or request["form"] != FormKind.EAF:
                yield from (f"{block['head']}: {what}" for what in look(form, block))


def _speeds(form: Form, block: Json) -> Iterator[str]:
    """Every speed that can be announced, and none that cannot; where there is no choice, none."""
    speeds, start = block["speeds"], [form.held["request"]["header"], block["head"]]
    if speeds is None:
        return
    top = speeds["top"]
    taken = [n for n in range(top + 2) if not form.faults([*start, f"SPEED {n}"])]
    if not 0 <= speeds["now"] <= top:
        yield f"speed {speeds['now']} of {top}"
    if speeds.get("fixed"):
        if speeds["now"] != top or not {*taken} <= {top}:
            yield f"the speed is fixed at {top}, and these are taken: {taken}"
    elif taken != list(range(top + 1)):
        yield f"speeds up to {top} are offered, taken are {taken}"


def options(field: Json) -> list[str]:
    """The entries that a field of the form may hold."""
    series = field.get("series", {"to": 0})
    counted = [f"{series['text']}{points}" for points in range(1, series["to"] + 1)]
    mixes = [mix["text"] for option in field["options"] for mix in option.get("mixes", ())]
    return [option["text"] for option in field["options"] if option["text"]] + counted + mixes


def _entries(form: Form, block: Json) -> Iterator[str]:
    """Every entry of the energy form by itself."""
    if not block["energy"]:
        return
    start = [form.held["request"]["header"], block["head"], "ENERGY"]
    for field in block["energy"]["fields"]:
        for entry in options(field):
            yield from (f"{entry}: {fault}" for fault in form.faults([*start, f"  {entry}"]))


def _paying(block: Json) -> list[str]:
    """Entries that give every system all it can have."""
    fields = block["energy"]["fields"] if block["energy"] else []
    return [_best(field) for field in fields if field["line"] in (9, 10, 17, 18, 19) and options(field)]


def _best(field: Json) -> str:
    ready = [each["text"] for each in field["options"] if each.get("charge") in ("armed", "powered")]
    return ready[0] if ready else options(field)[-1 if field["line"] == 9 or "series" in field else 0]


def _weapons(form: Form, block: Json) -> Iterator[str]:
    """A weapon is idle, needs energy, may not be aimed at something or used in some impulse just when the check says
    so.
    """
    head, paying = block["head"], _paying(block)
    first, last = form.held["request"]["first"], form.held["request"]["through"]
    others = [unit for unit in form.held["units"] if unit["name"] != block["name"]]
    for weapon in block["weapons"]:
        order = f"{weapon['verb']} {weapon['name']} AT"
        anybody = f"{order} NEAREST ENEMY SHIP"
        if bool(weapon["idle"]) != bool(form.refused(head, [anybody], energy=paying)):
            yield f"{weapon['name']} idle: {weapon['idle']!r}"
        if weapon["idle"]:
            continue
        if bool(weapon["needs"]) != bool(form.refused(head, [anybody])):
            yield f"{weapon['name']} needs: {weapon['needs']!r}"
        yield from _unpaid(form, block, anybody, weapon["unpaid"])
        aimed = {unit["name"]: f"{order} {unit['say']}" for unit in others}
        wrong = form.refused(head, list(aimed.values()), energy=paying)
        if {name for name, text in aimed.items() if text in wrong} != set(weapon["not"]):
            yield f"{weapon['name']} may not be aimed at {sorted(weapon['not'])}"
        moments = {at: f"AT {at} {anybody}" for at in range(first, last + 1)}
        shut = form.refused(head, list(moments.values()), energy=paying)
        late = {str(at) for at, text in moments.items() if text in shut}
        if late != set(weapon.get("closed", ())):
            yield f"{weapon['name']} closed in {sorted(weapon.get('closed', ()))}, not in {sorted(late)}"
        fields = block["energy"]["fields"] if block["energy"] else []
        for option in [each for field in fields if field["id"] == weapon["name"] for each in field["options"]]:
            used = not form.refused(head, [anybody], energy=[option["text"]] if option["text"] else [])
            if used != option["uses"]:
                yield f"{weapon['name']} with {option['text']!r} can be used: {option['uses']}"


def _all_power(block: Json) -> int:
    """The points of all sources together, batteries included."""
    return sum(int(points) for points in block["energy"]["power"].values())


def _acts(form: Form, block: Json) -> Iterator[str]:
    """What is offered without a word is taken as it stands, what needs energy when one of the fields that pay for it
    holds something.
    """
    head, paying = block["head"], _paying(block)
    fields = {field["id"]: field for field in (block["energy"]["fields"] if block["energy"] else ())}
    # IT stands for the unit of a condition, which stands before the order.
    texts = [f"IF ENEMY WITHIN 1 THEN {act['text']}" if act["it"] else act["text"] for act in block["acts"]]
    if len(set(texts)) < len(texts):
        yield "the same twice"
    bare, paid = form.refused(head, texts), form.refused(head, texts, energy=paying)
    for act, text in zip(block["acts"], texts, strict=True):
        if bool(act["needs"]) != (text in bare) or bool(act["spoiled"]) != (text in paid) or text in bare & paid:
            yield f"{text}: needs {act['needs']!r}, spoiled {act['spoiled']!r}"
        entries = [_best(fields[name]) for name in act["by"] if name in fields and options(fields[name])]
        if act["needs"] and all(form.refused(head, [text], energy=[entry]) for entry in entries):
            yield f"{text}: none of {act['by']} pays for it"
        if text not in paid:
            yield from _unpaid(form, block, text, act["unpaid"])
        for left, why in enumerate(act["drained"]):
            if not form.refused(head, [text], energy=[f"GENERAL {_all_power(block) - left}"]):
                yield f"{text}: with {left} in the batteries {why!r}"


def _unpaid(form: Form, block: Json, text: str, told: Json) -> Iterator[str]:
    """Which standing costs a line hangs on that the form lets one leave out."""
    fields = block["energy"]["fields"] if block["energy"] else []
    for name in [field["id"] for field in fields if any(option.get("warn") for option in field["options"])]:
        if name in STANDING and (name in told) != bool(
            form.refused(block["head"], [text], energy=[*_paying(block), f"{name} 0"])
        ):
            yield f"{text}: without {name}, told: {told!r}"


def _choices(form: Form, block: Json) -> Iterator[str]:
    """Units for conditions, boxes for damage, and the block of the shuttle to come."""
    head = block["head"]
    names = [f"{name} WITHIN 1" for name in block["names"]]
    if block["kind"] == "ship":
        yield from form.refused(head, names, section="BREAK")
        boxes = [f"{kind} {box} {place}" for kind, found in block["damage"].items() for box in found
                 for place in ("FIRST", "LAST")]  # fmt: skip
        yield from form.refused(head, boxes, section="DAMAGE")
    launch = [act["text"] for act in block["acts"] if act["text"].startswith("LAUNCH SHUTTLE") and not act["needs"]]
    if launch and bool(block["boat"]) != form.scenario.uses("shuttles"):
        yield f"a block for its shuttle: {block['boat']!r}"
    if launch:
        start = [form.held["request"]["header"], head, *(["ENERGY"] if block["energy"] else ())]
        lines = [*start, "DO", f"  {launch[0]}", *block["boat"].split("\n")]
        yield from (str(fault) for fault in form.faults(lines))


def _ways(form: Form, block: Json) -> Iterator[str]:
    """First codes of a course that is not the ship's to choose; whether it may leave the map."""
    start = [form.held["request"]["header"], block["head"], *(["ENERGY"] if block["energy"] else ())]

    def taken(plot: str) -> bool:
        return all(fault.code not in ("scripted", "no-leaving") for fault in form.faults([*start, f"PLOT {plot}"]))

    codes = ("F", "L", "R", "SL", "SR")
    script = block["script"] or {"first": codes, "later": codes}
    for code in codes:
        if taken(code) != (code in script["first"]) or taken(f"F {code}") != (code in script["later"]):
            yield f"{code} among {script}"
    if taken("LEAVE MAP") != block["may_leave"] and not block["script"]:
        yield f"it may leave the map: {block['may_leave']}"
