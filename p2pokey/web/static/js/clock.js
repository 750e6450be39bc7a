// Time left of a turn. The view says how much was left when it came; from there the page counts.

import { redraw, state } from "./store.js";

let seenAt = 0;
let ticking = 0;

/** To be called with every view. */
export function noteView() {
  seenAt = performance.now();
  const clock = state.view?.table?.clock;
  const since = state.view?.table?.waiting || state.view?.table?.paused;
  const wanted = Boolean((clock && clock.running) || since);
  if (wanted && !ticking) ticking = setInterval(redraw, 500);
  if (!wanted && ticking) ticking = clearInterval(ticking) ?? 0;
}

/** Seconds since the newest view came. */
export const sinceView = () => (performance.now() - seenAt) / 1000;

/** Seconds left and the part of the whole, or null without a clock for this seat. */
export function timeLeft(seat) {
  const clock = state.view?.table?.clock;
  if (!clock || clock.seat !== seat || !clock.limit) return null;
  const left = Math.max(0, clock.left - (clock.running ? sinceView() : 0));
  return { left, part: Math.round((100 * left) / clock.limit), running: clock.running };
}
