// Waiting for friends: code, link, QR, who is here, what is being done.

import { act, toast } from "./acting.js";
import { h } from "./dom.js";
import { clean, t, tCode } from "./i18n.js";
import { icon, logo } from "./icons.js";
import { qrView } from "./qr.js";
import { bannersView, noticeView } from "./status.js";
import { state } from "./store.js";

export function screen() {
  const now = state.view.gathering;
  return h("div.lobby.gathering", { key: "gathering" },
    h("header.bar", { key: "top" }, h("span.brand", logo(), h("span", "p2pokey"))),
    h("div.top-notes", { key: "notes" }, bannersView(), noticeView()),
    h("main.page", { key: "main" },
      h("h1", { id: "page-title", tabindex: -1 }, t(`gathering.title-${now.role}`)),
      now.code || now.link ? invitation(now) : null,
      h("section.card", { key: "here", "aria-label": t("gathering.seats") },
        h("ol.seats-list", Array.from({ length: now.seats }, (_, n) =>
          h("li", { class: now.here[n] ? "taken" : "free" }, h("span.avatar", { "aria-hidden": "true" }, now.here[n] ? [...clean(now.here[n], 40)][0] : "?"),
            now.here[n] ? h("bdi", clean(now.here[n], 40)) : t("gathering.free")))),
        h("p.note", { role: "status" }, tCode(`gathering.phase-${now.phase}`, "gathering.phase-waiting", { n: now.here.length, of: now.seats })),
        now.total ? h("progress", { max: now.total, value: now.done, "aria-label": t("gathering.progress") }) : null),
      now.window_s ? h("p.note", { key: "window" }, t("gathering.window", { n: Math.max(1, Math.round(now.window_s / 60)) })) : null,
      h("div.row-buttons", { key: "buttons" }, h("button", { click: () => act({ do: "cancel" }) }, icon("close"), t("gathering.cancel")))));
}

function invitation({ code, link }) {
  return h("section.card.invitation", { key: "invitation", "aria-label": t("gathering.invite") },
    h("div", null,
      code ? [h("h2", t("gathering.code")), h("p.code", { lang: "en", translate: "no" }, code),
        h("p.note", t("gathering.code-why")), copyButton(code, t("gathering.copy-code"))] : null,
      link ? [h("h2", t("gathering.link")), h("p.link", { translate: "no" }, link), copyButton(link, t("gathering.copy-link"))] : null),
    link ? h("figure", qrView(link), h("figcaption", t("gathering.qr"))) : null);
}

function copyButton(text, label) {
  return h("button", { click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(t("copied"));
    } catch {
      toast(t("copy-failed"), "bad");
    }
  } }, icon("copy"), label);
}
