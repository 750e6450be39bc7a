// The table screen, put together.

import { act, takeControl } from "./acting.js";
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
import { bannersView, progressView, timeText, turnText } from "./status.js";
import { change, state, table } from "./store.js";
import { timeLeft } from "./clock.js";

export function tableScreen() {
  const now = table();
  const covered = now.handover !== null && now.handover !== undefined;
  const classes = ["table-screen", `rules-${now.rules}`, now.game?.mine && "my-turn", now.rules === "duel" && "is-duel"];
  return h("div", { class: classes.filter(Boolean).join(" "), key: "table" },
    header(now),
    h("main", { key: "main" },
      h("h1", { class: "sr" }, t("table.title", { game: t(`game.${now.rules}`) })),
      h("section", { class: "felt", key: "felt", "aria-label": t("table.label") },
        seatsView(), otherPiles(), covered ? null : meldsView(), progressView(), actionLine(), resultTab()),
      covered ? handover(now.handover) : mine(now),
      resultView()),
    drawerView(),
    h("div", { class: "talkbar", key: "talkbar" }, quick(), chatToggle()),
    h("div", { class: "top-notes", key: "notes" }, bannersView(), asksView()));
}

function header(now) {
  const { match } = now;
  return h("header", { class: "bar", key: "top" },
    h("span", { class: "brand" }, logo(), h("span", null, "p2pokey")),
    h("span", { class: "chip game-name" }, t(`game.${now.rules}`), now.options?.partners ? ` · ${t("table.partners")}` : ""),
    h("span", { class: "chip dim hand-chip" }, match?.hands ? t("match.hand-of", { n: match.hand, of: match.hands }) : t("match.hand", { n: match?.hand ?? 1 })),
    now.options?.assisted ? h("span", { class: "chip dim assisted" }, t("table.assisted")) : null,
    h("span", { class: "space" }),
    badge(),
    h("button", { class: "plain drawer-toggle", type: "button", "aria-label": t("drawer.open"), "aria-expanded": String(state.local.drawerOpen), "aria-controls": "drawer",
      on: { click: () => change({ drawerOpen: !state.local.drawerOpen, unread: 0 }) } }, icon("chat"), unreadBadge()),
    h("button", { class: "plain", type: "button", "aria-label": t("menu.label"), "aria-haspopup": "dialog", on: { click: () => change({ panel: { kind: "menu" } }) } }, icon("menu")));
}

function unreadBadge() {
  return state.local.unread ? h("span", { class: "badge" }, state.local.unread) : null;
}

function chatToggle() {
  return h("button", { class: "plain", type: "button", "aria-label": t("drawer.chat"), on: { click: () => change({ drawer: "chat", drawerOpen: true, unread: 0 }) } }, icon("chat"), unreadBadge());
}

function mine(now) {
  const own = now.seat;
  const time = timeLeft(own);
  return h("section", { class: "mine", key: "mine", "aria-label": t("rack.section") },
    h("div", { class: "timebar", "aria-hidden": "true", vars: time ? { "--p": time.part } : {} }, h("i", { class: time ? "on" : "" })),
    h("div", { class: "me" },
      avatar(own),
      h("div", { class: "who" }, nameLine(own),
        h("small", { class: "turn-text" }, turnText(), timeText() ? h("span", { class: "time" }, ` · ${timeText()}`) : null)),
      h("span", { class: "score" }, number(now.match?.totals?.[own] ?? 0), h("span", { class: "sr" }, ` ${t("seat.points")}`)),
      chargedTag(own),
      buttonsView()),
    rackView());
}

/** On a shared device: nothing is shown before the right player has the device in hand. */
function handover(seat) {
  const name = nameOf(seat);
  return h("section", { class: "handover", key: "handover", "aria-labelledby": "handover-title" },
    icon("device"),
    h("h2", { id: "handover-title" }, t("handover.title", { name })),
    h("p", null, t("handover.text", { name })),
    h("button", { type: "button", class: "primary big", on: { click: () => act({ do: "take-seat" }) } }, t("handover.show", { name })));
}

export function menuPanel({ close, open }) {
  const now = table();
  const item = (symbol, text, click) => h("button", { type: "button", on: { click } }, icon(symbol), text);
  return h("div", { class: "menu-list" },
    item("gear", t("menu.settings"), () => open({ kind: "settings" })),
    item("help", t("menu.help"), () => open({ kind: "help" })),
    state.control ? null : item("play", t("tab.take"), () => { takeControl(); close(); }),
    now?.seats > 2 && now?.end ? item("people", t("menu.seating"), () => { rotateSeats(now); close(); }) : null,
    now?.trust ? item("save", t("trust.save"), () => { act({ do: "save" }); close(); }) : null,
    now && !now.solo && !now.end ? item("close", t("menu.void"), () => { close(); change({ question: { text: t("ask.void"), yes: t("do.void"), danger: true, doIt: () => act({ do: "void" }) } }); }) : null,
    item("leave", t("do.leave-table"), () => { close(); change({ question: { text: t(now?.solo ? "ask.leave-solo" : "ask.leave"), yes: t("do.leave-table"), danger: true, doIt: () => act({ do: "leave" }) } }); }));
}

function rotateSeats(now) {
  const order = Array.from({ length: now.seats }, (_, n) => (n === 0 ? 0 : (n % (now.seats - 1)) + 1));
  act({ do: "seating", order });
}
