// The replay of a transcript.

import { handName } from "./archive.js";
import {
  act, brand, clean, h, iconButton, number, on, redraw, shield, signed, sorted, state, t, tell, tileView,
} from "./core.js";
import { findingList } from "./drawer.js";
import { linesOf, rackOf, reasonText } from "./result.js";
import { finishText, nameOf } from "./seats.js";
import { bannersView, moveText, noticeView } from "./status.js";

let running = 0;

export function screen() {
  const now = state.view.replay;
  return h("div.replay",
    h("header.bar", brand(), h("span.chip", { title: clean(now.file, 60) }, [handName(now.rules, now.hand), now.day ?? clean(now.file, 60)].filter(Boolean).join(" · ")), h("span.space"), checksBadge(now.checks),
      iconButton("close", "close", close)),
    h("main",
      h("div.top-notes", bannersView(), noticeView()),
      h("h1.sr", { id: "page-title", tabindex: -1 }, t("replay.title")),
      h("section.felt.replay-felt", { tabindex: 0, label: t("table.label") },
        now.end && h("div.replay-middle", h("h2", finishText(now.end)), h("p", reasonText(now.end.reason))),
        h("div.replay-racks", now.people.map((_, seat) => rack(now, seat))),
        now.game && middle(now.game)),
      controls(now)));
}

function close() {
  stop();
  act("close");
}

function checksBadge({ done = 0, failed = [] }) {
  const kind = failed.length ? "failed" : done ? "verified" : "checking";
  return h("span.trust", { class: kind, role: "status" }, shield(kind),
    h("span", h("b", t(`replay.${kind}`)), h("small", t("replay.checks", { n: number(done), failed: failed.length }))));
}

function rack({ game, end, seat: viewer }, seat) {
  const own = viewer === seat ? game?.rack : null;
  const tiles = game?.racks?.[seat] ?? own ?? Array(game?.counts?.[seat] ?? 0).fill(null);
  const pile = game?.discards?.[seat] ?? [];
  return h("div.replay-seat", { key: `rack${seat}`, class: game?.turn === seat && "turn", role: "group", label: nameOf(seat) },
    h("div.replay-name", h("b", { "data-seat": seat }, h("bdi", nameOf(seat))),
      end && h("span.points", signed(end.points[seat])),
      pile.length > 0 && h("span.last-discard", t("replay.discard"), tileView(pile.at(-1)))),
    end ? [rackOf(end, seat), linesOf(end, seat)]
      : h("div.replay-tiles", sorted(tiles).map((tile, n) => tileView(tile, { key: tile ?? `hidden${n}` }))));
}

const middle = ({ indicator, okey, stack, melds }) => h("div.replay-middle",
  h("p.chips",
    indicator && h("span.chip", t("replay.indicator"), tileView(indicator, { okey: null }), "→", tileView(`${okey}a`)),
    h("span.chip", t("replay.stack", { n: stack }))),
  h("div.lane-melds", (melds ?? []).map(({ n, owner, tiles }) => h("div.meld", { key: `m${n}`, title: owner == null ? null : nameOf(owner) },
    tiles.map((placed) => tileView(placed.tile, { as: placed.okey ? placed.as : null }))))));

const lastOf = ({ steps }) => Math.max(0, steps - 1);

function to(wanted) {
  tell("step", { to: Math.max(0, Math.min(lastOf(state.view.replay), wanted)) });
}

function controls(now) {
  const { step, seat, people, checks, move, reading } = now;
  const last = lastOf(now);
  const button = (name, click, off = false) => iconButton(`replay.${name}`, name, click, { "aria-disabled": off });
  const see = ({ target }) => act("see", { seat: target.value === "all" ? null : Number(target.value) });
  const where = t("replay.step", { n: step, of: last });
  return h("section.scrubber", { label: t("replay.controls") },
    h("p.move", { role: "status" }, h("b", where), " ", moveLine(move)),
    h("input", {
      type: "range", min: 0, max: last, step: 1, value: step, label: t("replay.scrub"), "aria-valuetext": where,
      input: (event) => to(Number(event.target.value)),
    }),
    h("div.buttons",
      button("first", () => to(0), step === 0),
      button("previous", () => to(step - 1), step === 0),
      button(running ? "pause" : "play", running ? stop : start),
      button("next", () => to(step + 1), step === last),
      button("last", () => to(last), step === last),
      h("label.see", h("span", t("replay.see")),
        h("select", { value: String(seat ?? "all"), change: see },
          h("option", { value: "all" }, t("replay.all")),
          people.map((_, n) => h("option", { value: n }, nameOf(n)))))),
    reading && h("progress", { max: reading.total, value: reading.done, label: t("audit.running") }),
    findingList(checks?.failed));
}

function moveLine(move) {
  if (!move) return t("replay.start");
  return move.kind ? moveText(move) : clean(move.text, 200);
}

// Wherever the keyboard is: one wants to step at once.
export function enableKeys() {
  on("keydown", (event) => {
    const now = state.view?.replay;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!now || !by || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, dialog")) return;
    event.preventDefault();
    to(now.step + by);
  });
}

function start() {
  running = setInterval(() => {
    const now = state.view?.replay;
    if (!now || now.step >= now.steps - 1) stop();
    else tell("step", { to: now.step + 1 });
  }, 900);
  redraw();
}

function stop() {
  clearInterval(running);
  running = 0;
  redraw();
}
