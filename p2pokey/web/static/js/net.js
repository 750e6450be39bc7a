// The socket to this player's own program: shows the token, gets views, sends intents.

const STORED = "p2pokey-token";
const AGAIN_MS = [200, 500, 1000, 2000, 4000];

/** Takes the token out of the address, so that nobody copies it along with the link. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("t");
  if (given) {
    sessionStorage.setItem(STORED, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(STORED) ?? "";
}

export class Connection {
  #socket = null;
  #number = 0;
  #waiting = new Map();
  #failures = 0;
  #timer = 0;

  /** @param heard {world, view, status}: called with what arrives. */
  constructor(token, heard) {
    this.token = token;
    this.heard = heard;
  }

  open() {
    clearTimeout(this.#timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#send({ k: "hello", token: this.token }));
    socket.addEventListener("message", (event) => this.#take(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#closed(socket, event.code));
  }

  /** Tries at once instead of waiting for the next attempt. */
  hurry() {
    if (this.#socket?.readyState === WebSocket.CLOSED) this.open();
  }

  /** Resolves to null if it was done, else to why not. */
  act(intent) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return Promise.resolve({ code: "offline" });
    this.#number += 1;
    const n = this.#number;
    this.#send({ k: "intent", n, intent });
    return new Promise((resolve) => this.#waiting.set(n, resolve));
  }

  /** Makes this the tab that plays. */
  takeControl() {
    this.#send({ k: "control" });
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  #take(frame) {
    if (frame.k === "world") {
      this.#failures = 0;
      this.heard.world(frame);
    } else if (frame.k === "view") {
      this.heard.view(frame.view, frame.control);
    } else if (frame.k === "done") {
      this.#waiting.get(frame.n)?.(frame.refused);
      this.#waiting.delete(frame.n);
    }
  }

  #closed(socket, code) {
    if (socket !== this.#socket) return;
    for (const resolve of this.#waiting.values()) resolve({ code: "offline" });
    this.#waiting.clear();
    if (code === 4401) {
      this.heard.status("refused");
      return;
    }
    this.heard.status("lost");
    const wait = AGAIN_MS[Math.min(this.#failures, AGAIN_MS.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(() => this.open(), wait);
  }
}
