// Melds under construction, and the duel's table under work. Pure; nothing here is sent by itself.

const without = (sets, tiles) => {
  const gone = new Set(tiles);
  return sets.map((set) => set.filter((tile) => !gone.has(tile)));
};

const solid = (sets) => sets.filter((set) => set.length > 0);

/** Puts tiles together as a new meld, taken out of where they lie. */
export function newMeld(melds, tiles) {
  return [...solid(without(melds, tiles)), [...tiles]];
}

/** Adds tiles to a meld; `index` is its place in `melds`. */
export function extend(melds, index, tiles) {
  const next = without(melds, tiles);
  next[index] = [...next[index], ...tiles];
  return solid(next);
}

/** Takes tiles out again. */
export function takeOut(melds, tiles) {
  return solid(without(melds, tiles));
}

/** Cuts a meld before a tile. */
export function split(melds, index, tile) {
  const at = melds[index].indexOf(tile);
  if (at <= 0) return melds;
  const next = melds.slice();
  next.splice(index, 1, melds[index].slice(0, at), melds[index].slice(at));
  return next;
}

/** What is left of the melds when only these tiles are still there. */
export function keepOnly(melds, tiles) {
  const here = new Set(tiles);
  return solid(melds.map((meld) => meld.filter((tile) => here.has(tile))));
}

/** The table as lists of tile names. */
export const setsOf = (melds) => melds.map((meld) => meld.tiles.map((placed) => placed.tile));

/** One text for a table, to see whether it is still the one that was worked on. */
export const fingerprint = (sets) => sets.map((set) => [...set].sort().join(" ")).sort().join("/");

/** Tiles of the table under work that came from the rack. */
export function added(work, base) {
  const old = new Set(base.flat());
  return work.flat().filter((tile) => !old.has(tile));
}
