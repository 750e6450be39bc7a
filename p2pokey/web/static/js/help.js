// Help: how one plays with this page, and the keys.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { table } from "./store.js";

const KEYS = [
  ["←→↑↓", "arrows"], ["␣", "space"], ["↵", "enter"], ["S", "draw"], ["T", "take"], ["D", "discard"], ["M", "meld"], ["O", "open"],
  ["F", "finish"], ["R", "runs"], ["P", "pairs"], ["U", "undo"], ["H", "hint"], ["C", "chat"], ["?", "help"],
];

export function helpView() {
  const rules = table()?.rules;
  return h("div", { class: "help" },
    rules ? [h("h3", t(`game.${rules}`)), h("p", t(`game.${rules}.help`))] : null,
    h("h3", t("help.hands")),
    h("ul", ["drag", "tap", "double", "pick"].map((name) => h("li", { key: name }, t(`help.${name}`)))),
    h("h3", t("help.keys")),
    h("dl.keys", KEYS.map(([key, name]) => [h("dt", h("kbd", key)), h("dd", t(`keys.${name}`))])));
}
