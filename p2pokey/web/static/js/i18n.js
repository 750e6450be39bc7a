// Every sentence that a person reads: a catalogue per language.

const LANGUAGES = ["en", "tr"];
const catalogues = {};
let current = "en";
let texts = {};
let digits = new Intl.NumberFormat("en");

// Loads a language; `auto` is the browser's where there is a catalogue.
export async function chooseLanguage(wanted) {
  const asked = wanted === "auto" || !wanted ? navigator.languages : [wanted];
  const chosen = asked.map((name) => name.slice(0, 2)).find((name) => LANGUAGES.includes(name)) ?? "en";
  current = chosen;
  digits = new Intl.NumberFormat(chosen);
  catalogues[chosen] ??= load(chosen);
  const found = await catalogues[chosen];
  if (current === chosen) texts = found;
  document.documentElement.lang = current;
}

const load = async (language) => flatten(await (await fetch(`/lang/${language}.json`)).json(), "", {});

// An empty name stands for the branch itself; a pair is a text and its help; `a b` are two names of one text.
function flatten(tree, prefix, into) {
  const all = Object.entries(tree).flatMap(([names, value]) => names.split(" ").map((name) => [name, value]));
  for (const [name, value] of all) {
    const key = prefix && name ? `${prefix}.${name}` : prefix || name;
    if (Array.isArray(value)) [into[key], into[`${key}.help`]] = value;
    else if (typeof value === "string") into[key] = value;
    else flatten(value, key, into);
  }
  return into;
}

export const language = () => current;

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

export const has = (key) => key in texts;

export const t = (key, values = {}) => fill(texts[key] ?? key, values);

// The sentence for a code, or another one for a code that is new.
export const tCode = (key, other, values) => t(has(key) ? key : other, values);

// The sentence for a count: `one|many`, or the same for all.
export function count(key, n, values = {}) {
  const forms = (texts[key] ?? key).split("|");
  return fill(new Intl.PluralRules(current).select(n) === "one" ? forms[0] : forms.at(-1), { n, ...values });
}

export const number = (n) => digits.format(n).replace("-", "−");

export const signed = (n) => (n > 0 ? `+${number(n)}` : number(n));

export const list = (names) => new Intl.ListFormat(current).format(names);

export function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

// Text from outside: no control or direction marks, not too long.
export function clean(text, most = 400) {
  const plain = String(text ?? "").replace(CONTROLS, "");
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

export const cleanName = (name) => clean(name, 40);
