// What is going on, in words: the line beside the rack, banners, progress of the shuffle.

import { act, ask, sentence, takeControl } from "./acting.js";
import { sinceView, timeLeft } from "./clock.js";
import { h } from "./dom.js";
import { clean, duration, list, t, tCode } from "./i18n.js";
import { shield } from "./icons.js";
import { nameOf } from "./seats.js";
import { game, person, state, table } from "./store.js";

/** The sentence for whoever is to do something. */
export function turnText() {
  const seen = game();
  const now = table();
  if (now.end) return t("status.over");
  if (now.stage && now.stage.name !== "play") return stageText(now.stage);
  if (!seen) return "";
  if (now.trust?.state === "failed") return t("refused.frozen");
  if (seen.phase === "over") return t("status.over");
  if (seen.phase === "indicator") return t("status.indicator");
  if (!seen.mine) return t("status.other", { name: nameOf(seen.turn) });
  if (seen.duel) return seen.can?.play ? t("status.duel") : t("status.wait-table");
  if (seen.phase === "draw") return seen.can?.take ? t("status.draw-or-take") : t("status.draw");
  if (seen.rack?.includes(null)) return t("status.opening-tile");
  if (seen.taken && seen.why?.discard) return sentence(seen.why.discard);
  return t("status.discard");
}

export function timeText() {
  const turn = game()?.turn;
  const time = turn === undefined ? null : timeLeft(turn);
  return time ? duration(time.left) : "";
}

const HANDLED = new Set(["play", "done", "stopped", "result"]);

function stageText(stage) {
  const name = stage.seat === null || stage.seat === undefined ? "" : nameOf(stage.seat);
  const key = `stage.${stage.name}${name ? "-of" : ""}`;
  return tCode(key, "stage.audit-of", { name, done: stage.done, total: stage.total });
}

/** Progress of shuffling and dealing, in the middle of the table. */
export function progressView() {
  const { stage, trust, seats } = table();
  if (!stage || HANDLED.has(stage.name) || stage.name === "end") return null;
  const part = stage.total ? Math.round((100 * stage.done) / stage.total) : 0;
  const before = ["keys", "shuffle", "deal"].includes(stage.name);
  return h("section.progress", { key: "progress", "aria-label": t("progress.label") },
    h("h2", t(`stage.title-${before ? "shuffle" : "audit"}`)),
    h("p.now", stageText(stage)),
    h("progress", { max: 100, value: part, "aria-label": stageText(stage) }),
    before ? h("ul.shufflers", Array.from({ length: seats }, (_, seat) =>
      h("li", { class: trust?.shuffles?.[seat] ? "done" : stage.seat === seat ? "now" : "" },
        shield(trust?.shuffles?.[seat] ? "verified" : "checking"), h("bdi", nameOf(seat))))) : null,
    h("p.why", t(before ? "stage.why-shuffle" : "stage.why-audit")));
}

/** Warnings across the table, each with its cause and what can be done. */
export function bannersView() {
  const made = [];
  if (state.net === "lost") made.push(banner("net", "bad", t("net.lost"), null));
  if (!state.control) made.push(banner("tab", "info", t("tab.other"), button(t("tab.take"), takeControl)));
  const now = table();
  if (now?.trust?.state === "failed") made.push(failedBanner(now));
  else if (now?.paused) made.push(pausedBanner(now.paused));
  else if (now?.waiting && now.waiting.what !== "move") made.push(waitingBanner(now.waiting));
  if (now?.stage?.name === "stopped" && now.trust?.state !== "failed") made.push(stoppedBanner(now.stage));
  return made.length ? h("div.banners", { key: "banners", role: "status" }, made) : null;
}

function banner(key, kind, text, ...more) {
  return h("div", { class: `banner ${kind}`, key }, h("span", text), more);
}

const button = (label, click) => h("button", { click }, label);

function failedBanner({ trust }) {
  const name = trust.seat === null || trust.seat === undefined ? t("somebody") : nameOf(trust.seat);
  return h("div.banner.failed", { key: "failed", role: "alert" }, shield("failed"),
    h("span", h("b", t("trust.failed-title", { name })), " ", t("trust.failed-text")),
    button(t("trust.save"), () => act({ do: "save" })));
}

function waited(since) {
  return since === null || since === undefined ? "" : duration(since + sinceView());
}

function pausedBanner({ seat, since }) {
  const key = table().options?.recovery ? "paused.recovery" : "paused.waits";
  return banner("paused", "warn", t(key, { name: nameOf(seat), time: waited(since) }),
    person(seat).bot ? null : voidButton());
}

function waitingBanner({ what, seats, since }) {
  const names = list(seats.map(nameOf));
  return banner("waiting", "warn", tCode(`waiting.${what}`, "waiting.move", { names, time: waited(since) }), voidButton());
}

function voidButton() {
  return button(t("do.void"), () => ask(t("ask.void"), t("do.void"), () => act({ do: "void" }), { danger: true }));
}

function stoppedBanner(stage) {
  const text = stage.seat === null || stage.seat === undefined ? t("stopped.text") : t("stopped.by", { name: nameOf(stage.seat) });
  return banner("stopped", "bad", text, button(t("do.leave"), () => act({ do: "leave" })));
}

/** Something that the engine has to say once. */
export function noticeView() {
  const notice = state.view.notice;
  if (!notice) return null;
  const key = `notice.${notice.code}`;
  return h("div.banner.info", { key: "notice", role: "status" }, h("span", t(key, notice) === key ? clean(notice.text ?? notice.code) : t(key, notice)));
}
