"""What a view holds of a game that is over: what became of the ships, what weapons did, and what decided it.

What a sitrep reveals of the dice: links, hashes and the reader's own salts, so that he can hold the host to them.

What a view holds beside the present moment: the turn shown step by step, and damage over the whole game.

What one reader may see of a game, ready to be laid out: the one source of the text sitrep, the page and the mail.

A :class:`View` holds nothing its reader may not know, since it is made from the events he may see
(:func:`pbem.engine.events.seen_by`); so it may be embedded whole in his page. It is plain data without layout.
"""

from __future__ import annotations

import msgspec

from pbem.data.terms import FormKind
from pbem.reports.view.mission import Mission


class Gun(msgspec.Struct, frozen=True, kw_only=True):
    """What one weapon did in the game: how often it ``fired``, of these ``hit`` (scored anything), and the points its
    shots scored. ``expected`` are the points that the same shots, at their ranges, score on average, to a tenth
    (E1.0).

    Launched weapons count as a line of their own by kind (``drone``, ``plasma``): fired are those that were
    launched, hit those that reached their target; nothing is expected of them. Those that were under way when the
    game began stand with their side as ``unit``.
    """

    unit: str
    side: str
    weapon: str
    fired: int
    hit: int
    points: int
    expected: str = ""


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """How a ship came out of the game: ``gone`` why it left play, shield boxes left and at first, internals taken, and
    the points its weapons scored.
    """

    unit: str
    side: str
    gone: str
    shields: tuple[int, int]
    internals: int
    scored: int


class Deciding(msgspec.Struct, frozen=True, kw_only=True):
    """An impulse that decided much: who left play in it and what was scored, in words."""

    turn: int
    impulse: int
    words: str


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The game that is over: its ``fates`` (ships in the order of their sides), ``guns``, and the impulses that
    decided it, in the order of play.
    """

    fates: tuple[Fate, ...]
    guns: tuple[Gun, ...]
    deciding: tuple[Deciding, ...]


class SegmentProof(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of play that is over: the request it answered, the link it used, and the hash of each side's orders.

    ``salt`` is the reader's own, empty for who wrote no orders; ``log`` the digest of the log as it then was;
    ``beacon`` the public beacon's value, ``ROUND:HEX``, where the game takes one; ``taken_back`` says that it does
    not count any more. All else in hex.
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
    """What the host committed to before the game began, and the segments of the turn shown."""

    scheme: int
    commitment: str
    salts: str = ""
    beacon: str = ""
    segments: tuple[SegmentProof, ...] = ()


Reach = tuple[str, str, int, tuple[int, ...], tuple[int, ...]]
"""Two units, the range between them, the first one's shields facing the second, the second one's facing the first."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the map looks after a step, told by what changed since the frame before.

    ``at`` is hex and facing of units that moved, turned or appeared, ``shields`` the boxes left of shields that
    were hit, ``gone`` why units left play, ``cloak`` what others see of a cloak (empty again when it is off).
    ``reach`` is every range worth telling, where any of them changed (``None`` where none did). The first frame of
    a turn, impulse 0 without a step, holds everything as the turn began. ``turn`` is told where frames are of
    several.
    """

    impulse: int
    step: str = ""
    turn: int = 0
    at: dict[str, str] = {}
    shields: dict[str, tuple[int, ...]] = {}
    gone: dict[str, str] = {}
    cloak: dict[str, str] = {}
    reach: tuple[Reach, ...] | None = None


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """A volley of a ``side`` at a unit's ``shield`` (0: it has none): its ``weapons`` (``4 PH-1, 2 PHOT``), the points
    scored, what was ``expected``, and the ``chance`` of so many or more (``21 of 100``).
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
    """What a side's direct fire scored over the game, what was ``expected``, and the difference (``+3.4``)."""

    side: str
    points: int
    expected: str
    luck: str


class Toll(msgspec.Struct, frozen=True, kw_only=True):
    """A side's damage in one turn: points its weapons scored on ships and monsters, and what its ships took.

    Taken points went to reinforcement, shield boxes or internals.
    """

    side: str
    turn: int
    given: int
    reinforcement: int
    shields: int
    internals: int

    @property
    def taken(self) -> int:
        """All points taken."""
        return self.reinforcement + self.shields + self.internals


