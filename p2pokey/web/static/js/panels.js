// Dialogs; the browser's own element sees to the focus.

import {
  act, ask, button, change, count, describe, dropToast, game, h, has, iconButton, isAlone, isDuel, language, local, number, picture, settings,
  signed, state, switchField, t, table, takeControl, tell, tileView,
} from "./core.js";
import { replaceMelds } from "./hand.js";
import { meldLabel } from "./melds.js";
import { doing, nameOf, seatPanel, seatsFrom } from "./seats.js";
import { giveUp, turnText } from "./status.js";

const close = () => change({ panel: null });

const then = (doIt) => () => {
  close();
  doIt();
};

const BODIES = {
  menu: () => h("div.menu-list", menuItems()),
  settings: () => settingsView(),
  help: helpView,
  words: () => h("div.words-view", tableInWords()),
  hint: hintView,
  seat: (panel) => seatPanel(panel, then),
};

export function panelView() {
  const { panel, question } = local;
  if (question) return questionDialog(question);
  if (!panel || (!table() && panel.kind !== "settings")) return null;
  const title = panel.kind === "seat" ? h("bdi", nameOf(panel.seat)) : t(`menu.${panel.kind}`);
  return dialog(`panel-${panel.kind}`, close, { click: (event) => event.target.tagName === "DIALOG" && close() },
    h("header", h("h2", { id: `panel-${panel.kind}-title` }, title), iconButton("close", "close", close)),
    BODIES[panel.kind](panel));
}

const dialog = (key, onCancel, props, ...body) => h("dialog", {
  key, "aria-labelledby": `${key}-title`, made: openModal, ...props,
  cancel: (event) => {
    event.preventDefault();
    onCancel();
  },
}, h("div.dialog-body", body));

// A dialog can be opened only once it is part of the page.
const openModal = (node) => queueMicrotask(() => node.isConnected && !node.open && node.showModal());

function questionDialog({ text, yes, doIt, danger }) {
  const no = () => change({ question: null });
  const sure = () => {
    no();
    doIt();
  };
  return dialog("question", no, { class: "question", role: "alertdialog" },
    h("p", { id: "question-title" }, text),
    h("div.row-buttons", button("cancel", null, no),
      h("button", { class: danger ? "danger" : "primary", "data-answer": "yes", click: sure }, yes)));
}

export const toastsView = () => h("div.toasts", { role: "status" }, local.toasts.map(({ id, text, kind, card }) =>
  h("div.toast", { key: `toast${id}`, class: [kind, card && "rule-card"] },
    card && h("b", t("rule.title", card), iconButton("close", "close", () => dropToast(id))),
    h("p", text))));

function menuItems() {
  const now = table();
  const item = (key, symbol, doIt) => button(key, symbol, then(doIt));
  const open = (kind, symbol) => item(`menu.${kind}`, symbol, () => change({ panel: { kind } }));
  const leave = () => ask(isAlone() ? t("ask.leave-solo") : `${t("ask.leave")} ${now.end ? "" : t("ask.come-back")}`, "do.leave-table", () => act("leave"), true);
  return [
    open("settings", "gear"), open("help", "help"), now.game && open("words", "eye"),
    !state.control && item("tab.take", "play", takeControl),
    now.seats > 2 && now.end && !now.solo && item("menu.seating", "people", rotateSeats),
    now.trust && item("trust.save", "save", () => act("save")),
    now.paused && item("do.void", "close", giveUp),
    item("do.leave-table", "leave", leave),
  ];
}

function rotateSeats() {
  const [first, ...others] = seatsFrom(0);
  act("seating", { order: [first, ...others.slice(1), others[0]] });
}

const KEYS = {
  "←→↑↓": "keys.arrows", "␣": "keys.space", "↵": "keys.enter", S: "do.draw", T: "do.take", D: "do.discard", F: "do.finish",
  M: "do.meld", O: "keys.open", R: "do.sort-runs", P: "do.sort-pairs", U: "do.undo", H: "do.hint", C: "drawer.chat", W: "menu.words",
  "?": "menu.help",
};

// What a game has not, or by another name.
const OTHERS = { duel: { double: "", T: "", D: "", F: "", M: "do.new-set", O: "do.finish-turn" }, classic: { pick: "", M: "", O: "" } };

function helpView() {
  const { rules } = table();
  const names = { ...KEYS, H: mayAskForHint() && "do.hint", ...OTHERS[rules] };
  const { summary, how } = state.world.games.find((game) => game.key === rules);
  return h("div.help",
    h("h3", t(`game.${rules}`)),
    h("p", `${summary[language()]} ${how[language()]}`),
    h("p.note", t("rule.G-4"), " ", !isDuel() && t("rule.A-4")),
    h("h3", t("help.hands")),
    h("ul", ["drag", "tap", "double", "pick"].filter((tip) => names[tip] !== "").map((tip) => h("li", t(`help.${tip}`, { name: t(names.M) })))),
    h("h3", t("help.keys")),
    h("dl.keys", Object.entries(names).filter(([, name]) => name).map(([key, name]) => [h("dt", h("kbd", key)), h("dd", t(name))])));
}

