"""Plain data types for everything that one reader may see of a game.

:class:`ReportView` is the single source of the text sitrep, the report page and the email. It is made only from the
events that its reader may see (:func:`pbem.engine.events.seen_by`). It therefore contains no secrets of other sides
and can be embedded completely in the reader's page. These types contain data, not layout;
:mod:`pbem.reports.view.build` fills them.
"""

from __future__ import annotations

import msgspec

from pbem.data.terms import FormKind
from pbem.reports.view.mission import Mission


class Gun(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one weapon in the whole game.

    Launched weapons have one entry per kind (``drone``, ``plasma``).

    Attributes:
        unit: The ship. For a seeking weapon that was in flight when the game began, the name of the weapon's side.
        side: The side of the ship.
        weapon: Name or kind of the weapon.
        fired: Number of shots or launches.
        hit: Number of shots that did any damage, or of launched weapons that reached their target.
        points: Damage points scored.
        expected: The average score of the same shots at their ranges, rounded to a tenth (E1.0); empty for launched
            weapons.
    """

    unit: str
    side: str
    weapon: str
    fired: int
    hit: int
    points: int
    expected: str = ""


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """The final condition of one ship.

    Attributes:
        unit: The ship.
        side: Its side.
        gone: Why the ship left play; empty if it did not.
        shields: The number of shield boxes left, and at the start.
        internals: Internal damage that the ship took, in points.
        scored: Damage that its weapons scored, in points.
    """

    unit: str
    side: str
    gone: str
    shields: tuple[int, int]
    internals: int
    scored: int


class Deciding(msgspec.Struct, frozen=True, kw_only=True):
    """One impulse that decided the game; ``words`` says which units left play and what damage was scored."""

    turn: int
    impulse: int
    words: str


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of a finished game.

    ``fates`` lists the ships in the order of their sides, ``guns`` the weapons, and ``deciding`` the decisive
    impulses in the order of play.
    """

    fates: tuple[Fate, ...]
    guns: tuple[Gun, ...]
    deciding: tuple[Deciding, ...]


class SegmentProof(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a report discloses to prove the dice of one segment of play.

    A segment is the play from one request for orders to the next. The proof holds the request that the segment
    answered, the link of the dice's hash chain that it used, and the hash of each side's orders (``seals``).
    ``salt`` is the reader's own salt; it is empty for a reader who wrote no orders. ``log`` is the digest of the
    log after the segment. ``beacon`` is the value of the public beacon as ``ROUND:HEX``, if the game uses one.
    ``taken_back`` is true if the segment no longer counts. All other values are in hex.
    """

    segment: int
    turn: int
    request: int
    link: str
    log: str
    seals: tuple[tuple[str, str], ...]
    salt: str = ""
    beacon: str = ""
    taken_back: bool = False


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a report discloses to prove the dice.

    Attributes:
        scheme: Number of the method by which the dice are made.
        commitment: The value by which the host committed to the dice before the game, in hex.
        salts: The value by which the host committed to the salts, in hex; empty in games without salts.
        beacon: The public beacon whose values are used; empty if no beacon is used.
        segments: A proof of each segment of the turn shown. A segment is the play from one request for orders to the
            next.
    """

    scheme: int
    commitment: str
    salts: str = ""
    beacon: str = ""
    segments: tuple[SegmentProof, ...] = ()


Reach = tuple[str, str, int, tuple[int, ...], tuple[int, ...]]
"""The range between two units, and the shields with which each faces the other.

The tuple holds: first unit, second unit, range in hexes, shields of the first unit, shields of the second unit.
"""


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The changes on the map in one step of the replay, compared with the previous frame.

    ``at`` maps units that moved, turned or appeared to their hex and facing. ``shields`` maps units that were hit
    to their shield boxes left. ``gone`` maps units that left play to the reason. ``cloak`` maps units to a text on
    what others see of their cloaking device; the text is empty if the device is off again. ``reach`` lists all
    ranges to show if any of them changed; otherwise it is ``None``. The first frame of a turn (impulse 0, empty
    step) holds the whole state at the start of the turn. ``turn`` is set only if the replay covers several turns.
    """

    impulse: int
    step: str = ""
    turn: int = 0
    at: dict[str, str] = {}
    shields: dict[str, tuple[int, ...]] = {}
    gone: dict[str, str] = {}
    cloak: dict[str, str] = {}
    reach: tuple[Reach, ...] | None = None


class ReplayData(msgspec.Struct, frozen=True, kw_only=True):
    """The data of the replay script in a page.

    ``mine`` is the name of the reader's first ship, or empty. ``planets`` maps planets to their hexes. ``replay``
    holds the frames, ``shown`` is the turn that the page shows, and ``steps`` holds the titles of the frames' steps.
    """

    mine: str
    planets: dict[str, str]
    replay: tuple[Frame, ...]
    shown: int
    steps: dict[str, str]


class DisplayState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a ship's display, or only the changed parts of the state.

    ``boxes`` maps shields (``#1``) and systems to their boxes left. ``working`` maps each weapon to whether it
    works, and ``words`` maps it to a description of what the reader may know of its state. ``internals``, ``speed``
    and ``gone`` are ``None`` if they did not change.
    """

    boxes: dict[str, int] = {}
    working: dict[str, bool] = {}
    words: dict[str, str] = {}
    internals: int | None = None
    speed: int | None = None
    gone: str | None = None


class DisplayChange(msgspec.Struct, frozen=True, kw_only=True):
    """The changes on the display of one ship in the frame number ``frame`` of the replay.

    A ship has no display before her first change. The first change contains all her boxes. Other values that the
    first change leaves out are 0 or empty, and weapons that it leaves out are working.
    """

    frame: int
    unit: str
    now: DisplayState


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of one volley: the points that it scored, compared with the odds.

    A volley is all fire of one side at one shield of a unit in one impulse.

    Attributes:
        turn: The turn.
        impulse: The impulse.
        side: The side that fired.
        unit: The target.
        shield: The number of the shield; 0 if the unit has no shields.
        weapons: The weapons as text, such as ``4 PH-1, 2 PHOT``.
        points: Damage points scored.
        expected: The average score, as text.
        chance: The probability of scoring at least ``points``, such as ``21 %``.
    """

    turn: int
    impulse: int
    side: str
    unit: str
    shield: int
    weapons: str
    points: int
    expected: str
    chance: str


class Fortune(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of one side's direct fire in the whole game.

    Attributes:
        side: The side.
        points: Damage points scored.
        expected: The average score of the same shots, as text.
        luck: The difference between ``points`` and the average, such as ``+3.4``.
    """

    side: str
    points: int
    expected: str
    luck: str


class Toll(msgspec.Struct, frozen=True, kw_only=True):
    """Damage given and taken by one side in one turn, in points.

    ``given`` counts the points that its weapons scored on ships and monsters. The points that its own ships took
    are divided into ``reinforcement``, ``shields`` (boxes) and ``internals``.
    """

    side: str
    turn: int
    given: int
    reinforcement: int
    shields: int
    internals: int

    @property
    def taken(self) -> int:
        """All damage points that the side's ships took: reinforcement, shields and internals."""
        return self.reinforcement + self.shields + self.internals


class Die(msgspec.Struct, frozen=True, kw_only=True):
    """One die roll.

    Attributes:
        label: What the die was rolled for, as in the log.
        die: The result.
        meaning: What the result meant.
        rule: The rule by which it was rolled.
        turn: The turn.
        impulse: The impulse.
    """

    label: str
    die: int
    meaning: str
    rule: str
    turn: int
    impulse: int


class EventSentence(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log as a sentence of a report, with the data that decide where it is shown.

    Attributes:
        n: The number of the log record among those that the reader sees; for the umpire, the number in the log.
        turn: The turn.
        impulse: The impulse.
        step: The step of the impulse.
        kind: The event type.
        place: Where reports show the event (:mod:`pbem.reports.text.sentences`).
        text: The sentence.
        rule: The rule that the event follows; empty if none.
        units: The units that the event involves, the acting unit first.
        fresh: Whether the event happened after the reader's last sitrep.
        private: The only side that may know the event; empty if all may.
        die: The die roll of the event; ``None`` if it has none.
        more_dice: Further rolls of an event with several dice.
    """

    n: int
    turn: int
    impulse: int
    step: str
    kind: str
    place: str
    text: str
    rule: str
    units: tuple[str, ...] = ()
    fresh: bool = False
    private: str = ""
    die: Die | None = None
    more_dice: tuple[Die, ...] = ()


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """The position of a unit after its move in ``impulse`` (0: at the start of the turn).

    ``code`` is the movement code. If the unit changed position in another way, it is a word such as ``launched``.
    """

    impulse: int
    hex: str
    facing: str
    code: str = ""

    @property
    def at(self) -> str:
        """Hex and facing as one text, such as ``1708C``."""
        return self.hex + self.facing


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """The path of one unit through the turn shown.

    Attributes:
        unit: The unit.
        side: Its side.
        seeker: Whether it is a small unit, i.e. a seeking weapon or a shuttle. Its path is drawn as dots.
        points: The points of the path, from first to last.
        kind: Kind of the unit, as in :class:`UnitStatus`.
    """

    unit: str
    side: str
    seeker: bool
    points: tuple[Point, ...]
    kind: str = "ship"


class UnitStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The present state of one unit.

    Attributes:
        name: Name of the unit.
        side: Its side; empty for a planet.
        seeker: Whether it is a seeking weapon.
        type: A short description: race and class of a ship, or the kind of another unit.
        hex: The hex.
        facing: The facing, a letter; empty for a planet.
        speed: The speed in hexes a turn.
        gone: Why the unit left play; empty if it is in play.
        mine: Whether the unit belongs to the reader.
        target: The target of a seeking weapon or suicide shuttle, if the reader knows it.
        last_impulse: Turn and impulse at whose end a seeking weapon is removed; empty for other units.
        shields: For each shield, the boxes left and the boxes at the start.
        marks: Short remarks, such as ``cloaked``.
        immobile: Whether the unit never moves.
        kind: ``ship``, ``seeker``, ``shuttle``, ``monster`` or ``planet``.
        hexes: All hexes of a planet; empty for other units.
    """

    name: str
    side: str
    seeker: bool
    type: str
    hex: str
    facing: str
    speed: int
    gone: str = ""
    mine: bool = False
    target: str = ""
    last_impulse: str = ""
    shields: tuple[tuple[int, int], ...] = ()
    marks: tuple[str, ...] = ()
    immobile: bool = False
    kind: str = "ship"
    hexes: tuple[str, ...] = ()

    @property
    def at(self) -> str:
        """Hex and facing as one text (``1708C``); for a planet the hex only."""
        return self.hex if self.kind == "planet" else self.hex + self.facing

    @property
    def small(self) -> bool:
        """Whether the unit is drawn small; true for seeking weapons and shuttles."""
        return self.kind in ("seeker", "shuttle")


class PlayerMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message to the reader: its author, its addressee, and the text.

    The addressee is a side, ``all`` or ``the umpire``.
    """

    author: str
    to: str
    text: str


class TractorHold(msgspec.Struct, frozen=True, kw_only=True):
    """A tractor link (G7.3), by which a ship holds another unit.

    Attributes:
        unit: The ship with the tractor beam.
        beam: The letter of the beam.
        target: The unit that is held.
        since: Turn and impulse when the link began, such as ``2.9``.
    """

    unit: str
    beam: str
    target: str
    since: str


class RangeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The range in hexes between two units (D1.4), and the shields with which they face each other.

    If a unit's direction is exactly on the boundary of two shields, both are given (D3.41). For two units in one hex,
    these are the shields that faced each other when the units met (D3.42). Monsters and planets have no shields.

    Attributes:
        unit: The first unit.
        other: The second unit.
        range: The range in hexes.
        shields: Numbers of the shields of the first unit.
        other_shields: Numbers of the shields of the second unit.
    """

    unit: str
    other: str
    range: int
    shields: tuple[int, ...]
    other_shields: tuple[int, ...]


class ShotGroup(msgspec.Struct, frozen=True, kw_only=True):
    """All fire of one unit at one target in one impulse, for the map.

    Attributes:
        impulse: The impulse.
        unit: The unit that fired.
        target: The target.
        side: The side of the unit that fired.
        weapons: The weapons.
        points: Damage points scored.
        from_hex: The hex of the unit that fired.
        to_hex: The hex of the target.
        step: The step of the impulse.
        turn: The turn; set only if the view covers several turns.
        arms: A letter for each weapon: ``p`` phaser, ``t`` photon torpedo, ``d`` disruptor, ``f`` fusion beam, ``o``
            another weapon; a capital letter if the shot hit.
    """

    impulse: int
    unit: str
    target: str
    side: str
    weapons: tuple[str, ...]
    arms: str
    points: int
    from_hex: str
    to_hex: str
    step: str = ""
    turn: int | msgspec.UnsetType = msgspec.UNSET


class Harm(msgspec.Struct, frozen=True, kw_only=True):
    """The division of one volley's damage among shields and internal boxes (D3.34, D3.21, D4.22).

    Attributes:
        turn: The turn.
        impulse: The impulse.
        unit: The ship that was hit.
        shield: The number of the shield that was hit.
        points: Points of the volley.
        sources: The units that the damage came from.
        reinforcement: Points that reinforcement stopped.
        boxes: Shield boxes lost.
        internals: Points of internal damage.
        left: Boxes that are left on the shield.
        scored: The internal boxes that were hit.
        rule: The rule.
        fresh: Whether the volley struck after the reader's last sitrep.
    """

    turn: int
    impulse: int
    unit: str
    shield: int
    points: int
    sources: tuple[str, ...]
    reinforcement: int
    boxes: int
    internals: int
    left: int
    scored: tuple[str, ...] = ()
    rule: str = ""
    fresh: bool = False


class Boxes(msgspec.Struct, frozen=True, kw_only=True):
    """The boxes of one shield or system.

    Attributes:
        name: Name of the shield or system.
        now: Number of boxes now.
        before: Number of boxes at the start of the turn shown.
        start: Number of boxes at the start of the game.
    """

    name: str
    now: int
    before: int
    start: int


class DisplayWeapon(msgspec.Struct, frozen=True, kw_only=True):
    """One weapon in the display of a ship.

    Attributes:
        name: Name of the weapon.
        working: Whether it works.
        lost_now: Whether it was lost in the turn shown.
        arms: Whether it must be armed. Phasers need no arming; they take energy from the capacitor (H6.0).
        words: A description of what the reader may know of its state.
    """

    name: str
    working: bool
    lost_now: bool
    arms: bool = True
    words: str = ""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact about a unit that is not a number of boxes, such as its crew.

    Attributes:
        what: The subject of the fact.
        words: The fact as text.
        rule: The rule that it belongs to; empty if none.
    """

    what: str
    words: str
    rule: str = ""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """The changes on one ship since the reader's last sitrep.

    Attributes:
        unit: The ship.
        side: Its side.
        mine: Whether the ship belongs to the reader. The reader's own ships are listed even if nothing changed.
        facts: The changes.
    """

    unit: str
    side: str
    mine: bool
    facts: tuple[Fact, ...]


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the headline.

    Attributes:
        what: A description of what is counted.
        now: The value now.
        was: The value at the time of the reader's last sitrep.
        good: 1 if the change is good for the reader, -1 if it is bad, and 0 if that depends on the situation.
    """

    what: str
    now: int
    was: int
    good: int = 0


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """A short summary of the reader's news since their last sitrep: a sentence and up to four numbers."""

    words: str
    numbers: tuple[Number, ...]


class Quarry(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a monster or a planet, as far as all sides know it (P2.0, scenario #11).

    Attributes:
        unit: Name of the monster or planet.
        side: Its side, if it has one.
        kind: ``monster`` or ``planet``.
        facts: The known facts about it.
    """

    unit: str
    side: str
    kind: str
    facts: tuple[Fact, ...]


class ShipDisplay(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a ship's boxes and weapons.

    The display is public (D4.1), but the charges of weapons are included only for the ship's owner.

    Attributes:
        unit: The ship.
        side: Its side.
        type: Race and class.
        gone: Why the ship left play; empty if it is in play.
        internals: Points of internal damage that the ship took.
        shields: The shields.
        systems: The systems.
        weapons: The weapons.
        facts: Facts about its crew, shuttles, lowered shields and tractor links.
    """

    unit: str
    side: str
    type: str
    gone: str
    internals: int
    shields: tuple[Boxes, ...]
    systems: tuple[Boxes, ...]
    weapons: tuple[DisplayWeapon, ...]
    facts: tuple[Fact, ...] = ()


class Energy(msgspec.Struct, frozen=True, kw_only=True):
    """The energy of a ship, which only its owner may know (B3.0, H6.0, H7.2).

    Attributes:
        unit: The ship.
        lines: The lines of the energy form in force this turn.
        capacitor: Points in the phaser capacitor.
        batteries: Number of charged batteries.
        general: Points of general reinforcement of the shields.
        reinforcement: Points that reinforce each shield, #1 to #6.
        systems: Facts about tractor beams and transporters that have energy, suicide shuttles and probes.
    """

    unit: str
    lines: tuple[str, ...]
    capacitor: float
    batteries: int
    general: int
    reinforcement: tuple[int, ...]
    systems: tuple[Fact, ...] = ()


class OrderResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one order of a unit at one point of play.

    Attributes:
        turn: The turn.
        impulse: The impulse.
        unit: The unit.
        result: What happened, such as ``acted``.
        reason: The reason for the result; empty if there is nothing to say.
        order: The order as text; empty if the result is about no single order.
        rule: The rule that decided the result; empty if none.
        fresh: Whether it happened after the reader's last sitrep.
    """

    turn: int
    impulse: int
    unit: str
    result: str
    reason: str = ""
    order: str = ""
    rule: str = ""
    fresh: bool = False


class OrderLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a player's orders, with its results so far.

    Attributes:
        line: The number of the line.
        text: The line in normal form.
        told: The results.
        silent: ``waits`` or ``did not act`` for an order that has no result; otherwise empty.
        why: The reason why it did not act, if known.
    """

    line: int
    text: str
    told: tuple[OrderResult, ...] = ()
    silent: str = ""
    why: str = ""


class OrderSet(msgspec.Struct, frozen=True, kw_only=True):
    """The orders that a side gave in answer to one request for orders, with their results.

    Attributes:
        side: The side.
        turn: The turn.
        request: The number of the request within its turn.
        form: The kind of orders that the request asked for (:class:`~pbem.data.terms.FormKind`).
        continued: Whether the side kept its earlier orders (CONTINUE).
        in_force: Whether the orders are in force now.
        lines: The order lines.
        more: Results that belong to no single line.
        past: Whether the orders are no longer in force, and all of their results were in an earlier report.
    """

    side: str
    turn: int
    request: int
    form: str
    continued: bool
    in_force: bool
    lines: tuple[OrderLine, ...]
    more: tuple[OrderResult, ...] = ()
    past: bool = False

    @property
    def standing(self) -> str:
        """The status of the order set in words: ``in force``, ``carried out`` or ``no longer in force``."""
        return "in force" if self.in_force else "carried out" if self.form == FormKind.EAF else "no longer in force"

    def worth_telling(self) -> tuple[OrderLine, ...]:
        """Return the order lines that a report should show.

        For orders in force, these are all lines. For older orders, these are only the lines that have a result.
        """
        return tuple(line for line in self.lines if self.in_force or line.told or line.silent)


class EngineChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that the engine made because the player did not.

    Attributes:
        turn: The turn.
        impulse: The impulse.
        unit: The unit.
        order: The order with which the player could have made this decision.
        reason: Why the engine decided.
        rule: The rule.
        fresh: Whether this happened after the reader's last sitrep.
    """

    turn: int
    impulse: int
    unit: str
    order: str
    reason: str
    rule: str
    fresh: bool = False


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A break that occurred, i.e. a condition on which play stops and a side is asked for new orders.

    Attributes:
        turn: The turn.
        impulse: The impulse.
        side: The side whose break it is.
        condition: The side's order line with the condition; empty for all other readers.
        fresh: Whether it occurred after the reader's last sitrep.
    """

    turn: int
    impulse: int
    side: str
    condition: str
    fresh: bool


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """The request for orders that the game is waiting for.

    Attributes:
        number: The number of the request within its turn.
        turn: The turn.
        impulse: The first impulse of the orders.
        through: The last impulse of the orders.
        form: The kind of orders that are requested (:class:`~pbem.data.terms.FormKind`).
        wants: A description of the kind of orders that are requested.
        stretch: A description of the part of the turn that the orders are for.
        sides: The sides that must answer.
        reason: Why the request was made.
        mine: Whether the reader must answer it.
        header: The header line that the reader's answer must have; empty if the reader must not answer.
    """

    number: int
    turn: int
    impulse: int
    through: int
    form: str
    wants: str
    stretch: str
    sides: tuple[str, ...]
    reason: str
    mine: bool
    header: str


class HouseRule(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling of the umpire that applies to the rest of the game.

    Attributes:
        number: The number of a rule that the umpire made; 0 for a changed option.
        text: The rule, or the option with its new value.
        since: Turn and impulse from which it applies, such as ``2.9``.
        private: The only side that knows the ruling; empty if all sides know it.
    """

    number: int
    text: str
    since: str
    private: str = ""


class SideResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the game for one side.

    Attributes:
        side: The side.
        result: The result, in the scenario's words.
        why: The reason.
    """

    side: str
    result: str
    why: str


class SidePlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A side and the player who plays it.

    Attributes:
        side: The side.
        player: The player's name.
        team: The team; allied sides have the same team.
        robot: Whether the robot of the rules plays the side.
        place: The index of the side, from 0. It selects the side's colour and shape on the map and in tables.
    """

    side: str
    player: str
    team: str
    robot: bool
    place: int


class ReportHead(msgspec.Struct, frozen=True, kw_only=True):
    """The game, the reader and the time of a report, who plays, and the result.

    Attributes:
        format: Version of the data format.
        game: Name of the game.
        scenario: Key of the scenario.
        level: ``cadet`` or ``standard``.
        impulses: Impulses in a turn.
        map: First and last hex of the map.
        grid: ``even`` or ``odd``: the columns that are half a hex lower.
        side: The reader: a side of the game, ``umpire`` (who sees everything), or ``""`` for spectators.
        turn: The present turn, as in the subject of the sitrep.
        impulse: The present impulse.
        shown: The turn that the tables describe: the last one played.
        records: The number of the last log record that the reader sees.
        players: The sides and their players.
        owed: The request for orders that the game is waiting for; ``None`` if there is none.
        over: Whether the game is over.
        outcome: The result of each side, if the game is over.
    """

    format: int = 1
    game: str
    scenario: str
    level: str
    impulses: int
    map: tuple[str, str]
    grid: str
    side: str
    turn: int
    impulse: int
    shown: int
    records: int
    players: tuple[SidePlayer, ...]
    owed: Owed | None = None
    over: bool = False
    outcome: tuple[SideResult, ...] = ()

    @property
    def subject(self) -> str:
        """Subject line of the sitrep, such as ``duel01 2.9 SITREP``; its fixed form is easy to find in an inbox."""
        return f"{self.game} {self.turn}.{self.impulse} SITREP".strip()

    @property
    def reader(self) -> str:
        """The reader as text: the side, ``umpire`` or ``spectators``."""
        return self.side or "spectators"

    @property
    def plays(self) -> bool:
        """Whether the reader plays a side, i.e. is neither the umpire nor a spectator."""
        return self.side in {player.side for player in self.players}

    def place_of(self, side: str) -> int:
        """Return the index of a side in the list of sides, from 0; it is the same for every reader."""
        return next((player.place for player in self.players if player.side == side), 0)


class ReportView(ReportHead, frozen=True, kw_only=True):
    """Everything that one reader may see of a game now.

    Attributes:
        since: Sentences that sum up what happened after the reader's last sitrep.
        units: The units.
        bearings: Ranges between units and the shields with which they face each other.
        tracks: The paths of all units through the turn shown.
        shots: The fire of the turn shown.
        said: All events of the turn shown, each as a sentence.
        harm: The division of the damage of each volley.
        ssds: The displays of all ships.
        energy: The energy of the reader's ships.
        orders: The reader's orders with their results.
        choices: Decisions that the engine made for the reader's side.
        breaks: Breaks that occurred.
        autobreaks: The automatic breaks of the game that concern the reader: condition and side.
        holds: The tractor links.
        quarry: Monsters and planets.
        asteroids: The hexes with asteroids.
        replay: The turn shown, step by step.
        tolls: Damage over the whole game, by side and turn.
        lucks: The odds of the volleys of the turn shown.
        fortunes: The odds of all volleys of the game, by side.
        proof: The values disclosed to prove the dice; ``None`` if no values are disclosed.
        taken_back: Number of segments played before some of them were taken back; 0 if no segment was taken back.
        changes: The changes on every ship; only for readers who play a side.
        headline: A short summary of the news; only for readers who play a side.
        house: The umpire's rulings in force.
        figures: A sentence about the game's own data files; unset if it uses the files shipped with the program.
        mission: The scenario as the reader sees it; ``None`` if it is not known.
        words: Messages to the reader.
        ending: The summary of a finished game; unset while the game goes on.
    """

    since: tuple[EventSentence, ...] = ()
    units: tuple[UnitStatus, ...] = ()
    bearings: tuple[RangeReport, ...] = ()
    tracks: tuple[Track, ...] = ()
    shots: tuple[ShotGroup, ...] = ()
    said: tuple[EventSentence, ...] = ()
    harm: tuple[Harm, ...] = ()
    ssds: tuple[ShipDisplay, ...] = ()
    energy: tuple[Energy, ...] = ()
    orders: tuple[OrderSet, ...] = ()
    choices: tuple[EngineChoice, ...] = ()
    breaks: tuple[Broken, ...] = ()
    autobreaks: tuple[tuple[str, str], ...] = ()
    holds: tuple[TractorHold, ...] = ()
    quarry: tuple[Quarry, ...] = ()
    asteroids: tuple[str, ...] = ()
    replay: tuple[Frame, ...] = ()
    tolls: tuple[Toll, ...] = ()
    lucks: tuple[Luck, ...] = ()
    fortunes: tuple[Fortune, ...] = ()
    proof: Proof | None = None
    taken_back: int = 0
    changes: tuple[Changed, ...] = ()
    headline: Headline | None = None
    house: tuple[HouseRule, ...] = ()
    figures: str | msgspec.UnsetType = msgspec.UNSET  # unset in most games, to keep their pages small
    mission: Mission | None = None
    words: tuple[PlayerMessage, ...] = ()
    ending: Ending | msgspec.UnsetType = msgspec.UNSET

    def failed(self) -> list[OrderResult]:
        """Return the reader's orders that failed since their last sitrep, each once with its latest result.

        Failures of an order that succeeded at another time in the same turn are left out. Orders with EVERY often
        fail in this way, for example because weapons that have fired cannot fire again (E1.5).
        """
        lines = [line for orders in self.orders for line in orders.lines]
        told = [told for line in lines for told in line.told] + [told for o in self.orders for told in o.more]
        done = [this for this in told if this.result in ("acted", "broke")]
        acted = {(this.turn, this.unit, this.order) for this in done if this.order}
        found: dict[object, OrderResult] = {}
        for this in told:
            if this.fresh and this not in done and (this.turn, this.unit, this.order) not in acted:
                found[(this.turn, this.unit, this.order) if this.order else id(this)] = this
        return list(found.values())

    def dice(self) -> list[Die]:
        """Return every die roll of the turn shown, in the order of the log."""
        return [die for said in self.said if said.die is not None for die in (said.die, *said.more_dice)]
