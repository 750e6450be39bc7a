// Turns a description into DOM and keeps nodes: one under the finger stays.

const SVG = "http://www.w3.org/2000/svg";
const KIDS = Symbol("children");
const HANDLERS = Symbol("handlers");

/**
 * An element: `h("button.primary", { key, click: act }, "Open")`. `key` tells it from others alike, `class` may be
 * a list with gaps, `label` is the accessible name, functions are listeners, texts never markup.
 */
export function h(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  const props = isProps(rest[0]) ? { ...rest.shift() } : {};
  const given = [...classes, props.class].flat().filter(Boolean);
  if (given.length) props.class = given.join(" ");
  if (tag === "button") props.type ??= "button";
  return { tag, props, id: `${name} ${props.key ?? ""}`, children: flatten(rest) };
}

const isProps = (value) => value?.constructor === Object && !("children" in value) && !("text" in value);

const flatten = (children) => children.flat(Infinity)
  .filter((child) => child != null && typeof child !== "boolean" && child !== "")
  .map((child) => (typeof child === "object" ? child : { text: String(child) }));

export function patch(element, ...children) {
  patchChildren(element, flatten(children), false);
}

// New nodes that nothing here will change again.
export const make = (...children) => flatten(children).map((child) => create(child, false));

// What was there goes on as what is called the same; without a key, in order.
function patchChildren(element, next, svg) {
  const before = new Map();
  for (const item of element[KIDS] ?? []) before.set(item.v.id, [...(before.get(item.v.id) ?? []), item]);
  const items = next.map((v) => {
    const item = before.get(v.id)?.shift();
    if (!item) return { v, node: create(v, svg) };
    update(item, v, svg);
    return item;
  });
  for (const item of [...before.values()].flat()) item.node.remove();
  let cursor = element.firstChild;
  for (const { node } of items) {
    if (node === cursor) cursor = cursor.nextSibling;
    else element.insertBefore(node, cursor);
  }
  element[KIDS] = items;
}

function create(v, svg) {
  if (v.tag === undefined) return document.createTextNode(v.text);
  const isSvg = svg || v.tag === "svg";
  const node = isSvg ? document.createElementNS(SVG, v.tag) : document.createElement(v.tag);
  setAll(node, {}, v, isSvg);
  v.props.made?.(node);
  return node;
}

function update(item, v, svg) {
  const before = item.v;
  item.v = v;
  if (v.tag !== undefined) setAll(item.node, before.props, v, svg || v.tag === "svg");
  else if (before.text !== v.text) item.node.data = v.text;
}

function setAll(node, before, { props, children }, svg) {
  for (const name in before) if (!(name in props)) setAttribute(node, name, null);
  for (const name in props) if (before[name] !== props[name]) setAttribute(node, name, props[name]);
  setVars(node, before.vars, props.vars);
  setHandlers(node, props);
  if (children.length || node[KIDS]) patchChildren(node, children, svg);
  // Only now: the value of a list is one of its children.
  if ("value" in props && before.value !== props.value && node.value !== String(props.value)) node.value = props.value;
  if ("checked" in props && node.checked !== props.checked) node.checked = props.checked;
}

const SPECIAL = new Set(["key", "vars", "value", "checked", "made"]);

function setAttribute(node, given, value) {
  if (SPECIAL.has(given) || typeof value === "function") return;
  const name = given === "label" ? "aria-label" : given;
  if (name.startsWith("aria-") && typeof value === "boolean") node.setAttribute(name, String(value));
  else if (value === false || value == null) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

// The page's policy forbids style attributes, not properties set here.
function setVars(node, before = {}, after = {}) {
  for (const name in { ...before, ...after }) {
    if (before[name] !== after[name]) node.style.setProperty(name, String(after[name] ?? ""));
  }
}

function setHandlers(node, props) {
  const active = (node[HANDLERS] ??= {});
  for (const type in active) active[type] = null;
  for (const type in props) {
    if (type === "made" || typeof props[type] !== "function") continue;
    if (!(type in active)) node.addEventListener(type, (event) => active[type]?.(event));
    active[type] = props[type];
  }
}
