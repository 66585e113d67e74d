"""The text sitrep (situation report): a complete report for one reader, at most 78 columns wide.

The sitrep has the layout that email players have used since 1996. :func:`sitrep_text` lists its sections in order,
from the heading and the requested orders to the dice proof. ``pbem verify --sent`` and the proof page read the
values in the dice proof section. Each value in it is therefore alone at the end of a short line, so that email
programs do not wrap it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pbem.engine.step_names import TITLES
from pbem.reports.text import sentences
from pbem.reports.view.mission import Mission
from pbem.reports.view.model import EventSentence, OrderResult, Proof, ReportView, SegmentProof, UnitStatus

_NAMES = 12
"""Width in columns of the names of values in the dice proof section."""


def proof_lines(game: str, proof: Proof) -> list[str]:
    """Return the lines of the dice proof section without its title; the same proof always gives the same lines."""
    if proof.segments:
        lines = [
            "Keep this sitrep. After the game you get an archive. Its page recomputes",
            "every die and compares it with these lines.",
        ]
    else:
        lines = ["Keep this sitrep: these hashes fix the dice before anybody has given orders."]
    lines += [f"Dice of {game}, scheme {proof.scheme}", _line("committed", proof.commitment)]
    if proof.salts:
        lines.append(_line("salts", proof.salts))
    if proof.beacon:
        lines.append(_line("beacon", f"{proof.beacon} (quicknet), the round told when orders are sealed"))
    for segment in proof.segments:
        lines += _segment(segment)
    return lines


def _segment(segment: SegmentProof) -> list[str]:
    lines = [
        f"Segment {segment.segment}: request {segment.request} of turn {segment.turn}",
        *(["  played, and taken back by the umpire"] if segment.taken_back else []),
        _line("link", segment.link),
        _line("log", segment.log),
    ]
    if segment.beacon:
        number, _, value = segment.beacon.partition(":")
        lines += [f"  beacon, round {number}", _line("", value)]
    if segment.salt:
        lines.append(_line("your salt", segment.salt))
    for side, seal in segment.seals:
        lines += [f"  orders of {side}", _line("", seal)]
    return lines


def _line(name: str, value: str) -> str:
    return f"  {name.ljust(_NAMES)}{value}"


WIDTH = 78


def sitrep_text(view: ReportView) -> str:
    """Return the whole text sitrep, ending in a newline; the same view always gives the same text."""
    parts = [
        _heading(view),
        _owed(view),
        section("MESSAGES", message_lines(view)),
        section("WHAT THIS GAME IS ABOUT", mission_lines(view.mission) if view.mission and view.mission.fresh else []),
        section("SINCE YOUR LAST SITREP" if view.side else f"TURN {view.shown} IN SHORT", _since(view)),
        section("CURRENT POSITIONS", _positions(view)),
        section(f"MOVEMENT, TURN {view.shown}", _movement(view)),
        section(f"ACTIVITIES, TURN {view.shown}", _activities(view)),
        section(f"DAMAGE, TURN {view.shown}", _damage(view)),
        section("LUCK", _luck(view)),
        section("SHIPS", _ships(view)),
        section("YOUR ORDERS" if view.plays else "ORDERS", _orders(view)),
        section("YOUR ENERGY AND ARMING" if view.plays else "ENERGY AND ARMING", _energy(view)),
        section("HOUSE RULES", _house_rules(view)),
        section("AUTOMATIC BREAKS IN FORCE", _autobreaks(view)),
        section("DICE PROOF", proof_lines(view.game, view.proof) if view.proof else []),
    ]
    lines = [line for part in parts if part for line in [*part, ""]]
    return "\n".join(line.rstrip() for line in lines[:-1]) + "\n"


def section(title: str, body: Sequence[str]) -> list[str]:
    """Return a title followed by the lines of a section, or an empty list if there are no lines."""
    return [f"--- {title} ".ljust(WIDTH, "-"), *body] if body else []


def wrap(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return a paragraph as lines that are wrapped to the width of the sitrep.

    Args:
        text: The paragraph.
        first: Indentation or label of the first line.
        rest: Indentation of later lines; by default two columns more than ``first``.
    """
    if len(first) + len(text) <= WIDTH and text.isprintable() and text[-1:].strip():
        return [first + text]  # the usual case: one line without special characters
    return list(_wrapped(text, first, " " * (len(first) + 2) if rest is None else rest))


@lru_cache(maxsize=256)
def _wrapped(text: str, first: str, rest: str) -> tuple[str, ...]:
    """Return the lines of a wrapped paragraph, from a cache if possible.

    Most paragraphs in one reader's sitrep occur in the sitreps of other readers too.
    """
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return tuple(lines) or (first.rstrip(),)


