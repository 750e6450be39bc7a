// Sounds made by arithmetic: nothing to load.

import { settings } from "./store.js";

let context = null;

// Browsers stay silent until the player has touched the page.
export function enableSound() {
  const wake = () => {
    context ??= new AudioContext();
    context.resume?.();
  };
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, wake, { once: true });
}

function tone(frequency, start, length, volume, type = "sine") {
  const gain = context.createGain();
  const voice = new OscillatorNode(context, { frequency, type });
  const at = context.currentTime + start;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  voice.connect(gain).connect(context.destination);
  voice.start(at);
  voice.stop(at + length + 0.02);
}

const SOUNDS = {
  turn: () => [659, 988].forEach((f, n) => tone(f, n * 0.11, 0.3, 0.12)),
  tile: () => [[210, 0.06, "triangle"], [1700, 0.02, "square"]].forEach(([f, length, type]) => tone(f, 0, length, 0.09, type)),
  chat: () => tone(1175, 0, 0.12, 0.06),
  refused: () => tone(196, 0, 0.16, 0.1, "triangle"),
  win: () => [523, 659, 784, 1047].forEach((f, n) => tone(f, n * 0.1, 0.4, 0.1)),
};
const SWITCH = { turn: "sound_turn", win: "sound_turn", tile: "sound_tile", refused: "sound_tile", chat: "sound_chat" };
const SHAKES = { turn: [30, 40, 30], refused: 40 };

export function play(name) {
  if (context?.state === "running" && settings()[SWITCH[name]]) SOUNDS[name]();
  if (settings().haptics && SHAKES[name]) navigator.vibrate?.(SHAKES[name]);
}
