// The drawer beside the table: chat, moves, scores, proof. On a phone a sheet from below.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { has, number, signed, t } from "./i18n.js";
import { icon } from "./icons.js";
import { proofView } from "./proof.js";
import { chargeName, chatText, nameOf } from "./seats.js";
import { change, state, table } from "./store.js";

const TABS = ["chat", "log", "scores", "proof"];

export function drawerView() {
  const { drawer, drawerOpen } = state.local;
  return h("aside", { class: drawerOpen ? "drawer open" : "drawer", key: "drawer", id: "drawer", "aria-label": t("drawer.label") },
    h("div.tabs", { role: "tablist", "aria-label": t("drawer.tabs"), keydown: onTabKey },
      TABS.map((name) => tab(name, drawer === name))),
    h("button.plain.close", { "aria-label": t("close"), click: () => change({ drawerOpen: false }) }, icon("close")),
    h("div", { class: `panel in-${drawer}`, key: drawer, role: "tabpanel", id: "panel", "aria-labelledby": `tab-${drawer}`, tabindex: 0 },
      BODIES[drawer]()),
    drawer === "chat" ? [quick(), sayForm()] : null);
}

function tab(name, selected) {
  const unread = name === "chat" ? state.local.unread : 0;
  return h("button", {
    key: name, role: "tab", id: `tab-${name}`, "aria-selected": String(selected), "aria-controls": "panel",
    tabindex: selected ? 0 : -1, click: () => change({ drawer: name, drawerOpen: true, unread: name === "chat" ? 0 : state.local.unread }),
  }, t(`drawer.${name}`), unread ? h("span.badge", unread) : null);
}

function onTabKey(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = TABS[(TABS.indexOf(state.local.drawer) + step + TABS.length) % TABS.length];
  change({ drawer: next, focus: `tab-${next}` });
}

const BODIES = {
  chat: chatView,
  log: logView,
  scores: scoresView,
  proof: proofView,
};

// --- Chat ---

function chatView() {
  const { chat, muted, seat } = table();
  const lines = chat.filter((line) => !muted.includes(line.seat)).slice(-120);
  if (lines.length === 0) return h("p.nothing", t("chat.none"));
  return lines.map((line) => h("p", { class: line.seat === seat ? "line mine" : "line", key: `c${line.n}` },
    h("b", { "data-seat": line.seat }, h("bdi", nameOf(line.seat)), h("time", line.at)),
    h("span", { dir: "auto" }, chatText(line))));
}

export function quick() {
  return h("div.quick", { key: "quick", role: "group", "aria-label": t("chat.quick") },
    state.world.phrases.map((code) => h("button", { key: code, click: () => act({ do: "phrase", code }) },
      has(`phrase.${code}`) ? t(`phrase.${code}`) : code)));
}

function sayForm() {
  return h("form.say", { key: "say", submit: onSay },
    h("input", { name: "text", autocomplete: "off", maxlength: 300, "aria-label": t("chat.message"), placeholder: t("chat.message") }),
    h("button.plain", { type: "submit", "aria-label": t("chat.send") }, icon("send")));
}

async function onSay(event) {
  event.preventDefault();
  const field = event.target.elements.text;
  const text = field.value.trim();
  if (!text) return;
  field.value = "";
  if (await act({ do: "say", text })) field.value = text;
}

// --- What happened ---

function logView() {
  const lines = state.local.log.slice(-150);
  if (lines.length === 0) return h("p.nothing", t("log.none"));
  return h("ol.log", lines.map((line) => h("li", { key: `l${line.n}`, class: line.kind }, line.text)));
}

// --- Scores ---

function scoresView() {
  const { match, people, seats, game } = table();
  const numbers = Array.from({ length: seats }, (_, seat) => seat);
  return [
    h("table", { class: "scores" },
      h("caption", match.hands ? t("match.hand-of", { n: match.hand, of: match.hands }) : t("match.hand", { n: match.hand })),
      h("thead", h("tr", h("th", { scope: "col" }, t("match.hand-column")),
        numbers.map((seat) => h("th", { scope: "col", "data-seat": seat }, h("bdi", nameOf(seat)))))),
      h("tbody", match.rows.map((row) => h("tr", { key: `r${row.hand}` },
        h("th", { scope: "row" }, row.hand), row.points.map((points) => h("td", signed(points)))))),
      h("tfoot", h("tr", h("th", { scope: "row" }, t("match.total")), match.totals.map((points) => h("td", number(points)))))),
    people.some((who) => who.team !== null && who.team !== undefined) ? teamTotals(match, people) : null,
    game?.charges?.length ? chargesNow(game.charges) : null,
  ];
}

function teamTotals(match, people) {
  const sums = [0, 1].map((team) => match.totals.filter((_, seat) => people[seat].team === team).reduce((a, b) => a + b, 0));
  return h("p.teams", sums.map((sum, team) => h("span", h("i", { class: `team team-${team}` }), t("team.total", { letter: "AB"[team], points: number(sum) }))));
}

function chargesNow(charges) {
  return h("div", h("h3", t("charges.now")), h("ul", { class: "charges" },
    charges.map((charge) => h("li", h("span", h("bdi", nameOf(charge.seat)), ": ", chargeName(charge.rule)), h("b", signed(charge.points))))));
}
