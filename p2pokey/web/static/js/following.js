// What a view brings besides pictures: sounds, title, log, words read out.

import { clean, keep, kept, local, signed, t, table } from "./core.js";
import { chargeName, chatText, finishText, nameOf } from "./seats.js";
import { play } from "./sound.js";
import { moveText, turnText } from "./status.js";

const STORED = "p2pokey-log";
const live = document.getElementById("live");
let before = null;

export function follow() {
  const now = table();
  const mine = Boolean(now?.game?.mine);
  document.title = !now ? "p2pokey" : mine ? t("title.your-turn") : `p2pokey · ${t(`game.${now.rules}`)}`;
  const is = now && {
    mine, last: JSON.stringify(now.game?.last ?? null), chat: now.chat.at(-1)?.n ?? -1, end: Boolean(now.end),
    failed: now.trust?.state === "failed", hand: now.match?.hand,
  };
  if (!now) live.replaceChildren();
  if (before && now) compare(now, before, is);
  else if (now) begin(now, mine);
  before = is;
}

const words = (now) => now.trust?.words?.join();

// After a reload in the middle of a hand its moves are still known.
function begin(now, mine) {
  const [of, log] = kept(STORED) ?? [];
  local.log = of && of === words(now) ? log : [];
  if (mine) say(turnText());
}

function compare(now, was, is) {
  if (is.hand !== was.hand) {
    note(t("match.hand", { n: is.hand }), "new-hand");
    local.resultHidden = null;
  }
  if (is.last !== was.last && now.game?.last) tellMove(now.game.last, now.game);
  if (is.mine && !was.mine) {
    play("turn");
    say(turnText());
    notify();
  }
  if (is.chat > was.chat) tellChat(now, was.chat);
  if (is.end && !was.end) {
    play(now.end.finisher === now.seat ? "win" : "tile");
    if (!/finish|claim/.test(now.game?.last?.kind)) note(finishText(now.end), "end");
    say(finishText(now.end));
    local.focus = "result-title";
  }
  if (is.failed && !was.failed) say(t("trust.failed-title", { name: nameOf(now.trust.seat ?? 0) }));
}

function tellMove(last, game) {
  const text = moveText(last);
  note(text, last.kind);
  if (last.seat !== table().seat) say(text);
  for (const { seat, points, rule } of last.charges ?? []) {
    const told = t("log.charge", { name: nameOf(seat), points: signed(points), why: chargeName(rule) });
    note(told, points > 0 ? "charge" : "bonus");
    say(told);
  }
  play("tile");
}

function tellChat(now, seen) {
  for (const line of now.chat) {
    if (line.n <= seen || line.seat === now.seat || now.muted.includes(line.seat)) continue;
    play("chat");
    say(`${nameOf(line.seat)}: ${clean(chatText(line), 200)}`);
    const isSeen = local.drawer === "chat" && (local.drawerOpen || !matchMedia("(max-width: 1099px)").matches);
    if (!isSeen) local.unread += 1;
  }
}

function note(text, kind) {
  const n = (local.log.at(-1)?.n ?? 0) + 1;
  local.log = [...local.log.slice(-150), { n, text, kind }];
  keep(STORED, [words(table()), local.log]);
}

function say(text) {
  live.append(Object.assign(document.createElement("p"), { textContent: text }));
  while (live.childElementCount > 6) live.firstElementChild.remove();
}

function notify() {
  if (document.hidden && globalThis.Notification?.permission === "granted") {
    new Notification(t("title.your-turn"), { tag: "p2pokey-turn", icon: "/icon.svg" });
  }
}
