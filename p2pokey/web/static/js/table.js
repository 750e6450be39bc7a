// The table screen, put together.

import { actionLine, buttonsView, otherPiles } from "./actions.js";
import { act, brand, change, duration, h, icon, iconButton, isCovered, isDuel, local, t, table } from "./core.js";
import { badge, drawerView, handText, openDrawer, quick, unreadBadge } from "./drawer.js";
import { meldsView } from "./melds.js";
import { rackView } from "./rack.js";
import { asksView, resultTab, resultView } from "./result.js";
import { avatar, chargedTag, nameLine, nameOf, scoreTag, seatsView, timeLeft } from "./seats.js";
import { bannersView, noticeView, progressView, turnText } from "./status.js";

export function screen() {
  const now = table();
  const covered = isCovered();
  return h("div.table-screen", { class: [now.game?.mine && "my-turn", isDuel() && "is-duel"] },
    header(now),
    h("main",
      h("div.top-notes", bannersView(), noticeView(), asksView()),
      h("h1.sr", t("table.title", { game: t(`game.${now.rules}`) })),
      h("section.felt", { label: t("table.label") },
        seatsView(), otherPiles(), !covered && meldsView(), progressView(), actionLine()),
      covered ? handover(nameOf(now.handover)) : mine(now.seat),
      resultView()),
    drawerView(),
    h("div.talkbar", quick(), iconButton("drawer.chat", "chat", () => openDrawer("chat"), {}, unreadBadge())));
}

function header({ rules, match, options }) {
  const toggle = () => change({ drawerOpen: !local.drawerOpen, unread: 0 });
  return h("header.bar",
    brand(),
    h("span.chip.game-name", t(`game.${rules}`), options?.partners && ` · ${t("option.partners")}`),
    h("span.chip.dim.hand-chip", handText(match)),
    options?.assisted && h("span.chip.dim.assisted", t("host.assisted")),
    h("span.space"),
    badge(),
    iconButton("drawer.label", "chat", toggle, { class: "drawer-toggle", "aria-expanded": local.drawerOpen, "aria-controls": "drawer" }, unreadBadge()),
    iconButton("menu.menu", "menu", () => change({ panel: { kind: "menu" } }), { class: "menu", "aria-haspopup": "dialog" }));
}

function mine(own) {
  const time = timeLeft(own);
  const turn = timeLeft(table().game?.turn);
  return h("section.own", { label: t("rack.section") },
    h("div.timebar", { "aria-hidden": true, vars: time ? { "--p": time.part } : {} }, h("i", { class: time && "on" })),
    h("div.me",
      avatar(own),
      h("div.who", nameLine(own), h("small.turn-text", turn && h("span.time", `${duration(turn.left)} · `), turnText())),
      scoreTag(own),
      chargedTag(own),
      buttonsView() ?? resultTab()),
    h("p", { id: "rack-keys", hidden: true }, t("rack.keys"), " ", !isDuel() && t("rack.keys.help")),
    rackView());
}

const handover = (name) => h("section.handover", { "aria-labelledby": "handover-title" },
  icon("device"),
  h("h2", { id: "handover-title" }, t("handover.title", { name })),
  h("p", t("handover.text", { name })),
  h("button.primary.big", { click: () => act("take-seat") }, t("handover.show", { name })));
