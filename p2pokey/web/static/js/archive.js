// Saved games, past hands, statistics: all from transcripts on this computer.

import { act, toast } from "./acting.js";
import { h } from "./dom.js";
import { clean, has, list, number, signed, t } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { pageTitle } from "./lobby.js";
import { state } from "./store.js";

const MOST_BYTES = 30_000_000;
const PIECE = 36 * 1024;

export function archiveView() {
  const past = state.view.past;
  return [pageTitle(t("lobby.archive")),
    h("div.card.row-card", { key: "open" },
      h("div", h("b", t("archive.open")), h("p", t("archive.open.help"))),
      h("label.button", icon("folder"), t("archive.choose"),
        h("input", { type: "file", class: "sr", accept: ".jsonl,.p2pokey,.json", change: openFile }))),
    !past ? h("p.nothing", { key: "wait" }, t("archive.reading"))
      : past.hands.length === 0 ? h("p.nothing", { key: "none" }, t("archive.none"))
      : h("ul.cards", { key: "hands" }, past.hands.map(handCard))];
}

function handCard(hand) {
  const good = hand.status === "verified" || hand.status === "ok";
  return h("li.card.row-card", { key: hand.id },
    h("div", null,
      h("b", t(`game.${hand.rules}`), " · ", hand.day),
      h("p", h("bdi", list(hand.names.map((name, seat) => `${clean(name, 40)} ${signed(hand.points?.[seat] ?? 0)}`)))),
      h("p.with-icon", shield(good ? "verified" : hand.status === "failed" ? "failed" : "unproved"),
        has(`hand-status.${hand.status}`) ? t(`hand-status.${hand.status}`) : clean(hand.status, 40))),
    h("button", { click: () => act({ do: "replay", id: hand.id }) }, icon("play"), t("do.replay")));
}

async function openFile(event) {
  const file = event.target.files[0];
  event.target.value = "";
  if (!file) return;
  if (file.size > MOST_BYTES) {
    toast(t("archive.too-big"), "bad");
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  for (let at = 0; at < bytes.length; at += PIECE) {
    const data = btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
    if (await act({ do: "replay", name: clean(file.name, 80), size: bytes.length, at, data })) return;
  }
}

export function statsView() {
  const stats = state.view.past?.stats;
  return [pageTitle(t("lobby.stats")),
    h("p.note", { key: "why" }, t("stats.why")),
    !stats ? h("p.nothing", { key: "wait" }, t("archive.reading"))
      : stats.length === 0 ? h("p.nothing", { key: "none" }, t("stats.none"))
      : h("div.card.scroll", { key: "table" }, statsTable(stats))];
}

function statsTable(stats) {
  const columns = Object.keys(stats[0]).filter((key) => key !== "name" && has(`stats.${key}`));
  return h("table", { class: "scores" },
    h("thead", h("tr", h("th", { scope: "col" }, t("stats.name")), columns.map((key) => h("th", { scope: "col" }, t(`stats.${key}`))))),
    h("tbody", stats.map((row) => h("tr", h("th", { scope: "row" }, h("bdi", clean(row.name, 40))),
      columns.map((key) => h("td", typeof row[key] === "number" ? number(row[key]) : clean(row[key], 60)))))));
}

