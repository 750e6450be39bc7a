// What nearly every part of the page needs.

export * from "./acting.js";
export * from "./dom.js";
export * from "./i18n.js";
export * from "./store.js";
export * from "./tile.js";
export * from "./ui.js";