function tableInWords() {
  const now = table();
  const seen = now.game;
  if (!seen) return h("p", turnText());
  const part = (key, lines) => lines.length > 0 && [h("h3", t(key)), h("ul", lines.map((line) => h("li", line)))];
  const top = (seat) => (seen.discards[seat]?.length ? t("words.discard", { tile: describe(seen.discards[seat].at(-1)) }) : "");
  const own = local.rows.flat().filter(Boolean).map((tile) => (tile[0] === "?" ? t("tile.hidden") : describe(tile)));
  return [
    h("p", h("b", turnText())),
    h("p", [
      seen.indicator && t("indicator.label", { tile: describe(seen.indicator, null), okey: describe(`${seen.okey}a`, null) }),
      count("words.stack", seen.stack), seen.floors && seen.opened[now.seat] === "none" && t("floor.both", seen.floors),
    ].filter(Boolean).join(". ")),
    part("words.players", seatsFrom(now.seat).map((seat) => [
      nameOf(seat), doing(seat), count("words.tiles", seen.counts[seat]), `${number(now.match.totals[seat] ?? 0)} ${t("seat.points")}`, top(seat),
    ].filter(Boolean).join(", "))),
    part("melds.label", seen.melds.map((meld) => `${meld.owner == null ? "" : `${nameOf(meld.owner)}: `}${meldLabel(meld)}`)),
    part("rack.section", own.length ? [own.join(", ")] : []),
    part("aside.title", local.melds.map((meld) => meld.map((tile) => describe(tile)).join(", "))),
  ];
}

export const mayAskForHint = () => Boolean(table().solo || table().options?.assisted);

export async function askForHint() {
  await tell("hint");
  change({ panel: { kind: "hint" } });
}

function hintView() {
  const { floors, hints } = game();
  const { advice } = table();
  const melds = hints?.opening?.melds ?? [];
  const fits = (hints?.playable ?? []).filter((one) => one.places?.length);
  const fit = (tile) => ({ meld, value, place }) =>
    t(place === undefined ? "hint.fits" : "hint.frees", { tile: describe(tile), n: meld + 1, value });
  return h("div.stack-col",
    melds.length > 0 && [
      h("p", t("hint.opening", { total: number(hints.opening.total), floor: floors.melds })),
      h("div.lane-melds", melds.map((meld) => h("div.meld.mine", meld.map((tile) => tileView(tile))))),
      button("hint.use", null, then(() => replaceMelds(melds)), { class: "primary" }),
    ],
    fits.length > 0 && h("ul.charges", fits.map(({ tile, places }) => h("li", tileView(tile), places.map(fit(tile)).join("; ")))),
    advice && [h("p", t("hint.advice", { what: adviceText(advice) })), reason(advice)],
    !melds.length && !fits.length && !advice && h("p", t("hint.none")));
}

function adviceText({ intent, why }) {
  const tile = intent.tile ?? intent.tiles?.[0] ?? why.tile;
  return [
    t(`do.${intent.do}`), tile && describe(tile), why.meld !== undefined && t("hint.meld", { n: why.meld + 1 }),
  ].filter(Boolean).join(" · ");
}

function reason({ intent, why }) {
  const kind = isDuel() ? "-duel" : why.charge ? "-charge" : why.missing ? "-missing" : "";
  const name = intent.do === "add" ? "lay" : intent.do;
  const key = [`why.${name}${kind}`, `why.${name}`].find(has);
  return key && h("p.note", t(key, { ...why, charge: signed(why.charge ?? 0) }));
}

const CHOICES = { lang: ["auto", "en", "tr"], theme: ["felt", "night", "contrast"], palette: ["classic", "cvd"] };
const SWITCHES = ["shapes", "large_tiles", "confirm_discard", "sound_turn", "sound_tile", "sound_chat", "haptics"];

const put = (name, value) => act("settings", { [name]: value });

export function settingsView() {
  const now = settings();
  const mayNotify = globalThis.Notification?.permission === "default";
  return h("div.settings",
    Object.entries(CHOICES).map(([name, values]) => h("fieldset", { key: name }, h("legend", t(`setting.${name}`)),
      h("div.segments", values.map((value) => h("label", { key: value },
        h("input", { type: "radio", name: `setting-${name}`, checked: now[name] === value, change: () => put(name, value) }),
        h("span", t(`setting.${name}.${value}`))))))),
    h("div.samples", ["r7a", "b7a", "k7a", "y7a", "**a"].map((tile) => picture(tile, { okey: "b8" }))),
    SWITCHES.map((name) => switchField(now, name, `setting.${name}`, (on) => put(name, on))),
    mayNotify && button("setting.notify", null, () => Notification.requestPermission()));
}

export function applySettings() {
  const { theme = "felt", palette = "classic", shapes, large_tiles } = settings();
  const onOff = (on) => (on ? "on" : "off");
  Object.assign(document.documentElement.dataset, { theme, palette, shapes: onOff(shapes !== false), large: onOff(large_tiles) });
}
