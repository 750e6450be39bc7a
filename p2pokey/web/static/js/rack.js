// The rack: always the player's own arrangement, on anybody's turn.

import { h } from "./dom.js";
import { backToRack, laidAside, moveTo } from "./hand.js";
import { t } from "./i18n.js";
import { COLUMNS, isHidden } from "./layout.js";
import { discard } from "./moves.js";
import { change, game, state } from "./store.js";
import { describe } from "./tile.js";

const DOUBLE_MS = 350;
let lastTap = { tile: "", at: 0 };

export function rackView() {
  const { rows, cursor } = state.local;
  const occupied = rows.some((row, r) => row.some((tile, c) => tile && r * COLUMNS + c === cursor));
  const first = rows.flat().findIndex((tile) => tile !== null);
  const stop = occupied || state.local.held ? cursor : Math.max(0, first);
  return h("okey-rack", {
    key: "rack", class: `rack rows-${rows.length}`, role: "listbox", "aria-label": t("rack.label"),
    "aria-multiselectable": "true", "aria-orientation": "horizontal", "data-drop": "rack",
    "aria-describedby": "rack-keys",
    keydown: onKey, focusin: onFocus,
  }, rows.map((row, r) => rowView(row, r, cursor, stop)));
}

function rowView(row, r, cursor, stop) {
  const last = row.findLastIndex((tile) => tile !== null);
  return h("div.row", { role: "presentation", key: `row${r}` },
    row.map((tile, c) => slotView(tile, r, c, r * COLUMNS + c, c > last + 1, cursor, stop)));
}

function slotView(tile, r, c, n, isTail, cursor, stop) {
  const isStop = n === cursor || n === stop;
  const common = {
    role: "option", "data-place": n, "data-drop": `slot:${r}:${c}`, tabindex: isStop ? 0 : -1,
  };
  if (tile === null) {
    return h("span", {
      ...common, key: `empty${n}`, class: isTail ? "slot empty tail" : "slot empty",
      "aria-selected": "false", "aria-label": t("rack.empty", { row: r + 1, n: c + 1 }),
      click: () => onEmpty(r, c),
    });
  }
  return tileView(tile, common);
}

function tileView(tile, common) {
  const { picked, dragging, fresh, held, cursor } = state.local;
  const seen = game() ?? {};
  const isPicked = picked.includes(tile);
  const marks = {
    picked: isPicked,
    dragging: dragging.includes(tile),
    fresh: fresh.includes(tile),
    held: held && common["data-place"] === cursor,
    warned: seen.hints?.playable?.some((hint) => hint.tile === tile),
    finishes: seen.can?.finish?.includes(tile),
  };
  const names = Object.keys(marks).filter((name) => marks[name]);
  const hidden = isHidden(tile);
  return h("okey-tile", {
    ...common, key: tile, class: ["slot", ...names].join(" "), t: hidden ? null : tile, okey: seen.okey,
    "aria-selected": String(isPicked), "aria-label": labelOf(tile, hidden, marks),
    "data-tile": hidden ? null : tile, "data-drag": hidden ? null : "tile",
    click: () => (hidden ? null : onTap(tile)),
  });
}

function labelOf(tile, hidden, marks) {
  const words = [hidden ? t("tile.hidden") : describe(tile, game().okey)];
  if (marks.fresh) words.push(t("tile.fresh"));
  if (marks.warned) words.push(t("tile.playable"));
  if (marks.finishes) words.push(t("tile.finishes"));
  if (marks.held) words.push(t("tile.held"));
  return words.join(", ");
}

/** One tap picks, a second one at once discards. */
function onTap(tile) {
  const now = performance.now();
  const again = lastTap.tile === tile && now - lastTap.at < DOUBLE_MS;
  lastTap = again ? { tile: "", at: 0 } : { tile, at: now };
  if (again && !game().duel) {
    change({ picked: state.local.picked.filter((other) => other !== tile) });
    discard(tile);
  } else togglePick(tile);
}

export function togglePick(tile) {
  const picked = state.local.picked;
  const next = picked.includes(tile) ? picked.filter((other) => other !== tile) : [...picked, tile];
  change({ picked: next, fresh: [] });
}

function onEmpty(row, column) {
  const picked = state.local.picked;
  const aside = laidAside();
  const own = picked.filter((tile) => aside.includes(tile) || state.local.rows.flat().includes(tile));
  if (own.length === 0) return;
  if (own.some((tile) => aside.includes(tile))) backToRack(own, { row, column });
  else moveTo(own, { row, column });
  change({ picked: [] });
}

function onFocus(event) {
  const place = event.target.dataset?.place;
  if (place === undefined || Number(place) === state.local.cursor) return;
  change({ cursor: Number(place), held: false });
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { rows, cursor, held } = state.local;
  const tile = rows.flat()[cursor] ?? null;
  if (event.key in STEPS || event.key === "Home" || event.key === "End") {
    event.preventDefault();
    step(target(event.key, cursor, rows.length), held ? tile : null);
  } else if (event.key === " ") {
    event.preventDefault();
    if (tile) change({ held: !held, refocus: true });
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (tile && !isHidden(tile)) togglePick(tile);
    else if (!tile) onEmpty(Math.floor(cursor / COLUMNS), cursor % COLUMNS);
  } else if (event.key === "Delete" && tile) {
    discard(tile);
  } else if (event.key === "Escape" && (held || state.local.picked.length)) {
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
  if (next === state.local.cursor) return;
  if (heldTile) moveTo([heldTile], { row: Math.floor(next / COLUMNS), column: next % COLUMNS });
  const place = heldTile ? state.local.rows.flat().indexOf(heldTile) : next;
  change({ cursor: place, refocus: true });
}
