// Keys that work wherever the keyboard is, and what a drop means.

import { change, game, isCovered, isDuel, local, on, refuse } from "./core.js";
import { backToRack, fromTable, mayWork, moveTo, setAside, sort, undo } from "./hand.js";
import * as moves from "./moves.js";
import { askForHint, mayAskForHint } from "./panels.js";

const KEYS = {
  s: moves.drawOrPass,
  t: () => game().duel || moves.take(),
  d: () => moves.discardPicked(chosen()),
  m: moves.meldPicked,
  o: () => (game().duel ? moves.finishTurn : moves.layMelds)(),
  f: () => moves.finish(game().can?.finish?.find((tile) => tile === chosen())),
  r: () => sort("runs"),
  p: () => sort("pairs"),
  u: undo,
  h: () => mayAskForHint() && askForHint(),
  c: () => change({ drawer: "chat", drawerOpen: true, unread: 0, focus: "say" }),
  w: () => change({ panel: { kind: "words" } }),
  "?": () => change({ panel: { kind: "help" } }),
};

export function enableKeys() {
  on("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    if (event.key === "Escape" && local.drawerOpen) change({ drawerOpen: false });
    const key = KEYS[event.key.toLocaleLowerCase("en")];
    if (!key || !game() || isCovered()) return;
    event.preventDefault();
    key();
  });
}

function chosen() {
  if (local.picked.length === 1) return local.picked[0];
  return document.activeElement?.dataset?.tile;
}

export function drop({ kind, tiles }, target) {
  const [what, first, second] = (target ?? "").split(":");
  const place = what === "slot" ? { row: Number(first), column: Number(second) } : null;
  const onRack = what === "slot" || what === "rack";
  if (kind === "stack" || kind === "take") {
    if (onRack) (kind === "stack" ? moves.draw : moves.take)(place);
  } else if (onRack && fromTable(tiles)) refuse({ code: "table-tile" });
  else if (place) moveTo(tiles, place);
  else if (what === "rack") backToRack(tiles);
  else if (what === "discard") tiles.length === 1 ? moves.discard(tiles[0]) : refuse({ code: "one-tile" });
  else if (what === "finish") moves.finish(tiles[0]);
  else if (what === "stage") isDuel() && !mayWork() ? moves.meldPicked() : setAside(tiles);
  else if (what === "aside") setAside(tiles, Number(first));
  else if (what === "meld") moves.dropOnMeld(Number(first), tiles, second);
}
