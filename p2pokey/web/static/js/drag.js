// Dragging through Pointer Events; the page may draw meanwhile.

import { change, h, local, make, on, picture } from "./core.js";

const START_PX = 6;
const LIFT_PX = 44;
const root = document.documentElement;
let active = null;
let justDragged = false;
let dropped = () => {};

// `onDrop` gets {kind, tiles}, and the text of the target or null.
export function enableDragging(onDrop) {
  dropped = onDrop;
  on("pointerdown", down);
  on("pointermove", move);
  on("pointerup", up);
  on("pointercancel", (event) => event.pointerId === active?.id && end());
  on("keydown", escape, { capture: true });
  // The click that follows a drag is not meant for what lies under it.
  on("click", swallow, { capture: true });
  // Else the browser would take the next tap for the end of a scroll.
  on("touchmove", (event) => active?.ghost && event.preventDefault(), { passive: false });
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
  const { tile, drag } = element.dataset;
  const { picked } = local;
  active = {
    element, kind: drag, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null, over: null,
    tiles: !tile ? [] : picked.includes(tile) ? picked.slice() : [tile],
    lift: event.pointerType === "touch" ? LIFT_PX : 0,
  };
}

function move(event) {
  if (event.pointerId !== active?.id) return;
  if (!active.ghost && Math.hypot(event.clientX - active.x, event.clientY - active.y) < START_PX) return;
  if (!active.ghost) begin();
  const { ghost, dx, dy, lift } = active;
  ghost.style.translate = `${event.clientX + dx}px ${event.clientY + dy - lift}px`;
  const over = targetAt(event);
  if (over === active.over) return;
  active.over?.removeAttribute("data-over");
  over?.setAttribute("data-over", "");
  active.over = over;
}

function begin() {
  const { element, tiles, lift, kind, id, x, y } = active;
  const box = element.getBoundingClientRect();
  const shown = tiles.length ? tiles : [element.dataset.ghost ?? null];
  const [ghost] = make(h("div.ghost", { class: lift && "lifted", "aria-hidden": true }, shown.map((tile) => picture(tile))));
  ghost.style.setProperty("--w", `${Math.max(box.width, 36)}px`);
  Object.assign(active, { ghost, dx: box.left - x, dy: box.top - y });
  document.body.append(ghost);
  root.dataset.dragging = kind;
  // The moves must go on coming.
  root.setPointerCapture?.(id);
  change({ dragging: tiles });
}

const targetAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-drop]") ?? null;

function up(event) {
  if (event.pointerId !== active?.id) return;
  const { ghost, kind, tiles } = active;
  const target = ghost && targetAt(event);
  end();
  if (!ghost) return;
  justDragged = true;
  setTimeout(() => (justDragged = false), 60);
  dropped({ kind, tiles }, target?.dataset.drop ?? null);
}

function escape(event) {
  if (event.key !== "Escape" || !active?.ghost) return;
  event.preventDefault();
  event.stopPropagation();
  end();
}

function end() {
  if (active.ghost) root.releasePointerCapture?.(active.id);
  active.ghost?.remove();
  active.over?.removeAttribute("data-over");
  delete root.dataset.dragging;
  active = null;
  change({ dragging: [] });
}
