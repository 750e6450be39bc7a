// Short sounds made by arithmetic, so that nothing is loaded and there is no licence to mind.

import { settings } from "./store.js";

let context = null;

/** Browsers stay silent until the player has touched the page. */
export function enableSound() {
  const wake = () => {
    context ??= new AudioContext();
    context.resume?.();
  };
  addEventListener("pointerdown", wake, { once: true });
  addEventListener("keydown", wake, { once: true });
}

function tone(frequency, start, length, volume, type = "sine") {
  const gain = context.createGain();
  const voice = context.createOscillator();
  const at = context.currentTime + start;
  voice.type = type;
  voice.frequency.value = frequency;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  voice.connect(gain).connect(context.destination);
  voice.start(at);
  voice.stop(at + length + 0.02);
}

// A tile on wood: a short burst of noise through a narrow filter.
function knock() {
  const length = Math.floor(context.sampleRate * 0.06);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const data = buffer.getChannelData(0);
  for (let n = 0; n < length; n += 1) data[n] = (Math.random() * 2 - 1) * (1 - n / length) ** 4;
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = 1900;
  filter.Q.value = 2.5;
  source.buffer = buffer;
  source.connect(filter).connect(context.destination);
  source.start();
}

const SOUNDS = {
  turn: () => { tone(659, 0, 0.25, 0.12); tone(988, 0.11, 0.35, 0.12); },
  tile: knock,
  chat: () => tone(1175, 0, 0.12, 0.06),
  refused: () => tone(196, 0, 0.16, 0.1, "triangle"),
  win: () => [523, 659, 784, 1047].forEach((f, n) => tone(f, n * 0.1, 0.4, 0.1)),
};
const SWITCH = { turn: "sound_turn", win: "sound_turn", tile: "sound_tile", refused: "sound_tile", chat: "sound_chat" };

export function play(name) {
  if (context?.state === "running" && settings()[SWITCH[name]]) SOUNDS[name]();
  if (settings().haptics && (name === "turn" || name === "refused")) navigator.vibrate?.(name === "turn" ? [30, 40, 30] : 40);
}
