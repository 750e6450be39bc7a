// Waiting for friends.

import { act, brand, button, clean, cleanName, h, state, t, tCode, title, toast } from "./core.js";
import { banner, bannersView, noticeView } from "./status.js";

export function screen() {
  const { gathering: now } = state.view;
  const isHost = now.role === "host";
  return h("div.lobby",
    h("header.bar", brand()),
    h("div.top-notes", bannersView(), noticeView(), now.knocks?.map(knock)),
    h("main.page.gathering",
      title(t(`gathering.title-${now.role}`)),
      (now.code || now.link) && invitation(now),
      h("section.card", { label: t("gathering.seats") },
        h("ol.seats-list", Array.from({ length: now.seats }, (_, n) => seat(now.here[n]))),
        h("p.note", { role: "status" }, tCode(`gathering.phase-${now.phase}`, "gathering.phase-waiting", { n: now.here.length, of: now.seats })),
        now.total > 0 && h("progress", { max: now.total, value: now.done, label: t("gathering.progress") })),
      now.window_s > 0 && h("p.note", t("gathering.window", { n: Math.max(1, Math.round(now.window_s / 60)) })),
      h("div.row-buttons",
        isHost && now.window === "closed" && button("gathering.reopen", "play", () => act("reopen"), { class: "primary" }),
        now.can_bring_bots && now.here.length < now.seats && button("gathering.bot", "robot", () => act("bots", { count: 1 })),
        button("gathering.cancel", "close", () => act("cancel")))));
}

function knock({ n, name, key }) {
  const answer = (yes) => () => act("admit", { n, yes });
  return banner("warn", t("gathering.knock", { name: cleanName(name), key: clean(key, 8) }),
    button("gathering.admit", null, answer(true)), button("no", null, answer(false)));
}

const seat = (name) => h("li", { class: name ? "taken" : "free" },
  h("span.avatar", { "aria-hidden": true }, name ? [...cleanName(name)][0] : "?"), name ? h("bdi", cleanName(name)) : t("gathering.free"));

const invitation = ({ code, link, qr }) => h("section.card.invitation",
  h("div", wayIn("code", code, "tr"), wayIn("link", link)),
  qr && h("figure", qrView(qr), h("figcaption", t("gathering.qr"))));

const wayIn = (kind, text, lang) => text && [
  h("h2", t(`gathering.${kind}`)), h("p", { class: kind, lang, translate: "no" }, text),
  h("p.note", t(`gathering.${kind}-why`)), copyButton(text, `gathering.copy-${kind}`)];

// Dark (1) and light (0), with the margin that scanners need.
function qrView(rows) {
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  const size = rows.length + 8;
  return h("svg.qr", { viewBox: `-4 -4 ${size} ${size}`, role: "img", label: t("gathering.qr"), "shape-rendering": "crispEdges" },
    h("rect", { x: -4, y: -4, width: size, height: size, fill: "#fff" }), h("path", { d: dark.join(""), fill: "#000" }));
}

const copyButton = (text, key) => button(key, "copy", async () => {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("copied"));
  } catch {
    toast(t("copy-failed"), "bad");
  }
});
