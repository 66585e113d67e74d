"""Read order files: text to :class:`~pbem.orders.model.Orders`.

Each line is read by itself, so that a faulty line is reported and does not hide other faults.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec

from pbem.data.files import own_figures
from pbem.errors import Fault, FaultFamily, GameError
from pbem.orders import model as om, phrases, vocabulary as words
from pbem.orders.blocks import SECTIONS, Block
from pbem.orders.condition_reader import condition
from pbem.orders.cursor import Cursor
from pbem.orders.header import begins, read_fields
from pbem.orders.lexer import Misread, Statement, Token, statements, tokens_of, wrapped_comments
from pbem.orders.mail_text import order_text
from pbem.orders.suggestions import reads_as_order, suggest_fix

MOST_FAULTS: Final = 50
MOST_ORDERS: Final = 5_000
MOST_LINES: Final = 20_000
MOST_CHARACTERS: Final = 1_000_000

_NO_HEADER: Final = "begin the orders with a header line like GAME duel01 TURN 2 SIDE klingon REPLY 1; none was found"
_LINES_OF_PROSE, _WORDS_OF_PROSE = 2, 5
"""From this many lines on, with so many words a line, what stands below the name of a ship may be prose."""
_SHOWN: Final = 40
"""Maximum number of characters of a line that a fault quotes."""
_MOST_TRIED: Final = 60
"""Maximum number of statements of a text without orders that are tried as orders of each section."""
_MOST_BROKEN: Final = 3
"""Maximum number of following lines that are joined to an order that a mail program may have broken."""
_HEADLESS: Final = ("no-unit", "more-faults", "header-twice")


class ParsedOrders(msgspec.Struct, frozen=True):
    """The result of reading an order file: the orders, and the faults sorted by line."""

    orders: om.Orders
    faults: tuple[Fault, ...]


def read_orders(text: str, *, file: str = "", header: bool = True) -> ParsedOrders:
    """Read an order file as it arrived, and undo the changes that mail programs make.

    A faulty text never raises an exception. The faults are collected, at most 50; then reading stops and the last
    fault says so.

    Args:
        text: The content of the file.
        file: The file's name, for the faults.
        header: If false, the text may begin with SHIP instead of a header (rule cases).
    """
    reading = _read(text, header, own_figures().token)
    if not file or not reading.faults:
        return reading
    return ParsedOrders(reading.orders, tuple(msgspec.structs.replace(fault, file=file) for fault in reading.faults))


@lru_cache(maxsize=256)
def _read(text: str, header: bool, figures: str) -> ParsedOrders:
    """Read the text of an order file; results are cached, and faults do not name the file.

    The program reads the same text a dozen times to store, check and play it. A host reads the emails of many games
    before it plays the first game. ``figures`` is only a part of the cache key: it identifies the custom figures
    (charts) in use.
    """
    reader = _Reader(header=header)
    reader.read(text)
    told = sorted(reader.faults, key=lambda fault: (fault.code == "more-faults", fault.line, fault.column))
    return ParsedOrders(reader.orders(), tuple(told))


def read_header(text: str) -> tuple[str, str]:
    """Return the game and the side that the header of an order file names; ``""`` for what is missing.

    They are the same as those of :func:`read_orders`, which reads the whole text.
    """
    return _read_header(text, own_figures().token)


@lru_cache(maxsize=64)
def _read_header(text: str, figures: str) -> tuple[str, str]:
    reader = _Reader(header=True)
    reader.read(text, only_header=True)
    return reader.fields.get("GAME", ""), reader.fields.get("SIDE", "")


def read_condition(text: str, *, public: bool = True) -> om.Condition:
    """Read a text that is a single condition, as in a game's options for automatic breaks, and return it.

    A break is a condition on which play stops and a side is asked for new orders. ``public`` says whether the
    condition may ask for public facts only.

    Raises:
        GameError: The text is not a condition, or asks for a secret. The exception has one fault.
    """
    try:
        cursor = Cursor(tokens_of(text, 1))
        if cursor.ended:
            raise Misread("no-orders", "the condition is empty", 1, 1)
        asked = condition(cursor, public=public)
        cursor.end("AND", "OR")
    except Misread as misread:
        raise GameError(misread.told) from None
    return asked


def _verify_words(cursor: Cursor) -> None:
    """Check that no word outside quotes belongs to another order language.

    Raises:
        Misread: There is such a word (``word-not-used``). The message says what to write instead.
    """
    for place, token in enumerate(cursor.tokens):
        said = words.INSTEAD.get(token.text.upper(), "") if token.kind == "word" else ""
        if said:
            text = f"{token.text.upper()} is not an order word: write {said}; if a name contains it, use quotes"
            raise cursor.misread("word-not-used", text, back=-place)


def _stops_early(fault: Fault, tokens: tuple[Token, ...]) -> bool:
    """Return whether the fault is at the end of the order, so that the rest of the order may be on the next line."""
    last = tokens[-1]
    return fault.line == last.line and fault.column >= last.column


class _Reader:
    def __init__(self, *, header: bool) -> None:
        self.header = header
        self.faults: list[Fault] = []
        self.fields: dict[str, Any] = {}
        self.alone: dict[str, Token] = {}
        self.blocks: list[Block] = []
        self.by_name: dict[str, Block] = {}
        self.block: Block | None = None
        self.section = ""
        self.column = 0
        self.over = False
        self.count = 0
        self.lines: list[str] = [""]

    def orders(self) -> om.Orders:
        return om.Orders(
            **{word.lower(): value for word, value in self.fields.items()},
            alone=next(iter(self.alone), ""),
            units=tuple(block.orders() for block in self.blocks if block.unit or block.do or block.breaks),
        )

    def read(self, raw: str, *, only_header: bool = False) -> None:
        """Read a text; with ``only_header``, stop below the first unit, since no header may follow it."""
        if len(raw) > MOST_CHARACTERS:
            return self._fault(
                "file-too-long", f"shorten the file: it has {len(raw)} characters, and the most is {MOST_CHARACTERS}"
            )
        text = order_text(raw, header=self.header)
        if text.count("\n") > MOST_LINES:
            lines = text.count("\n") + 1
            return self._fault("file-too-long", f"shorten the file: it has {lines} lines, and the most is {MOST_LINES}")
        self.lines = text.split("\n")
        self.faults += list(wrapped_comments(self.lines))[:MOST_FAULTS]
        found = list(statements(text))
        if self._take_all(found, only_header=only_header) and not only_header:
            self._check_whole()
            if self._holds_no_order(found):
                self._replace_faults()

    def _take_all(self, found: list[Statement | Fault], *, only_header: bool) -> bool:
        """Read the orders in a text; return whether no limit was exceeded."""
        for place, statement in enumerate(found):
            if isinstance(statement, Fault):
                self.faults.append(statement)
            elif statement.tokens:
                self._take(statement, found, place)
            if self.over or (only_header and any(one.unit for one in self.blocks)):
                break
            if len(self.faults) >= MOST_FAULTS:
                said = f"reading stopped after {MOST_FAULTS} faults; there may be more below"
                self._fault("more-faults", said, self.faults[-1])
                return False
            if self.count >= MOST_ORDERS:
                self._fault("too-many-orders", f"shorten the file: it can have at most {MOST_ORDERS} orders")
                return False
        return True

    def _holds_no_order(self, found: list[Statement | Fault]) -> bool:
        """Return whether almost nothing below the header can be read as an order: the text is prose or a table."""
        begun = any(one.do or one.breaks or one.energy is not None for one in self.blocks)
        if "GAME" not in self.fields or self.alone or not self.faults or begun:
            return False
        below = self._words_below_header(found)
        if any(tokens[0].key in SECTIONS and len(tokens) == 1 for tokens in below) or len(below) > _MOST_TRIED:
            return False
        orders = sum(
            any(reads_as_order(tokens, int(tokens[0].key == section), section) for section in SECTIONS)
            for tokens in below
        )
        return bool(below) and orders * 4 < len(below)

    def _words_below_header(self, found: list[Statement | Fault]) -> list[tuple[Token, ...]]:
        """Return the words of each line that may be prose: none if the lines below a ship are few or short."""
        below = [one.tokens for one in found if isinstance(one, Statement) and one.tokens]
        below = [tokens for tokens in below if tokens[0].key not in (*words.HEADER, "END")]
        if not any(one.unit for one in self.blocks):
            return below
        # Below the name of a ship, a line is more likely a mistyped order than prose.
        below = [tokens for tokens in below if tokens[0].key not in ("SHIP", "SHUTTLE")]
        few = len(below) < _LINES_OF_PROSE or sum(map(len, below)) < _WORDS_OF_PROSE * len(below)
        return [] if few else below

    def _replace_faults(self) -> None:
        """Replace the faults of a text without orders by a single fault, which says that no order was found.

        Faults that explain each line as a mistyped order would not help the player.
        """
        place = min((fault.line for fault in self.faults if fault.line), default=0)
        read = " ".join(self.lines[place - 1].split()) if place else ""
        read = f"{read[:_SHOWN]}…" if len(read) > _SHOWN else read
        self.faults.clear()
        text = (
            f'no order was found below the GAME line ("{read}"): open orders.html, or fill in the draft; orders begin '
            f"with a line SHIP and the ship's name"
        )
        self.faults.append(Misread("no-orders", text, place, 1, choices=("SHIP",)).told)

    def _take(self, statement: Statement, found: list[Statement | Fault], place: int) -> None:
        """Read one order; if the order ends too early, try to read it together with the lines below.

        A mail program may have broken the order into several lines. Lines are joined only if none of the lines
        below is an order by itself.
        """
        self.count += 1
        try:
            self._statement(Cursor(statement.tokens), statement.heads)
        except Misread as misread:
            tokens = statement.tokens
            early = _stops_early(misread.told, tokens)
            for more in range(place + 1, place + 1 + _MOST_BROKEN * early):
                tokens = self._with_next(tokens, found, more)
                if not tokens:
                    break
                if reads_as_order(tokens, int(tokens[0].key == self.section), self.section):
                    for used in range(place + 1, more + 1):
                        found[used] = Statement((), heads=False)
                    try:
                        self._statement(Cursor(tokens), statement.heads)
                    except Misread as still:  # the words are an order, but it is not allowed at this place
                        self.faults.append(suggest_fix(still.told, tokens, self.section, self.lines))
                    return
            self.faults.append(suggest_fix(misread.told, statement.tokens, self.section, self.lines))

    def _with_next(self, tokens: tuple[Token, ...], found: list[Statement | Fault], place: int) -> tuple[Token, ...]:
        """Return the given words joined with the words of the next line.

        The result is empty if the next line is an order on its own or a heading.
        """
        below = found[place] if place < len(found) else None
        if not isinstance(below, Statement) or not below.tokens or not below.heads:
            return ()
        begins = below.tokens[0]
        apart = begins.line != tokens[-1].line + 1 or begins.key in words.HEADINGS
        return () if apart or reads_as_order(below.tokens, 0, self.section) else (*tokens, *below.tokens)

    def _check_whole(self) -> None:
        if not self.count and not self.faults:
            self._fault("no-orders", "the file contains no orders")
        elif self.header and self._is_prose():
            # Faults that read each line of an ordinary email as an order would not help.
            self.faults.clear()
            self._fault("no-header", _NO_HEADER, choices=("GAME",))
        elif self.header and not self._has_header():
            self._fault("no-header", _NO_HEADER, choices=("GAME",))
        for word, token in self.alone.items() if self.blocks else ():
            text = f"keep either {word} or the orders: {word} {words.ALONE[word][1]}"
            choices = (word, "the orders")
            self._fault(f"{word.lower()}-and-orders", text, token, family="ambiguous", choices=choices)
        if len(self.alone) > 1:
            text, both = "keep only one: CONTINUE keeps playing, CONCEDE gives up", tuple(self.alone)
            self._fault("continue-and-orders", text, self.alone["CONCEDE"], family="ambiguous", choices=both)

    def _is_prose(self) -> bool:
        """Return whether the text is no order file but an ordinary email.

        An ordinary email has no header, no line that could be a header, and no ship's block.
        """
        begun = self.blocks or self.fields or self.alone
        return not begun and not any(map(begins, self.lines))

    def _has_header(self) -> bool:
        """Return whether the text has a header line, even a faulty one."""
        return "GAME" in self.fields or any(
            fault.code in _HEADLESS or begins(self.lines[fault.line - 1]) for fault in self.faults
        )

    def _fault(
        self,
        code: str,
        text: str,
        token: Token | Fault | None = None,
        *,
        family: FaultFamily = "not understood",
        choices: tuple[str, ...] = (),
    ) -> None:
        line, column = (token.line, token.column) if token else (0, 0)
        self.faults.append(Misread(code, text, line, column, family=family, choices=choices).told)

    def _statement(self, cursor: Cursor, heads: bool) -> None:
        token = cursor.tokens[0]
        key = token.key
        if key not in (*words.HEADER, "SHIP", "SHUTTLE"):
            _verify_words(cursor)
        # "turn left" below a ship is not a second header.
        a_word = bool(self.blocks) and key in ("TURN", "REPLY") and not cursor.is_number(1)
        if key in words.HEADER and not (key == "GAME" and not heads) and not a_word:
            self._header(cursor)
        elif key == "END":
            cursor.at += 1
            cursor.end()
            self.over = True
        elif key in words.ALONE:
            cursor.at += 1
            cursor.end()
            self.alone[key] = token
        elif key in ("SHIP", "SHUTTLE") and heads and not (self.section == "BREAK" and self._asks(cursor)):
            self._unit(cursor)
        elif key in SECTIONS and heads and not (self.section == "BREAK" and self._asks(cursor)):
            self._section(cursor)
        else:
            self._order(cursor)

    @staticmethod
    def _asks(cursor: Cursor) -> bool:
        """Return whether a word like SHIP or BREAK is no heading here, but begins a condition (SHIP WITHIN 3)."""
        return cursor.key(1) in words.AFTER_SUBJECT

    def _header(self, cursor: Cursor) -> None:
        if self.blocks:
            raise cursor.misread(
                "header-twice",
                "put the header above all orders; if your email quotes the orders again, write END after yours",
                family="ambiguous",
            )
        while not cursor.ended:
            key = cursor.key()
            if cursor.take_word(","):
                continue
            if key in words.ALONE:
                self.alone[key] = cursor.tokens[cursor.at]
                cursor.at += 1
                continue
            read_fields(cursor, self.fields)

    def _unit(self, cursor: Cursor) -> None:
        token = cursor.tokens[0]
        shuttle = cursor.need("SHIP", "SHUTTLE") == "SHUTTLE"
        # If this line has a fault, the orders below it are read but dropped.
        self.block, self.section = Block("", shuttle, "", token), ""
        name = cursor.name("the name of a shuttle" if shuttle else "the name of a ship", first=cursor.key() != "AT")
        position = cursor.position() if cursor.take("AT") else ""
        sign = cursor.peek()
        speed = cursor.number("a speed", most=99) if cursor.take("SPEED") else None
        cursor.end("AT", "SPEED")
        twice = self.by_name.get(name.casefold())
        if twice is not None:
            text = f"{name} already has orders at line {twice.token.line}; put them all in one block"
            raise cursor.misread("unit-twice", text, family="ambiguous", back=cursor.at)
        self.block = Block(name, shuttle, position, token)
        if speed is not None and sign is not None:
            self.block.says_speed(speed, sign)
        self._begin_block(self.block)

    def _begin_block(self, block: Block) -> None:
        self.blocks.append(block)
        self.by_name.setdefault(block.unit.casefold(), block)

    def _section(self, cursor: Cursor) -> None:
        """Read a line that begins with the heading of a section, and the order after the heading, if any."""
        token = cursor.tokens[0]
        if token.key == "DAMAGE" and self.section == "ENERGY" and cursor.word(1) == "CONTROL":
            self._order(cursor)  # "damage control" is the name of line 15 of the form
            return
        self._verify_no_break(cursor, token)
        block = self._current(token, token.key in ("DO", "BREAK"))
        if token.key == "COURSE" or (token.key == "MOVE" and self._is_plot(cursor)):
            self._older_plot(cursor, block, token)
            return
        # MOVEMENT is line 14 of the form if a number follows, and a plot if codes follow.
        form = self.section == "ENERGY" and token.text.upper() == "MOVEMENT" and cursor.is_number(1)
        if token.key == "MOVE" or form:
            self._order(cursor)
            return
        cursor.at += 1
        self.section, self.column = token.key, token.column
        self._begin_section(cursor, block, token)
        if not cursor.ended:
            self._order(cursor)

    def _verify_no_break(self, cursor: Cursor, token: Token) -> None:
        """Check that a line that begins with DAMAGE is a heading, and not a condition of the BREAK section above.

        Raises:
            Misread: DAMAGE is the only word of a line that is indented below BREAK.
        """
        if token.key == "DAMAGE" and self.section == "BREAK" and len(cursor.tokens) == 1 and token.column > self.column:
            text = "write INTERNALS, ME DAMAGED or #1 HIT for a break on damage; DAMAGE is a heading"
            raise cursor.misread("expected", text, choices=("INTERNALS", "ME DAMAGED", "#1 HIT"))

    def _older_plot(self, cursor: Cursor, block: Block, token: Token) -> None:
        """Read a plot that begins without the heading PLOT: with MOVE, the older word for it, or with COURSE."""
        self.section = "PLOT"
        if cursor.take("MOVE"):
            block.start_plot(cursor, token)
        if not cursor.ended:
            block.order(cursor, "PLOT")

    def _begin_section(self, cursor: Cursor, block: Block, token: Token) -> None:
        """Record in the block of a unit that a new section begins."""
        if block.shuttle and token.key in ("ENERGY", "BREAK", "DAMAGE"):
            block = self._ship_above(cursor, token)
        if token.key == "ENERGY" and block.energy is None:
            block.energy = []
            block.energy_place = om.SourceLine(line=token.line, column=token.column)
            self._verify_owner(block, token)
        if token.key == "PLOT":
            block.start_plot(cursor, token)
        if token.key == "BREAK":
            cursor.take("IF", "ON")

    def _is_plot(self, cursor: Cursor) -> bool:
        """Return whether MOVE is used here as the older heading for PLOT, and not as a line of the energy form.

        MOVE is a heading if plot codes follow, or if the section is not ENERGY.
        """
        cursor.at = 1
        codes = phrases.at_code(cursor)
        cursor.at = 0
        return codes or self.section != "ENERGY"

    def _current(self, token: Token, guides: bool = False) -> Block:
        """Return the block to which orders are added; above all blocks, begin a block without a unit.

        Without naming a ship, a side may only guide its seeking weapons (F2.0) and have breaks (conditions that
        stop play). Other orders there are reported once; the lines that follow are read but not kept.
        """
        if self.block is None:
            self.block = Block("", False, "", token)
            self._begin_block(self.block)
            if not guides:
                self._whose(self.block)
        return self.block

    def _verify_owner(self, block: Block, token: Token | None = None) -> None:
        """Report a fault if a block without a unit holds orders that only a ship can carry out."""
        if block in self.blocks and not block.unit and not block.only_guides:
            self._whose(block, token)

    def _whose(self, block: Block, token: Token | None = None) -> None:
        text = "write a line with SHIP and the ship's name above its orders: this order has no ship"
        self._fault("no-unit", text, token or block.token, choices=("SHIP",))
        self.blocks = [one for one in self.blocks if one is not block]

    def _ship_above(self, cursor: Cursor, token: Token) -> Block:
        """Return the block of the ship above a shuttle's block, for ENERGY, BREAK and DAMAGE sections.

        A shuttle has no such sections, so sections of these kinds belong to the ship.
        """
        ships = [block for block in self.blocks if not block.shuttle]
        self.block = ships[-1] if ships else Block("", False, "", token)
        if not ships:
            text = f"move {token.key} below a ship: a shuttle has no such section"
            raise cursor.misread("not-for-shuttle", text, family="not allowed", back=1)
        return self.block

    def _order(self, cursor: Cursor) -> None:
        guides = any(token.key == "GUIDE" for token in cursor.tokens)
        block = self._current(cursor.tokens[cursor.at], guides)
        block.order(cursor, self.section)
        self._verify_owner(block)
