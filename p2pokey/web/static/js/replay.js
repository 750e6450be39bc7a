// The replay of a transcript: step, scrub, any seat's view or all racks, each proof checked as it goes.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { moveText } from "./following.js";
import { clean, number, t } from "./i18n.js";
import { icon, logo, shield } from "./icons.js";
import { nameOf } from "./seats.js";
import { redraw, state } from "./store.js";
import { describe } from "./tile.js";

let running = 0;

export function screen() {
  const now = { ...state.view.replay, last: Math.max(0, state.view.replay.steps - 1) };
  return h("div.replay", { key: "replay" },
    h("header.bar", { key: "top" },
      h("span.brand", logo(), h("span", "p2pokey")),
      h("span.chip", clean(now.file, 60)),
      h("span.space"),
      checksBadge(now.checks),
      h("button.plain", { "aria-label": t("replay.close"), click: close }, icon("close"))),
    h("main", { key: "main" },
      h("h1.sr", t("replay.title")),
      h("section.felt.replay-felt", { tabindex: 0, "aria-label": t("table.label") },
        h("div.replay-racks", now.people.map((_, seat) => rack(now, seat))),
        middle(now)),
      controls(now)));
}

function close() {
  stop();
  act({ do: "close" });
}

function checksBadge(checks) {
  const failed = checks?.failed?.length ?? 0;
  return h("span", { class: `trust ${failed ? "failed" : "verified"}`, role: "status" }, shield(failed ? "failed" : "verified"),
    h("span", h("b", failed ? t("replay.failed") : t("replay.checked")), h("small", t("replay.checks", { n: number(checks?.done ?? 0), failed }))));
}

function rack(now, seat) {
  const { game } = now;
  const tiles = game?.racks?.[seat] ?? (now.seat === seat ? game?.rack : null) ?? Array(game?.counts?.[seat] ?? 0).fill(null);
  const pile = game?.discards?.[seat] ?? [];
  return h("div", { key: `rack${seat}`, class: game?.turn === seat ? "replay-seat turn" : "replay-seat", role: "group", "aria-label": nameOf(seat) },
    h("div.replay-name", h("b", { "data-seat": seat }, h("bdi", nameOf(seat))),
      pile.length ? h("span.last-discard", t("replay.discard"), tileView(pile.at(-1), game)) : null),
    h("div.replay-tiles", order(tiles).map((tile, n) => tileView(tile, game, n))));
}

const order = (tiles) => tiles.slice().sort((a, b) => rank(a) - rank(b));
const rank = (tile) => (tile ? "rbky*".indexOf(tile[0]) * 100 + (parseInt(tile.slice(1), 10) || 0) : 999);

function tileView(tile, game, n = 0) {
  return h("okey-tile", { key: tile ?? `hidden${n}`, t: tile, okey: game?.okey ?? null, class: "small", role: "img", "aria-label": describe(tile, game?.okey ?? null) });
}

function middle({ game }) {
  if (!game) return null;
  return h("div", { class: "replay-middle" },
    h("p", { class: "chips" },
      game.indicator ? h("span.chip", t("replay.indicator"), tileView(game.indicator, null), "→", tileView(`${game.okey}a`, game)) : null,
      h("span.chip", t("replay.stack", { n: game.stack }))),
    h("div.lane-melds", (game.melds ?? []).map((meld) => h("div.meld", { key: `m${meld.n}`, title: meld.owner === null ? null : nameOf(meld.owner) },
      meld.tiles.map((placed) => h("okey-tile.small", {
        key: placed.tile, t: placed.tile, as: placed.okey ? placed.as : null, okey: game.okey, role: "img",
        "aria-label": describe(placed.tile, game.okey),
      }))))));
}

function controls(now) {
  const to = (step) => act({ do: "step", to: Math.max(0, Math.min(now.last, step)) }, { quiet: true });
  const button = (symbol, label, click, off = false) => h("button.plain", { "aria-label": label, title: label, "aria-disabled": off ? "true" : null, click }, icon(symbol));
  return h("section.scrubber", { key: "scrubber", "aria-label": t("replay.controls"), keydown: (event) => onKey(event, now, to) },
    h("p.move", { role: "status" }, h("b", t("replay.step", { n: now.step, of: now.last })), " ", moveLine(now)),
    h("input", {
      type: "range", min: 0, max: now.last, step: 1, value: now.step, "aria-label": t("replay.scrub"),
      "aria-valuetext": t("replay.step", { n: now.step, of: now.last }), input: (event) => to(Number(event.target.value)),
    }),
    h("div", { class: "buttons" },
      button("first", t("replay.first"), () => to(0), now.step === 0),
      button("previous", t("replay.previous"), () => to(now.step - 1), now.step === 0),
      button(running ? "pause" : "play", t(running ? "replay.pause" : "replay.play"), () => (running ? stop() : start())),
      button("next", t("replay.next"), () => to(now.step + 1), now.step === now.last),
      button("last", t("replay.last"), () => to(now.last), now.step === now.last),
      h("label.see", h("span", t("replay.see")),
        h("select", { value: now.seat === null ? "all" : String(now.seat), change: (event) => act({ do: "see", seat: event.target.value === "all" ? null : Number(event.target.value) }) },
          h("option", { value: "all", selected: now.seat === null }, t("replay.all")),
          now.people.map((_, seat) => h("option", { value: String(seat), selected: now.seat === seat }, nameOf(seat)))))),
    now.checks?.failed?.length ? h("ul.findings", now.checks.failed.map((finding) => h("li", typeof finding === "string" ? finding : finding.text ?? finding.code))) : null);
}

function moveLine({ move, game }) {
  if (!move) return t("replay.start");
  return move.kind ? moveText(move, game) : clean(move.text ?? "", 200);
}

function onKey(event, now, to) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || event.target.tagName === "INPUT" || event.target.tagName === "SELECT") return;
  event.preventDefault();
  to(now.step + step);
}

function start() {
  running = setInterval(() => {
    const now = state.view?.replay;
    if (!now || now.step >= now.steps - 1) stop();
    else act({ do: "step", to: now.step + 1 }, { quiet: true });
  }, 900);
  redraw();
}

function stop() {
  clearInterval(running);
  running = 0;
  redraw();
}
