// The drawer beside the table. On a phone a sheet from below.

import {
  act, button, change, clean, count, h, iconButton, local, nothing, number, onSubmit, shield, signed, state, t, table,
  tCode,
} from "./core.js";
import { chargeList, chatText, hasTeams, nameOf, seatsFrom } from "./seats.js";
import { shufflers } from "./status.js";

const BODIES = { chat: chatView, log: logView, scores: scoresView, proof: proofView };
const TABS = Object.keys(BODIES);

export function drawerView() {
  const { drawer, drawerOpen } = local;
  return h("aside.drawer", { class: drawerOpen && "open", id: "drawer", label: t("drawer.label") },
    h("div.tabs", { role: "tablist", keydown: onTabKey }, TABS.map((name) => tab(name, drawer === name))),
    iconButton("close", "close", () => change({ drawerOpen: false }), { class: "close" }),
    h("div.panel", { class: `in-${drawer}`, key: drawer, role: "tabpanel", id: "panel", "aria-labelledby": `tab-${drawer}`, tabindex: 0 },
      BODIES[drawer]()),
    drawer === "chat" && [quick(), sayForm()]);
}

const tab = (name, selected) => h("button", {
  key: name, role: "tab", id: `tab-${name}`, "aria-selected": selected, "aria-controls": "panel", tabindex: selected ? 0 : -1,
  click: () => openDrawer(name),
}, t(`drawer.${name}`), name === "chat" && unreadBadge());

export const openDrawer = (name) => change({ drawer: name, drawerOpen: true, unread: name === "chat" ? 0 : local.unread });

export const unreadBadge = () => local.unread > 0 && h("span.badge", local.unread);

function onTabKey(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = TABS[(TABS.indexOf(local.drawer) + step + TABS.length) % TABS.length];
  change({ drawer: next, focus: `tab-${next}` });
}

function chatView() {
  const { chat, muted, seat } = table();
  const lines = chat.filter((line) => !muted.includes(line.seat)).slice(-120);
  if (lines.length === 0) return nothing("chat.none");
  return lines.map((line) => h("p.line", { class: line.seat === seat && "mine", key: `c${line.n}.${line.seat}` },
    h("b", { "data-seat": line.seat }, h("bdi", nameOf(line.seat)), h("time", line.at)),
    h("span", { dir: "auto" }, chatText(line))));
}

export const quick = () => h("div.quick", { role: "group", label: t("chat.quick") },
  state.world.phrases.map((code) => h("button", { key: code, click: () => act("phrase", { code }) }, tCode(`phrase.${code}`, code))));

const sayForm = () => h("form.say", { submit: onSubmit(say) },
  h("input", { id: "say", name: "text", autocomplete: "off", maxlength: 300, label: t("chat.message"), placeholder: t("chat.message") }),
  iconButton("chat.send", "send", null, { type: "submit" }));

async function say(event) {
  const field = event.target.elements.text;
  const text = field.value.trim();
  if (!text) return;
  field.value = "";
  if (await act("say", { text })) field.value = text;
}

function logView() {
  if (local.log.length === 0) return nothing(table().game ? "replay.start" : "log.none");
  return h("ol.log", local.log.map((line) => h("li", { key: `l${line.n}`, class: line.kind }, line.text)));
}

export const handText = ({ hand, hands }) => (hands ? t("match.hand-of", { n: hand, of: hands }) : t("match.hand", { n: hand }));

const row = (title, cells, key) => h("tr", { key }, h("th", { scope: "row" }, title), cells.map((cell) => h("td", cell)));

function scoresView() {
  const { match, game } = table();
  return [
    h("table.scores",
      h("caption", handText(match)),
      h("thead", h("tr", h("th", { scope: "col" }, t("match.hand-column")),
        seatsFrom(0).map((seat) => h("th", { scope: "col", "data-seat": seat }, h("bdi", nameOf(seat)))))),
      h("tbody", match.rows.map(({ hand, points }) => row(hand, points.map(signed), hand))),
      h("tfoot", row(t("match.total"), match.totals.map(number)))),
    hasTeams() && teamTotals(),
    game?.charges?.length > 0 && h("div", h("h3", t("charges.title")), chargeList(game.charges, true)),
  ];
}

function teamTotals() {
  const { match, people } = table();
  const sum = (team) => match.totals.filter((_, seat) => people[seat].team === team).reduce((a, b) => a + b, 0);
  return h("p.teams", [0, 1].map((team) => h("span", h("i.team", { class: `team-${team}` }),
    t("team.total", { letter: "AB"[team], points: number(sum(team)) }))));
}

export function badge() {
  const trust = table()?.trust;
  if (!trust) return null;
  const open = local.drawerOpen && local.drawer === "proof";
  return h("button.trust", {
    class: trust.state, "aria-expanded": open, "aria-controls": "drawer",
    click: () => change({ drawer: "proof", drawerOpen: !open }),
  }, shield(trust.state), h("span", h("b", title(trust)), h("small", detail(trust))));
}

const title = ({ state, seat }) => t(`trust.${state}`, { n: (seat ?? 0) + 1 });

const detail = ({ shuffles, accepted }) => [
  h("span.of", t("trust.players", { done: shuffles.filter(Boolean).length, of: shuffles.length }), " · "),
  count("count.proofs", accepted, { n: number(accepted) }),
];

const meaning = ({ state, disclosed }) => (disclosed && state === "verified" ? "disclosed" : state);

function proofView() {
  const { trust } = table();
  if (!trust) return h("p", t("proof.none"));
  return h("div.proof",
    h("div.verdict-box", { class: trust.state }, shield(trust.state),
      h("div", h("h3", title(trust)), h("p", t(`proof.means-${meaning(trust)}`, { name: nameOf(trust.seat) })), trust.why && h("p", clean(trust.why)))),
    h("h3", t("proof.who")),
    shufflers(true),
    h("h3", t("proof.checked")),
    figures(trust),
    trust.words?.length > 0 && h("div", h("h3", t("proof.words")), h("p.note", t("proof.words-why")),
      h("p.words", { lang: "tr" }, trust.words.map((word) => h("span", word)))),
    trust.audit && auditOf(trust.audit),
    h("div.row-buttons",
      button("trust.save", "save", () => act("save")),
      button("proof.recheck", "check", () => act("recheck"))),
    trust.transcript && h("p.path", t("proof.saved"), " ", h("code", trust.transcript)),
    h("details", h("summary", t("proof.not-shown")), h("p", t("proof.limits"))));
}

function figures({ proofs, accepted, failed, disclosed, replayed, shuffles }) {
  const of = (n) => t("of", { n, of: shuffles.length });
  const rows = [
    ...proofs.map((proof) => [tCode(`proof.kind-${proof.kind}`, "proof.kind-other"), number(proof.objects)]),
    [t("proof.accepted"), number(accepted)],
    [t("proof.failed"), number(failed), failed ? "bad" : "good"],
    [t("proof.disclosed"), of(disclosed)],
    [t("proof.replayed"), of(replayed)],
  ];
  return h("dl.figures", rows.map(([name, value, kind]) => [h("dt", name), h("dd", { class: kind }, value)]));
}

const auditOf = ({ status, proofs, findings, done, total }) => h("div", h("h3", t("proof.audit")),
  h("p", tCode(`audit.${status}`, "audit.incomplete", { proofs: number(proofs ?? 0) })),
  total > 0 && h("progress", { max: total, value: done, label: t("audit.running") }), findingList(findings));

export const findingList = (findings) => findings?.length > 0
  && h("ul.findings", findings.map((finding) => h("li", clean(finding.text ?? finding.code ?? finding))));
