// The four turn actions on one line above the rack: take, draw, indicator, discard; and the piles of
// the others in their corners.

import { h } from "./dom.js";
import { count, t } from "./i18n.js";
import * as moves from "./moves.js";
import { nameOf, positionOf } from "./seats.js";
import { game, mayAct, state, table } from "./store.js";
import { describe } from "./tile.js";
import { sentence } from "./acting.js";

export function actionLine() {
  const seen = game();
  if (!seen) return null;
  const own = table().seat;
  if (seen.duel) return h("div.action.duel", { key: "action" }, stack(seen));
  return h("div.action", { key: "action" },
    takePile(seen, (own + table().seats - 1) % table().seats), stack(seen), indicator(seen), discardZone(seen, own));
}

/** Piles of the seats whose discards this player cannot take. */
export function otherPiles() {
  const seen = game();
  if (!seen || seen.duel) return null;
  const { seat, seats } = table();
  return seen.discards.map((pile, other) => {
    const position = positionOf(other, seat, seats);
    if (position === "me" || position === "left") return null;
    return h("div", { class: `pile ${position}`, key: `pile${other}`, role: "group", "aria-label": pileLabel(pile, other) },
      heap(pile, seen), h("small", h("bdi", nameOf(other))));
  });
}

function pileLabel(pile, seat) {
  const top = pile.at(-1);
  const name = nameOf(seat);
  return top ? t("pile.label", { name, tile: describe(top, game().okey) }) : t("pile.empty", { name });
}

function heap(pile, seen, dragged = null) {
  const top = pile.slice(-3);
  return h("span", { class: "heap" },
    top.length === 0 ? h("span.hole", { key: "hole" }) : null,
    top.map((tile, n) => h("okey-tile", {
      key: tile, t: tile, okey: seen.okey, class: n === top.length - 1 ? "small top" : "small under",
      "aria-hidden": "true", ...(n === top.length - 1 ? dragged : null),
    })));
}

function reason(name, seen) {
  const why = seen.why?.[name];
  return why ? sentence(why) : t("refused.not-now");
}

function takePile(seen, left) {
  const pile = seen.discards[left];
  const open = Boolean(seen.can?.take) && mayAct();
  const name = nameOf(left);
  const label = pile.length ? t("take.label", { name, tile: describe(pile.at(-1), seen.okey) }) : t("pile.empty", { name });
  return h("button", {
    key: "take", class: open ? "source take open" : "source take", "aria-disabled": String(!open),
    "aria-label": label, title: open ? t("take.title") : reason("take", seen), "data-key": "T",
    "data-drag": open ? "take" : null, "data-ghost": pile.at(-1), okey: seen.okey, click: () => moves.take(),
  }, heap(pile, seen), h("small", t("take.from", { name })));
}

function stack(seen) {
  const open = Boolean(seen.can?.draw) && mayAct();
  const passing = !open && seen.can?.pass;
  return h("button", {
    key: "stack", class: open ? "source stack open" : "source stack", "aria-disabled": String(!open && !passing),
    "aria-label": count("stack.label", seen.stack), title: open ? t("stack.title") : reason("draw", seen), "data-key": "S",
    "data-drag": open ? "stack" : null, click: () => (passing ? moves.pass() : moves.draw()),
  },
    h("span.backs", { "aria-hidden": "true" },
      seen.stack > 1 ? h("i.back.low") : null,
      h("i", { class: seen.stack ? "back" : "back none" }, h("b", seen.stack))),
    h("small", passing ? t("do.pass") : t("do.draw")));
}

function indicator(seen) {
  if (!seen.indicator) return h("span.indicator", { key: "indicator" });
  const finishing = seen.can?.finish?.length > 0 && !seen.floors;
  return h("div", {
    class: finishing ? "indicator open" : "indicator", key: "indicator", role: "group",
    "data-drop": finishing ? "finish" : null,
    "aria-label": t("indicator.label", { tile: describe(seen.indicator, null), okey: describe(`${seen.okey}a`, null) }),
  },
    h("okey-tile", { t: seen.indicator, class: "small tilted", "aria-hidden": "true" }),
    h("span.arrow", { "aria-hidden": "true" }, "→"),
    h("okey-tile", { t: `${seen.okey}a`, okey: seen.okey, class: "small", "aria-hidden": "true" }),
    h("small", finishing ? t("indicator.finish") : t("indicator.text")));
}

function discardZone(seen, own) {
  const pile = seen.discards[own];
  const open = (seen.can?.discard?.length > 0) && mayAct();
  const picked = state.local.picked;
  const label = pile.length ? t("discard.label-top", { tile: describe(pile.at(-1), seen.okey) }) : t("discard.label");
  return h("button", {
    key: "discard", class: open ? "source discard open" : "source discard", "aria-disabled": String(!open),
    "aria-label": label, title: open ? t("discard.title") : reason("discard", seen), "data-key": "D", "data-drop": "discard",
    click: () => clickDiscard(picked),
  }, h("span.zone", heap(pile, seen)), h("small", t("discard.here")));
}

function clickDiscard(picked) {
  if (picked.length === 1) moves.discard(picked[0]);
  else moves.explainDiscard();
}
