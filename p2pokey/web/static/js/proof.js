// The Proof panel and the badge: who shuffled, what was checked, and what that does not show.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { count, number, t } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { nameOf } from "./seats.js";
import { change, state, table } from "./store.js";

export function badge() {
  const now = table();
  const trust = now?.trust;
  if (!trust) return null;
  const open = state.local.drawerOpen && state.local.drawer === "proof";
  return h("button", {
    key: "trust", type: "button", class: `trust ${trust.state}`, "aria-expanded": String(open), "aria-controls": "drawer",
    on: { click: () => change({ drawer: "proof", drawerOpen: !open, unread: state.local.unread }) },
  }, shield(trust.state), h("span", null, h("b", null, title(trust)), h("small", null, detail(trust))));
}

function title(trust) {
  if (trust.state === "failed") return t("trust.failed", { n: (trust.seat ?? 0) + 1 });
  return t(`trust.${trust.state}`);
}

function detail(trust) {
  const done = trust.shuffles.filter(Boolean).length;
  return t("trust.detail", {
    done, of: trust.shuffles.length, proofs: count("count.proofs", trust.accepted, { n: number(trust.accepted) }),
  });
}

export function proofView() {
  const trust = table().trust;
  if (!trust) return h("p", null, t("proof.none"));
  return h("div", { class: "proof" },
    h("div", { class: `verdict-box ${trust.state}` }, shield(trust.state),
      h("div", null, h("h3", null, title(trust)), h("p", null, t(`proof.means-${trust.state}`, { name: trust.seat === null || trust.seat === undefined ? "" : nameOf(trust.seat) })))),
    h("h3", null, t("proof.who")),
    h("ul", { class: "shufflers" }, trust.shuffles.map((done, seat) =>
      h("li", { class: done ? "done" : "" }, shield(done ? "verified" : "checking"), h("bdi", null, nameOf(seat)),
        h("span", { class: "note" }, t(done ? "proof.shuffled" : "proof.not-yet"))))),
    h("h3", null, t("proof.checked")),
    figures(trust),
    words(trust),
    auditOf(trust),
    h("div", { class: "row-buttons" },
      h("button", { type: "button", on: { click: () => act({ do: "save" }) } }, icon("save"), t("trust.save")),
      h("button", { type: "button", on: { click: () => act({ do: "recheck" }) } }, icon("check"), t("proof.recheck"))),
    trust.transcript ? h("p", { class: "path" }, t("proof.saved"), " ", h("code", null, trust.transcript)) : null,
    h("details", null, h("summary", null, t("proof.not-shown")), h("p", null, t("proof.limits"))));
}

function figures(trust) {
  const rows = trust.proofs.map((proof) => [t(`proof.kind-${proof.kind}`), number(proof.objects), ""]);
  rows.push([t("proof.accepted"), number(trust.accepted), ""]);
  rows.push([t("proof.failed"), number(trust.failed), trust.failed ? "bad" : "good"]);
  rows.push([t("proof.disclosed"), t("of", { n: trust.disclosed, of: trust.shuffles.length }), ""]);
  rows.push([t("proof.replayed"), t("of", { n: trust.replayed, of: trust.shuffles.length }), ""]);
  return h("dl", { class: "figures" }, rows.map(([name, value, kind]) => [h("dt", null, name), h("dd", { class: kind }, value)]));
}

function words(trust) {
  if (!trust.words?.length) return null;
  return h("div", null, h("h3", null, t("proof.words")), h("p", { class: "note" }, t("proof.words-why")),
    h("p", { class: "words", lang: "en" }, trust.words.map((word) => h("span", null, word))));
}

function auditOf(trust) {
  if (!trust.audit) return null;
  const { status, proofs, findings } = trust.audit;
  return h("div", { class: "audit" }, h("h3", null, t("proof.audit")),
    h("p", null, t(`audit.${status}`, { proofs: number(proofs ?? 0) })),
    findings?.length ? h("ul", null, findings.map((finding) => h("li", null, typeof finding === "string" ? finding : finding.text ?? finding.code))) : null);
}
