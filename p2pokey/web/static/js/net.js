// The socket to this player's own program.

const STORED = "p2pokey-token";
const AGAIN_MS = [200, 500, 1000, 2000, 4000];

// Takes the token out of the address, so that nobody copies it.
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("t");
  if (given) {
    sessionStorage.setItem(STORED, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(STORED) ?? "";
}

// Keeps a connection open; `heard`: {world, view, file, status}.
export function connect(token, heard) {
  let socket = null;
  let number = 0;
  let failures = 0;
  let waiting = new Map();
  const send = (frame) => socket.send(JSON.stringify(frame));

  function open() {
    const made = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/ws`);
    socket = made;
    made.onopen = () => send({ k: "hello", token });
    made.onmessage = (event) => take(JSON.parse(event.data));
    made.onclose = (event) => made === socket && closed(event.code);
  }

  function take(frame) {
    if (frame.k === "world") {
      failures = 0;
      heard.world(frame);
    } else if (frame.k === "view") heard.view(frame.view, frame.control);
    else if (frame.k === "done") {
      if (frame.answer?.file) heard.file(frame.answer.file);
      waiting.get(frame.n)?.(frame.refused);
      waiting.delete(frame.n);
    }
  }

  function closed(code) {
    for (const resolve of waiting.values()) resolve({ code: "offline" });
    waiting = new Map();
    heard.status(code === 4401 ? "refused" : "lost");
    if (code !== 4401) setTimeout(hurry, AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)]);
  }

  function hurry() {
    if (socket.readyState === WebSocket.CLOSED) open();
  }

  open();
  return {
    hurry,
    act(intent) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.resolve({ code: "offline" });
      number += 1;
      send({ k: "intent", n: number, intent });
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    takeControl: () => send({ k: "control" }),
  };
}
