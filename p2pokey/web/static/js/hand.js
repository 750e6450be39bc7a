// The player's own tiles between two views: arrangement, melds not sent yet, the duel's table under
// work. A view never moves a tile that is there already.

import { act } from "./acting.js";
import { arrange, emptyRows, find, isHidden, put, reconcile, rowCount, tilesOf } from "./layout.js";
import * as staging from "./staging.js";
import { change, game, mayAct, settings, state, table } from "./store.js";

const STORED = "p2pokey-hand";
const MOST_PAST = 60;
let current = "";
let landing = null;
let keeping = 0;

const local = () => state.local;

export const isDuel = () => table()?.rules === "duel";

/** Tiles of the rack that are on the table under work, or in melds not sent yet. */
export const laidAside = () =>
  local().work ? staging.added(local().work.sets, local().work.base) : local().melds.flat();

/** What the duel's table looks like just now: under work, or as it lies. */
export const tableSets = () => local().work?.sets ?? staging.setsOf(game()?.melds ?? []);

/** Whether the duel's table may be taken apart now. */
export const mayWork = () => isDuel() && Boolean(game()?.can?.play) && mayAct();

/** Brings what is local in line with the newest view. */
export function settle() {
  const seen = game();
  if (!seen) {
    // Between two hands, or in the lobby: nothing lies anywhere.
    current = "";
    Object.assign(local(), { rows: emptyRows(2), melds: [], work: null, past: [], picked: [] });
    return;
  }
  const name = handName();
  if (name !== current) {
    current = name;
    recall(name);
  }
  settleWork(seen);
  const rack = seen.rack.filter((tile) => tile !== null);
  local().melds = staging.keepOnly(local().melds, rack);
  const aside = new Set(laidAside());
  const here = seen.rack.filter((tile) => tile === null || !aside.has(tile));
  const settled = reconcile(local().rows, here, settings().large_tiles);
  local().rows = settled.rows;
  if (settled.fresh.length) {
    land(settled.fresh);
    local().fresh = settled.fresh;
  }
  local().fresh = local().fresh.filter((tile) => here.includes(tile));
  const all = new Set([...rack, ...tableSets().flat()]);
  local().picked = local().picked.filter((tile) => all.has(tile));
}

function handName() {
  const { rules, seat, match } = table();
  return [rules, seat, match?.hand, game().starter, game().indicator].join(" ");
}

// A play of the duel is built on one table; when that table has changed, the work has no ground.
function settleWork(seen) {
  const work = local().work;
  if (!work) return;
  const base = staging.setsOf(seen.melds);
  if (staging.fingerprint(base) !== staging.fingerprint(work.base)) {
    local().work = null;
    local().past = [];
    return;
  }
  const here = [...base.flat(), ...seen.rack.filter((tile) => tile !== null)];
  work.sets = staging.keepOnly(work.sets, here);
}

/** Where the next tile that comes shall lie. */
export function landAt(place) {
  landing = place;
}

function land(fresh) {
  if (landing && fresh.length === 1) local().rows = put(local().rows, fresh, landing);
  landing = null;
}

// --- Changes by the player ---

function edit(next) {
  const { rows, melds, work } = local();
  const past = [...local().past, { rows, melds, work }].slice(-MOST_PAST);
  change({ ...next, past });
  settle();
  keep();
}

export function moveTo(tiles, place) {
  const there = tiles.filter((tile) => find(local().rows, tile));
  if (there.length === tiles.length) edit({ rows: put(local().rows, tiles, place) });
  else backToRack(tiles, place);
}

/** Takes tiles out of melds that were not sent and puts them on the rack. */
export function backToRack(tiles, place = null) {
  const aside = new Set(laidAside());
  const own = tiles.filter((tile) => aside.has(tile) || find(local().rows, tile));
  if (own.length === 0) return false;
  const work = local().work;
  landing = own.length === 1 ? place : null;
  if (work) edit({ work: { ...work, sets: staging.takeOut(work.sets, own) } });
  else edit({ melds: staging.takeOut(local().melds, own) });
  proposeMelds();
  change({ picked: [], fresh: [] });
  return true;
}

/** Puts tiles together as a new meld, or adds them to one that is not sent yet. */
export function setAside(tiles, index = null) {
  if (isDuel()) {
    if (!mayWork()) return;
    const base = staging.setsOf(game().melds);
    const sets = tableSets();
    const next = index === null ? staging.newMeld(sets, tiles) : staging.extend(sets, index, tiles);
    edit({ work: { base, sets: next }, picked: [] });
  } else {
    const melds = local().melds;
    const next = index === null ? staging.newMeld(melds, tiles) : staging.extend(melds, index, tiles);
    edit({ melds: next, picked: [] });
  }
  proposeMelds();
}

/** Lays these melds aside instead of what was there. */
export function replaceMelds(melds) {
  edit({ melds, picked: [] });
  proposeMelds();
}

export function splitBefore(index, tile) {
  const base = staging.setsOf(game().melds);
  edit({ work: { base, sets: staging.split(tableSets(), index, tile) }, picked: [] });
  proposeMelds();
}

export function resetTable() {
  edit(isDuel() ? { work: null, picked: [] } : { melds: [], picked: [] });
  proposeMelds();
}

export function undo() {
  const last = local().past.at(-1);
  if (!last) return;
  change({ ...last, past: local().past.slice(0, -1), picked: [] });
  settle();
  keep();
  proposeMelds();
}

export function sort(kind) {
  const tiles = tilesOf(local().rows).filter((tile) => !tile.startsWith("?"));
  const given = table().sorts?.[kind];
  const groups = given ?? [tiles.slice().sort()];
  const here = new Set(tiles);
  const mine = groups.map((group) => group.filter((tile) => here.has(tile))).filter((g) => g.length);
  edit({ rows: arrange(mine, rowCount(game().rack.length, settings().large_tiles)), fresh: [] });
}

/** Forgets what was under construction: it has been sent. */
export function sent() {
  change({ melds: [], work: null, past: [], picked: [] });
  settle();
  keep();
}

let proposed = "[]";

/** Asks the engine what the melds under construction are worth. */
function proposeMelds() {
  const melds = isDuel() ? (local().work ? local().work.sets : []) : local().melds;
  const text = JSON.stringify(melds);
  if (text === proposed) return;
  proposed = text;
  act({ do: "stage", melds }, { quiet: true });
}

// --- Kept over a reload ---

function keep() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const { rows, melds, work } = local();
    // On a shared device both racks are kept, each by its own name.
    const others = stored().filter((one) => one.name !== current).slice(-1);
    sessionStorage.setItem(STORED, JSON.stringify([...others, { name: current, rows, melds, work }]));
    const shown = rows.map((row) => row.map((tile) => (isHidden(tile) ? null : tile)));
    if (state.control) act({ do: "layout", rows: shown }, { quiet: true });
  }, 250);
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED)) ?? [];
  } catch {
    return []; // not ours, or cut off
  }
}

function recall(name) {
  const empty = { rows: [], melds: [], work: null };
  const { name: _, ...found } = stored().find((one) => one.name === name) ?? { ...empty, rows: table().layout ?? [] };
  Object.assign(local(), empty, found, { past: [], picked: [], fresh: [], held: false, cursor: 0 });
  proposed = "[]";
  proposeMelds();
}
