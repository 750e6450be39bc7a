// Settings: everything that is a matter of taste or of eyes and ears.

import { act, h, picture, settings, switchField, t } from "./core.js";

const CHOICES = { lang: ["auto", "en", "tr"], theme: ["felt", "night", "contrast"], palette: ["classic", "cvd"] };
const SWITCHES = ["shapes", "large_tiles", "confirm_discard", "sound_turn", "sound_tile", "sound_chat", "haptics"];

const put = (name, value) => act("settings", { [name]: value });

export function settingsView() {
  const now = settings();
  const mayNotify = globalThis.Notification?.permission === "default";
  return h("div.settings",
    Object.entries(CHOICES).map(([name, values]) => h("fieldset", { key: name }, h("legend", t(`setting.${name}`)),
      h("div.segments", values.map((value) => h("label", { key: value },
        h("input", { type: "radio", name: `setting-${name}`, checked: now[name] === value, change: () => put(name, value) }),
        h("span", t(`setting.${name}.${value}`))))))),
    h("div.samples", ["r7a", "b7a", "k7a", "y7a", "**a"].map((tile) => picture(tile, "b8"))),
    SWITCHES.map((name) => switchField(now, name, `setting.${name}`, (on) => put(name, on))),
    mayNotify && h("button", { click: () => Notification.requestPermission() }, t("setting.notify")));
}

export function applySettings() {
  const { theme = "felt", palette = "classic", shapes, large_tiles } = settings();
  const onOff = (on) => (on ? "on" : "off");
  Object.assign(document.documentElement.dataset, { theme, palette, shapes: onOff(shapes !== false), large: onOff(large_tiles) });
}
