// The arrangement of the rack: rows of tile names and nulls. Pure; the table never reorders it.

export const COLUMNS = 15;
const HIDDEN = "?";

export const isHidden = (tile) => tile?.startsWith(HIDDEN) ?? false;

/** Rows that a rack of so many tiles needs, with room to move. */
export function rowCount(tiles, large) {
  return Math.max(large ? 3 : 2, Math.ceil((tiles + 2) / COLUMNS));
}

export function emptyRows(rows) {
  return Array.from({ length: rows }, () => Array(COLUMNS).fill(null));
}

export const tilesOf = (rows) => rows.flat().filter((tile) => tile !== null);

/**
 * The same arrangement for the tiles that are on the rack now: what has gone leaves a gap, what has
 * come takes the first free place. A null among the tiles is one that cannot be read yet; it keeps a
 * place, and the tile takes that place when it can be read.
 */
export function reconcile(rows, rack, large = false) {
  const known = rack.filter((tile) => tile !== null);
  const hidden = rack.filter((tile) => tile === null).map((_, n) => HIDDEN + n);
  const have = new Set(tilesOf(rows));
  if (have.size === 0) return { rows: deal([...known, ...hidden], large), fresh: [] };
  const wanted = new Set([...known, ...hidden]);
  const fresh = known.filter((tile) => !have.has(tile));
  const coming = [...fresh, ...hidden.filter((name) => !have.has(name))];
  const next = resize(rows, rowCount(rack.length, large));
  const seen = new Set();
  const places = [];
  for (const row of next) {
    row.forEach((tile, column) => {
      if (tile === null) return;
      if (wanted.has(tile) && !seen.has(tile)) seen.add(tile);
      else {
        row[column] = null;
        if (isHidden(tile)) places.push([row, column]);
      }
    });
  }
  for (const tile of coming) {
    const [row, column] = places.shift() ?? firstFree(next);
    row[column] = tile;
  }
  return { rows: next, fresh };
}

function deal(tiles, large) {
  const rows = emptyRows(rowCount(tiles.length, large));
  const each = Math.ceil(tiles.length / rows.length);
  tiles.forEach((tile, n) => (rows[Math.floor(n / each)][n % each] = tile));
  return rows;
}

function resize(rows, wanted) {
  const next = rows.map((row) => row.slice());
  while (next.length < wanted) next.push(Array(COLUMNS).fill(null));
  while (next.length > wanted && next.at(-1).every((tile) => tile === null)) next.pop();
  return next;
}

function firstFree(rows) {
  for (const row of rows) {
    const last = row.findLastIndex((tile) => tile !== null);
    // One free place between what is sorted and what is new, while there is room.
    if (last + 2 < row.length) return [row, last < 0 ? 0 : last + 2];
  }
  for (const row of rows) {
    const column = row.indexOf(null);
    if (column >= 0) return [row, column];
  }
  rows.push(Array(COLUMNS).fill(null));
  return [rows.at(-1), 0];
}

export function find(rows, tile) {
  for (let row = 0; row < rows.length; row += 1) {
    const column = rows[row].indexOf(tile);
    if (column >= 0) return { row, column };
  }
  return null;
}

/** Puts tiles at a place; what lies there moves aside towards the nearest gap. */
export function put(rows, tiles, place) {
  const moving = new Set(tiles);
  const next = rows.map((row) => row.map((tile) => (moving.has(tile) ? null : tile)));
  const from = find(rows, tiles[0]);
  let { row, column } = place;
  for (const tile of tiles) {
    if (column >= next[row].length) {
      row = (row + 1) % next.length;
      column = 0;
    }
    insert(next, tile, row, column, from);
    column += 1;
  }
  return next;
}

function insert(rows, tile, row, column, from) {
  const line = rows[row];
  const right = line.indexOf(null, column);
  const left = line.lastIndexOf(null, column);
  // Leaving a place on the left lets the row close up from there, as a hand would push it.
  const leftFirst = left >= 0 && from?.row === row && from.column < column && from.column <= left;
  if (line[column] === null) {
    line[column] = tile;
  } else if (left >= 0 && (leftFirst || right < 0)) {
    line.splice(left, 1);
    line.splice(column, 0, tile);
  } else if (right >= 0) {
    line.splice(right, 1);
    line.splice(column, 0, tile);
  } else {
    const pushed = line[column];
    line[column] = tile;
    const [other, free] = from && rows[from.row][from.column] === null
      ? [rows[from.row], from.column] : firstFree(rows);
    other[free] = pushed;
  }
}

/** Rows with these groups, a gap after each as long as there is room. */
export function arrange(groups, rows) {
  for (const gap of [1, 0]) {
    const next = emptyRows(rows);
    if (fill(next, groups, gap)) return next;
  }
  const next = emptyRows(rows);
  groups.flat().forEach((tile, n) => (next[Math.floor(n / COLUMNS)][n % COLUMNS] = tile));
  return next;
}

function fill(rows, groups, gap) {
  let row = 0;
  let column = 0;
  // Rows of about the same length: on a phone the fullest one decides how wide a tile can be.
  const whole = groups.reduce((sum, group) => sum + group.length + gap, 0);
  const each = Math.min(COLUMNS, Math.ceil(whole / rows.length) + 1);
  for (const group of groups) {
    const isLast = row === rows.length - 1;
    if (column + group.length > (isLast || column === 0 ? COLUMNS : each)) {
      row += 1;
      column = 0;
    }
    if (row >= rows.length || group.length > COLUMNS) return false;
    for (const tile of group) rows[row][column++] = tile;
    column += gap;
  }
  return true;
}
