// Sends intents and tells the player what came of them.

import { clean, has, t } from "./i18n.js";
import { change, local } from "./store.js";

let connection = null;
let onRefused = () => {};

export function useConnection(made, refused) {
  connection = made;
  onRefused = refused;
}

// Sends an intent; resolves to why it was refused, or null.
export const tell = (name, more) => connection.act({ do: name, ...more });

export async function act(name, more) {
  const refused = await tell(name, more);
  if (refused) {
    refuse(refused);
    onRefused();
  }
  return refused;
}

export const takeControl = () => connection.takeControl();

// The sentence of a REFUSAL, with its numbers.
export function sentence({ rule, text, numbers = {} }) {
  const named = Object.keys(numbers).sort().join("-");
  const key = [`rule.${rule}.${named}`, `rule.${rule}`].find(has);
  return key ? t(key, numbers) : clean(text);
}

export const cited = (why) => t("rule.cited", { text: sentence(why), rule: why.rule });

// Says why not; a rule as a card with its number.
export function refuse(why) {
  if (!why?.rule) {
    toast(has(`refused.${why?.code}`) ? t(`refused.${why.code}`, why) : clean(why?.text) || t("refused.not-now"), "bad");
    return;
  }
  toast(sentence(why), "bad", { rule: why.rule });
}

let nextToast = 1;

// A line that goes by itself; a card stays longer and can be closed.
export function toast(text, kind = "info", card = null) {
  const id = nextToast++;
  const others = local.toasts.filter((other) => other.text !== text && !(card && other.card)).slice(-2);
  change({ toasts: [...others, { id, text, kind, card }] });
  setTimeout(() => dropToast(id), card ? 14000 : 6000);
}

export const dropToast = (id) => change({ toasts: local.toasts.filter((one) => one.id !== id) });

export const ask = (text, yes, doIt, danger = false) => change({ question: { text, yes: t(yes), doIt, danger } });
