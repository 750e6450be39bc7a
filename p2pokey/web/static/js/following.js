// What a new view brings besides pictures: sounds, the title, the log, words for screen readers.

import { clean, signed, t } from "./i18n.js";
import { play } from "./sound.js";
import { chargeName, chatText, nameOf } from "./seats.js";
import { state, table } from "./store.js";
import { describe } from "./tile.js";
import { turnText } from "./status.js";

let before = null;
let lines = 0;

/** Compares the new view with the last one that was seen. */
export function follow() {
  const now = table();
  if (!now) {
    before = null;
    document.title = "p2pokey";
    return;
  }
  const mine = Boolean(now.game?.mine);
  document.title = mine ? t("title.your-turn") : `p2pokey · ${t(`game.${now.rules}`)}`;
  const last = JSON.stringify(now.game?.last ?? null);
  const snapshot = {
    mine, last, chat: now.chat.at(-1)?.n ?? -1, end: Boolean(now.end), failed: now.trust?.state === "failed",
    stage: now.stage?.name, hand: now.match?.hand,
  };
  if (before) compare(now, before, snapshot);
  else if (mine) say(turnText());
  before = snapshot;
}

function compare(now, was, is) {
  if (is.hand !== was.hand) {
    note(t("log.hand", { n: is.hand }), "new-hand");
    state.local.resultHidden = null;
  }
  if (is.last !== was.last && now.game?.last) tellMove(now.game.last, now.game);
  if (is.mine && !was.mine) {
    play("turn");
    say(turnText());
    notify();
  }
  if (is.chat > was.chat) tellChat(now, was.chat);
  if (is.end && !was.end) {
    const won = now.end.finisher === now.seat;
    play(won ? "win" : "tile");
    const text = now.end.finisher === null ? t("result.nobody") : won ? t("result.you") : t("result.other", { name: nameOf(now.end.finisher) });
    note(text, "end");
    say(text);
    state.local.focus = "result-title";
  }
  if (is.failed && !was.failed) say(t("trust.failed-title", { name: nameOf(now.trust.seat ?? 0) }));
}

function tellMove(last, game) {
  const text = moveText(last, game);
  if (text) {
    note(text, last.kind);
    if (last.seat !== table().seat) say(text);
  }
  for (const charge of last.charges ?? []) {
    const told = t("log.charge", { name: nameOf(charge.seat), points: signed(charge.points), why: chargeName(charge.rule) });
    note(told, charge.points > 0 ? "charge" : "bonus");
    say(told);
  }
  if (["discard", "draw", "take", "open", "lay", "add", "play", "finish"].includes(last.kind)) play("tile");
}

export function moveText(last, game) {
  const names = (last.tiles ?? []).filter(Boolean).map((tile) => describe(tile, game?.okey ?? null));
  const tile = last.tile ? describe(last.tile, game?.okey ?? null) : names[0] ?? "";
  const key = last.failed ? "log.failed" : last.kind === "open" && last.opened === "pairs" ? "log.open-pairs" : `log.${last.kind}`;
  return t(key, { name: nameOf(last.seat), tile, tiles: names.join(", "), value: last.value ?? "", n: (last.meld ?? 0) + 1, count: names.length });
}

function tellChat(now, seen) {
  for (const line of now.chat) {
    if (line.n <= seen || line.seat === now.seat || now.muted.includes(line.seat)) continue;
    play("chat");
    say(`${nameOf(line.seat)}: ${clean(chatText(line), 200)}`);
    if (!(state.local.drawerOpen && state.local.drawer === "chat") && isNarrow()) state.local.unread += 1;
  }
}

const isNarrow = () => matchMedia("(max-width: 1099px)").matches || state.local.drawer !== "chat";

function note(text, kind) {
  lines += 1;
  state.local.log = [...state.local.log.slice(-300), { n: lines, text, kind }];
}

/** Has a screen reader say it, after what it is saying now. */
export function say(text) {
  const region = document.getElementById("live");
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  while (region.childElementCount > 6) region.firstElementChild.remove();
}

function notify() {
  if (document.hidden && "Notification" in window && Notification.permission === "granted") {
    new Notification(t("title.your-turn"), { tag: "p2pokey-turn", icon: "/icon.svg" });
  }
}
