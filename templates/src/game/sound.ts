/* The sound of the film, made by the browser. It is off until the player turns it on. */

import type { Weapon } from "../film/beams.ts";
import type { Noise } from "../film/effects.ts";

const KEY = "pbem sound";
/** The highest volume of all sounds together, from 0 to 1. */
const VOLUME = 0.25;
/** So many sounds are played at once; a large salvo is not louder than that. */
const MOST = 12;

/** A tone that slides from one pitch to another: shape, pitches in hertz, length in seconds, volume. */
type Tone = [shape: OscillatorType, from: number, to: number, length: number, volume: number];

const TONES: Record<Weapon, Tone> = {
  phaser: ["sawtooth", 1400, 500, 0.3, 0.12],
  disruptor: ["square", 500, 180, 0.25, 0.1],
  fusion: ["square", 300, 90, 0.3, 0.12],
  photon: ["sine", 220, 60, 0.5, 0.5],
  other: ["triangle", 400, 150, 0.4, 0.3],
};

/** Return whether the player turned the sound on. */
function wasOn(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

export class Sound implements Noise {
  private context: AudioContext | null = null;
  private hiss: AudioBuffer | null = null;
  private playing = 0;
  private isOn = wasOn();

  /** Let a button turn the sound on and off. */
  constructor(private readonly button: HTMLElement) {
    button.addEventListener("click", () => {
      this.isOn = !this.isOn;
      try {
        localStorage.setItem(KEY, this.isOn ? "on" : "off");
      } catch {
        /* It is forgotten with this page then. */
      }
      this.show();
    });
    this.show();
  }

  private show(): void {
    this.button.setAttribute("aria-pressed", String(this.isOn));
    this.button.title = this.isOn ? "Sound is on" : "Sound is off";
  }

  beam(weapon: Weapon, delay: number): void {
    const [shape, from, to, length, volume] = TONES[weapon];
    this.play(delay, length, volume, (context, at) => {
      const tone = new OscillatorNode(context, { type: shape, frequency: from });
      tone.frequency.exponentialRampToValueAtTime(to, at + length);
      return tone;
    });
  }

  strike(delay: number): void {
    this.crackle(delay, 0.18, 0.25, 2400);
  }

  blast(large: boolean): void {
    this.crackle(0, large ? 1.6 : 0.6, large ? 1 : 0.5, large ? 500 : 900);
  }

  /** Play noise without what is higher than a pitch. */
  private crackle(delay: number, length: number, volume: number, highest: number): void {
    this.play(delay, length, volume, (context, at, out) => {
      const filter = new BiquadFilterNode(context, { type: "lowpass", frequency: highest });
      filter.frequency.exponentialRampToValueAtTime(highest / 8, at + length);
      filter.connect(out);
      const noise = new AudioBufferSourceNode(context, { buffer: this.noise(context) });
      noise.connect(filter);
      return noise;
    });
  }

  private noise(context: AudioContext): AudioBuffer {
    if (this.hiss) return this.hiss;
    const buffer = context.createBuffer(1, 2 * context.sampleRate, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let n = 0; n < samples.length; n++) samples[n] = 2 * Math.random() - 1;
    return (this.hiss = buffer);
  }

  /** Play a sound that fades out, `delay` milliseconds from now. */
  private play(
    delay: number,
    length: number,
    volume: number,
    make: (context: AudioContext, at: number, out: AudioNode) => AudioScheduledSourceNode,
  ): void {
    if (!this.isOn || this.playing >= MOST || typeof AudioContext === "undefined") return;
    const context = (this.context ??= new AudioContext());
    /* A browser lets a page sound only after the player has done something on it. */
    if (context.state === "suspended") void context.resume();
    const at = context.currentTime + delay / 1000;
    const out = new GainNode(context, { gain: volume * VOLUME });
    out.gain.setValueAtTime(volume * VOLUME, at);
    out.gain.exponentialRampToValueAtTime(0.0001, at + length);
    out.connect(context.destination);
    const source = make(context, at, out);
    if (source instanceof OscillatorNode) source.connect(out);
    source.onended = () => {
      this.playing -= 1;
      out.disconnect();
    };
    this.playing += 1;
    source.start(at);
    source.stop(at + length);
  }
}
