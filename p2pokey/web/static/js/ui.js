// Small drawings and common controls.

import { h } from "./dom.js";
import { has, t } from "./i18n.js";
import { local, redraw } from "./store.js";
import { picture } from "./tile.js";

const PATHS = {
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M8 8V4h12v12h-4M4 8h12v12H4z",
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  send: "M4 12l16-8-6 16-3-7z",
  check: "M5 12.5l4.5 4.5L19 7",
  back: "M10 5l-7 7 7 7M3 12h18",
  next: "M9 5l7 7-7 7",
  previous: "M15 5l-7 7 7 7",
  first: "M18 5l-7 7 7 7M6 5v14",
  last: "M6 5l7 7-7 7M18 5v14",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  people: "M9 11a4 4 0 1 0-.1 0zM2 20c0-8 14-8 14 0M17 4a4 4 0 0 1 0 7M18 14c2 1 4 3 4 6",
  robot: "M6 9h12v10H6zM12 9V5M9.5 13.5v.1M14.5 13.5v.1M3 13v3M21 13v3",
  key: "M14 10a4 4 0 1 0-3.5 4L12 15.5V18h2.5v2H18v-3z",
  globe: "M12 3a9 9 0 1 0 .1 0zM3 12h18M12 3c-5 5-5 13 0 18c5-5 5-13 0-18",
  device: "M7 3h10v18H7zM11 18h2",
  folder: "M3 6h6l2 2h10v11H3z",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  eye: "M2 12c5-8 15-8 20 0c-5 8-15 8-20 0zM12 9.5a2.5 2.5 0 1 0 .1 0z",
  gear: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6",
  chart: "M5 20V10M12 20V4M19 20v-7",
  leave: "M10 4H5v16h5M9 12h12M17 8l4 4-4 4",
  help: "M12 3a9 9 0 1 0 .1 0zM9.5 9.5a2.5 2.5 0 1 1 2.5 3.5v1M12 17v.1",
};
const MARKS = {
  verified: "M7.5 12l3 3 6-6.4",
  checking: "M12 7v5l3 2",
  unproved: "M12 7v6M12 16.5v.01",
  failed: "M8.5 8.5l7 7M15.5 8.5l-7 7",
};

const drawing = (kind, ...parts) => h("svg", { class: kind, viewBox: "0 0 24 24", "aria-hidden": true }, parts);

export const icon = (name) => drawing("icon", h("path", { d: PATHS[name] }));

export const shield = (mark) => drawing(["shield", mark],
  h("path.plate", { d: "M12 2l8 3v6c0 5-3.4 9-8 11-4.6-2-8-6-8-11V5z" }), h("path.mark", { d: MARKS[mark] }));

export const brand = () => h("span.brand", picture("r8a", { okey: null }), h("span", "p2pokey"));

export const button = (key, symbol, click, props) => h("button", { click, ...props }, symbol && icon(symbol), t(key));

export const iconButton = (key, symbol, click, props, ...more) => h("button.plain", { label: t(key), title: t(key), click, ...props }, icon(symbol), more);

export const nothing = (key, values) => h("p.nothing", { key }, t(key, values));

export const title = (text) => h("h1", { id: "page-title", tabindex: -1 }, text);

export const form = (name, initial) => (local.forms[name] ??= { ...initial });

export const onSubmit = (doIt) => (event) => {
  event.preventDefault();
  doIt(event);
};

function set(values, name, value) {
  values[name] = value;
  redraw();
}

function field(name, label, help, make) {
  const id = `field-${name}`;
  return h("div.field", { key: name },
    h("label", { for: id }, label),
    make({ id, "aria-describedby": help ? `${id}-help` : null }),
    help && h("small", { id: `${id}-help` }, help));
}

export const textField = (values, name, key, more) => field(name, t(key), more.help, (props) =>
  h("input", { ...props, ...more, autocomplete: "off", value: values[name] ?? "", input: (event) => set(values, name, event.target.value) }));

export const selectField = (values, name, label, choices, help) => field(name, label, help, (props) =>
  h("select", {
    ...props, value: String(values[name]),
    change: (event) => set(values, name, choices.find(([value]) => String(value) === event.target.value)[0]),
  }, choices.map(([value, text]) => h("option", { key: String(value), value: String(value), selected: value === values[name] }, text))));

export const switchField = (values, name, key, changed = (on) => set(values, name, on)) => h("label.switch", { key: name },
  h("input", { type: "checkbox", role: "switch", checked: Boolean(values[name]), change: (event) => changed(event.target.checked) }),
  h("span", h("b", t(key)), has(`${key}.help`) && h("small", t(`${key}.help`))));
