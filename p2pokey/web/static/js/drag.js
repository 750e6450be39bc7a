// Dragging by mouse, finger and pen, all through Pointer Events. While something is dragged the page
// may draw as often as it likes: the ghost is not part of it, and listeners sit on the document.

import { language } from "./i18n.js";
import { change, state } from "./store.js";

const START_PX = 6;
const LIFT_PX = 44;
let active = null;
let justDragged = false;
let dropped = () => {};

/** @param onDrop called with what is dragged, {kind, tiles}, and the text of the target or null. */
export function enableDragging(onDrop) {
  dropped = onDrop;
  document.addEventListener("pointerdown", down);
  // The click that follows a drag is not meant for what lies under it.
  document.addEventListener("click", swallow, { capture: true });
  // A flick is no scrolling: else the browser would take the next tap for the end of it.
  document.addEventListener("touchmove", (event) => active?.ghost && event.preventDefault(), { passive: false });
}

function swallow(event) {
  if (!justDragged) return;
  justDragged = false;
  event.stopPropagation();
  event.preventDefault();
}

function down(event) {
  justDragged = false;
  const element = event.target.closest?.("[data-drag]");
  if (!element || event.button !== 0 || active) return;
  const tile = element.dataset.tile;
  const picked = state.local.picked;
  const tiles = tile ? (picked.includes(tile) && picked.length > 1 ? picked.slice() : [tile]) : [];
  active = {
    element, tiles, kind: element.dataset.drag, id: event.pointerId,
    x: event.clientX, y: event.clientY, ghost: null, over: null,
    lift: event.pointerType === "touch" ? LIFT_PX : 0,
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", up);
  document.addEventListener("pointercancel", cancel);
  document.addEventListener("keydown", escape, { capture: true });
}

function move(event) {
  if (event.pointerId !== active?.id) return;
  const far = Math.hypot(event.clientX - active.x, event.clientY - active.y);
  if (!active.ghost) {
    if (far < START_PX) return;
    begin();
  }
  place(event);
}

function begin() {
  const box = active.element.getBoundingClientRect();
  active.dx = box.left - active.x;
  active.dy = box.top - active.y;
  active.ghost = ghostOf(active, box);
  document.body.append(active.ghost);
  document.documentElement.dataset.dragging = active.kind;
  // The browser must go on sending us the finger's moves, whatever becomes of the tile's node.
  document.documentElement.setPointerCapture?.(active.id);
  change({ dragging: active.tiles });
}

function ghostOf({ tiles, element, lift }, box) {
  const ghost = document.createElement("div");
  ghost.className = lift ? "ghost lifted" : "ghost";
  ghost.setAttribute("aria-hidden", "true");
  ghost.lang = language();
  const okey = element.getAttribute("okey");
  for (const tile of tiles.length ? tiles : [element.dataset.ghost ?? ""]) {
    const made = document.createElement("okey-tile");
    if (tile) made.setAttribute("t", tile);
    if (okey) made.setAttribute("okey", okey);
    ghost.append(made);
  }
  ghost.style.setProperty("--w", `${Math.max(box.width, 36)}px`);
  return ghost;
}

function place(event) {
  const { ghost, dx, dy, lift } = active;
  ghost.style.translate = `${event.clientX + dx}px ${event.clientY + dy - lift}px`;
  const over = targetAt(event.clientX, event.clientY);
  if (over === active.over) return;
  active.over?.removeAttribute("data-over");
  over?.setAttribute("data-over", "");
  active.over = over;
}

function targetAt(x, y) {
  return document.elementFromPoint(x, y)?.closest("[data-drop]") ?? null;
}

function up(event) {
  if (event.pointerId !== active?.id) return;
  const { ghost, kind, tiles } = active;
  const target = ghost ? targetAt(event.clientX, event.clientY) : null;
  end();
  if (!ghost) return;
  justDragged = true;
  setTimeout(() => (justDragged = false), 60);
  dropped({ kind, tiles }, target?.dataset.drop ?? null);
}

function cancel(event) {
  if (event.pointerId === active?.id) end();
}

function escape(event) {
  if (event.key !== "Escape" || !active?.ghost) return;
  event.preventDefault();
  event.stopPropagation();
  end();
}

function end() {
  if (active.ghost) document.documentElement.releasePointerCapture?.(active.id);
  active.ghost?.remove();
  active.over?.removeAttribute("data-over");
  delete document.documentElement.dataset.dragging;
  active = null;
  document.removeEventListener("pointermove", move);
  document.removeEventListener("pointerup", up);
  document.removeEventListener("pointercancel", cancel);
  document.removeEventListener("keydown", escape, { capture: true });
  change({ dragging: [] });
}
