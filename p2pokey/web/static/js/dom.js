// Turns a description of the page into DOM, and changes only what is different from before.
// Nodes with a key are kept when their siblings change: a tile under the finger stays the same node.

const SVG = "http://www.w3.org/2000/svg";
const KIDS = Symbol("children");
const HANDLERS = Symbol("handlers");

/**
 * Describes an element: `h("button.primary", { key, click: act }, "Open")`. Properties may be left out;
 * functions are listeners; texts become text nodes, never markup.
 */
export function h(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  const props = isProps(rest[0]) ? { ...rest.shift() } : {};
  if (classes.length) props.class = [...classes, props.class].filter(Boolean).join(" ");
  if (tag === "button") props.type ??= "button";
  return { tag, props, key: props.key, children: flatten(rest, []) };
}

const isProps = (value) => value?.constructor === Object && !("children" in value) && !("text" in value);

function flatten(children, out) {
  for (const child of children) {
    if (Array.isArray(child)) flatten(child, out);
    else if (child !== null && child !== undefined && typeof child !== "boolean") {
      out.push(typeof child === "object" ? child : { text: String(child) });
    }
  }
  return out;
}

/** Makes the children of `element` what `children` describe. */
export function patch(element, ...children) {
  patchChildren(element, flatten(children, []), false);
}

function patchChildren(element, next, svg) {
  const old = element[KIDS] ?? [];
  const keyed = new Map();
  const loose = [];
  for (const item of old) {
    if (item.v.key === undefined) loose.push(item);
    else keyed.set(item.v.key, item);
  }
  const kept = new Set();
  let at = 0;
  const items = next.map((v) => {
    let item = v.key === undefined ? loose[at] : keyed.get(v.key);
    if (v.key === undefined && item) at += 1;
    if (item && item.v.tag === v.tag && !kept.has(item)) {
      update(item, v, svg);
    } else {
      item = { v, node: create(v, svg) };
    }
    kept.add(item);
    return item;
  });
  for (const item of old) if (!kept.has(item)) item.node.remove();
  let cursor = element.firstChild;
  for (const item of items) {
    if (item.node === cursor) cursor = cursor.nextSibling;
    else element.insertBefore(item.node, cursor);
  }
  element[KIDS] = items;
}

function create(v, svg) {
  if (v.tag === undefined) return document.createTextNode(v.text);
  const isSvg = svg || v.tag === "svg";
  const node = isSvg ? document.createElementNS(SVG, v.tag) : document.createElement(v.tag);
  setProps(node, {}, v.props);
  patchChildren(node, v.children, isSvg);
  applyValue(node, {}, v.props);
  v.props.made?.(node);
  return node;
}

function update(item, v, svg) {
  const before = item.v;
  item.v = v;
  if (v.tag === undefined) {
    if (before.text !== v.text) item.node.data = v.text;
    return;
  }
  setProps(item.node, before.props, v.props);
  patchChildren(item.node, v.children, svg || v.tag === "svg");
  applyValue(item.node, before.props, v.props);
}

const SPECIAL = new Set(["key", "vars", "value", "checked", "made"]);
const isAttribute = (name, value) => !SPECIAL.has(name) && typeof value !== "function";

function setProps(node, before, after) {
  for (const name in before) {
    if (isAttribute(name, before[name]) && !(name in after)) node.removeAttribute(name);
  }
  for (const name in after) {
    if (isAttribute(name, after[name]) && before[name] !== after[name]) setAttribute(node, name, after[name]);
  }
  setVars(node, before.vars, after.vars);
  setHandlers(node, after);
}

function setAttribute(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

// Inline style attributes are forbidden by the page's policy; custom properties set here are not.
function setVars(node, before = {}, after = {}) {
  for (const name in before) if (!(name in after)) node.style.removeProperty(name);
  for (const name in after) {
    if (before[name] !== after[name]) node.style.setProperty(name, String(after[name]));
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

function applyValue(node, before, after) {
  if ("value" in after && before.value !== after.value && node.value !== String(after.value)) {
    node.value = after.value;
  }
  if ("checked" in after && node.checked !== after.checked) node.checked = after.checked;
}
