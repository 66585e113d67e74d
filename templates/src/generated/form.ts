/*
 * The data of the order form page, made from pbem/reports/form/model.py.
 *
 * Change the structs there, then run `python -m tests.refresh --only types`.
 */

/** The address and the subject of the email that the form opens. */
export interface FormMail {
  to: string;
  subject: string;
}

/** The request for orders that the form answers. */
export interface FormRequest {
  /** The first line of the orders. */
  header: string;
  /** What is requested (:class:`~pbem.data.terms.FormKind`). */
  form: "EAF" | "FULL" | "SOP";
  /** The turn. */
  turn: number;
  /** The number of the request. */
  number: number;
  /** The first impulse of the orders. */
  first: number;
  /** The last impulse of the orders. */
  through: number;
  /** Whether CONTINUE is a valid answer. */
  continues: boolean;
  /** The steps of the first impulse that were already played, with their titles. */
  over: Record<string, string>;
  /** Whether all sides' speeds for the turn have been announced. */
  speeds_known: boolean;
}

/** The geometry of the map (`geometry`). */
export interface FormMap {
  /** Column and row of the first hex. */
  first: number[];
  /** Column and row of the last hex. */
  last: number[];
  /** The first hex of the part that is drawn. */
  drawn: number[];
  /** Dimensions of the drawing. */
  units: number[];
  /** The columns that are half a hex lower: 0 for even ones, 1 for odd ones. */
  lower: number;
  /** The direction and new facing for each plot code from facing A. */
  codes: Record<string, number[]>;
  /** The arcs that contain a target, by its bearing from facing A. */
  arcs: string[][];
  /** The shields that a target faces, by its bearing from facing A. */
  shields: number[][];
  /** The hexes that ships may not enter, each with the reason. */
  closed: Record<string, string>;
  /** Hexes with asteroids. */
  rocks?: string[];
  /** The number added to the die, by the minimum number of asteroid hexes in the line of fire. */
  adds?: number[][];
}

/**
 * A movement table: for each state and plot code the next state, or why the code is refused. A
 * state is `turned * slips + slipped`.
 */
export interface FormHelmTable {
  mode: number;
  slips: number;
  rows: (number | string)[][];
}

/** A unit on the map that orders may name. */
export interface FormUnit {
  /** Its name. */
  name: string;
  /** Its name as written in orders. */
  say: string;
  /** Its hex. */
  hex: string;
  /** Its facing; a planet has none. */
  facing: string;
  /** Its speed now. */
  speed: number;
  /** Whether it never moves. */
  still: boolean;
  /** Its kind. */
  kind: string;
  /** Whether it belongs to the side that fills in the form. */
  mine: boolean;
  /** Whether it is an enemy of that side. */
  enemy: boolean;
  /** The boxes of the six shields of a ship. */
  shields: number[];
  /** The hexes of a planet. */
  hexes: string[];
  /**
   * The step of the impulse in which a unit moves whose speed never changes; missing for other
   * units.
   */
  sure?: string;
  /** Whether it always moves straight ahead. */
  straight?: boolean;
}

/**
 * A group of equal weapons of an enemy ship. `n` is the number of weapons. The other fields have
 * the same meaning as in `FormWeapon`.
 */
export interface FormEnemyWeapons {
  n: number;
  arcs: string[];
  least: number;
  most: number;
  table: number;
  small?: number;
  tables?: Record<string, number>;
}

/** One way in which a ship's cloak may change while the orders are in force. */
export interface FormVeil {
  /** A description of the change. */
  say: string;
  /**
   * Ranges of impulses: last impulse, factor and addition for the range of fire at the ship, and 1
   * if its own
   */
  at: number[][];
  /**
   * Whether the form must pay for the cloak (true) or must not (false); missing if that does not
   * matter.
   */
  paid?: boolean;
}

/** An enemy ship whose course may be sketched. */
export interface FormEnemy {
  /** Its name. */
  name: string;
  /** The index of its movement data in ``hulls``. */
  hull: number;
  /** The hexes moved since the last turn. */
  turned: number;
  /** The hexes moved since the last sideslip. */
  slipped: number;
  /** The direct-fire weapons, without those that the reader saw destroyed. */
  guns: FormEnemyWeapons[];
  /** The ways in which its cloak may change. */
  veils?: FormVeil[];
  /** The factor by which ranges are multiplied if the ship has no lock-on. */
  blind?: number;
}

/**
 * The movement of one kind of enemy ship: the name of its movement table and its turn mode at each
 * speed.
 */
export interface FormHull {
  tables: string[];
  modes: number[];
}

/** One way to pay for a speed from the power sources. */
export interface FormEnergyMix {
  text: string;
  ask: Record<string, number>;
}

