/* The numbers of the hexes near the pointer. All of them at once would cover the board. */

import { type Grid, centreOf, distance, hasHex, hexName, parseHex } from "../geometry/hex.ts";

const FAR = 1; // hexes from the pointer
const ABOVE = 15; // from the centre of a hex up to its number

export class NearbyNumbers {
  private readonly layer: SVGGElement;
  private shown = "";

  constructor(
    map: SVGSVGElement,
    private readonly grid: Grid,
  ) {
    this.layer = this.made("g");
    this.layer.setAttribute("class", "nearby");
    this.layer.setAttribute("aria-hidden", "true");
    map.append(this.layer);
  }

  /** Show the numbers around this hex; none if it is empty. */
  show(name: string): void {
    if (name === this.shown) return;
    this.shown = name;
    const texts: SVGElement[] = [];
    const { column, row } = parseHex(name);
    for (let c = column - FAR; name && c <= column + FAR; c++)
      for (let r = row - FAR; r <= row + FAR; r++) {
        const hex = { column: c, row: r };
        if (!hasHex(this.grid, hex) || distance({ column, row }, hex, this.grid.lower) > FAR)
          continue;
        const { x, y } = centreOf(this.grid, hex);
        const text = this.made("text");
        text.setAttribute("x", String(x));
        text.setAttribute("y", String(y - ABOVE));
        text.textContent = hexName(hex);
        texts.push(text);
      }
    this.layer.replaceChildren(...texts);
  }

  private made<Tag extends "g" | "text">(tag: Tag): SVGElementTagNameMap[Tag] {
    return document.createElementNS("http://www.w3.org/2000/svg", tag);
  }
}
