// The lobby: where everything begins.

import { act } from "./acting.js";
import { archiveView, statsView } from "./archive.js";
import { h } from "./dom.js";
import { form, textField } from "./forms.js";
import { hostForm, soloForm } from "./host.js";
import { clean, count, list, t } from "./i18n.js";
import { icon, logo, shield } from "./icons.js";
import { bannersView, noticeView } from "./status.js";
import { settingsView } from "./settings.js";
import { change, state } from "./store.js";

const TABS = [["play", "play"], ["archive", "folder"], ["stats", "chart"], ["settings", "gear"]];
const PAGES = { play: playPage, archive: archiveView, stats: statsView, settings: settingsPage, host: hostPage, solo: soloPage, public: publicPage };
const PARENT = { host: "play", solo: "play", public: "play" };

function goTo(page) {
  change({ page, focus: "page-title" });
  if (page === "archive" || page === "stats") act({ do: "past" });
  if (page === "public") act({ do: "public" });
}

export function screen() {
  const { page } = state.local;
  const tab = PARENT[page] ?? page;
  return h("div.lobby", { key: "lobby" },
    h("header.bar", { key: "top" },
      h("span.brand", logo(), h("span", "p2pokey")),
      h("nav", { "aria-label": t("lobby.nav") }, TABS.map(([name, symbol]) =>
        h("button", { key: name, "aria-current": tab === name ? "page" : null, click: () => goTo(name) }, icon(symbol), h("span", t(`lobby.${name}`)))))),
    h("div.top-notes", { key: "notes" }, bannersView(), noticeView()),
    h("main", { key: "main", class: `page page-${page}` }, PAGES[page]()));
}

export function pageTitle(text, back = null) {
  return h("div.page-title", { key: "title" },
    back ? h("button.plain", { "aria-label": t("back"), click: () => goTo(back) }, icon("back")) : null,
    h("h1", { id: "page-title", tabindex: -1 }, text));
}

function hostPage() {
  return [pageTitle(t("host.title"), "play"), hostForm()];
}

function soloPage() {
  return [pageTitle(t("solo.title"), "play"), soloForm()];
}

function settingsPage() {
  return [pageTitle(t("lobby.settings")), h("div.card", nameField()), h("div.card", settingsView())];
}

// --- Play ---

function playPage() {
  return [
    h("section.hero", { key: "hero" },
      h("div.fan", { "aria-hidden": "true" }, ["r8a", "b8a", "k8a", "y8a", "**a"].map((tile) => h("okey-tile", { t: tile, okey: "b8" }))),
      h("h1", { id: "page-title", tabindex: -1 }, t("lobby.hello")),
      h("p", t("lobby.promise")),
      nameField()),
    resumable(),
    h("div.choices", { key: "choices" },
      choice("robot", "solo", () => goTo("solo"), "primary"),
      choice("people", "host", () => goTo("host")),
      joinCard(),
      choice("globe", "public", () => goTo("public")),
      choice("device", "share", () => act({ do: "share" }))),
    h("p.facts", { key: "facts" }, shield("verified"), t("lobby.facts")),
    h("p.version", { key: "version" }, `p2pokey ${state.world.version}`)];
}

function choice(symbol, name, click, kind = "") {
  return h("button", { key: name, class: `choice ${kind}`, "data-choice": name, click },
    icon(symbol), h("b", t(`choice.${name}`)), h("small", t(`choice.${name}.help`)));
}

function nameField() {
  const values = form("name", { name: null });
  const shown = values.name ?? state.view.me.name;
  const save = async () => {
    const name = (values.name ?? "").trim();
    if (name && name !== state.view.me.name && (await act({ do: "name", name }))) return;
    values.name = null;
  };
  return h("form.name-form", { key: "name", submit: (event) => { event.preventDefault(); save(); event.target.querySelector("input").blur(); } },
    h("label", { for: "my-name" }, t("lobby.name")),
    h("input", { id: "my-name", autocomplete: "nickname", maxlength: 32, value: shown, input: (event) => (values.name = event.target.value), blur: save }));
}

function joinCard() {
  const values = form("join", { invite: "", password: "" });
  return h("form.choice.join", { key: "join", submit: (event) => { event.preventDefault(); join(values); } },
    icon("key"), h("b", t("choice.join")),
    h("small", { id: "join-help" }, t("choice.join.help")),
    h("span", { class: "join-row" },
      h("input", {
        "aria-label": t("join.invite"), "aria-describedby": "join-help", placeholder: t("join.placeholder"), maxlength: 400,
        autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: values.invite,
        input: (event) => (values.invite = event.target.value),
      }),
      h("button.primary", { type: "submit" }, t("do.join"))),
    h("details", h("summary", t("join.more")),
      textField(values, "password", t("join.password"), { maxlength: 64 })));
}

function join({ invite, password }) {
  const intent = { do: "join", invite: foldCode(invite) };
  if (password) intent.password = password;
  return act(intent);
}

/** A code as it was read aloud or typed on a Turkish keyboard; a link stays as it is. */
function foldCode(text) {
  const plain = text.trim();
  if (/[:/#]/.test(plain)) return plain;
  return plain.replace(/ı/g, "i").replace(/İ/g, "I").normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/\s+/g, "-");
}

function resumable() {
  const open = state.view.lobby?.resumable ?? [];
  if (open.length === 0) return null;
  return h("section.resume", { key: "resume", "aria-label": t("resume.title") }, open.map((one) =>
    h("div.card.row-card", { key: one.id },
      h("div", h("b", t("resume.title")), h("p", t(`game.${one.rules}`), " · ", h("bdi", list(one.names.map((name) => clean(name, 40)))), " · ", count("count.hands-played", one.hands))),
      h("button.primary", { click: () => act({ do: "resume", id: one.id }) }, t("do.resume")))));
}

function publicPage() {
  const rooms = state.view.lobby?.public;
  return [pageTitle(t("choice.public"), "play"),
    h("div.row-buttons", { key: "again" }, h("button", { click: () => act({ do: "public" }) }, t("public.again"))),
    !rooms ? h("p.nothing", { key: "wait" }, t("public.asking", { server: state.view.lobby?.server ?? "" }))
      : rooms.length === 0 ? h("p.nothing", { key: "none" }, t("public.none"))
      : h("ul.cards", { key: "rooms" }, rooms.map((room) => h("li.card.row-card", { key: room.room },
        h("div", h("b", h("bdi", clean(room.title, 80))),
          h("p", t(`game.${room.rules}`), " · ", count("count.free", room.free), " · ",
            t("public.age", { n: Math.max(1, Math.round(room.age_s / 60)) }))),
        h("button.primary", { click: () => act({ do: "join", invite: room.room }) }, t("do.join")))))];
}
