// Melds by owner, and what this player puts together.

import {
  count, describe, describeFace, game, h, icon, isDuel, local, nothing, number, picture, sentence, t, table, tileView,
} from "./core.js";
import { backToRack, laidAside, mayWork, setAside, splitBefore, tableSets } from "./hand.js";
import * as moves from "./moves.js";
import { togglePick } from "./rack.js";
import { nameOf, seatsFrom } from "./seats.js";

export function meldsView() {
  const seen = game();
  if (!seen) return null;
  const isEmpty = !isDuel() && !seen.floors && seen.melds.length === 0;
  if (isEmpty) return h("div.melds.bare", { "data-drop": "none" });
  const tiles = [...seen.melds, ...local.melds].flatMap((meld) => meld.tiles ?? meld);
  return h("div.melds", {
    class: [isDuel() && "duel", tiles.length > 32 && "dense"], role: "group", tabindex: 0,
    label: t(isDuel() ? "melds.duel-label" : "melds.label"), "data-drop": "stage",
  }, floorChip(seen), isDuel() ? duelTable(seen) : openTable(seen));
}

function floorChip(seen) {
  const own = table().seat;
  if (seen.duel && !seen.duel.opened[own]) return h("span.floor", t("floor.duel", { n: seen.duel.floor }));
  if (!seen.floors || seen.opened[own] !== "none") return null;
  return h("span.floor", t("floor.both", seen.floors));
}

function openTable(seen) {
  const lanes = seatsFrom(table().seat + 1).map((seat) => lane(seen, seat)).filter(Boolean);
  return [lanes.length ? lanes : nothing("melds.none"), asideLane(seen)];
}

function lane(seen, seat) {
  const melds = seen.melds.filter((meld) => meld.owner === seat);
  if (melds.length === 0) return null;
  const label = laneLabel(seen, seat);
  return h("section.lane", { key: `lane${seat}`, label },
    h("h3.owner", { "data-seat": seat }, h("bdi", label)),
    h("div.lane-melds", melds.map((meld) => meldView(seen, meld))));
}

function laneLabel(seen, seat) {
  const name = seat === table().seat ? t("you") : nameOf(seat);
  const value = seen.values[seat];
  return `${name} · ${seen.opened[seat] === "pairs" ? count("count.pairs", value) : number(value)}`;
}

function meldView(seen, meld) {
  const fits = fitsFor(meld.n);
  const buttons = (end) => fits.filter((fit) => fit.end === end).map((fit) => fitButton(fit));
  return h("div.meld", {
    class: fits.length && "fits", key: `meld${meld.n}`, role: "group", "data-drop": `meld:${meld.n}`, label: meldLabel(meld),
  }, buttons("low"), meld.tiles.map((placed, place) => meldTile(seen, meld, placed, place)), buttons("high"));
}

export function meldLabel(meld) {
  const tiles = meld.tiles.map((placed) => placedLabel(placed)).join(", ");
  return t("meld.label", { n: meld.n + 1, kind: t(`kind.${meld.kind}`), tiles, value: meld.value });
}

const placedLabel = ({ tile, okey: isWild, as }) =>
  describe(tile) + (isWild && as ? ` (${t("tile.stands", { face: describeFace(as) })})` : "");

function meldTile(seen, meld, placed, place) {
  const as = placed.okey ? placed.as : null;
  const fetch = retrievable(seen, meld.n, place);
  if (!fetch) return tileView(placed.tile, { as, label: placedLabel(placed) });
  const label = t("meld.retrieve", { face: describeFace(placed.as ?? seen.okey) });
  return h("button.fetch", { key: placed.tile, title: label, label, click: () => moves.retrieve(fetch) },
    picture(placed.tile, { as }));
}

const retrievable = (seen, meld, place) => seen.can?.retrieve?.find((entry) =>
  entry.meld === meld && entry.place === place && (seen.hints || entry.supply.every((tile) => local.picked.includes(tile))));

// The first tile for each end: of those picked, or of all if assisted.
function fitsFor(meld) {
  const { picked } = local;
  const { can, hints } = game();
  const ends = {};
  for (const entry of can?.add ?? []) {
    if (entry.meld === meld && (picked.length ? picked.includes(entry.tile) : hints)) ends[entry.end] ??= entry;
  }
  return Object.values(ends);
}

function fitButton({ meld, end, tile }) {
  const { picked } = local;
  const tiles = [tile, ...picked.filter((other) => other !== tile)];
  const label = t("meld.add", { tile: describe(tile), n: meld + 1 });
  return h("button.fit", {
    key: `fit-${end}`, title: label, label, "data-drop": `meld:${meld}:${end}`, click: () => moves.feed(meld, end, tiles),
  }, picked.length ? "+" : picture(tile));
}

