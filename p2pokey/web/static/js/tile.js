// A tile: its number, a shape for its colour, a ring where it is the okey.

import { h, make } from "./dom.js";
import { t } from "./i18n.js";
import { game, state } from "./store.js";

const SHAPES = {
  r: "M6 1.3a4.7 4.7 0 1 0 .1 0z",
  k: "M1.6 1.6h8.8v8.8H1.6z",
  b: "M6 1.1 11.1 10.5H.9z",
  y: "M6 .2 7.6 4.4 11.8 6 7.6 7.6 6 11.8 4.4 7.6.2 6 4.4 4.4z",
  f: "M6 .9a2.2 2.2 0 0 1 2 3.1 2.2 2.2 0 1 1-.3 4.1c.2 1.2.6 2 1.2 2.9H3.1c.6-.9 1-1.7 1.2-2.9A2.2 2.2 0 1 1 4 4a2.2 2.2 0 0 1 2-3.1z",
  star: "M6 .6l1.6 3.5 3.8.4-2.8 2.6.8 3.8L6 9 2.6 10.9l.8-3.8L.6 4.5l3.8-.4z",
};
const COLOURS = { r: "red", b: "blue", k: "black", y: "yellow" };

// Face of a tile without its copy letter: `r5a` is `r5`, `**a` is `**`.
export const faceOf = (tile) => tile.slice(0, -1);
const isFalse = (tile) => tile.startsWith("**");

// The face that is wild; null in the duel.
const wild = () => (game() ?? state.view?.replay?.game)?.okey ?? null;

export function describe(tile, okey = wild()) {
  if (!tile) return t("tile.hidden");
  if (isFalse(tile)) return okey ? t("tile.false", { face: describeFace(okey) }) : t("tile.joker");
  const face = describeFace(faceOf(tile));
  return faceOf(tile) === okey ? t("tile.okey", { face }) : face;
}

export function describeFace(face) {
  if (face[0] === "?") return t("tile.any", { n: face.slice(1) });
  return t("tile.face", { colour: t(`colour.${COLOURS[face[0]]}`), n: face.slice(1) });
}

export const tileView = (tile, props) => picture(tile, { key: tile, "aria-hidden": null, role: "img", label: describe(tile), ...props });

export const picture = (tile, props) => h("okey-tile.small", { t: tile, okey: wild(), "aria-hidden": true, ...props });

export const sorted = (tiles) => tiles.slice().sort((a, b) => rank(a) - rank(b));
const rank = (tile) => (tile ? "rbky*".indexOf(tile[0]) * 100 + (parseInt(tile.slice(1), 10) || 0) : 999);

class OkeyTile extends HTMLElement {
  static observedAttributes = ["t", "okey", "as"];

  connectedCallback() {
    if (!this.firstChild) this.#draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const [tile, okey, as] = OkeyTile.observedAttributes.map((name) => this.getAttribute(name));
    const colour = !tile ? "back" : isFalse(tile) ? "f" : tile[0];
    const wild = colour === "f" ? !okey : colour !== "back" && faceOf(tile) === okey;
    this.dataset.c = colour;
    this.toggleAttribute("data-wild", wild);
    this.replaceChildren(...make(
      colour === "f" ? [shape("f", "crown"), as ?? okey ? small(as ?? okey, "id") : shape("star", "id")]
        : colour !== "back" && [h("b", parseInt(tile.slice(1), 10)), shape(colour, "pip")],
      wild && colour !== "f" && [h("span.star", shape("star", "")), as && as !== faceOf(tile) && small(as, "as")]));
  }
}

// ?9 is a nine whose colour is open.
const small = (face, kind) => h("span", { class: kind, "data-c": face[0] }, face.slice(1), face[0] in SHAPES && shape(face[0], "dot"));

const shape = (name, kind) => h("svg", { class: kind, viewBox: "0 0 12 12", "aria-hidden": true },
  h("path", { d: SHAPES[name], fill: "currentColor" }));

customElements.define("okey-tile", OkeyTile);
