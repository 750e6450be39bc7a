// Keys that work wherever the keyboard is, as long as nothing is being written.

import { askForHint, mayAskForHint } from "./hints.js";
import { sort, undo } from "./hand.js";
import * as moves from "./moves.js";
import { change, game, state, table } from "./store.js";

const KEYS = {
  s: () => (game().can?.pass && !game().can?.draw ? moves.pass() : moves.draw()),
  t: () => (game().duel ? null : moves.take()),
  d: () => discardChosen(),
  m: () => moves.meldPicked(),
  o: () => (game().duel ? moves.finishTurn() : moves.layMelds()),
  f: () => finishChosen(),
  r: () => sort("runs"),
  p: () => sort("pairs"),
  u: () => undo(),
  h: () => (mayAskForHint() ? askForHint() : null),
  c: () => change({ drawer: "chat", drawerOpen: true, unread: 0, focus: "say" }),
  "?": () => change({ panel: { kind: "help" } }),
};

export function enableKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    if (event.key === "Escape" && state.local.drawerOpen) change({ drawerOpen: false });
    const key = KEYS[event.key.toLocaleLowerCase("en")];
    if (!key || !table()?.game || covered()) return;
    event.preventDefault();
    key();
  });
}

const covered = () => table().handover !== null && table().handover !== undefined;

function chosen() {
  const focused = document.activeElement?.dataset?.tile;
  return state.local.picked.length === 1 ? state.local.picked[0] : focused ?? null;
}

function discardChosen() {
  const tile = chosen();
  if (tile) moves.discard(tile);
  else moves.explainDiscard();
}

function finishChosen() {
  const finishing = game().can?.finish ?? [];
  const tile = chosen();
  moves.finish(finishing.includes(tile) ? tile : finishing[0]);
}