function asideLane(seen) {
  if (!seen.floors) return null;
  const { melds } = local;
  const unopened = seen.opened[table().seat] === "none";
  return h("section.lane.aside", { class: melds.length && "busy", label: t("aside.title") },
    h("h3.owner", { "data-seat": table().seat }, asideTitle(seen, unopened)),
    melds.length
      ? h("div.lane-melds", melds.map((meld, index) => asideMeld(meld, index)))
      : h("p.invite", t(unopened ? "aside.invite" : "aside.invite-more")));
}

function asideTitle(seen, unopened) {
  const staged = stagedNow();
  if (!staged?.melds.length) return t("aside.title");
  const total = stagedWorth(staged);
  return unopened ? t("of", { n: total, of: seen.floors[arePairs(staged) ? "pairs" : "melds"] }) : t("aside.total", { total });
}

const arePairs = ({ melds }) => melds.every((meld) => meld.kind === "pair");

export const stagedWorth = (staged) => (arePairs(staged) ? count("count.pairs", staged.pairs) : number(staged.total));

// The engine's word on what is laid aside; null while on its way.
export function stagedNow() {
  const staged = table()?.staged;
  const mine = isDuel() ? tableSets() : local.melds;
  const same = (meld, n) => meld.tiles.toSorted().join() === mine[n].toSorted().join();
  return staged?.melds.length === mine.length && staged.melds.every(same) ? staged : null;
}

function asideMeld(meld, index) {
  const staged = stagedNow()?.melds[index];
  const back = t("do.to-rack");
  return h("div.meld", {
    class: staged && !staged.kind ? "loose" : "mine", key: meld[0], role: "group", "data-drop": `aside:${index}`,
    label: t("aside.meld", { n: index + 1 }),
  },
    (staged?.kind ? staged.tiles : meld).map((tile) => ownTile(tile)),
    verdict(staged),
    plusButton(index),
    h("button.drop-meld", { title: back, label: back, click: () => backToRack(meld) }, icon("close")));
}

const verdict = (staged) => staged && h("span.verdict", { class: !staged.kind && "no" },
  !staged.kind ? t("meld.none") : staged.kind === "pair" ? t("kind.pair") : number(staged.value));

function plusButton(index) {
  const { picked } = local;
  if (picked.length === 0 || (isDuel() && !mayWork())) return null;
  const label = t("aside.add", { n: index + 1 });
  return h("button.fit", { title: label, label, "data-drop": `aside:${index}`, click: () => setAside(picked, index) }, "+");
}

function ownTile(tile, { as = null, isNew = false } = {}) {
  const isPicked = local.picked.includes(tile);
  return tileView(tile, {
    as, class: [isPicked && "picked", local.dragging.includes(tile) && "dragging", isNew && "added"],
    role: "button", tabindex: 0, "aria-pressed": isPicked, "data-tile": tile, "data-drag": "tile",
    click: () => togglePick(tile), keydown: pickByKey(tile),
  });
}

const pickByKey = (tile) => (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  togglePick(tile);
};

function duelTable(seen) {
  const mine = laidAside();
  const staged = local.work && stagedNow();
  const sets = tableSets().map((set, index) => duelSet(seen, set, index, mine, staged?.melds[index]));
  return [
    sets.length ? h("div.lane-melds", sets) : nothing("duel.none"),
    staged && h("p.note", { class: !staged.refused && "good", role: "status" },
      staged.refused ? sentence(staged.refused) : t("duel.ready"))];
}

function duelSet(seen, set, index, mine, staged) {
  const placed = local.work ? [] : seen.melds[index].tiles;
  const tiles = staged?.kind ? staged.tiles : set;
  const movable = mayWork();
  const view = (tile) => {
    const as = placed.find((one) => one.okey && one.tile === tile)?.as;
    return movable ? ownTile(tile, { as, isNew: mine.includes(tile) }) : tileView(tile, { as });
  };
  return h("div.meld", {
    class: staged && !staged.kind && "loose", key: `set${set.toSorted()[0]}`, role: "group", "data-drop": movable ? `aside:${index}` : null,
    label: t("duel.set", { n: index + 1, tiles: tiles.map((tile) => describe(tile)).join(", ") }),
  },
    tiles.map(view), verdict(staged), plusButton(index), splitButton(index, tiles));
}

function splitButton(index, tiles) {
  const [tile, ...more] = local.picked;
  if (!mayWork() || more.length || tiles.indexOf(tile) <= 0) return null;
  return h("button.split", { click: () => splitBefore(index, tile) }, t("do.split"));
}