/** One choice in a field of the energy form. */
export interface FormEnergyOption {
  /** The entry in the order text; empty if the choice makes no entry. */
  text: string;
  /** Points of energy by source; with the source "" the engine chooses the source. */
  ask: Record<string, number>;
  /** The text that the page shows in the list of choices. */
  show: string;
  /** The charge of the weapon after this choice. */
  charge?: string;
  /** The points in the phaser capacitor after this choice. */
  capacitor?: number;
  /** A warning about what happens after this choice. */
  warn?: string;
  /** The speed in hexes a turn. */
  hexes?: number;
  /** The ways to pay for the speed. */
  mixes?: FormEnergyMix[];
  /** The speed that results if the ship tows a unit. */
  tows?: number;
  /** Whether the weapon can be used after this choice. */
  uses?: boolean;
}

/** Further options of a field, which differ only in a number from 1 to `to`. */
export interface FormEnergySeries {
  text: string;
  ask: Record<string, number>;
  to: number;
}

/** A field of the energy form. */
export interface FormEnergyField {
  /** The name of the field. */
  id: string;
  /** The line of the energy form. */
  line: number;
  /** The title of the field. */
  label: string;
  /** What it means to leave the field empty. */
  none: string;
  /** The choices. */
  options: FormEnergyOption[];
  /** What the player should know about the field. */
  about?: string;
  /** The power sources that an entry in the field may name. */
  sources?: string[];
  /** The reason why there are no more choices. */
  limit?: string;
  /** The points in the phaser capacitor now. */
  capacitor?: number;
  /** Further options, which differ only in a number. */
  series?: FormEnergySeries;
  /** Whether the field belongs to a tractor beam that holds a unit now. */
  holds?: boolean;
}

/** Two fields of the energy form that exclude each other, and why. */
export interface FormEnergyClash {
  a: string;
  b: string;
  text: string;
}

/**
 * The maximum total of points on one line of the energy form, and the message for a higher total.
 */
export interface FormEnergyCap {
  line: number;
  most: number;
  text: string;
}

/** The energy form of a ship. */
export interface FormEnergy {
  /** Points by source. */
  power: Record<string, number>;
  /** The number of battery boxes. */
  boxes: number;
  /** The speed in the turn before. */
  prior: number;
  /** The titles of the lines, by number. */
  labels: Record<string, string>;
  /** The fields, in the sequence in which the order text lists them. */
  fields: FormEnergyField[];
  /** Pairs of fields that exclude each other. */
  clashes: FormEnergyClash[];
  /** Limits on the sum of the points on a line. */
  caps: FormEnergyCap[];
}

/**
 * The speeds that a unit may choose: the highest one, the present one, and whether the speed is
 * fixed.
 */
export interface FormSpeeds {
  top: number;
  now: number;
  fixed?: boolean;
}

/** How a unit may move. */
export interface FormHelm {
  /** The names of its movement tables, by speed. */
  tables: string[];
  /** Its turn modes, by speed. */
  modes: number[];
  /** The hexes moved since the last turn. */
  turned: number;
  /** The hexes moved since the last sideslip. */
  slipped: number;
}

/** The plot codes allowed for a ship with a fixed course, and why other codes are refused. */
export interface FormScript {
  /** The codes for its first hex. */
  first: string[];
  /** The codes for later hexes. */
  later: string[];
  /** The reason why other codes are refused. */
  why: string;
}

/** A weapon of one of the side's own units. */
export interface FormWeapon {
  /** Its name in orders. */
  name: string;
  /** Its arc as the SSD names it. */
  arc: string;
  /** The 60-degree arcs of which its arc consists. */
  arcs: string[];
  /** The first word of orders that use it. */
  verb: "FIRE" | "LAUNCH";
  /** The points that a phaser takes from the capacitor. */
  cost: number;
  /** The minimum range in hexes. */
  least: number;
  /** The maximum range in hexes. */
  most: number;
  /** The index of its table of chances. */
  table: number;
  /** A description of its state. */
  state: string;
  /** Why it cannot be used even with all energy; empty if it can. */
  idle: string;
  /** Why it cannot be used unless the form pays for it; empty if no payment is needed. */
  needs: string;
  /** Why it cannot be used if a standing cost is not paid, by the field of that cost. */
  unpaid: Record<string, string>;
  /** Whether it may fire on battery power. */
  battery: boolean;
  /** The number added to the die for shots at drones. */
  small?: number;
  /**
   * The index of its table of chances for each combination of circumstances that change a shot,
   * such as a
   */
  tables?: Record<string, number>;
  /** Why it may not be used at a target, by the name of the target. */
  not?: Record<string, string>;
  /** Why it may not be used in an impulse, by the impulse. */
  closed?: Record<string, string>;
}

