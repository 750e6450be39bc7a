// The player's own tiles. A view never moves one that is there already.

import { change, game, isDuel, keep, kept, leaving, local, mayAct, settings, state, table, tell } from "./core.js";
import { arrange, emptyRows, find, isHidden, put, reconcile, rowCount, tilesOf } from "./layout.js";

const STORED = "p2pokey-hand";
const MOST_PAST = 60;
let current = "";
let home = []; // the arrangement that this hand was taken up with
let landing = null;
let keeping = 0;
let proposed = "[]";
let order = "";
let wanted = null; // the sorting that was asked for before the engine knew the tiles

const takeOut = (sets, tiles) => without(sets, tiles).filter((set) => set.length > 0);
const without = (sets, tiles) => sets.map((set) => set.filter((tile) => !tiles.includes(tile)));
const keepOnly = (sets, tiles) => takeOut(sets, sets.flat().filter((tile) => !tiles.includes(tile)));
const lying = () => (game()?.melds ?? []).map((meld) => meld.tiles.map((placed) => placed.tile));
const fingerprint = (sets) => sets.map((set) => set.toSorted().join(" ")).sort().join("/");

function together(sets, tiles, index) {
  if (index === null) return [...takeOut(sets, tiles), tiles.slice()];
  const next = without(sets, tiles);
  next[index].push(...tiles);
  return next.filter((set) => set.length > 0);
}

// Tiles of the rack that lie elsewhere, not sent yet.
export function laidAside() {
  if (!local.work) return local.melds.flat();
  const old = local.work.base.flat();
  return local.work.sets.flat().filter((tile) => !old.includes(tile));
}

export const tableSets = () => local.work?.sets ?? lying();

export const mayWork = () => isDuel() && Boolean(game()?.can?.play) && mayAct();

export const fromTable = (tiles) => isDuel() && lying().flat().some((tile) => tiles.includes(tile));

export function settle() {
  const seen = game();
  if (!seen) {
    current = "";
    clearTimeout(keeping);
    Object.assign(local, { rows: emptyRows(2), melds: [], work: null, past: [], picked: [], leaving: null });
    return;
  }
  const { rules, seat, match } = table();
  const name = [rules, seat, match?.hand, seen.starter, seen.indicator].join(" ");
  // Turning the indicator begins no other hand.
  if (name === current || (current.endsWith(" ") && name.startsWith(current))) current = name;
  else recall(name);
  const rack = seen.rack.filter((tile) => tile !== null);
  settleWork(rack);
  local.leaving = leaving();
  local.melds = keepOnly(local.melds, rack);
  const aside = laidAside();
  const here = seen.rack.filter((tile) => !aside.includes(tile));
  const { rows, fresh } = reconcile(local.rows, here, settings().large_tiles, home);
  local.rows = landing && fresh.length === 1 ? put(rows, fresh, landing) : rows;
  if (fresh.length) landing = null;
  local.fresh = (fresh.length ? fresh : local.fresh).filter((tile) => here.includes(tile));
  const all = [...rack, ...tableSets().flat()];
  local.picked = local.picked.filter((tile) => all.includes(tile));
  if (JSON.stringify(local.rows) !== order) keepAll();
  if (wanted && isSortable()) sort(wanted);
}

const isSortable = () => table().sorts && !game().rack.includes(null);

// Work on a table that has changed has no ground any more.
function settleWork(rack) {
  const { work } = local;
  if (!work) return;
  const base = lying();
  if (fingerprint(base) === fingerprint(work.base)) work.sets = keepOnly(work.sets, [...base.flat(), ...rack]);
  else Object.assign(local, { work: null, past: [] });
}

export function landAt(place) {
  landing = place;
}

function edit(next) {
  const { rows, melds, work, past } = local;
  change({ ...next, past: [...past, { rows, melds, work }].slice(-MOST_PAST) });
  settled();
}

function settled() {
  wanted = null;
  settle();
  keepAll();
  proposeMelds();
}

export function moveTo(tiles, place) {
  if (tiles.every((tile) => find(local.rows, tile))) edit({ rows: put(local.rows, tiles, place) });
  else backToRack(tiles, place);
}

export function backToRack(tiles, place = null) {
  const aside = laidAside();
  const own = tiles.filter((tile) => aside.includes(tile) || find(local.rows, tile));
  if (own.length === 0) return;
  const { work, melds } = local;
  landing = own.length === 1 ? place : null;
  edit(work ? { work: { ...work, sets: takeOut(work.sets, own) } } : { melds: takeOut(melds, own) });
  change({ picked: [], fresh: [] });
}

export function setAside(tiles, index = null) {
  if (!isDuel()) edit({ melds: together(local.melds, tiles, index), picked: [] });
  else if (mayWork()) rebuild(together(tableSets(), tiles, index));
}

const rebuild = (sets) => edit({ work: { base: lying(), sets }, picked: [] });

export const replaceMelds = (melds) => edit({ melds, picked: [] });

export function splitBefore(index, tile) {
  const sets = tableSets().slice();
  const at = sets[index].indexOf(tile);
  sets.splice(index, 1, sets[index].slice(0, at), sets[index].slice(at));
  rebuild(sets);
}

export const resetTable = () => edit({ work: null, melds: [], picked: [] });

export function undo() {
  const last = local.past.at(-1);
  if (!last) return;
  change({ ...last, past: local.past.slice(0, -1), picked: [] });
  settled();
}

// As far as it goes, and again when the last tile can be read.
export function sort(kind) {
  const tiles = tilesOf(local.rows);
  const groups = table().sorts?.[kind].map((group) => group.filter((tile) => tiles.includes(tile)));
  const rows = rowCount(game().rack.length, settings().large_tiles);
  if (groups) edit({ rows: arrange(groups.filter((group) => group.length > 0), rows), fresh: [] });
  if (!isSortable()) wanted = kind;
}

export function sent() {
  change({ melds: [], work: null, past: [], picked: [] });
  settle();
  keepAll();
}

function proposeMelds() {
  const melds = isDuel() ? local.work?.sets ?? [] : local.melds;
  const text = JSON.stringify(melds);
  if (text === proposed) return;
  proposed = text;
  tell("stage", { melds });
}

// Also an order that the player has not touched.
function keepAll() {
  order = JSON.stringify(local.rows);
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const { rows, melds, work, past } = local;
    // On a shared device both racks are kept, each by its own name.
    const others = (kept(STORED) ?? []).filter((one) => one.name !== current).slice(-1);
    keep(STORED, [...others, { name: current, rows, melds, work, past }]);
    const shown = rows.map((row) => row.map((tile) => (isHidden(tile) ? null : tile)));
    if (state.control) tell("layout", { rows: shown });
  }, 250);
}

// What this tab has kept, else what the engine has.
function recall(name) {
  current = name;
  wanted = null;
  const { layout, staged } = table();
  const sets = staged?.melds.map((meld) => meld.tiles) ?? [];
  const { rows, melds, work, past = [] } = kept(STORED)?.find((one) => one.name === name) ?? {
    rows: layout ?? [], melds: isDuel() ? [] : sets, work: isDuel() && sets.length ? { base: lying(), sets } : null,
  };
  Object.assign(local, { rows, melds, work, past, picked: [], fresh: [], held: false, cursor: 0 });
  home = rows;
  proposed = "[]";
  proposeMelds();
}
