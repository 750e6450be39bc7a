// Plates of the other players, and what seats have in common.

import {
  act, ask, button, change, clean, cleanName, count, duration, h, number, person, redraw, shield, signed, state, t,
  table, tCode,
} from "./core.js";

const POSITIONS = { 2: ["top"], 3: ["right", "left"], 4: ["right", "top", "left"] };

export function positionOf(other) {
  const { seat, seats } = table();
  const away = (other - seat + seats) % seats;
  return away === 0 ? "me" : POSITIONS[seats][away - 1];
}

export const nameOf = (seat) => (seat == null ? t("somebody") : cleanName(person(seat).name));

export const seatsFrom = (first) => Array.from({ length: table().seats }, (_, n) => (first + n) % table().seats);

export const hasTeams = () => table().people.some((who) => who.team != null);

let seenAt = 0;
let ticking = 0;

export function noteView() {
  seenAt = performance.now();
  const { clock, waiting, paused, people } = table() ?? {};
  clearInterval(ticking);
  if (clock?.running || waiting || paused || people?.some((who) => who.then)) ticking = setInterval(redraw, 500);
}

export const sinceView = () => (performance.now() - seenAt) / 1000;

// Seconds left and part of the whole; null without a clock for this seat.
export function timeLeft(seat) {
  const clock = state.view?.table?.clock;
  if (!clock?.limit || clock.seat !== seat) return null;
  const left = Math.max(0, clock.left - (clock.running ? sinceView() : 0));
  return { left, part: Math.round((100 * left) / clock.limit) };
}

export function avatar(seat) {
  const time = timeLeft(seat);
  return h("span.avatar", {
    class: [time && "ring", time?.left <= 5 && "short"], "data-seat": seat, "aria-hidden": true, vars: time ? { "--p": time.part } : {},
  }, [...nameOf(seat)][0] ?? "?");
}

export const seatsView = () => seatsFrom(table().seat).slice(1).map(plate);

function plate(seat) {
  const { game, trust } = table();
  const who = person(seat);
  const turn = game?.turn === seat && game.phase !== "over";
  const time = turn && timeLeft(seat);
  return h("button.seat", {
    key: `seat${seat}`, class: [positionOf(seat), turn && "turn", who.link !== "here" && "away"], "data-seat": seat,
    "aria-haspopup": "dialog", click: () => change({ panel: { kind: "seat", seat } }),
  },
    avatar(seat),
    h("span.who", nameLine(seat), h("small.doing", who.bot && h("i.tag.short", t("seat.bot")), doing(seat))),
    h("span.held", { title: t("seat.tiles") },
      h("span.mini", { "aria-hidden": true }),
      game ? h("span", game.counts[seat], h("span.sr", ` ${t("seat.tiles")}`)) : "–",
      trust?.shuffles?.[seat] && h("span.tick", { title: t("seat.shuffle-ok") }, shield("verified"), h("span.sr", t("seat.shuffle-ok")))),
    scoreTag(seat),
    chargedTag(seat),
    time && h("span.sr", duration(time.left)));
}

export const scoreTag = (seat) => h("span.score", number(table().match?.totals?.[seat] ?? 0), h("span.sr", ` ${t("seat.points")}`));

export function nameLine(seat) {
  const { bot, team } = person(seat);
  return h("b.name",
    team != null && h("i.team", { class: `team-${team}`, title: teamName(team) }),
    h("bdi", nameOf(seat)),
    bot && h("i.tag", t("seat.bot")),
    table().game?.going_pairs?.[seat] && h("i.tag.pairs", t("seat.going-pairs")));
}

export const teamName = (team) => t("team.name", { letter: "AB"[team] });

export function chargedTag(seat) {
  const points = table().game?.charged?.[seat];
  return points ? h("span.charged", { class: points < 0 && "good", title: t("charges.title") }, signed(points)) : null;
}

export function doing(seat) {
  const who = person(seat);
  const { game } = table();
  const opened = game?.opened?.[seat];
  if (who.link === "left") return t("link.left");
  if (who.absent) return t("link.absent");
  if (who.link !== "here") return t(`link.${who.link}`);
  if (opened === "pairs") return count("count.pairs", game.values[seat]);
  if (opened === "melds") return game.duel ? t("seat.opened") : t("seat.opened-with", { n: number(game.values[seat]) });
  return t(game?.floors || game?.duel ? "seat.closed" : "link.here");
}

export function seatPanel({ seat }, then) {
  const now = table();
  const who = person(seat);
  const muted = now.muted?.includes(seat);
  const shuffled = now.trust?.shuffles?.[seat];
  return h("div.stack-col",
    h("p", h("i.dot", { class: who.link }), " ", linkSentence(seat)),
    who.met && who.met !== "known" && h("p.note", t(`met.${who.met}`, { name: nameOf(seat), known: cleanName(who.known) })),
    who.met === "changed" && button("seat.accept-key", "check", then(() => act("accept-key", { seat }))),
    who.runner && h("p", t("seat.run-by", { name: cleanName(who.runner) })),
    h("p.with-icon", shield(shuffled ? "verified" : "checking"), t(shuffled ? "seat.shuffle-ok" : "seat.shuffle-not-yet")),
    !who.bot && !now.solo && button(muted ? "seat.unmute" : "seat.mute", "chat", then(() => act("mute", { seat, on: !muted }))),
    now.end && !who.bot && who.link !== "here" && button("seat.put-bot", "robot", then(() => putBot(seat))));
}

const putBot = (seat) => ask(t("ask.put-bot", { name: nameOf(seat) }), "seat.put-bot", () => act("kick", { seat, bots: true }));

export const chargeList = (charges, withName) => h("ul.charges", charges.map(({ seat, rule, points }) =>
  h("li", h("span", withName && [h("bdi", nameOf(seat)), ": "], chargeName(rule)), h("b", signed(points)))));

export const chargeName = (rule) => t("rule.cited", { text: tCode(`charge.${rule}`, "charge.other"), rule });

export function linkSentence(seat) {
  const who = person(seat);
  const name = nameOf(seat);
  const said = t(`link.${who.bot && who.link === "here" ? "bot" : who.link}-long`, { name });
  const { what, in_s: left } = who.then ?? {};
  return left == null ? said : `${said} ${t(`then.${what}${left ? "-soon" : ""}`, { name, time: duration(left - sinceView()) })}`;
}

export const chatText = ({ phrase, text }) => (phrase ? tCode(`phrase.${phrase}`, phrase) : clean(text, 500));

export function finishText({ finisher }) {
  if (finisher == null) return t("result.nobody");
  return finisher === table()?.seat ? t("result.you") : t("result.other", { name: nameOf(finisher) });
}
