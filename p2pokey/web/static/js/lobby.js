// The lobby: where everything begins.

import { archiveView, statsView } from "./archive.js";
import {
  act, ask, brand, button, change, clean, cleanName, count, form, h, icon, iconButton, list, local, nothing, onSubmit,
  picture, shield, state, t, textField, title,
} from "./core.js";
import { hostForm, soloForm } from "./host.js";
import { settingsView } from "./panels.js";
import { bannersView, noticeView } from "./status.js";

const TABS = { play: "play", archive: "folder", stats: "chart", settings: "gear" };
const CHOICES = { host: hostForm, solo: soloForm, share: shareForm, public: publicPage };
const PAGES = { play: playPage, archive: archiveView, stats: statsView, settings: settingsPage, ...CHOICES };

function goTo(page) {
  if (page in CHOICES) takeName();
  change({ page, focus: "page-title" });
  if (page === "archive" || page === "stats") act("past");
  if (page === "public") act("public");
}

export function screen() {
  const { page } = local;
  const tab = page in TABS ? page : "play";
  return h("div.lobby",
    h("header.bar",
      brand(),
      h("nav", Object.entries(TABS).map(([name, symbol]) =>
        h("button", { key: name, "aria-current": tab === name ? "page" : null, click: () => goTo(name) }, icon(symbol), h("span", t(`lobby.${name}`)))))),
    h("div.top-notes", bannersView(), noticeView()),
    h("main.page", page !== "play" && pageTitle(page), PAGES[page]()));
}

const pageTitle = (page) => h("div.page-title", page in CHOICES
  ? [iconButton("back", "back", () => goTo("play")), title(t(`choice.${page}`))] : title(t(`lobby.${page}`)));

function playPage() {
  return [
    h("section.hero",
      h("div.fan", ["r8a", "b8a", "k8a", "y8a", "**a"].map((tile) => picture(tile, { okey: "b8" }))),
      title(t("lobby.hello")),
      h("p", t("lobby.promise")),
      nameField()),
    resumable(),
    h("div.choices",
      choice("robot", "solo", "primary"), choice("people", "host"), joinCard(), choice("globe", "public"), choice("device", "share")),
    h("p.facts", shield("verified"), t("lobby.facts")),
    h("p.version", `p2pokey ${state.world.version}`)];
}

const choice = (symbol, name, kind) => h("button.choice", { key: name, class: kind, "data-choice": name, click: () => goTo(name) },
  icon(symbol), h("b", t(`choice.${name}`)), h("small", t(`choice.${name}.help`)));

function settingsPage() {
  return [nameField(), settingsView()].map((part) => h("div.card", part));
}

// Until the player has chosen a name: the word of the page's language.
const shownName = ({ name, named }) => (named === false ? t("stats.name") : name);

// Who goes on under the name that is proposed has chosen it.
function takeName() {
  const { me } = state.view;
  const name = shownName(me);
  const isTyped = local.forms.name?.name != null; // and sent already
  if (name !== me.name && !isTyped) act("name", { name });
}

function nameField() {
  const values = form("name", { name: null });
  const { me } = state.view;
  const save = async () => {
    const name = (values.name ?? "").trim();
    if (name && name !== me.name && (await act("name", { name }))) return;
    values.name = null;
  };
  return h("form.name-form", { submit: onSubmit((event) => event.target.querySelector("input").blur()) },
    h("label", { for: "my-name" }, t("lobby.name")),
    h("input", {
      id: "my-name", autocomplete: "nickname", maxlength: 32, value: values.name ?? shownName(me), blur: save,
      input: (event) => (values.name = event.target.value),
    }));
}

function joinCard() {
  const values = form("join", { invite: "", password: "" });
  return h("form.choice.join", { submit: onSubmit(() => join(values)) },
    icon("key"), h("b", t("choice.join")),
    h("small", { id: "join-help" }, t("choice.join.help")),
    h("span.join-row",
      h("input", {
        label: t("join.invite"), "aria-describedby": "join-help", placeholder: t("join.invite"), maxlength: 400,
        autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: values.invite,
        input: (event) => (values.invite = event.target.value),
      }),
      h("button.primary", { type: "submit" }, t("do.join"))),
    h("details", h("summary", t("refused.PasswordNeeded")), textField(values, "password", "host.password", { maxlength: 64 })));
}

function join({ invite, password }) {
  takeName();
  act("join", { invite: invite.trim(), ...(password ? { password } : null) });
}

function resumable() {
  const open = state.view.lobby?.resumable ?? [];
  return open.length > 0 && h("section.resume", open.map(({ id, rules, names, hands }) =>
    h("div.card.row-card", { key: id },
      h("div", h("b", t("resume.title")),
        h("p", t(`game.${rules}`), " · ", h("bdi", list(names.map(cleanName))), " · ", count("count.hands-played", hands))),
      h("div.row-buttons",
        button("do.forget", null, () => ask(t("ask.forget"), "do.forget", () => act("forget", { id }), true)),
        button("do.resume", null, () => act("resume", { id }), { class: "primary" })))));
}

function shareForm() {
  const values = form("share", { other: t("seat.number", { n: 2 }) });
  return h("form.setup", { submit: onSubmit(() => act("share", { other: values.other.trim() })) },
    h("p.note", t("share.how")),
    textField(values, "other", "share.other", { maxlength: 32 }),
    h("div.submit", h("button.primary.big", { type: "submit" }, icon("play"), t("solo.start"))));
}

function publicPage() {
  const { public: rooms, server } = state.view.lobby ?? {};
  return [
    h("div.row-buttons", button("public.again", null, () => act("public"))),
    !rooms ? nothing("public.asking", { server })
      : rooms.length === 0 ? nothing("public.none")
      : h("ul.cards", rooms.map(roomCard))];
}

const roomCard = ({ room, title: name, rules, free, age_s }) => h("li.card.row-card", { key: room },
  h("div", h("b", h("bdi", clean(name, 80))),
    h("p", t(`game.${rules}`), " · ", count("count.free", free), " · ", t("public.age", { n: Math.max(1, Math.round(age_s / 60)) }))),
  button("do.join", null, () => act("join", { invite: room }), { class: "primary" }));
