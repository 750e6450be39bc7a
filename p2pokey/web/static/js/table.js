// The table screen, put together.

import { act } from "./acting.js";
import { actionLine, otherPiles } from "./actionline.js";
import { buttonsView } from "./buttons.js";
import { h } from "./dom.js";
import { drawerView, quick } from "./drawer.js";
import { number, t } from "./i18n.js";
import { icon, logo } from "./icons.js";
import { meldsView } from "./melds.js";
import { badge } from "./proof.js";
import { rackView } from "./rack.js";
import { asksView, resultTab, resultView } from "./result.js";
import { avatar, chargedTag, nameLine, nameOf, seatsView } from "./seats.js";
import { bannersView, noticeView, progressView, timeText, turnText } from "./status.js";
import { change, state, table } from "./store.js";
import { timeLeft } from "./clock.js";

export function screen() {
  const now = table();
  const covered = now.handover !== null && now.handover !== undefined;
  const classes = ["table-screen", `rules-${now.rules}`, now.game?.mine && "my-turn", now.rules === "duel" && "is-duel"];
  return h("div", { class: classes.filter(Boolean).join(" "), key: "table" },
    header(now),
    h("main", { key: "main" },
      h("div.top-notes", { key: "notes" }, bannersView(), noticeView(), asksView()),
      h("h1.sr", t("table.title", { game: t(`game.${now.rules}`) })),
      h("section.felt", { key: "felt", "aria-label": t("table.label") },
        seatsView(), otherPiles(), covered ? null : meldsView(), progressView(), actionLine(), resultTab()),
      covered ? handover(now.handover) : mine(now),
      resultView()),
    drawerView(),
    h("div.talkbar", { key: "talkbar" }, quick(), chatToggle()));
}

function header(now) {
  const { match } = now;
  return h("header.bar", { key: "top" },
    h("span.brand", logo(), h("span", "p2pokey")),
    h("span.chip.game-name", t(`game.${now.rules}`), now.options?.partners ? ` · ${t("table.partners")}` : ""),
    h("span.chip.dim.hand-chip", match?.hands ? t("match.hand-of", { n: match.hand, of: match.hands }) : t("match.hand", { n: match?.hand ?? 1 })),
    now.options?.assisted ? h("span.chip.dim.assisted", t("table.assisted")) : null,
    h("span.space"),
    badge(),
    h("button.plain.drawer-toggle", { "aria-label": t("drawer.open"), "aria-expanded": String(state.local.drawerOpen), "aria-controls": "drawer",
      click: () => change({ drawerOpen: !state.local.drawerOpen, unread: 0 }) }, icon("chat"), unreadBadge()),
    h("button.plain", { "aria-label": t("menu.label"), "aria-haspopup": "dialog", click: () => change({ panel: { kind: "menu" } }) }, icon("menu")));
}

function unreadBadge() {
  return state.local.unread ? h("span.badge", state.local.unread) : null;
}

function chatToggle() {
  return h("button.plain", { "aria-label": t("drawer.chat"), click: () => change({ drawer: "chat", drawerOpen: true, unread: 0 }) }, icon("chat"), unreadBadge());
}

function mine(now) {
  const own = now.seat;
  const time = timeLeft(own);
  return h("section.own", { key: "mine", "aria-label": t("rack.section") },
    h("div.timebar", { "aria-hidden": "true", vars: time ? { "--p": time.part } : {} }, h("i", { class: time ? "on" : "" })),
    h("div", { class: "me" },
      avatar(own),
      h("div.who", nameLine(own),
        h("small.turn-text", turnText(), timeText() ? h("span.time", ` · ${timeText()}`) : null)),
      h("span.score", number(now.match?.totals?.[own] ?? 0), h("span.sr", ` ${t("seat.points")}`)),
      chargedTag(own),
      buttonsView()),
    rackView());
}

/** On a shared device: nothing is shown before the right player has the device in hand. */
function handover(seat) {
  const name = nameOf(seat);
  return h("section.handover", { key: "handover", "aria-labelledby": "handover-title" },
    icon("device"),
    h("h2", { id: "handover-title" }, t("handover.title", { name })),
    h("p", t("handover.text", { name })),
    h("button.primary.big", { click: () => act({ do: "take-seat" }) }, t("handover.show", { name })));
}
