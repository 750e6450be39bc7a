// Plates of the other players, and the little that a seat has in common everywhere.

import { h } from "./dom.js";
import { timeLeft } from "./clock.js";
import { clean, count, duration, has, number, signed, t, tCode } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { change, person, table } from "./store.js";

const POSITIONS = { 2: ["top"], 3: ["right", "left"], 4: ["right", "top", "left"] };

/** Where a seat sits as this player sees the table: play goes round to the right. */
export function positionOf(seat, own, seats) {
  const away = (seat - own + seats) % seats;
  return away === 0 ? "me" : POSITIONS[seats][away - 1];
}

export function nameOf(seat) {
  return clean(person(seat).name, 40);
}

export function avatar(seat) {
  const time = timeLeft(seat);
  const letter = [...nameOf(seat)][0] ?? "?";
  const classes = ["avatar", time && "ring", time && time.left <= 5 && "short"].filter(Boolean);
  return h("span", {
    class: classes.join(" "), "data-seat": seat, "aria-hidden": "true", vars: time ? { "--p": time.part } : {},
  }, letter);
}

export function seatsView() {
  const { seat, seats } = table();
  const others = Array.from({ length: seats - 1 }, (_, n) => (seat + 1 + n) % seats);
  return others.map((other) => plate(other, positionOf(other, seat, seats)));
}

function plate(seat, position) {
  const { game, trust } = table();
  const turn = game && game.turn === seat && game.phase !== "over";
  const classes = ["seat", position, turn && "turn", person(seat).link !== "here" && "away"];
  const time = timeLeft(seat);
  return h("button", {
    key: `seat${seat}`, class: classes.filter(Boolean).join(" "), "data-seat": seat,
    "aria-haspopup": "dialog", click: () => change({ panel: { kind: "seat", seat } }),
  },
    avatar(seat),
    h("span.who", nameLine(seat), h("small.doing", person(seat).bot ? h("i.tag.short", t("seat.bot")) : null, doing(seat))),
    h("span.held", { title: t("seat.tiles") },
      h("span.mini", { "aria-hidden": "true" }),
      game ? h("span", game.counts[seat], h("span.sr", ` ${t("seat.tiles")}`)) : "–",
      trust?.shuffles?.[seat] ? shieldTick() : null),
    h("span.score", number(table().match?.totals?.[seat] ?? 0),
      h("span.sr", ` ${t("seat.points")}`)),
    chargedTag(seat),
    turn && time ? h("span.sr", duration(time.left)) : null);
}

function shieldTick() {
  return h("span.tick", { title: t("seat.shuffle-ok") }, shield("verified"),
    h("span.sr", t("seat.shuffle-ok")));
}

export function nameLine(seat) {
  const who = person(seat);
  return h("b", { class: "name" },
    who.team !== null && who.team !== undefined ? h("i", { class: `team team-${who.team}`, title: teamName(who.team) }) : null,
    h("bdi", nameOf(seat)),
    who.bot ? h("i.tag", t("seat.bot")) : null,
    table().game?.going_pairs?.[seat] ? h("i.tag.pairs", t("seat.going-pairs")) : null);
}

export const teamName = (team) => t("team.name", { letter: "AB"[team] });

export function chargedTag(seat) {
  const points = table().game?.charged?.[seat];
  if (!points) return null;
  return h("span", { class: points > 0 ? "charged" : "charged good", key: "charged", title: t("seat.charged") }, signed(points));
}

/** What a seat is at, or why it is not. */
function doing(seat) {
  const who = person(seat);
  const { game } = table();
  if (who.link === "left") return t("link.left");
  if (who.absent) return t("link.absent");
  if (who.link === "away") return t("link.away");
  if (who.link === "unstable") return t("link.unstable");
  const opened = game?.opened?.[seat];
  if (opened === "melds" && game.duel) return t("seat.opened");
  if (opened === "melds") return t("seat.opened-with", { n: number(game.values[seat]) });
  if (opened === "pairs") return count("count.pairs", game.values[seat]);
  if (game && (game.floors || game.duel)) return t("seat.closed");
  return t("link.here");
}

/** The dialog of one seat: connection, what happens if it stays away, shuffle, charges, mute. */
export function seatPanel(seat, { act, close }) {
  const who = person(seat);
  const muted = table().muted?.includes(seat);
  const charges = table().game?.charges?.filter((charge) => charge.seat === seat) ?? [];
  return h("div", { class: "stack-col" },
    h("p", h("i", { class: `dot ${who.link}` }), " ", linkSentence(seat)),
    who.runner ? h("p", t("seat.run-by", { name: clean(who.runner, 40) })) : null,
    h("p.with-icon", shield(table().trust?.shuffles?.[seat] ? "verified" : "checking"),
      table().trust?.shuffles?.[seat] ? t("seat.shuffle-ok") : t("seat.shuffle-not-yet")),
    charges.length
      ? h("div", h("h3", t("charges.title")),
        h("ul.charges", charges.map((charge) => h("li", null,
          h("span", chargeName(charge.rule)), h("b", signed(charge.points))))))
      : null,
    who.bot ? null : h("button", { click: () => { act({ do: "mute", seat, on: !muted }); close(); } },
      icon(muted ? "sound" : "mute"), t(muted ? "seat.unmute" : "seat.mute")));
}

export function chargeName(rule) {
  return t("charge.cited", { what: tCode(`charge.${rule}`, "charge.other"), rule });
}

function linkSentence(seat) {
  const who = person(seat);
  const name = nameOf(seat);
  if (who.bot) return t("link.bot-long", { name });
  if (who.absent || who.link === "away") {
    const recovery = table().options?.recovery;
    return t(recovery ? "link.away-long" : "link.away-waits", { name });
  }
  return t(`link.${who.link}-long`, { name });
}

/** A line of talk: a phrase in the language of the reader, or what was written. */
export function chatText(line) {
  if (line.phrase !== null && line.phrase !== undefined) {
    const key = `phrase.${line.phrase}`;
    return has(key) ? t(key) : clean(line.phrase);
  }
  return clean(line.text, 500);
}
