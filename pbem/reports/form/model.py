"""The data of the order form page as typed structs.

``templates/src/generated/form.ts`` holds the same types for the page's script. It is made from this module by
``python -m tests.refresh --only types``. An attribute that is ``UNSET`` is left out of the page.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

Number: TypeAlias = int | float
Points: TypeAlias = dict[str, Number]
Reasons: TypeAlias = dict[str, str]


class FormEnergyMix(Struct, frozen=True):
    """One choice of power for a speed."""

    text: str
    ask: Points


class FormEnergyOption(Struct, frozen=True):
    """One choice of a field of the energy form.

    Attributes:
        text: The entry of the order text; empty if the choice enters nothing.
        ask: Points of energy by source; the source "" lets the engine choose.
        show: The text of the choice in the list of choices.
        charge: The charge of the weapon after this choice.
        capacitor: The points in the phaser capacitor after this choice.
        warn: A warning about what happens after this choice.
        hexes: The speed in hexes a turn.
        mixes: The choices of power for the speed.
        tows: The speed that results while the ship tows something.
        uses: Whether the weapon can be used after this choice.
    """

    text: str
    ask: Points
    show: str
    charge: str | UnsetType = UNSET
    capacitor: int | float | UnsetType = UNSET
    warn: str | UnsetType = UNSET
    hexes: int | UnsetType = UNSET
    mixes: list[FormEnergyMix] | UnsetType = UNSET
    tows: int | UnsetType = UNSET
    uses: bool | UnsetType = UNSET


class FormEnergySeries(Struct, frozen=True):
    """Further options of a field, which differ only in a number from 1 to ``to``."""

    text: str
    ask: Points
    to: int


class FormEnergyField(Struct, frozen=True):
    """A field of the energy form.

    Attributes:
        id: The name of the field.
        line: The line of the energy form.
        label: The title of the field.
        none: What it means to leave the field empty.
        options: The choices.
        about: What the player should know of the field.
        sources: The power sources that an entry may name.
        limit: Why there are no more choices.
        capacitor: The points in the phaser capacitor now.
        series: Further options, which differ only in a number.
        holds: Whether the field belongs to a tractor beam that holds a unit now.
    """

    id: str
    line: int
    label: str
    none: str
    options: list[FormEnergyOption]
    about: str | UnsetType = UNSET
    sources: list[str] | UnsetType = UNSET
    limit: str | UnsetType = UNSET
    capacitor: int | float | UnsetType = UNSET
    series: FormEnergySeries | UnsetType = UNSET
    holds: bool | UnsetType = UNSET


class FormEnergyClash(Struct, frozen=True):
    """Two fields of the energy form that exclude each other, and why."""

    a: str
    b: str
    text: str


class FormEnergyCap(Struct, frozen=True):
    """The maximum sum of the points on a line of the energy form, and the message for a higher sum."""

    line: int
    most: Number
    text: str


class FormEnergy(Struct, frozen=True):
    """The energy form of a ship.

    Attributes:
        power: Points by source.
        boxes: The number of battery boxes.
        prior: The speed of the turn before.
        labels: The titles of the lines, by number.
        fields: The fields, in the order of the text.
        clashes: Pairs of fields that exclude each other.
        caps: Limits on the sum of a line.
    """

    power: Points
    boxes: int
    prior: int
    labels: dict[str, str]
    fields: list[FormEnergyField]
    clashes: list[FormEnergyClash]
    caps: list[FormEnergyCap]


class FormHelm(Struct, frozen=True):
    """How a unit may move.

    Attributes:
        tables: The names of its movement tables, by speed.
        modes: Its turn modes, by speed.
        turned: The hexes moved since the last turn.
        slipped: The hexes moved since the last sideslip.
    """

    tables: list[str]
    modes: list[int]
    turned: int
    slipped: int


class FormHull(Struct, frozen=True):
    """The movement of one kind of enemy ship: the name of its movement table and its turn mode at each speed."""

    tables: list[str]
    modes: list[int]


class FormHelmTable(Struct, frozen=True):
    """A movement table: for each state and plot code the next state, or why the code is refused.

    A state is ``turned * slips + slipped``.
    """

    mode: int
    slips: int
    rows: list[list[int | str]]


class FormVeil(Struct, frozen=True):
    """One way in which a ship's cloak may change while the orders are in force.

    Attributes:
        say: A description of the way.
        paid: Whether the form must pay for the cloak (true) or must not (false); missing if that does not matter.
        at: Stretches of impulses: last impulse, factor and addition to the range, 1 if own weapons are silent.
    """

    say: str
    at: list[list[int]]
    paid: bool | UnsetType = UNSET


class FormWeapon(Struct, frozen=True):
    """A weapon of an own unit.

    Attributes:
        name: Its name in orders.
        arc: Its arc as the SSD names it.
        arcs: The arcs of 60 degrees that its arc consists of.
        verb: The verb of orders that use it.
        cost: The points that a phaser takes from the capacitor.
        least: The least range in hexes.
        most: The greatest range in hexes.
        table: The number of its table of chances.
        state: Its state in words.
        battery: Whether it may fire on battery power.
        small: What is added to the die against drones.
        tables: The numbers of its tables of chances for each combination of changes of a shot, such as a cloak.
        idle: Why it cannot be used even with all energy; empty if it can.
        needs: Why it cannot be used unless the form pays for it; empty if it can.
        unpaid: Why it cannot be used if a standing cost is not paid, by the field of that cost.
        not_: Why it may not be used at a target, by the name of the target.
        closed: Why it may not be used in an impulse, by the impulse.
    """

    name: str
    arc: str
    arcs: list[str]
    verb: Literal["FIRE", "LAUNCH"]
    cost: Number
    least: int
    most: int
    table: int
    state: str
    idle: str
    needs: str
    unpaid: Reasons
    battery: bool = False
    small: int | UnsetType = UNSET
    tables: dict[str, int] | UnsetType = UNSET
    not_: Reasons | UnsetType = field(name="not", default=UNSET)
    closed: Reasons | UnsetType = UNSET


class FormAct(Struct, frozen=True):
    """An activity other than the use of a weapon.

    Attributes:
        group: Its kind.
        text: The order.
        it: Whether the order names IT, the unit of its condition.
        needs: Why it is refused if the form pays nothing for it.
        by: The fields of the energy form, one of which pays for it.
        spoiled: Why it is refused if the form pays for it.
        unpaid: Why it is refused if a standing cost is not paid, by the field of that cost.
        drained: Why it is refused with 0, 1, 2 … points left in the batteries.
    """

    group: str
    text: str
    it: bool
    needs: str
    by: list[str]
    spoiled: str
    unpaid: Reasons
    drained: list[str]


class FormSpeeds(Struct, frozen=True):
    """The speeds that a unit may choose: the highest one, the present one, and whether the speed is fixed."""

    top: int
    now: int
    fixed: bool | UnsetType = UNSET


class FormScript(Struct, frozen=True):
    """The plot codes of a ship with a fixed course, for its first hex and later ones, and why others are refused."""

    first: list[str]
    later: list[str]
    why: str


class FormTac(Struct, frozen=True):
    """The reason why a tactical maneuver is refused if the ship has paid no energy for it."""

    unpaid: str


class FormBlock(Struct, frozen=True):
    """One ship or shuttle that the form gives orders to.

    Attributes:
        head: The heading of its block of orders.
        name: Its name.
        kind: What it is.
        about: Its class, or where it comes from.
        hex: Its hex.
        facing: Its facing.
        speed: Its speed now; missing if the energy form sets it.
        energy: Its energy form, if that is asked for.
        speeds: Its choices of speed, if those are asked for.
        helm: How it may move.
        script: The codes of a fixed course.
        moved: Whether it has moved already in the first impulse of the orders.
        weapons: Its weapons.
        veils: The ways in which its cloak may change.
        blind: The factor by which ranges are multiplied if the ship has no lock-on.
        capacitor: The points in its phaser capacitor.
        shields: The boxes of its six shields.
        damage: By kind of damage, the boxes that the owner may have damaged first or last.
        boat: Orders for the next shuttle that it can launch; may be empty.
        acts: Its activities.
        names: The units and groups that its conditions may name.
        may_leave: Whether it may leave the map.
        tac: What is known of its tactical maneuvers.
    """

    head: str
    name: str
    kind: Literal["ship", "shuttle"]
    about: str
    hex: str
    facing: str
    speed: int | None
    energy: FormEnergy | None
    speeds: FormSpeeds | None
    helm: FormHelm | UnsetType = UNSET
    script: FormScript | UnsetType | None = UNSET
    moved: bool | UnsetType = UNSET
    weapons: list[FormWeapon] | UnsetType = UNSET
    veils: list[FormVeil] | UnsetType = UNSET
    blind: int | UnsetType = UNSET
    capacitor: int | float | UnsetType = UNSET
    shields: list[int] | UnsetType = UNSET
    damage: dict[str, list[str]] | UnsetType = UNSET
    boat: str | UnsetType = UNSET
    acts: list[FormAct] | UnsetType = UNSET
    names: list[str] | UnsetType = UNSET
    may_leave: bool | UnsetType = UNSET
    tac: FormTac | UnsetType = UNSET


class FormUnit(Struct, frozen=True):
    """A unit on the map that orders may name.

    Attributes:
        name: Its name.
        say: Its name as orders write it.
        hex: Its hex.
        facing: Its facing; a planet has none.
        speed: Its speed now.
        still: Whether it never moves.
        kind: Its kind.
        mine: Whether it belongs to the side that fills in the form.
        enemy: Whether it is an enemy of that side.
        shields: The boxes of the six shields of a ship.
        hexes: The hexes of a planet.
        sure: For a unit whose speed never changes, the step of the impulse in which it moves.
        straight: Whether it never turns.
    """

    name: str
    say: str
    hex: str
    facing: str
    speed: int
    still: bool
    kind: str
    mine: bool
    enemy: bool
    shields: list[int]
    hexes: list[str]
    sure: str | UnsetType = UNSET
    straight: bool | UnsetType = UNSET


class FormEnemyWeapons(Struct, frozen=True):
    """A group of equal weapons of an enemy ship; ``n`` is their number, other fields are as in :class:`FormWeapon`."""

    n: int
    arcs: list[str]
    least: int
    most: int
    table: int
    small: int | UnsetType = UNSET
    tables: dict[str, int] | UnsetType = UNSET


class FormEnemy(Struct, frozen=True):
    """An enemy ship whose course may be sketched.

    Attributes:
        name: Its name.
        hull: The index of its movement tables in ``hulls``.
        turned: The hexes moved since the last turn.
        slipped: The hexes moved since the last sideslip.
        guns: The direct-fire weapons, without those that it was seen to lose.
        veils: The ways in which its cloak may change.
        blind: The factor by which ranges are multiplied if the ship has no lock-on.
    """

    name: str
    hull: int
    turned: int
    slipped: int
    guns: list[FormEnemyWeapons]
    veils: list[FormVeil] | UnsetType = UNSET
    blind: int | UnsetType = UNSET


class FormMail(Struct, frozen=True):
    """The address and the subject of the email that the form opens."""

    to: str
    subject: str


class FormRequest(Struct, frozen=True):
    """The request for orders that the form answers.

    Attributes:
        header: The first line of the orders.
        form: The kind of form.
        turn: The turn.
        number: The number of the request.
        first: The first impulse of the orders.
        through: The last impulse of the orders.
        continues: Whether CONTINUE is a valid answer.
        over: The titles of the steps of the first impulse that were already played, by step.
        speeds_known: Whether speeds are announced.
    """

    header: str
    form: Literal["EAF", "SOP", "FULL"]
    turn: int
    number: int
    first: int
    through: int
    continues: bool
    over: dict[str, str]
    speeds_known: bool


class FormMap(Struct, frozen=True):
    """The geometry of the map (:func:`pbem.reports.form.geometry.geometry`).

    Attributes:
        first: Column and row of the first hex.
        last: Column and row of the last hex.
        drawn: The first hex of the part that is drawn.
        units: Measures of the drawing.
        lower: The columns that are half a hex lower: 0 for even ones, 1 for odd ones.
        codes: What each plot code does from facing A.
        arcs: The arcs that hold a target, by its bearing from facing A.
        shields: The shields that a target faces, by its bearing from facing A.
        closed: Why ships may not enter a hex.
        rocks: Hexes with asteroids.
        adds: What asteroids add to the die, by the least number of them.
    """

    first: list[int]
    last: list[int]
    drawn: list[int]
    units: list[Number]
    lower: int
    codes: dict[str, list[int]]
    arcs: list[list[str]]
    shields: list[list[int]]
    closed: Reasons
    rocks: list[str] | UnsetType = UNSET
    adds: list[list[int]] | UnsetType = UNSET


class FormCondition(Struct, frozen=True):
    """A condition that the page offers: words for the list, order text with placeholders in braces.

    ``public`` says whether a break may use it.
    """

    show: str
    text: str
    public: bool


class FormPilot(Struct, frozen=True):
    """A way to steer relative to another unit: words for the list, and order text with placeholders in braces."""

    show: str
    text: str


class FormVocabulary(Struct, frozen=True):
    """The words with which the page writes and reads orders (:func:`pbem.reports.form.words.vocabulary`)."""

    conditions: list[FormCondition]
    pilots: list[FormPilot]
    operators: list[str]
    arcs: list[str]
    launched: list[str]
    fired: list[str]
    codes: dict[str, str]
    headings: dict[str, str]
    energy: dict[str, str]
    weapons: dict[str, str]
    lines: dict[str, str]
    places: list[str]


class OrderFormData(Struct, frozen=True):
    """All data of an order form page.

    Attributes:
        format: The version of the data.
        side: The side that fills in the form.
        game: The name of the game.
        file: The name of the file that the page saves.
        mail: The email that the page opens.
        request: The request that the form answers.
        impulses: For each speed a text with 1 for every impulse of movement.
        map: The map; missing if only energy is asked for.
        tables: The movement tables, by name.
        top: The greatest speed.
        far: The range in hexes up to which the page computes arcs.
        units: The units that orders may name.
        foes: The enemy ships whose courses may be sketched.
        hulls: The movement tables of these ships.
        charts: Tables of chances: for each range the faces of the die that hit, and the points of all six.
        blocks: The units that the form gives orders to.
        words: The words of the order language.
        draft: The lines of the draft.
    """

    format: int
    side: str
    game: str
    file: str
    mail: FormMail
    request: FormRequest
    impulses: list[str]
    map: FormMap | None
    tables: dict[str, FormHelmTable]
    top: int
    far: int
    units: list[FormUnit]
    foes: list[FormEnemy]
    hulls: list[FormHull]
    charts: list[list[list[int]]]
    blocks: list[FormBlock]
    words: FormVocabulary
    draft: list[str]