/** An activity that the form offers, other than the use of a weapon. */
export interface FormAct {
  /** Its kind. */
  group: string;
  /** The order text. */
  text: string;
  /** Whether the order names IT, the unit of its condition. */
  it: boolean;
  /** The reason for refusal if the form does not pay for it. */
  needs: string;
  /** Fields of the energy form; an entry in any one of them pays for it. */
  by: string[];
  /** The reason for refusal if the form does pay for it. */
  spoiled: string;
  /** The reason for refusal if a standing cost is not paid, by the field of that cost. */
  unpaid: Record<string, string>;
  /** The reasons for refusal with 0, 1, 2 … points left in the batteries. */
  drained: string[];
}

/** Data on tactical maneuvers. */
export interface FormTac {
  /** The message that the form shows for a tactical maneuver that the ship has not paid for. */
  unpaid: string;
}

/** One ship or shuttle that the form gives orders to. */
export interface FormBlock {
  /** The heading of its block of orders. */
  head: string;
  /** Its name. */
  name: string;
  /** ``ship`` or ``shuttle``. */
  kind: "ship" | "shuttle";
  /** The class of a ship, or where a shuttle comes from. */
  about: string;
  /** Its hex. */
  hex: string;
  /** Its facing. */
  facing: string;
  /** Its speed now; missing if the energy form sets it. */
  speed: number | null;
  /** Its energy form, if one is requested. */
  energy: FormEnergy | null;
  /** The speeds that it may choose, if a speed is requested. */
  speeds: FormSpeeds | null;
  /** How it may move. */
  helm?: FormHelm;
  /** The plot codes allowed for a ship with a fixed course. */
  script?: FormScript | null;
  /** Whether it has moved already in the first impulse of the orders. */
  moved?: boolean;
  /** Its weapons. */
  weapons?: FormWeapon[];
  /** The ways in which its cloak may change. */
  veils?: FormVeil[];
  /** The factor by which ranges are multiplied if the ship has no lock-on. */
  blind?: number;
  /** The points in its phaser capacitor. */
  capacitor?: number;
  /** The boxes of its six shields. */
  shields?: number[];
  /** The boxes that the owner may have damaged first or last, by category. */
  damage?: Record<string, string[]>;
  /** Initial orders for the next shuttle that it can launch; empty if there is none. */
  boat?: string;
  /** The activities that the form offers, except the use of weapons. */
  acts?: FormAct[];
  /** The units and groups that its conditions may name. */
  names?: string[];
  /** Whether it may leave the map. */
  may_leave?: boolean;
  /** Data on its tactical maneuvers. */
  tac?: FormTac;
}

/**
 * A condition that the page offers: its description in the list, and its order text. The order
 * text has placeholders in braces. `public` says whether a break may use the condition.
 */
export interface FormCondition {
  show: string;
  text: string;
  public: boolean;
}

/**
 * A way to steer relative to another unit: its description in the list, and its order text. The
 * order text has placeholders in braces.
 */
export interface FormPilot {
  show: string;
  text: string;
}

/** The words with which the page writes and reads orders (`vocabulary`). */
export interface FormVocabulary {
  conditions: FormCondition[];
  pilots: FormPilot[];
  operators: string[];
  arcs: string[];
  launched: string[];
  fired: string[];
  codes: Record<string, string>;
  headings: Record<string, string>;
  energy: Record<string, string>;
  weapons: Record<string, string>;
  lines: Record<string, string>;
  places: string[];
}

/** All data of an order form page. */
export interface OrderFormData {
  /** The version of the data. */
  format: number;
  /** The side that fills in the form. */
  side: string;
  /** The name of the game. */
  game: string;
  /** The name of the file that the page saves. */
  file: string;
  /** The email that the page opens. */
  mail: FormMail;
  /** The request that the form answers. */
  request: FormRequest;
  /** For each speed a string of 0 and 1, in which 1 marks an impulse of movement. */
  impulses: string[];
  /** The map; missing if only energy forms are requested. */
  map: FormMap | null;
  /** The movement tables, by name. */
  tables: Record<string, FormHelmTable>;
  /** The highest speed. */
  top: number;
  /** The range in hexes up to which the page computes arcs. */
  far: number;
  /** The units that orders may name. */
  units: FormUnit[];
  /** The enemy ships whose courses may be sketched. */
  foes: FormEnemy[];
  /** The movement data of the enemy ships in ``foes``. */
  hulls: FormHull[];
  /**
   * Tables of chances: for each range the number of die faces that hit, and the total points of
   * all six
   */
  charts: number[][][];
  /** The units that the form gives orders to. */
  blocks: FormBlock[];
  /** The words of the order language. */
  words: FormVocabulary;
  /** The lines of the draft. */
  draft: string[];
}
