// Starts the page: catalogues, the socket, and one drawing of (view, local state).

import { act, toast, useConnection } from "./acting.js";
import { noteView } from "./clock.js";
import { h, patch } from "./dom.js";
import { enableDragging } from "./drag.js";
import { drop } from "./dropping.js";
import { follow } from "./following.js";
import { gatheringScreen } from "./gathering.js";
import { settle } from "./hand.js";
import { chooseLanguage, loadCatalogues, t } from "./i18n.js";
import { enableKeys } from "./keys.js";
import { lobbyScreen } from "./lobby.js";
import { Connection, takeToken } from "./net.js";
import { panelView, toastsView } from "./panels.js";
import { replayScreen } from "./replay.js";
import { applySettings } from "./settings.js";
import { enableSound, play } from "./sound.js";
import { onChange, redraw, settings, state } from "./store.js";
import { tableScreen } from "./table.js";

const SCREENS = { lobby: lobbyScreen, gathering: gatheringScreen, table: tableScreen, replay: replayScreen };
const root = document.getElementById("app");
let screen = "";

/** The whole page. */
function draw() {
  if (state.net === "refused") patch(root, message(t("net.refused-title"), t("net.refused")));
  else if (!state.view) patch(root, message("p2pokey", t("net.connecting")));
  else patch(root, SCREENS[state.view.screen](), panelView(), toastsView());
  afterDraw();
}

function message(title, text) {
  return h("main", { class: "message", key: "message" }, h("h1", null, title), h("p", { role: "status" }, text));
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
  const panel = document.querySelector(".panel.chat, .panel.log");
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
  if (before?.settings.lang !== view.settings.lang) chooseLanguage(view.settings.lang);
  applySettings();
  noteView();
  if (view.table && !isCovered(view.table)) settle();
  follow();
  if (screen && screen !== view.screen) arrive(view.screen);
  screen = view.screen;
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
  await loadCatalogues();
  chooseLanguage("auto");
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
