// The Proof panel and the badge: who shuffled, what was checked, and what that does not show.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { count, number, t, tCode } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { nameOf } from "./seats.js";
import { change, state, table } from "./store.js";

export function badge() {
  const now = table();
  const trust = now?.trust;
  if (!trust) return null;
  const open = state.local.drawerOpen && state.local.drawer === "proof";
  return h("button", {
    key: "trust", class: `trust ${trust.state}`, "aria-expanded": String(open), "aria-controls": "drawer",
    click: () => change({ drawer: "proof", drawerOpen: !open, unread: state.local.unread }),
  }, shield(trust.state), h("span", h("b", title(trust)), h("small", detail(trust))));
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
  if (!trust) return h("p", t("proof.none"));
  return h("div", { class: "proof" },
    h("div", { class: `verdict-box ${trust.state}` }, shield(trust.state),
      h("div", h("h3", title(trust)), h("p", t(`proof.means-${trust.state}`, { name: trust.seat === null || trust.seat === undefined ? "" : nameOf(trust.seat) })))),
    h("h3", t("proof.who")),
    h("ul.shufflers", trust.shuffles.map((done, seat) =>
      h("li", { class: done ? "done" : "" }, shield(done ? "verified" : "checking"), h("bdi", nameOf(seat)),
        h("span.note", t(done ? "proof.shuffled" : "proof.not-yet"))))),
    h("h3", t("proof.checked")),
    figures(trust),
    words(trust),
    auditOf(trust),
    h("div", { class: "row-buttons" },
      h("button", { click: () => act({ do: "save" }) }, icon("save"), t("trust.save")),
      h("button", { click: () => act({ do: "recheck" }) }, icon("check"), t("proof.recheck"))),
    trust.transcript ? h("p.path", t("proof.saved"), " ", h("code", trust.transcript)) : null,
    h("details", h("summary", t("proof.not-shown")), h("p", t("proof.limits"))));
}

function figures(trust) {
  const rows = trust.proofs.map((proof) => [tCode(`proof.kind-${proof.kind}`, "proof.kind-other"), number(proof.objects), ""]);
  rows.push([t("proof.accepted"), number(trust.accepted), ""]);
  rows.push([t("proof.failed"), number(trust.failed), trust.failed ? "bad" : "good"]);
  rows.push([t("proof.disclosed"), t("of", { n: trust.disclosed, of: trust.shuffles.length }), ""]);
  rows.push([t("proof.replayed"), t("of", { n: trust.replayed, of: trust.shuffles.length }), ""]);
  return h("dl.figures", rows.map(([name, value, kind]) => [h("dt", name), h("dd", { class: kind }, value)]));
}

function words(trust) {
  if (!trust.words?.length) return null;
  return h("div", h("h3", t("proof.words")), h("p.note", t("proof.words-why")),
    h("p.words", { lang: "en" }, trust.words.map((word) => h("span", word))));
}

function auditOf(trust) {
  if (!trust.audit) return null;
  const { status, proofs, findings } = trust.audit;
  return h("div.audit", h("h3", t("proof.audit")),
    h("p", tCode(`audit.${status}`, "audit.incomplete", { proofs: number(proofs ?? 0) })),
    findings?.length ? h("ul", findings.map((finding) => h("li", typeof finding === "string" ? finding : finding.text ?? finding.code))) : null);
}
