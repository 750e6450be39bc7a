// Settings: everything that is a matter of taste or of eyes and ears.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { settings } from "./store.js";

const CHOICES = [["lang", ["auto", "en", "tr"]], ["theme", ["felt", "night", "contrast"]], ["palette", ["classic", "cvd"]]];
const SWITCHES = ["shapes", "large_tiles", "confirm_discard", "sound_turn", "sound_tile", "sound_chat", "haptics"];

export function settingsView() {
  const now = settings();
  return h("div", { class: "settings" },
    CHOICES.map(([name, values]) => h("fieldset", { key: name }, h("legend", t(`setting.${name}`)),
      h("div.segments", values.map((value) => h("label", { key: value },
        h("input", { type: "radio", name: `setting-${name}`, checked: now[name] === value, change: () => act({ do: "settings", [name]: value }) }),
        h("span", t(`setting.${name}.${value}`))))))),
    h("div.samples", { "aria-hidden": "true" }, ["r7a", "b7a", "k7a", "y7a", "**a"].map((tile) => h("okey-tile", { t: tile, okey: "b8", class: "small" }))),
    SWITCHES.map((name) => h("label.switch", { key: name },
      h("input", { type: "checkbox", role: "switch", checked: Boolean(now[name]), change: (event) => act({ do: "settings", [name]: event.target.checked }) }),
      h("span", h("b", t(`setting.${name}`)), h("small", t(`setting.${name}.help`))))),
    notifications());
}

function notifications() {
  if (!("Notification" in window) || Notification.permission !== "default") return null;
  return h("button", { click: () => Notification.requestPermission() }, t("setting.notify"));
}

/** Puts what has been chosen on the page itself. */
export function applySettings() {
  const now = settings();
  const root = document.documentElement.dataset;
  root.theme = now.theme ?? "felt";
  root.palette = now.palette ?? "classic";
  root.shapes = now.shapes === false ? "off" : "on";
  root.large = now.large_tiles ? "on" : "off";
}
