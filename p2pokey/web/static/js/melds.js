// The middle of the table: melds in lanes by owner, and what this player is putting together.

import { h } from "./dom.js";
import { backToRack, isDuel, laidAside, mayWork, setAside, splitBefore, tableSets } from "./hand.js";
import { count, number, t } from "./i18n.js";
import { icon } from "./icons.js";
import * as moves from "./moves.js";
import { togglePick } from "./rack.js";
import { game, person, state, table } from "./store.js";
import { describe, describeFace } from "./tile.js";
import { sentence } from "./acting.js";

export function meldsView() {
  const seen = game();
  if (!seen) return null;
  const body = isDuel() ? duelTable(seen) : openTable(seen);
  if (body === null) return h("div.melds.bare", { key: "melds", "data-drop": "none" });
  return h("div", {
    class: `melds${isDuel() ? " duel" : ""}${crowded(seen) ? " dense" : ""}`, key: "melds", role: "group", tabindex: 0,
    "aria-label": t(isDuel() ? "melds.duel-label" : "melds.label"),
    "data-drop": "stage",
  }, floorChip(seen), body);
}

const crowded = (seen) => [...seen.melds, ...state.local.melds].flatMap((meld) => meld.tiles ?? meld).length > 32;

function floorChip(seen) {
  if (!seen.floors) {
    if (!seen.duel || seen.duel.opened[table().seat]) return null;
    return h("span.floor", { key: "floor" }, t("floor.duel", { n: seen.duel.floor }));
  }
  if (seen.opened[table().seat] !== "none") return null;
  return h("span.floor", { key: "floor" }, t("floor.both", seen.floors));
}

// --- Open tables: melds belong to the seat that laid them ---

function openTable(seen) {
  if (!seen.floors && seen.melds.length === 0) return null;
  const seats = table().seats;
  const order = Array.from({ length: seats }, (_, n) => (table().seat + 1 + n) % seats);
  const lanes = order.map((seat) => lane(seen, seat)).filter(Boolean);
  if (lanes.length === 0) {
    lanes.push(h("p.nothing", { key: "nothing" }, t("melds.none")));
  }
  return [...lanes, asideLane(seen)];
}

function lane(seen, seat) {
  const melds = seen.melds.filter((meld) => meld.owner === seat);
  if (melds.length === 0) return null;
  return h("section.lane", { key: `lane${seat}`, "aria-label": laneLabel(seen, seat) },
    h("h3.owner", { "data-seat": seat }, h("bdi", laneLabel(seen, seat))),
    h("div.lane-melds", melds.map((meld) => meldView(seen, meld))));
}

function laneLabel(seen, seat) {
  const name = seat === table().seat ? t("you") : person(seat).name;
  const value = seen.values[seat];
  if (seen.opened[seat] === "pairs") return t("lane.pairs", { name, n: value });
  return t("lane.melds", { name, n: number(value) });
}

function meldView(seen, meld) {
  const fits = fitsFor(seen, meld.n);
  return h("div", {
    class: fits.length ? "meld fits" : "meld", key: `meld${meld.n}`, role: "group",
    "data-drop": `meld:${meld.n}`, "aria-label": meldLabel(meld, seen.okey),
  },
    fits.filter((fit) => fit.end === "low").map((fit) => fitButton(fit, seen)),
    meld.tiles.map((placed, place) => meldTile(seen, meld, placed, place)),
    fits.filter((fit) => fit.end === "high").map((fit) => fitButton(fit, seen)));
}

function meldLabel(meld, okey) {
  const tiles = meld.tiles.map((placed) => describe(placed.tile, okey)).join(", ");
  return t("meld.label", { n: meld.n + 1, kind: t(`kind.${meld.kind}`), tiles, value: meld.value });
}

