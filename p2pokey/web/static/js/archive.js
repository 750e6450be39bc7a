// Saved games, past hands, statistics: all from transcripts on this computer.

import { act, toast } from "./acting.js";
import { h } from "./dom.js";
import { clean, has, list, number, signed, t } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { pageTitle } from "./lobby.js";
import { state } from "./store.js";

const MOST_BYTES = 6_000_000;

export function archiveView() {
  const past = state.view.past;
  return [pageTitle(t("lobby.archive")),
    h("div", { class: "card row-card", key: "open" },
      h("div", null, h("b", null, t("archive.open")), h("p", null, t("archive.open.help"))),
      h("label", { class: "button" }, icon("folder"), t("archive.choose"),
        h("input", { type: "file", class: "sr", accept: ".jsonl,.p2pokey,.json", on: { change: openFile } }))),
    !past ? h("p", { class: "nothing", key: "wait" }, t("archive.reading"))
      : past.hands.length === 0 ? h("p", { class: "nothing", key: "none" }, t("archive.none"))
      : h("ul", { class: "cards", key: "hands" }, past.hands.map(handCard))];
}

function handCard(hand) {
  const good = hand.status === "verified" || hand.status === "ok";
  return h("li", { class: "card row-card", key: hand.id },
    h("div", null,
      h("b", null, t(`game.${hand.rules}`), " · ", hand.day),
      h("p", null, h("bdi", null, list(hand.names.map((name, seat) => `${clean(name, 40)} ${signed(hand.points?.[seat] ?? 0)}`)))),
      h("p", { class: "with-icon" }, shield(good ? "verified" : hand.status === "failed" ? "failed" : "unproved"), has(`hand-status.${hand.status}`) ? t(`hand-status.${hand.status}`) : clean(hand.status, 40))),
    h("button", { type: "button", on: { click: () => act({ do: "replay", id: hand.id }) } }, icon("play"), t("do.replay")));
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
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  act({ do: "replay", data: btoa(text), name: clean(file.name, 80) });
}

export function statsView() {
  const stats = state.view.past?.stats;
  return [pageTitle(t("lobby.stats")),
    h("p", { class: "note", key: "why" }, t("stats.why")),
    !stats ? h("p", { class: "nothing", key: "wait" }, t("archive.reading"))
      : stats.length === 0 ? h("p", { class: "nothing", key: "none" }, t("stats.none"))
      : h("div", { class: "card scroll", key: "table" }, statsTable(stats))];
}

function statsTable(stats) {
  const columns = Object.keys(stats[0]).filter((key) => key !== "name" && has(`stats.${key}`));
  return h("table", { class: "scores" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("stats.name")), columns.map((key) => h("th", { scope: "col" }, t(`stats.${key}`))))),
    h("tbody", null, stats.map((row) => h("tr", null, h("th", { scope: "row" }, h("bdi", null, clean(row.name, 40))), columns.map((key) => h("td", null, typeof row[key] === "number" ? number(row[key]) : clean(row[key], 60)))))));
}

