"""Read a block of orders, i.e. all orders for one ship or shuttle.

:class:`Block` collects the orders of the unit. The first words of a line, and the section the line is in, decide
what kind of order the line is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

import msgspec

from pbem.data.files import own_figures
from pbem.orders import model as om, phrases, vocabulary as words, writer
from pbem.orders.activities import VERBS, read_activities, target_of
from pbem.orders.condition_reader import condition
from pbem.orders.conditions import verify_meant
from pbem.orders.cursor import Cursor, TrialCursor
from pbem.orders.lexer import Misread, Token, quoted_word
from pbem.orders.phrases import damage_choice

SECTIONS: Final = ("ENERGY", "PLOT", "COURSE", "MOVE", "DO", "BREAK", "DAMAGE")
"""Words that begin a section of a block; MOVE is an older word for PLOT."""

MOST_OF_A_UNIT: Final = 100
"""The maximum number of DO orders, plot reactions and breaks that one unit may have, counted together.

The number is limited because each of them is checked in every step of a turn. A break is a condition on which play
stops and the side is asked for new orders.
"""
_TIMED: Final = ("AT", "ON", "LAST", "EVERY", "IF")


class Block:
    """The orders of one ship or shuttle, collected line by line while the order file is read."""

    def __init__(self, unit: str, shuttle: bool, position: str, token: Token) -> None:
        self.unit = unit
        self.shuttle = shuttle
        self.position = position
        self.token = token
        self.speed: int | None = None
        self.speed_place = self.energy_place = om.SourceLine()
        self.energy: list[om.EnergyLine] | None = None
        self.plot: Token | None = None
        self.codes: tuple[str, ...] = ()
        self.course: tuple[tuple[int, str], ...] = ()
        self.pilot: om.Pilot | None = None
        self.reactions: list[om.Reaction] = []
        self.tacs: list[om.Tac] = []
        self.leave_map = False
        self.do: list[om.Order] = []
        self.breaks: list[om.Break] = []
        self.damage: list[om.DamageChoice] = []

    @property
    def only_guides(self) -> bool:
        """Whether the block holds only GUIDE orders and breaks (conditions that stop play).

        A side may give only such orders above all blocks, without naming a ship (F2.0).
        """
        more = self.energy is not None or self.plot or self.damage or self.speed is not None
        return not more and all(isinstance(one, om.Guide) for order in self.do for one in order.does)

    def orders(self) -> om.UnitOrders:
        """Return the finished orders of the unit; each part of the result also holds its order text in normal form."""
        plot = None
        if self.plot is not None:
            plot = om.Plot(
                codes=self.codes, course=self.course, pilot=self.pilot, reactions=tuple(self.reactions),
                tacs=tuple(self.tacs), leave_map=self.leave_map,
            )  # fmt: skip
            plot = _placed(plot, self.plot, writer.plot_text(plot))
        found = om.UnitOrders(
            unit=self.unit, shuttle=self.shuttle, position=self.position, speed=self.speed,
            energy=None if self.energy is None else tuple(self.energy), plot=plot, do=tuple(self.do),
            breaks=tuple(self.breaks), damage=tuple(self.damage), speed_place=self.speed_place,
            energy_place=self.energy_place,
        )  # fmt: skip
        return _placed(found, self.token, writer.unit_text(found))

    def says_speed(self, speed: int, token: Token) -> None:
        """Store the speed that the block orders, and the line and column of that order for error messages."""
        self.speed, self.speed_place = speed, om.SourceLine(line=token.line, column=token.column)

    def start_plot(self, cursor: Cursor, token: Token) -> None:
        """Record that a plot (the ordered movement) begins at ``token``.

        Raises:
            Misread: The block already has a plot (``two-plots``), so it is unclear which one is meant.
        """
        if self.codes or self.course or self.pilot:
            raise self._two_plots(cursor)
        self.plot = self.plot or token

    def _two_plots(self, cursor: Cursor) -> Misread:
        place = f"line {self.plot.line}" if self.plot else "above"
        text = f"{self.unit} already has a plot at {place}; keep one of them"
        return cursor.misread("two-plots", text, family="ambiguous", back=cursor.at)

    def order(self, cursor: Cursor, section: str) -> None:
        """Read the order at the cursor and store it in this block.

        The first word of the order and the section of the block decide what kind of order it is.
        """
        token = cursor.tokens[cursor.at]
        key = token.key
        tac_energy = section == "ENERGY" and key == "TAC" and cursor.word(1)[:1].isdecimal()
        verb = key in VERBS and not (section == "ENERGY" and key in words.ENERGY_ITEMS)
        bare_if = section == "BREAK" and key == "IF" and not any(t.key == "THEN" for t in cursor.tokens)
        if bare_if:
            cursor.at += 1
            self._break(cursor, token)
        elif section == "BREAK" and key in ("AT", "ON") and (moment := _moment_alone(cursor)):
            raise cursor.misread("expected", f"write a condition for a break: {moment}", choices=(moment,))
        elif key in _TIMED or verb:
            self._timed(cursor, token)
        elif section == "BREAK":
            self._break(cursor, token)
        elif phrases.at_movement(cursor) and not tac_energy:
            self.plot = self.plot or token
            self._plot_line(cursor)
        elif section == "ENERGY":
            self._energy(cursor, token)
        elif section == "DAMAGE":
            self._damage_choice(cursor, token)
        elif key == "SPEED":
            self._speed_line(cursor, token)
        elif section == "PLOT" and phrases.is_leg(cursor.word()):
            text = f"{quoted_word(token.text)} is not a plot code; write COURSE before hexes and directions of the map"
            raise cursor.misread("expected", text, choices=("COURSE",))
        else:
            cursor.fail(*_EXPECTED.get(section, _EXPECTED[""]), says=_SAYS.get(section, _SAYS[""]))

    def _speed_line(self, cursor: Cursor, token: Token) -> None:
        """Read a line like ``SPEED 12`` and store the speed."""
        cursor.at += 1
        speed = cursor.number("a speed", most=99)
        cursor.end()
        self.says_speed(speed, token)

    def _damage_choice(self, cursor: Cursor, token: Token) -> None:
        """Read a line of the DAMAGE section and store which boxes the player wants damaged first or last."""
        if choice := _read_once(_damage, cursor, token):
            self.damage.append(choice)

    def _energy(self, cursor: Cursor, token: Token) -> None:
        lines = phrases.energy_lines(cursor)
        cursor.end("+")
        if self.energy is None:
            self.energy = []
        self.energy += [_placed(line, token, writer.energy_text(line)) for line in lines]

    def _verify_room(self, cursor: Cursor, start: int) -> None:
        """Check that the unit may have one more order, i.e. has fewer than :data:`MOST_OF_A_UNIT`.

        Raises:
            Misread: The unit has as many already (``too-many-orders``).
        """
        if len(self.do) + len(self.reactions) + len(self.breaks) >= MOST_OF_A_UNIT:
            cursor.at = start
            text = (
                f"leave this order out: a unit has at most {MOST_OF_A_UNIT} orders below DO and BREAK, the reactions "
                "of its plot included"
            )
            raise cursor.misread("too-many-orders", text)

    def _break(self, cursor: Cursor, token: Token) -> None:
        start = cursor.at
        if found := _read_once(_break, cursor, token):
            self._verify_room(cursor, start)
            self.breaks.append(found)

    def _plot_line(self, cursor: Cursor) -> None:
        """Read one line of a plot (the ordered movement) and store its parts.

        The parts are plot codes or a course, a rule to steer by, tactical maneuvers, and LEAVE MAP.
        """
        codes, course, pilot = self.codes, self.course, self.pilot
        tacs: list[om.Tac] = []
        leave_map = self.leave_map
        while not cursor.ended:
            token = cursor.tokens[cursor.at]
            if phrases.at_code(cursor):
                if course:
                    raise self._two_plots(cursor)
                codes = _more_codes(cursor, codes, pilot)
            elif token.key == "COURSE":
                cursor.at += 1
                if codes or course or pilot:
                    raise self._two_plots(cursor)
                course = phrases.course(cursor)
            elif token.key in phrases.PILOTS:
                pilot = _pilot(cursor, pilot)
            elif token.key == "TAC":
                tacs.append(_tac(cursor, token))
            elif token.key == "LEAVE":
                _leave_map(cursor)
                leave_map = True
            else:
                cursor.fail(*_EXPECTED["PLOT"], says=_SAYS["PLOT"])
        self.codes, self.course, self.pilot, self.leave_map = codes, course, pilot, leave_map
        self.tacs += tacs

    def _timed(self, cursor: Cursor, token: Token) -> None:
        """Read an order that begins with a time or condition, such as ``AT 9 EVERY IF … THEN``, and store it.

        If a plot code follows THEN, the order is a reaction of the plot. If an activity follows THEN, it is an
        order of DO.
        """
        start = cursor.at
        order = _read_once(_order, cursor, token)
        if order is not None:
            self._verify_room(cursor, start)
            self.do.append(order)
            return
        cursor.at = start
        self._react(cursor, token, _Moment.read(cursor), start)

    def _react(self, cursor: Cursor, token: Token, when: _Moment, first: int) -> None:
        at, asked, every = when.at, when.asked, when.every
        if when.last:
            raise cursor.misread("expected", "write AT and the impulse: LAST works only for activities")
        pilot: om.Pilot | None = None
        codes: tuple[str, ...] = ()
        start = cursor.at
        way = phrases.tac(cursor) if cursor.key() == "TAC" else ""
        if way:
            at = _impulse(cursor) if at is None and cursor.take("AT", "ON") else at
        elif cursor.key() in phrases.PILOTS:
            pilot = phrases.pilot(cursor)
        else:
            codes = phrases.codes(cursor)
            if not codes:
                cursor.fail(*CODES, *phrases.PILOTS)
        stop = cursor.at
        if asked is not None:
            _without_target(cursor, when.mark)
        elif cursor.take("IF"):
            asked = condition(cursor)
        _verify_meant(cursor, start, stop, asked)
        cursor.end()
        self.plot = self.plot or token
        if way:
            tac = om.Tac(way=way, at=at, condition=asked, every=every)
            self.tacs.append(_placed(tac, token, writer.tac_text(tac)))
            return
        self._verify_room(cursor, first)
        found = om.Reaction(at=at, condition=asked, every=every, codes=codes, pilot=pilot)
        self.reactions.append(_placed(found, token, writer.reaction_text(found)))


CODES: Final = ("F", "L", "R", "SL", "SR")
_EXPECTED: Final[dict[str, tuple[str, ...]]] = {
    "": ("SHIP", "SHUTTLE", *SECTIONS, "END", "AT", "IF", *VERBS),
    "DO": ("AT", "LAST", "IF", "EVERY", *VERBS, *SECTIONS, "SHIP", "SHUTTLE", "END"),
    "PLOT": (*CODES, *phrases.PILOTS, "TAC", "LEAVE", "AT", "IF", *SECTIONS, "SHIP", "SHUTTLE", "END"),
}
_SAYS: Final[dict[str, str]] = {
    "": "a section like ENERGY, PLOT, DO, BREAK or DAMAGE",
    "DO": "an activity like FIRE or LAUNCH",
    "PLOT": "a plot code (F, L, R, SL, SR) or TOWARD, AWAY FROM, KEEP, TAC, LEAVE MAP",
}


class _Moment(NamedTuple):
    """The first part of an order, which says when the order acts: ``AT 9 EVERY IF … THEN``.

    ``mark`` is the index of the word at which the condition begins, or -1 without a condition.
    """

    at: int | None
    last: bool
    every: bool
    asked: om.Condition | None
    mark: int

    @classmethod
    def read(cls, cursor: Cursor) -> _Moment:
        at: int | None = None
        last = every = False
        asked: om.Condition | None = None
        mark = -1
        while key := cursor.take(*_TIMED):
            if key in ("AT", "ON") and at is None and not last:
                at = _impulse(cursor)
            elif key == "LAST" and at is None and not last:
                last = True
            elif key == "EVERY" and not every:
                every = True
            elif key == "IF" and asked is None:
                mark = cursor.at
                asked = condition(cursor, target=True)
                if not cursor.take("THEN"):
                    cursor.fail("AND", "OR", "THEN")
            else:
                text = f"{key} does not fit here: an order has one moment and one IF; AND and OR join conditions"
                raise cursor.misread("expected", text, back=1)
        return cls(at, last, every, asked, mark)


_Placed = TypeVar("_Placed", bound=om.SourceLine)


def _placed(line: _Placed, token: Token, text: str) -> _Placed:
    return msgspec.structs.replace(line, line=token.line, column=token.column, text=text)


def _order(cursor: Cursor) -> om.Order | None:
    """Read one order of the DO section and return it; return ``None`` if it orders movement."""
    when = _Moment.read(cursor)
    if phrases.at_movement(cursor):
        return None
    if cursor.key() not in VERBS:
        cursor.fail(*VERBS, *phrases.PILOTS, "IF", says="an activity or a plot code")
    start = cursor.at
    does = read_activities(cursor)
    stop = cursor.at
    aimed, asked = target_of(does), when.asked
    if asked is not None and not aimed:
        _without_target(cursor, when.mark)
    if asked is None and cursor.take("IF"):
        asked = condition(cursor, target=aimed)
    _verify_meant(cursor, start, stop, asked)
    cursor.end("AND", *(() if asked else ("IF",)))
    order = om.Order(does=does, at=when.at, last=when.last, condition=asked, every=when.every)
    return msgspec.structs.replace(order, text=writer.order_text(order))


def _more_codes(cursor: Cursor, codes: tuple[str, ...], pilot: om.Pilot | None) -> tuple[str, ...]:
    """Read plot codes and return ``codes`` with the new codes appended.

    Raises:
        Misread: The plot already has a rule to steer by (``pilot``), or it gets too long.
    """
    if pilot:
        text = f"write the codes before {writer.pilot_text(pilot)}, which steers for the rest of the plot"
        raise cursor.misread("codes-after-pilot", text, family="ambiguous")
    codes += phrases.codes(cursor)
    if len(codes) > phrases.LONGEST:
        raise cursor.misread("plot-too-long", f"a plot has at most {phrases.LONGEST} codes", back=1)
    return codes


def _pilot(cursor: Cursor, pilot: om.Pilot | None) -> om.Pilot:
    """Read a rule to steer by with its condition, such as ``TOWARD Con IF …``, and return the rule.

    ``pilot`` is the rule that the plot already has, if any.

    Raises:
        Misread: The plot already has a rule to steer by.
    """
    start = cursor.at
    found = phrases.pilot(cursor)
    stop = cursor.at
    if pilot:
        text = f"{writer.pilot_text(pilot)} already steers the ship; keep one of them"
        raise cursor.misread(
            "two-pilots", text, family="ambiguous", back=1,
            choices=(writer.pilot_text(pilot), writer.pilot_text(found)),
        )  # fmt: skip
    asked = condition(cursor) if cursor.take("IF") else None
    _verify_meant(cursor, start, stop, asked)
    return msgspec.structs.replace(found, condition=asked)


def _tac(cursor: Cursor, token: Token) -> om.Tac:
    """Read and return a tactical maneuver (``TAC R AT 9``) with its impulse and condition (C5.0)."""
    way = phrases.tac(cursor)
    at = _impulse(cursor) if cursor.take("AT", "ON") else None
    asked = condition(cursor) if cursor.take("IF") else None
    tac = om.Tac(way=way, at=at, condition=asked)
    return _placed(tac, token, writer.tac_text(tac))


def _leave_map(cursor: Cursor) -> None:
    """Read the words LEAVE MAP.

    Raises:
        Misread: The word MAP is missing.
    """
    cursor.at += 1
    if not cursor.take_word("MAP"):
        cursor.fail("MAP")


def _break(cursor: Cursor) -> om.Break:
    asked = condition(cursor, public=True)
    cursor.end("AND", "OR")
    return om.Break(condition=asked, text=asked.text)


def _damage(cursor: Cursor) -> om.DamageChoice:
    category, items, place = damage_choice(cursor)
    cursor.end("FIRST", "LAST")
    choice = om.DamageChoice(category=category, items=items, place=place)
    return msgspec.structs.replace(choice, text=writer.damage_text(choice))


def _read_once(read: Callable[[Cursor], _Placed | None], cursor: Cursor, token: Token) -> _Placed | None:
    """Return the object that ``read`` makes of the words at the cursor, from a cache where possible.

    The same orders in drafts and forms are checked many times, and their meaning does not depend on the line. Only
    orders without a fault are cached. Line and column are filled in after the cache look-up.
    """
    words = tuple([word[:3] for word in cursor.tokens[cursor.at :]])
    found = _of_words(read, words, own_figures().token) if 0 < len(words) <= _FEW_WORDS else None
    if found is None:
        found = read(cursor)
    else:
        cursor.at = len(cursor.tokens)
    return None if found is None else msgspec.structs.replace(found, line=token.line, column=token.column)


@lru_cache(maxsize=2048)
def _of_words(
    read: Callable[[Cursor], _Placed | None], words: tuple[tuple[str, str, str], ...], figures: str
) -> _Placed | None:
    """Return the object that ``read`` makes of these words, without line and column; ``None`` if they are faulty.

    ``figures`` is only a part of the cache key. It identifies the custom figures (charts) in use, because these may
    name weapons differently.
    """
    try:
        return read(TrialCursor([Token(*word, 0, 0) for word in words]))
    except Misread:
        return None


_FEW_WORDS: Final = 40
"""Maximum length of a cached order, in words; longer orders are read each time."""


def _without_target(cursor: Cursor, mark: int) -> None:
    """Check the condition at word ``mark`` again, now for an order that turned out to have no target.

    The condition comes before the target in the text, so it is first read as if there was a target. Without a
    target, a condition such as ``RANGE <= 4`` is a fault.
    """
    here, cursor.at = cursor.at, mark
    condition(cursor, target=False)
    cursor.at = here


def _verify_meant(cursor: Cursor, start: int, stop: int, asked: om.Condition | None) -> None:
    """Check that the words IT, EACH and TARGET between word ``start`` and word ``stop`` refer to a unit.

    ``asked`` is the condition of the order, if it has one; IT and EACH refer to the units that it names.

    Raises:
        Misread: One of these words refers to no unit.
    """
    here, cursor.at = cursor.at, stop
    verify_meant(cursor, start, bound=asked is not None and om.names_units(asked))
    cursor.at = here


def _moment_alone(cursor: Cursor) -> str:
    """Return ``IMPULSE 8`` if the words are only ``AT 8`` or ``AT IMPULSE 8``, otherwise ``""``.

    A player who writes ``AT 8`` below BREAK means this condition.
    """
    place = 1 + (cursor.key(1) == "IMPULSE")
    alone = cursor.is_number(place) and (cursor.peek(place + 1) is None or cursor.key(place + 1) in ("AND", "OR"))
    return f"IMPULSE {cursor.word(place)}" if alone else ""


def _impulse(cursor: Cursor) -> int:
    cursor.take("IMPULSE")
    impulse = cursor.number("an impulse", most=99)
    if impulse == 0:
        raise cursor.misread("bad-number", "impulses count from 1", back=1)
    return impulse