def cut(text: str, width: int) -> str:
    """Return text shortened to at most ``width`` characters; a shortened text ends in ``~``."""
    return text if len(text) <= width else text[: width - 1] + "~"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], widest: int = 24) -> list[str]:
    """Return rows of text as the lines of a table, with columns as wide as their content and two spaces apart.

    Cells longer than ``widest`` are cut. The last column may extend to the margin and is wrapped there.
    """
    cells = [[cut(cell, widest) for cell in row[:-1]] + [row[-1]] for row in (head, *rows)]
    columns = [max(len(row[place]) for row in cells) for place in range(len(head) - 1)]
    lines = []
    for row in cells:
        start = "".join(cell.ljust(width) + "  " for cell, width in zip(row[:-1], columns, strict=True))
        lines += wrap(row[-1], start, " " * len(start)) if row[-1] else [start.rstrip()]
    return lines


def _heading(view: ReportView) -> list[str]:
    lines = wrap(view.subject)
    scenario = view.mission.name if view.mission else f"scenario {view.scenario}"
    lines += wrap(f"{scenario}, {view.level} level, {view.impulses} impulses a turn")
    if view.mission and not view.mission.fresh and not view.over:
        lines += wrap("For the mission, victory conditions and weapon charts, see sitrep.html or your first sitrep.")
    for player in view.players:
        who = "robot" if player.robot else player.player or "player not named"
        team = f", team {player.team}" if player.team not in ("", player.side) else ""
        lines += wrap(f"{player.side}: {who}{team}", "  ")
    lines += wrap(f"This sitrep is for {view.reader}.")
    if view.figures:
        lines += wrap(view.figures)
    return lines


def _owed(view: ReportView) -> list[str]:
    if view.over:
        told = [f"{sentences.because(f'{o.side}: {o.result}', o.why)}." for o in view.outcome]
        return section(
            "THE GAME IS OVER", [line for text in told for line in wrap(text, "  ")] or ["  No more orders."]
        )
    owed = view.owed
    if owed is None:
        return []
    body = wrap(f"Request {owed.number}, form {owed.form} ({owed.wants}): {owed.stretch}.", "  ", "  ")
    body += wrap(f"Needed from: {', '.join(owed.sides)}.", "  ", "  ")
    if owed.reason:
        body += wrap(f"Why: {owed.reason}.", "  ", "  ")
    if owed.mine:
        # the header is never wrapped, even if names are long
        body += ["  Begin your answer with this line:", f"    {owed.header}"]
        body += wrap(
            "Or open the form orders.html in a browser: fill it in, and copy its text into your answer.", "  ", "  "
        )
        return section("ORDERS WANTED FROM YOU", body)
    if view.plays:
        body += ["  You do not need to send orders now; your orders stay in force."]
    return section("ORDERS WANTED", body)


def mission_lines(mission: Mission) -> list[str]:
    """Return the lines about the mission, for a player's first sitrep.

    Charts and glossary are not included; only the report page and the order form have them.
    """
    paragraphs = [mission.situation]
    alone = len(mission.tasks) == 1
    paragraphs += [task.text if alone else f"{task.side}: {task.text}" for task in mission.tasks]
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += [*wrap(paragraph, "  ", "  "), ""]
    for title, points in (("Victory conditions:", mission.victory), ("Rules of this scenario:", mission.rules)):
        if points:
            lines += [f"  {title}", *(line for point in points for line in wrap(point, "  - ", "    ")), ""]
    if mission.first:
        lines += [*wrap(f"If this is new to you: {mission.first}", "  ", "  "), ""]
    charts = "The weapon charts and the words of the game (FA, turn mode, reinforcement ...)"
    return [*lines, *wrap(f"{charts} are in sitrep.html.", "  ", "  ")]


def message_lines(view: ReportView) -> list[str]:
    """Return the messages to the reader.

    Each line begins with ``| ``, so that no message can imitate a part of the sitrep.
    """
    lines: list[str] = []
    for word in view.words:
        lines += [""] * bool(lines) + [f"  {word.author} to {word.to}:"]
        for paragraph in word.text.split("\n"):
            lines += wrap(paragraph, "    | ", "    | ") if paragraph.strip() else ["    |"]
    return lines


def _since(view: ReportView) -> list[str]:
    lines = []
    for said in view.since:
        lines += wrap(said.text, f"  {_moment(said):<5} ", " " * 8)
    return lines or ["  Nothing has happened."]


def _moment(said: EventSentence) -> str:
    return f"{said.turn}.{said.impulse}"