function meldTile(seen, meld, placed, place) {
  const props = {
    key: placed.tile, t: placed.tile, okey: seen.okey, as: placed.okey ? placed.as : null, class: "small",
  };
  const fetch = retrievable(seen, meld.n, place);
  const named = describe(placed.tile, seen.okey);
  if (!fetch) {
    const stands = placed.okey && placed.as ? `, ${t("tile.stands", { face: describeFace(placed.as) })}` : "";
    return h("okey-tile", { ...props, role: "img", "aria-label": named + stands });
  }
  const label = t("meld.retrieve", { face: describeFace(placed.as ?? seen.okey) });
  return h("button", {
    key: placed.tile, class: "fetch", title: label, "aria-label": label,
    click: () => moves.retrieve(fetch),
  }, h("okey-tile", { ...props, "aria-hidden": "true" }));
}

// What can be fetched is shown with the supplied tile picked; on assisted tables at once.
function retrievable(seen, meld, place) {
  return (seen.can?.retrieve ?? []).find(
    (entry) => entry.meld === meld && entry.place === place
      && (seen.hints || entry.supply.every((tile) => state.local.picked.includes(tile))),
  );
}

function fitsFor(seen, meld) {
  const entries = (seen.can?.add ?? []).filter((entry) => entry.meld === meld);
  const picked = state.local.picked;
  const wanted = picked.length ? entries.filter((entry) => picked.includes(entry.tile)) : seen.hints ? entries : [];
  const ends = new Map();
  for (const entry of wanted) if (!ends.has(entry.end)) ends.set(entry.end, entry);
  return [...ends.values()];
}

function fitButton(fit, seen) {
  const picked = state.local.picked;
  const tiles = picked.includes(fit.tile) ? [fit.tile, ...picked.filter((tile) => tile !== fit.tile)] : [fit.tile];
  const label = t("meld.add", { tile: describe(fit.tile, seen.okey), n: fit.meld + 1 });
  return h("button", {
    class: "fit", key: `fit-${fit.end}`, title: label, "aria-label": label,
    "data-drop": `meld:${fit.meld}:${fit.end}`, click: () => moves.feed(fit.meld, fit.end, tiles),
  }, picked.length ? "+" : h("okey-tile", { t: fit.tile, okey: seen.okey, class: "small", "aria-hidden": "true" }));
}

// --- Melds laid aside, not sent yet ---

function asideLane(seen) {
  if (!seen.floors) return null;
  const melds = state.local.melds;
  return h("section", { class: melds.length ? "lane aside busy" : "lane aside", key: "aside", "aria-label": t("aside.label") },
    h("h3.owner", { "data-seat": table().seat }, asideTitle(seen)),
    melds.length
      ? h("div.lane-melds", melds.map((meld, index) => asideMeld(seen, meld, index)))
      : h("p.invite", seen.opened[table().seat] === "none" ? t("aside.invite") : t("aside.invite-more")));
}

function asideTitle(seen) {
  const staged = stagedNow();
  if (!staged || state.local.melds.length === 0) return t("aside.title");
  const isPairs = staged.melds.length > 0 && staged.melds.every((meld) => meld.kind === "pair");
  const total = isPairs ? count("count.pairs", staged.pairs) : number(staged.total);
  if (seen.opened[table().seat] !== "none") return t("aside.total", { total });
  const floor = isPairs ? seen.floors.pairs : seen.floors.melds;
  return t("aside.against", { total, floor });
}

/** The engine's word on what is laid aside; null while it is on its way. */
export function stagedNow() {
  const staged = table()?.staged;
  const mine = isDuel() ? tableSets() : state.local.melds;
  if (!staged || staged.melds.length !== mine.length) return null;
  const same = (meld, n) => [...meld.tiles].sort().join() === [...mine[n]].sort().join();
  return staged.melds.every(same) ? staged : null;
}

function asideMeld(seen, meld, index) {
  const staged = stagedNow()?.melds[index];
  const bad = staged && !staged.kind;
  return h("div", {
    class: bad ? "meld loose" : "meld mine", key: `aside${meld[0]}`, role: "group",
    "data-drop": `aside:${index}`, "aria-label": t("aside.meld", { n: index + 1 }),
  },
    (staged?.kind ? staged.tiles : meld).map((tile) => ownTile(tile, seen)),
    verdict(staged),
    plusButton(index),
    h("button", {
      class: "drop-meld", key: "back", title: t("aside.back"), "aria-label": t("aside.back"),
      click: () => backToRack(meld),
    }, icon("close")));
}

