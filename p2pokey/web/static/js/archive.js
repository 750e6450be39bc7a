// Saved games, past hands, statistics: from transcripts kept here.

import {
  act, button, clean, cleanName, h, has, icon, list, nothing, number, refuse, shield, signed, state, t, tCode,
} from "./core.js";

const MOST_BYTES = 30_000_000;
const PIECE = 36 * 1024;

export const handName = (rules, hand) => rules && `${t(`game.${rules}`)} · ${t("match.hand", { n: hand })}`;

export function archiveView() {
  const hands = state.view.past?.hands;
  return [
    h("div.card.row-card",
      h("div", h("b", t("archive.open")), h("p", t("archive.open.help"))),
      h("label.button", icon("folder"), t("archive.choose"),
        h("input.sr", { type: "file", accept: ".jsonl,.p2pokey,.json", change: openFile }))),
    !hands ? nothing("archive.reading") : hands.length === 0 ? nothing("archive.none")
      : h("ul.cards", hands.map(handCard))];
}

function handCard({ id, rules, day, time, hand, names, points, status }) {
  const scores = names.map((name, seat) => `${cleanName(name)} ${signed(points?.[seat] ?? 0)}`);
  return h("li.card.row-card", { key: id },
    h("div",
      h("b", [handName(rules, hand), day, time].filter(Boolean).join(" · ")),
      h("p", h("bdi", list(scores))),
      h("p.with-icon", shield(status === "scored" ? "verified" : "unproved"), tCode(`hand-status.${status}`, clean(status, 40)))),
    h("div.row-buttons", button("do.replay", "play", () => act("replay", { id })), button("do.save", "save", () => act("save", { id }))));
}

async function openFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (file?.size > MOST_BYTES) refuse({ code: "file-size" });
  else if (file) await send(clean(file.name, 80), new Uint8Array(await file.arrayBuffer()));
}

async function send(name, bytes) {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const data = btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
    if (await act("replay", { name, size: bytes.length, at, data })) return;
  }
}

export function statsView() {
  const stats = state.view.past?.stats;
  return [
    h("p.note", t("stats.why")),
    !stats ? nothing("archive.reading") : stats.length === 0 ? nothing("stats.none")
      : ["rules", "name"].map((kind) => statsTable(kind, stats.filter((row) => row[kind])))];
}

function statsTable(kind, rows) {
  return rows.length > 0 && h("div.card", { key: kind },
    h("table.scores",
      h("thead", h("tr", [kind, "won", "matches_won", "points"].map((key) => h("th", { scope: "col" }, t(`stats.${key}`))))),
      h("tbody", rows.map((row) => h("tr", h("th", { scope: "row" }, h("bdi", nameOf(row[kind]))),
        [t("of", { n: row.won, of: row.hands }), t("of", { n: row.matches_won, of: row.matches }), number(row.points)].map((cell) => h("td", cell)))))));
}

const nameOf = (key) => (has(`game.${key}`) ? t(`game.${key}`) : cleanName(key));
