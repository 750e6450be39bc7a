// Sends an intent and tells the player what came of it.

import { has, t } from "./i18n.js";
import { change, redraw, state } from "./store.js";

let connection = null;
let refusedSound = () => {};

export function useConnection(made, onRefused) {
  connection = made;
  refusedSound = onRefused;
}

/**
 * Sends an intent; resolves to why it was refused, or null.
 *
 * @param options.quiet the player need not hear of a refusal.
 */
export async function act(intent, { quiet = false } = {}) {
  if (!connection) return { code: "offline" };
  const refused = await connection.act(intent);
  if (refused && !quiet) {
    toast(explain(refused), "bad");
    refusedSound();
  }
  return refused;
}

export const takeControl = () => connection?.takeControl();

/** A refusal as a sentence, with the rule that is behind it. */
function explain(refused) {
  if (refused.rule) return sentence(refused);
  const key = `refused.${refused.code}`;
  return has(key) ? t(key, refused) : refused.text ?? t("refused.internal");
}

/** The sentence of a rule that says no: {rule, text, numbers}. */
export function sentence(why) {
  const numbers = why.numbers ?? {};
  const named = Object.keys(numbers).sort().join("-");
  const keys = [`rule.${why.rule}.${named}`, `rule.${why.rule}`];
  const key = keys.find((name) => has(name));
  const text = key ? t(key, numbers) : why.text;
  return why.rule ? t("rule.cited", { text, rule: why.rule }) : text;
}

let nextToast = 1;

export function toast(text, kind = "info") {
  const id = nextToast++;
  const toasts = state.local.toasts.filter((other) => other.text !== text).slice(-2);
  change({ toasts: [...toasts, { id, text, kind }] });
  setTimeout(() => {
    state.local.toasts = state.local.toasts.filter((other) => other.id !== id);
    redraw();
  }, 6000);
}

/** Asks before doing something that cannot be undone. */
export function ask(text, yes, doIt, { danger = false } = {}) {
  change({ question: { text, yes, doIt, danger } });
}
