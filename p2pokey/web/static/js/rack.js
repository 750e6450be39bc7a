// The rack: always the player's own arrangement, on anybody's turn.

import { change, describe, game, h, leaving, local, t, table } from "./core.js";
import { backToRack, laidAside, moveTo } from "./hand.js";
import { COLUMNS, isHidden } from "./layout.js";
import { discard } from "./moves.js";

const DOUBLE_MS = 350;
let lastTap = { tile: "", at: 0 };

const placeOf = (n) => ({ row: Math.floor(n / COLUMNS), column: n % COLUMNS });

export function rackView() {
  const { rows, cursor, held } = local;
  const all = rows.flat();
  const stop = all[cursor] || held ? cursor : Math.max(0, all.findIndex(Boolean));
  return h("okey-rack", {
    class: `rack rows-${rows.length}`, role: "listbox", label: t("rack.label"),
    "aria-multiselectable": true, "aria-orientation": "horizontal", "data-drop": "rack", "aria-describedby": "rack-keys",
    keydown: onKey, focusin: onFocus,
  }, rows.map((row, r) => h("div.row", { role: "presentation", key: `row${r}` },
    row.map((tile, c) => slotView(tile, r, c, r * COLUMNS + c, c > row.findLastIndex(Boolean) + 1, stop)))));
}

// The engine forgets a hint with the next move.
const advised = () => Object.values(table().advice?.intent ?? {}).flat().flatMap((one) => one?.tiles ?? one);

function slotView(tile, r, c, n, isTail, stop) {
  const common = {
    role: "option", "data-place": n, "data-drop": `slot:${r}:${c}`, tabindex: n === local.cursor || n === stop ? 0 : -1,
  };
  if (tile !== null && tile !== leaving()) return tileView(tile, common);
  return h("span.slot.empty", {
    ...common, key: `empty${n}`, class: isTail && "tail", "aria-selected": false,
    label: t("rack.empty", { row: r + 1, n: c + 1 }), click: () => onEmpty(n),
  });
}

function tileView(tile, common) {
  const { picked, dragging, fresh, held, cursor } = local;
  const seen = game() ?? {};
  const hidden = isHidden(tile);
  const marks = {
    picked: picked.includes(tile),
    dragging: dragging.includes(tile),
    fresh: fresh.includes(tile),
    warned: seen.hints?.playable?.some((hint) => hint.tile === tile),
    finishes: seen.can?.finish?.includes(tile),
    hinted: advised().includes(tile),
    held: held && common["data-place"] === cursor,
  };
  const names = Object.keys(marks).filter((name) => marks[name]);
  const said = names.filter((name) => name !== "picked" && name !== "dragging").map((name) => t(`tile.${name}`));
  return h("okey-tile.slot", {
    ...common, key: tile, class: names, t: hidden ? null : tile, okey: seen.okey, "aria-selected": marks.picked,
    label: [hidden ? t("tile.hidden") : describe(tile), ...said].join(", "),
    ...(hidden ? null : { "data-tile": tile, "data-drag": "tile", click: () => onTap(tile) }),
  });
}

// One tap picks, a second one at once discards.
function onTap(tile) {
  const now = performance.now();
  const again = lastTap.tile === tile && now - lastTap.at < DOUBLE_MS;
  lastTap = again ? { tile: "", at: 0 } : { tile, at: now };
  if (again && !game().duel) {
    change({ picked: local.picked.filter((other) => other !== tile) });
    discard(tile);
  } else togglePick(tile);
}

export function togglePick(tile) {
  const { picked } = local;
  change({ picked: picked.includes(tile) ? picked.filter((other) => other !== tile) : [...picked, tile], fresh: [] });
}

function onEmpty(n) {
  const aside = laidAside();
  const own = local.picked.filter((tile) => aside.includes(tile) || local.rows.flat().includes(tile));
  if (own.length === 0) return;
  (own.some((tile) => aside.includes(tile)) ? backToRack : moveTo)(own, placeOf(n));
  change({ picked: [] });
}

function onFocus(event) {
  const place = Number(event.target.dataset?.place ?? local.cursor);
  if (place !== local.cursor) change({ cursor: place, held: false });
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { rows, cursor, held, picked } = local;
  const { key } = event;
  const tile = rows.flat()[cursor] ?? null;
  const isMove = key in STEPS || key === "Home" || key === "End";
  if (isMove || key === " " || key === "Enter") event.preventDefault();
  if (isMove) step(target(key, cursor, rows.length), held ? tile : null);
  else if (key === " " && tile) change({ held: !held, refocus: true });
  else if (key === "Enter" && !tile) onEmpty(cursor);
  else if (key === "Enter" && !isHidden(tile)) togglePick(tile);
  else if (key === "Delete" && tile) discard(tile);
  else if (key === "Escape" && (held || picked.length)) {
    event.stopPropagation();
    change({ held: false, picked: [] });
  }
}

function target(key, cursor, rows) {
  const start = cursor - (cursor % COLUMNS);
  if (key === "Home") return start;
  if (key === "End") return start + COLUMNS - 1;
  const next = cursor + STEPS[key];
  return next >= 0 && next < rows * COLUMNS ? next : cursor;
}

function step(next, heldTile) {
  if (next === local.cursor) return;
  if (heldTile) moveTo([heldTile], placeOf(next));
  change({ cursor: heldTile ? local.rows.flat().indexOf(heldTile) : next, refocus: true });
}
