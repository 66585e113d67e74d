/* What makes a film lively: beams by weapon, struck shields, flying numbers, explosions (`effects.css`).

   The map shows all of it without them; they only show how it comes about. */

import type { Point } from "../geometry/hex.ts";
import {
  type Beam,
  type Weapon,
  beamsOf,
  facingSide,
  lostBoxes,
  nearest,
  shieldPoint,
} from "./beams.ts";
import { svgElement } from "./dom.ts";
import type { Counter, Drawing } from "./draw.ts";
import type { Place } from "./geometry.ts";

export interface Effects {
  /** Show how a frame came about, while the effects of the frame before end; the frame itself is drawn already. */
  play(k: number, speed: number): void;
  /** End what is shown. */
  clear(): void;
  /** Take everything off the map. */
  destroy(): void;
}

/** What is heard of the effects. Delays are in milliseconds. */
export interface Noise {
  beam(weapon: Weapon, delay: number): void;
  strike(delay: number): void;
  blast(large: boolean): void;
}

export type CreateEffects = (drawing: Drawing) => Effects;

/** A line of fire on the map, with the number of points beside it if it scored any. */
interface Fire {
  line: SVGElement;
  points: SVGElement | null;
}

/** A ship or another unit that is shot at, and where it is. */
interface Target {
  counter: Counter;
  place: Place;
}

/** So many beams are drawn in one frame; then further shots have one beam each. */
const MOST_BEAMS = 120;
/** Distance in drawing units within which a line of fire ends at a unit. */
const NEAR = 26;
/** Distance from the centre of a ship to the middle of a shield. */
const SHIELD = 24;
const PHASER_TIME = 520;
const BOLT_TIME = 480;
const TORPEDO_TIME = 560;
const GLOW_TIME = 700;
const POINTS_TIME = 800;
const SPARK_TIME = 320;
const BLAST_TIME = 1000;

const at = ({ x, y }: Point) => `translate(${x}px, ${y}px)`;
const ends = ({ from, to }: Beam) => ({ x1: from.x, y1: from.y, x2: to.x, y2: to.y });
const numbers = (element: Element, ...names: string[]) =>
  names.map((name) => Number(element.getAttribute(name)));

