// The end of a hand: racks, how scores came about, what comes next.

import {
  act, ask, button, change, h, has, icon, isAlone, list, local, number, shield, signed, sorted, t, table, tCode, tell, tileView,
} from "./core.js";
import { avatar, finishText, hasTeams, nameLine, nameOf, seatsFrom, teamName } from "./seats.js";
import { banner } from "./status.js";

export function resultView() {
  const { end, match } = table();
  if (!end || local.resultHidden === match.hand) return null;
  return h("section.result", { "aria-labelledby": "result-title" },
    h("header",
      h("h2", { id: "result-title", tabindex: -1 }, finishText(end)),
      h("p", reasonText(end.reason), provenNote())),
    match.over && winners(match.winners ?? []),
    h("ol.racks", ranking(end).map((seat) => seatResult(end, seat))),
    h("p.note", t("result.rules")),
    h("footer",
      h("p.note", { role: "status" }, readyText(end, match)),
      h("div.row-buttons",
        button("result.see-table", "eye", () => change({ resultHidden: match.hand })),
        button("do.leave-table", "leave", isAlone() && !match.over ? () => ask(t("ask.leave-solo"), "do.leave-table", leave, true) : leave),
        !end.ready?.[table().seat] && button(match.over ? "do.rematch" : "do.next-hand", null, goOn, { class: "primary" }))));
}

// `finish-pairs-rack-okey` and the like in words.
export function reasonText(reason) {
  const [, base, ...more] = /^(.*?)(?:-(rack))?(?:-(okey))?$/.exec(reason);
  return [base, ...more].filter((part) => has(`reason.${part}`)).map((part) => t(`reason.${part}`)).join(", ");
}

export function resultTab() {
  const { end, match } = table();
  if (!end || local.resultHidden !== match.hand) return null;
  return h("div.acts", button("result.show", null, () => change({ resultHidden: null }), { class: "act primary" }));
}

function provenNote() {
  const { trust } = table();
  if (!trust?.replayed) return null;
  return h("span.proven", shield(trust.failed ? "failed" : "verified"),
    t("result.replayed", { n: trust.replayed, of: trust.shuffles.length }));
}

function winners(won) {
  const { people } = table();
  const members = (team) => seatsFrom(0).filter((seat) => people[seat].team === team);
  const names = hasTeams() ? won.map((team) => `${teamName(team)} (${list(members(team).map(nameOf))})`) : won.map(nameOf);
  return h("p.winners", "★ ", t(won.length > 1 ? "result.match-shared" : "result.match", { names: list(names) }));
}

const ranking = ({ finisher }) => [...new Set([finisher ?? table().seat, table().seat, ...seatsFrom(0)])];

function seatResult(end, seat) {
  return h("li.seat-result", { key: `seat${seat}`, class: seat === end.finisher && "won" },
    h("div.result-head", avatar(seat), nameLine(seat),
      end.ready?.[seat] && h("span.tag.ready", icon("check"), t("result.ready")),
      h("span.points", signed(end.points[seat])),
      h("span.total", t("result.total", { n: number(end.totals[seat]) }))),
    rackOf(end, seat),
    linesOf(end, seat));
}

export const linesOf = ({ lines }, seat) => h("ul.lines", lines[seat].map((line) =>
  h("li", h("span", lineText(line), h("i.cite", { title: t("rule.title", line) }, line.rule)), h("b", signed(line.points)))));

const lineText = (line) => (line.code === "charge" || line.code === "bonus"
  ? tCode(`charge.${line.rule}`, "charge.other") : tCode(`line.${line.code}`, "line.other", line));

export function rackOf(end, seat) {
  const laid = seat === end.finisher ? end.layout?.map((meld) => meld.tiles) ?? [] : [];
  const groups = laid.length ? laid : [sorted(end.racks[seat])].filter((rack) => rack.length);
  if (groups.length === 0) return h("p.note", t("result.empty-rack"));
  return h("div.result-rack", groups.map((tiles) => h("div.meld", tiles.map((tile) => tileView(tile)))));
}

function readyText({ ready = [] }, { over }) {
  const own = table().seat;
  const others = seatsFrom(own).slice(1).filter((seat) => !ready[seat]);
  if (!ready[own]) return t(over ? "result.ask-rematch" : "result.ask-next");
  return others.length ? t("result.waiting-for", { names: list(others.map(nameOf)) }) : t("result.all-ready");
}

async function leave() {
  if (!(await act("ready", { play: false }))) tell("leave");
}

async function goOn() {
  const { over } = table().match;
  const refused = await (over ? tell : act)("ready", { play: true });
  if (refused && over) act("rematch");
}

export function asksView() {
  const open = (table().asks ?? []).filter((ask) => ask.mine == null);
  if (open.length === 0) return null;
  const answer = ({ by, seq }, yes) => act("answer", { by, seq, yes });
  return h("div.asks", { role: "status" }, open.map((ask) => banner("info", askText(ask),
    button("yes", null, () => answer(ask, true)), button("no", null, () => answer(ask, false)))));
}

function askText({ by, what, order }) {
  const names = (order ?? []).map((seat) => (seat === null || seat === 255 ? t("seat.somebody-new") : nameOf(seat)));
  return t(what === "seating" ? "asks.seating" : "asks.rematch", { name: nameOf(by), order: names.join(" → ") });
}
