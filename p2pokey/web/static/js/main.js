// Starts the page: catalogues, the socket, and one drawing of (view, local state).

import { act, toast, useConnection } from "./acting.js";
import { noteView } from "./clock.js";
import { h, patch } from "./dom.js";
import { enableDragging } from "./drag.js";
import { drop } from "./dropping.js";
import { follow } from "./following.js";
import { settle } from "./hand.js";
import { chooseLanguage, t } from "./i18n.js";
import { enableKeys } from "./keys.js";
import { Connection, takeToken } from "./net.js";
import { panelView, toastsView } from "./panels.js";
import { applySettings } from "./settings.js";
import { enableSound, play } from "./sound.js";
import { onChange, redraw, settings, state } from "./store.js";

// Each screen is loaded when it is first seen, and the others once the page has nothing to do.
const LOAD = {
  lobby: () => import("./lobby.js"),
  gathering: () => import("./gathering.js"),
  table: () => import("./table.js"),
  replay: () => import("./replay.js"),
};
const screens = {};
const root = document.getElementById("app");
let screen = "";

/** The whole page. */
function draw() {
  if (state.net === "refused") patch(root, message(t("net.refused-title"), t("net.refused")));
  else if (!state.view) patch(root, message("p2pokey", t("net.connecting")));
  else if (!screens[state.view.screen]) load(state.view.screen);
  else patch(root, screens[state.view.screen].screen(), panelView(), toastsView());
  afterDraw();
}

const STYLES = { table: ["table", "rack", "drawer", "small"], replay: ["table", "replay"] };

async function load(name) {
  const styles = (STYLES[name] ?? ["lobby"]).map(addStyle);
  const [loaded] = await Promise.all([LOAD[name](), ...styles]);
  screens[name] = loaded;
  redraw();
  setTimeout(() => Object.values(LOAD).forEach((fetchIt) => fetchIt()), 2000);
}

function addStyle(name) {
  const href = `/style/${name}.css`;
  if (document.querySelector(`link[href="${href}"]`)) return null;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  return new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
    document.head.append(link);
  });
}

function message(title, text) {
  return h("main.message", { key: "message" }, h("h1", title), h("p", { role: "status" }, text));
}

function afterDraw() {
  const { focus, refocus, cursor } = state.local;
  if (refocus) {
    state.local.refocus = false;
    document.querySelector(`.rack [data-place="${cursor}"]`)?.focus({ preventScroll: true });
  }
  if (focus) {
    state.local.focus = null;
    const found = focus === "say" ? document.querySelector(".say input") : document.getElementById(focus);
    found?.focus({ preventScroll: focus !== "page-title" });
  }
  const panel = document.querySelector(".in-chat, .in-log");
  if (panel) keepAtEnd(panel);
}

// The newest line stays in sight unless the player has scrolled up.
function keepAtEnd(panel) {
  const lines = panel.childElementCount + (panel.querySelector("ol")?.childElementCount ?? 0);
  if (Number(panel.dataset.lines) === lines) return;
  panel.dataset.lines = lines;
  panel.scrollTop = panel.scrollHeight;
}

function takeView(view, control) {
  const before = state.view;
  state.view = view;
  state.control = control;
  state.net = "open";
  if (before?.settings.lang !== view.settings.lang) chooseLanguage(view.settings.lang).then(speak);
  applySettings();
  noteView();
  if (!view.table || !isCovered(view.table)) settle();
  follow();
  if (screen && screen !== view.screen) arrive(view.screen);
  screen = view.screen;
  redraw();
}

/** After a change of language: what lies outside the drawn part of the page. */
function speak() {
  document.getElementById("rack-keys").textContent = t("rack.keys");
  redraw();
}

const isCovered = (table) => table.handover !== null && table.handover !== undefined;

function arrive(next) {
  Object.assign(state.local, { panel: null, question: null, log: [], unread: 0, drawerOpen: false });
  if (next === "lobby") Object.assign(state.local, { page: "play", rows: [], melds: [], work: null });
  if (next !== "table") state.local.focus = "page-title";
  window.scrollTo(0, 0);
}

async function start() {
  await chooseLanguage("auto");
  onChange(draw);
  const connection = new Connection(takeToken(), {
    world: (world) => (state.world = world),
    view: takeView,
    status: (net) => {
      state.net = net;
      redraw();
    },
  });
  useConnection(connection, () => play("refused"));
  enableDragging(drop);
  enableKeys();
  enableSound();
  document.addEventListener("visibilitychange", () => document.hidden || connection.hurry());
  addEventListener("error", () => toast(t("refused.internal"), "bad"));
  redraw();
  connection.open();
}

// For tests and for the curious: what the page was drawn from.
globalThis.p2pokey = { state, act, settings };
start();
