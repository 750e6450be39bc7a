// The menu of the table.

import { act, ask, takeControl } from "./acting.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { state, table } from "./store.js";

export function menuPanel({ close, open }) {
  const now = table();
  const item = (symbol, text, click) => h("button", { click }, icon(symbol), text);
  return h("div", { class: "menu-list" },
    item("gear", t("menu.settings"), () => open({ kind: "settings" })),
    item("help", t("menu.help"), () => open({ kind: "help" })),
    state.control ? null : item("play", t("tab.take"), () => { takeControl(); close(); }),
    now?.seats > 2 && now?.end ? item("people", t("menu.seating"), () => { rotateSeats(now); close(); }) : null,
    now?.trust ? item("save", t("trust.save"), () => { act({ do: "save" }); close(); }) : null,
    now && !now.solo && !now.end ? item("close", t("menu.void"), () => { close(); ask(t("ask.void"), t("do.void"), () => act({ do: "void" }), { danger: true }); }) : null,
    item("leave", t("do.leave-table"), () => { close(); ask(t(now?.solo ? "ask.leave-solo" : "ask.leave"), t("do.leave-table"), () => act({ do: "leave" }), { danger: true }); }));
}

function rotateSeats(now) {
  const order = Array.from({ length: now.seats }, (_, n) => (n === 0 ? 0 : (n % (now.seats - 1)) + 1));
  act({ do: "seating", order });
}
