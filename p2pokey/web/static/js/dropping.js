// What a drop means, by what was dragged and where it fell.

import { toast } from "./acting.js";
import { backToRack, isDuel, mayWork, moveTo, setAside } from "./hand.js";
import { t } from "./i18n.js";
import * as moves from "./moves.js";
import { game } from "./store.js";

export function drop({ kind, tiles }, target) {
  const [what, first, second] = (target ?? "").split(":");
  if (kind === "stack" || kind === "take") {
    if (what !== "slot" && what !== "rack") return;
    const place = what === "slot" ? { row: Number(first), column: Number(second) } : null;
    if (kind === "stack") moves.draw(place);
    else moves.take(place);
    return;
  }
  if (target && TARGETS[what]) TARGETS[what](tiles, first, second);
}

const TARGETS = {
  slot(tiles, row, column) {
    if (fromTable(tiles)) toast(t("refused.table-tile"), "bad");
    else moveTo(tiles, { row: Number(row), column: Number(column) });
  },
  rack(tiles) {
    if (fromTable(tiles)) toast(t("refused.table-tile"), "bad");
    else backToRack(tiles);
  },
  discard(tiles) {
    if (tiles.length === 1) moves.discard(tiles[0]);
    else toast(t("refused.one-tile"), "bad");
  },
  finish(tiles) {
    moves.finish(tiles[0]);
  },
  stage(tiles) {
    if (isDuel() && !mayWork()) moves.meldPicked();
    else setAside(tiles);
  },
  aside(tiles, index) {
    setAside(tiles, Number(index));
  },
  meld(tiles, number, end) {
    moves.dropOnMeld(Number(number), tiles, end);
  },
};

const fromTable = (tiles) =>
  isDuel() && game().melds.some((meld) => meld.tiles.some((placed) => tiles.includes(placed.tile)));
