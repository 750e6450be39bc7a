// Setting up a table: one plain sentence for each choice.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { form, selectField, switchField, textField } from "./forms.js";
import { count, has, t } from "./i18n.js";
import { icon } from "./icons.js";
import { redraw, state } from "./store.js";

const TIMERS = [0, 15, 30, 45, 60, 90];
const FIRST = ["partners", "penalties", "melds_rise"];

const gameOf = (key) => state.world.games.find((game) => game.key === key) ?? state.world.games[0];

/** Pictures of the games to choose from. */
function gamePicker(values, games) {
  return h("fieldset.games", { key: "games" }, h("legend", t("host.game")),
    games.map((game) => h("label.game", { key: game.key },
      h("input", { type: "radio", name: "game", value: game.key, checked: values.rules === game.key, change: () => choose(values, game.key) }),
      h("span", h("b", t(`game.${game.key}`)), h("small", t(`game.${game.key}.help`)), h("i", count("count.players", game.players))))));
}

function choose(values, key) {
  values.rules = key;
  values.options = {};
  state.local.forms = { ...state.local.forms };
  redraw();
}

function optionFields(values, only) {
  const game = gameOf(values.rules);
  const chosen = (values.options ??= {});
  return game.options.filter((option) => option.name !== "hands" && FIRST.includes(option.name) === only).map((option) => {
    if (!(option.name in chosen)) chosen[option.name] = option.usual;
    const label = t(`option.${option.name}`);
    const help = t(`option.${option.name}.help`);
    if (typeof option.usual === "boolean") return switchField(chosen, option.name, label, help);
    return selectField(chosen, option.name, label, option.values.map((value) => [value, valueText(option.name, value)]), help);
  });
}

const valueText = (name, value) => (has(`option.${name}.${value}`) ? t(`option.${name}.${value}`) : String(value));

function handsField(values) {
  const option = gameOf(values.rules).options.find((found) => found.name === "hands");
  if (!option) return h("p.note", { key: "hands" }, t("host.hands-until"));
  values.hands = option.values.includes(values.hands) ? values.hands : option.usual;
  return selectField(values, "hands", t("host.hands"), option.values.map((n) => [n, count("count.hands", n)]), t("host.hands.help"));
}

export function soloForm() {
  const values = form("solo", { rules: "101-rising", options: {}, level: "normal" });
  return h("form.setup", { submit: (event) => { event.preventDefault(); act({ do: "solo", rules: values.rules, options: optionsOf(values), level: values.level }); } },
    gamePicker(values, state.world.games),
    h("div.two", handsField(values),
      selectField(values, "level", t("solo.level"), ["easy", "normal", "hard"].map((level) => [level, t(`solo.level.${level}`)]), t("solo.level.help"))),
    optionFields(values, true),
    more(optionFields(values, false)),
    h("div.submit", h("button.primary.big", { type: "submit" }, icon("play"), t("solo.start"))));
}

const optionsOf = (values) => {
  const allowed = gameOf(values.rules).options.map((option) => option.name);
  const chosen = { ...values.options, ...(allowed.includes("hands") ? { hands: values.hands } : {}) };
  return Object.fromEntries(Object.entries(chosen).filter(([name]) => allowed.includes(name)));
};

function more(fields) {
  if (fields.length === 0) return null;
  return h("details.more", { key: "more" }, h("summary", t("host.more")), fields);
}

export function hostForm() {
  const values = form("host", { rules: "101-rising", options: {}, timer_s: 30, assisted: false, recovery: true, unlinkable: false, listed: false, password: "", bots: 0 });
  const players = gameOf(values.rules).players;
  values.bots = Math.min(values.bots, players - 2);
  return h("form.setup", { submit: (event) => { event.preventDefault(); host(values); } },
    gamePicker(values, state.world.games),
    h("div.two", handsField(values),
      selectField(values, "timer_s", t("host.timer"), TIMERS.map((s) => [s, s ? count("count.seconds", s) : t("host.timer.none")]), t("host.timer.help"))),
    optionFields(values, true),
    switchField(values, "assisted", t("host.assisted"), t("host.assisted.help")),
    players > 2 ? switchField(values, "recovery", t("host.recovery"), t("host.recovery.help")) : null,
    players > 2 ? selectField(values, "bots", t("host.bots"), botChoices(players), t("host.bots.help")) : null,
    h("details.more", { key: "more" }, h("summary", t("host.more")),
      switchField(values, "listed", t("host.listed"), t("host.listed.help")),
      textField(values, "password", t("host.password"), { help: t("host.password.help"), maxlength: 64 }),
      switchField(values, "unlinkable", t("host.unlinkable"), t("host.unlinkable.help")),
      optionFields(values, false),
      textField(values, "server", t("host.server"), { help: t("host.server.help", { server: state.view.lobby?.server ?? "" }), maxlength: 200 })),
    h("div.submit", h("button.primary.big", { type: "submit" }, icon("people"), t("host.start"))));
}

const botChoices = (players) =>
  Array.from({ length: players - 1 }, (_, n) => [n, n ? count("count.bots", n) : t("host.bots.none")]);

function host(values) {
  const { rules, hands, timer_s, assisted, recovery, unlinkable, listed, bots } = values;
  const intent = { do: "host", rules, options: optionsOf(values), timer_s, assisted, unlinkable, listed, bots };
  intent.recovery = gameOf(rules).players > 2 && recovery;
  if (hands !== undefined) intent.hands = hands;
  if (values.password) intent.password = values.password;
  if (values.server) intent.server = values.server;
  act(intent);
}
