/** One check of the page: how many things it looked at, and which were wrong. */
export interface Check {
  id: string;
  title: string;
  looked: number;
  wrong: string[];
}

/** All checks of a game, in the order in which the page shows them. */
export interface Findings {
  chain: Check;
  salts: Check | null;
  orders: Check;
  beacons: Check | null;
  rolls: Check;
  events: Check;
  log: Check;
}

/** Make a check that has not looked at anything yet. */
export function beginCheck(id: string, title: string): Check {
  return { id, title, looked: 0, wrong: [] };
}
