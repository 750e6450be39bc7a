// What is going on, in words.

import {
  act, ask, button, cited, clean, describe, duration, game, h, has, iconButton, list, shield, state, t, table, takeControl,
  tCode, tell,
} from "./core.js";
import { linkSentence, nameOf, seatsFrom, sinceView } from "./seats.js";

export function turnText() {
  const seen = game();
  const { end, stage, trust } = table();
  if (end || OVER.includes(stage?.name)) return t("status.over");
  if (stage && stage.name !== "play") return stageText(stage);
  if (trust?.state === "failed") return t("refused.frozen");
  if (!seen) return "";
  if (seen.phase === "over" || seen.phase === "indicator") return t(`status.${seen.phase}`);
  if (!seen.mine) return t("status.other", { name: nameOf(seen.turn) });
  if (seen.duel) return t(seen.can?.play ? "status.duel" : "status.wait-table");
  if (seen.phase === "draw") return t(seen.can?.take ? "status.draw-or-take" : "status.draw");
  if (seen.rack?.includes(null)) return t("status.opening-tile");
  return seen.taken && seen.why?.discard ? cited(seen.why.discard) : t("status.discard");
}

const OVER = ["end", "done", "result"];

function stageText({ name, seat, done, total }) {
  const of = seat == null ? "" : "-of";
  const text = tCode(`stage.${name}${of}`, `stage.${name}`, { name: nameOf(seat) });
  return total ? `${text} (${t("of", { n: done, of: total })})` : text;
}

export const shufflers = (note) => h("ul.shufflers", seatsFrom(0).map((seat) => {
  const { stage, trust } = table();
  const done = trust?.shuffles?.[seat];
  return h("li", { class: done ? "done" : stage?.seat === seat && "now" },
    shield(done ? "verified" : "checking"), h("bdi", nameOf(seat)), note && h("span.note", t(done ? "proof.shuffled" : "proof.not-yet")));
}));

export function progressView() {
  const { stage } = table();
  if (!stage || ["play", "stopped", ...OVER].includes(stage.name)) return null;
  const isDeal = ["keys", "shuffle", "deal"].includes(stage.name);
  const kind = isDeal ? "shuffle" : "audit";
  const text = stageText(stage);
  return h("section.progress",
    h("h2", t(`stage.title-${kind}`)),
    h("p.now", text),
    h("progress", { max: stage.total || 1, value: stage.done, label: text }),
    isDeal && shufflers(),
    h("p.why", t(`stage.why-${kind}`)));
}

export function bannersView() {
  const now = table() ?? {};
  const isFailed = now.trust?.state === "failed";
  const made = [
    state.net === "lost" && banner("bad", t("net.lost")),
    !state.control && banner("info", t("tab.other"), button("tab.take", null, takeControl)),
    isFailed ? failedBanner(now.trust)
      : now.paused ? pausedBanner(now.paused)
      : now.waiting && now.waiting.what !== "move" ? waitingBanner(now.waiting)
      : now.people?.map((who, seat) => !who.absent && who.then?.in_s != null && banner("warn", linkSentence(seat))),
    !isFailed && now.stage?.name === "stopped" && stoppedBanner(now.stage),
  ].flat().filter(Boolean);
  return made.length > 0 && h("div.banners", { role: "status" }, made);
}

export const banner = (kind, text, ...more) => h("div.banner", { class: kind }, h("span", text), more);

const failedBanner = ({ seat }) => h("div.banner.failed", { role: "alert" }, shield("failed"),
  h("span", h("b", t("trust.failed-title", { name: nameOf(seat) })), " ", t("trust.failed-text")),
  button("trust.save", null, () => act("save")));

const waited = (since) => (since == null ? "" : duration(since + sinceView()));

function pausedBanner({ seat, seats = [seat], since }) {
  const key = table().options?.recovery ? "paused.recovery" : "paused.waits";
  return banner("warn", t(key, { name: list(seats.map(nameOf)), time: waited(since) }), button("do.void", null, giveUp));
}

function waitingBanner({ what, text, seats, since }) {
  const key = `waiting.${what}`;
  const said = has(key) ? t("waiting.for", { names: list(seats.map(nameOf)), what: t(key) }) : clean(text ?? what);
  return banner("warn", `${said} · ${waited(since)}`);
}

export const giveUp = () => ask(t("ask.void"), "do.void", () => act("void"), true);

function stoppedBanner({ seat }) {
  const text = seat == null ? t("stopped.text") : t("stopped.by", { name: nameOf(seat) });
  return banner("bad", text, button("do.leave", null, () => act("leave")));
}

export function moveText(last) {
  const names = (last.tiles ?? []).filter(Boolean).map((tile) => describe(tile));
  const kind = last.failed ? "failed" : last.kind === "open" && last.opened === "pairs" ? "open-pairs" : last.kind;
  return t(`log.${kind}`, {
    name: nameOf(last.seat), tile: last.tile ? describe(last.tile) : names[0] ?? "",
    tiles: names.join(", "), value: last.value ?? "", n: (last.meld ?? 0) + 1,
  });
}

// What was played for the player; that a tile was drawn only if nothing else was.
function playedText(moves) {
  const told = moves.filter(({ kind }) => kind !== "draw");
  return list((told.length ? told : moves).map(moveText));
}

export function noticeView() {
  const { notice } = state.view;
  if (!notice) return null;
  const names = list((notice.seats ?? []).map(nameOf));
  const said = { ...notice, name: clean(notice.name), known: clean(notice.known), text: clean(notice.text), names, played: playedText(notice.moves ?? []) };
  const key = [`refused.${notice.kind}`, `notice.${notice.code}`, `refused.${notice.code}`, notice.code.replace("key-", "met.")].find(has);
  return banner("info", key ? t(key, said) : said.text || t("refused.internal"),
    iconButton("close", "close", () => tell("dismiss")));
}
