// Dialogs over the page: questions, a seat, settings, help. The browser's own dialog element keeps
// the focus inside and gives it back.

import { act } from "./acting.js";
import { hintPanel } from "./hints.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { nameOf, seatPanel } from "./seats.js";
import { settingsView } from "./settings.js";
import { change, state, table } from "./store.js";
import { menuPanel } from "./menu.js";
import { helpView } from "./help.js";

export function panelView() {
  const { panel, question } = state.local;
  if (question) return questionDialog(question);
  if (!panel || ((panel.kind === "seat" || panel.kind === "hint") && !table())) return null;
  const close = () => change({ panel: null });
  const open = (next) => change({ panel: next });
  return dialog(`panel-${panel.kind}`, TITLES[panel.kind](panel), BODIES[panel.kind](panel, { close, open, act }), close);
}

const TITLES = {
  seat: ({ seat }) => h("bdi", nameOf(seat)),
  menu: () => t("menu.title"),
  settings: () => t("menu.settings"),
  help: () => t("menu.help"),
  hint: () => t("do.hint"),
};

const BODIES = {
  seat: ({ seat }, tools) => seatPanel(seat, tools),
  menu: (_, tools) => menuPanel(tools),
  settings: () => settingsView(),
  help: () => helpView(),
  hint: (_, { close }) => hintPanel(close),
};

function dialog(key, title, body, close, wide = false) {
  return h("dialog", {
    key, class: wide ? "wide" : "", "aria-labelledby": `${key}-title`, made: openModal,
    cancel: (event) => { event.preventDefault(); close(); }, click: (event) => { if (event.target.tagName === "DIALOG") close(); },
  },
    h("div", { class: "dialog-body" },
      h("header", h("h2", { id: `${key}-title` }, title),
        h("button.plain", { "aria-label": t("close"), click: close }, icon("close"))),
      body));
}

// A dialog can be opened only once it is part of the page.
function openModal(node) {
  queueMicrotask(() => node.isConnected && !node.open && node.showModal());
}

function questionDialog({ text, yes, doIt, danger }) {
  const close = () => change({ question: null });
  return h("dialog", {
    key: "question", class: "question", role: "alertdialog", "aria-labelledby": "question-text", made: openModal,
    cancel: (event) => { event.preventDefault(); close(); },
  },
    h("div", { class: "dialog-body" },
      h("p", { id: "question-text" }, text),
      h("div", { class: "row-buttons" },
        h("button", { click: close }, t("cancel")),
        h("button", { class: danger ? "danger" : "primary", "data-answer": "yes", click: () => { close(); doIt(); } }, yes))));
}

export function toastsView() {
  const { toasts } = state.local;
  return h("div.toasts", { key: "toasts", role: "status", "aria-live": "polite" },
    toasts.map((toast) => h("p", { key: `toast${toast.id}`, class: `toast ${toast.kind}` }, toast.text)));
}
