// Sorting a rack: into the melds that are worth most together, or into pairs. Only an arrangement;
// what may be laid is decided by the engine.

import { colourOf, faceOf, isFalse, numberOf } from "./tile.js";

const COLOURS = "rbky";
const MOST_STEPS = 60000;

/** Groups for "sort runs": melds first, then what is left, by colour. */
export function sortRuns(tiles, okey, wrap) {
  const pool = makePool(tiles, okey);
  const best = search(pool, wrap);
  const groups = best.map((meld) => meld.map((face) => take(pool, face)));
  return [...groups, ...leftovers(pool)];
}

/** Groups for "sort pairs": pairs first, then the wild tiles, then the rest by number. */
export function sortPairs(tiles, okey) {
  const pool = makePool(tiles, okey);
  const pairs = [];
  const single = [];
  for (const same of pool.byFace.values()) {
    if (same.length === 2 || same.length === 3) pairs.push(same.slice(0, 2));
    if (same.length === 4) pairs.push(same.slice(0, 2), same.slice(2));
    if (same.length % 2) single.push(same.at(-1));
  }
  const plays = (tile) => (isFalse(tile) && okey ? okey : faceOf(tile));
  const value = (tile) => parseInt(plays(tile).slice(1), 10);
  single.sort((a, b) => value(a) - value(b) || COLOURS.indexOf(plays(a)[0]) - COLOURS.indexOf(plays(b)[0]));
  pairs.sort((a, b) => value(a[0]) - value(b[0]));
  const byNumber = [];
  for (const tile of single) {
    if (byNumber.length && value(byNumber.at(-1)[0]) === value(tile)) byNumber.at(-1).push(tile);
    else byNumber.push([tile]);
  }
  const loose = byNumber.filter((group) => group.length === 1).flat();
  const groups = [...pairs, pool.wild, ...byNumber.filter((group) => group.length > 1), loose];
  return groups.filter((group) => group.length > 0);
}

function makePool(tiles, okey) {
  const byFace = new Map();
  const wild = [];
  for (const tile of tiles) {
    if (okey ? faceOf(tile) === okey : isFalse(tile)) wild.push(tile);
    else {
      const face = isFalse(tile) ? okey : faceOf(tile);
      byFace.set(face, [...(byFace.get(face) ?? []), tile]);
    }
  }
  return { byFace, wild };
}

function take(pool, face) {
  return face === null ? pool.wild.shift() : pool.byFace.get(face).shift();
}

function leftovers(pool) {
  const byColour = { r: [], b: [], k: [], y: [] };
  for (const [face, same] of pool.byFace) byColour[face[0]].push(...same);
  const groups = [];
  for (const colour of COLOURS) {
    const plain = byColour[colour].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    if (plain.length) groups.push(plain);
  }
  if (pool.wild.length) groups.push(pool.wild);
  return groups;
}

const rank = (tile) => (colourOf(tile) === "f" ? 99 : numberOf(tile));

// The search goes through the faces in order. At each it leaves the tile out, or takes it into a run
// that begins here or a set whose lowest colour this is; wild tiles (null) fill gaps.
function search(pool, wrap) {
  const counts = new Map([...pool.byFace].map(([face, same]) => [face, same.length]));
  const faces = [...counts.keys()].sort(
    (a, b) => COLOURS.indexOf(a[0]) - COLOURS.indexOf(b[0]) || parseInt(a.slice(1), 10) - parseInt(b.slice(1), 10),
  );
  const found = { score: -1, melds: [] };
  const task = { counts, faces, found, wrap, steps: 0 };
  walk(task, 0, pool.wild.length, 0, []);
  return found.melds;
}

function walk(task, at, wild, score, melds) {
  task.steps += 1;
  if (task.steps > MOST_STEPS) return;
  if (score > task.found.score) task.found = Object.assign(task.found, { score, melds: melds.slice() });
  let next = at;
  while (next < task.faces.length && !task.counts.get(task.faces[next])) next += 1;
  if (next >= task.faces.length) return;
  for (const option of optionsAt(task, task.faces[next], wild)) {
    for (const face of option.meld) if (face) task.counts.set(face, task.counts.get(face) - 1);
    const left = wild - option.meld.filter((face) => face === null).length;
    melds.push(option.meld);
    walk(task, next, left, score + option.value, melds);
    melds.pop();
    for (const face of option.meld) if (face) task.counts.set(face, task.counts.get(face) + 1);
  }
  const whole = task.counts.get(task.faces[next]);
  task.counts.set(task.faces[next], 0);
  walk(task, next + 1, wild, score, melds);
  task.counts.set(task.faces[next], whole);
}

function optionsAt(task, face, wild) {
  const number = parseInt(face.slice(1), 10);
  const options = [...runsFrom(task, face[0], number, wild), ...setsOf(task, face[0], number, wild)];
  return options.sort((a, b) => b.value - a.value);
}

function runsFrom(task, colour, start, wild) {
  const runs = [];
  const last = task.wrap ? 14 : 13;
  const meld = [];
  let value = 0;
  let left = wild;
  for (let place = start; place <= last; place += 1) {
    const number = place === 14 ? 1 : place;
    if (task.counts.get(colour + number)) meld.push(colour + number);
    else if (left > 0) {
      meld.push(null);
      left -= 1;
    } else break;
    value += number;
    if (meld.length >= 3 && meld[0] !== null) runs.push({ meld: meld.slice(), value });
  }
  if (left > 0 && start > 1 && meld.length === 2 && !meld.includes(null)) {
    runs.push({ meld: [null, ...meld], value: value + start - 1 });
  }
  return runs;
}

function setsOf(task, colour, number, wild) {
  const others = [...COLOURS].filter((other) => other !== colour && task.counts.get(other + number));
  const sets = [];
  for (let mask = 0; mask < 1 << others.length; mask += 1) {
    const meld = [colour + number, ...others.filter((_, n) => mask & (1 << n)).map((other) => other + number)];
    for (let jokers = 0; jokers <= wild && meld.length + jokers <= 4; jokers += 1) {
      const size = meld.length + jokers;
      if (size >= 3) sets.push({ meld: [...meld, ...Array(jokers).fill(null)], value: size * number });
    }
  }
  return sets;
}
