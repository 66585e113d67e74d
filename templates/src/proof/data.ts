/** The data of a proof page: proof.json, the lines of the log, and a sentence for each roll. */
export interface ProofPage {
  proof: Proof;
  log: string[];
  told: Record<string, string>;
}

/** What proof.json says about the dice of a game. */
export interface Proof {
  game: string;
  scheme: number;
  commitment: string;
  salts: string;
  salt_link: string;
  beacon: string;
  fresh?: string[];
  segments: Segment[];
}

/** One segment: the play from one request for orders to the next. */
export interface Segment {
  segment: number;
  turn: number;
  request: number;
  link: string;
  beacon: string;
  log_key: string;
  log: string;
  last: number;
  older?: boolean;
  kept?: number[];
  of?: Record<string, number>;
  orders: SealedOrders[];
  rolls: [label: string, faces: number, die: number][];
}

/** The orders of one side, with the salt and the hash under which they were sealed. */
export interface SealedOrders {
  side: string;
  sealed: string;
  salt: string;
  text: string;
}

/** A record of the log, as far as the check reads it. */
export interface LogRecord {
  n: number;
  event: LogEvent;
}

/** An event of the log, as far as the check reads it. */
export interface LogEvent {
  event: string;
  turn: number;
  impulse?: number;
  step: string;
  segment: number;
  beacon: string;
  side: string;
  text: string;
  sealed: string;
  continued?: boolean;
  to: number;
  told?: number;
  fresh?: string;
  roll?: string;
  die?: number;
  second_roll?: string;
  second: number;
  rolls?: string[];
  holders_dice?: number[];
  raiders_dice?: number[];
  request: { turn: number };
}