def _position(unit: UnitStatus) -> tuple[str, ...]:
    """Return a unit's row in the table of positions, as a tuple of cells."""
    if unit.gone:
        where, note = "-", unit.gone
    else:
        where = unit.at
        notes = [f"target {unit.target}" if unit.target else "", *unit.marks]
        notes.append(f"until {unit.last_impulse}" if unit.last_impulse else "")
        note = ", ".join(part for part in notes if part)
    speed = "-" if unit.gone or unit.kind == "planet" else str(unit.speed)
    return unit.name, where, speed, unit.side or "-", unit.type, note


def _positions(view: ReportView) -> list[str]:
    rows = [_position(unit) for unit in view.units]
    lines = table(("SHIP", "HEX", "SPEED", "SIDE", "TYPE", ""), rows, 18) if rows else []
    for bearing in view.bearings:
        faces = ""
        if bearing.shields:
            faces = f", {_shields(bearing.shields)}"
            faces += f" to {_shields(bearing.other_shields)}" if bearing.other_shields else " faces it"
            faces += "" if bearing.range else ", as they met (D3.42)"
        lines += wrap(f"{bearing.unit} to {bearing.other}: range {bearing.range}{faces}", "  ")
    lines += wrap(f"asteroids in {', '.join(view.asteroids)}", "  ") if view.asteroids else []
    for quarry in view.quarry:
        known = "; ".join(f"{fact.what}: {fact.words}" for fact in quarry.facts)
        lines += wrap(f"{quarry.unit} ({quarry.kind}); {known}", "  ")
    return lines


def _shields(numbers: Sequence[int]) -> str:
    return "/".join(f"#{number}" for number in numbers)


def _movement(view: ReportView) -> list[str]:
    """Return the lines of the movement table, with one row per impulse and one column per unit.

    If the units do not fit into the width, there are several tables.
    """
    columns = []
    names: set[str] = set()
    for track in view.tracks:
        name = cut(track.unit, 13)
        serial = 2
        while name in names:
            name = f"{cut(track.unit, 12 - len(str(serial)))}~{serial}"
            serial += 1
        names.add(name)
        columns.append((name, {point.impulse: point.at for point in track.points}))
    last = max((point for _, cells in columns for point in cells), default=0)
    lines: list[str] = []
    while columns:
        block, width = [], 3
        while columns and width + max(5, len(columns[0][0])) + 2 <= WIDTH:
            width += max(5, len(columns[0][0])) + 2
            block.append(columns.pop(0))
        if lines:
            lines.append("")
        lines.append("IMP" + "".join(f"  {name:<5}" for name, _ in block))
        for impulse in range(last + 1):
            row = "".join(f"  {cells.get(impulse, ''):<{max(5, len(name))}}" for name, cells in block)
            lines.append(f"{impulse or 'at':>3}{row}".rstrip())
    return lines


def _activities(view: ReportView) -> list[str]:
    lines: list[str] = []
    moment = (-1, "")
    for said in view.said:
        if said.place != "activity":
            continue
        if (said.impulse, said.step) != moment:
            where = f"Impulse {said.impulse}" if said.impulse else "Before impulse 1"
            step = TITLES.get(said.step, said.step)
            lines += wrap(f"{where}: {step}" if step else where)
            moment = (said.impulse, said.step)
        mark = "*" if said.fresh else " "
        rule = f" ({said.rule})" if said.rule else ""
        labels = [die.label for die in (said.die, *said.more_dice) if die is not None and die.label]
        roll = f" [{'; '.join(labels)}]" if labels else ""
        lines += wrap(f"{said.text}{rule}{roll}", f"  {mark} ", "      ")
    return ["(* new since your last sitrep; [label] of each die)", *lines] if lines else []


def _damage(view: ReportView) -> list[str]:
    if not view.harm:
        return []
    rows = [
        (
            str(harm.impulse),
            harm.unit,
            f"#{harm.shield}" if harm.shield else "-",
            str(harm.points),
            str(harm.reinforcement),
            str(harm.boxes),
            str(harm.internals),
            str(harm.left),
            ", ".join(harm.scored),
        )
        for harm in view.harm
    ]
    return table(("IMP", "UNIT", "ON", "PTS", "REINF", "BOXES", "INT", "LEFT", "INTERNALS SCORED ON"), rows, 15)


def _luck(view: ReportView) -> list[str]:
    """Return lines that compare each volley of the turn with its odds, then lines on each side's luck.

    The luck of a side covers the whole game.
    """
    rows = [
        (
            f"{luck.turn}.{luck.impulse}",
            luck.side,
            f"{luck.unit} #{luck.shield}" if luck.shield else luck.unit,
            str(luck.points),
            luck.expected,
            luck.chance,
        )
        for luck in view.lucks
    ]
    lines = table(("WHEN", "SIDE", "AT", "PTS", "AVERAGE", "CHANCE OF THIS OR MORE"), rows) if rows else []
    for one in view.fortunes:
        lines += wrap(
            f"In the game so far, {one.side} has scored {one.points}; the average is {one.expected} ({one.luck})."
        )
    return lines