function verdict(staged) {
  if (!staged) return null;
  if (!staged.kind) return h("span.verdict.no", { key: "verdict" }, t("meld.none"));
  return h("span.verdict", { key: "verdict" }, staged.kind === "pair" ? t("kind.pair") : number(staged.value));
}

function plusButton(index) {
  const picked = state.local.picked;
  if (picked.length === 0 || (isDuel() && !mayWork())) return null;
  const label = t("aside.add", { n: index + 1 });
  return h("button", {
    class: "fit", key: "plus", title: label, "aria-label": label,
    "data-drop": `aside:${index}`, click: () => setAside(picked, index),
  }, "+");
}

function ownTile(tile, seen, { movable = true, extra = "" } = {}) {
  const { picked, dragging } = state.local;
  const marks = [picked.includes(tile) && "picked", dragging.includes(tile) && "dragging", extra];
  return h("okey-tile", {
    key: tile, t: tile, okey: seen.okey, class: ["small", ...marks.filter(Boolean)].join(" "),
    role: movable ? "button" : "img", tabindex: movable ? 0 : null, "aria-label": describe(tile, seen.okey),
    "aria-pressed": movable ? String(picked.includes(tile)) : null,
    "data-tile": tile, "data-drag": movable ? "tile" : null,
    ...(movable ? { click: () => togglePick(tile), keydown: pickByKey(tile) } : null),
  });
}

const pickByKey = (tile) => (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  togglePick(tile);
};

// --- The duel: one table for both, rebuilt at will ---

function duelTable(seen) {
  const sets = tableSets();
  const mine = new Set(laidAside());
  const staged = state.local.work ? stagedNow() : null;
  const views = sets.map((set, index) => duelSet(seen, set, index, mine, staged?.melds[index]));
  if (views.length === 0) views.push(h("p.nothing", { key: "nothing" }, t("duel.none")));
  return [h("div.lane-melds", { key: "sets" }, views), duelNote(staged)];
}

function duelSet(seen, set, index, mine, staged) {
  const base = !state.local.work ? seen.melds[index] : null;
  const known = base ?? (staged?.kind ? staged : null);
  const tiles = known ? (base ? base.tiles.map((placed) => placed.tile) : staged.tiles) : set;
  const stands = new Map((base?.tiles ?? []).filter((p) => p.okey).map((p) => [p.tile, p.as]));
  const bad = staged && !staged.kind;
  const movable = mayWork();
  return h("div", {
    class: bad ? "meld loose" : "meld", key: `set${[...set].sort()[0]}`, role: "group",
    "data-drop": movable ? `aside:${index}` : null,
    "aria-label": t("duel.set", { n: index + 1, tiles: tiles.map((tile) => describe(tile, null)).join(", ") }),
  },
    tiles.map((tile) => {
      const made = ownTile(tile, seen, { movable, extra: mine.has(tile) ? "added" : "" });
      if (stands.has(tile)) made.props.as = stands.get(tile);
      return made;
    }),
    staged ? verdict(staged) : null,
    plusButton(index),
    splitButton(index, tiles));
}

function splitButton(index, tiles) {
  const picked = state.local.picked;
  const at = tiles.findIndex((tile) => tile === picked[0]);
  if (!mayWork() || picked.length !== 1 || at <= 0) return null;
  return h("button.split", { key: "split", type: "button",
    click: () => splitBefore(index, picked[0]) }, t("do.split"));
}

function duelNote(staged) {
  if (!state.local.work || !staged) return null;
  if (staged.refused) return h("p.note", { key: "note", role: "status" }, sentence(staged.refused));
  return h("p.note.good", { key: "note", role: "status" }, t("duel.ready"));
}