class Die(msgspec.Struct, frozen=True, kw_only=True):
    """One die: its label, what it showed, what that meant, and the rule it was rolled for."""

    label: str
    die: int
    meaning: str
    rule: str
    turn: int
    impulse: int


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened, in one sentence.

    ``n`` counts the records the reader sees (for the umpire: the log's own number). ``kind`` is the type of event,
    ``place`` where reports show it (:mod:`pbem.reports.text.sentences`). ``fresh`` is true since the reader's last
    sitrep; ``private`` names the only side that may know it (empty: everybody). ``die`` is its die, ``more_dice``
    those after it where it took several.
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
    """Where a unit stood after moving in ``impulse`` (0 = at the start of the turn); ``code`` is how it got there."""

    impulse: int
    hex: str
    facing: str
    code: str = ""

    @property
    def at(self) -> str:
        """Hex and facing: ``1708C``."""
        return self.hex + self.facing


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """The way of one unit through the turn shown, oldest point first. ``seeker`` is true of all small units, shuttles
    too: their ways are drawn as dots.
    """

    unit: str
    side: str
    seeker: bool
    points: tuple[Point, ...]
    kind: str = "ship"


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit as it stands now. ``gone`` says why it left play; ``shields`` are boxes left and at first.

    ``kind`` is ``ship``, ``seeker``, ``shuttle``, ``monster`` or ``planet``; a planet fills ``hexes``, has no side
    and no facing.
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
        """Hex and facing: ``1708C``; of a planet its hex alone."""
        return self.hex if self.kind == "planet" else self.hex + self.facing

    @property
    def small(self) -> bool:
        """Whether it is drawn small: seeking weapons and shuttles."""
        return self.kind in ("seeker", "shuttle")


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wrote to the reader: which side, to whom (a side, ``all`` or ``the umpire``), the text."""

    author: str
    to: str
    text: str


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """A tractor link (G7.3): which beam of which ship holds what, and since when (turn and impulse)."""

    unit: str
    beam: str
    target: str
    since: str


class Bearing(msgspec.Struct, frozen=True, kw_only=True):
    """How two units stand to each other: range (D1.4), and the shields facing the other (two on a boundary, D3.41), or
    in one hex those that faced it as they met (D3.42).

    Monsters and planets have no shields.
    """

    unit: str
    other: str
    range: int
    shields: tuple[int, ...]
    other_shields: tuple[int, ...]


class Shot(msgspec.Struct, frozen=True, kw_only=True):
    """All weapons one unit fired at another in one impulse, and where both stood, for the map. ``turn`` is told where
    shots are of several.
    """

    impulse: int
    unit: str
    target: str
    side: str
    weapons: tuple[str, ...]
    points: int
    from_hex: str
    to_hex: str
    step: str = ""
    turn: int | msgspec.UnsetType = msgspec.UNSET


class Harm(msgspec.Struct, frozen=True, kw_only=True):
    """Where the points of a volley went (D3.34, D3.21, D4.22): ``boxes`` are shield boxes, ``scored`` internals."""

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
    """Boxes of one shield or system: left now, at the start of the turn shown, and at the start of the game."""

    name: str
    now: int
    before: int
    start: int


class WeaponBox(msgspec.Struct, frozen=True, kw_only=True):
    """One weapon box: whether it works, whether it was lost this turn, and what the reader may know of it.

    ``arms`` is false for phasers, which need no arming but draw on the capacitor (H6.0).
    """

    name: str
    working: bool
    lost_now: bool
    arms: bool = True
    words: str = ""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a unit that is no box of its display: what, and in words how it stands."""

    what: str
    words: str
    rule: str = ""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A ship and what changed for it since the reader's last sitrep; ``mine`` is true of the reader's own ones, which
    are told of even where nothing changed.
    """

    unit: str
    side: str
    mine: bool
    facts: tuple[Fact, ...]


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """A number of the headline: what it counts, now and at the reader's last sitrep; ``good`` is 1 where its change is
    good for him, -1 where it is bad, 0 where that depends.
    """

    what: str
    now: int
    was: int
    good: int = 0


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to the reader since his last sitrep: in one sentence, and in at most four numbers."""

    words: str
    numbers: tuple[Number, ...]


class Quarry(msgspec.Struct, frozen=True, kw_only=True):
    """A monster or a planet, and what everybody knows of it (P2.0, scenario #11)."""

    unit: str
    side: str
    kind: str
    facts: tuple[Fact, ...]


class Ssd(msgspec.Struct, frozen=True, kw_only=True):
    """A ship's display (public, D4.1), without charges except for its owner. ``facts`` are its people, shuttles,
    lowered shields and tractor links.
    """

    unit: str
    side: str
    type: str
    gone: str
    internals: int
    shields: tuple[Boxes, ...]
    systems: tuple[Boxes, ...]
    weapons: tuple[WeaponBox, ...]
    facts: tuple[Fact, ...] = ()


class Energy(msgspec.Struct, frozen=True, kw_only=True):
    """What only a ship's owner knows (B3.0, H6.0, H7.2): his form of this turn, and what is left. ``systems`` are the
    beams and transporters with energy, suicide shuttles and probes.
    """

    unit: str
    lines: tuple[str, ...]
    capacitor: float
    batteries: int
    general: int
    reinforcement: tuple[int, ...]
    systems: tuple[Fact, ...] = ()


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an order of a unit at one moment, and why."""

    turn: int
    impulse: int
    unit: str
    result: str
    reason: str = ""
    order: str = ""
    rule: str = ""
    fresh: bool = False


class OrderLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of orders in normal form, with what became of it so far. ``silent`` says where there is nothing to tell
    of an order: it still ``waits``, or it ``did not act``; ``why`` says what is known of the reason.
    """

    line: int
    text: str
    told: tuple[Told, ...] = ()
    silent: str = ""
    why: str = ""


class OrderSet(msgspec.Struct, frozen=True, kw_only=True):
    """Orders a side gave in answer to one request. ``more`` is what was told of them under no line of their own;
    ``past`` are those in force no more of which all that became of them stood in an earlier report.
    """

    side: str
    turn: int
    request: int
    form: str
    continued: bool
    in_force: bool
    lines: tuple[OrderLine, ...]
    more: tuple[Told, ...] = ()
    past: bool = False

    @property
    def standing(self) -> str:
        """What these orders are now, in words."""
        return "in force" if self.in_force else "carried out" if self.form == FormKind.EAF else "no longer in force"

    def worth_telling(self) -> tuple[OrderLine, ...]:
        """All lines of orders in force; of older ones, the orders, each with what became of it."""
        return tuple(line for line in self.lines if self.in_force or line.told or line.silent)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Something the engine chose, as the order that could have been given."""

    turn: int
    impulse: int
    unit: str
    order: str
    reason: str
    rule: str
    fresh: bool = False


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A break: whose, when, and (for its owner) on which line of his."""

    turn: int
    impulse: int
    side: str
    condition: str
    fresh: bool


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """The request that play waits for. ``mine`` is true where the reader himself owes it."""

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
    """What the umpire ruled for the rest of the game, and since when: a rule in words with its number, or an option he
    changed (number 0). ``private`` is the one side that was told.
    """

    number: int
    text: str
    since: str
    private: str = ""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How the game ended for a side."""

    side: str
    result: str
    why: str


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A side and who plays it; ``place`` is its number on the map and in the tables (colour and shape)."""

    side: str
    player: str
    team: str
    robot: bool
    place: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What ``side`` may see now (``umpire`` everything, ``""`` what a spectator may).

    ``turn`` and ``impulse`` are where the game stands, as in the subject of the sitrep; ``shown`` is the turn the
    tables tell of: the one played last. ``since`` sums up what happened since the reader's last sitrep. ``replay``
    is the turn shown step by step, ``tolls`` the damage of the whole game, ``lucks`` the odds of the volleys of the
    turn shown, ``fortunes`` those of the whole game; ``changes`` what is new of every ship, and ``headline`` the
    short of it, for who plays; ``proof`` what is revealed of the dice; ``taken_back`` is how many stretches were
    played, if some of them were taken back; ``figures`` the sentence that says with whose figures the game is
    played, where they are not those that are shipped; ``ending`` what a game came to that is over.
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
    players: tuple[Player, ...]
    owed: Owed | None = None
    over: bool = False
    outcome: tuple[Result, ...] = ()
    since: tuple[Said, ...] = ()
    units: tuple[Unit, ...] = ()
    bearings: tuple[Bearing, ...] = ()
    tracks: tuple[Track, ...] = ()
    shots: tuple[Shot, ...] = ()
    said: tuple[Said, ...] = ()
    harm: tuple[Harm, ...] = ()
    ssds: tuple[Ssd, ...] = ()
    energy: tuple[Energy, ...] = ()
    orders: tuple[OrderSet, ...] = ()
    choices: tuple[Choice, ...] = ()
    breaks: tuple[Broken, ...] = ()
    autobreaks: tuple[tuple[str, str], ...] = ()
    holds: tuple[Hold, ...] = ()
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
    figures: str | msgspec.UnsetType = msgspec.UNSET  # most games have none, and their pages need not say so
    mission: Mission | None = None
    words: tuple[Word, ...] = ()
    ending: Ending | msgspec.UnsetType = msgspec.UNSET

    @property
    def subject(self) -> str:
        """The subject of the sitrep, so that mail can be searched: ``duel01 2.9 SITREP``."""
        return f"{self.game} {self.turn}.{self.impulse} SITREP".strip()

    @property
    def reader(self) -> str:
        """Whose report this is, in words."""
        return self.side or "spectators"

    def place_of(self, side: str) -> int:
        """The number of a side among the sides, from 0; the same for every reader."""
        return next((player.place for player in self.players if player.side == side), 0)

    def failed(self) -> list[Told]:
        """The reader's orders that did not act since his last sitrep, each once, with what was told of it last. One
        that acted in the same turn did what it says: EVERY lets weapons follow that did not bear yet, and those
        that have fired do not fire again (E1.5).
        """
        lines = [line for orders in self.orders for line in orders.lines]
        told = [told for line in lines for told in line.told] + [told for o in self.orders for told in o.more]
        done = [this for this in told if this.result in ("acted", "broke")]
        acted = {(this.turn, this.unit, this.order) for this in done if this.order}
        found: dict[object, Told] = {}
        for this in told:
            if this.fresh and this not in done and (this.turn, this.unit, this.order) not in acted:
                found[(this.turn, this.unit, this.order) if this.order else id(this)] = this
        return list(found.values())

    def dice(self) -> list[Die]:
        """Every die of the turn shown, in the order of the log."""
        return [die for said in self.said if said.die is not None for die in (said.die, *said.more_dice)]
