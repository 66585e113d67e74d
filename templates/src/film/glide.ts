/* Moves counters from place to place.

   A transition in the style would do it, too, but it gives each moving counter a layer of its own: with a hundred of
   them the browser draws half as many pictures a second. */

import { type Four, between } from "./geometry.ts";

const TIME = 350;

interface Way {
  from: Four;
  to: Four;
  begun: number;
}

const transform = ([x, y, turn, size]: Four) =>
  `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${size})`;

/** Put an element at a place (x, y, rotation, size): at once, or in a short time from where it is. */
export type Move = (element: SVGElement, to: Four, smooth: boolean) => void;

/** Return a function that moves elements. Readers who want less motion see no way between two places. */
export function createGlide(): Move {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const places = new WeakMap<SVGElement, Four>();
  const ways = new Map<SVGElement, Way>();
  let moving = false;

  function put(element: SVGElement, place: Four): void {
    places.set(element, place);
    element.style.transform = transform(place);
  }

  function step(now: number): void {
    for (const [element, { from, to, begun }] of ways) {
      const part = Math.min(1, Math.max(0, (now - begun) / TIME));
      put(element, between(from, to, part));
      if (part === 1) ways.delete(element);
    }
    moving = ways.size > 0;
    if (moving) requestAnimationFrame(step);
  }

  return (element, to, smooth) => {
    const from = places.get(element);
    const goal = ways.get(element)?.to ?? from;
    const glides = smooth && !calm.matches;
    if (goal?.every((value, n) => value === to[n]) && (glides || !ways.has(element))) return;
    ways.delete(element);
    if (!from || !glides) return put(element, to);
    ways.set(element, { from, to, begun: performance.now() });
    if (!moving) requestAnimationFrame(step);
    moving = true;
  };
}
