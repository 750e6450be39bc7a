// The end of a hand: all racks, how each score came about line by line, and what comes next.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { has, list, number, signed, t, tCode } from "./i18n.js";
import { icon, shield } from "./icons.js";
import { avatar, nameLine, nameOf, teamName } from "./seats.js";
import { change, state, table } from "./store.js";
import { describe } from "./tile.js";

export function resultView() {
  const { end, match } = table();
  if (!end || state.local.resultHidden === match.hand) return null;
  return h("section.result", { key: "result", "aria-labelledby": "result-title" },
    h("header", null,
      h("h2", { id: "result-title", tabindex: -1 }, title(end)),
      h("p", has(`reason.${end.reason}`) ? t(`reason.${end.reason}`) : "", " ", provenNote())),
    match.over ? winners(match) : null,
    h("ol.racks", ranking(end).map((seat) => seatResult(end, seat))),
    h("footer", null,
      h("p.note", { role: "status" }, readyText(end, match)),
      h("div", { class: "row-buttons" },
        h("button", { click: () => change({ resultHidden: match.hand }) }, icon("eye"), t("result.see-table")),
        h("button", { click: () => act({ do: "ready", play: false }) }, icon("leave"), t("do.leave-table")),
        nextButton(end, match))));
}

/** While the result is folded away: the way back to it. */
export function resultTab() {
  const { end, match } = table();
  if (!end || state.local.resultHidden !== match.hand) return null;
  return h("button.result-tab.primary", { key: "result-tab", click: () => change({ resultHidden: null }) }, t("result.show"));
}

function title(end) {
  if (end.finisher === null || end.finisher === undefined) return t("result.nobody");
  if (end.finisher === table().seat) return t("result.you");
  return t("result.other", { name: nameOf(end.finisher) });
}

function provenNote() {
  const trust = table().trust;
  if (!trust?.replayed) return null;
  return h("span.proven", shield(trust.failed ? "failed" : "verified"),
    t("result.replayed", { n: trust.replayed, of: trust.shuffles.length }));
}

function winners(match) {
  const won = match.winners ?? [];
  const teams = table().people.some((who) => who.team !== null && who.team !== undefined);
  const names = teams && won.every((team) => team < 2)
    ? won.map((team) => `${teamName(team)} (${list(table().people.map((_, seat) => seat).filter((seat) => table().people[seat].team === team).map(nameOf))})`)
    : won.map(nameOf);
  return h("p.winners", icon("star"), t(won.length > 1 ? "result.match-shared" : "result.match", { names: list(names) }));
}

function ranking(end) {
  const seats = end.points.map((_, seat) => seat);
  const own = table().seat;
  return seats.sort((a, b) => (b === end.finisher) - (a === end.finisher) || (b === own) - (a === own) || a - b);
}

function seatResult(end, seat) {
  const points = end.points[seat];
  return h("li", { key: `seat${seat}`, class: seat === end.finisher ? "seat-result won" : "seat-result" },
    h("div.result-head", avatar(seat), nameLine(seat),
      end.ready?.[seat] ? h("span.tag.ready", icon("check"), t("result.ready")) : null,
      h("span.points", signed(points)),
      h("span.total", t("result.total", { n: number(end.totals[seat]) }))),
    rackOf(end, seat),
    h("ul.lines", end.lines[seat].map((line) => h("li", null,
      h("span", lineText(line), h("i.cite", line.rule)), h("b", signed(line.points))))));
}

function lineText(line) {
  if (line.code === "charge" || line.code === "bonus") return tCode(`charge.${line.rule}`, "charge.other");
  return tCode(`line.${line.code}`, "line.other", line);
}

function rackOf(end, seat) {
  const okey = table().game?.okey ?? null;
  const laid = seat === end.finisher && end.layout?.length ? end.layout.map((meld) => meld.tiles) : null;
  const groups = laid ?? (end.racks[seat].length ? [end.racks[seat]] : []);
  if (groups.length === 0) return h("p.empty-rack", t("result.empty-rack"));
  return h("div.result-rack", groups.map((tiles) => h("div", { class: "meld" },
    sorted(tiles, laid).map((tile) => h("okey-tile", { t: tile, okey, class: "small", role: "img", "aria-label": describe(tile, okey) })))));
}

const sorted = (tiles, laid) => (laid ? tiles : tiles.slice().sort((a, b) => rank(a) - rank(b)));
const rank = (tile) => (tile ? "rbky*".indexOf(tile[0]) * 100 + (parseInt(tile.slice(1), 10) || 0) : 999);

function readyText(end, match) {
  const waiting = (end.ready ?? []).map((ready, seat) => (ready ? null : seat)).filter((seat) => seat !== null);
  const others = waiting.filter((seat) => seat !== table().seat);
  if (end.ready?.[table().seat]) {
    return others.length ? t("result.waiting-for", { names: list(others.map(nameOf)) }) : t("result.all-ready");
  }
  return t(match.over ? "result.ask-rematch" : "result.ask-next");
}

function nextButton(end, match) {
  if (end.ready?.[table().seat]) return null;
  return h("button.primary", { key: "next", click: goOn },
    t(match.over ? "do.rematch" : "do.next-hand"));
}

/** The next hand; after the last one a new match, which the others may have to agree to. */
async function goOn() {
  const refused = await act({ do: "ready", play: true }, { quiet: table().match.over });
  if (refused && table().match.over) act({ do: "rematch" });
}

/** Questions that the others at the table ask. */
export function asksView() {
  const open = (table().asks ?? []).filter((ask) => ask.mine === null || ask.mine === undefined);
  if (open.length === 0) return null;
  return h("div.asks", { key: "asks", role: "status" }, open.map((ask) =>
    h("div.banner.info", { key: `${ask.by}-${ask.seq}` },
      h("span", askText(ask)),
      h("button", { click: () => answer(ask, true) }, t("yes")),
      h("button", { click: () => answer(ask, false) }, t("no")))));
}

const answer = (ask, yes) => act({ do: "answer", by: ask.by, seq: ask.seq, yes });

function askText(ask) {
  const name = nameOf(ask.by);
  if (ask.what !== "seating") return t("asks.rematch", { name });
  return t("asks.seating", { name, order: (ask.order ?? []).map(nameOf).join(" → ") });
}
