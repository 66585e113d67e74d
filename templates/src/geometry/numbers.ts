/* The numbers of the hexes on a drawn map. The page holds only what they are made from (`data-numbers`). */

import { type Grid, centreOf, hexName, hexesOf } from "./hex.ts";

/** Distance in drawing units from the centre of a hex up to the baseline of its number. */
const ABOVE = 15;

/** Return the grid of a map from the nine numbers in its `data-numbers`. */
export function parseGrid(text: string): Grid {
  const [column, row, lastColumn, lastRow, x, y, across, down, lower] = text.split(" ").map(Number);
  return {
    first: { column, row },
    last: { column: lastColumn, row: lastRow },
    lower,
    at: { x, y: y + ABOVE },
    across,
    down,
  };
}

/** Return the grid of a drawn map, or null if the map has no numbers. */
export function gridOf(map: Element): Grid | null {
  const group = map.querySelector<SVGGElement>(".no[data-numbers]");
  return group && parseGrid(group.dataset.numbers!);
}

/** Write the number of each hex into a map, in place of the halves of numbers for readers without scripts. */
export function writeNumbers(map: Element): void {
  const group = map.querySelector<SVGGElement>(".no[data-numbers]");
  if (!group) return;
  const grid = parseGrid(group.dataset.numbers!);
  const texts = [...hexesOf(grid)].map((hex) => {
    const text = group.ownerDocument.createElementNS(group.namespaceURI, "text");
    const { x, y } = centreOf(grid, hex);
    text.setAttribute("x", String(x));
    text.setAttribute("y", String(y - ABOVE));
    text.textContent = hexName(hex);
    return text;
  });
  group.replaceChildren(...texts);
}
