// Buttons above the rack: arranging, and what the moment offers.

import { toast } from "./acting.js";
import { h } from "./dom.js";
import { backToRack, laidAside, mayWork, resetTable, sort, undo } from "./hand.js";
import { count, number, signed, t } from "./i18n.js";
import { stagedNow } from "./melds.js";
import * as moves from "./moves.js";
import { askForHint, mayAskForHint } from "./hints.js";
import { tilesOf } from "./layout.js";
import { game, state, table } from "./store.js";

export function buttonsView() {
  const seen = game();
  if (!seen || seen.phase === "over") return null;
  return h("div.acts", { key: "acts", role: "group", "aria-label": t("acts.label") },
    button("sort-runs", t("do.sort-runs"), () => sort("runs"), { key: "R" }),
    button("sort-pairs", t("do.sort-pairs"), () => sort("pairs"), { key: "P" }),
    state.local.past.length ? button("undo", t("do.undo"), undo, { key: "U", quiet: true }) : null,
    mayAskForHint() ? button("hint", t("do.hint"), askForHint, { key: "H", quiet: true }) : null,
    seen.duel ? duelButtons(seen) : openButtons(seen),
    finishButton(seen));
}

function button(name, label, click, { key = null, off = false, kind = "", quiet = false, title = null } = {}) {
  return h("button", {
    key: name, class: ["act", kind, quiet && "quiet"].filter(Boolean).join(" "), "data-act": name,
    "aria-disabled": off ? "true" : null, title: title ?? (key ? t("key.title", { key }) : null),
    "aria-keyshortcuts": key, click,
  }, label);
}

function openButtons(seen) {
  const { melds, picked } = state.local;
  const can = seen.can ?? {};
  const made = [];
  if (can.show) made.push(button("show", t("do.show"), moves.show, { kind: "strong" }));
  if (can.return) made.push(button("return", t("do.return"), moves.giveBack));
  if (can.take_back) made.push(button("take-back", priced("do.take-back", can.take_back.charge), moves.takeBack));
  if (can.go_pairs) made.push(button("go-pairs", t("do.go-pairs"), moves.goPairs));
  if (can.pass && !can.draw) made.push(button("pass", t("do.pass"), moves.pass));
  if (seen.floors) {
    if (picked.length >= 2) made.push(button("meld", t("do.meld"), moves.meldPicked, { key: "M", kind: "strong" }));
    const last = tilesOf(state.local.rows);
    const claims = moves.mayClaim() && seen.can?.open && melds.length > 0 && last.length === 1;
    if (claims) made.push(button("claim", t("do.claim"), () => moves.claim(last[0]), { kind: "primary finish" }));
    made.push(layButton(seen, melds));
  }
  return made;
}

const priced = (key, charge) => (charge ? t("do.priced", { what: t(key), points: signed(charge) }) : t(key));

function layButton(seen, melds) {
  const staged = stagedNow();
  const unopened = seen.opened[table().seat] === "none";
  const can = unopened ? seen.can?.open : seen.can?.lay;
  const pairs = staged?.melds.length && staged.melds.every((meld) => meld.kind === "pair");
  const worth = !melds.length || !staged || !(staged.total + staged.pairs) ? "" : pairs ? count("count.pairs", staged.pairs) : number(staged.total);
  const label = unopened ? (worth ? t("do.open-with", { worth }) : t("do.open")) : t("do.lay");
  const ready = Boolean(can && staged?.ok && melds.length);
  return button("open", label, () => (melds.length ? moves.layMelds() : toast(t("hint.how-to-open"))), {
    key: "O", off: !ready, kind: ready ? "primary" : "primary waiting",
  });
}

function duelButtons(seen) {
  const { picked, work } = state.local;
  const mine = new Set(laidAside());
  const returnable = picked.filter((tile) => mine.has(tile));
  const staged = stagedNow();
  const ready = Boolean(work && staged?.ok && laidAside().length);
  if (!mayWork()) return seen.can?.pass ? button("pass", t("do.pass"), moves.pass, { kind: "primary" }) : null;
  return [
    picked.length ? button("meld", t("do.new-set"), moves.meldPicked, { key: "M", kind: "strong" }) : null,
    returnable.length ? button("to-rack", t("do.to-rack"), () => backToRack(returnable)) : null,
    work ? button("reset", t("do.reset"), resetTable) : null,
    seen.can?.pass ? button("pass", t("do.pass"), moves.pass) : null,
    button("open", t("do.finish-turn"), () => (work ? moves.finishTurn() : toast(t("hint.how-to-play"))), {
      key: "O", off: !ready, kind: ready ? "primary" : "primary waiting",
    }),
  ];
}

function finishButton(seen) {
  const finishing = seen.can?.finish ?? [];
  if (finishing.length === 0) return null;
  const picked = state.local.picked.find((tile) => finishing.includes(tile));
  const tile = picked ?? finishing[0];
  return button("finish", t("do.finish"), () => moves.finish(tile), { key: "F", kind: "primary finish" });
}
