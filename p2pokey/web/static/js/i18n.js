// Every sentence that a person reads, in one catalogue per language (lang/*.json, same keys in each).

const LANGUAGES = ["en", "tr"];
const catalogues = {};
let current = "en";
let plurals = new Intl.PluralRules("en");

/** Uses a language, loading its catalogue at first; `auto` is the browser's where there is one. */
export async function chooseLanguage(wanted) {
  const asked = wanted === "auto" || !wanted ? navigator.languages ?? [navigator.language] : [wanted];
  const found = asked.map((name) => name.slice(0, 2)).find((name) => LANGUAGES.includes(name)) ?? "en";
  catalogues[found] ??= flatten(await (await fetch(`/lang/${found}.json`)).json(), "", {});
  current = found;
  plurals = new Intl.PluralRules(found);
  document.documentElement.lang = found;
}

// Keys are written as a tree; a name that is empty stands for the branch itself.
function flatten(tree, prefix, into) {
  for (const [name, value] of Object.entries(tree)) {
    const key = prefix && name ? `${prefix}.${name}` : prefix || name;
    if (typeof value === "string") into[key] = value;
    else flatten(value, key, into);
  }
  return into;
}

export const language = () => current;

export const has = (key) => key in (catalogues[current] ?? {});

/** The sentence with that key, its {names} filled in. */
export function t(key, values = {}) {
  const text = catalogues[current]?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The sentence for a code of the engine; the other one where this page does not know the code. */
export const tCode = (key, other, values) => t(has(key) ? key : other, values);

/** The sentence for a count: `key.one` or `key.other`. */
export function count(key, n, values = {}) {
  return t(`${key}.${plurals.select(n)}`, { n, ...values });
}

/** A number with a real minus sign. */
export const number = (n) => new Intl.NumberFormat(current).format(n).replace("-", "−");

/** A number that is added to a score. */
export const signed = (n) => (n > 0 ? `+${number(n)}` : number(n));

export function list(names) {
  return new Intl.ListFormat(current, { type: "conjunction" }).format(names);
}

export function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text from outside: without control and direction marks, and of bounded length. */
export function clean(text, most = 400) {
  const plain = String(text ?? "").replace(CONTROLS, "");
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}
