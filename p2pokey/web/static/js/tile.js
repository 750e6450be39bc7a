// A tile: its number, a shape for its colour, a ring where it is the okey.

import { t } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  r: "M6 1.3a4.7 4.7 0 1 0 0 9.4a4.7 4.7 0 1 0 0-9.4z",
  k: "M2.6 1.6h6.8a1 1 0 0 1 1 1v6.8a1 1 0 0 1-1 1H2.6a1 1 0 0 1-1-1V2.6a1 1 0 0 1 1-1z",
  b: "M6 1.1 11.1 10.5H.9z",
  y: "M6 .2 7.6 4.4 11.8 6 7.6 7.6 6 11.8 4.4 7.6.2 6 4.4 4.4z",
  f: "M6 .9a2.2 2.2 0 0 1 2 3.1 2.2 2.2 0 1 1-.3 4.1c.2 1.2.6 2 1.2 2.9H3.1c.6-.9 1-1.7 1.2-2.9A2.2 2.2 0 1 1 4 4a2.2 2.2 0 0 1 2-3.1z",
  star: "M6 .6l1.6 3.5 3.8.4-2.8 2.6.8 3.8L6 9 2.6 10.9l.8-3.8L.6 4.5l3.8-.4z",
};
const COLOURS = { r: "red", b: "blue", k: "black", y: "yellow" };

/** Face of a tile without its copy letter: `r5a` is `r5`, `**a` is `**`. */
export const faceOf = (tile) => tile.slice(0, -1);
const isFalse = (tile) => tile.startsWith("**");
const colourOf = (tile) => (isFalse(tile) ? "f" : tile[0]);
const numberOf = (tile) => (isFalse(tile) ? 0 : parseInt(tile.slice(1), 10));

/** The tile in words; `okey` is the face that is wild, null in the duel. */
export function describe(tile, okey) {
  if (!tile) return t("tile.hidden");
  if (isFalse(tile)) return okey ? t("tile.false", { face: describeFace(okey) }) : t("tile.joker");
  const face = faceOf(tile);
  return face === okey ? t("tile.okey", { face: describeFace(face) }) : describeFace(face);
}

export function describeFace(face) {
  if (face[0] === "?") return t("tile.any", { n: face.slice(1) });
  return t("tile.face", { colour: t(`colour.${COLOURS[face[0]]}`), n: face.slice(1) });
}

class OkeyTile extends HTMLElement {
  static observedAttributes = ["t", "okey", "as"];

  connectedCallback() {
    if (!this.firstChild) this.#draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const tile = this.getAttribute("t");
    const okey = this.getAttribute("okey");
    this.replaceChildren();
    if (!tile) {
      this.dataset.c = "back";
      return;
    }
    const colour = colourOf(tile);
    this.dataset.c = colour;
    const wild = colour === "f" ? !okey : faceOf(tile) === okey;
    this.toggleAttribute("data-wild", wild);
    const stands = this.getAttribute("as");
    if (colour === "f") this.#joker(stands ?? okey);
    else this.append(text("b", numberOf(tile)), shape(colour, "pip"));
    if (wild && colour !== "f") {
      this.append(badge());
      if (stands && stands !== faceOf(tile)) this.append(face(stands, "as"));
    }
  }

  #joker(stands) {
    this.append(shape("f", "crown"));
    this.append(stands ? face(stands, "id") : shape("star", "id"));
  }
}

function text(tag, content, className = "") {
  const made = document.createElement(tag);
  made.textContent = content;
  made.className = className;
  return made;
}

function face(name, className) {
  const made = text("span", name.slice(1), className);
  made.dataset.c = name[0];
  if (name[0] in SHAPES) made.append(shape(name[0], "dot")); // ?9 is a nine whose colour is open
  return made;
}

function badge() {
  const made = document.createElement("span");
  made.className = "star";
  made.append(shape("star", ""));
  return made;
}

function shape(name, className) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 12 12");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", SHAPES[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}

customElements.define("okey-tile", OkeyTile);
