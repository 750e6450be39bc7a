// Everything the page is drawn from: the newest view, and what is local to this tab.

import { t } from "./i18n.js";

export const state = {
  world: { games: [], phrases: [], version: "" },
  /** The newest view; null before the first. */
  view: null,
  /** Whether this tab may act. */
  control: true,
  /** connecting, open, lost or refused. */
  net: "connecting",
  local: {
    /** Page of the lobby. */
    page: "play",
    /** Text fields and switches that the player has not sent yet, by form. */
    forms: {},
    /** Arrangement of the rack: rows of tile names and nulls (layout.js). */
    rows: [],
    /** Melds put together but not sent: lists of tiles (staging.js). */
    melds: [],
    /** The duel's table under work: null, or {base, sets, past}. */
    work: null,
    /** Earlier arrangements, newest last. */
    past: [],
    /** Names of the tiles that are picked. */
    picked: [],
    /** Place of the rack that has the keyboard, and whether its tile is held. */
    cursor: 0,
    held: false,
    /** Tiles that are being dragged. */
    dragging: [],
    /** Tiles that have just come. */
    fresh: [],
    drawer: "chat",
    drawerOpen: false,
    /** A question before something that cannot be undone: {text, yes, act}. */
    question: null,
    panel: null,
    toasts: [],
    /** On a shared device: the seat whose rack may be shown. */
    shown: null,
    resultHidden: null,
    reported: "",
    log: [],
    unread: 0,
  },
};

let draw = () => {};
let asked = false;

export function onChange(callback) {
  draw = callback;
}

/** Draws once before the next frame, however often it is called. */
export function redraw() {
  if (asked) return;
  asked = true;
  // A hidden tab gets no frames, but its title and its sounds must not wait.
  (document.hidden ? (f) => setTimeout(f, 0) : requestAnimationFrame)(() => {
    asked = false;
    draw();
  });
}

/** Changes what is local and draws. */
export function change(values) {
  Object.assign(state.local, values);
  redraw();
}

export const table = () => state.view?.table ?? null;
export const game = () => state.view?.table?.game ?? null;
export const settings = () => state.view?.settings ?? {};

/** Whether this tab may act: it has the control, and no failed proof has frozen the hand. */
export const mayAct = () => state.control && table()?.trust?.state !== "failed";

/** Name of a seat, as the table knows it. */
export function person(seat) {
  const found = (state.view?.table ?? state.view?.replay)?.people?.[seat];
  return found?.name ? found : { ...found, name: t("seat.number", { n: seat + 1 }) };
}
