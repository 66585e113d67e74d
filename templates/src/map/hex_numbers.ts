/*
 * The numbers of hexes in the map of a page.
 *
 * The page holds only where the first number is and how far the next ones are. Without this script the numbers are put
 * together from their halves.
 */

/** Write the number of each hex into the map of the page, unless it has no map. */
export function writeHexNumbers(): void {
  const group = document.querySelector<SVGGElement>(".no[data-numbers]");
  if (!group) return;
  group.replaceChildren();
  const [column, row, lastColumn, lastRow, x, y, across, down, lower] = group.dataset
    .numbers!.split(" ")
    .map(Number);
  const shift = (c: number) => (c % 2 === lower ? down / 2 : 0);
  for (let c = column; c <= lastColumn; c++)
    for (let r = row; r <= lastRow; r++) {
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      text.setAttribute("x", String(x + across * (c - column)));
      text.setAttribute("y", String(y + down * (r - row) + shift(c) - shift(column)));
      text.textContent = String(c).padStart(2, "0") + String(r).padStart(2, "0");
      group.append(text);
    }
}
