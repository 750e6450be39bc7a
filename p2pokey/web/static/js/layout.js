// The arrangement of the rack: rows of tile names and nulls.

export const COLUMNS = 15;
const HIDDEN = "?";

export const isHidden = (tile) => tile?.startsWith(HIDDEN) ?? false;

export function rowCount(tiles, large) {
  return Math.max(large ? 3 : 2, Math.ceil((tiles + 2) / COLUMNS));
}

export function emptyRows(rows) {
  return Array.from({ length: rows }, () => Array(COLUMNS).fill(null));
}

export const tilesOf = (rows) => rows.flat().filter((tile) => tile !== null);

/**
 * The arrangement for the tiles on the rack now: what has gone leaves a gap, what has come takes its place in
 * `kept` or the first free one. A null cannot be read yet; its place is kept for it.
 */
export function reconcile(rows, rack, large = false, kept = []) {
  let unread = 0;
  const here = rack.map((tile) => tile ?? HIDDEN + unread++);
  const before = tilesOf(rows);
  if (before.length === 0) return { rows: deal(here, large), fresh: [] };
  const next = resize(rows, rowCount(rack.length, large));
  const coming = new Set(here);
  const places = [];
  for (const row of next) {
    row.forEach((tile, column) => {
      if (tile === null || coming.delete(tile)) return;
      row[column] = null;
      if (isHidden(tile)) places.push([row, column]);
    });
  }
  for (const tile of [...coming].sort((a, b) => isHidden(a) - isHidden(b))) {
    const own = find(kept, tile);
    const home = own && next[own.row];
    const [row, column] = home?.[own.column] === null ? [home, own.column] : places.shift() ?? firstFree(next);
    row[column] = tile;
  }
  return { rows: next, fresh: here.filter((tile) => !isHidden(tile) && !before.includes(tile)) };
}

function deal(tiles, large) {
  const rows = emptyRows(rowCount(tiles.length, large));
  const each = Math.ceil(tiles.length / rows.length);
  tiles.forEach((tile, n) => (rows[Math.floor(n / each)][n % each] = tile));
  return rows;
}

function resize(rows, wanted) {
  const next = rows.map((row) => row.slice());
  while (next.length < wanted) next.push(...emptyRows(1));
  while (next.length > wanted && tilesOf([next.at(-1)]).length === 0) next.pop();
  return next;
}

function firstFree(rows) {
  for (const row of rows) {
    const last = row.findLastIndex(Boolean);
    // A free place before what is new, while there is room.
    if (last + 2 < row.length) return [row, last < 0 ? 0 : last + 2];
  }
  const row = rows.find((one) => one.includes(null)) ?? rows[rows.push(...emptyRows(1)) - 1];
  return [row, row.indexOf(null)];
}

export function find(rows, tile) {
  const row = rows.findIndex((one) => one.includes(tile));
  return row < 0 ? null : { row, column: rows[row].indexOf(tile) };
}

// Puts tiles at a place; what lies there moves aside towards the nearest gap.
export function put(rows, tiles, { row, column }) {
  const next = rows.map((line) => line.map((tile) => (tiles.includes(tile) ? null : tile)));
  const from = find(rows, tiles[0]);
  tiles.forEach((tile, n) => {
    const at = column + n;
    insert(next, tile, (row + Math.floor(at / COLUMNS)) % next.length, at % COLUMNS, from);
  });
  return next;
}

function insert(rows, tile, row, column, from) {
  const line = rows[row];
  const right = line.indexOf(null, column);
  const left = line.lastIndexOf(null, column);
  // A place left on the left lets the row close up from there.
  const closesUp = from?.row === row && from.column < column && from.column <= left;
  const gap = left >= 0 && (closesUp || right < 0) ? left : right;
  if (gap >= 0) {
    line.splice(gap, 1);
    line.splice(column, 0, tile);
    return;
  }
  const free = from && rows[from.row][from.column] === null ? [rows[from.row], from.column] : firstFree(rows);
  free[0][free[1]] = line[column];
  line[column] = tile;
}

// Rows with these groups, and gaps while there is room.
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
  // On a phone the fullest row decides how wide a tile is.
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
