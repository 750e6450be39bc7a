// Fields of a form: what is written but not sent lives in the local state, so drawing never loses it.

import { h } from "./dom.js";
import { redraw, state } from "./store.js";

/** Values of a form, with what it begins with. */
export function form(name, initial) {
  return (state.local.forms[name] ??= { ...initial });
}

const set = (values, name, value) => {
  values[name] = value;
  redraw();
};

export function textField(values, name, label, { help = null, type = "text", ...more } = {}) {
  const id = `field-${name}`;
  return h("div.field", { key: name },
    h("label", { for: id }, label),
    h("input", { id, type, autocomplete: "off", value: values[name] ?? "", "aria-describedby": help ? `${id}-help` : null,
      ...more, input: (event) => set(values, name, event.target.value) }),
    help ? h("small", { id: `${id}-help` }, help) : null);
}

export function selectField(values, name, label, choices, help = null) {
  const id = `field-${name}`;
  return h("div.field", { key: name },
    h("label", { for: id }, label),
    h("select", { id, "aria-describedby": help ? `${id}-help` : null, value: String(values[name]),
      change: (event) => set(values, name, choices.find(([value]) => String(value) === event.target.value)[0]) },
      choices.map(([value, text]) => h("option", { key: String(value), value: String(value), selected: value === values[name] }, text))),
    help ? h("small", { id: `${id}-help` }, help) : null);
}

export function switchField(values, name, label, help, more = {}) {
  return h("label.switch", { key: name },
    h("input", { type: "checkbox", role: "switch", checked: Boolean(values[name]), ...more, change: (event) => set(values, name, event.target.checked) }),
    h("span", h("b", label), h("small", help)));
}
