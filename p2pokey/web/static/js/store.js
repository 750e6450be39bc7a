// What the page is drawn from: the newest view, and what is local.

import { t } from "./i18n.js";

export const local = {
  page: "play", // of the lobby
  forms: {}, // fields that were not sent, by form
  rows: [], // the rack: rows of tile names and nulls (layout.js)
  melds: [], // put together but not sent: lists of tiles
  work: null, // the duel's table under work: {base, sets}
  past: [], // earlier arrangements, newest last
  picked: [], // names of tiles
  cursor: 0, // place of the rack that has the keyboard
  held: false, // whether its tile is being carried
  dragging: [], // tiles under the pointer
  fresh: [], // tiles that have just come
  leaving: null, // a discard on its way
  drawer: "chat",
  drawerOpen: false,
  panel: null, // the dialog that is open: {kind, ...}
  question: null, // asked before something that cannot be undone: {text, yes, doIt, danger}
  toasts: [],
  resultHidden: null, // number of the hand whose result is folded away
  log: [],
  unread: 0,
};

export const state = {
  world: { games: [], phrases: [], version: "" },
  view: null,
  control: true, // whether this tab may act
  net: "connecting", // or open, lost, refused
  local,
};

let draw = () => {};
let asked = false;

export function onChange(callback) {
  draw = callback;
}

// Draws once before the next frame, however often it is called.
export function redraw() {
  if (asked) return;
  asked = true;
  // A hidden tab gets no frames, but its title must not wait.
  (document.hidden ? setTimeout : requestAnimationFrame)(() => {
    asked = false;
    draw();
  });
}

export function change(values) {
  Object.assign(local, values);
  redraw();
}

// What this tab has kept under that name, or null.
export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null; // not ours, or cut off
  }
}

export const keep = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));

export const on = (type, handler, options) => document.addEventListener(type, handler, options);

export const table = () => state.view?.table ?? null;
export const game = () => table()?.game ?? null;
export const settings = () => state.view?.settings ?? {};
export const isAlone = () => table().solo || table().shared;
export const isDuel = () => table()?.rules === "duel";

// That discard lies on the pile at once, and in the rack again if it is refused.
export const leaving = () => (game()?.mine && game().rack.includes(local.leaving) ? local.leaving : null);

export const isCovered = () => table()?.handover != null;

// Whether this tab has the control, and no failed proof has frozen the hand.
export const mayAct = () => state.control && table()?.trust?.state !== "failed";

export function person(seat) {
  const found = (table() ?? state.view?.replay)?.people?.[seat];
  return found?.name ? found : { ...found, name: t("seat.number", { n: seat + 1 }) };
}
