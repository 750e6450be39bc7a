// Setting up a table: one plain sentence for each choice.

import {
  act, count, form, h, icon, language, onSubmit, redraw, selectField, state, switchField, t, tCode, textField,
} from "./core.js";

const TIMERS = [0, 15, 30, 45, 60, 90];
const LEVELS = ["easy", "normal", "hard"];
const FIRST = ["partners", "penalties", "melds_rise"];

const gameOf = (key) => state.world.games.find((game) => game.key === key) ?? state.world.games[0];

const gamePicker = (values) => h("fieldset.games", h("legend", t("host.game")),
  state.world.games.map(({ key, players, summary }) => h("label.game", { key },
    h("input", { type: "radio", name: "game", value: key, checked: values.rules === key, change: () => choose(values, key) }),
    h("span", h("b", t(`game.${key}`)), h("small", summary[language()]), h("i", count("count.players", players))))));

function choose(values, rules) {
  Object.assign(values, { rules, options: {} });
  redraw();
}

function optionFields(values, first) {
  const chosen = values.options;
  const wanted = gameOf(values.rules).options.filter(({ name }) => name !== "hands" && FIRST.includes(name) === first);
  return wanted.map(({ name, usual, values: allowed }) => {
    chosen[name] ??= usual;
    const key = `option.${name}`;
    if (typeof usual === "boolean") return switchField(chosen, name, key);
    return selectField(chosen, name, t(key), allowed.map((value) => [value, tCode(`${key}.${value}`, String(value))]), t(`${key}.help`));
  });
}

function handsField(values) {
  const option = gameOf(values.rules).options.find(({ name }) => name === "hands");
  if (!option) return h("p.note", t("host.hands-until"));
  if (!option.values.includes(values.options.hands)) values.options.hands = option.usual;
  return selectField(values.options, "hands", t("host.hands"), option.values.map((n) => [n, count("count.hands", n)]), t("host.hands.help"));
}

const setup = (values, start, key, symbol, ...fields) => h("form.setup", { submit: onSubmit(() => start(values)) },
  gamePicker(values), fields, h("div.submit", h("button.primary.big", { type: "submit" }, icon(symbol), t(key))));

const more = (...fields) => fields.flat().length > 0 && h("details.more", h("summary", t("host.more")), fields);

export function soloForm() {
  const values = form("solo", { rules: "101-rising", options: {}, level: "normal" });
  return setup(values, solo, "solo.start", "play",
    h("div.two", handsField(values),
      selectField(values, "level", t("solo.level"), LEVELS.map((level) => [level, t(`solo.level.${level}`)]), t("solo.level.help"))),
    optionFields(values, true),
    more(optionFields(values, false)));
}

const solo = ({ rules, options, level }) => act("solo", { rules, options, level });

export function hostForm() {
  const values = form("host", {
    rules: "101-rising", options: {}, timer_s: 30, assisted: false, recovery: true, unlinkable: false, listed: false, password: "", server: "", bots: 0,
  });
  const { players } = gameOf(values.rules);
  const many = players > 2;
  const choices = (values_, text, none) => values_.map((n) => [n, n ? count(text, n) : t(none)]);
  values.bots = Math.min(values.bots, players - 2);
  return setup(values, host, "host.start", "people",
    h("div.two", handsField(values),
      selectField(values, "timer_s", t("host.timer"), choices(TIMERS, "count.seconds", "host.timer.none"), t("host.timer.help"))),
    optionFields(values, true),
    many && ["assisted", "recovery"].map((name) => switchField(values, name, `host.${name}`)),
    many && state.view.lobby?.bots !== false && selectField(values, "bots", t("host.bots"), choices([...Array(players - 1).keys()], "count.bots", "host.bots.none"), t("host.bots.help")),
    more(
      switchField(values, "listed", "host.listed"),
      textField(values, "password", "host.password", { help: t("host.password.help"), maxlength: 64 }),
      switchField(values, "unlinkable", "host.unlinkable"),
      optionFields(values, false),
      textField(values, "server", "host.server", { help: t("host.server.help", { server: state.view.lobby?.server ?? "" }), maxlength: 200 })));
}

function host({ password, server, options, ...values }) {
  const many = gameOf(values.rules).players > 2;
  const given = { ...(options.hands ? { hands: options.hands } : null), ...(password ? { password } : null), ...(server ? { server } : null) };
  act("host", { ...values, options, assisted: many && values.assisted, recovery: many && values.recovery, ...given });
}
