// Starts the page and draws it.

import {
  act, chooseLanguage, h, isCovered, local, on, onChange, patch, redraw, state, t, toast, useConnection,
} from "./core.js";
import { enableDragging } from "./drag.js";
import { follow } from "./following.js";
import * as gathering from "./gathering.js";
import { settle } from "./hand.js";
import { drop, enableKeys } from "./input.js";
import * as lobby from "./lobby.js";
import { connect, takeToken } from "./net.js";
import { applySettings, panelView, toastsView } from "./panels.js";
import * as replay from "./replay.js";
import { noteView } from "./seats.js";
import { enableSound, play } from "./sound.js";
import * as table from "./table.js";

const SCREENS = { lobby, gathering, table, replay };
const root = document.getElementById("app");

function draw() {
  const screen = state.view?.screen;
  if (state.net === "refused") patch(root, message(t("net.refused-title"), t("net.refused")));
  else if (!screen) patch(root, message("p2pokey", t("net.connecting")));
  else patch(root, SCREENS[screen].screen(), panelView(), toastsView());
  afterDraw();
}

const message = (title, text) => h("main.message", h("h1", title), h("p", { role: "status" }, text));

function afterDraw() {
  const { focus, refocus, cursor } = local;
  Object.assign(local, { focus: null, refocus: false });
  if (refocus) document.querySelector(`.rack [data-place="${cursor}"]`)?.focus({ preventScroll: true });
  if (focus) document.getElementById(focus)?.focus({ preventScroll: focus !== "page-title" });
  const panel = document.querySelector(".in-chat, .in-log");
  if (panel) keepAtEnd(panel);
}

// The newest line stays in sight unless one has scrolled up.
function keepAtEnd(panel) {
  const lines = panel.querySelectorAll("p, li").length;
  if (Number(panel.dataset.lines) === lines) return;
  panel.dataset.lines = lines;
  panel.scrollTop = panel.scrollHeight;
}

async function takeView(view, control) {
  await chooseLanguage(view.settings.lang); // nothing is said in another one
  const before = state.view;
  Object.assign(state, { view, control, net: "open" });
  applySettings();
  noteView();
  if (!isCovered()) settle();
  follow();
  if (before && before.screen !== view.screen) arrive(view.screen);
  redraw();
}

function arrive(next) {
  Object.assign(local, { panel: null, question: null, unread: 0, drawerOpen: false });
  if (next === "lobby") local.page = "play";
  if (next !== "table") local.focus = "page-title";
  window.scrollTo(0, 0);
}

function offer({ name, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const href = URL.createObjectURL(new Blob([bytes]));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

function start() {
  const status = (net) => {
    state.net = net;
    redraw();
  };
  const connection = connect(takeToken(), { world: (world) => (state.world = world), view: takeView, file: offer, status });
  useConnection(connection, () => play("refused"));
  enableDragging(drop);
  enableKeys();
  replay.enableKeys();
  enableSound();
  on("visibilitychange", () => document.hidden || connection.hurry());
  addEventListener("error", () => toast(t("refused.internal"), "bad"));
  chooseLanguage("auto").then(() => {
    onChange(draw);
    redraw();
  });
}

globalThis.p2pokey = { state, act: ({ do: name, ...more }) => act(name, more) };
start();
