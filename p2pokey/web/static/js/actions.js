// What a turn offers: four actions, piles, buttons above the rack.

import { cited, count, describe, game, h, leaving, local, mayAct, picture, signed, t, table } from "./core.js";
import { backToRack, laidAside, mayWork, resetTable, sort, undo } from "./hand.js";
import { tilesOf } from "./layout.js";
import { stagedNow, stagedWorth } from "./melds.js";
import * as moves from "./moves.js";
import { askForHint, mayAskForHint } from "./panels.js";
import { nameOf, positionOf } from "./seats.js";

export function actionLine() {
  const seen = game();
  if (!seen) return null;
  const { seat, seats } = table();
  if (seen.duel) return h("div.action.duel", stack(seen));
  return h("div.action",
    takePile(seen, (seat + seats - 1) % seats), stack(seen), indicator(seen), discardZone(seen, seen.discards[seat]));
}

export function otherPiles() {
  const seen = game();
  if (!seen || seen.duel) return null;
  return seen.discards.map((pile, other) => {
    const position = positionOf(other);
    if (position === "me" || position === "left") return null;
    return h("div.pile", { class: position, key: `pile${other}`, role: "group", label: pileLabel(pile, other) },
      heap(pile), h("small", h("bdi", nameOf(other))));
  });
}

function pileLabel(pile, seat) {
  const name = nameOf(seat);
  return pile.length ? t("pile.label", { name, tile: describe(pile.at(-1)) }) : t("pile.empty", { name });
}

const heap = (pile) => h("span.heap",
  pile.length === 0 && h("span.hole"),
  pile.slice(-3).map((tile) => picture(tile, { key: tile, class: tile === pile.at(-1) ? "top" : "under" })));

// One of the actions; where it may not be done now its title says why.
function source(name, seen, may, label, props, ...children) {
  const why = seen.why?.[name === "stack" ? "draw" : name];
  return h("button.source", {
    key: name, class: [name, may && "open"], "aria-disabled": !may, label,
    title: may ? null : why ? cited(why) : t("refused.not-now"), ...props,
  }, children);
}

function takePile(seen, left) {
  const pile = seen.discards[left];
  const may = Boolean(seen.can?.take) && mayAct();
  const name = nameOf(left);
  const label = pile.length ? t("take.label", { name, tile: describe(pile.at(-1)) }) : t("pile.empty", { name });
  const drag = { "data-drag": may ? "take" : null, "data-ghost": pile.at(-1) };
  return source("take", seen, may, label, { ...drag, click: () => moves.take() }, heap(pile), h("small", t("take.from", { name })));
}

function stack(seen) {
  const may = Boolean(seen.can?.draw) && mayAct();
  const passes = !may && seen.can?.pass;
  return source("stack", seen, may, count("stack.label", seen.stack), {
    "aria-disabled": !may && !passes, "data-drag": may ? "stack" : null, click: () => moves.drawOrPass(),
  },
    h("span.backs", { "aria-hidden": true },
      seen.stack > 1 && h("i.back.low"), h("i.back", { class: !seen.stack && "none" }, h("b", seen.stack))),
    h("small", t(passes ? "do.pass" : "do.draw")));
}

function indicator(seen) {
  if (!seen.indicator) return h("span.indicator");
  const finishing = seen.can?.finish?.length > 0 && !seen.floors;
  const okey = `${seen.okey}a`;
  return h("div.indicator", {
    class: finishing && "open", role: "group", "data-drop": finishing ? "finish" : null,
    label: t("indicator.label", { tile: describe(seen.indicator, null), okey: describe(okey, null) }),
  },
    picture(seen.indicator, { okey: null, class: "tilted" }), h("span.arrow", { "aria-hidden": true }, "→"), picture(okey),
    h("small", t(finishing ? "indicator.finish" : "indicator.text")));
}

function discardZone(seen, lying) {
  const gone = leaving();
  const pile = gone ? [...lying, gone] : lying;
  const may = seen.can?.discard?.length > 0 && mayAct();
  const top = pile.length ? ` ${t("words.discard", { tile: describe(pile.at(-1)) })}` : "";
  return source("discard", seen, may, t("discard.label") + top, { "data-drop": "discard", click: () => moves.discardPicked() },
    h("span.zone", heap(pile)), h("small", t("discard.here")));
}

export function buttonsView() {
  const seen = game();
  if (!seen || seen.phase === "over") return null;
  return h("div.acts", { role: "group", label: t("acts.label") },
    actButton("sort-runs", () => sort("runs"), { key: "R" }),
    actButton("sort-pairs", () => sort("pairs"), { key: "P" }),
    local.past.length > 0 && actButton("undo", undo, { key: "U" }),
    mayAskForHint() && actButton("hint", askForHint, { key: "H" }),
    seen.duel ? duelButtons(seen) : openButtons(seen),
    finishButton(seen));
}

const actButton = (name, click, { key = null, kind = "", text = t(`do.${name}`), off = null } = {}) => h("button.act", {
  key: name, class: kind, "data-act": name, "aria-disabled": off, "aria-keyshortcuts": key,
  title: key && t("key.title", { key }), click,
}, text);

const passButton = (seen, kind) => seen.can?.pass && !seen.can.draw && actButton("pass", moves.pass, { kind });

const sendButton = (ready, text, click) => actButton("open", click, { key: "O", off: ready ? null : true, kind: ready ? "primary" : "primary waiting", text });

function openButtons(seen) {
  const { melds, picked, rows } = local;
  const can = seen.can ?? {};
  const charge = can.take_back?.charge;
  const [last, ...more] = tilesOf(rows);
  return [
    can.show && actButton("show", moves.show, { kind: "strong" }),
    can.return && actButton("return", moves.giveBack),
    can.take_back && actButton("take-back", moves.takeBack, charge ? { text: `${t("do.take-back")} (${signed(charge)})` } : {}),
    can.go_pairs && actButton("go-pairs", moves.goPairs),
    passButton(seen),
    seen.floors && picked.length >= 2 && actButton("meld", moves.meldPicked, { key: "M", kind: "strong" }),
    seen.floors && moves.mayClaim() && can.open && melds.length > 0 && last && !more.length
      && actButton("claim", () => moves.claim(last), { kind: "primary finish" }),
    seen.floors && layButton(seen, can),
  ];
}

function layButton(seen, can) {
  const staged = local.melds.length > 0 && stagedNow();
  const unopened = seen.opened[table().seat] === "none";
  const worth = staged && unopened && staged.total + staged.pairs > 0 ? ` · ${stagedWorth(staged)}` : "";
  const ready = Boolean((unopened ? can.open : can.lay) && staged?.ok);
  return sendButton(ready, t(unopened ? "do.open" : "do.lay") + worth, moves.layMelds);
}

function duelButtons(seen) {
  const { picked, work } = local;
  const returnable = laidAside().filter((tile) => picked.includes(tile));
  if (!mayWork()) return passButton(seen, "primary");
  return [
    picked.length > 0 && actButton("meld", moves.meldPicked, { key: "M", kind: "strong", text: t("do.new-set") }),
    returnable.length > 0 && actButton("to-rack", () => backToRack(returnable)),
    work && actButton("reset", resetTable),
    passButton(seen),
    sendButton(Boolean(work && stagedNow()?.ok && laidAside().length), t("do.finish-turn"), moves.finishTurn),
  ];
}

function finishButton(seen) {
  const finishing = seen.can?.finish ?? [];
  if (finishing.length === 0) return null;
  return actButton("finish", () => moves.finish(local.picked.find((tile) => finishing.includes(tile))), { key: "F", kind: "primary finish" });
}