/** Return the effects of a drawing. They add a layer to its map. */
export function createEffects(drawing: Drawing, noise: Noise | null = null): Effects {
  const { map, timeline, counters, shots } = drawing;
  const layer = svgElement(map, "g", { class: "fx", "aria-hidden": "true" });
  map.append(layer);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const byUnit = new Map(counters.map((counter) => [counter.unit, counter]));
  const fires = new Map<number, Fire[]>();
  for (const { line, k, hit } of shots) {
    if (hit) continue;
    const next = line.nextElementSibling as SVGElement | null;
    const points = next?.matches(".hit") ? next : null;
    fires.set(k, [...(fires.get(k) ?? []), { line, points }]);
  }
  const running = new Set<Animation>();
  let rate = 1;
  /** The units at which shots were fired in the moment that is shown, and this moment. */
  let shotAt = { moment: -1, units: new Set<string>() };

  function animate(
    element: SVGElement,
    keyframes: Keyframe[],
    timing: KeyframeAnimationOptions,
  ): Animation {
    const animation = element.animate(keyframes, { fill: "backwards", ...timing });
    animation.playbackRate = rate;
    running.add(animation);
    animation.onfinish = () => running.delete(animation);
    return animation;
  }

  /** Animate a new element on the layer: it is unseen before its time, and is removed at the end. */
  function show(
    element: SVGElement,
    keyframes: Keyframe[],
    timing: KeyframeAnimationOptions,
  ): void {
    element.style.opacity = "0";
    layer.append(element);
    const animation = animate(element, keyframes, { ...timing, fill: "none" });
    animation.onfinish = () => {
      running.delete(animation);
      element.remove();
    };
  }

  function clear(): void {
    for (const animation of running) animation.cancel();
    running.clear();
    layer.replaceChildren();
  }

  // --- beams

  /** A thin bright line, with a wider one in the colour of its side. Returns when it arrives. */
  function phaser(beam: Beam, side: string): number {
    const keyframes = [
      { strokeDashoffset: 1, opacity: 1 },
      { strokeDashoffset: 0, opacity: 1, offset: 0.25 },
      { strokeDashoffset: 0, opacity: 1, offset: 0.6 },
      { strokeDashoffset: 0, opacity: 0 },
    ];
    for (const name of [`halo ${side}`, "phaser"]) {
      const line = svgElement(map, "line", { class: name, pathLength: 1, ...ends(beam) });
      line.setAttribute("stroke-dasharray", "1 1");
      show(line, keyframes, { delay: beam.delay, duration: PHASER_TIME });
    }
    return beam.delay + PHASER_TIME / 4;
  }

  /** Three pulses one after the other. */
  function bolts(beam: Beam, side: string): number {
    const line = svgElement(map, "line", {
      class: `${beam.weapon} ${side}`,
      pathLength: 100,
      "stroke-dasharray": "7 9 7 9 7 200",
      ...ends(beam),
    });
    const keyframes = [
      { strokeDashoffset: 39, opacity: 1 },
      { strokeDashoffset: -60, opacity: 1, offset: 0.7 },
      { strokeDashoffset: -100, opacity: beam.hit ? 1 : 0 },
    ];
    show(line, keyframes, { delay: beam.delay, duration: BOLT_TIME });
    return beam.delay + 0.85 * BOLT_TIME;
  }

  /** A dot that travels. */
  function torpedo(beam: Beam, side: string): number {
    const dot = svgElement(map, "g", { class: `${beam.weapon} ${side}` });
    dot.append(
      svgElement(map, "circle", { class: "halo", r: 9 }),
      svgElement(map, "circle", { class: "core", r: 4.5 }),
    );
    const keyframes = [
      { transform: at(beam.from), opacity: 1 },
      { opacity: 1, offset: 0.75 },
      { transform: at(beam.to), opacity: beam.hit ? 1 : 0 },
    ];
    show(dot, keyframes, { delay: beam.delay, duration: TORPEDO_TIME, easing: "ease-in" });
    return beam.delay + TORPEDO_TIME;
  }

  const drawn = { phaser, disruptor: bolts, fusion: bolts, photon: torpedo, other: torpedo };

  // --- what is struck

  function spark(point: Point, delay: number): void {
    const { x, y } = point;
    const circle = svgElement(map, "circle", { class: "spark", cx: x, cy: y, r: 12 });
    circle.style.transformBox = "fill-box";
    circle.style.transformOrigin = "center";
    const keyframes = [
      { transform: "scale(.2)", opacity: 1 },
      { transform: "scale(1)", opacity: 0 },
    ];
    show(circle, keyframes, { delay, duration: SPARK_TIME, easing: "ease-out" });
  }

  function glow(counter: Counter, side: number, delay: number): void {
    const line = counter.sides[side];
    if (!line) return;
    const bright = { stroke: "var(--glow, #fff)", strokeWidth: "9px", strokeDasharray: "none" };
    animate(line, [bright, {}], { delay, duration: GLOW_TIME, easing: "ease-in", fill: "none" });
  }

  /** Let the number beside a line of fire fly from the shield to its place. */
  function flyPoints(text: SVGElement, from: Point, delay: number): void {
    const [x, y] = numbers(text, "x", "y");
    text.style.transformBox = "fill-box";
    text.style.transformOrigin = "center";
    const shield = at({ x: from.x - x, y: from.y - y + 5 });
    const keyframes = [
      { transform: `${shield} scale(.4)`, opacity: 0 },
      { transform: `${shield} scale(1.9)`, opacity: 1, offset: 0.3 },
      { transform: "none", opacity: 1 },
    ];
    animate(text, keyframes, { delay, duration: POINTS_TIME, easing: "ease-out" });
  }

  /** Let the number of boxes that a shield lost fly away from the ship. */
  function flyLoss(place: Place, side: number, boxes: number): void {
    const angle = ((place.turn + 60 * side) * Math.PI) / 180;
    const [x, y] = [Math.sin(angle), -Math.cos(angle)];
    const text = svgElement(map, "text", { class: "points" });
    text.textContent = String(boxes);
    const away = (by: number) =>
      at({ x: place.x + x * by * place.size, y: place.y + y * by * place.size + 5 });
    const keyframes = [
      { transform: `${away(SHIELD)} scale(.6)`, opacity: 0 },
      { transform: `${away(SHIELD + 12)} scale(1.4)`, opacity: 1, offset: 0.25 },
      { transform: `${away(SHIELD + 35)} scale(1)`, opacity: 0 },
    ];
    show(text, keyframes, { duration: BLAST_TIME, easing: "ease-out" });
  }

  /** A ring round the place of a unit that was lost. */
  function blast({ x, y, size }: Place, large: boolean): void {
    const grows = (scale: number) => `${at({ x, y })} scale(${scale * size})`;
    const ring = svgElement(map, "circle", { class: "ring", r: 20 });
    const flash = svgElement(map, "circle", { class: "flash", r: 20 });
    const most = large ? 3.6 : 1.8;
    noise?.blast(large);
    const timing = { duration: large ? BLAST_TIME : BLAST_TIME / 2, easing: "ease-out" };
    const fades = [
      { transform: grows(0.2), opacity: 1 },
      { transform: grows(most), opacity: 0 },
    ];
    show(ring, fades, timing);
    show(flash, [fades[0], { transform: grows(most / 2), opacity: 0 }], timing);
  }

  // --- frames

  /** Return all units on the map in a frame, with their places. */
  const targetsIn = (k: number): (readonly [Target, Place])[] =>
    counters.flatMap((counter) => {
      const place = drawing.placeIn(counter, k);
      return place ? [[{ counter, place }, place] as const] : [];
    });

  function fire({ line, points }: Fire, targets: ReturnType<typeof targetsIn>, most: number): void {
    const [x1, y1, x2, y2] = numbers(line, "x1", "y1", "x2", "y2");
    const [from, to] = [
      { x: x1, y: y1 },
      { x: x2, y: y2 },
    ];
    const target = nearest(targets, to, NEAR);
    const size = target?.place.size ?? 1;
    const side = /\bs\d\b/.exec(line.getAttribute("class") ?? "")?.[0] ?? "";
    let last = 0;
    let glows = false;
    for (const beam of beamsOf(line.dataset.arms ?? "", from, to, { size, most })) {
      const arrives = drawn[beam.weapon](beam, side);
      noise?.beam(beam.weapon, beam.delay / rate);
      last = Math.max(last, arrives);
      if (!beam.hit) continue;
      spark(beam.to, arrives);
      noise?.strike(arrives / rate);
      if (target && !glows)
        glow(target.counter, facingSide(target.place, target.place.turn, from), arrives);
      glows = true;
    }
    if (target) shotAt.units.add(target.counter.unit);
    if (points) flyPoints(points, shieldPoint(from, to, size), last);
    const hidden = [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, {}];
    animate(line, hidden, { duration: last + SPARK_TIME });
  }

  function strike(k: number, unit: string): void {
    const counter = byUnit.get(unit);
    const place = counter && drawing.placeIn(counter, k);
    if (!place) return;
    const [before, now] = [timeline.full[k - 1], timeline.full[k]];
    for (const [side, boxes] of lostBoxes(before.shields[unit], now.shields[unit])) {
      glow(counter, side, 0);
      if (!shotAt.units.has(unit)) flyLoss(place, side, boxes);
    }
  }

  function lose(k: number, unit: string, why: string): void {
    const counter = byUnit.get(unit);
    const place = counter && drawing.placeIn(counter, k - 1);
    if (place && (why === "destroyed" || why === "exploded")) blast(place, why === "destroyed");
  }

  return {
    play(k, speed) {
      if (still.matches || k < 1) return;
      rate = speed;
      const moment = timeline.moment(k);
      if (shotAt.moment !== moment) shotAt = { moment, units: new Set() };
      const now = fires.get(k) ?? [];
      const most = Math.max(1, Math.floor(MOST_BEAMS / now.length));
      const targets = now.length ? targetsIn(k) : [];
      for (const one of now) fire(one, targets, most);
      const { shields = {}, gone = {} } = timeline.frames[k];
      for (const unit of Object.keys(shields)) strike(k, unit);
      for (const [unit, why] of Object.entries(gone)) lose(k, unit, why);
    },
    clear,
    destroy() {
      clear();
      layer.remove();
    },
  };
}
