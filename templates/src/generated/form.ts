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
  /** The kind of form. */
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
  /** The titles of the steps of the first impulse that were already played, by step. */
  over: Record<string, string>;
  /** Whether speeds are announced. */
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
  /** Measures of the drawing. */
  units: number[];
  /** The columns that are half a hex lower: 0 for even ones, 1 for odd ones. */
  lower: number;
  /** What each plot code does from facing A. */
  codes: Record<string, number[]>;
  /** The arcs that hold a target, by its bearing from facing A. */
  arcs: string[][];
  /** The shields that a target faces, by its bearing from facing A. */
  shields: number[][];
  /** Why ships may not enter a hex. */
  closed: Record<string, string>;
  /** Hexes with asteroids. */
  rocks?: string[];
  /** What asteroids add to the die, by the least number of them. */
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
  /** Its name as orders write it. */
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
  /** For a unit whose speed never changes, the step of the impulse in which it moves. */
  sure?: string;
  /** Whether it never turns. */
  straight?: boolean;
}

/**
 * A group of equal weapons of an enemy ship; `n` is their number, other fields are as in
 * `FormWeapon`.
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
  /** A description of the way. */
  say: string;
  /**
   * Stretches of impulses: last impulse, factor and addition to the range, 1 if own weapons are
   * silent.
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
  /** The index of its movement tables in ``hulls``. */
  hull: number;
  /** The hexes moved since the last turn. */
  turned: number;
  /** The hexes moved since the last sideslip. */
  slipped: number;
  /** The direct-fire weapons, without those that it was seen to lose. */
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

/** One choice of power for a speed. */
export interface FormEnergyMix {
  text: string;
  ask: Record<string, number>;
}

/** One choice of a field of the energy form. */
export interface FormEnergyOption {
  /** The entry of the order text; empty if the choice enters nothing. */
  text: string;
  /** Points of energy by source; the source "" lets the engine choose. */
  ask: Record<string, number>;
  /** The text of the choice in the list of choices. */
  show: string;
  /** The charge of the weapon after this choice. */
  charge?: string;
  /** The points in the phaser capacitor after this choice. */
  capacitor?: number;
  /** A warning about what happens after this choice. */
  warn?: string;
  /** The speed in hexes a turn. */
  hexes?: number;
  /** The choices of power for the speed. */
  mixes?: FormEnergyMix[];
  /** The speed that results while the ship tows something. */
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
  /** What the player should know of the field. */
  about?: string;
  /** The power sources that an entry may name. */
  sources?: string[];
  /** Why there are no more choices. */
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

/** The maximum sum of the points on a line of the energy form, and the message for a higher sum. */
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
  /** The speed of the turn before. */
  prior: number;
  /** The titles of the lines, by number. */
  labels: Record<string, string>;
  /** The fields, in the order of the text. */
  fields: FormEnergyField[];
  /** Pairs of fields that exclude each other. */
  clashes: FormEnergyClash[];
  /** Limits on the sum of a line. */
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

/**
 * The plot codes of a ship with a fixed course, for its first hex and later ones, and why others
 * are refused.
 */
export interface FormScript {
  first: string[];
  later: string[];
  why: string;
}

/** A weapon of an own unit. */
export interface FormWeapon {
  /** Its name in orders. */
  name: string;
  /** Its arc as the SSD names it. */
  arc: string;
  /** The arcs of 60 degrees that its arc consists of. */
  arcs: string[];
  /** The verb of orders that use it. */
  verb: "FIRE" | "LAUNCH";
  /** The points that a phaser takes from the capacitor. */
  cost: number;
  /** The least range in hexes. */
  least: number;
  /** The greatest range in hexes. */
  most: number;
  /** The number of its table of chances. */
  table: number;
  /** Its state in words. */
  state: string;
  /** Why it cannot be used even with all energy; empty if it can. */
  idle: string;
  /** Why it cannot be used unless the form pays for it; empty if it can. */
  needs: string;
  /** Why it cannot be used if a standing cost is not paid, by the field of that cost. */
  unpaid: Record<string, string>;
  /** Whether it may fire on battery power. */
  battery: boolean;
  /** What is added to the die against drones. */
  small?: number;
  /**
   * The numbers of its tables of chances for each combination of changes of a shot, such as a
   * cloak.
   */
  tables?: Record<string, number>;
  /** Why it may not be used at a target, by the name of the target. */
  not?: Record<string, string>;
  /** Why it may not be used in an impulse, by the impulse. */
  closed?: Record<string, string>;
}

/** An activity other than the use of a weapon. */
export interface FormAct {
  /** Its kind. */
  group: string;
  /** The order. */
  text: string;
  /** Whether the order names IT, the unit of its condition. */
  it: boolean;
  /** Why it is refused if the form pays nothing for it. */
  needs: string;
  /** The fields of the energy form, one of which pays for it. */
  by: string[];
  /** Why it is refused if the form pays for it. */
  spoiled: string;
  /** Why it is refused if a standing cost is not paid, by the field of that cost. */
  unpaid: Record<string, string>;
  /** Why it is refused with 0, 1, 2 … points left in the batteries. */
  drained: string[];
}

/** The reason why a tactical maneuver is refused if the ship has paid no energy for it. */
export interface FormTac {
  unpaid: string;
}

/** One ship or shuttle that the form gives orders to. */
export interface FormBlock {
  /** The heading of its block of orders. */
  head: string;
  /** Its name. */
  name: string;
  /** What it is. */
  kind: "ship" | "shuttle";
  /** Its class, or where it comes from. */
  about: string;
  /** Its hex. */
  hex: string;
  /** Its facing. */
  facing: string;
  /** Its speed now; missing if the energy form sets it. */
  speed: number | null;
  /** Its energy form, if that is asked for. */
  energy: FormEnergy | null;
  /** Its choices of speed, if those are asked for. */
  speeds: FormSpeeds | null;
  /** How it may move. */
  helm?: FormHelm;
  /** The codes of a fixed course. */
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
  /** By kind of damage, the boxes that the owner may have damaged first or last. */
  damage?: Record<string, string[]>;
  /** Orders for the next shuttle that it can launch; may be empty. */
  boat?: string;
  /** Its activities. */
  acts?: FormAct[];
  /** The units and groups that its conditions may name. */
  names?: string[];
  /** Whether it may leave the map. */
  may_leave?: boolean;
  /** What is known of its tactical maneuvers. */
  tac?: FormTac;
}

/**
 * A condition that the page offers: words for the list, order text with placeholders in braces.
 * `public` says whether a break may use it.
 */
export interface FormCondition {
  show: string;
  text: string;
  public: boolean;
}

/**
 * A way to steer relative to another unit: words for the list, and order text with placeholders in
 * braces.
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
  /** For each speed a text with 1 for every impulse of movement. */
  impulses: string[];
  /** The map; missing if only energy is asked for. */
  map: FormMap | null;
  /** The movement tables, by name. */
  tables: Record<string, FormHelmTable>;
  /** The greatest speed. */
  top: number;
  /** The range in hexes up to which the page computes arcs. */
  far: number;
  /** The units that orders may name. */
  units: FormUnit[];
  /** The enemy ships whose courses may be sketched. */
  foes: FormEnemy[];
  /** The movement tables of these ships. */
  hulls: FormHull[];
  /** Tables of chances: for each range the faces of the die that hit, and the points of all six. */
  charts: number[][][];
  /** The units that the form gives orders to. */
  blocks: FormBlock[];
  /** The words of the order language. */
  words: FormVocabulary;
  /** The lines of the draft. */
  draft: string[];
}