def _ships(view: ReportView) -> list[str]:
    lines = []
    for ssd in view.ssds:
        gone = f", {ssd.gone}" if ssd.gone else ""
        lines += wrap(f"{ssd.unit} ({ssd.side} {ssd.type}){gone}; internals so far {ssd.internals}")
        shields = "  ".join(f"{box.name} {box.now}/{box.start}" for box in ssd.shields)
        lines += wrap(f"shields  {shields}", "  ", " " * 11)
        systems = ", ".join(f"{box.name} {box.now}/{box.start}" for box in ssd.systems)
        lines += wrap(f"boxes    {systems or 'none'}", "  ", " " * 11)
        weapons = "; ".join(box.name + (f": {box.words}" if box.words else "") for box in ssd.weapons)
        lines += wrap(f"weapons  {weapons or 'none'}", "  ", " " * 11)
        facts = "; ".join(f"{fact.what}: {fact.words}" for fact in ssd.facts)
        lines += wrap(f"state    {facts}", "  ", " " * 11) if facts else []
    return lines


def _orders(view: ReportView) -> list[str]:
    lines: list[str] = []
    for orders in view.orders:
        if not orders.worth_telling() and not orders.more:
            continue
        how = "unchanged (CONTINUE)" if orders.continued else orders.form
        if orders.past:
            lines += wrap(f"{orders.side}, request {orders.request}, {how}: {orders.standing}, reported before")
            continue
        lines += wrap(f"{orders.side}, request {orders.request}, {how}: {orders.standing}")
        for line in orders.worth_telling():
            text = line.text.lstrip()
            indent = " " * min(8, len(line.text) - len(text))
            lines += wrap(text, f"  {line.line:>3} {indent}", f"{indent}{' ' * 10}")
            lines += _told(line.told, line.text)
            if line.silent:
                lines += wrap(f"-> {silence(line.silent, line.why)}", " " * 6, " " * 9)
        lines += _told(orders.more, "")
    for choice in view.choices:
        chosen = sentences.chosen(choice.unit, choice.order, choice.reason)
        lines += wrap(f"{choice.turn}.{choice.impulse} {chosen}", "  ", "      ")
    return lines


def silence(silent: str, why: str) -> str:
    """Return a remark on an order that has no result or did nothing, such as ``waiting``."""
    if silent == "waits":
        return f"{silent}: {why}" if why else "waiting"
    return f"{silent}: {why or 'its time or condition did not occur'}"


def _told(told: Iterable[object], text: str) -> list[str]:
    lines = []
    for this in told:
        assert isinstance(this, OrderResult)
        order = f"{this.order}: " if this.order and this.order.strip() != text.strip() else ""
        rule = f" ({this.rule})" if this.rule else ""
        lines += wrap(
            f"-> impulse {this.impulse}: {order}{sentences.because(this.result, this.reason)}{rule}", " " * 6, " " * 9
        )
    return lines


def _energy(view: ReportView) -> list[str]:
    lines = []
    for energy in view.energy:
        lines += wrap(energy.unit)
        if energy.lines:
            lines += wrap("form     " + "; ".join(energy.lines), "  ", " " * 11)
        left = [f"capacitor {sentences.number(energy.capacitor)}", f"charged batteries {energy.batteries}"]
        if energy.general:
            left.append(f"general reinforcement {energy.general}")
        left += [f"reinforcement #{n} {count}" for n, count in enumerate(energy.reinforcement, start=1) if count]
        lines += wrap("left     " + ", ".join(left), "  ", " " * 11)
        arming = next((ssd.weapons for ssd in view.ssds if ssd.unit == energy.unit), ())
        ready = "; ".join(f"{box.name} {box.words or 'not armed'}" for box in arming if box.arms)
        lines += wrap("arming   " + (ready or "no weapons"), "  ", " " * 11)
        systems = "; ".join(f"{fact.what}: {fact.words}" for fact in energy.systems)
        lines += wrap("systems  " + systems, "  ", " " * 11) if systems else []
    return lines


def _house_rules(view: ReportView) -> list[str]:
    lines = []
    for rule in view.house:
        first = f"  {rule.number}. " if rule.number else "  option "
        alone = f", told to {rule.private} alone" if rule.private else ""
        lines += wrap(f"{rule.text} (since {rule.since}{alone})", first, " " * 5)
    return lines


def _autobreaks(view: ReportView) -> list[str]:
    lines = []
    for when, whose in view.autobreaks:
        lines += wrap(f"{when} ({'asks everybody' if whose == 'all' else f'asks {whose}'})", "  ")
    return lines
