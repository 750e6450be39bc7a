// QR codes (ISO/IEC 18004): byte mode, error correction level M, versions 1 to 10.

import { h } from "./dom.js";

// Per version: data codewords, blocks, error correction codewords of a block.
const VERSIONS = [[16, 1, 10], [28, 1, 16], [44, 1, 26], [64, 2, 18], [86, 2, 24], [108, 4, 16], [124, 4, 18], [154, 4, 22], [182, 5, 22], [216, 5, 26]];
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const EXP = new Uint8Array(255);
const LOG = new Uint8Array(256);
for (let n = 0, x = 1; n < 255; n += 1) {
  EXP[n] = x;
  LOG[x] = n;
  x = (x << 1) ^ (x & 128 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0);

function correction(data, size) {
  let generator = [1];
  for (let n = 0; n < size; n += 1) {
    const next = [...generator, 0];
    generator.forEach((value, at) => (next[at + 1] ^= times(value, EXP[n])));
    generator = next;
  }
  const rest = [...data, ...Array(size).fill(0)];
  for (let n = 0; n < data.length; n += 1) {
    const factor = rest[n];
    if (factor) generator.forEach((value, at) => (rest[n + at] ^= times(value, factor)));
  }
  return rest.slice(data.length);
}

function codewords(bytes, version) {
  const [size, blocks, ecc] = VERSIONS[version - 1];
  let bits = "0100" + bytes.length.toString(2).padStart(version < 10 ? 8 : 16, "0");
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  bits = bits.padEnd(Math.min(bits.length + 4, size * 8), "0");
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
  const data = bits.match(/.{8}/g).map((text) => parseInt(text, 2));
  for (let pad = 0xec; data.length < size; pad ^= 0xec ^ 0x11) data.push(pad);
  const parts = [];
  const short = Math.floor(size / blocks);
  const long = size % blocks;
  for (let n = 0, at = 0; n < blocks; n += 1) {
    const length = short + (n >= blocks - long ? 1 : 0);
    parts.push(data.slice(at, at + length));
    at += length;
  }
  const checks = parts.map((part) => correction(part, ecc));
  const out = [];
  for (let n = 0; n <= short; n += 1) for (const part of parts) if (n < part.length) out.push(part[n]);
  for (let n = 0; n < ecc; n += 1) for (const check of checks) out.push(check[n]);
  return out;
}

/** The code as rows of true for dark; throws RangeError for more than 213 bytes. */
function qrMatrix(text) {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.findIndex(([size], n) => bytes.length + (n < 9 ? 2 : 3) <= size) + 1;
  if (version === 0) throw new RangeError("too long for a QR code");
  const size = version * 4 + 17;
  const grid = Array.from({ length: size }, () => Array(size).fill(null));
  drawPatterns(grid, version);
  const fixed = grid.map((row) => row.map((cell) => cell !== null));
  drawData(grid, codewords(bytes, version));
  let best = null;
  for (let mask = 0; mask < 8; mask += 1) {
    const tried = grid.map((row, y) => row.map((cell, x) => (fixed[y][x] ? cell : cell !== MASKS[mask](x, y))));
    drawFormat(tried, mask);
    const score = penalty(tried);
    if (!best || score < best.score) best = { score, tried };
  }
  return best.tried;
}

function drawPatterns(grid, version) {
  const size = grid.length;
  const set = (x, y, dark) => { if (grid[y]?.[x] !== undefined) grid[y][x] = dark; };
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy += 1) for (let dx = -4; dx <= 4; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
    }
  }
  const centres = ALIGNMENT[version - 1];
  for (const cy of centres) for (const cx of centres) {
    if (grid[cy][cx] !== null) continue;
    for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }
  for (let n = 8; n < size - 8; n += 1) {
    if (grid[6][n] === null) grid[6][n] = n % 2 === 0;
    if (grid[n][6] === null) grid[n][6] = n % 2 === 0;
  }
  drawFormat(grid, 0);
  if (version >= 7) drawVersion(grid, version);
}

function bch(value, length, polynomial) {
  const degree = 31 - Math.clz32(polynomial);
  let rest = value << degree;
  for (let n = length - 1; n >= 0; n -= 1) if ((rest >> (n + degree)) & 1) rest ^= polynomial << n;
  return (value << degree) | rest;
}

function drawFormat(grid, mask) {
  const size = grid.length;
  const bits = bch(mask, 5, 0x537) ^ 0x5412; // level M is 00
  const bit = (n) => Boolean((bits >> n) & 1);
  for (let n = 0; n <= 5; n += 1) grid[n][8] = bit(n);
  grid[7][8] = bit(6);
  grid[8][8] = bit(7);
  grid[8][7] = bit(8);
  for (let n = 9; n < 15; n += 1) grid[8][14 - n] = bit(n);
  for (let n = 0; n < 8; n += 1) grid[8][size - 1 - n] = bit(n);
  for (let n = 8; n < 15; n += 1) grid[size - 15 + n][8] = bit(n);
  grid[size - 8][8] = true;
}

function drawVersion(grid, version) {
  const bits = bch(version, 6, 0x1f25);
  for (let n = 0; n < 18; n += 1) {
    const dark = Boolean((bits >> n) & 1);
    const a = grid.length - 11 + (n % 3);
    const b = Math.floor(n / 3);
    grid[b][a] = dark;
    grid[a][b] = dark;
  }
}

function drawData(grid, words) {
  const size = grid.length;
  let at = 0;
  for (let column = size - 1; column >= 1; column -= 2) {
    if (column === 6) column = 5;
    const up = ((column + 1) & 2) === 0;
    for (let n = 0; n < size; n += 1) for (const x of [column, column - 1]) {
      const y = up ? size - 1 - n : n;
      if (grid[y][x] !== null) continue;
      grid[y][x] = at < words.length * 8 && Boolean((words[at >> 3] >> (7 - (at & 7))) & 1);
      at += 1;
    }
  }
}

const MASKS = [
  (x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function penalty(grid) {
  const size = grid.length;
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x]))];
  let score = 0;
  for (const line of lines) {
    const text = line.map(Number).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
    for (const found of ["10111010000", "00001011101"]) {
      for (let at = text.indexOf(found); at >= 0; at = text.indexOf(found, at + 1)) score += 40;
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) {
    dark += grid[y][x];
    if (x && y && grid[y][x] === grid[y - 1][x] && grid[y][x] === grid[y][x - 1] && grid[y][x] === grid[y - 1][x - 1]) score += 3;
  }
  return score + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}

/** A drawing of the code, with the quiet zone around it; null where the text is too long. */
export function qrView(text) {
  let grid;
  try {
    grid = qrMatrix(text);
  } catch {
    return null;
  }
  const size = grid.length + 8;
  let path = "";
  grid.forEach((row, y) => row.forEach((dark, x) => { if (dark) path += `M${x + 4} ${y + 4}h1v1h-1z`; }));
  return h("svg.qr", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": text },
    h("rect", { width: size, height: size, fill: "#fff" }), h("path", { d: path, fill: "#000" }));
}
