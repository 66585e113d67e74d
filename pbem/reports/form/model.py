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
    """One way to pay for a speed from the power sources."""

    text: str
    ask: Points


class FormEnergyOption(Struct, frozen=True):
    """One choice in a field of the energy form.

    Attributes:
        text: The entry in the order text; empty if the choice makes no entry.
        ask: Points of energy by source; with the source "" the engine chooses the source.
        show: The text that the page shows in the list of choices.
        charge: The charge of the weapon after this choice.
        capacitor: The points in the phaser capacitor after this choice.
        warn: A warning about what happens after this choice.
        hexes: The speed in hexes a turn.
        mixes: The ways to pay for the speed.
        tows: The speed that results if the ship tows a unit.
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
        about: What the player should know about the field.
        sources: The power sources that an entry in the field may name.
        limit: The reason why there are no more choices.
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
    """The maximum total of points on one line of the energy form, and the message for a higher total."""

    line: int
    most: Number
    text: str


class FormEnergy(Struct, frozen=True):
    """The energy form of a ship.

    Attributes:
        power: Points by source.
        boxes: The number of battery boxes.
        prior: The speed in the turn before.
        labels: The titles of the lines, by number.
        fields: The fields, in the sequence in which the order text lists them.
        clashes: Pairs of fields that exclude each other.
        caps: Limits on the sum of the points on a line.
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
        say: A description of the change.
        paid: Whether the form must pay for the cloak (true) or must not (false); missing if that does not matter.
        at: Ranges of impulses: last impulse, factor and addition for the range of fire at the ship, and 1 if its own
            weapons may not be used.
    """

    say: str
    at: list[list[int]]
    paid: bool | UnsetType = UNSET


class FormWeapon(Struct, frozen=True):
    """A weapon of one of the side's own units.

    Attributes:
        name: Its name in orders.
        arc: Its arc as the SSD names it.
        arcs: The 60-degree arcs of which its arc consists.
        verb: The first word of orders that use it.
        cost: The points that a phaser takes from the capacitor.
        least: The minimum range in hexes.
        most: The maximum range in hexes.
        table: The index of its table of chances.
        state: A description of its state.
        battery: Whether it may fire on battery power.
        small: The number added to the die for shots at drones.
        tables: The index of its table of chances for each combination of circumstances that change a shot, such as a
            cloak.
        idle: Why it cannot be used even with all energy; empty if it can.
        needs: Why it cannot be used unless the form pays for it; empty if no payment is needed.
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
    """An activity that the form offers, other than the use of a weapon.

    Attributes:
        group: Its kind.
        text: The order text.
        it: Whether the order names IT, the unit of its condition.
        needs: The reason for refusal if the form does not pay for it.
        by: Fields of the energy form; an entry in any one of them pays for it.
        spoiled: The reason for refusal if the form does pay for it.
        unpaid: The reason for refusal if a standing cost is not paid, by the field of that cost.
        drained: The reasons for refusal with 0, 1, 2 … points left in the batteries.
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
    """The plot codes allowed for a ship with a fixed course, and why other codes are refused.

    Attributes:
        first: The codes for its first hex.
        later: The codes for later hexes.
        why: The reason why other codes are refused.
    """

    first: list[str]
    later: list[str]
    why: str


class FormTac(Struct, frozen=True):
    """Data on tactical maneuvers.

    Attributes:
        unpaid: The message that the form shows for a tactical maneuver that the ship has not paid for.
    """

    unpaid: str


class FormBlock(Struct, frozen=True):
    """One ship or shuttle that the form gives orders to.

    Attributes:
        head: The heading of its block of orders.
        name: Its name.
        kind: ``ship`` or ``shuttle``.
        about: The class of a ship, or where a shuttle comes from.
        hex: Its hex.
        facing: Its facing.
        speed: Its speed now; missing if the energy form sets it.
        energy: Its energy form, if one is requested.
        speeds: The speeds that it may choose, if a speed is requested.
        helm: How it may move.
        script: The plot codes allowed for a ship with a fixed course.
        moved: Whether it has moved already in the first impulse of the orders.
        weapons: Its weapons.
        veils: The ways in which its cloak may change.
        blind: The factor by which ranges are multiplied if the ship has no lock-on.
        capacitor: The points in its phaser capacitor.
        shields: The boxes of its six shields.
        damage: The boxes that the owner may have damaged first or last, by category.
        boat: Initial orders for the next shuttle that it can launch; empty if there is none.
        acts: The activities that the form offers, except the use of weapons.
        names: The units and groups that its conditions may name.
        may_leave: Whether it may leave the map.
        tac: Data on its tactical maneuvers.
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
        say: Its name as written in orders.
        hex: Its hex.
        facing: Its facing; a planet has none.
        speed: Its speed now.
        still: Whether it never moves.
        kind: Its kind.
        mine: Whether it belongs to the side that fills in the form.
        enemy: Whether it is an enemy of that side.
        shields: The boxes of the six shields of a ship.
        hexes: The hexes of a planet.
        sure: The step of the impulse in which a unit moves whose speed never changes; missing for other units.
        straight: Whether it always moves straight ahead.
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
    """A group of equal weapons of an enemy ship.

    ``n`` is the number of weapons. The other fields have the same meaning as in :class:`FormWeapon`.
    """

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
        hull: The index of its movement data in ``hulls``.
        turned: The hexes moved since the last turn.
        slipped: The hexes moved since the last sideslip.
        guns: The direct-fire weapons, without those that the reader saw destroyed.
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
        form: What is requested (:class:`~pbem.data.terms.FormKind`).
        turn: The turn.
        number: The number of the request.
        first: The first impulse of the orders.
        through: The last impulse of the orders.
        continues: Whether CONTINUE is a valid answer.
        over: The steps of the first impulse that were already played, with their titles.
        speeds_known: Whether all sides' speeds for the turn have been announced.
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
        units: Dimensions of the drawing.
        lower: The columns that are half a hex lower: 0 for even ones, 1 for odd ones.
        codes: The direction and new facing for each plot code from facing A.
        arcs: The arcs that contain a target, by its bearing from facing A.
        shields: The shields that a target faces, by its bearing from facing A.
        closed: The hexes that ships may not enter, each with the reason.
        rocks: Hexes with asteroids.
        adds: The number added to the die, by the minimum number of asteroid hexes in the line of fire.
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
    """A condition that the page offers: its description in the list, and its order text.

    The order text has placeholders in braces.

    ``public`` says whether a break may use the condition.
    """

    show: str
    text: str
    public: bool


class FormPilot(Struct, frozen=True):
    """A way to steer relative to another unit: its description in the list, and its order text.

    The order text has placeholders in braces.
    """

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
        impulses: For each speed a string of 0 and 1, in which 1 marks an impulse of movement.
        map: The map; missing if only energy forms are requested.
        tables: The movement tables, by name.
        top: The highest speed.
        far: The range in hexes up to which the page computes arcs.
        units: The units that orders may name.
        foes: The enemy ships whose courses may be sketched.
        hulls: The movement data of the enemy ships in ``foes``.
        charts: Tables of chances: for each range the number of die faces that hit, and the total points of all six
            faces.
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
